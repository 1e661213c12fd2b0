/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of exact tables in the interval that is set. */
#ifndef HEATSCOPE_STORE_WITHIN_H
#define HEATSCOPE_STORE_WITHIN_H

#include "db.h"

typedef enum hsc_within_of {
    HSC_WITHIN_MESSAGES,
    HSC_WITHIN_PAIRS,
    HSC_WITHIN_WAITS,
    HSC_WITHIN_VISITS,
    HSC_WITHIN_DELAYED,
    HSC_WITHIN_PLACES,
    HSC_WITHIN_COUNT,
    HSC_WITHIN_DELAYS = HSC_WITHIN_COUNT /* put together from delayed and places */
} hsc_within_of;

typedef struct hsc_within_bucket {
    uint32_t row;
    uint8_t quantity, bucket; /* quantity: of messages 0 size, 1 duration; else 0, but of visits 1: category, time in ns */
    uint64_t count;
} hsc_within_bucket;

typedef struct hsc_within { /* of an interval */
    bool made[HSC_WITHIN_COUNT + 1];
    void *columns[HSC_COL_COUNT];       /* in place of the run's: as they are */
    bool has_buckets[HSC_WITHIN_COUNT];
    hsc_within_bucket *buckets[HSC_WITHIN_COUNT]; /* sorted by row, quantity and bucket */
    uint64_t n_buckets[HSC_WITHIN_COUNT];
} hsc_within;

bool hsc_within_known(const hsc_db *db); /* the database has slices */
bool hsc_within_is_set(const hsc_db *db); /* and an interval is set */
/* Adds up the slices where that is not done yet; nothing while no interval is set, or without slices: all is of the run then. Cost: reads the times and rows of all slices, some 10 ns
 * each, and of the blocks with some in the interval all, 100 ns each. */
hsc_status hsc_within_want(const hsc_db *db, hsc_within_of of, hsc_err *err);
/* The column to read: of the interval where that is set and wanted, else of the run. */
const void *hsc_within_column(const hsc_db *db, enum hsc_column_id column);
/* Histogram of a row in the interval, where hsc_within_is_set: adds to out[of bucket]. Reads those of all rows when one is first asked for. */
hsc_status hsc_within_histogram(const hsc_db *db, hsc_within_of of, uint32_t row, unsigned quantity, uint64_t *out, unsigned n, hsc_err *err);
void hsc_within_free(hsc_within *w); /* NULL: nothing */

#define HSC_WITHIN(db, column, ctype) ((const ctype *)hsc_within_column((db), HSC_COL_##column))

#endif
