/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The timeline's picture: see paint.h for what pictures are. */
#ifndef HSC_GUI_PAINT_TIMELINE_H
#define HSC_GUI_PAINT_TIMELINE_H

#include "paint.h"

#define HSC_TIMELINE_TINT 0x80000000u /* key of an entry for what is tinted behind the slots: | category */
#define HSC_TIMELINE_NOTE 0xfffffffeu /* of one that is words alone, of no colour */

typedef struct hsc_timeline_key_entry {
    uint32_t key;
    hsc_rgb colour;
    const char *name;
    char share[16]; /* "84.1 %" */
} hsc_timeline_key_entry;

typedef struct hsc_timeline_span { /* of waits and messages in a slot */
    uint8_t category, part; /* part of the slot's time in 255ths */
} hsc_timeline_span;

typedef struct hsc_timeline_phase { /* as the program told, seconds */
    const char *name;
    double begin, end;
} hsc_timeline_phase;

typedef struct hsc_timeline_frame {
    uint32_t rows, slots_n;
    const hsc_db_slot *slots;         /* [rows][slots_n] */
    const hsc_timeline_span *spans;   /* the same, or NULL */
    const char *const *labels;        /* by row */
    double begin, end;                /* seconds in view */
    double interval_begin, interval_end, drag_begin, drag_end; /* begin >= end: none */
    uint32_t n_keys;
    const hsc_timeline_key_entry *keys; /* others are grey */
    double busy_top;                  /* of busy: full height */
    int mark;                         /* row of the chosen processor, -1 none */
    uint32_t n_phases;
    const hsc_timeline_phase *phases; /* of one process, by begin */
    const char *phases_of;            /* whose they are */
    int phases_first, phases_last;    /* its rows, -1 none: lines where phases begin */
} hsc_timeline_frame;

typedef struct hsc_timeline_layout {
    int x, y, width, height;          /* of the rows */
    int line, key_y, key_lines;
    int phase_y, phase_height;        /* of the phases above them, 0 high without */
} hsc_timeline_layout;

void hsc_timeline_layout_get(const hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f, hsc_timeline_layout *out);
int hsc_timeline_key_width(const hsc_canvas *c, const hsc_style *st, const hsc_timeline_key_entry *k);
int hsc_timeline_row_y(const hsc_timeline_layout *l, uint32_t rows, uint32_t row);
/* Words of the i-th mark of time when one is each `step` seconds: in the unit of the last one in view, at `end`. */
void hsc_timeline_mark(double step, double end, double i, char *out, size_t size);
/* Colour behind slots of which waits and messages of a category have a part (0 to 1). */
hsc_rgb hsc_timeline_tint(const hsc_style *st, uint32_t category, double part);
/* Over the picture: rows from `rows` on, below f->rows, are still being read. */
void hsc_paint_timeline_progress(hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f, uint32_t rows);
void hsc_paint_timeline(hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f);

#endif
