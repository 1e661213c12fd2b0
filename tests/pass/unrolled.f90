! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Copies of a loop's body, where all reads of a statement stand at one place and what neighbours both read is read once.
! RUN: %fc -O3 -c %s -o %t.o; %map %t.o | %check
module unrolled
  real(8), allocatable :: w(:), a(:, :)
  real(8) :: scale
contains
  ! CHECK: unrolled::whole
  ! CHECK-NEXT: do: unrolled x2
  real(8) function whole()
    integer :: i
    whole = 0
    do i = 1, 21998
      whole = whole + w(i)
    end do
  end function
  ! CHECK: unrolled::columns
  ! CHECK-NEXT: do: unrolled x2
  ! CHECK-NEXT: do: unrolled fully (2 times)
  real(8) function columns(n)
    integer :: i, j, n
    columns = 0
    do j = 1, n
      do i = 1, 4
        columns = columns + a(i, j)
      end do
    end do
  end function
  ! CHECK: unrolled::neighbours
  ! CHECK-NEXT: do: {{epilogue, unrolled x4|unrolled x4, epilogue}}
  real(8) function neighbours(v, n)
    integer :: i, n
    real(8) :: v(n)
    neighbours = 0
    do i = 2, n
      neighbours = neighbours + v(i) * v(i - 1) * scale
    end do
  end function
  ! An array intrinsic's loops have no name of ours; four copies of the inner one, each with what is left over of it.
  ! CHECK: sum
  ! CHECK: unrolled fully
  ! CHECK-NEXT: {{epilogue \(4 times\), unrolled x4 \(4 times\)|unrolled x4 \(4 times\), epilogue \(4 times\)}}
  subroutine summed(v, n, repeats, total)
    integer, intent(in) :: n, repeats
    real(8), intent(inout) :: v(n, 4)
    real(8), intent(out) :: total
    integer :: i
    total = 0
    do i = 1, repeats
      total = total + sum(v)
      v(1, 1) = total * 1d-9
    end do
  end subroutine
end module
