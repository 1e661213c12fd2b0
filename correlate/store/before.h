/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a database that is there has, for the one that takes its place. It is our own file, known by its facts: HDF5 reads it in this process. */
#ifndef HEATSCOPE_STORE_BEFORE_H
#define HEATSCOPE_STORE_BEFORE_H

#include <hdf5.h>

#include "schema.h"

/* Open to be read; < 0: it is not. Closed with H5Fclose. */
hid_t hsc_before_open(int fd);
/* Values [first, first + n) of a data set of numbers; false: it has not so many, or none. */
bool hsc_before_read(hid_t file, const char *path, hsc_column_type type, uint64_t first, uint64_t n, void *to);
/* How many values a data set has; UINT64_MAX: there is none. */
uint64_t hsc_before_count(hid_t file, const char *path);
/* Numbers of an attribute, `most` at most; returns how many it has, 0: none, or more than that. */
unsigned hsc_before_attribute(hid_t file, const char *path, const char *name, unsigned most, uint64_t *to);
/* The values of a row pointer of a sparse group from 0 to n, which rise to no more than what the group has; false: they do not. */
bool hsc_before_indptr(hid_t file, const char *group, uint64_t n, uint64_t *to);

#endif
