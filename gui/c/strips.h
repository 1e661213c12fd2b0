/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layout of the overview: all lines of the program, long runs without code left out, cut into strips side by side. */
#ifndef HSC_GUI_STRIPS_H
#define HSC_GUI_STRIPS_H

#include <stdbool.h>
#include <stdint.h>

#include <heatscope/formats/err.h>

typedef struct hsc_handle hsc_handle;

/* What places of lines depend on. Set to zero before it is filled: compared by its bytes. */
typedef struct hsc_places_key {
    const hsc_handle *db, *other; /* other: run it is compared with; NULL: none */
    double begin, end;            /* interval; 0, 0: the whole run */
    uint32_t only, metric;        /* only: category */
    int table, skip;
} hsc_places_key;
_Static_assert(sizeof(hsc_places_key) == 2 * sizeof(hsc_handle *) + 2 * sizeof(double) + 4 * sizeof(int), "bytes between");

/* Places of all lines of a program: several pictures may share them. */
typedef struct hsc_places {
    uint32_t rows;        /* of the line table */
    uint32_t *position;   /* place of each row among the shown lines, rising */
    uint64_t lines;       /* shown lines */
    hsc_places_key key;   /* of whoever made them */
    int references;
} hsc_places;

/* file, line: of each row of the table; rows are sorted by both. skip: runs of more than so many empty lines are left out but for one
 * line. Empty are lines without code, and rows with empty[row] (NULL: none); between two files stands one such line. Rows that are
 * left out have the place of that one line. skip 0: only lines without code are left out, all of them. The caller's is the first reference. */
hsc_status hsc_places_make(uint32_t rows, uint32_t skip, const uint32_t *file, const uint32_t *line, const unsigned char *empty, hsc_places **out,
                           hsc_err *err);
void hsc_places_take(hsc_places *p);
void hsc_places_release(hsc_places *p); /* NULL: nothing */

typedef struct hsc_strips {
    hsc_places *places;   /* a reference; NULL: none yet */
    uint32_t rows;        /* of the line table */
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

/* Takes a reference of its own. What was laid out before is gone. */
void hsc_strips_init(hsc_strips *s, hsc_places *places);
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
