/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Basic blocks of a machine function, from its code: where branches lead and what follows them. x86-64 only. */
#include <string.h>

#include "code_internal.h"
#include "x86_64.h"

#define FUNCTION_MAX (4u << 20)

const uint8_t *hsc_code_bytes_at(const hsc_code *c, uint64_t lo, uint64_t hi) {
    for (size_t i = 0; i < c->code_ranges.n + c->data_ranges.n; i++) {
        const hsc_range *r = i < c->code_ranges.n ? &c->code_ranges.p[i] : &c->data_ranges.p[i - c->code_ranges.n];
        if (lo >= r->lo && lo <= hi && hi <= r->hi && r->bytes && hi - r->lo <= r->byte_count)
            return r->bytes + (lo - r->lo);
    }
    return NULL;
}

static void set_bit(uint64_t *bits, uint64_t i) {
    bits[i / 64] |= 1ull << (i % 64);
}

static bool has_bit(const uint64_t *bits, uint64_t i) {
    return bits[i / 64] >> (i % 64) & 1;
}

/* Marks the first instruction of every block of [lo, lo + n); false when the code does not decode. */
static bool find_leaders(const uint8_t *p, uint64_t n, uint64_t *leaders) {
    set_bit(leaders, 0);
    for (uint64_t at = 0; at < n;) {
        hsc_x86_flow flow;
        int64_t relative;
        size_t length = hsc_x86_decode(p + at, n - at, &flow, &relative);
        if (!length)
            return false;
        at += length;
        if (flow != HSC_X86_NEXT && at < n)
            set_bit(leaders, at);
        int64_t target = (int64_t)at + relative;
        if ((flow == HSC_X86_BRANCH || flow == HSC_X86_JUMP) && target >= 0 && target < (int64_t)n)
            set_bit(leaders, (uint64_t)target);
    }
    return true;
}

bool hsc_code_find_block(hsc_code *c, uint64_t lo, uint64_t hi, uint64_t address, uint64_t *begin, uint64_t *end) {
    const uint8_t *p = c->is_x86_64 && hi > lo && hi - lo <= FUNCTION_MAX ? hsc_code_bytes_at(c, lo, hi) : NULL;
    uint32_t *known = p ? hsc_table_at(&c->blocks_of, lo, hi) : NULL;
    if (!known || address < lo || address >= hi)
        return false;
    uint64_t n = hi - lo, words = n / 64 + 1;
    if (*known == HSC_NO_INDEX) {
        uint64_t *leaders = hsc_pool_take(&c->pool, words * 8);
        *known = (uint32_t)c->block_maps.n;
        if (!leaders || !HSC_PUSH(c->block_maps, find_leaders(p, n, leaders) ? leaders : NULL)) {
            *known = HSC_NO_INDEX;
            return false;
        }
    }
    const uint64_t *leaders = c->block_maps.p[*known];
    if (!leaders)
        return false;
    uint64_t b = address - lo, e = address - lo + 1;
    while (!has_bit(leaders, b))
        b--;
    while (e < n && !has_bit(leaders, e))
        e++;
    *begin = lo + b;
    *end = lo + e;
    return true;
}
