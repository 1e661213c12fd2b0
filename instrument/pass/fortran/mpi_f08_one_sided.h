! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Interfaces of module mpi_f08, see mpi_f08.F90: one-sided communication, memory.
  interface
    subroutine MPI_Alloc_mem(size, info, baseptr, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      type(MPI_Info), intent(in) :: info
      type(c_ptr), intent(out) :: baseptr
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, &
        win, ierror)
      import
      !dir$ ignore_tkr origin_addr, compare_addr, result_addr
      integer, asynchronous :: origin_addr(*), compare_addr(*), result_addr(*)
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win, ierror)
      import
      !dir$ ignore_tkr origin_addr, result_addr
      integer, asynchronous :: origin_addr(*), result_addr(*)
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: target_rank
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Free_mem(base, ierror)
      import
      !dir$ ignore_tkr base
      integer, asynchronous :: base(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, ierror)
      import
      !dir$ ignore_tkr origin_addr, result_addr
      integer, asynchronous :: origin_addr(*), result_addr(*)
      integer, intent(in) :: origin_count, result_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, op, win, request, ierror)
      import
      !dir$ ignore_tkr origin_addr
      integer, asynchronous :: origin_addr(*)
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, request, ierror)
      import
      !dir$ ignore_tkr origin_addr
      integer, asynchronous :: origin_addr(*)
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request, ierror)
      import
      !dir$ ignore_tkr origin_addr, result_addr
      integer, asynchronous :: origin_addr(*), result_addr(*)
      integer, intent(in) :: origin_count, result_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, result_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Op), intent(in) :: op
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
        target_datatype, win, request, ierror)
      import
      !dir$ ignore_tkr origin_addr
      integer, asynchronous :: origin_addr(*)
      integer, intent(in) :: origin_count, target_rank, target_count
      type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
      integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
      type(MPI_Win), intent(in) :: win
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: baseptr
      type(MPI_Win), intent(out) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(in) :: disp_unit
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(c_ptr), intent(out) :: baseptr
      type(MPI_Win), intent(out) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_attach(win, base, size, ierror)
      import
      !dir$ ignore_tkr base
      integer, asynchronous :: base(*)
      type(MPI_Win), intent(in) :: win
      integer(MPI_ADDRESS_KIND), intent(in) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_call_errhandler(win, errorcode, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: errorcode
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_create_dynamic(info, comm, win, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Win), intent(out) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
      import
      external :: win_errhandler_fn
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state, ierror)
      import
      external :: win_copy_attr_fn, win_delete_attr_fn
      integer, intent(out) :: win_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_delete_attr(win, win_keyval, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_detach(win, base, ierror)
      import
      !dir$ ignore_tkr base
      integer, asynchronous :: base(*)
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_flush_all(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_flush_local(rank, win, ierror)
      import
      integer, intent(in) :: rank
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_flush_local_all(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_free_keyval(win_keyval, ierror)
      import
      integer, intent(inout) :: win_keyval
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_get_errhandler(win, errhandler, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_get_group(win, group, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Group), intent(out) :: group
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_get_info(win, info, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Info), intent(out) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_get_name(win, win_name, resultlen, ierror)
      import
      type(MPI_Win), intent(in) :: win
      character(*), intent(out) :: win_name
      integer, intent(out) :: resultlen
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_set_errhandler(win, errhandler, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_set_info(win, info, ierror)
      import
      type(MPI_Win), intent(in) :: win
      type(MPI_Info), intent(in) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_set_name(win, win_name, ierror)
      import
      type(MPI_Win), intent(in) :: win
      character(*), intent(in) :: win_name
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: rank
      integer(MPI_ADDRESS_KIND), intent(out) :: size
      integer, intent(out) :: disp_unit
      type(c_ptr), intent(out) :: baseptr
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_sync(win, ierror)
      import
      type(MPI_Win), intent(in) :: win
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Win_test(win, flag, ierror)
      import
      type(MPI_Win), intent(in) :: win
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
  end interface
