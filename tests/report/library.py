# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What takes long in a library is told with the lines of the program that call it, that one thread does all of the work, and who calls what.
Usage: library.py HEATSCOPE CC SOURCE WORK"""
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


def line_of(text):
    with open(SOURCE, encoding="utf-8") as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
library, program, to = (os.path.join(WORK, name) for name in ("libplans.so.3", "program", "run"))
run(CC, "-O2", "-shared", "-fPIC", "-DLIBRARY", "-o", library, SOURCE)
run(HEATSCOPE, "cc", "-O2", "-pthread", "-o", program, SOURCE, library)
run(HEATSCOPE, "run", "-q", "-F", "1000", "-o", to, program, "1000000")
findings = list(csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=finding", "--format=csv", "--top=0", to))))
told = {f["title"]: f for f in findings}
print("\n".join(f["text"] for f in findings))
found = told.get("Library", {"text": "", "share_pct": "0", "line": "0"})
# all of the loop is in the library, three quarters of it on the first line: 4 standard deviations of 400 samples
for part in ("Library libplans.so.3: ", "transform at library.c:%d, " % line_of("+= library_plan"), "(library_plan)", "transform at library.c:%d, " % line_of("+= library_run"), "(library_run)"):
    if part not in found["text"]:
        wrong.append(f"{part!r} is not told: {found['text']}")
if float(found["share_pct"]) < 90 or int(found["line"]) != line_of("+= library_plan"):
    wrong.append(f"share and place: {found}")
one = told.get("One thread", {"text": ""})
if "thread 1 has" not in one["text"] or "of 2 threads" not in one["text"]:
    wrong.append(f"one thread: {one['text']}")
# who calls it: the path to it, with what is below; nothing ends in library_plan of what it does not compute itself
text = run(HEATSCOPE, "report", "--by=context", "--where=transform", to)
if not re.search(r"Call paths to 'transform', by the time from there on\n.*\n +1 +[0-9.]+ +(9\d|100)\.\d ", text):
    wrong.append(text)
paths = list(csv.DictReader(io.StringIO(run(HEATSCOPE, "report", "--by=context", "--where=transform", "--format=csv", to))))
if not any(row["name"] == "library_plan" for row in paths):
    wrong.append(f"paths through transform: {[row['name'] for row in paths]}")
sys.exit("\n".join(wrong) or 0)
