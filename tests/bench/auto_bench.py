#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""auto_bench.py HEATSCOPE ROUNDS PROGRAM [ARGUMENT...]: what automatic probes cost a program that was built with --probe=auto:PERCENT. Measured runs in
turns: all probes disarmed, as they are (kept to the budget), and all asked for by --arm=all (nothing is kept). Medians of CPU time (user and system), median and
quartiles of the difference to the disarmed run of the same round, and what the runtime's records of the last round say: visits, their estimated cost,
how many were disarmed and when."""
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

heatscope, rounds, program = os.path.abspath(sys.argv[1]), int(sys.argv[2]), [os.path.abspath(sys.argv[3]), *sys.argv[4:]]
ways = {"disarmed": ["--disarm=all"], "automatic": [], "all asked for": ["--arm=all"]}
seconds = {way: [] for way in ways}
work = tempfile.mkdtemp()


def cpu():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def told(folder):
    """(visits, seconds they took by the runtime's estimate, [seconds since the first armed one at which one was disarmed]), of all processes."""
    visits = cost = 0
    times = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".hsr"):
            continue
        text = subprocess.run([heatscope, "dump", os.path.join(folder, name)], check=True, capture_output=True, text=True).stdout
        last, stream, begin = {}, "", None
        for line in text.splitlines():
            if line.startswith("@chunk "):
                stream = re.search(r"stream=(\d+)", line).group(1)
            elif line.startswith("probe_progress "):
                v, c = (int(re.search(k + r"=(\d+)", line).group(1)) for k in ("visits", "own_ns"))
                last[stream] = max(last.get(stream, (0, 0)), (v, c))
            elif line.startswith("probe_armed "):
                at = int(re.search(r"time=\+?(\d+)", line).group(1))
                begin = at if begin is None else begin
                if "armed=0" in line:
                    times.append((at - begin) * 1e-9)
        visits += sum(v for v, _ in last.values())
        cost += sum(c for _, c in last.values()) * 1e-9
    return visits, cost, times


for i in range(rounds):
    for way, options in ways.items():
        folder = os.path.join(work, way.replace(" ", "_"))
        shutil.rmtree(folder, ignore_errors=True)
        before = cpu()
        subprocess.run([heatscope, "run", "-q", "-o", folder, *options, *program], check=True, cwd=work, stdout=subprocess.DEVNULL)
        seconds[way].append(cpu() - before)
for way in ways:
    more = [100 * (s / d - 1) for s, d in zip(seconds[way], seconds["disarmed"])]
    visits, cost, times = told(os.path.join(work, way.replace(" ", "_")))
    low, _, high = statistics.quantiles(more, n=4, method="inclusive")
    print("%-14s %8.3f s of CPU, %+6.2f %% over disarmed (quartiles %+.2f and %+.2f); %d visits, %.2f %% by the runtime; %d disarmed%s" %
          (way, statistics.median(seconds[way]), statistics.median(more), low, high, visits, 100 * cost / seconds[way][-1], len(times),
           ", from %.3f to %.3f s" % (min(times), max(times)) if times else ""))
shutil.rmtree(work, ignore_errors=True)
