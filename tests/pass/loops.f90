! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Loops of Fortran: flang gives no loop metadata; headers come from control flow, keywords and ends from the text.
! RUN: for o in 0 1 2 3; do %fc -g -O$o -c %s -o %t.$o.o; %map %t.$o.o | %check; done
! RUN: %fc -O2 -c %s -o %t.plain.o
! RUN: %map %t.plain.o | %check
! CHECK: loops.f90: Fortran, -O{{[0-3]}}, 5 procedures, 14 loops
module work
contains
  ! CHECK: [[#@LINE+1]]-[[#@LINE+58]] work::loops
  subroutine loops(a, b, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    integer :: i, j
    ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+3]] do:
    do i = 1, n
      a(i) = b(i)*2
    end do
    ! CHECK-NEXT: [[#@LINE+1]] array statement:
    a(2:) = a(2:) + 1.0
    ! CHECK-NEXT: [[#@LINE+2]]-[[#@LINE+3]] array statement:
    ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+4]] array statement:
    where (a > 0)
      b = 3.0
    elsewhere
      b = 4.0
    end where
    ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+3]] do concurrent:
    do concurrent (i=1:n)
      a(i) = a(i) + b(i)
    end do
    j = 0
    ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+4]] while:
    do while (j < n)
      j = j + 1
      b(j) = j
    end do
    ! CHECK-NEXT: [[#@LINE+2]]-[[#@LINE+4]] do:
    ! CHECK-NEXT: [[#@LINE+2]]-[[#@LINE+3]] do:
    do 10 i = 1, n
      do 10 j = 1, n
10      a(i) = a(i) + j
    ! CHECK-NEXT: [[#@LINE+2]]-[[#@LINE+7]] do:
    ! CHECK-NEXT: [[#@LINE+2]]-[[#@LINE+4]] do:
    outer: do i = 1, n
      inner: do j = i, n
        if (a(j) < 0) cycle outer
      end do inner
      b(i) = a(i)
    end do outer
    ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+4]] do:
    do
      call contained(j)
      if (j < 0) exit
    end do
    ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+3]] goto:
20  j = j + 1
    a(j) = b(j)
    if (j < n) goto 20
  contains
    ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+6]] work::loops::contained
    subroutine contained(k)
      integer, intent(inout) :: k
      ! CHECK-NEXT: [[#@LINE+1]] do:
      do i = 1, n; a(i) = k*a(i); end do
      k = int(a(1))
    end subroutine
  end subroutine
  ! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+7]] work::bounds
  subroutine bounds(x, n)
    integer, intent(in) :: n
    ! what the statement below needs of this declaration is no jump
    real(8), intent(inout) :: x(0:n+1)
    ! CHECK-NEXT: [[#@LINE+1]] array statement:
    x(1:n) = x(1:n) + 0.001d0
  end subroutine
end module

! CHECK-NEXT: [[#@LINE+1]]-[[#@LINE+7]] tests
program tests
  use work
  real(8) :: x(100), y(100)
  read *, x, y
  call loops(x, y, 100)
  call bounds(x, 98)
end program
! CHECK: main (made by the compiler)
