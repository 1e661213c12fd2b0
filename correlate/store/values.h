/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of a value table in blocks, for the queries of values.c and bins.c. */
#ifndef HEATSCOPE_STORE_VALUES_H
#define HEATSCOPE_STORE_VALUES_H

#include "db.h"

/* Where a view's values come from. */
typedef struct hsc_source {
    hsc_db *db;
    hsc_values *v;
    bool subtree;                /* row r is the sum of the table's rows [r, subtree_end[r]) */
    const uint32_t *subtree_end;
    const uint32_t *column_of;   /* by thread: its process or node; NULL: the thread axis, or processes that are threads */
    hsc_db_axis axis;
    uint64_t rows;
    uint32_t columns, threads;
} hsc_source;

hsc_status hsc_source_find(hsc_db *db, hsc_db_view view, hsc_source *out, hsc_err *err);

/* Opens the rows (v->by_row) where they are not open. */
hsc_status hsc_source_rows(const hsc_source *s, hsc_err *err);
hsc_status hsc_source_columns(const hsc_source *s, hsc_err *err); /* the same by thread */
hsc_status hsc_source_sums(const hsc_source *s, hsc_err *err);    /* and of its sums */

/* Levels of a pyramid, opened when first asked for. kind: an axis, and HSC_LEVELS_OF_TILES. */
hsc_status hsc_source_levels(hsc_source *s, unsigned kind, const hsc_level **levels, unsigned *n, hsc_err *err);

typedef struct hsc_block { /* rows [first, first + n); values from indptr[0] on */
    uint64_t first, n;
    hsc_ends indptr; /* n + 1, absolute */
    const uint32_t *indices;
    const uint32_t *counts; /* of a table */
    const uint64_t *reduced; /* of a level: max or sum as asked for */
} hsc_block;

typedef struct hsc_cursor {
    hsc_db *db;
    hsc_sparse *m;
    hsc_array *values;
    uint64_t next, last, capacity;
    uint64_t most;   /* values of a block, of which nothing is kept but by the cursor; 0: as the database says */
    uint32_t *indices;
    void *scratch, *pieces; /* pieces: of bands, before they stand side by side */
} hsc_cursor;

/* values: &m->data, &m->max or &m->sum. Set next and last to read other rows with the same cursor. */
void hsc_cursor_init(hsc_cursor *c, hsc_db *db, hsc_sparse *m, hsc_array *values);
void hsc_cursor_fini(hsc_cursor *c);

/* The next block, of whole rows; n = 0 at the end. Valid until the next call. */
hsc_status hsc_cursor_read(hsc_cursor *c, hsc_block *b, hsc_err *err);

#endif
