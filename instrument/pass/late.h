/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of the late look share: late.c (one function, and what all ask for), late_code.c (which loops of the source the code of a late loop is of), late_loops.c (which one it
 * is), late_instances.c (its record), late_places.c (places of blocks). */
#ifndef HEATSCOPE_PASS_LATE_H
#define HEATSCOPE_PASS_LATE_H

#include "pass.h"

#define NONE HSC_CFG_NONE

/* How often an early loop shows up in the code of a late one. */
typedef struct vote {
    uint32_t loop_id;
    uint32_t inline_id;
    uint32_t weight;
    uint32_t next; /* index + 1 of the late loop's next vote */
} vote;

typedef struct late_loop {
    hsc_ir_loop node; /* of a latch; with our key if any latch has it */
    hsc_ir_loop of_exit; /* of a branch that leaves the loop, of code of the early loop exit_loop_id */
    uint32_t exit_loop_id, exit_inline_id;
    uint32_t votes;   /* index + 1 */
    uint32_t latch_loop_id, latch_inline_id; /* of the branch that closes it; 0: none */
    uint32_t loop_id, inline_id, instance_id;
    unsigned lanes, copies; /* elements of a vector; times that one source access appears */
    unsigned made;          /* what the vectoriser says that it made of it, see hsc_why_lanes */
    bool is_vector;         /* its vectors are the loop vectoriser's */
    bool scalable, checked; /* elements: for each unit of the vector length; accesses rest on a run-time check */
    bool has_own;           /* code outside of the loops of its procedure, of which the first is of copy own_inline_id */
    uint32_t own_inline_id;
    uint32_t call_id, call_inline_id; /* of the call that all of its code without a loop is of; NONE: of several */
} late_loop;

/* Copies of one access of the source in one late loop. */
typedef struct access_count {
    unsigned loop, kind; /* of hsc_pass_access_key */
    bool is_vector;
    uint32_t loop_id, inline_id, early, count;
    uint64_t key; /* of the access in the source */
} access_count;

typedef struct late {
    hsc_pass *p;
    LLVMValueRef function;
    LLVMMetadataRef subprogram;
    uint32_t procedure_id;
    hsc_graph g;
    unsigned *idom;
    bool *is_latch;
    late_loop *loops;
    HSC_VECTOR(vote) votes;
    HSC_VECTOR(access_count) accesses;
    HSC_VECTOR(LLVMMetadataRef) inlined_at; /* of each inlined copy of the function, the first has the id first_inline + 1 */
    size_t first_inline;
    hsc_map vote_of, access_of, inline_of, place_of, home_of, unrolled_of, copied_of, touched_of, peeled_of, packed_of, closed_of;
} late;

/* home_of: a loop that the vectoriser left as its scalar rest is no home of vectors. */
enum { HOME_OF_REST = 1, HOME = 2 };

/* ---- late.c ---- */

bool hsc_late_is_debug_or_phi(LLVMValueRef i);
/* The innermost source loop of an early id. */
uint32_t hsc_late_loop_of_site(const hsc_pass *p, uint32_t site);
const hsc_rec_loop *hsc_late_loop_record(const hsc_pass *p, uint32_t loop_id);
/* The inlined copy that a location belongs to; 0: the function's own code. */
uint32_t hsc_late_inline_of(late *w, const hsc_ir_loc *loc);
/* Elements of the widest vector in code of an early loop that is in late loop `l`; 0: none. */
unsigned hsc_late_packed_of(const late *w, unsigned l, uint32_t loop_id, uint32_t inline_id);
/* The same with code of loops inside. */
unsigned hsc_late_packed_within(const late *w, unsigned l, uint32_t loop_id, uint32_t inline_id);
void hsc_late_note_packed(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id, unsigned lanes);
/* What the vectoriser says of an inlined copy of an early loop, see hsc_why_lanes. */
unsigned hsc_late_made_of(const late *w, uint32_t loop_id, uint32_t inline_id);
/* Copies that an inlined copy of an early loop was unrolled by, as the compiler says; 0: it does not. */
unsigned hsc_late_unrolled_of(const late *w, uint32_t loop_id, uint32_t inline_id);

/* ---- late_code.c ---- */

/* Counts the tests of each loop of the source that lead back to the head of a late loop. */
void hsc_late_look_at_ways_back(late *w);
/* Is the note at such a test of this loop, and not of one inside that is gone? Tests without a place are where no other loop's code is. */
bool hsc_late_is_note_of_exit(const late *w, unsigned l);
void hsc_late_look_at_code(late *w);
/* How many copies of its body a late loop holds: the greatest common divisor, over the stores of the source, of how
 * many there are now for each one that there was; where nothing is stored, over loads or arithmetic, whichever has more, else over
 * loads of addresses. 0: cannot be told. */
void hsc_late_count_copies(late *w);

/* ---- late_loops.c ---- */

/* What the compiler says of loops whose copies can't be told by their code, or look like one: it may have merged what they read, and
 * outer loops may have nothing of their own. Code that is there twice for another reason, on both sides of a test, is no unrolling: of
 * that it would have said something. */
void hsc_late_ask_remarks(late *w);
bool hsc_late_is_round(const late *w, unsigned l, uint32_t loop_id, uint32_t inline_id);
void hsc_late_identify(late *w);

/* ---- late_instances.c ---- */

/* An instance for code of a loop that is no loop of the generated code; `around` is that of the loop which the code is in. */
uint32_t hsc_late_stand_in(late *w, uint64_t version, uint32_t around, uint32_t parent, uint32_t loop_id, uint32_t inline_id);
/* Code of a copy that is in no loop of its procedure: the loop that the copy's call stands in, and the copy that this one is written in. */
void hsc_late_find_loop_round(const hsc_pass *p, uint32_t *loop_id, uint32_t *inline_id);
/* The instance to name for code of an early loop in a late loop `l`: l's own, or, where nothing is left of the early
 * loop, one that stands for the loop that was unrolled fully. */
uint32_t hsc_late_instance_for(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id);
void hsc_late_make_instances(late *w);

/* ---- late_places.c ---- */

void hsc_late_put_places(late *w);

#endif
