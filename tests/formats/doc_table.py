# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps the record list of docs/format.md equal to what the program knows.
Usage: doc_table.py check|write HEATSCOPE docs/format.md"""
import re
import subprocess
import sys

BEGIN, END = "<!-- records: begin -->\n", "<!-- records: end -->\n"


def cell(text):
    return text.replace("|", "\\|")


def table(schema):
    out = []
    for line in schema.splitlines():
        if m := re.match(r"record (\d+) (\w+), version (\d+): (.*)", line):
            out.append(f"\n### {m[1]} `{m[2]}`, version {m[3]}\n\n{m[4][0].upper()}{m[4][1:]}.\n")
            out.append("| field | type | unit | semantic | meaning |\n|---|---|---|---|---|")
        elif m := re.match(r"enum (\w+)", line):
            out.append(f"\n### Enumeration `{m[1]}`\n\n| value | number | text |\n|---|---:|---|")
        elif line.startswith("  "):
            words = line.split(None, 4)
            if out[-1].endswith("|---|---:|---|") or out[-1].startswith("| ="):
                name, number, text = line.split(None, 2)
                out.append(f"| =`{name}` | {number} | {cell(text)} |")
            else:
                words = (words + [""] * 5)[:5]
                unit, semantic = ("" if w == "-" else f"`{w}`" for w in words[2:4])
                out.append(f"| `{words[0]}` | `{words[1]}` | {unit} | {semantic} | {cell(words[4])} |")
    return "\n".join(l.replace("| =`", "| `", 1) for l in out).lstrip("\n") + "\n"


def main():
    mode, program, path = sys.argv[1:]
    schema = subprocess.run([program, "dump", "--schema"], check=True, capture_output=True, text=True).stdout
    doc = open(path, encoding="utf-8").read()
    head, rest = doc.split(BEGIN)
    old, tail = rest.split(END)
    new = "\n" + table(schema) + "\n"
    if mode == "write":
        with open(path, "w", encoding="utf-8") as f:
            f.write(head + BEGIN + new + END + tail)
    elif old != new:
        a, b = old.splitlines(), new.splitlines()
        i = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        sys.exit(f"{path}: the record list is not that of records.def; first difference:\n"
                 f"  document: {a[i] if i < len(a) else '(end)'}\n  program:  {b[i] if i < len(b) else '(end)'}\n"
                 f"Build the target formats_doc to renew it.")


main()
