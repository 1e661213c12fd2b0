/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small procedures that were put in line, of which nobody can spread or hurry the work: what they were put into can be. */
#ifndef HEATSCOPE_REPORT_PUT_IN_H
#define HEATSCOPE_REPORT_PUT_IN_H

#include "report.h"

/* By scope: 1 for a procedure of the map that has no loop. malloc'ed; NULL: no memory. */
uint8_t *report_without_loops(const report *r, hsc_err *err);

/* All zero before the first use. */
typedef struct report_put_in {
    uint8_t *small; /* by scope */
    double *sums;   /* by context, samples with its subtree; NaN: not read yet */
} report_put_in;
void report_put_in_fini(report_put_in *p);

/* From code of the user's in a procedure without loops that was put in line to what that was put into: the loop or the procedure that does
 * the work. It stays with the innermost on the way that has three quarters of that and is no accessor of a few lines: the body of a loop that a
 * library makes. Anything else is left as it is. */
hsc_status report_climb_put_in(const report *r, report_put_in *p, uint32_t *context, uint32_t *line, hsc_err *err);

#endif
