# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many procedures that each changed within noise, and all together surely: the largest are named.
Usage: little.py HEATSCOPE RECORDS.TXT WORK CC (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from made_up import MadeUp  # noqa: E402

HEATSCOPE, RECORDS, WORK, CC = sys.argv[1:]
SOURCE = "".join(f"void part{k}(volatile int *x) {{\n    while (*x)\n        __asm__ volatile(\"pause\");\n}}\n" for k in range(9))
wrong = []


def measured(name, samples):
    m = MadeUp(HEATSCOPE, RECORDS, os.path.join(WORK, name))
    mapping, at = m.library(CC, os.path.join(WORK, "lib", "parts.so"), SOURCE, "-g", "-fasynchronous-unwind-tables")
    more = [mapping]
    for node, (address, n) in enumerate(zip(at, samples), 10):
        more += [f"node node_id={node} parent_id=1 mapping_id=3 address={address} flags=0", *[f"sample time=6 node_id={node} state=0"] * n]
    m.process(7, "/made/up/program", (1, 0), more=more, cpu_ns=(sum(samples) + 1) * 1000000)
    m.run("correlate", "-q", "-o", m.database, m.work)
    wrong.extend(m.wrong)
    return m


def procedures(a, b):
    return a.run("diff", a.database, b.database).partition("Procedures")[2].partition("Loops")[0]


before = measured("before", [40] * 9)
said = procedures(before, measured("after", [27, 29, 29, 29, 29, 29, 29, 39, 42]))
if len(re.findall(r"part\d", said)) != 3 or "part0" not in said or said.count("~") < 3 or "7 more, 7 of them within noise" not in said:
    wrong.append(f"the largest changes are not named:\n{said}")
said = procedures(before, measured("same", [41, 39] * 4 + [40]))
if re.search(r"part\d", said):
    wrong.append(f"named though nothing changed:\n{said}")
if wrong:
    sys.exit("\n".join(wrong))
