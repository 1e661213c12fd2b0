# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff of two versions of a source: procedures and loops that were moved, and a procedure that was renamed, are the same ones, and their lines;
a line between others that stayed is one that was changed.
Usage: edited.py HEATSCOPE WORK

What is matched is exact; of times only that what takes a tenth of a run of hundreds of periods is met at all."""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, WORK = sys.argv[1:3]
wrong = []

HEAD = """#include <stdio.h>
#define N 3000
static double a[N], b[N], c[N];
"""
SMOOTH = """__attribute__((noinline)) static void smooth(int times) {
    for (int t = 0; t < times; t++)
        for (int i = 1; i < N - 1; i++)
            b[i] = 0.25 * (b[i - 1] + a[i + 1]) + 1e-3;
}
"""
RECUR = """__attribute__((noinline)) static void recur(int times) {
    for (int t = 0; t < times; t++)
        for (int i = 1; i < N; i++)
            a[i] = a[i - 1] * 0.5 + b[i];
}
"""
ROOTS = """__attribute__((noinline)) static void NAME(int times) {
    for (int t = 0; t < times; t++)
        for (int i = 1; i < N; i++)
            c[i] = c[i - 1] / (1.5 + a[i]) + 1;
}
"""
EDITED = """__attribute__((noinline)) static void edited(int times) {
    for (int t = 0; t < times; t++)
        for (int i = 1; i < N; i++)
            c[i] = c[i - 1] / (2.5 + b[i]) + 1;
}
__attribute__((noinline)) static void split(int times) {
    for (int t = 0; t < times; t++)
        for (int i = 1; i < N; i++) {
            c[i] = c[i - 1] / (3.5 + b[i]) + 1;
        }
}
"""
NEW = EDITED.replace("(2.5 + b[i]) + 1", "(2.25 + b[i]) + 2").replace(
    "            c[i] = c[i - 1] / (3.5 + b[i]) + 1;\n", "            c[i] = c[i - 1] / (3.25 + b[i]);\n            c[i] += 1 / (3.125 + c[i]);\n")
FIRST = """    for (int t = 0; t < 20000; t++)
        for (int i = 1; i < N; i++)
            b[i] = b[i - 1] * 0.125 + 2;
"""
SECOND = """    for (int t = 0; t < 20000; t++)
        for (int i = 1; i < N; i++)
            c[i] = c[i - 1] * 0.625 + a[i];
"""
MAIN = """int main(void) {
    smooth(20000);
    recur(20000);
    NAME(10000);
    both();
    edited(10000);
    split(10000);
    printf("%g\\n", a[17] + b[18] + c[19]);
}
"""


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, cwd=WORK, check=False)
    that(done.returncode == 0, f"{command}: {done}")
    return done.stdout


def build(name, text):
    os.makedirs(os.path.join(WORK, name))
    with open(os.path.join(WORK, name, "program.c"), "w", encoding="utf-8") as f:
        f.write(text)
    run("cc", "-O2", "-o", f"{name}/program", f"{name}/program.c")
    run("run", "-q", "-o", f"{name}/m", f"{name}/program")
    run("correlate", f"{name}/m")
    return text.splitlines()


def both(*loops):
    return "__attribute__((noinline)) static void both(void) {\n" + "".join(loops) + "}\n"


def line_of(text, words):
    found = [i for i, line in enumerate(text, 1) if words in line]
    that(len(found) == 1, f"{len(found)} lines with {words}")
    return found[0]


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
A = build("a", HEAD + SMOOTH + RECUR + ROOTS.replace("NAME", "roots") + both(FIRST, SECOND) + EDITED + MAIN.replace("NAME", "roots"))
B = build("b", HEAD + both(SECOND, FIRST) + ROOTS.replace("NAME", "quotients") + RECUR + SMOOTH + NEW + MAIN.replace("NAME", "quotients"))
rows = {by: list(csv.DictReader(io.StringIO(run("diff", f"--by={by}", "--format=csv", "a/m", "b/m")))) for by in ("procedure", "loop", "line")}

names = {r["procedure"]: r["matched"] for r in rows["procedure"]}
that([names.get(n) for n in ("smooth", "recur", "both")] == ["same"] * 3, f"procedures that were moved: {names}")
renamed = [(r["procedure_a"], r["procedure"], r["matched"]) for r in rows["procedure"] if "roots" in r["procedure_a"] or r["procedure"] == "quotients"]
that(renamed == [("roots", "quotients", "renamed")], f"a procedure that was renamed: {renamed}")
by_line = {int(r["line_begin_a"] or 0): (int(r["line_begin_b"] or 0), r["matched"]) for r in rows["line"] if r["file_a"].endswith("program.c")}
loops = {int(r["line_begin_a"] or 0): (int(r["line_begin_b"] or 0), r["matched"]) for r in rows["loop"] if r["file_a"].endswith("program.c")}
for words in ("0.25 * (", "a[i - 1] * 0.5", "(1.5 + a[i])", "* 0.125 + 2", "* 0.625 + a[i]"):
    old, new = line_of(A, words), line_of(B, words)
    that(by_line.get(old) == (new, "same"), f"line {old} '{words}' is line {new} now: {by_line}")
    that(loops.get(old - 1) == (new - 1, "same"), f"loop {old - 1} round '{words}' is loop {new - 1} now: {loops}")
old, new = line_of(A, "(2.5 + b[i])"), line_of(B, "(2.25 + b[i])")
that(by_line.get(old) == (new, "changed"), f"line {old} was changed, and is {new} now: {by_line}")
that(by_line.get(line_of(A, "(3.5 + b[i])")) == (0, "unmatched"), f"one line that two stand for now is neither of them: {by_line}")
told = [" ".join(x.split()) for x in run("diff", "--by=line", "--top=0", "a/m", "b/m").splitlines()]
at = [i for i, line in enumerate(told) if line.startswith("was ")]
that(len(at) == 1 and f" program.c:{new}" in told[at[0] - 1] and told[at[0]].startswith(f"was program.c:{old} c[i] = c[i - 1] / (2.5") and
     told[at[0] + 1].startswith(f"now program.c:{new} c[i] = c[i - 1] / (2.25"), f"the line that it was, and is now: {told}")
told = run("diff", "--by=procedure", "a/m", "b/m").splitlines()
# The table's row alone: the lines above it may name what changed most, too.
table = told[told.index("Procedures, with their loops"):]
at = [i for i, line in enumerate(table) if "quotients program.c" in line]
that(len(at) == 1 and table[at[0] + 1].strip().startswith("was roots program.c:"), f"the name that it had: {told}")
for w in wrong:
    print("FAILED", w)
sys.exit(1 if wrong else 0)
