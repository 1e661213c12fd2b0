#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""headers.py HEATSCOPE COMPILER SOURCE CONDITIONS WORK (CONDITIONS: for the pass; empty: there is none): waits for locks of C++'s library, whose
code stands in headers of the system, are told at the program's own
lines, and so are those who held them; and so is waiting as a metric, also of what waits in the library itself (joining a thread)."""
import csv
import os
import shutil
import subprocess
import sys

heatscope, compiler, source, conditions, work = sys.argv[1:]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
failed = 0


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=250).stdout


def rows(by, *options):
    return list(csv.DictReader(run(heatscope, "report", f"--by={by}", "--format=csv", *options, "t.h5").splitlines()))


def that(good, what):
    global failed
    failed += not good
    if not good:
        print("wrong:", what)


with open(source, encoding="utf-8") as f:
    lines = {mark: n for n, line in enumerate(f, 1) for mark in ("first", "second") if f"/* {mark} */" in line}
run(compiler, "-O2", "-g", "-pthread", source, "-o", "headers")
run(heatscope, "run", "-q", "-o", "m", "./headers")
run(heatscope, "correlate", "-q", "-o", "t.h5", "m")
waits = {int(r["line"] or 0): r for r in rows("wait") if r["kind"] == "mutex" and float(r["total_s"]) > 0.02}  # of 0.2 s: who waits may come late
that(sorted(waits) == sorted(lines.values()), f"waits at {lines}, got {waits}")
late = {r["late_procedure"]: r for r in rows("delayed") if r["kind"] == "held a lock"}
for mark, line in lines.items():
    that(f"holds_{mark}" in waits.get(line, {}).get("held_in", ""), f"held in holds_{mark}: {waits.get(line)}")
    that(any(f"holds_{mark}" in name and int(r["line"] or 0) == line for name, r in late.items()), f"waited for holds_{mark} at {line}: {late}")
# as text too: the line where it waited, beside its procedure
said = run(heatscope, "report", "--by=delayed", "t.h5")
for mark, line in lines.items():
    that(any(row.endswith(f"wants_{mark} headers.cpp:{line}") for row in said.splitlines()), f"--by=delayed at {line}: {said}")
for by in ("line", "procedure"):  # the same as a metric
    waiting = [r for r in rows(by, "--metric=waiting") if float(r["exclusive_s"]) > 0]
    foreign = [r for r in waiting if os.path.basename(r["file"]) != os.path.basename(source)]
    that(not foreign, f"waiting by {by} stands in {foreign}")
for mark, line in lines.items():
    told = sum(float(r["exclusive_s"]) for r in rows("line", "--metric=waiting") if int(r["line"] or 0) == line)
    that(abs(told - float(waits[line]["total_s"])) < 1e-4, f"waiting at {line}: {told}, of waits {waits[line]['total_s']}")
# with line tables alone, as Heatscope's own compilers make them, nothing says where a template of the library is declared
if conditions:
    run(heatscope, "c++", "-O2", "-pthread", conditions, "-o", "conditions")
    run(heatscope, "run", "-q", "-o", "c", "./conditions")
    run(heatscope, "correlate", "-q", "-o", "t.h5", "c")
    with open(conditions, encoding="utf-8") as f:
        line = next(n for n, text in enumerate(f, 1) if "/* waits */" in text)
    waits = [(os.path.basename(r["file"]), int(r["line"] or 0)) for r in rows("wait") if r["kind"] == "condition variable"]
    that(waits == [("conditions.cpp", line)], f"a condition variable at {line}: {waits}")
sys.exit(failed > 0)
