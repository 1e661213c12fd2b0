! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Shallow water in a basin with a slanting coast, with MPI and OpenMP: finite volumes with Rusanov's fluxes on a grid that
! is cut into parts in both directions.
!
!     OMP_NUM_THREADS=2 mpirun -n 4 ./shallow [-n CELLS] [-s STEPS]
!
! The program verifies itself: no water is lost, and as basin and drop are symmetric about the diagonal, so is the end.
program shallow
  use basin
  implicit none
  include 'mpif.h'
  type(part) :: p
  integer :: n, steps, step, rank, ranks, provided, ierror, failed, unit
  integer :: dims(2), place(2)
  real(real_kind) :: speed, dt, time, before(3), after(3), turning, share
  real(real_kind), allocatable :: shares(:)

  call mpi_init_thread(mpi_thread_funneled, provided, ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call mpi_comm_size(mpi_comm_world, ranks, ierror)
  call read_options
  dims = 0
  call mpi_dims_create(ranks, 2, dims, ierror)
  if (n < 16*maxval(dims) .or. n > 20000 .or. steps < 0) then
    if (rank == 0) write (0, '(a)') 'usage: shallow [-n CELLS] [-s STEPS]   with 16 cells or more in each direction of a part'
    call mpi_finalize(ierror)
    if (rank == 0) stop 2, quiet=.true.
    stop
  end if

  call set_up
  before = moments()
  if (rank == 0) open (newunit=unit, file='gauges.txt', action='write', status='replace')
  time = 0
  turning = 0
  do step = 1, steps
    call mpi_allreduce(fastest(p), speed, 1, mpi_double_precision, mpi_max, p%comm, ierror)
    dt = 0.4_real_kind*p%width/speed
    call exchange(p)
    call flux_x(p)
    call flux_y(p)
    call advance(p, dt)
    call friction(p, dt)
    time = time + dt
    if (mod(step, 4) == 0) turning = vorticity(p)
    if (mod(step, 10) == 0) call gauges(p, unit, time)
  end do
  if (rank == 0) close (unit)

  after = moments()
  allocate (shares(ranks))
  share = sum(p%wet(1:p%ny))
  call mpi_gather(share, 1, mpi_double_precision, shares, 1, mpi_double_precision, 0, p%comm, ierror)
  failed = 0
  if (rank == 0) then
    write (*, '("shallow: ", i0, " x ", i0, " cells, ", i0, " steps, ", i0, " x ", i0, " parts")') n, n, steps, dims
    write (*, '("after ", f0.3, " s: ", es16.10, " m3 of water, ", es12.6, " m2/s in all")') time, after(1), after(3)
    write (*, '("water by rank, %:", *(1x, f0.2))') 100*shares/sum(shares)
    if (.not. abs(after(1) - before(1)) < 1e-11_real_kind*before(1)) failed = 1
    if (.not. abs(after(2)) < 1e-9_real_kind*before(1)) failed = 1
    if (failed == 0) then
      write (*, '(a)') 'verified: no water lost, symmetric'
    else
      write (*, '("FAILED: water ", es24.16, " was ", es24.16, ", asymmetry ", es12.4)') after(1), before(1), after(2)
    end if
  end if
  call mpi_finalize(ierror)
  if (failed /= 0) stop 1, quiet=.true.

contains

  subroutine read_options
    character(len=32) :: name, text
    integer :: i, value, error
    n = 768
    steps = 200
    do i = 1, command_argument_count(), 2
      call get_command_argument(i, name)
      call get_command_argument(i + 1, text)
      read (text, *, iostat=error) value
      if (error /= 0) value = -1
      select case (name)
      case ('-n'); n = value
      case ('-s'); steps = value
      case default; n = -1
      end select
    end do
  end subroutine read_options

  ! Water of 10 m, with a drop of 2 m around the centre of the south-western quarter.
  subroutine set_up
    integer :: i, j
    real(real_kind) :: x, y
    call mpi_cart_create(mpi_comm_world, 2, dims, [.false., .false.], .false., p%comm, ierror)
    call mpi_cart_coords(p%comm, rank, 2, place, ierror)
    call mpi_cart_shift(p%comm, 0, 1, p%at_west, p%at_east, ierror)
    call mpi_cart_shift(p%comm, 1, 1, p%at_south, p%at_north, ierror)
    p%n = n
    p%width = 1000._real_kind/n
    p%west = n*place(1)/dims(1)
    p%south = n*place(2)/dims(2)
    p%nx = n*(place(1) + 1)/dims(1) - p%west
    p%ny = n*(place(2) + 1)/dims(2) - p%south
    allocate (p%q(3, 0:p%nx + 1, 0:p%ny + 1), p%fx(3, 0:p%nx, p%ny), p%fy(3, p%nx, 0:p%ny), p%spin(p%nx, p%ny), &
              p%send(3, p%ny, 2), p%receive(3, p%ny, 2), p%wet(0:p%ny + 1))
    p%q = 0
    p%q(1, :, :) = 10
    do j = 0, p%ny + 1
      p%wet(j) = max(0, min(p%nx, 3*n/2 - (p%south + j) - p%west))
    end do
    do j = 1, p%ny
      do i = 1, p%wet(j)
        x = (p%west + i - 0.5_real_kind)/n - 0.25_real_kind
        y = (p%south + j - 0.5_real_kind)/n - 0.25_real_kind
        p%q(1, i, j) = 10 + 2*exp(-200*(x**2 + y**2))
      end do
    end do
  end subroutine set_up

  ! Water (m3), its first moment about the diagonal (m3), and the sum of all momenta's sizes (m2/s), of all parts.
  function moments() result(all)
    real(real_kind) :: mine(3), all(3)
    integer :: i, j
    mine = 0
    do j = 1, p%ny
      do i = 1, p%wet(j)
        mine(1) = mine(1) + p%q(1, i, j)*p%width**2
        mine(2) = mine(2) + p%q(1, i, j)*p%width**2*real(p%west + i - p%south - j, real_kind)/n
        mine(3) = mine(3) + sqrt(p%q(2, i, j)**2 + p%q(3, i, j)**2)
      end do
    end do
    call mpi_allreduce(mine(1), all(1), 3, mpi_double_precision, mpi_sum, p%comm, ierror)
  end function moments

end program shallow
