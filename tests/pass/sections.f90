! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Array statements: which sections they read and write, and where they begin. With line tables alone, too.
! RUN: for g in "" -g; do for o in 2 3; do %fc $g -O$o -c %s -o %t.$o.o || exit 1; %map --arrays %t.$o.o | %check; done; done
module sections
  implicit none
  type item
    integer :: n
    integer, allocatable :: list(:)
  end type
  type(item), allocatable :: items(:)
  real(8), allocatable :: held(:, :)
contains
  ! CHECK-DAG: array items()%list(:): {{.*}}member of a structure
  ! CHECK-DAG: array k(2, 4): integer, 4 bytes, argument
  ! CHECK-DAG: array u(300, 200): real, 8 bytes, static
  ! CHECK-DAG: array c(20, 30, 40): real, 8 bytes, common block
  ! CHECK: sections::fixed
  subroutine fixed(n, m, a, b, j, k)
    integer, intent(in) :: n, m, j
    integer, intent(inout) :: k(2, 4)
    real(8), intent(inout) :: a(n, m, *), b(n, m)
    ! CHECK: [[#@LINE+2]]:{{[0-9]+}} reads b(?, j): contiguous
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes a(?, j, 3): contiguous
    a(:, j, 3) = b(:, j)*2
    ! CHECK: [[#@LINE+2]]:{{[0-9]+}} reads b(j, ?): the same in each iteration, known to the run, 8*n bytes
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes a(2, ?, j): the same in each iteration, known to the run, 8*n bytes
    a(2, :, j) = b(j, :)*2
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes a(3*? - 1, j, 1): constant, 24 bytes
    a(2:n:3, j, 1) = 1
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes k(?, 2): contiguous
    k(:, 2) = (/2, 3/)
  end subroutine

  ! CHECK: sections::described
  subroutine described(n, q, p)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(:, :)
    real(8), pointer, intent(inout) :: p(:, :)
    integer :: i
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes p({{.*}}, 2): the same in each iteration, known to the run, stride(p, 1) bytes
    p(:, 2) = 1
    ! CHECK: [[#@LINE+2]]:{{[0-9]+}} reads q(n, ?): the same in each iteration, known to the run, stride(q, 2) bytes
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes held({{.*}}, 5): contiguous
    held(:, 5) = q(n, :)*3
    do i = 1, n
      ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes items()%list(i): contiguous
      items(3)%list(i) = 3
    end do
  end subroutine

  ! All bounds known: flang's indices of array types in each other, the last dimension first.
  ! CHECK: sections::known
  subroutine known(top, m)
    real(8), intent(inout) :: top(300)
    integer, intent(in) :: m
    real(8), save :: u(300, 200)
    real(8) :: c(20, 30, 40)
    common /block/ c
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes u(300, ?): constant, 2400 bytes
    u(300, :) = m
    ! CHECK: [[#@LINE+2]]:{{[0-9]+}} reads u(?, 2): contiguous
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes top(?): contiguous
    top = u(:, 2)
    ! CHECK: [[#@LINE+2]]:{{[0-9]+}} reads u(2, ?): constant, 2400 bytes
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes top(?): contiguous
    top(:200) = u(2, :)
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes c(3, ?, m): constant, 160 bytes
    c(3, :, m) = 1
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes c(3, 4, ?): constant, 4800 bytes
    c(3, 4, :) = 0
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes u(3*? - 1, 5): constant, 24 bytes
    u(2:9:3, 5) = 7
  end subroutine

  ! A section of a common block's variables whose address is constant.
  ! CHECK: sections::blocks
  subroutine blocks(n)
    integer, intent(in) :: n
    real(8) :: first(10, 10), second(10, 10)
    common /two/ first, second
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes first(?, 4): contiguous
    first(:, 4) = n
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes second(?, 6): contiguous
    second(:, 6) = n
  end subroutine

  ! The DO is the loop of its own, not those of the statements in it, and what follows a WHERE begins where it does.
  ! CHECK: sections::endless
  subroutine endless(n, pc, den, limit)
    integer, intent(in) :: n
    real(8), intent(inout) :: pc(n), den(n, 2)
    real(8), intent(in) :: limit
    ! CHECK-NEXT: {{^ *}}[[#@LINE+1]]-[[#@LINE+13]]{{ *}}do:
    repeat: do
      ! CHECK: {{^ *}}[[#@LINE+1]]{{ *}}array statement:
      den(:, 1) = 2*pc - den(:, 2)
      ! CHECK: {{^ *}}[[#@LINE+1]]{{ *}}array statement:
      where (pc <= 0) den(:, 2) = 0
      ! CHECK: {{^ *}}[[#@LINE+1]]-[[#@LINE+2]]{{ *}}array statement:
      where (den(:, 1) < limit)
        pc = 0
        den(:, 2) = 1
      end where
      if (pc(1) < limit) exit repeat
      pc = pc*0.5d0
    end do repeat
  end subroutine
end module
