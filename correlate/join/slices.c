/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slices as bytes: small numbers in as many as they need, of histograms only what is there. */
#include "slices.h"

#include <string.h>

bool hsc_slices_wanted(const jprocess *p) { return p->known && !p->join->options->no_times; }

void hsc_slice_buckets(uint64_t *to, uint64_t first, const uint64_t *counts, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t bucket = first < JOIN_BUCKETS && i < JOIN_BUCKETS - first ? first + i : JOIN_BUCKETS - 1;
        to[bucket] = to[bucket] > UINT64_MAX - counts[i] ? UINT64_MAX : to[bucket] + counts[i];
    }
}

static uint8_t *put(uint8_t *to, uint64_t v) {
    for (; v > 127; v >>= 7)
        *to++ = (uint8_t)(v | 128);
    *to++ = (uint8_t)v;
    return to;
}

/* Bit k of `has`: v[k] is not 0; above them the squares, and the lists. */
bool hsc_slices_put(jprocess *p, const jslice *s) {
    uint8_t bytes[10 * (5 + JSLICE_NUMBERS + JSLICE_LISTS * (1 + 2 * JOIN_BUCKETS)) + sizeof s->squares], *to = bytes;
    uint64_t has = 0;
    if (!hsc_slices_wanted(p))
        return true;
    for (unsigned i = 0; i < JSLICE_NUMBERS; i++)
        has |= (uint64_t)(s->v[i] != 0) << i;
    for (unsigned i = 0; i < 2; i++)
        has |= (uint64_t)(s->squares[i] != 0) << (JSLICE_NUMBERS + i);
    unsigned used[JSLICE_LISTS] = {0};
    for (unsigned l = 0; l < JSLICE_LISTS; l++) {
        for (unsigned b = 0; b < JOIN_BUCKETS; b++)
            used[l] += s->counts[l][b] != 0;
        has |= (uint64_t)(used[l] != 0) << (JSLICE_NUMBERS + 2 + l);
    }
    if (!has)
        return true;
    to = put(put(put(put(put(to, s->kind), s->row), s->thread), s->time), has);
    for (unsigned i = 0; i < JSLICE_NUMBERS; i++)
        if (s->v[i])
            to = put(to, s->v[i]);
    for (unsigned i = 0; i < 2; i++)
        if (s->squares[i] != 0) {
            memcpy(to, &s->squares[i], sizeof s->squares[i]);
            to += sizeof s->squares[i];
        }
    for (unsigned l = 0; l < JSLICE_LISTS; l++) {
        if (used[l])
            to = put(to, used[l]);
        for (unsigned b = 0; b < JOIN_BUCKETS; b++)
            if (s->counts[l][b])
                to = put(put(to, b), s->counts[l][b]);
    }
    return hsc_spill_put_some(p->join->spill, &p->slices, bytes, (size_t)(to - bytes), 1);
}

/* ---- reading ---- */

void hsc_slices_begin(join *j, const jprocess *p, jslice_cursor *c) {
    c->j = j;
    c->at = (hsc_spill_cursor){.list = &p->slices};
    c->have = c->used = 0;
}

enum { NUMBER_BYTES = 10 }; /* of a number, at most */

/* *any false: no more. */
static hsc_status next_byte(jslice_cursor *c, uint8_t *byte, bool *any, hsc_err *err) {
    if (c->used == c->have) {
        uint64_t got = 0;
        hsc_status status = c->at.list->count ? hsc_spill_read(c->j->spill, &c->at, c->bytes, sizeof c->bytes, &got, err) : HSC_OK;
        if (status != HSC_OK)
            return status;
        c->have = (uint32_t)got;
        c->used = 0;
    }
    *any = c->used < c->have;
    *byte = *any ? c->bytes[c->used++] : 0;
    return HSC_OK;
}

static hsc_status take(jslice_cursor *c, uint64_t *v, bool *any, hsc_err *err) {
    uint8_t byte = 128;
    hsc_status status = HSC_OK;
    *v = 0;
    if (c->have - c->used >= NUMBER_BYTES) { /* all of it is there */
        for (unsigned shift = 0; shift < 64 && byte > 127; shift += 7) {
            byte = c->bytes[c->used++];
            *v |= (uint64_t)(byte & 127) << shift;
        }
        return HSC_OK;
    }
    for (unsigned shift = 0; shift < 64 && byte > 127 && *any && status == HSC_OK; shift += 7) {
        status = next_byte(c, &byte, any, err);
        *v |= (uint64_t)(byte & 127) << shift;
    }
    return status;
}

hsc_status hsc_slices_next(jslice_cursor *c, jslice *s, bool *any, hsc_err *err) {
    uint64_t kind = 0, has = 0, n = 0, bucket;
    *any = true;
    memset(s, 0, sizeof *s);
    uint64_t *const head[] = {&kind, &s->row, &s->thread, &s->time, &has};
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < sizeof head / sizeof *head && status == HSC_OK && *any; i++)
        status = take(c, head[i], any, err);
    s->kind = kind < JSLICE_KINDS ? (uint32_t)kind : JSLICE_KINDS;
    for (unsigned i = 0; i < JSLICE_NUMBERS && status == HSC_OK && *any; i++)
        if (has >> i & 1)
            status = take(c, &s->v[i], any, err);
    for (unsigned i = 0; i < 2 && status == HSC_OK && *any; i++) {
        uint8_t raw[sizeof s->squares[i]];
        if (!(has >> (JSLICE_NUMBERS + i) & 1))
            continue;
        for (size_t b = 0; b < sizeof raw && status == HSC_OK && *any; b++)
            status = next_byte(c, &raw[b], any, err);
        if (status == HSC_OK && *any)
            memcpy(&s->squares[i], raw, sizeof raw);
    }
    for (unsigned l = 0; l < JSLICE_LISTS; l++) {
        if (!(has >> (JSLICE_NUMBERS + 2 + l) & 1))
            continue;
        if (status == HSC_OK && *any)
            status = take(c, &n, any, err);
        for (uint64_t i = 0; i < n && i < JOIN_BUCKETS && status == HSC_OK && *any; i++) {
            status = take(c, &bucket, any, err);
            if (status == HSC_OK && *any)
                status = take(c, &s->counts[l][bucket < JOIN_BUCKETS ? bucket : JOIN_BUCKETS - 1], any, err);
        }
    }
    return status;
}

void hsc_slices_end(jslice_cursor *c) { hsc_spill_cursor_fini(&c->at); }
