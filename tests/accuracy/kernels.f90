! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Fortran kernels; rules as in kernels.c.
module marks
  implicit none
  integer, parameter :: n0 = 203, m0 = 37
  real(8), dimension(n0 + 64) :: mk_axpy, mk_back, mk_arr1, mk_arr2, mk_whr, mk_conc, mk_dwhile, mk_total, mk_scale, mk_pfun
  real(8), dimension(n0 + 64) :: mk_rec, mk_omp1, mk_omp2, mk_ompred, mk_colo, mk_elem, mk_exitd, mk_cyc
  real(8), dimension(n0 + 64) :: mk_imp_o, mk_imp_a, mk_imp_b, mk_str, mk_trio, mk_endless, mk_omps
  real(8), dimension(n0 + 64) :: mk_ompc_o, mk_ptr, mk_host
  real(8), dimension(40, 40) :: mk_coli, mk_mm_k, mk_trim, mk_trii, mk_two, mk_ompc_i
  integer, dimension(n0 + 64) :: mk_int, mk_sw
  real(8) :: other(n0 + 64), result(40, 40)
  integer, volatile :: size_(3) = [n0, m0, 12]
  type point
    real(8) :: x, y
  end type
  type(point) :: mk_points(n0 + 64)
contains
  subroutine simple(n, a, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: a
    real(8), intent(inout) :: x(n), y(n)
    integer :: i
    do i = 1, n ! @axpy
      x(i) = x(i) + a
    end do
    do i = n, 1, -1 ! @back
      y(i) = y(i) / 3
    end do
  end subroutine

  subroutine arrays(a, b, c, mask)
    real(8), intent(inout) :: a(:), b(:), c(:)
    logical, intent(in) :: mask(:)
    a = a * 2 + 1; b = b - 3 ! @arr1 @arr2
    where (mask) c = c + 1 ! @whr
  end subroutine

  subroutine concurrent(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do concurrent (i = 1:n) ! @conc
      a(i) = sqrt(a(i) + 1)
    end do
  end subroutine

  subroutine whiles(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(*), b(*), c(*)
    integer :: i
    i = 1
    do while (i <= n) ! @dwhile
      a(i) = a(i) + i
      i = i + 1
    end do
    do i = 1, n ! @exitd
      if (b(i) > 5) exit
      b(i) = b(i) * 2
    end do
    do i = 1, n ! @cyc
      if (mod(i, 3) == 0) cycle
      c(i) = c(i) + 0.5
    end do
  end subroutine

  real(8) function totals(n, a, b) result(s)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n), b(n)
    integer :: i
    s = 0
    do i = 1, n ! @total
      s = s + a(i)
    end do
    s = s + sum(b) ! @elem
  end function

  pure real(8) function callee(x)
    real(8), intent(in) :: x
    callee = (x * 2 + 1) * x + 3
  end function

  subroutine inlined(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    do i = 1, n ! @pfun
      a(i) = callee(a(i))
    end do
    call scaled(n, b, 2d0)
    call scaled(n - 3, b(2:), 3d0)
  end subroutine

  subroutine scaled(n, a, f)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(*)
    real(8), intent(in) :: f
    integer :: i
    do i = 1, n ! @scale
      a(i) = a(i) * f
    end do
  end subroutine

  subroutine recurrence(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 2, n ! @rec
      a(i) = a(i - 1) * 0.5 + a(i)
    end do
  end subroutine

  subroutine columns(n, o, m)
    integer, intent(in) :: n
    real(8), intent(inout) :: o(n), m(40, n)
    integer :: i, j
    real(8) :: v
    do j = 1, n ! @colo
      o(j) = o(j) * 0.5
      v = o(j)
      do i = 1, n ! @coli in colo
        m(i, j) = m(i, j) + v
      end do
    end do
  end subroutine

  subroutine matmuls(n, c, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(40, n), a(40, n)
    integer :: i, j, k
    real(8) :: s
    do j = 1, n
      do i = 1, n
        s = 0
        do k = 1, n ! @mm_k
          s = s + a(k, i) * other(k)
        end do
        c(i, j) = s
      end do
    end do
  end subroutine

  subroutine imperfect(n, o, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: o(n), a(n), b(n)
    integer :: i, j
    real(8) :: v
    do i = 1, n ! @imp_o
      v = 1 / (o(i) + 2)
      o(i) = v
      do j = 1, i ! @imp_a in imp_o
        a(j) = a(j) + v
      end do
      b = b - v ! @imp_b in imp_o
    end do
  end subroutine

  subroutine labelled(n, a, e)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), e(n)
    integer :: i
    do 10 i = 1, n, 3 ! @str
      a(i) = a(i) + 4
10  continue
    i = 0
    do ! @endless
      i = i + 1
      if (i > n) exit
      e(i) = e(i) - 1
    end do
  end subroutine

  subroutine triple(n, o, m, in)
    integer, intent(in) :: n
    real(8), intent(inout) :: o(n), m(40, n), in(40, n)
    integer :: i, j, k
    real(8) :: v, w
    do i = 1, n ! @trio
      o(i) = o(i) + 2
      v = o(i)
      do j = 1, n ! @trim in trio
        m(j, i) = m(j, i) + v
        w = m(j, i)
        do k = 1, 9 ! @trii in trim
          in(k + j, i) = in(k + j, i) + w
        end do
      end do
    end do
  end subroutine

  subroutine two_dims(a)
    real(8), intent(inout) :: a(:, :)
    a = a * 1.5 ! @two
  end subroutine

  subroutine selects(n, k, a, s)
    integer, intent(in) :: n, k
    integer, intent(inout) :: a(n), s(n)
    integer :: i
    do i = 1, n ! @int
      a(i) = ieor(a(i), i)
    end do
    do i = 1, n ! @sw
      select case (k)
      case (0)
        s(i) = s(i) + 1
      case (1)
        s(i) = s(i) * 3
      case default
        s(i) = 0
      end select
    end do
  end subroutine

  subroutine structured(n, p, d)
    integer, intent(in) :: n
    type(point), intent(inout) :: p(n)
    real(8), pointer, intent(in) :: d(:)
    integer :: i
    do i = 1, n ! @points
      p(i)%x = p(i)%x + p(i)%y
    end do
    do i = 1, n ! @ptr
      d(i) = d(i) + 1
    end do
  end subroutine

  subroutine hosts(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    call inner()
  contains
    subroutine inner()
      integer :: i
      do i = 1, n ! @host
        a(i) = a(i) * 7
      end do
    end subroutine
  end subroutine

  subroutine openmp(n, a, b, r, c, o, m, total)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n), r(n), c(n), o(n), m(40, 40)
    real(8), intent(out) :: total
    integer :: i, j
    real(8) :: v
    total = 0
    !$omp parallel do
    do i = 1, n ! @omp1
      a(i) = a(i) * 2 + 3
    end do
    !$omp parallel
    !$omp do schedule(dynamic, 16)
    do i = 1, n ! @omp2
      b(i) = b(i) / 2 + 3
    end do
    !$omp end do
    !$omp do private(j, v)
    do i = 1, 20 ! @ompc_o
      o(i) = o(i) + 1
      v = o(i)
      do j = 1, 40 ! @ompc_i in ompc_o
        m(j, i) = m(j, i) + v
      end do
    end do
    !$omp end do
    !$omp end parallel
    !$omp parallel do reduction(+:total)
    do i = 1, n ! @ompred
      total = total + r(i)
    end do
    !$omp simd
    do i = 1, n ! @omps
      c(i) = c(i) - 3
    end do
  end subroutine
end module

program kernels
  use marks
  implicit none
  integer :: n, m, k
  real(8) :: t, u
  logical :: mask(n0)
  real(8), pointer :: d(:)
  n = size_(1); m = size_(2); k = size_(3)
  mask = .true.
  mask(7) = .false.
  call simple(n, 2d0, mk_axpy, mk_back)
  call arrays(mk_arr1(1:n), mk_arr2(1:n), mk_whr(1:n), mask)
  call concurrent(n, mk_conc)
  call whiles(n, mk_dwhile, mk_exitd, mk_cyc)
  t = totals(n, mk_total, mk_elem)
  call inlined(n, mk_pfun, mk_scale)
  call recurrence(n, mk_rec)
  call columns(m, mk_colo, mk_coli)
  call matmuls(k, result, mk_mm_k)
  call imperfect(m, mk_imp_o, mk_imp_a, mk_imp_b)
  call labelled(n, mk_str, mk_endless)
  call triple(k, mk_trio, mk_trim, mk_trii)
  call two_dims(mk_two(1:m, 1:m))
  call selects(n, k, mk_int, mk_sw)
  call selects(n, k - 12, mk_int, mk_sw)
  call assoc(mk_ptr)
  call hosts(n, mk_host)
  call openmp(n, mk_omp1, mk_omp2, mk_ompred, mk_omps, mk_ompc_o, mk_ompc_i, u)
  if (t + u == 12345.5d0) print *, t
contains
  subroutine assoc(x)
    real(8), target, intent(inout) :: x(:)
    d => x
    call structured(n, mk_points, d)
  end subroutine
end program
