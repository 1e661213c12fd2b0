/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Array elements of Fortran. flang makes one index of all subscripts, sum over k of (i(k) - lower(k)) * stride(k),
 * where stride(k) is the product of the extents before k, or is read from a descriptor. Constants are folded, the rest
 * stands there as such. */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE
#define PIECES_MAX 32u

bool hsc_is_descriptor(LLVMTypeRef type) {
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMCountStructElementTypes(type) < 7)
        return false;
    LLVMTypeRef e[10];
    unsigned n = LLVMCountStructElementTypes(type);
    if (n > 10)
        return false;
    LLVMGetStructElementTypes(type, e);
    return LLVMGetTypeKind(e[0]) == LLVMPointerTypeKind && LLVMGetTypeKind(e[1]) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(e[1]) == 64 && LLVMGetTypeKind(e[2]) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(e[2]) == 32 && LLVMGetTypeKind(e[3]) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(e[3]) == 8 && LLVMGetTypeKind(e[6]) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(e[6]) == 8;
}

/* (i - lower) * stride */
typedef struct piece {
    const hsc_poly *index, *lower, *stride; /* lower NULL: folded into index */
    LLVMValueRef stride_value;              /* NULL: 1 */
} piece;

typedef struct pieces {
    hsc_data *d;
    piece list[PIECES_MAX];
    unsigned n;
    int64_t constant;
    bool failed;
} pieces;

static bool is(LLVMValueRef v, LLVMOpcode o) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == o;
}

static bool is_one(LLVMValueRef v) {
    return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == 1;
}

/* (i - lower) * step, with step 1 but for sections. */
static void take_index(pieces *s, piece *p, LLVMValueRef v) {
    LLVMValueRef step = NULL;
    if (is(v, LLVMMul)) {
        step = LLVMGetOperand(v, 1);
        v = LLVMGetOperand(v, 0);
    }
    p->index = hsc_evaluate(s->d, v);
    if (is(v, LLVMSub))
        p->lower = hsc_evaluate(s->d, LLVMGetOperand(v, 1));
    if (step && !is_one(step)) {
        p->index = hsc_poly_multiply(s->d, p->index, hsc_evaluate(s->d, step));
        p->lower = NULL;
    }
}

static void collect(pieces *s, LLVMValueRef v, unsigned depth) {
    if (LLVMIsAConstantInt(v)) {
        s->constant += LLVMConstIntGetSExtValue(v);
        return;
    }
    if (is(v, LLVMAdd) && depth < PIECES_MAX) {
        collect(s, LLVMGetOperand(v, 1), depth + 1); /* what came before: lower dimensions */
        collect(s, LLVMGetOperand(v, 0), depth + 1);
        return;
    }
    if (s->n == PIECES_MAX) {
        s->failed = true;
        return;
    }
    piece *p = &s->list[s->n++];
    *p = (piece){0};
    if (is(v, LLVMMul)) {
        LLVMValueRef stride = LLVMGetOperand(v, 1);
        if (!is_one(stride))
            p->stride_value = stride;
        p->stride = hsc_evaluate(s->d, stride);
        take_index(s, p, LLVMGetOperand(v, 0));
    } else {
        p->stride = hsc_poly_constant(s->d, 1);
        take_index(s, p, v);
    }
}

/* How many dimensions the stride is a product over, where that shows; NONE: it does not. */
static unsigned dimension_of_stride(hsc_data *d, const hsc_object *o, LLVMValueRef stride, const hsc_poly *value) {
    if (!stride)
        return 0;
    if (LLVMIsALoadInst(stride)) {
        const hsc_place *field = hsc_find_place(d, LLVMGetOperand(stride, 0));
        if (field->is_descriptor && field->field == 3)
            return field->dimension;
    }
    const hsc_poly *product = hsc_poly_constant(d, 1);
    for (unsigned k = 0; k < HSC_PLACE_DIMENSIONS; k++) {
        if (hsc_poly_equal(product, value))
            return k;
        if (!o->extent[k])
            break;
        product = hsc_poly_multiply(d, product, o->extent[k]);
    }
    if (is(stride, LLVMMul)) {
        LLVMValueRef before = LLVMGetOperand(stride, 0);
        unsigned k = is_one(before) ? 0 : dimension_of_stride(d, o, before, hsc_evaluate(d, before));
        return k == NONE ? NONE : k + 1;
    }
    return NONE;
}

/* Extents that a product of them shows: ((1 * e1) * e2). */
static void learn_extents(hsc_data *d, uint32_t object, LLVMValueRef stride, unsigned k) {
    for (; k && stride && k <= HSC_PLACE_DIMENSIONS && is(stride, LLVMMul); k--) {
        const hsc_poly *extent = hsc_evaluate(d, LLVMGetOperand(stride, 1));
        hsc_object *o = &d->objects.p[object];
        if (!o->extent[k - 1])
            o->extent[k - 1] = extent;
        stride = LLVMGetOperand(stride, 0);
    }
}

void hsc_place_linear(hsc_data *d, hsc_place *p, LLVMValueRef index, uint64_t size) {
    pieces s = {.d = d};
    p->offset = hsc_poly_add(d, p->offset,
                             hsc_poly_multiply(d, hsc_evaluate(d, index), hsc_poly_constant(d, (int64_t)size)), 1);
    collect(&s, index, 0);
    unsigned rank = d->objects.p[p->object].rank, next = 0;
    if (s.failed) {
        rank = 0;
        s.n = 0;
    }
    for (unsigned i = 0; i < s.n; i++) {
        const hsc_object *o = &d->objects.p[p->object];
        piece *x = &s.list[i];
        unsigned k = dimension_of_stride(d, o, x->stride_value, x->stride);
        if (k == NONE)
            k = next ? next : x->stride_value ? 1 : 0;
        if (k >= HSC_PLACE_DIMENSIONS)
            continue;
        learn_extents(d, p->object, x->stride_value, k);
        hsc_subscript *u = &p->subscript[k];
        for (; p->n <= k; p->n++)
            p->subscript[p->n] = (hsc_subscript){.index = hsc_poly_constant(d, 0)};
        u->index = hsc_poly_add(d, u->index, x->index, 1);
        u->lower = x->lower;
        u->stride = x->stride;
        if (x->lower && !d->objects.p[p->object].lower[k])
            d->objects.p[p->object].lower[k] = x->lower;
        next = k + 1;
    }
    for (; p->n < rank && p->n < HSC_PLACE_DIMENSIONS; p->n++)
        p->subscript[p->n] = (hsc_subscript){.index = hsc_poly_constant(d, 0)};
    if (!p->n)
        p->subscript[p->n++] = (hsc_subscript){.index = hsc_poly_constant(d, 0)};
    hsc_object *o = &d->objects.p[p->object];
    if (o->rank < p->n)
        o->rank = p->n;
    /* constants of several subscripts were added up: the largest constant stride first */
    for (unsigned k = p->n; k-- > 0 && s.constant > 0;) {
        int64_t stride = 1, extent;
        bool known = true;
        for (unsigned j = 0; j < k && known; j++) {
            known = hsc_poly_is_constant(o->extent[j], &extent) && extent > 0 &&
                    !__builtin_mul_overflow(stride, extent, &stride);
        }
        if (!known)
            continue;
        p->subscript[k].index = hsc_poly_add(d, p->subscript[k].index, hsc_poly_constant(d, s.constant / stride), 1);
        s.constant %= stride;
    }
    if (s.constant)
        p->subscript[0].index = hsc_poly_add(d, p->subscript[0].index, hsc_poly_constant(d, s.constant), 1);
    hsc_ir_type t;
    hsc_ir_get_type(p->type, &t);
    if (t.kind == HSC_IR_TYPE_ARRAY)
        p->type = t.element;
}

void hsc_fortran_component_name(hsc_pass *p, const char *symbol, unsigned k, char *name, size_t size) {
    const char *end = symbol + strlen(symbol), *type = NULL;
    *name = 0;
    /* "_QMmTgrid", "_QMmTgridK8": the part after the last T, without type parameters */
    for (const char *c = symbol; *c; c++)
        if (*c == 'T')
            type = c + 1;
    if (strncmp(symbol, "_Q", 2) || !type)
        return;
    for (const char *c = type; c < end; c++)
        if (*c >= 'A' && *c <= 'Z')
            end = c;
    for (uint32_t file = 1; file <= p->files.n; file++)
        if (hsc_source_fortran_component(p, file, type, (size_t)(end - type), k, name, size))
            return;
    *name = 0;
}
