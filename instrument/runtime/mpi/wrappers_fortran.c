/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry points of Fortran, made from mpi.def: mpif.h and module mpi by the names that compilers give to external
 * procedures. What these call inside of the library, MPI_ or PMPI_, belongs to them. */
#include "entries.h"

/* What all entry points of an operation come to, but for the usual calls of frequent ones. */
#define ANY(n, m, Name)                                                                                                \
    void hsc_mpi_any_##Name(const hsc_rt_here *here, int variant, HSC_MPI_JOIN(HSC_MPI_TYPES_, m)) {                   \
        uint64_t a[m] = {HSC_MPI_JOIN(HSC_MPI_NAMES_, m)};                                                             \
        uint8_t own_status[HSC_MPI_STATUS_ROOM];                                                                       \
        WANT_ERROR(n, variant)                                                                                         \
        hsc_mpi_op *op = &hsc_mpi_ops[HSC_MPI_OP_##Name];                                                              \
        hsc_mpi_call c;                                                                                                \
        bool measured_ = hsc_mpi_begin(&c, op, a, own_status, LANGUAGE(variant), here);                                \
        REAL(m, variant)(HSC_MPI_JOIN(HSC_MPI_VALUES_, m));                                                            \
        if (HSC_MPI_OP_##Name == HSC_MPI_OP_Session_init && !ERROR(n) && /* MPICH's calls C's, but for mpi_f08 */      \
            (hsc_mpi_lib.kind != HSC_MPI_MPICH || LANGUAGE(variant) != HSC_MPI_BY_FORTRAN))                            \
            hsc_mpi_session_begun(a[n - 1], true);                                                                     \
        if (measured_)                                                                                                 \
            hsc_mpi_end(&c, ERROR(n));                                                                                 \
    }

#define OTHERS(m, Name, lower, UPPER)                                                                                  \
    WRAPPER(m, mpi_##lower##__, Name, 2)                                                                               \
    WRAPPER(m, mpi_##lower, Name, 3)                                                                                   \
    WRAPPER(m, MPI_##UPPER, Name, 4)
#define ALL(n, m, Name, lower, UPPER)                                                                                  \
    ANY(n, m, Name)                                                                                                    \
    WRAPPER(m, mpi_##lower##_, Name, 1)                                                                                \
    OTHERS(m, Name, lower, UPPER)

#define BODY_0(n, Name, lower, UPPER, roles, kind, state) ALL(n, HSC_MPI_PLUS_1_##n, Name, lower, UPPER)
#define BODY_PERSISTENT BODY_0
#define BODY_BEFORE BODY_0
#define BODY_TEXT(n, Name, lower, UPPER, roles, kind, state) ALL(n, HSC_MPI_PLUS_4_##n, Name, lower, UPPER)
#define BODY_FREQUENT(n, Name, lower, UPPER, roles, kind, state)                                                       \
    ANY(n, HSC_MPI_PLUS_1_##n, Name)                                                                                   \
    FREQUENT(n, HSC_MPI_PLUS_1_##n, mpi_##lower##_, Name, 1, roles, kind, state)                                       \
    OTHERS(HSC_MPI_PLUS_1_##n, Name, lower, UPPER)
#define HSC_MPI(n, Name, lower, UPPER, roles, kind, state, flags)                                                      \
    BODY_##flags(n, Name, lower, UPPER, roles, kind, state)
#define HSC_MPI_LARGE(n, Name, lower, UPPER, roles, kind, state, flags)                                                \
    BODY_##flags(n, Name, lower, UPPER, roles, kind, state)                                                            \
    ANY(n, HSC_MPI_PLUS_1_##n, Name##_c)
#include "mpi.def"
