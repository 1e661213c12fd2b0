/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Well-formed streams with mad contents: records of a run and of a map whose fields hold anything. The join must end with a
 * database that adds up or with one clear error. argv[1]: the target library, argv[2..3]: name and folder of its unit,
 * argv[4]: rounds. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <heatscope/formats/stream.h>
#include <heatscope/query.h>
#include <join.h>

#include "measurement.h"

static uint64_t seed;
static char base[256], module[400], unit_name[4096], unit_directory[4096];
static unsigned rounds = 24;
enum { RUNS = 5 }; /* files of each */

static uint64_t number(void) {
    static const uint64_t odd[] = {0, 1, 2, 3, 4, 7, 8, 16, 255, 4096, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF, 0x100000000, UINT64_MAX};
    uint64_t r = random_next(&seed);
    switch (r % 4) {
    case 0:
        return odd[(r >> 8) % (sizeof odd / sizeof *odd)];
    case 1:
        return (r >> 8) % 40;
    case 2:
        return 0x1000 + (r >> 8) % 0x400;
    default:
        return (r >> 8) % 5;
    }
}

static hsc_str words(void) {
    static const char *const texts[] = {"", "alpha", "beta", "delta", "f.omp_outlined", "f.omp_outlined_debug__", "_Z1fv", "_QMmPp",
                                        "/", "/../..", "../../x.c", "a/b/../../../c", "MPI_Send", "[vdso]", "\xff\xfe\n\t"};
    uint64_t r = random_next(&seed);
    static char long_text[3000];
    if (r % 50 == 0) {
        memset(long_text, 'a' + (int)(r >> 8) % 26, sizeof long_text);
        return (hsc_str){long_text, (r >> 16) % sizeof long_text};
    }
    const char *t = texts[(r >> 8) % (sizeof texts / sizeof *texts)];
    return (hsc_str){t, strlen(t)};
}

/* Fills a record of any kind by its fields' types. */
#define MAD_U(v) (v) = number()
#define MAD_Z(v) (v) = (int64_t)number()
#define MAD_D(v) (v) = number()
#define MAD_T(v) (v) = number()
#define MAD_H(v) (v) = number()
#define MAD_F(v) (v) = (double)number()
#define MAD_S(v) (v) = words()
#define MAD_B(v) (v) = (hsc_bytes){(const uint8_t *)"0123456789abcdef", number() % 17}
#define MAD_AU(v) (v) = (hsc_u64s){NULL, 0}
#define MAD_AS(v) (v) = (hsc_strs){NULL, 0}
#define HSC_RECORD_BEGIN(id, name, version, meaning)                     \
    __attribute__((unused)) static void mad_##name(hsc_buffer_writer *w) {                       \
        hsc_rec_##name r;                                                \
        memset(&r, 0, sizeof r);
#define HSC_FIELD(field, type, unit, semantic, meaning) MAD_##type(r.field);
#define HSC_RECORD_END(name)                                             \
        hsc_buffer_writer_put(w, HSC_REC_##name, &r, NULL);              \
    }
#include <heatscope/formats/records.def>
#undef HSC_RECORD_BEGIN
#undef HSC_FIELD
#undef HSC_RECORD_END

/* of a thread's stream and of a process; samples are the most */
static void (*const dynamic[])(hsc_buffer_writer *) = {mad_node,   mad_node,     mad_node,    mad_sample, mad_sample, mad_sample_weighted,
                                                       mad_thread, mad_progress, mad_loss,    mad_event,  mad_mapping, mad_unmapping,
                                                       mad_sample, mad_process,  mad_process_end, mad_binary};
/* messages, waits, what the program tells, probes, cost: each in the order of its number */
static void (*const events[])(hsc_buffer_writer *) = {
    mad_source,         mad_event_total,   mad_rate,           mad_handler_time, mad_cost,           mad_measuring,      mad_user_name,
    mad_user_begin,     mad_user_end,      mad_user_phase,     mad_user_counter, mad_note,           mad_message_system, mad_communicator,
    mad_operation,      mad_message_summary, mad_message_event, mad_message_peer, mad_message_threshold, mad_wait,        mad_wait_interval,
    mad_region,         mad_team_member,   mad_region_work,   mad_symbolic_place, mad_symbolic_value, mad_probe_place,  mad_block,          mad_block_time,
    mad_task_node,      mad_task_node,     mad_task_node,      mad_block_summary,  mad_probe_cost,    mad_probe_armed,    mad_probe_progress, mad_probe_samples};
static void (*const statics[])(hsc_buffer_writer *) = {mad_file,  mad_procedure, mad_procedure, mad_loop,   mad_loop, mad_callsite, mad_place,
                                                       mad_place, mad_inline,    mad_remark,    mad_loop_instance, mad_module_end, mad_module};

static void take_bytes(hsc_buffer_writer *w, FILE *f) {
    const uint8_t *bytes;
    size_t n;
    assert_int_equal(hsc_buffer_writer_get_bytes(w, &bytes, &n, NULL), HSC_OK);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    hsc_buffer_writer_free(w);
}

static hsc_str text(const char *s) {
    return (hsc_str){s, strlen(s)};
}

static void write_run(const char *file) {
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    for (uint32_t stream = 0; stream < 4; stream++) {
        hsc_buffer_writer *w = hsc_buffer_writer_new(HSC_CHUNK_DYNAMIC, stream, stream == 0, NULL);
        if (!stream) /* the real library, so that real code is met */
            for (uint64_t id = 1; id < 4; id++)
                hsc_buffer_writer_put(w, HSC_REC_mapping,
                                      &(hsc_rec_mapping){.mapping_id = id, .address = 0x10000 * id, .size = 0x8000, .bias = 0x10000 * id, .path = text(module)}, NULL);
        uint64_t mix = random_next(&seed) % 4; /* of events; 0: none, so that samples alone are met too */
        for (int i = 0; i < 300; i++)
            if (random_next(&seed) % 4 < mix)
                events[random_next(&seed) % (sizeof events / sizeof *events)](w);
            else
                dynamic[random_next(&seed) % (sizeof dynamic / sizeof *dynamic)](w);
        take_bytes(w, f);
    }
    fclose(f);
}

static void write_map(const char *file) {
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    hsc_buffer_writer *w = hsc_buffer_writer_new(HSC_CHUNK_STATIC, 0, true, NULL);
    for (uint64_t group = 0; group < 3; group++) {
        hsc_buffer_writer_put(w, HSC_REC_module,
                              &(hsc_rec_module){.module_tag = group, .name = text(unit_name), .directory = text(unit_directory)}, NULL);
        hsc_buffer_writer_put(w, HSC_REC_file, &(hsc_rec_file){.file_id = 1, .path = text(unit_name)}, NULL);
        for (uint64_t p = 1; p < 5; p++) { /* the library's own procedures, so that mad loops lie in real code */
            static const char *const names[] = {"", "alpha", "beta", "gamma_", "delta"};
            hsc_buffer_writer_put(w, HSC_REC_procedure,
                                  &(hsc_rec_procedure){.procedure_id = p, .name = text(names[p]), .linkage_name = text(names[p]), .file_id = 1,
                                                       .line_begin = number() % 30, .parent_id = number() % 6, .flags = number()}, NULL);
            hsc_buffer_writer_put(w, HSC_REC_loop,
                                  &(hsc_rec_loop){.loop_id = p, .procedure_id = p, .parent_id = number() % 6, .depth = number() % 4, .file_id = 1,
                                                  .line_begin = number() % 30, .line_end = 20 + number() % 10}, NULL);
        }
        for (int i = 0; i < 150; i++)
            statics[random_next(&seed) % (sizeof statics / sizeof *statics)](w);
    }
    take_bytes(w, f);
    fclose(f);
}

static double sum_of(hsc_db *db, hsc_db_table table, uint64_t *rows) {
    hsc_err err = {0};
    *rows = hsc_db_get_rows(db, table);
    double *v = calloc(*rows + 1, sizeof *v), sum = 0;
    if (*rows && hsc_db_read_sums(db, (hsc_db_view){0, table, HSC_AXIS_THREAD}, 0, *rows, v, &err) != HSC_OK)
        fail_msg("%s", err.text);
    for (uint64_t i = 0; i < *rows; i++)
        sum += v[i];
    free(v);
    return sum;
}

static void test_hostile(void **state) {
    (void)state;
    unsigned good = 0;
    for (unsigned round = 0; round < rounds; round++) {
        char file[600], map[600], database[600];
        seed = 1000 + round;
        snprintf(map, sizeof map, "%s.hsm", module);
        snprintf(database, sizeof database, "%s/db.h5", base);
        write_map(map);
        for (int i = 0; i < RUNS; i++) { /* many to a database, which takes longer to write than they do */
            snprintf(file, sizeof file, "%s/%d.hsr", base, i);
            write_run(file);
        }
        const char *dir = base;
        hsc_err err = {0};
        hsc_join_options o = {.inputs = &dir, .input_count = 1, .output = database, .workers = 2};
        hsc_status status = hsc_join_run(&o, NULL, &err);
        if (status != HSC_OK) {
            assert_int_equal(access(database, F_OK), -1);
            assert_true(err.text[0]);
            assert_true(status == HSC_E_MISSING);
            continue;
        }
        hsc_db *db;
        if (hsc_db_open(database, &db, &err) != HSC_OK)
            fail_msg("round %u: %s", round, err.text);
        hsc_db_info info;
        hsc_db_get_info(db, &info);
        uint64_t rows;
        double lines = sum_of(db, HSC_TABLE_LINE, &rows), scopes = sum_of(db, HSC_TABLE_SCOPE_EXCL, &rows);
        double contexts = sum_of(db, HSC_TABLE_CONTEXT_EXCL, &rows);
        assert_float_equal(lines, scopes, 0);
        assert_float_equal(lines, contexts, 0);
        assert_float_equal(lines, (double)info.samples, 0);
        hsc_db_close(db);
        unlink(database);
        good++;
    }
    assert_true(good * 2 > rounds); /* else this test tests little */
}

static void copy(const char *from, const char *to) {
    FILE *a = fopen(from, "rb"), *b = fopen(to, "wb");
    char buffer[4096];
    for (size_t n; a && b && (n = fread(buffer, 1, sizeof buffer, a)) > 0;)
        fwrite(buffer, 1, n, b);
    if (!a || !b) {
        perror(from);
        exit(2);
    }
    fclose(a);
    fclose(b);
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    snprintf(base, sizeof base, "%s/heatscope-hostile-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(base))
        return 2;
    snprintf(module, sizeof module, "%s/target.so", base);
    copy(argv[1], module);
    snprintf(unit_name, sizeof unit_name, "%s", argv[2]);
    snprintf(unit_directory, sizeof unit_directory, "%s", argv[3]);
    if (argc > 4)
        rounds = (unsigned)atoi(argv[4]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    if (system(command))
        return 2;
    return failed;
}
