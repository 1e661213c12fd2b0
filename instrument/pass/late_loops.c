/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The late look: which loop of the source a late loop is, by its latches, its code and what it was made of. */
#include "late.h"

#include "why.h"

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

void hsc_late_ask_remarks(late *w) {
    for (unsigned l = 0; l < w->g.n_loops; l++) {
        late_loop *s = &w->loops[l];
        ask_of_vectors(w, l);
        if (s->loop_id && s->copies > 1 && !s->node.is_vectorized && !hsc_why_may_be_unrolled(w->p, s->loop_id))
            s->copies = 1;
        bool may = s->loop_id && s->copies < 2 && !s->node.is_vectorized && (s->node.has_key || !s->node.node); /* remainders have a node without key */
        unsigned said = may ? hsc_late_unrolled_of(w, s->loop_id, s->inline_id) : 0;
        for (unsigned k = 0; k < w->g.n_loops && said > 1; k++) /* it was said of another version */
            if (is_of_same(w, k, l) && w->loops[k].copies > 1)
                said = 0;
        if (said > 1)
            s->copies = said;
    }
}

bool hsc_late_is_round(const late *w, unsigned l, uint32_t loop_id, uint32_t inline_id) {
    for (; l != NONE; l = w->g.loops[l].parent)
        if (w->loops[l].loop_id == loop_id && w->loops[l].inline_id == inline_id)
            return true;
    return false;
}

/* True when early loop a (in copy a_inline) contains early loop b (in copy b_inline). */
static bool contains(const hsc_pass *p, uint32_t a, uint32_t a_inline, uint32_t b, uint32_t b_inline) {
    while (b_inline != a_inline && b_inline) {
        const hsc_rec_inline *copy = &p->inlines.p[b_inline - 1];
        b = hsc_late_loop_of_site(p, (uint32_t)copy->site_id);
        b_inline = (uint32_t)copy->parent_id;
        if (b == a && b_inline == a_inline)
            return true;
    }
    if (b_inline != a_inline)
        return false;
    while (b) {
        b = (uint32_t)hsc_late_loop_record(p, b)->parent_id;
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
                      .depth = outer ? hsc_late_loop_record(p, outer)->depth + 1 : 1,
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
    if (latch.loop_id && !hsc_late_is_round(w, parent, latch.loop_id, latch.inline_id))
        best = &latch;
    for (uint32_t v = best ? 0 : s->votes; v; v = w->votes.p[v - 1].next) {
        const vote *c = &w->votes.p[v - 1];
        if ((!best || c->weight > best->weight) && !hsc_late_is_round(w, parent, c->loop_id, c->inline_id))
            best = c;
    }
    for (const vote *inner = NULL; best != inner;) {
        inner = best;
        for (uint32_t v = s->votes; v; v = w->votes.p[v - 1].next) {
            const vote *c = &w->votes.p[v - 1];
            if (contains(w->p, c->loop_id, c->inline_id, best->loop_id, best->inline_id) &&
                !hsc_late_is_round(w, parent, c->loop_id, c->inline_id))
                best = c;
        }
    }
    if (best) {
        s->loop_id = best->loop_id;
        s->inline_id = best->inline_id;
        return;
    }
    uint32_t inline_id, tail = tail_call_of(w, l, &inline_id), recursion = tail ? loop_of_recursion(w->p, tail) : 0;
    if (recursion && !hsc_late_is_round(w, parent, recursion, inline_id)) {
        s->loop_id = recursion;
        s->inline_id = inline_id;
    } else if (s->call_id && s->call_id != NONE) {
        s->loop_id = loop_of_call(w, l);
        s->inline_id = s->call_inline_id;
    }
}

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

void hsc_late_identify(late *w) {
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
                                : hsc_ir_get_loc_of_node(s->node.begin, &begin) ? hsc_late_inline_of(w, &begin) : 0;
        } else {
            identify_by_code(w, l);
        }
        if (hsc_late_is_note_of_exit(w, l))
            s->node = s->of_exit;
        s->made = hsc_late_made_of(w, s->loop_id, s->inline_id);
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
