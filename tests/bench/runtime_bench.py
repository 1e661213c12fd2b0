#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All costs of the runtime in one run, as docs/costs.md, section 2, has them. Usage: runtime_bench.py BUILD [ROUNDS]
First `ninja -C BUILD sample_bench mpi_bench`. Only ratios within a table mean something on a machine that does other work too."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

build = os.path.abspath(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
heatscope = os.path.join(build, "bin", "heatscope")
here = os.path.dirname(os.path.abspath(__file__))


def part(title, script, *arguments):
    print(f"\n{title}", flush=True)
    subprocess.run([sys.executable, os.path.join(here, script), *arguments], check=False)


def measured(directory, *options):
    return [heatscope, "run", "-q", "-o", directory, *options]


def process_start(work):
    """Milliseconds of a process that does nothing: bare, measured; each one of 40 that a shell starts; medians of pairs."""
    script = "i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i+1)); done"
    bare, ours = [], []
    for r in range(2 * rounds + 1):
        for command, to in (([], bare), (measured(os.path.join(work, f"p{r}")), ours)):
            start = time.monotonic()
            subprocess.run([*command, "/bin/sh", "-c", script], check=True)
            to.append((time.monotonic() - start) * 1000 / 40)
    return statistics.median(bare), statistics.median(b - a for a, b in zip(bare, ours))


print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
part("Samples", "sample_bench.py", heatscope, os.path.join(build, "tests", "bench", "sample_bench"), str(rounds), "200")
part("Probes", "probe_bench.py", heatscope, str(2 * rounds + 1))
mpi = os.path.join(build, "tests", "bench", "mpi_bench")
if os.path.exists(mpi):
    part("Calls of MPI", "mpi_bench.py", heatscope, mpi, str(2 * rounds + 1))
part("Room", "room_bench.py", build)
with tempfile.TemporaryDirectory() as work:
    print("\nStart", flush=True)
    start, more = process_start(work)
    print(f"ms of a process, bare        {start:8.2f}\nms more when measured        {more:8.2f}")
print(f"load {os.getloadavg()[0]:.1f}")
