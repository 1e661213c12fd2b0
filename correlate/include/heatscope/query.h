/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Read-only queries on a correlated database: all that the viewer, the report and other programs see of it.
 *
 * Rows and indices are 0-based; HSC_NONE means "none". Values of metrics are in counts (samples); multiply by the
 * metric's scale for its unit (seconds). Strings are UTF-8, NUL-terminated, borrowed until hsc_db_close.
 * A database handle may be used by one thread at a time. No call reads a whole value table unless it is asked for all
 * of its rows. The file is read by a worker process with limits; when that dies of what is in the file, the query ends with
 * HSC_E_FORMAT, and the next query starts another one. Errors: HSC_E_IO, HSC_E_FORMAT (with path, data set, expected, got), HSC_E_VERSION, HSC_E_MEMORY,
 * HSC_E_ARGUMENT (index out of range). Outputs are untouched on failure. */
#ifndef HEATSCOPE_QUERY_H
#define HEATSCOPE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/enums.h>
#include <heatscope/formats/err.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HSC_NONE 0xFFFFFFFFu

typedef struct hsc_db hsc_db;

hsc_status hsc_db_open(const char *path, hsc_db **out, hsc_err *err);
void hsc_db_close(hsc_db *db);

/* Asked again and again (at least every 50 ms while data are read) during the queries of this database, with how much is read of
 * what is being read (bytes; whole 0: not known). false: the query ends with HSC_E_CANCELLED; the database stays as it was, and the
 * same query can be asked again. It must not ask queries of this database. NULL: none. */
typedef bool (*hsc_db_progress)(void *ctx, uint64_t done, uint64_t whole);
void hsc_db_set_progress(hsc_db *db, hsc_db_progress call, void *ctx);
/* As hsc_db_open, and asked as early as that. */
hsc_status hsc_db_open_progress(const char *path, hsc_db_progress call, void *ctx, hsc_db **out, hsc_err *err);
/* The same in two steps. begin starts the process that reads the file, which ends with the thread that calls; finish reads what is
 * needed first, in any one thread. Before finish has returned HSC_OK only hsc_db_set_progress and hsc_db_close may be called; after an
 * error of finish only hsc_db_close. Statuses of both as of hsc_db_open. */
hsc_status hsc_db_open_begin(const char *path, hsc_db **out, hsc_err *err);
hsc_status hsc_db_open_finish(hsc_db *db, hsc_err *err);
/* For long work on what queries gave: asks it. HSC_E_CANCELLED where the answer is no. */
hsc_status hsc_db_go_on(const hsc_db *db, hsc_err *err);

typedef struct hsc_db_info {
    const char *path;
    const char *title;      /* program name and job, for a window title */
    const char *command;    /* command line of the first process */
    const char *created;    /* ISO 8601, start of the run */
    uint32_t modules, files, lines, scopes, contexts, instances, threads, processes, metrics, categories, ledger_rows;
    uint64_t samples;       /* all samples of metric 0 */
    double cpu_s;           /* CPU time of all threads by the clock */
    double wall_s;          /* first start to last end */
    bool simulated;         /* made by the generator, not measured */
    uint32_t messages, waits, pairs; /* rows of the tables below */
    uint32_t loops, arrays, references, mpi_sites, directives;
    uint32_t delays, delayed, delay_places;
    uint32_t code_parts, instructions;
} hsc_db_info;
void hsc_db_get_info(const hsc_db *db, hsc_db_info *out);

/* ---- static side ---- */

typedef enum hsc_knowledge { /* how much is known of code, best first */
    HSC_KNOWN_MAP = 0,       /* compiled with the pass */
    HSC_KNOWN_DWARF = 1,     /* debug information */
    HSC_KNOWN_SYMBOL = 2,    /* symbol table */
    HSC_KNOWN_MODULE = 3,    /* file only */
    HSC_KNOWN_NOTHING = 4
} hsc_knowledge;

typedef struct hsc_db_module {
    const char *path;
    const char *build_id;   /* hexadecimal; "" unknown */
    hsc_knowledge knowledge;
    const char *note;       /* why no better: "no map", "map refused: build id ...", ...; "" */
} hsc_db_module;
hsc_status hsc_db_get_module(const hsc_db *db, uint32_t module, hsc_db_module *out, hsc_err *err);

typedef struct hsc_db_file {
    const char *path;       /* absolute where known; for code without lines the module's path */
    uint32_t module;        /* first module it was seen in */
    uint32_t first_line_row, line_rows; /* its rows in the line table */
    bool has_lines;         /* false: pseudo file of a module without line information (one row, line 0) */
} hsc_db_file;
hsc_status hsc_db_get_file(const hsc_db *db, uint32_t file, hsc_db_file *out, hsc_err *err);

/* Line table: one row for each source line that has machine code, sorted by (file, line). */
typedef struct hsc_db_line {
    uint32_t file;
    uint32_t line;          /* 1-based; 0: line unknown */
    uint32_t scope;         /* innermost static scope it belongs to */
} hsc_db_line;
hsc_status hsc_db_get_line(const hsc_db *db, uint32_t row, hsc_db_line *out, hsc_err *err);
/* The same as columns by row, for what walks over all lines; they stay until the database is closed. */
hsc_status hsc_db_get_line_columns(const hsc_db *db, const uint32_t **file, const uint32_t **line, hsc_err *err);
/* Row of the line or, where that line has no code, HSC_NONE. */
uint32_t hsc_db_find_line(const hsc_db *db, uint32_t file, uint32_t line);

typedef enum hsc_scope_kind {
    HSC_SCOPE_PROGRAM = 0,
    HSC_SCOPE_MODULE = 1,
    HSC_SCOPE_FILE = 2,
    HSC_SCOPE_PROCEDURE = 3,
    HSC_SCOPE_LOOP = 4,
    HSC_SCOPE_REGION = 5    /* OpenMP parallel region and the like */
} hsc_scope_kind;

/* Static scopes in pre-order: parent < child, subtree of s = rows [s, subtree_end). Row 0 is the program. */
typedef struct hsc_db_scope {
    uint32_t parent, subtree_end;
    hsc_scope_kind kind;
    hsc_knowledge knowledge;
    const char *name;       /* procedure name; "do", "for", "omp parallel" ... for loops and regions */
    uint32_t procedure;     /* scope row of the procedure it is in; HSC_NONE above procedures */
    uint32_t module, file;  /* HSC_NONE where it has none */
    uint32_t line_begin, line_end; /* 0 unknown */
    uint32_t depth;         /* loop depth in its procedure; 0 for others */
    bool unoptimised;       /* procedure that the map knows to be compiled without optimisation (-O0) */
} hsc_db_scope;
hsc_status hsc_db_get_scope(const hsc_db *db, uint32_t scope, hsc_db_scope *out, hsc_err *err);
/* Does a scope right below scope row `above` go on with that one's OpenMP construct: the loop over iterations in the one over chunks, a part of a combined construct? */
bool hsc_db_continues(const hsc_db *db, const hsc_db_scope *scope, uint32_t above);
/* Parts of it as columns by row, for what walks over all scopes; they stay until the database is closed. */
typedef struct hsc_db_scope_columns {
    const uint8_t *kind; /* hsc_scope_kind */
    const uint32_t *subtree_end, *procedure, *module, *file;
} hsc_db_scope_columns;
hsc_status hsc_db_get_scope_columns(const hsc_db *db, hsc_db_scope_columns *out, hsc_err *err);
/* Scope of each line, context and loop version: columns by row, which stay until the database is closed. */
hsc_status hsc_db_get_scope_of_lines(const hsc_db *db, const uint32_t **scope, hsc_err *err);
hsc_status hsc_db_get_scope_of_contexts(const hsc_db *db, const uint32_t **scope, hsc_err *err);
hsc_status hsc_db_get_scope_of_instances(const hsc_db *db, const uint32_t **scope, hsc_err *err);

/* Loops of the generated code: versions of a source loop. */
typedef struct hsc_db_instance {
    uint32_t scope;         /* its source loop, else its procedure */
    uint32_t function;      /* scope row of the machine function it is in */
    uint32_t version;       /* HSC_loop_version_* of enums.h */
    const char *version_text;
    uint32_t vector_width, interleave, unroll; /* 0 unknown */
    uint32_t vector_bytes;  /* the longest vectors that the compiler may make in its machine function; 0: not known, as in older databases */
    uint32_t parent;        /* instance of the loop round it in the same machine function; HSC_NONE: none, or not known */
} hsc_db_instance;
hsc_status hsc_db_get_instance(const hsc_db *db, uint32_t instance, hsc_db_instance *out, hsc_err *err);

/* Optimiser remarks by scope. Fills up to `capacity` entries, returns the number there is through *n. */
typedef struct hsc_db_remark {
    uint32_t scope, file, line;
    uint32_t kind;          /* HSC_remark_kind_* */
    const char *pass, *name;
    const char *message;    /* the compiler's, or the reason's text for loops that were not tried to be vectorised */
    uint32_t reason;        /* HSC_reason_*: why it was not done; 0: none given */
    uint32_t count;         /* remarks that the row stands for */
    uint32_t function;      /* machine function that it was said of, as hsc_db_instance has it; HSC_NONE: not known */
    bool refuses_vectors;   /* the loop vectoriser looked at the loop and left it scalar, and `reason` is why */
} hsc_db_remark;
hsc_status hsc_db_get_remarks(const hsc_db *db, uint32_t scope, hsc_db_remark *out, uint32_t capacity, uint32_t *n,
                              hsc_err *err);

/* One of them by its row; they are sorted by scope. */
hsc_status hsc_db_get_remark(const hsc_db *db, uint32_t row, hsc_db_remark *out, hsc_err *err);

/* Pairs of accesses of a loop of which one must stay before the other, as hsc_db_get_remarks. */
typedef struct hsc_db_dependence {
    uint32_t scope;
    uint32_t kind, verdict; /* HSC_dependence_kind_*, HSC_dependence_verdict_* of enums.h */
    bool has_distance;
    uint64_t distance;      /* iterations from the source to the sink */
    uint32_t source_file, source_line, source_column; /* the access that comes first; lines and columns from 1, 0 unknown */
    uint32_t sink_file, sink_line, sink_column;
} hsc_db_dependence;
hsc_status hsc_db_get_dependences(const hsc_db *db, uint32_t scope, hsc_db_dependence *out, uint32_t capacity, uint32_t *n,
                                  hsc_err *err);

/* Rows, rising, whose text has `text` in it, letters of ASCII of either case; none for "". *rows is malloc'ed. HSC_E_ARGUMENT, HSC_E_MEMORY,
 * and what loading the table gives. */
typedef enum hsc_db_texts {
    HSC_TEXTS_SCOPES = 0,   /* names */
    HSC_TEXTS_FILES = 1,    /* paths */
    HSC_TEXTS_REMARKS = 2   /* messages as hsc_db_get_remark has them, and names; rows as of that */
} hsc_db_texts;
hsc_status hsc_db_find_text(const hsc_db *db, hsc_db_texts in, const char *text, uint32_t **rows, uint32_t *n, hsc_err *err);

/* ---- what the map says of loops, memory, messages and directives; empty for code that has no map ---- */

/* Lists, each sorted by one key: rows [*first, *first + *n) have it (*n 0: none). */
typedef enum hsc_db_list {
    HSC_LIST_LOOPS = 0,         /* key: scope; at most one row */
    HSC_LIST_MEMORY_CHECKS = 1, /* scope */
    HSC_LIST_ARRAYS = 2,        /* scope: procedure; HSC_NONE: global ones */
    HSC_LIST_REFERENCES = 3,    /* scope: innermost loop, else procedure */
    HSC_LIST_MPI_SITES = 4,     /* row of the line table */
    HSC_LIST_MPI_ARGUMENTS = 5, /* row of MPI_SITES */
    HSC_LIST_MPI_LINKS = 6,     /* row of MPI_SITES */
    HSC_LIST_DIRECTIVES = 7,    /* scope */
    HSC_LIST_RUNTIME_CALLS = 8, /* row of the line table */
    HSC_LIST_PAIRS = 9,         /* process */
    HSC_LIST_HANDED = 10,       /* row of the line table */
    HSC_LIST_COUNT
} hsc_db_list;
hsc_status hsc_db_find(const hsc_db *db, hsc_db_list list, uint32_t key, uint32_t *first, uint32_t *n, hsc_err *err);
uint32_t hsc_db_count(const hsc_db *db, hsc_db_list list); /* all its rows */

/* The get functions take a row of their list. Enumerations are those of enums.h. */
typedef struct hsc_db_loop {
    uint32_t scope, kind, flags; /* HSC_loop_kind_*, HSC_loop_flag_* */
    const char *variable, *first, *bound; /* as written; "" not known. bound: "i < n"; of DO, the last value */
    int32_t step;                /* 0: not constant, or not known */
    uint64_t trips, trips_max, trips_multiple; /* iterations; 0: not known when compiled */
    uint32_t collapsed;
} hsc_db_loop;
hsc_status hsc_db_get_loop(const hsc_db *db, uint32_t row, hsc_db_loop *out, hsc_err *err);

typedef struct hsc_db_memory_check { /* an access; those of one check follow each other */
    uint32_t scope, check, comparisons;
    uint32_t file, line, column;
} hsc_db_memory_check;
hsc_status hsc_db_get_memory_check(const hsc_db *db, uint32_t row, hsc_db_memory_check *out, hsc_err *err);

typedef struct hsc_db_array {
    uint32_t scope;         /* procedure; HSC_NONE: global */
    const char *name, *type, *element, *bounds, *symbol; /* bounds: "[n][3]", "(n, 0 : 3)"; "" none, or not known */
    uint32_t element_bytes; /* 0 unknown */
    uint32_t storage, flags; /* HSC_storage_*, HSC_array_flag_* */
    uint32_t file, line;    /* of the declaration; HSC_NONE, 0 unknown */
    uint64_t tag, identity; /* identity: equal for one global variable, and one member of one type, everywhere; 0 local */
    uint32_t parent;        /* row of the variable that it is a member of; HSC_NONE */
    uint32_t argument;      /* of the procedure, from 1; 0: none */
} hsc_db_array;
hsc_status hsc_db_get_array(const hsc_db *db, uint32_t row, hsc_db_array *out, hsc_err *err);

typedef struct hsc_db_reference {
    uint32_t scope, array;  /* array: row; HSC_NONE: cannot be told */
    uint32_t access;        /* HSC_access_* */
    uint32_t file, line, column, size_bytes;
    const char *text;       /* "a[i][j + 1]" */
    uint32_t stride;        /* HSC_stride_* */
    const char *stride_bytes; /* "24", "8*n"; "" */
    uint32_t index;         /* array that an indirect subscript is read from; HSC_NONE */
} hsc_db_reference;
hsc_status hsc_db_get_reference(const hsc_db *db, uint32_t row, hsc_db_reference *out, hsc_err *err);

typedef struct hsc_db_mpi_site { /* a call of MPI as written */
    uint32_t code_line;     /* row of the line table; HSC_NONE: its line has no code */
    uint32_t scope, file, line, column;
    const char *operation;  /* "MPI_Isend" */
    uint32_t kind, binding; /* HSC_message_kind_*, HSC_mpi_binding_* */
} hsc_db_mpi_site;
hsc_status hsc_db_get_mpi_site(const hsc_db *db, uint32_t row, hsc_db_mpi_site *out, hsc_err *err);

typedef struct hsc_db_mpi_argument {
    uint32_t site, number;  /* number: from 1 */
    uint32_t role;          /* HSC_mpi_role_* */
    const char *text;       /* "a(1 : n, j)", "n + 1", "MPI_DOUBLE"; "" not known */
    uint32_t array;         /* of a buffer: row; HSC_NONE */
    uint32_t shape;         /* HSC_section_shape_*, of a buffer */
    uint64_t datatype_bytes;
} hsc_db_mpi_argument;
hsc_status hsc_db_get_mpi_argument(const hsc_db *db, uint32_t row, hsc_db_mpi_argument *out, hsc_err *err);

typedef struct hsc_db_mpi_link { /* what a call of MPI has to do with other code */
    uint32_t site, kind, confidence; /* HSC_link_kind_*, HSC_confidence_* */
    uint32_t other;         /* row of MPI_SITES; HSC_NONE: no call of MPI */
    uint32_t scope, file, line, column; /* where that is */
    uint32_t array;         /* of a reference that it is linked with; HSC_NONE */
    const char *text;       /* operation, callee or element; "" */
} hsc_db_mpi_link;
hsc_status hsc_db_get_mpi_link(const hsc_db *db, uint32_t row, hsc_db_mpi_link *out, hsc_err *err);

typedef struct hsc_db_directive {
    uint32_t scope;         /* loop that it is for, else region made of it, else what it stands in */
    uint32_t file, line;
    uint32_t constructs;    /* HSC_omp_construct_* */
    const char *text;       /* "parallel for schedule(static)" */
    uint32_t region, loop;  /* scopes; HSC_NONE */
} hsc_db_directive;
hsc_status hsc_db_get_directive(const hsc_db *db, uint32_t row, hsc_db_directive *out, hsc_err *err);

typedef struct hsc_db_runtime_call {
    uint32_t code_line, directive, role, scope; /* HSC_omp_role_* */
    const char *callee;
} hsc_db_runtime_call;
hsc_status hsc_db_get_runtime_call(const hsc_db *db, uint32_t row, hsc_db_runtime_call *out, hsc_err *err);

typedef struct hsc_db_handed { /* an array that a call hands to a procedure; of programs that pass messages */
    uint32_t code_line;     /* row of the call's line; HSC_NONE: no code there */
    uint32_t scope, callee; /* procedures: that calls, that is called */
    uint32_t argument, array;   /* argument: from 1, as hsc_db_array's; array HSC_NONE: not known, while another call there is */
} hsc_db_handed;
hsc_status hsc_db_get_handed(const hsc_db *db, uint32_t row, hsc_db_handed *out, hsc_err *err);

/* Source text of a file: embedded copy, else the file on disk, else under the directories of
 * HEATSCOPE_SOURCE_PATH (colon-separated; longest matching path tail). HSC_E_MISSING says where was looked.
 * *text is malloc'ed (free() it). *changed: the file on disk is newer than the module or its checksum differs. */
hsc_status hsc_db_read_source(const hsc_db *db, uint32_t file, char **text, size_t *size, bool *changed, hsc_err *err);

/* ---- dynamic side ---- */

/* How a process ended, where it is not as its own last record says (HSC_ENUM end_kind). The last two: as its parent was told; followed by a signal's name, by a number. */
#define HSC_DB_NO_END "no end seen" /* killed, or still running when its file was read */
#define HSC_DB_BY_SIGNAL "ended by "
#define HSC_DB_EXIT_STATUS "exit status "
/* The procedure that code in no file is of: made at run time. */
#define HSC_DB_NO_FILE "[code in no file]"
/* The module of such code that its maker has told the names of. */
#define HSC_DB_GENERATED "[generated code]"

typedef struct hsc_db_process {
    int32_t rank;           /* -1 none */
    uint32_t pid;
    const char *host, *executable, *arguments, *mechanism, *mechanism_note, *end; /* end: "exit", ..., HSC_DB_NO_END, HSC_DB_BY_SIGNAL "SIGSEGV" */
    const char *environment; /* "NAME=value" of each variable that changes how programs run, sorted, with a line break behind each; "none": none was set; "": not known, as in older databases */
    bool unfinished;        /* no end of it is recorded: by end, HSC_DB_NO_END or by a signal */
    uint32_t vector_bytes;  /* the longest vectors that its processor has instructions for; 0: not known, as in older databases */
    uint32_t first_thread, threads; /* rows of the thread table */
    uint32_t node;          /* it ran on */
    double begin_s, end_s;  /* since the start of the run */
} hsc_db_process;
hsc_status hsc_db_get_process(const hsc_db *db, uint32_t process, hsc_db_process *out, hsc_err *err);

typedef struct hsc_db_node { /* a host, in the order of their first processes */
    const char *host;       /* "": not known */
    uint32_t processes, threads;
} hsc_db_node;
hsc_status hsc_db_get_node(const hsc_db *db, uint32_t node, hsc_db_node *out, hsc_err *err);

typedef struct hsc_db_thread { /* sorted by (rank, host, pid, thread) */
    uint32_t process;
    uint32_t index;         /* in its process, from 0 */
    uint32_t tid;
    const char *name;
    double begin_s, end_s, cpu_s, own_s;
    uint64_t samples, lost, truncated; /* periods of CPU time */
    uint64_t records;       /* samples: each stands for one period or more */
    double user_s, system_s; /* of its CPU time, by the kernel's accounting (by its tick); user_s -1: not known, nor the next four */
    uint64_t minor_faults, major_faults, voluntary_switches, involuntary_switches;
    double runnable_s;      /* ready to run, without a processor; -1: not known */
    bool idle;              /* it waits for work, which others of its process do; false in older databases */
} hsc_db_thread;
hsc_status hsc_db_get_thread(const hsc_db *db, uint32_t thread, hsc_db_thread *out, hsc_err *err);

typedef struct hsc_db_metric {
    const char *name;       /* "CPU time" */
    const char *unit;       /* "s" */
    double scale;           /* unit per count */
    bool exact;             /* counted or timed by wrappers; false: sampled, with a statistical error */
    uint32_t weights;       /* metric of a view whose counts are the excess of squared weights, in units of weights_scale;
                             * HSC_NONE: every sample of this one counts 1, or it is exact. While an interval of time is set
                             * it is the metric itself, and the scale the mean excess of the run */
    double weights_scale;
} hsc_db_metric;
hsc_status hsc_db_get_metric(const hsc_db *db, uint32_t metric, hsc_db_metric *out, hsc_err *err);
const char *hsc_db_get_category(const hsc_db *db, uint32_t category); /* "computation", ...; NULL out of range */

/* Calls of a message-passing library: a row for each thread, calling context, operation, kind of partner, class of size. */
typedef struct hsc_db_message {
    uint32_t thread, context, line; /* line row; HSC_NONE */
    const char *operation;          /* "MPI_Send" */
    uint32_t kind;                  /* HSC_operation_class_* of enums.h */
    const char *peer;               /* kind of partner: "a process of the same machine" */
    uint32_t size_class;            /* 0: empty; n: 16^(n-1) to 16^n - 1 bytes */
    uint64_t calls, sent, sent_bytes, received, received_bytes, size_min, size_max; /* messages, bytes */
    double size_squares;            /* sum over calls */
    double duration_s, duration_min_s, duration_max_s, duration_squares;
    uint64_t completions;           /* of operations begun here */
    double in_flight_s, completion_s;
} hsc_db_message;
hsc_status hsc_db_get_message(const hsc_db *db, uint32_t row, hsc_db_message *out, hsc_err *err);
hsc_status hsc_db_get_message_whole(const hsc_db *db, uint32_t row, hsc_db_message *out, hsc_err *err); /* of the run, whatever interval is set */

/* Waits outside message passing: a row for each thread, calling context, kind, and the thread that ended them (holder). */
typedef struct hsc_db_wait {
    uint32_t thread, context, line; /* line row; HSC_NONE */
    uint32_t kind;                  /* HSC_wait_kind_* of enums.h */
    const char *kind_text;          /* "mutex" */
    uint64_t waits, bytes;
    double total_s, max_s;
    uint32_t holder_thread, holder_context; /* HSC_NONE: none, or not known */
    uint32_t column;                /* of the call in its line, from 1; 0: not known */
} hsc_db_wait;
hsc_status hsc_db_get_wait(const hsc_db *db, uint32_t row, hsc_db_wait *out, hsc_err *err);

/* Who was waited for: a row for each kind, thread and place of a call that came late. Late ones that had themselves waited hand
 * that part on, so that caused_s of all rows adds up to wait_s of all rows. */
typedef struct hsc_db_delay {
    uint32_t kind;                  /* HSC_wait_cause_* of enums.h */
    const char *kind_text;          /* "late sender" */
    uint32_t thread, context, line; /* of the late call, or where the lock was given back; line HSC_NONE */
    uint64_t waits;
    double wait_s, indirect_s;      /* indirect: of wait_s, because it had itself waited */
    double caused_s;                /* waiting of all threads that it is the cause of in the end */
    bool for_work;                  /* who waited waits for the work that this one does: of that only what others waited for who waits so counts */
} hsc_db_delay;
hsc_status hsc_db_get_delay(const hsc_db *db, uint32_t row, hsc_db_delay *out, hsc_err *err);

typedef struct hsc_db_delayed {     /* who waited for it; sorted by delay */
    uint32_t delay, thread, context, line;
    uint32_t begun;                 /* row of the line where it had begun what it waited for; HSC_NONE: in that call, or not known */
    uint64_t waits;
    double wait_s, max_s;
} hsc_db_delayed;
hsc_status hsc_db_get_delayed(const hsc_db *db, uint32_t row, hsc_db_delayed *out, hsc_err *err);
hsc_status hsc_db_get_delayed_whole(const hsc_db *db, uint32_t row, hsc_db_delayed *out, hsc_err *err); /* of the run, whatever interval is set */

typedef struct hsc_db_delay_place { /* what the late thread did before; sorted by delay */
    uint32_t delay, context, line;
    double direct_s, caused_s;      /* parts of wait_s - indirect_s, and of caused_s */
    double counted_s;               /* of caused_s what is waiting of the program: what the metric "waiting caused" has; NAN in older databases, which do not tell */
    bool of_libraries;              /* threads that libraries made for themselves wait for each other */
    bool not_running, not_known;    /* it had no processor; nothing tells what it did. context and line are then the delay's, but for wait_kind MESSAGE */
    uint32_t wait_kind;             /* HSC_wait_kind_* of enums.h: it was in such a call; 0: in none that is timed */
    uint32_t column;                /* of that call, as in hsc_db_wait */
} hsc_db_delay_place;
hsc_status hsc_db_get_delay_place(const hsc_db *db, uint32_t row, hsc_db_delay_place *out, hsc_err *err);

/* ---- pairs of processes ---- */

/* Point-to-point messages between two processes, as `process` counted them; sorted by process and rank of the other. Sparse: pairs
 * that never exchanged one have no row. Collective operations are in no pair. hsc_db_find(db, HSC_LIST_PAIRS, process, ...). */
typedef struct hsc_db_pair {
    uint32_t process, peer; /* rows of processes; peer HSC_NONE: was not measured */
    uint32_t peer_rank;     /* in the world of the process */
    uint64_t sent, sent_bytes, received, received_bytes;
} hsc_db_pair;
hsc_status hsc_db_get_pair(const hsc_db *db, uint32_t row, hsc_db_pair *out, hsc_err *err);

/* Who waited for whom (late partners, barriers, locks): rows of delayed added up, sorted by process and late. The first call adds
 * up that table, later ones do not. */
typedef struct hsc_db_wait_pair {
    uint32_t process, late; /* rows of processes: the one that waited; the one it waited for. Equal: threads of one process */
    uint64_t waits;
    double wait_s, max_s;
} hsc_db_wait_pair;
hsc_status hsc_db_count_wait_pairs(hsc_db *db, uint32_t *n, hsc_err *err);
hsc_status hsc_db_get_wait_pair(hsc_db *db, uint32_t row, hsc_db_wait_pair *out, hsc_err *err);

typedef enum hsc_db_between {
    HSC_BETWEEN_SENT = 0,           /* messages, as senders counted them: row sender, column receiver */
    HSC_BETWEEN_SENT_BYTES = 1,
    HSC_BETWEEN_RECEIVED = 2,       /* the same as receivers counted them: row sender, column receiver */
    HSC_BETWEEN_RECEIVED_BYTES = 3,
    HSC_BETWEEN_WAITING = 4,        /* seconds: row who waited, column for whom */
    HSC_BETWEEN_WAITS = 5           /* how often */
} hsc_db_between;
#define HSC_MATRIX_BINS_MAX 8192
/* A matrix for a picture. bin_of[process] for every process: its bin, or HSC_NONE to leave it out (processes can be grouped, sorted
 * and filtered). out[bins][bins], row-major: sums. outside[bins], or NULL: of messages, what the processes of the bin exchanged with
 * processes that were not measured or are left out. Cost: some ns for each pair. */
hsc_status hsc_db_read_matrix(hsc_db *db, hsc_db_between what, uint32_t bins, const uint32_t *bin_of, double *out, double *outside,
                              hsc_err *err);

/* Histograms: out[HSC_BUCKETS]; out[0] counts zeros, out[b] values of 2^(b-1) to 2^b - 1 (bytes, nanoseconds). */
#define HSC_BUCKETS 65
typedef enum hsc_db_histogram { HSC_HISTOGRAM_SIZE = 0, HSC_HISTOGRAM_DURATION = 1, HSC_HISTOGRAM_WAIT = 2 } hsc_db_histogram;
hsc_status hsc_db_read_histogram(const hsc_db *db, hsc_db_histogram which, uint32_t row, uint64_t *out, hsc_err *err);

/* ---- what probes counted, what the program told of itself, what measuring cost ---- */

typedef enum hsc_db_told {
    HSC_TOLD_PROBES = 0, HSC_TOLD_BLOCKS, HSC_TOLD_VISITS, HSC_TOLD_PHASES, HSC_TOLD_COUNTERS, HSC_TOLD_COSTS, HSC_TOLD_NOTES
} hsc_db_told;
uint32_t hsc_db_count_told(const hsc_db *db, hsc_db_told what); /* rows */

#define HSC_PROBE_USER_SCOPE 254u
typedef struct hsc_db_probe {
    uint32_t kind;          /* HSC_probe_kind_* of enums.h; HSC_PROBE_USER_SCOPE: a scope that the program named */
    const char *kind_text;
    uint32_t scope;         /* procedure or loop; HSC_NONE */
    const char *name, *file; /* file: without folders; "" */
    uint32_t line, flags;   /* 0: none; HSC_probe_flag_* */
    uint32_t disarmed;      /* processes that it was disarmed in while they ran: visits and times end there */
    double disarmed_s;      /* the first time, since the start of the run */
} hsc_db_probe;
hsc_status hsc_db_get_probe(const hsc_db *db, uint32_t probe, hsc_db_probe *out, hsc_err *err);

typedef struct hsc_db_block { /* a scope with the stack of scopes that were open round it; parents come first */
    uint32_t parent, probe, depth; /* parent: HSC_NONE outermost */
} hsc_db_block;
hsc_status hsc_db_get_block(const hsc_db *db, uint32_t block, hsc_db_block *out, hsc_err *err);

typedef struct hsc_db_visit { /* of a block, in a thread; sorted by block and thread. Seconds of elapsed time */
    uint32_t block, thread;
    uint64_t visits, left;  /* left: without passing an exit */
    double duration_s, duration_min_s, duration_max_s, duration_squares; /* scopes inside included */
    double exclusive_s;     /* in no scope inside; visits that go on too */
    double cost_s, exclusive_cost_s; /* what the probes cost by themselves, which is in duration_s and exclusive_s: estimates */
    double exclusive_cost_least_s, exclusive_cost_most_s; /* the 95 % interval of exclusive_cost_s */
    uint32_t context, line; /* calling context that it is in; first line with code, or of the call. HSC_NONE: not known, or a scope that the program named */
} hsc_db_visit;
hsc_status hsc_db_get_visit(const hsc_db *db, uint32_t visit, hsc_db_visit *out, hsc_err *err);
/* Of one visit that took `seconds` by the clock (the least, the longest, a quantile), among `visits` that took clock_s by the clock and net_s without what probes cost:
 * without that cost. Known is the mean cost of a visit only: it is taken out of visits of mean length and longer, and of shorter ones as much less as they are shorter. */
double hsc_db_visit_without_cost(double seconds, double clock_s, double net_s, double visits);

/* Standard deviation of n values by the sum of their squares and their sum (of the population: sums are divided by n); NAN: of none. */
double hsc_db_stddev(double squares, double sum, double n);
/* Exclusive seconds by category: out[categories]. Durations as hsc_db_read_histogram: out[HSC_BUCKETS]. */
hsc_status hsc_db_read_visit_categories(const hsc_db *db, uint32_t visit, double *out, hsc_err *err);
hsc_status hsc_db_read_visit_histogram(const hsc_db *db, uint32_t visit, uint64_t *out, hsc_err *err);

typedef struct hsc_db_phase { /* sorted by process and begin */
    uint32_t process;
    const char *name;
    double begin_s, end_s;  /* since the start of the run */
} hsc_db_phase;
hsc_status hsc_db_get_phase(const hsc_db *db, uint32_t phase, hsc_db_phase *out, hsc_err *err); /* whole, whatever interval is set */

typedef enum hsc_note_kind { HSC_NOTE_SAID = 0, HSC_NOTE_RATE, HSC_NOTE_SOURCE, HSC_NOTE_MEASURING, HSC_NOTE_EVENTS } hsc_note_kind;
typedef struct hsc_db_note { /* what the tool did to the run, or its runtime said of it; sorted by process and time */
    uint32_t process, thread; /* thread HSC_NONE: of the whole process */
    uint32_t kind;            /* hsc_note_kind */
    double time_s;            /* since the start of the run */
    uint64_t value;           /* periods from one sample to the next; 0 off, 1 on; nanoseconds that a call takes to get an event */
    const char *text;
} hsc_db_note;
hsc_status hsc_db_get_note(const hsc_db *db, uint32_t note, hsc_db_note *out, hsc_err *err);

typedef struct hsc_db_counter { /* in an interval: of the values told in it, and of that which holds as it begins; values 0: there are none, all is 0 */
    uint32_t thread;
    const char *name;
    uint64_t values;
    double first, last, min, max, sum, squares;
} hsc_db_counter;
hsc_status hsc_db_get_counter(const hsc_db *db, uint32_t counter, hsc_db_counter *out, hsc_err *err);
/* Its values from number `from` on, in order of time, of the whole run: *n of at most `capacity`. */
hsc_status hsc_db_read_counter(const hsc_db *db, uint32_t counter, uint64_t from, uint64_t capacity, double *time_s, double *value,
                               uint64_t *n, hsc_err *err);

typedef struct hsc_db_cost { /* of measuring a thread, in seconds of CPU time */
    uint32_t thread;
    double handler_s, handler_median_s, handler_p90_s, handler_p99_s; /* measured: all runs; of one run */
    double signals_s, probes_s, wrappers_s; /* estimated; the rest of own_s */
    double helper_s;        /* of the process, in its first thread's row; not in the thread's CPU time */
    double start_s, end_s;  /* the same: beginning and ending to measure, in no sample; 0 in older databases */
    double switches_s;      /* estimated: perf's clock at context switches of the thread; 0 in older databases */
    double own_least_s, own_most_s; /* handler to switches together, as they are likely to be at least and at most; 0: not known, as in older databases */
    uint64_t handler_runs, probes_missed;
    uint32_t rate_changes, periods_max; /* of the governor */
} hsc_db_cost;
hsc_status hsc_db_get_cost(const hsc_db *db, uint32_t row, hsc_db_cost *out, hsc_err *err);

typedef struct hsc_db_ledger {
    const char *name;       /* "recorded", "attributed by map", "lost: ...", ... */
    const char *meaning;
    uint64_t samples;
    double seconds;
    uint32_t group;         /* rows of one group add up to the row of group 0 named in its meaning */
} hsc_db_ledger;
#define HSC_LEDGER_ITSELF "program itself" /* name of the row that measuring is told of in percent, as the last line of a run does; absent: older */
#define HSC_LEDGER_LEAST "measuring, at least" /* names of the rows that tell its interval; absent: not known */
#define HSC_LEDGER_MOST "measuring, at most"
#define HSC_LEDGER_BRIEF "processes too short" /* name of the row of those that ended before a sample; absent: none */
#define HSC_LEDGER_LAUNCHERS "launchers" /* of those that only start the program; absent: none is left out */
#define HSC_LEDGER_SHORT "threads too short" /* and of threads of processes that are in the tables */
hsc_status hsc_db_get_ledger(const hsc_db *db, uint32_t row, hsc_db_ledger *out, hsc_err *err);

/* Calling contexts in pre-order: parent < child, subtree of c = rows [c, subtree_end). Row 0 is the root. */
typedef enum hsc_context_kind {
    HSC_CONTEXT_ROOT = 0,
    HSC_CONTEXT_PROCEDURE = 1,
    HSC_CONTEXT_INLINED = 2,
    HSC_CONTEXT_LOOP = 3,
    HSC_CONTEXT_PARTIAL = 4 /* holder of paths that do not reach the thread's start */
} hsc_context_kind;
typedef struct hsc_db_context {
    uint32_t parent, subtree_end;
    hsc_context_kind kind;
    uint32_t scope;         /* static scope (procedure or loop); the program for the root */
    uint32_t call_line;     /* line row the call stands on, in the caller; HSC_NONE */
    uint32_t depth;
} hsc_db_context;
hsc_status hsc_db_get_context(const hsc_db *db, uint32_t context, hsc_db_context *out, hsc_err *err);
/* Parts of it as columns by row, for what walks over all contexts; they stay until the database is closed. */
typedef struct hsc_db_context_columns {
    const uint32_t *parent, *scope, *call_line;
} hsc_db_context_columns;
hsc_status hsc_db_get_context_columns(const hsc_db *db, hsc_db_context_columns *out, hsc_err *err);

/* ---- values ---- */

typedef enum hsc_db_table {
    HSC_TABLE_LINE = 0,          /* rows: lines; exclusive */
    HSC_TABLE_SCOPE_EXCL = 1,    /* rows: static scopes; samples whose innermost scope it is */
    HSC_TABLE_SCOPE_INCL = 2,    /* rows: static scopes; samples with the scope anywhere on the path, once each */
    HSC_TABLE_CONTEXT_EXCL = 3,  /* rows: contexts */
    HSC_TABLE_CONTEXT_INCL = 4,  /* rows: contexts, with their subtrees */
    HSC_TABLE_INSTANCE = 5,      /* rows: loop instances; exclusive */
    HSC_TABLE_SCOPE_CATEGORY = 6,/* rows: scope * categories + category; inclusive */
    HSC_TABLE_LINE_INCL = 7,     /* rows: lines; samples with the line anywhere on the path (calls made on it), once each */
    HSC_TABLE_INSTRUCTION = 8    /* rows: instructions; exclusive. HSC_E_MISSING while an interval is set in a database before 1.7, or without times */
} hsc_db_table;

typedef enum hsc_db_axis {
    HSC_AXIS_THREAD = 0,
    HSC_AXIS_PROCESS = 1,        /* threads of a process added up */
    HSC_AXIS_NODE = 2            /* processes of a host added up; no bins of it */
} hsc_db_axis;

typedef struct hsc_db_view { /* which values: what every value query starts with */
    uint32_t metric;
    hsc_db_table table;
    hsc_db_axis axis;
} hsc_db_view;

uint64_t hsc_db_get_rows(const hsc_db *db, hsc_db_table table);
uint32_t hsc_db_get_columns(const hsc_db *db, hsc_db_axis axis);

typedef struct hsc_db_stats { /* over all processors of the axis, those without samples counted as 0 */
    double sum, mean, stddev; /* stddev of the population */
    double min, max;
    uint32_t min_column, max_column; /* first with that value */
    uint32_t nonzero;
} hsc_db_stats;

/* Sum over all processors of rows [first, first+n), in counts: times hsc_db_metric.scale they are in its unit. out: n doubles. Cheap: stored totals. */
hsc_status hsc_db_read_sums(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, double *out, hsc_err *err);
/* Which of them have nothing: 1, else 0. out: n. */
hsc_status hsc_db_find_zeros(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, unsigned char *out, hsc_err *err);
/* The largest of their sums; 0: none has anything. */
hsc_status hsc_db_find_largest(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, double *out, hsc_err *err);

/* ---- 95 % intervals of sampled numbers; methods and calibration: docs/measurement.md, section 1 ---- */

typedef struct hsc_weighted {
    double sum;    /* of the weights w of samples */
    double excess; /* of w (w - 1): 0 when each counts 1 */
} hsc_weighted;

/* Samples of one weight that would tell as much: (sum of w)^2 / sum of w^2. */
double hsc_interval_effective(hsc_weighted v);
/* Of a sum, in counts. all: of the run; what the samples of a place with few or none of them count is partly or wholly known from it (nothing in it: 1). */
void hsc_interval_sum(hsc_weighted v, hsc_weighted all, double *low, double *high);
/* Of part / all, where the part is in all: 0 to 1. */
void hsc_interval_share(hsc_weighted part, hsc_weighted all, double *low, double *high);
/* Of a ratio that is a constant times part / all: the largest over the mean. */
void hsc_interval_ratio(double ratio, hsc_weighted part, hsc_weighted all, double *low, double *high);
typedef struct hsc_sampled { /* a sum with the run that it is of */
    hsc_weighted v, all;
    double scale; /* of a count, in the metric's unit */
    bool known;   /* what `all` sums up to is known without samples, by clocks: only shares of it are sampled */
    double lost;  /* then: counts beside it that are in no sample; a place may have as large a share of them as of the rest */
} hsc_sampled;

/* Of v, in counts: of a run that is known its share of it, else as hsc_interval_sum. */
void hsc_interval_sampled(hsc_sampled of, double *low, double *high);
/* Of b - a, of two runs, in the metric's unit. */
void hsc_interval_change(hsc_sampled a, hsc_sampled b, double *low, double *high);

/* As hsc_db_read_sums, with what intervals need. Of an exact metric excess is 0, and there is no interval. */
hsc_status hsc_db_read_weighted(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, hsc_weighted *out, hsc_err *err);
/* The excess alone. The same for blocks, columns and sparse rows: ask with view.metric = weights of the metric, where it has one. */
hsc_status hsc_db_read_excess(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, double *out, hsc_err *err);

/* Statistics of rows [first, first+n). out: n entries. */
hsc_status hsc_db_read_stats(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, hsc_db_stats *out, hsc_err *err);

/* Quantiles over all processors of the axis, those without samples counted as 0: of n sorted values x[0 .. n-1], quantile q is
 * x[k] + (h - k) (x[k+1] - x[k]) with h = q (n - 1), k = floor(h). levels[m]: 0 to 1. out[n][m], row-major, counts. Cost: the stored
 * values of the rows, sorted. */
hsc_status hsc_db_read_quantiles(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, const double *levels, uint32_t m,
                                 double *out, hsc_err *err);
/* The same of values at hand: those of `all` that are not 0; sorts them. */
void hsc_quantiles(double *values, uint64_t nonzero, uint64_t all, const double *levels, uint32_t m, double *out);

/* Dense block: rows [first, first+n) x columns [column, column+m), out[n][m] row-major, counts. For what is on screen. */
hsc_status hsc_db_read_block(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, uint32_t column, uint32_t m,
                             float *out, hsc_err *err);

/* Sparse rows [first, first+n): indptr[n+1] relative to 0, indices and values malloc'ed (free() both). */
hsc_status hsc_db_read_sparse(hsc_db *db, hsc_db_view view, uint64_t first, uint64_t n, uint64_t *indptr,
                              uint32_t **indices, float **values, hsc_err *err);

/* One processor, all rows: the non-zero ones. rows and values malloc'ed. */
hsc_status hsc_db_read_column(hsc_db *db, hsc_db_view view, uint32_t column, uint64_t *n, uint32_t **rows, float **values,
                              hsc_err *err);

typedef enum hsc_db_reduce { HSC_REDUCE_MAX = 0, HSC_REDUCE_SUM = 1 } hsc_db_reduce;

/* Bins for a picture, by thread or process (another axis: HSC_E_ARGUMENT). Row bin i covers table rows [row_lo[i], row_hi[i]) (may be empty, need not touch the next; must
 * rise). column_bin[c], c < hsc_db_get_columns(axis): the bin of column c, or HSC_NONE to leave it out (so columns can
 * be grouped, sorted and filtered). out[row_bins][column_bins], row-major: exact maximum or exact sum of the cells in
 * the bin; 0 where there is none; NaN in bins without rows. Takes stored levels where they are cheaper and give the exact
 * answer. Cost: some 4 ns for each stored value in view, 20 to 40 ns the first time it is read. */
hsc_status hsc_db_read_bins(hsc_db *db, hsc_db_view view, hsc_db_reduce reduce, uint32_t row_bins, const uint32_t *row_lo,
                            const uint32_t *row_hi, uint32_t column_bins, const uint32_t *column_bin, float *out,
                            hsc_err *err);

/* The same by and by, for a picture that is made in turns: what is cheapest is chosen for all bins, and what was read for those of the last
 * turn is there for the next ones. The lists are copied. Each call of go_on gives the next n bins, out[n][column_bins] (HSC_E_ARGUMENT: there are
 * fewer); others may ask the database meanwhile, and values of another interval are then those of that one. After an error go_on may be called
 * again for the same bins. end (NULL: nothing) may be called after the database was closed, go_on may not. */
typedef struct hsc_db_bins hsc_db_bins;
hsc_status hsc_db_begin_bins(hsc_db *db, hsc_db_view view, hsc_db_reduce reduce, uint32_t row_bins, const uint32_t *row_lo, const uint32_t *row_hi,
                             uint32_t column_bins, const uint32_t *column_bin, hsc_db_bins **out, hsc_err *err);
hsc_status hsc_db_go_on_bins(hsc_db_bins *bins, uint32_t n, float *out, hsc_err *err);
void hsc_db_end_bins(hsc_db_bins *bins);

/* Row ranges that begin and end at multiples of *step (at most `most`) are the cheapest of that height. 1: there is no such number. */
hsc_status hsc_db_get_row_step(hsc_db *db, hsc_db_view view, uint64_t most, uint32_t *step, hsc_err *err);

/* Column bins that begin and end at multiples of *step columns, and leave none of these groups out in part, are the cheapest. 1: there is no such number. */
hsc_status hsc_db_get_column_step(hsc_db *db, hsc_db_view view, uint32_t *step, hsc_err *err);

/* The n rows with the largest sums, in falling order (ties: smaller row first), of those that `accept` takes (NULL: all).
 * rows, sums: capacity n; returns the number found through *found. */
hsc_status hsc_db_read_top(hsc_db *db, hsc_db_view view, bool (*accept)(void *ctx, uint64_t row), void *ctx, uint32_t n,
                           uint64_t *rows, double *sums, uint32_t *found, hsc_err *err);

/* ---- time ---- */

typedef struct hsc_db_times { /* samples in the order of time */
    bool present;           /* false: the database was made without (correlate --time=none, or an old version) */
    double tick_s;          /* unit of stored times */
    double end_s;           /* last time that can be asked for, since the start of the run */
    double bin_s;           /* width of the finest bins of the timeline; below it single samples are drawn */
    uint64_t samples, spans;
    bool slices;            /* what was counted and timed exactly (messages, waits, ...) is known by time, too */
} hsc_db_times;
hsc_status hsc_db_get_times(hsc_db *db, hsc_db_times *out, hsc_err *err);
/* Opens a part of what the first question about times opens at once (of 60 M samples 130 ms); *ready: all is open, or there are no times. */
hsc_status hsc_db_open_times(hsc_db *db, bool *ready, hsc_err *err);
/* Reads a part of what the first interval, or the first cursor over samples, would read at once (of a large database 20 MB, 100 ms), then of what all
 * threads had until some places of the run, by which an interval needs a tenth of the values (24 MB are kept at most; none of runs below 4 M samples);
 * *ready: all is there, or there are no times. For what else is done meanwhile; it changes nothing but time. */
hsc_status hsc_db_prepare_intervals(hsc_db *db, bool *ready, hsc_err *err);

/* From now on every query of values counts only samples with begin_s <= time < end_s (seconds since the start of the run);
 * begin_s >= end_s: the whole run again. Exact to the sample. Borrowed strings stay; totals of hsc_db_get_info stay those
 * of the whole run. Metrics that were counted or timed exactly (messages, waits, causes, probes) are those of the slices below; of a database without
 * slices, or instances of loops: HSC_E_MISSING. Rows of messages, pairs, waits, visits,
 * delays, delayed and delay places, and their histograms, are sums of slices of some 100 ms, each counted where it ends (begin_s < end <= end_s):
 * those with nothing are there with zeros; of a database without slices (hsc_db_times) they stay those of the run. The first ask for each of these tables reads its slices,
 * some 10 ns each, 100 ns those in blocks with some in the interval. Cost of the samples: some 5 ns for each
 * sample at the two ends of the interval (at most 1023 a thread and end), and for each value of the whole slices between.
 * HSC_E_MISSING: the database has no times. */
hsc_status hsc_db_set_interval(hsc_db *db, double begin_s, double end_s, hsc_err *err);
/* Adds up for some `seconds` (< 0: to the end) what all threads have in the interval that is to be set next; the one that is set stays. Then, a step
 * a call, sums of the tables that were asked for of what is set now before its threads were counted (some by a second thread), of one category
 * (HSC_NONE: of all): hsc_db_set_only is to follow with it.
 * *part: how much is done; at 1 hsc_db_set_interval has little left to do (before that, the rest). Another interval or category gives it up. */
hsc_status hsc_db_choose_interval(hsc_db *db, double begin_s, double end_s, uint32_t only, double seconds, double *part, hsc_err *err);
/* The same for several intervals together, of all processes or each of one: "the time in phase solve". Those of a process may
 * overlap, and count once. n 0: the whole run again. HSC_E_ARGUMENT: times do not rise, no such process, or only some are of one. */
typedef struct hsc_db_when {
    uint32_t process;       /* HSC_NONE: of all, in every entry */
    double begin_s, end_s;
} hsc_db_when;
hsc_status hsc_db_set_intervals(hsc_db *db, const hsc_db_when *list, uint32_t n, hsc_err *err);
/* What is set, sorted, without overlaps; borrowed until it changes. 0: the whole run. */
uint32_t hsc_db_get_intervals(const hsc_db *db, const hsc_db_when **out);
/* Of the interval that is set, the samples of one category only (HSC_NONE: of all again), until another interval is set. Of the whole
 * run: set an interval that holds it. HSC_E_ARGUMENT: no interval is set, or there is no such category. */
hsc_status hsc_db_set_only(hsc_db *db, uint32_t category, hsc_err *err);
/* An interval that holds the whole run, also of a database that was made without the times of samples: then what each thread has by category is
 * there all the same (HSC_E_MISSING: an older one, without). Metrics that were counted exactly are those of the run's rows. */
hsc_status hsc_db_set_whole(hsc_db *db, hsc_err *err);
uint32_t hsc_db_get_only(const hsc_db *db); /* HSC_NONE: all */
/* What of a process's time from begin_s to end_s is in the interval that is set (where none is, all of it): the next piece, *at being 0 before the first. false: no more. */
bool hsc_db_next_inside(const hsc_db *db, uint32_t process, double begin_s, double end_s, uint32_t *at, hsc_db_when *out);
/* What a sample of the interval that is set can be, and what all threads have of it. HSC_E_ARGUMENT: no interval is set, or there is no such leaf. */
typedef struct hsc_db_leaf {
    uint32_t context, line, instance, metric, category; /* line, instance HSC_NONE: none */
    double sum;             /* as hsc_db_read_sums; 0 also where another category is asked for alone (hsc_db_set_only) */
} hsc_db_leaf;
hsc_status hsc_db_get_leaves(const hsc_db *db, uint64_t *n, hsc_err *err); /* how many */
hsc_status hsc_db_get_leaf(const hsc_db *db, uint64_t leaf, hsc_db_leaf *out, hsc_err *err);
/* Sums of an interval are there at once. What each thread has in it is counted when it is first asked for; with `later`, such queries
 * end with HSC_E_PENDING until hsc_db_count_threads has done it, for so many seconds at a time, in which other queries may be asked. What rows are
 * made of is made ready, for tables asked for before. *part: how much is done; 1: all, or the whole run is set. After an error it begins anew. */
void hsc_db_set_later(hsc_db *db, bool later);
/* After what needed much memory: the system has it back. Before (all): also what can be had again in some milliseconds. */
void hsc_db_give_back(hsc_db *db, bool all);
bool hsc_db_is_pending(const hsc_db *db); /* would that error come now, of a sampled metric? */
hsc_status hsc_db_count_threads(hsc_db *db, double seconds, double *part, hsc_err *err);
/* Begin of the first and end of the last. */
bool hsc_db_get_interval(const hsc_db *db, double *begin_s, double *end_s); /* false: the whole run; outputs untouched */

typedef struct hsc_db_sample {
    double time_s;          /* when it was taken: it stands for the time before */
    uint32_t context, line, instance; /* line, instance: HSC_NONE */
    uint32_t category, metric, count;
} hsc_db_sample;
/* Samples of one thread with begin_s <= time < end_s, in order of time. The database must outlive the cursor. */
typedef struct hsc_db_samples hsc_db_samples;
hsc_status hsc_db_samples_open(hsc_db *db, uint32_t thread, double begin_s, double end_s, hsc_db_samples **out, hsc_err *err);
/* The next ones: *n of at most `capacity`; 0 at the end. */
hsc_status hsc_db_samples_next(hsc_db_samples *c, uint32_t capacity, hsc_db_sample *out, uint32_t *n, hsc_err *err);
void hsc_db_samples_close(hsc_db_samples *c);

typedef enum hsc_timeline_key {
    HSC_TIMELINE_CATEGORY = 0,
    HSC_TIMELINE_PROCEDURE = 1, /* scope rows of procedures, their loops included */
    HSC_TIMELINE_SCOPE = 2      /* scope rows: innermost loop or procedure */
} hsc_timeline_key;

typedef struct hsc_db_slot { /* a row of the picture at a pixel */
    uint32_t key;           /* with most time; HSC_NONE: no sample */
    float share;            /* of its samples among those of the slot, 0 to 1 */
    float busy;             /* CPU time by the time of the row's threads (without those with less than a hundredth of the
                             * samples of the one that has most), 0 to 1 */
} hsc_db_slot;

/* Picture of metric 0: threads x time. row_of[thread] for every thread: the row it is drawn in, HSC_NONE: none. Slot i of a row covers
 * [begin + i * width, begin + (i + 1) * width), width = (end_s - begin_s) / pixels. out[rows][pixels]. Reads bins that are not wider
 * than a slot (where a row has more than four threads: than four slots), so that the work does not depend on the length of the
 * run; single samples where even the narrowest bins are wider than that, and less than four million are in view. With several
 * bins in a slot the key is the one with most counts in the bins that it leads, and its share a lower bound. */
hsc_status hsc_db_read_timeline(hsc_db *db, hsc_timeline_key key, uint32_t rows, const uint32_t *row_of, double begin_s,
                                double end_s, uint32_t pixels, hsc_db_slot *out, hsc_err *err);
/* The same picture's rows [first_row, first_row + n_rows) alone: out[n_rows][pixels]. */
hsc_status hsc_db_read_timeline_rows(hsc_db *db, hsc_timeline_key key, uint32_t rows, const uint32_t *row_of, uint32_t first_row, uint32_t n_rows,
                                     double begin_s, double end_s, uint32_t pixels, hsc_db_slot *out, hsc_err *err);

/* Waits and message-passing calls of a trace, sorted by thread and begin. */
typedef struct hsc_db_span {
    uint32_t thread;
    double begin_s, end_s;
    bool is_message;
    uint32_t kind;          /* HSC_wait_kind_*; of messages HSC_operation_class_* */
    const char *kind_text;
    uint32_t category, context, line; /* line HSC_NONE: not known */
    uint64_t bytes;
} hsc_db_span;
hsc_status hsc_db_get_span(hsc_db *db, uint64_t row, hsc_db_span *out, hsc_err *err);
/* Rows [*first, *first + *n) of a thread that begin before end_s; the first is the first that ends after begin_s. */
hsc_status hsc_db_find_spans(hsc_db *db, uint32_t thread, double begin_s, double end_s, uint64_t *first, uint64_t *n, hsc_err *err);
/* Loads a part of what the first question about spans loads at once (some 40 bytes each); *ready: all is there. For what else is done meanwhile. */
hsc_status hsc_db_prepare_spans(hsc_db *db, bool *ready, hsc_err *err);
/* Adds what a thread's spans take of `pixels` slots of [begin_s, end_s): to slots[category * pixels + slot], for each row of category, in slots.
 * However many there are; some nanoseconds each. HSC_E_ARGUMENT: no such thread, no slots. */
hsc_status hsc_db_add_spans(hsc_db *db, uint32_t thread, double begin_s, double end_s, uint32_t pixels, double *slots, hsc_err *err);

/* ---- machine code (values: HSC_TABLE_INSTRUCTION) ---- */

/* A piece of the machine code of a procedure with samples: its whole, its cold part, a clone. Sorted by module and address. */
typedef struct hsc_db_code_part {
    uint32_t procedure, module;
    uint64_t begin, end;    /* ELF virtual addresses */
    uint32_t first, rows;   /* its rows of the instruction table; HSC_NONE, 0: none */
    bool disassembled;      /* false: only addresses with samples, note says why */
    const char *symbol;     /* "f", "f.cold"; "" none */
    const char *note;
} hsc_db_code_part;
hsc_status hsc_db_get_code_part(const hsc_db *db, uint32_t row, hsc_db_code_part *out, hsc_err *err);
/* Rows of the pieces of a procedure: fills up to `capacity`, returns the number there is through *n. */
hsc_status hsc_db_find_code_parts(const hsc_db *db, uint32_t procedure, uint32_t *rows, uint32_t capacity, uint32_t *n, hsc_err *err);
/* Piece that an instruction is of; HSC_NONE: none. */
uint32_t hsc_db_find_part_of(const hsc_db *db, uint32_t instruction);

typedef enum hsc_flow { /* what an instruction does to the order of execution */
    HSC_FLOW_NEXT = 0,
    HSC_FLOW_CALL = 1,
    HSC_FLOW_BRANCH = 2,    /* to its target, or on */
    HSC_FLOW_JUMP = 3,
    HSC_FLOW_INDIRECT = 4,  /* jump to where data say */
    HSC_FLOW_RETURN = 5,
    HSC_FLOW_STOP = 6
} hsc_flow;

typedef struct hsc_db_instruction { /* sorted by module and address */
    uint32_t module;
    uint64_t address;
    uint32_t size;          /* bytes; 0: only known to have samples */
    hsc_flow flow;
    const char *text;       /* "movsd\t0x10(%rip), %xmm0\t# 0x2010 = 0.5"; "" not disassembled */
    uint32_t line;          /* line row; HSC_NONE */
    uint32_t scope;         /* innermost loop or procedure, also of what is inlined; HSC_NONE */
    uint32_t instance;      /* version of a loop; HSC_NONE */
    uint32_t inlined;       /* row for hsc_db_get_inlining; HSC_NONE: not inlined */
    uint32_t target;        /* row of the instruction that it goes to; HSC_NONE */
} hsc_db_instruction;
hsc_status hsc_db_get_instruction(const hsc_db *db, uint32_t row, hsc_db_instruction *out, hsc_err *err);
/* Row of the instruction around an address; HSC_NONE: it is in none of the table. */
uint32_t hsc_db_find_instruction(const hsc_db *db, uint32_t module, uint64_t address);
/* Its bytes: at most 16; 0 where not disassembled. */
hsc_status hsc_db_read_code(const hsc_db *db, uint32_t instruction, uint8_t out[16], uint32_t *n, hsc_err *err);

typedef struct hsc_db_inlining {
    uint32_t parent;        /* call around it; HSC_NONE */
    uint32_t scope, line;   /* procedure that is inlined, line row of the call */
} hsc_db_inlining;
hsc_status hsc_db_get_inlining(const hsc_db *db, uint32_t row, hsc_db_inlining *out, hsc_err *err);

typedef enum hsc_instructions_of { HSC_OF_LINE = 0, HSC_OF_SCOPE = 1, HSC_OF_INSTANCE = 2 } hsc_instructions_of;
/* Instructions of a line row, of a scope with what is below it, or of an instance, in order: all copies, wherever the compiler
 * put them. *rows is malloc'ed (free() it). Cost: 1 ns for each row of the table. */
hsc_status hsc_db_find_instructions(const hsc_db *db, hsc_instructions_of what, uint32_t key, uint32_t **rows, uint32_t *n,
                                    hsc_err *err);

#ifdef __cplusplus
}
#endif
#endif
