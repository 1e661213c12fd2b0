/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The record stream: chunks, a writer that may run in a signal handler, and a reader for hostile input.
 * The format itself is specified in docs/format.md. */
#ifndef HEATSCOPE_FORMATS_STREAM_H
#define HEATSCOPE_FORMATS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "records.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HSC_CHUNK_HEADER_BYTES 64u
#define HSC_SLOT_BYTES 65536u            /* a chunk's size in a run */
#define HSC_CHUNK_MAX_BYTES (64u << 20)  /* readers refuse larger ones */
#define HSC_RECORD_MAX_BYTES (1u << 20)
#define HSC_DESCRIPTORS_MAX 4096u
#define HSC_FIELDS_MAX 64u
#define HSC_ATTRIBUTES_MAX 64u
#define HSC_NAME_MAX_BYTES 255u
#define HSC_SCHEMA_MAX_BYTES (4u << 20)  /* of one schema chunk */
#define HSC_SCHEMAS_MAX 16u              /* different schemas in one input */
#define HSC_STRING_MAX_BYTES 65536u
#define HSC_FORMAT_MAJOR 1
#define HSC_FORMAT_MINOR 0
#define HSC_MAP_SECTION ".heatscope.map" /* ELF section, not loaded, that carries the static records */

typedef enum hsc_chunk_kind {
    HSC_CHUNK_SCHEMA = 1,
    HSC_CHUNK_STATIC = 2,
    HSC_CHUNK_DYNAMIC = 3,
    HSC_CHUNK_SYMBOLIC = 4,
    HSC_CHUNK_ATTRIBUTES = 5,
    HSC_CHUNK_INDEX = 6
} hsc_chunk_kind;

/* ---- writing (stream_write_ss.c: signal-safe, needs no malloc, no libc beyond memcpy) ------------------------------ */

#define HSC_WRITER_DELTAS 16u /* D fields of all records together; checked at build time */

/* A chunk under construction in memory that the caller owns (a slot of an mmap'd file, or a heap block). */
typedef struct hsc_chunk_writer {
    uint8_t *base; /* start of the chunk's 64-byte header; 8-byte aligned */
    uint32_t slot_bytes;
    uint32_t used_bytes; /* payload bytes committed */
    uint32_t sample_slot; /* delta of sample.node_id */
    uint64_t last_time;
    uint64_t last_delta[HSC_WRITER_DELTAS];
} hsc_chunk_writer;

/* Writes a header for an empty chunk at `base` (slot_bytes long, a multiple of 8, at least 128) and attaches *w to it.
 * After it returns, the memory holds a valid chunk with no records. Signal-safe. */
void hsc_chunk_begin(hsc_chunk_writer *w, void *base, uint32_t slot_bytes, hsc_chunk_kind kind, uint32_t stream,
                     uint32_t sequence, uint64_t t0_ns, uint64_t lost_before);

/* Appends one record (`record` is the hsc_rec_<name> of record_id) and commits it by a release store of the committed
 * length, so that another process sees either all of it or nothing. Returns HSC_OK; HSC_E_LIMIT when it does not fit in
 * what is left of the slot (nothing is changed: begin another chunk and try again; a record that an empty chunk refuses
 * is too long for this slot size); HSC_E_ARGUMENT for an unknown id, a string above HSC_STRING_MAX_BYTES or a record
 * above HSC_RECORD_MAX_BYTES, which no chunk can hold.
 * Signal-safe; one writer at a time. Cost: some 15 to 25 ns for a sample. */
hsc_status hsc_chunk_put(hsc_chunk_writer *w, uint32_t record_id, const void *record);

/* hsc_chunk_put of a sample, the record that matters most: without the tables, which a handler finds in no cache. */
hsc_status hsc_chunk_put_sample(hsc_chunk_writer *w, const hsc_rec_sample *sample);

/* Seals the chunk: payload CRC and the SEALED flag. May run in another thread once the writer is done. With `shrink`
 * the slot size in the header is cut to the used bytes (rounded up to 8), for packed files and sections; returns the
 * chunk's size in bytes. Sealing again does no harm. Signal-safe. */
uint32_t hsc_chunk_seal(void *base, bool shrink);

/* The schema chunk that describes every record of records.def: returns its size in bytes and writes it to `buffer` when
 * capacity suffices (call with NULL, 0 for the size; the buffer is 8-byte aligned). Deterministic. Signal-safe. */
size_t hsc_schema_chunk(void *buffer, size_t capacity);

/* CRC32C (Castagnoli) of n bytes, continuing from `crc` (0 to start). Signal-safe. */
uint32_t hsc_crc32c(uint32_t crc, const void *data, size_t n);
/* The same without the processor's CRC instruction. */
uint32_t hsc_crc32c_portable(uint32_t crc, const void *data, size_t n);

/* 64-bit FNV-1a hash of n bytes, continuing from `seed` (0 to start); stable for ever: tags are made with it. */
uint64_t hsc_hash64(uint64_t seed, const void *data, size_t n);

/* ---- writing, growable (not signal-safe): maps, tests, tools ------------------------------------------------------ */

typedef struct hsc_buffer_writer hsc_buffer_writer;

/* A packed sequence of chunks in memory: schema chunk first when `with_schema`, then chunks of `kind` as records come. */
hsc_buffer_writer *hsc_buffer_writer_new(hsc_chunk_kind kind, uint32_t stream, bool with_schema, hsc_err *err);
hsc_status hsc_buffer_writer_put(hsc_buffer_writer *b, uint32_t record_id, const void *record, hsc_err *err);
/* From here on records are written in columns, deflated, where that makes a chunk smaller. Nothing must have been put before. */
void hsc_buffer_writer_set_columns(hsc_buffer_writer *b);
/* Seals what is open and gives the bytes, borrowed until the writer is freed or put to again. */
hsc_status hsc_buffer_writer_get_bytes(hsc_buffer_writer *b, const uint8_t **bytes, size_t *size, hsc_err *err);
void hsc_buffer_writer_free(hsc_buffer_writer *b);

/* Writes bytes to path: beside it, fsync, rename. */
hsc_status hsc_file_write_atomic(const char *path, const void *bytes, size_t size, hsc_err *err);

/* ---- reading ------------------------------------------------------------------------------------------------------ */

/* What a reader met; all counts are of the whole input so far. */
typedef struct hsc_reader_counts {
    uint64_t chunks;          /* good chunks */
    uint64_t chunks_unsealed; /* of them, still open when the writer stopped (committed length trusted, no payload CRC) */
    uint64_t chunks_bad;      /* skipped: CRC, limits, truncated */
    uint64_t chunks_old;      /* of these: whole, but in a form that only older versions read */
    uint64_t bytes_skipped;
    uint64_t records;
    uint64_t records_unknown; /* ids that neither the schema nor we know */
    uint64_t records_bad;     /* undecodable: the rest of their chunk is skipped */
} hsc_reader_counts;

typedef struct hsc_reader hsc_reader;

/* One record met. Borrowed until the next call on the reader. */
typedef struct hsc_record {
    uint32_t record_id;
    const char *name;         /* from the file's own schema, else ours */
    uint32_t stream;          /* of its chunk */
    uint32_t sequence;        /* of its chunk */
    hsc_chunk_kind chunk_kind;
    uint64_t chunk_offset;    /* in the input */
    uint32_t chunk_bytes;     /* of its slot */
    bool chunk_is_sealed;
    uint64_t offset;          /* of the record in the input */
    uint64_t lost_before;     /* of its chunk */
    bool first_in_chunk;
    const void *value;        /* hsc_rec_<name> for the ids of records.def; NULL for others */
    /* The record as its file describes it; NULL when it is in no schema. layout->fields[i].offset is an offset into
     * data, which holds C members as in records.h; fields that we do not know are there too. */
    const hsc_record_info *layout;
    const void *data;
    hsc_bytes payload;        /* the fields as they stand in the file; none after hsc_reader_set_values_only */
} hsc_record;

/* Opens a regular file (read piece by piece, so that a file that shrinks meanwhile is no danger) or a memory block
 * (borrowed; must outlive the reader). Input of any content is accepted as far as it holds chunks. HSC_E_IO, HSC_E_MEMORY; HSC_E_FORMAT when there is no valid chunk at all (text says what stands at
 * the start instead); HSC_E_VERSION when the chunks are of a newer major version. A file that grows while it is read
 * is read up to its size at open. */
hsc_status hsc_reader_open(const char *path, hsc_reader **out, hsc_err *err);
hsc_status hsc_reader_open_memory(const void *bytes, size_t size, const char *label, hsc_reader **out, hsc_err *err);

/* Next record, in file order. Returns false at the end of the input. Never fails: bad parts are skipped and counted. */
bool hsc_reader_next(hsc_reader *r, hsc_record *record);

/* Up to `most` records `sample` that follow in the chunk of the last record, none that begins behind offset `last`; returns their
 * number, and in *offset where the last one begins. 0: the next record is another one, or written in another way than ours, and is
 * for hsc_reader_next. Ten times as fast as that for each. */
size_t hsc_reader_take_samples(hsc_reader *r, hsc_rec_sample *to, size_t most, uint64_t last, uint64_t *offset);

/* The same for who asks for no more than how many there are: of nodes 1 to `nodes` and of few bytes each, the first other one ends it.
 * *latest: the largest of their times and what it was. 0 also where the processor lacks what it takes. */
size_t hsc_reader_pass_samples(hsc_reader *r, uint64_t nodes, size_t most, uint64_t last, uint64_t *offset, uint64_t *latest);

/* As hsc_reader_take_samples, of records `node`. */
size_t hsc_reader_take_nodes(hsc_reader *r, hsc_rec_node *to, size_t most, uint64_t last, uint64_t *offset);

/* From now on records of chunks in columns come without `payload`, and with the chunk's `offset`: twice as fast. */
void hsc_reader_set_values_only(hsc_reader *r);

/* Of the file that was opened (inode, size, times): the same while nobody has written to it. 0: it is not a file. */
uint64_t hsc_reader_get_facts(const hsc_reader *r);
/* Checksums of payloads were looked at before, by a reader of the same facts: not once more. */
void hsc_reader_set_checked(hsc_reader *r);

/* Chunks that need not be read once more: at `at`, where one begins or what is between chunks, `pass` returns where to go on, `at` or the end of one that begins there. */
void hsc_reader_set_pass(hsc_reader *r, uint64_t (*pass)(void *ctx, uint64_t at), void *ctx);

/* Like next, only for chunks that `want` accepts (NULL: all); chunks not wanted are not decoded. */
void hsc_reader_set_filter(hsc_reader *r, bool (*want)(void *ctx, hsc_chunk_kind kind, uint32_t stream), void *ctx);

void hsc_reader_get_counts(const hsc_reader *r, hsc_reader_counts *out);
/* Text of the first problem met (offset, what, expected, got); "" when there was none. */
const char *hsc_reader_get_first_problem(const hsc_reader *r);
void hsc_reader_close(hsc_reader *r);

/* Text form and back (heatscope dump, heatscope dump --undump); docs/format.md has its grammar. `write` gets pieces of
 * text; what it returns other than HSC_OK ends the dump and is returned. The text form is loss-free for records and chunk
 * headers, whatever schema the file has: hsc_text_parse of it gives the same ones. HSC_E_MEMORY. */
typedef hsc_status (*hsc_text_sink)(void *ctx, const char *text, size_t n, hsc_err *err);
hsc_status hsc_text_dump(hsc_reader *r, hsc_text_sink write, void *ctx, hsc_err *err);
/* The text of a file that is being written by a running process: each call of `more` gives the records that have come since the
 * one before, those of a chunk in order behind a line @chunk, and each once; never part of one. It asks nothing of the writer.
 * *records: how many came; *ended: the process's last record has come, after which nothing does; *pid: from its first record,
 * 0 before. HSC_E_IO, HSC_E_MEMORY, and what hsc_reader_open returns. */
typedef struct hsc_follow hsc_follow;
hsc_status hsc_follow_open(const char *path, hsc_follow **out, hsc_err *err);
hsc_status hsc_follow_more(hsc_follow *f, hsc_text_sink write, void *ctx, uint64_t *records, bool *ended, uint64_t *pid, hsc_err *err);
void hsc_follow_close(hsc_follow *f);
/* The schemas of the input (ours where it has none) as tables for people. */
hsc_status hsc_text_dump_schema(hsc_reader *r, hsc_text_sink write, void *ctx, hsc_err *err);
/* *bytes is the caller's to free(). HSC_E_FORMAT (the text names the line), HSC_E_LIMIT, HSC_E_VERSION, HSC_E_MEMORY. */
hsc_status hsc_text_parse(const char *text, size_t n, const char *label, uint8_t **bytes, size_t *size, hsc_err *err);

#ifdef __cplusplus
}
#endif
#endif
