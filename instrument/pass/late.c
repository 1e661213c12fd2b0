/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The late look: loops of the code as it will be generated; early ids are read back, and every piece of a block becomes
 * a place whose number goes into the line table as discriminator. Changes debug locations only, never an instruction. */
#include "late.h"

#include "probe.h"
#include "why.h"

#include <stdlib.h>
#include <string.h>

bool hsc_late_is_debug_or_phi(LLVMValueRef i) {
    LLVMOpcode o = LLVMGetInstructionOpcode(i);
    if (o == LLVMPHI)
        return true;
    if (o != LLVMCall)
        return false;
    LLVMValueRef callee = LLVMGetCalledValue(i);
    hsc_ir_text name = LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
    return name.n > 9 && !memcmp(name.p, "llvm.dbg.", 9);
}

uint32_t hsc_late_loop_of_site(const hsc_pass *p, uint32_t site) {
    if (!site)
        return 0;
    const hsc_site *s = &p->sites.p[site - 1];
    return s->is_loop ? site : (uint32_t)p->callsites.p[s->index].loop_id;
}

const hsc_rec_loop *hsc_late_loop_record(const hsc_pass *p, uint32_t loop_id) {
    return &p->loops.p[p->sites.p[loop_id - 1].index];
}

uint32_t hsc_late_inline_of(late *w, const hsc_ir_loc *loc) {
    hsc_pass *p = w->p;
    hsc_ir_loc call;
    if (!hsc_ir_get_loc_of_node(loc->inlined_at, &call))
        return 0;
    uint64_t key = hsc_pass_key("inline", (uint64_t)(uintptr_t)loc->inlined_at, (uint64_t)(uintptr_t)loc->subprogram, 0);
    uint32_t id = hsc_map_get(&w->inline_of, key);
    if (id)
        return id;
    uint32_t parent = hsc_late_inline_of(w, &call);
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

unsigned hsc_late_packed_of(const late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    return hsc_map_get(&w->packed_of, hsc_pass_key("packed", (uint64_t)l, loop_id, inline_id));
}

unsigned hsc_late_packed_within(const late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    return hsc_map_get(&w->packed_of, hsc_pass_key("packed within", (uint64_t)l, loop_id, inline_id));
}

void hsc_late_note_packed(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id, unsigned lanes) {
    if (lanes > hsc_late_packed_of(w, l, loop_id, inline_id))
        hsc_map_set(&w->packed_of, hsc_pass_key("packed", (uint64_t)l, loop_id, inline_id), lanes);
    for (; loop_id && lanes > hsc_late_packed_within(w, l, loop_id, inline_id); loop_id = (uint32_t)hsc_late_loop_record(w->p, loop_id)->parent_id)
        hsc_map_set(&w->packed_of, hsc_pass_key("packed within", (uint64_t)l, loop_id, inline_id), lanes);
}

unsigned hsc_late_made_of(const late *w, uint32_t loop_id, uint32_t inline_id) {
    if (inline_id > w->first_inline)
        return hsc_why_lanes(w->p, loop_id, w->inlined_at.p[inline_id - w->first_inline - 1]);
    return hsc_why_lanes(w->p, loop_id, NULL);
}

unsigned hsc_late_unrolled_of(const late *w, uint32_t loop_id, uint32_t inline_id) {
    return hsc_why_unrolled(w->p, loop_id, inline_id > w->first_inline ? w->inlined_at.p[inline_id - w->first_inline - 1] : NULL);
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
    hsc_late_look_at_ways_back(&w);
    hsc_late_look_at_code(&w);
    hsc_late_identify(&w);
    hsc_late_count_copies(&w);
    hsc_late_ask_remarks(&w);
    hsc_late_make_instances(&w);
    hsc_probe_loop *loops = hsc_pass_alloc((w.g.n_loops + 1) * sizeof *loops);
    for (unsigned l = 0; l < w.g.n_loops; l++)
        loops[l] = (hsc_probe_loop){w.loops[l].loop_id, w.loops[l].inline_id};
    hsc_kept_function(p, w.procedure_id, &w.g, loops);
    if (p->keyed && w.subprogram)
        hsc_late_put_places(&w);
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
