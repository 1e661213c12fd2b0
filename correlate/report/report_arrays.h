/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Message passing by array: what is known of the buffers of a call, joined with what its wrapper counted. */
#ifndef HEATSCOPE_REPORT_ARRAYS_H
#define HEATSCOPE_REPORT_ARRAYS_H

#include "report.h"
#include "report_timed.h"

typedef struct report_array {
    uint32_t array;             /* row, the first with this identity; HSC_NONE: calls whose buffers are not known */
    uint32_t named;             /* the row that calls have it by, of several those that last longest: its name is one of the source there */
    double named_s;             /* for how long these last */
    uint32_t caller;            /* procedure that makes these */
    uint64_t calls, sent_bytes, received_bytes;
    double mpi_s;               /* in the calls, and their share of the calls that completed them, of a run its waits at least; a call of several arrays
                                 * counts for each. Intervals add up to the run */
    double waiting_s;           /* for late partners in them, likewise */
    uint64_t run_calls;         /* these of the run, whatever interval is set, but for what the waits make more */
    double run_mpi_s, run_waiting_s;
    double share_s, waiting_share_s; /* the same divided among the arrays of a call, by bytes and evenly: these add up */
    double packing, unpacking;  /* samples of loops that fill or read the buffer */
    bool packs, unpacks;        /* such loops are known; else 0 says nothing */
    uint32_t places;            /* calls in the source, as (line, operation) */
    report_over over;           /* threads: of mpi_s */
} report_array;

/* Those with most bytes first. free() *rows. Empty without a map of the calls. */
hsc_status report_arrays(report *r, report_array **rows, uint32_t *n, hsc_err *err);
/* "real u(5, 64)", "halo[2][n]", "what is not known" */
void report_array_text(const report *r, uint32_t array, char *out, size_t size);
/* A member of what a pointer or a variable has? Its scope is but the first procedure that was met with it. */
bool report_is_member(const hsc_db_array *a);
/* The procedure that it is of; of a member one that ran with it, if any. */
uint32_t report_array_procedure(const report *r, const report_array *x);
/* Of a dummy argument of which it is not known what callers hand to it: by way of whom its calls were made, as of report_callers(); else "". Cost: all rows of messages. */
hsc_status report_array_ways(const report *r, const report_array *x, unsigned most, char *out, size_t size, hsc_err *err);
/* One sentence on the array with most bytes; "": none. */
hsc_status report_main_array(report *r, char *out, size_t size, uint32_t *scope, uint32_t *file, uint32_t *line, double *seconds, hsc_err *err);

/* Of a dummy argument of a procedure on the path to the context: the array that was handed to it, through all calls where that is known; else itself.
 * Anything else: itself. */
typedef struct report_handed report_handed;
hsc_status report_handed_open(const report *r, report_handed **out, hsc_err *err); /* close it also after a failure */
uint32_t report_handed_array(const report_handed *h, uint32_t array, uint32_t context);
void report_handed_close(report_handed *h); /* NULL: nothing */

#endif
