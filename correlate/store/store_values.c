/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Value tables, in both orders. One is written as it is put; the values go by ranges of the other order's rows into lists, of
 * which one at a time is then held, turned round and written. Statistics and pyramids: store_totals.c. */
#include "store_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

hsc_status hsc_store_values_memory(hsc_store *s, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for values of table %s", s->path,
                       hsc_schema_values[s->values.table].name);
}

static void clear_order(hsc_out *out, hsc_store_order *o) {
    hsc_out_stream_abort(o->indices);
    hsc_out_stream_abort(o->data);
    if (o->group > 0)
        hsc_out_close_group(out, o->group);
    free(o->indptr);
    *o = (hsc_store_order){0};
}

void hsc_store_values_clear(hsc_store *s) {
    hsc_store_values *v = &s->values;
    if (!v->open)
        return;
    clear_order(s->out, &v->put);
    clear_order(s->out, &v->made);
    for (unsigned i = 0; v->parts && i < HSC_STORE_PARTS; i++)
        hsc_turned_fini(&v->parts[i]);
    free(v->parts);
    free(v->values_of);
    free(v->kept_indptr);
    hsc_totals_free(v->totals);
    hsc_spill_fini(&v->spill);
    if (v->group > 0)
        hsc_out_close_group(s->out, v->group);
    *v = (hsc_store_values){0};
}

hsc_out_notes hsc_store_valued(const hsc_store *s, const char *description, hsc_effort effort) {
    uint32_t metric = s->values.metric;
    return (hsc_out_notes){.units = s->metric_units[metric], .scale_factor = ((const double *)s->kept[HSC_COL_metric_scale])[metric], .description = description, .effort = effort};
}

hsc_status hsc_store_begin_values(hsc_store *s, uint32_t metric, hsc_db_table table, uint64_t rows, uint32_t columns,
                                  hsc_err *err) {
    hsc_store_values *v = &s->values;
    if (v->open)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s are not ended", s->path,
                           hsc_schema_values[v->table].name);
    if ((unsigned)table >= HSC_VALUES_COUNT)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: no value table has number %d", s->path, (int)table);
    if (!s->have[HSC_COL_thread_process])
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: column thread/process must be put before any values", s->path);
    if (!s->have[HSC_COL_metric_scale] || !s->metric_units)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: columns metric/unit and metric/scale must be put before any values", s->path);
    if (metric >= s->tables.rows[HSC_TAB_metric])
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of metric %" PRIu32 ", the metric table has %" PRIu64 " rows", s->path, metric, s->tables.rows[HSC_TAB_metric]);
    if (columns != s->tables.rows[HSC_TAB_thread])
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: expected %" PRIu64 " columns as there are threads, got %"
                           PRIu32, s->path, hsc_schema_values[table].name, s->tables.rows[HSC_TAB_thread], columns);
    if (rows >= HSC_NONE || columns > HSC_THREADS_MAX)
        return hsc_err_set(err, HSC_E_LIMIT, "%s: values of table %s: %" PRIu64 " rows x %" PRIu32 " columns, the format takes %u x %"
                           PRIu64, s->path, hsc_schema_values[table].name, rows, columns, HSC_NONE - 1, HSC_THREADS_MAX);
    for (uint32_t i = 0; i < s->n_written; i++)
        if (s->written[i].metric == metric && s->written[i].table == table)
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s are put twice", s->path,
                               hsc_schema_values[table].name);
    *v = (hsc_store_values){.open = true, .metric = metric, .table = table, .rows = rows, .columns = columns, .bands = 1, .band_begin = {0, columns}};
    hsc_spill_init(&v->spill, s->path);
    return HSC_OK;
}

hsc_status hsc_store_sparse_group(hsc_store *s, hid_t parent, const char *name, uint64_t rows, uint32_t columns, const char *row_axis,
                                  const char *column_axis, const char *description, const uint32_t *band_begin, hid_t *group, hsc_err *err) {
    const uint32_t bands = band_begin ? s->values.bands : 1;
    const int64_t shape[2] = {(int64_t)(rows * bands), columns};
    hid_t g = -1;
    hsc_status status = hsc_out_group(s->out, parent, name, &g, err);
    if (status)
        return status;
    *group = g;
    status = hsc_out_text(s->out, g, "description", description, err);
    if (!status)
        status = hsc_out_text(s->out, g, "encoding-type", "csr_matrix", err);
    if (!status)
        status = hsc_out_text(s->out, g, "encoding-version", "0.1.0", err);
    if (!status)
        status = hsc_out_numbers(s->out, g, "shape", HSC_NUMBER_I8, shape, 2, err);
    if (!status)
        status = hsc_out_text(s->out, g, "row_axis", row_axis, err);
    if (!status)
        status = hsc_out_text(s->out, g, "column_axis", column_axis, err);
    return status || bands < 2 ? status
                               : hsc_out_numbers(s->out, g, "band_begin", HSC_NUMBER_U4, band_begin, bands + 1, err);
}

hsc_status hsc_store_metric_group(hsc_store *s, uint32_t metric, hid_t *g, hsc_err *err) {
    char name[16];
    hsc_status status = HSC_OK;
    if (hsc_out_is_apart(s->out)) { /* made where the table is written */
        *g = HSC_OUT_ROOT;
        return HSC_OK;
    }
    snprintf(name, sizeof name, "%" PRIu32, metric);
    if (s->metrics < 0 && (status = hsc_out_group(s->out, s->file, "metrics", &s->metrics, err)))
        return status;
    if (H5Lexists(s->metrics, name, H5P_DEFAULT) > 0) {
        *g = H5Gopen2(s->metrics, name, H5P_DEFAULT);
        return *g < 0 ? hsc_out_fail(s->out, "open metric", name, err) : HSC_OK;
    }
    return hsc_out_group(s->out, s->metrics, name, g, err);
}

/* ---- an order ---- */

/* nnz: UINT64_MAX: not known yet. */
static hsc_status open_order(hsc_store *s, hsc_store_order *o, bool by_thread, uint64_t nnz, hsc_err *err) {
    const hsc_store_values *v = &s->values;
    const hsc_table_def *rows = &hsc_schema_tables[hsc_schema_values[v->table].rows];
    const char *row_axis = rows->name, *columns = by_thread ? rows->path : hsc_schema_tables[HSC_TAB_thread].path;
    const hsc_out_notes indices = {.description = "columns of the values, rising in each row", .references = columns, .effort = HSC_EFFORT_QUICK},
                        counts = hsc_store_valued(s, "counts; times scale_factor: the metric", HSC_EFFORT_VALUES);
    hid_t group = 0;
    o->n = by_thread ? v->columns : v->rows * v->bands;
    o->columns = by_thread ? (uint32_t)v->rows : v->columns;
    o->indptr = malloc((o->n + 1) * sizeof *o->indptr);
    if (!o->indptr)
        return hsc_store_values_memory(s, err);
    o->indptr[0] = 0;
    const char *description = by_thread ? "the same values, threads as rows" : v->bands > 1 ? "rows of the table, of each band of threads" : "rows of the table";
    hsc_status status = hsc_store_sparse_group(s, v->group, by_thread ? "by_thread" : "by_row", by_thread ? v->columns : v->rows, o->columns,
                                               by_thread ? "thread" : row_axis, by_thread ? row_axis : "thread", description,
                                               by_thread ? NULL : v->band_begin, &group, err);
    o->group = group;
    if (!status)
        status = hsc_out_stream_open_sized(s->out, group, "indices", HSC_COLTYPE_U4, &indices, nnz, &o->indices, err);
    return status ? status : hsc_out_stream_open_sized(s->out, group, "data", HSC_COLTYPE_U4, &counts, nnz, &o->data, err);
}

static hsc_status close_order(hsc_store *s, hsc_store_order *o, hsc_err *err) {
    hsc_out_notes indptr = {.description = "where the values of each row begin, and the end", .effort = o->n < HSC_CHUNK_ROWS ? HSC_EFFORT_USUAL : HSC_EFFORT_SPARSE};
    hsc_out_stream *indices = o->indices, *data = o->data;
    o->indices = o->data = NULL;
    hsc_status status = hsc_out_stream_close(indices, err);
    if (status)
        hsc_out_stream_abort(data);
    else
        status = hsc_out_stream_close(data, err);
    return status ? status : hsc_out_set(s->out, o->group, "indptr", HSC_COLTYPE_U8, 0, o->indptr, o->n + 1, &indptr, NULL, err);
}

/* Rows that follow. indptr is relative; indices and counts from indptr[0] on, or NULL: those that the database before has there. */
static hsc_status put_order(hsc_store_order *o, uint64_t n, const uint64_t *indptr, const uint32_t *indices, const uint32_t *counts,
                            hsc_err *err) {
    uint64_t more = indptr[n] - indptr[0];
    for (uint64_t i = 0; i < n; i++)
        o->indptr[o->done + i + 1] = o->nnz + indptr[i + 1] - indptr[0];
    o->done += n;
    hsc_status status = HSC_OK;
    for (uint64_t done = 0, m; done < more && !status; done += m) { /* chunk by chunk, so that their order in the file is that of the values */
        m = HSC_CHUNK_ROWS - o->nnz % HSC_CHUNK_ROWS;
        m = m < more - done ? m : more - done;
        status = indices ? hsc_out_stream_put(o->indices, indices + done, m, err) : hsc_out_stream_keep(o->indices, m, err);
        if (!status)
            status = counts ? hsc_out_stream_put(o->data, counts + done, m, err) : hsc_out_stream_keep(o->data, m, err);
        o->nnz += m;
    }
    return status;
}

static hsc_status put_totals(hsc_store_values *v, uint64_t n, const uint64_t *indptr, const uint32_t *indices, const uint32_t *counts,
                             hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint64_t i = 0; i < n && !status; i++) {
        uint64_t at = indptr[i] - indptr[0];
        status = hsc_totals_put(v->totals, indices + at, counts + at, indptr[i + 1] - indptr[i], err);
    }
    return status;
}

/* ---- bands ---- */

/* Threads 0 to columns - 1 as the digits of their number have it: the largest band first, and what one more thread changes is the last few. All threads of
 * a process are in one band. */
static void choose_bands(const hsc_store *s, hsc_store_values *v) {
    const uint32_t *process = s->kept[HSC_COL_thread_process];
    uint64_t size = s->band_unit, end = 0, cells = v->rows * v->columns, values = s->expected < cells ? s->expected : cells;
    if (values < s->bands_min || values < v->rows * s->band_values || v->rows >= HSC_NONE / HSC_BANDS_MAX)
        return;
    v->bands = 0;
    while (size * HSC_BAND_FACTOR <= v->columns)
        size *= HSC_BAND_FACTOR;
    for (; size >= s->band_unit && v->bands < HSC_BANDS_MAX - 1; size /= HSC_BAND_FACTOR) {
        end += (v->columns - end) / size * size;
        uint64_t begin = end;
        while (begin && begin < v->columns && process[begin] == process[begin - 1])
            begin--;
        if (begin > v->band_begin[v->bands])
            v->band_begin[++v->bands] = (uint32_t)begin;
    }
    if (!v->bands || v->columns > v->band_begin[v->bands])
        v->band_begin[++v->bands] = v->columns;
}

static uint32_t band_of(const hsc_store_values *v, uint32_t thread) {
    uint32_t band = 0;
    while (band + 1 < v->bands && thread >= v->band_begin[band + 1])
        band++;
    return band;
}

void hsc_store_expect_values(hsc_store *s, uint64_t n) { s->expected = n; }

/* ---- values that are put ---- */

static hsc_status begin_put(hsc_store *s, bool by_thread, hsc_err *err) {
    hsc_store_values *v = &s->values;
    const hsc_values_def *d = &hsc_schema_values[v->table];
    hid_t metric = -1, group = 0;
    for (uint32_t p = 0; p < v->columns; p++)
        if (((const uint32_t *)s->kept[HSC_COL_thread_process])[p] >= s->tables.rows[HSC_TAB_process])
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: thread %" PRIu32 " is of no process put before the values", s->path, p);
    v->begun = true;
    v->by_thread = by_thread;
    v->parts = calloc(HSC_STORE_PARTS, sizeof *v->parts);
    if (by_thread)
        choose_bands(s, v);
    uint64_t others = by_thread ? v->rows * v->bands : v->columns;
    v->part_rows = others / HSC_STORE_PARTS + 1;
    v->values_of = calloc(others + 1, sizeof *v->values_of);
    if (!v->parts || !v->values_of)
        return hsc_store_values_memory(s, err);
    hsc_status status = hsc_store_metric_group(s, v->metric, &metric, err);
    if (!status)
        status = hsc_out_group(s->out, metric, d->name, &group, err);
    v->group = group;
    if (!status)
        status = hsc_out_text(s->out, v->group, "description", d->meaning, err);
    if (metric >= 0)
        hsc_out_close_group(s->out, metric);
    if (!status && !by_thread)
        status = hsc_totals_new(s, true, UINT64_MAX, &v->totals, err);
    return status ? status : open_order(s, &v->put, by_thread, UINT64_MAX, err);
}

/* A row as a column of the other order. */
static bool put_turned(hsc_store_values *v, uint32_t column, const uint32_t *rows, const uint32_t *counts, uint64_t n) {
    uint64_t part = 0, first = 0, end = 0; /* of the rows of parts[part - 1] */
    uint64_t base = v->by_thread ? band_of(v, column) * v->rows : 0;
    bool ok = true;
    for (uint64_t k = 0; k < n && ok; k++) {
        uint64_t row = base + rows[k];
        if (row >= end) {
            part = row / v->part_rows + 1;
            end = part * v->part_rows;
            first = end - v->part_rows;
        }
        ok = hsc_turned_put(&v->spill, &v->parts[part - 1], &(hsc_turned_value){(uint32_t)(row - first), column, counts[k]});
        v->values_of[row]++;
    }
    return ok;
}

static hsc_status put(hsc_store *s, bool by_thread, uint64_t n, const uint64_t *indptr, const uint32_t *indices, const uint32_t *counts,
                      hsc_err *err) {
    hsc_store_values *v = &s->values;
    if (!v->open)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values without a table", s->path);
    const char *name = hsc_schema_values[v->table].name;
    uint64_t all = by_thread ? v->columns : v->rows, others = by_thread ? v->rows : v->columns;
    if (v->begun && v->by_thread != by_thread)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: rows and threads are mixed", s->path, name);
    if (n > all - (v->begun ? v->put.done : 0))
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: more than its %" PRIu64 " %s", s->path, name, all,
                           by_thread ? "threads" : "rows");
    if (!n)
        return HSC_OK;
    hsc_status status = hsc_check_indptr(s->path, name, (hsc_ends){.wide = indptr}, n, indptr[n], err);
    if (!status)
        status = hsc_check_sparse(s->path, name, v->begun ? v->put.done : 0, n, (hsc_ends){.wide = indptr}, indices, others, err);
    for (uint64_t k = 0; !status && k < indptr[n]; k++)
        if (!counts[k])
            status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: a count of 0 in the block from row %" PRIu64,
                                 s->path, name, v->begun ? v->put.done : 0);
    if (!status && !v->begun)
        status = begin_put(s, by_thread, err);
    uint64_t first = v->put.done;
    if (!status)
        status = put_order(&v->put, n, indptr, indices, counts, err);
    if (!status && !by_thread)
        status = put_totals(v, n, indptr, indices, counts, err);
    for (uint64_t i = 0; i < n && !status; i++)
        if (!put_turned(v, (uint32_t)(first + i), indices + indptr[i], counts + indptr[i], indptr[i + 1] - indptr[i]))
            status = hsc_store_values_memory(s, err);
    return status;
}

hsc_status hsc_store_put_rows(hsc_store *s, uint64_t n, const uint64_t *indptr, const uint32_t *indices,
                              const uint32_t *counts, hsc_err *err) {
    return put(s, false, n, indptr, indices, counts, err);
}

hsc_status hsc_store_put_threads(hsc_store *s, uint64_t n, const uint64_t *indptr, const uint32_t *indices,
                                 const uint32_t *counts, hsc_err *err) {
    return put(s, true, n, indptr, indices, counts, err);
}

/* ---- values that are kept ---- */

void hsc_store_values_path(const hsc_store_values *v, const char *what, char *path, size_t size) {
    snprintf(path, size, "/metrics/%" PRIu32 "/%s%s%s", v->metric, hsc_schema_values[v->table].name, what[0] ? "/" : "", what);
}

/* How many of the first bands are those of the database before, whole, so that nobody needs to see their values; where there may be
 * pyramids, these need all. */
static bool find_kept_bands(hsc_store *s, uint64_t nnz) {
    hsc_store_values *v = &s->values;
    uint64_t begin[HSC_BANDS_MAX + 1], most = nnz + (v->columns - v->kept) * v->rows;
    char path[128];
    hsc_store_values_path(v, "process_stats", path, sizeof path);
    bool by_process = H5Lexists(s->before, path, H5P_DEFAULT) > 0;
    hsc_store_values_path(v, "by_row", path, sizeof path);
    unsigned n = hsc_before_attribute(s->before, path, "band_begin", HSC_BANDS_MAX + 1, begin);
    if (v->bands < 2 || n < 3 || most >= s->pyramid_min || by_process != hsc_totals_has_processes(s) || begin[n - 1] != v->kept)
        return true;
    uint32_t bands = 0;
    while (bands < v->bands && bands + 1 < n && begin[bands + 1] == v->band_begin[bands + 1])
        bands++;
    if (!bands)
        return true;
    v->kept_indptr = malloc((v->rows * bands + 1) * sizeof *v->kept_indptr);
    if (!v->kept_indptr)
        return false;
    if (hsc_before_indptr(s->before, path, v->rows * bands, v->kept_indptr))
        v->kept_bands = bands;
    return true;
}

/* Threads [first, n) of the database before, for the other order. */
static hsc_status turn_kept(hsc_store *s, uint32_t first, uint32_t n, const uint64_t *indptr, hsc_err *err) {
    enum { SOME = 1 << 16 }; /* values, or those of one thread */
    hsc_store_values *v = &s->values;
    char indices_path[128], data_path[128];
    hsc_store_values_path(v, "by_thread/indices", indices_path, sizeof indices_path);
    hsc_store_values_path(v, "by_thread/data", data_path, sizeof data_path);
    hsc_status status = HSC_OK;
    for (uint32_t t = first, end; t < n && !status; t = end) {
        for (end = t + 1; end < n && indptr[end + 1] - indptr[t] <= SOME;)
            end++;
        uint64_t some = indptr[end] - indptr[t];
        uint32_t *rows = malloc((some + 1) * sizeof *rows), *counts = malloc((some + 1) * sizeof *counts);
        if (!rows || !counts)
            status = hsc_store_values_memory(s, err);
        else if (!hsc_before_read(s->before, indices_path, HSC_COLTYPE_U4, indptr[t], some, rows) ||
                 !hsc_before_read(s->before, data_path, HSC_COLTYPE_U4, indptr[t], some, counts))
            status = hsc_out_fail_before(s->out, data_path, err);
        for (uint64_t k = 0; k < some && !status; k++)
            if (rows[k] >= v->rows || !counts[k])
                status = hsc_out_fail_before(s->out, indices_path, err);
        for (uint32_t i = t; i < end && !status; i++)
            if (!put_turned(v, i, rows + (indptr[i] - indptr[t]), counts + (indptr[i] - indptr[t]), indptr[i + 1] - indptr[i]))
                status = hsc_store_values_memory(s, err);
        free(rows);
        free(counts);
    }
    return status;
}

hsc_status hsc_store_keep_threads(hsc_store *s, uint32_t n, bool *kept, hsc_err *err) {
    hsc_store_values *v = &s->values;
    uint64_t shape[2];
    char path[128];
    *kept = false;
    if (!v->open || v->begun)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values are kept without a table, or after others were put", s->path);
    hsc_store_values_path(v, "by_thread", path, sizeof path);
    if (s->before < 0 || !n || n > v->columns || hsc_before_attribute(s->before, path, "shape", 2, shape) != 2 || shape[0] != n || shape[1] != v->rows)
        return HSC_OK;
    uint64_t *indptr = malloc(((uint64_t)n + 1) * sizeof *indptr);
    hsc_status status = indptr ? HSC_OK : hsc_store_values_memory(s, err);
    if (!status && hsc_before_indptr(s->before, path, n, indptr)) {
        *kept = true;
        status = begin_put(s, true, err);
        v->kept = n;
        if (!status && !find_kept_bands(s, indptr[n]))
            status = hsc_store_values_memory(s, err);
        if (!status)
            status = put_order(&v->put, n, indptr, NULL, NULL, err);
        if (!status)
            status = turn_kept(s, v->kept_bands ? v->band_begin[v->kept_bands] : 0, n, indptr, err);
    }
    free(indptr);
    return status;
}

/* ---- the other order ---- */

typedef struct turning {
    uint64_t *at; /* by row of the part: where its next value goes */
    uint32_t *indices, *counts;
} turning;

static bool turn_value(void *ctx, const hsc_turned_value *v) {
    const turning *t = ctx;
    uint64_t at = t->at[v->row]++;
    t->indices[at] = v->column;
    t->counts[at] = v->count;
    return true;
}

/* Rows [first, first + n) of the other order from a list of them. */
static hsc_status turn_part(hsc_store *s, hsc_turned *l, uint64_t first, uint64_t n, hsc_err *err) {
    hsc_store_values *v = &s->values;
    hsc_status status = HSC_OK;
    uint64_t *indptr = malloc((n + 1) * sizeof *indptr);
    turning t = {malloc((n + 1) * sizeof *t.at), malloc((l->count + 1) * sizeof *t.indices), malloc((l->count + 1) * sizeof *t.counts)};
    if (!indptr || !t.at || !t.indices || !t.counts)
        status = hsc_store_values_memory(s, err);
    for (uint64_t r = 0, at = 0; r <= n && !status; r++) {
        indptr[r] = t.at[r] = at;
        at += r < n ? v->values_of[first + r] : 0;
    }
    if (!status)
        status = hsc_turned_each(&v->spill, l, turn_value, &t, err);
    hsc_turned_fini(l);
    uint64_t skip = v->made.done - first; /* rows of bands that are kept */
    if (!status)
        status = put_order(&v->made, n - skip, indptr + skip, t.indices, t.counts, err);
    if (!status && v->by_thread)
        status = put_totals(v, n - skip, indptr + skip, t.indices, t.counts, err);
    free(indptr);
    free(t.at);
    free(t.indices);
    free(t.counts);
    return status;
}

typedef struct split { /* a part into smaller ones */
    hsc_spill *spill;
    hsc_turned parts[16];
    uint64_t rows; /* of each */
} split;

static bool split_value(void *ctx, const hsc_turned_value *v) {
    split *t = ctx;
    uint64_t part = v->row / t->rows;
    return hsc_turned_put(t->spill, &t->parts[part], &(hsc_turned_value){(uint32_t)(v->row - part * t->rows), v->column, v->count});
}

/* The same, in smaller ranges where the part is too large to be held. */
static hsc_status make_part(hsc_store *s, hsc_turned *l, uint64_t first, uint64_t n, hsc_err *err) {
    hsc_store_values *v = &s->values;
    if (first + n <= v->made.done)
        return HSC_OK; /* all of bands that are kept */
    if (l->count <= s->part_max || n == 1)
        return turn_part(s, l, first, n, err);
    split t = {.spill = &v->spill, .rows = (n + 15) / 16};
    hsc_status status = hsc_turned_each(&v->spill, l, split_value, &t, err);
    hsc_turned_fini(l);
    for (uint64_t i = 0; i < 16; i++) {
        uint64_t from = i * t.rows < n ? i * t.rows : n, to = from + t.rows < n ? from + t.rows : n;
        if (!status && from < to)
            status = make_part(s, &t.parts[i], first + from, to - from, err);
        hsc_turned_fini(&t.parts[i]);
    }
    return status;
}

hsc_status hsc_store_note_written(hsc_store *s, const hsc_store_written *what, hsc_err *err) {
    hsc_store_written *w = realloc(s->written, (s->n_written + 1) * sizeof *w);
    if (!w)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", s->path);
    s->written = w;
    w[s->n_written++] = *what;
    return HSC_OK;
}

hsc_status hsc_store_end_values(hsc_store *s, hsc_err *err) {
    hsc_store_values *v = &s->values;
    hsc_status status = HSC_OK;
    if (!v->open)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: end of values without a table", s->path);
    const hsc_values_def *d = &hsc_schema_values[v->table];
    uint64_t all = v->by_thread ? v->columns : v->rows, done = v->begun ? v->put.done : 0;
    if (done != all)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: expected %" PRIu64 " %s, got %" PRIu64, s->path, d->name, all,
                           v->by_thread ? "threads" : "rows", done);
    if (!v->begun)
        status = begin_put(s, false, err);
    if (!status)
        status = hsc_store_note_written(s, &(hsc_store_written){.metric = v->metric, .table = v->table, .rows = v->rows, .columns = v->columns}, err);
    uint64_t nnz = v->put.nnz;
    bool pyramids = nnz >= s->pyramid_min;
    if (!status)
        status = close_order(s, &v->put, err);
    if (!status && v->by_thread)
        status = hsc_totals_new(s, pyramids, nnz, &v->totals, err);
    if (!status)
        status = open_order(s, &v->made, !v->by_thread, nnz, err);
    if (!status && v->kept_bands)
        status = hsc_totals_keep(v->totals, v->kept, ((const uint32_t *)s->kept[HSC_COL_thread_process])[v->kept - 1] + 1, err);
    if (!status && v->kept_bands)
        status = put_order(&v->made, v->rows * v->kept_bands, v->kept_indptr, NULL, NULL, err);
    for (unsigned i = 0; i < HSC_STORE_PARTS && !status; i++) {
        uint64_t first = i * v->part_rows < v->made.n ? i * v->part_rows : v->made.n;
        uint64_t n = v->made.n - first < v->part_rows ? v->made.n - first : v->part_rows;
        if (n)
            status = make_part(s, &v->parts[i], first, n, err);
    }
    if (!status)
        status = close_order(s, &v->made, err);
    if (!status)
        status = hsc_totals_write(v->totals, pyramids, err);
    hsc_store_values_clear(s);
    return status;
}

hsc_status hsc_store_values_finish(hsc_store *s, hsc_err *err) {
    for (uint32_t i = 0; i < s->n_written; i++) {
        const hsc_store_written *w = &s->written[i];
        const hsc_values_def *d = &hsc_schema_values[w->table];
        uint64_t rows = s->tables.rows[d->rows];
        if (w->table == HSC_TABLE_SCOPE_CATEGORY)
            rows *= s->tables.rows[HSC_TAB_category];
        if (rows != w->rows || w->columns != s->tables.rows[HSC_TAB_thread])
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: expected %" PRIu64 " rows x %" PRIu64
                               " threads, got %" PRIu64 " x %" PRIu32, s->path, d->name, rows, s->tables.rows[HSC_TAB_thread],
                               w->rows, w->columns);
    }
    return HSC_OK;
}
