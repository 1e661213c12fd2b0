/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads data sets and attributes through HDF5, each checked before it is read: what dbfile.h offers, in this process.
 */
#ifndef HEATSCOPE_STORE_H5_H
#define HEATSCOPE_STORE_H5_H

#include "dbfile.h"

enum { HSC_H5_BATCH_BYTES = 1 << 20 }; /* of a step, but for chunks that are larger */

typedef struct hsc_h5 hsc_h5;

/* HDF5 is there from now on, in this process and those that it forks: nothing to do, but where it is loaded late (h5_late.c). */
hsc_status hsc_h5_load(hsc_err *err);

/* `file` is open for reading at `path`, which is for messages; it stays the caller's, and must stay open. */
hsc_status hsc_h5_open(const char *path, int file, hsc_h5 **out, hsc_err *err);
void hsc_h5_close(hsc_h5 *h);

bool hsc_h5_has(hsc_h5 *h, const char *name);
hsc_status hsc_h5_open_set(hsc_h5 *h, const char *name, hsc_column_type type, uint64_t expected_n, int *set,
                           hsc_set_info *info, hsc_err *err);
hsc_status hsc_h5_info(const hsc_h5 *h, int set, hsc_set_info *info, hsc_err *err);
void hsc_h5_close_set(hsc_h5 *h, int set);
hsc_status hsc_h5_read(hsc_h5 *h, int set, uint64_t first, uint64_t n, void *to, hsc_err *err); /* inside one step */
/* Pieces of `piece` elements by number, rising, one after the other to `to`; the set's last may be shorter. *bytes: of them all. */
hsc_status hsc_h5_read_pieces(hsc_h5 *h, int set, uint64_t piece, const uint64_t *numbers, uint32_t n, void *to, uint64_t *bytes, hsc_err *err);
hsc_status hsc_h5_text(hsc_h5 *h, const char *name, char **out, hsc_err *err);
hsc_status hsc_h5_numbers(hsc_h5 *h, const char *object, const char *name, unsigned n, double *out, hsc_err *err);

/* All of the above but hsc_h5_load, for a program that takes them out of a module. */
typedef struct hsc_h5_calls {
    __typeof__(hsc_h5_open) *open;
    __typeof__(hsc_h5_close) *close;
    __typeof__(hsc_h5_has) *has;
    __typeof__(hsc_h5_open_set) *open_set;
    __typeof__(hsc_h5_info) *info;
    __typeof__(hsc_h5_close_set) *close_set;
    __typeof__(hsc_h5_read) *read;
    __typeof__(hsc_h5_read_pieces) *read_pieces;
    __typeof__(hsc_h5_text) *text;
    __typeof__(hsc_h5_numbers) *numbers;
} hsc_h5_calls;

#endif
