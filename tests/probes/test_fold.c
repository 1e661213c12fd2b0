/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* probes_fold_ss.c: visits made of marks against sums made one by one. Random trees of visits (seeds are fixed), in pieces of any size: runs of one
 * procedure, nested ones, of no time, of long times, of other states, with a mark that is not there yet. Between the pieces time passes that is nobody's, before
 * an entry's clock is read or after an exit's. And what a jump leaves of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../instrument/runtime/probes_fold_ss.c"

static enum hsc_rt_folded (*folds)(hsc_rt_scopes *, hsc_rt_mark *) = hsc_rt_probes_fold_usual; /* the processor's own way, then the other */

hsc_rt_state hsc_rt;
hsc_rt_probes hsc_rt_probe_state;
__thread hsc_rt_scopes *hsc_rt_scopes_self;
__thread hsc_rt_noting hsc_rt_noting_self;

enum { BLOCKS = 3, DEPTH = 16 };

static uint64_t seed;
static hsc_rt_block is[BLOCKS], expected[BLOCKS];
static hsc_rt_scopes scopes;
static hsc_rt_scope open[DEPTH];

static uint64_t draw(uint64_t n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

/* Where buckets begin: 3/4 of a nanosecond a cycle. */
static uint64_t beginning(uint32_t bucket) {
    return bucket ? ((4ull << (bucket - 1)) + 2) / 3 : 0;
}

static uint32_t bucket_by_hand(uint64_t d) {
    uint32_t i = HSC_RT_BLOCK_BUCKETS - 1;
    while (d < beginning(i))
        i--;
    return i;
}

/* Blocks: 0 the root, 1 in it, 2 in 1. */
static void begin(void) {
    hsc_rt_scopes *s = &scopes;
    memset(s, 0, sizeof *s);
    memset(is, 0, sizeof is);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        is[i].number = i;
        is[i].parent = i ? &is[i > 1] : NULL;
        is[i].last = &is[i ? 2 : 1];
        is[i].least = UINT64_MAX;
    }
    memcpy(expected, is, sizeof is);
    for (uint32_t i = 0; i <= 64; i++) {
        s->first[i] = i > 1 ? bucket_by_hand(1ull << (i - 1)) : 0;
        s->limits[i] = s->first[i] == HSC_RT_BLOCK_BUCKETS - 1 ? UINT64_MAX : beginning(s->first[i] + 1);
    }
    s->base = s->top = open;
    s->end = open + DEPTH;
    s->folded = s->marks;
    s->noting = &hsc_rt_noting_self;
    s->last = 1000;
    s->state = 1;
    open[0] = (hsc_rt_scope){.sp = UINT64_MAX, .block = &is[0]};
    atomic_store(&s->noting->next, s->marks);
}

static void expect_visit(hsc_rt_block *b, uint64_t d) {
    b->total += d;
    b->least = d < b->least ? d : b->least;
    b->most = d > b->most ? d : b->most;
    b->squares += (unsigned __int128)d * d;
    b->bucket[bucket_by_hand(d)]++;
}

static void compare(void) {
    for (int i = 0; i < BLOCKS; i++) {
        const hsc_rt_block *a = &is[i], *b = &expected[i];
        for (int k = 0; k < (int)HSC_RT_BLOCK_STATES; k++)
            assert_int_equal(a->exclusive[k], b->exclusive[k]);
        assert_int_equal(a->total, b->total);
        assert_int_equal(a->least, b->least);
        assert_int_equal(a->most, b->most);
        assert_true(a->squares == b->squares);
        for (int k = 0; k < (int)HSC_RT_BLOCK_BUCKETS; k++)
            assert_int_equal(a->bucket[k], b->bucket[k]);
    }
}

static uint64_t what_of(uint32_t number, int depth, bool leave) {
    return (uint64_t)(0x7fff0000 - 64 * depth) << (HSC_RT_MARK_SHIFT - 3) | number | (leave ? HSC_RT_MARK_LEAVE : 0);
}

static uint64_t some_time(void) {
    uint64_t kind = draw(20);
    return kind == 0 ? 0 : kind == 1 ? BRIEF + draw(1000) : kind == 2 ? draw(1u << 27) : kind == 3 ? BRIEF - 1 : draw(100);
}

static uint64_t starts[DEPTH], clock_now, visits;
static int depth;
static uint32_t inner[DEPTH]; /* block of each level */
static uint64_t after_exit;   /* the next mark is an exit, after which so much time is nobody's */

static void pass_time_of_nobody(uint64_t cycles) {
    clock_now += cycles;
    for (int i = 1; i <= depth; i++)
        starts[i] += cycles;
}

/* The next mark of the tree: its time and what; the expected blocks get what it tells. */
static uint64_t next_mark(uint64_t *what) {
    uint64_t gap = some_time();
    expected[inner[depth]].exclusive[scopes.state] += gap;
    clock_now += gap;
    uint64_t time = clock_now;
    bool enter = !after_exit && (depth == 0 || (depth == 1 && draw(8)));
    if (enter) {
        uint32_t number = depth ? is[1].last->number : 1; /* others are unusual: not for what is tested here */
        *what = what_of(number, ++depth, false);
        inner[depth] = number;
        starts[depth] = clock_now;
        visits++;
    } else {
        *what = what_of(inner[depth], depth, true);
        expect_visit(&expected[inner[depth]], clock_now - starts[depth]);
        depth--;
        pass_time_of_nobody(after_exit);
        after_exit = 0;
    }
    return time;
}

static void test_sums(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        hsc_rt_scopes *s = &scopes;
        begin();
        seed = (uint64_t)round + 1;
        clock_now = 1000;
        depth = 0;
        after_exit = 0;
        visits = 0;
        for (int batch = 0; batch < 20; batch++) {
            uint64_t n = round % 3 ? HSC_RT_MARKS : 1 + draw(HSC_RT_MARKS), there = 0;
            hsc_rt_mark *end = s->marks + n;
            while (there < n) {
                uint64_t more = 1 + draw(n - there), what;
                hsc_rt_mark *unfinished = s->marks + there + draw(more); /* and folding stops before it */
                uint64_t its_time = 0;
                for (uint64_t i = there; i < there + more; i++) {
                    uint64_t time = next_mark(&what);
                    *hsc_rt_mark_what(s->marks + i) = what;
                    atomic_store(s->marks + i, time);
                    if (s->marks + i == unfinished) {
                        its_time = time;
                        atomic_store(unfinished, 0);
                    }
                }
                there += more;
                atomic_store(&s->noting->next, s->marks + there);
                assert_int_equal(folds(s, s->marks + there), HSC_RT_FOLD_UNFINISHED);
                assert_ptr_equal(s->folded, unfinished);
                atomic_store(unfinished, its_time);
                assert_int_equal(folds(s, s->marks + there), HSC_RT_FOLD_DONE);
                assert_int_equal(s->last, clock_now);
                assert_int_equal(s->skip, 0);
                assert_int_equal(s->visits, visits);
                compare();
            }
            assert_true(hsc_rt_probes_wrap(s, end, end));
            for (uint64_t i = 0; i < HSC_RT_MARKS; i++)
                assert_int_equal(atomic_load(s->marks + i), 0);
            s->state = (uint32_t)draw(HSC_RT_BLOCK_STATES);
            uint64_t own = s->own, cycles = 1 + draw(3000);
            bool leaves = depth && draw(2);
            hsc_rt_probes_take_out(s, cycles, leaves);
            assert_int_equal(s->own, own + cycles);
            if (leaves)
                after_exit = cycles;
            else
                pass_time_of_nobody(cycles);
        }
    }
}

/* A mark taken by a handler while the others are emptied keeps its place. */
static void test_taken_meanwhile(void **state) {
    (void)state;
    hsc_rt_scopes *s = &scopes;
    begin();
    s->folded = s->marks + 2;
    atomic_store(&s->noting->next, s->marks + 3);
    atomic_store(s->marks + 2, 2000);
    assert_false(hsc_rt_probes_wrap(s, s->marks + 2, s->marks + 2));
    assert_ptr_equal(s->folded, s->marks + 2);
    assert_ptr_equal(atomic_load(&s->noting->next), s->marks + 3);
    assert_int_equal(atomic_load(s->marks + 2), 2000);
}

/* A jump out of a run, before its sums are given and at any moment while they are, changes nothing in the end. */
static void test_jump(void **state) {
    (void)state;
    for (int given = -1; given < 12; given++) {
        hsc_rt_scopes *s = &scopes;
        begin();
        seed = 99;
        clock_now = 1000;
        depth = 0;
        visits = 0;
        for (int i = 0; i < 100; i++) {
            uint64_t gap = draw(50), d = draw(200);
            expected[0].exclusive[1] += gap;
            expected[1].exclusive[1] += d;
            expect_visit(&expected[1], d);
            atomic_store(s->marks + 2 * i, clock_now += gap);
            atomic_store(s->marks + 2 * i + 1, clock_now += d);
            *hsc_rt_mark_what(s->marks + 2 * i) = what_of(1, 1, false);
            *hsc_rt_mark_what(s->marks + 2 * i + 1) = what_of(1, 1, true);
        }
        hsc_rt_block before[BLOCKS];
        memcpy(before, is, sizeof is);
        assert_int_equal(folds(s, s->marks + 200), HSC_RT_FOLD_DONE);
        compare();
        if (given < 0) { /* not given yet: half of the counts of octaves are there */
            memcpy(is, before, sizeof is);
            s->folded = s->marks;
            s->last = 1000;
            s->visits = 0;
            s->run.part[9] = 17;
        } else { /* some of the words are given */
            uint64_t *to = (uint64_t *)&is[1], *from = (uint64_t *)&before[1];
            for (size_t i = 0; i < sizeof is[1] / 8; i++)
                if ((i + (size_t)given) % 12 < 6)
                    to[i] = from[i];
            s->folded = s->marks;
            s->last = 1000;
            s->visits = 0;
            atomic_store(&s->run.ready, 1);
        }
        hsc_rt_probes_redo(s);
        assert_int_equal(atomic_load(&s->run.ready), 0);
        assert_int_equal(folds(s, s->marks + 200), HSC_RT_FOLD_DONE);
        assert_int_equal(s->visits, 100);
        assert_int_equal(s->last, clock_now);
        compare();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_taken_meanwhile), cmocka_unit_test(test_jump)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    folds = fold_older;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
