# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that shuts itself off from files is measured to its end, and the run's last line tells what it has. 77 (skipped): the kernel has no Landlock.
Usage: shut_off.py HEATSCOPE CC SOURCE WORK"""
import csv
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CC, SOURCE, WORK = sys.argv[1:5]
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
program, to = os.path.join(WORK, "program"), os.path.join(WORK, "run")
subprocess.run([CC, "-O1", "-o", program, SOURCE], check=True)
if subprocess.run([program]).returncode == 77:
    sys.exit(77)
done = subprocess.run([HEATSCOPE, "run", "-F", "1000", "--budget=off", "-o", to, program], capture_output=True, text=True, check=True)
said = re.search(r"wrote .*\((\d+) samples of ([\d.]+) s of CPU time in this process, which can't read its files any more", done.stderr)
rows = list(csv.DictReader(subprocess.run([HEATSCOPE, "report", "--by=processor", "--format=csv", to], capture_output=True, text=True, check=True).stdout.splitlines()))
print(done.stderr, rows)
sys.exit(0 if said and int(said[1]) > 100 and float(said[2]) >= 0.49 and len(rows) == 1 else f"{done.stderr}{rows}")
