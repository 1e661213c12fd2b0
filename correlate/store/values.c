/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries of values: sums, statistics, dense blocks, sparse rows, columns, the largest. */
#include "values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

/* ---- one row at a time, by processor of the axis ---- */

typedef struct row_reader {
    hsc_source *s;
    hsc_cursor cursor;
    hsc_block block;
    bool pieces;       /* of an interval whose rows are not made yet: those asked for only */
    hsc_interval_rows rows;
    double *dense;     /* by column of the axis; 0 where touched does not say otherwise */
    uint32_t *touched; /* columns, rising after row_read */
    uint32_t n;
} row_reader;

static hsc_status row_reader_init(row_reader *r, hsc_source *s, hsc_err *err) {
    *r = (row_reader){.s = s, .pieces = s->db->interval && !s->v->by_row.present};
    hsc_status status = r->pieces ? HSC_OK : hsc_source_rows(s, err);
    if (status)
        return status;
    r->dense = calloc((uint64_t)s->columns + 1, sizeof *r->dense);
    r->touched = malloc(((uint64_t)s->columns + 1) * sizeof *r->touched);
    if (!r->dense || !r->touched)
        return out_of_memory(s->db, err);
    if (!r->pieces)
        hsc_cursor_init(&r->cursor, s->db, &s->v->by_row, &s->v->by_row.data);
    return HSC_OK;
}

static void row_reader_fini(row_reader *r) {
    hsc_cursor_fini(&r->cursor);
    hsc_interval_rows_free(&r->rows);
    free(r->dense);
    free(r->touched);
}

static void row_clear(row_reader *r) {
    for (uint32_t i = 0; i < r->n; i++)
        r->dense[r->touched[i]] = 0;
    r->n = 0;
}

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Reads rows [row, last), or the first of them. */
static hsc_status row_block(row_reader *r, uint64_t row, uint64_t last, hsc_err *err) {
    if (!r->pieces) {
        r->cursor.next = row;
        r->cursor.last = last;
        return hsc_cursor_read(&r->cursor, &r->block, err);
    }
    hsc_interval_rows_free(&r->rows);
    hsc_status status = hsc_interval_read(r->s->db, r->s->v, row, last - row, &r->rows, err);
    if (!status)
        r->block = (hsc_block){.first = row, .n = last - row, .indptr = {.wide = r->rows.indptr}, .indices = r->rows.indices, .counts = r->rows.counts};
    return status;
}

/* Fills dense and touched with row `row`. `ahead`: rows that will be asked for next, to read them in one go. */
static hsc_status row_read(row_reader *r, uint64_t row, uint64_t ahead, hsc_err *err) {
    const hsc_source *s = r->s;
    uint64_t last = s->subtree ? s->subtree_end[row] : row + 1;
    row_clear(r);
    while (row < last) {
        if (row < r->block.first || row >= r->block.first + r->block.n) {
            hsc_status status = row_block(r, row, ahead > last ? ahead : last, err);
            if (status)
                return status;
        }
        const hsc_block *b = &r->block;
        uint64_t until = last < b->first + b->n ? last : b->first + b->n;
        uint64_t k = hsc_ends_between(b->indptr, 0, row - b->first), end = hsc_ends_between(b->indptr, 0, until - b->first);
        for (; k < end; k++) {
            uint32_t c = s->column_of ? s->column_of[b->indices[k]] : b->indices[k];
            if (r->dense[c] == 0 && b->counts[k])
                r->touched[r->n++] = c;
            r->dense[c] += b->counts[k];
        }
        row = until;
    }
    if (s->subtree || s->axis == HSC_AXIS_NODE) { /* others rise by themselves */
        if (r->n > s->columns / 16) {
            r->n = 0;
            for (uint32_t c = 0; c < s->columns; c++)
                if (r->dense[c] != 0)
                    r->touched[r->n++] = c;
        } else
            qsort(r->touched, r->n, sizeof *r->touched, compare_u32);
    }
    return HSC_OK;
}

static hsc_status check_rows(const hsc_source *s, uint64_t first, uint64_t n, hsc_err *err) {
    if (first > s->rows || n > s->rows - first)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: rows %" PRIu64 " to %" PRIu64 " asked for, table %s has %" PRIu64, s->db->path,
                           first, first + n, s->v->name, s->rows);
    return HSC_OK;
}

/* ---- sums ---- */

/* Exclusive sums of all contexts before each row: inclusive ones are differences. */
static hsc_status context_sums(hsc_source *s, uint32_t metric, const uint64_t **out, hsc_err *err) {
    const void *sums = NULL;
    uint64_t *p = s->db->context_sums[metric];
    if (!p) {
        hsc_status status = hsc_source_sums(s, err);
        if (status)
            return status;
        uint64_t *scratch = malloc((s->rows + 1) * sizeof *scratch);
        p = malloc((s->rows + 1) * sizeof *p);
        status = p && scratch ? hsc_array_get(s->db, &s->v->sum, 0, s->rows, scratch, &sums, err)
                              : out_of_memory(s->db, err);
        if (status) {
            free(scratch);
            free(p);
            return status;
        }
        p[0] = 0;
        for (uint64_t i = 0; i < s->rows; i++)
            p[i + 1] = p[i] + ((const uint64_t *)sums)[i];
        free(scratch);
        s->db->context_sums[metric] = p;
    }
    *out = p;
    return HSC_OK;
}

/* Opens the sums; where many of them are asked for, all become resident. */
static hsc_status keep_sums(const hsc_source *s, uint64_t n, hsc_err *err) {
    hsc_status status = hsc_source_sums(s, err);
    return status || n <= s->rows / 8 || s->rows * 8 > s->db->budget / 2 ? status : hsc_array_keep(s->db, &s->v->sum, err);
}

/* Calls f for sums of rows [first, first + n) in pieces. */
static hsc_status each_sum(hsc_source *s, uint32_t metric, uint64_t first, uint64_t n,
                           void (*f)(void *ctx, uint64_t row, double sum), void *ctx, hsc_err *err) {
    enum { PIECE = 1 << 14 };
    const uint64_t *before = NULL;
    const void *p = NULL;
    if (s->subtree) {
        hsc_status status = context_sums(s, metric, &before, err);
        if (status)
            return status;
        for (uint64_t r = first; r < first + n; r++)
            f(ctx, r, (double)(before[s->subtree_end[r]] - before[r]));
        return HSC_OK;
    }
    hsc_status status = keep_sums(s, n, err);
    if (status)
        return status;
    uint64_t *scratch = malloc((n < PIECE ? n + 1 : PIECE) * sizeof *scratch); /* a row is asked for more often than all */
    if (!scratch)
        return out_of_memory(s->db, err);
    for (uint64_t r = first; r < first + n && !status; r += PIECE) {
        uint64_t m = first + n - r < PIECE ? first + n - r : PIECE;
        status = hsc_array_get(s->db, &s->v->sum, r, m, scratch, &p, err);
        for (uint64_t i = 0; i < m && !status; i++)
            f(ctx, r + i, (double)((const uint64_t *)p)[i]);
    }
    free(scratch);
    return status;
}

typedef struct sums_to {
    uint64_t first;
    double *out;
} sums_to;

static void put_sum(void *ctx, uint64_t row, double sum) {
    sums_to *to = ctx;
    to->out[row - to->first] = sum;
}

hsc_status hsc_db_read_sums(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, double *out, hsc_err *err) {
    hsc_source s;
    sums_to to = {first, out};
    hsc_status status = hsc_source_find(db, view, &s, err);
    if (!status)
        status = check_rows(&s, first, n, err);
    if (!status && !s.subtree)
        status = keep_sums(&s, n, err);
    if (status || s.subtree || !s.v->sum.narrow || !n)
        return status ? status : each_sum(&s, view.metric, first, n, put_sum, &to, err);
    const uint32_t *sums = (const uint32_t *)s.v->sum.whole + first;
    for (uint64_t i = 0; i < n; i++)
        out[i] = sums[i];
    return HSC_OK;
}

typedef struct zeros_to {
    uint64_t first;
    unsigned char *out;
} zeros_to;

static void put_zero(void *ctx, uint64_t row, double sum) {
    zeros_to *to = ctx;
    to->out[row - to->first] = !(sum > 0);
}

hsc_status hsc_db_find_zeros(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, unsigned char *out, hsc_err *err) {
    hsc_source s;
    zeros_to to = {first, out};
    hsc_status status = hsc_source_find(db, view, &s, err);
    if (!status)
        status = check_rows(&s, first, n, err);
    if (status || !n)
        return status;
    status = s.subtree ? HSC_OK : keep_sums(&s, n, err);
    if (status || s.subtree || !s.v->sum.narrow)
        return status ? status : each_sum(&s, view.metric, first, n, put_zero, &to, err);
    const uint32_t *sums = (const uint32_t *)s.v->sum.whole + first;
    for (uint64_t i = 0; i < n; i++)
        out[i] = !sums[i];
    return HSC_OK;
}

static uint32_t largest_of(const uint32_t *sums, uint64_t n) {
    typedef uint32_t four __attribute__((vector_size(4 * sizeof(uint32_t)), aligned(sizeof(uint32_t)), may_alias));
    four most = {0}, other = {0};
    uint64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const four *x = (const four *)(const void *)(sums + i);
        four more = (four)(x[0] > most), others = (four)(x[1] > other);
        most = (x[0] & more) | (most & ~more);
        other = (x[1] & others) | (other & ~others);
    }
    uint32_t out = 0;
    for (unsigned k = 0; k < 4; k++) {
        out = most[k] > out ? most[k] : out;
        out = other[k] > out ? other[k] : out;
    }
    for (; i < n; i++)
        out = sums[i] > out ? sums[i] : out;
    return out;
}

static void take_largest(void *ctx, uint64_t row, double sum) {
    double *largest = ctx;
    (void)row;
    *largest = sum > *largest ? sum : *largest;
}

hsc_status hsc_db_find_largest(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, double *out, hsc_err *err) {
    hsc_source s;
    double largest = 0;
    hsc_status status = hsc_source_find(db, view, &s, err);
    if (!status)
        status = check_rows(&s, first, n, err);
    if (!status && n && !s.subtree)
        status = keep_sums(&s, n, err);
    if (!status && n && (s.subtree || !s.v->sum.narrow)) {
        status = each_sum(&s, view.metric, first, n, take_largest, &largest, err);
    } else if (!status && n) {
        largest = largest_of((const uint32_t *)s.v->sum.whole + first, n);
    }
    if (!status)
        *out = largest;
    return status;
}

hsc_status hsc_excess_of_run(hsc_db *db, hsc_err *err) {
    if (db->mean_excess)
        return HSC_OK;
    double *mean = calloc((uint64_t)db->n_metrics + 1, sizeof *mean);
    hsc_status status = mean ? HSC_OK : out_of_memory(db, err);
    for (uint32_t m = 0; m < db->n_metrics && !status; m++) {
        hsc_weighted v;
        hsc_db_metric metric;
        status = hsc_db_get_metric(db, m, &metric, err);
        if (status || metric.weights == HSC_NONE)
            continue;
        status = hsc_db_read_weighted(db, (hsc_db_view){m, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, 0, 1, &v, err);
        mean[m] = !status && v.sum > 0 ? v.excess / v.sum : 0;
    }
    if (status)
        free(mean);
    else
        db->mean_excess = mean;
    return status;
}

hsc_status hsc_db_read_excess(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, double *out, hsc_err *err) {
    hsc_db_metric m;
    hsc_status status = hsc_db_get_metric(db, view.metric, &m, err);
    if (status)
        return status;
    if (m.weights == HSC_NONE) {
        hsc_source s; /* for the check of what was asked for */
        status = hsc_source_find(db, view, &s, err);
        status = status ? status : check_rows(&s, first, n, err);
        for (uint64_t i = 0; i < n && !status; i++)
            out[i] = 0;
        return status;
    }
    view.metric = m.weights;
    status = hsc_db_read_sums(db, view, first, n, out, err);
    for (uint64_t i = 0; i < n && !status; i++)
        out[i] *= m.weights_scale;
    return status;
}

hsc_status hsc_db_read_weighted(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, hsc_weighted *out, hsc_err *err) {
    enum { PIECE = 512 };
    double sums[PIECE], excess[PIECE];
    hsc_status status = HSC_OK;
    for (uint64_t i = 0; i < n && !status; i += PIECE) {
        uint64_t k = n - i < PIECE ? n - i : PIECE;
        status = hsc_db_read_sums(db, view, first + i, k, sums, err);
        if (!status)
            status = hsc_db_read_excess(db, view, first + i, k, excess, err);
        for (uint64_t j = 0; j < k && !status; j++)
            out[i + j] = (hsc_weighted){sums[j], excess[j]};
    }
    return status;
}

/* ---- statistics ---- */

static void stats_finish(hsc_db_stats *t, double squares, uint32_t columns) {
    double n = columns;
    t->mean = columns ? t->sum / n : 0;
    double variance = columns ? squares / n - t->mean * t->mean : 0;
    t->stddev = variance > 0 ? sqrt(variance) : 0;
}

static void stats_of_row(const row_reader *r, hsc_db_stats *t) {
    uint32_t columns = r->s->columns, first_gap = 0;
    double squares = 0;
    *t = (hsc_db_stats){.max_column = columns ? 0 : HSC_NONE, .min_column = HSC_NONE, .min = INFINITY, .nonzero = r->n};
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t c = r->touched[i];
        double v = r->dense[c];
        t->sum += v;
        squares += v * v;
        if (v > t->max) {
            t->max = v;
            t->max_column = c;
        }
        if (v < t->min) {
            t->min = v;
            t->min_column = c;
        }
        first_gap += c == first_gap;
    }
    if (r->n < columns) {
        t->min = 0;
        t->min_column = first_gap;
    } else if (!r->n)
        t->min = 0;
    stats_finish(t, squares, columns);
}

static hsc_status open_stats(hsc_db *db, const hsc_values *v, const char *name, hsc_row_stats *t, hsc_err *err) {
    const struct {
        const char *name;
        hsc_column_type type;
        hsc_array *a;
    } sets[] = {{"max", HSC_COLTYPE_U8, &t->max}, {"argmax", HSC_COLTYPE_U4, &t->argmax}, {"min", HSC_COLTYPE_U8, &t->min},
                {"argmin", HSC_COLTYPE_U4, &t->argmin}, {"nonzero", HSC_COLTYPE_U4, &t->nonzero},
                {"sum_squares", HSC_COLTYPE_F8, &t->squares}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s/%s", v->name, name, sets[i].name);
        hsc_status status = hsc_array_open(db, path, sets[i].type, v->rows, sets[i].a, err);
        for (size_t k = 0; k < i && status; k++)
            hsc_array_close(db, sets[k].a);
        if (status)
            return status;
    }
    t->present = true;
    return HSC_OK;
}

static hsc_status stored_stats(hsc_source *s, uint64_t first, uint64_t n, hsc_db_stats *out, hsc_err *err) {
    enum { PIECE = 1024, FIELDS = 7 };
    hsc_db_axis axis = s->db->identity_processes ? HSC_AXIS_THREAD : s->axis;
    hsc_row_stats *t = &s->v->stats[axis];
    struct {
        uint64_t sum[PIECE], max[PIECE], min[PIECE];
        double squares[PIECE];
        uint32_t argmax[PIECE], argmin[PIECE], nonzero[PIECE];
    } of;
    hsc_array *const arrays[FIELDS] = {&s->v->sum, &t->max, &t->min, &t->squares, &t->argmax, &t->argmin, &t->nonzero};
    void *const to[FIELDS] = {of.sum, of.max, of.min, of.squares, of.argmax, of.argmin, of.nonzero};
    hsc_status status = hsc_source_sums(s, err);
    if (!status && !t->present)
        status = open_stats(s->db, s->v, axis == HSC_AXIS_PROCESS ? "process_stats" : "thread_stats", t, err);
    for (uint64_t r = first; r < first + n && !status; r += PIECE) {
        uint64_t m = first + n - r < PIECE ? first + n - r : PIECE;
        hsc_db_stats *o = out + (r - first);
        status = hsc_array_get_many(s->db, arrays, to, FIELDS, r, m, err);
        for (uint64_t i = 0; i < m && !status; i++) {
            o[i] = (hsc_db_stats){.sum = (double)of.sum[i], .max = (double)of.max[i], .min = (double)of.min[i], .nonzero = of.nonzero[i]};
            o[i].max_column = of.argmax[i] < s->columns ? of.argmax[i] : HSC_NONE;
            o[i].min_column = of.argmin[i] < s->columns ? of.argmin[i] : HSC_NONE;
            stats_finish(&o[i], of.squares[i], s->columns);
        }
    }
    return status;
}

hsc_status hsc_db_read_stats(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, hsc_db_stats *out, hsc_err *err) {
    hsc_source s;
    row_reader r = {0};
    hsc_status status = hsc_source_find(db, view, &s, err);
    if (!status)
        status = check_rows(&s, first, n, err);
    if (status || !(s.subtree || db->interval || view.axis == HSC_AXIS_NODE))
        return status ? status : stored_stats(&s, first, n, out, err);
    status = row_reader_init(&r, &s, err);
    for (uint64_t i = 0; i < n && !status; i++) {
        status = row_read(&r, first + i, s.subtree ? 0 : first + n, err);
        if (!status)
            stats_of_row(&r, &out[i]);
    }
    row_reader_fini(&r);
    return status;
}

/* ---- blocks, rows, columns ---- */

hsc_status hsc_db_read_block(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, uint32_t column, uint32_t m,
                             float *out, hsc_err *err) {
    hsc_source s;
    row_reader r = {0};
    hsc_status status = hsc_source_find(db, view, &s, err);
    if (!status)
        status = check_rows(&s, first, n, err);
    if (!status && (column > s.columns || m > s.columns - column))
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: columns %" PRIu32 " to %" PRIu64 " asked for, there are %" PRIu32, db->path,
                             column, (uint64_t)column + m, s.columns);
    if (status)
        return status;
    status = row_reader_init(&r, &s, err);
    for (uint64_t i = 0; i < n && !status; i++) {
        float *to = out + i * m;
        status = row_read(&r, first + i, s.subtree ? 0 : first + n, err);
        if (status)
            break;
        memset(to, 0, m * sizeof *to);
        for (uint32_t k = 0; k < r.n; k++)
            if (r.touched[k] >= column && r.touched[k] - column < m)
                to[r.touched[k] - column] = (float)r.dense[r.touched[k]];
    }
    row_reader_fini(&r);
    return status;
}

hsc_status hsc_db_read_sparse(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, uint64_t *indptr,
                              uint32_t **indices, float **values, hsc_err *err) {
    hsc_source s;
    row_reader r = {0};
    uint32_t *idx = NULL;
    float *val = NULL;
    uint64_t nnz = 0, capacity = 0;
    hsc_status status = hsc_source_find(db, view, &s, err);
    if (!status)
        status = check_rows(&s, first, n, err);
    if (status)
        return status;
    status = row_reader_init(&r, &s, err);
    if (!status && !s.subtree && !r.pieces)
        capacity = hsc_ends_between(s.v->by_row.indptr, first, first + n);
    capacity += !capacity;
    idx = malloc(capacity * sizeof *idx);
    val = malloc(capacity * sizeof *val);
    if (!status && (!idx || !val))
        status = out_of_memory(db, err);
    for (uint64_t i = 0; i < n && !status; i++) {
        status = row_read(&r, first + i, s.subtree ? 0 : first + n, err);
        if (!status && nnz + r.n > capacity) {
            capacity = 2 * (nnz + r.n);
            void *a = realloc(idx, capacity * sizeof *idx);
            idx = a ? a : idx;
            void *b = realloc(val, capacity * sizeof *val);
            val = b ? b : val;
            if (!a || !b)
                status = out_of_memory(db, err);
        }
        if (status)
            break;
        if (!i)
            indptr[0] = 0;
        for (uint32_t k = 0; k < r.n; k++, nnz++) {
            idx[nnz] = r.touched[k];
            val[nnz] = (float)r.dense[r.touched[k]];
        }
        indptr[i + 1] = nnz;
    }
    if (!status && !n)
        indptr[0] = 0;
    row_reader_fini(&r);
    if (status) {
        free(idx);
        free(val);
        return status;
    }
    *indices = idx;
    *values = val;
    return HSC_OK;
}

/* The next threads of a column that stand in a row, from *last on. */
static bool next_threads(const hsc_source *s, uint32_t column, uint64_t *first, uint64_t *last) {
    for (*first = *last; *first < s->threads && s->column_of[*first] != column;)
        ++*first;
    for (*last = *first; *last < s->threads && s->column_of[*last] == column;)
        ++*last;
    return *first < *last;
}

hsc_status hsc_db_read_column(hsc_db *db, hsc_db_view view, uint32_t column, uint64_t *n, uint32_t **rows, float **values,
                              hsc_err *err) {
    hsc_source s;
    hsc_cursor c = {0};
    hsc_block b;
    uint32_t *out_rows = NULL;
    float *out_values = NULL;
    double *dense = NULL;
    uint64_t found = 0, nnz;
    hsc_status status = hsc_source_find(db, view, &s, err);
    if (!status && column >= s.columns)
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: column %" PRIu32 " asked for, there are %" PRIu32, db->path, column, s.columns);
    if (!status)
        status = hsc_source_columns(&s, err);
    if (status)
        return status;
    const bool by_node = view.axis == HSC_AXIS_NODE;
    uint64_t first = by_node ? 0 : s.column_of ? db->first_thread[column] : column;
    uint64_t last = by_node ? 0 : first + (s.column_of ? db->threads[column] : 1);
    nnz = hsc_ends_between(s.v->by_thread.indptr, first, last);
    bool direct = !by_node && last - first <= 1 && !s.subtree;
    uint64_t capacity = direct ? nnz : s.rows;
    out_rows = malloc((capacity + 1) * sizeof *out_rows);
    out_values = malloc((capacity + 1) * sizeof *out_values);
    dense = direct ? NULL : calloc(s.rows + 1, sizeof *dense);
    if (!out_rows || !out_values || (!direct && !dense)) {
        status = out_of_memory(db, err);
        goto done;
    }
    hsc_cursor_init(&c, db, &s.v->by_thread, &s.v->by_thread.data);
    c.next = first;
    c.last = last;
    do {
        if (by_node && c.next == c.last && next_threads(&s, column, &first, &last)) {
            c.next = first;
            c.last = last;
        }
        status = hsc_cursor_read(&c, &b, err);
        uint64_t m = status || !b.n ? 0 : hsc_ends_between(b.indptr, 0, b.n);
        for (uint64_t k = 0; k < m; k++)
            if (!direct)
                dense[b.indices[k]] += b.counts[k];
            else if (b.counts[k]) {
                out_rows[found] = b.indices[k];
                out_values[found++] = (float)b.counts[k];
            }
    } while (!status && b.n);
    if (status)
        goto done;
    if (s.subtree) { /* sums of all rows before, then differences */
        double sum = 0;
        for (uint64_t r = 0; r <= s.rows; r++) {
            double v = r < s.rows ? dense[r] : 0;
            dense[r] = sum;
            sum += v;
        }
        for (uint64_t r = 0; r < s.rows; r++)
            dense[r] = dense[s.subtree_end[r]] - dense[r];
    }
    for (uint64_t r = 0; r < s.rows && !direct; r++)
        if (dense[r] != 0) {
            out_rows[found] = (uint32_t)r;
            out_values[found++] = (float)dense[r];
        }
    *n = found;
    *rows = out_rows;
    *values = out_values;
    out_rows = NULL;
    out_values = NULL;
done:
    hsc_cursor_fini(&c);
    free(dense);
    free(out_rows);
    free(out_values);
    return status;
}

/* ---- the largest ---- */

typedef struct top {
    bool (*accept)(void *ctx, uint64_t row);
    void *ctx;
    uint32_t capacity, n;
    uint64_t *rows; /* a heap whose root is the worst kept */
    double *sums;
} top;

static bool worse(const top *t, uint32_t a, uint32_t b) {
    return t->sums[a] != t->sums[b] ? t->sums[a] < t->sums[b] : t->rows[a] > t->rows[b];
}

static void swap(top *t, uint32_t a, uint32_t b) {
    uint64_t row = t->rows[a];
    double sum = t->sums[a];
    t->rows[a] = t->rows[b];
    t->sums[a] = t->sums[b];
    t->rows[b] = row;
    t->sums[b] = sum;
}

static void sift_down(top *t, uint32_t i, uint32_t n) {
    for (;;) {
        uint32_t worst = i, left = 2 * i + 1, right = left + 1;
        if (left < n && worse(t, left, worst))
            worst = left;
        if (right < n && worse(t, right, worst))
            worst = right;
        if (worst == i)
            return;
        swap(t, i, worst);
        i = worst;
    }
}

static void offer(void *ctx, uint64_t row, double sum) {
    top *t = ctx;
    if (!t->capacity || (t->n == t->capacity && sum <= t->sums[0])) /* rows rise: a tie is worse */
        return;
    if (t->accept && !t->accept(t->ctx, row))
        return;
    if (t->n < t->capacity) {
        uint32_t i = t->n++;
        t->rows[i] = row;
        t->sums[i] = sum;
        while (i && worse(t, i, (i - 1) / 2)) {
            swap(t, i, (i - 1) / 2);
            i = (i - 1) / 2;
        }
    } else {
        t->rows[0] = row;
        t->sums[0] = sum;
        sift_down(t, 0, t->n);
    }
}

hsc_status hsc_db_read_top(hsc_db *db, hsc_db_view view, bool (*accept)(void *ctx, uint64_t row), void *ctx, uint32_t n,
                           uint64_t *rows, double *sums, uint32_t *found, hsc_err *err) {
    hsc_source s;
    top t = {.accept = accept, .ctx = ctx, .capacity = n, .rows = rows, .sums = sums};
    hsc_status status = hsc_source_find(db, view, &s, err);
    if (!status)
        status = each_sum(&s, view.metric, 0, s.rows, offer, &t, err);
    if (status)
        return status;
    for (uint32_t i = t.n; i > 1; i--) { /* heap to falling order */
        swap(&t, 0, i - 1);
        sift_down(&t, 0, i - 1);
    }
    *found = t.n;
    return HSC_OK;
}
