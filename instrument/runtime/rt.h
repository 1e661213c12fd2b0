/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the parts of the runtime share. The runtime lives in other people's processes: files named *_ss.c call neither
 * libc (but for a written list, see tests/runtime) nor anything that locks against a signal handler. */
#ifndef HSC_RT_H
#define HSC_RT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/stream.h>

#include "basics.h"
#include "events.h"
#include "file.h"
#include "job.h"
#include "sys_x86_64.h"
#include "tree.h"
#include "unwind.h"

union ompt_data;
struct ompt_frame;

#define HSC_RT_DEPTH_MAX 2048u
#define HSC_RT_KEEP_TRUNCATED 64u /* frames kept of a path longer than the limit */
#define HSC_RT_RULE_CACHE 1024u
#define HSC_RT_TICK_NS 4000000ull      /* CPU timer that finds time spent in the kernel */
#define HSC_RT_OWN_BUCKETS 48u
#define HSC_RT_SLOW_TICKS 16u          /* between two ticks where nothing is missing */
#define HSC_RT_TRAP_PERF 6             /* si_code */
#define HSC_RT_THREAD_CLOCK 3 /* CLOCK_THREAD_CPUTIME_ID */
#define HSC_RT_PROGRESS_NS 50000000ull /* the helper's beat: a progress record at least every 100 ms */

/* What threads took, and measuring of it, in CPU time. */
typedef struct hsc_rt_cost {
    uint64_t cpu_ns;
    uint64_t handler_ns, signals_ns, wrappers_ns, probes_ns, switches_ns;
    uint64_t untold_ns; /* of switches: hsc_rt_thread */
    uint64_t looks_ns;  /* of wrappers, beside wrappers_ns: of calls that looked in vain */
} hsc_rt_cost;

/* ---- threads and samples ------------------------------------------------------------------------------------------------- */

enum {
    HSC_FRAME_EXACT = 1, /* these as node_flag */
    HSC_FRAME_TRUNCATED = 2,
    HSC_FRAME_SIGNAL = 4,
    HSC_FRAME_TASKS = 0x100 /* no frame: record task_node; pc: thread_id << 32 | node */
};

typedef struct hsc_rt_frame {
    uint64_t pc, sp, bp;
    uint64_t ra_slot, bp_slot; /* where pc and bp of the caller were read; bp_slot 0: bp is unchanged */
    uint32_t node, mapping_id;
    uint32_t flags;
    uint32_t uses_bp; /* the rule read bp or computed with it */
    uint64_t cfa_slot; /* where the caller's sp was read; 0: computed */
} hsc_rt_frame;

typedef struct hsc_rt_cached_rule {
    uint64_t pc;
    hsc_rt_rule rule;
    uint32_t mapping_id, generation;
} hsc_rt_cached_rule;

/* In the order of preference. */
enum hsc_rt_mechanism { HSC_RT_PERF_TRAP = 1, HSC_RT_PERF, HSC_RT_MONOTONIC, HSC_RT_CPU };

/* governor_ss.c: the thread's clocks and counts when it last looked */
typedef struct hsc_rt_governor {
    bool on, moved, was_moved, moved_early; /* moved: to the kernel's tick, since it switches so often; now, ever, and at the first look, with few switches since */
    uint32_t looks; /* 0, 1, or 2 and more */
    uint64_t time, cpu_ns, switches, forced, waiting_yields, runs, plain_cycles;
    uint64_t wall_ns;        /* that passed since cpu_ns */
    uint64_t wrapper_cycles; /* at the last look */
    double wrappers;         /* their share of the CPU time, of late */
    uint64_t over;           /* looks on end that found too high a cost */
    uint64_t calm_ns;        /* CPU time for which a higher rate would have kept to the budget */
    uint64_t few_ns;         /* moved: for which switches were few */
    uint64_t stays_until_ns; /* CPU time until which it is not moved, since ticks did not meet it */
    uint32_t crowded;        /* samples of late that left the program less than their own time */
    uint64_t turn_ns;        /* the shortest of them, from interrupt to return */
} hsc_rt_governor;

/* An event in a thread; 0 is CPU time. */
typedef struct hsc_rt_counter {
    void *page; /* the kernel's; keeps the event alive */
    uint32_t size;
    int fd; /* -1: closed */
    uint64_t head; /* of what the kernel has written */
    _Atomic uint64_t samples, lost;
    uint64_t enabled_ns, running_ns; /* of what was stopped */
} hsc_rt_counter;

/* The thread's clocks when credits were last given. */
typedef struct hsc_rt_seen {
    uint64_t user_ns, ticks_ns, switches, forced, faults; /* switches: all; forced: of these, others had the processor */
} hsc_rt_seen;

/* Whether the kernel's ticks meet the thread as often as it runs: they charge it with CPU time, too. */
#define HSC_RT_MET_NS 200000000ull /* of CPU time for each judgement: 50 ticks, of which 7 more or fewer are chance (one standard deviation) */
enum { HSC_RT_MET_UNKNOWN = -1, HSC_RT_MET_LEAST = 850 /* thousandths of the CPU time, that ticks charge of a thread that they meet as often as it runs, to within chance */ };

typedef struct hsc_rt_met {
    uint64_t cpu_ns, ticks_ns; /* where the time that is judged next begins */
    int32_t permille;          /* of its CPU time, charged by ticks, at the last judgement */
    uint32_t seldom;           /* judgements on end that found less than three quarters */
} hsc_rt_met;

/* A call that one of our wrappers saw. */
typedef struct hsc_rt_call {
    uint64_t called; /* the procedure's address; 0: not known, then the call is not noted */
    uint64_t region; /* OpenMP region */
    uint32_t node, state; /* of its caller */
} hsc_rt_call;

#define HSC_RT_CALLS 32u

/* credit_ss.c: of the calls since CPU time was last explained, a draw by the time that they may have used in the kernel. */
typedef struct hsc_rt_calls {
    uint64_t spent_ns; /* since the last one that was drawn */
    uint64_t steps;    /* of that time so far: each draws a call */
    uint64_t long_ones, switches; /* that may have slept; of the thread, meanwhile */
    uint64_t draw;     /* of the numbers that decide what is replaced */
    uint32_t kept;
    hsc_rt_call call[HSC_RT_CALLS];
} hsc_rt_calls;

/* The caller of a wrapper, whose frame pointer is kept (HSC_RT_HERE of here.h): its call path begins there. */
typedef struct hsc_rt_here {
    uint64_t pc, sp, bp;
    uint64_t caller; /* return address of a frame further out, where the path ends instead if it is met; 0: none */
} hsc_rt_here;

#define HSC_RT_SITES 64u
#define HSC_RT_SITE_CALLERS 5u

/* site.h */
typedef struct hsc_rt_site {
    _Alignas(64) hsc_rt_here at;
    uint64_t callers; /* of the return addresses at caller_at */
    uint16_t caller_at[HSC_RT_SITE_CALLERS]; /* words from at.sp on, + 1; 0: no more */
    bool by_bp;        /* the path is found by at.bp */
    bool brief_region; /* omp.c: it forked one, which was brief */
    uint32_t node, generation;
    uint32_t origin; /* of the task that it was called in */
} hsc_rt_site;

/* brief.h: brief waits of one site, of one kind, that are not in the thread's sums yet */
#define HSC_RT_BRIEF_NS 16384u
#define HSC_RT_BRIEF_BUCKETS 8u /* of those of hsc_rt_wait_sum */
typedef struct hsc_rt_brief {
    _Alignas(64) uint32_t node;
    uint16_t kind;
    bool held; /* by a known holder */
    uint32_t count, max_ns, total_ns;
    uint32_t room_ns; /* until one has a record of its own */
    union {
        uint64_t bytes;
        struct {
            uint32_t thread, node;
        } holder;
    };
    uint32_t bucket[HSC_RT_BRIEF_BUCKETS];
} hsc_rt_brief;

/* Of all of a thread. What such a call costs is measured now and then, and stands for the others. */
typedef struct hsc_rt_briefs {
    uint64_t used;  /* a bit for each site that has some */
    uint32_t turn;  /* calls since the last one whose cost was measured */
    uint32_t calls; /* whose cost is not charged yet */
    uint32_t cost_cycles; /* of the last one; 0: none so far */
    uint64_t entered;     /* cycles when the wait that is open was entered; 0: it is not measured */
} hsc_rt_briefs;

#define HSC_RT_WAIT_BUCKETS 36u
#define HSC_RT_WAIT_BUCKET_LOW 6u /* 64 ns; what is shorter counts there */
static inline uint32_t hsc_rt_wait_bucket(uint64_t ns) {
    uint32_t b = 63 - (uint32_t)__builtin_clzll(ns | 1ull << HSC_RT_WAIT_BUCKET_LOW) - HSC_RT_WAIT_BUCKET_LOW;
    return b < HSC_RT_WAIT_BUCKETS ? b : HSC_RT_WAIT_BUCKETS - 1;
}

#define HSC_RT_LOADS 4u

/* waits_ss.c: what has not been written yet of one (context, kind, holder) */
typedef struct hsc_rt_wait_sum {
    uint32_t node, kind, holder_thread, holder_node, count, next_dirty;
    uint64_t fork; /* of an OpenMP worker: where its region was forked, thread_id << 32 | node; 0: not known, or in none */
    bool dirty, open;
    uint64_t total_ns, max_ns, bytes, told_ns; /* told: of waits that ended, in records with `open` */
    uint64_t unrecorded_ns; /* of waits that ended since the last one that has a record of its own */
    uint32_t bucket[HSC_RT_WAIT_BUCKETS];
} hsc_rt_wait_sum;

typedef struct hsc_rt_waits {
    hsc_rt_wait_sum *entry; /* capacity of them, then 2 * capacity hash slots */
    uint32_t count, capacity;
    uint32_t dirty; /* list of entries to write, index + 1 */
    uint64_t told_ns;
    uint64_t unrecorded_ns; /* waited for locks with a holder since the last record of one such wait */
    uint64_t all_ns;        /* of all waits, as far as they have been summed up */
} hsc_rt_waits;

/* The wait that the thread is in. */
typedef struct hsc_rt_open {
    uint32_t kind, node; /* kind 0: none */
    uint32_t old_state;
    bool supposed; /* node is that of the last call from there */
    bool seen;     /* and callers of that were seen to be the same */
    hsc_rt_here at;
    uint64_t begin_ns, told_ns; /* told: of its duration, in records already */
    uint64_t begin_cycles;      /* of one that may turn out to be brief (brief.h); 0: it is none */
    uint64_t ended_ns;          /* when another thread ended it; 0: not known */
    uint64_t in_step_ns;        /* at a barrier of pthreads: when all were let go from it last; 0: not known */
    uint64_t called;            /* the procedure that waits; 0: not known */
} hsc_rt_open;
/* wall_ss.c: the helper's */
typedef struct hsc_rt_wall {
    uint64_t time, cpu_ns, waited_ns, runs; /* at the last look */
    int64_t busy_ns, blocked_ns;            /* not yet recorded */
    uint32_t node;                          /* where it was last seen waiting */
    uint64_t state, region;
} hsc_rt_wall;

/* task_ss.c: what the kernel has counted of a thread */
typedef struct hsc_rt_usage {
    uint64_t user_ns, system_ns, minor_faults, major_faults, voluntary, involuntary;
    uint64_t run_ns, waited_ns; /* on a processor, in line for one; both 0: the kernel does not tell */
    char name[16];              /* the kernel's, of the thread; "": not looked at */
} hsc_rt_usage;

/* Context switches of a thread up to a moment: that it made itself, that others forced on it (also by its own sched_yield), and its CPU time. */
typedef struct hsc_rt_switch_counts {
    uint64_t own, forced, cpu_ns;
} hsc_rt_switch_counts;

typedef struct hsc_rt_scopes hsc_rt_scopes; /* probes.h */

/* omp.c: of an OpenMP region, as one of its threads knows it */
typedef struct hsc_rt_team {
    uint64_t region; /* 0: none */
    uint32_t master, threads, number; /* thread_id of who forked it, 0: not known; how many; which of them the thread is, 0: who forked it */
    uint64_t in_step_ns; /* it was forked, or this thread was let go from a barrier in it, whichever was last; 0: not known */
} hsc_rt_team;

/* All of a team come there, or nobody goes on. */
static inline bool hsc_rt_wait_is_team(uint32_t kind) {
    return kind == HSC_wait_kind_OMP_BARRIER || kind == HSC_wait_kind_OMP_REGION_END || kind == HSC_wait_kind_OMP_REDUCTION;
}

/* The OpenMP task that a thread works on. */
typedef struct hsc_rt_tasks {
    uint64_t task, group; /* what it is known by, and the task group that it was created in; 0: none */
    uint32_t groups;      /* of its own that are open */
    uint32_t origin;      /* where it was created (origins_ss.c); 0: not known */
    uint64_t group_pc;    /* where it began the last of them; 0: not known */
    uint64_t frame, frame_return; /* of the procedure of ours (gomp.c) that calls its body, and the return address there; 0: none */
} hsc_rt_tasks;

/* origins_ss.c: what of a thread's stack belongs to the explicit task that it works on */
typedef struct hsc_rt_in_task {
    uint64_t frame;  /* the frame pointer of the procedure that called its body: what is further out belongs to others; 0: in none, or not known */
    uint32_t origin; /* where it was created */
} hsc_rt_in_task;
#define HSC_RT_ORIGINS_KEPT 64u
#define HSC_RT_MADE_WORDS 6u

/* A call in a task that created tasks or waited, and how the stack looked between it and the task's body. Places are told by how far they are below the frame of who
 * called that. */
typedef struct hsc_rt_made {
    uint64_t pc;
    uint32_t sp, bp;         /* bp 0: of no interest */
    uint32_t in, generation; /* in: origin of that task */
    uint32_t node, origin;   /* node 0: nothing is kept; origin: of tasks that it creates, 0: it has created none */
    uint32_t words;
    struct {
        uint64_t value; /* a return address; or a saved frame pointer's place */
        uint32_t at, is_place;
    } word[HSC_RT_MADE_WORDS];
} hsc_rt_made;

typedef struct hsc_rt_thread {
    /* written by the thread alone, read by the helper */
    _Atomic uint32_t busy; /* HSC_RT_BUSY: in the handler, or in normal code that owns the writer; HSC_RT_BUSY_HELPER */
    _Atomic uint32_t state;
    /* normal code that has the writer: its frame pointer (UINT64_MAX: nobody whose end could be found out) and its return address. Where the stack
     * pointer is above the frame, or another address stands there, a handler of the program has left it by a jump. */
    _Atomic uint64_t owner_frame, owner_return;
    uint64_t state_frame; /* of the outermost wrapper that set it, where its return address stands: above it, or where another one (state_return) stands there, that was left by a jump */
    struct hsc_rt_scopes *scopes; /* of probes; NULL: the thread has met none. These three: here, since wrappers need them with what stands above */
    void *messages;               /* of libheatscope-mpi.so; NULL: the thread has sent none */
    uint64_t messages_due;
    _Atomic uint64_t deferred; /* samples taken while the writer was busy */
    _Atomic uint64_t samples, lost, truncated, own_cycles, beats; /* samples to truncated: periods that they stand for; own: all that is ours */
    uint64_t state_return;                   /* 0: not told */
    uint64_t handler_cycles, wrapper_cycles; /* of own_cycles; the rest are probes' */
    /* as above: what each wait needs, on few lines of the processor's caches, which may be the program's */
    uint64_t last_time;
    uint64_t stack_low, stack_high;
    uint64_t clock_ns, clock_cycles; /* when the clock was last read for what may be brief, and the cycles then */
    uint64_t region;                 /* OpenMP region that it works in as a worker */
    hsc_rt_open open;
    hsc_rt_briefs briefs;
    hsc_rt_tasks tasks;
    uint32_t some_turn; /* parts since the last one that was measured (hsc_rt_some) */
    uint64_t vain_cycles;                    /* of wrappers of calls that looked in vain again and again: in none of these */
    uint64_t wrapper_rare_cycles;            /* of wrapper_cycles: what single ones took beyond HSC_RT_OWN_CYCLES_MAX */
    /* own_ss.c: when the thread's CPU clock was last read (cycles, 0: never), what it said, and what of it was the handler's: by normal code, by the handler */
    struct hsc_rt_look {
        uint64_t cycles, cpu_ns, handler_ns;
    } looked[2];
    uint32_t watched;      /* the next parts of our own code begin with reading it */
    uint64_t looks_cycles; /* what reading it took, which is not charged yet */
    _Atomic uint64_t records; /* samples themselves */
    _Atomic uint64_t lost_by_reason[8];
    uint64_t lost_told[8], losses_due_ns; /* helper_ss.c: what its records say so far; when it looks again. Under rt.lock */
    uint8_t *opening; /* a slot whose header is being written */
    uint32_t opening_bytes;
    int32_t tid;
    uint32_t thread_id;
    enum hsc_rt_mechanism mechanism;
    bool live, no_space;
    bool full, dry; /* full: no record of its own will find room any more; dry: its events are stopped for that */
    bool closing; /* its last records: no handler waits for them, so a slot may be made */
    hsc_chunk_writer chunk;
    bool has_chunk;
    uint32_t sequence;
    /* where samples come from */
    hsc_rt_counter counter[HSC_RT_EVENTS];
    int tick_timer, main_timer; /* -1: none */
    uint32_t periods;           /* that a sample stands for: the governor's */
    uint64_t tick_ns;
    uint8_t pace;               /* HSC_RT_PACE_*: how near ticks are */
    uint32_t full_ticks;        /* with nothing missing, since the last one with something */
    uint64_t checked_time;      /* CLOCK_MONOTONIC when that was last looked at without a tick */
    bool asleep;                /* measuring is off: no samples, no ticks */
    uint64_t asleep_cpu_ns;     /* CPU time when it fell asleep */
    _Atomic uint32_t main_timer_off;     /* timer-monotonic: disarmed while the thread waits (counts reasons) */
    uint32_t idle_expiries;
    uint64_t cpu_start_ns, cpu_seen_ns; /* CPU time at start, at the last tick */
    uint64_t samples_at_tick;
    int64_t carry_ns; /* CPU time not yet covered by samples */
    uint64_t first_ns, first_from_ns; /* perf: CPU time to the first sample, while the counter runs by that; and CPU time when it began */
    uint32_t first_tries; /* times that it came too late: the thread was in the kernel when it was due */
    int64_t ahead_ns; /* timer-cpu, until the first tick: of carry_ns, what the first period is shorter */
    bool drawn;       /* it was drawn: what has no sample at the end is lost, and told */
    hsc_rt_seen seen;
    hsc_rt_met met;
    uint64_t settled_time; /* CLOCK_MONOTONIC when carry_ns was last looked at */
    hsc_rt_wall wall;
    uint32_t last_node;    /* of the last sample of CPU time */
    uint64_t last_region, system_call_region; /* OpenMP regions that last_node and system_call were met in */
    uint64_t closed_cpu_ns; /* at its end: CPU time since it was first measured */
    hsc_rt_switch_counts switches_seen; /* context switches when they were last noted */
    _Atomic uint64_t yields;            /* calls that gave up the processor; the thread's own count */
    uint64_t yields_seen;               /* when switches were last noted */
    uint64_t switches_ns;               /* what those took so far */
    uint64_t turn_cycles;  /* of the handler's last run */
    uint32_t put_off;      /* expiries of timer-monotonic on end that found the writer taken */
    uint64_t plain_cycles; /* as handler_cycles, without what was hardly ours: preemption, first use of a table */
    uint32_t own_buckets[HSC_RT_OWN_BUCKETS]; /* handler's runs by cycles, a quarter of an octave each, from 64 on */
    uint32_t system_call;  /* node of the system call or page fault that the thread was last seen in; 0: none */
    uint64_t system_call_at; /* periods that samples and losses stood for then */
    bool system_call_truncated, system_call_faulted /* it was a page fault */, switching;
    int64_t fault_room_ns; /* credit_ss.c: what page faults may have taken that is told of none yet */
    hsc_rt_calls calls;
    hsc_rt_governor governor;
    /* stack */
    uint32_t generation; /* of the module set that frames belong to */
    uint32_t frames;     /* of the last sample, outermost first, in `stack`; 0: not reusable */
    uint64_t window_address; /* page copied from an address outside the stack; 0: none */
    hsc_rt_tree tree;
    uint64_t reported_samples, reported_own; /* helper's: at its last progress record */
    uint64_t reported_beats, helper_cpu_ns;
    uint64_t usage_due_ns, usage_every_ns; /* helper's: when it tells usage next */
    char name[16];                         /* as record thread_usage tells it */
    uint64_t run_ns, in_line_ns; /* of the last usage that had them */
    hsc_rt_usage usage_start, usage_asleep; /* when it was first measured (less what passed while it was asleep); when it fell asleep */
    bool omp; /* a thread that the OpenMP runtime knows */
    uint32_t lock_state; /* omp.c */
    bool lock_tried;     /* gomp.c: in a wrapper that times it */
    uint64_t lock_begin_ns;
    uint64_t walk_after; /* cycles: no walk before then for what may do without (waits.c) */
    uint64_t region_told; /* the last one in the chunk */
    hsc_rt_in_task in_task;       /* at its last walk, of which `stack` is */
    uint64_t start_pc;            /* of the procedure that it began in; 0: not known */
    struct hsc_rt_start *start;   /* threads.c; NULL: it was there before */
    bool whole;                   /* measured from its first instruction on, without a pause */
    uint64_t begun_ns, first_in_line_ns; /* when it began; how long it stood in line before, told at its end */
    hsc_rt_team team, team_told;  /* that it is in now, worker or not; the last one in a record */
    struct {
        hsc_rt_here at;
        uint64_t since_ns;
    } loads[HSC_RT_LOADS]; /* its last calls of dlopen that may go on, the outermost first: what initialises a library runs before its rules are known */
    _Atomic uint32_t loads_n;
    hsc_rt_made made[32]; /* origins_ss.c */
    struct {
        uint32_t node, origin; /* both 0: none */
    } origin_of[HSC_RT_ORIGINS_KEPT], node_of[HSC_RT_ORIGINS_KEPT]; /* origins_ss.c: by the node of a call that creates tasks; by origin */
    struct hsc_rt_thread *next; /* all threads, or the free list; under rt.lock */
    hsc_rt_cached_rule cache[HSC_RT_RULE_CACHE];
    uint8_t window[HSC_RT_PAGE];
    hsc_rt_scratch scratch;
    hsc_rt_frame stack[HSC_RT_DEPTH_MAX];
    hsc_rt_frame fresh[HSC_RT_DEPTH_MAX];
    hsc_rt_waits waits;
    hsc_rt_site sites[HSC_RT_SITES]; /* waits.c: where calls that were no real waits came from */
    hsc_rt_brief brief[HSC_RT_SITES]; /* by the same index */
    _Atomic uint64_t free_yields; /* of `yields`: outside of waits and calls of message passing */
    uint64_t free_yields_seen;    /* as yields_seen */
    uint64_t untold_ns;           /* what switches took that may be such yields and are not told: it is the program's loss where it would have yielded as often without us */
} hsc_rt_thread;

enum { HSC_RT_BUSY = 1, HSC_RT_BUSY_HELPER = 2 };

/* Walks the stack from a signal's context; returns the thread's leaf node, 0 when there is none; writes node records. */
uint32_t hsc_rt_walk(hsc_rt_thread *t, void *ucontext, uint64_t now_ns, bool *truncated);
/* The same from the caller of a wrapper; from normal code that owns the thread's writer (hsc_rt_own). */
uint32_t hsc_rt_walk_here(hsc_rt_thread *t, const hsc_rt_here *at, uint64_t now_ns, bool *truncated);
/* The node of a frame, by the address that it will be returned to, called by that of node `caller`, 0: by none; the thread's writer is owned. */
uint32_t hsc_rt_walk_alone(hsc_rt_thread *t, uint32_t caller, uint64_t pc, uint64_t now_ns);
/* That of a procedure, by its address, called by the frame of node `caller`. */
uint32_t hsc_rt_walk_called(hsc_rt_thread *t, uint32_t caller, uint64_t address, uint64_t now_ns);
/* Of another thread, which waits in the kernel, by the helper that owns its writer; bp may be HSC_RT_BP_UNKNOWN.
 * `exact`: pc is that of the frame, not a return address. */
#define HSC_RT_BP_UNKNOWN 1u
uint32_t hsc_rt_walk_blocked(hsc_rt_thread *t, const hsc_rt_here *at, bool exact, uint64_t now_ns, bool *truncated);
/* origins_ss.c. A place where tasks are created, by the node of the call that has just been walked to (hsc_rt_walk_here) by the thread that owns its writer.
 * 0: too many are known. */
uint32_t hsc_rt_origin_at(hsc_rt_thread *t, uint32_t node, uint64_t now_ns);
/* A call in a task that stands on the stack as one that was walked to before, whose node it has; NULL: it does not. hsc_rt_made_keep: it has just been walked to. */
const hsc_rt_made *hsc_rt_made_again(const hsc_rt_thread *t, const hsc_rt_here *at);
void hsc_rt_made_keep(hsc_rt_thread *t, const hsc_rt_here *at, uint32_t node, uint32_t origin);
#define HSC_RT_AGAIN_CYCLES 60u /* what that costs */
/* What a task costs beside the place where it is created: memory for what is known of it, its begin and end, and in LLVM's runtime what that does for a tool. Clocks round
 * that would be a good part of it (docs/costs.md, OpenMP tasks). */
#define HSC_RT_OMPT_TASK_CYCLES 240u
#define HSC_RT_GOMP_TASK_CYCLES 270u
uint32_t hsc_rt_origin_node(hsc_rt_thread *t, uint32_t origin, uint64_t now_ns); /* it as a node of the thread's tree, whose writer is owned; 0: no room */
hsc_rt_in_task hsc_rt_in_task_now(const hsc_rt_thread *t, uint64_t sp); /* of the calling thread, at a stack pointer */
void hsc_rt_origins_forget(void); /* child of fork */
/* The OpenMP region that what the thread does belongs to, where its path alone does not tell (its own stack has who forked it): that of a worker, and in an
 * explicit task, which another thread of the team may have created. */
static inline uint64_t hsc_rt_region_in(const hsc_rt_thread *t, uint32_t origin) {
    return origin ? t->team.region : t->region;
}
/* A record into the thread's own stream; false: no room (the caller counts the loss). */
bool hsc_rt_thread_put(hsc_rt_thread *t, uint32_t record_id, const void *record, uint64_t now_ns);
/* Stops the samples of a thread that does not write, from outside: as it would by itself when measuring is off. False: it writes. */
bool hsc_rt_lull(hsc_rt_thread *t);
bool hsc_rt_untrap(hsc_rt_thread *t, bool own, uint32_t why); /* the same: hsc_rt_source_untrap, and a record that says so; `own`: the calling thread's */
void hsc_rt_handler(int signal, siginfo_t *info, void *ucontext);
/* Which OpenMP region a worker's next record belongs to; who forked it is asked to say where that was. */
void hsc_rt_tell_region(hsc_rt_thread *t, uint64_t region, uint64_t now);
void hsc_rt_sample_end(hsc_rt_thread *t, uint64_t cpu_ns); /* what is still missing at the thread's end */

/* waits_ss.c: all for the owner of the thread's writer, but for help (helper; rt.lock is held) and clear */
hsc_rt_wait_sum *hsc_rt_waits_add(hsc_rt_thread *t, uint32_t node, uint32_t kind, uint64_t duration_ns, uint64_t told_ns, uint64_t bytes,
                      uint32_t holder_thread, uint32_t holder_node);
void hsc_rt_wait_over(hsc_rt_thread *t, uint64_t now_ns, uint64_t bytes, uint32_t holder_thread, uint32_t holder_node);
bool hsc_rt_waits_due(const hsc_rt_thread *t, uint64_t now_ns); /* sums are to be written */
/* The region is over though its thread does not know yet (its runtime tells it at the next region, or never): so is the wait for its end,
 * and the thread is idle since. Needs the writer, as the next one does. */
void hsc_rt_waits_end_region(hsc_rt_thread *t, uint64_t now);
void hsc_rt_waits_tell(hsc_rt_thread *t, uint64_t now_ns);
void hsc_rt_waits_help(hsc_rt_thread *t, uint64_t now_ns);
void hsc_rt_waits_clear(hsc_rt_thread *t); /* at its end, and in a child of fork */
/* Brief waits (brief.h): into the sums, and their cost into the wrappers'. */
void hsc_rt_briefs_sum(hsc_rt_thread *t);
void hsc_rt_brief_sum(hsc_rt_thread *t, hsc_rt_brief *b);

/* source_ss.c: where samples come from; all for the calling thread */
static inline bool hsc_rt_is_perf(enum hsc_rt_mechanism m) {
    return m == HSC_RT_PERF || m == HSC_RT_PERF_TRAP;
}
bool hsc_rt_source_probe(enum hsc_rt_mechanism m, int *error); /* does it work here? */
bool hsc_rt_is_our_trap(const siginfo_t *info); /* a SIGTRAP of one of our events */
void hsc_rt_source_drain(void); /* the calling thread's SIGTRAP that waits and is ours: the next program would get it */
/* The first sample of a thread (not of a process, whose CPU time is told where it has no sample) and after a pause comes after a drawn part of its
 * distance, so that a thread of any length has on average one sample for each period that it used. */
bool hsc_rt_source_start(hsc_rt_thread *t);
/* perf has sampled for the first time: whole distances from now on. False: it was due while the thread was in the kernel, and this is none; after a
 * few of such it goes on by whole distances all the same, as each try opens the event anew. */
bool hsc_rt_source_first(hsc_rt_thread *t);
/* From SIGTRAP to our signal, for good; by the thread itself (tid 0), or by who has its writer. */
void hsc_rt_source_untrap(hsc_rt_thread *t, int32_t tid);
void hsc_rt_source_stop(hsc_rt_thread *t);
void hsc_rt_source_pause(hsc_rt_thread *t, uint32_t reason);  /* timer-monotonic only: no signal while waiting */
void hsc_rt_source_resume(hsc_rt_thread *t, uint32_t reason);
void hsc_rt_source_rate(hsc_rt_thread *t, uint32_t periods); /* a sample every so many periods; right after a sample */
/* No more samples of CPU time, for good: a timer alone, now and then, by which what is lost is told. Other events come so seldom, too. */
void hsc_rt_source_dry(hsc_rt_thread *t);
/* From perf to a timer of the thread's CPU time, which costs nothing at context switches, and back. False: it can't be, or is so. The calling
 * thread; hsc_rt_source_rate has to follow. */
bool hsc_rt_source_to_timer(hsc_rt_thread *t);
bool hsc_rt_source_to_perf(hsc_rt_thread *t);
/* EVEN: tick_ns apart; SLOW: nothing is missing; NEAR: much is, so each of the kernel's ticks is looked at by itself. */
enum { HSC_RT_PACE_EVEN, HSC_RT_PACE_SLOW, HSC_RT_PACE_NEAR };
void hsc_rt_source_pace(hsc_rt_thread *t, uint8_t pace);
/* timer-monotonic: no sample could be taken, again and again; then the timer comes later and later, so that who has the writer gets on */
void hsc_rt_source_put_off(hsc_rt_thread *t);
void hsc_rt_source_on_time(hsc_rt_thread *t); /* a sample was taken: as before */
uint64_t hsc_rt_counter_taken(hsc_rt_counter *c); /* samples since the last call; 0 where there is but one event */
void hsc_rt_counter_times(const hsc_rt_counter *c, uint64_t *enabled_ns, uint64_t *running_ns);
/* Off and on: a thread stops and starts its own samples; another one makes it look (it gets a signal when it runs next). */
bool hsc_rt_source_sleep(hsc_rt_thread *t); /* false: it is asleep, or can't be woken */
void hsc_rt_source_wake(hsc_rt_thread *t);
void hsc_rt_source_rouse(const hsc_rt_thread *t);
const char *hsc_rt_mechanism_name(enum hsc_rt_mechanism m);
enum { HSC_RT_PAUSE_WAIT = 1, HSC_RT_PAUSE_IDLE = 2 };

/* credit_ss.c: CPU time that no sample tells of, in samples: for the place of the signal, for calls that were drawn, for the
 * system call or page fault that the thread was seen in of late, lost because our signal was blocked, lost because it can't be placed; and of the latter,
 * from before, what turned out to be no CPU time */
typedef struct hsc_rt_credit {
    uint64_t here, calls, system_call, blocked, unplaced, found;
} hsc_rt_credit;

void hsc_rt_credit_begin(hsc_rt_thread *t, uint64_t cpu_ns);
static inline bool hsc_rt_is_met(const hsc_rt_thread *t) {
    return t->met.permille >= HSC_RT_MET_LEAST;
}
void hsc_rt_credit_judge_anew(hsc_rt_thread *t); /* hsc_rt_met: from the last look on */
/* A wrapped call has returned after `ns` of wall time. The thread's writer is owned. */
void hsc_rt_credit_call(hsc_rt_thread *t, const hsc_rt_call *call, uint64_t ns);
/* Credits `n` periods to the calls drawn, by handing out shares one by one: calls put(t, call, periods); none are kept afterwards. */
void hsc_rt_credit_deal(hsc_rt_thread *t, uint64_t n, void (*put)(hsc_rt_thread *t, const hsc_rt_call *call, uint64_t periods));
int64_t hsc_rt_credit_missing(const hsc_rt_thread *t, uint64_t cpu_ns); /* nanoseconds that no sample tells of so far */
hsc_rt_credit hsc_rt_credit_tick(hsc_rt_thread *t, const void *ucontext, uint64_t cpu_ns);
hsc_rt_credit hsc_rt_credit_sample(hsc_rt_thread *t, uint64_t cpu_ns); /* where ticks are rare */
uint64_t hsc_rt_credit_timer(hsc_rt_thread *t, uint64_t cpu_ns);       /* timer-monotonic: all that passed, here */
hsc_rt_credit hsc_rt_credit_end(hsc_rt_thread *t, uint64_t cpu_ns);
uint64_t hsc_rt_credit_all(hsc_rt_thread *t, uint64_t cpu_ns); /* where nothing can be recorded: all that is missing, in periods */
void hsc_rt_credit_noted(hsc_rt_thread *t); /* what was credited is recorded */
bool hsc_rt_after_system_call(const void *ucontext);

/* governor_ss.c: for the calling thread */
void hsc_rt_govern_begin(hsc_rt_thread *t);
uint64_t hsc_rt_govern_longest(uint64_t cpu_ns); /* nanoseconds between two samples to which the governor goes, of a thread that has used so much CPU time */
void hsc_rt_govern(hsc_rt_thread *t); /* after each sample, in the handler; looks now and then */
void hsc_rt_govern_turn(hsc_rt_thread *t, uint64_t interrupt_ns, uint64_t passed_ns); /* after a sample: was there time for the program? */
uint64_t hsc_rt_switches(void); /* the calling thread's context switches so far */
/* `switches` of the thread so far: those since the last call cost what perf's clock takes at one (none with a timer). */
/* Of what the trial's switches cost, those of programs do: told in full, it was 1.4 (two threads in turn), 1.6 (OpenMP's that wait passively) and
 * 2.7 times (ranks that yield) what runs without us take less. */
#define HSC_RT_SHARE_OF_TRIAL 0.5
/* Thousandths of what is told that were true at least (of ranks that yield: 1 / 2.7 of the trial's) and at most (of two threads in turn: 1 / 1.4). */
enum { HSC_RT_SWITCHES_LEAST = 740, HSC_RT_SWITCHES_MOST = 1430 };
/* Forced ones beyond one in a millisecond of CPU time are of a thread that waits by yielding (an MPI rank where there are more than processors: 100,000 a second), and not
 * told: their time is that of the waiting, which without us goes into more yields. Those that it makes outside of waits are in the upper end of what is told (untold_ns). */
void hsc_rt_switches_note(hsc_rt_thread *t, hsc_rt_switch_counts now);
hsc_rt_switch_counts hsc_rt_switches_now(void); /* of the calling thread */
/* A share of CPU time of late, after `cost_ns` of another `cpu_ns`: what was `lately_ns` of CPU time ago and more counts less than half. */
double hsc_rt_govern_share(double share, double cost_ns, double cpu_ns, double lately_ns);
#define HSC_RT_HELPER_LATELY_NS 5e9 /* the helper reads libraries once: a rate that is lowered for that would save nothing of it */
/* A record that its samples come from t->mechanism from now on. In the handler or with `busy` set; `own`: by the thread itself. */
void hsc_rt_source_tell(hsc_rt_thread *t, uint32_t reason, uint64_t cpu_ns, bool own);

/* control_ss.c: measuring off and on; handlers may call it, the lock blocks signals */
/* False: it could not be done. *changed (may be NULL): it was not so yet. */
bool hsc_rt_measure(bool on, uint32_t reason, uint32_t *changed);
void hsc_rt_measure_begin(uint64_t now_ns);     /* once, before the first thread is measured */
uint64_t hsc_rt_measure_tend(uint64_t now_ns);  /* helper; returns when to look again, 0: never */
/* tracer_ss.c: while a debugger or tracer holds the process nothing is measured: it would be told of each sample's signal */
bool hsc_rt_is_traced(void);
uint64_t hsc_rt_status_of(const char *word); /* the number that the process's status has behind "\nName:"; 0: none */
void hsc_rt_tracer_tend(uint64_t now_ns); /* helper, at its beats while the process computes */
void hsc_rt_tracer_came(uint64_t now_ns); /* the calling thread is about to let itself be traced */

/* commands_ss.c: what `heatscope control` asks for; helper */
#define HSC_RT_COMMANDS_FILE ".control"
void hsc_rt_commands_begin(const char *directory, const char *host); /* once */
void hsc_rt_commands_tend(uint64_t now_ns);

/* wall_ss.c: helper; returns when to look again, 0: never */
uint64_t hsc_rt_wall_tend(uint64_t now_ns);
void hsc_rt_wall_end(hsc_rt_thread *t, uint64_t now_ns); /* what is left; its writer is owned */

/* task_ss.c: of a thread of this process, by the kernel's accounting. */
long hsc_rt_task_read(int32_t tid, const char *name, char *text, size_t size); /* /proc/self/task/TID + name; bytes, or an error */
uint64_t hsc_rt_task_number(const char **p, unsigned base);                    /* and the blanks behind it */
bool hsc_rt_task_times(int32_t tid, uint64_t *run_ns, uint64_t *waited_ns, uint64_t *runs); /* false: the kernel does not tell */
bool hsc_rt_usage_read(int32_t tid, bool own, hsc_rt_usage *u); /* own: the calling thread, whose times are finer than 10 ms then */
void hsc_rt_usage_less(hsc_rt_usage *u, const hsc_rt_usage *before);
/* Since it was first measured. cpu_ns: of one of which we saw all (t->whole), its CPU time a moment before now_ns. */
bool hsc_rt_usage_record(hsc_rt_thread *t, uint64_t now_ns, uint64_t cpu_ns, bool own, hsc_rec_thread_usage *r);

/* api.c: what the program says by heatscope.h */
void hsc_rt_names_tell(uint64_t now_ns); /* into a new file of a child of fork */

/* threads.c */
void hsc_rt_thread_begin(uint64_t stack_low, uint64_t stack_high); /* one that was there before */
void hsc_rt_thread_end(void);
void hsc_rt_cost_add(hsc_rt_cost *to, const hsc_rt_thread *t);
extern __thread hsc_rt_thread *hsc_rt_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* keep_ss.c; not in handlers. path: absolute; of the file that is mapped, and its size in bytes. */
void hsc_rt_keep_module(const char *path, uint64_t bytes, const uint8_t *build_id, size_t size);
/* At the end: perf-PID.map and jit-PID.dump, if they were written since then (CLOCK_REALTIME). */
void hsc_rt_keep_generated(int64_t since_s);
bool hsc_rt_is_go_program(void); /* sandbox.c */
bool hsc_rt_may_part(bool filtered); /* sandbox.c: tries the calls of hsc_rt.may_part where there is a filter */

/* helper_ss.c */
void hsc_rt_helper_set_ahead(int32_t tid); /* of a real-time program: before its threads, while which have all processors the helper else comes to nothing */
bool hsc_rt_helper_start(void);
void hsc_rt_helper_stop(void); /* waits until it is gone */
uint64_t hsc_rt_helper_cpu_ns(void); /* of all helpers, now */
/* Between them there is none; calls of several threads may overlap. */
void hsc_rt_helper_pause(void);
void hsc_rt_helper_resume(void);
void hsc_rt_helper_forget(void); /* child of fork: it has none */
void hsc_rt_helper_poke(void); /* run at once; handlers may call it */

/* process.c */
void hsc_rt_finish(uint64_t how);  /* end of the process or image */
void hsc_rt_unfinish(void);        /* exec failed: go on */
void hsc_rt_start_early(void);     /* what another library initialises, before this one is, makes threads */
bool hsc_rt_active(void);          /* measuring, and in the process that the state belongs to */

/* interpose_signal.c */
void hsc_rt_signal_install(void);
void hsc_rt_signal_restore(void); /* as the program wants them; nothing is measured any more */
const char *hsc_rt_trap_taken(void); /* why SIGTRAP is not free for us; NULL: it is */
/* SIGTRAP is blocked for the calling thread as the program sees it. In truth it is open, so that samples come; where a SIGTRAP comes
 * that is not ours it is blocked indeed, and the signal sent again. */
extern __thread bool hsc_rt_trap_blocked __attribute__((tls_model("initial-exec"), visibility("hidden")));
void hsc_rt_trap_mask(int how);   /* SIG_BLOCK, SIG_UNBLOCK: in the kernel, for the calling thread */
bool hsc_rt_trap_kept_open(void); /* the program sees it blocked for the calling thread, the kernel does not */
void hsc_rt_signal_chain(int signal, siginfo_t *info, void *ucontext);

enum { HSC_RT_SCAN_LINKER = 1, HSC_RT_SCAN_STRANGER = 2, HSC_RT_SCAN_CLOSED = 4 }; /* the dynamic linker was called; code of which nothing is known; dlclose */
enum hsc_rt_flush { HSC_RT_FLUSH_DUE, HSC_RT_FLUSH_CLOSE, HSC_RT_FLUSH_END /* of the thread, by itself */ };
/* omp.c: regions under way, by the low bits of their number */
#define HSC_RT_REGIONS 4096u

typedef struct hsc_rt_region {
    _Atomic uint64_t id, end_ns;
    _Atomic uint64_t fork; /* where it was forked: thread_id << 32 | node of that thread; 0: not known */
    uint64_t begin_ns;
    _Atomic uint32_t met; /* a sample of a worker was taken in it */
    bool known;           /* at is the forking frame; else only its pc */
    bool supposed;        /* fork is that of the last region from the same frame */
    uint32_t threads, master; /* thread_id, 0: not known */
    hsc_rt_team outer;        /* of that thread */
    hsc_rt_tasks outer_tasks;
    hsc_rt_here at;
} hsc_rt_region;

extern hsc_rt_region hsc_rt_regions[HSC_RT_REGIONS] __attribute__((visibility("hidden")));

static inline hsc_rt_region *hsc_rt_region_of(uint64_t id) { /* NULL: not known any more */
    hsc_rt_region *r = &hsc_rt_regions[id & (HSC_RT_REGIONS - 1)];
    return id && atomic_load_explicit(&r->id, memory_order_acquire) == id ? r : NULL;
}

#define HSC_RT_OWN_CYCLES_MAX 200000u /* longer in our own code: the thread was preempted in it, unless its CPU clock says otherwise */

/* A quarter of an octave each, from 64 cycles on. */
static inline uint32_t hsc_rt_own_bucket(uint64_t cycles) {
    uint64_t c = cycles < HSC_RT_OWN_CYCLES_MAX ? cycles : HSC_RT_OWN_CYCLES_MAX;
    uint32_t octave = 63u - (uint32_t)__builtin_clzll(c | 64);
    return (octave - 6) * 4 + (uint32_t)(c >> (octave - 2) & 3);
}

/* By the thread itself: our own time in wrappers. */
static inline void hsc_rt_charge_wrapper(hsc_rt_thread *t, uint64_t cycles) {
    t->wrapper_cycles += cycles;
    atomic_store_explicit(&t->own_cycles, atomic_load_explicit(&t->own_cycles, memory_order_relaxed) + cycles, memory_order_relaxed);
}

typedef struct hsc_rt_state {
    _Atomic uint32_t on;       /* samples are taken */
    _Atomic uint32_t finished; /* nothing more is written */
    _Atomic uint32_t *same_process; /* a page that a child of fork finds empty; NULL: the kernel has none */
    _Atomic uint32_t generation; /* of the modules */
    int (*omp_state)(uint64_t *wait_id); /* OMPT's, made for handlers; NULL: no OpenMP runtime asked for a tool */
    int (*omp_task)(int level, int *flags, union ompt_data **task, struct ompt_frame **frame, union ompt_data **parallel, int *number); /* the same */
    _Atomic uint32_t origins; /* places where tasks were created, so far */
    int pid;
    int signal;
    uint64_t period_ns, tick_ns;
    hsc_rt_event events[HSC_RT_EVENTS];
    uint32_t n_events; /* at least 1 */
    _Atomic uint32_t counters_failed; /* not to be had for some thread */
    _Atomic uint32_t measuring;       /* samples are wanted: not before --delay, not after --duration, ... */
    _Atomic uint32_t traced;          /* a debugger holds the process, which would stop at each sample: none are taken meanwhile */
    _Atomic uint32_t governed;        /* periods of the lowest rate that a thread had; 0: no rate was lowered */
    _Atomic uint32_t moved;           /* threads that the governor has moved to the kernel's tick */
    bool budget_named;                /* by the user: to be kept, whatever that does to the number of samples */
    uint64_t start_at_ns, stop_at_ns; /* CLOCK_MONOTONIC; 0: never */
    _Atomic uint64_t off_ns;          /* when it was switched off last; 0: never */
    uint64_t wall_next_ns;
    uint64_t helper_ns, helper_gone_ns; /* CPU time of our helper so far, at its last look; of helpers before this one */
    _Atomic uint64_t threads_ns;        /* CPU time of beginning and ending other threads than the first */
    _Atomic uint32_t helper_share_q32; /* of late, for each unit of the process's own CPU time */
    uint64_t interrupt_ns;            /* that a sample costs beside our own code */
    uint64_t interrupt_least_ns, interrupt_most_ns; /* what it is likely to be at least and at most; 0: not known */
    bool interrupt_measured;
    uint64_t switch_cost_ns, switch_far_ns; /* of a context switch of a thread with a perf event: next sample near, far */
    enum hsc_rt_mechanism mechanism;
    _Atomic uint32_t trap_off; /* HSC_source_reason why no thread is sampled by SIGTRAP any more; 0: they may be */
    bool sandboxed;   /* no system call any more */
    _Atomic int stderr_kept; /* a duplicate, of a program that has closed it as it exits (last_words.c); 0: none */
    bool may_part;    /* no filter ends the process for the calls by which the helper has descriptors of its own and goes ahead */
    int forked_from;            /* of a child of fork: its parent, whose code it has; 0: none */
    int64_t forked_since_s;     /* that one's start, CLOCK_REALTIME */
    char jit_dump[HSC_RT_PATH]; /* that the process has mapped; "": none (modules_ss.c) */
    bool keeps;       /* the user's program and libraries are kept beside the measurement (keep_ss.c) */
    bool talks;       /* this process says what is worth a line to the user */
    bool tick_failed; /* no CPU timer: time in the kernel is not seen */
    hsc_rt_options options;
    hsc_rt_job job;
    hsc_rt_lock modules_lock; /* taken before lock, which is taken before file.lock */
    hsc_rt_lock lock;         /* threads, stream 0 */
    hsc_rt_thread *threads, *free_threads;
    uint32_t next_thread_id, live_threads;
    bool in_line_known; /* the kernel tells how long threads stand in line */
    _Atomic(hsc_rt_modules *) modules;
    uint32_t next_mapping_id;
    _Atomic uint32_t want_table;
    _Atomic uint32_t want_scan; /* HSC_RT_SCAN_...: something may have been mapped or unmapped */
    _Atomic uint64_t unregistered; /* signals in threads that we do not know */
    _Atomic uint64_t ns_per_cycle_q32; /* nanoseconds of a cycle, 32.32 fixed point */
    _Atomic uint32_t helper_word, helper_tid, helper_quit;
    /* Writes what libheatscope-mpi.so has summed up in the thread, which is in the handler or does not write. NULL: not loaded. */
    void (*messages_flush)(struct hsc_rt_thread *t, uint64_t now_ns, enum hsc_rt_flush why);
    uint64_t ended_lost, ended_records; /* of threads that are gone; the first: periods */
    uint64_t ended_waited_ns;           /* the same */
    bool ended_messages;                /* one of them had called MPI */
    hsc_rt_cost ended_cost;
    uint64_t untold[8]; /* losses by reason of threads that found no room for a record of their own; told of no thread */
    hsc_rt_file file;   /* last: it is large, and what samples need stands together */
} hsc_rt_state;

extern hsc_rt_state hsc_rt __attribute__((visibility("hidden")));

/* own_ss.c: the thread's CPU clock, by the handler; what it says is noted. */
uint64_t hsc_rt_own_look(hsc_rt_thread *t, const hsc_rt_state *rt);
void hsc_rt_own_watch(hsc_rt_thread *t, const hsc_rt_state *rt);
/* What a part of our own code took, which was long: cycles of CPU time, at least. *known: and not more than an eighth above. */
uint64_t hsc_rt_own_long(hsc_rt_thread *t, const hsc_rt_state *rt, uint64_t begin, uint64_t end, bool *known);

/* By the thread itself: a part of our own code begins (hsc_cycles). */
static inline uint64_t hsc_rt_own_begin_of(hsc_rt_thread *t, const hsc_rt_state *rt) {
    if (__builtin_expect(t->watched != 0, 0))
        hsc_rt_own_watch(t, rt);
    return hsc_cycles();
}

static inline uint64_t hsc_rt_own_begin(hsc_rt_thread *t) {
    return hsc_rt_own_begin_of(t, &hsc_rt);
}

/* What it took since, in cycles; where it can't be told, HSC_RT_OWN_CYCLES_MAX stand for a long one. */
static inline uint64_t hsc_rt_own_since(hsc_rt_thread *t, const hsc_rt_state *rt, uint64_t begin) {
    uint64_t end = hsc_cycles(), took = end - begin;
    if (__builtin_expect(took >= HSC_RT_OWN_CYCLES_MAX, 0)) {
        bool known;
        took = hsc_rt_own_long(t, rt, begin, end, &known);
        took = known || took > HSC_RT_OWN_CYCLES_MAX ? took : HSC_RT_OWN_CYCLES_MAX;
    }
    took += t->looks_cycles;
    t->looks_cycles = 0;
    return took;
}

/* One wrapper, which began at `begin` (hsc_rt_own_begin). */
static inline void hsc_rt_charge_wrapper_since(hsc_rt_thread *t, uint64_t begin) {
    uint64_t own = hsc_rt_own_since(t, &hsc_rt, begin);
    t->wrapper_rare_cycles += own > HSC_RT_OWN_CYCLES_MAX ? own - HSC_RT_OWN_CYCLES_MAX : 0;
    hsc_rt_charge_wrapper(t, own);
}

/* Of parts that come often one in so many is measured and stands for the others (a prime: they come in turns), but for what is charged within it by itself. */
#define HSC_RT_SOME_EVERY 61u
#define HSC_RT_SOME_MAX 30000u /* cycles: the thread was interrupted */
typedef struct hsc_rt_some {
    uint64_t begin, charged; /* begin: cycles; 0: this one is not measured */
} hsc_rt_some;

static inline hsc_rt_some hsc_rt_some_begin(hsc_rt_thread *t) {
    if (!t || ++t->some_turn < HSC_RT_SOME_EVERY)
        return (hsc_rt_some){0, 0};
    t->some_turn = 0;
    return (hsc_rt_some){hsc_cycles_then(), t->wrapper_cycles};
}

static inline void hsc_rt_some_end(hsc_rt_thread *t, hsc_rt_some s) {
    if (!s.begin)
        return;
    uint64_t took = hsc_cycles_then() - s.begin, charged = t->wrapper_cycles - s.charged;
    if (took > charged && took < HSC_RT_SOME_MAX)
        hsc_rt_charge_wrapper(t, HSC_RT_SOME_EVERY * (took - charged));
}

static inline bool hsc_rt_wanted_of(const hsc_rt_state *rt) {
    return atomic_load_explicit(&rt->measuring, memory_order_acquire) && !atomic_load_explicit(&rt->traced, memory_order_acquire);
}

static inline bool hsc_rt_wanted(void) {
    return hsc_rt_wanted_of(&hsc_rt);
}

/* Nanoseconds of a cycle, 32.32 fixed point. */
static inline uint64_t hsc_rt_cycle_rate(uint64_t ns, uint64_t cycles) {
    return (uint64_t)((double)ns / (double)cycles * 4294967296.0);
}

static inline uint64_t hsc_rt_cycles_ns(uint64_t cycles, uint64_t rate) {
    return (uint64_t)((unsigned __int128)cycles * rate >> 32);
}

#endif
