/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Differences as text and as rows for machines: all write to d->out. */
#ifndef HEATSCOPE_CLI_DIFF_TEXT_H
#define HEATSCOPE_CLI_DIFF_TEXT_H

#include "diff.h"
#include "report_text.h"

hsc_status diff_text(diff *d, diff_by by, hsc_err *err);
hsc_status diff_rows(diff *d, diff_by by, bool json, hsc_err *err);

#endif
