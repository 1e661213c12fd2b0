# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks who includes whom, as ARCHITECTURE.md states it. Usage: include_rules.py TREE | --self-test"""
import os
import re
import sys

# folder of the including file -> folders of ours it may include from (longest match counts)
ALLOWED = {
    "formats": ["formats"],
    "instrument/pass": ["formats", "instrument/pass"],
    "instrument/runtime": ["formats", "instrument/runtime", "instrument/include"],
    "instrument/include": [],
    "correlate/include": ["formats", "correlate/include"],
    "correlate/store": ["formats", "correlate/include", "correlate/store"],
    "correlate/symbols": ["formats", "correlate/include", "correlate/symbols"],
    "correlate/join": ["formats", "correlate"],
    "correlate/compare": ["formats", "correlate/include", "correlate/compare"],
    "correlate/diff": ["formats", "correlate/include", "correlate/diff", "correlate/compare", "correlate/report"],
    "correlate/report": ["formats", "correlate/include", "correlate/report"],
    "correlate/export": ["formats", "correlate/include", "correlate/export"],
    "gui": ["formats", "correlate/include", "gui"],
    "cli": ["formats", "correlate", "instrument", "cli"],
}
# system headers that only these folders or files may include
ONLY = {"mpi.h": ["correlate/join/team_mpi.c"], "hdf5.h": ["correlate/store", "correlate/export/flat.c"], "hdf5_hl.h": [], "tk.h": ["gui/c"], "tcl.h": ["gui/c"]}
# folders whose files may not include these at all
NEVER = {"instrument/runtime": ["elfutils/", "libelf.h", "gelf.h", "dwarf.h", "hdf5.h", "llvm-c/"],
         "formats": ["libelf.h", "gelf.h", "elfutils/", "hdf5.h", "llvm-c/"]}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
TK = re.compile(r'package\s+require\s+(-exact\s+)?Tk\b')


def folder_rule(path, table):
    best = None
    for folder in table:
        if (path + "/").startswith(folder + "/") and (best is None or len(folder) > len(best)):
            best = folder
    return best


def check(files):
    """files: {relative path: text}. Returns a list of complaints."""
    by_tail = {}
    for f in files:
        if f.endswith((".h", ".def")):
            by_tail.setdefault(os.path.basename(f), []).append(f)
    wrong = []
    for f, text in sorted(files.items()):
        folder = os.path.dirname(f)
        if f.endswith(".tcl") and f.startswith("gui/tcl/model/") and TK.search(text):
            wrong.append(f"{f}: a model requires Tk")
        if not f.endswith((".c", ".h", ".cpp", ".def")) or f.startswith(("tests/", "examples/")):
            continue
        rule = folder_rule(folder, ALLOWED)
        if rule is None:
            wrong.append(f"{f}: lies in no folder that ARCHITECTURE.md knows")
            continue
        for number, line in enumerate(text.splitlines(), 1):
            m = INCLUDE.match(line)
            if not m:
                continue
            name = m.group(2)
            local = os.path.normpath(os.path.join(folder, name))
            own = m.group(1) == '"' and local in files
            if name in ONLY and not own and not any((f + "/").startswith(o + "/") for o in ONLY[name]):
                wrong.append(f"{f}:{number}: only {' and '.join(ONLY[name]) or 'nobody'} may include <{name}>")
            for r, names in NEVER.items():
                if (folder + "/").startswith(r + "/") and any(name.startswith(n) for n in names):
                    wrong.append(f"{f}:{number}: {r} may not include <{name}>")
            targets = [t for t in by_tail.get(os.path.basename(name), []) if ("/" + t).endswith("/" + name)]
            if own:
                targets = [local]
            elif name in ONLY: # a system header, also where a file of ours has its name
                targets = []
            if not targets:
                continue
            if not any((os.path.dirname(t) + "/").startswith(a + "/") for t in targets for a in ALLOWED[rule]):
                wrong.append(f"{f}:{number}: {rule} may not include {targets[0]}")
    return wrong


def read_tree(top):
    files = {}
    for part in ("formats", "instrument", "correlate", "gui", "cli"):
        for folder, _, names in os.walk(os.path.join(top, part)):
            for n in names:
                if n.endswith((".c", ".h", ".cpp", ".def", ".tcl")):
                    p = os.path.join(folder, n)
                    with open(p, encoding="utf-8") as fh:
                        files[os.path.relpath(p, top)] = fh.read()
    return files


def self_test():
    bad = {
        "formats/include/heatscope/formats/err.h": "",
        "correlate/store/store.h": "",
        "instrument/pass/pass.h": "",
        "gui/c/a.c": '#include "../../correlate/store/store.h"\n',
        "correlate/join/b.c": "#include <hdf5.h>\n",
        "correlate/join/m.c": "#include <mpi.h>\n",
        "correlate/symbols/c.c": '#include "../../instrument/pass/pass.h"\n',
        "instrument/runtime/d.c": "#include <libelf.h>\n",
        "gui/tcl/model/e.tcl": "package require Tk\n",
        "util/f.c": "",
    }
    good = {"formats/include/heatscope/formats/err.h": "",
            "correlate/join/ok.c": "#include <heatscope/formats/err.h>\n#include <stdio.h>\n"}
    found = check(bad)
    expected = ["gui/c/a.c", "correlate/join/b.c", "correlate/join/m.c", "correlate/symbols/c.c", "instrument/runtime/d.c",
                "gui/tcl/model/e.tcl", "util/f.c"]
    missed = [e for e in expected if not any(c.startswith(e) for c in found)]
    if missed or check(good):
        sys.exit(f"self test: not found {missed}, wrongly found {check(good)}")


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] == "--self-test":
        self_test()
    elif len(sys.argv) == 2:
        complaints = check(read_tree(sys.argv[1]))
        print("\n".join(complaints))
        sys.exit(1 if complaints else 0)
    else:
        sys.exit(__doc__)
