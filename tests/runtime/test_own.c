/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* own_ss.c against a simulated processor, of which all is known: when the thread has it, and what our own code really takes.
 *
 * Asserted is what docs/sampling.md promises of our own time: parts that are slow are told in full where the thread has its processor, and so are those that
 * come again where it often has none; parts that were interrupted are not told as if they had been slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../draws.h"
#include "sys_x86_64.h"

static uint64_t simulated_cycles(void);
#define hsc_cycles simulated_cycles
#include "rt.h"

static struct { uint64_t cycles, cpu_cycles, reads, begun, slice, away; } simulated; /* 2 cycles of a nanosecond */

enum { READ = 2000 };

/* The thread goes on for so many cycles of its own; others have the processor after each slice of them. */
static void go_on(uint64_t cycles) {
    while (cycles) {
        uint64_t left = simulated.slice ? simulated.begun + simulated.slice - simulated.cpu_cycles : cycles, some = cycles < left ? cycles : left;
        simulated.cycles += some;
        simulated.cpu_cycles += some;
        cycles -= some;
        if (simulated.slice && simulated.cpu_cycles == simulated.begun + simulated.slice) {
            simulated.begun = simulated.cpu_cycles;
            simulated.cycles += simulated.away;
        }
    }
}

static uint64_t simulated_clock(int32_t clock) {
    assert_int_equal(clock, HSC_RT_THREAD_CLOCK);
    go_on(READ / 2);
    uint64_t ns = simulated.cpu_cycles / 2;
    go_on(READ / 2);
    simulated.reads++;
    return ns;
}

static uint64_t simulated_cycles(void) { return simulated.cycles; }

#define hsc_rt_clock_ns simulated_clock
#include "../../instrument/runtime/own_ss.c"

hsc_rt_state hsc_rt;
static hsc_rt_thread thread;

static void reset(uint64_t slice, uint64_t away) {
    memset(&thread, 0, sizeof thread);
    memset(&simulated, 0, sizeof simulated);
    simulated.cycles = simulated.cpu_cycles = 1000000;
    simulated.begun = simulated.cpu_cycles;
    simulated.slice = slice;
    simulated.away = away;
    atomic_store(&hsc_rt.ns_per_cycle_q32, 1ull << 31);
}

/* n parts of `most` cycles at most, `between` apart: what is told of what they took. */
static double told(int n, uint64_t least, uint64_t most, uint64_t between) {
    double all = 0, said = 0;
    for (int i = 0; i < n; i++) {
        uint64_t takes = least + (uint64_t)(uniform() * (double)(most - least));
        go_on((uint64_t)(uniform() * 2 * (double)between));
        uint64_t begin = hsc_rt_own_begin(&thread);
        go_on(takes);
        said += (double)hsc_rt_own_since(&thread, &hsc_rt, begin);
        all += (double)takes;
    }
    return said / all;
}

static void is_about(double found, double wanted, double error) {
    if (found < wanted - error || found > wanted + error)
        fail_msg("%g of what it took is told, wanted %g", found, wanted);
}

/* Nobody else: all is known, whatever it takes. The first one has no look before it. */
static void alone(void **state) {
    (void)state;
    reset(0, 0);
    is_about(told(1000, 300, 3000, 10000), 1, 1e-9);
    assert_int_equal(simulated.reads, 0);
    hsc_rt_own_look(&thread, &hsc_rt);
    is_about(told(20, 1000000, 40000000, 100000000), 1, 0.001);
    is_about(told(1, 100000000, 100000000, 0), 1, 0.001);
}

/* Three milliseconds of six: parts of 2 us to 2 ms that come again are known but for the first. */
static void among_others(void **state) {
    (void)state;
    reset(6000000, 6000000);
    is_about(told(400, 300000, 4000000, 1000000), 1, 0.02);
    is_about(told(400, 4000000, 40000000, 20000000), 1, 0.02);
}

/* Short parts that are interrupted, one of some 1000: no more is told of those than of what can't be known, and few of them are. */
static void interrupted(void **state) {
    (void)state;
    for (uint64_t away = 6000000; away < 6000000000; away *= 10) {
        reset(6000000, away);
        double n = 200000, each = 3000, rare = n * each / 6000000 * HSC_RT_OWN_CYCLES_MAX / (n * each);
        double found = told((int)n, (uint64_t)each, (uint64_t)each, 3000);
        if (found < 1 || found > 1 + 1.5 * rare)
            fail_msg("%g of what short ones took is told", found);
        assert_true(simulated.reads < 20 * n * each / 6000000);
    }
}

/* In a sandbox no clock can be read, and before the rate of cycles is known none helps. */
static void unknown(void **state) {
    (void)state;
    reset(0, 0);
    hsc_rt.sandboxed = true;
    is_about(told(100, 1000000, 1000000, 100), 0.2, 1e-9);
    hsc_rt.sandboxed = false;
    atomic_store(&hsc_rt.ns_per_cycle_q32, 0);
    is_about(told(100, 1000000, 1000000, 100), 0.2, 1e-9);
    assert_int_equal(simulated.reads, 0);
}

/* However long the handler ran (64 cycles at least), its run has a bucket, and longer ones none below it. */
static void buckets(void **state) {
    (void)state;
    uint32_t last = 0;
    for (uint64_t cycles = 64; cycles; cycles = cycles < 1ull << 62 ? cycles + cycles / 8 + 1 : 0) {
        uint32_t b = hsc_rt_own_bucket(cycles);
        assert_true(b >= last && b < HSC_RT_OWN_BUCKETS);
        last = b;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(alone), cmocka_unit_test(among_others), cmocka_unit_test(interrupted), cmocka_unit_test(unknown), cmocka_unit_test(buckets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
