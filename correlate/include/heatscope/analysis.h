/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a database says, and what two of them do together: made of the queries of query.h, whose terms hold here too, by the libraries of
 * `heatscope report` and `heatscope diff`. Errors are those of query.h, but where others are named. */
#ifndef HEATSCOPE_ANALYSIS_H
#define HEATSCOPE_ANALYSIS_H

#include <heatscope/query.h>

#ifdef __GNUC__
#pragma GCC visibility push(default) /* our libraries hide all else */
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- what it all says (library hsc_report) ---- */

/* What stands out: a sentence with its figure, the interval of the figure, and a place. */
typedef struct hsc_db_finding {
    const char *title;      /* a word or two: "Hottest loop"; static */
    char *text;             /* whole sentences, as the report prints them */
    double weight;          /* samples at stake */
    uint32_t order;         /* in which it was found */
    double share, share_low, share_high; /* of all samples, with its 95 % interval; NaN: it is not about a share */
    uint32_t scope, file;   /* HSC_NONE: none */
    uint32_t line;          /* 0: none */
} hsc_db_finding;
/* As they are to be read: shares of the whole, what figures depend on, then kind by kind (code, messages, threads, ...), the kind with the
 * heaviest and in it the heaviest first; on success free with hsc_db_free_findings. Cost: that of the sums of all scopes and contexts. */
hsc_status hsc_db_read_findings(hsc_db *db, uint32_t metric, hsc_db_finding **out, uint32_t *n, hsc_err *err);
void hsc_db_free_findings(hsc_db_finding *list, uint32_t n);
/* The loop with most time with what it calls (docs/measurement.md, section 3, and docs/findings.md), of the user's own code where there is one; where a procedure of the user's has a
 * quarter more, of which its own loops have less than half, that one; HSC_NONE: none has a hundredth of all samples. The finding "Hottest loop" or
 * "Hottest procedure" is of it. Cost: that of the sums of all scopes and contexts. */
hsc_status hsc_db_find_hottest_code(hsc_db *db, uint32_t metric, uint32_t *scope, hsc_err *err);
/* Periods of CPU time that are in no sample, by the ledger; 0: none, or nothing tells. */
double hsc_db_count_lost(const hsc_db *db);
/* Are samples in calls of message passing communication or waiting by what the call is, as it is not known until when it waited: the database has no times. */
bool hsc_db_guesses_waiting(hsc_db *db);
/* Is the scope code of Heatscope's own libraries (probes, wrappers)? */
bool hsc_db_is_heatscope(const hsc_db *db, uint32_t scope);
/* loop_of[scopes]: whose time a loop's own code is in a list of loops: its own, but of a loop all code of which, as far as it ran, was
 * unrolled fully, the nearest other loop round it in its procedure, where there is one. Other scopes: themselves. sums: samples by loop
 * version (HSC_TABLE_INSTANCE), NULL: all versions count as if they ran. HSC_E_MEMORY. */
hsc_status hsc_db_place_unrolled(const hsc_db *db, const double *sums, uint32_t *loop_of, hsc_err *err);
/* A loop that the vectoriser refused, and what that costs: its samples without inner loops and vector bodies. */
typedef struct hsc_db_refusal {
    uint32_t scope;
    uint32_t reason;        /* HSC_reason_* of enums.h */
    const char *reason_text;
    const char *message;    /* of the remark, borrowed until hsc_db_close */
    double samples, low, high; /* of the metric; 95 % interval */
} hsc_db_refusal;
/* The dearest first; free() *out. */
hsc_status hsc_db_read_refusals(hsc_db *db, uint32_t metric, hsc_db_refusal **out, uint32_t *n, hsc_err *err);
/* Findings and refusals by and by, with other queries between: begin, look_on for so many seconds at a time (or a step that takes longer: some
 * 10 ms with 1,000,000 lines) until *part, from 0, is 1, take, end. An interval must not be set between: end first. After a failure: end. */
typedef struct hsc_db_looking hsc_db_looking;
hsc_status hsc_db_begin_findings(hsc_db *db, uint32_t metric, hsc_db_looking **out, hsc_err *err);
hsc_status hsc_db_look_on(hsc_db_looking *looking, double seconds, double *part, hsc_err *err);
void hsc_db_take_findings(hsc_db_looking *looking, hsc_db_finding **out, uint32_t *n); /* as of hsc_db_read_findings; once, when all is done */
hsc_status hsc_db_take_refusals(hsc_db_looking *looking, hsc_db_refusal **out, uint32_t *n, hsc_err *err); /* as of hsc_db_read_refusals */
void hsc_db_end_findings(hsc_db_looking *looking); /* NULL: nothing */

/* Of n durations that were sorted, the ceil(q n)-th lies from low_s to high_s: the bounds of its bucket (hsc_db_read_histogram, nanoseconds),
 * within the least and the largest known. value_s: between them by its place among those of its bucket. NAN where there are none. */
typedef struct hsc_db_quantile {
    double value_s, low_s, high_s;
} hsc_db_quantile;
void hsc_db_histogram_quantile(const uint64_t histogram[HSC_BUCKETS], double min_s, double max_s, double q, hsc_db_quantile *out);

/* Where to show a wait (a row of waits, or a span that is one): what OpenMP's runtime waits for inside of itself, and what stands in a header of
 * the system (std::mutex), stands where the user's own code calls it, if that is on the path. `kind` HSC_NONE: of a holder, or a late one. Changes
 * *context and *line, or leaves them alone. */
void hsc_db_find_wait_place(hsc_db *db, uint32_t kind, uint32_t *context, uint32_t *line);

/* What made others wait, as people should read it: a row of delay places with its delay. */
typedef struct hsc_db_cause {
    uint32_t row;                  /* of delay places */
    hsc_db_delay_place place;
    hsc_db_delay delay;
    uint32_t context, line, scope; /* where the user's own code does it, or calls what does, small procedures that were put in line with what they are in; the place's where there is none. HSC_NONE */
    uint32_t file, file_line;      /* where to show it: a loop where it begins, else the line; HSC_NONE, 0 */
    uint32_t waited_kind;          /* it waited there itself, or was in a call of MPI: HSC_wait_kind_* of enums.h, NONE: in a call of a library with nearly all of what it
                                    * did in that loop or procedure; HSC_NONE: it did it itself */
    const char *waited;            /* "sleep", "MPI_Wait", "qsort"; "" */
    uint32_t column;               /* where there are several such calls on the line: of this one, from 1; 0: the only one */
    bool own;                      /* no: threads that libraries made for themselves, about a lock of the library */
    bool for_work;                 /* who waited waits for the other's work: for its end or, with hardly any work of its own, for its signal */
    double counted_s;              /* of place.caused_s: all but waits for work */
} hsc_db_cause;
/* All of them, in the order of delay places; while an interval is set, those with a part in it. free() *out. */
hsc_status hsc_db_read_causes(hsc_db *db, hsc_db_cause **out, uint32_t *n, hsc_err *err);
/* Order of two causes, by what makes them one for people: kind, place and late call, whichever the thread. 0: one. */
int hsc_db_compare_causes(const hsc_db_cause *a, const hsc_db_cause *b);

/* Is there a runtime of OpenMP with worker threads, of whose waits none was timed? Its name ("libgomp"), static; NULL: no. Cost: where there is such a
 * runtime the contexts once. */
hsc_status hsc_db_find_silent_openmp(hsc_db *db, const char **name, hsc_err *err);

/* A variable of the environment that changes how programs run (process.environment), with the values of all processes of which that is known: "2", or
 * "2 (1 process) or 4 (3) or not set (1)"; long and many values are cut, with "..." and "or 7 more". */
typedef struct hsc_db_variable {
    char name[256], values[400];
} hsc_db_variable;
/* By name; none where none was set, or nothing is known. free() *out. Cost: the processes once. */
hsc_status hsc_db_read_environment(hsc_db *db, hsc_db_variable **out, uint32_t *n, hsc_err *err);

/* Message passing by array: what the map knows of the buffers of calls, joined with what their wrappers counted. */
typedef struct hsc_db_array_use {
    uint32_t array;         /* row of arrays, the first with its identity; HSC_NONE: calls whose buffers are not known */
    char *text;             /* "u(5, 64)", "halo[2][n]" */
    uint32_t places;        /* calls in the source, as (line, operation) */
    uint32_t procedure;     /* scope; of a member one that ran with it; HSC_NONE: none */
    uint64_t calls, sent_bytes, received_bytes;
    double mpi_s;           /* in the calls, and their share of those that completed them; a call of two arrays counts whole for both */
    double waiting_s;       /* of it, for late partners, likewise: rows add up to more than all */
    double packing, unpacking; /* loops that fill or read the buffer, in the unit of the metric; NAN: none is known */
} hsc_db_array_use;
/* "u(5, 64)", "halo[2][n]", "density(:, 0:)": its name with its bounds, as people should read them. */
void hsc_db_get_array_text(hsc_db *db, uint32_t array, char *out, size_t size);
/* Those with most bytes first, the unknown last; on success free with hsc_db_free_arrays. Empty where there is no map of the calls.
 * Cost: the tables message, delayed and mpi_link once. */
hsc_status hsc_db_read_arrays(hsc_db *db, uint32_t metric, hsc_db_array_use **out, uint32_t *n, hsc_err *err);
void hsc_db_free_arrays(hsc_db_array_use *list, uint32_t n);

/* Time by array: of the lines that refer to it, as in `report --by=data`. A line of several counts for each: rows add up to more than all. */
typedef struct hsc_db_array_time {
    uint32_t array;         /* row of arrays, the first with its identity */
    uint32_t lines;         /* that refer to it and have code */
    uint32_t procedure;     /* of one that several may refer to: scope whose lines have most of it; HSC_NONE: not known, or its own */
    double value;           /* exclusive, in counts of the metric */
} hsc_db_array_time;
/* Those with a value, the largest first; free() *out. Cost: the references, and the sums of all instructions and lines, once. */
hsc_status hsc_db_read_array_times(hsc_db *db, uint32_t metric, hsc_db_array_time **out, uint32_t *n, hsc_err *err);

/* By row of references: 1 where it is counted. Instances of a template have references of their own on the same lines: of those of one array on a line, one instance's are, that
 * has most of them, of those with time by the metric, where any has. free() *out. Cost: the references once. */
hsc_status hsc_db_choose_references(hsc_db *db, uint32_t metric, uint8_t **out, hsc_err *err);

/* ---- two databases (library hsc_diff) ---- */

typedef enum hsc_change_by { HSC_CHANGE_PROCEDURE = 0, HSC_CHANGE_LOOP = 1, HSC_CHANGE_LINE = 2, HSC_CHANGE_MODULE = 3, HSC_CHANGE_NEST = 4 } hsc_change_by;
typedef struct hsc_db_change { /* of a procedure with its loops, a loop without inner loops ("nest": with those in it that are others in the other database), a line, a module, an outermost
                                * loop with all inside */
    uint32_t a, b;          /* rows: scopes, or lines; HSC_NONE: not there */
    double value_a, value_b; /* in the metric's unit */
    double change, low, high; /* b - a, with its 95 % interval */
    bool beyond;            /* of noise: the interval leaves 0 out */
    bool in_both;           /* also a line that one has no row for, because it met no sample there */
    const char *how;        /* it was found: "same", "moved", ...; static */
    double speedup, efficiency; /* of two sizes: of the slowest processor; work in A over work in B (strong scaling). NAN: not known, or equal sizes, or a line */
    bool moved;             /* beyond noise, but the code next to it changed the other way: both together did not (docs/differences.md). No modules; of changes of a thousandth of the run and more */
    double together_a, together_b; /* of what moved: both together; NAN */
} hsc_db_change;
/* What has samples in either, the largest change first; free() *out. HSC_E_MISMATCH: the metrics have different units. Cost: the
 * sums of both, and the source texts of files with loops. */
hsc_status hsc_db_read_changes(hsc_db *a, uint32_t metric_a, hsc_db *b, uint32_t metric_b, hsc_change_by by, hsc_db_change **out,
                               uint32_t *n, hsc_err *err);

typedef enum hsc_timed_by { HSC_TIMED_WAITS = 0, HSC_TIMED_MESSAGES = 1, HSC_TIMED_CAUSES = 2 } hsc_timed_by;
typedef struct hsc_db_timed_change { /* of a place where threads waited, called message passing, or made others wait; all threads added up. Of A: [0], of B: [1] */
    const char *kind;       /* "mutex", "MPI_Send", "late sender"; of a database */
    char *cause[2];         /* of causes: what the late one did, "loop a.c:12 in solve"; NULL: not there, or no cause */
    bool in[2];
    uint32_t line[2], scope[2]; /* rows; HSC_NONE: not there, or not known */
    double seconds[2];
    uint64_t calls[2];      /* waits, calls; of causes the waits that it was late for */
    uint64_t sent[2], received[2]; /* bytes; of waits all are in `received` */
} hsc_db_timed_change;
/* The largest change first. Waits and messages are timed, so there is no noise of sampling; the waiting for causes is, but it is divided among
 * them by samples, and no interval of that is known. While intervals are set, of these. Free with hsc_db_free_timed_changes.
 * Cost: the tables of waits, messages or delays, and the source texts of files with loops. */
hsc_status hsc_db_read_timed_changes(hsc_db *a, hsc_db *b, hsc_timed_by by, hsc_db_timed_change **out, uint32_t *n, hsc_err *err);
void hsc_db_free_timed_changes(hsc_db_timed_change *list, uint32_t n);

typedef struct hsc_db_run_figure { /* of two whole runs, known without sampling but for categories and factors */
    const char *of;   /* static: "cpu" time by the kernel, of the program "itself" (by what measuring took: an estimate), "elapsed";
                       * of "cpu" in a "category" of what threads did: at most four, what changed beyond noise by 1 % of all or more, the largest
                       * first, and computation; none where that is nearly all;
                       * "waiting" and calls of "messages" of all threads; "imbalance" of the computation (of the thread with most over
                       * the mean, runs of equal size); of two sizes the factors of efficiency: "parallel" = "balance" x
                       * "communication" (neither where threads of one stood in line for a processor for most of the time that they could
                       * have run), "computation" and that of "each" thread on average, whose ratios a / b are how the
                       * computation scaled: of strong scaling the first, of weak scaling the second; "size": processes, or of one
                       * process each the threads that computed at the same time; "in line": how long all threads stood in line for a
                       * processor, where the kernel told it of both */
    const char *name; /* the category; the kind of wait or the operation; "": all of them together, which come before; of a database */
    double a, b;      /* seconds; of imbalance, parallel, balance and communication: ratios; of size a number */
    double low, high; /* of a category: 95 % interval of b - a; else 0 */
    bool chance_a, chance_b; /* of imbalance and balance: chance alone explains it */
} hsc_db_run_figure;
/* As `heatscope diff` tells them (docs/differences.md); none of intervals, and none of CPU time where the metric is another one.
 * free() *out. Cost: the sums of both and the tables of waits and messages. HSC_E_MISMATCH: the metrics have different units. */
hsc_status hsc_db_read_run_figures(hsc_db *a, uint32_t metric_a, hsc_db *b, uint32_t metric_b, hsc_db_run_figure **out, uint32_t *n,
                                   hsc_err *err);

/* A line of text for each way in which the two runs were not measured alike, or the machine was not the same to both ("" for none); in it the runs
 * are called A and B. free() *out. Cost and errors as of the figures. */
hsc_status hsc_db_read_run_cares(hsc_db *a, uint32_t metric_a, hsc_db *b, uint32_t metric_b, char **out, hsc_err *err);

typedef enum hsc_match_of { HSC_MATCH_LINES = 0, HSC_MATCH_SCOPES = 1, HSC_MATCH_CONTEXTS = 2 } hsc_match_of;
/* Which row of b is the same thing as each row of a: (*b_of_a)[rows of a]; HSC_NONE: not in b. One to one; lines by their text
 * where both texts are known (so edits in between do no harm), else by number; contexts whose caller and code are the same
 * ones. free() *b_of_a. Cost: the source texts of both. HSC_E_MEMORY, HSC_E_FORMAT, HSC_E_IO. */
hsc_status hsc_db_match(hsc_db *a, hsc_db *b, hsc_match_of what, uint32_t **b_of_a, hsc_err *err);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
