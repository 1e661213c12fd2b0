/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Brief waits: when a call is seen to come from where one came from before (site.h), and that their sums are what each by itself would have made (brief.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../instrument/runtime/site.c"
#include "brief.h"
#include "services.h"

const hsc_rt_services heatscope_rt_services; /* the runtime's own, of no use here */

void hsc_rt_signal_chain(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
}

enum { FRAMES = 4, WORDS = 4 /* of each frame, the last one its return address */, NODE = 7 };

static hsc_rt_thread thread;
static uint64_t stack[FRAMES * WORDS];

static uint64_t return_address(int frame) { return 0x1000u + 16u * (unsigned)frame; }

static uint64_t *return_slot(int frame) { return &stack[frame * WORDS + WORDS - 1]; }

/* As the caller of a wrapper finds it: frame 0 is the innermost. */
static hsc_rt_here begin(bool uses_bp, bool restores_bp) {
    hsc_rt_here at = {.pc = 0x500, .sp = (uint64_t)&stack[0], .bp = 0x77};
    memset(&thread, 0, sizeof thread);
    thread.stack_low = (uint64_t)&stack[0];
    thread.stack_high = (uint64_t)&stack[FRAMES * WORDS];
    thread.frames = FRAMES;
    for (int i = 0; i < FRAMES; i++) {
        *return_slot(i) = return_address(i);
        thread.stack[FRAMES - 1 - i] = (hsc_rt_frame){.pc = i ? return_address(i - 1) : at.pc,
                                                      .sp = (uint64_t)&stack[i * WORDS],
                                                      .ra_slot = (uint64_t)return_slot(i),
                                                      .bp_slot = restores_bp && !i ? (uint64_t)&stack[0] : 0,
                                                      .uses_bp = uses_bp && i == 1};
    }
    hsc_rt_site_keep(&thread, &at, NODE);
    return at;
}

static bool is_seen(const hsc_rt_here *at) { return hsc_rt_site_is(&thread, &thread.sites[hsc_rt_site_index(at)], at); }

/* Where the path is not found by the frame pointer, that is any register: a loop's counter in optimised code. */
static void any_frame_pointer(void **unused) {
    (void)unused;
    hsc_rt_here at = begin(false, false);
    for (at.bp = 0; at.bp < 100; at.bp++)
        assert_true(is_seen(&at));
    at = begin(true, true); /* whose path is found by one that the innermost frame has saved */
    at.bp++;
    assert_true(is_seen(&at));
}

static void its_frame_pointer(void **unused) {
    (void)unused;
    hsc_rt_here at = begin(true, false);
    assert_true(is_seen(&at));
    at.bp++;
    assert_false(is_seen(&at));
}

/* The same procedure called from elsewhere, however far out, has another path. */
static void other_callers(void **unused) {
    (void)unused;
    for (int i = 0; i < FRAMES - 1; i++) {
        hsc_rt_here at = begin(false, false);
        ++*return_slot(i);
        assert_false(is_seen(&at));
        --*return_slot(i);
        assert_true(is_seen(&at));
    }
}

static void other_code(void **unused) {
    (void)unused;
    hsc_rt_here at = begin(false, false);
    atomic_fetch_add(&hsc_rt.generation, 1);
    assert_false(is_seen(&at));
    atomic_fetch_sub(&hsc_rt.generation, 1);
    at.pc++;
    assert_false(is_seen(&at));
}

static void wait_at(uint64_t pc, uint32_t node, uint32_t kind) {
    thread.open.at = (hsc_rt_here){.pc = pc, .sp = (uint64_t)&stack[0]};
    thread.open.node = node;
    thread.open.kind = kind;
}

/* So many of each length, of each of two kinds in turns, bytes or held by one of two; then the same by hsc_rt_waits_add. */
static void sums_of(bool held) {
    static const uint64_t lengths[] = {0, 1, 63, 64, 130, 999, 2047, 2048, HSC_RT_BRIEF_NS - 1};
    static hsc_rt_thread each;
    enum { LENGTHS = sizeof lengths / sizeof lengths[0], ROUNDS = 1000 };
    memset(&thread, 0, sizeof thread);
    memset(&each, 0, sizeof each);
    uint32_t refused = 0;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < 2 * LENGTHS; i++) {
            uint64_t ns = lengths[i % LENGTHS], bytes = held ? 0 : 1ull << 33;
            uint32_t kind = i < LENGTHS ? HSC_wait_kind_READ : HSC_wait_kind_WRITE, holder = held ? 1 + i % 2 : 0, holder_node = held ? 5 : 0;
            wait_at(0x500 + round % 3, 1 + round % 3, kind);
            if (!hsc_rt_brief_add(&thread, ns, bytes, holder, holder_node)) { /* is told by itself */
                hsc_rt_wait_sum *s = hsc_rt_waits_add(&thread, thread.open.node, kind, ns, 0, bytes, holder, holder_node);
                uint64_t *unrecorded_ns = held ? &thread.waits.unrecorded_ns : &s->unrecorded_ns;
                *unrecorded_ns += held ? ns : 0;
                assert_true(*unrecorded_ns >= HSC_RT_LONG_NS);
                assert_true(*unrecorded_ns < HSC_RT_LONG_NS + (held ? 3 : 1) * HSC_RT_BRIEF_NS);
                *unrecorded_ns = 0;
                refused++;
            }
            hsc_rt_wait_sum *s = hsc_rt_waits_add(&each, 1 + round % 3, kind, ns, 0, bytes, holder, holder_node);
            s->unrecorded_ns = s->unrecorded_ns >= HSC_RT_LONG_NS ? 0 : s->unrecorded_ns;
            if (round % 7 == 0)
                hsc_rt_briefs_sum(&thread);
        }
    hsc_rt_briefs_sum(&thread);
    uint32_t n = held ? 12 : 6;
    assert_true(refused > 0);
    assert_int_equal(thread.briefs.used, 0);
    assert_int_equal(thread.waits.count, n);
    assert_int_equal(each.waits.count, n);
    assert_int_equal(thread.waits.all_ns, each.waits.all_ns);
    for (uint32_t i = 0; i < n; i++) {
        const hsc_rt_wait_sum *s = &thread.waits.entry[i], *e = each.waits.entry;
        while (e->node != s->node || e->kind != s->kind || e->holder_thread != s->holder_thread)
            e++;
        assert_int_equal(s->holder_node, e->holder_node);
        assert_int_equal(s->count, e->count);
        assert_int_equal(s->total_ns, e->total_ns);
        assert_int_equal(s->max_ns, e->max_ns);
        assert_int_equal(s->bytes, e->bytes);
        if (!held) /* else that is the thread's */
            assert_int_equal(s->unrecorded_ns, e->unrecorded_ns);
        assert_memory_equal(s->bucket, e->bucket, sizeof s->bucket);
    }
    hsc_rt_waits_clear(&thread);
    hsc_rt_waits_clear(&each);
}

static void sums(void **unused) {
    (void)unused;
    sums_of(false);
}

/* Of locks with a holder; who has moved bytes and is known to have been waited for has a sum by itself. */
static void held_sums(void **unused) {
    (void)unused;
    sums_of(true);
    memset(&thread, 0, sizeof thread);
    wait_at(0x500, NODE, HSC_wait_kind_PIPE);
    assert_false(hsc_rt_brief_add(&thread, 100, 8, 1, 5));
}

/* What one of them cost that was measured is told of each. */
static void cost(void **unused) {
    (void)unused;
    memset(&thread, 0, sizeof thread);
    thread.briefs.turn = HSC_RT_BRIEF_EVERY - 2;
    assert_int_equal(hsc_rt_brief_enter(&thread), 0);
    thread.briefs.turn++;
    assert_int_not_equal(hsc_rt_brief_enter(&thread), 0);
    thread.briefs.calls = 10;
    thread.briefs.cost_cycles = 700;
    hsc_rt_brief_charge(&thread);
    hsc_rt_brief_charge(&thread);
    assert_int_equal(thread.wrapper_cycles, 7000);
    assert_int_equal(thread.own_cycles, 7000);
}

/* One part in 61 is measured, but for what was charged within it, and stands for all. */
static void some_stand_for_all(void **unused) {
    (void)unused;
    enum { ROUNDS = 10, INSIDE = 1000000 };
    memset(&thread, 0, sizeof thread);
    uint64_t measured = 0;
    for (uint32_t i = 0; i < ROUNDS * HSC_RT_SOME_EVERY; i++) {
        hsc_rt_some s = hsc_rt_some_begin(&thread);
        measured += s.begin != 0;
        hsc_rt_some_end(&thread, s);
    }
    assert_int_equal(measured, ROUNDS);
    assert_true(thread.wrapper_cycles > 0);
    assert_int_equal(thread.wrapper_cycles % HSC_RT_SOME_EVERY, 0);
    thread.wrapper_cycles = thread.own_cycles = 0;
    thread.some_turn = HSC_RT_SOME_EVERY - 1;
    hsc_rt_some s = hsc_rt_some_begin(&thread);
    hsc_rt_charge_wrapper(&thread, INSIDE);
    hsc_rt_some_end(&thread, s);
    assert_int_equal(thread.wrapper_cycles, INSIDE);
    assert_int_equal(hsc_rt_some_begin(NULL).begin, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_frame_pointer), cmocka_unit_test(its_frame_pointer), cmocka_unit_test(other_callers),
                                       cmocka_unit_test(other_code),        cmocka_unit_test(sums),              cmocka_unit_test(held_sums), cmocka_unit_test(cost),
                                       cmocka_unit_test(some_stand_for_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
