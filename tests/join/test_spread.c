/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* join/blame.c: the parts of a delay by place are at least none and add up to the whole, whatever samples and calls tell of it: also where a call has less
 * idle time than none, as more samples were drawn in it than it is long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "blame.c"

#define MS 1e6

static uint32_t drawn = 1;
static uint32_t draw(uint32_t n) { /* 0 .. n - 1 */
    drawn = drawn * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)drawn * n >> 32);
}

static void add(jdelays *d, bool late, uint32_t context, uint32_t line, bool idle, double ns) {
    jdoing did = {.spot = {context, line, HSC_NO_INDEX}, .kind = idle ? HSC_wait_kind_MESSAGE : 0, .idle = idle};
    assert_true(hsc_delay_add_cell(d, 0, &did, late, ns, HSC_DELAY_NO_TICK));
}

static void check(jdelays *d, const in_line *line) {
    shares parts = {0};
    double whole = 0;
    qsort(d->cells.p, d->cells.n, sizeof *d->cells.p, by_cell);
    fit(d, d->sums.p, 0, d->cells.p, d->cells.n);
    assert_true(spread(d, 0, d->cells.p, d->cells.n, line, &parts));
    for (size_t i = 0; i < parts.n; i++) {
        assert_true(parts.p[i].part >= 0 && parts.p[i].part <= 1 + 1e-9);
        whole += parts.p[i].part;
    }
    assert_true(fabs(whole - 1) < 1e-9);
    free(parts.p);
}

static jdelays one(double late_ns, double noise_ns2) {
    jdelays d = {.period_ns = MS};
    assert_int_equal(hsc_delay_of(&d, (jdelay_key){HSC_wait_cause_BARRIER, 0, 7, 70, false, false}), 0);
    d.sums.p[0].windows = 1;
    d.sums.p[0].victims = 3;
    d.sums.p[0].late_ns = late_ns;
    d.sums.p[0].noise_ns2 = noise_ns2;
    return d;
}

static void less_than_none(void **state) {
    (void)state;
    jdelays d = one(2 * MS, 0);
    add(&d, true, 1, 10, false, 2 * MS);
    add(&d, true, 2, 47, true, 10 * MS);
    add(&d, true, 2, 50, true, -0.8 * MS);
    add(&d, false, 2, 0, true, 1 * MS);
    add(&d, true, HSC_NO_INDEX, HSC_NO_INDEX, false, -2 * MS);
    check(&d, &(in_line){INFINITY, 0});
    hsc_delays_free(&d);
}

static void any(void **state) {
    (void)state;
    for (int round = 0; round < 20000; round++) {
        jdelays d = one(draw(10) * MS, draw(3) ? 0 : draw(20) * MS * MS);
        uint32_t n = draw(8);
        for (uint32_t i = 0; i < n; i++)
            add(&d, true, draw(3), draw(3), draw(2), (draw(24) - 8.0) * MS / 2);
        for (uint32_t i = draw(5); i-- > 0;)
            add(&d, false, draw(3), 0, draw(2), (draw(24) - 8.0) * MS / 2);
        if (draw(2)) {
            add(&d, true, HSC_NO_INDEX, HSC_NO_INDEX, false, (draw(24) - 12.0) * MS);
            add(&d, false, HSC_NO_INDEX, HSC_NO_INDEX, false, (draw(24) - 12.0) * MS);
        }
        d.sums.p[0].told_ns = draw(30) * MS;
        d.sums.p[0].told_of_others_ns = draw(30) * MS;
        double in_line_ns = draw(12) * MS;
        check(&d, &(in_line){draw(2) ? INFINITY : in_line_ns, in_line_ns});
        hsc_delays_free(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(less_than_none), cmocka_unit_test(any)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
