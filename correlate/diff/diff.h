/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two loaded databases, what is the same in them, and the differences. What `heatscope diff` and the changes of query.h are
 * made of. */
#ifndef HEATSCOPE_DIFF_H
#define HEATSCOPE_DIFF_H

#include <compare.h>

#include <stdio.h>

#include <report.h>

/* Waits, messages and causes are timed (diff_timed_by), but that the waiting of DIFF_CAUSE is divided among causes by samples; the others are sampled
 * (diff_rows_by; diff_categories). */
typedef enum diff_by { DIFF_ALL = 0, DIFF_PROCEDURE, DIFF_LOOP, DIFF_LINE, DIFF_MODULE, DIFF_NEST, DIFF_WAIT, DIFF_MESSAGE, DIFF_CAUSE, DIFF_CATEGORY } diff_by;

typedef struct diff {
    report a, b;
    hsc_compare match;
    FILE *out;
    double lost[2]; /* periods of CPU time in no sample: a place may have as much of them as of the rest */
    bool scaling; /* the runs have different numbers of processors: speed-up and efficiency are shown */
    bool weak;    /* weak scaling: the work grows with the processors */
    bool repeated; /* several runs of a size are compared: intervals are not of sampling alone */
    int alike; /* were the runs alike? -1: no, 1: yes; 0 until asked for */
    uint32_t *callers[2]; /* by procedure of A and B, the one that mostly calls it; NULL until asked for */
    hsc_weighted *of_lines[2], *of_loops[2]; /* by procedure of A and B, what lines in it have, and its loops with the code in none; NULL until asked for */
} diff;

typedef struct diff_row {
    uint32_t a, b;            /* scopes, or line rows; HSC_NONE: not there */
    double count_a, count_b;  /* samples: of procedures with their loops, of loops with what they call, without inner loops (but HSC_COMPARE_NEST), of
                               * nests with all inside, without what they call */
    double excess_a, excess_b; /* of their weights */
    double change, low, high; /* b - a in the metric's unit, with its 95 % interval */
    bool beyond;              /* of noise: the interval leaves 0 out */
    bool in_both;             /* also where one has no row for it, because it met no sample */
    hsc_compare_how how;
} diff_row;

hsc_status diff_load(diff *d, hsc_err *err); /* a.db, b.db, metrics and axes are set */
void diff_clear(diff *d);
/* The sizes of both, and whether they differ. Of threads of one process only as many count as computed at the same time (working, stands_for): one that only
 * waits, and one that computes when another does not, stands for that. Of whole runs. Cost: the timeline of all threads at some thousand moments. */
hsc_status diff_put_together(diff *d, hsc_err *err);
/* Runs of as many threads in all have one size: the largest of theirs. */
void diff_agree(report **runs, uint32_t n);

/* Pairs with samples in either, and what only one has, the largest change first. free() *rows. */
hsc_status diff_rows_by(diff *d, diff_by by, diff_row **rows, uint32_t *n, hsc_err *err);

/* Of diff_rows_by: outermost loops, as `report --by=nest` has them. Two are one where one of their loops is the same. */
hsc_status diff_nest_rows(diff *d, diff_row *rows, uint32_t *n, hsc_err *err);
/* The nest that a row's loop is in, in both; false: not there, or a nest of one loop. */
bool diff_nest_of(const diff *d, const diff_row *row, diff_row *nest);
/* The loop HSC_COMPARE_NEST that an unmatched one of that side (0: A) is told with; HSC_NONE: it is told by itself. */
uint32_t diff_told_with(const diff *d, int side, uint32_t loop);
/* What such a loop has with those that are told with it; what loops pay for is known. */
hsc_weighted diff_nest_sum(const diff *d, int side, uint32_t loop);
/* The one of them that has most, or the loop itself. */
uint32_t diff_longest_of(const diff *d, int side, uint32_t loop);

/* The whole: totals, unmatched or not. Of a whole run's CPU time they are known, but for what is in no sample. */
diff_row diff_total(const diff *d);

/* Scaling of a row: speed-up of the slowest processor, and efficiency: work in A over work in B (strong), a processor's
 * mean work in A over that in B (weak). NAN where there is nothing to divide. */
hsc_status diff_scaling_of(diff *d, const diff_row *row, double *speedup, double *efficiency, hsc_err *err);

/* The factors of a run's parallel efficiency (docs/differences.md). threads 0, the rest NAN or 0: they are not known (an
 * interval, another metric than CPU time, no values by category). */
typedef struct diff_factors {
    uint32_t threads;            /* that run the program's code */
    double all_s;                /* elapsed time of the run, for each of them */
    double computation_s, cpu_s; /* CPU time of all threads: in computation; all */
    double line_s;               /* in line for a processor; NAN: not known */
    double in_line;              /* that part of the time that its threads could have run; 0: not known */
    bool crowded;                /* more than half: elapsed time tells of others' load, so communication and parallel are NAN */
    bool uneven;                 /* the imbalance is more than chance alone makes of even work */
    double longest_s;            /* computation of the thread that has most */
    double load_balance;         /* mean of computation over its maximum */
    double communication;        /* that maximum over the elapsed time */
    double parallel;             /* the product of both: computation_s / all_s */
} diff_factors;
hsc_status diff_factors_of(const report *r, diff_factors *out, hsc_err *err);
/* "threads stood in line for a processor for 95 % (A) and 70 % (C) of the time that they could have run: ..."; false: not for most of it in any.
 * of[n]: what is called `first`, and so on. */
bool diff_crowded_text(const diff_factors *of, uint32_t n, char first, char *out, size_t size);
/* Computation of A over that of B; weak scaling: of a thread on average. NAN: not known. */
double diff_computation_scaling(const diff *d, const diff_factors *a, const diff_factors *b);
/* Code of the user's own, in no header of the system: a procedure or a loop. */
bool diff_is_users(const diff *d, const diff_row *row);

/* Is all of the run compared, and no interval? */
bool diff_is_whole(const report *r);

/* Time of all threads in waits of a kind, and in calls of an operation of message passing. */
typedef struct diff_wait {
    const char *kind; /* "mutex", "MPI_Allreduce"; borrowed */
    bool messages;
    double a_s, b_s;
} diff_wait;
/* The largest change first; none of intervals. free() *list. Not those of libraries' own threads. */
hsc_status diff_waits(diff *d, diff_wait **list, uint32_t *n, hsc_err *err);

/* CPU time of all threads in a category of what they did. */
typedef struct diff_category {
    const char *name; /* "computation"; borrowed */
    diff_row row;     /* its a and b: HSC_NONE */
} diff_category;
/* Of what either run has samples of, changes beyond noise first, the largest first; none of intervals, of another metric than CPU time, and where a
 * database has no values by category. free() *list. */
hsc_status diff_categories(diff *d, diff_category **list, uint32_t *n, hsc_err *err);

/* Are both runs of one program? By the names without paths and the build ids of what the first 64 processes ran; where these are not known by the command. */
typedef enum diff_programs {
    DIFF_PROGRAMS_SAME,    /* of one name */
    DIFF_PROGRAMS_RENAMED, /* one build (build id) under two names */
    DIFF_PROGRAMS_OTHER
} diff_programs;
diff_programs diff_programs_of(const diff *d);
/* Files with samples, the largest first, that are another build in B, or in one of the two alone with 1 % of its time: "libw.so, 70.1 % of A's time; ...". No: none. */
bool diff_other_libraries(const diff *d, char *out, size_t size);
/* Variables of the environment that are recorded, with the values of all processes: "OMP_WAIT_POLICY: not set -> passive; ..." in A and B, as many as there is room for. */
typedef enum diff_environment { DIFF_ENVIRONMENT_UNKNOWN, DIFF_ENVIRONMENT_SAME, DIFF_ENVIRONMENT_OTHER } diff_environment;
diff_environment diff_environment_of(const diff *d, char *out, size_t size);
bool diff_is_same_build(const diff *d); /* of two databases; all programs of A are in B, by their build ids, which are known */

/* One place in both runs where threads waited, called message passing, or made others wait; all threads and calling contexts added up. */
typedef struct diff_timed_side {
    uint32_t line, context;  /* of what has most of the time: line row and calling context; HSC_NONE: not known */
    double seconds;
    uint64_t calls;          /* waits, calls; of causes the waits that it was late for */
    uint64_t sent, received; /* bytes; of waits all are in `received`, of causes 0 */
    uint32_t most_thread;    /* of causes: that caused most of it; HSC_NONE: no cause, or not the same one for all that is added up */
    uint32_t from, from_context; /* of diff_message_callers: the line that the procedure is called from, and what it is in; HSC_NONE */
} diff_timed_side;
typedef struct diff_timed {
    const char *kind;        /* "mutex", "MPI_Allreduce", "late sender"; borrowed */
    char *cause[2];          /* of causes: what the late one did, of A and B; NULL: not there, or no cause */
    bool in_a, in_b;
    bool machine;            /* of causes: the late ones were ready to run, but had no processor */
    diff_timed_side a, b;
} diff_timed;
/* `by`: DIFF_WAIT, DIFF_MESSAGE or DIFF_CAUSE. The largest change first; what libraries' own threads wait for is left out. While intervals are
 * set, of these. Free with diff_free_timed. Cost: the tables of waits, messages or delays, and the source texts of both. */
hsc_status diff_timed_by(diff *d, diff_by by, diff_timed **list, uint32_t *n, hsc_err *err);
void diff_free_timed(diff_timed *list, uint32_t n);
/* Calls of message passing as of DIFF_MESSAGE, each by the lines that the procedure it is in is called from. None where there are more than some
 * millions of rows. Free with diff_free_timed. */
hsc_status diff_message_callers(diff *d, diff_timed **list, uint32_t *n, hsc_err *err);

/* Samples of line rows, (*out)[lines]. free() *out. */
hsc_status diff_line_sums(report *r, hsc_weighted **out, hsc_err *err);

/* Line rows of the compared databases that are one: (*b_of_a)[lines_a], HSC_NONE: not in B. free() *b_of_a. */
hsc_status diff_match_lines(const hsc_compare *c, uint32_t lines_a, uint32_t **b_of_a, hsc_err *err);

/* What heads a comparison: as hsc_db_read_run_figures() tells it. free() *list. */
hsc_status diff_figures_of(diff *d, hsc_db_run_figure **list, uint32_t *n, hsc_err *err);

/* What the compiler made of a loop in both: "vector x4 94 %, ..." and the remark that matters; *changed: the versions
 * or the remark differ, and the binaries do (build id). Of a row HSC_COMPARE_NEST: of the loop in it that has most, after its line ("12: vector x4"). */
typedef struct diff_decisions {
    bool changed;
    char versions_a[200], versions_b[200], remark_a[400], remark_b[400];
} diff_decisions;
hsc_status diff_decisions_of(diff *d, const diff_row *row, diff_decisions *out, hsc_err *err);

/* Time that only moved between a place and the code next to it: that changed beyond noise the other way, and both together within it.
 * What holds both has the row's own time in it by definition. */
typedef enum diff_moved_how {
    DIFF_NOT_MOVED,
    DIFF_MOVED_WITHIN, /* the procedure that the loop or line is in: all lines in it; its loops with what they call, and its code in none */
    DIFF_MOVED_BELOW,  /* what the procedure or loop calls, or has inlined */
    DIFF_MOVED_AROUND, /* the procedure that the line is in, and what that calls */
    DIFF_MOVED_CALLER, /* the procedure that mostly calls it, with its loops: both procedures without what else they call */
    DIFF_MOVED_IN_LOOP /* the innermost loop round the line of which that is so: all lines in it, and in loops inside */
} diff_moved_how;
typedef struct diff_moved {
    diff_moved_how how;
    diff_row together; /* a, b: the scope that holds both, of DIFF_MOVED_CALLER the caller */
} diff_moved;
hsc_status diff_moved_of(diff *d, diff_by by, const diff_row *row, diff_moved *out, hsc_err *err);

/* A sum of A (side 0) or B, as intervals take it. */
hsc_sampled diff_sampled_of(const diff *d, int side, hsc_weighted v);
/* From the counts to change, low, high and beyond. */
void diff_set_change(const diff *d, diff_row *row);
void diff_set_counts(const diff *d, diff_row *row, hsc_weighted a, hsc_weighted b);

/* How a run was measured, and what the machine did to it. */
typedef struct diff_measured {
    const char *mechanism;          /* source of samples, of the first process; borrowed */
    double due, lost;               /* periods of CPU time: that samples were due for, that are in none */
    double samples, periods;        /* taken; that they stand for */
    double itself_s;                /* CPU time without what measuring took of it; 0: an older database */
    double measuring_s, off_s;      /* CPU time of measuring; elapsed time without, of all processes */
    report_usage usage;             /* by the kernel */
} diff_measured;
void diff_measured_of(const report *r, diff_measured *out);

/* A sentence for each way in which the two runs were not measured alike, or the machine was not the same to both. */
enum { DIFF_CARES = 12, DIFF_CARE_SIZE = 512 };
typedef struct diff_cares {
    char text[DIFF_CARES][DIFF_CARE_SIZE];
    uint32_t n;
} diff_cares;
void diff_cares_of(const diff *d, diff_cares *out);

/* What figures and cares need of databases whose metrics are set: their sums, without matching anything. diff_clear() in any case. */
hsc_status diff_begin(diff *d, hsc_err *err);

const char *diff_how_text(hsc_compare_how how);

#endif
