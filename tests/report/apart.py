# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One procedure in two libraries that are made of one source: texts tell its module with its name, where it is of both; one of a single library has its bare name.
Usage: apart.py HEATSCOPE RECORDS.TXT WORK CC (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import os
import re
import sys

from made_up import MadeUp

m = MadeUp(*sys.argv[1:4])
CC, OTHER = sys.argv[4], 65536
folder = os.path.join(sys.argv[3], "lib")
source = "".join(f"void {name}(volatile int *x) {{\n    while (*x)\n        __asm__ volatile(\"pause\");\n}}\n" for name in ("both", "one"))
(mapping, at), (again, _) = (m.library(CC, os.path.join(folder, f"plug{k}.so"), f'#line 1 "plug.c"\n{source}', "-g", "-fasynchronous-unwind-tables") for k in (0, 1))
again = again.replace("mapping_id=3 address=65536", f"mapping_id=4 address={65536 + OTHER}").replace("bias=0", f"bias={OTHER}")
more = [mapping, again]
for node, of, address, n in ((10, 3, at[0], 300), (11, 4, at[0], 200), (12, 3, at[1], 100)):
    more += [f"node node_id={node} parent_id=1 mapping_id={of} address={address} flags=0", *[f"sample time=6 node_id={node} state=0"] * n]
m.process(7, "/made/up/program", (100, 0), more=more, cpu_ns=700000000)
m.run("correlate", "-o", m.database, m.work)
for by in ("procedure", "loop", "context"):
    text = m.run("report", f"--by={by}", m.database)
    m.that([len(re.findall(rf"[ >]both \[plug{k}\.so\]", text)) for k in (0, 1)] == [1, 1] and len(re.findall(r"[ >]one(?! \[)\b", text)) == 1, f"{by}: {text}")
found = m.run("report", "--brief", m.database)
m.that("in both [plug0.so]" in " ".join(found.split()), f"findings: {found}")
rows = sorted((r["procedure"], os.path.basename(r["module"]), r["exclusive_periods"]) for r in m.table("procedure") if r["procedure"] in ("both", "one"))
m.that(rows == [("both", "plug0.so", "300"), ("both", "plug1.so", "200"), ("one", "plug0.so", "100")], f"columns: {rows}")
m.end()
