/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the generated code tells of arrays: none of the references of some is left (what they read was never written, or is known); others, that a
 * procedure is handed, are seen where it was put in line. */
#include "data.h"
#include "late.h"
#include "probe.h"

#include <stdlib.h>

enum { SOME_BYTES = 1u << 31 }; /* nobody knows how many, or too many to be of account */

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

static uint64_t place_of(hsc_pass *p, const hsc_ir_loc *loc) {
    return (uint64_t)hsc_pass_file(p, loc->file) << 32 | loc->line;
}

static void note_most(hsc_pass *p, uint64_t key, uint64_t n) {
    n = n && n < SOME_BYTES ? n : SOME_BYTES;
    if (n > hsc_map_get(&p->kept, key))
        hsc_map_set(&p->kept, key, (uint32_t)n);
}

/* Of the variables that are accessed at a place, or (no `loc`) in a function somewhere, the largest counts. */
static void note_bytes(hsc_pass *p, LLVMValueRef access, const hsc_ir_loc *loc, uint32_t function_id) {
    uint64_t bytes = 0, element = 0;
    bool known = hsc_ir_variable_bytes(p->module, access, &bytes, &element);
    if (!loc) {
        note_most(p, key_of("bytes in", function_id, 0), known ? bytes : 0);
        return;
    }
    note_most(p, key_of("bytes", place_of(p, loc), loc->column), known && element ? bytes : 0);
    note_most(p, key_of("element", place_of(p, loc), loc->column), element);
}

void hsc_kept_called(hsc_pass *p, const hsc_rec_reference *r) {
    uint64_t line = r->file_id << 32 | r->line;
    hsc_map_set(&p->kept, key_of("kept", line, r->column), 1);
    note_most(p, key_of("bytes", line, r->column), 0);
}

static void note_access(hsc_pass *p, uint32_t function_id, LLVMValueRef i, const hsc_graph *g, unsigned block, const hsc_probe_loop *loops) {
    hsc_ir_loc loc;
    bool has_loc = hsc_ir_get_loc(i, &loc), scalable;
    if (has_loc && loc.line) {
        hsc_map_set(&p->kept, key_of("kept", place_of(p, &loc), loc.column), 1);
        note_bytes(p, i, &loc, function_id);
    }
    unsigned in = g->loop_of[block];
    if (has_loc && loc.line && !hsc_ir_copies_memory(i) && /* a copy has the place of what is written only */
        is_at_own_place(p, &loc, in == NONE ? 0 : loops[in].loop_id))
        return;
    if (hsc_ir_vector_lanes(i, &scalable)) /* of code in a row it has no place; the others are mostly what was moved out of loops, as it stays the same there */
        note_bytes(p, i, NULL, function_id);
    if (has_loc)
        note_unclear(p, hsc_pass_early_id(p, &loc));
    for (unsigned l = in; l != NONE; l = g->loops[l].parent)
        hsc_map_set(&p->kept, key_of("unclear", loops[l].loop_id, 0), 1);
}

void hsc_kept_function(hsc_pass *p, uint32_t function_id, const hsc_graph *g, const hsc_probe_loop *loops) {
    if (!p->references.n)
        return;
    for (unsigned l = 0; l < g->n_loops; l++)
        hsc_map_set(&p->kept, key_of("made", loops[l].loop_id, 0), 1);
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i))
            if (hsc_ir_accesses_memory(i))
                note_access(p, function_id, i, g, b, loops);
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

/* The most bytes that a variable may have of which a reference reads; `in`: by procedure, of vectors without a place where its code is. */
static uint32_t bytes_of(const hsc_pass *p, const hsc_rec_reference *r, const uint32_t *in) {
    uint32_t bytes = hsc_map_get(&p->kept, key_of("bytes", r->file_id << 32 | r->line, r->column));
    if (!r->line || (!bytes && hsc_map_get(&p->kept, key_of("unclear", r->loop_id, 0))))
        return SOME_BYTES;
    return bytes && in[r->procedure_id] > bytes ? in[r->procedure_id] : bytes;
}

static uint32_t *bytes_in(const hsc_pass *p) {
    uint32_t *in = hsc_pass_alloc((p->procedures.n + 1) * sizeof *in);
    for (size_t i = 1; i <= p->procedures.n; i++)
        in[i] = hsc_map_get(&p->kept, key_of("bytes in", i, 0));
    for (size_t i = 0; i < p->inlines.n; i++) {
        const hsc_rec_inline *copy = &p->inlines.p[i];
        uint32_t bytes = hsc_map_get(&p->kept, key_of("bytes in", copy->function_id, 0));
        if (bytes > in[copy->callee_id])
            in[copy->callee_id] = bytes;
    }
    return in;
}

/* Is it one that a procedure is handed, of which nothing says how many elements it has? */
static bool has_open_end(const hsc_rec_array *a) {
    return a->argument && (a->flags & HSC_array_flag_SHAPE_FROM_USE) && a->extent.n == 1 && !a->extent.p[0];
}

static void tell_extents(hsc_pass *p) {
    uint32_t *bytes = hsc_pass_alloc(2 * (p->arrays.n + 1) * sizeof *bytes), *element = bytes + p->arrays.n + 1, *in = bytes_in(p);
    for (size_t i = 0; i < p->references.n; i++) {
        const hsc_rec_reference *r = &p->references.p[i];
        uint64_t root = root_of(p, r->array_id);
        uint32_t n = bytes_of(p, r, in), e = hsc_map_get(&p->kept, key_of("element", r->file_id << 32 | r->line, r->column));
        if (e && e < r->size_bytes) /* the variable has none of its elements: bytes that it is put into */
            n = SOME_BYTES;
        bytes[root] = n > bytes[root] ? n : bytes[root];
        element[root] = e > element[root] ? e : element[root];
    }
    for (size_t i = 0; i < p->arrays.n; i++) {
        hsc_rec_array *a = &p->arrays.p[i];
        uint64_t each = a->element_bytes ? a->element_bytes : element[i + 1];
        uint64_t extent = has_open_end(a) && bytes[i + 1] < SOME_BYTES && each ? bytes[i + 1] / each : 0;
        if (extent) {
            extent = hsc_data_constant(p, (int64_t)extent);
            a->extent = hsc_data_ids(p, &extent, 1);
        }
    }
    free(bytes);
    free(in);
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
    tell_extents(p);
}
