#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ours.py HEATSCOPE COMPILER WORK: a loop of a library that has the name of one of ours stands in the report with its library for a place, not with a
line as those of the program; a loop of another library has its line."""
import os
import shutil
import subprocess
import sys

heatscope, compiler, work = sys.argv[1:]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=250).stdout


for name, library in (("ours", "libheatscope-made-up.so"), ("theirs", "libmade-up.so")):
    with open(f"{name}.c", "w", encoding="utf-8") as f:
        f.write(f"volatile double {name}_sink;\nvoid spins_{name}(long n) {{\n    for (long i = 0; i < n; i++)\n        {name}_sink = {name}_sink * 1.0000001 + i;\n}}\n")
    run(compiler, "-O2", "-g", "-shared", "-fPIC", f"{name}.c", "-o", library)
with open("main.c", "w", encoding="utf-8") as f:
    f.write("void spins_ours(long);\nvoid spins_theirs(long);\nint main(void) {\n    spins_ours(100000000);\n    spins_theirs(100000000);\n    return 0;\n}\n")
run(compiler, "-O2", "-g", "main.c", "-o", "main", "./libheatscope-made-up.so", "./libmade-up.so")
run(heatscope, "run", "-q", "-o", "m", "./main")
run(heatscope, "correlate", "-q", "-o", "o.h5", "m")
failed = 0
for by in ("loop", "procedure"):
    text = run(heatscope, "report", f"--by={by}", "o.h5")
    rows = {name: [line for line in text.splitlines() if f" spins_{name} " in line] for name in ("ours", "theirs")}
    if len(rows["ours"]) != 1 or "ours.c" in rows["ours"][0] or not rows["ours"][0].endswith(".so]") or len(rows["theirs"]) != 1 or "theirs.c:" not in rows["theirs"][0]:
        print(f"by {by}: {rows}")
        failed += 1
sys.exit(failed > 0)
