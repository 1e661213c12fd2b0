# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who is interrupted while he waits for an operand stands behind the instruction that waits: the time of a walk through memory that no cache holds
counts for what the walk reads, not for the eight numbers read after it. Usage: waited_reads.py HEATSCOPE SOURCE WORK"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, SOURCE, WORK = sys.argv[1:4]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def rows(by):
    return list(csv.DictReader(io.StringIO(run(HEATSCOPE, "report", f"--by={by}", "--format=csv", to))))


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
program, to = os.path.join(WORK, "waited_reads"), os.path.join(WORK, "run")
run(HEATSCOPE, "cc", "-O2", "-o", program, SOURCE)
run(HEATSCOPE, "run", "-q", "-F", "2000", "-o", to, program, "12000000")
wrong = []
arrays = {row["array"]: int(row["lines_periods"]) for row in rows("data")}
chain, few = arrays.get("chain", 0), arrays.get("few", 0)
print(f"by array: {arrays}")
# a miss takes some hundred cycles, all else of a step three or four: 0.95 and more; with 200 samples, a share of 0.7 is seventeen standard deviations below
if chain < 200 or chain < 0.7 * (chain + few):
    wrong.append(f"time by array: {arrays}")
references = [(row["array"], int(row["line_periods"])) for row in rows("reference")]
if [sum(periods for name, periods in references if name == array) for array in ("chain", "few")] != [chain, few]:
    wrong.append(f"time by reference: {references}")
hottest = [row["text"] for row in rows("finding") if row["title"] == "Hottest loop"]
if not hottest or not re.search(r"It mostly waits for a read: \d+ % of its own samples stand right behind that of chain\[at\], line \d+ ", hottest[0]):
    wrong.append(f"hottest loop: {hottest}")
text = run(HEATSCOPE, "report", "--by=line", to)
if not re.search(r"waited_reads\.c:(\d+) +sum \+= few.*\n +right behind reads of line (\d+), which it waits for\n", text):
    wrong.append(text)
# what instructions have stays where it was taken
whole = sum(int(row["exclusive_periods"]) for row in rows("line"))
if whole < chain + few:
    wrong.append(f"{chain} + {few} periods of {whole}")
sys.exit("\n".join(wrong) or 0)
