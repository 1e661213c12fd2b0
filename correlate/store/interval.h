/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An interval that is set (interval.c), and the counting of what each thread has in it (interval_count.c). */
#ifndef HEATSCOPE_STORE_INTERVAL_H
#define HEATSCOPE_STORE_INTERVAL_H

#include "db.h"

typedef struct hsc_leaves { /* rows of /time/leaf, then those that interval_exact.c made */
    uint32_t *context, *line, *instance, *metric;
    uint8_t *category;
    uint64_t n, sampled; /* sampled: of /time/leaf */
    bool own;            /* no: the database's columns themselves, as long as there are no others */
} hsc_leaves;

typedef struct hsc_made_sums { /* of a table, malloc'ed; narrow: in 32 bits each */
    uint32_t metric, only;
    hsc_db_table table;
    bool narrow;
    void *sums;
    struct hsc_made_sums *next;
} hsc_made_sums;

struct hsc_ahead; /* interval_ahead.c: tables that another thread makes */

typedef struct hsc_leaf_sum { /* of all leaves: with a bit above 32 of `any` there is one above them in the sum or in one of them */
    uint64_t any, low;       /* low: sum of the lower 32 bits; of less than 2^32 leaves, so it fits */
    uint64_t leaves;         /* when there were so many; 0: not added up */
} hsc_leaf_sum;

static inline void hsc_leaf_sum_add(hsc_leaf_sum *s, uint64_t count) {
    s->any |= count;
    s->low += count & UINT32_MAX;
}

typedef struct hsc_leaf_facts { /* of leaves of a metric and category, when there were so many; 0: not looked at */
    uint64_t leaves;
    uint32_t metric, only;
    bool all;                /* no leaf is of others */
    bool narrow;             /* sums of any of them fit 32 bits */
} hsc_leaf_facts;

typedef struct hsc_context_sums { /* what contexts have themselves; tables of scopes and contexts are made of it (interval_contexts.c) */
    hsc_leaf_facts of;
    hsc_leaf_kinds own;      /* where leaves are the interval's own */
    void *sums;              /* place of a category * contexts + context, in 32 bits where of.narrow; NULL: not begun */
    bool is_summed;
    bool with_below;         /* now of each context with all below it */
} hsc_context_sums;

typedef struct hsc_interval {
    double begin_s, end_s;   /* of all parts */
    hsc_db_when *parts;      /* sorted by process and begin; those of a process do not touch */
    uint32_t n_parts;
    uint32_t only;           /* category; HSC_NONE: all */
    hsc_values *whole;       /* the run's, meanwhile */
    uint64_t **whole_sums;
    hsc_leaves leaves;
    uint64_t *total;         /* by leaf: what was counted in all threads */
    uint32_t *thread;        /* by leaf, of those that interval_exact.c made: the one that has it */
    uint64_t room;           /* of these arrays, where they are its own */
    bool *exact;             /* by metric: its leaves are made; NULL: none are */
    /* By leaf: in which threads, how often (entries.h), and where that begins. NULL: not counted yet. */
    uint32_t *indptr;
    uint8_t *entry;
    bool is_counted;         /* the whole run, from /time/counts */
    struct hsc_counting *counting; /* under way; NULL */
    struct hsc_within *within; /* within.c: sums of exact tables; NULL: none asked for */
    hsc_made_sums *made;     /* before it was set, and not asked for since */
    struct hsc_ahead *ahead; /* until they are asked for; NULL: nothing is under way */
    bool *early;             /* by table of values: its sums were asked for before threads were counted; NULL: none was */
    hsc_leaf_sum all;        /* of total[], when that is whole */
    hsc_leaf_facts facts;    /* interval_sums.c; of total[] when that is whole */
    hsc_context_sums contexts; /* while tables are made of it */
    struct direct *direct;   /* by table of values: those whose rows have leaves of their own; made when asked for */
} hsc_interval;

/* Adds up v->total of all threads, or (by_thread) makes v->indptr and v->entry. Some chunks of /time are asked for ahead of what is being
 * counted, so that the reader unpacks them meanwhile. */
typedef struct hsc_counting hsc_counting;
hsc_status hsc_counting_begin(hsc_db *db, hsc_interval *v, bool by_thread, hsc_counting **out, hsc_err *err);
/* Goes on for so many seconds (< 0: to the end). *part: how much is done; 1: all. After an error it can only be freed. */
hsc_status hsc_counting_go_on(hsc_db *db, hsc_counting *c, double seconds, double *part, hsc_err *err);
double hsc_interval_now_s(void); /* of a clock that goes on evenly */
void hsc_counting_free(hsc_db *db, hsc_counting *c); /* NULL: nothing */

/* Of these intervals; nothing is counted: v->total is room only. */
hsc_status hsc_interval_new(hsc_db *db, const hsc_db_when *list, uint32_t n, hsc_interval **out, hsc_err *err);
void hsc_interval_thin(hsc_db *db); /* the one that is set: what rows are made of is found again when it is asked for; the next one has the room */
void hsc_interval_free(hsc_interval *v); /* NULL: nothing */
void hsc_interval_drop(hsc_db *db, hsc_interval *v); /* the same; its room for totals stays for the next one */

/* interval_choose.c. Into v->total, what all threads have in its parts, from the series of all of them. */
struct hsc_times;
hsc_status hsc_choosing_all(hsc_db *db, hsc_interval *v, struct hsc_times *program, hsc_err *err);
/* Is it what db->choosing is of? Then the rest of it, and it is the caller's. */
bool hsc_choosing_is(const hsc_db *db, const hsc_db_when *list, uint32_t n);
hsc_status hsc_choosing_take(hsc_db *db, hsc_interval **out, hsc_err *err);
void hsc_choosing_end(hsc_db *db); /* gives it up */

/* Is what is of this leaf counted for a metric? */
static inline bool hsc_interval_is_wanted(const hsc_interval *v, uint32_t leaf, uint32_t metric) {
    return v->leaves.metric[leaf] == metric && (v->only == HSC_NONE || v->leaves.category[leaf] == v->only);
}

/* interval_sums.c. Rows that a leaf is of: their sums, or which they are. */
typedef struct hsc_interval_table {
    hsc_db *db;
    const hsc_interval *of;
    uint64_t rows, *wide;            /* sums, here or in 32 bits where all of them fit; neither: rows are noted, not added up */
    uint32_t *narrow;
    uint32_t *touched, n_touched;
    uint32_t *seen, stamp;           /* rows of the path under way; leaves have numbers of 32 bits, and memory for half of these is nowhere */
} hsc_interval_table;
void hsc_interval_add_leaf(hsc_interval_table *t, hsc_db_table which, uint32_t leaf, uint64_t count);
/* Takes `whole`, of n values, as an array that is in memory; narrow: they were of 64 bits. */
void hsc_interval_resident(hsc_db *db, hsc_array *a, hsc_column_type type, uint64_t n, void *whole, bool narrow);
/* Puts numbers, the largest of which is `most`, into 32 bits each where they fit; the room that this saves is given back. */
bool hsc_interval_make_narrow(uint64_t **numbers, uint64_t n, uint64_t most);
/* Sums of the next table of those that were asked for first of what is set now, for an interval that is to be set next; is_done: all are there.
 * A second thread makes some of them meanwhile, where there is a processor for it, also when all others are there and the interval is set: until
 * hsc_interval_end_ahead leaves and totals of `v` may not change. */
hsc_status hsc_interval_make_next(hsc_db *db, hsc_interval *v, bool *is_done, hsc_err *err);
void hsc_interval_end_ahead(hsc_interval *v); /* waits for it */
void hsc_interval_foresee(hsc_db *db); /* before the first interval: room for what will be summed in it; once */

hsc_status hsc_interval_load_places(hsc_db *db, hsc_err *err); /* which instruction leaves are of; HSC_E_MISSING */

void hsc_interval_end_sums(hsc_interval *v); /* gives back what tables are made of */

/* interval_whole.c: /time/counts, of a database without samples by time. Into v->total; into v->indptr and v->entry. */
bool hsc_counts_are_there(const hsc_db *db);
hsc_status hsc_counts_take(hsc_db *db, hsc_interval *v, hsc_err *err);
hsc_status hsc_counts_take_threads(hsc_db *db, hsc_interval *v, hsc_err *err);

void hsc_leaves_free(hsc_leaves *l); /* nothing where they are the database's */

/* Whether a metric is of rows that were counted and timed exactly, and are known by time. */
bool hsc_interval_is_exact(const hsc_db *db, uint32_t metric);
/* Makes its leaves where they are not made, with their totals; nothing for other metrics. Cost: its rows in the interval (within.h). */
hsc_status hsc_interval_want_exact(hsc_db *db, uint32_t metric, hsc_err *err);

#endif
