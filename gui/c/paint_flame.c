/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling contexts as boxes below their callers, as wide as their inclusive values. */
#include <math.h>

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

void hsc_paint_flame(hsc_canvas *c, const hsc_style *st, const hsc_flame_frame *f) {
    const hsc_font *font = st->small;
    double pad = hsc_canvas_dp(c, 4);
    for (uint32_t i = 0; i < f->n; i++) {
        const hsc_flame_box *b = &f->boxes[i];
        int y = (int)(b->depth - f->top) * f->row_height;
        if (b->depth < f->top || y >= c->height)
            continue;
        int x0 = (int)floor(b->x0 * c->width), x1 = (int)floor(b->x1 * c->width), gap = x1 - x0 > 3 ? 1 : 0;
        hsc_rgb fill = b->matched ? st->colour[HSC_P_hit] : b->changed ? b->colour : colour_of(st, b->kind);
        if (f->searching && !b->matched)
            fill = hsc_colour_mix(fill, st->colour[HSC_P_background], 0.55);
        if (b->above)
            fill = hsc_colour_mix(fill, st->colour[HSC_P_background], 0.4);
        int w = x1 - x0 > gap ? x1 - x0 - gap : 1, edge = hsc_canvas_dp(c, 2);
        if (b->there && w > 3 * edge) { /* a frame, so that it is not told by colour alone */
            hsc_canvas_fill(c, x0, y, w, f->row_height - 1, fill);
            fill = hsc_colour_mix(fill, st->colour[HSC_P_background], 0.75);
            hsc_canvas_fill(c, x0 + edge, y + edge, w - 2 * edge, f->row_height - 1 - 2 * edge, fill);
        } else {
            hsc_canvas_fill(c, x0, y, w, f->row_height - 1, fill);
        }
        if (b->selected) {
            hsc_canvas_frame(c, x0, y, w, f->row_height - 1, hsc_canvas_dp(c, 2), st->colour[HSC_P_accent]);
        }
        if (x1 - x0 <= 3 * pad + font->size)
            continue;
        char name[sizeof b->name + 8];
        hsc_name_fit(font, b->name, x1 - x0 - 2 * pad, name, sizeof name);
        hsc_canvas_text_fit(c, font, x0 + pad, hsc_font_baseline(font, y, f->row_height - 1), x1 - x0 - 2 * pad, HSC_LEFT,
                            hsc_colour_text_on(fill), b->above && f->callers ? f->callers : name);
    }
}
