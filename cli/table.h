/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables for programs: CSV (RFC 4180, names in the first row) or JSON (RFC 8259, a list of objects), one row at a time.
 */
#ifndef HEATSCOPE_CLI_TABLE_H
#define HEATSCOPE_CLI_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct hsc_table {
    FILE *out;
    bool json;
    bool naming;      /* CSV: this row prints the names of its cells; set it before the first row, clear it after */
    const char *unit; /* what hsc_table_amount appends to names: "s" */
    double scale;     /* units per count, for hsc_table_amount */
    uint64_t rows;
    int cells;
} hsc_table;

void hsc_table_begin_row(hsc_table *t);
void hsc_table_end_row(hsc_table *t);
void hsc_table_text(hsc_table *t, const char *name, const char *text);
void hsc_table_number(hsc_table *t, const char *name, double v); /* not finite: empty, null */
void hsc_table_count(hsc_table *t, const char *name, double v);  /* whole numbers, all their digits */
void hsc_table_amount(hsc_table *t, const char *name,
                      double count); /* NAME_UNIT: count * scale; not finite: empty, null */

/* Text as the table's format wants it; for JSON around the rows. */
void hsc_table_quoted(const hsc_table *t, const char *text);

#endif
