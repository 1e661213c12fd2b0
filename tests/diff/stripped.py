# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff of code without symbols: an address is the same procedure in the same build of a file, in another build it is none,
and what is left over on both sides is never paired by its order.
Usage: stripped.py HEATSCOPE RECORDS.TXT WORK CC (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import csv
import io
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from made_up import MadeUp  # noqa: E402

HEATSCOPE, RECORDS, WORK, CC = sys.argv[1:5]


def library(name, factor):
    """A stripped library of two procedures: its path, its build id and their addresses, which are in the mapping of a made-up process."""
    folder = os.path.join(WORK, name)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "library.so")
    source = f"int f(int x) {{ return x * {factor} + 3; }}\nint g(int x) {{ return x * {factor + 10} + 5; }}\n"
    subprocess.run([CC, "-O1", "-shared", "-fPIC", "-nostdlib", "-fvisibility=hidden", "-fasynchronous-unwind-tables", "-Wl,--build-id=sha1",
                    "-Wl,-Ttext=0x2000", "-x", "c", "-", "-o", path], input=source, text=True, check=True)
    at = {w[2]: int(w[0], 16) for w in map(str.split, said("nm", path)) if len(w) == 3}
    build_id = next(line.split()[-1] for line in said("readelf", "-n", path) if "Build ID" in line)
    subprocess.run(["strip", path], check=True)
    return path, build_id, at


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def run(name, of, procedure):
    path, build_id, at = of
    m = MadeUp(HEATSCOPE, RECORDS, os.path.join(WORK, name))
    m.process(7, "/made/up/program", (10, 300), library=path, address=at[procedure] + 2, build_id=build_id)
    m.run("correlate", "-o", m.database, m.work)
    return m


def compare(a, b):
    rows = csv.DictReader(io.StringIO(a.run("diff", "--by=procedure", "--format=csv", a.database, b.database)))
    return [(r["procedure"], r["matched"], r["periods_a"], r["periods_b"]) for r in rows if "+0x" in r["procedure"]]


build, other_build = library("build", 101), library("other_build", 103)
f, g = (f"library.so+0x{build[2][name]:x}" for name in "fg")
of_f, again, of_g, other = run("f", build, "f"), run("again", build, "f"), run("g", build, "g"), run("other", other_build, "f")
of_f.that(build[2] == other_build[2] and build[1] != other_build[1], f"two builds: {build} {other_build}")

rows = compare(of_f, again)
of_f.that(rows == [(f, "same", "300", "300")], f"the same address of the same file: {rows}")
rows = compare(of_f, of_g)
of_f.that(sorted(rows) == [(f, "unmatched", "300", "0"), (g, "unmatched", "0", "300")], f"two addresses of one file: {rows}")
rows = compare(of_f, other)
of_f.that(sorted(rows) == [(f, "unmatched", "0", "300"), (f, "unmatched", "300", "0")], f"one address of two builds: {rows}")
of_f.end()
