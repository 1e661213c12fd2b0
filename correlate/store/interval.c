/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of an interval of time: samples at its ends, whole slices between them, put together by what they are, then made
 * into the same sparse tables that a database has, in memory, so that every query answers for the interval. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "interval.h"
#include "large.h"
#include "time_read.h"
#include "values.h"
#include "within.h"

typedef struct direct { /* which leaves make up a row */
    uint32_t *begin, *leaf;
    uint32_t *making;    /* begin, under way: */
    uint64_t next;       /* leaf to look at */
    bool is_counted;     /* how many leaves the rows have is known: now which */
    bool is_of_use;      /* the leaves' room is, to the next interval */
} direct;

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

/* ---- what was counted in a thread ---- */

/* What all threads have, from each of them. */
static hsc_status tally_threads(hsc_db *db, hsc_interval *v, hsc_err *err) {
    hsc_counting *c = NULL;
    double part;
    hsc_status status = hsc_counting_begin(db, v, false, &c, err);
    if (!status)
        status = hsc_counting_go_on(db, c, -1, &part, err);
    hsc_counting_free(db, c);
    return status;
}

/* Before counting, which needs the room: arrays of the run, and where its rows begin (what of them is wanted again is read again). false: there was
 * nothing to do. */
static bool give_back(hsc_db *db) {
    bool gives = db->gives_back;
    if (gives) {
        for (uint64_t i = 0; i < db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT; i++) {
            hsc_sparse_close(db, &db->interval->whole[i].by_row);
            hsc_sparse_close(db, &db->interval->whole[i].by_thread);
        }
        hsc_arrays_give_back(db);
        hsc_spare_drop(&db->spares);
        hsc_large_give_back();
        db->gives_back = false;
    }
    return gives;
}

/* Goes on with what each thread has, for so many seconds (< 0: to the end). */
static hsc_status count_threads(hsc_db *db, double seconds, double *part, hsc_err *err) {
    hsc_interval *v = db->interval;
    hsc_status status = HSC_OK;
    *part = 1;
    if (v->indptr)
        return HSC_OK;
    if (give_back(db) && seconds == 0) { /* long enough for once */
        *part = 0;
        return HSC_OK;
    }
    if (v->is_counted)
        return hsc_counts_take_threads(db, v, err);
    if (!v->counting)
        status = hsc_counting_begin(db, v, true, &v->counting, err);
    if (!status)
        status = hsc_counting_go_on(db, v->counting, seconds, part, err);
    if (status || *part >= 1) {
        hsc_counting_free(db, v->counting);
        v->counting = NULL;
    }
    return status;
}

/* Rows by thread are wanted. */
static hsc_status want_threads(hsc_db *db, hsc_err *err) {
    double part;
    if (db->later && !db->interval->indptr)
        return hsc_err_set(err, HSC_E_PENDING, "%s: threads of the interval are being counted", db->path);
    return count_threads(db, -1, &part, err);
}

void hsc_db_set_later(hsc_db *db, bool later) { db->later = later; }
bool hsc_db_is_pending(const hsc_db *db) { return db->later && db->interval && !db->interval->indptr; }

/* ---- rows by thread ---- */

static void make_sparse(hsc_db *db, hsc_sparse *m, uint64_t rows, uint64_t columns, uint64_t nnz, uint64_t *indptr,
                        uint32_t *indices, uint32_t *counts) {
    *m = (hsc_sparse){.present = true, .checked = true, .rows = rows, .columns = columns, .nnz = nnz};
    m->max.set = m->sum.set = -1;
    bool narrow = hsc_interval_make_narrow(&indptr, rows + 1, nnz);
    hsc_interval_resident(db, &m->indptr_array, HSC_COLTYPE_U8, rows + 1, indptr, narrow);
    m->indptr = hsc_array_ends(&m->indptr_array);
    hsc_interval_resident(db, &m->indices, HSC_COLTYPE_U4, nnz, indices, false);
    hsc_interval_resident(db, &m->data, HSC_COLTYPE_U4, nnz, counts, false);
}

typedef struct members { /* which leaves make up which of the rows asked for */
    uint64_t *begin;     /* by row - first, and the end */
    uint32_t *leaf;
} members;

/* Whether what is below a context counts for a row of an inclusive table: for all contexts. */
static void mark_contexts(const hsc_db *db, hsc_db_table which, uint64_t row, uint8_t *in) {
    const uint32_t *parent = HSC_COL(db, context_parent, uint32_t), *scope = HSC_COL(db, context_scope, uint32_t),
                   *call = HSC_COL(db, context_call_line, uint32_t), *end = HSC_COL(db, scope_subtree_end, uint32_t);
    uint64_t n = db->tables.rows[HSC_TAB_context], scopes = db->tables.rows[HSC_TAB_scope];
    for (uint64_t c = 0; c < n; c++) /* parents come first */
        in[c] = (c && in[parent[c]]) ||
                (which == HSC_TABLE_LINE_INCL ? c && call[c] == row : scope[c] < scopes && scope[c] >= row && scope[c] < end[row]);
}

/* A few rows of an inclusive table: one by one. */
static bool find_few(hsc_db *db, hsc_db_table which, uint32_t metric, uint64_t first, uint64_t n, members *m) {
    const uint32_t *context = db->interval->leaves.context, *line = db->interval->leaves.line;
    const uint8_t *category = db->interval->leaves.category;
    const uint64_t *total = db->interval->total;
    uint64_t leaves = db->interval->leaves.n, categories = db->tables.rows[HSC_TAB_category], marked = UINT64_MAX, room = 1024, at = 0;
    uint8_t *in = malloc(db->tables.rows[HSC_TAB_context] + 1);
    m->leaf = malloc(room * sizeof *m->leaf);
    bool good = in && m->leaf;
    for (uint64_t r = 0; good && r < n; r++) {
        uint64_t row = first + r, holder = which == HSC_TABLE_SCOPE_CATEGORY ? row / categories : row;
        if (holder != marked)
            mark_contexts(db, which, holder, in);
        marked = holder;
        for (uint64_t k = 0; k < leaves && good; k++) {
            if (!total[k] || !(in[context[k]] || (which == HSC_TABLE_LINE_INCL && line[k] == row)) || !hsc_interval_is_wanted(db->interval, (uint32_t)k, metric) ||
                (which == HSC_TABLE_SCOPE_CATEGORY && category[k] != row % categories))
                continue;
            if (at == room) {
                uint32_t *more = realloc(m->leaf, (room *= 2) * sizeof *more);
                good = more != NULL;
                m->leaf = more ? more : m->leaf;
            }
            if (good)
                m->leaf[at++] = (uint32_t)k;
        }
        m->begin[r + 1] = at;
    }
    free(in);
    return good;
}

/* All rows of a range: the rows of every leaf, turned round. */
static bool find_many(hsc_db *db, hsc_db_table which, uint32_t metric, uint64_t rows, uint64_t first, uint64_t n, members *m) {
    uint64_t leaves = db->interval->leaves.n;
    hsc_interval_table t = {.db = db, .of = db->interval, .rows = rows};
    t.touched = malloc((rows + 1) * sizeof *t.touched);
    t.seen = calloc(rows + 1, sizeof *t.seen);
    bool good = t.touched && t.seen;
    for (int pass = 0; pass < 2 && good; pass++) { /* how many leaves a row has, then which */
        for (uint64_t k = 0; k < leaves; k++) {
            if (!db->interval->total[k] || !hsc_interval_is_wanted(db->interval, (uint32_t)k, metric))
                continue;
            t.n_touched = 0;
            hsc_interval_add_leaf(&t, which, (uint32_t)k, 1);
            for (uint32_t i = 0; i < t.n_touched; i++) {
                if (t.touched[i] < first || t.touched[i] - first >= n)
                    continue;
                uint64_t r = t.touched[i] - first;
                if (pass)
                    m->leaf[m->begin[r + 1]++] = (uint32_t)k;
                else
                    m->begin[r + 2]++;
            }
        }
        for (uint64_t r = 0; r < n && !pass; r++)
            m->begin[r + 2] += m->begin[r + 1];
        if (!pass)
            good = (m->leaf = malloc((m->begin[n + 1] + 1) * sizeof *m->leaf)) != NULL;
    }
    free(t.touched);
    free(t.seen);
    return good;
}

/* The one row of a table that a leaf is of; rows or more: none. */
static uint64_t row_of(const hsc_db *db, hsc_db_table which, uint32_t leaf) {
    uint32_t context = db->interval->leaves.context[leaf];
    switch (which) {
    case HSC_TABLE_LINE: return db->interval->leaves.line[leaf];
    case HSC_TABLE_SCOPE_EXCL: return HSC_COL(db, context_scope, uint32_t)[context];
    case HSC_TABLE_CONTEXT_EXCL: return context;
    case HSC_TABLE_INSTRUCTION: return leaf < db->interval->leaves.sampled ? HSC_COL(db, leaf_place_instruction, uint32_t)[leaf] : HSC_NONE;
    default: return db->interval->leaves.instance[leaf];
    }
}

bool hsc_interval_is_direct(hsc_db_table which) {
    return which == HSC_TABLE_LINE || which == HSC_TABLE_SCOPE_EXCL || which == HSC_TABLE_CONTEXT_EXCL || which == HSC_TABLE_INSTANCE || which == HSC_TABLE_INSTRUCTION;
}

/* Goes on with the leaves of all rows of such a table: so many leaves. false: no memory. */
static bool make_direct(hsc_db *db, direct *d, uint32_t metric, hsc_db_table which, uint64_t rows, uint64_t some) {
    const hsc_interval *v = db->interval;
    if (!d->making) {
        db->passes++;
        *d = (direct){.making = calloc(rows + 2, sizeof *d->making)};
    }
    uint32_t *begin = d->making;
    uint64_t end = some < v->leaves.n - d->next ? d->next + some : v->leaves.n;
    for (uint64_t k = d->next; begin && k < end; k++) { /* how many leaves a row has, then which */
        uint64_t row = v->total[k] && hsc_interval_is_wanted(v, (uint32_t)k, metric) ? row_of(db, which, (uint32_t)k) : rows;
        if (row < rows && d->is_counted)
            d->leaf[begin[row + 1]++] = (uint32_t)k;
        else if (row < rows)
            begin[row + 2]++;
    }
    d->next = end;
    if (!begin || end < v->leaves.n)
        return begin != NULL;
    if (d->is_counted) {
        d->begin = begin;
        d->making = NULL;
        return true;
    }
    for (uint64_t r = 0; r < rows; r++)
        begin[r + 2] += begin[r + 1];
    d->is_counted = true;
    d->next = 0;
    uint64_t bytes = ((uint64_t)begin[rows + 1] + 1) * sizeof *d->leaf;
    if ((d->leaf = hsc_large_malloc(bytes))) {
        d->is_of_use = hsc_spare_comes(&db->spares, bytes); /* hsc_interval_thin */
        return true;
    }
    free(begin);
    *d = (direct){0};
    return false;
}

/* Place of it; NULL: no memory. */
static direct *find_place(hsc_db *db, uint64_t number) {
    hsc_interval *v = db->interval;
    if (!v->direct)
        v->direct = calloc(db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT + 1, sizeof *v->direct);
    return v->direct ? &v->direct[number] : NULL;
}

/* The leaves of all rows of such a table; NULL: no memory. */
static const direct *direct_of(hsc_db *db, uint64_t number, uint32_t metric, hsc_db_table which, uint64_t rows) {
    direct *d = find_place(db, number);
    if (db->direct_wanted)
        db->direct_wanted[number] = true;
    while (d && !d->begin)
        if (!make_direct(db, d, metric, which, rows, UINT64_MAX))
            return NULL;
    return d;
}

/* The next one to make: it was asked for in an interval before, so it will be again. UINT64_MAX: all are there. */
static uint64_t next_direct(hsc_db *db) {
    uint64_t n = db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT;
    if (!db->direct_wanted)
        db->direct_wanted = calloc(n + 1, sizeof *db->direct_wanted);
    for (uint64_t i = 0; db->direct_wanted && i < n; i++)
        if (db->direct_wanted[i] && !hsc_interval_is_exact(db, (uint32_t)(i / HSC_VALUES_COUNT)) &&
            !(db->interval->direct && db->interval->direct[i].begin))
            return i;
    return UINT64_MAX;
}

/* A step of it. false: no memory; it is made when it is asked for. */
static bool make_next_direct(hsc_db *db, uint64_t number) {
    enum { SOME = 1 << 18 };
    hsc_db_table which = (hsc_db_table)(number % HSC_VALUES_COUNT);
    direct *d = find_place(db, number);
    return d && make_direct(db, d, (uint32_t)(number / HSC_VALUES_COUNT), which, hsc_db_get_rows(db, which), SOME);
}

hsc_status hsc_db_count_threads(hsc_db *db, double seconds, double *part, hsc_err *err) {
    double until = hsc_interval_now_s() + seconds;
    bool may_begin = db->interval && db->interval->indptr; /* else as far as there is time left */
    *part = 1;
    hsc_status status = db->interval ? count_threads(db, seconds > 0 ? seconds : 0, part, err) : HSC_OK;
    if (status || *part < 1 || !db->interval || db->interval->is_counted)
        return status;
    for (uint64_t next; (next = next_direct(db)) != UINT64_MAX; may_begin = false) {
        if (!may_begin && hsc_interval_now_s() >= until) {
            *part = 1 - 1e-6;
            break;
        }
        if (!make_next_direct(db, next))
            break;
    }
    return status;
}

static void free_direct(hsc_db *db, hsc_interval *v) {
    hsc_spare_none_comes(&db->spares);
    for (uint64_t i = 0; v->direct && i < db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT; i++) {
        free(v->direct[i].begin);
        free(v->direct[i].making);
        free(v->direct[i].leaf);
    }
    free(v->direct);
    v->direct = NULL;
}

void hsc_interval_thin(hsc_db *db) {
    hsc_interval *v = db->interval;
    for (uint64_t i = 0; v && v->direct && i < db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT; i++) {
        if (v->direct[i].is_of_use) {
            hsc_spare_put(&db->spares, v->direct[i].leaf);
            v->direct[i].leaf = NULL;
        }
    }
    if (v)
        free_direct(db, v);
}

void hsc_db_give_back(hsc_db *db, bool all) {
    bool counts = db->interval && db->interval->counting; /* what that reads from stays */
    if (all && !counts) {
        hsc_choosing_end(db);
        hsc_arrays_give_back(db);
        if (db->times)
            hsc_times_give_back(db->times);
        hsc_interval_thin(db);
    }
    if (all)
        hsc_spare_drop(&db->spares);
    hsc_large_give_back();
}

static bool find_direct(hsc_db *db, uint64_t number, uint32_t metric, hsc_db_table which, uint64_t rows, uint64_t first, uint64_t n, members *m) {
    const direct *d = direct_of(db, number, metric, which, rows);
    uint64_t base = d ? d->begin[first] : 0;
    if (!d || !(m->leaf = malloc((d->begin[first + n] - base + 1) * sizeof *m->leaf)))
        return false;
    memcpy(m->leaf, d->leaf + base, (d->begin[first + n] - base) * sizeof *m->leaf);
    for (uint64_t r = 0; r <= n; r++)
        m->begin[r] = d->begin[first + r] - base;
    return true;
}

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

typedef struct merger {
    uint64_t *dense; /* by thread */
    uint32_t *touched, n, threads;
} merger;

/* How many entries a leaf has at most. */
static uint64_t entries_of(const hsc_interval *v, uint32_t leaf) {
    return leaf < v->leaves.sampled ? v->indptr[leaf + 1] - v->indptr[leaf] : 1;
}

static void merge_entry(merger *g, uint32_t thread, uint64_t count) {
    if (!g->dense[thread])
        g->touched[g->n++] = thread;
    g->dense[thread] += count;
}

/* Adds up the threads of a row's leaves: *indices and *counts from `at` on; returns how many. */
static uint64_t merge_row(const hsc_interval *v, merger *g, const uint32_t *leaf, uint64_t n, uint32_t *indices, uint32_t *counts) {
    if (n == 1 && leaf[0] < v->leaves.sampled) {
        const uint8_t *p = v->entry + v->indptr[leaf[0]], *end = v->entry + v->indptr[leaf[0] + 1];
        uint32_t at = 0;
        for (uint32_t thread = 0; p < end; at++) {
            p = hsc_entry_get(p, &thread, &counts[at]);
            indices[at] = thread;
        }
        return at;
    }
    g->n = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (leaf[i] >= v->leaves.sampled) {
            merge_entry(g, v->thread[leaf[i]], v->total[leaf[i]]);
            continue;
        }
        const uint8_t *p = v->entry + v->indptr[leaf[i]], *end = v->entry + v->indptr[leaf[i] + 1];
        for (uint32_t thread = 0, count; p < end; merge_entry(g, thread, count))
            p = hsc_entry_get(p, &thread, &count);
    }
    if (g->n > g->threads / 16) {
        g->n = 0;
        for (uint32_t c = 0; c < g->threads; c++)
            if (g->dense[c])
                g->touched[g->n++] = c;
    } else
        qsort(g->touched, g->n, sizeof *g->touched, compare_u32);
    for (uint32_t i = 0; i < g->n; i++) {
        uint64_t sum = g->dense[g->touched[i]];
        indices[i] = g->touched[i];
        counts[i] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
        g->dense[g->touched[i]] = 0;
    }
    return g->n;
}

void hsc_interval_rows_free(hsc_interval_rows *r) {
    free(r->indptr);
    free(r->indices);
    free(r->counts);
    *r = (hsc_interval_rows){0};
}

/* Samples by time are of the metric: of one that was counted exactly only where the file is wrong. */
static bool is_sampled(const hsc_interval *v, uint32_t metric) {
    bool found = false;
    for (uint64_t k = 0; k < v->leaves.sampled && !found; k++)
        found = v->leaves.metric[k] == metric;
    return found;
}

hsc_status hsc_interval_read(hsc_db *db, const hsc_values *v, uint64_t first, uint64_t n, hsc_interval_rows *out, hsc_err *err) {
    enum { FEW = 64 };
    const hsc_interval *i = db->interval;
    uint64_t number = (uint64_t)(v - db->values), most = 0;
    uint32_t metric = (uint32_t)(number / HSC_VALUES_COUNT);
    hsc_db_table which = (hsc_db_table)(number % HSC_VALUES_COUNT);
    bool inclusive = which == HSC_TABLE_LINE_INCL || which == HSC_TABLE_SCOPE_INCL || which == HSC_TABLE_SCOPE_CATEGORY;
    hsc_interval_rows rows = {.first = first, .n = n};
    members m = {.begin = calloc(n + 2, sizeof *m.begin)};
    merger g = {.threads = (uint32_t)db->tables.rows[HSC_TAB_thread]};
    g.dense = calloc((uint64_t)g.threads + 1, sizeof *g.dense);
    g.touched = malloc(((uint64_t)g.threads + 1) * sizeof *g.touched);
    rows.indptr = malloc((n + 1) * sizeof *rows.indptr);
    hsc_status status = hsc_interval_want_exact(db, metric, err);
    if (!status && which == HSC_TABLE_INSTRUCTION)
        status = hsc_interval_load_places(db, err);
    if (!status && (!hsc_interval_is_exact(db, metric) || is_sampled(i, metric)))
        status = want_threads(db, err);
    if (!status && (!m.begin || !g.dense || !g.touched || !rows.indptr ||
                    !(!inclusive ? find_direct(db, number, metric, which, v->rows, first, n, &m)
                      : n <= FEW ? find_few(db, which, metric, first, n, &m)
                                 : find_many(db, which, metric, v->rows, first, n, &m))))
        status = out_of_memory(db, err);
    if (!status) {
        for (uint64_t r = 0; r < n; r++) { /* a row has no more threads than there are, nor than its leaves have */
            uint64_t sum = 0;
            for (uint64_t k = m.begin[r]; k < m.begin[r + 1]; k++)
                sum += entries_of(i, m.leaf[k]);
            most += sum < g.threads ? sum : g.threads;
        }
        rows.indices = malloc((most + 1) * sizeof *rows.indices);
        rows.counts = malloc((most + 1) * sizeof *rows.counts);
        if (!rows.indices || !rows.counts)
            status = out_of_memory(db, err);
    }
    if (!status)
        rows.indptr[0] = 0;
    for (uint64_t r = 0, at = 0; r < n && !status; r++) {
        at += merge_row(i, &g, m.leaf + m.begin[r], m.begin[r + 1] - m.begin[r], rows.indices + at, rows.counts + at);
        rows.indptr[r + 1] = at;
    }
    free(m.begin);
    free(m.leaf);
    free(g.dense);
    free(g.touched);
    if (status)
        hsc_interval_rows_free(&rows);
    else
        *out = rows;
    return status;
}

hsc_status hsc_interval_fill(hsc_db *db, hsc_values *v, hsc_err *err) {
    hsc_interval_rows r = {0};
    if (v->by_row.present)
        return HSC_OK;
    hsc_status status = hsc_interval_read(db, v, 0, v->rows, &r, err);
    if (!status)
        make_sparse(db, &v->by_row, v->rows, db->tables.rows[HSC_TAB_thread], r.indptr[v->rows], r.indptr, r.indices, r.counts);
    return status;
}

hsc_status hsc_interval_turn(hsc_db *db, hsc_values *v, hsc_err *err) {
    hsc_status status = v->by_thread.present ? HSC_OK : hsc_interval_fill(db, v, err);
    if (status || v->by_thread.present)
        return status;
    uint64_t threads = db->tables.rows[HSC_TAB_thread], nnz = v->by_row.nnz;
    hsc_ends indptr = v->by_row.indptr;
    const uint32_t *indices = v->by_row.indices.whole, *counts = v->by_row.data.whole;
    uint64_t *begin = calloc(threads + 2, sizeof *begin);
    uint32_t *row = malloc((nnz + 1) * sizeof *row), *count = malloc((nnz + 1) * sizeof *count);
    if (!begin || !row || !count) {
        free(begin);
        free(row);
        free(count);
        return out_of_memory(db, err);
    }
    for (uint64_t k = 0; k < nnz; k++)
        begin[indices[k] + 2]++;
    for (uint64_t c = 0; c < threads; c++)
        begin[c + 2] += begin[c + 1];
    for (uint64_t r = 0; r < v->rows; r++)
        for (uint64_t k = hsc_ends_at(indptr, r), end = hsc_ends_at(indptr, r + 1); k < end; k++) {
            uint64_t at = begin[indices[k] + 1]++;
            row[at] = (uint32_t)r;
            count[at] = counts[k];
        }
    make_sparse(db, &v->by_thread, threads, v->rows, nnz, begin, row, count);
    return HSC_OK;
}

/* ---- on and off ---- */

void hsc_interval_free(hsc_interval *v) {
    if (!v)
        return;
    hsc_interval_end_ahead(v);
    hsc_within_free(v->within);
    hsc_interval_end_sums(v);
    for (hsc_made_sums *m = v->made, *next; m; m = next) {
        next = m->next;
        free(m->sums);
        free(m);
    }
    free(v->parts);
    hsc_leaves_free(&v->leaves);
    free(v->thread);
    free(v->exact);
    free(v->early);
    free(v->total);
    free(v->indptr);
    free(v->entry);
    free(v);
}

void hsc_interval_close(hsc_db *db) {
    hsc_interval *v = db->interval;
    if (!v)
        return;
    hsc_counting_free(db, v->counting);
    hsc_values_close(db);
    free(db->values);
    for (uint64_t i = 0; db->context_sums && i < db->tables.rows[HSC_TAB_metric]; i++)
        free(db->context_sums[i]);
    free(db->context_sums);
    db->values = v->whole;
    db->context_sums = v->whole_sums;
    free_direct(db, v);
    hsc_interval_drop(db, v);
    free(db->wait_pairs);
    db->wait_pairs = NULL;
    db->interval = NULL;
}

/* Pages of it were got, which costs more than to clear them. */
void hsc_interval_drop(hsc_db *db, hsc_interval *v) {
    if (v)
        hsc_interval_end_ahead(v);
    if (v && !v->room) {
        hsc_spare_put(&db->spares, v->total);
        v->total = NULL;
    }
    hsc_interval_free(v);
}

hsc_status hsc_db_set_only(hsc_db *db, uint32_t category, hsc_err *err) {
    hsc_interval *v = db->interval;
    if (!v || (category != HSC_NONE && category >= db->tables.rows[HSC_TAB_category]))
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: category %" PRIu32 ": expected one below %" PRIu64 ", and an interval", db->path, category,
                           (uint64_t)db->tables.rows[HSC_TAB_category]);
    if (v->only != category) {
        v->only = category;
        free_direct(db, v);
        hsc_values_close(db); /* made anew when they are asked for */
        for (uint64_t i = 0; i < db->tables.rows[HSC_TAB_metric]; i++) {
            free(db->context_sums[i]);
            db->context_sums[i] = NULL;
        }
    }
    return HSC_OK;
}

uint32_t hsc_db_get_only(const hsc_db *db) {
    return db->interval ? db->interval->only : HSC_NONE;
}

bool hsc_db_get_interval(const hsc_db *db, double *begin_s, double *end_s) {
    if (!db->interval)
        return false;
    *begin_s = db->interval->begin_s;
    *end_s = db->interval->end_s;
    return true;
}

uint32_t hsc_db_get_intervals(const hsc_db *db, const hsc_db_when **out) {
    *out = db->interval ? db->interval->parts : NULL;
    return db->interval ? db->interval->n_parts : 0;
}

static int by_begin(const void *a, const void *b) {
    const hsc_db_when *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->begin_s < y->begin_s ? -1 : x->begin_s > y->begin_s;
}

/* Sorted, what overlaps or touches made one. */
static hsc_status take_parts(const hsc_db *db, hsc_interval *v, const hsc_db_when *list, uint32_t n, hsc_err *err) {
    v->parts = malloc(n * sizeof *v->parts);
    if (!v->parts)
        return out_of_memory(db, err);
    for (uint32_t i = 0; i < n; i++) {
        if (!(list[i].begin_s < list[i].end_s) || (list[i].process == HSC_NONE) != (list[0].process == HSC_NONE) ||
            (list[i].process != HSC_NONE && list[i].process >= db->tables.rows[HSC_TAB_process]))
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: interval %" PRIu32 ": expected a process and times that rise, got process %" PRIu32 ", %g to %g",
                               db->path, i, list[i].process, list[i].begin_s, list[i].end_s);
        v->parts[i] = list[i];
    }
    qsort(v->parts, n, sizeof *v->parts, by_begin);
    for (uint32_t i = 0; i < n; i++) {
        hsc_db_when *last = v->n_parts ? &v->parts[v->n_parts - 1] : NULL;
        if (last && last->process == v->parts[i].process && last->end_s >= v->parts[i].begin_s)
            last->end_s = last->end_s > v->parts[i].end_s ? last->end_s : v->parts[i].end_s;
        else
            v->parts[v->n_parts++] = v->parts[i];
    }
    v->begin_s = v->parts[0].begin_s;
    v->end_s = v->parts[0].end_s;
    for (uint32_t i = 1; i < v->n_parts; i++) {
        v->begin_s = v->parts[i].begin_s < v->begin_s ? v->parts[i].begin_s : v->begin_s;
        v->end_s = v->parts[i].end_s > v->end_s ? v->parts[i].end_s : v->end_s;
    }
    return HSC_OK;
}

#define HSC_LEAF(db, column, ctype) ((ctype *)(db)->tables.columns[HSC_COL_leaf_##column]) /* read only while it is the database's */

/* What is in the parts into v->total, of all threads. */
static hsc_status count_all(hsc_db *db, hsc_interval *v, hsc_err *err) {
    hsc_times *program = NULL;
    hsc_status status = HSC_OK;
    if (!v->is_counted && v->parts[0].process == HSC_NONE)
        status = hsc_times_program(db, &program, err);
    if (!program)
        memset(v->total, 0, (v->leaves.n + 1) * sizeof *v->total);
    if (v->is_counted)
        return hsc_counts_take(db, v, err);
    if (!status)
        status = program ? hsc_choosing_all(db, v, program, err) : tally_threads(db, v, err);
    return status;
}

hsc_status hsc_interval_new(hsc_db *db, const hsc_db_when *list, uint32_t n, hsc_interval **out, hsc_err *err) {
    uint64_t leaves = db->tables.rows[HSC_TAB_leaf];
    hsc_interval *v = calloc(1, sizeof *v);
    hsc_spare_begin(&db->spares);
    db->is_foreseen = true; /* what it takes is what the next one will */
    if (!v || !(v->total = hsc_spare_take(&db->spares, (leaves + 1) * sizeof *v->total, false))) {
        free(v);
        return out_of_memory(db, err);
    }
    v->leaves = (hsc_leaves){.context = HSC_LEAF(db, context, uint32_t), .line = HSC_LEAF(db, line, uint32_t), .instance = HSC_LEAF(db, instance, uint32_t),
                             .metric = HSC_LEAF(db, metric, uint32_t), .category = HSC_LEAF(db, category, uint8_t), .n = leaves, .sampled = leaves};
    v->only = HSC_NONE;
    hsc_status status = take_parts(db, v, list, n, err);
    if (status)
        hsc_interval_free(v);
    else
        *out = v;
    return status;
}

/* is_counted: the list is the whole run, of a database that has only that. */
static hsc_status set_parts(hsc_db *db, const hsc_db_when *list, uint32_t n, bool is_counted, hsc_err *err) {
    hsc_status status = db->interval ? HSC_OK : hsc_excess_of_run(db, err);
    if (status)
        return status;
    if (db->interval) { /* what was counted of the interval before: should it stay, it is counted again */
        free(db->interval->indptr);
        free(db->interval->entry);
        db->interval->indptr = NULL;
        db->interval->entry = NULL;
    }
    db->gives_back = true;
    uint64_t metrics = db->tables.rows[HSC_TAB_metric];
    hsc_interval *v = NULL;
    hsc_values *values = calloc(metrics * HSC_VALUES_COUNT + 1, sizeof *values);
    uint64_t **sums = calloc(metrics + 1, sizeof *sums);
    if (!values || !sums)
        status = out_of_memory(db, err);
    if (!status && !is_counted && hsc_choosing_is(db, list, n)) {
        status = hsc_choosing_take(db, &v, err);
    } else if (!status) {
        status = hsc_interval_new(db, list, n, &v, err);
        if (!status) {
            v->is_counted = is_counted;
            status = count_all(db, v, err);
        }
    }
    hsc_choosing_end(db);
    if (status) {
        hsc_interval_drop(db, v);
        free(values);
        free(sums);
        return status;
    }
    hsc_interval_close(db);
    v->whole = db->values;
    v->whole_sums = db->context_sums;
    db->values = values;
    db->context_sums = sums;
    free(db->wait_pairs);
    db->wait_pairs = NULL;
    db->interval = v;
    return HSC_OK;
}

void hsc_interval_end(hsc_db *db) {
    hsc_choosing_end(db);
    hsc_interval_close(db);
    hsc_spare_end(&db->spares);
}

hsc_status hsc_db_set_intervals(hsc_db *db, const hsc_db_when *list, uint32_t n, hsc_err *err) {
    hsc_times *t = NULL;
    if (!n) {
        hsc_interval_end(db);
        return HSC_OK;
    }
    hsc_status status = hsc_times_begin(db, &t, err);
    if (!status)
        status = hsc_times_load_leaves(db, err);
    return status ? status : set_parts(db, list, n, false, err);
}

hsc_status hsc_db_set_whole(hsc_db *db, hsc_err *err) {
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    const hsc_db_when all = {HSC_NONE, 0, 2 * info.wall_s + 1e6};
    if (hsc_db_has(db, "/time/samples") || !hsc_counts_are_there(db))
        return hsc_db_set_intervals(db, &all, 1, err);
    hsc_status status = hsc_db_load(db, HSC_TAB_leaf, err);
    if (!status)
        status = hsc_db_load(db, HSC_TAB_context, err);
    return status ? status : set_parts(db, &all, 1, true, err);
}

hsc_status hsc_db_get_leaves(const hsc_db *db, uint64_t *n, hsc_err *err) {
    if (!db->interval)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: what a sample can be: expected an interval to be set", db->path);
    *n = db->interval->leaves.sampled;
    return HSC_OK;
}

hsc_status hsc_db_get_leaf(const hsc_db *db, uint64_t leaf, hsc_db_leaf *out, hsc_err *err) {
    const hsc_interval *v = db->interval;
    if (!v || leaf >= v->leaves.sampled)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: leaf %" PRIu64 ": expected one below %" PRIu64 ", and an interval", db->path, leaf, v ? v->leaves.sampled : 0);
    *out = (hsc_db_leaf){v->leaves.context[leaf], v->leaves.line[leaf], v->leaves.instance[leaf], v->leaves.metric[leaf], v->leaves.category[leaf], 0};
    if (v->only == HSC_NONE || v->only == out->category)
        out->sum = (double)v->total[leaf];
    return HSC_OK;
}

hsc_status hsc_db_set_interval(hsc_db *db, double begin_s, double end_s, hsc_err *err) {
    return hsc_db_set_intervals(db, &(hsc_db_when){HSC_NONE, begin_s, end_s}, begin_s < end_s, err);
}
