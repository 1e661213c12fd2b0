/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits as wrappers see them: when the stack is walked, and who is told to have held a lock. When all unwind rules of a module are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define hsc_rt_walk_here counted_walk
#include "../../instrument/runtime/site.c"
#include "../../instrument/runtime/waits.c"
#include "services.h"

const hsc_rt_services heatscope_rt_services; /* the runtime's own, of no use here */

enum { FRAMES = 3, NODE = 7, WAITS = 100 };
static hsc_rt_thread thread;
static uint64_t stack[FRAMES];
static const hsc_rt_here at = {.pc = 0x500, .sp = (uint64_t)&stack[0]};
static uint32_t walks;

void hsc_rt_signal_chain(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
}

bool hsc_rt_active(void) { return true; }

uint32_t counted_walk(hsc_rt_thread *t, const hsc_rt_here *here, uint64_t now_ns, bool *truncated) {
    (void)now_ns;
    *truncated = false;
    walks++;
    t->frames = FRAMES;
    for (uint32_t i = 0; i < FRAMES; i++)
        t->stack[FRAMES - 1 - i] = (hsc_rt_frame){.pc = i ? stack[i - 1] : here->pc, .sp = (uint64_t)&stack[i], .ra_slot = (uint64_t)&stack[i]};
    return NODE;
}

static int begin(void **unused) {
    (void)unused;
    memset(&thread, 0, sizeof thread);
    thread.stack_low = (uint64_t)&stack[0];
    thread.stack_high = (uint64_t)&stack[FRAMES];
    thread.thread_id = 1;
    atomic_store(&hsc_rt.on, 1);
    atomic_store(&hsc_rt.measuring, 1);
    atomic_store(&hsc_rt.ns_per_cycle_q32, 1ull << 31);
    hsc_rt.options.waits = true;
    hsc_rt_self = &thread;
    walks = 0;
    return 0;
}

/* One that has lasted for so long, and was let go by nobody that is known. */
static void wait_for(uint32_t kind, uint64_t ns) {
    hsc_rt_thread *t = hsc_rt_wait_begin(kind, &at, HSC_RT_NO_FRAME);
    assert_ptr_equal(t, &thread);
    t->open.begin_ns -= ns;
    t->open.begin_cycles -= t->open.begin_cycles ? 2 * ns : 0;
    hsc_rt_wait_end(t, 0, (hsc_rt_holder){0, 0});
}

static uint32_t walks_of(uint32_t kind, uint64_t ns) {
    begin(NULL);
    for (uint32_t i = 0; i < WAITS; i++)
        wait_for(kind, ns);
    hsc_rt_briefs_sum(&thread);
    assert_int_equal(thread.waits.count, 1);
    assert_int_equal(thread.waits.entry[0].count, WAITS);
    hsc_rt_waits_clear(&thread);
    return walks;
}

/* What is over at once is walked for once, where its callers are seen to be the same. */
static void brief(void **unused) {
    (void)unused;
    static const uint32_t kinds[] = {HSC_wait_kind_MUTEX, HSC_wait_kind_RWLOCK, HSC_wait_kind_CONDITION, HSC_wait_kind_SEMAPHORE, HSC_wait_kind_FUTEX, HSC_wait_kind_POLL, HSC_wait_kind_READ};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        assert_in_range(walks_of(kinds[i], 100), 1, 3); /* others' work may make one of them longer */
    assert_int_equal(walks_of(HSC_wait_kind_SLEEP, 100), WAITS);
}

/* What is longer is walked for as often as that costs little, and what has a record of its own each time. */
static void longer(void **unused) {
    (void)unused;
    begin(NULL);
    wait_for(HSC_wait_kind_POLL, 100);
    walks = 0;
    thread.walk_after = UINT64_MAX;
    wait_for(HSC_wait_kind_POLL, 100000);
    assert_int_equal(walks, 0);
    wait_for(HSC_wait_kind_POLL, 2 * HSC_RT_LONG_NS);
    assert_int_equal(walks, 1);
    thread.walk_after = 0;
    wait_for(HSC_wait_kind_POLL, 100000);
    assert_int_equal(walks, 2);
    assert_true(thread.walk_after > 0);
    thread.walk_after = UINT64_MAX;
    stack[1]++; /* called from elsewhere */
    wait_for(HSC_wait_kind_POLL, 100000);
    stack[1]--;
    assert_int_equal(walks, 3);
    hsc_rt_waits_clear(&thread);
}

/* What is not brief, and what was before it, stand for the same millisecond. */
static void one_record_for_both(void **unused) {
    (void)unused;
    begin(NULL);
    for (uint32_t i = 0; i < WAITS; i++)
        wait_for(HSC_wait_kind_READ, 100);
    wait_for(HSC_wait_kind_READ, 100000);
    const hsc_rt_brief *b = &thread.brief[hsc_rt_site_index(&at)];
    assert_int_equal(b->total_ns, 0);
    assert_int_equal(thread.waits.entry[0].count, WAITS + 1);
    assert_int_equal(b->room_ns, HSC_RT_LONG_NS - thread.waits.entry[0].unrecorded_ns);
    hsc_rt_waits_clear(&thread);
}

static void signals(void **unused) {
    (void)unused;
    begin(NULL);
    for (uint32_t i = 0; i < WAITS; i++)
        assert_int_equal(hsc_rt_wait_node_again(&thread, &at), NODE);
    assert_int_equal(walks, 1);
}

static void holders(void **unused) {
    (void)unused;
    static hsc_rt_thread other = {.thread_id = 2};
    static char lock;
    begin(NULL);
    assert_false(hsc_rt_lock_is_wanted(&lock));
    uint32_t asked = hsc_rt_lock_want(&lock);
    assert_true(hsc_rt_lock_is_wanted(&lock));
    assert_int_equal(hsc_rt_lock_got(&other, &lock, asked).thread_id, 0);
    hsc_rt_lock_given(&lock, &at);
    assert_false(hsc_rt_lock_is_wanted(&lock));
    hsc_rt_holder by = hsc_rt_lock_got(&other, &lock, asked);
    assert_int_equal(by.thread_id, 1);
    assert_int_equal(by.node, NODE);
    assert_int_equal(hsc_rt_lock_got(&thread, &lock, asked).thread_id, 0); /* itself */
    asked = hsc_rt_lock_want(&lock);
    assert_int_equal(hsc_rt_lock_got(&other, &lock, asked).thread_id, 0); /* that was before */
}

/* A table takes as long as the module is large: of a small one it is made soon, of LLVM's library (118,000 entries) not in a compiler of a second. */
static void tables(void **unused) {
    (void)unused;
    hsc_rt_index small = {.count = 400}, large = {.count = 118000};
    assert_in_range(hsc_rt_table_worth(NULL), 1, 1000);
    assert_in_range(hsc_rt_table_worth(&small), 1, 1000);
    assert_in_range(hsc_rt_table_worth(&large), 20000, 118000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(brief), cmocka_unit_test(longer), cmocka_unit_test(one_record_for_both), cmocka_unit_test(signals), cmocka_unit_test(holders), cmocka_unit_test(tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
