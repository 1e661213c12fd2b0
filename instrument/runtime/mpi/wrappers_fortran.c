/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry points of Fortran, made from mpi.def: mpif.h and module mpi by the names that compilers give to external
 * procedures, module mpi_f08 as Open MPI has it. All arguments are addresses; the last but for lengths is the error
 * code's, which mpi_f08 may leave out. */
#include "arguments.h"
#include "mpi.h"

#define WRAPPER(n, m, name, op_, variant)                                                                              \
    HSC_MPI_ENTRY(name) void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m));                                             \
    void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m)) {                                                                \
        uint64_t a[m] = {HSC_MPI_JOIN(HSC_MPI_NAMES_, m)};                                                             \
        hsc_mpi_op *op = &hsc_mpi_ops[op_];                                                                            \
        hsc_rt_here here = HSC_RT_HERE();                                                                              \
        hsc_mpi_call c;                                                                                                \
        bool measured = hsc_mpi_begin(&c, op, a, true, &here);                                                         \
        void (*real)(HSC_MPI_JOIN(HSC_MPI_TYPES_, m)) =                                                                \
            (void (*)(HSC_MPI_JOIN(HSC_MPI_TYPES_, m)))hsc_mpi_real(op, variant);                                      \
        real(HSC_MPI_JOIN(HSC_MPI_VALUES_, m));                                                                        \
        if (measured)                                                                                                  \
            hsc_mpi_end(&c, a[n] ? *(const int32_t *)a[n] : 0); /* NOLINT */                                           \
    }

#define ALL(n, m, Name, lower, UPPER)                                                                                  \
    WRAPPER(n, m, mpi_##lower##_, HSC_MPI_OP_##Name, 1)                                                                \
    WRAPPER(n, m, mpi_##lower##__, HSC_MPI_OP_##Name, 2)                                                               \
    WRAPPER(n, m, mpi_##lower, HSC_MPI_OP_##Name, 3)                                                                   \
    WRAPPER(n, m, MPI_##UPPER, HSC_MPI_OP_##Name, 4)                                                                   \
    WRAPPER(n, m, mpi_##lower##_f08_, HSC_MPI_OP_##Name, 5)

#define LENGTHS_0(n) HSC_MPI_PLUS_1_##n
#define LENGTHS_TEXT(n) HSC_MPI_PLUS_4_##n
#define LENGTHS_PERSISTENT(n) HSC_MPI_PLUS_1_##n
#define LENGTHS_BEFORE(n) HSC_MPI_PLUS_1_##n
#define HSC_MPI(n, Name, lower, UPPER, roles, kind, state, flags) ALL(n, LENGTHS_##flags(n), Name, lower, UPPER)
#define HSC_MPI_LARGE HSC_MPI
#include "mpi.def"
