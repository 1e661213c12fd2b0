/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A block has a head and then one array after the other: ticks since the sample before, kinds, and counts where they differ; of two bytes each where
 * all of the block fit, else of four; ticks of one where they are near those of the second sample, and none where they are the same. */
#include "instants.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE_TICKS = 1, WIDE_KINDS = 2, COUNTS = 4, NEAR_TICKS = 8, SAME_TICKS = 16 }; /* forms */
enum { SHORT = 64, /* so many are a block by themselves */
       TILE = 64 };
enum { READ_BYTES = 65536 };

typedef struct head {
    uint16_t n, form;
    uint32_t tick, count; /* of the first; of all, where they do not differ */
    uint32_t step;        /* of the second: what the others are near to, or are */
} head;

enum { BLOCK_BYTES = sizeof(head) + JINSTANTS_BLOCK * 3 * sizeof(uint32_t) };

/* A kind in two bytes, the highest bit for JINSTANT_SPECIAL: */
static inline uint32_t narrow(uint32_t kind) { return (kind & 0x7fff) | (kind >> 16 & 0x8000); }
static inline uint32_t widen(uint32_t kind) { return (kind & 0x7fff) | (kind & 0x8000) << 16; }
#define NARROW_KINDS (JINSTANT_SPECIAL | 0x7fffu)

static size_t block_bytes(const head *h) {
    return sizeof *h + (size_t)h->n * ((h->form & WIDE_TICKS ? 4 : h->form & NEAR_TICKS ? 1 : h->form & SAME_TICKS ? 0 : 2) + (h->form & WIDE_KINDS ? 4 : 2) + (h->form & COUNTS ? 4 : 0));
}

/* Tiles of words as compilers make vector code of. */
static uint8_t *put_words(uint8_t *to, const uint32_t *from, size_t n) {
    memcpy(to, from, n * sizeof *from);
    return to + n * sizeof *from;
}

/* Numbers of two bytes; kinds as narrow(), which leaves numbers below 0x8000 as they are. */
static inline uint8_t *put_halves(uint8_t *to, const uint32_t *from, size_t n, bool are_kinds) {
    size_t at = 0;
    for (; at + TILE <= n; at += TILE) {
        uint16_t v[TILE];
        for (unsigned k = 0; k < TILE; k++)
            v[k] = (uint16_t)(are_kinds ? narrow(from[at + k]) : from[at + k]);
        memcpy(to + 2 * at, v, sizeof v);
    }
    for (; at < n; at++) {
        uint16_t v = (uint16_t)(are_kinds ? narrow(from[at]) : from[at]);
        memcpy(to + 2 * at, &v, 2);
    }
    return to + 2 * n;
}

/* Steps of one byte, 128 those of the second. */
static uint8_t *put_near(uint8_t *to, const uint32_t *from, size_t n, uint32_t step) {
    size_t at = 0;
    for (; at + TILE <= n; at += TILE)
        for (unsigned k = 0; k < TILE; k++)
            to[at + k] = (uint8_t)(from[at + k] - step + 128);
    for (; at < n; at++)
        to[at] = (uint8_t)(from[at] - step + 128);
    return to + n;
}

/* Bits in which any is not as `step`, and bits of how far any is from 128 before it. */
static void compare(const uint32_t *list, size_t n, uint32_t step, uint32_t *other, uint32_t *far) {
    uint32_t any[2] = {0, 0};
    size_t at = 0;
    for (; at + TILE <= n; at += TILE)
        for (unsigned k = 0; k < TILE; k++) {
            any[0] |= list[at + k] ^ step;
            any[1] |= list[at + k] - step + 128;
        }
    for (; at < n; at++) {
        any[0] |= list[at] ^ step;
        any[1] |= list[at] - step + 128;
    }
    *other = any[0];
    *far = any[1];
}

static uint32_t any_of(const uint32_t *list, size_t n) {
    uint32_t any = 0;
    size_t at = 0;
    for (; at + TILE <= n; at += TILE)
        for (unsigned k = 0; k < TILE; k++)
            any |= list[at + k];
    for (; at < n; at++)
        any |= list[at];
    return any;
}

/* That of the first is as that of the second: it is not asked for. */
static void step(const uint32_t *ticks, size_t n, uint32_t *steps) {
    size_t at = 1;
    steps[0] = n > 1 ? ticks[1] - ticks[0] : 0;
    for (; at + TILE <= n; at += TILE)
        for (unsigned k = 0; k < TILE; k++)
            steps[at + k] = ticks[at + k] - ticks[at + k - 1];
    for (; at < n; at++)
        steps[at] = ticks[at] - ticks[at - 1];
}

/* Its bytes. counts NULL: all have `count`. */
static size_t make_block(const uint32_t *ticks, const uint32_t *kinds, const uint32_t *counts, uint32_t count, size_t n, uint8_t block[BLOCK_BYTES]) {
    uint32_t steps[JINSTANTS_BLOCK];
    step(ticks, n, steps);
    uint32_t other, far;
    compare(steps, n, steps[0], &other, &far);
    unsigned of_ticks = !other ? SAME_TICKS : far <= UINT8_MAX ? NEAR_TICKS : any_of(steps, n) > UINT16_MAX ? WIDE_TICKS : 0;
    bool wide_kinds = any_of(kinds, n) & ~NARROW_KINDS;
    head h = {(uint16_t)n, (uint16_t)(of_ticks | (wide_kinds ? WIDE_KINDS : 0) | (counts ? COUNTS : 0)), ticks[0], count, steps[0]};
    memcpy(block, &h, sizeof h);
    uint8_t *end = block + sizeof h;
    if (!(of_ticks & SAME_TICKS))
        end = of_ticks & WIDE_TICKS ? put_words(end, steps, n) : of_ticks & NEAR_TICKS ? put_near(end, steps, n, h.step) : put_halves(end, steps, n, false);
    end = wide_kinds ? put_words(end, kinds, n) : put_halves(end, kinds, n, true);
    end = counts ? put_words(end, counts, n) : end;
    return (size_t)(end - block);
}

static bool put_block(hsc_spill *s, jinstants *l, const uint32_t *ticks, const uint32_t *kinds, const uint32_t *counts, uint32_t count, size_t n) {
    uint8_t block[BLOCK_BYTES];
    return hsc_spill_put_some(s, &l->bytes, block, make_block(ticks, kinds, counts, count, n, block), 1);
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

static const uint8_t *take_words(uint32_t *to, const uint8_t *from, size_t n) {
    memcpy(to, from, n * sizeof *to);
    return from + n * sizeof *to;
}

static inline const uint8_t *take_halves(uint32_t *to, const uint8_t *from, size_t n, bool are_kinds) {
    size_t at = 0;
    for (; at + TILE <= n; at += TILE) {
        uint16_t v[TILE];
        memcpy(v, from + 2 * at, sizeof v);
        for (unsigned k = 0; k < TILE; k++)
            to[at + k] = are_kinds ? widen(v[k]) : v[k];
    }
    for (; at < n; at++) {
        uint16_t v;
        memcpy(&v, from + 2 * at, 2);
        to[at] = are_kinds ? widen(v) : v;
    }
    return from + 2 * n;
}

static const uint8_t *take_near(uint32_t *to, const uint8_t *from, size_t n, uint32_t step) {
    size_t at = 0;
    for (; at + TILE <= n; at += TILE)
        for (unsigned k = 0; k < TILE; k++)
            to[at + k] = step + from[at + k] - 128;
    for (; at < n; at++)
        to[at] = step + from[at] - 128;
    return from + n;
}

/* To the end of the tile. */
static void take_same(uint32_t *to, size_t n, uint32_t tick, uint32_t step) {
    for (size_t at = 0; at < n; at += TILE)
        for (unsigned k = 0; k < TILE; k++)
            to[at + k] = tick + (uint32_t)(at + k) * step;
}
_Static_assert(JINSTANTS_BLOCK % TILE == 0, "take_same");

static const uint8_t *take_ticks(const head *h, const uint8_t *from, uint32_t *to) {
    if (h->form & SAME_TICKS) {
        take_same(to, h->n, h->tick, h->step);
        return from;
    }
    from = h->form & WIDE_TICKS ? take_words(to, from, h->n) : h->form & NEAR_TICKS ? take_near(to, from, h->n, h->step) : take_halves(to, from, h->n, false);
    to[0] = h->tick;
    for (size_t i = 1; i < h->n; i++)
        to[i] += to[i - 1];
    return from;
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

/* The head of the next block, all of which is there then; h->n 0 at the end. */
static hsc_status take_head(hsc_spill *s, jinstants_reader *r, head *h, hsc_err *err) {
    *h = (head){0};
    hsc_status status = have(s, r, BLOCK_BYTES, err);
    if (status != HSC_OK || r->at == r->n)
        return status;
    bool whole = r->n - r->at >= sizeof *h;
    if (whole)
        memcpy(h, r->bytes + r->at, sizeof *h);
    if (!whole || !h->n || h->n > JINSTANTS_BLOCK || r->n - r->at < block_bytes(h))
        return hsc_err_set(err, HSC_E_IO, "temporary file beside %s: not what was written to it", s->beside);
    return HSC_OK;
}

hsc_status hsc_instants_pass(hsc_spill *s, jinstants_reader *r, uint64_t to, uint64_t *at, size_t *n, hsc_err *err) {
    head h;
    *n = 0;
    hsc_status status = take_head(s, r, &h, err);
    for (; status == HSC_OK && h.n && *at + h.n <= to; status = take_head(s, r, &h, err)) {
        r->at += block_bytes(&h);
        *at += h.n;
    }
    if (status != HSC_OK || !h.n)
        return status;
    const uint8_t *p = take_ticks(&h, r->bytes + r->at + sizeof h, r->tick);
    p = h.form & WIDE_KINDS ? take_words(r->kind, p, h.n) : take_halves(r->kind, p, h.n, true);
    if (h.form & COUNTS)
        take_words(r->count, p, h.n);
    r->same = h.form & COUNTS ? 0 : h.count;
    r->at += block_bytes(&h);
    *n = h.n;
    return HSC_OK;
}

hsc_status hsc_instants_read(hsc_spill *s, jinstants_reader *r, size_t *n, hsc_err *err) {
    return hsc_instants_pass(s, r, 0, &(uint64_t){0}, n, err);
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

/* ---- kept for a later join ---- */

static bool save_as_is(hsc_spill *s, const jinstants *l, parcel *a) {
    hsc_spill_cursor at = {.list = &l->bytes};
    uint64_t got = 0;
    hsc_err unused;
    if (!hsc_vec_reserve((void **)&a->p, &a->cap, a->n + l->bytes.count, 1) ||
        hsc_spill_read(s, &at, a->p + a->n, l->bytes.count, &got, &unused) != HSC_OK || got != l->bytes.count)
        return false;
    a->n += got;
    return true;
}

bool hsc_instants_save(hsc_spill *s, const jinstants *l, const uint32_t *rows, size_t n_rows, uint32_t each, parcel *a) {
    jinstants_reader r = {.list = l};
    uint8_t block[BLOCK_BYTES];
    size_t n = l->count != 0;
    bool good = !a->failed;
    hsc_err unused;
    if (!rows)
        return good && save_as_is(s, l, a);
    while (good && n) {
        good = hsc_instants_read(s, &r, &n, &unused) == HSC_OK;
        for (size_t i = 0; good && i < n; i++) {
            uint32_t kind = r.kind[i], row = kind / each;
            if (kind & JINSTANT_SPECIAL)
                continue;
            good = row < n_rows && rows[row];
            r.kind[i] = good ? (rows[row] - 1) * each + kind % each : 0;
        }
        if (good && n)
            parcel_put(a, block, make_block(r.tick, r.kind, r.same ? NULL : r.count, r.same, n, block));
        good = good && !a->failed;
    }
    hsc_instants_reader_fini(&r);
    return good;
}

/* Is it one that put_block makes, of keys below these? */
static bool is_sound(const head *h, const uint8_t *block, uint64_t keys, uint64_t specials) {
    const unsigned of_ticks = h->form & (WIDE_TICKS | NEAR_TICKS | SAME_TICKS);
    uint32_t kinds[JINSTANTS_BLOCK];
    bool sound = !(of_ticks & (of_ticks - 1)) && !(h->form & ~(unsigned)(WIDE_TICKS | WIDE_KINDS | COUNTS | NEAR_TICKS | SAME_TICKS)) && (h->form & COUNTS || h->count);
    const uint8_t *from = block + sizeof *h + (size_t)h->n * (of_ticks == WIDE_TICKS ? 4 : of_ticks == NEAR_TICKS ? 1 : of_ticks == SAME_TICKS ? 0 : 2);
    if (h->form & WIDE_KINDS)
        take_words(kinds, from, h->n);
    else
        take_halves(kinds, from, h->n, true);
    for (size_t i = 0; sound && i < h->n; i++)
        sound = kinds[i] & JINSTANT_SPECIAL ? (kinds[i] & ~JINSTANT_SPECIAL) < specials : kinds[i] < keys;
    return sound;
}

bool hsc_instants_load(hsc_spill *s, jinstants *l, const uint8_t *bytes, size_t size, uint64_t count, uint64_t keys, uint64_t specials) {
    uint64_t n = 0;
    bool good = true;
    *l = (jinstants){0};
    for (size_t at = 0; good && at < size;) {
        head h;
        good = size - at >= sizeof h;
        if (good)
            memcpy(&h, bytes + at, sizeof h);
        good = good && h.n && h.n <= JINSTANTS_BLOCK && block_bytes(&h) <= size - at && is_sound(&h, bytes + at, keys, specials);
        if (good) {
            n += h.n;
            at += block_bytes(&h);
        }
    }
    good = good && n == count && hsc_spill_put_some(s, &l->bytes, bytes, size, 1);
    l->count = count;
    return hsc_instants_flush(s, l) && good;
}
