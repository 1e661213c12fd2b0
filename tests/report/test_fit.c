/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names in few columns: never wider, template lists as far as there is room, and rows that read alike are told apart; the order of rows. */
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

static void reference(const char *text, int width, const char *expected) {
    char out[256];
    report_fit_reference(text, width, out, sizeof out);
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

static int compared(const void *a, const void *b) {
    const report_ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    if (x->second != y->second)
        return x->second > y->second ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* However many rows there are, they come in the order that comparing them gives. */
static void sorted(uint32_t n, uint32_t kinds) {
    static const double some[] = {0, -0.0, 1, 2, 3, 0.5, 1e-300, 5e-324, 1e300, 9007199254740993.0, -1, -0.25, -1e300, 65536, 65537, 4294967296.0};
    report_ranked *list = calloc(2 * (size_t)n + 2, sizeof *list), *expected = list + n + 1;
    uint64_t random = n + kinds;
    for (uint32_t i = 0; i < n; i++) {
        double value[2];
        for (int k = 0; k < 2; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            value[k] = kinds ? some[(random >> 33) % kinds] : (double)(random >> 40) / 8 - 1000;
        }
        expected[i] = list[i] = (report_ranked){i, value[0], value[1]};
    }
    qsort(expected, n, sizeof *expected, compared);
    report_sort_falling(list, n);
    for (uint32_t i = 0; i < n; i++)
        if (list[i].row != expected[i].row) {
            printf("%u rows of %u kinds: row %u at place %u, expected %u\n", n, kinds, list[i].row, i, expected[i].row);
            failed = 1;
            break;
        }
    free(list);
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

/* A place in so many columns: the end of its file's name stays. */
static void place(const char *path, int width, const char *expected) {
    char out[256];
    if (strcmp(report_fit_place(path, width, out, sizeof out), expected)) {
        printf("%s in %d columns: '%s', expected '%s'\n", path, width, out, expected);
        failed = 1;
    }
}

/* The same text of two places, and what they are cut to then. */
static void cut_apart(const char *a, const char *b, int width, const char *text, const char *first, const char *second) {
    char at[3][64];
    for (int i = 0; i < 3; i++)
        snprintf(at[i], sizeof at[i], "%s", i == 1 ? "x.f90:3" : text);
    report_named list[] = {{.text = at[0], .name = a}, {.text = at[1], .name = "x.f90:3"}, {.text = at[2], .name = b}};
    hsc_err err = {0};
    if (report_cut_apart(list, 3, width, &err) || strcmp(at[0], first) || strcmp(at[1], "x.f90:3") || strcmp(at[2], second)) {
        printf("'%s' and '%s' in %d columns: '%s' '%s' '%s'\n", a, b, width, at[0], at[1], at[2]);
        failed = 1;
    }
}

/* What is told below two rows that read alike, in so many columns. */
static void told(const char *a, const char *b, int width, const char *first, const char *second) {
    report_named list[2];
    hsc_err err = {0};
    if (report_set_named(&list[0], "row", a, &err) || report_set_named(&list[1], "row", b, &err) || report_tell_twins(list, 2, width, &err) || !list[0].twin || !list[1].twin ||
        strcmp(list[0].text, "row") || strcmp(list[0].name, first) || strcmp(list[1].name, second)) {
        printf("'%s' and '%s' told in %d columns: '%s' '%s'\n", a, b, width, list[0].name, list[1].name);
        failed = 1;
    }
    for (int i = 0; i < 2; i++)
        free(list[i].text);
}

static void template_of(const char *name, const char *expected) {
    char out[256];
    if (strcmp(report_fit_template(name, out, sizeof out), expected)) {
        printf("%s: the template of '%s', expected '%s'\n", out, name, expected);
        failed = 1;
    }
}

int main(void) {
    reference("a->b[].c[i + 1][j]", 40, "a->b[].c[i + 1][j]");
    reference("context->graph->colors[].wideConstraints[].massScale[block.colorIndex][wideIndex]", 40, "...colors[].wideConstraints[].massScale");
    reference("context->graph->colors[].wideConstraints[].massScale[a[i]][wideIndex]", 50, "...graph->colors[].wideConstraints[].massScale");
    reference("grid%level%values(i, j + ghost(k), n)", 20, "grid%level%values");
    reference("grid%level%values(i, j + ghost(k), n)", 16, "...level%values");
    reference("a_very_long_name_of_one_array[i]", 20, "a_very_long_name_of_one_array");
    reference("[i]", 2, "[i]");
    reference("", 2, "");
    const char *map = "std::map<int, std::vector<float> >::op<Q>(int) const", *kernel = "Kernel<double>::dot() const";
    fits(kernel, 19, "Kernel<double>::dot");
    fits(kernel, 18, "Kernel<d..le>::dot");
    fits(kernel, 17, "Kernel<>::dot"); /* four columns tell nothing */
    fits(kernel, 12, "dot");
    fits("double sum<double, double>(It<double> const&, It<double> const&) requires requires { {fp.p == fp0.p} -> std::convertible_to<bool>; }", 30, "sum<double, double>");
    fits("bool operator==<int>(It<int> const&) requires equality_comparable<int>", 40, "bool operator==<int>");
    fits("void each<int>(int) requires (sizeof(int) > 2) [omp parallel]", 40, "each<int> [omp parallel]");
    fits("Kernel<float>::dot() const", 18, "Kernel<float>::dot");
    fits("Kernel<a, b, c, d>::operator<(int)", 25, "Kernel<a,.. d>::operator<");
    fits("void ns::Neigh<a, b<c> >::operator()<true>(int, d<e> const&) const", 25, "Neigh::operator()");
    fits("void ns::NeighboursOfAtoms<a, b>::operator()<true>(int) const", 25, "..oursOfAtoms::operator()");
    fits("void ns::NeighboursOfAtoms<a, b>::operator()<true>(int) const", 18, "operator()");
    fits("void constants::Neighbours<a, b>::operator()<true>(int) const", 22, "Neighbours::operator()");
    fits("void constNeighbour<a, b>::operator()<true>(int) const", 26, "constNeighbour::operator()");
    fits("A<b>::build(C const&) const::{lambda(int, d<e> const&)#1}::operator()(int, d<e> const&) const", 25, "build()::{lambda()#1}");
    never_wider("void ns::Neigh<a, b<c> >::operator()<true>(int, d<e> const&) const");
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
    place("transpose_y_to_z.f90:109", 24, "transpose_y_to_z.f90:109");
    place("transpose_y_to_z.f90:109", 15, ".._to_z.f90:109");
    place("src/transpose_y_to_z.f90:109", 15, ".._to_z.f90:109");
    place("transpose_y_to_z.f90:109", 21, "tra..e_y_to_z.f90:109");
    place("transpose_y_to_z.f90:109", 12, ".._z.f90:109");
    place("a_program_without_an_ending:7", 15, "a_prog..nding:7");
    cut_apart("transpose_x_to_y.f90:253", "transpose_y_to_x.f90:253", 15, "transp..f90:253", "tran..y.f90:253", "tran..x.f90:253");
    cut_apart("exchange_1_of_the_halo.c:7", "exchange_2_of_the_halo.c:7", 15, "exchan..halo.c:7", "exchange_1..c:7", "exchange_2..c:7"); /* only its begin tells */
    cut_apart("/home/u/aa/kernels.c:7", "/home/u/bb/kernels.c:7", 12, "kernels.c:7", "aa/ke..s.c:7", "bb/ke..s.c:7");
    cut_apart("halo.c:7", "halo.c:7", 7, "ha..c:7", "ha..c:7", "ha..c:7");   /* one place */
    cut_apart("a<----------1---------->", "a<----------2---------->", 9, "a<-..--->", "a<-..--->", "a<-..--->"); /* no cut does */
    const char *of_double = "Grid<double>::sweep(int)", *of_float = "Grid<float>::sweep(int)"; /* what tells instances apart is shown, not their class */
    cut_apart(of_double, of_float, 14, "sweep", "sweep<double>", "sweep<float>");
    cut_apart(of_double, of_float, 11, "Grid..sweep", "swe..double", "swe..float>");
    cut_apart("loop a.cc:27 in Grid<double>::sweep", "loop a.cc:27 in Grid<float>::sweep", 22, "loop a.cc:27 in sweep", "loop a...sweep<double>", "loop a...sweep<float>");
    cut_apart("void ns::move<3, 0>(T<1>)", "void ns::move<3, 1>(T<1>)", 12, "move<>", "move<3, 0>", "move<3, 1>");
    cut_apart("A<int>::operator<(int)", "A<long>::operator<(int)", 16, "A<>::operator<", "A<int>:..erator<", "A<long>..erator<");
    cut_apart("void ns::F<a>::operator()<T<true> >(int)", "void ns::F<a>::operator()<T<false> >(int)", 22, "void..", "operator()<T<true> >", "operator()<T<false> >");
    cut_apart("grid<std::vector<int, std::less<int> >, metres_of_a_name>::sweep", "grid<std::vector<int, std::less<int> >, seconds_of_a_name>::sweep", 16, "grid<>::sweep",
              "sweep..metres_of", "sweep..seconds_o");
    told("void ns::F::operator()<it<double*, vector<double> >, double*>(a<b>, c)", "void ns::F::operator()<double*, it<double*, vector<double> > >(a<b>, c)", 30,
         "operator()<it<..e> >, double*>", "operator()<dou..or<double> > >");
    told("A<int>::f(int)", "A<long>::f(int)", 20, "A<int>::f(int)", "A<long>::f(int)"); /* there is room */
    told("a<----------1---------->", "a<----------2---------->", 9, "a<----------1---------->", "a<----------2---------->"); /* no cut tells them apart */
    template_of("double ns::work<1>(cell*, f<2>)", "ns::work<>");
    template_of("main", "main");
    static const uint32_t numbers[] = {0, 1, 2, 1000, 16383, 16384, 50000}, kinds[] = {0, 1, 2, 3, 16};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            sorted(numbers[i], kinds[k]);
    return failed;
}
