# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refused loops of which some were put into others share code: rows by reason have it each, sums once. Usage: put_in_loops.py HEATSCOPE SOURCE WORK"""
import csv
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, SOURCE, WORK = sys.argv[1:4]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def rows(by):
    return list(csv.DictReader(run(HEATSCOPE, "report", "--by=" + by, "--format=csv", "--top=0", "m").splitlines()))


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
run(HEATSCOPE, "cc", "-O3", "-g", SOURCE, "-o", "program")
run(HEATSCOPE, "run", "-q", "--budget=off", "-o", "m", "./program")
refused = {int(r["line_begin"]): float(r["exclusive_pct"]) for r in rows("reason")}
versions = {int(r["line_begin"]): float(r["exclusive_s"]) for r in rows("version")}
loops = {int(r["line_begin"]): r for r in rows("loop")}
around = next(i for i, text in enumerate(open(SOURCE, encoding="utf-8"), 1) if "/* ROUND */" in text)
if around not in refused or not versions[around] > float(loops[around]["exclusive_s"]):
    wrong.append(f"no test of it: {refused}, {versions}, {loops.get(around)}")
told = [r for r in rows("finding") if r["title"] == "Not vectorised"]
if len(told) != 1:
    sys.exit(f"findings: {told}")
share, high = float(told[0]["share_pct"]), float(told[0]["share_pct_high"])
print(f"by reason {sum(refused.values()):.1f} %, in all {share:.1f} %")
# what one loop has in all its generated code and the others have on their own lines is shared: the sum is less by that
if not share <= high + 1e-6 or not share < sum(refused.values()) - 0.5 or not share <= sum(float(loops[line]["exclusive_pct"]) for line in loops) + 1e-6:
    wrong.append(f"{share} % (to {high}) of rows {refused}")
text = run(HEATSCOPE, "report", "m")
sums = [float(x) for x in re.findall(r"(\d+\.\d) %\s+\(", re.search(r"Vectorisation refused, of all time: ((?:.|\n)*?)\n\n", text)[1])]
if not sums or sum(sums) > 100.05 + 0.05 * len(sums):
    wrong.append(f"sums by reason: {sums}")
sys.exit("\n".join(wrong) if wrong else 0)
