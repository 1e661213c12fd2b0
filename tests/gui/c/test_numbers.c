/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unit tests of the viewer's pictures: numbers, ticks and marks of time. No display, no database. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"
#include "paint_timeline.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_numbers),
                                       cmocka_unit_test(ticks),
                                       cmocka_unit_test(marks_of_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
