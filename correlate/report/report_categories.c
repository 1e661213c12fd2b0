/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_categories.h"

#include <math.h>
#include <stdlib.h>

/* Category by category. */
static hsc_status read_all(const report *r, report_categories *c, hsc_err *err) {
    uint32_t only = hsc_db_get_only(r->db);
    hsc_status status = HSC_OK;
    for (uint32_t k = 0; k < c->n && !status; k++) {
        if (only != HSC_NONE && only != k) /* the others have none */
            continue;
        status = hsc_db_set_only(r->db, k, err);
        if (!status)
            status = hsc_db_read_sums(r->db, (hsc_db_view){r->metric, c->table, HSC_AXIS_THREAD}, 0, c->rows, c->sums + k * c->rows, err);
    }
    hsc_status back = hsc_db_set_only(r->db, only, status ? NULL : err);
    return status ? status : back;
}

/* Events that took turns on the counters: values are scaled up for that, samples are not. */
static void rescale(report_categories *c, const double *whole) {
    for (uint64_t row = 0; row < c->rows; row++) {
        double sum = 0;
        for (uint32_t k = 0; k < c->n; k++)
            sum += c->sums[k * c->rows + row];
        for (uint32_t k = 0; k < c->n && sum > 0 && sum != whole[row]; k++)
            c->sums[k * c->rows + row] *= whole[row] / sum;
    }
}

hsc_status report_categories_load(const report *r, hsc_db_table table, report_categories *out, hsc_err *err) {
    double begin_s, end_s;
    bool whole = !hsc_db_get_interval(r->db, &begin_s, &end_s);
    if (out->looked)
        return HSC_OK;
    *out = (report_categories){.looked = true, .table = table, .rows = hsc_db_get_rows(r->db, table), .n = r->info.categories};
    out->sums = calloc(out->n * out->rows + 1, sizeof *out->sums);
    double *sums = calloc(out->rows + 1, sizeof *sums);
    hsc_status status = out->sums && sums ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status)
        status = hsc_db_read_sums(r->db, (hsc_db_view){r->metric, table, HSC_AXIS_THREAD}, 0, out->rows, sums, err);
    if (!status && whole)
        status = hsc_db_set_whole(r->db, err);
    if (!status)
        status = read_all(r, out, err);
    if (whole && hsc_db_get_interval(r->db, &begin_s, &end_s)) {
        hsc_status back = hsc_db_set_intervals(r->db, NULL, 0, status ? NULL : err);
        status = status ? status : back;
    }
    out->known = !status;
    if (!status && whole)
        rescale(out, sums);
    free(sums);
    if (status == HSC_E_MISSING) {
        hsc_err_clear(err);
        status = HSC_OK;
    }
    return status;
}

void report_categories_clear(report_categories *c) {
    free(c->sums);
    *c = (report_categories){0};
}

void report_categories_of(const report_categories *c, const report_range *ranges, uint32_t n, double *out) {
    for (uint32_t k = 0; k < c->n; k++) {
        out[k] = c->known ? 0 : NAN;
        for (uint32_t i = 0; c->known && i < n; i++)
            for (uint64_t row = ranges[i].first; row < ranges[i].first + ranges[i].n && row < c->rows; row++)
                out[k] += c->sums[k * c->rows + row];
    }
}

hsc_status report_set_category(report *r, uint32_t category, hsc_err *err) {
    double begin_s, end_s;
    hsc_status status = HSC_OK;
    if (category != HSC_NONE && !hsc_db_get_interval(r->db, &begin_s, &end_s)) {
        status = hsc_db_set_whole(r->db, err);
        r->as_interval = !status;
    }
    if (!status)
        status = hsc_db_set_only(r->db, category, err);
    r->category = status || category == HSC_NONE ? NULL : hsc_db_get_category(r->db, category);
    return status;
}
