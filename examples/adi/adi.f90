! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Alternating-direction implicit solver for the heat equation, with MPI and OpenMP: the Fortran twin of adi.c, which
! says what is solved and how the program verifies itself.
!
!     OMP_NUM_THREADS=2 mpirun -n 2 ./adi-f [-n POINTS] [-s STEPS] [-b BLOCK]
program adi
  use sweeps
  implicit none
  include 'mpif.h'
  real(real_kind), parameter :: pi = 3.14159265358979323846_real_kind
  integer, parameter :: modes(3, 2) = reshape([1, 1, 1, 1, 2, 3], [3, 2])
  type(grid) :: g
  integer :: n, steps, block, rank, ranks, step, provided, ierror, failed
  real(real_kind) :: change, mine, worst, norm, local

  call mpi_init_thread(mpi_thread_funneled, provided, ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  call mpi_comm_size(mpi_comm_world, ranks, ierror)
  call read_options
  if (n < ranks .or. n > 2000 .or. steps < 0 .or. block < 1) then
    if (rank == 0) write (0, '(a)') &
      'usage: adi-f [-n POINTS] [-s STEPS] [-b BLOCK]   with ranks <= POINTS <= 2000, BLOCK > 0'
    call mpi_finalize(ierror)
    if (rank == 0) stop 2, quiet=.true.
    stop
  end if

  call set_up
  change = 0
  do step = 1, steps
    call exchange_halo(g)
    call explicit_part(g)
    call solve_x(g)
    call solve_y(g)
    call solve_z_forward(g, block)
    call solve_z_backward(g, block)
    mine = update(g)
    call mpi_allreduce(mine, change, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierror)
  end do

  local = deviation(steps)
  call mpi_reduce(local, worst, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world, ierror)
  local = sum_of_squares()
  call mpi_reduce(local, norm, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierror)
  failed = 0
  if (rank == 0) then
    if (.not. worst < 1e-10_real_kind) failed = 1
    write (*, '("adi: ", i0, "^3 points, ", i0, " steps, ", i0, " ranks, blocks of ", i0, " rows")') n, steps, ranks, block
    write (*, '("norm ", es16.10e2, ", last change ", es16.10e2)') sqrt(norm/real(n, real_kind)**3), change
    if (failed == 0) then
      write (*, '(a)') 'verified: largest deviation from the exact solution below 1e-10'
    else
      write (*, '(a)') 'FAILED: largest deviation from the exact solution above 1e-10'
    end if
  end if
  call mpi_finalize(ierror)
  if (failed /= 0) stop 1, quiet=.true.

contains

  subroutine read_options
    character(len=32) :: name, text
    integer :: i, value, error
    n = 96
    steps = 1000
    block = 8
    do i = 1, command_argument_count(), 2
      call get_command_argument(i, name)
      call get_command_argument(i + 1, text)
      read (text, *, iostat=error) value
      if (error /= 0) value = -1
      select case (name)
      case ('-n'); n = value
      case ('-s'); steps = value
      case ('-b'); block = value
      case default; n = -1
      end select
    end do
  end subroutine read_options

  subroutine set_up
    integer :: i, j, k, which
    real(real_kind) :: half, before
    g%n = n
    g%first = n*rank/ranks
    g%planes = n*(rank + 1)/ranks - g%first
    g%ratio = 1
    g%below = mpi_proc_null
    g%above = mpi_proc_null
    if (rank > 0) g%below = rank - 1
    if (rank < ranks - 1) g%above = rank + 1
    allocate (g%u(0:n + 1, 0:n + 1, 0:g%planes + 1), g%d(n, n, g%planes), g%edge(n, n), g%inv(n), g%fac(n))
    half = 0.5_real_kind*g%ratio
    before = 0
    do i = 1, n
      g%inv(i) = 1/(1 + 2*half - half*before)
      g%fac(i) = half*g%inv(i)
      before = g%fac(i)
    end do
    g%u = 0
    do which = 1, 2
      do k = 1, g%planes
        do j = 1, n
          do i = 1, n
            g%u(i, j, k) = g%u(i, j, k) &
              + wave(modes(1, which), i)*wave(modes(2, which), j)*wave(modes(3, which), g%first + k)
          end do
        end do
      end do
    end do
  end subroutine set_up

  ! Half waves `m` at the point i of n.
  function wave(m, i) result(value)
    integer, intent(in) :: m, i
    real(real_kind) :: value
    value = sin(pi*m*i/(n + 1))
  end function wave

  ! What one step makes of a mode: it is multiplied by this.
  function gain(mode) result(value)
    integer, intent(in) :: mode(3)
    real(real_kind) :: value, lambda(3)
    lambda = 4*sin(0.5_real_kind*pi*mode/(n + 1))**2
    value = 1 - g%ratio*sum(lambda)/product(1 + 0.5_real_kind*g%ratio*lambda)
  end function gain

  function deviation(steps) result(largest)
    integer, intent(in) :: steps
    real(real_kind) :: largest, scale(2), truth, x(n, 3)
    integer :: i, j, k, m, which
    scale(1) = gain(modes(:, 1))**steps
    scale(2) = gain(modes(:, 2))**steps
    do m = 1, 3
      do i = 1, n
        x(i, m) = wave(m, i)
      end do
    end do
    largest = 0
    do k = 1, g%planes
      do j = 1, n
        do i = 1, n
          truth = 0
          do which = 1, 2
            truth = truth + scale(which)*x(i, modes(1, which))*x(j, modes(2, which))*x(g%first + k, modes(3, which))
          end do
          largest = max(largest, abs(g%u(i, j, k) - truth))
        end do
      end do
    end do
  end function deviation

  function sum_of_squares() result(total)
    real(real_kind) :: total
    integer :: i, j, k
    total = 0
    do k = 1, g%planes
      do j = 1, n
        do i = 1, n
          total = total + g%u(i, j, k)**2
        end do
      end do
    end do
  end function sum_of_squares

end program adi
