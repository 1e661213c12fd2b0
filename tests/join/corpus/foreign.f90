! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Loops in Fortran for other compilers than ours; the comments as in foreign.c.
subroutine sweep(a, n, m)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n, m)
  integer, volatile :: sink
  integer :: i, j
  do j = 2, m ! loop columns
    do i = 2, n ! loop rows
      sink = i ! in rows columns
    end do
    sink = j ! in columns
  end do
  j = 0
  do while (j < m) ! loop while
    sink = 3 ! in while
    j = j + 2
  end do
  a(1, 1) = sink
end subroutine

program main
  real(8) :: a(30, 20)
  a = 0
  call sweep(a, 30, 20)
  print *, a(1, 1)
end program
