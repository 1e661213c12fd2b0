/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which versions of one source loop the loops of a function are: those that share code stand in a relation in the control
 * flow, before, after or instead of each other. */
#include "pass.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_CFG_NONE
#define GROUP_MAX 64u /* versions of one loop that are compared with each other */

typedef struct versions {
    hsc_pass *p;
    const hsc_graph *g;
    const hsc_version_loop *loops;
    unsigned *stack, *seen, round; /* one a block */
} versions;

static hsc_rec_loop_instance *record_of(const versions *v, unsigned l) {
    return &v->p->instances.p[v->loops[l].instance_id - 1];
}

static bool is_vector(const versions *v, unsigned l) {
    uint64_t version = record_of(v, l)->version;
    return version == HSC_loop_version_VECTOR || version == HSC_loop_version_VECTOR_EPILOGUE;
}

static uint64_t elements_of(const versions *v, unsigned l) {
    const hsc_version_loop *s = &v->loops[l];
    return (uint64_t)(s->lanes ? s->lanes : 1) * (s->copies ? s->copies : 1);
}

/* Marks the blocks that are reached after loop `from` is left, without beginning the loop round it anew. */
static void mark_after(versions *v, unsigned from) {
    const hsc_graph *g = v->g;
    unsigned around = g->loops[from].parent, depth = 0;
    v->round++;
    for (unsigned b = 0; b < g->blocks; b++) {
        if (!hsc_graph_is_in(g, b, from))
            continue;
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++)
            if (!hsc_graph_is_in(g, g->successor[k], from) && v->seen[g->successor[k]] != v->round) {
                v->seen[g->successor[k]] = v->round;
                v->stack[depth++] = g->successor[k];
            }
    }
    while (depth) {
        unsigned b = v->stack[--depth];
        if (around != NONE && (b == g->loops[around].header || !hsc_graph_is_in(g, b, around)))
            continue;
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++)
            if (v->seen[g->successor[k]] != v->round) {
                v->seen[g->successor[k]] = v->round;
                v->stack[depth++] = g->successor[k];
            }
    }
}

static bool is_marked(const versions *v, unsigned loop) {
    return v->seen[v->g->loops[loop].header] == v->round;
}

/* Does a vector body count from its first iteration? One for what another left over goes on where that ended. */
static bool counts_from_zero(const versions *v, unsigned loop) {
    const hsc_graph *g = v->g;
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[g->loops[loop].header]); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        for (unsigned k = 0, n = LLVMCountIncoming(i); k < n; k++) {
            LLVMValueRef begin = LLVMGetIncomingValue(i, k);
            if (LLVMIsAConstantInt(begin) && LLVMIsNull(begin))
                return true;
        }
    return false;
}

/* Is the value made of addresses? */
static bool is_of_addresses(LLVMValueRef value, unsigned depth) {
    if (LLVMIsAPtrToIntInst(value) || LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        return true;
    if (!depth || !LLVMIsAInstruction(value) || LLVMIsAPHINode(value) || LLVMIsALoadInst(value) || LLVMIsACallInst(value))
        return false;
    for (unsigned k = 0, n = (unsigned)LLVMGetNumOperands(value); k < n; k++)
        if (is_of_addresses(LLVMGetOperand(value, k), depth - 1))
            return true;
    return false;
}

/* A branch that asks whether there are enough iterations compares a number with a constant; what else leads past the vector
 * body is a check of addresses, strides or overflow. */
static bool is_check(LLVMValueRef branch) {
    if (!branch || LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch))
        return false;
    LLVMValueRef condition = LLVMGetCondition(branch);
    if (!LLVMIsAICmpInst(condition))
        return LLVMIsAInstruction(condition) != NULL;
    LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
    return !(LLVMIsAConstantInt(left) || LLVMIsAConstantInt(right)) || is_of_addresses(left, 4) || is_of_addresses(right, 4);
}

/* Marks what is reached from a block without beginning the loop `around` anew or coming by block `except`. */
static void mark_from(versions *v, unsigned block, unsigned around, unsigned except) {
    const hsc_graph *g = v->g;
    unsigned depth = 0;
    v->round++;
    v->seen[block] = v->round;
    v->stack[depth++] = block;
    while (depth) {
        unsigned b = v->stack[--depth];
        if (b == except || (around != NONE && !hsc_graph_is_in(g, b, around)))
            continue;
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++) {
            unsigned s = g->successor[k];
            if (v->seen[s] != v->round && (around == NONE || s != g->loops[around].header)) {
                v->seen[s] = v->round;
                v->stack[depth++] = s;
            }
        }
    }
}

/* Is there a check that leads to loop `scalar` on one side, and to a vector body of the group on the other only? */
static bool is_behind_check(versions *v, const unsigned *group, unsigned n, unsigned scalar) {
    const hsc_graph *g = v->g;
    unsigned around = g->loops[scalar].parent;
    for (unsigned b = 0; b < g->blocks; b++) {
        if (g->loop_of[b] != around || g->first[b + 1] - g->first[b] != 2 ||
            !is_check(LLVMGetBasicBlockTerminator(g->block[b])))
            continue;
        bool to_body[2] = {false, false}, to_scalar[2];
        for (unsigned side = 0; side < 2; side++) {
            mark_from(v, g->successor[g->first[b] + side], around, b);
            to_scalar[side] = is_marked(v, scalar);
            for (unsigned k = 0; k < n; k++)
                to_body[side] = to_body[side] || (is_vector(v, group[k]) && is_marked(v, group[k]));
        }
        if ((to_body[0] && !to_body[1] && to_scalar[1]) || (to_body[1] && !to_body[0] && to_scalar[0]))
            return true;
    }
    return false;
}

/* Does a branch stand on the way to a loop that does not begin the loop round it anew? */
static bool is_after_branch(versions *v, unsigned loop) {
    const hsc_graph *g = v->g;
    unsigned around = g->loops[loop].parent;
    for (unsigned b = 0; b < g->blocks; b++) {
        if (g->loop_of[b] != around || g->first[b + 1] - g->first[b] < 2)
            continue;
        mark_from(v, b, around, NONE);
        if (is_marked(v, loop))
            return true;
    }
    return false;
}

/* The vector body is no loop any more: what it leaves over, unless a branch before it may be a check; which of the two the loop is for then isn't known. */
static void tell_rest(versions *v, const unsigned *group, unsigned n) {
    for (unsigned b = 0; b < n; b++) {
        hsc_rec_loop_instance *r = record_of(v, group[b]);
        if (r->version == HSC_loop_version_REMAINDER && is_after_branch(v, group[b]))
            r->version = HSC_loop_version_REMAINDER_OR_FALLBACK;
    }
}

static void tell_vector_parts(versions *v, const unsigned *group, unsigned n) {
    bool checked = false;
    unsigned bodies = 0;
    for (unsigned a = 0; a < n; a++) {
        if (!is_vector(v, group[a]))
            continue;
        bodies++;
        checked = checked || v->loops[group[a]].checked;
        mark_after(v, group[a]);
        for (unsigned b = 0; b < n; b++)
            if (is_vector(v, group[b]) && is_marked(v, group[b]) && elements_of(v, group[b]) < elements_of(v, group[a]) &&
                !counts_from_zero(v, group[b]))
                record_of(v, group[b])->version = HSC_loop_version_VECTOR_EPILOGUE;
    }
    if (!bodies) {
        tell_rest(v, group, n);
        return;
    }
    for (unsigned b = 0; b < n; b++) {
        hsc_rec_loop_instance *r = record_of(v, group[b]);
        if (r->version != HSC_loop_version_REMAINDER)
            continue;
        bool after = false;
        for (unsigned a = 0; a < n && !after; a++)
            if (is_vector(v, group[a])) {
                mark_after(v, group[a]);
                after = is_marked(v, group[b]);
            }
        bool check = checked || is_behind_check(v, group, n, group[b]);
        r->version = !after  ? HSC_loop_version_FALLBACK
                     : check ? HSC_loop_version_REMAINDER_OR_FALLBACK
                             : HSC_loop_version_REMAINDER;
        checked = checked || check;
    }
    for (unsigned b = 0; b < n && checked; b++) {
        uint64_t version = record_of(v, group[b])->version;
        if (is_vector(v, group[b]) || version == HSC_loop_version_REMAINDER_OR_FALLBACK || version == HSC_loop_version_FALLBACK)
            record_of(v, group[b])->flags |= HSC_instance_flag_RUNTIME_CHECK;
    }
}

/* Copies of one version: instead of each other, or one after the other with different parts of the body. */
static void tell_copies(versions *v, const unsigned *group, unsigned n) {
    for (unsigned a = 0; a < n; a++) {
        hsc_rec_loop_instance *r = record_of(v, group[a]);
        if (r->copies)
            continue;
        unsigned others[GROUP_MAX], k = 0;
        others[k++] = group[a];
        for (unsigned b = a + 1; b < n; b++) {
            if (record_of(v, group[b])->version != r->version || v->g->loops[group[b]].parent != v->g->loops[group[a]].parent)
                continue;
            mark_after(v, group[a]);
            bool forth = is_marked(v, group[b]);
            mark_after(v, group[b]);
            bool back = is_marked(v, group[a]);
            if (!forth && !back) {
                others[k++] = group[b];
            } else if (r->version == HSC_loop_version_PLAIN && v->loops[group[a]].accesses && v->loops[group[b]].accesses &&
                       !(v->loops[group[a]].accesses & v->loops[group[b]].accesses)) {
                record_of(v, group[b])->version = HSC_loop_version_DISTRIBUTED;
                r->version = HSC_loop_version_DISTRIBUTED;
            }
        }
        for (unsigned i = 0; i < k && k > 1; i++) {
            hsc_rec_loop_instance *o = record_of(v, others[i]);
            o->copy = i + 1;
            o->copies = k;
            if (o->version == HSC_loop_version_PLAIN)
                o->version = HSC_loop_version_ALTERNATIVE;
        }
    }
}

void hsc_versions_tell(hsc_pass *p, const hsc_graph *g, const hsc_version_loop *loops) {
    versions v = {.p = p, .g = g, .loops = loops};
    bool *done = hsc_pass_alloc(g->n_loops + 1);
    for (unsigned l = 0; l < g->n_loops; l++) {
        unsigned group[GROUP_MAX], n = 0;
        if (done[l] || !loops[l].loop_id)
            continue;
        for (unsigned k = l; k < g->n_loops && n < GROUP_MAX; k++)
            if (loops[k].loop_id == loops[l].loop_id && loops[k].inline_id == loops[l].inline_id) {
                done[k] = true;
                group[n++] = k;
            }
        if (n < 2 && record_of(&v, l)->version != HSC_loop_version_REMAINDER)
            continue;
        if (!v.stack) {
            v.stack = hsc_pass_alloc(2 * (size_t)g->blocks * sizeof *v.stack);
            v.seen = v.stack + g->blocks;
        }
        tell_vector_parts(&v, group, n);
        tell_copies(&v, group, n);
    }
    free(v.stack);
    free(done);
}
