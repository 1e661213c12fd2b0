/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples by time as they are written: what store_times.c and store_keep.c share. */
#ifndef HEATSCOPE_STORE_STORE_TIMES_H
#define HEATSCOPE_STORE_STORE_TIMES_H

#include "store_bins.h"
#include "store_internal.h"
#include "tally.h"
#include "times.h"

enum { HSC_SAMPLE_DELTA, HSC_SAMPLE_LEAF, HSC_SAMPLE_COUNT, HSC_SAMPLE_SETS };
typedef struct hsc_store_slices {
    hid_t group;
    hsc_out_stream *indptr, *leaf, *sum;
    uint64_t values;
    hsc_tallied below; /* of the thread's slices of the level below since the last one */
    unsigned n_below;
} hsc_store_slices;

typedef struct hsc_store_times {
    hid_t group, samples_group, slices_group;
    uint32_t end;
    uint64_t threads, done, n_leaves; /* leaves: less than 2^32 */
    uint64_t *indptr, *ends;  /* by thread: where its samples begin and end; n + 1 begins */
    uint64_t *slice_indptr;   /* of slices, by thread */
    bool has_numbers;         /* some thread may have numbers of its own */
    uint64_t own_values, *own_indptr; /* rows of leaf by number, of all threads up to here; by thread */
    hsc_out_stream *own_leaf;
    uint32_t *number_of;      /* by leaf, of the thread under way; HSC_NONE: it has none */
    uint32_t *least;                 /* samples of the smallest slices, by thread */
    bool any_coarse;                 /* of some they are not the finest */
    hsc_leaf_facts *leaves;
    hsc_out_stream *samples[HSC_SAMPLE_SETS], *begin;
    hsc_store_program *program; /* NULL: one thread */
    hsc_store_slices slices[HSC_SLICE_LEVELS_MAX];
    hsc_store_bins *bins;
    hsc_tally by_leaf; /* of the slice under way */
    uint32_t *sums;    /* of a slice that is written */
    /* of the thread under way */
    bool is_begun, is_coarse, is_own;
    uint64_t n, all;    /* samples put, to be put */
    uint32_t *met, n_met, room_met; /* leaves by its numbers */
    uint32_t last_time; /* of these */
    hsc_words mark;     /* what more samples need behind the whole pieces that it has */
    struct hsc_store_keeping *before; /* NULL: nothing was asked of it */
} hsc_store_times;

extern const char *const hsc_store_slice_names[HSC_SLICE_LEVELS_MAX];
hsc_status hsc_store_times_memory(hsc_store *s, hsc_err *err);
/* A level's first slice: is_kept: its first slices are those of the database before. */
hsc_status hsc_store_open_slices(hsc_store *s, hsc_store_slices *l, unsigned level, bool is_kept, hsc_err *err);
/* What is in by_leaf becomes a slice, and a part of one of the next level. */
hsc_status hsc_store_end_slice(hsc_store *s, unsigned level, hsc_err *err);
/* The first sample whose time falls, below `last` at first, or is beyond the end, or whose leaf is not there; n: none. */
uint64_t hsc_store_first_bad(const hsc_store_times *t, uint32_t last, uint64_t n, const uint32_t *time, const uint32_t *leaf);
/* A thread has its n samples: the next one follows. */
void hsc_store_next_thread(hsc_store_times *t, uint64_t n);
/* Samples of the thread that is begun begin with a chunk. */
hsc_status hsc_store_begin_own(hsc_store_times *t, hsc_err *err);
/* The next number of the thread under way is this row of leaf; false: no memory. */
bool hsc_store_meet_leaf(hsc_store_times *t, uint32_t leaf);

/* store_keep.c: what the database before has; NULL: nothing was asked of it. */
void hsc_store_free_keeping(struct hsc_store_keeping *k);
/* What more samples of the thread under way need, as it is now, into t->mark; false: no memory. */
bool hsc_store_mark(hsc_store *s);

#endif
