/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts of remarks: which of them say the same but for places of the source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <heatscope/formats/remarks.h>

static void places(void **state) {
    static const struct {
        const char *a, *b;
        bool same;
    } texts[] = {{"", "", true},
                 {"loop not vectorized", "loop not vectorized", true},
                 {"loop not vectorized", "loop not vectorized at", false},
                 {"read as accessed at omp.c:26:25", "read as accessed at omp2.c:26:25", true},
                 {"read as accessed at a b/omp.c:26:25", "read as accessed at /src/omp.c:7:1", true},
                 {"written as accessed at omp.c:26:25", "read as accessed at omp.c:26:25", false},
                 {"accessed at a.c:1:2 and at b.c:3:4.", "accessed at c.c:10:20 and at d.c:3:4.", true},
                 {"accessed at a.c:1:2 and at b.c:3:4.", "accessed at a.c:1:2 or at b.c:3:4.", false},
                 {"accessed at a.c:1:2", "accessed at a.c:1:2.", false},
                 {"accessed at a.c:1:2", "accessed at ", false},
                 {"accessed at ", "accessed at a.c:1:2", false},
                 {"cost 4 at most", "cost 5 at most", false},
                 {"for the loop inside at p.F90:451, that", "for the loop inside at p.F90:453, that", true}, /* ours have no column */
                 {"for the loop inside at p.F90:451, that", "for the loop inside at p.F90:451, which", false},
                 {"at the cost of b:12", "at the cost of b:13", false},
                 {"look at it\nread at a.c:1:2", "look at it\nread at b.c:1:2", true}};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (hsc_remark_same_but_places(texts[i].a, texts[i].b) != texts[i].same)
            fail_msg("'%s' and '%s': expected %d", texts[i].a, texts[i].b, texts[i].same);
}

static void plain(void **state) {
    static const char advice[] = "Use #pragma clang loop distribute(enable) to allow loop distribution to attempt to isolate the offending operations into a separate loop";
    char text[400], out[400], small[8];
    (void)state;
    snprintf(text, sizeof text, "loop not vectorized: unsafe dependent memory operations in loop. %s\nUnknown data dependence.", advice);
    assert_string_equal(hsc_remark_plain(text, out, sizeof out), "loop not vectorized: unsafe dependent memory operations in loop. Unknown data dependence.");
    assert_string_equal(hsc_remark_plain("a\nb", out, sizeof out), "a. b");
    assert_string_equal(hsc_remark_plain("Transformed loop-strided store in _ZN1aE function into a call to llvm.memset.p0.i64() intrinsic", out, sizeof out), "became a call of memset");
    assert_string_equal(hsc_remark_plain("Formed a call to llvm.memcpy.p0.p0.i64() intrinsic from load and store instruction in f function", out, sizeof out), "became a call of memcpy");
    assert_string_equal(hsc_remark_plain("Transformed something else", out, sizeof out), "Transformed something else");
    assert_string_equal(hsc_remark_plain(advice, out, sizeof out), "");
    assert_string_equal(hsc_remark_plain("longer than that", small, sizeof small), "longer");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(places), cmocka_unit_test(plain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
