/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unit tests of the colours, and of amounts with units. No display, no database. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"
#include "paint.h"
#include "paint_timeline.h"


static double delta_e(hsc_rgb a, hsc_rgb b) {
    double p[3], q[3], sum = 0;
    hsc_colour_lab(a, p);
    hsc_colour_lab(b, q);
    for (int i = 0; i < 3; i++)
        sum += (p[i] - q[i]) * (p[i] - q[i]);
    return sqrt(sum);
}

static void lab_of_known_colours(void **state) {
    (void)state;
    double white[3], red[3];
    hsc_colour_lab(0xffffff, white);
    hsc_colour_lab(0xff0000, red);
    assert_true(fabs(white[0] - 100) < 0.1 && fabs(white[1]) < 0.1 && fabs(white[2]) < 0.1);
    assert_true(fabs(red[0] - 53.24) < 0.1 && fabs(red[1] - 80.09) < 0.2 && fabs(red[2] - 67.20) < 0.2);
}

static void maps_grow_lighter(void **state) {
    (void)state;
    const enum hsc_colours maps[] = {HSC_COLOURS_INFERNO, HSC_COLOURS_VIRIDIS, HSC_COLOURS_CIVIDIS};
    for (size_t m = 0; m < 3; m++) {
        double before = -1;
        for (int i = 0; i < 256; i++) {
            double lab[3];
            hsc_colour_lab(hsc_colour_at(maps[m], i / 255.0), lab);
            assert_true(lab[0] > before - 0.3); /* 8 bits round */
            before = lab[0] > before ? lab[0] : before;
        }
        assert_true(before > 80);
    }
}

static void black_is_in_no_map(void **state) {
    (void)state;
    for (int m = 0; m < HSC_COLOURS_COUNT; m++)
        for (int i = 0; i < 256; i++)
            assert_true(delta_e(0x000000, hsc_colour_at((enum hsc_colours)m, i / 255.0)) >= 30);
}

static void positions(void **state) {
    (void)state;
    assert_true(hsc_colour_position(HSC_SCALING_LINEAR, 25, 100) == 0.25);
    assert_true(hsc_colour_position(HSC_SCALING_LOG, 100, 100) == 1);
    assert_true(hsc_colour_position(HSC_SCALING_LOG, 0, 100) == 0);
    assert_true(hsc_colour_position(HSC_SCALING_LOG, NAN, 100) == 0);
    assert_true(hsc_colour_position(HSC_SCALING_LOG, 5, 0) == 0);
    assert_true(hsc_colour_position(HSC_SCALING_LINEAR, 500, 100) == 1);
    for (double v = 1; v < 1e6; v *= 3)
        for (int s = 0; s < 2; s++) {
            double t = hsc_colour_position((enum hsc_scaling)s, v, 1e6);
            assert_true(fabs(hsc_colour_value((enum hsc_scaling)s, t, 1e6) / v - 1) < 1e-9);
        }
    hsc_colour_scale scale;
    hsc_colour_scale_init(&scale, HSC_COLOURS_INFERNO, HSC_SCALING_LOG, 1000);
    assert_int_equal(hsc_colour_scale_get(&scale, 0), hsc_colour_at(HSC_COLOURS_INFERNO, 0));
    assert_int_equal(hsc_colour_scale_get(&scale, 1000), hsc_colour_at(HSC_COLOURS_INFERNO, 1));
    assert_int_equal(hsc_colour_scale_get(&scale, 1e9f), hsc_colour_at(HSC_COLOURS_INFERNO, 1));
    float values[3] = {NAN, 0, 1000};
    hsc_rgb out[3];
    hsc_colour_scale_fill(&scale, values, 3, 0, out);
    assert_int_equal(out[0], 0);
    assert_int_not_equal(out[1], 0);
}

static void changes_diverge(void **state) {
    (void)state;
    double middle[3], black[3], low[3], high[3];
    hsc_colour_scale s;
    hsc_colour_scale_init_change(&s, HSC_SCALING_LOG, 1000, false);
    assert_true(hsc_colour_scale_position(&s, 0) == 0.5);
    for (double v = 0; v < 2000; v += 7) /* as far to the left as to the right */
        assert_true(fabs(hsc_colour_scale_position(&s, v) + hsc_colour_scale_position(&s, -v) - 1) < 1e-12);
    assert_true(hsc_colour_scale_position(&s, -INFINITY) == 0 && hsc_colour_scale_position(&s, INFINITY) == 1);
    assert_int_equal(hsc_colour_scale_get(&s, 0), s.steps[HSC_COLOUR_STEPS / 2]);
    assert_int_equal(hsc_colour_scale_get(&s, -1000), hsc_colour_change(-1));
    assert_int_equal(hsc_colour_scale_get(&s, INFINITY), hsc_colour_change(1));
    hsc_colour_lab(hsc_colour_change(0), middle);
    hsc_colour_lab(0, black);
    hsc_colour_lab(hsc_colour_change(-1), low);
    hsc_colour_lab(hsc_colour_change(1), high);
    assert_true(middle[0] - black[0] > 25); /* "no change" is not "no code" */
    assert_true(high[0] - low[0] > 10);     /* and the ends differ without colour */
    for (int i = 1; i <= 20; i++) {         /* lighter with every step to either side */
        double before[3], here[3];
        for (int side = -1; side <= 1; side += 2) {
            hsc_colour_lab(hsc_colour_change(side * (i - 1) / 20.0), before);
            hsc_colour_lab(hsc_colour_change(side * i / 20.0), here);
            assert_true(here[0] > before[0]);
        }
    }
    char text[HSC_NUMBER_MAX];
    hsc_number_change(12, 5, 0, text);
    assert_string_equal(text, "+12");
    hsc_number_change(-34567, 5, 0, text);
    assert_string_equal(text, "\xe2\x88\x92" "35k");
    hsc_number_change(0, 5, 0, text);
    assert_string_equal(text, "0");
    hsc_number_change(1, 5, 1, text);
    assert_string_equal(text, "2" HSC_TIMES);
    hsc_number_change(-1, 5, 1, text);
    assert_string_equal(text, "0.5" HSC_TIMES);
    hsc_number_change(-4.88, 5, 1, text); /* as few letters as the others */
    assert_string_equal(text, "0.03" HSC_TIMES);
    hsc_number_change(INFINITY, 5, 1, text);
    assert_string_equal(text, "new");
}

static void spans_use_the_map(void **state) {
    (void)state;
    hsc_colour_scale s;
    /* values of one size keep one colour, more or less; far apart they use the whole map */
    hsc_colour_scale_init_span(&s, HSC_COLOURS_INFERNO, HSC_SCALING_LOG, 18e6, 20e6, HSC_UNIT_BYTES);
    assert_true((double)s.low == 2e6);
    assert_true(hsc_colour_scale_position(&s, 18e6) > 0.9 && hsc_colour_scale_position(&s, 20e6) == 1);
    hsc_colour_scale_init_span(&s, HSC_COLOURS_INFERNO, HSC_SCALING_LOG, 0.002, 200, HSC_UNIT_SECONDS);
    assert_true(hsc_colour_scale_position(&s, 0) == 0 && fabs(hsc_colour_scale_position(&s, 0.002) - HSC_COLOUR_SPAN_FROM) < 1e-6);
    double before = 0;
    for (double v = 0.001; v < 1000; v *= 1.7) { /* rises, and stays in the map */
        double p = hsc_colour_scale_position(&s, v);
        assert_true(p >= before && p <= 1);
        before = p;
    }
    hsc_colour_scale_init_span(&s, HSC_COLOURS_INFERNO, HSC_SCALING_LINEAR, 1, 10, HSC_UNIT_NONE);
    assert_true((double)s.low == 0 && hsc_colour_scale_position(&s, 5) == 0.5);
}

static void amounts_have_units(void **state) {
    (void)state;
    static const struct {
        double value;
        enum hsc_unit unit;
        const char *text;
    } list[] = {{0, HSC_UNIT_SECONDS, "0"},          {2.5e-6, HSC_UNIT_SECONDS, "2.5 \xc2\xb5s"}, {0.0143, HSC_UNIT_SECONDS, "14.3 ms"},
                {0.9996, HSC_UNIT_SECONDS, "1.0 s"}, {203.4, HSC_UNIT_SECONDS, "203 s"}, {33.74, HSC_UNIT_SECONDS, "33.7 s"},          {512, HSC_UNIT_BYTES, "512 B"},
                {19.6e6, HSC_UNIT_BYTES, "19.6 MB"}, {3e12, HSC_UNIT_BYTES, "3 TB"},              {12345, HSC_UNIT_NONE, "12.3k"},
                {999, HSC_UNIT_BYTES, "999 B"},      {2888, HSC_UNIT_BYTES, "2.89 kB"},            {9999, HSC_UNIT_BYTES, "10 kB"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[HSC_NUMBER_MAX];
        hsc_number_amount(list[i].value, list[i].unit, text);
        assert_string_equal(text, list[i].text);
    }
}

static void text_contrasts(void **state) {
    (void)state;
    for (int m = 0; m < HSC_COLOURS_COUNT; m++)
        for (int i = 0; i <= 100; i++) {
            hsc_rgb c = hsc_colour_at((enum hsc_colours)m, i / 100.0);
            double a = hsc_colour_luminance(c), b = hsc_colour_luminance(hsc_colour_text_on(c));
            double contrast = ((a > b ? a : b) + 0.05) / ((a > b ? b : a) + 0.05);
            assert_true(contrast >= 3.5);
        }
}

static double contrast_of(hsc_rgb x, hsc_rgb y) {
    double a = hsc_colour_luminance(x), b = hsc_colour_luminance(y);
    return ((a > b ? a : b) + 0.05) / ((a > b ? b : a) + 0.05);
}

/* What threads wait in stands out from the ground of the timeline in both themes, has a hue, and differs from the bars before it. */
static void tints_stand_out(void **state) {
    (void)state;
    static const hsc_rgb panels[] = {0xf4f6f9, 0xffffff, 0x1b1f26, 0x22262d};
    enum { SYNCHRONISATION = 3 };
    for (size_t p = 0; p < sizeof panels / sizeof *panels; p++) {
        hsc_style st;
        hsc_style_init_light(&st);
        st.colour[HSC_P_panel] = panels[p];
        for (uint32_t k = 1; k <= 4; k++) {
            assert_true(contrast_of(hsc_timeline_tint(&st, k, 1), panels[p]) >= 1.75);
            assert_true(contrast_of(hsc_timeline_tint(&st, k, 0.3), panels[p]) >= 1.3);
            assert_true(hsc_timeline_tint(&st, k, 1) != hsc_style_category(&st, k));
        }
        hsc_rgb lock = hsc_timeline_tint(&st, SYNCHRONISATION, 0.3);
        int r = (int)(lock >> 16 & 255), g = (int)(lock >> 8 & 255), b = (int)(lock & 255);
        assert_true(b - g >= 20 && r - g >= 5);
        assert_true(contrast_of(hsc_style_category(&st, SYNCHRONISATION), panels[p]) >= 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lab_of_known_colours), cmocka_unit_test(maps_grow_lighter), cmocka_unit_test(black_is_in_no_map), cmocka_unit_test(positions),
        cmocka_unit_test(text_contrasts), cmocka_unit_test(tints_stand_out), cmocka_unit_test(changes_diverge), cmocka_unit_test(spans_use_the_map), cmocka_unit_test(amounts_have_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
