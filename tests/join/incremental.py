# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""correlate with a cache: always the bytes of a join that reads all files, and exactly those files that are new are read: processes that are
added, that have grown, that are gone or stand elsewhere; other options; a cache that is damaged, cut, foreign or another user's; a join that is ended.
Usage: incremental.py HEATSCOPE BENCH_MAKE PROGRAMS WORK"""
import os
import re
import shutil
import signal
import subprocess
import sys

HEATSCOPE, BENCH_MAKE, PROGRAMS = sys.argv[1:4]
WORK = os.path.abspath(sys.argv[4])
FILES, SAMPLES, NODES, SITES = 6, 60, 80, 8
wrong = []
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": os.path.join(WORK, "keys")}
OUT, CACHE, MADE, WHOLE = (os.path.join(WORK, name) for name in ("out/run.h5", "out/.run.h5.cache", "out/.run.h5.made", "whole.h5"))
os.mkdir(os.path.join(WORK, "out"))


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def correlate(out, *arguments, env=ENVIRONMENT):
    """(status, what was said, files not read again)"""
    done = subprocess.run([HEATSCOPE, "correlate", "--code=none", "-o", out, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
    reused = re.search(r"^reused: (\d+) of", done.stdout, re.M)
    return done.returncode, done.stdout, int(reused.group(1)) if reused else 0


wholes = {}


def whole_join(name, arguments):
    """WHOLE is what these inputs give without a cache; made once."""
    facts = [(f, os.stat(os.path.join(a, f)).st_size) for a in arguments if os.path.isdir(a) for f in sorted(os.listdir(a))]
    key = (*(a for a in arguments if not re.match("-j|--memory", a)), *facts)
    if key not in wholes:
        status, text, _ = correlate(WHOLE, "-q", "--cache=none", *arguments)
        that(not status, f"{name}: without a cache: {status}: {text}")
        wholes[key] = bytes_of(WHOLE)
    write(WHOLE, wholes[key])


def check(name, reused, *arguments, note=None, env=ENVIRONMENT, cache="--cache=on"):
    """As without a cache; so many files not read; a line about the cache where there should be one. The database is not there before: where
    nothing is new it would be left alone (made.py)."""
    whole_join(name, arguments)
    if os.path.exists(OUT):
        os.remove(OUT)
    status, text, got = correlate(OUT, cache, *arguments, env=env)
    that(not status, f"{name}: {status}: {text}")
    that(not status and bytes_of(OUT) == bytes_of(WHOLE), f"{name}: other bytes")
    that(reused is None or got == reused, f"{name}: {got} files not read again, expected {reused}")
    notes = [line for line in text.splitlines() if "run.h5.cache" in line or "run.h5.made" in line]
    that(bool(notes) == bool(note) and len(notes) < 2 and (not note or note in notes[0]), f"{name}: said {notes}, expected {note}")
    left = sorted(os.listdir(os.path.dirname(OUT)))
    that(set(left) <= {"run.h5", ".run.h5.cache", ".run.h5.made", ".run.h5.sources"}, f"{name}: left behind {left}")


def inputs(folder, files):
    return sum(os.path.getsize(os.path.join(folder, f)) for f in files)


source, grown, other = (os.path.join(WORK, name) for name in ("simulated", "run", "other"))
subprocess.run([BENCH_MAKE, source, BENCH_MAKE, str(FILES), str(SAMPLES), str(NODES), str(SITES)], check=True)
names = sorted(os.listdir(source))
os.mkdir(grown)
os.mkdir(other)


def add(folder, *files):
    for f in files:
        shutil.copy(os.path.join(source, f), folder)


# ---- processes are added ----
add(grown, *names[:3])
check("nobody asks for one", 0, grown, cache="--cache=auto")
that(not os.path.exists(CACHE), "a cache that nobody asked for")
check("first time", 0, grown)
that(os.path.exists(CACHE) and os.path.getsize(CACHE) < inputs(grown, names[:3]), "no cache, or a larger one than the files are")
kept = bytes_of(CACHE)
check("nothing new", 3, grown)
that(bytes_of(CACHE) == kept, "nothing new: the cache was written again")
add(grown, *names[3:5])
check("two are added", 3, grown, "-j1")
check("two were added", 5, grown, "-j3", "--memory=1M", cache="--cache=auto")

# ---- options ----
check("no times", 5, grown, "--time=none")
check("times again", 5, grown)
os.remove(CACHE)
check("no times, first time", 0, grown, "--time=none")
check("times", 0, grown)
check("times again", 5, grown)
rules = os.path.join(WORK, "rules")
write(rules, b"category mine\nmodule * mine strong\n")
check("other categories", 5, grown, "--categories", rules)

# ---- processes grow, go and move ----
whole = bytes_of(os.path.join(source, names[5]))
write(os.path.join(grown, names[5]), whole[: len(whole) * 2 // 3])
check("one that has not ended", 5, grown)
check("one that has not ended yet", 5, grown)
write(os.path.join(grown, names[5]), whole)
check("it has ended", 5, grown)
check("it had ended", 6, grown)
os.remove(os.path.join(grown, names[0]))
check("one is gone", 5, grown)
subprocess.run(["touch", os.path.join(grown, names[1])], check=True)
os.rename(os.path.join(grown, names[2]), os.path.join(other, "elsewhere.hsr"))
add(other, names[0])
check("two directories", 5, grown, other)
check("the same the other way round", 6, other, grown)
shutil.rmtree(other)
check("the rest", 4, grown)

def processes(name):
    return 2 if name == "mpi" else 1


# ---- real ones: regions, scopes, events of messages, traces ----
measured = []
for name, program, *command in (("omp", "rt_omp", "env", "OMP_NUM_THREADS=3", "{}", "regions"),
                                ("nested", "rt_omp_causes", "env", "OMP_NUM_THREADS=3", "{}", "nested", "1", "3"),
                                ("varying", "rt_omp_causes", "env", "OMP_NUM_THREADS=3", "{}", "varying", "1", "3"),
                                ("mpi", "rt_message_waits", "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2", "{}")):
    path = os.path.join(PROGRAMS, program)
    if not os.path.exists(path) or not shutil.which(command[0]):
        continue
    measured.append(os.path.join(WORK, name))
    done = subprocess.run([HEATSCOPE, "run", "--trace", "-o", measured[-1], "--", *(path if c == "{}" else c for c in command)],
                          env={k: v for k, v in ENVIRONMENT.items() if k != "DISPLAY"}, capture_output=True, text=True)
    that(not done.returncode, f"{name}: {done.returncode}: {done.stderr}")
    check(name, 0, measured[-1])
    check(f"{name} again", processes(name), measured[-1])
if measured:
    check("measured ones and simulated ones", None, grown, *measured)
    check("measured ones and simulated ones again", 4 + sum(processes(os.path.basename(m)) for m in measured), grown, *measured)
check("simulated ones", None, grown)

# ---- a cache that is not to be used ----
kept = bytes_of(CACHE)
head = 80
for n, at in enumerate([0, 17, 33, 49, 57, 65, head + 1, len(kept) - 1] + [head + (len(kept) - head) * i // 7 for i in range(1, 7)]):
    write(CACHE, kept[:at] + bytes([kept[at] ^ (1 << n % 8)]) + kept[at + 1 :])
    os.remove(OUT)
    status, text, _ = correlate(OUT, "-q", grown)
    notes = [line for line in text.splitlines() if "run.h5.cache" in line]
    that(not status and bytes_of(OUT) == bytes_of(WHOLE), f"byte {at} changed: {status}: {text}")
    that(len(notes) == 1, f"byte {at} changed: said {notes}")
for size in (0, head - 1, len(kept) // 2, len(kept) - 1):
    write(CACHE, kept[:size])
    check(f"cut to {size}", 0, grown, note="not used")
write(CACHE, kept + b"more")  # of a join that was ended while it went on with it
check("longer", 4, grown)
write(CACHE, whole)
check("another file", 0, grown, note="not a cache")
os.remove(CACHE)
os.mkdir(CACHE)
os.remove(OUT)
status, text, _ = correlate(OUT, "-q", grown)
that(not status and bytes_of(OUT) == bytes_of(WHOLE) and "run.h5.cache" in text, f"a folder in its place: {status}: {text}")
os.rmdir(CACHE)
check("deleted", 0, grown)
mine, theirs = bytes_of(CACHE), {**ENVIRONMENT, "XDG_CACHE_HOME": os.path.join(WORK, "keys2")}
check("another user's", 0, grown, note="another user", env=theirs)
write(CACHE, mine)
key = os.path.join(WORK, "keys", "heatscope", "key")
that(os.stat(key).st_mode & 0o777 == 0o600, "the key can be read by others")
os.chmod(key, 0o644)
check("a key for all", 0, grown, note="key")
os.chmod(key, 0o600)
os.remove(MADE)
check("mine", 4, grown)
# bodies of one cache in another with the same place and length
add(grown, names[0])
check("one more", 4, grown)
later = bytes_of(CACHE)
write(CACHE, kept[:head] + later[head:])
check("another one's head", 0, grown, note="not used")

# ---- where nothing is gone a cache is gone on with ----
large, step, linked = (os.path.join(WORK, name) for name in ("large", "step", "linked"))
subprocess.run([BENCH_MAKE, large, BENCH_MAKE, "16", "6000", "20", str(SITES)], check=True)
os.mkdir(step)
later = sorted(os.listdir(large))


def grow(name, count, known):
    """With so many files, of which some are known; whether the cache is the same file, which has grown."""
    before = os.stat(CACHE)
    for f in later[:count]:
        shutil.copy(os.path.join(large, f), step)
    check(name, known, step)
    now = os.stat(CACHE)
    return now.st_ino == before.st_ino and now.st_size > before.st_size


that(not grow("four of others", 4, 0), "a cache of others is gone on with")
that(grow("five", 5, 4), "five: another file")
old = bytes_of(CACHE)
that(grow("six", 6, 5), "six: another file")
write(CACHE, old[:80] + bytes_of(CACHE)[80:])  # ended before its head was written
check("the head of five", 5, step)
os.link(CACHE, linked)
held = bytes_of(linked)
that(not grow("seven, with another name", 7, 6) and bytes_of(linked) == held, "a cache with another name was written")
os.remove(linked)
went_on = sum(grow(f"{n}", n, n - 1) for n in range(8, 17))
size = os.path.getsize(CACHE)
os.remove(CACHE)
check("all at once", 0, step)
that(went_on and os.path.getsize(CACHE) <= size < 2 * os.path.getsize(CACHE), f"{went_on} of 9 times gone on with, {size} bytes, at once {os.path.getsize(CACHE)}")

# ---- a join that is ended ----
for delay in (0.01, 0.05):
    shutil.copy(os.path.join(source, names[2]), os.path.join(grown, "more.hsr"))
    p = subprocess.Popen([HEATSCOPE, "correlate", "-q", "--cache=on", "-o", OUT, grown], env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    try:
        p.wait(delay)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGTERM)
    p.wait()
    left = sorted(os.listdir(os.path.dirname(OUT)))
    that(set(left) <= {"run.h5", ".run.h5.cache", ".run.h5.made", ".run.h5.sources"}, f"ended after {delay} s: left behind {left}")
    check(f"after one that was ended after {delay} s", None, grown)
    os.remove(os.path.join(grown, "more.hsr"))
for value in ("", "yes", "onn"):
    status, text, _ = correlate(OUT, f"--cache={value}", grown)
    that(status == 2 and len(text.splitlines()) == 1 and "--cache" in text, f"--cache={value}: {status}: {text}")
if wrong:
    sys.exit("\n".join(wrong))
