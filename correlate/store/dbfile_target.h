/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where elements go that are read from a data set: to memory as they are, narrowed, or handed on step by step. */
#ifndef HEATSCOPE_STORE_DBFILE_TARGET_H
#define HEATSCOPE_STORE_DBFILE_TARGET_H

#include "dbfile.h"

typedef struct hsc_target {
    char *to;
    bool narrow;    /* of 64 bits, kept in 32 */
    uint64_t high;  /* bits that were lost in that */
    uint64_t *step; /* narrow: room for a step that does not come by a place; made when it is needed, the caller's to free */
    hsc_dbfile_take take; /* gets each step, which is put to `to` in turn; NULL: they stay */
    void *ctx;
} hsc_target;

/* The elements of a step are there. */
hsc_status hsc_target_hand_on(const hsc_target *t, const char *step, uint64_t first, uint64_t n, hsc_err *err);
/* Elements that stand elsewhere, each looked at once: of a place nothing is believed. */
void hsc_target_put(hsc_target *t, const char *from, uint64_t bytes);
/* Room for the elements of a step: where they go, or beside. NULL: no memory. */
char *hsc_target_room(hsc_target *t, const hsc_set_info *info);
/* They stand in the room for them. */
void hsc_target_put_step(hsc_target *t, uint64_t bytes);

#endif
