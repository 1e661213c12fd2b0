/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads whole chunks faster than H5Dread: as stored, unpacked by several threads. */
#ifndef HEATSCOPE_STORE_CHUNKS_H
#define HEATSCOPE_STORE_CHUNKS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Rows of a chunk, where the filters are shuffle (of more than one byte) and deflate in this order; else 0. */
uint64_t hsc_chunks_rows(hid_t set, unsigned element);

/* Elements [first, first + n) of a one-dimensional data set of `total`, as they are in the file; chunk_rows from above. *done:
 * false where `first` does not begin a chunk, or they are less than one or damaged: then H5Dread is the way, and gives the error. The caller
 * has checked chunk size, filters and claimed bytes. */
void hsc_chunks_read(hid_t set, uint64_t chunk_rows, uint64_t total, uint64_t first, uint64_t n, unsigned element, void *out,
                     bool *done);

#endif
