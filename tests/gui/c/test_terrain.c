/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unit tests of the viewer's pictures: the terrain and its profiles. No display, no database. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sheet.h"
#include "terrain.h"

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

/* Of changes, a narrow valley behind the plane's edge is seen through what hides it, and is picked there, from each side and flat-on. */
static void falls_are_seen(void **state) {
    (void)state;
    enum { M = 60, N = 3, W = 240, H = 200 };
    static float values[M * N];
    static uint32_t pick[W * H];
    hsc_colour_scale scale;
    hsc_colour_scale_init_change(&scale, HSC_SCALING_LINEAR, 80, false);
    for (int c = 0; c < N; c++)
        values[30 * N + c] = -80;
    for (int azimuth = 15; azimuth < 360; azimuth += 30)
        for (int elevation = 0; elevation <= 70; elevation += 35) {
            int blue = 0, picked = 0;
            sheet s;
            sheet_open(&s, W, H);
            hsc_terrain_frame f = {.rows = M, .columns = N, .values = values, .scale = &scale, .azimuth = azimuth, .elevation = elevation, .zoom = 1, .height = 0.35, .pick = pick};
            assert_int_equal(hsc_paint_terrain(&s.c, &s.st, &f, NULL), HSC_OK);
            for (int i = 0; i < W * H; i++) {
                uint32_t colour = pixel(&s, i % W, i / W);
                blue += (colour & 255) > 60 + (colour >> 16 & 255);
                picked += pick[i] && (pick[i] - 1) / N == 30;
            }
            if (blue < 150 || picked < (elevation < 70 ? 150 : 1)) /* from above the valley itself is seen, of which slopes are other rows' */
                fail_msg("azimuth %d, elevation %d: %d pixels, %d picked", azimuth, elevation, blue, picked);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(terrain_shows_what_is_in_front),
                                       cmocka_unit_test(terrain_turns_by_half),
                                       cmocka_unit_test(terrain_has_a_legend),
                                       cmocka_unit_test(falls_are_seen),
                                       cmocka_unit_test(cliffs_have_no_dots),
                                       cmocka_unit_test(terrain_flat_on_has_a_scale),
                                       cmocka_unit_test(terrain_of_nothing),
                                       cmocka_unit_test(peaks_are_highest_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
