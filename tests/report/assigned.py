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
sys.exit("\n".join(wrong) or 0)
