# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""correlate --memory: the same bytes with little memory and with much, and less of it used; where the temporary file cannot be written,
one line says so and nothing is left behind.
Usage: memory.py HEATSCOPE BENCH_MAKE WORK"""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

HEATSCOPE, BENCH_MAKE, WORK = sys.argv[1:4]
RANKS, SAMPLES, NODES, SITES = 300, 50, 200, 100
HISTOGRAMS = RANKS * SITES * 5 * 65 * 8  # bytes that the places of all ranks have at least: two messages with two each, a wait with one
wrong = []


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def correlate(*options, **more):
    """Status, what was said, and the peak of memory in bytes."""
    p = subprocess.Popen([HEATSCOPE, "correlate", "-q", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    text = p.stdout.read()
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return p.returncode, text, usage.ru_maxrss * 1024


def no_room():
    """A disk that takes files of 1 MB only."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
source = os.path.join(WORK, "simulated")
subprocess.run([BENCH_MAKE, source, HEATSCOPE, str(RANKS), str(SAMPLES), str(NODES), str(SITES)], check=True)
made, peaks = [], []
few = os.path.join(WORK, "few")  # without code to look up: that takes what any join does
subprocess.run([BENCH_MAKE, few, HEATSCOPE, "4", str(SAMPLES), str(NODES), "0"], check=True)
for folder in (few, source):
    status, text, peak = correlate("-j1", "--cache=none", "--memory=1M", "-o", os.path.join(WORK, "told.h5"), folder)
    told = re.search(r"(\d+) MB at least, more than the --memory of 1 MB", text)
    that(not status and told and 15 << 20 < int(told[1]) << 20 <= peak, f"told at least {told and told[0]}, took {peak} bytes: {text}")
status, text, peak = correlate("-j1", "--cache=none", "--memory=36M", "-o", os.path.join(WORK, "told.h5"), source)
that(not status and "this took" in text and "at least" not in text and peak > 36 << 20, f"told afterwards: took {peak} bytes: {text}")
for size in ("16G", "1M"):
    out = os.path.join(WORK, f"{size}.h5")
    status, text, peak = correlate("-j2", f"--memory={size}", "-o", out, source)
    that(not status, f"{size}: {status}: {text}")
    if not status:
        with open(out, "rb") as f:
            made.append(f.read())
    that(("at least, more than the --memory of 1 MB" in text) == (size == "1M"), f"{size}: {text}")
    peaks.append(peak)
that(len(made) == 2 and made[0] == made[1], "little memory: other bytes")
that(peaks[0] - peaks[1] > HISTOGRAMS // 2, f"peaks {peaks}: expected {HISTOGRAMS} bytes less with little memory, or half of that")

folder = os.path.join(WORK, "full")
os.mkdir(folder)
status, text, _ = correlate("--memory=1M", "-o", os.path.join(folder, "out.h5"), source, preexec_fn=no_room, restore_signals=False)
that(status == 1 and len(text.splitlines()) == 2 and "temporary file" in text.splitlines()[1], f"full disk: {status}: {text}")
that(not os.listdir(folder), f"full disk: left behind: {os.listdir(folder)}")

for size in ("", "0", "1K", "-1G", "12X", "9999999T", "M", "1.5G"):
    status, text, _ = correlate(f"--memory={size}", "-o", os.path.join(folder, "out.h5"), source)
    that(status == 2 and len(text.splitlines()) == 1 and "--memory" in text, f"--memory={size}: {status}: {text}")
if wrong:
    sys.exit("\n".join(wrong))
