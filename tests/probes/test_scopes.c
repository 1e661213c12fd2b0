/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* probes_ss.c: a jump of a handler that comes while a block is made or the stack of open scopes grows, which takes long, costs none of them. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../instrument/runtime/probes_ss.c"

hsc_rt_state hsc_rt;
__thread hsc_rt_thread *hsc_rt_self;
static hsc_rt_thread thread;
static sigjmp_buf back;
static int jumps, to_come; /* signals that memory brings, as if it took long */

static void handler(int number) {
    (void)number;
    jumps++;
    siglongjmp(back, 1);
}

static void pass_time(void) {
    if (to_come && to_come--)
        raise(SIGALRM);
}

void *hsc_rt_map(size_t size) {
    pass_time();
    return calloc(1, size);
}

void hsc_rt_unmap(void *p, size_t size) {
    (void)size;
    free(p);
}

void *hsc_rt_remap(void *p, size_t old_size, size_t new_size) {
    pass_time();
    char *q = realloc(p, new_size);
    if (q)
        memset(q + old_size, 0, new_size - old_size);
    return q;
}

uint64_t hsc_rt_now_ns(void) {
    return 1;
}

/* Nothing is written, walked or counted. */
bool hsc_rt_own_in(hsc_rt_thread *t, const uint64_t *frame) {
    (void)t, (void)frame;
    return false;
}

void hsc_rt_disown(hsc_rt_thread *t, uint32_t node) {
    (void)t, (void)node;
}

bool hsc_rt_thread_put(hsc_rt_thread *t, uint32_t record_id, const void *record, uint64_t now_ns) {
    (void)t, (void)record_id, (void)record, (void)now_ns;
    return false;
}

uint32_t hsc_rt_walk_here(hsc_rt_thread *t, const hsc_rt_here *at, uint64_t now_ns, bool *truncated) {
    (void)t, (void)at, (void)now_ns, (void)truncated;
    return 0;
}

const hsc_rt_node *hsc_rt_tree_node(const hsc_rt_tree *t, uint32_t i) {
    (void)t, (void)i;
    return NULL;
}

void hsc_rt_probes_count(uint32_t number, uint64_t visits, hsc_rt_scopes *s) {
    (void)number, (void)visits, (void)s;
}

uint64_t hsc_rt_probes_notes_cycles(const hsc_rt_scopes *s) {
    (void)s;
    return 0;
}

bool hsc_rt_probes_tell_samples(hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t now_ns) {
    (void)t, (void)s, (void)now_ns;
    return true;
}

void hsc_rt_probes_tell_budget(const hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t visits, uint64_t cycles) {
    (void)t, (void)s, (void)visits, (void)cycles;
}

static hsc_rt_scopes *begin(void) {
    static hsc_rt_probe probes[4];
    memset(&thread, 0, sizeof thread);
    hsc_rt_self = &thread;
    hsc_rt_probe_state.all = probes;
    atomic_store(&hsc_rt_probe_state.count, 4);
    for (int i = 0; i < 4; i++) {
        probes[i].kind = HSC_probe_kind_PROCEDURE;
        atomic_store(&probes[i].armed, 1);
    }
    signal(SIGALRM, handler);
    jumps = to_come = 0;
    return new_scopes(&thread);
}

/* An entry of probe `number`, the frame of which is at this depth. */
static void enter(hsc_rt_scopes *s, uint32_t number, uint64_t level) {
    hsc_rt_mark *m = atomic_load(&s->noting->next);
    atomic_store(&s->noting->next, m + 1);
    *hsc_rt_mark_what(m) = (0x7fff0000ull - 64 * level) << (HSC_RT_MARK_SHIFT - 3) | number;
    atomic_store(m, s->last + 10);
}

/* As much as comes before a jump, and what is found when the thread's probes see that there was one. */
static void fold_left(hsc_rt_scopes *s) {
    if (!sigsetjmp(back, 1)) {
        assert_true(take(s));
        fold(&thread, s);
    } else {
        put_in_order(s);
    }
    give(s);
}

static void test_new_block(void **state) {
    (void)state;
    hsc_rt_scopes *s = begin();
    to_come = 1;
    enter(s, 1, 1);
    fold_left(s);
    assert_int_equal(jumps, 1);
    assert_ptr_equal(s->top, s->base + 1);
    assert_int_equal(number_of(s->top), 1);
    assert_int_equal(s->visits, 1);
    to_come = 0;
    enter(s, 2, 2);
    fold_left(s);
    assert_int_equal(jumps, 1);
    assert_ptr_equal(s->top, s->base + 2);
    assert_ptr_equal(s->top->block->parent, s->base[1].block);
    hsc_rt_probes_clear(&thread);
}

static void test_stack_grows(void **state) {
    (void)state;
    hsc_rt_scopes *s = begin();
    uint64_t level = 1;
    for (; s->top + 1 < s->end; level++) {
        enter(s, 1 + (uint32_t)(level & 1), level);
        fold_left(s);
    }
    ptrdiff_t open = s->top - s->base;
    to_come = 1;
    enter(s, 1 + (uint32_t)(level & 1), level);
    fold_left(s);
    assert_int_equal(jumps, 1);
    assert_int_equal(s->end - s->base, 2 * HSC_RT_SCOPES_FIRST);
    assert_int_equal(s->visits, open + 1);
    assert_ptr_equal(s->top, s->base + open + 1);
    hsc_rt_probes_clear(&thread);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_new_block), cmocka_unit_test(test_stack_grows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
