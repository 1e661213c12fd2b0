! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Components of types that a module of another file defines, beside this one: their names.
! RUN: mkdir -p %t.mod
! RUN: for o in 0 2; do %fc -g -O$o -module-dir %t.mod -c $(dirname %s)/component_types.f90 -o %t.types.o || exit 1; %fc -g -O$o -I%t.mod -c %s -o %t.$o.o || exit 1; %map --arrays %t.$o.o | %check; done
subroutine step(dt)
  use component_types
  implicit none
  real(8), intent(in) :: dt
  integer :: i, k
  ! CHECK: [[#@LINE+6]]:{{.*}} reads world%bodies()%speed(k, 1)
  ! CHECK: [[#@LINE+5]]:{{.*}} writes world%bodies()%force(k, 1)
  ! CHECK: [[#@LINE+5]]:{{.*}} reads world%bodies()%point%x(i)
  ! CHECK: [[#@LINE+4]]:{{.*}} writes world%bodies()%point%z(i)
  do i = 1, world%n
    do k = 1, 3
      world%bodies(i)%force(k, 1) = dt*world%bodies(i)%speed(k, 1)
      world%bodies(i)%z = world%bodies(i)%x
    end do
  end do
  ! types without components on the heap
  do i = 1, 20
    ! CHECK: [[#@LINE+2]]:{{.*}} reads spot()%d(i)
    ! CHECK: [[#@LINE+1]]:{{.*}} writes spot()%e(i)
    spot(i)%e = spot(i)%d
    ! CHECK: [[#@LINE+2]]:{{.*}} reads last()%g(i)
    ! CHECK: [[#@LINE+1]]:{{.*}} writes long()%f(i)
    long(i)%f = last(i)%g
    ! CHECK: [[#@LINE+2]]:{{.*}} reads last()%h(i)
    ! CHECK: [[#@LINE+1]]:{{.*}} writes long()%plain%c(i)
    long(i)%c = last(i)%h
  end do
end subroutine
