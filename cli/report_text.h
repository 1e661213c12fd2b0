/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as text and as rows for machines: all write to r->out. */
#ifndef HEATSCOPE_CLI_REPORT_TEXT_H
#define HEATSCOPE_CLI_REPORT_TEXT_H

#include "report.h"
#include "table.h"

typedef enum report_by {
    REPORT_ALL = 0,
#define REPORT_TABLE(constant, name, meaning, text, whole, anywhere) REPORT_##constant,
#include "report_tables.def"
    REPORT_TABLES
} report_by;

typedef struct report_table {
    const char *name, *meaning, *text;
    bool whole, anywhere;
} report_table;
extern const report_table report_tables[REPORT_TABLES]; /* by report_by */

hsc_status report_text(report *r, report_by by, hsc_err *err);
/* columns NULL: all, or as text the table's usual ones. */
hsc_status report_rows(report *r, report_by by, hsc_table_format format, const char *columns, hsc_err *err);
/* Title, run, what was measured, and what is left out; of a whole report also the command, its start, the kernel's account and where samples came from. */
void report_text_head(report *r, bool whole);

/* Rows that a table shows at most: what --top says; `few` where all tables come together, unless it is said. 0: all. */
uint32_t report_text_rows(const report *r, uint32_t few);
/* "12 more: --by=loop", of a table alone "12 more: --top=0"; returns out. */
const char *report_text_more(const report *r, uint32_t n, report_by by, char *out, size_t size);

/* That a table has no row of what --where chose. */
void report_put_none_there(const report *r, FILE *out, const char *before, report_by by);

/* Words broken to the width; at: the column reached, indent: of the lines after it. */
void report_text_wrap(FILE *out, int width, const char *prose, int indent, int at);

/* Pads to `width` terminal columns; to the left for numbers is printf's own. */
void report_text_pad(FILE *out, const char *text, int width);
/* Seconds between the begin of the first process and the end of the last one in which none ran: of programs one after the other (run --append). */
double report_text_idle(const report *r);

/* parts of report_text */
hsc_status report_text_processors(report *r, hsc_err *err);
hsc_status report_text_modules(report *r, hsc_err *err);
hsc_status report_text_ledger(report *r, hsc_err *err);
/* Heads of the columns of an amount, and they: "  388.20  31.4 0.21"; columns that the +- takes. */
char *report_text_share(const report *r, hsc_weighted v, char *out, size_t size); /* "31.4 % (31.3 to 31.5 %)"; returns out */
/* What the metric's amounts are: "time", or the name of what was counted; borrowed. */
const char *report_text_measure(const report *r);
void report_text_amount_heads(const report *r);
void report_text_amount(const report *r, hsc_weighted v);
int report_text_interval_width(const report *r);
void report_text_sources(const report *r); /* line of the head: threads that are sampled by another clock than their process's, at least for a while */
void report_text_off(const report *r); /* lines of the head: when nothing was measured */
hsc_status report_text_findings(report *r, hsc_err *err);
/* Those of the place that --where asks for; on success free with hsc_db_free_findings. */
hsc_status report_wanted_findings(report *r, hsc_db_finding **list, uint32_t *n, hsc_err *err);
hsc_status report_text_messages(report *r, hsc_err *err);
hsc_status report_text_waits(report *r, hsc_err *err);
hsc_status report_text_reasons(report *r, hsc_err *err);
hsc_status report_text_causes(report *r, hsc_err *err);
void report_text_libraries(const report *r, double all, double idle); /* what is in no sum: seconds that libraries' own threads wait for each other */
hsc_status report_text_delayed(report *r, hsc_err *err);
hsc_status report_text_probes(report *r, hsc_err *err);
hsc_status report_text_blocks(report *r, hsc_err *err);
hsc_status report_text_phases(report *r, hsc_err *err);
hsc_status report_text_counters(report *r, hsc_err *err);
hsc_status report_text_cost(report *r, hsc_err *err);
hsc_status report_text_arrays(report *r, hsc_err *err);
hsc_status report_text_references(report *r, hsc_err *err);
hsc_status report_text_contexts(report *r, hsc_err *err); /* report_text_paths.c */
void report_text_title(report *r, const char *text);
double report_text_least(const report *r); /* samples that a row of a brief table has */
hsc_status report_text_pairs(report *r, hsc_err *err);
const char *report_bytes(double n, char *out, size_t size); /* "1.2M"; returns out */
/* Lines in falling order of their own samples; through: behind them those of which there are none of their own, as calls, in falling order of those on
 * paths through them. At most `most`, 0: all. On success free with report_free_lines. */
typedef struct report_lines {
    uint64_t *rows;
    double *own;
    uint32_t n;
} report_lines;
hsc_status report_rank_lines(report *r, bool (*accept)(void *ctx, uint64_t row), bool through, uint32_t most, report_lines *out, hsc_err *err);
void report_free_lines(report_lines *lines);
/* Their inclusive samples; NAN: the metric has none. */
hsc_weighted report_line_inclusive(const report *r, uint64_t row);
/* --where chose it; ctx: the report. */
bool report_accept_line(void *ctx, uint64_t row);
/* "12", of a file other than that of the procedure round it "sweep.h:12", its name in `width` columns. */
void report_text_line_in(const report *r, uint32_t procedure, uint32_t file, uint32_t line, int width, char *out, size_t size);
/* Where something is called: "solve_z adi.c:120", as much of the name as there is room for. line, context: HSC_NONE, not known. */
void report_text_place(const report *r, uint32_t line, uint32_t context, int width, char *out, size_t size);

/* parts of report_rows. One row for each delay and place of what the late thread did; for each delay and place of those who waited. */
hsc_status report_cause_rows(report *r, hsc_table *t, hsc_err *err);
hsc_status report_delayed_rows(report *r, hsc_table *t, hsc_err *err);
/* Probes, blocks, phases, counters, cost. */
hsc_status report_told_rows(report *r, report_by by, hsc_table *t, hsc_err *err);
hsc_status report_pair_rows(report *r, hsc_table *t, hsc_err *err);
hsc_status report_array_rows(report *r, hsc_table *t, hsc_err *err);

/* Tables of what was counted, by report_by, as far as they have anything in the interval that is set: of one without a sample. */
hsc_status report_text_exact(report *r, hsc_status (*const *tables)(report *, hsc_err *), hsc_err *err);

#endif
