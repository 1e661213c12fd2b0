/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of out.c that a log is written into a file with (out_log.c). */
#ifndef HEATSCOPE_STORE_OUT_INTERNAL_H
#define HEATSCOPE_STORE_OUT_INTERNAL_H

#include "out_log.h"
#include "packing.h"

typedef struct hsc_out_made { /* what many objects are made with, each when it is first asked for; 0: not yet */
    hid_t group, plain, chunks, shuffled; /* property lists; chunks, shuffled: of data sets in chunks, whose rows are set anew */
    hid_t scalar, text;                   /* text: its size is set anew */
} hsc_out_made;

struct hsc_out {
    const char *path;
    hsc_out_made made;
    hsc_packing *packing;
    hsc_out_log *log; /* NULL: into a file */
    const struct hsc_h5_written *written; /* NULL: none, as there is no file */
    hid_t before; /* < 0: none */
    bool bad_before;
};

/* An empty data set of n values; UINT64_MAX: it grows. chunk_rows 0: not in chunks. */
hsc_status hsc_out_make_set(hsc_out *o, hid_t group, const char *name, hsc_column_type type, unsigned string_size, uint64_t n,
                            uint64_t chunk_rows, hid_t *set, hsc_err *err);
/* All values of one that is not in chunks. name: for messages. */
hsc_status hsc_out_write_set(hsc_out *o, hid_t set, const char *name, hsc_column_type type, unsigned string_size, const void *values, uint64_t n,
                             hsc_err *err);
size_t hsc_out_number_size(hsc_number type);

#endif
