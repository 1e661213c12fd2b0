/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of this database against those of another one: what the same lines and processors took there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "widget.h"

const char *const hsw_show_names[] = {"value", "difference", "ratio", NULL};

bool hsw_comparing(const hsw_against *o) { return o->show != HSW_SHOW_VALUE && o->other && o->other[0]; }

hsc_status hsw_other(hsw *w, const hsw_against *o, hsc_handle **out, uint32_t *metric, double *scale, hsc_err *err) {
    hsc_handle *other = hsc_handle_find(w->interp, o->other);
    hsc_db_metric a, b;
    if (!other) {
        Tcl_ResetResult(w->interp);
        return hsc_err_set(err, HSC_E_ARGUMENT, "-other \"%.60s\": not an open database", o->other);
    }
    hsc_status s = hsc_db_get_metric(w->db->db, (uint32_t)w->metric, &a, err);
    for (uint32_t i = 0; s == HSC_OK && i < other->info.metrics; i++)
        if ((s = hsc_db_get_metric(other->db, i, &b, err)) == HSC_OK && !strcmp(a.name, b.name) && !strcmp(a.unit, b.unit)) {
            *out = other;
            *metric = i;
            *scale = a.scale > 0 ? b.scale / a.scale : 1;
            return HSC_OK;
        }
    return s != HSC_OK ? s : hsc_err_set(err, HSC_E_MISSING, "%s has no metric '%s'", other->info.path, a.name);
}

/* For each column of the other database the bin of the same processor here: the same rank and number of thread; without ranks
 * the same number. UINT32_MAX: none. */
static hsc_status other_bins(hsw *w, hsc_handle *other, const hsc_axis *axis, uint32_t **out, hsc_err *err) {
    hsc_handle *h = w->db;
    bool threads = w->axis == HSC_AXIS_THREAD;
    uint32_t n = hsc_db_get_columns(other->db, (hsc_db_axis)w->axis);
    uint32_t *bin = malloc(((size_t)n + 1) * sizeof *bin);
    if (!bin)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u processors", n);
    hsc_status s = HSC_OK;
    hsc_db_process p, q;
    hsc_db_thread t = {0}, u = {0};
    uint32_t at = 0; /* both are sorted by rank and thread: a walk along both */
    for (uint32_t c = 0; s == HSC_OK && c < n; c++) {
        bin[c] = UINT32_MAX;
        u.process = c;
        if ((threads && (s = hsc_db_get_thread(other->db, c, &u, err)) != HSC_OK) ||
            (s = hsc_db_get_process(other->db, u.process, &q, err)) != HSC_OK)
            break;
        if (q.rank < 0) {
            if (c < axis->columns)
                bin[c] = axis->bin_of[c];
            continue;
        }
        for (; at < axis->columns; at++) {
            t.process = at;
            if ((threads && (s = hsc_db_get_thread(h->db, at, &t, err)) != HSC_OK) ||
                (s = hsc_db_get_process(h->db, t.process, &p, err)) != HSC_OK)
                break;
            if (p.rank > q.rank || (p.rank == q.rank && (!threads || t.index >= u.index)))
                break;
        }
        if (s == HSC_OK && at < axis->columns && p.rank == q.rank && (!threads || t.index == u.index))
            bin[c] = axis->bin_of[at];
    }
    if (s != HSC_OK)
        free(bin);
    else
        *out = bin;
    return s;
}

typedef struct run { /* rows [lo, hi) of the other database that belong to a bin of rows here */
    uint32_t lo, hi, bin;
} run;

static int by_lo(const void *a, const void *b) {
    const run *x = a, *y = b;
    return x->lo != y->lo ? (x->lo < y->lo ? -1 : 1) : x->bin < y->bin ? -1 : x->bin > y->bin;
}

/* Runs of the other's rows for all bins, rising and without overlap. What the other has between two lines that are matched
 * counts where these are in one bin. */
static hsc_status make_runs(const uint32_t *map, uint32_t n, const uint32_t *lo, const uint32_t *hi, run **out, uint32_t *count,
                            hsc_err *err) {
    uint32_t capacity = n + 64, k = 0;
    run *list = malloc((size_t)capacity * sizeof *list);
    for (uint32_t b = 0; list && b < n; b++) {
        uint32_t last = HSC_NONE;
        for (uint32_t r = lo[b]; r < hi[b]; r++) {
            if (map[r] == HSC_NONE)
                continue;
            if (last != HSC_NONE && map[r] > last && map[r] - last < 4096) {
                list[k - 1].hi = map[r] + 1;
            } else {
                if (k == capacity) {
                    run *bigger = realloc(list, (size_t)(capacity *= 2) * sizeof *list);
                    if (!bigger) {
                        free(list);
                        list = NULL;
                        break;
                    }
                    list = bigger;
                }
                list[k++] = (run){map[r], map[r] + 1, b};
            }
            last = map[r];
        }
    }
    if (!list)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u rows of the other run", n);
    if (k)
        qsort(list, k, sizeof *list, by_lo);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k; i++) {
        if (kept && list[i].lo < list[kept - 1].hi)
            list[i].lo = list[kept - 1].hi;
        if (list[i].lo < list[i].hi)
            list[kept++] = list[i];
    }
    *out = list;
    *count = kept;
    return HSC_OK;
}

/* The other's values in our bins, in our counts. */
static hsc_status read_other(hsw *w, hsc_handle *other, hsc_db_view view, int reduce, uint32_t n, const uint32_t *lo,
                             const uint32_t *hi, const hsc_axis *axis, double scale, float *out, hsc_err *err) {
    const uint32_t *map;
    uint32_t *bin = NULL, *from = NULL, *to = NULL, count = 0, bins = axis->bins;
    run *runs = NULL;
    float *v = NULL;
    hsc_status s = hsc_handle_match(w->db, other, HSC_MATCH_LINES, &map, err);
    if (s == HSC_OK)
        s = other_bins(w, other, axis, &bin, err);
    if (s == HSC_OK)
        s = make_runs(map, n, lo, hi, &runs, &count, err);
    if (s == HSC_OK && (!(from = malloc(((size_t)count + 1) * sizeof *from)) || !(to = malloc(((size_t)count + 1) * sizeof *to)) ||
                        !(v = malloc(((size_t)count * bins + 1) * sizeof *v))))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u rows of the other run", count);
    if (s != HSC_OK)
        goto done;
    for (size_t i = 0; i < (size_t)n * bins; i++)
        out[i] = 0;
    for (uint32_t i = 0; i < count; i++) {
        from[i] = runs[i].lo;
        to[i] = runs[i].hi;
    }
    if (count && bins && (s = hsc_db_read_bins(other->db, view, (hsc_db_reduce)reduce, count, from, to, bins, bin, v, err)) != HSC_OK)
        goto done;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t b = 0; b < bins; b++) {
            float x = v[(size_t)i * bins + b] * (float)scale, *to_cell = &out[(size_t)runs[i].bin * bins + b];
            if (isnan(x))
                continue;
            if (reduce == HSC_REDUCE_SUM)
                *to_cell += x;
            else if (x > *to_cell)
                *to_cell = x;
        }
done:
    free(bin);
    free(runs);
    free(from);
    free(to);
    free(v);
    return s;
}

float hsw_change(int show, double a, double b) {
    if (show == HSW_SHOW_DIFFERENCE)
        return (float)(b - a);
    if (!(a > 0) && !(b > 0))
        return 0;
    return a > 0 ? b > 0 ? (float)log2(b / a) : -INFINITY : INFINITY;
}

/* So many samples of the run, of its mean weight. */
static hsc_sampled with_counts(hsc_sampled of, double counts) {
    of.v = (hsc_weighted){counts, of.all.sum > 0 ? counts * of.all.excess / of.all.sum : 0};
    return of;
}

bool hsw_within_noise(const hsw_noise *n, double a, double b) {
    double low, high;
    if (n->exact)
        return a == b;
    hsc_interval_change(with_counts(n->a, a), with_counts(n->b, b / n->b.scale), &low, &high);
    return low <= 0 && high >= 0;
}

hsc_status hsw_noise_init(hsw_noise *n, hsw *w, hsc_handle *other, uint32_t metric, double scale, hsc_err *err) {
    hsc_db_metric m;
    hsc_status s = hsc_db_get_metric(w->db->db, (uint32_t)w->metric, &m, err);
    if (s != HSC_OK)
        return s;
    *n = (hsw_noise){.exact = m.exact, .a.scale = 1, .b.scale = scale > 0 ? scale : 1};
    if (!m.exact && (s = hsc_handle_sampled(w->db, (uint32_t)w->metric, &n->a, err)) == HSC_OK)
        s = hsc_handle_sampled(other, metric, &n->b, err);
    return s;
}

hsc_status hsw_read_bins(hsw *w, const hsw_against *o, hsc_db_view view, int reduce, uint32_t n, const uint32_t *lo,
                         const uint32_t *hi, const hsc_axis *axis, float *out, unsigned char *noise, hsc_err *err) {
    size_t cells = (size_t)n * axis->bins;
    hsc_status s = n && axis->bins ? hsc_db_read_bins(w->db->db, view, (hsc_db_reduce)reduce, n, lo, hi, axis->bins, axis->bin_of, out, err)
                                   : HSC_OK;
    if (s != HSC_OK || !hsw_comparing(o))
        return s;
    hsc_handle *other;
    uint32_t metric;
    double scale;
    hsw_noise bound;
    float *b = malloc((cells + 1) * sizeof *b);
    hsc_db_view there = view;
    if (!b)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %zu cells", cells);
    if ((s = hsw_other(w, o, &other, &metric, &scale, err)) == HSC_OK && (s = hsw_noise_init(&bound, w, other, metric, scale, err)) == HSC_OK) {
        there.metric = metric;
        s = read_other(w, other, there, reduce, n, lo, hi, axis, scale, b, err);
    }
    for (size_t i = 0; s == HSC_OK && i < cells; i++) {
        if (noise)
            noise[i] = 0;
        if (isnan(out[i]))
            continue;
        bool within = hsw_within_noise(&bound, (double)out[i], (double)b[i]);
        if (noise)
            noise[i] = !(out[i] > 0) && !(b[i] > 0) ? HSW_NOTHING : within;
        out[i] = within && !noise ? 0 : hsw_change(o->show, (double)out[i], (double)b[i]);
    }
    free(b);
    return s;
}

double hsw_change_maximum(int show, const float *v, const unsigned char *noise, size_t n) {
    double best = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(v[i]) && !isinf(v[i]) && !(noise && noise[i]) && fabs((double)v[i]) > best)
            best = fabs((double)v[i]);
    if (show == HSW_SHOW_RATIO) /* 1.4 to 16 times */
        best = best < 0.5 ? 0.5 : best > 4 ? 4 : best;
    return best;
}

hsc_status hsw_program_change(hsw *w, const hsw_against *o, hsc_db_view view, int reduce, const hsc_axis *axis, double *out,
                              hsc_err *err) {
    uint32_t rows = (uint32_t)hsc_db_get_rows(w->db->db, view.table), step = axis->bins ? (1u << 18) / axis->bins + 1 : 1;
    hsc_handle *other = hsc_handle_find(w->interp, o->other);
    double key[3] = {(double)(uintptr_t)other, o->show, (double)reduce};
    if (!other)
        Tcl_ResetResult(w->interp);
    else if (hsw_remembered(w, view, reduce, axis, true, key, sizeof key, out))
        return HSC_OK;
    uint32_t *lo = malloc((size_t)step * sizeof *lo), *hi = malloc((size_t)step * sizeof *hi);
    float *v = malloc((size_t)step * axis->bins * sizeof *v + 1);
    hsc_status s = lo && hi && v ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory to look for the largest change");
    double best = 0;
    for (uint32_t at = 0; s == HSC_OK && at < rows; at += step) {
        uint32_t n = 0;
        for (uint32_t r = at; s == HSC_OK && r < rows && r - at < step; r++) {
            hsc_db_line l;
            if ((s = hsc_db_get_line(w->db->db, r, &l, err)) == HSC_OK && l.line) {
                lo[n] = r;
                hi[n++] = r + 1;
            }
        }
        if (s == HSC_OK)
            s = hsw_read_bins(w, o, view, reduce, n, lo, hi, axis, v, NULL, err);
        double most = s == HSC_OK ? hsw_change_maximum(o->show, v, NULL, (size_t)n * axis->bins) : 0;
        best = most > best ? most : best;
    }
    free(lo);
    free(hi);
    free(v);
    if (s == HSC_OK) {
        *out = best;
        if (other)
            hsw_remember(w, view, reduce, axis, true, key, sizeof key, best);
    }
    return s;
}
