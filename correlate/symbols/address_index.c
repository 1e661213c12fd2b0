/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Buckets over sorted addresses. */
#include "address_index.h"

#include <stdlib.h>
#include <string.h>

static uint64_t address_of(const void *array, size_t i, size_t stride) {
    uint64_t v;
    memcpy(&v, (const char *)array + i * stride, sizeof v);
    return v;
}

bool hsc_address_index_make(hsc_address_index *x, const void *array, size_t count, size_t stride) {
    hsc_address_index_fini(x);
    if (!count || count >= UINT32_MAX)
        return true;
    uint64_t base = address_of(array, 0, stride), span = address_of(array, count - 1, stride) - base;
    unsigned shift = 0;
    while (span >> shift >= 2 * (uint64_t)count)
        shift++;
    size_t buckets = (size_t)(span >> shift) + 1;
    uint32_t *before = malloc((buckets + 1) * sizeof *before);
    if (!before)
        return false;
    size_t i = 0;
    for (size_t b = 0; b <= buckets; b++) {
        while (i < count && (address_of(array, i, stride) - base) >> shift < b)
            i++;
        before[b] = (uint32_t)i;
    }
    *x = (hsc_address_index){base, shift, buckets, before};
    return true;
}

void hsc_address_index_fini(hsc_address_index *x) {
    free(x->before);
    *x = (hsc_address_index){0};
}
