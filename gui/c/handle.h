/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Open databases of an interpreter: shared by the data commands and the widgets, with the few indexes that both need.
 * Used by the interpreter's thread only. */
#ifndef HSC_GUI_HANDLE_H
#define HSC_GUI_HANDLE_H

#include "tclcompat.h"

#include <heatscope/analysis.h>

/* Rows of a table by scope, in the order of the table: those of scope s are rows[start[s]] to rows[start[s + 1] - 1]. */
typedef struct hsc_by_scope {
    uint32_t *start, *rows;
} hsc_by_scope;

typedef struct hsc_handle {
    hsc_db *db;
    hsc_db_info info;
    char name[40];
    int references; /* the command and each widget */
    uint64_t values; /* another number after each change of what values are of; no two handles have the same */
    Tcl_Command command; /* NULL: closed, only widgets are left */
    Tcl_Interp *interp;
    /* lazily made: procedures, loops and regions by file; those of files asked for are sorted by first line, outer before inner */
    uint32_t *scope_start, *scopes;
    bool *scopes_sorted; /* by file */
    hsc_by_scope instances, contexts; /* lazily made */
    struct hsc_apart *apart; /* lazily made: see hsc_handle_apart */
    bool *own_modules; /* lazily made: see hsc_handle_own_modules */
    bool *helpers, helpers_known; /* by thread, lazily made, NULL: none; see hsc_handle_stats */
    double *totals; /* by metric; negative: not read yet */
    double *own;    /* by scope for metric own_metric (HSC_NONE: room only): see hsc_handle_own */
    uint32_t own_metric;
    double *by_file; /* by file for metric by_file_metric: see hsc_handle_files */
    uint32_t by_file_metric;
    double *loops;     /* by scope for metric loops_metric: see hsc_handle_loops */
    uint32_t *loop_of; /* with it */
    uint32_t loops_metric;
    struct {        /* maxima that pictures are normalised to: those asked for last */
        uint64_t key, asked;
        double value;
    } maxima[32];
    uint64_t maxima_asked;
    struct {        /* those that are being looked for, by and by */
        uint64_t key, asked;
        uint32_t next;  /* row */
        double best;
    } looking_for[4];
    double from_s, to_s; /* interval of all values; from >= to: the whole run */
    uint32_t only;       /* category of all values; HSC_NONE: all */
    uint32_t *message_order[6], *message_group[6]; /* by grouping, lazily made: rows of messages group by group; where groups begin */
    uint32_t message_groups[6];
    struct hsc_handle *other; /* lazily made: which rows are the same in that one; holds a reference */
    uint32_t *of_other[HSC_MATCH_CONTEXTS + 1];
    struct hsc_places *places; /* of all lines, as a picture had them last; a reference */
    struct { /* for what stands out, of a metric */
        hsc_db_looking *under_way; /* NULL: nobody looks */
        uint32_t metric;
        double done;    /* which part of it is; 1: here it is */
        hsc_db_finding *findings;
        hsc_db_refusal *refusals;
        uint32_t n_findings, n_refusals;
    } looked;
} hsc_handle;

/* Opens a database and makes its command. */
hsc_status hsc_handle_open(Tcl_Interp *interp, const char *path, hsc_handle **out, hsc_err *err);
/* Finds a handle by command name; leaves an error in the interpreter. Does not take a reference. */
hsc_handle *hsc_handle_find(Tcl_Interp *interp, const char *name);
void hsc_handle_take(hsc_handle *h);
void hsc_handle_release(hsc_handle *h);
Tcl_Obj *hsc_handle_list(Tcl_Interp *interp);

/* Scopes of a file: borrowed array. */
hsc_status hsc_handle_scopes(hsc_handle *h, uint32_t file, const uint32_t **scopes, uint32_t *n, hsc_err *err);
/* Loop versions of a scope: borrowed array. The first call reads all of them, later ones cost nothing. */
hsc_status hsc_handle_instances(hsc_handle *h, uint32_t scope, const uint32_t **instances, uint32_t *n, hsc_err *err);
/* Calling contexts of a scope, as above. */
hsc_status hsc_handle_contexts(hsc_handle *h, uint32_t scope, const uint32_t **contexts, uint32_t *n, hsc_err *err);
/* Modules of the user's, by row: those that the pass compiled; where it compiled none, the executables of the run that are no programs of the
 * system, or else all. Borrowed. */
hsc_status hsc_handle_own_modules(hsc_handle *h, const bool **own, hsc_err *err);
/* A row by what it took, for qsort: the largest first, of equals the first row. */
typedef struct hsc_hot {
    double sum;
    uint32_t row;
} hsc_hot;
int hsc_hottest_first(const void *a, const void *b);
/* The hottest `limit` of rows that are told with rising numbers. rows: room for hsc_hottest_room(limit). */
typedef struct hsc_hottest {
    hsc_hot *rows;
    uint32_t limit, n;
    double least; /* what a row must have more than to be among them */
} hsc_hottest;
size_t hsc_hottest_room(uint32_t limit);
void hsc_hottest_add(hsc_hottest *t, double sum, uint32_t row);
uint32_t hsc_hottest_end(hsc_hottest *t); /* how many there are, the hottest first */
/* All samples of a metric. */
hsc_status hsc_handle_total(hsc_handle *h, uint32_t metric, double *out, hsc_err *err);
/* The run that sums of a metric are of: its total, and whether that is known without samples, as in `heatscope diff`; scale is left. */
hsc_status hsc_handle_sampled(hsc_handle *h, uint32_t metric, hsc_sampled *out, hsc_err *err);
/* Innermost scope of the file that spans the line; HSC_NONE. */
hsc_status hsc_handle_scope_at(hsc_handle *h, uint32_t file, uint32_t line, uint32_t *out, hsc_err *err);
/* Table rows [*lo, *hi) of the lines first..last of a file. */
hsc_status hsc_handle_rows(hsc_handle *h, uint32_t file, uint32_t first, uint32_t last, uint32_t *lo, uint32_t *hi,
                           hsc_err *err);
/* Sums by column of rows [first, first + n). out: one value a column of the axis. */
hsc_status hsc_handle_columns(hsc_handle *h, hsc_db_view view, uint64_t first, uint64_t n, float *out, hsc_err *err);
/* hsc_db_read_stats, but for threads that libraries made for themselves: of a row in which they have nothing mean, deviation and minimum are over the others.
 * compared: how many those are, by row, or NULL. */
hsc_status hsc_handle_stats(hsc_handle *h, hsc_db_view view, uint64_t first, uint64_t n, hsc_db_stats *out, uint32_t *compared, hsc_err *err);
/* Is the column such a thread? */
bool hsc_handle_is_helper(hsc_handle *h, hsc_db_axis axis, uint32_t column);
/* Columns without those threads. */
uint32_t hsc_handle_working(hsc_handle *h, hsc_db_axis axis);
/* The same of values at hand, one a column: how many columns are compared; out: statistics of all columns, which become those; NULL: only counts. */
uint32_t hsc_handle_compared(hsc_handle *h, hsc_db_axis axis, const float *v, hsc_db_stats *out);
/* What code took itself, by scope (borrowed array): for loops and regions their exclusive value, for procedures with that
 * of their loops and regions (not of procedures inside), for files, modules and the program with all below. */
hsc_status hsc_handle_own(hsc_handle *h, uint32_t metric, const double **own, hsc_err *err);
/* The same for one scope, by column of view.axis. */
hsc_status hsc_handle_own_columns(hsc_handle *h, hsc_db_view view, uint32_t scope, float *out, hsc_err *err);
/* What the lines of each file took (borrowed array). */
hsc_status hsc_handle_files(hsc_handle *h, uint32_t metric, const double **sums, hsc_err *err);
/* What loops took themselves as `heatscope report` has it, by scope (borrowed arrays): with that of inner loops that were unrolled fully,
 * which have none; *loop_of: see hsc_db_place_unrolled. */
hsc_status hsc_handle_loops(hsc_handle *h, uint32_t metric, const double **sums, const uint32_t **loop_of, hsc_err *err);
/* The same for one loop, by column of view.axis. */
hsc_status hsc_handle_loop_columns(hsc_handle *h, hsc_db_view view, uint32_t loop, float *out, hsc_err *err);
/* What the code of Heatscope's own libraries took, by column of view.axis. */
hsc_status hsc_handle_heatscope_columns(hsc_handle *h, hsc_db_view view, float *out, hsc_err *err);
/* Which row of `other` is the same thing as each of ours (borrowed array): see hsc_db_match. The first call for a pair reads
 * the source texts of both. */
hsc_status hsc_handle_match(hsc_handle *h, hsc_handle *other, hsc_match_of what, const uint32_t **b_of_a, hsc_err *err);
/* Short name of a column: r3, r3.1, t5. */
void hsc_handle_label(hsc_handle *h, hsc_db_axis axis, uint32_t column, char *out, size_t capacity);

/* Tcl error {HEATSCOPE DB STATUS} from err; returns TCL_ERROR. */
int hsc_tcl_error(Tcl_Interp *interp, const hsc_err *err);
int hsc_tcl_usage(Tcl_Interp *interp, const char *format, ...) HSC_PRINTF(2, 3);
/* String from a file as a Tcl value, whatever its bytes are. */
Tcl_Obj *hsc_tcl_text(const char *text, size_t size);
/* 0-based index or -1. */
Tcl_Obj *hsc_tcl_index(uint32_t index);
void hsc_tcl_put(Tcl_Obj *dict, const char *key, Tcl_Obj *value);
/* An index below limit, in a message called what. */
int hsc_tcl_get_index(Tcl_Interp *interp, Tcl_Obj *obj, const char *what, uint64_t limit, uint32_t *out);

extern const char *const hsc_table_names[], *const hsc_axis_names[], *const hsc_reduce_names[], *const hsc_kind_names[],
    *const hsc_knowledge_names[], *const hsc_context_names[];

/* data.c */
int hsc_data_command(ClientData handle, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);
/* data_values.c: commands that read values; TCL_CONTINUE when the name is none of them. */
int hsc_data_values(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]);
/* data_tree.c: rankings, contexts, search; as above. */
int hsc_data_tree(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]);
/* data_callers.c, data_report.c, data_messages.c: as above. */
int hsc_data_callers(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]);
int hsc_data_hot(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]); /* data_hot.c */
int hsc_data_outline(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]); /* data_outline.c */
int hsc_data_report(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]);
int hsc_data_messages(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]);
int hsc_data_links(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]); /* data_links.c */
int hsc_data_code(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]); /* data_code.c */
int hsc_data_time(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]); /* data_time.c */
int hsc_data_causes(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]); /* data_causes.c */
int hsc_data_told(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]); /* data_told.c */
int hsc_data_pairs(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]); /* data_pairs.c */
int hsc_data_arrays(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]); /* data_arrays.c */
/* Throws away what was remembered of values: the interval they are of has changed. */
void hsc_handle_forget(hsc_handle *h);
/* Nobody looks for findings any more: before another interval is set. */
void hsc_handle_look_no_more(hsc_handle *h);
int hsc_data_find(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* Options of a value query, and which of them a command takes. */
enum {
    HSC_ARG_TABLE = 1, HSC_ARG_ROWS = 2, HSC_ARG_COLUMNS = 4, HSC_ARG_ROW = 8, HSC_ARG_N = 16, HSC_ARG_KIND = 32,
    HSC_ARG_UNDER = 64, HSC_ARG_FILE = 128, HSC_ARG_STATS = 256, HSC_ARG_REDUCE = 512, HSC_ARG_BINS = 1024,
    HSC_ARG_KINDS = 2048, HSC_ARG_FIRST = 4096, HSC_ARG_REPORTED = 8192, HSC_ARG_LEAST = 16384
};
typedef struct hsc_data_args {
    hsc_db_view view;
    unsigned given;
    uint64_t first, n;   /* -rows */
    uint32_t column, m;  /* -columns */
    uint64_t row;
    uint32_t limit;      /* -n */
    uint32_t from;       /* -first */
    int kind;            /* hsc_scope_kind or -1: all */
    uint32_t under, file;
    int stats, reduce, reported;
    double least;        /* share of the total */
    uint32_t bins;
    Tcl_Obj *kinds;
} hsc_data_args;
/* Parses objv[0..objc); checks metric, rows and columns against the database. */
int hsc_data_parse(hsc_handle *h, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[], unsigned takes, unsigned needs,
                   uint32_t default_n, uint32_t max_n, hsc_data_args *out);

/* Dicts that several commands give. NULL and an error in err when the row cannot be read. */
Tcl_Obj *hsc_data_scope(hsc_handle *h, uint32_t scope, hsc_err *err);
Tcl_Obj *hsc_data_context(hsc_handle *h, uint32_t context, hsc_err *err);
void hsc_data_put_stats(Tcl_Obj *dict, const hsc_db_stats *s, uint32_t compared);
Tcl_Obj *hsc_data_filename(hsc_handle *h, uint32_t file);
/* How many samples were really taken, by all threads (0: not known), and the most periods that one stands for (0, 1: each for one). */
hsc_status hsc_handle_taken(hsc_handle *h, uint64_t *samples, uint32_t *periods_max, hsc_err *err);
/* Other lines that a call of MPI on line row `line` may stand for, which the compiler made one: "or 170", "" for none. */
Tcl_Obj *hsc_data_merged(hsc_handle *h, uint32_t line);
Tcl_Obj *hsc_data_instance(hsc_handle *h, uint32_t index, hsc_err *err);

#endif
