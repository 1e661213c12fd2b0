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
/* The factors of the efficiency of both, and which of them the loss comes from; nothing where they are not known. */
hsc_status diff_text_scaling(diff *d, hsc_err *err);
enum { DIFF_TABLES = 5 };
extern const char *const diff_names[DIFF_TABLES]; /* by diff_by */
hsc_status diff_rows(diff *d, diff_by by, hsc_table_format format, const char *columns, hsc_err *err);

#endif
