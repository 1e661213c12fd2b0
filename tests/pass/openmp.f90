! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! OpenMP in Fortran: regions know their procedure and directive; control of worksharing loops has no location in flang.
! RUN: for o in 0 2 3; do %fc -g -fopenmp -O$o -c %s -o %t.$o.o; %map %t.$o.o | %check; %dump %t.$o.o | %check --check-prefix=DUMP; done
! CHECK: openmp.f90: Fortran,
! DUMP: procedure_id=[[PARENT:[0-9]+]] {{.*}} name="regions" linkage_name="regions_"
! CHECK: regions
subroutine regions(a, n, total)
  implicit none
  integer :: n, i, j
  real(8) :: a(n), total
  ! DUMP-DAG: name="regions [omp@[[#@LINE+3]]]" {{.*}}outlined) parent_id=[[PARENT]] 
  ! CHECK-DAG: [[#@LINE+2]]-[[#@LINE+6]] regions [omp@[[#@LINE+2]]]
  ! CHECK-DAG: [[#@LINE+3]]-[[#@LINE+5]] OpenMP worksharing:
  !$omp parallel do &
  !$omp schedule(static)
  do i = 1, n
    a(i) = a(i) + 1
  end do
  total = 0
  ! DUMP-DAG: name="regions [omp@[[#@LINE+1]]]" {{.*}}outlined) parent_id=[[PARENT]] 
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
