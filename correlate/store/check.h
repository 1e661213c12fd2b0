/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What must hold between and within the tables; the writer checks it before, the reader after. */
#ifndef HEATSCOPE_STORE_CHECK_H
#define HEATSCOPE_STORE_CHECK_H

#include "ends.h"
#include "schema.h"

typedef struct hsc_tables {
    const char *path;                         /* for messages */
    uint64_t rows[HSC_TAB_COUNT];
    const void *columns[HSC_COL_COUNT];       /* numbers only; NULL: not there */
} hsc_tables;

/* Checks one table whose columns are all there; needs only the row counts of the others.
 * HSC_E_FORMAT with path, column, row, expected and got. Of a writer's columns that were put in parts (NULL) nothing more is checked. */
hsc_status hsc_check_table(const hsc_tables *t, enum hsc_table_id table, hsc_err *err);

/* Rows [first, first+n) of a sparse table: indices rise within each row and are below columns.
 * indptr[n+1] absolute; indices from indptr[0] on. */
hsc_status hsc_check_sparse(const char *path, const char *what, uint64_t first, uint64_t n, hsc_ends indptr,
                            const uint32_t *indices, uint64_t columns, hsc_err *err);

/* indptr[n+1] starts at 0, never falls and ends at nnz. */
hsc_status hsc_check_indptr(const char *path, const char *what, hsc_ends indptr, uint64_t n, uint64_t nnz,
                            hsc_err *err);

/* Values [first, first + n) of a column that is put in parts: references into tables that are put already. */
hsc_status hsc_check_part(const hsc_tables *t, enum hsc_column_id column, uint64_t first, const void *values, uint64_t n, hsc_err *err);

#endif
