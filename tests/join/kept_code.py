# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What correlate keeps of modules for all later joins of the same user: used where the files are those that were read, whatever the output and the
measurement, and only there; damaged, cut, foreign, too young or too many. Each database has the bytes of one that is made from nothing.
Usage: kept_code.py HEATSCOPE BENCH_MAKE CC WORK"""
import contextlib
import os
import shutil
import subprocess
import sys
import time

HEATSCOPE, BENCH_MAKE, CC = sys.argv[1:4]
WORK = os.path.abspath(sys.argv[4])
wrong = []
shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
KEYS, PROGRAM, WHOLE = (os.path.join(WORK, name) for name in ("keys", "program", "whole.h5"))
FOLDER = os.path.join(KEYS, "heatscope", "code")
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": KEYS, "XDG_DATA_HOME": os.path.join(WORK, "data"), "HOME": WORK}
YOUNG = 0.12  # seconds after a change for which a file is not trusted to bear another time after the next
LONG_AGO = 1_500_000_000


def that(condition, complaint):
    if not condition:
        wrong.append(str(complaint))


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def is_text(path):
    """Instructions of a module; others are what was read of it."""
    with contextlib.suppress(OSError), open(path, "rb") as f:
        return f.read(14) == b"heatscope text"
    return False


def kept(texts=False):
    names = os.listdir(FOLDER) if os.path.isdir(FOLDER) else []
    return {name: os.lstat(os.path.join(FOLDER, name)) for name in names if is_text(os.path.join(FOLDER, name)) == texts}


def age():
    """So that it shows who is used."""
    for name in os.listdir(FOLDER) if os.path.isdir(FOLDER) else []:
        os.utime(os.path.join(FOLDER, name), (LONG_AGO, LONG_AGO), follow_symlinks=False)


joins = 0


def changes(before, after):
    """How many files were used, how many are new."""
    new = [n for n, s in after.items() if n not in before or (s.st_ino, s.st_mode) != (before[n].st_ino, before[n].st_mode)]
    return len([n for n, s in after.items() if n not in new and s.st_mtime != LONG_AGO]), len(new)


def check(name, used, written, source, *options, note=None, env=ENVIRONMENT, texts=None):
    """So many files of the folder are used, so many are new; into a database of its own each time. `texts`: the same of instructions."""
    global joins
    joins += 1
    age()
    before, before_texts = kept(), kept(True)
    held = [os.open(os.path.join(FOLDER, n), os.O_RDONLY) for n in [*before, *before_texts]]  # so that no other file gets the number of one that goes
    out = os.path.join(WORK, f"out{joins}.h5")
    done = subprocess.run([HEATSCOPE, "correlate", *(options or ["-j1"]), "-o", out, source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
    that(not done.returncode, f"{name}: {done.returncode}: {done.stdout}")
    others = [o for o in options if not o.startswith("--cache")]
    subprocess.run([HEATSCOPE, "correlate", "-q", *others, "--cache=none", "-o", WHOLE, source], check=True, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
    that(bytes_of(out) == bytes_of(WHOLE), f"{name}: other bytes")
    found, of_texts = changes(before, kept()), changes(before_texts, kept(True))
    for fd in held:
        os.close(fd)
    that(found == (used, written), f"{name}: {found[0]} used, {found[1]} written, expected {used}, {written}: {done.stdout}")
    that(texts is None or of_texts == texts, f"{name}: instructions: {of_texts[0]} used, {of_texts[1]} written, expected {texts}: {done.stdout}")
    notes = [line for line in done.stdout.splitlines() if "heatscope/code/" in line]
    that(len(notes) == bool(note) and (not note or note in notes[0]), f"{name}: said {notes}, expected {note}")
    os.remove(out)


def build(factor=3, instrumented=True):
    """A program with procedures, inlined copies, loops and their versions, arrays and references."""
    text = ["#include <math.h>\n#include <stdio.h>\nstatic double a[100], b[100][100];\nstruct s { double x[8]; } s;\n",
            "static inline double twice(const double *p, int n) { double r = 0; for (int i = 0; i < n; i++) r += p[i] * 2; return r; }\n"]
    for i in range(60):
        text.append(f"double f{i}(int n, double *p, double *q) {{\n  double r = {i};\n  for (int j = 0; j < n; j++)\n    for (int k = 0; k < n; k++)\n"
                    f"      r += b[j][k] * p[k] * {factor};\n  for (int k = 0; k < n; k++)\n    q[k] = p[k + {i}] + a[k];\n  if (r < 0)\n    puts(\"x\");\n"
                    f"  return r + twice(p, n) + sin(s.x[{i % 8}]);\n}}\n")
    text.append("int main(void) { return (int)f3(1, a, a) & 0; }\n")
    source = os.path.join(WORK, "program.c")
    write(source, "".join(text).encode())
    compiler = [HEATSCOPE, "cc"] if instrumented else [CC]
    subprocess.run([*compiler, "-O2", "-g", "-Wl,--build-id", "-o", PROGRAM, source, "-lm"], check=True, stderr=subprocess.DEVNULL)
    time.sleep(YOUNG)


def simulate(name, ranks):
    path = os.path.join(WORK, name)
    subprocess.run([BENCH_MAKE, path, PROGRAM, str(ranks), "4000", "300"], check=True)
    return path


build()
one, two = simulate("one", 2), simulate("two", 3)
check("nothing is kept", 0, 0, one, "--cache=none")
that(not os.path.exists(FOLDER), "something is kept where nothing should be")
check("first", 0, 1, one, texts=(0, 1))
files = list(kept())
that(len(files) == 1 and os.stat(os.path.join(FOLDER, files[0])).st_mode & 0o777 == 0o600, f"one file for the user alone: {files}")
that(os.stat(FOLDER).st_mode & 0o777 == 0o700, "others can look into the folder")
check("again", 1, 0, one, texts=(1, 0))
check("another measurement", 1, 0, two, "-j2", texts=(1, 0))
check("with a cache of what was read", 1, 0, two, "--cache=on")
check("other options", 1, 0, two, "--assembler=intel", "--launchers", texts=(0, 1))
check("the same options", 1, 0, two, "--assembler=intel", texts=(1, 0))
check("no machine code", 1, 0, two, "--code=none", texts=(0, 0))
check("nothing is kept and nothing used", 0, 0, two, "--cache=none")

# ---- other files ----
saved = bytes_of(PROGRAM)
write(PROGRAM, saved)
time.sleep(YOUNG)
check("written once more", 0, 1, one)
check("and kept", 1, 0, one)
write(PROGRAM + ".hsm", b"no map")
time.sleep(YOUNG)
check("a file in the place of its map", 1, 0, one)  # the program has its map in itself: nobody looks there
os.remove(PROGRAM + ".hsm")
build(factor=5)
check("another build", 0, 1, one, texts=(0, 1))
check("another build again", 1, 0, two, texts=(1, 0))
build(instrumented=False)
of_plain = simulate("of_plain", 2)
check("without a map", 0, 1, of_plain)
check("without a map again", 1, 0, of_plain)
os.mkdir(os.path.join(of_plain, "maps"))
identity = subprocess.run(["readelf", "-n", PROGRAM], capture_output=True, text=True, check=True).stdout.split("Build ID: ")[1].split()[0]
write(os.path.join(of_plain, "maps", identity + ".hsm"), b"no map")
time.sleep(YOUNG)
check("a map in the measurement", 0, 0, of_plain)  # of this measurement only: not kept
os.remove(os.path.join(of_plain, "maps", identity + ".hsm"))
check("it is gone", 1, 0, of_plain)
debug = PROGRAM + ".debug"
subprocess.run(["objcopy", "--only-keep-debug", PROGRAM, debug], check=True)
subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", PROGRAM], check=True)
time.sleep(YOUNG)
check("stripped", 0, 1, of_plain)
check("stripped again", 1, 0, of_plain)
os.rename(debug, debug + ".away")
check("its debug information is gone", 0, 1, of_plain, texts=(0, 1))
check("its debug information is gone again", 1, 0, of_plain)
os.rename(debug + ".away", debug)
time.sleep(YOUNG)
check("its debug information is back", 0, 1, of_plain)
os.remove(PROGRAM)
check("no program", 0, 0, of_plain)

# ---- not to be believed ----
shutil.rmtree(FOLDER)
build()
one = simulate("one", 2)
check("from nothing", 0, 1, one)
path = os.path.join(FOLDER, list(kept())[0])  # of the only module
good = bytes_of(path)
for n, at in enumerate([0, 15, 16, 31, 32, 39, 40, 48] + [len(good) * i // 7 for i in range(1, 7)] + [len(good) - 1]):
    write(path, good[:at] + bytes([good[at] ^ (1 << n % 8)]) + good[at + 1 :])
    check(f"byte {at} changed", 0, 1, one, note="damaged: the module is read")
for size in (0, 39, 40, len(good) // 2, len(good) - 1):
    write(path, good[:size])
    check(f"cut to {size}", 0, 1, one, note="damaged: the module is read")
path_of_text = os.path.join(FOLDER, list(kept(True))[0])
text = bytes_of(path_of_text)
for at in (16, 39, 40, len(text) // 3, len(text) // 2, len(text) - 1):
    write(path_of_text, text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :])
    check(f"byte {at} of the instructions changed", 1, 0, one, note="damaged: the module is read", texts=(0, 1))
for size in (14, 40, len(text) // 2, len(text) - 1):
    write(path_of_text, text[:size])
    check(f"instructions cut to {size}", 1, 0, one, note="damaged: the module is read", texts=(0, 1))
write(path_of_text, good)
check("another file in their place", 1, 0, one, note="damaged: the module is read", texts=(0, 1))
# some pieces are known, others are new: of a small limit, then of none
os.remove(path_of_text)
check("few instructions", 1, 0, one, "--code=1", texts=(0, 1))
few = os.path.getsize(path_of_text)
check("more instructions", 1, 0, one, texts=(0, 1))
that(os.path.getsize(path_of_text) > few, "nothing was added to the instructions that were known")
check("all are known", 1, 0, one, texts=(1, 0))
check("few of them", 1, 0, one, "--code=1", texts=(1, 0))
saved, PROGRAM = PROGRAM, PROGRAM + "2"
build(factor=7)
another = simulate("another", 2)
check("a second program", 0, 1, another)
second = bytes_of(os.path.join(FOLDER, next(n for n in kept() if n != os.path.basename(path))))
PROGRAM = saved
write(path, second)
check("that of another module", 0, 1, one, note="damaged: the module is read")
write(path, good + b"more")
check("longer", 0, 1, one, note="damaged: the module is read")
check("mended", 1, 0, one)
os.remove(path)
os.mkdir(path)
check("a folder in its place", 0, 0, one, note="cannot be read")
os.rmdir(path)
os.symlink(PROGRAM, path)
check("a link in its place", 0, 1, one, note="cannot be read")
that(bytes_of(PROGRAM), "the link was followed")
other = {**ENVIRONMENT, "XDG_CACHE_HOME": os.path.join(WORK, "keys2")}
shutil.copytree(FOLDER, os.path.join(WORK, "keys2", "heatscope", "code"))
check("another user's", 0, 0, one, env=other)
shutil.rmtree(FOLDER)
write(FOLDER, b"")
check("a file in the place of the folder", 0, 0, one)
os.remove(FOLDER)

# ---- not too many ----
check("once more from nothing", 0, 1, one)
mine = list(kept())[0]
for i in range(5):
    write(os.path.join(FOLDER, f"{i:032x}"), b"")
    os.truncate(os.path.join(FOLDER, f"{i:032x}"), 60 << 20)
write(os.path.join(FOLDER, "0" * 32 + ".part-1"), b"left behind")
check("nothing is written: nobody looks", 1, 0, one)
os.remove(os.path.join(FOLDER, mine))
check("written", 0, 1, one)
left = kept()
that(mine in left and sum(s.st_size for s in left.values()) <= 256 << 20 and len(left) >= 4, f"the folder holds {sum(s.st_size for s in left.values())} bytes: {list(left)}")
if wrong:
    sys.exit("\n".join(wrong))
