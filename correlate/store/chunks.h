/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads whole chunks faster than H5Dread: as stored, unpacked by several threads. */
#ifndef HEATSCOPE_STORE_CHUNKS_H
#define HEATSCOPE_STORE_CHUNKS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Rows of a chunk, where the filters are shuffle (of more than one byte) and deflate in this order; else 0. */
uint64_t hsc_chunks_rows(hid_t set, unsigned element);

/* Unpacked chunks of which parts were read, of all data sets of a file: what follows is often beside. All zero: empty. */
typedef struct hsc_chunk_cache {
    struct hsc_cached_chunk {
        hid_t set;
        uint64_t chunk, used;
        size_t bytes; /* 0: free */
        uint8_t *plain;
    } chunks[32];
    uint64_t clock;
    size_t bytes;
} hsc_chunk_cache;

void hsc_chunk_cache_drop(hsc_chunk_cache *c, hid_t set); /* those of a data set that is closed */

/* Elements [first, first + n) of a one-dimensional data set of `total`, as they are in the file; chunk_rows from above. *done:
 * false where they can't be read so, or are damaged: then H5Dread is the way, and gives the error. The caller
 * has checked chunk size, filters and claimed bytes. */
void hsc_chunks_read(hsc_chunk_cache *cache, hid_t set, uint64_t chunk_rows, uint64_t total, uint64_t first, uint64_t n, unsigned element,
                     void *out, bool *done);

/* Whole chunks by number, rising, one after the other. false as *done above. */
bool hsc_chunks_read_some(hid_t set, uint64_t chunk_rows, uint64_t total, const uint64_t *numbers, uint64_t n, unsigned element, void *out);

#endif
