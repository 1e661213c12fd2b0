! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! For places.c: array syntax, internal procedures, reductions.
module steps
contains
  subroutine smooth(a, b)
    real(8), intent(inout) :: a(:, :), b(:, :)
    integer :: i, j
    do j = 2, size(a, 2) - 1
      do i = 2, size(a, 1) - 1
        b(i, j) = 0.25*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
    a = b
    where (a > 0.5) a = 1 - a
    call clip()
  contains
    subroutine clip()
      integer :: k
      do concurrent(k=1:size(a, 1))
        a(k, 1) = max(a(k, 1), 0.0_8)
      end do
    end subroutine
  end subroutine
end module

program places
  use steps
  real(8) :: x(40, 40), y(40, 40)
  integer :: n
  call random_number(x)
  y = x
  n = 0
  do while (n < 10)
    call smooth(x, y)
    n = n + 1
  end do
  print *, sum(x), maxval(y), dot_product(x(:, 1), y(:, 2))
end program
