/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statistics by thread and by process, and pyramids of row blocks, of a value table whose rows come one by one. */
#include "store_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- statistics ---- */

typedef struct row_stats {
    uint64_t *sum, *max, *min;
    uint32_t *argmax, *argmin, *nonzero;
    uint32_t *gap; /* the first column without a value */
    double *squares;
} row_stats;

static void stats_clear(row_stats *t) {
    free(t->sum);
    free(t->max);
    free(t->min);
    free(t->argmax);
    free(t->argmin);
    free(t->nonzero);
    free(t->gap);
    free(t->squares);
}

static bool stats_new(row_stats *t, uint64_t rows, uint64_t columns) {
    rows += !rows;
    *t = (row_stats){.sum = calloc(rows, sizeof *t->sum), .max = calloc(rows, sizeof *t->max),
                     .min = malloc(rows * sizeof *t->min), .argmax = malloc(rows * sizeof *t->argmax),
                     .argmin = malloc(rows * sizeof *t->argmin), .nonzero = calloc(rows, sizeof *t->nonzero),
                     .gap = calloc(rows, sizeof *t->gap), .squares = calloc(rows, sizeof *t->squares)};
    bool ok = t->sum && t->max && t->min && t->argmax && t->argmin && t->nonzero && t->gap && t->squares;
    for (uint64_t r = 0; ok && r < rows; r++) {
        t->min[r] = UINT64_MAX;
        t->argmax[r] = columns ? 0 : HSC_NONE;
        t->argmin[r] = HSC_NONE;
    }
    return ok;
}

/* More of a row: columns rise from one call to the next. */
static void stats_row(row_stats *t, uint64_t row, const uint32_t *columns, const uint64_t *values, uint64_t n) {
    uint64_t sum = t->sum[row], max = t->max[row], min = t->min[row];
    uint32_t argmax = t->argmax[row], argmin = t->argmin[row], first_gap = t->gap[row];
    double squares = t->squares[row];
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
    t->sum[row] = sum;
    t->max[row] = max;
    t->min[row] = min;
    t->argmax[row] = argmax;
    t->argmin[row] = argmin;
    t->nonzero[row] += (uint32_t)n;
    t->gap[row] = first_gap;
    t->squares[row] = squares;
}

/* After all columns: those not given are 0 and count for the minimum. */
static void stats_end(row_stats *t, uint64_t rows, uint64_t all_columns) {
    for (uint64_t r = 0; r < rows; r++)
        if (t->nonzero[r] < all_columns || !all_columns) {
            t->min[r] = 0;
            t->argmin[r] = all_columns ? t->gap[r] : HSC_NONE;
        }
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
    char description[160], squared[HSC_STRING_MAX + 2];
    hsc_out_notes value = hsc_store_valued(s, "", HSC_EFFORT_SPARSE);
    hid_t g = -1;
    hsc_status status = hsc_out_group(s->out, parent, name, &g, err);
    if (status)
        return status;
    snprintf(description, sizeof description, "each row's statistics over all rows of %s, those without counts as 0", axis);
    status = hsc_out_text(s->out, g, "description", description, err);
    snprintf(squared, sizeof squared, "%s%s", value.units, *value.units ? "2" : "");
    const struct {
        const char *name, *references, *meaning;
        hsc_column_type type;
        int power; /* of the metric; 0: a number */
        const void *values;
    } sets[] = {{"max", "", "largest", HSC_COLTYPE_U8, 1, t->max},
                {"argmax", axis, "first with the largest", HSC_COLTYPE_U4, 0, t->argmax},
                {"min", "", "smallest", HSC_COLTYPE_U8, 1, t->min},
                {"argmin", axis, "first with the smallest", HSC_COLTYPE_U4, 0, t->argmin},
                {"nonzero", "", "how many have counts", HSC_COLTYPE_U4, 0, t->nonzero},
                {"sum_squares", "", "sum of the squares", HSC_COLTYPE_F8, 2, t->squares}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets && !status; i++) {
        hsc_out_notes notes = {.references = sets[i].references, .description = sets[i].meaning, .dimensions = rows, .effort = HSC_EFFORT_SPARSE};
        if (sets[i].power) {
            notes.units = sets[i].power == 2 ? squared : value.units;
            notes.scale_factor = sets[i].power == 2 ? value.scale_factor * value.scale_factor : value.scale_factor;
        }
        status = hsc_out_set(s->out, g, sets[i].name, sets[i].type, 0, sets[i].values, n, &notes, NULL, err);
    }
    hsc_out_close_group(s->out, g);
    return status;
}

/* ---- pyramids ---- */

typedef struct cell { /* of a level */
    uint64_t max, sum;
    uint32_t column;
} cell;

typedef struct level { /* blocks of `factor` rows of the level below */
    unsigned factor;
    uint64_t block;       /* rows of the table in a row of this level */
    uint64_t rows_below;  /* of the level below that are in the block under way */
    uint64_t *max, *sum;  /* by column, of that */
    uint32_t *touched;
    uint64_t n_touched;
    uint64_t n, done, nnz, *indptr; /* n rows in each band; n * bands + 1 */
    hsc_spill_list cells; /* none once there are too many for the level to be stored */
} level;

typedef struct pyramid {
    hsc_store *s;
    hsc_spill *spill;
    uint64_t columns, most; /* cells of a level that is stored */
    unsigned gain_first, gain; /* tenths: a level is stored where it has so many times fewer values than the table; than the last one stored */
    unsigned n;
    level levels[HSC_LEVELS_MAX];
} pyramid;

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* nnz: of the table by thread. together: columns of the table in one of it. */
static bool pyramid_new(pyramid *p, hsc_store *s, hsc_spill *spill, uint64_t nnz, uint64_t rows, uint64_t columns, unsigned together, unsigned gain_first,
                        unsigned gain) {
    unsigned factor = HSC_LEVEL_FIRST;
    uint64_t block = HSC_LEVEL_FIRST;
    *p = (pyramid){.s = s, .spill = spill, .columns = (columns + together - 1) / together, .gain_first = gain_first, .gain = gain, .most = nnz * 10 / gain_first};
    columns = p->columns;
    for (; p->n < HSC_LEVELS_MAX && rows > factor * 4u; p->n++) {
        level *l = &p->levels[p->n];
        rows = (rows + factor - 1) / factor;
        l->factor = factor;
        l->block = block;
        l->n = rows;
        l->max = calloc(columns + 1, sizeof *l->max);
        l->sum = calloc(columns + 1, sizeof *l->sum);
        l->touched = malloc((columns + 1) * sizeof *l->touched);
        l->indptr = calloc(rows * s->values.bands + 1, sizeof *l->indptr);
        if (!l->max || !l->sum || !l->touched || !l->indptr) {
            p->n++;
            return false;
        }
        factor = HSC_LEVEL_FACTOR;
        block *= HSC_LEVEL_FACTOR;
    }
    return true;
}

static void pyramid_free(pyramid *p) {
    for (unsigned i = 0; i < p->n; i++) {
        free(p->levels[i].max);
        free(p->levels[i].sum);
        free(p->levels[i].touched);
        free(p->levels[i].indptr);
        hsc_spill_list_fini(&p->levels[i].cells);
    }
    *p = (pyramid){0};
}

static void add_cell(level *l, uint32_t column, uint64_t max, uint64_t sum) {
    if (!l->sum[column])
        l->touched[l->n_touched++] = column;
    l->sum[column] += sum;
    if (max > l->max[column])
        l->max[column] = max;
}

/* A row's values, by groups of `together` columns. */
static void add_cells(pyramid *p, uint32_t together, const uint32_t *columns, const uint64_t *values, uint64_t n) {
    for (uint64_t k = 0; p->n && k < n; k++)
        add_cell(&p->levels[0], columns[k] / together, values[k], values[k]);
}

/* A row of the level below (level 0: of the table) is complete. */
static hsc_status end_row(pyramid *p, unsigned at, bool last, hsc_err *err) {
    level *l = &p->levels[at];
    if (at >= p->n || (++l->rows_below < l->factor && !last))
        return HSC_OK;
    uint64_t n = l->n_touched;
    if (n > p->columns / 16) { /* a scan is cheaper than a sort */
        n = 0;
        for (uint32_t c = 0; c < p->columns; c++)
            if (l->sum[c])
                l->touched[n++] = c;
    } else if (n > 1)
        qsort(l->touched, n, sizeof *l->touched, compare_u32);
    bool stored = l->nnz + n <= p->most;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t c = l->touched[i];
        cell v = {l->max[c], l->sum[c], c};
        if (stored && !hsc_spill_put(p->spill, &l->cells, &v, sizeof v))
            return hsc_store_values_memory(p->s, err);
        if (at + 1 < p->n)
            add_cell(&p->levels[at + 1], c, v.max, v.sum);
        l->max[c] = l->sum[c] = 0;
    }
    if (!stored)
        hsc_spill_list_fini(&l->cells);
    l->nnz += n;
    l->n_touched = l->rows_below = 0;
    l->indptr[++l->done] = l->nnz;
    return end_row(p, at + 1, last, err);
}

static const char *path_of_axis(const char *axis) {
    for (int i = 0; i < HSC_TAB_COUNT; i++)
        if (!strcmp(hsc_schema_tables[i].name, axis))
            return hsc_schema_tables[i].path;
    return ""; /* several columns of a table */
}

/* One set of a level: what = 0 columns, 1 largest, 2 sums. */
static hsc_status write_cells(pyramid *p, hid_t group, const level *l, int what, const char *column_axis, hsc_err *err) {
    const hsc_out_notes notes[] = {{.description = "columns of the values, rising in each row", .references = path_of_axis(column_axis)},
                                   hsc_store_valued(p->s, "largest cell of the block's rows in this column", HSC_EFFORT_USUAL),
                                   hsc_store_valued(p->s, "sum over the block's rows in this column", HSC_EFFORT_USUAL)};
    static const char *const names[] = {"indices", "max", "sum"};
    enum { BLOCK = 1024 };
    cell cells[BLOCK];
    uint64_t words[BLOCK], got = 1;
    uint32_t columns[BLOCK];
    hsc_spill_cursor c = {.list = &l->cells};
    hsc_out_stream *stream = NULL;
    hsc_status status = hsc_out_stream_open_sized(p->s->out, group, names[what], what ? HSC_COLTYPE_U8 : HSC_COLTYPE_U4, &notes[what], l->nnz,
                                                  &stream, err);
    while (!status && l->nnz && got) {
        status = hsc_spill_read(p->spill, &c, cells, BLOCK, &got, err);
        for (uint64_t i = 0; i < got; i++) {
            columns[i] = cells[i].column;
            words[i] = what == 1 ? cells[i].max : cells[i].sum;
        }
        if (!status)
            status = hsc_out_stream_put(stream, what ? (const void *)words : columns, got, err);
    }
    if (!status)
        return hsc_out_stream_close(stream, err);
    hsc_out_stream_abort(stream);
    return status;
}

static hsc_status write_pyramid(pyramid *p, hid_t parent, const char *name, uint64_t stored_nnz, const char *row_axis,
                                const char *column_axis, const uint32_t *band_begin, hsc_err *err) {
    hsc_status status = HSC_OK;
    hid_t g = -1;
    for (unsigned i = 0; i < p->n && !status; i++) {
        const level *l = &p->levels[i];
        char level_name[24], description[96];
        hid_t group = -1;
        if (l->nnz > stored_nnz * 10 / (g < 0 ? p->gain_first : p->gain))
            continue;
        snprintf(level_name, sizeof level_name, "%" PRIu64, l->block);
        snprintf(description, sizeof description, "blocks of %" PRIu64 " rows", l->block);
        if (g < 0)
            status = hsc_out_group(p->s->out, parent, name, &g, err);
        if (!status)
            status = hsc_store_sparse_group(p->s, g, level_name, l->n, (uint32_t)p->columns, row_axis, column_axis, description, band_begin, &group, err);
        hsc_out_notes indptr = {.description = "where the values of each row begin, and the end"};
        if (!status)
            status = hsc_out_set(p->s->out, group, "indptr", HSC_COLTYPE_U8, 0, l->indptr, l->n * p->s->values.bands + 1, &indptr, NULL, err);
        for (int what = 0; what < 3 && !status; what++)
            status = write_cells(p, group, l, what, column_axis, err);
        if (group >= 0)
            hsc_out_close_group(p->s->out, group);
        stored_nnz = l->nnz;
    }
    if (g >= 0)
        hsc_out_close_group(p->s->out, g);
    return status;
}

/* ---- both ---- */

struct hsc_totals {
    hsc_store *s;
    row_stats thread, process;
    uint64_t row, nnz, process_nnz;
    uint32_t kept; /* columns before this one are counted already */
    uint64_t *values, *sums;
    uint32_t *columns;
    bool pyramids, same_axes, finer; /* finer: more levels of blocks by process */
    pyramid by_thread, by_process, thread_tiles, process_tiles;
};

/* Of lines, which pictures show all of. A group of columns is in one band only where there is one. */
static bool has_tiles(const hsc_totals *t, uint64_t columns) {
    const hsc_store_values *v = &t->s->values;
    return t->pyramids && v->bands < 2 && hsc_schema_values[v->table].rows == HSC_TAB_line && columns >= t->s->tiles_min;
}

/* Each process has one thread: statistics and pyramids by process would be those by thread again. */
static bool same_axes_of(const hsc_store *s) {
    const uint32_t *process = s->kept[HSC_COL_thread_process];
    for (uint64_t t = 0; t < s->tables.rows[HSC_TAB_thread]; t++)
        if (process[t] != t)
            return false;
    return s->tables.rows[HSC_TAB_thread] == s->tables.rows[HSC_TAB_process];
}

bool hsc_totals_has_processes(const hsc_store *s) { return !same_axes_of(s); }

/* Statistics as they are after `columns` columns, from what was written then. */
static bool read_stats(const hsc_store *s, row_stats *t, const char *group, uint64_t rows, uint32_t columns) {
    const struct {
        const char *name;
        hsc_column_type type;
        void *to;
    } sets[] = {{"max", HSC_COLTYPE_U8, t->max},       {"argmax", HSC_COLTYPE_U4, t->argmax},   {"min", HSC_COLTYPE_U8, t->min},
                {"argmin", HSC_COLTYPE_U4, t->argmin}, {"nonzero", HSC_COLTYPE_U4, t->nonzero}, {"sum_squares", HSC_COLTYPE_F8, t->squares}};
    char name[48], path[128];
    bool good = true;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && good; i++) {
        snprintf(name, sizeof name, "%s/%s", group, sets[i].name);
        hsc_store_values_path(&s->values, name, path, sizeof path);
        good = hsc_before_count(s->before, path) == rows && hsc_before_read(s->before, path, sets[i].type, 0, rows, sets[i].to);
    }
    hsc_store_values_path(&s->values, "sum", path, sizeof path);
    good = good && hsc_before_count(s->before, path) == rows && hsc_before_read(s->before, path, HSC_COLTYPE_U8, 0, rows, t->sum);
    for (uint64_t r = 0; r < rows && good; r++)
        t->gap[r] = t->nonzero[r] < columns ? t->argmin[r] : columns;
    return good;
}

hsc_status hsc_totals_keep(hsc_totals *t, uint32_t threads, uint32_t processes, hsc_err *err) {
    const hsc_store_values *v = &t->s->values;
    t->kept = threads;
    if (read_stats(t->s, &t->thread, "thread_stats", v->rows, threads) &&
        (t->same_axes || read_stats(t->s, &t->process, "process_stats", v->rows, processes)))
        return HSC_OK;
    char path[128];
    hsc_store_values_path(v, "thread_stats", path, sizeof path);
    return hsc_out_fail_before(t->s->out, path, err);
}

hsc_status hsc_totals_new(hsc_store *s, bool pyramids, uint64_t nnz, hsc_totals **out, hsc_err *err) {
    hsc_store_values *v = &s->values;
    hsc_totals *t = *out = calloc(1, sizeof *t);
    if (!t)
        return hsc_store_values_memory(s, err);
    t->s = s;
    t->pyramids = pyramids;
    t->same_axes = same_axes_of(s);
    t->values = malloc(((uint64_t)v->columns + 1) * sizeof *t->values);
    t->sums = malloc(((uint64_t)v->columns + 1) * sizeof *t->sums);
    t->columns = malloc(((uint64_t)v->columns + 1) * sizeof *t->columns);
    uint64_t processes = s->tables.rows[HSC_TAB_process];
    uint64_t rows = v->rows;
    bool thread_tiles = has_tiles(t, v->columns), process_tiles = !t->same_axes && has_tiles(t, processes);
    t->finer = process_tiles; /* of pictures with few processes a pixel, which can take no tiles: rows would be added up by process one by one */
    unsigned process_first = t->finer ? HSC_FINE_GAIN_FIRST : HSC_LEVEL_GAIN, process_gain = t->finer ? HSC_FINE_GAIN : HSC_LEVEL_GAIN;
    bool ok = t->values && t->sums && t->columns && stats_new(&t->thread, v->rows, v->columns) &&
              (t->same_axes || stats_new(&t->process, v->rows, processes)) &&
              (!pyramids || pyramid_new(&t->by_thread, s, &v->spill, nnz, rows, v->columns, 1, HSC_LEVEL_GAIN, HSC_LEVEL_GAIN)) &&
              (!pyramids || t->same_axes || pyramid_new(&t->by_process, s, &v->spill, nnz, rows, processes, 1, process_first, process_gain)) &&
              (!thread_tiles || pyramid_new(&t->thread_tiles, s, &v->spill, nnz, rows, v->columns, HSC_TILE_COLUMNS, HSC_TILE_GAIN_FIRST, HSC_TILE_GAIN)) &&
              (!process_tiles || pyramid_new(&t->process_tiles, s, &v->spill, nnz, rows, processes, HSC_TILE_COLUMNS, HSC_TILE_GAIN_FIRST, HSC_TILE_GAIN));
    return ok ? HSC_OK : hsc_store_values_memory(s, err);
}

hsc_status hsc_totals_put(hsc_totals *t, const uint32_t *columns, const uint32_t *counts, uint64_t n, hsc_err *err) {
    const hsc_store_values *v = &t->s->values;
    uint64_t r = t->row++, m = 0, known = 0;
    bool last = t->row == v->rows; /* of the band */
    t->row = last ? 0 : t->row;
    hsc_status status = HSC_OK;
    for (uint64_t k = 0; k < n; k++)
        t->values[k] = counts[k];
    while (known < n && columns[known] < t->kept)
        known++;
    stats_row(&t->thread, r, columns + known, t->values + known, n - known);
    t->nnz += n;
    if (!t->same_axes) {
        m = by_process(t->s->kept[HSC_COL_thread_process], columns + known, t->values + known, n - known, t->columns, t->sums);
        stats_row(&t->process, r, t->columns, t->sums, m);
        t->process_nnz += m;
    }
    add_cells(&t->by_thread, 1, columns, t->values, n);
    add_cells(&t->thread_tiles, HSC_TILE_COLUMNS, columns, t->values, n);
    add_cells(&t->by_process, 1, t->columns, t->sums, m);
    add_cells(&t->process_tiles, HSC_TILE_COLUMNS, t->columns, t->sums, m);
    pyramid *const all[] = {&t->by_thread, &t->by_process, &t->thread_tiles, &t->process_tiles};
    for (size_t k = 0; k < sizeof all / sizeof *all && !status; k++)
        if (all[k]->n)
            status = end_row(all[k], 0, last, err);
    return status;
}

hsc_status hsc_totals_write(hsc_totals *t, bool pyramids, hsc_err *err) {
    hsc_store *s = t->s;
    const hsc_store_values *v = &s->values;
    const uint32_t *process = s->kept[HSC_COL_thread_process];
    const char *row_axis = hsc_schema_tables[hsc_schema_values[v->table].rows].name;
    stats_end(&t->thread, v->rows, v->columns);
    if (!t->same_axes)
        stats_end(&t->process, v->rows, s->tables.rows[HSC_TAB_process]);
    hsc_out_notes notes = hsc_store_valued(s, "counts, sum over all threads; times scale_factor: the metric", HSC_EFFORT_SPARSE);
    notes.dimensions = row_axis;
    hsc_status status = hsc_out_set(s->out, v->group, "sum", HSC_COLTYPE_U8, 0, t->thread.sum, v->rows, &notes, NULL, err);
    if (!status)
        status = write_stats(s, v->group, "thread_stats", "/run/thread", row_axis, &t->thread, v->rows, err);
    if (!status && !t->same_axes)
        status = write_stats(s, v->group, "process_stats", "/run/process", row_axis, &t->process, v->rows, err);
    if (!status && pyramids)
        status = write_pyramid(&t->by_thread, v->group, "thread_blocks", t->nnz, row_axis, "thread", v->band_begin, err);
    if (!status && pyramids && !t->same_axes) {
        uint32_t process_begin[HSC_BANDS_MAX + 1];
        for (uint32_t i = 0; i <= v->bands; i++)
            process_begin[i] = !i ? 0 : v->band_begin[i] < v->columns ? process[v->band_begin[i]] : (uint32_t)s->tables.rows[HSC_TAB_process];
        status = write_pyramid(&t->by_process, v->group, "process_blocks", t->finer ? t->nnz : t->process_nnz, row_axis, "process", process_begin, err);
    }
    if (!status && pyramids && t->thread_tiles.n)
        status = write_pyramid(&t->thread_tiles, v->group, "thread_tiles", t->nnz, row_axis, "8 threads", NULL, err);
    if (!status && pyramids && t->process_tiles.n)
        status = write_pyramid(&t->process_tiles, v->group, "process_tiles", t->process_nnz, row_axis, "8 processes", NULL, err);
    return status;
}

void hsc_totals_free(hsc_totals *t) {
    if (!t)
        return;
    stats_clear(&t->thread);
    stats_clear(&t->process);
    free(t->values);
    free(t->sums);
    free(t->columns);
    pyramid_free(&t->by_thread);
    pyramid_free(&t->by_process);
    pyramid_free(&t->thread_tiles);
    pyramid_free(&t->process_tiles);
    free(t);
}
