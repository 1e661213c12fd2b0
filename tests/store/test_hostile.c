/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damaged, cut, newer and malicious files end in an error, never in a crash, an endless loop or much memory.
 *
 * Each mutant is read whole in a child process with limits. HDF5 1.10.8 crashes or hangs on 0.1 to 0.2 % of files with a few
 * bytes changed, in the reader's worker process: for the child that is an error as any other. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "db.h"
#include "model.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { READ = 0, REFUSED = 3, WE_DIED = 41, CUTS = 24 };

static int mutants = 100; /* or the argument: then all data sets that are read in a way of their own have a wrong number too */
static bool many;

static char *folder, *path;
static unsigned char *bytes;
static size_t size;

/* Rows of all tables, one by one, until there are no more; of what can be loaded it has been checked that texts and rows are there. */
static size_t read_rows(hsc_db *db) {
    enum { MOST = 2000 };
    size_t length = 0;
#define ROWS(of, ...)                                                          \
    for (uint32_t row = 0; row < MOST; row++) {                                \
        hsc_db_##of v;                                                         \
        if (hsc_db_get_##of(db, row, &v, NULL))                                \
            break;                                                             \
        const char *const texts[] = {"", __VA_ARGS__};                         \
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)              \
            length += strlen(texts[i]);                                        \
    }
    ROWS(module, v.path, v.build_id, v.note)
    ROWS(file, v.path)
    ROWS(line, "")
    ROWS(loop, v.variable, v.first, v.bound)
    ROWS(memory_check, "")
    ROWS(array, v.name, v.type, v.element, v.bounds, v.symbol)
    ROWS(reference, v.text, v.stride_bytes)
    ROWS(mpi_site, v.operation)
    ROWS(mpi_argument, v.text)
    ROWS(mpi_link, v.text)
    ROWS(directive, v.text)
    ROWS(runtime_call, v.callee)
    ROWS(handed, "")
    ROWS(process, v.host, v.executable, v.arguments, v.environment, v.mechanism, v.mechanism_note, v.end)
    ROWS(thread, v.name)
    ROWS(metric, v.name, v.unit)
    ROWS(message, v.operation, v.peer)
    ROWS(wait, v.kind_text)
    ROWS(delay, v.kind_text)
    ROWS(delayed, "")
    ROWS(delay_place, "")
    ROWS(pair, "")
    ROWS(probe, v.kind_text, v.name, v.file)
    ROWS(phase, v.name)
    ROWS(note, v.text)
    ROWS(counter, v.name)
    ROWS(cost, "")
    ROWS(ledger, v.name, v.meaning)
    ROWS(block, "")
    ROWS(visit, "")
#undef ROWS
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    for (uint32_t row = 0; row < MOST; row++) {
        hsc_db_remark remarks[3];
        hsc_db_dependence dependences[3];
        uint64_t buckets[HSC_BUCKETS], got;
        double times[20], values[20], *categories = calloc(info.categories + 1, sizeof *categories);
        uint32_t n;
        bool any = categories && (!hsc_db_get_remarks(db, row, remarks, 3, &n, NULL) | !hsc_db_get_dependences(db, row, dependences, 3, &n, NULL) |
                                  !hsc_db_read_visit_categories(db, row, categories, NULL) | !hsc_db_read_visit_histogram(db, row, buckets, NULL) |
                                  !hsc_db_read_counter(db, row, 0, 20, times, values, &got, NULL));
        for (int k = 0; k < 3; k++)
            any |= !hsc_db_read_histogram(db, (hsc_db_histogram)k, row, buckets, NULL);
        free(categories);
        if (!any)
            break;
    }
    uint32_t waits = 0, *bin_of = calloc(info.processes + 1, sizeof *bin_of);
    hsc_db_wait_pair pair;
    double cell, outside;
    if (!hsc_db_count_wait_pairs(db, &waits, NULL))
        for (uint32_t i = 0; i < waits && i < MOST; i++)
            (void)hsc_db_get_wait_pair(db, i, &pair, NULL);
    for (int k = 0; bin_of && k < 6; k++)
        (void)hsc_db_read_matrix(db, (hsc_db_between)k, 1, bin_of, &cell, &outside, NULL);
    free(bin_of);
    return length;
}

/* All that is known by time; true: something was refused. */
static bool read_times(hsc_db *db) {
    hsc_db_info info;
    hsc_db_times times;
    uint64_t first, n;
    bool bad = hsc_db_get_times(db, &times, NULL) != HSC_OK;
    hsc_db_get_info(db, &info);
    if (bad || !times.present || !info.threads)
        return true;
    uint32_t *row_of = calloc(info.threads, sizeof *row_of);
    for (int zoom = 0; zoom < 3; zoom++)
        for (int key = 0; key < 3; key++) {
            enum { SLOTS = 90 };
            static hsc_db_slot out[SLOTS];
            bad |= hsc_db_read_timeline(db, (hsc_timeline_key)key, 1, row_of, 0, zoom ? times.end_s / (zoom * 20) : times.end_s, SLOTS, out, NULL) != HSC_OK;
        }
    for (uint32_t t = 0; t < info.threads; t++) {
        hsc_db_samples *c = NULL;
        hsc_db_sample some[700];
        uint32_t got = 0;
        bad |= hsc_db_samples_open(db, t, 0, times.end_s, &c, NULL) != HSC_OK;
        do
            if (!c || hsc_db_samples_next(c, 700, some, &got, NULL))
                bad = true, got = 0;
        while (got);
        hsc_db_samples_close(c);
        bad |= hsc_db_find_spans(db, t, 0, 1e9, &first, &n, NULL) != HSC_OK;
    }
    for (uint64_t i = 0; i < times.spans; i += 1 + times.spans / 100) {
        hsc_db_span span;
        bad |= hsc_db_get_span(db, i, &span, NULL) != HSC_OK;
    }
    double sum;
    hsc_db_stats stats;
    db->mark_least = 64;
    for (bool ready = false; !ready;) /* marks of what all threads have: intervals are told by them */
        if (hsc_db_prepare_intervals(db, &ready, NULL) != HSC_OK)
            bad = ready = true;
    const hsc_db_when of_one = {0, times.end_s / 5, times.end_s / 3}; /* asks threads; that of all: what they have together */
    bad |= hsc_db_set_intervals(db, &of_one, 1, NULL) != HSC_OK;
    bad |= hsc_db_read_sums(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_PROCESS}, 0, 1, &sum, NULL) != HSC_OK;
    bad |= hsc_db_set_interval(db, times.end_s / 5, times.end_s / 2, NULL) != HSC_OK;
    bad |= hsc_db_read_stats(db, (hsc_db_view){0, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, 0, 1, &stats, NULL) != HSC_OK;
    bad |= hsc_db_get_interval(db, &sum, &sum) && hsc_db_set_only(db, 0, NULL) != HSC_OK;
    for (int table = 0; table < HSC_VALUES_COUNT; table++)
        bad |= hsc_db_read_sums(db, (hsc_db_view){0, (hsc_db_table)table, HSC_AXIS_PROCESS}, 0, 1, &sum, NULL) != HSC_OK;
    free(row_of);
    return bad;
}

/* Everything that can be asked for. */
static int read_all(void) {
    hsc_db *db = NULL;
    hsc_db_info info;
    int worst = READ;
    if (hsc_db_open(path, &db, NULL))
        return REFUSED;
    hsc_db_get_info(db, &info);
    for (int t = 0; t < HSC_TAB_COUNT; t++)
        if (hsc_db_load(db, (enum hsc_table_id)t, NULL))
            worst = REFUSED;
    for (uint32_t i = 0; i < info.contexts; i++) {
        hsc_db_context c;
        hsc_db_scope s;
        if (!hsc_db_get_context(db, i, &c, NULL) && hsc_db_get_scope(db, c.scope, &s, NULL))
            _exit(WE_DIED); /* what is loaded has been checked */
    }
    for (uint32_t i = 0; i < info.files; i++) {
        char *text;
        size_t n;
        bool changed;
        if (!hsc_db_read_source(db, i, &text, &n, &changed, NULL))
            free(text);
    }
    for (uint32_t i = 0; i < info.instructions; i++) {
        hsc_db_instruction instruction;
        hsc_db_inlining inlining;
        hsc_db_code_part part;
        uint8_t machine[16];
        uint32_t n, k = 0;
        if (hsc_db_get_instruction(db, i, &instruction, NULL) || hsc_db_read_code(db, i, machine, &n, NULL))
            break;
        (void)strlen(instruction.text);
        if ((n = hsc_db_find_part_of(db, i)) != HSC_NONE && !hsc_db_get_code_part(db, n, &part, NULL) && part.rows > info.instructions)
            _exit(WE_DIED);
        for (uint32_t x = instruction.inlined; x != HSC_NONE && !hsc_db_get_inlining(db, x, &inlining, NULL); x = inlining.parent)
            if (k++ > info.instructions + 1000)
                _exit(WE_DIED); /* in circles */
    }
    for (uint32_t i = 0; i < info.instances; i++) {
        hsc_db_instance instance;
        (void)hsc_db_get_instance(db, i, &instance, NULL);
    }
    for (int t = 0; t < HSC_VALUES_COUNT; t++)
        for (int axis = 0; axis <= HSC_AXIS_NODE; axis++) {
            hsc_db_view view = {0, (hsc_db_table)t, (hsc_db_axis)axis};
            uint64_t n = hsc_db_get_rows(db, view.table), found_n;
            uint32_t columns = hsc_db_get_columns(db, view.axis), found, *rows, zero = 0, all = (uint32_t)n;
            double *sums = calloc(n + 1, sizeof *sums), top[5];
            hsc_db_stats *stats = calloc(n + 1, sizeof *stats);
            float *block = calloc(n * columns + 1, sizeof *block), *values;
            uint32_t *bins = calloc(columns + 1, sizeof *bins);
            uint64_t *indptr = calloc(n + 1, sizeof *indptr), top_rows[5];
            if (!sums || !stats || !block || !bins || !indptr)
                _exit(WE_DIED);
            hsc_status s[] = {hsc_db_read_sums(db, view, 0, n, sums, NULL), hsc_db_read_stats(db, view, 0, n, stats, NULL),
                              hsc_db_read_block(db, view, 0, n, 0, columns, block, NULL),
                              axis == HSC_AXIS_NODE ? HSC_OK : hsc_db_read_bins(db, view, HSC_REDUCE_MAX, 1, &zero, &all, 1, bins, block, NULL),
                              axis == HSC_AXIS_NODE ? HSC_OK : hsc_db_read_bins(db, view, HSC_REDUCE_SUM, 1, &zero, &all, 1, bins, block, NULL),
                              hsc_db_read_top(db, view, NULL, NULL, 5, top_rows, top, &found, NULL)};
            for (size_t i = 0; i < sizeof s / sizeof *s; i++)
                worst = s[i] ? REFUSED : worst;
            if (!hsc_db_read_sparse(db, view, 0, n, indptr, &rows, &values, NULL)) {
                free(rows);
                free(values);
            }
            for (uint32_t c = 0; c < columns; c++)
                if (!hsc_db_read_column(db, view, c, &found_n, &rows, &values, NULL)) {
                    free(rows);
                    free(values);
                }
            free(sums);
            free(stats);
            free(block);
            free(bins);
            free(indptr);
        }
    (void)read_rows(db);
    worst = read_times(db) ? REFUSED : worst;
    hsc_db_close(db);
    return worst;
}

static int in_child(void) {
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        struct rlimit memory = {1u << 30, 1u << 30}, cpu = {30, 32};
        if (!SANITIZED)
            setrlimit(RLIMIT_AS, &memory);
        setrlimit(RLIMIT_CPU, &cpu);
        _exit(read_all());
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : WE_DIED;
}

static void put(const unsigned char *data, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void write_good(void) {
    hsc_err err = {0};
    model *m = model_new(21, false);
    model_add_times(m, 4);
    model_add_rest(m, 8);
    if (model_write(m, path, 1, 1, &err))
        fail_msg("%s", err.text);
    model_free(m);
}

static int set_up(void **state) {
    (void)state;
    write_good();
    FILE *f = fopen(path, "rb");
    fseek(f, 0, SEEK_END);
    size = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(size);
    bool ok = bytes && fread(bytes, 1, size, f) == size;
    fclose(f);
    return ok ? 0 : 1;
}

static int tear_down(void **state) {
    (void)state;
    free(bytes);
    return 0;
}

static void the_good_one_is_read(void **state) {
    (void)state;
    assert_int_equal(in_child(), READ);
}

static void changed_bytes(void **state) {
    (void)state;
    unsigned r = 77 + (unsigned)mutants;
    int refused = 0;
    unsigned char *mutant = malloc(size);
    for (int i = 0; i < mutants; i++) {
        memcpy(mutant, bytes, size);
        /* half of them where the structure is: metadata lies before and between the data */
        for (unsigned k = 1 + model_random(&r) % 4; k; k--)
            mutant[model_random(&r) % (i % 2 ? size : size / 8)] = (unsigned char)model_random(&r);
        put(mutant, size);
        int code = in_child();
        refused += code == REFUSED;
        if (code != READ && code != REFUSED)
            fail_msg("mutant %d: exit code %d", i, code);
    }
    print_message("%d mutants: %d refused, the others read\n", mutants, refused);
    assert_true(refused > mutants / 20); /* or the mutants were not read */
    free(mutant);
}

static void cut_files(void **state) {
    (void)state;
    for (int i = 0; i < CUTS; i++) {
        put(bytes, size * (size_t)i / CUTS);
        assert_int_equal(in_child(), REFUSED);
    }
    put(bytes, size - 1);
    assert_int_equal(in_child(), REFUSED);
}

/* ---- files that are well-formed HDF5 and lie ---- */

typedef struct sets { /* names of all data sets of whole numbers with values */
    char (*names)[160];
    hsize_t *rows;
    size_t n;
} sets;

static herr_t note_set(hid_t file, const char *name, const H5O_info_t *info, void *data) {
    sets *all = data;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set), space = H5Dget_space(set);
    hssize_t rows = H5Sget_simple_extent_npoints(space);
    if (H5Tget_class(type) == H5T_INTEGER && rows > 0) {
        all->names = realloc(all->names, (all->n + 1) * sizeof *all->names);
        all->rows = realloc(all->rows, (all->n + 1) * sizeof *all->rows);
        assert_true(all->names && all->rows && strlen(name) < sizeof *all->names);
        strcpy(all->names[all->n], name);
        all->rows[all->n++] = (hsize_t)rows;
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return 0;
}

static hid_t open_good(void) {
    put(bytes, size);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void refused_with(const char *part) {
    hsc_db *db = NULL;
    hsc_err err = {0};
    double sums[1000];
    float block[1000 * 23];
    hsc_status status = hsc_db_open(path, &db, &err);
    for (int t = 0; t < HSC_TAB_COUNT && !status; t++)
        status = hsc_db_load(db, (enum hsc_table_id)t, &err);
    if (!status)
        status = hsc_db_read_sums(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, 700, sums, &err);
    if (!status)
        status = hsc_db_read_block(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, 700, 0, 23, block, &err);
    hsc_db_close(db);
    if (!status || !strstr(err.text, part))
        fail_msg("expected an error with '%s', got %d '%s'", part, status, err.text);
    assert_int_equal(in_child(), REFUSED);
}

static void put_numbers(hid_t file, const char *name, uint64_t row, uint64_t value) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set), one = H5Screate(H5S_SCALAR);
    hsize_t start = row, count = 1;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT64, one, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
}

/* The way a data set is read: metrics and value tables are read by one code each, as are levels of slices, bins and blocks. */
static void shape_of(const char *name, char *shape) {
    unsigned metric;
    char table[160];
    int n = 0;
    if (sscanf(name, "metrics/%u/%159[^/]%n", &metric, table, &n) == 2)
        name += n;
    for (; *name; name++)
        if (*name < '0' || *name > '9')
            *shape++ = *name;
        else if (name[1] < '0' || name[1] > '9')
            *shape++ = '#';
    *shape = 0;
}

static bool is_like_one_before(const sets *all, size_t i) {
    char own[160], other[160];
    shape_of(all->names[i], own);
    for (size_t k = 0; k < i; k++) {
        shape_of(all->names[k], other);
        if (!strcmp(own, other))
            return true;
    }
    return false;
}

/* One number of a data set becomes another, of every way that data sets are read, so also of those that are yet to come. */
static void wrong_numbers(void **state) {
    (void)state;
    static const uint64_t odd[] = {0, 1, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF, 0x100000000, UINT64_MAX};
    sets all = {0};
    hid_t file = open_good();
    assert_true(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, note_set, &all) >= 0);
    H5Fclose(file);
    int refused = 0, tried = 0;
    unsigned r = 5;
    bool has_notes = false, has_program = false;
    size_t step = many ? 1 : all.n / 40 + 1;
    for (size_t i = 0; i < all.n; i++) {
        has_notes |= !!strstr(all.names[i], "/note/");
        has_program |= !!strstr(all.names[i], "time/layers/");
        uint64_t row = model_random(&r) % 3 ? model_random(&r) % all.rows[i] : all.rows[i] - 1, value = odd[model_random(&r) % 7];
        if ((i + 3) % step || (many && is_like_one_before(&all, i))) /* a part of them, the same each time */
            continue;
        file = open_good();
        put_numbers(file, all.names[i], row, value);
        H5Fclose(file);
        int code = in_child();
        if (code != READ && code != REFUSED)
            fail_msg("%s row %llu set to %llu: exit code %d", all.names[i], (unsigned long long)row, (unsigned long long)value, code);
        refused += code == REFUSED;
        tried++;
    }
    print_message("%d of %zu data sets with a wrong number: %d refused, the others read\n", tried, all.n, refused);
    assert_true(has_notes && has_program && refused > 0);
    free(all.names);
    free(all.rows);
}

static void a_newer_version(void **state) {
    (void)state;
    hid_t file = open_good(), a = H5Aopen(file, "format_version", H5P_DEFAULT);
    uint16_t version[2] = {2, 0};
    H5Awrite(a, H5T_NATIVE_UINT16, version);
    H5Aclose(a);
    H5Fclose(file);
    refused_with("database format 2.0, this program reads 1.x: use a newer heatscope");
    hsc_err err = {0};
    hsc_db *db;
    assert_int_equal(hsc_db_open(path, &db, &err), HSC_E_VERSION);
    file = open_good(); /* a later minor version only adds */
    a = H5Aopen(file, "format_version", H5P_DEFAULT);
    version[0] = 1;
    version[1] = 7;
    H5Awrite(a, H5T_NATIVE_UINT16, version);
    H5Aclose(a);
    H5Fclose(file);
    assert_int_equal(in_child(), READ);
}

/* Without what came later it is read, without more it says which versions met and what helps. */
static void an_older_version(void **state) {
    (void)state;
    const char *gone[] = {"/run/thread/user_s", "/run/thread/system_s", "/run/thread/minor_faults", "/run/thread/runnable_s",
                          "/run/cost/start_s", "/run/cost/end_s", "/run/cost/switches_s"};
    uint16_t version[2] = {1, 0};
    hid_t file = open_good(), a = H5Aopen(file, "format_version", H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_UINT16, version);
    H5Aclose(a);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        assert_true(H5Ldelete(file, gone[i], H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_int_equal(in_child(), READ);
    hsc_err err = {0};
    hsc_db *db;
    hsc_db_thread t;
    assert_int_equal(hsc_db_open(path, &db, &err), HSC_OK);
    assert_int_equal(hsc_db_get_thread(db, 0, &t, &err), HSC_OK);
    assert_true(t.user_s == -1 && t.system_s == -1 && t.runnable_s == -1 && t.minor_faults == 0 && t.cpu_s > 0);
    hsc_db_cost c;
    assert_true(hsc_db_count_told(db, HSC_TOLD_COSTS) > 0);
    assert_int_equal(hsc_db_get_cost(db, 0, &c, &err), HSC_OK);
    assert_true(c.start_s == 0 && c.end_s == 0 && c.switches_s == 0);
    hsc_db_close(db);
    file = open_good();
    a = H5Aopen(file, "format_version", H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_UINT16, version);
    H5Aclose(a);
    H5Ldelete(file, "/run/thread/records", H5P_DEFAULT);
    H5Fclose(file);
    char expected[200];
    snprintf(expected, sizeof expected, "/run/thread/records is not there: its database format is 1.0, expected %d.%d: an older heatscope made it; correlate the measurement again",
             HSC_DB_MAJOR, HSC_DB_MINOR);
    refused_with(expected);
    assert_int_equal(hsc_db_open(path, &db, &err), HSC_E_VERSION);
    file = open_good();
    H5Ldelete(file, "/run/thread/records", H5P_DEFAULT);
    H5Fclose(file);
    snprintf(expected, sizeof expected, "its database format is %d.%d, expected %d.%d: it is damaged, or another build of heatscope made it", HSC_DB_MAJOR, HSC_DB_MINOR,
             HSC_DB_MAJOR, HSC_DB_MINOR);
    refused_with(expected);
}

/* Samples by time of a metric that is said to be counted exactly, as no writer makes them: no crash; refused are its values by version of loops. */
static void an_exact_metric_with_samples(void **state) {
    (void)state;
    hid_t file = open_good(), set = H5Dopen2(file, "/run/metric/name", H5P_DEFAULT), type = H5Dget_type(set);
    size_t n = H5Tget_size(type);
    char *names = calloc(2, n);
    assert_non_null(names);
    snprintf(names, n, "MPI time");
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0);
    H5Tclose(type);
    H5Dclose(set);
    put_numbers(file, "/run/metric/exact", 0, 1);
    H5Fclose(file);
    free(names);
    assert_int_equal(in_child(), REFUSED);
}

static void an_unfinished_file(void **state) {
    (void)state;
    hid_t file = open_good();
    H5Adelete(file, "state");
    H5Fclose(file);
    refused_with("not finished");
}

static void another_file(void **state) {
    (void)state;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    refused_with("not a heatscope database");
    put((const unsigned char *)"#include <stdio.h>\n", 19);
    refused_with("not a heatscope database: no HDF5 file");
    put((const unsigned char *)"", 0);
    refused_with("not a heatscope database: no HDF5 file");
    unlink(path);
    refused_with("No such file");
}

static void links_out(void **state) {
    (void)state;
    hid_t file = open_good();
    H5Ldelete(file, "/static/line/file", H5P_DEFAULT);
    H5Lcreate_external("/etc/passwd", "/x", file, "/static/line/file", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    refused_with("/static/line/file is not there");
    file = open_good();
    H5Ldelete(file, "/run/thread", H5P_DEFAULT);
    H5Lcreate_soft("/run/process", file, "/run/thread", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    refused_with("/run/thread/process is not there");
}

static void replace(hid_t file, const char *name, hid_t type, int rank, const hsize_t *dims, hid_t plist) {
    hid_t space = H5Screate_simple(rank, dims, NULL);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void data_that_claim_or_reach_too_much(void **state) {
    (void)state;
    const hsize_t n = 700, square[2] = {700, 1}, huge = 200000000, chunk = 1 << 20, small = 100;
    hid_t file = open_good(), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plist, "/etc/hostname", 0, n * 4);
    replace(file, "/static/line/line", H5T_STD_U32LE, 1, &n, plist);
    H5Pclose(plist);
    H5Fclose(file);
    refused_with("in another file");

    file = open_good();
    replace(file, "/static/line/line", H5T_STD_U32LE, 2, square, H5P_DEFAULT);
    H5Fclose(file);
    refused_with("expected one dimension");

    file = open_good();
    replace(file, "/static/line/line", H5T_IEEE_F32LE, 1, &n, H5P_DEFAULT);
    H5Fclose(file);
    refused_with("expected values of type u4");

    file = open_good();
    replace(file, "/static/line/line", H5T_STD_U32LE, 1, &small, H5P_DEFAULT);
    H5Fclose(file);
    refused_with("expected 700 values, got 100");

    file = open_good(); /* never written: nothing is stored */
    replace(file, "/static/line/line", H5T_STD_U32LE, 1, &n, H5P_DEFAULT);
    H5Fclose(file);
    refused_with("2800 bytes claimed, 0 stored");

    file = open_good();
    plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, &small);
    H5Pset_deflate(plist, 1);
    replace(file, "/static/line/file", H5T_STD_U32LE, 1, &huge, plist);
    H5Pclose(plist);
    H5Fclose(file);
    refused_with("800000000 bytes claimed");

    file = open_good();
    plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, &chunk);
    replace(file, "/metrics/0/line/by_row/indices", H5T_STD_U32LE, 1, &huge, plist);
    H5Pclose(plist);
    H5Fclose(file);
    refused_with("800000000 bytes claimed");

    file = open_good();
    plist = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t big_chunk = 2u << 20;
    H5Pset_chunk(plist, 1, &big_chunk);
    replace(file, "/metrics/0/line/by_row/indices", H5T_STD_U32LE, 1, &huge, plist);
    H5Pclose(plist);
    H5Fclose(file);
    refused_with("chunks are larger");

    file = open_good();
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    const hsize_t nine = 9;
    replace(file, "/static/file/path", text, 1, &nine, H5P_DEFAULT);
    H5Tclose(text);
    H5Fclose(file);
    refused_with("text of fixed length");

    file = open_good();
    plist = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(1, &n, NULL);
    H5Pset_virtual(plist, space, "other.h5", "/x", space);
    replace(file, "/static/line/line", H5T_STD_U32LE, 1, &n, plist);
    H5Sclose(space);
    H5Pclose(plist);
    H5Fclose(file);
    refused_with("layout");
}

static void rows_that_lie(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t row, value;
        const char *says;
    } lies[] = {{"/static/line/scope", 3, 90, "/static/line/scope row 3: expected a row of the table it refers to, got 90"},
                {"/static/scope/parent", 5, 7, "/static/scope/parent row 5"},
                {"/static/scope/subtree_end", 4, 4000, "/static/scope/subtree_end row 4"},
                {"/run/context/parent", 0, 1, "/run/context/parent row 0"},
                {"/run/context/scope", 8, HSC_NONE, "/run/context/scope row 8"},
                {"/run/thread/process", 0, 6, "sorted by process"},
                {"/static/line/line", 650, 0, "sorted by file and line"},
                {"/static/remark/scope", 3, 80, "sorted by scope"},
                {"/metrics/0/line/by_row/indptr", 5, 1u << 30, "line/by_row/indptr row 6"},
                {"/metrics/0/line/by_row/indptr", 0, 1, "indptr row 0: expected 0"},
                {"/metrics/0/line/by_row/indices", 40, 23, "rising columns below 23"},
                {"/strings/offset", 1, 1u << 30, "/strings offset"}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        hid_t file = open_good();
        put_numbers(file, lies[i].name, lies[i].row, lies[i].value);
        H5Fclose(file);
        refused_with(lies[i].says);
    }
}

/* argument: number of mutants */
int main(int argc, char **argv) {
    mutants = argc > 1 ? atoi(argv[1]) : mutants;
    folder = model_folder();
    path = model_path(folder, "x.h5");
    many = argc > 1;
    const struct CMUnitTest all[] = {
        cmocka_unit_test(the_good_one_is_read), cmocka_unit_test(changed_bytes), cmocka_unit_test(cut_files), cmocka_unit_test(wrong_numbers),
        cmocka_unit_test(a_newer_version),      cmocka_unit_test(an_older_version), cmocka_unit_test(an_exact_metric_with_samples), cmocka_unit_test(an_unfinished_file), cmocka_unit_test(another_file),
        cmocka_unit_test(links_out),            cmocka_unit_test(data_that_claim_or_reach_too_much),
        cmocka_unit_test(rows_that_lie),
    }, mutated[] = {cmocka_unit_test(changed_bytes), cmocka_unit_test(wrong_numbers)};
    int failed = many ? cmocka_run_group_tests(mutated, set_up, tear_down) : cmocka_run_group_tests(all, set_up, tear_down);
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
    return failed;
}
