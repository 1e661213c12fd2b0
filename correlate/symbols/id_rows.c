/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows by ids. */
#include "id_rows.h"

#include <stdlib.h>
#include <string.h>

#define GAP_MAX 4096 /* ids that may be left out before one */

bool hsc_id_rows_set(hsc_id_rows *r, uint32_t group, uint64_t id, uint32_t row) {
    if (!id || id >= HSC_NO_INDEX)
        return true;
    if (group >= r->groups.n) {
        if (!HSC_RESERVE(r->groups, (size_t)group + 1))
            return false;
        memset(r->groups.p + r->groups.n, 0, (group + 1 - r->groups.n) * sizeof *r->groups.p);
        r->groups.n = (size_t)group + 1;
    }
    hsc_id_list *list = &r->groups.p[group];
    if (id >= list->n && id - list->n > GAP_MAX) {
        uint32_t *at = hsc_table_at(&r->others, (uint64_t)group << 32 | id, 0);
        if (at)
            *at = row;
        return at != NULL;
    }
    if (id >= list->n) {
        if (!HSC_RESERVE(*list, (size_t)id + 1))
            return false;
        for (uint64_t i = list->n; i <= id; i++) /* what came before may be in the table */
            list->p[i] = r->others.count ? hsc_table_get(&r->others, (uint64_t)group << 32 | i, 0) : HSC_NO_INDEX;
        list->n = (size_t)id + 1;
    }
    list->p[id] = row;
    return true;
}

void hsc_id_rows_fini(hsc_id_rows *r) {
    for (size_t i = 0; i < r->groups.n; i++)
        free(r->groups.p[i].p);
    free(r->groups.p);
    hsc_table_fini(&r->others);
    *r = (hsc_id_rows){0};
}
