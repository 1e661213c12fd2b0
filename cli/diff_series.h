/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several runs as text and as rows for machines. */
#ifndef HEATSCOPE_CLI_DIFF_SERIES_H
#define HEATSCOPE_CLI_DIFF_SERIES_H

#include "diff_text.h"
#include "several.h"

/* all: of all samples. some: of those of one category, that tables of scopes and lines count; NULL: they count all. */
hsc_status diff_series_text(diff_series *all, diff_series *some, diff_by by, hsc_err *err);
hsc_status diff_series_put_rows(diff_series *all, diff_series *some, diff_by by, hsc_table_format format, const char *columns, hsc_err *err);

/* What heads a comparison of several runs, group by group: means over its runs. */
typedef struct diff_series_head {
    double elapsed_s, least_s, most_s, cpu_s;
    diff_factors factors; /* its figures are means; threads 0: not known */
    double longest_s;     /* computation of the thread with most */
} diff_series_head;
hsc_status diff_series_heads(const diff_series *s, diff_series_head *of, hsc_err *err);

#endif
