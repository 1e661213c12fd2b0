/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads whose file grew since the join before, or did not: what their first samples were, which neither the file nor the store is asked for again (ARCHITECTURE.md, "Runs that grew").
 *
 * Of a thread with many samples, which passes no messages one at a time, the record of what a database was made from (made.h) has how many of them there are
 * in the first chunks of its file and what they count in; of each 64 KiB of the file a seal; and what the store needs to put others behind the first ones. The next join knows chunks by
 * these seals. Those that have samples alone it passes by; of others it leaves the samples out. */
#ifndef HEATSCOPE_JOIN_GROWN_H
#define HEATSCOPE_JOIN_GROWN_H

#include "join_internal.h"
#include "parcel.h"
#include "seal.h"

enum { JGROWN_BLOCK = 65536 }; /* bytes of a file under one seal */

typedef struct jgrown_chunk { /* with first samples of a thread, in the order in which it was taken */
    uint64_t offset, bytes, samples;
    uint32_t stream, sequence, kind, thread; /* thread: row of the record's */
    uint32_t is_mixed, is_known;             /* it has other records, too; while a file is read: its samples were known */
} jgrown_chunk;

typedef struct jgrown_count {
    uint32_t key, count; /* row of the node * STATES + state */
} jgrown_count;

typedef struct jgrown_other { /* as in jwork.other_counts or, with `what` 0, jwork.worked; once the file is read without the number of a region */
    uint64_t where, what, value;
    uint64_t fork_thread, fork_node; /* ids: where the region was forked; thread 0: that is not told of the region `node`, 0: in none */
} jgrown_other;
typedef HSC_VEC(jgrown_other) jgrown_others;

typedef struct jgrown_leaf { /* by number of the thread's own */
    uint64_t what;       /* a hash of what it is, whatever rows have it */
    uint32_t scope, procedure; /* rows of the database */
} jgrown_leaf;

typedef struct jgrown_thread {
    uint64_t id, row, all; /* row in the database; samples of the thread, all */
    uint64_t samples, records, weights, no_path, last_ns; /* of these chunks; records: those of metric 0, weights: periods that these stand for */
    uint32_t no_path_counts[STATES], last_tick;
    HSC_VEC(jgrown_count) counts;
    jgrown_others others, worked;
    uint64_t packed;       /* samples that the store had when it made the mark: no less than `samples` */
    HSC_VEC(uint64_t) mark;
    HSC_VEC(jgrown_leaf) leaves;
    bool is_used;          /* of a record that was: these samples are not read again; of one that is made: `samples` and so on are noted */
    size_t chunks;         /* while a file is read: these are of so many of them at most */
} jgrown_thread;

typedef struct jgrown { /* of a measurement file */
    uint32_t weight;
    HSC_VEC(jgrown_chunk) chunks;
    HSC_VEC(jgrown_thread) threads;
    HSC_VEC(hsc_seal) blocks;
    HSC_VEC(uint32_t) order; /* rows of chunks by offset */
} jgrown;

typedef struct jgrown_general { /* of the join: where it is another one nothing is gone on with */
    uint64_t origin_ns, tick_ns, bin, levels, threads, names; /* threads: how samples are cut for so many; names: of categories */
} jgrown_general;

void hsc_grown_free(jgrown *g); /* NULL: nothing */
void hsc_grown_put(const jgrown *g, parcel *a);
/* What the store left of a thread whose samples it has kept all: the same for the next join. false: no memory. */
bool hsc_grown_carry(jprocess *p, const jthread *t);
/* Leaves out threads that the store has no mark of; false: there are none with one. */
bool hsc_grown_settle(jgrown *g);
jgrown *hsc_grown_take(parcel *a); /* NULL: it is none, or no memory; a->failed */

/* Before the first reading of a file: what is known of it, in blocks that are as they were; NULL: nothing. Borrowed from j->made. */
jgrown *hsc_grown_find(join *j, const jprocess *p);
/* After all first readings, when ticks are chosen: which threads are gone on with. */
void hsc_grown_choose(join *j);
jgrown_general hsc_grown_general(const join *j);

/* While a file is read; p->reading NULL: nothing is known, and nothing is noted. */
typedef struct jreading {
    jprocess *p;
    jgrown *old, *made;      /* made NULL: nothing is noted, in the first reading */
    jorder *order;
    uint64_t chunk, passed_chunks, passed_samples; /* chunk: offset of the one at hand */
    size_t at;               /* in old->order */
    bool is_long, failed;    /* a thread has many samples; no memory */
    bool drops;              /* samples of the chunk at hand are known */
    jgrown_chunk *open;      /* of made: the chunk at hand; NULL: of no thread that is noted */
} jreading;
bool hsc_grown_begin(join *j, jprocess *p, jreading *r, jorder *order);
uint64_t hsc_grown_pass(void *reading, uint64_t at); /* for hsc_reader_set_pass */
bool hsc_grown_begin_chunk(jprocess *p, const hsc_record *first);
static inline void hsc_grown_note_other(jreading *r) {
    if (r && r->open)
        r->open->is_mixed = 1;
}
static inline void hsc_grown_note_samples(jreading *r, uint64_t n) {
    if (r && r->open)
        r->open->samples += n;
}
/* A new thread begins with what is known of it. */
void hsc_grown_begin_thread(jprocess *p, jthread *t);
bool hsc_grown_end(jprocess *p); /* false: no memory */
void hsc_grown_fini(jreading *r);

/* Samples by time that a thread has in no list. */
static inline uint64_t hsc_grown_samples(const jthread *t) { return t->gone_on ? t->gone_on->samples : 0; }

/* Hashes of what rows are, whatever their numbers: for leaves of a thread's numbers. NULL: no memory. */
typedef struct jnames jnames;
jnames *hsc_grown_names(const join *j);
void hsc_grown_names_free(jnames *n);
struct jsame_leaf;
uint64_t hsc_grown_name(const join *j, const jnames *n, const struct jsame_leaf *leaf);

#endif
