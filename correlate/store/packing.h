/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chunks of data sets on their way into a file: threads pack them while the caller makes the next ones. All calls of
 * HDF5 are the caller's, in an order that depends on what is put alone: a chunk is written when so many bytes stand
 * behind it. */
#ifndef HEATSCOPE_STORE_PACKING_H
#define HEATSCOPE_STORE_PACKING_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/err.h>

#include "out.h"

typedef struct hsc_packing hsc_packing;
typedef struct hsc_packing_set hsc_packing_set; /* a data set that chunks are put to */

/* path: of the file, for messages; borrowed. workers: threads that work, the caller among them; 0 as 1. NULL: no
 * memory. */
hsc_packing *hsc_packing_new(const char *path, unsigned workers);
void hsc_packing_free(hsc_packing *p); /* what is not written yet is dropped and its data sets closed; NULL: nothing */

struct hsc_packed_memo;
struct hsc_h5_written;
void hsc_packing_set_memo(hsc_packing *p, const struct hsc_packed_memo *memo); /* before chunks are put */
void hsc_packing_set_written(hsc_packing *p, struct hsc_h5_written *written); /* what the file's driver tells and is told; borrowed */

struct hsc_out_log;
/* Borrowed, before data sets are opened: these are the log's, and what is put goes there in place of a file. */
void hsc_packing_set_log(hsc_packing *p, struct hsc_out_log *log);

/* HSC_E_IO "PATH: cannot <what> <name>: <the system's reason, else HDF5's innermost>". written NULL: it is not asked. */
hsc_status hsc_packing_fail(const char *path, const char *what, const char *name, const struct hsc_h5_written *written, hsc_err *err);

/* Takes the open data set, of chunks of chunk_rows elements: it is closed when the caller has closed it here and its
 * last chunk is written. grows: its extent is set to what was put. effort: out.h. NULL: no memory, the
 * data set is closed. */
hsc_packing_set *hsc_packing_open(hsc_packing *p, hid_t set, size_t element, uint64_t chunk_rows, bool grows, hsc_effort effort);
void hsc_packing_close(hsc_packing_set *s);

/* The next `rows` elements of the data set, from malloc: a whole chunk, or less at the end. Takes `plain`, also on
 * failure. An error may be that of a chunk put before. */
hsc_status hsc_packing_put(hsc_packing *p, hsc_packing_set *s, uint8_t *plain, uint64_t rows, hsc_err *err);
/* The next chunk, a whole one, packed as the database that is there has its chunk `index`. *done false: it is not known there, and nothing is put. */
hsc_status hsc_packing_put_kept(hsc_packing *p, hsc_packing_set *s, uint64_t index, bool *done, hsc_err *err);
/* The next `rows` elements as another process has packed them, from malloc: a whole chunk, or less at the end. Takes `packed`, also on failure. */
hsc_status hsc_packing_put_packed(hsc_packing *p, hsc_packing_set *s, uint8_t *packed, size_t n, uint64_t rows, hsc_err *err);
hsc_status hsc_packing_drain(hsc_packing *p, hsc_err *err); /* writes all that was put */

#endif
