# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run too short for a sample, as each command tells it; figures that stay with their units where lines are broken; and of processes one after the
other for how long none ran.
Usage: short.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import os
import re
import subprocess
import sys

from made_up import MadeUp

m = MadeUp(*sys.argv[1:4])
usage = ("thread_usage thread_id=1 time=800 user_ns={} system_ns=0 minor_faults=3 major_faults=0 voluntary_switches=1 "
         "involuntary_switches=2 run_ns={} runnable_ns={}")


def refused(*command):
    done = subprocess.run([m.heatscope, *command], capture_output=True, text=True, check=False)
    m.that(done.returncode == 1 and done.stderr.count("\n") == 1, f"{command}: {done}")
    return done.stderr


m.process(11, "/made/up/worker", (0, 0), more=[usage.format(400000, 400000, 0)], cpu_ns=400000)
m.run("correlate", "-o", m.database, m.work)
said = " ".join(m.run("report", m.database).split())
m.that("measured 0 periods" in said and "What stands out" in said, f"report of no samples: {said}")
for of in ((), ("main",)):
    said = refused("annotate", m.database, *of)
    m.that("it has none at all" in said and "older heatscope" not in said, f"annotate {of} of no samples: {said}")

units = "%|s|ms|us|ns|B|kB|MB|GB|TB"
for line_ms in (1100, 12300):
    m.process(11, "/made/up/worker", (400, 0), more=[usage.format(400000000, 400000000, line_ms * 1000000)])
    m.run("correlate", "-o", m.database, m.work)
    for width in range(80, 86):
        os.environ["COLUMNS"] = str(width)
        text = m.run("report", m.database)
        torn = re.findall(rf"\d\n +(?:{units})[,.:;)]*(?: .*)?$", text, re.M)
        m.that(not torn, f"{width} columns: a figure without its unit: {torn}")
os.environ["COLUMNS"] = "100"
for begin_s, idle in ((0, ""), (5, ", in 3 s of which no process ran"), (1, ", in 2 s of which no process ran"), (4, ", in 1 s of which no process ran")):
    m.process(12 + begin_s, "/made/up/worker", (400, 0), begin_s=begin_s)
    m.run("correlate", "-o", m.database, m.work)
    said = next(line for line in m.run("report", m.database).split("\n") if line.startswith("run "))
    m.that(said.endswith(idle) and ("no process" in said) == bool(idle), f"a process from {begin_s} to {begin_s + 2} s on: {said}")
m.end()
