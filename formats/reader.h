/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a reader of record streams: stream_read.c, and stream_runs.c, which takes many records of one kind at once. Internal to formats/. */
#ifndef HEATSCOPE_FORMATS_READER_H
#define HEATSCOPE_FORMATS_READER_H

#include "stream_internal.h"

struct hsc_reader {
    char *label;
    const uint8_t *memory; /* the input, or NULL: a file */
    int fd;
    uint64_t size;
    uint8_t *window; /* piece of the file at window_at */
    size_t window_n, window_capacity;
    uint64_t window_at;
    hsc_status view_status; /* why a piece could not be had; HSC_OK: it does not exist */
    int view_errno;

    hsc_schema *own; /* records.def, for chunks without a schema; made when it is needed */
    hsc_schema *schemas[HSC_SCHEMAS_MAX];
    size_t n_schemas;
    hsc_schema *last_schema;
    hsc_schema_cache *cache; /* NULL: none */

    uint64_t at; /* where the next chunk is looked for */
    hsc_chunk_view chunk;
    const uint8_t *p, *end; /* what is left of the chunk's records */
    uint64_t last_time;
    uint64_t epoch;
    bool first;
    uint8_t *unpacked; /* records of a packed chunk */
    hsc_columns *columns; /* or its columns, which records are taken from without rows */
    bool values_only;
    bool is_checked; /* checksums of payloads were */
    uint64_t facts;  /* of the file; 0: none */
    void *arrays; /* elements of the array fields of the record at hand */
    size_t arrays_capacity;
    bool (*want)(void *ctx, hsc_chunk_kind kind, uint32_t stream);
    void *want_ctx;

    bool scanning; /* first walk: only schemas are of interest, nothing is counted */
    bool (*skip)(void *ctx, const hsc_chunk_header *h); /* following a file that grows: what has been seen is not read again */
    void *skip_ctx;
    uint64_t (*pass)(void *ctx, uint64_t at); /* NULL: none */
    void *pass_ctx;
    uint64_t n_headers, n_newer;
    hsc_reader_counts counts;
    char problem[496];
};

#endif
