# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff of nests whose loops were interchanged, blocked, split or taken apart: innermost loops are compared with innermost ones, what can't be matched
is told as a nest, nothing of one nest is "gone" beside a "new" of the same; --by=nest has the sums of `report --by=nest`; `map -d` has the same pairs.
A line that met no sample in one run is not "gone" where its source has it.
Usage: nests.py HEATSCOPE WORK

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
#define N 192
double a[N][N], b[N][N], c[N][N], r[N * N];
#define KEPT __attribute__((noinline)) static void
#define SEEN __asm__ volatile("" ::: "memory")
static int rare;
"""
A = HEAD + """KEPT interchanged(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) // MIDDLE
            for (int k = 0; k < N; k++) // INNER
                c[i][j] += a[i][k] * b[k][j]; // PRODUCT
}
KEPT blocked(void) {
    for (int i = 0; i < N; i++) // ROWS
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) // DOT
                c[i][j] += a[i][k] * b[k][j] * 2;
}
KEPT split(int times) {
    for (int t = 0; t < times; t++) { // TIMES
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++) // SUM
                s += b[k][j];
            r[j] = s * 0.5;
        }
        SEEN;
    }
}
KEPT apart(int times) {
    for (int t = 0; t < times; t++) { // APART
        for (int j = 1; j < N * N; j++) // CHAIN
            r[j] = r[j - 1] * 0.5 + 1 / (2 + r[j]);
    }
}
KEPT whole(void) {
    for (int j = 1; j < 600 * N * N; j++) // WHOLE
        r[j % N] = r[j % N] * 0.5 + 1 / (2 + r[j % 77]);
}
KEPT common(void) {
    for (int j = 0; j < 300 * N * N; j++) {
        rare += j % 7 == 0; // SELDOM
        if (j < N)
            rare ^= 5; // NEVER MET
    }
}
int main(void) {
    for (int t = 0; t < 60; t++) {
        interchanged();
        blocked();
    }
    split(1500);
    apart(1000);
    whole();
    common();
    printf("%g %g %d\\n", c[1][2], r[3], rare);
}
"""
B = HEAD + """KEPT interchanged(void) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) // MIDDLE
            for (int j = 0; j < N; j++) // INNER
                c[i][j] += a[i][k] * b[k][j]; // PRODUCT
}
KEPT blocked(void) {
    for (int kk = 0; kk < N; kk += 64)
        for (int i = 0; i < N; i++) // ROWS
            for (int k = kk; k < kk + 64; k++)
                for (int j = 0; j < N; j++) // DOT
                    c[i][j] += a[i][k] * b[k][j] * 2;
}
KEPT split(int times) {
    for (int t = 0; t < times; t++) { // TIMES
        for (int j = 0; j < N; j++)
            r[j] = 0;
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++) // SUM
                r[j] += b[k][j];
        for (int j = 0; j < N; j++)
            r[j] *= 0.5;
        SEEN;
    }
}
KEPT apart(int times) {
    for (int t = 0; t < times; t++) { // APART
        r[0] = t;
        for (int j = 1; j < N * 100; j++)
            r[j] = r[j - 1] * 0.25 + 1 / (2 + r[j]);
        for (int m = N * 100; m < N * N; m++)
            r[m] = r[m - 1] * 0.125 + 1 / (2 + r[m]);
    }
}
KEPT whole(void) {
    for (int m = 0; m < 600; m++) { // WHOLE
        for (int j = 0; j < N * 100; j++)
            r[j % N] = r[j % N] * 0.5 + 1 / (2 + r[j % 77]);
        for (int j = N * 100; j < N * N; j++)
            r[j % N] = r[j % N] * 0.5 + 1 / (2 + r[j % 77]);
    }
}
KEPT common(void) {
    for (int j = 0; j < 300 * N * N; j++) {
        rare += j % 7 == 0; // SELDOM
        if (j < N)
            rare ^= 5; // NEVER MET
    }
}
""" + A[A.index("int main"):]


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, cwd=WORK, check=False)
    that(done.returncode == 0, f"{command}: {done}")
    return done.stdout


def rows(*command):
    return list(csv.DictReader(io.StringIO(run(*command))))


def build(name, text):
    os.makedirs(os.path.join(WORK, name))
    with open(os.path.join(WORK, name, "program.c"), "w", encoding="utf-8") as f:
        f.write(text)
    run("cc", "-O2", "-o", f"{name}/program", f"{name}/program.c")
    run("run", "-q", "--budget=off", "-o", f"{name}/m", f"{name}/program")
    run("correlate", f"{name}/m")


def line_of(text, words):
    found = [i for i, line in enumerate(text.splitlines(), 1) if "// " + words in line]
    that(len(found) == 1, f"{len(found)} lines with {words}")
    return found[0]


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
build("a", A)
build("b", B)
loops = [r for r in rows("diff", "--by=loop", "-f", "csv", "a/m", "b/m") if (r["file_a"] or r["file_b"]).endswith("program.c")]
pairs = {(int(r["line_begin_a"] or 0), int(r["line_begin_b"] or 0)): r for r in loops}
for words, how in (("INNER", "by position"), ("DOT", "by position"), ("SUM", "by position"), ("APART", "nest"), ("WHOLE", "nest")):
    at = (line_of(A, words), line_of(B, words))
    that(at in pairs and pairs[at]["matched"] == how, f"{words} {at} {how}: {sorted((k, r['matched']) for k, r in pairs.items())}")
    that(at in pairs and float(pairs[at]["a_s"]) > 0 and float(pairs[at]["b_s"]) > 0, f"{words}: {pairs.get(at)}")
for name in ("interchanged", "blocked", "split", "apart", "whole"):
    gone, new = ([r for r in loops if r["procedure"] == name and not r["line_begin_" + k]] for k in "ba")
    that(not gone, f"{name}: gone beside what is new: {gone}")
    that(not new or name in ("blocked", "split"), f"{name}: new: {new}")
whole = [r for r in loops if r["matched"] == "nest"]
that(all("program.c:" not in r["versions_a"] and r["versions_a"].split(":")[0].isdigit() for r in whole), f"which loop's code it is: {whole}")

nests = [r for r in rows("diff", "--by=nest", "-f", "csv", "a/m", "b/m") if (r["file_a"] or r["file_b"]).endswith("program.c")]
for name in ("interchanged", "blocked", "split", "apart", "whole"):
    found = [r for r in nests if r["procedure"] == name]
    that(len(found) == 1 and found[0]["line_begin_a"] and found[0]["line_begin_b"], f"one nest of {name}: {found}")
    for k in "ab":
        told = [float(r["value_s"]) for r in rows("report", "--by=nest", "-f", "csv", f"{k}/m") if r["procedure"] == name]
        that(found and told and abs(float(found[0][k + "_s"]) - told[0]) < 1e-6, f"{name} in {k}: {found}, report: {told}")
text = run("diff", "--by=loop", "--top=0", "a/m", "b/m")
table = text[text.index("\nLoops with"):].splitlines()
at = [i for i, x in enumerate(table) if f"interchanged program.c:{line_of(B, 'INNER')}" in x]
that(len(at) == 1 and table[at[0] + 1].strip().startswith(f"was program.c:{line_of(A, 'INNER')} for (int k = 0") and
     table[at[0] + 2].strip().startswith(f"now program.c:{line_of(B, 'INNER')} for (int j = 0") and
     sum(x.strip().startswith(f"its nest program.c:{line_of(B, 'MIDDLE') - 1}: ") for x in table) == 1, f"the loops that stand there, and their nest:\n{text}")
that(text.count("with the loops in it, which are others now") == 2, f"nests:\n{text}")
that("Outermost loops with all inside" in run("diff", "--by=nest", "a/m", "b/m"), "no table of nests")
that(all(len(x) <= 80 for x in text.splitlines()), f"longer than 80 columns:\n{text}")

# the same pairs in the maps
changes = [r for r in rows("map", "-d", "-f", "csv", "a/program", "b/program") if r["of"].split(" ")[0] == "for"]
told = {(int(r["line_before"]), int(r["line_after"])) for r in changes if r["line_before"] and r["line_after"] and int(r["line_after"]) and int(r["line_before"])}
inner = (line_of(A, "INNER"), line_of(B, "INNER"))
that(inner in told, f"map -d: {inner} not in {told}")
both = {k: r for k, r in pairs.items() if k[0] and k[1]}
that(all(x in both for x in told if x[0] in {k[0] for k in both} or x[1] in {k[1] for k in both}), f"map -d pairs {told}, diff {sorted(both)}")

# lines that are in both sources, and in one without samples
lines = [x for x in run("diff", "--by=line", "--top=0", "--where=common", "a/m", "b/m").splitlines() if "program.c:" in x]
that(lines and all(" gone" not in x and " new" not in x for x in lines), f"common() is in both: {lines}")
for w in wrong:
    print("FAILED", w)
sys.exit(1 if wrong else 0)
