! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Fortran for the symbol test: a module, contained procedures, array statements, nests.
module grid
  implicit none
contains
  subroutine relax(a, b, n, m)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n, m), b(n, m)
    integer :: i, j
    do j = 2, m - 1
      do i = 2, n - 1
        b(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
    a(2:n - 1, 2:m - 1) = b(2:n - 1, 2:m - 1)
    call fold(a)
  contains
    subroutine fold(x)
      real(8), intent(inout) :: x(:, :)
      integer :: k
      do k = 1, size(x, 2)
        x(:, k) = x(:, k) - sum(x(:, k)) / size(x, 1)
      end do
    end subroutine fold
  end subroutine relax

  function norm(a) result(s)
    real(8), intent(in) :: a(:)
    real(8) :: s
    integer :: i
    s = 0
    do i = 1, size(a)
      if (a(i) < 0) cycle
      s = s + a(i)**2
    end do
    s = sqrt(s)
  end function norm
end module grid
