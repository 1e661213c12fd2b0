/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocations of the store fail in turn, the first two and the last of each place that there is: an error, no file, no leak (the sanitizers look), and the next try works. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <execinfo.h>

#include "db.h"
#include "model.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t m);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t m);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

enum { FRAMES = 6, ALLOCATIONS = 1 << 16 };

static long countdown = -1, counted; /* the allocation that fails; < 0: none */
static bool noting;
static void *places[ALLOCATIONS][FRAMES]; /* of each allocation that is noted: who called it */

static bool fails(void) {
    if (noting && counted < ALLOCATIONS) {
        void *frames[FRAMES + 2] = {0}; /* this one and the wrapper are the first two */
        backtrace(frames, FRAMES + 2);
        memcpy(places[counted], frames + 2, sizeof places[counted]);
    }
    counted++;
    return countdown >= 0 && countdown-- == 0;
}

void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t m) { return fails() ? NULL : __real_calloc(n, m); }
void *__wrap_realloc(void *p, size_t n) { return fails() ? NULL : __real_realloc(p, n); }
char *__wrap_strdup(const char *s) { return fails() ? NULL : __real_strdup(s); }

static char *path;

static hsc_status write_once(const model *m, hsc_err *err) {
    return model_write(m, path, 1, 1, err); /* one worker: allocations come in one order */
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if (!status)                                                                                                   \
            status = (call);                                                                                           \
    } while (0)

static hsc_status read_once(hsc_err *err) {
    static double sums[700];
    static hsc_db_stats stats[700];
    static float block[700 * 23];
    static const uint32_t low[2] = {0, 300}, high[2] = {300, 700};
    static uint32_t bins[23];
    hsc_db *db = NULL;
    hsc_status status = hsc_db_open(path, &db, err);
    for (int t = 0; t < HSC_TAB_COUNT; t++)
        TRY(hsc_db_load(db, (enum hsc_table_id)t, err));
    for (int axis = 0; axis <= HSC_AXIS_NODE && !status; axis++) {
        static const hsc_db_table tables[] = {HSC_TABLE_LINE, HSC_TABLE_CONTEXT_INCL};
        for (int i = 0; i < 2; i++) {
            hsc_db_view view = {0, tables[i], (hsc_db_axis)axis};
            uint64_t indptr[121], rows[5], n;
            uint32_t *indices = NULL, *some = NULL, found;
            float *values = NULL, *more = NULL;
            double top[5];
            db->level_cost = 0;
            TRY(hsc_db_read_sums(db, view, 0, 120, sums, err));
            TRY(hsc_db_read_stats(db, view, 0, 120, stats, err));
            TRY(hsc_db_read_block(db, view, 0, 20, 0, 3, block, err));
            TRY(hsc_db_read_sparse(db, view, 0, 20, indptr, &indices, &values, err));
            TRY(hsc_db_read_column(db, view, 1, &n, &some, &more, err));
            TRY(hsc_db_read_top(db, view, NULL, NULL, 5, rows, top, &found, err));
            if (!i && axis != HSC_AXIS_NODE)
                TRY(hsc_db_read_bins(db, view, HSC_REDUCE_MAX, 2, low, high, 1, bins, block, err));
            free(indices);
            free(values);
            free(some);
            free(more);
        }
    }
    char *text = NULL;
    size_t size;
    TRY(hsc_db_read_source(db, 2, &text, &size, NULL, err));
    free(text);
    hsc_db_close(db);
    return status;
}

/* Whether an allocation of `all` is the first, the second or the last one of its place: of six callers. */
static bool is_tried(long n, long all) {
    long before = 0, after = 0;
    for (long i = 0; i < all; i++)
        if (i != n && !memcmp(places[i], places[n], sizeof places[n]))
            *(i < n ? &before : &after) += 1;
    return before < 2 || !after;
}

static void fail_each_in_turn(bool apart) {
    hsc_err err = {0};
    model *m = model_new(31, false);
    m->apart = apart;
    counted = 0;
    noting = true;
    assert_int_equal(write_once(m, &err), HSC_OK);
    noting = false;
    long all = counted, failed = 0, tried = 0;
    assert_true(all <= ALLOCATIONS);
    for (long n = 0; n < all; n++) {
        if (!is_tried(n, all))
            continue;
        tried++;
        unlink(path);
        hsc_err_clear(&err);
        countdown = n;
        hsc_status status = write_once(m, &err);
        countdown = -1;
        failed += status != HSC_OK;
        if (status && (status != HSC_E_MEMORY || !err.text[0]))
            fail_msg("allocation %ld: status %d, %s", n, status, err.text);
        if (status)
            assert_int_not_equal(access(path, F_OK), 0);
    }
    print_message("%ld allocations, %ld failed in turn, %ld were errors\n", all, tried, failed);
    assert_true(failed > 50);
    hsc_err_clear(&err);
    assert_int_equal(write_once(m, &err), HSC_OK);
    model_free(m);
}

static void each_allocation_of_the_writer(void **state) {
    (void)state;
    fail_each_in_turn(false);
}

static void each_allocation_of_one_apart(void **state) {
    (void)state;
    fail_each_in_turn(true);
}

static void each_allocation_of_the_reader(void **state) {
    (void)state;
    hsc_err err = {0};
    counted = 0;
    noting = true;
    assert_int_equal(read_once(&err), HSC_OK);
    noting = false;
    long all = counted, failed = 0, tried = 0;
    assert_true(all <= ALLOCATIONS);
    for (long n = 0; n < all; n++) {
        if (!is_tried(n, all))
            continue;
        tried++;
        hsc_err_clear(&err);
        countdown = n;
        hsc_status status = read_once(&err);
        countdown = -1;
        failed += status != HSC_OK;
        if (status && (status != HSC_E_MEMORY || !err.text[0]))
            fail_msg("allocation %ld: status %d, %s", n, status, err.text);
    }
    print_message("%ld allocations, %ld failed in turn, %ld were errors\n", all, tried, failed);
    assert_true(failed > 50);
    hsc_err_clear(&err);
    assert_int_equal(read_once(&err), HSC_OK);
}

/* Arrays of 64 KB and more share large pages; none lies on another. */
static void arrays_share_pages(void **state) {
    enum { ARRAYS = 60 };
    static const size_t sizes[] = {0, 1, 100000, 874396, 65536, 2 << 20, 1 << 20, 1600000};
    hsc_large_room room = {0};
    unsigned char *at[ARRAYS];
    size_t shared = 0;
    (void)state;
    for (size_t i = 0; i < ARRAYS; i++) {
        size_t n = sizes[i % (sizeof sizes / sizeof *sizes)];
        assert_non_null(at[i] = hsc_large_take(&room, n));
        assert_int_equal((uintptr_t)at[i] % 16, 0);
        memset(at[i], (int)i, n);
    }
    for (size_t i = 0; i < ARRAYS; i++)
        for (size_t k = 0, n = sizes[i % (sizeof sizes / sizeof *sizes)]; k < n; k++)
            assert_int_equal(at[i][k], i);
    for (size_t i = 2; i + 1 < ARRAYS; i += 8) /* one after the other */
        shared += (uintptr_t)at[i + 1] - (uintptr_t)at[i] == 100032;
    assert_in_range(shared, 4, ARRAYS);
    hsc_large_free(&room);
    assert_null(room.blocks);
    assert_non_null(hsc_large_take(&room, 70000)); /* begins anew */
    hsc_large_free(&room);
}

/* Room that was used is taken again, cleared where that is asked for; what was taken since it began comes back after it was dropped, and no more. */
static void room_is_used_again(void **state) {
    enum { SMALL = 300000, LARGE = 5 << 20 };
    hsc_spares s = {0};
    (void)state;
    hsc_spare_begin(&s);
    char *large = hsc_spare_take(&s, LARGE, true), *small = hsc_spare_take(&s, SMALL, false);
    assert_non_null(large);
    assert_non_null(small);
    memset(large, 1, LARGE);
    memset(small, 1, SMALL);
    hsc_spare_put(&s, malloc(100)); /* not worth it */
    hsc_spare_put(&s, NULL);
    assert_int_equal(s.n, 0);
    hsc_spare_put(&s, large);
    hsc_spare_put(&s, small);
    hsc_spare_begin(&s);
    char *same = hsc_spare_take(&s, SMALL - 8, true); /* the smallest that has room */
    assert_ptr_equal(same, small);
    for (size_t i = 0; i < SMALL - 8; i++)
        assert_int_equal(same[i], 0);
    char *other = hsc_spare_take(&s, SMALL, true); /* the large one is too large for it */
    assert_ptr_not_equal(other, large);
    free(other);
    assert_ptr_equal(hsc_spare_take(&s, LARGE, false), large);
    hsc_spare_put(&s, large);
    hsc_spare_put(&s, same);
    hsc_spare_drop(&s);
    assert_int_equal(s.n, 0);
    free(hsc_spare_take(&s, LARGE, false)); /* of something else */
    hsc_spare_put(&s, malloc(LARGE));
    assert_false(hsc_spare_again(&s));
    assert_false(hsc_spare_again(&s));
    assert_false(hsc_spare_again(&s)); /* a piece of the large one, no more at a time */
    assert_int_equal(s.n, 3);
    assert_int_equal(s.of[2].clear, HSC_SPARE_PIECE);
    assert_true(hsc_spare_again(&s));
    assert_true(hsc_spare_again(&s));
    assert_int_equal(s.n, 3);
    for (unsigned i = 0; i < s.n; i++) {
        assert_in_range(s.of[i].bytes, i < 2 ? SMALL - 8 : LARGE, i < 2 ? SMALL : LARGE);
        assert_int_equal(s.of[i].clear, s.of[i].bytes);
    }
    hsc_spare_drop(&s);
    for (unsigned i = 0; i < 3; i++)
        assert_false(hsc_spare_again(&s));
    memset((char *)s.of[2].p + s.of[2].clear, 1, s.of[2].bytes - s.of[2].clear);
    large = hsc_spare_take(&s, LARGE, true); /* before all of it is cleared: the rest is then */
    assert_int_equal(s.n, 2);
    for (size_t i = 0; i < LARGE; i++)
        assert_int_equal(large[i], 0);
    free(large);
    hsc_spare_drop(&s);
    assert_true(hsc_spare_comes(&s, LARGE + LARGE / 2)); /* so the large one is not got */
    assert_false(hsc_spare_again(&s));
    assert_true(hsc_spare_again(&s));
    assert_true(hsc_spare_again(&s));
    assert_int_equal(s.n, 2);
    assert_true(hsc_spare_comes(&s, SMALL + SMALL / 4)); /* one that is there goes */
    assert_false(hsc_spare_comes(&s, 4 * LARGE));        /* too large for any */
    assert_int_equal(s.n, 1);
    assert_int_equal(s.of[0].clear, s.of[0].bytes);
    assert_true(hsc_spare_again(&s));
    hsc_spare_none_comes(&s);
    while (!hsc_spare_again(&s))
        assert_in_range(s.n, 2, 3);
    assert_int_equal(s.n, 3);
    hsc_spare_end(&s);
    assert_int_equal(s.n + s.n_again, 0);
}

static size_t resident_kb(void) {
    char line[200];
    size_t kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        (void)sscanf(line, "RssAnon: %zu", &kb);
    if (f)
        fclose(f);
    return kb;
}

/* An array of zeros takes no memory, reads as zeros and can be written; others stay as they are. */
static void zeros_take_no_memory(void **state) {
    enum { BYTES = 24 << 20 };
    (void)state;
    char *p = hsc_large_malloc(BYTES);
    assert_non_null(p);
    memset(p, 0, BYTES);
    size_t before = resident_kb();
    hsc_large_blank(p + 3, BYTES - 7); /* wherever it begins */
    assert_true(resident_kb() + (16 << 10) < before);
    for (size_t i = 0; i < BYTES; i++)
        assert_int_equal(p[i], 0);
    p[BYTES - 1] = 1;
    memset(p, 7, BYTES / 2);
    hsc_large_blank(p, BYTES);
    assert_int_equal(p[0], 7);
    assert_int_equal(p[BYTES / 2], 0);
    assert_int_equal(p[BYTES - 1], 1);
    memset(p, 5, BYTES); /* all alike, but not 0 */
    hsc_large_blank(p, BYTES);
    assert_int_equal(p[BYTES / 3], 5);
    free(p);
}

int main(void) {
    char *folder = model_folder();
    path = model_path(folder, "x.h5");
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_of_one_apart), cmocka_unit_test(each_allocation_of_the_writer),
                                       cmocka_unit_test(each_allocation_of_the_reader), cmocka_unit_test(arrays_share_pages), cmocka_unit_test(room_is_used_again), cmocka_unit_test(zeros_take_no_memory)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
    return failed;
}
