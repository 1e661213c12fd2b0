! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Intrinsic modules stay the compiler's own: values of type c_ptr, which flang makes of a type of its own, are assigned, compared and initialised,
! beside OpenMP's constants in both forms.
! RUN: %fc -fopenmp -O1 %s -o %t.exe; %t.exe | %check
! RUN: sed 's/^ *include .omp_lib.h.$//; s/^ *use, intrinsic/use omp_lib; &/' %s > %t.module.f90; %fc -fopenmp -O1 %t.module.f90 -o %t.exe; %t.exe | %check
module handles
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr
  implicit none
  type :: handle
    type(c_ptr) :: to = c_null_ptr
  end type
end module

program c_pointers
  use, intrinsic :: iso_fortran_env, only: real64
  use, intrinsic :: ieee_arithmetic
  use iso_c_binding
  use handles, only: handle
  implicit none
  include 'omp_lib.h'
  integer(omp_lock_kind) :: lock
  real(real64), target :: x(10)
  real(c_double), pointer :: q(:)
  type(handle) :: h
  type(c_funptr) :: f
  ! CHECK: at first F
  print '(a, l2)', 'at first', c_associated(h%to)
  h%to = c_loc(x)
  f = c_null_funptr
  call c_f_pointer(h%to, q, [10])
  q = 1
  call omp_init_lock(lock)
  ! CHECK: then T T F F 10.0
  print '(a, 4l2, f5.1)', 'then', c_associated(h%to), c_associated(h%to, c_loc(x)), c_associated(f), ieee_is_nan(q(1)), sum(x)
  h%to = c_null_ptr
  ! CHECK: last F
  print '(a, l2)', 'last', c_associated(h%to)
end program
