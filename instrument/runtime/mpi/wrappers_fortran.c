/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry points of Fortran, made from mpi.def: mpif.h and module mpi by the names that compilers give to external
 * procedures, module mpi_f08 as Open MPI has it, and as MPICH has it: procedures with buffers get descriptors of them. All
 * arguments are addresses; the last but for lengths is the error code's, which mpi_f08 may leave out. What these call inside
 * of the library, MPI_ or PMPI_, belongs to them. */
#include "arguments.h"
#include "hot.h"

#define REAL(m, variant) ((void (*)(HSC_MPI_JOIN(HSC_MPI_TYPES_, m)))hsc_mpi_real(op, variant))
#define LANGUAGE(variant)                                                                                              \
    ((variant) == 6 ? HSC_MPI_BY_DESCRIPTORS : (variant) == 5 ? HSC_MPI_BY_F08 : HSC_MPI_BY_FORTRAN)
/* Where mpi_f08 leaves the error code out, the library writes one of ours: a call that failed has done nothing. */
#define WANT_ERROR(n, variant)                                                                                         \
    int32_t own_error = 0;                                                                                             \
    if ((variant) >= 5 && !a[n])                                                                                       \
        a[n] = (uint64_t)&own_error;
#define ERROR(n) (a[n] ? *(const int32_t *)a[n] : 0) /* NOLINT */
#define ANY(n, m, op_, variant)                                                                                        \
    uint64_t a[m] = {HSC_MPI_JOIN(HSC_MPI_NAMES_, m)};                                                                 \
    uint8_t own_status[HSC_MPI_STATUS_ROOM];                                                                           \
    WANT_ERROR(n, variant)                                                                                             \
    hsc_mpi_op *op = &hsc_mpi_ops[op_];                                                                                \
    hsc_mpi_call c;                                                                                                    \
    bool measured_ = hsc_mpi_begin(&c, op, a, own_status, LANGUAGE(variant), &here); \
    REAL(m, variant)(HSC_MPI_JOIN(HSC_MPI_VALUES_, m));                                                                \
    if (op_ == HSC_MPI_OP_Session_init && !ERROR(n) && /* MPICH's calls C's, but for mpi_f08 */                        \
        (hsc_mpi_lib.kind != HSC_MPI_MPICH || LANGUAGE(variant) != HSC_MPI_BY_FORTRAN))                                \
        hsc_mpi_session_begun(a[n - 1], true);                                                                         \
    if (measured_)                                                                                                     \
        hsc_mpi_end(&c, ERROR(n));

#define WRAPPER(n, m, name, op_, variant)                                                                              \
    HSC_MPI_ENTRY(name) void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m));                                             \
    void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m)) {                                                                \
        hsc_rt_here here = HSC_RT_HERE();                                                                              \
        ANY(n, m, op_, variant)                                                                                        \
    }

#define FREQUENT(n, m, name, op_, variant, roles_, kind_, state_)                                                      \
    static __attribute__((noinline, cold)) void any_##name(hsc_rt_here here, HSC_MPI_JOIN(HSC_MPI_TYPES_, m)){         \
        ANY(n, m, op_, variant)} HSC_MPI_ENTRY(name) void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m));                \
    void wrap_##name(HSC_MPI_JOIN(HSC_MPI_TYPES_, m)) {                                                                \
        hsc_rt_here here = HSC_RT_HERE();                                                                              \
        hsc_mpi_block *b = usual(LANGUAGE(variant)); \
        if (HSC_MPI_RARELY(!b)) {                                                                                      \
            any_##name(here, HSC_MPI_JOIN(HSC_MPI_NAMES_, m));                                                         \
            return;                                                                                                    \
        }                                                                                                              \
        uint64_t a[m] = {HSC_MPI_JOIN(HSC_MPI_NAMES_, m)};                                                             \
        uint8_t own_status[HSC_MPI_STATUS_ROOM];                                                                       \
        WANT_ERROR(n, variant)                                                                                         \
        hsc_mpi_op *op = &hsc_mpi_ops[op_];                                                                            \
        static const hsc_mpi_how how = {.roles = roles_, .kind = HSC_MPI_##kind_, .fortran = true,                     \
                                        .f08 = (variant) >= 5, .descriptors = (variant) == 6};                         \
        hsc_mpi_call c = {.op = op, .a = a, .own_status = own_status};                                                 \
        begin(&c, &how, b, HSC_state_##state_, &here, true);                                                           \
        REAL(m, variant)(HSC_MPI_JOIN(HSC_MPI_VALUES_, m));                                                            \
        end(&c, &how, ERROR(n), true);                                                                                 \
    }

#define OTHERS(n, m, Name, lower, UPPER)                                                                               \
    WRAPPER(n, m, mpi_##lower##__, HSC_MPI_OP_##Name, 2)                                                               \
    WRAPPER(n, m, mpi_##lower, HSC_MPI_OP_##Name, 3)                                                                   \
    WRAPPER(n, m, MPI_##UPPER, HSC_MPI_OP_##Name, 4)
#define ALL(n, m, Name, lower, UPPER)                                                                                  \
    WRAPPER(n, m, mpi_##lower##_, HSC_MPI_OP_##Name, 1)                                                                \
    OTHERS(n, m, Name, lower, UPPER)                                                                                   \
    WRAPPER(n, m, mpi_##lower##_f08_, HSC_MPI_OP_##Name, 5)                                                            \
    WRAPPER(n, m, mpi_##lower##_f08ts_, HSC_MPI_OP_##Name, 6)

#define BODY_0(n, Name, lower, UPPER, roles, kind, state) ALL(n, HSC_MPI_PLUS_1_##n, Name, lower, UPPER)
#define BODY_PERSISTENT BODY_0
#define BODY_BEFORE BODY_0
#define BODY_TEXT(n, Name, lower, UPPER, roles, kind, state) ALL(n, HSC_MPI_PLUS_4_##n, Name, lower, UPPER)
#define BODY_FREQUENT(n, Name, lower, UPPER, roles, kind, state)                                                       \
    FREQUENT(n, HSC_MPI_PLUS_1_##n, mpi_##lower##_, HSC_MPI_OP_##Name, 1, roles, kind, state)                          \
    OTHERS(n, HSC_MPI_PLUS_1_##n, Name, lower, UPPER)                                                                  \
    FREQUENT(n, HSC_MPI_PLUS_1_##n, mpi_##lower##_f08_, HSC_MPI_OP_##Name, 5, roles, kind, state)                      \
    FREQUENT(n, HSC_MPI_PLUS_1_##n, mpi_##lower##_f08ts_, HSC_MPI_OP_##Name, 6, roles, kind, state)
#define HSC_MPI(n, Name, lower, UPPER, roles, kind, state, flags)                                                      \
    BODY_##flags(n, Name, lower, UPPER, roles, kind, state)
#define HSC_MPI_LARGE(n, Name, lower, UPPER, roles, kind, state, flags)                                                \
    BODY_##flags(n, Name, lower, UPPER, roles, kind, state)                                                            \
    WRAPPER(n, HSC_MPI_PLUS_1_##n, mpi_##lower##_f08ts_large_, HSC_MPI_OP_##Name##_c, 6)
#include "mpi.def"
