/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples that stand for several periods tell less than as many samples of one period. How much less follows from the
 * sum of the squares of their weights (docs/measurement.md). Stored is its excess over the sum of the weights, the sum of
 * w (w - 1): it is additive as the counts are, and there where weights other than 1 are, and nowhere else. It is a metric
 * beside each sampled one that has such samples, after all the others. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "join_internal.h"

bool hsc_join_take_weight(jthread *t, uint32_t row, uint64_t state, uint64_t weight, uint64_t event) {
    if (weight < 2)
        return true;
    uint64_t excess = weight < 1ull << 32 ? weight * (weight - 1) : UINT64_MAX;
    return hsc_join_add_sampled(t, row, state, excess, event + JOIN_EXCESS);
}

double hsc_join_multiplex(const jthread *t, uint64_t event) {
    for (size_t k = 0; k < t->work->event_times.n; k++) {
        const jevent_time *e = &t->work->event_times.p[k];
        if (e->event == event && e->running_ns && e->running_ns < e->enabled_ns)
            return (double)e->enabled_ns / (double)e->running_ns;
    }
    return 1;
}

/* Values of weight w, multiplied: (f w)^2 - f w = f^2 w (w - 1) + f (f - 1) w. */
static double excess_of(double excess, double sum, double factor) {
    return factor * factor * excess + factor * (factor - 1) * sum;
}

void hsc_join_sum_weights(jprocess *p) {
    for (size_t k = 0; k < p->threads.n; k++) {
        jthread *t = &p->threads.p[k];
        const jwork *w = t->work;
        for (size_t i = 0; i < w->other_counts.capacity; i++)
            if (w->other_counts.slots[i].used && w->other_counts.slots[i].b >> 8 == JOIN_EXCESS)
                t->excess += (double)w->other_values.p[w->other_counts.slots[i].value];
        for (size_t e = 0; e < p->events.n; e++) {
            jevent *event = &p->events.p[e];
            double excess = 0, sum = 0;
            if (!event->id || event->id >= JOIN_EVENTS_MAX)
                continue;
            for (size_t i = 0; i < w->other_counts.capacity; i++) {
                const hsc_table_slot *slot = &w->other_counts.slots[i];
                double value = slot->used ? (double)w->other_values.p[slot->value] : 0;
                excess += slot->used && slot->b >> 8 == event->id + JOIN_EXCESS ? value : 0;
                sum += slot->used && slot->b >> 8 == event->id ? value : 0;
            }
            event->excess = fmax(event->excess, excess_of(excess, sum, hsc_join_multiplex(t, event->id)));
        }
    }
}

bool hsc_join_make_weights(join *j) {
    double most[METRICS_MAX] = {0};
    size_t sampled = j->metrics.n < METRICS_MAX ? j->metrics.n : METRICS_MAX;
    for (size_t i = 0; i < j->run.n; i++) {
        const jprocess *p = j->run.p[i];
        double here[METRICS_MAX] = {0};
        for (size_t k = 0; k < p->threads.n; k++)
            here[0] = fmax(here[0], excess_of(p->threads.p[k].excess, (double)p->threads.p[k].samples, p->weight));
        for (size_t k = 0; k < p->events.n; k++)
            if (p->events.p[k].metric && p->events.p[k].metric < sampled)
                here[p->events.p[k].metric] += p->events.p[k].excess;
        for (size_t m = 0; m < sampled; m++)
            most[m] = fmax(most[m], here[m]);
    }
    for (size_t m = 0; m < sampled; m++) {
        char name[256];
        double scale = 1;
        if (j->metrics.p[m].exact || !(most[m] >= 0.5))
            continue;
        while (most[m] / scale > (double)(THREAD_SAMPLES_MAX / 2)) /* half: cells are rounded */
            scale *= 2;
        snprintf(name, sizeof name, "%.200s: excess of squared weights", j->metrics.p[m].name);
        const char *kept = hsc_pool_intern(&j->pool, name, strlen(name));
        j->metrics.p[m].weights = (uint32_t)j->metrics.n;
        if (!kept || !HSC_PUSH(j->metrics, (jmetric){kept, "", scale, true, HSC_NO_INDEX, (uint32_t)m, false}))
            return false;
    }
    return true;
}

uint32_t hsc_join_excess_cell(const join *j, uint32_t metric, double excess, double sum, double factor) {
    uint32_t weights = j->metrics.p[metric].weights;
    double v = weights < j->metrics.n ? excess_of(excess, sum, factor) / j->metrics.p[weights].scale : 0;
    return v >= (double)THREAD_SAMPLES_MAX ? (uint32_t)THREAD_SAMPLES_MAX : v >= 0.5 ? (uint32_t)(v + 0.5) : v > 0;
}
