/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of the machine code of one ELF module: the compiler's static records, DWARF, ELF symbols.
 *
 * hsc_code_open reads everything once; hsc_code_find answers "what is at this address" in O(log n). After open the
 * object is only read, except that hsc_code_find adds symbol-level procedures: one thread at a time for one module;
 * different modules are independent. Strings and arrays are owned by the hsc_code. */
#ifndef HEATSCOPE_CORRELATE_CODE_H
#define HEATSCOPE_CORRELATE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heatscope/formats/err.h>
#include <heatscope/query.h>

#include "looks.h"
#include "pool.h"

typedef struct hsc_code hsc_code;
struct hsc_code_keeper;

/* Which file the run had. Empty build id: size and mtime must match (0: not checked). */
typedef struct hsc_code_spec {
    const char *path;
    const uint8_t *build_id;
    size_t build_id_size;
    uint64_t file_size, file_mtime_ns;
    const char *const *map_dirs; /* folders that may hold what was kept aside: BUILD-ID.hsm, .build-id/xx/REST.debug
                                    (heatscope map --save, debug packages), BUILD-ID/debuginfo (debuginfod's cache) */
    size_t map_dir_count;
    bool with_data; /* arrays, references, messages and directives too */
    const struct hsc_code_keeper *keeper; /* NULL: the files are read */
    enum { HSC_KEPT_CODE, HSC_KEPT_ATT, HSC_KEPT_INTEL } kept_as; /* for the keeper: what hsc_code_open reads, or instructions in one of two syntaxes */
} hsc_code_spec;

/* Keeps what was read of modules, for later ones that would read the same from the same files. Bytes mean something to this very build only,
 * and are believed: `get` must know that they are those that were put. Called by several threads, one for each module. */
typedef struct hsc_code_keeper {
    void *ctx;
    /* What was put, with the files that had been looked at, which are as they were; from malloc, for the caller. NULL: nothing. */
    uint8_t *(*get)(void *ctx, const hsc_code_spec *spec, hsc_pool *pool, hsc_looks *looks, size_t *n);
    void (*put)(void *ctx, const hsc_code_spec *spec, const hsc_looks *looks, const uint8_t *bytes, size_t n);
} hsc_code_keeper;
#define HSC_CODE_KEPT_MAX ((size_t)48 << 20) /* bytes of a module; of larger ones nothing is kept */

typedef struct hsc_code_file {
    const char *path;     /* absolute where the compiler told the directory; "." and ".." taken out as text */
    const char *checksum; /* MD5 of the text as compiled, hexadecimal; "" */
} hsc_code_file;

typedef struct hsc_code_procedure {
    const char *name;    /* for people: demangled */
    const char *linkage; /* symbol name */
    uint32_t file;       /* HSC_NO_INDEX: no line information */
    uint32_t line_begin, line_end;
    uint32_t parent;     /* procedure that contains it in the source; HSC_NO_INDEX */
    uint64_t tag;        /* 0 without a map */
    uint32_t flags;      /* HSC_procedure_flag_* */
    bool has_code;       /* has machine code of its own in this module (not only inlined copies) */
    hsc_knowledge knowledge;
} hsc_code_procedure;

typedef struct hsc_code_loop {
    uint64_t tag;
    uint32_t procedure, parent; /* parent loop; HSC_NO_INDEX */
    uint32_t file, line_begin, line_end, column_begin, depth;
    uint32_t kind, flags; /* HSC_loop_kind_*, HSC_loop_flag_* */
    const char *name;     /* of one that has no line: "loop at 0x4a10"; NULL */
    hsc_knowledge knowledge; /* MAP; DWARF, SYMBOL: found in the machine code, with and without lines */
    const char *variable, *first, *bound; /* as the source has them; NULL */
    int64_t step;                         /* 0: not constant, or not known */
    uint64_t trips, trips_max, trips_multiple; /* iterations; 0: not known */
    uint32_t collapsed;                   /* loops made one of */
} hsc_code_loop;

typedef struct hsc_code_instance {
    uint32_t loop;     /* HSC_NO_INDEX: no source loop */
    uint32_t function; /* machine function: procedure */
    uint32_t version;  /* HSC_loop_version_* */
    uint32_t vector_width, interleave, unroll;
    uint32_t vector_bytes; /* of function */
    uint32_t parent;   /* instance round it in the machine function; HSC_NO_INDEX: none */
} hsc_code_instance;

typedef struct hsc_code_remark {
    uint32_t procedure, loop; /* loop HSC_NO_INDEX: said of the procedure; procedure may be HSC_NO_INDEX too */
    uint32_t file, line, kind;
    const char *pass, *name, *message;
    uint32_t reason, count; /* HSC_reason_*; remarks that it stands for */
} hsc_code_remark;

typedef struct hsc_code_dependence {
    uint32_t loop; /* HSC_NO_INDEX: not known */
    uint32_t procedure, kind, verdict; /* HSC_dependence_kind_*, HSC_dependence_verdict_* */
    bool has_distance;
    uint64_t distance; /* iterations */
    uint32_t source_file, source_line, source_column, sink_file, sink_line, sink_column;
} hsc_code_dependence;

/* Two accesses that the vectoriser would compare, or compares, at run time: a row for each access, check after check. */
typedef struct hsc_code_check {
    uint32_t loop; /* HSC_NO_INDEX: not known */
    uint32_t procedure, check, comparisons; /* check: number of the group; comparisons of all of it */
    uint32_t file, line, column;
} hsc_code_check;

typedef struct hsc_code_array {
    const char *name, *type, *element, *bounds, *symbol; /* bounds: "[n][3]", "(0:n, 3)"; "" */
    uint64_t tag, identity;
    uint32_t procedure; /* HSC_NO_INDEX: global */
    uint32_t file, line, parent; /* parent: array; HSC_NO_INDEX */
    uint32_t element_bytes, storage, flags, argument;
} hsc_code_array;

typedef struct hsc_code_reference {
    uint32_t procedure, loop, array, index; /* array, index: rows of arrays; HSC_NO_INDEX */
    uint32_t file, line, column, access, size_bytes, stride;
    const char *text;         /* "a[i][j + 1]" */
    const char *stride_bytes; /* "8*n"; "" */
} hsc_code_reference;

typedef struct hsc_code_message { /* a call of MPI as written */
    uint32_t procedure, loop, file, line, column, kind, binding;
    const char *operation;
} hsc_code_message;

typedef struct hsc_code_argument { /* of a message */
    uint32_t message, number, role; /* number: from 1 */
    uint32_t array, shape;          /* of a buffer; HSC_NO_INDEX */
    const char *text;               /* "a(1 : n, j)", "n + 1", "MPI_DOUBLE"; "" not known */
    uint64_t datatype_bytes;        /* of a buffer: data in one element of its derived type; 0 unknown, or a basic one */
} hsc_code_argument;

typedef struct hsc_code_link { /* what a message has to do with something else of the program */
    uint32_t message, kind, confidence; /* HSC_link_kind_*, HSC_confidence_* */
    uint32_t target_message, target_loop, array, file, line, column; /* HSC_NO_INDEX, 0 */
    const char *text; /* operation, callee or element; "" */
} hsc_code_link;

typedef struct hsc_code_directive {
    uint32_t procedure, region, loop; /* region: outlined procedure */
    uint32_t file, line, constructs;
    const char *text;
} hsc_code_directive;

typedef struct hsc_code_runtime_call {
    uint32_t directive; /* HSC_NO_INDEX: not told */
    uint32_t procedure, loop, file, line, column, role;
    const char *callee;
} hsc_code_runtime_call;

typedef struct hsc_code_handed { /* an array that a call hands to a procedure */
    uint32_t procedure, loop, file, line, column; /* of the call */
    uint32_t array, argument;                     /* argument: from 1 */
    const char *callee;                           /* linkage name; "" */
} hsc_code_handed;

/* What the map says of memory, messages and directives; empty unless asked for. Rows refer to those of hsc_code_tables. */
typedef struct hsc_code_data {
    HSC_VEC(hsc_code_check) checks;
    HSC_VEC(hsc_code_array) arrays;
    HSC_VEC(hsc_code_reference) references;
    HSC_VEC(hsc_code_message) messages;
    HSC_VEC(hsc_code_argument) arguments; /* message after message */
    HSC_VEC(hsc_code_link) links;         /* the same; behind them those that look-ups find (MERGED) */
    HSC_VEC(hsc_code_directive) directives;
    HSC_VEC(hsc_code_runtime_call) runtime_calls;
    HSC_VEC(hsc_code_handed) handed;
} hsc_code_data;

/* Everything that is static. Pointers are valid until the next hsc_code_find. */
typedef struct hsc_code_tables {
    const char *path;
    hsc_knowledge knowledge; /* best of the module */
    const char *note;        /* why no better; "" */
    const hsc_code_file *files;
    const hsc_code_procedure *procedures;
    const hsc_code_loop *loops;
    const hsc_code_instance *instances;
    const hsc_code_remark *remarks;
    const hsc_code_dependence *dependences;
    size_t file_count, procedure_count, loop_count, instance_count, remark_count, dependence_count;
    size_t lines, scopes, symbols, places, groups; /* rows of the indices, for statistics */
    size_t groups_unmatched;                       /* translation units of the map that no unit of the DWARF answers to */
    bool own_debug; /* debug information stands in the file itself, not in a file of a debug package */
    size_t tag_collisions;                         /* different loops or procedures that carry the same tag */
} hsc_code_tables;

/* Reads the module. A file that is missing, foreign, changed or damaged is no failure: the object then knows the module
 * only and the note says why. Fails with HSC_E_MEMORY only. */
hsc_status hsc_code_open(const hsc_code_spec *spec, hsc_code **out, hsc_err *err);
void hsc_code_close(hsc_code *c);
void hsc_code_get_tables(const hsc_code *c, hsc_code_tables *out);
const hsc_code_data *hsc_code_get_data(const hsc_code *c);
/* The files that it was read from or would have been, had they been there; borrowed. */
const hsc_looks *hsc_code_get_looks(const hsc_code *c);
/* Depth of a loop in its procedure + 1; 0 for HSC_NO_INDEX. Good at any time, also within hsc_code_each_line. */
uint32_t hsc_code_get_loop_depth(const hsc_code *c, uint32_t loop);

typedef enum hsc_element_kind { HSC_ELEMENT_PROCEDURE = 0, HSC_ELEMENT_INLINED = 1, HSC_ELEMENT_LOOP = 2 } hsc_element_kind;

/* One level of what surrounds an address. */
typedef struct hsc_code_element {
    hsc_element_kind kind;
    uint32_t index;                /* procedure or loop */
    uint32_t call_file, call_line; /* INLINED: where it is called; HSC_NO_INDEX, 0 unknown */
} hsc_code_element;

#define HSC_ELEMENTS_MAX 512u

typedef struct hsc_code_answer {
    const hsc_code_element *elements; /* outermost first: procedure, its loops, inlined procedure, its loops, ...;
                                         borrowed until the next find */
    size_t element_count;             /* 0: nothing known */
    uint32_t file, line;              /* of the innermost inlined copy; HSC_NO_INDEX, 0 unknown */
    uint32_t instance;                /* loop of the generated code; HSC_NO_INDEX */
    hsc_knowledge knowledge;          /* MAP: a place record or the map's procedure; ... MODULE: nothing but the file */
    bool repaired;                    /* the line table has line 0 here: taken from a neighbour; or an untrue one: from a directive */
} hsc_code_answer;

/* address: ELF virtual address; `exact`: of the instruction itself, else a return address (1 is subtracted). */
hsc_status hsc_code_find(hsc_code *c, uint64_t address, bool exact, hsc_code_answer *out, hsc_err *err);

/* Column of the code there in its line, from 1; 0: not known. */
uint32_t hsc_code_get_column(const hsc_code *c, uint64_t address, bool exact);

/* A lock was given back by what the call before the return address leads to. Where that is a function of the module that ends in a jump to the
 * wrapped function (a tail call), its frame is on no path: returns how many such functions there are, one after the other (0: none, or not
 * known), and where each one's jump is, in `jumps`. Of several jumps in one it is where the function begins. x86-64 only. */
#define HSC_CODE_JUMPS_MAX 4
size_t hsc_code_find_release(const hsc_code *c, uint64_t address, uint64_t jumps[HSC_CODE_JUMPS_MAX]);

/* The same of calls of MPI, of each that the function may end in: jumps, the last one into that call. Where there are several ways to one, as far as
 * they have it in common, then where the next function begins. */
typedef struct hsc_code_tail {
    uint64_t operation; /* hsc_code_operation_key of its name; 0: for all together */
    uint64_t jumps[HSC_CODE_JUMPS_MAX];
    size_t n;
} hsc_code_tail;
#define HSC_CODE_TAILS_MAX 16
bool hsc_code_has_mpi(const hsc_code *c); /* does it call MPI by stubs? */
size_t hsc_code_find_mpi(const hsc_code *c, uint64_t address, hsc_code_tail tails[HSC_CODE_TAILS_MAX]); /* how many; 0: none, or not known */
uint64_t hsc_code_operation_key(const char *name, size_t length); /* of MPI_Send, mpi_send_ and mpi_send_f08_; 0: of no call of MPI */
enum { HSC_CODE_FORK = 1, HSC_CODE_WANTED, HSC_CODE_OTHERS }; /* operations that are no calls of MPI: smaller than the keys of these */

/* The same of calls that fork a region of OpenMP. */
bool hsc_code_forks(const hsc_code *c, uint64_t address); /* is the direct call before the return address one itself? */
bool hsc_code_has_forks(const hsc_code *c); /* are there calls of such? */
bool hsc_code_find_fork(const hsc_code *c, uint64_t address, hsc_code_tail *out); /* false: none, or not known */
/* Of the function whose region the code at the address is the body of, as its name tells: jumps that fork one; how many. 0: none, or more than that.
 * Behind them stands where the function begins. *forked: row of the one that forked the body, as far as the code tells: the only one, or the only one
 * before which the body's address is taken; else the row of the function's begin. */
#define HSC_CODE_FORKS_MAX 16
size_t hsc_code_find_forks_of(const hsc_code *c, uint64_t address, uint64_t jumps[HSC_CODE_FORKS_MAX + 1], size_t *forked);

/* The same of any function: on a call path the code behind the return address called another function than the one that stands there.
 * Where a direct call before the return address leads to: where that function of the module begins; 0: elsewhere, or not known. */
uint64_t hsc_code_called_function(const hsc_code *c, uint64_t address);
/* Name of the function at the address, NULL: none, and where it begins (0: not known). */
const char *hsc_code_function_at(const hsc_code *c, uint64_t address, bool exact, uint64_t *begin);
/* Row of the procedure of this name: known by the symbol alone where there is none. Tables must be asked for again. */
bool hsc_code_add_symbol(hsc_code *c, const char *name, uint32_t *row);
/* The way from that call to the function that stands there: by its begin where it is in this module, else (0) by its name, and where no
 * stub has that, what all ways out of the module have in common. False: none is known. */
bool hsc_code_find_way(const hsc_code *c, uint64_t address, const char *name, uint64_t begin, hsc_code_tail *out);

/* Calls `visit` for each piece of code with a line, in address order: file, line and the innermost procedure and loop
 * (HSC_NO_INDEX) around it; and for each inlined call that it stands in: where that is called. */
hsc_status hsc_code_each_line(hsc_code *c,
                              hsc_status (*visit)(void *ctx, uint32_t file, uint32_t line, uint32_t procedure,
                                                  uint32_t loop, hsc_err *err),
                              void *ctx, hsc_err *err);

/* ---- names ---- */

/* Name for people of a linker symbol: C++ (Itanium) and Fortran (flang, gfortran) schemes; NULL when it is in neither.
 * The result is malloc'ed. */
char *hsc_demangle(const char *symbol);
/* A text with each word in it that is such a symbol as people write it, cut at `longest` bytes (at least 3) with "..." at its end; malloc'ed. NULL: out of memory. */
char *hsc_demangle_words(const char *text, size_t longest);

#endif
