# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""adi in C on four ranks."""
import adi

adi.check("adi", "sweeps.c", ["exchange_halo", "explicit_part", "solve_x", "solve_y", "solve_z_forward",
                              "solve_z_backward", "update"],
          recurrence="d[i] = (d[i] + half * d[i - 1]) * inv[i];", arrays=True)
