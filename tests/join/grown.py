# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""correlate of a run that grew: always the bytes of a join that reads all, for any number of workers; first samples that are known are not read again: of files that
grew, once and again, and with new lines; of files that did not, beside new ones; of runs with regions of OpenMP, events, waits for locks, messages and many threads; not where a file changed, was cut, or where the database is another one.
Usage: grown.py HEATSCOPE BENCH_MAKE GROWN_MAKE PROGRAM WORK"""
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, BENCH_MAKE, GROWN_MAKE, PROGRAM = sys.argv[1:5]
WORK = os.path.abspath(sys.argv[5])
FILES, SAMPLES, NODES, SITES = 3, 600000, 60, 0
wrong = []
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(os.path.join(WORK, "run"))
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": os.path.join(WORK, "keys")}
SOURCE, RUN, OUT, MADE, WHOLE = (os.path.join(WORK, n) for n in ("source", "run", "out.h5", ".out.h5.made", "whole.h5"))


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def correlate(out, *arguments):
    """(status, what was said, threads whose first samples were kept)"""
    done = subprocess.run([HEATSCOPE, "correlate", "-o", out, *arguments, RUN], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT)
    kept = re.search(r"^kept: first samples of (\d+) thread", done.stdout, re.M)
    return done.returncode, done.stdout, int(kept.group(1)) if kept else 0


def check(name, kept, *arguments):
    """As without what was there; so many threads gone on with."""
    status, text, _ = correlate(WHOLE, "-q", "--cache=none", *arguments)
    that(not status, f"{name}: without a cache: {status}: {text}")
    status, text, got = correlate(OUT, *arguments)
    that(not status and bytes_of(OUT) == bytes_of(WHOLE), f"{name}: other bytes, status {status}: {text}")
    that(got == kept, f"{name}: first samples of {got} threads kept, expected {kept}: {text}")
    that("damaged: nothing" not in text, f"{name}: {text}")


def grow(part, files=FILES):
    for name in sorted(os.listdir(SOURCE))[:files]:
        whole = bytes_of(os.path.join(SOURCE, name))
        with open(os.path.join(RUN, name), "wb") as f:
            f.write(whole[: len(whole) if part == 1 else int(len(whole) * part) >> 16 << 16])


def clear():
    for path in [MADE, OUT] + [os.path.join(RUN, n) for n in os.listdir(RUN)]:
        if os.path.exists(path):
            os.remove(path)


for late in 0, int(SAMPLES * 0.7):
    shutil.rmtree(SOURCE, ignore_errors=True)
    subprocess.run([BENCH_MAKE, SOURCE, PROGRAM, str(FILES), str(SAMPLES), str(NODES), str(SITES), str(late)], check=True)
    clear()
    for part, kept in (0.2, 0), (0.5, 0), (0.6, 3), (0.8, 3), (0.95, 0), (1, 3): # 0.95: more than 2^19 samples, so the store looks at others to choose its slices
        grow(part)
        check(f"late {late}, {part} of it", kept, *(["-j3"] if part in (0.6, 1) else []))

# ---- samples in regions, of events, of threads that others wait for; of those that pass messages all are read ----
for what, threads, kept in ("r", 3, 3), ("R", 3, 0), ("l", 3, 3), ("relm", 3, 2), ("r", 17, 17):
    shutil.rmtree(SOURCE, ignore_errors=True)
    os.makedirs(SOURCE)
    subprocess.run([GROWN_MAKE, os.path.join(SOURCE, "run.hsr"), PROGRAM, what, str(threads), "220000"], check=True)
    clear()
    for part, of in (0.65, 0), (0.81, kept), (1, kept):
        grow(part)
        check(f"{what or 'samples alone'}, {threads} threads, {part} of it", of, *(["-j3"] if part == 1 else []))

shutil.rmtree(SOURCE, ignore_errors=True)
subprocess.run([BENCH_MAKE, SOURCE, PROGRAM, str(FILES), str(SAMPLES), str(NODES), str(SITES), str(int(SAMPLES * 0.7))], check=True)

# ---- others come, files change, the database is another one ----
clear()
grow(0.96, 2)
check("two files", 0)
grow(0.96)
check("one more, whose samples come behind theirs", 0)
status, text, _ = correlate(OUT, "--launchers")
grow(1)
check("another option before", 3)
grow(0.97)
check("files that are shorter again", 0)
grow(1)
name = os.path.join(RUN, sorted(os.listdir(RUN))[0])
data = bytearray(bytes_of(name))
data[200000:200008] = bytes(8)
with open(name, "wb") as f:
    f.write(data)
check("a chunk is damaged", 2)
grow(0.96)
check("shorter, and not damaged", 0)
os.utime(OUT)
grow(1)
check("the database was touched", 0)
correlate(OUT)
grow(0.96)
correlate(OUT)
grow(1)
with open(MADE, "r+b") as f:
    f.seek(os.path.getsize(MADE) // 2)
    byte = f.read(1)[0] ^ 1
    f.seek(-1, 1)
    f.write(bytes([byte]))
check("the record is damaged", 0)
check("no times", 0, "--time=none")

print("\n".join(wrong))
sys.exit(bool(wrong))
