# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps through arrays of assumed shape: told by the dimension, not as bytes of a name that no source has; no large steps, as nobody knows. Usage: shapes.py HEATSCOPE HEATSCOPE-FC SOURCE WORK"""
import csv
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, FC, SOURCE, WORK = sys.argv[1:5]
wrong = []
with open(SOURCE, encoding="utf-8") as f:
    line = {m[1]: str(i) for i, text in enumerate(f, 1) for m in [re.search(r"! ([A-Z]+)$", text.rstrip())] if m}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def that(good, what):
    if not good:
        wrong.append(what)


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
run(FC, "-O2", "-g", SOURCE, "-o", "shapes")
for arguments in ((), ("diagonal",)):
    run(HEATSCOPE, "run", "-q", "-F", "2000", "--budget=off", "-o", f"m{len(arguments)}", "./shapes", *arguments)
advice = {r["line_begin"]: r["advice"] for r in csv.DictReader(run(HEATSCOPE, "report", "--by=reason", "--format=csv", "--top=0", "m0").splitlines())}
LETS = "-ffast-math {} it, where the order of operations does not matter to the result; "
that(advice.get(line["FIRST"], "").startswith(LETS.format("lets")) and "steps" not in advice[line["FIRST"]], f"mostly the next in memory: {advice}")
that(advice.get(line["SECOND"]) == LETS.format("may let") + "where its steps through memory are large vector code may stay unused, or gain little", f"not known: {advice}")
run(FC, "-O2", "-g", "-ffast-math", SOURCE, "-o", "fast")
listing = run(HEATSCOPE, "map", "fast")
for word in ("FIRST", "SECOND"):  # and so it is
    that(re.search(rf"^ *{line[word]}\S* +do: .*vector", listing, re.M), f"{word} -ffast-math: {listing}")
for database, loop, step in (("m0", "FIRST", ""), ("m0", "SECOND", " There c(1, i), c(2, i) go along dimension 2 of c from one iteration to the next, by bytes that only the run knows."),
                             ("m1", "SEVERAL", " There c(1, i, i) goes along more than one dimension from one iteration to the next, by bytes that only the run knows.")):
    found = re.sub(r"\s+", " ", run(HEATSCOPE, "report", "--by=finding", database))
    hottest = re.search(r"The hottest loop takes .*?(?= \d+\. [A-Z])", found)
    that("stride(" not in found and hottest and ("shapes.f90:" + line[loop] + "-" not in hottest[0] or (step in hottest[0] and (step or "There" not in hottest[0]))), f"{loop}: {found}")
sys.exit("\n".join(wrong) if wrong else 0)
