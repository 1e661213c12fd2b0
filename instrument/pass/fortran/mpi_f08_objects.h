! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Interfaces of module mpi_f08, see mpi_f08.F90.
  interface
    subroutine MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, blocklength
      integer(MPI_ADDRESS_KIND), intent(in) :: stride
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, array_of_blocklengths(*), array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_indexed_block(count, blocklength, array_of_displacements, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, blocklength, array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, &
        newtype, ierror)
      import
      integer, intent(in) :: count, array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: array_of_types(*)
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, &
        oldtype, newtype, ierror)
      import
      integer, intent(in) :: ndims, array_of_sizes(*), array_of_subsizes(*), array_of_starts(*), order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
      import
      type(MPI_Datatype), intent(in) :: oldtype
      integer(MPI_ADDRESS_KIND), intent(in) :: lb, extent
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_commit(datatype, ierror)
      import
      type(MPI_Datatype), intent(inout) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_free(datatype, ierror)
      import
      type(MPI_Datatype), intent(inout) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_size(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_get_extent(datatype, lb, extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND), intent(out) :: lb, extent
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Get_address(location, address, ierror)
      import
      !dir$ ignore_tkr location
      integer :: location(*)
      integer(MPI_ADDRESS_KIND), intent(out) :: address
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      import
      !dir$ ignore_tkr inbuf, outbuf
      integer :: inbuf(*), outbuf(*)
      integer, intent(in) :: incount, outsize
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(inout) :: position
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      import
      !dir$ ignore_tkr inbuf, outbuf
      integer :: inbuf(*), outbuf(*)
      integer, intent(in) :: insize, outcount
      integer, intent(inout) :: position
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Pack_size(incount, datatype, comm, size, ierror)
      import
      integer, intent(in) :: incount
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Buffer_attach(buffer, size, ierror)
      import
      !dir$ ignore_tkr buffer
      integer, asynchronous :: buffer(*)
      integer, intent(in) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: ndims, dims(*)
      logical, intent(in) :: periods(*), reorder
      type(MPI_Comm), intent(out) :: comm_cart
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Cart_coords(comm, rank, maxdims, coords, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank, maxdims
      integer, intent(out) :: coords(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Cart_rank(comm, coords, rank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: coords(*)
      integer, intent(out) :: rank
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: direction, disp
      integer, intent(out) :: rank_source, rank_dest
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Cart_sub(comm, remain_dims, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      logical, intent(in) :: remain_dims(*)
      type(MPI_Comm), intent(out) :: newcomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxdims
      integer, intent(out) :: dims(*), coords(*)
      logical, intent(out) :: periods(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Cartdim_get(comm, ndims, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: ndims
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Dims_create(nnodes, ndims, dims, ierror)
      import
      integer, intent(in) :: nnodes, ndims
      integer, intent(inout) :: dims(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Get_processor_name(name, resultlen, ierror)
      import
      character(*), intent(out) :: name
      integer, intent(out) :: resultlen
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Get_library_version(version, resultlen, ierror)
      import
      character(*), intent(out) :: version
      integer, intent(out) :: resultlen
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Get_version(version, subversion, ierror)
      import
      integer, intent(out) :: version, subversion
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Error_string(errorcode, string, resultlen, ierror)
      import
      integer, intent(in) :: errorcode
      character(*), intent(out) :: string
      integer, intent(out) :: resultlen
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Error_class(errorcode, errorclass, ierror)
      import
      integer, intent(in) :: errorcode
      integer, intent(out) :: errorclass
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_create(info, ierror)
      import
      type(MPI_Info), intent(out) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_set(info, key, value, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(*), intent(in) :: key, value
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_free(info, ierror)
      import
      type(MPI_Info), intent(inout) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_create(base, size, disp_unit, info, comm, win, ierror)
      import
      !dir$ ignore_tkr base
      integer, asynchronous :: base(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win), intent(out) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_fence(assert, win, ierror)
      import
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_lock(lock_type, rank, assert, win, ierror)
      import
      integer, intent(in) :: lock_type, rank, assert
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_unlock(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_lock_all(assert, win, ierror)
      import
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_unlock_all(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_flush(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_post(group, assert, win, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_start(group, assert, win, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: assert
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_complete(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_wait(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_free(win, ierror)
      import
      type(MPI_Win), intent(inout) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, ierror)
      import
      !dir$ ignore_tkr origin_addr
      integer, asynchronous :: origin_addr(*)
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, ierror)
      import
      !dir$ ignore_tkr origin_addr
      integer, asynchronous :: origin_addr(*)
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, ierror)
      import
      !dir$ ignore_tkr origin_addr
      integer, asynchronous :: origin_addr(*)
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_open(comm, filename, amode, info, fh, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      character(*), intent(in) :: filename
      integer, intent(in) :: amode
      type(MPI_Info), intent(in) :: info
      type(MPI_File), intent(out) :: fh
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_close(fh, ierror)
      import
      type(MPI_File), intent(inout) :: fh
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: disp
      type(MPI_Datatype), intent(in) :: etype, filetype
      character(*), intent(in) :: datarep
      type(MPI_Info), intent(in) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_seek(fh, offset, whence, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read(fh, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write(fh, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_all(fh, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_all(fh, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_at(fh, offset, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_at(fh, offset, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_at_all(fh, offset, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_at_all(fh, offset, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Mprobe(source, tag, comm, message, status, ierror)
      import
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Message), intent(out) :: message
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Improbe(source, tag, comm, flag, message, status, ierror)
      import
      integer, intent(in) :: source, tag
      type(MPI_Comm), intent(in) :: comm
      logical, intent(out) :: flag
      type(MPI_Message), intent(out) :: message
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Mrecv(buf, count, datatype, message, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message), intent(inout) :: message
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Imrecv(buf, count, datatype, message, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Message), intent(inout) :: message
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_create_group(comm, group, tag, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: tag
      type(MPI_Comm), intent(out) :: newcomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_disconnect(comm, ierror)
      import
      type(MPI_Comm), intent(inout) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_remote_size(comm, size, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_test_inter(comm, flag, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm, ierror)
      import
      type(MPI_Comm), intent(in) :: local_comm, peer_comm
      integer, intent(in) :: local_leader, remote_leader, tag
      type(MPI_Comm), intent(out) :: newintercomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_union(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      type(MPI_Group), intent(out) :: newgroup
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_intersection(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      type(MPI_Group), intent(out) :: newgroup
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_difference(group1, group2, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      type(MPI_Group), intent(out) :: newgroup
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount, root
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
        request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcounts(*), displs(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, &
        comm, request, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer, asynchronous :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, &
        comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcounts(*), sdispls(*), recvcounts(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
      import
      !dir$ ignore_tkr sendbuf, recvbuf
      integer :: sendbuf(*), recvbuf(*)
      integer, intent(in) :: sendcount, recvcount
      type(MPI_Datatype), intent(in) :: sendtype, recvtype
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, &
        destinations, destweights, info, reorder, comm_dist_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: indegree, sources(*), sourceweights(*), outdegree, destinations(*), destweights(*)
      type(MPI_Info), intent(in) :: info
      logical, intent(in) :: reorder
      type(MPI_Comm), intent(out) :: comm_dist_graph
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Reduce_local(inbuf, inoutbuf, count, datatype, op, ierror)
      import
      !dir$ ignore_tkr inbuf, inoutbuf
      integer :: inbuf(*), inoutbuf(*)
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Op), intent(in) :: op
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Is_thread_main(flag, ierror)
      import
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, &
        ierror)
      import
      integer, intent(in) :: count, array_of_blocklengths(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_dup(oldtype, newtype, ierror)
      import
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
  end interface
