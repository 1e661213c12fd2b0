/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows by the ids that the records of a group (translation unit) count from 1. */
#ifndef HEATSCOPE_CORRELATE_ID_ROWS_H
#define HEATSCOPE_CORRELATE_ID_ROWS_H

#include "pool.h"

typedef HSC_VEC(uint32_t) hsc_id_list;

typedef struct hsc_id_rows {
    HSC_VEC(hsc_id_list) groups; /* by group and id; ids far beyond the others are in the table */
    hsc_table others;            /* group << 32 | id */
} hsc_id_rows;

/* HSC_NO_INDEX: there is none. */
static inline uint32_t hsc_id_rows_get(const hsc_id_rows *r, uint32_t group, uint64_t id) {
    if (group < r->groups.n && id < r->groups.p[group].n)
        return r->groups.p[group].p[id];
    return r->others.count && id < HSC_NO_INDEX ? hsc_table_get(&r->others, (uint64_t)group << 32 | id, 0) : HSC_NO_INDEX;
}

/* Ids of 0 and beyond 32 bits are left out. False: out of memory. */
bool hsc_id_rows_set(hsc_id_rows *r, uint32_t group, uint64_t id, uint32_t row);
void hsc_id_rows_fini(hsc_id_rows *r);

#endif
