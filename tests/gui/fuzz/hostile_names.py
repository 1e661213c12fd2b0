#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every text of a database becomes one that would do harm where texts are evaluated, or spoil what is drawn.

usage: hostile_names.py GOOD.h5 OUT.h5 WITNESS   (WITNESS: file that exists when one of them was run; needs h5py)
"""
import shutil
import sys

import h5py


def main():
    good, out, witness = sys.argv[1:]
    texts = [f"[exec touch {witness}]", f"$x;exec touch {witness}", "}{ \"unbalanced", "{open [brace", "back\\slash\\n\\", "line\nbreak\ttab",
             "bell\x07esc\x1b[31m", "bidi\u202egnp.exe\u2066", "%W %d %%", "#comment; exit", "-option", "\u00e9\u4e2d\U0001f600", "", " ", "$env(HOME)"]
    texts = [t.encode() for t in texts]
    shutil.copyfile(good, out)
    n = 0

    def visit(name, d):
        nonlocal n
        if not isinstance(d, h5py.Dataset) or d.dtype.kind != "S" or not d.size or name.startswith("static/file/checksum"):
            return
        size = d.dtype.itemsize
        d[...] = [texts[(i + n) % len(texts)][:size] for i in range(d.size)]
        n += 1

    with h5py.File(out, "r+") as f:
        f.visititems(visit)
        for key in ("title", "command"):
            del f.attrs[key]
            f.attrs.create(key, texts[0][:200], dtype=f"S{len(texts[0])}")
        if "/strings/bytes" in f and f["/strings/bytes"].size:
            b = f["/strings/bytes"]
            hostile = b"[exec touch " + witness.encode() + b"]"
            b[...] = [hostile[i % len(hostile)] for i in range(b.size)]
    print(n)


main()
