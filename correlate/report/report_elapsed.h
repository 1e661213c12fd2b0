/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elapsed time of the threads that run the program's code. */
#ifndef HEATSCOPE_REPORT_ELAPSED_H
#define HEATSCOPE_REPORT_ELAPSED_H

#include "report.h"

typedef struct report_elapsed {
    double seconds;   /* of `threads`, added up */
    uint32_t threads; /* the first of each process, and those with samples or waits below code of the program */
    uint32_t helpers; /* others: libraries made them for themselves, or they were never seen */
} report_elapsed;

/* Of the interval where one is set. Cost: one row of values for each module with code of the user's. */
hsc_status report_elapsed_of(const report *r, report_elapsed *out, hsc_err *err);
/* By thread: one that a library made for itself, as those of an MPI's progress: neither it nor OpenMP's runtime ever ran code of the program in it, or waited
 * there. Borrowed; NULL: there is none, or processors are no threads. */
const bool *report_helpers(report *r);
/* Takes them out of r->working, of a loaded report of a whole run. */
void report_leave_helpers(report *r);
/* What was counted and timed exactly is known of the interval, or none is set. */
bool report_exact_known(const report *r);
/* Of [begin_s, end_s) of a process, what is in the interval; all where none is set. */
double report_time_within(const report *r, uint32_t process, double begin_s, double end_s);

#endif
