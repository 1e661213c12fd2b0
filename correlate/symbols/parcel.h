/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes that one rank of a join sends to another, or keeps for a later join: of the same program on the same kind of machine. */
#ifndef HEATSCOPE_CORRELATE_PARCEL_H
#define HEATSCOPE_CORRELATE_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool.h"

typedef struct parcel { /* all zero: empty */
    uint8_t *p;
    size_t n, cap;
    size_t at;   /* of the next byte to take */
    bool failed; /* out of memory, or taken past its end; everything after that does nothing */
} parcel;

void parcel_put(parcel *a, const void *bytes, size_t n);
void parcel_text(parcel *a, const char *text);
void parcel_u64(parcel *a, uint64_t value);
/* Zeroes where the parcel has no more. */
void parcel_take(parcel *a, void *bytes, size_t n);
uint64_t parcel_take_u64(parcel *a);
const char *parcel_take_text(parcel *a, hsc_pool *pool); /* interned; never NULL */
void parcel_fini(parcel *a);

/* Growable arrays of things without pointers. The taker's array is empty; for no item it gets no room either, as most lists of most processes have none. */
#define PARCEL_VEC(a, v)                                    \
    do {                                                    \
        parcel_u64((a), (v).n);                             \
        parcel_put((a), (v).p, (v).n * sizeof *(v).p);      \
    } while (0)
#define PARCEL_TAKE_VEC(a, v)                                                          \
    do {                                                                               \
        uint64_t n_ = parcel_take_u64(a);                                              \
        if ((a)->failed || n_ > ((a)->n - (a)->at) / sizeof *(v).p || (n_ && !HSC_RESERVE(v, n_ + 1))) \
            (a)->failed = true;                                                        \
        else if (((v).n = n_))                                                         \
            parcel_take((a), (v).p, n_ * sizeof *(v).p);                               \
    } while (0)

#endif
