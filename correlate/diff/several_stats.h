/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What repeats of a run, or its samples, tell of a difference between groups of runs. */
#ifndef HEATSCOPE_DIFF_SEVERAL_STATS_H
#define HEATSCOPE_DIFF_SEVERAL_STATS_H

#include "several.h"

/* One thing in one run. Zeros: it is not there. */
typedef struct diff_series_measure {
    hsc_weighted sum, each; /* of all processors; of what is compared between scales */
    double scale, each_scale; /* of a count, in the metric's unit */
    bool known, exact;      /* it is there; it is timed, not sampled */
} diff_series_measure;

/* of[groups] from m[runs]. Of groups that have one run each intervals are those of sampling (diff_set_change). With repeats they are Welch's (Biometrika 34, 1947) of
 * the means, where a group's variance is that between its runs but not below that of their sampling; a group of one run has that of the others that
 * have more, relative to the mean. */
void diff_series_judge(const diff_series *s, const diff_series_measure *m, diff_series_value *of);

/* 97.5 % quantile of Student's distribution with that many degrees of freedom, 1 or more. */
double diff_series_student(double freedom);

#endif
