! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! An array whose bounds only the run knows.
module m
contains
subroutine smooth(a, n, k)
  integer, intent(in) :: n, k
  real(8), intent(inout) :: a(n, k)
  integer :: i, j
  do j = 1, k
    do i = 1, n
      a(i, j) = a(i, j) * 0.5d0 + 1d0
    end do
  end do
end subroutine
end module
program p
  use m
  real(8) :: x(60)
  character(10) :: s
  integer :: n
  call get_command_argument(1, s)
  read (s, *) n
  x = 1
  call smooth(x, n, 60 / n)
  print *, sum(x) > 0
end program
