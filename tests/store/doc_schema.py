# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps the tables of docs/schema.md equal to correlate/store/schema.def, and its version to schema.h beside that.
Usage: doc_schema.py check|write schema.def docs/schema.md"""
import os
import re
import sys

BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"
STRING = r'"((?:[^"\\]|\\.)*)"'


def calls(text, macro):
    """Argument lists of macro uses; strings without their quotes."""
    for m in re.finditer(rf"^{macro}\((.*)\)$", text, re.M):
        yield [a if a or s is None else s for s, a in
               ((g[0] if g[0] or not g[1] else None, g[1].strip()) for g in re.findall(rf'{STRING}|([\w]+)', m[1]))]


def tables(text):
    columns = {}
    for table, *rest in calls(text, "HSC_COLUMN"):
        columns.setdefault(table, []).append(rest)
    out = []
    for table, section, meaning in calls(text, "HSC_SCHEMA_TABLE"):
        out.append(f"### `/{section}/{table}`\n\n{meaning[0].upper()}{meaning[1:]}.\n")
        out.append("| column | type | unit | refers to | meaning |\n|---|---|---|---|---|")
        for name, kind, unit, references, meaning in columns.pop(table):
            out.append(f"| `{name}` | `{kind}` | {unit} | {f'`{references}`' if references else ''} | {meaning} |")
        out.append("")
    assert not columns, f"columns without a table: {columns}"
    out.append("### Value tables\n\n| in `/metrics/<m>/` | rows | a cell counts |\n|---|---|---|")
    for _, name, rows, meaning in calls(text, "HSC_SCHEMA_VALUES"):
        out.append(f"| `{name}` | `{rows}` | {meaning} |")
    return "\n".join(out) + "\n"


def versions(doc, header):
    """The text with the version of the header wherever it tells its own."""
    major, minor = (re.search(rf"#define {name} (\d+)", header)[1] for name in ("HSC_DB_MAJOR", "HSC_DB_MINOR"))
    for place, by in ((r"(# The database, version )\d+\.\d+", "."), (r"(This text is\sfor )\d+\.\d+", "."), (r"(\| `format_version` \| 2 x `U2` \| )\d+, \d+", ", ")):
        doc, n = re.subn(place, rf"\g<1>{major}{by}{minor}", doc)
        assert n == 1, f"{place}: {n} times"
    return doc


def main():
    mode, definition, path = sys.argv[1:]
    want = tables(open(definition, encoding="utf-8").read())
    doc = open(path, encoding="utf-8").read()
    new = versions(doc, open(os.path.join(os.path.dirname(definition), "schema.h"), encoding="utf-8").read())
    if mode == "write":
        doc = new
    elif doc != new:
        sys.exit(f"{path}: it tells another version than schema.h; run: doc_schema.py write {definition} {path}")
    head, rest = doc.split(BEGIN)
    old, tail = rest.split(END)
    if mode == "write":
        open(path, "w", encoding="utf-8").write(head + BEGIN + want + END + tail)
    elif old != want:
        sys.exit(f"{path}: its tables differ from {definition}; run: doc_schema.py write {definition} {path}")


main()
