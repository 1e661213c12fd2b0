/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of a database being written, shared by store.c and store_values.c. */
#ifndef HEATSCOPE_STORE_INTERNAL_H
#define HEATSCOPE_STORE_INTERNAL_H

#include "check.h"
#include "out.h"
#include "text.h"

typedef struct hsc_store_source {
    char *text;
    size_t size;
} hsc_store_source;

typedef struct hsc_store_values { /* the value table under way, row order */
    bool open;
    uint32_t metric;
    hsc_db_table table;
    uint64_t rows, rows_done, nnz, capacity;
    uint32_t columns;
    uint64_t *indptr;           /* rows + 1 */
    uint32_t *indices, *counts; /* capacity */
} hsc_store_values;

typedef struct hsc_store_written { /* a value table in the file */
    uint32_t metric;
    hsc_db_table table;
    uint64_t rows;
    uint32_t columns;
} hsc_store_written;

struct hsc_store {
    char *path, *temporary;
    bool created; /* the temporary file is there */
    hid_t file, metrics, table_groups[HSC_TAB_COUNT];
    hsc_out *out;
    hsc_tables tables;
    void *kept[HSC_COL_COUNT]; /* columns of numbers */
    char **metric_units;       /* of the metric table's rows */
    bool have[HSC_COL_COUNT], table_begun[HSC_TAB_COUNT];
    uint64_t *pool_offsets, n_pool, pool_rows_capacity, pool_capacity;
    char *pool;
    hsc_store_source *sources;
    uint64_t n_sources;
    hsc_store_values values;
    hsc_store_written *written;
    uint32_t n_written;
    struct hsc_store_times *times; /* being put; NULL */
    uint64_t pyramid_min; /* HSC_PYRAMID_MIN; tests make it small */
};

/* Units and scales of all values, which need the metric table; checks their sizes. */
hsc_status hsc_store_values_finish(hsc_store *s, hsc_err *err);
void hsc_store_values_clear(hsc_store *s);
void hsc_store_times_clear(hsc_store *s);

#endif
