/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How columns of a simulated database are written. */
#ifndef HEATSCOPE_TESTS_SIMULATE_PUT_H
#define HEATSCOPE_TESTS_SIMULATE_PUT_H

#include <stdlib.h>

#include "simulate.h"
#include "store/store.h"

/* Writes a column of n values, each an expression of the row `i`; needs `s`, `err` and `status`. */
#define PUT(column, n, ctype, expression)                                                                              \
    do {                                                                                                               \
        ctype *put_v = sim_must(malloc(((uint64_t)(n) + 1) * sizeof *put_v));                                          \
        for (uint32_t i = 0; i < (n); i++)                                                                             \
            put_v[i] = (expression);                                                                                   \
        if (!status)                                                                                                   \
            status = hsc_store_put_column(s, HSC_COL_##column, put_v, n, err);                                         \
        free(put_v);                                                                                                   \
    } while (0)

typedef struct sim_counts { /* samples of lines by thread */
    const uint64_t *thread_begin;
    const uint32_t *row, *count;
} sim_counts;

/* What --details adds: the code of arrays and messages, what calls and waits took, probes, machine code, texts. */
hsc_status sim_put_details(hsc_store *s, const sim_program *p, const uint32_t *first_instance, const sim_counts *lines, double lasts_s, hsc_err *err);
hsc_status sim_put_code(hsc_store *s, const sim_program *p, const uint32_t *first_instance, const sim_counts *lines, hsc_err *err);
hsc_status sim_put_memory(hsc_store *s, const sim_program *p, hsc_err *err);

#endif
