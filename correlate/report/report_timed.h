/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was timed: the spread over the threads that have any (quantiles of durations: analysis.h). */
#ifndef HEATSCOPE_REPORT_TIMED_H
#define HEATSCOPE_REPORT_TIMED_H

#include <stdint.h>

#include <heatscope/analysis.h>

typedef struct report_over { /* threads; each added once. All 0: none */
    uint32_t threads, min_thread, max_thread; /* the first with it */
    double sum_s, squares, min_s, max_s;
} report_over;
void report_over_add(report_over *o, uint32_t thread, double seconds);
/* Quantiles 5, 25, 50, 75, 95 % of values: x_k + (h - k) (x_k+1 - x_k) of those sorted, h = q (n - 1), k = floor(h). NAN: none. Sorts them. */
enum { REPORT_OVER_QUANTILES = 5 };
void report_over_quantiles(double *values, uint32_t n, double out[REPORT_OVER_QUANTILES]);
double report_over_mean(const report_over *o);   /* NAN: none */
double report_over_stddev(const report_over *o); /* of the population */

#endif
