/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was timed: quantiles of durations from their histograms, and the spread over the threads that have any. */
#ifndef HEATSCOPE_REPORT_TIMED_H
#define HEATSCOPE_REPORT_TIMED_H

#include <stdint.h>

#include <heatscope/query.h>

/* Of n durations that were sorted, the ceil(q n)-th lies from low_s to high_s: the bounds of its bucket (powers of two of a nanosecond),
 * within the least and the largest known. value_s: between them by its place among those of its bucket. NAN where there are none. */
typedef struct report_quantile {
    double value_s, low_s, high_s;
} report_quantile;
void report_histogram_quantile(const uint64_t histogram[HSC_BUCKETS], double min_s, double max_s, double q, report_quantile *out);

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
