/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which instructions of two pieces of machine code are the same: what was put in, taken out and changed is none. No display, no database. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "same_code.h"

enum { MOST = 4000 };

static uint32_t same(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m, uint32_t *to) {
    uint32_t found = 0, before = UINT32_MAX;
    assert_true(hsc_same_code(a, n, b, m, to));
    for (uint32_t i = 0; i < n; i++)
        if (to[i] != UINT32_MAX) {
            assert_true(to[i] < m && a[i] == b[to[i]]);
            assert_true(before == UINT32_MAX || to[i] > before); /* in the same order */
            before = to[i];
            found++;
        }
    return found;
}

static void put_in_and_taken_out(void **state) {
    (void)state;
    uint64_t a[100], b[100];
    uint32_t to[100];
    for (uint32_t i = 0; i < 100; i++)
        a[i] = b[i] = 1000 + i;
    assert_int_equal(same(a, 100, b, 100, to), 100);
    for (uint32_t i = 40; i < 60; i++)
        b[i] = 5000 + i; /* other code in the middle */
    assert_int_equal(same(a, 100, b, 100, to), 80);
    assert_int_equal(to[39], 39);
    assert_int_equal(to[40], UINT32_MAX);
    assert_int_equal(to[60], 60);
    assert_int_equal(same(a, 100, a + 10, 90, to), 90); /* without the first ten */
    assert_int_equal(to[10], 0);
    assert_int_equal(same(a + 10, 90, a, 100, to), 90);
    assert_int_equal(to[0], 10);
}

static void few_are_none(void **state) {
    (void)state;
    uint64_t a[30], b[30];
    uint32_t to[30];
    for (uint32_t i = 0; i < 30; i++) {
        a[i] = i;
        b[i] = i >= 10 && i < 10 + HSC_SAME_LEAST - 1 ? i : 100 + i;
    }
    assert_int_equal(same(a, 30, b, 30, to), 0); /* one less than is needed */
    b[10 + HSC_SAME_LEAST - 1] = a[10 + HSC_SAME_LEAST - 1];
    assert_int_equal(same(a, 30, b, 30, to), HSC_SAME_LEAST);
    assert_int_equal(same(a, HSC_SAME_LEAST - 1, a, HSC_SAME_LEAST - 1, to), 0);
    assert_int_equal(same(a, 0, b, 30, to), 0);
    assert_int_equal(same(a, 30, b, 0, to), 0);
}

/* A loop's body that stands several times is found from what is round it; without that it may be any of them, so none. */
static void repeated(void **state) {
    (void)state;
    uint64_t a[64], b[64];
    uint32_t to[64];
    for (uint32_t i = 0; i < 64; i++)
        a[i] = b[i] = i % 2;
    assert_int_equal(same(a, 64, b, 64, to), 0);
    for (uint32_t i = 0; i < 4; i++)
        a[i] = b[i] = 70 + i;
    assert_int_equal(same(a, 64, b, 64, to), 64);
}

static void turned_round(void **state) {
    (void)state;
    uint64_t a[60], b[60];
    uint32_t to[60];
    for (uint32_t i = 0; i < 60; i++)
        a[i] = i;
    for (uint32_t i = 0; i < 60; i++)
        b[i] = (i + 20) % 60; /* the first third behind the rest: only the longer part keeps its order */
    assert_int_equal(same(a, 60, b, 60, to), 40);
    assert_int_equal(to[0], UINT32_MAX);
    assert_int_equal(to[20], 0);
}

/* Any codes: what is found is alike and in order. */
static void any(void **state) {
    (void)state;
    static uint64_t a[MOST], b[MOST];
    static uint32_t to[MOST];
    srand(7);
    for (unsigned turn = 0; turn < 300; turn++) {
        uint32_t n = (uint32_t)rand() % MOST, m = 0, kinds = 2 + (uint32_t)rand() % 40;
        for (uint32_t i = 0; i < n; i++)
            a[i] = (uint64_t)rand() % kinds;
        for (uint32_t i = 0; i < n && m < MOST; i++)
            if (rand() % 50)
                b[m++] = rand() % 50 ? a[i] : (uint64_t)rand() % kinds;
        (void)same(a, n, b, m, to);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(put_in_and_taken_out), cmocka_unit_test(few_are_none), cmocka_unit_test(repeated),
                                       cmocka_unit_test(turned_round), cmocka_unit_test(any)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
