# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Beside a loop that others had to wait for stands what the compiler made of it: in the finding, the table and its rows. Usage: late.py HEATSCOPE LATE.C WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, SOURCE, WORK = sys.argv[1:4]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def rows(by):
    return list(csv.DictReader(io.StringIO(run(HEATSCOPE, "report", f"--by={by}", "--format=csv", "m"))))


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
run(HEATSCOPE, "cc", "-O2", "-o", "late", SOURCE, "-pthread")
run(HEATSCOPE, "run", "-q", "--budget=off", "-o", "m", "./late")
line = next(i for i, x in enumerate(open(SOURCE, encoding="utf-8"), 1) if "/* carried */" in x)
wrong = []
loop = next(r for r in rows("loop") if int(r["line_begin"]) == line)
said = f"{loop['versions']}; {loop['remark'].splitlines()[0]}"
causes = rows("cause")
mine = [r for r in causes if int(r["loop_line"]) == line]
if not (loop["versions"] and "not vectorized" in loop["remark"]):
    wrong.append(f"the loop itself: {loop}")
if not mine or any(not r["compiled"].startswith(loop["versions"] + "; loop not vectorized") or not said.startswith(r["compiled"][:60]) for r in mine):
    wrong.append(f"rows of causes, for '{said}': {mine}")
if any(r["compiled"] for r in causes if r["waited"] or r["running"] == "no" or r["known"] == "no"):
    wrong.append(f"what is no loop that ran: {causes}")
words = "compiler: " + loop["versions"] + "; loop not vectorized"
for text in (run(HEATSCOPE, "report", "--by=cause", "m"), run(HEATSCOPE, "report", "m").partition("\nProcedures")[0]):
    if words not in " ".join(text.split()):
        wrong.append(f"'{words}' is not in:\n{text}")
if wrong:
    sys.exit("\n".join(wrong))
