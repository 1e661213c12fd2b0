# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of a line that instances of a template share are each instance's own, and those in small procedures that are put in line are in the rows of the loop's
references that these make: sums are exact, but for samples of the loop's own line right behind a read, which are the read's. Usage: shared_lines.py HEATSCOPE SHARED_LINES.CPP WORK"""
import csv
import io
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, SOURCE, WORK = sys.argv[1:4]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def rows(by, *options):
    return [r for r in csv.DictReader(io.StringIO(run(HEATSCOPE, "report", f"--by={by}", "--top=0", "--format=csv", *options, "m"))) if r["file"].endswith("shared_lines.cpp")]


def line_of(word):
    return str(next(i for i, x in enumerate(open(SOURCE, encoding="utf-8"), 1) if x.rstrip().endswith(f"// {word}")))


def same(a, b):
    return abs(a - b) < 1e-6 + 1e-5 * b


def check(what, *options):
    lines = {r["line"]: float(r["exclusive_s"]) for r in rows("line", *options)}
    references, shared = rows("reference", *options), line_of("shared")
    of, most = {}, (lines[shared] + lines.get(str(int(shared) - 1), 0)) * 1.00001
    for r in references:
        if r["line"] == shared:
            of.setdefault(re.search(r"sum<(\w+)>", r["procedure"])[1], set()).add(float(r["line_s"]))
    if sorted(of) != ["double", "float"] or any(len(x) != 1 for x in of.values()):
        wrong.append(f"{what}: instances {of}")
    elif not lines[shared] * 0.99999 <= sum(min(x) for x in of.values()) <= most:
        wrong.append(f"{what}: instances {of} of {lines[shared]} s")
    # of each array what its instance has; the categories add up to that
    of_at = [r for r in rows("data", *options) if re.search(r"\bat\b", r["array"]) and "sum<" in r["procedure"]]
    if sum(float(r["lines_s"]) for r in of_at) > most:
        wrong.append(f"{what}: arrays {[(r['array'], r['procedure'], r['lines_s']) for r in of_at]} of {lines[shared]} s")
    for r in references:
        if not same(sum(float(v) for k, v in r.items() if re.fullmatch(r"line_\w+_s", k) and k not in ("line_low_s", "line_high_s")), float(r["line_s"])):
            wrong.append(f"{what}: categories of {r['text']}: {r}")
        if not same(float(r["mean_s"]), float(r["line_s"])): # of one thread
            wrong.append(f"{what}: over processors {r['mean_s']}, in all {r['line_s']}")
    put = {float(r["line_s"]) for r in references if r["line"] == line_of("call")}
    wanted = lines.get(line_of("body"), 0) + lines.get(line_of("call"), 0)
    if len(put) != 1 or not same(min(put), wanted):
        wrong.append(f"{what}: the call's references have {put} of {wanted} s")


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
run(HEATSCOPE, "c++", "-O2", "-g", "-o", "shared", SOURCE)
run(HEATSCOPE, "run", "-q", "--budget=off", "-F", "2000", "-o", "m", "./shared")
check("the run")
check("an interval", "--interval=20%:70%")
text = run(HEATSCOPE, "report", "--by=reference", "m")
if any(len(re.findall(rf"shared_lines.cpp:{line_of('shared')}  in sum<{name}>\n", text)) != 1 for name in ("double", "float")):
    wrong.append(f"as text: {text}")
if wrong:
    sys.exit("\n".join(wrong))
