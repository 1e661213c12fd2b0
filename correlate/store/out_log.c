/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "out_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out_internal.h"
#include "spill.h"

#define PIECE_BYTES ((size_t)1 << 20)

enum { GROUP, TEXT, NUMBERS, SET, WRITE, HOLD, CLOSE, OPEN, CHUNK, END };

typedef struct bytes {
    uint8_t *p;
    size_t n, room;
} bytes;

struct hsc_out_log {
    const char *beside;
    bytes calls;           /* each its number (above) and arguments: numbers of 64 bits, texts and values with their size */
    bytes sizes;           /* of chunks, 64 bits each */
    uint64_t objects, opened;
    hsc_spill spill;
    hsc_spill_list chunks; /* bytes */
    bool failed;
};

hsc_out_log *hsc_out_log_new(const char *beside) {
    hsc_out_log *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->beside = beside;
    hsc_spill_init(&l->spill, beside);
    return l;
}

void hsc_out_log_free(hsc_out_log *l) {
    if (!l)
        return;
    hsc_spill_list_fini(&l->chunks);
    hsc_spill_fini(&l->spill);
    free(l->calls.p);
    free(l->sizes.p);
    free(l);
}

/* ---- calls ---- */

static void put(hsc_out_log *l, bytes *b, const void *from, size_t n) {
    if (b->n + n > b->room && !l->failed) {
        size_t room = 2 * (b->n + n) + 4096;
        uint8_t *p = realloc(b->p, room);
        l->failed = !p;
        if (p)
            *b = (bytes){p, b->n, room};
    }
    if (l->failed || !n)
        return;
    memcpy(b->p + b->n, from, n);
    b->n += n;
}

static void put_number(hsc_out_log *l, uint64_t v) { put(l, &l->calls, &v, sizeof v); }

static void put_bytes(hsc_out_log *l, const void *from, size_t n) {
    put_number(l, n);
    put(l, &l->calls, from, n);
}

static void put_text(hsc_out_log *l, const char *text) { put_bytes(l, text, strlen(text) + 1); }

static void put_call(hsc_out_log *l, unsigned call, hid_t object) {
    put_number(l, call);
    put_number(l, (uint64_t)object);
}

hid_t hsc_out_log_group(hsc_out_log *l, hid_t parent, const char *name) {
    put_call(l, GROUP, parent);
    put_text(l, name);
    return (hid_t)++l->objects;
}

void hsc_out_log_text(hsc_out_log *l, hid_t object, const char *name, const char *text) {
    put_call(l, TEXT, object);
    put_text(l, name);
    put_text(l, text);
}

void hsc_out_log_numbers(hsc_out_log *l, hid_t object, const char *name, hsc_number type, const void *values, unsigned n) {
    put_call(l, NUMBERS, object);
    put_text(l, name);
    put_number(l, type);
    put_bytes(l, values, n * hsc_out_number_size(type));
}

hid_t hsc_out_log_set(hsc_out_log *l, hid_t group, const char *name, hsc_column_type type, unsigned string_size, uint64_t n, uint64_t chunk_rows) {
    put_call(l, SET, group);
    put_text(l, name);
    put_number(l, type);
    put_number(l, string_size);
    put_number(l, n);
    put_number(l, chunk_rows);
    return (hid_t)++l->objects;
}

static size_t element_size(hsc_column_type type, unsigned string_size) { return type == HSC_COLTYPE_S ? string_size : hsc_schema_type_size(type); }

void hsc_out_log_write(hsc_out_log *l, hid_t set, hsc_column_type type, unsigned string_size, const void *values, uint64_t n) {
    put_call(l, WRITE, set);
    put_bytes(l, values, n * element_size(type, string_size));
}

void hsc_out_log_hold(hsc_out_log *l, hid_t object) { put_call(l, HOLD, object); }

void hsc_out_log_close(hsc_out_log *l, hid_t object) { put_call(l, CLOSE, object); }

uint64_t hsc_out_log_open(hsc_out_log *l, hid_t set, size_t element, uint64_t chunk_rows, bool grows, hsc_effort effort) {
    put_call(l, OPEN, set);
    put_number(l, element);
    put_number(l, chunk_rows);
    put_number(l, grows);
    put_number(l, effort);
    return l->opened++;
}

void hsc_out_log_chunk(hsc_out_log *l, uint64_t number, uint64_t rows) {
    put_call(l, CHUNK, (hid_t)number);
    put_number(l, rows);
}

void hsc_out_log_end(hsc_out_log *l, uint64_t number) { put_call(l, END, (hid_t)number); }

bool hsc_out_log_packed(hsc_out_log *l, const uint8_t *packed, size_t n) {
    uint64_t size = n;
    put(l, &l->sizes, &size, sizeof size);
    l->failed = l->failed || !hsc_spill_put_some(&l->spill, &l->chunks, packed, n, 1);
    return !l->failed;
}

/* ---- sent ---- */

static void clear(hsc_out_log *l) {
    hsc_spill_list_fini(&l->chunks);
    hsc_spill_fini(&l->spill);
    hsc_spill_init(&l->spill, l->beside);
    l->calls.n = l->sizes.n = 0;
    l->objects = l->opened = 0;
}

hsc_status hsc_out_log_send(hsc_out_log *l, hsc_store_give *give, void *ctx, hsc_err *err) {
    hsc_spill_cursor c = {.list = &l->chunks};
    uint64_t got = l->chunks.count;
    uint8_t *piece = got ? malloc(PIECE_BYTES) : NULL;
    hsc_status status = l->failed || (got && !piece) ? hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for values", l->beside) : HSC_OK;
    if (!status)
        status = give(ctx, l->calls.p, l->calls.n, err);
    if (!status)
        status = give(ctx, l->sizes.p, l->sizes.n, err);
    while (!status && got) {
        status = hsc_spill_read(&l->spill, &c, piece, PIECE_BYTES, &got, err);
        if (!status && got)
            status = give(ctx, piece, got, err);
    }
    hsc_spill_cursor_fini(&c);
    free(piece);
    clear(l);
    return status;
}

/* ---- written ---- */

typedef struct piece {
    uint8_t *p;
    size_t n, at;
} piece;

typedef struct object { /* a group or data set */
    hid_t id;
    unsigned users; /* 0: closed */
    bool is_set, in_chunks;
    hsc_column_type type; /* of a data set, and its size */
    unsigned string_size;
    uint64_t n;
} object;

typedef struct writing {
    hsc_out *o;
    piece calls, sizes, chunks;
    object *objects;
    hsc_packing_set **opened; /* NULL: ended */
    uint64_t n_objects, n_opened, room_objects, room_opened;
    hsc_store_take *take;
    void *ctx;
    bool bad; /* they are no log's */
} writing;

static const void *take_bytes(writing *w, piece *from, size_t n) {
    w->bad = w->bad || n > from->n - from->at;
    if (w->bad)
        return NULL;
    from->at += n;
    return from->p + (from->at - n);
}

static uint64_t take_number_of(writing *w, piece *from) {
    uint64_t v = 0;
    const void *p = take_bytes(w, from, sizeof v);
    if (p)
        memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t take_number(writing *w) { return take_number_of(w, &w->calls); }

static const char *take_text(writing *w) {
    size_t n = take_number(w);
    const char *text = take_bytes(w, &w->calls, n);
    w->bad = w->bad || !n || text[n - 1];
    return w->bad ? "" : text;
}

static hsc_status no_memory(const writing *w, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory for values", w->o->path); }

static object *object_of(writing *w, uint64_t number) {
    w->bad = w->bad || number >= w->n_objects || !w->objects[number].users;
    return w->bad ? NULL : &w->objects[number];
}

static void close_object(object *a) {
    if (a->is_set)
        H5Dclose(a->id);
    else
        H5Gclose(a->id);
    a->users--;
}

/* Takes it, also on failure. */
static hsc_status add_object(writing *w, object a, hsc_err *err) {
    if (w->n_objects == w->room_objects) {
        object *p = realloc(w->objects, (w->room_objects = 2 * w->room_objects + 64) * sizeof *p);
        if (!p) {
            close_object(&a);
            return no_memory(w, err);
        }
        w->objects = p;
    }
    w->objects[w->n_objects++] = a;
    return HSC_OK;
}

/* The next packed chunk; *packed: to be freed. */
static hsc_status take_chunk(writing *w, uint8_t **packed, size_t *n, hsc_err *err) {
    *n = take_number_of(w, &w->sizes);
    *packed = w->bad || *n > (size_t)1 << 32 ? NULL : malloc(*n + 1);
    if (!*packed)
        return w->bad ? HSC_OK : no_memory(w, err);
    hsc_status status = HSC_OK;
    for (size_t done = 0, some; done < *n && !status && !w->bad; done += some) {
        piece *c = &w->chunks;
        if (c->at == c->n) {
            void *more = NULL;
            free(c->p);
            *c = (piece){0};
            status = w->take(w->ctx, &more, &c->n, err);
            c->p = more;
            w->bad = !status && !c->n;
        }
        some = c->n - c->at < *n - done ? c->n - c->at : *n - done;
        if (some)
            memcpy(*packed + done, c->p + c->at, some);
        c->at += some;
    }
    return status;
}

static hsc_status write_numbers(writing *w, object *a, hsc_err *err) {
    const char *name = take_text(w);
    uint64_t type = take_number(w), n = take_number(w);
    const void *values = take_bytes(w, &w->calls, n);
    w->bad = w->bad || !a || type >= HSC_NUMBERS;
    return w->bad ? HSC_OK : hsc_out_numbers(w->o, a->id, name, (hsc_number)type, values, (unsigned)(n / hsc_out_number_size((hsc_number)type)), err);
}

static hsc_status write_text(writing *w, object *a, hsc_err *err) {
    const char *name = take_text(w), *text = take_text(w);
    w->bad = w->bad || !a;
    return w->bad ? HSC_OK : hsc_out_text(w->o, a->id, name, text, err);
}

static hsc_status make_group(writing *w, object *a, hsc_err *err) {
    const char *name = take_text(w);
    hid_t id = -1;
    w->bad = w->bad || !a;
    hsc_status status = w->bad ? HSC_OK : hsc_out_group(w->o, a->id, name, &id, err);
    return status || w->bad ? status : add_object(w, (object){.id = id, .users = 1}, err);
}

static hsc_status make_set(writing *w, object *a, hsc_err *err) {
    const char *name = take_text(w);
    uint64_t type = take_number(w), string_size = take_number(w), n = take_number(w), rows = take_number(w);
    hid_t id = -1;
    w->bad = w->bad || !a || type > HSC_COLTYPE_S || string_size > HSC_STRING_MAX || !element_size((hsc_column_type)type, (unsigned)string_size) ||
             rows >> 32;
    hsc_status status = w->bad ? HSC_OK : hsc_out_make_set(w->o, a->id, name, (hsc_column_type)type, (unsigned)string_size, n, rows, &id, err);
    if (status || w->bad)
        return status;
    return add_object(
        w, (object){.id = id, .users = 1, .is_set = true, .in_chunks = rows != 0, .type = (hsc_column_type)type, .string_size = (unsigned)string_size, .n = n}, err);
}

static hsc_status write_set(writing *w, object *a, hsc_err *err) {
    uint64_t n = take_number(w);
    const void *values = take_bytes(w, &w->calls, n);
    w->bad = w->bad || !a || !a->is_set || a->in_chunks || n / element_size(a->type, a->string_size) != a->n || n % element_size(a->type, a->string_size);
    return w->bad ? HSC_OK : hsc_out_write_set(w->o, a->id, "values", a->type, a->string_size, values, a->n, err);
}

/* The data set's owner is the packing from here on. */
static hsc_status open_chunks(writing *w, object *a, hsc_err *err) {
    uint64_t element = take_number(w), rows = take_number(w), grows = take_number(w), effort = take_number(w);
    w->bad = w->bad || !a || !a->is_set || !a->in_chunks || element != element_size(a->type, a->string_size) || effort >= HSC_EFFORTS || !rows || rows >> 32;
    if (w->bad)
        return HSC_OK;
    if (w->n_opened == w->room_opened) {
        hsc_packing_set **p = realloc(w->opened, (w->room_opened = 2 * w->room_opened + 64) * sizeof *p);
        if (!p)
            return no_memory(w, err);
        w->opened = p;
    }
    a->users--;
    hsc_packing_set *s = hsc_packing_open(w->o->packing, a->id, element, rows, grows, (hsc_effort)effort);
    if (!s)
        return no_memory(w, err);
    w->opened[w->n_opened++] = s;
    return HSC_OK;
}

static hsc_status write_chunk(writing *w, uint64_t number, hsc_err *err) {
    uint64_t rows = take_number(w);
    uint8_t *packed = NULL;
    size_t n = 0;
    w->bad = w->bad || number >= w->n_opened || !w->opened[number];
    hsc_status status = w->bad ? HSC_OK : take_chunk(w, &packed, &n, err);
    if (!status && !w->bad)
        return hsc_packing_put_packed(w->o->packing, w->opened[number], packed, n, rows, err);
    free(packed);
    return status;
}

static hsc_status write_call(writing *w, hsc_err *err) {
    uint64_t call = take_number(w), number = take_number(w);
    object *a = w->bad || call >= CHUNK ? NULL : object_of(w, number);
    switch (call) {
    case GROUP:
        return make_group(w, a, err);
    case TEXT:
        return write_text(w, a, err);
    case NUMBERS:
        return write_numbers(w, a, err);
    case SET:
        return make_set(w, a, err);
    case WRITE:
        return write_set(w, a, err);
    case HOLD:
        if (a && H5Iinc_ref(a->id) >= 0)
            a->users++;
        return HSC_OK;
    case CLOSE:
        if (a)
            close_object(a);
        return HSC_OK;
    case OPEN:
        return open_chunks(w, a, err);
    case CHUNK:
        return write_chunk(w, number, err);
    case END:
        w->bad = w->bad || number >= w->n_opened || !w->opened[number];
        if (!w->bad)
            hsc_packing_close(w->opened[number]);
        if (!w->bad)
            w->opened[number] = NULL;
        return HSC_OK;
    default:
        w->bad = true;
        return HSC_OK;
    }
}

static hsc_status take_piece(writing *w, piece *to, hsc_err *err) {
    void *p = NULL;
    hsc_status status = w->take(w->ctx, &p, &to->n, err);
    to->p = p;
    return status;
}

hsc_status hsc_out_write_log(hsc_out *o, hid_t root, hsc_store_take *take, void *ctx, hsc_err *err) {
    writing w = {.o = o, .take = take, .ctx = ctx};
    hsc_status status = add_object(&w, (object){.id = root, .users = 1}, err);
    if (!status)
        status = take_piece(&w, &w.calls, err);
    if (!status)
        status = take_piece(&w, &w.sizes, err);
    while (!status && !w.bad && w.calls.at < w.calls.n)
        status = write_call(&w, err);
    if (!status && (w.bad || w.sizes.at < w.sizes.n || w.chunks.at < w.chunks.n))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: expected a log of values of another rank, got other bytes at %zu of %zu", o->path, w.calls.at, w.calls.n);
    for (uint64_t i = 0; i < w.n_opened; i++)
        hsc_packing_close(w.opened[i]);
    for (uint64_t i = 0; i < w.n_objects; i++)
        while (w.objects[i].users)
            close_object(&w.objects[i]);
    free(w.calls.p);
    free(w.sizes.p);
    free(w.chunks.p);
    free(w.objects);
    free(w.opened);
    return status;
}
