! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Messages of Fortran by `use mpi_f08`: handles are derived types passed by reference, the error code may be left out. MPI
! libraries come compiled by gfortran, whose modules flang does not read; what is used of the module stands here, in
! the forms of Open MPI (addresses, constants are variables) and of MPICH (descriptors, constants are numbers).
! RUN: for o in 0 2; do %fc -g -O$o -c %s -o %t.$o.o || exit 1; %map --messages %t.$o.o | %check; done
! RUN: %dump %t.2.o | grep "^message .*binding=2(f08).*roles" | wc -l | grep -qx 7
module mpi_f08
  implicit none
  type, bind(c) :: MPI_Comm
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Datatype
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Op
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Request
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Status
    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR, internal(4)
  end type
  type(MPI_Comm), bind(c, name="ompi_f08_mpi_comm_world") :: MPI_COMM_WORLD
  type(MPI_Datatype), bind(c, name="ompi_f08_mpi_double_precision") :: MPI_DOUBLE_PRECISION
  type(MPI_Op), bind(c, name="ompi_f08_mpi_sum") :: MPI_SUM
  type(MPI_Status), bind(c, name="mpi_fortran_statuses_ignore_") :: MPI_STATUSES_IGNORE(1)
  type(MPI_Comm), parameter :: MPICH_COMM_WORLD = MPI_Comm(int(z'44000000'))
  type(MPI_Datatype), parameter :: MPICH_REAL8 = MPI_Datatype(int(z'4c000829'))
  interface MPI_Isend
    subroutine mpi_isend_f08(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      real, intent(in) :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  interface MPI_Irecv
    subroutine mpi_irecv_f08(buf, count, datatype, source, tag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      real :: buf(*)
      integer, intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  interface MPI_Waitall
    subroutine mpi_waitall_f08(count, requests, statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: requests(count)
      type(MPI_Status) :: statuses(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  interface MPI_Allreduce
    subroutine mpi_allreduce_f08(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      real, intent(in) :: sendbuf(*)
      real :: recvbuf(*)
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
  interface MPI_Send
    subroutine mpi_send_f08ts(buf, count, datatype, dest, tag, comm, ierror)
      import
      type(*), dimension(..), intent(in) :: buf
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
end module

module halo
  use mpi_f08
  implicit none
  type part
    real(8), allocatable :: u(:, :)
    integer :: n
  end type
contains
  ! CHECK: 7 calls of MPI
  subroutine exchange(g, left, right)
    type(part), intent(inout) :: g
    integer, intent(in) :: left, right
    type(MPI_Request) :: request(2)
    ! CHECK: [[#@LINE+10]] MPI_Irecv in halo::exchange
    ! CHECK-NEXT: into g%u(1 : , 0 : ), g%n in a row
    ! CHECK-NEXT: count g%n
    ! CHECK-NEXT: type MPI_DOUBLE_PRECISION
    ! CHECK-NEXT: from rank left
    ! CHECK-NEXT: tag 3
    ! CHECK-NEXT: in MPI_COMM_WORLD
    ! CHECK-NEXT: request request(1)
    ! CHECK-NEXT: waited for by mpi_waitall_f08_ at line [[#@LINE+9]] (certain)
    ! CHECK-NEXT: receives from MPI_Isend at {{.*}}:[[#@LINE+7]] (likely)
    call MPI_Irecv(g%u(1, 0), g%n, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, request(1))
    ! CHECK: [[#@LINE+5]] MPI_Isend in halo::exchange
    ! CHECK-NEXT: from g%u(1 : , g%n : ), g%n in a row
    ! CHECK: to rank right
    ! CHECK-NEXT: tag 3
    ! CHECK: waited for by mpi_waitall_f08_ at line [[#@LINE+2]] (certain)
    call MPI_Isend(g%u(1, g%n), g%n, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, request(2))
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
  end subroutine

  subroutine total(x, n, m, comm, right)
    integer, intent(in) :: n, m, right
    real(8), intent(inout) :: x(n, m)
    real(8) :: mine(n), all(n)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Datatype) :: kind
    integer :: i, ierr
    do i = 1, n
      mine(i) = x(i, 2)
    end do
    ! CHECK: [[#@LINE+13]] MPI_Allreduce in halo::total
    ! CHECK-NEXT: from mine(1 : n)
    ! CHECK-NEXT: into all(1 : n)
    ! CHECK-NEXT: count n
    ! CHECK-NEXT: type MPI_DOUBLE_PRECISION
    ! CHECK-NEXT: operation MPI_SUM
    ! CHECK-NEXT: in comm
    ! CHECK-NEXT: packed by loop at lines [[#@LINE-10]]-[[#@LINE-8]] (likely)
    ! CHECK-NEXT: unpacked by loop at lines [[#@LINE+6]]-[[#@LINE+8]] (likely)
    ! CHECK-NEXT: written as mine(i) at line [[#@LINE-11]] (likely)
    ! CHECK-NEXT: from x(i, 2) at line [[#@LINE-12]]
    ! CHECK-NEXT: read as all(i) at line [[#@LINE+4]] (likely)
    ! CHECK-NEXT: into x(i, 3) at line [[#@LINE+3]]
    call MPI_Allreduce(mine, all, n, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
    do i = 1, n
      x(i, 3) = all(i)
    end do
    kind = MPI_DOUBLE_PRECISION
    ! descriptors: a column, some columns, a row, in which the elements are apart
    ! CHECK: [[#@LINE+3]] MPI_Send in halo::total
    ! CHECK-NEXT: from x(1 : n, 3)
    ! CHECK: type MPI_REAL8
    call MPI_Send(x(:, 3), n, MPICH_REAL8, right, 4, MPICH_COMM_WORLD)
    ! CHECK: [[#@LINE+3]] MPI_Send in halo::total
    ! CHECK-NEXT: from x(1 : n, 1 : m)
    ! CHECK: type MPI_DOUBLE_PRECISION
    call MPI_Send(x(:, 1:m), n*m, kind, right, 4, comm, ierr)
    ! CHECK: [[#@LINE+4]] MPI_Send in halo::total
    ! CHECK-NEXT: from x(2 : , 1 : )
    ! CHECK-NEXT: count m
    ! CHECK-NEXT: type MPI_DOUBLE_PRECISION
    call MPI_Send(x(2, :), m, MPI_DOUBLE_PRECISION, right, 4, comm, ierr)
  end subroutine
end module
