/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Marks: what all threads had, by leaf, until some places of the run. An interval is what they had until its end less what they had until its
 * begin, so with marks only what lies between each of its ends and the nearest mark is read (of 60 M samples some 0.3 M values instead of 5). Each mark has
 * what came since the one before, which are few leaves; every tenth or so has all counts besides, and any other is found from the nearest of these.
 * They are made a little at a time, after what an interval needs in any case (hsc_db_prepare_intervals). */
#ifndef HEATSCOPE_STORE_INTERVAL_MARKS_H
#define HEATSCOPE_STORE_INTERVAL_MARKS_H

#include "adding.h"

/* Makes a part of them; *ready: there are all, or none would be of use. An error gives up those that are there. */
hsc_status hsc_marks_make_some(hsc_db *db, hsc_times *program, bool *ready, hsc_err *err);
/* The two marks nearest to the ends of an interval: what was until `to` less what was until `from` is added, and what is noted of the ways from there. */
typedef struct hsc_marks_way {
    unsigned from, to; /* 0: the run's begin; to 0: all of it is noted */
    uint64_t cost;     /* of reading what is between these and the ends: hsc_adding_cost */
} hsc_marks_way;
/* Notes in `a` what leads from marks to samples [first, last) of the layers (HSC_LAYERS_MAX, 0 where there are fewer); no last is before its first. false: no memory. */
bool hsc_marks_note(const hsc_db *db, hsc_adding *a, hsc_times *program, const uint64_t *first, const uint64_t *last, hsc_marks_way *way);
/* Their difference by leaf to total[], or (fresh) in place of what is there. */
void hsc_marks_take(const hsc_db *db, const hsc_marks_way *way, bool fresh, uint64_t *total);
void hsc_marks_free(hsc_db *db);

#endif
