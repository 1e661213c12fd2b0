/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sheet of pixels with fonts and colours to draw on. Included after cmocka. */
#ifndef HSC_TEST_SHEET_H
#define HSC_TEST_SHEET_H

#include <stdlib.h>

#include "paint.h"

typedef struct sheet {
    uint32_t *pixels;
    hsc_canvas c;
    hsc_style st;
    hsc_font fonts[4];
} sheet;

static inline void sheet_open(sheet *s, int w, int h) {
    s->pixels = calloc((size_t)w * (size_t)h, 4);
    assert_int_equal(hsc_canvas_init(&s->c, s->pixels, w, h, w, 1, NULL), HSC_OK);
    hsc_style_init_light(&s->st);
    const double sizes[] = {12, 10, 12, 10};
    for (int i = 0; i < 4; i++)
        assert_int_equal(hsc_font_init(&s->fonts[i], i < 2 ? "DejaVu Sans" : "DejaVu Sans Mono", false, false, sizes[i], NULL),
                         HSC_OK);
    s->st.font = &s->fonts[0];
    s->st.small = &s->fonts[1];
    s->st.mono = &s->fonts[2];
    s->st.mono_small = &s->fonts[3];
}

static inline void sheet_close(sheet *s) {
    for (int i = 0; i < 4; i++)
        hsc_font_fini(&s->fonts[i]);
    hsc_canvas_fini(&s->c);
    free(s->pixels);
}

static inline hsc_rgb pixel(const sheet *s, int x, int y) { return s->pixels[y * s->c.stride + x] & 0xffffff; }

/* Pixels of two pictures that differ within x0..x1. */
static inline int differing(const sheet *a, const sheet *b, int x0, int x1) {
    int n = 0;
    for (int y = 0; y < a->c.height; y++)
        for (int x = x0; x < x1; x++)
            n += pixel(a, x, y) != pixel(b, x, y);
    return n;
}

#endif
