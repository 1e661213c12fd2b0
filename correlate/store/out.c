/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data sets, whole or as their values come, and attributes. */
#include "out.h"

#include <stdlib.h>
#include <string.h>

#include "before.h"
#include "h5_write.h"
#include "out_internal.h"

enum { LEVEL = 4 /* written into the file, for its readers */ };
enum { LINKS = 16, NAME_BYTES = 12, LINKS_MAX = 64 }; /* of a group: room there is at first, and how many stand in its header */

hsc_status hsc_out_new(const char *path, unsigned workers, hsc_out **out, hsc_err *err) {
    hsc_out *o = calloc(1, sizeof *o);
    if (!o || !(o->packing = hsc_packing_new(path, workers))) {
        free(o);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    o->path = path;
    o->before = -1;
    *out = o;
    return HSC_OK;
}

hsc_status hsc_out_new_apart(const char *path, unsigned workers, hsc_out **out, hsc_err *err) {
    hsc_status status = hsc_out_new(path, workers, out, err);
    if (!status && !((*out)->log = hsc_out_log_new(path))) {
        hsc_out_free(*out);
        *out = NULL;
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    if (!status)
        hsc_packing_set_log((*out)->packing, (*out)->log);
    return status;
}

bool hsc_out_is_apart(const hsc_out *o) { return o->log != NULL; }

void hsc_out_free(hsc_out *o) {
    if (!o)
        return;
    const hid_t lists[] = {o->made.group, o->made.plain, o->made.chunks, o->made.shuffled};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i] > 0)
            H5Pclose(lists[i]);
    if (o->made.scalar > 0)
        H5Sclose(o->made.scalar);
    if (o->made.text > 0)
        H5Tclose(o->made.text);
    hsc_packing_free(o->packing);
    hsc_out_log_free(o->log);
    free(o);
}

void hsc_out_set_memo(hsc_out *o, const struct hsc_packed_memo *memo) { hsc_packing_set_memo(o->packing, memo); }

void hsc_out_set_written(hsc_out *o, struct hsc_h5_written *written) {
    o->written = written;
    hsc_packing_set_written(o->packing, written);
}

void hsc_out_set_before(hsc_out *o, hid_t before) { o->before = before; }

hsc_status hsc_out_fail_before(hsc_out *o, const char *path, hsc_err *err) {
    o->bad_before = true;
    return hsc_err_set(err, HSC_E_IO, "%s: cannot read %s of the database that is there", o->path, path);
}

bool hsc_out_has_bad_before(const hsc_out *o) { return o->bad_before || (o->written && o->written->is_lost); }

hsc_status hsc_out_drain(hsc_out *o, hsc_err *err) { return hsc_packing_drain(o->packing, err); }

hsc_status hsc_out_fail(hsc_out *o, const char *what, const char *name, hsc_err *err) {
    return hsc_packing_fail(o->path, what, name, o->written, err);
}

hsc_status hsc_out_group(hsc_out *o, hid_t parent, const char *name, hid_t *group, hsc_err *err) {
    if (o->log) {
        *group = hsc_out_log_group(o->log, parent, name);
        return HSC_OK;
    }
    if (o->made.group <= 0) {
        o->made.group = H5Pcreate(H5P_GROUP_CREATE);
        H5Pset_obj_track_times(o->made.group, 0);
        H5Pset_link_creation_order(o->made.group, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
        H5Pset_link_phase_change(o->made.group, LINKS_MAX, LINKS_MAX - 1); /* beyond: in a heap with two trees, of which each object costs more */
        H5Pset_est_link_info(o->made.group, LINKS, NAME_BYTES);
    }
    hid_t g = H5Gcreate2(parent, name, H5P_DEFAULT, o->made.group, H5P_DEFAULT);
    if (g < 0)
        return hsc_out_fail(o, "make group", name, err);
    *group = g;
    return HSC_OK;
}

void hsc_out_close_group(hsc_out *o, hid_t group) {
    if (o->log)
        hsc_out_log_close(o->log, group);
    else
        H5Gclose(group);
}

hsc_status hsc_out_told_group(hsc_out *o, hid_t parent, const char *name, const char *description, hid_t *group, hsc_err *err) {
    hid_t g = 0;
    hsc_status status = hsc_out_group(o, parent, name, &g, err);
    if (status)
        return status;
    *group = g;
    return hsc_out_text(o, g, "description", description, err);
}

static hid_t scalar(hsc_out *o) {
    if (o->made.scalar <= 0)
        o->made.scalar = H5Screate(H5S_SCALAR);
    return o->made.scalar;
}

hsc_status hsc_out_text(hsc_out *o, hid_t object, const char *name, const char *text, hsc_err *err) {
    hsc_status status = HSC_OK;
    if (o->log) {
        hsc_out_log_text(o->log, object, name, text);
        return HSC_OK;
    }
    if (o->made.text <= 0)
        o->made.text = H5Tcopy(H5T_C_S1);
    H5Tset_size(o->made.text, strlen(text) + 1);
    H5Tset_cset(o->made.text, strcmp(name, "CLASS") && strcmp(name, "NAME") ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
    hid_t attribute = H5Acreate2(object, name, o->made.text, scalar(o), H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, o->made.text, text) < 0)
        status = hsc_out_fail(o, "write attribute", name, err);
    if (attribute >= 0)
        H5Aclose(attribute);
    return status;
}

static hid_t number_type(hsc_number type, bool in_file) {
    switch (type) {
    case HSC_NUMBER_U2:
        return in_file ? H5T_STD_U16LE : H5T_NATIVE_UINT16;
    case HSC_NUMBER_U4:
        return in_file ? H5T_STD_U32LE : H5T_NATIVE_UINT32;
    case HSC_NUMBER_U8:
        return in_file ? H5T_STD_U64LE : H5T_NATIVE_UINT64;
    case HSC_NUMBER_I8:
        return in_file ? H5T_STD_I64LE : H5T_NATIVE_INT64;
    default:
        return in_file ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE;
    }
}

size_t hsc_out_number_size(hsc_number type) { return type == HSC_NUMBER_U2 ? 2 : type == HSC_NUMBER_U4 ? 4 : 8; }

hsc_status hsc_out_numbers(hsc_out *o, hid_t object, const char *name, hsc_number type, const void *values, unsigned n, hsc_err *err) {
    hsc_status status = HSC_OK;
    hsize_t dims = n;
    if (o->log) {
        hsc_out_log_numbers(o->log, object, name, type, values, n);
        return HSC_OK;
    }
    hid_t space = n == 1 ? scalar(o) : H5Screate_simple(1, &dims, NULL);
    hid_t attribute = H5Acreate2(object, name, number_type(type, true), space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, number_type(type, false), values) < 0)
        status = hsc_out_fail(o, "write attribute", name, err);
    if (attribute >= 0)
        H5Aclose(attribute);
    if (n != 1)
        H5Sclose(space);
    return status;
}

/* Of texts it is the caller's to close. */
static hid_t file_type(hsc_column_type type, unsigned string_size) {
    hid_t t;
    switch (type) {
    case HSC_COLTYPE_U1:
        return H5T_STD_U8LE;
    case HSC_COLTYPE_U2:
        return H5T_STD_U16LE;
    case HSC_COLTYPE_U4:
        return H5T_STD_U32LE;
    case HSC_COLTYPE_U8:
        return H5T_STD_U64LE;
    case HSC_COLTYPE_I4:
        return H5T_STD_I32LE;
    case HSC_COLTYPE_F8:
        return H5T_IEEE_F64LE;
    case HSC_COLTYPE_S:
        break;
    }
    t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, string_size);
    H5Tset_strpad(t, H5T_STR_NULLPAD);
    H5Tset_cset(t, H5T_CSET_UTF8);
    return t;
}

static hsc_status put_notes(hsc_out *o, hid_t set, const hsc_out_notes *notes, hsc_err *err) {
    hsc_status status = HSC_OK;
    const struct {
        const char *name, *text;
    } texts[] = {{"units", notes->units},
                 {"description", notes->description},
                 {"references", notes->references},
                 {"dimensions", notes->dimensions}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++)
        if (texts[i].text && texts[i].text[0])
            status = hsc_out_text(o, set, texts[i].name, texts[i].text, err);
    if (!status && notes->scale_factor != 0)
        status = hsc_out_numbers(o, set, "scale_factor", HSC_NUMBER_F8, &notes->scale_factor, 1, err);
    return status;
}

static void close_type(hsc_column_type type, hid_t t) {
    if (type == HSC_COLTYPE_S)
        H5Tclose(t);
}

/* How a data set is made; chunk_rows 0: not in chunks. */
static hid_t set_list(hsc_out *o, bool is_bytes, uint64_t chunk_rows) {
    hid_t *list = !chunk_rows ? &o->made.plain : is_bytes ? &o->made.chunks : &o->made.shuffled;
    hsize_t rows = chunk_rows;
    if (*list <= 0) {
        *list = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_obj_track_times(*list, 0);
        H5Pset_attr_creation_order(*list, H5P_CRT_ORDER_TRACKED);
        H5Pset_fill_time(*list, H5D_FILL_TIME_NEVER);
        if (list == &o->made.shuffled)
            H5Pset_shuffle(*list);
        if (chunk_rows)
            H5Pset_deflate(*list, LEVEL);
    }
    if (chunk_rows)
        H5Pset_chunk(*list, 1, &rows);
    return *list;
}

hsc_status hsc_out_make_set(hsc_out *o, hid_t group, const char *name, hsc_column_type type, unsigned string_size, uint64_t n,
                            uint64_t chunk_rows, hid_t *set, hsc_err *err) {
    bool grows = n == UINT64_MAX;
    if (o->log) {
        *set = hsc_out_log_set(o->log, group, name, type, string_size, n, chunk_rows);
        return HSC_OK;
    }
    hsize_t dims = grows ? 0 : n, most = H5S_UNLIMITED;
    hid_t t = file_type(type, string_size), space = H5Screate_simple(1, &dims, grows ? &most : NULL);
    bool is_bytes = type == HSC_COLTYPE_S ? string_size == 1 : hsc_schema_type_size(type) == 1;
    *set = H5Dcreate2(group, name, t, space, H5P_DEFAULT, set_list(o, is_bytes, chunk_rows), H5P_DEFAULT);
    H5Sclose(space);
    close_type(type, t);
    return *set < 0 ? hsc_out_fail(o, "make data set", name, err) : HSC_OK;
}

hsc_status hsc_out_write_set(hsc_out *o, hid_t set, const char *name, hsc_column_type type, unsigned string_size, const void *values, uint64_t n,
                             hsc_err *err) {
    if (o->log) {
        hsc_out_log_write(o->log, set, type, string_size, values, n);
        return HSC_OK;
    }
    hid_t t = file_type(type, string_size);
    bool is_put = H5Dwrite(set, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 && !(o->written && o->written->error);
    hsc_status status = is_put ? HSC_OK : hsc_out_fail(o, "write", name, err);
    close_type(type, t);
    return status;
}

/* The data set is closed once more before it is. */
static void hold_set(hsc_out *o, hid_t set) {
    if (o->log)
        hsc_out_log_hold(o->log, set);
    else
        H5Iinc_ref(set);
}

static void close_set(hsc_out *o, hid_t set) {
    if (o->log)
        hsc_out_log_close(o->log, set);
    else
        H5Dclose(set);
}

static uint64_t rows_of_chunk(const hsc_out_notes *notes) { return notes->chunk_rows ? notes->chunk_rows : HSC_CHUNK_ROWS; }

/* All values into the chunks of an empty data set, which is taken. */
static hsc_status put_chunks(hsc_out *o, hid_t set, const char *name, const void *values, uint64_t n, size_t element, uint64_t chunk_rows,
                             hsc_effort effort, hsc_err *err) {
    hsc_packing_set *to = hsc_packing_open(o->packing, set, element, chunk_rows, false, effort);
    hsc_status status = to ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", o->path, name);
    for (uint64_t first = 0; first < n && !status; first += chunk_rows) {
        uint64_t rows = n - first < chunk_rows ? n - first : chunk_rows;
        uint8_t *plain = malloc(rows * element);
        if (plain) {
            memcpy(plain, (const uint8_t *)values + first * element, rows * element);
            status = hsc_packing_put(o->packing, to, plain, rows, err);
        } else {
            status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", o->path, name);
        }
    }
    hsc_packing_close(to);
    return status;
}

hsc_status hsc_out_set(hsc_out *o, hid_t group, const char *name, hsc_column_type type, unsigned string_size,
                       const void *values, uint64_t n, const hsc_out_notes *notes, hid_t *out_set, hsc_err *err) {
    size_t element = type == HSC_COLTYPE_S ? string_size : hsc_schema_type_size(type);
    uint64_t chunk = n < rows_of_chunk(notes) ? n : rows_of_chunk(notes);
    bool chunked = n * element >= HSC_PLAIN_BYTES;
    hid_t set = -1;
    hsc_status status = hsc_out_make_set(o, group, name, type, string_size, n, chunked ? chunk : 0, &set, err);
    if (status)
        return status;
    if (!chunked && n)
        status = hsc_out_write_set(o, set, name, type, string_size, values, n, err);
    if (!status)
        status = put_notes(o, set, notes, err);
    if (!status && chunked) {
        hold_set(o, set);
        status = put_chunks(o, set, name, values, n, element, chunk, notes->effort, err);
    }
    if (status || !out_set)
        close_set(o, set);
    else
        *out_set = set;
    return status;
}

/* ---- streams ---- */

struct hsc_out_stream {
    hsc_out *out;
    hid_t group;
    hsc_packing_set *set; /* NULL: nothing is written yet */
    const char *name;
    hsc_out_notes notes;
    hsc_column_type type;
    size_t element;
    uint64_t written, n; /* values handed on, in the buffer */
    uint64_t size;       /* of the data set; UINT64_MAX: it grows */
    uint64_t room;       /* values in the buffer */
    uint8_t *buffer;     /* of a chunk at most; NULL while is_kept */
    bool is_kept;        /* the values that would be in the buffer are those of the database before, so many values further on: */
    uint64_t ahead;      /* modulo 2^64 */
};

hsc_status hsc_out_stream_open(hsc_out *o, hid_t group, const char *name, hsc_column_type type, const hsc_out_notes *notes,
                               hsc_out_stream **out, hsc_err *err) {
    return hsc_out_stream_open_sized(o, group, name, type, notes, UINT64_MAX, out, err);
}

hsc_status hsc_out_stream_open_sized(hsc_out *o, hid_t group, const char *name, hsc_column_type type, const hsc_out_notes *notes,
                                     uint64_t n, hsc_out_stream **out, hsc_err *err) {
    hsc_out_stream *s = calloc(1, sizeof *s);
    size_t element = hsc_schema_type_size(type);
    if (!s)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", o->path, name);
    s->size = n;
    s->out = o;
    s->group = group;
    s->name = name;
    s->notes = *notes;
    s->type = type;
    s->element = element;
    *out = s;
    return HSC_OK;
}

/* n values of the database before, from `from` on, into a buffer of `room` values. */
static hsc_status read_before(const hsc_out_stream *s, uint64_t from, uint64_t n, uint64_t room, uint8_t **to, hsc_err *err) {
    char path[512];
    ssize_t length = H5Iget_name(s->group, path, sizeof path);
    uint8_t *buffer = malloc((room + 1) * s->element);
    if (!buffer)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", s->out->path, s->name);
    if (length < 0 || (size_t)length + strlen(s->name) + 2 > sizeof path) {
        free(buffer);
        return hsc_out_fail(s->out, "name", s->name, err);
    }
    sprintf(path + length, "/%s", s->name);
    if (!hsc_before_read(s->out->before, path, s->type, from, n, buffer)) {
        free(buffer);
        return hsc_out_fail_before(s->out, path, err);
    }
    *to = buffer;
    return HSC_OK;
}

/* The values that are kept, into a buffer of `room` values. */
static hsc_status read_kept(hsc_out_stream *s, uint64_t room, hsc_err *err) {
    uint8_t *buffer = NULL;
    hsc_status status = read_before(s, s->written + s->ahead, s->n, room, &buffer, err);
    if (status)
        return status;
    s->buffer = buffer;
    s->room = room;
    s->is_kept = false;
    return HSC_OK;
}

/* The data set, for the first chunk. */
static hsc_status begin_chunks(hsc_out_stream *s, hsc_err *err) {
    hid_t set = -1;
    if (s->set)
        return HSC_OK;
    hsc_status status = hsc_out_make_set(s->out, s->group, s->name, s->type, 0, s->size, rows_of_chunk(&s->notes), &set, err);
    if (!status && (status = put_notes(s->out, set, &s->notes, err)))
        close_set(s->out, set);
    if (!status && !(s->set = hsc_packing_open(s->out->packing, set, s->element, rows_of_chunk(&s->notes), s->size == UINT64_MAX, s->notes.effort)))
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", s->out->path, s->name);
    return status;
}

/* Hands the buffer on as a chunk. */
static hsc_status stream_flush(hsc_out_stream *s, hsc_err *err) {
    hsc_status status = begin_chunks(s, err);
    if (status)
        return status;
    bool done = false;
    if (s->is_kept && s->n == rows_of_chunk(&s->notes))
        status = hsc_packing_put_kept(s->out->packing, s->set, (s->written + s->ahead) / rows_of_chunk(&s->notes), &done, err);
    if (!status && s->is_kept && !done)
        status = read_kept(s, s->n, err);
    if (status)
        return status;
    uint8_t *plain = s->buffer;
    uint64_t n = s->n;
    s->written += n;
    s->is_kept = false;
    s->buffer = NULL;
    s->n = s->room = 0;
    return done ? HSC_OK : hsc_packing_put(s->out->packing, s->set, plain, n, err);
}

hsc_status hsc_out_stream_keep_from(hsc_out_stream *s, uint64_t from, uint64_t n, hsc_err *err) {
    const uint64_t most = rows_of_chunk(&s->notes);
    while (n) {
        hsc_status status = s->n == most ? stream_flush(s, err) : HSC_OK;
        if (status)
            return status;
        if (!s->n)
            s->ahead = from - s->written;
        if ((s->n && !s->is_kept) || from - s->ahead != s->written + s->n || s->ahead % most)
            return hsc_err_set(err, HSC_E_ARGUMENT, "%s: %s: values are kept after others were put", s->out->path, s->name);
        uint64_t room = most - s->n, m = n < room ? n : room;
        s->is_kept = true;
        s->n += m;
        from += m;
        n -= m;
    }
    return HSC_OK;
}

hsc_status hsc_out_stream_keep(hsc_out_stream *s, uint64_t n, hsc_err *err) { return hsc_out_stream_keep_from(s, s->written + s->n, n, err); }

/* Room for values behind those in the chunk under way, a new one where it is whole; *room: for how many of n. */
static hsc_status make_room(hsc_out_stream *s, uint64_t n, uint64_t *room, hsc_err *err) {
    const uint64_t most = rows_of_chunk(&s->notes);
    hsc_status status = s->n == most ? stream_flush(s, err) : HSC_OK; /* and more follows */
    if (!status && s->is_kept)
        status = read_kept(s, most, err);
    if (status)
        return status;
    *room = n < most - s->n ? n : most - s->n;
    if (s->n + *room > s->room) {
        uint64_t wanted = s->set ? most : 2 * s->room > s->n + *room ? 2 * s->room : s->n + *room;
        wanted = wanted < 256 ? 256 : wanted < most ? wanted : most;
        uint8_t *buffer = realloc(s->buffer, wanted * s->element);
        if (!buffer)
            return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", s->out->path, s->name);
        s->buffer = buffer;
        s->room = wanted;
    }
    return HSC_OK;
}

hsc_status hsc_out_stream_put(hsc_out_stream *s, const void *values, uint64_t n, hsc_err *err) {
    const uint8_t *from = values;
    while (n) {
        uint64_t m = 0;
        hsc_status status = make_room(s, n, &m, err);
        if (status)
            return status;
        memcpy(s->buffer + s->n * s->element, from, m * s->element);
        s->n += m;
        from += m * s->element;
        n -= m;
    }
    return HSC_OK;
}

hsc_status hsc_out_stream_room(hsc_out_stream *s, uint64_t n, void **to, uint64_t *room, hsc_err *err) {
    hsc_status status = make_room(s, n, room, err);
    if (status)
        return status;
    *to = s->buffer + s->n * s->element;
    s->n += *room;
    return HSC_OK;
}

void hsc_out_stream_abort(hsc_out_stream *s) {
    if (!s)
        return;
    hsc_packing_close(s->set);
    free(s->buffer);
    free(s);
}

hsc_status hsc_out_stream_close(hsc_out_stream *s, hsc_err *err) {
    hsc_status status = s->is_kept && !s->set ? read_kept(s, s->n, err) : HSC_OK;
    if (status)
        ;
    else if (s->size != UINT64_MAX && s->written + s->n != s->size)
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: %s: expected %llu values, got %llu", s->out->path, s->name,
                             (unsigned long long)s->size, (unsigned long long)(s->written + s->n));
    else if (!s->set)
        status = hsc_out_set(s->out, s->group, s->name, s->type, 0, s->buffer, s->n, &s->notes, NULL, err);
    else if (s->n)
        status = stream_flush(s, err);
    hsc_out_stream_abort(s);
    return status;
}
