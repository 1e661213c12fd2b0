/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What pictures are drawn on: a buffer of 32-bit pixels with a cairo surface over it, or (for SVG and PDF) a vector
 * surface alone. Pictures use these calls only, so that every picture can be shown, hashed and exported.
 * Coordinates in pixels from the top left corner. No Tcl, no X. */
#ifndef HSC_GUI_CANVAS_H
#define HSC_GUI_CANVAS_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/err.h>

#include "colour.h"

#define HSC_GLYPH_FIRST 32
#define HSC_GLYPH_LAST 126
#define HSC_GLYPH_COUNT (HSC_GLYPH_LAST + 3 - HSC_GLYPH_FIRST) /* the last ones: the signs for minus and times */

/* A font at a size, with the glyphs of ASCII looked up, so that digits cost no search. */
typedef struct hsc_font {
    cairo_scaled_font_t *scaled;
    cairo_font_face_t *face;
    double size, ascent, descent;
    unsigned long glyph[HSC_GLYPH_COUNT];
    float advance[HSC_GLYPH_COUNT];
} hsc_font;

/* size in pixels. HSC_E_MEMORY. */
hsc_status hsc_font_init(hsc_font *f, const char *family, bool bold, bool italic, double size, hsc_err *err);
void hsc_font_fini(hsc_font *f);
/* Width of text; text that is not UTF-8 is measured as it would be drawn. */
double hsc_font_width(const hsc_font *f, const char *text);

typedef struct hsc_canvas {
    int width, height;
    uint32_t *pixels; /* NULL: vector surface */
    int stride;       /* in pixels */
    cairo_surface_t *surface;
    cairo_t *cr;
    double scale; /* HiDPI factor for strokes and paddings */
    int clip[4];  /* x0 y0 x1 y1 */
    /* glyphs collected for one colour and font */
    cairo_glyph_t *glyphs;
    int glyph_count, glyph_capacity;
    bool out_of_memory;
} hsc_canvas;

/* Over the caller's pixels (0x00RRGGBB, rows of `stride` pixels), which must live as long as the canvas. */
hsc_status hsc_canvas_init(hsc_canvas *c, uint32_t *pixels, int width, int height, int stride, double scale, hsc_err *err);
/* Over a vector surface; takes a reference. */
hsc_status hsc_canvas_init_vector(hsc_canvas *c, cairo_surface_t *surface, int width, int height, double scale,
                                  hsc_err *err);
void hsc_canvas_fini(hsc_canvas *c);

/* n pixels of the canvas's scale, at least 1. */
int hsc_canvas_dp(const hsc_canvas *c, double n);

void hsc_canvas_fill(hsc_canvas *c, int x, int y, int w, int h, hsc_rgb colour);
void hsc_canvas_fill_alpha(hsc_canvas *c, double x, double y, double w, double h, hsc_rgb colour, double alpha);
void hsc_canvas_fill_round(hsc_canvas *c, double x, double y, double w, double h, double radius, hsc_rgb colour);
/* Frame inside the rectangle, `line` pixels thick. */
void hsc_canvas_frame(hsc_canvas *c, int x, int y, int w, int h, int line, hsc_rgb colour);
/* Frame with a casing on both sides: readable over any picture. The frame's middle line is the rectangle's edge. */
void hsc_canvas_cased(hsc_canvas *c, int x, int y, int w, int h, int line, hsc_rgb colour, hsc_rgb casing);
void hsc_canvas_line(hsc_canvas *c, double x0, double y0, double x1, double y1, double width, hsc_rgb colour);
void hsc_canvas_dashed(hsc_canvas *c, double x0, double y0, double x1, double y1, double width, hsc_rgb colour);
/* A block of pixels, copied. */
void hsc_canvas_block(hsc_canvas *c, int x, int y, int w, int h, const uint32_t *pixels, int stride);

/* One clip at a time. */
void hsc_canvas_clip(hsc_canvas *c, int x, int y, int w, int h);
void hsc_canvas_unclip(hsc_canvas *c);

enum hsc_align { HSC_LEFT, HSC_CENTRE, HSC_RIGHT };
/* Text with its baseline at y; returns its width. */
double hsc_canvas_text(hsc_canvas *c, const hsc_font *f, double x, double y, enum hsc_align align, hsc_rgb colour,
                       const char *text);
/* The same, cut with an ellipsis where it is wider than `room`. */
double hsc_canvas_text_fit(hsc_canvas *c, const hsc_font *f, double x, double y, double room, enum hsc_align align,
                           hsc_rgb colour, const char *text);
/* In lines of whole words, `line` pixels apart, the first at y, at most `most`; what has no room in the last is cut off with a sign. How many. */
int hsc_canvas_text_wrapped(hsc_canvas *c, const hsc_font *f, double x, double y, double room, int line, int most, hsc_rgb colour, const char *text);
/* Text that runs downwards from (x, y); x is its baseline (on the left of the letters' feet). */
void hsc_canvas_text_down(hsc_canvas *c, const hsc_font *f, double x, double y, double room, hsc_rgb colour,
                          const char *text);
/* Baseline that centres a line of text in a row of height h at y. */
double hsc_font_baseline(const hsc_font *f, double y, double h);

/* Many short texts, of ASCII and minus signs (U+2212), of one font and colour: collect, then show. */
double hsc_font_ascii_width(const hsc_font *f, const char *text);
void hsc_canvas_collect(hsc_canvas *c, const hsc_font *f, double x, double y, const char *text);
void hsc_canvas_show(hsc_canvas *c, const hsc_font *f, hsc_rgb colour);

/* 64-bit FNV-1a of the picture (the lower 24 bits of each pixel). */
uint64_t hsc_canvas_hash(const hsc_canvas *c);

/* A character (of three bytes) begins here that changes the direction of text, or breaks the line. */
bool hsc_text_turns(const char *text);

/* UTF-8 that is valid, and without control characters and those, for anything from a file: bad bytes become '?'. Truncates to
 * capacity. Returns out. */
const char *hsc_text_clean(const char *text, char *out, size_t capacity);

#endif
