/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probes that the compiler pass put into the program: each thread's stack of open scopes, and what was measured of its blocks
 * (a block is a scope within the scopes open round it). docs/probes.md tells what the numbers mean.
 *
 * A probe notes only what it is and when (hsc_rt_mark); visits and blocks are made of the marks some hundred at a time. What a
 * probe does by itself stands between two readings of the clock, each of which waits for all before it: so its delay counts
 * in full, that of a long loop hardly. What making them took is measured, and taken out of the time of all scopes that are open
 * then: an entry reads the clock after it, an exit before it. */
#ifndef HSC_RT_PROBES_H
#define HSC_RT_PROBES_H

#include <heatscope/formats/probes.h>

#include "rt.h"

#define HSC_RT_BLOCK_STATES 8u
#define HSC_RT_BLOCK_BUCKETS 48u
#define HSC_RT_BLOCK_PARTS 16u       /* part i: 64 << i blocks */
#define HSC_RT_BLOCK_DEPTH_MAX 128u  /* deeper ones of a recursion join the block further out that has the same scope */
#define HSC_RT_SCOPES_FIRST 512u
#define HSC_RT_PROBES_TELL_NS 50000000ull /* the helper sees to it at its next beat */
#define HSC_RT_MARKS 512u

/* What has not been written yet of a block. */
typedef struct hsc_rt_block {
    struct hsc_rt_block *parent, *last; /* last: the child entered last */
    uint32_t number, id;                /* of the probe; of the record, 0: none yet */
    uint32_t index, next;               /* in the hash table */
    uint32_t depth;
    bool dirty;
    struct hsc_rt_block *next_dirty;
    uint64_t exclusive[HSC_RT_BLOCK_STATES]; /* cycles */
    uint64_t left, total, least, most; /* cycles; how many there were is the sum of the buckets */
    unsigned __int128 squares;
    uint32_t bucket[HSC_RT_BLOCK_BUCKETS];
} hsc_rt_block;

typedef struct hsc_rt_scope {
    uint64_t sp;    /* of the frame that opened it */
    uint64_t start; /* cycles */
    hsc_rt_block *block;
    uint64_t number; /* of the probe; above it HSC_RT_SCOPE_INSIDE */
    uint64_t taken;  /* what had been taken out of the thread's time at its start */
} hsc_rt_scope;

#define HSC_RT_SCOPE_INSIDE (1ull << 32) /* when it ends, the scope round it, of a probe that was disarmed, ends too */

/* What a probe notes. The number of a probe has 17 bits; above it HSC_RT_MARK_LEAVE and the address of the frame by 8. Without a number:
 * the thread's state + 1 from then on, or 0: nothing. Memory for it is taken by one instruction, so that signal handlers may come at any time. */
typedef _Atomic uint64_t hsc_rt_mark; /* cycles; written last. 0: not yet, the probe has been interrupted */

#define HSC_RT_MARK_WHAT (HSC_RT_MARKS + 8) /* what it notes stands so much further: times are emptied all at once */
static inline uint64_t *hsc_rt_mark_what(hsc_rt_mark *m) {
    return (uint64_t *)(m + HSC_RT_MARK_WHAT);
}

#define HSC_RT_MARK_LEAVE 0x20000u
#define HSC_RT_MARK_SHIFT 18

/* Where a thread's next mark goes; all 0 before it meets a probe. */
typedef struct hsc_rt_noting {
    _Atomic(hsc_rt_mark *) next;  /* beyond `limit`: marks have been refused */
    _Atomic(hsc_rt_mark *) limit; /* the end of its marks; their beginning: the next one comes to hsc_rt_probe_room. Others set that */
} hsc_rt_noting;

/* Samples whose innermost scope is one of a probe: their weights in periods so far, and these squared. */
typedef struct hsc_rt_sampled {
    uint64_t program, program_squares; /* in the program's code */
    uint64_t notes, notes_squares;     /* in that of entries and exits of any probe, by their readings of the clock in this scope's time */
    uint32_t next_fresh;
    bool is_fresh;
} hsc_rt_sampled;

/* Visits of one block on end, as they are to stand in it: what the fields that are named alike get. */
typedef struct hsc_rt_run {
    _Atomic uint32_t ready;
    uint32_t state, low, high; /* buckets that change */
    hsc_rt_block *outer, *block;
    uint64_t outside, inside, total, least, most, last, visits;
    unsigned __int128 squares;
    hsc_rt_mark *folded;
    uint32_t bucket[HSC_RT_BLOCK_BUCKETS + 1];
    uint32_t part[130]; /* of each octave: how many were from its limit on, and below it; all 0 between two runs */
} hsc_rt_run;

/* Of a thread; only the thread itself and its handler touch it. */
struct hsc_rt_scopes {
    hsc_rt_noting *noting;
    hsc_rt_mark *folded;          /* up to which blocks have what the marks tell */
    hsc_rt_scope *top; /* [0] is a sentinel */
    hsc_rt_scope *end;
    uint64_t last;     /* cycles: up to then the time has been given to blocks */
    uint64_t due;      /* cycles: to be told */
    _Atomic uint32_t inside; /* blocks are being changed: the handler keeps off */
    uint32_t refused;        /* probes on end that found that so, or no room */
    uint32_t state;          /* of the thread, where the marks are folded up to */
    uint32_t generation;
    uint64_t signal_low, signal_high; /* the stack for handlers, as it was when scope `stack_of` (its sp) was the innermost */
    uint64_t stack_of;
    hsc_rt_block *dirty;
    hsc_rt_scope *base;
    uint64_t visits, left, unmatched, missed, told_visits;
    uint64_t automatic; /* visits of automatic probes that the process's sums lack */
    uint64_t cpu_ns;    /* the thread's CPU time that they have */
    double visit_ns;    /* what one took of late */
    uint64_t own, told_own; /* cycles: making visits of marks, and records of blocks */
    uint64_t told_cost;     /* cycles: of notes and `own`, as the last record has it */
    uint64_t taken;         /* of it: what is in no scope's time */
    uint64_t skip, skip_later; /* what is to be taken out next, where mark skip_from would come; once all marks are folded */
    hsc_rt_mark *skip_from;
    uint32_t rooms, rooms_limit; /* how often room was made since records were written; from the limit on they are written early */
    uint32_t blocks, ids; /* blocks[0] is the root: no scope is open */
    uint32_t slots_n;
    hsc_rt_block *part[HSC_RT_BLOCK_PARTS];
    uint32_t *slots;
    void (*set_state)(hsc_rt_scopes *s, uint32_t state); /* hsc_rt_probes_state; libheatscope-mpi.so calls it too */
    uint64_t ns_per_cycle_q32;
    struct hsc_rt_value {
        uint64_t value;
        bool known;
    } *values; /* by number, values_capacity of them */
    uint32_t values_capacity;
    uint32_t sampled_capacity, sampled_fresh; /* number + 1 of the first whose record is due */
    hsc_rt_sampled *sampled; /* by number; [0]: in no scope */
    uint64_t sampled_all, sampled_squares, notes, notes_squares; /* weights of all samples since the first probe, and of those in notes; their squares */
    /* the bucket of a duration of 2^i to 2^(i+1) - 1 cycles: first[i + 1], from limits[i + 1] on one more; [0] is of none */
    uint64_t limits[65];
    uint32_t first[65];
    hsc_rt_run run;
    hsc_rt_mark marks[HSC_RT_MARK_WHAT];
    uint64_t what[HSC_RT_MARKS]; /* hsc_rt_mark_what */
};

/* Of the calling thread, NULL before it meets a probe. */
extern __thread hsc_rt_scopes *hsc_rt_scopes_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern __thread hsc_rt_noting hsc_rt_noting_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* One probe of the process; number - 1 is its index. */
typedef struct hsc_rt_probe {
    hsc_probe_table *table; /* NULL: unloaded */
    uint32_t index;
    uint8_t kind, flags;
    _Atomic uint8_t armed;
    bool dropped;      /* disarmed because it was too dear */
    uint16_t share;    /* as hsc_probe_entry; 0 too once somebody armed it by name */
    _Atomic uint64_t armed_at, disarmed_at; /* cycles: the last time; 0: never. Its own notes lie between, but for what threads had begun to note */
    _Atomic uint64_t visits;  /* of those that have a share: that were told */
    uint64_t visits_before;   /* at the beginning of the window */
} hsc_rt_probe;

typedef struct hsc_rt_probes {
    hsc_rt_lock lock; /* tables and arming; taken before hsc_rt.lock */
    hsc_rt_probe *all; /* reserved for HSC_RT_PROBES_MAX, so that it never moves */
    _Atomic uint32_t count;
    uint32_t told; /* in the process's file */
    _Atomic uint32_t used;       /* something was told of blocks, or by the program itself */
    _Atomic uint32_t generation; /* counts changes of arming */
    hsc_probe_table *tables; /* all registered, linked; before the process is measured nothing else is known of them */
    double pair_cycles, inside_cycles, clock_cycles; /* 0: not measured yet */
    double note_cycles; /* pair_cycles without making visits of marks */
    uint32_t share; /* hundredths of a percent of the CPU time that automatic probes may take, the smallest of the tables; 0: there are none */
    _Atomic uint64_t automatic_visits, automatic_ns, automatic_cpu_ns; /* told by threads that have met probes; automatic_ns: what these visits took */
    uint64_t seen_ns, seen_cpu_ns, window_visits, window_ns, window_cpu_ns; /* the helper's: at its last look; at the beginning of the window */
    double owed_ns; /* what automatic probes took beyond their share; below 0: what they may still take */
} hsc_rt_probes;

#define HSC_RT_PROBES_MAX (1u << 17)

extern hsc_rt_probes hsc_rt_probe_state __attribute__((visibility("hidden")));

/* What probes call (probes_entry_ss.c). The number is in r11, the value in r10; all registers but r11 are kept. */
void hsc_rt_probe_enter(void);
void hsc_rt_probe_leave(void);
void hsc_rt_probe_value(void);
extern const char hsc_rt_probe_leave_end[] __attribute__((visibility("hidden")));

/* Where their code is, and that of all that a probe may be interrupted in: as long as it stands on the thread's call path, it goes on. */
#define HSC_RT_PROBE_CODE __attribute__((section("hsc_probe_code")))
extern const char hsc_rt_probe_code[] __asm__("__start_hsc_probe_code") __attribute__((visibility("hidden")));
extern const char hsc_rt_probe_code_end[] __asm__("__stop_hsc_probe_code") __attribute__((visibility("hidden")));

/* The slow ways of the same (probes_ss.c), called with all registers saved. `sp`: the caller's. */
/* Makes room for a mark; `refused` is none, beyond the limit, or is left out. False: no mark is wanted, or it is missed. `what`: of an entry its mark's, of an
 * exit the number alone. */
bool hsc_rt_probe_room(uint64_t what, uint64_t sp, hsc_rt_mark *refused);
bool hsc_rt_probe_value_slow(uint64_t number, uint64_t value);
void hsc_rt_probes_fold(hsc_rt_thread *t); /* where nobody can be at it */

/* What is usual (probes_fold_ss.c): keeps all but general registers. `inside` is taken. */
enum hsc_rt_folded { HSC_RT_FOLD_DONE, HSC_RT_FOLD_UNUSUAL, HSC_RT_FOLD_UNFINISHED /* mark s->folded is so */ };
enum hsc_rt_folded hsc_rt_probes_fold_usual(hsc_rt_scopes *s, hsc_rt_mark *end); /* from s->folded on, up to `end` at most */
bool hsc_rt_probes_wrap(hsc_rt_scopes *s, hsc_rt_mark *next, hsc_rt_mark *end); /* false: a handler has taken a mark beyond `next` */
void hsc_rt_probes_redo(hsc_rt_scopes *s); /* what a jump left half given to a block */
void hsc_rt_probes_add_visit(const hsc_rt_scopes *s, hsc_rt_block *b, uint64_t cycles);
/* `cycles` went into making visits or records, and the program goes on. `leaves`: with a note of what was before. */
void hsc_rt_probes_take_out(hsc_rt_scopes *s, uint64_t cycles, bool leaves);
bool hsc_rt_probe_room_usual(const hsc_rt_mark *refused, uint64_t what); /* false: hsc_rt_probe_room has to see to it */
static inline bool hsc_rt_probe_leaves(uint64_t what) { /* of these two; an entry's has an address */
    return !(what >> 32);
}

/* Does an item of a list of --arm mean the probe of a table's entry, with its strings? */
bool hsc_rt_probe_is_meant(const hsc_probe_entry *e, const char *name, const char *file, const char *item, size_t n);
bool hsc_rt_probe_entry_is_listed(const hsc_probe_entry *e, const char *name, const char *file, const char *list, size_t n); /* any of them? */
const char *hsc_rt_probe_kind_word(unsigned kind); /* of such items */
void hsc_rt_probes_state(hsc_rt_scopes *s, uint32_t state); /* the thread's from now on; also in handlers */

/* The helper, with hsc_rt.lock: what is due is told at the next probe. */
static inline void hsc_rt_probes_remind(hsc_rt_scopes *s, uint64_t now_cycles) {
    if (now_cycles >= __atomic_load_n(&s->due, __ATOMIC_RELAXED))
        atomic_store_explicit(&s->noting->limit, s->marks, memory_order_relaxed);
}

/* Writes what is due; in the handler, or where the thread's writer is owned. */
bool hsc_rt_probes_due(const hsc_rt_thread *t);
void hsc_rt_probes_tell(hsc_rt_thread *t, uint64_t now_ns);
/* At the end of the thread (open scopes are left then) or of the process. */
void hsc_rt_probes_close(hsc_rt_thread *t, uint64_t now_ns, bool ended);
void hsc_rt_probes_clear(hsc_rt_thread *t);

bool hsc_rt_probe_is_armed(uint64_t number);
bool hsc_rt_scope_is_over(const hsc_rt_scope *q); /* an open one whose probe was disarmed meanwhile: what comes is of the scope round it */
/* probes_sampled_ss.c; the handler, or where the thread's writer is owned */
void hsc_rt_probes_sample(hsc_rt_scopes *s, const void *pc, bool in_probe, uint64_t weight); /* one that has come */
bool hsc_rt_probes_tell_samples(hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t now_ns);       /* records of what is new; false: no room */
uint64_t hsc_rt_probes_notes_cycles(const hsc_rt_scopes *s); /* what all notes so far took: by what one takes alone, and by samples in proportion to what they know */

/* probes.c */
void hsc_rt_probes_begin(void);  /* of the measurement, also in a child of fork; once the file is there */

/* probes_budget_ss.c */
void hsc_rt_probes_count(uint32_t number, uint64_t visits, hsc_rt_scopes *s); /* what goes into a record */
/* The thread, when it has written its records; its `visits` since then, of all probes, took `cycles`. */
void hsc_rt_probes_tell_budget(const hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t visits, uint64_t cycles);
void hsc_rt_probes_keep_budget(uint64_t now_ns);                              /* the helper: disarms what is too dear */
void hsc_rt_probes_budget_begin(void);                                        /* anew, in a child of fork */

/* probes_named.c; the first two with `lock` */
void hsc_rt_probes_see_named(const hsc_probe_entry *e, const char *name, const char *file); /* of each probe that comes, where there is a list */
/* What the lists name so far, to be told to the others of the measurement: bit i for item i of --arm, 32 + i of --disarm. False: they know. */
bool hsc_rt_probes_take_named(uint64_t *named);
void hsc_rt_probes_say_unnamed(bool any, uint64_t named); /* of all processes; any: has one of them probes? */
void hsc_rt_note_named(void); /* notes.c */
/* Notes of what --probe names nowhere in these tables, linked up to `end`; with both locks. */
void hsc_rt_probes_tell_unfound(const hsc_probe_table *first, const hsc_probe_table *end, uint64_t now_ns);

/* probes_arm_ss.c */
bool hsc_rt_probe_is_listed(const hsc_rt_probe *p, const char *list, size_t n); /* items are separated by commas */
/* The next two with both locks held (hsc_rt.lock alone for the first). */
void hsc_rt_probe_tell_armed(uint32_t number, bool armed, unsigned reason, uint64_t now_ns); /* enum probe_arming */
bool hsc_rt_probe_arm(uint32_t number, bool on, unsigned reason, uint64_t now_ns); /* false: it is so already, or its table is gone */
void hsc_rt_probe_silence(hsc_rt_probe *p); /* disarms one that has a table */
void hsc_rt_probes_arming_changed(void);                                           /* threads are to see to what they have open */
/* Arms or disarms what the list names (as of `heatscope run --arm`): how many probes those are, and how many were not yet so. False: it could not
 * be done. */
bool hsc_rt_probes_arm(const char *list, size_t n, bool arm, uint32_t *named, uint32_t *changed);

#endif
