# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is advised of sums that stay scalar and have few iterations each time: constants for bounds only where bounds are the same each time, and no promise where elements come through
an index array. Usage: bounds.py HEATSCOPE HEATSCOPE-CC HEATSCOPE-C++ HEATSCOPE-FC|- WORK"""
import csv
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, CC, CXX, FC, WORK = sys.argv[1:6]
wrong = []
CONSTANTS = ": bounds that are constants let the compiler unroll it instead"
FEW = "it seems to have few iterations each time, for which vector code may stay unused"
with open("/proc/cpuinfo", encoding="utf-8") as f:
    longer = "avx2" in f.read().split()

C = """#include <stdlib.h>
enum { ROWS = 2000, MOST = 5 };
static struct rows { int *begin, *index; double *values; int few; } m;
static double x[ROWS], y[ROWS];
static inline int last(const struct rows *r, int i) { return r->begin[i + 1]; }
#define ROUND __attribute__((noinline)) static void
ROUND element(int n, const int *begin, const int *index, const double *values) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = begin[i]; k < begin[i + 1]; k++) /* ELEMENT */
            sum += values[k] * x[index[k]];
        y[i] = sum;
    }
}
ROUND variable(int n, const int *begin, const double *values) {
    int from, to;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        from = begin[i];
        to = begin[i + 1];
        for (int k = from; k < to; k++) /* VARIABLE */
            sum += values[k] * 0.5;
        y[i] = sum;
    }
}
__attribute__((noinline)) static double row(const int *begin, int i, const double *values) {
    double sum = 0;
    const int from = begin[i], to = begin[i + 1];
    for (int k = from; k < to; k++) /* ROW */
        sum += values[k] * 0.5;
    return sum;
}
ROUND called(int n, const double *values) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = m.begin[i]; k < last(&m, i); k++) /* CALLED */
            sum += values[k] * 0.5;
        y[i] = sum;
    }
}
ROUND triangle(int n, const double *values) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = i; k < i + 1 + i % 4; k++) /* TRIANGLE */
            sum += values[k] * 0.5;
        y[i] = sum;
    }
}
ROUND same(int n, int radius, const struct rows *r, const double *values) {
    int few = r->few, to = radius + 1;
    for (int i = 2; i < n - 2; i++) {
        double sum = 0, other = 0;
        for (int k = -radius; k < to; k++) /* SAME */
            sum += values[i + k] * 0.5;
        for (int k = 0; k < (int)few; k++) /* MEMBER */
            other += values[i + k] * 0.25;
        y[i] = sum * other;
    }
}
int main(int count, char **words) {
    m = (struct rows){malloc((ROWS + 1) * sizeof(int)), malloc(ROWS * MOST * sizeof(int)), malloc(ROWS * MOST * sizeof(double)), count + 3};
    int n = 0;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0 * (m.begin[i] = n); k < 3 + i % 2; k++) {
            x[i] = i;
            m.index[n] = (7 * n) % ROWS;
            m.values[n++] = 1e-3 * n;
        }
    m.begin[ROWS] = n;
    for (int k = 0; k < 12000; k++) {
        element(ROWS, m.begin, m.index, m.values);
        variable(ROWS, m.begin, m.values);
        for (int i = 0; i < ROWS; i++)
            y[i] += row(m.begin, i, m.values);
        called(ROWS, m.values);
        triangle(ROWS, m.values);
        same(ROWS, count + 1, &m, m.values);
    }
    return y[5] > 1 && !words;
}
"""
SCATTER = """enum { N = 2000 };
static int index[N];
static double y[N], values[N];
__attribute__((noinline)) static void scatter(int n, const int *at, const double *by, double *z) {
    for (int i = 0; i < n; i++) /* SCATTER */
        z[at[i]] = z[at[i]] * by[i];
}
int main(int count, char **words) {
    for (int i = 0; i < N; i++)
        values[index[i] = 7 * i % (N - 5)] = i;
    for (int k = 0; k < 60000; k++)
        scatter(N, index, values, y);
    return y[3] > 1 && count && !words;
}
"""
CPP = """#include <vector>
struct elements {
    const int *first, *last;
    const int *begin() const { return first; }
    const int *end() const { return last; }
};
struct graph {
    std::vector<int> from, to;
    elements of(int i) const { return {to.data() + from[i], to.data() + from[i + 1]}; }
};
static std::vector<double> x(2000), y(2000);
__attribute__((noinline)) static void pull(const graph &g) {
    for (int i = 0; i < 2000; i++) {
        double sum = 0;
        for (int v : g.of(i)) // NEIGHBOURS
            sum += x[v];
        y[i] = sum;
    }
}
int main() {
    graph g;
    for (int i = 0; i < 2000; i++) {
        g.from.push_back(g.to.size());
        for (int k = 0; k < 3 + i % 2; k++)
            g.to.push_back((7 * i + k) % 2000);
    }
    g.from.push_back(g.to.size());
    for (int k = 0; k < 40000; k++)
        pull(g);
    return y[5] > 1;
}
"""
FORTRAN = """module sums
contains
  subroutine rows(n, first, at, a, x, y)
    integer, intent(in) :: n, first(n + 1), at(*)
    real(8), intent(in) :: a(*), x(*)
    real(8), intent(out) :: y(n)
    real(8) :: s
    integer :: i, k, low, high
    do i = 1, n
      s = 0
      do k = first(i), first(i + 1) - 1  ! ELEMENT
        s = s + a(k) * x(at(k))
      end do
      y(i) = s
    end do
    do i = 1, n
      s = 0
      LOW = first(i)
      HIGH = first(i + 1) - 1
      do k = low, high  ! VARIABLE
        s = s + a(k) * 0.5d0
      end do
      y(i) = y(i) + s
    end do
  end subroutine
  subroutine same(n, few, a, y)
    integer, intent(in) :: n, few
    real(8), intent(in) :: a(*)
    real(8), intent(out) :: y(n)
    real(8) :: s
    integer :: i, k
    do i = 1, n
      s = 0
      do k = 1, few  ! SAME
        s = s + a(i + k) * 0.5d0
      end do
      y(i) = s
    end do
  end subroutine
end module
program p
  use sums
  integer :: first(2001), at(8000), i, k
  real(8) :: a(8000), x(2000), y(2000)
  k = 1
  do i = 1, 2000
    first(i) = k
    k = k + 3 + mod(i, 2)
  end do
  first(2001) = k
  do i = 1, 8000
    at(i) = 1 + mod(7 * i, 2000)
    a(i) = i
  end do
  x = 1
  do i = 1, 15000
    call rows(2000, first, at, a, x, y)
    call same(2000, 3 + command_argument_count(), a, y)
  end do
  print *, y(3)
end program
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def that(good, what):
    if not good:
        wrong.append(what)


def at(text, word):
    return str(next(i for i, line in enumerate(text.splitlines(), 1) if re.search(rf"(/\*|//|!) {word}\b", line)))


def advice(name, compiler, text, *options):
    with open(os.path.join(WORK, name), "w", encoding="utf-8") as f:
        f.write(text)
    program = name.replace(".", "_")
    run(compiler, "-O2", "-g", *options, name, "-o", program)
    run(HEATSCOPE, "run", "-q", "-F", "2000", "--budget=off", "-o", "m." + program, "./" + program)
    rows = list(csv.DictReader(run(HEATSCOPE, "report", "--by=reason", "--format=csv", "--top=0", "m." + program).splitlines()))
    return lambda word: next((r["advice"] for r in rows if r["line_begin"] == at(text, word)), "no row")


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
INDEXED = ("-ffast-math{} may let it, where the order of operations does not matter to the result; elements that come through an index array {}, and gain little where they wait for memory").format
SHORT, LONG = INDEXED(", with -march=native,", "mostly need longer vectors"), INDEXED("", "are gathered")
for options in ((), ("-march=native",)) if longer else ((),):
    told = advice(f"rows{len(options)}.c", CC, C, *options)
    that(told("ELEMENT") == (LONG if options or not longer else SHORT) + "; " + FEW, f"{options}: through an index array: {told('ELEMENT')}")
    that("-ffast-math lets it, where " in told("ROW") and CONSTANTS not in told("ROW"), f"{options} ROW: {told('ROW')}")
    for word, may in (("VARIABLE", False), ("CALLED", False), ("TRIANGLE", False), ("SAME", True), ("MEMBER", True)):
        that(told(word).startswith("-ffast-math lets it, where ") and told(word).endswith("; " + FEW + (CONSTANTS if may else "")), f"{options} {word}: {told(word)}")
    # and so it is: of an index array the compiler makes vectors where the processor's may be used
    run(CC, "-O2", "-g", "-ffast-math", *options, f"rows{len(options)}.c", "-o", "fast")
    versions = re.search(rf"^ *{at(C, 'ELEMENT')}\S* +for: (.*)", run(HEATSCOPE, "map", "fast"), re.M)
    that(versions and ("vector" in versions[1]) == bool(options), f"{options} -ffast-math: {versions}")
told = advice("scatter.c", CC, SCATTER)
that(told("SCATTER") == "#pragma omp simd before the loop, with -fopenmp-simd, lets it, where no iteration touches what another one writes; where it waits for elements that come through an index array, it gains little",
     f"scatter: {told('SCATTER')}")
told = advice("pull.cpp", CXX, CPP)
that(told("NEIGHBOURS").startswith(SHORT if longer else LONG) and CONSTANTS not in told("NEIGHBOURS"), f"C++: {told('NEIGHBOURS')}")
if FC != "-":
    told = advice("rows.f90", FC, FORTRAN)
    that(told("ELEMENT") == (SHORT if longer else LONG) + "; " + FEW, f"Fortran: {told('ELEMENT')}")
    for word, may in (("VARIABLE", False), ("SAME", True)):
        that(FEW + (CONSTANTS if may else "") == told(word).partition("result; ")[2], f"Fortran {word}: {told(word)}")

for what in wrong:
    print(what)
sys.exit(bool(wrong))
