/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Narrows a search in a sorted array of address ranges to the few that begin near an address. */
#ifndef HEATSCOPE_CORRELATE_ADDRESS_INDEX_H
#define HEATSCOPE_CORRELATE_ADDRESS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two buckets of equal width for each element; bucket b holds how many elements begin before it. */
typedef struct hsc_address_index {
    uint64_t base;
    unsigned shift;
    size_t buckets; /* 0: not made */
    uint32_t *before;
} hsc_address_index;

/* Of an array whose elements are `stride` bytes and begin with a uint64_t address, sorted. Replaces what was there;
 * nothing is made of an empty array. False: out of memory. */
bool hsc_address_index_make(hsc_address_index *x, const void *array, size_t count, size_t stride);
void hsc_address_index_fini(hsc_address_index *x);

/* The last element that begins at or before the address is one of [*from - 1, *to - 1]; *to is given as the count. */
static inline void hsc_address_index_narrow(const hsc_address_index *x, uint64_t address, size_t *from, size_t *to) {
    *from = 0;
    if (!x->buckets)
        return;
    if (address < x->base) {
        *to = 0;
        return;
    }
    uint64_t b = (address - x->base) >> x->shift;
    if (b >= x->buckets) {
        *from = *to;
        return;
    }
    *from = x->before[b];
    *to = x->before[b + 1];
}

#endif
