! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Why a loop is vector code or is not, in Fortran: flang has no loop nodes, so remarks find their loops by the code.
! RUN: %fc -O2 -g -c %s -o %t.o; %map --remarks %t.o > %t.map; %check < %t.map
! CHECK: flow1
! CHECK-NEXT: do:
! CHECK: loop not vectorized: {{.*}} [loop-vectorize: dependence between iterations]
! CHECK: [[#@LINE+5]]:6: flow dependence, written here, read at [[#@LINE+5]]:6 1 iteration later; prevents vector code
subroutine flow1(n, a, b)
  integer :: n, i
  real(8) :: a(n), b(n)
  do i = 2, n
     a(i) = a(i-1) * 0.5d0 + b(i)
  end do
end subroutine
! CHECK: flow3
! CHECK: flow dependence, {{.*}} 3 iterations later
subroutine flow3(n, a, b)
  integer :: n, i
  real(8) :: a(n), b(n)
  do i = 4, n
     a(i) = a(i-3) * 0.5d0 + b(i)
  end do
end subroutine
! CHECK: fpsum
! CHECK: [loop-vectorize: order of floating-point operations]
subroutine fpsum(n, a, s)
  integer :: n, i
  real(8) :: a(n), s
  s = 0
  do i = 1, n
     s = s + a(i)
  end do
end subroutine
! CHECK: ind
! CHECK: [loop-vectorize: address read from memory in the loop]
! CHECK: dependence, {{.*}}at an unknown distance; address read from memory
subroutine ind(n, a, ix)
  integer :: n, i, ix(n)
  real(8) :: a(n)
  do i = 1, n
     a(ix(i)) = a(ix(i)) + 1
  end do
end subroutine
! what is said of a loop whose inner one is unrolled belongs to the outer one, like the dependence
! CHECK: unrolled
! CHECK-NEXT: [[#@LINE+7]]-{{.*}} do: as written
! CHECK-NEXT: [[#@LINE+8]]:9: loop not vectorized: unsafe dependent memory operations
! CHECK-NEXT: [[#@LINE+7]]:9: flow dependence, written here, read at [[#@LINE+7]]:9 1 iteration later; prevents vector code
! CHECK: [[#@LINE+5]]-{{.*}} do: unrolled fully
subroutine unrolled(n, a)
  integer :: n, i, m
  real(8) :: a(3, n)
  do i = 2, n
     do m = 1, 3
        a(m,i) = a(m,i-1) * a(m,i) + a(1,i)
     end do
  end do
end subroutine
! CHECK: early
! CHECK: [loop-vectorize: leaves before its count is reached]
subroutine early(n, a, k)
  integer :: n, i, k, a(n)
  do i = 1, n
     if (a(i) == k) exit
  end do
  k = i
end subroutine
! CHECK: fine
! CHECK-NEXT: do: {{.*}}vector 2 lanes
subroutine fine(n, a, b)
  integer :: n, i
  real(8) :: a(n), b(n)
  do i = 1, n
     a(i) = b(i) + 1
  end do
end subroutine
