/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The maps of one or more programs, objects, archives or folders as one book: what several modules hold of a procedure
 * is put together, loops and calls hang on their procedures, and what became of them hangs on the loops. */
#ifndef HEATSCOPE_CLI_MAP_BOOK_H
#define HEATSCOPE_CLI_MAP_BOOK_H

#include <stdbool.h>

#include <pool.h>

#include "map_check.h"

/* One kind of code that a loop became in one machine function. */
typedef struct hsc_book_version {
    uint32_t loop;        /* of the book */
    const char *function; /* machine function it is in */
    bool is_own;          /* that is the loop's own procedure, not one that it was inlined into */
    uint32_t call;        /* that was replaced by the copy of the loop's procedure; HSC_NO_INDEX: not known, or own */
    uint32_t version, width, interleave, unroll, copies;
} hsc_book_version;

typedef struct hsc_book_remark {
    uint32_t procedure;  /* that it was said of, HSC_NO_INDEX */
    uint32_t loop, call; /* that it is attached to; HSC_NO_INDEX */
    const hsc_rec_remark *record;
    const char *file;     /* "" unknown */
    const char *function; /* machine function */
} hsc_book_remark;

typedef struct hsc_book_dependence {
    uint32_t loop;
    const hsc_rec_dependence *record; /* of those that hinder vector code */
} hsc_book_dependence;

typedef struct hsc_book_loop {
    const hsc_rec_loop *record;
    uint32_t procedure, parent; /* HSC_NO_INDEX */
    uint32_t order;             /* among the loops of the procedure, as in the source */
    const char *file;
    uint32_t first_version, versions, first_remark, remarks, first_dependence, dependences;
} hsc_book_loop;

typedef struct hsc_book_call {
    const hsc_rec_callsite *record;
    uint32_t procedure, loop; /* HSC_NO_INDEX */
    const char *file;
    uint32_t inlined; /* copies of the callee that were made of it and have code, in whatever function */
    uint32_t called;  /* pieces of code that call */
    uint32_t callee;  /* procedure that was inlined; HSC_NO_INDEX */
    uint32_t first_remark, remarks;
    uint32_t first_version, versions; /* of call_versions: what the callee's loops became here */
} hsc_book_call;

typedef struct hsc_book_procedure {
    const hsc_rec_procedure *record;
    const hsc_map_module *module;                  /* the first that has it */
    const char *file;                              /* "" unknown */
    uint32_t first_loop, loops, first_call, calls; /* rows of the book side by side, in the order of the source */
    uint32_t order;
} hsc_book_procedure;

typedef struct hsc_book_file {
    const char *path;  /* absolute where the compiler told the folder */
    char checksum[33]; /* MD5 as compiled, hexadecimal; "" unknown, or not the same in all modules */
} hsc_book_file;

typedef struct hsc_map_book {
    hsc_pool pool;
    HSC_VEC(hsc_book_file) files;
    HSC_VEC(hsc_book_procedure) procedures; /* by file, then line */
    HSC_VEC(hsc_book_loop) loops;
    HSC_VEC(hsc_book_call) calls;
    HSC_VEC(hsc_book_version) versions;       /* by loop, own ones first, vector code before scalar */
    HSC_VEC(uint32_t) call_versions;          /* rows of versions by call, then loop */
    HSC_VEC(hsc_book_remark) remarks;         /* by loop, by call, then those attached to neither by procedure */
    HSC_VEC(hsc_book_dependence) dependences; /* by loop */
    HSC_VEC(uint32_t) loose_remarks;          /* those attached to neither */
} hsc_map_book;

/* The book borrows the records of the model, which must outlive it. HSC_E_MEMORY. */
hsc_status hsc_map_book_make(const hsc_map_model *model, hsc_map_book *out, hsc_err *err);
void hsc_map_book_fini(hsc_map_book *b);

/* NULL: no such file. */
const hsc_book_file *hsc_map_book_file(const hsc_map_book *b, const char *path);

/* "vector 2 lanes x2, remainder" of the versions [first, first + n). own: of the loop's own procedure only; all of them
 * otherwise, copies added up. "no code left" when there is none. Returns out. */
char *hsc_map_versions_text(const hsc_map_book *b, const hsc_book_loop *l, bool own, char *out, size_t size);

/* A name without what stands in angle brackets and without parameters: std::vector::operator[]. Returns out. */
char *hsc_map_short_name(const char *name, char *out, size_t size);

/* What matters most of a loop's code. */
typedef struct hsc_book_outcome {
    bool vector, unrolled, fully, library, gone, any_scalar;
    uint32_t width, interleave, unroll, functions;
} hsc_book_outcome;
hsc_book_outcome hsc_map_outcome(const hsc_map_book *b, const hsc_book_loop *l);

/* "V2", "u8", "F", "M", "x", "s": one letter and a factor. */
char *hsc_map_outcome_code(const hsc_book_outcome *o, char *out, size_t size);

/* A remark as one line without what tools need only; returns out. */
char *hsc_map_remark_text(const hsc_rec_remark *r, char *out, size_t size);
/* Does it say that or why something was not done? */
bool hsc_map_remark_is_missed(const hsc_rec_remark *r);
/* Does it matter to who tunes the loop? What the loop passes could not do, and what the SLP vectoriser did; not what
 * the versions of the loop say already, nor the small steps of other passes. */
bool hsc_map_remark_matters(const hsc_rec_remark *r);
/* "flow dependence: written in 17:14, read in 17:16, 1 iteration later; prevents vector code". Returns out. */
char *hsc_map_dependence_text(const hsc_rec_dependence *d, char *out, size_t size);

#endif
