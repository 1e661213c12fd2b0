/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* profile.proto of pprof, compressed by gzip: each sample is a path of one thread with the labels rank, process and
 * thread (numbers); two values, samples and the metric. Source of the format: github.com/google/pprof,
 * proto/profile.proto. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "paths.h"

/* Field numbers of profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_DEFAULT_TYPE = 14
};

typedef struct buffer {
    unsigned char *bytes;
    size_t size, room;
    bool failed;
} buffer;

typedef struct location {
    uint32_t scope, line;
} location;

typedef struct writer {
    export_job *job;
    z_stream gzip;
    buffer message, inner;
    location *locations; /* by id - 1; the table below finds them */
    uint32_t *table;     /* open addressing: location id; 0 free */
    size_t location_count, location_room, table_size;
    uint32_t *leaf_of; /* [context]: location id of the context as innermost frame; 0: none yet */
    uint32_t *call_of; /* [context]: location id of its caller at the call of it */
    char **strings;
    size_t string_count, string_room;
    bool failed, no_memory;
} writer;

static void put_byte(buffer *b, unsigned char byte) {
    if (b->size == b->room) {
        size_t room = b->room ? 2 * b->room : 1024;
        unsigned char *p = realloc(b->bytes, room);
        if (!p) {
            b->failed = true;
            return;
        }
        b->bytes = p;
        b->room = room;
    }
    b->bytes[b->size++] = byte;
}

static void put_varint(buffer *b, unsigned long long v) {
    for (; v >= 0x80; v >>= 7)
        put_byte(b, (unsigned char)(v | 0x80));
    put_byte(b, (unsigned char)v);
}

static void put_number(buffer *b, unsigned field, unsigned long long v) {
    if (!v)
        return; /* the default of proto3 */
    put_varint(b, field << 3);
    put_varint(b, v);
}

static void put_bytes(buffer *b, unsigned field, const void *bytes, size_t size) {
    put_varint(b, field << 3 | 2);
    put_varint(b, size);
    for (size_t i = 0; i < size; i++)
        put_byte(b, ((const unsigned char *)bytes)[i]);
}

static void compress_out(writer *w, const unsigned char *bytes, size_t size, bool last) {
    unsigned char out[16384];
    w->gzip.next_in = (unsigned char *)(size_t)bytes; /* zlib's interface lacks a const */
    w->gzip.avail_in = (unsigned)size;
    int r;
    do {
        w->gzip.next_out = out;
        w->gzip.avail_out = sizeof out;
        r = deflate(&w->gzip, last ? Z_FINISH : Z_NO_FLUSH);
        size_t n = sizeof out - w->gzip.avail_out;
        if (n && fwrite(out, 1, n, w->job->out) != n)
            w->failed = true;
    } while (r == Z_OK && !w->gzip.avail_out && !w->failed);
}

/* The message that was built goes out as a field of the profile. */
static void put_out(writer *w, unsigned field) {
    buffer head = {0};
    put_varint(&head, field << 3 | 2);
    put_varint(&head, w->message.size);
    compress_out(w, head.bytes, head.size, false);
    compress_out(w, w->message.bytes, w->message.size, false);
    w->no_memory |= head.failed || w->message.failed;
    free(head.bytes);
    w->message.size = 0;
}

static unsigned long long add_string(writer *w, const char *text) {
    if (!*text && w->string_count)
        return 0;
    if (w->string_count == w->string_room) {
        size_t room = w->string_room ? 2 * w->string_room : 256;
        char **p = realloc(w->strings, room * sizeof *p);
        if (!p) {
            w->no_memory = true;
            return 0;
        }
        w->strings = p;
        w->string_room = room;
    }
    if (!(w->strings[w->string_count] = strdup(text))) {
        w->no_memory = true;
        return 0;
    }
    return w->string_count++;
}

static size_t slot_of(const writer *w, uint32_t scope, uint32_t line) {
    size_t i = ((size_t)scope * 0x9E3779B97F4A7C15u ^ (size_t)line * 0xC2B2AE3D27D4EB4Fu) & (w->table_size - 1);
    while (w->table[i] && (w->locations[w->table[i] - 1].scope != scope || w->locations[w->table[i] - 1].line != line))
        i = (i + 1) & (w->table_size - 1);
    return i;
}

static bool more_locations(writer *w) {
    size_t room = w->location_room ? 2 * w->location_room : 1024;
    location *l = realloc(w->locations, room * sizeof *l);
    if (l)
        w->locations = l;
    uint32_t *t = calloc(2 * room, sizeof *t);
    if (!l || !t) {
        free(t);
        w->no_memory = true;
        return false;
    }
    free(w->table);
    w->table = t;
    w->table_size = 2 * room;
    w->location_room = room;
    for (uint32_t i = 0; i < w->location_count; i++)
        w->table[slot_of(w, w->locations[i].scope, w->locations[i].line)] = i + 1;
    return true;
}

static uint32_t location_id(writer *w, uint32_t scope, uint32_t line) {
    if (w->location_count == w->location_room && !more_locations(w))
        return 0;
    size_t i = slot_of(w, scope, line);
    if (!w->table[i]) {
        w->locations[w->location_count++] = (location){scope, line};
        w->table[i] = (uint32_t)w->location_count;
    }
    return w->table[i];
}

/* Innermost: where its scope begins; the loop's own line where loops are left out. */
static hsc_status leaf_location(writer *w, uint32_t context, uint32_t *id, hsc_err *err) {
    export_job *job = w->job;
    if (!w->leaf_of[context]) {
        uint32_t shown = export_shown(job, context);
        hsc_db_scope s;
        hsc_status status = hsc_db_get_scope(job->db, job->context[context].scope, &s, err);
        if (status)
            return status;
        w->leaf_of[context] = location_id(w, job->context[shown == HSC_NONE ? 0 : shown].scope, s.line_begin);
    }
    *id = w->leaf_of[context];
    return HSC_OK;
}

/* The caller of `context`, at the line of the call. */
static hsc_status call_location(writer *w, uint32_t context, uint32_t caller, uint32_t *id, hsc_err *err) {
    export_job *job = w->job;
    if (!w->call_of[context]) {
        hsc_db_line line = {0};
        hsc_db_scope scope;
        uint32_t row = job->context[context].call_line;
        hsc_status s = row != HSC_NONE ? hsc_db_get_line(job->db, row, &line, err)
                                       : hsc_db_get_scope(job->db, job->context[context].scope, &scope, err);
        if (s)
            return s;
        if (row == HSC_NONE && scope.kind == HSC_SCOPE_LOOP)
            line.line = scope.line_begin; /* a loop in its procedure, or in the loop around */
        w->call_of[context] = location_id(w, job->context[caller].scope, line.line);
    }
    *id = w->call_of[context];
    return HSC_OK;
}

typedef struct label {
    unsigned long long key, value; /* string numbers; key 0: none */
} label;

typedef struct labels {
    label rank, process, thread;
} labels;

static unsigned long long add_number(writer *w, long long n) {
    char text[32];
    snprintf(text, sizeof text, "%lld", n);
    return add_string(w, text);
}

static void put_label(writer *w, label l) {
    if (!l.key)
        return;
    w->inner.size = 0;
    put_number(&w->inner, 1, l.key);
    put_number(&w->inner, 2, l.value);
    put_bytes(&w->message, 3, w->inner.bytes, w->inner.size);
}

static hsc_status put_sample(writer *w, uint32_t context, double count, labels l, hsc_err *err) {
    uint32_t n, id;
    const uint32_t *path = export_path(w->job, context, &n);
    hsc_status s = leaf_location(w, context, &id, err);
    w->inner.size = 0;
    for (uint32_t i = 0; !s && i < n; i++) {
        put_varint(&w->inner, id);
        if (i + 1 < n)
            s = call_location(w, path[i], path[i + 1], &id, err);
    }
    if (s)
        return s;
    put_bytes(&w->message, 1, w->inner.bytes, w->inner.size);
    w->inner.size = 0;
    put_varint(&w->inner, (unsigned long long)(count + 0.5));
    put_varint(&w->inner, export_whole(w->job, count));
    put_bytes(&w->message, 2, w->inner.bytes, w->inner.size);
    put_label(w, l.rank);
    put_label(w, l.process);
    put_label(w, l.thread);
    put_out(w, PROFILE_SAMPLE);
    return HSC_OK;
}

static hsc_status put_thread(writer *w, uint32_t thread, labels l, hsc_err *err) {
    hsc_db_thread t;
    hsc_db_process p;
    uint64_t n = 0;
    uint32_t *rows = NULL;
    float *values = NULL;
    hsc_status s = hsc_db_get_thread(w->job->db, thread, &t, err);
    if (!s)
        s = hsc_db_get_process(w->job->db, t.process, &p, err);
    if (!s)
        s = export_read_thread(w->job, HSC_TABLE_CONTEXT_EXCL, thread, &n, &rows, &values, err);
    if (s)
        return s;
    if (p.rank < 0)
        l.rank.key = 0;
    else
        l.rank.value = add_number(w, p.rank);
    l.process.value = add_number(w, p.pid);
    l.thread.value = add_number(w, t.index);
    for (uint64_t i = 0; !s && i < n; i++)
        s = put_sample(w, rows[i], (double)values[i], l, err);
    free(rows);
    free(values);
    return s;
}

static hsc_status put_functions(writer *w, hsc_err *err) {
    uint32_t modules = w->job->info.modules;
    bool *done = calloc((size_t)w->job->info.scopes + 1, sizeof *done);
    hsc_status s =
        done ? HSC_OK
             : hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u scopes", w->job->info.path, w->job->info.scopes);
    for (uint32_t m = 0; !s && m < modules; m++) {
        hsc_db_module module;
        if ((s = hsc_db_get_module(w->job->db, m, &module, err)))
            break;
        /* addresses are not exported; pprof wants ranges that do not overlap */
        put_number(&w->message, 1, m + 1);
        put_number(&w->message, 2, (m + 1ull) << 40);
        put_number(&w->message, 3, (m + 2ull) << 40);
        put_number(&w->message, 5, add_string(w, module.path));
        put_number(&w->message, 6, add_string(w, module.build_id));
        for (unsigned field = 7; field <= 10; field++)
            put_number(&w->message, field,
                       module.knowledge <= HSC_KNOWN_DWARF || (field == 7 && module.knowledge == HSC_KNOWN_SYMBOL));
        put_out(w, PROFILE_MAPPING);
    }
    for (size_t i = 0; !s && i < w->location_count; i++) {
        uint32_t scope = w->locations[i].scope;
        hsc_db_scope x;
        export_frame f;
        if ((s = hsc_db_get_scope(w->job->db, scope, &x, err)) || (s = export_get_frame(w->job, scope, &f, err)))
            break;
        w->inner.size = 0;
        put_number(&w->inner, 1, scope + 1);
        put_number(&w->inner, 2, w->locations[i].line);
        put_number(&w->message, 1, i + 1);
        if (x.module != HSC_NONE)
            put_number(&w->message, 2, x.module + 1);
        put_number(&w->message, 3, x.module != HSC_NONE ? ((x.module + 1ull) << 40) + i : 0);
        put_bytes(&w->message, 4, w->inner.bytes, w->inner.size);
        put_out(w, PROFILE_LOCATION);
        if (done[scope])
            continue;
        done[scope] = true;
        unsigned long long name = add_string(w, f.name);
        put_number(&w->message, 1, scope + 1);
        put_number(&w->message, 2, name);
        put_number(&w->message, 3, name);
        put_number(&w->message, 4, add_string(w, f.file));
        put_number(&w->message, 5, f.line);
        put_out(w, PROFILE_FUNCTION);
    }
    free(done);
    return s;
}

static void put_type(writer *w, unsigned field, const char *type, const char *unit) {
    put_number(&w->message, 1, add_string(w, type));
    put_number(&w->message, 2, add_string(w, unit));
    put_out(w, field);
}

hsc_status export_pprof(export_job *job, hsc_err *err) {
    writer w = {.job = job};
    hsc_status s = HSC_OK;
    size_t contexts = job->contexts ? job->contexts : 1;
    w.leaf_of = calloc(contexts, sizeof *w.leaf_of);
    w.call_of = calloc(contexts, sizeof *w.call_of);
    if (!w.leaf_of || !w.call_of || deflateInit2(&w.gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(w.leaf_of);
        free(w.call_of);
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u calling contexts", job->info.path, job->contexts);
    }
    add_string(&w, "");
    labels l = {{add_string(&w, "rank"), 0}, {add_string(&w, "process"), 0}, {add_string(&w, "thread"), 0}};
    put_type(&w, PROFILE_SAMPLE_TYPE, "periods", "count");
    put_type(&w, PROFILE_SAMPLE_TYPE, job->metric.name, job->unit);
    for (uint32_t t = 0; !s && t < job->info.threads; t++) {
        s = export_step(job, t, job->info.threads, err);
        if (!s)
            s = put_thread(&w, t, l, err);
    }
    if (!s)
        s = put_functions(&w, err);
    put_type(&w, PROFILE_PERIOD_TYPE, job->metric.name, job->unit);
    unsigned long long default_type = add_string(&w, job->metric.name);
    for (size_t i = 0; i < w.string_count; i++) {
        buffer b = {0};
        put_bytes(&b, PROFILE_STRING, w.strings[i], strlen(w.strings[i]));
        compress_out(&w, b.bytes, b.size, false);
        w.no_memory |= b.failed;
        free(b.bytes);
    }
    buffer tail = {0};
    put_number(&tail, PROFILE_PERIOD, export_whole(job, 1));
    put_number(&tail, PROFILE_DEFAULT_TYPE, default_type);
    compress_out(&w, tail.bytes, tail.size, true);
    w.no_memory |= tail.failed || w.inner.failed;
    free(tail.bytes);
    deflateEnd(&w.gzip);
    if (!s && w.no_memory)
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %zu places in the code", job->info.path,
                        w.location_count);
    if (!s && w.failed)
        s = hsc_err_set_errno(err, errno, "cannot write");
    for (size_t i = 0; i < w.string_count; i++)
        free(w.strings[i]);
    free(w.strings);
    free(w.message.bytes);
    free(w.inner.bytes);
    free(w.locations);
    free(w.table);
    free(w.leaf_of);
    free(w.call_of);
    return s;
}
