/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What packing and unpacking of payloads in columns share. */
#include "columns.h"

#include <stdlib.h>

bool hsc_column_grow(hsc_column_bytes *b, size_t more) {
    size_t capacity = b->capacity + b->capacity / 2 + more + 256;
    uint8_t *p = realloc(b->p, capacity);
    if (!p)
        return false;
    b->p = p;
    b->capacity = capacity;
    return true;
}

bool hsc_column_last_init(hsc_column_last *l, size_t rows) {
    size_t n = 16;
    while (n < 2 * rows)
        n *= 2;
    l->slots = calloc(n, sizeof *l->slots);
    l->mask = n - 1;
    l->column = 1;
    return l->slots != NULL;
}

void hsc_column_last_next(hsc_column_last *l) {
    l->column++;
}

void hsc_column_last_fini(hsc_column_last *l) {
    free(l->slots);
}

bool hsc_column_order(const uint8_t *codings, unsigned n, uint8_t *order) {
    bool done[HSC_FIELDS_MAX] = {false};
    unsigned k = 0;
    for (unsigned f = 0; f < n; f++) {
        /* first what it needs: up the chain, then down again; a chain longer than n is a ring */
        uint8_t chain[HSC_FIELDS_MAX];
        unsigned length = 0;
        for (unsigned g = f; !done[g]; g = codings[g] - HSC_CODING_BY) {
            if (length == n)
                return false;
            chain[length++] = (uint8_t)g;
            if (codings[g] < HSC_CODING_BY)
                break;
            if (codings[g] - HSC_CODING_BY >= (int)n)
                return false;
        }
        while (length) {
            order[k++] = chain[--length];
            done[chain[length]] = true;
        }
    }
    return true;
}
