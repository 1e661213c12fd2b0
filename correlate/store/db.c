/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a database and loads its tables, each checked: the file may be hostile. */
#include "db.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/text.h>

#include "interval_marks.h"
#include "large.h"

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

bool hsc_db_has(const hsc_db *db, const char *name) { return hsc_dbfile_has(db->file, name); }

/* ---- arrays ---- */

hsc_status hsc_array_open(hsc_db *db, const char *name, hsc_column_type type, uint64_t expected_n, hsc_array *a,
                          hsc_err *err) {
    hsc_array new = {.set = -1, .type = type};
    hsc_set_info info;
    snprintf(new.name, sizeof new.name, "%s", name);
    hsc_status status = hsc_dbfile_open_set(db->file, name, type, expected_n, &new.set, &info, err);
    if (!status) {
        new.n = info.n;
        *a = new;
    }
    return status;
}

/* Bytes of a whole. */
static uint64_t whole_size(const hsc_array *a) { return a->n * (a->narrow ? sizeof(uint32_t) : hsc_schema_type_size(a->type)); }

static void give_back(hsc_db *db, hsc_array *a) {
    if (!a->whole)
        return;
    for (hsc_array **p = &db->wholes; *p; p = &(*p)->next)
        if (*p == a) {
            *p = a->next;
            break;
        }
    db->whole_bytes -= whole_size(a);
    free(a->whole);
    a->whole = NULL;
    a->taken = 0;
    a->narrow = false;
}

static void drop_window(hsc_window *w) {
    free(w->data);
    *w = (hsc_window){0};
}

static void drop_spare(hsc_db *db) {
    free(db->spare_indices);
    free(db->spare_scratch);
    db->spare_indices = NULL;
    db->spare_scratch = NULL;
    db->spare = 0;
}

void hsc_arrays_give_back(hsc_db *db) {
    for (size_t i = 0; i < HSC_WINDOWS_MAX; i++)
        drop_window(&db->windows[i]);
    drop_spare(db);
    for (hsc_array *a = db->wholes, *next; a; a = next) {
        next = a->next;
        if (!a->pinned)
            give_back(db, a);
    }
}

void hsc_array_close(hsc_db *db, hsc_array *a) {
    give_back(db, a);
    for (size_t i = 0; i < HSC_WINDOWS_MAX; i++)
        if (db->windows[i].of == a)
            drop_window(&db->windows[i]);
    if (a->name[0] && a->set >= 0)
        hsc_dbfile_close_set(db->file, a->set);
    *a = (hsc_array){.set = -1};
}

/* Reads it into 32 bits a value; *out stays NULL where they don't fit, and nobody tries again. */
static hsc_status read_narrow(hsc_db *db, hsc_array *a, void **out, hsc_err *err) {
    uint32_t *whole = hsc_large_malloc(a->n * sizeof *whole);
    if (!whole)
        return out_of_memory(db, err);
    hsc_status status = a->n ? hsc_dbfile_read_narrow(db->file, a->set, 0, a->n, whole, &a->narrow, err) : HSC_OK;
    a->may_be_narrow = a->narrow;
    if (status || !a->narrow)
        free(whole);
    else
        *out = whole;
    return status;
}

/* Makes the whole array resident where the budget has room for it. */
static hsc_status load_whole(hsc_db *db, hsc_array *a, hsc_err *err) {
    uint64_t bytes = a->n * hsc_schema_type_size(a->type);
    while (!a->pinned && db->whole_bytes + bytes > db->budget) {
        hsc_array *oldest = NULL;
        for (hsc_array *p = db->wholes; p; p = p->next)
            if (!p->pinned && p->used + 4 < db->clock && (!oldest || p->used < oldest->used)) /* not what is being read */
                oldest = p;
        if (!oldest)
            return HSC_OK;
        give_back(db, oldest);
    }
    if (bytes > HSC_COLUMN_BYTES_MAX)
        return hsc_err_set(err, HSC_E_LIMIT, "%s: %s: %" PRIu64 " bytes, the reader takes %" PRIu64, db->path, a->name, bytes,
                           HSC_COLUMN_BYTES_MAX);
    void *whole = NULL;
    hsc_status status = a->may_be_narrow ? read_narrow(db, a, &whole, err) : HSC_OK;
    if (!status && !whole) {
        if (!(whole = hsc_large_malloc(bytes)))
            return out_of_memory(db, err);
        status = a->n ? hsc_dbfile_read(db->file, a->set, 0, a->n, whole, err) : HSC_OK;
    }
    if (status) {
        free(whole);
        a->narrow = false;
        return status;
    }
    a->whole = whole;
    a->next = db->wholes;
    db->wholes = a;
    db->whole_bytes += whole_size(a);
    return HSC_OK;
}

hsc_status hsc_array_keep(hsc_db *db, hsc_array *a, hsc_err *err) {
    a->used = ++db->clock;
    return a->whole ? HSC_OK : load_whole(db, a, err);
}

/* Values [first, first + n), as they were read before; false: they were not. */
static bool take_from_window(hsc_db *db, const hsc_array *a, uint64_t first, uint64_t n, void *to) {
    unsigned size = hsc_schema_type_size(a->type);
    for (size_t i = 0; i < HSC_WINDOWS_MAX; i++) {
        hsc_window *w = &db->windows[i];
        if (w->of != a || first < w->first || first + n > w->first + w->n)
            continue;
        w->used = db->clock;
        memcpy(to, w->data + (first - w->first) * size, n * size);
        return true;
    }
    return false;
}

/* In place of that of the array, or of the one that was not used for longest. */
static void keep_window(hsc_db *db, const hsc_array *a, uint64_t first, uint64_t n, const void *data) {
    uint64_t bytes = n * hsc_schema_type_size(a->type);
    hsc_window *w = &db->windows[0];
    if (bytes < db->window_least || bytes > HSC_WINDOW_BYTES_MAX)
        return;
    for (size_t i = 0; i < HSC_WINDOWS_MAX && w->of != a; i++)
        if (db->windows[i].of == a || db->windows[i].used < w->used)
            w = &db->windows[i];
    if (bytes > w->capacity) {
        drop_window(w);
        if (!(w->data = malloc(bytes))) /* it is read again then */
            return;
        w->capacity = bytes;
    }
    memcpy(w->data, data, bytes);
    *w = (hsc_window){a, first, n, db->clock, w->capacity, w->data};
}

static hsc_status check_range(const hsc_db *db, const hsc_array *a, uint64_t first, uint64_t n, hsc_err *err) {
    if (first > a->n || n > a->n - first)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: %s: values %" PRIu64 " to %" PRIu64 " asked for, it has %" PRIu64, db->path,
                           a->name, first, first + n, a->n);
    return HSC_OK;
}

/* Of an array that is whole; what is narrow goes to scratch. */
static const void *from_whole(const hsc_array *a, uint64_t first, uint64_t n, void *scratch) {
    const uint32_t *narrow = a->whole;
    uint64_t *to = scratch;
    if (!a->narrow)
        return (const char *)a->whole + first * hsc_schema_type_size(a->type);
    for (uint64_t i = 0; i < n; i++)
        to[i] = narrow[first + i];
    return scratch;
}

hsc_status hsc_array_pass(hsc_db *db, hsc_array *a, uint64_t first, uint64_t n, void *scratch, const void **out, hsc_err *err) {
    hsc_status status = check_range(db, a, first, n, err);
    a->used = ++db->clock;
    *out = a->whole ? from_whole(a, first, n, scratch) : scratch;
    return status || a->whole || !n ? status : hsc_dbfile_read(db->file, a->set, first, n, scratch, err);
}

hsc_status hsc_array_get(hsc_db *db, hsc_array *a, uint64_t first, uint64_t n, void *scratch, const void **out,
                         hsc_err *err) {
    unsigned size = hsc_schema_type_size(a->type);
    hsc_status wrong = check_range(db, a, first, n, err);
    if (wrong)
        return wrong;
    a->used = ++db->clock;
    if (!a->whole && (a->pinned || (n > a->n / 8 && a->n * size <= db->budget / 2))) {
        hsc_status status = load_whole(db, a, err);
        if (status)
            return status;
    }
    if (a->whole) {
        *out = from_whole(a, first, n, scratch);
        return HSC_OK;
    }
    *out = scratch;
    if (!n || take_from_window(db, a, first, n, scratch))
        return HSC_OK;
    hsc_status status = hsc_dbfile_read(db->file, a->set, first, n, scratch, err);
    if (!status)
        keep_window(db, a, first, n, scratch);
    return status;
}

/* Is it read from the file each time, and no window kept of it? */
static bool is_passing(const hsc_db *db, const hsc_array *a, uint64_t n) {
    uint64_t size = hsc_schema_type_size(a->type);
    return n && !a->whole && !a->pinned && (n <= a->n / 8 || a->n * size > db->budget / 2) && n * size < db->window_least;
}

hsc_status hsc_array_get_many(hsc_db *db, hsc_array *const *arrays, void *const *to, uint32_t count, uint64_t first, uint64_t n, hsc_err *err) {
    hsc_dbfile_part parts[HSC_PARTS_MAX];
    uint32_t n_parts = 0;
    hsc_status status = HSC_OK;
    for (uint32_t k = 0; k < count && !status; k++) {
        hsc_array *a = arrays[k];
        const void *p = to[k];
        status = check_range(db, a, first, n, err);
        if (!status && is_passing(db, a, n) && n_parts < HSC_PARTS_MAX) {
            a->used = ++db->clock;
            if (!take_from_window(db, a, first, n, to[k]))
                parts[n_parts++] = (hsc_dbfile_part){a->set, first, n, to[k]};
            continue;
        }
        status = status ? status : hsc_array_get(db, a, first, n, to[k], &p, err);
        if (!status && n && p != to[k])
            memcpy(to[k], p, n * hsc_schema_type_size(a->type));
    }
    return status ? status : hsc_dbfile_read_many(db->file, parts, n_parts, err);
}

hsc_ends hsc_array_ends(const hsc_array *a) { return a->narrow ? (hsc_ends){.narrow = a->whole} : (hsc_ends){.wide = a->whole}; }

/* ---- sparse ---- */

void hsc_sparse_close(hsc_db *db, hsc_sparse *m) {
    hsc_array_close(db, &m->indptr_array);
    hsc_array_close(db, &m->indices);
    hsc_array_close(db, &m->data);
    hsc_array_close(db, &m->max);
    hsc_array_close(db, &m->sum);
    free(m->made);
    m->present = false;
    m->made = NULL;
    m->indptr = m->stored = (hsc_ends){0};
}

/* Where each row begins when the bands' parts of it stand side by side. */
static hsc_status join_bands(const hsc_db *db, hsc_sparse *m, hsc_err *err) {
    hsc_ends at = m->stored;
    uint64_t sum = 0;
    if (!(m->made = malloc((m->rows + 1) * sizeof *m->made)))
        return out_of_memory(db, err);
    for (uint64_t r = 0; r < m->rows; r++) {
        m->made[r] = sum;
        for (uint64_t b = 0; b < m->bands; b++)
            sum += hsc_ends_between(at, b * m->rows + r, b * m->rows + r + 1);
    }
    m->made[m->rows] = sum;
    m->indptr = (hsc_ends){.wide = m->made};
    return HSC_OK;
}

hsc_status hsc_sparse_open(hsc_db *db, const char *name, uint64_t rows, uint64_t columns, bool level, bool sums, bool banded,
                           hsc_sparse *m, hsc_err *err) {
    char path[128];
    hsc_status status;
    uint64_t n = rows + 1;
    *m = (hsc_sparse){.rows = rows, .columns = columns, .bands = 1};
    m->indptr_array.set = m->indices.set = m->data.set = m->max.set = m->sum.set = -1;
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(path, sizeof path, "%s/indptr", name);
    status = hsc_array_open(db, path, HSC_COLTYPE_U8, banded && rows ? HSC_NNZ_MAX + 1 : n, &m->indptr_array, err);
    if (status)
        goto done;
    if (banded && rows) {
        m->bands = (m->indptr_array.n - 1) / rows;
        n = m->bands * rows + 1;
        if (m->indptr_array.n != n || !m->bands || m->bands > HSC_BANDS_MAX) {
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s: expected %" PRIu64 " values, for each of up to %d bands, and 1, got %" PRIu64, db->path, path,
                                 rows, HSC_BANDS_MAX, m->indptr_array.n);
            goto done;
        }
    }
    snprintf(path, sizeof path, "%s/indices", name);
    status = hsc_array_open(db, path, HSC_COLTYPE_U4, HSC_NNZ_MAX + 1, &m->indices, err);
    if (status)
        goto done;
    m->nnz = m->indices.n;
    if (!level) {
        snprintf(path, sizeof path, "%s/data", name);
        status = hsc_array_open(db, path, HSC_COLTYPE_U4, m->nnz, &m->data, err);
    } else {
        snprintf(path, sizeof path, "%s/max", name);
        status = hsc_array_open(db, path, HSC_COLTYPE_U8, m->nnz, &m->max, err);
        snprintf(path, sizeof path, "%s/sum", name);
        if (!status && sums)
            status = hsc_array_open(db, path, HSC_COLTYPE_U8, m->nnz, &m->sum, err);
    }
    if (status)
        goto done;
    m->indptr_array.pinned = m->indptr_array.may_be_narrow = true;
    status = hsc_array_keep(db, &m->indptr_array, err);
    if (!status) {
        m->indptr = m->stored = hsc_array_ends(&m->indptr_array);
        status = hsc_check_indptr(db->path, name, m->indptr, n - 1, m->nnz, err);
    }
    if (!status && m->bands > 1)
        status = join_bands(db, m, err);
done:
    m->present = !status;
    if (status)
        hsc_sparse_close(db, m);
    return status;
}

/* ---- tables ---- */

static const enum hsc_table_id at_open[] = {HSC_TAB_module, HSC_TAB_file, HSC_TAB_scope, HSC_TAB_line, HSC_TAB_process,
                                            HSC_TAB_thread, HSC_TAB_metric, HSC_TAB_category, HSC_TAB_ledger};

typedef struct packed_texts { /* one after the other, each with a NUL, from texts of fixed length */
    const hsc_db *db;
    hsc_strings *to;
    uint64_t n;              /* texts */
    size_t size;             /* bytes of one in the file */
    uint64_t used, capacity; /* of to->bytes */
} packed_texts;

static hsc_status pack_texts(void *ctx, const char *fixed, uint64_t first, uint64_t n, hsc_err *err) {
    packed_texts *p = ctx;
    hsc_strings *s = p->to;
    uint64_t most = p->used + n * (p->size + 1);
    if (most > p->capacity) {
        /* the rest as those before, and a quarter more */
        uint64_t to = first ? p->used + p->used / first * (p->n - first) / 4 * 5 : 0;
        char *more = hsc_large_malloc(to = to > most ? to : most + most / 2);
        if (!more)
            return out_of_memory(p->db, err);
        memcpy(more, s->bytes, p->used);
        free(s->bytes);
        s->bytes = more;
        p->capacity = to;
    }
    for (uint64_t i = 0; i < n; i++) {
        char *text = s->bytes + p->used;
        size_t k = strnlen(fixed + i * p->size, p->size);
        s->offsets[first + i] = (uint32_t)p->used;
        memcpy(text, fixed + i * p->size, k);
        text[k] = 0;
        hsc_text_repair(text);
        p->used += k + 1;
    }
    return HSC_OK;
}

static hsc_status load_longs(hsc_db *db, const char *name, uint64_t n, hsc_strings *s, hsc_err *err) {
    hsc_array a = {.set = -1};
    hsc_status status = hsc_array_open(db, name, HSC_COLTYPE_U4, n, &a, err);
    s->longs = malloc(n ? n * sizeof *s->longs : 1);
    if (!status && !s->longs)
        status = out_of_memory(db, err);
    if (!status)
        status = hsc_dbfile_read(db->file, a.set, 0, n, s->longs, err);
    hsc_array_close(db, &a);
    bool any = false;
    for (uint64_t i = 0; i < n && !status; i++) {
        any = any || s->longs[i] != HSC_NONE;
        if (s->longs[i] != HSC_NONE && s->longs[i] >= db->n_pool)
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s row %" PRIu64 ": expected a row below %" PRIu64 ", got %" PRIu32, db->path, name,
                                 i, db->n_pool, s->longs[i]);
    }
    if (!status && !any) {
        free(s->longs);
        s->longs = NULL;
    }
    return status;
}

static hsc_status load_strings(hsc_db *db, const char *name, uint64_t n, hsc_strings *s, hsc_err *err) {
    char long_name[128];
    int set = -1;
    hsc_set_info info;
    hsc_status status = hsc_dbfile_open_set(db->file, name, HSC_COLTYPE_S, n, &set, &info, err);
    if (status)
        return status;
    if (n * info.size > HSC_COLUMN_BYTES_MAX) {
        status = hsc_err_set(err, HSC_E_LIMIT, "%s: %s: %" PRIu64 " texts of %" PRIu32 " bytes are more than the reader takes", db->path,
                             name, n, info.size);
        goto done;
    }
    s->offsets = malloc((n + 1) * sizeof *s->offsets);
    s->bytes = malloc(1);
    packed_texts texts = {.db = db, .to = s, .n = n, .size = info.size};
    status = s->offsets && s->bytes ? hsc_dbfile_read_each(db->file, set, 0, n, pack_texts, &texts, err) : out_of_memory(db, err);
    char *fitting = status ? NULL : realloc(s->bytes, texts.used + 1);
    s->bytes = fitting ? fitting : s->bytes;
    if (status)
        goto done;
    snprintf(long_name, sizeof long_name, "%s_long", name);
    if (hsc_db_has(db, long_name))
        status = load_longs(db, long_name, n, s, err);
done:
    hsc_dbfile_close_set(db->file, set);
    return status;
}

const char *hsc_db_text(const hsc_db *db, enum hsc_column_id column, uint64_t row) {
    const hsc_strings *s = &db->strings[column];
    if (s->longs && s->longs[row] != HSC_NONE)
        return db->pool + db->pool_offsets[s->longs[row]];
    return s->bytes + s->offsets[row];
}

/* Tables and columns that a file of format 1.0 need not have: empty, or zeros, or references to nothing. */
static bool came_later(int column) {
    switch (hsc_schema_columns[column].table) {
    case HSC_TAB_dependence:
    case HSC_TAB_loop:
    case HSC_TAB_memory_check:
    case HSC_TAB_array:
    case HSC_TAB_reference:
    case HSC_TAB_mpi_site:
    case HSC_TAB_mpi_argument:
    case HSC_TAB_mpi_link:
    case HSC_TAB_directive:
    case HSC_TAB_runtime_call:
    case HSC_TAB_handed:
    case HSC_TAB_message:
    case HSC_TAB_message_bucket:
    case HSC_TAB_message_pair:
    case HSC_TAB_wait:
    case HSC_TAB_wait_bucket:
    case HSC_TAB_leaf:
    case HSC_TAB_leaf_place:
    case HSC_TAB_span:
    case HSC_TAB_message_slice:
    case HSC_TAB_message_slice_bucket:
    case HSC_TAB_pair_slice:
    case HSC_TAB_wait_slice:
    case HSC_TAB_wait_slice_bucket:
    case HSC_TAB_visit_slice:
    case HSC_TAB_visit_slice_category:
    case HSC_TAB_visit_slice_bucket:
    case HSC_TAB_delayed_slice:
    case HSC_TAB_delay_place_slice:
    case HSC_TAB_delay:
    case HSC_TAB_delayed:
    case HSC_TAB_delay_place:
    case HSC_TAB_probe:
    case HSC_TAB_block:
    case HSC_TAB_visit:
    case HSC_TAB_visit_category:
    case HSC_TAB_visit_bucket:
    case HSC_TAB_phase:
    case HSC_TAB_note:
    case HSC_TAB_counter:
    case HSC_TAB_counter_value:
    case HSC_TAB_cost:
    case HSC_TAB_code_part:
    case HSC_TAB_instruction:
    case HSC_TAB_instruction_text:
    case HSC_TAB_inlining:
    case HSC_TAB_code_byte:
        return true;
    default:
        return column == HSC_COL_instance_parent || column == HSC_COL_metric_exact || column == HSC_COL_metric_weights_of ||
               column == HSC_COL_remark_reason || column == HSC_COL_remark_count || column == HSC_COL_remark_function ||
               column == HSC_COL_instance_vector_bytes || column == HSC_COL_scope_unoptimised || column == HSC_COL_process_vector_bytes ||
               column == HSC_COL_process_environment || column == HSC_COL_thread_idle ||
               (column >= HSC_COL_thread_user_s && column <= HSC_COL_thread_runnable_s);
    }
}

/* A column that the file has not: references to nothing, the kernel's times not known, else zeros. NULL: no memory. */
static void *made_up(hsc_db *db, int column, uint64_t n) {
    unsigned size = hsc_schema_type_size(hsc_schema_columns[column].type);
    void *values = hsc_large_take(&db->room, n * size);
    if (values)
        memset(values, hsc_schema_columns[column].references[0] ? 0xff : 0, n * size);
    if (values && (column == HSC_COL_thread_user_s || column == HSC_COL_thread_system_s || column == HSC_COL_thread_runnable_s))
        for (uint64_t i = 0; i < n; i++)
            ((double *)values)[i] = -1;
    return values;
}

/* What is not there, and must be: say which versions met, and what helps. */
static hsc_status explain(const hsc_db *db, hsc_status status, hsc_err *err) {
    if (status != HSC_E_MISSING || !err)
        return status;
    hsc_err why = *err;
    bool older = db->minor < HSC_DB_MINOR;
    hsc_err_clear(err); /* the first one wins */
    return hsc_err_set(err, older ? HSC_E_VERSION : HSC_E_FORMAT,
                       "%s: its database format is %d.%u, expected %d.%d: %s; correlate the measurement again (heatscope correlate DIR)",
                       why.text, HSC_DB_MAJOR, db->minor, HSC_DB_MAJOR, HSC_DB_MINOR,
                       older ? "an older heatscope made it" : "it is damaged, or another build of heatscope made it");
}

/* Name of a column's data set. */
static void name_column(int column, char *name, size_t size) {
    const hsc_column_def *c = &hsc_schema_columns[column];
    snprintf(name, size, "/%s/%s/%s", hsc_schema_tables[c->table].section, hsc_schema_tables[c->table].name, c->name);
}

static int first_column(enum hsc_table_id table) {
    for (int i = 0; i < HSC_COL_COUNT; i++)
        if (hsc_schema_columns[i].table == table)
            return i;
    return HSC_COL_COUNT;
}

/* What load_table will read of a table. */
static void look_at_columns(hsc_db *db, enum hsc_table_id table) {
    for (int i = 0; i < HSC_COL_COUNT; i++) {
        const hsc_column_def *c = &hsc_schema_columns[i];
        hsc_look looks[2] = {{.type = c->type}, {.type = HSC_COLTYPE_U4}};
        if (c->table != table || db->columns[i] || db->strings[i].bytes)
            continue;
        name_column(i, looks[0].name, sizeof looks[0].name);
        snprintf(looks[1].name, sizeof looks[1].name, "%.200s_long", looks[0].name);
        hsc_dbfile_look_ahead(db->file, looks, hsc_schema_type_size(c->type) ? 1 : 2, HSC_LOOK_BYTES);
    }
}

static hsc_status count_rows(hsc_db *db, enum hsc_table_id table, hsc_err *err) {
    int column = first_column(table);
    char name[96];
    hsc_err why = {0};
    if (column == HSC_COL_COUNT)
        return HSC_OK;
    name_column(column, name, sizeof name);
    hsc_status status = hsc_dbfile_count(db->file, name, hsc_schema_columns[column].type, &db->tables.rows[table], &why);
    if (status == HSC_E_MISSING && came_later(column)) {
        db->tables.rows[table] = 0;
        db->loaded[table] = true;
        return HSC_OK;
    }
    if (status)
        return hsc_err_set(err, status, "%s", why.text);
    return db->tables.rows[table] <= HSC_ROWS_MAX ? HSC_OK
                                                  : hsc_err_set(err, HSC_E_LIMIT, "%s: %s: %" PRIu64 " rows, the format takes %" PRIu64, db->path,
                                                                name, db->tables.rows[table], HSC_ROWS_MAX);
}

/* All that hsc_db_open_finish will count and load; how many rows those tables have that it does not load. */
static void look_at_tables(hsc_db *db) {
    for (size_t i = 0; i < sizeof at_open / sizeof *at_open; i++)
        look_at_columns(db, at_open[i]);
    for (int t = 0; t < HSC_TAB_COUNT; t++) {
        int column = first_column((enum hsc_table_id)t);
        hsc_look look;
        if (column == HSC_COL_COUNT)
            continue;
        look.type = hsc_schema_columns[column].type;
        name_column(column, look.name, sizeof look.name);
        hsc_dbfile_look_ahead(db->file, &look, 1, 0);
    }
}

/* A column of `table` that is not there yet; HSC_COL_COUNT: all are. */
static int missing_column(const hsc_db *db, enum hsc_table_id table) {
    int i = first_column(table);
    while (i < HSC_COL_COUNT && (hsc_schema_columns[i].table != table || db->columns[i] || db->strings[i].bytes))
        i++;
    return i;
}

static hsc_status load_column(hsc_db *db, int i, hsc_err *err) {
    const hsc_column_def *c = &hsc_schema_columns[i];
    uint64_t n = db->tables.rows[c->table];
    unsigned size = hsc_schema_type_size(c->type);
    char name[96];
    name_column(i, name, sizeof name);
    if (!size && came_later(i) && !hsc_db_has(db, name)) { /* empty texts */
        db->strings[i] = (hsc_strings){.bytes = calloc(1, 1), .offsets = calloc(n + 1, sizeof *db->strings[i].offsets)};
        if (db->strings[i].bytes && db->strings[i].offsets)
            return HSC_OK;
        free(db->strings[i].bytes);
        free(db->strings[i].offsets);
        db->strings[i] = (hsc_strings){0};
        return out_of_memory(db, err);
    }
    if (!size) {
        hsc_status status = load_strings(db, name, n, &db->strings[i], err);
        if (status) {
            free(db->strings[i].bytes);
            free(db->strings[i].offsets);
            free(db->strings[i].longs);
            db->strings[i] = (hsc_strings){0};
        }
        return status;
    }
    if (came_later(i) && !hsc_db_has(db, name)) {
        db->tables.columns[i] = db->columns[i] = made_up(db, i, n);
        return db->columns[i] ? HSC_OK : out_of_memory(db, err);
    }
    hsc_array a = {.set = -1};
    hsc_status status = hsc_array_open(db, name, c->type, n, &a, err);
    if (status)
        return status;
    if (n * size > HSC_COLUMN_BYTES_MAX)
        status = hsc_err_set(err, HSC_E_LIMIT, "%s: %s: %" PRIu64 " rows are more than the reader takes", db->path, name, n);
    void *p = status ? NULL : hsc_large_take(&db->room, n * size);
    if (!status && !p)
        status = out_of_memory(db, err);
    if (!status && n)
        status = hsc_dbfile_read(db->file, a.set, 0, n, p, err);
    hsc_array_close(db, &a);
    if (!status)
        hsc_large_blank(p, n * size);
    if (!status)
        db->tables.columns[i] = db->columns[i] = p;
    return status;
}

static hsc_status load_table(hsc_db *db, enum hsc_table_id table, hsc_err *err) {
    hsc_status status = HSC_OK;
    if (db->loaded[table])
        return HSC_OK;
    for (int i; !status && (i = missing_column(db, table)) < HSC_COL_COUNT;)
        status = load_column(db, i, err);
    if (!status)
        status = hsc_check_table(&db->tables, table, err);
    db->loaded[table] = !status;
    return explain(db, status, err);
}

hsc_status hsc_db_load_some(hsc_db *db, enum hsc_table_id table, hsc_err *err) {
    int i = db->loaded[table] ? HSC_COL_COUNT : missing_column(db, table);
    return i < HSC_COL_COUNT ? explain(db, load_column(db, i, err), err) : load_table(db, table, err);
}

hsc_status hsc_db_load(hsc_db *db, enum hsc_table_id table, hsc_err *err) {
    if (db->loaded[table])
        return HSC_OK;
    look_at_columns(db, table);
    hsc_status status = load_table(db, table, err);
    hsc_dbfile_forget_looks(db->file);
    return status;
}

/* ---- open ---- */

static hsc_status check_identity(hsc_db *db, hsc_err *err) {
    char *format = NULL, *state = NULL;
    double version[2] = {0, 0};
    hsc_status status = hsc_dbfile_text(db->file, "format", &format, err);
    if (!status && (!format || strcmp(format, HSC_FORMAT_NAME)))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: an HDF5 file, but not a heatscope database", db->path);
    if (!status && hsc_dbfile_numbers(db->file, "/", "format_version", 2, version, err))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: no format version", db->path);
    if (!status && version[0] != HSC_DB_MAJOR)
        status = hsc_err_set(err, HSC_E_VERSION, "%s: database format %.0f.%.0f, this program reads %d.x: use a %s heatscope", db->path,
                             version[0], version[1], HSC_DB_MAJOR, version[0] > HSC_DB_MAJOR ? "newer" : "matching");
    db->minor = version[1] > 0 && version[1] < UINT16_MAX ? (unsigned)version[1] : 0;
    if (!status)
        status = hsc_dbfile_text(db->file, "state", &state, err);
    if (!status && (!state || strcmp(state, "final")))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: not finished: its writer stopped before the end", db->path);
    free(format);
    free(state);
    return status;
}

static hsc_status load_pool(hsc_db *db, hsc_err *err) {
    hsc_array offset = {.set = -1}, bytes = {.set = -1};
    hsc_status status = hsc_array_open(db, "/strings/offset", HSC_COLTYPE_U8, HSC_NNZ_MAX + 1, &offset, err);
    if (!status)
        status = hsc_array_open(db, "/strings/bytes", HSC_COLTYPE_U1, HSC_NNZ_MAX + 1, &bytes, err);
    if (!status && (!offset.n || offset.n > HSC_ROWS_MAX || bytes.n + offset.n > HSC_COLUMN_BYTES_MAX / 8))
        status = hsc_err_set(err, HSC_E_LIMIT, "%s: /strings: more than the reader takes", db->path);
    if (status)
        goto done;
    db->n_pool = offset.n - 1;
    db->pool_offsets = malloc(offset.n * sizeof *db->pool_offsets);
    db->pool = hsc_large_malloc(bytes.n + offset.n + 1);
    const char *raw = db->pool + offset.n; /* at the end of it: each text goes forward in the end, by fewer bytes than there are texts to come */
    if (!db->pool_offsets || !db->pool)
        status = out_of_memory(db, err);
    if (!status)
        status = hsc_dbfile_read(db->file, offset.set, 0, offset.n, db->pool_offsets, err);
    if (!status && bytes.n)
        status = hsc_dbfile_read(db->file, bytes.set, 0, bytes.n, db->pool + offset.n, err);
    if (!status)
        status = hsc_check_indptr(db->path, "/strings offset", (hsc_ends){.wide = db->pool_offsets}, db->n_pool, bytes.n, err);
    uint64_t to = 0;
    for (uint64_t i = 0; i < db->n_pool && !status; i++) { /* each with a NUL */
        uint64_t n = db->pool_offsets[i + 1] - db->pool_offsets[i];
        memmove(db->pool + to, raw + db->pool_offsets[i], n);
        db->pool[to + n] = 0;
        hsc_text_repair(db->pool + to);
        db->pool_offsets[i] = to;
        to += n + 1;
    }
done:
    hsc_array_close(db, &offset);
    hsc_array_close(db, &bytes);
    return status;
}

hsc_status hsc_db_number(hsc_db *db, const char *object, const char *name, double *out, hsc_err *err) {
    hsc_err why = {0};
    hsc_status status = hsc_dbfile_numbers(db->file, object, name, 1, out, &why);
    return status ? hsc_err_set(err, status == HSC_E_MISSING ? HSC_E_FORMAT : status, "%s", why.text) : HSC_OK;
}

/* Rows of each file in the line table and of each process in the thread table. */
static hsc_status index_groups(hsc_db *db, enum hsc_table_id groups, enum hsc_column_id member, uint32_t **first,
                               uint32_t **count, hsc_err *err) {
    uint64_t n = db->tables.rows[groups], m = db->tables.rows[hsc_schema_columns[member].table];
    const uint32_t *of = db->tables.columns[member];
    *first = calloc(n + 1, sizeof **first);
    *count = calloc(n + 1, sizeof **count);
    if (!*first || !*count)
        return out_of_memory(db, err);
    for (uint64_t i = 0; i < m; i++)
        if (!(*count)[of[i]]++)
            (*first)[of[i]] = (uint32_t)i;
    return HSC_OK;
}

hsc_status hsc_db_open(const char *path, hsc_db **out, hsc_err *err) { return hsc_db_open_progress(path, NULL, NULL, out, err); }

static hsc_status begin(const char *path, hsc_db_progress call, void *ctx, hsc_db **out, hsc_err *err) {
    hsc_db *db = calloc(1, sizeof *db);
    if (!db || !(db->path = strdup(path))) {
        free(db);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    db->level_cost = HSC_DB_LEVEL_COST;
    db->block_nnz = HSC_DB_BLOCK_NNZ;
    db->pass_nnz = HSC_DB_PASS_NNZ;
    db->budget = HSC_DB_BUDGET;
    db->window_least = HSC_WINDOW_BYTES_LEAST;
    db->piece_rows = HSC_DB_PIECE_ROWS;
    db->mark_least = HSC_DB_MARK_LEAST;
    db->few_contexts = HSC_DB_FEW_CONTEXTS;
    db->marks_s = 0.004;
    db->leaf_metric = HSC_NONE;
    db->ahead = 1; /* nobody has had a turn */
    db->source_offset.set = db->source_bytes.set = -1;
    db->tables.path = db->path;
    hsc_status status = explain(db, hsc_dbfile_begin(path, call, ctx, &db->file, err), err);
    if (status)
        hsc_db_close(db);
    else
        *out = db;
    return status;
}

hsc_status hsc_db_open_begin(const char *path, hsc_db **out, hsc_err *err) { return begin(path, NULL, NULL, out, err); }

hsc_status hsc_db_open_finish(hsc_db *db, hsc_err *err) {
    double number;
    hsc_status status = hsc_dbfile_finish(db->file, err);
    if (!status)
        status = check_identity(db, err);
    if (!status)
        status = hsc_dbfile_text(db->file, "title", &db->title, err);
    if (!status)
        status = hsc_dbfile_text(db->file, "command", &db->command, err);
    if (!status)
        status = hsc_dbfile_text(db->file, "created", &db->created, err);
    if (status)
        goto done;
    db->cpu_s = db->wall_s = -1;
    if (!hsc_dbfile_numbers(db->file, "/", "cpu_s", 1, &number, NULL))
        db->cpu_s = number;
    if (!hsc_dbfile_numbers(db->file, "/", "wall_s", 1, &number, NULL))
        db->wall_s = number;
    if (!hsc_dbfile_numbers(db->file, "/", "simulated", 1, &number, NULL))
        db->simulated = number != 0;
    look_at_tables(db);
    for (int t = 0; t < HSC_TAB_COUNT && !status; t++)
        status = count_rows(db, (enum hsc_table_id)t, err);
    if (!status)
        status = load_pool(db, err);
    for (size_t i = 0; i < sizeof at_open / sizeof *at_open && !status; i++)
        status = load_table(db, at_open[i], err);
    if (!status && (!db->tables.rows[HSC_TAB_scope] || !db->tables.rows[HSC_TAB_metric] || !db->tables.rows[HSC_TAB_context]))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: no scopes, contexts or metrics", db->path);
    if (!status)
        status = index_groups(db, HSC_TAB_file, HSC_COL_line_file, &db->first_line, &db->line_rows, err);
    if (!status)
        status = index_groups(db, HSC_TAB_process, HSC_COL_thread_process, &db->first_thread, &db->threads, err);
    if (!status)
        status = hsc_nodes_find(db, err);
    if (status)
        goto done;
    if (db->tables.rows[HSC_TAB_metric] > 4096 || db->tables.rows[HSC_TAB_thread] > HSC_THREADS_MAX) {
        status = hsc_err_set(err, HSC_E_LIMIT, "%s: more metrics or threads than the format takes", db->path);
        goto done;
    }
    db->identity_processes = db->tables.rows[HSC_TAB_thread] == db->tables.rows[HSC_TAB_process];
    for (uint64_t i = 0; i < db->tables.rows[HSC_TAB_thread] && db->identity_processes; i++)
        db->identity_processes = HSC_COL(db, thread_process, uint32_t)[i] == i;
    while (db->n_metrics < db->tables.rows[HSC_TAB_metric] && HSC_COL(db, metric_weights_of, uint32_t)[db->n_metrics] == HSC_NONE)
        db->n_metrics++;
    db->values = calloc(db->tables.rows[HSC_TAB_metric] * HSC_VALUES_COUNT, sizeof *db->values);
    db->context_sums = calloc(db->tables.rows[HSC_TAB_metric], sizeof *db->context_sums);
    if (!db->values || !db->context_sums)
        status = out_of_memory(db, err);
done:
    hsc_dbfile_forget_looks(db->file);
    return explain(db, status, err);
}

hsc_status hsc_db_open_progress(const char *path, hsc_db_progress call, void *ctx, hsc_db **out, hsc_err *err) {
    hsc_db *db = NULL;
    hsc_status status = begin(path, call, ctx, &db, err);
    if (!status && (status = hsc_db_open_finish(db, err)) != HSC_OK)
        hsc_db_close(db);
    if (!status)
        *out = db;
    return status;
}

void hsc_db_set_progress(hsc_db *db, hsc_db_progress call, void *ctx) { hsc_dbfile_set_progress(db->file, call, ctx); }

hsc_status hsc_db_go_on(const hsc_db *db, hsc_err *err) { return hsc_dbfile_go_on(db->file, err); }

void hsc_db_close(hsc_db *db) {
    if (!db)
        return;
    hsc_interval_end(db);
    hsc_marks_free(db);
    hsc_spare_end(&db->spares);
    hsc_times_close(db);
    hsc_values_close(db);
    free(db->values);
    hsc_array_close(db, &db->source_offset);
    hsc_array_close(db, &db->source_bytes);
    drop_spare(db);
    hsc_dbfile_close(db->file);
    for (int i = 0; i < HSC_COL_COUNT; i++) {
        free(db->strings[i].bytes);
        free(db->strings[i].offsets);
        free(db->strings[i].longs);
    }
    for (uint64_t i = 0; db->context_sums && i < db->tables.rows[HSC_TAB_metric]; i++)
        free(db->context_sums[i]);
    hsc_large_free(&db->room);
    free(db->context_sums);
    free(db->introduced);
    free(db->leaf_kinds.few);
    free(db->direct_wanted);
    free(db->wait_pairs);
    free(db->mean_excess);
    free(db->first_line);
    free(db->line_rows);
    free(db->first_thread);
    free(db->threads);
    hsc_nodes_free(db);
    free(db->pool_offsets);
    free(db->pool);
    free(db->title);
    free(db->command);
    free(db->created);
    free(db->path);
    free(db);
}
