/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of a database being written, shared by store.c and store_values.c. */
#ifndef HEATSCOPE_STORE_INTERNAL_H
#define HEATSCOPE_STORE_INTERNAL_H

#include <heatscope/formats/text.h>

#include "before.h"
#include "check.h"
#include "h5_write.h"
#include "out.h"
#include "spill.h"
#include "turned.h"

typedef struct hsc_store_source {
    char *text;
    size_t size;
} hsc_store_source;

typedef struct hsc_store_order { /* one of the two orders of a value table, as it is written */
    hid_t group;
    uint64_t n, done, nnz; /* rows of this order */
    uint32_t columns;
    uint64_t *indptr; /* n + 1 */
    hsc_out_stream *indices, *data;
} hsc_store_order;

typedef struct hsc_store_values { /* the value table under way */
    bool open, begun, by_thread; /* by_thread: threads are put, not rows */
    uint32_t metric;
    hsc_db_table table;
    uint64_t rows;
    uint32_t columns;
    uint32_t bands, band_begin[HSC_BANDS_MAX + 1]; /* of threads: by_row has all rows of the first, then all of the next */
    hid_t group;
    hsc_store_order put, made; /* the order in which values are put, and the other one */
    hsc_spill spill;
    hsc_turned *parts;     /* HSC_STORE_PARTS: values of ranges of the other order's rows */
    uint64_t part_rows;
    uint32_t *values_of;   /* by row of the other order: how many */
    struct hsc_totals *totals; /* of rows */
    uint32_t kept;             /* threads of the database before, whose values were not put */
    uint32_t kept_bands;       /* of these, all in by_row: nobody has seen their values */
    uint64_t *kept_indptr;     /* of these; rows * kept_bands + 1 */
} hsc_store_values;

typedef struct hsc_store_written { /* a value table in the file */
    uint32_t metric;
    hsc_db_table table;
    uint64_t rows;
    uint32_t columns;
} hsc_store_written;

struct hsc_store {
    char *path, *temporary;
    bool created; /* the temporary file is there */
    struct stat *made; /* commit tells what it became; NULL */
    hid_t before; /* hsc_store_set_before; < 0: none */
    bool *is_bad_before; /* told at the end; NULL */
    hid_t file, metrics, table_groups[HSC_TAB_COUNT];
    hsc_out *out;
    hsc_h5_written last_write;
    hsc_tables tables;
    void *kept[HSC_COL_COUNT]; /* columns of numbers */
    char **metric_units;       /* of the metric table's rows; their scales are kept */
    bool have[HSC_COL_COUNT], table_begun[HSC_TAB_COUNT];
    uint64_t *pool_offsets, n_pool, pool_rows_capacity, pool_capacity;
    char *pool;
    hsc_store_source *sources;
    uint64_t n_sources;
    hsc_store_values values;
    hsc_store_written *written;
    uint32_t n_written;
    hsc_out_stream *column; /* being put in parts; NULL */
    enum hsc_column_id column_id;
    uint64_t column_rows;
    struct hsc_store_times *times; /* being put; NULL */
    struct hsc_store_counts *counts; /* being put; NULL */
    uint64_t pyramid_min; /* HSC_PYRAMID_MIN; tests make it small */
    uint32_t tiles_min;   /* HSC_TILES_MIN; tests make it small */
    uint64_t part_max;    /* values of a part that are held; tests make it small */
    uint64_t program_min; /* HSC_PROGRAM_MIN; tests make it small */
    uint32_t program_threads; /* HSC_PROGRAM_THREADS; tests make it small */
    uint64_t own_samples; /* HSC_OWN_SAMPLES; tests make it small */
    uint32_t own_bins;     /* HSC_OWN_BINS; the same */
    uint32_t slices_worth; /* HSC_SLICES_WORTH; tests make it large */
    uint64_t expected;    /* values of a table, about; 0: not told */
    uint64_t bands_min;   /* HSC_BANDS_MIN; tests make it small */
    uint32_t band_unit;   /* HSC_BAND_UNIT; tests make it small */
    uint32_t band_values; /* HSC_BAND_VALUES; tests make it small */
};

/* store_totals.c: statistics and pyramids of a value table, from its rows in their order. */
typedef struct hsc_totals hsc_totals;
/* nnz: of the table; UINT64_MAX: not known yet. */
hsc_status hsc_totals_new(hsc_store *s, bool pyramids, uint64_t nnz, hsc_totals **out, hsc_err *err);
/* All values of the first `threads` threads, which are in `processes` processes, are those of the database before: only the others count. Not with pyramids. */
hsc_status hsc_totals_keep(hsc_totals *t, uint32_t threads, uint32_t processes, hsc_err *err);
bool hsc_totals_has_processes(const hsc_store *s); /* statistics by process are not those by thread */
/* store_values.c: a path in the value table's group of the file. */
void hsc_store_values_path(const hsc_store_values *v, const char *what, char *path, size_t size);
/* The next row: all of the first band, then all of the next. */
hsc_status hsc_totals_put(hsc_totals *t, const uint32_t *columns, const uint32_t *counts, uint64_t n, hsc_err *err);
/* Writes them into the table's group; the pyramids where `pyramids`. */
hsc_status hsc_totals_write(hsc_totals *t, bool pyramids, hsc_err *err);
void hsc_totals_free(hsc_totals *t);
/* store_values.c: the attributes of a sparse group; where there are bands (else NULL), of so many rows in each of them. */
hsc_status hsc_store_sparse_group(hsc_store *s, hid_t parent, const char *name, uint64_t rows, uint32_t columns, const char *row_axis,
                                  const char *column_axis, const char *description, const uint32_t *band_begin, hid_t *group, hsc_err *err);
hsc_status hsc_store_values_memory(hsc_store *s, hsc_err *err);
hsc_status hsc_store_keep_units(hsc_store *s, const char *const *units, uint64_t n, hsc_err *err);
/* Notes of numbers that are the open table's metric by its unit and scale. */
hsc_out_notes hsc_store_valued(const hsc_store *s, const char *description, hsc_effort effort);
hsc_status hsc_store_metric_group(hsc_store *s, uint32_t metric, hid_t *group, hsc_err *err);
hsc_status hsc_store_note_written(hsc_store *s, const hsc_store_written *what, hsc_err *err);
/* store.c: one without a file and without threads yet. */
hsc_status hsc_store_new(const char *path, hsc_store **out, hsc_err *err);

/* Units and scales of all values, which need the metric table; checks their sizes. */
hsc_status hsc_store_values_finish(hsc_store *s, hsc_err *err);
void hsc_store_values_clear(hsc_store *s);
void hsc_store_times_clear(hsc_store *s);
void hsc_store_counts_clear(hsc_store *s);

/* store_program.c: samples of all threads, put thread by thread, as one or two series in /time/layers. */
typedef struct hsc_store_program hsc_store_program;
hsc_status hsc_store_program_new(hsc_store *s, uint32_t end, uint64_t n_leaves, hsc_store_program **out, hsc_err *err);
/* The next thread: put in the order of time, in any pieces, and ended. */
hsc_status hsc_store_program_put(hsc_store_program *p, uint64_t n, const uint32_t *time, const uint32_t *leaf, const uint32_t *count,
                                 hsc_err *err);
hsc_status hsc_store_program_end_thread(hsc_store_program *p, hsc_err *err);
/* Of the first n threads, all that the database before has, whose samples begin at indptr: what it has of them is kept, or where others come into the same layer
 * put among these, but for those from *first on, which are put next. */
hsc_status hsc_store_program_keep(hsc_store_program *p, uint64_t n, const uint64_t *indptr, uint64_t *first, hsc_err *err);
/* Writes it into the group, where there are enough of them. */
hsc_status hsc_store_program_write(hsc_store_program *p, hid_t time, hsc_err *err);
void hsc_store_program_free(hsc_store_program *p);

#endif
