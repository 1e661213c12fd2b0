! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Intrinsic procedures of which flang writes an inline form of its own, without lines: they are named as in the source, their
! loops are loops of their own copies, and their code is of the line of the call.
! RUN: %fc -g -O2 -c %s -o %t.o; %map %t.o | %check
! RUN: llvm-objdump-19 -d -l %t.o | %check --check-prefix=LINES
! CHECK: total
! CHECK-NEXT: do: as written
! CHECK: [[#@LINE+18]] sum
! CHECK-NEXT: [[#@LINE+17]] loop: {{.*}}unrolled
! CHECK: [[#@LINE+17]] dot_product
! CHECK-NEXT: [[#@LINE+16]] loop: unrolled
! CHECK-NOT: unrolled fully
! LINES: intrinsics.f90:[[#SUM:@LINE+13]]{{$}}
! LINES-NEXT: addsd
! LINES-NEXT: addsd
! LINES: intrinsics.f90:[[#SUM+1]]{{$}}
! LINES-NOT: intrinsics.f90:
! LINES: mulsd
real(8) function total(a, b, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(2000), b(2000)
  integer :: i
  total = 0
  do i = 1, n
    total = total + sum(a)
    total = total + dot_product(a, b)
  end do
end function
