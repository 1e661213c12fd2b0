! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! MPICH's mpif.h has its special values in common blocks: they are no arrays.
! RUN: for o in 0 2; do %fc -g -O$o -c %s -o %t.$o.o || exit 1; %map --messages %t.$o.o | %check; done
subroutine sums(a, n)
  implicit none
  integer, parameter :: MPI_REAL8 = 1275070505, MPI_SUM = 1476395011, MPI_COMM_WORLD = 1140850688
  integer :: MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE(5), n, ierr
  common /mpipriv1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
  real(8) :: a(n)
  external :: mpi_allreduce
  ! CHECK: [[#@LINE+3]] MPI_Allreduce in sums
  ! CHECK-NEXT: from MPI_IN_PLACE
  ! CHECK-NEXT: into a(1 : n)
  call mpi_allreduce(MPI_IN_PLACE, a, n, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)
end subroutine
