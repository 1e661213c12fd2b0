/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples by time of all threads, which times.c has found the leaves of, into the store. */
#ifndef HEATSCOPE_JOIN_SERIES_H
#define HEATSCOPE_JOIN_SERIES_H

#include "made.h"

struct hsc_store;

typedef struct jseries_leaves {
    join *j;
    HSC_VEC(jsame_leaf) leaves;
    hsc_table rows;    /* of a leaf, whatever instruction: a number; (number, instruction): row of leaves */
    uint32_t numbers;
    uint32_t *firsts;  /* by row of leaves: the first thread that has it; HSC_NO_INDEX: none, and it is left out */
    uint32_t *sorted;  /* by row of leaves: row in the table */
    size_t n;          /* rows of the table */
    uint32_t *row_of;  /* by what stands in instants and for their keys (without times: by kind): row in the table; HSC_NO_INDEX: not sampled */
    size_t n_row_of;
    uint64_t *names;   /* by row of the table: of what the leaf is (grown.h); NULL: nobody asks */
    uint32_t *scopes, *procedures; /* the same: rows that bins count in */
    hsc_table named;   /* name: row of the table; HSC_NO_INDEX - 1: several have it */
    size_t first;      /* thread whose samples are put first: those of others are kept */
} jseries_leaves;

/* Those of threads x->first and after it, in their order. On ranks but the first: what they have to it, store NULL. */
hsc_status hsc_join_put_series(jseries_leaves *x, struct hsc_store *store, hsc_err *err);

#endif
