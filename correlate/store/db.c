/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a database and reads its data sets, each checked before it is read: the file may be hostile. */
#include "db.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "chunks.h"
#include "text.h"

static herr_t innermost(unsigned n, const H5E_error2_t *e, void *data) {
    (void)n;
    snprintf(data, 160, "%s", e->desc ? e->desc : "unknown reason");
    return 1;
}

hsc_status hsc_db_fail(const hsc_db *db, const char *name, hsc_err *err) {
    char why[160] = "unknown reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, why);
    return hsc_err_set(err, HSC_E_FORMAT, "%s: %s: cannot read: HDF5: %s", db->path, name, why);
}

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

/* Every part of the path must be a hard link. */
bool hsc_db_has(const hsc_db *db, const char *name) {
    char part[128];
    size_t n = strlen(name);
    if (n >= sizeof part)
        return false;
    for (size_t i = 1; i <= n; i++)
        if (!name[i] || name[i] == '/') {
            H5L_info_t info;
            memcpy(part, name, i);
            part[i] = 0;
            if (H5Lget_info(db->file, part, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD)
                return false;
        }
    return true;
}

/* ---- arrays ---- */

static hid_t memory_type(hsc_column_type type) {
    switch (type) {
    case HSC_COLTYPE_U1:
        return H5T_NATIVE_UINT8;
    case HSC_COLTYPE_U2:
        return H5T_NATIVE_UINT16;
    case HSC_COLTYPE_U4:
        return H5T_NATIVE_UINT32;
    case HSC_COLTYPE_U8:
        return H5T_NATIVE_UINT64;
    case HSC_COLTYPE_I4:
        return H5T_NATIVE_INT32;
    case HSC_COLTYPE_F8:
        return H5T_NATIVE_DOUBLE;
    default:
        return -1;
    }
}

static hsc_status wrong(const hsc_db *db, const char *name, const char *what, hsc_err *err) {
    return hsc_err_set(err, HSC_E_FORMAT, "%s: %s: %s", db->path, name, what);
}

/* Filters, layout, external files, and whether so little on disk can hold so many bytes. */
static hsc_status check_storage(hsc_db *db, hid_t set, const char *name, uint64_t bytes, size_t element, hsc_err *err) {
    hsc_status status = HSC_OK;
    hid_t plist = H5Dget_create_plist(set);
    if (plist < 0)
        return hsc_db_fail(db, name, err);
    H5D_layout_t layout = H5Pget_layout(plist);
    bool deflated = false;
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        status = wrong(db, name, "its layout is none that the format has", err);
    else if (H5Pget_external_count(plist) != 0)
        status = wrong(db, name, "its data are in another file", err);
    if (!status && layout == H5D_CHUNKED) {
        hsize_t chunk = 0;
        if (H5Pget_chunk(plist, 1, &chunk) != 1 || !chunk || chunk * element > HSC_CHUNK_BYTES_MAX)
            status = wrong(db, name, "its chunks are larger than the format allows", err);
    }
    int filters = status ? 0 : H5Pget_nfilters(plist);
    if (filters < 0 || filters > 4)
        status = wrong(db, name, "it has more filters than the format allows", err);
    for (int i = 0; i < filters && !status; i++) {
        unsigned flags, config, values[8];
        size_t n = 8;
        H5Z_filter_t f = H5Pget_filter2(plist, (unsigned)i, &flags, &n, values, 0, NULL, &config);
        if (f == H5Z_FILTER_DEFLATE)
            deflated = true;
        else if (f != H5Z_FILTER_SHUFFLE && f != H5Z_FILTER_FLETCHER32)
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s: filter %d is none that the format has", db->path, name, (int)f);
    }
    if (!status && bytes) {
        uint64_t stored = H5Dget_storage_size(set); /* deflate packs no better than 1032 to 1 */
        if (stored < bytes / (deflated ? 1032 : 1) || (!deflated && stored < bytes))
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s: %" PRIu64 " bytes claimed, %" PRIu64 " stored", db->path, name, bytes,
                                 stored);
    }
    H5Pclose(plist);
    return status;
}

static hsc_status check_type(const hsc_db *db, hid_t set, const char *name, hsc_column_type type, size_t *size, bool *native,
                             hsc_err *err) {
    hid_t t = H5Dget_type(set);
    if (t < 0)
        return hsc_db_fail(db, name, err);
    H5T_class_t class = H5Tget_class(t), expected = type == HSC_COLTYPE_S ? H5T_STRING : type == HSC_COLTYPE_F8 ? H5T_FLOAT : H5T_INTEGER;
    bool good = class == expected;
    *size = H5Tget_size(t);
    if (good && type == HSC_COLTYPE_S)
        good = H5Tis_variable_str(t) == 0 && *size >= 1 && *size <= HSC_STRING_MAX + 1;
    else if (good) {
        good = *size == hsc_schema_type_size(type) && H5Tget_order(t) != H5T_ORDER_VAX && H5Tget_order(t) != H5T_ORDER_MIXED;
        if (good && expected == H5T_INTEGER)
            good = (H5Tget_sign(t) == H5T_SGN_NONE) == (type != HSC_COLTYPE_I4) && H5Tget_precision(t) == 8 * *size &&
                   H5Tget_offset(t) == 0;
        else if (good)
            good = H5Tequal(t, H5T_IEEE_F64LE) > 0;
    }
    *native = good && (type == HSC_COLTYPE_S || H5Tequal(t, memory_type(type)) > 0);
    H5Tclose(t);
    static const char *const names[] = {"u1", "u2", "u4", "u8", "i4", "f8", "text of fixed length"};
    return good ? HSC_OK : hsc_err_set(err, HSC_E_FORMAT, "%s: %s: expected values of type %s", db->path, name, names[type]);
}

static hsc_status open_set(hsc_db *db, const char *name, hsc_column_type type, uint64_t expected_n, hid_t *out_set,
                           uint64_t *n, size_t *size, bool *native, hsc_err *err) {
    hsc_status status;
    hid_t set = -1, space = -1, plist = -1;
    hsize_t dims = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (!hsc_db_has(db, name))
        return hsc_err_set(err, HSC_E_MISSING, "%s: %s is not there", db->path, name);
    plist = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(plist, 127, 4 << 20, 1);
    set = H5Dopen2(db->file, name, plist);
    H5Pclose(plist);
    if (set < 0)
        return hsc_db_fail(db, name, err);
    status = check_type(db, set, name, type, size, native, err);
    if (status)
        goto done;
    space = H5Dget_space(set);
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_dims(space, &dims, NULL) != 1) {
        status = wrong(db, name, "expected one dimension", err);
        goto done;
    }
    if (expected_n <= HSC_NNZ_MAX ? dims != expected_n : dims > HSC_NNZ_MAX) {
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s: expected %" PRIu64 " values, got %" PRIu64, db->path, name, expected_n,
                             (uint64_t)dims);
        goto done;
    }
    status = check_storage(db, set, name, dims * *size, *size, err);
done:
    if (space >= 0)
        H5Sclose(space);
    if (status)
        H5Dclose(set);
    else {
        *out_set = set;
        *n = dims;
    }
    return status;
}

hsc_status hsc_array_open(hsc_db *db, const char *name, hsc_column_type type, uint64_t expected_n, hsc_array *a,
                          hsc_err *err) {
    size_t size;
    hsc_array new = {.set = -1, .type = type};
    snprintf(new.name, sizeof new.name, "%s", name);
    hsc_status status = open_set(db, name, type, expected_n, &new.set, &new.n, &size, &new.native, err);
    if (!status)
        *a = new;
    return status;
}

static void give_back(hsc_db *db, hsc_array *a) {
    if (!a->whole)
        return;
    for (hsc_array **p = &db->wholes; *p; p = &(*p)->next)
        if (*p == a) {
            *p = a->next;
            break;
        }
    db->whole_bytes -= a->n * hsc_schema_type_size(a->type);
    free(a->whole);
    a->whole = NULL;
}

void hsc_array_close(hsc_db *db, hsc_array *a) {
    give_back(db, a);
    if (a->name[0] && a->set >= 0)
        H5Dclose(a->set);
    *a = (hsc_array){.set = -1};
}

static hsc_status read_piece(hsc_db *db, hsc_array *a, uint64_t first, uint64_t n, void *to, hsc_err *err) {
    hsc_status status = HSC_OK;
    hsize_t start = first, count = n;
    bool done = false;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (first == 0 && n == a->n && a->native)
        hsc_chunks_read(a->set, n, hsc_schema_type_size(a->type), to, &done);
    if (done)
        return HSC_OK;
    hid_t file_space = H5Dget_space(a->set), space = H5Screate_simple(1, &count, NULL);
    if (file_space < 0 || space < 0 || H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &count, NULL) < 0 ||
        H5Dread(a->set, memory_type(a->type), space, file_space, H5P_DEFAULT, to) < 0)
        status = hsc_db_fail(db, a->name, err);
    if (file_space >= 0)
        H5Sclose(file_space);
    if (space >= 0)
        H5Sclose(space);
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
    void *whole = malloc(bytes ? bytes : 1);
    if (!whole)
        return out_of_memory(db, err);
    hsc_status status = a->n ? read_piece(db, a, 0, a->n, whole, err) : HSC_OK;
    if (status) {
        free(whole);
        return status;
    }
    a->whole = whole;
    a->next = db->wholes;
    db->wholes = a;
    db->whole_bytes += bytes;
    return HSC_OK;
}

hsc_status hsc_array_keep(hsc_db *db, hsc_array *a, hsc_err *err) {
    a->used = ++db->clock;
    return a->whole ? HSC_OK : load_whole(db, a, err);
}

hsc_status hsc_array_get(hsc_db *db, hsc_array *a, uint64_t first, uint64_t n, void *scratch, const void **out,
                         hsc_err *err) {
    unsigned size = hsc_schema_type_size(a->type);
    if (first > a->n || n > a->n - first)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: %s: values %" PRIu64 " to %" PRIu64 " asked for, it has %" PRIu64, db->path,
                           a->name, first, first + n, a->n);
    a->used = ++db->clock;
    if (!a->whole && (a->pinned || (n > a->n / 8 && a->n * size <= db->budget / 4))) {
        hsc_status status = load_whole(db, a, err);
        if (status)
            return status;
    }
    if (a->whole) {
        *out = (const char *)a->whole + first * size;
        return HSC_OK;
    }
    *out = scratch;
    return n ? read_piece(db, a, first, n, scratch, err) : HSC_OK;
}

/* ---- sparse ---- */

void hsc_sparse_close(hsc_db *db, hsc_sparse *m) {
    hsc_array_close(db, &m->indptr_array);
    hsc_array_close(db, &m->indices);
    hsc_array_close(db, &m->data);
    hsc_array_close(db, &m->max);
    hsc_array_close(db, &m->sum);
    m->present = false;
    m->indptr = NULL;
}

hsc_status hsc_sparse_open(hsc_db *db, const char *name, uint64_t rows, uint64_t columns, bool level, bool sums,
                           hsc_sparse *m, hsc_err *err) {
    char path[128];
    const void *p = NULL;
    hsc_status status;
    *m = (hsc_sparse){.rows = rows, .columns = columns};
    m->indptr_array.set = m->indices.set = m->data.set = m->max.set = m->sum.set = -1;
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(path, sizeof path, "%s/indptr", name);
    status = hsc_array_open(db, path, HSC_COLTYPE_U8, rows + 1, &m->indptr_array, err);
    if (status)
        goto done;
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
    m->indptr_array.pinned = true;
    status = hsc_array_get(db, &m->indptr_array, 0, rows + 1, NULL, &p, err);
    if (!status)
        status = hsc_check_indptr(db->path, name, p, rows, m->nnz, err);
    m->indptr = p;
done:
    m->present = !status;
    if (status)
        hsc_sparse_close(db, m);
    return status;
}

/* ---- tables ---- */

/* Texts of fixed length to one after the other. */
static hsc_status pack_strings(const hsc_db *db, const char *fixed, uint64_t n, size_t size, hsc_strings *s, hsc_err *err) {
    uint64_t total = 0;
    for (uint64_t i = 0; i < n; i++)
        total += strnlen(fixed + i * size, size) + 1;
    s->bytes = malloc(total + 1);
    s->offsets = malloc((n + 1) * sizeof *s->offsets);
    if (!s->bytes || !s->offsets)
        return out_of_memory(db, err);
    total = 0;
    for (uint64_t i = 0; i < n; i++) {
        size_t k = strnlen(fixed + i * size, size);
        s->offsets[i] = total;
        memcpy(s->bytes + total, fixed + i * size, k);
        s->bytes[total + k] = 0;
        hsc_text_repair(s->bytes + total);
        total += k + 1;
    }
    return HSC_OK;
}

static hsc_status load_strings(hsc_db *db, const char *name, uint64_t n, hsc_strings *s, hsc_err *err) {
    char long_name[128], *fixed = NULL;
    hid_t set = -1, type = -1;
    size_t size;
    uint64_t got;
    bool native, done = false;
    hsc_status status = open_set(db, name, HSC_COLTYPE_S, n, &set, &got, &size, &native, err);
    if (status)
        return status;
    if (n * size > HSC_COLUMN_BYTES_MAX) {
        status = hsc_err_set(err, HSC_E_LIMIT, "%s: %s: %" PRIu64 " texts of %zu bytes are more than the reader takes", db->path, name, n,
                             size);
        goto done;
    }
    fixed = malloc(n ? n * size : 1);
    if (!fixed) {
        status = out_of_memory(db, err);
        goto done;
    }
    hsc_chunks_read(set, n, (unsigned)size, fixed, &done);
    type = done ? -1 : H5Dget_type(set);
    if (!done && n && (type < 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, fixed) < 0)) {
        status = hsc_db_fail(db, name, err);
        goto done;
    }
    status = pack_strings(db, fixed, n, size, s, err);
    if (status)
        goto done;
    snprintf(long_name, sizeof long_name, "%s_long", name);
    if (hsc_db_has(db, long_name)) {
        hsc_array a = {.set = -1};
        status = hsc_array_open(db, long_name, HSC_COLTYPE_U4, n, &a, err);
        s->longs = malloc(n ? n * sizeof *s->longs : 1);
        if (!status && !s->longs)
            status = out_of_memory(db, err);
        if (!status)
            status = read_piece(db, &a, 0, n, s->longs, err);
        hsc_array_close(db, &a);
        for (uint64_t i = 0; i < n && !status; i++)
            if (s->longs[i] != HSC_NONE && s->longs[i] >= db->n_pool)
                status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s row %" PRIu64 ": expected a row below %" PRIu64 ", got %" PRIu32,
                                     db->path, long_name, i, db->n_pool, s->longs[i]);
    }
done:
    free(fixed);
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(set);
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
    case HSC_TAB_message:
    case HSC_TAB_message_bucket:
    case HSC_TAB_message_pair:
    case HSC_TAB_wait:
    case HSC_TAB_wait_bucket:
    case HSC_TAB_leaf:
    case HSC_TAB_span:
    case HSC_TAB_delay:
    case HSC_TAB_delayed:
    case HSC_TAB_delay_place:
    case HSC_TAB_probe:
    case HSC_TAB_block:
    case HSC_TAB_visit:
    case HSC_TAB_visit_category:
    case HSC_TAB_visit_bucket:
    case HSC_TAB_phase:
    case HSC_TAB_counter:
    case HSC_TAB_counter_value:
    case HSC_TAB_cost:
        return true;
    default:
        return column == HSC_COL_metric_exact || column == HSC_COL_metric_weights_of || column == HSC_COL_remark_reason || column == HSC_COL_remark_count;
    }
}

static hsc_status count_rows(hsc_db *db, enum hsc_table_id table, hsc_err *err) {
    for (int i = 0; i < HSC_COL_COUNT; i++)
        if (hsc_schema_columns[i].table == table) {
            char name[96];
            hid_t set;
            size_t size;
            bool native;
            snprintf(name, sizeof name, "/%s/%s/%s", hsc_schema_tables[table].section, hsc_schema_tables[table].name,
                     hsc_schema_columns[i].name);
            if (came_later(i) && !hsc_db_has(db, name)) {
                db->tables.rows[table] = 0;
                db->loaded[table] = true;
                return HSC_OK;
            }
            hsc_status status = open_set(db, name, hsc_schema_columns[i].type, HSC_NNZ_MAX + 1, &set, &db->tables.rows[table], &size,
                                         &native, err);
            if (status)
                return status;
            H5Dclose(set);
            if (db->tables.rows[table] > HSC_ROWS_MAX)
                return hsc_err_set(err, HSC_E_LIMIT, "%s: %s: %" PRIu64 " rows, the format takes %" PRIu64, db->path, name,
                                   db->tables.rows[table], HSC_ROWS_MAX);
            return HSC_OK;
        }
    return HSC_OK;
}

hsc_status hsc_db_load(hsc_db *db, enum hsc_table_id table, hsc_err *err) {
    hsc_status status = HSC_OK;
    uint64_t n = db->tables.rows[table];
    if (db->loaded[table])
        return HSC_OK;
    for (int i = 0; i < HSC_COL_COUNT && !status; i++) {
        const hsc_column_def *c = &hsc_schema_columns[i];
        unsigned size = hsc_schema_type_size(c->type);
        char name[96];
        if (c->table != table || db->columns[i] || db->strings[i].bytes)
            continue;
        snprintf(name, sizeof name, "/%s/%s/%s", hsc_schema_tables[table].section, hsc_schema_tables[table].name, c->name);
        if (!size) {
            status = load_strings(db, name, n, &db->strings[i], err);
            if (status) {
                free(db->strings[i].bytes);
                free(db->strings[i].offsets);
                free(db->strings[i].longs);
                db->strings[i] = (hsc_strings){0};
            }
            continue;
        }
        hsc_array a = {.set = -1};
        if (came_later(i) && !hsc_db_has(db, name)) {
            void *zeros = calloc(n ? n : 1, size);
            status = zeros ? HSC_OK : out_of_memory(db, err);
            if (zeros && c->references[0])
                memset(zeros, 0xff, n * size);
            db->tables.columns[i] = db->columns[i] = zeros;
            continue;
        }
        status = hsc_array_open(db, name, c->type, n, &a, err);
        if (status)
            continue;
        if (n * size > HSC_COLUMN_BYTES_MAX)
            status = hsc_err_set(err, HSC_E_LIMIT, "%s: %s: %" PRIu64 " rows are more than the reader takes", db->path, name, n);
        void *p = status ? NULL : malloc(n ? n * size : 1);
        if (!status && !p)
            status = out_of_memory(db, err);
        if (!status && n)
            status = read_piece(db, &a, 0, n, p, err);
        hsc_array_close(db, &a);
        if (status)
            free(p);
        else
            db->tables.columns[i] = db->columns[i] = p;
    }
    if (!status)
        status = hsc_check_table(&db->tables, table, err);
    db->loaded[table] = !status;
    return status;
}

/* ---- open ---- */

/* Text attribute of the root; NULL where there is none. */
static hsc_status root_text(hsc_db *db, const char *name, char **out, hsc_err *err) {
    hsc_status status = HSC_OK;
    hid_t a = -1, t = -1, s = -1, m = -1;
    char *text = NULL;
    if (H5Aexists(db->file, name) <= 0)
        return HSC_OK;
    a = H5Aopen(db->file, name, H5P_DEFAULT);
    t = a >= 0 ? H5Aget_type(a) : -1;
    s = a >= 0 ? H5Aget_space(a) : -1;
    if (t < 0 || s < 0 || H5Tget_class(t) != H5T_STRING || H5Tis_variable_str(t) != 0 || H5Sget_simple_extent_npoints(s) != 1 ||
        H5Tget_size(t) > HSC_TEXT_MAX + 1) {
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: attribute %s: expected one text of fixed length", db->path, name);
        goto done;
    }
    size_t n = H5Tget_size(t) + 1;
    text = calloc(1, n + 1);
    m = H5Tcopy(t);
    H5Tset_size(m, n);
    H5Tset_strpad(m, H5T_STR_NULLTERM);
    if (!text)
        status = out_of_memory(db, err);
    else if (H5Aread(a, m, text) < 0)
        status = hsc_db_fail(db, name, err);
    else {
        hsc_text_repair(text);
        *out = text;
        text = NULL;
    }
done:
    free(text);
    if (m >= 0)
        H5Tclose(m);
    if (t >= 0)
        H5Tclose(t);
    if (s >= 0)
        H5Sclose(s);
    if (a >= 0)
        H5Aclose(a);
    return status;
}

/* Numeric attribute `name` of n values of an object ("/": the file's own); it must be there. */
static hsc_status read_numbers(hsc_db *db, const char *object, const char *name, unsigned n, double *out, hsc_err *err) {
    hsc_status status = HSC_OK;
    hid_t a = H5Aopen_by_name(db->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    hid_t t = a >= 0 ? H5Aget_type(a) : -1, s = a >= 0 ? H5Aget_space(a) : -1;
    H5T_class_t class = t >= 0 ? H5Tget_class(t) : H5T_NO_CLASS;
    if (t < 0 || s < 0 || (class != H5T_INTEGER && class != H5T_FLOAT) || H5Tget_size(t) > 8 || H5Sget_simple_extent_npoints(s) != n)
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s: attribute %s: expected %u number%s", db->path, object, name, n, n == 1 ? "" : "s");
    else if (H5Aread(a, H5T_NATIVE_DOUBLE, out) < 0)
        status = hsc_db_fail(db, name, err);
    if (t >= 0)
        H5Tclose(t);
    if (s >= 0)
        H5Sclose(s);
    if (a >= 0)
        H5Aclose(a);
    return status;
}

static hsc_status root_numbers(hsc_db *db, const char *name, unsigned n, double *out, hsc_err *err) {
    return H5Aexists(db->file, name) <= 0 ? HSC_E_MISSING : read_numbers(db, "/", name, n, out, err);
}

static hsc_status check_identity(hsc_db *db, hsc_err *err) {
    char *format = NULL, *state = NULL;
    double version[2] = {0, 0};
    hsc_status status = root_text(db, "format", &format, err);
    if (!status && (!format || strcmp(format, HSC_FORMAT_NAME)))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: an HDF5 file, but not a heatscope database", db->path);
    if (!status && root_numbers(db, "format_version", 2, version, err))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: no format version", db->path);
    if (!status && version[0] != HSC_FORMAT_MAJOR)
        status = hsc_err_set(err, HSC_E_VERSION, "%s: database format %.0f.%.0f, this program reads %d.x: use a %s heatscope", db->path,
                             version[0], version[1], HSC_FORMAT_MAJOR, version[0] > HSC_FORMAT_MAJOR ? "newer" : "matching");
    if (!status)
        status = root_text(db, "state", &state, err);
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
    char *raw = malloc(bytes.n + 1);
    db->pool = malloc(bytes.n + offset.n + 1);
    if (!db->pool_offsets || !db->pool || !raw)
        status = out_of_memory(db, err);
    if (!status)
        status = read_piece(db, &offset, 0, offset.n, db->pool_offsets, err);
    if (!status && bytes.n)
        status = read_piece(db, &bytes, 0, bytes.n, raw, err);
    if (!status)
        status = hsc_check_indptr(db->path, "/strings offset", db->pool_offsets, db->n_pool, bytes.n, err);
    uint64_t to = 0;
    for (uint64_t i = 0; i < db->n_pool && !status; i++) { /* each with a NUL */
        uint64_t n = db->pool_offsets[i + 1] - db->pool_offsets[i];
        memcpy(db->pool + to, raw + db->pool_offsets[i], n);
        db->pool[to + n] = 0;
        hsc_text_repair(db->pool + to);
        db->pool_offsets[i] = to;
        to += n + 1;
    }
    free(raw);
done:
    hsc_array_close(db, &offset);
    hsc_array_close(db, &bytes);
    return status;
}

hsc_status hsc_db_number(hsc_db *db, const char *object, const char *name, double *out, hsc_err *err) {
    if (!hsc_db_has(db, object) || H5Aexists_by_name(db->file, object, name, H5P_DEFAULT) <= 0)
        return hsc_err_set(err, HSC_E_FORMAT, "%s: %s: attribute %s is not there", db->path, object, name);
    return read_numbers(db, object, name, 1, out, err);
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

hsc_status hsc_db_open(const char *path, hsc_db **out, hsc_err *err) {
    static const enum hsc_table_id at_open[] = {HSC_TAB_module, HSC_TAB_file, HSC_TAB_scope, HSC_TAB_line, HSC_TAB_process,
                                                HSC_TAB_thread, HSC_TAB_metric, HSC_TAB_category, HSC_TAB_ledger};
    hsc_status status = HSC_OK;
    struct stat st;
    hid_t access = -1;
    double number;
    hsc_db *db = calloc(1, sizeof *db);
    if (!db || !(db->path = strdup(path))) {
        free(db);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    db->file = -1;
    db->direct_nnz = HSC_DB_DIRECT_NNZ;
    db->block_nnz = HSC_DB_BLOCK_NNZ;
    db->budget = HSC_DB_BUDGET;
    db->source_offset.set = db->source_bytes.set = -1;
    db->tables.path = db->path;
    if (stat(path, &st)) {
        status = hsc_err_set_errno(err, errno, "%s: cannot open", path);
        goto done;
    }
    if (!S_ISREG(st.st_mode)) {
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: not a file", path);
        goto done;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0); /* no code from HDF5_PLUGIN_PATH because a file names a filter */
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_SEMI);
    db->file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (db->file < 0) {
        FILE *f = fopen(path, "rb");
        if (!f)
            status = hsc_err_set_errno(err, errno, "%s: cannot open", path);
        else {
            unsigned char head[8] = {0};
            bool hdf5 = fread(head, 1, 8, f) == 8 && !memcmp(head, "\211HDF\r\n\032\n", 8);
            fclose(f);
            status = hdf5 ? hsc_err_set(err, HSC_E_FORMAT, "%s: the HDF5 file is damaged or cut off", path)
                          : hsc_err_set(err, HSC_E_FORMAT, "%s: not a heatscope database: no HDF5 file", path);
        }
        goto done;
    }
    status = check_identity(db, err);
    if (!status)
        status = root_text(db, "title", &db->title, err);
    if (!status)
        status = root_text(db, "command", &db->command, err);
    if (!status)
        status = root_text(db, "created", &db->created, err);
    if (status)
        goto done;
    db->cpu_s = db->wall_s = -1;
    if (!root_numbers(db, "cpu_s", 1, &number, NULL))
        db->cpu_s = number;
    if (!root_numbers(db, "wall_s", 1, &number, NULL))
        db->wall_s = number;
    if (!root_numbers(db, "simulated", 1, &number, NULL))
        db->simulated = number != 0;
    for (int t = 0; t < HSC_TAB_COUNT && !status; t++)
        status = count_rows(db, (enum hsc_table_id)t, err);
    if (!status)
        status = load_pool(db, err);
    for (size_t i = 0; i < sizeof at_open / sizeof *at_open && !status; i++)
        status = hsc_db_load(db, at_open[i], err);
    if (!status && (!db->tables.rows[HSC_TAB_scope] || !db->tables.rows[HSC_TAB_metric] || !db->tables.rows[HSC_TAB_context]))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: no scopes, contexts or metrics", path);
    if (!status)
        status = index_groups(db, HSC_TAB_file, HSC_COL_line_file, &db->first_line, &db->line_rows, err);
    if (!status)
        status = index_groups(db, HSC_TAB_process, HSC_COL_thread_process, &db->first_thread, &db->threads, err);
    if (status)
        goto done;
    if (db->tables.rows[HSC_TAB_metric] > 4096 || db->tables.rows[HSC_TAB_thread] > HSC_THREADS_MAX) {
        status = hsc_err_set(err, HSC_E_LIMIT, "%s: more metrics or threads than the format takes", path);
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
    if (status)
        hsc_db_close(db);
    else
        *out = db;
    return status;
}

void hsc_db_close(hsc_db *db) {
    if (!db)
        return;
    hsc_interval_close(db);
    hsc_times_close(db);
    hsc_values_close(db);
    free(db->values);
    hsc_array_close(db, &db->source_offset);
    hsc_array_close(db, &db->source_bytes);
    if (db->file >= 0)
        H5Fclose(db->file);
    for (int i = 0; i < HSC_COL_COUNT; i++) {
        free(db->columns[i]);
        free(db->strings[i].bytes);
        free(db->strings[i].offsets);
        free(db->strings[i].longs);
    }
    for (uint64_t i = 0; db->context_sums && i < db->tables.rows[HSC_TAB_metric]; i++)
        free(db->context_sums[i]);
    free(db->context_sums);
    free(db->wait_pairs);
    free(db->mean_excess);
    free(db->first_line);
    free(db->line_rows);
    free(db->first_thread);
    free(db->threads);
    free(db->pool_offsets);
    free(db->pool);
    free(db->title);
    free(db->command);
    free(db->created);
    free(db->path);
    free(db);
}
