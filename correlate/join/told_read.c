/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records of probes, of what a program tells of itself, and of what measuring cost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slices.h"
#include "told.h"

static uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static jtold *told_of(jprocess *p) {
    if (!p->told)
        p->told = calloc(1, sizeof *p->told);
    return p->told;
}

const jtold_thread *hsc_join_told_thread(const jprocess *p, uint64_t id) {
    for (size_t i = 0; p->told && i < p->told->threads.n; i++)
        if (p->told->threads.p[i].id == id)
            return &p->told->threads.p[i];
    return NULL;
}

bool hsc_join_told_has_visits(const jtold_thread *t) {
    return t && t->blocks.n;
}

bool hsc_join_told_has_moments(const jtold *t) {
    return t && (t->phases.n || t->values.n);
}

bool hsc_join_told_has_texts(const jtold *t) {
    bool has = t->places.n || t->names.n || t->notes.n;
    for (size_t i = 0; !has && i < t->threads.n; i++)
        has = hsc_join_told_has_visits(&t->threads.p[i]);
    return has;
}

static jtold_thread *thread_of(jprocess *p, uint64_t id) {
    jtold *t = told_of(p);
    if (!t)
        return NULL;
    if (t->last < t->threads.n && t->threads.p[t->last].id == id)
        return &t->threads.p[t->last];
    const jtold_thread *known = hsc_join_told_thread(p, id);
    if (known) {
        t->last = (size_t)(known - t->threads.p);
        return &t->threads.p[t->last];
    }
    t->last = t->threads.n;
    return HSC_PUSH(t->threads, (jtold_thread){.id = id}) ? &t->threads.p[t->last] : NULL;
}

/* ---- the tool itself ---- */

static bool note(jprocess *p, uint64_t time, uint64_t thread, uint32_t kind, uint64_t value, const char *text, size_t n) {
    jtold *t = told_of(p);
    const char *kept = hsc_pool_intern(&p->pool, text, n);
    if (time > p->last_ns)
        p->last_ns = time;
    return t && kept && HSC_PUSH(t->notes, (jnote){time, thread, value, kind, kept});
}

/* Two texts, the second from the file. */
static bool note_of(jprocess *p, uint64_t time, uint64_t thread, uint32_t kind, uint64_t value, const char *what, const char *why) {
    char text[200];
    int n = snprintf(text, sizeof text, "%s%s", what, why ? why : "not known");
    return note(p, time, thread, kind, value, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* ---- probes ---- */

static jblock *block_of(jtold_thread *t, uint64_t id) {
    uint32_t row = hsc_table_get(&t->rows, id, 0);
    return row == HSC_NO_INDEX ? NULL : &t->blocks.p[row];
}

static bool take_block(jtold_thread *t, const hsc_rec_block *r) {
    uint32_t *at = hsc_table_at(&t->rows, r->block_id, 0);
    if (!at)
        return false;
    if (*at != HSC_NO_INDEX)
        return true; /* a second definition is ignored */
    uint32_t parent = r->parent_id ? hsc_table_get(&t->rows, r->parent_id, 0) : HSC_NO_INDEX;
    at = hsc_table_at(&t->rows, r->block_id, 0);
    *at = (uint32_t)t->blocks.n;
    if (parent == *at)
        parent = HSC_NO_INDEX;
    return HSC_PUSH(t->blocks, (jblock){.id = r->block_id, .parent = parent, .number = r->number, .duration_min = UINT64_MAX});
}

/* Its times by category are slices of their own. */
static bool slice_summary(jprocess *p, const jtold_thread *t, const jblock *b, const hsc_rec_block_summary *r) {
    jslice s = {.kind = JSLICE_VISIT,
                .row = (uint64_t)(b - t->blocks.p),
                .thread = t->id,
                .time = r->time,
                .v = {r->count, r->left, r->duration_ns, r->count ? r->duration_min : 0, r->count ? r->duration_max : 0},
                .squares = {isfinite(r->duration_squares) ? r->duration_squares : 0}};
    if (r->duration_histogram.n)
        hsc_slice_buckets(s.counts[0], r->duration_histogram.p[0], r->duration_histogram.p + 1, r->duration_histogram.n - 1);
    return hsc_slices_put(p, &s);
}

static bool take_summary(jprocess *p, jtold_thread *t, const hsc_rec_block_summary *r) {
    jblock *b = block_of(t, r->block_id);
    if (!b)
        return true; /* its definition is in a damaged chunk */
    if (hsc_slices_wanted(p) && !slice_summary(p, t, b, r))
        return false;
    b->visits = plus(b->visits, r->count);
    b->left = plus(b->left, r->left);
    b->duration_ns = plus(b->duration_ns, r->duration_ns);
    b->squares += isfinite(r->duration_squares) ? r->duration_squares : 0;
    if (r->count) {
        b->duration_min = r->duration_min < b->duration_min ? r->duration_min : b->duration_min;
        b->duration_max = r->duration_max > b->duration_max ? r->duration_max : b->duration_max;
    }
    return !r->duration_histogram.n || hsc_join_add_buckets(p, &b->durations, r->duration_histogram.p[0],
                                                            r->duration_histogram.p + 1, r->duration_histogram.n - 1);
}

static bool take_block_time(jprocess *p, jtold_thread *t, const hsc_rec_block_time *r) {
    jblock *b = block_of(t, r->block_id);
    unsigned state = r->state < STATES ? (unsigned)r->state : HSC_state_UNKNOWN;
    if (!b)
        return true;
    b->exclusive[state] = plus(b->exclusive[state], r->exclusive_ns);
    jslice s = {.kind = JSLICE_VISIT, .row = (uint64_t)(b - t->blocks.p), .thread = t->id, .time = r->time};
    s.counts[1][state] = r->exclusive_ns;
    return hsc_slices_put(p, &s);
}

static bool take_place(jprocess *p, jtold *t, const hsc_rec_probe_place *r) {
    const char *name = hsc_pool_intern(&p->pool, r->name.p, r->name.n), *file = hsc_pool_intern(&p->pool, r->file.p, r->file.n);
    return name && file && HSC_PUSH(t->places, (jprobe_place){r->number, r->tag, r->kind < 254 ? (uint32_t)r->kind : 253,
                                                              (uint32_t)r->flags, r->line < UINT32_MAX ? (uint32_t)r->line : 0, name,
                                                              file, 0, HSC_NO_INDEX});
}

static void take_armed(jtold *t, const hsc_rec_probe_armed *r) {
    for (size_t i = 0; i < t->places.n && !r->armed; i++) {
        jprobe_place *p = &t->places.p[(r->number + i - 1) % t->places.n]; /* dense: the first look hits */
        if (p->number != r->number)
            continue;
        if (!p->disarmed || r->time < p->disarmed)
            p->disarmed = r->time ? r->time : 1;
        break;
    }
}

/* ---- what the program tells ---- */

static bool enter(jtold_thread *t, uint64_t name, uint64_t time) {
    uint32_t parent = t->open.n ? t->open.p[t->open.n - 1].block : HSC_NO_INDEX;
    uint32_t *at = hsc_table_at(&t->rows, parent == HSC_NO_INDEX ? 0 : parent + 1ull, name + 1);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)t->blocks.n;
        if (!HSC_PUSH(t->blocks, (jblock){.parent = parent, .user = true, .number = name, .duration_min = UINT64_MAX}))
            return false;
    }
    uint32_t block = (uint32_t)(t->blocks.n - 1);
    block = hsc_table_get(&t->rows, parent == HSC_NO_INDEX ? 0 : parent + 1ull, name + 1);
    return HSC_PUSH(t->open, (jopen){block, time, 0});
}

#define SLICE_NS 100000000u

/* A visit of a scope of the program's own: slices of 100 ms, as of probes. */
static bool slice_visit(jprocess *p, const jtold_thread *t, jblock *b, uint64_t time, uint64_t duration, uint64_t exclusive, uint64_t bucket, bool left) {
    if (!b->held && !(b->held = hsc_pool_take(&p->pool, sizeof *b->held)))
        return false;
    jslice *s = b->held;
    if (s->v[JV_VISITS] && time >= b->held_begin + SLICE_NS) {
        if (!hsc_slices_put(p, s))
            return false;
        memset(s, 0, sizeof *s);
    }
    if (!s->v[JV_VISITS]) {
        b->held_begin = time;
        s->v[JV_DURATION_MIN] = duration;
    }
    s->kind = JSLICE_VISIT;
    s->row = (uint64_t)(b - t->blocks.p);
    s->thread = t->id;
    s->time = time;
    s->v[JV_VISITS]++;
    s->v[JV_LEFT] += left;
    s->v[JV_DURATION] = plus(s->v[JV_DURATION], duration);
    s->v[JV_DURATION_MIN] = duration < s->v[JV_DURATION_MIN] ? duration : s->v[JV_DURATION_MIN];
    s->v[JV_DURATION_MAX] = duration > s->v[JV_DURATION_MAX] ? duration : s->v[JV_DURATION_MAX];
    s->squares[0] += (double)duration * (double)duration;
    s->counts[0][bucket < JOIN_BUCKETS ? bucket : JOIN_BUCKETS - 1]++;
    s->counts[1][HSC_state_UNKNOWN] = plus(s->counts[1][HSC_state_UNKNOWN], exclusive);
    return true;
}

static bool leave(jprocess *p, jtold_thread *t, uint64_t time, bool left) {
    if (!t->open.n)
        return true;
    jopen o = t->open.p[--t->open.n];
    jblock *b = &t->blocks.p[o.block];
    uint64_t duration = time > o.begin ? time - o.begin : 0, one = 1, bucket = 0;
    b->visits++;
    b->left += left;
    b->duration_ns = plus(b->duration_ns, duration);
    b->squares += (double)duration * (double)duration;
    b->duration_min = duration < b->duration_min ? duration : b->duration_min;
    b->duration_max = duration > b->duration_max ? duration : b->duration_max;
    b->exclusive[HSC_state_UNKNOWN] = plus(b->exclusive[HSC_state_UNKNOWN], duration > o.inner_ns ? duration - o.inner_ns : 0);
    if (t->open.n)
        t->open.p[t->open.n - 1].inner_ns = plus(t->open.p[t->open.n - 1].inner_ns, duration);
    while (bucket < 64 && duration >> bucket)
        bucket++;
    if (hsc_slices_wanted(p) && !slice_visit(p, t, b, time, duration, duration > o.inner_ns ? duration - o.inner_ns : 0, bucket, left))
        return false;
    return hsc_join_add_buckets(p, &b->durations, bucket, &one, 1);
}

/* ---- what measuring cost ---- */

static void take_handler(jtold_thread *t, const hsc_rec_handler_time *r) {
    if (r->time < t->handler_time)
        return;
    t->handler_time = r->time;
    t->handler_ns = r->own_ns;
    t->wrappers_ns = r->wrappers_ns;
    t->switches_ns = r->switches_ns;
    t->runs = r->runs;
    t->median_ns = r->median_ns;
    t->p90_ns = r->p90_ns;
    t->p99_ns = r->p99_ns;
}

static void take_probe_progress(jtold_thread *t, const hsc_rec_probe_progress *r) {
    if (r->time < t->probe_time)
        return;
    t->probe_time = r->time;
    t->probe_ns = r->own_ns;
    t->unmatched = r->unmatched;
    t->missed = r->missed;
}

static bool take_probe_samples(jtold_thread *t, const hsc_rec_probe_samples *r) {
    uint32_t *row = hsc_table_at(&t->sampled_rows, r->number, 0);
    if (!row)
        return false;
    if (*row == HSC_NO_INDEX) {
        *row = (uint32_t)t->sampled.n;
        if (!HSC_PUSH(t->sampled, (jprobe_samples){.number = r->number}))
            return false;
    }
    jprobe_samples *s = &t->sampled.p[*row];
    if (r->time >= s->time)
        *s = (jprobe_samples){r->number, r->time, r->program, r->program_squares, r->notes, r->notes_squares};
    return true;
}

bool hsc_join_take_told(jprocess *p, const hsc_record *rec) {
    const void *v = rec->value;
    jtold_thread *t;
    jtold *of;
    switch (rec->record_id) {
    case HSC_REC_probe_place:
        return (of = told_of(p)) && take_place(p, of, v);
    case HSC_REC_probe_armed:
        if ((of = told_of(p)))
            take_armed(of, v);
        return of != NULL;
    case HSC_REC_block:
        return (t = thread_of(p, rec->stream)) && take_block(t, v);
    case HSC_REC_block_time:
        return (t = thread_of(p, rec->stream)) && take_block_time(p, t, v);
    case HSC_REC_block_summary:
        return (t = thread_of(p, rec->stream)) && take_summary(p, t, v);
    case HSC_REC_probe_progress:
        if ((t = thread_of(p, rec->stream)))
            take_probe_progress(t, v);
        return t != NULL;
    case HSC_REC_probe_samples:
        return (t = thread_of(p, rec->stream)) && take_probe_samples(t, v);
    case HSC_REC_probe_cost: {
        const hsc_rec_probe_cost *r = v;
        if (!(of = told_of(p)))
            return false;
        double pair = r->note_ns > 0 ? r->note_ns : r->pair_ns;
        of->pair_ns = pair >= 0 && pair < 1e9 ? pair : 0;
        of->inside_ns = r->inside_ns >= 0 && r->inside_ns <= of->pair_ns ? r->inside_ns : 0;
        return true;
    }
    case HSC_REC_cost: {
        const hsc_rec_cost *r = v;
        if (!(of = told_of(p)))
            return false;
        of->interrupt_ns = r->interrupt_ns < 1000000000u ? r->interrupt_ns : 0;
        of->interrupt_measured = r->interrupt_measured;
        bool has_range = r->interrupt_least_ns && r->interrupt_least_ns <= of->interrupt_ns && r->interrupt_most_ns >= of->interrupt_ns && r->interrupt_most_ns < 1000000000u;
        of->interrupt_least_ns = has_range ? r->interrupt_least_ns : 0;
        of->interrupt_most_ns = has_range ? r->interrupt_most_ns : 0;
        bool has_share = has_range && r->switches_least <= 1000 && r->switches_most >= 1000 && r->switches_most < 1000000;
        of->switches_least = has_share ? r->switches_least : 1000;
        of->switches_most = has_share ? r->switches_most : 1000;
        of->helper_ns = r->helper_ns > of->helper_ns ? r->helper_ns : of->helper_ns;
        of->start_ns = r->start_ns > of->start_ns ? r->start_ns : of->start_ns;
        of->end_ns = r->end_ns > of->end_ns ? r->end_ns : of->end_ns;
        return true;
    }
    case HSC_REC_handler_time:
        if ((t = thread_of(p, ((const hsc_rec_handler_time *)v)->thread_id)))
            take_handler(t, v);
        return t != NULL;
    case HSC_REC_rate: {
        const hsc_rec_rate *r = v;
        if (!(t = thread_of(p, r->thread_id)))
            return false;
        t->rate_changes++;
        t->periods = r->periods;
        t->periods_max = r->periods > t->periods_max ? r->periods : t->periods_max;
        return note_of(p, r->time, r->thread_id, JNOTE_RATE, r->periods, "samples come every so many periods, to keep to the budget or to leave the program its time", "");
    }
    case HSC_REC_source: {
        const hsc_rec_source *r = v;
        char what[100];
        snprintf(what, sizeof what, "samples come from %.*s: ", r->mechanism.n < 40 ? (int)r->mechanism.n : 40, r->mechanism.p);
        return note_of(p, r->time, r->thread_id, JNOTE_SOURCE, 0, what, hsc_enum_text("source_reason", r->reason));
    }
    case HSC_REC_measuring: {
        const hsc_rec_measuring *r = v;
        return note_of(p, r->time, 0, JNOTE_MEASURING, r->on != 0, r->on ? "measuring goes on: " : "measuring stops: ",
                       hsc_enum_text("measuring_reason", r->reason));
    }
    case HSC_REC_note: {
        const hsc_rec_note *r = v;
        return note(p, r->time, 0, JNOTE_SAID, 0, r->text.p, r->text.n);
    }
    case HSC_REC_message_threshold: {
        const hsc_rec_message_threshold *r = v;
        return note_of(p, r->time, rec->stream, JNOTE_EVENTS, r->threshold_ns, "calls of MPI that take so long get an event", "");
    }
    case HSC_REC_user_name: {
        const hsc_rec_user_name *r = v;
        const char *name = hsc_pool_intern(&p->pool, r->name.p, r->name.n);
        return name && (of = told_of(p)) && HSC_PUSH(of->names, (juser_name){r->name_id, name});
    }
    case HSC_REC_user_begin: {
        const hsc_rec_user_begin *r = v;
        p->last_ns = r->time > p->last_ns ? r->time : p->last_ns;
        return (t = thread_of(p, rec->stream)) && enter(t, r->name_id, r->time);
    }
    case HSC_REC_user_end: {
        const hsc_rec_user_end *r = v;
        p->last_ns = r->time > p->last_ns ? r->time : p->last_ns;
        return (t = thread_of(p, rec->stream)) && leave(p, t, r->time, false);
    }
    case HSC_REC_user_phase: {
        const hsc_rec_user_phase *r = v;
        p->last_ns = r->time > p->last_ns ? r->time : p->last_ns;
        return (of = told_of(p)) && HSC_PUSH(of->phases, (jtold_mark){r->time, r->name_id, rec->stream, 0});
    }
    case HSC_REC_user_counter: {
        const hsc_rec_user_counter *r = v;
        return (of = told_of(p)) && HSC_PUSH(of->values, (jtold_mark){r->time, r->name_id, rec->stream, r->value});
    }
    default:
        return true;
    }
}

static int by_note(const void *pa, const void *pb) {
    const jnote *a = pa, *b = pb;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->value != b->value ? (a->value < b->value ? -1 : 1) : strcmp(a->text, b->text);
}

static int by_time(const void *pa, const void *pb) {
    const jtold_mark *a = pa, *b = pb;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

bool hsc_join_end_told(jprocess *p) {
    jtold *t = p->told;
    bool ok = true;
    for (size_t i = 0; t && i < t->threads.n; i++) {
        uint64_t end = p->has_end ? p->end_ns : p->last_ns;
        while (t->threads.p[i].open.n)
            if (!leave(p, &t->threads.p[i], end, true))
                break;
        t->threads.p[i].open.n = 0;
        for (size_t k = 0; k < t->threads.p[i].blocks.n; k++) {
            jblock *b = &t->threads.p[i].blocks.p[k];
            ok = ok && (!b->held || hsc_slices_put(p, b->held));
            b->held = NULL;
        }
        const jthread *of = hsc_join_known_thread(p, t->threads.p[i].id);
        double elapsed = of && of->usage.run_ns ? 1 + (double)of->usage.runnable_ns / (double)of->usage.run_ns : 1;
        ok = ok && hsc_join_weigh_probes(t, p->period_ns ? (double)p->period_ns : 1e6, elapsed, &t->threads.p[i]);
    }
    if (t && t->phases.n > 1)
        qsort(t->phases.p, t->phases.n, sizeof *t->phases.p, by_time);
    if (t && t->notes.n > 1)
        qsort(t->notes.p, t->notes.n, sizeof *t->notes.p, by_note);
    return ok;
}

void hsc_join_free_told(jprocess *p) {
    jtold *t = p->told;
    for (size_t i = 0; t && i < t->threads.n; i++) {
        free(t->threads.p[i].blocks.p);
        free(t->threads.p[i].open.p);
        free(t->threads.p[i].sampled.p);
        hsc_table_fini(&t->threads.p[i].rows);
        hsc_table_fini(&t->threads.p[i].sampled_rows);
    }
    if (t) {
        free(t->threads.p);
        free(t->places.p);
        free(t->names.p);
        free(t->phases.p);
        free(t->values.p);
        free(t->notes.p);
    }
    free(t);
    p->told = NULL;
}
