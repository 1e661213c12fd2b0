/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry points of C, made from mpi.def. */
#include "arguments.h"
#include "hot.h"

/* The arguments are passed on as they came, in registers and words of the stack of 64 bits, but for a status that the
 * program did not want. `any_NAME` takes all calls, wrap_NAME of a frequent operation the usual ones. */
#define REAL(n, variant) ((uint64_t(*)(HSC_MPI_TYPES_##n))hsc_mpi_real(op, variant))
#define ANY(n, op_)                                                                                                    \
    uint64_t a[n + 1] = {HSC_MPI_NAMES_##n};                                                                           \
    uint8_t own_status[HSC_MPI_STATUS_ROOM];                                                                           \
    hsc_mpi_op *op = &hsc_mpi_ops[op_];                                                                                \
    hsc_mpi_call c;                                                                                                    \
    bool measured_ = hsc_mpi_begin(&c, op, a, own_status, HSC_MPI_BY_C, &here); \
    uint64_t r = REAL(n, HSC_MPI_C)(HSC_MPI_VALUES_##n);                                                               \
    if (op_ == HSC_MPI_OP_Session_init && !(int)r)                                                                     \
        hsc_mpi_session_begun(a[n - 1], false);                                                                        \
    if (measured_)                                                                                                     \
        hsc_mpi_end(&c, (int)r);                                                                                       \
    return r;

#define WRAPPER(n, name, op_)                                                                                          \
    HSC_MPI_ENTRY(name) uint64_t wrap_##name(HSC_MPI_TYPES_##n);                                                       \
    uint64_t wrap_##name(HSC_MPI_TYPES_##n) {                                                                          \
        hsc_rt_here here = HSC_RT_HERE();                                                                              \
        ANY(n, op_)                                                                                                    \
    }

#define FREQUENT(n, name, op_, roles_, kind_, state_)                                                                  \
    static __attribute__((noinline, cold))                                                                             \
    uint64_t any_##name(hsc_rt_here here, HSC_MPI_TYPES_##n){ANY(n, op_)} HSC_MPI_ENTRY(name)                          \
        uint64_t wrap_##name(HSC_MPI_TYPES_##n);                                                                       \
    uint64_t wrap_##name(HSC_MPI_TYPES_##n) {                                                                          \
        hsc_rt_here here = HSC_RT_HERE();                                                                              \
        hsc_mpi_block *b = usual(HSC_MPI_BY_C);                                                                               \
        if (HSC_MPI_RARELY(!b))                                                                                        \
            return any_##name(here, HSC_MPI_NAMES_##n);                                                                \
        uint64_t a[n + 1] = {HSC_MPI_NAMES_##n};                                                                       \
        uint8_t own_status[HSC_MPI_STATUS_ROOM];                                                                       \
        hsc_mpi_op *op = &hsc_mpi_ops[op_];                                                                            \
        static const hsc_mpi_how how = {.roles = roles_, .kind = HSC_MPI_##kind_};                                     \
        hsc_mpi_call c = {.op = op, .a = a, .own_status = own_status};                                                 \
        begin(&c, &how, b, HSC_state_##state_, &here, true);                                                           \
        uint64_t r = REAL(n, HSC_MPI_C)(HSC_MPI_VALUES_##n);                                                           \
        end(&c, &how, (int)r, true);                                                                                   \
        return r;                                                                                                      \
    }

#define BODY_0(n, Name, roles, kind, state) WRAPPER(n, MPI_##Name, HSC_MPI_OP_##Name)
#define BODY_PERSISTENT BODY_0
#define BODY_BEFORE BODY_0
#define BODY_TEXT BODY_0
#define BODY_FREQUENT(n, Name, roles, kind, state) FREQUENT(n, MPI_##Name, HSC_MPI_OP_##Name, roles, kind, state)
#define HSC_MPI(n, Name, lower, UPPER, roles, kind, state, flags) BODY_##flags(n, Name, roles, kind, state)
#define HSC_MPI_LARGE(n, Name, lower, UPPER, roles, kind, state, flags)                                                \
    BODY_##flags(n, Name, roles, kind, state) WRAPPER(n, MPI_##Name##_c, HSC_MPI_OP_##Name##_c)
#include "mpi.def"
