/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process that reads databases: what it may do, and what happens when it dies, hangs or is not wanted any more. */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <fcntl.h>
#include <hdf5.h>
#include <malloc.h>

#include "db.h"
#include "h5.h"
#include "model.h"
#include "values.h"

static char *folder, *path;

static void must(hsc_status status, const hsc_err *err) {
    if (status)
        fail_msg("%s", err->text);
}

/* The only child of this process; 0: none. */
static pid_t child(void) {
    char name[64];
    int pid = 0;
    snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(name, "r");
    if (f && fscanf(f, "%d", &pid) != 1)
        pid = 0;
    if (f)
        fclose(f);
    return pid;
}

static long status_of(pid_t pid, const char *key) {
    char name[64], line[256];
    long value = -1;
    size_t n = strlen(key);
    snprintf(name, sizeof name, "/proc/%d/status", (int)pid);
    FILE *f = fopen(name, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, n) && line[n] == ':')
            value = strtol(line + n + 1, NULL, 10);
    if (f)
        fclose(f);
    return value;
}

/* Table after table, each read from the file when it is asked for: all sums of it, of which nothing stays in memory. */
static hsc_status read_something(hsc_db *db, int table, hsc_err *err) {
    double sum;
    return hsc_db_read_sums(db, (hsc_db_view){0, (hsc_db_table)table, HSC_AXIS_THREAD}, 0, 1, &sum, err);
}

static hsc_db *open_db(void) {
    hsc_err err = {0};
    hsc_db *db = NULL;
    must(hsc_db_open(path, &db, &err), &err);
    return db;
}

static void is_enclosed(void **state) {
    (void)state;
    hsc_db *db = open_db();
    pid_t pid = child();
    char name[64];
    assert_true(pid > 0);
    assert_int_equal(status_of(pid, "NoNewPrivs"), 1);
    if (prctl(PR_GET_SECCOMP) >= 0) /* the kernel has it */
        assert_int_equal(status_of(pid, "Seccomp"), 2);
    snprintf(name, sizeof name, "/proc/%d/fd", (int)pid);
    DIR *d = opendir(name);
    assert_non_null(d);
    int files = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') {
            assert_true(atoi(e->d_name) <= 4);
            files++;
        }
    closedir(d);
    assert_int_equal(files, 5);
    hsc_db_close(db);
    assert_int_equal(child(), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
}

static void its_death_is_an_error(void **state) {
    (void)state;
    hsc_db *db = open_db();
    hsc_err err = {0};
    assert_int_equal(kill(child(), SIGSEGV), 0);
    assert_int_equal(read_something(db, HSC_TABLE_LINE, &err), HSC_E_FORMAT);
    assert_non_null(strstr(err.text, "the file is damaged or hostile"));
    assert_non_null(strstr(err.text, "crashed (signal 11"));
    assert_non_null(strstr(err.text, path));
    err = (hsc_err){0};
    must(read_something(db, HSC_TABLE_LINE, &err), &err); /* another one reads on */
    kill(child(), SIGXCPU);
    assert_int_equal(read_something(db, HSC_TABLE_SCOPE_INCL, &err), HSC_E_FORMAT);
    assert_non_null(strstr(err.text, "did not end within"));
    for (int i = 0; i < 2; i++) {
        err = (hsc_err){0};
        must(read_something(db, HSC_TABLE_SCOPE_EXCL + i, &err), &err);
        kill(child(), SIGKILL);
        assert_int_equal(read_something(db, HSC_TABLE_CONTEXT_EXCL + i, &err), HSC_E_IO);
        assert_non_null(strstr(err.text, "ended from outside (signal 9"));
        assert_null(strstr(err.text, "hostile")); /* the file is not to blame */
    }
    err = (hsc_err){0};
    assert_int_equal(read_something(db, HSC_TABLE_INSTANCE, &err), HSC_E_FORMAT); /* no more of them */
    assert_non_null(strstr(err.text, "died 4 times"));
    err = (hsc_err){0};
    hsc_db_scope scope;
    must(hsc_db_get_scope(db, 1, &scope, &err), &err); /* what is in memory is there still */
    hsc_db_close(db);
}

/* By nothing but signals from outside: no file is to blame. */
static void its_ends_from_outside(void **state) {
    (void)state;
    hsc_db *db = open_db();
    hsc_err err = {0};
    for (int i = 0; i < 4; i++) {
        kill(child(), i % 2 ? SIGKILL : SIGTERM);
        err = (hsc_err){0};
        assert_int_equal(read_something(db, HSC_TABLE_LINE, &err), HSC_E_IO);
        assert_non_null(strstr(err.text, "ended from outside (signal"));
        if (i < 3) {
            err = (hsc_err){0};
            must(read_something(db, HSC_TABLE_SCOPE_EXCL + i, &err), &err);
        }
    }
    err = (hsc_err){0};
    assert_int_equal(read_something(db, HSC_TABLE_INSTANCE, &err), HSC_E_IO);
    assert_non_null(strstr(err.text, "ended from outside 4 times"));
    hsc_db_close(db);
}

/* Written over while it is open, as a copy does it: errors say so. */
static void the_file_is_written_over(void **state) {
    (void)state;
    hsc_err err = {0};
    hsc_db *db = NULL;
    char copy[4200];
    static char bytes[1 << 20];
    snprintf(copy, sizeof copy, "%s.copy", path);
    FILE *from = fopen(path, "rb"), *to = fopen(copy, "wb");
    assert_non_null(from);
    assert_non_null(to);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;)
        assert_int_equal(fwrite(bytes, 1, n, to), n);
    fclose(from);
    fclose(to);
    must(hsc_db_open(copy, &db, &err), &err);
    must(read_something(db, HSC_TABLE_LINE, &err), &err);
    assert_int_equal(truncate(copy, 5000), 0);
    assert_int_not_equal(read_something(db, HSC_TABLE_CONTEXT_EXCL, &err), HSC_OK);
    assert_non_null(strstr(err.text, "(changed since it was opened: open it again)"));
    hsc_db_close(db);
    remove(copy);
}

/* Pieces that a dead worker had: counting ends in an error, and another one counts. */
static void its_death_while_it_counts(void **state) {
    (void)state;
    hsc_db *db = open_db();
    hsc_err err = {0};
    hsc_db_times t;
    double part = 0;
    must(hsc_db_get_times(db, &t, &err), &err);
    assert_true(t.present);
    must(hsc_db_set_interval(db, 0, t.end_s / 2, &err), &err);
    kill(child(), SIGKILL);
    assert_int_equal(hsc_db_count_threads(db, 1e9, &part, &err), HSC_E_IO);
    err = (hsc_err){0};
    must(hsc_db_count_threads(db, 1e9, &part, &err), &err);
    assert_true(part == 1);
    hsc_db_close(db);
}

typedef struct patience {
    int asked, enough;
} patience;

static bool wait_a_while(void *ctx, uint64_t done, uint64_t whole) {
    (void)done, (void)whole;
    patience *p = ctx;
    return ++p->asked < p->enough;
}

static void a_hanging_one_can_be_left(void **state) {
    (void)state;
    hsc_db *db = open_db();
    hsc_err err = {0};
    patience p = {.enough = 3};
    hsc_db_set_progress(db, wait_a_while, &p);
    pid_t first = child();
    kill(first, SIGSTOP);
    assert_int_equal(read_something(db, HSC_TABLE_LINE, &err), HSC_E_CANCELLED);
    assert_true(p.asked >= 3);
    p.enough = 1000000;
    err = (hsc_err){0};
    must(read_something(db, HSC_TABLE_LINE, &err), &err);
    assert_true(child() > 0 && child() != first);
    for (int i = 0; i < 10; i++) { /* that was no death */
        p = (patience){.enough = 2};
        err = (hsc_err){0};
        kill(child(), SIGSTOP);
        assert_int_equal(read_something(db, HSC_TABLE_SCOPE_INCL, &err), HSC_E_CANCELLED);
        p.enough = 1000000;
        err = (hsc_err){0};
        must(hsc_db_load(db, (enum hsc_table_id)(HSC_TAB_COUNT - 1 - i), &err), &err); /* starts the next one */
        must(hsc_dbfile_numbers(db->file, "/", "format_version", 2, (double[2]){0}, &err), &err);
    }
    hsc_db_close(db);
}

static void a_replaced_file_stays(void **state) {
    (void)state;
    char *away = model_path(folder, "away.h5");
    hsc_db *db = open_db();
    hsc_err err = {0};
    assert_int_equal(rename(path, away), 0);
    FILE *f = fopen(path, "wb");
    fputs("something else", f);
    fclose(f);
    kill(child(), SIGKILL);
    assert_int_equal(read_something(db, HSC_TABLE_LINE, &err), HSC_E_IO);
    err = (hsc_err){0};
    must(read_something(db, HSC_TABLE_LINE, &err), &err); /* of the file that was opened, also by another process */
    hsc_db_close(db);
    assert_int_equal(rename(away, path), 0);
    free(away);
}

static void what_both_ways_read_is_the_same(void **state) {
    (void)state;
    hsc_err err = {0};
    hsc_db *by_worker = open_db();
    setenv("HEATSCOPE_READER", "direct", 1);
    hsc_db *directly = open_db();
    unsetenv("HEATSCOPE_READER");
    hsc_db_info a, b;
    hsc_db_get_info(by_worker, &a);
    hsc_db_get_info(directly, &b);
    assert_string_equal(a.title, b.title);
    assert_int_equal(a.lines, b.lines);
    for (int t = 0; t < HSC_VALUES_COUNT; t++) {
        hsc_db_view view = {0, (hsc_db_table)t, HSC_AXIS_THREAD};
        uint64_t n = hsc_db_get_rows(by_worker, view.table);
        uint32_t m = hsc_db_get_columns(by_worker, view.axis);
        float *x = calloc(n * m + 1, sizeof *x), *y = calloc(n * m + 1, sizeof *y);
        must(hsc_db_read_block(by_worker, view, 0, n, 0, m, x, &err), &err);
        must(hsc_db_read_block(directly, view, 0, n, 0, m, y, &err), &err);
        assert_memory_equal(x, y, n * m * sizeof *x);
        free(x);
        free(y);
    }
    hsc_db_close(by_worker);
    hsc_db_close(directly);
}

/* All elements of a column, with room for a byte more. *deaths: of the worker that end in an error, each of which is tried again. */
static char *read_column(hsc_db *db, int column, uint64_t *bytes, int *deaths) {
    const hsc_column_def *c = &hsc_schema_columns[column];
    char name[96];
    int set;
    hsc_set_info info;
    hsc_err err = {0};
    snprintf(name, sizeof name, "/%s/%s/%s", hsc_schema_tables[c->table].section, hsc_schema_tables[c->table].name, c->name);
    hsc_status status = hsc_dbfile_open_set(db->file, name, c->type, HSC_NNZ_MAX + 1, &set, &info, &err);
    if (!status) {
        *bytes = info.n * info.size;
        char *data = calloc(1, *bytes + 1);
        status = hsc_dbfile_read(db->file, set, 0, info.n, data, &err);
        hsc_dbfile_close_set(db->file, set);
        if (!status)
            return data;
        free(data);
    }
    if (!(*deaths)--)
        fail_msg("%s", err.text);
    assert_non_null(strstr(err.text, "ended from outside (signal 9"));
    return read_column(db, column, bytes, deaths);
}

/* With their elements, without, with some of them; in order, backwards; with a worker that dies meanwhile, and when others are asked for instead. */
static void what_is_asked_for_ahead_is_the_same(void **state) {
    (void)state;
    enum { AHEAD_FORWARDS, BACKWARDS, KILLED, KILLED_LATE, OTHERS_BETWEEN, FORGOTTEN, WAYS };
    static const uint64_t limits[] = {0, 8, 64, HSC_LOOK_BYTES};
    enum { MOST = 40 };
    int columns[MOST], n = 0;
    hsc_look looks[MOST + 1];
    for (int i = 0; i < HSC_COL_COUNT && n < MOST; i++)
        if (hsc_schema_columns[i].table == HSC_TAB_thread || hsc_schema_columns[i].table == HSC_TAB_line ||
            hsc_schema_columns[i].table == HSC_TAB_scope) {
            const hsc_column_def *c = &hsc_schema_columns[i];
            snprintf(looks[n].name, sizeof looks[n].name, "/%s/%s/%s", hsc_schema_tables[c->table].section, hsc_schema_tables[c->table].name, c->name);
            looks[n].type = c->type;
            columns[n++] = i;
        }
    assert_true(n > 8);
    snprintf(looks[n].name, sizeof looks[n].name, "/static/line/nosuch");
    looks[n].type = HSC_COLTYPE_U4;
    for (size_t limit = 0; limit < sizeof limits / sizeof *limits; limit++)
        for (int way = 0; way < WAYS; way++) {
            hsc_db *db = open_db(), *plain = open_db();
            hsc_err err = {0};
            int set;
            hsc_set_info info;
            int deaths = 0, none = 0;
            hsc_dbfile_look_ahead(db->file, looks, (uint32_t)n + 1, limits[limit]);
            for (int i = 0; i < n; i++) {
                int column = columns[way == BACKWARDS ? n - 1 - i : i];
                uint64_t bytes, expected_bytes;
                if ((way == KILLED && i == 0) || (way == KILLED_LATE && i == n / 2)) {
                    hsc_db_close(plain); /* the only child is the other's then */
                    kill(child(), SIGKILL);
                    deaths = 1;
                    plain = open_db();
                }
                if (way == OTHERS_BETWEEN && i % 5 == 2)
                    must(hsc_dbfile_numbers(db->file, "/", "format_version", 2, (double[2]){0}, &err), &err);
                if (way == FORGOTTEN && i == n / 2) {
                    hsc_dbfile_forget_looks(db->file);
                    hsc_dbfile_look_ahead(db->file, looks + 1, 3, limits[limit]);
                }
                char *expected = read_column(plain, column, &expected_bytes, &none);
                char *data = read_column(db, column, &bytes, &deaths);
                assert_int_equal(bytes, expected_bytes);
                assert_memory_equal(data, expected, bytes);
                free(data);
                free(expected);
            }
            if (deaths) /* nobody has seen it yet, or only what was asked for ahead */
                (void)hsc_dbfile_numbers(db->file, "/", "format_version", 2, (double[2]){0}, &err);
            err = (hsc_err){0};
            assert_true(hsc_dbfile_has(db->file, looks[0].name)); /* taken by now */
            assert_false(hsc_dbfile_has(db->file, looks[n].name));
            assert_int_equal(hsc_dbfile_open_set(db->file, looks[n].name, HSC_COLTYPE_U4, 1, &set, &info, &err), HSC_E_MISSING);
            hsc_dbfile_look_ahead(db->file, looks, 2, limits[limit]);
            assert_true(hsc_dbfile_has(db->file, looks[1].name));
            err = (hsc_err){0}; /* as many as it has not: the worker says so */
            assert_int_equal(hsc_dbfile_open_set(db->file, looks[0].name, looks[0].type, 1000003, &set, &info, &err), HSC_E_FORMAT);
            assert_non_null(strstr(err.text, "1000003"));
            hsc_db_close(db);
            hsc_db_close(plain);
        }
}

/* Of twelve levels that may be there a small database has a few: the worker is asked for all at once, and not for those of a kind without any. */
static void levels_that_are_not_there_cost_nothing(void **state) {
    (void)state;
    hsc_err err = {0};
    hsc_db *db = open_db();
    const hsc_db_table tables[] = {HSC_TABLE_LINE, HSC_TABLE_SCOPE_EXCL};
    unsigned with = 0, without = 0;
    for (unsigned i = 0; i < 2 * HSC_LEVEL_KINDS; i++) {
        hsc_source s;
        const hsc_level *levels;
        unsigned n, kind = i % HSC_LEVEL_KINDS;
        must(hsc_source_find(db, (hsc_db_view){0, tables[i / HSC_LEVEL_KINDS], HSC_AXIS_PROCESS}, &s, &err), &err);
        uint64_t before = hsc_dbfile_waits(db->file);
        must(hsc_source_levels(&s, kind, &levels, &n, &err), &err);
        uint64_t waits = hsc_dbfile_waits(db->file) - before;
        assert_true(n < HSC_LEVELS_MAX / 2);
        assert_true(waits <= (n ? 2 + 3 * n : 1)); /* is the kind there, which levels, and of each indices, max and sum */
        with += n > 0;
        without += !n;
        before = hsc_dbfile_waits(db->file);
        must(hsc_source_levels(&s, kind, &levels, &n, &err), &err);
        assert_int_equal(hsc_dbfile_waits(db->file), before);
    }
    assert_true(with > 0 && without > 0);
    hsc_db_close(db);
}

/* Seven arrays hold a row's statistics, two its values: the worker is waited for once for each of both. */
static void what_is_of_one_row_comes_at_once(void **state) {
    (void)state;
    const hsc_db_view view = {0, HSC_TABLE_LINE, HSC_AXIS_PROCESS};
    hsc_err err = {0};
    hsc_db *db = open_db();
    setenv("HEATSCOPE_READER", "direct", 1);
    hsc_db *directly = open_db();
    unsetenv("HEATSCOPE_READER");
    uint32_t columns = hsc_db_get_columns(db, HSC_AXIS_PROCESS);
    uint64_t rows = hsc_db_get_rows(db, view.table), before;
    float *x = calloc(columns, sizeof *x), *y = calloc(columns, sizeof *y);
    hsc_db_stats a, b;
    must(hsc_db_read_stats(db, view, 0, 1, &a, &err), &err); /* opens them */
    must(hsc_db_read_block(db, view, 0, 1, 0, columns, x, &err), &err);
    for (uint64_t r = 1; r < rows; r++) {
        before = hsc_dbfile_waits(db->file);
        must(hsc_db_read_stats(db, view, r, 1, &a, &err), &err);
        assert_int_equal(hsc_dbfile_waits(db->file) - before, 1);
        must(hsc_db_read_stats(directly, view, r, 1, &b, &err), &err);
        assert_true(a.sum == b.sum && a.max == b.max && a.min == b.min && a.mean == b.mean && a.stddev == b.stddev);
        assert_true(a.max_column == b.max_column && a.min_column == b.min_column && a.nonzero == b.nonzero);
        before = hsc_dbfile_waits(db->file);
        must(hsc_db_read_block(db, view, r, 1, 0, columns, x, &err), &err);
        assert_true(hsc_dbfile_waits(db->file) - before <= 1);
        must(hsc_db_read_block(directly, view, r, 1, 0, columns, y, &err), &err);
        assert_memory_equal(x, y, columns * sizeof *x);
    }
    hsc_db_close(directly);
    kill(child(), SIGKILL);
    assert_int_equal(hsc_db_read_stats(db, view, 1, 1, &b, &err), HSC_E_IO);
    err = (hsc_err){0};
    must(hsc_db_read_stats(db, view, rows - 1, 1, &b, &err), &err);
    assert_true(a.sum == b.sum && a.max == b.max && a.nonzero == b.nonzero);
    free(x);
    free(y);
    hsc_db_close(db);
}

/* Looks at all nodes of a data set of 40,000 chunks, which take 13 MB, and keeps a few (5 MB with what HDF5 needs at all). Sanitizers have no such counts. */
static void little_is_kept_of_where_chunks_are(void **state) {
    (void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    enum { CHUNKS = 40000, BYTES_MOST = 8 << 20 };
    hsc_err err = {0};
    hsc_h5 *h = NULL;
    hsc_set_info info;
    int set = -1;
    char *many = model_path(folder, "many.h5");
    hsize_t n = CHUNKS, one = 1;
    hid_t file = H5Fcreate(many, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &n, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, &one);
    H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
    hid_t data = H5Dcreate2(file, "x", H5T_STD_U32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(data >= 0 && H5Dclose(data) >= 0 && H5Pclose(plist) >= 0 && H5Sclose(space) >= 0 && H5Fclose(file) >= 0);
    int fd = open(many, O_RDONLY);
    must(hsc_h5_open(many, fd, &h, &err), &err);
    size_t before = mallinfo2().uordblks;
    must(hsc_h5_open_set(h, "/x", HSC_COLTYPE_U4, CHUNKS, &set, &info, &err), &err);
    assert_in_range(mallinfo2().uordblks - before, 0, BYTES_MOST);
    hsc_h5_close(h);
    close(fd);
    unlink(many);
    free(many);
#endif
}

int main(void) {
    hsc_err err = {0};
    folder = model_folder();
    path = model_path(folder, "x.h5");
    model *m = model_new(33, false);
    model_add_times(m, 9);
    if (model_write(m, path, 1, 1, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    model_free(m);
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_enclosed), cmocka_unit_test(its_death_is_an_error), cmocka_unit_test(its_ends_from_outside), cmocka_unit_test(the_file_is_written_over), cmocka_unit_test(its_death_while_it_counts),
                                       cmocka_unit_test(a_hanging_one_can_be_left),
                                       cmocka_unit_test(a_replaced_file_stays),
                                       cmocka_unit_test(what_both_ways_read_is_the_same),
                                       cmocka_unit_test(what_is_asked_for_ahead_is_the_same),
                                       cmocka_unit_test(levels_that_are_not_there_cost_nothing), cmocka_unit_test(what_is_of_one_row_comes_at_once),
                                       cmocka_unit_test(little_is_kept_of_where_chunks_are)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
    return failed;
}
