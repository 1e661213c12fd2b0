/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "blame_lane.h"

#include <string.h>

#include <heatscope/sorted.h>

#define SPENT_LEAST_NS 20000u /* of calls that are looked into; shorter ones are told by samples */
#define LOOK_NS 20000000u /* a wait is told by the look that finds it over */

hsc_status hsc_lane_next(const jlanes *m, jlane *l, hsc_err *err) {
    hsc_status status = hsc_spill_next(m->j->spill, &l->events, &l->next, &l->has_next, err);
    if (status == HSC_OK && l->has_next) {
        l->next.time += l->offset;
        if (l->next.time < l->last) /* never in a whole file */
            l->next.time = l->last;
        l->last = l->next.time;
    }
    return status;
}

/* What the thread did up to `until`, the last MOMENTS_MAX of it. */
static hsc_status look(const jlanes *m, jlane *l, uint64_t until, hsc_err *err) {
    if (l->p->blame->wall_event)
        until += LOOK_NS;
    for (;;) {
        if (!l->has_ahead) {
            hsc_status status = hsc_spill_next(m->j->spill, &l->moments, &l->ahead, &l->has_ahead, err);
            if (status != HSC_OK || !l->has_ahead)
                return status;
            l->ahead.time += l->offset;
        }
        if (l->ahead.time > until)
            return HSC_OK;
        if (l->seen.n >= m->moments_max) {
            memmove(l->seen.p, l->seen.p + m->moments_max / 2, m->moments_max / 2 * sizeof *l->seen.p);
            l->seen.n = m->moments_max / 2;
            l->forgot = true;
        }
        if (!HSC_PUSH(l->seen, l->ahead))
            return hsc_join_no_memory(err);
        l->has_ahead = false;
    }
}

uint64_t hsc_lane_waited(const jlane *l, uint64_t a, uint64_t b) {
    double sum = 0;
    for (size_t i = l->waits.n; i-- > 0 && l->waits.p[i].end > a;)
        sum += (double)hsc_blame_overlap(l->waits.p[i].begin, l->waits.p[i].end, a, b) / l->waits.p[i].among;
    return (uint64_t)sum;
}

bool hsc_lane_add_wait(const jlanes *m, jlane *l, const jstood *w) {
    if (l->waits.n >= m->waits_max) {
        memmove(l->waits.p, l->waits.p + m->waits_max / 2, m->waits_max / 2 * sizeof *l->waits.p);
        l->waits.n = m->waits_max / 2;
    }
    if (!HSC_PUSH(l->waits, *w))
        return false;
    for (size_t i = l->waits.n - 1; i && l->waits.p[i - 1].end > l->waits.p[i].end; i--) {
        l->waits.p[i] = l->waits.p[i - 1];
        l->waits.p[i - 1] = *w;
    }
    return true;
}

hsc_status hsc_lane_look_at_threads(const jlanes *m, jlane *l, uint64_t until, hsc_err *err) {
    for (;;) {
        if (!l->has_after) {
            hsc_status status = hsc_spill_next(m->j->spill, &l->stood, &l->after, &l->has_after, err);
            if (status != HSC_OK || !l->has_after)
                return status;
            l->after.begin += l->offset;
            l->after.end += l->offset;
        }
        if (l->after.end > until)
            return HSC_OK;
        if (!hsc_lane_add_wait(m, l, &l->after))
            return hsc_join_no_memory(err);
        l->has_after = false;
    }
}

static bool was_waiting(const jlane *l, uint64_t time) {
    size_t low = 0, high = l->waits.n; /* first that ends at `time` or later */
    HSC_SEARCH(low, high, l->waits.p[low].end < time);
    return low < l->waits.n && l->waits.p[low].begin < time;
}

uint64_t hsc_lane_tick(const jlanes *m, const jlane *l, uint64_t time) {
    uint64_t tick = hsc_join_since_start(m->j, l->p, time > l->offset ? time - l->offset : 0) / (m->j->tick_ns ? m->j->tick_ns : 1);
    return tick < m->j->end_tick ? tick : m->j->end_tick;
}

/* What is known of the lane's calls in a window, before samples and waits there are taken away. Returns the first of them. */
static size_t set_idle(jlane *l, uint64_t from, uint64_t to) {
    size_t low = 0, high = l->spent.n;
    HSC_SEARCH(low, high, l->spent.p[low].leave <= from);
    for (size_t i = low; i < l->spent.n && l->spent.p[i].enter < to; i++) {
        jspent *c = &l->spent.p[i];
        uint64_t begin = c->enter > from ? c->enter : from, end = c->leave < to ? c->leave : to, waited = hsc_lane_waited(l, begin, end);
        c->idle_ns = end - begin > waited ? (double)(end - begin - waited) : 0;
    }
    return low;
}

/* A sample, or a wait from `begin` to `end`, in one of the calls: `ns` of that. Returns what of it is the call's all the same: waits are. */
static uint64_t take_idle(jlane *l, size_t first, uint64_t begin, uint64_t end, uint64_t ns) {
    size_t low = first, high = l->spent.n;
    uint64_t in_calls = 0;
    HSC_SEARCH(low, high, l->spent.p[low].leave < begin);
    for (size_t i = low; i < l->spent.n && l->spent.p[i].enter <= end; i++) {
        if (begin == end) {
            l->spent.p[i].idle_ns -= (double)ns;
            return 0;
        }
        in_calls += hsc_blame_overlap(l->spent.p[i].enter, l->spent.p[i].leave, begin, end);
    }
    return in_calls < ns ? in_calls : ns;
}

bool hsc_lane_add_spent(const jlanes *m, jlane *l, const jmessage_event *e) {
    uint64_t leave = e->time + e->duration;
    if (e->duration < SPENT_LEAST_NS || (l->spent.n && l->spent.p[l->spent.n - 1].leave >= leave))
        return true; /* of the same call */
    if (l->spent.n >= m->waits_max) {
        memmove(l->spent.p, l->spent.p + m->waits_max / 2, m->waits_max / 2 * sizeof *l->spent.p);
        l->spent.n = m->waits_max / 2;
    }
    return HSC_PUSH(l->spent, (jspent){.enter = e->time, .leave = leave, .frame = e->frame});
}

hsc_status hsc_lane_look_into(const jlanes *m, uint32_t delay, jlane *l, uint64_t from, uint64_t to, bool late, double weight, hsc_err *err) {
    hsc_status status = look(m, l, to, err);
    size_t first_call = l->p->blame->wall_event ? l->spent.n : set_idle(l, from, to); /* with wall time that finds it where it stood */
    double told = 0;
    uint64_t timed = UINT64_MAX; /* begin of the wait that ended next */
    for (size_t i = l->seen.n; status == HSC_OK && i-- > 0 && l->seen.p[i].time > from;) {
        const jmoment *o = &l->seen.p[i];
        uint64_t ns = o->length;
        if (o->is_interval) {
            uint64_t begin = timed = o->time > o->length ? o->time - o->length : 0, out;
            begin = begin > from ? begin : from;
            ns = hsc_blame_overlap(begin, o->time, from, to);
            out = ns ? hsc_lane_waited(l, begin, o->time < to ? o->time : to) : 0;
            ns = ns > out ? ns - out : 0;
            ns -= take_idle(l, first_call, begin, o->time < to ? o->time : to, ns);
        } else if (o->time > to || hsc_blame_is_within(o, timed) || was_waiting(l, o->time)) {
            continue;
        } else if (o->kind == HSC_wait_kind_MESSAGE) {
            (void)take_idle(l, first_call, o->time, o->time, ns);
        }
        jdoing did = hsc_blame_doing(m->j, o);
        double stands_for = hsc_blame_times(o) * (double)ns;
        told += stands_for;
        if (!o->is_interval)
            hsc_delay_drawn(m->d, (double)ns);
        if (ns && !hsc_delay_add_cell(m->d, delay, &did, late, weight * stands_for, hsc_lane_tick(m, l, o->time)))
            status = hsc_join_no_memory(err);
    }
    for (size_t i = first_call; status == HSC_OK && i < l->spent.n && l->spent.p[i].enter < to; i++) {
        const jspent *c = &l->spent.p[i];
        jdoing did = hsc_blame_doing(m->j, &(jmoment){.frame = c->frame, .kind = HSC_wait_kind_MESSAGE});
        did.idle = true;
        told += c->idle_ns;
        if (!hsc_delay_add_cell(m->d, delay, &did, late, weight * c->idle_ns, hsc_lane_tick(m, l, c->leave < to ? c->leave : to)))
            status = hsc_join_no_memory(err);
    }
    jdelay_sum *sum = &m->d->sums.p[delay];
    *(late ? &sum->told_ns : &sum->told_of_others_ns) += weight * told;
    bool whole = !l->forgot || (l->seen.n && l->seen.p[0].time <= from);
    double nothing = (double)(to - from) - (double)hsc_lane_waited(l, from, to) - told;
    const jdoing nowhere = HSC_DOING_NOTHING;
    if (status == HSC_OK && whole && !l->p->blame->wall_event && !hsc_delay_add_cell(m->d, delay, &nowhere, late, weight * nothing, HSC_DELAY_NO_TICK))
        status = hsc_join_no_memory(err);
    return status;
}
