/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The handler of timer-monotonic where it finds the thread's writer taken by code that it interrupted: each 8 such expiries double the distance to
 * the next one, so that this code gets on, and are no loss; a writer whose code was left by a jump is the handler's, a slot that it was beginning nobody's. The handler and the timer are
 * the real ones; the signals are calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "rt.h"
#include "services.h"

#define PERIOD_NS 50000000u /* what is asked of the timer, which never expires here: it is set anew, or long before that looked at */

const hsc_rt_services heatscope_rt_services; /* the runtime's own, of no use here */

static int chained;

void hsc_rt_signal_chain(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    chained++;
}

static hsc_rt_thread thread;
static int timer;
static uint64_t frame[16]; /* of the code that has the writer: a frame pointer, and where it returns to */

static long interval_ns(void) {
    struct itimerspec s;
    assert_int_equal(syscall(SYS_timer_gettime, timer, &s), 0);
    return s.it_interval.tv_sec * 1000000000 + s.it_interval.tv_nsec;
}

static void expire(int times) {
    siginfo_t info;
    ucontext_t context;
    memset(&info, 0, sizeof info);
    memset(&context, 0, sizeof context);
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = &hsc_rt;
    context.uc_mcontext.gregs[REG_RSP] = (long)&frame[0]; /* below the owner's frame: in what it calls */
    for (int i = 0; i < times; i++)
        hsc_rt_handler(SIGALRM, &info, &context);
}

static int set_up(void **state) {
    (void)state;
    struct sigevent e = {.sigev_notify = SIGEV_NONE};
    memset(&thread, 0, sizeof thread);
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &e, &timer))
        return -1;
    hsc_rt.mechanism = HSC_RT_MONOTONIC;
    hsc_rt.period_ns = PERIOD_NS;
    hsc_rt.n_events = 1;
    thread.mechanism = HSC_RT_MONOTONIC;
    thread.periods = 1;
    thread.main_timer = timer;
    thread.tick_timer = -1;
    thread.stack_low = (uint64_t)&frame[0];
    thread.stack_high = (uint64_t)&frame[16];
    frame[5] = 0x1234; /* returns to */
    atomic_store(&thread.owner_frame, (uint64_t)&frame[4]);
    atomic_store(&thread.owner_return, 0x1234);
    atomic_store(&thread.busy, HSC_RT_BUSY);
    hsc_rt_self = &thread;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    hsc_rt_self = NULL;
    return (int)syscall(SYS_timer_delete, timer);
}

static void doubles_after_each_eight(void **state) {
    (void)state;
    expire(7);
    assert_int_equal(interval_ns(), 0);
    expire(1);
    assert_int_equal(interval_ns(), 2l * PERIOD_NS);
    expire(8);
    assert_int_equal(interval_ns(), 4l * PERIOD_NS);
    expire(8 * 20);
    assert_int_equal(interval_ns(), 1024l * PERIOD_NS); /* no further: it has to come back */
    assert_int_equal(atomic_load(&thread.busy), HSC_RT_BUSY);
    assert_int_equal(thread.lost, 0);
    assert_int_equal(thread.records, 0);
    assert_int_equal(chained, 0);
}

static void comes_back_with_a_sample(void **state) {
    (void)state;
    expire(16);
    hsc_rt_source_on_time(&thread);
    assert_int_equal(interval_ns(), PERIOD_NS);
    expire(8); /* and counts from the start */
    assert_int_equal(interval_ns(), 2l * PERIOD_NS);
}

static void keeps_to_the_lowered_rate(void **state) {
    (void)state;
    thread.periods = 4;
    expire(8);
    assert_int_equal(interval_ns(), 8l * PERIOD_NS);
    hsc_rt_source_on_time(&thread);
    assert_int_equal(interval_ns(), 4l * PERIOD_NS);
}

static void leaves_a_paused_timer_alone(void **state) {
    (void)state;
    atomic_store(&thread.main_timer_off, HSC_RT_PAUSE_IDLE);
    expire(24);
    assert_int_equal(interval_ns(), 0);
    hsc_rt_source_on_time(&thread);
    assert_int_equal(interval_ns(), 0);
}

static void takes_a_writer_that_a_jump_has_left(void **state) {
    (void)state;
    frame[5] = 0x5678; /* somebody else's frame is there now */
    expire(1); /* `hsc_rt.on` is not set: it has nothing to do, and gives the writer back */
    assert_int_equal(atomic_load(&thread.busy), 0);
    assert_int_equal(thread.put_off, 0);
    assert_int_equal(atomic_load(&thread.beats), 1);
}

/* The slot has the bytes of an empty one that nobody has taken, whatever of its head had been written; what was written of a slot that is begun stays. */
static void marks_a_slot_whose_head_is_half_written(void **state) {
    (void)state;
    static uint64_t half[64], spare[64], begun[64];
    hsc_chunk_writer w;
    hsc_rt_slot_spare((uint8_t *)spare, sizeof spare);
    hsc_chunk_begin(&w, (uint8_t *)half, sizeof half, HSC_CHUNK_DYNAMIC, 7, 3, 1000, 1);
    memset(half + 3, 0, sizeof half - 24); /* its last words were not there yet */
    thread.opening = (uint8_t *)half;
    thread.opening_bytes = sizeof half;
    frame[5] = 0x5678;
    expire(1);
    assert_memory_equal(half, spare, sizeof half);
    assert_null(thread.opening);
    assert_false(thread.has_chunk);

    hsc_chunk_begin(&w, (uint8_t *)begun, sizeof begun, HSC_CHUNK_DYNAMIC, 7, 3, 1000, 1);
    memcpy(half, begun, sizeof half);
    atomic_store(&thread.busy, HSC_RT_BUSY);
    expire(1);
    assert_memory_equal(half, begun, sizeof half);
}

static void leaves_others_signals_to_them(void **state) {
    (void)state;
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_code = SI_USER;
    hsc_rt_handler(SIGALRM, &info, NULL);
    assert_int_equal(chained, 1);
    assert_int_equal(thread.put_off, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(doubles_after_each_eight, set_up, tear_down),
        cmocka_unit_test_setup_teardown(comes_back_with_a_sample, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_to_the_lowered_rate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_a_paused_timer_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_a_writer_that_a_jump_has_left, set_up, tear_down),
        cmocka_unit_test_setup_teardown(marks_a_slot_whose_head_is_half_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_others_signals_to_them, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
