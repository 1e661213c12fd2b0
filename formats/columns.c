/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Payloads in columns: the records of a chunk turned into columns, then deflated. docs/format.md section 4.1 has the form. */
#include "stream_internal.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define KINDS_MAX 256u
#define DEFLATE_LEVEL 6

typedef struct bytes {
    uint8_t *p;
    size_t n, capacity;
} bytes;

static bool reserve(bytes *b, size_t more) {
    if (b->capacity - b->n >= more)
        return true;
    size_t capacity = b->capacity + b->capacity / 2 + more + 256;
    uint8_t *p = realloc(b->p, capacity);
    if (!p)
        return false;
    b->p = p;
    b->capacity = capacity;
    return true;
}

static bool put(bytes *b, const uint8_t *p, size_t n) {
    if (!reserve(b, n))
        return false;
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
    return true;
}

static bool put_number(bytes *b, uint64_t v) {
    if (!reserve(b, HSC_UV_MAX_BYTES))
        return false;
    b->n = (size_t)(hsc_uv_put(b->p + b->n, v) - b->p);
    return true;
}

/* Past a field of this type; NULL when it does not fit before end. */
static const uint8_t *skip_field(const uint8_t *p, const uint8_t *end, unsigned type) {
    uint64_t n, length;
    switch (type) {
    case HSC_TYPE_U:
    case HSC_TYPE_Z:
    case HSC_TYPE_D:
    case HSC_TYPE_T:
        return hsc_uv_get(p, end, &n);
    case HSC_TYPE_H:
    case HSC_TYPE_F:
        return end - p >= 8 ? p + 8 : NULL;
    case HSC_TYPE_S:
    case HSC_TYPE_B:
        p = hsc_uv_get(p, end, &n);
        return p && n <= (size_t)(end - p) ? p + n : NULL;
    case HSC_TYPE_AU:
        for (p = hsc_uv_get(p, end, &n); p && n; n--)
            p = hsc_uv_get(p, end, &length);
        return p;
    case HSC_TYPE_AS:
        for (p = hsc_uv_get(p, end, &n); p && n; n--) {
            p = hsc_uv_get(p, end, &length);
            p = p && length <= (size_t)(end - p) ? p + length : NULL;
        }
        return p;
    default:
        return NULL;
    }
}

/* ---- packing --------------------------------------------------------------------------------------------------------- */

typedef struct row {
    unsigned kind;
    const uint8_t *at, *end; /* what is left of the fields */
} row;

/* The column of one field: numbers as differences to the one before, the rest as it stands. */
static bool put_column(bytes *out, row *rows, size_t n, unsigned kind, unsigned type) {
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        row *r = &rows[i];
        if (r->kind != kind)
            continue;
        const uint8_t *next = skip_field(r->at, r->end, type);
        uint64_t v = 0;
        if (!next)
            return false;
        if (type == HSC_TYPE_U) {
            hsc_uv_get(r->at, r->end, &v);
            if (!put_number(out, hsc_zigzag(v - last)))
                return false;
            last = v;
        } else if (!put(out, r->at, (size_t)(next - r->at))) {
            return false;
        }
        r->at = next;
    }
    return true;
}

static bool deflate_all(const bytes *body, uint8_t **out, size_t *size) {
    uLong bound = compressBound((uLong)body->n);
    uint8_t *p = malloc(HSC_UV_MAX_BYTES + bound);
    if (!p)
        return false;
    uint8_t *at = hsc_uv_put(p, body->n);
    if (compress2(at, &bound, body->p, (uLong)body->n, DEFLATE_LEVEL) != Z_OK) {
        free(p);
        return false;
    }
    *out = p;
    *size = (size_t)(at - p) + bound;
    return true;
}

bool hsc_pack(const uint8_t *payload, size_t size, uint8_t **out, size_t *out_size) {
    uint16_t *kind_of = calloc(HSC_DESCRIPTORS_MAX, sizeof *kind_of); /* kind + 1 by record id */
    const hsc_record_info *kinds[KINDS_MAX];
    unsigned n_kinds = 0;
    size_t n = 0;
    row *rows = NULL;
    bytes head = {0}, columns = {0};
    bool ok = kind_of != NULL;
    for (const uint8_t *p = payload, *end = payload + size; ok && p < end;) {
        uint64_t length, id;
        const uint8_t *body = hsc_uv_get(p, end, &length), *fields = NULL;
        if (!(n & (n - 1))) { /* at powers of two */
            row *more = realloc(rows, (n ? 2 * n : 1) * sizeof *rows);
            ok = more != NULL;
            rows = ok ? more : rows;
        }
        ok = ok && body && length <= (size_t)(end - body) && (fields = hsc_uv_get(body, body + length, &id)) &&
             id < HSC_DESCRIPTORS_MAX;
        if (ok && !kind_of[id]) {
            const hsc_record_info *info = hsc_record_info_get((uint32_t)id);
            ok = info && n_kinds < KINDS_MAX;
            if (ok) {
                kinds[n_kinds++] = info;
                kind_of[id] = (uint16_t)n_kinds;
            }
        }
        if (ok) {
            rows[n++] = (row){kind_of[id] - 1u, fields, body + length};
            p = body + length;
        }
    }
    ok = ok && put_number(&head, n_kinds);
    for (unsigned k = 0; ok && k < n_kinds; k++) {
        ok = put_number(&head, kinds[k]->id) && put_number(&head, kinds[k]->n_fields);
        for (unsigned f = 0; ok && f < kinds[k]->n_fields; f++) {
            size_t before = columns.n;
            ok = put_column(&columns, rows, n, k, kinds[k]->fields[f].type) && put_number(&head, kinds[k]->fields[f].type) &&
                 put_number(&head, columns.n - before);
        }
    }
    ok = ok && put_number(&head, n);
    for (size_t i = 0; ok && i < n; i++)
        ok = put_number(&head, rows[i].kind) && rows[i].at == rows[i].end;
    ok = ok && put(&head, columns.p, columns.n) && head.n <= HSC_CHUNK_MAX_BYTES && deflate_all(&head, out, out_size);
    free(kind_of);
    free(rows);
    free(head.p);
    free(columns.p);
    return ok;
}

/* ---- unpacking ------------------------------------------------------------------------------------------------------- */

typedef struct column {
    unsigned type;
    const uint8_t *at, *end;
    uint64_t last;
} column;

typedef struct kind {
    uint64_t id;
    unsigned first, n_fields; /* columns */
} kind;

/* The inflated body; its length is told first, and bounded by what deflate can make of the bytes. */
static const char *inflate_all(const uint8_t *p, size_t size, uint8_t **body, size_t *n) {
    uint64_t length;
    const uint8_t *at = hsc_uv_get(p, p + size, &length), *end = p + size;
    if (!at || length > HSC_CHUNK_MAX_BYTES || length / 1100 > (uint64_t)(end - at))
        return "its length is out of bounds";
    *body = malloc(length + 1);
    if (!*body)
        return "out of memory";
    uLongf got = (uLongf)length;
    if (uncompress(*body, &got, at, (uLong)(end - at)) != Z_OK || got != length)
        return "it cannot be inflated";
    *n = (size_t)length;
    return NULL;
}

static bool put_record(bytes *out, bytes *scratch, const kind *k, column *columns) {
    scratch->n = 0;
    if (!put_number(scratch, k->id))
        return false;
    for (unsigned f = 0; f < k->n_fields; f++) {
        column *c = &columns[k->first + f];
        const uint8_t *next = skip_field(c->at, c->end, c->type);
        uint64_t v = 0;
        if (!next)
            return false;
        if (c->type == HSC_TYPE_U) {
            hsc_uv_get(c->at, c->end, &v);
            c->last += hsc_unzigzag(v);
            if (!put_number(scratch, c->last))
                return false;
        } else if (!put(scratch, c->at, (size_t)(next - c->at))) {
            return false;
        }
        c->at = next;
    }
    return out->n + scratch->n <= HSC_CHUNK_MAX_BYTES && put_number(out, scratch->n) &&
           put(out, scratch->p, scratch->n);
}

const char *hsc_unpack(const uint8_t *packed, size_t size, uint8_t **out, size_t *out_size) {
    uint8_t *body = NULL;
    size_t n_body = 0;
    kind kinds[KINDS_MAX];
    uint64_t n_kinds = 0, n_records = 0, v, bytes_of_columns = 0;
    unsigned n_columns = 0;
    bytes rows = {0}, scratch = {0};
    column *columns = NULL;
    const char *why = inflate_all(packed, size, &body, &n_body);
    if (why)
        goto done;
    why = "its columns do not fit together";
    columns = calloc((size_t)KINDS_MAX * HSC_FIELDS_MAX, sizeof *columns);
    if (!columns) {
        why = "out of memory";
        goto done;
    }
    const uint8_t *p = body, *end = body + n_body;
    if (!(p = hsc_uv_get(p, end, &n_kinds)) || n_kinds > KINDS_MAX)
        goto done;
    for (uint64_t k = 0; k < n_kinds; k++) {
        uint64_t n_fields;
        if (!(p = hsc_uv_get(p, end, &kinds[k].id)) || !(p = hsc_uv_get(p, end, &n_fields)) || n_fields > HSC_FIELDS_MAX)
            goto done;
        kinds[k].first = n_columns;
        kinds[k].n_fields = (unsigned)n_fields;
        for (uint64_t f = 0; f < n_fields; f++) {
            column *c = &columns[n_columns++];
            if (!(p = hsc_uv_get(p, end, &v)) || v > 255)
                goto done;
            c->type = (unsigned)v;
            if (!(p = hsc_uv_get(p, end, &v)) || v > n_body)
                goto done;
            c->last = v; /* its size, till the columns are found */
            bytes_of_columns += v;
        }
    }
    if (!(p = hsc_uv_get(p, end, &n_records)) || n_records > n_body || bytes_of_columns > n_body)
        goto done;
    const uint8_t *order = p, *at = end - bytes_of_columns;
    for (unsigned c = 0; c < n_columns; c++) {
        columns[c].at = at;
        at += columns[c].last;
        columns[c].end = at;
        columns[c].last = 0;
    }
    at = end - bytes_of_columns;
    if (order > at)
        goto done;
    for (uint64_t i = 0; i < n_records; i++)
        if (!(order = hsc_uv_get(order, at, &v)) || v >= n_kinds || !put_record(&rows, &scratch, &kinds[v], columns))
            goto done;
    for (unsigned c = 0; c < n_columns; c++)
        if (columns[c].at != columns[c].end)
            goto done;
    if (order != at || !reserve(&rows, 1))
        goto done;
    why = NULL;
    *out = rows.p;
    *out_size = rows.n;
    rows.p = NULL;
done:
    free(body);
    free(columns);
    free(scratch.p);
    free(rows.p);
    return why;
}
