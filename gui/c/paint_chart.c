/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small charts over processors: profile of one value, categories stacked. */
#include "paint.h"

#include <math.h>

int hsc_chart_plot_height(const hsc_canvas *c, const hsc_style *st, bool ticks) {
    int h = c->height - (ticks ? (int)ceil(st->small->ascent + st->small->descent) + hsc_canvas_dp(c, 4) : 0);
    return h > 1 ? h : 1;
}

static int bin_x(const hsc_canvas *c, uint32_t n, uint32_t b) { return (int)((int64_t)c->width * b / n); }

/* A bar fills its bin but for a gap; of one or two processors it stands in the middle of it. */
static void bar_of(const hsc_canvas *c, uint32_t n, uint32_t b, int *x, int *width) {
    int x0 = bin_x(c, n, b), wide = bin_x(c, n, b + 1) - x0, most = hsc_canvas_dp(c, 140);
    int gap = wide > 5 ? 1 : 0;
    *width = wide - gap < most ? wide - gap : most;
    *x = x0 + (wide - gap - *width) / 2;
}

/* Names of all processors where they have room, else of first, last and some between. */
static void chart_ticks(hsc_canvas *c, const hsc_style *st, uint32_t n, const char *const *labels) {
    int plot = hsc_chart_plot_height(c, st, true);
    double base = plot + hsc_canvas_dp(c, 4) + st->small->ascent, pad = hsc_canvas_dp(c, 10), right = -1e9, widest = 0;
    hsc_canvas_fill(c, 0, plot, c->width, 1, st->colour[HSC_P_faint]);
    if (!n)
        return;
    for (uint32_t b = 0; b < n && n <= 64; b++) {
        double w = hsc_font_width(st->small, labels[b]);
        widest = w > widest ? w : widest;
    }
    int width = c->width;
    bool all = n <= 64 && (widest + pad) * n <= width + pad;
    double last_from = width - hsc_font_width(st->small, labels[n - 1]);
    uint32_t parts = all ? n - 1 : n < 5 ? n - 1 : 4;
    for (uint32_t i = 0; i <= parts; i++) {
        uint32_t b = parts ? (uint32_t)((uint64_t)(n - 1) * i / parts) : 0;
        double w = hsc_font_width(st->small, labels[b]), mid = (bin_x(c, n, b) + bin_x(c, n, b + 1)) / 2.0;
        double x = all ? mid - w / 2 : i == 0 ? 0 : i == parts ? last_from : mid - w / 2;
        x = x < 0 ? 0 : x + w > width ? width - w : x;
        if (x < right + pad * 0.6 || (!all && i < parts && x + w + pad > last_from))
            continue;
        hsc_canvas_text(c, st->small, x, base, HSC_LEFT, st->colour[HSC_P_muted], labels[b]);
        right = x + w;
    }
}

void hsc_paint_profile(hsc_canvas *c, const hsc_style *st, const hsc_profile_frame *f) {
    int plot = hsc_chart_plot_height(c, st, f->ticks), top = hsc_canvas_dp(c, 2);
    for (uint32_t b = 0; b < f->n; b++) {
        int x0 = bin_x(c, f->n, b), x1 = bin_x(c, f->n, b + 1), bar, wide;
        int h = (int)lround(hsc_colour_position(f->scaling, (double)f->values[b], f->maximum) * (plot - top));
        bool marked = f->mark_first >= 0 && (int)b >= f->mark_first && (int)b <= f->mark_last;
        if (f->values[b] > 0 && h < 1)
            h = 1;
        if (marked)
            hsc_canvas_fill(c, x0, 0, x1 - x0, plot, st->colour[HSC_P_accentsoft]);
        bar_of(c, f->n, b, &bar, &wide);
        hsc_canvas_fill(c, bar, plot - h, wide, h, marked ? st->colour[HSC_P_accent] : st->colour[HSC_P_barlight]);
    }
    if (f->mean > 0) {
        double y = floor(plot - hsc_colour_position(f->scaling, f->mean, f->maximum) * (plot - top)) + 0.5;
        hsc_canvas_dashed(c, 0, y, c->width, y, 1, st->colour[HSC_P_foreground]);
    }
    if (f->ticks)
        chart_ticks(c, st, f->n, f->labels);
}

void hsc_paint_stack(hsc_canvas *c, const hsc_style *st, const hsc_stack_frame *f) {
    int plot = hsc_chart_plot_height(c, st, f->ticks), top = f->share ? 0 : hsc_canvas_dp(c, 2);
    for (uint32_t b = 0; b < f->n; b++) {
        int x, wide;
        bar_of(c, f->n, b, &x, &wide);
        double sum = 0, at = 0;
        for (uint32_t k = 0; k < f->categories; k++)
            sum += (double)f->values[(size_t)k * f->n + b];
        double whole = f->share ? sum : f->maximum;
        for (uint32_t k = 0; k < f->categories && whole > 0; k++) {
            double v = (double)f->values[(size_t)k * f->n + b];
            int y0 = plot - (int)lround(at / whole * (plot - top)), y1 = plot - (int)lround((at + v) / whole * (plot - top));
            hsc_canvas_fill(c, x, y1, wide, y0 - y1, hsc_style_category(st, k));
            at += v;
        }
    }
    if (f->ticks)
        chart_ticks(c, st, f->n, f->labels);
}
