/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data sets: parallel compression, serial writing with H5Dwrite_chunk; attributes. */
#include "out.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

enum { BATCH = 64, ALIKE = 4, LEVEL = 4 /* written into the file, for its readers */, EFFORT = 5, QUICK = 1 /* of libdeflate */ };

typedef struct slot { /* one chunk in the pool */
    const uint8_t *from;
    size_t bytes;       /* used of the chunk; the rest is zero */
    uint8_t *packed;    /* capacity: most that a chunk takes */
    size_t packed_bytes;
    int failed;
    bool is_alike; /* all its values are one */
    const struct alike *known; /* packed before; NULL: not so */
} slot;

typedef struct alike { /* a chunk whose values are all one, as it was packed last */
    uint8_t value[8];
    bool quick;
    size_t element, chunk_bytes, packed_bytes;
    uint8_t *packed; /* NULL: none */
} alike;

typedef struct packers { /* of a thread; NULL: no memory */
    struct libdeflate_compressor *usual, *quick;
} packers;

struct hsc_out {
    const char *path;
    unsigned workers;
    pthread_t *threads;
    unsigned started;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    bool stop;
    /* the batch under way */
    slot slots[BATCH];
    unsigned n_slots, next, finished;
    size_t element, chunk_bytes, capacity;
    alike alike[ALIKE]; /* the caller's */
    unsigned next_alike;
    bool quick;      /* the batch */
    packers packers; /* of the caller */
};

/* Byte planes of `n` elements, as HDF5's shuffle filter lays them out; in tiles, to stay in the cache. */
static void shuffle(const uint8_t *from, uint8_t *to, size_t n, size_t element) {
    enum { TILE = 128 };
    for (size_t first = 0; first < n; first += TILE) {
        size_t rows = n - first < TILE ? n - first : TILE;
        for (size_t b = 0; b < element; b++) {
            const uint8_t *p = from + first * element + b;
            uint8_t *q = to + b * n + first;
            for (size_t i = 0; i < rows; i++)
                q[i] = p[i * element];
        }
    }
}

static void pack(hsc_out *o, slot *s, struct libdeflate_compressor *c) {
    uint8_t *plain = NULL, *planes = NULL;
    const uint8_t *from = s->from;
    s->failed = 1;
    if (s->bytes < o->chunk_bytes) {
        plain = calloc(1, o->chunk_bytes);
        if (!plain)
            goto done;
        memcpy(plain, from, s->bytes);
        from = plain;
    }
    if (o->element > 1) {
        planes = malloc(o->chunk_bytes);
        if (!planes)
            goto done;
        shuffle(from, planes, o->chunk_bytes / o->element, o->element);
        from = planes;
    }
    s->packed_bytes = c ? libdeflate_zlib_compress(c, from, o->chunk_bytes, s->packed, o->capacity) : 0;
    s->failed = !s->packed_bytes;
done:
    free(plain);
    free(planes);
}

static void work_on_batch(hsc_out *o, const packers *c) { /* with the lock held */
    while (o->next < o->n_slots) {
        slot *s = &o->slots[o->next++];
        pthread_mutex_unlock(&o->lock);
        if (!s->known)
            pack(o, s, o->quick ? c->quick : c->usual);
        pthread_mutex_lock(&o->lock);
        if (++o->finished == o->n_slots)
            pthread_cond_broadcast(&o->done);
    }
}

static packers new_packers(void) {
    return (packers){libdeflate_alloc_compressor(EFFORT), libdeflate_alloc_compressor(QUICK)};
}

static void free_packers(packers *c) {
    libdeflate_free_compressor(c->usual);
    libdeflate_free_compressor(c->quick);
}

static void *worker(void *arg) {
    hsc_out *o = arg;
    packers c = new_packers();
    pthread_mutex_lock(&o->lock);
    while (!o->stop) {
        if (c.usual && c.quick)
            work_on_batch(o, &c);
        if (!o->stop)
            pthread_cond_wait(&o->work, &o->lock);
    }
    pthread_mutex_unlock(&o->lock);
    free_packers(&c);
    return NULL;
}

hsc_status hsc_out_new(const char *path, unsigned workers, hsc_out **out, hsc_err *err) {
    hsc_out *o = calloc(1, sizeof *o);
    if (!o)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    o->packers = new_packers();
    if (!o->packers.usual || !o->packers.quick) {
        free_packers(&o->packers);
        free(o);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
    }
    o->path = path;
    o->workers = workers > 256 ? 256 : workers;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->work, NULL);
    pthread_cond_init(&o->done, NULL);
    if (o->workers > 1) { /* the caller works too; fewer threads than asked for only take longer */
        o->threads = calloc(o->workers, sizeof *o->threads);
        while (o->threads && o->started + 1 < o->workers &&
               !pthread_create(&o->threads[o->started], NULL, worker, o))
            o->started++;
    }
    *out = o;
    return HSC_OK;
}

void hsc_out_free(hsc_out *o) {
    if (!o)
        return;
    pthread_mutex_lock(&o->lock);
    o->stop = true;
    pthread_cond_broadcast(&o->work);
    pthread_mutex_unlock(&o->lock);
    for (unsigned i = 0; i < o->started; i++)
        pthread_join(o->threads[i], NULL);
    for (unsigned i = 0; i < BATCH; i++)
        free(o->slots[i].packed);
    for (unsigned i = 0; i < ALIKE; i++)
        free(o->alike[i].packed);
    pthread_cond_destroy(&o->work);
    pthread_cond_destroy(&o->done);
    pthread_mutex_destroy(&o->lock);
    free(o->threads);
    free_packers(&o->packers);
    free(o);
}

static herr_t innermost(unsigned n, const H5E_error2_t *e, void *data) {
    (void)n;
    snprintf(data, 160, "%s", e->desc ? e->desc : "unknown reason");
    return 1;
}

hsc_status hsc_out_fail(hsc_out *o, const char *what, const char *name, hsc_err *err) {
    char why[160] = "unknown reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, why);
    return hsc_err_set(err, HSC_E_IO, "%s: cannot %s %s: HDF5: %s", o->path, what, name, why);
}

hsc_status hsc_out_group(hsc_out *o, hid_t parent, const char *name, hid_t *group, hsc_err *err) {
    hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(plist, 0);
    H5Pset_link_creation_order(plist, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t g = H5Gcreate2(parent, name, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Pclose(plist);
    if (g < 0)
        return hsc_out_fail(o, "make group", name, err);
    *group = g;
    return HSC_OK;
}

hsc_status hsc_out_told_group(hsc_out *o, hid_t parent, const char *name, const char *description, hid_t *group, hsc_err *err) {
    hid_t g = 0;
    hsc_status status = hsc_out_group(o, parent, name, &g, err);
    if (status)
        return status;
    *group = g;
    return hsc_out_text(o, g, "description", description, err);
}

hsc_status hsc_out_text(hsc_out *o, hid_t object, const char *name, const char *text, hsc_err *err) {
    hsc_status status = HSC_OK;
    size_t n = strlen(text);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), attribute = -1;
    H5Tset_size(type, n + 1);
    H5Tset_cset(type, strcmp(name, "CLASS") && strcmp(name, "NAME") ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
    attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, type, text) < 0)
        status = hsc_out_fail(o, "write attribute", name, err);
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

hsc_status hsc_out_numbers(hsc_out *o, hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                           const void *values, unsigned n, hsc_err *err) {
    hsc_status status = HSC_OK;
    hsize_t dims = n;
    hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dims, NULL);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, memory_type, values) < 0)
        status = hsc_out_fail(o, "write attribute", name, err);
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return status;
}

/* Looks whether the chunk is one of equal values, which are many, and cost as much to pack as others. */
static void find_alike(const hsc_out *o, slot *s) {
    s->known = NULL;
    s->is_alike = s->bytes == o->chunk_bytes && o->element <= sizeof o->alike->value &&
                  !memcmp(s->from, s->from + o->element, s->bytes - o->element);
    for (unsigned i = 0; i < ALIKE && s->is_alike && !s->known; i++) {
        const alike *a = &o->alike[i];
        if (a->packed && a->quick == o->quick && a->element == o->element && a->chunk_bytes == o->chunk_bytes && !memcmp(a->value, s->from, o->element))
            s->known = a;
    }
}

static void keep_alike(hsc_out *o, const slot *s) { /* where there is no memory for it, it is packed again */
    alike *a = &o->alike[o->next_alike++ % ALIKE];
    free(a->packed);
    *a = (alike){.quick = o->quick, .element = o->element, .chunk_bytes = o->chunk_bytes, .packed_bytes = s->packed_bytes, .packed = malloc(s->packed_bytes)};
    memcpy(a->value, s->from, o->element);
    if (a->packed)
        memcpy(a->packed, s->packed, s->packed_bytes);
}

/* at: of the first value in the data set, a multiple of chunk_rows. */
static hsc_status write_chunks(hsc_out *o, hid_t set, const char *name, const void *values, uint64_t n, size_t element,
                               uint64_t chunk_rows, bool quick, uint64_t at, hsc_err *err) {
    o->quick = quick;
    o->element = element;
    o->chunk_bytes = element * chunk_rows;
    size_t usual = libdeflate_zlib_compress_bound(o->packers.usual, o->chunk_bytes), other = libdeflate_zlib_compress_bound(o->packers.quick, o->chunk_bytes);
    size_t capacity = usual > other ? usual : other;
    for (unsigned i = 0; i < BATCH; i++)
        if (capacity > o->capacity) {
            free(o->slots[i].packed);
            o->slots[i].packed = NULL;
        }
    if (capacity > o->capacity)
        o->capacity = capacity;
    for (uint64_t first = 0; first < n;) {
        unsigned batch = 0;
        hsize_t start = at + first;
        for (; batch < BATCH && first < n; batch++) {
            slot *s = &o->slots[batch];
            uint64_t rows = n - first < chunk_rows ? n - first : chunk_rows;
            s->from = (const uint8_t *)values + first * element;
            s->bytes = rows * element;
            if (!s->packed && !(s->packed = malloc(o->capacity)))
                return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", o->path, name);
            first += rows;
            find_alike(o, s);
        }
        pthread_mutex_lock(&o->lock);
        o->n_slots = batch;
        o->next = o->finished = 0;
        pthread_cond_broadcast(&o->work);
        work_on_batch(o, &o->packers);
        while (o->finished < o->n_slots)
            pthread_cond_wait(&o->done, &o->lock);
        o->n_slots = o->next = 0;
        pthread_mutex_unlock(&o->lock);
        for (unsigned i = 0; i < batch; i++, start += chunk_rows) {
            const slot *s = &o->slots[i];
            if (!s->known && s->failed)
                return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", o->path, name);
            if (H5Dwrite_chunk(set, H5P_DEFAULT, 0, &start, s->known ? s->known->packed_bytes : s->packed_bytes,
                               s->known ? s->known->packed : s->packed) < 0)
                return hsc_out_fail(o, "write", name, err);
        }
        for (unsigned i = batch; i-- > 0;) /* the last of them, if any */
            if (o->slots[i].is_alike) {
                if (!o->slots[i].known)
                    keep_alike(o, &o->slots[i]);
                break;
            }
    }
    return HSC_OK;
}

static hid_t file_type(hsc_column_type type, unsigned string_size) {
    hid_t t;
    switch (type) {
    case HSC_COLTYPE_U1:
        return H5Tcopy(H5T_STD_U8LE);
    case HSC_COLTYPE_U2:
        return H5Tcopy(H5T_STD_U16LE);
    case HSC_COLTYPE_U4:
        return H5Tcopy(H5T_STD_U32LE);
    case HSC_COLTYPE_U8:
        return H5Tcopy(H5T_STD_U64LE);
    case HSC_COLTYPE_I4:
        return H5Tcopy(H5T_STD_I32LE);
    case HSC_COLTYPE_F8:
        return H5Tcopy(H5T_IEEE_F64LE);
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
        status = hsc_out_numbers(o, set, "scale_factor", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &notes->scale_factor, 1, err);
    return status;
}

/* An empty data set of n values; UINT64_MAX: it grows. chunk_rows 0: not in chunks. */
static hsc_status make_set(hsc_out *o, hid_t group, const char *name, hsc_column_type type, unsigned string_size, uint64_t n,
                           hsize_t chunk_rows, hid_t *set, hsc_err *err) {
    bool grows = n == UINT64_MAX;
    hsize_t dims = grows ? 0 : n, most = H5S_UNLIMITED;
    hid_t t = file_type(type, string_size), space = H5Screate_simple(1, &dims, grows ? &most : NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plist, 0);
    H5Pset_attr_creation_order(plist, H5P_CRT_ORDER_TRACKED);
    H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
    if (chunk_rows) {
        H5Pset_chunk(plist, 1, &chunk_rows);
        if (H5Tget_size(t) > 1)
            H5Pset_shuffle(plist);
        H5Pset_deflate(plist, LEVEL);
    }
    *set = H5Dcreate2(group, name, t, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Pclose(plist);
    H5Sclose(space);
    H5Tclose(t);
    return *set < 0 ? hsc_out_fail(o, "make data set", name, err) : HSC_OK;
}

static uint64_t rows_of_chunk(const hsc_out_notes *notes) { return notes->chunk_rows ? notes->chunk_rows : HSC_CHUNK_ROWS; }

hsc_status hsc_out_set(hsc_out *o, hid_t group, const char *name, hsc_column_type type, unsigned string_size,
                       const void *values, uint64_t n, const hsc_out_notes *notes, hid_t *out_set, hsc_err *err) {
    size_t element = type == HSC_COLTYPE_S ? string_size : hsc_schema_type_size(type);
    uint64_t chunk = n < rows_of_chunk(notes) ? n : rows_of_chunk(notes);
    bool chunked = n * element >= HSC_PLAIN_BYTES;
    hid_t set = -1;
    hsc_status status = make_set(o, group, name, type, string_size, n, chunked ? chunk : 0, &set, err);
    if (status)
        return status;
    if (chunked)
        status = write_chunks(o, set, name, values, n, element, chunk, notes->quick, 0, err);
    else if (n) {
        hid_t t = file_type(type, string_size);
        if (H5Dwrite(set, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
            status = hsc_out_fail(o, "write", name, err);
        H5Tclose(t);
    }
    if (!status)
        status = put_notes(o, set, notes, err);
    if (status || !out_set)
        H5Dclose(set);
    else
        *out_set = set;
    return status;
}

/* ---- streams ---- */

enum { STREAM_CHUNKS = 16 }; /* of HSC_CHUNK_ROWS, written at a time */

struct hsc_out_stream {
    hsc_out *out;
    hid_t group, set; /* set < 0: nothing is written yet */
    const char *name;
    hsc_out_notes notes;
    hsc_column_type type;
    size_t element;
    uint64_t written, n; /* values in the file, in the buffer */
    uint64_t size;       /* of the data set; UINT64_MAX: it grows */
    uint64_t room;       /* values in the buffer */
    uint8_t *buffer;     /* grows to STREAM_CHUNKS chunks */
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
    s->set = -1;
    s->name = name;
    s->notes = *notes;
    s->type = type;
    s->element = element;
    *out = s;
    return HSC_OK;
}

static hsc_status stream_flush(hsc_out_stream *s, hsc_err *err) {
    hsize_t dims = s->written + s->n;
    hsc_status status = HSC_OK;
    if (s->set < 0) {
        status = make_set(s->out, s->group, s->name, s->type, 0, s->size, rows_of_chunk(&s->notes), &s->set, err);
        if (!status)
            status = put_notes(s->out, s->set, &s->notes, err);
    }
    if (!status && s->size == UINT64_MAX && H5Dset_extent(s->set, &dims) < 0)
        status = hsc_out_fail(s->out, "enlarge", s->name, err);
    if (!status)
        status = write_chunks(s->out, s->set, s->name, s->buffer, s->n, s->element, rows_of_chunk(&s->notes), s->notes.quick, s->written, err);
    s->written += s->n;
    s->n = 0;
    return status;
}

hsc_status hsc_out_stream_put(hsc_out_stream *s, const void *values, uint64_t n, hsc_err *err) {
    const uint8_t *from = values;
    const uint64_t most = (uint64_t)STREAM_CHUNKS * HSC_CHUNK_ROWS;
    while (n) {
        uint64_t room = most - s->n, m = n < room ? n : room;
        if (s->n + m > s->room) {
            uint64_t wanted = 2 * s->room > s->n + m ? 2 * s->room : s->n + m;
            wanted = wanted < 1024 ? 1024 : wanted < most ? wanted : most;
            uint8_t *buffer = realloc(s->buffer, wanted * s->element);
            if (!buffer)
                return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for %s", s->out->path, s->name);
            s->buffer = buffer;
            s->room = wanted;
        }
        memcpy(s->buffer + s->n * s->element, from, m * s->element);
        s->n += m;
        from += m * s->element;
        n -= m;
        hsc_status status = m == room ? stream_flush(s, err) : HSC_OK;
        if (status)
            return status;
    }
    return HSC_OK;
}

void hsc_out_stream_abort(hsc_out_stream *s) {
    if (!s)
        return;
    if (s->set >= 0)
        H5Dclose(s->set);
    free(s->buffer);
    free(s);
}

hsc_status hsc_out_stream_close(hsc_out_stream *s, hsc_err *err) {
    hsc_status status = HSC_OK;
    if (s->size != UINT64_MAX && s->written + s->n != s->size)
        status = hsc_err_set(err, HSC_E_ARGUMENT, "%s: %s: expected %llu values, got %llu", s->out->path, s->name,
                             (unsigned long long)s->size, (unsigned long long)(s->written + s->n));
    else if (s->set < 0)
        status = hsc_out_set(s->out, s->group, s->name, s->type, 0, s->buffer, s->n, &s->notes, NULL, err);
    else if (s->n)
        status = stream_flush(s, err);
    hsc_out_stream_abort(s);
    return status;
}
