! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Interfaces of module mpi_f08, see mpi_f08.F90: nonblocking collectives, neighbourhoods, requests, statuses, packing.
  interface
    subroutine MPI_Comm_idup(comm, newcomm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: newcomm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_F_sync_reg(buf)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
    end subroutine
    subroutine MPI_Grequest_complete(request, ierror)
      import
      type(MPI_Request), intent(in) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import
      external :: query_fn, free_fn, cancel_fn
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, &
        comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, &
        request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcounts(*), displs(*), root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
        comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcounts(*), displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
        ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, &
        request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), displs(*), recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
        ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcounts(*), displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
        recvtype, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position, ierror)
      import
      !dir$ ignore_tkr inbuf, outbuf
      integer :: inbuf(*), outbuf(*)
      character(*), intent(in) :: datarep
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: outsize
      integer(MPI_ADDRESS_KIND), intent(inout) :: position
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Pack_external_size(datarep, incount, datatype, size, ierror)
      import
      character(*), intent(in) :: datarep
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND), intent(out) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Request_get_status(request, flag, status, ierror)
      import
      type(MPI_Request), intent(in) :: request
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Status_set_cancelled(status, flag, ierror)
      import
      type(MPI_Status) :: status
      logical, intent(in) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Status_set_elements(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: count
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Status_set_elements_x(status, datatype, count, ierror)
      import
      type(MPI_Status) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(in) :: count
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype, ierror)
      import
      !dir$ ignore_tkr inbuf, outbuf
      integer :: inbuf(*), outbuf(*)
      character(*), intent(in) :: datarep
      integer(MPI_ADDRESS_KIND), intent(in) :: insize
      integer(MPI_ADDRESS_KIND), intent(inout) :: position
      integer, intent(in) :: outcount
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, &
        recvtag, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, dest, sendtag, recvcount, source, recvtag
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      integer, intent(in) :: count, dest, sendtag, source, recvtag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(out) :: newcomm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
  end interface
