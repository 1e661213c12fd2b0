/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Metrics that the first rank adds when contexts have their rows: values that threads have at places. */
#ifndef HEATSCOPE_JOIN_ADDED_H
#define HEATSCOPE_JOIN_ADDED_H

#include "join_internal.h"

typedef struct jamount {
    uint32_t thread, state; /* state HSC_state_UNKNOWN: the category follows from the context */
    jspot spot;
    double value;           /* in the metric's finest unit */
} jamount;

typedef HSC_VEC(jamount) jamounts;

typedef struct jadded {
    const char *name, *unit;
    double scale;   /* of the finest unit */
    uint64_t first, step; /* a count is that many of it, times `step` as often as it takes for a thread's sum to fit 32 bits */
} jadded;

/* Nothing where the list is empty. false: no memory. */
bool hsc_join_add_metric(join *j, const jadded *metric, const jamounts *list);

#endif
