/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_timed.h"

#include <math.h>

void report_histogram_quantile(const uint64_t histogram[HSC_BUCKETS], double min_s, double max_s, double q, report_quantile *out) {
    double all = 0, before = 0;
    *out = (report_quantile){NAN, NAN, NAN};
    for (unsigned b = 0; b < HSC_BUCKETS; b++)
        all += (double)histogram[b];
    double rank = fmax(1, ceil(q * all * (1 - 1e-12)));
    for (unsigned b = 0; b < HSC_BUCKETS && all > 0; b++) {
        double n = (double)histogram[b];
        if (before + n < rank) {
            before += n;
            continue;
        }
        double low = b ? ldexp(1, (int)b - 1) * 1e-9 : 0, high = b ? (ldexp(1, (int)b) - 1) * 1e-9 : 0;
        out->low_s = fmin(fmax(low, min_s), fmax(high, low));
        out->high_s = fmax(fmin(high, max_s), out->low_s);
        out->value_s = out->low_s + (out->high_s - out->low_s) * (rank - before - 0.5) / n;
        return;
    }
}

void report_over_add(report_over *o, uint32_t thread, double seconds) {
    if (!o->threads || seconds < o->min_s) {
        o->min_s = seconds;
        o->min_thread = thread;
    }
    if (!o->threads || seconds > o->max_s) {
        o->max_s = seconds;
        o->max_thread = thread;
    }
    o->threads++;
    o->sum_s += seconds;
    o->squares += seconds * seconds;
}

double report_over_mean(const report_over *o) { return o->threads ? o->sum_s / o->threads : NAN; }

double report_over_stddev(const report_over *o) {
    double mean = report_over_mean(o);
    return o->threads ? sqrt(fmax(0, o->squares / o->threads - mean * mean)) : NAN;
}
