/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of an open database and the checked way to its data sets. */
#ifndef HEATSCOPE_STORE_DB_H
#define HEATSCOPE_STORE_DB_H

#include <stdio.h>

#include "check.h"
#include "dbfile.h"
#include "ends.h"
#include "large.h"
#include "spare.h"

/* A one-dimensional data set of numbers. Read by pieces or, when much of it is wanted,
 * once as a whole; wholes are given back oldest first when they exceed the database's budget. */
typedef struct hsc_array {
    int set;                /* of the reader; < 0: not open */
    hsc_column_type type;
    uint64_t n;
    void *whole;            /* all of it; NULL */
    bool may_be_narrow;     /* of 64 bits: kept in 32 where all fit */
    bool narrow;            /* the whole is */
    uint64_t used;          /* when it was last used */
    bool pinned;            /* never given back */
    bool passed;            /* was read from end to end once without being kept */
    uint64_t taken;         /* values that pictures took of it in pieces */
    struct hsc_array *next; /* of those with a whole */
    char name[72];
} hsc_array;

/* What was read last of an array that is not resident: several views of the same lines ask for it one after the other. */
typedef struct hsc_window {
    const hsc_array *of; /* NULL: none */
    uint64_t first, n, used, capacity; /* capacity: bytes */
    char *data;
} hsc_window;

enum { HSC_WINDOWS_MAX = 4, HSC_WINDOW_BYTES_LEAST = 64 << 10, HSC_WINDOW_BYTES_MAX = 2 << 20, HSC_SPARE_NNZ_MAX = 512 << 10 };

typedef struct hsc_sparse {
    bool present;
    uint64_t rows, columns, nnz;
    hsc_ends indptr;        /* rows + 1: in indptr_array, pinned; where there are several bands: made */
    uint64_t bands, *made;  /* columns are stored in so many bands, all rows of the first, then all of the next */
    hsc_ends stored;        /* rows * bands + 1: in indptr_array */
    hsc_array indptr_array, indices, data, max, sum;
    bool checked;           /* all indices are known to be good */
    char name[64];
} hsc_sparse;

typedef struct hsc_row_stats {
    bool present;
    hsc_array max, argmax, min, argmin, nonzero, squares;
} hsc_row_stats;

/* Pyramids of a value table: of each column of an axis (its number), and of groups of columns (with HSC_LEVELS_OF_TILES). */
enum { HSC_LEVELS_OF_TILES = 2, HSC_LEVEL_KINDS = 4 };

typedef struct hsc_level {
    uint64_t block; /* rows */
    hsc_sparse rows;
} hsc_level;

typedef struct hsc_values {
    bool looked, present, levels_looked[HSC_LEVEL_KINDS];
    uint64_t rows;
    hsc_sparse by_row, by_thread;
    hsc_array sum;
    hsc_row_stats stats[2];          /* by axis */
    hsc_level levels[HSC_LEVEL_KINDS][HSC_LEVELS_MAX]; /* rising blocks */
    unsigned n_levels[HSC_LEVEL_KINDS];
    char name[64];
} hsc_values;

typedef struct hsc_strings { /* texts of one column */
    char *bytes;       /* one after the other, each NUL-terminated; NULL: not loaded */
    uint32_t *offsets; /* all of them are below 2^31: a column has 1 GB at most */
    uint32_t *longs;   /* rows of the pool; NULL: none is there */
} hsc_strings;

typedef struct hsc_leaf_kinds { /* interval_contexts.c: categories that leaves are of */
    bool is_known;           /* else not looked at */
    bool is_in_order;        /* leaves stand in the order of their contexts */
    uint8_t category[UINT8_MAX + 1], place[UINT8_MAX + 1]; /* those that many leaves are of, n of them; by category: its place among these */
    uint32_t n;
    uint32_t *few;           /* leaves of all others */
    uint64_t n_few;
} hsc_leaf_kinds;

struct hsc_db {
    char *path;
    hsc_dbfile *file; /* read by a worker process */
    char *title, *command, *created;
    double cpu_s, wall_s;
    bool simulated;
    unsigned minor;                      /* of the file's format */
    hsc_tables tables;                   /* what is loaded */
    void *columns[HSC_COL_COUNT];        /* in the room */
    hsc_large_room room;
    hsc_strings strings[HSC_COL_COUNT];
    bool loaded[HSC_TAB_COUNT];
    uint64_t *pool_offsets, n_pool;
    char *pool;
    uint32_t *first_line, *line_rows;    /* by file */
    uint32_t *first_thread, *threads;    /* by process */
    uint32_t *process_node, *thread_node; /* nodes.c: by process, by thread */
    hsc_db_node *nodes;
    uint32_t n_nodes;
    uint32_t n_metrics;                  /* without those that are weights of others */
    bool identity_processes;             /* each process has one thread */
    hsc_array source_offset, source_bytes;
    hsc_values *values;                  /* metrics x HSC_VALUES_COUNT */
    uint64_t values_change;              /* how many times they were closed */
    /* tests make these small */
    uint64_t level_cost;                 /* what a value of a level costs against one of the rows; 0: levels wherever there are some */
    uint64_t block_nnz;                  /* values read at once, where not all stay in memory */
    uint64_t pass_nnz;                   /* the same of levels that are passed through */
    uint64_t budget;                     /* bytes of wholes */
    uint64_t window_least;               /* bytes from which on a window is kept */
    uint64_t piece_rows;                 /* of an interval: rows made at once */
    double marks_s;                      /* for how long marks are made at a time, or a step */
    uint64_t few_contexts;               /* leaves of a category are added one by one where there are so many contexts for each of them */
    uint64_t mark_least;                 /* samples between two marks (interval_marks.c) at least: fewer are read in a few milliseconds */
    hsc_array *wholes;
    hsc_window windows[HSC_WINDOWS_MAX];
    uint32_t *spare_indices;             /* room of the last cursor for `spare` values, for the next one: new memory costs more than to read into it */
    void *spare_scratch;
    uint64_t spare;
    uint64_t whole_bytes, clock;
    struct hsc_times *times;             /* opened when asked for */
    double *mean_excess;                 /* by metric, of the run; made when an interval is set */
    struct hsc_interval *interval;       /* NULL: the whole run */
    struct hsc_choosing *choosing;       /* interval_choose.c: the next one, under way; NULL */
    bool is_foreseen; /* hsc_interval_foresee, or an interval was begun */
    hsc_spares spares;                   /* room for the next interval's sums */
    struct hsc_marks *marks;             /* interval_marks.c; NULL: not begun */
    uint64_t ahead;                      /* whose pieces the reader has been asked for ahead: one more with each who asks */
    hsc_leaf_kinds leaf_kinds;           /* of the rows of /time/leaf */
    uint32_t leaf_metric;                /* the one that all rows of /time/leaf are of, once that was looked at; HSC_NONE: not known */
    bool later;                          /* hsc_db_set_later */
    bool gives_back;                     /* arrays of the run, before threads of an interval are counted */
    bool *direct_wanted;                 /* interval.c: by table of values: rows of it were asked for in an interval; NULL: nothing was counted yet */
    uint64_t passes;                     /* over all leaves of an interval so far, for a table; for tests */
    hsc_db_wait_pair *wait_pairs;        /* pairs.c: sorted by process and late; NULL: not asked for yet */
    uint32_t n_wait_pairs;
    uint32_t *introduced;               /* by context: how many scopes, from its own upwards, no context above it is in; made when asked for */
    uint64_t **context_sums;             /* by metric: exclusive sums of all contexts before a row; made when asked for */
};

/* An array of up to half of the budget is kept: the values of the lines of a million lines on ten thousand processors (42 MB)
 * just so; read by pieces they take twice the processor time. */
enum { HSC_DB_PIECE_ROWS = 1 << 14, HSC_DB_BUDGET = 100 << 20, HSC_DB_LEVEL_COST = 2, HSC_DB_BLOCK_NNZ = 1 << 21, HSC_DB_PASS_NNZ = 1 << 18, HSC_DB_MARK_LEAST = 1 << 19, HSC_DB_FEW_CONTEXTS = 64 };

/* Opens and checks: hard links only, type, one dimension, expected_n values (HSC_NNZ_MAX + 1: any), storage inside the
 * file, filters. HSC_E_MISSING when it is not there. */
hsc_status hsc_array_open(hsc_db *db, const char *name, hsc_column_type type, uint64_t expected_n, hsc_array *a,
                          hsc_err *err);
void hsc_array_close(hsc_db *db, hsc_array *a);

/* Values [first, first+n) in the array's own type. *out is in `a` or in `scratch` (n elements; where the array may be narrow it is needed
 * always); valid until the next read of any array. */
hsc_status hsc_array_get(hsc_db *db, hsc_array *a, uint64_t first, uint64_t n, void *scratch, const void **out,
                         hsc_err *err);

/* The same of several arrays, array k to to[k] (n elements of its type): what the file is to be asked for is asked for at once.
 * count <= HSC_PARTS_MAX. */
hsc_status hsc_array_get_many(hsc_db *db, hsc_array *const *arrays, void *const *to, uint32_t count, uint64_t first, uint64_t n, hsc_err *err);

/* The same of what is wanted once: it is not kept. */
hsc_status hsc_array_pass(hsc_db *db, hsc_array *a, uint64_t first, uint64_t n, void *scratch, const void **out, hsc_err *err);

/* Makes the whole resident where the budget has room for it. */
hsc_status hsc_array_keep(hsc_db *db, hsc_array *a, hsc_err *err);

hsc_ends hsc_array_ends(const hsc_array *a); /* that is whole */

void hsc_arrays_give_back(hsc_db *db); /* all that are not pinned */

bool hsc_db_has(const hsc_db *db, const char *name); /* an object behind hard links */

hsc_status hsc_db_load(hsc_db *db, enum hsc_table_id table, hsc_err *err);
/* The same by and by: one column of it, or, when all are there, looks at their values; db->loaded[table] then. */
hsc_status hsc_db_load_some(hsc_db *db, enum hsc_table_id table, hsc_err *err);
/* Loads the table where it is not yet, and checks the row. Loading changes nothing that can be seen. */
hsc_status hsc_db_want(const hsc_db *db, enum hsc_table_id table, uint32_t row, hsc_err *err);
const char *hsc_db_text(const hsc_db *db, enum hsc_column_id column, uint64_t row);

hsc_status hsc_nodes_find(hsc_db *db, hsc_err *err); /* nodes.c */
void hsc_nodes_free(hsc_db *db);

/* banded: may be stored in bands of columns. */
hsc_status hsc_sparse_open(hsc_db *db, const char *name, uint64_t rows, uint64_t columns, bool level, bool sums, bool banded,
                           hsc_sparse *m, hsc_err *err);
void hsc_sparse_close(hsc_db *db, hsc_sparse *m);

void hsc_values_close(hsc_db *db); /* all value tables that were opened */

/* interval_sums.c: the sums of a table in the interval, and all else of it, as if they had been read. HSC_E_MISSING: not known by time. */
hsc_status hsc_interval_sums(hsc_db *db, uint32_t metric, hsc_db_table table, hsc_values *v, hsc_err *err);
/* Makes all rows of v (by_row), and turns them round (by_thread). */
hsc_status hsc_interval_fill(hsc_db *db, hsc_values *v, hsc_err *err);
hsc_status hsc_interval_turn(hsc_db *db, hsc_values *v, hsc_err *err);
typedef struct hsc_interval_rows { /* rows [first, first + n) by thread; indptr[0] is 0 */
    uint64_t first, n, *indptr;
    uint32_t *indices, *counts;
} hsc_interval_rows;
/* Only rows [first, first + n) of v. */
bool hsc_interval_is_direct(hsc_db_table table); /* ranges of rows cost no more than what is in them */
hsc_status hsc_interval_read(hsc_db *db, const hsc_values *v, uint64_t first, uint64_t n, hsc_interval_rows *out, hsc_err *err);
void hsc_interval_rows_free(hsc_interval_rows *r);
void hsc_interval_close(hsc_db *db); /* to the whole run */
void hsc_interval_end(hsc_db *db);   /* and gives up the one under way */
hsc_status hsc_excess_of_run(hsc_db *db, hsc_err *err); /* values.c: mean_excess */
void hsc_times_close(hsc_db *db); /* time_read.c */
hsc_status hsc_db_number(hsc_db *db, const char *object, const char *name, double *out, hsc_err *err); /* an attribute */

#define HSC_COL(db, column, ctype) ((const ctype *)(db)->tables.columns[HSC_COL_##column])

#endif
