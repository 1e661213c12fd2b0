/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries that add up or rank, against the model's plain arrays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db.h"
#include "model.h"

#include <cmocka.h>

#define OK(call)                                                                                                                                   \
    do {                                                                                                                                           \
        if ((call) != HSC_OK)                                                                                                                      \
            fail_msg("%s: %s", #call, err.text);                                                                                                   \
    } while (0)
#define C(name, type, row) ((const type *)m->columns[HSC_COL_##name])[row]

static char *path;

static hsc_db *open_model(const model *m) {
    hsc_err err = {0};
    hsc_db *db = NULL;
    OK(model_write(m, path, 1, 1 << 20, &err));
    OK(hsc_db_open(path, &db, &err));
    return db;
}

/* What process p has with process q by the definition in query.h. */
static double between(const model *m, hsc_db_between what, uint32_t p, uint32_t q) {
    double sum = 0;
    for (uint32_t i = 0; what < HSC_BETWEEN_WAITING && i < m->rows[HSC_TAB_message_pair]; i++) {
        bool received = what >= HSC_BETWEEN_RECEIVED;
        uint32_t own = C(message_pair_process, uint32_t, i), other = C(message_pair_peer, uint32_t, i);
        if (own == (received ? q : p) && other == (received ? p : q))
            sum += (double)(what == HSC_BETWEEN_SENT         ? C(message_pair_sent, uint64_t, i)
                            : what == HSC_BETWEEN_SENT_BYTES ? C(message_pair_sent_bytes, uint64_t, i)
                            : what == HSC_BETWEEN_RECEIVED   ? C(message_pair_received, uint64_t, i)
                                                             : C(message_pair_received_bytes, uint64_t, i));
    }
    for (uint32_t i = 0; what >= HSC_BETWEEN_WAITING && i < m->rows[HSC_TAB_delayed]; i++) {
        uint32_t late = C(delay_thread, uint32_t, C(delayed_delay, uint32_t, i));
        if (C(thread_process, uint32_t, C(delayed_thread, uint32_t, i)) == p && C(thread_process, uint32_t, late) == q)
            sum += what == HSC_BETWEEN_WAITING ? C(delayed_wait_s, double, i) : (double)C(delayed_waits, uint64_t, i);
    }
    return sum;
}

static void matrices_add_up(void **state) {
    (void)state;
    hsc_err err = {0};
    model *m = model_new(11, false);
    hsc_db *db = open_model(m);
    uint32_t n = m->processes, bin_of[16], few[16];
    double out[16 * 16], outside[16];
    for (uint32_t p = 0; p < n; p++) {
        bin_of[p] = n - 1 - p;
        few[p] = p == 2 ? HSC_NONE : p % 2;
    }
    for (hsc_db_between what = HSC_BETWEEN_SENT; what <= HSC_BETWEEN_WAITS; what++) {
        double all = 0;
        OK(hsc_db_read_matrix(db, what, n, bin_of, out, outside, &err));
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = 0; q < n; q++) {
                double truth = between(m, what, p, q), got = out[bin_of[p] * n + bin_of[q]];
                assert_true(fabs(got - truth) <= 1e-12 * truth);
                all += truth;
            }
        assert_true(all > 0);
        OK(hsc_db_read_matrix(db, what, 2, few, out, outside, &err));
        double grouped[4] = {0};
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = 0; q < n; q++)
                if (p != 2 && q != 2)
                    grouped[few[p] * 2 + few[q]] += between(m, what, p, q);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(out[i] - grouped[i]) <= 1e-12 * grouped[i]);
    }
    double left = 0; /* the rest: with processes that were not measured, or with number 2, which is left out */
    OK(hsc_db_read_matrix(db, HSC_BETWEEN_SENT_BYTES, 2, few, out, outside, &err));
    for (uint32_t i = 0; i < m->rows[HSC_TAB_message_pair]; i++)
        if (C(message_pair_process, uint32_t, i) != 2 && (C(message_pair_peer, uint32_t, i) == HSC_NONE || C(message_pair_peer, uint32_t, i) == 2))
            left += (double)C(message_pair_sent_bytes, uint64_t, i);
    assert_true(left > 0 && fabs(outside[0] + outside[1] - left) <= 1e-12 * left);
    bin_of[3] = n;
    assert_int_equal(hsc_db_read_matrix(db, HSC_BETWEEN_SENT, n, bin_of, out, outside, &err), HSC_E_ARGUMENT);
    assert_non_null(strstr(err.text, "process 3"));
    assert_int_equal(hsc_db_read_matrix(db, HSC_BETWEEN_SENT, 0, few, out, outside, &err), HSC_E_ARGUMENT);
    hsc_db_close(db);
    model_free(m);
}

static void pairs_come_back(void **state) {
    (void)state;
    hsc_err err = {0};
    model *m = model_new(12, false);
    hsc_db *db = open_model(m);
    hsc_db_pair pair;
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    assert_int_equal(info.pairs, 30);
    for (uint32_t i = 0; i < 30; i++) {
        OK(hsc_db_get_pair(db, i, &pair, &err));
        assert_int_equal(pair.process, C(message_pair_process, uint32_t, i));
        assert_int_equal(pair.peer, C(message_pair_peer, uint32_t, i));
        assert_int_equal(pair.peer_rank, C(message_pair_peer_rank, uint32_t, i));
        assert_true(pair.sent == C(message_pair_sent, uint64_t, i) && pair.received == C(message_pair_received, uint64_t, i));
        assert_true(pair.sent_bytes == C(message_pair_sent_bytes, uint64_t, i) && pair.received_bytes == C(message_pair_received_bytes, uint64_t, i));
    }
    assert_int_equal(hsc_db_get_pair(db, 30, &pair, &err), HSC_E_ARGUMENT);
    uint32_t n = 0;
    double sum = 0, all = 0;
    OK(hsc_db_count_wait_pairs(db, &n, &err));
    for (uint32_t i = 0; i < n; i++) {
        hsc_db_wait_pair p, before = {0};
        OK(hsc_db_get_wait_pair(db, i, &p, &err));
        if (i)
            OK(hsc_db_get_wait_pair(db, i - 1, &before, &err));
        assert_true(!i || before.process < p.process || (before.process == p.process && before.late < p.late));
        assert_true(fabs(p.wait_s - between(m, HSC_BETWEEN_WAITING, p.process, p.late)) <= 1e-9);
        sum += p.wait_s;
    }
    for (uint32_t i = 0; i < m->rows[HSC_TAB_delayed]; i++)
        all += C(delayed_wait_s, double, i);
    assert_true(fabs(sum - all) <= 1e-9 * all);
    hsc_db_wait_pair p;
    assert_int_equal(hsc_db_get_wait_pair(db, n, &p, &err), HSC_E_ARGUMENT);
    hsc_db_close(db);
    model_free(m);
}

/* A picture of a few rows by process takes them from blocks, though few processes are together in them, and once half of the blocks was taken in
 * pieces, those that were not wanted yet are there too. */
static void parts_of_pictures_are_soon_there(void **state) {
    (void)state;
    enum { BLOCK = 16, BINS = 4, PICTURES = 10, KEPT = 6 };
    hsc_err err = {0};
    model *m = model_new(12, false);
    const uint32_t lines = (uint32_t)m->rows[HSC_TAB_line], n = m->processes, threads = m->threads;
    uint32_t *values = m->values[HSC_TABLE_LINE];
    for (uint32_t r = 0; r < lines; r++) /* of all threads of one process */
        for (uint32_t t = 0; t < threads; t++)
            values[r * threads + t] = C(thread_process, uint32_t, t) == r % n ? 1 + (r * 7 + t) % 40 : 0;
    assert_true(lines >= PICTURES * BINS * BLOCK && n <= 16);
    hsc_db *db = NULL;
    OK(model_write(m, path, 1, 1, &err));
    OK(hsc_db_open(path, &db, &err));
    assert_true(hsc_db_has(db, "/metrics/0/line/process_blocks/16"));
    for (uint32_t at = 0; at < PICTURES; at++) {
        uint32_t low[BINS], high[BINS], bin_of[16];
        float out[BINS * 16];
        for (uint32_t i = 0; i < BINS; i++) {
            low[i] = (at * BINS + i) * BLOCK;
            high[i] = low[i] + BLOCK;
        }
        for (uint32_t p = 0; p < n; p++)
            bin_of[p] = p;
        uint64_t waits = hsc_dbfile_waits(db->file);
        OK(hsc_db_read_bins(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_PROCESS}, HSC_REDUCE_MAX, BINS, low, high, n, bin_of, out, &err));
        assert_true(at < KEPT || hsc_dbfile_waits(db->file) == waits);
        for (uint32_t i = 0; i < BINS; i++)
            for (uint32_t p = 0; p < n; p++) {
                double most = 0;
                for (uint32_t r = low[i]; r < high[i]; r++) {
                    double sum = 0;
                    for (uint32_t t = 0; t < threads; t++)
                        sum += C(thread_process, uint32_t, t) == p ? values[r * threads + t] : 0;
                    most = fmax(most, sum);
                }
                assert_true(out[i * n + p] == (float)most);
            }
    }
    hsc_db_close(db);
    model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_pictures_are_soon_there), cmocka_unit_test(matrices_add_up),
                                       cmocka_unit_test(pairs_come_back)};
    char *folder = model_folder();
    path = model_path(folder, "x.h5");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
    return failed;
}
