/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Differences as text and as rows for machines: all write to d->out. */
#ifndef HEATSCOPE_CLI_DIFF_TEXT_H
#define HEATSCOPE_CLI_DIFF_TEXT_H

#include "diff.h"
#include "report_text.h"

hsc_status diff_text(diff *d, diff_by by, hsc_err *err);
/* CPU time, elapsed time, waiting by kind, imbalance: of whole runs all but the last without sampling. */
hsc_status diff_text_run(diff *d, hsc_err *err);
/* A sentence for each way in which the two runs were not measured alike, or the machine was not the same to both. */
void diff_text_measured(diff *d);
/* Sizes and the elapsed speed-up. */
hsc_status diff_text_speedup(diff *d, hsc_err *err);
/* The factors of the efficiency of both, and which of them the loss comes from; nothing where they are not known. */
hsc_status diff_text_scaling(diff *d, hsc_err *err);
/* `by`: of what is timed. brief: what changed by a hundredth of the elapsed time, and nothing where nothing did. */
hsc_status diff_text_timed(diff *d, diff_by by, bool brief, hsc_err *err);
/* A blank and a number in `width` columns: with fewer decimals where it would be wider. format: of one number, or of two, each after
 * its decimals. */
void diff_put_numbers(FILE *out, int width, int decimals, const char *format, double first, double second);
/* A bound of a change of what was `of`, in percent: no time falls by more than itself, which an interval of seconds may go beyond. */
double diff_percent(double change, double of);
/* " -12.5", " new", " gone", of what is in both and met no sample in one of them " from 0", " to 0": the change in percent, a blank and six
 * columns. */
void diff_put_percent(FILE *out, double a, double b, bool in_both);
/* "solve_x  for at sweeps.c:120" where there is room, "a.c:12 x += y": of a scope, and of a line row. */
void diff_scope_name(const report *r, uint32_t scope, int width, char *out, size_t size);
void diff_line_name(report *r, uint32_t row, int width, char *out, size_t size);
/* What runs are compared by: "ranks", "processes", "threads", or one of them. */
const char *diff_processors(const diff *d, bool several);
const char *diff_size(const diff *d, const report *r, char *out, size_t size); /* that with their number, and of how many */
void diff_put_size_words(FILE *out, int width); /* what is counted, where these are fewer than there are */
enum { DIFF_TABLES = 10 };
extern const char *const diff_names[DIFF_TABLES]; /* by diff_by */
hsc_status diff_rows(diff *d, diff_by by, hsc_table_format format, const char *columns, hsc_err *err);

#endif
