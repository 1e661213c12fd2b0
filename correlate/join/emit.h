/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Columns made value by value; only for emit.c and emit_data.c. */
#ifndef HEATSCOPE_JOIN_EMIT_H
#define HEATSCOPE_JOIN_EMIT_H

#include <stdlib.h>

#include "../store/store.h"
#include "join_internal.h"

typedef struct emit {
    join *j;
    hsc_store *s;
    hsc_err *err;
    hsc_status status;
} emit;

/* Puts one column whose values are made one by one. The type is that of schema.def. */
#define COLUMN(e, id, type, count, expression)                                             \
    do {                                                                                   \
        size_t n_ = (count);                                                               \
        type *v_ = (e)->status == HSC_OK ? malloc((n_ + 1) * sizeof *v_) : NULL;           \
        if ((e)->status == HSC_OK && !v_)                                                  \
            (e)->status = hsc_join_no_memory((e)->err);                                    \
        for (size_t i = 0; v_ && i < n_; i++)                                              \
            v_[i] = (type)(expression);                                                    \
        if (v_)                                                                            \
            (e)->status = hsc_store_put_column((e)->s, HSC_COL_##id, v_, n_, (e)->err);    \
        free((void *)v_);                                                                  \
    } while (0)

typedef const char *text;

double hsc_join_run_time(const join *j, const jprocess *p, uint64_t mono_ns); /* s since the start of the run */
double hsc_join_end_of(const join *j, const jprocess *p);
uint32_t hsc_join_thread_row(const jprocess *p, uint64_t id); /* of a thread's id; HSC_NO_INDEX: left out */

#endif
