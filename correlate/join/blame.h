/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who was waited for, and what it did meanwhile: the steps and what they hand on.
 *
 *   blame_take.c      while files are read: events of messages, and where each thread was at which time, to the spill
 *   blame_match.c     all ranks' events in the order of time: waits, each with the call that ended it; what the late one had waited for
 *                     threads of its own process is handed on as what it had waited for ranks, so that is found first
 *   blame_delay.c     waits -> delays: who came late where, how often, and what it did before
 *   blame_windows.c   who held a lock or came last to a barrier of threads, and what it did while others waited
 *   blame_neighbours.c  with whom a process exchanges in a topology
 *   blame_team.c      who took part in a region of OpenMP
 *   blame_threads.c   barriers of threads, from sums
 *   blame_counted.c   who waits for work, and what of all that counts as waiting of the program
 *   waited.c          samples in calls whose waiting part is known
 *   blame.c           delays -> seconds of others' waiting by place; rows and metrics
 */
#ifndef HEATSCOPE_JOIN_BLAME_H
#define HEATSCOPE_JOIN_BLAME_H

#include "join_internal.h"
#include "../store/spill.h"

#include <heatscope/formats/causes.h>

/* ---- what a file holds (blame_take.c) ---- */

typedef struct jmessage_event { /* one record message_event */
    uint64_t time, duration, begin; /* ns; begin: how long before `time` that was */
    uint64_t outside;               /* ns before `time` in which the thread did not let the library go on; 0: not long */
    uint64_t between;               /* ns of the duration that lay between calls that looked */
    uint64_t sequence, bytes;
    int32_t peer, tag;
    uint32_t communicator, operation, flags; /* ids */
    uint32_t frame; /* while the file is read: row of the node; HSC_NO_INDEX */
    uint32_t stands_for; /* 0: it has an event of its own accord; else it is one of so many short ones */
    uint32_t begun; /* as `frame`, of the call that began what this one completes; HSC_NO_INDEX: none, or not of this thread */
} jmessage_event;

typedef struct jmoment { /* time spent at a place, which ended at `time` or, of a sample, was seen then */
    uint64_t time, length; /* ns */
    uint32_t frame;        /* while the file is read: row of the node; HSC_NO_INDEX */
    float stands_for;      /* of an interval: times its length, with that of shorter ones that have no moment */
    uint8_t is_interval;
    uint8_t kind; /* of enum wait_kind; of samples: in a call of that kind, the frame is then the call's. JMOMENT_IN_CALL: not known yet in which. 0: in none */
} jmoment;
#define JMOMENT_IN_CALL 255u

typedef struct jheld { /* a wait for a lock that another thread held, or at a barrier of threads */
    uint64_t time, length; /* ns; time: when it ended */
    uint64_t stands_for;   /* ns: its own time and that of shorter ones without a record */
    uint32_t site, holder; /* rows of the process: where it was waited, where the lock was given back (barriers: HSC_NO_INDEX) */
    uint32_t kind;         /* of enum wait_kind */
    uint32_t threads;      /* of the OpenMP region's team; 0: not known */
    uint64_t region, master; /* number of that region, 0: none; id of the thread that forked it */
    uint64_t after;          /* ns, the last of them: the other one had ended it, and it was not running yet */
    uint64_t in_step;        /* ns before `time`: the team was in step then; 0: not known */
} jheld;

typedef struct jmember { /* of teams of OpenMP: from that region on, until the thread's next one */
    uint64_t region, until; /* numbers */
    uint64_t master, thread; /* ids */
    uint64_t number;
} jmember;

typedef struct jwaited { /* a call of message passing; ns by the process's clock */
    uint64_t begin, until, end; /* until: it waited up to there; begin: not at all */
    uint32_t context, line;     /* rows: from where */
    uint32_t stands_for, looks; /* stands_for: as of its event; looks: 1: several that only looked, one right after another */
} jwaited;

typedef struct jtrack { /* one thread */
    uint64_t thread; /* id */
    hsc_spill_list waited; /* jwaited, by their end: calls with an event of which it is known how long they waited, also such as stand for others */
    hsc_spill_list events, moments;
    hsc_spill_list stood; /* jstood, of a thread with events: once hsc_blame_threads is through, by their end */
} jtrack;

typedef struct jstood { /* a wait for another thread of the process */
    uint64_t begin, end;
    uint32_t delay, among; /* among: so many delays share it, each with such a wait */
} jstood;

typedef struct jcommunicator {
    uint64_t id, key;
    uint32_t kind, rank, size;
} jcommunicator;

enum neighbour_side { SOURCE, DESTINATION, ALL_TOLD }; /* ALL_TOLD: no rank, but that all of the communicator's are known */
typedef struct jneighbour {
    uint32_t communicator, side, rank; /* id; there */
} jneighbour;

typedef struct jblame {
    uint64_t clock, begin_ns; /* begin: of message passing */
    uint64_t not_recorded;    /* events */
    uint64_t wall_event;      /* id; 0: none */
    HSC_VEC(jcommunicator) communicators;
    HSC_VEC(jtrack) tracks;
    HSC_VEC(jmember) team;
    HSC_VEC(jneighbour) neighbours; /* once all is read, each once, by communicator and side */
    hsc_spill_list held; /* jheld */
    hsc_table communicator_rows, track_rows, operation_rows; /* by id; of operations: of the process */
} jblame;

const jcommunicator *hsc_blame_communicator(const jprocess *p, uint32_t id); /* NULL: not known */

/* ---- neighbours (blame_neighbours.c) ---- */

bool hsc_blame_take_neighbours(jblame *b, const hsc_rec_neighbours *r);
void hsc_blame_sort_neighbours(jblame *b); /* once all is read */
/* By rank; NULL: there are none. */
const jneighbour *hsc_blame_neighbours(const jprocess *p, uint32_t communicator, enum neighbour_side side, size_t *n);

/* ---- delays (blame_delay.c) ---- */

typedef struct jdelay_key {
    uint32_t kind, thread, context, line; /* of enum wait_cause; row; where it came late */
    bool brief; /* at a barrier of threads: waits without records of their own, whose cause is found in another way */
    bool idle;  /* who waited had nothing to do: blame_counted.c */
} jdelay_key;

typedef struct jdelay_sum {
    jdelay_key key;
    uint64_t waits;
    double wait_ns, indirect_ns; /* indirect: the late one had waited itself */
    double late_ns;              /* by which it came late by its own doing, where its windows were looked into */
    double windows, victims;     /* looked into: its own, and those of the ones that waited; weighted */
    double told_ns, told_of_others_ns; /* of these windows: in samples and waits */
    uint64_t last_window;        /* end of the last one of its own */
    double noise_ns2;            /* locks: variance of what samples tell of its windows, were they all computation */
    double stepped_ns;           /* barriers of threads: waits, of which is known since when the threads had been in step; weighted */
    double looked_ns, spanned_ns; /* locks: length of these windows; of the time that they are, which several may have waited at once */
    uint64_t spanned_until;
    double caused_ns;            /* blame.c: waiting that it is the cause of in the end */
} jdelay_sum;

typedef struct jflow { /* of `from`'s waiting: the late one had waited for `to` */
    uint32_t from, to;
    double ns;
} jflow;

typedef struct jpending { /* of a slice of time that goes on: blame_slices.c */
    uint64_t begin, end; /* ticks; end 0: nothing is held */
    double waits, ns, max_ns;
} jpending;

typedef struct jdoing { /* what a thread did */
    jspot spot;
    uint32_t kind;    /* of enum wait_kind: in that call; 0: in none that is timed */
    uint32_t column;  /* of that call in its line; 0: not known */
    bool idle;        /* in a call of message passing, without a sample there: it slept in it, or had no processor */
} jdoing;

/* The kind, and whether it was idle: what is added up apart. */
static inline uint32_t hsc_doing_kind(const jdoing *d) { return d->kind << 1 | d->idle; }

typedef struct jcell { /* time of a delay's late thread */
    uint32_t delay;
    jdoing doing;
    double ns;
    double waited_ns; /* of ns: in waits and calls, whose begin and end are known; the rest is drawn by samples */
    uint32_t id;     /* that slices of time know it by */
    double timed_ns; /* in slices */
    jpending held;
} jcell;

typedef struct jvictim {
    uint32_t delay, thread, context, line;
    uint32_t begun; /* row of the line where it had begun what it waited for; HSC_NO_INDEX: in that call */
    uint64_t waits;
    double wait_ns, max_ns;
    jpending held;
} jvictim;

typedef struct jpart { /* a part of a delay's row of places, which slices of time are made of */
    uint32_t delay, place; /* row of sums; row of delay_places */
    uint32_t cell;         /* id of the cell whose times are its own; HSC_NO_INDEX: the delay's waits' */
    double direct_ns, caused_ns, cell_ns;
} jpart;

typedef struct jwait_part { /* of the waits of a row of the process, what is of one victim */
    uint32_t wait, victim;
    double share, waits; /* of their time, and of their number */
} jwait_part;

typedef struct jdelays {
    HSC_VEC(jdelay_sum) sums;
    HSC_VEC(jvictim) victims;
    HSC_VEC(jflow) flows;
    HSC_VEC(jcell) cells;  /* of those who came late */
    HSC_VEC(jcell) others; /* of those who waited, by context and kind of call alone */
    hsc_table sum_rows, victim_rows, flow_rows, cell_rows, other_rows;
    hsc_table begun_rows; /* by line and where it was begun: part of the keys of victims */
    uint32_t begun_n;
    hsc_table call_rows; /* by instance, kind and column of what was done: part of the keys of cells */
    HSC_VEC(jpart) parts;  /* by delay */
    HSC_VEC(jwait_part) wait_parts; /* of the process under way */
    hsc_spill *spill;      /* NULL: no slices of time */
    hsc_spill_list slices; /* blame_slices.c, in the order of time */
    uint64_t slice_ticks;
    uint32_t victim; /* row of the last one added to */
    double period_ns; /* the longest of a sample */
    double drawn_ns, drawn_ns2; /* what samples stood for that were looked at, and its squares: more than a period each where the rate was lowered */
    /* for the ledger, by enum wait_cause and then by what no cause was found for */
    uint64_t calls, ended;
    double calls_ns, waited_ns;
    double setup_ns;   /* of calls_ns: in calls that make communicators or windows */
    double between_ns; /* of calls_ns: between calls that only looked */
    uint64_t of_kind[18];
    double kind_ns[18];
    uint64_t elsewhere, unclear; /* other clock; between groups, neighbours that are not known, order not sure */
    double elsewhere_ns, unclear_ns;
    uint64_t not_recorded;
} jdelays;

/* Rows; HSC_NO_INDEX: out of memory. */
uint32_t hsc_delay_of(jdelays *d, jdelay_key key);
bool hsc_delay_add_victim(jdelays *d, uint32_t delay, uint32_t thread, uint32_t context, uint32_t line, uint32_t begun, uint64_t waits,
                          double ns, double max_ns);
static inline void hsc_delay_drawn(jdelays *d, double ns) {
    d->drawn_ns += ns;
    d->drawn_ns2 += ns * ns;
}
bool hsc_delay_add_flow(jdelays *d, uint32_t from, uint32_t to, double ns);
/* tick: when it did that; HSC_DELAY_NO_TICK: not known. */
bool hsc_delay_add_cell(jdelays *d, uint32_t delay, const jdoing *doing, bool late, double ns, uint64_t tick);
#define HSC_DELAY_NO_TICK UINT64_MAX
/* The same of the late one, in a wait or call whose begin and end are known. */
bool hsc_delay_add_waited(jdelays *d, uint32_t delay, const jdoing *doing, double ns, uint64_t tick);

/* ---- slices of time (blame_slices.c) ---- */

/* What was added last to a victim, at that tick. */
bool hsc_delay_victim_at(jdelays *d, uint32_t victim, uint64_t tick, double waits, double ns, double max_ns);
bool hsc_delay_cell_at(jdelays *d, jcell *cell, uint64_t tick, double ns);
/* All to columns of the database, once rows are made: victim_row[row of victims] is a row of delayed. */
hsc_status hsc_delays_put_slices(join *j, jdelays *d, const uint32_t *victim_row, hsc_err *err);
void hsc_delays_free(jdelays *d);

bool hsc_blame_is_barrier(uint32_t wait_kind); /* of threads */

/* ---- what counts (blame_counted.c) ---- */

void hsc_blame_find_idle(join *j); /* jthread.idle */
/* Of a wait of this kind (enum wait_kind) of that thread. */
static inline bool hsc_blame_is_idle(const jthread *victim, uint32_t wait_kind) {
    return victim->idle && hsc_wait_may_be_for_work(wait_kind);
}
/* By context: code of the program is on its path. Owned by the caller; NULL: out of memory. */
bool *hsc_blame_own_paths(const join *j);
/* Once j->delays, j->delayed and j->delay_places are made: delays' for_work, and of places of_libraries and counted_s. false: out of memory. */
bool hsc_blame_count(join *j);
/* An event that is no side of a message and no part of an operation of several: the call is known, and what it followed. */
static inline bool hsc_blame_is_of_none(const jmessage_event *e) {
    return !(e->flags & (HSC_message_event_flag_SENT | HSC_message_event_flag_RECEIVED | HSC_message_event_flag_COLLECTIVE | HSC_message_event_flag_ONE_SIDED));
}
/* One that is in sums; others tell of short ones alone, which samples are laid by. */
static inline bool hsc_blame_is_counted(const jmessage_event *e) { return !e->stands_for || e->flags & HSC_message_event_flag_FOLLOWS; }
/* Context of the OpenMP region that a barrier at this site belongs to; HSC_NO_INDEX. */
uint32_t hsc_blame_region_of(const join *j, const jsite *site, uint32_t wait_kind);
jspot hsc_blame_spot(const join *j, uint32_t frame);
jdoing hsc_blame_doing(const join *j, const jmoment *m);
#define HSC_DOING_NOTHING ((jdoing){.spot = {HSC_NO_INDEX, HSC_NO_INDEX, HSC_NO_INDEX}}) /* the thread was nowhere */
/* A sample that was drawn in a wait, or in a call, that has a moment of its own: that begins at `begin` and is the first to end after the sample. */
static inline bool hsc_blame_is_within(const jmoment *sample, uint64_t begin) { return !sample->is_interval && sample->kind && sample->time >= begin; }
/* So many times what it took of a window is what it stands for. */
static inline double hsc_blame_times(const jmoment *m) { return m->is_interval && m->stands_for > 1 ? (double)m->stands_for : 1; }
void hsc_blame_team_sort(jblame *b); /* once all is read */
/* Rows of the process's threads that took part in that region, of so many, as far as they are known. */
void hsc_blame_team_of(const jprocess *p, uint64_t region, uint64_t master, uint32_t threads, bool *in_team);
/* apart[a * threads + b]: these threads (rows of the process's) were never in one team, by what is known; NULL: nothing is known, or out of memory (*ok false).
 * Owned by the caller. */
bool *hsc_blame_teams_apart(const jprocess *p, bool *ok);

/* Of [a, b) and [c, d). */
static inline uint64_t hsc_blame_overlap(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    uint64_t from = a > c ? a : c, to = b < d ? b : d;
    return to > from ? to - from : 0;
}

enum group_kind { UNKNOWN, ALL, FROM_ROOT, TO_ROOT, PREFIX, NEIGHBOURS, NEIGHBOURS_ALIKE }; /* who waits for whom in a collective operation; ALIKE: each gets all that is sent */
uint8_t hsc_blame_group_of(const char *name, uint32_t operation); /* operation: of enum operation_class */
hsc_status hsc_blame_match(join *j, jdelays *d, hsc_err *err);
/* The waits for locks and at barriers of one process that are known one by one, and its sums of waits for locks; its details are open. */
typedef struct jcovered { /* of a row of a process's waits: what has its cause */
    uint64_t waits;
    double ns;
} jcovered;

hsc_status hsc_blame_windows(join *j, jdelays *d, jprocess *p, jcovered *covered, hsc_err *err);
hsc_status hsc_blame_threads(join *j, jdelays *d, hsc_err *err);

#endif
