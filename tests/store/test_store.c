/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is written is read back; every query against brute force on random tables; what may not be written is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>
#include <heatscope/formats/records.h>

#include "db.h"
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

/* ---- columns ---- */

static void columns_come_back(void **state) {
    (void)state;
    hsc_err err = {0};
    model *m = model_new(1, false);
    hsc_db *db = NULL;
    write_model(m, file_in("columns.h5"), 1);
    OK(hsc_db_open(file_in("columns.h5"), &db, &err));
    for (int t = 0; t < HSC_TAB_COUNT; t++)
        OK(hsc_db_load(db, (enum hsc_table_id)t, &err));
    for (int c = 0; c < HSC_COL_COUNT; c++) {
        const hsc_column_def *d = &hsc_schema_columns[c];
        uint64_t n = m->rows[d->table];
        assert_int_equal(db->tables.rows[d->table], n);
        if (d->type == HSC_COLTYPE_S)
            for (uint64_t i = 0; i < n; i++)
                assert_string_equal(hsc_db_text(db, (enum hsc_column_id)c, i), ((char **)m->columns[c])[i]);
        else
            assert_memory_equal(db->columns[c], m->columns[c], n * hsc_schema_type_size(d->type));
    }
    hsc_db_close(db);
    model_free(m);
}

#define C(column, ctype, row) (((ctype *)m->columns[HSC_COL_##column])[row])

static void getters_tell_the_columns(void **state) {
    (void)state;
    hsc_err err = {0};
    model *m = model_new(2, false);
    hsc_db *db = NULL;
    hsc_db_info info;
    write_model(m, file_in("getters.h5"), 1);
    OK(hsc_db_open(file_in("getters.h5"), &db, &err));
    hsc_db_get_info(db, &info);
    assert_string_equal(info.title, "model \xE2\x82\xAC");
    assert_string_equal(info.command, "");
    assert_true(info.cpu_s == 12.5);
    assert_false(info.simulated);
    assert_int_equal(info.lines, 700);
    assert_int_equal(info.threads, m->threads);
    uint32_t lines = 0, threads = 0;
    for (uint32_t f = 0; f < info.files; f++) {
        hsc_db_file file;
        OK(hsc_db_get_file(db, f, &file, &err));
        assert_string_equal(file.path, C(file_path, char *, f));
        if (file.line_rows)
            assert_int_equal(file.first_line_row, lines);
        lines += file.line_rows;
    }
    assert_int_equal(lines, 700);
    for (uint32_t i = 0; i < 700; i++) {
        hsc_db_line line;
        OK(hsc_db_get_line(db, i, &line, &err));
        assert_int_equal(line.line, C(line_line, uint32_t, i));
        assert_int_equal(line.scope, C(line_scope, uint32_t, i));
        assert_int_equal(hsc_db_find_line(db, line.file, line.line), i);
    }
    assert_int_equal(hsc_db_find_line(db, 3, 1), HSC_NONE);
    assert_int_equal(hsc_db_find_line(db, 0, 4000000), HSC_NONE);
    assert_int_equal(hsc_db_find_line(db, 99, 1), HSC_NONE);
    for (uint32_t p = 0; p < info.processes; p++) {
        hsc_db_process process;
        OK(hsc_db_get_process(db, p, &process, &err));
        assert_int_equal(process.rank, C(process_rank, int32_t, p));
        assert_string_equal(process.host, C(process_host, char *, p));
        assert_int_equal(process.first_thread, threads);
        threads += process.threads;
    }
    assert_int_equal(threads, info.threads);
    hsc_db_scope scope;
    hsc_db_context context;
    hsc_db_thread thread;
    hsc_db_instance instance;
    hsc_db_module module;
    hsc_db_metric metric;
    hsc_db_ledger ledger;
    OK(hsc_db_get_scope(db, 17, &scope, &err));
    assert_int_equal(scope.parent, C(scope_parent, uint32_t, 17));
    assert_int_equal(scope.subtree_end, C(scope_subtree_end, uint32_t, 17));
    assert_int_equal(scope.kind, C(scope_kind, uint8_t, 17));
    assert_string_equal(scope.name, C(scope_name, char *, 17));
    assert_int_equal(scope.line_end, C(scope_line_end, uint32_t, 17));
    OK(hsc_db_get_context(db, 33, &context, &err));
    assert_int_equal(context.parent, C(context_parent, uint32_t, 33));
    assert_int_equal(context.call_line, C(context_call_line, uint32_t, 33));
    assert_int_equal(context.depth, C(context_depth, uint16_t, 33));
    hsc_db_context_columns contexts;
    OK(hsc_db_get_context_columns(db, &contexts, &err));
    assert_int_equal(contexts.parent[33], context.parent);
    assert_int_equal(contexts.scope[33], context.scope);
    assert_int_equal(contexts.call_line[33], context.call_line);
    hsc_db_scope_columns scopes;
    OK(hsc_db_get_scope_columns(db, &scopes, &err));
    assert_int_equal(scopes.module[17], scope.module);
    assert_int_equal(scopes.file[17], scope.file);
    OK(hsc_db_get_thread(db, 5, &thread, &err));
    assert_true(thread.own_s == C(thread_own_s, double, 5));
    assert_true(thread.user_s == C(thread_user_s, double, 5) && thread.system_s == C(thread_system_s, double, 5));
    assert_true(thread.runnable_s == C(thread_runnable_s, double, 5));
    assert_int_equal(thread.idle, C(thread_idle, uint8_t, 5) != 0);
    assert_int_equal(thread.minor_faults, C(thread_minor_faults, uint64_t, 5));
    assert_int_equal(thread.involuntary_switches, C(thread_involuntary_switches, uint64_t, 5));
    assert_int_equal(thread.lost, C(thread_lost, uint64_t, 5));
    OK(hsc_db_get_instance(db, 5, &instance, &err));
    assert_int_equal(instance.version, C(instance_version, uint8_t, 5));
    assert_int_equal(instance.unroll, C(instance_unroll, uint16_t, 5));
    assert_int_equal(instance.parent, C(instance_parent, uint32_t, 5));
    OK(hsc_db_get_module(db, 1, &module, &err));
    assert_string_equal(module.build_id, C(module_build_id, char *, 1));
    OK(hsc_db_get_metric(db, 0, &metric, &err));
    assert_true(metric.scale == 0.001);
    OK(hsc_db_get_ledger(db, 3, &ledger, &err));
    assert_string_equal(ledger.meaning, C(ledger_meaning, char *, 3));
    assert_string_equal(hsc_db_get_category(db, 2), C(category_name, char *, 2));
    assert_null(hsc_db_get_category(db, 3));
    hsc_db_remark remarks[2];
    uint32_t n;
    OK(hsc_db_get_remarks(db, 6, remarks, 2, &n, &err));
    assert_int_equal(n, 1);
    assert_string_equal(remarks[0].message, C(remark_message, char *, 2));
    OK(hsc_db_get_remarks(db, HSC_NONE, remarks, 2, &n, &err));
    assert_int_equal(n, 3);
    assert_int_equal(hsc_db_get_context(db, 120, &context, &err), HSC_E_ARGUMENT);
    assert_non_null(strstr(err.text, "120"));
    hsc_db_close(db);
    model_free(m);
}

static void lists_are_found_by_key(void **state) {
    (void)state;
    static const struct {
        hsc_db_list list;
        enum hsc_column_id key;
    } lists[] = {{HSC_LIST_LOOPS, HSC_COL_loop_scope},
                 {HSC_LIST_MEMORY_CHECKS, HSC_COL_memory_check_scope},
                 {HSC_LIST_ARRAYS, HSC_COL_array_scope},
                 {HSC_LIST_REFERENCES, HSC_COL_reference_scope},
                 {HSC_LIST_MPI_SITES, HSC_COL_mpi_site_code_line},
                 {HSC_LIST_MPI_ARGUMENTS, HSC_COL_mpi_argument_site},
                 {HSC_LIST_MPI_LINKS, HSC_COL_mpi_link_site},
                 {HSC_LIST_DIRECTIVES, HSC_COL_directive_scope},
                 {HSC_LIST_RUNTIME_CALLS, HSC_COL_runtime_call_code_line},
                 {HSC_LIST_PAIRS, HSC_COL_message_pair_process},
                 {HSC_LIST_HANDED, HSC_COL_handed_code_line}};
    hsc_err err = {0};
    model *m = model_new(7, false);
    hsc_db *db = NULL;
    write_model(m, file_in("lists.h5"), 1);
    OK(hsc_db_open(file_in("lists.h5"), &db, &err));
    for (size_t k = 0; k < HSC_LIST_COUNT; k++) {
        const uint32_t *keys = m->columns[lists[k].key];
        uint32_t all = hsc_db_count(db, lists[k].list), seen = 0, first, n;
        assert_int_equal(lists[k].list, k);
        assert_int_equal(all, m->rows[hsc_schema_columns[lists[k].key].table]);
        for (uint32_t i = 0; i < all; i++)
            if (!i || keys[i] != keys[i - 1]) {
                OK(hsc_db_find(db, lists[k].list, keys[i], &first, &n, &err));
                assert_int_equal(first, i);
                assert_true(n > 0 && keys[first + n - 1] == keys[i]);
                seen += n;
            }
        assert_int_equal(seen, all);
        OK(hsc_db_find(db, lists[k].list, HSC_NONE - 1, &first, &n, &err));
        assert_int_equal(n, 0);
    }
    hsc_db_loop loop;
    hsc_db_array array;
    hsc_db_reference reference;
    hsc_db_mpi_site site;
    hsc_db_mpi_argument argument;
    hsc_db_mpi_link link;
    hsc_db_directive directive;
    hsc_db_runtime_call call;
    hsc_db_handed handed;
    hsc_db_memory_check check;
    OK(hsc_db_get_loop(db, 19, &loop, &err));
    assert_string_equal(loop.bound, C(loop_bound, char *, 19));
    assert_int_equal(loop.step, C(loop_step, int32_t, 19));
    assert_true(loop.trips_multiple == C(loop_trips_multiple, uint64_t, 19));
    OK(hsc_db_get_array(db, 24, &array, &err));
    assert_int_equal(array.scope, HSC_NONE);
    assert_string_equal(array.bounds, C(array_bounds, char *, 24));
    assert_true(array.identity == C(array_identity, uint64_t, 24));
    OK(hsc_db_get_reference(db, 59, &reference, &err));
    assert_int_equal(reference.array, C(reference_array, uint32_t, 59));
    assert_string_equal(reference.stride_bytes, C(reference_stride_bytes, char *, 59));
    OK(hsc_db_get_mpi_site(db, 3, &site, &err));
    assert_string_equal(site.operation, C(mpi_site_operation, char *, 3));
    OK(hsc_db_get_mpi_argument(db, 44, &argument, &err));
    assert_int_equal(argument.site, C(mpi_argument_site, uint32_t, 44));
    assert_int_equal(argument.role, C(mpi_argument_role, uint8_t, 44));
    OK(hsc_db_get_mpi_link(db, 9, &link, &err));
    assert_int_equal(link.other, C(mpi_link_other, uint32_t, 9));
    OK(hsc_db_get_directive(db, 5, &directive, &err));
    assert_string_equal(directive.text, C(directive_text, char *, 5));
    OK(hsc_db_get_runtime_call(db, 7, &call, &err));
    assert_int_equal(call.directive, C(runtime_call_directive, uint32_t, 7));
    OK(hsc_db_get_handed(db, 8, &handed, &err));
    assert_int_equal(handed.array, C(handed_array, uint32_t, 8));
    assert_int_equal(handed.argument, C(handed_argument, uint16_t, 8));
    OK(hsc_db_get_memory_check(db, 11, &check, &err));
    assert_int_equal(check.comparisons, C(memory_check_comparisons, uint32_t, 11));
    assert_int_equal(hsc_db_get_array(db, 25, &array, &err), HSC_E_ARGUMENT);
    assert_int_equal(hsc_db_find(db, HSC_LIST_COUNT, 0, &check.scope, &check.line, &err), HSC_E_ARGUMENT);
    hsc_db_close(db);
    model_free(m);
}

/* ---- values against brute force ---- */

typedef struct truth {
    uint64_t rows;
    uint32_t columns;
    double *v; /* dense */
} truth;

static uint32_t column_of(const model *m, hsc_db_axis axis, uint32_t thread) {
    uint32_t process = C(thread_process, uint32_t, thread);
    return axis == HSC_AXIS_THREAD ? thread : axis == HSC_AXIS_PROCESS ? process : process % MODEL_NODES;
}

static truth truth_of(const model *m, hsc_db_table table, hsc_db_axis axis) {
    truth t = {m->value_rows[table], axis == HSC_AXIS_THREAD ? m->threads : axis == HSC_AXIS_PROCESS ? m->processes : MODEL_NODES, NULL};
    const uint32_t *from = m->values[table == HSC_TABLE_CONTEXT_INCL ? HSC_TABLE_CONTEXT_EXCL : table];
    t.v = calloc(t.rows * t.columns + 1, sizeof *t.v);
    for (uint64_t r = 0; r < t.rows; r++) {
        uint64_t end = table == HSC_TABLE_CONTEXT_INCL ? C(context_subtree_end, uint32_t, r) : r + 1;
        for (uint64_t q = r; q < end; q++)
            for (uint32_t k = 0; k < m->threads; k++)
                t.v[r * t.columns + column_of(m, axis, k)] += from[q * m->threads + k];
    }
    return t;
}

static void check_stats(hsc_db *db, hsc_db_view view, const truth *t) {
    hsc_err err = {0};
    hsc_db_stats *stats = calloc(t->rows, sizeof *stats);
    double *sums = calloc(t->rows, sizeof *sums);
    OK(hsc_db_read_stats(db, view, 0, t->rows, stats, &err));
    OK(hsc_db_read_sums(db, view, 0, t->rows, sums, &err));
    for (uint64_t r = 0; r < t->rows; r++) {
        double sum = 0, max = -1, min = INFINITY, squares = 0;
        uint32_t argmax = 0, argmin = 0, nonzero = 0;
        for (uint32_t c = 0; c < t->columns; c++) {
            double v = t->v[r * t->columns + c];
            sum += v;
            squares += v * v;
            nonzero += v > 0;
            if (v > max) {
                max = v;
                argmax = c;
            }
            if (v < min) {
                min = v;
                argmin = c;
            }
        }
        double mean = sum / t->columns, stddev = sqrt(fmax(0, squares / t->columns - mean * mean));
        const hsc_db_stats *s = &stats[r];
        if (s->sum != sum || sums[r] != sum || s->max != max || s->min != min || s->max_column != argmax || s->min_column != argmin ||
            s->nonzero != nonzero || fabs(s->mean - mean) > 1e-9 * (1 + mean) || fabs(s->stddev - stddev) > 1e-6 * (1 + stddev))
            fail_msg("table %d axis %d row %lu: sum %g %g %g, max %g %g at %u %u, min %g %g at %u %u", view.table, view.axis,
                     (unsigned long)r, sum, s->sum, sums[r], max, s->max, argmax, s->max_column, min, s->min, argmin, s->min_column);
    }
    hsc_db_stats one;
    double sum;
    OK(hsc_db_read_stats(db, view, t->rows / 2, 1, &one, &err));
    OK(hsc_db_read_sums(db, view, t->rows / 2, 1, &sum, &err));
    assert_memory_equal(&one, &stats[t->rows / 2], sizeof one);
    assert_true(sum == one.sum);
    free(stats);
    free(sums);
}

static void check_pieces(hsc_db *db, hsc_db_view view, const truth *t, unsigned *r) {
    hsc_err err = {0};
    for (int trial = 0; trial < 12; trial++) {
        uint64_t first = model_random(r) % (t->rows + 1), n = model_random(r) % (t->rows - first + 1);
        uint32_t column = model_random(r) % (t->columns + 1), m = model_random(r) % (t->columns - column + 1);
        float *block = malloc((n * m + 1) * sizeof *block);
        uint64_t *indptr = malloc((n + 1) * sizeof *indptr);
        uint32_t *indices = NULL;
        float *values = NULL;
        OK(hsc_db_read_block(db, view, first, n, column, m, block, &err));
        for (uint64_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < m; k++)
                assert_true(block[i * m + k] == (float)t->v[(first + i) * t->columns + column + k]);
        OK(hsc_db_read_sparse(db, view, first, n, indptr, &indices, &values, &err));
        uint64_t at = 0;
        for (uint64_t i = 0; i < n; i++) {
            assert_int_equal(indptr[i], at);
            for (uint32_t c = 0; c < t->columns; c++) {
                double v = t->v[(first + i) * t->columns + c];
                if (v > 0) {
                    assert_int_equal(indices[at], c);
                    assert_true(values[at++] == (float)v);
                }
            }
        }
        assert_int_equal(indptr[n], at);
        free(block);
        free(indptr);
        free(indices);
        free(values);
    }
    for (uint32_t c = 0; c < t->columns; c++) {
        uint64_t n, at = 0;
        uint32_t *rows;
        float *values;
        OK(hsc_db_read_column(db, view, c, &n, &rows, &values, &err));
        for (uint64_t i = 0; i < t->rows; i++)
            if (t->v[i * t->columns + c] > 0) {
                assert_true(at < n);
                assert_int_equal(rows[at], i);
                assert_true(values[at++] == (float)t->v[i * t->columns + c]);
            }
        assert_int_equal(at, n);
        free(rows);
        free(values);
    }
}

static bool take_odd(void *ctx, uint64_t row) {
    (*(int *)ctx)++;
    return row % 2;
}

static void check_top(hsc_db *db, hsc_db_view view, const truth *t) {
    hsc_err err = {0};
    enum { N = 10 };
    for (int odd = 0; odd < 2; odd++) {
        uint64_t rows[N];
        double sums[N], last = INFINITY, best_left;
        uint32_t found;
        int asked = 0;
        bool *taken = calloc(t->rows, sizeof *taken);
        OK(hsc_db_read_top(db, view, odd ? take_odd : NULL, &asked, N, rows, sums, &found, &err));
        assert_int_equal(found, N);
        for (uint32_t i = 0; i < found; i++) {
            double sum = 0;
            for (uint32_t c = 0; c < t->columns; c++)
                sum += t->v[rows[i] * t->columns + c];
            assert_true(sums[i] == sum);
            assert_true(sum < last || (sum == last && rows[i] > rows[i - 1]));
            assert_true(!odd || rows[i] % 2);
            last = sum;
            taken[rows[i]] = true;
        }
        best_left = 0;
        for (uint64_t r = 0; r < t->rows; r++) {
            double sum = 0;
            for (uint32_t c = 0; c < t->columns; c++)
                sum += t->v[r * t->columns + c];
            if (!taken[r] && (!odd || r % 2) && sum > best_left)
                best_left = sum;
        }
        assert_true(best_left <= last);
        free(taken);
    }
}

/* The same bins by and by, others asking the database meanwhile, and its tables closed once. */
static void check_turns(hsc_db *db, hsc_db_view view, hsc_db_reduce reduce, uint32_t row_bins, const uint32_t *low, const uint32_t *high,
                        uint32_t column_bins, const uint32_t *bin, const float *want, unsigned *r) {
    hsc_err err = {0};
    hsc_db_bins *bins = NULL;
    float *out = calloc((size_t)row_bins * column_bins, sizeof *out);
    uint32_t close_at = model_random(r) % row_bins;
    double sum;
    OK(hsc_db_begin_bins(db, view, reduce, row_bins, low, high, column_bins, bin, &bins, &err));
    for (uint32_t at = 0, n; at < row_bins; at += n) {
        n = 1 + model_random(r) % (row_bins - at);
        OK(hsc_db_go_on_bins(bins, n, out + (size_t)at * column_bins, &err));
        if (model_random(r) % 2)
            hsc_arrays_give_back(db);
        OK(hsc_db_read_sums(db, view, 0, 1, &sum, &err));
        if (at <= close_at && close_at < at + n)
            hsc_values_close(db);
    }
    assert_memory_equal(out, want, (size_t)row_bins * column_bins * sizeof *out);
    assert_int_equal(hsc_db_go_on_bins(bins, 1, out, &err), HSC_E_ARGUMENT);
    hsc_db_end_bins(bins);
    free(out);
}

static void check_bins(hsc_db *db, hsc_db_view view, const truth *t, unsigned *r) {
    hsc_err err = {0};
    for (int trial = 0; trial < 40; trial++) {
        uint32_t row_bins = 1 + model_random(r) % 30, column_bins = 1 + model_random(r) % t->columns;
        uint32_t *low = calloc(row_bins, sizeof *low), *high = calloc(row_bins, sizeof *high);
        uint32_t *bin = calloc(t->columns, sizeof *bin);
        float *out = calloc((size_t)row_bins * column_bins, sizeof *out);
        for (uint32_t i = 0, at = 0; i < row_bins; i++) {
            uint32_t left = (uint32_t)t->rows - at;
            low[i] = at + (trial % 2 ? 0 : model_random(r) % (left / 8 + 1));
            left = (uint32_t)t->rows - low[i];
            high[i] = i + 1 == row_bins && trial % 3 == 0 ? (uint32_t)t->rows : low[i] + model_random(r) % (2 * left / (row_bins - i) + 1);
            if (high[i] > t->rows)
                high[i] = (uint32_t)t->rows;
            at = high[i];
        }
        for (uint32_t c = 0; c < t->columns; c++) /* any grouping, some left out; of tiles' groups, and of them but for one column */
            bin[c] = trial % 4 && c % HSC_TILE_COLUMNS  ? bin[c - 1]
                     : model_random(r) % 6 == 0         ? HSC_NONE
                                                        : model_random(r) % column_bins;
        if (trial % 4 == 1)
            bin[model_random(r) % t->columns] = 0;
        for (int reduce = 0; reduce < 2; reduce++) {
            OK(hsc_db_read_bins(db, view, (hsc_db_reduce)reduce, row_bins, low, high, column_bins, bin, out, &err));
            for (uint32_t i = 0; i < row_bins; i++)
                for (uint32_t b = 0; b < column_bins; b++) {
                    double v = low[i] < high[i] ? 0 : NAN;
                    for (uint32_t q = low[i]; q < high[i]; q++)
                        for (uint32_t c = 0; c < t->columns; c++)
                            if (bin[c] == b) {
                                double cell = t->v[(uint64_t)q * t->columns + c];
                                v = reduce == HSC_REDUCE_SUM ? v + cell : fmax(v, cell);
                            }
                    float got = out[(size_t)i * column_bins + b];
                    if (isnan(v) ? !isnan(got) : got != (float)v)
                        fail_msg("table %d axis %d %s bin %u rows %u-%u column bin %u: expected %g, got %g", view.table, view.axis,
                                 reduce ? "sum" : "max", i, low[i], high[i], b, v, (double)got);
                }
            if (trial % 8 == 3)
                check_turns(db, view, (hsc_db_reduce)reduce, row_bins, low, high, column_bins, bin, out, r);
        }
        free(low);
        free(high);
        free(bin);
        free(out);
    }
}

/* Hosts in the order of their first processes; pictures are of threads and processes alone. */
static void check_nodes(hsc_db *db, const model *m) {
    static const char *const hosts[MODEL_NODES] = {"north", "south", "a"};
    hsc_err err = {0};
    hsc_db_process process;
    hsc_db_node node;
    uint32_t processes = 0, threads = 0, zero = 0, one = 1, step, bins[MODEL_NODES] = {0};
    float out;
    assert_int_equal(hsc_db_get_columns(db, HSC_AXIS_NODE), MODEL_NODES);
    for (uint32_t i = 0; i < MODEL_NODES; i++) {
        OK(hsc_db_get_node(db, i, &node, &err));
        assert_string_equal(node.host, hosts[i]);
        processes += node.processes;
        threads += node.threads;
    }
    assert_int_equal(processes, m->processes);
    assert_int_equal(threads, m->threads);
    for (uint32_t p = 0; p < m->processes; p++) {
        OK(hsc_db_get_process(db, p, &process, &err));
        assert_int_equal(process.node, p % MODEL_NODES);
    }
    hsc_db_view view = {0, HSC_TABLE_LINE, HSC_AXIS_NODE}, none = {0, HSC_TABLE_LINE, (hsc_db_axis)(HSC_AXIS_NODE + 1)};
    double sum;
    assert_int_equal(hsc_db_get_node(db, MODEL_NODES, &node, NULL), HSC_E_ARGUMENT);
    assert_int_equal(hsc_db_read_bins(db, view, HSC_REDUCE_SUM, 1, &zero, &one, 1, bins, &out, NULL), HSC_E_ARGUMENT);
    assert_int_equal(hsc_db_get_row_step(db, view, 64, &step, NULL), HSC_E_ARGUMENT);
    assert_int_equal(hsc_db_get_column_step(db, view, &step, NULL), HSC_E_ARGUMENT);
    assert_int_equal(hsc_db_read_sums(db, none, 0, 1, &sum, NULL), HSC_E_ARGUMENT);
}

static void model_is_true(unsigned seed, bool one_thread, uint64_t pyramid_min, uint64_t level_cost, uint64_t block_nnz,
                          uint64_t budget, bool by_thread, uint64_t part_max, uint32_t band_unit) {
    hsc_err err = {0};
    model *m = model_new(seed, one_thread);
    m->by_thread = by_thread;
    m->part_max = part_max;
    m->band_unit = band_unit;
    hsc_db *db = NULL;
    unsigned r = seed;
    write_model(m, file_in("values.h5"), pyramid_min);
    OK(hsc_db_open(file_in("values.h5"), &db, &err));
    db->level_cost = level_cost;
    db->block_nnz = block_nnz;
    db->budget = budget;
    db->window_least = seed % 2 ? 1 : HSC_WINDOW_BYTES_LEAST;
    db->pass_nnz = seed % 3 ? 1 + seed % 20 : HSC_DB_PASS_NNZ;
    assert_int_equal(hsc_db_get_columns(db, HSC_AXIS_PROCESS), m->processes);
    check_nodes(db, m);
    for (int table = 0; table < HSC_VALUES_COUNT; table++)
        for (int axis = 0; axis <= HSC_AXIS_NODE; axis++) {
            hsc_db_view view = {0, (hsc_db_table)table, (hsc_db_axis)axis};
            truth t = truth_of(m, view.table, view.axis);
            assert_int_equal(hsc_db_get_rows(db, view.table), t.rows);
            check_stats(db, view, &t);
            check_pieces(db, view, &t, &r);
            check_top(db, view, &t);
            if (axis != HSC_AXIS_NODE)
                check_bins(db, view, &t, &r);
            free(t.v);
        }
    hsc_db_close(db);
    model_free(m);
}

static void values_are_true(unsigned seed, bool one_thread, uint64_t pyramid_min, uint64_t level_cost, uint64_t block_nnz, uint64_t budget) {
    model_is_true(seed, one_thread, pyramid_min, level_cost, block_nnz, budget, false, 0, 0);
}

static void values_by_thread(void **state) { /* put a thread at a time, with parts that are and are not divided further */
    (void)state;
    model_is_true(31, false, 1, 0, HSC_DB_BLOCK_NNZ, HSC_DB_BUDGET, true, 0, 0);
    model_is_true(32, false, 1, 0, HSC_DB_BLOCK_NNZ, HSC_DB_BUDGET, true, 2, 0);
    model_is_true(33, true, UINT64_MAX, 0, 3, 20000, true, 5, 0);
    model_is_true(34, false, 1, 0, HSC_DB_BLOCK_NNZ, HSC_DB_BUDGET, false, 3, 0);
}

static uint64_t bands_of(hsc_db *db, const char *name, uint64_t rows) {
    hsc_err err = {0};
    hsc_array a = {.set = -1};
    OK(hsc_array_open(db, name, HSC_COLTYPE_U8, HSC_NNZ_MAX + 1, &a, &err));
    assert_int_equal((a.n - 1) % rows, 0);
    uint64_t bands = (a.n - 1) / rows;
    hsc_array_close(db, &a);
    return bands;
}

static void values_in_bands(void **state) { /* by single rows, from pyramids, with and without memory, of processes with several threads */
    (void)state;
    hsc_err err = {0};
    hsc_db *db = NULL;
    model_is_true(41, false, UINT64_MAX, 0, HSC_DB_BLOCK_NNZ, HSC_DB_BUDGET, true, 0, 4);
    model_is_true(42, true, UINT64_MAX, HSC_DB_LEVEL_COST, 31, 0, true, 3, 1);
    model_is_true(43, true, 1, 1, 500, 60000, true, 0, 2);
    model_is_true(44, false, 1, 0, HSC_DB_BLOCK_NNZ, HSC_DB_BUDGET, true, 0, 1);
    OK(hsc_db_open(file_in("values.h5"), &db, &err)); /* there were bands, or this says nothing */
    assert_true(bands_of(db, "/metrics/0/line/by_row/indptr", hsc_db_get_rows(db, HSC_TABLE_LINE)) > 1);
    assert_true(bands_of(db, "/metrics/0/line/thread_blocks/16/indptr", (hsc_db_get_rows(db, HSC_TABLE_LINE) + 15) / 16) > 1);
    assert_true(bands_of(db, "/metrics/0/line/process_blocks/16/indptr", (hsc_db_get_rows(db, HSC_TABLE_LINE) + 15) / 16) > 1);
    hsc_db_close(db);
}

static void values_from_rows(void **state) {
    (void)state;
    values_are_true(11, false, UINT64_MAX, HSC_DB_LEVEL_COST, HSC_DB_BLOCK_NNZ, HSC_DB_BUDGET);
}

static void values_from_pyramids(void **state) {
    (void)state;
    hsc_err err = {0};
    values_are_true(12, false, 1, 0, HSC_DB_BLOCK_NNZ, HSC_DB_BUDGET);
    /* the pyramids were there, or this says nothing */
    hsc_db *db = NULL;
    OK(hsc_db_open(file_in("values.h5"), &db, &err));
    assert_true(hsc_db_has(db, "/metrics/0/line/thread_blocks/16"));
    assert_true(hsc_db_has(db, "/metrics/0/line/process_blocks/16"));
    assert_true(hsc_db_has(db, "/metrics/0/line/thread_blocks/64"));
    assert_true(hsc_db_has(db, "/metrics/0/line/thread_tiles/16"));
    assert_true(hsc_db_has(db, "/metrics/0/line/process_tiles/16"));
    for (int axis = 0; axis < 2; axis++) {
        uint32_t step = 0;
        OK(hsc_db_get_column_step(db, (hsc_db_view){0, HSC_TABLE_LINE, (hsc_db_axis)axis}, &step, &err));
        assert_int_equal(step, HSC_TILE_COLUMNS);
    }
    hsc_db_close(db);
}

static void values_of_single_threads(void **state) {
    (void)state;
    values_are_true(13, true, 1, 0, HSC_DB_BLOCK_NNZ, HSC_DB_BUDGET);
}

static void values_when_memory_is_short(void **state) {
    (void)state;
    values_are_true(14, false, 1, 1, 31, 0);      /* nothing stays: everything by small pieces */
    values_are_true(15, false, 1, 0, 500, 60000); /* some stays, and is given back for others */
    values_are_true(16, true, UINT64_MAX, 0, 3, 20000);
}

/* Sums are kept in 32 bits where all fit, and come whole where one does not, by either way to read. */
static void sums_of_any_size(void **state) {
    (void)state;
    hsc_err err = {0};
    model *m = model_new(18, false);
    for (uint32_t k = 0; k < m->threads; k++)
        m->values[HSC_TABLE_LINE][3 * m->threads + k] = UINT32_MAX;
    write_model(m, file_in("values.h5"), UINT64_MAX);
    for (int direct = 0; direct < 2; direct++) {
        hsc_db *db = NULL;
        if (direct)
            setenv("HEATSCOPE_READER", "direct", 1);
        OK(hsc_db_open(file_in("values.h5"), &db, &err));
        unsetenv("HEATSCOPE_READER");
        static const hsc_db_table tables[] = {HSC_TABLE_LINE, HSC_TABLE_SCOPE_EXCL};
        for (int i = 0; i < 2; i++) {
            hsc_db_view view = {0, tables[i], HSC_AXIS_THREAD};
            truth t = truth_of(m, view.table, view.axis);
            unsigned char *zero = malloc(t.rows);
            check_stats(db, view, &t);
            OK(hsc_db_find_zeros(db, view, 0, t.rows, zero, &err));
            double largest = 0, most = -1;
            for (uint64_t r = 0; r < t.rows; r++) {
                double sum = 0;
                for (uint32_t c = 0; c < t.columns; c++)
                    sum += t.v[r * t.columns + c];
                assert_int_equal(zero[r], sum == 0);
                largest = sum > largest ? sum : largest;
            }
            OK(hsc_db_find_largest(db, view, 0, t.rows, &most, &err));
            assert_true(most == largest && most > 0);
            OK(hsc_db_find_largest(db, view, 1, 0, &most, &err));
            assert_true(most == 0);
            assert_int_equal(hsc_db_find_largest(db, view, 1, t.rows, &most, &err), HSC_E_ARGUMENT);
            const hsc_array *sums = &db->values[tables[i]].sum;
            assert_true(sums->whole && sums->narrow == (tables[i] != HSC_TABLE_LINE));
            free(zero);
            free(t.v);
        }
        hsc_db_close(db);
    }
    model_free(m);
}

/* Reads that begin and end within chunks fill what they were given, and nothing behind it. */
static void reads_end_where_they_should(const char *path) {
    enum { GUARD = 20000 };
    static const uint64_t ranges[][2] = {{100, 40000}, {16384, 20000}, {0, 16385}, {16383, 16386}, {5, 10}, {32768, 32768}};
    hsc_err err = {0};
    hsc_db *db = NULL;
    hsc_array a = {.set = -1};
    setenv("HEATSCOPE_READER", "direct", 1);
    OK(hsc_db_open(path, &db, &err));
    unsetenv("HEATSCOPE_READER");
    OK(hsc_array_open(db, "/metrics/0/line/by_row/indices", HSC_COLTYPE_U4, HSC_NNZ_MAX + 1, &a, &err));
    uint32_t *all = malloc(a.n * sizeof *all), *some = malloc((65536 + GUARD) * sizeof *some);
    assert_true(all && some && a.n > 131072);
    OK(hsc_dbfile_read(db->file, a.set, 0, a.n, all, &err));
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        uint64_t first = ranges[i][0], n = ranges[i][1];
        memset(some, 0xa5, (65536 + GUARD) * sizeof *some);
        OK(hsc_dbfile_read(db->file, a.set, first, n, some, &err));
        assert_memory_equal(some, all + first, n * sizeof *all);
        for (uint64_t k = n; k < n + GUARD; k++)
            if (some[k] != 0xa5a5a5a5)
                fail_msg("values %d and on: value %d behind them was written", (int)first, (int)(k - n));
    }
    free(all);
    free(some);
    hsc_array_close(db, &a);
    hsc_db_close(db);
}

/* Many chunks: several threads write and read them. */
static void a_long_table(void **state) {
    (void)state;
    enum { ROWS = 150000 };
    hsc_err err = {0};
    model *m = model_new(17, false);
    hsc_db *db = NULL;
    static const enum hsc_column_id lines[] = {HSC_COL_line_file, HSC_COL_line_line, HSC_COL_line_scope};
    for (int i = 0; i < 3; i++) {
        uint32_t *v = calloc(ROWS, sizeof *v);
        for (uint32_t r = 0; r < ROWS && i == 1; r++)
            v[r] = r + 1;
        free(m->columns[lines[i]]);
        m->columns[lines[i]] = v;
    }
    m->rows[HSC_TAB_line] = m->value_rows[HSC_TABLE_LINE] = ROWS;
    free(m->values[HSC_TABLE_LINE_INCL]);
    m->values[HSC_TABLE_LINE_INCL] = NULL;
    free(m->values[HSC_TABLE_LINE]);
    uint32_t *values = m->values[HSC_TABLE_LINE] = calloc((size_t)ROWS * m->threads, sizeof *values);
    unsigned random = 5;
    for (size_t i = 0; i < (size_t)ROWS * m->threads; i++)
        values[i] = model_random(&random) % 9 ? 0 : 1 + model_random(&random) % 1000;
    hsc_status status = model_write(m, file_in("long.h5"), 3, 1, &err);
    ok(status, &err, "write");
    OK(hsc_db_open(file_in("long.h5"), &db, &err));
    reads_end_where_they_should(file_in("long.h5"));
    hsc_db_view view = {0, HSC_TABLE_LINE, HSC_AXIS_THREAD};
    double *sums = calloc(ROWS, sizeof *sums);
    float *block = calloc((size_t)ROWS * m->threads, sizeof *block);
    OK(hsc_db_read_sums(db, view, 0, ROWS, sums, &err));
    OK(hsc_db_read_block(db, view, 0, ROWS, 0, m->threads, block, &err));
    for (size_t r = 0; r < ROWS; r++) {
        double sum = 0;
        for (uint32_t c = 0; c < m->threads; c++) {
            sum += values[r * m->threads + c];
            if (block[r * m->threads + c] != (float)values[r * m->threads + c])
                fail_msg("row %zu column %u", r, c);
        }
        if (sums[r] != sum)
            fail_msg("row %zu", r);
    }
    for (uint32_t c = 0; c < m->threads; c += 5) {
        uint64_t n, at = 0;
        uint32_t *rows;
        float *column;
        OK(hsc_db_read_column(db, view, c, &n, &rows, &column, &err));
        for (uint32_t r = 0; r < ROWS; r++)
            if (values[(size_t)r * m->threads + c]) {
                assert_true(at < n && rows[at] == r && column[at] == (float)values[(size_t)r * m->threads + c]);
                at++;
            }
        assert_int_equal(at, n);
        free(rows);
        free(column);
    }
    free(sums);
    free(block);
    hsc_db_close(db);
    model_free(m);
}

/* A few long texts don't widen a column of many short ones. */
static void long_texts_among_many(void **state) {
    (void)state;
    enum { ROWS = 6000 };
    hsc_err err = {0};
    model *m = model_new(18, false);
    hsc_db *db = NULL;
    char **texts = m->columns[HSC_COL_instruction_text_text];
    for (uint64_t i = 0; i < m->rows[HSC_TAB_instruction_text]; i++)
        free(texts[i]);
    free(texts);
    m->columns[HSC_COL_instruction_text_text] = texts = calloc(ROWS, sizeof *texts);
    m->rows[HSC_TAB_instruction_text] = ROWS;
    for (int i = 0; i < ROWS; i++) {
        int n = i % 100 ? i % 30 : i / 200 * 200 / 10; /* up to 600, some of them twice in a row */
        texts[i] = calloc((size_t)n + 1, 1);
        memset(texts[i], 'a' + i / 200 % 26, (size_t)n);
    }
    write_model(m, file_in("texts.h5"), 1);
    OK(hsc_db_open(file_in("texts.h5"), &db, &err));
    OK(hsc_db_load(db, HSC_TAB_instruction_text, &err));
    for (uint64_t i = 0; i < ROWS; i++)
        assert_string_equal(hsc_db_text(db, HSC_COL_instruction_text_text, i), texts[i]);
    hsc_db_close(db);
    hid_t file = H5Fopen(file_in("texts.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "/static/instruction_text/text", H5P_DEFAULT), type = H5Dget_type(set);
    assert_int_equal(H5Tget_size(type), 29);
    assert_int_equal(H5Lexists(file, "/static/instruction_text/text_long", H5P_DEFAULT), 1);
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(file);
    model_free(m);
}

/* Letters of ASCII of either case, anywhere in the text. */
static bool holds(const char *text, const char *part) {
    size_t n = strlen(part);
    bool found = false;
    for (size_t i = 0; n && i + n <= strlen(text); i++)
        found |= !strncasecmp(text + i, part, n);
    return found;
}

static bool row_holds(const hsc_db *db, hsc_db_texts in, uint32_t row, const char *part) {
    hsc_err err = {0};
    hsc_db_scope scope;
    hsc_db_file file;
    hsc_db_remark remark;
    if (in == HSC_TEXTS_SCOPES) {
        OK(hsc_db_get_scope(db, row, &scope, &err));
        return holds(scope.name, part);
    }
    if (in == HSC_TEXTS_FILES) {
        OK(hsc_db_get_file(db, row, &file, &err));
        return holds(file.path, part);
    }
    OK(hsc_db_get_remark(db, row, &remark, &err));
    return holds(remark.message, part) || holds(remark.name, part);
}

/* Texts of all rows against rows that are found; returns how many those are. */
static uint32_t compare_found(const hsc_db *db, hsc_db_texts in, uint32_t rows, const char *part) {
    hsc_err err = {0};
    uint32_t *found = NULL, n = 0, expected = 0;
    OK(hsc_db_find_text(db, in, part, &found, &n, &err));
    for (uint32_t row = 0; row < rows; row++)
        if (row_holds(db, in, row, part)) {
            assert_true(expected < n);
            assert_int_equal(found[expected++], row);
        }
    assert_int_equal(n, expected);
    free(found);
    return n;
}

static void texts_are_found(void **state) {
    (void)state;
    static const char *const parts[] = {"", "A", "b", "_", "?", "/", "ab", "BA", "aab", "\xC3\xA4", "> <", "3::", "::_", "not in any of them", "Not", "LOOP"};
    hsc_err err = {0};
    uint32_t found = 0;
    for (unsigned seed = 30; seed < 36; seed++) {
        model *m = model_new(seed, false);
        hsc_db *db = NULL;
        C(remark_reason, uint8_t, 1) = HSC_reason_NOT_TRIED;
        write_model(m, file_in("found.h5"), 1);
        OK(hsc_db_open(file_in("found.h5"), &db, &err));
        const uint32_t rows[] = {(uint32_t)m->rows[HSC_TAB_scope], (uint32_t)m->rows[HSC_TAB_file], (uint32_t)m->rows[HSC_TAB_remark]};
        for (int in = HSC_TEXTS_SCOPES; in <= HSC_TEXTS_REMARKS; in++) {
            for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
                found += compare_found(db, (hsc_db_texts)in, rows[in], parts[i]);
        }
        for (uint32_t row = 0; row < rows[0]; row++) { /* whole texts, and their ends */
            const char *name = C(scope_name, char *, row);
            assert_true(!name[0] || compare_found(db, HSC_TEXTS_SCOPES, rows[0], name));
            compare_found(db, HSC_TEXTS_SCOPES, rows[0], name + strlen(name) / 3 * 2);
        }
        uint32_t *none = NULL, n = 0;
        assert_int_equal(hsc_db_find_text(db, (hsc_db_texts)3, "a", &none, &n, &err), HSC_E_ARGUMENT);
        hsc_err_clear(&err);
        hsc_db_close(db);
        model_free(m);
    }
    assert_true(found > 500);
}

static void absent_values_say_so(void **state) {
    (void)state;
    hsc_err err = {0};
    model *m = model_new(3, false);
    hsc_db *db = NULL;
    double sum;
    free(m->values[HSC_TABLE_INSTANCE]);
    m->values[HSC_TABLE_INSTANCE] = NULL;
    write_model(m, file_in("absent.h5"), 1);
    OK(hsc_db_open(file_in("absent.h5"), &db, &err));
    assert_int_equal(hsc_db_read_sums(db, (hsc_db_view){0, HSC_TABLE_INSTANCE, HSC_AXIS_THREAD}, 0, 1, &sum, &err), HSC_E_MISSING);
    assert_non_null(strstr(err.text, "instance"));
    hsc_err_clear(&err);
    assert_int_equal(hsc_db_read_sums(db, (hsc_db_view){1, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, 1, &sum, &err), HSC_E_MISSING);
    assert_int_equal(hsc_db_read_sums(db, (hsc_db_view){2, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, 1, &sum, &err), HSC_E_ARGUMENT);
    assert_int_equal(hsc_db_read_sums(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 700, 1, &sum, &err), HSC_E_ARGUMENT);
    hsc_db_close(db);
    model_free(m);
}

int main(void) {
    folder = model_folder();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_come_back),       cmocka_unit_test(getters_tell_the_columns), cmocka_unit_test(lists_are_found_by_key),
        cmocka_unit_test(values_by_thread), cmocka_unit_test(values_in_bands),
        cmocka_unit_test(values_from_rows),        cmocka_unit_test(values_from_pyramids),
        cmocka_unit_test(values_of_single_threads), cmocka_unit_test(values_when_memory_is_short),
        cmocka_unit_test(sums_of_any_size), cmocka_unit_test(a_long_table),            cmocka_unit_test(long_texts_among_many),
        cmocka_unit_test(texts_are_found),
        cmocka_unit_test(absent_values_say_so),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    model_files(folder, true);
    rmdir(folder);
    free(folder);
    return failed;
}
