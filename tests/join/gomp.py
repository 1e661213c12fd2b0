#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gomp.py HEATSCOPE GCC SOURCE WORK: what threads do in GCC's OpenMP runtime, a library that has no symbols but those it exports.

The program knows by its threads' own clocks of CPU time how much of it was work; the rest of the process's is waiting in the runtime, but for its start
and end. Waiting threads spin (where they have a processor each; else they sleep, and there is little to tell). Waits are not
timed: it is the names on call paths that tell (runtime.gomp_causes has what wrappers tell). Bound for each category: 5 standard
deviations of a sum of n samples that are taken or not, sqrt(n) at most, and 5 % of all for what measuring adds to either."""
import csv
import os
import shutil
import subprocess
import sys

heatscope, gcc, source, work = sys.argv[1:]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
ENDS_S = 0.05  # of a process: dynamic linker, threads made, both ends of measuring
LOOP = 0.3  # at most, of what is told as memory's management: the loop round the calls
RATE = 4000
failed = 0


def run(*command, **variables):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **variables}, timeout=250).stdout


def measured(what, **variables):
    """What the program prints; seconds by category."""
    shutil.rmtree("m", ignore_errors=True)
    printed = map(float, run(heatscope, "run", "-q", "-F", str(RATE), "-o", "m", "./gomp", what, **variables).split())
    run(heatscope, "correlate", "-q", "-o", what + ".h5", "m")
    rows = csv.DictReader(run(heatscope, "report", "--by=category", "--format=csv", what + ".h5").splitlines())
    return (*printed, {row["category"]: float(row["inclusive_s"]) for row in rows})


run(gcc, "-O2", "-g", "-fopenmp", source, "-o", "gomp")
for what in ("barrier", "end", "critical", "memory"):
    worked, managed, everything, told = measured(what, OMP_WAIT_POLICY="active", HEATSCOPE_WAITS="0")
    said = " ".join(run(heatscope, "report", "--by=wait", what + ".h5").split())
    if what == "barrier" and "none timed sampled only:" not in said:  # half of the time is waiting
        print(f"{what}: waiting is sampled, and the table of waits does not say so: {said[-300:]}")
        failed += 1
    chance = 5 * (everything / RATE) ** 0.5
    waited = max(0, everything - worked - managed)
    slack = chance + 0.05 * everything
    for category, least, most in (("computation", worked, worked + LOOP * managed), ("memory management", (1 - LOOP) * managed, managed),
                                  ("waiting", waited - ENDS_S, waited)):
        has = told.get(category, 0)
        if not least - slack <= has <= most + slack:
            print(f"{what}: {category}: {has:.3f} s, by the program's clocks {least:.3f} to {most:.3f} s of {everything:.3f} s, "
                  f"bound {slack:.3f} s; {told}")
            failed += 1
# gcc says of the body of a region neither a name for people nor where it is
with open(source, encoding="utf-8") as f:
    text = f.read().splitlines()
rows = [row for row in csv.DictReader(run(heatscope, "report", "--by=procedure", "--format=csv", "end.h5").splitlines()) if "omp" in row["procedure"] and row["module"].endswith("gomp")]
if not rows or any(row["procedure"] != "main [omp region]" or os.path.basename(row["file"]) != "gomp.c" or
                   not any("omp parallel" in line for line in text[max(0, int(row["line_begin"]) - 3):int(row["line_begin"])]) for row in rows):
    print(f"regions: {rows}")
    failed += 1
# In a team of one nobody waits: its barriers are overhead, and the runtime without timed waits is none that keeps them to itself. A thread that is not
# OpenMP's spins meanwhile.
spun, _, everything, told = measured("alone")
slack = 5 * (everything / RATE) ** 0.5 + 0.05 * everything
if told.get("waiting", 0) > spun + slack:
    print(f"alone: waiting {told['waiting']:.3f} s, by the clock of the thread that spins {spun:.3f} s, bound {slack:.3f} s; {told}")
    failed += 1
rows = [row for row in csv.DictReader(run(heatscope, "report", "--by=wait", "--format=csv", "alone.h5").splitlines()) if "OpenMP" in row["kind"]]
said = " ".join(run(heatscope, "report", "alone.h5").split())
if rows or "sampled only" in said or "libgomp, was timed" in said or "spin" not in said:
    print(f"alone: OpenMP's waits are told: {rows} {said}")
    failed += 1
sys.exit(failed > 0)
