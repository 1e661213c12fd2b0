# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The finding on assignments of arrays that flang's runtime does: told with all of their time, by the lines that they stand on; nothing of it in a program that has loops in their place.
Usage: assigned.py HEATSCOPE HEATSCOPE-FC WORK"""
import csv
import os
import re
import shutil
import subprocess
import sys

HEATSCOPE, FC, WORK = sys.argv[1:4]
wrong = []
SOURCE = """module m
  type field
    real(8), allocatable :: d(:, :)
  end type
contains
  subroutine step(u, v, n)
    type(field), intent(inout) :: u
    real(8), intent(in) :: v(:)
    integer, intent(in) :: n
    integer :: i
    do i = 1, n
      {assignment}
    end do
  end subroutine
end module
program p
  use m
  type(field) :: u
  real(8) :: v(3)
  integer :: k, n
  n = 20000
  allocate(u%d(3, n))
  u%d = 0
  v = 1
  do k = 1, {rounds}
    call step(u, v, n)
  end do
  print *, sum(u%d)
end program
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=WORK).stdout


def that(good, what):
    if not good:
        wrong.append(what)


shutil.rmtree(WORK, ignore_errors=True)
os.makedirs(WORK)
told = {}
for name, assignment, rounds in (("whole", "u%d(:, i) = u%d(:, i) + v * i", 300), ("loop", "do j = 1, 3; u%d(j, i) = u%d(j, i) + v(j) * i; end do", 2000)):
    source = os.path.join(WORK, name + ".f90")
    with open(source, "w") as f:
        f.write(SOURCE.format(assignment=assignment, rounds=rounds).replace("integer :: i\n", "integer :: i, j\n"))
    run(FC, "-O2", "-g", "-o", name, source)
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", name + ".run", "./" + name)
    told[name] = re.sub(r"\s+", " ", run(HEATSCOPE, "report", name + ".run"))
finding = re.search(r"\d+\. (Array assignments: .*? mostly need none\.)", told["whole"])
finding = finding.group(1) if finding else ""
line = SOURCE[:SOURCE.index("{assignment}")].count("\n") + 1
called = [r for r in csv.DictReader(run(HEATSCOPE, "report", "--by=procedure", "--format=csv", "whole.run").splitlines()) if r["procedure"].startswith("_FortranAAssign")]
share = re.search(r"s, ([0-9.]+) % \(", finding)
that(share and called and abs(float(share.group(1)) - sum(float(r["inclusive_pct"]) for r in called)) < 0.2, f"its share, of {[r['inclusive_pct'] for r in called]}: {finding}")
that(f"step at whole.f90:{line}," in finding.replace(WORK.rsplit("/", 1)[-1] + "/", ""), f"line {line}: {finding}")
that("Array assignments" not in told["loop"], f"loops: {told['loop'][:1500]}")

# a row is copied for a call that takes an array of explicit shape, and back; a column is not; MATMUL is no loop of the program's
OTHER = """module m
contains
  subroutine total(n, x, s)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    real(8), intent(inout) :: s
    s = s + sum(x) * 1d-9
    x(1) = s
  end subroutine
end module
program p
  use m
  integer, parameter :: n = 400
  real(8) :: a(n, n), s
  integer :: i, k
  a = 1
  s = 0
  do k = 1, {rounds}
    do i = 1, n
      call total(n, {section}, s) ! here
    end do
  end do
  do k = 1, 12
    a = matmul(a, a) / n ! product
  end do
  print *, s, a(3, 4)
end program
"""
for name, section, rounds in (("rows", "a(i, :)", 300), ("columns", "a(:, i)", 1500)):
    source = os.path.join(WORK, name + ".f90")
    with open(source, "w") as f:
        f.write(OTHER.format(section=section, rounds=rounds))
    run(FC, "-O2", "-o", name, source)
    run(HEATSCOPE, "run", "-q", "-F", "1000", "--budget=off", "-o", name + ".data", "./" + name)
    rows = list(csv.DictReader(run(HEATSCOPE, "report", "--by=finding", "--format=csv", "--top=0", name + ".data").splitlines()))
    text = {row["title"]: row["text"] for row in rows}
    lines = {mark: next(n for n, line in enumerate(open(source), 1) if "! " + mark in line) for mark in ("here", "product")}
    copied, intrinsic = text.get("Copied arguments", ""), text.get("Intrinsic procedures", "")
    that(("main program p at rows.f90:%d" % lines["here"] in copied) == (name == "rows") and bool(copied) == (name == "rows"), f"{name}: copied: {text}")
    that("at %s.f90:%d" % (name, lines["product"]) in intrinsic and "(MATMUL)" in intrinsic, f"{name}: intrinsic: {text}")
    that("Array assignments" not in text, f"{name}: no assignment: {text}")
sys.exit("\n".join(wrong) or 0)
