! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module forked
contains
  subroutine work(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i, k
    real(8) :: s
    s = 0
    if (n < 3) return
    !$omp parallel do private(s)
    do i = 1, n
      s = a(i)
      do k = 1, 40
        s = s * 0.5d0 + sin(s)
      end do
      a(i) = s
    end do
    a(1) = s
    !$omp parallel do &
    !$omp schedule(dynamic)
    do i = 1, n
      a(i) = a(i)**1.37d0 + 1
    end do
  end subroutine
  real(8) function total(a, b, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    total = 0
    !$omp parallel
    !$omp do reduction(+:total)
    do i = 1, n
      total = total + a(i)
    end do
    !$omp end do
    !$omp end parallel
    if (total > 0) then
      !$omp parallel sections
      !$omp section
      a(2) = cos(a(1))
      !$omp section
      b(2) = sin(b(1))
      !$omp end parallel sections
    end if
  end function
  subroutine made(a)
    real(8), intent(inout) :: a(8)
    integer :: k
    !$omp parallel
    !$omp single
    do k = 1, 4
      !$omp task shared(a)
      a(1) = a(1) + cos(a(2))
      a(2) = a(2) + 1
      !$omp end task
      !$omp task shared(a)
      a(3) = a(3) + sin(a(4))
      !$omp end task
      !$omp taskwait
    end do
    do k = 5, 7
      !$omp task shared(a) firstprivate(k)
      a(k) = a(k) + sin(a(k))
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
  end subroutine
end module
program p
  use forked
  real(8) :: a(2000), b(2000)
  a = 0.3d0
  b = 0.5d0
  call work(a, size(a))
  print *, total(a, b, size(a))
  call made(a)
end program
