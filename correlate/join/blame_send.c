/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What message passing left of a process for blame, to rank 0. */
#include <stdlib.h>
#include <string.h>

#include "blame.h"
#include "ranks.h"

void hsc_ranks_put_blame(const jprocess *p, parcel *a) {
    const jblame *b = p->blame;
    parcel_u64(a, b != NULL);
    if (!b)
        return;
    parcel_put(a, b, sizeof *b); /* what points is told apart */
    PARCEL_VEC(a, b->communicators);
    PARCEL_VEC(a, b->team);
    PARCEL_VEC(a, b->neighbours);
    for (size_t i = 0; i < b->tracks.n; i++)
        parcel_u64(a, b->tracks.p[i].thread);
}

void hsc_ranks_take_blame(jprocess *p, parcel *a) {
    jblame from, *b;
    if (!parcel_take_u64(a) || a->failed)
        return;
    parcel_take(a, &from, sizeof from);
    b = p->blame = malloc(sizeof *b);
    if (!b) {
        a->failed = true;
        return;
    }
    *b = from;
    b->communicator_rows = b->track_rows = b->operation_rows = (hsc_table){0};
    memset(&b->communicators, 0, sizeof b->communicators);
    memset(&b->team, 0, sizeof b->team);
    memset(&b->neighbours, 0, sizeof b->neighbours);
    memset(&b->tracks, 0, sizeof b->tracks);
    b->held = (hsc_spill_list){0};
    PARCEL_TAKE_VEC(a, b->communicators);
    for (uint32_t i = 0; i < b->communicators.n && !a->failed; i++) {
        uint32_t *at = hsc_table_at(&b->communicator_rows, b->communicators.p[i].id, 0);
        a->failed = !at;
        if (at)
            *at = i;
    }
    PARCEL_TAKE_VEC(a, b->team);
    PARCEL_TAKE_VEC(a, b->neighbours);
    for (size_t i = 0; i < from.tracks.n && !a->failed; i++)
        a->failed = !HSC_PUSH(b->tracks, (jtrack){.thread = parcel_take_u64(a)}) || a->failed;
}

hsc_spill_list *hsc_ranks_blame_list(jprocess *p, size_t n, uint32_t *item) {
    *item = n % 2 ? sizeof(jmoment) : sizeof(jmessage_event);
    if (p->blame && n == 2 * p->blame->tracks.n) {
        *item = sizeof(jheld);
        return &p->blame->held;
    }
    if (!p->blame || n / 2 >= p->blame->tracks.n)
        return NULL;
    jtrack *t = &p->blame->tracks.p[n / 2];
    return n % 2 ? &t->moments : &t->events;
}
