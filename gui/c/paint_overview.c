/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Overview in strips, colour legend, minimap. */
#include "paint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* ---- legend ---- */

int hsc_legend_height(const hsc_canvas *c, const hsc_style *st) {
    return hsc_canvas_dp(c, 9) + hsc_canvas_dp(c, 4) + (int)ceil(st->small->ascent + st->small->descent);
}

static double in_unit(const hsc_colour_scale *s, double value) { return value * s->unit_scale; }

/* "+120", "−18.4 MB", "0.5x". */
static void change_text(const hsc_colour_scale *s, double value, char text[HSC_NUMBER_MAX]) {
    char size[HSC_NUMBER_MAX];
    if (s->ratio || s->unit == HSC_UNIT_NONE) {
        hsc_number_change(value, 5, s->ratio, text);
        return;
    }
    hsc_number_amount(fabs(in_unit(s, value)), s->unit, size);
    snprintf(text, HSC_NUMBER_MAX, "%s%.12s", value > 0 ? "+" : value < 0 ? HSC_MINUS : "", size);
}

/* Ticks of a diverging scale: both ends with their sign, the middle, and what fits between. */
static void change_ticks(hsc_canvas *c, const hsc_style *st, int x, double base, int y, int h, int w, const hsc_colour_scale *s) {
    double ticks[16], pad = hsc_canvas_dp(c, 6), taken[40][2];
    char text[HSC_NUMBER_MAX];
    int n = 0, shown = 0;
    double list[40];
    list[n++] = -(double)s->maximum;
    list[n++] = (double)s->maximum;
    list[n++] = 0;
    int k = hsc_number_ticks(s->scaling == HSC_SCALING_LOG, (double)s->maximum, s->ratio ? 4 : 3, ticks, 15);
    for (int i = k - 1; i > 0; i--) {
        list[n++] = -ticks[i];
        list[n++] = ticks[i];
    }
    for (int i = 0; i < n; i++) {
        double at = x + hsc_colour_scale_position(s, list[i]) * w;
        change_text(s, list[i], text);
        double tw = hsc_font_width(st->small, text), from = at - tw / 2 < x ? x : at - tw / 2 > x + w - tw ? x + w - tw : at - tw / 2;
        bool room = true;
        for (int j = 0; j < shown; j++)
            room = room && (from + tw + pad < taken[j][0] || from > taken[j][1] + pad);
        if (!room)
            continue;
        if (i > 1)
            hsc_canvas_fill(c, (int)at, y, 1, h, 0xffffff);
        hsc_canvas_text(c, st->small, from, base, HSC_LEFT, st->colour[HSC_P_muted], text);
        taken[shown][0] = from;
        taken[shown++][1] = from + tw;
    }
}

/* The least value and the powers of ten above it. */
static int span_ticks(const hsc_colour_scale *s, double *out, int capacity) {
    int n = 0;
    out[n++] = (double)s->low;
    for (double v = pow(10, floor(log10((double)s->low)) + 1); v < (double)s->maximum && n < capacity; v *= 10)
        out[n++] = v;
    return n;
}

/* What both ends of a diverging scale take. */
static double ends_width(const hsc_style *st, const hsc_colour_scale *s, int pad) {
    char low[HSC_NUMBER_MAX], high[HSC_NUMBER_MAX];
    change_text(s, -(double)s->maximum, low);
    change_text(s, (double)s->maximum, high);
    return hsc_font_width(st->small, low) + hsc_font_width(st->small, high) + pad;
}

void hsc_paint_legend(hsc_canvas *c, const hsc_style *st, int x, int y, int w, const hsc_colour_scale *s, bool no_code) {
    int h = hsc_canvas_dp(c, 9), pad = hsc_canvas_dp(c, 6);
    double base = y + h + hsc_canvas_dp(c, 4) + st->small->ascent;
    if (no_code) {
        const char *text = "no code";
        int room = (int)ceil(hsc_font_width(st->small, text)) + h + pad;
        if (room < w / 2 && (!s->diverging || ends_width(st, s, pad) < w - room - 2 * pad)) { /* numbers come first */
            int at = x + w - room;
            hsc_canvas_fill(c, at, y, h, h, st->colour[HSC_P_nocode]);
            hsc_canvas_frame(c, at, y, h, h, 1, st->colour[HSC_P_muted]);
            hsc_canvas_text(c, st->small, at + h + pad * 0.6, hsc_font_baseline(st->small, y, h), HSC_LEFT,
                            st->colour[HSC_P_muted], text);
            w -= room + 2 * pad;
        }
    }
    if (w < 8)
        return;
    int from = s->low > 0 ? (int)(HSC_COLOUR_SPAN_FROM * (HSC_COLOUR_STEPS - 1)) : 0;
    for (int i = 0; i < w; i++)
        hsc_canvas_fill(c, x + i, y, 1, h, s->steps[from + (int64_t)i * (HSC_COLOUR_STEPS - 1 - from) / (w > 1 ? w - 1 : 1)]);
    if (s->diverging) {
        change_ticks(c, st, x, base, y, h, w, s);
        return;
    }
    double ticks[16];
    int n = s->low > 0 ? span_ticks(s, ticks, 15) : hsc_number_ticks(s->scaling == HSC_SCALING_LOG, (double)s->maximum, 5, ticks, 15);
    double right = x - 1e9, end = x + w;
    char text[HSC_NUMBER_MAX];
    /* the top value first: it always shows */
    hsc_number_amount(in_unit(s, (double)s->maximum), s->unit, text);
    double last_width = s->maximum > 0 ? hsc_font_width(st->small, text) : 0;
    if (s->maximum > 0)
        hsc_canvas_text(c, st->small, end, base, HSC_RIGHT, st->colour[HSC_P_muted], text);
    for (int i = 0; i < n; i++) {
        double t = hsc_colour_scale_position(s, ticks[i]);
        double at = x + (s->low > 0 ? (t - HSC_COLOUR_SPAN_FROM) / (1 - HSC_COLOUR_SPAN_FROM) : t) * w;
        hsc_number_amount(in_unit(s, ticks[i]), s->unit, text);
        double tw = hsc_font_width(st->small, text), left = at - tw / 2 < x ? x : at - tw / 2;
        if (left < right + pad || (s->maximum > 0 && left + tw > end - last_width - pad))
            continue;
        if (i)
            hsc_canvas_fill(c, (int)at, y, 1, h, hsc_colour_text_on(hsc_colour_scale_get(s, (float)ticks[i])));
        hsc_canvas_text(c, st->small, left, base, HSC_LEFT, st->colour[HSC_P_muted], text);
        right = left + tw;
    }
}

/* ---- overview ---- */

void hsc_overview_layout_get(const hsc_canvas *c, const hsc_style *st, hsc_strips *s, uint32_t strips, bool labels,
                             bool legend, bool even, hsc_overview_layout *out) {
    int pad = hsc_canvas_dp(c, 4);
    out->gap = hsc_canvas_dp(c, 10);
    out->x = pad;
    out->y = pad + (labels ? (int)ceil(st->small->ascent + st->small->descent) + hsc_canvas_dp(c, 2) : 0);
    out->legend_y = c->height - (legend ? hsc_legend_height(c, st) + pad : 0);
    out->height = out->legend_y - pad - out->y - (legend ? pad : 0);
    if (out->height < 1)
        out->height = 1;
    int room = c->width - 2 * pad, least = hsc_canvas_dp(c, 46);
    uint32_t wanted = strips ? strips : (uint32_t)(room > least + out->gap ? (room + out->gap) / (least + out->gap) : 1);
    if (wanted > 200)
        wanted = 200;
    if (wanted < 1)
        wanted = 1;
    uint32_t height = (uint32_t)out->height, most_pixels = (uint32_t)hsc_canvas_dp(c, 8);
    hsc_strips_layout(s, wanted, height, most_pixels, even);
    uint32_t used = s->strips > 0 ? s->strips : 1;
    if (legend && s->strips) /* close to the strips, which may be shorter than the room */
        out->legend_y = out->y + (int)s->pixels + 2 * pad;
    out->strip_width = (room - (int)(used - 1) * out->gap) / (int)used;
    int most = hsc_canvas_dp(c, 160);
    if (out->strip_width > most)
        out->strip_width = most;
    if (out->strip_width < 1)
        out->strip_width = 1;
}

typedef struct span { /* bins [lo, hi) within one strip */
    uint32_t strip, lo, hi;
} span;

static void frame_area(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l,
                       const hsc_area *a, int line, hsc_rgb colour, bool casing) {
    const hsc_strips *s = f->strips;
    if (a->lo >= a->hi || !s->bins || a->lo >= s->rows)
        return;
    uint32_t b0 = hsc_strips_bin_of(s, a->lo), b1 = hsc_strips_bin_of(s, a->hi - 1) + 1;
    int x0 = 0, x1 = l->strip_width;
    if (a->column_lo < a->column_hi && f->columns) {
        x0 = (int)((int64_t)l->strip_width * a->column_lo / f->columns);
        x1 = (int)((int64_t)l->strip_width * a->column_hi / f->columns);
    }
    for (uint32_t k = b0 / s->bins_per_strip; k <= (b1 - 1) / s->bins_per_strip; k++) {
        span p = {k, b0 > k * s->bins_per_strip ? b0 - k * s->bins_per_strip : 0,
                  b1 < (k + 1) * s->bins_per_strip ? b1 - k * s->bins_per_strip : s->bins_per_strip};
        int x = l->x + (int)k * (l->strip_width + l->gap) + x0;
        int y = l->y + (int)hsc_strips_y(s, p.lo), h = l->y + (int)hsc_strips_y(s, p.hi) - y;
        if (casing)
            hsc_canvas_cased(c, x, y, x1 - x0, h, line, colour, st->colour[HSC_P_casing]);
        else if (h > 2)
            hsc_canvas_frame(c, x, y, x1 - x0, h, line, colour);
        else
            hsc_canvas_fill(c, x, y, l->strip_width / 6 + 1, 1, colour);
    }
}

static void mark_row(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l,
                     uint32_t row, bool left, hsc_rgb colour) {
    const hsc_strips *s = f->strips;
    if (row >= s->rows || !s->bins)
        return;
    uint32_t b = hsc_strips_bin_of(s, row), strip = b / s->bins_per_strip;
    b %= s->bins_per_strip;
    int y = l->y + (int)(hsc_strips_y(s, b) + hsc_strips_y(s, b + 1)) / 2;
    int x = l->x + (int)strip * (l->strip_width + l->gap), half = hsc_canvas_dp(c, 1.5), w = hsc_canvas_dp(c, 7);
    if (!left)
        x += l->strip_width - w + hsc_canvas_dp(c, 3);
    else
        x -= hsc_canvas_dp(c, 3);
    hsc_canvas_fill(c, x - 1, y - half - 1, w + 2, 2 * half + 3, st->colour[HSC_P_casing]);
    hsc_canvas_fill(c, x, y - half, w, 2 * half + 1, colour);
}

static void strips_picture(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l) {
    const hsc_strips *s = f->strips;
    uint32_t w = (uint32_t)l->strip_width, h = s->pixels;
    uint32_t *block = malloc(((size_t)w * h + 1) * sizeof *block), *row = malloc(((size_t)f->columns + 1) * sizeof *row);
    for (uint32_t k = 0; block && row && k < s->strips; k++) {
        const hsc_colour_scale *scale = f->scale;
        hsc_colour_scale own;
        if (f->strip_maximum) {
            hsc_colour_scale_init(&own, f->colours, f->scale->scaling, (double)f->strip_maximum[k]);
            scale = &own;
        }
        uint32_t from = k * s->bins_per_strip, n = s->bins - from < s->bins_per_strip ? s->bins - from : s->bins_per_strip;
        for (uint32_t b = 0; b < n; b++) {
            hsc_colour_scale_fill(scale, f->values + (size_t)(from + b) * f->columns, f->columns,
                                  st->colour[HSC_P_nocode], row);
            uint32_t y0 = hsc_strips_y(s, b), y1 = hsc_strips_y(s, b + 1), *line = block + (size_t)y0 * w;
            for (uint32_t x = 0; x < w; x++)
                line[x] = f->columns ? row[(uint64_t)x * f->columns / w] : st->colour[HSC_P_nocode];
            for (uint32_t p = 1; p < y1 - y0; p++)
                memcpy(line + (size_t)p * w, line, w * sizeof *line);
        }
        hsc_canvas_block(c, l->x + (int)k * (l->strip_width + l->gap), l->y, (int)w, (int)hsc_strips_y(s, n), block,
                         (int)w);
    }
    free(block);
    free(row);
}

/* Left: columns of nested scopes, grey by their inclusive shares, or coloured by what changed in the other run. Right: the procedure's categories, as long as the root of its
 * share. */
static void map_row(const hsc_style *st, const hsc_map_frame *m, const hsc_map_bin *b, uint32_t w, hsc_rgb *row) {
    uint32_t left = w * 2 / 5, from = left + (w > 40 ? 3 : 1);
    for (uint32_t x = 0; x < w; x++)
        row[x] = b->code ? st->colour[HSC_P_faint] : st->colour[HSC_P_background];
    for (uint32_t x = 0; x < left; x++) {
        uint32_t k = x * HSC_MAP_LEVELS / left;
        if (b->level[k] >= 0)
            row[x] = m->changes ? hsc_colour_scale_get(m->changes, b->change[k]) : hsc_style_grey(st, (double)b->level[k]);
    }
    if (b->procedure == UINT32_MAX || from >= w || !(m->largest > 0))
        return;
    const double *v = m->categories + (size_t)b->procedure * m->n_categories;
    double sum = 0, at = 0, share = b->level[0] > 0 ? (double)b->level[0] : 0;
    uint32_t length = (uint32_t)lround(sqrt(share / m->largest) * (w - from));
    for (uint32_t k = 0; k < m->n_categories; k++)
        sum += v[k];
    for (uint32_t k = 0; sum > 0 && k < m->n_categories; k++) {
        uint32_t x0 = from + (uint32_t)lround(at / sum * length), x1 = from + (uint32_t)lround((at + v[k]) / sum * length);
        for (uint32_t x = x0; x < x1 && x < w; x++)
            row[x] = hsc_style_category(st, k);
        at += v[k];
    }
}

static void map_picture(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l) {
    const hsc_strips *s = f->strips;
    uint32_t w = (uint32_t)l->strip_width;
    hsc_rgb *row = malloc(((size_t)w + 1) * sizeof *row);
    for (uint32_t b = 0; row && b < s->bins; b++) {
        uint32_t k = b / s->bins_per_strip, in = b % s->bins_per_strip;
        map_row(st, f->map, &f->map->bins[b], w, row);
        for (uint32_t y = hsc_strips_y(s, in); y < hsc_strips_y(s, in + 1); y++)
            hsc_canvas_block(c, l->x + (int)k * (l->strip_width + l->gap), l->y + (int)y, (int)w, 1, row, (int)w);
    }
    free(row);
}

/* The category with most time after those told; HSC_CATEGORIES_SHOWN: none. */
static uint32_t next_category(const hsc_map_frame *m, const bool *told) {
    uint32_t k = HSC_CATEGORIES_SHOWN;
    for (uint32_t i = 0; i < m->n_categories && i < HSC_CATEGORIES_SHOWN; i++)
        if (m->names[i] && !told[i] && (k == HSC_CATEGORIES_SHOWN || m->totals[i] > m->totals[k]))
            k = i;
    return k;
}

/* Squares and names of categories, those with most time first, as far as there is room; the last one has an ellipsis where there are more. */
static void map_legend(hsc_canvas *c, const hsc_style *st, const hsc_map_frame *m, int x, int y, int w) {
    int box = hsc_canvas_dp(c, 8), pad = hsc_canvas_dp(c, 5), line = (int)ceil(st->small->ascent + st->small->descent) + 1, at = x, top = y;
    bool told[HSC_CATEGORIES_SHOWN] = {false};
    for (uint32_t k = next_category(m, told), next; k != HSC_CATEGORIES_SHOWN && top + line <= c->height; k = next) {
        char text[160];
        told[k] = true;
        next = next_category(m, told);
        int need = box + pad + (int)ceil(hsc_font_width(st->small, m->names[k]));
        int after = next == HSC_CATEGORIES_SHOWN ? 0 : box + pad + (int)ceil(hsc_font_width(st->small, m->names[next]));
        bool breaks = at + need + 2 * pad + after > x + w; /* before the next one */
        snprintf(text, sizeof text, "%.140s%s", m->names[k], next != HSC_CATEGORIES_SHOWN && breaks && top + 2 * line > c->height ? " \xE2\x80\xA6" : "");
        hsc_canvas_fill(c, at, top + (line - box) / 2, box, box, hsc_style_category(st, k));
        hsc_canvas_text_fit(c, st->small, at + box + pad, top + st->small->ascent, x + w - at - box - pad, HSC_LEFT,
                            st->colour[HSC_P_muted], text);
        at = breaks ? x : at + need + 2 * pad;
        top += breaks ? line : 0;
    }
}

void hsc_paint_overview_base(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l) {
    const hsc_strips *s = f->strips;
    if (f->map)
        map_picture(c, st, f, l);
    else
        strips_picture(c, st, f, l);
    if (f->labels)
        for (uint32_t k = 0; k < s->strips; k++) {
            char text[16];
            snprintf(text, sizeof text, "%u", f->strip_label[k]);
            hsc_canvas_text_fit(c, st->small, l->x + (int)k * (l->strip_width + l->gap), l->y - hsc_canvas_dp(c, 4),
                                l->strip_width, HSC_LEFT, st->colour[HSC_P_muted], text);
        }
    if (f->legend && f->map && !f->map->changes)
        map_legend(c, st, f->map, l->x, l->legend_y, c->width - 2 * l->x);
    else if (f->legend)
        hsc_paint_legend(c, st, l->x, l->legend_y, c->width - 2 * l->x, f->map ? f->map->changes : f->scale, !f->map);
}

void hsc_paint_overview_marks(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l) {
    for (uint32_t i = 0; i < f->n_outlines; i++)
        frame_area(c, st, f, l, &f->outlines[i], 1, st->colour[HSC_P_mark], false);
    for (uint32_t i = 0; i < f->n_hits; i++)
        mark_row(c, st, f, l, f->hits[i], true, st->colour[HSC_P_hit]);
    if (f->line_row != UINT32_MAX)
        mark_row(c, st, f, l, f->line_row, false, st->colour[HSC_P_accent]);
    int line = hsc_canvas_dp(c, 2);
    frame_area(c, st, f, l, &f->procedure, line, st->colour[HSC_P_mark], true);
    frame_area(c, st, f, l, &f->detail, line, st->colour[HSC_P_detail], true);
    frame_area(c, st, f, l, &f->drag, line, st->colour[HSC_P_accent], true);
}

void hsc_paint_overview(hsc_canvas *c, const hsc_style *st, const hsc_overview_frame *f, const hsc_overview_layout *l) {
    hsc_paint_overview_base(c, st, f, l);
    hsc_paint_overview_marks(c, st, f, l);
}

/* ---- minimap ---- */

void hsc_paint_minimap_base(hsc_canvas *c, const hsc_style *st, const hsc_minimap_frame *f) {
    int side = c->width > hsc_canvas_dp(c, 12) ? hsc_canvas_dp(c, 2) : 0, w = c->width - 2 * side;
    uint32_t *line = malloc(((size_t)w + 1) * sizeof *line), *row = malloc(((size_t)f->columns + 1) * sizeof *row);
    for (int y = 0; line && row && y < c->height && f->lines; y++) {
        hsc_colour_scale_fill(f->scale, f->values + (size_t)y * f->columns, f->columns, st->colour[HSC_P_nocode], row);
        for (int x = 0; x < w; x++)
            line[x] = f->columns ? row[(int64_t)x * f->columns / w] : st->colour[HSC_P_nocode];
        hsc_canvas_block(c, side, y, w, 1, line, w);
    }
    free(line);
    free(row);
}

void hsc_paint_minimap_marks(hsc_canvas *c, const hsc_style *st, const hsc_minimap_frame *f) {
    if (!f->lines)
        return;
    for (uint32_t i = 0; i < f->n_hits; i++) {
        int y = (int)((int64_t)(f->hits[i] - 1) * c->height / f->lines);
        hsc_canvas_fill(c, 0, y - 2, c->width / 2, 5, st->colour[HSC_P_casing]);
        hsc_canvas_fill(c, 0, y - 1, c->width / 2, 3, st->colour[HSC_P_hit]);
    }
    if (f->selected) {
        int y = (int)((int64_t)(f->selected - 1) * c->height / f->lines);
        hsc_canvas_fill(c, 0, y - 1, c->width, 3, st->colour[HSC_P_casing]);
        hsc_canvas_fill(c, 0, y, c->width, 1, st->colour[HSC_P_accent]);
    }
    if (f->view_first && f->view_last >= f->view_first) {
        int y0 = (int)((int64_t)(f->view_first - 1) * c->height / f->lines);
        int y1 = (int)((int64_t)f->view_last * c->height / f->lines), t = hsc_canvas_dp(c, 2), edge = t + 1;
        if (y1 > c->height)
            y1 = c->height;
        if (y1 - y0 < 4 * t)
            y1 = y0 + 4 * t;
        /* kept inside the window, so that the casing is seen on all sides */
        hsc_canvas_cased(c, edge / 2 + 1, y0 + edge / 2, c->width - 2 * (edge / 2 + 1), y1 - y0 - edge, t,
                         st->colour[HSC_P_mark], st->colour[HSC_P_casing]);
    }
}

void hsc_paint_minimap(hsc_canvas *c, const hsc_style *st, const hsc_minimap_frame *f) {
    hsc_paint_minimap_base(c, st, f);
    hsc_paint_minimap_marks(c, st, f);
}
