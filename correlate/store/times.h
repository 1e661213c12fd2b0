/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples by time: how /time is laid out (docs/schema.md, section 6), for its writer and its readers. */
#ifndef HEATSCOPE_STORE_TIMES_H
#define HEATSCOPE_STORE_TIMES_H

#include <stdint.h>

#include "schema.h"

enum {
    HSC_SLICE_FIRST = 1024,     /* samples of a slice of the finest level */
    HSC_SLICE_FACTOR = 16,      /* of the next level */
    HSC_SLICE_LEVELS_MAX = 6,
    HSC_OWN_SAMPLES = 1 << 17,  /* a thread with so many has numbers of its own in place of rows of leaf, and begins with a chunk */
    HSC_OWN_BINS = 1 << 16,     /* bins of a level: the same */
    HSC_SLICES_WORTH = 4,       /* the finest slices of a thread have at most one value for so many samples, or there are none */
    HSC_PROGRAM_SLICE_FIRST = 65536, /* of all threads in one layer, until version 1.5: so many tell of most leaves that there are */
    HSC_LAYERS_MAX = 2,
    HSC_PROGRAM_THREADS = 16,   /* with no more, each is asked, in some 15 ms: not worth half of the file, and of the join */
    HSC_BIN_FACTOR = 4,         /* width of a bin of the next level */
    HSC_BIN_LEVELS_MAX = 16,
    HSC_BINS_ENOUGH = 256       /* in the run: no level beyond */
};

/* Levels of slices for a thread with so many samples as the one that has most; first: samples of the smallest. */
static inline unsigned hsc_slice_levels(uint64_t first, uint64_t most) {
    unsigned n = 0;
    for (uint64_t size = first; n < HSC_SLICE_LEVELS_MAX && most >= size; size *= HSC_SLICE_FACTOR)
        n++;
    return n;
}

static inline uint64_t hsc_slice_size(uint64_t first, unsigned level) {
    uint64_t size = first;
    while (level--)
        size *= HSC_SLICE_FACTOR;
    return size;
}

/* Rows of a chunk of samples. Where each of few threads is asked, it has more: a chunk's code costs as much as a thousand samples. */
static inline uint32_t hsc_sample_chunk_rows(uint64_t threads) {
    return threads <= HSC_PROGRAM_THREADS ? HSC_CHUNK_ROWS : HSC_SAMPLE_CHUNK_ROWS;
}

/* Threads in the first layer of the samples of all threads: their number cut to its highest four binary digits. The others are the second layer, so threads
 * that are added change as a rule that one alone. */
static inline uint64_t hsc_layer_threads(uint64_t threads) {
    unsigned shift = 0;
    while (threads >> shift >= 16)
        shift++;
    return threads >> shift << shift;
}

/* Samples of the smallest slices of a layer, and rows of a chunk of it: small, as two layers are read for an interval, and what of a chunk lies beyond its ends is
 * unpacked for nothing. */
static inline uint32_t hsc_layer_slice_first(unsigned layer) { return layer ? 4096 : 32768; }
static inline uint32_t hsc_layer_chunk_rows(unsigned layer) { return layer ? 2048 : 8192; }

/* Levels of bins for a run of `end` ticks whose finest bins have `width` ticks. */
static inline unsigned hsc_bin_levels(uint64_t end, uint64_t width) {
    unsigned n = 1;
    for (uint64_t w = width; n < HSC_BIN_LEVELS_MAX && end / w >= HSC_BINS_ENOUGH; w *= HSC_BIN_FACTOR)
        n++;
    return n;
}

static inline uint64_t hsc_bin_width(uint64_t width, unsigned level) {
    while (level--)
        width *= HSC_BIN_FACTOR;
    return width;
}

#endif
