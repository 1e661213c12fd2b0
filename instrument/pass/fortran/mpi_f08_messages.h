! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Interfaces of module mpi_f08, see mpi_f08.F90.
  interface
    subroutine MPI_Init(ierror)
      import
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Finalize(ierror)
      import
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Initialized(flag, ierror)
      import
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Finalized(flag, ierror)
      import
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Init_thread(required, provided, ierror)
      import
      integer, intent(in) :: required
      integer, intent(out) :: provided
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Query_thread(provided, ierror)
      import
      integer, intent(out) :: provided
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Abort(comm, errorcode, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_rank(comm, rank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: rank
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_size(comm, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_dup(comm, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: newcomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_split(comm, color, key, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: color, key
      type(MPI_Comm), intent(out) :: newcomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: split_type, key
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(out) :: newcomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_create(comm, group, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      type(MPI_Comm), intent(out) :: newcomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_free(comm, ierror)
      import
      type(MPI_Comm), intent(inout) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_group(comm, group, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(out) :: group
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_compare(comm1, comm2, result, ierror)
      import
      type(MPI_Comm), intent(in) :: comm1, comm2
      integer, intent(out) :: result
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_get_parent(parent, ierror)
      import
      type(MPI_Comm), intent(out) :: parent
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_set_name(comm, comm_name, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(*), intent(in) :: comm_name
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_get_name(comm, comm_name, resultlen, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(*), intent(out) :: comm_name
      integer, intent(out) :: resultlen
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_set_errhandler(comm, errhandler, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_incl(group, n, ranks, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n, ranks(*)
      type(MPI_Group), intent(out) :: newgroup
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_excl(group, n, ranks, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n, ranks(*)
      type(MPI_Group), intent(out) :: newgroup
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_rank(group, rank, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(out) :: rank
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_size(group, size, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(out) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_free(group, ierror)
      import
      type(MPI_Group), intent(inout) :: group
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      integer, intent(in) :: n, ranks1(*)
      integer, intent(out) :: ranks2(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Bsend(buf, count, datatype, dest, tag, comm, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Rsend(buf, count, datatype, dest, tag, comm, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      integer, intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Issend(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ibsend(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Irsend(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      integer, intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, &
        recvtag, comm, status, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, dest, sendtag, recvcount, source, recvtag
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      integer, intent(in) :: count, dest, sendtag, source, recvtag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Send_init(buf, count, datatype, dest, tag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      integer, intent(in) :: count, dest, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Recv_init(buf, count, datatype, source, tag, comm, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      integer, intent(in) :: count, source, tag
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Start(request, ierror)
      import
      type(MPI_Request), intent(inout) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Startall(count, array_of_requests, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Wait(request, status, ierror)
      import
      type(MPI_Request), intent(inout) :: request
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Waitany(count, array_of_requests, index, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, intent(out) :: index
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, intent(out) :: outcount, array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Test(request, flag, status, ierror)
      import
      type(MPI_Request), intent(inout) :: request
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      logical, intent(out) :: flag
      type(MPI_Status) :: array_of_statuses(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Testany(count, array_of_requests, index, flag, status, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, intent(out) :: index
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Request), intent(inout) :: array_of_requests(*)
      integer, intent(out) :: outcount, array_of_indices(*)
      type(MPI_Status) :: array_of_statuses(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Cancel(request, ierror)
      import
      type(MPI_Request), intent(in) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Request_free(request, ierror)
      import
      type(MPI_Request), intent(inout) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Probe(source, tag, comm, status, ierror)
      import
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Iprobe(source, tag, comm, flag, status, ierror)
      import
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Get_count(status, datatype, count, ierror)
      import
      type(MPI_Status), intent(in) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out) :: count
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Get_elements(status, datatype, count, ierror)
      import
      type(MPI_Status), intent(in) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out) :: count
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Test_cancelled(status, flag, ierror)
      import
      type(MPI_Status), intent(in) :: status
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Barrier(comm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ibarrier(comm, request, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Bcast(buffer, count, datatype, root, comm, ierror)
      import
      !dir$ ignore_tkr buffer
      integer :: buffer(*)
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ibcast(buffer, count, datatype, root, comm, request, ierror)
      import
      !dir$ ignore_tkr buffer
      integer, asynchronous :: buffer(*)
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: count, root
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
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
    subroutine MPI_Scan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: recvcounts(*)
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: recvcount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcounts(*), displs(*), root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), displs(*), recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcounts(*), displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, &
        comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Op_create(user_fn, commute, op, ierror)
      import
      external :: user_fn
      logical, intent(in) :: commute
      type(MPI_Op), intent(out) :: op
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Op_free(op, ierror)
      import
      type(MPI_Op), intent(inout) :: op
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_contiguous(count, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, blocklength, stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
  end interface
