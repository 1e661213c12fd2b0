/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of the report's tables: exact numbers, units in the names of columns. Cells are put in the order of the columns. */
#ifndef HEATSCOPE_CLI_REPORT_ROWS_H
#define HEATSCOPE_CLI_REPORT_ROWS_H

#include "report_categories.h"
#include "report_text.h"
#include "report_timed.h"

typedef struct sink { /* one row at a time */
    report *r;
    hsc_table t;
    bool usual; /* a table as text, with its own columns */
    char unit[32]; /* of the metric, for names */
    report_categories categories[2]; /* of the tables that rows are of */
} sink;

static inline void put_text(sink *s, const char *name, const char *text) { hsc_table_text(&s->t, name, text); }
static inline void put_number(sink *s, const char *name, double v) { hsc_table_number(&s->t, name, v); }
static inline void put_count(sink *s, const char *name, double v) { hsc_table_count(&s->t, name, v); }
static inline void put_amount(sink *s, const char *name, double samples) { hsc_table_amount(&s->t, name, samples); }
static inline void begin_row(sink *s) { hsc_table_begin_row(&s->t); }
static inline void end_row(sink *s) { hsc_table_end_row(&s->t); }

/* file, line_begin, line_end; file, line */
void report_put_place(sink *s, uint32_t file, uint32_t begin, uint32_t end, bool range);
/* NAME_s, NAME_low_s, NAME_high_s; share: of all, NAME_pct, NAME_pct_low, NAME_pct_high */
void report_put_sampled(sink *s, const char *name, hsc_weighted v, bool share);
void report_put_exclusive(sink *s, hsc_weighted v); /* with exclusive_periods */
void report_put_inclusive(sink *s, hsc_weighted v);
/* Over the processors: mean, min, max with their processors, stddev, quantiles, imbalance; and what m/m tells, over those that report_compared() takes for
 * the scope. */
void report_put_spread(sink *s, uint32_t scope, const report_spread *p);
hsc_status report_put_spread_of(sink *s, uint32_t scope, hsc_db_table table, const report_range *ranges, uint32_t n, hsc_err *err);
/* Of what was timed. NAME_s, NAME_low_s, NAME_high_s; thread_mean_s, thread_stddev_s, thread_min_s, thread_min, thread_max_s, thread_max, the same of process_. */
void report_put_quantile(hsc_table *t, const char *name, const hsc_db_quantile *q);
void report_put_over(const report *r, hsc_table *t, const report_over *o);
/* NAME_CATEGORY, without what a name of a column can't have */
void report_category_column(const report *r, const char *name, uint32_t category, char *out, size_t size);
/* NAME_CATEGORY_s */
void report_put_category(sink *s, const char *name, uint32_t category, double value);
/* inclusive_CATEGORY_s of a scope, for all categories */
hsc_status report_put_categories(sink *s, uint32_t scope, hsc_err *err);
/* NAME_CATEGORY_s of rows of a table, added up; empty where the database has no times. A sink takes two tables. */
hsc_status report_put_categories_of(sink *s, const char *name, hsc_db_table table, const report_range *ranges, uint32_t n, hsc_err *err);

/* tables; the first row of each tells names only */
hsc_status report_message_rows(sink *s, hsc_err *err);
hsc_status report_wait_rows(sink *s, hsc_err *err);
hsc_status report_reason_rows(sink *s, hsc_err *err);
hsc_status report_group_rows(sink *s, report_by by, hsc_err *err); /* file, module, nest, call, inlined, version, category, data, reference */

#endif
