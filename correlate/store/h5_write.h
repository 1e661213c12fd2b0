/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HEATSCOPE_STORE_H5_WRITE_H
#define HEATSCOPE_STORE_H5_WRITE_H

#include <hdf5.h>

typedef struct hsc_h5_written { /* what was written last */
    const void *bytes;
    haddr_t offset;
    size_t n;
    int error; /* errno of the first write that failed; 0: none has */
} hsc_h5_written;

/* HDF5 does not tell where in the file a chunk went, but by searching all of them; this driver notes it. Else it does what HDF5's own for
 * POSIX files does, with the same bytes; but of a write that failed it tells only *last, and writes nothing from then on: a file that HDF5 (1.10.8) knows to
 * have failed it cannot close, and that ends the program when it exits. So ask `error` before the file is used. Sets the driver of a file access list;
 * *last is the caller's, all 0 at first, who keeps it until the file is closed. < 0: failed. */
herr_t hsc_h5_write_use(hid_t access, hsc_h5_written *last);

#endif
