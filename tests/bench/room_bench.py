#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What measuring takes of room: bytes of the file for each sample, wait and message event, and memory for each thread, as
docs/costs.md, section 2, has them. Usage: room_bench.py BUILD [SECONDS [THREADS,THREADS...]]
First `ninja -C BUILD sample_bench mpi_bench`.

Of each run: the bytes of the records by kind (length, id and fields), the rest by what it is, and the whole file divided by the
number of records asked for. SECONDS of CPU time each (8); 1, 100 and 10,000 threads. Threads: of a Python program that only waits, measured minus bare,
and that divided by the threads; `memory` is VmRSS (with the part of the file that is mapped and was touched), `reserved` VmSize."""
import collections
import glob
import os
import struct
import subprocess
import sys
import tempfile

build = os.path.abspath(sys.argv[1])
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 8
counts = [int(n) for n in (sys.argv[3] if len(sys.argv) > 3 else "1,100,10000").split(",")]
heatscope = os.path.join(build, "bin", "heatscope")
NAMES = {64: "process", 65: "mapping", 69: "node", 70: "sample", 71: "sample_weighted", 72: "progress", 93: "message_summary",
         94: "message_event", 110: "wait", 111: "wait_interval"}
SPARE = 0xffffffff  # stream of slots that nobody has taken


def varint(b, at):
    value = shift = 0
    while True:
        c = b[at]
        at += 1
        value |= (c & 127) << shift
        shift += 7
        if c < 128:
            return value, at


def read(path):
    """{what: (records, bytes)} of a measurement file, and its size."""
    with open(path, "rb") as f:
        b = f.read()
    found, n, at = collections.Counter(), collections.Counter(), 0
    while at + 64 <= len(b):
        if b[at:at + 8] != b"\x89HSR\r\n\x1a\n":
            found["padding"] += 8
            at += 8
            continue
        kind, slot, stream, _, committed = struct.unpack_from("<HIIII", b, at + 14)
        if kind == 1 or stream == SPARE:
            found["schema" if kind == 1 else "slots not taken"] += slot
            at += slot
            continue
        found["heads of chunks"] += 64
        found["rest of slots"] += slot - 64 - committed
        p, end = at + 64, at + 64 + committed
        while p < end:
            length, body = varint(b, p)
            number, _ = varint(b, body)
            name = NAMES.get(number, "other records")
            found[name] += body + length - p
            n[name] += 1
            p = body + length
        at += slot
    return {name: (n[name], size) for name, size in found.items()}, len(b)


def show(title, of, command, options, work):
    directory = os.path.join(work, "m")
    done = subprocess.run([heatscope, "run", "-q", "-o", directory, *options, *command], capture_output=True, text=True)
    if done.returncode:
        print(f"{title}: {done.stderr}")
        return
    found, size = read(glob.glob(directory + "/*.hsr")[0])
    subprocess.run(["rm", "-r", directory], check=True)
    records = found.get(of, (0, 0))[0]
    print(f"\n{title}: {records} records {of}, {size} bytes, {size / max(1, records):.2f} each")
    for name, (n, took) in sorted(found.items(), key=lambda x: -x[1][1]):
        each = f"{n:8} of {took / n:6.2f}" if n else ""
        print(f"  {name:18}{took:9}  {took / max(1, records):7.3f} for each {of}  {each}", flush=True)


THREADS = """import sys, threading
threading.stack_size(65536)
release, n = threading.Event(), int(sys.argv[1])
left = threading.Semaphore(0)
def wait():
    left.release()
    release.wait()
for _ in range(n): threading.Thread(target=wait).start()
for _ in range(n): left.acquire()
for line in open("/proc/self/status"):
    if line.startswith(("VmSize", "VmRSS")): print(line.split()[1])
release.set()
"""


def memory(n, options, work):
    """KiB (reserved, touched) of a process with n threads that wait."""
    ours = [heatscope, "run", "-q", "-o", os.path.join(work, "t"), *options] if options is not None else []
    out = subprocess.run([*ours, sys.executable, "-c", THREADS, str(n)], capture_output=True, text=True)
    subprocess.run(["rm", "-rf", os.path.join(work, "t")], check=True)
    return [int(v) for v in out.stdout.split()] if not out.returncode else None


def threads(work):
    print("\nMemory, KiB: measured minus bare; for each thread")
    base = [b - a for a, b in zip(memory(0, None, work), memory(0, [], work))]
    print(f"  {'threads':>8}{'reserved':>12}{'memory':>10}{'reserved of one':>18}{'memory of one':>16}\n"
          f"  {0:8}{base[0]:12}{base[1]:10}", flush=True)
    for n in counts:
        bare, ours = memory(n, None, work), memory(n, [], work)
        if not bare or not ours:
            print(f"  {n:8} not to be had on this machine")
            continue
        more = [b - a for a, b in zip(bare, ours)]
        print(f"  {n:8}{more[0]:12}{more[1]:10}{(more[0] - base[0]) / n:18.1f}{(more[1] - base[1]) / n:16.1f}", flush=True)


bench = os.path.join(build, "tests", "bench")
spin = [os.path.join(bench, "sample_bench"), str(int(seconds * 1000)), "50"]
sleep = [sys.executable, "-c", f"import time\nfor _ in range({int(seconds * 4000)}): time.sleep(1e-5)"]
with tempfile.TemporaryDirectory() as work:
    for hz in ("10000", "1000"):
        show(f"Samples at {hz} Hz, depth 50", "sample", spin, ["-F", hz], work)
    show("Samples of a trace, 10000 Hz, depth 50", "sample", spin, ["-F", "10000", "--trace"], work)
    show("Waits of a trace", "wait_interval", sleep, ["-F", "100", "--trace"], work)
    if os.path.exists(os.path.join(bench, "mpi_bench")):
        show("Messages of a trace", "message_event", [os.path.join(bench, "mpi_bench")], ["-F", "100", "--trace"], work)
    threads(work)
