/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of a metric by category, of rows of any table whose rows samples by time tell. */
#ifndef HEATSCOPE_REPORT_CATEGORIES_H
#define HEATSCOPE_REPORT_CATEGORIES_H

#include "report.h"

typedef struct report_categories {
    bool looked, known;     /* known false: the database has no times (correlate --time=none), or the metric none by time */
    hsc_db_table table;
    uint64_t rows;
    uint32_t n;             /* categories */
    double *sums;           /* [n][rows]: counts; those of a row add up to the row's sum */
} report_categories;

/* Of all rows of a table, in the interval that is set or the whole run. `out` {0}, or as it was left: then nothing is done. Free with
 * report_categories_clear, also after a failure. Cost: the sums of the table, for each category. */
hsc_status report_categories_load(const report *r, hsc_db_table table, report_categories *out, hsc_err *err);
void report_categories_clear(report_categories *c);

/* Adds up rows of `ranges`: out[n]; NaN: not known. */
void report_categories_of(const report_categories *c, const report_range *ranges, uint32_t n, double *out);

/* All tables of the report count only samples of this category from then on (HSC_NONE: of all); before report_load. Where no interval is set, the
 * whole run is made one. HSC_E_MISSING: the database has no times. */
hsc_status report_set_category(report *r, uint32_t category, hsc_err *err);

#endif
