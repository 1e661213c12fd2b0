/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Drawing surface: pixel loops for rectangles, cairo for text and lines. */
#include "canvas.h"
#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* Length of the UTF-8 sequence at p, 0 when it is not one that XML and fonts accept. */
static int sequence(const unsigned char *p) {
    if (p[0] < 0x80)
        return p[0] >= 0x20 && p[0] != 0x7f;
    int n = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] > 0x8f) || (p[0] == 0xc2 && p[1] < 0xa0))
        return 0;
    return n;
}

bool hsc_text_turns(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    return p[0] == 0xe2 && ((p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae))) ||
                            (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
}

const char *hsc_text_clean(const char *text, char *out, size_t capacity) {
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int len = sequence(p);
        if (hsc_text_turns((const char *)p) && n + 1 < capacity) {
            out[n++] = '?';
            p += 3;
            continue;
        }
        if (n + (len ? (size_t)len : 1) >= capacity)
            break;
        if (len) {
            memcpy(out + n, p, (size_t)len);
            n += (size_t)len;
            p += len;
        } else {
            out[n++] = *p == '\t' ? ' ' : '?';
            p++;
        }
    }
    out[n] = 0;
    return out;
}

#define TEXT_CAPACITY 512

hsc_status hsc_font_init(hsc_font *f, const char *family, bool bold, bool italic, double size, hsc_err *err) {
    char name[128];
    hsc_text_clean(family, name, sizeof name);
    memset(f, 0, sizeof *f);
    f->size = size > 1 ? size : 1;
    f->face = cairo_toy_font_face_create(name, italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_matrix_t m, id;
    cairo_matrix_init_scale(&m, f->size, f->size);
    cairo_matrix_init_identity(&id);
    cairo_font_options_t *o = cairo_font_options_create();
    cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_SLIGHT);
    cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    f->scaled = cairo_scaled_font_create(f->face, &m, &id, o);
    cairo_font_options_destroy(o);
    if (cairo_scaled_font_status(f->scaled) != CAIRO_STATUS_SUCCESS) {
        hsc_status s = hsc_err_set(err, HSC_E_MEMORY, "font %s %.1f: %s", name, size,
                                   cairo_status_to_string(cairo_scaled_font_status(f->scaled)));
        hsc_font_fini(f);
        return s;
    }
    cairo_font_extents_t e;
    cairo_scaled_font_extents(f->scaled, &e);
    f->ascent = e.ascent;
    f->descent = e.descent;
    for (int i = 0; i < HSC_GLYPH_COUNT; i++) {
        char letter[2] = {(char)(HSC_GLYPH_FIRST + i), 0};
        const char *text = i < HSC_GLYPH_COUNT - 2 ? letter : i < HSC_GLYPH_COUNT - 1 ? HSC_MINUS : HSC_TIMES;
        cairo_glyph_t *g = NULL;
        int n = 0;
        if (cairo_scaled_font_text_to_glyphs(f->scaled, 0, 0, text, -1, &g, &n, NULL, NULL, NULL) ==
                CAIRO_STATUS_SUCCESS &&
            n == 1) {
            cairo_text_extents_t te;
            cairo_scaled_font_glyph_extents(f->scaled, g, 1, &te);
            f->glyph[i] = g[0].index;
            f->advance[i] = (float)te.x_advance;
        }
        cairo_glyph_free(g);
    }
    return HSC_OK;
}

void hsc_font_fini(hsc_font *f) {
    if (f->scaled)
        cairo_scaled_font_destroy(f->scaled);
    if (f->face)
        cairo_font_face_destroy(f->face);
    memset(f, 0, sizeof *f);
}

/* Which of a font's glyphs the text begins with, and goes behind it; -1: none of them. */
static int next_glyph(const char **text) {
    unsigned char ch = (unsigned char)*(*text)++;
    if (ch >= HSC_GLYPH_FIRST && ch <= HSC_GLYPH_LAST)
        return ch - HSC_GLYPH_FIRST;
    for (int k = 0; k < 2; k++) {
        const char *sign = k ? HSC_TIMES : HSC_MINUS;
        if (!strncmp(*text - 1, sign, strlen(sign))) {
            *text += strlen(sign) - 1;
            return HSC_GLYPH_COUNT - 2 + k;
        }
    }
    return -1;
}

double hsc_font_ascii_width(const hsc_font *f, const char *text) {
    double w = 0;
    for (int glyph; *text;)
        if ((glyph = next_glyph(&text)) >= 0)
            w += (double)f->advance[glyph];
    return w;
}

static bool is_ascii(const char *text) {
    while (*text)
        if (next_glyph(&text) < 0)
            return false;
    return true;
}

double hsc_font_width(const hsc_font *f, const char *text) {
    if (is_ascii(text))
        return hsc_font_ascii_width(f, text);
    char clean[TEXT_CAPACITY];
    cairo_text_extents_t e;
    cairo_scaled_font_text_extents(f->scaled, hsc_text_clean(text, clean, sizeof clean), &e);
    return e.x_advance;
}

double hsc_font_baseline(const hsc_font *f, double y, double h) {
    return floor(y + (h - f->ascent - f->descent) / 2 + f->ascent + 0.5);
}

/* ---- canvas ---- */

hsc_status hsc_canvas_init(hsc_canvas *c, uint32_t *pixels, int width, int height, int stride, double scale,
                           hsc_err *err) {
    memset(c, 0, sizeof *c);
    c->width = width;
    c->height = height;
    c->pixels = pixels;
    c->clip[2] = width;
    c->clip[3] = height;
    c->stride = stride;
    c->scale = scale;
    c->surface =
        cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_RGB24, width, height, stride * 4);
    c->cr = cairo_create(c->surface);
    if (cairo_status(c->cr) != CAIRO_STATUS_SUCCESS) {
        hsc_status s = hsc_err_set(err, HSC_E_MEMORY, "drawing surface of %d x %d pixels: %s", width, height,
                                   cairo_status_to_string(cairo_status(c->cr)));
        hsc_canvas_fini(c);
        return s;
    }
    return HSC_OK;
}

hsc_status hsc_canvas_init_vector(hsc_canvas *c, cairo_surface_t *surface, int width, int height, double scale,
                                  hsc_err *err) {
    memset(c, 0, sizeof *c);
    c->width = width;
    c->height = height;
    c->scale = scale;
    c->surface = cairo_surface_reference(surface);
    c->cr = cairo_create(surface);
    if (cairo_status(c->cr) != CAIRO_STATUS_SUCCESS) {
        hsc_status s =
            hsc_err_set(err, HSC_E_MEMORY, "vector surface: %s", cairo_status_to_string(cairo_status(c->cr)));
        hsc_canvas_fini(c);
        return s;
    }
    return HSC_OK;
}

void hsc_canvas_fini(hsc_canvas *c) {
    if (c->cr)
        cairo_destroy(c->cr);
    if (c->surface)
        cairo_surface_destroy(c->surface);
    free(c->glyphs);
    memset(c, 0, sizeof *c);
}

int hsc_canvas_dp(const hsc_canvas *c, double n) {
    int v = (int)lround(n * c->scale);
    return v < 1 ? 1 : v;
}

static void set_colour(hsc_canvas *c, hsc_rgb colour) {
    cairo_set_source_rgb(c->cr, ((colour >> 16) & 255) / 255.0, ((colour >> 8) & 255) / 255.0, (colour & 255) / 255.0);
}

void hsc_canvas_fill(hsc_canvas *c, int x, int y, int w, int h, hsc_rgb colour) {
    if (!c->pixels) {
        if (w <= 0 || h <= 0)
            return;
        set_colour(c, colour);
        cairo_rectangle(c->cr, x, y, w, h);
        cairo_fill(c->cr);
        return;
    }
    int x1 = x + w < c->clip[2] ? x + w : c->clip[2], y1 = y + h < c->clip[3] ? y + h : c->clip[3];
    int x0 = x > c->clip[0] ? x : c->clip[0], y0 = y > c->clip[1] ? y : c->clip[1];
    if (x0 >= x1 || y0 >= y1)
        return;
    cairo_surface_flush(c->surface);
    uint32_t *first = c->pixels + (size_t)y0 * (size_t)c->stride + x0;
    for (int i = 0; i < x1 - x0; i++)
        first[i] = colour;
    for (int j = 1; j < y1 - y0; j++)
        memcpy(first + (size_t)j * (size_t)c->stride, first, (size_t)(x1 - x0) * sizeof *first);
    cairo_surface_mark_dirty_rectangle(c->surface, x0, y0, x1 - x0, y1 - y0);
}

void hsc_canvas_fill_alpha(hsc_canvas *c, double x, double y, double w, double h, hsc_rgb colour, double alpha) {
    cairo_set_source_rgba(c->cr, ((colour >> 16) & 255) / 255.0, ((colour >> 8) & 255) / 255.0, (colour & 255) / 255.0,
                          alpha);
    cairo_rectangle(c->cr, x, y, w, h);
    cairo_fill(c->cr);
}

void hsc_canvas_fill_round(hsc_canvas *c, double x, double y, double w, double h, double r, hsc_rgb colour) {
    if (w <= 0 || h <= 0)
        return;
    if (r > w / 2)
        r = w / 2;
    if (r > h / 2)
        r = h / 2;
    set_colour(c, colour);
    cairo_new_sub_path(c->cr);
    cairo_arc(c->cr, x + w - r, y + r, r, -M_PI / 2, 0);
    cairo_arc(c->cr, x + w - r, y + h - r, r, 0, M_PI / 2);
    cairo_arc(c->cr, x + r, y + h - r, r, M_PI / 2, M_PI);
    cairo_arc(c->cr, x + r, y + r, r, M_PI, 3 * M_PI / 2);
    cairo_close_path(c->cr);
    cairo_fill(c->cr);
}

void hsc_canvas_frame(hsc_canvas *c, int x, int y, int w, int h, int line, hsc_rgb colour) {
    if (w <= 2 * line || h <= 2 * line) {
        hsc_canvas_fill(c, x, y, w, h, colour);
        return;
    }
    hsc_canvas_fill(c, x, y, w, line, colour);
    hsc_canvas_fill(c, x, y + h - line, w, line, colour);
    hsc_canvas_fill(c, x, y + line, line, h - 2 * line, colour);
    hsc_canvas_fill(c, x + w - line, y + line, line, h - 2 * line, colour);
}

void hsc_canvas_cased(hsc_canvas *c, int x, int y, int w, int h, int line, hsc_rgb colour, hsc_rgb casing) {
    int wide = 2 * line + 1, half = wide / 2, in = (wide - line) / 2;
    /* thin rectangles keep a visible hole */
    hsc_canvas_frame(c, x - half, y - half, w + 2 * half, h + 2 * half, wide, casing);
    hsc_canvas_frame(c, x - half + in, y - half + in, w + 2 * (half - in), h + 2 * (half - in), line, colour);
}

static void stroke(hsc_canvas *c, double x0, double y0, double x1, double y1, double width, hsc_rgb colour) {
    set_colour(c, colour);
    cairo_set_line_width(c->cr, width);
    cairo_move_to(c->cr, x0, y0);
    cairo_line_to(c->cr, x1, y1);
    cairo_stroke(c->cr);
}

void hsc_canvas_line(hsc_canvas *c, double x0, double y0, double x1, double y1, double width, hsc_rgb colour) {
    stroke(c, x0, y0, x1, y1, width, colour);
}

void hsc_canvas_dashed(hsc_canvas *c, double x0, double y0, double x1, double y1, double width, hsc_rgb colour) {
    double dash = 3 * c->scale;
    cairo_set_dash(c->cr, &dash, 1, 0);
    stroke(c, x0, y0, x1, y1, width, colour);
    cairo_set_dash(c->cr, NULL, 0, 0);
}

void hsc_canvas_block(hsc_canvas *c, int x, int y, int w, int h, const uint32_t *pixels, int stride) {
    if (!c->pixels) {
        /* cairo copies nothing by itself: hand it an image of its own that lives as long as the vector surface needs it */
        cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
        if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
            unsigned char *to = cairo_image_surface_get_data(image);
            for (int j = 0; j < h; j++)
                memcpy(to + (size_t)j * (size_t)cairo_image_surface_get_stride(image), pixels + (size_t)j * (size_t)stride,
                       (size_t)w * 4);
            cairo_surface_mark_dirty(image);
            cairo_set_source_surface(c->cr, image, x, y);
            cairo_pattern_set_filter(cairo_get_source(c->cr), CAIRO_FILTER_NEAREST);
            cairo_paint(c->cr);
        }
        cairo_surface_destroy(image);
        return;
    }
    int x1 = x + w < c->clip[2] ? x + w : c->clip[2], y1 = y + h < c->clip[3] ? y + h : c->clip[3];
    int x0 = x > c->clip[0] ? x : c->clip[0], y0 = y > c->clip[1] ? y : c->clip[1];
    if (x0 >= x1 || y0 >= y1)
        return;
    cairo_surface_flush(c->surface);
    for (int j = y0; j < y1; j++)
        memcpy(c->pixels + (size_t)j * (size_t)c->stride + x0, pixels + (size_t)(j - y) * (size_t)stride + (x0 - x),
               (size_t)(x1 - x0) * 4);
    cairo_surface_mark_dirty_rectangle(c->surface, x0, y0, x1 - x0, y1 - y0);
}

void hsc_canvas_clip(hsc_canvas *c, int x, int y, int w, int h) {
    cairo_save(c->cr);
    cairo_rectangle(c->cr, x, y, w > 0 ? w : 0, h > 0 ? h : 0);
    cairo_clip(c->cr);
    c->clip[0] = x > 0 ? x : 0;
    c->clip[1] = y > 0 ? y : 0;
    c->clip[2] = x + w < c->width ? x + w : c->width;
    c->clip[3] = y + h < c->height ? y + h : c->height;
}

void hsc_canvas_unclip(hsc_canvas *c) {
    cairo_restore(c->cr);
    c->clip[0] = c->clip[1] = 0;
    c->clip[2] = c->width;
    c->clip[3] = c->height;
}

double hsc_canvas_text(hsc_canvas *c, const hsc_font *f, double x, double y, enum hsc_align align, hsc_rgb colour,
                       const char *text) {
    char clean[TEXT_CAPACITY];
    if (!text[0])
        return 0;
    text = hsc_text_clean(text, clean, sizeof clean);
    double w = hsc_font_width(f, text);
    x -= align == HSC_RIGHT ? w : align == HSC_CENTRE ? w / 2 : 0;
    if (is_ascii(text)) {
        hsc_canvas_collect(c, f, x, y, text);
        hsc_canvas_show(c, f, colour);
    } else {
        set_colour(c, colour);
        cairo_set_scaled_font(c->cr, f->scaled);
        cairo_move_to(c->cr, floor(x + 0.5), y);
        cairo_show_text(c->cr, text);
    }
    return w;
}

/* Cuts text in place so that it and an ellipsis are not wider than room. False: not even one letter fits. */
static bool cut(const hsc_font *f, char *text, size_t capacity, double room) {
    size_t n = strlen(text);
    if (n + 4 > capacity)
        n = capacity - 4;
    while (n > 0) {
        do
            n--;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80);
        if (!n)
            return false;
        memcpy(text + n, "\xe2\x80\xa6", 4);
        if (hsc_font_width(f, text) <= room)
            return true;
    }
    return false;
}

double hsc_canvas_text_fit(hsc_canvas *c, const hsc_font *f, double x, double y, double room, enum hsc_align align,
                           hsc_rgb colour, const char *text) {
    char clean[TEXT_CAPACITY];
    if (!text[0] || room <= 0)
        return 0;
    hsc_text_clean(text, clean, sizeof clean);
    if (hsc_font_width(f, clean) > room && !cut(f, clean, sizeof clean, room))
        return 0;
    return hsc_canvas_text(c, f, x, y, align, colour, clean);
}

int hsc_canvas_text_wrapped(hsc_canvas *c, const hsc_font *f, double x, double y, double room, int line, int most, hsc_rgb colour, const char *text) {
    char words[TEXT_CAPACITY];
    int n = 0;
    while (*text && n < most) {
        size_t taken = 0, used = 0;
        for (const char *end = text; n + 1 < most && *end; taken = (size_t)(end - text)) { /* as many words as fit; the last line takes the rest */
            end += strspn(end, " ");
            end += strcspn(end, " ");
            if ((size_t)(end - text) >= sizeof words)
                break;
            memcpy(words, text, used = (size_t)(end - text));
            words[used] = 0;
            if (taken && hsc_font_width(f, words) > room)
                break;
        }
        if (!taken)
            taken = strlen(text);
        used = taken < sizeof words ? taken : sizeof words - 1;
        memcpy(words, text, used);
        words[used] = 0;
        hsc_canvas_text_fit(c, f, x, y + n++ * line, room, HSC_LEFT, colour, words);
        text += taken;
        text += strspn(text, " ");
    }
    return n;
}

void hsc_canvas_text_down(hsc_canvas *c, const hsc_font *f, double x, double y, double room, hsc_rgb colour,
                          const char *text) {
    char clean[TEXT_CAPACITY];
    hsc_text_clean(text, clean, sizeof clean);
    if (!clean[0] || (hsc_font_width(f, clean) > room && !cut(f, clean, sizeof clean, room)))
        return;
    set_colour(c, colour);
    cairo_save(c->cr);
    cairo_translate(c->cr, floor(x + 0.5), floor(y + 0.5));
    cairo_rotate(c->cr, M_PI / 2);
    cairo_set_font_face(c->cr, f->face);
    cairo_set_font_size(c->cr, f->size);
    cairo_move_to(c->cr, 0, 0);
    cairo_show_text(c->cr, clean);
    cairo_restore(c->cr);
}

void hsc_canvas_collect(hsc_canvas *c, const hsc_font *f, double x, double y, const char *text) {
    x = floor(x + 0.5);
    for (int glyph; *text;) {
        if ((glyph = next_glyph(&text)) < 0)
            continue;
        if (c->glyph_count == c->glyph_capacity) {
            int capacity = c->glyph_capacity ? 2 * c->glyph_capacity : 1024;
            cairo_glyph_t *bigger = realloc(c->glyphs, (size_t)capacity * sizeof *bigger);
            if (!bigger) {
                c->out_of_memory = true;
                return;
            }
            c->glyphs = bigger;
            c->glyph_capacity = capacity;
        }
        c->glyphs[c->glyph_count++] = (cairo_glyph_t){f->glyph[glyph], x, y};
        x += (double)f->advance[glyph];
    }
}

void hsc_canvas_show(hsc_canvas *c, const hsc_font *f, hsc_rgb colour) {
    if (c->glyph_count) {
        set_colour(c, colour);
        cairo_set_scaled_font(c->cr, f->scaled);
        cairo_show_glyphs(c->cr, c->glyphs, c->glyph_count);
    }
    c->glyph_count = 0;
}

uint64_t hsc_canvas_hash(const hsc_canvas *c) {
    uint64_t h = 0xcbf29ce484222325u;
    if (!c->pixels)
        return h;
    cairo_surface_flush(c->surface);
    for (int j = 0; j < c->height; j++)
        for (int i = 0; i < c->width; i++) {
            uint32_t p = c->pixels[(size_t)j * (size_t)c->stride + (size_t)i];
            for (int k = 0; k < 3; k++)
                h = (h ^ ((p >> (8 * k)) & 255)) * 0x100000001b3u;
        }
    return h;
}
