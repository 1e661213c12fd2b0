/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the values of a view are: stored, or of an interval; and a block of their rows after the other. */
#include "values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

/* ---- where the values are ---- */

uint64_t hsc_db_get_rows(const hsc_db *db, hsc_db_table table) {
    if ((unsigned)table >= HSC_VALUES_COUNT)
        return 0;
    uint64_t n = db->tables.rows[hsc_schema_values[table].rows];
    return table == HSC_TABLE_SCOPE_CATEGORY ? n * db->tables.rows[HSC_TAB_category] : n;
}

uint32_t hsc_db_get_columns(const hsc_db *db, hsc_db_axis axis) {
    return axis == HSC_AXIS_NODE ? db->n_nodes : (uint32_t)db->tables.rows[axis == HSC_AXIS_PROCESS ? HSC_TAB_process : HSC_TAB_thread];
}

static void close_values(hsc_db *db, hsc_values *v) {
    hsc_array *arrays[] = {&v->sum,
                           &v->stats[0].max, &v->stats[0].argmax, &v->stats[0].min, &v->stats[0].argmin,
                           &v->stats[0].nonzero, &v->stats[0].squares,
                           &v->stats[1].max, &v->stats[1].argmax, &v->stats[1].min, &v->stats[1].argmin,
                           &v->stats[1].nonzero, &v->stats[1].squares};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        hsc_array_close(db, arrays[k]);
    hsc_sparse_close(db, &v->by_row);
    hsc_sparse_close(db, &v->by_thread);
    for (int kind = 0; kind < HSC_LEVEL_KINDS; kind++)
        for (unsigned k = 0; k < v->n_levels[kind]; k++)
            hsc_sparse_close(db, &v->levels[kind][k].rows);
    *v = (hsc_values){0};
}

void hsc_values_close(hsc_db *db) {
    db->values_change++;
    for (uint64_t i = 0; db->values && i < db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT; i++)
        close_values(db, &db->values[i]);
}

/* Only looks whether the table is there; its parts are opened when they are asked for. Of an interval it is made. */
static hsc_status look_for_values(hsc_db *db, uint32_t metric, hsc_db_table table, hsc_values *v, hsc_err *err) {
    if (v->looked)
        return HSC_OK;
    *v = (hsc_values){.looked = true, .rows = hsc_db_get_rows(db, table)};
    snprintf(v->name, sizeof v->name, "/metrics/%" PRIu32 "/%s", metric, hsc_schema_values[table].name);
    if (db->interval && table != HSC_TABLE_CONTEXT_INCL) {
        hsc_status status = hsc_interval_sums(db, metric, table, v, err);
        if (status)
            close_values(db, v);
        return status;
    }
    v->present = !db->interval && hsc_db_has(db, v->name);
    return HSC_OK;
}

static hsc_status check_pair(hsc_db *db, const hsc_values *v, hsc_err *err) {
    if (v->by_row.present && v->by_thread.present && v->by_thread.nnz != v->by_row.nnz)
        return hsc_err_set(err, HSC_E_FORMAT, "%s: %s: expected as many values by row and by thread, got %" PRIu64 " and %" PRIu64,
                           db->path, v->name, v->by_row.nnz, v->by_thread.nnz);
    return HSC_OK;
}

hsc_status hsc_source_rows(const hsc_source *s, hsc_err *err) {
    hsc_values *v = s->v;
    char path[128];
    if (v->by_row.present)
        return HSC_OK;
    if (s->db->interval)
        return hsc_interval_fill(s->db, v, err);
    snprintf(path, sizeof path, "%s/by_row", v->name);
    hsc_status status = hsc_sparse_open(s->db, path, v->rows, s->threads, false, false, true, &v->by_row, err);
    return status ? status : check_pair(s->db, v, err);
}

hsc_status hsc_source_columns(const hsc_source *s, hsc_err *err) {
    hsc_values *v = s->v;
    char path[128];
    if (v->by_thread.present)
        return HSC_OK;
    if (s->db->interval)
        return hsc_interval_turn(s->db, v, err);
    snprintf(path, sizeof path, "%s/by_thread", v->name);
    hsc_status status = hsc_sparse_open(s->db, path, s->threads, v->rows, false, false, false, &v->by_thread, err);
    return status ? status : check_pair(s->db, v, err);
}

hsc_status hsc_source_sums(const hsc_source *s, hsc_err *err) {
    char path[128];
    if (s->v->sum.name[0])
        return HSC_OK;
    snprintf(path, sizeof path, "%s/sum", s->v->name);
    hsc_status status = hsc_array_open(s->db, path, HSC_COLTYPE_U8, s->v->rows, &s->v->sum, err);
    s->v->sum.may_be_narrow = !status;
    return status;
}

hsc_status hsc_source_find(hsc_db *db, hsc_db_view view, hsc_source *out, hsc_err *err) {
    if (view.metric >= db->tables.rows[HSC_TAB_metric] || (unsigned)view.table >= HSC_VALUES_COUNT || (unsigned)view.axis > HSC_AXIS_NODE)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: no metric %" PRIu32 ", table %d or axis %d", db->path, view.metric,
                           (int)view.table, (int)view.axis);
    hsc_values *of = db->values + (uint64_t)view.metric * HSC_VALUES_COUNT;
    *out = (hsc_source){.db = db, .v = &of[view.table], .axis = view.axis, .rows = hsc_db_get_rows(db, view.table),
                        .columns = hsc_db_get_columns(db, view.axis), .threads = hsc_db_get_columns(db, HSC_AXIS_THREAD)};
    if (view.axis == HSC_AXIS_PROCESS && !db->identity_processes)
        out->column_of = HSC_COL(db, thread_process, uint32_t);
    if (view.axis == HSC_AXIS_NODE)
        out->column_of = db->thread_node;
    hsc_status status = look_for_values(db, view.metric, view.table, out->v, err);
    if (status)
        return status;
    if (!out->v->present && view.table == HSC_TABLE_CONTEXT_INCL) {
        status = hsc_db_load(db, HSC_TAB_context, err);
        if (status)
            return status;
        out->subtree = true;
        out->subtree_end = HSC_COL(db, context_subtree_end, uint32_t);
        out->v = &of[HSC_TABLE_CONTEXT_EXCL];
        status = look_for_values(db, view.metric, HSC_TABLE_CONTEXT_EXCL, out->v, err);
        if (status)
            return status;
    }
    if (!out->v->present)
        return hsc_err_set(err, HSC_E_MISSING, "%s: no values of table %s, metric %" PRIu32, db->path,
                           hsc_schema_values[view.table].name, view.metric);
    return HSC_OK;
}

/* Which levels there are, asked for all at once: most of those that may be there are not. */
static void look_at_levels(hsc_db *db, const char *name) {
    hsc_look looks[HSC_LEVELS_MAX];
    uint64_t block = HSC_LEVEL_FIRST;
    for (int i = 0; i < HSC_LEVELS_MAX; i++, block *= HSC_LEVEL_FACTOR) {
        looks[i].type = HSC_COLTYPE_U8;
        snprintf(looks[i].name, sizeof looks[i].name, "%s/%" PRIu64 "/indptr", name, block);
    }
    hsc_dbfile_look_ahead(db->file, looks, HSC_LEVELS_MAX, HSC_LOOK_BYTES);
}

static hsc_status open_level(hsc_source *s, const char *name, uint64_t block, uint64_t columns, hsc_level *l, bool *is_there, hsc_err *err) {
    char path[128], indptr[144];
    snprintf(path, sizeof path, "%s/%" PRIu64, name, block);
    snprintf(indptr, sizeof indptr, "%s/indptr", path);
    *is_there = hsc_db_has(s->db, indptr);
    l->block = block;
    return *is_there ? hsc_sparse_open(s->db, path, (s->v->rows + block - 1) / block, columns, true, true, true, &l->rows, err) : HSC_OK;
}

hsc_status hsc_source_levels(hsc_source *s, unsigned kind, const hsc_level **levels, unsigned *n, hsc_err *err) {
    static const char *const names[HSC_LEVEL_KINDS] = {[HSC_AXIS_THREAD] = "thread_blocks", [HSC_AXIS_PROCESS] = "process_blocks",
                                                       [HSC_LEVELS_OF_TILES + HSC_AXIS_THREAD] = "thread_tiles",
                                                       [HSC_LEVELS_OF_TILES + HSC_AXIS_PROCESS] = "process_tiles"};
    hsc_values *v = s->v;
    hsc_status status = HSC_OK;
    uint64_t block = HSC_LEVEL_FIRST, together = kind < HSC_LEVELS_OF_TILES ? 1 : HSC_TILE_COLUMNS;
    uint64_t columns = (hsc_db_get_columns(s->db, (hsc_db_axis)(kind % HSC_LEVELS_OF_TILES)) + together - 1) / together;
    char name[112];
    snprintf(name, sizeof name, "%s/%s", v->name, names[kind]);
    bool any = !v->levels_looked[kind] && hsc_db_has(s->db, name), is_there;
    if (any)
        look_at_levels(s->db, name);
    for (int i = 0; i < HSC_LEVELS_MAX && any && !status; i++, block *= HSC_LEVEL_FACTOR) {
        status = open_level(s, name, block, columns, &v->levels[kind][v->n_levels[kind]], &is_there, err);
        v->n_levels[kind] += !status && is_there;
    }
    if (any)
        hsc_dbfile_forget_looks(s->db->file);
    if (status)
        return status;
    v->levels_looked[kind] = true;
    *levels = v->levels[kind];
    *n = v->n_levels[kind];
    return HSC_OK;
}

/* ---- cursor ---- */

void hsc_cursor_init(hsc_cursor *c, hsc_db *db, hsc_sparse *m, hsc_array *values) {
    *c = (hsc_cursor){.db = db, .m = m, .values = values, .next = 0, .last = m->rows};
}

static void take_spare(hsc_cursor *c) {
    c->indices = c->db->spare_indices;
    c->scratch = c->db->spare_scratch;
    c->capacity = c->db->spare;
    c->db->spare_indices = NULL;
    c->db->spare_scratch = NULL;
    c->db->spare = 0;
}

void hsc_cursor_fini(hsc_cursor *c) {
    hsc_db *db = c->db;
    if (db && c->capacity > db->spare && c->capacity <= HSC_SPARE_NNZ_MAX) {
        hsc_cursor mine = *c;
        take_spare(c);
        db->spare_indices = mine.indices;
        db->spare_scratch = mine.scratch;
        db->spare = mine.capacity;
    }
    free(c->indices);
    free(c->scratch);
    free(c->pieces);
    *c = (hsc_cursor){0};
}

/* Values of rows [row, row + n) of all bands to `to`, row by row. */
static hsc_status join_bands(hsc_cursor *c, hsc_array *a, uint64_t row, uint64_t n, void *to, hsc_err *err) {
    const hsc_sparse *m = c->m;
    const size_t size = hsc_schema_type_size(a->type);
    const uint8_t *from[HSC_BANDS_MAX];
    uint8_t *piece = c->pieces, *out = to;
    for (uint64_t b = 0; b < m->bands; b++) {
        uint64_t at = hsc_ends_at(m->stored, b * m->rows + row), values = hsc_ends_at(m->stored, b * m->rows + row + n) - at;
        const void *p = NULL;
        hsc_status status = hsc_array_get(c->db, a, at, values, piece, &p, err);
        if (status)
            return status;
        from[b] = p;
        piece += p == piece ? values * size : 0;
    }
    for (uint64_t r = row; r < row + n; r++)
        for (uint64_t b = 0; b < m->bands; b++) {
            size_t bytes = hsc_ends_between(m->stored, b * m->rows + r, b * m->rows + r + 1) * size;
            if (!bytes)
                continue;
            memcpy(out, from[b], bytes);
            from[b] += bytes;
            out += bytes;
        }
    return HSC_OK;
}

/* The same of indices and values, and that they are good. */
static hsc_status read_bands(hsc_cursor *c, uint64_t row, uint64_t n, hsc_err *err) {
    hsc_sparse *m = c->m;
    hsc_status status = join_bands(c, &m->indices, row, n, c->indices, err);
    if (!status)
        status = join_bands(c, c->values, row, n, c->scratch, err);
    return status ? status : hsc_check_sparse(c->db->path, m->name, row, n, hsc_ends_from(m->indptr, row), c->indices, m->columns, err);
}

static bool make_room(hsc_cursor *c, uint64_t nnz) {
    const bool banded = c->m->bands > 1;
    if (nnz <= c->capacity || (!banded && c->m->indices.whole && c->values->whole))
        return true;
    free(c->indices);
    free(c->scratch);
    free(c->pieces);
    c->pieces = NULL;
    if (!banded && nnz <= c->db->spare) {
        take_spare(c);
        return true;
    }
    c->indices = malloc(nnz * sizeof *c->indices);
    c->scratch = malloc(nnz * 8);
    c->pieces = banded ? malloc(nnz * 8) : NULL;
    c->capacity = c->indices && c->scratch && (c->pieces || !banded) ? nnz : 0;
    return c->capacity;
}

hsc_status hsc_cursor_read(hsc_cursor *c, hsc_block *b, hsc_err *err) {
    hsc_sparse *m = c->m;
    hsc_ends indptr = m->indptr;
    uint64_t row = c->next, n = 0, at, nnz, limit = c->db->block_nnz;
    *b = (hsc_block){.first = row};
    if (row >= c->last)
        return HSC_OK;
    at = hsc_ends_at(indptr, row);
    if (c->most)
        limit = c->most;
    else if (m->nnz * 8 <= c->db->budget / 2 && m->bands < 2) /* will be, or is, resident: no need for pieces */
        limit = m->nnz;
    if (hsc_ends_at(indptr, c->last) - at <= limit)
        n = c->last - row;
    else { /* the last row that ends within the limit; at least one row */
        uint64_t low = 1, high = c->last - row;
        while (low < high) {
            uint64_t middle = low + (high - low + 1) / 2;
            if (hsc_ends_at(indptr, row + middle) - at <= limit)
                low = middle;
            else
                high = middle - 1;
        }
        n = low;
    }
    nnz = hsc_ends_at(indptr, row + n) - at;
    if (!make_room(c, nnz))
        return out_of_memory(c->db, err);
    const void *indices = c->indices, *values = c->scratch;
    bool banded = m->bands > 1, passing = !banded && !c->most && !m->indices.whole && !c->values->whole && nnz * 8 < c->db->window_least;
    hsc_status (*get)(hsc_db *, hsc_array *, uint64_t, uint64_t, void *, const void **, hsc_err *) = c->most ? hsc_array_pass : hsc_array_get;
    hsc_status status = passing  ? hsc_array_get_many(c->db, (hsc_array *[]){&m->indices, c->values}, (void *[]){c->indices, c->scratch}, 2, at, nnz, err)
                        : banded ? read_bands(c, row, n, err)
                                 : get(c->db, &m->indices, at, nnz, c->indices, &indices, err);
    if (!status && !banded && !passing)
        status = get(c->db, c->values, at, nnz, c->scratch, &values, err);
    if (status)
        return status;
    if (!m->checked && !banded) {
        if (m->indices.whole) { /* once for all */
            status = hsc_check_sparse(c->db->path, m->name, 0, m->rows, indptr, m->indices.whole, m->columns, err);
            m->checked = !status;
        } else
            status = hsc_check_sparse(c->db->path, m->name, row, n, hsc_ends_from(indptr, row), indices, m->columns, err);
        if (status)
            return status;
    }
    b->n = n;
    b->indptr = hsc_ends_from(indptr, row);
    b->indices = indices;
    if (c->values->type == HSC_COLTYPE_U8)
        b->reduced = values;
    else
        b->counts = values;
    c->next = row + n;
    return HSC_OK;
}
