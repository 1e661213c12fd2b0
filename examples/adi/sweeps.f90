! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The grid and the seven phases of one step: MPI between the slabs, OpenMP inside. All of the time should be here.
! The same algorithm as sweeps.c, phase by phase, with the same numbers.
module sweeps
  implicit none
  private
  include 'mpif.h'
  integer, parameter, public :: real_kind = kind(1d0)

  ! The grid has n x n x n inner points, cut into slabs of whole xy planes, one slab a rank: this rank owns the planes
  ! first + 1 ... first + planes of the global grid.
  type, public :: grid
    integer :: n, first, planes
    real(real_kind), allocatable :: u(:, :, :)        ! temperature, with a frame: walls, or the neighbour's plane
    real(real_kind), allocatable :: d(:, :, :)        ! right-hand side, then the change of u in one step
    real(real_kind), allocatable :: edge(:, :)        ! plane that the pipelined sweeps receive
    real(real_kind), allocatable :: inv(:), fac(:)    ! factors of the tridiagonal matrix
    real(real_kind) :: ratio                          ! time step / (mesh width)**2
    integer :: below, above                           ! neighbours, mpi_proc_null at the walls
  end type grid

  integer, parameter :: tag_up = 1, tag_down = 2, tag_forward = 3, tag_backward = 4

  public :: exchange_halo, explicit_part, solve_x, solve_y, solve_z_forward, solve_z_backward, update

contains

  ! Each rank gives its outermost planes to its neighbours.
  subroutine exchange_halo(g)
    type(grid), intent(inout) :: g
    integer :: count, status(mpi_status_size), ierror
    count = (g%n + 2)**2
    call mpi_sendrecv(g%u(0, 0, g%planes), count, mpi_double_precision, g%above, tag_up, &
                      g%u(0, 0, 0), count, mpi_double_precision, g%below, tag_up, mpi_comm_world, status, ierror)
    call mpi_sendrecv(g%u(0, 0, 1), count, mpi_double_precision, g%below, tag_down, &
                      g%u(0, 0, g%planes + 1), count, mpi_double_precision, g%above, tag_down, mpi_comm_world, &
                      status, ierror)
  end subroutine exchange_halo

  ! Right-hand side: second differences of u in the three directions.
  subroutine explicit_part(g)
    type(grid), intent(inout) :: g
    call second_differences(g%n, g%planes, g%ratio, g%u, g%d)
  end subroutine explicit_part

  subroutine second_differences(n, planes, ratio, u, d)
    integer, intent(in) :: n, planes
    real(real_kind), intent(in) :: ratio, u(0:n + 1, 0:n + 1, 0:planes + 1)
    real(real_kind), intent(out) :: d(n, n, planes)
    integer :: i, j, k
    !$omp parallel do
    do k = 1, planes
      do j = 1, n
        do i = 1, n
          d(i, j, k) = ratio*(u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) &
                              + u(i, j, k - 1) + u(i, j, k + 1) - 6*u(i, j, k))
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine second_differences

  ! The recurrence runs along i, the innermost loop: each point waits for the one before.
  subroutine solve_x(g)
    type(grid), intent(inout) :: g
    call sweep_x(g%n, g%planes, 0.5_real_kind*g%ratio, g%inv, g%fac, g%d)
  end subroutine solve_x

  subroutine sweep_x(n, planes, half, inv, fac, d)
    integer, intent(in) :: n, planes
    real(real_kind), intent(in) :: half, inv(n), fac(n)
    real(real_kind), intent(inout) :: d(n, n, planes)
    integer :: i, j, k
    !$omp parallel do
    do k = 1, planes
      do j = 1, n
        d(1, j, k) = d(1, j, k)*inv(1)
        do i = 2, n
          d(i, j, k) = (d(i, j, k) + half*d(i - 1, j, k))*inv(i)
        end do
        do i = n - 1, 1, -1
          d(i, j, k) = d(i, j, k) + fac(i)*d(i + 1, j, k)
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine sweep_x

  ! The recurrence runs along j; all i of a row are independent, so the inner loops vectorise.
  subroutine solve_y(g)
    type(grid), intent(inout) :: g
    call sweep_y(g%n, g%planes, 0.5_real_kind*g%ratio, g%inv, g%fac, g%d)
  end subroutine solve_y

  subroutine sweep_y(n, planes, half, inv, fac, d)
    integer, intent(in) :: n, planes
    real(real_kind), intent(in) :: half, inv(n), fac(n)
    real(real_kind), intent(inout) :: d(n, n, planes)
    integer :: i, j, k
    !$omp parallel do
    do k = 1, planes
      do i = 1, n
        d(i, 1, k) = d(i, 1, k)*inv(1)
      end do
      do j = 2, n
        do i = 1, n
          d(i, j, k) = (d(i, j, k) + half*d(i, j - 1, k))*inv(j)
        end do
      end do
      do j = n - 1, 1, -1
        do i = 1, n
          d(i, j, k) = d(i, j, k) + fac(j)*d(i, j + 1, k)
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine sweep_y

  ! The recurrence runs along k, across the ranks. The plane is cut into blocks of `block` rows: as soon as a block is
  ! through, it is sent on and the next rank starts on it. See sweeps.c for what the size of the blocks does.
  subroutine solve_z_forward(g, block)
    type(grid), intent(inout) :: g
    integer, intent(in) :: block
    integer :: row, last, count, status(mpi_status_size), ierror
    do row = 1, g%n, block
      last = min(row + block - 1, g%n)
      count = g%n*(last - row + 1)
      if (g%below == mpi_proc_null) g%edge(:, row:last) = 0   ! the wall
      call mpi_recv(g%edge(1, row), count, mpi_double_precision, g%below, tag_forward, mpi_comm_world, status, ierror)
      call eliminate(g%n, g%planes, row, last, 0.5_real_kind*g%ratio, g%inv(g%first + 1), g%edge, g%d)
      call mpi_send(g%d(1, row, g%planes), count, mpi_double_precision, g%above, tag_forward, mpi_comm_world, ierror)
    end do
  end subroutine solve_z_forward

  subroutine eliminate(n, planes, row, last, half, inv, edge, d)
    integer, intent(in) :: n, planes, row, last
    real(real_kind), intent(in) :: half, inv(planes), edge(n, n)
    real(real_kind), intent(inout) :: d(n, n, planes)
    integer :: i, j, k
    !$omp parallel do private(k)
    do j = row, last
      do i = 1, n
        d(i, j, 1) = (d(i, j, 1) + half*edge(i, j))*inv(1)
      end do
      do k = 2, planes
        do i = 1, n
          d(i, j, k) = (d(i, j, k) + half*d(i, j, k - 1))*inv(k)
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine eliminate

  ! The same from the last rank to the first.
  subroutine solve_z_backward(g, block)
    type(grid), intent(inout) :: g
    integer, intent(in) :: block
    integer :: row, last, count, status(mpi_status_size), ierror
    do row = 1, g%n, block
      last = min(row + block - 1, g%n)
      count = g%n*(last - row + 1)
      if (g%above == mpi_proc_null) g%edge(:, row:last) = 0   ! the wall
      call mpi_recv(g%edge(1, row), count, mpi_double_precision, g%above, tag_backward, mpi_comm_world, status, ierror)
      call substitute(g%n, g%planes, row, last, g%fac(g%first + 1), g%edge, g%d)
      call mpi_send(g%d(1, row, 1), count, mpi_double_precision, g%below, tag_backward, mpi_comm_world, ierror)
    end do
  end subroutine solve_z_backward

  subroutine substitute(n, planes, row, last, fac, edge, d)
    integer, intent(in) :: n, planes, row, last
    real(real_kind), intent(in) :: fac(planes), edge(n, n)
    real(real_kind), intent(inout) :: d(n, n, planes)
    integer :: i, j, k
    !$omp parallel do private(k)
    do j = row, last
      do i = 1, n
        d(i, j, planes) = d(i, j, planes) + fac(planes)*edge(i, j)
      end do
      do k = planes - 1, 1, -1
        do i = 1, n
          d(i, j, k) = d(i, j, k) + fac(k)*d(i, j, k + 1)
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine substitute

  ! Returns the largest change on this rank.
  function update(g) result(largest)
    type(grid), intent(inout) :: g
    real(real_kind) :: largest
    call add(g%n, g%planes, g%d, g%u, largest)
  end function update

  subroutine add(n, planes, d, u, largest)
    integer, intent(in) :: n, planes
    real(real_kind), intent(in) :: d(n, n, planes)
    real(real_kind), intent(inout) :: u(0:n + 1, 0:n + 1, 0:planes + 1)
    real(real_kind), intent(out) :: largest
    integer :: i, j, k
    largest = 0
    !$omp parallel do reduction(max: largest)
    do k = 1, planes
      do j = 1, n
        do i = 1, n
          u(i, j, k) = u(i, j, k) + d(i, j, k)
          largest = max(largest, abs(d(i, j, k)))
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine add

end module sweeps
