#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""probe_bench.py HEATSCOPE [ROUNDS]: nanoseconds for a visit of a small procedure, medians of runs: bare, with two calls that note the clock,
with the least that can be done with two readings, with a dormant and an armed probe, XRay (clang) in basic mode and uftrace where they are
installed. Each run takes turns with a procedure that reads the clock twice: what is over that is of the same moments."""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

heatscope = os.path.abspath(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe_bench.c")
work = tempfile.mkdtemp()


def build(name, *command):
    subprocess.run([*command, "-O2", "-g", source, "-o", name], check=True, cwd=work, capture_output=True)
    return os.path.join(work, name)


bare = build("bare", "clang-19")
probes = build("probes", heatscope, "cc", "--probe=procedures:visited")
noted = build("noted", "clang-19", "-DNOTED", "-mno-red-zone")
summed = build("summed", "clang-19", "-DSUMMED")
runs = {"bare": ([bare], {}), "summed up at once": ([summed], {}), "noted by two calls": ([noted], {}), "dormant probe": ([probes], {}),
        "dormant probe, measured": ([heatscope, "run", "-q", "-o", "d", "--append", "--disarm=all", probes], {}),
        "armed probe": ([heatscope, "run", "-q", "-o", "m", "--append", probes], {})}
try:
    xray = build("xray", "clang-19", "-fxray-instrument", "-fxray-instruction-threshold=1")
    runs["XRay, patched, basic mode"] = ([xray], {"XRAY_OPTIONS": "patch_premain=true xray_mode=xray-basic verbosity=0"})
    runs["XRay, not patched"] = ([xray], {})
except subprocess.CalledProcessError:
    print("XRay: not to be had")
if shutil.which("uftrace"):
    traced = build("traced", "gcc", "-pg")
    runs["uftrace"] = (["uftrace", "record", "-d", "u", traced], {})
else:
    print("uftrace: not installed")
times = {k: [] for k in runs}
for _ in range(rounds):
    for k, (command, extra) in runs.items():
        r = subprocess.run(command, cwd=work, capture_output=True, text=True, env={**os.environ, **extra})
        times[k].append([float(x) for x in r.stdout.split()[-2:]])
bare_ns = statistics.median(v for v, _ in times["bare"])
clocks_ns = statistics.median(c for t in times.values() for _, c in t)
print("%-26s %8.2f ns a visit, %+8.2f over bare" % ("two clock readings", clocks_ns, clocks_ns - bare_ns))
for k, t in times.items():
    print("%-26s %8.2f ns a visit, %+8.2f over bare, %+8.2f over the clocks" %
          (k, statistics.median(v for v, _ in t), statistics.median(v for v, _ in t) - bare_ns, statistics.median(v - c for v, c in t)))
shutil.rmtree(work, ignore_errors=True)
