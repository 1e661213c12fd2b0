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
    r.reference_id = p->references.n + 1;
    *HSC_VECTOR_ADD(p->references) = r;
}

void hsc_data_references(hsc_data *d) {
    HSC_VECTOR(hsc_access) list = {0}; /* records are made when all are found, so that bounds learned later count */
    for (unsigned b = 0; b < d->g->blocks; b++) {
        if (d->g->loop_of[b] == NONE || !d->loops[d->g->loop_of[b]].id)
            continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef pointer[2] = {NULL, NULL};
            uint64_t kind[2] = {HSC_access_READ, HSC_access_READ}, bytes = 0;
            LLVMTypeRef type = NULL;
            bool reads;
            switch (LLVMGetInstructionOpcode(i)) {
            case LLVMLoad:
                pointer[0] = LLVMGetOperand(i, 0);
                type = LLVMTypeOf(i);
                break;
            case LLVMStore:
                pointer[0] = LLVMGetOperand(i, 1);
                kind[0] = HSC_access_WRITE;
                type = LLVMTypeOf(LLVMGetOperand(i, 0));
                break;
            case LLVMAtomicRMW:
            case LLVMAtomicCmpXchg:
                pointer[0] = LLVMGetOperand(i, 0);
                kind[0] = HSC_access_UPDATE;
                type = LLVMTypeOf(LLVMGetOperand(i, 1));
                break;
            case LLVMCall:
                if (!is_intrinsic_copy(i, &reads))
                    break;
                pointer[0] = LLVMGetOperand(i, 0);
                kind[0] = HSC_access_WRITE;
                if (reads)
                    pointer[1] = LLVMGetOperand(i, 1);
                if (LLVMIsAConstantInt(LLVMGetOperand(i, 2)))
                    bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
                break;
            default:
                break;
            }
            if (type && (d->p->is_fortran && hsc_is_descriptor(type)))
                continue;
            for (unsigned k = 0; k < 2 && pointer[k]; k++) {
                if (LLVMIsAAllocaInst(pointer[k]) && (!type || LLVMGetAllocatedType(pointer[k]) == type))
                    continue; /* a plain variable */
                const hsc_place *place = hsc_place_accessed(d, hsc_place_first(d, hsc_find_place(d, pointer[k])), type, i);
                if (!is_of_interest(d, place, pointer[k], type, kind[k] != HSC_access_READ))
                    continue;
                if (type && !d->objects.p[place->object].element)
                    d->objects.p[place->object].element = type;
                *HSC_VECTOR_ADD(list) =
                    (hsc_access){i, place, type, kind[k], type ? hsc_ir_size_bytes(d->p->module, type) : bytes, b};
            }
        }
    }
    for (size_t i = 0; i < list.n; i++)
        make_record(d, &list.p[i]);
    hsc_data_interchange(d, list.p, list.n);
    free(list.p);
}
