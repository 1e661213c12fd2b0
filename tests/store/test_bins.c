/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bins of the timeline against brute force, and what has most, by all processors' means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <heatscope/query.h>

#include "db.h"
#include "model.h"
#include "most.h"
#include "time_read.h"

static model *truth;

#define COL(column, ctype) ((const ctype *)truth->columns[HSC_COL_##column])

static void must(hsc_status status, const hsc_err *err) {
    if (status)
        fail_msg("%s", err->text);
}

/* Adds `count` to what is had by a row; the row with most, the smaller of several, is kept. */
static void take_most(uint64_t *by, uint32_t row, uint64_t count, uint32_t *best) {
    by[row] += count;
    if (*best == HSC_NONE || by[row] > by[*best] || (by[row] == by[*best] && row < *best))
        *best = row;
}

/* Every row of every level, those without counts too, as counted by hand. */
static void check_bins(hsc_db *db) {
    hsc_err err = {0};
    hsc_times *t = NULL;
    must(hsc_times_begin(db, &t, &err), &err);
    assert_true(t->n_bins > 2);
    for (unsigned k = 0; k < t->n_bins; k++) {
        const hsc_bin_level *l = &t->bins[k];
        must(hsc_times_level(db, k, &err), &err);
        hsc_pieces *sets[] = {&t->bins[k].count, &t->bins[k].category, &t->bins[k].category_count, &t->bins[k].scope, &t->bins[k].scope_count,
                              &t->bins[k].procedure, &t->bins[k].procedure_count};
        for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++)
            must(hsc_pieces_need(db, sets[i], 0, l->indptr[truth->threads], &err), &err);
        for (uint32_t thread = 0; thread < truth->threads; thread++) {
            uint64_t at = truth->sample_begin[thread], end = truth->sample_begin[thread + 1];
            for (uint64_t row = l->indptr[thread], bin = l->first[thread]; row < l->indptr[thread + 1]; row++, bin++) {
                uint64_t all = 0, by_category[256] = {0}, by_scope[90] = {0}, by_procedure[90] = {0};
                uint32_t category = HSC_NONE, scope = HSC_NONE, procedure = HSC_NONE;
                for (; at < end && truth->time[at] / l->width <= bin; at++) {
                    uint32_t leaf = truth->leaf[at], in = COL(context_scope, uint32_t)[COL(leaf_context, uint32_t)[leaf]], count = truth->count[at];
                    if (COL(leaf_metric, uint32_t)[leaf] || !count)
                        continue;
                    assert_true(truth->time[at] / l->width == bin);
                    all += count;
                    take_most(by_category, COL(leaf_category, uint8_t)[leaf], count, &category);
                    take_most(by_scope, in, count, &scope);
                    take_most(by_procedure, COL(scope_procedure, uint32_t)[in], count, &procedure);
                }
                assert_int_equal(hsc_pieces_u4(&l->count, row), all);
                assert_int_equal(hsc_pieces_u1(&l->category, row), all ? category : 0);
                assert_int_equal(hsc_pieces_u4(&l->category_count, row), all ? by_category[category] : 0);
                assert_int_equal(hsc_pieces_u4(&l->scope, row), scope);
                assert_int_equal(hsc_pieces_u4(&l->scope_count, row), all ? by_scope[scope] : 0);
                assert_int_equal(hsc_pieces_u4(&l->procedure, row), procedure);
                assert_int_equal(hsc_pieces_u4(&l->procedure_count, row), all ? by_procedure[procedure] : 0);
            }
            for (; at < end; at++)
                assert_true(COL(leaf_metric, uint32_t)[truth->leaf[at]] || !truth->count[at]);
        }
    }
}

/* Threads that are sampled at a rate, by one count for each sample and now and then by others, of several leaves, of one, and of some that are in no bin: bins of level 1
 * are made at once where they can be. */
static void make_regular(unsigned seed) {
    unsigned state = seed, *r = &state;
    for (uint32_t t = 0; t < truth->threads; t++) {
        uint32_t at = model_random(r) % 5000, leaf = 0, count = 1 + t % 3, rate = 1 + t % 4, leaves = t % 5 ? MODEL_LEAVES - 6 : MODEL_LEAVES;
        for (uint64_t i = truth->sample_begin[t]; i < truth->sample_begin[t + 1]; i++) {
            at += model_random(r) % 200 ? model_random(r) % 6 < rate : model_random(r) % 300;
            leaf = t % 2 && model_random(r) % 40 ? leaf : model_random(r) % leaves;
            truth->time[i] = at < MODEL_END ? at : MODEL_END;
            truth->leaf[i] = leaf;
            truth->count[i] = model_random(r) % 400 ? count : model_random(r) % 3;
        }
    }
}

static void test_bins(void **state) {
    (void)state;
    hsc_err err = {0};
    char *folder = model_folder(), *path = model_path(folder, "x.h5");
    for (unsigned trial = 0; trial < 4; trial++) {
        hsc_db *db = NULL;
        truth = model_new(3 + trial, false);
        model_add_times(truth, 9 + trial);
        if (trial)
            make_regular(trial);
        must(model_write(truth, path, 1, 1000, &err), &err);
        must(hsc_db_open(path, &db, &err), &err);
        check_bins(db);
        hsc_db_close(db);
        model_free(truth);
        unlink(path);
    }
    rmdir(folder);
    free(path);
    free(folder);
}

static void test_most(void **state) {
    (void)state;
    enum { N = 3 * HSC_MOST_LANES };
    unsigned seed = 5, *r = &seed;
    const hsc_most here = hsc_most_choose(), plain = hsc_most_plain();
    for (int trial = 0; trial < 20000; trial++) {
        uint16_t numbers[HSC_MOST_FEW];
        uint8_t bytes[2][N];
        uint32_t counts[2][N], above[2][N], n = HSC_MOST_LANES * (1 + model_random(r) % 3), range = 1 + model_random(r) % 60, rare = 1 + model_random(r) % 50;
        unsigned few = 1 + model_random(r) % HSC_MOST_FEW;
        uint64_t most[2] = {0, 0};
        for (unsigned i = 0; i < HSC_MOST_FEW; i++)
            numbers[i] = (uint16_t)(model_random(r) % range + (trial % 2 ? HSC_MOST_NONE - range : 0));
        for (uint32_t i = 0; i < n; i++) {
            bytes[0][i] = bytes[1][i] = (uint8_t)(model_random(r) % rare ? 0 : model_random(r));
            counts[0][i] = counts[1][i] = model_random(r) % rare ? 0 : model_random(r) << (trial % 20);
            above[0][i] = above[1][i] = model_random(r);
        }
        for (unsigned i = 0; i < few; i++) {
            uint32_t same = 0;
            for (unsigned k = 0; k < few; k++)
                same += numbers[i] == numbers[k];
            most[0] = hsc_most_larger(most[0], hsc_most_key(same, numbers[i]));
        }
        assert_int_equal(here.of_few(numbers, few), most[0]);
        assert_int_equal(plain.of_few(numbers, few), most[0]);
        for (uint32_t i = 0; i < n; i++)
            most[1] = hsc_most_larger(most[1], hsc_most_key(bytes[0][i], i));
        assert_int_equal(here.of_bytes(bytes[0], n), most[1]);
        assert_int_equal(plain.of_bytes(bytes[1], n), most[1]);
        most[1] = 0;
        for (uint32_t i = 0; i < n; i++)
            most[1] = hsc_most_larger(most[1], hsc_most_key(counts[0][i], i));
        bool up = trial % 3;
        uint32_t sum = up ? above[0][n - 1] + counts[0][n - 1] : above[0][n - 1];
        assert_int_equal(here.of_counts(counts[0], up ? above[0] : NULL, n), most[1]);
        assert_int_equal(plain.of_counts(counts[1], up ? above[1] : NULL, n), most[1]);
        assert_memory_equal(above[0], above[1], n * sizeof **above);
        assert_int_equal(above[0][n - 1], sum);
        for (uint32_t i = 0; i < n; i++)
            assert_true(!bytes[0][i] && !bytes[1][i] && !counts[0][i] && !counts[1][i]);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_bins), cmocka_unit_test(test_most)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
