/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes of memory in loops, as written: array, subscripts, stride. */
#include "interchange.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE

static bool is_intrinsic_copy(LLVMValueRef i, bool *reads) {
    LLVMValueRef callee = LLVMGetCalledValue(i);
    if (!LLVMIsAFunction(callee) || !hsc_ir_copies_memory(i))
        return false;
    hsc_ir_text name = hsc_ir_get_name(callee);
    *reads = !(name.n > 11 && !memcmp(name.p, "llvm.memset", 11));
    return true;
}

/* Is it a variable of the procedure, or a member of one, that will live in registers once what it is handed to is in line? */
static bool is_local(const hsc_data *d, const hsc_place *p) {
    const hsc_object *o = &d->objects.p[p->object];
    if (p->n)
        return false;
    while (o->parent != NONE && o->storage == HSC_storage_MEMBER)
        o = &d->objects.p[o->parent];
    return o->base && LLVMIsAAllocaInst(o->base);
}

/* Elements of arrays, and scalars in memory that are written; variables that will live in registers are not data. */
static bool is_of_interest(hsc_data *d, const hsc_place *p, LLVMValueRef pointer, LLVMTypeRef type, bool writes) {
    if (p->object == NONE || p->is_descriptor)
        return false;
    const hsc_object *o = &d->objects.p[p->object];
    if (o->name.n && o->name.p[0] == '.')
        return false; /* the front end's own, as .global_tid. of an OpenMP region */
    if (p->n)
        return true;
    if (LLVMIsAAllocaInst(pointer) || o->is_temporary || (type && LLVMGetTypeKind(type) == LLVMPointerTypeKind))
        return false;
    return o->rank > 0 || writes;
}

/* Is the pointer that the place is behind another one in each iteration? */
static bool is_behind_moving(hsc_data *d, const hsc_place *place, unsigned loop) {
    for (unsigned k = 0; k < place->behind; k++)
        if (!hsc_poly_is_invariant(d, place->subscript[k].index, loop))
            return true;
    return false;
}

static void set_stride(hsc_data *d, hsc_rec_reference *r, const hsc_access *a, unsigned loop) {
    uint32_t element = NONE;
    if (is_behind_moving(d, a->place, loop)) {
        r->stride = HSC_stride_POINTERS;
        r->index_id = hsc_data_array(d, a->place->pointers, 0);
        return;
    }
    const hsc_poly *step = hsc_poly_step(d, a->place->offset, loop, &element);
    int64_t bytes;
    if (!step) {
        r->stride = element != NONE    ? HSC_stride_INDIRECT
                    : a->place->offset ? HSC_stride_IRREGULAR
                                       : HSC_stride_UNKNOWN;
        if (element != NONE)
            r->index_id = hsc_data_array(d, d->atoms.p[element].object, 0);
        return;
    }
    r->stride_id = hsc_data_value(d, step, loop, 0);
    if (!hsc_poly_is_constant(step, &bytes))
        r->stride = HSC_stride_SYMBOLIC;
    else if (!bytes)
        r->stride = HSC_stride_ZERO;
    else if ((uint64_t)bytes == a->bytes)
        r->stride = HSC_stride_UNIT;
    else if (bytes == -(int64_t)a->bytes)
        r->stride = HSC_stride_REVERSE;
    else
        r->stride = HSC_stride_CONSTANT;
}

static void make_record(hsc_data *d, const hsc_access *a) {
    hsc_pass *p = d->p;
    unsigned loop = d->g->loop_of[a->block];
    uint64_t subscripts[HSC_PLACE_DIMENSIONS];
    hsc_ir_loc loc;
    hsc_ir_get_loc(a->instruction, &loc);
    hsc_rec_reference r = {.access = a->kind,
                           .procedure_id = d->procedure_id,
                           .loop_id = d->loops[loop].id,
                           .file_id = hsc_pass_file(p, loc.file),
                           .line = loc.line,
                           .column = loc.column,
                           .size_bytes = a->bytes};
    for (unsigned k = 0; k < a->place->n; k++) {
        const hsc_subscript *s = &a->place->subscript[k];
        const hsc_poly *x = s->index, *lower = s->lower ? s->lower : d->objects.p[a->place->object].lower[k];
        if (p->is_fortran)
            x = hsc_poly_add(d, x, lower ? lower : hsc_poly_constant(d, 1), 1);
        size_t known = p->values.n;
        subscripts[k] = hsc_data_value(d, x, loop, 0);
        if (subscripts[k] > known && p->values.p[subscripts[k] - 1].kind == HSC_value_kind_POLYNOMIAL) /* a new one: in the order of this line */
            p->values.p[subscripts[k] - 1].text = hsc_source_order(d, r.file_id, r.line, p->values.p[subscripts[k] - 1].text);
    }
    r.subscripts = hsc_data_ids(p, subscripts, a->place->n);
    r.array_id = hsc_data_array(d, a->place->object, 0);
    set_stride(d, &r, a, loop);
    if (!hsc_data_touched(a->instruction).address[0])
        hsc_kept_called(p, &r);
    r.reference_id = p->references.n + 1;
    *HSC_VECTOR_ADD(p->references) = r;
}

hsc_touch hsc_data_touched(LLVMValueRef i) {
    hsc_touch t = {.kind = {HSC_access_READ, HSC_access_READ}};
    bool reads;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        t.address[0] = LLVMGetOperand(i, 0);
        t.type = LLVMTypeOf(i);
        break;
    case LLVMStore:
        t.address[0] = LLVMGetOperand(i, 1);
        t.kind[0] = HSC_access_WRITE;
        t.type = LLVMTypeOf(LLVMGetOperand(i, 0));
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        t.address[0] = LLVMGetOperand(i, 0);
        t.kind[0] = HSC_access_UPDATE;
        t.type = LLVMTypeOf(LLVMGetOperand(i, 1));
        break;
    case LLVMCall:
        if (!is_intrinsic_copy(i, &reads))
            break;
        t.address[0] = LLVMGetOperand(i, 0);
        t.kind[0] = HSC_access_WRITE;
        if (reads)
            t.address[1] = LLVMGetOperand(i, 1);
        if (LLVMIsAConstantInt(LLVMGetOperand(i, 2)))
            t.bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
        break;
    default:
        break;
    }
    return t;
}

typedef HSC_VECTOR(hsc_access) accesses;

static void add(hsc_data *d, accesses *list, LLVMValueRef i, unsigned block, const hsc_place *place, const hsc_touch *t, unsigned k) {
    if (t->type && !d->objects.p[place->object].element)
        d->objects.p[place->object].element = t->type;
    *HSC_VECTOR_ADD(*list) = (hsc_access){i, place, t->type, t->kind[k], t->type ? hsc_ir_size_bytes(d->p->module, t->type) : t->bytes, block};
}

/* What a small procedure does with memory that the loop calls; it will be in line. */
static void add_called(hsc_data *d, accesses *list, LLVMValueRef call, unsigned block) {
    hsc_called_accesses inside = {0};
    hsc_called_add_accesses(d, call, &inside);
    for (size_t i = 0; i < inside.n; i++) {
        const hsc_called_access *a = &inside.p[i];
        hsc_place *place = hsc_arena_take(&d->arena, sizeof *place);
        *place = a->place;
        if (!is_local(d, place) && is_of_interest(d, place, a->touch.address[a->of], a->touch.type, a->touch.kind[a->of] != HSC_access_READ))
            add(d, list, call, block, place, &a->touch, a->of);
    }
    free(inside.p);
}

void hsc_data_references(hsc_data *d) {
    accesses list = {0}; /* records are made when all are found, so that bounds learned later count */
    for (unsigned b = 0; b < d->g->blocks; b++) {
        if (d->g->loop_of[b] == NONE || !d->loops[d->g->loop_of[b]].id)
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            hsc_touch t = hsc_data_touched(i);
            if (t.type && (d->p->is_fortran && hsc_is_descriptor(t.type)))
                continue;
            for (unsigned k = 0; k < 2 && t.address[k]; k++) {
                if (LLVMIsAAllocaInst(t.address[k]) && (!t.type || LLVMGetAllocatedType(t.address[k]) == t.type))
                    continue; /* a plain variable */
                const hsc_place *place = hsc_place_accessed(d, hsc_place_first(d, hsc_find_place(d, t.address[k])), t.type, i);
                if (is_of_interest(d, place, t.address[k], t.type, t.kind[k] != HSC_access_READ))
                    add(d, &list, i, b, place, &t, k);
            }
            if (!t.address[0] && (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)))
                add_called(d, &list, i, b);
        }
    }
    for (size_t i = 0; i < list.n; i++)
        make_record(d, &list.p[i]);
    hsc_data_interchange(d, list.p, list.n);
    free(list.p);
}
