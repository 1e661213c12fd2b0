/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mpi/looks.c, and hot.h's part of it, against a thread of which all is known: whether calls that look in vain follow one another at once, where samples
 * interrupt it and others have its processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/mpi.h"

static uint64_t simulated_clock(int32_t clock);
#define hsc_rt_clock_ns simulated_clock
#include "mpi/looks.c"

hsc_mpi_library hsc_mpi_lib;

enum { CALL = 80, CALLS = 20000, PERIOD = 500000, SLICE = 4000000, AWAY = 6000000 };

static struct {
    uint64_t now, cpu;         /* ns */
    uint64_t period, interrupt; /* of samples, and what one takes; by CPU time */
    uint64_t clock;            /* what it takes to ask for the thread's CPU time */
    uint64_t due, slice;       /* when the next sample is; CPU time left until others have the processor, 0: never */
} simulated;
static unsigned slow_sleeps; /* one of so many takes as much CPU time as work does, as the first: the machine's other work is told as the thread's; 0: none */
enum { SLOW_SLEEP = 1000000 };
static hsc_rt_thread thread;
static hsc_mpi_block block;

/* The thread goes on for so much CPU time of its own. */
static void go_on(uint64_t ns) {
    while (ns) {
        uint64_t some = simulated.due - simulated.cpu < ns ? simulated.due - simulated.cpu : ns;
        if (simulated.slice && simulated.slice < some)
            some = simulated.slice;
        ns -= some;
        simulated.now += some;
        simulated.cpu += some;
        if (simulated.slice && !(simulated.slice -= some)) {
            simulated.slice = SLICE;
            simulated.now += AWAY;
        }
        if (simulated.cpu == simulated.due) {
            atomic_fetch_add(&thread.beats, 1);
            simulated.now += simulated.interrupt;
            simulated.cpu += simulated.interrupt;
            simulated.due = simulated.cpu + simulated.period;
        }
    }
}

static uint64_t simulated_clock(int32_t clock) {
    assert_int_equal(clock, HSC_RT_THREAD_CLOCK);
    go_on(simulated.clock);
    return simulated.cpu;
}

uint64_t hsc_mpi_clock_slow(hsc_mpi_block *b) {
    (void)b;
    return simulated.now;
}

static unsigned waiting; /* calls whose samples are told as waiting */

/* Calls that look in vain, with so much work between and, each time, so much sleep. Returns since when the last one waits. */
static uint64_t looks_in_vain(uint64_t call, uint64_t work, uint64_t sleep, uint64_t interrupt, bool others, uint64_t clock) {
    static const hsc_mpi_how test = {.roles = "qfS", .kind = HSC_MPI_WAIT};
    memset(&simulated, 0, sizeof simulated);
    memset(&thread, 0, sizeof thread);
    memset(&block, 0, sizeof block);
    simulated.now = 1000000000;
    simulated.period = simulated.due = PERIOD;
    simulated.interrupt = interrupt;
    simulated.clock = clock;
    simulated.slice = others ? SLICE : 0;
    block.thread = &thread;
    waiting = 0;
    hsc_mpi_call c = {.block = &block, .thread = &thread};
    for (unsigned i = 0; i < CALLS; i++) {
        go_on(work);
        simulated.now += sleep;
        if (slow_sleeps && i % slow_sleeps == 0)
            go_on(SLOW_SLEEP);
        waiting += block.polls;
        c.enter = simulated.now;
        c.since = looks_since(&block, c.enter, 1);
        go_on(call);
        note_look(&c, &test, true, simulated.now);
    }
    return c.since;
}

static void of_a_loop_that_does_nothing_else_all_wait(void **state) {
    (void)state;
    for (int others = 0; others < 4; others++)
        for (uint64_t interrupt = 5000; interrupt <= 120000; interrupt *= 2) {
            uint64_t since = looks_in_vain(CALL, 50, 0, interrupt, others & 1, others & 2 ? 3000 : 300); /* of a machine that others crowd */
            assert_int_equal(waiting, CALLS - 2);
            assert_true(since < 1000000000 + 200);
        }
}

/* So do those of a library that takes its time, with little between, and those of a loop that sleeps, but for the few until it is known that it does. */
static void of_slow_ones_and_of_a_loop_that_sleeps_most_wait(void **state) {
    (void)state;
    for (int others = 0; others < 2; others++)
        for (uint64_t interrupt = 5000; interrupt <= 80000; interrupt *= 2) {
            looks_in_vain(30000, 1000, 0, interrupt, others, 300);
            assert_true(waiting >= CALLS / 10 * 9);
            looks_in_vain(CALL, 1000, 200000, interrupt, others, 300);
            assert_true(waiting >= CALLS / 10 * 9);
        }
}

/* A sleep that seems to be work, the first or a later one, ends what was waited up to it and nothing more: after it, it is asked again. */
static void of_a_loop_whose_sleeps_seem_to_be_work_at_times_most_wait(void **state) {
    (void)state;
    for (slow_sleeps = CALLS; slow_sleeps >= 50; slow_sleeps /= 2) {
        looks_in_vain(CALL, 1000, 200000, 5000, false, 300);
        assert_true(waiting >= CALLS / 10 * 8);
    }
    slow_sleeps = 0;
}

/* A call that follows an interrupted piece of work is not told as waiting: it would be met more often than others, with all that the interrupt took from the
 * caches. One may be after a call that was itself interrupted. */
static void of_one_that_works_between_none_waits(void **state) {
    (void)state;
    for (int others = 0; others < 2; others++)
        for (uint64_t work = 3000; work <= 48000; work *= 2)
            for (uint64_t interrupt = 5000; interrupt <= 120000; interrupt *= 2) {
                looks_in_vain(CALL, work, 0, interrupt, others, 300);
                assert_true(waiting <= CALLS / 1000);
            }
}

/* Nor where it works for long, and others have the processor most of the time: what it did, and not what part of the time it had, tells that it worked. */
static void of_one_that_works_long_between_none_waits(void **state) {
    (void)state;
    for (int others = 0; others < 2; others++)
        for (uint64_t work = 200000; work <= 20000000; work *= 10) {
            uint64_t since = looks_in_vain(CALL, work, 0, 5000, others, 300);
            assert_true(waiting <= CALLS / 1000);
            assert_true(since > simulated.now - CALL - 30000);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_loop_that_does_nothing_else_all_wait),
        cmocka_unit_test(of_slow_ones_and_of_a_loop_that_sleeps_most_wait),
        cmocka_unit_test(of_a_loop_whose_sleeps_seem_to_be_work_at_times_most_wait),
        cmocka_unit_test(of_one_that_works_between_none_waits),
        cmocka_unit_test(of_one_that_works_long_between_none_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
