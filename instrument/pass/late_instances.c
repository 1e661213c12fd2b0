/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The late look: records of late loops, and of what stands in for those that are no more. */
#include "late.h"

#include <stdlib.h>

uint32_t hsc_late_stand_in(late *w, uint64_t version, uint32_t around, uint32_t parent, uint32_t loop_id, uint32_t inline_id) {
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
    const hsc_rec_loop *r = hsc_late_loop_record(w->p, loop_id);
    uint64_t most = r->trips ? r->trips : r->trips_max;
    return (!most || most > 2) && hsc_map_get(&w->closed_of, hsc_pass_key("closed", l, loop_id, inline_id)) == 1;
}

/* A count that the source gives is more than LLVM ever unrolls fully (16,384 instructions, where a pragma asks for it); larger ones are what a type can count,
 * of which nothing is known. Where no loop is left of such a loop its code became part of the one round it, which goes on where it would have. */
static bool is_merged(const hsc_pass *p, uint32_t loop_id) {
    const hsc_rec_loop *r = hsc_late_loop_record(p, loop_id);
    uint64_t most = r->trips ? r->trips : r->trips_max;
    return most > 16384 && most < 1u << 28;
}

void hsc_late_find_loop_round(const hsc_pass *p, uint32_t *loop_id, uint32_t *inline_id) {
    while (!*loop_id && *inline_id) {
        const hsc_rec_inline *copy = &p->inlines.p[*inline_id - 1];
        *loop_id = hsc_late_loop_of_site(p, (uint32_t)copy->site_id);
        *inline_id = (uint32_t)copy->parent_id;
    }
}

/* Lanes of the vectoriser's that code of a loop without code loop in late loop `l` has: of that loop, of l, or of one round it that has no code
 * loop either; 0 or 1: none. */
static unsigned made_round(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    if (l != NONE && w->loops[l].is_vector)
        return (unsigned)instance_of(w, l)->vector_width;
    unsigned made = 0;
    for (; loop_id && made < 2 && !hsc_late_is_round(w, l, loop_id, inline_id); loop_id = (uint32_t)hsc_late_loop_record(w->p, loop_id)->parent_id)
        made = hsc_late_made_of(w, loop_id, inline_id);
    return made;
}

uint32_t hsc_late_instance_for(late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    hsc_pass *p = w->p;
    uint32_t around = l == NONE ? 0 : w->loops[l].instance_id;
    hsc_late_find_loop_round(p, &loop_id, &inline_id);
    unsigned home = loop_id ? hsc_map_get(&w->home_of, hsc_pass_key("home", loop_id, inline_id, 0)) : HOME;
    if (home == HOME || hsc_late_is_round(w, l, loop_id, inline_id))
        return around;
    unsigned lanes = hsc_late_packed_within(w, l, loop_id, inline_id), made = 0;
    if (lanes)
        made = made_round(w, l, loop_id, inline_id);
    if (home == HOME_OF_REST && made < 2)
        return around;
    uint32_t parent = hsc_late_instance_for(w, l, (uint32_t)hsc_late_loop_record(p, loop_id)->parent_id, inline_id);
    if (hsc_map_get(&w->copied_of, hsc_pass_key("copied", loop_id, inline_id, 0)))
        return hsc_late_stand_in(w, HSC_loop_version_LIBRARY_CALL, around, parent, loop_id, inline_id);
    if (shares_head(w, l, loop_id, inline_id) || (l != NONE && made < 2 && is_merged(p, loop_id)))
        return hsc_late_stand_in(w, HSC_loop_version_PLAIN, around, parent, loop_id, inline_id);
    if (made < 2)
        lanes = hsc_late_packed_of(w, l, loop_id, inline_id);
    uint32_t id = hsc_late_stand_in(w, made > 1 ? HSC_loop_version_VECTOR_UNROLLED_FULLY : HSC_loop_version_UNROLLED_FULLY, around, parent,
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

void hsc_late_make_instances(late *w) {
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
        r.parent_id = hsc_late_instance_for(w, parent, s->loop_id ? (uint32_t)hsc_late_loop_record(p, s->loop_id)->parent_id : 0,
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
        if (s->loop_id && !r.vector_width && (lanes = hsc_late_packed_of(w, l, s->loop_id, s->inline_id)) > 1)
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
