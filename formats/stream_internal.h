/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the reader, the schema parser and the text form share. Internal to formats/. */
#ifndef HEATSCOPE_FORMATS_STREAM_INTERNAL_H
#define HEATSCOPE_FORMATS_STREAM_INTERNAL_H

#include "wire.h"

/* ---- a schema as read from a file --------------------------------------------------------------------------------- */

typedef struct hsc_attribute {
    uint32_t field; /* 1 + index of the field; 0: of the record */
    const char *key, *value;
} hsc_attribute;

/* One record as its file describes it. */
typedef struct hsc_layout {
    hsc_record_info info; /* offsets into `data` */
    bool ours;            /* data begins with the C struct of records.h */
    bool has_arrays;
    uint8_t *data;     /* where records of this kind are decoded to; what the file lacks stays 0 */
    uint64_t *deltas;  /* by delta_slot */
    uint32_t n_deltas;
    uint64_t epoch; /* chunk that the deltas belong to */
    const hsc_attribute *attributes;
    uint32_t n_attributes;
} hsc_layout;

typedef struct hsc_schema {
    uint64_t id;
    hsc_layout *layouts; /* in file order */
    size_t n_layouts;
    hsc_enum_info *enums; /* values, those of one enum together */
    size_t n_enums;
    size_t n_bad; /* undecodable descriptors */
    char bad_text[160]; /* the first of them */
    /* storage */
    hsc_field_info *fields;
    hsc_attribute *attributes;
    char *texts;
    uint8_t *data;
    uint64_t *deltas;
    uint32_t *by_id; /* numbers of layouts in the order of their ids */
    uint32_t direct[256]; /* 1 + number of the layout; 0: none */
    uint8_t *payload;     /* of its chunk, where a cache may keep it; NULL */
    size_t payload_bytes;
} hsc_schema;

/* schema_cache.c: a schema made of these bytes, NULL when none is kept; and back, or freed. c NULL: no cache. */
typedef struct hsc_schema_cache hsc_schema_cache;
hsc_schema *hsc_schema_cache_take(hsc_schema_cache *c, const uint8_t *payload, size_t n, uint64_t id);
void hsc_schema_cache_give(hsc_schema_cache *c, hsc_schema *s);

/* Parses the payload of a schema chunk; descriptors that break a rule are left out and counted. HSC_E_MEMORY. */
hsc_status hsc_schema_parse(const uint8_t *payload, size_t n, uint64_t id, hsc_schema **out, hsc_err *err);
void hsc_schema_free(hsc_schema *s);
hsc_layout *hsc_schema_find(const hsc_schema *s, uint64_t record_id);

/* Room for one more item in the array that *array points to, which holds n of item bytes each; false: no memory. */
bool hsc_grow(void *array, size_t n, size_t *capacity, size_t item);

/* True for a name of a record, field or enum: letters, digits and underscores, not beginning with a digit. */
bool hsc_name_is_valid(const char *p, size_t n);

/* ---- chunks ------------------------------------------------------------------------------------------------------- */

typedef struct hsc_chunk_header {
    uint8_t major, minor;
    uint16_t kind;
    uint32_t slot_bytes, stream, sequence, committed, payload_crc, flags;
    uint64_t t0_ns, lost_before, schema_id;
} hsc_chunk_header;

/* A chunk met by the reader; borrowed until the next chunk. */
typedef struct hsc_chunk_view {
    hsc_chunk_header header;
    uint64_t offset;
    const uint8_t *payload;
    hsc_schema *schema; /* that its records are decoded with */
} hsc_chunk_view;

/* columns_pack.c: a payload of records of records.def as a packed one, for the caller to free(); false without memory, or where it
 * cannot be packed. */
bool hsc_pack(const uint8_t *payload, size_t size, uint8_t **out, size_t *out_size);
/* columns_unpack.c: and back, from any writer: what is wrong with it; NULL: nothing, *out is the caller's to free(). */
const char *hsc_unpack(const uint8_t *packed, size_t size, uint8_t **out, size_t *out_size);

/* The same without the rows: a payload in columns, kept unpacked till it is closed. hsc_columns_take_rows gives the rows after all. */
typedef struct hsc_columns hsc_columns;
const char *hsc_columns_open(const uint8_t *packed, size_t size, hsc_columns **out);
const char *hsc_columns_take_rows(hsc_columns *k, uint8_t **out, size_t *out_size);
void hsc_columns_close(hsc_columns *k);
/* Are all its fields as in the schema, so that hsc_columns_next can give records? Else its rows have to be decoded. */
bool hsc_columns_fit(hsc_columns *k, const hsc_schema *schema);
/* Puts the next record to its layout's data, elements of lists to *elements (which may grow); NULL: there is none, or no memory. Texts
 * that are written once in the columns are one text here. */
hsc_layout *hsc_columns_next(hsc_columns *k, void **elements, size_t *elements_bytes);
bool hsc_columns_is_at_end(const hsc_columns *k);

/* The next good chunk, schema chunks included; false at the end. */
bool hsc_reader_next_chunk(hsc_reader *r, hsc_chunk_view *chunk);
/* The next record of that chunk; false at its end. */
bool hsc_reader_next_in_chunk(hsc_reader *r, hsc_record *record);

/* From the start again, to the end that the file has now; counts and the first problem begin anew. Chunks that `skip` says true
 * of are passed over unread. The schemas are those that were there when it was opened. HSC_E_IO. */
hsc_status hsc_reader_again(hsc_reader *r, bool (*skip)(void *ctx, const hsc_chunk_header *h), void *ctx, hsc_err *err);

/* The schemas of the input, in the order met; without any, ours alone. NULL behind the last (or without memory). */
const hsc_schema *hsc_reader_get_schema(hsc_reader *r, size_t i);

/* hsc_text_parse with its limit on the bytes produced. */
hsc_status hsc_text_parse_limited(const char *text, size_t n, const char *label, size_t max_bytes, uint8_t **bytes,
                                  size_t *size, hsc_err *err);

#endif
