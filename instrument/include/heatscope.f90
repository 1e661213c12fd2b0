! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! What a Fortran program can tell Heatscope while it is measured: the procedures of heatscope.h; unmeasured, calls do nothing.
! 'heatscope fc' finds the module and its library by itself. With another compiler: compile this file with it, and link
! libheatscope-fortran.a (in Heatscope's lib folder).
module heatscope
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char
  implicit none
  private
  public :: heatscope_start, heatscope_stop, heatscope_measuring
  public :: heatscope_begin, heatscope_end, heatscope_phase, heatscope_counter

  interface
    subroutine heatscope_start() bind(C, name="heatscope_fortran_start")
    end subroutine
    subroutine heatscope_stop() bind(C, name="heatscope_fortran_stop")
    end subroutine
    function c_measuring() bind(C, name="heatscope_fortran_measuring") result(on)
      import :: c_int
      integer(c_int) :: on
    end function
    subroutine c_begin(name) bind(C, name="heatscope_fortran_begin")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_end(name) bind(C, name="heatscope_fortran_end")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_phase(name) bind(C, name="heatscope_fortran_phase")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine c_counter(name, value) bind(C, name="heatscope_fortran_counter")
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
    end subroutine
  end interface

contains

  logical function heatscope_measuring()
    heatscope_measuring = c_measuring() /= 0
  end function

  subroutine heatscope_begin(name)
    character(len=*), intent(in) :: name
    call c_begin(trim(name) // c_null_char)
  end subroutine

  subroutine heatscope_end(name)
    character(len=*), intent(in), optional :: name
    if (present(name)) then
      call c_end(trim(name) // c_null_char)
    else
      call c_end(c_null_char)
    end if
  end subroutine

  subroutine heatscope_phase(name)
    character(len=*), intent(in) :: name
    call c_phase(trim(name) // c_null_char)
  end subroutine

  subroutine heatscope_counter(name, value)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value
    call c_counter(trim(name) // c_null_char, value)
  end subroutine
end module
