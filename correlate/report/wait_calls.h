/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that wait in one way on one line of a calling context: kept apart by their columns, so that the copies of one in an unrolled loop are one. */
#ifndef HEATSCOPE_REPORT_WAIT_CALLS_H
#define HEATSCOPE_REPORT_WAIT_CALLS_H

#include "report.h"

typedef struct report_wait_call {
    uint32_t context, line, kind; /* as in the database */
    uint32_t column;
} report_wait_call;

typedef struct report_wait_calls {
    report_wait_call *list; /* sorted, each once; free() */
    uint32_t n;
} report_wait_calls;

/* All of the database. Cost: the table of waits once. */
hsc_status report_load_wait_calls(const report *r, report_wait_calls *out, hsc_err *err);
/* The call's column where there are several; 0: it is the only one of its kind, or its column is not known. OpenMP's waits are inside its runtime: 0. */
uint32_t report_wait_call_column(const report_wait_calls *calls, const report_wait_call *call);
/* "write", "write (column 42)" */
const char *report_wait_call_text(const char *kind, uint32_t column, char *out, size_t size);

#endif
