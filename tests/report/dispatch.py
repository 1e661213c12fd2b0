# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop that is handed out one iteration at a time: the runtime's share is told as what it is for, and what the runtime writes and allocates meanwhile is its own; of a static schedule
nothing is said. By both runtimes of OpenMP. Usage: dispatch.py HEATSCOPE HEATSCOPE-CC COMPILER SOURCE WORK (COMPILER: one with a runtime of its own, as gcc)"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, HEATSCOPE_CC, COMPILER, SOURCE, WORK = sys.argv[1:6]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK, env={**os.environ, "HEATSCOPE": HEATSCOPE, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
for name, compiler in (("mapped", HEATSCOPE_CC), ("plain", COMPILER)):
    run(compiler, "-O2", "-fopenmp", "-o", name, SOURCE)
    for schedule, told in (("dynamic", True), ("static", False)):
        to = f"{name}.{schedule}"
        run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", to, "./" + name, schedule, "5")
        text = " ".join(run(HEATSCOPE, "report", to).split("\n\nProcedures")[0].split())
        if ("is for handing out iterations of loops with schedule(dynamic)" in text) != told:
            wrong.append(f"{to}: expected {told}:\n{text}")
        if "Memory management" in text or "Input and output" in text:
            wrong.append(f"{to}: what the runtime does is the program's:\n{text}")
        rows = {r["category"]: float(r["inclusive_pct"] if "inclusive_pct" in r else r["pct"]) for r in csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=category", "--format=csv", to)))}
        print(to, rows)
        # the dynamic linker and the start are some hundredths of a second of half a second
        if rows.get("input and output", 0) + rows.get("memory management", 0) > 5:
            wrong.append(f"{to}: {rows}")
sys.exit("\n".join(wrong) or 0)
