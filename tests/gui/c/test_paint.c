/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unit tests of the pictures: numbers, bins, strips, cells, terrain. No display, no database. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "axis.h"
#include "number.h"
#include "paint.h"
#include "paint_assembly.h"
#include "paint_timeline.h"
#include "terrain.h"

/* ---- numbers ---- */

#define MINUS "\xe2\x88\x92" /* a minus sign, as all of the viewer has it, and no hyphen */

static void short_numbers(void **state) {
    (void)state;
    const struct {
        double v;
        int width;
        const char *text;
    } cases[] = {{0, 4, "0"},           {7, 4, "7"},          {9999, 4, "9999"},    {9999.4, 4, "9999"},
                 {10000, 4, "10k"},     {12345, 4, "12k"},    {12345, 5, "12.3k"},  {99999, 4, "100k"},
                 {123456, 5, "123k"},   {999499, 4, "999k"},  {999500, 4, "1M"},    {1234567, 4, "1.2M"},
                 {12e6, 4, "12M"},      {3.4e9, 4, "3.4G"},   {0.5, 4, "0.5"},      {2.25, 4, "2.2"},
                 {NAN, 4, ""},          {-5, 4, MINUS "5"},   {1e18, 4, "1E"},      {-12345, 6, MINUS "12.3k"},
                 {-0.5, 4, MINUS "0.5"}, {-0.01, 4, "0"},     {-INFINITY, 4, MINUS "inf"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[HSC_NUMBER_MAX];
        size_t n = hsc_number_short(cases[i].v, cases[i].width, out);
        assert_string_equal(out, cases[i].text);
        assert_int_equal(n, strlen(out));
    }
    for (double v = 1; v < 9e20; v *= 1.7) {
        char out[HSC_NUMBER_MAX];
        assert_true(hsc_number_short(v, 4, out) <= 5);
    }
}

static void short_names(void **state) {
    (void)state;
    const char *cases[][2] = {
        {"main", "main"},
        {"solve_", "solve_"},
        {"sim::pack::Kernel<double, sim::Layout<3> >::x_pack(sim::View<double, 3>&, unsigned long) const",
         "sim::pack::Kernel<\xe2\x80\xa6>::x_pack"},
        {"void fill<int>(int*, int)", "fill<int>"},
        {"void fill<unsigned long>(int)", "fill<\xe2\x80\xa6>"},
        {"unsigned long const& std::max<unsigned long>(unsigned long const&, unsigned long const&)", "std::max<\xe2\x80\xa6>"},
        {"bool ops::Less<double*>::operator()<int*>(int*, int*) const", "ops::Less<\xe2\x80\xa6>::operator()<\xe2\x80\xa6>"},
        {"ops::View<int>::operator bool() const", "ops::View<int>::operator bool"},
        {"void (anonymous namespace)::g<int>(int)", "(anonymous namespace)::g<int>"},
        {"main program", "main program"},
        {"operator<<(std::ostream&, X)", "operator<<"},
        {"A::operator()(int)", "A::operator()"},
        {"(anonymous namespace)::f(int)", "(anonymous namespace)::f"},
        {"f(int)::{lambda(int)#1}::operator()(int) const", "f::{lambda#1}::operator()"},
        {"f(", "f"},
        {"<", "<"},
        {"", ""}};
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsc_name_short(cases[i][0], out, sizeof out);
        if (strncmp(cases[i][0], "f(int)::{", 9)) /* what stands inside braces may be cut anywhere after the function's name */
            assert_string_equal(out, cases[i][1]);
        else
            assert_int_equal(strncmp(out, "f::", 3), 0);
    }
    for (size_t n = 8; n < 40; n++) { /* never beyond the buffer */
        memset(out, 'x', sizeof out);
        hsc_name_short("a<b>c<d>::e<f<g>>::operator<<::operator()", out, n);
        assert_true(strlen(out) < n);
        assert_int_equal(out[n], 'x');
    }
}

static void ticks(void **state) {
    (void)state;
    double t[16];
    int n = hsc_number_ticks(1, 4096, 5, t, 16);
    assert_int_equal(n, 4);
    assert_true(t[0] == 0 && t[1] == 10 && t[2] == 100 && t[3] == 1000);
    n = hsc_number_ticks(0, 97, 5, t, 16);
    assert_int_equal(n, 5);
    assert_true(t[1] == 20 && t[4] == 80);
    assert_int_equal(hsc_number_ticks(1, 0, 5, t, 16), 1);
    assert_true(hsc_number_ticks(1, 1e18, 5, t, 16) <= 8);
    assert_true(hsc_number_step(97, 5) == 20 && hsc_number_step(0.003, 3) == 0.001);
}

/* ---- processors ---- */

static void groups(void **state) {
    (void)state;
    assert_int_equal(hsc_axis_group(16, 20), 1);
    assert_int_equal(hsc_axis_group(4096, 20), 256); /* divides, instead of 205 */
    assert_int_equal(hsc_axis_group(10007, 20), 504); /* a prime: whole tiles */
    assert_int_equal(hsc_axis_group(10000, 110), 96); /* whole tiles, instead of 100, which divides */
    assert_int_equal(hsc_axis_group(60, 9), 10); /* few divide */
    assert_int_equal(hsc_axis_group(5, 0), 5);
    assert_int_equal(hsc_axis_group(0, 4), 1);
}

static void axis_lists(void **state) {
    (void)state;
    hsc_axis a;
    hsc_err err = {0};
    assert_int_equal(hsc_axis_init(&a, 10, "8 0-3 7-5", NULL, 100, &err), HSC_OK);
    const uint32_t order[] = {8, 0, 1, 2, 3, 7, 6, 5};
    assert_int_equal(a.shown, 8);
    assert_memory_equal(a.order, order, sizeof order);
    assert_int_equal(a.bin_of[8], 0);
    assert_int_equal(a.bin_of[5], 7);
    assert_int_equal(a.bin_of[9], UINT32_MAX);
    hsc_axis_fini(&a);
    const double load[] = {1, 5, 5, 9, 0};
    assert_int_equal(hsc_axis_init(&a, 5, "", load, 3, &err), HSC_OK);
    const uint32_t sorted[] = {3, 1, 2, 0, 4};
    assert_memory_equal(a.order, sorted, sizeof sorted);
    assert_int_equal(a.bins, 3);
    assert_int_equal(a.start[3], 5);
    assert_int_equal(a.bin_of[4], 2);
    hsc_axis_fini(&a);
    const char *wrong[] = {"3-", "x", "10", "0-3 2", "-1", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hsc_axis untouched = {.columns = 77};
        err.status = HSC_OK;
        assert_int_equal(hsc_axis_init(&untouched, 10, wrong[i], NULL, 4, &err), HSC_E_ARGUMENT);
        assert_int_equal(untouched.columns, 77);
        assert_true(strlen(err.text) > 10);
    }
    assert_int_equal(hsc_axis_init(&a, 0, NULL, NULL, 4, &err), HSC_OK);
    assert_int_equal(a.bins, 0);
    hsc_axis_fini(&a);
}

static void bins_cover_all(void **state) {
    (void)state;
    for (uint32_t n = 1; n < 700; n += 13)
        for (uint32_t most = 1; most < 60; most += 7) {
            hsc_axis a;
            assert_int_equal(hsc_axis_init(&a, n, NULL, NULL, most, NULL), HSC_OK);
            assert_true(a.bins >= 1 && a.bins <= most && a.start[0] == 0 && a.start[a.bins] == n);
            for (uint32_t b = 0; b < a.bins; b++) {
                assert_true(a.start[b] < a.start[b + 1]);
                for (uint32_t i = a.start[b]; i < a.start[b + 1]; i++)
                    assert_int_equal(a.bin_of[a.order[i]], b);
            }
            hsc_axis_fini(&a);
        }
}

/* ---- strips ---- */

/* Strips of rows with that file and line. */
static void make_strips(hsc_strips *s, uint32_t rows, uint32_t skip, void (*get)(uint32_t row, uint32_t *file, uint32_t *line),
                        const unsigned char *empty) {
    uint32_t *file = malloc((rows + 1) * sizeof *file), *line = malloc((rows + 1) * sizeof *line);
    hsc_places *places;
    for (uint32_t i = 0; i < rows; i++)
        get(i, &file[i], &line[i]);
    assert_int_equal(hsc_places_make(rows, skip, file, line, empty, &places, NULL), HSC_OK);
    memset(s, 0, sizeof *s);
    hsc_strips_init(s, places);
    hsc_places_release(places);
    free(file);
    free(line);
}

static void get_row(uint32_t row, uint32_t *file, uint32_t *line) {
    static const uint32_t rows[][2] = {{0, 10}, {0, 11}, {0, 14}, {0, 15}, {0, 100}, {1, 3}, {1, 4}};
    *file = rows[row][0];
    *line = rows[row][1];
}

static void gaps_are_skipped(void **state) {
    (void)state;
    hsc_strips s;
    make_strips(&s, 7, 4, get_row, NULL);
    /* 10 11 _ _ 14 15 _ 100 _ 3 4: a run of 2 stays, one of 84 is cut to one line, files are apart by one */
    const uint32_t at[] = {0, 1, 4, 5, 7, 9, 10};
    assert_memory_equal(s.places->position, at, sizeof at);
    assert_int_equal(s.lines, 11);
    hsc_strips_fini(&s);
    make_strips(&s, 7, 0, get_row, NULL);
    assert_int_equal(s.lines, 7);
    hsc_strips_fini(&s);
    make_strips(&s, 0, 4, get_row, NULL);
    hsc_strips_layout(&s, 4, 100, 6, true);
    assert_int_equal(s.bins, 0);
    assert_int_equal(s.strips, 0);
    hsc_strips_fini(&s);
}

static void dense_row(uint32_t row, uint32_t *file, uint32_t *line) {
    *file = row / 1000;
    *line = 2 * (row % 1000) + 1; /* every second line is empty */
}

static void next_row(uint32_t row, uint32_t *file, uint32_t *line) {
    *file = 0;
    *line = row + 1;
}

static void empty_runs_are_skipped(void **state) {
    (void)state;
    hsc_strips s;
    unsigned char empty[100] = {0};
    for (int i = 10; i < 20; i++)
        empty[i] = 1; /* ten: left out but for one */
    for (int i = 40; i < 44; i++)
        empty[i] = 1; /* four: stay */
    for (int i = 95; i < 100; i++)
        empty[i] = 1; /* to the end */
    make_strips(&s, 100, 4, next_row, empty);
    assert_int_equal(s.lines, 100 - 9 - 4);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t want = i < 10 ? i : i < 20 ? 10 : i < 95 ? i - 9 : 86;
        assert_int_equal(s.places->position[i], want);
    }
    hsc_strips_layout(&s, 1, 1000, 1, true);
    uint32_t lo[200], hi[200], seen = 0;
    hsc_strips_fill_bins(&s, lo, hi);
    for (uint32_t b = 0; b < s.bins; b++) { /* no row is lost */
        assert_int_equal(lo[b], seen);
        seen = hi[b];
    }
    assert_int_equal(seen, 100);
    hsc_strips_fini(&s);
    memset(empty, 1, sizeof empty); /* nothing at all: one line */
    make_strips(&s, 100, 4, next_row, empty);
    assert_int_equal(s.lines, 1);
    hsc_strips_fini(&s);
    make_strips(&s, 100, 0, next_row, empty); /* 0: all rows */
    assert_int_equal(s.lines, 100);
    hsc_strips_fini(&s);
}

static void strips_hold_every_row(void **state) {
    (void)state;
    for (uint32_t rows = 1; rows < 40000; rows = rows * 3 + 1)
        for (uint32_t strips = 1; strips < 9; strips += 3)
            for (uint32_t height = 1; height < 900; height = height * 4 + 1) {
                hsc_strips s;
                make_strips(&s, rows, 4, dense_row, NULL);
                bool even = (rows + height) & 1;
                hsc_strips_layout(&s, strips, height, 6, even);
                assert_true(s.strips >= 1 && s.strips <= strips && s.bins_per_strip <= s.pixels && s.pixels <= height);
                assert_true((uint64_t)s.strips * s.bins_per_strip >= s.bins && s.pixels <= 6 * s.bins_per_strip);
                assert_true(s.pixels == height || s.pixels == 6 * s.bins_per_strip); /* no pixel row is left but of highest bins */
                for (uint32_t y = 0; y < s.pixels; y++) { /* every pixel has its bin, every bin a pixel */
                    uint32_t b = hsc_strips_at(&s, y);
                    assert_true(b < s.bins_per_strip && hsc_strips_y(&s, b) <= y && y < hsc_strips_y(&s, b + 1));
                }
                assert_int_equal(hsc_strips_y(&s, s.bins_per_strip), s.pixels);
                assert_true((uint64_t)s.bins * s.lines_per_bin >= s.lines);
                if (!even && s.lines > strips * height)
                    assert_int_equal(s.bins, strips * height); /* no pixel row is left */
                const uint32_t blocks[] = {1, 4, 256};
                hsc_strips_align(&s, blocks[(rows / 2 + height) % 3]);
                uint32_t *lo = malloc(s.bins * sizeof *lo), *hi = malloc(s.bins * sizeof *hi), next = 0;
                hsc_strips_fill_bins(&s, lo, hi);
                for (uint32_t b = 0; b < s.bins; b++) {
                    assert_int_equal(lo[b], next); /* none lost, none twice */
                    next = hi[b];
                    assert_true(next % s.block == 0 || next == rows);
                    for (uint32_t r = lo[b]; r < hi[b]; r += 97)
                        assert_int_equal(hsc_strips_bin_of(&s, r), b);
                    assert_int_equal(hsc_strips_row_from(&s, hsc_strips_first(&s, b)), lo[b]);
                }
                assert_int_equal(next, rows);
                free(lo);
                free(hi);
                hsc_strips_fini(&s);
            }
}

/* ---- pictures ---- */

typedef struct sheet {
    uint32_t *pixels;
    hsc_canvas c;
    hsc_style st;
    hsc_font fonts[4];
} sheet;

static void sheet_open(sheet *s, int w, int h) {
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

static void sheet_close(sheet *s) {
    for (int i = 0; i < 4; i++)
        hsc_font_fini(&s->fonts[i]);
    hsc_canvas_fini(&s->c);
    free(s->pixels);
}

static hsc_rgb pixel(const sheet *s, int x, int y) { return s->pixels[y * s->c.stride + x] & 0xffffff; }

static void heat_cells(void **state) {
    (void)state;
    sheet s;
    sheet_open(&s, 100, 80);
    /* four rows of 20: code, none, code with zeros, none; five bins */
    const int32_t index[] = {0, -1, 1, -1};
    const float values[] = {1, 10, 100, 1000, 500, 0, 0, 0, 0, 0};
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_VIRIDIS, HSC_SCALING_LOG, 1000);
    hsc_heat_frame f = {.rows = {.height = 20, .top = 7, .count = 4}, .bins = 5, .index = index, .values = values,
                        .scale = &scale, .cursor = -1, .mark_first = -1, .mark_last = -1};
    hsc_paint_heat(&s.c, &s.st, &f);
    for (int b = 0; b < 5; b++) {
        assert_int_equal(pixel(&s, 20 * b + 10, 10), hsc_colour_scale_get(&scale, values[b]));
        assert_int_equal(pixel(&s, 20 * b + 10, 30), 0); /* no code */
        assert_int_equal(pixel(&s, 20 * b + 10, 50), scale.steps[0]); /* executable, zero: lowest colour, not black */
        assert_int_equal(pixel(&s, 20 * b + 10, 70), 0);
    }
    assert_int_equal(pixel(&s, 19, 0), pixel(&s, 0, 0)); /* no grid */
    uint64_t plain = hsc_canvas_hash(&s.c);
    f.grid = true;
    hsc_paint_heat(&s.c, &s.st, &f);
    assert_int_equal(pixel(&s, 19, 0), 0);
    f.grid = false;
    hsc_paint_heat(&s.c, &s.st, &f);
    assert_true(hsc_canvas_hash(&s.c) == plain); /* the same picture for the same frame */
    const float rows_max[] = {1000, 0};
    f.row_maximum = rows_max;
    f.colours = HSC_COLOURS_VIRIDIS;
    hsc_paint_heat(&s.c, &s.st, &f);
    assert_int_equal(pixel(&s, 70, 10), hsc_colour_at(HSC_COLOURS_VIRIDIS, 1));
    f.row_maximum = NULL;
    f.cursor = 2; /* on a row without selection: nothing */
    hsc_paint_heat(&s.c, &s.st, &f);
    assert_true(hsc_canvas_hash(&s.c) == plain);
    f.rows.selected = 9;
    hsc_paint_heat(&s.c, &s.st, &f);
    assert_int_equal(pixel(&s, 45, 39), s.st.colour[HSC_P_mark]); /* mark between two dark lines */
    assert_int_equal(pixel(&s, 45, 38), s.st.colour[HSC_P_casing]);
    assert_int_equal(pixel(&s, 45, 40), s.st.colour[HSC_P_casing]);
    assert_int_equal(pixel(&s, 39, 50), s.st.colour[HSC_P_mark]);
    assert_int_equal(pixel(&s, 38, 50), s.st.colour[HSC_P_casing]);
    f.cursor = 0; /* at the edge: still whole */
    f.rows.selected = 7;
    hsc_paint_heat(&s.c, &s.st, &f);
    assert_int_equal(pixel(&s, 1, 10), s.st.colour[HSC_P_mark]);
    assert_int_equal(pixel(&s, 10, 1), s.st.colour[HSC_P_mark]);
    assert_int_equal(pixel(&s, 0, 10), s.st.colour[HSC_P_casing]);
    sheet_close(&s);
}

static void heat_numbers_are_drawn_when_they_fit(void **state) {
    (void)state;
    sheet s;
    sheet_open(&s, 200, 40);
    const int32_t index[] = {0, 0};
    float values[50];
    for (int i = 0; i < 50; i++)
        values[i] = 8888;
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, 8888);
    hsc_heat_frame f = {.rows = {.height = 20, .top = 1, .count = 2}, .index = index, .values = values, .scale = &scale,
                        .cursor = -1, .mark_first = -1, .mark_last = -1};
    for (int wide = 0; wide < 2; wide++) {
        f.bins = wide ? 4 : 50;
        f.numbers = false;
        hsc_paint_heat(&s.c, &s.st, &f);
        uint64_t without = hsc_canvas_hash(&s.c);
        f.numbers = true;
        hsc_paint_heat(&s.c, &s.st, &f);
        assert_true((hsc_canvas_hash(&s.c) != without) == (wide == 1));
    }
    sheet_close(&s);
}

/* Cells of a matrix have all their numbers or none: "626 kB" beside a cell that has no room for "75.2 kB" would look as if that had nothing. */
static void matrix_numbers_are_all_there(void **state) {
    (void)state;
    sheet s;
    sheet_open(&s, 10, 10);
    const double values[] = {NAN, 626e3, 75.2e3, NAN};
    hsc_matrix_frame f = {.bins = 2, .values = values, .unit = HSC_UNIT_BYTES};
    double narrow = hsc_font_width(s.st.small, "626 kB"), wide = hsc_font_width(s.st.small, "75.2 kB");
    assert_true(narrow < wide);
    assert_int_equal(hsc_matrix_form(&s.st, &f, wide), 0);
    assert_int_equal(hsc_matrix_form(&s.st, &f, narrow), 1);
    assert_int_equal(hsc_matrix_form(&s.st, &f, hsc_font_width(s.st.small, "626k")), 1);
    assert_int_equal(hsc_matrix_form(&s.st, &f, hsc_font_width(s.st.small, "75k")), -1);
    f.unit = HSC_UNIT_SECONDS; /* "0.1" would be all there is of 75 ms */
    assert_int_equal(hsc_matrix_form(&s.st, &f, hsc_font_width(s.st.small, "626k")), -1);
    sheet_close(&s);
}

/* A number that fills its cell from edge to edge is printed all the same: a coloured cell without one, among others, would look forgotten. */
static void numbers_fill_their_cell(void **state) {
    (void)state;
    static const int32_t index[] = {0};
    static const float values[] = {-304};
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, 304);
    scale.diverging = true;
    sheet s;
    sheet_open(&s, 100, 20);
    int width = (int)ceil(hsc_font_ascii_width(s.st.mono_small, "-304"));
    sheet_close(&s);
    hsc_heat_frame f = {.rows = {.height = 20, .top = 1, .count = 1}, .bins = 1, .index = index, .values = values, .scale = &scale,
                        .cursor = -1, .mark_first = -1, .mark_last = -1};
    for (int less = 0; less < 8; less += 6) {
        sheet_open(&s, width - less, 20);
        f.numbers = false;
        hsc_paint_heat(&s.c, &s.st, &f);
        uint64_t without = hsc_canvas_hash(&s.c);
        f.numbers = true;
        hsc_paint_heat(&s.c, &s.st, &f);
        assert_true((hsc_canvas_hash(&s.c) != without) == !less);
        sheet_close(&s);
    }
}

static void rows_geometry(void **state) {
    (void)state;
    hsc_rows r = {.header = 30, .offset = 2, .height = 18, .top = 100, .count = 10};
    assert_int_equal(hsc_rows_y(&r, 0), 32);
    assert_int_equal(hsc_rows_at(&r, 29), -1);
    assert_int_equal(hsc_rows_at(&r, 31), -1);
    assert_int_equal(hsc_rows_at(&r, 32), 0);
    assert_int_equal(hsc_rows_at(&r, 32 + 18 * 3), 3);
    assert_int_equal(hsc_rows_fit(&r, 32 + 18 * 3 + 1), 4);
    assert_int_equal(hsc_rows_fit(&r, 10), 0);
    r.offset = -5; /* half a row scrolled off */
    assert_int_equal(hsc_rows_at(&r, 30), 0);
}

/* Sentences are broken between words; what has no room in the last line ends with a sign. */
static void sentences_are_wrapped(void **state) {
    (void)state;
    static const char text[] = "no array is referred to in the program's loops";
    sheet s;
    sheet_open(&s, 600, 100);
    double whole = hsc_font_width(s.st.font, text);
    assert_int_equal(hsc_canvas_text_wrapped(&s.c, s.st.font, 0, 20, whole + 1, 16, 4, 0, text), 1);
    assert_int_equal(hsc_canvas_text_wrapped(&s.c, s.st.font, 0, 20, whole * 0.7, 16, 4, 0, text), 2);
    assert_int_equal(hsc_canvas_text_wrapped(&s.c, s.st.font, 0, 20, whole * 0.3, 16, 3, 0, text), 3);
    assert_int_equal(hsc_canvas_text_wrapped(&s.c, s.st.font, 0, 20, 1, 16, 1, 0, text), 1);
    assert_int_equal(hsc_canvas_text_wrapped(&s.c, s.st.font, 0, 20, 100, 16, 4, 0, ""), 0);
    sheet_close(&s);
    sheet_open(&s, 600, 100); /* a column's width and no more: nothing stands beside it */
    hsc_canvas_text_wrapped(&s.c, s.st.font, 0, 20, whole * 0.4, 16, 4, 0xffffff, text);
    for (int y = 0; y < 100; y++)
        for (int x = (int)(whole * 0.4) + 2; x < 600; x++)
            assert_int_equal(pixel(&s, x, y), 0);
    sheet_close(&s);
}

/* Bars as thin as they are in a narrow window have their names, at any size of letters. */
static void thin_scope_bars_have_names(void **state) {
    (void)state;
    const double scales[] = {1, 1.5, 2};
    for (int i = 0; i < 3; i++) {
        hsc_scope_bar bars[] = {{.line_begin = 1, .line_end = 9}, {.line_begin = 2, .line_end = 8, .column = 1}};
        hsc_scopes_frame f = {.rows = {.height = (int)(18 * scales[i]), .top = 1, .count = 10}, .bar_width = (int)(10 * scales[i]), .n = 2, .bars = bars};
        uint64_t hash[3];
        for (int names = 0; names < 3; names++) {
            sheet s;
            hsc_font small;
            sheet_open(&s, 100, 400);
            assert_int_equal(hsc_font_init(&small, "DejaVu Sans", false, false, 10 * scales[i], NULL), HSC_OK);
            s.st.small = &small;
            s.c.scale = scales[i];
            bars[0].name = names > 0 ? "outer" : "";
            bars[1].name = names > 1 ? "inner" : "";
            hsc_paint_scopes(&s.c, &s.st, &f);
            hash[names] = hsc_canvas_hash(&s.c);
            hsc_font_fini(&small);
            sheet_close(&s);
        }
        assert_true(hash[0] != hash[1] && hash[1] != hash[2]);
        /* and take no more room than those of 8 that had none */
        assert_true(f.bar_width + hsc_scopes_gap(scales[i], f.bar_width) <= (int)(8 * scales[i]) + (int)lround(3 * scales[i]));
    }
}

static void category_bar_adds_up(void **state) {
    (void)state;
    sheet s;
    sheet_open(&s, 101, 4);
    const double values[] = {50, 0, 25, 25};
    hsc_paint_category_bar(&s.c, &s.st, 0, 0, 101, 4, 4, values);
    int count[3] = {0, 0, 0};
    for (int x = 0; x < 101; x++) {
        hsc_rgb p = pixel(&s, x, 1);
        count[0] += p == hsc_style_category(&s.st, 0);
        count[1] += p == hsc_style_category(&s.st, 2);
        count[2] += p == hsc_style_category(&s.st, 3);
    }
    assert_int_equal(count[0] + count[1] + count[2], 101);
    assert_true(abs(count[0] - 50) <= 1 && abs(count[1] - 25) <= 1);
    sheet_close(&s);
}

static void hostile_text(void **state) {
    (void)state;
    char out[64];
    assert_string_equal(hsc_text_clean("a\xff" "b\tc\x01\xc3\xa9\xed\xa0\x80", out, sizeof out), "a?b c?\xc3\xa9???");
    assert_string_equal(hsc_text_clean("\xc3\xa9\xc3\xa9", out, 4), "\xc3\xa9"); /* never half a letter */
    sheet s;
    sheet_open(&s, 60, 20);
    hsc_canvas_text(&s.c, s.st.font, 0, 15, HSC_LEFT, 0, "\xff\xfe\x80 \xf4\x90\x80\x80");
    hsc_canvas_text_down(&s.c, s.st.font, 10, 0, 20, 0, "\xc0\xaf");
    assert_int_equal(cairo_status(s.c.cr), CAIRO_STATUS_SUCCESS);
    char lots[4000];
    memset(lots, 'w', sizeof lots - 1);
    lots[sizeof lots - 1] = 0;
    double w = hsc_canvas_text_fit(&s.c, s.st.font, 0, 15, 50, HSC_LEFT, 0, lots);
    assert_true(w > 20 && w <= 50);
    sheet_close(&s);
}

static void clip_holds(void **state) {
    (void)state;
    sheet s;
    sheet_open(&s, 20, 20);
    hsc_canvas_clip(&s.c, 5, 5, 10, 10);
    hsc_canvas_fill(&s.c, -50, -50, 500, 500, 0x123456);
    hsc_canvas_unclip(&s.c);
    assert_int_equal(pixel(&s, 4, 10), 0);
    assert_int_equal(pixel(&s, 5, 5), 0x123456);
    assert_int_equal(pixel(&s, 14, 14), 0x123456);
    assert_int_equal(pixel(&s, 15, 10), 0);
    hsc_canvas_fill(&s.c, 0, 0, 1, 1, 0x654321);
    assert_int_equal(pixel(&s, 0, 0), 0x654321);
    sheet_close(&s);
}

/* ---- terrain ---- */

static void terrain_shows_what_is_in_front(void **state) {
    (void)state;
    enum { N = 24 };
    float values[N * N];
    sheet s;
    sheet_open(&s, 240, 200);
    static uint32_t pick[240 * 200];
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, 100);
    /* a high wall in row 3 hides what lies behind it, from whatever side one looks */
    for (int i = 0; i < N * N; i++)
        values[i] = i / N == 3 ? 100.0f : 10.0f;
    hsc_terrain_frame f = {.rows = N, .columns = N, .values = values, .scale = &scale, .elevation = 20, .zoom = 1,
                           .height = 0.6, .pick = pick};
    for (int azimuth = 0; azimuth < 360; azimuth += 10) {
        f.azimuth = azimuth;
        assert_int_equal(hsc_paint_terrain(&s.c, &s.st, &f, NULL), HSC_OK);
        int seen[N] = {0}, total = 0;
        for (int i = 0; i < 240 * 200; i++)
            if (pick[i]) {
                uint32_t row = (pick[i] - 1) / N;
                assert_true(row < N);
                seen[row]++;
                total++;
            }
        assert_true(total > 2000);
        int near = seen[0] + seen[1] + seen[2], behind = seen[5] + seen[6] + seen[7];
        if (azimuth <= 30 || azimuth >= 330) /* row 0 in front: rows just behind the wall cannot be seen */
            assert_true(near > 200 && behind < near / 4);
        if (azimuth >= 150 && azimuth <= 210) /* from the other side they can, and row 1 cannot */
            assert_true(behind > 200 && seen[0] + seen[1] < behind / 4);
    }
    sheet_close(&s);
}

static void terrain_turns_by_half(void **state) {
    (void)state;
    /* a surface that is the same when turned by half a circle looks the same from both sides: tests that the traversal
     * orders of opposite quadrants agree (shading apart: compare what is seen, not its colour) */
    enum { N = 16, W = 160, H = 120 };
    float values[N * N];
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++)
            values[r * N + c] = (float)((r * c + (N - 1 - r) * (N - 1 - c)) % 50);
    sheet s;
    sheet_open(&s, W, H);
    static uint32_t a[W * H], b[W * H];
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, 50);
    hsc_terrain_frame f = {.rows = N, .columns = N, .values = values, .scale = &scale, .elevation = 35, .zoom = 1, .height = 0.4};
    for (int azimuth = 5; azimuth < 180; azimuth += 17) {
        f.azimuth = azimuth;
        f.pick = a;
        hsc_paint_terrain(&s.c, &s.st, &f, NULL);
        f.azimuth = azimuth + 180;
        f.pick = b;
        hsc_paint_terrain(&s.c, &s.st, &f, NULL);
        int differ = 0, covered = 0;
        for (int i = 0; i < W * H; i++) {
            covered += a[i] != 0;
            differ += (a[i] != 0) != (b[i] != 0);
        }
        assert_true(covered > 1500);
        assert_true(differ * 50 < covered); /* outlines agree but for rounding */
    }
    sheet_close(&s);
}

/* Seen from above, the colours are told below it where that has room; nothing of the surface is there. */
static void terrain_has_a_legend(void **state) {
    (void)state;
    enum { N = 5, W = 240 };
    float values[N * N] = {[12] = 100};
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, 100);
    const struct {
        int height;
        double elevation;
        bool legend;
    } cases[] = {{200, 35, true}, {120, 35, false}, {200, 0, false}};
    for (int i = 0; i < 3; i++) {
        static uint32_t pick[W * 200];
        sheet s;
        sheet_open(&s, W, cases[i].height);
        hsc_terrain_frame f = {.rows = N, .columns = N, .values = values, .scale = &scale, .azimuth = 35, .elevation = cases[i].elevation, .zoom = 1, .height = 0.35,
                               .row_first = "line 1", .row_last = "5", .column_first = "r0", .column_last = "r4", .pick = pick, .legend = true};
        assert_int_equal(hsc_paint_terrain(&s.c, &s.st, &f, NULL), HSC_OK);
        int y = cases[i].height - hsc_legend_height(&s.c, &s.st) - 4, colours = 0;
        for (int x = 13; x < W - 13; x++) {
            colours += pixel(&s, x, y) != pixel(&s, x - 1, y);
            assert_true(!cases[i].legend || !pick[y * W + x]);
        }
        assert_int_equal(colours > 100, cases[i].legend);
        sheet_close(&s);
    }
}

/* Along a cliff the edges between processors are no dots: what is darker than all round it is a line. */
static void cliffs_have_no_dots(void **state) {
    (void)state;
    enum { M = 24, N = 4, W = 700, H = 500 };
    static float values[M * N];
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, 100);
    for (int r = 0; r < M; r++)
        for (int c = 0; c < N; c++)
            values[r * N + c] = r == 8 ? (float)(90 + c) : r == 9 ? 60 : 0;
    for (int azimuth = 15; azimuth < 60; azimuth += 5) {
        sheet s;
        sheet_open(&s, W, H);
        hsc_terrain_frame f = {.rows = M, .columns = N, .values = values, .scale = &scale, .azimuth = azimuth, .elevation = 35, .zoom = 1, .height = 0.35};
        assert_int_equal(hsc_paint_terrain(&s.c, &s.st, &f, NULL), HSC_OK);
        for (int x = 2; x + 2 < W; x++)
            for (int y = 2; y + 2 < H; y++) {
                int darker = 0, here = (int)(pixel(&s, x, y) >> 16 & 255);
                for (int k = 0; k < 9; k++)
                    darker += k != 4 && here + 25 < (int)(pixel(&s, x + k % 3 - 1, y + k / 3 - 1) >> 16 & 255);
                if (darker == 8)
                    fail_msg("a dot at %d, %d, azimuth %d", x, y, azimuth);
            }
        sheet_close(&s);
    }
}

static void terrain_flat_on_has_a_scale(void **state) {
    (void)state;
    /* one peak of 100 in the middle of lines without samples; colours of the dark theme */
    enum { N = 9, W = 240, H = 200 };
    float values[N * N] = {0};
    for (int c = 0; c < N; c++)
        values[4 * N + c] = 100;
    sheet s;
    sheet_open(&s, W, H);
    s.st.colour[HSC_P_background] = 0x1b2025;
    s.st.colour[HSC_P_muted] = 0x9aa4b2;
    s.st.colour[HSC_P_faint] = 0x3a424c;
    static uint32_t pick[W * H];
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, 100);
    hsc_terrain_frame f = {.rows = N, .columns = N, .values = values, .scale = &scale, .azimuth = 270, .zoom = 1, .height = 0.35, .pick = pick};
    for (int tilted = 0; tilted < 2; tilted++) {
        f.elevation = tilted ? 35 : 0;
        assert_int_equal(hsc_paint_terrain(&s.c, &s.st, &f, NULL), HSC_OK);
        int base = 0, lines = 0, left = W, written = 0, high[H] = {0};
        for (int y = 0; y < H; y++) {
            int muted = 0, faint = 0;
            for (int x = 0; x < W; x++) {
                muted += pixel(&s, x, y) == 0x9aa4b2;
                faint += pixel(&s, x, y) == 0x3a424c;
                left = pick[y * W + x] && x < left ? x : left;
            }
            if (muted > W / 2)
                base = y;
            if (faint > W / 2)
                high[lines++] = y;
        }
        for (int i = 0; i < W * H; i++)
            written += i % W < left && pixel(&s, i % W, i / W) != 0x1b2025;
        if (tilted) {
            assert_true(!base && !lines && !written);
            continue;
        }
        assert_true(lines >= 3 && base > high[lines - 1] && written > 20);
        for (int i = 2; i < lines; i++) /* steps of the same height */
            assert_true(abs((high[i] - high[i - 1]) - (high[1] - high[0])) <= 1);
        for (uint32_t numbered = 0; numbered < 2; numbered++) { /* lines 1 to 9 below */
            int ticks = 0, at[W];
            f.row_first = "lines 1";
            f.row_last = "9";
            f.line_first = 1;
            f.lines_per_row = numbered;
            assert_int_equal(hsc_paint_terrain(&s.c, &s.st, &f, NULL), HSC_OK);
            for (int y = H - 1, muted = 0; muted <= W / 2; base = y--)
                for (int x = muted = 0; x < W; x++)
                    muted += pixel(&s, x, y) == 0x9aa4b2;
            for (int x = left; x < W; x++)
                if (pixel(&s, x, base + 2) == 0x9aa4b2 && pixel(&s, x, base + 3) == 0x9aa4b2)
                    at[ticks++] = x;
            assert_true(numbered ? ticks == 9 || (ticks > 2 && ticks < 6) : !ticks); /* or each second, or fifth */
            for (int i = 2; i < ticks; i++)
                assert_true(abs((at[i] - at[i - 1]) - (at[1] - at[0])) <= 1);
        }
    }
    sheet_close(&s);
}

static void terrain_of_nothing(void **state) {
    (void)state;
    float values[4] = {NAN, NAN, NAN, NAN};
    sheet s;
    sheet_open(&s, 50, 40);
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, 0);
    hsc_terrain_peak peaks[HSC_TERRAIN_PEAKS_MAX];
    hsc_terrain_frame f = {.rows = 2, .columns = 2, .values = values, .scale = &scale, .zoom = 1};
    for (double e = 0; e <= 90; e += 45) {
        f.elevation = e;
        assert_int_equal(hsc_paint_terrain(&s.c, &s.st, &f, NULL), HSC_OK);
    }
    assert_int_equal(hsc_terrain_find_peaks(2, 2, values, 5, peaks), 0);
    sheet_close(&s);
}

static void peaks_are_highest_first(void **state) {
    (void)state;
    enum { R = 64, C = 8 };
    static float values[R * C];
    values[10 * C + 2] = 50;
    values[11 * C + 2] = 49; /* a shoulder of it, no peak of its own */
    values[40 * C + 6] = 80;
    values[20 * C + 1] = 20;
    hsc_terrain_peak p[HSC_TERRAIN_PEAKS_MAX];
    assert_int_equal(hsc_terrain_find_peaks(R, C, values, 3, p), 3);
    assert_int_equal(p[0].row, 40);
    assert_int_equal(p[1].row, 10);
    assert_int_equal(p[2].row, 20);
    assert_int_equal(p[2].column, 1);
}

/* Pixels of two pictures that differ within x0..x1. */
static int differing(const sheet *a, const sheet *b, int x0, int x1) {
    int n = 0;
    for (int y = 0; y < a->c.height; y++)
        for (int x = x0; x < x1; x++)
            n += pixel(a, x, y) != pixel(b, x, y);
    return n;
}

/* Names in a class or module: their own name stays, the class can be spared; a number in front stays. Of a long name both ends stay, with what follows it
 * where there is room. */
static void names_keep_their_own(void **state) {
    (void)state;
    static const char *const names[][2] = {{"exchange_of_halos::pack", "exchange_of_halos::send"}, {"14. exchange_of_halos::pack", "14. exchange_of_halos::send"},
                                           {"14. exchange_of_halos::pack", "15. exchange_of_halos::pack"}, {"exchange of_halos::pack", "exchange of_halos::send"},
                                           {"exchange_of<std::pack>", "exchange_of<std::send>"},
                                           {"tea_send_recv_message_left", "tea_send_recv_message_right"}, {"tea_send_recv_message_left", "sea_send_recv_message_left"},
                                           {"1. tea_send_recv_message_left do", "1. tea_send_recv_message_lest do"},
                                           {"tea_send_recv_left do of an outer loop", "tea_send_recv_right do of an outer loop"}};
    static const bool apart[] = {true, true, true, false, false, true, true, true, true};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sheet s[2];
        for (int k = 0; k < 2; k++) {
            sheet_open(&s[k], 400, 20);
            hsc_paint_name(&s[k].c, &s[k].st, 4, 14, 110, names[i][k], "", 0xFFFFFF);
        }
        assert_int_equal(differing(&s[0], &s[1], 0, 400) > 0, apart[i]);
        sheet_close(&s[0]);
        sheet_close(&s[1]);
    }
}

static void names_keep_the_line(void **state) {
    (void)state;
    static const char *const places[][2] = {{"lulesh.cc:2062", "lulesh.cc:2103"}, {"libm.so.6", "libz.so.1"}, {"a.cc:7: waited itself", "a.cc:8: waited itself"},
                                             {"a.cc:7 \xE2\x86\x92 :11", "a.cc:7 \xE2\x86\x92 :12"}, {"in Mesh::calcEdgeLength", "in Mesh::calcEdgeWidth"},
                                             {"in Mesh<a::b>", "in Mesh<a::c>"}};
    /* {room, place, whether the places can be told apart}: no room for both; no room at all; room for all; no line in it */
    static const struct {
        double room;
        int place;
        bool apart;
    } list[] = {{200, 0, true}, {70, 0, false}, {380, 0, true}, {200, 1, false}, {380, 1, true}, {200, 2, true}, {200, 3, true}, {340, 4, true}, {290, 5, false}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        sheet s[2];
        for (int k = 0; k < 2; k++) {
            sheet_open(&s[k], 400, 20);
            hsc_paint_name(&s[k].c, &s[k].st, 4, 14, list[i].room, "CalcEnergyForElems omp parallel", places[list[i].place][k], 0);
        }
        assert_int_equal(differing(&s[0], &s[1], 0, 400) > 0, list[i].apart);
        for (int k = 0; k < 2; k++) /* nothing beyond the room */
            for (int x = 4 + (int)list[i].room + 1; x < 400; x++)
                for (int y = 0; y < 20; y++)
                    assert_int_equal(pixel(&s[k], x, y), 0);
        sheet_close(&s[0]);
        sheet_close(&s[1]);
    }
}

/* Marks of time are in the unit of the last one, with the decimals that tell them apart. */
static void marks_of_time(void **state) {
    (void)state;
    static const struct {
        double step, end, i;
        const char *text;
    } marks[] = {{0.5, 3.69, 0, "0 s"}, {0.5, 3.69, 3, "1.5 s"}, {20, 183, 2, "40 s"}, {1e-4, 120.5, 1205001, "120.5001 s"},
                 {0.05, 0.4, 3, "150 ms"}, {1e-4, 0.0007, 2, "200 \xC2\xB5s"}, {2e-4, 0.002, 3, "0.6 ms"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char text[40];
        hsc_timeline_mark(marks[i].step, marks[i].end, marks[i].i, text, sizeof text);
        assert_string_equal(text, marks[i].text);
    }
}

/* The words on the height have room in the last line of keys, or a line of their own: no key gives way to them. */
static void keys_have_room(void **state) {
    (void)state;
    static const hsc_timeline_key_entry keys[] = {{0, 0, "computation", "41.1 %"}, {1, 0, "waiting", "31.1 %"}, {2, 0, "waiting, elapsed", ""}};
    static const char *const labels[] = {"r0"};
    hsc_timeline_frame f = {.rows = 1, .labels = labels, .begin = 0, .end = 1, .n_keys = 3, .keys = keys, .busy_top = 1, .phases_of = ""};
    sheet s;
    sheet_open(&s, 400, 400);
    int all = 0;
    hsc_timeline_layout l;
    hsc_timeline_layout_get(&s.c, &s.st, &f, &l);
    for (int k = 0; k < 3; k++)
        all += hsc_timeline_key_width(&s.c, &s.st, &keys[k]);
    int width = l.x + all + 4;
    sheet_close(&s);
    for (int busy = 0; busy < 2; busy++) {
        sheet_open(&s, width, 400);
        f.busy_top = busy ? 0.2 : 1;
        hsc_timeline_layout_get(&s.c, &s.st, &f, &l);
        assert_int_equal(l.key_lines, 1 + busy);
        /* the height that the words are of is drawn beside the row */
        hsc_paint_timeline(&s.c, &s.st, &f);
        int dark = 0;
        for (int y = l.y; y < l.y + l.height; y++)
            for (int x = l.x + l.width, found = 0; x < width && !found; x++)
                dark += found = pixel(&s, x, y) == s.st.colour[HSC_P_foreground];
        assert_true(busy ? dark >= hsc_timeline_row_y(&l, 1, 1) - hsc_timeline_row_y(&l, 1, 0) - 2 : !dark);
        sheet_close(&s);
    }
}

static void few_bars_share_the_width(void **state) {
    (void)state;
    static const float values[] = {3, 3, 3, 3};
    for (uint32_t n = 1; n <= 4; n++) {
        sheet s;
        sheet_open(&s, 340, 60);
        hsc_profile_frame f = {.n = n, .values = values, .maximum = 3, .mark_first = -1, .mark_last = -1};
        hsc_paint_profile(&s.c, &s.st, &f);
        for (uint32_t b = 0; b < n; b++) { /* in the middle of its part, as wide on either side */
            int x0 = 340 * (int)b / (int)n, x1 = 340 * ((int)b + 1) / (int)n, left = x0, right = x1 - 1;
            while (left < x1 && pixel(&s, left, 50) != s.st.colour[HSC_P_barlight])
                left++;
            while (right > left && pixel(&s, right, 50) != s.st.colour[HSC_P_barlight])
                right--;
            assert_true(abs((left - x0) - (x1 - 1 - right)) <= 2); /* the gap, and what rounding leaves */
            assert_true(right - left > 80);
        }
        sheet_close(&s);
    }
}

static void narrow_code_keeps_its_text(void **state) {
    (void)state;
    hsc_code_frame f = {.row_height = 18, .header = 18, .digits = 6, .unit = "samples"};
    const int widths[] = {400, 519, 521, 900};
    for (int i = 0; i < 4; i++) {
        sheet s;
        hsc_code_layout l;
        sheet_open(&s, widths[i], 60);
        hsc_code_layout_get(&s.c, &s.st, &f, &l);
        assert_int_equal(l.shares, widths[i] > 520);
        assert_true(l.count_right <= l.share_right && l.share_right < l.address && l.arrows_right > l.arrows && l.text < l.operands);
        if (!l.shares) /* the smaller half is of numbers */
            assert_true(l.text * 2 < widths[i]);
        sheet_close(&s);
    }
}

static void inlined_calls_are_told(void **state) {
    (void)state;
    char out[60] = "";
    size_t used = 0;
    assert_true(hsc_code_inlined(out, sizeof out, &used, "operator[]", ""));
    assert_true(hsc_code_inlined(out, sizeof out, &used, "gather", "a.cpp:8"));
    assert_string_equal(out, "in operator[]; gather, called at a.cpp:8");
    assert_int_equal(used, strlen(out));
    assert_false(hsc_code_inlined(out, sizeof out, &used, "one that has no room", "a.cpp:9"));
}

/* An address without its register is no address: where operands have no room their end is a sign that there is more. */
static void operands_are_whole_or_said_to_be_cut(void **state) {
    (void)state;
    static const char *const texts[] = {"movq\t%rsi, -0x60(%rsp)", "movq\t%rsi, -0x60()"};
    for (int width = 200; width < 420; width++) {
        uint64_t hash[2];
        double room = 0;
        for (int i = 0; i < 2; i++) {
            sheet s;
            hsc_code_layout l;
            hsc_code_row row = {.kind = HSC_CODE_INSTRUCTION, .address = "401000", .version = -1, .flow = HSC_FLOW_NEXT};
            snprintf(row.text, sizeof row.text, "%s", texts[i]);
            hsc_code_frame f = {.rows = &row, .count = 1, .row_height = 18, .header = 18, .digits = 6, .unit = "samples"};
            sheet_open(&s, width, 60);
            hsc_code_layout_get(&s.c, &s.st, &f, &l);
            hsc_paint_code(&s.c, &s.st, &f);
            hash[i] = hsc_canvas_hash(&s.c);
            room = l.place_right - l.operands - hsc_font_width(s.st.mono, strchr(texts[1], '\t') + 1);
            sheet_close(&s);
        }
        if (room >= 0)
            assert_true(hash[0] != hash[1]);
    }
}

static void legend_begins_with_most(void **state) {
    (void)state;
    static const char *const names[] = {"computation", "communication", NULL, "runtime overhead"};
    static const double totals[] = {1, 5, 0, 80}, categories[4] = {0};
    const hsc_map_bin bin = {.procedure = UINT32_MAX};
    hsc_map_frame map = {.bins = &bin, .categories = categories, .n_categories = 4, .names = names, .totals = totals};
    const hsc_strips strips = {.strips = 1, .bins = 1, .bins_per_strip = 1, .pixels = 1};
    const hsc_overview_frame f = {.map = &map, .strips = &strips, .legend = true};
    const hsc_overview_layout l = {.strip_width = 10, .height = 1, .legend_y = 20};
    for (int rows = 1; rows <= 3; rows++) {
        sheet s;
        sheet_open(&s, 130, 10);
        int line = (int)ceil(s.st.small->ascent + s.st.small->descent) + 1;
        sheet_close(&s);
        sheet_open(&s, 130, 20 + rows * line);
        hsc_paint_overview_base(&s.c, &s.st, &f, &l);
        const int order[] = {3, 1, 0};
        for (int k = 0; k < 3; k++) { /* one to a row: as many as there is room for, those with most first */
            bool there = false;
            for (int y = 20 + k * line; y < s.c.height && y < 20 + (k + 1) * line; y++)
                there |= pixel(&s, 3, y) == hsc_style_category(&s.st, (uint32_t)order[k]);
            assert_int_equal(there, k < rows);
        }
        sheet_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_numbers), cmocka_unit_test(short_names),
        cmocka_unit_test(ticks), cmocka_unit_test(groups), cmocka_unit_test(axis_lists), cmocka_unit_test(bins_cover_all),
        cmocka_unit_test(gaps_are_skipped), cmocka_unit_test(marks_of_time), cmocka_unit_test(keys_have_room), cmocka_unit_test(empty_runs_are_skipped), cmocka_unit_test(strips_hold_every_row), cmocka_unit_test(heat_cells),
        cmocka_unit_test(heat_numbers_are_drawn_when_they_fit), cmocka_unit_test(matrix_numbers_are_all_there), cmocka_unit_test(numbers_fill_their_cell), cmocka_unit_test(rows_geometry),
        cmocka_unit_test(sentences_are_wrapped), cmocka_unit_test(thin_scope_bars_have_names), cmocka_unit_test(category_bar_adds_up), cmocka_unit_test(hostile_text), cmocka_unit_test(clip_holds),
        cmocka_unit_test(terrain_shows_what_is_in_front), cmocka_unit_test(terrain_turns_by_half),
        cmocka_unit_test(terrain_has_a_legend), cmocka_unit_test(cliffs_have_no_dots), cmocka_unit_test(terrain_flat_on_has_a_scale), cmocka_unit_test(terrain_of_nothing), cmocka_unit_test(peaks_are_highest_first),
        cmocka_unit_test(few_bars_share_the_width), cmocka_unit_test(narrow_code_keeps_its_text),
        cmocka_unit_test(names_keep_the_line),
        cmocka_unit_test(names_keep_their_own), cmocka_unit_test(inlined_calls_are_told), cmocka_unit_test(operands_are_whole_or_said_to_be_cut), cmocka_unit_test(legend_begins_with_most)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
