/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was timed: the spread over the threads and processes that have any (quantiles of durations: analysis.h). */
#ifndef HEATSCOPE_REPORT_TIMED_H
#define HEATSCOPE_REPORT_TIMED_H

#include <stdint.h>

#include <heatscope/analysis.h>

typedef struct report_parts { /* of threads, or of processes. All 0: none */
    uint32_t n, min_at, max_at; /* the first with it */
    double sum_s, squares, min_s, max_s;
} report_parts;
typedef struct report_pool report_pool; /* where the values of all rows are */
typedef struct report_values {
    double *v; /* NULL with n: there was no memory */
    uint32_t n, room;
} report_values;
typedef struct report_over { /* all 0: none */
    report_parts threads, processes; /* but for the last process */
    report_values of_threads, of_processes; /* the same */
    uint32_t process; /* of the thread that was added last */
    double process_s;
} report_over;
/* Threads rise, each once. *pool: NULL at first; what was added stays until it is freed. */
void report_over_add(hsc_db *db, report_pool **pool, report_over *o, uint32_t thread, double seconds);
void report_pool_free(report_pool *pool); /* NULL: nothing */
report_parts report_over_processes(const report_over *o); /* all of them */
/* Quantiles 5, 25, 50, 75, 95 % of values: x_k + (h - k) (x_k+1 - x_k) of those sorted, h = q (n - 1), k = floor(h). NAN: none, or no memory for it. */
enum { REPORT_OVER_QUANTILES = 5 };
typedef struct report_over_spread {
    double threads[REPORT_OVER_QUANTILES], processes[REPORT_OVER_QUANTILES];
} report_over_spread;
report_over_spread report_over_spread_of(const report_over *o);
double report_parts_mean(const report_parts *p);   /* NAN: none */
double report_parts_stddev(const report_parts *p); /* of the population */

#endif
