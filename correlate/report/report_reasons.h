/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What refused vectorisation costs: time in loops that run scalar, by the reason that the compiler gives. */
#ifndef HEATSCOPE_REPORT_REASONS_H
#define HEATSCOPE_REPORT_REASONS_H

#include "report.h"

typedef struct report_refusal { /* a loop that the vectoriser refused */
    uint32_t scope, reason;     /* HSC_reason_* */
    hsc_weighted scalar;        /* samples in the loop without inner loops, vector bodies left out; where a call is the reason, with `called` */
    hsc_weighted apart;         /* of `scalar`: without what other rows have as well; these add up */
    bool by_scope;              /* `scalar` is of the loop's own lines, wherever in the generated code they stand; else of its generated loops */
    hsc_weighted called;        /* samples in what is called that can become vector code, where a call is the reason: an upper bound of what it costs */
    double gain;                /* what of `scalar` vector code would save at best, 0 to 1: report_reasons.c; of loops that were not tried: 0 */
    hsc_db_remark remark;
    const char *other;   /* another reason, of the loop as well or of other copies of it; borrowed, NULL: none */
    uint64_t other_count;
    bool other_beside;   /* both were said in one machine function */
    bool has_dependence; /* where one is the reason: the first that prevents vector code */
    hsc_db_dependence dependence;
} report_refusal;

/* The longest first. with_not_tried: also those that the vectoriser was not let to look at, as it is off at the level of optimisation, or by an option. free() *rows. */
hsc_status report_refusals(report *r, bool with_not_tried, report_refusal **rows, uint32_t *n, hsc_err *err);

/* Where a call through a pointer is in the way: what samples say it went to, as report_called_on() does. 0: it is none, or too few samples tell. */
unsigned report_through_pointer(const report *r, const report_refusal *x, report_called *out, unsigned most, double *all);

/* Both by and by: begin with zeros; report_look_for_refused looks at the next scopes, n at most, until next is r->info.scopes: then both
 * are sorted. free() both rows, also on failure. */
typedef struct report_refused_list {
    report_refusal *rows;
    uint32_t n, room;
} report_refused_list;
typedef struct report_refused {
    report_refused_list refused, not_tried, waits, order; /* waits: loops that only look at what others write; order: those that walk memory by large steps, with all code but inner loops */
    uint32_t next;
} report_refused;
hsc_status report_look_for_refused(report *r, report_refused *f, uint32_t n, hsc_err *err);

/* Sets `apart` of the rows: code of a loop that was put in line, or whose iterations overlap with those round it, may stand in the generated loop of another row. */
hsc_status report_take_apart(const report *r, report_refused_list *const lists[], unsigned n, hsc_err *err);

typedef struct report_reason { /* the loops of one reason, added up, by their `apart` */
    uint32_t reason, loops;
    hsc_weighted scalar, called; /* of it */
} report_reason;
enum { REPORT_REASONS = 256 }; /* reasons that there can be */
/* The largest first. Returns how many there are. */
uint32_t report_sum_reasons(const report_refusal *rows, uint32_t n, report_reason out[REPORT_REASONS]);

/* The rows that the samples of x->scalar are in: free() *ranges. None where they are no rows' sum (exclusive samples less vector bodies). */
hsc_status report_refusal_ranges(report *r, const report_refusal *x, hsc_db_table *table, report_range **ranges, uint32_t *n, hsc_err *err);

enum { REPORT_ORDINARY_BYTES = 32 }; /* longer vectors compilers make only where the programmer prefers them */
/* Bytes of the longest vectors of all processes' processors; 0: not known of all. */
hsc_status report_vector_bytes(report *r, uint32_t *bytes, hsc_err *err);

enum { REPORT_HINT_BYTES = 600 }; /* the longest, with names that are cut */
/* One clause on what would let it be vectorised, where a switch of the compiler is known to; "": nothing is known. Returns out. */
const char *report_hint(report *r, const report_refusal *x, char *out, size_t size);

/* Could the loop's bounds be written as constants, as far as the source tells? Not where they are read from memory, set in a loop round it or of its variable, or not known. */
bool report_may_be_constant(report *r, uint32_t loop);
/* One of a word of the source: letter, digit or underscore. */
bool report_is_letter(char c);

/* The one verdict on a loop that the vectoriser refused, of its remarks; NULL: it did not. In the list. */
const hsc_db_remark *report_verdict(const hsc_db_remark *list, uint32_t n);

/* Is it refused since a call in it may throw? */
bool report_may_throw(const report_refusal *x);

/* Why, in one clause: the dependence, else the remark; of what is carried from one iteration to the next what is written and read; and what is
 * said as well, or of other copies of the loop. */
void report_refusal_text(report *r, const report_refusal *x, char *out, size_t size);
/* "a(i, j), b(i, j) go on by 8*n bytes from one iteration to the next", where accesses of a loop go on by more than a cache line, or by so many as only the run
 * knows; "". Not of the first dimension of an array of assumed shape, which mostly goes on by one element. Returns out. */
const char *report_strides(const report *r, uint32_t scope, char *out, size_t size);
/* The largest of these steps; OF_SHAPE: that of a dimension of an array of assumed shape, which may be one or two elements. */
typedef enum report_step { REPORT_STEP_SMALL, REPORT_STEP_OF_SHAPE, REPORT_STEP_LARGE } report_step;
report_step report_steps(const report *r, uint32_t scope);
/* "forcefield[p_atom.type] and x[i[k]]": what the loop reads or writes at addresses that it has read from memory, two at most; "": nothing. Returns out. */
const char *report_gathered(const report *r, uint32_t scope, char *out, size_t size);
/* Why a loop with a vector body runs its scalar code, one sentence with a blank before it: too few iterations, or which of the compiler's checks must
 * have failed. The checks are of the run's own numbers: they fail with good reason, or for want of knowing better. Returns out. */
const char *report_why_scalar(const report *r, uint32_t scope, const report_versions *v, char *out, size_t size);
/* "x(i) is written, and x(i - 1) read", where a value is carried; "". Returns out. */
const char *report_recurrence(const report *r, const report_refusal *x, char *out, size_t size);

/* "a.c:12 reads what a.c:10 wrote 3 iterations before" */
void report_dependence(const report *r, const hsc_db_dependence *d, char *out, size_t size);

/* By its name: is it a source file that others include? */
bool report_is_header(const char *path);

#endif
