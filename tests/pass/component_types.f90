! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Types of which components.f90 uses the components.
module component_types
  implicit none
  type point
    real(8) :: x, & ! goes on
               y    &
               , z
  end type
  type, extends(point) :: body
    real(8), allocatable :: mass(:)
    real(8), dimension(:, :), allocatable :: force, &
      ! a comment in between
      & speed
  end type
  type system
    integer :: n
    type(body), allocatable :: bodies(:)
  end type
  type(system) :: world
  type plain
    real(8) a, &
            b
    real(8) :: c, & ! goes on
               ! a comment in between
               d    &
               , e
  end type
  type, extends(plain) :: more
    real(8) :: f
  end type
  type other
    real(8) :: g, h
  end type
  type(plain) :: spot(20)
  type(more) :: long(20)
  type(other) :: last(20)
end module
