# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""adi in Fortran on two ranks of two threads. Threads that wait sleep: on few processors they would spin for minutes."""
import adi

adi.check("adi-f", "sweeps.f90", ["exchange_halo", "second_differences", "sweep_x", "sweep_y", "solve_z_forward",
                                  "eliminate", "solve_z_backward", "substitute", "add"],
          recurrence="d(i, j, k) = (d(i, j, k) + half*d(i - 1, j, k))*inv(i)", ranks=2, options=["-s", "100"],
          norm="norm 2.7490390745E-01, last change 5.1145417460E-03", OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
