/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens files and reads data sets through HDF5, each checked before it is read: the file may be hostile. */
#include "h5.h"

#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <heatscope/formats/text.h>

#include "chunks.h"
#include "h5_file.h"

typedef struct h5_set {
    hid_t id; /* < 0: closed */
    hsc_column_type type;
    bool native; /* in the file as in memory */
    hsc_set_info info;
    uint64_t chunk_rows; /* of chunks that chunks.c can read; 0: it cannot */
    char name[112];
} h5_set;

struct hsc_h5 {
    char *path;
    hid_t file;
    hsc_h5_file driver;
    h5_set *sets;
    int n_sets, capacity;
    hsc_chunk_cache cache;
};

static herr_t innermost(unsigned n, const H5E_error2_t *e, void *data) {
    (void)n;
    snprintf(data, 160, "%s", e->desc ? e->desc : "unknown reason");
    return 1;
}

static hsc_status fail(const hsc_h5 *h, const char *name, hsc_err *err) {
    char why[160] = "unknown reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, why);
    return hsc_err_set(err, HSC_E_FORMAT, "%s: %s: cannot read: HDF5: %s", h->path, name, why);
}

static hsc_status out_of_memory(const hsc_h5 *h, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", h->path);
}

static hsc_status wrong(const hsc_h5 *h, const char *name, const char *what, hsc_err *err) {
    return hsc_err_set(err, HSC_E_FORMAT, "%s: %s: %s", h->path, name, what);
}

hsc_status hsc_h5_load(hsc_err *err) {
    (void)err;
    return HSC_OK;
}

/* Every part of the path must be a hard link. */
bool hsc_h5_has(hsc_h5 *h, const char *name) {
    char part[128];
    size_t n = strlen(name);
    if (n >= sizeof part)
        return false;
    for (size_t i = 1; i <= n; i++)
        if (!name[i] || name[i] == '/') {
            H5L_info_t info;
            memcpy(part, name, i);
            part[i] = 0;
            if (H5Lget_info(h->file, part, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD)
                return false;
        }
    return true;
}

/* ---- data sets ---- */

hid_t hsc_h5_memory_type(hsc_column_type type) {
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

/* Filters, layout, external files, and whether so little on disk can hold so many bytes. */
static hsc_status check_storage(hsc_h5 *h, hid_t set, const char *name, uint64_t bytes, size_t element, hsc_err *err) {
    hsc_status status = HSC_OK;
    hid_t plist = H5Dget_create_plist(set);
    if (plist < 0)
        return fail(h, name, err);
    H5D_layout_t layout = H5Pget_layout(plist);
    bool deflated = false;
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        status = wrong(h, name, "its layout is none that the format has", err);
    else if (H5Pget_external_count(plist) != 0)
        status = wrong(h, name, "its data are in another file", err);
    if (!status && layout == H5D_CHUNKED) {
        hsize_t chunk = 0;
        if (H5Pget_chunk(plist, 1, &chunk) != 1 || !chunk || chunk * element > HSC_CHUNK_BYTES_MAX)
            status = wrong(h, name, "its chunks are larger than the format allows", err);
    }
    int filters = status ? 0 : H5Pget_nfilters(plist);
    if (filters < 0 || filters > 4)
        status = wrong(h, name, "it has more filters than the format allows", err);
    for (int i = 0; i < filters && !status; i++) {
        unsigned flags, config, values[8];
        size_t n = 8;
        H5Z_filter_t f = H5Pget_filter2(plist, (unsigned)i, &flags, &n, values, 0, NULL, &config);
        if (f == H5Z_FILTER_DEFLATE)
            deflated = true;
        else if (f != H5Z_FILTER_SHUFFLE && f != H5Z_FILTER_FLETCHER32)
            status =
                hsc_err_set(err, HSC_E_FORMAT, "%s: %s: filter %d is none that the format has", h->path, name, (int)f);
    }
    if (!status && bytes) {
        uint64_t stored = H5Dget_storage_size(set); /* deflate packs no better than 1032 to 1 */
        if (stored < bytes / (deflated ? 1032 : 1) || (!deflated && stored < bytes))
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s: %" PRIu64 " bytes claimed, %" PRIu64 " stored", h->path,
                                 name, bytes, stored);
    }
    H5Pclose(plist);
    return status;
}

static hsc_status check_type(const hsc_h5 *h, hid_t set, const char *name, hsc_column_type type, size_t *size,
                             bool *native, hsc_err *err) {
    hid_t t = H5Dget_type(set);
    if (t < 0)
        return fail(h, name, err);
    H5T_class_t class = H5Tget_class(t), expected = type == HSC_COLTYPE_S    ? H5T_STRING
                                                    : type == HSC_COLTYPE_F8 ? H5T_FLOAT
                                                                             : H5T_INTEGER;
    bool good = class == expected;
    *size = H5Tget_size(t);
    if (good && type == HSC_COLTYPE_S)
        good = H5Tis_variable_str(t) == 0 && *size >= 1 && *size <= HSC_STRING_MAX + 1;
    else if (good) {
        good = *size == hsc_schema_type_size(type) && H5Tget_order(t) != H5T_ORDER_VAX &&
               H5Tget_order(t) != H5T_ORDER_MIXED;
        if (good && expected == H5T_INTEGER)
            good = (H5Tget_sign(t) == H5T_SGN_NONE) == (type != HSC_COLTYPE_I4) && H5Tget_precision(t) == 8 * *size &&
                   H5Tget_offset(t) == 0;
        else if (good)
            good = H5Tequal(t, H5T_IEEE_F64LE) > 0;
    }
    *native = good && (type == HSC_COLTYPE_S || H5Tequal(t, hsc_h5_memory_type(type)) > 0);
    H5Tclose(t);
    static const char *const names[] = {"u1", "u2", "u4", "u8", "i4", "f8", "text of fixed length"};
    return good ? HSC_OK
                : hsc_err_set(err, HSC_E_FORMAT, "%s: %s: expected values of type %s", h->path, name, names[type]);
}

hsc_status hsc_h5_open_set(hsc_h5 *h, const char *name, hsc_column_type type, uint64_t expected_n, int *set,
                           hsc_set_info *info, hsc_err *err) {
    hsc_status status;
    hid_t space = -1;
    hsize_t dims = 0;
    size_t size = 0;
    h5_set new = {.id = -1, .type = type};
    if (!hsc_h5_has(h, name))
        return hsc_err_set(err, HSC_E_MISSING, "%s: %s is not there", h->path, name);
    hid_t plist = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(plist, 13, 1 << 18, 1); /* where chunks.c can't read it */
    new.id = H5Dopen2(h->file, name, plist);
    H5Pclose(plist);
    if (new.id < 0)
        return fail(h, name, err);
    snprintf(new.name, sizeof new.name, "%s", name);
    status = check_type(h, new.id, name, type, &size, &new.native, err);
    if (status)
        goto done;
    space = H5Dget_space(new.id);
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_dims(space, &dims, NULL) != 1) {
        status = wrong(h, name, "expected one dimension", err);
        goto done;
    }
    if (expected_n <= HSC_NNZ_MAX ? dims != expected_n : dims > HSC_NNZ_MAX) {
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s: expected %" PRIu64 " values, got %" PRIu64, h->path, name,
                             expected_n, (uint64_t)dims);
        goto done;
    }
    status = check_storage(h, new.id, name, dims * size, size, err);
    if (status)
        goto done;
    new.chunk_rows = new.native ? hsc_chunks_rows(new.id, (unsigned)size) : 0;
    uint64_t unit = new.chunk_rows ? new.chunk_rows : 1, units = HSC_H5_BATCH_BYTES / (unit * size);
    new.info = (hsc_set_info){dims, (uint32_t)size, units > 1 ? units * unit : new.chunk_rows ? 2 * unit : unit};
    int at = 0;
    while (at < h->n_sets && h->sets[at].id >= 0)
        at++;
    if (at == h->capacity) {
        int capacity = h->capacity ? 2 * h->capacity : 64;
        h5_set *sets = realloc(h->sets, (size_t)capacity * sizeof *sets);
        if (!sets) {
            status = out_of_memory(h, err);
            goto done;
        }
        h->sets = sets;
        h->capacity = capacity;
    }
    h->n_sets = at == h->n_sets ? at + 1 : h->n_sets;
    h->sets[at] = new;
    *set = at;
    *info = new.info;
done:
    if (space >= 0)
        H5Sclose(space);
    if (status)
        H5Dclose(new.id);
    return status;
}

static h5_set *find_set(hsc_h5 *h, int set) {
    return set >= 0 && set < h->n_sets && h->sets[set].id >= 0 ? &h->sets[set] : NULL;
}

hsc_status hsc_h5_info(const hsc_h5 *h, int set, hsc_set_info *info, hsc_err *err) {
    if (set < 0 || set >= h->n_sets || h->sets[set].id < 0)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: data set %d is not open", h->path, set);
    *info = h->sets[set].info;
    return HSC_OK;
}

void hsc_h5_close_set(hsc_h5 *h, int set) {
    h5_set *s = find_set(h, set);
    if (s) {
        hsc_chunk_cache_drop(&h->cache, s->id);
        H5Dclose(s->id);
        s->id = -1;
    }
}

hsc_status hsc_h5_read(hsc_h5 *h, int set, uint64_t first, uint64_t n, void *to, hsc_err *err) {
    hsc_status status = HSC_OK;
    hsize_t start = first, count = n;
    bool done = false;
    h5_set *s = find_set(h, set);
    if (!s || !n || first > s->info.n || n > s->info.n - first || n > s->info.step)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: data set %d: values that it has not", h->path, set);
    hsc_chunks_read(&h->cache, s->id, s->chunk_rows, s->info.n, first, n, s->info.size, to, &done);
    if (done)
        return HSC_OK;
    hid_t type = s->type == HSC_COLTYPE_S ? H5Dget_type(s->id) : hsc_h5_memory_type(s->type);
    hid_t file_space = H5Dget_space(s->id), space = H5Screate_simple(1, &count, NULL);
    if (type < 0 || file_space < 0 || space < 0 ||
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &count, NULL) < 0 ||
        H5Dread(s->id, type, space, file_space, H5P_DEFAULT, to) < 0)
        status = fail(h, s->name, err);
    if (s->type == HSC_COLTYPE_S && type >= 0)
        H5Tclose(type);
    if (file_space >= 0)
        H5Sclose(file_space);
    if (space >= 0)
        H5Sclose(space);
    return status;
}

hsc_status hsc_h5_read_pieces(hsc_h5 *h, int set, uint64_t piece, const uint64_t *numbers, uint32_t n, void *to, uint64_t *bytes, hsc_err *err) {
    h5_set *s = find_set(h, set);
    *bytes = 0;
    for (uint32_t i = 0; s && i < n; i++) {
        if (!piece || piece > HSC_NNZ_MAX || numbers[i] > s->info.n / piece || numbers[i] * piece >= s->info.n || (i && numbers[i] <= numbers[i - 1]))
            s = NULL;
        else
            *bytes += (s->info.n - numbers[i] * piece < piece ? s->info.n - numbers[i] * piece : piece) * s->info.size;
    }
    if (!s || !n || *bytes > HSC_PIECES_BYTES_MAX)
        return hsc_err_set(err, HSC_E_ARGUMENT, "%s: data set %d: pieces that it has not", h->path, set);
    if (s->chunk_rows == piece && hsc_chunks_read_some(s->id, piece, s->info.n, numbers, n, s->info.size, to))
        return HSC_OK;
    hsc_status status = HSC_OK;
    char *p = to;
    for (uint32_t i = 0; i < n && !status; i++) { /* step by step, as any read */
        uint64_t at = numbers[i] * piece, end = at + piece < s->info.n ? at + piece : s->info.n;
        while (at < end && !status) {
            uint64_t step = (at / s->info.step + 1) * s->info.step, until = step < end ? step : end;
            status = hsc_h5_read(h, set, at, until - at, p, err);
            p += (until - at) * s->info.size;
            at = until;
        }
    }
    return status;
}

/* ---- attributes ---- */

hsc_status hsc_h5_text(hsc_h5 *h, const char *name, char **out, hsc_err *err) {
    hsc_status status = HSC_OK;
    hid_t a = -1, t = -1, s = -1, m = -1;
    char *text = NULL;
    if (H5Aexists(h->file, name) <= 0)
        return HSC_OK;
    a = H5Aopen(h->file, name, H5P_DEFAULT);
    t = a >= 0 ? H5Aget_type(a) : -1;
    s = a >= 0 ? H5Aget_space(a) : -1;
    if (t < 0 || s < 0 || H5Tget_class(t) != H5T_STRING || H5Tis_variable_str(t) != 0 ||
        H5Sget_simple_extent_npoints(s) != 1 || H5Tget_size(t) > HSC_TEXT_MAX + 1) {
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: attribute %s: expected one text of fixed length", h->path, name);
        goto done;
    }
    size_t n = H5Tget_size(t) + 1;
    text = calloc(1, n + 1);
    m = H5Tcopy(t);
    H5Tset_size(m, n);
    H5Tset_strpad(m, H5T_STR_NULLTERM);
    if (!text)
        status = out_of_memory(h, err);
    else if (H5Aread(a, m, text) < 0)
        status = fail(h, name, err);
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

hsc_status hsc_h5_numbers(hsc_h5 *h, const char *object, const char *name, unsigned n, double *out, hsc_err *err) {
    hsc_status status = HSC_OK;
    if ((strcmp(object, "/") && !hsc_h5_has(h, object)) || H5Aexists_by_name(h->file, object, name, H5P_DEFAULT) <= 0)
        return hsc_err_set(err, HSC_E_MISSING, "%s: %s: attribute %s is not there", h->path, object, name);
    hid_t a = H5Aopen_by_name(h->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    hid_t t = a >= 0 ? H5Aget_type(a) : -1, s = a >= 0 ? H5Aget_space(a) : -1;
    H5T_class_t class = t >= 0 ? H5Tget_class(t) : H5T_NO_CLASS;
    if (t < 0 || s < 0 || (class != H5T_INTEGER && class != H5T_FLOAT) || H5Tget_size(t) > 8 ||
        H5Sget_simple_extent_npoints(s) != n)
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s: attribute %s: expected %u number%s", h->path, object, name, n,
                             n == 1 ? "" : "s");
    else if (H5Aread(a, H5T_NATIVE_DOUBLE, out) < 0)
        status = fail(h, name, err);
    if (t >= 0)
        H5Tclose(t);
    if (s >= 0)
        H5Sclose(s);
    if (a >= 0)
        H5Aclose(a);
    return status;
}

/* ---- open ---- */

/* A data set of many chunks has hundreds of nodes that say where they are, all of which are looked at when it is opened. In memory a node takes nine times
 * what HDF5 counts of it (its bytes in the file, 2 MB at first), and up to 21 MB are kept that are free. They are looked at in their order, so few do. */
static void keep_little(hid_t access) {
    enum { KEPT_BYTES = 1 << 19, FREE_BYTES = 1 << 20, FREE_LIST_BYTES = 1 << 16 };
    H5AC_cache_config_t c = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Pget_mdc_config(access, &c) >= 0) {
        c.set_initial_size = true;
        c.initial_size = c.max_size = KEPT_BYTES;
        c.min_size = KEPT_BYTES / 2;
        c.flash_incr_mode = H5C_flash_incr__off;
        H5Pset_mdc_config(access, &c);
    }
    H5set_free_list_limits(FREE_BYTES, FREE_LIST_BYTES, FREE_BYTES, FREE_LIST_BYTES, FREE_BYTES, FREE_LIST_BYTES);
}

hsc_status hsc_h5_open(const char *path, int file, hsc_h5 **out, hsc_err *err) {
    hsc_h5 *h = calloc(1, sizeof *h);
    if (!h || !(h->path = strdup(path))) {
        free(h);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0); /* no code from HDF5_PLUGIN_PATH because a file names a filter */
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_SEMI);
    keep_little(access);
    h->file = hsc_h5_file_use(access, file, &h->driver) < 0 ? -1 : H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (h->file < 0) {
        char head[8] = {0};
        bool hdf5 = pread(file, head, 8, 0) == 8 && !memcmp(head, "\211HDF\r\n\032\n", 8);
        hsc_h5_close(h);
        return hdf5 ? hsc_err_set(err, HSC_E_FORMAT, "%s: the HDF5 file is damaged or cut off", path)
                    : hsc_err_set(err, HSC_E_FORMAT, "%s: not a heatscope database: no HDF5 file", path);
    }
    *out = h;
    return HSC_OK;
}

void hsc_h5_close(hsc_h5 *h) {
    if (!h)
        return;
    for (int i = 0; i < h->n_sets; i++)
        hsc_h5_close_set(h, i);
    if (h->file >= 0)
        H5Fclose(h->file);
    free(h->sets);
    free(h->path);
    free(h);
}
