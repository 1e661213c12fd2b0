/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a database says as a whole: the loaded sums, statistics, intervals, and text that fits. What `heatscope report`
 * and the findings of query.h are made of. */
#ifndef HEATSCOPE_REPORT_H
#define HEATSCOPE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <heatscope/analysis.h>

typedef struct report_source { /* text of a file, read when first asked for */
    bool looked, changed;
    char *text;
    size_t size;
    size_t *starts; /* [lines]: where each line begins */
    uint32_t lines;
} report_source;

typedef struct report {
    hsc_db *db;
    struct report_pool *pool;   /* of what rows of tables of what was timed have (report_timed.h) */
    FILE *out;
    hsc_db_info info;
    uint32_t metric;
    hsc_db_metric unit;
    hsc_weighted all;           /* samples of the metric */
    double total;               /* all.sum: periods */
    uint64_t records;           /* samples of CPU time, each of one period or more; 0: not known, as in an interval or of another metric */
    hsc_db_axis axis;           /* processors that are compared */
    uint32_t columns;           /* of the axis */
    uint32_t working;           /* of these, that did not become another program: a forked child before its exec does no part of the work; see report_leave_helpers */
    const char *where;          /* NULL: everything */
    bool net;                   /* the cost of sampling is taken out of CPU time */
    double net_share;           /* of CPU time, that was taken out */
    const char *category;       /* samples of this one alone are counted (report_categories.h); NULL: all */
    bool as_interval;           /* the interval that is set is the whole run, for that */
    uint32_t top;               /* rows of a table; 0: all */
    bool top_given;             /* by the user */
    int width, decimals;        /* of text */
    bool only_findings;         /* of the report as text, the first ones */
    bool brief;                 /* all tables together: each keeps to what matters */
    double *excl;               /* by scope: samples whose innermost scope it is */
    double *own;                /* by scope: of a procedure with its loops, of a loop with its inner loops */
    double *incl;               /* by scope: anywhere on the path */
    double *instance_sums;      /* by loop instance */
    double *excl_excess, *own_excess, *incl_excess, *instance_excess; /* of the weights of these (hsc_weighted) */
    uint32_t vector_bytes; /* report_vector_bytes, once has_vector_bytes */
    bool has_vector_bytes;
    uint32_t *instance_begin, *instances; /* instances of scope s: instances[begin[s] .. begin[s + 1]) */
    report_source *sources;     /* by file; NULL until one is read */
    double *dense;              /* columns: scratch of spreads, all 0 */
    double *dense_excess;
    uint32_t *touched;
    uint32_t programs;          /* that the processes ran */
    uint32_t *program_first;    /* programs: the first process of each */
    bool has_gomp;              /* the OpenMP runtime that tells nothing of its waits */
    uint8_t *own_module;        /* by module: an executable that the user ran */
    uint32_t *process_program;  /* by process */
    uint32_t *program_of;       /* columns: the program of each; NULL: all ran one, or they are nodes, which run several */
    uint8_t *program_met;       /* programs, or nodes: scratch of spreads, all 0; NULL: one program */
    bool *helpers;              /* by thread, of that axis: report_elapsed.h */
    bool helpers_known;
    uint32_t counted;           /* what `working` was before threads that took turns were put together */
    uint32_t size_given;        /* what the user says of `working`; 0: nothing */
    uint32_t *stands_for;       /* columns: the one that each is added to, itself or another (correlate/diff/together.c); NULL: itself */
    uint8_t *in_region;         /* by scope: met inside a parallel region; NULL until asked for */
    uint8_t *in_task;           /* with it, by scope: met inside a task */
    bool has_regions;           /* known with in_region */
    struct report_teams *teams; /* report_teams.c; NULL until asked for */
    struct report_paid *paid;   /* report_paid.h; NULL until asked for */
    struct report_calls *calls; /* report_called.c: by procedure and line, read when asked for */
    struct hsc_db_cause *causes; /* report_causes.c: those that were added up last */
    struct report_apart *apart; /* report_apart.c: made when asked for */
    double *shared;             /* by procedure: its own outside of the thread that has most, at least; NULL until asked for */
} report;

hsc_status report_load(report *r, hsc_err *err);
/* The same in steps, 0 to report_load_steps - 1, for who has other things to do between them. */
extern const unsigned report_load_steps;
hsc_status report_load_step(report *r, unsigned step, hsc_err *err);
void report_clear(report *r);

/* A row with what it is ranked by; sorted largest first, by the row where both are equal. Rows are given rising. */
typedef struct report_ranked {
    uint32_t row;
    double value, second;
} report_ranked;
void report_sort_falling(report_ranked *list, uint32_t n);

/* What lets a call of another file be put in line; the options of a compilation are not known. */
#define REPORT_LTO_FOR_BOTH "-flto -fuse-ld=lld for both (where -flto is there already, it was left as it is)"

/* Scopes of a kind with samples, largest first: by own for procedures, by excl for loops. *rows is malloc'ed. */
hsc_status report_rank(const report *r, hsc_scope_kind kind, uint32_t **rows, uint32_t *n, hsc_err *err);

bool report_wanted(const report *r, uint32_t scope);             /* --where */
bool report_wanted_line(const report *r, uint32_t line_row);
/* By context: is code that --where takes on the path, at its end or before? NULL: no --where; free() it. */
hsc_status report_paths_through(const report *r, uint8_t **out, hsc_err *err);
bool report_wanted_finding(const report *r, const hsc_db_finding *f); /* one with a place, there */
/* An error that names what is like it, where nothing of the database has r->where in its file or procedure. */
hsc_status report_check_where(const report *r, hsc_err *err);
bool report_where_is_line(const report *r); /* FILE:LINE */
bool report_is_own(const report *r, const hsc_db_scope *s);      /* the user's code: compiled with the pass, or the program */
bool report_is_users(const report *r, const hsc_db_scope *s);    /* of it, what is in no header of the system */

enum { REPORT_QUANTILES = 5 };
extern const double report_quantile_levels[REPORT_QUANTILES]; /* 0.05, 0.25, 0.5, 0.75, 0.95 */

typedef struct report_range { /* rows of a table */
    uint64_t first, n;
} report_range;

typedef struct report_spread { /* over the processors of the axis whose program has any; all, where one program ran, or none has any, or they are nodes */
    uint32_t programs;         /* of these processors: those of more than one are not alike */
    double mean, min, max;     /* samples */
    uint32_t min_at, max_at, columns;
    uint32_t running;          /* columns that have any */
    uint32_t idle_helpers;     /* of the others, threads that libraries made for themselves (report_helpers) */
    uint32_t worker_gap;       /* the first of the others that is none of these; HSC_NONE */
    uint32_t least_at;         /* of those that have any: the least, and where */
    double least, least_excess;
    double min_excess, max_excess, excess; /* of their weights; excess: of all */
    double stddev;             /* of the population */
    double quantiles[REPORT_QUANTILES];
    double dispersion;         /* report_dispersion(): columns - 1 for even work */
} report_spread;

/* Of the samples of scope rows whose procedure is `scope` (procedures), or of the row (others). */
hsc_status report_spread_of(report *r, uint32_t scope, report_spread *out, hsc_err *err);
/* Of all these rows of a table, added up. */
hsc_status report_spread_of_ranges(report *r, hsc_db_table table, const report_range *ranges, uint32_t n, report_spread *out,
                                   hsc_err *err);
/* Of the processors of one program alone. */
hsc_status report_spread_of_program(report *r, hsc_db_table table, const report_range *ranges, uint32_t n, uint32_t program, report_spread *out,
                                    hsc_err *err);
/* Values of all processors of the axis, and of their weights (0 without), [columns] each: in all, or with `where` of the code there alone, without what it calls. */
hsc_status report_read_processors(report *r, float *all, float *excess, hsc_err *err);
/* Is it the body of a region, or of a task, that there is no map of, by the name that compilers give it? */
bool report_is_region_body(const hsc_db_scope *scope);
/* Is it code outside parallel regions that one thread alone ran? Of processes, never. */
bool report_may_be_serial(report *r, uint32_t scope); /* the same as far as it can be said without its rows */
bool report_is_serial(report *r, uint32_t scope, const report_spread *p);
/* Is it code outside parallel regions that only some threads ran, as those of other roles do not? */
bool report_is_of_few(report *r, uint32_t scope, const report_spread *p);
/* Code of tasks runs on any thread, and makes up for other code of tasks: what the thread would have less if all that threads compute were spread evenly, in what
 * the report counts; 0 where another thread has most, or it is as good as even; HUGE_VAL: no code of tasks, or not known. */
double report_task_gain(report *r, uint32_t scope, uint32_t thread);
/* report_teams.c: of code in parallel regions, how many threads take part: those of its regions' teams, and those that ran it or what it calls; the first that
 * has none of it, or HSC_NONE. false: not known. */
typedef struct report_teams report_teams;
bool report_take_part(report *r, uint32_t scope, uint32_t *threads, uint32_t *without);
/* The first region behind *region, or of all (HSC_NONE), that the scope is met in. false: there is none, all have the same team, or that is not known. */
bool report_next_team(report *r, uint32_t scope, uint32_t *region);
/* Of what the procedure pays for (report_paid.h, all paid), what is in a region that report_next_team() told. */
hsc_status report_spread_in_region(report *r, uint32_t procedure, uint32_t region, report_spread *out, hsc_err *err);
void report_teams_free(report_teams *t, uint32_t scopes); /* NULL: nothing */
/* What m/m and findings compare: the spread over the threads that ran it, where report_is_of_few(), in parallel regions over those that take part, else over all of
 * its program but those that libraries made for themselves. scope HSC_NONE: of no one scope, and so the last. The least is that of all where
 * report_is_of_few(), else of these; min_at HSC_NONE: not known. */
report_spread report_compared(report *r, uint32_t scope, const report_spread *p);
/* Visits calling contexts [first, last), each with its scope, and whose library that is of. All are visited in their order: parents come
 * first. */
typedef enum report_library { REPORT_OTHER, REPORT_OPENMP, REPORT_SYSTEM } report_library;
typedef void report_visit(void *ctx, uint32_t c, const hsc_db_context *context, const hsc_db_scope *scope, report_library library);
hsc_status report_walk_contexts(const report *r, uint32_t first, uint32_t last, report_visit *visit, void *ctx, hsc_err *err);
/* Of the sum of squared differences from the mean: over what chance makes of them, the mean, or with weights the mean sum of their squares. */
double report_dispersion(const report_spread *s, double squares);
bool report_uneven(const report_spread *s); /* more than chance makes: chi-square beyond three standard deviations */

/* Sums with what intervals need, of scopes; and 95 % intervals in counts and of shares of all, which are the numbers themselves
 * where the metric is exact. */
hsc_weighted report_excl(const report *r, uint32_t scope);
hsc_weighted report_own(const report *r, uint32_t scope);
hsc_weighted report_incl(const report *r, uint32_t scope);
void report_interval(const report *r, hsc_weighted v, double *low, double *high);
void report_share_interval(const report *r, hsc_weighted v, double *low, double *high);
/* Of max / mean. */
void report_ratio_interval(const report *r, const report_spread *s, double *low, double *high);

/* report_programs.c: for report_load; the name of a process's program. */
bool report_was_replaced(const hsc_db *db, uint32_t process); /* it became another program by exec */
hsc_db_axis report_axis_of(const hsc_db *db);                    /* processes, where several did not */
hsc_status report_load_programs(report *r, hsc_err *err);
void report_program(const report *r, uint32_t process, char *out, size_t size);
const char *report_program_path(const report *r, uint32_t process); /* its executable, borrowed */

const char *report_axis_name(const report *r, bool several); /* "thread", "processes" */
/* "rank 3", "rank 3 thread 1", "pid 77"; where several programs ran "worker 77"; of nodes the host */
void report_processor(const report *r, hsc_db_axis axis, uint32_t column, char *out, size_t size);

/* The program as written begins in a procedure of this name: C and C++, flang, gfortran. */
bool report_is_start(const char *name);

/* Text that fits `width` columns of a terminal, control characters made harmless; all return out.
 * Names: of C++ without their lists of parameters, always; then template lists are cut in their middles or closed up, then qualifiers go, then the middle.
 * Prose is cut at its end.
 * Paths keep their end: whole folders go first; places of code show no more than the last folder, headers of the system what
 * includes them, <bits/stl_vector.h>. */
char *report_fit(const char *name, int width, char *out, size_t size);
/* "Grid<>::sweep": what all instances of a template are. */
char *report_fit_template(const char *name, char *out, size_t size);
/* Rows of a table whose texts are the same though their names are not: the names must be told besides. */
typedef struct report_named {
    char *text;       /* as shown; malloc'ed */
    const char *name; /* whole; borrowed */
    bool twin;        /* told */
} report_named;
hsc_status report_mark_twins(report_named *list, uint32_t n, hsc_err *err);
/* Both in one block: free `text`. */
hsc_status report_set_named(report_named *out, const char *text, const char *name, hsc_err *err);
/* Cuts the names of such rows anew, in `width` columns and at another place, so that their texts differ, where one does that for all of them: "..x_to_y.f90:253"; of
 * instances of a template with the arguments behind the procedure's own name, "sweep<float>". Rows
 * of one name stay alike. For lists of report_set_named. */
hsc_status report_cut_apart(report_named *list, uint32_t n, int width, hsc_err *err);
/* Marks such rows; a name of more than `width` columns becomes what report_cut_apart makes of it, where that tells it from the others. */
hsc_status report_tell_twins(report_named *list, uint32_t n, int width, hsc_err *err);
void report_free_named(report_named *list, uint32_t n); /* NULL: nothing */
char *report_fit_prose(const char *text, int width, char *out, size_t size);
/* An element that is read or written, "a->b[].c[i]": where it is wider, without its subscripts and the begin of the path, "...b[].c"; the last member is always whole. */
char *report_fit_reference(const char *text, int width, char *out, size_t size);
char *report_fit_path(const char *path, int width, char *out, size_t size);
char *report_fit_place(const char *path, int width, char *out, size_t size);
int report_columns_of(const char *text); /* terminal columns, one a character */
/* Is it a header that comes with the system or a compiler? out (may be NULL): "<bits/stl_vector.h>". */
bool report_system_header(const char *path, char *out, size_t size);
/* Of a remark: what comes before advice and further lines, without its stop. Returns out. */
char *report_first_sentence(const char *text, char *out, size_t size);

/* "adi.c:120", "?" where the file isn't known; of a row of the line table: "" where that is no line of a source. Both return out. */
char *report_at(const report *r, uint32_t file, uint32_t line, char *out, size_t size);
/* The same of a scope; of one without a line that of its calls: "sweep.f90:304 and 2 more". */
char *report_scope_at(const report *r, const hsc_db_scope *s, char *out, size_t size);
char *report_line_text(const report *r, uint32_t row, char *out, size_t size);

/* Is it none of the source? An OpenMP schedule that hands out chunks makes two loops of one: the outer one fetches them. */
bool report_fetches_chunks(const report *r, uint32_t loop);
/* How many loops of the source a loop is the innermost of, in its procedure. */
uint32_t report_depth(const report *r, const hsc_db_scope *loop);

/* One line of source without the blanks around it; NULL where there is none. */
const char *report_source_line(report *r, uint32_t file, uint32_t line, size_t *n);

const char *report_known_by(hsc_knowledge k);
/* Of the numbers of a table whose largest, or whose sum, is `most`: so many behind the point. */
int report_decimals(double most);

enum { REPORT_VERSIONS = 32 }; /* more than there are HSC_loop_version_* */

/* Which procedures are of several modules. NULL: no memory, and nothing is told. */
typedef struct report_apart report_apart;
report_apart *report_apart_new(void);
void report_apart_free(report_apart *a);
/* As texts have it: "run [plug0.so]" where another module has one of that name and source that was met, too; else its name. Of other scopes the name. */
const char *report_procedure_name(const report *r, const hsc_db_scope *s, char *out, size_t size);

/* Where procedures are called, of a report. NULL: no memory, and nothing is told. */
typedef struct report_calls report_calls;
report_calls *report_calls_new(void);
void report_calls_free(report_calls *c);
/* Of a loop of the map that has no line: "sweep.f90:401 and 2 other lines that call it", the line with most time first. False, and "": it has one, or nothing tells. */
bool report_called_at(const report *r, const hsc_db_scope *s, char *out, size_t size);
/* Samples in calls that a loop, or one inside it, makes, with all below; code that was put in line is none. 0 also where it is not known. */
double report_in_calls(const report *r, uint32_t loop);
/* What calls on a line went to: at most `most`, the longest first; *all: of all that there are. Returns how many. By calling contexts, and so without what was put in line. */
typedef struct report_called {
    uint32_t scope; /* procedure */
    double sum;     /* samples, with all below */
} report_called;
unsigned report_called_on(const report *r, uint32_t file, uint32_t line, report_called *out, unsigned most, double *all);

/* "vector x4 94 %, scalar remainder 6 %"; "" where nothing is known. With inner loops that were unrolled fully: by the version that they are in. */
typedef struct report_versions {
    hsc_weighted vector, scalar, other; /* samples in vector bodies, in scalar remainders of vectorised loops, in the rest */
    uint32_t width;
    uint32_t packed; /* the most elements of vector code of operations in a row, in code that is no vector body; 0: none */
    double met[REPORT_VERSIONS]; /* samples by HSC_loop_version_* */
} report_versions;
hsc_status report_versions_of(report *r, uint32_t scope, report_versions *v, char *out, size_t size, hsc_err *err);

/* The remark that matters most for a loop: of vectorisation, missed before passed. false: none. */
hsc_status report_remark_of(report *r, uint32_t scope, bool *found, hsc_db_remark *out, hsc_err *err);
/* What stands before a remark beside the versions of its loop that ran: "", or "of another copy: " before a refusal of vectors where some of
 * the time is in vector code and some in a copy without; NULL: no copy without ran, so that it is left out. */
const char *report_remark_of_copy(const hsc_db_remark *m, const report_versions *v);
/* What the compiler made of a loop, by the time in its versions, and the remark that matters where no version with time belies it:
 * "as written 100 %; the cost-model indicates that vectorization is not beneficial"; "": nothing is known. */
hsc_status report_compiled_text(report *r, uint32_t loop, char *out, size_t size, hsc_err *err);
/* All remarks of a scope, less those on why copies of a loop are no vector code that have no time while others have; *list is the caller's to free(), also on failure. HSC_E_MEMORY and those of the query. */
hsc_status report_remarks(const report *r, uint32_t scope, hsc_db_remark **list, uint32_t *n, hsc_err *err);

/* What the kernel counted of the threads, added up (table thread). */
typedef struct report_usage {
    bool known, line_known;     /* of all threads: user_s to involuntary; line_s */
    double cpu_s, user_s, system_s; /* user, system: by the kernel's accounting, whose sum may differ from cpu_s by ticks */
    uint64_t minor_faults, major_faults, voluntary, involuntary; /* page faults; switches: because it waited, because others had the processor */
    double line_s, line_most_s; /* ready to run without a processor; the thread with most of it */
    uint32_t line_most_at;
    double later_s;             /* CPU time after the last count, of processes that no end is known of; 0: next to nothing */
} report_usage;
void report_usage_of(const report *r, uint32_t first_thread, uint32_t threads, report_usage *out);
void report_usage_of_processor(const report *r, uint32_t column, report_usage *out); /* of the axis */
/* Of the time that all threads could have run, the part that they ran; 1: not known. */
double report_part_ran(const report *r);

/* What stands out, in the order of hsc_db_read_findings; free with hsc_db_free_findings. */
hsc_status report_findings(report *r, hsc_db_finding **out, uint32_t *n, hsc_err *err);
/* The same in short steps: 1,000,000 scopes and contexts make some hundred. *done: there are no more; take() then hands over the list. */
typedef struct report_looking report_looking;
report_looking *report_looking_new(report *r); /* NULL: no memory. r is the caller's, loaded, and stays */
hsc_status report_looking_step(report_looking *l, bool *done, hsc_err *err);
double report_looking_part(const report_looking *l); /* 0 to 1 */
void report_looking_take(report_looking *l, hsc_db_finding **out, uint32_t *n);
struct report_refusal;
const struct report_refusal *report_looking_refusals(const report_looking *l, uint32_t *n); /* met on the way: borrowed, the dearest first */
void report_looking_free(report_looking *l); /* NULL: nothing */

/* "80 bytes", "903 MB"; returns out. */
const char *report_volume(double bytes, char *out, size_t size);
/* "0.0123 s", "1900 s": three digits, in `out` of REPORT_SECONDS_ROOM bytes. */
#define REPORT_SECONDS_ROOM 32
const char *report_seconds(double seconds, char *out);
#define REPORT_SECONDS(seconds) report_seconds((seconds), (char[REPORT_SECONDS_ROOM]){0})

#endif
