! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Arrays and references of Fortran: explicit, assumed and allocated shape, components, common blocks.
! RUN: for o in 0 1 2; do %fc -fopenmp -g -O$o -c %s -o %t.$o.o || exit 1; %map --arrays %t.$o.o | %check; done
module shapes
  implicit none
  type grid
    integer :: n, first   ! two in a line
    real(8), allocatable :: u(:, :)
  end type
  real(8) :: table(10, -2:20)
contains
! CHECK-DAG: [[#@LINE+87]] array temporary(?): {{.*}}, 8 bytes, heap, in shapes::overlap
  ! CHECK-DAG: array d(n, 0 : ?): real, 8 bytes, argument, in shapes::sweep
  ! CHECK-DAG: array table(10, -2 : 20): real, 8 bytes, global, symbol _QMshapesEtable
  subroutine sweep(g, d, n, m, v)
    type(grid), intent(inout) :: g
    integer, intent(in) :: n, m
    real(8) :: d(n, 0:m), v(:, :), c
    integer :: i, j, list(100)
    common /block/ c(50), list
    do j = 1, m
      do i = 2, n
        ! CHECK: [[#@LINE+1]]:{{[0-9]+}} reads d(i - 1, j): contiguous
        d(i, j) = d(i - 1, j)
        ! CHECK: [[#@LINE-1]]:{{[0-9]+}} writes d(i, j): contiguous
        ! CHECK: [[#@LINE+1]]:{{[0-9]+}} reads v(i, j + 1): the same in each iteration, known to the run, stride(v, 1) bytes
        d(i, j) = v(i, j + 1)
        ! CHECK: [[#@LINE+1]]:{{[0-9]+}} reads g%u(i, j): contiguous
        d(i, j) = g%u(i, j)
        ! CHECK: [[#@LINE+1]]:{{[0-9]+}} reads table(3, i): constant, 80 bytes
        d(i, j) = table(3, i)
        ! CHECK: [[#@LINE+2]]:{{[0-9]+}} reads list(i): contiguous
        ! CHECK: [[#@LINE+1]]:{{[0-9]+}} reads c(list(i)): through an index array list
        d(i, j) = c(list(i))
      end do
    end do
    do i = n, 1, -2
      ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes d(2, i): the same in each iteration, known to the run, -16*n bytes
      d(2, i) = 0
      ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes d(i + g%first, 1): constant, -16 bytes
      d(i + g%first, 1) = 0
    end do
  end subroutine

  ! variables of the procedure round an OpenMP region keep their names in it
  ! CHECK: shapes::region
  subroutine region(u, d, n)
    integer, intent(in) :: n
    real(8) :: u(n, n), d(n)
    integer :: i, j
    !$omp parallel do
    do j = 1, n
      do i = 2, n
        ! CHECK: [[#@LINE+2]]:{{[0-9]+}} reads u(i - 1, j): contiguous
        ! CHECK: [[#@LINE+1]]:{{[0-9]+}} reads d(j): the same address
        u(i, j) = u(i - 1, j) + d(j)
      end do
    end do
  end subroutine

  ! the variable of a loop that OpenMP shares out stays what it is in calls
  ! CHECK: shapes::shared
  subroutine shared(u, n)
    integer, intent(in) :: n
    real(8) :: u(n, n)
    integer :: i, j
    interface
      subroutine outside(i, j)
        integer, intent(inout) :: i, j
      end subroutine
    end interface
    !$omp parallel do private(i)
    do j = 1, n
      do i = 2, n
        ! CHECK: [[#@LINE+1]]:{{[0-9]+}} reads u(i, j): contiguous
        if (u(i, j) < 0) call outside(i, j)
      end do
    end do
  end subroutine

  ! an element's offset may be a product of all extents and a subscript
  ! CHECK: shapes::many
  subroutine many(f, m, n, k)
    integer, intent(in) :: m, n(5), k
    real(8) :: f(m, n(1), n(2), n(3), n(4), n(5), *)
    integer :: i
    do i = 1, m
      ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes f(i, k, 2, k, 3, k, k): contiguous
      f(i, k, 2, k, 3, k, k) = 0
    end do
  end subroutine

  ! room that the compiler gets for the values of an array expression
  ! CHECK: shapes::overlap
  subroutine overlap(p, q, n)
    integer, intent(in) :: n
    real(8), pointer :: p(:), q(:)
    ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes temporary(?): contiguous
    p(2:n) = q(1:n - 1) + p(1:n - 1)
  end subroutine
end module
! dummies of which flang tells no variable: the statement that begins the procedure names them
! CHECK: told
subroutine told(one, & ! with a comment (and a bracket, too
                two, n)
  real(8), contiguous :: one(:,:), two(:)
  integer :: i, j, n
  do j = 1, n
    do i = 1, n
      ! CHECK: [[#@LINE+3]]:{{[0-9]+}} reads one(i, j): contiguous
      ! CHECK: [[#@LINE+2]]:{{[0-9]+}} reads two(i): contiguous
      ! CHECK: [[#@LINE+1]]:{{[0-9]+}} writes one(i, j): contiguous
      one(i, j) = one(i, j) + two(i)
    end do
  end do
end subroutine
