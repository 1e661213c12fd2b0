/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of lines that several procedures have, instances of a template mostly, each its own: by the instructions that they were taken at. */
#ifndef HEATSCOPE_REPORT_PLACED_H
#define HEATSCOPE_REPORT_PLACED_H

#include "report.h"

typedef struct report_place {
    uint32_t line, procedure; /* row of lines; scope, HSC_NONE: none */
} report_place;

typedef struct report_placed {
    bool known;           /* else samples are known by line alone */
    report_place *places; /* by line and procedure, each once */
    uint32_t n;
    uint32_t *first, *rows; /* of places[i] rows[first[i]] to rows[first[i + 1] - 1], of HSC_TABLE_INSTRUCTION, rising */
    hsc_weighted *values;   /* of all of that table's rows */
} report_placed;

/* places[n] in any order; the result owns it. An instruction is its line's where one procedure alone has that, else that of its own procedure; one of a small
 * procedure that was put in line, of no loop of its own and on none of these lines, is the call's, from one to the next. Free with report_placed_clear, also
 * after a failure. */
hsc_status report_placed_load(const report *r, report_place *places, uint32_t n, report_placed *out, hsc_err *err);
void report_placed_clear(report_placed *p);

/* Row of places; p->n: there is none. */
uint32_t report_placed_find(const report_placed *p, uint32_t line, uint32_t procedure);

#endif
