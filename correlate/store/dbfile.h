/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data sets and attributes of a database file, read in a process of its own.
 *
 * HDF5 crashes or hangs on some files with changed bytes. So all of it runs in a worker: a fork of this process that
 * has one open file and one socket, limits of memory and CPU time, and a system call filter (dbfile_worker.c). It hands
 * back bytes that were asked for and messages; nothing it says is believed beyond that. When it dies, the request ends
 * in an error, and the next request starts another one, READER_DEATHS_MAX times. HEATSCOPE_READER=direct reads in this
 * process: for debuggers, and where there may be no second process.
 *
 * One thread at a time. Names of objects are absolute paths; all parts must be hard links. */
#ifndef HEATSCOPE_STORE_DBFILE_H
#define HEATSCOPE_STORE_DBFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "schema.h"

typedef struct hsc_dbfile hsc_dbfile;

enum { HSC_SET_NAME_MAX = 256 };

typedef struct hsc_set_info {
    uint64_t n;    /* elements */
    uint32_t size; /* bytes of one, as it is read: in this machine's order; texts as they are */
    uint64_t step; /* elements that are read at once at most, between multiples of it; >= 1 */
} hsc_set_info;

/* Asked again and again while something is read, with what is done of it (bytes; whole 0: not known). false: the
 * request ends with HSC_E_CANCELLED. */
typedef bool (*hsc_dbfile_progress)(void *ctx, uint64_t done, uint64_t whole);
/* begin starts the worker, finish waits until it has opened the file; between them only close and set_progress may be called, after an error of
 * finish only close. HSC_E_IO: cannot open. HSC_E_FORMAT: no regular file, no HDF5 file, or a damaged one. */
hsc_status hsc_dbfile_begin(const char *path, hsc_dbfile_progress call, void *ctx, hsc_dbfile **out, hsc_err *err);
hsc_status hsc_dbfile_finish(hsc_dbfile *r, hsc_err *err);
void hsc_dbfile_close(hsc_dbfile *r); /* closes its data sets, too; NULL: nothing */

void hsc_dbfile_set_progress(hsc_dbfile *r, hsc_dbfile_progress call, void *ctx);
/* Asks it: HSC_E_CANCELLED where the answer is no. For long work between reads. */
hsc_status hsc_dbfile_go_on(hsc_dbfile *r, hsc_err *err);

bool hsc_dbfile_has(hsc_dbfile *r,
                    const char *name); /* true as well where that cannot be known: what follows says why */

/* Checks type, one dimension, number of values (expected_n > HSC_NNZ_MAX: any), filters, and that so many bytes are in
 * the file. *set is for the calls below. HSC_E_MISSING when it is not there. */
hsc_status hsc_dbfile_open_set(hsc_dbfile *r, const char *name, hsc_column_type type, uint64_t expected_n, int *set,
                               hsc_set_info *info, hsc_err *err);
void hsc_dbfile_close_set(hsc_dbfile *r, int set); /* < 0: nothing */
/* Sets that will be opened, counted or asked for by `has` soon, most in that order: asked for at once, so that neither side waits for the
 * other for each of them. Those of at most `bytes` come with their elements; 0: none is read, the number of elements is wanted. Names are
 * copied; what was asked for already is not asked for again. Changes nothing but time: without memory, beyond HSC_LOOKS_MAX at once, or where
 * the worker dies, each is asked for when it is opened. forget: of those that are left nothing is kept. */
enum { HSC_LOOKS_MAX = 512, HSC_LOOK_BYTES = 256 << 10 };
typedef struct hsc_look {
    char name[HSC_SET_NAME_MAX];
    hsc_column_type type;
} hsc_look;
void hsc_dbfile_look_ahead(hsc_dbfile *r, const hsc_look *looks, uint32_t n, uint64_t bytes); /* bytes <= HSC_LOOK_BYTES */
void hsc_dbfile_forget_looks(hsc_dbfile *r);
/* Number of elements. Errors as of open_set. */
hsc_status hsc_dbfile_count(hsc_dbfile *r, const char *name, hsc_column_type type, uint64_t *n, hsc_err *err);
/* Elements [first, first + n), which it has. */
hsc_status hsc_dbfile_read(hsc_dbfile *r, int set, uint64_t first, uint64_t n, void *to, hsc_err *err);
/* The same, handed on as they come: n of them from element `first` on, which are `take`'s until it returns. The worker unpacks the next ones
 * meanwhile. An error of `take` ends it, and is returned. */
typedef hsc_status (*hsc_dbfile_take)(void *ctx, const char *elements, uint64_t first, uint64_t n, hsc_err *err);
hsc_status hsc_dbfile_read_each(hsc_dbfile *r, int set, uint64_t first, uint64_t n, hsc_dbfile_take take, void *ctx, hsc_err *err);
/* Parts of several sets, all asked for before the first answer is taken where they are small: one wait instead of one for each. */
enum { HSC_PARTS_MAX = 16 };
typedef struct hsc_dbfile_part {
    int set;
    uint64_t first, n;
    void *to;
} hsc_dbfile_part;
hsc_status hsc_dbfile_read_many(hsc_dbfile *r, const hsc_dbfile_part *parts, uint32_t n, hsc_err *err); /* n <= HSC_PARTS_MAX */
/* How often the worker was asked after an answer of it: each is a wait for it to wake up and answer. For tests. */
uint64_t hsc_dbfile_waits(const hsc_dbfile *r);
/* To memory, of numbers of 64 bits, to as many of 32. *fits: all fit; else what is in `to` is of no use. */
hsc_status hsc_dbfile_read_narrow(hsc_dbfile *r, int set, uint64_t first, uint64_t n, uint32_t *to, bool *fits, hsc_err *err);

/* Pieces of a set: `piece` elements each, the set's last may have fewer; by number, rising. Asked for first, taken in that order
 * later (to: all of them, one after the other), so that the worker unpacks while the caller does something else. Other calls may come
 * in between. At most ASKED_MAX are asked for and not taken yet. drop: nobody takes those that are left. */
enum { HSC_PIECES_MAX = 512, HSC_PIECES_BYTES_MAX = 4 << 20, HSC_PIECES_ASKED_MAX = 16 };
hsc_status hsc_dbfile_ask_pieces(hsc_dbfile *r, int set, uint64_t piece, const uint64_t *numbers, uint32_t n, hsc_err *err);
hsc_status hsc_dbfile_take_pieces(hsc_dbfile *r, void *to, hsc_err *err);
void hsc_dbfile_drop_pieces(hsc_dbfile *r);

/* Text attribute of the root, repaired to UTF-8, malloc'ed; NULL where there is none. */
hsc_status hsc_dbfile_text(hsc_dbfile *r, const char *name, char **out, hsc_err *err);
/* Numeric attribute of n values of an object. HSC_E_MISSING where it is not there. */
hsc_status hsc_dbfile_numbers(hsc_dbfile *r, const char *object, const char *name, unsigned n, double *out,
                              hsc_err *err);

#endif
