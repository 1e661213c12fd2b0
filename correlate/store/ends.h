/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the rows of a sparse table end: n + 1 rising numbers, in 32 bits where all of them fit, which halves what is read, kept and passed
 * through. */
#ifndef HEATSCOPE_STORE_ENDS_H
#define HEATSCOPE_STORE_ENDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct hsc_ends { /* one of the two; both NULL: none */
    const uint32_t *narrow;
    const uint64_t *wide;
} hsc_ends;

static inline uint64_t hsc_ends_at(hsc_ends e, uint64_t i) { return e.narrow ? e.narrow[i] : e.wide[i]; }

/* From row i on. */
static inline hsc_ends hsc_ends_from(hsc_ends e, uint64_t i) {
    return e.narrow ? (hsc_ends){.narrow = e.narrow + i} : (hsc_ends){.wide = e.wide + i};
}

/* Values of rows [first, last). */
static inline uint64_t hsc_ends_between(hsc_ends e, uint64_t first, uint64_t last) { return hsc_ends_at(e, last) - hsc_ends_at(e, first); }

#endif
