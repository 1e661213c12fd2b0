! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Interfaces of module mpi_f08, see mpi_f08.F90: files.
  interface
    subroutine MPI_File_call_errhandler(fh, errorcode, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: errorcode
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
      import
      external :: file_errhandler_fn
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_delete(filename, info, ierror)
      import
      character(*), intent(in) :: filename
      type(MPI_Info), intent(in) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_amode(fh, amode, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, intent(out) :: amode
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_atomicity(fh, flag, ierror)
      import
      type(MPI_File), intent(in) :: fh
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_byte_offset(fh, offset, disp, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer(MPI_OFFSET_KIND), intent(out) :: disp
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_errhandler(file, errhandler, ierror)
      import
      type(MPI_File), intent(in) :: file
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_group(fh, group, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Group), intent(out) :: group
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_info(fh, info_used, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Info), intent(out) :: info_used
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_position(fh, offset, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(out) :: offset
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_position_shared(fh, offset, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(out) :: offset
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_size(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(out) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_type_extent(fh, datatype, extent, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND), intent(out) :: extent
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(out) :: disp
      type(MPI_Datatype), intent(out) :: etype, filetype
      character(*), intent(out) :: datarep
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iread(fh, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iread_all(fh, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iread_at(fh, offset, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iread_at_all(fh, offset, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iread_shared(fh, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iwrite(fh, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iwrite_all(fh, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iwrite_at(fh, offset, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_iwrite_shared(fh, buf, count, datatype, request, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Request), intent(out) :: request
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_preallocate(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_all_begin(fh, buf, count, datatype, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_all_end(fh, buf, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_at_all_begin(fh, offset, buf, count, datatype, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_at_all_end(fh, buf, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_ordered(fh, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_ordered_begin(fh, buf, count, datatype, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_ordered_end(fh, buf, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_read_shared(fh, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_seek_shared(fh, offset, whence, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: whence
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_set_atomicity(fh, flag, ierror)
      import
      type(MPI_File), intent(in) :: fh
      logical, intent(in) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_set_errhandler(file, errhandler, ierror)
      import
      type(MPI_File), intent(in) :: file
      type(MPI_Errhandler), intent(in) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_set_info(fh, info, ierror)
      import
      type(MPI_File), intent(in) :: fh
      type(MPI_Info), intent(in) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_set_size(fh, size, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_sync(fh, ierror)
      import
      type(MPI_File), intent(in) :: fh
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_all_begin(fh, buf, count, datatype, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_all_end(fh, buf, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_at_all_begin(fh, offset, buf, count, datatype, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer(MPI_OFFSET_KIND), intent(in) :: offset
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_at_all_end(fh, buf, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_ordered(fh, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_ordered_begin(fh, buf, count, datatype, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_ordered_end(fh, buf, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer, asynchronous :: buf(*)
      type(MPI_File), intent(in) :: fh
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_File_write_shared(fh, buf, count, datatype, status, ierror)
      import
      !dir$ ignore_tkr buf
      integer :: buf(*)
      type(MPI_File), intent(in) :: fh
      integer, intent(in) :: count
      type(MPI_Datatype), intent(in) :: datatype
      type(MPI_Status) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, &
        extra_state, ierror)
      import
      character(*), intent(in) :: datarep
      external :: read_conversion_fn, write_conversion_fn, dtype_file_extent_fn
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out), optional :: ierror
    end subroutine
  end interface
