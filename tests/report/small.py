# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of rows that are all small: no heads above nothing; what was asked for by --where is there however small it is. And call paths
of a recursion, which are told once with their number; and code whose names are gone.
Usage: small.py HEATSCOPE RECORDS.TXT WORK CC (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import os
import re
import subprocess
import sys

from made_up import MadeUp

m = MadeUp(*sys.argv[1:4])
path = os.path.join(sys.argv[3], "lib", "library.so")
procedures = 400
# each has a loop, in which is an instruction that nothing else has; and their lines
source = "".join(f"int f{k}(volatile int *x) {{\n    while (*x)\n        __asm__ volatile(\"pause\");\n    return *x;\n}}\n" for k in range(procedures))
mapping, at = m.library(sys.argv[4], path, source, "-g")
m.that(len(at) == procedures, f"no loops: {at}")


def report(outside, samples, *options, path_of=None):
    """samples: in the first loops, each so many; outside: in a library of the system; path_of: 100 samples at the end of a path of these"""
    more = []
    for i, k in enumerate(path_of or ()):
        more.append(f"node node_id={1000 + i} parent_id={999 + i if i else 1} mapping_id=3 address={at[k]} flags=0")
    if path_of:
        more.append(f"sample_weighted time=6 node_id={999 + len(path_of)} state=0 weight=100 event_id=0")
    for k, n in enumerate(samples):
        more.append(f"node node_id={10 + k} parent_id=1 mapping_id=3 address={at[k]} flags=0")
        more.append(f"sample_weighted time=6 node_id={10 + k} state=0 weight={n} event_id=0")
    m.process(7, path, (0, outside), library="/usr/lib/made/up.so", more=[mapping, *more])
    m.run("correlate", "-o", m.database, m.work)
    return m.run("report", *options, m.database)


def table(text, title):
    return [x.split("\n") for x in text.split("\n\n") if x.lstrip("\n").startswith(title)]


# 2 of 5002 in loops: said in a line, not by heads without rows
text = report(5000, [1, 1])
for title, says in (("Loops", "Loops: 0.002 s, 0.0 % in 2, none with 0.5 %; all: --by=loop"),
                    ("Lines", "Lines of the program's own code: none with 0.5 %; all: --by=line")):
    found = table(text, title)
    m.that(found == [[says]], f"{title}: {found}")

# a run that is spread over 400 procedures has its first rows all the same
text = report(1, [1] * procedures)
for title, heads, rows in (("Procedures", 2, 8), ("Loops", 2, 4), ("Lines", 2, 5)):
    found = table(text, title)
    shown = [line for line in (found or [[]])[0][heads:] if re.match(r" +\d+ +0\.001 +0\.2 ", line)]
    m.that(len(found) == 1 and len(shown) == rows, f"{title} of a flat run: {found}")

# what was asked for
text = report(5000, [1, 2], "--where=f1")
for title in ("Procedures", "Loops", "Lines"):
    found = table(text, title)
    m.that(len(found) == 1 and re.match(r" +\d+ +0\.002 +0\.0 ", found[0][2]) is not None, f"{title} of what was asked for: {found or text}")

# f1's loop calls f1, or f2 and that f1
paths = {name: " ".join(" ".join(found[0][2:]).split()) for name, nodes in (("once", [0] + [1] * 2), ("often", [0] + [1] * 20 + [2]), ("by turns", [0] + [1, 2] * 9))
        for found in (table(report(0, [], path_of=nodes), "Call paths"),)}
for name, says in (("once", "f0 > loop 2 > 3: f1 > loop 7 > 8: f1 > loop 7"),
                   ("often", "f0 > loop 2 > 3: f1 > loop 7 > 8: f1 (these 2, 19 times) > loop 7 > 8: f2 > loop 12"),
                   ("by turns", "f0 > loop 2 > 3: f1 > loop 7 > 8: f2 > loop 12 > 13: f1 (these 4, 8 times) > loop 7 > 8: f2 > loop 12")):
    m.that(says in paths[name], f"{name}: {paths[name]}")
for k in range(1, 30, 4):
    text = report(0, [], path_of=[0] * k + [1] * 9)
    m.that(all(len(line) <= 80 for line in text.split("\n")), f"wider than 80 columns: {text}")

# names that the file was stripped of: which file, and who has them
m.that("stripped of its names" not in report(0, [40, 2]), "names that the file has are said to be gone")
subprocess.run(["strip", path], check=True)
for options, share in ((("--by=procedure",), "100.0"), ((), "100.0")):
    text = re.sub(r"\s+", " ", report(0, [40, 2], *options))
    m.that(f"{share} % in code stripped of its names, most in " in text and "lib/library.so; a debug package has them (find-dbgsym-packages FILE)" in text, f"a stripped file: {text}")
m.that("stripped of its names" not in report(5000, [2]), "told where it is next to nothing")
m.end()
