/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The late look: the place of each piece of a block, which goes into the line table. */
#include "late.h"

#include <stdlib.h>

static uint32_t place_for(late *w, unsigned block, uint32_t site, uint32_t inline_id) {
    hsc_pass *p = w->p;
    uint64_t key = hsc_pass_key("place", block, site, inline_id);
    uint32_t id = hsc_map_get(&w->place_of, key);
    if (id || p->places.n >= HSC_PASS_ID_MAX - p->place_base)
        return id;
    uint32_t loop_id = hsc_late_loop_of_site(p, site), written_in = inline_id;
    hsc_late_find_loop_round(p, &loop_id, &written_in);
    uint32_t instance = hsc_late_instance_for(w, w->g.loop_of[block], loop_id, written_in);
    if (loop_id && !hsc_late_is_round(w, w->g.loop_of[block], loop_id, written_in) &&
        hsc_map_get(&w->peeled_of, hsc_pass_key("peeled", loop_id, written_in, 0)) &&
        hsc_map_get(&w->touched_of, hsc_pass_key("touched", block, loop_id, written_in)))
        instance = hsc_late_stand_in(w, HSC_loop_version_PEELED, instance, instance, loop_id, written_in);
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
        uint32_t copy = hsc_late_inline_of(w, loc);
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
        *inline_id = hsc_late_inline_of(w, loc);
        return true;
    }
    for (unsigned b = w->idom[block]; b != NONE; b = w->idom[b])
        if (last[b]) {
            hsc_ir_get_loc_of_node(last[b], loc);
            *site = hsc_late_loop_of_site(w->p, site_of[b]); /* the call itself is not here */
            *inline_id = hsc_late_inline_of(w, loc);
            return true;
        }
    return false;
}

void hsc_late_put_places(late *w) {
    const hsc_graph *g = &w->g;
    LLVMMetadataRef *last = hsc_pass_alloc(2 * (size_t)g->blocks * sizeof *last);
    LLVMMetadataRef *unseen = last + g->blocks; /* the location that `hidden` is of */
    uint32_t *site_of = hsc_pass_alloc(2 * (size_t)g->blocks * sizeof *site_of);
    uint32_t *hidden = site_of + g->blocks; /* early id of code in the block that has no line */
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            hsc_ir_loc loc;
            if (hsc_late_is_debug_or_phi(i) || !hsc_ir_get_loc(i, &loc))
                continue;
            uint32_t site = hsc_pass_early_id(w->p, &loc), place = 0;
            if (!loc.line && site && !hidden[b]) {
                hidden[b] = site;
                unseen[b] = loc.node;
            }
            if (loc.line && fits(w, &loc)) {
                place = place_for(w, b, site, hsc_late_inline_of(w, &loc));
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
            if (hsc_late_is_debug_or_phi(i))
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
