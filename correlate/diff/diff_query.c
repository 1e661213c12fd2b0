/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of query.h that compares two databases. */
#include <math.h>
#include <stdlib.h>

#include <report_causes.h>

#include "diff.h"

enum { SCALED = 4096 }; /* so many of the largest changes have their speed-up told: each reads a row of all processors */

static const double LEAST_MOVED = 0.001; /* of the run: of smaller changes nobody asks, and callers need not be read */

static diff of_databases(hsc_db *a, uint32_t metric_a, hsc_db *b, uint32_t metric_b) {
    diff d = {.a = {.db = a, .metric = metric_a, .width = 120}, .b = {.db = b, .metric = metric_b, .width = 120}};
    bool processes = report_axis_of(a) == HSC_AXIS_PROCESS || report_axis_of(b) == HSC_AXIS_PROCESS;
    d.a.axis = d.b.axis = processes ? HSC_AXIS_PROCESS : HSC_AXIS_THREAD;
    return d;
}

hsc_status hsc_db_read_changes(hsc_db *a, uint32_t metric_a, hsc_db *b, uint32_t metric_b, hsc_change_by by, hsc_db_change **out,
                               uint32_t *n, hsc_err *err) {
    static const diff_by kinds[] = {DIFF_PROCEDURE, DIFF_LOOP, DIFF_LINE, DIFF_MODULE, DIFF_NEST};
    diff d = of_databases(a, metric_a, b, metric_b);
    diff_row *rows = NULL;
    uint32_t count = 0;
    hsc_db_change *list = NULL;
    hsc_status s = diff_load(&d, err);
    if (!s)
        s = diff_rows_by(&d, kinds[by], &rows, &count, err);
    if (!s && !(list = malloc(((size_t)count + 1) * sizeof *list)))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u differences", count);
    for (uint32_t i = 0; !s && i < count; i++)
        list[i] = (hsc_db_change){rows[i].a,      rows[i].b,   rows[i].count_a * d.a.unit.scale, rows[i].count_b * d.b.unit.scale,
                                  rows[i].change, rows[i].low, rows[i].high,                     rows[i].beyond,
                                  rows[i].in_both, diff_how_text(rows[i].how), NAN, NAN,
                                  false,           NAN,                          NAN};
    for (uint32_t i = 0; !s && i < count && i < SCALED; i++) {
        diff_moved moved;
        if (fabs(rows[i].change) < LEAST_MOVED * fmax(d.a.total * d.a.unit.scale, d.b.total * d.b.unit.scale))
            break; /* the largest come first */
        s = diff_moved_of(&d, kinds[by], &rows[i], &moved, err);
        if (s || moved.how == DIFF_NOT_MOVED)
            continue;
        list[i].moved = true;
        list[i].together_a = moved.together.count_a * d.a.unit.scale;
        list[i].together_b = moved.together.count_b * d.b.unit.scale;
    }
    for (uint32_t i = 0; !s && i < count && i < SCALED && d.scaling && by != HSC_CHANGE_LINE && by != HSC_CHANGE_NEST; i++)
        if (by == HSC_CHANGE_MODULE || diff_is_users(&d, &rows[i]))
            s = diff_scaling_of(&d, &rows[i], &list[i].speedup, &list[i].efficiency, err);
    if (!s) {
        *out = list;
        *n = count;
    } else {
        free(list);
    }
    free(rows);
    diff_clear(&d);
    return s;
}

static hsc_db_timed_change timed_change(const diff *d, diff_timed *x) {
    hsc_db_timed_change out = {.kind = x->kind, .cause = {x->cause[0], x->cause[1]}, .in = {x->in_a, x->in_b}};
    x->cause[0] = x->cause[1] = NULL;
    for (int k = 0; k < 2; k++) {
        const diff_timed_side *side = k ? &x->b : &x->a;
        out.line[k] = side->line;
        out.scope[k] = side->context == HSC_NONE ? HSC_NONE : report_scope_of(k ? &d->b : &d->a, side->context);
        out.seconds[k] = side->seconds;
        out.calls[k] = side->calls;
        out.sent[k] = side->sent;
        out.received[k] = side->received;
    }
    return out;
}

hsc_status hsc_db_read_timed_changes(hsc_db *a, hsc_db *b, hsc_timed_by by, hsc_db_timed_change **out, uint32_t *n, hsc_err *err) {
    static const diff_by kinds[] = {DIFF_WAIT, DIFF_MESSAGE, DIFF_CAUSE};
    diff d = of_databases(a, 0, b, 0);
    diff_timed *rows = NULL;
    uint32_t count = 0;
    hsc_db_timed_change *list = NULL;
    hsc_status s = diff_load(&d, err);
    if (!s)
        s = diff_timed_by(&d, kinds[by], &rows, &count, err);
    if (!s && !(list = malloc(((size_t)count + 1) * sizeof *list)))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u differences", count);
    for (uint32_t i = 0; !s && i < count; i++)
        list[i] = timed_change(&d, &rows[i]);
    if (!s) {
        *out = list;
        *n = count;
    }
    diff_free_timed(rows, count);
    diff_clear(&d);
    return s;
}

void hsc_db_free_timed_changes(hsc_db_timed_change *list, uint32_t n) {
    for (uint32_t i = 0; list && i < n; i++) {
        free(list[i].cause[0]);
        free(list[i].cause[1]);
    }
    free(list);
}
