/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of findings share: report_findings.c (the program's code), findings_code.c (its hottest parts, imbalance), findings_vectors.c (vectors shorter than the processor's), findings_order.c (the order of loops), findings_layout.c (structures of which little is used), findings_memory.c (who allocates, who has arrays assigned, who calls libraries), findings_calls.c (libraries, messages, waits), findings_tree.c (where the tree of calls parts), findings_run.c (the
 * run and how it was measured). */
#ifndef HEATSCOPE_FINDINGS_H
#define HEATSCOPE_FINDINGS_H

#include "report.h"
#include "report_reasons.h"

enum { FINDINGS_ROWS = 1 << 14 }; /* scopes or contexts to look at in a step */
enum { FINDINGS_FEW = 10 };       /* samples of equal weight: a share of half of fewer is known to 27 to 81 % at best */
enum { FINDINGS_CARE = 2 };       /* times the total: the weight of a care that figures depend on */

typedef struct findings_walk findings_walk; /* of findings_openmp */

typedef struct findings {
    report *r;
    uint32_t n, room;
    hsc_db_finding *list;
    uint32_t *loops, *procedures, n_loops, n_procedures; /* hottest first */
    struct {
        hsc_weighted sum, clock; /* clock: of sum, in MPI_Wtime and MPI_Wtick */
        double best;
        uint32_t best_at, next;
    } mpi;
    uint32_t hottest; /* loop that a finding is of; HSC_NONE */
    findings_walk *walk;
    report_refused refused;
    bool again; /* of the step under way: it is to be called once more */
} findings;

/* Where a finding leads to. */
typedef struct spot {
    uint32_t scope, file, line;
} spot;

extern const spot spot_nowhere;
extern const hsc_weighted findings_no_share;

spot spot_of_scope(uint32_t row, const hsc_db_scope *s);
spot spot_of_line(const report *r, uint32_t row);

/* `samples`: those of the share that the finding tells, or findings_no_share. */
void findings_say(findings *f, double weight, const char *title, hsc_weighted samples, spot at, const char *text);

void findings_seconds(const report *r, double samples, char *out, size_t size);
void findings_amount(const report *r, hsc_weighted v, char *out, size_t size);            /* "388.2 s, 31.4 % (31.3 to 31.5 %)" */
void findings_place(const report *r, const hsc_db_scope *s, char *out, size_t size);      /* "core/sweep.c:16-20" */
void findings_procedure(const report *r, const hsc_db_scope *s, char *out, size_t size);  /* that the scope is of */

/* Is the metric one that vector code would make less of: time, cycles, instructions? Page faults and switches it would not. */
bool findings_vectors_help(const report *r);
bool findings_has_few(const report *r); /* samples: too few for shares */

/* findings_code.c */
const char *findings_loop_word(const char *name); /* " loop" behind the name of a loop that does not say so itself */
hsc_status findings_pay(findings *f, hsc_err *err);
hsc_status findings_hottest_loop(findings *f, hsc_err *err);
hsc_status findings_hottest_procedure(findings *f, hsc_err *err);
hsc_status findings_imbalance(findings *f, hsc_err *err);
hsc_status findings_one_thread(findings *f, hsc_err *err);

/* findings_vectors.c */
hsc_status findings_short_vectors(findings *f, hsc_err *err);
hsc_status findings_written_vectors(findings *f, hsc_err *err);
hsc_status findings_unoptimised(findings *f, hsc_err *err);

/* findings_order.c */
bool findings_is_short(const report *r, uint32_t loop); /* it is known to have few iterations */
hsc_status findings_loop_order(findings *f, hsc_err *err);

/* findings_layout.c */
hsc_status findings_layout(findings *f, hsc_err *err);

/* findings_memory.c */
hsc_status findings_memory(findings *f, hsc_err *err);
hsc_status findings_assignments(findings *f, hsc_err *err);
hsc_status findings_libraries(findings *f, hsc_err *err);

/* findings_tree.c */
hsc_status findings_call_tree(findings *f, hsc_err *err);

/* findings_generated.c: code that was made at run time */
hsc_status findings_generated(findings *f, hsc_err *err);

/* findings_calls.c */
hsc_status findings_mpi(findings *f, hsc_err *err);
/* ", mostly called by walk at src/tree.c:12": who has most of the scope's time, and the row of the call's line, HSC_NONE; "": nobody. */
hsc_status findings_main_caller(report *r, uint32_t scope, char *out, size_t size, uint32_t *line, hsc_err *err);
double findings_polling(const report *r); /* seconds of CPU time of threads that waited or passed messages */
hsc_status findings_openmp(findings *f, hsc_err *err);
void findings_walk_free(findings_walk *w);
hsc_status findings_messages(findings *f, hsc_err *err);
hsc_status findings_blocked(findings *f, hsc_err *err);
hsc_status findings_arrays(findings *f, hsc_err *err);
hsc_status findings_causes(findings *f, hsc_err *err);

/* findings_run.c */
hsc_status findings_kernel(findings *f, hsc_err *err);
void findings_waiting_in_line(findings *f);
void findings_quality(findings *f);

#endif
