/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A block has a head and then one array after the other: ticks since the sample before, kinds, and counts where they differ; numbers of two bytes where
 * all of the block fit, else of four. */
#include "instants.h"

#include <stdlib.h>

enum { WIDE_TICKS = 1, WIDE_KINDS = 2, COUNTS = 4 }; /* forms */
enum { SHORT = 64 }; /* so many are a block by themselves */
enum { READ_BYTES = 65536 };

typedef struct head {
    uint16_t n, form;
    uint32_t tick, count; /* of the first; of all, where they do not differ */
} head;

enum { BLOCK_BYTES = sizeof(head) + JINSTANTS_BLOCK * 3 * sizeof(uint32_t) };

/* A kind in two bytes, the highest bit for JINSTANT_SPECIAL: */
static inline uint32_t narrow(uint32_t kind) { return (kind & 0x7fff) | (kind >> 16 & 0x8000); }
static inline uint32_t widen(uint32_t kind) { return (kind & 0x7fff) | (kind & 0x8000) << 16; }
#define NARROW_KINDS (JINSTANT_SPECIAL | 0x7fffu)

static size_t block_bytes(const head *h) {
    return sizeof *h + (size_t)h->n * ((h->form & WIDE_TICKS ? 4 : 2) + (h->form & WIDE_KINDS ? 4 : 2) + (h->form & COUNTS ? 4 : 0));
}

static uint8_t *put_array(uint8_t *to, const uint32_t *from, size_t n, bool wide) {
    if (wide) {
        memcpy(to, from, n * sizeof *from);
        return to + n * sizeof *from;
    }
    for (size_t i = 0; i < n; i++) {
        uint16_t v = (uint16_t)from[i];
        memcpy(to + 2 * i, &v, 2);
    }
    return to + 2 * n;
}

/* counts NULL: all have `count`. */
static bool put_block(hsc_spill *s, jinstants *l, const uint32_t *ticks, const uint32_t *kinds, const uint32_t *counts, uint32_t count, size_t n) {
    uint32_t steps[JINSTANTS_BLOCK], short_kinds[JINSTANTS_BLOCK], all_steps = 0, all_kinds = 0;
    uint8_t block[BLOCK_BYTES];
    steps[0] = 0;
    for (size_t i = 1; i < n; i++)
        all_steps |= steps[i] = ticks[i] - ticks[i - 1];
    for (size_t i = 0; i < n; i++)
        all_kinds |= kinds[i];
    bool wide_ticks = all_steps > UINT16_MAX, wide_kinds = all_kinds & ~NARROW_KINDS;
    for (size_t i = 0; i < n && !wide_kinds; i++)
        short_kinds[i] = narrow(kinds[i]);
    head h = {(uint16_t)n, (uint16_t)((wide_ticks ? WIDE_TICKS : 0) | (wide_kinds ? WIDE_KINDS : 0) | (counts ? COUNTS : 0)), ticks[0], count};
    memcpy(block, &h, sizeof h);
    uint8_t *end = put_array(block + sizeof h, steps, n, wide_ticks);
    end = put_array(end, wide_kinds ? kinds : short_kinds, n, wide_kinds);
    end = counts ? put_array(end, counts, n, true) : end;
    return hsc_spill_put_some(s, &l->bytes, block, (size_t)(end - block), 1);
}

static bool put_held(hsc_spill *s, jinstants *l) {
    uint32_t ticks[JINSTANTS_BLOCK], kinds[JINSTANTS_BLOCK], counts[JINSTANTS_BLOCK];
    bool differ = false;
    for (uint32_t i = 0; i < l->n_held; i++) {
        ticks[i] = l->held[i].tick;
        kinds[i] = l->held[i].kind;
        counts[i] = l->held[i].count;
        differ = differ || counts[i] != counts[0];
    }
    bool ok = !l->n_held || put_block(s, l, ticks, kinds, differ || !counts[0] ? counts : NULL, counts[0], l->n_held);
    l->n_held = 0;
    return ok;
}

bool hsc_instants_put(hsc_spill *s, jinstants *l, const jinstant *i) {
    if (l->n_held == JINSTANTS_BLOCK && !put_held(s, l))
        return false;
    if (l->n_held == l->room) {
        uint32_t room = l->room ? 2 * l->room : JINSTANTS_BLOCK / 16;
        jinstant *held = realloc(l->held, room * sizeof *held);
        if (!held)
            return false;
        l->held = held;
        l->room = room;
    }
    l->held[l->n_held++] = *i;
    l->count++;
    return true;
}

bool hsc_instants_put_some(hsc_spill *s, jinstants *l, const uint32_t *ticks, const uint32_t *kinds, size_t n, uint32_t count) {
    bool ok = true;
    if (n < SHORT || !count) {
        for (size_t i = 0; ok && i < n; i++)
            ok = hsc_instants_put(s, l, &(jinstant){ticks[i], kinds[i], count});
        return ok;
    }
    ok = put_held(s, l);
    for (size_t done = 0, m; ok && done < n; done += m) {
        m = n - done < JINSTANTS_BLOCK ? n - done : JINSTANTS_BLOCK;
        ok = put_block(s, l, ticks + done, kinds + done, NULL, count, m);
        l->count += m;
    }
    return ok;
}

bool hsc_instants_flush(hsc_spill *s, jinstants *l) {
    bool ok = put_held(s, l);
    free(l->held);
    l->held = NULL;
    l->room = 0;
    return hsc_spill_flush(s, &l->bytes) && ok;
}

void hsc_instants_fini(jinstants *l) {
    hsc_spill_list_fini(&l->bytes);
    free(l->held);
    *l = (jinstants){0};
}

/* ---- reading ---- */

static void take_array(uint32_t *to, const uint8_t *from, size_t n, bool wide) {
    if (wide)
        memcpy(to, from, n * sizeof *to);
    for (size_t i = 0; i < n && !wide; i++) {
        uint16_t v;
        memcpy(&v, from + 2 * i, 2);
        to[i] = v;
    }
}

/* So many bytes that are not taken yet, or all that there are. */
static hsc_status have(hsc_spill *s, jinstants_reader *r, size_t want, hsc_err *err) {
    uint64_t got = 0;
    if (r->n - r->at >= want)
        return HSC_OK;
    if (!r->bytes) {
        r->room = r->list->bytes.count < READ_BYTES ? (size_t)r->list->bytes.count : READ_BYTES;
        r->cursor.list = &r->list->bytes;
        if (!(r->bytes = malloc(r->room + 1)))
            return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    }
    memmove(r->bytes, r->bytes + r->at, r->n - r->at);
    r->n -= r->at;
    r->at = 0;
    hsc_status status = hsc_spill_read(s, &r->cursor, r->bytes + r->n, r->room - r->n, &got, err);
    r->n += got;
    return status;
}

hsc_status hsc_instants_read(hsc_spill *s, jinstants_reader *r, size_t *n, hsc_err *err) {
    head h;
    *n = 0;
    hsc_status status = have(s, r, BLOCK_BYTES, err);
    if (status != HSC_OK || r->at == r->n)
        return status;
    bool whole = r->n - r->at >= sizeof h;
    if (whole)
        memcpy(&h, r->bytes + r->at, sizeof h);
    if (!whole || !h.n || h.n > JINSTANTS_BLOCK || r->n - r->at < block_bytes(&h))
        return hsc_err_set(err, HSC_E_IO, "temporary file beside %s: not what was written to it", s->beside);
    const uint8_t *p = r->bytes + r->at + sizeof h;
    take_array(r->tick, p, h.n, h.form & WIDE_TICKS);
    r->tick[0] = h.tick;
    for (size_t i = 1; i < h.n; i++)
        r->tick[i] += r->tick[i - 1];
    p += h.n * (h.form & WIDE_TICKS ? sizeof(uint32_t) : sizeof(uint16_t));
    take_array(r->kind, p, h.n, h.form & WIDE_KINDS);
    for (size_t i = 0; i < h.n && !(h.form & WIDE_KINDS); i++)
        r->kind[i] = widen(r->kind[i]);
    p += h.n * (h.form & WIDE_KINDS ? sizeof(uint32_t) : sizeof(uint16_t));
    if (h.form & COUNTS)
        take_array(r->count, p, h.n, true);
    r->same = h.form & COUNTS ? 0 : h.count;
    r->at += block_bytes(&h);
    *n = h.n;
    return HSC_OK;
}

void hsc_instants_reader_fini(jinstants_reader *r) {
    free(r->bytes);
    r->bytes = NULL;
}

hsc_status hsc_instants_each(hsc_spill *s, const jinstants *l, void (*visit)(void *ctx, const jinstant *i), void *ctx, hsc_err *err) {
    jinstants_reader r = {.list = l};
    size_t n = l->count > l->n_held;
    hsc_status status = HSC_OK;
    while (status == HSC_OK && n) {
        status = hsc_instants_read(s, &r, &n, err);
        for (size_t i = 0; status == HSC_OK && i < n; i++)
            visit(ctx, &(jinstant){r.tick[i], r.kind[i], r.same ? r.same : r.count[i]});
    }
    hsc_instants_reader_fini(&r);
    for (uint32_t i = 0; status == HSC_OK && i < l->n_held; i++)
        visit(ctx, &l->held[i]);
    return status;
}

typedef struct changing {
    hsc_spill *s;
    jinstants made;
    void (*change)(void *ctx, jinstant *i);
    void *ctx;
    bool ok;
} changing;

static void put_changed(void *ctx, const jinstant *i) {
    changing *c = ctx;
    jinstant to = *i;
    c->change(c->ctx, &to);
    c->ok = c->ok && hsc_instants_put(c->s, &c->made, &to);
}

hsc_status hsc_instants_change(hsc_spill *s, jinstants *l, void (*change)(void *ctx, jinstant *i), void *ctx, hsc_err *err) {
    changing c = {.s = s, .change = change, .ctx = ctx, .ok = true};
    hsc_status status = hsc_instants_each(s, l, put_changed, &c, err);
    if (status == HSC_OK && !(c.ok && hsc_instants_flush(s, &c.made)))
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    hsc_instants_fini(status == HSC_OK ? l : &c.made);
    if (status == HSC_OK)
        *l = c.made;
    return status;
}
