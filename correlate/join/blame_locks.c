/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits for locks: who held them, and what it did meanwhile.
 *
 * How long was waited for each holder is in the sums of waits. Waits with a record of their own say when that was: what the holder's
 * samples, waits and calls of message passing tell of that time is what it was late by. Where it waited for a lock itself, that time
 * is handed on to the one that held that one. */
#include <stdlib.h>
#include <string.h>

#include "blame.h"
#include "details.h"

#define BATCH 65536u /* waits that are looked into at a time */

typedef struct look { /* one wait */
    uint64_t begin, end;
    double weight; /* times of its window that it stands for */
    uint32_t delay, victim, holder; /* rows of the process's threads */
} look;

typedef struct stream { /* moments of one thread, of which those before the present window are forgotten */
    hsc_spill_cursor from;
    bool is_calls, ended;
    HSC_VEC(jmoment) seen;
} stream;

typedef struct locks {
    join *j;
    jdelays *d;
    jprocess *p;
    HSC_VEC(look) looks;
    uint32_t *by_victim; /* rows of looks, by thread that waited and end */
} locks;

static bool add_sum(jdelays *d, const jprocess *p, const jwait *w) {
    const jsite *here = &p->sites.p[w->site], *holder = &p->sites.p[w->holder];
    const jthread *victim = hsc_join_known_thread(p, here->thread), *thread = hsc_join_known_thread(p, holder->thread);
    if (!victim || !thread || victim->row == HSC_NO_INDEX || thread->row == HSC_NO_INDEX)
        return true;
    uint32_t delay = hsc_delay_of(d, (jdelay_key){HSC_wait_cause_LOCK, thread->row, holder->context, holder->line});
    return delay != HSC_NO_INDEX &&
           hsc_delay_add_victim(d, delay, victim->row, here->context, here->line, w->count, (double)w->total_ns, (double)w->max_ns);
}

/* The delay that a wait belongs to, and, the second time, what to look into. False: out of memory. */
static bool find_look(locks *x, const jheld *h, bool again) {
    const jprocess *p = x->p;
    if (h->site >= p->sites.n || h->holder >= p->sites.n || !h->length)
        return true;
    const jsite *here = &p->sites.p[h->site], *holder = &p->sites.p[h->holder];
    const jthread *victim = hsc_join_known_thread(p, here->thread), *thread = hsc_join_known_thread(p, holder->thread);
    if (!victim || !thread || victim == thread || victim->row == HSC_NO_INDEX || thread->row == HSC_NO_INDEX)
        return true;
    uint32_t delay = hsc_delay_of(x->d, (jdelay_key){HSC_wait_cause_LOCK, thread->row, holder->context, holder->line});
    if (delay == HSC_NO_INDEX)
        return false;
    if (!again)
        x->d->sums.p[delay].windows += (double)h->stands_for;
    return !again || HSC_PUSH(x->looks, (look){h->time - h->length, h->time, (double)h->stands_for / (double)h->length, delay,
                                     (uint32_t)(victim - p->threads.p), (uint32_t)(thread - p->threads.p)});
}

static int by_holder(const void *pa, const void *pb) {
    const look *a = pa, *b = pb;
    if (a->holder != b->holder)
        return a->holder < b->holder ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->victim < b->victim ? -1 : a->victim > b->victim;
}

static int by_victim(const void *pa, const void *pb, void *ctx) {
    const look *looks = ctx, *a = &looks[*(const uint32_t *)pa], *b = &looks[*(const uint32_t *)pb];
    if (a->victim != b->victim)
        return a->victim < b->victim ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

/* ---- the holder's moments ---- */

static hsc_status next_moment(join *j, stream *s, jmoment *m, bool *any, hsc_err *err) {
    if (!s->is_calls)
        return hsc_spill_next(j->spill, &s->from, m, any, err);
    jmessage_event e;
    hsc_status status = hsc_spill_next(j->spill, &s->from, &e, any, err);
    if (status == HSC_OK && *any)
        *m = (jmoment){e.time + e.duration, e.duration, e.frame, true};
    return status;
}

/* Those that end after `begin`, until one that ends after `end`. */
static hsc_status look_on(join *j, stream *s, uint64_t begin, uint64_t end, hsc_err *err) {
    size_t keep = 0;
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < s->seen.n; i++)
        if (s->seen.p[i].time > begin)
            s->seen.p[keep++] = s->seen.p[i];
    s->seen.n = keep;
    while (status == HSC_OK && s->from.list && !s->ended && !(s->seen.n && s->seen.p[s->seen.n - 1].time > end)) {
        jmoment m;
        bool any = false;
        status = next_moment(j, s, &m, &any, err);
        s->ended = status == HSC_OK && !any;
        const jmoment *last = s->seen.n ? &s->seen.p[s->seen.n - 1] : NULL;
        bool same = last && s->is_calls && any && last->time == m.time && last->length == m.length; /* completed by one call */
        if (status == HSC_OK && any && m.time > begin && !same && !HSC_PUSH(s->seen, m))
            status = hsc_join_no_memory(err);
    }
    return status;
}

static uint64_t begin_of(const jmoment *m) { return m->time > m->length ? m->time - m->length : 0; }

static bool add(locks *x, const look *l, const jmoment *m, double ns, double *told) {
    jspot s = hsc_blame_spot(x->j, m->frame);
    *told += ns;
    return ns <= 0 || hsc_delay_add_cell(x->d, l->delay, &s, true, l->weight * ns);
}

/* First of the looks by victim in which `thread` waited that ends after `time`. */
static size_t first_wait(const locks *x, uint32_t thread, uint64_t time) {
    size_t low = 0, high = x->looks.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const look *l = &x->looks.p[x->by_victim[middle]];
        if (l->victim < thread || (l->victim == thread && l->end <= time))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* For how long the thread waited for locks from a to b; with `of`: handed on. False: out of memory. */
static bool time_locked(const locks *x, uint32_t thread, uint64_t a, uint64_t b, const look *of, uint64_t *sum) {
    *sum = 0;
    for (size_t i = first_wait(x, thread, a); i < x->looks.n; i++) {
        const look *l = &x->looks.p[x->by_victim[i]];
        uint64_t ns = hsc_blame_overlap(l->begin, l->end, a, b);
        if (l->victim != thread || !ns)
            return true;
        *sum += ns;
        if (!of)
            continue;
        const jdelay_sum *s = &x->d->sums.p[of->delay];
        if (s->windows > 0 && !hsc_delay_add_flow(x->d, of->delay, l->delay, of->weight * (double)ns * s->wait_ns / s->windows))
            return false;
    }
    return true;
}

/* What the holder did in one window. */
static hsc_status look_into(locks *x, const look *l, const stream *moments, const stream *calls, hsc_err *err) {
    uint64_t locked = 0;
    double told = 0, period = (double)x->p->period_ns, length = (double)(l->end - l->begin);
    bool ok = time_locked(x, l->holder, l->begin, l->end, l, &locked), wall = x->p->blame->wall_event != 0;
    for (size_t i = 0; ok && i < calls->seen.n; i++)
        ok = add(x, l, &calls->seen.p[i], (double)hsc_blame_overlap(begin_of(&calls->seen.p[i]), calls->seen.p[i].time, l->begin, l->end), &told);
    for (size_t i = 0; ok && i < moments->seen.n; i++) {
        const jmoment *m = &moments->seen.p[i];
        uint64_t from = m->is_interval ? begin_of(m) : m->time - 1, to = m->time;
        from = from > l->begin ? from : l->begin;
        to = to < l->end ? to : l->end;
        if (from >= to)
            continue;
        uint64_t in_call = 0, in_lock;
        for (size_t k = 0; k < calls->seen.n; k++)
            in_call += hsc_blame_overlap(begin_of(&calls->seen.p[k]), calls->seen.p[k].time, from, to);
        ok = time_locked(x, l->holder, from, to, NULL, &in_lock);
        double ns = m->is_interval ? (double)(to - from) - (double)in_call - (double)in_lock : in_call || in_lock ? 0 : (double)m->length;
        ok = ok && add(x, l, m, ns, &told);
    }
    jdelay_sum *s = &x->d->sums.p[l->delay];
    const jspot nowhere = {HSC_NO_INDEX, HSC_NO_INDEX, HSC_NO_INDEX};
    s->told_ns += l->weight * told;
    s->noise_ns2 += l->weight * l->weight * length * period;
    ok = ok && (wall || hsc_delay_add_cell(x->d, l->delay, &nowhere, true, l->weight * (length - (double)locked - told)));
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

static const jtrack *track_of(const jblame *b, uint64_t thread) {
    uint32_t row = hsc_table_get(&b->track_rows, thread, 0);
    if (row != HSC_NO_INDEX)
        return &b->tracks.p[row];
    for (size_t i = 0; i < b->tracks.n; i++) /* of another rank's process there is no table */
        if (b->tracks.p[i].thread == thread)
            return &b->tracks.p[i];
    return NULL;
}

static hsc_status look_into_all(locks *x, hsc_err *err) {
    hsc_status status = HSC_OK;
    size_t n = x->looks.n;
    x->by_victim = malloc((n + 1) * sizeof *x->by_victim);
    if (!x->by_victim)
        return hsc_join_no_memory(err);
    if (n > 1)
        qsort(x->looks.p, n, sizeof *x->looks.p, by_holder);
    for (uint32_t i = 0; i < n; i++)
        x->by_victim[i] = i;
    if (n > 1)
        qsort_r(x->by_victim, n, sizeof *x->by_victim, by_victim, x->looks.p);
    stream moments = {0}, calls = {.is_calls = true};
    for (size_t i = 0; status == HSC_OK && i < n; i++) {
        const look *l = &x->looks.p[i];
        if (!i || l->holder != l[-1].holder) {
            const jtrack *t = track_of(x->p->blame, x->p->threads.p[l->holder].id);
            hsc_spill_cursor_fini(&moments.from);
            hsc_spill_cursor_fini(&calls.from);
            moments.from = (hsc_spill_cursor){.list = t ? &t->moments : NULL};
            calls.from = (hsc_spill_cursor){.list = t ? &t->events : NULL};
            moments.ended = calls.ended = false;
            moments.seen.n = calls.seen.n = 0;
        }
        status = look_on(x->j, &moments, l->begin, l->end, err);
        if (status == HSC_OK)
            status = look_on(x->j, &calls, l->begin, l->end, err);
        if (status == HSC_OK)
            status = look_into(x, l, &moments, &calls, err);
        if (status == HSC_OK && !(i & 0xFFF))
            status = hsc_join_check(x->j, err);
    }
    hsc_spill_cursor_fini(&moments.from);
    hsc_spill_cursor_fini(&calls.from);
    free(moments.seen.p);
    free(calls.seen.p);
    free(x->by_victim);
    x->by_victim = NULL;
    return status;
}

hsc_status hsc_blame_locks(join *j, jdelays *d, jprocess *p, hsc_err *err) {
    locks x = {.j = j, .d = d, .p = p};
    hsc_status status = HSC_OK;
    d->period_ns = (double)p->period_ns > d->period_ns ? (double)p->period_ns : d->period_ns;
    for (size_t k = 0; status == HSC_OK && k < p->waits.n; k++)
        if (p->waits.p[k].holder != HSC_NO_INDEX && p->waits.p[k].total_ns && !add_sum(d, p, &p->waits.p[k]))
            status = hsc_join_no_memory(err);
    if (!p->blame || !p->blame->held.count)
        return status;
    jheld *list = malloc(BATCH * sizeof *list);
    if (!list)
        status = hsc_join_no_memory(err);
    for (unsigned again = 0; again < 2; again++) { /* how much there is of a delay is known before its parts are */
        hsc_spill_cursor c = {.list = &p->blame->held};
        for (uint64_t got = 1; status == HSC_OK && got;) {
            x.looks.n = 0;
            status = hsc_spill_read(j->spill, &c, list, BATCH, &got, err);
            for (uint64_t i = 0; status == HSC_OK && i < got; i++)
                if (!find_look(&x, &list[i], again))
                    status = hsc_join_no_memory(err);
            if (status == HSC_OK && x.looks.n)
                status = look_into_all(&x, err);
        }
        hsc_spill_cursor_fini(&c);
    }
    free(list);
    free(x.looks.p);
    return status;
}
