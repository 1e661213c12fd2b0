/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of value tables that belong together: of a file, a module, a loop nest, a call site, ...; with their sums. */
#ifndef HEATSCOPE_REPORT_GROUPS_H
#define HEATSCOPE_REPORT_GROUPS_H

#include "report_instances.h"

typedef struct report_group {
    uint32_t row;            /* what it is: see report_groups_by */
    uint32_t members;        /* contexts of a call site, lines of an array, ... */
    hsc_weighted value;      /* of its ranges: exclusive, or what the kind says */
    hsc_weighted inclusive;  /* sum NAN: has none */
    hsc_weighted own;        /* of call sites: in what is called itself, with its loops; of versions: in calls that may be of another version; of files: inclusive at most */
    uint32_t first, n;       /* its ranges */
} report_group;

typedef enum report_grouping {
    REPORT_BY_PROGRAM,  /* row: program; members: processes. Value: of their processes, all */
    REPORT_BY_FILE,     /* row: file. Value: of its lines; inclusive: of paths through its code, once each, at least */
    REPORT_BY_MODULE,   /* row: module. Value: of code in it; inclusive: of its scope */
    REPORT_BY_NEST,     /* row: scope of an outermost loop. Value: with all loops inside, without procedures called; own: what these loops pay for (report_paid.h), by which they are sorted */
    REPORT_BY_CALL,     /* row: a context of the call site: its line and callee. Value: inclusive, recursion once */
    REPORT_BY_INLINED,  /* the same, of inlined copies */
    REPORT_BY_FUNCTION, /* row: piece of machine code (code_part); members: its instructions. Value: of these, with all that is inlined; own: at what is inlined */
    REPORT_BY_VERSION,  /* row: instance. Value: exclusive; inclusive: with versions inside it and procedures called from them (report_versions.h) */
    REPORT_BY_CATEGORY, /* row: category. Value: of the whole program */
    REPORT_BY_DATA,     /* row: array, the first of its identity. members: lines. Value: what counts for the lines that refer to it (report_charged.h) */
    REPORT_BY_REFERENCE /* row: reference of a procedure that ran, where any on its line did; members: procedures that have references there. Value: what counts for the line that it stands on, in its procedure */
} report_grouping;

typedef struct report_groups {
    report_grouping by;
    hsc_db_table table;      /* of the ranges */
    report_group *list;      /* the largest value first */
    uint32_t n;
    report_range *ranges;
    uint32_t n_ranges, room, ranges_room;
    hsc_weighted *block;     /* of lines of files: values of those around the last one that was asked for; NULL: none yet */
    uint64_t block_first, block_n;
    report_uses uses;        /* of data and references */
    uint32_t *busiest;       /* REPORT_BY_DATA, by array: the procedure that refers to it and has most of the time of its lines; HSC_NONE: none */
} report_groups;

/* Those with a value, that --where takes. Free with report_groups_clear, also after a failure. */
hsc_status report_groups_by(report *r, report_grouping by, report_groups *out, hsc_err *err);
void report_groups_clear(report_groups *g);

/* Spread of a group's value. */
hsc_status report_group_spread(report *r, const report_groups *g, const report_group *x, report_spread *out, hsc_err *err);

/* What the group's value is compared as part of (report_compared): the scope that it stands in; HSC_NONE: it is of several. */
uint32_t report_group_scope(const report *r, const report_groups *g, const report_group *x);


/* By array: the first row with the same identity, which globals and members of types have in each unit; itself for local ones. */
hsc_status report_first_arrays(const report *r, uint32_t *first_of, hsc_err *err);

#endif
