! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! What heatscope.f90 offers.
program controls
  use heatscope
  implicit none
  real(8) :: x
  integer :: i
  print '(a,l1)', 'measuring ', heatscope_measuring()
  call heatscope_begin('solve step')
  x = 0
  do i = 1, 50000000
    x = x * 0.9999d0 + 1
  end do
  call heatscope_counter('residual', x)
  call heatscope_end('solve step')
  call heatscope_end()
end program
