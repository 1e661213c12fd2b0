# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heatscope diff of instances of one template: the only one of each run is another instance, not the other one renamed; a template that was renamed is.
Usage: instances.py HEATSCOPE RECORDS.TXT WORK (RECORDS.TXT: a text dump that begins with this version's schema chunk)"""
import csv
import io
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from made_up import MadeUp  # noqa: E402

HEATSCOPE, RECORDS, WORK = sys.argv[1:4]
SOURCE = """template <int N> struct place {
    int at;
    bool operator<(const place &other) const;
};
template <int N> bool place<N>::operator<(const place &other) const {
    int here = at * N + 3, there = other.at * N + 5;
    return here < there;
}
template <int N> int smooth(int *x, int n) {
    for (int i = N; i < n; i++)
        x[i] = x[i - N] * 3 + x[i];
    return x[n - 1];
}
template struct place<M>;
template int smooth<M>(int *, int);
"""
TAKES = "(int*, int)"


def run(name, procedure, arguments, change=("", "")):
    """A made-up run with 300 samples in a procedure of a library that is built for it."""
    m = MadeUp(HEATSCOPE, RECORDS, os.path.join(WORK, name))
    with open(os.path.join(m.work, "library.cpp"), "w", encoding="utf-8") as f:
        f.write(SOURCE.replace(*change).replace("M>", arguments + ">"))
    path = os.path.join(m.work, "library.so")
    m.run("c++", "-g", "-O1", "-shared", "-fPIC", "-nostdlib", "-Wl,--build-id=sha1", "-Wl,-Ttext=0x2000", "-o", path, os.path.join(m.work, "library.cpp"))
    found = [line.split() for line in said("nm", path) if procedure in line]
    m.that(len(found) == 1, f"{procedure} in {found}")
    build_id = next(line.split()[-1] for line in said("readelf", "-n", path) if "Build ID" in line)
    m.process(7, "/made/up/program", (10, 300), library=path, address=int(found[0][0], 16) + 2, build_id=build_id)
    m.run("correlate", "-o", m.database, m.work)
    return m


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def compare(a, b):
    rows = csv.DictReader(io.StringIO(a.run("diff", "--by=procedure", "--format=csv", a.database, b.database)))
    return [(r["procedure_a"], r["procedure"], r["matched"], r["periods_a"], r["periods_b"]) for r in rows if "<" in r["procedure"]]


one, again, two = run("one", "6smooth", "1"), run("again", "6smooth", "1"), run("two", "6smooth", "2")
renamed = run("renamed", "5rough", "2", ("smooth", "rough"))
rows = compare(one, again)
one.that(rows == [(f"int smooth<1>{TAKES}", f"int smooth<1>{TAKES}", "same", "300", "300")], f"the same instance: {rows}")
rows = compare(one, two)
one.that(rows == [(f"int smooth<1>{TAKES}", f"int smooth<2>{TAKES}", "other instance", "300", "300")], f"two instances: {rows}")
text = one.run("diff", "--by=procedure", one.database, two.database)
one.that("another instance than smooth<1>" in " ".join(text.split()), f"as text: {text}")
rows = compare(one, renamed)
one.that(rows == [(f"int smooth<1>{TAKES}", f"int rough<2>{TAKES}", "renamed", "300", "300")], f"a template that was renamed: {rows}")
less_1, less_2 = run("less_1", "placeILi1EEl", "1"), run("less_2", "placeILi2EEl", "2")
rows = compare(less_1, less_2)
one.that([r[2:] for r in rows] == [("other instance", "300", "300")] and "place<2>::operator<" in rows[0][1], f"an operator of two instances: {rows}")
one.wrong += again.wrong + two.wrong + renamed.wrong + less_1.wrong + less_2.wrong
one.end()
