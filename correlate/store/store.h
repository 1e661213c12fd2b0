/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a database: columns by schema.def, sparse value tables in both orders with totals and pyramids.
 * Written beside the target, fsync'ed and renamed; nothing is left behind on failure or hsc_store_abort.
 * Only files of correlate/store/ include <hdf5.h>. */
#ifndef HEATSCOPE_STORE_H
#define HEATSCOPE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/err.h>
#include <heatscope/query.h>

typedef struct hsc_store hsc_store;
struct stat;

/* Ids of the columns of schema.def: HSC_COL_line_file, ... */
enum hsc_column_id {
#define HSC_COLUMN(table, column, type, unit, references, meaning) HSC_COL_##table##_##column,
#include "schema.def"
#undef HSC_COLUMN
    HSC_COL_COUNT
};

/* workers: threads that compress; the bytes do not depend on it. */
hsc_status hsc_store_create(const char *path, unsigned workers, hsc_store **out, hsc_err *err);

/* Chunks as they were packed before: by whoever keeps them. Bytes packed anew are the same. */
typedef struct hsc_packed_chunk {
    uint64_t plain[2];  /* hash of what was packed, and how */
    uint64_t packed[2]; /* hash of that */
    uint64_t offset;    /* in the file */
    uint64_t n;         /* bytes */
    uint64_t set, index; /* hash of the data set's path, and the chunk's number there */
} hsc_packed_chunk;
typedef struct hsc_packed_memo {
    void *ctx;
    /* Of any thread: sets c->plain for the first `used` bytes of a chunk (the rest of it is 0) of elements of so many bytes, packed with that
     * effort. Returns it packed, from malloc, with c->packed and c->n; NULL: it must be packed. */
    uint8_t *(*find)(void *ctx, const uint8_t *plain, size_t used, size_t whole, size_t element, unsigned effort, hsc_packed_chunk *c);
    /* What the database that is there (hsc_store_set_before) has at c->set and c->index: sets all of *c. Of the thread that puts. False: not kept. */
    bool (*look)(void *ctx, hsc_packed_chunk *c);
    /* Of any thread: after it was packed; sets c->packed. */
    void (*seal)(void *ctx, const uint8_t *packed, hsc_packed_chunk *c);
    /* One at a time: it is in the file. */
    void (*keep)(void *ctx, const hsc_packed_chunk *c);
} hsc_packed_memo;
/* Before anything is put. `memo` is borrowed. */
void hsc_store_set_memo(hsc_store *s, const hsc_packed_memo *memo);
/* The database that is there, from which values are kept (hsc_store_keep_threads); fd is borrowed until the end. Where HDF5 does not open it, none are. */
void hsc_store_set_before(hsc_store *s, int fd);
/* *is_bad is set where a call fails for that database, of which something that was to be kept can't be read: without it all may go well. Borrowed until the end. */
void hsc_store_set_bad_before(hsc_store *s, bool *is_bad);

/* Bytes that may be held of values on their way into the other order; 64 MiB is the most that is used. The bytes written do not depend on it. */
void hsc_store_set_memory(hsc_store *s, uint64_t bytes);

/* Root attributes that a run has (docs/schema.md): texts title, command, created (ISO 8601); numbers cpu_s, wall_s (where
 * absent: sum over threads, and last end minus first start), simulated (1). */
hsc_status hsc_store_put_text(hsc_store *s, const char *attribute, const char *value, hsc_err *err);
hsc_status hsc_store_put_number(hsc_store *s, const char *attribute, double value, hsc_err *err);

/* One column of n values, of the C type that schema.def gives: U1 uint8_t, U2 uint16_t, U4 uint32_t, U8 uint64_t,
 * I4 int32_t, F8 double, S const char * (NUL-terminated UTF-8; NULL = ""). All columns of a table have equal n. */
hsc_status hsc_store_put_column(hsc_store *s, enum hsc_column_id column, const void *values, uint64_t n, hsc_err *err);

/* The same in parts, in their order; only numbers. Such a column is not held in memory. One at a time. */
hsc_status hsc_store_begin_column(hsc_store *s, enum hsc_column_id column, uint64_t n, hsc_err *err);
hsc_status hsc_store_put_part(hsc_store *s, const void *values, uint64_t n, hsc_err *err);
hsc_status hsc_store_end_column(hsc_store *s, hsc_err *err);

/* A sparse value table, appended in blocks of rows (indices: threads), or in blocks of threads (indices: rows): they must come in
 * order and each once; indices rise within each; counts > 0. The store makes the other order, the totals and the pyramids; what
 * does not fit some 100 MB of memory goes through a file without a name beside the target.
 * indptr[n+1] is relative to the block. Columns of tables process, thread and metric must be put before the first values;
 * columns == rows of thread, and process rows are needed for the statistics by process. HSC_TABLE_CONTEXT_INCL need not
 * be written: readers derive it. rows of HSC_TABLE_SCOPE_CATEGORY: scopes * categories. */
hsc_status hsc_store_begin_values(hsc_store *s, uint32_t metric, hsc_db_table table, uint64_t rows, uint32_t columns,
                                  hsc_err *err);
/* About how many values the tables that are begun from now on have: where that is many for a row, and threads are put, by_row is
 * stored in bands of threads (docs/schema.md, section 5). The file's bytes depend on it; 0, as at first: no bands. */
void hsc_store_expect_values(hsc_store *s, uint64_t n);
hsc_status hsc_store_put_rows(hsc_store *s, uint64_t n, const uint64_t *indptr, const uint32_t *indices,
                              const uint32_t *counts, hsc_err *err);
hsc_status hsc_store_put_threads(hsc_store *s, uint64_t n, const uint64_t *indptr, const uint32_t *indices,
                                 const uint32_t *counts, hsc_err *err);
/* Instead of putting them: threads 0 to n - 1, which are all of the database before, have the values in the same rows that they have there. What holds
 * nothing else is copied as it is packed; the bytes are those of putting them. After begin_values, before anything is put. *kept false: that
 * database has no such table, and all are to be put. */
hsc_status hsc_store_keep_threads(hsc_store *s, uint32_t n, bool *kept, hsc_err *err);
hsc_status hsc_store_end_values(hsc_store *s, hsc_err *err);

/* Value tables that another process makes than the one that writes the database, which has the bytes of one that makes all. There: a store without
 * a file, to which value tables alone are put, one by one, each followed by send_values. path: of the database, for messages and for temporary
 * files beside it. process_of: by thread, its process. abort ends it. */
hsc_status hsc_store_create_apart(const char *path, unsigned workers, const uint32_t *process_of, uint32_t threads, uint64_t processes, hsc_store **out,
                                  hsc_err *err);
/* Before the first table: of the rows of metric. */
hsc_status hsc_store_tell_metrics(hsc_store *s, const char *const *units, const double *scales, uint64_t n, hsc_err *err);
typedef hsc_status hsc_store_give(void *ctx, const void *bytes, size_t n, hsc_err *err);
typedef hsc_status hsc_store_take(void *ctx, void **bytes, size_t *n, hsc_err *err); /* *bytes: to be freed */
/* The table, in pieces, in their order. */
hsc_status hsc_store_send_values(hsc_store *s, hsc_store_give *give, void *ctx, hsc_err *err);
/* Writes such a table in place of begin, put and end. HSC_E_FORMAT where the pieces are not those of one. */
hsc_status hsc_store_take_values(hsc_store *s, uint32_t metric, hsc_db_table table, uint64_t rows, uint32_t columns, hsc_store_take *take, void *ctx,
                                 hsc_err *err);

/* Samples in the order of time. Columns of thread, metric, category, context, scope and leaf must be put before, and
 * leaf rows be what `leaf` of put_times counts. tick_s: unit of all times, counted from the start of the run; end: ticks of the
 * run's length; bin: ticks of the finest bins; most: samples of the thread that has most, at least. put_times: one call a thread, for all threads in their order; times never
 * fall and are at most `end`. Slices and bins are made from them. Not needed: a database without has no times.
 * In place of a put_times, a thread of n samples in pieces: begin_thread, put_part, end_thread. Pieces have HSC_TIMES_PIECE samples, but for the last one, which has what is left. `look` (where
 * there are less than HSC_TIMES_LOOK_LEAST samples NULL): leaves and counts of some of the samples, HSC_TIMES_LOOK from sample hsc_times_look(samples, k) on, for
 * k = 0 to HSC_TIMES_LOOKS - 1, one after the other. */
hsc_status hsc_store_begin_times(hsc_store *s, double tick_s, uint32_t end, uint32_t bin, uint64_t most, hsc_err *err);
hsc_status hsc_store_put_times(hsc_store *s, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                               hsc_err *err);
enum { HSC_TIMES_PIECE = 32768, HSC_TIMES_LOOKS = 16, HSC_TIMES_LOOK = 1024, HSC_TIMES_LOOK_LEAST = HSC_TIMES_LOOKS * HSC_TIMES_LOOK };
typedef struct hsc_times_looks {
    uint32_t leaf[HSC_TIMES_LOOK_LEAST], count[HSC_TIMES_LOOK_LEAST];
} hsc_times_looks;
/* All over the first so many that are a power of two: a thread that grew is looked at in the same places, mostly. */
static inline uint64_t hsc_times_look(uint64_t samples, unsigned k) {
    uint64_t of = HSC_TIMES_LOOK_LEAST;
    while (of <= samples / 2)
        of *= 2;
    return of / HSC_TIMES_LOOK * k / HSC_TIMES_LOOKS * HSC_TIMES_LOOK;
}
hsc_status hsc_store_begin_thread_times(hsc_store *s, uint64_t n, const hsc_times_looks *look, hsc_err *err);
hsc_status hsc_store_put_part_times(hsc_store *s, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count, hsc_err *err);
hsc_status hsc_store_end_thread_times(hsc_store *s, hsc_err *err);
/* In place of begin_thread, of a thread that grew: its first samples, whole pieces of it, are those that thread `thread` of the database before has first; put_part of all that follow. What
 * the join before left of them is in a mark, by take_mark behind end_thread (n 0: it left none). leaf_of: rows of leaf by the numbers that these samples have. scope_then, scope_now: rows
 * of the scopes and procedures of these leaves, in the database before and now, both rising. HSC_E_IO, and the store knows it: the database before has others. */
typedef struct hsc_times_grown {
    uint32_t thread;
    const uint64_t *mark;
    size_t mark_words;
    const uint32_t *leaf_of;
    uint64_t numbers;
    const uint32_t *scope_then, *scope_now;
    uint64_t scopes;
} hsc_times_grown;
hsc_status hsc_store_go_on_thread_times(hsc_store *s, uint64_t n, const hsc_times_grown *g, hsc_err *err);
void hsc_store_take_mark(hsc_store *s, uint64_t **words, size_t *n); /* *words: to be freed */
/* What a mark is of: samples, and numbers that these have, whose rows of leaf are its last words. false: it is no mark. */
bool hsc_store_read_mark(const uint64_t *words, size_t n, uint64_t *samples, uint64_t *numbers, bool *is_coarse);
/* Instead of putting them: threads 0 to n - 1, which are all of the database before, have the samples that they have there, of the same rows of leaf, and these
 * the same scopes, procedures and categories; ticks are the same too. What holds nothing else is copied as it is packed; the bytes are those of putting them. After
 * begin_times, before anything is put. *kept false: that database has no such samples, or other bins, and all are to be put. */
hsc_status hsc_store_keep_times(hsc_store *s, uint32_t n, bool *kept, hsc_err *err);
hsc_status hsc_store_end_times(hsc_store *s, hsc_err *err);

/* In place of them: what each thread has of each leaf, so that there are values by category of every table. Columns of thread and leaf must be put
 * before. put_counts: blocks of threads as hsc_store_put_threads takes them, all in their order; indices are rows of leaf. */
hsc_status hsc_store_begin_counts(hsc_store *s, hsc_err *err);
hsc_status hsc_store_put_counts(hsc_store *s, uint64_t n, const uint64_t *indptr, const uint32_t *leaf, const uint32_t *count, hsc_err *err);
hsc_status hsc_store_end_counts(hsc_store *s, hsc_err *err);

/* Text of a source file to embed, for row `file` of the file table. */
hsc_status hsc_store_put_source(hsc_store *s, uint32_t file, const char *text, size_t size, hsc_err *err);

/* Where commit tells what the file is in its place; NULL: nowhere. */
void hsc_store_set_made(hsc_store *s, struct stat *made);

/* Checks that every mandatory column is there and consistent, writes state = "final", closes, renames. Frees s. */
hsc_status hsc_store_commit(hsc_store *s, hsc_err *err);
void hsc_store_abort(hsc_store *s);

#endif
