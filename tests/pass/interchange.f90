! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Innermost loops over another subscript than the first, where one round them is over that.
! RUN: for o in 0 2; do %fc -g -O$o -c %s -o %t.$o.o || exit 1; %map --remarks %t.$o.o | %check; done
! RUN: for o in 0 2; do %map --remarks %t.$o.o | sed -n '/ wave$/,$p' > %t.txt; grep -q ' right$' %t.txt; if grep exchanged %t.txt; then exit 1; fi; done
! CHECK: stencil
! CHECK: a(i - 1, j) and others go on by 8*n bytes from one iteration to the next; with the loops over i (line [[#@LINE+6]]) and j (line [[#@LINE+7]]) exchanged, by 8 bytes; no dependence is against it
subroutine stencil(a, b, n)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n)
  real(8), intent(out) :: b(n, n)
  integer :: i, j
  do i = 2, n - 1
    do j = 2, n - 1
      b(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
    end do
  end do
end subroutine
! the loop over the first subscript is two further out
! CHECK: cube
! CHECK: and others go on by 8*n*n bytes {{.*}} over i (line [[#@LINE+6]]) and k (line [[#@LINE+8]]) exchanged, by 8 bytes; no dependence is against it
subroutine cube(a, b, n)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n, n)
  real(8), intent(out) :: b(n, n, n)
  integer :: i, j, k
  do i = 2, n - 1
    do j = 2, n - 1
      do k = 2, n - 1
        b(i, j, k) = 0.25d0 * (a(i - 1, j, k) + a(i + 1, j, k) + a(i, j - 1, k) + a(i, j, k + 1))
      end do
    end do
  end do
end subroutine
! arrays that descriptors tell of: of a module, of the caller, of any shape
! CHECK: modular
! CHECK: kept(i, j) and others go on by 8*size(kept, 1) bytes {{.*}} exchanged, by 8 bytes; no dependence is against it
! CHECK: given
! CHECK: a(i, j) goes on by 8*size(a, 1) bytes {{.*}} exchanged, by 8 bytes; no dependence is against it
! CHECK: shaped
! CHECK: a(i, j) and others go on by stride(a, 2) bytes {{.*}} exchanged, by stride(a, 1) bytes, one element where it is contiguous; no dependence is against it
module descriptors
  real(8), allocatable :: kept(:,:), other(:,:)
contains
  subroutine modular(n)
    integer :: n, i, j
    do i = 1, n
      do j = 1, n
        kept(i, j) = kept(i, j) + 2*other(i, j)
      end do
    end do
  end subroutine
  subroutine given(a, n)
    integer :: n, i, j
    real(8), allocatable :: a(:,:)
    do i = 1, n
      do j = 1, n
        a(i, j) = a(i, j) + 2
      end do
    end do
  end subroutine
  subroutine shaped(a, b, n)
    integer :: n, i, j
    real(8) :: a(:,:), b(:,:)
    do i = 1, n
      do j = 1, n
        a(i, j) = a(i, j) + 2*b(i, j)
      end do
    end do
  end subroutine
end module
! CHECK: contiguously
! CHECK: a(i, j) goes on by 8*size(a, 1) bytes {{.*}} exchanged, by 8 bytes; no dependence is against it
subroutine contiguously(a, n)
  integer :: n, i, j
  real(8), contiguous :: a(:,:)
  do i = 1, n
    do j = 1, n
      a(i, j) = a(i, j) + 2
    end do
  end do
end subroutine
! the largest, kept where the caller wants it
! CHECK: peak
! CHECK: a(i, j) goes on by 8*n bytes {{.*}} exchanged, by 8 bytes; no dependence is against it
subroutine peak(a, n, s)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n)
  real(8), intent(inout) :: s
  integer :: i, j
  do i = 1, n
    do j = 1, n
      s = max(s, a(i, j))
    end do
  end do
end subroutine
! the largest of all
! CHECK: largest
! CHECK: a(i, j) goes on by 8*n bytes {{.*}} exchanged, by 8 bytes; no dependence is against it
subroutine largest(a, n, m)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n)
  real(8), intent(out) :: m
  integer :: i, j
  real(8) :: r
  r = 0
  do i = 1, n
    do j = 1, n
      r = max(r, abs(a(i, j)))
    end do
  end do
  m = r
end subroutine
! a triangle
! CHECK: triangle
! CHECK: a(i, j) and others go on by 8*n bytes {{.*}} exchanged, and bounds for the same iterations, by 8 bytes; no dependence is against it
subroutine triangle(a, b, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n), b(n, n)
  integer :: i, j
  do i = 1, n
    do j = i, n
      a(i, j) = a(i, j) + b(i, j)
    end do
  end do
end subroutine
! what is written in one iteration is read in one that would then come before it
subroutine wave(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  do i = 2, n
    do j = 1, n - 1
      a(i, j) = a(i - 1, j + 1) * 0.5d0
    end do
  end do
end subroutine
! a band, of which the other order has few iterations
subroutine band(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  do i = 3, n - 2
    do j = i - 2, i + 2
      a(i, j) = a(i, j) + 1
    end do
  end do
end subroutine
! the same over two loops: k goes back where i goes on
subroutine far_wave(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n, n)
  integer :: i, j, k
  do i = 2, n
    do j = 1, n
      do k = 1, n - 1
        a(i, j, k) = a(i - 1, j, k + 1) * 0.5d0
      end do
    end do
  end do
end subroutine
subroutine right(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      a(i, j) = a(i, j) * 0.5d0
    end do
  end do
end subroutine
