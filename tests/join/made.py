# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""correlate where nothing is new leaves the database alone, and only there: other inputs, options, rules, programs, maps, databases; a record of what
it was made from that is damaged, cut, foreign or another user's. Each database has the bytes of one that is made from nothing.
Usage: made.py HEATSCOPE BENCH_MAKE CC WORK"""
import os
import re
import shutil
import subprocess
import sys
import time

HEATSCOPE, BENCH_MAKE, CC = sys.argv[1:4]
WORK = os.path.abspath(sys.argv[4])
wrong, copied = [], []
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(os.path.join(WORK, "out"))
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": os.path.join(WORK, "keys"), "XDG_DATA_HOME": os.path.join(WORK, "data"), "HOME": WORK}
OUT, MADE, WHOLE, RUN, PROGRAM = (os.path.join(WORK, name) for name in ("out/run.h5", "out/.run.h5.made", "whole.h5", "run", "program"))
YOUNG = 0.12  # seconds after a change for which a file is not trusted to bear another time after the next


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def correlate(*arguments, env=ENVIRONMENT):
    done = subprocess.run([HEATSCOPE, "correlate", "-j1", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
    that(not done.returncode, f"{arguments}: {done.returncode}: {done.stdout}")
    return done.stdout


def check(name, left, *arguments, note=None, env=ENVIRONMENT):
    """left: the database is left alone."""
    before = os.stat(OUT) if os.path.exists(OUT) else None
    text = correlate("-o", OUT, *arguments, env=env)
    now = os.stat(OUT)
    alone = before is not None and (before.st_ino, before.st_mtime_ns) == (now.st_ino, now.st_mtime_ns)
    that(alone == left and ("nothing is new" in text) == left, f"{name}: left alone: {alone}, expected {left}: {text}")
    correlate("-q", "--cache=none", "-o", WHOLE, *arguments, env=env)
    that(bytes_of(OUT) == bytes_of(WHOLE), f"{name}: other bytes")
    notes = [line for line in text.splitlines() if "run.h5.made" in line]
    copied.append(re.search(r"^copied: (\d+) packed chunk", text, re.M) is not None)
    that(len(notes) == bool(note) and (not note or note in notes[0]), f"{name}: said {notes}, expected {note}")
    that(set(os.listdir(os.path.dirname(OUT))) <= {"run.h5", ".run.h5.made"}, f"{name}: left behind {os.listdir(os.path.dirname(OUT))}")


def build(text, *options):
    """Another build with the same name."""
    source = os.path.join(WORK, "program.c")
    write(source, text.encode())
    subprocess.run([CC, "-O1", *options, "-Wl,--build-id", "-o", PROGRAM, source], check=True)
    time.sleep(YOUNG)


ONE = "".join(f"int f{i}(int x) {{ return x * {i} + 1; }}\n" for i in range(40)) + "int main(void) { return f3(1) & 0; }\n"
build(ONE, "-g")
subprocess.run([BENCH_MAKE, RUN, PROGRAM, "3", "4000", "300"], check=True)
files = sorted(os.path.join(RUN, f) for f in os.listdir(RUN))

# ---- nothing new ----
check("first", False, RUN)
check("nothing new", True, RUN)
check("other workers and memory", True, "-j3", "--memory=1M", RUN)
first = correlate("-o", OUT, RUN)
again = correlate("-o", OUT, RUN)
that(first == again and " 3 processes" in first, f"it says other things: {first} {again}")
os.utime(files[0])
check("only touched", True, RUN)
time.sleep(YOUNG)
check("other options", False, "--launchers", RUN)  # tells of the files as they are now


def read_by(call):
    """Bytes that processes have read which call() has waited for."""
    def read():
        with open("/proc/self/io") as f:
            return int(re.search(r"rchar: (\d+)", f.read()).group(1))
    before = read()
    call()
    return read() - before


LARGE = os.path.join(WORK, "large")
subprocess.run([BENCH_MAKE, LARGE, PROGRAM, "8", "100000", "300"], check=True)
larges = [os.path.join(LARGE, f) for f in sorted(os.listdir(LARGE))]
time.sleep(YOUNG)
size = sum(os.path.getsize(f) for f in larges)
correlate("-o", OUT, LARGE)
reads = read_by(lambda: correlate("-o", OUT, LARGE))
that(reads < size / 2, f"nothing is new, and {reads} bytes were read of files of {size}")
os.utime(larges[0])
reads = read_by(lambda: correlate("-o", OUT, LARGE))
that(reads < size / 2 + os.path.getsize(larges[0]), f"one was touched, and {reads} bytes were read of files of {size}")
data, then = bytes_of(larges[1]), os.stat(larges[1])
with open(larges[1], "r+b") as f:  # the same file, size and time of modification
    f.seek(len(data) // 2)
    f.write(bytes([data[len(data) // 2] ^ 1]))
os.utime(larges[1], ns=(then.st_atime_ns, then.st_mtime_ns))
check("other bytes with the same time", False, LARGE)
check("a directory of others", False, "--launchers", RUN)
correlate("-q", "--cache=none", "-o", OUT, RUN)
check("made again by one that keeps nothing", False, RUN)

# ---- other questions ----
for options in (["--time=none"], ["--assembler=intel"], ["--code=none"], ["--launchers"]):
    check(f"{options}", False, *options, RUN)
    check(f"{options} again", True, *options, RUN)
rules = os.path.join(WORK, "rules")
write(rules, b"category mine\nprocedure f3 mine\n")
check("rules", False, "--categories", rules, RUN)
check("rules again", True, "--categories", rules, RUN)
write(rules, b"category mine\nprocedure f4 mine\n")
check("other rules in the same file", False, "--categories", rules, RUN)
check("sources", False, "--embed-sources", RUN)
check("sources again: not told", False, "--embed-sources", RUN)
check("as before", False, RUN)

that(True in copied, "no chunk was ever copied")

# ---- other inputs ----
data = bytes_of(files[2])
os.remove(files[2])
check("one less", False, RUN)
check("one less again", True, RUN)
write(files[2], data)
check("it is back", False, RUN)
check("it is back again", True, RUN)
write(files[2], data[:-1] + bytes([data[-1] ^ 1]))
check("one bit", False, RUN)
write(files[2], data[: len(data) // 2])
check("half of it", False, RUN)
write(files[2], data[: len(data) * 3 // 4])
check("it has grown", False, RUN)
that(copied[-1], "no chunk was copied where a file has grown")
write(files[2], data)
os.rename(files[2], os.path.join(RUN, "zz.hsr"))
check("another name", False, RUN)
check("another name again", True, RUN)

# ---- other code ----
kept = bytes_of(PROGRAM)
build(ONE.replace("x * 3", "x * 33"), "-g")
check("another build", False, RUN)
check("another build again", True, RUN)
os.remove(PROGRAM)
check("no program", False, RUN)
check("no program again", True, RUN)
write(PROGRAM, kept)
time.sleep(YOUNG)
check("the program is back", False, RUN)
check("the program is back again", True, RUN)
write(PROGRAM + ".hsm", b"no map")
time.sleep(YOUNG)
check("a file in the place of its map", False, RUN)
check("a file in the place of its map again", True, RUN)
os.remove(PROGRAM + ".hsm")
check("it is gone", False, RUN)
subprocess.run(["objcopy", "--only-keep-debug", PROGRAM, PROGRAM + ".debug"], check=True)
subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={PROGRAM}.debug", PROGRAM], check=True)
os.remove(PROGRAM + ".debug")
time.sleep(YOUNG)
check("stripped", False, RUN)
check("stripped again", True, RUN)
write(PROGRAM + ".debug", kept)
time.sleep(YOUNG)
check("its debug information is found now", False, RUN)
check("its debug information again", True, RUN)
write(PROGRAM, kept)
write(os.path.join(WORK, "soon.c"), b"""#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *to) {
    const char *ns = getenv("SOON");
    if (clock != CLOCK_REALTIME || !ns)
        return ((int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime"))(clock, to);
    to->tv_sec = (time_t)(atoll(ns) / 1000000000);
    to->tv_nsec = (long)(atoll(ns) % 1000000000);
    return 0;
}
""")  # whenever it runs, the program was changed a millisecond ago
subprocess.run([CC, "-shared", "-fPIC", "-o", os.path.join(WORK, "soon.so"), os.path.join(WORK, "soon.c")], check=True)
SOON = {**ENVIRONMENT, "LD_PRELOAD": os.path.join(WORK, "soon.so"), "SOON": str(os.stat(PROGRAM).st_ctime_ns + 1_000_000), "ASAN_OPTIONS": "verify_asan_link_order=0"}
check("just changed", False, RUN, env=SOON)
check("just changed: not told", False, RUN, env=SOON)
time.sleep(YOUNG)
check("a while after", False, RUN)
check("a while after, again", True, RUN)

# ---- another database ----
made = bytes_of(OUT)
write(OUT, made[:-9] + bytes([made[-9] ^ 1]) + made[-8:])
check("a database that was changed", False, RUN)
that(copied[-1], "no chunk was copied of a database in which another byte is changed")
write(OUT, b"\0" * len(made))
check("a database of which nothing is left", False, RUN)
that(not copied[-1], "chunks were copied that are there no more")
check("and again", True, RUN)
check("other options on top", False, "--launchers", RUN)
that(copied[-1], "no chunk was copied where only an option differs")
check("as before once more", False, RUN)
shutil.copy(OUT, OUT + ".copy")
os.replace(OUT + ".copy", OUT)
check("a copy in its place", False, RUN)
that(copied[-1], "no chunk of a copied database was copied")
os.remove(OUT)
check("none", False, RUN)
check("there", True, RUN)

# ---- bands of threads: 126 = 64 + 48 + 14, 130 = 128 + 2, 142 = 128 + 14, 146 = 128 + 16 + 2 ----
MANY, SOME, HOW = os.path.join(WORK, "many"), os.path.join(WORK, "some"), ("--time=none", "--code=none")
saved = bytes_of(PROGRAM)
build("".join(f"int f{i}(int x) {{ return x * {i} + 1; }}\n" for i in range(1000)) + "int main(void) { return f3(1) & 0; }\n", "-g")
subprocess.run([BENCH_MAKE, MANY, PROGRAM, "146", "1000", "1000"], check=True)
os.mkdir(SOME)
chunks, kept = {}, {}


def correlate_some():
    text = correlate("--cache=on", "-o", OUT, *HOW, SOME)
    found = re.search(r"^copied: (\d+) packed chunk", text, re.M)
    values = re.search(r"^kept: values of (\d+) threads in (\d+) tables", text, re.M)
    return int(found.group(1)) if found else 0, (int(values.group(1)), int(values.group(2))) if values else (0, 0)


for n in 126, 130, 142, 146:
    for rank in range(n):
        if not os.path.exists(os.path.join(SOME, f"sim.{rank}.hsr")):
            os.link(os.path.join(MANY, f"sim.{rank}.hsr"), os.path.join(SOME, f"sim.{rank}.hsr"))
    chunks[n], kept[n] = correlate_some()
correlate("-q", "--cache=none", "-j3", "-o", WHOLE, *HOW, SOME)
that(bytes_of(OUT) == bytes_of(WHOLE), "bands: other bytes")
that(2 * chunks[146] >= 3 * chunks[130], f"rows of the band that stays were not copied: {chunks}")
that([kept[n][0] for n in kept] == [0, 126, 130, 142] and all(kept[n][1] >= 6 for n in (130, 142, 146)), f"values that are there were made again: {kept}")
whole = bytes_of(WHOLE)

# values that can't be read though the database is the one that was noted: all is made anew
write(os.path.join(WORK, "unreadable.c"), b"""#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
ssize_t H5Iget_name(int64_t id, char *name, size_t size);
static int is_data(int64_t set) {
    char name[256] = "";
    return H5Iget_name(set, name, sizeof name) > 5 && strstr(name, "/data");
}
int H5Dread(int64_t set, int64_t type, int64_t memory, int64_t space, int64_t how, void *to) {
    if (is_data(set))
        return -1;
    return ((int (*)(int64_t, int64_t, int64_t, int64_t, int64_t, void *))dlsym(RTLD_NEXT, "H5Dread"))(set, type, memory, space, how, to);
}
int H5Dread_chunk(int64_t set, int64_t how, const uint64_t *at, uint32_t *filters, void *to) {
    if (is_data(set))
        return -1;
    return ((int (*)(int64_t, int64_t, const uint64_t *, uint32_t *, void *))dlsym(RTLD_NEXT, "H5Dread_chunk"))(set, how, at, filters, to);
}
""")
UNREADABLE = os.path.join(WORK, "unreadable.so")
subprocess.run([CC, "-shared", "-fPIC", "-o", UNREADABLE, os.path.join(WORK, "unreadable.c")], check=True)
os.remove(os.path.join(SOME, "sim.145.hsr"))
correlate_some()
os.link(os.path.join(MANY, "sim.145.hsr"), os.path.join(SOME, "sim.145.hsr"))
SHIMMED = {**ENVIRONMENT, "LD_PRELOAD": UNREADABLE, "ASAN_OPTIONS": "verify_asan_link_order=0"}
text = correlate("--cache=on", "-o", OUT, *HOW, SOME, env=SHIMMED)
that("run.h5: damaged: nothing of it is kept" in text and not re.search("^kept:", text, re.M), f"unreadable values: {text}")
that(bytes_of(OUT) == whole, "unreadable values: other bytes")
that("nothing is new" in correlate("--cache=on", "-o", OUT, *HOW, SOME, env=SHIMMED), "unreadable values: no record of what was made anew")

os.remove(os.path.join(SOME, "sim.5.hsr"))
correlate_some()
os.link(os.path.join(MANY, "sim.5.hsr"), os.path.join(SOME, "sim.5.hsr"))
that(correlate_some()[1] == (0, 0), "values were kept though a process came between")
that(bytes_of(OUT) == whole, "a process between: other bytes")
# samples by time: those of threads that were there, also where others have new call paths
TIMED = os.path.join(WORK, "timed")
os.mkdir(TIMED)
for before, n in ((0, 20), (20, 22), (22, 25)):
    for rank in range(before, n):
        os.link(os.path.join(MANY, f"sim.{rank}.hsr"), os.path.join(TIMED, f"sim.{rank}.hsr"))
    text = correlate("--cache=on", "-o", OUT, "--code=none", TIMED)
    correlate("-q", "--cache=none", "-j2", "-o", WHOLE, "--code=none", TIMED)
    found = re.search(r"^kept: samples in the order of time of (\d+) threads", text, re.M)
    that((int(found.group(1)) if found else 0) == before, f"samples by time of {n} threads: {text}")
    that(bytes_of(OUT) == bytes_of(WHOLE), f"samples by time of {n} threads: other bytes")
text = correlate("--cache=on", "-o", OUT, "--code=none", "--time=none", TIMED)
that("in the order of time" not in text, f"no times: {text}")
shutil.rmtree(TIMED)
rules = os.path.join(WORK, "rules")
write(rules, b"category mine\nprocedure f5 mine\n")
correlate("-q", "--cache=none", "-o", WHOLE, *HOW, "--categories", rules, SOME)
correlate("-q", "-o", OUT, *HOW, "--categories", rules, SOME)
that(bytes_of(OUT) == bytes_of(WHOLE) != whole, "other categories: other bytes, or the same as before")
shutil.rmtree(MANY)
shutil.rmtree(SOME)
os.remove(os.path.join(os.path.dirname(OUT), ".run.h5.cache"))
write(PROGRAM, saved)
time.sleep(YOUNG)
check("no bands", False, RUN)
check("no bands again", True, RUN)
made = bytes_of(OUT)

# ---- what it was made from is not to be believed ----
record = bytes_of(MADE)
that(os.stat(MADE).st_mode & 0o777 == 0o600, "others can read it")
for n, at in enumerate([0, 15, 16, 31, 32, 47, 48, 55, 56] + [len(record) * i // 9 for i in range(2, 9)] + [len(record) - 1]):
    write(MADE, record[:at] + bytes([record[at] ^ (1 << n % 8)]) + record[at + 1 :])
    text = correlate("-q", "-o", OUT, RUN)
    that(text.count("run.h5.made") == 1 and "not used" in text and bytes_of(OUT) == made, f"byte {at} changed: {text}")
for size in (0, 55, 56, len(record) // 2, len(record) - 1):
    write(MADE, record[:size])
    check(f"cut to {size}", False, RUN, note="not used")
write(MADE, record + b"more")
check("longer", False, RUN, note="damaged")
write(MADE, data)
check("another file", False, RUN, note="not a file of heatscope")
os.remove(MADE)
os.mkdir(MADE)
text = correlate("-q", "-o", OUT, RUN)
that(text.count("run.h5.made") >= 1 and bytes_of(OUT) == made, f"a folder in its place: {text}")
os.rmdir(MADE)
check("without it", False, RUN)
check("with it", True, RUN)
check("another user's", False, RUN, note="another user", env={**ENVIRONMENT, "XDG_CACHE_HOME": os.path.join(WORK, "keys2")})
os.remove(MADE)
check("none again", False, RUN)
check("none asked for", False, "--cache=none", RUN)
os.chmod(os.path.join(WORK, "keys", "heatscope", "key"), 0o644)
check("a key for all", False, RUN)
check("a key for all: nothing is kept", False, RUN)
if wrong:
    sys.exit("\n".join(wrong))
