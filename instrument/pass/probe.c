/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where probes go. Everything of a function is found first, on its control flow as it was; then the code is put in, in the
 * order in which it must run where several probes stand before one instruction. */
#include "probe.h"

#include <heatscope/formats/probes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim_probe.h"

#define NONE HSC_CFG_NONE
#define ANCHOR_NONE ((LLVMValueRef)0)

typedef enum hsc_stage { ENTRY, CALL_EXIT, LOOP_EXIT, LOOP_ENTRY, VALUE, CALL_ENTRY } hsc_stage;

typedef struct point {
    LLVMValueRef before, like; /* like: whose line it has; NULL: that of `before` */
    uint32_t probe;
    hsc_stage stage;
    unsigned depth; /* of loops: outer ones are entered first and left last */
    hsc_ir_number number;
} point;

typedef struct plan {
    hsc_pass *p;
    LLVMValueRef function;
    uint32_t procedure_id;
    HSC_VECTOR(point) points;
    uint32_t own; /* the procedure's probe; 0: none */
} plan;

void hsc_probe_begin(hsc_pass *p) {
    const char *lists[] = {getenv("HEATSCOPE_PROBE"), hsc_ir_probe_option()};
    const char *files[] = {getenv("HEATSCOPE_PROBE_FILE"), hsc_ir_probe_file_option()};
    bool wanted = false;
    for (int i = 0; i < 2; i++)
        wanted = wanted || (lists[i] && *lists[i]) || (files[i] && *files[i]);
    if (!wanted)
        return;
    char why[1024] = "";
    hsc_probes *s = hsc_arena_take(&p->arena, sizeof *s);
    bool ok = hsc_ir_is_x86_64(p->module) && p->unit.is_elf;
    if (!ok)
        snprintf(why, sizeof why, "probes: only x86-64 ELF code can have them");
    for (int i = 0; i < 2 && ok; i++)
        ok = (!lists[i] || hsc_probe_spec_add(p, &s->spec, lists[i], why, sizeof why)) &&
             (!files[i] || hsc_probe_spec_add_files(p, &s->spec, files[i], why, sizeof why));
    if (!ok) {
        hsc_ir_fail(p->module, why);
        free(s->spec.items.p);
        return;
    }
    p->probes = s;
}

void hsc_probe_fini(hsc_pass *p) {
    if (!p->probes)
        return;
    free(p->probes->spec.items.p);
    free(p->probes->records.p);
    hsc_map_fini(&p->probes->by_tag);
}

static hsc_probe_wish procedure_wish(const hsc_pass *p, const hsc_rec_procedure *r) {
    if (r->flags & HSC_procedure_flag_ARTIFICIAL && !(r->flags & HSC_procedure_flag_OUTLINED))
        return HSC_PROBE_EXCLUDED;
    if (memmem(r->linkage_name.p, r->linkage_name.n, "omp_outlined_debug__", 20))
        return HSC_PROBE_EXCLUDED; /* the body of a region; its caller has the probe */
    return hsc_probe_spec_wish(&p->probes->spec, HSC_probe_kind_PROCEDURE, r->name.p, r->linkage_name.p);
}

void hsc_probe_early(hsc_pass *p, LLVMValueRef function) {
    if (!p->probes || !p->probes->spec.keep)
        return;
    const hsc_rec_procedure *r = &p->procedures.p[hsc_pass_procedure_of_function(p, function) - 1];
    if (procedure_wish(p, r) == HSC_PROBE_WANTED)
        hsc_ir_keep_from_inlining(function);
}

/* ---- probes -------------------------------------------------------------------------------------------------------- */

static uint32_t new_probe(plan *w, unsigned kind, uint32_t site_id, uint64_t tag_of, uint32_t file_id, uint64_t line,
                          hsc_str name) {
    hsc_probes *s = w->p->probes;
    uint64_t parts[2] = {w->p->procedures.p[w->procedure_id - 1].tag, kind};
    uint64_t tag = hsc_pass_tag(tag_of, "probe", parts, sizeof parts);
    uint32_t id = hsc_map_get(&s->by_tag, tag);
    if (id || s->records.n >= HSC_PROBE_COUNT_MAX)
        return id;
    hsc_rec_probe *r = HSC_VECTOR_ADD(s->records);
    id = (uint32_t)s->records.n;
    *r = (hsc_rec_probe){.probe_id = id, .tag = tag, .kind = kind, .function_id = w->procedure_id, .site_id = site_id,
                         .file_id = file_id, .line = line, .name = name};
    hsc_map_set(&s->by_tag, tag, id);
    return id;
}

static hsc_rec_probe *record_of(const plan *w, uint32_t probe) {
    return &w->p->probes->records.p[probe - 1];
}

static bool add_point(plan *w, LLVMValueRef before, LLVMValueRef like, uint32_t probe, hsc_stage stage, unsigned depth) {
    if (before)
        *HSC_VECTOR_ADD(w->points) = (point){before, like, probe, stage, depth, {0}};
    else if (stage == CALL_EXIT || stage == LOOP_EXIT)
        record_of(w, probe)->flags |= HSC_probe_flag_NO_EXIT;
    return before != ANCHOR_NONE;
}

/* ---- procedures ---------------------------------------------------------------------------------------------------- */

static bool was_inlined(const hsc_pass *p, uint32_t procedure_id) {
    for (size_t i = 0; i < p->inlines.n; i++)
        if (p->inlines.p[i].callee_id == procedure_id)
            return true;
    return false;
}

/* A call before the return that could make the stack grow for ever if it were no jump any more: one whose target is not
 * known, or that leads back here by such calls. */
static bool leads_back(LLVMValueRef from, LLVMValueRef to, unsigned depth) {
    if (from == to || depth > 8)
        return true;
    if (LLVMIsDeclaration(from))
        return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMGetInstructionOpcode(i) != LLVMCall || !hsc_ir_is_tail_position(i))
                continue;
            LLVMValueRef callee = LLVMGetCalledValue(i);
            if (!LLVMIsAFunction(callee) ? !hsc_ir_is_inline_asm(i) : leads_back(callee, to, depth + 1))
                return true;
        }
    return false;
}

static bool stays_a_jump(LLVMValueRef call, LLVMValueRef function) {
    if (hsc_ir_is_must_tail(call))
        return true;
    if (!hsc_ir_is_tail_position(call) || hsc_ir_is_inline_asm(call))
        return false;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    return !LLVMIsAFunction(callee) || (!LLVMGetIntrinsicID(callee) && leads_back(callee, function, 0));
}

/* Whether the automatic choice takes it (NONE: the procedure), going by the code alone. */
static bool is_worth(hsc_probes *s, const hsc_graph *g, unsigned loop) {
    if (!(s->spec.auto_percent > 0))
        return false;
    double work = hsc_probe_work(g, loop);
    bool worth = work >= hsc_probe_least_work(s->spec.auto_percent);
    s->looked_at++;
    s->loops_looked_at += loop != NONE;
    s->chosen += worth;
    s->most_work = work > s->most_work ? work : s->most_work;
    return worth;
}

static void plan_procedure(plan *w, const hsc_graph *g) {
    hsc_pass *p = w->p;
    const hsc_rec_procedure *r = &p->procedures.p[w->procedure_id - 1];
    hsc_probe_wish wish = procedure_wish(p, r);
    bool chosen = wish == HSC_PROBE_UNNAMED && !(r->flags & HSC_procedure_flag_ARTIFICIAL) && is_worth(p->probes, g, NONE);
    if (wish != HSC_PROBE_WANTED && !chosen)
        return;
    w->own = new_probe(w, HSC_probe_kind_PROCEDURE, 0, r->tag, (uint32_t)r->file_id, r->line_begin, r->name);
    if (!w->own)
        return;
    record_of(w, w->own)->flags |= chosen ? HSC_probe_flag_AUTOMATIC : 0;
    add_point(w, hsc_ir_entry(w->function), ANCHOR_NONE, w->own, ENTRY, 0);
}

/* ---- loops --------------------------------------------------------------------------------------------------------- */

/* What lies between the versions of one loop (vector body, remainder) belongs to the visit: all blocks on a way from one
 * to another that stays in the loop around them. */
static void close_region(const hsc_graph *g, unsigned around, bool *in) {
    unsigned n = g->blocks;
    bool *after = hsc_pass_alloc(2 * (size_t)n + 1), *before = after + n;
    memcpy(after, in, n * sizeof *in);
    memcpy(before, in, n * sizeof *in);
    unsigned header = around == NONE ? NONE : g->loops[around].header;
    for (bool again = true; again;) {
        again = false;
        for (unsigned b = 0; b < n; b++)
            for (unsigned k = g->first[b]; k < g->first[b + 1]; k++) {
                unsigned to = g->successor[k];
                if (to == header || (around != NONE && (!hsc_graph_is_in(g, b, around) || !hsc_graph_is_in(g, to, around))))
                    continue;
                if (after[b] && !after[to])
                    after[to] = again = true;
                if (before[to] && !before[b])
                    before[b] = again = true;
            }
    }
    for (unsigned b = 0; b < n; b++)
        in[b] = in[b] || (after[b] && before[b]);
    free(after);
}

/* The one instruction before which a probe sees every way from outside into `to` (or from inside out of it); NULL: each
 * edge needs its own. */
static LLVMValueRef at_target(const hsc_graph *g, const bool *in, unsigned to, bool entering) {
    for (unsigned b = 0; b < g->blocks; b++)
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++)
            if (g->successor[k] == to && in[b] == entering)
                return ANCHOR_NONE;
    return hsc_ir_block_entry(g->block[to]);
}

static void plan_region(plan *w, const hsc_graph *g, const bool *in, uint32_t probe, unsigned depth) {
    bool *done = hsc_pass_alloc(g->blocks + 1);
    bool complete = !in[0];
    size_t first = w->points.n;
    for (unsigned b = 0; b < g->blocks; b++)
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++) {
            unsigned to = g->successor[k];
            bool entering = !in[b];
            if (in[b] == in[to] || done[to])
                continue;
            LLVMValueRef at = at_target(g, in, to, entering);
            LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
            if (at)
                done[to] = true;
            else if (!(at = hsc_ir_split_edge(g->block[b], k - g->first[b])) && !entering) {
                at = hsc_ir_block_entry(g->block[to]); /* a pad: exits that nobody entered are ignored */
                done[to] = true;
            }
            if (!add_point(w, at, end, probe, entering ? LOOP_ENTRY : LOOP_EXIT, depth) && entering)
                complete = false;
        }
    if (in[0]) /* the loop begins with the function */
        complete = add_point(w, hsc_ir_entry(w->function), ANCHOR_NONE, probe, LOOP_ENTRY, depth);
    if (!complete)
        w->points.n = first;
    free(done);
}

static uint64_t region_key(const hsc_probe_loop *l, unsigned around) {
    uint64_t v[3] = {l->loop_id, l->inline_id, around};
    return hsc_pass_tag(0, "region", v, sizeof v);
}

static void plan_loops(plan *w, const hsc_graph *g, const hsc_probe_loop *loops) {
    hsc_pass *p = w->p;
    const hsc_probe_spec *spec = &p->probes->spec;
    if (!hsc_probe_spec_wants(spec, HSC_probe_kind_LOOP) && !(spec->auto_percent > 0))
        return;
    bool *in = hsc_pass_alloc(g->blocks + 1);
    hsc_map done = {0};
    for (unsigned l = 0; l < g->n_loops; l++) {
        if (!loops[l].loop_id)
            continue;
        /* the outermost version of this source loop */
        bool inside = false;
        for (unsigned a = g->loops[l].parent; a != NONE; a = g->loops[a].parent)
            inside = inside || (loops[a].loop_id == loops[l].loop_id && loops[a].inline_id == loops[l].inline_id);
        const hsc_rec_loop *r = &p->loops.p[p->sites.p[loops[l].loop_id - 1].index];
        hsc_probe_wish wish = inside ? HSC_PROBE_EXCLUDED : hsc_probe_spec_loop_wish(p, spec, r);
        bool chosen = wish == HSC_PROBE_UNNAMED && r->depth == 1 && is_worth(p->probes, g, l);
        unsigned around = g->loops[l].parent;
        uint64_t key = region_key(&loops[l], around);
        if ((wish != HSC_PROBE_WANTED && !chosen) || hsc_map_get(&done, key))
            continue;
        hsc_map_set(&done, key, 1);
        memset(in, 0, g->blocks * sizeof *in);
        for (unsigned k = 0; k < g->n_loops; k++)
            if (g->loops[k].parent == around && loops[k].loop_id == loops[l].loop_id &&
                loops[k].inline_id == loops[l].inline_id)
                for (unsigned b = 0; b < g->blocks; b++)
                    in[b] = in[b] || hsc_graph_is_in(g, b, k);
        close_region(g, around, in);
        hsc_str name = p->procedures.p[r->procedure_id - 1].name;
        uint32_t probe = new_probe(w, HSC_probe_kind_LOOP, (uint32_t)r->loop_id, r->tag, (uint32_t)r->file_id, r->line_begin, name);
        if (probe && chosen)
            record_of(w, probe)->flags |= HSC_probe_flag_AUTOMATIC;
        if (probe)
            plan_region(w, g, in, probe, g->loops[l].depth);
    }
    hsc_map_fini(&done);
    free(in);
}

/* ---- calls --------------------------------------------------------------------------------------------------------- */

/* The call as written that this one of the generated code comes from; NULL: not known. */
static const hsc_rec_callsite *callsite_of(const hsc_pass *p, LLVMValueRef call) {
    hsc_ir_loc loc;
    if (!p->keyed || !hsc_ir_get_loc(call, &loc) || loc.discriminator <= p->place_base || loc.discriminator > p->place_base + p->places.n)
        return NULL;
    uint32_t site = (uint32_t)p->places.p[loc.discriminator - p->place_base - 1].site_id;
    return site && !p->sites.p[site - 1].is_loop ? &p->callsites.p[p->sites.p[site - 1].index] : NULL;
}

static void plan_call(plan *w, LLVMValueRef call, LLVMOpcode opcode) {
    hsc_pass *p = w->p;
    const hsc_probe_spec *spec = &p->probes->spec;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    bool direct = LLVMIsAFunction(callee) != NULL;
    if ((direct && LLVMGetIntrinsicID(callee)) || hsc_ir_is_inline_asm(call))
        return;
    hsc_ir_text symbol = direct ? hsc_ir_get_name(callee) : (hsc_ir_text){"", 0};
    hsc_str text = hsc_pass_dup(p, symbol.n ? symbol.p : "", symbol.n);
    hsc_str name = direct ? hsc_pass_source_name(p, text.p, symbol) : (hsc_str){"(indirect)", 10};
    if (p->is_fortran && name.n > 1 && name.p[name.n - 1] == '_') /* an external procedure */
        name = hsc_pass_dup(p, name.p, name.n - 1);
    const hsc_rec_callsite *c = callsite_of(p, call);
    bool is_message = hsc_names_call_kind(text.p, text.n) == HSC_call_kind_MPI || (c && c->kind == HSC_call_kind_MPI);
    unsigned kind = HSC_probe_kind_CALL;
    if (is_message && hsc_probe_spec_has(spec, HSC_probe_kind_MESSAGE, name.p, text.p))
        kind = HSC_probe_kind_MESSAGE;
    else if (!hsc_probe_spec_has(spec, HSC_probe_kind_CALL, name.p, text.p))
        return;
    if (hsc_ir_is_must_tail(call) || stays_a_jump(call, w->function))
        return;
    hsc_ir_loc loc;
    hsc_ir_get_loc(call, &loc);
    uint64_t key[3] = {loc.line, loc.column, 0};
    uint64_t tag = c ? c->tag : hsc_pass_tag(p->procedures.p[w->procedure_id - 1].tag, text.p, key, sizeof key);
    uint32_t file = c ? (uint32_t)c->file_id : loc.file ? hsc_pass_file(p, loc.file) : 0;
    uint32_t probe = new_probe(w, kind, c ? (uint32_t)c->callsite_id : 0, tag, file, c ? c->line : loc.line, name);
    if (!probe)
        return;
    add_point(w, call, call, probe, CALL_ENTRY, 0);
    if (opcode == LLVMCall) {
        LLVMValueRef next = LLVMGetNextInstruction(call);
        if (LLVMGetInstructionOpcode(next) != LLVMUnreachable)
            add_point(w, next, call, probe, CALL_EXIT, 0);
        return;
    }
    LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
    LLVMValueRef at = hsc_ir_split_edge(block, 0);
    add_point(w, at ? at : hsc_ir_block_entry(LLVMGetNormalDest(call)), call, probe, CALL_EXIT, 0);
    add_point(w, hsc_ir_block_entry(LLVMGetUnwindDest(call)), call, probe, CALL_EXIT, 0);
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

static void plan_value(plan *w, const hsc_rec_symbolic *v, LLVMValueRef before, LLVMValueRef operand) {
    hsc_pass *p = w->p;
    hsc_probes *s = p->probes;
    hsc_ir_number number = {operand, (unsigned)v->bits, v->type == HSC_symbolic_type_INTEGER, v->by_reference != 0};
    if (!hsc_ir_is_number(&number) || s->records.n >= HSC_PROBE_COUNT_MAX)
        return;
    uint32_t id = hsc_map_get(&s->by_tag, v->tag);
    if (!id) {
        *HSC_VECTOR_ADD(s->records) = (hsc_rec_probe){
            .probe_id = s->records.n, .tag = v->tag, .kind = HSC_probe_kind_VALUE, .function_id = w->procedure_id,
            .site_id = v->site_id, .file_id = v->file_id, .line = v->line, .name = v->name};
        id = (uint32_t)s->records.n;
        hsc_map_set(&s->by_tag, v->tag, id);
    }
    *HSC_VECTOR_ADD(w->points) = (point){before, before, id, VALUE, 0, number};
}

static void plan_values(plan *w, const hsc_graph *g) {
    hsc_pass *p = w->p;
    if (!hsc_probe_spec_wants(&p->probes->spec, HSC_probe_kind_VALUE) || !p->symbolics.n)
        return;
    const hsc_rec_procedure *r = &p->procedures.p[w->procedure_id - 1];
    hsc_map first = {0}; /* of a call site */
    for (size_t i = p->symbolics.n; i-- > 0;) {
        const hsc_rec_symbolic *v = &p->symbolics.p[i];
        if (!hsc_probe_spec_has(&p->probes->spec, HSC_probe_kind_VALUE, v->name.p, NULL))
            continue;
        if (v->where == HSC_symbolic_where_CALL)
            hsc_map_set(&first, v->site_id, (uint32_t)i + 1);
        else if (v->where == HSC_symbolic_where_ENTRY && v->procedure_id == w->procedure_id && v->argument &&
                 v->argument <= LLVMCountParams(w->function) && !(r->flags & HSC_procedure_flag_LOCAL))
            plan_value(w, v, hsc_ir_entry(w->function), LLVMGetParam(w->function, (unsigned)v->argument - 1));
    }
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            LLVMOpcode o = LLVMGetInstructionOpcode(i);
            const hsc_rec_callsite *c = o == LLVMCall || o == LLVMInvoke ? callsite_of(p, i) : NULL;
            LLVMValueRef callee = c ? LLVMGetCalledValue(i) : NULL;
            if (!c || (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)))
                continue;
            for (size_t k = hsc_map_get(&first, c->callsite_id); k && k <= p->symbolics.n; k++) {
                const hsc_rec_symbolic *v = &p->symbolics.p[k - 1];
                if (v->where == HSC_symbolic_where_CALL && v->site_id == c->callsite_id && v->argument &&
                    v->argument <= LLVMGetNumArgOperands(i) &&
                    hsc_probe_spec_has(&p->probes->spec, HSC_probe_kind_VALUE, v->name.p, NULL))
                    plan_value(w, v, i, LLVMGetOperand(i, (unsigned)v->argument - 1));
                else if (v->site_id > c->callsite_id || v->procedure_id != c->procedure_id)
                    break; /* those of a procedure lie together */
            }
        }
    hsc_map_fini(&first);
}

/* ---- all calls of a function --------------------------------------------------------------------------------------- */

static void plan_calls(plan *w, const hsc_graph *g) {
    const hsc_probe_spec *spec = &w->p->probes->spec;
    if (!hsc_probe_spec_wants(spec, HSC_probe_kind_CALL) && !hsc_probe_spec_wants(spec, HSC_probe_kind_MESSAGE))
        return;
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            LLVMOpcode o = LLVMGetInstructionOpcode(i);
            if (o == LLVMCall || o == LLVMInvoke)
                plan_call(w, i, o);
        }
}

/* ---- code ---------------------------------------------------------------------------------------------------------- */

static void put(plan *w, LLVMValueRef before, LLVMValueRef like, uint32_t probe, unsigned entry, const hsc_ir_number *number) {
    LLVMValueRef table = w->p->probes->table;
    hsc_ir_put_probe(before, hsc_ir_table_field(table, HSC_PROBE_WORDS_AT + 4 * (probe - 1)), hsc_ir_table_field(table, entry),
                     number, like);
}

static int compare_points(const void *a, const void *b) {
    const point *x = a, *y = b;
    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    if (x->depth != y->depth)
        return (x->depth < y->depth) == (x->stage == LOOP_ENTRY) ? -1 : 1;
    return x->probe < y->probe ? -1 : x->probe > y->probe;
}

static void put_exit(void *ctx, LLVMValueRef before) {
    plan *w = ctx;
    /* a jump to another procedure ends the visit before it */
    LLVMValueRef at = before, previous = LLVMGetPreviousInstruction(before);
    if (LLVMGetInstructionOpcode(before) == LLVMCall) {
        record_of(w, w->own)->flags |= HSC_probe_flag_TAIL_CALLS; /* musttail */
    } else if (previous && LLVMGetInstructionOpcode(before) == LLVMRet && LLVMGetInstructionOpcode(previous) == LLVMCall &&
               stays_a_jump(previous, w->function)) {
        record_of(w, w->own)->flags |= HSC_probe_flag_TAIL_CALLS;
        at = previous;
    }
    put(w, at, at, w->own, HSC_PROBE_LEAVE_AT, NULL);
}

void hsc_probe_function(hsc_pass *p, LLVMValueRef function, const hsc_graph *g, const hsc_probe_loop *loops) {
    if (!p->probes || hsc_ir_refuses_probes(function))
        return;
    plan w = {.p = p, .function = function, .procedure_id = hsc_pass_procedure_of_function(p, function)};
    if (!p->probes->table)
        p->probes->table = hsc_ir_make_placeholder(p->module);
    plan_procedure(&w, g);
    plan_values(&w, g);
    plan_calls(&w, g);
    plan_loops(&w, g, loops);
    if (w.points.n) /* NULL is not to be sorted */
        qsort(w.points.p, w.points.n, sizeof *w.points.p, compare_points);
    for (size_t i = 0; i < w.points.n; i++) {
        const point *t = &w.points.p[i];
        bool leaves = t->stage == CALL_EXIT || t->stage == LOOP_EXIT;
        if (t->stage == VALUE)
            put(&w, t->before, t->like, t->probe, HSC_PROBE_VALUE_AT, &t->number);
        else
            put(&w, t->before, t->like, t->probe, leaves ? HSC_PROBE_LEAVE_AT : HSC_PROBE_ENTER_AT, NULL);
    }
    if (w.own)
        hsc_ir_each_exit(function, p->is_cxx, put_exit, &w);
    free(w.points.p);
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Else nobody would know why nothing of a unit is in the report. A unit without loops is not worth a word: configure scripts compile many. */
static void say_what_is_missing(hsc_pass *p) {
    const hsc_probes *s = p->probes;
    char text[512];
    if (!s || !s->loops_looked_at || s->chosen)
        return;
    snprintf(text, sizeof text,
             "probes: auto:%g chose none of %u procedures and outermost loops of %.200s: it takes those that do %.0f instructions a visit by the "
             "look of their code, here one does %.0f at most; others can be named",
             s->spec.auto_percent, s->looked_at, base_name(hsc_pass_dup(p, p->unit.name.p, p->unit.name.n).p),
             hsc_probe_least_work(s->spec.auto_percent), s->most_work);
    hsc_ir_say(p->module, text);
}

static uint64_t whole(double x) {
    return x < 1e18 ? (uint64_t)(x + 0.5) : (uint64_t)1e18;
}

/* The items that name something, and whether they did; the caller frees. */
static char *put_asked(const hsc_probe_spec *spec, hsc_ir_choice *choice) {
    size_t room = 1;
    for (size_t i = 0; i < spec->items.n; i++)
        room += spec->items.p[i].text ? strlen(spec->items.p[i].text) + 2 : 0;
    char *asked = hsc_pass_alloc(room), *to = asked;
    for (size_t i = 0; i < spec->items.n; i++) {
        const hsc_probe_item *t = &spec->items.p[i];
        if (!t->text)
            continue;
        *to++ = *t->matched ? '+' : '-';
        to = stpcpy(to, t->text) + 1;
        choice->n_asked++;
    }
    choice->asked = asked;
    choice->asked_bytes = (size_t)(to - asked);
    return asked;
}

void hsc_probe_end(hsc_pass *p) {
    hsc_probes *s = p->probes;
    say_what_is_missing(p);
    if (!s || !s->table)
        return;
    hsc_ir_probe *all = hsc_pass_alloc((s->records.n + 1) * sizeof *all);
    unsigned share = (unsigned)(s->spec.auto_percent * 100 + 0.5); /* 10000 at most */
    share = share ? share : 1;
    for (size_t i = 0; i < s->records.n; i++) {
        hsc_rec_probe *r = &s->records.p[i];
        if (r->kind == HSC_probe_kind_PROCEDURE && was_inlined(p, (uint32_t)r->function_id))
            r->flags |= HSC_probe_flag_INLINED_COPIES;
        if (p->unit.for_link)
            r->flags |= HSC_probe_flag_FOR_LINK;
        all[i] = (hsc_ir_probe){.tag = r->tag, .line = (unsigned)r->line, .kind = (uint8_t)r->kind, .flags = (uint8_t)r->flags,
                                .share = r->flags & HSC_probe_flag_AUTOMATIC ? share : 0, .name = r->name.p ? r->name.p : "",
                                .file = r->file_id ? base_name(p->files.p[r->file_id - 1].path.p) : ""};
    }
    hsc_ir_choice choice = {0};
    if (s->spec.auto_percent > 0)
        choice = (hsc_ir_choice){.ppm = whole(s->spec.auto_percent * 10000) ? (uint32_t)whole(s->spec.auto_percent * 10000) : 1,
                                 .looked_at = s->looked_at, .chosen = s->chosen,
                                 .least_work = whole(hsc_probe_least_work(s->spec.auto_percent)), .most_work = whole(s->most_work)};
    char *asked = put_asked(&s->spec, &choice);
    hsc_ir_make_table(p->module, s->table, p->module_tag, &choice, all, (unsigned)s->records.n);
    free(asked);
    free(all);
}
