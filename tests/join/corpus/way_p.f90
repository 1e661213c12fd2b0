! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program p
  use way
  implicit none
  integer :: k
  a = 3
  b = 5
  do k = 1, 240
    call doubled() ! doubled call
    call summed() ! summed call
  end do
  print *, a(n) + b(n)
end program
