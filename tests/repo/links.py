# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links of the documentation lead somewhere: files that there are, and headings of those. Usage: links.py ROOT"""
import os
import re
import sys

ROOT = sys.argv[1]
wrong = []


def headings(path):
    """Anchors of a Markdown file, as its usual renderers make them."""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"(?ms)^```.*?^```", "", f.read())
    plain = [re.sub(r"[`*]|\]\([^)]*\)|\[", "", h) for h in re.findall(r"(?m)^#+ +(.*?) *$", text)]
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in plain}


files = [os.path.join(ROOT, name) for name in os.listdir(ROOT) if name.endswith(".md")]
for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
    files += [os.path.join(folder, name) for name in names if name.endswith(".md")]
links = 0
for path in sorted(files):
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"(?ms)^```.*?^```", "", f.read())
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        links += 1
        name, _, anchor = target.partition("#")
        to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(to):
            wrong.append(f"{os.path.relpath(path, ROOT)}: {target}: no such file")
        elif anchor and to.endswith(".md") and anchor not in headings(to):
            wrong.append(f"{os.path.relpath(path, ROOT)}: {target}: no such heading")
if links < 20:
    wrong.append(f"only {links} links found")
print(f"{links} links in {len(files)} files")
sys.exit("\n".join(wrong) or 0)
