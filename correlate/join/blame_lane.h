/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread that passes messages, while all of them are gone through in the order of time: its next event, and what it did lately. */
#ifndef HEATSCOPE_JOIN_BLAME_LANE_H
#define HEATSCOPE_JOIN_BLAME_LANE_H

#include "blame.h"

#define JLANE_RECENT 8u

typedef struct jspent { /* a call of a lane */
    uint64_t enter, leave;
    uint32_t frame;
    double idle_ns; /* while a window is looked into: of its part of that, what neither waits nor samples tell of */
} jspent;

typedef struct jlane { /* one thread that passes messages */
    jprocess *p;
    uint32_t member;
    jtrack *track;
    uint32_t row; /* of the thread */
    uint64_t offset, begin, last;
    hsc_spill_cursor events, moments, stood;
    jmessage_event next;
    jmoment ahead;
    jstood after; /* of its waits for threads of its process, the first that is not among `waits` yet */
    bool has_next, has_ahead, has_after, forgot; /* forgot: `seen` does not go back to the begin */
    uint32_t open; /* its last call; HSC_NO_INDEX */
    HSC_VEC(jmoment) seen;
    HSC_VEC(jstood) waits; /* for others, by their end */
    HSC_VEC(jspent) spent;  /* its last calls */
    HSC_VEC(jwaited) told; /* that are not in the track's list yet */
    uint64_t recent[JLANE_RECENT]; /* keys of its last communicators */
    struct {
        uint64_t a, b;
        uint8_t kind;
    } begun[JLANE_RECENT]; /* collective operations */
    unsigned recent_at, begun_at;
} jlane;

typedef struct jlanes { /* what all lanes share */
    join *j;
    jdelays *d;
    size_t moments_max, waits_max, told_max; /* that a lane keeps of each */
} jlanes;

hsc_status hsc_lane_next(const jlanes *m, jlane *l, hsc_err *err);
/* For how long the thread waited from a to b. */
uint64_t hsc_lane_waited(const jlane *l, uint64_t a, uint64_t b);
bool hsc_lane_add_wait(const jlanes *m, jlane *l, const jstood *w);
/* What the thread had waited for others of its process by then. */
hsc_status hsc_lane_look_at_threads(const jlanes *m, jlane *l, uint64_t until, hsc_err *err);
uint64_t hsc_lane_tick(const jlanes *m, const jlane *l, uint64_t time);
bool hsc_lane_add_spent(const jlanes *m, jlane *l, const jmessage_event *e);
/* Adds what the thread did from `from` to `to`, its waits apart, to the delay's cells; and for how long it did nothing: neither CPU
 * time nor a wait tells of that, so it stood in line for a processor. A window may have less of it than none, samples being drawn;
 * over many that levels out. With wall time such a thread has been found where it stood. */
hsc_status hsc_lane_look_into(const jlanes *m, uint32_t delay, jlane *l, uint64_t from, uint64_t to, bool late, double weight, hsc_err *err);

#endif
