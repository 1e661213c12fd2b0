/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "grown.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>

#include "../store/store.h"
#include "../store/times.h"
#include "made.h"

#define NEAR_SAMPLES 65536u /* counts are noted where a chunk begins so close to the last whole piece */

/* ---- what is kept ---- */

static void free_thread(jgrown_thread *t) {
    free(t->counts.p);
    free(t->others.p);
    free(t->worked.p);
    free(t->mark.p);
    free(t->leaves.p);
}

void hsc_grown_free(jgrown *g) {
    for (size_t i = 0; g && i < g->threads.n; i++)
        free_thread(&g->threads.p[i]);
    if (g) {
        free(g->chunks.p);
        free(g->threads.p);
        free(g->blocks.p);
        free(g->order.p);
    }
    free(g);
}

void hsc_grown_put(const jgrown *g, parcel *a) {
    parcel_u64(a, g->weight);
    PARCEL_VEC(a, g->blocks);
    PARCEL_VEC(a, g->chunks);
    parcel_u64(a, g->threads.n);
    for (size_t i = 0; i < g->threads.n; i++) {
        const jgrown_thread *t = &g->threads.p[i];
        const uint64_t numbers[] = {t->id, t->row, t->all, t->samples, t->records, t->weights, t->no_path, t->last_ns, t->last_tick};
        parcel_put(a, numbers, sizeof numbers);
        parcel_put(a, t->no_path_counts, sizeof t->no_path_counts);
        PARCEL_VEC(a, t->counts);
        PARCEL_VEC(a, t->others);
        PARCEL_VEC(a, t->worked);
        PARCEL_VEC(a, t->mark);
        PARCEL_VEC(a, t->leaves);
    }
}

static bool take_thread(jgrown *g, parcel *a) {
    jgrown_thread t = {0};
    uint64_t numbers[9] = {0}, marked;
    bool is_coarse;
    parcel_take(a, numbers, sizeof numbers);
    t.id = numbers[0], t.row = numbers[1], t.all = numbers[2], t.samples = numbers[3], t.records = numbers[4], t.weights = numbers[5];
    t.no_path = numbers[6], t.last_ns = numbers[7], t.last_tick = (uint32_t)numbers[8];
    parcel_take(a, t.no_path_counts, sizeof t.no_path_counts);
    PARCEL_TAKE_VEC(a, t.counts);
    PARCEL_TAKE_VEC(a, t.others);
    PARCEL_TAKE_VEC(a, t.worked);
    PARCEL_TAKE_VEC(a, t.mark);
    PARCEL_TAKE_VEC(a, t.leaves);
    bool good = !a->failed && t.row < HSC_NO_INDEX && hsc_store_read_mark(t.mark.p, t.mark.n, &t.packed, &marked, &is_coarse) && marked == t.leaves.n &&
                t.samples <= t.packed && t.packed <= t.all && HSC_PUSH(g->threads, t);
    if (!good)
        free_thread(&t);
    return good;
}

static int by_offset(const void *pa, const void *pb, void *ctx) {
    const jgrown_chunk *chunks = ctx, *a = &chunks[*(const uint32_t *)pa], *b = &chunks[*(const uint32_t *)pb];
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Of what is taken: chunks by offset, which do not overlap, each of a thread; the samples of each thread are those of its chunks. */
static bool find_order(jgrown *g) {
    uint64_t *samples = calloc(g->threads.n + 1, sizeof *samples);
    bool good = samples && HSC_RESERVE(g->order, g->chunks.n + 1);
    for (uint32_t i = 0; good && i < g->chunks.n; i++) {
        g->order.p[g->order.n++] = i;
        good = g->chunks.p[i].thread < g->threads.n && g->chunks.p[i].bytes && g->chunks.p[i].samples < UINT32_MAX;
        if (good)
            samples[g->chunks.p[i].thread] += g->chunks.p[i].samples;
    }
    if (good && g->order.n > 1)
        qsort_r(g->order.p, g->order.n, sizeof *g->order.p, by_offset, g->chunks.p);
    for (size_t i = 1; good && i < g->order.n; i++) {
        const jgrown_chunk *before = &g->chunks.p[g->order.p[i - 1]];
        good = g->chunks.p[g->order.p[i]].offset - before->offset >= before->bytes;
    }
    for (size_t i = 0; good && i < g->threads.n; i++)
        good = samples[i] == g->threads.p[i].samples;
    free(samples);
    return good;
}

jgrown *hsc_grown_take(parcel *a) {
    jgrown *g = calloc(1, sizeof *g);
    bool good = g != NULL;
    if (good) {
        g->weight = (uint32_t)parcel_take_u64(a);
        PARCEL_TAKE_VEC(a, g->blocks);
        PARCEL_TAKE_VEC(a, g->chunks);
        for (uint64_t n = parcel_take_u64(a); n && good; n--)
            good = !a->failed && take_thread(g, a);
        good = good && !a->failed && find_order(g);
    }
    a->failed = !good;
    if (good)
        return g;
    hsc_grown_free(g);
    return NULL;
}

/* ---- who is gone on with ---- */

jgrown *hsc_grown_find(join *j, const jprocess *p) {
    const jsealed *sealed = NULL;
    jgrown *g = hsc_made_find_grown(j, p->path, &sealed);
    bool any = false;
    for (size_t i = 0; g && i < g->threads.n; i++)
        g->threads.p[i].is_used = true;
    for (size_t i = 0; g && i < g->chunks.n; i++) {
        const jgrown_chunk *c = &g->chunks.p[i];
        bool same = c->offset <= UINT64_MAX - c->bytes;
        for (uint64_t b = c->offset / JGROWN_BLOCK; same && b <= (c->offset + c->bytes - 1) / JGROWN_BLOCK; b++)
            same = b < g->blocks.n && b < sealed->n_blocks && hsc_seal_equal(g->blocks.p[b], sealed->blocks[b]);
        g->threads.p[c->thread].is_used = g->threads.p[c->thread].is_used && same;
    }
    for (size_t i = 0; g && i < g->threads.n; i++)
        any = any || g->threads.p[i].is_used;
    return any ? g : NULL;
}

static uint64_t floor_of_two(uint64_t n) {
    uint64_t of = 1;
    while (of <= n / 2)
        of *= 2;
    return of;
}

/* The store looks at the same samples to choose the smallest slices. */
static bool may_go_on(const jprocess *p, const jgrown_thread *g) {
    const jthread *t = hsc_join_known_thread(p, g->id);
    return t && t->row != HSC_NO_INDEX && !t->passes && t->timed_samples >= g->packed && t->timed_samples >= HSC_OWN_SAMPLES && g->all >= HSC_OWN_SAMPLES &&
           floor_of_two(t->timed_samples) == floor_of_two(g->all);
}

void hsc_grown_choose(join *j) {
    jgrown_general now = hsc_grown_general(j);
    bool none = !hsc_made_may_go_on(j, &now);
    j->goes_on = false;
    for (size_t i = 0; i < j->run.n; i++) {
        const jprocess *p = j->run.p[i];
        for (size_t k = 0; p->grown && k < p->grown->threads.n; k++) {
            jgrown_thread *t = &p->grown->threads.p[k];
            t->is_used = t->is_used && !none && p->grown->weight == p->weight && may_go_on(p, t);
            j->goes_on = j->goes_on || t->is_used;
        }
    }
}

jgrown_general hsc_grown_general(const join *j) {
    jgrown_general g = {.origin_ns = j->origin_ns, .tick_ns = j->tick_ns, .bin = hsc_join_choose_bin(j), .threads = hsc_sample_chunk_rows(j->threads.n), .names = 3};
    g.levels = hsc_bin_levels((uint32_t)j->end_tick, g.bin);
    for (size_t i = 0; i < j->categories.n; i++)
        g.names = hsc_hash64(g.names, j->categories.p[i], strlen(j->categories.p[i]) + 1);
    return g;
}

/* ---- while a file is read ---- */

static jgrown_thread *thread_of(const jgrown *g, uint64_t id) {
    for (size_t i = 0; g && i < g->threads.n; i++)
        if (g->threads.p[i].id == id)
            return &g->threads.p[i];
    return NULL;
}

bool hsc_grown_begin(join *j, jprocess *p, jreading *r, jorder *order) {
    *r = (jreading){.p = p, .old = p->known ? p->known->grown : p->grown, .order = order, .chunk = UINT64_MAX};
    bool notes = p->known && hsc_made_notes_grown(j);
    for (size_t i = 0; notes && i < p->known->threads.n; i++)
        r->is_long = r->is_long || p->known->threads.p[i].timed_samples >= HSC_OWN_SAMPLES;
    if (p->known && !j->goes_on)
        r->old = NULL;
    if (r->is_long && !(r->made = calloc(1, sizeof *r->made)))
        return false;
    p->reading = r->old || r->made ? r : NULL;
    return true;
}

void hsc_grown_fini(jreading *r) { hsc_grown_free(r->made); }

/* The thread that is noted, made where there is none. */
static jgrown_thread *noted(jreading *r, uint64_t id) {
    jgrown_thread *t = thread_of(r->made, id);
    if (!t && HSC_PUSH(r->made->threads, (jgrown_thread){.id = id}))
        t = &r->made->threads.p[r->made->threads.n - 1];
    return t;
}

static bool note_chunk(jreading *r, const jgrown_chunk *c, uint64_t id) {
    jgrown_thread *t = noted(r, id);
    jgrown_chunk own = *c;
    if (!t)
        return false;
    own.thread = (uint32_t)(t - r->made->threads.p);
    if (!HSC_PUSH(r->made->chunks, own))
        return false;
    r->open = &r->made->chunks.p[r->made->chunks.n - 1];
    return true;
}

static const jgrown_chunk *known_chunk(jreading *r, uint64_t offset) {
    const jgrown *g = r->old;
    size_t low = r->at, high = g->order.n;
    if (low >= high || g->chunks.p[g->order.p[low]].offset != offset) {
        low = 0;
        HSC_SEARCH(low, high, g->chunks.p[g->order.p[low]].offset < offset);
    }
    r->at = low;
    const jgrown_chunk *c = low < g->order.n ? &g->chunks.p[g->order.p[low]] : NULL;
    return c && c->offset == offset && g->threads.p[c->thread].is_used ? c : NULL;
}

uint64_t hsc_grown_pass(void *reading, uint64_t at) {
    jreading *r = reading;
    for (const jgrown_chunk *c; (c = known_chunk(r, at)) && !c->is_mixed && !(r->p->known && hsc_join_blame_wants(r->p, c->stream)); at += c->bytes, r->at++) {
        const hsc_record as = {.chunk_offset = c->offset, .stream = c->stream, .sequence = c->sequence, .chunk_kind = (hsc_chunk_kind)c->kind};
        if (!hsc_join_order_take(r->order, &as)) /* it was, or has to wait */
            continue;
        uint32_t *seen = r->p->known ? NULL : hsc_table_at(&r->p->seen, c->offset, 0); /* should the second reading not pass it by */
        if (seen)
            *seen = HSC_NO_INDEX - 1;
        r->failed = r->failed || (!r->p->known && !seen);
        r->passed_chunks++;
        r->passed_samples += c->samples;
        if (r->made && !note_chunk(r, c, r->old->threads.p[c->thread].id))
            r->failed = true;
        else if (r->made)
            r->open->is_known = 1;
        r->open = NULL;
    }
    return at;
}

/* Has it samples in regions of which the file has not told yet where they were forked? */
static bool has_untold(const jprocess *p, const jwork *w) {
    uint64_t thread, node;
    bool all = true;
    for (size_t i = 0; all && i < w->worked.capacity; i++)
        all = !w->worked.slots[i].used || hsc_join_fork_id(p, w->worked.slots[i].b, &thread, &node);
    for (size_t i = 0; all && i < w->other_counts.capacity; i++)
        all = !w->other_counts.slots[i].used || !(w->other_counts.slots[i].a >> 32) || hsc_join_fork_id(p, w->other_counts.slots[i].a >> 32, &thread, &node);
    return !all;
}

/* What a thread's first samples count in, now that a chunk of its begins: without those that were known before. */
static bool note_counts(jreading *r, const jthread *t, const jprocess *p) {
    jgrown_thread *g = noted(r, t->id);
    const jwork *w = t->work;
    uint64_t pieces = 0;
    const jthread *known = hsc_join_known_thread(p->known, t->id);
    if (!g)
        return false;
    if (!known || known->timed_samples < HSC_OWN_SAMPLES)
        return true;
    pieces = known->timed_samples / HSC_TIMES_PIECE * HSC_TIMES_PIECE;
    if (w->is_odd || known->passes || t->timed_samples > pieces || pieces - t->timed_samples > NEAR_SAMPLES)
        return true;
    if (g->is_used && has_untold(p, w)) /* what was noted before is better known when the file ends */
        return true;
    size_t n = 0;
    for (size_t i = 0; i < w->counts.n; i++)
        n += w->counts.p[i] != 0;
    g->counts.n = 0;
    if (!HSC_RESERVE(g->counts, n + 1))
        return false;
    for (uint32_t i = 0; i < w->counts.n; i++)
        if (w->counts.p[i])
            g->counts.p[g->counts.n++] = (jgrown_count){i, w->counts.p[i]};
    g->others.n = g->worked.n = 0;
    for (size_t i = 0; i < w->other_counts.capacity; i++) {
        const hsc_table_slot *slot = &w->other_counts.slots[i];
        if (slot->used && !HSC_PUSH(g->others, (jgrown_other){(uint32_t)slot->a, slot->b, w->other_values.p[slot->value], 0, slot->a >> 32}))
            return false;
    }
    for (size_t i = 0; i < w->worked.capacity; i++) {
        const hsc_table_slot *slot = &w->worked.slots[i];
        if (slot->used && !HSC_PUSH(g->worked, (jgrown_other){slot->a, 0, w->worked_counts.p[slot->value], 0, slot->b}))
            return false;
    }
    g->samples = t->timed_samples;
    g->records = t->records;
    g->weights = t->samples;
    g->no_path = t->no_path;
    memcpy(g->no_path_counts, w->no_path_counts, sizeof g->no_path_counts);
    g->last_ns = p->last_ns;
    g->last_tick = w->last_tick;
    g->chunks = r->made->chunks.n;
    g->is_used = true; /* it is noted */
    return true;
}

bool hsc_grown_begin_chunk(jprocess *p, const hsc_record *first) {
    jreading *r = p->reading;
    const jgrown_chunk *old = r->old ? known_chunk(r, first->chunk_offset) : NULL;
    r->chunk = first->chunk_offset;
    r->drops = old != NULL;
    r->open = NULL;
    if (!r->made || first->chunk_kind != HSC_CHUNK_DYNAMIC || !first->stream)
        return true;
    const jthread *t = hsc_join_known_thread(p, first->stream);
    if (t && !old && !note_counts(r, t, p))
        return false;
    const jgrown_chunk c = {.offset = first->chunk_offset, .bytes = first->chunk_bytes, .stream = first->stream, .sequence = first->sequence, .kind = first->chunk_kind, .is_mixed = !first->chunk_is_sealed, .is_known = old != NULL};
    return note_chunk(r, &c, first->stream);
}

void hsc_grown_begin_thread(jprocess *p, jthread *t) {
    const jgrown_thread *g = p->reading ? thread_of(p->reading->old, t->id) : NULL;
    if (!g || !g->is_used)
        return;
    t->gone_on = g;
    t->samples = g->weights;
    t->records = g->records;
    t->timed_samples = g->samples;
    t->no_path = g->no_path;
    t->work->last_tick = g->last_tick;
    p->last_ns = g->last_ns > p->last_ns ? g->last_ns : p->last_ns;
}

static int by_where(const void *pa, const void *pb) {
    const jgrown_other *a = pa, *b = pb;
    const uint64_t x[] = {a->where, a->what, a->fork_thread, a->fork_node}, y[] = {b->where, b->what, b->fork_thread, b->fork_node};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Each once, with the place where its region was forked in place of the region's number, where that is told by now. */
static void place_others(const jprocess *p, jgrown_others *list) {
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        if (!list->p[i].fork_thread && list->p[i].fork_node)
            hsc_join_fork_id(p, list->p[i].fork_node, &list->p[i].fork_thread, &list->p[i].fork_node);
    if (list->n > 1)
        qsort(list->p, list->n, sizeof *list->p, by_where);
    for (size_t i = 0; i < list->n; i++)
        if (n && !by_where(&list->p[n - 1], &list->p[i]))
            list->p[n - 1].value = list->p[i].value > UINT64_MAX - list->p[n - 1].value ? UINT64_MAX : list->p[n - 1].value + list->p[i].value;
        else
            list->p[n++] = list->p[i];
    list->n = n;
}

/* Adds what was known to the noted counts of a thread; where none was noted it stays as it was. */
static bool add_known(jgrown_thread *g, const jgrown_thread *old) {
    if (!g->is_used) {
        g->counts.n = g->others.n = g->worked.n = 0;
        g->samples = old->samples;
        g->records = old->records;
        g->weights = old->weights;
        g->no_path = old->no_path;
        g->last_ns = old->last_ns;
        g->last_tick = old->last_tick;
        memset(g->no_path_counts, 0, sizeof g->no_path_counts);
        g->chunks = SIZE_MAX; /* of those that were known */
        g->is_used = true;
    }
    for (unsigned s = 0; s < STATES; s++)
        g->no_path_counts[s] += old->no_path_counts[s];
    for (size_t i = 0; i < old->others.n; i++)
        if (!HSC_PUSH(g->others, old->others.p[i]))
            return false;
    for (size_t i = 0; i < old->worked.n; i++)
        if (!HSC_PUSH(g->worked, old->worked.p[i]))
            return false;
    size_t n = g->counts.n, m = old->counts.n;
    if (!HSC_RESERVE(g->counts, n + m + 1))
        return false;
    jgrown_count *to = g->counts.p + n + m; /* both rise: from the end */
    g->counts.n = n + m;
    while (m)
        *--to = n && g->counts.p[n - 1].key > old->counts.p[m - 1].key ? g->counts.p[--n] : old->counts.p[--m];
    size_t out = 0;
    for (size_t i = 0; i < g->counts.n; i++)
        if (out && g->counts.p[out - 1].key == g->counts.p[i].key)
            g->counts.p[out - 1].count += g->counts.p[i].count;
        else
            g->counts.p[out++] = g->counts.p[i];
    g->counts.n = out;
    return true;
}

/* Chunks that are behind a thread's counts go, and threads without; `marked`: also those without a mark. */
static void cut(jgrown *g, bool marked) {
    uint32_t *rows = malloc((g->threads.n + 1) * sizeof *rows);
    size_t n = 0, threads = 0;
    for (size_t i = 0; rows && i < g->threads.n; i++) {
        jgrown_thread *t = &g->threads.p[i];
        bool stays = t->is_used && t->samples && (!marked || (t->mark.n && t->samples <= t->packed));
        rows[i] = stays ? (uint32_t)threads : HSC_NO_INDEX;
        if (!stays)
            free_thread(t);
        else
            g->threads.p[threads++] = *t;
    }
    for (size_t i = 0; rows && i < g->chunks.n; i++) {
        jgrown_chunk c = g->chunks.p[i];
        uint32_t row = rows[c.thread];
        if (row == HSC_NO_INDEX || (!marked && (g->threads.p[row].chunks == SIZE_MAX ? !c.is_known : i >= g->threads.p[row].chunks)))
            continue;
        c.thread = row;
        c.is_known = 0;
        g->chunks.p[n++] = c;
    }
    g->threads.n = rows ? threads : 0;
    g->chunks.n = rows ? n : 0;
    free(rows);
}

bool hsc_grown_carry(jprocess *p, const jthread *t) {
    const jgrown_thread *old = t->gone_on;
    jgrown_thread *g = old ? thread_of(p->grows, t->id) : NULL;
    if (!g)
        return true;
    bool ok = HSC_RESERVE(g->mark, old->mark.n + 1) && HSC_RESERVE(g->leaves, old->leaves.n + 1);
    for (size_t i = 0; ok && i < old->mark.n; i++)
        g->mark.p[g->mark.n++] = old->mark.p[i];
    for (size_t i = 0; ok && i < old->leaves.n; i++)
        g->leaves.p[g->leaves.n++] = old->leaves.p[i];
    g->packed = old->packed;
    g->row = t->row;
    g->all = old->all;
    return ok;
}

bool hsc_grown_settle(jgrown *g) {
    cut(g, true);
    return g->threads.n != 0;
}

/* Number of the region that samples were in, for those of all that were forked there; HSC_NO_INDEX: no memory, or it is told by now where it was forked. */
static uint32_t region_of(jprocess *p, const jgrown_other *o) {
    uint64_t thread, node;
    if (!o->fork_node)
        return 0;
    if (!o->fork_thread)
        return hsc_join_fork_id(p, o->fork_node, &thread, &node) ? HSC_NO_INDEX : (uint32_t)o->fork_node;
    return hsc_join_known_thread(p, o->fork_thread) ? hsc_join_region_at(p, o->fork_thread, o->fork_node) : HSC_NO_INDEX;
}

static bool add_other(jprocess *p, jthread *t, const jgrown_other *o) {
    uint64_t event = o->what >> 8;
    uint32_t region = region_of(p, o), row = (uint32_t)o->where;
    if (region == HSC_NO_INDEX || (row != HSC_NO_INDEX && row >= t->work->nodes.n))
        return false;
    if (p->known && event && event < JOIN_EVENTS_MAX && hsc_join_special(t->work, row, o->what & (STATES - 1), event, region) == HSC_NO_INDEX)
        return false;
    return hsc_join_add_value(t, (uint64_t)region << 32 | row, o->what, o->value);
}

static bool add_worked(jprocess *p, jthread *t, const jgrown_other *o) {
    uint32_t region = region_of(p, o);
    return region && region != HSC_NO_INDEX && o->where < t->work->counts.n &&
           hsc_join_special(t->work, (uint32_t)(o->where / STATES), o->where % STATES, 0, region) != HSC_NO_INDEX && hsc_join_take_worked(t, o->where, region, o->value);
}

bool hsc_grown_end(jprocess *p) {
    jreading *r = p->reading;
    bool ok = !r || !r->failed;
    if (!r)
        return true;
    for (size_t i = 0; ok && i < p->threads.n; i++) {
        jthread *t = &p->threads.p[i];
        const jgrown_thread *g = t->gone_on;
        jgrown_thread *made = r->made ? thread_of(r->made, t->id) : NULL;
        if (g && r->made)
            ok = (made = noted(r, t->id)) && add_known(made, g);
        if (made) {
            place_others(p, &made->others);
            place_others(p, &made->worked);
        }
        for (size_t k = 0; g && ok && k < g->others.n; k++)
            ok = add_other(p, t, &g->others.p[k]);
        for (size_t k = 0; g && ok && k < g->worked.n; k++)
            ok = p->known ? add_worked(p, t, &g->worked.p[k]) : region_of(p, &g->worked.p[k]) != HSC_NO_INDEX;
        if (!g || !p->known)
            continue;
        for (size_t k = 0; ok && k < g->counts.n; k++) {
            ok = g->counts.p[k].key < t->work->counts.n;
            if (ok)
                t->work->counts.p[g->counts.p[k].key] += g->counts.p[k].count;
        }
        for (unsigned s = 0; s < STATES; s++)
            t->work->no_path_counts[s] += g->no_path_counts[s];
    }
    if (r->made)
        cut(r->made, false);
    return ok;
}

/* ---- names of rows ---- */

struct jnames {
    uint64_t *scopes, *contexts, *instances;
};

static uint64_t mix(uint64_t hash, uint64_t v) {
    hash = (hash ^ v) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text) { return mix(hash, text ? hsc_hash64(5, text, strlen(text)) : 7); }

static uint64_t name_of(const uint64_t *names, size_t n, uint32_t row) { return row < n ? names[row] : 11; }

static uint64_t name_of_file(const join *j, uint32_t file) { return file < j->files.n ? mix_text(1, j->files.p[file].path) : 13; }

static uint64_t name_of_line(const join *j, uint32_t line) { return line < j->lines.n ? mix(name_of_file(j, j->lines.p[line].file), j->lines.p[line].line) : 17; }

static uint64_t name_of_module(const join *j, uint32_t module) {
    if (module >= j->modules.n)
        return 19;
    const jmodule *m = &j->modules.p[module];
    return mix(mix_text(2, m->path), hsc_hash64(3, m->build_id, m->build_id_size));
}

static uint64_t name_of_scope(const join *j, const uint64_t *names, size_t row) {
    const jscope *s = &j->scopes.p[row];
    const uint64_t words[] = {s->tag, s->kind, (uint64_t)s->line_begin << 32 | s->line_end, (uint64_t)s->column << 32 | s->depth, name_of_module(j, s->module), name_of_file(j, s->file)};
    uint64_t name = mix_text(mix_text(name_of(names, row, s->parent), s->name), s->linkage);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        name = mix(name, words[i]);
    return name;
}

static uint64_t name_of_instance(const join *j, const jnames *n, size_t row) {
    const jinstance *x = &j->instances.p[row];
    const uint64_t words[] = {name_of(n->scopes, j->scopes.n, x->scope), name_of(n->scopes, j->scopes.n, x->function), (uint64_t)x->version << 32 | x->vector_width,
                              (uint64_t)x->interleave << 32 | x->unroll, x->vector_bytes};
    uint64_t name = name_of(n->instances, row, x->parent);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        name = mix(name, words[i]);
    return name;
}

void hsc_grown_names_free(jnames *n) {
    if (n) {
        free(n->scopes);
        free(n->contexts);
        free(n->instances);
    }
    free(n);
}

jnames *hsc_grown_names(const join *j) {
    jnames *n = calloc(1, sizeof *n);
    bool good = n && (n->scopes = malloc((j->scopes.n + 1) * sizeof *n->scopes)) && (n->contexts = malloc((j->contexts.n + 1) * sizeof *n->contexts)) &&
                (n->instances = malloc((j->instances.n + 1) * sizeof *n->instances));
    for (size_t i = 0; good && i < j->scopes.n; i++) /* parents stand before their children */
        n->scopes[i] = name_of_scope(j, n->scopes, i);
    for (size_t i = 0; good && i < j->instances.n; i++)
        n->instances[i] = name_of_instance(j, n, i);
    for (size_t i = 0; good && i < j->contexts.n; i++) {
        const jcontext *c = &j->contexts.p[i];
        n->contexts[i] = mix(mix(mix(i ? name_of(n->contexts, i, c->parent) : 23, name_of(n->scopes, j->scopes.n, c->scope)), name_of_line(j, c->call_line)),
                             (uint64_t)c->kind << 8 | j->context_categories.p[i]);
    }
    if (!good) {
        hsc_grown_names_free(n);
        return NULL;
    }
    return n;
}

uint64_t hsc_grown_name(const join *j, const jnames *n, const jsame_leaf *l) {
    uint64_t address = 0;
    uint32_t module = hsc_join_find_instruction(j, l->instruction, &address);
    const jmetric *m = l->metric < j->metrics.n ? &j->metrics.p[l->metric] : NULL;
    uint64_t name = name_of(n->contexts, j->contexts.n, l->context), scale = 0;
    if (m)
        memcpy(&scale, &m->scale, sizeof scale);
    const uint64_t words[] = {name_of_line(j, l->line), name_of(n->instances, j->instances.n, l->instance), l->metric, mix_text(scale, m ? m->name : NULL), l->category,
                              name_of_module(j, module), address};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        name = mix(name, words[i]);
    return name;
}
