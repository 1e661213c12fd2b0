! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! What an earlier step preprocessed: lines are of the source, columns are of what was compiled, which has other ones.
! RUN: %fc -E %s > %t.f90
! RUN: %fc -O1 -g -c %t.f90 -o %t.o
! RUN: %map %t.o -o %t.map
! RUN: %dump %t.map | %check
! CHECK: loop loop_id=1 {{.*}}line_begin=[[#@LINE+13]] {{.*}}line_end=[[#@LINE+18]] kind=5(do) {{.*}}induction="j"
! CHECK: loop loop_id=2 {{.*}}line_begin=[[#@LINE+13]] {{.*}}line_end=[[#@LINE+16]] kind=5(do) {{.*}}induction="i"
! CHECK: loop loop_id=3 {{.*}}line_begin=[[#@LINE+17]] {{.*}}kind=7(array)
! CHECK: loop loop_id=4 {{.*}}line_begin=[[#@LINE+17]] {{.*}}kind=2(while)
subroutine add(a, b, n)
  implicit none
  integer :: n
  real :: a(n, n), b(n, n)
  integer :: i, &
             j



  do j = 1, n
              do i = 1, n
    a(i, j) = a(i, j) + b(i, j) &
      * 2.0
              end do
  end do
       a(:, 1) = 0.0
  do while (a(1, 1) < 10.0)
    a(1, 1) = a(1, 1) * 1.5 + b(1, 1)
  end do
end subroutine
