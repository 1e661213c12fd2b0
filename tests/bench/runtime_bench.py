#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All costs of the runtime in one run, as docs/measurement.md, section 8, has them. Usage: runtime_bench.py BUILD [ROUNDS]
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


def size_of(directory):
    return sum(os.path.getsize(os.path.join(directory, f)) for f in os.listdir(directory) if f.endswith(".hsr"))


def samples_of(directory):
    files = [os.path.join(directory, f) for f in os.listdir(directory) if f.endswith(".hsr")]
    text = subprocess.run([heatscope, "dump", *files], capture_output=True, text=True, check=True).stdout
    return sum(line.startswith("sample ") for line in text.splitlines())


def bytes_per_sample(work):
    """Of a spinning thread at depth 50: what the longer run's file has more, for each sample more. Files grow by 64 KiB, so it is right
    to some 2 bytes."""
    sizes, samples = [], []
    for ms in ("500", "4500"):
        directory = os.path.join(work, "s" + ms)
        subprocess.run([*measured(directory, "-F", "10000"), os.path.join(build, "tests", "bench", "sample_bench"), ms, "50"], check=True,
                       capture_output=True)
        sizes.append(size_of(directory))
        samples.append(samples_of(directory))
    return (sizes[1] - sizes[0]) / (samples[1] - samples[0])


def bytes_per_wait(work):
    """Of a thread that sleeps again and again, by --trace."""
    sizes, counts = [], (2000, 32000)
    for n in counts:
        directory = os.path.join(work, f"w{n}")
        subprocess.run([*measured(directory, "-F", "100", "--trace"), sys.executable, "-c",
                        f"import time\nfor _ in range({n}): time.sleep(1e-5)"], check=True)
        sizes.append(size_of(directory))
    return (sizes[1] - sizes[0]) / (counts[1] - counts[0])


THREADS = """import sys, threading
release = threading.Event()
started = threading.Barrier(int(sys.argv[1]) + 1)
def wait():
    started.wait()
    release.wait()
for _ in range(int(sys.argv[1])): threading.Thread(target=wait).start()
started.wait()
for line in open("/proc/self/status"):
    if line.startswith(("VmSize", "VmRSS")): print(line.split()[1])
release.set()
"""


def memory_per_thread(work):
    """KiB (reserved, touched) that a thread takes more when it is measured."""
    found = {}
    for n in (10, 210):
        for name, command in (("bare", []), ("measured", measured(os.path.join(work, f"t{n}")))):
            out = subprocess.run([*command, sys.executable, "-c", THREADS, str(n)], capture_output=True, text=True, check=True).stdout
            found[name, n] = [int(v) for v in out.split()]
    return [(found["measured", 210][i] - found["measured", 10][i] - found["bare", 210][i] + found["bare", 10][i]) / 200 for i in (0, 1)]


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
with tempfile.TemporaryDirectory() as work:
    print("\nRoom and start", flush=True)
    print(f"bytes of a sample            {bytes_per_sample(work):8.1f}")
    print(f"bytes of a wait in the trace {bytes_per_wait(work):8.1f}", flush=True)
    reserved, touched = memory_per_thread(work)
    print(f"KiB of a thread, reserved    {reserved:8.0f}\nKiB of a thread, touched     {touched:8.0f}", flush=True)
    start, more = process_start(work)
    print(f"ms of a process, bare        {start:8.2f}\nms more when measured        {more:8.2f}")
print(f"load {os.getloadavg()[0]:.1f}")
