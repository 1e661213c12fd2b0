/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who was waited for, what it did meanwhile, and who waited. */
#ifndef HEATSCOPE_REPORT_CAUSES_H
#define HEATSCOPE_REPORT_CAUSES_H

#include "report.h"
#include "report_timed.h"

typedef struct report_cause { /* causes that are one for people, added up over threads and calling contexts */
    hsc_db_cause of;    /* that with most of it: its place is shown */
    uint32_t threads, most_thread;
    uint32_t delay; /* of the last row added */
    const hsc_db_cause *rows; /* that were added up; until causes are added up again */
    uint32_t n;
    uint64_t waits; /* for the late calls */
    double caused_s, direct_s, most_s;
} report_cause;

typedef struct report_cause_row { /* a row by itself, and what all threads together caused by the same doing in the same calls */
    hsc_db_cause of;
    double all_s;
    report_over over; /* what each thread caused so */
} report_cause_row;

typedef struct report_delayed { /* a row of delayed, and the delay that it is of */
    hsc_db_delayed v;
    hsc_db_delay d;
    bool own; /* as of causes: no: of a thread that a library made for itself */
    uint32_t call; /* report_delayed_by_place: of rows that differ in their call paths only, the row of the line at which this one's calls what another one's calls
                    * elsewhere; HSC_NONE */
} report_delayed;

/* The program's, the heaviest first, then the machine's. Who joins a thread waits for its work, which no cause is told of: only what others waited
 * for who joins. free() *rows. */
hsc_status report_causes(report *r, report_cause **rows, uint32_t *n, hsc_err *err);
hsc_status report_cause_list(report *r, report_cause_row **rows, uint32_t *n, hsc_err *err); /* the same, not added up */
/* The program's, the longest first, then those of libraries' own threads. free() *rows. */
hsc_status report_delayed_list(report *r, report_delayed **rows, uint32_t *n, hsc_err *err);
/* Adds up those of one kind, for one thread, of one thread and in one place and call path, wherever the late one was (which they keep of one of them), in the
 * same order. */
void report_delayed_by_place(report *r, report_delayed *rows, uint32_t *n);
bool report_is_own_delayed(const report *r, const hsc_db_delayed *v, const hsc_db_delay *d);

/* What of the program causes most waiting, and in order what causes at least a tenth of it; then what is the machine's, as those who were late had no
 * processor, however much that is. "": too little to speak of. The place that it names is *scope (a loop), or else *line
 * (a row); HSC_NONE. *seconds: without the machine's. */
hsc_status report_main_cause(report *r, char *out, size_t size, uint32_t *scope, uint32_t *line, double *seconds, hsc_err *err);

uint32_t report_scope_of(const report *r, uint32_t context); /* HSC_NONE */
bool report_wanted_place(const report *r, uint32_t line, uint32_t context);
bool report_wanted_cause(const report *r, const hsc_db_cause *c); /* what caused it, or the call that was late, is there */
/* " or 170": further lines whose call of MPI the one of this line may be, since the compiler made one of them; or "". */
void report_merged_text(const report *r, uint32_t line, char *out, size_t size);
const char *report_call_text(const report *r, uint32_t line, char *out, size_t size); /* both: "adi.c:120 or 170", or "" */
void report_procedure_text(const report *r, uint32_t scope, uint32_t line, int width, char *out, size_t size); /* "solve adi.c:110" */
void report_scope_text(const report *r, uint32_t scope, uint32_t line, int width, char *out, size_t size); /* "loop adi.c:120 in solve" */
/* "loop adi.c:120 in solve", "sleep in solve adi.c:110", "not running", "not known what" */
void report_cause_place(const report *r, const report_cause *c, int width, char *out, size_t size);
/* By way of whom, where that was in a call, which programs wrap; and by way of whom it came to the late call: as of report_callers(). "": by one way alone. */
char *report_cause_ways(const report *r, const report_cause *c, unsigned most, char *out, size_t size);
char *report_cause_late_ways(const report *r, const report_cause *c, unsigned most, char *out, size_t size);
/* The loop that the late one was in, which the cause is shown at; HSC_NONE: it waited itself, ran no loop, had no processor, or nobody knows. */
uint32_t report_cause_loop(const report *r, const hsc_db_cause *c);
/* What the compiler made of that loop, as report_compiled_text says it: what was late for a loop may be so for a refusal. "": nothing is known. */
hsc_status report_cause_compiled(report *r, const hsc_db_cause *c, char *out, size_t size, hsc_err *err);
void report_who(const report *r, uint32_t thread, char *out, size_t size);                  /* "rank 3", "rank 3 thread 1", "thread 1" */
const char *report_cause_kind(uint32_t kind);                                               /* short, for columns */

#endif
