/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HEATSCOPE_STORE_H5_FILE_H
#define HEATSCOPE_STORE_H5_FILE_H

#include <hdf5.h>

#include "schema.h"

typedef struct hsc_h5_file {
    H5FD_t base; /* HDF5's part; must come first */
    int file;
    haddr_t eoa, eof;
} hsc_h5_file;

/* HDF5's own file access needs names; this one reads what is already open, so that a process that may open nothing can
 * use it. Sets the driver of a file access list. *f and the file in it are the caller's, who keeps them until the file
 * is closed. < 0: failed. */
herr_t hsc_h5_file_use(hid_t access, int file, hsc_h5_file *f);

/* How numbers of a column lie in memory; -1: they are none. */
hid_t hsc_h5_memory_type(hsc_column_type type);

/* Reads n bytes at `from`; beyond the end are zeros, as HDF5's own drivers have it. < 0: failed. */
herr_t hsc_h5_read_at(int file, haddr_t from, size_t n, void *to);

#endif
