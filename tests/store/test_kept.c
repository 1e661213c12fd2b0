/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values that a database keeps of the one before: the bytes are those of putting them all, with and without bands, by thread and by process. */
#include <setjmp.h>
#include <stdarg.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model.h"
#include "store_internal.h"

enum { ROWS = 700, SETS_MAX = 4096 };

static char *folder, *before_path, *kept_path, *whole_path;

typedef struct memo { /* chunks of the file written last, and of the one before */
    hsc_packed_chunk old[SETS_MAX], made[SETS_MAX];
    unsigned n_old, n_made, looked;
    int fd;
} memo;

static uint8_t *find(void *ctx, const uint8_t *plain, size_t used, size_t whole, size_t element, unsigned effort, hsc_packed_chunk *c) {
    (void)ctx, (void)plain, (void)used, (void)whole, (void)element, (void)effort;
    *c = (hsc_packed_chunk){.n = 0};
    return NULL;
}

static uint8_t *look(void *ctx, size_t whole, hsc_packed_chunk *c) {
    memo *m = ctx;
    (void)whole;
    for (unsigned i = 0; i < m->n_old; i++)
        if (m->old[i].set == c->set && m->old[i].index == c->index) {
            uint8_t *packed = malloc(m->old[i].n);
            *c = m->old[i];
            assert_int_equal(pread(m->fd, packed, c->n, (off_t)c->offset), c->n);
            m->looked++;
            return packed;
        }
    return NULL;
}

static void seal(void *ctx, const uint8_t *packed, hsc_packed_chunk *c) { (void)ctx, (void)packed, (void)c; }

static void keep(void *ctx, const hsc_packed_chunk *c) {
    memo *m = ctx;
    assert_true(m->n_made < SETS_MAX);
    m->made[m->n_made++] = *c;
}

#define OK(call) ok(call, &err, #call)
static void ok(hsc_status status, const hsc_err *err, const char *what) {
    if (status)
        fail_msg("%s: %s", what, err->text);
}

typedef struct shape {
    uint32_t threads, per_process, rows, band_unit; /* band_unit 0: no bands */
    uint64_t pyramid_min;
} shape;

static uint32_t count_at(uint32_t row, uint32_t thread) {
    uint32_t x = (row * 2654435761u) ^ (thread * 40503u + 17u);
    x ^= x >> 13;
    x *= 2246822519u;
    x ^= x >> 16;
    return row % 50 == 3 ? 1 + x % 9 : row % 50 == 7 ? 0 : x % 10 < 6 ? 1 + x % 1000 : 0; /* rows of all threads, rows of none */
}

static void put_table(hsc_store *s, enum hsc_table_id table, uint64_t n, const uint32_t *process) {
    hsc_err err = {0};
    for (int c = 0; c < HSC_COL_COUNT; c++)
        if (hsc_schema_columns[c].table == table) {
            void *zero = calloc(n + 1, 8);
            bool is_process = c == HSC_COL_thread_process;
            OK(hsc_store_put_column(s, (enum hsc_column_id)c, is_process ? (const void *)process : zero, n, &err));
            free(zero);
        }
}

/* A store in which a value table of the shape is begun. */
static hsc_store *begin_table(const char *path, const shape *h, const hsc_packed_memo *how, int before) {
    hsc_err err = {0};
    hsc_store *s = NULL;
    uint32_t *process = malloc(h->threads * sizeof *process);
    for (uint32_t t = 0; t < h->threads; t++)
        process[t] = t / h->per_process;
    OK(hsc_store_create(path, 2, &s, &err));
    s->pyramid_min = h->pyramid_min;
    if (h->band_unit) {
        s->band_unit = h->band_unit;
        s->bands_min = s->band_values = 0;
        hsc_store_expect_values(s, UINT64_MAX);
    }
    hsc_store_set_memo(s, how);
    if (before >= 0)
        hsc_store_set_before(s, before);
    put_table(s, HSC_TAB_module, 1, NULL);
    put_table(s, HSC_TAB_file, 1, NULL);
    put_table(s, HSC_TAB_line, h->rows, NULL);
    put_table(s, HSC_TAB_process, process[h->threads - 1] + 1, NULL);
    put_table(s, HSC_TAB_thread, h->threads, process);
    OK(hsc_store_begin_values(s, 0, HSC_TABLE_LINE, h->rows, h->threads, &err));
    free(process);
    return s;
}

/* Threads [first, threads) are put, those before are kept, where the database before has them. */
static bool write_values(const char *path, const shape *h, uint32_t first, memo *k) {
    hsc_err err = {0};
    uint32_t *rows = malloc(h->rows * sizeof *rows), *counts = malloc(h->rows * sizeof *counts);
    const hsc_packed_memo how = {k, find, look, seal, keep};
    bool kept = false;
    k->n_made = k->looked = 0;
    hsc_store *s = begin_table(path, h, &how, first ? k->fd : -1);
    if (first)
        OK(hsc_store_keep_threads(s, first, &kept, &err));
    for (uint32_t t = kept ? first : 0; t < h->threads; t++) {
        uint64_t indptr[2] = {0};
        for (uint32_t r = 0; r < h->rows; r++)
            if (count_at(r, t)) {
                rows[indptr[1]] = r;
                counts[indptr[1]++] = count_at(r, t);
            }
        OK(hsc_store_put_threads(s, 1, indptr, rows, counts, &err));
    }
    OK(hsc_store_end_values(s, &err));
    OK(hsc_out_drain(s->out, &err));
    H5Fflush(s->file, H5F_SCOPE_GLOBAL);
    assert_int_equal(rename(s->temporary, path), 0); /* the values are all there is */
    s->created = false;
    hsc_store_abort(s);
    free(rows);
    free(counts);
    return kept;
}

static char *slurp(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *p = malloc(*size + 1);
    assert_int_equal(fread(p, 1, *size, f), *size);
    fclose(f);
    return p;
}

/* Number of chunks that were copied. */
static unsigned same_bytes(shape h, uint32_t before, bool expected) {
    memo *k = calloc(1, sizeof *k);
    shape first = h;
    first.threads = before;
    write_values(before_path, &first, 0, k);
    memcpy(k->old, k->made, sizeof k->old);
    k->n_old = k->n_made;
    k->fd = open(before_path, O_RDONLY | O_CLOEXEC);
    assert_true(k->fd >= 0);
    assert_int_equal(write_values(kept_path, &h, before, k), expected);
    unsigned looked = k->looked;
    write_values(whole_path, &h, 0, k);
    size_t n[2];
    char *bytes[2] = {slurp(kept_path, &n[0]), slurp(whole_path, &n[1])};
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    free(bytes[0]);
    free(bytes[1]);
    close(k->fd);
    free(k);
    return looked;
}

static void without_bands(void **state) {
    (void)state;
    assert_int_equal(same_bytes((shape){120, 1, ROWS, 0, UINT64_MAX}, 118, true), 2 * 3); /* by thread alone: 49,500 values are 3 chunks and a bit */
    same_bytes((shape){120, 3, ROWS, 0, UINT64_MAX}, 117, true);
    same_bytes((shape){20, 1, ROWS, 0, UINT64_MAX}, 1, true); /* less than a chunk, and that of one thread */
    same_bytes((shape){4, 2, 20, 0, UINT64_MAX}, 2, true);    /* less than is cut into chunks */
}

static void with_bands(void **state) {
    (void)state;
    assert_true(same_bytes((shape){120, 1, ROWS, 4, UINT64_MAX}, 116, true) > 2 * 3); /* 64 + 48 + 8, of 64 + 48 + 4 */
    same_bytes((shape){120, 1, ROWS, 4, UINT64_MAX}, 119, true);
    same_bytes((shape){128, 1, ROWS, 4, UINT64_MAX}, 112, true);
    same_bytes((shape){65, 1, ROWS, 4, UINT64_MAX}, 63, true); /* another first band */
    same_bytes((shape){120, 3, ROWS, 4, UINT64_MAX}, 117, true);
    same_bytes((shape){126, 2, ROWS, 1, UINT64_MAX}, 124, true);
    same_bytes((shape){126, 2, ROWS, 1, UINT64_MAX}, 84, true);
    same_bytes((shape){126, 3, 30, 2, UINT64_MAX}, 126, true); /* nothing is new */
}

static void with_pyramids(void **state) {
    (void)state;
    same_bytes((shape){120, 1, ROWS, 4, 1}, 116, true);
    same_bytes((shape){120, 3, ROWS, 4, 1}, 117, true);
    same_bytes((shape){120, 1, ROWS, 4, 48500}, 115, true); /* these get one: more values than that; the ones before had none */
}

static void of_others_nothing_is_kept(void **state) {
    (void)state;
    memo *k = calloc(1, sizeof *k);
    shape h = {40, 1, ROWS, 4, UINT64_MAX}, more = {41, 1, ROWS + 1, 4, UINT64_MAX};
    write_values(before_path, &h, 0, k);
    k->fd = open(before_path, O_RDONLY | O_CLOEXEC);
    assert_false(write_values(kept_path, &more, 40, k)); /* rows */
    more.rows = ROWS;
    assert_false(write_values(kept_path, &more, 39, k)); /* threads */
    assert_true(write_values(kept_path, &more, 40, k));
    close(k->fd);
    free(k);
}

/* Each chunk of the database before in turn has other bytes; the store fails, and knows why. */
static void damaged(void **state) {
    (void)state;
    memo *k = calloc(1, sizeof *k);
    shape h = {120, 3, ROWS, 4, UINT64_MAX}, more = {123, 3, ROWS, 4, UINT64_MAX};
    const hsc_packed_memo how = {k, find, look, seal, keep};
    write_values(before_path, &h, 0, k);
    unsigned n = k->n_made, failed = 0;
    for (unsigned i = 0; i < n; i++) {
        uint8_t other[64], was[64];
        const hsc_packed_chunk c = k->made[i];
        int fd = k->fd = open(before_path, O_RDWR | O_CLOEXEC);
        const size_t size = c.n < sizeof was ? c.n : sizeof was;
        assert_true(fd >= 0);
        assert_int_equal(pread(fd, was, size, (off_t)c.offset), size);
        for (size_t b = 0; b < size; b++)
            other[b] = (uint8_t)~was[b];
        assert_int_equal(pwrite(fd, other, size, (off_t)c.offset), size);
        hsc_err err = {0};
        bool kept = false;
        hsc_store *s = begin_table(kept_path, &more, &how, fd);
        assert_false(hsc_store_has_bad_before(s));
        hsc_status status = hsc_store_keep_threads(s, h.threads, &kept, &err);
        for (uint32_t t = h.threads; t < more.threads && kept && !status; t++)
            status = hsc_store_put_threads(s, 1, (const uint64_t[]){0, 1}, (const uint32_t[]){0}, (const uint32_t[]){1}, &err);
        if (kept && !status)
            status = hsc_store_end_values(s, &err);
        assert_true(hsc_store_has_bad_before(s) == (status != HSC_OK));
        failed += status != HSC_OK;
        hsc_store_abort(s);
        k->n_made = n;
        assert_int_equal(pwrite(fd, was, size, (off_t)c.offset), size);
        close(fd);
    }
    assert_true(failed > n / 2);
    free(k);
}

int main(void) {
    folder = model_folder();
    before_path = model_path(folder, "before.h5");
    kept_path = model_path(folder, "kept.h5");
    whole_path = model_path(folder, "whole.h5");
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_bands), cmocka_unit_test(with_bands), cmocka_unit_test(with_pyramids),
                                       cmocka_unit_test(of_others_nothing_is_kept), cmocka_unit_test(damaged)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    model_files(folder, true);
    rmdir(folder);
    free(folder);
    free(before_path);
    free(kept_path);
    free(whole_path);
    return failed;
}
