/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Even or not: how often is even work called uneven, and uneven work even? 10,000 simulated runs a case, equal weights and mixed
 * ones, 2 to 150 processors; the seed is fixed. Of 10,000 runs a share of 3 % is known to 0.17 % (one standard deviation). Asserted
 * (docs/measurement.md says the same): even work is called uneven in less than 3 % of runs, of 0.1 to 30 expected samples a
 * processor; one processor with twice the work of each of the others is told in 99 %, of 80 to 130 samples a processor. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../draws.h"
#include "report.h"

enum { RUNS = 10000, PROCESSORS = 150 };

static unsigned poisson(double mean) { /* by arrivals; large means in parts, as exp(-mean) would be nothing */
    unsigned n = 0;
    for (; mean > 0; mean -= 100) {
        double least = exp(-fmin(mean, 100)), product = uniform();
        for (; product > least; product *= uniform())
            n++;
    }
    return n;
}

typedef struct mix { /* weights and how often each is drawn */
    const char *name;
    unsigned kinds;
    double weight[2], share[2];
} mix;

static const mix mixes[] = {
    {"every sample 1", 1, {1}, {1}},
    {"every sample 16", 1, {16}, {1}},
    {"kernel ticks of 4", 2, {1, 4}, {0.8, 0.2}},
};
enum { MIXES = sizeof mixes / sizeof *mixes };

/* samples[] expected of each processor: what the report makes of one run */
static report_spread run_of(const mix *m, const double *samples, uint32_t columns) {
    report_spread p = {.programs = 1, .columns = columns};
    double value[PROCESSORS], squares = 0;
    for (uint32_t c = 0; c < columns; c++) {
        value[c] = 0;
        for (unsigned k = 0; k < m->kinds; k++) {
            double n = poisson(samples[c] * m->share[k]);
            value[c] += n * m->weight[k];
            p.excess += n * m->weight[k] * (m->weight[k] - 1);
        }
        p.mean += value[c] / columns;
    }
    for (uint32_t c = 0; c < columns; c++)
        squares += (value[c] - p.mean) * (value[c] - p.mean);
    p.dispersion = report_dispersion(&p, squares);
    return p;
}

static double called_uneven(const mix *m, const double *samples, uint32_t columns) {
    unsigned uneven = 0;
    for (unsigned r = 0; r < RUNS; r++) {
        report_spread p = run_of(m, samples, columns);
        uneven += report_uneven(&p);
    }
    return (double)uneven / RUNS;
}

static const uint32_t columns_of[] = {2, 4, 16, 150};
enum { CASES = sizeof columns_of / sizeof *columns_of };

static void even_work(void **state) {
    (void)state;
    static const double means[] = {0.1, 0.3, 1, 5, 30};
    state_of_random = 11;
    for (unsigned i = 0; i < MIXES; i++)
        for (unsigned k = 0; k < CASES; k++)
            for (unsigned e = 0; e < sizeof means / sizeof *means; e++) {
                double samples[PROCESSORS], share;
                for (unsigned c = 0; c < PROCESSORS; c++)
                    samples[c] = means[e];
                share = called_uneven(&mixes[i], samples, columns_of[k]);
                print_message("even    %-18s %3u processors of %4g samples: %.2f %% called uneven\n", mixes[i].name, columns_of[k], means[e], 100 * share);
                if (share >= 0.03)
                    fail_msg("%s, %u processors of %g samples: even work is called uneven in %.2f %% of the runs", mixes[i].name, columns_of[k], means[e],
                             100 * share);
            }
}

/* One processor has twice the work of each of the others. */
static void uneven_work(void **state) {
    (void)state;
    static const double means[CASES] = {130, 80, 80, 130};
    state_of_random = 12;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < CASES; k++) {
            double samples[PROCESSORS], share;
            for (unsigned c = 0; c < PROCESSORS; c++)
                samples[c] = means[k] * (1 + !c);
            share = called_uneven(&mixes[i], samples, columns_of[k]);
            print_message("uneven  %-18s %3u processors of %4g samples, one of twice: %.2f %% called uneven\n", mixes[i].name, columns_of[k], means[k],
                          100 * share);
            if (share < 0.99)
                fail_msg("%s, %u processors: uneven work is called uneven in no more than %.2f %% of the runs", mixes[i].name, columns_of[k], 100 * share);
        }
}

static void nothing_to_compare(void **state) {
    (void)state;
    report_spread one = {.columns = 1, .mean = 1000, .dispersion = 1e6}, none = {.columns = 8};
    assert_false(report_uneven(&one));
    none.dispersion = report_dispersion(&none, 0);
    assert_false(report_uneven(&none));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(even_work), cmocka_unit_test(uneven_work), cmocka_unit_test(nothing_to_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
