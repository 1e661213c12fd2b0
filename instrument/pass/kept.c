/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays none of whose references is left in the generated code: what they read was never written, or is known. */
#include "late.h"
#include "probe.h"

#include <stdlib.h>

static uint64_t key_of(const char *kind, uint64_t a, uint64_t b) {
    return hsc_pass_tag(a, kind, &b, sizeof b);
}

static uint32_t loop_of(hsc_pass *p, const hsc_ir_loc *loc) {
    return hsc_late_loop_of_site(p, hsc_pass_early_id(p, loc));
}

static uint64_t key_of_access(hsc_pass *p, const hsc_ir_loc *loc) {
    uint64_t at[2] = {loop_of(p, loc), (uint64_t)loc->line << 32 | loc->column};
    return hsc_pass_tag(hsc_pass_file(p, loc->file), "written", at, sizeof at);
}

void hsc_kept_early(hsc_pass *p, LLVMValueRef i) {
    hsc_ir_loc loc;
    if (hsc_ir_accesses_memory(i) && hsc_ir_get_loc(i, &loc) && loc.line)
        hsc_map_set(&p->kept, key_of_access(p, &loc), 1);
}

/* Is what stands at the place in the loop, or put in line there? */
static bool is_written_in(hsc_pass *p, const hsc_ir_loc *loc, uint32_t loop_id) {
    hsc_ir_loc at = *loc, call;
    for (;; at = call) {
        for (uint32_t loop = loop_of(p, &at); loop; loop = (uint32_t)hsc_late_loop_record(p, loop)->parent_id)
            if (loop == loop_id)
                return true;
        if (!hsc_ir_get_loc_of_node(at.inlined_at, &call))
            return false;
    }
}

/* Has an access the place of the reference that it is of? Where the vectoriser puts together what it read one by one, LLVM 19 gives the store the
 * place of what stood before the loop. */
static bool is_at_own_place(hsc_pass *p, const hsc_ir_loc *loc, uint32_t around) {
    return hsc_map_get(&p->kept, key_of_access(p, loc)) && (!p->keyed || !around || is_written_in(p, loc, around));
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
    unsigned in = g->loop_of[block];
    if (has_loc && loc.line && !hsc_ir_copies_memory(i) && /* a copy has the place of what is written only */
        is_at_own_place(p, &loc, in == NONE ? 0 : loops[in].loop_id))
        return;
    if (has_loc)
        note_unclear(p, hsc_pass_early_id(p, &loc));
    for (unsigned l = in; l != NONE; l = g->loops[l].parent)
        hsc_map_set(&p->kept, key_of("unclear", loops[l].loop_id, 0), 1);
}

void hsc_kept_function(hsc_pass *p, const hsc_graph *g, const hsc_probe_loop *loops) {
    if (!p->references.n)
        return;
    for (unsigned l = 0; l < g->n_loops; l++)
        hsc_map_set(&p->kept, key_of("made", loops[l].loop_id, 0), 1);
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i))
            if (hsc_ir_accesses_memory(i))
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
