! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Module mpi_f08 for flang, where the MPI library's own one was compiled by another compiler: the procedures of mpif.h, whose
! handles are one integer and whose statuses are MPI_STATUS_SIZE, so that derived types of the same storage are passed as they are.
! For libraries that allow the error code to be left out there (Open MPI does). Nothing is linked: interfaces only, of all procedures
! of MPI 3.1, and of those of MPI 4 that need no new handles; these are where the library has them.
module heatscope_mpif
  implicit none
  include 'mpif-config.h'
  include 'mpif-constants.h'
  include 'mpif-handles.h'
  include 'mpif-io-constants.h'
  include 'mpif-io-handles.h'
end module

module mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr
  use heatscope_mpif, F_COMM_WORLD => MPI_COMM_WORLD, F_COMM_SELF => MPI_COMM_SELF, F_COMM_NULL => MPI_COMM_NULL, &
      F_DATATYPE_NULL => MPI_DATATYPE_NULL, F_BYTE => MPI_BYTE, F_PACKED => MPI_PACKED, &
      F_CHARACTER => MPI_CHARACTER, F_LOGICAL => MPI_LOGICAL, F_INTEGER => MPI_INTEGER, F_INTEGER1 => MPI_INTEGER1, &
      F_INTEGER2 => MPI_INTEGER2, F_INTEGER4 => MPI_INTEGER4, F_INTEGER8 => MPI_INTEGER8, F_REAL => MPI_REAL, &
      F_REAL4 => MPI_REAL4, F_REAL8 => MPI_REAL8, F_DOUBLE_PRECISION => MPI_DOUBLE_PRECISION, &
      F_COMPLEX => MPI_COMPLEX, F_COMPLEX8 => MPI_COMPLEX8, F_COMPLEX16 => MPI_COMPLEX16, &
      F_DOUBLE_COMPLEX => MPI_DOUBLE_COMPLEX, F_2REAL => MPI_2REAL, F_2DOUBLE_PRECISION => MPI_2DOUBLE_PRECISION, &
      F_2INTEGER => MPI_2INTEGER, F_AINT => MPI_AINT, F_OFFSET => MPI_OFFSET, F_COUNT => MPI_COUNT, &
      F_OP_NULL => MPI_OP_NULL, F_MAX => MPI_MAX, F_MIN => MPI_MIN, F_SUM => MPI_SUM, F_PROD => MPI_PROD, &
      F_LAND => MPI_LAND, F_BAND => MPI_BAND, F_LOR => MPI_LOR, F_BOR => MPI_BOR, F_LXOR => MPI_LXOR, &
      F_BXOR => MPI_BXOR, F_MAXLOC => MPI_MAXLOC, F_MINLOC => MPI_MINLOC, F_REPLACE => MPI_REPLACE, &
      F_NO_OP => MPI_NO_OP, F_WIN_NULL => MPI_WIN_NULL, F_MESSAGE_NULL => MPI_MESSAGE_NULL, &
      F_MESSAGE_NO_PROC => MPI_MESSAGE_NO_PROC, F_FILE_NULL => MPI_FILE_NULL, F_REQUEST_NULL => MPI_REQUEST_NULL, &
      F_GROUP_NULL => MPI_GROUP_NULL, F_GROUP_EMPTY => MPI_GROUP_EMPTY, F_INFO_NULL => MPI_INFO_NULL, &
      F_ERRHANDLER_NULL => MPI_ERRHANDLER_NULL, F_ERRORS_ARE_FATAL => MPI_ERRORS_ARE_FATAL, &
      F_ERRORS_RETURN => MPI_ERRORS_RETURN, &
      F_2COMPLEX => MPI_2COMPLEX, F_2DOUBLE_COMPLEX => MPI_2DOUBLE_COMPLEX, F_COMPLEX32 => MPI_COMPLEX32, &
      F_CXX_BOOL => MPI_CXX_BOOL, F_CXX_DOUBLE_COMPLEX => MPI_CXX_DOUBLE_COMPLEX, &
      F_CXX_FLOAT_COMPLEX => MPI_CXX_FLOAT_COMPLEX, F_CXX_LONG_DOUBLE_COMPLEX => MPI_CXX_LONG_DOUBLE_COMPLEX, &
      F_C_BOOL => MPI_C_BOOL, F_C_COMPLEX => MPI_C_COMPLEX, F_C_DOUBLE_COMPLEX => MPI_C_DOUBLE_COMPLEX, &
      F_C_FLOAT_COMPLEX => MPI_C_FLOAT_COMPLEX, F_C_LONG_DOUBLE_COMPLEX => MPI_C_LONG_DOUBLE_COMPLEX, &
      F_DOUBLE_INT => MPI_DOUBLE_INT, F_FLOAT => MPI_FLOAT, F_FLOAT_INT => MPI_FLOAT_INT, &
      F_INFO_ENV => MPI_INFO_ENV, F_INT16_T => MPI_INT16_T, F_INT32_T => MPI_INT32_T, F_INT64_T => MPI_INT64_T, &
      F_INT8_T => MPI_INT8_T, F_INTEGER16 => MPI_INTEGER16, F_LOGICAL1 => MPI_LOGICAL1, &
      F_LOGICAL2 => MPI_LOGICAL2, F_LOGICAL4 => MPI_LOGICAL4, F_LOGICAL8 => MPI_LOGICAL8, F_LONG => MPI_LONG, &
      F_LONG_DOUBLE => MPI_LONG_DOUBLE, F_LONG_DOUBLE_INT => MPI_LONG_DOUBLE_INT, F_LONG_INT => MPI_LONG_INT, &
      F_LONG_LONG => MPI_LONG_LONG, F_LONG_LONG_INT => MPI_LONG_LONG_INT, F_REAL16 => MPI_REAL16, &
      F_REAL2 => MPI_REAL2, F_SHORT => MPI_SHORT, F_SHORT_INT => MPI_SHORT_INT, F_SIGNED_CHAR => MPI_SIGNED_CHAR, &
      F_UINT16_T => MPI_UINT16_T, F_UINT32_T => MPI_UINT32_T, F_UINT64_T => MPI_UINT64_T, &
      F_UINT8_T => MPI_UINT8_T, F_UNSIGNED => MPI_UNSIGNED, F_UNSIGNED_CHAR => MPI_UNSIGNED_CHAR, &
      F_UNSIGNED_LONG => MPI_UNSIGNED_LONG, F_UNSIGNED_LONG_LONG => MPI_UNSIGNED_LONG_LONG, &
      F_UNSIGNED_SHORT => MPI_UNSIGNED_SHORT, F_WCHAR => MPI_WCHAR
  implicit none
  private :: F_COMM_WORLD, F_COMM_SELF, F_COMM_NULL, F_DATATYPE_NULL, F_BYTE, F_PACKED, &
             F_CHARACTER, F_LOGICAL, F_INTEGER, F_INTEGER1, F_INTEGER2, F_INTEGER4, &
             F_INTEGER8, F_REAL, F_REAL4, F_REAL8, F_DOUBLE_PRECISION, F_COMPLEX, &
             F_COMPLEX8, F_COMPLEX16, F_DOUBLE_COMPLEX, F_2REAL, F_2DOUBLE_PRECISION, F_2INTEGER, &
             F_AINT, F_OFFSET, F_COUNT, F_OP_NULL, F_MAX, F_MIN, &
             F_SUM, F_PROD, F_LAND, F_BAND, F_LOR, F_BOR, &
             F_LXOR, F_BXOR, F_MAXLOC, F_MINLOC, F_REPLACE, F_NO_OP, &
             F_WIN_NULL, F_MESSAGE_NULL, F_MESSAGE_NO_PROC, F_FILE_NULL, F_REQUEST_NULL, F_GROUP_NULL, &
             F_GROUP_EMPTY, F_INFO_NULL, F_ERRHANDLER_NULL, F_ERRORS_ARE_FATAL, F_ERRORS_RETURN, &
             F_2COMPLEX, F_2DOUBLE_COMPLEX, F_COMPLEX32, F_CXX_BOOL, F_CXX_DOUBLE_COMPLEX, F_CXX_FLOAT_COMPLEX, &
             F_CXX_LONG_DOUBLE_COMPLEX, F_C_BOOL, F_C_COMPLEX, F_C_DOUBLE_COMPLEX, F_C_FLOAT_COMPLEX, &
             F_C_LONG_DOUBLE_COMPLEX, F_DOUBLE_INT, F_FLOAT, F_FLOAT_INT, F_INFO_ENV, F_INT16_T, F_INT32_T, &
             F_INT64_T, F_INT8_T, F_INTEGER16, F_LOGICAL1, F_LOGICAL2, F_LOGICAL4, F_LOGICAL8, F_LONG, &
             F_LONG_DOUBLE, F_LONG_DOUBLE_INT, F_LONG_INT, F_LONG_LONG, F_LONG_LONG_INT, F_REAL16, F_REAL2, &
             F_SHORT, F_SHORT_INT, F_SIGNED_CHAR, F_UINT16_T, F_UINT32_T, F_UINT64_T, F_UINT8_T, F_UNSIGNED, &
             F_UNSIGNED_CHAR, F_UNSIGNED_LONG, F_UNSIGNED_LONG_LONG, F_UNSIGNED_SHORT, F_WCHAR
  type, bind(c) :: MPI_Comm
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Datatype
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Op
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Request
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Group
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Info
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Errhandler
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Win
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_File
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Message
    integer :: MPI_VAL
  end type
  type, bind(c) :: MPI_Status
    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR
    integer, private :: internal(MPI_STATUS_SIZE - 3)
  end type
  type, private :: no_such_thing
  end type
  type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(F_COMM_WORLD)
  type(MPI_Comm), parameter :: MPI_COMM_SELF = MPI_Comm(F_COMM_SELF)
  type(MPI_Comm), parameter :: MPI_COMM_NULL = MPI_Comm(F_COMM_NULL)
  type(MPI_Datatype), parameter :: MPI_DATATYPE_NULL = MPI_Datatype(F_DATATYPE_NULL)
  type(MPI_Datatype), parameter :: MPI_BYTE = MPI_Datatype(F_BYTE)
  type(MPI_Datatype), parameter :: MPI_PACKED = MPI_Datatype(F_PACKED)
  type(MPI_Datatype), parameter :: MPI_CHARACTER = MPI_Datatype(F_CHARACTER)
  type(MPI_Datatype), parameter :: MPI_LOGICAL = MPI_Datatype(F_LOGICAL)
  type(MPI_Datatype), parameter :: MPI_INTEGER = MPI_Datatype(F_INTEGER)
  type(MPI_Datatype), parameter :: MPI_INTEGER1 = MPI_Datatype(F_INTEGER1)
  type(MPI_Datatype), parameter :: MPI_INTEGER2 = MPI_Datatype(F_INTEGER2)
  type(MPI_Datatype), parameter :: MPI_INTEGER4 = MPI_Datatype(F_INTEGER4)
  type(MPI_Datatype), parameter :: MPI_INTEGER8 = MPI_Datatype(F_INTEGER8)
  type(MPI_Datatype), parameter :: MPI_REAL = MPI_Datatype(F_REAL)
  type(MPI_Datatype), parameter :: MPI_REAL4 = MPI_Datatype(F_REAL4)
  type(MPI_Datatype), parameter :: MPI_REAL8 = MPI_Datatype(F_REAL8)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_PRECISION = MPI_Datatype(F_DOUBLE_PRECISION)
  type(MPI_Datatype), parameter :: MPI_COMPLEX = MPI_Datatype(F_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_COMPLEX8 = MPI_Datatype(F_COMPLEX8)
  type(MPI_Datatype), parameter :: MPI_COMPLEX16 = MPI_Datatype(F_COMPLEX16)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_COMPLEX = MPI_Datatype(F_DOUBLE_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_2REAL = MPI_Datatype(F_2REAL)
  type(MPI_Datatype), parameter :: MPI_2DOUBLE_PRECISION = MPI_Datatype(F_2DOUBLE_PRECISION)
  type(MPI_Datatype), parameter :: MPI_2INTEGER = MPI_Datatype(F_2INTEGER)
  type(MPI_Datatype), parameter :: MPI_AINT = MPI_Datatype(F_AINT)
  type(MPI_Datatype), parameter :: MPI_OFFSET = MPI_Datatype(F_OFFSET)
  type(MPI_Datatype), parameter :: MPI_COUNT = MPI_Datatype(F_COUNT)
  type(MPI_Datatype), parameter :: MPI_2COMPLEX = MPI_Datatype(F_2COMPLEX)
  type(MPI_Datatype), parameter :: MPI_2DOUBLE_COMPLEX = MPI_Datatype(F_2DOUBLE_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_COMPLEX32 = MPI_Datatype(F_COMPLEX32)
  type(MPI_Datatype), parameter :: MPI_CXX_BOOL = MPI_Datatype(F_CXX_BOOL)
  type(MPI_Datatype), parameter :: MPI_CXX_DOUBLE_COMPLEX = MPI_Datatype(F_CXX_DOUBLE_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_CXX_FLOAT_COMPLEX = MPI_Datatype(F_CXX_FLOAT_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_CXX_LONG_DOUBLE_COMPLEX = MPI_Datatype(F_CXX_LONG_DOUBLE_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_C_BOOL = MPI_Datatype(F_C_BOOL)
  type(MPI_Datatype), parameter :: MPI_C_COMPLEX = MPI_Datatype(F_C_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_C_DOUBLE_COMPLEX = MPI_Datatype(F_C_DOUBLE_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_C_FLOAT_COMPLEX = MPI_Datatype(F_C_FLOAT_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_C_LONG_DOUBLE_COMPLEX = MPI_Datatype(F_C_LONG_DOUBLE_COMPLEX)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_INT = MPI_Datatype(F_DOUBLE_INT)
  type(MPI_Datatype), parameter :: MPI_FLOAT = MPI_Datatype(F_FLOAT)
  type(MPI_Datatype), parameter :: MPI_FLOAT_INT = MPI_Datatype(F_FLOAT_INT)
  type(MPI_Datatype), parameter :: MPI_INT16_T = MPI_Datatype(F_INT16_T)
  type(MPI_Datatype), parameter :: MPI_INT32_T = MPI_Datatype(F_INT32_T)
  type(MPI_Datatype), parameter :: MPI_INT64_T = MPI_Datatype(F_INT64_T)
  type(MPI_Datatype), parameter :: MPI_INT8_T = MPI_Datatype(F_INT8_T)
  type(MPI_Datatype), parameter :: MPI_INTEGER16 = MPI_Datatype(F_INTEGER16)
  type(MPI_Datatype), parameter :: MPI_LOGICAL1 = MPI_Datatype(F_LOGICAL1)
  type(MPI_Datatype), parameter :: MPI_LOGICAL2 = MPI_Datatype(F_LOGICAL2)
  type(MPI_Datatype), parameter :: MPI_LOGICAL4 = MPI_Datatype(F_LOGICAL4)
  type(MPI_Datatype), parameter :: MPI_LOGICAL8 = MPI_Datatype(F_LOGICAL8)
  type(MPI_Datatype), parameter :: MPI_LONG = MPI_Datatype(F_LONG)
  type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE = MPI_Datatype(F_LONG_DOUBLE)
  type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE_INT = MPI_Datatype(F_LONG_DOUBLE_INT)
  type(MPI_Datatype), parameter :: MPI_LONG_INT = MPI_Datatype(F_LONG_INT)
  type(MPI_Datatype), parameter :: MPI_LONG_LONG = MPI_Datatype(F_LONG_LONG)
  type(MPI_Datatype), parameter :: MPI_LONG_LONG_INT = MPI_Datatype(F_LONG_LONG_INT)
  type(MPI_Datatype), parameter :: MPI_REAL16 = MPI_Datatype(F_REAL16)
  type(MPI_Datatype), parameter :: MPI_REAL2 = MPI_Datatype(F_REAL2)
  type(MPI_Datatype), parameter :: MPI_SHORT = MPI_Datatype(F_SHORT)
  type(MPI_Datatype), parameter :: MPI_SHORT_INT = MPI_Datatype(F_SHORT_INT)
  type(MPI_Datatype), parameter :: MPI_SIGNED_CHAR = MPI_Datatype(F_SIGNED_CHAR)
  type(MPI_Datatype), parameter :: MPI_UINT16_T = MPI_Datatype(F_UINT16_T)
  type(MPI_Datatype), parameter :: MPI_UINT32_T = MPI_Datatype(F_UINT32_T)
  type(MPI_Datatype), parameter :: MPI_UINT64_T = MPI_Datatype(F_UINT64_T)
  type(MPI_Datatype), parameter :: MPI_UINT8_T = MPI_Datatype(F_UINT8_T)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED = MPI_Datatype(F_UNSIGNED)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_CHAR = MPI_Datatype(F_UNSIGNED_CHAR)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG = MPI_Datatype(F_UNSIGNED_LONG)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG_LONG = MPI_Datatype(F_UNSIGNED_LONG_LONG)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_SHORT = MPI_Datatype(F_UNSIGNED_SHORT)
  type(MPI_Datatype), parameter :: MPI_WCHAR = MPI_Datatype(F_WCHAR)
  type(MPI_Op), parameter :: MPI_OP_NULL = MPI_Op(F_OP_NULL)
  type(MPI_Op), parameter :: MPI_MAX = MPI_Op(F_MAX)
  type(MPI_Op), parameter :: MPI_MIN = MPI_Op(F_MIN)
  type(MPI_Op), parameter :: MPI_SUM = MPI_Op(F_SUM)
  type(MPI_Op), parameter :: MPI_PROD = MPI_Op(F_PROD)
  type(MPI_Op), parameter :: MPI_LAND = MPI_Op(F_LAND)
  type(MPI_Op), parameter :: MPI_BAND = MPI_Op(F_BAND)
  type(MPI_Op), parameter :: MPI_LOR = MPI_Op(F_LOR)
  type(MPI_Op), parameter :: MPI_BOR = MPI_Op(F_BOR)
  type(MPI_Op), parameter :: MPI_LXOR = MPI_Op(F_LXOR)
  type(MPI_Op), parameter :: MPI_BXOR = MPI_Op(F_BXOR)
  type(MPI_Op), parameter :: MPI_MAXLOC = MPI_Op(F_MAXLOC)
  type(MPI_Op), parameter :: MPI_MINLOC = MPI_Op(F_MINLOC)
  type(MPI_Op), parameter :: MPI_REPLACE = MPI_Op(F_REPLACE)
  type(MPI_Op), parameter :: MPI_NO_OP = MPI_Op(F_NO_OP)
  type(MPI_Win), parameter :: MPI_WIN_NULL = MPI_Win(F_WIN_NULL)
  type(MPI_Message), parameter :: MPI_MESSAGE_NULL = MPI_Message(F_MESSAGE_NULL)
  type(MPI_Message), parameter :: MPI_MESSAGE_NO_PROC = MPI_Message(F_MESSAGE_NO_PROC)
  type(MPI_File), parameter :: MPI_FILE_NULL = MPI_File(F_FILE_NULL)
  type(MPI_Request), parameter :: MPI_REQUEST_NULL = MPI_Request(F_REQUEST_NULL)
  type(MPI_Group), parameter :: MPI_GROUP_NULL = MPI_Group(F_GROUP_NULL)
  type(MPI_Group), parameter :: MPI_GROUP_EMPTY = MPI_Group(F_GROUP_EMPTY)
  type(MPI_Info), parameter :: MPI_INFO_NULL = MPI_Info(F_INFO_NULL)
  type(MPI_Info), parameter :: MPI_INFO_ENV = MPI_Info(F_INFO_ENV)
  type(MPI_Errhandler), parameter :: MPI_ERRHANDLER_NULL = MPI_Errhandler(F_ERRHANDLER_NULL)
  type(MPI_Errhandler), parameter :: MPI_ERRORS_ARE_FATAL = MPI_Errhandler(F_ERRORS_ARE_FATAL)
  type(MPI_Errhandler), parameter :: MPI_ERRORS_RETURN = MPI_Errhandler(F_ERRORS_RETURN)
  type(MPI_Status), bind(c, name="mpi_fortran_status_ignore_") :: MPI_STATUS_IGNORE
  type(MPI_Status), bind(c, name="mpi_fortran_statuses_ignore_") :: MPI_STATUSES_IGNORE(1)
  integer, bind(c, name="mpi_fortran_bottom_") :: MPI_BOTTOM
  integer, bind(c, name="mpi_fortran_in_place_") :: MPI_IN_PLACE
  integer, bind(c, name="mpi_fortran_errcodes_ignore_") :: MPI_ERRCODES_IGNORE(1)
  integer, bind(c, name="mpi_fortran_unweighted_") :: MPI_UNWEIGHTED(1)
  integer, bind(c, name="mpi_fortran_weights_empty_") :: MPI_WEIGHTS_EMPTY(1)
  character, bind(c, name="mpi_fortran_argv_null_") :: MPI_ARGV_NULL(1)
  character, bind(c, name="mpi_fortran_argvs_null_") :: MPI_ARGVS_NULL(1, 1)
  external :: MPI_COMM_DUP_FN, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, MPI_TYPE_DUP_FN, MPI_TYPE_NULL_COPY_FN, &
              MPI_TYPE_NULL_DELETE_FN, MPI_WIN_DUP_FN, MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, MPI_CONVERSION_FN_NULL
  interface operator(==)
    logical function eq_comm(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_comm_op_eq")
      import
      type(MPI_Comm), intent(in) :: a, b
    end function
    logical function eq_datatype(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_datatype_op_eq")
      import
      type(MPI_Datatype), intent(in) :: a, b
    end function
    logical function eq_op(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_op_op_eq")
      import
      type(MPI_Op), intent(in) :: a, b
    end function
    logical function eq_request(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_request_op_eq")
      import
      type(MPI_Request), intent(in) :: a, b
    end function
    logical function eq_group(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_group_op_eq")
      import
      type(MPI_Group), intent(in) :: a, b
    end function
    logical function eq_info(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_info_op_eq")
      import
      type(MPI_Info), intent(in) :: a, b
    end function
    logical function eq_errhandler(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_errhandler_op_eq")
      import
      type(MPI_Errhandler), intent(in) :: a, b
    end function
    logical function eq_win(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_win_op_eq")
      import
      type(MPI_Win), intent(in) :: a, b
    end function
    logical function eq_file(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_file_op_eq")
      import
      type(MPI_File), intent(in) :: a, b
    end function
    logical function eq_message(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_message_op_eq")
      import
      type(MPI_Message), intent(in) :: a, b
    end function
  end interface
  interface operator(/=)
    logical function ne_comm(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_comm_op_ne")
      import
      type(MPI_Comm), intent(in) :: a, b
    end function
    logical function ne_datatype(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_datatype_op_ne")
      import
      type(MPI_Datatype), intent(in) :: a, b
    end function
    logical function ne_op(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_op_op_ne")
      import
      type(MPI_Op), intent(in) :: a, b
    end function
    logical function ne_request(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_request_op_ne")
      import
      type(MPI_Request), intent(in) :: a, b
    end function
    logical function ne_group(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_group_op_ne")
      import
      type(MPI_Group), intent(in) :: a, b
    end function
    logical function ne_info(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_info_op_ne")
      import
      type(MPI_Info), intent(in) :: a, b
    end function
    logical function ne_errhandler(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_errhandler_op_ne")
      import
      type(MPI_Errhandler), intent(in) :: a, b
    end function
    logical function ne_win(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_win_op_ne")
      import
      type(MPI_Win), intent(in) :: a, b
    end function
    logical function ne_file(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_file_op_ne")
      import
      type(MPI_File), intent(in) :: a, b
    end function
    logical function ne_message(a, b) bind(c, name="__mpi_f08_types_MOD_ompi_message_op_ne")
      import
      type(MPI_Message), intent(in) :: a, b
    end function
  end interface
  include 'mpi_f08_callbacks.h'
  include 'mpi_f08_messages.h'
  include 'mpi_f08_nonblocking.h'
  include 'mpi_f08_persistent.h'
  include 'mpi_f08_one_sided.h'
  include 'mpi_f08_files.h'
  include 'mpi_f08_objects.h'
  include 'mpi_f08_handles.h'
  include 'mpi_f08_apart.h'
  include 'mpi_f08_profiling.h'
end module
