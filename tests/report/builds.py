# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What make and the compilers that it starts tell: no imbalance between processes of different times, waits for children as the work of others, and the share of
memory management of a program without lines.
Usage: builds.py HEATSCOPE RECORDS.TXT WORK CC (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import os
import re
import sys

from made_up import MadeUp

CC = sys.argv[4]
WAITED = ("wait node_id=1 kind={} count=30 total_ns=1500000000 max_ns=90000000 bytes=0 bucket=25 buckets=[30] holder_thread_id=0 holder_node_id=0 open=0 told_ns=0 "
          "fork_thread_id=0 fork_node_id=0 time=800")
CONDITION, CHILD = 4, 17
wrong = []


def made(name, processes):
    """The findings of processes that are made by a function of MadeUp."""
    m = MadeUp(sys.argv[1], sys.argv[2], os.path.join(sys.argv[3], name))
    processes(m)
    m.run("correlate", "-q", "-o", m.database, m.work)
    wrong.extend(m.wrong)
    return " ".join(m.run("report", m.database).split("What stands out")[1].split("\n\n")[0].split())


def that(condition, complaint):
    if not condition:
        wrong.append(complaint)


def uneven(begins_s):
    def processes(m):
        for i, begin_s in enumerate(begins_s):
            m.process(100 + i, "/made/up/cc", (200 if i else 1000, 0), begin_s=begin_s)
    return processes


that("Imbalance:" in made("together", uneven((0, 0.1, 0.2))), "processes of one time are not compared")
said = made("apart", uneven((0, 1, 3)))
that("Imbalance:" not in said, f"a process that began when another had ended is compared: {said}")


def waiting(*kinds, children=1):
    def processes(m):
        m.process(7, "/made/up/make", (100, 0), more=[WAITED.format(kind) for kind in kinds])
        for i in range(children):
            m.process(8 + i, "/made/up/cc", (1500, 0))
    return processes


said = made("child", waiting(CHILD))
that("blocked for" not in said, f"a wait for a child's work is a lock: {said}")
said = made("both", waiting(CHILD, CONDITION))
that("blocked for 1.5 s" in said and "longest: condition variable" in said and "Another 1.5 s they wait for child processes to end." in said, f"both: {said}")
said = made("unknown", waiting(CHILD, children=0))
that("blocked for 1.5 s" in said and "longest: end of a child process" in said, f"a child that is not measured: {said}")

SOURCE = "".join(f"void {name}(volatile int *x) {{\n    while (*x)\n        __asm__ volatile(\"pause\");\n}}\n" for name in ("malloc", "grow"))


def managing(m):
    mapping, (malloc, grow) = m.library(CC, os.path.join(m.work, "lib", "memory.so"), SOURCE, "-fno-builtin", "-fvisibility=default")
    more = [mapping, f"node node_id=10 parent_id=1 mapping_id=3 address={grow} flags=0", f"node node_id=11 parent_id=10 mapping_id=3 address={malloc} flags=0"]
    m.process(7, "/made/up/program", (200, 0), more=more + ["sample time=6 node_id=10 state=0"] * 80 + ["sample time=6 node_id=11 state=0"] * 120, cpu_ns=400000000)


said = made("memory", managing)
share = re.search(r"Memory management: \S+ s, (\S+) % .*? Most is called by (.*?), (\S+) % \(", said)
that(share and share[1] == share[3] == "30.0", f"the part that is called in one place is not the whole: {said}")
that(share and " at " not in share[2] and share[2].endswith("program)"), f"a place without a line: {said}")
if wrong:
    sys.exit("\n".join(wrong))
