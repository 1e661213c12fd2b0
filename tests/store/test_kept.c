/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values and samples by time that a database keeps of the one before: the bytes are those of putting them all, with and without bands, by thread and by process. */
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

enum { ROWS = 700, SETS_MAX = 8192 };

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

static bool look(void *ctx, hsc_packed_chunk *c) {
    memo *m = ctx;
    for (unsigned i = 0; i < m->n_old; i++)
        if (m->old[i].set == c->set && m->old[i].index == c->index) {
            *c = m->old[i];
            m->looked++;
            return true;
        }
    return false;
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
    put_table(s, HSC_TAB_metric, 1, NULL);
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

/* What was written to before_path is the database that is there. */
static void is_there(memo *k) {
    memcpy(k->old, k->made, sizeof k->old);
    k->n_old = k->n_made;
    k->fd = open(before_path, O_RDONLY | O_CLOEXEC);
    assert_true(k->fd >= 0);
}

/* What kept something of it has the bytes of what was made whole. */
static void end_same(memo *k) {
    size_t n[2];
    char *bytes[2] = {slurp(kept_path, &n[0]), slurp(whole_path, &n[1])};
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    free(bytes[0]);
    free(bytes[1]);
    close(k->fd);
    free(k);
}

/* Number of chunks that were copied. */
static unsigned same_bytes(shape h, uint32_t before, bool expected) {
    memo *k = calloc(1, sizeof *k);
    shape first = h;
    first.threads = before;
    write_values(before_path, &first, 0, k);
    is_there(k);
    assert_int_equal(write_values(kept_path, &h, before, k), expected);
    unsigned looked = k->looked;
    write_values(whole_path, &h, 0, k);
    end_same(k);
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
        bool kept = false, is_bad = false;
        hsc_store *s = begin_table(kept_path, &more, &how, fd);
        hsc_store_set_bad_before(s, &is_bad);
        hsc_status status = hsc_store_keep_threads(s, h.threads, &kept, &err);
        for (uint32_t t = h.threads; t < more.threads && kept && !status; t++)
            status = hsc_store_put_threads(s, 1, (const uint64_t[]){0, 1}, (const uint32_t[]){0}, (const uint32_t[]){1}, &err);
        if (kept && !status)
            status = hsc_store_end_values(s, &err);
        failed += status != HSC_OK;
        hsc_store_abort(s);
        assert_true(is_bad == (status != HSC_OK));
        k->n_made = n;
        assert_int_equal(pwrite(fd, was, size, (off_t)c.offset), size);
        close(fd);
    }
    assert_true(failed > n / 2);
    free(k);
}

/* The database before loses its second half when it is already known what is kept: what is copied of it is missed at the latest when all is written. */
static void cut_meanwhile(void **state) {
    (void)state;
    memo *k = calloc(1, sizeof *k);
    const shape h = {120, 1, ROWS, 0, UINT64_MAX}, more = {122, 1, ROWS, 0, UINT64_MAX};
    const hsc_packed_memo how = {k, find, look, seal, keep};
    hsc_err err = {0};
    bool kept = false, is_bad = false;
    write_values(before_path, &h, 0, k);
    is_there(k);
    hsc_store *s = begin_table(kept_path, &more, &how, k->fd);
    hsc_store_set_bad_before(s, &is_bad);
    OK(hsc_store_keep_threads(s, h.threads, &kept, &err));
    assert_true(kept && k->looked > 0);
    assert_int_equal(truncate(before_path, (off_t)k->old[0].offset), 0);
    hsc_status status = HSC_OK;
    for (uint32_t t = h.threads; t < more.threads && !status; t++)
        status = hsc_store_put_threads(s, 1, (const uint64_t[]){0, 1}, (const uint32_t[]){0}, (const uint32_t[]){1}, &err);
    if (!status)
        status = hsc_store_end_values(s, &err);
    if (!status)
        status = hsc_out_drain(s->out, &err);
    if (!status)
        H5Fflush(s->file, H5F_SCOPE_GLOBAL);
    hsc_store_abort(s);
    assert_true(is_bad);
    close(k->fd);
    free(k);
}

/* Few threads, a sixth of the rows, large counts that are alike but for chance: both orders have at most 4 bytes a value. */
static void few_large_counts(void **state) {
    (void)state;
    static const char *const sets[] = {"by_row/indptr", "by_row/indices", "by_row/data", "by_thread/indptr", "by_thread/indices", "by_thread/data"};
    const shape h = {4, 1, 5003, 0, UINT64_MAX};
    hsc_err err = {0};
    uint32_t rows[5003], counts[5003];
    uint64_t nnz = 0, size = 0;
    hsc_store *s = begin_table(whole_path, &h, NULL, -1);
    for (uint32_t t = 0; t < h.threads; t++) {
        uint64_t indptr[2] = {0};
        for (uint32_t r = 0; r < h.rows; r++) {
            uint32_t of_row = r * 2654435761u, chance = (r + 77) * 2246822519u ^ (t + 1) * 2654435761u;
            of_row ^= of_row >> 15;
            chance = (chance ^ chance >> 15) * 2246822519u;
            if (of_row % 6 == 0) {
                rows[indptr[1]] = r;
                counts[indptr[1]++] = 500 + of_row / 8 % 20000 + ((chance & 255) + (chance >> 8 & 255) + (chance >> 16 & 255) + (chance >> 24)) / 4;
            }
        }
        nnz += indptr[1];
        OK(hsc_store_put_threads(s, 1, indptr, rows, counts, &err));
    }
    OK(hsc_store_end_values(s, &err));
    OK(hsc_out_drain(s->out, &err));
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char path[64];
        snprintf(path, sizeof path, "/metrics/0/line/%s", sets[i]);
        hid_t set = H5Dopen2(s->file, path, H5P_DEFAULT);
        assert_true(set >= 0);
        size += H5Dget_storage_size(set);
        H5Dclose(set);
    }
    hsc_store_abort(s);
    print_message("%.3f bytes a value\n", (double)size / (double)nnz);
    assert_true(size <= 4 * nnz);
}

/* ---- samples by time ---- */

enum { LEAVES = 150, CONTEXTS = 40, SCOPES = 12, CATEGORIES = 3, BIN = 100, TIMES_MAX = 60000 };

typedef struct run {
    uint32_t threads, end;
    uint64_t program_min;
    uint32_t program_threads, slices_worth; /* slices_worth 0: as it is */
    uint64_t part_max, own_samples;         /* the same */
    uint32_t bin;                           /* 0: BIN */
} run;

static uint32_t noise(uint32_t a, uint32_t b) {
    uint32_t x = a * 2654435761u ^ (b + 77) * 2246822519u;
    x ^= x >> 15;
    x *= 2654435761u;
    return x ^ x >> 13;
}

static void put_run_table(hsc_store *s, enum hsc_table_id table, uint64_t n) {
    hsc_err err = {0};
    for (int c = 0; c < HSC_COL_COUNT; c++)
        if (hsc_schema_columns[c].table == table) {
            uint64_t *words = calloc(n + 1, 8);
            uint32_t *v = (uint32_t *)words;
            uint8_t *bytes = (uint8_t *)words;
            for (uint32_t i = 0; i < n; i++)
                if (c == HSC_COL_thread_process)
                    v[i] = i;
                else if (c == HSC_COL_leaf_context)
                    v[i] = i % CONTEXTS;
                else if (c == HSC_COL_leaf_category)
                    bytes[i] = (uint8_t)(i % CATEGORIES);
                else if (c == HSC_COL_leaf_metric)
                    v[i] = i % 7 == 6;
                else if (c == HSC_COL_context_scope)
                    v[i] = i % SCOPES;
                else if (c == HSC_COL_scope_procedure)
                    v[i] = i / 3 * 3;
            OK(hsc_store_put_column(s, (enum hsc_column_id)c, words, n, &err));
            free(words);
        }
}

static hsc_store *begin_run(const char *path, const run *h, const hsc_packed_memo *how, int before) {
    static const struct {
        enum hsc_table_id table;
        uint32_t rows;
    } tables[] = {{HSC_TAB_module, 1}, {HSC_TAB_file, 1}, {HSC_TAB_line, 5}, {HSC_TAB_scope, SCOPES}, {HSC_TAB_metric, 2}, {HSC_TAB_category, CATEGORIES},
                  {HSC_TAB_context, CONTEXTS}, {HSC_TAB_leaf, LEAVES}};
    hsc_err err = {0};
    hsc_store *s = NULL;
    OK(hsc_store_create(path, 2, &s, &err));
    s->program_min = h->program_min;
    s->program_threads = h->program_threads;
    s->slices_worth = h->slices_worth ? h->slices_worth : s->slices_worth;
    s->part_max = h->part_max ? h->part_max : s->part_max;
    s->own_samples = h->own_samples ? h->own_samples : s->own_samples;
    s->own_bins = h->own_samples ? 20000 : s->own_bins;
    hsc_store_set_memo(s, how);
    if (before >= 0)
        hsc_store_set_before(s, before);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        put_run_table(s, tables[i].table, tables[i].rows);
    put_run_table(s, HSC_TAB_process, h->threads);
    put_run_table(s, HSC_TAB_thread, h->threads);
    OK(hsc_store_begin_times(s, 1e-6, h->end, h->bin ? h->bin : BIN, TIMES_MAX, &err));
    return s;
}

/* Samples of a thread: of none, few, exactly some slices, and many; with gaps of many bins. */
static uint64_t make_samples(uint32_t thread, uint32_t *time, uint32_t *leaf, uint32_t *count) {
    static const uint32_t sizes[] = {20000, 0, 3, 1024, 16384, 2500, TIMES_MAX, 1023, 33000, 2048};
    uint64_t n = sizes[thread % 10];
    uint32_t at = noise(thread, 0) % 5000;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t r = noise(thread, (uint32_t)i + 1);
        at += r % 500 == 7 ? 9000 + r % 3000 : r % 37;
        time[i] = at;
        leaf[i] = thread % 3 ? r / 64 % 8 * 9 : r / 64 % LEAVES;
        count[i] = thread % 4 == 3 ? 1 + r % 5 : 1;
    }
    return n;
}

/* As write_values. */
static bool write_run(const char *path, const run *h, uint32_t first, memo *k) {
    hsc_err err = {0};
    const hsc_packed_memo how = {k, find, look, seal, keep};
    uint32_t *time = malloc(TIMES_MAX * sizeof *time), *leaf = malloc(TIMES_MAX * sizeof *leaf), *count = malloc(TIMES_MAX * sizeof *count);
    bool kept = false;
    k->n_made = k->looked = 0;
    hsc_store *s = begin_run(path, h, &how, first ? k->fd : -1);
    if (first)
        OK(hsc_store_keep_times(s, first, &kept, &err));
    for (uint32_t t = kept ? first : 0; t < h->threads; t++) {
        uint64_t n = make_samples(t, time, leaf, count);
        OK(hsc_store_put_times(s, n, time, leaf, count, &err));
    }
    OK(hsc_store_end_times(s, &err));
    OK(hsc_out_drain(s->out, &err));
    H5Fflush(s->file, H5F_SCOPE_GLOBAL);
    assert_int_equal(rename(s->temporary, path), 0);
    s->created = false;
    hsc_store_abort(s);
    free(time);
    free(leaf);
    free(count);
    return kept;
}

static unsigned same_run(run first, run h, bool expected) {
    memo *k = calloc(1, sizeof *k);
    write_run(before_path, &first, 0, k);
    is_there(k);
    assert_int_equal(write_run(kept_path, &h, first.threads, k), expected);
    unsigned looked = k->looked;
    write_run(whole_path, &h, 0, k);
    end_same(k);
    return looked;
}

static void samples(void **state) {
    (void)state;
    const run few = {21, 4000000, 1000, 8, 0, 0, 0, 0};
    run h = few;
    for (h.threads = 21; h.threads < 33; h.threads++) /* the first layer is 20, 22, 24 ... threads: the same, or it is put among others' samples */
        assert_true(same_run(few, h, true) > (h.threads == 21 ? 600 : 20)); /* where nothing was added both layers are copied */
    h.part_max = 500; /* lists of samples are divided again */
    for (h.threads = 21; h.threads < 25; h.threads++)
        same_run(few, h, true);
    h.part_max = 0;
    h.threads = 22;
    h.end = 5000000; /* it ends later: of as many levels of bins */
    same_run(few, h, true);
    h = few;
    h.slices_worth = 1000; /* threads without the finest slices, and others */
    for (uint32_t threads = 20; threads < 24; threads++) {
        run more = h;
        more.threads = threads + 1 + threads % 2;
        h.threads = threads;
        same_run(h, more, true);
    }
    h = few;
    h.own_samples = 2000; /* half of the threads have numbers of their own, and gaps before them */
    for (uint32_t threads = 20; threads < 24; threads++) {
        run more = h;
        more.threads = threads + 1 + threads % 2;
        h.threads = threads;
        same_run(h, more, true);
    }
    run small = {9, 4000000, 1u << 30, 8, 0, 0, 0, 0}; /* too few samples for layers; then enough */
    h = small;
    h.threads = 12;
    same_run(small, h, true);
    small.program_threads = h.program_threads = 12; /* each is asked */
    same_run(small, h, true);
}

/* ---- threads that grew ---- */

enum { GROWN = 9, CUT = 4 }; /* threads; of 4 parts of their samples 3 were there before */

typedef struct marks {
    uint64_t *words[GROWN];
    size_t n[GROWN];
} marks;

/* With `from`: threads that have marks there go on with thread (of the database before) t + moved. To: what is left of each; NULL: nobody asks. */
static hsc_status write_grown(const char *path, const run *h, memo *k, bool part, const marks *from, marks *to, hsc_err *err) {
    const hsc_packed_memo how = {k, find, look, seal, keep};
    uint32_t *time = malloc(TIMES_MAX * sizeof *time), *leaf = malloc(TIMES_MAX * sizeof *leaf), *count = malloc(TIMES_MAX * sizeof *count), scopes[SCOPES];
    for (uint32_t i = 0; i < SCOPES; i++)
        scopes[i] = i;
    k->n_made = k->looked = 0;
    hsc_store *s = begin_run(path, h, &how, from ? k->fd : -1);
    hsc_status status = HSC_OK;
    for (uint32_t t = 0; t < h->threads && !status; t++) {
        uint64_t n = make_samples(t, time, leaf, count), samples = 0, numbers = 0;
        bool is_coarse;
        n = part ? n / CUT * (CUT - 1) : n;
        if (!from || !hsc_store_read_mark(from->words[t], from->n[t], &samples, &numbers, &is_coarse)) {
            status = hsc_store_put_times(s, n, time, leaf, count, err);
        } else {
            uint32_t *rows = malloc((numbers + 1) * sizeof *rows);
            for (uint64_t i = 0; i < numbers; i++)
                rows[i] = (uint32_t)from->words[t][from->n[t] - numbers + i];
            const hsc_times_grown g = {t, from->words[t], from->n[t], rows, numbers, scopes, scopes, SCOPES};
            status = hsc_store_go_on_thread_times(s, n, &g, err);
            for (uint64_t at = samples, m; at < n && !status; at += m) {
                m = n - at < HSC_TIMES_PIECE ? n - at : HSC_TIMES_PIECE;
                status = hsc_store_put_part_times(s, m, time + at, leaf + at, count + at, err);
            }
            if (!status)
                status = hsc_store_end_thread_times(s, err);
            free(rows);
        }
        if (to && !status)
            hsc_store_take_mark(s, &to->words[t], &to->n[t]);
    }
    if (!status)
        status = hsc_store_end_times(s, err);
    if (!status)
        status = hsc_out_drain(s->out, err);
    if (!status) {
        H5Fflush(s->file, H5F_SCOPE_GLOBAL);
        assert_int_equal(rename(s->temporary, path), 0);
        s->created = false;
    }
    hsc_store_abort(s);
    free(time);
    free(leaf);
    free(count);
    return status;
}

static void free_marks(marks *m) {
    for (unsigned t = 0; t < GROWN; t++)
        free(m->words[t]);
    *m = (marks){0};
}

/* What was there before is kept, whatever its bins and slices are; and a thread that did not grow goes on, too. */
static void samples_that_grew(void **state) {
    (void)state;
    run h = {GROWN, 4000000, 1000, 100, 0, 0, 16384, 0};
    for (unsigned how = 0; how < 4; how++) {
        memo *k = calloc(1, sizeof *k);
        marks before = {0}, after = {0};
        hsc_err err = {0};
        h.slices_worth = how & 1 ? 1000 : 0;
        h.bin = how & 1 ? 20 : 0; /* so many that they begin with a chunk */
        OK(write_grown(before_path, &h, k, how < 2, NULL, &before, &err));
        assert_true(before.n[6] > 0 && !before.n[2]);
        is_there(k);
        OK(write_grown(kept_path, &h, k, false, &before, &after, &err));
        assert_true(k->looked > 5);
        for (unsigned t = 0; t < GROWN; t++)
            assert_int_equal(after.n[t] > 0, t == 6 || t == 8);
        free_marks(&after);
        OK(write_grown(whole_path, &h, k, false, NULL, NULL, &err));
        end_same(k);
        free_marks(&before);
    }
}

/* Marks of any content, and of another run: an error, and what is there stays. */
static void marks_of_others(void **state) {
    (void)state;
    run h = {GROWN, 4000000, 1000, 100, 0, 0, 16384, 0};
    memo *k = calloc(1, sizeof *k);
    marks before = {0};
    hsc_err err = {0};
    unsigned failed = 0;
    OK(write_grown(before_path, &h, k, true, NULL, &before, &err));
    k->fd = open(before_path, O_RDONLY | O_CLOEXEC);
    for (size_t i = 4, n = before.n[6]; i < n; i += 1 + n / 80) {
        uint64_t was = before.words[6][i];
        before.words[6][i] ^= i % 3 ? 1 : UINT64_MAX;
        hsc_err_clear(&err);
        failed += write_grown(kept_path, &h, k, false, &before, NULL, &err) != HSC_OK;
        before.words[6][i] = was;
    }
    assert_true(failed > 10);
    h.end = 90000000; /* more levels of bins */
    hsc_err_clear(&err);
    assert_int_equal(write_grown(kept_path, &h, k, false, &before, NULL, &err), HSC_E_IO);
    close(k->fd);
    free_marks(&before);
    free(k);
    unlink(before_path);
    unlink(kept_path);
}

static void of_other_samples_nothing_is_kept(void **state) {
    (void)state;
    run few = {21, 4000000, 1000, 8, 0, 0, 0, 0}, h = {23, 4000000, 1000, 8, 0, 0, 0, 0}, longer = {23, 90000000, 1000, 8, 0, 0, 0, 0};
    same_run(few, longer, false); /* more levels of bins */
    few.threads = 8;              /* chunks of another size */
    same_run(few, h, false);
    few.threads = 21;
    h.own_samples = 2000; /* that one has rows where this one has numbers */
    same_run(few, h, false);
    few.own_samples = 2000;
    h.own_samples = 0;
    same_run(few, h, false);
}

/* Each chunk of the database before in turn has other bytes; the store fails, and knows why, or did not need it. */
static void damaged_samples(void **state) {
    (void)state;
    memo *k = calloc(1, sizeof *k);
    const run h = {13, 4000000, 1000, 8, 0, 0, 0, 0}, more = {14, 4000000, 1000, 8, 0, 0, 0, 0};
    const hsc_packed_memo how = {k, find, look, seal, keep};
    uint32_t *time = malloc(TIMES_MAX * sizeof *time), *leaf = malloc(TIMES_MAX * sizeof *leaf), *count = malloc(TIMES_MAX * sizeof *count);
    write_run(before_path, &h, 0, k);
    unsigned n = k->n_made, failed = 0;
    for (unsigned i = 0; i < n; i += 1 + n / 60) {
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
        bool kept = false, is_bad = false;
        hsc_store *s = begin_run(kept_path, &more, &how, fd);
        hsc_store_set_bad_before(s, &is_bad);
        hsc_status status = hsc_store_keep_times(s, h.threads, &kept, &err);
        for (uint32_t t = kept ? h.threads : 0; t < more.threads && !status; t++)
            status = hsc_store_put_times(s, make_samples(t, time, leaf, count), time, leaf, count, &err);
        if (!status)
            status = hsc_store_end_times(s, &err);
        failed += status != HSC_OK;
        hsc_store_abort(s);
        assert_true(is_bad == (status != HSC_OK));
        k->n_made = n;
        assert_int_equal(pwrite(fd, was, size, (off_t)c.offset), size);
        close(fd);
    }
    assert_true(failed > 5);
    free(time);
    free(leaf);
    free(count);
    free(k);
}

int main(void) {
    folder = model_folder();
    before_path = model_path(folder, "before.h5");
    kept_path = model_path(folder, "kept.h5");
    whole_path = model_path(folder, "whole.h5");
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_bands), cmocka_unit_test(with_bands), cmocka_unit_test(with_pyramids),
                                       cmocka_unit_test(of_others_nothing_is_kept), cmocka_unit_test(cut_meanwhile), cmocka_unit_test(damaged), cmocka_unit_test(few_large_counts), cmocka_unit_test(samples),
                                       cmocka_unit_test(samples_that_grew), cmocka_unit_test(marks_of_others), cmocka_unit_test(of_other_samples_nothing_is_kept), cmocka_unit_test(damaged_samples)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    model_files(folder, true);
    rmdir(folder);
    free(folder);
    free(before_path);
    free(kept_path);
    free(whole_path);
    return failed;
}
