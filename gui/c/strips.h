/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layout of the overview: all lines of the program, long runs without code left out, cut into strips side by side. */
#ifndef HSC_GUI_STRIPS_H
#define HSC_GUI_STRIPS_H

#include <stdbool.h>
#include <stdint.h>

#include <heatscope/formats/err.h>

typedef struct hsc_strips {
    uint32_t rows;        /* of the line table */
    uint32_t *position;   /* place of each row among the shown lines, rising */
    uint64_t lines;       /* shown lines */
    /* by hsc_strips_layout: */
    uint32_t strips;          /* used */
    uint32_t bins;            /* picture rows of all strips together */
    uint32_t bins_per_strip;
    uint32_t lines_per_bin;   /* 1 when a line has one or more pixel rows; rounded up */
    bool uneven;              /* some bins have one line less: all pixel rows are used */
    uint32_t pixels;          /* height of a full strip: hsc_strips_y of its end */
    uint32_t block; /* rows that stay together, 1: each by itself */
} hsc_strips;

/* get: file and line of a table row; rows are sorted by both. skip: runs of more than so many empty lines are left out but for one
 * line. Empty are lines without code, and rows with empty[row] (NULL: none); between two files stands one such line. Rows that are
 * left out have the place of that one line. skip 0: only lines without code are left out, all of them. */
hsc_status hsc_strips_init(hsc_strips *s, uint32_t rows, uint32_t skip,
                           void (*get)(void *ctx, uint32_t row, uint32_t *file, uint32_t *line), void *ctx,
                           const unsigned char *empty, hsc_err *err);
void hsc_strips_fini(hsc_strips *s);

/* At most `strips` strips, each at most `height` pixels high; a line gets at most max_pixels. Where there are more pixels than bins, all are
 * used: some bins are a pixel higher than others. even: all bins have as many lines (sums can be compared). */
void hsc_strips_layout(hsc_strips *s, uint32_t strips, uint32_t height, uint32_t max_pixels, bool even);

/* Lets bins begin at multiples of `block` rows only, those next to where they would; until the next layout. */
void hsc_strips_align(hsc_strips *s, uint32_t block);

/* Pixels above a bin in its strip, 0 <= in_strip <= bins_per_strip; and the bin in its strip at a pixel, y < pixels. */
uint32_t hsc_strips_y(const hsc_strips *s, uint32_t in_strip);
uint32_t hsc_strips_at(const hsc_strips *s, uint32_t y);

/* First shown line of a bin. */
uint64_t hsc_strips_first(const hsc_strips *s, uint32_t bin);

/* Table rows [lo[i], hi[i]) of every bin i < s->bins; empty where no line of the bin has code. */
void hsc_strips_fill_bins(const hsc_strips *s, uint32_t *lo, uint32_t *hi);

/* First table row at or after a shown line; s->rows when there is none. */
uint32_t hsc_strips_row_from(const hsc_strips *s, uint64_t position);

/* Bin of a table row. */
uint32_t hsc_strips_bin_of(const hsc_strips *s, uint32_t row);

#endif
