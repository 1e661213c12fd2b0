/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling contexts as boxes below their callers, as wide as their inclusive values. */
#include <math.h>
#include <stdio.h>

#include "names.h"
#include "paint.h"

static hsc_rgb colour_of(const hsc_style *st, enum hsc_flame_kind kind) {
    hsc_rgb paper = st->colour[HSC_P_background];
    switch (kind) {
    case HSC_FLAME_OWN: return hsc_colour_mix(st->colour[HSC_P_bar], paper, 0.25);
    case HSC_FLAME_INLINED: return hsc_colour_mix(st->colour[HSC_P_bar], paper, 0.5);
    case HSC_FLAME_LOOP: return hsc_colour_mix(st->colour[HSC_P_barlight], paper, 0.15);
    case HSC_FLAME_MESSAGES: return hsc_colour_mix(st->colour[HSC_P_cat1], paper, 0.35);
    case HSC_FLAME_THREADS: return hsc_colour_mix(st->colour[HSC_P_cat4], paper, 0.4);
    case HSC_FLAME_ROOT: return hsc_colour_mix(st->colour[HSC_P_faint], paper, 0.5);
    default: return st->colour[HSC_P_faint];
    }
}

static bool stands(const hsc_flame_rows *r) {
    return r->top && r->count > 2;
}

int64_t hsc_flame_row(const hsc_flame_rows *r, uint32_t depth) {
    if (stands(r) && depth == r->standing)
        return 0;
    return depth >= r->top + stands(r) ? (int64_t)depth - r->top : -1;
}

uint32_t hsc_flame_depth(const hsc_flame_rows *r, uint32_t row) {
    return stands(r) && !row ? r->standing : row + r->top;
}

hsc_flame_sign hsc_flame_sign_of(const hsc_flame_rows *r, const hsc_font *font, double scale, int width, bool below) {
    hsc_flame_sign sign = {.h = r->height - 1};
    uint32_t seen = r->top + (uint32_t)(r->count > 0 ? r->count : 0);
    uint32_t n = !below ? r->top : r->deepest + 1 > seen ? r->deepest + 1 - seen : 0;
    if (!n || r->count < 2)
        return sign;
    snprintf(sign.text, sizeof sign.text, "%s %u row%s", below ? "\xe2\x86\x93" : "\xe2\x86\x91", n, n == 1 ? "" : "s");
    sign.w = (int)ceil(hsc_font_width(font, sign.text) + 12 * scale);
    sign.x = width - sign.w;
    sign.y = below ? (r->count - 1) * r->height : 0;
    return sign;
}

static void paint_sign(hsc_canvas *c, const hsc_style *st, const hsc_flame_rows *r, bool below) {
    hsc_flame_sign s = hsc_flame_sign_of(r, st->small, c->scale, c->width, below);
    if (!s.text[0])
        return;
    hsc_canvas_fill(c, s.x, s.y, s.w, s.h, st->colour[HSC_P_background]);
    hsc_canvas_frame(c, s.x, s.y, s.w, s.h, hsc_canvas_dp(c, 1), st->colour[HSC_P_muted]);
    hsc_canvas_text(c, st->small, s.x + s.w / 2.0, hsc_font_baseline(st->small, s.y, s.h), HSC_CENTRE, st->colour[HSC_P_foreground], s.text);
}

void hsc_paint_flame(hsc_canvas *c, const hsc_style *st, const hsc_flame_frame *f) {
    const hsc_font *font = st->small;
    double pad = hsc_canvas_dp(c, 4);
    int row_height = f->rows.height;
    for (uint32_t i = 0; i < f->n; i++) {
        const hsc_flame_box *b = &f->boxes[i];
        int64_t row = hsc_flame_row(&f->rows, b->depth);
        if (row < 0 || row * row_height >= c->height)
            continue;
        int y = (int)row * row_height;
        int x0 = (int)floor(b->x0 * c->width), x1 = (int)floor(b->x1 * c->width), gap = x1 - x0 > 3 ? 1 : 0;
        hsc_rgb fill = b->matched ? st->colour[HSC_P_hit] : b->changed ? b->colour : colour_of(st, b->kind);
        if (f->searching && !b->matched)
            fill = hsc_colour_mix(fill, st->colour[HSC_P_background], 0.55);
        if (b->above)
            fill = hsc_colour_mix(fill, st->colour[HSC_P_background], 0.4);
        int w = x1 - x0 > gap ? x1 - x0 - gap : 1, edge = hsc_canvas_dp(c, 2);
        if (b->there && w > 3 * edge) { /* a frame, so that it is not told by colour alone */
            hsc_canvas_fill(c, x0, y, w, row_height - 1, fill);
            fill = hsc_colour_mix(fill, st->colour[HSC_P_background], 0.75);
            hsc_canvas_fill(c, x0 + edge, y + edge, w - 2 * edge, row_height - 1 - 2 * edge, fill);
        } else {
            hsc_canvas_fill(c, x0, y, w, row_height - 1, fill);
        }
        if (b->selected) {
            hsc_canvas_frame(c, x0, y, w, row_height - 1, hsc_canvas_dp(c, 2), st->colour[HSC_P_accent]);
        }
        if (x1 - x0 <= 3 * pad + font->size)
            continue;
        char name[sizeof b->name + 8];
        hsc_name_fit(font, b->name, x1 - x0 - 2 * pad, name, sizeof name);
        hsc_canvas_text_fit(c, font, x0 + pad, hsc_font_baseline(font, y, row_height - 1), x1 - x0 - 2 * pad, HSC_LEFT,
                            hsc_colour_text_on(fill), b->above && f->callers ? f->callers : name);
    }
    paint_sign(c, st, &f->rows, false);
    paint_sign(c, st, &f->rows, true);
}
