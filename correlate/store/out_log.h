/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What one process makes for a file that another one writes: the calls of out.h in their order, and the chunks of data sets, packed. Written from
 * the log, a file has the bytes that those calls would have given it there. Chunks wait in a file without a name. */
#ifndef HEATSCOPE_STORE_OUT_LOG_H
#define HEATSCOPE_STORE_OUT_LOG_H

#include "out.h"
#include "store.h"

typedef struct hsc_out_log hsc_out_log;

/* beside: the path next to which that file is; borrowed. NULL: no memory. */
hsc_out_log *hsc_out_log_new(const char *beside);
void hsc_out_log_free(hsc_out_log *l); /* NULL: nothing */

/* ---- the calls; groups and data sets have numbers of the log. Without memory the log fails, which hsc_out_log_send tells ---- */

hid_t hsc_out_log_group(hsc_out_log *l, hid_t parent, const char *name);
void hsc_out_log_text(hsc_out_log *l, hid_t object, const char *name, const char *text);
void hsc_out_log_numbers(hsc_out_log *l, hid_t object, const char *name, hsc_number type, const void *values, unsigned n);
hid_t hsc_out_log_set(hsc_out_log *l, hid_t group, const char *name, hsc_column_type type, unsigned string_size, uint64_t n, uint64_t chunk_rows);
void hsc_out_log_write(hsc_out_log *l, hid_t set, hsc_column_type type, unsigned string_size, const void *values, uint64_t n);
void hsc_out_log_hold(hsc_out_log *l, hid_t object);
void hsc_out_log_close(hsc_out_log *l, hid_t object);
/* Chunks are put to a data set from now on: its number among those. */
uint64_t hsc_out_log_open(hsc_out_log *l, hid_t set, size_t element, uint64_t chunk_rows, bool grows, hsc_effort effort);
void hsc_out_log_chunk(hsc_out_log *l, uint64_t number, uint64_t rows);
void hsc_out_log_end(hsc_out_log *l, uint64_t number);
/* The next chunk of all, in the order in which they were put. false: no memory. */
bool hsc_out_log_packed(hsc_out_log *l, const uint8_t *packed, size_t n);

/* ---- from one process to another ---- */

/* All of it, in pieces, once all chunks are packed; the log is empty after that. */
hsc_status hsc_out_log_send(hsc_out_log *l, hsc_store_give *give, void *ctx, hsc_err *err);
/* Writes what such pieces hold into groups of `root`, which the log closes. HSC_E_FORMAT where they are not those of a log. */
hsc_status hsc_out_write_log(hsc_out *o, hid_t root, hsc_store_take *take, void *ctx, hsc_err *err);

#endif
