/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An interval that is set (interval.c), and the counting of what each thread has in it (interval_count.c). */
#ifndef HEATSCOPE_STORE_INTERVAL_H
#define HEATSCOPE_STORE_INTERVAL_H

#include "db.h"

typedef struct hsc_interval {
    double begin_s, end_s;   /* of all parts */
    hsc_db_when *parts;      /* sorted by process and begin; those of a process do not touch */
    uint32_t n_parts;
    uint32_t only;           /* category; HSC_NONE: all */
    hsc_values *whole;       /* the run's, meanwhile */
    uint64_t **whole_sums;
    uint64_t *total;         /* by leaf: what was counted in all threads */
    /* By leaf: in which threads, how often: the thread in the low bits, above them the count; what does not fit is in further entries
     * of the same thread. NULL: not counted yet. */
    uint64_t *indptr;
    uint32_t *entry;
    unsigned thread_bits;
    struct hsc_counting *counting; /* under way; NULL */
    struct hsc_within *within; /* within.c: sums of exact tables; NULL: none asked for */
    struct direct *direct;   /* by table of values: those whose rows have leaves of their own; made when asked for */
} hsc_interval;

/* Adds up v->total of all threads, or (by_thread) makes v->indptr and v->entry. Some chunks of /time are asked for ahead of what is being
 * counted, so that the reader unpacks them meanwhile. */
typedef struct hsc_counting hsc_counting;
hsc_status hsc_counting_begin(hsc_db *db, hsc_interval *v, bool by_thread, hsc_counting **out, hsc_err *err);
/* Goes on for so many seconds (< 0: to the end). *part: how much is done; 1: all. After an error it can only be freed. */
hsc_status hsc_counting_go_on(hsc_db *db, hsc_counting *c, double seconds, double *part, hsc_err *err);
void hsc_counting_free(hsc_db *db, hsc_counting *c); /* NULL: nothing */

#endif
