/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names in few columns: never wider, template lists as far as there is room, and rows that read alike are told apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static int failed;

static void fits(const char *name, int width, const char *expected) {
    char out[256];
    report_fit(name, width, out, sizeof out);
    if (strcmp(out, expected)) {
        printf("'%s' in %d columns: '%s', expected '%s'\n", name, width, out, expected);
        failed = 1;
    }
}

static void prose(const char *text, int width, const char *expected) {
    char out[256];
    report_fit_prose(text, width, out, sizeof out);
    if (strcmp(out, expected)) {
        printf("'%s' in %d columns: '%s', expected '%s'\n", text, width, out, expected);
        failed = 1;
    }
}

static void seconds(double value, const char *expected) {
    const char *told = REPORT_SECONDS(value);
    if (strcmp(told, expected)) {
        printf("%.17g seconds: '%s', expected '%s'\n", value, told, expected);
        failed = 1;
    }
}

static void never_wider(const char *name) {
    char out[256];
    for (int width = 1; width < 80; width++)
        if (report_columns_of(report_fit(name, width, out, sizeof out)) > width) {
            printf("'%s' in %d columns: '%s'\n", name, width, out);
            failed = 1;
        }
}

static void twins(const char *a, const char *b, int width, bool expected) {
    char text[2][256];
    report_named list[] = {{.text = report_fit(a, width, text[0], sizeof text[0]), .name = a},
                           {.text = "another", .name = "another"},
                           {.text = report_fit(b, width, text[1], sizeof text[1]), .name = b}};
    hsc_err err = {0};
    if (report_mark_twins(list, 3, &err) || list[0].twin != expected || list[2].twin != expected || list[1].twin) {
        printf("'%s' and '%s' in %d columns: '%s' '%s', told apart: %d\n", a, b, width, text[0], text[1], list[0].twin);
        failed = 1;
    }
}

int main(void) {
    const char *map = "std::map<int, std::vector<float> >::op<Q>(int) const", *kernel = "Kernel<double>::dot() const";
    fits(kernel, 19, "Kernel<double>::dot");
    fits(kernel, 18, "Kernel<d..le>::dot");
    fits(kernel, 17, "Kernel<>::dot"); /* four columns tell nothing */
    fits(kernel, 12, "dot");
    fits("Kernel<float>::dot() const", 18, "Kernel<float>::dot");
    fits("Kernel<a, b, c, d>::operator<(int)", 25, "Kernel<a,.. d>::operator<");
    fits("f(int (*)(char), long)", 10, "f");
    prose("no vectors:\nthe loop\tcalls\r", 40, "no vectors: the loop calls "); /* remarks of several lines stay in their row */
    prose("bell\a and escape\x1b[1m", 40, "bell? and escape?[1m");
    seconds(1930, "1930 s"); /* three digits, and never 1.93e+03 */
    seconds(1234567, "1230000 s");
    seconds(12.345, "12.3 s");
    seconds(0.01, "0.01 s");
    seconds(0.00098765, "0.000988 s");
    seconds(0, "0 s");
    never_wider(map);
    never_wider(kernel);
    never_wider("a<b->c>::d<e<f, g>, h>::operator()(int)");
    never_wider("\xc3\xa4\xe2\x82\xac<\xc3\xa4\xe2\x82\xac\xc3\xa4\xe2\x82\xac, \xc3\xa4>::\xe2\x82\xac<x");
    twins(kernel, "Kernel<float>::dot() const", 18, false);
    twins(kernel, "Kernel<float>::dot() const", 14, true);
    twins(kernel, kernel, 14, false); /* nothing tells them apart */
    twins("f(int)", "f(long)", 20, true);
    return failed;
}
