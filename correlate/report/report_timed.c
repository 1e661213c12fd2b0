/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_timed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hsc_db_histogram_quantile(const uint64_t histogram[HSC_BUCKETS], double min_s, double max_s, double q, hsc_db_quantile *out) {
    double all = 0, before = 0;
    *out = (hsc_db_quantile){NAN, NAN, NAN};
    for (unsigned b = 0; b < HSC_BUCKETS; b++)
        all += (double)histogram[b];
    double rank = fmax(1, ceil(q * all * (1 - 1e-12)));
    for (unsigned b = 0; b < HSC_BUCKETS && all > 0; b++) {
        double n = (double)histogram[b];
        if (before + n < rank) {
            before += n;
            continue;
        }
        double low = b ? ldexp(1, (int)b - 1) * 1e-9 : 0, high = b ? (ldexp(1, (int)b) - 1) * 1e-9 : 0;
        out->low_s = fmin(fmax(low, min_s), fmax(high, low));
        out->high_s = fmax(fmin(high, max_s), out->low_s);
        out->value_s = out->low_s + (out->high_s - out->low_s) * (rank - before - 0.5) / n;
        return;
    }
}

static void add_part(report_parts *p, uint32_t at, double seconds) {
    if (!p->n || seconds < p->min_s) {
        p->min_s = seconds;
        p->min_at = at;
    }
    if (!p->n || seconds > p->max_s) {
        p->max_s = seconds;
        p->max_at = at;
    }
    p->n++;
    p->sum_s += seconds;
    p->squares += seconds * seconds;
}

enum { POOL_VALUES = 8192, FIRST_VALUES = 4 };
struct report_pool { /* the newest block */
    report_pool *before;
    size_t n, room;
    double values[];
};

/* Room for n values; NULL: no memory. */
static double *take(report_pool **pool, size_t n) {
    if (!*pool || (*pool)->room - (*pool)->n < n) {
        size_t room = n > POOL_VALUES ? n : POOL_VALUES;
        report_pool *more = malloc(sizeof *more + room * sizeof *more->values);
        if (!more)
            return NULL;
        *more = (report_pool){.before = *pool, .room = room};
        *pool = more;
    }
    (*pool)->n += n;
    return (*pool)->values + (*pool)->n - n;
}

void report_pool_free(report_pool *pool) {
    while (pool) {
        report_pool *before = pool->before;
        free(pool);
        pool = before;
    }
}

static void add_value(report_pool **pool, report_values *to, double seconds) {
    if (to->n == to->room && (!to->n || to->v)) {
        uint32_t room = to->room ? 2 * to->room : FIRST_VALUES;
        double *more = take(pool, room);
        if (more && to->n)
            memcpy(more, to->v, to->n * sizeof *more);
        to->v = more;
        to->room = room;
    }
    if (to->v)
        to->v[to->n] = seconds;
    to->n++;
}

void report_over_add(hsc_db *db, report_pool **pool, report_over *o, uint32_t thread, double seconds) {
    hsc_db_thread t = {.process = 0};
    (void)hsc_db_get_thread(db, thread, &t, NULL);
    if (o->threads.n && t.process != o->process) {
        add_part(&o->processes, o->process, o->process_s);
        add_value(pool, &o->of_processes, o->process_s);
        o->process_s = 0;
    }
    o->process = t.process;
    o->process_s += seconds;
    add_part(&o->threads, thread, seconds);
    add_value(pool, &o->of_threads, seconds);
}

report_parts report_over_processes(const report_over *o) {
    report_parts all = o->processes;
    if (o->threads.n)
        add_part(&all, o->process, o->process_s);
    return all;
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts them. */
static void quantiles(double *values, uint32_t n, double out[REPORT_OVER_QUANTILES]) {
    static const double shares[REPORT_OVER_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    if (n > 1)
        qsort(values, n, sizeof *values, rising);
    for (unsigned i = 0; i < REPORT_OVER_QUANTILES; i++) {
        double h = shares[i] * (n ? n - 1 : 0);
        uint32_t k = (uint32_t)h, next = k + 1 < n ? k + 1 : k;
        out[i] = n ? values[k] + (h - k) * (values[next] - values[k]) : NAN;
    }
}

/* last: one more value, of the last process. */
static void quantiles_of(const report_values *of, const double *last, double out[REPORT_OVER_QUANTILES]) {
    uint32_t n = of->n + (last != NULL);
    double *sorted = n && (of->v || !of->n) ? malloc(n * sizeof *sorted) : NULL;
    if (sorted && of->n)
        memcpy(sorted, of->v, of->n * sizeof *sorted);
    if (sorted && last)
        sorted[of->n] = *last;
    quantiles(sorted, sorted ? n : 0, out);
    free(sorted);
}

report_over_spread report_over_spread_of(const report_over *o) {
    report_over_spread s;
    quantiles_of(&o->of_threads, NULL, s.threads);
    quantiles_of(&o->of_processes, o->threads.n ? &o->process_s : NULL, s.processes);
    return s;
}

double report_parts_mean(const report_parts *p) { return p->n ? p->sum_s / p->n : NAN; }

double report_parts_stddev(const report_parts *p) { return hsc_db_stddev(p->squares, p->sum_s, p->n); }
