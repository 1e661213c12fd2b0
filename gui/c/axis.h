/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processor axis of a picture: which columns, in which order, and how they are grouped into bins. */
#ifndef HSC_GUI_AXIS_H
#define HSC_GUI_AXIS_H

#include <stdint.h>

#include <heatscope/formats/err.h>

typedef struct hsc_axis {
    uint32_t columns;  /* of the database's axis */
    uint32_t shown;    /* entries of order */
    uint32_t *order;   /* columns in the order of the picture */
    uint32_t bins;
    uint32_t *start;   /* bins + 1: bin b holds order[start[b]] .. order[start[b + 1] - 1] */
    uint32_t *bin_of;  /* columns entries: bin of a column, UINT32_MAX when it is not shown */
} hsc_axis;

/* text: numbers and ranges "0-63 128 200-190" (a falling range turns the order); "" or NULL: all columns. A column may
 * stand once. load: NULL, or one value a column: sort by falling load, equal loads by number.
 * max_bins: at most so many bins, at least 1; group sizes that divide the number of columns (above 16: and are a multiple of 8) are preferred when they
 * cost less than half of the bins. HSC_E_ARGUMENT (bad text, column out of range, twice), HSC_E_MEMORY. */
hsc_status hsc_axis_init(hsc_axis *a, uint32_t columns, const char *text, const double *load, uint32_t max_bins,
                         hsc_err *err);
void hsc_axis_fini(hsc_axis *a);
/* Other bins: columns that stand next to each other and have the same key are one bin; when that makes more than max_bins, so many
 * neighbours are put together that it does not. key: one value a column. HSC_E_MEMORY (the axis is as it was). */
hsc_status hsc_axis_group_by(hsc_axis *a, const uint32_t *key, uint32_t max_bins, hsc_err *err);

/* Columns in a bin when `shown` columns must fit into max_bins: above 16 a multiple of 8, whose values the database has together (docs/schema.md, tiles). */
uint32_t hsc_axis_group(uint32_t shown, uint32_t max_bins);

#endif
