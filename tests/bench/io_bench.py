#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""io_bench.py HEATSCOPE BENCH [PAIRS [WHAT...]]: what small calls take more when they are measured, by the CPU time of slices with and without wrappers in turns within one process
(BENCH: io_bench, sync_bench), against what Heatscope tells of wrappers. A line for each kind of call (WHAT; preset: all that BENCH has) and each amount of memory that the program works
on between two: ns of a call without, ns more (and what is uncertain of it), ns told, told by true. Judges nothing."""
import csv
import os
import shutil
import subprocess
import sys
import tempfile

if len(sys.argv) < 3:
    sys.exit(__doc__)
heatscope, bench = (os.path.abspath(x) for x in sys.argv[1:3])
pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
kinds = sys.argv[4:] or subprocess.run([bench], check=True, capture_output=True, text=True).stdout.split()
work = tempfile.mkdtemp()
directory = os.path.join(work, "m")
print(f"load {os.getloadavg()[0]:.0f}; ns of CPU time a call")
print(f"{'':<10} {'KB':>5} {'without':>8} {'more':>8} {'':>8} {'told':>8} {'told/true':>9}")
for kind in kinds:
    for kb in (0, 32, 256):
        shutil.rmtree(directory, ignore_errors=True)
        done = subprocess.run([heatscope, "run", "-q", "-o", directory, bench, kind, str(pairs), "10" if kb > 32 else "50", str(kb)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{bench} {kind}: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
        plain, more, doubt, calls = (float(x) for x in done.stdout.split())
        ledger = subprocess.run([heatscope, "report", "--by=ledger", "--format=csv", directory], check=True, capture_output=True, text=True).stdout
        told = next(float(r["time_s"]) for r in csv.DictReader(ledger.splitlines()) if r["name"] == "wrappers") * 1e9 / calls
        print(f"{kind:<10} {kb:5} {plain:8.1f} {more:8.1f} +- {doubt:<5.1f} {told:8.1f} {told / more:9.2f}", flush=True)
shutil.rmtree(work, ignore_errors=True)
