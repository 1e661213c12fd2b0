# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code of stripped libraries: Heatscope's own is one procedure, for which no debug package is looked for; other code has its addresses. And loops that
are known by their address alone have no line 0 in exported frames. Of a stripped library with a map that is told, with what helps.
Usage: nameless.py HEATSCOPE RECORDS.TXT WORK CC (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import os
import subprocess
import sys

from made_up import MadeUp

m = MadeUp(*sys.argv[1:4])
CC = sys.argv[4]
SOURCE = "".join(f"void {name}(volatile int *x) {{ while (*x) __asm__ volatile(\"pause\"); }}\n" for name in "fg")


def measured(name, compiler=CC, program=None):
    """Samples in two procedures of a library of that name, each in its loop: 300 and 200, beside 100 in the program. program: its path, where the library is taken for it."""
    path = os.path.join(sys.argv[3], "lib", name)
    mapping, at = m.library(compiler, path, SOURCE, "-fasynchronous-unwind-tables")
    subprocess.run(["strip", path], check=True)
    more = [mapping]
    for k, n in enumerate((300, 200)):
        more += [f"node node_id={10 + k} parent_id=1 mapping_id=3 address={at[k]} flags=0", *[f"sample time=6 node_id={10 + k} state=0"] * n]
    m.process(7, program or "/made/up/program", (100, 0), more=more, cpu_ns=600000000)
    m.run("correlate", "-o", m.database, m.work)
    m.that(len(at) == 2, f"no two loops: {at}")


for name, ours in (("libother.so", False), ("libheatscope-mpi.so", True)):
    measured(name)
    for by, column in (("procedure", "procedure"), ("symbol", "function")):
        rows = {r[column]: r["exclusive_periods"] for r in m.table(by) if r["module"].endswith(name)}
        m.that((set(rows) == {"Heatscope's probes and wrappers"} if by == "procedure" else not [x for x in rows if "+0x" in x]) if ours else len([x for x in rows if "+0x" in x]) == 2, f"{name} by {by}: {rows}")
    text = m.run("report", "--by=procedure", m.database)
    m.that(("stripped of its names" in text) != ours, f"{name}: {text}")
    frames = " ".join(m.run("export", "--to=collapsed", "-o", "-", m.database).split("\n"))
    m.that("loop at 0x" in frames and ":0" not in frames, f"{name}: {frames}")
mapped = os.path.join(sys.argv[3], "lib", "mapped.so")
measured("mapped.so", os.path.join(os.path.dirname(sys.argv[1]), "heatscope-cc"), mapped)
said = " ".join(m.run("report", m.database).split())
m.that("mapped.so has its map, but no line tables, by which it is read: it was linked with -s, stripped, or compiled with -g0. Link it without -s" in said and "by a hard link" not in said, said)
m.end()
