#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""places.py HEATSCOPE PROGRAM...: the discriminators of a program's line table against the place records of its map.

Every discriminator must be a place of the function that holds the address; a place of a loop must lie in the loop's
lines; and nearly all code must have a place. Programs of one compilation unit, linked.
"""
import re
import subprocess
import sys


def run(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True).stdout


def records(text):
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        fields = dict(re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|[^ (]+)', rest))
        yield kind, fields


def check(heatscope, program):
    procedures, loops, places, files = {}, {}, {}, {}
    modules = 0
    for kind, f in records(run(heatscope, "dump", program)):
        if kind == "procedure":
            procedures[int(f["procedure_id"])] = f["linkage_name"].strip('"')
        elif kind == "file":
            files[int(f["file_id"])] = f["path"].strip('"').rsplit("/", 1)[-1]
        elif kind == "loop":
            loops[int(f["loop_id"])] = f
        elif kind == "place":
            places[int(f["place_id"])] = f
        modules += kind == "module"
    assert modules == 1, f"{program}: {modules} modules"
    symbols = []
    for line in run("nm", "-n", "--defined-only", program).splitlines():
        address, kind, name = line.split(None, 2)
        if kind in "tTwW":
            symbols.append((int(address, 16), name))

    def names_at(address):
        """All names of the symbol that holds the address."""
        begin = max((a for a, _ in symbols if a <= address), default=0)
        return [n for a, n in symbols if a == begin]

    rows, names, sequence = [], {}, []
    for line in run("llvm-dwarfdump-19", "--debug-line", program).splitlines():
        m = re.match(r"file_names\[ *(\d+)\]", line)
        if m:
            current = int(m.group(1))
        m = re.match(r' *name: "(.*)"', line)
        if m:
            names[current] = m.group(1).rsplit("/", 1)[-1]
        m = re.match(r"0x([0-9a-f]{16}) +(\d+) +(\d+) +(\d+) +\d+ +(\d+) +\d+ +(.*)", line)
        if m:
            row = (int(m.group(1), 16), int(m.group(2)), int(m.group(4)), int(m.group(5)), "end_sequence" in m.group(6))
            sequence.append(row)
            if row[4]:
                rows += zip(sequence, sequence[1:])
                sequence = []
    covered = total = outside = in_loops = 0
    for (address, line, file, discriminator, _), (end, *_rest) in rows:
        size = end - address
        if not size or not address:
            continue
        if line and not any(a == address for a, _ in symbols):
            total += size
            covered += size if discriminator else 0
        if not discriminator:
            continue
        place = places.get(discriminator)
        assert place, f"{program}: {address:#x}: discriminator {discriminator} is no place of {len(places)}"
        function = procedures[int(place["function_id"])]
        assert function in names_at(address), \
            f"{program}: {address:#x}: place {discriminator} is of {function}, the code of {names_at(address)}"
        loop = loops.get(int(place["site_id"]))
        if loop and int(loop["line_begin"]):
            in_loops += 1
            inside = int(loop["line_begin"]) <= line <= int(loop["line_end"])
            if not (inside and names[file] == files[int(loop["file_id"])]):
                outside += 1
    assert places and total, f"{program}: nothing to compare"
    share = covered / total
    print(f"{program}: {len(places)} places, {100 * share:.1f} % of the bytes with a line have one, "
          f"{outside} of {in_loops} rows in loops lie outside their lines")
    # not counted: prologues, which have a line but no place. Code that the back end merges from two places keeps its line
    # and loses the place. flang gives the control of WHERE the location of the statement before.
    assert share > 0.9, f"{program}: too little code has a place"
    assert outside <= 0.03 * in_loops, f"{program}: lines outside their loops"


for p in sys.argv[2:]:
    check(sys.argv[1], p)
