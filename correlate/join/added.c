/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "added.h"

#include <math.h>
#include <stdlib.h>

#include "../store/spill.h"

/* A row for a metric, before the weights of others; HSC_NO_INDEX: out of memory. */
static uint32_t insert_metric(join *j, jmetric metric) {
    uint32_t at = 0;
    while (at < j->metrics.n && j->metrics.p[at].weights_of == HSC_NO_INDEX)
        at++;
    if (!HSC_PUSH(j->metrics, metric))
        return HSC_NO_INDEX;
    for (size_t i = j->metrics.n - 1; i > at; i--)
        j->metrics.p[i] = j->metrics.p[i - 1];
    j->metrics.p[at] = metric;
    for (size_t i = 0; i < j->metrics.n; i++)
        j->metrics.p[i].weights += i != at && j->metrics.p[i].weights != HSC_NO_INDEX && j->metrics.p[i].weights >= at;
    for (size_t k = 0; k < j->kinds.n; k++)
        j->kinds.p[k].metric += j->kinds.p[k].metric >= at;
    for (size_t k = 0; k < sizeof j->metric_rows; k++)
        j->metric_rows[k] += j->metric_rows[k] >= at && j->metric_rows[k] < UINT8_MAX;
    return at;
}

bool hsc_join_add_metric(join *j, const jadded *what, const jamounts *list) {
    double *of_thread = calloc(j->threads.n + 1, sizeof *of_thread), most = 0, divisor = (double)what->first;
    bool ok = of_thread != NULL;
    for (size_t i = 0; ok && i < list->n; i++) {
        of_thread[list->p[i].thread] += list->p[i].value;
        most = fmax(most, of_thread[list->p[i].thread]);
    }
    free(of_thread);
    if (!ok || !list->n || j->metrics.n >= 255)
        return ok;
    while (most / divisor > (double)(THREAD_SAMPLES_MAX / 2)) /* half: each value is rounded */
        divisor *= (double)what->step;
    uint32_t metric = insert_metric(j, (jmetric){.name = what->name, .unit = what->unit, .scale = divisor * what->scale, .exact = true, .is_added = true,
                                                 .weights = HSC_NO_INDEX, .weights_of = HSC_NO_INDEX});
    ok = metric != HSC_NO_INDEX;
    for (size_t i = 0; ok && i < list->n; i++) {
        const jamount *a = &list->p[i];
        jkind kind = {.context = a->spot.context, .line = a->spot.line, .instance = a->spot.instance, .place = HSC_NO_INDEX, .state = (uint8_t)a->state,
                      .level = HSC_LEVEL_LINE, .metric = (uint8_t)metric};
        jcount c = {0, (uint32_t)(a->value / divisor + 0.5)};
        if (!c.count)
            continue;
        c.kind = hsc_join_kind_row(j, &kind);
        ok = c.kind != HSC_NO_INDEX && hsc_spill_put(j->spill, &j->threads.p[a->thread]->profile, &c, sizeof c);
    }
    for (size_t t = 0; ok && t < j->threads.n; t++)
        ok = hsc_spill_flush(j->spill, &j->threads.p[t]->profile);
    return ok;
}
