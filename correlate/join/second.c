/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Second reading: what each thread's samples and values count in. Places and contexts are known by then, so a thread's counts
 * become numbers of kinds, which go into the spill file with its samples by time. */
#include <stdlib.h>
#include <string.h>

#include "../store/sort.h"
#include <heatscope/sorted.h>
#include "cache.h"
#include "details.h"
#include "probed.h"
#include "ranks.h"
#include "told.h"

/* ---- while the file is read ---- */

uint64_t hsc_join_special_key(uint32_t row, uint64_t state) {
    return row == HSC_NO_INDEX ? 1ull << 40 | state : (uint64_t)row * STATES + state;
}

static uint64_t special_what(uint64_t event, uint64_t region) {
    return event ? 1ull << 63 | event << 40 | (region <= UINT32_MAX ? region : 0) : region;
}

uint32_t hsc_join_special(jwork *w, uint32_t row, uint64_t state, uint64_t event, uint64_t region) {
    uint32_t *at = hsc_table_at(&w->special_rows, hsc_join_special_key(row, state), special_what(event, region));
    if (!at)
        return HSC_NO_INDEX;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)w->specials.n;
        if (!HSC_PUSH(w->specials, (jspecial){row, HSC_NO_INDEX, (uint8_t)state, event != 0}))
            return HSC_NO_INDEX;
    }
    return *at;
}

bool hsc_join_take_instant(jprocess *p, jthread *t, uint32_t row, uint64_t state, uint64_t weight, uint64_t event, uint64_t time) {
    const join *j = p->join;
    jwork *w = t->work;
    if (!p->known || j->options->no_times)
        return true;
    uint64_t tick = hsc_join_since_start(j, p->known, time) / j->tick_ns, count = event ? weight : weight * p->known->weight;
    uint64_t region = row == HSC_NO_INDEX ? 0 : w->region, key = (uint64_t)row * STATES + state;
    tick = tick < j->end_tick ? tick : j->end_tick;
    w->last_tick = (uint32_t)tick > w->last_tick ? (uint32_t)tick : w->last_tick; /* it falls in damaged files only */
    if (row == HSC_NO_INDEX || region || event || key >= JINSTANT_SPECIAL) {
        uint32_t special = hsc_join_special(w, row, state, event, region);
        if (special == HSC_NO_INDEX)
            return false;
        key = JINSTANT_SPECIAL | special;
    }
    jinstant i = {w->last_tick, (uint32_t)key, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX};
    return hsc_instants_put(j->spill, &t->instants, &i);
}

/* ---- one thread's profile ---- */

typedef struct counting {
    join *j;
    jprocess *p; /* as it was read this time */
    jthread *t;
    bool writes; /* the lock of the tables is held for that */
    const uint8_t *gave_back; /* by site of the process: somebody waited for a lock that was given back there */
} counting;

static uint32_t kind_of(counting *x, const jkind *k) {
    uint32_t row = hsc_join_known_kind(x->j, k);
    if (row == HSC_NO_INDEX) {
        if (!x->writes) {
            pthread_rwlock_unlock(&x->j->tables);
            pthread_rwlock_wrlock(&x->j->tables);
            x->writes = true;
        }
        row = hsc_join_kind_row(x->j, k);
        while (row != HSC_NO_INDEX && x->j->met_threads.n <= row)
            row = HSC_PUSH(x->j->met_threads, HSC_NO_INDEX) ? row : HSC_NO_INDEX;
    }
    return row;
}

/* Samples at a place, or with none at the code that nobody knows, on a line. *kind: what they count in; left alone where there are none. */
static bool add_on(counting *x, uint32_t context, uint32_t line, const jplace *place, unsigned state, uint32_t metric, uint64_t value,
                   uint32_t *kind) {
    const join *j = x->j;
    jkind k = {.context = context, .line = line, .instance = HSC_NO_INDEX, .place = place ? (uint32_t)(place - j->places.p) : HSC_NO_INDEX, .state = (uint8_t)state,
               .level = place ? place->level : HSC_LEVEL_NOTHING, .metric = (uint8_t)metric};
    if (!value)
        return true;
    if (place) {
        if (place->instance != HSC_NO_INDEX)
            k.instance = j->modules.p[place->module].instance_rows.p[place->instance];
    } else {
        k.line = hsc_join_line_row(j, j->modules.p[j->unknown_module].pseudo_file, 0);
    }
    uint32_t row = kind_of(x, &k);
    if (kind)
        *kind = row;
    uint32_t count = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    return row != HSC_NO_INDEX && HSC_PUSH(x->t->work->profile, (jcount){row, count}) &&
           (!place || HSC_PUSH(x->t->work->places, (jplace_count){(uint32_t)(place - j->places.p), metric, count}));
}

static bool add(counting *x, uint32_t context, const jplace *place, unsigned state, uint32_t metric, uint64_t value, uint32_t *kind) {
    return add_on(x, context, place ? place->line_row : HSC_NO_INDEX, place, state, metric, value, kind);
}

/* The same of what weights other than 1 do: `excess` and `sum` of values that are multiplied with `factor`. */
static bool add_excess(counting *x, uint32_t context, const jplace *place, unsigned state, uint32_t metric, double excess, double sum,
                       double factor) {
    uint32_t value = hsc_join_excess_cell(x->j, metric, excess, sum, factor);
    return add(x, context, place, state, x->j->metrics.p[metric].weights, value, NULL);
}

/* Samples of metric 0. */
static bool add_samples(counting *x, uint32_t context, const jplace *place, unsigned state, uint32_t count, uint32_t *kind) {
    uint32_t weight = x->p->known->weight;
    return !count || (add(x, context, place, state, 0, (uint64_t)count * weight, kind) &&
                      add_excess(x, context, place, state, 0, 0, count, weight));
}

/* The same at a frame, in its own context: what they count in is looked up once for all threads. */
static bool add_at_frame(counting *x, uint32_t frame, unsigned state, uint32_t count, uint32_t *kind) {
    join *j = x->j;
    const jframe *f = &j->frames.p[frame];
    const jplace *place = &j->places.p[f->place];
    uint32_t none = HSC_NO_INDEX, *known = j->frame_kinds ? &j->frame_kinds[(size_t)frame * STATES + state] : &none;
    uint64_t value = (uint64_t)count * x->p->known->weight;
    *kind = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (*kind == HSC_NO_INDEX || !value) {
        bool ok = add_samples(x, f->context, place, state, count, kind);
        __atomic_store_n(known, *kind, __ATOMIC_RELAXED);
        return ok;
    }
    uint32_t most = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    return HSC_PUSH(x->t->work->profile, (jcount){*kind, most}) && HSC_PUSH(x->t->work->places, (jplace_count){f->place, 0, most}) &&
           add_excess(x, f->context, place, state, 0, 0, count, x->p->known->weight);
}

/* What the event would have counted, had it had a counter all the time. */
static uint64_t scaled(uint64_t value, double factor) {
    double v = (double)value * factor + 0.5;
    return factor <= 1 ? value : v < (double)THREAD_SAMPLES_MAX ? (uint64_t)v : THREAD_SAMPLES_MAX;
}

/* Metric and divisor of an event; false: nobody announced it. */
static bool find_event(const counting *x, uint64_t event, uint32_t *metric, uint64_t *divisor) {
    const jprocess *p = x->p->known;
    *metric = 0;
    *divisor = 1;
    for (size_t k = 0; k < p->events.n; k++)
        if (p->events.p[k].id == event) {
            *metric = p->events.p[k].metric;
            *divisor = p->events.p[k].divisor > 1 ? p->events.p[k].divisor : 1;
        }
    return !event || (*metric && *metric < x->j->metrics.n);
}

static uint32_t *special_kind(jwork *w, uint32_t row, unsigned state, uint64_t event, uint64_t region) {
    uint32_t at = hsc_table_get(&w->special_rows, hsc_join_special_key(row, state), special_what(event, region));
    return at == HSC_NO_INDEX ? NULL : &w->specials.p[at].kind;
}

/* ---- workers of OpenMP regions whose forking thread has told where it was ---- */

/* Takes the samples that can be hung there out of the thread's counts. */
static void take_worked(const counting *x) {
    jwork *w = x->t->work;
    uint32_t row;
    for (size_t i = 0; i < w->worked.capacity; i++) {
        const hsc_table_slot *slot = &w->worked.slots[i];
        if (slot->used && hsc_join_fork_of(x->p, slot->b, &row))
            w->counts.p[slot->a] -= w->worked_counts.p[slot->value];
    }
}

/* Context of a frame whose path goes on, at its region's body, from `home`. `known`: (frame, fork): context */
static uint32_t homed_context(counting *x, const jfork *home, uint32_t frame, uint64_t fork, hsc_table *known) {
    join *j = x->j;
    HSC_VEC(uint32_t) chain = {0};
    uint32_t context = 0, at = frame;
    bool ok = true;
    uint32_t called = hsc_join_caller_of_tail(j, frame);
    if (hsc_join_caller(j, called) == HSC_NO_INDEX && j->frames.p[called].place == home->place)
        return home->context; /* a worker at the region's end: only where it was forked is known */
    while (ok && at != HSC_NO_INDEX && (context = hsc_table_get(known, at, fork)) == HSC_NO_INDEX) {
        ok = HSC_PUSH(chain, at);
        at = hsc_join_caller(j, at);
    }
    pthread_mutex_lock(&j->lock);
    if (at == HSC_NO_INDEX)
        context = chain.n && j->frames.p[chain.p[chain.n - 1]].truncated ? hsc_join_grow(j, 0, HSC_CONTEXT_PARTIAL, 0, HSC_NO_INDEX) : 0;
    for (size_t i = chain.n; ok && context != HSC_NO_INDEX && i-- > 0;) {
        context = hsc_join_enter_below(j, home, chain.p[i], at, context);
        at = chain.p[i];
        uint32_t *slot = hsc_table_at(known, chain.p[i], fork);
        ok = slot != NULL;
        if (ok)
            *slot = context;
    }
    pthread_mutex_unlock(&j->lock);
    free(chain.p);
    return ok ? context : HSC_NO_INDEX;
}

static bool add_worked(counting *x, hsc_table *known) {
    join *j = x->j;
    jwork *w = x->t->work;
    bool ok = true;
    for (size_t i = 0; ok && i < w->worked.capacity; i++) {
        const hsc_table_slot *slot = &w->worked.slots[i];
        uint32_t region, row = (uint32_t)(slot->a / STATES), kind = HSC_NO_INDEX;
        unsigned state = (unsigned)(slot->a % STATES);
        const jfork *home = slot->used ? hsc_join_fork_of(x->p, slot->b, &region) : NULL;
        if (!home)
            continue;
        uint32_t frame = w->nodes.p[row].frame;
        uint32_t context = homed_context(x, home, frame, hsc_join_same_fork(x->p, region), known);
        x->t->truncated += j->frames.p[frame].truncated ? w->worked_counts.p[slot->value] : 0;
        ok = context != HSC_NO_INDEX &&
             add_samples(x, context, hsc_join_place_of(j, frame), state, w->worked_counts.p[slot->value], &kind);
        uint32_t *at = special_kind(w, row, state, 0, slot->b);
        if (at)
            *at = kind;
    }
    return ok;
}

/* In contexts as they are met. */
static void find_users_place(join *j, const jplace *place, uint32_t *context, uint32_t *line) {
    if (!place->is_inner)
        return;
    pthread_mutex_lock(&j->lock);
    hsc_join_users_place(j, j->growing.nodes, place, context, line);
    pthread_mutex_unlock(&j->lock);
}

/* Values of everything but the samples of metric 0, whose weights are here too. */
static bool add_others(counting *x, hsc_table *known) {
    join *j = x->j;
    jwork *w = x->t->work;
    bool ok = true;
    for (size_t i = 0; ok && i < w->other_counts.capacity; i++) {
        const hsc_table_slot *slot = &w->other_counts.slots[i];
        uint64_t event = slot->b >> 8, divisor, region = slot->a >> 32;
        uint32_t metric, row = (uint32_t)slot->a, context, fork, kind = HSC_NO_INDEX;
        if (!slot->used)
            continue;
        bool is_excess = event >= JOIN_EXCESS, has_row = row != HSC_NO_INDEX;
        event -= is_excess ? JOIN_EXCESS : 0;
        if (!find_event(x, event, &metric, &divisor) || (!has_row && j->no_path_context == HSC_NO_INDEX))
            continue;
        const jfork *home = region ? hsc_join_fork_of(x->p, region, &fork) : NULL;
        if (home) {
            context = homed_context(x, home, w->nodes.p[row].frame, hsc_join_same_fork(x->p, fork), known);
            ok = context != HSC_NO_INDEX;
        } else {
            context = has_row ? j->frames.p[w->nodes.p[row].frame].context : j->no_path_context;
        }
        const jplace *place = has_row ? hsc_join_place_of(j, w->nodes.p[row].frame) : NULL;
        double factor = !event ? x->p->known->weight : event < JOIN_EVENTS_MAX ? hsc_join_multiplex(x->t, event) : 1;
        uint64_t value = w->other_values.p[slot->value];
        unsigned state = slot->b & 7;
        if (is_excess) {
            ok = ok && add_excess(x, context, place, state, metric, (double)value, 0, factor);
            continue;
        }
        uint64_t v = scaled(value, factor);
        v = v / divisor + (v % divisor >= divisor - divisor / 2);
        uint32_t line = place ? place->line_row : HSC_NO_INDEX;
        if (ok && event >= JOIN_EVENTS_MAX && place)
            find_users_place(j, place, &context, &line);
        ok = ok && add_on(x, context, line, place, state, metric, v < THREAD_SAMPLES_MAX ? v : THREAD_SAMPLES_MAX, &kind) &&
             (factor <= 1 || add_excess(x, context, place, state, metric, 0, (double)value, factor));
        uint32_t *at = event < JOIN_EVENTS_MAX ? special_kind(w, row, state, event, region) : NULL;
        if (at)
            *at = kind;
    }
    return ok;
}

/* Where a lock was given back by a jump at the end of what was called here: there. */
static bool place_release(counting *x, const jfork *home, const jplace *call, jsite *s) {
    join *j = x->j;
    bool ok = true;
    for (; ok && call->release != HSC_NO_INDEX; call = &j->places.p[call->release]) {
        const jplace *jump = &j->places.p[call->release];
        pthread_mutex_lock(&j->lock);
        s->context = hsc_join_enter(j, home, s->context, jump, s->line);
        pthread_mutex_unlock(&j->lock);
        s->line = jump->line_row;
        ok = s->context != HSC_NO_INDEX;
    }
    return ok;
}

static bool is_below(join *j, uint32_t context, uint32_t of) {
    pthread_mutex_lock(&j->lock);
    while (context && context != of)
        context = j->growing.nodes[context].parent;
    pthread_mutex_unlock(&j->lock);
    return context == of;
}

/* Contexts of the thread's sites, as they were met. */
static bool place_sites(counting *x, hsc_table *known) {
    join *j = x->j;
    jprocess *p = x->p;
    size_t low = 0, high = p->site_order.n;
    bool ok = true;
    HSC_SEARCH(low, high, p->sites.p[p->site_order.p[low]].thread < x->t->id);
    for (; ok && low < p->site_order.n && p->sites.p[p->site_order.p[low]].thread == x->t->id; low++) {
        jsite *s = &p->sites.p[p->site_order.p[low]];
        uint32_t row = hsc_join_node_row(x->t, s->node), fork;
        uint32_t frame = row == HSC_NO_INDEX ? HSC_NO_INDEX : x->t->work->nodes.p[row].frame;
        const jfork *home = s->region && frame != HSC_NO_INDEX ? hsc_join_fork_of(p, s->region, &fork) : NULL;
        if (home) {
            s->context = homed_context(x, home, frame, hsc_join_same_fork(p, fork), known);
            ok = s->context != HSC_NO_INDEX;
            if (ok && !x->gave_back[p->site_order.p[low]] && !is_below(j, s->context, home->context)) { /* the region's body is not on the path: it ended in a call */
                s->context = home->context;
                s->line = home->line;
                s->column = 0;
                continue;
            }
        } else {
            s->context = frame != HSC_NO_INDEX ? j->frames.p[frame].context : j->no_path_context != HSC_NO_INDEX ? j->no_path_context : 0;
        }
        s->line = frame != HSC_NO_INDEX ? hsc_join_place_of(j, frame)->line_row : HSC_NO_INDEX;
        s->column = frame != HSC_NO_INDEX ? hsc_join_call_column(hsc_join_place_of(j, frame)) : 0;
        if (ok && frame != HSC_NO_INDEX && x->gave_back[p->site_order.p[low]])
            ok = place_release(x, home, hsc_join_place_of(j, frame), s);
        if (ok && frame != HSC_NO_INDEX)
            find_users_place(j, hsc_join_place_of(j, frame), &s->context, &s->line);
    }
    return ok;
}

static int by_kind_row(const void *a, const void *b) {
    const jcount *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->count < y->count ? -1 : x->count > y->count;
}

static void sort_counts(jcount *list, size_t n) {
    uint64_t *words = malloc((2 * n + 1) * sizeof *words);
    for (size_t k = 0; words && k < n; k++)
        words[k] = (uint64_t)list[k].kind << 32 | list[k].count;
    if (words)
        hsc_sort_words(words, words + n, n, 32);
    else if (n > 1)
        qsort(list, n, sizeof *list, by_kind_row);
    for (size_t k = 0; words && k < n; k++)
        list[k] = (jcount){(uint32_t)(words[k] >> 32), (uint32_t)words[k]};
    free(words);
}

/* Sorted, equal kinds added up. */
void hsc_join_add_up(jcount *list, size_t *n) {
    size_t m = 0;
    sort_counts(list, *n);
    for (size_t k = 0; k < *n; k++)
        if (m && list[m - 1].kind == list[k].kind && list[m - 1].count <= UINT32_MAX - list[k].count)
            list[m - 1].count += list[k].count;
        else
            list[m++] = list[k];
    *n = m;
}

static void settle_special(const jwork *w, jspecial *s) {
    if (s->kind == HSC_NO_INDEX && !s->is_event)
        s->kind = w->plain_kinds[(s->row == HSC_NO_INDEX ? w->nodes.n : s->row) * STATES + s->state];
}

static void change_instant(void *ctx, jinstant *i) {
    const jwork *w = ctx;
    i->kind = i->kind & JINSTANT_SPECIAL ? w->specials.p[i->kind & ~JINSTANT_SPECIAL].kind : w->plain_kinds[i->kind];
}

enum { SOME = 512 };
_Static_assert(STATES % 2 == 0, "counts are looked at in pairs");

/* Of instants that are not there yet. */
static bool settle_late(const join *j, jthread *t, uint64_t plain) {
    const jwork *w = t->work;
    uint64_t some[SOME];
    bool ok = true;
    for (size_t i = 0, n; ok && i < w->plain_met.n; i += n) {
        for (n = 0; n < SOME && i + n < w->plain_met.n; n++)
            some[n] = (uint64_t)w->plain_met.p[i + n] << 32 | w->plain_kinds[w->plain_met.p[i + n]];
        ok = hsc_spill_put_some(j->spill, &t->kind_pairs, some, n, sizeof *some);
    }
    for (size_t i = 0; ok && i < w->specials.n; i++)
        ok = hsc_spill_put(j->spill, &t->instant_kinds, &w->specials.p[i].kind, sizeof w->specials.p[i].kind);
    t->plain_count = plain;
    t->has_pairs = true;
    return ok && hsc_spill_flush(j->spill, &t->kind_pairs) && hsc_spill_flush(j->spill, &t->instant_kinds);
}

hsc_status hsc_join_load_keys(const join *j, const jthread *t, uint32_t **keys, uint64_t *n, hsc_err *err) {
    uint64_t first = t->has_pairs ? t->plain_count : 0, got = 0, some[512];
    hsc_spill_cursor pairs = {.list = &t->kind_pairs}, rest = {.list = &t->instant_kinds};
    *n = first + t->instant_kinds.count;
    *keys = NULL;
    if (!*n)
        return HSC_OK;
    if (!(*keys = malloc(*n * sizeof **keys)))
        return hsc_join_no_memory(err);
    hsc_status status = HSC_OK;
    for (uint64_t i = 0; i < first; i++)
        (*keys)[i] = HSC_NO_INDEX;
    do {
        status = t->kind_pairs.count ? hsc_spill_read(j->spill, &pairs, some, 512, &got, err) : HSC_OK;
        for (uint64_t i = 0; status == HSC_OK && i < got; i++)
            if (some[i] >> 32 < first)
                (*keys)[some[i] >> 32] = (uint32_t)some[i];
    } while (status == HSC_OK && got);
    if (status == HSC_OK && t->instant_kinds.count)
        status = hsc_spill_read(j->spill, &rest, *keys + first, t->instant_kinds.count, &got, err);
    return status;
}

/* What its samples by time may be. */
static void meet_kinds(join *j, const jthread *t) {
    const jwork *w = t->work;
    pthread_rwlock_rdlock(&j->tables); /* others enter kinds */
    for (size_t i = 0; i < w->plain_met.n; i++)
        hsc_join_meet_kind(j, w->plain_kinds[w->plain_met.p[i]], t->row);
    for (size_t i = 0; i < w->specials.n; i++)
        if (w->specials.p[i].kind != HSC_NO_INDEX)
            hsc_join_meet_kind(j, w->specials.p[i].kind, t->row);
    pthread_rwlock_unlock(&j->tables);
}

/* Kinds of the samples by time: where these are many they stay as they are, and what their keys mean is written beside them. */
static hsc_status settle_instants(join *j, jthread *t, hsc_err *err) {
    jwork *w = t->work;
    uint64_t plain = ((uint64_t)w->nodes.n + 1) * STATES;
    for (size_t i = 0; i < w->specials.n; i++)
        settle_special(w, &w->specials.p[i]);
    if (!j->options->no_times)
        meet_kinds(j, t);
    if (t->late)
        return settle_late(j, t, plain) ? HSC_OK : hsc_join_no_memory(err);
    if (!t->gone_on && t->instants.count / 2 < plain + w->specials.n) {
        t->has_kinds = true;
        for (size_t i = 0; i < w->specials.n; i++)
            t->has_kinds = t->has_kinds && w->specials.p[i].kind != HSC_NO_INDEX;
        return t->instants.count ? hsc_instants_change(j->spill, &t->instants, change_instant, w, err) : HSC_OK;
    }
    bool ok = hsc_spill_put_all(j->spill, &t->instant_kinds, w->plain_kinds, plain, sizeof *w->plain_kinds);
    for (size_t i = 0; ok && i < w->specials.n; i++)
        ok = hsc_spill_put(j->spill, &t->instant_kinds, &w->specials.p[i].kind, sizeof w->specials.p[i].kind);
    t->plain_count = plain;
    ok = ok && hsc_spill_flush(j->spill, &t->instant_kinds) && hsc_instants_flush(j->spill, &t->instants);
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

static hsc_status count_thread(counting *x, hsc_err *err) {
    join *j = x->j;
    jthread *t = x->t;
    jwork *w = t->work;
    size_t n = (w->nodes.n + 1) * STATES;
    bool ok = (w->plain_kinds = malloc(n * sizeof *w->plain_kinds)) != NULL;
    if (ok)
        memset(w->plain_kinds, 0xff, n * sizeof *w->plain_kinds); /* HSC_NO_INDEX */
    take_worked(x);
    pthread_rwlock_rdlock(&j->tables);
    x->writes = false;
    for (size_t i = 0; ok && i < w->nodes.n; i++) {
        uint32_t frame = w->nodes.p[i].frame;
        const uint32_t *counts = &w->counts.p[i * STATES];
        for (unsigned s = 0; ok && s < STATES; s++) {
            uint32_t row = (uint32_t)(i * STATES) + s;
            if (!counts[s] && s % 2 == 0 && !counts[s + 1])
                s++; /* most are 0 */
            else if (counts[s]) {
                ok = add_at_frame(x, frame, s, counts[s], &w->plain_kinds[row]) && (w->plain_kinds[row] == HSC_NO_INDEX || HSC_PUSH(w->plain_met, row));
                t->truncated += j->frames.p[frame].truncated ? counts[s] : 0;
            }
        }
    }
    for (unsigned s = 0; ok && s < STATES && j->no_path_context != HSC_NO_INDEX; s++) {
        uint32_t row = (uint32_t)(w->nodes.n * STATES) + s;
        ok = add_samples(x, j->no_path_context, NULL, s, w->no_path_counts[s], &w->plain_kinds[row]) && (w->plain_kinds[row] == HSC_NO_INDEX || HSC_PUSH(w->plain_met, row));
    }
    hsc_table known = {0};
    ok = ok && add_worked(x, &known) && add_others(x, &known) && place_sites(x, &known);
    hsc_table_fini(&known);
    pthread_rwlock_unlock(&j->tables);
    if (!ok)
        return hsc_join_no_memory(err);
    hsc_join_settle_places(j, w->places.p, w->places.n);
    if (!hsc_spill_put_all(j->spill, &t->profile, w->profile.p, w->profile.n, sizeof *w->profile.p) ||
        !hsc_spill_put_all(j->spill, &t->places, w->places.p, w->places.n, sizeof *w->places.p))
        return hsc_join_no_memory(err);
    return settle_instants(j, t, err);
}

/* ---- a process ---- */

/* The same threads and events as the first time: only then do rows mean the same. */
static bool is_same(const jprocess *p, const jprocess *known) {
    bool same = !p->is_foreign && p->threads.n == known->threads.n && p->events.n == known->events.n && p->samples == known->samples;
    for (size_t k = 0; same && k < p->threads.n; k++)
        same = p->threads.p[k].id == known->threads.p[k].id;
    for (size_t k = 0; same && k < p->events.n; k++)
        same = p->events.p[k].id == known->events.p[k].id;
    return same;
}

static void place_forks(const join *j, jthread *t) {
    for (size_t i = 0; i < t->work->forks.n; i++) {
        jfork *f = &t->work->forks.p[i];
        uint32_t row = hsc_join_node_row(t, f->node);
        if (row != HSC_NO_INDEX) {
            uint32_t called = t->work->nodes.p[row].frame, frame = hsc_join_place_fork_tail(j, &t->work->nodes.p[row]);
            f->context = j->frames.p[frame].context;
            f->line = hsc_join_place_of(j, frame)->line_row;
            f->place = j->frames.p[called].place;
        }
    }
}

#define NESTED_MAX 8u /* regions in each other */

/* Where workers of a region forked regions of their own: the thread waits for their ends at that node, and such a wait tells of the region that it is in. */
static bool place_nested(join *j, jprocess *p) {
    counting x = {.j = j, .p = p};
    hsc_table known = {0};
    bool ok = true, changed = true;
    for (unsigned level = 0; ok && changed && level < NESTED_MAX; level++) {
        changed = false;
        for (size_t i = 0; ok && i < p->sites.n; i++) {
            const jsite *s = &p->sites.p[i];
            const jthread *t = s->region ? hsc_join_known_thread(p, s->thread) : NULL;
            uint32_t row, fork = t ? hsc_table_get(&t->work->fork_rows, s->node, 0) : HSC_NO_INDEX, node = t ? hsc_join_node_row(t, s->node) : HSC_NO_INDEX;
            const jfork *home = fork != HSC_NO_INDEX && node != HSC_NO_INDEX ? hsc_join_fork_of(p, s->region, &row) : NULL;
            jfork *f = home ? &t->work->forks.p[fork] : NULL;
            if (!home || home == f || f->context == HSC_NO_INDEX)
                continue;
            uint32_t context = homed_context(&x, home, t->work->nodes.p[node].frame, hsc_join_same_fork(p, row), &known);
            ok = context != HSC_NO_INDEX;
            changed = changed || (ok && context != f->context);
            f->context = ok ? context : f->context;
        }
        hsc_table_fini(&known);
        known = (hsc_table){0};
    }
    return ok;
}

static hsc_status count_process(join *j, jprocess *p, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t k = 0; k < p->threads.n; k++) {
        p->threads.p[k].row = p->known->threads.p[k].row;
        if (p->threads.p[k].row != HSC_NO_INDEX)
            place_forks(j, &p->threads.p[k]);
    }
    uint8_t *gave_back = calloc(p->sites.n + 1, 1);
    for (size_t i = 0; gave_back && i < p->waits.n; i++)
        if (p->waits.p[i].holder != HSC_NO_INDEX)
            gave_back[p->waits.p[i].holder] = 1;
    if (!gave_back || !hsc_join_place_tails(j, p) || !place_nested(j, p))
        status = hsc_join_no_memory(err);
    for (size_t k = 0; status == HSC_OK && k < p->threads.n; k++) {
        counting x = {.j = j, .p = p, .t = &p->threads.p[k], .gave_back = gave_back};
        if (x.t->row == HSC_NO_INDEX)
            continue;
        status = count_thread(&x, err);
    }
    free(gave_back);
    if (status == HSC_OK && !hsc_join_place_blocks(j, p))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK)
        status = hsc_join_blame_frames(j, p, err);
    if (status == HSC_OK && !(hsc_join_end_spans(j, p) && hsc_spill_flush(j->spill, &p->slices)))
        status = hsc_join_no_memory(err);
    return status;
}

/* What is kept of the second reading. */
static bool keep_process(join *j, jprocess *p, jprocess *from) {
    bool has_texts = from->messages.n || from->waits.n || (from->told && hsc_join_told_has_texts(from->told)), ok = true;
    pthread_mutex_lock(&j->lock);
    for (size_t i = 0; ok && i < from->operations.n; i++) {
        joperation *o = &from->operations.p[i];
        ok = (o->name = hsc_pool_intern(&j->pool, o->name, strlen(o->name))) != NULL;
    }
    pthread_mutex_unlock(&j->lock);
    if (!ok)
        return false;
    for (size_t k = 0; k < p->threads.n; k++) {
        jthread *t = &p->threads.p[k], *f = &from->threads.p[k];
        t->truncated = f->truncated;
        t->profile = f->profile;
        t->places = f->places;
        t->instants = f->instants;
        t->instant_kinds = f->instant_kinds;
        t->plain_count = f->plain_count;
        t->kind_pairs = f->kind_pairs;
        t->has_pairs = f->has_pairs;
        t->has_kinds = f->has_kinds;
        t->gone_on = f->gone_on;
        t->late = f->late;
        f->late = NULL;
        f->kind_pairs = f->profile = f->places = f->instant_kinds = (hsc_spill_list){0};
        f->instants = (jinstants){0};
    }
    hsc_table_fini(&from->site_rows);
    hsc_table_fini(&from->message_rows);
    hsc_table_fini(&from->wait_rows);
    p->sites.p = from->sites.p, p->sites.n = from->sites.n, p->sites.cap = from->sites.cap;
    p->operations.p = from->operations.p, p->operations.n = from->operations.n, p->operations.cap = from->operations.cap;
    p->messages.p = from->messages.p, p->messages.n = from->messages.n, p->messages.cap = from->messages.cap;
    p->waits.p = from->waits.p, p->waits.n = from->waits.n, p->waits.cap = from->waits.cap;
    p->peers.p = from->peers.p, p->peers.n = from->peers.n, p->peers.cap = from->peers.cap;
    hsc_table_fini(&from->peer_rows);
    free(from->site_order.p);
    hsc_join_forget_measures(from);
    p->told = from->told;
    p->interrupt_ns = from->told ? from->told->interrupt_ns : 0;
    p->blame = from->blame;
    p->spans = from->spans;
    p->slices = from->slices;
    p->grows = from->grows;
    from->grows = NULL;
    from->told = NULL;
    from->blame = NULL;
    from->spans = from->slices = (hsc_spill_list){0};
    if (has_texts) {
        p->pool = from->pool;
        from->pool = (hsc_pool){0};
    }
    return true;
}

static hsc_status read_second(void *ctx, size_t i, hsc_err *err) {
    join *j = ctx;
    jprocess *p = j->run.p[i], read = {.path = p->path, .input = p->input, .owner = p->owner, .known = p};
    char problem[496] = "";
    if (!hsc_ranks_has(j, p))
        return HSC_OK;
    bool cached = hsc_cache_take_second(j, p, &read);
    hsc_status status = cached ? HSC_OK : hsc_join_read_file(j, &read, problem, sizeof problem, err);
    if (status == HSC_OK && !cached && !is_same(&read, p))
        status = hsc_err_set(err, HSC_E_IO, "%s: has changed while it was read", p->path);
    if (status == HSC_OK && !cached)
        status = hsc_join_find_frames(j, &read, 0, err);
    if (status == HSC_OK && !cached)
        status = hsc_join_blame_calls(j, &read, err);
    if (status == HSC_OK)
        hsc_cache_put_second(j, p, &read);
    if (status == HSC_OK)
        status = count_process(j, &read, err);
    if (status == HSC_OK && !keep_process(j, p, &read))
        status = hsc_join_no_memory(err);
    hsc_join_free_process(&read);
    return status == HSC_OK ? hsc_join_park_details(j, p, err) : status;
}

hsc_status hsc_join_read_second(join *j, hsc_err *err) {
    hsc_status status = hsc_join_enter_frames(j, err);
    if (status == HSC_OK && !hsc_join_enter_tails(j))
        status = hsc_join_no_memory(err);
    size_t kinds = j->frames.n * STATES;
    j->frame_kinds = kinds * sizeof *j->frame_kinds <= j->memory / 32 ? malloc((kinds + 1) * sizeof *j->frame_kinds) : NULL; /* without it, slower */
    for (size_t i = 0; j->frame_kinds && i < kinds; i++)
        j->frame_kinds[i] = HSC_NO_INDEX;
    if (status == HSC_OK)
        status = hsc_join_each(j, j->run.n, read_second, j, "call paths", err);
    free(j->frame_kinds);
    j->frame_kinds = NULL;
    hsc_table_fini(&j->met_rows);
    hsc_table_fini(&j->address_rows);
    hsc_table_fini(&j->frame_rows);
    hsc_table_fini(&j->tail_frames);
    j->met_rows = j->address_rows = j->frame_rows = j->tail_frames = (hsc_table){0};
    free(j->addresses.p);
    memset(&j->addresses, 0, sizeof j->addresses);
    return status;
}
