/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unit tests of the viewer's pictures: names of procedures in the room there is. No display, no database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "names.h"
#include "sheet.h"

static void short_names(void **state) {
    (void)state;
    const char *cases[][2] = {
        {"main", "main"},
        {"solve_", "solve_"},
        {"sim::pack::Kernel<double, sim::Layout<3> >::x_pack(sim::View<double, 3>&, unsigned long) const",
         "sim::pack::Kernel<\xe2\x80\xa6>::x_pack"},
        {"void fill<int>(int*, int)", "fill<int>"},
        {"void ForceLJ::halves<0, 1>(Atom&, int)", "ForceLJ::halves<0, 1>"},
        {"int f<int, 16, true, void>(int)", "f<\xe2\x80\xa6>"},
        {"void fill<unsigned long>(int)", "fill<\xe2\x80\xa6>"},
        {"unsigned long const& std::max<unsigned long>(unsigned long const&, unsigned long const&)", "std::max<\xe2\x80\xa6>"},
        {"bool ops::Less<double*>::operator()<int*>(int*, int*) const", "ops::Less<\xe2\x80\xa6>::operator()<\xe2\x80\xa6>"},
        {"ops::View<int>::operator bool() const", "ops::View<int>::operator bool"},
        {"void (anonymous namespace)::g<int>(int)", "{anonymous}::g<int>"},
        {"main program", "main program"},
        {"<m::Disk as m::Shape>::area", "Disk::area"},
        {"<f64>::sin", "f64::sin"},
        {"<alloc::vec::Vec<T> as spec::From<T, I>>::from_iter", "Vec<T>::from_iter"},
        {"operator<<(std::ostream&, X)", "operator<<"},
        {"A::operator()(int)", "A::operator()"},
        {"(anonymous namespace)::f(int)", "{anonymous}::f"},
        {"a::(anonymous namespace)::(anonymous namespace)::f(int)", "a::{anonymous}::{anonymous}::f"},
        {"f(int)::{lambda(int)#1}::operator()(int) const", "f::{lambda#1}::operator()"},
        {"A::make(bool, int)::{lambda(E const&, E const&)#1}::operator()(E const&, E const&) const", "A::make::{lambda#1}::operator()"},
        {"Value (anonymous namespace)::search<((anonymous namespace)::NodeType)0>(Position&, Stack*)", "{anonymous}::search<(NodeType)0>"},
        {"Move* MovePicker::score<(GenType)1>()", "MovePicker::score<(GenType)1>"},
        {"f<)>(", "f<\xe2\x80\xa6>"},
        {"f(", "f"},
        {"<", "<"},
        {"", ""}};
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsc_name_short(cases[i][0], out, sizeof out);
        assert_string_equal(out, cases[i][1]);
    }
    for (size_t n = 8; n < 40; n++) { /* never beyond the buffer */
        memset(out, 'x', sizeof out);
        hsc_name_short("a<b>c<d>::e<f<g>>::operator<<::operator()", out, n);
        assert_true(strlen(out) < n);
        assert_int_equal(out[n], 'x');
    }
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

/* What is shown of a name in so many letters of one width. */
static void assert_fits(const hsc_font *f, const char *name, int letters, const char *expected) {
    char out[128];
    hsc_name_fit(f, name, letters * hsc_font_width(f, "m") + 0.5, out, sizeof out);
    assert_string_equal(out, expected);
}

static void namespaces_go_first(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int letters;
        const char *expected;
    } cases[] = {{"sim::mesh::Kernel<double>::x_pack", 40, "sim::mesh::Kernel<double>::x_pack"},
                 {"sim::mesh::Kernel<double>::x_pack", 30, "\xe2\x80\xa6mesh::Kernel<double>::x_pack"},
                 {"sim::mesh::Kernel<double>::x_pack", 25, "\xe2\x80\xa6Kernel<double>::x_pack"},
                 {"sim::mesh::Kernel<double>::x_pack", 8, "\xe2\x80\xa6x_pack"},
                 {"sim::mesh::pack_all", 4, "\xe2\x80\xa6pack_all"}, /* to be cut: ...pa... */
                 {"sim::mesh::pack_all", 3, "pack_all"},            /* not to ...p... */
                 {"3. sim::mesh::pack_all", 5, "3. pack_all"},
                 {"std::fill<unsigned>", 12, "\xe2\x80\xa6" "fill"},
                 {"std::fill<unsigned>", 15, "\xe2\x80\xa6" "fill<unsigned>"},
                 {"+ sim::mesh::pack", 8, "+ \xe2\x80\xa6pack"},
                 {"\xe2\x80\x82\xe2\x80\x82+ sim::mesh::pack", 9, "\xe2\x80\x82\xe2\x80\x82+ \xe2\x80\xa6pack"}, /* in a tree */
                 {"\xe2\x80\x82\xe2\x88\x92 sim::mesh::pack", 8, "\xe2\x80\x82\xe2\x88\x92 \xe2\x80\xa6pack"},
                 {"\xe2\x80\x87 sim::mesh::pack", 7, "\xe2\x80\x87 \xe2\x80\xa6pack"},
                 {"12. sim::mesh::pack", 9, "12. \xe2\x80\xa6pack"},
                 {"a::f::{lambda#1}::operator()", 27, "\xe2\x80\xa6" "f::{lambda#1}::operator()"},
                 {"(anonymous namespace)::g", 4, "\xe2\x80\xa6g"},
                 {"std::operator<<", 14, "\xe2\x80\xa6operator<<"},
                 {"MAIN__", 3, "MAIN__"}, /* to be cut where it is drawn */
                 {"", 4, ""}};
    hsc_font mono;
    assert_int_equal(hsc_font_init(&mono, "DejaVu Sans Mono", false, false, 12, NULL), HSC_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fits(&mono, cases[i].name, cases[i].letters, cases[i].expected);
    char out[12]; /* never beyond the buffer */
    hsc_name_fit(&mono, "aaaaaaaaaaaaaaaaaaaaaaaa::bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb<c>", 10, out, sizeof out);
    assert_true(strlen(out) < sizeof out);
    hsc_font_fini(&mono);
    assert_string_equal(hsc_name_inner("a<b::c>::d::e"), "d::e");
    assert_string_equal(hsc_name_inner("leveldb::(anonymous namespace)::File::write"), "File::write"); /* nobody's name tells nothing */
    assert_string_equal(hsc_name_inner("{anonymous}::search<a>"), "search<a>");
    assert_string_equal(hsc_name_inner("a::{anonymous}::{anonymous}::f"), "f");
    assert_null(hsc_name_inner("a::{anonymous}::"));
    assert_null(hsc_name_inner("f<a::b>"));
    assert_null(hsc_name_inner("f::{lambda#1}::operator()"));
    assert_null(hsc_name_inner("::f"));
}

/* Boxes of the flame graph of two procedures of one namespace differ as soon as a few letters have room. */
static void flame_boxes_show_own_names(void **state) {
    (void)state;
    for (int width = 40; width < 200; width += 20) {
        sheet s[2];
        for (int k = 0; k < 2; k++) {
            hsc_flame_box box = {.x1 = width / 200.0};
            snprintf(box.name, sizeof box.name, "very_long_namespace::Mesh<\xe2\x80\xa6>::%s", k ? "send" : "pack");
            sheet_open(&s[k], 200, 20);
            hsc_paint_flame(&s[k].c, &s[k].st, &(hsc_flame_frame){.boxes = &box, .n = 1, .rows = {.height = 18, .count = 1}});
        }
        assert_true(differing(&s[0], &s[1], 0, 200) > 0);
        sheet_close(&s[0]);
        sheet_close(&s[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_names),
                                       cmocka_unit_test(names_keep_their_own),
                                       cmocka_unit_test(names_keep_the_line),
                                       cmocka_unit_test(namespaces_go_first),
                                       cmocka_unit_test(flame_boxes_show_own_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
