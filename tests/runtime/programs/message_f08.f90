! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Calls by module mpi_f08, mostly without an error code; two ranks. Behind each call stands what both ranks count there, in all:
! calls, and bytes sent (s), received (r), completions (c) where there are any; of persistent operations where they start.
! tests/runtime/f08.py reads that.
program message_f08
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  interface ! message_f08.c: the same in C
    subroutine c_isend(buffer, partner, request) bind(C)
      import :: c_double, c_int
      real(c_double) :: buffer(*)
      integer(c_int), value :: partner
      integer(c_int) :: request
    end subroutine
    subroutine c_wait(request) bind(C)
      import :: c_int
      integer(c_int) :: request
    end subroutine
    subroutine c_turn(requests) bind(C)
      import :: c_int
      integer(c_int) :: requests(2)
    end subroutine
    function c_probe(partner) bind(C)
      import :: c_int
      integer(c_int), value :: partner
      integer(c_int) :: c_probe
    end function
    subroutine c_put(buffer, partner, window) bind(C)
      import :: c_double, c_int
      real(c_double) :: buffer(*)
      integer(c_int), value :: partner, window
    end subroutine
    subroutine c_pause() bind(C)
    end subroutine
  end interface
  integer, parameter :: late = 11
  type(MPI_Request) :: r(4), one
  type(MPI_Status) :: s, many(4)
  type(MPI_Message) :: found
  type(MPI_Comm) :: pair, alone
  type(MPI_Win) :: window
  type(MPI_Datatype) :: column
  integer :: rank, ranks, other, i, n, error, which(4), fortran
  logical :: flag
  double precision :: a(100), b(100), all(200)
  integer(kind=MPI_ADDRESS_KIND) :: room, place

  call MPI_Init() !# MPI_Init 2
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  other = 1 - rank
  a = rank + 1
  b = 0

  do i = 1, 5
    if (rank == 0) then
      call MPI_Send(a, 100, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD) !# MPI_Send 5 s4000
    else
      call MPI_Recv(b, 100, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, s) !# MPI_Recv 5 r4000
    end if
  end do
  if (rank == 1) then
    call MPI_Get_count(s, MPI_DOUBLE_PRECISION, n)
    print *, 'received', n, s%MPI_SOURCE, s%MPI_TAG, sum(b)
  end if
  if (rank == 0) then ! every second element: a descriptor with a stride
    call MPI_Send(a(1:99:2), 50, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, error) !# MPI_Send 1 s400
  else
    call MPI_Recv(b, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !# MPI_Recv 1 r400
  end if

  do i = 1, 3
    call MPI_Irecv(b, 100, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, r(1)) !# MPI_Irecv 6 r480 c6
    call MPI_Isend(a, 10, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, r(2)) !# MPI_Isend 6 s480 c6
    call MPI_Wait(r(1), s) !# MPI_Wait 6 c6
    call MPI_Wait(r(2), MPI_STATUS_IGNORE, error) !# MPI_Wait 6 c6
  end do
  do i = 1, 2
    call MPI_Irecv(b, 50, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, r(1)) !# MPI_Irecv 4 r640 c4
    call MPI_Irecv(all, 200, MPI_DOUBLE_PRECISION, other, 5, MPI_COMM_WORLD, r(2)) !# MPI_Irecv 4 r1600 c4
    call MPI_Isend(a, 20, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, r(3)) !# MPI_Isend 4 s640 c4
    call MPI_Issend(a, 50, MPI_DOUBLE_PRECISION, other, 5, MPI_COMM_WORLD, r(4)) !# MPI_Issend 4 s1600 c4
    if (i == 1) then
      call MPI_Waitall(4, r, MPI_STATUSES_IGNORE) !# MPI_Waitall 2 c8
    else
      call MPI_Waitall(4, r, many) !# MPI_Waitall 2 c8
      print *, 'statuses', many(1)%MPI_TAG, many(2)%MPI_SOURCE
    end if
  end do
  call MPI_Irecv(b, 1, MPI_INTEGER, other, 6, MPI_COMM_WORLD, r(1)) !# MPI_Irecv 2 r8 c2
  call MPI_Isend(a, 1, MPI_INTEGER, other, 6, MPI_COMM_WORLD, r(2)) !# MPI_Isend 2 s8 c2
  call MPI_Waitany(2, r, n, s) !# MPI_Waitany 2 c2
  call MPI_Waitany(2, r, i, MPI_STATUS_IGNORE) !# MPI_Waitany 2 c2
  call MPI_Irecv(b, 1, MPI_INTEGER, other, 7, MPI_COMM_WORLD, r(1)) !# MPI_Irecv 2 r8 c2
  call MPI_Sendrecv(a, 3, MPI_INTEGER, other, 8, b(50), 5, MPI_INTEGER, other, 8, MPI_COMM_WORLD, s) !# MPI_Sendrecv 2 s24 r24
  call MPI_Send(a, 1, MPI_INTEGER, other, 7, MPI_COMM_WORLD) !# MPI_Send 2 s8
  call MPI_Waitsome(1, r, n, which, many) !# MPI_Waitsome 2 c2
  print *, 'some', n, which(1)
  if (rank == 0) then
    call MPI_Ssend(a, 25, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD) !# MPI_Ssend 1 s200
  else
    call MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, found, s) !# MPI_Mprobe 1 c1
    call MPI_Mrecv(b, 100, MPI_DOUBLE_PRECISION, found, MPI_STATUS_IGNORE) !# MPI_Mrecv 1 r200
  end if

  call MPI_Send_init(a, 30, MPI_DOUBLE_PRECISION, other, 10, MPI_COMM_WORLD, r(1)) !# MPI_Send_init 2
  call MPI_Recv_init(b, 30, MPI_DOUBLE_PRECISION, other, 10, MPI_COMM_WORLD, r(2)) !# MPI_Recv_init 2
  do i = 1, 4
    call MPI_Startall(2, r) !# MPI_Startall 8 # MPI_Send_init 8 s1920 c8 # MPI_Recv_init 8 r1920 c8
    call MPI_Waitall(2, r, many) !# MPI_Waitall 8 c16
  end do
  call MPI_Request_free(r(1)) !# MPI_Request_free 2
  call MPI_Request_free(r(2)) !# MPI_Request_free 2

  call MPI_Barrier(MPI_COMM_WORLD) !# MPI_Barrier 2
  call MPI_Bcast(a, 40, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD) !# MPI_Bcast 2 s320 r320
  call MPI_Allreduce(a, b, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD) !# MPI_Allreduce 2 s160 r160
  call MPI_Allreduce(MPI_IN_PLACE, a, 5, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) !# MPI_Allreduce 2 s80 r80
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD) !# MPI_Gather 1 r160
    call MPI_Scatter(all, 10, MPI_DOUBLE_PRECISION, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD) !# MPI_Scatter 1 s160
  else
    call MPI_Gather(a, 10, MPI_DOUBLE_PRECISION, all, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD) !# MPI_Gather 1 s80
    call MPI_Scatter(all, 10, MPI_DOUBLE_PRECISION, b, 10, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD) !# MPI_Scatter 1 r80
  end if
  call MPI_Ibarrier(MPI_COMM_WORLD, one) !# MPI_Ibarrier 2 c2
  flag = .false.
  call MPI_Wait(one, MPI_STATUS_IGNORE) !# MPI_Wait 2 c2
  r(1) = one
  call MPI_Testall(1, r, flag, MPI_STATUSES_IGNORE) !# MPI_Testall 2
  print *, 'tested', flag
  call MPI_Type_vector(5, 1, 2, MPI_DOUBLE_PRECISION, column)
  call MPI_Type_commit(column)
  call MPI_Comm_dup(MPI_COMM_WORLD, pair) !# MPI_Comm_dup 2
  call MPI_Bcast(b, 2, column, 1, pair) !# MPI_Bcast 2 s80 r80
  call MPI_Comm_free(pair) !# MPI_Comm_free 2
  call MPI_Type_free(column) !# MPI_Type_free 2

  room = 800
  call MPI_Win_create(all, room, 8, MPI_INFO_NULL, MPI_COMM_WORLD, window) !# MPI_Win_create 2
  call MPI_Win_fence(0, window) !# MPI_Win_fence 2
  place = 0
  call MPI_Put(a, 6, MPI_DOUBLE_PRECISION, other, place, 6, MPI_DOUBLE_PRECISION, window) !# MPI_Put 2 s96
  call c_put(a, other, window%MPI_VAL)
  call MPI_Win_fence(0, window) !# MPI_Win_fence 2
  call MPI_Win_free(window) !# MPI_Win_free 2

  ! what one language begins, the other completes, though Open MPI's handles of C and Fortran differ
  call MPI_Irecv(b, 100, MPI_DOUBLE_PRECISION, other, 12, MPI_COMM_WORLD, one) !# MPI_Irecv 2 r112 c2
  call c_isend(a, other, fortran)
  call c_wait(one%MPI_VAL)
  one%MPI_VAL = fortran
  call MPI_Wait(one, s) !# MPI_Wait 2 c2
  call MPI_Send_init(a, 8, MPI_DOUBLE_PRECISION, other, 14, MPI_COMM_WORLD, r(1)) !# MPI_Send_init 2
  call MPI_Recv_init(b, 9, MPI_DOUBLE_PRECISION, other, 14, MPI_COMM_WORLD, r(2)) !# MPI_Recv_init 2
  call c_turn(r%MPI_VAL)
  call MPI_Startall(2, r) !# MPI_Startall 2 # MPI_Send_init 2 s128 c2 # MPI_Recv_init 2 r128 c2
  call MPI_Waitall(2, r, MPI_STATUSES_IGNORE) !# MPI_Waitall 2 c4
  call MPI_Request_free(r(1)) !# MPI_Request_free 2
  call MPI_Request_free(r(2)) !# MPI_Request_free 2
  call MPI_Isend(a, 11, MPI_DOUBLE_PRECISION, other, 15, MPI_COMM_WORLD, one) !# MPI_Isend 2 s176 c2
  found%MPI_VAL = c_probe(other)
  call MPI_Mrecv(b, 100, MPI_DOUBLE_PRECISION, found, MPI_STATUS_IGNORE) !# MPI_Mrecv 2 r176
  call MPI_Wait(one, MPI_STATUS_IGNORE) !# MPI_Wait 2 c2

  ! a communicator that is made where a freed one was
  do i = 1, 5
    call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, alone) !# MPI_Comm_split 10
    call MPI_Bcast(a, 5, MPI_DOUBLE_PRECISION, 0, alone) !# MPI_Bcast 10 s400
    call MPI_Comm_free(alone) !# MPI_Comm_free 10
    call MPI_Comm_dup(MPI_COMM_WORLD, pair) !# MPI_Comm_dup 10
    call MPI_Bcast(a, 5, MPI_DOUBLE_PRECISION, 0, pair) !# MPI_Bcast 10 s200 r200
    call MPI_Comm_free(pair) !# MPI_Comm_free 10
  end do

  ! errors that are returned, with an error code and without: no message
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Send(a, 1, MPI_INTEGER, 77, 13, MPI_COMM_WORLD, error) !# MPI_Send 2
  print *, 'error', error /= MPI_SUCCESS
  call MPI_Send(a, 1, MPI_INTEGER, 77, 13, MPI_COMM_WORLD) !# MPI_Send 2
  call MPI_Gather(a, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 77, MPI_COMM_WORLD) !# MPI_Gather 2
  call MPI_File_delete('heatscope_no_such_file', MPI_INFO_NULL) !# MPI_File_delete 2
  call MPI_File_delete('heatscope_no_such_file', MPI_INFO_NULL, error) !# MPI_File_delete 2
  print *, 'error', error /= MPI_SUCCESS

  ! waits: rank 0 for rank 1, which sleeps once both are there
  call MPI_Barrier(MPI_COMM_WORLD) !# MPI_Barrier 2
  if (rank == 1) call c_pause()
  if (rank == 0) call MPI_Recv(b, 1, MPI_INTEGER, other, late, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !# MPI_Recv 1 r4
  if (rank == 1) call MPI_Send(a, 1, MPI_INTEGER, other, late, MPI_COMM_WORLD) !# MPI_Send 1 s4
  call MPI_Irecv(b, 1, MPI_INTEGER, other, late, MPI_COMM_WORLD, one) !# MPI_Irecv 2 r8 c2
  call MPI_Barrier(MPI_COMM_WORLD) !# MPI_Barrier 2
  if (rank == 1) call c_pause()
  call MPI_Send(a, 1, MPI_INTEGER, other, late, MPI_COMM_WORLD) !# MPI_Send 2 s8
  call MPI_Wait(one, MPI_STATUS_IGNORE) !# MPI_Wait 2 c2
  if (rank == 1) call c_pause()
  call MPI_Barrier(MPI_COMM_WORLD) !# MPI_Barrier 2
  call MPI_Finalize() !# MPI_Finalize 2
end program
