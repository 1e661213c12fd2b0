/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a value stands in a sorted column. */
#ifndef HSC_STORE_SORTED_H
#define HSC_STORE_SORTED_H

#include <stdint.h>

/* Index of the first of n ascending values that is not below `value`; n if all are. */
static inline uint32_t hsc_first_not_below(const uint32_t *values, uint32_t n, uint32_t value) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
