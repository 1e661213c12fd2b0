/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What heads a comparison of two runs: CPU time, elapsed time, waiting, and the factors of efficiency. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <report_elapsed.h>

#include "diff.h"

enum { CATEGORIES = 4 }; /* are told at most */

typedef struct figures {
    hsc_db_run_figure *list;
    uint32_t n;
} figures;

static void add(figures *f, const char *of, const char *name, double a, double b) {
    f->list[f->n++] = (hsc_db_run_figure){.of = of, .name = name, .a = a, .b = b};
}

static void add_times(figures *f, const diff *d) {
    const hsc_db_info *a = &d->a.info, *b = &d->b.info;
    diff_measured m[2];
    diff_measured_of(&d->a, &m[0]);
    diff_measured_of(&d->b, &m[1]);
    if (!d->a.metric && !d->b.metric && !d->a.category && a->cpu_s > 0 && b->cpu_s > 0) {
        add(f, "cpu", "", a->cpu_s, b->cpu_s);
        if (m[0].itself_s > 0 && m[1].itself_s > 0 && (m[0].itself_s < 0.995 * a->cpu_s || m[1].itself_s < 0.995 * b->cpu_s))
            add(f, "itself", "", m[0].itself_s, m[1].itself_s);
    }
    if (a->wall_s > 0 && b->wall_s > 0)
        add(f, "elapsed", "", a->wall_s, b->wall_s);
}

/* Where there is a hundredth of the shorter run of it: all, then kind by kind. */
static void add_waits(figures *f, const diff *d, const diff_wait *list, uint32_t n, bool messages) {
    const char *of = messages ? "messages" : "waiting";
    double a = 0, b = 0;
    for (uint32_t i = 0; i < n; i++)
        if (list[i].messages == messages) {
            a += list[i].a_s;
            b += list[i].b_s;
        }
    if (!(fmax(a, b) > 0) || fmax(a, b) < 0.01 * fmin(d->a.info.wall_s, d->b.info.wall_s))
        return;
    add(f, of, "", a, b);
    for (uint32_t i = 0; i < n; i++)
        if (list[i].messages == messages)
            add(f, of, list[i].kind, list[i].a_s, list[i].b_s);
}

/* What CPU time is of, where that is not nearly all computation: what changed most, beyond noise, and what became of the computation. */
static hsc_status add_categories(figures *f, diff *d, hsc_err *err) {
    diff_category *list;
    uint32_t n, others = 0;
    bool mixed = false;
    hsc_status s = diff_categories(d, &list, &n, err);
    if (s)
        return s;
    double all = fmax(d->a.total, d->b.total);
    for (uint32_t i = 0; i < n; i++)
        mixed |= strcmp(list[i].name, "computation") && (list[i].row.count_a > 0.01 * d->a.total || list[i].row.count_b > 0.01 * d->b.total);
    for (uint32_t i = 0; mixed && i < n; i++) {
        const diff_row *x = &list[i].row;
        bool computation = !strcmp(list[i].name, "computation");
        if (!computation && (!x->beyond || fabs(x->count_b - x->count_a) < 0.01 * all || others == CATEGORIES - 1))
            continue;
        others += !computation;
        add(f, "category", list[i].name, x->count_a * d->a.unit.scale, x->count_b * d->b.unit.scale);
        f->list[f->n - 1].low = x->low;
        f->list[f->n - 1].high = x->high;
    }
    free(list);
    return HSC_OK;
}

static hsc_status add_factors(figures *f, const diff *d, hsc_err *err) {
    diff_factors a, b;
    hsc_status s = diff_factors_of(&d->a, &a, err);
    if (!s)
        s = diff_factors_of(&d->b, &b, err);
    if (s || !a.threads || !b.threads)
        return s;
    bool crowded = a.crowded || b.crowded;
    if (d->scaling) {
        if (!crowded)
            add(f, "parallel", "", a.parallel, b.parallel);
        add(f, "balance", "", a.load_balance, b.load_balance);
        f->list[f->n - 1].chance_a = !a.uneven;
        f->list[f->n - 1].chance_b = !b.uneven;
        if (!crowded)
            add(f, "communication", "", a.communication, b.communication);
        add(f, "computation", "", a.computation_s, b.computation_s);
        add(f, "each", "", a.computation_s / a.threads, b.computation_s / b.threads);
    } else if (a.threads > 1 && b.threads > 1 && a.load_balance > 0 && b.load_balance > 0 && (a.uneven || b.uneven)) {
        add(f, "imbalance", "", 1 / a.load_balance, 1 / b.load_balance);
        f->list[f->n - 1].chance_a = !a.uneven;
        f->list[f->n - 1].chance_b = !b.uneven;
    }
    return s;
}

hsc_status diff_figures_of(diff *d, hsc_db_run_figure **list, uint32_t *n, hsc_err *err) {
    enum { OTHERS = 9 + CATEGORIES }; /* those that are no waits, and the two sums of these */
    diff_wait *waits;
    uint32_t k;
    figures f = {0};
    hsc_status s = diff_waits(d, &waits, &k, err);
    if (s)
        return s;
    if (!(f.list = malloc(((size_t)k + 2 + OTHERS) * sizeof *f.list)))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u figures", k);
    if (!s && diff_is_whole(&d->a) && diff_is_whole(&d->b)) {
        add_times(&f, d);
        s = add_categories(&f, d, err);
    }
    if (!s && diff_is_whole(&d->a) && diff_is_whole(&d->b)) {
        add_waits(&f, d, waits, k, false);
        add_waits(&f, d, waits, k, true);
        s = add_factors(&f, d, err);
    }
    free(waits);
    if (s) {
        free(f.list);
        return s;
    }
    *list = f.list;
    *n = f.n;
    return HSC_OK;
}

hsc_status diff_begin(diff *d, hsc_err *err) {
    bool processes = report_axis_of(d->a.db) == HSC_AXIS_PROCESS || report_axis_of(d->b.db) == HSC_AXIS_PROCESS;
    d->a.axis = d->b.axis = processes ? HSC_AXIS_PROCESS : HSC_AXIS_THREAD;
    hsc_status s = report_load(&d->a, err);
    if (!s)
        s = report_load(&d->b, err);
    if (!s && strcmp(d->a.unit.unit, d->b.unit.unit))
        s = hsc_err_set(err, HSC_E_MISMATCH, "%s and %s: expected one unit, got %s and %s", d->a.info.path, d->b.info.path, d->a.unit.unit,
                        d->b.unit.unit);
    if (!s)
        s = diff_put_together(d, err);
    for (int side = 0; side < 2 && !s; side++)
        d->lost[side] = hsc_db_count_lost(side ? d->b.db : d->a.db);
    return s;
}

hsc_status hsc_db_read_run_figures(hsc_db *a, uint32_t metric_a, hsc_db *b, uint32_t metric_b, hsc_db_run_figure **out, uint32_t *n,
                                   hsc_err *err) {
    diff d = {.a = {.db = a, .metric = metric_a, .width = 120}, .b = {.db = b, .metric = metric_b, .width = 120}};
    hsc_status s = diff_begin(&d, err);
    if (!s)
        s = diff_figures_of(&d, out, n, err);
    if (!s && *n) { /* of whole runs */
        diff_measured m[2];
        hsc_db_run_figure *list = realloc(*out, ((size_t)*n + 2) * sizeof *list);
        diff_measured_of(&d.a, &m[0]);
        diff_measured_of(&d.b, &m[1]);
        if (list) {
            list[(*n)++] = (hsc_db_run_figure){.of = "size", .name = "", .a = d.a.working, .b = d.b.working};
            if (m[0].usage.line_known && m[1].usage.line_known)
                list[(*n)++] = (hsc_db_run_figure){.of = "in line", .name = "", .a = m[0].usage.line_s, .b = m[1].usage.line_s};
            *out = list;
        }
    }
    diff_clear(&d);
    return s;
}
