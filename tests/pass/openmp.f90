! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! OpenMP in Fortran: regions know their procedure and directive; control of worksharing loops has no location in flang.
! RUN: for o in 0 2 3; do %fc -g -fopenmp -O$o -c %s -o %t.$o.o; %map %t.$o.o | %check; %dump %t.$o.o | %check --check-prefix=DUMP; done
! CHECK: openmp.f90: Fortran,
! DUMP: procedure_id=[[PARENT:[0-9]+]] {{.*}} name="regions" linkage_name="regions_"
! CHECK: regions
! What stands alone has no location in flang: the call is at its line, also behind a task.
! RUN: %fc -g -fopenmp -O2 -c %s -o %t.l.o; for l in $(grep -n '^ *!$omp taskwait' %s | cut -d: -f1); do %dwarfdump --debug-line %t.l.o | grep -q "^0x[0-9a-f]*  *$l " || { echo "no code at line $l"; exit 1; }; done
! OpenMP's constants as Fortran 77 has them: the compiler's own file is found, and another one of that name before it.
! RUN: printf 'subroutine locks(l)\n include "omp_lib.h"\n integer(omp_lock_kind) :: l\n call omp_init_lock(l)\nend subroutine\n' > %t.locks.f90
! RUN: %fc -fopenmp -O2 -c %t.locks.f90 -o %t.locks.o; rm -rf %t.i; mkdir -p %t.i; echo 'integer, parameter :: omp_lock_kind = 4' > %t.i/omp_lib.h
! RUN: sed 's/call .*/stop omp_lock_kind/' %t.locks.f90 > %t.own.f90; %fc -fopenmp -O2 -I%t.i -c %t.own.f90 -o %t.own.o
subroutine regions(a, n, total)
  implicit none
  integer :: n, i, j
  real(8) :: a(n), total
  ! DUMP-DAG: name="regions [omp@[[#@LINE+3]]]" {{.*}}outlined{{[|a-z]*}}) parent_id=[[PARENT]] 
  ! CHECK-DAG: [[#@LINE+2]]-[[#@LINE+6]] regions [omp@[[#@LINE+2]]]
  ! CHECK-DAG: [[#@LINE+3]]-[[#@LINE+5]] OpenMP worksharing:
  !$omp parallel do &
  !$omp schedule(static)
  do i = 1, n
    a(i) = a(i) + 1
  end do
  total = 0
  ! DUMP-DAG: name="regions [omp@[[#@LINE+1]]]" {{.*}}outlined{{[|a-z]*}}) parent_id=[[PARENT]] 
  !$omp parallel
  ! CHECK-DAG: [[#@LINE+2]]-[[#@LINE+6]] OpenMP worksharing:
  !$omp do schedule(dynamic) reduction(+:total)
  do i = 1, n
    do j = 1, i
      total = total + a(j)
    end do
  end do
  !$omp end do
  !$omp end parallel
end subroutine

! flang gives many calls the location of the statement before their directive, or none.
subroutine others(a)
  implicit none
  real(8) :: a(9)
  integer, external :: work
  ! CHECK-DAG: [[#@LINE+9]] omp single: {{.*}}choice of the thread
  ! CHECK-DAG: [[#@LINE+11]] omp barrier: barrier
  ! CHECK-DAG: [[#@LINE+11]] omp sections: own share of a static schedule, {{.*}}barrier at the end of a construct
  ! CHECK-DAG: [[#@LINE+10]]-{{[0-9]+}} OpenMP worksharing: {{.*}}(not in the source)
  ! CHECK-DAG: [[#@LINE+15]] omp critical (one): begin or end of a critical section
  ! CHECK-DAG: [[#@LINE+17]] omp critical (two): begin or end of a critical section
  ! CHECK-DAG: [[#@LINE+19]] omp taskwait: wait for tasks
  ! CHECK-DAG: [[#@LINE+1]] omp parallel: fork of the threads{{$}}
  !$omp parallel
  !$omp single
  a(1) = work(1)
  !$omp end single
  !$omp barrier
  !$omp sections
  !$omp section
  a(2) = work(2)
  !$omp section
  a(3) = work(3)
  !$omp end sections
  !$omp critical (one)
  a(4) = a(4) + work(4)
  !$omp end critical (one)
  !$omp critical (two)
  a(5) = a(5) + work(5)
  !$omp end critical (two)
  !$omp taskwait
  !$omp end parallel
end subroutine

! Two tasks and waits that flang gives locations of statements in other constructs, or none.
subroutine tasks(a, n)
  implicit none
  integer :: n, k
  real(8) :: a(n)
  external :: deed
  ! CHECK-DAG: [[#@LINE+8]] omp task shared(a): making of a task
  ! CHECK-DAG: [[#@LINE+11]] omp task shared(a): making of a task
  ! CHECK-DAG: [[#@LINE+13]] omp taskwait: wait for tasks
  ! CHECK-DAG: [[#@LINE+14]] omp task shared(a) firstprivate(k): making of a task
  ! CHECK-DAG: [[#@LINE+16]] omp taskwait: wait for tasks
  !$omp parallel
  !$omp single
  do k = 1, 4
    !$omp task shared(a)
    call deed(a(1))
    a(2) = a(2) + 1
    !$omp end task
    !$omp task shared(a)
    call deed(a(3))
    !$omp end task
    !$omp taskwait
  end do
  !$omp task shared(a) firstprivate(k)
  call deed(a(k))
  !$omp end task
  !$omp taskwait
  !$omp end single
  !$omp end parallel
end subroutine

! Loops made one begin at the outermost of them, whatever stands before it and goes on.
subroutine collapsed(a, b, n, m)
  implicit none
  integer :: n, m, i, j, k
  real(8) :: a(n, m, 8), b(n, m, 8)
  ! CHECK-DAG: [[#@LINE+6]]-[[#@LINE+14]] OpenMP worksharing: {{.*}}[k = 1; 8; 3 loops made one]
  ! CHECK-DAG: [[#@LINE+3]] omp parallel do collapse(3): fork
  ! CHECK-DAG: [[#@LINE+7]]-[[#@LINE+11]] OpenMP worksharing: one with the loop round it [j = 1; m]
  ! CHECK-DAG: [[#@LINE+7]]-[[#@LINE+9]] OpenMP worksharing: one with the loop round it [i = 1; n]
  !$omp parallel do &
  !$omp& collapse(3)
  do k = 1, 8

    ! of each plane
    do j = 1, m
      do i = 1, n
        a(i, j, k) = a(i, j, k) + b(i, j, k)
      end do
    end do
  end do
  ! CHECK-DAG: [[#@LINE+2]]-[[#@LINE+6]] OpenMP worksharing: {{.*}}[j = 1; m]
  !$omp parallel do
  do j = 1, m
    do i = 1, n
      a(i, j, 1) = a(i, j, 1) + b(i, j, 2)
    end do
  end do
end subroutine
