/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a value stands in what is sorted, and the order of keys of several numbers. */
#ifndef HEATSCOPE_SORTED_H
#define HEATSCOPE_SORTED_H

#include <stdint.h>

/* Sets `at`, a variable of whole numbers, to the first of 0..n-1 for which `before`, an expression of `at`, is false; to n where there is none.
 * It is true for all numbers below that and false for all from there on. */
#define HSC_SEARCH(at, n, before)                         \
    do {                                                  \
        uint64_t low_ = 0, high_ = (n);                   \
        while (low_ < high_) {                            \
            (at) = low_ + (high_ - low_) / 2;             \
            if (before)                                   \
                low_ = (uint64_t)(at) + 1;                \
            else                                          \
                high_ = (at);                             \
        }                                                 \
        (at) = low_;                                      \
    } while (0)

/* Index of the first of n ascending values that is not below `value`; n if all are. */
static inline uint32_t hsc_first_not_below(const uint32_t *values, uint32_t n, uint32_t value) {
    uint32_t at;
    HSC_SEARCH(at, n, values[at] < value);
    return at;
}

/* -1, 0 or 1: order of two keys of n numbers, the first of which that differs decides. */
static inline int hsc_compare_keys(const uint32_t *a, const uint32_t *b, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

#endif
