/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What processes exchange with each other: a square of cells, rows and columns the same processes. */
#include "paint.h"

#include <math.h>
#include <stdio.h>

#include "number.h"

#define WIDEST_LABEL 90 /* pixels at scale 1 */
#define CELL_LEAST 3.0
#define CELL_MOST_WIDE 3.0 /* times as wide as high */
#define CELL_MOST 84.0

static double line_of(const hsc_style *st) { return ceil(st->small->ascent + st->small->descent); }

uint32_t hsc_matrix_room(const hsc_style *st, int width, int height, double scale) {
    double w = width - WIDEST_LABEL * scale, h = height - 2 * line_of(st) - 11 * scale;
    double least = CELL_LEAST * scale, n = floor((w < h ? w : h) / least);
    return n < 1 ? 1 : (uint32_t)n;
}

hsc_matrix_place hsc_matrix_layout(const hsc_style *st, int width, int height, double scale, uint32_t bins, const char *const *labels) {
    double widest = 0, line = line_of(st);
    for (uint32_t b = 0; b < bins && labels; b++) {
        double w = hsc_font_width(st->small, labels[b]);
        widest = w > widest ? w : widest;
    }
    widest = widest > WIDEST_LABEL * scale ? WIDEST_LABEL * scale : widest;
    hsc_matrix_place p = {.x = (int)(widest + line + 10 * scale), .y = (int)(2 * line + 9 * scale)};
    double w = width - p.x - 4 * scale, h = height - p.y - 4 * scale;
    h = h > CELL_MOST * scale * bins ? CELL_MOST * scale * bins : h;
    if (bins && w > CELL_MOST_WIDE * h)
        w = CELL_MOST_WIDE * h;
    p.w = w > 1 ? (int)w : 1;
    p.h = h > 1 ? (int)h : 1;
    return p;
}

static int edge(int from, int size, uint32_t bins, uint32_t at) { return from + (int)((int64_t)size * at / bins); }

static void paint_labels(hsc_canvas *c, const hsc_style *st, const hsc_matrix_frame *f, const hsc_matrix_place *p) {
    double line = line_of(st), pad = hsc_canvas_dp(c, 4), right = -1e9, below = -1e9;
    hsc_canvas_text_fit(c, st->small, p->x, st->small->ascent + hsc_canvas_dp(c, 3), p->w, HSC_LEFT, st->colour[HSC_P_muted], f->across);
    hsc_canvas_text_down(c, st->small, pad, p->y, p->h, st->colour[HSC_P_muted], f->down);
    for (uint32_t b = 0; b < f->bins; b++) {
        int x0 = edge(p->x, p->w, f->bins, b), x1 = edge(p->x, p->w, f->bins, b + 1);
        int y0 = edge(p->y, p->h, f->bins, b), y1 = edge(p->y, p->h, f->bins, b + 1);
        double w = hsc_font_width(st->small, f->labels[b]), x = (x0 + x1) / 2.0 - w / 2;
        bool across = (int)b == f->mark_column, down = (int)b == f->mark_row;
        if (x >= right + pad && x + w <= c->width) {
            hsc_canvas_text(c, st->small, x, line + hsc_canvas_dp(c, 5) + st->small->ascent, HSC_LEFT,
                            st->colour[across ? HSC_P_accent : HSC_P_muted], f->labels[b]);
            right = x + w;
        }
        if (y0 >= below && (y0 + y1) / 2.0 + line / 2 <= c->height) {
            hsc_canvas_text_fit(c, st->small, p->x - pad, hsc_font_baseline(st->small, (y0 + y1) / 2.0 - line / 2, line),
                                p->x - line - 2 * pad, HSC_RIGHT, st->colour[down ? HSC_P_accent : HSC_P_muted], f->labels[b]);
            below = (y0 + y1) / 2.0 + line / 2;
        }
    }
}

/* "151 MB"; of changes "+12 MB", "0.8×", "new", "gone". Short: "151M", "+12M". */
static void change_text(const hsc_matrix_frame *f, double v, bool brief, char text[HSC_NUMBER_MAX]) {
    if (brief && !f->change)
        hsc_number_short(v, 4, text);
    else if (brief)
        hsc_number_change(v, 5, f->ratio, text);
    else if (!f->change)
        hsc_number_amount(v, f->unit, text);
    else if (isinf(v) || f->ratio)
        hsc_number_change(v, 5, 1, text);
    else {
        char size[HSC_NUMBER_MAX];
        hsc_number_amount(fabs(v), f->unit, size);
        snprintf(text, HSC_NUMBER_MAX, "%s%.12s", v > 0 ? "+" : v < 0 ? HSC_MINUS : "", size);
    }
}

static bool has_value(const hsc_matrix_frame *f, double v) { return !isnan(v) && (v >= 0 || f->change); }

int hsc_matrix_form(const hsc_style *st, const hsc_matrix_frame *f, double width) {
    /* seconds below 1 are nothing in three digits */
    for (int form = 0; form < (f->unit == HSC_UNIT_SECONDS ? 1 : 2); form++) {
        bool room = true;
        for (size_t i = 0; room && i < (size_t)f->bins * f->bins; i++) {
            char text[HSC_NUMBER_MAX];
            if (!has_value(f, f->values[i]))
                continue;
            change_text(f, f->values[i], form == 1, text);
            room = hsc_font_width(st->small, text) <= width;
        }
        if (room)
            return form;
    }
    return -1;
}

void hsc_paint_matrix(hsc_canvas *c, const hsc_style *st, const hsc_matrix_frame *f) {
    if (!f->bins || !f->values)
        return;
    hsc_matrix_place p = hsc_matrix_layout(st, c->width, c->height, c->scale, f->bins, f->labels);
    hsc_colour_scale scale;
    if (f->change)
        hsc_colour_scale_init_change(&scale, f->scaling, f->maximum, f->ratio);
    else
        hsc_colour_scale_init_span(&scale, f->colours, f->scaling, f->least, f->maximum, f->unit);
    double cell_w = (double)p.w / f->bins, cell_h = (double)p.h / f->bins, line = line_of(st);
    int gap = cell_w >= 6 * c->scale && cell_h >= 6 * c->scale ? 1 : 0;
    int form = cell_h >= line ? hsc_matrix_form(st, f, cell_w - 4 * c->scale) : -1;
    hsc_rgb nothing = hsc_colour_mix(st->colour[HSC_P_background], st->colour[HSC_P_faint], 0.45);
    hsc_canvas_fill(c, p.x, p.y, p.w, p.h, nothing);
    for (uint32_t r = 0; r < f->bins; r++) {
        int y0 = edge(p.y, p.h, f->bins, r), y1 = edge(p.y, p.h, f->bins, r + 1);
        for (uint32_t k = 0; k < f->bins; k++) {
            double v = f->values[(size_t)r * f->bins + k];
            if (!has_value(f, v))
                continue;
            int x0 = edge(p.x, p.w, f->bins, k), x1 = edge(p.x, p.w, f->bins, k + 1);
            hsc_rgb fill = hsc_colour_scale_get(&scale, (float)v);
            char text[HSC_NUMBER_MAX];
            hsc_canvas_fill(c, x0, y0, x1 - x0 - gap, y1 - y0 - gap, fill);
            if (form < 0)
                continue;
            change_text(f, v, form == 1, text);
            if (text[0])
                hsc_canvas_text(c, st->small, (x0 + x1) / 2.0, hsc_font_baseline(st->small, y0, y1 - y0 - gap), HSC_CENTRE,
                                hsc_colour_text_on(fill), text);
        }
    }
    if (gap == 0 || f->bins > 40) /* the diagonal, to find one's way */
        hsc_canvas_dashed(c, p.x, p.y, p.x + p.w, p.y + p.h, 1, st->colour[HSC_P_muted]);
    paint_labels(c, st, f, &p);
    if (f->selected_row >= 0 && f->selected_column >= 0 && (uint32_t)f->selected_row < f->bins && (uint32_t)f->selected_column < f->bins) {
        int x0 = edge(p.x, p.w, f->bins, (uint32_t)f->selected_column), x1 = edge(p.x, p.w, f->bins, (uint32_t)f->selected_column + 1);
        int y0 = edge(p.y, p.h, f->bins, (uint32_t)f->selected_row), y1 = edge(p.y, p.h, f->bins, (uint32_t)f->selected_row + 1);
        hsc_canvas_cased(c, x0, y0, x1 - x0 > 4 ? x1 - x0 - 1 : 4, y1 - y0 > 4 ? y1 - y0 - 1 : 4, hsc_canvas_dp(c, 2),
                         st->colour[HSC_P_mark], st->colour[HSC_P_casing]);
    }
}
