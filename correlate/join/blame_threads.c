/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Delays inside a process: which thread came last to a barrier of threads, and what it did before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/linkage.h>

#include <heatscope/sorted.h>
#include "blame.h"
#include "details.h"
#include "slices.h"

/* ---- barriers: which thread was last is not recorded, how much each did before is ---- */

bool hsc_blame_is_barrier(uint32_t kind) {
    return kind == HSC_wait_kind_OMP_BARRIER || kind == HSC_wait_kind_OMP_REGION_END || kind == HSC_wait_kind_OMP_REDUCTION ||
           kind == HSC_wait_kind_BARRIER;
}

bool hsc_blame_wants_profiles(const jprocess *p) {
    bool wants = false;
    for (size_t i = 0; !wants && i < p->waits.n; i++)
        wants = hsc_blame_is_barrier(p->waits.p[i].kind) && p->waits.p[i].holder == HSC_NO_INDEX && p->waits.p[i].total_ns;
    return wants;
}

typedef struct barrier { /* waits of one place, by thread */
    const jsite *site;
    const jwait *wait;
    const jthread *thread;
} barrier;

static int by_place(const void *pa, const void *pb) {
    const barrier *a = pa, *b = pb;
    if (a->site->context != b->site->context)
        return a->site->context < b->site->context ? -1 : 1;
    if (a->site->line != b->site->line)
        return a->site->line < b->site->line ? -1 : 1;
    if (a->wait->kind != b->wait->kind)
        return a->wait->kind < b->wait->kind ? -1 : 1;
    return a->thread->row < b->thread->row ? -1 : a->thread->row > b->thread->row;
}

static bool is_region(const join *j, uint32_t context) {
    const jscope *s = &j->scopes.p[j->contexts.p[context].scope];
    size_t n = s->linkage ? strlen(s->linkage) : 0;
    return context && (s->kind == HSC_SCOPE_REGION || /* or a body without a map */
                       (s->kind == HSC_SCOPE_PROCEDURE && n && hsc_linkage_before_region(s->linkage, n) < n));
}

/* The region's body that the barrier is in; where it ends the region, the region that is forked there. */
uint32_t hsc_blame_region_of(const join *j, const jsite *site, uint32_t kind) {
    uint32_t found = HSC_NO_INDEX, at = site->context;
    for (uint32_t c = at; c; c = j->contexts.p[c].parent)
        if (is_region(j, c))
            return c;
    if (kind != HSC_wait_kind_OMP_REGION_END && kind != HSC_wait_kind_OMP_REDUCTION)
        return HSC_NO_INDEX;
    for (uint32_t c = at + 1; c < j->subtree_ends.p[at]; c = j->subtree_ends.p[c])
        if (is_region(j, c) && (found == HSC_NO_INDEX || j->contexts.p[c].call_line == site->line))
            found = c;
    return found;
}

static bool is_work(const join *j, const jkind *kind) {
    unsigned category = hsc_join_category_of(j, kind) + 1;
    return !kind->metric && category != HSC_state_WAITING && category != HSC_state_SYNCHRONISATION && category != HSC_state_RUNTIME;
}

typedef struct worker { /* profile of a thread, by rising contexts */
    jcount *profile;
    size_t n;
} worker;

/* Samples of the thread in a region (a range of contexts). With d: also to the delay's cells, times `scale`. */
static bool work_of(const join *j, const worker *w, uint32_t region, jdelays *d, uint32_t delay, bool late, double scale, double *sum) {
    size_t low = 0, high = w->n;
    HSC_SEARCH(low, high, j->kinds.p[w->profile[low].kind].context < region);
    *sum = 0;
    for (; low < w->n && j->kinds.p[w->profile[low].kind].context < j->subtree_ends.p[region]; low++) {
        const jkind *kind = &j->kinds.p[w->profile[low].kind];
        if (!is_work(j, kind))
            continue;
        jdoing did = {.spot = {kind->context, kind->line, kind->instance}};
        *sum += w->profile[low].count;
        if (d && !hsc_delay_add_cell(d, delay, &did, late, scale * w->profile[low].count, HSC_DELAY_NO_TICK))
            return false;
    }
    return true;
}

/* How much of what thread a waited in waits without records of their own was for thread b: no more than b did more in the region than a by their samples, and
 * no more than a waited longer there than b, by the clock. Where both came in turns before each other that is too little; where they did alike it is
 * hardly anything, whatever chance does to the samples. */
static double part_for(double rest_a, double rest_b, double work_a, double work_b, double period) {
    double longer = rest_a - rest_b, more = (work_b - work_a) * period;
    return fmax(fmin(longer, more), 0);
}

/* One place: what a thread waited there in waits without records of their own is laid to those that did more in the region than it and waited less, in
 * proportion to that, but no more in all than to the one that is farthest ahead. */
static hsc_status add_place(const join *j, jdelays *d, jprocess *p, const worker *all, const bool *apart, const jcovered *covered, const barrier *b,
                            size_t n, hsc_err *err) {
    bool ok = true;
    uint32_t region = hsc_blame_region_of(j, b->site, b->wait->kind);
    double *work = calloc(2 * p->threads.n + 1, sizeof *work), *rest = work + p->threads.n, period = (double)p->period_ns;
    size_t workers = 0;
    if (!work)
        return hsc_join_no_memory(err);
    for (size_t i = 0; ok && region != HSC_NO_INDEX && i < p->threads.n; i++) {
        ok = work_of(j, &all[i], region, NULL, 0, false, 0, &work[i]);
        workers += work[i] > 0;
    }
    for (size_t i = 0; i < n; i++)
        rest[b[i].thread - p->threads.p] += fmax((double)b[i].wait->total_ns - covered[b[i].wait - p->waits.p].ns, 0);
    for (size_t i = 0; ok && workers && i < n; i++) {
        const jcovered *c = &covered[b[i].wait - p->waits.p];
        size_t me = (size_t)(b[i].thread - p->threads.p);
        const bool *others = apart ? apart + me * p->threads.n : NULL;
        double most = 0, sum = 0, mine = (double)b[i].wait->total_ns - c->ns;
        uint64_t waits = b[i].wait->count > c->waits ? b[i].wait->count - c->waits : 0;
        if (mine <= 0)
            continue;
        for (size_t k = 0; k < p->threads.n; k++) {
            double part = others && others[k] ? 0 : part_for(rest[me], rest[k], work[me], work[k], period);
            sum += part;
            most = fmax(most, part);
        }
        for (size_t k = 0; ok && sum > 0 && k < p->threads.n; k++) {
            double part = others && others[k] ? 0 : part_for(rest[me], rest[k], work[me], work[k], period) / sum, unused;
            double ns = part * most * mine / rest[me]; /* of several kinds of wait there, each has its part */
            if (part < 1e-3)
                continue;
            jdelay_key key = {HSC_wait_cause_OMP_BARRIER, p->threads.p[k].row, region, b->site->line, true, false};
            uint32_t delay = hsc_delay_of(d, key);
            ok = delay != HSC_NO_INDEX && hsc_delay_add_victim(d, delay, b[i].thread->row, b[i].site->context, b[i].site->line, HSC_NO_INDEX,
                                                               waits, ns, fmin(ns, (double)b[i].wait->max_ns)) &&
                 HSC_PUSH(d->wait_parts, (jwait_part){(uint32_t)(b[i].wait - p->waits.p), d->victim, ns / (double)b[i].wait->total_ns,
                                                     b[i].wait->count ? (double)waits / (double)b[i].wait->count : 0});
            if (ok && d->sums.p[delay].windows == 0) { /* its own work, against the others' mean */
                d->sums.p[delay].windows = d->sums.p[delay].victims = 1;
                ok = work_of(j, &all[k], region, d, delay, true, period, &unused);
                for (size_t o = 0; ok && o < p->threads.n && workers > 1; o++)
                    if (o != k && work[o] > 0)
                        ok = work_of(j, &all[o], region, d, delay, false, period / (double)(workers - 1), &unused);
            }
        }
    }
    free(work);
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

static void free_workers(worker *all, size_t n) {
    for (size_t i = 0; all && i < n; i++)
        free(all[i].profile);
    free(all);
}

static hsc_status load_workers(join *j, const jprocess *p, worker **out, hsc_err *err) {
    worker *all = *out = calloc(p->threads.n + 1, sizeof *all);
    hsc_status status = all ? HSC_OK : hsc_join_no_memory(err);
    for (size_t i = 0; status == HSC_OK && i < p->threads.n; i++)
        if (p->threads.p[i].row != HSC_NO_INDEX)
            status = hsc_join_load_profile(j, &p->threads.p[i], &all[i].profile, &all[i].n, err);
    return status;
}

static int by_wait(const void *pa, const void *pb) {
    const jwait_part *a = pa, *b = pb;
    if (a->wait != b->wait)
        return a->wait < b->wait ? -1 : 1;
    return a->victim < b->victim ? -1 : a->victim > b->victim;
}

/* When these waits were: the slices of the process. */
static hsc_status add_slices(join *j, jdelays *d, const jprocess *p, hsc_err *err) {
    jslice_cursor *at = malloc(sizeof *at);
    jslice s;
    bool any = true;
    hsc_status status = at ? HSC_OK : hsc_join_no_memory(err);
    const jwait_part *all = d->wait_parts.p;
    size_t n = d->wait_parts.n;
    if (n > 1)
        qsort(d->wait_parts.p, n, sizeof *all, by_wait);
    if (at)
        hsc_slices_begin(j, p, at);
    while (status == HSC_OK && any) {
        status = hsc_slices_next(at, &s, &any, err);
        if (status != HSC_OK || !any || s.kind != JSLICE_WAIT)
            continue;
        size_t low = 0, high = n;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (all[middle].wait < s.row)
                low = middle + 1;
            else
                high = middle;
        }
        uint64_t tick = hsc_join_since_start(j, p, s.time) / j->tick_ns;
        tick = tick < j->end_tick ? tick : j->end_tick;
        for (; status == HSC_OK && low < n && all[low].wait == s.row; low++)
            if (!hsc_delay_victim_at(d, all[low].victim, tick, all[low].waits * (double)s.v[JW_WAITS], all[low].share * (double)s.v[JW_TOTAL], (double)s.v[JW_MAX]))
                status = hsc_join_no_memory(err);
    }
    if (at)
        hsc_slices_end(at);
    free(at);
    return status;
}

hsc_status hsc_blame_threads(join *j, jdelays *d, hsc_err *err) {
    HSC_VEC(barrier) list = {0};
    hsc_status status = HSC_OK;
    for (size_t i = 0; status == HSC_OK && i < j->run.n; i++) {
        jprocess *p = j->run.p[i];
        list.n = d->wait_parts.n = 0;
        status = hsc_join_open_details(j, p, err);
        for (size_t k = 0; status == HSC_OK && k < p->waits.n; k++) {
            const jwait *w = &p->waits.p[k];
            const jthread *t = hsc_join_known_thread(p, p->sites.p[w->site].thread);
            if (t && t->row != HSC_NO_INDEX && hsc_blame_is_barrier(w->kind) && w->holder == HSC_NO_INDEX && w->total_ns &&
                !HSC_PUSH(list, (barrier){&p->sites.p[w->site], w, t}))
                status = hsc_join_no_memory(err);
        }
        jcovered *covered = calloc(p->waits.n + 1, sizeof *covered);
        if (status == HSC_OK)
            status = covered ? hsc_blame_windows(j, d, p, covered, err) : hsc_join_no_memory(err);
        if (list.n > 1)
            qsort(list.p, list.n, sizeof *list.p, by_place);
        worker *all = NULL;
        bool *apart = NULL, ok = true;
        if (status == HSC_OK && list.n)
            status = load_workers(j, p, &all, err);
        if (status == HSC_OK && list.n && p->blame) {
            hsc_blame_team_sort(p->blame);
            apart = hsc_blame_teams_apart(p, &ok);
            status = ok ? HSC_OK : hsc_join_no_memory(err);
        }
        for (size_t k = 0, end; status == HSC_OK && k < list.n; k = end) {
            for (end = k + 1; end < list.n && list.p[end].site->context == list.p[k].site->context &&
                              list.p[end].site->line == list.p[k].site->line && list.p[end].wait->kind == list.p[k].wait->kind;)
                end++;
            status = add_place(j, d, p, all, apart, covered, list.p + k, end - k, err);
        }
        free_workers(all, p->threads.n);
        free(apart);
        if (status == HSC_OK && d->wait_parts.n && d->spill)
            status = add_slices(j, d, p, err);
        free(covered);
        hsc_join_close_details(p);
    }
    free(list.p);
    return status;
}
