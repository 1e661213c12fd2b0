/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The surface of lines x processors x value (P4): cells drawn front to back against a floating horizon. */
#ifndef HSC_GUI_TERRAIN_H
#define HSC_GUI_TERRAIN_H

#include "paint.h"

#define HSC_TERRAIN_PEAKS_MAX 12

typedef struct hsc_terrain_peak {
    uint32_t row, column; /* of the grid */
    float value;
    double x, y;          /* on the picture, after painting */
    bool hidden;          /* behind something, or flat-on behind a higher one, after painting */
    const char *label;    /* the caller's */
} hsc_terrain_peak;

typedef struct hsc_terrain_frame {
    uint32_t rows, columns; /* lines, processors; each at least 2 */
    const float *values;    /* [rows][columns]; NaN: no code */
    const hsc_colour_scale *scale;
    double azimuth, elevation; /* degrees; elevation 0 (flat-on) to 90 (from above) */
    double zoom, height;       /* height of the highest cell as share of the base's side */
    uint32_t n_peaks;
    hsc_terrain_peak *peaks;
    const char *row_first, *row_last, *column_first, *column_last; /* corner labels; may be NULL */
    uint32_t line_first, lines_per_row; /* numbers of the rows, shown flat-on; lines_per_row 0: none */
    bool legend;    /* the colours below it, where that has room; not flat-on, where there is a scale of heights */
    uint32_t *pick; /* NULL or width x height: 1 + row * columns + column of the cell seen there, 0 none */
} hsc_terrain_frame;

bool hsc_terrain_is_flat_on(double elevation); /* its picture is one of profiles */
/* Local maxima, highest first, a sixteenth of the rows or half of the columns apart. Returns their number. */
uint32_t hsc_terrain_find_peaks(uint32_t rows, uint32_t columns, const float *values, uint32_t wanted,
                                hsc_terrain_peak *out);

/* Needs a pixel canvas or a vector one; cost falls with cells and pixels: see README. HSC_E_MEMORY. */
hsc_status hsc_paint_terrain(hsc_canvas *c, const hsc_style *st, hsc_terrain_frame *f, hsc_err *err);

#endif
