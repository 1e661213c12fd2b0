/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unit tests of the viewer's pictures: cells, rows, bars, legends. No display, no database. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "paint_timeline.h"
#include "sheet.h"

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

/* A ratio of nothing to nothing has no number, one of equal values has. */
static void heat_has_no_ratio_of_nothing(void **state) {
    (void)state;
    sheet s;
    sheet_open(&s, 120, 20);
    const int32_t index[] = {0};
    const float values[] = {0, 0};
    const unsigned char noise[] = {1, 2};
    hsc_colour_scale scale;
    hsc_colour_scale_init_change(&scale, HSC_SCALING_LINEAR, 2, true);
    hsc_heat_frame f = {.rows = {.height = 20, .top = 7, .count = 1}, .bins = 2, .index = index, .values = values, .noise = noise, .numbers = true,
                        .scale = &scale, .cursor = -1, .mark_first = -1, .mark_last = -1};
    int other[2] = {0};
    hsc_paint_heat(&s.c, &s.st, &f);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 120; x++)
            other[x / 60] += pixel(&s, x, y) != hsc_colour_change(0);
    assert_true(other[0] > 0);
    assert_int_equal(other[1], 0);
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

/* Of a scope that begins above the rows in view the categories stand on top of them, to be clicked; of one that begins in view at its begin. */
static void category_bars_stay_in_sight(void **state) {
    (void)state;
    sheet s;
    hsc_scope_bar bars[] = {{.line_begin = 1, .line_end = 90}, {.line_begin = 42, .line_end = 44}, {.line_begin = 40, .line_end = 40}, {.line_begin = 1, .line_end = 39}};
    hsc_scopes_frame f = {.rows = {.header = 30, .offset = -9, .height = 18, .top = 40, .count = 10}, .bar_width = 14, .n = 4, .bars = bars};
    int v[4], t[4];
    sheet_open(&s, 100, 200);
    assert_true(hsc_scope_place(&s.c, &f, 0, v, t));
    assert_int_equal(t[1], 30);
    assert_in_range(t[3], 4, 9);
    assert_int_equal(v[1], t[1] + t[3]);
    int whole = v[1] + v[3];
    assert_true(whole > 200);
    assert_true(hsc_scope_place(&s.c, &f, 1, v, t));
    assert_int_equal(t[1], 30 - 9 + 2 * 18 + 2);
    assert_true(hsc_scope_place(&s.c, &f, 2, v, t)); /* half of its line is in view */
    assert_int_equal(t[1], 30);
    assert_true(t[1] + t[3] + v[3] <= 30 - 9 + 18);
    assert_false(hsc_scope_place(&s.c, &f, 3, v, t));
    sheet_close(&s);
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

/* Names of procedures are cut where they are long, our own words on what is behind the slots are not. */
static void own_words_are_whole(void **state) {
    (void)state;
    static const char words[] = "pale: elapsed, in 3176 recorded calls, added up by pixel, and more";
    sheet s;
    sheet_open(&s, 1000, 100);
    hsc_timeline_key_entry tint = {HSC_TIMELINE_TINT | 1, 0, words, ""}, name = {1, 0, words, ""};
    assert_true(hsc_font_width(s.st.small, words) > 260);
    assert_true(hsc_timeline_key_width(&s.c, &s.st, &tint) > hsc_font_width(s.st.small, words));
    assert_true(hsc_timeline_key_width(&s.c, &s.st, &name) < hsc_font_width(s.st.small, words));
    sheet_close(&s);
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

/* Rows somewhat lower than a line of text have labels all the same: all of them, not all but one here and there. */
static void low_rows_have_labels(void **state) {
    (void)state;
    enum { ROWS = 16 };
    static const char *const labels[ROWS] = {"--", "--", "--", "--", "--", "--", "--", "--", "--", "--", "--", "--", "--", "--", "--", "--"};
    hsc_timeline_frame f = {.rows = ROWS, .labels = labels, .begin = 0, .end = 1, .busy_top = 1, .phases_of = "", .mark = -1};
    int low = 0;
    for (int height = 100; height < 400; height += 3) {
        sheet s;
        hsc_timeline_layout l;
        sheet_open(&s, 200, height);
        hsc_timeline_layout_get(&s.c, &s.st, &f, &l);
        hsc_paint_timeline(&s.c, &s.st, &f);
        int found = 0;
        for (int row = 0; row < ROWS; row++) {
            int some = 0;
            for (int y = hsc_timeline_row_y(&l, ROWS, (uint32_t)row); y < hsc_timeline_row_y(&l, ROWS, (uint32_t)row + 1); y++)
                for (int x = 0; x < l.x - 2; x++)
                    some |= pixel(&s, x, y) != pixel(&s, 0, 0);
            found += some;
        }
        if (10 * l.height >= 8 * ROWS * l.line)
            assert_int_equal(found, ROWS);
        low += 10 * l.height >= 8 * ROWS * l.line && l.height < ROWS * l.line;
        sheet_close(&s);
    }
    assert_true(low > 2);
}

/* A phase that takes most of the time is drawn, also where a very short one ends just before. */
static void long_phases_are_drawn(void **state) {
    (void)state;
    static const hsc_timeline_phase phases[] = {{"short", 0.2, 0.2001}, {"long", 0.2001, 0.9}};
    static const char *const labels[] = {"r0"};
    hsc_timeline_frame f = {.rows = 1, .labels = labels, .begin = 0, .end = 1, .busy_top = 1, .n_phases = 2, .phases = phases, .phases_of = "r0", .phases_first = -1};
    hsc_timeline_layout l;
    sheet s;
    sheet_open(&s, 400, 200);
    hsc_timeline_layout_get(&s.c, &s.st, &f, &l);
    hsc_paint_timeline(&s.c, &s.st, &f);
    assert_int_equal(pixel(&s, l.x + (int)(0.7 * l.width), l.phase_y + 1), s.st.colour[HSC_P_accentsoft]);
    assert_int_not_equal(pixel(&s, l.x + (int)(0.1 * l.width), l.phase_y + 1), s.st.colour[HSC_P_accentsoft]);
    sheet_close(&s);
}

/* Keys without room are told by a sign, also where that has hardly any. */
static void left_keys_are_told(void **state) {
    (void)state;
    enum { KEYS = 40 };
    hsc_timeline_key_entry keys[KEYS];
    static const char *const labels[] = {"r0"};
    for (int k = 0; k < KEYS; k++)
        keys[k] = (hsc_timeline_key_entry){(uint32_t)k, 0, "procedure", ""};
    for (int width = 200; width < 420; width += 3) {
        sheet s[2];
        hsc_timeline_frame f = {.rows = 1, .labels = labels, .begin = 0, .end = 1, .n_keys = KEYS, .keys = keys, .busy_top = 1, .phases_of = ""};
        hsc_timeline_layout l;
        for (int k = 0; k < 2; k++) {
            sheet_open(&s[k], width, 400);
            if (!k) {
                hsc_timeline_layout_get(&s[k].c, &s[k].st, &f, &l);
            } else { /* no more than have room */
                uint32_t each = (uint32_t)((width - l.x) / hsc_timeline_key_width(&s[k].c, &s[k].st, &keys[0]));
                f.n_keys = each * (uint32_t)l.key_lines;
            }
            hsc_paint_timeline(&s[k].c, &s[k].st, &f);
        }
        assert_int_equal(l.key_lines, 3);
        assert_true(differing(&s[0], &s[1], 0, width) > 0);
        sheet_close(&s[0]);
        sheet_close(&s[1]);
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

/* Where not all have room the last one says so. */
static void legend_tells_that_there_are_more(void **state) {
    (void)state;
    const char *names[] = {"computation", "communication", "runtime overhead"};
    static const double totals[] = {1, 5, 80}, categories[3] = {0};
    const hsc_map_bin bin = {.procedure = UINT32_MAX};
    const hsc_map_frame map = {.bins = &bin, .categories = categories, .n_categories = 3, .names = names, .totals = totals};
    const hsc_strips strips = {.strips = 1, .bins = 1, .bins_per_strip = 1, .pixels = 1};
    const hsc_overview_frame f = {.map = &map, .strips = &strips, .legend = true};
    const hsc_overview_layout l = {.strip_width = 10, .height = 1, .legend_y = 20};
    uint64_t hash[4];
    for (int k = 0; k < 4; k++) { /* two rows, then all three; with the third category and without */
        sheet s;
        sheet_open(&s, 130, 10);
        int end = 20 + 2 * ((int)ceil(s.st.small->ascent + s.st.small->descent) + 1);
        sheet_close(&s);
        sheet_open(&s, 130, k < 2 ? end : 80);
        names[0] = k % 2 ? NULL : "computation";
        hsc_paint_overview_base(&s.c, &s.st, &f, &l);
        for (int y = end; y < s.c.height; y++)
            memset(s.c.pixels + (size_t)y * (size_t)s.c.stride, 0, (size_t)s.c.width * 4);
        hash[k] = hsc_canvas_hash(&s.c);
        sheet_close(&s);
    }
    assert_true(hash[0] != hash[1]); /* the sign */
    assert_true(hash[2] == hash[3]);
}

/* Both ends of a diverging scale come before "no code". */
static void legend_has_both_ends(void **state) {
    (void)state;
    for (int w = 90; w <= 300; w += 30) {
        int from = w, to = 0;
        bool square = false;
        sheet s;
        hsc_colour_scale scale;
        sheet_open(&s, w, 40);
        hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LOG, 733);
        scale.diverging = true;
        hsc_paint_legend(&s.c, &s.st, 0, 4, w, &scale, true);
        for (int x = 0; x < w; x++) {
            for (int y = 17; y < 40; y++)
                if (pixel(&s, x, y) != pixel(&s, 0, 39)) {
                    from = x < from ? x : from;
                    to = x > to ? x : to;
                }
            square |= pixel(&s, x, 8) == s.st.colour[HSC_P_nocode];
        }
        assert_true(from < 12);
        assert_true(to > w - (square ? 110 : 12));
        assert_true(w > 120 || !square);
        sheet_close(&s);
    }
}

/* So are bars: 257 us and 0.99 s, not 257 and 990k. */
static void bars_have_the_unit(void **state) {
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        sheet s;
        sheet_open(&s, 180, 40);
        double by = k ? 1e6 : 1;
        const int32_t index[] = {0, 1};
        const hsc_db_stats stats[] = {{.max = 257e-6 * by, .mean = 1e-4 * by}, {.max = 0.99 * by, .mean = 0.5 * by}};
        hsc_bars_frame f = {.rows = {.height = 20, .top = 1, .count = 2}, .index = index, .stats = stats, .maximum = by, .scaling = HSC_SCALING_LINEAR,
                            .unit = k < 2 ? HSC_UNIT_SECONDS : HSC_UNIT_NONE, .unit_scale = k == 1 ? 1e-6 : 1, .who = "rank"};
        hsc_paint_bars(&s.c, &s.st, &f);
        hash[k] = hsc_canvas_hash(&s.c);
        sheet_close(&s);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[2] != hash[1]);
}

/* Values in parts of a unit are told in that unit. */
static void legend_has_the_unit(void **state) {
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        sheet s;
        hsc_colour_scale scale;
        sheet_open(&s, 300, 60);
        hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, k ? 5e6 : 5);
        if (k < 2)
            scale.unit = HSC_UNIT_SECONDS;
        if (k == 1)
            scale.unit_scale = 1e-6;
        hsc_paint_legend(&s.c, &s.st, 4, 4, 290, &scale, false);
        hash[k] = hsc_canvas_hash(&s.c);
        sheet_close(&s);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[2] != hash[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(heat_cells), cmocka_unit_test(heat_has_no_ratio_of_nothing),
                                       cmocka_unit_test(heat_numbers_are_drawn_when_they_fit),
                                       cmocka_unit_test(matrix_numbers_are_all_there),
                                       cmocka_unit_test(numbers_fill_their_cell),
                                       cmocka_unit_test(rows_geometry),
                                       cmocka_unit_test(sentences_are_wrapped),
                                       cmocka_unit_test(thin_scope_bars_have_names),
                                       cmocka_unit_test(category_bars_stay_in_sight),
                                       cmocka_unit_test(category_bar_adds_up),
                                       cmocka_unit_test(hostile_text),
                                       cmocka_unit_test(clip_holds),
                                       cmocka_unit_test(keys_have_room), cmocka_unit_test(low_rows_have_labels), cmocka_unit_test(long_phases_are_drawn),
                                       cmocka_unit_test(left_keys_are_told),
                                       cmocka_unit_test(few_bars_share_the_width),
                                       cmocka_unit_test(own_words_are_whole),
                                       cmocka_unit_test(legend_begins_with_most),
                                       cmocka_unit_test(bars_have_the_unit),
                                       cmocka_unit_test(legend_has_the_unit),
                                       cmocka_unit_test(legend_tells_that_there_are_more),
                                       cmocka_unit_test(legend_has_both_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
