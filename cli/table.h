/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables made cell by cell: CSV (RFC 4180, names in the first row), JSON (RFC 8259, a list of objects), or aligned text. */
#ifndef HEATSCOPE_CLI_TABLE_H
#define HEATSCOPE_CLI_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <heatscope/formats/err.h>

typedef enum hsc_table_format { HSC_TABLE_TEXT = 0, HSC_TABLE_CSV, HSC_TABLE_JSON } hsc_table_format;

struct hsc_table_cell;

typedef struct hsc_table {
    FILE *out;
    hsc_table_format format;
    bool naming;          /* this row tells the names of its cells and is no row of the table; set at first, clear it after */
    const char *unit;     /* what hsc_table_amount appends to names: "s" */
    double scale;         /* units per count, for hsc_table_amount */
    const char *columns;  /* those wanted, in their order, separated by commas: NAME or NAME:HEADING; NULL: all */
    int width;            /* of text */
    char *before, *after; /* what stands round the rows (after: JSON only), malloc'ed; NULL */
    /* its own */
    uint64_t rows;
    uint32_t cells, room, wanted, kept, kept_room;
    struct hsc_table_cell *cell; /* of this row */
    uint32_t *order;             /* [wanted]: cells of a row */
    char **names, **text;        /* [wanted]; text: kept cells, row by row */
    bool *numeric;               /* [wanted] */
    bool named, failed;
    hsc_err problem;
} hsc_table;

void hsc_table_begin_row(hsc_table *t);
void hsc_table_end_row(hsc_table *t);
void hsc_table_text(hsc_table *t, const char *name, const char *text);
void hsc_table_number(hsc_table *t, const char *name, double v); /* not finite: empty, null */
void hsc_table_count(hsc_table *t, const char *name, double v);  /* whole numbers, all their digits */
void hsc_table_amount(hsc_table *t, const char *name,
                      double count); /* NAME_UNIT: count * scale; not finite: empty, null */

/* After the last row; prints text. HSC_E_ARGUMENT: a column was wanted that there is not, and nothing was printed. HSC_E_MEMORY. */
hsc_status hsc_table_finish(hsc_table *t, hsc_err *err);
void hsc_table_clear(hsc_table *t);

#endif
