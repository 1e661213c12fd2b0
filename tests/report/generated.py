# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time in machine code that is in no file is a finding; nothing is said of a program that makes none. Where the program tells of it as perf wants it, it has names, and lines
from a jitdump, also once these files are gone, and call paths lead through it. Usage: generated.py HEATSCOPE CC SOURCE WORK"""
import csv
import glob
import os
import shutil
import subprocess
import sys

HEATSCOPE, CC, SOURCE, WORK = sys.argv[1:5]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def rows(what, to):
    return list(csv.DictReader(run(HEATSCOPE, "report", f"--by={what}", "--format=csv", "--top=0", to).splitlines()))


def measure(how):
    to = os.path.join(WORK, how)
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", to, program, how)
    for pid in [name.split(".")[-2] for name in os.listdir(to) if name.endswith(".hsr")]:
        for path in (f"/tmp/perf-{pid}.map", os.path.join(WORK, f"jit-{pid}.dump")):
            if os.path.exists(path):
                os.remove(path)
    findings = rows("finding", to)
    if any(row["title"] == "Library" for row in findings):
        wrong.append(f"{how}: as a library: {findings}")
    return to, [row for row in findings if row["title"] == "Generated code"]


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
program = os.path.join(WORK, "program")
run(CC, "-O2", "-g", "-o", program, SOURCE)
for how in ("made", "own", "map", "dump"):
    to, found = measure(how)
    if len(found) != (how != "own") or any(float(row["share_pct"]) < 80 for row in found): # 0.4 s, of which the start is a hundredth
        wrong.append(f"{how}: {found}")
    named = {"map": "Most: JS:*made_down (src/made.js:3)", "dump": "Most: made_down", "made": "It has no names here; its maker can tell them (a perf map"}.get(how, "")
    if any(named not in row["text"] for row in found):
        wrong.append(f"{how}: no {named!r}: {found}")
    if how == "made":
        continue
    if how == "dump":
        lines = [row for row in rows("line", to) if row["file"] == "/src/made.x"]
        if not lines or any(row["line"] != "8" for row in lines[:1]):
            wrong.append(f"{how}: lines {lines}")
    if how != "own" and not glob.glob(os.path.join(to, ".generated", "*")):
        wrong.append(f"{how}: nothing is kept")
to, _ = measure("through")
inside = [row for row in rows("procedure", to) if row["procedure"] == "JS:*made_down" and float(row["inclusive_pct"]) > 80]
outer = [row for row in rows("procedure", to) if row["procedure"] == "main" and float(row["inclusive_pct"]) > 80]
if not inside or not outer:
    wrong.append(f"through: {inside} {outer}")
to, found = measure("forked")
if not found or "Most: JS:*made_down" not in found[0]["text"]:
    wrong.append(f"forked: {found}")
sys.exit("\n".join(wrong) or 0)
