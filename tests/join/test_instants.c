/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples by time that go into a list come out of it, of whatever ticks, kinds and counts, and as they were changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instants.h"

enum { MOST = 100000 };
static jinstant truth[MOST];
static uint32_t ticks[MOST], kinds[MOST];

static uint32_t random_number(uint64_t *seed) { return *seed = *seed * 6364136223846793005u + 1442695040888963407u, (uint32_t)(*seed >> 32); }

static uint32_t a_kind(uint64_t *seed, unsigned shape) {
    uint32_t r = random_number(seed);
    switch (shape % 4) {
    case 0: return r % 0x8000;
    case 1: return r % 3 ? r % 8000 : JINSTANT_SPECIAL | r % 0x8000;
    case 2: return r % 5 ? r % 0x9000 : JINSTANT_SPECIAL | r % 0x12345;
    default: return r % 7 ? r % 100 : 0xFFFFFFFF;
    }
}

typedef struct looking {
    size_t at;
    uint32_t added;
} looking;

static void look(void *ctx, const jinstant *i) {
    looking *l = ctx;
    const jinstant *t = &truth[l->at++];
    assert_int_equal(i->tick, t->tick);
    assert_int_equal(i->kind, t->kind + l->added * (t->kind % 2));
    assert_int_equal(i->count, t->count);
}

static void add_one(void *ctx, jinstant *i) {
    (void)ctx;
    i->kind += i->kind % 2;
}

static void check(hsc_spill *s, const jinstants *l, size_t n, uint32_t added) {
    looking k = {.added = added};
    hsc_err err = {0};
    assert_int_equal(l->count, n);
    assert_int_equal(hsc_instants_each(s, l, look, &k, &err), HSC_OK);
    assert_int_equal(k.at, n);
}

/* Runs of one count and single ones, of `shape`; the first of the list at `tick`. */
static void put(hsc_spill *s, jinstants *l, size_t n, unsigned shape, uint64_t *seed) {
    uint32_t tick = random_number(seed) % 1000;
    for (size_t i = 0; i < n;) {
        size_t run = random_number(seed) % 4 ? random_number(seed) % 1500 : 1, first = i;
        uint32_t count = random_number(seed) % 5 ? 1 : random_number(seed) % 3 * 0x7FFFFFFF;
        for (; i < n && i <= first + run; i++) {
            uint32_t r = random_number(seed), step = r % (shape % 3 ? 2000 : 70000) * (random_number(seed) % 9 > 0);
            tick += shape == 4 ? 1000 : shape == 7 ? 1000 + r % 200 : shape == 10 ? 500 + r % 257 : step; /* all the same, or near each other, or nearly */
            ticks[i] = tick;
            kinds[i] = a_kind(seed, shape);
            truth[i] = (jinstant){tick, kinds[i], count};
        }
        if (i == first + 1)
            assert_true(hsc_instants_put(s, l, &truth[first]));
        else
            assert_true(hsc_instants_put_some(s, l, ticks + first, kinds + first, i - first, count));
    }
}

static void lists(void **state) {
    (void)state;
    static const size_t lengths[] = {0, 1, 2, 63, 64, 65, 511, 512, 513, 3000, MOST};
    uint64_t seed = 1;
    hsc_spill s;
    hsc_err err = {0};
    hsc_spill_init(&s, "instants.list");
    for (unsigned shape = 0; shape < 12; shape++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            jinstants l = {0};
            put(&s, &l, lengths[k], shape, &seed);
            check(&s, &l, lengths[k], 0); /* while there is a block under way */
            assert_true(hsc_instants_flush(&s, &l));
            check(&s, &l, lengths[k], 0);
            assert_int_equal(hsc_instants_change(&s, &l, add_one, NULL, &err), HSC_OK);
            check(&s, &l, lengths[k], 1);
            hsc_instants_fini(&l);
        }
    hsc_spill_fini(&s);
}

/* Blocks that end before a sample are passed by, no other. */
static void passed(void **state) {
    (void)state;
    uint64_t seed = 5;
    hsc_spill s;
    hsc_err err = {0};
    hsc_spill_init(&s, "instants.list");
    for (unsigned shape = 0; shape < 12; shape++) {
        jinstants l = {0};
        put(&s, &l, MOST, shape, &seed);
        assert_true(hsc_instants_flush(&s, &l));
        jinstants_reader r = {.list = &l};
        size_t n = 1;
        for (uint64_t at = 0, to = 0; n; at += n, to = at + random_number(&seed) % 1700 * (shape % 5 > 0)) {
            assert_int_equal(hsc_instants_pass(&s, &r, to, &at, &n, &err), HSC_OK);
            assert_true(n ? at + n > to && at + n <= MOST : at == MOST);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(r.tick[i], truth[at + i].tick);
                assert_int_equal(r.kind[i], truth[at + i].kind);
                assert_int_equal(r.same ? r.same : r.count[i], truth[at + i].count);
            }
        }
        hsc_instants_reader_fini(&r);
        hsc_instants_fini(&l);
    }
    hsc_spill_fini(&s);
}

enum { EACH = 8 };

/* What is kept of a list for a later join comes back, as it was or by other rows; damaged, of keys that are too large or of another number of samples it is refused. */
static void kept(void **state) {
    (void)state;
    static const size_t lengths[] = {0, 1, 64, 513, 3000};
    uint64_t seed = 9;
    hsc_spill s;
    hsc_spill_init(&s, "instants.list");
    uint32_t *rows = malloc(0x9000 / EACH * sizeof *rows + sizeof *rows);
    assert_non_null(rows);
    for (uint32_t i = 0; i <= 0x9000 / EACH; i++)
        rows[i] = 0x9000 / EACH + 1 - i; /* the other way round */
    for (unsigned shape = 0; shape < 12; shape++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            jinstants l = {0}, back = {0};
            parcel a = {0};
            size_t n = lengths[k];
            bool ranged = shape % 4 != 3; /* else some keys are beyond all */
            put(&s, &l, n, shape, &seed);
            assert_true(hsc_instants_flush(&s, &l));
            assert_true(hsc_instants_save(&s, &l, NULL, 0, EACH, &a));
            assert_true(hsc_instants_load(&s, &back, a.p, a.n, n, JINSTANT_SPECIAL, JINSTANT_SPECIAL));
            check(&s, &back, n, 0);
            hsc_instants_fini(&back);
            assert_int_equal(hsc_instants_load(&s, &back, a.p, a.n, n + 1, JINSTANT_SPECIAL, JINSTANT_SPECIAL), false);
            hsc_instants_fini(&back);
            if (n > 1) {
                assert_false(hsc_instants_load(&s, &back, a.p, a.n - 1, n, JINSTANT_SPECIAL, JINSTANT_SPECIAL));
                hsc_instants_fini(&back);
                assert_false(hsc_instants_load(&s, &back, a.p, a.n, n, 1, 1));
                hsc_instants_fini(&back);
                for (unsigned trial = 0; trial < 200; trial++) { /* any bytes: no crash, and no key too large */
                    uint8_t *byte = &a.p[random_number(&seed) % a.n], was = *byte;
                    *byte = (uint8_t)random_number(&seed);
                    if (hsc_instants_load(&s, &back, a.p, a.n, n, 0x9000, 0x12345)) {
                        jinstants_reader r = {.list = &back};
                        hsc_err err = {0};
                        for (size_t got = 1; got;) {
                            assert_int_equal(hsc_instants_read(&s, &r, &got, &err), HSC_OK);
                            for (size_t i = 0; i < got; i++)
                                assert_true(r.kind[i] & JINSTANT_SPECIAL ? (r.kind[i] & ~JINSTANT_SPECIAL) < 0x12345 : r.kind[i] < 0x9000);
                        }
                        hsc_instants_reader_fini(&r);
                    }
                    hsc_instants_fini(&back);
                    *byte = was;
                }
            }
            a.n = 0;
            if (ranged)
                assert_true(hsc_instants_save(&s, &l, rows, 0x9000 / EACH + 1, EACH, &a));
            for (size_t i = 0; i < n && ranged; i++)
                truth[i].kind = truth[i].kind & JINSTANT_SPECIAL ? truth[i].kind : (rows[truth[i].kind / EACH] - 1) * EACH + truth[i].kind % EACH;
            if (ranged) {
                assert_true(hsc_instants_load(&s, &back, a.p, a.n, n, 0x9000 + EACH, JINSTANT_SPECIAL));
                check(&s, &back, n, 0);
                hsc_instants_fini(&back);
            }
            if (n == 3000 && shape % 4 == 0) /* most rows are left out */
                assert_false(hsc_instants_save(&s, &l, rows, 1, EACH, &a));
            parcel_fini(&a);
            hsc_instants_fini(&l);
        }
    free(rows);
    hsc_spill_fini(&s);
}

/* What many samples of a program have: small steps, few nodes, one count. The same steps take no room, those within 128 of each other a byte. */
static void few_bytes(void **state) {
    (void)state;
    uint64_t seed = 3;
    hsc_spill s;
    hsc_spill_init(&s, "instants.list");
    for (uint32_t jitter = 1, bytes = 2; bytes <= 4; jitter *= 30, bytes++) {
        jinstants l = {0};
        for (size_t i = 0; i < MOST; i++) {
            ticks[i] = (uint32_t)(1000 * i) + random_number(&seed) % jitter / 2;
            kinds[i] = a_kind(&seed, 1);
        }
        for (size_t i = 0; i + 512 <= MOST; i += 512)
            assert_true(hsc_instants_put_some(&s, &l, ticks + i, kinds + i, 512, 3));
        assert_true(hsc_instants_flush(&s, &l));
        assert_true(l.bytes.count * 100 <= l.count * (100 * bytes + 5));
        hsc_instants_fini(&l);
    }
    hsc_spill_fini(&s);
}

/* A file that is not what was written ends in an error. */
static void damaged(void **state) {
    (void)state;
    static const uint8_t zeros[65536];
    hsc_spill s;
    hsc_err err = {0};
    looking k = {0};
    hsc_spill_init(&s, "instants.list");
    for (unsigned n = 1; n < 18; n += 4) { /* less than a head, a head of nothing */
        jinstants l = {.count = 1};
        assert_true(hsc_spill_put_all(&s, &l.bytes, zeros, n, 1));
        assert_int_equal(hsc_instants_each(&s, &l, look, &k, &err), HSC_E_IO);
        hsc_err_clear(&err);
        hsc_instants_fini(&l);
    }
    hsc_spill_fini(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(passed), cmocka_unit_test(kept), cmocka_unit_test(few_bytes), cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
