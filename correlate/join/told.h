/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What probes counted, what a program tells of itself (scopes, phases, counters), and what measuring cost: of a process,
 * while its file is read, and into the database. */
#ifndef HEATSCOPE_JOIN_TOLD_H
#define HEATSCOPE_JOIN_TOLD_H

#include "join_internal.h"

typedef struct jcost { /* what notes of probes took, and its 95 % interval */
    double ns, least_ns, most_ns;
} jcost;

typedef struct jblock { /* a scope with the stack of scopes round it, in one thread */
    uint64_t id;        /* in the stream; of the program's own scopes 0 */
    uint32_t parent;    /* row in the thread; HSC_NO_INDEX: outermost */
    bool user;          /* a scope that the program named */
    uint64_t number;    /* probe_place's number, or user_name's id */
    uint64_t visits, left, duration_ns, duration_min, duration_max;
    double squares;
    uint64_t exclusive[STATES];
    uint64_t *durations; /* JOIN_BUCKETS, of the pool; NULL: none */
    struct jslice *held; /* while the file is read: of a scope of the program's own, the slice that goes on; of the pool. NULL: none */
    uint64_t held_begin; /* ns */
    uint32_t site;       /* second reading: row of the process: where it is; HSC_NO_INDEX: of the program's own */
    uint32_t row;        /* told_emit.c: in the table of blocks */
    jcost exclusive_cost, cost; /* probed_cost.c: of its own time, and with blocks inside */
} jblock;

typedef struct jprobe_samples { /* whose innermost scope is a probe's: weights and sums of their squares */
    uint64_t number, time, program, program_squares, notes, notes_squares;
} jprobe_samples;

typedef struct jopen { /* a scope of the program's own that is open */
    uint32_t block;
    uint64_t begin, inner_ns;
} jopen;

typedef struct jtold_thread {
    uint64_t id, last_ns;
    HSC_VEC(jblock) blocks;
    hsc_table rows;      /* (id, 0), and (parent + 1, number + 1) of the program's own: row of blocks */
    HSC_VEC(jopen) open;
    uint64_t handler_ns, wrappers_ns, switches_ns, runs, median_ns, p90_ns, p99_ns, handler_time;
    uint64_t probe_ns, unmatched, missed, probe_time;
    uint64_t rate_changes, periods, periods_max;
    HSC_VEC(jprobe_samples) sampled; /* while the file is read */
    hsc_table sampled_rows;          /* (number, 0): row of it */
} jtold_thread;

typedef struct jprobe_place {
    uint64_t number, tag;
    uint32_t kind, flags, line;
    const char *name, *file;
    uint64_t disarmed; /* when it was first disarmed while the program ran; 0: never */
    uint32_t row;      /* told_emit.c */
} jprobe_place;

typedef struct juser_name {
    uint64_t id;
    const char *name;
} juser_name;

typedef struct jtold_mark { /* a phase that begins, or a value of a counter */
    uint64_t time, name, thread;
    double value;
} jtold_mark;

typedef struct jnote { /* what the tool did to the run, or its runtime said */
    uint64_t time, thread, value; /* thread 0: of the process */
    uint32_t kind;                /* as schema.def has it */
    const char *text;
} jnote;
enum { JNOTE_SAID, JNOTE_RATE, JNOTE_SOURCE, JNOTE_MEASURING, JNOTE_EVENTS };

typedef struct jtold {
    HSC_VEC(jtold_thread) threads;
    HSC_VEC(jprobe_place) places;
    HSC_VEC(juser_name) names;
    HSC_VEC(jtold_mark) phases, values;
    HSC_VEC(jnote) notes;
    double pair_ns, inside_ns;
    uint64_t interrupt_ns, interrupt_measured, interrupt_least_ns, interrupt_most_ns, switches_least, switches_most, helper_ns, start_ns, end_ns;
    size_t last; /* row of threads that was asked for last */
} jtold;

/* told_read.c: takes a record; true also for those of no interest here; false: no memory. */
bool hsc_join_take_told(jprocess *p, const hsc_record *rec);
/* After the last record: what is open ends. */
bool hsc_join_end_told(jprocess *p); /* false: no memory */
/* probed_cost.c: what notes took of the time of all blocks of a thread; elapsed: of a CPU second, with the time in line for a processor. false: no memory. */
bool hsc_join_weigh_probes(const jtold *told, double period_ns, double elapsed, jtold_thread *t);
void hsc_join_free_told(jprocess *p);
bool hsc_join_told_has_visits(const jtold_thread *t); /* of probes or scopes of its own; t NULL: no */
bool hsc_join_told_has_moments(const jtold *t);       /* phases or counters; t NULL: no */
bool hsc_join_told_has_texts(const jtold *t); /* whether it points into the pool of the process */
const jtold_thread *hsc_join_told_thread(const jprocess *p, uint64_t id); /* NULL: none */

#endif
