/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mpi/event_ss.c against a simulated rank, of which all is known: how long its calls take (drawn, by a fixed seed) and
 * what the record of one costs.
 *
 * Asserted is what docs/waiting.md promises of the threshold from which on a call has an event: events keep to half
 * the budget where a threshold below a millisecond keeps them to it; the threshold is no higher than it has to be, comes
 * down when a load is over, and does not swing under an even load. Records tell each change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../draws.h"
#include "mpi/mpi.h"

enum { LEAST = 100000, SECOND = 1000000000, BEAT = 100000000 }; /* ns; what is due is written each BEAT of real time */

typedef struct load {
    double calls_s;   /* a second of CPU time */
    double median_ns; /* of their duration, which has an exponential distribution */
    double event_ns;  /* what the record of one costs */
} load;

static struct { uint64_t now_ns, cpu_ns, cycles, changes, told_ns, last_told, written; double cost_ns, event_ns; } simulated;

static uint64_t simulated_clock(int clock) {
    assert_int_equal(clock, HSC_RT_THREAD_CLOCK);
    return simulated.cpu_ns;
}

static uint64_t simulated_cycles(void) { /* of a nanosecond */
    return simulated.cycles;
}

#define hsc_rt_clock_ns simulated_clock
#define hsc_cycles simulated_cycles
#include "../../instrument/runtime/mpi/event_ss.c"

static hsc_rt_state state_of_runtime;
static hsc_mpi_block block;

static bool put(hsc_rt_thread *t, uint32_t type, const void *record, uint64_t now_ns) {
    (void)t;
    if (type == HSC_REC_message_event) {
        simulated.cycles += (uint64_t)simulated.event_ns;
        simulated.cost_ns += simulated.event_ns + NOTING_CYCLES;
        simulated.written++;
        return true;
    }
    assert_int_equal(type, HSC_REC_message_threshold);
    const hsc_rec_message_threshold *r = record;
    assert_int_equal(r->threshold_ns, block.threshold_ns);
    assert_int_not_equal(r->threshold_ns, simulated.last_told);
    assert_true(r->time == now_ns && now_ns >= simulated.told_ns);
    simulated.told_ns = now_ns;
    simulated.last_told = r->threshold_ns;
    simulated.changes++;
    return true;
}

const hsc_rt_services heatscope_rt_services = {.thread_put = put, .state = &state_of_runtime};

/* What share of the CPU time events of `l` cost with this threshold. */
static double cost_of(const load *l, double threshold_ns) {
    return l->calls_s * exp2(-threshold_ns / l->median_ns) * (l->event_ns + NOTING_CYCLES) * 1e-9;
}

/* Lets the rank, which spins where it waits, run for so long of its CPU time; returns the share that its events took of its CPU time. */
static double run(const load *l, double seconds) {
    uint64_t begin = simulated.cpu_ns, end = begin + (uint64_t)(seconds * SECOND), due = simulated.now_ns + BEAT;
    double cost = simulated.cost_ns;
    simulated.event_ns = l->event_ns;
    while (simulated.cpu_ns < end) {
        double between = 1e9 / l->calls_s, duration = -l->median_ns * log2(1 - uniform());
        simulated.cpu_ns += (uint64_t)(2 * uniform() * between);
        simulated.now_ns += (uint64_t)(8 * uniform() * between);
        block.last_ns = simulated.now_ns;
        if (duration >= (double)block.threshold_ns && ++block.waiting == HSC_MPI_EVENTS)
            hsc_mpi_events_write(&block);
        if (simulated.now_ns >= due) {
            hsc_mpi_events_write(&block);
            hsc_mpi_events_govern(&block, simulated.now_ns);
            due += BEAT;
        }
    }
    return (simulated.cost_ns - cost) / (double)(simulated.cpu_ns - begin);
}

static void begin(uint32_t budget) {
    memset(&simulated, 0, sizeof simulated);
    memset(&block, 0, sizeof block);
    state_of_random = 1;
    simulated.now_ns = simulated.cpu_ns = 5 * (uint64_t)SECOND;
    state_of_runtime.options.budget = budget;
    atomic_store(&state_of_runtime.ns_per_cycle_q32, 1ull << 32);
    block.start_ns = simulated.now_ns;
    block.threshold_ns = block.threshold_least_ns = LEAST;
}

/* Files have room for some 2,700 events a second of real time, of which the rank has a quarter as CPU time. */
static const load loads[] = {
    {8000, 20000, 1300},  /* 0.04 %: calls are shorter than the least threshold */
    {6000, 150000, 1000}, /* 0.4 % */
    {8000, 100000, 1500}, /* 0.7; 0.3 at the next threshold */
    {9000, 60000, 2400},  /* 0.7; 0.2 */
    {16000, 40000, 2500}, /* 0.8; 0.1 */
    {90000, 20000, 2500}, /* 0.7; 0.02 */
    {9000, 200000, 3800}, /* 2.5; 1.8; 0.9; 0.2 */
    {9000, 900000, 3800}, /* 3.3; at the highest threshold 1.9: longer ones are told whatever they cost */
};

static void keeps_within_and_rests(void **state) {
    (void)state;
    const double allowed = 0.005;
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
        const load *l = &loads[k];
        begin(10);
        run(l, 150);
        uint64_t settled = simulated.changes, threshold = block.threshold_ns;
        double share = run(l, 300);
        print_message("%zu: %3u us, %.3f %% (at first %.3f %%), %u changes, then %u\n", k,
                      (unsigned)(block.threshold_ns / 1000), 100 * share, 100 * cost_of(l, LEAST), (unsigned)settled,
                      (unsigned)(simulated.changes - settled));
        /* draws: 5 standard deviations of some 1e4 events are 5 % */
        if (share > 1.05 * allowed && 2 * threshold < 1000000)
            fail_msg("load %zu: %.3f %% of the CPU time, a higher threshold would keep to 0.5 %%", k, 100 * share);
        if (threshold > LEAST && cost_of(l, (double)threshold / 2) < 0.45 * allowed)
            fail_msg("load %zu: the threshold is %u us, half of it would do", k, (unsigned)(threshold / 1000));
        /* a lower one is tried now and then, for a look or two */
        if (simulated.changes - settled > 12)
            fail_msg("load %zu: %u changes in 300 s of an even load", k, (unsigned)(simulated.changes - settled));
        assert_int_equal(simulated.last_told, block.threshold_ns);
    }
}

static void comes_down(void **state) {
    (void)state;
    begin(10);
    run(&loads[6], 600);
    uint64_t high = block.threshold_ns;
    assert_true(high > LEAST);
    run(&loads[0], 80); /* the first step may have to wait for as long as the last tries have taught it, 64 s */
    assert_int_equal(block.threshold_ns, LEAST);
    run(&loads[6], 1);
    assert_true(block.threshold_ns > LEAST);
    run(&loads[0], 10); /* nothing was tried in vain since */
    assert_int_equal(block.threshold_ns, LEAST);
}

static void one_look_is_chance(void **state) {
    (void)state;
    const load dear = {9000, 60000, 2400}; /* 0.74 %: less than twice what is allowed */
    begin(10);
    run(&loads[0], 1);
    uint64_t before = simulated.changes;
    for (int k = 0; k < 20; k++) {
        run(&dear, 0.06);
        run(&loads[0], 0.34);
    }
    assert_int_equal(simulated.changes, before);
    run(&dear, 1);
    assert_true(simulated.changes > before);
}

static void without_a_budget(void **state) {
    (void)state;
    begin(0);
    run(&loads[6], 10);
    assert_int_equal(block.threshold_ns, LEAST);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_within_and_rests), cmocka_unit_test(comes_down),
                                       cmocka_unit_test(one_look_is_chance), cmocka_unit_test(without_a_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
