! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Procedures that end in a region of OpenMP, which compilers fork by a jump.
module way
  implicit none
  integer, parameter :: n = 400000
  real(8) :: a(n), b(n)
contains
  subroutine doubled()
    integer :: i
    !$omp parallel do ! doubled
    do i = 1, n
      a(i) = a(i) / b(i) + 1 ! doubled body
    end do
    !$omp end parallel do
  end subroutine
  subroutine summed()
    integer :: i
    !$omp parallel do ! summed
    do i = 1, n
      b(i) = b(i) / a(i) + 2 ! summed body
    end do
    !$omp end parallel do
  end subroutine
end module
