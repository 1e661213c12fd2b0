! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Sums over arrays of assumed shape: how far the next element is only the run knows, but of the first dimension it mostly is the next in memory.
module m
contains
  subroutine total(x, s)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: s
    integer :: i
    s = 0
    do i = 1, size(x)   ! FIRST
      s = s + x(i)
    end do
  end subroutine
  subroutine pairs(c, n, s)
    integer, intent(in) :: n
    real(8), intent(in) :: c(:, :)
    real(8), intent(out) :: s
    integer :: i
    s = 0
    do i = 1, n   ! SECOND
      s = s + c(1, i) * c(2, i)
    end do
  end subroutine
  subroutine diagonal(c, n, s)
    integer, intent(in) :: n
    real(8), intent(in) :: c(:, :, :)
    real(8), intent(out) :: s
    integer :: i
    s = 0
    do i = 1, n   ! SEVERAL
      s = s + c(1, i, i)
    end do
  end subroutine
end module
program p
  use m
  real(8) :: x(2000), c(2, 2000), d(2, 40, 40), s, t
  integer :: i
  x = 1; c = 1; d = 1; t = 0
  do i = 1, merge(5000000, 150000, command_argument_count() > 0)
    if (command_argument_count() > 0) then
      call diagonal(d, 40, s); t = t + s
      cycle
    end if
    call total(x, s); t = t + s
    call pairs(c, 2000, s); t = t + s
    x(3) = i
  end do
  print *, t
end program
