/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which lines a table has, and in which order. */
#include <math.h>
#include <stdlib.h>

#include "report_text.h"

typedef struct without { /* lines that have no time of their own, of those that are accepted */
    bool (*accept)(void *ctx, uint64_t row);
    report *r;
    const bool *has_own;
} without;

static bool accept_without(void *ctx, uint64_t row) {
    const without *w = ctx;
    return !w->has_own[row] && w->accept(w->r, row);
}

static uint32_t more_than_none(const double *sums, uint32_t n) {
    while (n && !(sums[n - 1] > 0))
        n--;
    return n;
}

hsc_status report_rank_lines(report *r, bool (*accept)(void *ctx, uint64_t row), bool through, uint32_t most, report_lines *out, hsc_err *err) {
    hsc_db_view own = {r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, incl = {r->metric, HSC_TABLE_LINE_INCL, HSC_AXIS_THREAD};
    uint32_t capacity = most && most < r->info.lines ? most : r->info.lines, n = 0;
    *out = (report_lines){.rows = calloc((uint64_t)capacity + 1, sizeof *out->rows), .own = calloc((uint64_t)capacity + 1, sizeof *out->own)};
    double *paths = calloc((uint64_t)capacity + 1, sizeof *paths);
    bool *has_own = calloc((uint64_t)r->info.lines + 1, sizeof *has_own);
    hsc_status status = out->rows && out->own && paths && has_own ? hsc_db_read_top(r->db, own, accept, r, capacity, out->rows, out->own, &out->n, err)
                                                                  : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status)
        out->n = more_than_none(out->own, out->n);
    for (uint32_t i = 0; i < out->n && !status; i++)
        has_own[out->rows[i]] = true;
    if (!status && through && out->n < capacity) {
        without w = {accept, r, has_own};
        status = hsc_db_read_top(r->db, incl, accept_without, &w, capacity - out->n, out->rows + out->n, paths, &n, err);
        if (status == HSC_E_MISSING) {
            hsc_err_clear(err);
            status = HSC_OK;
        }
        n = more_than_none(paths, n);
        for (uint32_t i = 0; i < n && !status; i++)
            out->own[out->n++] = 0;
    }
    free(paths);
    free(has_own);
    if (status)
        report_free_lines(out);
    return status;
}

void report_free_lines(report_lines *lines) {
    free(lines->rows);
    free(lines->own);
    *lines = (report_lines){.n = 0};
}

hsc_weighted report_line_inclusive(const report *r, uint64_t row) {
    hsc_weighted v = {0};
    hsc_db_view incl = {r->metric, HSC_TABLE_LINE_INCL, HSC_AXIS_THREAD};
    return hsc_db_read_weighted(r->db, incl, row, 1, &v, NULL) ? (hsc_weighted){NAN, 0} : v;
}

bool report_accept_line(void *ctx, uint64_t row) { return report_wanted_line(ctx, (uint32_t)row); }
