/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The writer: the same bytes whatever the workers and the memory; nothing is left where it fails, is killed or is refused; sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "db.h"
#include "md5.h"
#include "model.h"
#include "store_internal.h"

static char *folder;

static const char *file_in(const char *name) {
    static char *path[4];
    static int next;
    char **p = &path[next++ % 4];
    free(*p);
    return *p = model_path(folder, name);
}

#define OK(call) ok(call, &err, #call)
static void ok(hsc_status status, const hsc_err *err, const char *what) {
    if (status)
        fail_msg("%s: %s", what, err->text);
}

static void write_model(const model *m, const char *path, uint64_t pyramid_min) {
    hsc_err err = {0};
    OK(model_write(m, path, 2, pyramid_min, &err));
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

/* The bytes do not depend on how much is held at a time. */
static void parts_do_not_show_in(uint32_t band_unit) {
    size_t n[3];
    char *bytes[3];
    static const uint64_t part_max[] = {0, 1, 7};
    for (int i = 0; i < 3; i++) {
        hsc_err err = {0};
        model *m = model_new(35, false);
        m->by_thread = true;
        m->band_unit = band_unit;
        m->part_max = part_max[i];
        OK(model_write(m, file_in("parts.h5"), 1 + (unsigned)i, 1, &err));
        model_free(m);
        bytes[i] = slurp(file_in("parts.h5"), &n[i]);
    }
    for (int i = 1; i < 3; i++) {
        assert_int_equal(n[i], n[0]);
        assert_memory_equal(bytes[i], bytes[0], n[0]);
    }
    for (int i = 0; i < 3; i++)
        free(bytes[i]);
}

static void parts_do_not_show(void **state) {
    (void)state;
    parts_do_not_show_in(0);
    parts_do_not_show_in(1);
}

static void band_is(const char *path, const char *group, unsigned n, const uint32_t *want) {
    uint32_t begin[HSC_BANDS_MAX + 1];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), g = H5Gopen2(file, group, H5P_DEFAULT);
    if (n) {
        hid_t a = H5Aopen(g, "band_begin", H5P_DEFAULT), space = H5Aget_space(a);
        assert_int_equal(H5Sget_simple_extent_npoints(space), n);
        assert_true(H5Aread(a, H5T_NATIVE_UINT32, begin) >= 0);
        assert_memory_equal(begin, want, n * sizeof *want);
        H5Sclose(space);
        H5Aclose(a);
    } else {
        assert_int_equal(H5Aexists(g, "band_begin"), 0);
    }
    H5Gclose(g);
    H5Fclose(file);
}

/* 23 threads are 16 + 4 + 3 in units of 1, 16 + 7 in units of 8; thread 16 is of a process that begins with thread 14. */
static void bands_are_digits(void **state) {
    (void)state;
    hsc_err err = {0};
    static const struct {
        uint32_t unit, n, begin[5];
        bool one_thread;
    } cases[] = {{1, 4, {0, 14, 20, 23}, false}, {8, 3, {0, 14, 23}, false}, {1, 3, {0, 4, 7}, true}, {8, 0, {0}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model *m = model_new(36, cases[i].one_thread);
        m->by_thread = true;
        m->band_unit = cases[i].unit;
        OK(model_write(m, file_in("bands.h5"), 1, UINT64_MAX, &err));
        band_is(file_in("bands.h5"), "/metrics/0/line/by_row", cases[i].n, cases[i].begin);
        band_is(file_in("bands.h5"), "/metrics/0/line/by_thread", 0, NULL);
        model_free(m);
    }
}

static void same_bytes_for_any_workers(void **state) {
    (void)state;
    static const unsigned workers[] = {1, 2, 5};
    hsc_err err = {0};
    char *first = NULL;
    size_t first_size = 0;
    model *m = model_new(4, false);
    for (size_t i = 0; i < 3; i++) {
        size_t size;
        OK(model_write(m, file_in("bytes.h5"), workers[i], 1, &err));
        char *bytes = slurp(file_in("bytes.h5"), &size);
        if (!first) {
            first = bytes;
            first_size = size;
            continue;
        }
        assert_int_equal(size, first_size);
        assert_memory_equal(bytes, first, size);
        free(bytes);
    }
    free(first);
    model_free(m);
}

/* What other ranks make is written as if it were made here: rows or threads, in bands, with pyramids. */
static void same_bytes_for_any_maker(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 8; kind++) {
        hsc_err err = {0};
        size_t size[2];
        char *bytes[2];
        model *m = model_new(40 + kind, kind & 1);
        m->by_thread = kind & 2;
        m->band_unit = kind == 6 || kind == 7;
        for (unsigned apart = 0; apart < 2; apart++) {
            m->apart = apart;
            OK(model_write(m, file_in("maker.h5"), 1 + kind % 3, kind & 4 ? 1 : 1000, &err));
            bytes[apart] = slurp(file_in("maker.h5"), &size[apart]);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        free(bytes[0]);
        free(bytes[1]);
        model_free(m);
    }
}

static unsigned seed;

/* Bytes of the calls or of sizes are others, or some are missing. */
static void spoil(model_pieces *all) {
    unsigned piece = model_random(&seed) % 3 ? 0 : 1;
    size_t n = all->size[piece];
    if (n && model_random(&seed) % 4)
        for (unsigned i = 0; i <= model_random(&seed) % 3; i++)
            ((uint8_t *)all->bytes[piece])[model_random(&seed) % n] ^= (uint8_t)(1 + model_random(&seed) % 255);
    else if (n)
        all->size[piece] = model_random(&seed) % n;
}

static void bad_pieces_are_refused(void **state) {
    (void)state;
    model_pieces all = {.look = spoil};
    model *m = model_new(50, false);
    unsigned refused = 0;
    m->apart = m->by_thread = true;
    m->pieces = &all;
    mkdir(file_in("left"), 0777);
    model_files(file_in("left"), true);
    for (seed = 0; seed < 2000; seed += 7) {
        hsc_err err = {0};
        unsigned kept = seed;
        if (model_write(m, file_in("left/spoilt.h5"), 1, 1, &err)) {
            refused++;
            assert_true(err.text[0]);
        }
        unlink(file_in("left/spoilt.h5"));
        assert_int_equal(model_files(file_in("left"), false), 0);
        seed = kept;
    }
    assert_true(refused > 200);
    model_free(m);
}

static void killed_writer_leaves_no_database(void **state) {
    (void)state;
    mkdir(file_in("left"), 0777);
    model *m = model_new(5, false);
    pid_t child = fork();
    if (!child) {
        hsc_store *s = NULL;
        if (hsc_store_create(file_in("left/killed.h5"), 2, &s, NULL))
            _exit(1);
        for (int c = 0; c < HSC_COL_COUNT; c++)
            hsc_store_put_column(s, (enum hsc_column_id)c, m->columns[c], m->rows[hsc_schema_columns[c].table], NULL);
        raise(SIGKILL);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_not_equal(access(file_in("left/killed.h5"), F_OK), 0);
    assert_int_equal(model_files(file_in("left"), false), 1); /* the temporary one, which no reader takes for a database */
    model_free(m);
}

static hsc_store *begin(const char *name) {
    hsc_err err = {0};
    hsc_store *s = NULL;
    OK(hsc_store_create(file_in(name), 1, &s, &err));
    return s;
}

static void refusals_leave_nothing(void **state) {
    (void)state;
    hsc_err err = {0};
    model *m = model_new(6, false);
    uint64_t indptr[] = {0, 2};
    uint32_t falling[] = {3, 1}, beyond[] = {1, 99}, good[] = {1, 3}, zero[] = {1, 0}, counts[] = {5, 6};
    static const uint32_t of_process[] = {0, 0, 0, 0};
    mkdir(file_in("left"), 0777);
    model_files(file_in("left"), true);

    hsc_store *s = begin("left/a.h5");
    assert_int_equal(hsc_store_begin_values(s, 0, HSC_TABLE_LINE, 1, 4, &err), HSC_E_ARGUMENT);
    assert_non_null(strstr(err.text, "thread/process must be put before"));
    hsc_err_clear(&err);
    OK(hsc_store_put_column(s, HSC_COL_process_pid, of_process, 1, &err));
    OK(hsc_store_put_column(s, HSC_COL_thread_process, of_process, 4, &err));
    assert_int_equal(hsc_store_begin_values(s, 0, HSC_TABLE_LINE, 1, 4, &err), HSC_E_ARGUMENT);
    assert_non_null(strstr(err.text, "metric/unit and metric/scale must be put before"));
    hsc_err_clear(&err);
    OK(hsc_store_put_column(s, HSC_COL_metric_unit, (const char *[]){"s"}, 1, &err));
    OK(hsc_store_put_column(s, HSC_COL_metric_scale, (double[]){0.001}, 1, &err));
    assert_int_equal(hsc_store_begin_values(s, 1, HSC_TABLE_LINE, 1, 4, &err), HSC_E_ARGUMENT);
    assert_non_null(strstr(err.text, "values of metric 1, the metric table has 1 rows"));
    hsc_err_clear(&err);
    OK(hsc_store_begin_values(s, 0, HSC_TABLE_LINE, 1, 4, &err));
    assert_int_equal(hsc_store_put_rows(s, 1, indptr, falling, counts, NULL), HSC_E_FORMAT);
    assert_int_equal(hsc_store_put_rows(s, 1, indptr, beyond, counts, NULL), HSC_E_FORMAT);
    assert_int_equal(hsc_store_put_rows(s, 1, indptr, good, zero, NULL), HSC_E_ARGUMENT);
    OK(hsc_store_put_rows(s, 1, indptr, good, counts, &err));
    assert_int_equal(hsc_store_put_rows(s, 1, indptr, good, counts, NULL), HSC_E_ARGUMENT);
    assert_int_equal(hsc_store_commit(s, &err), HSC_E_ARGUMENT);
    assert_non_null(strstr(err.text, "not ended"));
    hsc_err_clear(&err);

    s = begin("left/b.h5");
    assert_int_equal(hsc_store_commit(s, &err), HSC_E_ARGUMENT);
    assert_non_null(strstr(err.text, "scope/tag is missing"));
    hsc_err_clear(&err);

    ((uint32_t *)m->columns[HSC_COL_scope_parent])[9] = 50;
    assert_int_equal(model_write(m, file_in("left/c.h5"), 1, 1, &err), HSC_E_FORMAT);
    assert_non_null(strstr(err.text, "/static/scope/parent row 9"));
    hsc_err_clear(&err);
    model_free(m);

    m = model_new(6, false);
    m->value_rows[HSC_TABLE_INSTANCE]--;
    assert_int_equal(model_write(m, file_in("left/d.h5"), 1, 1, &err), HSC_E_ARGUMENT);
    assert_non_null(strstr(err.text, "expected 40 rows"));
    hsc_err_clear(&err);
    model_free(m);

    s = begin("left/e.h5");
    hsc_store_abort(s);
    assert_int_equal(model_files(file_in("left"), false), 0);
    assert_int_equal(hsc_store_create(file_in("nowhere/x.h5"), 1, &s, &err), HSC_E_IO);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(hsc_store_create(file_in(""), 1, &s, &err), HSC_E_ARGUMENT); /* a folder */
    assert_int_equal(hsc_store_create("/dev/null", 1, &s, &err), HSC_E_ARGUMENT);
}

static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    model *m = model_new(8, false);
    size_t size;
    hsc_err err = {0};
    mkdir(file_in("left"), 0777);
    model_files(file_in("left"), true);
    OK(model_write(m, file_in("whole.h5"), 1, 1, &err));
    free(slurp(file_in("whole.h5"), &size));
    for (int part = 0; part < 20; part++) {
        pid_t child = fork();
        if (!child) {
            struct rlimit limit = {size * (size_t)part / 20, size * (size_t)part / 20};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            alarm(200); /* a hang ends */
            hsc_status status = model_write(m, file_in("left/full.h5"), 2, 1, &err);
            exit(status == HSC_E_IO && strstr(err.text, strerror(EFBIG)) ? 0 : 1); /* as a program ends: HDF5 closes what it has */
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_int_equal(model_files(file_in("left"), false), 0);
    }
    model_free(m);
}

static void an_empty_run_is_a_database(void **state) {
    (void)state;
    hsc_err err = {0};
    hsc_db *db = NULL;
    hsc_db_info info;
    hsc_db_stats stats;
    static const uint32_t zero[] = {0}, one[] = {1}, none[] = {HSC_NONE};
    static const uint64_t indptr[] = {0, 0};
    static const double scale[] = {0.001};
    static const char *const names[] = {"CPU time"};
    hsc_store *s = begin("empty.h5");
    for (int c = 0; c < HSC_COL_COUNT; c++) {
        const hsc_column_def *d = &hsc_schema_columns[c];
        if (d->table == HSC_TAB_scope || d->table == HSC_TAB_context || d->table == HSC_TAB_metric)
            OK(hsc_store_put_column(s, (enum hsc_column_id)c,
                                    d->type == HSC_COLTYPE_S ? (const void *)names : d->type == HSC_COLTYPE_F8 ? (const void *)scale
                                    : !strcmp(d->name, "subtree_end") ? one : hsc_schema_references(d) != HSC_TAB_COUNT && strcmp(d->name, "parent") &&
                                      strcmp(d->name, "scope") ? none : (const void *)(uint64_t[]){0}, 1, &err));
    }
    (void)zero;
    OK(hsc_store_put_column(s, HSC_COL_thread_process, NULL, 0, &err));
    OK(hsc_store_begin_values(s, 0, HSC_TABLE_SCOPE_EXCL, 1, 0, &err));
    OK(hsc_store_put_rows(s, 1, indptr, NULL, NULL, &err));
    OK(hsc_store_end_values(s, &err));
    OK(hsc_store_commit(s, &err));
    OK(hsc_db_open(file_in("empty.h5"), &db, &err));
    hsc_db_get_info(db, &info);
    assert_int_equal(info.threads, 0);
    OK(hsc_db_read_stats(db, (hsc_db_view){0, HSC_TABLE_SCOPE_EXCL, HSC_AXIS_PROCESS}, 0, 1, &stats, &err));
    assert_true(stats.sum == 0 && stats.max == 0 && stats.stddev == 0);
    assert_int_equal(stats.max_column, HSC_NONE);
    hsc_db_close(db);
}

/* ---- sources ---- */

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void sources_are_found(void **state) {
    (void)state;
    hsc_err err = {0};
    hsc_db *db = NULL;
    char *text = NULL;
    size_t size = 0;
    bool changed = true;
    model *m = model_new(7, false);
    char **paths = m->columns[HSC_COL_file_path], **sums = m->columns[HSC_COL_file_checksum];
    uint8_t *has_lines = m->columns[HSC_COL_file_has_lines];
    memset(has_lines, 1, 9);
    has_lines[8] = 0;
    static const char *const names[] = {"gone/from/here/x.c", "y.c"};
    for (int i = 0; i < 2; i++) {
        free(paths[i]);
        paths[i] = strdup(i ? file_in(names[1]) : "/gone/from/here/x.c");
        free(sums[i]);
        sums[i] = strdup(i ? "900150983cd24fb0d6963f7d28e17f72" : "");
    }
    write_model(m, file_in("sources.h5"), 1);
    OK(hsc_db_open(file_in("sources.h5"), &db, &err));
    OK(hsc_db_read_source(db, 2, &text, &size, &changed, &err));
    assert_int_equal(size, 19);
    assert_string_equal(text, "int main(void) {\n}\n");
    assert_false(changed);
    free(text);
    unsetenv("HEATSCOPE_SOURCE_PATH");
    assert_int_equal(hsc_db_read_source(db, 0, &text, &size, &changed, &err), HSC_E_MISSING);
    assert_non_null(strstr(err.text, "/gone/from/here/x.c: not found"));
    hsc_err_clear(&err);
    char list[600];
    mkdir(file_in("elsewhere"), 0777);
    mkdir(file_in("elsewhere/here"), 0777);
    write_file(file_in("elsewhere/here/x.c"), "longer tail\n");
    write_file(file_in("elsewhere/x.c"), "shorter tail\n");
    snprintf(list, sizeof list, "/nonexistent::%s", file_in("elsewhere"));
    setenv("HEATSCOPE_SOURCE_PATH", list, 1);
    OK(hsc_db_read_source(db, 0, &text, &size, NULL, &err));
    assert_string_equal(text, "longer tail\n");
    free(text);
    write_file(file_in("y.c"), "abc");
    OK(hsc_db_read_source(db, 1, &text, &size, &changed, &err));
    assert_false(changed);
    free(text);
    write_file(file_in("y.c"), "abd");
    OK(hsc_db_read_source(db, 1, &text, &size, &changed, &err));
    assert_true(changed);
    free(text);
    assert_int_equal(hsc_db_read_source(db, 8, &text, &size, &changed, &err), HSC_E_MISSING);
    assert_int_equal(hsc_db_read_source(db, 9, &text, &size, &changed, NULL), HSC_E_ARGUMENT);
    unsetenv("HEATSCOPE_SOURCE_PATH");
    hsc_db_close(db);
    model_free(m);
}

static void md5_of_the_rfc(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890", "57edf4a22be3c955ac49da2e2107b67a"}};
    for (size_t i = 0; i < 4; i++) {
        char hex[33];
        hsc_md5_hex(pairs[i][0], strlen(pairs[i][0]), hex);
        assert_string_equal(hex, pairs[i][1]);
    }
}

static void text_is_made_utf8(void **state) {
    (void)state;
    char bad[] = "a\xFF" "b\xC3" "c\xE2\x82\xAC\xED\xA0\x80\xC0\x80z";
    hsc_text_repair(bad);
    assert_string_equal(bad, "a?b?c\xE2\x82\xAC?????z");
}
int main(void) {
    folder = model_folder();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_do_not_show), cmocka_unit_test(bands_are_digits),
        cmocka_unit_test(same_bytes_for_any_workers), cmocka_unit_test(same_bytes_for_any_maker), cmocka_unit_test(bad_pieces_are_refused),
        cmocka_unit_test(killed_writer_leaves_no_database),
        cmocka_unit_test(refusals_leave_nothing),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(an_empty_run_is_a_database),
        cmocka_unit_test(sources_are_found),
        cmocka_unit_test(md5_of_the_rfc),
        cmocka_unit_test(text_is_made_utf8),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    model_files(folder, true);
    rmdir(folder);
    free(folder);
    return failed;
}
