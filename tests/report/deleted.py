# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A copy of a loop that the compiler deleted (made for when the loop inside it has no iterations) says nothing of the one that runs: report and diff do not
tell of it, and `map -r` says that it is of one copy.
Usage: deleted.py HEATSCOPE WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, WORK = sys.argv[1:3]
SOURCE = """#include <stdlib.h>
__attribute__((noinline)) void add(double *restrict d, const double *restrict w, const double *f, int rows, int n) {
    for (int k = 0; k < rows; k++) { // OUTER
        const double *restrict row = w + k * n;
        const double factor = f[k] / (1 + f[k] * f[k]) / (2 + f[k]); // time of its own, for the inner loop alone
        for (int j = 0; j < n; j++)
            d[j] += factor * row[j];
    }
}
int main(void) {
    enum { ROWS = 200000 };
    double *w = calloc(ROWS * 2, sizeof *w), *f = calloc(ROWS, sizeof *f), d[2] = {0};
    for (int t = 0; t < 800; t++)
        add(d, w, f, ROWS, 1 + t % 2);
    return d[0] > 0;
}
"""
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command):
    done = subprocess.run([HEATSCOPE, *command], capture_output=True, text=True, cwd=WORK, check=False)
    that(done.returncode == 0, f"{command}: {done}")
    return done.stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
with open(os.path.join(WORK, "program.c"), "w", encoding="utf-8") as f:
    f.write(SOURCE)
line = str(next(n for n, text in enumerate(SOURCE.splitlines(), 1) if "OUTER" in text))
run("cc", "-O3", "-o", "program", "program.c")
run("run", "-q", "--budget=off", "-o", "m", "./program")
run("correlate", "m")
told = [x.strip() for x in run("map", "-r", "program").splitlines() if "Loop deleted" in x and x.strip().startswith(line + ":")]
that(told and all(": of one copy: Loop deleted" in x for x in told), f"map -r: {told}")
rows = [r for r in csv.DictReader(io.StringIO(run("report", "--by=loop", "-f", "csv", "m"))) if r["line_begin"] == line]
that(len(rows) == 1 and float(rows[0]["exclusive_s"]) > 0, f"the outer loop runs: {rows}")
that(not any("Loop deleted" in v for r in rows for v in r.values()), f"report: {rows}")
rows = [r for r in csv.DictReader(io.StringIO(run("diff", "--by=loop", "-f", "csv", "m", "m"))) if r["line_begin_a"] == line]
that(len(rows) == 1 and "Loop deleted" not in rows[0]["remark_a"] + rows[0]["remark_b"], f"diff: {rows}")
for w in wrong:
    print("FAILED", w)
sys.exit(1 if wrong else 0)
