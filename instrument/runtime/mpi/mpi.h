/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of libheatscope-mpi.so share: wrappers of a message-passing library that is found at run time. No type
 * of any mpi.h is used: arguments are 64-bit registers, and what they mean is told by the table mpi.def. */
#ifndef HSC_MPI_H
#define HSC_MPI_H

#include "../here.h"
#include "../services.h"

/* ---- the table (table.c)
 * ------------------------------------------------------------------------------------------------- */

typedef enum hsc_mpi_kind {
    HSC_MPI_INIT,
    HSC_MPI_FINALIZE,
    HSC_MPI_SEND,
    HSC_MPI_RECEIVE,
    HSC_MPI_SENDRECEIVE,
    HSC_MPI_PROBE,
    HSC_MPI_START,
    HSC_MPI_STARTALL,
    HSC_MPI_PARTITION,
    HSC_MPI_REQUEST_FREE,
    HSC_MPI_CANCEL,
    HSC_MPI_WAIT,
    HSC_MPI_WAITALL,
    HSC_MPI_WAITANY,
    HSC_MPI_WAITSOME,
    HSC_MPI_BARRIER,
    HSC_MPI_BROADCAST,
    HSC_MPI_GATHER,
    HSC_MPI_SCATTER,
    HSC_MPI_ALLGATHER,
    HSC_MPI_ALLTOALL,
    HSC_MPI_REDUCE,
    HSC_MPI_ALLREDUCE,
    HSC_MPI_REDUCE_SCATTER,
    HSC_MPI_NEIGHBOUR_ALLGATHER,
    HSC_MPI_NEIGHBOUR_ALLTOALL,
    HSC_MPI_COMMUNICATOR,
    HSC_MPI_COMMUNICATOR_FREE,
    HSC_MPI_TYPE_FREE,
    HSC_MPI_PUT,
    HSC_MPI_GET,
    HSC_MPI_PUTGET,
    HSC_MPI_WINDOW,
    HSC_MPI_WINDOW_FREE,
    HSC_MPI_SYNCHRONISE,
    HSC_MPI_FENCE,
    HSC_MPI_EXPOSE, /* of a post, to a wait or test */
    HSC_MPI_EXPOSE_END,
    HSC_MPI_ACCESS, /* of a start, to a complete */
    HSC_MPI_ACCESS_END,
    HSC_MPI_LOCK,
    HSC_MPI_UNLOCK,
    HSC_MPI_FLUSH,
    HSC_MPI_FILE,
    HSC_MPI_FILE_READ,
    HSC_MPI_FILE_WRITE,
    HSC_MPI_SESSION,
    HSC_MPI_SESSION_END,
    HSC_MPI_GROUP_COMMUNICATOR, /* out of groups, without a communicator */
    HSC_MPI_SETUP, /* these are timed alone */
    HSC_MPI_OTHER
} hsc_mpi_kind;

enum { HSC_MPI_PERSISTENT = 1, HSC_MPI_BEFORE = 2, HSC_MPI_TEXT = 4 };
enum { HSC_MPI_C, HSC_MPI_FORTRAN, HSC_MPI_VARIANTS = 7 }; /* C; mpi_x_, mpi_x__, mpi_x, MPI_X, mpi_x_f08_, mpi_x_f08ts_ */
/* How arguments are passed: by C; by their addresses (mpif.h, mpi); so by mpi_f08; and by it with descriptors of buffers. */
typedef enum hsc_mpi_language {
    HSC_MPI_BY_C,
    HSC_MPI_BY_FORTRAN,
    HSC_MPI_BY_F08,
    HSC_MPI_BY_DESCRIPTORS,
    HSC_MPI_LANGUAGES
} hsc_mpi_language;

/* How the arguments of a call are understood. A wrapper that is made for its operation has this as a constant, which vanishes. */
typedef struct hsc_mpi_how {
    const char *roles;
    const int8_t *at; /* argument of each role, from 'A'; -1: none. NULL: to be found in `roles` */
    uint8_t kind, flags;
    bool large, fortran, f08;
    bool descriptors; /* a buffer's argument is a descriptor, whose first word is its address */
} hsc_mpi_how;

/* What belongs together stands in one line of memory here and below: a program leaves us few in its caches. */
#define HSC_MPI_LINE __attribute__((aligned(64)))

typedef struct HSC_MPI_LINE hsc_mpi_op {
    _Atomic(void *) real[HSC_MPI_VARIANTS];
    _Atomic uint32_t id; /* operation_id; 0: not used yet */
    uint8_t kind, state, flags;
    bool large;
    /* what only calls of other than frequent operations need */
    const char *name, *lower, *upper, *roles;
    int8_t at[58];
    hsc_mpi_how how[HSC_MPI_LANGUAGES];
} hsc_mpi_op;

/* Whose branch is as good as always, or never, taken: what is rare gets its code elsewhere. */
#define HSC_MPI_USUALLY(x) __builtin_expect_with_probability(!!(x), 1, 1.0)
#define HSC_MPI_RARELY(x) __builtin_expect_with_probability(!!(x), 0, 1.0)
#define HSC_MPI_COLD __attribute__((cold, noinline))

enum {
#define HSC_MPI(n, Name, lower, UPPER, roles, kind, state, flags) HSC_MPI_OP_##Name,
#define HSC_MPI_LARGE(n, Name, lower, UPPER, roles, kind, state, flags) HSC_MPI_OP_##Name, HSC_MPI_OP_##Name##_c,
#include "mpi.def"
#undef HSC_MPI
#undef HSC_MPI_LARGE
    HSC_MPI_OPS
};

extern hsc_mpi_op hsc_mpi_ops[HSC_MPI_OPS];

/* ---- the library (bind.c)
 * -------------------------------------------------------------------------------------------------- */

enum hsc_mpi_library_kind { HSC_MPI_UNKNOWN, HSC_MPI_OPEN_MPI, HSC_MPI_MPICH };

typedef struct HSC_MPI_LINE hsc_mpi_library {
    /* what each call looks at */
    bool usual[HSC_MPI_LANGUAGES]; /* calls of it are understood, and all that has to be known is known */
    bool bound, ready, multiple, one_machine;
    uint8_t kind; /* enum hsc_mpi_library_kind */
    uint8_t handle_bytes; /* of C's handles */
    uint8_t f08_base; /* what mpi_f08 counts requests from: 1, but 0 in MPICH 4.0 (its issue 6270) */
    int proc_null, any_source, any_tag;
    uint32_t status_bytes;
    _Atomic uint32_t types_generation, comms_generation; /* what blocks remember of them is of this generation */
    ptrdiff_t self_at;  /* where the thread's data are, from the thread pointer; 0: not known yet */
    const hsc_rt_state *rt; /* heatscope_rt_services.state */
    const void *status_ignore, *statuses_ignore;
    /* and of Fortran */
    const void *fortran_status_ignore[4], *fortran_statuses_ignore[4];
    const void *in_place, *fortran_in_place[4];
    uint64_t comm_world, comm_self, comm_null, type_null;
    int level, rank, ranks;
    uint64_t machine, clock;
#define HSC_MPI_QUERIES(X)                                                                                             \
    X(Initialized, (int32_t *)) X(Finalized, (int32_t *)) X(Session_f2c, (int32_t))                                    \
    X(Group_from_session_pset, (uint64_t, const char *, uint64_t *)) X(Group_rank, (uint64_t, int32_t *))              \
    X(Comm_rank, (uint64_t, int32_t *)) X(Comm_size, (uint64_t, int32_t *)) X(Comm_remote_size, (uint64_t, int32_t *)) \
        X(Comm_test_inter, (uint64_t, int32_t *)) X(Comm_group, (uint64_t, uint64_t *))                                \
            X(Comm_remote_group, (uint64_t, uint64_t *))                                                               \
                X(Group_translate_ranks, (uint64_t, int32_t, const int32_t *, uint64_t, int32_t *))                    \
                    X(Group_size, (uint64_t, int32_t *)) X(Group_free, (uint64_t *))                                   \
                        X(Type_size, (uint64_t, int32_t *)) X(Topo_test, (uint64_t, int32_t *))                        \
                            X(Cartdim_get, (uint64_t, int32_t *))                                                      \
                                X(Graph_neighbors_count, (uint64_t, int32_t, int32_t *))                               \
                                    X(Dist_graph_neighbors_count, (uint64_t, int32_t *, int32_t *, int32_t *))         \
                                    X(Cart_shift, (uint64_t, int32_t, int32_t, int32_t *, int32_t *))                  \
                                    X(Graph_neighbors, (uint64_t, int32_t, int32_t, int32_t *))                        \
                                    X(Dist_graph_neighbors, (uint64_t, int32_t, int32_t *, int32_t *, int32_t, int32_t *, int32_t *)) \
                                        X(Win_get_group, (uint64_t, uint64_t *))                                       \
                                            X(Get_library_version, (char *, int32_t *)) X(Query_thread, (int32_t *))   \
                                                X(Comm_f2c, (int32_t)) X(Type_f2c, (int32_t)) X(Win_f2c, (int32_t))        \
                                                    X(Group_f2c, (int32_t)) X(Request_f2c, (int32_t))                  \
                                                        X(Message_f2c, (int32_t))
#define X(name, parameters) uint64_t(*name) parameters;
    HSC_MPI_QUERIES(X)
#undef X
} hsc_mpi_library;

extern hsc_mpi_library hsc_mpi_lib;

/* The function that the program would have got without us; NULL: there is none. */
void *hsc_mpi_find(const char *symbol);
HSC_MPI_COLD void *hsc_mpi_real_slow(hsc_mpi_op *op, int variant);
static inline void *hsc_mpi_real(hsc_mpi_op *op, int variant) {
    void *p = atomic_load_explicit(&op->real[variant], memory_order_relaxed);
    return HSC_MPI_USUALLY(p != NULL) ? p : hsc_mpi_real_slow(op, variant);
}
void hsc_mpi_bind(void);  /* finds out which library it is */
/* Whether the special addresses of a language are known. MPICH sets those of mpif.h at its first call from Fortran. */
bool hsc_mpi_knows_addresses(hsc_mpi_language l);
void hsc_mpi_ready(void); /* once it is initialised: who we are; record message_system */

/* ---- sessions (session.c)
 * -------------------------------------------------------------------------------------------------- */

/* A session that began, and one before its end: the address of its handle, C's or Fortran's. Also where nothing is measured at that time. */
void hsc_mpi_session_begun(uint64_t address, bool fortran);
void hsc_mpi_session_ends(uint64_t address, bool fortran);
/* All processes, of MPI_COMM_WORLD or of a session; 0: not to be had. To be freed by Group_free. */
uint64_t hsc_mpi_world_group(void);
/* This process among them, where there are sessions and no MPI_COMM_WORLD. */
bool hsc_mpi_session_who(int32_t *rank, int32_t *ranks);

/* ---- a lock that is taken only where threads call at the same time
 * ----------------------------------------------------------- */

static inline void hsc_mpi_lock(_Atomic uint32_t *word) {
    if (hsc_mpi_lib.multiple || !hsc_mpi_lib.ready)
        while (atomic_exchange_explicit(word, 1, memory_order_acquire))
            hsc_relax();
}
static inline void hsc_mpi_unlock(_Atomic uint32_t *word) {
    if (hsc_mpi_lib.multiple || !hsc_mpi_lib.ready)
        atomic_store_explicit(word, 0, memory_order_release);
}

/* ---- communicators and windows (communicator.c)
 * --------------------------------------------------------------------------- */

typedef struct hsc_mpi_block hsc_mpi_block;
typedef struct hsc_mpi_window hsc_mpi_window;

#define HSC_MPI_LAST 4u /* of each direction; a power of two */

typedef struct HSC_MPI_LINE hsc_mpi_comm {
    _Atomic(struct hsc_mpi_channel *) last[2 * HSC_MPI_LAST]; /* channels of the last messages, by hsc_mpi_last_at */
    uint32_t id;
    int rank, size, remote_size; /* remote_size 0: an intracommunicator */
    _Atomic uint64_t collectives;
    uint64_t last_enter; /* of the last collective operation */
    int32_t *world;      /* world rank of each process that can be a partner; NULL: the same number */
    uint64_t handle; /* as C has it; of a window with HSC_MPI_WINDOW_KEY */
    uint64_t key;
    _Atomic uint64_t children;
    int in_degree, out_degree; /* neighbours, also those that are nobody; -1: not asked yet */
    int32_t *sources, *destinations; /* ranks of so many, negative: nobody; NULL: not to be had */
    hsc_mpi_window *window; /* one_sided.c; NULL: it has none, or no epoch yet */
    struct hsc_mpi_comm *next;
} hsc_mpi_comm;

#define HSC_MPI_FORTRAN_KEY (1ull << 63)
#define HSC_MPI_WINDOW_KEY (1ull << 62)
#define HSC_MPI_MESSAGE_KEY (1ull << 62)

hsc_mpi_comm *hsc_mpi_comm_of(hsc_mpi_block *b, uint64_t handle); /* NULL: not to be had. The block: what it takes is charged there; NULL: nowhere */
void hsc_mpi_comm_new(hsc_mpi_block *b, hsc_mpi_comm *parent, uint64_t handle, uint64_t salt, bool by_all); /* just made from `parent` */
/* Just made out of groups, under a name (NULL: not known). */
void hsc_mpi_comm_of_groups(hsc_mpi_block *b, uint64_t handle, const char *name);
/* A handle as C has it, of a communicator or a window: one in both languages, whose handles differ in some libraries. Not after it was freed. */
uint64_t hsc_mpi_in_c(uint64_t handle);
void hsc_mpi_comm_forget(uint64_t handle); /* C's */
void hsc_mpi_window_end(hsc_mpi_comm *c); /* one_sided.c: it is freed, or none */
void hsc_mpi_comm_neighbours(hsc_mpi_block *b, hsc_mpi_comm *c); /* asks for them, once */
static inline int hsc_mpi_world_rank(const hsc_mpi_comm *c, int64_t rank) {
    int64_t n = c->remote_size ? c->remote_size : c->size;
    if (rank < 0 || rank >= n)
        return -1;
    return c->world ? c->world[rank] : (int)rank;
}
/* enum peer_class */
uint32_t hsc_mpi_peer_class(const hsc_mpi_comm *c, int64_t rank);
uint64_t hsc_mpi_type_size(hsc_mpi_block *b, uint64_t handle); /* bytes; handle as above */
void hsc_mpi_type_forget(uint64_t handle);
bool hsc_mpi_on_this_machine(int world_rank);

/* ---- channels (channel.c): messages of one communicator, partner, direction and tag
 * ---------------------------------------- */

typedef struct HSC_MPI_LINE hsc_mpi_channel {
    uint64_t a, b;
    _Atomic uint64_t messages;
    uint64_t last_enter;
    int world; /* world rank of the partner; -1: none */
    uint8_t peer_class;
    struct hsc_mpi_channel *next;
} hsc_mpi_channel;

/* Programs have a few partners, or a few tags, in turns. a: partner in its lower half; b: tag and direction. */
static inline uint32_t hsc_mpi_last_at(uint64_t a, uint64_t b) {
    return (uint32_t)(2 * ((a + 3 * (b >> 1)) & (HSC_MPI_LAST - 1)) + (b & 1));
}
hsc_mpi_channel *hsc_mpi_channel_slow(hsc_mpi_comm *c, uint64_t a, uint64_t b);
/* NULL: there are too many. Channels are never freed. */
static inline hsc_mpi_channel *hsc_mpi_channel_of(hsc_mpi_comm *c, int64_t peer, int64_t tag, bool received) {
    uint64_t a = (uint64_t)c->id << 32 | (uint32_t)peer, b = (uint64_t)(uint32_t)tag << 1 | received;
    hsc_mpi_channel *x = atomic_load_explicit(&c->last[hsc_mpi_last_at(a, b)], memory_order_acquire);
    return x && x->a == a && x->b == b ? x : hsc_mpi_channel_slow(c, a, b);
}
static inline uint64_t hsc_mpi_next(_Atomic uint64_t *n) {
    if (hsc_mpi_lib.multiple)
        return atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
    uint64_t v = atomic_load_explicit(n, memory_order_relaxed);
    atomic_store_explicit(n, v + 1, memory_order_relaxed);
    return v;
}

/* ---- requests (request.c): what was begun and is to be completed
 * ------------------------------------------------------------ */

typedef struct HSC_MPI_LINE hsc_mpi_request {
    uint64_t key; /* handle, C's where the library can tell it; of a message with HSC_MPI_MESSAGE_KEY */
    struct hsc_mpi_request *next;
    hsc_mpi_op *op;
    hsc_mpi_comm *comm;
    hsc_mpi_channel *to, *from;
    uint64_t begun_ns, begin_duration;
    uint64_t sent, room; /* bytes; `room`: of a collective operation its share of the result */
    uint64_t to_sequence, from_sequence;
    uint32_t thread_id, node;
    int32_t dest, source, tag, receive_tag, root;
    uint8_t peer_class;
    uint8_t uses;         /* how often it was one before, modulo 256: what is remembered of that is of no use any more */
    _Atomic bool active;  /* filled and under way; whoever sees it set sees the rest */
    bool persistent : 1, any : 1,
        deferred : 1; /* deferred: counted when it is complete, since its size is not known before */
} hsc_mpi_request;

_Static_assert(sizeof(hsc_mpi_request) == 128, "two lines");

/* In the table, but not filled (begin_request of after.h does it) and not active until hsc_mpi_request_begun; NULL: no memory. `receives`: it is
 * a receive. Operations that are complete at once may share one handle, those of several threads too. `fortran`: Fortran's handle that `key` was made
 * of, else 0. */
hsc_mpi_request *hsc_mpi_request_new(uint64_t key, bool receives, int32_t fortran);
/* Keys of Fortran's handles, in a library whose C's are others: of requests that began in Fortran without asking the library, which locks for it. */
void hsc_mpi_request_keys(const int32_t *fortran, uint64_t n, uint64_t *keys);
static inline void hsc_mpi_request_begun(hsc_mpi_request *r) {
    atomic_store_explicit(&r->active, !r->persistent, memory_order_release);
}
hsc_mpi_request *hsc_mpi_request_get(uint64_t key); /* one that is active, if there is; NULL: not known; stays in the table */
void hsc_mpi_request_end(hsc_mpi_request *r);       /* out of the table */
/* Those of n keys that are active: they are so no more, and out of the table where they are not persistent. Returns how many. To be given back. */
uint32_t hsc_mpi_request_take(const uint64_t *keys, uint32_t n, hsc_mpi_request **out, uint32_t *which);
void hsc_mpi_request_give(hsc_mpi_request *const *taken, uint32_t n);
uint64_t hsc_mpi_request_count(const uint64_t *keys, uint64_t n); /* how many are active */
void hsc_mpi_request_each(void (*visit)(hsc_mpi_request *r, void *context), void *context);

static inline unsigned hsc_mpi_bits(uint64_t v) {
    return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* ---- what a thread has measured (block.c, summary_ss.c)
 * ---------------------------------------------------------------------- */

#define HSC_MPI_DURATIONS 48u
#define HSC_MPI_PATHS 1024u
#define HSC_MPI_PLACES 512u
#define HSC_MPI_HINTS 256u
#define HSC_MPI_ANCHOR_NS 500000u /* the rate is then known to 100 ppm and better: 50 ns at most, less than lies between a program's reading and ours; a tenth as long before */
#define HSC_MPI_SETTLED_NS 500000000u
#define HSC_MPI_EVENTS 32u
#define HSC_MPI_THRESHOLD_NS 100000u /* what is long, at first */
#define HSC_MPI_TAKEN 16u
#define HSC_MPI_COST_EVERY 61u /* a prime: calls come in turns */
#define HSC_MPI_HOT static inline __attribute__((always_inline))

/* What a call adds to a summary and to its partners. */
enum {
    HSC_MPI_NOTE_CALL = 1,      /* counts as a call, which took `duration` */
    HSC_MPI_NOTE_SENT = 2,      /* a message */
    HSC_MPI_NOTE_RECEIVED = 4,  /* a message */
    HSC_MPI_NOTE_COMPLETED = 8, /* what was begun at `node` */
    HSC_MPI_NOTE_SIZED_BY_RECEIVED = 16
};
typedef struct hsc_mpi_note {
    uint32_t node;
    uint16_t operation_id;
    uint8_t peer_class, flags;
    uint32_t thread_id, completions; /* thread_id: of `node`; 0: the thread's own */
    int32_t to, from;                /* world ranks of partners that are counted; -1: none */
    uint64_t duration, sent, received, in_flight, share;
} hsc_mpi_note;

/* Calls are the sum of their durations' histogram; a minimum is that of none (UINT64_MAX) before the first. What calls on end have alike is
 * counted, and added when it changes or is written. What each call touches stands together. */
typedef struct HSC_MPI_LINE hsc_mpi_summary {
    uint64_t key; /* node, operation, classes */
    uint32_t thread_id, next;
    bool dirty;
    uint32_t repeats; /* calls of `same` that are not added yet */
    struct hsc_mpi_same {
        uint64_t sent, received;
        uint32_t completions, flags; /* HSC_MPI_NOTE_... */
    } same;
    uint64_t duration, duration_min, duration_max;
    double duration_squares;
    uint32_t durations[HSC_MPI_DURATIONS];
    uint64_t in_flight, completion, completions;
    uint64_t size_min, size_max, sent_messages, sent_bytes, received_messages, received_bytes;
    double size_squares;
    uint32_t sizes[5];
} hsc_mpi_summary;

typedef struct hsc_mpi_peer {
    uint64_t sent_messages, sent_bytes, received_messages, received_bytes;
    uint32_t rank_1; /* world rank + 1; 0: free */
    bool dirty;
} hsc_mpi_peer;

typedef struct HSC_MPI_LINE hsc_mpi_path {
    uint64_t pc, sp, bp;
    uint32_t node, words, room;
    bool bp_matters;
    uint16_t follower; /* index of the path that was called from next, the last time */
    struct hsc_mpi_word {
        const uint64_t *at;
        uint64_t value;
    } * word; /* of the stack: while they are as they were, so is the path */
} hsc_mpi_path;

struct HSC_MPI_LINE hsc_mpi_block {
    /* two lines of memory with what each call needs; nothing is in a near cache when a program calls */
    hsc_rt_thread *thread;
    uint64_t frame;            /* of the outermost wrapper; 0: none */
    _Atomic uint32_t updating; /* the tables are being changed: no flush by the handler */
    bool polls;                /* the last call that only looks found nothing, right after another one that did not */
    uint32_t generation, types_generation, comms_generation, thread_id, until_cost;
    uint16_t waiting; /* events that are not written yet */
    uint16_t expected, last_path; /* index of the path that the next call is expected from, that the last one came from */
    uint64_t anchor_cycles, anchor_room, anchor_rate, anchor_ns, last_ns; /* room: cycles, 0: no anchor; rate: ns, 32.32 fixed point */
    uint64_t threshold_ns; /* of events */
    uint64_t left_ns;      /* end of the last call in which the library goes on */
    /* summaries and partners; peer_room is a power of two */
    hsc_mpi_summary *summary;
    hsc_mpi_peer *peer;
    uint32_t peer_room;
    uint32_t *bucket, *dirty;
    uint32_t summaries, summary_room, dirties, peers;
    /* calls that only look and find nothing, one right after another, as far as they go on: since when, the end of the last one, what lay between them, and of
     * that pauses and rests; the longest one; their number, and that of our handler's runs at the last one */
    uint64_t looks_since, looked_ns, looks_between, pauses_ns, rests_ns, longest_look_ns;
    uint64_t frame_pc; /* return address of the outermost wrapper: it stands right below `frame` while that has not been left */
    uint32_t looks, looked_beats;
    uint64_t rested_cpu_ns, rested_ns; /* CPU time, as it was asked for last, and when that was; 0: not asked */
    struct {
        uint8_t ahead, passed; /* long pauses that are not to be looked into; of these, so many are over */
    } rests[16];               /* by the node of the call that follows */
    uint64_t outside_ns; /* for long before the call under way the library could not go on, which is in no event yet; 0: it could */
    /* events; in cycles what they cost, and what they did at the last look, in ns the thread's CPU time then and how long they cost little */
    uint64_t threshold_least_ns, event_bytes, events, not_recorded, start_ns;
    uint64_t event_cycles, looked_cycles, looked_cpu_ns, calm_ns;
    uint64_t calm_needed_ns, lowered_ago_ns; /* before the threshold is lowered again, 0: nothing was tried in vain; since it was lowered */
    uint32_t over;                           /* looks on end at which they cost too much */
    bool lowered;                            /* the threshold's last change was that */
    bool threshold_told;
    /* our own time, in cycles: of calls that are measured, one in HSC_MPI_COST_EVERY, and of what is slow, each time; rare: of that, what single ones
     * took beyond HSC_RT_OWN_CYCLES_MAX; passed: as the clock goes on in slow ones; before: of the measured call that is under way, what it took before it */
    uint64_t cost_slow, cost_rare, cost_passed, cost_calls, cost_plain_calls, cost_plain, cost_told, rare_told;
    uint64_t cost_slow_at, cost_passed_at, cost_before;
    /* scratch: handles before a completing call, statuses that the program did not want */
    uint64_t *keys;
    uint8_t *statuses;
    size_t keys_room, statuses_room;
    uint8_t *words; /* arena of the paths */
    size_t words_used, words_room;
    uint32_t walks;
    struct hsc_mpi_block *next;
    struct {
        uint64_t handle, size;
    } types[64];
    struct {
        uint64_t handle;
        hsc_mpi_comm *comm;
    } comms[16];
    uint32_t hint[HSC_MPI_HINTS]; /* by node: the summary noted in last, index + 1 */
    hsc_rec_message_event event[HSC_MPI_EVENTS];
    struct hsc_mpi_place { /* where MPI is called: the return address of that frame lies so far above its stack pointer. 0: free */
        uint64_t hash, offset;
    } place[HSC_MPI_PLACES];
    hsc_mpi_path path[HSC_MPI_PATHS];
};

hsc_mpi_block *hsc_mpi_block_new(hsc_rt_thread *t); /* NULL: no memory */
static inline hsc_mpi_block *hsc_mpi_block_of(hsc_rt_thread *t) {
    return HSC_MPI_USUALLY(t->messages != NULL) ? t->messages : hsc_mpi_block_new(t);
}
#define HSC_MPI_WORDS 4u /* compared at once: there is a multiple of them */
/* Its words are of this thread's own stack: they can be read whatever has become of the frames. */
HSC_MPI_HOT bool hsc_mpi_is_here(const hsc_mpi_path *p, const hsc_rt_here *here) {
    if (p->pc != here->pc || p->sp != here->sp || !p->node || (p->bp_matters && p->bp != here->bp))
        return false;
    uint64_t differ = 0;
    for (const struct hsc_mpi_word *w = p->word, *end = w + p->words; w != end; w += HSC_MPI_WORDS) {
        differ |= *(const volatile uint64_t *)w[0].at ^ w[0].value;
        differ |= *(const volatile uint64_t *)w[1].at ^ w[1].value;
        differ |= *(const volatile uint64_t *)w[2].at ^ w[2].value;
        differ |= *(const volatile uint64_t *)w[3].at ^ w[3].value;
    }
    return !differ;
}

#define HSC_MPI_WAYS 8u
HSC_MPI_HOT uint64_t hsc_mpi_place_hash(const hsc_rt_here *here) {
    return (here->pc ^ here->sp * 0x9e3779b97f4a7c15u) * 0xc2b2ae3d27d4eb4fu;
}
/* Told apart by the caller, by its stack pointer and, where it is known where that lies, by the return address of the caller's caller: a
 * procedure that sends for many others has as many paths. */
HSC_MPI_HOT hsc_mpi_path *hsc_mpi_paths_of(hsc_mpi_block *b, const hsc_rt_here *here) {
    uint64_t h = hsc_mpi_place_hash(here);
    const struct hsc_mpi_place *place = &b->place[h >> 32 & (HSC_MPI_PLACES - 1)];
    if (__builtin_expect(place->hash == h, 1))
        h ^= *(const volatile uint64_t *)(here->sp + place->offset) * 0x9e3779b97f4a7c15u; /* NOLINT */
    return &b->path[h >> 54 & (HSC_MPI_PATHS - HSC_MPI_WAYS)];
}

HSC_MPI_COLD uint32_t hsc_mpi_node_slow(hsc_mpi_block *b, const hsc_rt_here *here);
/* The node of the caller's call path; 0: not to be had. Programs call in the same order again and again: the path that followed the last
 * time is looked at first, and nothing else where it is that one. */
HSC_MPI_HOT uint32_t hsc_mpi_node(hsc_mpi_block *b, const hsc_rt_here *here, uint32_t generation) {
    uint16_t i = b->expected;
    const hsc_mpi_path *p = &b->path[i];
    if (HSC_MPI_RARELY(b->generation != generation || !hsc_mpi_is_here(p, here)))
        return hsc_mpi_node_slow(b, here);
    b->last_path = i;
    b->expected = p->follower;
    return p->node;
}

static inline uint64_t hsc_mpi_own_begin(hsc_rt_thread *t) {
    return hsc_rt_own_begin_of(t, heatscope_rt_services.state);
}

/* A slow part of a call, which began at `begin` (hsc_mpi_own_begin). */
static inline void hsc_mpi_was_slow(hsc_mpi_block *b, uint64_t begin) {
    uint64_t own = hsc_rt_own_since(b->thread, heatscope_rt_services.state, begin);
    b->cost_slow += own;
    b->cost_rare += own > HSC_RT_OWN_CYCLES_MAX ? own - HSC_RT_OWN_CYCLES_MAX : 0;
    b->cost_passed += hsc_cycles() - begin;
}

HSC_MPI_COLD uint64_t hsc_mpi_clock_slow(hsc_mpi_block *b);
/* CLOCK_MONOTONIC, by the cycle counter where that is steady. *cycles: what that said. */
HSC_MPI_HOT uint64_t hsc_mpi_clock(hsc_mpi_block *b, uint64_t *cycles) {
    uint64_t passed = (*cycles = hsc_cycles()) - b->anchor_cycles;
    if (HSC_MPI_RARELY(passed >= b->anchor_room))
        return hsc_mpi_clock_slow(b);
    uint64_t now = b->anchor_ns + (passed * b->anchor_rate >> 32);
    return b->last_ns = now > b->last_ns ? now : b->last_ns;
}
bool hsc_mpi_scratch(hsc_mpi_block *b, void **buffer, size_t *room, size_t wanted);

hsc_mpi_summary *hsc_mpi_summary_slow(hsc_mpi_block *b, uint32_t thread_id, uint64_t key); /* NULL: no memory */
static inline uint32_t hsc_mpi_peer_slot(uint32_t rank_1, uint32_t room) {
    return (uint32_t)(rank_1 * 0x9e3779b97f4a7c15u >> 40) & (room - 1);
}
hsc_mpi_peer *hsc_mpi_peer_slow(hsc_mpi_block *b, int world_rank); /* NULL: nobody, or no memory */
static inline uint64_t hsc_mpi_size(uint64_t sent, uint64_t received, uint32_t flags) {
    return flags & HSC_MPI_NOTE_SIZED_BY_RECEIVED ? received : sent;
}
/* Adds what was counted. */
void hsc_mpi_fold(hsc_mpi_summary *s);
/* Writes what is new; handlers call it too. `now` ns. Returns the bytes that it took, about. */
uint64_t hsc_mpi_flush(hsc_rt_thread *t, uint64_t now_ns, bool last);
/* event_ss.c: writes those that wait; looks now and then at what they cost. The thread owns its writer; of the latter it is the caller. */
void hsc_mpi_events_write(hsc_mpi_block *b);
void hsc_mpi_events_govern(hsc_mpi_block *b, uint64_t now_ns);
void hsc_mpi_file_put(uint32_t record_id, const void *record, uint64_t now_ns);
HSC_MPI_COLD uint32_t hsc_mpi_op_id_slow(hsc_mpi_op *op);

/* ---- a call (call.c)
 * ---------------------------------------------------------------------------------------------------------- */

/* Lives in registers as far as it can: a wrapper made for its operation never passes its address on (slow parts get a copy). */
typedef struct hsc_mpi_call {
    hsc_rt_thread *thread;
    hsc_mpi_block *block;
    hsc_mpi_op *op;
    uint64_t *a;
    bool any;
    bool found; /* of a call that completes requests: it has */
    uint8_t language; /* hsc_mpi_language */
    uint8_t peer_class;
    uint32_t node, old_state;
    uint64_t enter, enter_cycles;
    uint64_t stands_for; /* events of what it completes (after.h) */
    uint64_t since; /* of a call that only looks: when the first of those in vain began that it follows; else as `enter` */
    hsc_mpi_comm *comm;
    hsc_mpi_channel *to, *from;
    hsc_mpi_request *request; /* matched message */
    int64_t dest, source, tag, receive_tag, root;
    uint64_t sent, room, received;
    uint64_t to_sequence, from_sequence;
    uint8_t *own_status;   /* HSC_MPI_STATUS_ROOM bytes; for a status that the program did not want */
    const uint8_t *status; /* of the completing call or the receive; NULL: none */
    uint64_t n, handle;
    uint64_t cost_begin; /* cycles; 0: this call's cost is not measured */
} hsc_mpi_call;

#define HSC_MPI_STATUS_ROOM 32u

/* For any operation. False: not measured, call the real function and do no more. */
bool hsc_mpi_begin(hsc_mpi_call *c, hsc_mpi_op *op, uint64_t *a, uint8_t *own_status, hsc_mpi_language l,
                   const hsc_rt_here *here);
void hsc_mpi_end(hsc_mpi_call *c, int error);

#endif
