/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which references of the source the samples of instructions count for. */
#ifndef HEATSCOPE_REPORT_CHARGED_H
#define HEATSCOPE_REPORT_CHARGED_H

#include "report_instances.h"

/* A processor that waits for an operand is interrupted behind the instruction that waits, so a sample behind one that reads memory counts for
 * that one's line. What is put in line from a small procedure without references of its own counts for the line of the call. */
typedef struct report_charge {
    uint32_t line, procedure; /* of references; procedure HSC_NONE: all that have some on the line */
    uint32_t row;             /* of the table */
    uint32_t waiting;         /* the instruction that it counts for, where the sample stands behind it; HSC_NONE: at its own */
    hsc_weighted value;
} report_charge;

typedef struct report_charged {
    hsc_db_table table;       /* HSC_TABLE_INSTRUCTION; HSC_TABLE_LINE: the metric is not known by instruction */
    report_charge *list;      /* those with a value, by line, procedure and row */
    uint32_t n;
} report_charged;

/* Of the references that `uses` says run, where --where takes their lines. report_charged_clear also after a failure.
 * Cost: the references and the instructions once. */
hsc_status report_charged_load(const report *r, const report_uses *uses, report_charged *out, hsc_err *err);
void report_charged_clear(report_charged *c);

/* Charges of exactly this line and procedure. */
uint32_t report_charged_find(const report_charged *c, uint32_t line, uint32_t procedure, uint32_t *n);

/* Of what a loop reads through an index array or pointers, or irregularly, that behind which most of its own samples stand: *share of these. *computes: of these
 * again, the part behind instructions that compute with what they read, and may wait for their other operand. False: none. */
bool report_waited_read(const report *r, uint32_t loop, hsc_db_reference *out, double *share, double *computes);

/* By line: what of its samples stands right behind reads of another line, *to of them, that with most. free() both, also after a failure.
 * Of lines whose reads have no references: 0. Cost: as report_charged_load. */
hsc_status report_behind_reads(const report *r, double **part, uint32_t **to, hsc_err *err);

/* Does it read memory but the stack and constants? Text as of hsc_db_instruction (AT&T syntax). */
bool report_loads(const char *text);

#endif
