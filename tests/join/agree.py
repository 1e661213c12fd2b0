#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""agree.py SYMBOLIZE LLVM_PREFIX MODULE: procedure, line and inline chain of every instruction of the module's text, by
our own reader and by llvm-symbolizer, must be the same; line 0 must have been repaired from a line of the same procedure
or of one inlined there.
With a map, the innermost loop of an address must hold its line (99 of 100; a loop's first instructions may stand before)."""
import os
import re
import subprocess
import sys


def symbol_without_suffix(name):
    name = re.sub(r"(\.(cold|part|constprop|isra)(\.\d+)?)+$", "", name)
    return re.sub(r"([CD])[0-9](E[a-z]*)$", r"\g<1>4\2", name)  # constructors and destructors: one source, several symbols


def reference(llvm, module, addresses):
    text = subprocess.run([llvm + "llvm-symbolizer", "--obj=" + module, "--inlines", "--no-demangle", "--functions=linkage"],
                          input=addresses, capture_output=True, text=True, check=True).stdout
    for block in text.strip("\n").split("\n\n"):
        lines = block.split("\n")
        frames = []
        for name, where in zip(lines[0::2], lines[1::2]):
            path, line, _ = where.rsplit(":", 2)
            frames.append((symbol_without_suffix(name), os.path.normpath(path), int(line)))
        yield frames


def own(symbolize, module, addresses):
    text = subprocess.run([symbolize, module, "--loops"], input=addresses, capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        line, *loops = line.split(" # ")
        frames, repaired = [], False
        for part in line.split(" | ")[1:]:
            name, where = part.rsplit(" ", 1)
            path, number = where.rsplit(":", 1)
            repaired = repaired or number.endswith("~")
            frames.append((symbol_without_suffix(name), os.path.normpath(path), int(number.rstrip("~"))))
        yield frames, repaired, [tuple(map(int, l.split("-"))) for l in loops]


def is_repaired(mine, ref):
    """The same procedures, or copies inlined there, whose code the block or loop is; a line other than 0; callers the same.
    What has a line in the reference is code without location at the head of a block, which the prologue's row runs on into."""
    tail = mine[len(mine) - len(ref):]
    return len(mine) >= len(ref) and mine[0][2] and tail[0][0] == ref[0][0] and tail[1:] == ref[1:]


def main():
    symbolize, llvm, module = sys.argv[1:4]
    listing = subprocess.run([llvm + "llvm-objdump", "-d", "--no-show-raw-insn", module], capture_output=True, text=True,
                             check=True).stdout
    addresses = re.findall(r"^\s*([0-9a-f]+):\s", listing, re.M)
    text = "".join("0x%s\n" % a for a in addresses)
    same = repaired_rows = foreign = 0
    bad = []
    in_loop = outside = 0
    for address, ref, (mine, repaired, loops) in zip(addresses, reference(llvm, module, text), own(symbolize, module, text)):
        if not ref or ref[0][0] == "??" or (ref[0][2] == 0 and "/" not in ref[0][1]):
            foreign += 1
            continue
        if loops and not repaired and len(ref) == 1:
            in_loop += 1
            outside += not loops[0][0] <= mine[0][2] <= loops[0][1]
        if mine == ref:
            same += 1
        elif repaired and is_repaired(mine, ref):
            repaired_rows += 1
        elif [f[1:] for f in mine] == [f[1:] for f in ref] and all(a[0] == b[0] or not a[0].startswith("_Z") for a, b in zip(mine, ref)):
            same += 1  # no linkage name in the debug information (GCC's local templates)
        else:
            bad.append((address, ref, mine))
    print("%s: %d addresses, %d the same, %d repaired, %d without debug information, %d differ; %d in loops, %d of them "
          "with a line outside" % (module, len(addresses), same, repaired_rows, foreign, len(bad), in_loop, outside))
    for address, ref, mine in bad[:5]:
        print("  %s\n    reference %s\n    own       %s" % (address, ref, mine))
    return 1 if bad or same < 50 or outside * 100 > in_loop else 0


if __name__ == "__main__":
    sys.exit(main())
