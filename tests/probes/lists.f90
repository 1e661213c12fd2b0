! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Lists: flang shows no messages of passes by itself; a wrong list ends its compilations too, with one line and no object, and it is said where auto takes nothing.
! RUN: if %fc --probe=nonsense -O2 -c %s -o %t.o 2> %t.e1; then exit 1; fi; grep -qx "error: heatscope: probe 'nonsense': expected procedures, loops, calls, messages, values, auto or keep" %t.e1; test ! -e %t.o
! RUN: if HEATSCOPE_PROBE=auto:200 flang-new-19 -fpass-plugin=$(%heatscope config --pass) -O0 %s -o %t.exe 2> %t.e2; then exit 1; fi; grep -q "^error: heatscope: .*expected a percentage" %t.e2; test ! -e %t.exe
! RUN: %fc --probe=auto:0.001 -O2 -c %s -o %t.o 2> %t.e3; grep -q "^remark: heatscope: probes: auto:0.001 chose none of .* of lists.f90" %t.e3; test -e %t.o
! RUN: %fc --probe=procedures:total,loops -O2 -c %s -o %t.silent.o 2> %t.e4; test ! -s %t.e4
program total
  implicit none
  integer :: i
  real(8) :: a(1000)
  a = 1
  do i = 2, 1000
    a(i) = a(i - 1) / i + a(i)
  end do
  print *, a(1000)
end program
