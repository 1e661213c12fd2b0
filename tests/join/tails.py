#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tails.py HEATSCOPE COMPILER SOURCE WORK: who held a lock that was waited for, where it is given back by a jump at the end of a procedure, so that no
frame of the procedure is left: the table of waits and that of who was late name the procedure, and the line of the jump where it is the only one."""
import csv
import os
import shutil
import subprocess
import sys

heatscope, compiler, source, work = sys.argv[1:]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
failed = 0


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=250).stdout


def rows(by):
    return list(csv.DictReader(run(heatscope, "report", f"--by={by}", "--format=csv", "t.h5").splitlines()))


def that(good, what):
    global failed
    failed += not good
    if not good:
        print("wrong:", what)


with open(source, encoding="utf-8") as f:
    lines = {mark: n for n, line in enumerate(f, 1) for mark in ("once", "inner") if f"/* {mark} */" in line}
run(compiler, "-O2", "-g", "-pthread", source, "-o", "tails")
code = run("objdump", "-d", "--no-show-raw-insn", "tails")
that(sum("jmp" in line and "<pthread_mutex_unlock@plt>" in line for line in code.splitlines()) >= 4, "the compiler made no jumps of the calls")
run(heatscope, "run", "-q", "-o", "m", "./tails")
run(heatscope, "correlate", "-q", "-o", "t.h5", "m")
waits = [r for r in rows("wait") if r["kind"] == "mutex" and float(r["total_s"]) > 0.02]  # of 0.2 s: who waits may come late
that(sorted(r["held_in"] for r in waits) == ["holds_either", "holds_inner", "holds_last", "holds_once"], f"held in: {waits}")
late = {r["late_procedure"]: r for r in rows("delayed") if r["kind"] == "held a lock"}
that(sorted(late) == ["holds_either", "holds_inner", "holds_last", "holds_once"], f"held by: {late}")
for name, mark in (("holds_once", "once"), ("holds_inner", "inner")):
    that(int(late.get(name, {}).get("late_line") or 0) == lines[mark], f"{name}: line {lines[mark]}, got {late.get(name)}")
sys.exit(failed > 0)
