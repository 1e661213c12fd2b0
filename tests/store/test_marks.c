/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What marks keep of counts: few of many leaves, all of them, halves of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mark_counts.h"
#include "model.h"

enum { LEAVES_MAX = 3000 };

static uint64_t some_count(unsigned *r, unsigned one_in) {
    static const uint64_t counts[] = {1, 2, 127, 128, 255, 256, 257, 65535, 1u << 21, 1u << 31, UINT32_MAX};
    return model_random(r) % one_in ? 0 : counts[model_random(r) % (sizeof counts / sizeof *counts)];
}

static void make(unsigned *r, uint64_t leaves, unsigned one_in, uint64_t *count) {
    for (uint64_t k = 0; k < leaves; k++)
        count[k] = some_count(r, one_in);
}

static void test_counts(void **state) {
    (void)state;
    static const uint64_t leaves[] = {0, 1, 2, 3, 64, 999, LEAVES_MAX};
    static uint64_t count[LEAVES_MAX], more[LEAVES_MAX], total[LEAVES_MAX + 1];
    unsigned r = 5;
    for (unsigned i = 0; i < sizeof leaves / sizeof *leaves; i++)
        for (unsigned one_in = 1; one_in <= 400; one_in = one_in * 5 + 1) {
            uint64_t n = leaves[i];
            hsc_some_counts some;
            hsc_all_counts all, other, none = {0};
            make(&r, n, one_in, count);
            make(&r, n, one_in, more);
            assert_true(hsc_all_counts_make(count, n, &all) && hsc_all_counts_make(more, n, &other));
            memcpy(total, count, sizeof *count * n);
            assert_true(hsc_some_counts_take(total, n, &some));
            total[n] = 77;
            for (unsigned k = 0; k < n; k++) {
                assert_int_equal(total[k], 0);
                total[k] = k;
            }
            for (int second = 0; second < 2; second++)
                hsc_some_counts_add(&some, hsc_leaf_half_of(n, second, total), 1);
            for (unsigned k = 0; k < n; k++)
                assert_int_equal(total[k], k + count[k]);
            for (int second = 1; second >= 0; second--)
                hsc_some_counts_add(&some, hsc_leaf_half_of(n, second, total), UINT64_MAX);
            for (unsigned k = 0; k < n; k++)
                assert_int_equal(total[k], k);
            for (int fresh = 0; fresh < 2; fresh++) { /* what was there stays, or goes */
                for (unsigned k = 0; k < n; k++)
                    total[k] = k;
                for (int second = 0; second < 2; second++)
                    hsc_all_counts_take(&other, &all, hsc_leaf_half_of(n, second, total), fresh);
                for (unsigned k = 0; k < n; k++)
                    assert_int_equal(total[k], (fresh ? 0 : k) + count[k] - more[k]);
                for (int second = 0; second < 2; second++)
                    hsc_all_counts_take(&none, &all, hsc_leaf_half_of(n, second, total), fresh);
                for (unsigned k = 0; k < n; k++)
                    assert_int_equal(total[k], fresh ? count[k] : k + 2 * count[k] - more[k]);
                for (int second = 0; second < 2; second++)
                    hsc_all_counts_take(&none, &none, hsc_leaf_half_of(n, second, total), fresh);
                for (unsigned k = 0; k < n; k++)
                    assert_int_equal(total[k], fresh ? 0 : k + 2 * count[k] - more[k]);
            }
            assert_int_equal(total[n], 77);
            hsc_some_counts_free(&some);
            hsc_all_counts_free(&all);
            hsc_all_counts_free(&other);
        }
}

/* Few of many leaves take little: 100,000 with 1 each among a million have less than 2 bytes each, a byte is enough of small counts of all. */
static void test_room(void **state) {
    (void)state;
    enum { LEAVES = 1000000 };
    uint64_t *count = calloc(LEAVES, sizeof *count);
    hsc_some_counts some;
    hsc_all_counts all;
    assert_non_null(count);
    for (unsigned k = 0; k < LEAVES; k += 10)
        count[k] = 1;
    assert_true(hsc_all_counts_make(count, LEAVES, &all) && hsc_some_counts_take(count, LEAVES, &some));
    assert_in_range(some.end, LEAVES / 10, 2 * LEAVES / 10);
    assert_int_equal(hsc_all_counts_bytes(&all, LEAVES), LEAVES);
    hsc_some_counts_free(&some);
    hsc_all_counts_free(&all);
    free(count);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_room)};
    return cmocka_run_group_tests_name("marks", tests, NULL, NULL);
}
