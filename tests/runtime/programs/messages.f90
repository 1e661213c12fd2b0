! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A part of messages.c in Fortran; the same numbers. F08: by module mpi_f08, else by mpif.h.
program messages
#ifdef F08
  use mpi_f08
  implicit none
  type(MPI_Request) :: r(2)
  type(MPI_Status) :: s
  type(MPI_Comm) :: half
#else
  implicit none
  include 'mpif.h'
  integer :: r(2), s(MPI_STATUS_SIZE), half
#endif
  integer :: rank, ranks, next, prev, e, i, k, n(1000)
  double precision :: a(4096), b(4096)
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, e)
  next = mod(rank + 1, ranks)
  prev = mod(rank + ranks - 1, ranks)
  a = 1
  n = 1
  do i = 1, 100
    call MPI_Sendrecv(a, 1024, MPI_DOUBLE_PRECISION, next, 1, b, 1024, MPI_DOUBLE_PRECISION, prev, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
  end do
  do i = 1, 10
    if (rank == 0) call MPI_Ssend(n, 1000, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, e)
    if (rank == 1) call MPI_Recv(n, 1000, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, s, e)
  end do
  do i = 1, 5
    call MPI_Send(a, 100, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 3, MPI_COMM_WORLD, e)
    call MPI_Recv(b, 100, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
  end do
  do k = 1, 7
    call MPI_Isend(a, 0, MPI_DOUBLE_PRECISION, next, 7, MPI_COMM_WORLD, r(1), e)
    call MPI_Irecv(b, 100, MPI_DOUBLE_PRECISION, prev, 7, MPI_COMM_WORLD, r(2), e)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, e)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, e)
  call MPI_Bcast(a, 50, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, e)
  call MPI_Allreduce(MPI_IN_PLACE, a, 30, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, e)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, n, 6, MPI_INTEGER, MPI_COMM_WORLD, e)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, e)
  call MPI_Bcast(a, 7, MPI_DOUBLE_PRECISION, 0, half, e)
  call MPI_Comm_free(half, e)
  call MPI_File_delete('heatscope_no_such_file', MPI_INFO_NULL, e)
  call MPI_Finalize(e)
  if (rank == 0) print '(a)', 'done'
end program
