! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Messages of Fortran, by mpif.h and by the module.
! RUN: for o in 0 2; do %fc -g -O$o $(mpif90 -showme:compile) -c %s -o %t.$o.o || exit 1; %map --messages %t.$o.o | %check; done
module exchange
  use mpi
  implicit none
  type part
    real(8), allocatable :: u(:, :)
    integer :: n
  end type
contains
  ! CHECK: calls of MPI
  subroutine with_module(g, left, right)
    type(part), intent(inout) :: g
    integer, intent(in) :: left, right
    integer :: request(2), ierr
    ! CHECK: [[#@LINE+9]] MPI_Irecv in exchange::with_module
    ! CHECK-NEXT: into g%u(1 : , 0 : ), g%n in a row
    ! CHECK-NEXT: count g%n
    ! CHECK-NEXT: type MPI_DOUBLE_PRECISION
    ! CHECK-NEXT: from rank left
    ! CHECK-NEXT: tag 3
    ! CHECK-NEXT: in MPI_COMM_WORLD
    ! CHECK-NEXT: request request(1)
    ! CHECK-NEXT: waited for by mpi_waitall_ at line [[#@LINE+9]] (certain)
    call mpi_irecv(g%u(1, 0), g%n, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, request(1), ierr)
    ! CHECK: [[#@LINE+6]] MPI_Isend in exchange::with_module
    ! CHECK-NEXT: from g%u(1 : , g%n : ), g%n in a row
    ! CHECK: to rank right
    ! CHECK-NEXT: tag 3
    ! CHECK: request request(2)
    ! CHECK: received by MPI_Irecv at {{.*}}:[[#@LINE-6]] (likely)
    call mpi_isend(g%u(1, g%n), g%n, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, request(2), ierr)
    call mpi_waitall(2, request, MPI_STATUSES_IGNORE, ierr)
  end subroutine
end module

subroutine with_include(a, n, m, buffer)
  implicit none
  include 'mpif.h'
  integer :: n, m, i, ierr, rank, status(MPI_STATUS_SIZE)
  real(8) :: a(n, m), buffer(n)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  do i = 1, n
    buffer(i) = a(i, 2)
  end do
  ! CHECK: [[#@LINE+8]] MPI_Send in with_include
  ! CHECK-NEXT: from buffer(1 : n)
  ! CHECK: to rank rank + 1
  ! CHECK-NEXT: tag 8
  ! CHECK-NEXT: in MPI_COMM_WORLD
  ! CHECK-NEXT: packed by loop at lines [[#@LINE-8]]-[[#@LINE-6]] (likely)
  ! CHECK-NEXT: written as buffer(i) at line [[#@LINE-8]] (likely)
  ! CHECK-NEXT: from a(i, 2) at line [[#@LINE-9]]
  call mpi_send(buffer, n, MPI_DOUBLE_PRECISION, rank + 1, 8, MPI_COMM_WORLD, ierr)
  ! CHECK: [[#@LINE+4]] MPI_Recv in with_include
  ! CHECK-NEXT: into a(1 : n, 3)
  ! CHECK: from rank MPI_ANY_SOURCE
  ! CHECK-NEXT: tag MPI_ANY_TAG
  call mpi_recv(a(1, 3), n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
  ! CHECK: [[#@LINE+3]] MPI_Bcast in with_include
  ! CHECK-NEXT: buffer a(1 : n, 1 : m)
  ! CHECK: root 0
  call mpi_bcast(a, n*m, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
end subroutine

! One request for two messages, one after the other: each has its own wait.
subroutine one_request(a, n, other)
  implicit none
  include 'mpif.h'
  integer :: n, other, request, ierr, status(MPI_STATUS_SIZE)
  real(8) :: a(n)
  ! CHECK: [[#@LINE+5]] MPI_Irecv in one_request
  ! CHECK: request request
  ! CHECK-NEXT: waited for by mpi_wait_ at line [[#@LINE+4]] (certain)
  ! CHECK-NOT: waited for
  ! CHECK: [[#@LINE+2]] MPI_Wait in one_request
  call mpi_irecv(a, n, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, status, ierr)
  ! CHECK: [[#@LINE+4]] MPI_Irecv in one_request
  ! CHECK: request request
  ! CHECK-NEXT: waited for by mpi_wait_ at line [[#@LINE+3]] (certain)
  ! CHECK-NOT: waited for
  call mpi_irecv(a, n, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, request, ierr)
  call mpi_wait(request, status, ierr)
end subroutine

! Arrays that may be parts of others, and so may be copied for the call: they are what is sent all the same.
module parts
  real(8), allocatable, target :: grid(:, :)
contains
  subroutine dummies(sent, come, n, to, request)
    use mpi
    real(8) :: sent(:), come(0:)
    integer :: n, to, request(2), ierr
    ! CHECK: [[#@LINE+6]] MPI_Isend in parts::dummies
    ! CHECK-NEXT: from sent(1 : n)
    ! CHECK: [[#@LINE+5]] MPI_Irecv in parts::dummies
    ! CHECK-NEXT: into come(0 : n - 1)
    ! CHECK: [[#@LINE+4]] MPI_Send in parts::dummies
    ! CHECK-NEXT: from grid(3 : , 2 : ), n in a row
    call mpi_isend(sent, n, MPI_DOUBLE_PRECISION, to, 1, MPI_COMM_WORLD, request(1), ierr)
    call mpi_irecv(come, n, MPI_DOUBLE_PRECISION, to, 1, MPI_COMM_WORLD, request(2), ierr)
    call mpi_send(grid(3, 2:n), n, MPI_DOUBLE_PRECISION, to, 1, MPI_COMM_WORLD, ierr)
  end subroutine
  subroutine others(given, target, n, to)
    use mpi
    real(8), optional :: given(:)
    real(8), pointer :: target(:)
    integer :: n, to, ierr
    ! CHECK: [[#@LINE+6]] MPI_Send in parts::others
    ! CHECK-NEXT: from given(1 : n)
    ! CHECK: [[#@LINE+5]] MPI_Send in parts::others
    ! CHECK-NEXT: from target(1 : n)
    ! CHECK: [[#@LINE+4]] MPI_Send in parts::others
    ! CHECK-NEXT: from target(1 : n/2)
    if (present(given)) call mpi_send(given, n, MPI_DOUBLE_PRECISION, to, 1, MPI_COMM_WORLD, ierr)
    call mpi_send(target, n, MPI_DOUBLE_PRECISION, to, 1, MPI_COMM_WORLD, ierr)
    call mpi_send(target(1:n:2), n/2, MPI_DOUBLE_PRECISION, to, 1, MPI_COMM_WORLD, ierr)
  end subroutine
end module
