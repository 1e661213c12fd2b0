#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""map_diff.py HEATSCOPE WORK_FOLDER: heatscope map --diff and --listing on builds whose differences are known by construction."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys

heatscope, work = os.path.abspath(sys.argv[1]), sys.argv[2]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
wrong = []

C = """#include <string.h>
static double twice(double x) { return x * 2; }
double helper(double x);
void scale(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++)
        a[i] = twice(b[i]) + i;
}
double total(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s += a[i * n + j];
    return s;
}
void through(double *a, const double **b, int n) {
    for (int i = 0; i < n; i++)
        a[i] = helper(*b[i]);
    for (int i = 0; i < n; i++)
        a[i] += *b[0];
}
void region(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] *= 3;
}
"""
F = """subroutine sweep(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  real(8), intent(in) :: b(n)
  integer :: i
  do i = 1, n
    a(i) = a(i) + 2 * b(i)
  end do
end subroutine
"""


def call(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def build(name, source, *flags, file="part.c"):
    """Every build has the source in a file of one name: only what is in it and the options differ."""
    with open(file, "w") as f:
        f.write(source)
    call(heatscope, "fc" if file.endswith("f90") else "cc", "-g", "-fopenmp", "-c", file, "-o", name, *flags)
    return name


def diff(a, b):
    rows = list(csv.DictReader(io.StringIO(call(heatscope, "map", "--diff", "--format=csv", a, b))))
    if rows != [{k: "" if v is None else str(v) for k, v in row.items()}
                for row in json.loads(call(heatscope, "map", "--diff", "--format=json", a, b))]:
        wrong.append(f"{a} {b}: csv and json differ")
    text = call(heatscope, "map", "--diff", a, b)
    if bool(rows) == text.endswith("no difference\n"):
        wrong.append(f"{a} {b}: text says {text.splitlines()[-1]}")
    return rows


def expect(what, rows, *wanted):
    """Each wanted: (change, procedure, start of `of`), all of them and nothing else; remarks only where one is asked for."""
    got = [(r["change"], r["procedure"], r["of"]) for r in rows]
    if not any(w[0].startswith("remark") for w in wanted):
        got = [g for g in got if not g[0].startswith("remark")]
    left = list(got)
    for w in wanted:
        hit = next((g for g in left if g[0] == w[0] and g[1].startswith(w[1]) and g[2].startswith(w[2])), None)
        if not hit:
            wrong.append(f"{what}: no {w} in {got}")
        else:
            left.remove(hit)
    if left:
        wrong.append(f"{what}: not expected: {left}")


plain = build("plain.o", C, "-O2")
shutil.copy("part.c", "plain.c")
expect("equal", diff(plain, build("same.o", C, "-O2")))

# lines that only move: text elsewhere, in front of everything, in one line with other blanks
moved = "/* more */\n\n\n#define UNUSED 1\n" + C.replace("double total(", "/* a\n * b\n */\ndouble total(")
expect("moved", diff(plain, build("moved.o", moved, "-O2")))
added = C.replace("double total(", "int extra(const int *p) {\n    int s = 0;\n    for (int i = 0; i < 1000; i++)\n"
                  "        s ^= p[i];\n    return s;\n}\ndouble total(")
more = build("more.o", added, "-O2")
expect("added", diff(plain, more), ("procedure added", "extra", "procedure"), ("loop added", "extra", "for 10"))
expect("removed", diff(more, plain), ("procedure removed", "extra", "procedure"))

# a loop put before others of the procedure: those stay what they are
before = build("before.o", C.replace("    for (int i = 0; i < n; i++)\n        a[i] = helper(*b[i]);", "    for (int k = 0; k < n; k++)\n"
               "        if (a[k] < 0)\n            helper(a[k]);\n    for (int i = 0; i < n; i++)\n        a[i] = helper(*b[i]);"), "-O2")
expect("loop before", diff(plain, before), ("loop added", "through", "for 16"))
expect("loop taken out", diff(before, plain), ("loop removed", "through", "for 16"))
# a region put before another: the compiler numbers them anew
regions = build("regions.o", C.replace("void region(", "void first(double *a, int n) {\n#pragma omp parallel for\n"
                "    for (int i = 0; i < n; i++)\n        a[i] -= a[i] * a[i];\n}\nvoid region("), "-O2")
rows = diff(plain, regions)
if any("region" in r["procedure"] for r in rows):
    wrong.append(f"region: numbered anew, taken for changed: {rows}")

# what the options do
scalar = build("scalar.o", C, "-O2", "-fno-vectorize")
rows = diff(plain, scalar)
lost = [(r["procedure"], r["line_before"]) for r in rows if r["change"] == "vector code lost"]
if ("scale", "5") not in lost or any(r["change"] == "vector code gained" for r in rows):
    wrong.append(f"-fno-vectorize: {rows}")
gained = [(r["procedure"], r["line_before"]) for r in diff(scalar, plain) if r["change"] == "vector code gained"]
if sorted(lost) != sorted(gained):
    wrong.append(f"lost {lost}, gained {gained} the other way round")
fast = build("fast.o", C, "-O2", "-ffast-math")
rows = diff(plain, fast)
expect("-ffast-math", [r for r in rows if r["procedure"] == "total" and "vector" in r["change"]], ("vector code gained", "total", "for 11"))
if not any(r["change"] == "remark gone" and r["procedure"] == "total" and "floating-point" in r["before"] for r in rows):
    wrong.append(f"-ffast-math: no reason gone: {rows}")
not_inlined = build("not_inlined.o", C, "-O2", "-fno-inline")
rows = [r for r in diff(plain, not_inlined) if r["change"].startswith("inlining")]
expect("-fno-inline", rows, ("inlining lost", "scale", "call of twice in line 6"))

# what was inlined and left no code was no call either: code of it in the other build is nothing gained
nothing = build("nothing.o", C.replace("x * 2", "x"), "-O2")
expect("no code left", [r for r in diff(nothing, plain) + diff(plain, nothing) if r["change"].startswith("inlining")])
wide = build("wide.o", C, "-O2", "-mavx2")
rows = [r for r in diff(plain, wide) if r["procedure"] == "scale" and not r["change"].startswith("remark")]
expect("-mavx2", rows, ("vector width changed", "scale", "for 5"))
unrolled = build("no_unroll.o", C, "-O2", "-fno-vectorize", "-fno-unroll-loops")
rows = diff(scalar, unrolled)
if not any(r["change"] == "unrolling lost" for r in rows) or any("gained" in r["change"] for r in rows):
    wrong.append(f"-fno-unroll-loops: {rows}")
# restrict: no check at run time whether a and b overlap, so no loop for when they do
restricted = C.replace("void through(double *a, const double **b, int n) {", "void through(double *restrict a, const double **restrict b, int n) {")
rows = [r for r in diff(plain, build("restricted.o", restricted, "-O2")) if r["procedure"] == "through"]
if not any(r["change"] == "scalar fall-back lost" and r["of"].startswith("for 18") for r in rows):
    wrong.append(f"restrict: {rows}")
third = build("third.o", C, "-O3")
if any(r["change"] in ("loop added", "loop removed", "procedure added", "procedure removed") for r in diff(plain, third)):
    wrong.append("-O3: other loops or procedures")

# Fortran
f2 = build("f2.o", F, "-O2", file="part.f90")
f3 = build("f3.o", "! moved\n" + F, "-O3", file="part.f90")
rows = diff(f2, f3)
if any(r["change"] in ("loop added", "loop removed", "procedure added", "procedure removed") for r in rows):
    wrong.append(f"Fortran: {rows}")
expect("Fortran, back", diff(f3, f3))

# an archive, a mapping file, a folder with both the objects and the program: the same loops
call("ar", "rc", "all.a", plain, f2)
call(heatscope, "map", "-o", "plain.hsm", plain)
expect("mapping file", diff("plain.hsm", plain))
os.mkdir("folder")
for name in (plain, f2, "all.a"):
    shutil.copy(name, "folder")
expect("folder", diff("folder", "all.a"))

# the listing
with open("part.c", "w") as f:
    f.write(C)
listing = call(heatscope, "map", "--listing", "--width=90", plain)
if any(len(line) > 90 for line in listing.splitlines()):
    wrong.append("listing: lines of more than 90 columns")
lines = listing.splitlines()
for text in ("   5 | V2------<      for (int i = 0; i < n; i++)", "   6 | V2------>          a[i] = twice(b[i]) + i;",
             "-- not vectorised: cannot prove it is safe to reorder", "inlined: twice (part.c:2)"):
    if not any(text in line for line in lines):
        wrong.append(f"listing: no '{text}' in\n{listing}")
if "\033" in listing:
    wrong.append("listing: colour in a pipe")
only = call(heatscope, "map", "--listing", "--only=total", plain)
if "total" not in only or "scale" in only:
    wrong.append(f"listing --only=total:\n{only}")
if "| V2-" not in call(heatscope, "map", "--listing", "--only=part.c", plain, plain):
    wrong.append("listing --only=part.c: no loops")
os.rename("part.c", "away.c")
if "no source" not in call(heatscope, "map", "--listing", plain):
    wrong.append("listing: says nothing of a source that is gone")
rows = list(csv.DictReader(io.StringIO(call(heatscope, "map", "--format=csv", plain))))
if [r["outcome"] for r in rows if r["procedure"] == "scale"] != ["vector"] or len(rows) != 6:
    wrong.append(f"table of loops: {rows}")

print("\n".join(wrong))
print(f"map_diff: {len(wrong)} wrong")
sys.exit(bool(wrong))
