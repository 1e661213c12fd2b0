/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "same_code.h"

#include <stdlib.h>
#include <string.h>

typedef struct row { /* HSC_SAME_LEAST instructions */
    uint64_t hash;
    uint32_t at;
} row;

typedef struct pair { /* a row that both have once */
    uint32_t a, b;
    uint32_t before; /* the pair before it in the longest chain that ends here; UINT32_MAX: none */
} pair;

static int by_hash(const void *x, const void *y) {
    const row *p = x, *q = y;
    if (p->hash != q->hash)
        return p->hash < q->hash ? -1 : 1;
    return p->at < q->at ? -1 : p->at > q->at;
}

static int by_a(const void *x, const void *y) {
    const pair *p = x, *q = y;
    return p->a < q->a ? -1 : p->a > q->a;
}

static uint32_t rows_of(const uint64_t *code, uint32_t n, row *out) {
    uint32_t rows = n < HSC_SAME_LEAST ? 0 : n - HSC_SAME_LEAST + 1;
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t hash = 0xcbf29ce484222325u;
        for (uint32_t k = 0; k < HSC_SAME_LEAST; k++)
            hash = (hash ^ code[i + k]) * 0x100000001b3u;
        out[i] = (row){hash, i};
    }
    qsort(out, rows, sizeof *out, by_hash);
    return rows;
}

static bool is_once(const row *rows, uint32_t n, uint32_t i) {
    return (!i || rows[i - 1].hash != rows[i].hash) && (i + 1 == n || rows[i + 1].hash != rows[i].hash);
}

static uint32_t find_pairs(const uint64_t *a, const row *x, uint32_t n, const uint64_t *b, const row *y, uint32_t m, pair *out) {
    uint32_t found = 0;
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        if (x[i].hash != y[k].hash) {
            x[i].hash < y[k].hash ? i++ : k++;
            continue;
        }
        if (is_once(x, n, i) && is_once(y, m, k) && !memcmp(a + x[i].at, b + y[k].at, HSC_SAME_LEAST * sizeof *a))
            out[found++] = (pair){x[i].at, y[k].at, UINT32_MAX};
        i++;
        while (k < m && i < n && y[k].hash < x[i].hash)
            k++;
    }
    qsort(out, found, sizeof *out, by_a);
    return found;
}

/* The longest chain of pairs that rise in both; its last one, UINT32_MAX: none. last: room for n, by length the pair with the least b that ends one. */
static uint32_t longest_chain(pair *pairs, uint32_t n, uint32_t *last) {
    uint32_t length = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lo = 0, hi = length;
        while (lo < hi) {
            uint32_t middle = lo + (hi - lo) / 2;
            if (pairs[last[middle]].b < pairs[i].b)
                lo = middle + 1;
            else
                hi = middle;
        }
        pairs[i].before = lo ? last[lo - 1] : UINT32_MAX;
        last[lo] = i;
        length += lo == length;
    }
    return length ? last[length - 1] : UINT32_MAX;
}

/* From the last pair back: each with all that is alike round it, up to what the one behind it has. */
static void take(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m, const pair *pairs, uint32_t at, uint32_t *to) {
    uint32_t end_a = n, end_b = m;
    for (; at != UINT32_MAX; at = pairs[at].before) {
        uint32_t i = pairs[at].a, k = pairs[at].b;
        if (i >= end_a || k >= end_b)
            continue;
        for (uint32_t p = i, q = k; p < end_a && q < end_b && a[p] == b[q]; p++, q++)
            to[p] = q;
        while (i && k && a[i - 1] == b[k - 1])
            to[--i] = --k;
        end_a = i;
        end_b = k;
    }
}

bool hsc_same_code(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m, uint32_t *to) {
    row *x = malloc(((size_t)n + 1) * sizeof *x), *y = malloc(((size_t)m + 1) * sizeof *y);
    pair *pairs = malloc(((size_t)n + 1) * sizeof *pairs);
    uint32_t *last = malloc(((size_t)n + 1) * sizeof *last);
    bool ok = x && y && pairs && last;
    if (ok) {
        for (uint32_t i = 0; i < n; i++)
            to[i] = UINT32_MAX;
        uint32_t rows = rows_of(a, n, x), others = rows_of(b, m, y), found = find_pairs(a, x, rows, b, y, others, pairs);
        take(a, n, b, m, pairs, longest_chain(pairs, found, last), to);
    }
    free(x);
    free(y);
    free(pairs);
    free(last);
    return ok;
}
