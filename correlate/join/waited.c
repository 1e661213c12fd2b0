/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples in calls of message passing of which it is known until when they waited: those before that are waiting, those after it communication,
 * whatever the call is. A library that polls looks busy all the time. Of calls that are too short for an event some have one all the same, drawn by the
 * number of their message: so much of a call's time as these waited of theirs, at the same place, is waiting of the samples there.
 *
 * Each kind of sample that may be met in such a call has a twin, the same in the other state, from when kinds are sorted on, so that all ranks
 * number them alike; which of them have samples is known once the calls were matched (blame_match.c). */
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>
#include "blame.h"
#include "cache.h"
#include "ranks.h"

#define PART_BYTES ((size_t)1 << 20) /* sent at once */
#define UNTOLD_NS 100000u             /* who came late to a call that took less has an event by chance */
#define WALL "wall"                  /* event of it: a sample stands for what its thread waited before it */

enum { END, PART, MORE }; /* what an entry of a parcel is */

/* ---- kinds ---- */

/* State of the other one of a kind; HSC_state_UNKNOWN: it has none. */
static unsigned other_state(const join *j, const jkind *k) {
    const jmetric *m = &j->metrics.p[k->metric];
    if (m->exact && m->weights_of == HSC_NO_INDEX)
        return HSC_state_UNKNOWN;
    return k->state == HSC_state_WAITING                                                      ? HSC_state_COMMUNICATION
           : k->state == HSC_state_COMMUNICATION || k->state == HSC_state_SYNCHRONISATION ? HSC_state_WAITING
                                                                                            : HSC_state_UNKNOWN;
}

bool hsc_waited_add_twins(join *j, uint32_t **twin_of) {
    bool passes = false;
    for (size_t i = 0; i < j->run.n; i++)
        passes = passes || j->run.p[i]->rank >= 0;
    *twin_of = NULL;
    if (!passes || j->options->no_times)
        return true;
    size_t n = j->kinds.n;
    if (!(*twin_of = malloc((n + 1) * sizeof **twin_of)))
        return false;
    for (size_t i = 0; i < n; i++) {
        jkind twin = j->kinds.p[i];
        twin.state = (uint8_t)other_state(j, &twin);
        (*twin_of)[i] = twin.state ? (uint32_t)j->kinds.n : HSC_NO_INDEX;
        if (twin.state && !HSC_PUSH(j->kinds, twin))
            return false;
    }
    return true;
}

bool hsc_waited_end_twins(join *j, const uint32_t *twin_of, size_t n) {
    if (!twin_of)
        return true;
    j->twins = malloc((j->kinds.n + 1) * sizeof *j->twins);
    j->kind_used = calloc(j->kinds.n + 1, 1);
    if (!j->twins || !j->kind_used)
        return false;
    j->paired_kinds = j->kinds.n;
    for (size_t i = 0; i < j->kinds.n; i++)
        j->twins[i] = HSC_NO_INDEX;
    for (size_t i = 0; i < n; i++) {
        j->kind_used[j->kind_order[i]] = 1;
        if (twin_of[i] != HSC_NO_INDEX)
            j->twins[j->kind_order[i]] = j->kind_order[twin_of[i]];
    }
    return true;
}

/* ---- one thread ---- */

typedef struct moved { /* of a kind */
    uint32_t kind;
    uint64_t all, moved; /* counts of its instants */
    uint32_t place; /* row of short_calls; HSC_NO_INDEX: in none */
} moved;

typedef struct short_calls { /* of one place that were drawn; ns times what they stand for */
    double waited, all;
    bool looks; /* they only look: of samples those that are waiting, as their wrappers saw that they went on in vain */
    double due[METRICS_MAX]; /* samples that are to be waiting by now, less those that are; -0.5 to 0.5 */
} short_calls;

typedef struct laying {
    join *j;
    const jthread *t;
    jwaited *calls; /* by their end; ns since the start of the run */
    size_t n;
    uint32_t *keys; /* what those of instants stand for; NULL: they are kinds */
    uint64_t keys_n;
    uint32_t wall; /* metric; HSC_NO_INDEX */
    uint64_t wall_ns;
    uint64_t late_ns; /* after it fell due a sample's time is noted: the interrupt */
    HSC_VEC(moved) kinds;
    HSC_VEC(uint32_t) more; /* twins: what keys after keys_n stand for */
    hsc_table rows;         /* of a kind: row of kinds */
    hsc_table twin_keys;    /* of what an instant's key stands for: key of those that became its twin's */
    HSC_VEC(short_calls) places;
    hsc_table place_rows; /* context << 32 | line (HSC_NO_INDEX: not known) of a call: row of places */
    bool failed;
} laying;

static jtrack *track_of(const jprocess *p, uint64_t thread) {
    for (size_t i = 0; p->blame && i < p->blame->tracks.n; i++)
        if (p->blame->tracks.p[i].thread == thread)
            return &p->blame->tracks.p[i];
    return NULL;
}

/* Owned by the caller. */
static hsc_status load_calls(const join *j, const jprocess *p, const jtrack *track, jwaited **calls, size_t *n, hsc_err *err) {
    uint64_t most = track ? track->waited.count : 0, got = 0;
    hsc_spill_cursor c = {.list = track ? &track->waited : NULL};
    *n = 0;
    *calls = NULL;
    if (!most)
        return HSC_OK;
    if (!(*calls = malloc(most * sizeof **calls)))
        return hsc_join_no_memory(err);
    hsc_status status = hsc_spill_read(j->spill, &c, *calls, most, &got, err);
    for (size_t i = 0; status == HSC_OK && i < got; i++) {
        jwaited *w = &(*calls)[i];
        w->begin = hsc_join_since_start(j, p, w->begin);
        w->until = hsc_join_since_start(j, p, w->until);
        w->end = hsc_join_since_start(j, p, w->end);
    }
    *n = status == HSC_OK ? (size_t)got : 0;
    return status;
}

/* The call that the time lies in; NULL: none of which it is known how long it waited. */
static const jwaited *call_at(const jwaited *calls, size_t n, uint64_t time) {
    size_t at;
    HSC_SEARCH(at, n, calls[at].end < time);
    return at < n && calls[at].begin <= time ? &calls[at] : NULL;
}

/* What short calls waited, by their place. Where rounding begins is drawn by the first of them, so that places with a sample or two in each of many
 * threads have as much waiting as they should on average. */
static bool add_short_calls(laying *x) {
    for (size_t i = 0; i < x->n; i++) {
        const jwaited *w = &x->calls[i];
        if (!w->stands_for || w->context == HSC_NO_INDEX)
            continue;
        uint32_t *at = hsc_table_at(&x->place_rows, (uint64_t)w->context << 32 | w->line, 0);
        if (!at)
            return false;
        if (*at == HSC_NO_INDEX) {
            *at = (uint32_t)x->places.n;
            short_calls s = {0};
            const uint64_t seed[] = {w->begin, w->end, (uint64_t)x->t->process->rank, x->t->id};
            for (unsigned m = 0; m < METRICS_MAX; m++)
                s.due[m] = (double)(hsc_hash64(m, seed, sizeof seed) >> 11) * 0x1p-53 - 0.5;
            if (!HSC_PUSH(x->places, s))
                return false;
        }
        short_calls *s = &x->places.p[*at];
        s->looks = w->looks;
        s->waited += (double)w->stands_for * (double)(w->until - w->begin);
        s->all += (double)w->stands_for * (double)(w->end - w->begin);
    }
    return true;
}

/* Row of the short calls that samples of the context are in; HSC_NO_INDEX: in none. */
static uint32_t place_of(const laying *x, uint32_t context) {
    const join *j = x->j;
    for (uint32_t at = HSC_NO_INDEX; x->places.n && context && context < j->contexts.n; context = j->contexts.p[context].parent) {
        const jcontext *c = &j->contexts.p[context];
        if (c->kind == HSC_CONTEXT_PROCEDURE && (at = hsc_table_get(&x->place_rows, (uint64_t)c->parent << 32 | c->call_line, 0)) != HSC_NO_INDEX)
            return at;
    }
    return HSC_NO_INDEX;
}

static moved *moved_of(laying *x, uint32_t kind) {
    uint32_t *at = hsc_table_at(&x->rows, kind, 0);
    if (at && *at == HSC_NO_INDEX && HSC_PUSH(x->kinds, (moved){.kind = kind, .place = place_of(x, x->j->kinds.p[kind].context)}))
        *at = (uint32_t)(x->kinds.n - 1);
    x->failed = x->failed || !at || *at == HSC_NO_INDEX;
    return x->failed ? NULL : &x->kinds.p[*at];
}

/* What instants of the twin have, of those that stand for `own`. */
static uint32_t key_of_twin(laying *x, uint32_t own) {
    const join *j = x->j;
    uint32_t kind = (uint32_t)j->own_kinds + j->met_twins[hsc_join_met_row(j, own)];
    uint32_t *at = hsc_table_at(&x->twin_keys, own, 0);
    if (at && *at == HSC_NO_INDEX && HSC_PUSH(x->more, kind))
        *at = x->keys ? JINSTANT_SPECIAL | (uint32_t)(x->keys_n - x->t->plain_count + x->more.n - 1) : kind;
    x->failed = x->failed || !at || *at == HSC_NO_INDEX;
    return x->failed ? own : *at;
}

/* Whether the sample is waiting, so that of each row of them as many are as the calls waited. */
static bool is_due(short_calls *s, unsigned metric) {
    double *due = &s->due[metric % METRICS_MAX];
    *due += s->all > 0 ? s->waited / s->all : 0;
    if (*due < 0.5)
        return false;
    *due -= 1;
    return true;
}

/* Whether the sample is laid by what calls at its place waited on average, and not by its time. In short calls that is noted too late: the
 * interrupt takes as long as they do, and who is late comes meanwhile. And where nobody came later to a long one, one may have, by less than
 * what has an event. */
static bool is_of_all(const jwaited *call, uint64_t time) {
    return !call || call->stands_for || (call->until == call->begin && time - call->begin < UNTOLD_NS);
}

static void lay_instant(void *ctx, jinstant *i) {
    laying *x = ctx;
    const join *j = x->j;
    uint32_t key = i->kind, own;
    if (x->keys) {
        uint64_t at = key & JINSTANT_SPECIAL ? x->t->plain_count + (key & ~JINSTANT_SPECIAL) : key;
        own = at < x->keys_n ? x->keys[at] : HSC_NO_INDEX;
    } else {
        own = key;
    }
    uint32_t kind = own == HSC_NO_INDEX ? HSC_NO_INDEX : j->kind_order[own];
    if (x->failed || kind == HSC_NO_INDEX || j->twins[kind] == HSC_NO_INDEX)
        return;
    moved *m = moved_of(x, kind);
    uint64_t time = i->tick * j->tick_ns, back = 0;
    if (!m)
        return;
    m->all += i->count;
    if (j->kinds.p[kind].metric == x->wall && i->count > 1)
        back = x->wall_ns * i->count / 2;
    time -= back < time ? back : time;
    const jwaited *call = call_at(x->calls, x->n, time);
    short_calls *s = m->place == HSC_NO_INDEX ? NULL : &x->places.p[m->place];
    if (s && s->looks && j->kinds.p[kind].state != HSC_state_WAITING)
        s = NULL;
    if (!call && !s)
        return;
    bool waits = s && is_of_all(call, time) ? is_due(s, j->kinds.p[kind].metric) : time < call->until + (call->until > call->begin ? x->late_ns : 0);
    if (waits == (j->kinds.p[kind].state == HSC_state_WAITING))
        return;
    m->moved += i->count;
    i->kind = key_of_twin(x, own);
}

/* Of the kind that this one has the weights of: itself where it has none of another. */
static uint32_t weighed_kind(const join *j, uint32_t row) {
    jkind k = j->kinds.p[row];
    uint32_t of = j->metrics.p[k.metric].weights_of;
    if (of == HSC_NO_INDEX)
        return row;
    k.metric = (uint8_t)of;
    return hsc_join_sorted_kind(j, &k);
}

static hsc_status lay_profile(laying *x, uint64_t *total, hsc_err *err) {
    join *j = x->j;
    jthread *t = j->threads.p[x->t->row];
    jcount *list = NULL;
    HSC_VEC(jcount) made = {0};
    size_t n;
    hsc_status status = hsc_join_load_profile(j, t, &list, &n, err);
    bool ok = status == HSC_OK;
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t kind = list[i].kind, weighed = j->twins[kind] != HSC_NO_INDEX ? weighed_kind(j, kind) : HSC_NO_INDEX;
        uint32_t at = weighed != HSC_NO_INDEX ? hsc_table_get(&x->rows, weighed, 0) : HSC_NO_INDEX;
        const moved *m = at == HSC_NO_INDEX ? NULL : &x->kinds.p[at];
        uint32_t part = m && m->all ? (uint32_t)((unsigned __int128)list[i].count * m->moved / m->all) : 0, twin = j->twins[kind];
        if (part) {
            __atomic_store_n(&j->kind_used[twin], 1, __ATOMIC_RELAXED);
            ok = HSC_PUSH(made, (jcount){twin, part});
            if (!j->kinds.p[kind].metric) {
                __atomic_fetch_sub(&total[hsc_join_category_of(j, &j->kinds.p[kind])], part, __ATOMIC_RELAXED);
                __atomic_fetch_add(&total[hsc_join_category_of(j, &j->kinds.p[twin])], part, __ATOMIC_RELAXED);
            }
        }
        if (ok && list[i].count > part)
            ok = HSC_PUSH(made, (jcount){kind, list[i].count - part});
    }
    if (ok && made.n) {
        hsc_join_add_up(made.p, &made.n);
        hsc_spill_list_fini(&t->profile);
        ok = hsc_spill_put_all(j->spill, &t->profile, made.p, made.n, sizeof *made.p);
    }
    free(list);
    free(made.p);
    return status == HSC_OK && !ok ? hsc_join_no_memory(err) : status;
}

typedef struct all_threads {
    join *j;
    uint64_t total[CATEGORIES_MAX]; /* samples of metric 0 that went to a category, less those that left it */
} all_threads;

static hsc_status lay_thread(void *ctx, size_t row, hsc_err *err) {
    all_threads *a = ctx;
    join *j = a->j;
    jthread *t = j->threads.p[row];
    uint64_t interrupt_ns = t->process->interrupt_ns;
    laying x = {.j = j, .t = t, .wall = HSC_NO_INDEX, .late_ns = interrupt_ns < UNTOLD_NS ? interrupt_ns : UNTOLD_NS};
    if (!hsc_ranks_has(j, t->process) || !t->instants.count)
        return HSC_OK;
    hsc_status status = load_calls(j, t->process, track_of(t->process, t->id), &x.calls, &x.n, err);
    for (size_t m = 0; m < t->process->events.n; m++) {
        const jevent *e = &t->process->events.p[m];
        if (!strcmp(e->name, WALL) && e->metric) {
            x.wall = e->metric;
            x.wall_ns = e->period >= 1 && e->period < 1e12 ? (uint64_t)e->period : 0;
        }
    }
    if (status == HSC_OK && x.n)
        status = add_short_calls(&x) ? hsc_join_load_keys(j, t, &x.keys, &x.keys_n, err) : hsc_join_no_memory(err);
    if (status == HSC_OK && x.n)
        status = hsc_cache_need_instants(j, t, err);
    if (status == HSC_OK && x.n)
        status = hsc_instants_change(j->spill, &t->instants, lay_instant, &x, err);
    for (size_t i = 0; status == HSC_OK && !x.failed && i < x.more.n; i++) {
        x.failed = x.keys && !hsc_spill_put(j->spill, &t->instant_kinds, &x.more.p[i], sizeof x.more.p[i]);
        hsc_join_meet_kind(j, x.more.p[i], (uint32_t)row);
    }
    if (status == HSC_OK && x.more.n)
        x.failed = x.failed || !hsc_spill_flush(j->spill, &t->instant_kinds);
    if (status == HSC_OK)
        status = x.failed ? hsc_join_no_memory(err) : x.kinds.n ? lay_profile(&x, a->total, err) : HSC_OK;
    free(x.calls);
    free(x.keys);
    free(x.kinds.p);
    free(x.more.p);
    free(x.places.p);
    hsc_table_fini(&x.rows);
    hsc_table_fini(&x.twin_keys);
    hsc_table_fini(&x.place_rows);
    return status;
}

/* ---- spans ---- */

typedef struct spanning {
    join *j;
    const jprocess *p;
    uint32_t thread;
    jwaited *calls;
    size_t n;
    hsc_status status;
    hsc_err *err;
} spanning;

/* A call as a whole is what it was for most of its time. */
static void lay_span(void *ctx, void *item) {
    spanning *x = ctx;
    jspan *s = item;
    if (!s->what || x->status != HSC_OK)
        return;
    if (s->thread != x->thread) {
        free(x->calls);
        x->calls = NULL;
        x->thread = s->thread;
        x->status = load_calls(x->j, x->p, track_of(x->p, x->j->threads.p[s->thread]->id), &x->calls, &x->n, x->err);
    }
    const jwaited *call = call_at(x->calls, x->n, s->begin_ns + s->length_ns);
    if (!call || call->begin != s->begin_ns || call->stands_for)
        return;
    if (call->until - call->begin > s->length_ns / 2)
        s->category = HSC_state_WAITING - 1;
    else if (s->category == HSC_state_WAITING - 1)
        s->category = HSC_state_COMMUNICATION - 1;
}

static hsc_status lay_spans(void *ctx, size_t i, hsc_err *err) {
    join *j = ctx;
    spanning x = {.j = j, .p = j->run.p[i], .thread = HSC_NO_INDEX, .err = err};
    jprocess *p = j->run.p[i];
    bool any = false;
    uint64_t hash = 0;
    for (size_t k = 0; p->blame && k < p->blame->tracks.n && x.status == HSC_OK; k++) {
        x.status = load_calls(j, p, &p->blame->tracks.p[k], &x.calls, &x.n, err);
        for (size_t c = 0; c < x.n; c++) /* the same call, whatever else is in the run */
            x.calls[c].context = x.calls[c].line = 0;
        hash = x.n ? hsc_hash64(hash ^ p->blame->tracks.p[k].thread, x.calls, x.n * sizeof *x.calls) : hash;
        any = any || x.n;
        free(x.calls);
        x.calls = NULL;
    }
    p->waited = hash;
    if (x.status == HSC_OK && any && p->spans.count)
        x.status = hsc_spill_change(j->spill, &p->spans, lay_span, &x, err) == HSC_OK ? x.status : HSC_E_IO;
    free(x.calls);
    return x.status;
}

/* ---- to who has the files ---- */

static hsc_status send_some(const join *j, unsigned to, parcel *a, uint64_t end, hsc_err *err) {
    parcel_u64(a, end);
    hsc_status status = hsc_ranks_send(j, to, a, err);
    a->n = 0;
    return status;
}

static hsc_status send_calls(const join *j, unsigned to, hsc_err *err) {
    parcel a = {0};
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < j->run.n; i++) {
        const jprocess *p = j->run.p[i];
        for (size_t k = 0; p->owner == to && p->blame && k < p->blame->tracks.n; k++) {
            hsc_spill_cursor c = {.list = &p->blame->tracks.p[k].waited};
            jwaited list[512];
            uint64_t got = c.list->count;
            while (status == HSC_OK && got) {
                status = hsc_spill_read(j->spill, &c, list, 512, &got, err);
                if (status != HSC_OK || !got)
                    break;
                const uint64_t head[] = {PART, i, k, got};
                parcel_put(&a, head, sizeof head);
                parcel_put(&a, list, got * sizeof *list);
                if (a.n > PART_BYTES)
                    status = send_some(j, to, &a, MORE, err);
            }
        }
    }
    if (status == HSC_OK)
        status = send_some(j, to, &a, END, err);
    parcel_fini(&a);
    return status;
}

static hsc_status receive_calls(const join *j, hsc_err *err) {
    hsc_status status = HSC_OK;
    uint64_t what = MORE;
    while (status == HSC_OK && what == MORE) {
        parcel a = {0};
        status = hsc_ranks_receive(j, 0, &a, err);
        while (status == HSC_OK && !a.failed && (what = parcel_take_u64(&a)) == PART) {
            uint64_t row = parcel_take_u64(&a), track = parcel_take_u64(&a), n = parcel_take_u64(&a);
            jblame *b = row < j->run.n ? j->run.p[row]->blame : NULL;
            a.failed = a.failed || !b || track >= b->tracks.n || n > (a.n - a.at) / sizeof(jwaited) ||
                       !hsc_spill_put_all(j->spill, &b->tracks.p[track].waited, a.p + a.at, n, sizeof(jwaited));
            a.at += a.failed ? 0 : n * sizeof(jwaited);
        }
        status = status == HSC_OK ? hsc_ranks_taken(&a, err) : status;
        parcel_fini(&a);
    }
    return status;
}

/* ---- all ---- */

hsc_status hsc_waited_lay(join *j, hsc_err *err) {
    all_threads a = {.j = j};
    hsc_status status = HSC_OK;
    if (!j->twins)
        return HSC_OK;
    if (hsc_ranks_is_first(j))
        status = hsc_join_each(j, j->run.n, lay_spans, j, "calls", err);
    for (unsigned r = 1; status == HSC_OK && j->team && !j->team->rank && r < j->team->size; r++)
        status = send_calls(j, r, err);
    if (status == HSC_OK && j->team && j->team->rank)
        status = receive_calls(j, err);
    if (status == HSC_OK)
        status = hsc_join_each(j, j->threads.n, lay_thread, &a, "calls", err);
    if (status == HSC_OK && j->team)
        status = hsc_ranks_add_up(j, a.total, CATEGORIES_MAX, err);
    if (status == HSC_OK)
        status = hsc_ranks_merge_used(j, j->kind_used, j->paired_kinds, err);
    for (size_t i = 0; status == HSC_OK && i < CATEGORIES_MAX; i++)
        j->total[i] += a.total[i];
    return status;
}
