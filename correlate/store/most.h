/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which number has most, of a few numbers or of counts by number. */
#ifndef HEATSCOPE_STORE_MOST_H
#define HEATSCOPE_STORE_MOST_H

#include <stdint.h>

enum {
    HSC_MOST_LANES = 32, /* lists of counts have a multiple of so many */
    HSC_MOST_FEW = 32,   /* numbers at most, of a few */
    HSC_MOST_NONE = 0xffff /* no number of a few */
};

/* What has most is count << 32 | ~number: of several the smaller number. */
static inline uint64_t hsc_most_key(uint32_t count, uint32_t number) { return (uint64_t)count << 32 | (uint32_t)~number; }
static inline uint64_t hsc_most_larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

typedef struct hsc_most {
    /* Of n numbers below HSC_MOST_NONE, at least one and at most HSC_MOST_FEW; HSC_MOST_FEW of them can be read. */
    uint64_t (*of_few)(const uint16_t *numbers, unsigned n);
    /* Of n counts, which become 0. */
    uint64_t (*of_bytes)(uint8_t *by, uint32_t n);
    /* Of n counts, which are added to those of `up` (NULL: of none) and become 0. */
    uint64_t (*of_counts)(uint32_t *by, uint32_t *up, uint32_t n);
} hsc_most;

hsc_most hsc_most_choose(void); /* what the processor is best at */
hsc_most hsc_most_plain(void);  /* what any can */

#endif
