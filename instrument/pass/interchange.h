/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops in an order that walks memory by large steps. */
#ifndef HEATSCOPE_PASS_INTERCHANGE_H
#define HEATSCOPE_PASS_INTERCHANGE_H

#include "places.h"

/* One access in a loop, as written. */
typedef struct hsc_access {
    LLVMValueRef instruction;
    const hsc_place *place;
    LLVMTypeRef type;     /* NULL: a copy */
    uint64_t kind, bytes; /* HSC_access_* */
    unsigned block;       /* of the graph */
} hsc_access;

/* Remarks on innermost loops that would go through memory by smaller steps if they changed places with a loop round them. `all`: the procedure's n accesses. Cost: for loops
 * with large steps only, the square of their accesses. */
void hsc_data_interchange(hsc_data *d, const hsc_access *all, size_t n);

#endif
