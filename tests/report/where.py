# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--where takes FILE:LINE, as `annotate` does: that line, and the loops and the procedure round it; a line that nothing is at is an error. Collapsed stacks
have each path once, also where loops are left out and where a procedure is called from several lines.
Usage: where.py HEATSCOPE WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, WORK = sys.argv[1:3]
SOURCE = """#include <stdio.h>
static double a[3000];
__attribute__((noinline)) static void chain(double x) {
    for (int t = 0; t < 40; t++) // OUTER
        for (int i = 1; i < 3000; i++) // INNER
            a[i] = a[i - 1] * x + 1 / (2 + a[i]); // BODY
}
int main(void) {
    for (int r = 0; r < 200; r++) { // CALLS
        chain(0.5);
        for (int k = 0; k < 2; k++)
            chain(0.25);
    }
    printf("%g\\n", a[7]);
}
"""
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command, code=0):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, cwd=WORK, check=False)
    that(done.returncode == code, f"{command}: {done}")
    return done.stdout if not code else done.stderr


def rows(by, where):
    return list(csv.DictReader(io.StringIO(run("report", f"--by={by}", f"--where={where}", "-f", "csv", "m"))))


def line_of(words):
    return next(n for n, text in enumerate(SOURCE.splitlines(), 1) if "// " + words in text)


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
with open(os.path.join(WORK, "program.c"), "w", encoding="utf-8") as f:
    f.write(SOURCE)
run("cc", "-O1", "-o", "program", "program.c")
run("run", "-q", "--budget=off", "-o", "m", "./program")
run("correlate", "m")
at = f"program.c:{line_of('BODY')}"
got = rows("line", at)
that([r["line"] for r in got] == [str(line_of("BODY"))], f"the line alone: {got}")
got = {int(r["line_begin"]) for r in rows("loop", at)}
that(got and got <= {line_of("OUTER"), line_of("INNER")}, f"loops round the line: {got}")
that({r["procedure"] for r in rows("procedure", at)} == {"chain"}, "the procedure round the line")
said = run("report", "--where=program.c:999", "m", code=1)
that("--where" in said and said.count("\n") == 1, f"a line that is not there: {said}")
for loops in ((), ("--no-loops",)):
    paths = [x.rsplit(" ", 1) for x in run("export", "--to=collapsed", *loops, "-o", "-", "m").splitlines()]
    that(len({p[0] for p in paths}) == len(paths), f"one path twice {loops}: {paths}")
    that(sum(float(p[1]) for p in paths if p[0].split(";")[-1].startswith("chain") or "chain" in p[0]) > 0, f"{loops}: {paths}")
for w in wrong:
    print("FAILED", w)
sys.exit(1 if wrong else 0)
