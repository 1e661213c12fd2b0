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

/* The last bit set at or before i; the first one is. */
static uint64_t bit_before(const uint64_t *bits, uint64_t i) {
    uint64_t w = i / 64, v = bits[w] & ~0ull >> (63 - i % 64);
    while (!v)
        v = bits[--w];
    return 64 * w + 63 - (uint64_t)__builtin_clzll(v);
}

/* The first bit set at or behind i; n: none of n. */
static uint64_t bit_behind(const uint64_t *bits, uint64_t i, uint64_t n) {
    uint64_t w = i / 64, v = i < n ? bits[w] & ~0ull << i % 64 : 0;
    while (!v && ++w <= n / 64)
        v = bits[w];
    i = v ? 64 * w + (uint64_t)__builtin_ctzll(v) : n;
    return i < n ? i : n;
}

bool hsc_code_find_block(hsc_code *c, const hsc_symbol *symbol, uint64_t address, uint64_t *begin, uint64_t *end) {
    uint64_t lo = symbol->lo, hi = symbol->hi, n = hi - lo;
    uint32_t *known = &c->symbol_facts.p[symbol - c->symbols.p].blocks;
    if (hi <= lo || address < lo || address >= hi)
        return false;
    if (*known == HSC_NO_INDEX) {
        const uint8_t *p = c->is_x86_64 && n <= FUNCTION_MAX ? hsc_code_bytes_at(c, lo, hi) : NULL;
        uint64_t *leaders = p ? hsc_pool_take(&c->pool, (n / 64 + 1) * 8) : NULL;
        if ((p && !leaders) || !HSC_PUSH(c->block_maps, p && find_leaders(p, n, leaders) ? leaders : NULL))
            return false;
        *known = (uint32_t)c->block_maps.n - 1;
    }
    const uint64_t *leaders = c->block_maps.p[*known];
    if (!leaders)
        return false;
    *begin = lo + bit_before(leaders, address - lo);
    *end = lo + bit_behind(leaders, address - lo + 1, n);
    return true;
}
