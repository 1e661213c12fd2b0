/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unit tests of the viewer's pictures: machine code. No display, no database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "paint_assembly.h"
#include "sheet.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(narrow_code_keeps_its_text),
                                       cmocka_unit_test(inlined_calls_are_told),
                                       cmocka_unit_test(operands_are_whole_or_said_to_be_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
