/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* givers.c: of each wait that a signal ended the one who signalled is known, however many signal and wait at the same time for things of one slot. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "../../instrument/runtime/givers.c"

#define THREADS 8u
#define ROUNDS 50000u

hsc_rt_state hsc_rt;
__thread hsc_rt_thread *hsc_rt_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

bool hsc_rt_active(void) {
    return true;
}

uint64_t hsc_rt_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The caller's, as the test says. */
uint32_t hsc_rt_wait_node_again(hsc_rt_thread *t, const hsc_rt_here *at) {
    return t->thread_id + (uint32_t)at->pc;
}

uint32_t hsc_rt_wait_alone(hsc_rt_thread *t, uint64_t pc) {
    return t->thread_id + (uint32_t)pc;
}

static char room[1u << 20];
static const void *things[THREADS]; /* of one slot */

static hsc_rt_thread *thread_of(uint32_t id) {
    static hsc_rt_thread all[THREADS];
    all[id - 1].thread_id = id;
    return &all[id - 1];
}

static int begin(void **unused) {
    (void)unused;
    size_t n = 0;
    for (const char *p = room; p < room + sizeof room && n < THREADS; p += 4)
        if (hsc_rt_await_slot(p) == hsc_rt_await_slot(room))
            things[n++] = p;
    atomic_store(&hsc_rt.on, 1);
    return n < THREADS;
}

static void signal_as(uint32_t id, const void *on, uint32_t waiters, uint64_t pc) {
    hsc_rt_self = thread_of(id);
    hsc_rt_signalled(on, waiters, &(hsc_rt_here){.pc = pc});
}

static void *waits_for_itself(void *thing) {
    uint64_t wrong = 0;
    hsc_rt_thread *t = hsc_rt_self = thread_of((uint32_t)((const void **)thing - things) + 1);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const void *on = *(const void **)thing;
        hsc_rt_await_begin(t, on);
        t->open.begin_ns = hsc_rt_now_ns();
        hsc_rt_signalled(on, 1, &(hsc_rt_here){.pc = i});
        hsc_rt_holder by = hsc_rt_await_end(t, on, true);
        wrong += by.thread_id != t->thread_id || by.node != t->thread_id + i;
    }
    return (void *)wrong; /* NOLINT: a number */
}

static void none_is_dropped(void **unused) {
    pthread_t t[THREADS];
    (void)unused;
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, waits_for_itself, &things[i]), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        pthread_join(t[i], &wrong);
        assert_null(wrong);
    }
    assert_false(hsc_rt_is_awaited(things[0]));
}

/* Each signal wakes as many as it says, the first of them first; one from before the wait none. */
static void in_turn(void **unused) {
    hsc_rt_thread *w = thread_of(1);
    (void)unused;
    signal_as(2, things[0], 1, 5);
    w->open.begin_ns = hsc_rt_now_ns();
    signal_as(3, things[0], 1, 6);
    signal_as(4, things[0], 2, 7);
    signal_as(5, things[1], UINT32_MAX, 8);
    const uint64_t signalled_ns = hsc_rt_now_ns();
    const uint32_t expected[] = {3, 4, 4, 0};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        hsc_rt_await_begin(w, things[0]);
        assert_int_equal(hsc_rt_await_end(w, things[0], true).thread_id, expected[i]);
    }
    for (int i = 0; i < 10; i++) {
        hsc_rt_await_begin(w, things[1]);
        hsc_rt_holder by = hsc_rt_await_end(w, things[1], true);
        assert_int_equal(by.thread_id, 5);
        assert_int_equal(by.node, 13);
        assert_in_range(w->open.ended_ns, w->open.begin_ns, signalled_ns);
        w->open.ended_ns = 0;
    }
    hsc_rt_await_begin(w, things[1]);
    assert_int_equal(hsc_rt_await_end(w, things[1], false).thread_id, 0);
}

/* Signals that have woken all they can make room for others, however old those that nobody has taken are. */
static void taken_ones_go_first(void **unused) {
    hsc_rt_thread *w = thread_of(1);
    (void)unused;
    w->open.begin_ns = hsc_rt_now_ns();
    signal_as(2, things[2], 1, 1);
    for (uint32_t i = 0; i < 10 * SIGNALS; i++) {
        signal_as(3, things[3], 1, i);
        hsc_rt_await_begin(w, things[3]);
        assert_int_equal(hsc_rt_await_end(w, things[3], true).node, 3 + i);
    }
    hsc_rt_await_begin(w, things[2]);
    assert_int_equal(hsc_rt_await_end(w, things[2], true).thread_id, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_is_dropped), cmocka_unit_test(in_turn), cmocka_unit_test(taken_ones_go_first)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
