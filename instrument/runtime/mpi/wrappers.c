/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry points of C, made from mpi.def. */
#include "arguments.h"
#include "mpi.h"

/* The arguments are passed on as they came, in registers and words of the stack of 64 bits, but for a status that the
 * program did not want. */
#define WRAPPER(n, name, op_)                                                                                          \
    HSC_MPI_ENTRY(name) uint64_t wrap_##name(HSC_MPI_TYPES_##n);                                                       \
    uint64_t wrap_##name(HSC_MPI_TYPES_##n) {                                                                          \
        uint64_t a[n + 1] = {HSC_MPI_NAMES_##n};                                                                       \
        hsc_mpi_op *op = &hsc_mpi_ops[op_];                                                                            \
        hsc_rt_here here = HSC_RT_HERE();                                                                              \
        hsc_mpi_call c;                                                                                                \
        bool measured = hsc_mpi_begin(&c, op, a, false, &here);                                                        \
        uint64_t (*real)(HSC_MPI_TYPES_##n) = (uint64_t(*)(HSC_MPI_TYPES_##n))hsc_mpi_real(op, HSC_MPI_C);             \
        uint64_t r = real(HSC_MPI_VALUES_##n);                                                                         \
        if (measured)                                                                                                  \
            hsc_mpi_end(&c, (int)r);                                                                                   \
        return r;                                                                                                      \
    }

#define HSC_MPI(n, Name, lower, UPPER, roles, kind, state, flags) WRAPPER(n, MPI_##Name, HSC_MPI_OP_##Name)
#define HSC_MPI_LARGE(n, Name, lower, UPPER, roles, kind, state, flags)                                                \
    WRAPPER(n, MPI_##Name, HSC_MPI_OP_##Name)                                                                          \
    WRAPPER(n, MPI_##Name##_c, HSC_MPI_OP_##Name##_c)
#include "mpi.def"
