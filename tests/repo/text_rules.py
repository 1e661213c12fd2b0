# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every source file says its licence; every package of the list has a reason; links in the documents lead somewhere.
Usage: text_rules.py TREE"""
import os
import re
import sys

top = sys.argv[1]
wrong = []
for part in ("formats", "instrument", "correlate", "gui", "cli", "tests", "examples"):
    for folder, _, names in os.walk(os.path.join(top, part)):
        for n in names:
            p = os.path.join(folder, n)
            rel = os.path.relpath(p, top)
            if n.endswith((".c", ".h", ".cpp", ".tcl", ".def", ".f90")) and "/corpus/" not in rel and "/golden/" not in rel:
                with open(p, encoding="utf-8", errors="replace") as fh:
                    head = fh.read(600)
                # inputs of compiler tests begin with their RUN lines: what is tested are their line numbers
                if "SPDX-License-Identifier" not in head and not re.search(r"RUN: .*%(cc|fc|cxx|map)\b", head):
                    wrong.append(f"{rel}: no SPDX line")
for name in ("packages.txt", "packages-readers.txt"):
    for number, line in enumerate(open(os.path.join(top, "scripts", name), encoding="utf-8"), 1):
        line = line.strip()
        if line and not line.startswith("#") and len(line.split(None, 1)) < 2:
            wrong.append(f"scripts/{name}:{number}: no reason")
for doc in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] + \
        [os.path.join("docs", n) for n in os.listdir(os.path.join(top, "docs")) if n.endswith(".md")]:
    p = os.path.join(top, doc)
    if not os.path.exists(p):
        wrong.append(f"{doc}: missing")
        continue
    text = open(p, encoding="utf-8").read()
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target and not os.path.exists(os.path.join(os.path.dirname(p), target)):
            wrong.append(f"{doc}: link to {target}, which is not there")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
