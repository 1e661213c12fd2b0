/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of text as CSV (RFC 4180) or JSON (RFC 8259), and the table of loops. */
#ifndef HEATSCOPE_CLI_MAP_ROWS_H
#define HEATSCOPE_CLI_MAP_ROWS_H

#include "map_book.h"

typedef enum hsc_map_format { HSC_MAP_TEXT, HSC_MAP_CSV, HSC_MAP_JSON } hsc_map_format;

/* A table on stdout. Cells of a column are all text or all whole numbers; a cell NULL is empty (JSON: null). */
typedef struct hsc_map_table {
    hsc_map_format format; /* CSV or JSON */
    const char *const *names; /* of the columns; numbers have a '#' before their name */
    size_t columns, rows;
} hsc_map_table;
void hsc_map_table_begin(const hsc_map_table *t);
void hsc_map_table_row(hsc_map_table *t, const char *const *cells);
void hsc_map_table_end(const hsc_map_table *t);

/* One row a loop: where it is, what became of it, why not. */
hsc_status hsc_map_rows(const hsc_map_book *b, hsc_map_format format, hsc_err *err);

#endif
