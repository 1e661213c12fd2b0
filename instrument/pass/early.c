/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The early look: loops and calls as written, before any pass has touched them; each gets an early id. */
#include "pass.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_CFG_NONE

/* What one loop of the early control flow shows. */
typedef struct seen_loop {
    hsc_ir_loop node;   /* of a latch; node.node NULL: none */
    hsc_ir_loc header;  /* first location in the header; node NULL: none */
    LLVMMetadataRef file;
    bool conditional_latch;   /* the latch with the node decides */
    bool made_by_compiler;
    bool dispatches;          /* asks the OpenMP run time for chunks */
    unsigned low, high;       /* lines */
    unsigned body_low;        /* lowest line that is not the header's location */
    hsc_rec_loop record;
    bool copies_memory;
    uint32_t id;
} seen_loop;

typedef struct early {
    hsc_pass *p;
    LLVMValueRef function;
    uint32_t procedure_id;
    unsigned line_low, line_high; /* lines outside are not this procedure's */
    hsc_graph g;
    seen_loop *loops;
    bool has_worksharing;
} early;

static bool has_line(const hsc_ir_loc *l) {
    return l->node && l->line;
}

static hsc_ir_text called_name(LLVMValueRef call, bool *is_intrinsic) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    *is_intrinsic = LLVMIsAInlineAsm(callee) != NULL;
    if (!LLVMIsAGlobalValue(callee))
        return (hsc_ir_text){NULL, 0};
    if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee))
        *is_intrinsic = true;
    return hsc_ir_get_name(callee);
}

static bool is_call(LLVMValueRef i) {
    LLVMOpcode o = LLVMGetInstructionOpcode(i);
    return o == LLVMCall || o == LLVMInvoke || o == LLVMCallBr;
}

static bool name_starts(hsc_ir_text name, const char *prefix) {
    size_t n = strlen(prefix);
    return name.n >= n && !memcmp(name.p, prefix, n);
}

/* A loop that a `switch` jumps into has no block that all ways into it pass, and its way back may lead to another than the one that is its header here:
 * the branch that the front end marked says where it is written, the first in the text where one is in the other. */
static void find_node_inside(early *e, unsigned l) {
    seen_loop *s = &e->loops[l];
    unsigned line = 0, column = 0;
    for (unsigned b = 0; b < e->g.blocks; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(e->g.block[b]);
        hsc_ir_loop node;
        hsc_ir_loc begin;
        if (e->g.loop_of[b] != l || !end || !hsc_ir_get_loop(end, &node) || !hsc_ir_get_loc_of_node(node.begin, &begin) ||
            (line && (begin.line > line || (begin.line == line && begin.column >= column))))
            continue;
        s->node = node;
        s->conditional_latch = LLVMGetNumSuccessors(end) > 1;
        line = begin.line;
        column = begin.column;
    }
}

/* Latches and headers. */
static void look_at_edges(early *e) {
    const hsc_graph *g = &e->g;
    for (unsigned b = 0; b < g->blocks; b++)
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++) {
            unsigned target = g->successor[k], l = g->loop_of[target];
            if (l == NONE || g->loops[l].header != target)
                continue;
            seen_loop *s = &e->loops[l];
            LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
            if (!hsc_graph_is_in(g, b, l))
                continue;
            if (!s->node.node && hsc_ir_get_loop(end, &s->node))
                s->conditional_latch = LLVMGetNumSuccessors(end) > 1;
        }
    for (unsigned l = 0; l < g->n_loops; l++) {
        seen_loop *s = &e->loops[l];
        hsc_ir_loc begin = {0};
        if (!s->node.node && g->loops[l].irreducible)
            find_node_inside(e, l);
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[g->loops[l].header]); i; i = LLVMGetNextInstruction(i)) {
            if (!has_line(&s->header))
                hsc_ir_get_loc(i, &s->header);
            if (LLVMGetInstructionOpcode(i) == LLVMPHI)
                s->made_by_compiler = !e->p->is_fortran; /* front ends keep C variables in memory */
        }
        if (hsc_ir_get_loc_of_node(s->node.begin, &begin))
            s->file = begin.file;
        else if (has_line(&s->header))
            s->file = s->header.file;
        s->low = s->body_low = NONE;
    }
}

/* A call that hands an outlined region to the OpenMP run time is written at the region's directive; flang gives the
 * call itself a wrong location, and the right one to the call before it. */
static void name_line_of_region(early *e, LLVMValueRef call, const hsc_ir_loc *loc, const hsc_ir_loc *before) {
    hsc_pass *p = e->p;
    for (unsigned k = 0, n = LLVMGetNumArgOperands(call); k < n; k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        if (!LLVMIsAFunction(argument) || LLVMIsDeclaration(argument))
            continue;
        hsc_ir_text name = hsc_ir_get_name(argument);
        uint32_t id = hsc_pass_find_procedure(p, name.p, name.n);
        if (!id || !(p->procedures.p[id - 1].flags & HSC_procedure_flag_OUTLINED) || p->procedures.p[id - 1].line_begin)
            continue;
        const hsc_ir_loc *candidates[] = {loc, before};
        for (unsigned c = 0; c < 2; c++) {
            uint32_t file = has_line(candidates[c]) ? hsc_pass_file(p, candidates[c]->file) : 0;
            if (file && hsc_source_is_fortran_directive(p, file, candidates[c]->line)) {
                p->procedures.p[id - 1].line_begin = candidates[c]->line;
                p->procedures.p[id - 1].file_id = file;
                break;
            }
        }
    }
}

/* Lines of the bodies, calls of the OpenMP run time, the procedure's own lines. */
static void look_at_instructions(early *e) {
    const hsc_graph *g = &e->g;
    hsc_rec_procedure *r = &e->p->procedures.p[e->procedure_id - 1];
    bool outlined_without_line = (r->flags & HSC_procedure_flag_OUTLINED) && !r->line_begin;
    unsigned directive = NONE, lowest = NONE;
    hsc_ir_loc before_fork = {0};
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            hsc_ir_loc loc;
            bool intrinsic;
            hsc_ir_text callee = is_call(i) ? called_name(i, &intrinsic) : (hsc_ir_text){NULL, 0};
            if (name_starts(callee, "__kmpc_for_static_init") || name_starts(callee, "__kmpc_dispatch_init"))
                e->has_worksharing = true;
            if (name_starts(callee, "__kmpc_dispatch_next") && g->loop_of[b] != NONE)
                e->loops[g->loop_of[b]].dispatches = true;
            if (g->loop_of[b] != NONE && hsc_ir_copies_memory(i))
                e->loops[g->loop_of[b]].copies_memory = true;
            hsc_ir_get_loc(i, &loc);
            if (name_starts(callee, "__kmpc_global_thread_num"))
                before_fork = loc;
            else if (name_starts(callee, "__kmpc_"))
                name_line_of_region(e, i, &loc, &before_fork);
            if (!has_line(&loc))
                continue;
            uint32_t file = hsc_pass_file(e->p, loc.file);
            r = &e->p->procedures.p[e->procedure_id - 1];
            if (!r->file_id)
                r->file_id = file;
            if (file == r->file_id && (loc.line < e->line_low || loc.line > e->line_high))
                continue;
            if (file == r->file_id && loc.line > r->line_end)
                r->line_end = loc.line;
            if (outlined_without_line && file == r->file_id && LLVMGetInstructionOpcode(i) != LLVMAlloca) {
                if (loc.line < directive && hsc_source_is_fortran_directive(e->p, file, loc.line))
                    directive = loc.line;
                if (loc.line < lowest)
                    lowest = loc.line;
            }
            for (unsigned l = g->loop_of[b]; l != NONE; l = g->loops[l].parent) {
                seen_loop *s = &e->loops[l];
                if (!s->file)
                    s->file = loc.file;
                if (loc.file != s->file)
                    continue;
                if (loc.line < s->low)
                    s->low = loc.line;
                if (loc.line > s->high)
                    s->high = loc.line;
                if (loc.line < s->body_low && !(loc.line == s->header.line && loc.column == s->header.column))
                    s->body_low = loc.line;
            }
        }
    if (outlined_without_line)
        r->line_begin = directive != NONE ? directive : lowest != NONE ? lowest : 0;
}

static void place_c_loop(early *e, seen_loop *s) {
    hsc_pass *p = e->p;
    hsc_rec_loop *r = &s->record;
    hsc_ir_loc begin, end;
    bool outlined = p->procedures.p[e->procedure_id - 1].flags & HSC_procedure_flag_OUTLINED;
    uint32_t file = (uint32_t)r->file_id;
    if (!hsc_ir_get_loc_of_node(s->node.begin, &begin)) {
        if (s->low == NONE)
            return;
        bool usable = has_line(&s->header) && s->header.file == s->file;
        r->line_begin = usable ? s->header.line : s->low;
        r->column_begin = usable ? s->header.column : 0;
        r->line_end = s->high;
        if (s->made_by_compiler)
            r->flags |= HSC_loop_flag_COMPILER;
        else
            r->kind = HSC_loop_kind_GOTO;
        return;
    }
    unsigned line = begin.line, column = begin.column;
    r->line_end = hsc_ir_get_loc_of_node(s->node.end, &end) && end.file == begin.file ? end.line : s->high;
    if (hsc_openmp_constructs(p, file, line) & HSC_omp_construct_SECTIONS) {
        r->kind = HSC_loop_kind_OMP; /* over the sections: none of the source */
        r->flags |= HSC_loop_flag_COMPILER;
        r->line_end = s->high;
    } else if (hsc_source_is_pragma(p, file, line)) {
        /* the node of an OpenMP loop covers the directive only */
        unsigned body = s->low == NONE ? line : s->body_low;
        if (!hsc_source_omp_for(p, file, &line, &column) && body != NONE && body > line)
            line = body;
        r->kind = outlined && e->has_worksharing ? HSC_loop_kind_OMP : HSC_loop_kind_FOR;
        r->line_end = s->high;
    } else if (!hsc_source_c_loop(p, file, line, column, &r->kind)) {
        unsigned block_line, block_column;
        if (s->conditional_latch)
            r->kind = HSC_loop_kind_DO_WHILE;
        else if (has_line(&s->header) && hsc_ir_get_block_start(s->header.scope, &block_line, &block_column) &&
                 block_line == begin.line && block_column == begin.column && block_column)
            r->kind = HSC_loop_kind_FOR; /* only `for` makes a scope that begins where the loop does */
    }
    r->line_begin = line;
    r->column_begin = column;
}

/* The DO without control that the loop is; its header is the first statement of the body. Of several loops in such a DO
 * it is the outermost. */
static bool is_endless_do(early *e, const seen_loop *s, uint32_t file, unsigned *line, unsigned *column) {
    if (!hsc_source_fortran_endless_do(e->p, file, s->low, s->high, line, column))
        return false;
    for (unsigned l = e->g.loops[s - e->loops].parent; l != NONE; l = e->g.loops[l].parent) {
        const seen_loop *outer = &e->loops[l];
        unsigned outer_line, outer_column;
        if (outer->file == s->file && outer->low != NONE &&
            hsc_source_fortran_endless_do(e->p, file, outer->low, outer->high, &outer_line, &outer_column) &&
            outer_line == *line && outer_column == *column)
            return false;
    }
    return true;
}

/* The first directive `sections` in lines [first, last]; 0: none. */
static unsigned sections_in(hsc_pass *p, uint32_t file, unsigned first, unsigned last) {
    for (unsigned line = first; line <= last; line++)
        if (hsc_openmp_constructs(p, file, line) & HSC_omp_construct_SECTIONS)
            return line;
    return 0;
}

static void place_fortran_loop(early *e, seen_loop *s) {
    hsc_pass *p = e->p;
    hsc_rec_loop *r = &s->record;
    uint32_t file = (uint32_t)r->file_id;
    if (s->low == NONE)
        return;
    r->line_end = s->high;
    unsigned line, column;
    if (has_line(&s->header) && hsc_source_fortran_loop(p, file, s->header.line, s->header.column, &r->kind) &&
        !(r->kind == HSC_loop_kind_ARRAY && s->low < s->header.line && is_endless_do(e, s, file, &line, &column))) {
        r->line_begin = s->header.line;
        r->column_begin = s->header.column;
        /* flang gives the control of WHERE the location of the statement before, which may be another WHERE */
        if (r->kind == HSC_loop_kind_ARRAY && s->body_low != NONE && s->body_low > s->header.line &&
            (line = hsc_source_fortran_where(p, file, s->body_low)) > s->header.line) {
            r->line_begin = line;
            r->column_begin = 0;
        }
    } else if (((e->has_worksharing && (!has_line(&s->header) || s->dispatches)) ||
                hsc_source_is_fortran_directive(p, file, has_line(&s->header) ? s->header.line : s->low)) &&
               hsc_source_fortran_do_at(p, file, s->body_low == NONE ? s->low : s->body_low, &line, &column)) {
        r->kind = e->has_worksharing ? HSC_loop_kind_OMP : HSC_loop_kind_DO; /* `simd` shares no work */
        hsc_openmp_outermost_do(p, file, &line, &column);
        r->line_begin = line;
        r->column_begin = column;
    } else if (s->body_low != NONE && hsc_source_fortran_loop(p, file, s->body_low, 1, &r->kind) &&
               !is_endless_do(e, s, file, &line, &column)) {
        r->line_begin = s->body_low; /* WHERE: flang gives its control the location of the statement before */
    } else if (is_endless_do(e, s, file, &line, &column)) {
        r->kind = HSC_loop_kind_DO; /* the header is the first statement of the body */
        r->line_begin = line;
        r->column_begin = column;
    } else if (e->has_worksharing && (line = sections_in(p, file, s->low, s->high)) != 0) {
        r->kind = HSC_loop_kind_OMP; /* over the sections: none of the source */
        r->flags |= HSC_loop_flag_COMPILER;
        r->line_begin = line;
    } else if (hsc_source_is_readable(p, file)) {
        /* statements have one location, but for the bounds of their arrays, which are where these are declared */
        r->kind = s->low == s->high || !hsc_source_fortran_has_label(p, file, s->low, s->high) ? HSC_loop_kind_ARRAY : HSC_loop_kind_GOTO;
        r->line_begin = has_line(&s->header) ? s->header.line : s->low;
        r->column_begin = has_line(&s->header) ? s->header.column : 0;
    } else {
        bool inside = has_line(&s->header) && s->header.line > p->procedures.p[e->procedure_id - 1].line_begin &&
                      s->header.line <= s->high;
        r->line_begin = inside ? s->header.line : s->low;
        r->column_begin = inside ? s->header.column : 0;
    }
    unsigned end = r->kind != HSC_loop_kind_ARRAY
                       ? hsc_source_fortran_do_end(p, file, (unsigned)r->line_begin, (unsigned)r->column_begin)
                       : 0;
    if (end > r->line_end)
        r->line_end = end;
}

typedef struct by_position {
    uint64_t depth, line, column;
    unsigned loop;
} by_position;

static int compare_positions(const void *a, const void *b) {
    const by_position *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->loop < y->loop ? -1 : x->loop > y->loop;
}

static uint32_t new_site(hsc_pass *p, bool is_loop, size_t index) {
    if (p->sites.n >= HSC_PASS_ID_MAX)
        return 0;
    *HSC_VECTOR_ADD(p->sites) = (hsc_site){.is_loop = is_loop, .index = (uint32_t)index};
    return (uint32_t)p->sites.n;
}

static bool is_same_statement(const hsc_rec_loop *a, const hsc_rec_loop *b) {
    return a->file_id == b->file_id && a->line_begin == b->line_begin && a->column_begin == b->column_begin;
}

/* Tags from outside in, each from its parent's and the number among its siblings; then ids in the order of the text. */
static void number_loops(early *e) {
    hsc_pass *p = e->p;
    unsigned n = e->g.n_loops;
    by_position *order = hsc_pass_alloc((n + 1) * sizeof *order);
    uint32_t *children = hsc_pass_alloc((n + 1) * sizeof *children); /* last: of the procedure itself */
    for (unsigned l = 0; l < n; l++) {
        hsc_rec_loop *r = &e->loops[l].record;
        order[l] = (by_position){e->g.loops[l].depth, r->line_begin, r->column_begin, l};
    }
    qsort(order, n, sizeof *order, compare_positions);
    for (unsigned k = 0; k < n; k++) {
        unsigned l = order[k].loop, parent = e->g.loops[l].parent;
        uint64_t seed = parent == NONE ? p->procedures.p[e->procedure_id - 1].tag : e->loops[parent].record.tag;
        uint32_t place = children[parent == NONE ? n : parent]++;
        e->loops[l].record.tag = hsc_pass_tag(seed, "loop", &place, sizeof place);
    }
    for (unsigned k = 0; k < n; k++)
        order[k].depth = 0;
    qsort(order, n, sizeof *order, compare_positions);
    for (unsigned k = 0; k < n; k++) {
        seen_loop *s = &e->loops[order[k].loop];
        s->id = new_site(p, true, p->loops.n + k);
        if (s->id)
            p->sites.p[s->id - 1].copies_memory = s->copies_memory;
    }
    for (unsigned k = 0; k < n; k++) {
        unsigned l = order[k].loop, parent = e->g.loops[l].parent;
        seen_loop *s = &e->loops[l];
        s->record.loop_id = s->id;
        s->record.procedure_id = e->procedure_id;
        s->record.parent_id = parent == NONE ? 0 : e->loops[parent].id;
        s->record.depth = e->g.loops[l].depth;
        unsigned place = 0;
        for (unsigned up = parent; up != NONE && is_same_statement(&e->loops[up].record, &s->record); up = e->g.loops[up].parent)
            place++;
        hsc_control_read(p, place, &s->record);
        *HSC_VECTOR_ADD(p->loops) = s->record;
        /* where remarks will say that the loop begins; of several at one place the innermost, the one they are about */
        hsc_ir_loc begin;
        bool has_begin = hsc_ir_get_loc_of_node(s->node.begin, &begin);
        if (s->record.file_id && s->id)
            hsc_why_loop_begins(p, (uint32_t)s->record.file_id, has_begin ? begin.line : (unsigned)s->record.line_begin,
                                has_begin ? begin.column : (unsigned)s->record.column_begin, s->id);
    }
    free(order);
    free(children);
}

static void describe_loops(early *e) {
    hsc_pass *p = e->p;
    for (unsigned l = 0; l < e->g.n_loops; l++) {
        seen_loop *s = &e->loops[l];
        s->record.file_id = hsc_pass_file(p, s->file);
        if (e->g.loops[l].irreducible)
            s->record.flags |= HSC_loop_flag_IRREDUCIBLE;
        if (p->is_fortran)
            place_fortran_loop(e, s);
        else
            place_c_loop(e, s);
        if (s->record.line_end < s->record.line_begin)
            s->record.line_end = s->record.line_begin;
        hsc_rec_procedure *r = &p->procedures.p[e->procedure_id - 1];
        if (s->record.file_id == r->file_id && s->record.line_end > r->line_end)
            r->line_end = s->record.line_end;
    }
    /* an OpenMP schedule makes two loops of one: the outer one fetches chunks */
    for (unsigned l = 0; l < e->g.n_loops; l++) {
        unsigned parent = e->g.loops[l].parent;
        seen_loop *s = &e->loops[l], *outer = parent == NONE ? NULL : &e->loops[parent];
        if (s->record.kind == HSC_loop_kind_OMP && outer && outer->record.kind == HSC_loop_kind_OMP &&
            s->record.line_begin == outer->record.line_begin && s->record.column_begin == outer->record.column_begin)
            outer->record.flags |= HSC_loop_flag_COMPILER;
        if (s->dispatches)
            s->record.flags |= HSC_loop_flag_COMPILER;
    }
    number_loops(e);
}

/* Our key on the branches that close the loop: a copy of the front end's node with the key takes its place. Where the
 * front end gave none (flang; goto loops) none is made: SimplifyCFG folds blocks that carry a node otherwise than blocks
 * that do not, and the code would change. The late look then goes by the ids on the instructions. */
static void put_keys(early *e) {
    hsc_pass *p = e->p;
    const hsc_graph *g = &e->g;
    LLVMMetadataRef *made = hsc_pass_alloc((g->n_loops + 1) * sizeof *made);
    for (unsigned b = 0; b < g->blocks; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
        if (!end || LLVMGetInstructionOpcode(end) != LLVMBr)
            continue;
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++) {
            unsigned target = g->successor[k], l = g->loop_of[target];
            hsc_ir_loop node;
            if (l == NONE || g->loops[l].header != target || !hsc_graph_is_in(g, b, l) || !e->loops[l].id)
                continue;
            if (!hsc_ir_get_loop(end, &node) || node.node != e->loops[l].node.node)
                continue;
            if (!made[l])
                made[l] = hsc_ir_make_loop_node(p->context, node.node, e->loops[l].id, p->module_tag);
            hsc_ir_set_loop_node(end, made[l]);
            break;
        }
    }
    free(made);
}

/* flang leaves the control of OpenMP loops and all of its inlined intrinsics without location, and has no node on its
 * loops to carry a key: the loop's first line serves, or line 0 where it has none, so that the id has a place. */
static void give_loc(early *e, LLVMValueRef i, LLVMMetadataRef subprogram, const hsc_rec_loop *loop, uint32_t id) {
    hsc_ir_subprogram s;
    hsc_ir_get_subprogram(subprogram, &s);
    bool same_file = hsc_pass_file(e->p, s.file) == loop->file_id;
    hsc_ir_make_loc(i, subprogram, same_file ? (unsigned)loop->line_begin : 0,
                    same_file ? (unsigned)loop->column_begin : 0, id);
}

/* Calls, and early ids on the instructions. */
static void put_ids(early *e, hsc_map *site_of) {
    hsc_pass *p = e->p;
    const hsc_graph *g = &e->g;
    hsc_map seen = {0};
    LLVMMetadataRef subprogram = hsc_ir_get_function_subprogram(e->function);
    for (unsigned b = 0; b < g->blocks; b++) {
        uint32_t loop_id = g->loop_of[b] == NONE ? 0 : e->loops[g->loop_of[b]].id;
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            hsc_ir_loc loc;
            bool intrinsic = false;
            uint32_t id = loop_id;
            unsigned directive = 0;
            hsc_ir_get_loc(i, &loc);
            if (is_call(i)) {
                hsc_ir_text callee = called_name(i, &intrinsic);
                uint32_t site = intrinsic ? 0 : new_site(p, false, p->callsites.n);
                if (site) {
                    hsc_rec_callsite *c = HSC_VECTOR_ADD(p->callsites);
                    uint64_t key = hsc_pass_tag(p->procedures.p[e->procedure_id - 1].tag, "call", callee.p, callee.n);
                    uint32_t nth = hsc_map_get(&seen, key) + 1;
                    hsc_map_set(&seen, key, nth);
                    *c = (hsc_rec_callsite){
                        .callsite_id = site,
                        .tag = hsc_pass_tag(key, "nth", &nth, sizeof nth),
                        .procedure_id = e->procedure_id,
                        .loop_id = loop_id,
                        .file_id = hsc_pass_file(p, loc.file),
                        .line = loc.line,
                        .column = loc.column,
                        .callee = hsc_pass_dup(p, callee.n ? callee.p : "", callee.n),
                        .kind = callee.n ? hsc_names_call_kind(callee.p, callee.n) : HSC_call_kind_INDIRECT,
                    };
                    id = site;
                    hsc_map_set(site_of, (uint64_t)(uintptr_t)i, site);
                    if (c->kind == HSC_call_kind_OPENMP && name_starts(callee, "__kmpc_"))
                        directive = hsc_openmp_call(p, site, i, c->callee.p, &loc, e->procedure_id);
                }
            }
            unsigned kind;
            uint64_t access = hsc_pass_access_key(i, &loc, loop_id, &kind);
            if (access)
                hsc_map_set(&p->accesses, access, hsc_map_get(&p->accesses, access) + 1);
            if (p->keyed && loc.node)
                hsc_ir_set_discriminator(i, id);
            else if (p->keyed && subprogram && directive) /* flang gives `taskwait` none: it would be at the line of what stands before */
                hsc_ir_make_loc(i, subprogram, directive, 0, id);
            else if (p->keyed && subprogram && loop_id && !e->loops[g->loop_of[b]].node.node &&
                     LLVMGetInstructionOpcode(i) != LLVMPHI)
                give_loc(e, i, subprogram, &e->loops[g->loop_of[b]].record, id);
            hsc_kept_early(p, i);
        }
    }
    hsc_map_fini(&seen);
}

void hsc_early_function(hsc_pass *p, LLVMValueRef function) {
    early e = {.p = p, .function = function, .procedure_id = hsc_pass_procedure_of_function(p, function)};
    const hsc_rec_procedure *r = &p->procedures.p[e.procedure_id - 1];
    /* In regions flang leaves locations of other regions (reductions): keep to the region and what contains it. */
    e.line_high = NONE;
    if (p->is_fortran && (r->flags & HSC_procedure_flag_OUTLINED) && r->parent_id) {
        const hsc_rec_procedure *parent = &p->procedures.p[r->parent_id - 1];
        e.line_low = (unsigned)(r->line_begin ? r->line_begin : parent->line_begin);
        if (!(parent->flags & HSC_procedure_flag_OUTLINED))
            e.line_high = (unsigned)parent->line_end;
    }
    hsc_included_function(p, function, r);
    hsc_graph_init(&e.g, function);
    e.loops = hsc_pass_alloc((e.g.n_loops + 1) * sizeof *e.loops);
    look_at_edges(&e);
    look_at_instructions(&e);
    describe_loops(&e);
    hsc_rec_procedure *made = &p->procedures.p[e.procedure_id - 1];
    if (!p->is_fortran && made->line_end && !(made->flags & HSC_procedure_flag_OUTLINED))
        made->line_end = hsc_source_c_close(p, (uint32_t)made->file_id, (unsigned)made->line_begin,
                                            (unsigned)made->line_end);
    put_keys(&e);
    hsc_map site_of = {0};
    put_ids(&e, &site_of);
    uint32_t *loop_ids = hsc_pass_alloc((e.g.n_loops + 1) * sizeof *loop_ids);
    for (unsigned l = 0; l < e.g.n_loops; l++)
        loop_ids[l] = e.loops[l].id;
    hsc_data_function(p, function, e.procedure_id, &e.g, loop_ids, &site_of);
    free(loop_ids);
    hsc_map_fini(&site_of);
    free(e.loops);
    hsc_graph_fini(&e.g);
}
