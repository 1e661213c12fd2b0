/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages and waits, added up over threads and calling contexts: by place of the call and operation or kind. */
#ifndef HEATSCOPE_REPORT_MEASURES_H
#define HEATSCOPE_REPORT_MEASURES_H

#include "report.h"
#include "report_timed.h"

typedef struct report_message { /* of one place, operation and, where `by_class`, kind of partner and class of size */
    uint32_t line, context;     /* of the first row; line HSC_NONE: unknown */
    const char *operation, *peer;
    uint32_t kind, size_class;
    uint32_t processors;     /* threads that called it */
    uint32_t longest_thread; /* that spent most in it */
    uint64_t calls, sent, sent_bytes, received, received_bytes, size_min, size_max, completions;
    uint64_t sized; /* of the calls: those that size_... are of. One to MPI_PROC_NULL moves nothing */
    double size_bytes, size_squares, duration_s, duration_min_s, duration_max_s, duration_squares, in_flight_s, completion_s;
    double longest_s; /* of longest_thread */
    uint32_t row;     /* of the database: the first */
    report_over over; /* what each thread spent in it */
    hsc_db_quantile median, p95; /* of one call's duration; where `by_class` */
} report_message;

typedef struct report_wait { /* of one place, kind and holder */
    uint32_t line, context, kind, holder_thread, holder_context, processors; /* processors: threads that waited */
    const char *kind_text;
    uint64_t waits, bytes;
    double total_s, max_s;
    double idle_s;   /* of total_s: by threads that wait for work, until they are given some */
    uint64_t idle_waits;
    bool own;        /* code of the user's is on the path of the first */
    uint32_t thread; /* of the first */
    uint32_t row;     /* of the database: the first */
    uint32_t column;  /* where there are several such calls on the line: of this one, from 1; 0: the only one */
    report_over over; /* what each thread waited */
    hsc_db_quantile median, p95; /* of one wait's duration; where `quantiles` */
} report_wait;

/* The longest first. free() *rows. */
hsc_status report_messages(report *r, bool by_class, report_message **rows, uint32_t *n, hsc_err *err);
hsc_status report_waits(report *r, bool quantiles, report_wait **rows, uint32_t *n, hsc_err *err);
/* Of such rows: seconds in which threads of the program wait for work, and how many threads of all that are known to. */
double report_idle_waits(const report *r, const report_wait *rows, uint32_t n, uint32_t *threads);
/* Of the metric "waiting": takes the procedures out of the rows in which threads wait that run no code of the program; their sum. */
hsc_status report_take_libraries(const report *r, uint32_t *rows, uint32_t *n, hsc_weighted *sum, hsc_err *err);
/* Of rows that report_waits gave: none is OpenMP's, though GCC's runtime has worker threads (samples met one). *sampled (may be NULL): CPU time
 * that they spend in that runtime waiting. */
bool report_is_openmp_silent(const report *r, const report_wait *rows, uint32_t n, hsc_weighted *sampled);
/* The same in another order: what was waited for at one place, in one kind of wait, stands together, the thread that ended most of it first. */
void report_sort_waits_by_place(report_wait *rows, uint32_t n);
bool report_is_same_wait(const report_wait *a, const report_wait *b); /* place, call and kind */
const char *report_ended_by(uint32_t wait_kind); /* "held by", "signalled in": what comes before who ended waits of that kind */

/* While an interval is set, both tell of it: sums of slices of some 100 ms, each where it ends. */

/* Is code of the user's anywhere on the path? Threads that libraries made for themselves have none. */
/* The routine that a thread was given to do, where a library began it (std::thread) in `context`: the outermost context of the user's own
 * code that the thread has samples in; `context` where that is his own, there is none, or the thread is not known (HSC_NONE). Cost: the
 * contexts up to there, and a row of values for each routine that threads are begun with. */
uint32_t report_thread_routine(const report *r, uint32_t context, uint32_t thread);
/* What tells the thread from others: its name, if that is not its process's program, else the outermost of the user's procedures that it has samples in, if that
 * is not where the program begins. "": nothing. Returns out. Cost: as report_thread_routine(). */
const char *report_thread_name(const report *r, uint32_t thread, char *out, size_t size);
/* report_callers.c: "exchange halo.c:80 (62 %), reduce cg.c:31 (38 %)": where the procedure is called that calls `operation` on that row of the line table, at most so
 * many places by the time in it; where one has all of it, where that one is called, and so on. "": from one place alone, or not known. Of the whole run. Returns out. */
char *report_callers(const report *r, uint32_t line, const char *operation, unsigned most, char *out, size_t size);
/* The same of contexts with seconds in each; changes them. */
typedef struct report_way {
    uint32_t context;
    double seconds;
} report_way;
char *report_ways_text(const report *r, report_way *ways, size_t n, unsigned most, char *out, size_t size);
bool report_is_own_path(const report *r, uint32_t context);

double report_message_size(const report_message *m);        /* mean, bytes */
double report_message_size_stddev(const report_message *m); /* bytes */

#endif
