/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits for locks and at barriers of threads: who held the lock or came last, and what it did meanwhile.
 *
 * How long was waited for each holder is in the sums of waits. Waits with a record of their own say when that was: what the holder's
 * samples, waits and calls of message passing tell of that time is what it was late by. Where it waited for a lock itself, that time
 * is handed on to the one that held that one. At a barrier the last one is the one that did not wait when the others were let go. Where
 * it is known since when they had been in step, both are looked at from there on: what the last one did more, or for how much longer it had
 * no processor, is what it was late by. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/causes.h>

#include <heatscope/sorted.h>
#include "blame.h"
#include "details.h"

#define LATE_MAX 8u /* threads that came within the last millisecond: one of them was the last */
#define STEP_PERIODS_MAX (1u << 20) /* both are looked at for so many periods at most: they are held in memory */

typedef struct look { /* one wait */
    uint64_t begin, end, until; /* until: what ended it was done; from there to the end it had no processor */
    uint64_t step;              /* at a barrier: they were last in step then; begin: not known, or there */
    double weight; /* times of its window that it stands for */
    uint32_t delay, victim, holder; /* rows of the process's threads */
    uint32_t region, alike; /* of a barrier: context, and waits that tell of the same time */
    uint32_t among;         /* looks of the same wait, one for each that may have been the last */
} look;

typedef struct arrival { /* at a barrier */
    uint64_t begin, end;
    uint32_t region, kind, thread, site; /* region: context; or that of the place */
    uint32_t threads;          /* of the team; 0: not known */
    uint64_t instance, master; /* number of the region, 0: none; id of the thread that forked it */
    uint64_t step;             /* as a look's */
} arrival;

typedef struct member { /* of the threads that wait at a barrier */
    uint32_t region, kind, thread;
} member;

typedef struct home { /* where a sample of a worker was hung */
    uint32_t line, instance, context;
} home;

typedef struct stream { /* moments of one thread, of which those before the present window are forgotten */
    hsc_spill_cursor from;
    bool is_calls, ended;
    size_t from_seen;            /* those before it are forgotten */
    HSC_VEC(jmoment) seen;       /* by time */
    HSC_VEC(uint64_t) earliest;  /* by row of seen: the first begin of it and of all behind it */
} stream;

typedef struct locks {
    join *j;
    jdelays *d;
    jprocess *p;
    HSC_VEC(look) looks;
    HSC_VEC(arrival) arrivals;
    HSC_VEC(member) members;
    hsc_table regions;   /* by row of the process's sites and kind of wait: hsc_blame_region_of */
    HSC_VEC(home) homes; /* of the present thread */
    hsc_table found;     /* by frame and region: the context that go_home found there */
    uint32_t *by_victim; /* rows of looks, by thread that waited and end */
} locks;

static uint64_t tick_of(const locks *x, uint64_t time) {
    uint64_t tick = hsc_join_since_start(x->j, x->p, time) / (x->j->tick_ns ? x->j->tick_ns : 1);
    return tick < x->j->end_tick ? tick : x->j->end_tick;
}

/* From when on a wait is looked into. */
static uint64_t step_of(const locks *x, uint64_t step, uint64_t begin) {
    return step < begin && (begin - step) / STEP_PERIODS_MAX < x->p->period_ns ? step : begin;
}

static bool add_sum(jdelays *d, const jprocess *p, const jwait *w) {
    const jsite *here = &p->sites.p[w->site], *holder = &p->sites.p[w->holder];
    const jthread *victim = hsc_join_known_thread(p, here->thread), *thread = hsc_join_known_thread(p, holder->thread);
    if (!victim || !thread || victim->row == HSC_NO_INDEX || thread->row == HSC_NO_INDEX)
        return true;
    uint32_t delay = hsc_delay_of(d, (jdelay_key){hsc_cause_of_wait(w->kind), thread->row, holder->context, holder->line, false, hsc_blame_is_idle(victim, w->kind)});
    return delay != HSC_NO_INDEX &&
           hsc_delay_add_victim(d, delay, victim->row, here->context, here->line, HSC_NO_INDEX, w->count, (double)w->total_ns, (double)w->max_ns) &&
           HSC_PUSH(d->wait_parts, (jwait_part){(uint32_t)(w - p->waits.p), d->victim, 1, 1});
}

/* The delay that a wait which another thread ended belongs to. False: out of memory. */
static bool add_lock(locks *x, const jheld *h) {
    const jprocess *p = x->p;
    if (h->site >= p->sites.n || h->holder >= p->sites.n || !h->length)
        return true;
    const jsite *here = &p->sites.p[h->site], *holder = &p->sites.p[h->holder];
    const jthread *victim = hsc_join_known_thread(p, here->thread), *thread = hsc_join_known_thread(p, holder->thread);
    if (!victim || !thread || victim == thread || victim->row == HSC_NO_INDEX || thread->row == HSC_NO_INDEX)
        return true;
    uint32_t delay = hsc_delay_of(x->d, (jdelay_key){hsc_cause_of_wait(h->kind), thread->row, holder->context, holder->line, false, hsc_blame_is_idle(victim, h->kind)});
    if (delay == HSC_NO_INDEX)
        return false;
    jdelay_sum *s = &x->d->sums.p[delay];
    bool barrier = hsc_blame_is_barrier(h->kind);
    uint64_t begin = h->time - h->length, until = h->time - h->after, step = h->in_step ? step_of(x, h->time - h->in_step, begin) : begin;
    s->windows += (double)h->stands_for;
    s->victims += barrier ? (double)h->stands_for : 0;
    s->stepped_ns += step < begin ? (double)h->stands_for : 0;
    return HSC_PUSH(x->looks, (look){begin, barrier ? until : h->time, until, step, (double)h->stands_for / (double)h->length, delay,
                                     (uint32_t)(victim - p->threads.p), (uint32_t)(thread - p->threads.p), HSC_NO_INDEX, 1, 1});
}

/* ---- barriers ---- */

/* Few places wait often. False: out of memory. */
static bool find_region(locks *x, uint32_t site, uint32_t kind, uint32_t *region) {
    uint32_t *at = hsc_table_at(&x->regions, (uint64_t)kind << 32 | site, 0);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX)
        *at = hsc_blame_region_of(x->j, &x->p->sites.p[site], kind);
    *region = *at;
    return true;
}

static bool add_arrival(locks *x, const jheld *h) {
    const jprocess *p = x->p;
    const jsite *site = h->site < p->sites.n ? &p->sites.p[h->site] : NULL;
    const jthread *t = site && h->length ? hsc_join_known_thread(p, site->thread) : NULL;
    if (!t || t->row == HSC_NO_INDEX)
        return true;
    uint32_t region;
    if (!find_region(x, h->site, h->kind, &region))
        return false;
    return HSC_PUSH(x->arrivals, (arrival){h->time - h->length, h->time, region == HSC_NO_INDEX ? site->context : region, h->kind,
                                           (uint32_t)(t - p->threads.p), h->site, h->threads, h->threads && h->master ? h->region : 0, h->master,
                                           h->time - (h->in_step ? h->in_step : h->length)});
}

static int by_barrier(const void *pa, const void *pb) {
    const arrival *a = pa, *b = pb;
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->instance != b->instance)
        return a->instance < b->instance ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int by_team(const void *pa, const void *pb) {
    const member *a = pa, *b = pb;
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Who has ever waited at a barrier, sorted. */
static bool find_members(locks *x) {
    const jprocess *p = x->p;
    bool ok = true;
    for (size_t i = 0; ok && i < p->waits.n; i++) {
        const jwait *w = &p->waits.p[i];
        const jsite *site = &p->sites.p[w->site];
        const jthread *t = hsc_blame_is_barrier(w->kind) && w->holder == HSC_NO_INDEX ? hsc_join_known_thread(p, site->thread) : NULL;
        uint32_t region = t && t->row != HSC_NO_INDEX ? hsc_blame_region_of(x->j, site, w->kind) : HSC_NO_INDEX;
        if (t && t->row != HSC_NO_INDEX)
            ok = HSC_PUSH(x->members, (member){region == HSC_NO_INDEX ? site->context : region, w->kind, (uint32_t)(t - p->threads.p)});
    }
    if (ok && x->members.n > 1)
        qsort(x->members.p, x->members.n, sizeof *x->members.p, by_team);
    return ok;
}

/* The threads that took part in this region; where that is not known, that have ever waited at it. Returns their number. */
static size_t find_team(const locks *x, const arrival *of, bool *in_team) {
    size_t low = 0, high = x->members.n, n = 0;
    if (of->instance) {
        hsc_blame_team_of(x->p, of->instance, of->master, of->threads, in_team);
        return of->threads;
    }
    memset(in_team, 0, x->p->threads.n);
    HSC_SEARCH(low, high, by_team(&x->members.p[low], &(member){of->region, of->kind, 0}) < 0);
    for (; low < x->members.n && x->members.p[low].region == of->region && x->members.p[low].kind == of->kind; low++) {
        n += !in_team[x->members.p[low].thread];
        in_team[x->members.p[low].thread] = true;
    }
    return n;
}

static bool cover(const locks *x, const arrival *a, const hsc_table *wait_rows, jcovered *covered) {
    uint32_t row = hsc_table_get(wait_rows, (uint64_t)a->site << 8 | a->kind, 0);
    if (row == HSC_NO_INDEX || covered[row].waits >= x->p->waits.p[row].count)
        return false;
    covered[row].waits++;
    covered[row].ns += (double)(a->end - a->begin);
    return true;
}

/* Those that were at one barrier together, a[0] the first one to be let go. */
static bool add_barrier(locks *x, const arrival *const *a, size_t n, const bool *in_team, size_t team, bool *here, const hsc_table *wait_rows,
                        jcovered *covered) {
    uint32_t late[LATE_MAX];
    uint64_t until = a[0]->end;
    uint64_t step = UINT64_MAX; /* all were let go at once, and who had no processor then says so late */
    size_t lates = 0, absent = 0;
    memset(here, 0, x->p->threads.n);
    for (size_t i = 0; i < n; i++) {
        here[a[i]->thread] = true;
        step = a[i]->step < a[i]->begin && a[i]->step < step ? a[i]->step : step;
    }
    for (uint32_t t = 0; t < x->p->threads.n; t++)
        absent += in_team[t] && !here[t];
    if (absent > LATE_MAX || absent + n < team) { /* who the others are is not known */
        for (size_t i = 0; i < n && a[0]->instance; i++)
            cover(x, a[i], wait_rows, covered);
        return true;
    }
    for (uint32_t t = 0; t < x->p->threads.n && team > n && lates < LATE_MAX; t++)
        if (in_team[t] && !here[t])
            late[lates++] = t;
    if (!lates) {
        const arrival *last = a[0];
        for (size_t i = 1; i < n; i++)
            last = a[i]->begin > last->begin ? a[i] : last;
        late[lates++] = last->thread;
        until = last->begin;
    }
    for (size_t i = 0; i < n; i++) {
        const jsite *site = &x->p->sites.p[a[i]->site];
        bool waited = (a[i]->thread != late[0] || lates > 1) && a[i]->begin < until;
        if (!(waited || a[i]->instance) || !cover(x, a[i], wait_rows, covered) || !waited)
            continue; /* once all have come it is nobody's doing */
        double ns = (double)(until - a[i]->begin) / (double)lates;
        uint64_t from = step_of(x, step, a[i]->begin);
        for (size_t k = 0; k < lates; k++) {
            jdelay_key key = {HSC_wait_cause_OMP_BARRIER, x->p->threads.p[late[k]].row, a[i]->region, site->line, false, false};
            uint32_t delay = hsc_delay_of(x->d, key);
            if (delay == HSC_NO_INDEX || !hsc_delay_add_victim(x->d, delay, x->p->threads.p[a[i]->thread].row, site->context, site->line, HSC_NO_INDEX,
                                                               k == 0, ns, (double)(until - a[i]->begin)) ||
                !hsc_delay_victim_at(x->d, x->d->victim, tick_of(x, until), k == 0, ns, (double)(until - a[i]->begin)) ||
                !HSC_PUSH(x->looks, (look){a[i]->begin, until, until, from, 1.0 / (double)lates, delay, a[i]->thread, late[k], a[i]->region, (uint32_t)n, (uint32_t)lates}))
                return false;
            x->d->sums.p[delay].windows += ns;
            x->d->sums.p[delay].victims += ns; /* one for each */
            x->d->sums.p[delay].stepped_ns += from < a[i]->begin ? ns : 0;
        }
    }
    return true;
}

static bool add_barriers(locks *x, jcovered *covered) {
    size_t n = x->arrivals.n, threads = x->p->threads.n;
    bool *in_team = malloc(threads + 1), *here = malloc(threads + 1), *taken = calloc(n + 1, sizeof *taken);
    const arrival **together = malloc((threads + 1) * sizeof *together);
    hsc_table wait_rows = {0};
    bool ok = in_team && here && taken && together && find_members(x);
    hsc_blame_team_sort(x->p->blame);
    for (uint32_t i = 0; ok && i < x->p->waits.n; i++) {
        const jwait *w = &x->p->waits.p[i];
        bool barrier = hsc_blame_is_barrier(w->kind) && w->holder == HSC_NO_INDEX;
        uint32_t *at = w->kind < 256 && barrier ? hsc_table_at(&wait_rows, (uint64_t)w->site << 8 | w->kind, 0) : NULL;
        ok = at || !barrier;
        if (at)
            *at = i;
    }
    if (ok && n > 1)
        qsort(x->arrivals.p, n, sizeof *x->arrivals.p, by_barrier);
    size_t team = 0;
    for (size_t i = 0; ok && i < n; i++) {
        const arrival *first = &x->arrivals.p[i];
        if (!i || first->region != first[-1].region || first->kind != first[-1].kind || first->instance != first[-1].instance)
            team = find_team(x, first, in_team);
        if (taken[i] || team < 2)
            continue;
        size_t count = 0;
        memset(here, 0, threads);
        for (size_t k = i; k < n && k < i + 2 * team && count < team; k++) {
            const arrival *a = &x->arrivals.p[k];
            if (a->region != first->region || a->kind != first->kind || a->instance != first->instance)
                break;
            if (taken[k] || a->begin >= first->end || here[a->thread])
                continue;
            taken[k] = here[a->thread] = true;
            together[count++] = a;
        }
        ok = add_barrier(x, together, count, in_team, team, here, &wait_rows, covered);
    }
    free(in_team);
    free(here);
    free(taken);
    free(together);
    hsc_table_fini(&wait_rows);
    return ok;
}

/* ---- in order ---- */

static int by_holder(const void *pa, const void *pb) {
    const look *a = pa, *b = pb;
    if (a->holder != b->holder)
        return a->holder < b->holder ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
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

static int by_step(const void *pa, const void *pb, void *ctx) {
    const look *looks = ctx, *a = &looks[*(const uint32_t *)pa], *b = &looks[*(const uint32_t *)pb];
    if (a->victim != b->victim)
        return a->victim < b->victim ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* ---- moments of the holder, or of the one that waited ---- */

static hsc_status next_moment(join *j, stream *s, jmoment *m, bool *any, hsc_err *err) {
    if (!s->is_calls)
        return hsc_spill_next(j->spill, &s->from, m, any, err);
    jmessage_event e;
    hsc_status status;
    do /* short ones are told by samples */
        status = hsc_spill_next(j->spill, &s->from, &e, any, err);
    while (status == HSC_OK && *any && !hsc_blame_is_counted(&e));
    if (status == HSC_OK && *any)
        *m = (jmoment){.time = e.time + e.duration, .length = e.duration, .frame = e.frame, .is_interval = true, .kind = HSC_wait_kind_MESSAGE};
    return status;
}

/* A sample in a call does not tell that: the call's own moment is still to come. */
static bool is_behind(const jmoment *m, uint64_t end) { return m->time > end && (m->is_interval || !m->kind); }

static uint64_t begin_of(const jmoment *m) { return m->time > m->length ? m->time - m->length : 0; }
static uint64_t span_begin(const stream *s, const jmoment *m) { return s->is_calls || m->is_interval ? begin_of(m) : m->time ? m->time - 1 : 0; }

/* The first that is not forgotten and ends after `time`. */
static size_t first_after(const stream *s, uint64_t time) {
    size_t low = 0, high = s->seen.n - s->from_seen;
    const jmoment *seen = high ? s->seen.p + s->from_seen : NULL;
    HSC_SEARCH(low, high, seen[low].time <= time);
    return s->from_seen + low;
}

/* The first from which on all begin at `time` or later. */
static size_t end_before(const stream *s, uint64_t time) {
    size_t low = 0, high = s->seen.n - s->from_seen;
    const uint64_t *earliest = high ? s->earliest.p + s->from_seen : NULL;
    HSC_SEARCH(low, high, earliest[low] < time);
    return s->from_seen + low;
}

/* In order of time, in which nearly all come. */
static bool see(stream *s, const jmoment *m) {
    uint64_t begin = span_begin(s, m);
    if (!HSC_PUSH(s->seen, *m) || !HSC_PUSH(s->earliest, begin))
        return false;
    size_t at = s->seen.n - 1;
    for (; at > s->from_seen && s->seen.p[at - 1].time > m->time; at--) {
        s->seen.p[at] = s->seen.p[at - 1];
        s->seen.p[at - 1] = *m;
    }
    for (size_t i = s->seen.n; i-- > at;) {
        uint64_t own = span_begin(s, &s->seen.p[i]);
        s->earliest.p[i] = i + 1 < s->seen.n && s->earliest.p[i + 1] < own ? s->earliest.p[i + 1] : own;
    }
    for (size_t i = at; i-- > s->from_seen && s->earliest.p[i] > s->earliest.p[at];)
        s->earliest.p[i] = s->earliest.p[at];
    return true;
}

/* Those that end after `begin`, until one that ends after `end`. */
static hsc_status look_on(join *j, stream *s, uint64_t begin, uint64_t end, hsc_err *err) {
    hsc_status status = HSC_OK;
    s->from_seen = first_after(s, begin);
    if (s->from_seen > s->seen.n / 2) {
        s->seen.n -= s->from_seen;
        s->earliest.n -= s->from_seen;
        memmove(s->seen.p, s->seen.p + s->from_seen, s->seen.n * sizeof *s->seen.p);
        memmove(s->earliest.p, s->earliest.p + s->from_seen, s->earliest.n * sizeof *s->earliest.p);
        s->from_seen = 0;
    }
    while (status == HSC_OK && s->from.list && !s->ended && !(s->seen.n > s->from_seen && is_behind(&s->seen.p[s->seen.n - 1], end))) {
        jmoment m;
        bool any = false;
        status = next_moment(j, s, &m, &any, err);
        s->ended = status == HSC_OK && !any;
        const jmoment *last = s->seen.n > s->from_seen ? &s->seen.p[s->seen.n - 1] : NULL;
        bool same = last && s->is_calls && any && last->time == m.time && last->length == m.length; /* completed by one call */
        if (status == HSC_OK && any && m.time > begin && !same && !see(s, &m))
            status = hsc_join_no_memory(err);
    }
    return status;
}

static int by_code(const void *pa, const void *pb) {
    const home *a = pa, *b = pb;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->instance != b->instance)
        return a->instance < b->instance ? -1 : 1;
    return a->context < b->context ? -1 : a->context > b->context;
}

/* On how many calls in turn, from the innermost out, the path of the frame and that of the context agree. */
static unsigned calls_alike(const join *j, uint32_t frame, uint32_t context) {
    unsigned n = 0;
    for (uint32_t caller = hsc_join_caller(j, frame); caller != HSC_NO_INDEX && j->frames.p[caller].place != HSC_NO_INDEX; caller = hsc_join_caller(j, caller), n++) {
        while (context && j->contexts.p[context].kind != HSC_CONTEXT_PROCEDURE) /* loops and what is inlined are of one frame */
            context = j->contexts.p[context].parent;
        if (!context || j->contexts.p[context].call_line != hsc_join_place_of(j, caller)->line_row)
            break;
        context = j->contexts.p[context].parent;
    }
    return n;
}

/* Samples of a worker stand below the procedure that forked the region, which is not on their path: where those of the same code are that was
 * called alike; where its profile has none in this region, as its samples are told of another or of none, the same code elsewhere: what it did
 * is known all the same. */
static void find_home(const locks *x, const look *l, uint32_t frame, jspot *s) {
    size_t low = 0, high = x->homes.n;
    HSC_SEARCH(low, high, by_code(&x->homes.p[low], &(home){s->line, s->instance, 0}) < 0);
    uint32_t end = l->region != HSC_NO_INDEX ? x->j->subtree_ends.p[l->region] : 0, best = HSC_NO_INDEX;
    unsigned most = 0;
    bool best_here = false;
    for (size_t i = low; i < x->homes.n && x->homes.p[i].line == s->line && x->homes.p[i].instance == s->instance; i++) {
        uint32_t context = x->homes.p[i].context;
        bool here = l->region == HSC_NO_INDEX ? !s->context : context >= l->region && context < end;
        unsigned alike = calls_alike(x->j, frame, context);
        if ((!here && s->context) || (best != HSC_NO_INDEX && (here < best_here || (here == best_here && alike <= most))))
            continue;
        best = context;
        best_here = here;
        most = alike;
    }
    s->context = best != HSC_NO_INDEX ? best : s->context;
}

/* A few frames are in many waits. The spot is that of the frame. */
static bool go_home(locks *x, const look *l, uint32_t frame, jspot *s) {
    if (!x->homes.n)
        return true;
    uint32_t *at = hsc_table_at(&x->found, (uint64_t)frame << 32 | l->region, 0);
    if (!at)
        return false;
    if (*at == HSC_NO_INDEX) {
        find_home(x, l, frame, s);
        *at = s->context;
    }
    s->context = *at;
    return true;
}

static hsc_status find_homes(locks *x, uint32_t thread, hsc_err *err) {
    jcount *profile = NULL;
    size_t n = 0;
    x->homes.n = 0;
    hsc_table_fini(&x->found);
    x->found = (hsc_table){0};
    if (!hsc_blame_wants_profiles(x->p))
        return HSC_OK;
    hsc_status status = hsc_join_load_profile(x->j, &x->p->threads.p[thread], &profile, &n, err);
    for (size_t i = 0; status == HSC_OK && i < n; i++) {
        const jkind *k = &x->j->kinds.p[profile[i].kind];
        if (!k->metric && !HSC_PUSH(x->homes, (home){k->line, k->instance, k->context}))
            status = hsc_join_no_memory(err);
    }
    free(profile);
    if (x->homes.n > 1)
        qsort(x->homes.p, x->homes.n, sizeof *x->homes.p, by_code);
    return status;
}

/* `waited`: from its begin to its end, not drawn by a sample. */
static bool add(locks *x, const look *l, const jmoment *m, bool late, bool waited, double ns, double *told) {
    jdoing did = hsc_blame_doing(x->j, m);
    *told += ns;
    if (ns <= 0)
        return true;
    if (!go_home(x, l, m->frame, &did.spot))
        return false;
    return late && waited ? hsc_delay_add_waited(x->d, l->delay, &did, l->weight * ns, tick_of(x, m->time))
                          : hsc_delay_add_cell(x->d, l->delay, &did, late, l->weight * ns, tick_of(x, m->time));
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
static bool time_locked(const locks *x, uint32_t thread, uint64_t a, uint64_t b, const look *of, double *sum) {
    *sum = 0;
    for (size_t i = first_wait(x, thread, a); i < x->looks.n; i++) {
        const look *l = &x->looks.p[x->by_victim[i]];
        double ns = (double)hsc_blame_overlap(l->begin, l->end, a, b) / l->among;
        if (l->victim != thread || ns <= 0)
            return true;
        *sum += ns;
        if (!of)
            continue;
        const jdelay_sum *s = &x->d->sums.p[of->delay];
        if (s->windows > 0 && !hsc_delay_add_flow(x->d, of->delay, l->delay, of->weight * ns * s->wait_ns / s->windows))
            return false;
    }
    return true;
}

/* It had been let go, or the region been forked, and it did not know yet. */
static bool is_let_go_late(const jmoment *m, const look *l) {
    return m->is_interval && l->step < l->begin && begin_of(m) <= l->step && (hsc_blame_is_barrier(m->kind) || m->kind == HSC_wait_kind_OMP_IDLE);
}

/* What the holder did up to the end of the wait or, not `late`, the one that waited up to its begin. */
static hsc_status look_into(locks *x, const look *l, bool late, const stream *moments, const stream *calls, hsc_err *err) {
    uint64_t first = l->step, last = late ? l->until : l->begin;
    uint32_t thread = late ? l->holder : l->victim;
    double locked = 0, told = 0, drawn = 0, length = (double)((late ? l->end : l->begin) - first); /* what is after `until` nobody is told to have done */
    /* who joins a thread waits for its work, and that it waited meanwhile is no other's doing towards who joins */
    bool hands_on = x->d->sums.p[l->delay].key.kind != HSC_wait_cause_THREAD_END, wall = x->p->blame->wall_event != 0;
    bool ok = !hands_on || !late || time_locked(x, thread, l->begin, l->until, l, &locked);
    ok = ok && (!hands_on || time_locked(x, thread, first, last, NULL, &locked));
    for (size_t i = first_after(calls, first), end = end_before(calls, last); ok && i < end; i++)
        ok = add(x, l, &calls->seen.p[i], late, true, (double)hsc_blame_overlap(begin_of(&calls->seen.p[i]), calls->seen.p[i].time, first, last), &told);
    uint64_t timed = UINT64_MAX; /* begin of the wait that ended next */
    size_t begin = first_after(moments, first), end = end_before(moments, last);
    for (size_t i = end; i < moments->seen.n && timed == UINT64_MAX; i++)
        timed = moments->seen.p[i].is_interval ? begin_of(&moments->seen.p[i]) : timed;
    for (size_t i = end; ok && i-- > begin;) {
        const jmoment *m = &moments->seen.p[i];
        if (hsc_blame_is_within(m, timed))
            continue;
        timed = m->is_interval ? begin_of(m) : timed;
        uint64_t from = m->is_interval ? begin_of(m) : m->time - 1, to = m->time;
        from = from > first ? from : first;
        to = to < last ? to : last;
        if (from >= to || is_let_go_late(m, l))
            continue;
        uint64_t in_call = 0;
        double in_lock = 0;
        for (size_t k = first_after(calls, from), n = end_before(calls, to); k < n; k++)
            in_call += hsc_blame_overlap(begin_of(&calls->seen.p[k]), calls->seen.p[k].time, from, to);
        ok = !hands_on || time_locked(x, thread, from, to, NULL, &in_lock);
        double ns = m->is_interval ? hsc_blame_times(m) * ((double)(to - from) - (double)in_call - in_lock) : in_call || in_lock > 0 ? 0 : (double)m->length;
        drawn += m->is_interval ? 0 : ns * ns;
        if (!m->is_interval)
            hsc_delay_drawn(x->d, ns);
        ok = ok && add(x, l, m, late, m->is_interval && !wall, ns, &told);
    }
    jdelay_sum *s = &x->d->sums.p[l->delay];
    const jdoing nowhere = HSC_DOING_NOTHING;
    if (late) {
        uint64_t unseen = first > s->spanned_until ? first : s->spanned_until; /* windows of one holder come in the order of their begin */
        s->looked_ns += l->weight * length;
        s->spanned_ns += l->end > unseen ? (double)(l->end - unseen) : 0;
        s->spanned_until = l->end > s->spanned_until ? l->end : s->spanned_until;
    }
    *(late ? &s->told_ns : &s->told_of_others_ns) += l->weight * told;
    s->noise_ns2 += l->weight * l->weight * fmax(length * (double)x->p->period_ns, drawn) * (late ? l->alike : 1);
    ok = ok && (wall || hsc_delay_add_cell(x->d, l->delay, &nowhere, late, l->weight * (length - locked - told), HSC_DELAY_NO_TICK));
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

static jtrack *track_of(const jblame *b, uint64_t thread) {
    uint32_t row = hsc_table_get(&b->track_rows, thread, 0);
    if (row != HSC_NO_INDEX)
        return &b->tracks.p[row];
    for (size_t i = 0; i < b->tracks.n; i++) /* of another rank's process there is no table */
        if (b->tracks.p[i].thread == thread)
            return &b->tracks.p[i];
    return NULL;
}

/* Waits of threads that pass messages: whoever waits for their messages waited for these. */
static bool keep_for_ranks(locks *x) {
    jtrack *t = NULL;
    bool ok = true;
    for (size_t i = 0; ok && i < x->looks.n; i++) {
        const look *l = &x->looks.p[x->by_victim[i]];
        bool other = !i || x->looks.p[x->by_victim[i - 1]].victim != l->victim;
        ok = !other || !t || hsc_spill_flush(x->j->spill, &t->stood);
        t = other ? track_of(x->p->blame, x->p->threads.p[l->victim].id) : t;
        ok = ok && (!t || !t->events.count || hsc_spill_put(x->j->spill, &t->stood, &(jstood){l->begin, l->end, l->delay, l->among}, sizeof(jstood)));
    }
    return ok && (!t || hsc_spill_flush(x->j->spill, &t->stood));
}

/* What one thread did, as the looks at it come. */
typedef struct watched {
    stream moments, calls;
    uint32_t thread;
} watched;

static void watched_fini(watched *w) {
    hsc_spill_cursor_fini(&w->moments.from);
    hsc_spill_cursor_fini(&w->calls.from);
    free(w->moments.seen.p);
    free(w->calls.seen.p);
    free(w->moments.earliest.p);
    free(w->calls.earliest.p);
}

static hsc_status watch(locks *x, watched *w, const look *l, bool late, hsc_err *err) {
    uint32_t thread = late ? l->holder : l->victim;
    uint64_t end = late ? l->end : l->begin;
    hsc_status status = HSC_OK;
    if (thread != w->thread) {
        const jtrack *t = track_of(x->p->blame, x->p->threads.p[thread].id);
        hsc_spill_cursor_fini(&w->moments.from);
        hsc_spill_cursor_fini(&w->calls.from);
        w->moments.from = (hsc_spill_cursor){.list = t ? &t->moments : NULL};
        w->calls.from = (hsc_spill_cursor){.list = t ? &t->events : NULL};
        w->moments.ended = w->calls.ended = false;
        w->moments.seen.n = w->calls.seen.n = w->moments.earliest.n = w->calls.earliest.n = w->moments.from_seen = w->calls.from_seen = 0;
        w->thread = thread;
        status = find_homes(x, thread, err);
    }
    if (status == HSC_OK)
        status = look_on(x->j, &w->moments, l->step, end, err);
    if (status == HSC_OK)
        status = look_on(x->j, &w->calls, l->step, end, err);
    return status == HSC_OK ? look_into(x, l, late, &w->moments, &w->calls, err) : status;
}

static hsc_status look_into_all(locks *x, hsc_err *err) {
    hsc_status status = HSC_OK;
    size_t n = x->looks.n, steps = 0;
    uint32_t *stepped = malloc((n + 1) * sizeof *stepped);
    x->by_victim = malloc((n + 1) * sizeof *x->by_victim);
    if (!x->by_victim || !stepped) {
        free(stepped);
        return hsc_join_no_memory(err);
    }
    if (n > 1)
        qsort(x->looks.p, n, sizeof *x->looks.p, by_holder);
    for (uint32_t i = 0; i < n; i++) {
        x->by_victim[i] = i;
        if (x->looks.p[i].step < x->looks.p[i].begin)
            stepped[steps++] = i;
    }
    if (n > 1)
        qsort_r(x->by_victim, n, sizeof *x->by_victim, by_victim, x->looks.p);
    if (steps > 1)
        qsort_r(stepped, steps, sizeof *stepped, by_step, x->looks.p);
    status = keep_for_ranks(x) ? HSC_OK : hsc_join_no_memory(err);
    watched w = {.calls.is_calls = true, .thread = HSC_NO_INDEX};
    for (size_t i = 0; status == HSC_OK && i < n + steps; i++) {
        bool late = i < n;
        w.thread = i == n ? HSC_NO_INDEX : w.thread; /* from its first moment on again */
        status = watch(x, &w, &x->looks.p[late ? i : stepped[i - n]], late, err);
        if (status == HSC_OK && !(i & 0xFFF))
            status = hsc_join_check(x->j, err);
    }
    watched_fini(&w);
    free(stepped);
    free(x->by_victim);
    x->by_victim = NULL;
    return status;
}

hsc_status hsc_blame_windows(join *j, jdelays *d, jprocess *p, jcovered *covered, hsc_err *err) {
    locks x = {.j = j, .d = d, .p = p};
    hsc_status status = HSC_OK;
    bool ok = true, any = true;
    d->period_ns = (double)p->period_ns > d->period_ns ? (double)p->period_ns : d->period_ns;
    bool told = false; /* who came last to barriers of pthreads: waits there without it are the last ones' */
    for (size_t k = 0; ok && k < p->waits.n; k++)
        if (p->waits.p[k].holder != HSC_NO_INDEX && p->waits.p[k].total_ns) {
            told = told || p->waits.p[k].kind == HSC_wait_kind_BARRIER;
            ok = add_sum(d, p, &p->waits.p[k]);
        }
    hsc_spill_cursor c = {.list = p->blame ? &p->blame->held : NULL};
    while (ok && status == HSC_OK && c.list && any) {
        jheld h;
        status = hsc_spill_next(j->spill, &c, &h, &any, err);
        if (status == HSC_OK && any)
            ok = h.holder != HSC_NO_INDEX ? add_lock(&x, &h) : told && h.kind == HSC_wait_kind_BARRIER ? true : add_arrival(&x, &h);
    }
    hsc_spill_cursor_fini(&c);
    if (status == HSC_OK && !(ok && (!x.arrivals.n || add_barriers(&x, covered))))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK && x.looks.n)
        status = look_into_all(&x, err);
    free(x.looks.p);
    free(x.arrivals.p);
    free(x.members.p);
    free(x.homes.p);
    hsc_table_fini(&x.found);
    hsc_table_fini(&x.regions);
    return status;
}
