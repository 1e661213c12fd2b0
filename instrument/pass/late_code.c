/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The late look: of which loops of the source the code of a late loop is, and how often each access of the source is in it. */
#include "late.h"

#include "at_link.h"

#include <stdlib.h>

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
        if (!hsc_late_is_debug_or_phi(i))
            return b;
    return g->successor[g->first[b]];
}

void hsc_late_look_at_ways_back(late *w) {
    const hsc_graph *g = &w->g;
    for (unsigned b = 0; b < g->blocks; b++)
        for (unsigned k = g->first[b]; k < g->first[b + 1] && g->first[b + 1] - g->first[b] > 1; k++) {
            unsigned target = goes_on_to(g, g->successor[k]), t = g->loop_of[target];
            hsc_ir_loc loc;
            if (t == NONE || g->loops[t].header != target || !hsc_graph_is_in(g, b, t) ||
                !hsc_ir_get_loc(LLVMGetBasicBlockTerminator(g->block[b]), &loc))
                continue;
            uint32_t loop_id = hsc_late_loop_of_site(w->p, hsc_pass_early_id(w->p, &loc));
            uint64_t key = hsc_pass_key("closed", t, loop_id, hsc_late_inline_of(w, &loc));
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
    w->loops[l].exit_loop_id = hsc_ir_get_loc(end, &loc) ? hsc_late_loop_of_site(w->p, hsc_pass_early_id(w->p, &loc)) : 0;
    w->loops[l].exit_inline_id = w->loops[l].exit_loop_id ? hsc_late_inline_of(w, &loc) : 0;
}

bool hsc_late_is_note_of_exit(const late *w, unsigned l) {
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

void hsc_late_look_at_code(late *w) {
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
            uint32_t loop_id = hsc_ir_get_loc(end, &loc) ? hsc_late_loop_of_site(w->p, hsc_pass_early_id(w->p, &loc)) : 0;
            if (loop_id && !w->loops[t].latch_loop_id) {
                w->loops[t].latch_loop_id = loop_id;
                w->loops[t].latch_inline_id = hsc_late_inline_of(w, &loc);
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
            if (!hsc_ir_get_loc(i, &loc) || hsc_late_is_debug_or_phi(i))
                continue;
            uint32_t loop_id = hsc_late_loop_of_site(w->p, hsc_pass_early_id(w->p, &loc)), inline_id = hsc_late_inline_of(w, &loc);
            if (loop_id && lanes > 1)
                hsc_late_note_packed(w, l, loop_id, inline_id, lanes);
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

void hsc_late_count_copies(late *w) {
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
