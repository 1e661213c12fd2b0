/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The steps of a join and what they hand on; only for files of this folder.
 *
 * Every file is read twice, and nothing that grows with the samples, call paths or values of all files is kept in memory: what is
 * distinct goes into tables of the join (modules, places, frames, contexts, kinds), the rest into lists of the spill file.
 *
 *   measures.c    messages and waits: their own tables, and metrics beside the sampled ones
 *   read.c        files -> processes and threads; what their records count            (parallel over files)
 *   first.c       first reading: which modules, addresses and call paths there are
 *   generated.c   code in no file, by what its makers tell of it
 *   resolve.c     modules and distinct addresses -> frames                            (parallel over modules)
 *   scopes.c      static scope tree, files, lines
 *   data.c        loops, arrays, references, messages, directives, in the order of the database
 *   addresses.c   samples by address; the instructions there
 *   contexts.c    frames -> one calling-context tree
 *   users_place.c what is counted in headers of the system and in languages' libraries -> the user's own code; lines of loops that the compiler wrote
 *   tails.c       calls of MPI and forks of regions by a jump at the end of a procedure: where that was
 *   second.c      second reading: threads' counts by kind of sample, samples by time  (parallel over files)
 *   kinds.c       kinds of samples in their order, threads' profiles by their rows    (parallel over threads)
 *   waited.c      samples in calls of message passing, by whether these waited then   (parallel over threads)
 *   weights.c     what samples of other weights than 1 do to intervals
 *   values.c      profiles -> value tables                                            (parallel over threads)
 *   blame.c       who was waited for, and what it did meanwhile (blame.h)
 *   ledger.c      where every sample went
 *   times.c       samples in the order of time, a few threads at a time
 *   instants.c    a thread's samples by time in the spill file
 *   ranks.c       the same on several ranks (ranks.h): what they tell each other between the steps
 *   cache.c       what the next join need not read again (cache.h)
 *   details.c     what is kept of each process but lists: in memory or, where that would be too much, parked
 *   emit.c        all of it into the store: emit_data.c what data.c made, emit_details.c, told_emit.c what is kept of processes
 */
#ifndef HEATSCOPE_JOIN_INTERNAL_H
#define HEATSCOPE_JOIN_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include <heatscope/formats/records.h>
#include <heatscope/formats/stream.h>
#include <heatscope/query.h>

#include "code.h"
#include "instants.h"
#include "join.h"
#include "pool.h"

#define STATES 8u         /* of enum state */
#define CATEGORIES 7u     /* built in: state - 1; those of the user follow */
#define CATEGORIES_MAX 32u
#define LOSS_REASONS 8u
#define LEVELS 6u
#define METRICS_MAX 16u /* further events are left out */
#define THREAD_SAMPLES_MAX 0xFFFFFFFFull /* so that every cell of every table fits 32 bits */

/* ---- what a measurement file holds ---- */

typedef struct jnode { /* node of a thread's tree; a parent stands before its children */
    uint64_t id, address;
    uint32_t parent;  /* row; HSC_NO_INDEX: outermost, or its parent is lost */
    uint32_t mapping; /* row of the process's mappings; HSC_NO_INDEX: none */
    uint32_t flags;   /* HSC_node_flag_*, JNODE_TASKS */
    uint32_t frame;   /* first.c: row of join.frames */
} jnode;
#define JNODE_TASKS 0x80000000u /* no frame of its own (record task_node): that of node `address` of the thread whose id is `frame` until then */

typedef struct jframe { /* a node of any thread's tree: equal ones are one */
    uint32_t parent;    /* row; HSC_NO_INDEX: outermost */
    uint32_t place;     /* while files are read: row of join.addresses; then of join.places */
    uint32_t context;   /* contexts.c; HSC_NO_INDEX: of no process that counts */
    uint32_t way;       /* from what its caller called to it, by jumps: row of join.ways, counted from 1; 0: there are no frames missing, or none are known */
    uint8_t truncated;  /* the outer part of its path is not known */
    uint8_t marks;      /* JMARK_* */
} jframe;
#define JMARK_PROGRAM 1u  /* met in a process that may count */
#define JMARK_LAUNCHER 2u /* met in one that only starts others */
#define JMARK_UNSAMPLED_SHIFT 2 /* the same of processes with nothing to count, which count where none has a sample */

typedef struct jaddress { /* as processes know it */
    uint64_t address;
    uint32_t module; /* row of join.met; HSC_NO_INDEX: in none */
    uint8_t exact, marks;
} jaddress;

typedef struct jkind { /* what a sample can count in; equal ones are one */
    uint32_t context;  /* until kinds.c: row before contexts are numbered */
    uint32_t line;     /* row; HSC_NO_INDEX */
    uint32_t instance; /* row; HSC_NO_INDEX */
    uint32_t place;    /* row, as they are met; HSC_NO_INDEX: of none. Sorted ones are of all places */
    uint8_t state, level, metric, spare;
} jkind;

typedef struct jcount { /* of a thread's profile: each kind once, but where 32 bits are too few */
    uint32_t kind;      /* row; until kinds.c in the order in which they were met */
    uint32_t count;
} jcount;

typedef struct jplace_count { /* values of a thread at a place */
    uint32_t place; /* row of join.places */
    uint32_t metric, count;
} jplace_count;

typedef struct jspecial { /* samples whose kind does not follow from node and state */
    uint32_t row, kind;   /* of the node; HSC_NO_INDEX: none. kind: HSC_NO_INDEX: not known */
    uint8_t state, is_event;
} jspecial;

typedef struct jevent_time { /* of an event in a thread; where events take turns, it runs for less than it is enabled */
    uint64_t event, enabled_ns, running_ns;
} jevent_time;

typedef struct jfork { /* where a thread forked OpenMP regions */
    uint64_t node;          /* id of its node */
    uint32_t context, line; /* contexts.c: of the caller, and the row of its line; HSC_NO_INDEX: not known (yet) */
    uint32_t place;         /* row of its frame; as the line */
    uint32_t region;        /* regions.c: that stands for all that were forked here; 0: no wait has told of one */
} jfork;

typedef struct jregion {
    uint64_t thread_id;
    uint32_t fork; /* row of its forks */
} jregion;

typedef struct jwork { /* of a thread, while its file is read */
    HSC_VEC(jnode) nodes;
    hsc_table node_rows; /* id: row, only for ids that are not row + 1 */
    HSC_VEC(uint32_t) counts;      /* by row * STATES + state; metric 0 */
    uint32_t no_path_counts[STATES];
    hsc_table other_counts;        /* (region << 32 | row, event << 8 | state): row of other_values */
    HSC_VEC(uint64_t) other_values;
    HSC_VEC(jevent_time) event_times;
    uint64_t lost_ns[LOSS_REASONS]; /* times of the last records */
    HSC_VEC(jcount) profile;       /* in the order in which it is made */
    HSC_VEC(jplace_count) places;
    /* second.c, times */
    hsc_table special_rows;        /* (row of the node * STATES + state, event and region): row of specials */
    HSC_VEC(jspecial) specials;
    uint32_t *plain_kinds;         /* by row of the node * STATES + state, then those without a node */
    HSC_VEC(uint32_t) plain_met;   /* rows of plain_kinds that are set, rising */
    uint32_t last_tick;
    /* regions.c */
    HSC_VEC(jfork) forks;
    hsc_table fork_rows; /* id of the node: row of forks */
    uint64_t region;     /* of the samples that follow in the chunk; 0: none */
    bool is_odd;         /* it has samples that are not counted, or in a region of a number that no runtime gives */
    hsc_table worked;    /* (row * STATES + state, region): row of worked_counts, a part of counts */
    HSC_VEC(uint32_t) worked_counts;
} jwork;

typedef struct jthread {
    uint64_t id, tid, creator;
    const char *name;
    uint64_t begin_ns, end_ns; /* end 0: unknown */
    uint64_t cpu_ns, own_ns, said_samples, said_lost, said_truncated;
    uint64_t lost[LOSS_REASONS], lost_other;
    uint64_t samples;    /* weights of metric 0 read */
    uint64_t refused;    /* weights that could not be counted: the thread's total would pass 2^32 */
    uint64_t no_path;    /* weights of samples whose node is 0 or lost */
    uint64_t truncated;  /* second.c: weights of samples whose path is marked as truncated */
    double excess;       /* weights.c: of metric 0, the sum of w (w - 1) */
    uint64_t timed_samples; /* records that count */
    uint64_t records;    /* of metric 0: samples, each of which stands for one period or more */
    hsc_rec_thread_usage usage; /* the last; time 0: none */
    bool seen_start, ended, has_values; /* has_values: other than samples of metric 0: waits, messages, visits of probes */
    bool idle;  /* blame_counted.c: it waits for work, which others of its process do */
    bool holds; /* a lock, or others up at a barrier, in a wait with a record of its own: what it did at which time is kept */
    bool passes; /* messages, one at a time: what its samples in calls are follows from others' files */
    uint32_t row;        /* in the database's table; HSC_NO_INDEX: left out */
    struct jprocess *process;
    jwork *work;         /* NULL: its file is not being read */
    /* second.c */
    uint64_t counts, samples_by_time; /* items of profile and of instants, whoever has them */
    uint64_t copied;                  /* ranks_lists.c: of another rank's profile, here */
    hsc_spill_list profile; /* jcount */
    hsc_spill_list places;  /* jplace_count, as its nodes stand: of a place there may be several */
    jinstants instants;
    hsc_spill_list instant_kinds; /* by key of an instant: as plain_kinds, then of specials; none: instants have kinds for keys */
    uint64_t plain_count;    /* of them before those of specials */
    bool has_kinds;          /* its instants have kinds for keys, and each has one */
    bool has_pairs;          /* a thread of the cache: instant_kinds has those of specials alone, and in place of the others stand */
    hsc_spill_list kind_pairs; /* key << 32 | kind, where there is one */
    const struct jgrown_thread *gone_on; /* grown.h: what its first samples are known to be, which are in no list; NULL: all are */
    struct jlate *late;      /* cache.h: its instants are still in the cache, `instants` has their number; NULL: they are not */
} jthread;

typedef struct jmapping {
    uint64_t id;
    const char *path;
    const uint8_t *build_id;
    size_t build_id_size;
    uint64_t file_size, file_mtime_ns;
    uint64_t address, size, bias;
    uint32_t module; /* row of join.modules */
} jmapping;

typedef struct jevent {
    uint64_t id;
    const char *name, *unit;
    double period;
    double excess;    /* weights.c: the most that a thread has */
    uint64_t most;    /* measures.c: the most that a thread has */
    uint32_t metric;
    uint64_t divisor; /* of values that are no samples, so that a thread's fit 32 bits; 0: 1 */
} jevent;

/* Events that are no samples: what wrappers counted and timed, exactly. Their ids in jprocess.events. */
enum {
    JOIN_MEASURE_WAITING = 1u << 16, /* ns */
    JOIN_MEASURE_MPI_TIME,           /* ns */
    JOIN_MEASURE_MPI_CALLS,
    JOIN_MEASURE_SENT,     /* bytes */
    JOIN_MEASURE_RECEIVED, /* bytes */
    JOIN_MEASURE_IO,       /* bytes */
    JOIN_MEASURE_END
};
/* Added to an event's id: the event whose values are the sums of w (w - 1) over its samples of weight w. */
#define JOIN_EXCESS (1ull << 32)
#define JOIN_EVENTS_MAX (1ull << 16) /* sampled events of larger ids are left out */
#define JOIN_BUCKETS 65u /* 0: nothing; b: 2^(b-1) to 2^b - 1 */

typedef struct jsite { /* where something was counted */
    uint64_t thread, node; /* ids */
    uint32_t context, line; /* contexts.c: rows; line HSC_NO_INDEX: unknown */
    uint32_t region;        /* of a worker of an OpenMP region: hsc_join_region_at; 0: none */
    uint32_t column;        /* in the line; 0: not known */
} jsite;

typedef struct jspot { /* where a node is; context HSC_NO_INDEX: nowhere, the thread was not running */
    uint32_t context, line, instance;
} jspot;

typedef struct joperation {
    uint64_t id;
    const char *name;
    uint32_t kind, state;
} joperation;

typedef struct jmessage {
    uint32_t site, operation; /* rows of the process */
    uint32_t peer, size;      /* classes */
    uint64_t calls, sent, sent_bytes, received, received_bytes, size_min, size_max;
    uint64_t duration_ns, duration_min, duration_max, completions, in_flight_ns, completion_ns;
    double size_squares, duration_squares;
    uint64_t *sizes, *durations; /* JOIN_BUCKETS each, of the pool; NULL: none */
    uint32_t row;                /* emit_details.c: in the table of messages; HSC_NO_INDEX: not there */
} jmessage;

typedef struct jpeer { /* messages with the process of this rank in the world */
    uint32_t rank;
    uint64_t sent, sent_bytes, received, received_bytes;
    uint32_t row; /* peers.c: in the table of pairs */
} jpeer;

typedef struct jwait {
    uint32_t site, holder; /* holder: site where the lock was given back; HSC_NO_INDEX */
    uint32_t kind;
    uint64_t count, total_ns, max_ns, bytes;
    uint64_t moved_ns; /* while the file is read: of total_ns, what belongs to rows with a holder */
    uint64_t *durations; /* JOIN_BUCKETS, of the pool; NULL: none */
    uint32_t row;        /* emit_details.c: in the table of waits; HSC_NO_INDEX: not there */
} jwait;

typedef struct jopen_wait { /* while its file is read: part of a wait that goes on, whose holder is not known yet; or, where the records stand
                             * in another order, what a holder still gets of such parts */
    uint32_t row, to; /* of waits; to: row of the holder that gets it; HSC_NO_INDEX: a part */
    uint64_t time, ns;
} jopen_wait;

typedef struct jspan { /* a wait or a message of a trace; the context as it was met */
    uint32_t thread, context, line;
    uint8_t what, kind, category;
    uint64_t begin_ns, length_ns, bytes;
} jspan;

typedef struct jopen_span { /* while its file is read */
    jspan span;
    uint64_t stream, node, operation; /* ids; operation 0: a wait */
} jopen_span;

typedef struct jcontext { /* node of a calling-context tree */
    uint32_t parent;
    uint32_t scope;     /* row of the scope table */
    uint32_t call_line; /* row; HSC_NO_INDEX */
    uint8_t kind;       /* hsc_context_kind */
} jcontext;

typedef struct jgone { /* how a process ended, by who waited for it */
    uint64_t input, told; /* of the options; as in the line */
} jgone;

typedef struct jprocess {
    hsc_pool pool;
    struct join *join; /* while the file is read */
    const char *path; /* of the file */
    uint32_t input;   /* which of the options' inputs */
    uint32_t owner;   /* rank that reads the file and has its lists */
    const struct jprocess *known; /* while the file is read for the second time: what the first time found */
    hsc_table seen; /* offset of a chunk, 0: where in it the last record began that was taken; of files that may grow only */
    uint64_t seen_chunk; /* while it is read: the chunk at hand, which is looked up once and not for each record; UINT64_MAX: none */
    uint32_t seen_last;  /* what `seen` has of it, or is to have */
    bool is_foreign, has_start;
    bool is_launcher, has_unknown; /* has_unknown: nodes in no module, or samples without a node */
    bool has_strangers; /* nodes of code in no file, named or not (generated.h) */
    const char *problem; /* ""; of the join's pool */
    int64_t rank;
    uint64_t vector_bytes; /* the longest vectors of its processor; 0: not known */
    uint64_t pid, parent_pid, ranks, start_unix_ns, start_ns, period_ns, last_ns;
    const char *host, *executable, *arguments, *environment, *mechanism, *mechanism_note, *job;
    uint64_t end_ns, end_cpu_ns, end_kind;
    bool has_end;
    uint64_t facts; /* of its file, that had ended, when its checksums were found right; 0: they were not, or not in this join */
    uint64_t chunks, chunks_unsealed, chunks_bad, records, records_bad, records_unknown;
    HSC_VEC(jmapping) mappings;
    HSC_VEC(jevent) events;
    HSC_VEC(jthread) threads;
    HSC_VEC(jregion) regions;
    hsc_table region_rows; /* id: row of regions */
    HSC_VEC(jsite) sites;
    HSC_VEC(uint32_t) site_order; /* rows of sites by thread */
    HSC_VEC(joperation) operations;
    HSC_VEC(jmessage) messages;
    HSC_VEC(jwait) waits;
    hsc_table site_rows, message_rows, wait_rows;
    hsc_table holder_rows; /* while the file is read: (id of a thread that `holds`, 0); id 0: all */
    hsc_table passer_rows; /* the same, of those that pass messages */
    HSC_VEC(jpeer) peers;
    hsc_table peer_rows; /* (rank, 0): row of peers */
    uint64_t waited; /* waited.c: a hash over its calls' waiting; 0: nothing is known of any */
    struct jblame *blame; /* blame.h; NULL: passes no messages, and nobody waited long for a lock */
    struct jtold *told; /* told.h; NULL: nothing */
    uint64_t interrupt_ns; /* what a sample takes but for its handler; 0: not told */
    uint64_t samples;
    bool works;    /* has a sample, messages, visits of probes, or told of phases or counters */
    bool counts;   /* works, or waited for a period or longer */
    bool left_out; /* launcher, or nothing to count */
    uint32_t weight; /* units of metric 0's scale that one of its samples counts */
    bool is_parked;       /* details.c: sites, messages, waits, peers, told and the pool are not in memory */
    hsc_spill_list parked_sites, parked; /* jsite; bytes of the rest */
    struct jgrown *grown; /* grown.h: what the join before knew of its file, borrowed; NULL: nothing */
    struct jgrown *grows; /* the same for the next one */
    struct jreading *reading; /* the same, while the file is read */
    bool passes;          /* messages, or tells of operations that may */
    struct jkept *kept;   /* cache.h; NULL: goes into no cache */
    hsc_spill_list spans; /* times.c: jspan, in the order of the database */
    HSC_VEC(jopen_span) open_spans; /* while the file is read */
    HSC_VEC(jopen_wait) open_waits; /* the same */
    hsc_spill_list slices; /* slices.h: bytes, in the order of the file */
} jprocess;

/* ---- code ---- */

typedef struct jmodule {
    const char *path;
    const uint8_t *build_id;
    size_t build_id_size;
    uint64_t file_size, file_mtime_ns;
    uint8_t marks, main_marks; /* JMARK_*: of the processes that have it, and whose program it is */
    bool is_main; /* the program of a process */
    bool is_whole; /* shown with all its procedures and lines, not only those with samples */
    hsc_code *code;
    hsc_code_tables tables;
    const hsc_code_data *data; /* NULL: none */
    hsc_err err;
    HSC_VEC(uint32_t) address_rows; /* rows of join.places, in address order */
    HSC_VEC(uint32_t) procedure_scopes, loop_scopes, file_rows, instance_rows; /* by index in the code's tables */
    HSC_VEC(uint32_t) array_rows, site_rows, directive_rows;                   /* the same, of the code's data */
    HSC_VEC(uint8_t) procedure_used;
    HSC_VEC(hsc_code_element) elements; /* of all its places */
    hsc_table line_keys;                /* file << 32 | line, 0: row of line_scopes */
    HSC_VEC(uint64_t) line_list;        /* file << 32 | line */
    HSC_VEC(uint64_t) line_scopes;      /* procedure << 32 | loop */
    uint32_t pseudo_file;       /* row of the file that stands for its code without lines; HSC_NO_INDEX: not needed */
    uint32_t unknown_procedure; /* scope row for code without a name; HSC_NO_INDEX: not needed */
} jmodule;

typedef struct jplace { /* a distinct address */
    uint64_t address;
    uint32_t module;
    bool exact;
    uint8_t level; /* hsc_join_level */
    uint32_t element_begin, element_count; /* in the module's elements: indices of the code's tables */
    uint32_t file, line, column;           /* of the code's tables; column 0: not known */
    uint32_t instance;                     /* of the code's tables */
    uint32_t line_row;                     /* in the line table */
    uint32_t instruction;                  /* in the instruction table; HSC_NO_INDEX: no samples */
    uint32_t release;                      /* row: where what is called here gives a lock back by a jump; HSC_NO_INDEX: nowhere */
    uint32_t forked;                       /* of a region's body, row: the jump by which its procedure forks it; HSC_NO_INDEX: by none */
    uint64_t weight;                       /* samples of metric 0 */
    bool has_values;
    bool is_inner;                         /* users_place.c: what is counted here, not sampled, belongs to who called it */
} jplace;

typedef struct jtail { /* what is called at a place ends in a jump to a call of MPI, or to one that forks a region of OpenMP */
    uint64_t operation; /* hsc_code_operation_key, HSC_CODE_FORK; 0: all of MPI that it may be, as far as their ways are one */
    uint32_t place;     /* row of places */
    uint32_t first, n;  /* rows of places: the jumps, one after the other */
} jtail;

typedef struct jway { /* rows of places: jumps of procedures that have no frame, one after the other */
    uint32_t first, n;
} jway;

/* ---- the database's rows ---- */

typedef struct jscope {
    uint64_t tag;
    uint32_t parent, subtree_end;
    uint8_t kind, knowledge;
    const char *name, *linkage;
    uint32_t procedure, module, file, line_begin, line_end, column, depth;
    bool is_unoptimised;
    bool is_own, is_users; /* users_place.c: procedure, or part of one, of the program; and not of a header of the system */
} jscope;

typedef struct jfile {
    const char *path, *checksum;
    uint32_t module;
    bool has_lines;
} jfile;

typedef struct jline {
    uint32_t file, line, scope;
} jline;

typedef struct jinstance {
    uint32_t scope, function, version, vector_width, interleave, unroll, vector_bytes;
    uint32_t parent; /* row; HSC_NO_INDEX */
} jinstance;

typedef struct jremark {
    uint32_t scope, file, line, kind;
    const char *pass, *name, *message;
    uint32_t reason, count;
    uint32_t function; /* scope; HSC_NO_INDEX */
} jremark;

typedef struct jdependence {
    uint32_t scope, kind, verdict, has_distance;
    uint32_t source_file, source_line, source_column, sink_file, sink_line, sink_column;
    uint64_t distance;
} jdependence;

/* Rows of data.c: where the row is of, in the database's rows, and what the map says. */
typedef struct jplaced {
    uint32_t scope, file, line, column; /* HSC_NO_INDEX, 0 */
    uint32_t module, row;               /* of the module's tables */
} jplaced;

typedef struct jtree { /* contexts, children after their parents */
    jcontext *nodes;
    size_t n, cap;
    hsc_table rows; /* (parent << 32 | scope, kind << 32 | call_line) */
} jtree;

typedef struct jdata {
    HSC_VEC(jplaced) loops, checks, arrays, references, sites, arguments, links, directives, runtime_calls, handed; /* the scope of handed: row of the line */
} jdata;

typedef struct jmetric {
    const char *name, *unit;
    double scale;
    bool exact; /* counted or timed, not sampled */
    uint32_t weights, weights_of; /* weights.c: the other metric of the pair; HSC_NO_INDEX: none */
    bool is_added; /* made of what several processes say of one another */
} jmetric;

typedef struct jdelay { /* calls of one place and thread that came late */
    uint32_t kind, thread, context, line;
    uint64_t waits;
    double wait_s, indirect_s, caused_s;
    uint8_t idle, for_work; /* blame_counted.c. idle: who waited had nothing to do */
} jdelay;

typedef struct jdelayed { /* those who waited for them */
    uint32_t delay, thread, context, line, begun;
    uint64_t waits;
    double wait_s, max_s;
    uint32_t victim; /* blame.c: row of victims */
} jdelayed;

typedef struct jdelay_place { /* what the late thread did before */
    uint32_t delay, context, line;
    double direct_s, caused_s;
    double for_work_s, counted_s; /* of caused_s; for_work_s: waits of who had nothing to do */
    uint8_t of_libraries;         /* blame_counted.c, as counted_s */
    uint8_t not_running, wait_kind; /* wait_kind: of the call it was in; 0: in none that is timed */
    uint32_t column;                /* of that call; 0: not known */
} jdelay_place;

typedef struct jrule { /* categories.def tells what they mean */
    uint8_t what, strong, category; /* strong: 1, 0 or HSC_JOIN_BODY */
    const char *pattern;
} jrule;

enum { HSC_JOIN_PROCEDURE, HSC_JOIN_WORKER, HSC_JOIN_MODULE };
#define HSC_JOIN_BODY 2

typedef struct jledger {
    const char *name, *meaning;
    uint64_t samples;
    double seconds;
    uint32_t group;
} jledger;

enum { JTOOK = 5 };

typedef struct join {
    const hsc_join_options *options;
    unsigned workers;
    hsc_pool pool;
    pthread_mutex_t lock;        /* of the pool, while files are read, and of `growing` */
    pthread_rwlock_t tables;     /* of what is distinct, while files are read */
    HSC_VEC(jprocess) processes; /* one for each file, sorted by (rank, host, pid, path) */
    HSC_VEC(const char *) map_dirs; /* folders of what was kept aside of modules: the inputs', then those that are asked for; while modules are read */
    HSC_VEC(jmodule) met;        /* modules as they were met; resolve.c takes them */
    hsc_table met_rows, address_rows, frame_rows;
    HSC_VEC(jaddress) addresses;
    HSC_VEC(jframe) frames;      /* from tail_frames_from on: of tails */
    size_t tail_frames_from;     /* 0: there are none */
    HSC_VEC(jtail) tails;        /* by place and operation */
    HSC_VEC(jway) ways;
    hsc_table tail_frames;       /* (row of frames, key of an operation): row of frames */
    jtree growing;               /* contexts as they were met */
    hsc_table kind_rows;         /* while files are read */
    uint32_t *frame_kinds;       /* by row of the frame * STATES + state, while they are: row of the kind of samples there, in the frame's own context; HSC_NO_INDEX: not met. NULL: not kept */
    HSC_VEC(jkind) kinds;        /* then in the order of by_kind in kinds.c */
    uint32_t *kind_order;        /* by row before that, as this rank met them: row; behind `own_kinds` of these by row as all ranks met them */
    uint32_t *met_places, *met_twins; /* by row as all ranks met them: place; row of that of the other state, HSC_NO_INDEX: none. NULL where times are not kept */
    size_t own_kinds, met_kinds, paired_kinds; /* paired: of twins and kind_used */
    HSC_VEC(uint32_t) met_threads; /* by row as this rank met them, behind own_kinds as all did: the first thread that may have samples by time of it */
    uint32_t *twins;             /* waited.c: by row, that of the other state; HSC_NO_INDEX: none. NULL: there are none */
    uint8_t *kind_used;          /* by row: a sample has it */
    HSC_VEC(uint32_t) context_map; /* by row of `growing`: row of contexts; HSC_NO_INDEX: nothing counts there */
    uint64_t total[CATEGORIES_MAX], attributed[LEVELS]; /* samples of metric 0 */
    struct hsc_schema_cache *schemas;
    uint64_t tick_ns, end_tick;  /* of samples by time */
    unsigned marks;              /* of what belongs to processes that count */
    HSC_VEC(jmodule) modules;
    HSC_VEC(jplace) places;
    HSC_VEC(jscope) scopes;
    HSC_VEC(jfile) files;
    HSC_VEC(const char *) file_names; /* of files, without folders: on all ranks */
    struct hsc_probed *probed;       /* probed.c; NULL: not asked for */
    HSC_VEC(jline) lines;
    hsc_table line_rows; /* (file << 32 | line, 0) */
    HSC_VEC(jinstance) instances;
    HSC_VEC(jremark) remarks;
    HSC_VEC(jdependence) dependences;
    jdata data;
    HSC_VEC(jmetric) metrics;
    HSC_VEC(jcontext) contexts;      /* pre-order */
    HSC_VEC(uint32_t) subtree_ends;  /* by context */
    HSC_VEC(uint32_t) depths;
    HSC_VEC(uint8_t) context_categories;
    HSC_VEC(const char *) categories; /* names */
    HSC_VEC(jrule) rules;
    uint32_t unknown_module;         /* stands for code in no file; HSC_NO_INDEX: not needed */
    uint32_t no_path_context;        /* of `growing`; HSC_NO_INDEX */
    uint32_t no_path_scope;          /* scope of samples without a call path; HSC_NO_INDEX */
    HSC_VEC(jthread *) threads;      /* rows of the thread table */
    HSC_VEC(jprocess *) run;         /* rows of the process table */
    HSC_VEC(jledger) ledger;
    struct jmachine *machine; /* addresses.c; NULL: rank 0 has it */
    uint64_t instruction_rows; /* where rank 0 has the machine */
    uint8_t metric_rows[256];  /* of metrics as profiles were made with: blame.c puts some between */
    hsc_spill *spill;
    uint64_t memory;                 /* bytes that may be used for what grows with the input */
    uint64_t details_max, details_bytes; /* details.c: in memory */
    const struct hsc_team *team;     /* ranks.h; NULL: alone */
    struct jcache *cache;            /* cache.h; NULL: none */
    const struct hsc_seal_key *key;  /* of what is kept for the next join; NULL: nothing is */
    struct hsc_seal *program;        /* the file that runs */
    struct jsealed *sealed;          /* made.h: by number of the file as they were listed; NULL: not sealed */
    struct jkept_code *kept_code;    /* kept_code.c; NULL: what is known of modules is not kept */
    struct jmade *made;              /* made.h; NULL: nothing is kept of what the database was made from */
    bool is_made;                    /* the database is what would be made */
    bool keeps_nothing;              /* of the database that is there: it can't be read */
    bool bad_before;                 /* the join failed for that */
    bool goes_on;                    /* grown.h: with some thread's first samples */
    bool bad_grown;                  /* the join failed for that */
    bool bad_cache;                  /* what the cache has of instants is damaged */
    hsc_file_facts made_facts;       /* of the database, when it is in its place */
    hsc_looks generated_looks;       /* generated.c: files that may tell of code in no file; under `lock` */
    HSC_VEC(uint32_t) growing_map, kind_map; /* by rows as this rank made them: rows of all ranks; empty: the same */
    struct jdelays *matched; /* blame.h: from hsc_join_match to hsc_join_blame */
    HSC_VEC(jdelay) delays;
    HSC_VEC(jdelayed) delayed;
    HSC_VEC(jdelay_place) delay_places;
    struct columns *delay_slices; /* columns.h: of delays by time; NULL: none */
    uint64_t foreign, origin_ns;     /* origin: Unix time of the first start */
    uint64_t brief, brief_us;        /* processes that ended before a sample and have no file; their CPU time */
    HSC_VEC(jgone) gone;             /* gone.c */
    uint64_t opening_us, finish_us;  /* start and end of measuring, of all processes, with and without a file; 0: not told */
    uint64_t took_us[JTOOK];         /* the same of handler, signals, wrappers, switches, helper */
    uint64_t period_ns;              /* of metric 0 */
    hsc_join_summary *summary;
} join;

/* memory.c: bytes that the join may use. */
uint64_t hsc_join_memory(const hsc_join_options *options);
void hsc_join_note_memory(const join *j); /* tells the user where it cannot be enough */
void hsc_join_note_peak(const join *j);   /* and where it was not */
#define JOIN_LEAST_BYTES ((uint64_t)30 << 20) /* what any join takes */
#define JOIN_BASE_BYTES ((uint64_t)100 << 20) /* what one of small files takes with code to look up: kept free of `memory` */
#define JOIN_FILE_BYTES 3000u                 /* and of each file, beside its places that wait or pass messages */
/* Of that, 1 in `parts`, but no less than `least` and no more than `most`. */
static inline uint64_t hsc_join_part_of_memory(const join *j, uint64_t parts, uint64_t least, uint64_t most) {
    uint64_t n = j->memory / parts;
    return n < least ? least : n > most ? most : n;
}

/* All return HSC_OK or have filled *err. */
hsc_status hsc_join_read(join *j, hsc_err *err);
hsc_status hsc_join_read_first(void *join, size_t i, hsc_err *err); /* first.c: file i of all */
hsc_status hsc_join_read_second(join *j, hsc_err *err);
hsc_status hsc_join_settle(join *j, hsc_err *err); /* kinds.c */
hsc_status hsc_join_resolve(join *j, hsc_err *err);
hsc_status hsc_join_make_scopes(join *j, hsc_err *err);
hsc_status hsc_join_make_data(join *j, hsc_err *err);
void hsc_join_free_data(join *j);
uint32_t hsc_join_region_scope(const jmodule *m, uint32_t region);
/* clang makes two procedures of a task: .omp_task_entry., which the OpenMP runtime calls, and its body, inlined into that. */
bool hsc_join_is_task_body(const char *outer, const char *inner); /* by linkage names */
uint32_t hsc_join_line_row(const join *j, uint32_t file_row, uint32_t line); /* HSC_NO_INDEX: no code there */
hsc_status hsc_join_make_contexts(join *j, hsc_err *err);
hsc_status hsc_join_make_ledger(join *j, hsc_err *err);
hsc_status hsc_join_emit(join *j, hsc_err *err);

/* read.c: NULL: no memory; HSC_NO_INDEX: none. */
jthread *hsc_join_thread(jprocess *p, uint64_t id);
uint32_t hsc_join_node_row(const jthread *t, uint64_t node_id);
bool hsc_join_add_other(jthread *t, uint32_t node_row, uint32_t region, uint64_t state, uint64_t value, uint64_t event);
bool hsc_join_add_value(jthread *t, uint64_t where, uint64_t what, uint64_t value); /* by the keys of jwork.other_counts */
/* The same of a sample in the region that the thread works in. */
bool hsc_join_add_sampled(jthread *t, uint32_t node_row, uint64_t state, uint64_t value, uint64_t event);

/* weights.c: a sample that stands for `weight` periods; the metrics for that, after all others; and a cell of theirs from the
 * sum that was read, `factor` being what the event's values are multiplied with and `sum` the values before that. */
bool hsc_join_take_weight(jthread *t, uint32_t node_row, uint64_t state, uint64_t weight, uint64_t event);
void hsc_join_sum_weights(jprocess *p); /* after the last record: the sums that make_weights needs */
bool hsc_join_make_weights(join *j);
double hsc_join_multiplex(const jthread *t, uint64_t event); /* time asked for / time that it had a counter; 1 */
uint32_t hsc_join_excess_cell(const join *j, uint32_t metric, double excess, double sum, double factor);

/* measures.c. Takes a record (true also for those of no interest here; false: no memory). */
/* Row of sites for a node of a thread (ids), met in that region (0: none); HSC_NO_INDEX: out of memory. */
static inline uint64_t hsc_join_site_key(uint64_t node, uint32_t region) {
    return node <= UINT32_MAX ? (uint64_t)region << 32 | node : node;
}
uint32_t hsc_join_site_of(jprocess *p, uint64_t thread, uint64_t node, uint32_t region);
bool hsc_join_take_measure(jprocess *p, const hsc_record *rec);
/* After the last record of the file: values by node, for the metrics. */
bool hsc_join_end_measures(jprocess *p);
uint64_t hsc_join_waited_ns(const jprocess *p); /* after that: in all waits of all threads */
/* peers.c: a record of messages with another process (false: no memory). */
bool hsc_join_take_peer(jprocess *p, const hsc_rec_message_peer *r);
/* Divisors of all processes' measures, the same for one kind. */
void hsc_join_choose_divisors(join *j);
void hsc_join_sum_measures(jprocess *p); /* the sums that it needs, after the last record */
void hsc_join_free_measures(jprocess *p);
void hsc_join_forget_measures(jprocess *p); /* without freeing: another has them */
/* Adds a record's histogram (number of the first bucket, counts) to one of JOIN_BUCKETS of the pool. */
bool hsc_join_add_buckets(jprocess *p, uint64_t **to, uint64_t first, const uint64_t *counts, size_t n);

const jthread *hsc_join_known_thread(const jprocess *p, uint64_t id); /* read.c; NULL: not seen */

/* read.c: all records of p->path into p, its threads by their ids; first_problem[size]: with the file, "" where there is none. */
hsc_status hsc_join_read_file(join *j, jprocess *p, char *first_problem, size_t size, hsc_err *err);
bool hsc_join_is_launcher(const jprocess *p);
/* A shell whose own loops have the time is the program, whatever it starts besides: ten times the samples that programs have. */
bool hsc_join_shells_work(const join *j);
bool hsc_join_is_brief(const jprocess *p, const jthread *t); /* is the thread, not the first, in no table, as it has no sample and no value */

/* gone.c: how processes ended of which those that waited for them have told in a measurement's .processes. */
hsc_status hsc_join_add_gone(join *j, uint32_t input, uint64_t told, hsc_err *err); /* told: the number of a line "gone N" */
void hsc_join_sort_gone(join *j);                                                   /* before the next */
const char *hsc_join_end_text(join *j, const jprocess *p);                          /* as hsc_db_process's end; lives as long as j */

/* started.c, once run is chosen: the process that was started first; programs of the run; the name of what was run, which lives as long as j. */
const jprocess *hsc_join_started(const join *j);
size_t hsc_join_count_programs(const join *j);
const char *hsc_join_program_name(join *j);
/* first.c: rows in join.met, addresses and frames, entered where they are new; HSC_NO_INDEX: out of memory. */
uint32_t hsc_join_enter_module(join *j, const jmodule *m);
uint32_t hsc_join_enter_address(join *j, uint32_t module, bool exact, uint64_t address);
uint32_t hsc_join_enter_frame(join *j, uint32_t parent, bool truncated, uint32_t address);
/* first.c: sets the frames of all nodes. New ones are entered with `marks` or, where that is 0, are an error. */
hsc_status hsc_join_find_frames(join *j, jprocess *p, unsigned marks, hsc_err *err);
void hsc_join_free_work(jthread *t); /* join.c */
void hsc_join_free_process(jprocess *p); /* join.c */
uint64_t hsc_join_state_of_wait(uint32_t kind); /* measures.c */

/* second.c. While a file is read for the second time; false: out of memory. */
uint64_t hsc_join_special_key(uint32_t row, uint64_t state); /* first half of a key of special_rows */
bool hsc_join_take_instant(jprocess *p, jthread *t, uint32_t row, uint64_t state, uint64_t weight, uint64_t event, uint64_t time);
/* Row of specials, entered where it is new; HSC_NO_INDEX: out of memory. */
uint32_t hsc_join_special(jwork *w, uint32_t row, uint64_t state, uint64_t event, uint64_t region);
/* Of weight 1 each, in no region; keys: of count_samples() in read.c, have_keys: all have one. */
/* Kinds by the keys of a thread's instants, owned by the caller; NULL: its instants have kinds. */
hsc_status hsc_join_load_keys(const join *j, const jthread *t, uint32_t **keys, uint64_t *n, hsc_err *err);
bool hsc_join_take_instants(jprocess *p, jthread *t, const hsc_rec_sample *list, const uint32_t *keys, bool have_keys, size_t n);
/* times.c: the same. After the last record: the process's spans, whose threads have rows and whose sites have contexts. */
bool hsc_join_take_span(jprocess *p, const hsc_record *rec);
bool hsc_join_end_spans(join *j, jprocess *p);
void hsc_join_choose_ticks(join *j);
uint64_t hsc_join_choose_bin(const join *j); /* ticks of the finest bins, once ticks are chosen */
uint64_t hsc_join_since_start(const join *j, const jprocess *p, uint64_t mono_ns); /* ns since the first start of the run */
/* kinds.c: the thread's profile, by rising kinds, into list[*n], to be freed by the caller. Any number of threads. */
hsc_status hsc_join_load_profile(join *j, const jthread *t, jcount **list, size_t *n, hsc_err *err);
unsigned hsc_join_category_of(const join *j, const jkind *k);
uint32_t hsc_join_sorted_kind(const join *j, const jkind *k); /* kinds.c: once they are sorted, before metrics are added; HSC_NO_INDEX: none */
/* Row of a kind, entered where it is new; HSC_NO_INDEX: out of memory. */
/* A thread may have samples by time of a kind, by its row in met_threads. */
void hsc_join_meet_kind(join *j, uint32_t kind, uint32_t thread);
uint32_t hsc_join_kind_row(join *j, const jkind *k);
uint32_t hsc_join_known_kind(const join *j, const jkind *k); /* HSC_NO_INDEX: it is new */
/* Of what stands in an instant, or for its key: row of kinds as all ranks met them. */
static inline uint32_t hsc_join_met_row(const join *j, size_t own) {
    return (uint32_t)(j->team && own < j->kind_map.n ? j->kind_map.p[own] : own < j->own_kinds ? own : own - j->own_kinds);
}
void hsc_join_add_up(jcount *list, size_t *n); /* second.c: sorted, equal kinds added up */
/* contexts.c: a child in j->growing; with the frames' contexts made before. HSC_NO_INDEX: out of memory. */
uint32_t hsc_join_grow(join *j, uint32_t parent, unsigned kind, uint32_t scope, uint32_t call_line);
uint32_t hsc_join_enter(join *j, const jfork *home, uint32_t caller, const jplace *place, uint32_t call_line);
/* The frame below its caller (hsc_join_caller), whose context is given, or at the outermost below that; procedures between that have no frame come too. */
uint32_t hsc_join_enter_below(join *j, const jfork *home, uint32_t frame, uint32_t caller, uint32_t context);
hsc_status hsc_join_enter_frames(join *j, hsc_err *err);
uint32_t hsc_join_caller(const join *j, uint32_t frame); /* frame; HSC_NO_INDEX: none. Our own wrappers are no callers. */
/* tails.c */
bool hsc_join_enter_tails(join *j);                       /* once frames have their contexts; false: no memory */
uint32_t hsc_join_caller_of_tail(const join *j, uint32_t frame); /* the frame on the path of who samples what is called; of others themselves */
uint32_t hsc_join_place_fork_tail(const join *j, jnode *node); /* of a fork: its frame, which is that of the jump where what it called forked by one */
bool hsc_join_place_tails(const join *j, jprocess *p); /* nodes that called MPI by a jump of what they called: that is their frame from then on */
const jplace *hsc_join_place_of(const join *j, uint32_t frame);
/* users_place.c: marks scopes and places; then, of what was counted or timed at a place: the innermost context of the user's own code on its path, and
 * the line there. Left alone where the place is in such code, or no such code is on the path. `contexts`: what *context is a row of. */
void hsc_join_mark_users(join *j);
/* Loops that the compiler wrote without lines (flang's sum, maxval) get that of the call of what they are in, where all contexts have the same one, and their file where these are several of one. False:
 * out of memory. */
bool hsc_join_place_loops(join *j);
/* What tells the call apart from others on its line; 0: nothing, it is in a language's library or a header of the system. */
static inline uint32_t hsc_join_call_column(const jplace *place) { return place->is_inner ? 0 : place->column; }
void hsc_join_users_place(const join *j, const jcontext *contexts, const jplace *place, uint32_t *context, uint32_t *line);
struct hsc_store;
hsc_status hsc_join_put_instructions(join *j, struct hsc_store *store, hsc_err *err);
hsc_status hsc_join_put_times(join *j, struct hsc_store *store, hsc_err *err); /* or, where times are not wanted: */
hsc_status hsc_join_put_counts(join *j, struct hsc_store *store, const uint32_t *leaf_of, uint64_t leaves, hsc_err *err); /* values.c; leaf_of: by kind, its leaf */
/* addresses.c. What places have of a thread's, whose profile is complete. */
void hsc_join_settle_places(join *j, const jplace_count *list, size_t n);
/* After the scopes and contexts: which instructions the database has, and the row of each place with values. */
typedef struct jmachine jmachine;
hsc_status hsc_join_make_instructions(join *j, hsc_err *err);
uint64_t hsc_join_instruction_rows(const join *j);
uint32_t hsc_join_find_instruction(const join *j, uint32_t of, uint64_t *address); /* module of it; HSC_NO_INDEX: there is none, or rank 0 has it */
void hsc_join_free_instructions(join *j);
hsc_status hsc_join_put_instructions(join *j, struct hsc_store *store, hsc_err *err);
/* blame_take.c: while a file is read, after what the record means to others is taken; false: out of memory. */
bool hsc_join_blame_take(join *j, jprocess *p, const hsc_record *rec);
bool hsc_join_blame_wants(const jprocess *p, uint64_t thread); /* its samples, as far as is known by now */
/* Before it is read for the second time. False: out of memory. */
bool hsc_join_blame_begin(jprocess *p);
/* Samples in calls that are timed are laid to these, by the nodes of their paths, which are not kept: before what is read is. */
hsc_status hsc_join_blame_calls(join *j, jprocess *p, hsc_err *err);
/* Frames for rows of nodes. */
hsc_status hsc_join_blame_frames(join *j, jprocess *p, hsc_err *err);
void hsc_join_blame_free(jprocess *p);
bool hsc_blame_wants_profiles(const jprocess *p); /* blame_threads.c: reads the profiles of its threads */
/* waited.c. Before kinds are sorted: twins of those that may need one, behind them; *twin_of: by row, owned by the caller. After that, for the first n. */
bool hsc_waited_add_twins(join *j, uint32_t **twin_of);
bool hsc_waited_end_twins(join *j, const uint32_t *twin_of, size_t n);
/* On all ranks, after hsc_join_match: samples, spans and totals. */
hsc_status hsc_waited_lay(join *j, hsc_err *err);
/* blame.c: after the contexts: who waited for whom. Then: adds metrics, and rows of the ledger after `total` rows of it. */
hsc_status hsc_join_match(join *j, hsc_err *err);
void hsc_join_free_match(join *j);
hsc_status hsc_join_blame(join *j, hsc_err *err);
struct hsc_store;
hsc_status hsc_join_emit_blame(join *j, struct hsc_store *store, hsc_err *err);

/* order.c: which chunks are to be taken in this pass over a file */
typedef struct jorder {
    hsc_table next, waiting, moved; /* (stream, kind): sequence that is due, the least that waits for it, whether any was taken */
    hsc_table done;                 /* (offset, 0) of chunks taken */
    uint64_t chunk;
    unsigned pass;
    bool begun, accepts, failed; /* failed: out of memory */
} jorder;

struct hsc_record;
bool hsc_join_order_take(jorder *o, const struct hsc_record *rec); /* take this record? */
bool hsc_join_order_again(jorder *o);                              /* another pass is needed */
void hsc_join_order_free(jorder *o);

/* regions.c. While a file is read; false: out of memory. */
bool hsc_join_take_region(jprocess *p, jthread *t, const hsc_rec_region *r);
bool hsc_join_take_worked(jthread *t, uint64_t key, uint64_t region, uint64_t weight); /* key: of jwork.worked */
bool hsc_join_fork_id(const jprocess *p, uint64_t region, uint64_t *thread, uint64_t *node); /* ids: where it was forked; false: that is not told */
#define REGIONS_OF_WAITS 0x80000000u /* numbers of regions from here on: places where they were forked that waits tell of; runtimes count from 1 */
/* A region that stands for all that the thread forked at a node; 0: not told, HSC_NO_INDEX: out of memory. */
uint32_t hsc_join_region_at(jprocess *p, uint64_t thread, uint64_t node);
/* Where a region was forked, once the forking thread's contexts are known, else NULL; *row: of regions. */
const jfork *hsc_join_fork_of(const jprocess *p, uint64_t region, uint32_t *row);
uint64_t hsc_join_same_fork(const jprocess *p, uint32_t region); /* equal for regions forked at one place */
void hsc_join_free_regions(jthread *t);

/* categories.c: the names and the rules, the user's before ours. HSC_E_FORMAT, HSC_E_IO, HSC_E_LIMIT: of the user's file. */
hsc_status hsc_join_make_categories(join *j, hsc_err *err);

/* Category of every context, from these rules. */
hsc_status hsc_join_classify(join *j, hsc_err *err);

/* Calls work(ctx, 0..n-1), each once, in `workers` threads. The first failure by number stops it and is reported. */
hsc_status hsc_join_each(join *j, size_t n, hsc_status (*work)(void *ctx, size_t i, hsc_err *err), void *ctx,
                         const char *what, hsc_err *err);
/* HSC_E_CANCELLED when the user wants to stop. */
hsc_status hsc_join_check(const join *j, hsc_err *err);
hsc_status hsc_join_no_memory(hsc_err *err);

/* The value table `table` of metric `metric` as rows of (thread, count): into the open store. */
struct hsc_store;
/* told_emit.c */
typedef struct hsc_join_cost { /* of measuring a thread; helper, start, end: of its process, in its first thread */
    double handler_s, signals_s, probes_s, wrappers_s, switches_s, helper_s, start_s, end_s;
    double least_s, most_s; /* of the first five together; 0: not known */
} hsc_join_cost;
hsc_join_cost hsc_join_cost_of(const jprocess *p, const jthread *t);
hsc_status hsc_join_put_details_of_all(join *j, struct hsc_store *store, hsc_err *err); /* emit_details.c */
hsc_status hsc_join_put_data(join *j, struct hsc_store *store, hsc_err *err);
typedef struct hsc_join_table {
    uint32_t metric;
    hsc_db_table table;
} hsc_join_table;
/* At most as many as there are ranks: each puts one together, in a store apart, and rank 0 writes them in this order. */
hsc_status hsc_join_put_tables(join *j, struct hsc_store *store, const hsc_join_table *tables, size_t n, hsc_err *err);

#endif
