! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! An inner loop that leaves the whole nest and is unrolled fully: after rotation its test closes the loop round it, which has no
! key in Fortran, and is that loop all the same.
! RUN: %fc -g -O2 -c %s -o %t.o; %map %t.o | %check
! CHECK: norm
! CHECK-NEXT: do
! CHECK-NEXT: do: as written
! CHECK-NEXT: do: as written
! CHECK-NEXT: do: unrolled fully
subroutine norm(v, total, ist, iend, jst, jend, nz, ld)
  implicit none
  integer, intent(in) :: ist, iend, jst, jend, nz, ld
  real(8), intent(in) :: v(5, -1:ld, -1:ld, *)
  real(8), intent(inout) :: total(5)
  real(8) :: s(5)
  integer :: i, j, k, m
  do m = 1, 5
    s(m) = 0
  end do
  do j = jst, jend
    do i = ist, iend
      do m = 1, 5
        if (v(m, i, j, nz) > 1.0d30) goto 99
        s(m) = s(m) + v(m, i, j, nz)*v(m, i, j, nz)
      end do
    end do
  end do
99 continue
  call add(s, total)
end subroutine
