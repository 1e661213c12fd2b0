/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cells that many of the report's tables have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_rows.h"

static void put_percent(sink *s, const char *name, double samples) {
    put_number(s, name, s->r->total > 0 ? 100 * samples / s->r->total : 0);
}


void report_put_place(sink *s, uint32_t file, uint32_t begin, uint32_t end, bool range) {
    hsc_db_file f = {.path = ""};
    if (file != HSC_NONE)
        (void)hsc_db_get_file(s->r->db, file, &f, NULL);
    put_text(s, "file", f.path);
    put_count(s, range ? "line_begin" : "line", begin);
    if (range)
        put_count(s, "line_end", end);
}

void report_put_sampled(sink *s, const char *name, hsc_weighted v, bool share) {
    static const char *const tails[] = {"_low", "_high", "_pct", "_pct_low", "_pct_high"};
    char names[5][64];
    double low, high;
    for (int i = 0; i < 5; i++)
        snprintf(names[i], sizeof names[i], "%s%s", name, tails[i]);
    report_interval(s->r, v, &low, &high);
    put_amount(s, name, v.sum);
    put_amount(s, names[0], low);
    put_amount(s, names[1], high);
    if (!share)
        return;
    report_share_interval(s->r, v, &low, &high);
    put_percent(s, names[2], v.sum);
    put_number(s, names[3], 100 * low);
    put_number(s, names[4], 100 * high);
}

void report_put_exclusive(sink *s, hsc_weighted v) {
    put_count(s, "exclusive_periods", v.sum);
    report_put_sampled(s, "exclusive", v, true);
}

void report_put_inclusive(sink *s, hsc_weighted v) {
    if (isnan(v.sum))
        put_number(s, "inclusive_periods", NAN); /* not told: empty */
    else
        put_count(s, "inclusive_periods", v.sum);
    report_put_sampled(s, "inclusive", v, true);
}

void report_put_quantile(hsc_table *t, const char *name, const hsc_db_quantile *q) {
    const char *const tails[] = {"_s", "_low_s", "_high_s"};
    const double values[] = {q->value_s, q->low_s, q->high_s};
    for (int i = 0; i < 3; i++) {
        char column[64];
        snprintf(column, sizeof column, "%s%s", name, tails[i]);
        hsc_table_number(t, column, values[i]);
    }
}

static void put_parts(const report *r, hsc_table *t, hsc_db_axis axis, const report_parts *p) {
    const char *const name = axis == HSC_AXIS_THREAD ? "thread" : "process";
    const struct {
        const char *of;
        double seconds;
        uint32_t at;
    } columns[] = {{"mean", report_parts_mean(p), HSC_NONE}, {"stddev", report_parts_stddev(p), HSC_NONE}, {"min", p->n ? p->min_s : NAN, p->min_at}, {"max", p->n ? p->max_s : NAN, p->max_at}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char column[32], who[128] = "";
        snprintf(column, sizeof column, "%s_%s_s", name, columns[i].of);
        hsc_table_number(t, column, columns[i].seconds);
        if (columns[i].at == HSC_NONE)
            continue;
        if (p->n)
            report_processor(r, axis, columns[i].at, who, sizeof who);
        snprintf(column, sizeof column, "%s_%s", name, columns[i].of);
        hsc_table_text(t, column, who);
    }
}

static void put_shape(hsc_table *t, const char *axis, const report_parts *p, const double quantiles[REPORT_OVER_QUANTILES]) {
    static const char *const names[REPORT_OVER_QUANTILES] = {"p05", "p25", "median", "p75", "p95"};
    char column[32];
    for (unsigned i = 0; i < REPORT_OVER_QUANTILES; i++) {
        snprintf(column, sizeof column, "%s_%s_s", axis, names[i]);
        hsc_table_number(t, column, quantiles[i]);
    }
    snprintf(column, sizeof column, "%s_imbalance_s", axis);
    hsc_table_number(t, column, p->n ? p->max_s - report_parts_mean(p) : NAN);
}

void report_put_over(const report *r, hsc_table *t, const report_over *o) {
    report_parts processes = report_over_processes(o);
    report_over_spread s = report_over_spread_of(o);
    put_parts(r, t, HSC_AXIS_THREAD, &o->threads);
    put_parts(r, t, HSC_AXIS_PROCESS, &processes);
    put_shape(t, "thread", &o->threads, s.threads);
    put_shape(t, "process", &processes, s.processes);
}

static void put_extreme(sink *s, const char *name, hsc_weighted v, uint32_t column) {
    char processor[96] = "", column_name[64];
    report_put_sampled(s, name, v, false);
    if (column != HSC_NONE)
        report_processor(s->r, s->r->axis, column, processor, sizeof processor);
    snprintf(column_name, sizeof column_name, "%s_processor", name);
    put_text(s, column_name, processor);
}

void report_put_spread(sink *s, uint32_t scope, const report_spread *p) {
    static const char *const quantiles[REPORT_QUANTILES] = {"p05", "p25", "median", "p75", "p95"};
    double n = p->columns ? p->columns : 1, low, high;
    report_interval(s->r, (hsc_weighted){p->mean * n, p->excess}, &low, &high);
    put_amount(s, "mean", p->mean);
    put_amount(s, "mean_low", low / n);
    put_amount(s, "mean_high", high / n);
    put_extreme(s, "min", (hsc_weighted){p->columns ? p->min : 0, p->min_excess}, p->min_at);
    put_extreme(s, "max", (hsc_weighted){p->columns ? p->max : 0, p->max_excess}, p->max_at);
    report_ratio_interval(s->r, p, &low, &high);
    bool any = p->mean > 0 && p->programs < 2;
    put_number(s, "max_over_mean", any ? p->max / p->mean : NAN);
    put_number(s, "max_over_mean_low", any ? low : NAN);
    put_number(s, "max_over_mean_high", any ? high : NAN);
    put_amount(s, "imbalance", p->programs > 1 ? NAN : p->columns ? p->max - p->mean : 0);
    put_amount(s, "stddev", p->stddev);
    for (int i = 0; i < REPORT_QUANTILES; i++)
        put_amount(s, quantiles[i], p->columns ? p->quantiles[i] : 0);
    report_spread among = report_compared(s->r, scope, p);
    char least[96] = "";
    if (among.columns && among.min_at != HSC_NONE)
        report_processor(s->r, s->r->axis, among.min_at, least, sizeof least);
    put_count(s, "compared_processors", among.columns);
    put_amount(s, "compared_mean", among.mean);
    put_amount(s, "compared_min", among.columns ? among.min : 0);
    put_text(s, "compared_min_processor", least);
    put_number(s, "compared_max_over_mean", any ? among.max / among.mean : NAN);
}

hsc_status report_put_spread_of(sink *s, uint32_t scope, hsc_db_table table, const report_range *ranges, uint32_t n, hsc_err *err) {
    report_spread p;
    hsc_status status = report_spread_of_ranges(s->r, table, ranges, n, &p, err);
    if (!status)
        report_put_spread(s, scope, &p);
    return status;
}

void report_category_column(const report *r, const char *name, uint32_t category, char *out, size_t size) {
    const char *of = hsc_db_get_category(r->db, category);
    int at = snprintf(out, size, "%s_%.60s", name, of ? of : "");
    for (char *p = out + strlen(name); p < out + at && *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
            *p = '_';
}

void report_put_category(sink *s, const char *name, uint32_t category, double value) {
    char column[80];
    report_category_column(s->r, name, category, column, sizeof column);
    put_amount(s, column, value);
}

hsc_status report_put_categories(sink *s, uint32_t scope, hsc_err *err) {
    uint32_t n = s->r->info.categories;
    double *sums = calloc((size_t)n + 1, sizeof *sums);
    if (!sums)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    hsc_db_view view = {s->r->metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_THREAD};
    hsc_status status = hsc_db_read_sums(s->r->db, view, (uint64_t)scope * n, n, sums, err);
    for (uint32_t c = 0; c < n && (!status || status == HSC_E_MISSING); c++) {
        report_put_category(s, "inclusive", c, status ? NAN : sums[c]);
    }
    free(sums);
    if (status == HSC_E_MISSING)
        hsc_err_clear(err);
    return status == HSC_E_MISSING ? HSC_OK : status;
}

/* Whether any of the columns is to be shown. */
static bool wants_categories(const sink *s, const char *name) {
    bool wanted = !s->t.columns;
    for (uint32_t c = 0; c < s->r->info.categories && !wanted; c++) {
        char column[80];
        report_category_column(s->r, name, c, column, sizeof column);
        wanted = strstr(s->t.columns, column) != NULL;
    }
    return wanted;
}

hsc_status report_put_categories_of(sink *s, const char *name, hsc_db_table table, const report_range *ranges, uint32_t n, hsc_err *err) {
    report_categories none = {.n = s->r->info.categories}, *of = &none;
    hsc_status status = HSC_OK;
    double *sums = calloc((size_t)none.n + 1, sizeof *sums);
    if (!sums)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (wants_categories(s, name)) {
        of = &s->categories[table == s->categories[0].table || !s->categories[0].looked ? 0 : 1];
        status = report_categories_load(s->r, table, of, err);
    }
    if (!status)
        report_categories_of(of, ranges, n, sums);
    for (uint32_t c = 0; c < none.n && !status; c++)
        report_put_category(s, name, c, sums[c]);
    free(sums);
    return status;
}
