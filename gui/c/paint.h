/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pictures: each takes plain arrays and draws them on a canvas. No database, no Tcl, no X. */
#ifndef HSC_GUI_PAINT_H
#define HSC_GUI_PAINT_H

#include <heatscope/query.h>

#include "canvas.h"
#include "strips.h"

/* Palette keys and the light theme: HSC_PALETTE(key, colour). */
#define HSC_PALETTE_TABLE(X) \
    X(background, 0xffffff) X(panel, 0xf4f6f9) X(foreground, 0x1a1d24) X(muted, 0x6b7280) X(faint, 0xd5d9e0) \
    X(accent, 0x1d5fd6) X(accentsoft, 0xdbe7fb) X(bar, 0x5a80c4) X(barlight, 0xb9c9e8) X(warn, 0xc2570c) \
    X(lineband, 0xfdf3c7) X(nocode, 0x000000) X(mark, 0xffe600) X(detail, 0xf5b800) X(casing, 0x000000) \
    X(hit, 0x00c2a8) X(greylow, 0xf1f2f4) X(greyhigh, 0x6f7682) \
    X(cat0, 0x0072b2) X(cat1, 0xd55e00) X(cat2, 0xcc79a7) X(cat3, 0x9467bd) X(cat4, 0x009e73) \
    X(cat5, 0xe69f00) X(cat6, 0x56b4e9) X(cat7, 0xf0e442) X(cat8, 0x8d929b) X(cat9, 0x444444)

enum hsc_palette_key {
#define HSC_PALETTE_ENUM(name, colour) HSC_P_##name,
    HSC_PALETTE_TABLE(HSC_PALETTE_ENUM)
#undef HSC_PALETTE_ENUM
    HSC_P_COUNT
};
#define HSC_CATEGORIES_SHOWN 10

typedef struct hsc_style {
    hsc_rgb colour[HSC_P_COUNT];
    const hsc_font *font, *small, *mono, *mono_small;
} hsc_style;
void hsc_style_init_light(hsc_style *s);
hsc_rgb hsc_style_category(const hsc_style *s, uint32_t category);
hsc_rgb hsc_style_grey(const hsc_style *s, double share); /* 0..1 */

/* ---- row-aligned pictures ---- */
typedef struct hsc_rows {
    int header, offset; /* y of the first row = header + offset */
    int height;         /* of a row */
    uint32_t top;       /* line of the first row */
    uint32_t lines;     /* of the file, 0 unknown */
    uint32_t selected;  /* line, 0 none */
    int count;          /* rows that are (partly) visible */
} hsc_rows;
int hsc_rows_y(const hsc_rows *r, int row);
/* Row at y, -1 above the rows. */
int hsc_rows_at(const hsc_rows *r, int y);
int hsc_rows_fit(const hsc_rows *r, int height);
/* Background of the rows with the band of the selected line, and the header's hair line. */
void hsc_paint_rows_background(hsc_canvas *c, const hsc_style *st, const hsc_rows *r);
void hsc_paint_rows_header_line(hsc_canvas *c, const hsc_style *st, const hsc_rows *r);

typedef struct hsc_heat_frame {
    hsc_rows rows;
    uint32_t bins;
    const int32_t *index;        /* per visible row: its row in values, -1 no code */
    const float *values;         /* [code rows][bins] */
    const hsc_colour_scale *scale;
    const float *row_maximum;    /* per code row for normalisation by row, else NULL */
    enum hsc_colours colours;    /* for row_maximum */
    const unsigned char *noise;  /* of changes: 1 within noise, 2 nothing in either run, which has no ratio; else NULL. As values */
    const char *const *labels;   /* per bin */
    const char *title;           /* above the labels where there is room; may be NULL */
    bool numbers, grid;
    int cursor;                  /* bin of the cursor, -1 none */
    int mark_first, mark_last;   /* bins marked in the header, -1 none */
} hsc_heat_frame;
int hsc_heat_x(const hsc_canvas *c, uint32_t bins, uint32_t bin);
void hsc_paint_heat(hsc_canvas *c, const hsc_style *st, const hsc_heat_frame *f);

typedef struct hsc_bars_frame {
    hsc_rows rows;
    const int32_t *index;
    const hsc_db_stats *stats;
    const char (*max_label)[16], (*min_label)[16]; /* per code row: processor */
    double maximum;
    enum hsc_scaling scaling;
    bool show_min, single; /* single: one processor, so that there is no mean and nobody to name */
    enum hsc_unit unit;    /* of the numbers; HSC_UNIT_NONE: counts */
    double unit_scale;     /* so much of the unit a value of 1 is */
    const char *who, *title; /* title: NULL as usual */
} hsc_bars_frame;
/* Where the parts of a bar picture lie. */
typedef struct hsc_bars_layout {
    int bar_x, bar_width, value_width, who_right;
    bool who; /* is there room for who has the maximum? */
} hsc_bars_layout;
void hsc_bars_layout_get(const hsc_canvas *c, const hsc_style *st, const hsc_bars_frame *f, hsc_bars_layout *out);
void hsc_paint_bars(hsc_canvas *c, const hsc_style *st, const hsc_bars_frame *f);

typedef struct hsc_gutter_frame {
    hsc_rows rows;
    const double *share; /* per visible row: 0..1; negative: no code */
} hsc_gutter_frame;
void hsc_paint_gutter(hsc_canvas *c, const hsc_style *st, const hsc_gutter_frame *f);

typedef struct hsc_scope_bar {
    uint32_t line_begin, line_end;
    uint32_t column; /* nesting */
    double share;    /* inclusive, of the program */
    const char *name;
    bool selected;
    bool changed;    /* drawn in `colour` */
    hsc_rgb colour;
    const double *categories; /* n shares that sum to 1 (or all 0) */
} hsc_scope_bar;
typedef struct hsc_scopes_frame {
    hsc_rows rows;
    int bar_width;
    uint32_t n, categories;
    const hsc_scope_bar *bars;
} hsc_scopes_frame;
/* Pixels between bars of that width: thin ones stand close together. */
int hsc_scopes_gap(double scale, int bar_width);
/* Rectangle of a bar and of the category bar on its top; false: not in view. */
bool hsc_scope_place(const hsc_canvas *c, const hsc_scopes_frame *f, uint32_t bar, int vertical[4], int top[4]);
void hsc_paint_scopes(hsc_canvas *c, const hsc_style *st, const hsc_scopes_frame *f);

/* ---- overview ---- */
typedef struct hsc_area { /* part of the program: table rows [lo, hi) and bins of processors [column_lo, column_hi) */
    uint32_t lo, hi, column_lo, column_hi;
} hsc_area;
enum { HSC_MAP_LEVELS = 4 };
typedef struct hsc_map_bin { /* a row of the profile map */
    float level[HSC_MAP_LEVELS]; /* inclusive shares of the procedure and of the loops in it; negative: none */
    float change[HSC_MAP_LEVELS]; /* of two runs: how they differ */
    uint32_t procedure;          /* in categories; UINT32_MAX: none */
    bool code;
} hsc_map_bin;
typedef struct hsc_map_frame {
    const hsc_map_bin *bins;
    const double *categories;    /* [procedures][n_categories] */
    uint32_t n_categories;
    const hsc_colour_scale *changes; /* of two runs, in place of greys; NULL: one run */
    double largest;              /* share that the longest category bar stands for */
    const char *const *names;    /* of the categories; NULL: not in the legend */
    const double *totals;        /* of the categories, in the whole run: those with most come first in the legend */
} hsc_map_frame;
typedef struct hsc_overview_frame {
    const hsc_map_frame *map;    /* NULL: heat */
    const hsc_strips *strips;
    uint32_t columns;      /* bins of processors */
    const float *values;   /* [strips->bins][columns] */
    const hsc_colour_scale *scale;
    const float *strip_maximum; /* per strip, else NULL */
    enum hsc_colours colours;
    const uint32_t *strip_label; /* number above each strip */
    bool labels, legend;
    uint32_t n_outlines;
    const hsc_area *outlines;
    hsc_area procedure, detail, drag; /* empty (lo == hi): none */
    uint32_t line_row;     /* tick, UINT32_MAX none */
    uint32_t n_hits;
    const uint32_t *hits;  /* table rows */
} hsc_overview_frame;
typedef struct hsc_overview_layout {
    int x, y, strip_width, gap, height; /* of the strips */
    int legend_y;
} hsc_overview_layout;
/* strips: wanted number, 0 chosen from the width; even as hsc_strips_layout. Fills the layout and lays out f->strips (columns must be set). */
void hsc_overview_layout_get(const hsc_canvas *c, const hsc_style *st, hsc_strips *s, uint32_t strips, bool labels,
                             bool legend, bool even, hsc_overview_layout *out);
void hsc_paint_overview(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l);
/* Its two parts: what changes with the data only, and what is drawn over it. */
void hsc_paint_overview_base(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l);
void hsc_paint_overview_marks(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l);
/* Colour bar with ticks in the rectangle; with the square for "no code" on its right. */
void hsc_paint_legend(hsc_canvas *c, const hsc_style *st, int x, int y, int w, const hsc_colour_scale *s, bool no_code);
int hsc_legend_height(const hsc_canvas *c, const hsc_style *st);

typedef struct hsc_minimap_frame {
    uint32_t lines;      /* of the file */
    uint32_t columns;    /* bins of processors */
    const float *values; /* [pixel rows][columns]; NaN no code */
    const hsc_colour_scale *scale;
    uint32_t view_first, view_last; /* 0 none */
    uint32_t selected;
    uint32_t n_hits;
    const uint32_t *hits; /* lines */
} hsc_minimap_frame;
void hsc_paint_minimap(hsc_canvas *c, const hsc_style *st, const hsc_minimap_frame *f);
void hsc_paint_minimap_base(hsc_canvas *c, const hsc_style *st, const hsc_minimap_frame *f);
void hsc_paint_minimap_marks(hsc_canvas *c, const hsc_style *st, const hsc_minimap_frame *f);

/* ---- charts ---- */
typedef struct hsc_profile_frame {
    uint32_t n; /* bins */
    const float *values;
    double mean, maximum;
    enum hsc_scaling scaling;
    int mark_first, mark_last; /* bins, -1 none */
    const char *const *labels; /* per bin, for the ticks */
    bool ticks;
} hsc_profile_frame;
void hsc_paint_profile(hsc_canvas *c, const hsc_style *st, const hsc_profile_frame *f);

typedef struct hsc_stack_frame {
    uint32_t n, categories;
    const float *values; /* [categories][n] */
    double maximum;      /* of a column's sum */
    bool share;
    const char *const *labels;
    bool ticks;
} hsc_stack_frame;
void hsc_paint_stack(hsc_canvas *c, const hsc_style *st, const hsc_stack_frame *f);
/* Height of the plot above the ticks. */
int hsc_chart_plot_height(const hsc_canvas *c, const hsc_style *st, bool ticks);

/* A list's name with its place ("solve.f90:219") in small letters within `room` pixels of x: where both do not fit, the name is cut and the
 * line of the place stays, or both of "solve.f90:219 -> :230" with an arrow; without lines the last part of "in Mesh::calcCharLen", if that fits. Baseline at `base`. */
void hsc_paint_name(hsc_canvas *c, const hsc_style *st, double x, double base, double room, const char *name, const char *place, hsc_rgb colour);
void hsc_paint_category_bar(hsc_canvas *c, const hsc_style *st, int x, int y, int w, int h, uint32_t n,
                            const double *values);

/* ---- calling contexts ---- */
enum hsc_flame_kind {
    HSC_FLAME_OWN, HSC_FLAME_INLINED, HSC_FLAME_LOOP, HSC_FLAME_LIBRARY, HSC_FLAME_MESSAGES, HSC_FLAME_THREADS, HSC_FLAME_ROOT
};
typedef struct hsc_flame_box {
    uint32_t context, depth; /* row; from 0 */
    double x0, x1;           /* parts of the width */
    double value;
    char name[64];
    enum hsc_flame_kind kind;
    bool matched, selected, above; /* above: it holds the root that is shown */
    bool there;                    /* only in the other run: context is its row, the box is drawn as a frame */
    bool changed;                  /* drawn in `colour`: compared with another run by `change` */
    hsc_rgb colour;
    float change;
} hsc_flame_box;
typedef struct hsc_flame_rows { /* which depths are in sight */
    int height, count;   /* of a row; whole rows in sight */
    uint32_t top, deepest; /* top: depths that are out of sight above; deepest: of all boxes */
    uint32_t standing;   /* depth of the root, which stays the first row then, where that leaves others room */
} hsc_flame_rows;
/* Row of a depth, -1 above those in sight; depth of a row. */
int64_t hsc_flame_row(const hsc_flame_rows *r, uint32_t depth);
uint32_t hsc_flame_depth(const hsc_flame_rows *r, uint32_t row);
typedef struct hsc_flame_sign { /* of rows out of sight; text "" where there are none */
    int x, y, w, h;
    char text[32];
} hsc_flame_sign;
/* At the right end of the first row, or, `below`, of the last whole one. */
hsc_flame_sign hsc_flame_sign_of(const hsc_flame_rows *r, const hsc_font *font, double scale, int width, bool below);
typedef struct hsc_flame_frame {
    const hsc_flame_box *boxes;
    uint32_t n;
    hsc_flame_rows rows;
    bool searching;
    const char *callers;        /* text of the one box above the root */
} hsc_flame_frame;
void hsc_paint_flame(hsc_canvas *c, const hsc_style *st, const hsc_flame_frame *f);

/* ---- matrix ---- */
typedef struct hsc_matrix_frame {
    uint32_t bins;
    const double *values;       /* [bins][bins], row-major; NaN: nothing between the two */
    double least, maximum;      /* of the values above 0 */
    enum hsc_colours colours;
    enum hsc_scaling scaling;
    const char *const *labels;  /* per bin */
    const char *down, *across;  /* what the rows and the columns are */
    int selected_row, selected_column; /* -1 none */
    int mark_row, mark_column;  /* bins of the chosen processors, -1 none */
    enum hsc_unit unit;         /* of the numbers in the cells */
    bool change, ratio;         /* values are changes against another run (logarithms of ratios); maximum: of their sizes */
} hsc_matrix_frame;
typedef struct hsc_matrix_place { /* where the cells are: cell (r, c) from x + c * w / bins, y + r * h / bins */
    int x, y, w, h;
} hsc_matrix_place;
/* Most cells that have room side by side and are still to be told apart. */
uint32_t hsc_matrix_room(const hsc_style *st, int width, int height, double scale);
hsc_matrix_place hsc_matrix_layout(const hsc_style *st, int width, int height, double scale, uint32_t bins, const char *const *labels);
/* How the cells' numbers are written, that all of them may be seen where any is: with their units (0), in three digits (1: "302k") or, where those of
 * some cells have no room at `width` pixels a cell, not at all (-1). */
int hsc_matrix_form(const hsc_style *st, const hsc_matrix_frame *f, double width);
void hsc_paint_matrix(hsc_canvas *c, const hsc_style *st, const hsc_matrix_frame *f);

#endif
