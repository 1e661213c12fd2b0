/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The late look: loops of the code as it will be generated; early ids are read back, and every piece of a block becomes
 * a place whose number goes into the line table as discriminator. Changes debug locations only, never an instruction. */
#include "at_link.h"
#include "pass.h"
#include "probe.h"
#include "why.h"

#include <heatscope/formats/linkage.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_debug_or_phi(LLVMValueRef i) {
    LLVMOpcode o = LLVMGetInstructionOpcode(i);
    if (o == LLVMPHI)
        return true;
    if (o != LLVMCall)
        return false;
    LLVMValueRef callee = LLVMGetCalledValue(i);
    hsc_ir_text name = LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
    return name.n > 9 && !memcmp(name.p, "llvm.dbg.", 9);
}

/* The innermost source loop of an early id. */
static uint32_t loop_of_site(const hsc_pass *p, uint32_t site) {
    if (!site)
        return 0;
    const hsc_site *s = &p->sites.p[site - 1];
    return s->is_loop ? site : (uint32_t)p->callsites.p[s->index].loop_id;
}

static const hsc_rec_loop *loop_record(const hsc_pass *p, uint32_t loop_id) {
    return &p->loops.p[p->sites.p[loop_id - 1].index];
}

/* The inlined copy that a location belongs to; 0: the function's own code. */
static uint32_t inline_of(late *w, const hsc_ir_loc *loc) {
    hsc_pass *p = w->p;
    hsc_ir_loc call;
    if (!hsc_ir_get_loc_of_node(loc->inlined_at, &call))
        return 0;
    uint64_t key = hsc_pass_key("inline", (uint64_t)(uintptr_t)loc->inlined_at, (uint64_t)(uintptr_t)loc->subprogram, 0);
    uint32_t id = hsc_map_get(&w->inline_of, key);
    if (id)
        return id;
    uint32_t parent = inline_of(w, &call);
    uint32_t callee = hsc_pass_procedure_of_subprogram(p, loc->subprogram);
    uint32_t site = hsc_pass_early_id(p, &call);
    if (site && p->sites.p[site - 1].is_loop)
        site = 0;
    uint32_t file = hsc_pass_file(p, call.file);
    hsc_rec_inline *r = HSC_VECTOR_ADD(p->inlines);
    id = (uint32_t)p->inlines.n;
    *r = (hsc_rec_inline){.inline_id = id, .function_id = w->procedure_id, .parent_id = parent, .callee_id = callee,
                          .site_id = site, .file_id = file, .line = call.line, .column = call.column};
    hsc_map_set(&w->inline_of, key, id);
    *HSC_VECTOR_ADD(w->inlined_at) = loc->inlined_at;
    return id;
}

/* The inlined copy of a location, or the nearest round it of which some code is left; 0: the function's own code. */
static uint32_t find_inline(void *late_look, const hsc_ir_loc *loc) {
    late *w = late_look;
    hsc_ir_loc at = *loc, call;
    while (hsc_ir_get_loc_of_node(at.inlined_at, &call)) {
        uint32_t id = hsc_map_get(&w->inline_of, hsc_pass_key("inline", (uint64_t)(uintptr_t)at.inlined_at,
                                                        (uint64_t)(uintptr_t)at.subprogram, 0));
        if (id)
            return id;
        at = call;
    }
    return 0;
}

/* Elements of the widest vector in code of an early loop that is in late loop `l`; 0: none. */
static unsigned packed_of(const late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    return hsc_map_get(&w->packed_of, hsc_pass_key("packed", (uint64_t)l, loop_id, inline_id));
}

/* The same with code of loops inside. */
static unsigned packed_within(const late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    return hsc_map_get(&w->packed_of, hsc_pass_key("packed within", (uint64_t)l, loop_id, inline_id));
}

static void note_packed(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id, unsigned lanes) {
    if (lanes > packed_of(w, l, loop_id, inline_id))
        hsc_map_set(&w->packed_of, hsc_pass_key("packed", (uint64_t)l, loop_id, inline_id), lanes);
    for (; loop_id && lanes > packed_within(w, l, loop_id, inline_id); loop_id = (uint32_t)loop_record(w->p, loop_id)->parent_id)
        hsc_map_set(&w->packed_of, hsc_pass_key("packed within", (uint64_t)l, loop_id, inline_id), lanes);
}

/* What the vectoriser says of an inlined copy of an early loop, see hsc_why_lanes. */
static unsigned made_of(const late *w, uint32_t loop_id, uint32_t inline_id) {
    if (inline_id > w->first_inline)
        return hsc_why_lanes(w->p, loop_id, w->inlined_at.p[inline_id - w->first_inline - 1]);
    return hsc_why_lanes(w->p, loop_id, NULL);
}

/* Copies that an inlined copy of an early loop was unrolled by, as the compiler says; 0: it does not. */
static unsigned unrolled_of(const late *w, uint32_t loop_id, uint32_t inline_id) {
    return hsc_why_unrolled(w->p, loop_id, inline_id > w->first_inline ? w->inlined_at.p[inline_id - w->first_inline - 1] : NULL);
}

/* ---- what late loops are ------------------------------------------------------------------------------------------- */

static void count_vote(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id, uint32_t weight) {
    uint64_t key = hsc_pass_key("vote", l, loop_id, inline_id);
    uint32_t at = hsc_map_get(&w->vote_of, key);
    if (!at) {
        vote *v = HSC_VECTOR_ADD(w->votes);
        at = (uint32_t)w->votes.n;
        *v = (vote){loop_id, inline_id, 0, w->loops[l].votes};
        w->loops[l].votes = at;
        hsc_map_set(&w->vote_of, key, at);
    }
    w->votes.p[at - 1].weight += weight;
}

static void count_access(late *w, unsigned l, LLVMValueRef i, const hsc_ir_loc *loc, uint32_t loop_id,
                         uint32_t inline_id, bool is_vector) {
    unsigned kind;
    uint32_t early = 0;
    uint64_t early_key = w->p->link ? hsc_link_access(w->p, i, loc, loop_id, &kind, &early)
                                    : hsc_pass_access_key(i, loc, loop_id, &kind);
    if (early_key && !w->p->link)
        early = hsc_map_get(&w->p->accesses, early_key);
    if (!early)
        return;
    uint64_t key = hsc_pass_key("access", early_key, (uint64_t)l << 1 | is_vector, inline_id);
    uint32_t at = hsc_map_get(&w->access_of, key);
    if (!at) {
        *HSC_VECTOR_ADD(w->accesses) = (access_count){l, kind, is_vector, loop_id, inline_id, early, 0, early_key};
        at = (uint32_t)w->accesses.n;
        hsc_map_set(&w->access_of, key, at);
    }
    w->accesses.p[at - 1].count++;
}

/* Code that the compiler made for a call (an intrinsic, put in line) has the call's id. */
static void note_call(late_loop *s, uint32_t site, uint32_t inline_id, const hsc_pass *p) {
    if (!site || p->sites.p[site - 1].is_loop)
        return;
    if (s->call_id && (s->call_id != site || s->call_inline_id != inline_id))
        site = NONE;
    s->call_id = site;
    s->call_inline_id = inline_id;
}

/* Where a block leads that only goes on; others lead to themselves. */
static unsigned goes_on_to(const hsc_graph *g, unsigned b) {
    if (g->first[b + 1] - g->first[b] != 1)
        return b;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i && i != end; i = LLVMGetNextInstruction(i))
        if (!is_debug_or_phi(i))
            return b;
    return g->successor[g->first[b]];
}

/* Counts the tests of each loop of the source that lead back to the head of a late loop. */
static void look_at_ways_back(late *w) {
    const hsc_graph *g = &w->g;
    for (unsigned b = 0; b < g->blocks; b++)
        for (unsigned k = g->first[b]; k < g->first[b + 1] && g->first[b + 1] - g->first[b] > 1; k++) {
            unsigned target = goes_on_to(g, g->successor[k]), t = g->loop_of[target];
            hsc_ir_loc loc;
            if (t == NONE || g->loops[t].header != target || !hsc_graph_is_in(g, b, t) ||
                !hsc_ir_get_loc(LLVMGetBasicBlockTerminator(g->block[b]), &loc))
                continue;
            uint32_t loop_id = loop_of_site(w->p, hsc_pass_early_id(w->p, &loc));
            uint64_t key = hsc_pass_key("closed", t, loop_id, inline_of(w, &loc));
            if (loop_id)
                hsc_map_set(&w->closed_of, key, hsc_map_get(&w->closed_of, key) + 1);
        }
}

/* What the compiler notes of a loop stands at its way back. Unrolled so that only another copy's test can end it, the way back is no
 * branch any more (or has a note of its own that says nothing but that it was unrolled), and the note is left at that test. */
static void look_at_note_of_exit(late *w, unsigned b) {
    const hsc_graph *g = &w->g;
    unsigned l = g->loop_of[b];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
    hsc_ir_loop node;
    hsc_ir_loc loc;
    bool leaves = false;
    for (unsigned k = g->first[b]; k < g->first[b + 1] && l != NONE; k++)
        leaves = leaves || !hsc_graph_is_in(g, g->successor[k], l);
    if (!leaves || w->loops[l].of_exit.node || !hsc_ir_get_loop(end, &node) || !(node.has_key || node.is_vectorized))
        return;
    w->loops[l].of_exit = node;
    w->loops[l].exit_loop_id = hsc_ir_get_loc(end, &loc) ? loop_of_site(w->p, hsc_pass_early_id(w->p, &loc)) : 0;
    w->loops[l].exit_inline_id = w->loops[l].exit_loop_id ? inline_of(w, &loc) : 0;
}

/* Is the note at such a test of this loop, and not of one inside that is gone? Tests without a place are where no other loop's code is. */
static bool is_note_of_exit(const late *w, unsigned l) {
    const late_loop *s = &w->loops[l];
    if (!s->of_exit.node || s->node.has_key || s->node.is_vectorized)
        return false;
    if (s->exit_loop_id)
        return s->exit_loop_id == s->loop_id && s->exit_inline_id == s->inline_id;
    bool alone = s->loop_id != 0;
    for (uint32_t v = s->votes; v && alone; v = w->votes.p[v - 1].next)
        alone = w->votes.p[v - 1].loop_id == s->loop_id && w->votes.p[v - 1].inline_id == s->inline_id;
    return alone;
}

static void look_at_code(late *w) {
    const hsc_graph *g = &w->g;
    for (unsigned b = 0; b < g->blocks; b++) {
        unsigned l = g->loop_of[b];
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++) {
            unsigned target = g->successor[k], t = g->loop_of[target];
            hsc_ir_loop node;
            if (t == NONE || g->loops[t].header != target || !hsc_graph_is_in(g, b, t))
                continue;
            w->is_latch[b] = true;
            LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
            hsc_ir_loc loc;
            if (hsc_ir_get_loop(end, &node) &&
                (!w->loops[t].node.node || (node.has_key && !w->loops[t].node.has_key)))
                w->loops[t].node = node;
            uint32_t loop_id = hsc_ir_get_loc(end, &loc) ? loop_of_site(w->p, hsc_pass_early_id(w->p, &loc)) : 0;
            if (loop_id && !w->loops[t].latch_loop_id) {
                w->loops[t].latch_loop_id = loop_id;
                w->loops[t].latch_inline_id = inline_of(w, &loc);
            }
        }
        if (!w->is_latch[b])
            look_at_note_of_exit(w, b);
        bool ends = l != NONE && (w->is_latch[b] || g->loops[l].header == b);
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            hsc_ir_loc loc;
            unsigned kind;
            bool scalable = false;
            unsigned lanes = hsc_ir_vector_lanes(i, &scalable);
            if (l != NONE && lanes > w->loops[l].lanes) {
                w->loops[l].lanes = lanes;
                w->loops[l].scalable = scalable;
            }
            if (l != NONE && !w->loops[l].checked && hsc_ir_is_checked_access(i))
                w->loops[l].checked = true;
            if (!hsc_ir_get_loc(i, &loc) || is_debug_or_phi(i))
                continue;
            uint32_t loop_id = loop_of_site(w->p, hsc_pass_early_id(w->p, &loc)), inline_id = inline_of(w, &loc);
            if (loop_id && lanes > 1)
                note_packed(w, l, loop_id, inline_id, lanes);
            if (loop_id && hsc_ir_copies_memory(i) && !w->p->sites.p[loop_id - 1].copies_memory)
                hsc_map_set(&w->copied_of, hsc_pass_key("copied", loop_id, inline_id, 0), 1);
            if (loop_id && hsc_pass_access_key(i, &loc, loop_id, &kind))
                hsc_map_set(&w->touched_of, hsc_pass_key("touched", b, loop_id, inline_id), 1);
            if (l == NONE)
                continue;
            if (loop_id)
                count_vote(w, l, loop_id, inline_id, ends ? 4 : 1);
            if (!loop_id && !w->loops[l].has_own) {
                w->loops[l].has_own = true;
                w->loops[l].own_inline_id = inline_id;
            }
            if (LLVMGetInstructionOpcode(i) != LLVMCall && LLVMGetInstructionOpcode(i) != LLVMInvoke)
                note_call(&w->loops[l], hsc_pass_early_id(w->p, &loc), inline_id, w->p);
            count_access(w, l, i, &loc, loop_id, inline_id, lanes > 0);
        }
    }
}

/* How many copies of its body a late loop holds: the greatest common divisor, over the stores of the source, of how
 * many there are now for each one that there was; where nothing is stored, over loads or arithmetic, whichever has more, else over
 * loads of addresses. 0: cannot be told. */
static void count_copies(late *w) {
    uint32_t *divisor = hsc_pass_alloc((4 * (size_t)w->g.n_loops + 1) * sizeof *divisor);
    for (size_t i = 0; i < w->accesses.n; i++) {
        const access_count *a = &w->accesses.p[i];
        const late_loop *s = &w->loops[a->loop];
        if (a->loop_id != s->loop_id || a->inline_id != s->inline_id || a->count % a->early)
            continue;
        if (s->is_vector && !a->is_vector)
            continue; /* done lane by lane in the vector body */
        uint32_t *d = &divisor[4 * a->loop + a->kind], x = *d, y = a->count / a->early;
        while (y) {
            uint32_t t = x % y;
            x = y;
            y = t;
        }
        *d = x;
    }
    for (unsigned l = 0; l < w->g.n_loops; l++) {
        const uint32_t *of = &divisor[4 * l];
        uint32_t merged = of[1] > of[2] ? of[1] : of[2]; /* what neighbouring iterations both read may be read once */
        w->loops[l].copies = of[0] ? of[0] : merged ? merged : of[3];
    }
    free(divisor);
}

/* Of the same loop of the source, in the same inlined copy. */
static bool is_of_same(const late *w, unsigned k, unsigned l) {
    return k != l && w->loops[k].loop_id == w->loops[l].loop_id && w->loops[k].inline_id == w->loops[l].inline_id;
}

/* Vector bodies and their scalar rests whose copies can't be told, as all of their accesses are of procedures inlined into them: the
 * vectoriser says how many vectors its body takes, loop unrolling how often the rest was copied, which shows by a loop without a note,
 * that does what the copies leave over. */
static void ask_of_vectors(late *w, unsigned l) {
    late_loop *s = &w->loops[l];
    bool is_rest = s->node.is_vectorized && !s->is_vector && s->made > 1, alone = true, left_over = false;
    if (!s->loop_id || s->copies || !(s->is_vector || is_rest))
        return;
    for (unsigned k = 0; k < w->g.n_loops; k++) {
        const late_loop *o = &w->loops[k];
        if (!is_of_same(w, k, l))
            continue;
        alone = alone && !o->is_vector;
        left_over = left_over || !(o->is_vector || o->node.is_vectorized || o->node.has_key);
    }
    LLVMMetadataRef copy = s->inline_id > w->first_inline ? w->inlined_at.p[s->inline_id - w->first_inline - 1] : NULL;
    uint32_t unrolled = hsc_why_unrolled(w->p, s->loop_id, copy);
    if (is_rest && left_over)
        s->copies = unrolled;
    else if (s->is_vector && alone && (left_over || unrolled < 2))
        s->copies = hsc_why_interleaved(w->p, s->loop_id, copy);
}

/* What the compiler says of loops whose copies can't be told by their code, or look like one: it may have merged what they read, and
 * outer loops may have nothing of their own. Code that is there twice for another reason, on both sides of a test, is no unrolling: of
 * that it would have said something. */
static void ask_remarks(late *w) {
    for (unsigned l = 0; l < w->g.n_loops; l++) {
        late_loop *s = &w->loops[l];
        ask_of_vectors(w, l);
        if (s->loop_id && s->copies > 1 && !s->node.is_vectorized && !hsc_why_may_be_unrolled(w->p, s->loop_id))
            s->copies = 1;
        bool may = s->loop_id && s->copies < 2 && !s->node.is_vectorized && (s->node.has_key || !s->node.node); /* remainders have a node without key */
        unsigned said = may ? unrolled_of(w, s->loop_id, s->inline_id) : 0;
        for (unsigned k = 0; k < w->g.n_loops && said > 1; k++) /* it was said of another version */
            if (is_of_same(w, k, l) && w->loops[k].copies > 1)
                said = 0;
        if (said > 1)
            s->copies = said;
    }
}

static bool is_round(const late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    for (; l != NONE; l = w->g.loops[l].parent)
        if (w->loops[l].loop_id == loop_id && w->loops[l].inline_id == inline_id)
            return true;
    return false;
}

/* True when early loop a (in copy a_inline) contains early loop b (in copy b_inline). */
static bool contains(const hsc_pass *p, uint32_t a, uint32_t a_inline, uint32_t b, uint32_t b_inline) {
    while (b_inline != a_inline && b_inline) {
        const hsc_rec_inline *copy = &p->inlines.p[b_inline - 1];
        b = loop_of_site(p, (uint32_t)copy->site_id);
        b_inline = (uint32_t)copy->parent_id;
        if (b == a && b_inline == a_inline)
            return true;
    }
    if (b_inline != a_inline)
        return false;
    while (b) {
        b = (uint32_t)loop_record(p, b)->parent_id;
        if (b == a)
            return true;
    }
    return false;
}

/* The loop that the compiler made for a call, made up when first met: for SUM and the like flang makes one for each dimension
 * and puts it in line. */
static uint32_t loop_of_call(late *w, unsigned l) {
    hsc_pass *p = w->p;
    const late_loop *s = &w->loops[l];
    uint32_t level = 1;
    for (unsigned k = w->g.loops[l].parent; k != NONE; k = w->g.loops[k].parent)
        level += w->loops[k].call_id == s->call_id && w->loops[k].call_inline_id == s->call_inline_id && w->loops[k].loop_id;
    uint64_t key = hsc_pass_key("made", s->call_id, level, 0);
    uint32_t id = hsc_map_get(&p->loop_of_call, key);
    if (id || p->sites.n >= HSC_PASS_ID_MAX)
        return id;
    const hsc_rec_callsite *c = &p->callsites.p[p->sites.p[s->call_id - 1].index];
    uint32_t outer = level > 1 ? hsc_map_get(&p->loop_of_call, hsc_pass_key("made", s->call_id, level - 1, 0)) : (uint32_t)c->loop_id;
    hsc_rec_loop r = {.procedure_id = c->procedure_id,
                      .parent_id = outer,
                      .depth = outer ? loop_record(p, outer)->depth + 1 : 1,
                      .file_id = c->file_id,
                      .line_begin = c->line,
                      .column_begin = c->column,
                      .line_end = c->line,
                      .kind = HSC_loop_kind_ARRAY,
                      .flags = HSC_loop_flag_COMPILER};
    r.tag = hsc_pass_tag(c->tag, "made", &level, sizeof level);
    *HSC_VECTOR_ADD(p->sites) = (hsc_site){.is_loop = true, .index = (uint32_t)p->loops.n};
    r.loop_id = id = (uint32_t)p->sites.n;
    *HSC_VECTOR_ADD(p->loops) = r;
    hsc_map_set(&p->loop_of_call, key, id);
    return id;
}

/* The call by which a procedure ran itself again at its end, which is a jump to its begin now, if this loop is of its code (*inline_id: of
 * this copy of it); 0: it is not. */
static uint32_t tail_call_of(const late *w, unsigned l, uint32_t *inline_id) {
    const hsc_pass *p = w->p;
    const late_loop *s = &w->loops[l];
    for (uint32_t copy = s->own_inline_id; s->has_own; copy = (uint32_t)p->inlines.p[copy - 1].parent_id) {
        uint32_t procedure = copy ? (uint32_t)p->inlines.p[copy - 1].callee_id : w->procedure_id;
        uint32_t origin = procedure ? (uint32_t)p->procedures.p[procedure - 1].origin_id : 0;
        uint32_t site = hsc_map_get(&p->tail_call_of, origin ? origin : procedure);
        *inline_id = copy;
        if (site || !copy)
            return site;
    }
    return 0;
}

/* The loop that such a call became, made up when first met: it goes round the whole procedure. */
static uint32_t loop_of_recursion(hsc_pass *p, uint32_t site) {
    uint64_t key = hsc_pass_key("recursion", site, 0, 0);
    uint32_t id = hsc_map_get(&p->loop_of_call, key);
    if (id || p->sites.n >= HSC_PASS_ID_MAX)
        return id;
    const hsc_rec_callsite *c = &p->callsites.p[p->sites.p[site - 1].index];
    const hsc_rec_procedure *of = &p->procedures.p[c->procedure_id - 1];
    bool one_file = of->file_id == c->file_id && of->line_begin <= c->line && c->line <= of->line_end;
    hsc_rec_loop r = {.procedure_id = c->procedure_id,
                      .depth = 1,
                      .file_id = c->file_id,
                      .line_begin = one_file ? of->line_begin : c->line,
                      .line_end = one_file ? of->line_end : c->line,
                      .kind = HSC_loop_kind_RECURSION,
                      .flags = HSC_loop_flag_COMPILER};
    r.tag = hsc_pass_tag(c->tag, "recursion", "", 0);
    *HSC_VECTOR_ADD(p->sites) = (hsc_site){.is_loop = true, .index = (uint32_t)p->loops.n};
    r.loop_id = id = (uint32_t)p->sites.n;
    *HSC_VECTOR_ADD(p->loops) = r;
    hsc_map_set(&p->loop_of_call, key, id);
    return id;
}

/* Which early loop a late one without key is: the one whose branch closes it, else, of those whose code it holds, the one with
 * the most; or one that contains that (an inner loop that was unrolled fully, or whose code was moved out, may have more code
 * than the loop itself, and its test may close it once it was rotated). None that is round it already. */
static void identify_by_code(late *w, unsigned l) {
    late_loop *s = &w->loops[l];
    unsigned parent = w->g.loops[l].parent;
    const vote *best = NULL;
    vote latch = {.loop_id = s->latch_loop_id, .inline_id = s->latch_inline_id};
    if (latch.loop_id && !is_round(w, parent, latch.loop_id, latch.inline_id))
        best = &latch;
    for (uint32_t v = best ? 0 : s->votes; v; v = w->votes.p[v - 1].next) {
        const vote *c = &w->votes.p[v - 1];
        if ((!best || c->weight > best->weight) && !is_round(w, parent, c->loop_id, c->inline_id))
            best = c;
    }
    for (const vote *inner = NULL; best != inner;) {
        inner = best;
        for (uint32_t v = s->votes; v; v = w->votes.p[v - 1].next) {
            const vote *c = &w->votes.p[v - 1];
            if (contains(w->p, c->loop_id, c->inline_id, best->loop_id, best->inline_id) &&
                !is_round(w, parent, c->loop_id, c->inline_id))
                best = c;
        }
    }
    if (best) {
        s->loop_id = best->loop_id;
        s->inline_id = best->inline_id;
        return;
    }
    uint32_t inline_id, tail = tail_call_of(w, l, &inline_id), recursion = tail ? loop_of_recursion(w->p, tail) : 0;
    if (recursion && !is_round(w, parent, recursion, inline_id)) {
        s->loop_id = recursion;
        s->inline_id = inline_id;
    } else if (s->call_id && s->call_id != NONE) {
        s->loop_id = loop_of_call(w, l);
        s->inline_id = s->call_inline_id;
    }
}

/* A loop that the vectoriser left as its scalar rest is no home of vectors. */
enum { HOME_OF_REST = 1, HOME = 2 };

static void note_home(late *w, const late_loop *s) {
    uint64_t key = hsc_pass_key("home", s->loop_id, s->inline_id, 0);
    if (hsc_map_get(&w->home_of, key) != HOME)
        hsc_map_set(&w->home_of, key, !s->is_vector && s->made > 1 ? HOME_OF_REST : HOME);
}

/* Is a loop with vectors not the vectoriser's, but the scalar rest beside its body, of which operations in a row were packed? */
static bool is_packed_rest(const late *w, unsigned l) {
    const late_loop *s = &w->loops[l];
    for (unsigned k = 0; k < w->g.n_loops && !s->node.is_vector_body; k++) {
        const late_loop *o = &w->loops[k];
        if (o->is_vector && o->node.is_vector_body && o->loop_id == s->loop_id && o->inline_id == s->inline_id)
            return true;
    }
    return false;
}

static void identify(late *w) {
    hsc_pass *p = w->p;
    for (unsigned l = 0; l < w->g.n_loops; l++) {
        late_loop *s = &w->loops[l];
        uint32_t key_id = s->node.has_key ? hsc_pass_loop_of_key(p, s->node.key_module, s->node.key_id) : 0;
        if (key_id) {
            const vote *best = NULL;
            hsc_ir_loc begin;
            for (uint32_t v = s->votes; v; v = w->votes.p[v - 1].next) {
                const vote *c = &w->votes.p[v - 1];
                if (c->loop_id == key_id && (!best || c->weight > best->weight))
                    best = c;
            }
            s->loop_id = key_id;
            s->inline_id = best ? best->inline_id
                                : hsc_ir_get_loc_of_node(s->node.begin, &begin) ? inline_of(w, &begin) : 0;
        } else {
            identify_by_code(w, l);
        }
        if (is_note_of_exit(w, l))
            s->node = s->of_exit;
        s->made = made_of(w, s->loop_id, s->inline_id);
        s->is_vector = s->node.is_vectorized && s->lanes && s->made != 1;
    }
    for (unsigned l = 0; l < w->g.n_loops; l++) {
        late_loop *s = &w->loops[l];
        if (s->is_vector && is_packed_rest(w, l))
            s->is_vector = false;
        if (s->loop_id)
            note_home(w, s);
    }
}

/* An instance for code of a loop that is no loop of the generated code; `around` is that of the loop which the code is in. */
static uint32_t stand_in(late *w, uint64_t version, uint32_t around, uint32_t parent, uint32_t loop_id, uint32_t inline_id) {
    hsc_pass *p = w->p;
    uint64_t key = hsc_pass_key(version == HSC_loop_version_PEELED ? "peeled" : "unrolled", around, loop_id, inline_id);
    uint32_t id = hsc_map_get(&w->unrolled_of, key);
    if (id)
        return id;
    hsc_rec_loop_instance *r = HSC_VECTOR_ADD(p->instances);
    id = (uint32_t)p->instances.n;
    *r = (hsc_rec_loop_instance){.instance_id = id, .function_id = w->procedure_id, .parent_id = parent,
                                 .loop_id = loop_id, .inline_id = inline_id, .version = version};
    hsc_map_set(&w->unrolled_of, key, id);
    return id;
}

static hsc_rec_loop_instance *instance_of(late *w, unsigned l) {
    return &w->p->instances.p[w->loops[l].instance_id - 1];
}

/* Two loops of the source, one in the other, became one loop with a way back of each: `while (more()) for (...)` once the test of
 * the outer one goes straight to the inner one's first iteration. Of one that was unrolled fully the test, if any is left, is
 * there once for each iteration but the last. */
static bool shares_head(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    const late_loop *s = l == NONE ? NULL : &w->loops[l];
    if (!s || !s->loop_id || !hsc_map_get(&w->closed_of, hsc_pass_key("closed", l, s->loop_id, s->inline_id)))
        return false;
    const hsc_rec_loop *r = loop_record(w->p, loop_id);
    uint64_t most = r->trips ? r->trips : r->trips_max;
    return (!most || most > 2) && hsc_map_get(&w->closed_of, hsc_pass_key("closed", l, loop_id, inline_id)) == 1;
}

/* A count that the source gives is more than LLVM ever unrolls fully (16,384 instructions, where a pragma asks for it); larger ones are what a type can count,
 * of which nothing is known. Where no loop is left of such a loop its code became part of the one round it, which goes on where it would have. */
static bool is_merged(const hsc_pass *p, uint32_t loop_id) {
    const hsc_rec_loop *r = loop_record(p, loop_id);
    uint64_t most = r->trips ? r->trips : r->trips_max;
    return most > 16384 && most < 1u << 28;
}

/* Code of a copy that is in no loop of its procedure: the loop that the copy's call stands in, and the copy that this one is written in. */
static void find_loop_round(const hsc_pass *p, uint32_t *loop_id, uint32_t *inline_id) {
    while (!*loop_id && *inline_id) {
        const hsc_rec_inline *copy = &p->inlines.p[*inline_id - 1];
        *loop_id = loop_of_site(p, (uint32_t)copy->site_id);
        *inline_id = (uint32_t)copy->parent_id;
    }
}

/* Lanes of the vectoriser's that code of a loop without code loop in late loop `l` has: of that loop, of l, or of one round it that has no code
 * loop either; 0 or 1: none. */
static unsigned made_round(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    if (l != NONE && w->loops[l].is_vector)
        return (unsigned)instance_of(w, l)->vector_width;
    unsigned made = 0;
    for (; loop_id && made < 2 && !is_round(w, l, loop_id, inline_id); loop_id = (uint32_t)loop_record(w->p, loop_id)->parent_id)
        made = made_of(w, loop_id, inline_id);
    return made;
}

/* The instance to name for code of an early loop in a late loop `l`: l's own, or, where nothing is left of the early
 * loop, one that stands for the loop that was unrolled fully. */
static uint32_t instance_for(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    hsc_pass *p = w->p;
    uint32_t around = l == NONE ? 0 : w->loops[l].instance_id;
    find_loop_round(p, &loop_id, &inline_id);
    unsigned home = loop_id ? hsc_map_get(&w->home_of, hsc_pass_key("home", loop_id, inline_id, 0)) : HOME;
    if (home == HOME || is_round(w, l, loop_id, inline_id))
        return around;
    unsigned lanes = packed_within(w, l, loop_id, inline_id), made = 0;
    if (lanes)
        made = made_round(w, l, loop_id, inline_id);
    if (home == HOME_OF_REST && made < 2)
        return around;
    uint32_t parent = instance_for(w, l, (uint32_t)loop_record(p, loop_id)->parent_id, inline_id);
    if (hsc_map_get(&w->copied_of, hsc_pass_key("copied", loop_id, inline_id, 0)))
        return stand_in(w, HSC_loop_version_LIBRARY_CALL, around, parent, loop_id, inline_id);
    if (shares_head(w, l, loop_id, inline_id) || (l != NONE && made < 2 && is_merged(p, loop_id)))
        return stand_in(w, HSC_loop_version_PLAIN, around, parent, loop_id, inline_id);
    if (made < 2)
        lanes = packed_of(w, l, loop_id, inline_id);
    uint32_t id = stand_in(w, made > 1 ? HSC_loop_version_VECTOR_UNROLLED_FULLY : HSC_loop_version_UNROLLED_FULLY, around, parent,
                           loop_id, inline_id);
    p->instances.p[id - 1].vector_width = made > 1 && made < lanes ? made : lanes;
    return id;
}

/* Of a loop that the compiler knows no name of (as in flang's SUM): does each copy that has no note at all have another one beside it that is only to be left as
 * it is? Those do what is left over, and the others are unrolled, as one of them shows. */
static bool has_rest_each(late *w, unsigned l, const hsc_rec_loop_instance *unrolled) {
    unsigned bodies = 0, rests = 0;
    for (unsigned k = 0; k < w->g.n_loops; k++) {
        const hsc_rec_loop_instance *r = instance_of(w, k);
        if (r->loop_id != unrolled->loop_id || r->parent_id != unrolled->parent_id || w->loops[k].inline_id != w->loops[l].inline_id)
            continue;
        if (w->loops[k].node.has_key)
            return false;
        *(w->loops[k].node.node ? &rests : &bodies) += 1;
    }
    return bodies == rests;
}

static void make_instances(late *w) {
    hsc_pass *p = w->p;
    for (unsigned l = 0; l < w->g.n_loops; l++) {
        late_loop *s = &w->loops[l];
        unsigned parent = w->g.loops[l].parent;
        hsc_rec_loop_instance r = {.function_id = w->procedure_id, .loop_id = s->loop_id, .inline_id = s->inline_id,
                                   .peeled = s->node.peeled};
        unsigned lanes;
        if (w->g.loops[l].irreducible)
            r.flags |= HSC_instance_flag_IRREDUCIBLE;
        if (s->node.peeled && s->loop_id)
            hsc_map_set(&w->peeled_of, hsc_pass_key("peeled", s->loop_id, s->inline_id, 0), 1);
        /* a loop round this one that was unrolled fully is named as well */
        r.parent_id = instance_for(w, parent, s->loop_id ? (uint32_t)loop_record(p, s->loop_id)->parent_id : 0,
                                   s->inline_id);
        if (!s->loop_id) {
            r.version = HSC_loop_version_COMPILER;
        } else if (s->is_vector) {
            r.version = HSC_loop_version_VECTOR;
            /* accesses with a stride are read in wider vectors and sorted */
            r.vector_width = s->made > 1 && s->made < s->lanes ? s->made : s->lanes;
            if (s->scalable)
                r.flags |= HSC_instance_flag_SCALABLE;
            r.interleave = s->copies; /* by interleaving, or by unrolling after it: the code is the same */
        } else if (s->node.is_vectorized && s->made == 1) { /* interleaved only */
            r.version = s->copies > 1 ? HSC_loop_version_UNROLLED : HSC_loop_version_EPILOGUE;
            r.unroll = s->copies > 1 ? s->copies : 0;
        } else if (s->node.is_vectorized) {
            r.version = HSC_loop_version_REMAINDER;
            r.unroll = s->copies > 1 ? s->copies : 0;
        } else if (s->copies > 1) {
            r.version = HSC_loop_version_UNROLLED;
            r.unroll = s->copies;
        } else {
            r.version = HSC_loop_version_PLAIN;
        }
        if (s->loop_id && !r.vector_width && (lanes = packed_of(w, l, s->loop_id, s->inline_id)) > 1)
            r.vector_width = lanes; /* of operations in a row of its own: not of what is left of a loop inside, as the sum of a vector */
        *HSC_VECTOR_ADD(p->instances) = r;
        p->instances.p[p->instances.n - 1].instance_id = s->instance_id = (uint32_t)p->instances.n;
    }
    /* the loop that does what is left over by an unrolled one */
    for (unsigned l = 0; l < w->g.n_loops; l++) {
        hsc_rec_loop_instance *r = instance_of(w, l);
        if (r->version != HSC_loop_version_PLAIN || w->loops[l].node.has_key)
            continue;
        for (unsigned k = 0; k < w->g.n_loops; k++) {
            const hsc_rec_loop_instance *other = instance_of(w, k);
            if (other->unroll > 1 && other->loop_id == r->loop_id &&
                other->parent_id == r->parent_id && w->loops[k].inline_id == w->loops[l].inline_id) {
                bool is_body = !w->loops[l].node.node && !w->loops[k].node.node && other->version == HSC_loop_version_UNROLLED && has_rest_each(w, l, other);
                r->version = is_body ? HSC_loop_version_UNROLLED : HSC_loop_version_EPILOGUE;
                r->unroll = is_body ? other->unroll : 0;
                break;
            }
        }
    }
    hsc_version_loop *all = hsc_pass_alloc((w->g.n_loops + 1) * sizeof *all);
    for (unsigned l = 0; l < w->g.n_loops; l++) {
        const late_loop *s = &w->loops[l];
        all[l] = (hsc_version_loop){.instance_id = s->instance_id, .loop_id = s->loop_id, .inline_id = s->inline_id,
                                    .lanes = s->lanes, .copies = s->copies, .checked = s->checked};
    }
    for (size_t i = 0; i < w->accesses.n; i++)
        all[w->accesses.p[i].loop].accesses |= 1ull << (w->accesses.p[i].key >> 58);
    hsc_versions_tell(p, &w->g, all);
    free(all);
}

/* ---- places -------------------------------------------------------------------------------------------------------- */

static uint32_t place_for(late *w, unsigned block, uint32_t site, uint32_t inline_id) {
    hsc_pass *p = w->p;
    uint64_t key = hsc_pass_key("place", block, site, inline_id);
    uint32_t id = hsc_map_get(&w->place_of, key);
    if (id || p->places.n >= HSC_PASS_ID_MAX - p->place_base)
        return id;
    uint32_t loop_id = loop_of_site(p, site), written_in = inline_id;
    find_loop_round(p, &loop_id, &written_in);
    uint32_t instance = instance_for(w, w->g.loop_of[block], loop_id, written_in);
    if (loop_id && !is_round(w, w->g.loop_of[block], loop_id, written_in) &&
        hsc_map_get(&w->peeled_of, hsc_pass_key("peeled", loop_id, written_in, 0)) &&
        hsc_map_get(&w->touched_of, hsc_pass_key("touched", block, loop_id, written_in)))
        instance = stand_in(w, HSC_loop_version_PEELED, instance, instance, loop_id, written_in);
    hsc_rec_place *r = HSC_VECTOR_ADD(p->places);
    id = (uint32_t)p->places.n;
    *r = (hsc_rec_place){.place_id = id, .function_id = w->procedure_id, .instance_id = instance, .site_id = site,
                         .block = block, .inline_id = inline_id};
    hsc_map_set(&w->place_of, key, id);
    return id;
}

/* A location is of use in this function only when its outermost procedure is this function. */
static bool fits(const late *w, const hsc_ir_loc *loc) {
    hsc_ir_loc l = *loc;
    while (l.inlined_at)
        if (!hsc_ir_get_loc_of_node(l.inlined_at, &l))
            return false;
    return l.subprogram == w->subprogram;
}

/* A block in which no instruction has a line: a sensible one for it. That of the call, where its code is of a copy of
 * a procedure without lines (`hidden`: the location of some of it, or NULL), or the loop's begin, else that of the
 * nearest dominating block. Never the function's own scope: that would cut the ranges of inlined procedures. */
static bool location_for(late *w, unsigned block, LLVMMetadataRef hidden, const LLVMMetadataRef *last,
                         const uint32_t *site_of, hsc_ir_loc *loc, uint32_t *site, uint32_t *inline_id) {
    unsigned l = w->g.loop_of[block];
    *site = *inline_id = 0;
    if (hidden && hsc_ir_get_loc_of_node(hidden, loc)) {
        uint32_t copy = inline_of(w, loc);
        while (loc->inlined_at && !loc->line && hsc_ir_get_loc_of_node(loc->inlined_at, loc))
            ;
        if (copy && loc->line && fits(w, loc)) {
            loc->node = hsc_ir_loc_at(hidden, loc->node);
            *inline_id = copy;
            return true;
        }
    }
    if (l != NONE && hsc_ir_get_loc_of_node(w->loops[l].node.begin, loc) && loc->line && fits(w, loc)) {
        *site = w->loops[l].loop_id;
        *inline_id = inline_of(w, loc);
        return true;
    }
    for (unsigned b = w->idom[block]; b != NONE; b = w->idom[b])
        if (last[b]) {
            hsc_ir_get_loc_of_node(last[b], loc);
            *site = loop_of_site(w->p, site_of[b]); /* the call itself is not here */
            *inline_id = inline_of(w, loc);
            return true;
        }
    return false;
}

static void put_places(late *w) {
    const hsc_graph *g = &w->g;
    LLVMMetadataRef *last = hsc_pass_alloc(2 * (size_t)g->blocks * sizeof *last);
    LLVMMetadataRef *unseen = last + g->blocks; /* the location that `hidden` is of */
    uint32_t *site_of = hsc_pass_alloc(2 * (size_t)g->blocks * sizeof *site_of);
    uint32_t *hidden = site_of + g->blocks; /* early id of code in the block that has no line */
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            hsc_ir_loc loc;
            if (is_debug_or_phi(i) || !hsc_ir_get_loc(i, &loc))
                continue;
            uint32_t site = hsc_pass_early_id(w->p, &loc), place = 0;
            if (!loc.line && site && !hidden[b]) {
                hidden[b] = site;
                unseen[b] = loc.node;
            }
            if (loc.line && fits(w, &loc)) {
                place = place_for(w, b, site, inline_of(w, &loc));
                last[b] = loc.node;
                site_of[b] = site;
            }
            if (!w->p->for_link)
                hsc_ir_set_discriminator(i, place);
            else if (place)
                hsc_ir_set_place(i, NULL, site, w->p->place_base + place);
        }
    for (unsigned b = 1; b < g->blocks; b++) { /* the entry block is the prologue's */
        hsc_ir_loc loc;
        uint32_t site, copy;
        if (last[b] || !location_for(w, b, unseen[b], last, site_of, &loc, &site, &copy))
            continue;
        site = hidden[b] ? hidden[b] : site;
        uint32_t place = place_for(w, b, site, copy);
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            if (is_debug_or_phi(i))
                continue;
            if (!w->p->for_link)
                hsc_ir_set_loc(i, loc.node, place);
            else if (place)
                hsc_ir_set_place(i, loc.node, site, w->p->place_base + place);
        }
    }
    free(last);
    free(site_of);
}

void hsc_late_function(hsc_pass *p, LLVMValueRef function) {
    late w = {.p = p, .function = function, .subprogram = hsc_ir_get_function_subprogram(function), .first_inline = p->inlines.n};
    w.procedure_id = hsc_pass_late_procedure(p, function, w.subprogram);
    if (w.procedure_id)
        p->procedures.p[w.procedure_id - 1].vector_bytes = hsc_ir_vector_bytes(p->analyses, function);
    hsc_graph_init(&w.g, function);
    w.loops = hsc_pass_alloc((w.g.n_loops + 1) * sizeof *w.loops);
    w.is_latch = hsc_pass_alloc(w.g.blocks + 1);
    w.idom = hsc_pass_alloc((w.g.blocks + HSC_CFG_WORK(w.g.blocks)) * sizeof *w.idom);
    hsc_cfg cfg = {w.g.blocks, w.g.first, w.g.successor};
    hsc_cfg_find_dominators(&cfg, w.idom, w.idom + w.g.blocks);
    look_at_ways_back(&w);
    look_at_code(&w);
    identify(&w);
    count_copies(&w);
    ask_remarks(&w);
    make_instances(&w);
    hsc_probe_loop *loops = hsc_pass_alloc((w.g.n_loops + 1) * sizeof *loops);
    for (unsigned l = 0; l < w.g.n_loops; l++)
        loops[l] = (hsc_probe_loop){w.loops[l].loop_id, w.loops[l].inline_id};
    hsc_kept_function(p, &w.g, loops);
    if (p->keyed && w.subprogram)
        put_places(&w);
    hsc_why_place(p, w.procedure_id, find_inline, &w);
    if (p->probes)
        hsc_probe_function(p, function, &w.g, loops);
    free(loops);
    free(w.loops);
    free(w.is_latch);
    free(w.idom);
    free(w.votes.p);
    free(w.accesses.p);
    free(w.inlined_at.p);
    hsc_map_fini(&w.vote_of);
    hsc_map_fini(&w.access_of);
    hsc_map_fini(&w.inline_of);
    hsc_map_fini(&w.place_of);
    hsc_map_fini(&w.home_of);
    hsc_map_fini(&w.unrolled_of);
    hsc_map_fini(&w.copied_of);
    hsc_map_fini(&w.touched_of);
    hsc_map_fini(&w.peeled_of);
    hsc_map_fini(&w.packed_of);
    hsc_map_fini(&w.closed_of);
    hsc_graph_fini(&w.g);
}
