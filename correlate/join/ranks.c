/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Between ranks; the files, what is kept of processes, and the tables after the first reading. */
#include "ranks.h"

#include "cache.h"

#include <stdlib.h>
#include <string.h>

#define PART_BYTES ((size_t)4 << 20) /* of what goes in parts */

/* ---- parcels ---- */

hsc_status hsc_ranks_taken(const parcel *a, hsc_err *err) { return a->failed ? hsc_join_no_memory(err) : HSC_OK; }

hsc_status hsc_ranks_send(const join *j, unsigned to, parcel *a, hsc_err *err) {
    return a->failed ? hsc_join_no_memory(err) : j->team->send(j->team->ctx, to, a->p, a->n, err);
}

hsc_status hsc_ranks_receive(const join *j, unsigned from, parcel *a, hsc_err *err) {
    void *bytes = NULL;
    size_t n = 0;
    hsc_status status = j->team->receive(j->team->ctx, from, &bytes, &n, err);
    if (status == HSC_OK)
        *a = (parcel){.p = bytes, .n = n, .cap = n};
    return status;
}

hsc_status hsc_ranks_share(const join *j, unsigned from, parcel *a, hsc_err *err) {
    unsigned size = j->team->size, me = (j->team->rank + size - from) % size, bit = 1;
    hsc_status status = HSC_OK;
    while (bit < size && !(me & bit))
        bit <<= 1;
    if (me) {
        parcel_fini(a);
        status = hsc_ranks_receive(j, (me - bit + from) % size, a, err);
    }
    for (bit >>= 1; status == HSC_OK && bit; bit >>= 1)
        if (me + bit < size)
            status = hsc_ranks_send(j, (me + bit + from) % size, a, err);
    return status;
}

hsc_status hsc_ranks_merge_all(const join *j, const hsc_ranks_merge *how, void *ctx, hsc_err *err) {
    hsc_status status = HSC_OK;
    unsigned rank = j->team->rank, size = j->team->size;
    parcel a = {0};
    for (unsigned step = 1; status == HSC_OK && step < size; step *= 2) {
        if (rank & step) {
            how->put(ctx, &a);
            status = hsc_ranks_send(j, rank - step, &a, err);
            parcel_fini(&a);
            break;
        }
        if (rank + step >= size)
            continue;
        status = hsc_ranks_receive(j, rank + step, &a, err);
        if (status == HSC_OK) {
            how->take(ctx, &a);
            status = hsc_ranks_taken(&a, err);
        }
        parcel_fini(&a);
    }
    if (status == HSC_OK && !rank)
        how->put(ctx, &a);
    if (status == HSC_OK)
        status = hsc_ranks_share(j, 0, &a, err);
    if (status == HSC_OK && rank) {
        how->clear(ctx);
        how->take(ctx, &a);
        status = hsc_ranks_taken(&a, err);
    }
    parcel_fini(&a);
    return status;
}

typedef struct sums {
    uint64_t *p;
    size_t n;
} sums;

static void put_sums(void *ctx, parcel *a) {
    const sums *s = ctx;
    parcel_put(a, s->p, s->n * sizeof *s->p);
}

static void take_sums(void *ctx, parcel *a) {
    const sums *s = ctx;
    for (size_t i = 0; i < s->n; i++)
        s->p[i] += parcel_take_u64(a);
}

static void clear_sums(void *ctx) {
    const sums *s = ctx;
    memset(s->p, 0, s->n * sizeof *s->p);
}

hsc_status hsc_ranks_add_up(const join *j, uint64_t *values, size_t n, hsc_err *err) {
    static const hsc_ranks_merge how = {put_sums, take_sums, clear_sums};
    sums s = {values, n};
    return j->team ? hsc_ranks_merge_all(j, &how, &s, err) : HSC_OK;
}

/* ---- files ---- */

hsc_status hsc_ranks_share_files(join *j, hsc_err *err) {
    parcel a = {0};
    if (!j->team)
        return HSC_OK;
    for (size_t i = 0; i < j->processes.n; i++) {
        if (!i)
            parcel_u64(&a, j->processes.n);
        parcel_u64(&a, j->processes.p[i].input);
        parcel_text(&a, j->processes.p[i].path);
    }
    hsc_status status = hsc_ranks_share(j, 0, &a, err);
    uint64_t n = status == HSC_OK && j->team->rank ? parcel_take_u64(&a) : 0;
    for (uint64_t i = 0; i < n && !a.failed; i++) {
        jprocess p = {.input = (uint32_t)parcel_take_u64(&a)};
        p.path = parcel_take_text(&a, &j->pool);
        a.failed = a.failed || !HSC_PUSH(j->processes, p);
    }
    for (size_t i = 0; i < j->processes.n; i++)
        j->processes.p[i].owner = (uint32_t)(i % j->team->size);
    status = status == HSC_OK ? hsc_ranks_taken(&a, err) : status;
    parcel_fini(&a);
    return status;
}

/* ---- what is kept of a process after the first reading ---- */

void hsc_ranks_put_header(const jprocess *p, parcel *a) {
    const char *const texts[] = {p->problem, p->host, p->executable, p->arguments, p->environment, p->mechanism, p->mechanism_note, p->job};
    parcel_put(a, p, sizeof *p); /* what points is told apart */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        parcel_text(a, texts[i]);
    for (size_t i = 0; i < p->events.n; i++) {
        parcel_put(a, &p->events.p[i], sizeof *p->events.p);
        parcel_text(a, p->events.p[i].name);
        parcel_text(a, p->events.p[i].unit);
    }
    for (size_t i = 0; i < p->threads.n; i++) {
        parcel_put(a, &p->threads.p[i], sizeof *p->threads.p);
        parcel_text(a, p->threads.p[i].name);
    }
}

void hsc_ranks_take_header(join *j, jprocess *p, parcel *a) {
    jprocess q;
    parcel_take(a, &q, sizeof q);
    const char **const texts[] = {&q.problem, &q.host, &q.executable, &q.arguments, &q.environment, &q.mechanism, &q.mechanism_note, &q.job};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = parcel_take_text(a, &j->pool);
    size_t events = q.events.n, threads = q.threads.n;
    q.path = p->path;
    q.input = p->input;
    q.owner = p->owner;
    q.kept = NULL;
    q.pool = (hsc_pool){0};
    q.join = NULL;
    q.known = NULL;
    q.seen = q.region_rows = q.holder_rows = q.passer_rows = (hsc_table){0};
    q.told = NULL;
    q.blame = NULL;
    q.spans = q.slices = q.parked_sites = q.parked = (hsc_spill_list){0};
    memset(&q.mappings, 0, sizeof q.mappings);
    memset(&q.events, 0, sizeof q.events);
    memset(&q.threads, 0, sizeof q.threads);
    memset(&q.regions, 0, sizeof q.regions);
    memset(&q.open_spans, 0, sizeof q.open_spans);
    memset(&q.open_waits, 0, sizeof q.open_waits);
    hsc_join_forget_measures(&q);
    for (size_t i = 0; i < events && !a->failed; i++) {
        jevent e;
        parcel_take(a, &e, sizeof e);
        e.name = parcel_take_text(a, &j->pool);
        e.unit = parcel_take_text(a, &j->pool);
        a->failed = a->failed || !HSC_PUSH(q.events, e);
    }
    for (size_t i = 0; i < threads && !a->failed; i++) {
        jthread t;
        parcel_take(a, &t, sizeof t);
        t.name = parcel_take_text(a, &j->pool);
        t.process = NULL;
        t.work = NULL;
        t.profile = t.places = t.instant_kinds = (hsc_spill_list){0};
        t.instants = (jinstants){0};
        t.kind_pairs = (hsc_spill_list){0};
        t.late = NULL;
        a->failed = a->failed || !HSC_PUSH(q.threads, t);
    }
    *p = q;
}

/* Each rank's in its turn, in parts. */
hsc_status hsc_ranks_share_processes(join *j, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (unsigned from = 0; j->team && status == HSC_OK && from < j->team->size; from++) {
        bool own = from == j->team->rank, more = true;
        for (size_t at = from; status == HSC_OK && more;) {
            parcel a = {0};
            for (; own && at < j->processes.n && a.n < PART_BYTES; at += j->team->size) {
                parcel_u64(&a, at);
                hsc_ranks_put_header(&j->processes.p[at], &a);
            }
            if (own)
                parcel_u64(&a, at < j->processes.n ? UINT64_MAX : UINT64_MAX - 1);
            status = hsc_ranks_share(j, from, &a, err);
            uint64_t row = 0;
            while (status == HSC_OK && !own && !a.failed && (row = parcel_take_u64(&a)) < j->processes.n)
                hsc_ranks_take_header(j, &j->processes.p[row], &a);
            more = own ? at < j->processes.n : row == UINT64_MAX;
            status = status == HSC_OK ? hsc_ranks_taken(&a, err) : status;
            parcel_fini(&a);
        }
    }
    return status;
}

/* ---- modules, addresses, frames ---- */

static void put_tables(void *ctx, parcel *a) {
    const join *j = ctx;
    parcel_u64(a, j->met.n);
    for (size_t i = 0; i < j->met.n; i++) {
        const jmodule *m = &j->met.p[i];
        parcel_u64(a, m->build_id_size);
        parcel_put(a, m->build_id, m->build_id_size);
        parcel_text(a, m->path);
        parcel_u64(a, m->file_size);
        parcel_u64(a, m->file_mtime_ns);
        parcel_u64(a, m->marks);
        parcel_u64(a, m->main_marks);
    }
    PARCEL_VEC(a, j->addresses);
    PARCEL_VEC(a, j->frames);
}

static uint32_t take_module(join *j, parcel *a) {
    uint8_t build_id[64]; /* read.c takes no longer ones */
    jmodule m = {.build_id = build_id, .build_id_size = parcel_take_u64(a)};
    a->failed = a->failed || m.build_id_size > sizeof build_id;
    parcel_take(a, build_id, a->failed ? 0 : m.build_id_size);
    m.path = parcel_take_text(a, &j->pool);
    m.file_size = parcel_take_u64(a);
    m.file_mtime_ns = parcel_take_u64(a);
    m.marks = (uint8_t)parcel_take_u64(a);
    m.main_marks = (uint8_t)parcel_take_u64(a);
    uint32_t row = a->failed ? HSC_NO_INDEX : hsc_join_enter_module(j, &m);
    a->failed = row == HSC_NO_INDEX;
    if (!a->failed) {
        j->met.p[row].marks |= m.marks;
        j->met.p[row].main_marks |= m.main_marks;
    }
    return row;
}

static void take_tables(void *ctx, parcel *a) {
    join *j = ctx;
    HSC_VEC(uint32_t) modules = {0}, places = {0}, rows = {0};
    HSC_VEC(jaddress) addresses = {0};
    HSC_VEC(jframe) frames = {0};
    uint64_t n = parcel_take_u64(a);
    for (uint64_t i = 0; i < n && !a->failed; i++)
        a->failed = !HSC_PUSH(modules, take_module(j, a)) || a->failed;
    PARCEL_TAKE_VEC(a, addresses);
    PARCEL_TAKE_VEC(a, frames);
    for (size_t i = 0; i < addresses.n && !a->failed; i++) {
        const jaddress *b = &addresses.p[i];
        uint32_t row = hsc_join_enter_address(j, b->module == HSC_NO_INDEX ? HSC_NO_INDEX : modules.p[b->module], b->exact, b->address);
        a->failed = row == HSC_NO_INDEX || !HSC_PUSH(places, row);
        if (!a->failed)
            j->addresses.p[row].marks |= b->marks;
    }
    for (size_t i = 0; i < frames.n && !a->failed; i++) { /* a parent stands before its children */
        const jframe *f = &frames.p[i];
        uint32_t row = hsc_join_enter_frame(j, f->parent == HSC_NO_INDEX ? HSC_NO_INDEX : rows.p[f->parent], f->truncated, places.p[f->place]);
        a->failed = row == HSC_NO_INDEX || !HSC_PUSH(rows, row);
        if (!a->failed)
            j->frames.p[row].marks |= f->marks;
    }
    free(modules.p);
    free(places.p);
    free(rows.p);
    free(addresses.p);
    free(frames.p);
}

static void clear_tables(void *ctx) {
    join *j = ctx;
    hsc_table_fini(&j->met_rows);
    hsc_table_fini(&j->address_rows);
    hsc_table_fini(&j->frame_rows);
    j->met_rows = j->address_rows = j->frame_rows = (hsc_table){0};
    j->met.n = j->addresses.n = j->frames.n = 0;
}

hsc_status hsc_ranks_merge_tables(join *j, hsc_err *err) {
    static const hsc_ranks_merge how = {put_tables, take_tables, clear_tables};
    return j->team ? hsc_ranks_merge_all(j, &how, j, err) : HSC_OK;
}
