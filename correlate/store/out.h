/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data sets and attributes on their way into a file: chunks are shuffled and compressed by a pool of threads and
 * written by the caller, so that the bytes do not depend on the number of threads. */
#ifndef HEATSCOPE_STORE_OUT_H
#define HEATSCOPE_STORE_OUT_H

#include <hdf5.h>

#include "schema.h"

typedef struct hsc_out hsc_out;

typedef enum hsc_effort { /* of packing */
    HSC_EFFORT_USUAL,
    HSC_EFFORT_QUICK,  /* for what is as long as there are values */
    HSC_EFFORT_SERIES, /* for numbers that seldom repeat in longer pieces (huffman.h), as long as there are samples or values */
    HSC_EFFORT_SPARSE, /* for numbers most of which are 0 */
    HSC_EFFORT_VALUES, /* as series; what is less than a chunk of HSC_CHUNK_ROWS, once in a set, as small as it gets where it is large */
    HSC_EFFORTS
} hsc_effort;

/* Attributes of a data set, and how it is cut; NULL or "": left out. scale_factor 0: left out. */
typedef struct hsc_out_notes {
    const char *units, *description, *references, *dimensions;
    double scale_factor;
    uint32_t chunk_rows; /* a power of 2; 0: HSC_CHUNK_ROWS */
    hsc_effort effort;
} hsc_out_notes;

/* path: of the file, for messages; borrowed. workers 0 and 1: no threads. */
hsc_status hsc_out_new(const char *path, unsigned workers, hsc_out **out, hsc_err *err);
void hsc_out_free(hsc_out *o);
/* Without a file: what is made and put, in groups from HSC_OUT_ROOT on, is kept for another process (out_log.h). */
#define HSC_OUT_ROOT ((hid_t)0)
hsc_status hsc_out_new_apart(const char *path, unsigned workers, hsc_out **out, hsc_err *err);
bool hsc_out_is_apart(const hsc_out *o);
struct hsc_packed_memo;
struct hsc_h5_written;
void hsc_out_set_written(hsc_out *o, struct hsc_h5_written *written); /* what the file's driver tells and is told; borrowed, before anything is put */
/* store.h. Borrowed. */
void hsc_out_set_memo(hsc_out *o, const struct hsc_packed_memo *memo); /* drops what is not in the file; before that is closed */
/* An open database with the same data sets, for what streams keep of it (hsc_out_stream_keep); borrowed, < 0: none. */
void hsc_out_set_before(hsc_out *o, hid_t before);
/* HSC_E_IO, and has_bad_before from then on: what was to be kept of the database before can't be read. */
hsc_status hsc_out_fail_before(hsc_out *o, const char *path, hsc_err *err);
bool hsc_out_has_bad_before(const hsc_out *o);
/* Values are in the file only after this; errors of them may come from any call. */
hsc_status hsc_out_drain(hsc_out *o, hsc_err *err);

/* HSC_E_IO "PATH: cannot <what> <name>: <HDF5's innermost reason>". */
hsc_status hsc_out_fail(hsc_out *o, const char *what, const char *name, hsc_err *err);

hsc_status hsc_out_group(hsc_out *o, hid_t parent, const char *name, hid_t *group, hsc_err *err);
/* The same with a description; *group is set as soon as there is one. */
hsc_status hsc_out_told_group(hsc_out *o, hid_t parent, const char *name, const char *description, hid_t *group, hsc_err *err);
hsc_status hsc_out_text(hsc_out *o, hid_t object, const char *name, const char *text, hsc_err *err);
typedef enum hsc_number { HSC_NUMBER_U2, HSC_NUMBER_U4, HSC_NUMBER_U8, HSC_NUMBER_I8, HSC_NUMBER_F8, HSC_NUMBERS } hsc_number; /* by their bytes */
/* n values in memory as in the file. */
hsc_status hsc_out_numbers(hsc_out *o, hid_t object, const char *name, hsc_number type, const void *values, unsigned n, hsc_err *err);
void hsc_out_close_group(hsc_out *o, hid_t group);

/* One-dimensional data set of n values; strings: string_size bytes each, NUL-padded. Returns the open data set through
 * *set where that is not NULL. */
hsc_status hsc_out_set(hsc_out *o, hid_t group, const char *name, hsc_column_type type, unsigned string_size,
                       const void *values, uint64_t n, const hsc_out_notes *notes, hid_t *set, hsc_err *err);

/* A one-dimensional data set of numbers that is written as its values come; its bytes depend on them alone. */
typedef struct hsc_out_stream hsc_out_stream;

/* group, name and the texts of notes are borrowed until the end. */
hsc_status hsc_out_stream_open(hsc_out *o, hid_t group, const char *name, hsc_column_type type, const hsc_out_notes *notes,
                               hsc_out_stream **out, hsc_err *err);
/* The same for n values exactly, with the bytes that hsc_out_set makes. */
hsc_status hsc_out_stream_open_sized(hsc_out *o, hid_t group, const char *name, hsc_column_type type, const hsc_out_notes *notes,
                                     uint64_t n, hsc_out_stream **out, hsc_err *err);
hsc_status hsc_out_stream_put(hsc_out_stream *s, const void *values, uint64_t n, hsc_err *err);
/* Where the caller writes n values before the next call on the stream, or as many as the chunk under way has room for: *room, 1 or more. */
hsc_status hsc_out_stream_room(hsc_out_stream *s, uint64_t n, void **to, uint64_t *room, hsc_err *err);
/* The same for the n values that the database before has at this place of this data set, where all before them are kept too: whole chunks of
 * them are copied as they are packed. */
hsc_status hsc_out_stream_keep(hsc_out_stream *s, uint64_t n, hsc_err *err);
/* The same for those that it has from value `from` on: from a chunk's begin on in both, and one after the other until that chunk is whole. */
hsc_status hsc_out_stream_keep_from(hsc_out_stream *s, uint64_t from, uint64_t n, hsc_err *err);
/* Writes what is left and frees s, also on failure. */
hsc_status hsc_out_stream_close(hsc_out_stream *s, hsc_err *err);
void hsc_out_stream_abort(hsc_out_stream *s); /* frees s; NULL: nothing */

#endif
