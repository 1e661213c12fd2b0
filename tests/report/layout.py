# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The finding on structures of which loops use few bytes: told with the two loops that do, of their lines, and with none of the others; without -g only
the one whose members are known. Usage: layout.py HEATSCOPE HEATSCOPE-CC SOURCE WORK"""
import csv
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CC, SOURCE, WORK = sys.argv[1:5]
wrong = []
lines = {m.group(1): i for i, text in enumerate(open(SOURCE), 1) for m in [re.search(r"/\* ([A-Z]+) \*/", text)] if m}
used = {lines["ONE"]: "of each 64 bytes of p[] it uses 8 (charge)", lines["TWO"]: "of each 64 bytes of p[] it uses 16 (mass and v)"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def that(good, what):
    if not good:
        wrong.append(what)


def by_line(m):
    return {int(r["line"]): float(r["inclusive_pct"] if "inclusive_pct" in r else r["pct"]) for r in
            csv.DictReader(run(HEATSCOPE, "report", "--by=line", "--format=csv", m).splitlines()) if r["file"].endswith("layout.c")}


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
for m, options in (("types", ["-g"]), ("none", [])):
    run(CC, "-O2", *options, "-o", m, SOURCE)
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", m + ".run", "./" + m)
    told = re.sub(r"\s+", " ", run(HEATSCOPE, "report", m + ".run"))
    finding = re.search(r" \d+\. (Layout: .*?) (?:\d+\. |Procedures)", told)
    finding = finding.group(1) if finding else ""
    at = re.search(r"layout\.c:(\d+)-(\d+) in", finding)
    shares = by_line(m + ".run")
    told_of = ["ONE", "TWO"] if m == "types" else ["TWO"]
    both = sum(shares.get(lines[x], 0) for x in told_of)
    share = re.search(r"s, ([0-9.]+) %", finding)
    that(share and abs(float(share.group(1)) - both) < 0.2, f"{m}: its share, where {told_of} have {both:.2f} %: {finding}")
    that((" 2 loops " if len(told_of) == 2 else " a loop ") in finding, f"{m}: of {told_of}: {finding}")
    hottest = max((lines[x] for x in told_of), key=lambda line: shares.get(line, 0))
    that(at and int(at.group(1)) <= hottest <= int(at.group(2)) and used[hottest] in finding, f"{m}: the hotter one is at line {hottest}, {used[hottest]}: {finding}")
sys.exit("\n".join(wrong) or 0)
