/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads whole chunked data sets faster than H5Dread: chunks as stored, unpacked by several threads. */
#ifndef HEATSCOPE_STORE_CHUNKS_H
#define HEATSCOPE_STORE_CHUNKS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* All n elements of a one-dimensional data set, as they are in the file. *done: false where the set is not stored as
 * shuffle + deflate chunks, is small or damaged: then H5Dread is the way, and gives the error. The caller has checked
 * chunk size, filters and claimed bytes. */
void hsc_chunks_read(hid_t set, uint64_t n, unsigned element, void *out, bool *done);

#endif
