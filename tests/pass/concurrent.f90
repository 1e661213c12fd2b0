! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Several controls of one statement: each loop of it has its own.
! RUN: for o in 0 2; do %fc -g -O$o -c %s -o %t.$o.o || exit 1; %map %t.$o.o | %check; done
subroutine pairs(x, y, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: x(n, m), y(n, m)
  integer :: i, j
  ! CHECK: [[#@LINE+2]]-[[#@LINE+4]] do concurrent: {{.*}}[j = 1, m{{[];]}}
  ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+3]] do concurrent: {{.*}}[i = 2, n{{[];]}}
  do concurrent (j = 1:m, i = 2:n)
    x(i, j) = y(i, j) + x(i - 1, j)
  end do
  ! CHECK: [[#@LINE+2]]-[[#@LINE+4]] do concurrent: {{.*}}[i = 1, n{{[];]}}
  ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+3]] do concurrent: {{.*}}[k = 3, 9; step 2; {{.*}}4 iterations]
  do concurrent (integer :: i = 1:n, k = 3:9:2, y(i, k) > 0)
    x(i, k) = y(i, k)
  end do
end subroutine
