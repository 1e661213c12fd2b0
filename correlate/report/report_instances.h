/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instances of one procedure of the source, as of a template: they stand on the same lines, and what the map has of these is there once for each. */
#ifndef HEATSCOPE_REPORT_INSTANCES_H
#define HEATSCOPE_REPORT_INSTANCES_H

#include "report.h"

typedef struct report_uses { /* of the references of the map */
    uint8_t *runs;      /* by reference: its procedure ran, or none that has one on its line did */
    uint8_t *counts;    /* by reference: of those of one array on one line, it is in the instance that has most of them, of those that ran */
    uint32_t *on_line;  /* by line: references that run in the procedure that has most */
    uint32_t *procedures; /* by line: that have references there, whether they ran or not */
} report_uses;
/* By r->metric. report_uses_clear also after a failure. Cost: the references once. */
hsc_status report_uses_load(const report *r, report_uses *out, hsc_err *err);
void report_uses_clear(report_uses *u);

/* The procedure that a scope is in; HSC_NONE: none. */
uint32_t report_procedure(const report *r, uint32_t scope);
uint32_t report_context_procedure(const report *r, uint32_t context);

/* Was anything in the procedure, or below it? Of HSC_NONE, and where that is not known: true. */
bool report_has_run(const report *r, uint32_t procedure);

/* The calls of message passing on a line that are of the instance of a context. */
typedef struct report_calls_at {
    uint32_t first, n;  /* rows of mpi_site: all on the line */
    uint32_t procedure; /* whose; HSC_NONE: all */
} report_calls_at;
/* False: there are none. */
bool report_find_calls(const report *r, uint32_t line, uint32_t context, report_calls_at *out);
bool report_is_call_of(const report *r, const report_calls_at *calls, uint32_t site);

#endif
