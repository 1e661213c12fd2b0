! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The part of the basin that one rank has, and the phases of one step: MPI between the parts, OpenMP inside. All of the
! time should be here.
module basin
  implicit none
  private
  include 'mpif.h'
  integer, parameter, public :: real_kind = kind(1d0)
  real(real_kind), parameter :: gravity = 9.81_real_kind, roughness = 0.025_real_kind

  ! The basin is a square of n x n cells less its north-eastern corner, which is land: water is where i + j <= 3n/2. This
  ! rank has the cells (west + 1 ... west + nx, south + 1 ... south + ny).
  type, public :: part
    integer :: n, west, south, nx, ny
    real(real_kind) :: width                             ! of a cell, m
    real(real_kind), allocatable :: q(:, :, :)           ! height (m), momentum to the east and north (m2/s), with a frame
    real(real_kind), allocatable :: fx(:, :, :)          ! fluxes through the eastern sides
    real(real_kind), allocatable :: fy(:, :, :)          ! and the northern ones
    real(real_kind), allocatable :: send(:, :, :), receive(:, :, :) ! western and eastern columns on their way
    real(real_kind), allocatable :: spin(:, :)           ! vorticity, 1/s
    integer, allocatable :: wet(:)                       ! cells with water in each row, from the west
    integer :: comm, at_west, at_east, at_south, at_north ! neighbours, mpi_proc_null at the walls
  end type part

  integer, parameter :: tag_west = 1, tag_east = 2, tag_south = 3, tag_north = 4

  public :: exchange, flux_x, flux_y, advance, friction, fastest, vorticity, gauges

contains

  ! Each rank gives its outermost cells to its four neighbours.
  subroutine exchange(p)
    type(part), intent(inout) :: p
    integer :: columns, row, requests(8), statuses(mpi_status_size, 8), ierror
    columns = 3*p%ny
    row = 3*p%nx
    call pack_columns(p%nx, p%ny, p%q, p%send)
    call mpi_irecv(p%receive(1, 1, 1), columns, mpi_double_precision, p%at_west, tag_east, p%comm, requests(1), ierror)
    call mpi_irecv(p%receive(1, 1, 2), columns, mpi_double_precision, p%at_east, tag_west, p%comm, requests(2), ierror)
    call mpi_irecv(p%q(1, 1, 0), row, mpi_double_precision, p%at_south, tag_north, p%comm, requests(3), ierror)
    call mpi_irecv(p%q(1, 1, p%ny + 1), row, mpi_double_precision, p%at_north, tag_south, p%comm, requests(4), ierror)
    call mpi_isend(p%send(1, 1, 1), columns, mpi_double_precision, p%at_west, tag_west, p%comm, requests(5), ierror)
    call mpi_isend(p%send(1, 1, 2), columns, mpi_double_precision, p%at_east, tag_east, p%comm, requests(6), ierror)
    call mpi_isend(p%q(1, 1, 1), row, mpi_double_precision, p%at_south, tag_south, p%comm, requests(7), ierror)
    call mpi_isend(p%q(1, 1, p%ny), row, mpi_double_precision, p%at_north, tag_north, p%comm, requests(8), ierror)
    call mpi_waitall(8, requests, statuses, ierror)
    call unpack_columns(p%nx, p%ny, p%receive, p%q, p%at_west /= mpi_proc_null, p%at_east /= mpi_proc_null)
  end subroutine exchange

  subroutine pack_columns(nx, ny, q, send)
    integer, intent(in) :: nx, ny
    real(real_kind), intent(in) :: q(3, 0:nx + 1, 0:ny + 1)
    real(real_kind), intent(out) :: send(3, ny, 2)
    integer :: j
    do j = 1, ny
      send(:, j, 1) = q(:, 1, j)
      send(:, j, 2) = q(:, nx, j)
    end do
  end subroutine pack_columns

  subroutine unpack_columns(nx, ny, receive, q, west, east)
    integer, intent(in) :: nx, ny
    real(real_kind), intent(in) :: receive(3, ny, 2)
    real(real_kind), intent(inout) :: q(3, 0:nx + 1, 0:ny + 1)
    logical, intent(in) :: west, east
    integer :: j
    do j = 1, ny
      if (west) q(:, 0, j) = receive(:, j, 1)
      if (east) q(:, nx + 1, j) = receive(:, j, 2)
    end do
  end subroutine unpack_columns

  ! Height and momentum through the eastern sides. Beyond walls and coast the water is mirrored, so nothing flows there.
  subroutine flux_x(p)
    type(part), intent(inout) :: p
    call sides_x(p%nx, p%ny, p%wet, p%at_west == mpi_proc_null, p%at_east == mpi_proc_null, p%q, p%fx)
  end subroutine flux_x

  subroutine sides_x(nx, ny, wet, western, eastern, q, f)
    integer, intent(in) :: nx, ny, wet(0:ny + 1)
    logical, intent(in) :: western, eastern
    real(real_kind), intent(inout) :: q(3, 0:nx + 1, 0:ny + 1)
    real(real_kind), intent(out) :: f(3, 0:nx, ny)
    real(real_kind) :: u1, u2, speed
    integer :: i, j
    !$omp parallel do private(i, u1, u2, speed)
    do j = 1, ny
      if (western) q(:, 0, j) = [q(1, 1, j), -q(2, 1, j), q(3, 1, j)]
      if (wet(j) > 0 .and. (wet(j) < nx .or. eastern)) &
        q(:, wet(j) + 1, j) = [q(1, wet(j), j), -q(2, wet(j), j), q(3, wet(j), j)]
      do i = 0, wet(j)
        u1 = q(2, i, j)/q(1, i, j)
        u2 = q(2, i + 1, j)/q(1, i + 1, j)
        speed = max(abs(u1) + sqrt(gravity*q(1, i, j)), abs(u2) + sqrt(gravity*q(1, i + 1, j)))
        f(1, i, j) = 0.5_real_kind*(q(2, i, j) + q(2, i + 1, j) - speed*(q(1, i + 1, j) - q(1, i, j)))
        f(2, i, j) = 0.5_real_kind*(q(2, i, j)*u1 + q(2, i + 1, j)*u2 &
                     + 0.5_real_kind*gravity*(q(1, i, j)**2 + q(1, i + 1, j)**2) - speed*(q(2, i + 1, j) - q(2, i, j)))
        f(3, i, j) = 0.5_real_kind*(q(3, i, j)*u1 + q(3, i + 1, j)*u2 - speed*(q(3, i + 1, j) - q(3, i, j)))
      end do
    end do
    !$omp end parallel do
  end subroutine sides_x

  ! The same through the northern sides.
  subroutine flux_y(p)
    type(part), intent(inout) :: p
    call sides_y(p%nx, p%ny, p%wet, p%at_south == mpi_proc_null, p%at_north == mpi_proc_null, p%q, p%fy)
  end subroutine flux_y

  subroutine sides_y(nx, ny, wet, southern, northern, q, f)
    integer, intent(in) :: nx, ny, wet(0:ny + 1)
    logical, intent(in) :: southern, northern
    real(real_kind), intent(inout) :: q(3, 0:nx + 1, 0:ny + 1)
    real(real_kind), intent(out) :: f(3, nx, 0:ny)
    real(real_kind) :: v1, v2, speed
    integer :: i, j, beyond
    do i = 1, merge(nx, 0, southern)
      q(:, i, 0) = [q(1, i, 1), q(2, i, 1), -q(3, i, 1)]
    end do
    do j = 1, ny
      beyond = merge(0, wet(j + 1), northern .and. j == ny)
      do i = beyond + 1, wet(j)
        q(:, i, j + 1) = [q(1, i, j), q(2, i, j), -q(3, i, j)]
      end do
    end do
    !$omp parallel do private(i, v1, v2, speed)
    do j = 0, ny
      do i = 1, wet(max(j, 1))
        v1 = q(3, i, j)/q(1, i, j)
        v2 = q(3, i, j + 1)/q(1, i, j + 1)
        speed = max(abs(v1) + sqrt(gravity*q(1, i, j)), abs(v2) + sqrt(gravity*q(1, i, j + 1)))
        f(1, i, j) = 0.5_real_kind*(q(3, i, j) + q(3, i, j + 1) - speed*(q(1, i, j + 1) - q(1, i, j)))
        f(2, i, j) = 0.5_real_kind*(q(2, i, j)*v1 + q(2, i, j + 1)*v2 - speed*(q(2, i, j + 1) - q(2, i, j)))
        f(3, i, j) = 0.5_real_kind*(q(3, i, j)*v1 + q(3, i, j + 1)*v2 &
                     + 0.5_real_kind*gravity*(q(1, i, j)**2 + q(1, i, j + 1)**2) - speed*(q(3, i, j + 1) - q(3, i, j)))
      end do
    end do
    !$omp end parallel do
  end subroutine sides_y

  ! What flowed in less what flowed out in `dt` seconds.
  subroutine advance(p, dt)
    type(part), intent(inout) :: p
    real(real_kind), intent(in) :: dt
    call add_fluxes(p%nx, p%ny, p%wet, dt/p%width, p%fx, p%fy, p%q)
  end subroutine advance

  subroutine add_fluxes(nx, ny, wet, ratio, fx, fy, q)
    integer, intent(in) :: nx, ny, wet(0:ny + 1)
    real(real_kind), intent(in) :: ratio, fx(3, 0:nx, ny), fy(3, nx, 0:ny)
    real(real_kind), intent(inout) :: q(3, 0:nx + 1, 0:ny + 1)
    integer :: i, j, m
    !$omp parallel do private(i, m)
    do j = 1, ny
      do i = 1, wet(j)
        do m = 1, 3
          q(m, i, j) = q(m, i, j) - ratio*(fx(m, i, j) - fx(m, i - 1, j) + fy(m, i, j) - fy(m, i, j - 1))
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine add_fluxes

  ! Manning's law. The power is a call of the mathematical library for each cell: no vectors.
  subroutine friction(p, dt)
    type(part), intent(inout) :: p
    real(real_kind), intent(in) :: dt
    call slow_down(p%nx, p%ny, p%wet, dt*gravity*roughness**2, p%q)
  end subroutine friction

  subroutine slow_down(nx, ny, wet, factor, q)
    integer, intent(in) :: nx, ny, wet(0:ny + 1)
    real(real_kind), intent(in) :: factor
    real(real_kind), intent(inout) :: q(3, 0:nx + 1, 0:ny + 1)
    real(real_kind) :: drag
    integer :: i, j
    !$omp parallel do private(i, drag)
    do j = 1, ny
      do i = 1, wet(j)
        drag = factor*sqrt(q(2, i, j)**2 + q(3, i, j)**2)/q(1, i, j)**(7._real_kind/3)
        q(2, i, j) = q(2, i, j)/(1 + drag)
        q(3, i, j) = q(3, i, j)/(1 + drag)
      end do
    end do
    !$omp end parallel do
  end subroutine slow_down

  ! The fastest wave of this part, m/s: it bounds the time step of all.
  function fastest(p) result(speed)
    type(part), intent(in) :: p
    real(real_kind) :: speed
    speed = fastest_wave(p%nx, p%ny, p%wet, p%q)
  end function fastest

  function fastest_wave(nx, ny, wet, q) result(speed)
    integer, intent(in) :: nx, ny, wet(0:ny + 1)
    real(real_kind), intent(in) :: q(3, 0:nx + 1, 0:ny + 1)
    real(real_kind) :: speed
    integer :: i, j
    speed = 0
    !$omp parallel do private(i) reduction(max: speed)
    do j = 1, ny
      do i = 1, wet(j)
        speed = max(speed, max(abs(q(2, i, j)), abs(q(3, i, j)))/q(1, i, j) + sqrt(gravity*q(1, i, j)))
      end do
    end do
    !$omp end parallel do
  end function fastest_wave

  ! Written with the loops the wrong way round, as it is often found: the innermost one walks from row to row.
  function vorticity(p) result(largest)
    type(part), intent(inout) :: p
    real(real_kind) :: largest
    call turn(p%nx, p%ny, p%width, p%q, p%spin)
    largest = maxval(abs(p%spin))
  end function vorticity

  subroutine turn(nx, ny, width, q, spin)
    integer, intent(in) :: nx, ny
    real(real_kind), intent(in) :: width, q(3, 0:nx + 1, 0:ny + 1)
    real(real_kind), intent(out) :: spin(nx, ny)
    integer :: i, j
    do i = 1, nx
      do j = 1, ny
        spin(i, j) = (q(3, i + 1, j) - q(3, i - 1, j) - q(2, i, j + 1) + q(2, i, j - 1))/(2*width*q(1, i, j))
      end do
    end do
  end subroutine turn

  ! The heights along the western side of each part go to rank 0, which writes them.
  subroutine gauges(p, unit, time)
    type(part), intent(in) :: p
    integer, intent(in) :: unit
    real(real_kind), intent(in) :: time
    integer, parameter :: posts = 16
    real(real_kind) :: mine(posts)
    real(real_kind), allocatable :: heights(:, :)
    integer :: i, rank, ranks, ierror
    call mpi_comm_rank(p%comm, rank, ierror)
    call mpi_comm_size(p%comm, ranks, ierror)
    do i = 1, posts
      mine(i) = p%q(1, 1, 1 + (i - 1)*p%ny/posts)
    end do
    allocate (heights(posts, ranks))
    call mpi_gather(mine, posts, mpi_double_precision, heights, posts, mpi_double_precision, 0, p%comm, ierror)
    if (rank == 0) write (unit, '(f10.3, *(1x, f8.5))') time, heights
  end subroutine gauges

end module basin
