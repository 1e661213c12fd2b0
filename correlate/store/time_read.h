/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* /time of an open database, for the queries of time_read.c, timeline.c and interval.c. */
#ifndef HEATSCOPE_STORE_TIME_READ_H
#define HEATSCOPE_STORE_TIME_READ_H

#include "db.h"
#include "times.h"

/* A data set of which pieces stay in memory, each as narrow as its largest value allows. */
typedef struct hsc_pieces {
    hsc_array a;
    unsigned shift; /* a piece has 1 << shift elements: a chunk */
    unsigned ahead; /* so many pieces behind one that is read are read with it */
    void **p;       /* by piece; NULL: not read */
    uint8_t *width; /* by piece: bytes of an element */
} hsc_pieces;

static inline uint32_t hsc_pieces_u4(const hsc_pieces *c, uint64_t i) {
    const void *p = c->p[i >> c->shift];
    uint64_t at = i & ((1u << c->shift) - 1);
    switch (c->width[i >> c->shift]) {
    case 1:
        return ((const uint8_t *)p)[at];
    case 2:
        return ((const uint16_t *)p)[at];
    default:
        return ((const uint32_t *)p)[at];
    }
}

static inline uint8_t hsc_pieces_u1(const hsc_pieces *c, uint64_t i) {
    return ((const uint8_t *)c->p[i >> c->shift])[i & ((1u << c->shift) - 1)];
}

typedef struct hsc_slice_level {
    uint64_t *rows;   /* by thread: its first slice; threads + 1 */
    hsc_array indptr; /* pinned */
    const uint64_t *begin;
    hsc_pieces leaf, sum;
} hsc_slice_level;

typedef struct hsc_bin_level {
    bool open;
    uint64_t width;
    uint64_t *indptr; /* by thread */
    uint32_t *first;
    hsc_pieces count, category, category_count, scope, scope_count, procedure, procedure_count;
} hsc_bin_level;

typedef struct hsc_times {
    bool present;
    bool opened;         /* all of it: what is not open yet is opened in steps */
    unsigned step;
    bool is_program;     /* samples of many threads as of one, "thread" 0; without bins */
    const char *root;    /* its group; of a program below /time */
    uint32_t first_slice, chunk_rows; /* samples of the smallest slices, rows of a chunk of samples and slices */
    uint64_t threads;
    struct hsc_times *program; /* of the run's own: the first layer of all threads; NULL: not opened, or not there */
    struct hsc_times *next;    /* of a layer: the next one; NULL: none */
    bool program_looked;
    double tick_s;
    uint64_t end, bin;
    uint64_t *indptr, *slice_indptr; /* by thread: samples, slices */
    uint64_t *ends;      /* by thread, of samples; NULL: where the next one's begin */
    uint64_t *own_indptr; /* by thread: of own_leaf, rows of leaf by its numbers; NULL: nobody has numbers */
    uint32_t *own_leaf;
    uint64_t samples;    /* of all threads */
    uint32_t *least;     /* by thread: samples of its smallest slices; NULL: of the finest */
    hsc_pieces delta, leaf, count, begin;
    hsc_slice_level slices[HSC_SLICE_LEVELS_MAX];
    hsc_bin_level bins[HSC_BIN_LEVELS_MAX];
    unsigned n_slices, n_bins;
    uint64_t held, budget; /* bytes of pieces */
} hsc_times;

/* db->times, read when first asked for; (*out)->present false: none. */
hsc_status hsc_times_open(hsc_db *db, hsc_times **out, hsc_err *err);
/* A part of that; *ready: it was the last. */
hsc_status hsc_times_open_some(hsc_db *db, bool *ready, hsc_err *err);
/* All of it, HSC_E_MISSING where there are none. Also gives back pieces when they are too many: none is valid any more. */
hsc_status hsc_times_begin(hsc_db *db, hsc_times **out, hsc_err *err);
/* What a sample can be: read for who looks at samples or intervals, not for the timeline, which has bins. */
hsc_status hsc_times_load_leaves(hsc_db *db, hsc_err *err);
/* A part of that, as hsc_db_load_some; *ready: all is there, or there are no times. */
hsc_status hsc_times_load_some_leaves(hsc_db *db, bool *ready, hsc_err *err);
/* Gives all pieces back. */
void hsc_times_give_back(hsc_times *t);
void hsc_times_give_back_program(hsc_times *t); /* only those of the samples of all threads */
/* The samples of all threads in layers, each as those of one, where the file has them (NULL: not); after hsc_times_begin. They are HSC_LAYERS_MAX at most. */
hsc_status hsc_times_program(hsc_db *db, hsc_times **out, hsc_err *err);
static inline uint64_t hsc_times_samples(const hsc_times *t, uint64_t thread) { return (t->ends ? t->ends[thread] : t->indptr[thread + 1]) - t->indptr[thread]; }
/* The row of leaf that a sample of the thread has as `number`; HSC_NONE: there is none. */
static inline uint32_t hsc_times_leaf(const hsc_times *t, uint64_t thread, uint32_t number) {
    uint64_t own = t->own_indptr ? t->own_indptr[thread + 1] - t->own_indptr[thread] : 0;
    return !own ? number : number < own ? t->own_leaf[t->own_indptr[thread] + number] : HSC_NONE;
}
uint64_t hsc_times_slice_size(const hsc_times *t, unsigned level);
/* The thread has slices of that size. */
static inline bool hsc_times_has_slices(const hsc_times *t, uint32_t thread, uint64_t size) { return !t->least || size >= t->least[thread]; }
hsc_status hsc_times_level(hsc_db *db, unsigned level, hsc_err *err); /* opens bins[level] */

/* Makes elements [first, first + n) readable. */
hsc_status hsc_pieces_need(hsc_db *db, hsc_pieces *c, uint64_t first, uint64_t n, hsc_err *err);

/* *slice: the first slice of the thread, counted from its own first, that begins at or after the tick; how many there are if none does. */
hsc_status hsc_times_slice(hsc_db *db, hsc_times *t, uint32_t thread, uint64_t tick, uint64_t *slice, hsc_err *err);

/* Number of the thread's first sample (from 0) at or after a time; its number of samples where there is none. */
hsc_status hsc_times_find(hsc_db *db, hsc_times *t, uint32_t thread, uint64_t tick, uint64_t *sample, hsc_err *err);
uint64_t hsc_times_tick(const hsc_times *t, double seconds); /* first tick not before; clamped */

#endif
