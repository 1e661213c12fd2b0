! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Procedures that stand in included files: their variables are declared there, although flang tells the unit's file of all.
! RUN: printf 'module d\ncontains\n#include "%t.a.f90"\n#include "%t.b.f90"\nend module\n' > %t.unit.f90
! RUN: sed 's/twice/once/' %s > %t.a.f90; cp %s %t.b.f90
! RUN: %fc -cpp -O1 -g -c %t.unit.f90 -o %t.o
! RUN: %map %t.o -o %t.map
! RUN: %dump %t.map | %check
! CHECK: file file_id=1 path="{{.*}}.a.f90"
! CHECK: file file_id=2 path="{{.*}}.b.f90"
! CHECK: array array_id=1 {{.*}}name="field"{{.*}}file_id=1 line=[[#@LINE+4]]
! CHECK: array array_id=2 {{.*}}name="field"{{.*}}file_id=2 line=[[#@LINE+3]]
  subroutine twice(field, n)
    integer :: n, i
    real(8) :: field(n)
    do i = 1, n
      field(i) = field(i) * 2
    end do
  end subroutine
