#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""probe_times_bench.py HEATSCOPE [ROUNDS]: what `report --by=probe` tells of short procedures against the time that they take without probes: nanoseconds a visit of the
same loop (call and loop included, some 1 ns), medians of rounds in turns. `more`: what armed probes add to that. In: how many of the rounds' intervals hold the time. Times of probes are elapsed ones: where the
armed loop had less CPU time than elapsed time (`in line`, percent; of others' load), what is told is that much more."""
import csv
import io
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

heatscope = os.path.abspath(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe_times_bench.c")
work = tempfile.mkdtemp()
VISITS = 10000000


def output(*command):
    return subprocess.run(command, check=True, cwd=work, capture_output=True, text=True).stdout


def compare(name, kind, count):
    options = [f"-DKIND={kind}", f"-DCOUNT={count}", "-O2", "-g", source, "-o"]
    output("clang-19", *options, "bare")
    output(heatscope, "cc", "--probe=procedures:visited", *options, "armed")
    bare, armed, in_line, told = [], [], [], []
    for _ in range(rounds):
        bare.append(float(output("./bare", str(VISITS)).split()[0]))
        shutil.rmtree(os.path.join(work, "m"), ignore_errors=True)
        cpu, elapsed = (float(x) for x in output(heatscope, "run", "-q", "-F", "1000", "-o", "m", "./armed", str(VISITS)).split()[:2])
        armed.append(cpu)
        in_line.append(100 * (elapsed / cpu - 1))
        rows = csv.DictReader(io.StringIO(output(heatscope, "report", "--by=probe", "--format=csv", "m")))
        row = next(r for r in rows if "visited" in r["name"])
        told.append([float(row[c]) * 1e9 / VISITS for c in ("exclusive_s", "exclusive_low_s", "exclusive_high_s")])
    true = statistics.median(bare)
    held = sum(low <= true <= high for _, low, high in told)
    t, low, high = (statistics.median(x) for x in zip(*told))
    print(f"{name:<28} {true:8.2f} {statistics.median(armed) - true:+8.2f} {t:8.2f} {low:8.2f} to {high:<8.2f} {held} of {rounds} {statistics.median(in_line):7.1f}", flush=True)


print(f"load {os.getloadavg()[0]:.1f}; ns a visit\n{'':<28} {'true':>8} {'more':>8} {'told':>8} {'interval':>20} in      in line %")
try:
    for name, kind, counts in (("multiplications in a row", 0, (1, 5, 10, 20, 30, 50, 100)), ("words near, four sums", 1, (16, 64, 256, 1024)), ("branches", 2, (1,)), ("words far", 3, (1,))):
        for count in counts:
            compare(f"{name}, {count}" if len(counts) > 1 else name, kind, count)
finally:
    shutil.rmtree(work, ignore_errors=True)
