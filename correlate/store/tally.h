/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums by number, and which numbers have one. */
#ifndef HEATSCOPE_STORE_TALLY_H
#define HEATSCOPE_STORE_TALLY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct hsc_tally { /* all zero: none */
    uint64_t *by;
    uint32_t *touched, n; /* numbers whose sum is not 0, in any order */
} hsc_tally;

typedef struct hsc_tallied { /* a list of sums */
    struct hsc_tallied_item {
        uint64_t count;
        uint32_t row;
    } * p;
    size_t n, cap;
} hsc_tallied;

static inline bool hsc_tally_init(hsc_tally *t, uint64_t rows) {
    t->by = calloc(rows + 1, sizeof *t->by);
    t->touched = malloc((rows + 1) * sizeof *t->touched);
    return t->by && t->touched;
}

static inline void hsc_tally_fini(hsc_tally *t) {
    free(t->by);
    free(t->touched);
    *t = (hsc_tally){0};
}

/* Without a branch that noise would mislead. */
static inline void hsc_tally_add(hsc_tally *t, uint32_t row, uint64_t count) {
    uint64_t before = t->by[row];
    t->touched[t->n] = row;
    t->n += (before == 0) & (count != 0);
    t->by[row] = before + count;
}

/* Many adds at a time go to a copy of the tally, which no number that is written may be a part of; then it is copied back. */
static inline void hsc_tally_add_list(hsc_tally *t, const hsc_tallied *list) {
    hsc_tally own = *t;
    for (size_t i = 0, n = list->n; i < n; i++)
        hsc_tally_add(&own, list->p[i].row, list->p[i].count);
    *t = own;
}

/* Room for `more` items; false: no memory. */
static inline bool hsc_tallied_reserve(hsc_tallied *l, size_t more) {
    if (l->cap - l->n >= more)
        return true;
    size_t cap = 2 * l->cap > l->n + more ? 2 * l->cap : l->n + more;
    void *p = realloc(l->p, cap * sizeof *l->p);
    if (!p)
        return false;
    l->p = p;
    l->cap = cap;
    return true;
}

#endif
