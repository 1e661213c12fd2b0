/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unit tests of the viewer's pictures: bins of processors, strips of the overview. No display, no database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "axis.h"
#include "strips.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups),
                                       cmocka_unit_test(axis_lists),
                                       cmocka_unit_test(bins_cover_all),
                                       cmocka_unit_test(gaps_are_skipped),
                                       cmocka_unit_test(empty_runs_are_skipped),
                                       cmocka_unit_test(strips_hold_every_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
