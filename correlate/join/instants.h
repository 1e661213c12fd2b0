/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread's samples by time on their way through the spill file: in blocks, so that one takes 4 bytes as a rule. */
#ifndef HEATSCOPE_JOIN_INSTANTS_H
#define HEATSCOPE_JOIN_INSTANTS_H

#include "../store/spill.h"
#include "parcel.h"

typedef struct jinstant { /* a sample by time */
    uint32_t tick;
    uint32_t kind; /* while the file is read: JINSTANT_SPECIAL + row of specials, or row of the node * STATES + state; then as in jcount, or told by
                    * instant_kinds */
    uint32_t count;
} jinstant;
#define JINSTANT_SPECIAL 0x80000000u

enum { JINSTANTS_BLOCK = 512 }; /* at most, in one */

typedef struct jinstants { /* all zero: none */
    uint64_t count;
    hsc_spill_list bytes;
    jinstant *held; /* of the block under way */
    uint32_t n_held, room;
} jinstants;

/* At the end of the list; ticks rise, or are as they are. False: out of memory. */
bool hsc_instants_put(hsc_spill *s, jinstants *l, const jinstant *i);
/* n of one count. */
bool hsc_instants_put_some(hsc_spill *s, jinstants *l, const uint32_t *ticks, const uint32_t *kinds, size_t n, uint32_t count);
bool hsc_instants_flush(hsc_spill *s, jinstants *l); /* gives buffers back: nothing is put after it */
void hsc_instants_fini(jinstants *l);

typedef struct jinstants_reader { /* all zero but for list, which is flushed: at its begin */
    const jinstants *list;
    hsc_spill_cursor cursor;
    uint8_t *bytes;
    size_t at, n, room;
    uint32_t tick[JINSTANTS_BLOCK], kind[JINSTANTS_BLOCK], count[JINSTANTS_BLOCK];
    uint32_t same; /* count of all of the block, which is not in count then; 0: they differ */
} jinstants_reader;

/* The next block; *n: 0 at the end. HSC_E_IO, HSC_E_MEMORY. */
hsc_status hsc_instants_read(hsc_spill *s, jinstants_reader *r, size_t *n, hsc_err *err);
/* The same, but blocks that end before sample `to` of the list are passed by; *at: the sample of the list that the reader is at, then that which the block begins with. */
hsc_status hsc_instants_pass(hsc_spill *s, jinstants_reader *r, uint64_t to, uint64_t *at, size_t *n, hsc_err *err);
void hsc_instants_reader_fini(jinstants_reader *r);
/* Calls visit(ctx, i) for all in their order. */
hsc_status hsc_instants_each(hsc_spill *s, const jinstants *l, void (*visit)(void *ctx, const jinstant *i), void *ctx, hsc_err *err);
/* The same; what `change` made of them is the list from then on, flushed. */
hsc_status hsc_instants_change(hsc_spill *s, jinstants *l, void (*change)(void *ctx, jinstant *i), void *ctx, hsc_err *err);

/* For a later join, behind what the parcel has: the blocks of a list that is flushed, as they are or, with `rows` (n_rows of them, `each` keys to one), with its keys by other rows: rows[row] - 1
 * in place of row. False: a key whose row is in none, no memory, or the list can't be read. */
bool hsc_instants_save(hsc_spill *s, const jinstants *l, const uint32_t *rows, size_t n_rows, uint32_t each, parcel *a);
/* *l, flushed, from `size` bytes so saved, of so many samples. False: they are not such, or a key is not below `keys` or, of specials, below `specials`, or no memory; *l is to be freed. */
bool hsc_instants_load(hsc_spill *s, jinstants *l, const uint8_t *bytes, size_t size, uint64_t count, uint64_t keys, uint64_t specials);

#endif
