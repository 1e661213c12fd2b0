! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Procedures of modules by their Fortran names, loops by line, regions of OpenMP with their procedure.
! RUN: %fc --probe='procedures:work::solve,loops:*.f90:16,calls:outside' -fopenmp -g -O2 -c %s -o %t.o; %dump %t.o | %check
! RUN: %fc --probe='procedures:Solve,loops:*.f90:16,calls:outside' -fopenmp -g -O2 -c %s -o %t.o; %dump %t.o | %check
! RUN: %fc --probe='procedures:work' -fopenmp -g -O2 -c %s -o %t.none.o; ! %dump %t.none.o | grep -q 'kind=0(procedure)'
! CHECK-DAG: probe probe_id={{[0-9]+}} {{.*}} kind=0(procedure) {{.*}} name="work::solve"
! CHECK-DAG: probe probe_id={{[0-9]+}} {{.*}} kind=0(procedure) {{.*}} name="work::solve [omp@{{[0-9]+}}]"
! CHECK-DAG: probe probe_id={{[0-9]+}} {{.*}} kind=1(loop) {{.*}} line=16 {{.*}} name="work::solve"
! CHECK-DAG: probe probe_id={{[0-9]+}} {{.*}} kind=2(call) {{.*}} name="outside"
module work
contains
  subroutine solve(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 2, n
      a(i) = a(i) + a(i - 1) * 2
    end do
    !$omp parallel do
    do i = 1, n
      a(i) = a(i) * a(i)
    end do
    call outside(a, n)
  end subroutine
end module
