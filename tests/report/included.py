# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Call paths through a file that a procedure includes in its middle: lines of it stand with its name, those of the procedure's own file without.
Usage: included.py HEATSCOPE HEATSCOPE-CC WORK"""
import csv
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CC, WORK = sys.argv[1:4]
SOURCES = {"part.h": "\nfor (int k = 0; k < 300000; k++) // line 2\n    work(k);\n",
           "program.c": """static double a[1000];
__attribute__((noinline)) static void work(int n) {
    for (int i = 0; i < 1000; i++)
        a[i] = a[i] * 0.5 + n;
}
int main(void) {
    for (int r = 0; r < 2; r++)
        work(r);
#include "part.h"
    return a[3] > 1e300;
}
"""}
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
for name, text in SOURCES.items():
    with open(os.path.join(WORK, name), "w", encoding="utf-8") as f:
        f.write(text)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


run(CC, "-O1", "-o", "program", "program.c")
run(HEATSCOPE, "run", "-q", "--budget=off", "-o", "m", "./program")
told = re.sub(r"\s+", " ", run(HEATSCOPE, "report", "--by=context", "m"))
wrong = []
if not re.search(r"main > for part\.h:2 > part\.h:3: work > for 3\b", told):
    wrong.append(f"text: {told}")
paths = [r["path"] for r in csv.DictReader(run(HEATSCOPE, "report", "--by=context", "--format=csv", "m").splitlines())]
if not any(p.endswith("main;for:part.h:2;work;for:3") for p in paths):
    wrong.append(f"paths: {paths}")
sys.exit("\n".join(wrong) or 0)
