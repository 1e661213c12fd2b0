# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tree of calls parts: the last procedure that most of the time passes through, and what it calls, whichever line or library that is by.
Usage: call_tree.py HEATSCOPE CC SOURCE WORK"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CC, SOURCE, WORK = sys.argv[1:5]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def rows(by, to):
    return list(csv.DictReader(io.StringIO(run(HEATSCOPE, "report", f"--by={by}", "--format=csv", "--top=0", to))))


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
program, to = (os.path.join(WORK, name) for name in ("program", "run"))
run(CC, "-O2", "-o", program, SOURCE)
run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", to, program, "60")
found = next((f for f in rows("finding", to) if f["title"] == "Call tree"), {"text": "", "share_pct": "0"})
print(found["text"])
# each of these is called from nowhere else, so that its inclusive share of the run is the one below `step`
share = {row["procedure"]: float(row["inclusive_pct"]) for row in rows("procedure", to) if row["inclusive_pct"]}
told = dict((name, float(value)) for name, value in re.findall(r"(\w+) ([\d.]+) %", found["text"].split("which calls")[-1]))
if not re.search(r" passes through step \(\S*call_tree\.c:\d+-\d+\), which calls heavy ", found["text"]):
    wrong.append(f"place: {found['text']!r}")
for name in ("heavy", "light", "order"):
    if abs(told.get(name, -1) - share.get(name, -2)) > 0.11:
        wrong.append(f"{name}: told {told.get(name)}, inclusive {share.get(name)}")
if abs(float(found["share_pct"]) - share.get("step", 0)) > 0.11:
    wrong.append(f"step: told {found['share_pct']}, inclusive {share.get('step')}")
sys.exit("\n".join(wrong) or 0)
