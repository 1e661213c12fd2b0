/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the entry points of Fortran have in common, for wrappers_fortran.c and wrappers_f08.c. All arguments are addresses; the
 * last but for lengths is the error code's, which mpi_f08 may leave out. */
#ifndef HEATSCOPE_RUNTIME_MPI_ENTRIES_H
#define HEATSCOPE_RUNTIME_MPI_ENTRIES_H

#include "arguments.h"
#include "hot.h"

/* Whose names: 1 to 4 as compilers name external procedures (mpi_x_, mpi_x__, mpi_x, MPI_X), 5 Open MPI's mpi_f08, 6 MPICH's. */
#define REAL(m, variant) ((void (*)(HSC_MPI_JOIN(HSC_MPI_TYPES_, m)))hsc_mpi_real(op, variant))
#define LANGUAGE(variant)                                                                                              \
    ((variant) == 6 ? HSC_MPI_BY_DESCRIPTORS : (variant) == 5 ? HSC_MPI_BY_F08 : HSC_MPI_BY_FORTRAN)
/* Where mpi_f08 leaves the error code out, the library writes one of ours: a call that failed has done nothing. */
#define WANT_ERROR(n, variant)                                                                                         \
    int32_t own_error = 0;                                                                                             \
    if ((variant) >= 5 && !a[n])                                                                                       \
        a[n] = (uint64_t)&own_error;
#define ERROR(n) (a[n] ? *(const int32_t *)a[n] : 0) /* NOLINT */
/* hsc_mpi_any_Name(here, variant, arguments): what all entry points of an operation come to. */
#define ANY(m, Name)                                                                                                   \
    void hsc_mpi_any_##Name(const hsc_rt_here *here, int variant, HSC_MPI_JOIN(HSC_MPI_TYPES_, m));
#define ANY_0(n, Name) ANY(HSC_MPI_PLUS_1_##n, Name)
#define ANY_FREQUENT ANY_0
#define ANY_PERSISTENT ANY_0
#define ANY_BEFORE ANY_0
#define ANY_TEXT(n, Name) ANY(HSC_MPI_PLUS_4_##n, Name)
#define HSC_MPI(n, Name, lower, UPPER, roles, kind, state, flags) ANY_##flags(n, Name)
#define HSC_MPI_LARGE(n, Name, lower, UPPER, roles, kind, state, flags) ANY_##flags(n, Name) ANY_0(n, Name##_c)
#include "mpi.def"
#undef HSC_MPI
#undef HSC_MPI_LARGE
#undef ANY

#define WRAPPER(m, name, Name, variant)                                                                                \
    HSC_MPI_ENTRY(name) void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m));                                             \
    void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m)) {                                                                \
        hsc_rt_here here = HSC_RT_HERE();                                                                              \
        hsc_mpi_any_##Name(&here, variant, HSC_MPI_JOIN(HSC_MPI_NAMES_, m));                                           \
    }

/* What is frequent is made for each name: what `how` says is known when compiling. */
#define FREQUENT(n, m, name, Name, variant, roles_, kind_, state_)                                                     \
    HSC_MPI_ENTRY(name) void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m));                                             \
    void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m)) {                                                                \
        hsc_rt_here here = HSC_RT_HERE();                                                                              \
        hsc_mpi_block *b = usual(LANGUAGE(variant));                                                                   \
        if (HSC_MPI_RARELY(!b)) {                                                                                      \
            hsc_mpi_any_##Name(&here, variant, HSC_MPI_JOIN(HSC_MPI_NAMES_, m));                                       \
            return;                                                                                                    \
        }                                                                                                              \
        uint64_t a[m] = {HSC_MPI_JOIN(HSC_MPI_NAMES_, m)};                                                             \
        uint8_t own_status[HSC_MPI_STATUS_ROOM]; \
        WANT_ERROR(n, variant)                                                                                         \
        hsc_mpi_op *op = &hsc_mpi_ops[HSC_MPI_OP_##Name];                                                              \
        static const hsc_mpi_how how = {.roles = roles_, .kind = HSC_MPI_##kind_, .fortran = true,                     \
                                        .f08 = (variant) >= 5, .descriptors = (variant) == 6};                         \
        hsc_mpi_call c = {.op = op, .a = a, .own_status = own_status};                                                 \
        begin(&c, &how, b, HSC_state_##state_, &here, true);                                                           \
        REAL(m, variant)(HSC_MPI_JOIN(HSC_MPI_VALUES_, m));                                                            \
        end(&c, &how, ERROR(n), true);                                                                                 \
    }

#endif
