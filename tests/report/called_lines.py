# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines that have time on paths through them alone, as calls have, are in the table of lines, behind those with their own; a table that has nothing of what
--where chose says so, and a folder without a measurement is told in one line.
Usage: called_lines.py HEATSCOPE RECORDS.TXT WORK CC (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import os
import re
import subprocess
import sys

from made_up import MadeUp

m = MadeUp(*sys.argv[1:4])
path = os.path.join(sys.argv[3], "lib", "called.so")
mapping, at = m.library(sys.argv[4], path, "".join(f"int f{k}(volatile int *x) {{\n    while (*x)\n        __asm__ volatile(\"pause\");\n    return *x;\n}}\n" for k in range(3)), "-g")
# f1 calls f2, which has 100 samples at its line 13; f0 has 5 at line 3
more = [mapping] + [f"node node_id={10 + k} parent_id={up} mapping_id=3 address={at[k]} flags=0" for k, up in ((0, 1), (1, 1), (2, 11))]
more += [f"sample_weighted time=6 node_id={node} state=0 weight={n} event_id=0" for node, n in ((10, 5), (12, 100))]
m.process(7, path, (0, 10), more=more)
m.run("correlate", "-o", m.database, m.work)
rows = [(int(r["line"]), r["exclusive_periods"], r["inclusive_periods"]) for r in m.table("line") if r["file"].endswith("called.c")]
m.that(rows == [(13, "100", "100"), (3, "5", "5"), (8, "0", "100")], f"lines: {rows}")
text = m.run("report", "--by=line", "--where=called.c:8", m.database)
m.that(re.search(r"\n   1 +0\.000 +0\.0 +\S+ +87\.0  \S*called\.c:8 ", text), f"the line of a call: {text}")
text = m.run("report", "--by=line", "--top=2", m.database)
m.that("called.c:8" not in text and "called.c:13" in text, f"those with their own come first: {text}")
lines = m.run("report", m.database).partition("\nLines")[2].partition("\n\n")[0]
m.that("called.c:13" in lines and "called.c:8 " not in lines, f"where all tables come together: {lines}")
# nothing of what --where chose
there = ("report", "--by=loop", "--where=library.so", m.database)
text = m.run(*there)
m.that(text.endswith("\n\n--by=loop has nothing at 'library.so'\n"), f"none: {text}")
done = subprocess.run([m.heatscope, *there, "--format=csv"], capture_output=True, text=True)
m.that(done.returncode == 0 and done.stderr == "heatscope report: --by=loop has nothing at 'library.so'\n" and done.stdout.count("\n") == 1, f"none: {done}")
# a folder without a measurement
empty = os.path.join(sys.argv[3], "empty")
os.makedirs(empty, exist_ok=True)
done = subprocess.run([m.heatscope, "report", empty], capture_output=True, text=True)
m.that(done.returncode == 1 and "no measurement file" in done.stderr and done.stderr.count("\n") == 1, f"an empty folder: {done}")
m.end()
