# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that a library made for itself, as those of an MPI, are nobody that work could be spread over: even work of the others is no imbalance.
Usage: helpers.py HEATSCOPE HELPERS.C COMPILER WORK"""
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, SOURCE, COMPILER, WORK = sys.argv[1:5]
wrong = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
run(COMPILER, "-O1", "-DLIBRARY", "-shared", "-fPIC", "-o", "libprogress.so", SOURCE, "-pthread")
run(COMPILER, "-O1", "-g", "-o", "even", SOURCE, "-fopenmp", "-L.", "-lprogress", "-Wl,-rpath,$ORIGIN")
run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", "m", "./even")
row = re.search(r"^ +1 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +([0-9.]+)~? +even_work ", run(HEATSCOPE, "report", "--by=procedure", "m"), re.MULTILINE)
if not row or not 1 <= float(row.group(1)) < 1.5:
    wrong.append(f"even_work: expected a largest of some 1.0 times the mean of the two that run it, got {row}")
told = run(HEATSCOPE, "report", "--brief", "m")
if "Imbalance" in told:
    wrong.append(f"expected no imbalance, got {told}")
if "4 threads" not in told:
    wrong.append(f"expected four threads, got {told}")
sys.exit("\n".join(wrong) or 0)
