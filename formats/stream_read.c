/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads record streams of any content: what is damaged is skipped and counted. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heatscope/formats/schema_cache.h>

#include "reader.h"

#define WINDOW_BYTES (256u << 10) /* least that is read from a file at once */
#define LOOK_BYTES 4096u          /* where a header is expected; in the first walk also what is read */

static void problem(hsc_reader *r, uint64_t at, const char *fmt, ...) HSC_PRINTF(3, 4);

static void problem(hsc_reader *r, uint64_t at, const char *fmt, ...) {
    if (r->scanning || r->problem[0])
        return;
    int n = snprintf(r->problem, sizeof r->problem, "%s: offset 0x%llx: ", r->label, (unsigned long long)at);
    if (n < 0 || (size_t)n >= sizeof r->problem)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->problem + n, sizeof r->problem - (size_t)n, fmt, ap);
    va_end(ap);
    for (char *c = r->problem; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
}

/* ---- bytes ---------------------------------------------------------------------------------------------------------- */

/* n bytes at `at`, borrowed until the next call; NULL when the input does not have or does not give them. */
static const uint8_t *view(hsc_reader *r, uint64_t at, size_t n) {
    if (at > r->size || n > r->size - at)
        return NULL;
    if (r->memory)
        return r->memory + at;
    if (at >= r->window_at && at - r->window_at <= r->window_n && n <= r->window_n - (size_t)(at - r->window_at))
        return r->window + (at - r->window_at);
    size_t want = (r->scanning || r->skip || r->pass) && n <= LOOK_BYTES ? LOOK_BYTES : WINDOW_BYTES;
    if (n > want)
        want = n;
    if (want > r->size - at)
        want = (size_t)(r->size - at);
    r->window_n = 0;
    if (want > r->window_capacity) {
        uint8_t *w = realloc(r->window, want);
        if (!w) {
            problem(r, at, "no memory for %zu bytes", want);
            r->view_status = HSC_E_MEMORY;
            return NULL;
        }
        r->window = w;
        r->window_capacity = want;
    }
    r->window_at = at;
    while (r->window_n < want) {
        ssize_t k = pread(r->fd, r->window + r->window_n, want - r->window_n, (off_t)(at + r->window_n));
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0) {
            r->view_status = HSC_E_IO;
            r->view_errno = errno;
            problem(r, at + r->window_n, "cannot read: %s", strerror(errno));
        }
        if (k <= 0)
            break;
        r->window_n += (size_t)k;
    }
    return r->window_n >= n ? r->window : NULL;
}

/* ---- headers -------------------------------------------------------------------------------------------------------- */

/* What is wrong with the 64 bytes at p as a header; NULL: nothing, *h is filled. */
static const char *parse_header(const uint8_t *p, hsc_chunk_header *h) {
    if (memcmp(p, HSC_MAGIC_BYTES, 8))
        return "no chunk magic";
    uint8_t shrunk[HSC_CHUNK_HEADER_BYTES];
    if (hsc_get32(p + HSC_AT_HEADER_CRC) != hsc_wire_header_crc(p)) {
        /* killed while it was shrunk: the CRC is that of the slot which is just long enough */
        uint64_t end = HSC_CHUNK_HEADER_BYTES + ((uint64_t)hsc_get32(p + HSC_AT_COMMITTED) + 7) / 8 * 8;
        memcpy(shrunk, p, sizeof shrunk);
        hsc_set32(shrunk + HSC_AT_SLOT, (uint32_t)end);
        if (end >= hsc_get32(p + HSC_AT_SLOT) || hsc_get32(p + HSC_AT_HEADER_CRC) != hsc_wire_header_crc(shrunk))
            return "chunk header: wrong CRC";
        p = shrunk;
    }
    h->major = p[HSC_AT_MAJOR];
    h->minor = p[HSC_AT_MINOR];
    h->kind = (uint16_t)(p[HSC_AT_KIND] | p[HSC_AT_KIND + 1] << 8);
    h->slot_bytes = hsc_get32(p + HSC_AT_SLOT);
    h->stream = hsc_get32(p + HSC_AT_STREAM);
    h->sequence = hsc_get32(p + HSC_AT_SEQUENCE);
    h->committed = hsc_get32(p + HSC_AT_COMMITTED);
    h->payload_crc = hsc_get32(p + HSC_AT_PAYLOAD_CRC);
    h->flags = hsc_get32(p + HSC_AT_FLAGS);
    h->t0_ns = hsc_get64(p + HSC_AT_T0);
    h->lost_before = hsc_get64(p + HSC_AT_LOST);
    h->schema_id = hsc_get64(p + HSC_AT_SCHEMA);
    if (h->slot_bytes < HSC_CHUNK_HEADER_BYTES || h->slot_bytes > HSC_CHUNK_MAX_BYTES || h->slot_bytes % 8)
        return "chunk header: slot size out of bounds";
    return NULL;
}

/* Bytes of a slot, `left` at most, whose header at p was being written when its writer was killed: nothing is in it. 0: it is none. */
static uint64_t begun_bytes(const uint8_t *p, uint64_t left) {
    if (memcmp(p, HSC_BEGUN_BYTES, 8))
        return 0;
    uint64_t slot = hsc_get32(p + HSC_AT_SLOT);
    bool whole = slot >= HSC_CHUNK_HEADER_BYTES && slot <= HSC_CHUNK_MAX_BYTES && slot % 8 == 0 && slot <= left;
    return whole ? slot : HSC_CHUNK_HEADER_BYTES;
}

/* In a file with holes the zeros of a hole need not be read. */
static uint64_t skip_hole(hsc_reader *r, uint64_t at) {
#ifdef SEEK_DATA
    if (!r->memory) {
        off_t data = lseek(r->fd, (off_t)at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            return r->size;
        if (data > 0 && (uint64_t)data > at)
            return (uint64_t)data < r->size ? (uint64_t)data & ~(uint64_t)7 : r->size;
    }
#endif
    return at;
}

/* Finds the next header at or after r->at, in steps of 8 bytes. Zeros are padding; anything else is damage, one bad chunk
 * for each stretch of it. False at the end of the input. */
static bool find_header(hsc_reader *r, hsc_chunk_header *h) {
    bool damaged = false;
    for (size_t most = LOOK_BYTES; r->at < r->size; most = WINDOW_BYTES) {
        uint64_t left = r->size - r->at;
        size_t n = left < most ? (size_t)left : most;
        const uint8_t *block = view(r, r->at, n);
        if (!block) { /* unreadable, or the file has shrunk */
            problem(r, r->at, "expected %llu more bytes, got the end of the file", (unsigned long long)left);
            r->counts.chunks_bad += !damaged;
            r->counts.bytes_skipped += left;
            r->at = r->size;
            return false;
        }
        size_t i = 0;
        bool zeros = true;
        uint64_t begun = 0;
        for (; i + HSC_CHUNK_HEADER_BYTES <= n; i += 8) {
            uint64_t word;
            memcpy(&word, block + i, 8);
            if ((begun = begun_bytes(block + i, left - i)))
                break;
            if (!word) {
                r->counts.bytes_skipped += damaged ? 8 : 0;
                continue;
            }
            zeros = false;
            const char *why = parse_header(block + i, h);
            if (!why) {
                r->at += i;
                return true;
            }
            if (!damaged)
                problem(r, r->at + i, "%s (found %02x %02x %02x %02x)", why, block[i], block[i + 1], block[i + 2],
                        block[i + 3]);
            r->counts.chunks_bad += !damaged;
            r->counts.bytes_skipped += 8;
            damaged = true;
        }
        r->at += i + begun;
        if (begun) {
            damaged = false;
            continue;
        }
        if (n == left) { /* less than a header is left: padding or damage */
            const uint8_t *tail = block + i;
            size_t n_tail = n - i;
            bool blank = true;
            for (size_t k = 0; k < n_tail; k++)
                blank = blank && !tail[k];
            if (!blank || damaged) {
                if (!damaged)
                    problem(r, r->at, "%zu bytes at the end are no chunk", n_tail);
                r->counts.chunks_bad += !damaged;
                r->counts.bytes_skipped += n_tail;
            }
            r->at = r->size;
            return false;
        }
        if (zeros && !damaged)
            r->at = skip_hole(r, r->at);
    }
    return false;
}

/* Gives the payload of the chunk with header *h at `at`; NULL (with the problem told) when it is damaged. */
static const uint8_t *load_payload(hsc_reader *r, uint64_t at, const hsc_chunk_header *h) {
    bool sealed = h->flags & HSC_FLAG_SEALED;
    if (h->flags == (HSC_FLAG_SEALED | HSC_FLAG_COLUMNS_OLD)) {
        problem(r, at, "chunk of stream %u: in the form of an older version", (unsigned)h->stream);
        r->counts.chunks_old++;
        return NULL;
    }
    if (h->flags & ~(HSC_FLAG_SEALED | HSC_FLAG_COLUMNS) || (!sealed && (h->payload_crc || h->flags)) ||
        (h->kind == HSC_CHUNK_SCHEMA && h->flags & HSC_FLAG_COLUMNS)) {
        problem(r, at, "chunk of stream %u: unknown flags 0x%x", (unsigned)h->stream, (unsigned)h->flags);
        return NULL;
    }
    if (h->committed > h->slot_bytes - HSC_CHUNK_HEADER_BYTES) {
        problem(r, at, "chunk of stream %u: %u bytes committed in a slot of %u", (unsigned)h->stream,
                (unsigned)h->committed, (unsigned)h->slot_bytes);
        return NULL;
    }
    /* Of a chunk that is still written to, the payload must be read after the committed length. */
    if (!sealed && !r->memory)
        r->window_n = 0;
    const uint8_t *p = view(r, at, HSC_CHUNK_HEADER_BYTES + (size_t)h->committed);
    if (!p) {
        problem(r, at, "chunk of stream %u: truncated: expected %u bytes, got %llu", (unsigned)h->stream,
                (unsigned)(HSC_CHUNK_HEADER_BYTES + h->committed),
                (unsigned long long)(r->size > at ? r->size - at : 0));
        return NULL;
    }
    p += HSC_CHUNK_HEADER_BYTES;
    if (sealed && !r->is_checked) {
        uint32_t crc = hsc_crc32c(0, p, h->committed);
        if (crc != h->payload_crc) {
            problem(r, at, "chunk of stream %u: payload CRC: expected %08x, got %08x", (unsigned)h->stream,
                    (unsigned)h->payload_crc, (unsigned)crc);
            return NULL;
        }
    }
    return p;
}

/* ---- schemas -------------------------------------------------------------------------------------------------------- */

static hsc_schema *find_schema(hsc_reader *r, uint64_t id) {
    if (r->last_schema && r->last_schema->id == id)
        return r->last_schema;
    for (size_t i = 0; i < r->n_schemas; i++)
        if (r->schemas[i]->id == id)
            return r->last_schema = r->schemas[i];
    return NULL;
}

/* First walk: collects the schemas, so that a chunk may stand before its schema. */
static hsc_status collect_schemas(hsc_reader *r, hsc_err *err) {
    hsc_chunk_header h;
    hsc_status status = HSC_OK;
    r->scanning = true;
    while (!status && find_header(r, &h)) {
        uint64_t at = r->at;
        r->at += h.slot_bytes;
        if (h.major != HSC_FORMAT_MAJOR) {
            r->n_newer++;
            continue;
        }
        r->n_headers++;
        if (h.kind != HSC_CHUNK_SCHEMA || h.committed > HSC_SCHEMA_MAX_BYTES || r->n_schemas == HSC_SCHEMAS_MAX ||
            find_schema(r, h.schema_id))
            continue;
        const uint8_t *payload = load_payload(r, at, &h);
        if (payload) {
            hsc_schema **s = &r->schemas[r->n_schemas];
            if (!(*s = hsc_schema_cache_take(r->cache, payload, h.committed, h.schema_id)))
                status = hsc_schema_parse(payload, h.committed, h.schema_id, s, err);
            r->n_schemas += !status;
            if (!status && r->cache && !(*s)->payload && ((*s)->payload = malloc(h.committed + 1))) {
                memcpy((*s)->payload, payload, h.committed);
                (*s)->payload_bytes = h.committed;
            }
        }
    }
    if (!status && r->view_status == HSC_E_MEMORY)
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->label);
    r->scanning = false;
    r->at = 0;
    memset(&r->counts, 0, sizeof r->counts);
    return status;
}

/* NULL: no memory */
static hsc_schema *own_schema(hsc_reader *r) {
    if (r->own)
        return r->own;
    size_t n = hsc_schema_chunk(NULL, 0);
    uint8_t *chunk = malloc(n);
    if (!chunk)
        return NULL;
    hsc_schema_chunk(chunk, n);
    if (hsc_schema_parse(chunk + HSC_CHUNK_HEADER_BYTES, hsc_get32(chunk + HSC_AT_COMMITTED),
                         hsc_get64(chunk + HSC_AT_SCHEMA), &r->own, NULL))
        r->own = NULL;
    free(chunk);
    return r->own;
}

/* ---- opening -------------------------------------------------------------------------------------------------------- */

/* Why there is nothing to read */
static hsc_status nothing_there(hsc_reader *r, hsc_err *err) {
    if (r->view_status == HSC_E_IO)
        return hsc_err_set_errno(err, r->view_errno, "%s: cannot read", r->label);
    if (r->n_newer)
        return hsc_err_set(err, HSC_E_VERSION,
                           "%s: record stream of another major version: expected %d, got another one in all %llu chunks",
                           r->label, HSC_FORMAT_MAJOR, (unsigned long long)r->n_newer);
    if (!r->size)
        return hsc_err_set(err, HSC_E_FORMAT, "%s: empty: expected a record stream", r->label);
    size_t n = r->size < 8 ? (size_t)r->size : 8;
    const uint8_t *p = view(r, 0, n);
    if (p && n == 8 && !memcmp(p, "\0\0\0\0\0\0\0", 8))
        return hsc_err_set(err, HSC_E_FORMAT, "%s: nothing is written in it: no record stream, or of a process that was killed as it began, or begins now", r->label);
    char found[32] = "";
    for (size_t i = 0; p && i < n; i++)
        snprintf(found + 3 * i, 4, "%02x ", p[i]);
    const char *hint = "";
    if (p && n >= 4 && !memcmp(p, "\x7f" "ELF", 4))
        hint = " (an ELF file)";
    else if (p && n >= 8 && !memcmp(p, "\x89HDF\r\n\x1a\n", 8))
        hint = " (an HDF5 file)";
    else if (p && n >= 8 && !memcmp(p, HSC_MAGIC_BYTES, 8))
        hint = " (a damaged chunk header)";
    else if (p && n >= 3 && !memcmp(p, "\x89HS", 3))
        hint = " (perhaps damaged by a text-mode transfer)";
    return hsc_err_set(err, HSC_E_FORMAT, "%s: no record stream: expected 89 48 53 52 0d 0a 1a 0a, got %sat offset 0%s",
                       r->label, found, hint);
}

static hsc_status open_common(hsc_reader *r, hsc_reader **out, hsc_err *err) {
    hsc_status status = collect_schemas(r, err);
    if (!status && !r->n_headers)
        status = nothing_there(r, err);
    if (status)
        hsc_reader_close(r);
    else
        *out = r;
    return status;
}

static hsc_reader *reader_new(const char *label, hsc_err *err) {
    hsc_reader *r = calloc(1, sizeof *r);
    if (r) {
        r->fd = -1;
        r->label = strdup(label);
    }
    if (!r || !r->label) {
        free(r);
        hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", label);
        return NULL;
    }
    return r;
}

static uint64_t facts_of(const struct stat *st) {
    const uint64_t facts[] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino, (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec,
                              (uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec};
    return hsc_hash64(0, facts, sizeof facts) | 1;
}

hsc_status hsc_reader_open_cached(const char *path, hsc_schema_cache *cache, hsc_reader **out, hsc_err *err) {
    struct stat st;
    hsc_reader *r = reader_new(path, err);
    if (!r)
        return HSC_E_MEMORY;
    hsc_status status = HSC_OK;
    /* non-blocking: opening a FIFO must not hang */
    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->fd < 0 || fstat(r->fd, &st))
        status = hsc_err_set_errno(err, errno, "%s: cannot open", path);
    else if (S_ISDIR(st.st_mode))
        status = hsc_err_set_errno(err, EISDIR, "%s: expected a record stream", path);
    else if (!S_ISREG(st.st_mode))
        status = hsc_err_set(err, HSC_E_FORMAT, "%s: expected a regular file", path);
    if (status) {
        hsc_reader_close(r);
        return status;
    }
    r->size = (uint64_t)st.st_size;
    r->facts = facts_of(&st);
    r->cache = cache;
    return open_common(r, out, err);
}

hsc_status hsc_reader_open(const char *path, hsc_reader **out, hsc_err *err) {
    return hsc_reader_open_cached(path, NULL, out, err);
}

hsc_status hsc_reader_open_memory(const void *bytes, size_t size, const char *label, hsc_reader **out, hsc_err *err) {
    hsc_reader *r = reader_new(label, err);
    if (!r)
        return HSC_E_MEMORY;
    r->memory = size ? bytes : (const uint8_t *)"";
    r->size = size;
    return open_common(r, out, err);
}

void hsc_reader_close(hsc_reader *r) {
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    for (size_t i = 0; i < r->n_schemas; i++)
        hsc_schema_cache_give(r->cache, r->schemas[i]);
    hsc_schema_free(r->own);
    free(r->unpacked);
    hsc_columns_close(r->columns);
    free(r->arrays);
    free(r->window);
    free(r->label);
    free(r);
}

/* ---- chunks --------------------------------------------------------------------------------------------------------- */

static void skip_bad_chunk(hsc_reader *r, const hsc_chunk_header *h) {
    uint64_t left = r->size - r->at;
    uint64_t n = h->slot_bytes < left ? h->slot_bytes : left;
    r->counts.chunks_bad++;
    r->counts.bytes_skipped += n;
    r->at += n;
}

/* The records of a packed payload, kept till the next one; r->columns: they are taken from there. NULL (with the problem told) when
 * it is damaged. */
static const uint8_t *unpack(hsc_reader *r, uint64_t at, const uint8_t *payload, size_t *size, const hsc_chunk_header *h) {
    uint8_t *rows = NULL;
    hsc_columns *k = NULL;
    const char *why = hsc_columns_open(payload, *size, &k);
    bool direct = !why && r->values_only && h->kind != HSC_CHUNK_SCHEMA;
    if (direct) {
        const hsc_schema *schema = find_schema(r, h->schema_id);
        schema = schema ? schema : own_schema(r);
        direct = schema && hsc_columns_fit(k, schema);
    }
    if (!why && !direct)
        why = hsc_columns_take_rows(k, &rows, size);
    if (why || !direct) {
        hsc_columns_close(k);
        k = NULL;
    }
    if (why) {
        problem(r, at, "chunk in columns: %s", why);
        return NULL;
    }
    free(r->unpacked);
    r->unpacked = rows;
    r->columns = k;
    return direct ? payload : rows;
}

/* false: none is passed by. */
static bool pass_chunks(hsc_reader *r) {
    uint64_t to = r->pass ? r->pass(r->pass_ctx, r->at) : r->at;
    bool passes = to > r->at && to <= r->size;
    r->at = passes ? to : r->at;
    return passes;
}

bool hsc_reader_next_chunk(hsc_reader *r, hsc_chunk_view *chunk) {
    hsc_chunk_header h;
    r->p = r->end = NULL;
    hsc_columns_close(r->columns);
    r->columns = NULL;
    while (pass_chunks(r), find_header(r, &h)) {
        uint64_t at = r->at;
        if (pass_chunks(r))
            continue;
        if (h.major != HSC_FORMAT_MAJOR) {
            problem(r, at, "chunk of version %u.%u: expected major version %d", h.major, h.minor, HSC_FORMAT_MAJOR);
            skip_bad_chunk(r, &h);
            continue;
        }
        if (h.kind != HSC_CHUNK_SCHEMA && r->want && !r->want(r->want_ctx, (hsc_chunk_kind)h.kind, h.stream)) {
            r->at += h.slot_bytes;
            continue;
        }
        if (r->skip && r->skip(r->skip_ctx, &h)) {
            r->at += h.slot_bytes;
            continue;
        }
        const uint8_t *payload = load_payload(r, at, &h);
        size_t size = h.committed;
        if (payload && h.flags & HSC_FLAG_COLUMNS)
            payload = unpack(r, at, payload, &size, &h);
        if (!payload) {
            skip_bad_chunk(r, &h);
            continue;
        }
        r->at += h.slot_bytes;
        hsc_schema *schema = find_schema(r, h.schema_id);
        if (h.kind == HSC_CHUNK_SCHEMA && (!schema || h.committed > HSC_SCHEMA_MAX_BYTES)) {
            problem(r, at, "schema chunk: more than %u bytes, or more than %u different ones",
                    (unsigned)HSC_SCHEMA_MAX_BYTES, (unsigned)HSC_SCHEMAS_MAX);
            r->counts.chunks_bad++;
            continue;
        }
        if (!schema && !(schema = own_schema(r))) {
            problem(r, at, "out of memory");
            r->counts.chunks_bad++;
            continue;
        }
        r->counts.chunks++;
        r->counts.chunks_unsealed += !(h.flags & HSC_FLAG_SEALED);
        if (h.kind == HSC_CHUNK_SCHEMA && schema->n_bad) {
            problem(r, at, "%s", schema->bad_text);
            r->counts.records_bad += schema->n_bad;
        }
        r->chunk = (hsc_chunk_view){h, at, payload, schema};
        r->epoch++;
        r->last_time = h.t0_ns;
        r->first = true;
        if (h.kind != HSC_CHUNK_SCHEMA && !r->columns) {
            r->p = payload;
            r->end = payload + size;
        }
        if (chunk)
            *chunk = r->chunk;
        return true;
    }
    return false;
}

/* ---- records -------------------------------------------------------------------------------------------------------- */

/* The elements of all arrays of a record take at most sizeof(hsc_str) for each of its bytes. */
static bool reserve_arrays(hsc_reader *r, size_t record_bytes) {
    size_t want = (record_bytes + 1) * sizeof(hsc_str);
    if (want <= r->arrays_capacity)
        return true;
    free(r->arrays);
    r->arrays = malloc(want);
    r->arrays_capacity = r->arrays ? want : 0;
    return r->arrays != NULL;
}

static const uint8_t *get_str(const uint8_t *p, const uint8_t *end, hsc_str *out) {
    uint64_t n;
    p = hsc_uv_get(p, end, &n);
    if (!p || n > HSC_STRING_MAX_BYTES || n > (size_t)(end - p))
        return NULL;
    *out = (hsc_str){(const char *)p, (size_t)n};
    return p + n;
}

/* Decodes the fields at [p, end) to layout->data; what the record lacks becomes 0. NULL, or the text of what is wrong. */
static const char *decode(hsc_reader *r, hsc_layout *l, const uint8_t *p, const uint8_t *end) {
    if (l->n_deltas && l->epoch != r->epoch) {
        memset(l->deltas, 0, l->n_deltas * sizeof *l->deltas);
        l->epoch = r->epoch;
    }
    if (l->has_arrays && !reserve_arrays(r, (size_t)(end - p)))
        return "out of memory";
    char *arrays = r->arrays;
    uint8_t *const data = l->data;
    uint64_t *const deltas = l->deltas;
    const uint8_t *const limit = r->end;
    uint64_t v;
    for (const hsc_field_info *f = l->info.fields, *f_end = f + l->info.n_fields; f < f_end; f++) {
        uint8_t *to = data + f->offset;
        const uint32_t type = f->type;
        if (p == end) {
            memset(to, 0, type >= HSC_TYPE_S ? sizeof(hsc_str) : sizeof v);
            continue;
        }
        if (type >= HSC_TYPE_U && type <= HSC_TYPE_T) { /* nearly all */
            if (!(p = hsc_uv_get_of(p, end, limit, &v)))
                return f->name;
            if (type != HSC_TYPE_U)
                v = hsc_unzigzag(v);
            if (type == HSC_TYPE_D)
                v = deltas[f->delta_slot] += v;
            else if (type == HSC_TYPE_T)
                v = r->last_time += v;
            memcpy(to, &v, sizeof v);
            continue;
        }
        switch (type) {
        case HSC_TYPE_H:
        case HSC_TYPE_F:
            if (end - p < 8)
                return f->name;
            v = hsc_get64(p);
            p += 8;
            break;
        case HSC_TYPE_S:
            if (!(p = get_str(p, end, (hsc_str *)(void *)to)))
                return f->name;
            continue;
        case HSC_TYPE_B:
            if (!(p = hsc_uv_get(p, end, &v)) || v > (size_t)(end - p))
                return f->name;
            *(hsc_bytes *)(void *)to = (hsc_bytes){p, (size_t)v};
            p += v;
            continue;
        case HSC_TYPE_AU: {
            uint64_t *a = (uint64_t *)(void *)arrays;
            if (!(p = hsc_uv_get(p, end, &v)) || v > (size_t)(end - p))
                return f->name;
            for (uint64_t k = 0; k < v; k++)
                if (!(p = hsc_uv_get(p, end, &a[k])))
                    return f->name;
            *(hsc_u64s *)(void *)to = (hsc_u64s){a, (size_t)v};
            arrays += v * sizeof *a;
            continue;
        }
        case HSC_TYPE_AS: {
            hsc_str *a = (hsc_str *)(void *)arrays;
            if (!(p = hsc_uv_get(p, end, &v)) || v > (size_t)(end - p))
                return f->name;
            for (uint64_t k = 0; k < v; k++)
                if (!(p = get_str(p, end, &a[k])))
                    return f->name;
            *(hsc_strs *)(void *)to = (hsc_strs){a, (size_t)v};
            arrays += v * sizeof *a;
            continue;
        }
        default:
            return f->name;
        }
        memcpy(to, &v, sizeof v);
    }
    return NULL;
}

static bool bad_record(hsc_reader *r, uint64_t at, const uint8_t *from, const char *name, const char *what) {
    problem(r, at, "record %s: undecodable%s%s; the rest of its chunk is skipped", name, what[0] ? " at " : "", what);
    r->counts.records_bad++;
    r->counts.bytes_skipped += (uint64_t)(r->end - from);
    r->p = r->end;
    return false;
}

/* The next record of the columns at hand. */
static bool next_of_columns(hsc_reader *r, hsc_record *record) {
    const hsc_layout *l = hsc_columns_next(r->columns, &r->arrays, &r->arrays_capacity);
    if (!l && !hsc_columns_is_at_end(r->columns)) {
        problem(r, r->chunk.offset, "out of memory; the rest of the chunk is skipped");
        r->counts.records_bad++;
        hsc_columns_close(r->columns);
        r->columns = NULL;
    }
    if (!l)
        return false;
    r->counts.records++;
    *record = (hsc_record){
        .record_id = l->info.id,
        .name = l->info.name,
        .stream = r->chunk.header.stream,
        .sequence = r->chunk.header.sequence,
        .chunk_kind = (hsc_chunk_kind)r->chunk.header.kind,
        .chunk_offset = r->chunk.offset,
        .chunk_bytes = r->chunk.header.slot_bytes,
        .chunk_is_sealed = r->chunk.header.flags & HSC_FLAG_SEALED,
        .offset = r->chunk.offset,
        .lost_before = r->chunk.header.lost_before,
        .first_in_chunk = r->first,
        .value = l->ours ? l->data : NULL,
        .layout = &l->info,
        .data = l->data,
    };
    r->first = false;
    return true;
}

bool hsc_reader_next_in_chunk(hsc_reader *r, hsc_record *record) {
    if (r->columns)
        return next_of_columns(r, record);
    if (r->p == r->end)
        return false;
    const uint8_t *start = r->p;
    uint64_t at = r->chunk.offset + HSC_CHUNK_HEADER_BYTES + (uint64_t)(start - r->chunk.payload), length, id;
    const uint8_t *p = hsc_uv_get(start, r->end, &length);
    if (!p || !length || length > HSC_RECORD_MAX_BYTES || length > (size_t)(r->end - p))
        return bad_record(r, at, start, "?", "its length");
    const uint8_t *end = p + length;
    p = hsc_uv_get(p, end, &id);
    if (!p || id > UINT32_MAX)
        return bad_record(r, at, start, "?", "its id");
    hsc_layout *l = hsc_schema_find(r->chunk.schema, id);
    if (l) {
        const char *wrong = decode(r, l, p, end);
        if (wrong)
            return bad_record(r, at, start, l->info.name, wrong);
    } else
        r->counts.records_unknown++;
    r->p = end;
    r->counts.records++;
    *record = (hsc_record){
        .record_id = (uint32_t)id,
        .name = l ? l->info.name : "unknown",
        .stream = r->chunk.header.stream,
        .sequence = r->chunk.header.sequence,
        .chunk_kind = (hsc_chunk_kind)r->chunk.header.kind,
        .chunk_offset = r->chunk.offset,
        .chunk_bytes = r->chunk.header.slot_bytes,
        .chunk_is_sealed = r->chunk.header.flags & HSC_FLAG_SEALED,
        .offset = at,
        .lost_before = r->chunk.header.lost_before,
        .first_in_chunk = r->first,
        .value = l && l->ours ? l->data : NULL,
        .layout = l ? &l->info : NULL,
        .data = l ? l->data : NULL,
        .payload = {p, (size_t)(end - p)},
    };
    r->first = false;
    return true;
}

bool hsc_reader_next(hsc_reader *r, hsc_record *record) {
    while (!hsc_reader_next_in_chunk(r, record))
        if (!hsc_reader_next_chunk(r, NULL))
            return false;
    return true;
}

void hsc_reader_set_values_only(hsc_reader *r) { r->values_only = true; }

uint64_t hsc_reader_get_facts(const hsc_reader *r) { return r->facts; }

void hsc_reader_set_checked(hsc_reader *r) { r->is_checked = true; }

void hsc_reader_set_pass(hsc_reader *r, uint64_t (*pass)(void *ctx, uint64_t at), void *ctx) {
    r->pass = pass;
    r->pass_ctx = ctx;
}

void hsc_reader_set_filter(hsc_reader *r, bool (*want)(void *ctx, hsc_chunk_kind kind, uint32_t stream), void *ctx) {
    r->want = want;
    r->want_ctx = ctx;
}

void hsc_reader_get_counts(const hsc_reader *r, hsc_reader_counts *out) {
    *out = r->counts;
}

const char *hsc_reader_get_first_problem(const hsc_reader *r) {
    return r->problem;
}

hsc_status hsc_reader_again(hsc_reader *r, bool (*skip)(void *ctx, const hsc_chunk_header *h), void *ctx, hsc_err *err) {
    struct stat st;
    if (!r->memory && fstat(r->fd, &st))
        return hsc_err_set_errno(err, errno, "%s: cannot read", r->label);
    if (!r->memory)
        r->size = (uint64_t)st.st_size;
    r->skip = skip;
    r->skip_ctx = ctx;
    r->at = 0;
    r->window_n = 0;
    r->p = r->end = NULL;
    memset(&r->counts, 0, sizeof r->counts);
    r->problem[0] = 0;
    return HSC_OK;
}

const hsc_schema *hsc_reader_get_schema(hsc_reader *r, size_t i) {
    if (!r->n_schemas)
        return i ? NULL : own_schema(r);
    return i < r->n_schemas ? r->schemas[i] : NULL;
}
