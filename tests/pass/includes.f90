! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Statements in files that a procedure includes are of those files: flang gives them the numbers of their lines there, and the file that includes.
! RUN: mkdir -p %t.d/far; printf '! first\n\n      a(i) = a(i) + &\n        b(i)\n      b(i) = b(i) * 2\n' > %t.d/near.inc
! RUN: printf '      b(i) = b(i) - a(i)\n' > %t.d/far/far.inc; printf '! second\n      b(i) = b(i) - a(i)\n      a(i) = 0.5d0 * a(i)\n' > %t.d/far/longer.inc
! RUN: printf '      a(i) = a(i) * 3\n      a(i) = a(i) - 1\n' > %t.d/e.inc; printf '      b(i) = b(i) * 3\n      b(i) = b(i) - 1\n' > %t.d/b.inc
! RUN: cp %s %t.d/unit.f90; cd %t.d; %fc -cpp -I far -O1 -g -c unit.f90 -o unit.o
! RUN: cd %t.d; %map --arrays unit.o | %check
! RUN: cd %t.d; %dwarfdump --debug-line unit.o | FileCheck-19 --check-prefix=LINES %s
! RUN: cd %t.d; flang-new-19 -cpp -I far -O1 -g -c unit.f90 -o plain.o; for f in unit plain; do objcopy -O binary --only-section=.text $f.o $f.text; done; cmp unit.text plain.text
! CHECK: do: {{.*}}[i = 1, n]
! CHECK-NEXT: 3:7 reads a(i): contiguous
! CHECK: 5:7 writes b(i): contiguous
! CHECK-NEXT: 1:7 reads b(i): contiguous
! CHECK: [[#%u,SELF:]]:7 writes b(i): contiguous
! LINES-DAG: name: "{{.*}}near.inc"
! LINES-DAG: name: "far.inc"
! LINES-DAG: name: "e.inc"
! LINES-DAG: name: "b.inc"
! LINES-NOT: longer.inc
subroutine work(a, b, n)
  implicit none
  integer :: n, i
  real(8) :: a(n), b(n)
  do i = 1, n
#include "near.inc"
#ifdef LONGER
#include "longer.inc"
#else
      include 'far.inc'
#endif
      b(i) = b(i) + 1
#include "e.inc"
#include "b.inc"
  end do
end subroutine
