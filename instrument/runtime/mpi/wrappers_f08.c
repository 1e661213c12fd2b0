/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry points of Fortran's module mpi_f08, made from mpi.def: as Open MPI has it, and as MPICH has it, where procedures
 * with buffers get descriptors of them. */
#include "entries.h"

#define ALL(m, Name, lower)                                                                                            \
    WRAPPER(m, mpi_##lower##_f08_, Name, 5)                                                                            \
    WRAPPER(m, mpi_##lower##_f08ts_, Name, 6)

#define BODY_0(n, Name, lower, roles, kind, state) ALL(HSC_MPI_PLUS_1_##n, Name, lower)
#define BODY_PERSISTENT BODY_0
#define BODY_BEFORE BODY_0
#define BODY_TEXT(n, Name, lower, roles, kind, state) ALL(HSC_MPI_PLUS_4_##n, Name, lower)
#define BODY_FREQUENT(n, Name, lower, roles, kind, state)                                                              \
    FREQUENT(n, HSC_MPI_PLUS_1_##n, mpi_##lower##_f08_, Name, 5, roles, kind, state)                                   \
    FREQUENT(n, HSC_MPI_PLUS_1_##n, mpi_##lower##_f08ts_, Name, 6, roles, kind, state)
#define HSC_MPI(n, Name, lower, UPPER, roles, kind, state, flags) BODY_##flags(n, Name, lower, roles, kind, state)
#define HSC_MPI_LARGE(n, Name, lower, UPPER, roles, kind, state, flags)                                                \
    BODY_##flags(n, Name, lower, roles, kind, state)                                                                   \
    WRAPPER(HSC_MPI_PLUS_1_##n, mpi_##lower##_f08ts_large_, Name##_c, 6)
#include "mpi.def"
