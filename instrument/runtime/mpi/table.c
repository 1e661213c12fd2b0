/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mpi.def as a table. */
#include <string.h>

#include "mpi.h"

#define PERSISTENT HSC_MPI_PERSISTENT
#define BEFORE HSC_MPI_BEFORE
#define TEXT HSC_MPI_TEXT
#define FREQUENT 0

hsc_mpi_op hsc_mpi_ops[HSC_MPI_OPS] = {
#define HSC_MPI(n, Name, lower_, UPPER, roles_, kind_, state_, flags_)                                                 \
    {.name = "MPI_" #Name,                                                                                             \
     .lower = "mpi_" #lower_,                                                                                          \
     .upper = "MPI_" #UPPER,                                                                                           \
     .roles = roles_,                                                                                                  \
     .kind = HSC_MPI_##kind_,                                                                                          \
     .state = HSC_state_##state_,                                                                                      \
     .flags = flags_},
#define HSC_MPI_LARGE(n, Name, lower_, UPPER, roles_, kind_, state_, flags_)                                           \
    HSC_MPI(n, Name, lower_, UPPER, roles_, kind_, state_, flags_){.name = "MPI_" #Name "_c",                          \
                                                                   .lower = "mpi_" #lower_,                            \
                                                                   .roles = roles_,                                    \
                                                                   .kind = HSC_MPI_##kind_,                            \
                                                                   .state = HSC_state_##state_,                        \
                                                                   .flags = flags_,                                    \
                                                                   .large = true},
#include "mpi.def"
};

static __attribute__((constructor(102))) void roles(void) {
    for (hsc_mpi_op *op = hsc_mpi_ops; op < hsc_mpi_ops + HSC_MPI_OPS; op++) {
        memset(op->at, -1, sizeof op->at);
        for (int i = (int)strlen(op->roles) - 1; i >= 0; i--)
            if (op->roles[i] != '.')
                op->at[op->roles[i] - 'A'] = (int8_t)i;
        for (int l = 0; l < HSC_MPI_LANGUAGES; l++)
            op->how[l] = (hsc_mpi_how){op->roles, op->at,    op->kind, op->flags, op->large,
                                       l != HSC_MPI_BY_C, l >= HSC_MPI_BY_F08, l == HSC_MPI_BY_DESCRIPTORS};
    }
}
