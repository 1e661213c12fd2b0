/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A set of row numbers of a table that is taken out in order: a bit a row, and a bit for each 64 of those, so that a few
 * rows among millions are found without a sort. */
#ifndef HEATSCOPE_JOIN_ROWSET_H
#define HEATSCOPE_JOIN_ROWSET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct rowset {
    uint64_t *bits, *summary;
    size_t summaries;
} rowset;

/* For rows below n. false: no memory. */
static inline bool rowset_init(rowset *s, size_t n) {
    size_t words = n / 64 + 1;
    s->summaries = words / 64 + 1;
    s->bits = calloc(words, sizeof *s->bits);
    s->summary = calloc(s->summaries, sizeof *s->summary);
    return s->bits && s->summary;
}

static inline void rowset_fini(rowset *s) {
    free(s->bits);
    free(s->summary);
}

/* true: was not in it. */
static inline bool rowset_add(rowset *s, size_t row) {
    uint64_t bit = 1ull << (row & 63), *word = &s->bits[row >> 6];
    if (*word & bit)
        return false;
    *word |= bit;
    s->summary[row >> 12] |= 1ull << (row >> 6 & 63);
    return true;
}

/* Takes the smallest row at or after *from (which then stands on it) out; false: none is left. */
static inline bool rowset_take_first(rowset *s, size_t *from) {
    for (size_t k = *from >> 12; k < s->summaries; k++)
        if (s->summary[k]) {
            size_t word = k * 64 + (size_t)__builtin_ctzll(s->summary[k]);
            *from = word * 64 + (size_t)__builtin_ctzll(s->bits[word]);
            s->bits[word] &= s->bits[word] - 1;
            if (!s->bits[word])
                s->summary[k] &= s->summary[k] - 1;
            return true;
        }
    return false;
}

/* The same from the other end: the largest row of those below (*below's 4096) rounded up; *below starts at the number of rows. */
static inline bool rowset_take_last(rowset *s, size_t *below) {
    for (size_t k = (*below >> 12) + 1; k-- > 0;)
        if (s->summary[k]) {
            size_t word = k * 64 + 63 - (size_t)__builtin_clzll(s->summary[k]);
            unsigned bit = 63 - (unsigned)__builtin_clzll(s->bits[word]);
            *below = word * 64 + bit;
            s->bits[word] &= ~(1ull << bit);
            if (!s->bits[word])
                s->summary[k] &= ~(1ull << (word & 63));
            return true;
        }
    return false;
}

#endif
