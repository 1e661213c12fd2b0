! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Interfaces of module mpi_f08, see mpi_f08.F90: those that are not procedures of mpif.h with other types.
  interface
    double precision function MPI_Wtime()
    end function
    double precision function MPI_Wtick()
    end function
    integer(MPI_ADDRESS_KIND) function MPI_Aint_add(base, disp)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: base, disp
    end function
    integer(MPI_ADDRESS_KIND) function MPI_Aint_diff(addr1, addr2)
      import
      integer(MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
    end function
    subroutine MPI_Buffer_detach(buffer_addr, size, ierror) bind(c, name="ompi_buffer_detach_f08") ! mpif.h's tells no address
      import
      type(c_ptr), intent(out) :: buffer_addr
      integer, intent(out) :: size
      integer, intent(out), optional :: ierror
    end subroutine
  end interface
  ! the library has one for each rank; the error code has to be given, as they write it
  interface MPI_Sizeof
    subroutine mpi_sizeof_character_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      character :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
    subroutine mpi_sizeof_logical_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      logical :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
    subroutine mpi_sizeof_int8_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      integer(1) :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
    subroutine mpi_sizeof_int16_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      integer(2) :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
    subroutine mpi_sizeof_int32_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      integer(4) :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
    subroutine mpi_sizeof_int64_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      integer(8) :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
    subroutine mpi_sizeof_real32_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      real(4) :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
    subroutine mpi_sizeof_real64_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      real(8) :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
    subroutine mpi_sizeof_complex32_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      complex(4) :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
    subroutine mpi_sizeof_complex64_scalar(x, size, ierror)
      !dir$ ignore_tkr(r) x
      complex(8) :: x(*)
      integer, intent(out) :: size, ierror
    end subroutine
  end interface
  ! nothing in the library does these: a call of them is an error
  interface MPI_Status_f2f08
    subroutine heatscope_has_no_mpi_status_f2f08(x)
      import
      type(no_such_thing) :: x
    end subroutine
  end interface
  interface MPI_Status_f082f
    subroutine heatscope_has_no_mpi_status_f082f(x)
      import
      type(no_such_thing) :: x
    end subroutine
  end interface
