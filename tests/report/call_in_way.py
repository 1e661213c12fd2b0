# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of loops that the compiler gave up on for a call, which it does not name, the call in the loop is told; none that was put in line, and not the fork of a region at the line of its directive.
Usage: call_in_way.py HEATSCOPE HEATSCOPE-CC SOURCE WORK"""
import os
import shutil
import subprocess
import sys

HEATSCOPE, CC, SOURCE, WORK = sys.argv[1:5]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK, env={**os.environ, "HEATSCOPE": HEATSCOPE}).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
run(CC, "-O2", "-DAPART", "-c", "-o", "apart.o", SOURCE)
run(CC, "-O2", "-fopenmp", "-c", "-o", "loops.o", SOURCE)
run(CC, "-fopenmp", "-o", "program", "loops.o", "apart.o")
run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", "run", "./program", "5000")
text = " ".join(run(HEATSCOPE, "report", "--by=reason", "--top=0", "run").split())
for name, call in (("compute", "tally"), ("count", "number")):
    said = text[text.index(f" {name} call_in_way.c:"):][:400].split(" s %")[0]
    print(name, said)
    if f"(call of {call})" not in said or "mask" in said or "fork" in said:
        wrong.append(f"{name}: expected the call of {call}: {said}")
sys.exit("\n".join(wrong) or 0)
