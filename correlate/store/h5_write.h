/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HEATSCOPE_STORE_H5_WRITE_H
#define HEATSCOPE_STORE_H5_WRITE_H

#include <hdf5.h>
#include <stdbool.h>

typedef struct hsc_h5_written { /* what was written last */
    const void *bytes;
    haddr_t offset;
    size_t n;
    int error; /* errno of the first write that failed, or read of what is copied; 0: none has */
    int before;          /* another file, whose bytes may be written without being read by the caller; the caller's */
    haddr_t from;        /* where in it */
    bool is_lost;        /* `error` is of reading it */
} hsc_h5_written;

/* What to hand to HDF5 in place of n bytes of `before` from `from` on, which the caller has set: the driver copies them. */
#define HSC_H5_COPIED(written) ((const void *)&(written)->from)

/* HDF5 does not tell where in the file a chunk went, but by searching all of them; this driver notes it. Else it does what HDF5's own for
 * POSIX files does, with the same bytes; but it holds some that follow each other and writes them together, and of a write that failed it tells only *last, and writes nothing
 * from then on: a file that HDF5 (1.10.8) knows to
 * have failed it cannot close, and that ends the program when it exits. So ask `error` before the file is used. Sets the driver of a file access list;
 * *last is the caller's, all 0 at first, who keeps it until the file is closed. < 0: failed. */
herr_t hsc_h5_write_use(hid_t access, hsc_h5_written *last);

#endif
