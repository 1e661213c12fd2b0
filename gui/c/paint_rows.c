/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Row-aligned pictures: heat cells, line bars, gutter, scope bars. */
#include "paint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "number.h"

void hsc_style_init_light(hsc_style *s) {
    static const hsc_rgb light[] = {
#define HSC_PALETTE_VALUE(name, colour) colour,
        HSC_PALETTE_TABLE(HSC_PALETTE_VALUE)
#undef HSC_PALETTE_VALUE
    };
    memset(s, 0, sizeof *s);
    memcpy(s->colour, light, sizeof light);
}

hsc_rgb hsc_style_category(const hsc_style *s, uint32_t category) {
    return s->colour[HSC_P_cat0 + category % HSC_CATEGORIES_SHOWN];
}

hsc_rgb hsc_style_grey(const hsc_style *s, double share) {
    double t = share > 0 ? sqrt(share < 1 ? share : 1) : 0; /* small shares stay apart */
    return hsc_colour_mix(s->colour[HSC_P_greylow], s->colour[HSC_P_greyhigh], t);
}

int hsc_rows_y(const hsc_rows *r, int row) { return r->header + r->offset + row * r->height; }

int hsc_rows_at(const hsc_rows *r, int y) {
    int from = y - r->header - r->offset;
    return y < r->header || from < 0 || r->height < 1 ? -1 : from / r->height;
}

int hsc_rows_fit(const hsc_rows *r, int height) {
    int room = height - r->header - r->offset;
    return room > 0 && r->height > 0 ? (room + r->height - 1) / r->height : 0;
}

static int band_y(const hsc_rows *r) {
    if (!r->selected || r->selected < r->top || r->selected >= r->top + (uint32_t)r->count)
        return -1;
    return hsc_rows_y(r, (int)(r->selected - r->top));
}

void hsc_paint_rows_background(hsc_canvas *c, const hsc_style *st, const hsc_rows *r) {
    hsc_canvas_fill(c, 0, 0, c->width, c->height, st->colour[HSC_P_background]);
    int y = band_y(r);
    if (y >= 0)
        hsc_canvas_fill(c, 0, y, c->width, r->height, st->colour[HSC_P_lineband]);
}

void hsc_paint_rows_header_line(hsc_canvas *c, const hsc_style *st, const hsc_rows *r) {
    if (r->header > 0)
        hsc_canvas_fill(c, 0, r->header - 1, c->width, 1, st->colour[HSC_P_faint]);
}

/* Clears the header band (rows that scroll below it) and writes its title. */
static void header_title(hsc_canvas *c, const hsc_style *st, const hsc_rows *r, double x, enum hsc_align align,
                         const char *text) {
    if (r->header <= 0)
        return;
    double h = st->font->ascent + st->font->descent;
    hsc_canvas_text_fit(c, st->font, x, r->header - hsc_canvas_dp(c, 4) - h + st->font->ascent, c->width, align,
                        st->colour[HSC_P_muted], text);
}

/* ---- heat ---- */

int hsc_heat_x(const hsc_canvas *c, uint32_t bins, uint32_t bin) {
    return bins ? (int)((int64_t)c->width * bin / bins) : 0;
}

/* Labels that have room: every label, or every 2nd, 4th, ... */
static uint32_t label_step(const hsc_canvas *c, const hsc_font *f, uint32_t bins, const char *const *labels) {
    double widest = 0;
    for (uint32_t b = 0; b < bins; b++) {
        double w = hsc_font_width(f, labels[b]);
        if (w > widest)
            widest = w;
    }
    uint32_t step = 1;
    while (step < bins && (double)c->width / bins * step < widest + 4 * c->scale)
        step *= 2;
    return step;
}

static void heat_header(hsc_canvas *c, const hsc_style *st, const hsc_heat_frame *f) {
    const hsc_font *font = st->small;
    int h = f->rows.header, line = (int)(font->ascent + font->descent + 0.5), y = h - line - hsc_canvas_dp(c, 4);
    hsc_canvas_fill(c, 0, 0, c->width, h, st->colour[HSC_P_background]);
    if (f->title && f->title[0] && y >= st->font->ascent + st->font->descent + 2)
        hsc_canvas_text_fit(c, st->font, 0, y - hsc_canvas_dp(c, 3) - st->font->descent, c->width, HSC_LEFT,
                            st->colour[HSC_P_muted], f->title);
    if (!f->bins || !f->labels)
        return;
    uint32_t step = label_step(c, font, f->bins, f->labels);
    int first = f->mark_first, last = f->mark_last;
    if (first < 0 && f->cursor >= 0)
        first = last = f->cursor;
    if (first >= 0) {
        int x0 = hsc_heat_x(c, f->bins, (uint32_t)first), x1 = hsc_heat_x(c, f->bins, (uint32_t)last + 1);
        hsc_canvas_fill(c, x0, y - 1, x1 - x0, h - y - 1, st->colour[HSC_P_accentsoft]);
    }
    for (uint32_t b = 0; b < f->bins; b++) {
        bool marked = (int)b >= first && (int)b <= last && first >= 0;
        /* the cursor's label always shows, in place of its neighbours */
        if (b % step && !(marked && first == last))
            continue;
        if (!marked && first >= 0 && first == last && (uint32_t)first % step && (uint32_t)first / step == b / step)
            continue;
        double mid = (hsc_heat_x(c, f->bins, b) + hsc_heat_x(c, f->bins, b + 1)) / 2.0;
        double half = hsc_font_width(font, f->labels[b]) / 2;
        if (mid + half > c->width)
            mid = c->width - half;
        if (mid - half < 0)
            mid = half;
        hsc_canvas_text(c, font, mid, y + font->ascent, HSC_CENTRE,
                        marked ? st->colour[HSC_P_accent] : st->colour[HSC_P_muted], f->labels[b]);
    }
}

static bool quiet_cell(const hsc_heat_frame *f, int32_t row, uint32_t bin, float value) {
    return f->scale->diverging ? value == 0 || (f->noise && f->noise[(size_t)row * f->bins + bin]) : !(value > 0);
}

static hsc_rgb cell_colour(const hsc_heat_frame *f, int32_t row, uint32_t bin, float value) {
    if (isnan(value))
        return 0;
    if (f->scale->diverging && quiet_cell(f, row, bin, value))
        return hsc_colour_change(0);
    if (f->row_maximum)
        return hsc_colour_at(f->colours,
                             hsc_colour_position(f->scale->scaling, (double)value, (double)f->row_maximum[row]));
    return hsc_colour_scale_get(f->scale, value);
}

static bool has_number(const hsc_heat_frame *f, int32_t row, uint32_t bin, float value) {
    return !isnan(value) && !(f->scale->ratio && f->noise && f->noise[(size_t)row * f->bins + bin] == 2);
}

void hsc_paint_heat(hsc_canvas *c, const hsc_style *st, const hsc_heat_frame *f) {
    const hsc_rows *r = &f->rows;
    hsc_rgb black = st->colour[HSC_P_nocode];
    hsc_canvas_fill(c, 0, r->header, c->width, c->height - r->header, black);
    double cell_width = f->bins ? (double)c->width / f->bins : 0;
    bool grid = f->grid && cell_width >= 6 && r->height >= 6;
    hsc_canvas_clip(c, 0, r->header, c->width, c->height - r->header);
    for (int i = 0; i < r->count; i++) {
        if (f->index[i] < 0)
            continue;
        const float *v = f->values + (size_t)f->index[i] * f->bins;
        int y = hsc_rows_y(r, i);
        for (uint32_t b = 0; b < f->bins; b++) {
            int x0 = hsc_heat_x(c, f->bins, b), x1 = hsc_heat_x(c, f->bins, b + 1);
            if (!isnan(v[b]))
                hsc_canvas_fill(c, x0, y, x1 - x0 - grid, r->height - grid, cell_colour(f, f->index[i], b, v[b]));
        }
    }
    if (f->numbers) {
        hsc_rgb lowest = f->scale->diverging ? hsc_colour_change(0) : f->scale->steps[0];
        hsc_rgb quiet = hsc_colour_mix(lowest, hsc_colour_text_on(lowest), 0.35);
        for (int dark = 0; dark < 3; dark++) /* 0 light, 1 dark, 2 zeros: there, but quiet */
            for (int small = 0; small < 2; small++) {
                const hsc_font *font = small ? st->mono_small : st->mono;
                for (int i = 0; i < r->count; i++) {
                    if (f->index[i] < 0)
                        continue;
                    const float *v = f->values + (size_t)f->index[i] * f->bins;
                    double base = hsc_font_baseline(font, hsc_rows_y(r, i), r->height - grid);
                    for (uint32_t b = 0; b < f->bins; b++) {
                        char text[HSC_NUMBER_MAX];
                        if (!has_number(f, f->index[i], b, v[b]) ||
                            (!quiet_cell(f, f->index[i], b, v[b]) ? hsc_colour_text_on(cell_colour(f, f->index[i], b, v[b])) == 0 : 2) !=
                                dark)
                            continue;
                        int x0 = hsc_heat_x(c, f->bins, b), x1 = hsc_heat_x(c, f->bins, b + 1) - grid;
                        if (f->scale->diverging)
                            hsc_number_change((double)v[b], 5, f->scale->ratio, text);
                        else
                            hsc_number_short((double)v[b], 4, text);
                        double w = hsc_font_ascii_width(st->mono, text), room = x1 - x0 - 2;
                        if ((w > room) != (small == 1))
                            continue;
                        if (small && (w = hsc_font_ascii_width(font, text)) > x1 - x0 + 1) /* better edge to edge than none */
                            continue;
                        hsc_canvas_collect(c, font, (x0 + x1 - w) / 2, base, text);
                    }
                }
                hsc_canvas_show(c, font, dark == 0 ? 0xf4f4f4 : dark == 1 ? 0x101010 : quiet);
            }
    }
    if (f->cursor >= 0 && (uint32_t)f->cursor < f->bins && band_y(r) >= 0) {
        int x0 = hsc_heat_x(c, f->bins, (uint32_t)f->cursor), x1 = hsc_heat_x(c, f->bins, (uint32_t)f->cursor + 1);
        int line = hsc_canvas_dp(c, 2);
        if (x1 - x0 < 3 * line)
            x1 = x0 + 3 * line;
        int y0 = band_y(r), y1 = y0 + r->height;
        /* a dark casing at the cell's edge and around the mark; never cut off by the picture's edge */
        x0 = x0 < 2 ? 2 : x0;
        x1 = x1 > c->width - 1 ? c->width - 1 : x1;
        y0 = y0 < r->header + 2 && y1 > r->header + 2 ? r->header + 2 : y0;
        hsc_canvas_frame(c, x0 - 2, y0 - 2, x1 - x0 + 3, y1 - y0 + 3, 1 + line, st->colour[HSC_P_casing]);
        hsc_canvas_frame(c, x0 - 1, y0 - 1, x1 - x0 + 1, y1 - y0 + 1, 1, st->colour[HSC_P_mark]);
    }
    hsc_canvas_unclip(c);
    if (r->header > 0)
        heat_header(c, st, f);
}

/* ---- bars ---- */

void hsc_bars_layout_get(const hsc_canvas *c, const hsc_style *st, const hsc_bars_frame *f, hsc_bars_layout *out) {
    int pad = hsc_canvas_dp(c, 6);
    double who = hsc_font_ascii_width(st->mono_small, "0000"), value = hsc_font_ascii_width(st->mono_small, f->unit == HSC_UNIT_NONE ? "00.0k" : "00.0 ms");
    if (f->who && st->font && hsc_font_width(st->font, f->who) > who)
        who = hsc_font_width(st->font, f->who);
    out->who = f->show_min || c->width >= hsc_canvas_dp(c, 110);
    if (!out->who)
        who = -pad;
    out->who_right = c->width - pad;
    out->value_width = (int)(value + 0.5);
    out->bar_x = pad;
    if (f->show_min)
        out->bar_x += (int)(value + who) + pad;
    out->bar_width = out->who_right - (int)who - pad - out->value_width - pad - out->bar_x;
    if (out->bar_width < 4)
        out->bar_width = 4;
}

static void bar_number(const hsc_bars_frame *f, double value, char text[HSC_NUMBER_MAX]) {
    if (f->unit == HSC_UNIT_NONE)
        hsc_number_short(value, 5, text);
    else
        hsc_number_amount(value * f->unit_scale, f->unit, text);
}

void hsc_paint_bars(hsc_canvas *c, const hsc_style *st, const hsc_bars_frame *f) {
    const hsc_rows *r = &f->rows;
    hsc_bars_layout l;
    hsc_bars_layout_get(c, st, f, &l);
    hsc_paint_rows_background(c, st, r);
    int pad = hsc_canvas_dp(c, 4);
    hsc_canvas_clip(c, 0, r->header, c->width, c->height - r->header);
    for (int i = 0; i < r->count; i++) {
        if (f->index[i] < 0)
            continue;
        const hsc_db_stats *s = &f->stats[f->index[i]];
        int y = hsc_rows_y(r, i), h = r->height * 2 / 5;
        if (h < 3)
            h = 3;
        int top = y + (r->height - h) / 2;
        double base = hsc_font_baseline(st->mono_small, y, r->height);
        double scale = l.bar_width;
        int lo = (int)lround(hsc_colour_position(f->scaling, s->min, f->maximum) * scale);
        int mean = (int)lround(hsc_colour_position(f->scaling, s->mean, f->maximum) * scale);
        int hi = (int)lround(hsc_colour_position(f->scaling, s->max, f->maximum) * scale);
        if (s->max > 0 && hi < 1)
            hi = 1;
        hsc_canvas_fill(c, l.bar_x, top, hi, h, st->colour[HSC_P_barlight]);
        hsc_canvas_fill(c, l.bar_x, top, lo, h, st->colour[HSC_P_bar]);
        int tick = hsc_canvas_dp(c, 1.4), over = hsc_canvas_dp(c, 3);
        if (s->max > 0 && !f->single) /* the mean */
            hsc_canvas_fill(c, l.bar_x + mean - tick / 2, top - over, tick, h + 2 * over, st->colour[HSC_P_foreground]);
        char text[HSC_NUMBER_MAX];
        if (!(s->max > 0))
            continue; /* executed by nobody: the gutter shows that there is code */
        bar_number(f, s->max, text);
        int from = hi > mean ? hi : mean;
        hsc_canvas_text(c, st->mono_small, l.bar_x + from + pad, base, HSC_LEFT, st->colour[HSC_P_foreground], text);
        if (f->max_label && !f->single && l.who)
            hsc_canvas_text(c, st->mono_small, l.who_right, base, HSC_RIGHT, st->colour[HSC_P_muted],
                            f->max_label[f->index[i]]);
        if (f->show_min) {
            bar_number(f, s->min, text);
            hsc_canvas_text(c, st->mono_small, l.bar_x - pad, base, HSC_RIGHT, st->colour[HSC_P_foreground], text);
            if (f->min_label)
                hsc_canvas_text(c, st->mono_small, l.bar_x - pad - l.value_width, base, HSC_RIGHT,
                                st->colour[HSC_P_muted], f->min_label[f->index[i]]);
        }
    }
    hsc_canvas_unclip(c);
    if (r->header > 0) {
        hsc_canvas_fill(c, 0, 0, c->width, r->header, st->colour[HSC_P_background]);
        header_title(c, st, r, l.bar_x, HSC_LEFT, f->title ? f->title : "min, mean, max");
        if (f->who && l.who)
            header_title(c, st, r, l.who_right, HSC_RIGHT, f->who);
    }
    hsc_paint_rows_header_line(c, st, r);
}

/* ---- gutter ---- */

void hsc_paint_gutter(hsc_canvas *c, const hsc_style *st, const hsc_gutter_frame *f) {
    const hsc_rows *r = &f->rows;
    int pad = hsc_canvas_dp(c, 4);
    hsc_paint_rows_background(c, st, r);
    for (int i = 0; i < r->count; i++)
        if (f->share[i] >= 0)
            hsc_canvas_fill(c, 0, hsc_rows_y(r, i), c->width, r->height - 1, hsc_style_grey(st, f->share[i]));
    for (int pass = 0; pass < 3; pass++) { /* dark and light text on grey, muted text elsewhere */
        for (int i = 0; i < r->count; i++) {
            uint32_t line = r->top + (uint32_t)i;
            int kind = f->share[i] < 0 ? 2 : hsc_colour_text_on(hsc_style_grey(st, f->share[i])) != 0;
            if (kind != pass || (r->lines && line > r->lines))
                continue;
            char text[16];
            snprintf(text, sizeof text, "%u", line);
            hsc_canvas_collect(c, st->mono_small, c->width - pad - hsc_font_ascii_width(st->mono_small, text),
                               hsc_font_baseline(st->mono_small, hsc_rows_y(r, i), r->height), text);
        }
        hsc_canvas_show(c, st->mono_small, pass == 0 ? 0x15181e : pass == 1 ? 0xf7f8fa : st->colour[HSC_P_muted]);
    }
    if (r->header > 0) {
        hsc_canvas_fill(c, 0, 0, c->width, r->header, st->colour[HSC_P_background]);
        header_title(c, st, r, c->width - pad, HSC_RIGHT, "Line");
    }
    hsc_paint_rows_header_line(c, st, r);
}

/* ---- scopes ---- */

int hsc_scopes_gap(double scale, int bar_width) { return (int)lround((bar_width < 14 * scale ? 1 : 3) * scale); }

bool hsc_scope_place(const hsc_canvas *c, const hsc_scopes_frame *f, uint32_t bar, int vertical[4], int top[4]) {
    const hsc_scope_bar *b = &f->bars[bar];
    const hsc_rows *r = &f->rows;
    if (b->line_end < r->top || b->line_begin >= r->top + (uint32_t)r->count)
        return false;
    int gap = hsc_scopes_gap(c->scale, f->bar_width), x = gap + (int)b->column * (f->bar_width + gap);
    int64_t first = (int64_t)b->line_begin - r->top, last = (int64_t)b->line_end - r->top + 1;
    if (first < -1000)
        first = -1000; /* far outside: keep coordinates small */
    if (last > r->count + 1000)
        last = r->count + 1000;
    int y0 = hsc_rows_y(r, (int)first) + 2, y1 = hsc_rows_y(r, (int)last) - 2;
    if (y0 < r->header && y1 > r->header) /* it begins above: what it is made of stays in sight */
        y0 = r->header;
    int cap = r->height / 2 - 2;
    if (cap < 4)
        cap = 4;
    if (cap > y1 - y0)
        cap = y1 - y0;
    int top_rect[4] = {x, y0, f->bar_width, cap}, v[4] = {x, y0 + cap, f->bar_width, y1 - y0 - cap};
    memcpy(vertical, v, sizeof v);
    memcpy(top, top_rect, sizeof top_rect);
    return true;
}

void hsc_paint_category_bar(hsc_canvas *c, const hsc_style *st, int x, int y, int w, int h, uint32_t n,
                            const double *values) {
    double sum = 0, at = 0;
    for (uint32_t k = 0; k < n; k++)
        sum += values[k];
    hsc_canvas_fill(c, x, y, w, h, st->colour[HSC_P_faint]);
    if (!(sum > 0))
        return;
    for (uint32_t k = 0; k < n; k++) {
        int x0 = x + (int)lround(at / sum * w), x1 = x + (int)lround((at + values[k]) / sum * w);
        hsc_canvas_fill(c, x0, y, x1 - x0, h, hsc_style_category(st, k));
        at += values[k];
    }
}

void hsc_paint_scopes(hsc_canvas *c, const hsc_style *st, const hsc_scopes_frame *f) {
    const hsc_rows *r = &f->rows;
    hsc_paint_rows_background(c, st, r);
    hsc_canvas_clip(c, 0, r->header, c->width, c->height - r->header);
    for (uint32_t k = 0; k < f->n; k++) {
        const hsc_scope_bar *b = &f->bars[k];
        int v[4], t[4];
        if (!hsc_scope_place(c, f, k, v, t))
            continue;
        hsc_rgb grey = b->changed ? b->colour : hsc_style_grey(st, b->share);
        hsc_canvas_fill(c, v[0], v[1], v[2], v[3], grey);
        hsc_canvas_frame(c, v[0], t[1], v[2], v[3] + t[3], 1,
                         hsc_colour_mix(grey, st->colour[HSC_P_foreground], 0.25));
        hsc_paint_category_bar(c, st, t[0], t[1], t[2], t[3], f->categories, b->categories);
        if (b->selected) {
            int line = hsc_canvas_dp(c, 2);
            hsc_canvas_frame(c, v[0], t[1], v[2], v[3] + t[3], line, st->colour[HSC_P_accent]);
        }
        double em = st->small->ascent + st->small->descent;
        int from = v[1] > r->header ? v[1] : r->header, to = v[1] + v[3] < c->height ? v[1] + v[3] : c->height;
        int pad = hsc_canvas_dp(c, 5);
        char whole[160], name[160] = "";
        if (v[2] + hsc_canvas_dp(c, 3) >= em && to - from > 2 * pad + em) {
            hsc_name_short(b->name, whole, sizeof whole);
            hsc_name_fit(st->small, whole, to - from - 2 * pad, name, sizeof name);
        }
        if (name[0])
            hsc_canvas_text_down(c, st->small, v[0] + (v[2] - em) / 2 + st->small->descent, from + pad,
                                 to - from - 2 * pad, hsc_colour_text_on(grey) ? 0xf7f8fa : 0x15181e, name);
    }
    hsc_canvas_unclip(c);
    if (r->header > 0) {
        hsc_canvas_fill(c, 0, 0, c->width, r->header, st->colour[HSC_P_background]);
        if (hsc_font_width(st->font, "Scopes") + hsc_canvas_dp(c, 4) <= c->width) /* bars that are folded need no name */
            header_title(c, st, r, hsc_canvas_dp(c, 4), HSC_LEFT, "Scopes");
    }
    hsc_paint_rows_header_line(c, st, r);
}
