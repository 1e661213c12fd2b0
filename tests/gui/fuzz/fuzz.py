#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Databases with changed bytes or changed values, opened by the viewer's data layer and by report: neither crashes or hangs, and
what cannot be read is one line.

usage: fuzz.py TCLSH HEATSCOPE GOOD.h5 SCRATCH COUNT [SEED]

Mutant i depends on SEED and i alone. Even ones have bytes changed (half of these in the first eighth, where most of the structure
is), odd ones values of data sets, the file being well-formed (needs h5py; without it bytes as well).
"""
import os
import random
import subprocess
import sys

try:
    import h5py
except ImportError:
    h5py = None

BATCH = 20
LIMIT_S = 600  # of a batch: 30 s a file, three times what the reading process may use of CPU time


def change_bytes(good, out, r):
    data = bytearray(good)
    end = len(data) // 8 if r.random() < 0.5 else len(data)
    for _ in range(r.randint(1, 4)):
        data[r.randrange(end)] = r.randrange(256)
    with open(out, "wb") as f:
        f.write(data)


def data_sets(group):
    for key in sorted(group):
        if isinstance(group[key], h5py.Group):
            yield from data_sets(group[key])
        elif group[key].size:
            yield group[key].name


def change_values(good, out, r):
    with open(out, "wb") as f:
        f.write(good)
    with h5py.File(out, "r+") as f:
        names = list(data_sets(f))
        for _ in range(r.randint(1, 3)):
            d = f[r.choice(names)]
            i = r.randrange(d.size)
            if d.dtype.kind == "S":
                d[i] = bytes(r.choice(b"a/\x01\x7f\xff{$[") for _ in range(r.randint(0, d.dtype.itemsize)))
            elif d.dtype.kind == "f":
                d[i] = r.choice([float("nan"), float("inf"), -1.0, 1e308, 0.0])
            else:
                top = 2 ** (8 * d.dtype.itemsize - (d.dtype.kind == "i")) - 1
                d[i] = r.choice([0, 1, top, top - 1, top // 2, r.randint(0, top), r.randint(0, d.size), int(d[i]) + (int(d[i]) < top)])


def main():
    tclsh, heatscope, path, scratch, count = *sys.argv[1:5], int(sys.argv[5])
    seed = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    with open(path, "rb") as f:
        good = f.read()
    os.makedirs(scratch, exist_ok=True)
    ask_all = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ask_all.tcl")
    refused = answered = in_part = slowest = reported = 0
    for first in range(0, count, BATCH):
        names = []
        for i in range(first, min(first + BATCH, count)):
            r = random.Random(f"{seed} {i}")
            name = os.path.join(scratch, f"m{i}.h5")
            (change_values if h5py and i % 2 else change_bytes)(good, name, r)
            names.append(name)
        run = subprocess.run([tclsh, ask_all, *names], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
        lines = [l for l in run.stdout.splitlines() if l.startswith(scratch)]
        if run.returncode or len(lines) != len(names):
            sys.exit(f"fuzz: exit code {run.returncode} after {lines[-1:]}\n{run.stdout[-2000:]}")
        for line in lines:
            refused += " refused " in line
            answered += " answered errors 0:" in line
            in_part += " answered errors " in line and " errors 0:" not in line
            slowest = max(slowest, int(line.split()[-2]))
        for name in names[:: max(1, len(names) // 5)]:
            run = subprocess.run([heatscope, "report", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S)
            said = run.stderr.decode(errors="replace").strip()
            if run.returncode not in (0, 1) or (run.returncode and (not said or "\n" in said)):
                sys.exit(f"fuzz: report {name}: exit code {run.returncode}, said: {said}")
            reported += run.returncode == 0
        for name in names:
            os.unlink(name)
    print(f"{count} mutants: {refused} refused when opened, {in_part} answered in part, {answered} answered whole; slowest {slowest} ms; "
          f"{reported} of those asked gave a report")
    if count >= 40 and not (refused and in_part and answered):
        sys.exit("fuzz: not all kinds of mutants were seen")


main()
