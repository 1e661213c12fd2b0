#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a sample costs, ours and others', in one run. Usage: sample_bench.py HEATSCOPE SAMPLE_BENCH [ROUNDS [CPU_MS]]

For each rate and depth, in turn and ROUNDS times: the program untouched, the bare mechanisms, `perf record` without and
with call chain, gperftools where it is installed (HEATSCOPE_GPERFTOOLS: its libprofiler.so), and Heatscope. us/sample: time
in gaps of the program beyond the untouched one, for each sample asked for; the median of the rounds. Gaps longer than
0.1 ms are left out: somebody else had the processor. Gap: the median of as many of the longest gaps as samples were asked for: nearly all of them are
samples; a machine's own (a virtual one may have 20,000 of 2 us a second) are shorter, so `of perf` is by it. Bytes: of the tool's file, for each sample."""
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

heatscope, bench = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
cpu_ms = int(sys.argv[4]) if len(sys.argv) > 4 else 400
rates = [int(v) for v in os.environ.get("RATES", "1000,5000,10000").split(",")]
depths = [int(v) for v in os.environ.get("DEPTHS", "10,50,200").split(",")]
gperftools = os.environ.get("HEATSCOPE_GPERFTOOLS", "")
for path in glob.glob("/usr/lib/*/libprofiler.so*"):
    gperftools = gperftools or path
work = tempfile.mkdtemp()


def measure(command, env=None):
    out = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})})
    line = [x for x in out.stdout.splitlines() if re.fullmatch(r"\d+( \d+){5}", x)]
    if not line:
        sys.exit(f"{command}: {out.stderr}")
    cpu, taken, gaps, gap_ns, _, median = (int(v) for v in line[-1].split())
    return {"cpu": cpu, "taken": taken, "gaps": gaps, "gap_ns": gap_ns, "median": median}


def size_of(path):
    return sum(os.path.getsize(f) for f in glob.glob(path))


def perf(options, hz, depth):
    file = os.path.join(work, "perf.data")
    period = 1000000000 // hz
    r = measure(["perf", "record", "-q", "-N", "-o", file, "-e", "cpu-clock:u", "-c", str(period), *options, "--",
                 bench, str(cpu_ms), str(depth)])
    r["bytes"] = size_of(file)
    return r


def ours(options, hz, depth):
    directory = os.path.join(work, "m")
    shutil.rmtree(directory, ignore_errors=True)
    r = measure([heatscope, "run", "-q", "-o", directory, "-F", str(hz), *options, bench, str(cpu_ms), str(depth)])
    dump = subprocess.run([heatscope, "dump", glob.glob(directory + "/*.hsr")[0]], capture_output=True, text=True).stdout
    p = [dict(re.findall(r"(\w+)=(\d+)", x)) for x in dump.splitlines() if x.startswith("progress ")][-1]
    r["taken"] = int(p["samples"]) * r["cpu"] / max(1, int(p["cpu_ns"])) # what comes before and after the loop is sampled, too
    r["own"] = int(p["own_ns"]) / max(1, int(p["samples"]))
    r["bytes"] = size_of(directory + "/*.hsr")
    return r


def gperf(hz, depth):
    file = os.path.join(work, "g.prof")
    r = measure([bench, str(cpu_ms), str(depth)],
                {"LD_PRELOAD": gperftools, "CPUPROFILE": file, "CPUPROFILE_FREQUENCY": str(hz), "CPUPROFILE_REALTIME": "1"})
    r["bytes"] = size_of(file)
    return r


def mechanism(name):
    return lambda hz, d: measure([bench, str(cpu_ms), str(d), name, str(hz)])


tools = [("ring, bare", mechanism("ring")), ("ring with 1 KB of stack", mechanism("1024")), ("ring with 16 KB of stack", mechanism("16384")),
         ("signal, bare", mechanism("signal")), ("SIGTRAP, bare", mechanism("trap")),
         ("perf record", lambda hz, d: perf([], hz, d)), ("perf record -g", lambda hz, d: perf(["-g"], hz, d)),
         ("heatscope", lambda hz, d: ours([], hz, d))]
for other in filter(None, os.environ.get("MECHANISMS", "").split(",")):
    tools.append((f"heatscope {other}", lambda hz, d, m=other: ours(["--mechanism", m], hz, d)))
if gperftools:
    tools.append(("gperftools (wall)", gperf))
print(f"{'Hz':>6} {'depth':>5} {'tool':28} {'us/sample':>9} {'gap us':>7} {'of perf':>8} {'rate':>8} {'own us':>7} {'bytes':>7}")
try:
    for hz in rates:
        os.environ["HEATSCOPE_BENCH_HZ"] = str(hz)
        for depth in depths:
            results = {name: [] for name, _ in tools}
            for _ in range(rounds):
                base = measure([bench, str(cpu_ms), str(depth)])
                rest = base["gap_ns"] / base["cpu"]
                for name, run in tools:
                    r = run(hz, depth)
                    r["cost"] = (r["gap_ns"] - rest * r["cpu"]) / (hz * r["cpu"] / 1e9) / 1e3
                    results[name].append(r)
            middle = lambda name, key: statistics.median(r.get(key, 0) for r in results[name])
            perf_gap = middle("perf record", "median")
            for name, _ in tools:
                n = hz * middle(name, "cpu") / 1e9
                taken, own, size = middle(name, "taken"), middle(name, "own"), middle(name, "bytes")
                if middle(name, "gaps") < 0.9 * n: # one for each sample; longer ones are somebody else's to sample_bench.c
                    print(f"{hz:6} {depth:5} {name:28} not to be told: its gaps are longer than 0.1 ms", flush=True)
                    continue
                print(f"{hz:6} {depth:5} {name:28} {middle(name, 'cost'):9.2f} {middle(name, 'median') / 1e3:7.2f} "
                      f"{middle(name, 'median') / perf_gap:8.2f} "
                      f"{taken / middle(name, 'cpu') * 1e9 if taken else 0:8.0f} {own / 1e3:7.2f} {size / n:7.1f}", flush=True)
finally:
    shutil.rmtree(work, ignore_errors=True)
