/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a second reading leaves of a process, before it is counted: of its threads only the nodes at which something is. */
#include <stdlib.h>
#include <string.h>

#include "blame.h"
#include "cache.h"
#include "details.h"
#include "ranks.h"

enum { BLOCK = 1024 }; /* items of a list at a time */

/* ---- small numbers ---- */

static void put(parcel *a, uint64_t v) {
    uint8_t bytes[10];
    size_t n = 0;
    for (; v > 127; v >>= 7)
        bytes[n++] = (uint8_t)(v | 128);
    bytes[n++] = (uint8_t)v;
    parcel_put(a, bytes, n);
}

static uint64_t take(parcel *a) {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && a->at < a->n; shift += 7) {
        uint8_t byte = a->p[a->at++];
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return v;
    }
    a->failed = true;
    return 0;
}

/* What is near the value before: the difference, its sign in the lowest bit. */
static void put_near(parcel *a, uint64_t v, uint64_t *last) {
    uint64_t step = v - *last;
    put(a, step << 1 ^ -(step >> 63));
    *last = v;
}

static uint64_t take_near(parcel *a, uint64_t *last) {
    uint64_t step = take(a);
    return *last += step >> 1 ^ -(step & 1);
}

/* A number of items that take a byte each at least. */
static uint64_t take_count(parcel *a) {
    uint64_t n = take(a);
    a->failed = a->failed || n > a->n - a->at;
    return a->failed ? 0 : n;
}

/* ---- nodes with something at them ---- */

typedef struct rows { /* of a thread: row in the cache + 1 by row of a node; 0: left out */
    uint32_t *of;
    size_t n;
    bool are_all; /* none is left out */
} rows;

static void use(const rows *r, uint32_t row) {
    if (row < r->n)
        r->of[row] = 1;
}

/* HSC_NO_INDEX and what is none become one more than the last. */
static uint64_t row_of(const rows *r, uint32_t row) { return row < r->n ? r->of[row] : 0; }
static uint32_t row_from(uint64_t v) { return v ? (uint32_t)(v - 1) : HSC_NO_INDEX; }

static hsc_status each_item(join *j, const hsc_spill_list *l, uint32_t size, void (*visit)(void *ctx, const void *item), void *ctx) {
    hsc_spill_cursor c = {.list = l};
    uint64_t got = l->count;
    uint8_t *items = got ? malloc((size_t)BLOCK * size) : NULL;
    hsc_err unused;
    hsc_status status = got && !items ? HSC_E_MEMORY : HSC_OK;
    while (status == HSC_OK && got) {
        status = hsc_spill_read(j->spill, &c, items, BLOCK, &got, &unused);
        for (uint64_t i = 0; status == HSC_OK && i < got; i++)
            visit(ctx, items + i * size);
    }
    free(items);
    return status;
}

static void use_event(void *ctx, const void *item) {
    use(ctx, ((const jmessage_event *)item)->frame);
    use(ctx, ((const jmessage_event *)item)->begun);
}

/* ---- a thread ---- */

typedef struct putting {
    parcel *a;
    const rows *r;
    uint64_t last, sequence;
} putting;

static void put_event(void *ctx, const void *item) {
    putting *x = ctx;
    const jmessage_event *e = item;
    put_near(x->a, e->time, &x->last);
    put_near(x->a, e->sequence, &x->sequence);
    const uint64_t rest[] = {e->duration, e->begin, e->outside, e->bytes, (uint32_t)e->peer + 1u, (uint32_t)e->tag + 1u, e->communicator, e->operation, e->flags,
                             row_of(x->r, e->frame), e->stands_for, row_of(x->r, e->begun), e->between};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        put(x->a, rest[i]);
}

static void use_moment(void *ctx, const void *item) { use(ctx, ((const jmoment *)item)->frame); }

static void put_moment(void *ctx, const void *item) {
    putting *x = ctx;
    const jmoment *m = item;
    put_near(x->a, m->time, &x->last);
    put(x->a, m->length);
    put(x->a, row_of(x->r, m->frame) << 1 | (m->is_interval != 0));
    put(x->a, m->kind);
    parcel_put(x->a, &m->stands_for, sizeof m->stands_for);
}

static const jtrack *track_of(const jprocess *p, uint64_t thread) {
    for (size_t i = 0; p->blame && i < p->blame->tracks.n; i++)
        if (p->blame->tracks.p[i].thread == thread)
            return &p->blame->tracks.p[i];
    return NULL;
}

static bool has_ids(const jprocess *p) {
    bool has = p->sites.n;
    for (size_t k = 0; !has && k < p->threads.n; k++)
        has = p->threads.p[k].work->forks.n;
    return has;
}

#define FEW 8 /* where no more than one row in so many has nothing, none is left out: the samples by time stay as they are */

/* The rows of nodes at which something is (samples by time too: they are counted); r->of: to be freed. */
static hsc_status find_rows(join *j, const jprocess *p, const jthread *t, rows *r) {
    const jwork *w = t->work;
    const jtrack *track = track_of(p, t->id);
    *r = (rows){.of = calloc(w->nodes.n + 1, sizeof *r->of), .n = w->nodes.n};
    if (!r->of)
        return HSC_E_MEMORY;
    for (size_t i = 0; i < w->counts.n; i++)
        if (w->counts.p[i])
            r->of[i / STATES] = 1;
    for (size_t i = 0; i < w->other_counts.capacity; i++)
        if (w->other_counts.slots[i].used)
            use(r, (uint32_t)w->other_counts.slots[i].a);
    for (size_t i = 0; i < w->worked.capacity; i++)
        if (w->worked.slots[i].used)
            use(r, (uint32_t)(w->worked.slots[i].a / STATES));
    for (size_t i = 0; i < w->specials.n; i++)
        use(r, w->specials.p[i].row);
    for (size_t i = 0; i < w->forks.n; i++)
        use(r, hsc_join_node_row(t, w->forks.p[i].node));
    for (size_t i = 0; i < p->sites.n; i++)
        if (p->sites.p[i].thread == t->id)
            use(r, hsc_join_node_row(t, p->sites.p[i].node));
    hsc_status status = HSC_OK;
    if (track)
        status = each_item(j, &track->events, sizeof(jmessage_event), use_event, r);
    if (status == HSC_OK && track)
        status = each_item(j, &track->moments, sizeof(jmoment), use_moment, r);
    uint32_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += r->of[i];
    bool all = r->n - n <= r->n / FEW;
    n = 0;
    for (size_t i = 0; i < r->n; i++)
        r->of[i] = r->of[i] || all ? ++n : 0;
    r->are_all = all;
    return status;
}

static void put_nodes(const jwork *w, const rows *r, bool ids, parcel *a) {
    uint64_t n = 0, last = 0, last_id = 0;
    for (size_t i = 0; i < r->n; i++)
        n += r->of[i] != 0;
    put(a, n);
    for (size_t i = 0; i < r->n; i++) {
        if (!r->of[i])
            continue;
        uint64_t states = 0;
        put_near(a, w->nodes.p[i].frame, &last);
        if (ids)
            put(a, w->nodes.p[i].id - last_id);
        last_id = w->nodes.p[i].id;
        for (unsigned s = 0; s < STATES; s++)
            states |= (uint64_t)(w->counts.p[i * STATES + s] != 0) << s;
        put(a, states);
        for (unsigned s = 0; s < STATES; s++)
            if (states >> s & 1)
                put(a, w->counts.p[i * STATES + s]);
    }
    for (unsigned s = 0; s < STATES; s++)
        put(a, w->no_path_counts[s]);
}

static void take_nodes(jwork *w, bool ids, const uint32_t *frames, size_t count, parcel *a) {
    uint64_t n = take_count(a), last = 0, id = 0;
    a->failed = a->failed || !HSC_RESERVE(w->nodes, n + 1) || !HSC_RESERVE(w->counts, (n + 1) * STATES);
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        take_near(a, &last);
        if (ids)
            id += take(a);
        a->failed = a->failed || last >= count || frames[last] == HSC_NO_INDEX;
        if (a->failed)
            return;
        w->nodes.p[i] = (jnode){.id = id, .parent = HSC_NO_INDEX, .mapping = HSC_NO_INDEX, .frame = frames[last]};
        uint32_t *at = ids && id != i + 1 ? hsc_table_at(&w->node_rows, id, 0) : NULL;
        a->failed = ids && id != i + 1 && !at;
        if (at)
            *at = (uint32_t)i;
        uint64_t states = take(a);
        for (unsigned s = 0; s < STATES; s++)
            w->counts.p[i * STATES + s] = states >> s & 1 ? (uint32_t)take(a) : 0;
    }
    w->nodes.n = a->failed ? 0 : n;
    w->counts.n = w->nodes.n * STATES;
    for (unsigned s = 0; s < STATES; s++)
        w->no_path_counts[s] = (uint32_t)take(a);
}

static void put_thread(join *j, const jprocess *read, const jthread *t, bool ids, parcel *a, parcel *instants) {
    const jwork *w = t->work;
    const jtrack *track = track_of(read, t->id);
    rows r;
    a->failed = find_rows(j, read, t, &r) != HSC_OK || a->failed;
    if (a->failed) {
        free(r.of);
        return;
    }
    put_nodes(w, &r, ids, a);
    put(a, w->other_counts.count);
    for (size_t i = 0; i < w->other_counts.capacity; i++) {
        const hsc_table_slot *slot = &w->other_counts.slots[i];
        if (!slot->used)
            continue;
        put(a, slot->a >> 32);
        put(a, row_of(&r, (uint32_t)slot->a));
        put(a, slot->b);
        put(a, w->other_values.p[slot->value]);
    }
    put(a, w->worked.count);
    for (size_t i = 0; i < w->worked.capacity; i++) {
        const hsc_table_slot *slot = &w->worked.slots[i];
        if (!slot->used)
            continue;
        put(a, row_of(&r, (uint32_t)(slot->a / STATES)));
        put(a, slot->a % STATES);
        put(a, slot->b);
        put(a, w->worked_counts.p[slot->value]);
    }
    PARCEL_VEC(a, w->event_times);
    PARCEL_VEC(a, w->forks);
    /* by rows: a key of special_rows tells what is not in the row */
    uint64_t *what = calloc(w->specials.n + 1, sizeof *what);
    a->failed = a->failed || !what;
    for (size_t i = 0; what && i < w->special_rows.capacity; i++)
        if (w->special_rows.slots[i].used)
            what[w->special_rows.slots[i].value] = w->special_rows.slots[i].b;
    put(a, w->specials.n);
    for (size_t i = 0; what && i < w->specials.n; i++) {
        put(a, row_of(&r, w->specials.p[i].row));
        put(a, (uint64_t)w->specials.p[i].state << 1 | w->specials.p[i].is_event);
        put(a, what[i]);
    }
    free(what);
    size_t before = instants->n;
    bool ok = !t->late && hsc_instants_save(j->spill, &t->instants, r.are_all ? NULL : r.of, r.n, STATES, instants) && !instants->failed;
    hsc_seal seal = hsc_cache_seal_instants(j, ok && instants->n ? instants->p + before : NULL, ok ? instants->n - before : 0);
    put(a, t->instants.count);
    put(a, instants->n - before);
    parcel_put(a, &seal, sizeof seal);
    putting x = {.a = a, .r = &r};
    put(a, track ? track->events.count : 0);
    ok = ok && (!track || each_item(j, &track->events, sizeof(jmessage_event), put_event, &x) == HSC_OK);
    x.last = 0;
    put(a, track ? track->moments.count : 0);
    ok = ok && (!track || each_item(j, &track->moments, sizeof(jmoment), put_moment, &x) == HSC_OK);
    a->failed = a->failed || !ok;
    free(r.of);
}

static void take_others(jwork *w, parcel *a) {
    uint64_t n = take_count(a);
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        uint64_t region = take(a), row = row_from(take(a)), what = take(a), value = take(a);
        uint32_t *at = hsc_table_at(&w->other_counts, region << 32 | row, what);
        if (at)
            *at = (uint32_t)w->other_values.n;
        a->failed = a->failed || !at || (row != HSC_NO_INDEX && row >= w->nodes.n) || !HSC_PUSH(w->other_values, value);
    }
    n = take_count(a);
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        uint64_t row = row_from(take(a)), state = take(a), region = take(a), value = take(a);
        uint32_t *at = hsc_table_at(&w->worked, row * STATES + state, region);
        if (at)
            *at = (uint32_t)w->worked_counts.n;
        a->failed = a->failed || !at || row >= w->nodes.n || !HSC_PUSH(w->worked_counts, (uint32_t)value);
    }
}

static void take_times(const join *j, jthread *t, uint64_t *offset, parcel *a) {
    jwork *w = t->work;
    uint64_t n = take_count(a);
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        uint64_t row = take(a), flags = take(a), what = take(a);
        jspecial s = {row_from(row), HSC_NO_INDEX, (uint8_t)(flags >> 1), flags & 1};
        uint32_t *at = hsc_table_at(&w->special_rows, hsc_join_special_key(s.row, s.state), what);
        if (at)
            *at = (uint32_t)i;
        a->failed = a->failed || !at || (row && s.row >= w->nodes.n) || flags >> 1 >= STATES || !HSC_PUSH(w->specials, s);
    }
    jlate late = {.offset = *offset, .nodes = w->nodes.n, .specials = w->specials.n};
    n = take(a);
    late.size = take(a);
    parcel_take(a, &late.seal, sizeof late.seal);
    a->failed = a->failed || n > late.size / 2 || late.size > UINT64_MAX / 2 - *offset;
    *offset += a->failed ? 0 : late.size;
    if (a->failed || !n || j->options->no_times)
        return;
    if ((t->late = malloc(sizeof *t->late)))
        *t->late = late;
    t->instants.count = n;
    a->failed = !t->late;
}

bool hsc_cache_take_instants(join *j, jthread *t, parcel *a) {
    jinstants made = {0};
    bool ok = !a->failed && hsc_instants_load(j->spill, &made, a->p, a->n, t->instants.count, t->late->nodes * STATES, t->late->specials);
    if (ok)
        t->instants = made;
    else
        hsc_instants_fini(&made);
    return ok;
}

static void take_events(join *j, jtrack *track, size_t nodes, parcel *a) {
    uint64_t n = take_count(a), time = 0, sequence = 0;
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        jmessage_event e = {.time = take_near(a, &time)};
        e.sequence = take_near(a, &sequence);
        e.duration = take(a);
        e.begin = take(a);
        e.outside = take(a);
        e.bytes = take(a);
        e.peer = (int32_t)((uint32_t)take(a) - 1u);
        e.tag = (int32_t)((uint32_t)take(a) - 1u);
        e.communicator = (uint32_t)take(a);
        e.operation = (uint32_t)take(a);
        e.flags = (uint32_t)take(a);
        e.frame = row_from(take(a));
        e.stands_for = (uint32_t)take(a);
        e.begun = row_from(take(a));
        e.between = take(a);
        a->failed = a->failed || !track || (e.frame != HSC_NO_INDEX && e.frame >= nodes) || (e.begun != HSC_NO_INDEX && e.begun >= nodes) || !hsc_spill_put(j->spill, &track->events, &e, sizeof e);
    }
}

static void take_moments(join *j, jtrack *track, size_t nodes, parcel *a) {
    uint64_t n = take_count(a), time = 0;
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        jmoment m = {.time = take_near(a, &time)};
        m.length = take(a);
        uint64_t row = take(a);
        m.frame = row_from(row >> 1);
        m.is_interval = row & 1;
        m.kind = (uint8_t)take(a);
        parcel_take(a, &m.stands_for, sizeof m.stands_for);
        a->failed = a->failed || !track || (m.frame != HSC_NO_INDEX && m.frame >= nodes) || !hsc_spill_put(j->spill, &track->moments, &m, sizeof m);
    }
}

static void take_thread(join *j, jprocess *read, jthread *t, bool ids, const uint32_t *frames, size_t count, uint64_t *offset, parcel *a) {
    jtrack *track = (jtrack *)(uintptr_t)track_of(read, t->id);
    take_nodes(t->work, ids, frames, count, a);
    take_others(t->work, a);
    PARCEL_TAKE_VEC(a, t->work->event_times);
    PARCEL_TAKE_VEC(a, t->work->forks);
    for (uint32_t i = 0; i < t->work->forks.n && !a->failed; i++) {
        uint32_t *at = hsc_table_at(&t->work->fork_rows, t->work->forks.p[i].node, 0);
        a->failed = !at;
        if (at)
            *at = i;
    }
    take_times(j, t, offset, a);
    take_events(j, track, t->work->nodes.n, a);
    take_moments(j, track, t->work->nodes.n, a);
}

/* ---- the process ---- */

static void put_held(void *ctx, const void *item) {
    const jheld *h = item;
    const uint64_t all[] = {h->time, h->length, h->stands_for, h->site, h->holder == HSC_NO_INDEX ? 0 : (uint64_t)h->holder + 1, h->kind, h->threads, h->region, h->master, h->after, h->in_step};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        put(ctx, all[i]);
}

static void take_held(join *j, jprocess *read, parcel *a) {
    uint64_t n = take_count(a);
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        jheld h = {.time = take(a)};
        h.length = take(a);
        h.stands_for = take(a);
        uint64_t site = take(a), holder = take(a);
        h.site = (uint32_t)site;
        h.holder = (uint32_t)(holder - 1);
        h.kind = (uint32_t)take(a);
        h.threads = (uint32_t)take(a);
        h.region = take(a);
        h.master = take(a);
        h.after = take(a);
        h.in_step = take(a);
        a->failed = a->failed || !read->blame || site >= read->sites.n || holder > read->sites.n ||
                    !hsc_spill_put(j->spill, &read->blame->held, &h, sizeof h);
    }
}

static void put_spans(const jprocess *read, parcel *a) {
    uint64_t begin = 0;
    put(a, read->open_spans.n);
    for (size_t i = 0; i < read->open_spans.n; i++) {
        const jopen_span *o = &read->open_spans.p[i];
        const uint64_t rest[] = {(uint64_t)o->span.what << 16 | (uint64_t)o->span.category << 8 | o->span.kind, o->span.length_ns, o->span.bytes,
                                 o->stream, o->node, o->operation};
        put_near(a, o->span.begin_ns, &begin);
        for (size_t k = 0; k < sizeof rest / sizeof *rest; k++)
            put(a, rest[k]);
    }
}

static void take_spans(jprocess *read, parcel *a) {
    uint64_t n = take_count(a), begin = 0;
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        jopen_span o = {.span.begin_ns = take_near(a, &begin)};
        uint64_t what = take(a);
        o.span.what = (uint8_t)(what >> 16);
        o.span.category = (uint8_t)(what >> 8);
        o.span.kind = (uint8_t)what;
        o.span.length_ns = take(a);
        o.span.bytes = take(a);
        o.stream = take(a);
        o.node = take(a);
        o.operation = take(a);
        a->failed = a->failed || (!read->join->options->no_times && !HSC_PUSH(read->open_spans, o));
    }
}

static void put_byte(void *ctx, const void *item) { parcel_put(ctx, item, 1); }

static void put_slices(join *j, const jprocess *read, parcel *a) {
    put(a, read->slices.count);
    a->failed = a->failed || each_item(j, &read->slices, 1, put_byte, a) != HSC_OK;
}

static void take_slices(join *j, jprocess *read, parcel *a) {
    uint64_t n = take_count(a);
    a->failed = a->failed || (n && !j->options->no_times && !hsc_spill_put_all(j->spill, &read->slices, a->p + a->at, n, 1));
    a->at += a->failed ? 0 : n;
}

void hsc_cache_put_body(join *j, const jprocess *read, parcel *a, parcel *instants) {
    bool ids = has_ids(read);
    PARCEL_VEC(a, read->regions);
    put(a, read->region_rows.count);
    for (size_t i = 0; i < read->region_rows.capacity; i++)
        if (read->region_rows.slots[i].used) {
            put(a, read->region_rows.slots[i].a);
            put(a, read->region_rows.slots[i].value);
        }
    PARCEL_VEC(a, read->sites);
    PARCEL_VEC(a, read->site_order);
    PARCEL_VEC(a, read->operations);
    for (size_t i = 0; i < read->operations.n; i++)
        parcel_text(a, read->operations.p[i].name);
    put_spans(read, a);
    put_slices(j, read, a);
    hsc_join_put_details(read, a);
    hsc_ranks_put_blame(read, a);
    put(a, read->blame ? read->blame->held.count : 0);
    if (read->blame)
        a->failed = each_item(j, &read->blame->held, sizeof(jheld), put_held, a) != HSC_OK || a->failed;
    put(a, ids);
    for (size_t k = 0; k < read->threads.n && !a->failed; k++)
        put_thread(j, read, &read->threads.p[k], ids, a, instants);
}

void hsc_cache_take_body(join *j, const jprocess *p, jprocess *read, const uint32_t *frames, size_t count, parcel *a) {
    PARCEL_TAKE_VEC(a, read->regions);
    uint64_t n = take_count(a);
    for (uint64_t i = 0; i < n && !a->failed; i++) {
        uint64_t id = take(a), row = take(a);
        uint32_t *at = hsc_table_at(&read->region_rows, id, 0);
        a->failed = a->failed || !at || row >= read->regions.n;
        if (at)
            *at = (uint32_t)row;
    }
    PARCEL_TAKE_VEC(a, read->sites);
    PARCEL_TAKE_VEC(a, read->site_order);
    PARCEL_TAKE_VEC(a, read->operations);
    for (size_t i = 0; i < read->operations.n; i++)
        read->operations.p[i].name = parcel_take_text(a, &read->pool);
    take_spans(read, a);
    take_slices(j, read, a);
    for (uint32_t i = 0; read->open_spans.n && i < read->sites.n && !a->failed; i++) {
        uint32_t *at = hsc_table_at(&read->site_rows, read->sites.p[i].thread, hsc_join_site_key(read->sites.p[i].node, read->sites.p[i].region));
        a->failed = !at;
        if (at)
            *at = i;
    }
    hsc_join_take_details(read, a);
    hsc_ranks_take_blame(read, a);
    take_held(j, read, a);
    bool ids = take(a);
    uint64_t offset = 0;
    for (size_t k = 0; k < p->threads.n && !a->failed; k++) {
        jthread t = p->threads.p[k];
        t.profile = t.places = t.instant_kinds = (hsc_spill_list){0};
        t.instants = (jinstants){0};
        t.kind_pairs = (hsc_spill_list){0};
        t.late = NULL;
        t.work = calloc(1, sizeof *t.work);
        if (!t.work || !HSC_PUSH(read->threads, t)) {
            free(t.work);
            a->failed = true;
            return;
        }
        take_thread(j, read, &read->threads.p[k], ids, frames, count, &offset, a);
    }
    a->failed = a->failed || a->at != a->n;
}
