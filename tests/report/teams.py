# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code in a parallel region is compared over the threads of the region's team, also those that have nothing to do there, whatever other threads there are or were;
waiting in OpenMP's runtime is none of the program's procedures. Compiled with the pass, and without.
Usage: teams.py HEATSCOPE HEATSCOPE-CC COMPILER TEAMS.C WORK"""
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, HEATSCOPE_CC, COMPILER, SOURCE, WORK = sys.argv[1:6]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK, env={**os.environ, "HEATSCOPE": HEATSCOPE}).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)


def measure(name, *compiler):
    """What stands out of the program, as one line."""
    run(*compiler, "-O2", "-g", "-fopenmp", "-o", name, SOURCE, "-pthread")
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", name + ".data", "./" + name)
    return " ".join(run(HEATSCOPE, "report", name + ".data").split("What stands out")[1].split("\n\n")[0].split())


for name, compiler in (("mapped", HEATSCOPE_CC), ("plain", COMPILER)):
    told = measure(name, compiler)
    table = run(HEATSCOPE, "report", "--by=procedure", name + ".data")
    # some 180 and 540 samples: the ratio is known to 5 %; other load takes samples away from all
    for of, ratio, team in (("uneven", 1.5, "the mean of the 2 threads that run it"), ("lazy", 2.25, "the mean of the 3 threads in its parallel regions")):
        row = re.search(rf"^ +\d+ .* ([0-9.]+)[ ~] +{of}\S* ", table, re.MULTILINE)
        if not row or abs(float(row[1]) / ratio - 1) > 0.15:
            wrong.append(f"{name}: expected m/m {ratio} of {of}:\n{table}")
        said = re.search(rf"Imbalance: {of}(?:\S*| \[omp region\]) \([^)]*\) takes ([0-9.]+) times the mean .*?; {team} is .*?(?= \d+\. |$)", told)
        if not said or abs(float(said[1]) / ratio - 1) > 0.15 or "of the program that it calls" in said[0]:
            wrong.append(f"{name}: expected {of} at {ratio} times the mean, of '{team}', with nothing that it calls:\n{told}")
# a procedure that regions of several sizes call, and threads outside of them: of the region that has most to win
line = 1 + next(i for i, text in enumerate(open(SOURCE)) if "num_threads(3)" in text)
told = measure("shared", HEATSCOPE_CC, "-DSHARED")
said = re.search(rf"Imbalance: work \([^)]*; in the parallel region at [^)]*teams.c:{line}-\d+\) takes ([0-9.]+) times the mean .*?; the mean of the 3 threads in its parallel regions", told)
if not said or abs(float(said[1]) / 2.25 - 1) > 0.15:
    wrong.append(f"shared: expected work at 2.25 times the mean in the region at line {line}:\n{told}")
sys.exit("\n".join(wrong) or 0)
