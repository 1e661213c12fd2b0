# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time in machine code that is in no file is a finding; nothing is said of a program that makes none. Usage: generated.py HEATSCOPE CC SOURCE WORK"""
import csv
import os
import shutil
import subprocess
import sys

HEATSCOPE, CC, SOURCE, WORK = sys.argv[1:5]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
program = os.path.join(WORK, "program")
run(CC, "-O2", "-o", program, SOURCE)
for how, arguments in (("made", ()), ("own", ("own",))):
    to = os.path.join(WORK, how)
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", to, program, *arguments)
    found = [row for row in csv.DictReader(run(HEATSCOPE, "report", "--by=finding", "--format=csv", "--top=0", to).splitlines()) if row["title"] == "Generated code"]
    if len(found) != (how == "made") or any(float(row["share_pct"]) < 80 for row in found): # 0.4 s, of which the start is a hundredth
        wrong.append(f"{how}: {found}")
sys.exit("\n".join(wrong) or 0)
