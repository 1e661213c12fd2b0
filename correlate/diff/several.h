/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several runs side by side: scales of one program, or repeated runs of two builds and more. Each run is compared with the first one; runs of a group
 * are repeats of each other. */
#ifndef HEATSCOPE_DIFF_SEVERAL_H
#define HEATSCOPE_DIFF_SEVERAL_H

#include "diff.h"

enum { DIFF_GROUPS = 26, DIFF_RUNS = 256 }; /* at most: groups are called A to Z */

typedef struct diff_series {
    uint32_t runs, groups;
    const uint32_t *group_of; /* [runs], from 0 on, rising; borrowed */
    bool weak;                /* weak scaling: the work grows with the processors */
    bool scaling;             /* groups have different numbers of processors */
    bool repeated;            /* a group has several runs */
    diff *pair;               /* [runs]: run 0 as A, run k as B, both with metric and axis set; pair[0] is not used */
} diff_series;

/* One thing in all runs of a group, in the metric's unit; means over its runs. */
typedef struct diff_series_value {
    double sum;             /* all processors added up */
    double each;            /* scaling: of the processor that has most, where that is beyond what chance makes of even work, else of one on average (lines,
                             * modules, nests, what is timed, categories: always); else the sum */
    double speedup;         /* each of the first group / each; NAN: one of them is 0, or no scaling */
    double efficiency;      /* speed-up over the ideal one */
    double work_efficiency; /* sum of the first group / sum; weak scaling: of one processor on average */
    double loss, low, high; /* each - each of the first group * ideal, with its 95 % interval; NAN: timed, and not repeated. ideal: 1, of strong scaling P_first / P */
    bool beyond;            /* the interval leaves 0 out; timed and not repeated: yes */
} diff_series_value;

typedef struct diff_series_row {
    uint32_t run, row;  /* the first run that has it, and which scope or line row it is there; HSC_NONE: a category, or its line is not known */
    uint32_t context;   /* of what is timed, there; HSC_NONE */
    const char *kind;   /* of what is timed, and of categories; borrowed */
    char *cause;        /* of causes; NULL */
    bool users;         /* scopes: the user's own code */
    diff_series_value *of; /* [groups] */
} diff_series_row;

typedef struct diff_series_rows {
    diff_series_row *list;
    diff_series_value *values; /* of all rows */
    uint32_t n;
} diff_series_rows;

/* Loads all pairs. diff_series_clear() in any case; databases stay open. */
hsc_status diff_series_load(diff_series *s, hsc_err *err);
void diff_series_clear(diff_series *s);

const report *diff_series_run(const diff_series *s, uint32_t run); /* loaded */
uint32_t diff_series_first(const diff_series *s, uint32_t group);  /* run */
uint32_t diff_series_working(const diff_series *s, uint32_t group); /* processors, of its first run */
double diff_series_ideal(const diff_series *s, uint32_t group);     /* what of the first group's time a processor of this one should have */

/* What has samples, or time, in any run. Rows that the first run has are those that are matched with it; others are one by procedure and line, or
 * place. Scaling: the largest loss of the last group first; else its largest change. Free with diff_series_free. Cost: of each pair what diff_rows_by or
 * diff_timed_by costs, and of procedures and loops a row of values of each run. */
hsc_status diff_series_by(diff_series *s, diff_by by, diff_series_rows *out, hsc_err *err);
void diff_series_free(diff_series_rows *rows);

/* A figure of whole runs that is exact for each (elapsed time): from[runs] to of[groups], each as it is. */
void diff_series_exact(const diff_series *s, const double *from, diff_series_value *of);

#endif
