# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads of the C++ library are told by the routine that they were given: in waits for their end, and in call paths, which begin there. Tables for
other programs keep all frames. Usage: threads.py HEATSCOPE THREADS.CPP COMPILER WORK"""
import csv
import io
import os
import shutil
import subprocess
import sys

HEATSCOPE, SOURCE, COMPILER, WORK = sys.argv[1:5]
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def report(by, *options):
    return run(HEATSCOPE, "report", f"--by={by}", *options, "m")


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
run(COMPILER, "-O1", "-g", "-o", "threads", SOURCE, "-pthread")
run(HEATSCOPE, "run", "-q", "-F", "1000", "-o", "m", "./threads")

joins = [r for r in csv.DictReader(io.StringIO(report("wait", "--format=csv"))) if r["kind"] == "end of a thread"]
of = {r["held_in"].partition("(")[0] for r in joins}
that("coarsen" in of and of <= {"refine", "coarsen"}, f"threads that are waited for: {of}")
that("for the end of coarsen" in report("wait"), report("wait"))

text = report("context", "--top=2")  # further down there may be a sample of the thread's start itself
that("  refine" in text and "  coarsen" in text, f"where paths begin:\n{text}")
for glue in ("start_thread", "clone3", "_M_run", "__invoke", "libstdc++"):
    that(glue not in text, f"{glue} in the text:\n{text}")
table = report("context", "--format=csv")
that("_M_run" in table and "coarsen" in table, f"frames are missing in CSV:\n{table}")
if wrong:
    sys.exit("\n".join(wrong))
