/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the processors' time of a run goes: the factors of parallel efficiency, after the POP metrics (Wagner, Mohr, Gimenez, Labarta:
 * A Structured Approach to Performance Analysis, 2018). */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <report_elapsed.h>

static const double MOST_IN_LINE = 0.5; /* of the time that threads could have run: beyond, elapsed time is others' load more than the program's */

static uint32_t computation_of(const report *r) {
    for (uint32_t c = 0; hsc_db_get_category(r->db, c); c++)
        if (!strcmp(hsc_db_get_category(r->db, c), "computation"))
            return c;
    return HSC_NONE;
}

static int falling(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* Is what `threads` threads computed, largest first, uneven beyond what sampling makes of even work? */
static bool is_uneven(const report *r, const float *of, uint32_t threads, double sum) {
    report_spread spread = {.mean = sum / threads, .columns = threads, .excess = r->total > 0 ? r->all.excess * sum / r->total : 0};
    double squares = 0;
    for (uint32_t t = 0; t < threads && t < r->info.threads; t++)
        squares += (of[t] - spread.mean) * (of[t] - spread.mean);
    spread.dispersion = report_dispersion(&spread, squares);
    return report_uneven(&spread);
}

hsc_status diff_factors_of(const report *r, diff_factors *out, hsc_err *err) {
    double begin_s, end_s, most = 0, sum = 0;
    uint32_t row = computation_of(r);
    report_elapsed elapsed;
    report_usage usage;
    *out = (diff_factors){.load_balance = NAN, .communication = NAN, .parallel = NAN, .line_s = NAN};
    if (row == HSC_NONE || r->metric || r->category || strcmp(r->unit.unit, "s") || !(r->info.wall_s > 0) || hsc_db_get_interval(r->db, &begin_s, &end_s))
        return HSC_OK;
    float *of = calloc((size_t)r->info.threads + 1, sizeof *of);
    hsc_status s = of ? hsc_db_read_block(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_THREAD}, row, 1, 0, r->info.threads, of, err)
                      : hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u threads", r->info.path, r->info.threads);
    for (uint32_t t = 0; !s && r->stands_for && t < r->info.threads; t++)
        if (r->stands_for[t] != t) {
            of[r->stands_for[t]] += of[t];
            of[t] = 0;
        }
    for (uint32_t t = 0; !s && t < r->info.threads; t++) {
        sum += of[t];
        most = fmax(most, of[t]);
    }
    if (!s)
        s = report_elapsed_of(r, &elapsed, err);
    if (!s && r->axis == HSC_AXIS_THREAD && (r->stands_for || r->size_given))
        elapsed.threads = r->working;
    if (!s && elapsed.threads && most > 0) {
        qsort(of, r->info.threads, sizeof *of, falling);
        out->uneven = is_uneven(r, of, elapsed.threads, sum);
    }
    free(of);
    if (s == HSC_E_MISSING) { /* a database without these values */
        hsc_err_clear(err);
        return HSC_OK;
    }
    if (s || !elapsed.threads || !(most > 0))
        return s;
    report_usage_of(r, 0, r->info.threads, &usage);
    out->threads = elapsed.threads;
    out->all_s = r->info.wall_s * elapsed.threads;
    out->computation_s = sum * r->unit.scale;
    out->cpu_s = r->total * r->unit.scale;
    out->line_s = usage.line_known ? usage.line_s : NAN;
    out->load_balance = sum / elapsed.threads / most;
    out->communication = most * r->unit.scale / r->info.wall_s;
    out->parallel = out->computation_s / out->all_s;
    out->longest_s = most * r->unit.scale;
    out->in_line = usage.line_known && usage.line_s + out->cpu_s > 0 ? usage.line_s / (usage.line_s + out->cpu_s) : 0;
    out->crowded = out->in_line > MOST_IN_LINE;
    if (out->crowded)
        out->communication = out->parallel = NAN;
    return HSC_OK;
}

bool diff_crowded_text(const diff_factors *of, uint32_t n, char first, char *out, size_t size) {
    uint32_t told = 0;
    size_t at = (size_t)snprintf(out, size, "not told: threads stood in line for a processor for ");
    for (uint32_t i = 0; i < n; i++)
        if (of[i].crowded && at < size)
            at += (size_t)snprintf(out + at, size - at, "%s%.0f %% (%c)", told++ ? ", " : "", 100 * of[i].in_line, (char)(first + (char)i));
    if (at < size)
        snprintf(out + at, size - at, " of the time that they could have run, so elapsed time tells of other programs");
    return told > 0;
}

double diff_computation_scaling(const diff *d, const diff_factors *a, const diff_factors *b) {
    if (!a->threads || !b->threads)
        return NAN;
    double strong = a->computation_s / b->computation_s;
    return d->weak ? strong * b->threads / a->threads : strong;
}

bool diff_is_users(const diff *d, const diff_row *row) {
    hsc_db_scope s;
    const report *r = row->b != HSC_NONE ? &d->b : &d->a;
    return !hsc_db_get_scope(r->db, row->b != HSC_NONE ? row->b : row->a, &s, NULL) && s.kind >= HSC_SCOPE_PROCEDURE && report_is_users(r, &s);
}
