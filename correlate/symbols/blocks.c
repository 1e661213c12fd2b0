/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of the code, and basic blocks of a machine function: where branches lead and what follows them. */
#include "machine_loops.h"

const uint8_t *hsc_code_bytes_at(const hsc_code *c, uint64_t lo, uint64_t hi) {
    for (size_t i = 0; i < c->code_ranges.n + c->data_ranges.n; i++) {
        const hsc_range *r = i < c->code_ranges.n ? &c->code_ranges.p[i] : &c->data_ranges.p[i - c->code_ranges.n];
        if (lo >= r->lo && lo <= hi && hi <= r->hi && r->bytes && hi - r->lo <= r->byte_count)
            return r->bytes + (lo - r->lo);
    }
    return NULL;
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
    uint64_t lo = symbol->lo, n = symbol->hi - lo;
    const hsc_machine_function *m = address < lo || address >= symbol->hi ? NULL : hsc_code_machine_function(c, symbol);
    if (!m || !m->leaders)
        return false;
    *begin = lo + bit_before(m->leaders, address - lo);
    *end = lo + bit_behind(m->leaders, address - lo + 1, n);
    return true;
}
