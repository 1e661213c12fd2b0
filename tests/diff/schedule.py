# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff of two OpenMP schedules, the second in a renamed copy of the source: the compiler makes one loop more of the second, and the loop and the
lines are the same ones all the same; CPU time, waiting and imbalance stand in the head.
Usage: schedule.py HEATSCOPE HEATSCOPE-CC WORK. Of the loop's iterations the first half is nothing: with a static schedule one thread of two has all of the work."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CC, WORK = sys.argv[1:4]
SOURCE = """#include <stdio.h>
#ifndef SCHEDULE
#define SCHEDULE static
#endif
static double out[2000];
int main(void) {
    for (int repeat = 0; repeat < 4; repeat++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp for schedule(SCHEDULE) nowait
            for (int i = 0; i < 2000; i++) {
                double s = 0;
                for (int k = i < 1000 ? 0 : -40000; k < 0; k++) // INNER
                    s += 1.0 / (1.0 - k + s);
                out[i] = s;
            }
#pragma omp barrier
        }
    }
    printf("%g\\n", out[5]);
    return 0;
}
"""
wrong = []
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
os.chdir(WORK)


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command, **env):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, timeout=250)
    if done.returncode:
        sys.exit(f"{command}: exit code {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


def measured(name, *options):
    with open(name + ".c", "w", encoding="utf-8") as f:
        f.write(SOURCE)
    run(CC, "-O2", "-fopenmp", *options, name + ".c", "-o", name)
    run(HEATSCOPE, "run", "-q", "-o", name + ".m", "./" + name, OMP_WAIT_POLICY="passive")
    run(HEATSCOPE, "correlate", "-q", "-o", name + ".h5", name + ".m")
    return name + ".h5"


a, b = measured("even"), measured("uneven", "-DSCHEDULE=dynamic,20")
line = str(next(n for n, text in enumerate(SOURCE.split("\n"), 1) if "INNER" in text))
for by in ("loop", "line"):
    rows = list(csv.DictReader(io.StringIO(run(HEATSCOPE, "diff", f"--by={by}", "--format=csv", a, b))))
    if by == "loop":
        inner = [r for r in rows if line in (r["line_begin_a"], r["line_begin_b"])]
        that(len(inner) == 1 and inner[0]["line_begin_a"] == inner[0]["line_begin_b"] == line and float(inner[0]["a_s"]) > 0 and float(inner[0]["b_s"]) > 0,
             f"one loop of the source: {inner}")
    else:
        own = [r for r in rows if "even.c" in r["file_a"] + r["file_b"] and float(r["a_s"]) + float(r["b_s"]) > 0.05]
        that(own and all(r["file_a"].endswith("/even.c") and r["file_b"].endswith("/uneven.c") and r["line_begin_a"] == r["line_begin_b"] for r in own),
             f"a renamed source: {own}")
found, text = json.loads(run(HEATSCOPE, "diff", "--format=json", a, b)), run(HEATSCOPE, "diff", a, b)
waits = {w["kind"]: (w["a_s"], w["b_s"]) for w in found["waits"] if w["of"] == "waits"}
that("OpenMP barrier" in waits and waits["OpenMP barrier"][0] > 0.02, f"waits: {waits}")
head = " ".join(text.split("\n~ within")[0].split())
that(re.search(r"CPU time: [\d.]+ s -> [\d.]+ s, [-+][\d.]+ s \([-+][\d.]+ %\), by the kernel's clocks", head), f"head: {text}")
that("Waiting: " in head and "OpenMP barrier" in head, f"waiting: {text}")
balance = [1 / found["load_balance_a"], 1 / found["load_balance_b"]]
told = re.search(r"Imbalance: ([\d.]+)~? -> ([\d.]+)~?: computation", head)
that(told and all(abs(float(told[k + 1]) - balance[k]) < 0.006 for k in range(2)) and balance[0] > 1.5, f"imbalance {balance}: {text}")
that(all(len(x) <= 80 for x in text.splitlines()), f"longer than 80 columns: {text}")
if wrong:
    sys.exit("\n".join(wrong))
