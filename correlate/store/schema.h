/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* schema.def as tables, and the limits that writer and reader share. */
#ifndef HEATSCOPE_STORE_SCHEMA_H
#define HEATSCOPE_STORE_SCHEMA_H

#include "store.h"

#define HSC_FORMAT_NAME "heatscope"
#define HSC_DB_MAJOR 1
#define HSC_DB_MINOR 10

enum {
    HSC_CHUNK_ROWS = 16384,             /* elements of a chunk */
    HSC_SAMPLE_CHUNK_ROWS = 2048,       /* of samples by time, which are read a slice at a time */
    HSC_CHUNK_BYTES_MAX = 16384 * 256,  /* a string column of the longest strings */
    HSC_PLAIN_BYTES = 4096,             /* smaller data sets are stored unchunked */
    HSC_STRING_MAX = 255,               /* longer ones are in /strings, others may be */
    HSC_TEXT_MAX = 16384,               /* of an attribute */
    HSC_LEVELS_MAX = 12,                /* of a pyramid */
    HSC_LEVEL_FIRST = 16,               /* rows of a block of the finest level */
    HSC_LEVEL_FACTOR = 4,
    HSC_LEVEL_GAIN = 30,                /* tenths: a level is stored only when it has this many times fewer values */
    HSC_TILE_COLUMNS = 8,               /* threads, or processes, of a group of a tile */
    HSC_TILE_GAIN_FIRST = 40,           /* the first level of tiles that is stored has this many times fewer values than the table */
    HSC_TILE_GAIN = 20,                 /* each further one than that before */
    HSC_FINE_GAIN_FIRST = 25,           /* of blocks by process where there are tiles of them: than the table by thread */
    HSC_FINE_GAIN = 20,
    HSC_TILES_MIN = 64,                 /* threads, or processes, from which on there are tiles */
    HSC_BANDS_MAX = 16,                 /* of threads, in which rows are stored */
    HSC_BAND_UNIT = 16,                 /* threads of the smallest band but the last */
    HSC_BAND_FACTOR = 4,
    HSC_BAND_VALUES = 16                /* there are bands where a row has this many values or more on average */
};
#define HSC_ROWS_MAX ((uint64_t)1 << 28)       /* of a table */
#define HSC_THREADS_MAX ((uint64_t)1 << 24)
#define HSC_NNZ_MAX ((uint64_t)1 << 40)
#define HSC_COLUMN_BYTES_MAX ((uint64_t)1 << 30) /* of a column in memory */
#define HSC_STORE_PARTS 256u                 /* ranges in which a value table is turned round */
#define HSC_STORE_PART_MAX ((uint64_t)8 << 20) /* values of one that are held; more are divided further */
#define HSC_PROGRAM_MIN ((uint64_t)1 << 18)    /* samples by time from which on those of all threads are also kept in one order */
#define HSC_BANDS_MIN ((uint64_t)1 << 16)      /* values from which on there are bands: fewer are a few chunks */
#define HSC_PYRAMID_MIN ((uint64_t)1 << 21)    /* non-zeros from which on a pyramid is made: fewer are read at once */

typedef enum hsc_column_type {
    HSC_COLTYPE_U1,
    HSC_COLTYPE_U2,
    HSC_COLTYPE_U4,
    HSC_COLTYPE_U8,
    HSC_COLTYPE_I4,
    HSC_COLTYPE_F8,
    HSC_COLTYPE_S
} hsc_column_type;

enum hsc_table_id {
#define HSC_SCHEMA_TABLE(table, section, meaning) HSC_TAB_##table,
#include "schema.def"
    HSC_TAB_COUNT
};

typedef struct hsc_table_def {
    const char *name, *section, *path, *meaning; /* path: "/section/name" */
} hsc_table_def;

typedef struct hsc_column_def {
    enum hsc_table_id table;
    const char *name;
    hsc_column_type type;
    const char *unit, *references, *meaning;
} hsc_column_def;

typedef struct hsc_values_def {
    const char *name;
    enum hsc_table_id rows;
    const char *meaning;
} hsc_values_def;

#define HSC_VALUES_COUNT 9

extern const hsc_table_def hsc_schema_tables[HSC_TAB_COUNT];
extern const hsc_column_def hsc_schema_columns[HSC_COL_COUNT];
extern const hsc_values_def hsc_schema_values[HSC_VALUES_COUNT];

/* Bytes of an element in memory; 0 for S. */
unsigned hsc_schema_type_size(hsc_column_type type);

/* Table that a column refers to, HSC_TAB_COUNT if none. */
enum hsc_table_id hsc_schema_references(const hsc_column_def *c);

#endif
