# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was compiled without optimisation is a finding, a file or a procedure of it alone, too; loops that wait are none of it.
Usage: unoptimised.py HEATSCOPE WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, WORK = sys.argv[1:]
SLOW = """void add(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}
void await(const volatile int *done) {
    while (!*done)
        ;
}
"""
MAIN = """#include <pthread.h>
void add(double *a, const double *b, int n);
void await(const volatile int *done);
static volatile int done;
static double a[4096], b[4096];
static void *wait(void *x) { await(&done); return x; }
#ifdef FORBIDDEN
__attribute__((optnone, noinline)) static void mine(double *p, const double *q, int n) { for (int i = 0; i < n; i++) p[i] += q[i]; }
#else
#define mine add
#endif
int main(int n, char **argv) {
    pthread_t t;
    if (n > 1)
        pthread_create(&t, 0, wait, 0);
    for (int i = 0; i < 40000; i++)
        mine(a, b, 4096);
    done = 1;
    if (n > 1)
        pthread_join(t, 0);
    return a[7] > 1;
}
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=WORK, check=False)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def finding(name, level, *flags, threads=()):
    run(HEATSCOPE, "cc", level, "-c", "slow.c")
    run(HEATSCOPE, "cc", "-O2", *flags, "-pthread", "main.c", "slow.o", "-o", name)
    run(HEATSCOPE, "run", "-q", "--budget=off", "-o", "m." + name, "./" + name, *threads)
    rows = csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=finding", "--format=csv", "m." + name)))
    return [r for r in rows if r["title"] == "Not optimised"]


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
for path, text in (("slow.c", SLOW), ("main.c", MAIN)):
    with open(os.path.join(WORK, path), "w", encoding="utf-8") as f:
        f.write(text)
got = finding("zero", "-O0")
if len(got) != 1 or got[0]["procedure"] != "add" or os.path.basename(got[0]["file"]) != "slow.c" or float(got[0]["share_pct"]) < 80 or "-O2" not in got[0]["text"]:
    sys.exit(f"a file: {got}")
if finding("two", "-O2"):
    sys.exit("all is optimised")
got = finding("forbidden", "-O2", "-DFORBIDDEN")
if len(got) != 1 or got[0]["procedure"] != "mine":
    sys.exit(f"a procedure: {got}")
if finding("waits", "-O0", "-DFORBIDDEN", threads=("2",))[0]["text"].find(" in 1 procedure ") < 0:
    sys.exit("a loop that waits gains nothing by optimisation")
