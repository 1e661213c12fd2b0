# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands out of an interpreter without debug information: what it runs, not the loop that calls it; and shares of waiting are of the time of all threads that wait,
those without a sample, too. Usage: interpreter.py HEATSCOPE INTERPRETER.C COMPILER WORK"""
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, SOURCE, COMPILER, WORK = sys.argv[1:5]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
run(COMPILER, "-O2", "-g0", "-o", "interpreter", SOURCE, "-pthread")
for _ in range(5):  # on a crowded machine the waits may be too little beside standing in line to be told
    shutil.rmtree(os.path.join(WORK, "m"), ignore_errors=True)
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", "m", "./interpreter")
    told = " ".join(run(HEATSCOPE, "report", "--brief", "m").split())
    if "% of the elapsed time of the" in told:
        break
if "The hottest loop" in told or "The hottest procedure takes" not in told or "interpreter_add" not in told.partition("The hottest procedure takes")[2][:120]:
    wrong.append(f"expected interpreter_add as the hottest, got: {told}")
shares = [(float(s), int(n)) for s, n in re.findall(r"([0-9.]+) % of the elapsed time of the (\d+) threads that run the program's code", told)]
if not shares or any(s > 100 or n != 7 for s, n in shares):
    wrong.append(f"shares of waiting: expected some of 7 threads, none above 100 %, got {shares}: {told}")
if "interpreter_runs" not in run(HEATSCOPE, "report", "--by=loop", "m"):
    wrong.append("the loop that calls is in the table of loops")
sys.exit("\n".join(wrong) or 0)
