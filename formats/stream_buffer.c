/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a packed sequence of chunks into memory that grows. */
#include <stdlib.h>
#include <string.h>

#include "stream_internal.h"

/* An empty chunk of this size takes every record that the format allows. */
#define LARGE_SLOT_BYTES (HSC_CHUNK_HEADER_BYTES + HSC_RECORD_MAX_BYTES + 64u)

struct hsc_buffer_writer {
    uint8_t *bytes; /* sealed chunks */
    size_t size, capacity;
    void *slot; /* the open chunk */
    uint32_t slot_bytes;
    bool open, columns;
    hsc_chunk_writer chunk;
    hsc_chunk_kind kind;
    uint32_t stream, sequence;
};

static hsc_status reserve(hsc_buffer_writer *b, size_t more, hsc_err *err) {
    if (b->capacity - b->size >= more)
        return HSC_OK;
    size_t capacity = b->capacity + b->capacity / 2;
    if (capacity < b->size + more)
        capacity = b->size + more;
    uint8_t *bytes = realloc(b->bytes, capacity);
    if (!bytes)
        return hsc_err_set(err, HSC_E_MEMORY, "record buffer: no memory for %zu bytes", capacity);
    b->bytes = bytes;
    b->capacity = capacity;
    return HSC_OK;
}

hsc_buffer_writer *hsc_buffer_writer_new(hsc_chunk_kind kind, uint32_t stream, bool with_schema, hsc_err *err) {
    hsc_buffer_writer *b = calloc(1, sizeof *b);
    if (!b) {
        hsc_err_set(err, HSC_E_MEMORY, "record buffer: no memory for %zu bytes", sizeof *b);
        return NULL;
    }
    b->kind = kind;
    b->stream = stream;
    if (with_schema) {
        size_t n = hsc_schema_chunk(NULL, 0);
        if (reserve(b, n, err)) {
            hsc_buffer_writer_free(b);
            return NULL;
        }
        b->size = hsc_schema_chunk(b->bytes, n);
    }
    return b;
}

static hsc_status begin(hsc_buffer_writer *b, uint32_t slot_bytes, hsc_err *err) {
    if (b->slot_bytes != slot_bytes) {
        void *slot = malloc(slot_bytes);
        if (!slot)
            return hsc_err_set(err, HSC_E_MEMORY, "record buffer: no memory for %u bytes", (unsigned)slot_bytes);
        free(b->slot);
        b->slot = slot;
        b->slot_bytes = slot_bytes;
    }
    hsc_chunk_begin(&b->chunk, b->slot, slot_bytes, b->kind, b->stream, b->sequence, 0, 0);
    b->open = true;
    return HSC_OK;
}

/* The open chunk with another payload, sealed, at the end of the bytes, where there is room. */
static void put_columns(hsc_buffer_writer *b, const uint8_t *payload, size_t size) {
    uint32_t slot = (uint32_t)((HSC_CHUNK_HEADER_BYTES + size + 7) & ~(size_t)7);
    uint8_t *at = b->bytes + b->size;
    memset(at, 0, slot);
    memcpy(at, b->slot, HSC_CHUNK_HEADER_BYTES);
    hsc_set32(at + HSC_AT_SLOT, slot);
    hsc_set32(at + HSC_AT_HEADER_CRC, hsc_wire_header_crc(at));
    hsc_set32(at + HSC_AT_COMMITTED, (uint32_t)size);
    hsc_set32(at + HSC_AT_PAYLOAD_CRC, hsc_crc32c(0, payload, size));
    hsc_set32(at + HSC_AT_FLAGS, HSC_FLAG_SEALED | HSC_FLAG_COLUMNS);
    memcpy(at + HSC_CHUNK_HEADER_BYTES, payload, size);
    b->size += slot;
}

/* Moves the open chunk, if any, to the sealed ones. */
static hsc_status end(hsc_buffer_writer *b, hsc_err *err) {
    if (!b->open)
        return HSC_OK;
    b->open = false;
    if (!b->chunk.used_bytes)
        return HSC_OK;
    hsc_status status = reserve(b, (HSC_CHUNK_HEADER_BYTES + b->chunk.used_bytes + 7) & ~(size_t)7, err);
    if (status) {
        b->open = true;
        return status;
    }
    uint8_t *payload = NULL;
    size_t size = 0;
    if (b->columns && hsc_pack((uint8_t *)b->slot + HSC_CHUNK_HEADER_BYTES, b->chunk.used_bytes, &payload, &size) &&
        size < b->chunk.used_bytes) {
        put_columns(b, payload, size);
    } else {
        uint32_t n = hsc_chunk_seal(b->slot, true);
        memcpy(b->bytes + b->size, b->slot, n);
        b->size += n;
    }
    free(payload);
    b->sequence++;
    return HSC_OK;
}

hsc_status hsc_buffer_writer_put(hsc_buffer_writer *b, uint32_t record_id, const void *record, hsc_err *err) {
    hsc_status status = HSC_OK;
    if (!b->open && (status = begin(b, b->columns ? LARGE_SLOT_BYTES : HSC_SLOT_BYTES, err)))
        return status;
    status = hsc_chunk_put(&b->chunk, record_id, record);
    if (status == HSC_E_LIMIT && b->chunk.used_bytes) {
        if ((status = end(b, err)) || (status = begin(b, b->columns ? LARGE_SLOT_BYTES : HSC_SLOT_BYTES, err)))
            return status;
        status = hsc_chunk_put(&b->chunk, record_id, record);
    }
    if (status == HSC_E_LIMIT) {
        b->open = false;
        if ((status = begin(b, LARGE_SLOT_BYTES, err)))
            return status;
        status = hsc_chunk_put(&b->chunk, record_id, record);
        if (!status)
            return end(b, err);
    }
    if (status) {
        const hsc_record_info *info = hsc_record_info_get(record_id);
        return hsc_err_set(err, status, "record buffer: record %u (%s): %s", (unsigned)record_id,
                           info ? info->name : "unknown",
                           info ? "a string is above 64 KiB or the record above 1 MiB" : "not in records.def");
    }
    return HSC_OK;
}

void hsc_buffer_writer_set_columns(hsc_buffer_writer *b) {
    b->columns = true;
}

hsc_status hsc_buffer_writer_get_bytes(hsc_buffer_writer *b, const uint8_t **bytes, size_t *size, hsc_err *err) {
    hsc_status status = end(b, err);
    if (status)
        return status;
    *bytes = b->bytes;
    *size = b->size;
    return HSC_OK;
}

void hsc_buffer_writer_free(hsc_buffer_writer *b) {
    if (!b)
        return;
    free(b->slot);
    free(b->bytes);
    free(b);
}
