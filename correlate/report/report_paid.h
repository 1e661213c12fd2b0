/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops with what they call: each sample is paid for by the innermost loop of the user's own code on its path, and by the innermost of his
 * procedures. Libraries' loops pay for nothing where one of the user's calls them, nor do those in headers of the system. Definition and
 * formulas: docs/measurement.md, section 3. */
#ifndef HEATSCOPE_REPORT_PAID_H
#define HEATSCOPE_REPORT_PAID_H

#include "report.h"

/* Of a loop that is no more: the loop that pays for most of its samples; of one that pays: for which other one it has most. HSC_NONE, 0: none. */
typedef struct report_counted {
    uint32_t at, of;
    double samples_at, samples_of;
} report_counted;

typedef struct report_paid {
    uint32_t marked, placed; /* instances looked at for is_no_more, and for unrolled */
    uint32_t next;           /* context to look at; r->info.contexts: all was looked at */
    hsc_weighted *loop;      /* by scope of a loop: with what it calls; samples of a run add up to no more than all */
    hsc_weighted *vectors;   /* of it, its own code, what is inlined into it, and calls that can become vector code: the user's procedures
                              * and those of mathematical libraries */
    hsc_weighted *hot;       /* `loop` with all of inner loops that were unrolled fully into vectors, which have nothing here: the same place is hottest
                              * whatever became of its inner loops */
    double *own_code;        /* of `loop`, samples: what no call or inlined copy is of: its own code with that of inner loops that are no more */
    uint8_t *is_no_more;     /* by scope: a loop of which all code that ran was unrolled fully: the loop round it, where there is one, pays */
    uint8_t *is_vectors;     /* by scope: the same of a loop where some of that is vector code: it pays itself, in `hot` the loop round it does, if no call is between */
    uint32_t *unrolled_at;   /* by instance of such a loop, in the own code of another one in its machine function: the version of that loop; HSC_NONE */
    uint32_t *first_unrolled, *next_unrolled; /* by scope, and by instance: those of a loop; HSC_NONE: the last */
    hsc_weighted *procedure; /* by scope of a procedure: its own code with its loops, and libraries that it calls; the rows of `loop` that loops leave free */
    uint32_t *loop_of;       /* by context: the loop that pays for its samples; HSC_NONE: none */
    uint32_t *procedure_of;  /* by context: the user's procedure that does; HSC_NONE */
    uint32_t *callee;        /* by context: what the loop calls, as the user knows it: the first procedure that is not his own, else the
                              * innermost of his; HSC_NONE: the loop's own code */
    uint32_t *caller;        /* by context with a callee: the user's procedure that makes the call; HSC_NONE */
    uint8_t *marks;          /* by context: are its samples in `vectors` of the loop; in a procedure of the program that the loop calls, not inlined */
    report_counted *counted_at; /* by scope; NULL until asked for */
    uint32_t *begin[2], *contexts[2]; /* those of scope s, of its loop [0] and of its procedure [1]: contexts[begin[s] .. begin[s + 1]); when all is known */
    struct paid_path *way;   /* of the contexts round the one that is looked at, and of it */
    uint32_t on_way, way_room;
    bool missing;            /* the database has no values of contexts: loops and procedures have their own alone */
} report_paid;

/* The next instances or contexts, n at most, or one of the lists. HSC_E_MEMORY and those of the query. */
hsc_status report_pay(report *r, uint32_t n, bool *done, hsc_err *err);
/* All of them, for who has nothing else to do: r->paid is there then. */
hsc_status report_pay_all(report *r, hsc_err *err);
/* Before anything is paid: only looks which loops are no more. *is_no_more may then be changed; NULL: too late, it is paid already. */
hsc_status report_find_no_more(report *r, uint8_t **is_no_more, hsc_err *err);
void report_paid_free(report_paid *p); /* NULL: nothing */

/* Where the samples of loops are that were unrolled fully. Cost: once, the contexts and their sums. */
hsc_status report_counted_of(report *r, uint32_t loop, report_counted *out, hsc_err *err);
/* Samples of `first_unrolled` and those behind it. */
double report_unrolled(const report *r, uint32_t scope);

/* Takes the procedures of Heatscope's own libraries out of the rows; their sum. */
hsc_weighted report_take_ours(const report *r, uint32_t *rows, uint32_t *n);
/* Loops, or procedures, by what they pay for, the largest first; behind them those that have samples that others pay for. *rows is malloc'ed. */
hsc_status report_rank_paid(report *r, hsc_scope_kind kind, uint32_t **rows, uint32_t *n, hsc_err *err);

/* Of the user's own loops the one that pays for most; of all where he has none that pays. HSC_NONE: there is none. */
hsc_status report_hottest_loop(report *r, uint32_t *loop, hsc_err *err);
/* The loop of the user's own code with most that has a twentieth more than that one, and was not taken as it only calls; HSC_NONE. */
hsc_status report_calling_loop(report *r, uint32_t loop, uint32_t *calling, hsc_err *err);
/* The user's own procedure with lines that pays for most, where that is a quarter more than what `loop`, the hottest one, pays for (HSC_NONE: there is none), and
 * the procedure's own loops pay for less than half of it: they were unrolled fully, or it has none. HSC_NONE: loops stand for the hottest code. */
hsc_status report_hottest_apart(report *r, uint32_t loop, uint32_t *procedure, hsc_err *err);

typedef enum report_paid_by { REPORT_PAID_LOOP, REPORT_PAID_VECTORS, REPORT_PAID_PROCEDURE } report_paid_by;
/* The contexts whose samples these are, as rows of HSC_TABLE_CONTEXT_EXCL: *ranges is malloc'ed. */
hsc_status report_paid_ranges(report *r, report_paid_by by, uint32_t scope, report_range **ranges, uint32_t *n, hsc_err *err);
/* What an outermost loop pays for with all loops inside it in its procedure: the sum, and over processors. Without values of contexts their own code. */
hsc_status report_paid_nest(report *r, uint32_t loop, hsc_weighted *sum, report_spread *out, hsc_err *err);
/* Over processors. Without values of contexts that of the scope itself. */
hsc_status report_paid_spread(report *r, report_paid_by by, uint32_t scope, report_spread *out, hsc_err *err);

typedef struct report_callee { /* of a loop */
    uint32_t scope, caller;    /* caller: HSC_NONE, or a procedure between the loop and the call */
    hsc_weighted samples;
} report_callee;
/* What the loop calls, the largest first: at most `most`. */
hsc_status report_callees(report *r, uint32_t loop, report_callee *out, uint32_t most, uint32_t *n, hsc_err *err);
/* " sin is called for one element of the vectors after the other.", with what gives the call a vector form, of a loop that runs as vectors, where a callee with `least`
 * samples or more is one of libm that there is for vectors; "". Returns out. */
const char *report_lone_calls(report *r, uint32_t loop, const report_callee *called, uint32_t n, double least, char *out, size_t size);

#endif
