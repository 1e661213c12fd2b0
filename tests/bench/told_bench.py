#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""told_bench.py HEATSCOPE TOLD_BENCH [TURNS [ROUNDS]]: what a sample costs, as it is told and as it is, at 1, 5, 10 and 20 kHz (RATES), of a program in registers and of
one whose words lie all over 16 MB. True: what slices of the same work with samples take more than those without, in turns within one process, for each sample that
their CPU time has room for; the median of all turns of ROUNDS runs, with quartiles. Told: handler and signals of the file's end for each run of the handler
(medians of the rounds), with the range that the file tells of signals; switches are left out, so what more they take with samples is in the true figure alone. What a run of slices of a millisecond has is taken off: the start and each beginning of samples."""
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

heatscope, bench = (os.path.abspath(x) for x in sys.argv[1:3])
turns = int(sys.argv[3]) if len(sys.argv) > 3 else 40
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 3
rates = [int(x) for x in os.environ.get("RATES", "1000,5000,10000,20000").split(",")]
work = tempfile.mkdtemp()


def measured(kind, hz, ms):
    """(turns: CPU ns of a slice, ns more; the last records of the file)"""
    directory = os.path.join(work, "m")
    shutil.rmtree(directory, ignore_errors=True)
    done = subprocess.run([heatscope, "run", "-q", "-F", str(hz), "-o", directory, bench, kind, str(turns), str(ms)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    dump = subprocess.run([heatscope, "dump", *glob.glob(directory + "/*.hsr")], capture_output=True, text=True).stdout
    last = {}
    for line in dump.splitlines():
        if line.startswith(("cost ", "handler_time ")):
            last.update((k, int(v)) for k, v in re.findall(r"(\w+)=(\d+)", line))
    return [tuple(int(v) for v in line.split()) for line in done.stdout.splitlines()], last


def compare(kind, hz):
    ms = max(20, 100000 // hz)
    true, told, least, most = [], [], [], []
    for _ in range(rounds):
        rows, all_of = measured(kind, hz, ms)
        _, rest = measured(kind, hz, 1)
        true += [more * 1e6 / (with_ns * hz) for with_ns, more in rows] # us a sample
        per = lambda k: (all_of[k] - rest[k]) / (all_of["runs"] - rest["runs"]) * 1e-3
        handler = per("own_ns")
        for to, key in ((told, "interrupt_ns"), (least, "interrupt_least_ns"), (most, "interrupt_most_ns")):
            to.append(handler + all_of[key] * 1e-3)
    low, middle, high = statistics.quantiles(true, n=4)
    told, least, most = (statistics.median(x) for x in (told, least, most))
    print(f"{kind:<10} {hz:6} {middle:8.2f} {low:7.2f} to {high:<7.2f} {told:7.2f} {least:7.2f} to {most:<7.2f} {told / middle:9.2f} {'yes' if least <= middle <= most else 'no'}", flush=True)


print(f"{turns} turns, {rounds} rounds, load {os.getloadavg()[0]:.1f}; us of CPU time for each sample")
print(f"{'':<10} {'Hz':>6} {'true':>8} {'quartiles':>18} {'told':>7} {'range':>18} {'told/true':>9} true in range")
try:
    for kind in ("registers", "memory"):
        for hz in rates:
            compare(kind, hz)
finally:
    shutil.rmtree(work, ignore_errors=True)
