/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ticks of many times of one process: those up to some seconds after the last one that was divided, by a multiplication. */
#ifndef HEATSCOPE_JOIN_TICKS_H
#define HEATSCOPE_JOIN_TICKS_H

#include "join_internal.h"

typedef struct jticks {
    const join *j;
    const jprocess *p;
    uint64_t base, tick, scale; /* time of that tick's begin; 2^64 / tick_ns, rounded up; 0: none yet */
} jticks;

__extension__ typedef unsigned __int128 jwide;

enum { JTICKS_NS_MAX = 1 << 20 }; /* of a tick that is multiplied by */

/* Ticks since the start of the run at a time of the process in ns: hsc_join_since_start / tick_ns. */
static inline uint64_t hsc_join_tick_of(jticks *k, uint64_t time) {
    /* Exact: rounding up adds less than 2^-64 of a tick for each ns, 2^-32 in so short a time; the next tick is 1 / tick_ns or more away. */
    if (time - k->base <= UINT32_MAX && k->scale)
        return k->tick + (uint64_t)((jwide)(time - k->base) * k->scale >> 64);
    uint64_t since = hsc_join_since_start(k->j, k->p, time), in_tick = since % k->j->tick_ns;
    k->tick = since / k->j->tick_ns;
    k->scale = 0;
    if (k->p->has_start && time >= k->p->start_ns && time - k->p->start_ns >= in_tick && since >= time - k->p->start_ns && since < UINT64_MAX / 2 &&
        k->j->tick_ns <= JTICKS_NS_MAX) {
        k->base = time - in_tick;
        k->scale = UINT64_MAX / k->j->tick_ns + 1;
    }
    return k->tick;
}

#endif
