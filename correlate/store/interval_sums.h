/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How sums of an interval's tables are made: of rows that have leaves of their own (interval_sums.c), of scopes and contexts (interval_contexts.c), by
 * another thread (interval_ahead.c). */
#ifndef HEATSCOPE_STORE_INTERVAL_SUMS_H
#define HEATSCOPE_STORE_INTERVAL_SUMS_H

#include "interval.h"

/* n of them, all 0. */
void *hsc_sums_new(hsc_db *db, uint64_t n, bool narrow);

/* What a leaf has for the metric: without a branch, as whether it has anything is as good as random. */
static inline uint64_t hsc_sums_count(const hsc_interval *v, bool all, uint32_t metric, uint64_t leaf) {
    return all || hsc_interval_is_wanted(v, (uint32_t)leaf, metric) ? v->total[leaf] : 0;
}

static inline void hsc_sums_bump(void *sums, bool narrow, uint64_t at, uint64_t count) {
    if (narrow)
        ((uint32_t *)sums)[at] += (uint32_t)count;
    else
        ((uint64_t *)sums)[at] += count;
}

static inline uint64_t hsc_sums_at(const void *sums, bool narrow, uint64_t at) {
    return narrow ? ((const uint32_t *)sums)[at] : ((const uint64_t *)sums)[at];
}

/* What leaves of a metric and category have, looked at once for all tables. */
const hsc_leaf_facts *hsc_sums_facts(hsc_db *db, hsc_interval *v, uint32_t metric);
/* Adds all leaves to a table of rows that have leaves of their own, or of lines with what they call, which has t->seen. */
void hsc_sums_add_leaves(hsc_interval_table *t, hsc_db_table which, const hsc_leaf_facts *f);

bool hsc_is_of_contexts(hsc_db_table which);
/* Bytes of what tables of scopes and contexts are made of; 0: no memory to find out. */
uint64_t hsc_contexts_room(hsc_db *db);
/* Makes room for it in v->contexts; nothing of it is added up yet, so it costs no look at the leaves. */
hsc_status hsc_contexts_begin(hsc_db *db, hsc_interval *v, const hsc_leaf_facts *f, hsc_err *err);
/* Adds it to such a table of v, adding it up before where that was not done. by_category: scopes' sums by category where they are made, so sums of all
 * are theirs; else NULL. false: no memory. */
bool hsc_contexts_add(hsc_interval_table *t, hsc_interval *v, hsc_db_table which, const uint32_t *by_category);

/* Has another thread make a table's sums, behind those that it was given before. false: it can't, so the caller does. */
bool hsc_ahead_give(hsc_db *db, hsc_interval *v, uint32_t metric, hsc_db_table which);
void hsc_ahead_close(hsc_interval *v); /* it is given no more */
bool hsc_ahead_has(const hsc_interval *v, uint32_t metric, hsc_db_table which);
void hsc_ahead_wait(hsc_interval *v, uint32_t metric, hsc_db_table which); /* for that table, which is among v->made then */

#endif
