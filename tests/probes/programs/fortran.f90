! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Known counts in Fortran: a module procedure, a contained one, a loop, an OpenMP region.
module work
contains
  subroutine solve(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 2, n
      a(i) = a(i) + a(i - 1) * 0.5d0
    end do
  end subroutine
end module
program main
  use work
  real(8) :: a(1000)
  integer :: k
  a = 1
  do k = 1, 25
    call solve(a, 1000)
  end do
  print *, a(1000) > 0
end program
