/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mark_counts.h"

#include <stdlib.h>
#include <string.h>

#include "entries.h"

enum { LOW_BITS = 8 };

hsc_leaf_half hsc_leaf_half_of(uint64_t leaves, bool second, uint64_t *total) {
    return (hsc_leaf_half){second ? leaves / 2 : 0, second ? leaves : leaves / 2, total, second};
}

static uint32_t shifted(uint64_t count, unsigned shift) { return (uint32_t)count >> shift; }

/* How many of leaves [first, last) have an entry. */
static size_t number_of(const uint64_t *count, uint64_t first, uint64_t last, unsigned shift) {
    size_t n = 0;
    for (uint64_t k = first; k < last; k++)
        n += shifted(count[k], shift) != 0;
    return n;
}

static inline uint8_t *put(uint8_t *to, uint64_t *count, uint64_t first, uint64_t last, unsigned shift, bool clear) {
    for (uint64_t k = first, before = first; k < last; k++)
        if (shifted(count[k], shift)) {
            to = hsc_entry_put(to, (uint32_t)(k - before), shifted(count[k], shift));
            before = k;
            if (clear)
                count[k] = 0;
        }
    return to;
}

static bool make(uint64_t *count, uint64_t leaves, unsigned shift, bool clear, hsc_some_counts *out) {
    hsc_some_counts c = {.entry = malloc(number_of(count, 0, leaves, shift) * HSC_ENTRY_BYTES + 1)};
    if (!c.entry)
        return false;
    uint8_t *half = put(c.entry, count, 0, leaves / 2, shift, clear), *end = put(half, count, leaves / 2, leaves, shift, clear);
    c.half = (size_t)(half - c.entry);
    c.end = (size_t)(end - c.entry);
    uint8_t *less = realloc(c.entry, c.end + 1);
    c.entry = less ? less : c.entry;
    *out = c;
    return true;
}

bool hsc_some_counts_take(uint64_t *count, uint64_t leaves, hsc_some_counts *out) { return make(count, leaves, 0, true, out); }

bool hsc_all_counts_make(uint64_t *count, uint64_t leaves, hsc_all_counts *out) {
    hsc_all_counts c = {.low = malloc(leaves + 1)};
    if (!c.low || !make(count, leaves, LOW_BITS, false, &c.high)) {
        free(c.low);
        return false;
    }
    for (uint64_t k = 0; k < leaves; k++)
        c.low[k] = (uint8_t)count[k];
    *out = c;
    return true;
}

size_t hsc_all_counts_bytes(const hsc_all_counts *c, uint64_t leaves) { return leaves + c->high.end; }

void hsc_some_counts_free(hsc_some_counts *c) {
    free(c->entry);
    *c = (hsc_some_counts){0};
}

void hsc_all_counts_free(hsc_all_counts *c) {
    free(c->low);
    c->low = NULL;
    hsc_some_counts_free(&c->high);
}

void hsc_some_counts_add(const hsc_some_counts *c, hsc_leaf_half half, uint64_t times) {
    const uint8_t *p = c->entry + (half.second ? c->half : 0), *end = c->entry + (half.second ? c->end : c->half);
    uint32_t leaf = (uint32_t)half.first, count;
    while (p < end) {
        p = hsc_entry_get(p, &leaf, &count);
        half.total[leaf] += times * count;
    }
}

void hsc_all_counts_take(const hsc_all_counts *from, const hsc_all_counts *to, hsc_leaf_half half, bool fresh) {
    uint64_t *restrict total = half.total, keep = fresh ? 0 : UINT64_MAX;
    if (!to->low && fresh)
        memset(total + half.first, 0, (half.last - half.first) * sizeof *total);
    for (uint64_t k = half.first; k < half.last && to->low && from->low; k++)
        total[k] = (total[k] & keep) + to->low[k] - from->low[k];
    for (uint64_t k = half.first; k < half.last && to->low && !from->low; k++)
        total[k] = (total[k] & keep) + to->low[k];
    if (to->low)
        hsc_some_counts_add(&to->high, half, 1u << LOW_BITS);
    if (from->low)
        hsc_some_counts_add(&from->high, half, -(uint64_t)(1u << LOW_BITS));
}
