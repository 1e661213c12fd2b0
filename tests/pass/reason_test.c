/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which loops of a unit were not tried, and of which the compiler gives no reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pass.h"
#include "why.h"

static uint64_t settled(bool explains) {
    hsc_rec_remark list[] = {{.message = {"loop not vectorized", 19}, .reason = HSC_reason_NOT_TRIED}, {.message = {"call", 4}, .reason = HSC_reason_CALL}};
    hsc_pass p = {.why.remarks = {.p = list, .n = 2}, .why.explains = explains};
    hsc_why_settle(&p);
    assert_int_equal(list[1].reason, HSC_reason_CALL);
    assert_int_equal(list[1].message.n, 4);
    assert_true((list[0].message.n == 19) == !explains);
    return list[0].reason;
}

static void loops_without_a_reason(void **state) {
    (void)state;
    assert_int_equal(settled(true), HSC_reason_OTHER);
    assert_int_equal(settled(false), HSC_reason_NOT_TRIED);
}

static void what_tells_that_it_is_on(void **state) {
    (void)state;
    hsc_ir_remark r = {.kind = HSC_remark_kind_ANALYSIS, .pass = {"loop-vectorize", 14}, .name = {"CantVectorizeCall", 17}};
    assert_true(hsc_reason_explains(&r, HSC_reason_CALL));
    assert_false(hsc_reason_explains(&r, HSC_reason_NOT_TRIED));
    assert_false(hsc_reason_explains(&r, HSC_reason_DISABLED));
    assert_false(hsc_reason_explains(&r, HSC_reason_NONE));
    r.is_wish = true;
    assert_false(hsc_reason_explains(&r, HSC_reason_CALL));
    r = (hsc_ir_remark){.kind = HSC_remark_kind_PASSED, .pass = {"loop-vectorize", 14}}; /* a directive may have asked for it */
    assert_false(hsc_reason_explains(&r, HSC_reason_CALL));
    r = (hsc_ir_remark){.kind = HSC_remark_kind_MISSED, .pass = {"loop-unroll", 11}};
    assert_false(hsc_reason_explains(&r, HSC_reason_SIZE));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_without_a_reason), cmocka_unit_test(what_tells_that_it_is_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
