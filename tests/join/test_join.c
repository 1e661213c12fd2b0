/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The join against synthetic measurements: exact totals by brute force, the ledger, equal bytes for any number of
 * workers, bad input, cancelling, memory that runs out. argv[1]: the target library. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <heatscope/query.h>
#include <join.h>
#include "seal.h"
#include "ticks.h"

#include "measurement.h"

static target where;
static char base[256];

/* ---- memory that runs out ---- */

static long allocations_left = -1; /* -1: no limit */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t m);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t m);
void *__wrap_realloc(void *p, size_t n);

static bool refuse(void) {
    if (allocations_left < 0)
        return false;
    return allocations_left == 0 || --allocations_left == 0;
}

void *__wrap_malloc(size_t n) {
    return refuse() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t m) {
    return refuse() ? NULL : __real_calloc(n, m);
}

void *__wrap_realloc(void *p, size_t n) {
    return refuse() ? NULL : __real_realloc(p, n);
}

/* ---- helpers of the tests ---- */

static void remove_all(const char *dir) {
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        char file[5000];
        snprintf(file, sizeof file, "%s/%s", dir, e->d_name);
        unlink(file);
    }
    if (d)
        closedir(d);
    rmdir(dir);
}

static const char *new_dir(const char *name) {
    static char dir[512];
    snprintf(dir, sizeof dir, "%s/%s", base, name);
    remove_all(dir);
    assert_int_equal(mkdir(dir, 0777), 0);
    return dir;
}

static hsc_status join_to(const char *dir, const char *database, unsigned workers, hsc_join_summary *s, hsc_err *err) {
    hsc_join_options o = {.inputs = &dir, .input_count = 1, .output = database, .workers = workers};
    return hsc_join_run(&o, s, err);
}

static char *slurp(const char *file, size_t *n) {
    FILE *f = fopen(file, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *p = malloc(*n + 1);
    assert_int_equal(fread(p, 1, *n, f), *n);
    fclose(f);
    return p;
}

static double *read_sums(hsc_db *db, hsc_db_table table) {
    uint64_t n = hsc_db_get_rows(db, table);
    double *v = calloc(n + 1, sizeof *v);
    hsc_err err = {0};
    if (n && hsc_db_read_sums(db, (hsc_db_view){0, table, HSC_AXIS_THREAD}, 0, n, v, &err) != HSC_OK)
        fail_msg("%s", err.text);
    return v;
}

static double total(const double *v, uint64_t n) {
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += v[i];
    return sum;
}

static bool holds(const path *q, unsigned procedure) {
    for (unsigned d = 0; d < q->depth; d++)
        if (q->procedure[d] == procedure)
            return true;
    return false;
}

static const char *const names[PROCEDURES] = {"alpha", "beta", "gamma_", "delta"};

static uint32_t find_scope(hsc_db *db, const char *name) {
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    for (uint32_t i = 0; i < info.scopes; i++) {
        hsc_db_scope s;
        assert_int_equal(hsc_db_get_scope(db, i, &s, NULL), HSC_OK);
        if (s.kind == HSC_SCOPE_PROCEDURE && !strcmp(s.name, name))
            return i;
    }
    return HSC_NONE;
}

static double ledger_row(hsc_db *db, const char *name, uint32_t group) {
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    for (uint32_t i = 0; i < info.ledger_rows; i++) {
        hsc_db_ledger l;
        assert_int_equal(hsc_db_get_ledger(db, i, &l, NULL), HSC_OK);
        if (l.group == group && !strcmp(l.name, name))
            return (double)l.samples;
    }
    fail_msg("no ledger row '%s'", name);
    return 0;
}

/* Every group adds up to the total that its rows name in brackets. */
static void check_ledger(hsc_db *db) {
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    double samples[16] = {0}, seconds[16] = {0};
    char totals[16][64] = {""};
    for (uint32_t i = 0; i < info.ledger_rows; i++) {
        hsc_db_ledger l;
        assert_int_equal(hsc_db_get_ledger(db, i, &l, NULL), HSC_OK);
        assert_true(l.group < 16);
        samples[l.group] += (double)l.samples;
        seconds[l.group] += l.seconds;
        if (l.group) {
            assert_int_equal(l.meaning[0], '[');
            snprintf(totals[l.group], sizeof totals[0], "%.*s", (int)strcspn(l.meaning + 1, "]"), l.meaning + 1);
        }
    }
    for (uint32_t g = 1; g < 16; g++)
        for (uint32_t i = 0; i < info.ledger_rows && totals[g][0]; i++) {
            hsc_db_ledger l;
            assert_int_equal(hsc_db_get_ledger(db, i, &l, NULL), HSC_OK);
            if (l.group || strcmp(l.name, totals[g]))
                continue;
            assert_float_equal(seconds[g], l.seconds, 1e-6);
            if (strcmp(l.name, "CPU time"))
                assert_float_equal(samples[g], (double)l.samples, 0);
        }
}

/* Samples by time are the samples that the tables count: the interval of the whole run gives the same cell by cell, and two
 * halves add up to it. */
static void check_times(const char *database) {
    hsc_db *db = NULL, *timed = NULL;
    hsc_err err = {0};
    hsc_db_times times;
    assert_int_equal(hsc_db_open(database, &db, &err), HSC_OK);
    assert_int_equal(hsc_db_open(database, &timed, &err), HSC_OK);
    assert_int_equal(hsc_db_get_times(db, &times, &err), HSC_OK);
    assert_true(times.present);
    for (int part = 0; part < 3; part++) {
        if (hsc_db_set_interval(timed, part == 2 ? times.end_s / 2 : 0, part == 1 ? times.end_s / 2 : times.end_s, &err) != HSC_OK)
            fail_msg("%s", err.text);
        for (int table = 0; table < 8; table++) {
            uint64_t n = hsc_db_get_rows(db, (hsc_db_table)table);
            uint32_t m = hsc_db_get_columns(db, HSC_AXIS_THREAD);
            static float *halves[8];
            float *whole = calloc(n * m + 1, sizeof *whole), *part_of = calloc(n * m + 1, sizeof *part_of);
            hsc_db_view view = {0, (hsc_db_table)table, HSC_AXIS_THREAD};
            if (n && (hsc_db_read_block(db, view, 0, n, 0, m, whole, &err) || hsc_db_read_block(timed, view, 0, n, 0, m, part_of, &err)))
                fail_msg("%s", err.text);
            for (uint64_t i = 0; i < n * m; i++) {
                float want = part == 2 ? whole[i] - halves[table][i] : whole[i];
                assert_true(part == 1 ? part_of[i] <= whole[i] : part_of[i] == want);
            }
            if (part == 1)
                halves[table] = part_of;
            else
                free(part_of);
            if (part == 2)
                free(halves[table]);
            free(whole);
        }
    }
    hsc_db_close(db);
    hsc_db_close(timed);
}

/* ---- tests ---- */

#define RANKS 3

static process_truth truth[RANKS];

static const char *write_run(const char *name, bool reverse) {
    const char *dir = new_dir(name);
    for (int i = 0; i < RANKS; i++) {
        int r = reverse ? RANKS - 1 - i : i;
        char file[32];
        truth_make(&truth[r], r, 2 + (unsigned)r, 77 + (uint64_t)r);
        snprintf(file, sizeof file, "f%d", (r * 7 + 3) % 5);
        measurement_write(dir, file, &truth[r], &where);
    }
    return dir;
}

static void test_totals(void **state) {
    (void)state;
    const char *dir = write_run("totals", false);
    char database[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    hsc_err err = {0};
    hsc_join_summary s;
    if (join_to(dir, database, 2, &s, &err) != HSC_OK)
        fail_msg("%s", err.text);
    check_times(database);
    hsc_db *db;
    if (hsc_db_open(database, &db, &err) != HSC_OK)
        fail_msg("%s", err.text);
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    uint64_t samples = 0, lost = 0, no_path = 0;
    double incl[PROCEDURES] = {0}, excl[PROCEDURES] = {0}, by_state[8] = {0};
    unsigned threads = 0;
    for (int r = 0; r < RANKS; r++)
        for (unsigned t = 0; t < truth[r].thread_count; t++, threads++) {
            const thread_truth *at = &truth[r].threads[t];
            samples += at->samples;
            lost += at->lost;
            no_path += at->no_path;
            by_state[0] += (double)at->no_path;
            for (unsigned i = 0; i < at->path_count; i++) {
                const path *q = &at->paths[i];
                excl[q->procedure[q->depth - 1]] += q->count;
                by_state[q->state] += q->count;
                for (unsigned p = 0; p < PROCEDURES; p++)
                    incl[p] += holds(q, p) ? q->count : 0;
            }
            hsc_db_thread row;
            assert_int_equal(hsc_db_get_thread(db, threads, &row, NULL), HSC_OK);
            assert_int_equal(row.samples, at->samples);
            assert_int_equal(row.lost, at->lost);
            assert_int_equal(row.index, t);
            bool told = t % 2 == 0; /* as measurement_write has it */
            assert_float_equal(row.user_s, told ? 2e-6 : -1, 1e-12);
            assert_float_equal(row.system_s, told ? 1e-6 : 0, 1e-12);
            assert_float_equal(row.runnable_s, told ? 5e-7 : -1, 1e-12);
            assert_int_equal(row.minor_faults, told ? 14 : 0);
            assert_int_equal(row.major_faults, told ? 2 : 0);
            assert_int_equal(row.voluntary_switches, told ? 6 : 0);
            assert_int_equal(row.involuntary_switches, told ? 10 : 0);
            hsc_db_process p;
            assert_int_equal(hsc_db_get_process(db, row.process, &p, NULL), HSC_OK);
            assert_int_equal(p.rank, r);
        }
    assert_int_equal(info.threads, threads);
    assert_int_equal(info.processes, RANKS);
    assert_int_equal(info.samples, samples);
    assert_int_equal(s.lost, lost);
    check_ledger(db);
    assert_float_equal(ledger_row(db, "recorded", 0), (double)samples, 0);
    assert_float_equal(ledger_row(db, "due", 0), (double)(samples + lost), 0);
    assert_float_equal(ledger_row(db, "no call path", 3), (double)no_path, 0);
    assert_float_equal(ledger_row(db, "lost: kernel", 1) + ledger_row(db, "lost: reason not told", 1), (double)lost, 0);
    double *line = read_sums(db, HSC_TABLE_LINE), *se = read_sums(db, HSC_TABLE_SCOPE_EXCL), *si = read_sums(db, HSC_TABLE_SCOPE_INCL);
    double *ce = read_sums(db, HSC_TABLE_CONTEXT_EXCL), *ci = read_sums(db, HSC_TABLE_CONTEXT_INCL);
    double *cat = read_sums(db, HSC_TABLE_SCOPE_CATEGORY), *li = read_sums(db, HSC_TABLE_LINE_INCL);
    assert_float_equal(total(line, info.lines), (double)samples, 0);
    assert_float_equal(total(se, info.scopes), (double)samples, 0);
    assert_float_equal(total(ce, info.contexts), (double)samples, 0);
    assert_float_equal(ci[0], (double)samples, 0);
    assert_float_equal(si[0], (double)samples, 0);
    assert_float_equal(total(cat, info.categories), (double)samples, 0); /* row 0: the program */
    assert_float_equal(cat[0], by_state[0] + by_state[1], 0);             /* not known: by path, here computation */
    for (unsigned k = 1; k < 7; k++)
        assert_float_equal(cat[k], by_state[k + 1], 0);
    for (unsigned p = 0; p < PROCEDURES; p++) {
        uint32_t scope = find_scope(db, names[p]);
        assert_int_not_equal(scope, HSC_NONE);
        assert_float_equal(se[scope], excl[p], 0);
        assert_float_equal(si[scope], incl[p], 0);
    }
    for (uint32_t i = 0; i < info.scopes; i++)
        assert_true(si[i] >= se[i]);
    for (uint32_t i = 0; i < info.contexts; i++)
        assert_true(ci[i] >= ce[i]);
    for (uint32_t i = 0; i < info.lines; i++)
        assert_true(li[i] >= line[i]);
    float *block = calloc((size_t)info.scopes * threads, sizeof *block);
    assert_int_equal(hsc_db_read_block(db, (hsc_db_view){0, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, 0, info.scopes, 0, threads,
                                       block, &err), HSC_OK);
    for (uint32_t i = 0; i < info.scopes; i++) {
        double sum = 0;
        for (unsigned t = 0; t < threads; t++)
            sum += (double)block[(size_t)i * threads + t];
        assert_float_equal(sum, si[i], 0);
    }
    unsigned column = 0;
    for (int r = 0; r < RANKS; r++) /* each thread's inclusive values by brute force */
        for (unsigned t = 0; t < truth[r].thread_count; t++, column++)
            for (unsigned p = 0; p < PROCEDURES; p++) {
                double sum = 0;
                for (unsigned i = 0; i < truth[r].threads[t].path_count; i++)
                    sum += holds(&truth[r].threads[t].paths[i], p) ? truth[r].threads[t].paths[i].count : 0;
                assert_float_equal((double)block[(size_t)find_scope(db, names[p]) * threads + column], sum, 0);
            }
    free(block);
    free(line);
    free(se);
    free(si);
    free(ce);
    free(ci);
    free(cat);
    free(li);
    hsc_db_close(db);
    remove_all(dir);
}

static void test_contexts(void **state) { /* one path with recursion, looked at in full */
    (void)state;
    const char *dir = new_dir("contexts");
    static process_truth p;
    p = (process_truth){.rank = -1, .pid = 7, .thread_count = 1, .period_ns = 1000000};
    p.threads[0] = (thread_truth){.path_count = 2, .samples = 12};
    p.threads[0].paths[0] = (path){3, {0, 1, 0}, 5, 0};
    p.threads[0].paths[1] = (path){4, {0, 1, 0, 1}, 7, 0};
    measurement_write(dir, "a", &p, &where);
    char database[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    hsc_err err = {0};
    if (join_to(dir, database, 1, NULL, &err) != HSC_OK)
        fail_msg("%s", err.text);
    hsc_db *db;
    assert_int_equal(hsc_db_open(database, &db, &err), HSC_OK);
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    double *ci = read_sums(db, HSC_TABLE_CONTEXT_INCL), *si = read_sums(db, HSC_TABLE_SCOPE_INCL);
    /* the inner alpha stands twice below beta: as a leaf (exact) and as a caller it is the same context */
    assert_int_equal(info.contexts, 5);
    const double expected[] = {12, 12, 12, 12, 7};
    for (uint32_t i = 0; i < 5; i++) {
        hsc_db_context c;
        assert_int_equal(hsc_db_get_context(db, i, &c, NULL), HSC_OK);
        assert_int_equal(c.parent, i ? i - 1 : 0);
        assert_int_equal(c.depth, i);
        assert_float_equal(ci[i], expected[i], 0);
        hsc_db_scope s;
        assert_int_equal(hsc_db_get_scope(db, c.scope, &s, NULL), HSC_OK);
        if (i)
            assert_string_equal(s.name, names[(i + 1) % 2]);
        hsc_db_line line;
        if (i > 1) {
            assert_int_not_equal(c.call_line, HSC_NONE);
            assert_int_equal(hsc_db_get_line(db, c.call_line, &line, NULL), HSC_OK);
            assert_true(line.line > 10 && line.line < 28);
        }
    }
    assert_float_equal(si[find_scope(db, "alpha")], 12, 0); /* once, though twice on the path */
    assert_float_equal(si[find_scope(db, "beta")], 12, 0);
    free(ci);
    free(si);
    hsc_db_close(db);
    remove_all(dir);
}

static void test_equal_bytes(void **state) {
    (void)state;
    size_t n[4];
    char *bytes[4];
    static const unsigned workers[] = {1, 2, 5, 2};
    for (int i = 0; i < 4; i++) {
        const char *dir = write_run("bytes", i == 3); /* the last: files made in another order */
        char database[600];
        snprintf(database, sizeof database, "%s/db.h5", dir);
        hsc_err err = {0};
        if (join_to(dir, database, workers[i], NULL, &err) != HSC_OK)
            fail_msg("%s", err.text);
        bytes[i] = slurp(database, &n[i]);
        remove_all(dir);
    }
    for (int i = 1; i < 4; i++) {
        assert_int_equal(n[i], n[0]);
        assert_memory_equal(bytes[i], bytes[0], n[0]);
    }
    for (int i = 0; i < 4; i++)
        free(bytes[i]);
}

static void test_periods(void **state) { /* 1 ms and 4 ms in one run: one scale, seconds add up */
    (void)state;
    const char *dir = new_dir("periods");
    static process_truth p;
    double seconds = 0;
    for (int r = 0; r < 2; r++) {
        char name[8] = {(char)('a' + r)};
        truth_make(&p, r, 1, 5 + (uint64_t)r);
        p.period_ns = r ? 4000000 : 1000000;
        seconds += (double)p.threads[0].samples * (double)p.period_ns * 1e-9;
        measurement_write(dir, name, &p, &where);
    }
    char database[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    hsc_err err = {0};
    if (join_to(dir, database, 1, NULL, &err) != HSC_OK)
        fail_msg("%s", err.text);
    hsc_db *db;
    assert_int_equal(hsc_db_open(database, &db, &err), HSC_OK);
    hsc_db_metric m;
    assert_int_equal(hsc_db_get_metric(db, 0, &m, &err), HSC_OK);
    double *si = read_sums(db, HSC_TABLE_SCOPE_INCL);
    assert_float_equal(si[0] * m.scale, seconds, 1e-9);
    check_ledger(db);
    free(si);
    hsc_db_close(db);
    remove_all(dir);
}

/* Sums of w^2 - w over the samples of weight w, as measurement.c writes them; for a process whose samples count `each`. */
static double excess_of(const path *q, double each) {
    double plain = q->count / 2, last = q->count - q->count / 2;
    return plain * each * (each - 1) + each * last * (each * last - 1);
}

static void test_weights(void **state) { /* the squares of weights, by place and thread, with periods of 1 and 4 ms */
    (void)state;
    const char *dir = new_dir("weights");
    static process_truth p[2];
    double excl[PROCEDURES] = {0}, incl[2][PROCEDURES] = {{0}}, all = 0;
    for (int r = 0; r < 2; r++) {
        char name[8] = {(char)('a' + r)};
        truth_make(&p[r], r, 1, 15 + (uint64_t)r);
        p[r].period_ns = r ? 4000000 : 1000000;
        measurement_write(dir, name, &p[r], &where);
        const thread_truth *t = &p[r].threads[0];
        all += r ? (double)t->no_path * 4 * 3 : 0;
        for (unsigned i = 0; i < t->path_count; i++) {
            double e = excess_of(&t->paths[i], r ? 4 : 1);
            all += e;
            excl[t->paths[i].procedure[t->paths[i].depth - 1]] += e;
            for (unsigned k = 0; k < PROCEDURES; k++)
                incl[r][k] += holds(&t->paths[i], k) ? e : 0;
        }
    }
    char database[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    hsc_err err = {0};
    if (join_to(dir, database, 1, NULL, &err) != HSC_OK)
        fail_msg("%s", err.text);
    hsc_db *db;
    hsc_db_info info;
    hsc_db_metric m, weights;
    assert_int_equal(hsc_db_open(database, &db, &err), HSC_OK);
    hsc_db_get_info(db, &info);
    assert_int_equal(info.metrics, 1); /* the weights are none by themselves */
    assert_int_equal(hsc_db_get_metric(db, 0, &m, &err), HSC_OK);
    assert_int_equal(m.weights, 1);
    assert_float_equal(m.weights_scale, 1, 0);
    assert_int_equal(hsc_db_get_metric(db, 1, &weights, &err), HSC_OK);
    assert_int_equal(weights.weights, HSC_NONE);
    hsc_weighted v;
    for (unsigned k = 0; k < PROCEDURES; k++) {
        uint32_t scope = find_scope(db, names[k]);
        double x = 0;
        float cells[2];
        assert_int_equal(hsc_db_read_excess(db, (hsc_db_view){0, HSC_TABLE_SCOPE_EXCL, HSC_AXIS_THREAD}, scope, 1, &x, &err), HSC_OK);
        assert_float_equal(x, excl[k], 0);
        assert_int_equal(hsc_db_read_block(db, (hsc_db_view){1, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, scope, 1, 0, 2, cells, &err), HSC_OK);
        assert_float_equal(cells[0], incl[0][k], 0);
        assert_float_equal(cells[1], incl[1][k], 0);
    }
    assert_int_equal(hsc_db_read_weighted(db, (hsc_db_view){0, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, 0, 1, &v, &err), HSC_OK);
    assert_float_equal(v.sum, (double)(p[0].threads[0].samples + 4 * p[1].threads[0].samples), 0);
    assert_float_equal(v.excess, all, 0);
    assert_float_equal(hsc_interval_effective(v), v.sum * v.sum / (v.sum + all), 1e-9);
    hsc_db_close(db);
    remove_all(dir);
}

static void expect_failure(const char *dir, hsc_status status, const char *text) {
    char database[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    hsc_err err = {0};
    hsc_join_summary s;
    assert_int_equal(join_to(dir, database, 2, &s, &err), status);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(access(database, F_OK), -1);
}

static void write_text(const char *dir, const char *name, const char *text) {
    char file[600];
    snprintf(file, sizeof file, "%s/%s", dir, name);
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A run that only waited is one of its threads all the same. */
static void expect_success_unsampled(const char *dir) {
    char database[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    hsc_err err = {0};
    hsc_join_summary s;
    assert_int_equal(join_to(dir, database, 2, &s, &err), HSC_OK);
    assert_int_equal(s.processes, 1);
    assert_int_equal(s.threads, 1);
    assert_int_equal(s.samples, 0);
    unlink(database);
}

static void test_bad_input(void **state) {
    (void)state;
    const char *dir = new_dir("bad");
    expect_failure(dir, HSC_E_MISSING, "no measurement file");
    write_text(dir, "notes.txt", "hello");
    expect_failure(dir, HSC_E_MISSING, "no measurement file");
    write_text(dir, "a.hsr", "this is not a record stream, and longer than a chunk header would be, so read it well");
    expect_failure(dir, HSC_E_FORMAT, "a.hsr");
    static process_truth p;
    p = (process_truth){.rank = 0, .pid = 1, .thread_count = 1, .period_ns = 1000000};
    measurement_write(dir, "b", &p, &where);
    expect_success_unsampled(dir);
    p.thread_count = 0;
    measurement_write(dir, "b", &p, &where);
    expect_failure(dir, HSC_E_MISSING, "no sample and no thread");
    expect_failure("/nonexistent/dir", HSC_E_IO, "/nonexistent/dir");
    remove_all(dir);
}

static void test_damage(void **state) { /* cut at every 331st byte, then garbage in the middle */
    (void)state;
    const char *dir = new_dir("damage");
    char database[600], file[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    snprintf(file, sizeof file, "%s/b.hsr", dir);
    static process_truth p;
    truth_make(&p, 0, 2, 3);
    measurement_write(dir, "a", &p, &where);
    uint64_t whole = p.threads[0].samples + p.threads[1].samples;
    truth_make(&p, 1, 2, 4);
    measurement_write(dir, "b", &p, &where);
    size_t n;
    char *bytes = slurp(file, &n);
    for (size_t cut = 0; cut <= n + 331 * 20; cut += 331) {
        FILE *f = fopen(file, "wb");
        char *copy = malloc(n);
        memcpy(copy, bytes, n);
        uint64_t seed = cut;
        if (cut > n)
            for (size_t k = 0, at = random_next(&seed) % n; k < 64 && at + k < n; k++)
                copy[at + k] = (char)random_next(&seed);
        fwrite(copy, 1, cut > n ? n : cut, f);
        fclose(f);
        free(copy);
        hsc_err err = {0};
        hsc_join_summary s;
        if (join_to(dir, database, 1, &s, &err) != HSC_OK)
            fail_msg("cut at %zu: %s", cut, err.text);
        assert_true(s.samples >= whole);
        hsc_db *db;
        if (hsc_db_open(database, &db, &err) != HSC_OK)
            fail_msg("cut at %zu: %s", cut, err.text);
        check_ledger(db);
        hsc_db_close(db);
    }
    free(bytes);
    remove_all(dir);
}

static void module_note(const target *t, const char *expected, hsc_knowledge knowledge) {
    const char *dir = new_dir("module");
    static process_truth p;
    truth_make(&p, 0, 1, 9);
    measurement_write(dir, "a", &p, t);
    char database[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    hsc_err err = {0};
    if (join_to(dir, database, 1, NULL, &err) != HSC_OK)
        fail_msg("%s", err.text);
    hsc_db *db;
    assert_int_equal(hsc_db_open(database, &db, &err), HSC_OK);
    hsc_db_module m;
    assert_int_equal(hsc_db_get_module(db, 0, &m, &err), HSC_OK);
    assert_int_equal(m.knowledge, knowledge);
    if (!strstr(m.note, expected))
        fail_msg("'%s' does not say '%s'", m.note, expected);
    double *si = read_sums(db, HSC_TABLE_SCOPE_INCL);
    assert_float_equal(si[0], (double)p.threads[0].samples, 0);
    check_ledger(db);
    free(si);
    hsc_db_close(db);
    remove_all(dir);
}

/* Build id of the vDSO; 0: there is none. */
static size_t own_vdso(const uint8_t **id) {
    const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)image;
    const Elf64_Phdr *p = h ? (const Elf64_Phdr *)(const void *)(image + h->e_phoff) : NULL;
    for (unsigned i = 0; p && i < h->e_phnum; i++)
        for (size_t at = 0; p[i].p_type == PT_NOTE && at + sizeof(Elf64_Nhdr) <= p[i].p_filesz;) {
            const Elf64_Nhdr *note = (const Elf64_Nhdr *)(const void *)(image + p[i].p_offset + at);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(note + 1, "GNU", 4)) {
                *id = (const uint8_t *)(note + 1) + 4;
                return note->n_descsz;
            }
            at += sizeof *note + (note->n_namesz + 3u) / 4 * 4 + (note->n_descsz + 3u) / 4 * 4;
        }
    return 0;
}

static void test_modules(void **state) {
    (void)state;
    target t = where;
    module_note(&t, "no map", HSC_KNOWN_DWARF);
    static const uint8_t other[] = {0xde, 0xad, 0xbe, 0xef};
    t.build_id = other;
    t.build_id_size = 4;
    module_note(&t, "the run had deadbeef", HSC_KNOWN_MODULE);
    t = where;
    snprintf(t.path, sizeof t.path, "/nonexistent/program");
    module_note(&t, "file is gone", HSC_KNOWN_MODULE);
    snprintf(t.path, sizeof t.path, "[vdso]");
    module_note(&t, "not a file", HSC_KNOWN_MODULE);
    const uint8_t *id = NULL;
    size_t n = own_vdso(&id);
    if (n) { /* what the kernel lends this process is what it lends the correlator */
        t.build_id = id;
        t.build_id_size = n;
        module_note(&t, "no debug information", HSC_KNOWN_SYMBOL);
        t.build_id = other;
        t.build_id_size = 4;
        module_note(&t, "of another kernel", HSC_KNOWN_MODULE);
        t.build_id_size = 0;
    }
    snprintf(t.path, sizeof t.path, "/etc/passwd");
    module_note(&t, "not a readable ELF file", HSC_KNOWN_MODULE);
}

static void test_cancel(void **state) {
    (void)state;
    const char *dir = write_run("cancel", false);
    char database[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    volatile sig_atomic_t cancel = 1;
    hsc_err err = {0};
    hsc_join_options o = {.inputs = &dir, .input_count = 1, .output = database, .workers = 2, .cancel = &cancel};
    assert_int_equal(hsc_join_run(&o, NULL, &err), HSC_E_CANCELLED);
    DIR *d = opendir(dir);
    for (struct dirent *e; (e = readdir(d));)
        assert_true(e->d_name[0] == '.' || strstr(e->d_name, ".hsr"));
    closedir(d);
    remove_all(dir);
}

static void test_memory(void **state) { /* allocations fail in turn: each of the first ones, then ever fewer */
    (void)state;
    const char *dir = write_run("memory", false);
    char database[600];
    snprintf(database, sizeof database, "%s/db.h5", dir);
    bool done = false;
    for (long n = 1; !done; n += 1 + n / 40) {
        hsc_err err = {0};
        allocations_left = n;
        hsc_status status = join_to(dir, database, 1, NULL, &err);
        done = allocations_left > 0;
        allocations_left = -1;
        if (done)
            assert_int_equal(status, HSC_OK);
        else if (status != HSC_OK && status != HSC_E_MEMORY && status != HSC_E_IO)
            fail_msg("allocation %ld: %d %s", n, (int)status, err.text);
        if (status != HSC_OK)
            assert_int_equal(access(database, F_OK), -1);
        unlink(database);
    }
    remove_all(dir);
}

static void test_seal(void **state) { /* the first of SipHash's published results of 128 bits; pieces of any size */
    (void)state;
    static const hsc_seal expected[2] = {{{0xe6a825ba047f81a3u, 0x930255c71472f66du}}, {{0x44af996bd8c187dau, 0x45fc229b11597634u}}};
    const hsc_seal_key key = {{0x0706050403020100u, 0x0f0e0d0c0b0a0908u}};
    uint8_t bytes[5 * HSC_SEAL_BLOCK + 13] = {0};
    hsc_sealer s;
    for (size_t n = 0; n < 2; n++) {
        hsc_seal_begin(&s, &key, 2);
        hsc_seal_add(&s, bytes, n);
        assert_true(hsc_seal_equal(hsc_seal_end(&s), expected[n]));
    }
    for (unsigned rounds = 1; rounds < 3; rounds++)
        for (size_t piece = 1; piece < sizeof bytes; piece++) {
            hsc_sealer whole;
            for (size_t i = 0; i < sizeof bytes; i++)
                bytes[i] = (uint8_t)(i * piece);
            hsc_seal_begin(&whole, &key, rounds);
            hsc_seal_add(&whole, bytes, sizeof bytes);
            hsc_seal_begin(&s, &key, rounds);
            for (size_t at = 0; at < sizeof bytes; at += piece)
                hsc_seal_add(&s, bytes + at, piece < sizeof bytes - at ? piece : sizeof bytes - at);
            hsc_seal seal = hsc_seal_end(&whole);
            assert_true(hsc_seal_equal(hsc_seal_end(&s), seal));
            hsc_seal_begin(&s, &key, rounds); /* vectors and words make the same */
            hsc_seal_add_plain(&s, bytes, 5);
            hsc_seal_add(&s, bytes + 5 * HSC_SEAL_BLOCK, 13);
            assert_true(hsc_seal_equal(hsc_seal_end(&s), seal));
            size_t at = piece * 7 % sizeof bytes; /* each byte counts, and where it is */
            bytes[at] ^= 1;
            hsc_seal_begin(&s, &key, rounds);
            hsc_seal_add(&s, bytes, sizeof bytes);
            assert_false(hsc_seal_equal(hsc_seal_end(&s), seal));
            hsc_seal_begin(&s, &key, rounds);
            hsc_seal_add(&s, bytes, sizeof bytes - 1);
            assert_false(hsc_seal_equal(hsc_seal_end(&s), seal));
        }
    hsc_seal of_words; /* two words in each other's place */
    memset(bytes, 0, sizeof bytes);
    bytes[0] = 1;
    hsc_seal_begin(&s, &key, 1);
    hsc_seal_add(&s, bytes, HSC_SEAL_BLOCK);
    of_words = hsc_seal_end(&s);
    bytes[0] = 0;
    bytes[8] = 1;
    hsc_seal_begin(&s, &key, 1);
    hsc_seal_add(&s, bytes, HSC_SEAL_BLOCK);
    assert_false(hsc_seal_equal(hsc_seal_end(&s), of_words));
}

/* Ticks by multiplication: first and last ns of each tick in its whole range, between which they can't fall, and beyond it. */
static void test_ticks(void **state) {
    (void)state;
    static const uint64_t units[] = {1000, 1023, 1024, 10000, 100000, 1000000, JTICKS_NS_MAX, 10000000};
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        uint64_t unit = units[u], offset = 1700000000123456789u, wrong = 0;
        join j = {.origin_ns = 1700000000000000000u, .tick_ns = unit};
        jprocess p = {.join = &j, .has_start = true, .start_ns = 5000000000u + 321, .start_unix_ns = offset};
        jticks k = {.j = &j, .p = &p};
        uint64_t start = offset - j.origin_ns, first = (start / unit + 2) * unit; /* of a tick, since the origin */
        wrong += hsc_join_tick_of(&k, p.start_ns + first - start + 1) != first / unit;
        assert_int_equal(k.scale != 0, unit <= JTICKS_NS_MAX);
        for (uint64_t since = first; since <= first + UINT32_MAX; since += unit) {
            uint64_t time = p.start_ns + (since - start);
            wrong += (hsc_join_tick_of(&k, time) != since / unit) + (hsc_join_tick_of(&k, time + unit - 1) != since / unit);
        }
        assert_int_equal(wrong, 0);
        const uint64_t others[] = {p.start_ns + ((uint64_t)1 << 62), p.start_ns, 0, p.start_ns + 77, p.start_ns + UINT32_MAX, UINT64_MAX, p.start_ns + 1};
        for (size_t i = 0; i < 3 * sizeof others / sizeof *others; i++) { /* far, before, behind, before the start */
            uint64_t time = others[i * 3 % (sizeof others / sizeof *others)];
            assert_int_equal(hsc_join_tick_of(&k, time), hsc_join_since_start(&j, &p, time) / unit);
        }
    }
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    void *library = dlopen(argv[1], RTLD_NOW);
    Dl_info info;
    if (!library || !realpath(argv[1], where.path)) {
        fprintf(stderr, "%s: %s\n", argv[1], dlerror());
        return 2;
    }
    for (unsigned p = 0; p < PROCEDURES; p++) {
        void *at = dlsym(library, names[p]);
        if (!at || !dladdr(at, &info))
            return 2;
        where.address[p] = (uint64_t)((char *)at - (char *)info.dli_fbase);
    }
    where.build_id = (const uint8_t *)"";
    snprintf(base, sizeof base, "%s/heatscope-join-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(base))
        return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seal), cmocka_unit_test(test_totals),    cmocka_unit_test(test_contexts), cmocka_unit_test(test_equal_bytes),
        cmocka_unit_test(test_periods),   cmocka_unit_test(test_weights),   cmocka_unit_test(test_bad_input), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_ticks),     cmocka_unit_test(test_modules),   cmocka_unit_test(test_cancel),   cmocka_unit_test(test_memory),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(base);
    return failed;
}
