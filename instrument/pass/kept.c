/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays none of whose references is left in the generated code: what they read was never written, or is known. */
#include "pass.h"
#include "probe.h"

#include <stdlib.h>

#define NONE HSC_CFG_NONE

static uint64_t key_of(const char *kind, uint64_t a, uint64_t b) {
    return hsc_pass_tag(a, kind, &b, sizeof b);
}

static bool may_access(LLVMValueRef i) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMInvoke:
        return true;
    case LLVMCall:
        return !LLVMIsADbgInfoIntrinsic(i);
    default:
        return false;
    }
}

/* The loop of an early id and those round it in the source have accesses that may be of any reference. */
static void note_unclear(hsc_pass *p, uint32_t site) {
    if (!site)
        return;
    const hsc_site *s = &p->sites.p[site - 1];
    for (uint64_t loop = s->is_loop ? site : p->callsites.p[s->index].loop_id; loop;
         loop = p->loops.p[p->sites.p[loop - 1].index].parent_id)
        hsc_map_set(&p->kept, key_of("unclear", loop, 0), 1);
}

static void note_access(hsc_pass *p, LLVMValueRef i, const hsc_graph *g, unsigned block, const hsc_probe_loop *loops) {
    hsc_ir_loc loc;
    bool has_loc = hsc_ir_get_loc(i, &loc);
    if (has_loc && loc.line)
        hsc_map_set(&p->kept, key_of("kept", (uint64_t)hsc_pass_file(p, loc.file) << 32 | loc.line, loc.column), 1);
    if (has_loc && loc.line && !hsc_ir_copies_memory(i)) /* a copy has the place of what is written only */
        return;
    if (has_loc)
        note_unclear(p, hsc_pass_early_id(p, &loc));
    for (unsigned l = g->loop_of[block]; l != NONE; l = g->loops[l].parent)
        hsc_map_set(&p->kept, key_of("unclear", loops[l].loop_id, 0), 1);
}

void hsc_kept_function(hsc_pass *p, const hsc_graph *g, const hsc_probe_loop *loops) {
    if (!p->references.n)
        return;
    for (unsigned l = 0; l < g->n_loops; l++)
        hsc_map_set(&p->kept, key_of("made", loops[l].loop_id, 0), 1);
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i))
            if (may_access(i))
                note_access(p, i, g, b, loops);
}

/* Has the reference no instruction in its loop, which is there? One whose address stays the same may be done outside of it; merged
 * instructions of one line have no column. */
static bool is_gone(const hsc_pass *p, const hsc_rec_reference *r) {
    uint64_t line = r->file_id << 32 | r->line;
    bool moves = r->stride == HSC_stride_UNIT || r->stride == HSC_stride_REVERSE || r->stride == HSC_stride_CONSTANT ||
                 r->stride == HSC_stride_SYMBOLIC || r->stride == HSC_stride_INDIRECT;
    return moves && r->line && hsc_map_get(&p->kept, key_of("made", r->loop_id, 0)) &&
           !hsc_map_get(&p->kept, key_of("unclear", r->loop_id, 0)) && !hsc_map_get(&p->kept, key_of("kept", line, r->column)) &&
           !hsc_map_get(&p->kept, key_of("kept", line, 0));
}

/* What the array is a member of: neighbouring members may be read at once, which has the place of one. */
static uint64_t root_of(const hsc_pass *p, uint64_t array) {
    for (size_t steps = 0; array && p->arrays.p[array - 1].parent_id && steps < p->arrays.n; steps++)
        array = p->arrays.p[array - 1].parent_id;
    return array;
}

void hsc_kept_finish(hsc_pass *p) {
    bool *is_left = hsc_pass_alloc(p->arrays.n + 1);
    for (size_t i = 0; i < p->references.n; i++)
        if (!is_gone(p, &p->references.p[i]))
            is_left[root_of(p, p->references.p[i].array_id)] = true;
    for (size_t i = 0; i < p->references.n; i++) {
        uint64_t array = p->references.p[i].array_id;
        if (array && !is_left[root_of(p, array)])
            p->arrays.p[array - 1].flags |= HSC_array_flag_NOT_GENERATED;
    }
    free(is_left);
}
