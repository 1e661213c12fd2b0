! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Messages in procedures that others call with their arrays.
module halo
  implicit none
contains
  subroutine send_halo(buf, n, to, tag)
    use mpi
    integer, intent(in) :: n, to, tag
    double precision, intent(in) :: buf(n)
    integer :: ierr
    call MPI_Send(buf, n, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, ierr)
  end subroutine
  subroutine receive_halo(buf, n, from, tag)
    use mpi
    integer, intent(in) :: n, from, tag
    double precision, intent(out) :: buf(n)
    integer :: ierr
    call MPI_Recv(buf, n, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine
  subroutine exchange(field, n, rank)
    integer, intent(in) :: n, rank
    double precision, intent(inout) :: field(n)
    if (rank == 0) then
      call send_halo(field, n, 1, 1)
    else
      call receive_halo(field, n, 0, 1)
    end if
  end subroutine
end module
program wrapped
  use mpi
  use halo
  implicit none
  double precision, allocatable :: velocity(:)
  double precision :: density(10000)
  integer :: i, rank, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate(velocity(20000))
  velocity = 1
  density = 2
  do i = 1, 200
    call exchange(velocity, 20000, rank)
    call exchange(density, 10000, rank)
  end do
  call MPI_Finalize(ierr)
end program
