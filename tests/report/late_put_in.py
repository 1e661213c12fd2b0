# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causes of waiting whose time is in small procedures that were put in line name the loop that these are in, or the body of a library's loop; never the accessor.
Usage: late_put_in.py HEATSCOPE LATE_PUT_IN.CPP WORK"""
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, SOURCE, WORK = sys.argv[1:4]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def line_of(word):
    return next(i for i, x in enumerate(open(SOURCE, encoding="utf-8"), 1) if f"// {word}" in x)


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
wrong = []
for debug in ((), ("-g",)):
    run(HEATSCOPE, "c++", "-O2", *debug, "-pthread", "-o", "late", SOURCE)
    run(HEATSCOPE, "run", "-q", "--budget=off", "-o", "m" + "".join(debug), "./late")
    text = run(HEATSCOPE, "report", "--by=cause", "m" + "".join(debug))
    # seconds, and what the late one did: of both threads the row with most, where it ran
    rows = [(float(m[1]), m[2]) for m in re.finditer(r"^ +(\S+) +\d+ +\d+  held a lock +thread \d\S* (?:\S+\(\) )?(?!.*not )(.*)$", text, re.M)]
    told = " | ".join(what for _, what in sorted(rows, reverse=True)[:2])
    loop, body = line_of("loop"), line_of("body")
    if f"loop late_put_in.cpp:{loop} in " not in told or not any(re.search(rf"r\(\) late_put_in.cpp:{i}(?!\d)", told) for i in range(body, body + 5)):
        wrong.append(f"{debug}: neither the loop at {loop} nor the body at {body}:\n{text}")
    if any(re.match(r"(next|\S+ late_put_in.cpp:%d$)" % line_of("accessor"), what) for _, what in rows):
        wrong.append(f"{debug}: an accessor is told:\n{text}")
if wrong:
    sys.exit("\n".join(wrong))
