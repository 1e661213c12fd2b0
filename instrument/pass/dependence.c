/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dependences and run-time checks of loops, from what the bridge reports before the vectoriser runs. */
#include "why.h"

#include <string.h>

static uint64_t loop_key(uint32_t loop_id) {
    return hsc_pass_tag(0, "loop facts", &loop_id, sizeof loop_id);
}

uint32_t hsc_why_loop_facts(const hsc_pass *p, uint32_t loop_id) {
    return loop_id ? hsc_map_get(&p->why.facts_of, loop_key(loop_id)) : 0;
}

static void note(hsc_pass *p, uint32_t loop_id, uint32_t bits) {
    if (loop_id)
        hsc_map_set(&p->why.facts_of, loop_key(loop_id), hsc_why_loop_facts(p, loop_id) | bits | HSC_LOOP_SEEN);
}

void hsc_pass_take_loop_facts(hsc_pass *p, const hsc_ir_loop_facts *f) {
    if (p->skip)
        return;
    uint32_t loop_id = hsc_why_loop_of(p, &f->region);
    if (p->why.function != f->function) {
        hsc_map_clear(&p->why.loop_of_block);
        hsc_map_clear(&p->why.is_vector_code);
    }
    p->why.function = f->function;
    for (size_t i = 0; i < f->n_blocks; i++)
        hsc_map_set(&p->why.loop_of_block, (uintptr_t)f->blocks[i], loop_id);
    note(p, loop_id, (f->exits > 1 ? HSC_LOOP_SEVERAL_EXITS : 0u) | (f->has_call ? HSC_LOOP_CALLS : 0u) |
                         (f->has_throw ? HSC_LOOP_THROWS : 0u) | (f->has_switch ? HSC_LOOP_SWITCHES : 0u) |
                         (f->has_dead_end ? HSC_LOOP_DEAD_END : 0u) | (f->has_indirect ? HSC_LOOP_INDIRECT : 0u) | (f->is_vectorized ? HSC_LOOP_VECTORIZED : 0u) |
                         (f->is_wait ? HSC_LOOP_WAITS : 0u) | (f->has_atomic ? HSC_LOOP_ATOMIC : 0u) | (f->has_extreme ? HSC_LOOP_EXTREME : 0u));
    for (size_t i = 0; f->is_vector_code && i < f->n_blocks; i++)
        hsc_map_set(&p->why.is_vector_code, (uintptr_t)f->blocks[i], 1);
    /* at link time they may be vectors that the units' compilation made of operations in a row */
    bool is_vector_code = f->is_vector_code && loop_id && (!p->link || !p->sites.p[loop_id - 1].unit);
    if ((f->is_wait || is_vector_code || (f->is_disabled && !f->is_vector_code)) && loop_id)
        hsc_why_tell(p, f, loop_id);
    if (f->n_own && loop_id && !f->is_wait && !f->is_vectorized)
        hsc_why_tell_own(p, f, loop_id);
}

void hsc_why_settle_exits(hsc_pass *p) {
    static const char told[] = "loop not vectorized: not tried at this level or with these options, and it leaves before its count is reached";
    hsc_why *w = &p->why;
    for (size_t i = 0; i < w->remarks.n && !w->explains; i++) {
        hsc_rec_remark *r = &w->remarks.p[i];
        uint32_t loop_id = r->reason == HSC_reason_NOT_TRIED && r->site_id && p->sites.p[r->site_id - 1].is_loop ? (uint32_t)r->site_id : 0;
        if (hsc_why_loop_facts(p, loop_id) & HSC_LOOP_SEVERAL_EXITS) {
            r->reason = HSC_reason_EARLY_EXIT;
            r->message = (hsc_str){told, sizeof told - 1};
        }
    }
}

void hsc_pass_take_dependence(hsc_pass *p, const hsc_ir_dependence *d) {
    if (p->skip)
        return;
    uint32_t loop_id = hsc_why_loop_of(p, &d->region);
    uint32_t procedure = hsc_pass_procedure_of_function(p, d->function);
    if (d->verdict == HSC_dependence_verdict_INDIRECT)
        note(p, loop_id, HSC_LOOP_INDIRECT);
    else if (d->verdict != HSC_dependence_verdict_SAFE && d->verdict != HSC_dependence_verdict_BOUNDED)
        note(p, loop_id, HSC_LOOP_OTHER_UNSAFE);
    hsc_rec_dependence r = {
        .loop_id = loop_id,
        .procedure_id = procedure,
        .kind = d->source_writes ? d->sink_writes ? HSC_dependence_kind_OUTPUT : HSC_dependence_kind_FLOW
                : d->sink_writes ? HSC_dependence_kind_ANTI
                                 : HSC_dependence_kind_INPUT,
        .verdict = d->verdict,
        .has_distance = d->has_distance,
        .distance = d->has_distance ? d->distance : 0,
        .size_bytes = d->size_bytes,
        .source_file_id = hsc_pass_file(p, d->source.file),
        .source_line = d->source.line,
        .source_column = d->source.column,
        .sink_file_id = hsc_pass_file(p, d->sink.file),
        .sink_line = d->sink.line,
        .sink_column = d->sink.column,
    };
    /* without its loop a dependence is told apart by the function */
    uint64_t v[] = {loop_id ? 0 : procedure, loop_id,       r.kind,        r.verdict,        r.has_distance,
                    r.distance,              r.size_bytes,  r.source_line, r.source_column,  r.source_file_id,
                    r.sink_line,             r.sink_column, r.sink_file_id};
    bool is_new;
    uint32_t at = hsc_why_find(p, HSC_WHY_DEPENDENCE, hsc_pass_tag(0, "dependence", v, sizeof v), procedure,
                               &d->region.loc, p->why.dependences.n, &is_new);
    if (is_new)
        *HSC_VECTOR_ADD(p->why.dependences) = r;
    p->why.dependences.p[at].count++;
}

void hsc_pass_take_memory_check(hsc_pass *p, const hsc_ir_memory_check *c) {
    if (p->skip)
        return;
    uint32_t loop_id = hsc_why_loop_of(p, &c->region);
    uint32_t procedure = hsc_pass_procedure_of_function(p, c->function);
    uint64_t v[] = {loop_id ? 0 : procedure, loop_id, c->comparisons, c->n_accesses};
    bool is_new;
    uint32_t at = hsc_why_find(p, HSC_WHY_MEMORY_CHECK, hsc_pass_tag(0, "check", v, sizeof v), procedure,
                               &c->region.loc, p->why.memory_checks.n, &is_new);
    if (is_new) {
        uint64_t *lines = hsc_arena_take(&p->arena, 2 * (c->n_accesses + 1) * sizeof *lines);
        uint64_t *columns = lines + c->n_accesses + 1;
        uint32_t file = c->n_accesses ? hsc_pass_file(p, c->accesses[0].file) : 0;
        size_t n = 0;
        for (size_t i = 0; i < c->n_accesses; i++) {
            bool known = hsc_pass_file(p, c->accesses[i].file) != file;
            for (size_t k = 0; k < n && !known; k++)
                known = lines[k] == c->accesses[i].line && columns[k] == c->accesses[i].column;
            if (known)
                continue;
            lines[n] = c->accesses[i].line;
            columns[n++] = c->accesses[i].column;
        }
        *HSC_VECTOR_ADD(p->why.memory_checks) = (hsc_rec_memory_check){
            .loop_id = loop_id, .procedure_id = procedure, .comparisons = c->comparisons, .file_id = file,
            .lines = {lines, n}, .columns = {columns, n}};
    }
    p->why.memory_checks.p[at].count++;
}
