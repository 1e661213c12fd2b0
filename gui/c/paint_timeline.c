/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The timeline: processors down, time to the right. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "paint_timeline.h"

static int dp(const hsc_canvas *c, double n) {
    return hsc_canvas_dp(c, n);
}

/* What the height of a row stands for, where it is not a whole processor; returns the length, 0 for nothing to say. */
static int scale_words(const hsc_timeline_frame *f, char *text, size_t size) {
    return f->busy_top < 1 ? snprintf(text, size, "row height: %.3g %% of a processor", 100 * f->busy_top) : 0;
}

/* Room for these words with their mark, right of the last line of keys. */
static int scale_width(const hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f) {
    char text[64];
    return scale_words(f, text, sizeof text) ? (int)hsc_font_width(st->small, text) + dp(c, 32) : 0;
}

/* A bar between two ends, as dimensions are drawn: the extent that the words are of. */
static void paint_extent(hsc_canvas *c, const hsc_style *st, int x, int y0, int y1) {
    hsc_rgb colour = st->colour[HSC_P_foreground];
    int thin = dp(c, 1), half = dp(c, 2);
    hsc_canvas_fill(c, x, y0, thin, y1 - y0, colour);
    hsc_canvas_fill(c, x - half, y0, 2 * half + thin, thin, colour);
    hsc_canvas_fill(c, x - half, y1 - thin, 2 * half + thin, thin, colour);
}

void hsc_timeline_layout_get(const hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f, hsc_timeline_layout *out) {
    double widest = 0;
    for (uint32_t i = 0; i < f->rows + (f->n_phases ? 1 : 0); i++) {
        double w = hsc_font_width(st->small, i < f->rows ? f->labels[i] : f->phases_of);
        widest = w > widest ? w : widest;
    }
    int line = (int)ceil(st->small->ascent + st->small->descent);
    out->x = (int)ceil(widest) + dp(c, 14);
    out->phase_y = line + dp(c, 8);
    out->phase_height = f->n_phases ? line + dp(c, 4) : 0;
    out->y = out->phase_y + (f->n_phases ? out->phase_height + dp(c, 3) : 0);
    out->width = c->width - out->x - dp(c, 8);
    out->width = out->width > 1 ? out->width : 1;
    out->line = line;
    /* keys in as many lines as they need, at most three and a third of the height */
    int x = out->x, lines = f->n_keys ? 1 : 0;
    for (uint32_t i = 0; i < f->n_keys; i++) {
        int w = hsc_timeline_key_width(c, st, &f->keys[i]);
        if (x + w > c->width && x > out->x) {
            if (lines == 3)
                break;
            lines++;
            x = out->x;
        }
        x += w;
    }
    if (lines && lines < 3 && x > out->x && x + scale_width(c, st, f) > c->width)
        lines++;
    while (lines > 1 && lines * (line + dp(c, 4)) > c->height / 3)
        lines--;
    out->key_lines = lines;
    out->key_y = c->height - lines * (line + dp(c, 4)) - dp(c, 2);
    out->height = out->key_y - out->y - dp(c, 6);
    out->height = out->height > 1 ? out->height : 1;
}

int hsc_timeline_key_width(const hsc_canvas *c, const hsc_style *st, const hsc_timeline_key_entry *k) {
    double w = hsc_font_width(st->small, k->name) + hsc_font_width(st->small, k->share);
    /* names of procedures may be of any length, our own words are whole where half a line has room */
    int most = k->key != HSC_NONE && k->key & HSC_TIMELINE_TINT && c->width / 2 > dp(c, 260) ? c->width / 2 : dp(c, 260);
    int all = (int)ceil(w) + dp(c, 10 + 6 + 6 + 16);
    return all < most ? all : most;
}

int hsc_timeline_row_y(const hsc_timeline_layout *l, uint32_t rows, uint32_t row) {
    return l->y + (int)((int64_t)l->height * row / (rows ? rows : 1));
}

void hsc_timeline_mark(double step, double end, double i, char *out, size_t size) {
    double unit = end >= 0.9995 ? 1 : end >= 0.9995e-3 ? 1e-3 : 1e-6;
    int decimals = 0;
    for (double s = step / unit; i != 0 && decimals < 7 && fabs(s - round(s)) > 1e-6; s *= 10)
        decimals++;
    snprintf(out, size, "%.*f %s", decimals, i * step / unit + 0.0, unit == 1 ? "s" : unit == 1e-3 ? "ms" : "\xC2\xB5s");
}

/* Marks of time: whole steps of 1, 2 or 5. */
static void paint_axis(hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f, const hsc_timeline_layout *l) {
    double length = f->end - f->begin;
    int room = (int)ceil(hsc_font_width(st->small, "0000.000 ms")) + dp(c, 20);
    double step = hsc_number_step(length, l->width / (room > 0 ? room : 1) > 0 ? l->width / room : 1);
    if (!(step > 0))
        return;
    int bottom = l->phase_y;
    double baseline = hsc_font_baseline(st->small, 0, bottom - dp(c, 4));
    for (double i = ceil(f->begin / step - 1e-9); i * step <= f->end + 1e-12; i++) {
        double x = l->x + (i * step - f->begin) / length * l->width;
        char text[40];
        hsc_timeline_mark(step, f->end, i, text, sizeof text);
        hsc_canvas_line(c, floor(x) + 0.5, bottom - dp(c, 3), floor(x) + 0.5, bottom, 1, st->colour[HSC_P_muted]);
        double w = hsc_font_width(st->small, text), at = x - w / 2;
        at = at < l->x - dp(c, 4) ? l->x - dp(c, 4) : at + w > c->width ? c->width - w : at;
        hsc_canvas_text(c, st->small, at, baseline, HSC_LEFT, st->colour[HSC_P_muted], text);
    }
}

/* A box for each phase, with its name where that has room, and a line where it begins through the rows of its process. Those that are narrower
 * than some pixels give way to the one before. */
static void paint_phases(hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f, const hsc_timeline_layout *l) {
    double scale = l->width / (f->end - f->begin), baseline = hsc_font_baseline(st->small, l->phase_y, l->phase_height);
    int top = f->phases_first >= 0 ? hsc_timeline_row_y(l, f->rows, (uint32_t)f->phases_first) : 0;
    int bottom = f->phases_first >= 0 ? hsc_timeline_row_y(l, f->rows, (uint32_t)f->phases_last + 1) : 0, last = -1;
    for (uint32_t i = 0; i < f->n_phases; i++) {
        const hsc_timeline_phase *p = &f->phases[i];
        double a = (p->begin - f->begin) * scale, b = (p->end - f->begin) * scale;
        if (b <= 0 || a >= l->width)
            continue;
        int x0 = a > 0 ? (int)a : 0, x1 = b < l->width ? (int)ceil(b) : l->width;
        if (x0 <= last && x1 - x0 <= dp(c, 4)) /* a long one that begins where a short one was drawn is drawn over it */
            continue;
        char name[200];
        hsc_canvas_fill(c, l->x + x0 + (a > 0), l->phase_y, x1 - x0 - (a > 0), l->phase_height, st->colour[HSC_P_accentsoft]);
        if (x1 - x0 > dp(c, 16))
            hsc_canvas_text_fit(c, st->small, l->x + x0 + dp(c, 5), baseline, x1 - x0 - dp(c, 8), HSC_LEFT, st->colour[HSC_P_foreground],
                                hsc_text_clean(p->name, name, sizeof name));
        if (a > 0 && bottom > top)
            hsc_canvas_line(c, l->x + x0 + 0.5, top, l->x + x0 + 0.5, bottom, 1, st->colour[HSC_P_foreground]);
        last = x0 + dp(c, 2);
    }
    hsc_canvas_text(c, st->small, l->x - dp(c, 6), baseline, HSC_RIGHT, st->colour[HSC_P_muted], f->phases_of);
}

static hsc_rgb colour_of(const hsc_style *st, const hsc_timeline_frame *f, uint32_t key) {
    for (uint32_t i = 0; i < f->n_keys; i++)
        if (f->keys[i].key == key)
            return f->keys[i].colour;
    return st->colour[HSC_P_cat8];
}

hsc_rgb hsc_timeline_tint(const hsc_style *st, uint32_t category, double part) {
    return hsc_colour_mix(st->colour[HSC_P_panel], hsc_style_category(st, category), 0.25 + 0.4 * part);
}

/* A run of equal slots is one rectangle; how busy the threads were is its height. */
static void paint_row(hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f, const hsc_timeline_layout *l, uint32_t row) {
    int y0 = hsc_timeline_row_y(l, f->rows, row), y1 = hsc_timeline_row_y(l, f->rows, row + 1);
    int gap = y1 - y0 > dp(c, 12) ? dp(c, 2) : y1 - y0 > 4 ? 1 : 0, h = y1 - y0 - gap;
    const hsc_db_slot *slots = f->slots + (size_t)row * f->slots_n;
    h = h > 0 ? h : 1;
    hsc_canvas_fill(c, l->x, y0, l->width, h, st->colour[HSC_P_panel]);
    if (f->spans)
        for (uint32_t i = 0; i < f->slots_n;) {
            const hsc_timeline_span *s = &f->spans[(size_t)row * f->slots_n + i];
            uint32_t k = i + 1;
            while (k < f->slots_n && f->spans[(size_t)row * f->slots_n + k].category == s->category &&
                   f->spans[(size_t)row * f->slots_n + k].part == s->part)
                k++;
            if (s->part > 0) {
                int x0 = l->x + (int)((int64_t)l->width * i / f->slots_n), x1 = l->x + (int)((int64_t)l->width * k / f->slots_n);
                hsc_canvas_fill(c, x0, y0, x1 - x0, h, hsc_timeline_tint(st, s->category, s->part / 255.0));
            }
            i = k;
        }
    uint32_t last_key = HSC_NONE;
    hsc_rgb colour = 0;
    for (uint32_t i = 0; i < f->slots_n;) {
        const hsc_db_slot *s = &slots[i];
        uint32_t k = i + 1;
        int full = h > 6 ? h : 16, level = s->key == HSC_NONE ? 0 : (int)ceil((double)s->busy / f->busy_top * full - 0.25);
        level = s->key != HSC_NONE && level < 1 ? 1 : level > full ? full : level;
        while (k < f->slots_n && slots[k].key == s->key && (s->key == HSC_NONE || slots[k].busy == s->busy))
            k++;
        if (s->key != HSC_NONE) {
            int x0 = l->x + (int)((int64_t)l->width * i / f->slots_n), x1 = l->x + (int)((int64_t)l->width * k / f->slots_n);
            if (s->key != last_key) {
                last_key = s->key;
                colour = colour_of(st, f, s->key);
            }
            if (h > 6)
                hsc_canvas_fill(c, x0, y0 + h - level, x1 - x0, level, colour);
            else
                hsc_canvas_fill(c, x0, y0, x1 - x0, h, hsc_colour_mix(st->colour[HSC_P_panel], colour, 0.2 + 0.05 * level));
        }
        i = k;
    }
}

static void paint_keys(hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f, const hsc_timeline_layout *l) {
    int x = l->x, y = l->key_y, lines = 1, size = dp(c, 9);
    int right = scale_width(c, st, f);
    for (uint32_t i = 0; i < f->n_keys && l->key_lines; i++) {
        const hsc_timeline_key_entry *k = &f->keys[i];
        int w = hsc_timeline_key_width(c, st, k);
        if (x + w > c->width - (lines == l->key_lines ? right : 0) && x > l->x) {
            if (lines++ == l->key_lines) { /* that there are more */
                double more = hsc_font_width(st->small, "\xe2\x80\xa6"), last = c->width - right - more; /* in the gap behind the last one, if need be */
                hsc_canvas_text(c, st->small, x < last ? x : last, hsc_font_baseline(st->small, y, l->line), HSC_LEFT, st->colour[HSC_P_muted], "\xe2\x80\xa6");
                break;
            }
            x = l->x;
            y += l->line + dp(c, 4);
        }
        double baseline = hsc_font_baseline(st->small, y, l->line);
        if (k->key != HSC_TIMELINE_NOTE)
            hsc_canvas_fill(c, x, y + (l->line - size) / 2, size, size, k->colour);
        double room = w - dp(c, 10 + 6 + 6 + 16) - hsc_font_width(st->small, k->share);
        double at = x + dp(c, 15) + hsc_canvas_text_fit(c, st->small, x + dp(c, 15), baseline, room + 1, HSC_LEFT, st->colour[HSC_P_foreground], k->name);
        hsc_canvas_text(c, st->small, at + dp(c, 6), baseline, HSC_LEFT, st->colour[HSC_P_muted], k->share);
        x += w;
    }
}

static void paint_interval(hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f, const hsc_timeline_layout *l, double from,
                           double to, bool dim) {
    double scale = l->width / (f->end - f->begin), a = (from - f->begin) * scale, b = (to - f->begin) * scale;
    a = a < 0 ? 0 : a > l->width ? l->width : a;
    b = b < 0 ? 0 : b > l->width ? l->width : b;
    if (dim) {
        hsc_canvas_fill_alpha(c, l->x, l->y, a, l->height, st->colour[HSC_P_background], 0.62);
        hsc_canvas_fill_alpha(c, l->x + b, l->y, l->width - b, l->height, st->colour[HSC_P_background], 0.62);
    }
    if (b >= a && !(a >= l->width || b <= 0))
        hsc_canvas_cased(c, l->x + (int)a, l->y, b - a > 1 ? (int)(b - a) : 1, l->height, dp(c, 2), st->colour[HSC_P_detail], st->colour[HSC_P_casing]);
}

void hsc_paint_timeline_progress(hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f, uint32_t rows) {
    hsc_timeline_layout l;
    char text[40];
    hsc_timeline_layout_get(c, st, f, &l);
    int y = hsc_timeline_row_y(&l, f->rows, rows), last = l.y + l.height - l.line;
    snprintf(text, sizeof text, "reading \xe2\x80\xa6 %u %%", (unsigned)(100 * (uint64_t)rows / f->rows));
    hsc_canvas_text(c, st->font, l.x + dp(c, 8), hsc_font_baseline(st->font, y < last ? y : last, l.line), HSC_LEFT, st->colour[HSC_P_muted], text);
}

void hsc_paint_timeline(hsc_canvas *c, const hsc_style *st, const hsc_timeline_frame *f) {
    hsc_timeline_layout l;
    hsc_timeline_layout_get(c, st, f, &l);
    paint_axis(c, st, f, &l);
    /* labels of all rows, or of every so many as have room; letters are not as high as their line */
    double pitch = (double)l.height / (f->rows ? f->rows : 1);
    uint32_t step = pitch >= 0.8 * l.line ? 1 : (uint32_t)ceil(l.line / (pitch > 1e-6 ? pitch : 1e-6));
    for (uint32_t i = 0; i < f->rows; i++) {
        int y0 = hsc_timeline_row_y(&l, f->rows, i), y1 = hsc_timeline_row_y(&l, f->rows, i + 1);
        paint_row(c, st, f, &l, i);
        if (i % step == 0)
            hsc_canvas_text(c, st->small, l.x - dp(c, 6), hsc_font_baseline(st->small, (y0 + y1) / 2.0 - l.line / 2.0, l.line), HSC_RIGHT,
                            st->colour[(int)i == f->mark ? HSC_P_accent : HSC_P_muted], f->labels[i]);
    }
    if (f->n_phases)
        paint_phases(c, st, f, &l);
    if (f->interval_begin < f->interval_end)
        paint_interval(c, st, f, &l, f->interval_begin, f->interval_end, true);
    if (f->drag_begin < f->drag_end)
        paint_interval(c, st, f, &l, f->drag_begin, f->drag_end, false);
    paint_keys(c, st, f, &l);
    char text[64];
    if (scale_words(f, text, sizeof text)) {
        int y = l.key_y + (l.key_lines - 1) * (l.line + dp(c, 4)), right = c->width - dp(c, 8);
        hsc_canvas_text(c, st->small, right, hsc_font_baseline(st->small, y, l.line), HSC_RIGHT, st->colour[HSC_P_foreground], text);
        paint_extent(c, st, right - (int)ceil(hsc_font_width(st->small, text)) - dp(c, 7), y + dp(c, 1), y + l.line);
        int first = f->rows ? hsc_timeline_row_y(&l, f->rows, 0) : 0, second = f->rows ? hsc_timeline_row_y(&l, f->rows, 1) : 0;
        if (second - first >= dp(c, 8)) /* and what it is in the picture, beside the first row */
            paint_extent(c, st, l.x + l.width + dp(c, 4), first, second);
    }
}
