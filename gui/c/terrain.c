/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floating horizon: cells are drawn from the nearest to the farthest, and of each only what rises above all before it in
 * its pixel columns. The order of rows and of columns follows from the quadrant of the azimuth. */
#include "terrain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct point {
    double x, y; /* y grows upwards */
    double h;    /* 0..1 */
} point;

typedef struct view {
    double cos_a, sin_a, cos_e, sin_e;
    double scale, centre_x, centre_y; /* centre_y in pixels from the top */
    double height;
} view;

/* u: processors, v: lines, both -0.5..0.5; h 0..1 */
static point project(const view *w, double u, double v, double h) {
    double x = u * w->cos_a - v * w->sin_a, depth = u * w->sin_a + v * w->cos_a;
    return (point){w->centre_x + w->scale * x, w->scale * (depth * w->sin_e + h * w->height * w->cos_e) - w->centre_y, h};
}

typedef struct raster {
    uint32_t *pixels, *pick;
    int width, height;
    int *horizon; /* per pixel column: highest y drawn, upwards from -height (bottom) to 0 (top) */
} raster;

typedef struct paint_of_cell {
    const hsc_rgb *steps; /* colours by height; NULL: `flat` */
    hsc_rgb flat;
    double light, edge; /* factors; edge: for the topmost pixel */
    uint32_t id;
} paint_of_cell;

static hsc_rgb dim(hsc_rgb c, double t) {
    uint32_t k = t <= 0 ? 0 : t >= 1 ? 256 : (uint32_t)(t * 256); /* cheaper than rounding each part */
    return ((c & 0xff00ff) * k >> 8 & 0xff00ff) | ((c & 0xff00) * k >> 8 & 0xff00);
}

/* y and height of the edge a-b at x; both ends inclusive. */
static bool crosses(point a, point b, double x, double *y, double *h) {
    double lo = a.x < b.x ? a.x : b.x, hi = a.x < b.x ? b.x : a.x;
    if (x < lo || x > hi)
        return false;
    if (hi - lo < 1e-9) {
        *y = a.y > b.y ? a.y : b.y;
        *h = a.y > b.y ? a.h : b.h;
        return true;
    }
    double t = (x - a.x) / (b.x - a.x);
    *y = a.y + (b.y - a.y) * t;
    *h = a.h + (b.h - a.h) * t;
    return true;
}

/* Draws what of a quad shows above the horizon. */
static void quad(raster *r, const point p[4], const paint_of_cell *c) {
    double lo = p[0].x, hi = p[0].x;
    for (int i = 1; i < 4; i++) {
        lo = p[i].x < lo ? p[i].x : lo;
        hi = p[i].x > hi ? p[i].x : hi;
    }
    int x0 = (int)ceil(lo - 0.5), x1 = (int)floor(hi - 0.5);
    if (x1 < x0) /* thinner than a pixel: still there */
        x1 = x0 = (int)floor((lo + hi) / 2);
    x0 = x0 < 0 ? 0 : x0;
    x1 = x1 >= r->width ? r->width - 1 : x1;
    for (int x = x0; x <= x1; x++) {
        double at = x + 0.5, top = -1e30, bottom = 1e30, high = 0, low = 0, y, h;
        int edge = 0; /* the one on top */
        at = at < lo ? lo : at > hi ? hi : at;
        for (int i = 0; i < 4; i++)
            if (crosses(p[i], p[(i + 1) & 3], at, &y, &h)) {
                if (y > top) {
                    top = y;
                    high = h;
                    edge = i;
                }
                if (y < bottom) {
                    bottom = y;
                    low = h;
                }
            }
        if (top < bottom)
            continue;
        int y1 = (int)floor(top), y0 = (int)floor(bottom);
        if (y0 <= r->horizon[x])
            y0 = r->horizon[x] + 1;
        if (y1 > -1)
            y1 = -1;
        if (y0 < -r->height)
            y0 = -r->height;
        /* an edge as steep as a cliff would be a dot in each column of pixels */
        const point *a = &p[edge], *b = &p[(edge + 1) & 3];
        bool lined = y1 > y0 && fabs(a->y - b->y) <= 1.5 * fabs(a->x - b->x);
        double slope = top - bottom > 1e-9 ? (high - low) / (top - bottom) : 0;
        for (int k = y0; k <= y1; k++) {
            size_t i = (size_t)(-1 - k) * (size_t)r->width + (size_t)x;
            double t = low + (k - bottom) * slope;
            t = t < 0 ? 0 : t > 1 ? 1 : t;
            hsc_rgb colour = c->steps ? c->steps[(int)(t * (HSC_COLOUR_STEPS - 1))] : c->flat;
            r->pixels[i] = dim(colour, k == y1 && lined ? c->light * c->edge : c->light);
            if (r->pick)
                r->pick[i] = c->id;
        }
        if (y1 > r->horizon[x])
            r->horizon[x] = y1;
    }
}

static double height_of(const hsc_terrain_frame *f, uint32_t row, uint32_t column) {
    float v = f->values[(size_t)row * f->columns + column];
    return isnan(v) ? (f->scale->diverging ? 0.5 : 0) : hsc_colour_scale_position(f->scale, (double)v);
}

static double at(uint32_t i, uint32_t n) { return (double)i / (n - 1) - 0.5; }

static void wall(raster *r, const view *w, const hsc_terrain_frame *f, const hsc_style *st, bool along_columns,
                 uint32_t fixed) {
    uint32_t n = along_columns ? f->columns : f->rows;
    for (uint32_t i = 0; i + 1 < n; i++) {
        double u0, v0, u1, v1, h0, h1;
        uint32_t id;
        float value;
        if (along_columns) {
            u0 = at(i, n), u1 = at(i + 1, n), v0 = v1 = at(fixed, f->rows);
            h0 = height_of(f, fixed, i), h1 = height_of(f, fixed, i + 1);
            value = f->values[(size_t)fixed * f->columns + i];
            id = 1 + fixed * f->columns + i;
        } else {
            v0 = at(i, n), v1 = at(i + 1, n), u0 = u1 = at(fixed, f->columns);
            h0 = height_of(f, i, fixed), h1 = height_of(f, i + 1, fixed);
            value = f->values[(size_t)i * f->columns + fixed];
            id = 1 + i * f->columns + fixed;
        }
        point p[4] = {project(w, u0, v0, 0), project(w, u1, v1, 0), project(w, u1, v1, h1), project(w, u0, v0, h0)};
        bool plain = f->scale->diverging; /* below 0 it would have the colour of less */
        paint_of_cell c = {isnan(value) || plain ? NULL : f->scale->steps, plain ? hsc_colour_change(0) : st->colour[HSC_P_nocode],
                           along_columns ? 0.62 : 0.5, 0.8, id};
        quad(r, p, &c);
    }
}

static void surface(raster *r, const view *w, const hsc_terrain_frame *f, const hsc_style *st) {
    uint32_t rows = f->rows - 1, columns = f->columns - 1;
    /* depth grows with v when cos > 0 and with u when sin > 0 */
    bool rows_up = w->cos_a >= 0, columns_up = w->sin_a >= 0;
    double cell = w->scale * (fabs(w->sin_a) / f->columns + fabs(w->cos_a) / f->rows) * (0.3 + w->sin_e);
    double line = cell > 3 ? 0.6 : cell > 1.5 ? 0.8 : 1; /* dark upper edges where cells are large enough */
    for (uint32_t j = 0; j < rows; j++) {
        uint32_t row = rows_up ? j : rows - 1 - j;
        double v0 = at(row, f->rows), v1 = at(row + 1, f->rows);
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t column = columns_up ? i : columns - 1 - i;
            double u0 = at(column, f->columns), u1 = at(column + 1, f->columns);
            double h[4] = {height_of(f, row, column), height_of(f, row, column + 1), height_of(f, row + 1, column + 1),
                           height_of(f, row + 1, column)};
            point p[4] = {project(w, u0, v0, h[0]), project(w, u1, v0, h[1]), project(w, u1, v1, h[2]),
                          project(w, u0, v1, h[3])};
            /* picked as its highest corner */
            float best = NAN;
            uint32_t best_row = row, best_column = column;
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t rr = row + (k >= 2), cc = column + (k == 1 || k == 2);
                float x = f->values[(size_t)rr * f->columns + cc];
                if (!isnan(x) && !(best >= x)) {
                    best = x;
                    best_row = rr;
                    best_column = cc;
                }
            }
            double light = 0.94 + 0.5 * (h[0] + h[1] - h[2] - h[3]) / 2 * (rows_up ? -1 : 1);
            paint_of_cell c = {isnan(best) ? NULL : f->scale->steps, st->colour[HSC_P_nocode], light < 0.7 ? 0.7 : light,
                               line, 1 + best_row * f->columns + best_column};
            quad(r, p, &c);
        }
    }
}

/* left: room for the scale of heights */
static void set_view(view *w, const hsc_canvas *c, const hsc_terrain_frame *f, double top, double bottom, double left) {
    double a = f->azimuth * M_PI / 180, e = f->elevation * M_PI / 180, side = 6 * c->scale;
    *w = (view){.cos_a = cos(a), .sin_a = sin(a), .cos_e = cos(e), .sin_e = sin(e), .scale = 1,
                .height = f->height > 0 ? f->height : 0.01};
    double lo_x = 1e30, hi_x = -1e30, lo_y = 1e30, hi_y = -1e30;
    for (int k = 0; k < 8; k++) {
        point p = project(w, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 1 : 0);
        lo_x = p.x < lo_x ? p.x : lo_x;
        hi_x = p.x > hi_x ? p.x : hi_x;
        lo_y = p.y < lo_y ? p.y : lo_y;
        hi_y = p.y > hi_y ? p.y : hi_y;
    }
    double room_x = c->width - 2 * side - left, room_y = c->height - top - bottom;
    double sx = room_x / (hi_x - lo_x), sy = room_y / (hi_y - lo_y > 0.05 ? hi_y - lo_y : 0.05);
    w->scale = (sx < sy ? sx : sy) * (f->zoom > 0 ? f->zoom : 1);
    if (!(w->scale > 1))
        w->scale = 1;
    w->centre_x = (c->width + left) / 2 - w->scale * (lo_x + hi_x) / 2;
    w->centre_y = top + room_y / 2 + w->scale * (lo_y + hi_y) / 2;
}

uint32_t hsc_terrain_find_peaks(uint32_t rows, uint32_t columns, const float *values, uint32_t wanted,
                                hsc_terrain_peak *out) {
    uint32_t n = 0;
    uint32_t far_row = rows / 16 + 1;
    if (wanted > HSC_TERRAIN_PEAKS_MAX)
        wanted = HSC_TERRAIN_PEAKS_MAX;
    while (n < wanted) {
        hsc_terrain_peak best = {.value = 0};
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < columns; c++) {
                float v = values[(size_t)r * columns + c];
                if (!(v > best.value))
                    continue;
                bool apart = true;
                for (uint32_t k = 0; k < n && apart; k++) {
                    uint32_t dr = r > out[k].row ? r - out[k].row : out[k].row - r;
                    uint32_t dc = c > out[k].column ? c - out[k].column : out[k].column - c;
                    apart = dr >= far_row || dc >= columns / 2 + 1;
                }
                /* equal neighbours belong to the peak that was taken */
                for (int k = 0; k < 4 && apart; k++) {
                    int64_t rr = (int64_t)r + (k == 0) - (k == 1), cc = (int64_t)c + (k == 2) - (k == 3);
                    if (rr >= 0 && cc >= 0 && rr < rows && cc < columns && values[(size_t)rr * columns + (size_t)cc] > v)
                        apart = false;
                }
                if (apart)
                    best = (hsc_terrain_peak){.row = r, .column = c, .value = v};
            }
        if (!(best.value > 0))
            break;
        out[n++] = best;
    }
    return n;
}

static int by_x(const void *a, const void *b) {
    const hsc_terrain_peak *const *p = a, *const *q = b;
    return (*p)->x < (*q)->x ? -1 : (*p)->x > (*q)->x;
}

/* Names in a line at the top, each with a thread down to its peak. */
static void name_peaks(hsc_canvas *c, const hsc_style *st, const hsc_terrain_frame *f, double top) {
    hsc_terrain_peak *order[HSC_TERRAIN_PEAKS_MAX];
    double widths[HSC_TERRAIN_PEAKS_MAX], xs[HSC_TERRAIN_PEAKS_MAX], gap = 8 * c->scale, total = 0;
    uint32_t n = f->n_peaks < HSC_TERRAIN_PEAKS_MAX ? f->n_peaks : HSC_TERRAIN_PEAKS_MAX, shown = 0;
    for (uint32_t i = 0; i < n; i++) { /* the highest come first; those without room have no name */
        double w = f->peaks[i].label ? hsc_font_width(st->small, f->peaks[i].label) : 0;
        if (w <= 0 || f->peaks[i].hidden || total + w + gap > c->width)
            continue;
        total += w + gap;
        order[shown++] = &f->peaks[i];
    }
    qsort(order, shown, sizeof *order, by_x);
    double right = 4 * c->scale;
    for (uint32_t i = 0; i < shown; i++) {
        widths[i] = hsc_font_width(st->small, order[i]->label);
        xs[i] = order[i]->x - widths[i] / 2;
        if (xs[i] < right)
            xs[i] = right;
        right = xs[i] + widths[i] + gap;
    }
    double left = c->width - 4 * c->scale;
    for (uint32_t i = shown; i-- > 0;) {
        if (xs[i] + widths[i] > left)
            xs[i] = left - widths[i];
        left = xs[i] - gap;
    }
    double base = top - 6 * c->scale;
    for (uint32_t i = 0; i < shown; i++) {
        hsc_canvas_text(c, st->small, xs[i], base - st->small->descent, HSC_LEFT, st->colour[HSC_P_foreground],
                        order[i]->label);
        hsc_canvas_line(c, xs[i] + widths[i] / 2, base, order[i]->x, order[i]->y, 0.8 * c->scale,
                        st->colour[HSC_P_muted]);
        double d = 1.6 * c->scale;
        hsc_canvas_fill_round(c, order[i]->x - d - 1, order[i]->y - d - 1, 2 * d + 2, 2 * d + 2, d + 1, 0x000000);
        hsc_canvas_fill_round(c, order[i]->x - d, order[i]->y - d, 2 * d, 2 * d, d, 0xffffff);
    }
}

/* Flat-on, seen across the rows: numbers of lines below the profiles, as far apart as they need. Returns whether there were any. */
static bool number_lines(hsc_canvas *c, const hsc_style *st, const hsc_terrain_frame *f, const view *w) {
    char text[32];
    uint64_t lines = (uint64_t)f->rows * f->lines_per_row, step = 1;
    if (!f->lines_per_row || !hsc_terrain_is_flat_on(f->elevation) || fabs(w->sin_a) < 0.9 || !(w->scale > 0))
        return false;
    snprintf(text, sizeof text, "%llu", (unsigned long long)(f->line_first + lines));
    double room = 2.5 * hsc_font_width(st->small, text), each = w->scale * fabs(w->sin_a) / (double)lines;
    for (unsigned k = 0; (double)step * each < room; k++)
        step = k % 3 == 1 ? step / 2 * 5 : step * 2;
    double y = -project(w, 0, 0, 0).y, below = fmin(y + st->small->ascent + 7 * c->scale, c->height - st->small->descent - 1);
    bool any = false;
    for (uint64_t line = (f->line_first + step - 1) / step * step; line < f->line_first + lines; line += step) {
        double row = (double)(line - f->line_first) / f->lines_per_row, x = project(w, 0, row / (f->rows - 1) - 0.5, 0).x;
        int length = snprintf(text, sizeof text, "%llu", (unsigned long long)line);
        double width = length > 0 ? hsc_font_width(st->small, text) : 0;
        if (x - width / 2 < 2 || x + width / 2 > c->width - 2)
            continue;
        hsc_canvas_fill(c, (int)x, (int)y, hsc_canvas_dp(c, 1), hsc_canvas_dp(c, 4), st->colour[HSC_P_muted]);
        hsc_canvas_text(c, st->small, x, below, HSC_CENTRE, st->colour[HSC_P_muted], text);
        any = true;
    }
    return any;
}

/* Names of the two front edges of the base, beside their middles; nothing below `limit`. */
static void name_edges(hsc_canvas *c, const hsc_style *st, const hsc_terrain_frame *f, const view *w, double limit) {
    char text[128];
    bool numbered = number_lines(c, st, f, w);
    double v = w->cos_a >= 0 ? -0.5 : 0.5, u = w->sin_a >= 0 ? -0.5 : 0.5;
    for (int k = 0; k < 2; k++) {
        const char *first = k ? f->row_first : f->column_first, *last = k ? f->row_last : f->column_last;
        if (!first || !last || (k && numbered))
            continue;
        point p = k ? project(w, u, 0, 0) : project(w, 0, v, 0);
        if (fabs(k ? w->sin_a : w->cos_a) < 0.2)
            continue; /* edge on */
        if (strcmp(first, last)) /* of one processor its name */
            snprintf(text, sizeof text, "%s\xe2\x80\x93%s", first, last);
        else
            snprintf(text, sizeof text, "%s", first);
        bool right = p.x >= c->width / 2.0;
        double width = hsc_font_width(st->small, text), edge = 6 * c->scale;
        double x = right ? p.x + 4 * c->scale : p.x - 4 * c->scale - width;
        x = right ? (x + width > c->width - edge ? c->width - edge - width : x) : (x < edge ? edge : x);
        /* below the edge where the text is next to it */
        point e0 = k ? project(w, u, -0.5, 0) : project(w, -0.5, v, 0), e1 = k ? project(w, u, 0.5, 0) : project(w, 0.5, v, 0);
        double near = right ? x : x + width, y, h;
        if (!crosses(e0, e1, near, &y, &h))
            y = fabs(near - e0.x) < fabs(near - e1.x) ? e0.y : e1.y;
        y = -y + st->small->ascent + 5 * c->scale;
        hsc_canvas_text(c, st->small, x, y > limit ? limit : y, HSC_LEFT, st->colour[HSC_P_muted], text);
    }
}

/* Whether the picture shows the peak's own cell where the peak is. */
static bool seen(const raster *r, const hsc_terrain_frame *f, const hsc_terrain_peak *p) {
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int x = (int)p->x + dx, y = (int)p->y + dy;
            if (x < 0 || y < 0 || x >= r->width || y >= r->height)
                continue;
            uint32_t id = r->pick[(size_t)y * (size_t)r->width + (size_t)x];
            if (id && llabs((long long)((id - 1) / f->columns) - (long long)p->row) <= 1 &&
                llabs((long long)((id - 1) % f->columns) - (long long)p->column) <= 1)
                return true;
        }
    return false;
}

/* Seen through what stands before it: a part of a profile, between the plane of no change and what falls below it. */
static void show_through(raster *r, const point p[4], const hsc_rgb *steps, uint32_t id) {
    double lo = fmin(p[0].x, p[1].x), hi = fmax(p[0].x, p[1].x);
    int x0 = (int)floor(lo), x1 = (int)floor(hi);
    for (int x = x0 < 0 ? 0 : x0; x <= x1 && x < r->width; x++) {
        double t = hi - lo < 1 ? 0.5 : fmin(fmax((x + 0.5 - p[0].x) / (p[1].x - p[0].x), 0), 1);
        double top = p[0].y + t * (p[1].y - p[0].y), bottom = p[3].y + t * (p[2].y - p[3].y), depth = 0.5 - p[3].h - t * (p[2].h - p[3].h);
        for (int k = (int)floor(bottom); k <= (int)floor(top); k++) {
            if (k > -1 || k < -r->height)
                continue;
            double part = top - bottom > 1e-9 ? fmin(fmax((top - k) / (top - bottom), 0), 1) : 1;
            size_t i = (size_t)(-1 - k) * (size_t)r->width + (size_t)x;
            r->pixels[i] = dim(r->pixels[i], 0.25) + dim(steps[(int)((0.5 - part * depth) * (HSC_COLOUR_STEPS - 1))], 0.75);
            r->pick[i] = id;
        }
    }
}

/* Of changes: what falls where the picture doesn't show it, a narrow valley behind the plane's edge. From the farthest to the nearest. */
static void show_hidden_falls(raster *r, const view *w, const hsc_terrain_frame *f) {
    bool rows_up = w->cos_a >= 0, columns_up = w->sin_a >= 0;
    for (uint32_t j = f->rows; j-- > 0;)
        for (uint32_t i = f->columns - 1; i-- > 0;) {
            uint32_t row = rows_up ? j : f->rows - 1 - j, column = columns_up ? i : f->columns - 2 - i;
            double h0 = fmin(height_of(f, row, column), 0.5), h1 = fmin(height_of(f, row, column + 1), 0.5);
            uint32_t lowest = h1 < h0 ? column + 1 : column;
            double u0 = at(column, f->columns), u1 = at(column + 1, f->columns), v = at(row, f->rows);
            point p[4] = {project(w, u0, v, 0.5), project(w, u1, v, 0.5), project(w, u1, v, h1), project(w, u0, v, h0)};
            hsc_terrain_peak fall = {.row = row, .column = lowest, .x = (p[2].x + p[3].x) / 2, .y = -(p[2].y + p[3].y) / 2};
            if ((h0 < 0.5 || h1 < 0.5) && !seen(r, f, &fall))
                show_through(r, p, f->scale->steps, 1 + row * f->columns + lowest);
        }
}

/* Whether nothing stands above the peak: flat-on its cell is no more than an edge. */
static bool stands_out(const raster *r, const hsc_terrain_peak *p) {
    int x = (int)p->x;
    return x >= 0 && x < r->width && r->horizon[x] <= -p->y + 2;
}

/* ---- flat-on: a scale of heights ---- */

bool hsc_terrain_is_flat_on(double elevation) { return elevation < 0.5; }

/* Flat-on peaks of one line stand behind each other: whether peak i is where a higher one has its name. */
static bool behind_another(const hsc_terrain_frame *f, uint32_t i, double least) {
    for (uint32_t k = 0; k < i; k++)
        if (!f->peaks[k].hidden && fabs(f->peaks[k].x - f->peaks[i].x) < least)
            return true;
    return false;
}

#define TICKS_MAX 16

typedef struct height_scale {
    int n;
    double value[TICKS_MAX];
    char text[TICKS_MAX][HSC_NUMBER_MAX];
    double width; /* of the widest text; 0: no scale */
} height_scale;

/* 0 and the maximum (of changes both ends) first: they have the first claim on the room. */
static void find_scale(const hsc_canvas *c, const hsc_style *st, const hsc_terrain_frame *f, height_scale *out) {
    const hsc_colour_scale *s = f->scale;
    double most = (double)s->maximum, ticks[TICKS_MAX - 3];
    *out = (height_scale){0};
    if (f->elevation >= 2 || !st->small || !(most > 0)) /* seen from above a height is at no place */
        return;
    out->value[out->n++] = 0;
    out->value[out->n++] = most;
    if (s->diverging)
        out->value[out->n++] = -most;
    int k = s->diverging ? 0 : hsc_number_ticks(s->scaling == HSC_SCALING_LOG, most, 5, ticks, TICKS_MAX - 3);
    while (k-- > 1)
        out->value[out->n++] = ticks[k];
    for (int i = 0; i < out->n; i++) {
        if (s->diverging)
            hsc_number_change(out->value[i], 5, s->ratio, out->text[i]);
        else
            hsc_number_amount(out->value[i], s->unit, out->text[i]);
        double width = hsc_font_width(st->small, out->text[i]);
        out->width = width > out->width ? width : out->width;
    }
    if (out->width > c->width / 4.0) /* the surface has the first claim */
        *out = (height_scale){0};
}

/* Lines behind the surface, their values at its left, and the line of 0 over it. */
static void draw_scale(hsc_canvas *c, const hsc_style *st, const hsc_terrain_frame *f, const view *w, const uint32_t *pick, const height_scale *s) {
    double low = 1e30, high = -1e30, line = st->small ? st->small->ascent + st->small->descent : 0, taken[TICKS_MAX];
    int shown = 0, one = hsc_canvas_dp(c, 1);
    for (int k = 0; k < 4; k++) {
        point p = project(w, k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, 0);
        low = fmin(low, p.x);
        high = fmax(high, p.x);
    }
    int from = low < 0 ? 0 : (int)low, to = high > c->width ? c->width : (int)ceil(high);
    for (int i = 0; i < s->n; i++) {
        double y = -project(w, 0, 0, hsc_colour_scale_position(f->scale, s->value[i])).y;
        int at = (int)y;
        bool room = at >= 0 && at < c->height;
        for (int j = 0; j < shown; j++)
            room = room && fabs(taken[j] - y) >= line;
        if (!room)
            continue;
        taken[shown++] = y;
        hsc_canvas_text(c, st->small, fmax(low - 4 * c->scale, s->width + 2 * c->scale), hsc_font_baseline(st->small, y - line / 2, line), HSC_RIGHT, st->colour[HSC_P_muted], s->text[i]);
        if (!i) /* after the others: what is drawn last is seen */
            continue;
        for (int x = from; x < to; x++)
            if (!pick || !pick[(size_t)at * (size_t)c->width + (size_t)x])
                hsc_canvas_fill(c, x, at, 1, one, st->colour[HSC_P_faint]);
    }
    int base = (int)-project(w, 0, 0, hsc_colour_scale_position(f->scale, 0)).y;
    hsc_canvas_fill(c, from, base, to - from, one, st->colour[HSC_P_muted]);
}

#define LEGEND_FROM 170 /* pixels of height that the picture has at least */

static bool has_no_code(const hsc_terrain_frame *f) {
    for (size_t i = 0; i < (size_t)f->rows * f->columns; i++)
        if (isnan(f->values[i]))
            return true;
    return false;
}

hsc_status hsc_paint_terrain(hsc_canvas *c, const hsc_style *st, hsc_terrain_frame *f, hsc_err *err) {
    double line = st->small ? st->small->ascent + st->small->descent : 0;
    double top = f->n_peaks ? line + 18 * c->scale : 6 * c->scale, bottom = f->row_first ? line + 8 * c->scale : 6 * c->scale;
    view w;
    height_scale scale;
    find_scale(c, st, f, &scale);
    int legend = f->legend && st->small && !scale.n && f->scale->maximum > 0 && c->height >= LEGEND_FROM * c->scale ? hsc_legend_height(c, st) + hsc_canvas_dp(c, 6) : 0;
    bottom += legend;
    set_view(&w, c, f, top, bottom, scale.width > 0 ? scale.width + 4 * c->scale : 0);
    raster r = {.pick = f->pick, .width = c->width, .height = c->height};
    r.pixels = malloc((size_t)c->width * (size_t)c->height * sizeof *r.pixels);
    r.horizon = malloc((size_t)c->width * sizeof *r.horizon);
    uint32_t *own_pick = NULL;
    if (!r.pixels || !r.horizon) {
        free(r.pixels);
        free(r.horizon);
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for a surface of %d x %d pixels", c->width, c->height);
    }
    for (size_t i = 0; i < (size_t)c->width * (size_t)c->height; i++)
        r.pixels[i] = st->colour[HSC_P_background];
    if (!r.pick)
        r.pick = own_pick = malloc((size_t)c->width * (size_t)c->height * sizeof *r.pick);
    if (r.pick)
        memset(r.pick, 0, (size_t)c->width * (size_t)c->height * sizeof *f->pick);
    for (int x = 0; x < c->width; x++)
        r.horizon[x] = -c->height - 1;
    wall(&r, &w, f, st, true, w.cos_a >= 0 ? 0 : f->rows - 1);
    wall(&r, &w, f, st, false, w.sin_a >= 0 ? 0 : f->columns - 1);
    surface(&r, &w, f, st);
    if (f->scale->diverging && r.pick)
        show_hidden_falls(&r, &w, f);
    hsc_canvas_block(c, 0, 0, c->width, c->height, r.pixels, c->width);
    if (scale.n)
        draw_scale(c, st, f, &w, r.pick, &scale);
    for (uint32_t i = 0; i < f->n_peaks; i++) {
        hsc_terrain_peak *p = &f->peaks[i];
        point at_peak = project(&w, at(p->column, f->columns), at(p->row, f->rows), height_of(f, p->row, p->column));
        p->x = at_peak.x;
        p->y = -at_peak.y;
        p->hidden = (r.pick && !seen(&r, f, p) && !stands_out(&r, p)) ||
                    (hsc_terrain_is_flat_on(f->elevation) && behind_another(f, i, 10 * c->scale));
    }
    if (st->small) {
        name_edges(c, st, f, &w, c->height - legend - st->small->descent - 1);
        name_peaks(c, st, f, top);
    }
    if (legend) {
        int side = hsc_canvas_dp(c, 12), most = hsc_canvas_dp(c, 340), room = c->width - 2 * side;
        hsc_paint_legend(c, st, side, c->height - legend, room < most ? room : most, f->scale, has_no_code(f));
    }
    free(own_pick);
    free(r.pixels);
    free(r.horizon);
    return HSC_OK;
}
