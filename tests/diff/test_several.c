/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Intervals of differences between groups of runs: quantiles, and how often they hold the truth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "several_stats.h"

static void test_quantiles(void **state) {
    (void)state;
    /* Abramowitz and Stegun, table 26.10 */
    static const double known[][2] = {{1, 12.706}, {2, 4.303}, {3, 3.182}, {5, 2.571}, {10, 2.228}, {12, 2.179}, {30, 2.042}, {120, 1.980}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(fabs(diff_series_student(known[i][0]) - known[i][1]) < 0.001);
    for (double n = 1; n < 20; n += 0.01)
        assert_true(diff_series_student(n + 0.01) < diff_series_student(n));
}

static uint64_t seed = 1;

static double uniform(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

/* Of 10,000 pairs of groups whose means differ by 1 the intervals hold 1 in as many as that. Welch's are not exact: where few runs vary more than many
 * they hold it in a little less than 95 %, of two small groups in a little more. */
static void coverage(uint32_t of_a, uint32_t of_b, double sd_a, double sd_b, double least, double most) {
    enum { TRIALS = 10000 };
    uint32_t group_of[16], held = 0;
    static diff pair[16];
    diff_series s = {.runs = of_a + of_b, .groups = 2, .group_of = group_of, .repeated = true, .pair = pair};
    for (uint32_t k = 0; k < s.runs; k++) {
        group_of[k] = k >= of_a;
        pair[k].a.working = pair[k].b.working = 1;
    }
    for (int t = 0; t < TRIALS; t++) {
        diff_series_measure m[16];
        diff_series_value of[2];
        for (uint32_t k = 0; k < s.runs; k++) {
            double v = group_of[k] ? 11 + sd_b * normal() : 10 + sd_a * normal();
            m[k] = (diff_series_measure){.sum = {v, 0}, .each = {v, 0}, .scale = 1, .each_scale = 1, .known = true, .exact = true};
        }
        diff_series_judge(&s, m, of);
        held += of[1].low <= 1 && of[1].high >= 1;
    }
    print_message("%u against %u: %.1f %% hold the truth\n", of_a, of_b, 100.0 * held / TRIALS);
    if (held < least * TRIALS || held > most * TRIALS)
        fail_msg("%u against %u: %.1f %% hold the truth", of_a, of_b, 100.0 * held / TRIALS);
}

static void test_coverage(void **state) {
    (void)state;
    coverage(3, 3, 0.2, 0.2, 0.945, 0.975);
    coverage(5, 5, 0.2, 0.5, 0.94, 0.965);
    coverage(3, 8, 0.3, 0.1, 0.92, 0.96);
    coverage(1, 5, 0.2, 0.22, 0.94, 0.965); /* what is borrowed is relative to the mean */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quantiles), cmocka_unit_test(test_coverage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
