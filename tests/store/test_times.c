/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples by time against brute force: every table in random intervals, the cursor, the timeline, spans; equal bytes. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include <heatscope/query.h>

#include "db.h"
#include "entries.h"
#include "interval_marks.h"
#include "model.h"
#include "time_read.h"

static model *truth;
static hsc_db *db;
static char *path, *again, *folder;

#define COL(column, ctype) ((const ctype *)truth->columns[HSC_COL_##column])

static void must(hsc_status status, const hsc_err *err) {
    if (status)
        fail_msg("%s", err->text);
}

/* Rows of a table that a leaf counts in, each once, by the words of docs/schema.md. */
static uint32_t rows_of(hsc_db_table table, uint32_t leaf, uint64_t *rows) {
    uint32_t context = COL(leaf_context, uint32_t)[leaf], line = COL(leaf_line, uint32_t)[leaf], n = 0;
    uint64_t stride = table == HSC_TABLE_SCOPE_CATEGORY ? truth->categories : 1;
    uint64_t offset = table == HSC_TABLE_SCOPE_CATEGORY ? COL(leaf_category, uint8_t)[leaf] : 0;
    switch (table) {
    case HSC_TABLE_LINE:
        rows[n++] = line;
        break;
    case HSC_TABLE_SCOPE_EXCL:
        rows[n++] = COL(context_scope, uint32_t)[context];
        break;
    case HSC_TABLE_CONTEXT_EXCL:
        rows[n++] = context;
        break;
    case HSC_TABLE_INSTANCE:
        rows[n++] = COL(leaf_instance, uint32_t)[leaf];
        break;
    case HSC_TABLE_INSTRUCTION:
        rows[n++] = COL(leaf_place_instruction, uint32_t)[leaf];
        break;
    case HSC_TABLE_CONTEXT_INCL:
        for (uint32_t c = context;; c = COL(context_parent, uint32_t)[c]) {
            rows[n++] = c;
            if (!c)
                break;
        }
        break;
    case HSC_TABLE_LINE_INCL:
        rows[n++] = line;
        for (uint32_t c = context; c; c = COL(context_parent, uint32_t)[c])
            rows[n++] = COL(context_call_line, uint32_t)[c];
        break;
    default:
        for (uint32_t c = context;; c = COL(context_parent, uint32_t)[c]) {
            for (uint32_t s = COL(context_scope, uint32_t)[c];; s = COL(scope_parent, uint32_t)[s]) {
                rows[n++] = s * stride + offset;
                if (!s)
                    break;
            }
            if (!c)
                break;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool seen = rows[i] == HSC_NONE;
        for (uint32_t k = 0; k < kept; k++)
            seen = seen || rows[k] == rows[i];
        if (!seen)
            rows[kept++] = rows[i];
    }
    return kept;
}

static bool is_inside(const hsc_db_when *list, uint32_t n, uint32_t process, double time) {
    for (uint32_t i = 0; i < n; i++)
        if ((list[i].process == HSC_NONE || list[i].process == process) && time >= list[i].begin_s - 1e-9 && time <= list[i].end_s - 1e-9)
            return true;
    return false;
}

/* Bins of rows [lo, hi) with gaps between them, and of processors, some left out: `want` by row and thread. */
static void check_bins(hsc_db_view view, const double *want, uint64_t n) {
    enum { ROWS = 7, COLUMNS = 3 };
    hsc_err err = {0};
    uint32_t lo[ROWS], hi[ROWS], columns = hsc_db_get_columns(db, view.axis);
    uint32_t *bin = malloc((columns + 1) * sizeof *bin);
    double *cells = malloc((columns + 1) * sizeof *cells);
    float got[ROWS * COLUMNS];
    for (uint32_t i = 0; i < ROWS; i++) {
        lo[i] = (uint32_t)(n * i / ROWS) + (i % 3 == 1);
        hi[i] = (uint32_t)(n * (i + 1) / ROWS) - (i % 3 == 2 && n > 3 * ROWS ? 2 : 0);
    }
    for (uint32_t c = 0; c < columns; c++)
        bin[c] = c % 5 == 4 ? HSC_NONE : c % COLUMNS;
    for (int reduce = 0; reduce < 2; reduce++) {
        must(hsc_db_read_bins(db, view, (hsc_db_reduce)reduce, ROWS, lo, hi, COLUMNS, bin, got, &err), &err);
        for (uint32_t i = 0; i < ROWS; i++) {
            double bins[COLUMNS] = {0};
            for (uint64_t r = lo[i]; r < hi[i]; r++) {
                memset(cells, 0, columns * sizeof *cells);
                for (uint32_t t = 0; t < truth->threads; t++)
                    cells[view.axis == HSC_AXIS_PROCESS ? COL(thread_process, uint32_t)[t] : t] += want[r * truth->threads + t];
                for (uint32_t c = 0; c < columns; c++)
                    if (bin[c] != HSC_NONE)
                        bins[bin[c]] = reduce == HSC_REDUCE_SUM ? bins[bin[c]] + cells[c] : fmax(bins[bin[c]], cells[c]);
            }
            for (uint32_t c = 0; c < COLUMNS; c++)
                if (lo[i] >= hi[i] ? !isnan(got[i * COLUMNS + c]) : (double)got[i * COLUMNS + c] != (double)(float)bins[c])
                    fail_msg("table %d, rows %u to %u, bin %u by %s: %g, expected %g", (int)view.table, lo[i], hi[i], c, reduce ? "sum" : "max",
                             (double)got[i * COLUMNS + c], bins[c]);
        }
        hsc_db_bins *turns = NULL;
        float in_turns[ROWS * COLUMNS];
        must(hsc_db_begin_bins(db, view, (hsc_db_reduce)reduce, ROWS, lo, hi, COLUMNS, bin, &turns, &err), &err);
        for (uint32_t i = 0; i < ROWS; i++)
            must(hsc_db_go_on_bins(turns, 1, in_turns + i * COLUMNS, &err), &err);
        hsc_db_end_bins(turns);
        assert_memory_equal(in_turns, got, sizeof got);
    }
    free(bin);
    free(cells);
}

/* Every table in the intervals that are set. */
static void check_values(const hsc_db_when *list, uint32_t parts, uint32_t metric) {
    hsc_err err = {0};
    double begin_s = list[0].begin_s, end_s = list[0].end_s; /* for messages */
    static unsigned number = UINT_MAX;
    uint64_t *counted = calloc(truth->threads * MODEL_LEAVES, sizeof *counted); /* by thread and leaf, in the intervals */
    assert_non_null(counted);
    number++;
    for (uint32_t t = 0; t < truth->threads; t++)
        for (uint64_t i = truth->sample_begin[t]; i < truth->sample_begin[t + 1]; i++)
            if (is_inside(list, parts, COL(thread_process, uint32_t)[t], truth->time[i] * 0.001))
                counted[t * MODEL_LEAVES + truth->leaf[i]] += truth->count[i];
    for (int table = 0; table < HSC_VALUES_COUNT; table++) {
        uint64_t n = truth->value_rows[table], rows[20000];
        double *want = calloc(n * truth->threads + 1, sizeof *want), *sums = calloc(n + 1, sizeof *sums);
        float *got = calloc(n * truth->threads + 1, sizeof *got);
        hsc_db_stats *stats = calloc(n + 1, sizeof *stats);
        for (uint32_t leaf = 0; leaf < MODEL_LEAVES; leaf++) {
            uint32_t only = hsc_db_get_only(db);
            if (COL(leaf_metric, uint32_t)[leaf] != metric || (only != HSC_NONE && COL(leaf_category, uint8_t)[leaf] != only))
                continue;
            uint32_t m = rows_of((hsc_db_table)table, leaf, rows);
            for (uint32_t t = 0; t < truth->threads; t++)
                for (uint32_t k = 0; k < m && counted[t * MODEL_LEAVES + leaf]; k++)
                    want[rows[k] * truth->threads + t] += (double)counted[t * MODEL_LEAVES + leaf];
        }
        hsc_db_view view = {metric, (hsc_db_table)table, HSC_AXIS_THREAD};
        if (number % 8 == 0) { /* the model counts slowly */
            check_bins(view, want, n);
            check_bins((hsc_db_view){metric, (hsc_db_table)table, HSC_AXIS_PROCESS}, want, n);
        }
        must(hsc_db_read_block(db, view, 0, n, 0, truth->threads, got, &err), &err);
        must(hsc_db_read_sums(db, view, 0, n, sums, &err), &err);
        must(hsc_db_read_stats(db, view, 0, n, stats, &err), &err);
        for (uint64_t r = 0; r < n; r++) {
            double sum = 0, max = 0, min = INFINITY;
            for (uint32_t t = 0; t < truth->threads; t++) {
                double v = want[r * truth->threads + t];
                if (v != (double)got[r * truth->threads + t])
                    fail_msg("table %d row %lu thread %u in [%g, %g): %g, expected %g", table, (unsigned long)r, t, begin_s, end_s,
                             (double)got[r * truth->threads + t], v);
                sum += v;
                max = v > max ? v : max;
                min = v < min ? v : min;
            }
            assert_true(sums[r] == sum && stats[r].sum == sum && stats[r].max == max && stats[r].min == min);
        }
        /* processes are sums of threads */
        uint64_t row = n / 2;
        float processes[64];
        view.axis = HSC_AXIS_PROCESS;
        must(hsc_db_read_block(db, view, row, 1, 0, truth->processes, processes, &err), &err);
        for (uint32_t p = 0; p < truth->processes; p++)
            for (uint32_t t = 0; t < truth->threads; t++)
                processes[p] -= COL(thread_process, uint32_t)[t] == p ? (float)want[row * truth->threads + t] : 0;
        for (uint32_t p = 0; p < truth->processes; p++)
            assert_true(processes[p] == 0);
        free(want);
        free(got);
        free(sums);
        free(stats);
    }
    free(counted);
}

static void check_interval(double begin_s, double end_s, uint32_t metric) {
    hsc_err err = {0};
    hsc_db_when one = {HSC_NONE, begin_s, end_s};
    must(hsc_db_set_interval(db, begin_s, end_s, &err), &err);
    check_values(&one, 1, metric);
}

static bool same_bytes(const char *one, const char *other) {
    FILE *a = fopen(one, "rb"), *b = fopen(other, "rb");
    int x = 0, y = 0;
    assert_true(a && b);
    while (x != EOF && x == y) {
        x = getc(a);
        y = getc(b);
    }
    fclose(a);
    fclose(b);
    return x == y;
}

static void test_several_intervals(void **state) {
    (void)state;
    unsigned r = 23;
    hsc_err err = {0};
    const hsc_db_when *got;
    hsc_db_when list[12];
    for (int trial = 0; trial < 12; trial++) { /* of all processes, or each of one; they overlap, touch, and stand in any order */
        uint32_t n = 1 + model_random(&r) % 12;
        double a, b, begin = INFINITY, end = 0;
        for (uint32_t i = 0; i < n; i++) {
            list[i].process = trial % 3 ? model_random(&r) % truth->processes : HSC_NONE;
            list[i].begin_s = (model_random(&r) % MODEL_END) * 0.001;
            list[i].end_s = i && i % 4 == 0 ? list[i].begin_s + 0.001 : list[i].begin_s + 0.001 * (1 + model_random(&r) % 9000);
            begin = list[i].begin_s < begin ? list[i].begin_s : begin;
            end = list[i].end_s > end ? list[i].end_s : end;
        }
        must(hsc_db_set_intervals(db, list, n, &err), &err);
        check_values(list, n, 0);
        assert_true(hsc_db_get_interval(db, &a, &b) && a == begin && b == end);
        uint32_t kept = hsc_db_get_intervals(db, &got);
        assert_true(kept >= 1 && kept <= n);
        for (uint32_t i = 1; i < kept; i++)
            assert_true(got[i - 1].process < got[i].process || (got[i - 1].process == got[i].process && got[i - 1].end_s < got[i].begin_s));
    }
    list[0] = (hsc_db_when){truth->processes, 0, 1};
    assert_int_equal(hsc_db_set_intervals(db, list, 1, &err), HSC_E_ARGUMENT);
    list[0] = (hsc_db_when){0, 0, 1};
    list[1] = (hsc_db_when){HSC_NONE, 0, 1};
    assert_int_equal(hsc_db_set_intervals(db, list, 2, &err), HSC_E_ARGUMENT);
    list[1] = (hsc_db_when){0, 1, 1};
    assert_int_equal(hsc_db_set_intervals(db, list, 2, &err), HSC_E_ARGUMENT);
    must(hsc_db_set_intervals(db, NULL, 0, &err), &err);
    assert_int_equal(hsc_db_get_intervals(db, &got), 0);
}

/* One category of an interval and of the whole run; all again. */
static void test_only(void **state) {
    (void)state;
    hsc_err err = {0};
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    must(hsc_db_set_interval(db, 0, 0, &err), &err);
    assert_int_equal(hsc_db_set_only(db, 0, &err), HSC_E_ARGUMENT); /* of no interval */
    assert_int_equal(hsc_db_get_only(db), HSC_NONE);
    const hsc_db_when spans[] = {{HSC_NONE, 0, 1e9}, {HSC_NONE, 3, 4.5}};
    for (size_t i = 0; i < 2; i++) {
        must(hsc_db_set_interval(db, spans[i].begin_s, spans[i].end_s, &err), &err);
        assert_int_equal(hsc_db_set_only(db, info.categories, &err), HSC_E_ARGUMENT);
        for (uint32_t k = 0; k < info.categories; k += i ? 1 : info.categories) { /* of the whole run one: the model counts slowly */
            must(hsc_db_set_only(db, k, &err), &err);
            assert_int_equal(hsc_db_get_only(db), k);
            check_values(&spans[i], 1, 0);
        }
        must(hsc_db_set_only(db, HSC_NONE, &err), &err);
        if (i)
            check_values(&spans[i], 1, 0);
        must(hsc_db_set_only(db, 0, &err), &err);
    }
    must(hsc_db_set_interval(db, 1, 2, &err), &err); /* another interval: all categories */
    assert_int_equal(hsc_db_get_only(db), HSC_NONE);
    must(hsc_db_set_interval(db, 0, 0, &err), &err);
}

static void test_intervals(void **state) {
    (void)state;
    unsigned r = 7;
    hsc_err err = {0};
    double a, b;
    check_interval(0, 1e9, 0);
    check_interval(0, 1e9, 1);
    for (int i = 0; i < 25; i++) {
        double begin = (model_random(&r) % MODEL_END) * 0.001, length = 0.001 * (1 + model_random(&r) % (i % 2 ? 30000 : 300));
        check_interval(begin, begin + length, 0);
        assert_true(hsc_db_get_interval(db, &a, &b) && a == begin && b == begin + length);
    }
    check_interval(39.999, 40, 0);
    check_interval(1e6, 2e6, 0); /* after the end: nothing */
    /* the run's own values are there again, untouched */
    must(hsc_db_set_interval(db, 0, 0, &err), &err);
    assert_false(hsc_db_get_interval(db, &a, &b));
    float *got = calloc(truth->value_rows[0] * truth->threads, sizeof *got);
    must(hsc_db_read_block(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, truth->value_rows[0], 0, truth->threads, got, &err), &err);
    for (uint64_t i = 0; i < truth->value_rows[0] * truth->threads; i++)
        assert_true((double)got[i] == (double)truth->values[HSC_TABLE_LINE][i]);
    free(got);
}

/* Pieces of samples and slices that are in memory. */
static unsigned pieces_held(const hsc_times *t) {
    const hsc_pieces *sets[2 * HSC_SLICE_LEVELS_MAX + 3] = {&t->delta, &t->leaf, &t->count};
    unsigned n = 0;
    for (unsigned k = 0; k < t->n_slices; k++) {
        sets[2 * k + 3] = &t->slices[k].leaf;
        sets[2 * k + 4] = &t->slices[k].sum;
    }
    for (unsigned k = 0; k < 2 * t->n_slices + 3; k++)
        for (uint64_t i = 0; sets[k]->p && i <= sets[k]->a.n >> sets[k]->shift; i++)
            n += sets[k]->p[i] != NULL;
    return n;
}

/* An interval that is added up a little at a time, with the one before set meanwhile, is the same; one that is given up leaves nothing. */
static void test_chosen(void **state) {
    (void)state;
    hsc_err err = {0};
    double a, b, part = 0;
    must(hsc_db_set_interval(db, 1, 2, &err), &err);
    for (int i = 0; i < 6; i++) {
        double begin = 0.5 * i, end = begin + 3 + 5 * i;
        must(hsc_db_choose_interval(db, begin + 0.25, end, HSC_NONE, 0, &part, &err), &err); /* another one, given up */
        part = 0;
        for (int k = 0; part < 1 && k < (i == 5 ? 1 : 100000); k++) /* the last is set while some of it is left */
            must(hsc_db_choose_interval(db, begin, end, HSC_NONE, 0, &part, &err), &err);
        if (part == 1)
            assert_int_equal(pieces_held(db->times->program), 0); /* of no use any more: tables are as large */
        assert_true(hsc_db_get_interval(db, &a, &b) && (a != begin || b != end));
        check_interval(begin, end, 0);
    }
    must(hsc_db_choose_interval(db, 3, 4, HSC_NONE, 0, &part, &err), &err);
    check_interval(5, 9, 0); /* not what was chosen */
    must(hsc_db_choose_interval(db, 3, 4, HSC_NONE, 0, &part, &err), &err);
    must(hsc_db_set_interval(db, 0, 0, &err), &err);
    must(hsc_db_choose_interval(db, 4, 4, HSC_NONE, 0, &part, &err), &err); /* the whole run: nothing to do */
    assert_true(part == 1);
    must(hsc_db_choose_interval(db, 3, 4, HSC_NONE, 0, &part, &err), &err); /* given back when it is closed */
}

/* Before it is set, sums of what was asked for are made, one table a step, so that nobody waits for several when it is; rows by thread likewise. */
static void test_made_before(void **state) {
    (void)state;
    static const hsc_db_table tables[] = {HSC_TABLE_LINE, HSC_TABLE_SCOPE_INCL, HSC_TABLE_SCOPE_CATEGORY, HSC_TABLE_SCOPE_EXCL};
    enum { TABLES = sizeof tables / sizeof *tables };
    hsc_err err = {0};
    hsc_db_stats st;
    must(hsc_db_set_interval(db, 1, 2, &err), &err);
    hsc_db_set_later(db, true);
    for (int i = 0; i < 4; i++) {
        double begin = 0.5 * i, end = begin + 4 + i, sum, part = 0;
        uint32_t only = i < 2 ? HSC_NONE : 0;
        for (size_t t = 0; t < TABLES; t++)
            must(hsc_db_read_sums(db, (hsc_db_view){0, tables[t], HSC_AXIS_THREAD}, 0, 1, &sum, &err), &err);
        uint64_t first = db->passes;
        while (part < 1) {
            uint64_t before = db->passes;
            must(hsc_db_choose_interval(db, begin, end, only, 0, &part, &err), &err);
            assert_true(db->passes <= before + 1);
        }
        assert_true(db->passes >= first + TABLES);
        must(hsc_db_set_interval(db, begin, end, &err), &err);
        if (only != HSC_NONE)
            must(hsc_db_set_only(db, only, &err), &err);
        uint64_t made = db->passes;
        for (size_t t = 0; t < TABLES; t++)
            must(hsc_db_read_sums(db, (hsc_db_view){0, tables[t], HSC_AXIS_THREAD}, 0, 1, &sum, &err), &err);
        assert_int_equal(db->passes, made);
        for (part = 0; part < 1;) {
            uint64_t before = db->passes;
            must(hsc_db_count_threads(db, 0, &part, &err), &err);
            assert_true(db->passes <= before + 1);
        }
        made = db->passes;
        must(hsc_db_read_stats(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, 1, &st, &err), &err);
        assert_int_equal(db->passes, made + (i == 0)); /* of the first nobody knew */
        const hsc_db_when span = {HSC_NONE, begin, end};
        hsc_db_set_later(db, false);
        check_values(&span, 1, 0);
        hsc_db_set_later(db, true);
    }
    hsc_db_set_later(db, false);
    must(hsc_db_set_interval(db, 0, 0, &err), &err);
}

/* With time enough all of it is one step: another thread makes the tables, each of which is waited for when it is asked for. */
static void test_made_at_once(void **state) {
    (void)state;
    static const hsc_db_table tables[] = {HSC_TABLE_SCOPE_INCL, HSC_TABLE_LINE, HSC_TABLE_SCOPE_CATEGORY, HSC_TABLE_CONTEXT_EXCL, HSC_TABLE_INSTANCE, HSC_TABLE_LINE_INCL};
    enum { TABLES = sizeof tables / sizeof *tables };
    hsc_err err = {0};
    must(hsc_db_set_interval(db, 1, 2, &err), &err);
    hsc_db_set_later(db, true);
    for (int i = 0; i < 2 * TABLES; i++) {
        double begin = 0.25 * i, end = begin + 4, sum, part = 0;
        for (int t = 0; t < TABLES; t++) /* from another one each time */
            must(hsc_db_read_sums(db, (hsc_db_view){0, tables[(i + t) % TABLES], HSC_AXIS_THREAD}, 0, 1, &sum, &err), &err);
        must(hsc_db_choose_interval(db, begin, end, HSC_NONE, 1000, &part, &err), &err);
        assert_true(part == 1);
        if (i % 3 == 2) /* given up */
            continue;
        must(hsc_db_set_interval(db, begin, end, &err), &err);
        if (i % 3)
            must(hsc_db_set_only(db, 0, &err), &err); /* of all categories they were made for nothing */
        const hsc_db_when span = {HSC_NONE, begin, end};
        hsc_db_set_later(db, false);
        check_values(&span, 1, 0);
        hsc_db_set_later(db, true);
    }
    hsc_db_set_later(db, false);
    must(hsc_db_set_interval(db, 0, 0, &err), &err);
}

/* Leaves of a category that has few are added one by one: of none, some, all. */
static void test_few_leaves(void **state) {
    (void)state;
    static const uint64_t contexts[] = {UINT64_MAX, 3, 1, 0};
    hsc_db *kept = db;
    hsc_err err = {0};
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) {
        must(hsc_db_open(path, &db, &err), &err);
        db->few_contexts = contexts[i];
        check_interval(1, 6, 0);
        check_interval(0.5, 20, 0);
        if (!contexts[i])
            assert_int_equal(db->leaf_kinds.n, 0);
        hsc_db_close(db);
    }
    db = kept;
}

/* What was asked for when threads had been counted is not drawn first: nobody waits for it. */
static void test_made_first(void **state) {
    (void)state;
    hsc_err err = {0};
    double sum, part;
    must(hsc_db_set_interval(db, 1, 2, &err), &err);
    hsc_db_set_later(db, true);
    for (int i = 0; i < 2; i++) {
        const hsc_db_when span = {HSC_NONE, 2, 7 + i};
        must(hsc_db_read_sums(db, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, 1, &sum, &err), &err);
        for (part = 0; part < 1;)
            must(hsc_db_count_threads(db, 0, &part, &err), &err);
        must(hsc_db_read_sums(db, (hsc_db_view){0, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD}, 0, 1, &sum, &err), &err);
        uint64_t before = db->passes;
        for (part = 0; part < 1;)
            must(hsc_db_choose_interval(db, span.begin_s, span.end_s, HSC_NONE, 0, &part, &err), &err);
        assert_int_equal(db->passes, before + 1);
        must(hsc_db_set_interval(db, span.begin_s, span.end_s, &err), &err);
    }
    hsc_db_set_later(db, false);
    const hsc_db_when last = {HSC_NONE, 2, 8};
    check_values(&last, 1, 0);
    must(hsc_db_set_interval(db, 0, 0, &err), &err);
}

/* Rows by thread of `later`, counted a little at a time with other queries in between, are those that `once` counts when it is asked. */
static void check_later(hsc_db *later, hsc_db *once, uint64_t lines, unsigned *r) {
    hsc_err err = {0};
    hsc_db_view view = {0, HSC_TABLE_LINE, HSC_AXIS_THREAD};
    uint64_t n = lines * truth->threads;
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    uint32_t *row_of = calloc(truth->threads, sizeof *row_of);
    hsc_db_slot slots[64];
    hsc_db_set_later(later, true);
    for (int i = 0; i < 12; i++) {
        double begin = (model_random(r) % MODEL_END) * 0.001, end = begin + 0.001 * (1 + model_random(r) % 30000), part = 0, sum;
        must(hsc_db_set_interval(later, begin, end, &err), &err);
        must(hsc_db_set_interval(once, begin, end, &err), &err);
        assert_int_equal(hsc_db_read_block(later, view, 0, lines, 0, truth->threads, a, &err), HSC_E_PENDING);
        hsc_err_clear(&err);
        must(hsc_db_read_sums(later, view, 0, 1, &sum, &err), &err);
        for (int step = 0; part < 1; step++) {
            double before = part;
            must(hsc_db_count_threads(later, 0, &part, &err), &err);
            assert_true(part >= before && part <= 1);
            if (i % 3 == 1 && part < 1) /* with pieces that are asked for and not taken */
                must(hsc_db_read_timeline(later, HSC_TIMELINE_CATEGORY, 1, row_of, 0, 1 + step, 64, slots, &err), &err);
            if (i % 3 == 2 && step == 2 && part < 1) { /* another one before this is counted */
                end += 0.5;
                part = 0;
                must(hsc_db_set_interval(later, begin, end, &err), &err);
                must(hsc_db_set_interval(once, begin, end, &err), &err);
            }
        }
        must(hsc_db_read_block(later, view, 0, lines, 0, truth->threads, a, &err), &err);
        must(hsc_db_read_block(once, view, 0, lines, 0, truth->threads, b, &err), &err);
        assert_memory_equal(a, b, n * sizeof *a);
    }
    free(row_of);
    free(a);
    free(b);
}

/* Sums of lines in an interval are those of a database whose threads are each asked. Returns all of them together. */
static double same_sums(hsc_db *some, hsc_db *none, double begin, double end, uint64_t lines) {
    hsc_err err = {0};
    hsc_db_view view = {0, HSC_TABLE_LINE, HSC_AXIS_THREAD};
    double *with = malloc(lines * sizeof *with), *without = malloc(lines * sizeof *without), all = 0;
    must(hsc_db_set_interval(some, begin, end, &err), &err);
    must(hsc_db_set_interval(none, begin, end, &err), &err);
    must(hsc_db_read_sums(some, view, 0, lines, with, &err), &err);
    must(hsc_db_read_sums(none, view, 0, lines, without, &err), &err);
    assert_memory_equal(with, without, lines * sizeof *with);
    for (uint64_t k = 0; k < lines; k++)
        all += with[k];
    free(with);
    free(without);
    return all;
}

/* What is read for what all threads have from so many thousandths of the run on, but for the last samples of each layer. */
static uint64_t values_read(hsc_db *some, unsigned begin, uint64_t left) {
    uint64_t n, first[HSC_LAYERS_MAX] = {0}, last[HSC_LAYERS_MAX] = {0};
    hsc_marks_way way;
    hsc_adding *a = hsc_adding_new();
    hsc_err err = {0};
    unsigned i = 0;
    for (hsc_times *l = some->times->program; l; l = l->next, i++) {
        must(hsc_times_find(some, l, 0, l->end * begin / 1000, &first[i], &err), &err);
        last[i] = l->indptr[1] > first[i] + left ? l->indptr[1] - left : first[i];
    }
    assert_true(hsc_marks_note(some, a, some->times->program, first, last, &way));
    n = hsc_adding_values(a);
    hsc_adding_free(some, a);
    return n;
}

/* Marks change what is read, but nothing that is told: while they are made, with something counted at the same time, and when all are there. */
static void check_marks(hsc_db *some, hsc_db *none, uint64_t lines) {
    hsc_err err = {0};
    unsigned r = 77;
    bool ready = false;
    double sum, part;
    uint64_t before = values_read(some, 0, 5);
    some->marks_s = 0;
    some->mark_least = 1 << 14; /* so many that most have only what came since the one before */
    for (int i = 0; i < 60; i++) {
        double begin = (model_random(&r) % MODEL_END) * 0.001, end = i % 5 ? begin + 0.001 * (1 + model_random(&r) % 30000) : 1e9;
        hsc_db_set_later(some, true);
        for (int k = 0; k < 2 && !ready; k++) {
            must(hsc_db_prepare_intervals(some, &ready, &err), &err);
            must(hsc_db_choose_interval(some, begin, end, HSC_NONE, 0, &part, &err), &err); /* the reader is asked by both */
            must(hsc_db_count_threads(some, 0, &part, &err), &err);                        /* and of the interval of before */
        }
        hsc_db_set_later(some, false);
        same_sums(some, none, begin, end, lines);
        if (i % 7 == 0) /* of threads, too */
            must(hsc_db_read_stats(some, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, 1, &(hsc_db_stats){0}, &err), &err);
    }
    assert_true(ready);
    assert_true(values_read(some, 0, 5) < before / 2);
    assert_int_equal(values_read(some, 0, 0), 0); /* the last mark is the whole run */
    must(hsc_db_set_interval(some, 0, 0, &err), &err);
    must(hsc_db_read_sums(some, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, 1, &sum, &err), &err);
}

/* Room of the first interval is there, its pages touched, before it is chosen, also where marks were made with some of their own. */
static void check_room(const char *file) {
    hsc_err err = {0};
    hsc_db *first = NULL;
    must(hsc_db_open(file, &first, &err), &err);
    first->mark_least = 1 << 17;
    for (bool ready = false; !ready;)
        must(hsc_db_prepare_intervals(first, &ready, &err), &err);
    assert_non_null(first->marks);
    assert_int_equal(first->spares.n, 1); /* of what is that large */
    assert_int_equal(first->spares.of[0].clear, hsc_adding_room());
    hsc_db_close(first);
}

/* What all threads have together is the same whether each is asked or /time/layers, which has slices of two levels here; and its
 * bytes are the same when its ranges are too large to be sorted at once. */
static void test_program(void **state) {
    (void)state;
    hsc_err err = {0};
    unsigned r = 31;
    model large = *truth;
    uint64_t n = truth->sample_begin[truth->threads], times = 1100000 / n + 1, lines = truth->value_rows[HSC_TABLE_LINE];
    large.sample_begin = malloc((large.threads + 1) * sizeof *large.sample_begin);
    large.time = malloc(n * times * sizeof *large.time);
    large.leaf = malloc(n * times * sizeof *large.leaf);
    large.count = malloc(n * times * sizeof *large.count);
    for (uint32_t t = 0; t <= large.threads; t++)
        large.sample_begin[t] = truth->sample_begin[t] * times;
    for (uint64_t i = 0; i < n * times; i++) { /* each so many times at once */
        large.time[i] = truth->time[i / times];
        large.leaf[i] = (truth->leaf[i / times] + (uint32_t)(i % times)) % MODEL_LEAVES;
        large.count[i] = truth->count[i / times];
    }
    hsc_db *some = NULL, *none = NULL;
    char *other = model_path(folder, "program.h5");
    large.part_max = 1000;
    must(model_write(&large, other, 2, 1000, &err), &err);
    large.part_max = 0;
    must(model_write(&large, again, 1, 1000, &err), &err);
    assert_true(same_bytes(other, again));
    large.no_program = true;
    must(model_write(&large, other, 1, 1000, &err), &err);
    must(hsc_db_open(again, &some, &err), &err);
    must(hsc_db_open(other, &none, &err), &err);
    for (int i = 0; i < 40; i++) {
        double begin = i ? (model_random(&r) % MODEL_END) * 0.001 : 0, length = i ? 0.001 * (1 + model_random(&r) % (i % 2 ? 30000 : 300)) : 1e9;
        double all = same_sums(some, none, begin, begin + length, lines);
        assert_true(i || all > 0);
    }
    check_room(again);
    check_marks(some, none, lines);
    check_later(some, none, lines, &r);
    hsc_db_close(some);
    hsc_db_close(none);
    unlink(other);
    free(other);
    free(large.sample_begin);
    free(large.time);
    free(large.leaf);
    free(large.count);
}

/* The samples of all threads are written once more where there are more than the store is told: one thread is its program, few are asked. */
static void test_program_threads(void **state) {
    (void)state;
    hsc_err err = {0};
    for (uint32_t threads = 1; threads <= 8; threads++) {
        model few = *truth;
        few.program_threads = threads > 4 ? 6 : 1;
        few.threads = threads;
        few.rows[HSC_TAB_thread] = threads;
        for (int c = 0; c < HSC_COL_COUNT; c++) /* what tells of threads that are not there */
            if (!strcmp(hsc_schema_columns[c].references, "thread"))
                few.rows[hsc_schema_columns[c].table] = 0;
        for (int t = 0; t < HSC_VALUES_COUNT; t++)
            few.values[t] = NULL;
        must(model_write(&few, again, 1, 1000, &err), &err);
        hid_t file = H5Fopen(again, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        assert_true(H5Lexists(file, "/time/samples", H5P_DEFAULT) > 0);
        assert_int_equal(H5Lexists(file, "/time/layers", H5P_DEFAULT) > 0, threads > few.program_threads);
        assert_true(H5Fclose(file) >= 0);
    }
}

/* Until version 1.5 samples of all threads were in one series under another name. */
static void test_former_program(void **state) {
    (void)state;
    hsc_err err = {0};
    unsigned r = 5;
    uint64_t lines = truth->value_rows[HSC_TABLE_LINE];
    hsc_db *some = NULL, *none = NULL;
    model former = *truth;
    char *other = model_path(folder, "program.h5");
    former.program_threads = 1;
    former.sample_begin = malloc((truth->threads + 1) * sizeof *former.sample_begin);
    uint64_t all = 0; /* too few for slices, of which there were others, and of the first layer */
    for (uint32_t t = 0; t <= hsc_layer_threads(truth->threads) && truth->sample_begin[t] < hsc_layer_slice_first(0); t++)
        all = truth->sample_begin[t];
    for (uint32_t t = 0; t <= truth->threads; t++)
        former.sample_begin[t] = truth->sample_begin[t] < all ? truth->sample_begin[t] : all;
    must(model_write(&former, again, 1, 1000, &err), &err);
    former.no_program = true;
    must(model_write(&former, other, 1, 1000, &err), &err);
    assert_true(all > 5000);
    hid_t file = H5Fopen(again, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0 && H5Lmove(file, "/time/layers/0", file, "/time/program", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Ldelete(file, "/time/layers", H5P_DEFAULT) >= 0 && H5Fclose(file) >= 0);
    must(hsc_db_open(again, &some, &err), &err);
    must(hsc_db_open(other, &none, &err), &err);
    for (int i = 0; i < 10; i++) {
        double begin = (model_random(&r) % MODEL_END) * 0.001;
        same_sums(some, none, begin, begin + 0.001 * (1 + model_random(&r) % 30000), lines);
    }
    assert_non_null(some->times->program);
    assert_null(some->times->program->next);
    assert_null(none->times->program);
    hsc_db_close(some);
    hsc_db_close(none);
    unlink(other);
    free(other);
    free(former.sample_begin);
}

/* Threads without the finest slices, beside others or alone in the run, where the level is not there: intervals are the same. */
static void test_coarse_slices(void **state) {
    (void)state;
    hsc_err err = {0};
    unsigned r = 17;
    hsc_db *usual = db;
    model *all = truth, coarse = *truth;
    uint32_t *least = calloc(truth->threads, sizeof *least);
    coarse.slices_worth = 1000;
    coarse.no_program = true;
    coarse.sample_begin = malloc((truth->threads + 1) * sizeof *coarse.sample_begin);
    for (int alone = 0; alone < 2; alone++) {
        for (uint32_t t = 0; t <= all->threads; t++) /* alone: thread 2 */
            coarse.sample_begin[t] = all->sample_begin[!alone ? t : t <= 2 ? 2 : 3];
        truth = &coarse;
        must(model_write(truth, again, 1, 1000, &err), &err);
        must(hsc_db_open(again, &db, &err), &err);
        hid_t file = H5Fopen(again, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "/time/slices/least", H5P_DEFAULT);
        assert_true(set >= 0 && H5Dread(set, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, least) >= 0);
        for (uint32_t t = 0; t < truth->threads; t++)
            assert_int_equal(least[t], t == 2 ? 16384 : 1024);
        assert_int_equal(H5Lexists(file, "/time/slices/1024", H5P_DEFAULT) > 0, !alone);
        assert_true(H5Dclose(set) >= 0 && H5Fclose(file) >= 0);
        check_interval(0, 1e9, 0);
        for (int i = 0; i < 12; i++) {
            double begin = (model_random(&r) % MODEL_END) * 0.001;
            check_interval(begin, begin + 0.001 * (1 + model_random(&r) % (i % 2 ? 30000 : 300)), 0);
        }
        hsc_db_close(db);
    }
    truth = all;
    db = usual;
    free(coarse.sample_begin);
    free(least);
}

static void test_cursor(void **state);
static void test_timeline(void **state);

/* Threads with numbers of their own beside others, with and without samples of all threads: intervals and samples are the same. */
static void test_own_numbers(void **state) {
    (void)state;
    hsc_err err = {0};
    unsigned r = 23;
    hsc_db *usual = db;
    model *all = truth, own = *truth;
    own.own_samples = 500;
    truth = &own;
    for (int no_program = 0; no_program < 2; no_program++) {
        own.no_program = no_program;
        must(model_write(truth, again, 1, 1000, &err), &err);
        must(hsc_db_open(again, &db, &err), &err);
        hid_t file = H5Fopen(again, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "/time/samples/number", H5P_DEFAULT), space = H5Dget_space(set);
        assert_true(H5Sget_simple_extent_npoints(space) > (hssize_t)all->sample_begin[all->threads]); /* there are gaps */
        assert_int_equal(H5Lexists(file, "/time/samples/leaf", H5P_DEFAULT), 0);
        assert_true(H5Sclose(space) >= 0 && H5Dclose(set) >= 0 && H5Fclose(file) >= 0);
        hsc_db_times times;
        must(hsc_db_get_times(db, &times, &err), &err);
        assert_int_equal(times.samples, all->sample_begin[all->threads]);
        check_interval(0, 1e9, 0);
        for (int i = 0; i < 12; i++) {
            double begin = (model_random(&r) % MODEL_END) * 0.001;
            check_interval(begin, begin + 0.001 * (1 + model_random(&r) % (i % 2 ? 30000 : 300)), 0);
        }
        test_cursor(NULL);
        test_timeline(NULL);
        hsc_db_close(db);
    }
    truth = all;
    db = usual;
}

/* The first thing that a database is asked for is a timeline closer than its bins: what that needs of the tables it reads itself. */
static void test_timeline_first(void **state) {
    (void)state;
    enum { SLOTS = 500 };
    hsc_err err = {0};
    uint32_t *row_of = calloc(truth->threads, sizeof *row_of);
    for (int key = HSC_TIMELINE_CATEGORY; key <= HSC_TIMELINE_PROCEDURE; key++) {
        hsc_db_slot now[SLOTS], later[SLOTS];
        hsc_db *fresh = NULL;
        must(hsc_db_open(path, &fresh, &err), &err);
        must(hsc_db_read_timeline(fresh, (hsc_timeline_key)key, 1, row_of, 5, 6, SLOTS, now, &err), &err);
        must(hsc_db_read_timeline(db, (hsc_timeline_key)key, 1, row_of, 5, 6, SLOTS, later, &err), &err);
        assert_memory_equal(now, later, sizeof now);
        hsc_db_close(fresh);
    }
    free(row_of);
}

/* Ranges that are made a few rows at a time. */
static void test_small_pieces(void **state) {
    (void)state;
    uint64_t rows = db->piece_rows;
    db->piece_rows = 5;
    for (int i = 0; i < 8; i++)
        check_interval(3, 3.5 + 0.1 * i, 0);
    db->piece_rows = rows;
    hsc_err err = {0};
    must(hsc_db_set_interval(db, 0, 0, &err), &err);
}

/* Ways and counts of all lengths, and how long they are. */
static void test_entries(void **state) {
    (void)state;
    static const uint32_t ways[] = {0, 1, 2, 63, 64, 127, 8191, 8192, 1u << 20, (1u << 24) - 1}, counts[] = {1, 2, 0, 127, 128, 1u << 14, 1u << 21, 1u << 28, UINT32_MAX};
    enum { WAYS = sizeof ways / sizeof *ways, COUNTS = sizeof counts / sizeof *counts };
    uint8_t data[WAYS * COUNTS * HSC_ENTRY_BYTES], *end = data;
    for (unsigned i = 0; i < WAYS * COUNTS; i++) {
        uint8_t *before = end;
        end = hsc_entry_put(end, ways[i / COUNTS], counts[i % COUNTS]);
        assert_int_equal(end - before, hsc_entry_bytes(ways[i / COUNTS], counts[i % COUNTS]));
        assert_in_range(end - before, 1, HSC_ENTRY_BYTES);
    }
    const uint8_t *p = data;
    uint32_t thread = 0, expected = 0, count;
    for (unsigned i = 0; i < WAYS * COUNTS; i++) {
        p = hsc_entry_get(p, &thread, &count);
        assert_int_equal(thread, expected += ways[i / COUNTS]);
        assert_int_equal(count, counts[i % COUNTS]);
    }
    assert_ptr_equal(p, end);
    assert_int_equal(hsc_entry_bytes(63, 1), 1);
    assert_int_equal(hsc_entry_bytes(8191, 1), 2);
}

static void test_cursor(void **state) {
    (void)state;
    hsc_err err = {0};
    unsigned r = 11;
    for (int round = 0; round < 40; round++) {
        uint32_t thread = model_random(&r) % truth->threads, n = 0;
        uint32_t begin = model_random(&r) % MODEL_END, end = begin + model_random(&r) % 20000, capacity = 1 + model_random(&r) % 700;
        hsc_db_samples *c = NULL;
        hsc_db_sample *got = calloc(capacity, sizeof *got);
        uint64_t at = truth->sample_begin[thread];
        must(hsc_db_samples_open(db, thread, begin * 0.001, end * 0.001, &c, &err), &err);
        while (at < truth->sample_begin[thread + 1] && truth->time[at] < begin)
            at++;
        for (;;) {
            must(hsc_db_samples_next(c, capacity, got, &n, &err), &err);
            for (uint32_t i = 0; i < n; i++, at++) {
                assert_true(at < truth->sample_begin[thread + 1] && truth->time[at] < end);
                assert_true(fabs(got[i].time_s - truth->time[at] * 0.001) < 1e-9 && got[i].count == truth->count[at]);
                assert_int_equal(got[i].context, COL(leaf_context, uint32_t)[truth->leaf[at]]);
                assert_int_equal(got[i].category, COL(leaf_category, uint8_t)[truth->leaf[at]]);
            }
            if (!n)
                break;
        }
        assert_true(at == truth->sample_begin[thread + 1] || truth->time[at] >= end);
        hsc_db_samples_close(c);
        free(got);
    }
}

/* One thread a row, slots as wide as bins of each level: key, share and time must be those counted by hand. */
static void test_timeline(void **state) {
    (void)state;
    hsc_err err = {0};
    uint32_t *row_of = calloc(truth->threads, sizeof *row_of);
    for (uint32_t t = 0; t < truth->threads; t++)
        row_of[t] = truth->threads - 1 - t;
    for (uint32_t width = MODEL_BIN; width <= 4 * MODEL_BIN; width *= 4)
        for (int key = 0; key < 3; key++) {
            enum { PIXELS = 64 };
            hsc_db_slot *out = calloc((size_t)truth->threads * PIXELS, sizeof *out);
            uint32_t begin = 3 * width;
            must(hsc_db_read_timeline(db, (hsc_timeline_key)key, truth->threads, row_of, begin * 0.001, (begin + PIXELS * width) * 0.001, PIXELS, out, &err), &err);
            for (uint32_t first = 0, n; first < truth->threads; first += n) { /* the same rows, some at a time */
                hsc_db_slot *some = calloc(3 * PIXELS, sizeof *some);
                n = truth->threads - first < 3 ? truth->threads - first : 3;
                must(hsc_db_read_timeline_rows(db, (hsc_timeline_key)key, truth->threads, row_of, first, n, begin * 0.001,
                                               (begin + PIXELS * width) * 0.001, PIXELS, some, &err), &err);
                assert_memory_equal(some, out + (size_t)first * PIXELS, n * PIXELS * sizeof *some);
                free(some);
            }
            for (uint32_t t = 0; t < truth->threads; t++)
                for (uint32_t p = 0; p < PIXELS; p++) {
                    const hsc_db_slot *s = &out[(size_t)row_of[t] * PIXELS + p];
                    double by[90] = {0}, all = 0, most = 0;
                    for (uint64_t i = truth->sample_begin[t]; i < truth->sample_begin[t + 1]; i++) {
                        uint32_t leaf = truth->leaf[i], scope = COL(context_scope, uint32_t)[COL(leaf_context, uint32_t)[leaf]];
                        if (truth->time[i] / width != begin / width + p || COL(leaf_metric, uint32_t)[leaf])
                            continue;
                        by[key == 0 ? COL(leaf_category, uint8_t)[leaf] : key == 1 ? COL(scope_procedure, uint32_t)[scope] : scope] += truth->count[i];
                        all += truth->count[i];
                    }
                    for (int k = 0; k < 90; k++)
                        most = by[k] > most ? by[k] : most;
                    if (all == 0) {
                        assert_int_equal(s->key, HSC_NONE);
                        continue;
                    }
                    assert_true(s->key < 90 && by[s->key] == most && fabs((double)s->share - most / all) < 1e-5);
                    assert_true(fabs((double)s->busy - fmin(1, all / width)) < 1e-5);
                }
            free(out);
        }
    /* closer than the finest bins, and the whole run: CPU time must be that of the samples */
    for (int zoom = 0; zoom < 2; zoom++) {
        enum { SLOTS = 500 };
        double begin = zoom ? 5 : -5, end = zoom ? 6 : 50, width = (end - begin) / SLOTS, seen = 0, all = 0;
        hsc_db_slot out[SLOTS];
        for (uint32_t t = 0; t < truth->threads; t++)
            row_of[t] = t == 3 ? 0 : HSC_NONE;
        must(hsc_db_read_timeline(db, HSC_TIMELINE_SCOPE, 1, row_of, begin, end, SLOTS, out, &err), &err);
        for (int i = 0; i < SLOTS; i++)
            seen += (double)out[i].busy * width;
        double *busy = calloc(SLOTS, sizeof *busy); /* each sample stands for the milliseconds before it */
        for (uint64_t i = truth->sample_begin[3]; i < truth->sample_begin[4]; i++)
            for (uint32_t k = 0; !COL(leaf_metric, uint32_t)[truth->leaf[i]] && k < truth->count[i]; k++) {
                double time = truth->time[i] * 0.001 - 0.001 * k - 0.0005;
                if (time >= begin && time < end)
                    busy[(int)((time - begin) / width)] += 0.001 / width;
            }
        for (int i = 0; i < SLOTS; i++)
            all += fmin(1, busy[i]) * width;
        if (zoom) /* slots are twice as wide as a sample: what is cut at 1 is the same but for samples at the edges of slots */
            assert_true(seen <= 1.02 && fabs(seen - all) < 0.05 * all + 0.01);
        else
            assert_true(fabs(seen - all) < 0.12 * all);
        free(busy);
    }
    assert_int_equal(hsc_db_read_timeline(db, HSC_TIMELINE_SCOPE, 1, row_of, 1, 1, 10, NULL, &err), HSC_E_ARGUMENT);
    free(row_of);
}

static void test_spans(void **state) {
    (void)state;
    hsc_err err = {0};
    uint64_t first = 0, n = 0;
    hsc_db_span s;
    hsc_db *fresh = NULL;
    must(hsc_db_open(path, &fresh, &err), &err);
    int parts = 0;
    for (bool ready = false; !ready; parts++)
        must(hsc_db_prepare_spans(fresh, &ready, &err), &err);
    assert_true(parts > 3); /* a column at a time */
    must(hsc_db_find_spans(fresh, 2, 1.2, 3.1, &first, &n, &err), &err);
    assert_int_equal(n, 3);
    hsc_db_close(fresh);
    must(hsc_db_find_spans(db, 2, 1.2, 3.1, &first, &n, &err), &err);
    assert_int_equal(first, 21); /* [1, 1.5) reaches into it */
    assert_int_equal(n, 3);
    must(hsc_db_find_spans(db, 2, 1.6, 1.9, &first, &n, &err), &err);
    assert_int_equal(n, 0);
    must(hsc_db_find_spans(db, 20, 0, 100, &first, &n, &err), &err);
    assert_int_equal(n, 0);
    must(hsc_db_get_span(db, 21, &s, &err), &err);
    assert_true(s.thread == 2 && s.begin_s == 1.0 && s.end_s == 1.5);
    assert_int_equal(hsc_db_get_span(db, 50, &s, &err), HSC_E_ARGUMENT);
    /* by slots of time: what each span has of each, however wide these are */
    uint32_t categories = (uint32_t)db->tables.rows[HSC_TAB_category];
    for (uint32_t pixels = 1; pixels < 200; pixels += 66) {
        double *slots = calloc(categories * pixels, sizeof *slots), *expected = calloc(categories * pixels, sizeof *expected), from = 1.2, to = 3.1;
        must(hsc_db_add_spans(db, 2, from, to, pixels, slots, &err), &err);
        for (uint64_t k = 0; k < 50; k++) {
            must(hsc_db_get_span(db, k, &s, &err), &err);
            for (uint32_t i = 0; i < pixels && s.thread == 2; i++) {
                double low = fmax(s.begin_s, from + (to - from) * i / pixels), high = fmin(s.end_s, from + (to - from) * (i + 1) / pixels);
                expected[s.category * pixels + i] += high > low ? (high - low) / (to - from) * pixels : 0;
            }
        }
        double all = 0;
        for (uint32_t i = 0; i < categories * pixels; i++) {
            assert_true(fabs(slots[i] - expected[i]) < 1e-6);
            all += slots[i];
        }
        assert_true(all > 0);
        free(slots);
        free(expected);
    }
    double nothing[256] = {0};
    must(hsc_db_add_spans(db, 2, 1.6, 1.9, 1, nothing, &err), &err);
    for (uint32_t i = 0; i < categories; i++)
        assert_true(nothing[i] == 0);
    assert_int_equal(hsc_db_add_spans(db, 2, 1.6, 1.6, 1, nothing, &err), HSC_E_ARGUMENT);
    assert_int_equal(hsc_db_add_spans(db, 1 << 20, 1, 2, 1, nothing, &err), HSC_E_ARGUMENT);
}

static void test_bytes(void **state) {
    (void)state;
    hsc_err err = {0};
    must(model_write(truth, again, 5, 1000, &err), &err);
    assert_true(same_bytes(path, again));
}

/* A database without: said, and nothing else changes. */
static void test_none(void **state) {
    (void)state;
    hsc_err err = {0};
    hsc_db *none = NULL;
    hsc_db_times times;
    model *m = model_new(5, true);
    must(model_write(m, again, 1, 1000, &err), &err);
    must(hsc_db_open(again, &none, &err), &err);
    must(hsc_db_get_times(none, &times, &err), &err);
    assert_false(times.present);
    assert_int_equal(hsc_db_set_interval(none, 1, 2, &err), HSC_E_MISSING);
    double sum;
    must(hsc_db_read_sums(none, (hsc_db_view){0, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, 1, &sum, &err), &err);
    hsc_db_close(none);
    model_free(m);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_pieces), cmocka_unit_test(test_entries), cmocka_unit_test(test_intervals), cmocka_unit_test(test_chosen), cmocka_unit_test(test_made_before), cmocka_unit_test(test_made_first), cmocka_unit_test(test_made_at_once), cmocka_unit_test(test_few_leaves), cmocka_unit_test(test_only), cmocka_unit_test(test_several_intervals), cmocka_unit_test(test_program), cmocka_unit_test(test_program_threads), cmocka_unit_test(test_former_program), cmocka_unit_test(test_coarse_slices), cmocka_unit_test(test_own_numbers), cmocka_unit_test(test_cursor), cmocka_unit_test(test_timeline), cmocka_unit_test(test_timeline_first),
                                              cmocka_unit_test(test_spans),     cmocka_unit_test(test_bytes),  cmocka_unit_test(test_none)};
    hsc_err err = {0};
    folder = model_folder();
    path = model_path(folder, "x.h5");
    again = model_path(folder, "again.h5");
    truth = model_new(3, false);
    model_add_times(truth, 9);
    if (model_write(truth, path, 1, 1000, &err) || hsc_db_open(path, &db, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hsc_db_close(db);
    model_free(truth);
    unlink(path);
    unlink(again);
    rmdir(folder);
    free(path);
    free(again);
    free(folder);
    return failed;
}
