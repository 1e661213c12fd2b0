/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is counted of a leaf by thread, threads rising, as numbers in base 128: the way from the thread before (from 0 at first), twice, and 1 more where
 * the count is not 1; then the count, where it is not 1. Two bytes each or so where thousands of threads have counts in millions of leaves. */
#ifndef HEATSCOPE_STORE_ENTRIES_H
#define HEATSCOPE_STORE_ENTRIES_H

#include <stdint.h>

enum { HSC_ENTRY_BYTES = 10 }; /* at most, of a way below 2^31 */

static inline unsigned hsc_entry_number_bytes(uint32_t v) { return 1 + (v >= 1u << 7) + (v >= 1u << 14) + (v >= 1u << 21) + (v >= 1u << 28); }

static inline unsigned hsc_entry_bytes(uint32_t way, uint32_t count) {
    return hsc_entry_number_bytes(2 * way) + (count == 1 ? 0 : hsc_entry_number_bytes(count));
}

static inline uint8_t *hsc_entry_put_number(uint8_t *to, uint32_t v) {
    for (; v >= 128; v >>= 7)
        *to++ = (uint8_t)(v | 128);
    *to++ = (uint8_t)v;
    return to;
}

/* Behind it. */
static inline uint8_t *hsc_entry_put(uint8_t *to, uint32_t way, uint32_t count) {
    to = hsc_entry_put_number(to, 2 * way + (count != 1));
    return count == 1 ? to : hsc_entry_put_number(to, count);
}

static inline const uint8_t *hsc_entry_get_number(const uint8_t *from, uint32_t *v) {
    uint32_t b = *from++, sum = b & 127;
    for (unsigned shift = 7; b >= 128; shift += 7) {
        b = *from++;
        sum |= (b & 127) << shift;
    }
    *v = sum;
    return from;
}

/* *thread: of the entry before, then of this one. */
static inline const uint8_t *hsc_entry_get(const uint8_t *from, uint32_t *thread, uint32_t *count) {
    uint32_t way;
    from = hsc_entry_get_number(from, &way);
    *thread += way / 2;
    *count = 1;
    return way & 1 ? hsc_entry_get_number(from, count) : from;
}

#endif
