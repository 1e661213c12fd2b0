/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Value tables: the second order, statistics by thread and by process, pyramids of row blocks. */
#include "store_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static hsc_status values_memory(hsc_store *s, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for values of table %s", s->path,
                       hsc_schema_values[s->values.table].name);
}

void hsc_store_values_clear(hsc_store *s) {
    free(s->values.indptr);
    free(s->values.indices);
    free(s->values.counts);
    memset(&s->values, 0, sizeof s->values);
    free(s->written);
    s->written = NULL;
    s->n_written = 0;
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
    uint64_t *indptr = malloc((rows + 1) * sizeof *indptr);
    if (!indptr)
        return values_memory(s, err);
    indptr[0] = 0;
    *v = (hsc_store_values){.open = true, .metric = metric, .table = table, .rows = rows, .columns = columns, .indptr = indptr};
    return HSC_OK;
}

hsc_status hsc_store_put_rows(hsc_store *s, uint64_t n, const uint64_t *indptr, const uint32_t *indices,
                              const uint32_t *counts, hsc_err *err) {
    hsc_store_values *v = &s->values;
    if (!v->open)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values without a table", s->path);
    const char *name = hsc_schema_values[v->table].name;
    if (n > v->rows - v->rows_done)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: more than its %" PRIu64 " rows", s->path, name, v->rows);
    if (!n)
        return HSC_OK;
    hsc_status status = hsc_check_indptr(s->path, name, indptr, n, indptr[n], err);
    if (!status)
        status = hsc_check_sparse(s->path, name, v->rows_done, n, indptr, indices, v->columns, err);
    if (status)
        return status;
    uint64_t more = indptr[n];
    for (uint64_t k = 0; k < more; k++)
        if (!counts[k])
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: a count of 0 in the block from row %" PRIu64,
                               s->path, name, v->rows_done);
    if (v->nnz + more > v->capacity) {
        uint64_t c = v->nnz + more + v->nnz / 2;
        uint32_t *p = realloc(v->indices, c * sizeof *p);
        if (!p)
            return values_memory(s, err);
        v->indices = p;
        p = realloc(v->counts, c * sizeof *p);
        if (!p)
            return values_memory(s, err);
        v->counts = p;
        v->capacity = c;
    }
    if (more) {
        memcpy(v->indices + v->nnz, indices, more * sizeof *indices);
        memcpy(v->counts + v->nnz, counts, more * sizeof *counts);
    }
    for (uint64_t i = 0; i < n; i++)
        v->indptr[v->rows_done + i + 1] = v->nnz + indptr[i + 1];
    v->rows_done += n;
    v->nnz += more;
    return HSC_OK;
}

/* ---- sparse rows ---- */

typedef struct sparse {
    uint64_t rows, nnz;
    uint32_t columns;
    uint64_t *indptr;
    uint32_t *indices;
    bool level;         /* it has max and sum, not counts */
    uint32_t *counts;
    uint64_t *max, *sum;
} sparse;

static void sparse_clear(sparse *m) {
    free(m->indptr);
    free(m->indices);
    free(m->counts);
    free(m->max);
    free(m->sum);
    *m = (sparse){0};
}

static hsc_status write_sparse(hsc_store *s, hid_t parent, const char *name, const sparse *m, const char *row_axis,
                               const char *column_axis, const char *description, hsc_err *err) {
    const int64_t shape[2] = {(int64_t)m->rows, m->columns};
    hid_t g = -1;
    hsc_out_notes indptr = {.description = "where the values of each row begin, and the end"};
    hsc_out_notes indices = {.description = "columns of the values, rising in each row"};
    hsc_out_notes counts = {.description = "samples; times scale_factor: the metric"};
    hsc_out_notes max = {.description = "largest cell of the block's rows in this column", .units = "sample"};
    hsc_out_notes sum = {.description = "sum over the block's rows in this column", .units = "sample"};
    hsc_status status = hsc_out_group(s->out, parent, name, &g, err);
    if (status)
        return status;
    status = hsc_out_text(s->out, g, "description", description, err);
    if (!status)
        status = hsc_out_text(s->out, g, "encoding-type", "csr_matrix", err);
    if (!status)
        status = hsc_out_text(s->out, g, "encoding-version", "0.1.0", err);
    if (!status)
        status = hsc_out_numbers(s->out, g, "shape", H5T_STD_I64LE, H5T_NATIVE_INT64, shape, 2, err);
    if (!status)
        status = hsc_out_text(s->out, g, "row_axis", row_axis, err);
    if (!status)
        status = hsc_out_text(s->out, g, "column_axis", column_axis, err);
    if (!status)
        status = hsc_out_set(s->out, g, "indptr", HSC_COLTYPE_U8, 0, m->indptr, m->rows + 1, &indptr, NULL, err);
    if (!status)
        status = hsc_out_set(s->out, g, "indices", HSC_COLTYPE_U4, 0, m->indices, m->nnz, &indices, NULL, err);
    if (!status && !m->level)
        status = hsc_out_set(s->out, g, "data", HSC_COLTYPE_U4, 0, m->counts, m->nnz, &counts, NULL, err);
    if (!status && m->level)
        status = hsc_out_set(s->out, g, "max", HSC_COLTYPE_U8, 0, m->max, m->nnz, &max, NULL, err);
    if (!status && m->level)
        status = hsc_out_set(s->out, g, "sum", HSC_COLTYPE_U8, 0, m->sum, m->nnz, &sum, NULL, err);
    H5Gclose(g);
    return status;
}

static hsc_status transpose(hsc_store *s, const hsc_store_values *v, sparse *t, hsc_err *err) {
    uint64_t *next = malloc(((uint64_t)v->columns + 1) * sizeof *next);
    t->rows = v->columns;
    t->columns = (uint32_t)v->rows;
    t->nnz = v->nnz;
    t->indptr = calloc((uint64_t)v->columns + 2, sizeof *t->indptr);
    t->indices = malloc(v->nnz ? v->nnz * sizeof *t->indices : 1);
    t->counts = malloc(v->nnz ? v->nnz * sizeof *t->counts : 1);
    if (!next || !t->indptr || !t->indices || !t->counts) {
        free(next);
        return values_memory(s, err);
    }
    for (uint64_t k = 0; k < v->nnz; k++)
        t->indptr[v->indices[k] + 1]++;
    for (uint64_t c = 0; c < v->columns; c++)
        t->indptr[c + 1] += t->indptr[c];
    memcpy(next, t->indptr, v->columns * sizeof *next);
    for (uint64_t r = 0; r < v->rows; r++)
        for (uint64_t k = v->indptr[r]; k < v->indptr[r + 1]; k++) {
            uint64_t at = next[v->indices[k]]++;
            t->indices[at] = (uint32_t)r;
            t->counts[at] = v->counts[k];
        }
    free(next);
    return HSC_OK;
}

/* ---- statistics ---- */

typedef struct row_stats {
    uint64_t *sum, *max, *min;
    uint32_t *argmax, *argmin, *nonzero;
    double *squares;
} row_stats;

static void stats_clear(row_stats *t) {
    free(t->sum);
    free(t->max);
    free(t->min);
    free(t->argmax);
    free(t->argmin);
    free(t->nonzero);
    free(t->squares);
}

static bool stats_new(row_stats *t, uint64_t rows) {
    rows += !rows;
    *t = (row_stats){.sum = malloc(rows * sizeof *t->sum), .max = malloc(rows * sizeof *t->max),
                     .min = malloc(rows * sizeof *t->min), .argmax = malloc(rows * sizeof *t->argmax),
                     .argmin = malloc(rows * sizeof *t->argmin), .nonzero = malloc(rows * sizeof *t->nonzero),
                     .squares = malloc(rows * sizeof *t->squares)};
    return t->sum && t->max && t->min && t->argmax && t->argmin && t->nonzero && t->squares;
}

/* One row of rising columns; those not given are 0 and count for the minimum. */
static void stats_row(row_stats *t, uint64_t row, const uint32_t *columns, const uint64_t *values, uint64_t n,
                      uint64_t all_columns) {
    uint64_t sum = 0, max = 0, min = UINT64_MAX;
    uint32_t argmax = all_columns ? 0 : HSC_NONE, argmin = HSC_NONE, first_gap = 0;
    double squares = 0;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t value = values[k];
        sum += value;
        squares += (double)value * (double)value;
        if (value > max) {
            max = value;
            argmax = columns[k];
        }
        if (value < min) {
            min = value;
            argmin = columns[k];
        }
        first_gap += columns[k] == first_gap;
    }
    if (n < all_columns) {
        min = 0;
        argmin = first_gap;
    } else if (!n)
        min = 0;
    t->sum[row] = sum;
    t->max[row] = max;
    t->min[row] = min;
    t->argmax[row] = argmax;
    t->argmin[row] = argmin;
    t->nonzero[row] = (uint32_t)n;
    t->squares[row] = squares;
}

/* Adds up the threads of each process: columns rise before and after. Returns the number of values. */
static uint64_t by_process(const uint32_t *process, const uint32_t *columns, const uint64_t *values, uint64_t n,
                           uint32_t *out_columns, uint64_t *out_values) {
    uint64_t m = 0;
    for (uint64_t k = 0; k < n; k++) {
        uint32_t p = process[columns[k]];
        if (m && out_columns[m - 1] == p)
            out_values[m - 1] += values[k];
        else {
            out_columns[m] = p;
            out_values[m++] = values[k];
        }
    }
    return m;
}

static hsc_status write_stats(hsc_store *s, hid_t parent, const char *name, const char *axis, const char *rows,
                              const row_stats *t, uint64_t n, hsc_err *err) {
    char description[160];
    hid_t g = -1;
    hsc_status status = hsc_out_group(s->out, parent, name, &g, err);
    if (status)
        return status;
    snprintf(description, sizeof description, "each row's statistics over all rows of %s, those without samples counted as 0", axis);
    status = hsc_out_text(s->out, g, "description", description, err);
    const struct {
        const char *name, *units, *references, *meaning;
        hsc_column_type type;
        const void *values;
    } sets[] = {{"max", "sample", "", "largest", HSC_COLTYPE_U8, t->max},
                {"argmax", "", axis, "first with the largest", HSC_COLTYPE_U4, t->argmax},
                {"min", "sample", "", "smallest", HSC_COLTYPE_U8, t->min},
                {"argmin", "", axis, "first with the smallest", HSC_COLTYPE_U4, t->argmin},
                {"nonzero", "", "", "how many have samples", HSC_COLTYPE_U4, t->nonzero},
                {"sum_squares", "sample2", "", "sum of the squares", HSC_COLTYPE_F8, t->squares}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !status; i++) {
        hsc_out_notes notes = {.units = sets[i].units, .references = sets[i].references, .description = sets[i].meaning,
                               .dimensions = rows};
        status = hsc_out_set(s->out, g, sets[i].name, sets[i].type, 0, sets[i].values, n, &notes, NULL, err);
    }
    H5Gclose(g);
    return status;
}

/* ---- pyramids ---- */

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Reduces `factor` rows of `from` to one. Counts are both maximum and sum. */
static hsc_status coarsen(hsc_store *s, const sparse *from, unsigned factor, sparse *to, hsc_err *err) {
    uint64_t rows = (from->rows + factor - 1) / factor, capacity = 0;
    uint64_t *max = calloc((uint64_t)from->columns + 1, sizeof *max), *sum = calloc((uint64_t)from->columns + 1, sizeof *sum);
    uint32_t *touched = malloc(((uint64_t)from->columns + 1) * sizeof *touched);
    hsc_status status = HSC_OK;
    *to = (sparse){.level = true, .rows = rows, .columns = from->columns, .indptr = malloc((rows + 1) * sizeof *to->indptr)};
    if (!max || !sum || !touched || !to->indptr) {
        status = values_memory(s, err);
        goto done;
    }
    to->indptr[0] = 0;
    for (uint64_t r = 0; r < rows; r++) {
        uint64_t first = r * factor, last = first + factor < from->rows ? first + factor : from->rows, n = 0;
        for (uint64_t k = from->indptr[first]; k < from->indptr[last]; k++) {
            uint32_t c = from->indices[k];
            uint64_t m = from->level ? from->max[k] : from->counts[k], a = from->level ? from->sum[k] : from->counts[k];
            if (!sum[c])
                touched[n++] = c;
            sum[c] += a;
            if (m > max[c])
                max[c] = m;
        }
        if (n > from->columns / 16) { /* a scan is cheaper than a sort */
            n = 0;
            for (uint32_t c = 0; c < from->columns; c++)
                if (sum[c])
                    touched[n++] = c;
        } else
            qsort(touched, n, sizeof *touched, compare_u32);
        if (to->nnz + n > capacity) {
            capacity = to->nnz + n + capacity / 2 + 4096;
            void *a = realloc(to->indices, capacity * sizeof *to->indices);
            to->indices = a ? a : to->indices;
            void *b = realloc(to->max, capacity * sizeof *to->max);
            to->max = b ? b : to->max;
            void *c = realloc(to->sum, capacity * sizeof *to->sum);
            to->sum = c ? c : to->sum;
            if (!a || !b || !c) {
                status = values_memory(s, err);
                goto done;
            }
        }
        for (uint64_t i = 0; i < n; i++) {
            uint32_t c = touched[i];
            to->indices[to->nnz] = c;
            to->max[to->nnz] = max[c];
            to->sum[to->nnz++] = sum[c];
            max[c] = sum[c] = 0;
        }
        to->indptr[r + 1] = to->nnz;
    }
done:
    free(max);
    free(sum);
    free(touched);
    if (status)
        sparse_clear(to);
    return status;
}

/* Levels of 16, 64, 256 ... rows; one is stored only where it has a third of the values of the level stored before, so
 * that all of them together have at most half of the table's. */
static hsc_status write_pyramid(hsc_store *s, hid_t parent, const char *name, const sparse *base, const char *row_axis,
                                const char *column_axis, hsc_err *err) {
    hsc_status status = HSC_OK;
    sparse level = {0}, next = {0};
    const sparse *from = base;
    uint64_t block = HSC_LEVEL_FIRST, stored_nnz = base->nnz;
    unsigned factor = HSC_LEVEL_FIRST;
    hid_t g = -1;
    for (int i = 0; i < HSC_LEVELS_MAX && from->rows > factor * 4u; i++) {
        status = coarsen(s, from, factor, &next, err);
        if (status)
            goto done;
        if (next.nnz <= stored_nnz / HSC_LEVEL_GAIN) {
            char level_name[24], description[96];
            snprintf(level_name, sizeof level_name, "%" PRIu64, block);
            snprintf(description, sizeof description, "blocks of %" PRIu64 " rows", block);
            if (g < 0)
                status = hsc_out_group(s->out, parent, name, &g, err);
            if (!status)
                status = write_sparse(s, g, level_name, &next, row_axis, column_axis, description, err);
            if (status)
                goto done;
            stored_nnz = next.nnz;
        }
        sparse_clear(&level);
        level = next;
        next = (sparse){0};
        from = &level;
        factor = HSC_LEVEL_FACTOR;
        block *= HSC_LEVEL_FACTOR;
    }
done:
    if (g >= 0)
        H5Gclose(g);
    sparse_clear(&level);
    sparse_clear(&next);
    return status;
}

/* ---- all of a table ---- */

/* Each process has one thread: statistics and pyramids by process would be those by thread again. */
static bool same_axes_of(const hsc_store *s) {
    const uint32_t *process = s->kept[HSC_COL_thread_process];
    for (uint64_t t = 0; t < s->tables.rows[HSC_TAB_thread]; t++)
        if (process[t] != t)
            return false;
    return s->tables.rows[HSC_TAB_thread] == s->tables.rows[HSC_TAB_process];
}

static hsc_status write_totals(hsc_store *s, hid_t g, sparse *process_rows, hsc_err *err) {
    const hsc_store_values *v = &s->values;
    const char *row_axis = hsc_schema_tables[hsc_schema_values[v->table].rows].name;
    const uint32_t *process = s->kept[HSC_COL_thread_process];
    uint64_t processes = s->tables.rows[HSC_TAB_process];
    row_stats thread = {0}, proc = {0};
    uint64_t *values = malloc(((uint64_t)v->columns + 1) * sizeof *values), *sums = malloc(((uint64_t)v->columns + 1) * sizeof *sums);
    uint32_t *columns = malloc(((uint64_t)v->columns + 1) * sizeof *columns);
    hsc_status status = HSC_OK;
    if (!values || !sums || !columns || !stats_new(&thread, v->rows) || !stats_new(&proc, v->rows)) {
        status = values_memory(s, err);
        goto done;
    }
    for (uint64_t r = 0; r < v->rows; r++) {
        uint64_t at = v->indptr[r], n = v->indptr[r + 1] - at;
        for (uint64_t k = 0; k < n; k++)
            values[k] = v->counts[at + k];
        stats_row(&thread, r, v->indices + at, values, n, v->columns);
        uint64_t m = by_process(process, v->indices + at, values, n, columns, sums);
        stats_row(&proc, r, columns, sums, m, processes);
        if (process_rows->indptr) {
            memcpy(process_rows->indices + process_rows->nnz, columns, m * sizeof *columns);
            memcpy(process_rows->max + process_rows->nnz, sums, m * sizeof *sums);
            process_rows->nnz += m;
            process_rows->indptr[r + 1] = process_rows->nnz;
        }
    }
    hsc_out_notes notes = {.description = "samples, sum over all threads; times scale_factor: the metric", .dimensions = row_axis};
    status = hsc_out_set(s->out, g, "sum", HSC_COLTYPE_U8, 0, thread.sum, v->rows, &notes, NULL, err);
    if (!status)
        status = write_stats(s, g, "thread_stats", "/run/thread", row_axis, &thread, v->rows, err);
    if (!status && !same_axes_of(s))
        status = write_stats(s, g, "process_stats", "/run/process", row_axis, &proc, v->rows, err);
done:
    stats_clear(&thread);
    stats_clear(&proc);
    free(values);
    free(sums);
    free(columns);
    return status;
}

static hsc_status metric_group(hsc_store *s, uint32_t metric, hid_t *g, hsc_err *err) {
    char name[16];
    hsc_status status = HSC_OK;
    snprintf(name, sizeof name, "%" PRIu32, metric);
    if (s->metrics < 0 && (status = hsc_out_group(s->out, s->file, "metrics", &s->metrics, err)))
        return status;
    if (H5Lexists(s->metrics, name, H5P_DEFAULT) > 0) {
        *g = H5Gopen2(s->metrics, name, H5P_DEFAULT);
        return *g < 0 ? hsc_out_fail(s->out, "open metric", name, err) : HSC_OK;
    }
    return hsc_out_group(s->out, s->metrics, name, g, err);
}

hsc_status hsc_store_end_values(hsc_store *s, hsc_err *err) {
    hsc_store_values *v = &s->values;
    hid_t metric = -1, g = -1;
    hsc_status status = HSC_OK;
    sparse rows = {0}, columns = {0}, process_rows = {0};
    if (!v->open)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: end of values without a table", s->path);
    const hsc_values_def *d = &hsc_schema_values[v->table];
    const char *row_axis = hsc_schema_tables[d->rows].name;
    if (v->rows_done != v->rows)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: expected %" PRIu64 " rows, got %" PRIu64, s->path, d->name,
                           v->rows, v->rows_done);
    for (uint32_t p = 0; p < v->columns; p++)
        if (((const uint32_t *)s->kept[HSC_COL_thread_process])[p] >= s->tables.rows[HSC_TAB_process])
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: thread %" PRIu32 " is of no process put before the values", s->path, p);
    hsc_store_written *w = realloc(s->written, (s->n_written + 1) * sizeof *w);
    if (!w)
        return values_memory(s, err);
    s->written = w;
    w[s->n_written++] = (hsc_store_written){.metric = v->metric, .table = v->table, .rows = v->rows, .columns = v->columns};
    status = metric_group(s, v->metric, &metric, err);
    if (!status)
        status = hsc_out_group(s->out, metric, d->name, &g, err);
    if (!status)
        status = hsc_out_text(s->out, g, "description", d->meaning, err);
    if (status)
        goto done;
    rows = (sparse){.rows = v->rows, .columns = v->columns, .nnz = v->nnz, .indptr = v->indptr, .indices = v->indices,
                    .counts = v->counts};
    status = write_sparse(s, g, "by_row", &rows, row_axis, "thread", "rows of the table", err);
    if (!status)
        status = transpose(s, v, &columns, err);
    if (!status)
        status = write_sparse(s, g, "by_thread", &columns, "thread", row_axis, "the same values, threads as rows", err);
    sparse_clear(&columns);
    if (status)
        goto done;
    bool pyramid = v->nnz >= s->pyramid_min;
    bool same_axes = same_axes_of(s);
    if (pyramid && !same_axes) {
        process_rows = (sparse){.level = true, .rows = v->rows, .columns = (uint32_t)s->tables.rows[HSC_TAB_process],
                                .indptr = calloc(v->rows + 1, sizeof(uint64_t)), .indices = malloc(v->nnz * sizeof(uint32_t)),
                                .max = malloc(v->nnz * sizeof(uint64_t))};
        if (!process_rows.indptr || !process_rows.indices || !process_rows.max) {
            status = values_memory(s, err);
            goto done;
        }
    }
    status = write_totals(s, g, &process_rows, err);
    if (!status && pyramid)
        status = write_pyramid(s, g, "thread_blocks", &rows, row_axis, "thread", err);
    if (!status && pyramid && !same_axes) {
        process_rows.sum = malloc(process_rows.nnz * sizeof(uint64_t));
        if (process_rows.sum) {
            memcpy(process_rows.sum, process_rows.max, process_rows.nnz * sizeof(uint64_t));
            status = write_pyramid(s, g, "process_blocks", &process_rows, row_axis, "process", err);
        } else
            status = values_memory(s, err);
    }
done:
    sparse_clear(&process_rows);
    if (g >= 0)
        H5Gclose(g);
    if (metric >= 0)
        H5Gclose(metric);
    free(v->indptr);
    free(v->indices);
    free(v->counts);
    *v = (hsc_store_values){0};
    return status;
}

static hsc_status finish_one(hsc_store *s, const hsc_store_written *w, const char *unit, hsc_err *err) {
    static const char *const sets[] = {"by_row/data", "by_thread/data", "sum"};
    double scale = ((const double *)s->kept[HSC_COL_metric_scale])[w->metric];
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !status; i++) {
        char path[96];
        snprintf(path, sizeof path, "%" PRIu32 "/%s/%s", w->metric, hsc_schema_values[w->table].name, sets[i]);
        hid_t set = H5Dopen2(s->metrics, path, H5P_DEFAULT);
        if (set < 0)
            return hsc_out_fail(s->out, "open", path, err);
        /* CF packing: value in units = number * scale_factor */
        status = hsc_out_text(s->out, set, "units", unit, err);
        if (!status)
            status = hsc_out_numbers(s->out, set, "scale_factor", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &scale, 1, err);
        H5Dclose(set);
    }
    return status;
}

hsc_status hsc_store_values_finish(hsc_store *s, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < s->n_written && !status; i++) {
        const hsc_store_written *w = &s->written[i];
        const hsc_values_def *d = &hsc_schema_values[w->table];
        uint64_t rows = s->tables.rows[d->rows];
        if (w->table == HSC_TABLE_SCOPE_CATEGORY)
            rows *= s->tables.rows[HSC_TAB_category];
        if (w->metric >= s->tables.rows[HSC_TAB_metric])
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of metric %" PRIu32 ", the metric table has %" PRIu64 " rows",
                               s->path, w->metric, s->tables.rows[HSC_TAB_metric]);
        if (rows != w->rows || w->columns != s->tables.rows[HSC_TAB_thread])
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: values of table %s: expected %" PRIu64 " rows x %" PRIu64
                               " threads, got %" PRIu64 " x %" PRIu32, s->path, d->name, rows, s->tables.rows[HSC_TAB_thread],
                               w->rows, w->columns);
        status = finish_one(s, w, s->metric_units ? s->metric_units[w->metric] : "", err);
    }
    return status;
}
