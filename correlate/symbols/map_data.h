/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays, references, messages and directives of one group of the map; only for files of this folder. */
#ifndef HEATSCOPE_CORRELATE_MAP_DATA_H
#define HEATSCOPE_CORRELATE_MAP_DATA_H

#include "code_internal.h"

struct hsc_record;
struct hsc_tags;

typedef struct hsc_map_data hsc_map_data; /* records of a group that are not resolved yet */

typedef struct hsc_group_rows { /* what the group's ids stand for: (group << 32 | id) to row */
    uint32_t group;
    const hsc_id_rows *files, *procedures;
} hsc_group_rows;

/* NULL, false: out of memory. */
hsc_map_data *hsc_map_data_new(void);
/* Records of other kinds are left. `tags`: has seen all records of the group so far but calls. */
bool hsc_map_data_take(hsc_map_data *d, const struct hsc_record *r, struct hsc_tags *tags);
bool hsc_map_data_name_call(hsc_map_data *d, uint64_t callsite_id, const char *callee); /* kept by the caller */
/* Into c->data, and empties d. Files, procedures and sites of the group are known. */
bool hsc_map_data_add(hsc_code *c, hsc_map_data *d, const hsc_group_rows *rows);
void hsc_map_data_delete(hsc_map_data *d);
void hsc_map_data_free(hsc_code *c); /* c->data */

#endif
