! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Calls of mpi_f08 by keyword and without the error code, on 2 ranks; rank 0 prints what came of them. f08_module.sh compiles it with the
! module of `heatscope fc`, and with the library's own by its own compiler, and compares.
module own
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine tenfold(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    real(8), pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a + 10 * b
  end subroutine
  subroutine copied(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine told(what, x)
    character(*), intent(in) :: what
    real(8), intent(in) :: x(:)
    integer :: rank
    call MPI_Comm_rank(comm=MPI_COMM_WORLD, rank=rank)
    if (rank == 0) print '(a, 20f8.1)', what, x
  end subroutine
end module

program f08_calls
  use own
  implicit none
  integer, parameter :: d = kind(1d0)
  integer :: rank, n, other, i, k, errorclass, key, unit, indegree, outdegree
  logical :: flag
  character(MPI_MAX_OBJECT_NAME) :: text
  character(MPI_MAX_ERROR_STRING) :: why
  character(16) :: value
  type(MPI_Comm) :: comm, ring
  type(MPI_Group) :: group, part
  type(MPI_Info) :: info
  type(MPI_Op) :: op
  type(MPI_Datatype) :: pair
  type(MPI_Win) :: win
  type(MPI_File) :: fh
  type(MPI_Request) :: request, requests(4)
  type(MPI_Status) :: status
  type(MPI_Errhandler) :: errhandler
  type(c_ptr) :: base
  integer(MPI_ADDRESS_KIND) :: size, lb, extent, attribute
  integer(MPI_OFFSET_KIND) :: offset
  integer(MPI_COUNT_KIND) :: count
  real(d), asynchronous :: a(4), b(4), c(8)
  real(d), pointer :: shared(:)
  integer, pointer :: memory(:)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  other = 1 - rank
  a = [(10d0 * rank + i, i = 1, 4)]

  ! communicators, groups, attributes, information
  call MPI_Comm_idup(comm=MPI_COMM_WORLD, newcomm=comm, request=request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Info_create(info)
  call MPI_Info_set(info=info, key='colour', value='blue')
  call MPI_Info_get(info=info, key='colour', valuelen=len(value), value=value, flag=flag)
  call MPI_Info_get_nkeys(info=info, nkeys=k)
  if (rank == 0) print '(3a, l2, i3)', 'info ', trim(value), ' ', flag, k
  call MPI_Info_get_valuelen(info=info, key='none', valuelen=k, flag=flag)
  if (rank == 0) print '(a, l2)', 'info none', flag
  call MPI_Info_free(info)
  call MPI_Comm_create_keyval(comm_copy_attr_fn=copied, comm_delete_attr_fn=MPI_COMM_NULL_DELETE_FN, comm_keyval=key, &
      extra_state=5_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(comm=comm, comm_keyval=key, attribute_val=37_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(comm, ring)
  call MPI_Comm_get_attr(comm=ring, comm_keyval=key, attribute_val=attribute, flag=flag)
  call told('attribute', [real(attribute, d), merge(1d0, 0d0, flag)])
  call MPI_Comm_free(ring)
  call MPI_Comm_free_keyval(comm_keyval=key)
  call MPI_Comm_group(comm, group)
  call MPI_Group_range_incl(group=group, n=1, ranges=reshape([1, 0, -1], [3, 1]), newgroup=part)
  call MPI_Group_compare(group1=group, group2=part, result=k)
  if (rank == 0) print '(a, l2)', 'group', k == MPI_SIMILAR
  call MPI_Comm_get_errhandler(comm=comm, errhandler=errhandler)
  if (rank == 0) print '(a, l2)', 'errhandler', errhandler == MPI_ERRORS_ARE_FATAL
  call MPI_Errhandler_free(errhandler=errhandler)
  call MPI_Add_error_class(errorclass=errorclass)
  call MPI_Add_error_string(errorcode=errorclass, string='of our own')
  call MPI_Error_string(errorclass, why, k)
  if (rank == 0) print '(2a)', 'error ', why(:k)

  ! types
  call MPI_Type_create_hindexed_block(count=2, blocklength=1, array_of_displacements=[0_MPI_ADDRESS_KIND, &
      16_MPI_ADDRESS_KIND], &
      oldtype=MPI_DOUBLE_PRECISION, newtype=pair)
  call MPI_Type_commit(pair)
  call MPI_Type_set_name(datatype=pair, type_name='pair')
  call MPI_Type_get_name(datatype=pair, type_name=text, resultlen=k)
  call MPI_Type_get_true_extent(datatype=pair, true_lb=lb, true_extent=extent)
  call MPI_Type_size_x(datatype=pair, size=count)
  if (rank == 0) print '(2a, 3i4)', 'type ', text(:k), lb, extent, count
  call MPI_Sizeof(a, i, k)
  if (rank == 0) print '(a, i3)', 'sizeof', i
  if (rank == 0) print '(a, i4)', 'address', MPI_Aint_diff(addr1=MPI_Aint_add(100_MPI_ADDRESS_KIND, &
      8_MPI_ADDRESS_KIND), addr2=0_MPI_ADDRESS_KIND)

  ! collectives
  call MPI_Op_create(user_fn=tenfold, commute=.false., op=op)
  call MPI_Op_commutative(op=op, commute=flag)
  call MPI_Iscan(sendbuf=a, recvbuf=b, count=4, datatype=MPI_REAL8, op=op, comm=comm, request=requests(1))
  call MPI_Ireduce_scatter_block(sendbuf=a, recvbuf=c, recvcount=2, datatype=MPI_REAL8, op=MPI_SUM, comm=comm, &
      request=requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call told('scan', b)
  call told('reduced', c(:2))
  call MPI_Reduce(b, c, 4, MPI_REAL8, MPI_MAX, 0, comm)
  call told('maximum', c(:4))
  c = 0
  call MPI_Igatherv(sendbuf=a, sendcount=2 + rank, sendtype=MPI_REAL8, recvbuf=c, recvcounts=[2, 3], displs=[5, 1], &
      recvtype=MPI_REAL8, &
      root=0, comm=comm, request=request)
  call MPI_F_sync_reg(buf=c)
  call MPI_Request_get_status(request=request, flag=flag, status=status)
  call MPI_Wait(request=request, status=MPI_STATUS_IGNORE)
  call told('gathered', c)
  call MPI_Iscatterv(sendbuf=c, sendcounts=[1, 2], displs=[5, 1], sendtype=MPI_REAL8, recvbuf=b, &
      recvcount=1 + rank, recvtype=MPI_REAL8, &
      root=0, comm=comm, request=request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call told('scattered', b(:1))

  ! neighbours
  call MPI_Dist_graph_create(comm_old=comm, n=1, sources=[rank], degrees=[1], destinations=[other], &
      weights=MPI_UNWEIGHTED, &
      info=MPI_INFO_NULL, reorder=.false., comm_dist_graph=ring)
  call MPI_Dist_graph_neighbors_count(comm=ring, indegree=indegree, outdegree=outdegree, weighted=flag)
  call MPI_Topo_test(comm=ring, status=k)
  if (rank == 0) print '(a, 2i3, 2l2)', 'graph', indegree, outdegree, flag, k == MPI_DIST_GRAPH
  call MPI_Neighbor_alltoallw(sendbuf=a, sendcounts=[2], sdispls=[8_MPI_ADDRESS_KIND], sendtypes=[MPI_REAL8], &
      recvbuf=b, recvcounts=[2], &
      rdispls=[0_MPI_ADDRESS_KIND], recvtypes=[MPI_REAL8], comm=ring)
  call told('neighbour', b(:2))
  call MPI_Ineighbor_allgatherv(sendbuf=a, sendcount=1, sendtype=MPI_REAL8, recvbuf=b, recvcounts=[1], displs=[3], &
      recvtype=MPI_REAL8, &
      comm=ring, request=request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call told('neighbours', b)

  ! persistent and buffered messages
  call MPI_Ssend_init(buf=a, count=4, datatype=MPI_REAL8, dest=other, tag=1, comm=comm, request=requests(1))
  call MPI_Recv_init(buf=b, count=4, datatype=MPI_REAL8, source=other, tag=1, comm=comm, request=requests(2))
  do i = 1, 3
    a(1) = i
    call MPI_Startall(2, requests)
    call MPI_Waitall(count=2, array_of_requests=requests, array_of_statuses=MPI_STATUSES_IGNORE)
  end do
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))
  call told('persistent', b)
  call MPI_Alloc_mem(size=4000_MPI_ADDRESS_KIND, info=MPI_INFO_NULL, baseptr=base)
  call c_f_pointer(base, memory, [1000])
  memory = 7
  call MPI_Buffer_attach(buffer=memory, size=4000)
  call MPI_Bsend(a(2), 1, MPI_REAL8, other, 2, comm)
  call MPI_Recv(b, 1, MPI_REAL8, other, 2, comm, status)
  call MPI_Buffer_detach(buffer_addr=base, size=k)
  call MPI_Get_address(memory, lb)
  flag = transfer(base, lb) == lb
  if (rank == 0) print '(a, i5, l2, i2)', 'buffer', k, flag, status%MPI_SOURCE
  call MPI_Free_mem(base=memory)
  call told('buffered', b(:1))

  ! one-sided
  size = 8 * 10
  call MPI_Win_allocate(size=size, disp_unit=8, info=MPI_INFO_NULL, comm=comm, baseptr=base, win=win)
  call c_f_pointer(base, shared, [10])
  shared = 1
  call MPI_Win_lock_all(assert=0, win=win)
  call MPI_Win_sync(win=win)
  call MPI_Barrier(comm)
  call MPI_Rput(origin_addr=a, origin_count=2, origin_datatype=MPI_REAL8, target_rank=other, &
      target_disp=1_MPI_ADDRESS_KIND, &
      target_count=2, target_datatype=MPI_REAL8, win=win, request=request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Fetch_and_op(origin_addr=a(3), result_addr=b(1), datatype=MPI_REAL8, target_rank=other, &
      target_disp=5_MPI_ADDRESS_KIND, &
      op=MPI_SUM, win=win)
  call MPI_Get_accumulate(origin_addr=a, origin_count=1, origin_datatype=MPI_REAL8, result_addr=b(2), result_count=1, &
      result_datatype=MPI_REAL8, target_rank=other, target_disp=6_MPI_ADDRESS_KIND, target_count=1, &
      target_datatype=MPI_REAL8, &
      op=MPI_NO_OP, win=win)
  call MPI_Win_flush_local(rank=other, win=win)
  call MPI_Win_flush_all(win=win)
  call MPI_Win_unlock_all(win=win)
  call MPI_Barrier(comm)
  call told('window', shared)
  call told('fetched', b(:2))
  call MPI_Win_free(win)
  call MPI_Win_allocate_shared(size=size, disp_unit=8, info=MPI_INFO_NULL, comm=comm, baseptr=base, win=win)
  call MPI_Win_shared_query(win=win, rank=0, size=size, disp_unit=k, baseptr=base)
  call c_f_pointer(base, shared, [10])
  call MPI_Win_fence(0, win)
  if (rank == 1) shared = 3
  call MPI_Win_fence(0, win)
  call told('shared', [real(size, d), real(k, d), shared(10)])
  call MPI_Win_free(win)

  ! files
  call MPI_File_open(comm, 'f08_calls.data', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh)
  call MPI_File_set_size(fh=fh, size=0_MPI_OFFSET_KIND)
  call MPI_File_iwrite_at(fh=fh, offset=32_MPI_OFFSET_KIND * rank, buf=a, count=4, datatype=MPI_REAL8, request=request)
  call MPI_Wait(request, status)
  call MPI_File_sync(fh=fh)
  call MPI_Barrier(comm)
  call MPI_File_sync(fh=fh)
  call MPI_File_read_at_all_begin(fh=fh, offset=32_MPI_OFFSET_KIND * other, buf=b, count=4, datatype=MPI_REAL8)
  call MPI_File_read_at_all_end(fh=fh, buf=b, status=status)
  call MPI_Get_elements_x(status=status, datatype=MPI_REAL8, count=count)
  call MPI_File_get_size(fh=fh, size=offset)
  call told('file', [b, real(offset, d), real(count, d)])
  call MPI_File_get_amode(fh=fh, amode=k)
  if (rank == 0) print '(a, l2)', 'amode', k == MPI_MODE_CREATE + MPI_MODE_RDWR
  call MPI_File_close(fh)
  if (rank == 0) call MPI_File_delete(filename='f08_calls.data', info=MPI_INFO_NULL)
  inquire (file='f08_calls.data', exist=flag)
  if (rank == 0) print '(a, l2)', 'deleted', .not. flag

  ! under the names of the profiling interface
  call PMPI_Allreduce(sendbuf=a, recvbuf=b, count=4, datatype=MPI_REAL8, op=MPI_SUM, comm=comm)
  call told('profiling', b)
  call MPI_Type_free(pair)
  call MPI_Op_free(op)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program
