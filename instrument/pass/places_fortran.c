/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Array elements of Fortran. flang makes one index of all subscripts, sum over k of (i(k) - lower(k)) * stride(k),
 * where stride(k) is the product of the extents before k, or is read from a descriptor. Constants are folded, the rest
 * stands there as such. */
#include "places.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NONE HSC_DATA_NONE
#define PIECES_MAX 32u
#define COPIES_MAX 4u /* of a descriptor, one of another */

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
    p->element_bytes = size;
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

/* How many array types stand in each other, and what is in the innermost. */
static unsigned nest_of(LLVMTypeRef type, LLVMTypeRef *element) {
    unsigned n = 0;
    for (; LLVMGetTypeKind(type) == LLVMArrayTypeKind; n++)
        type = LLVMGetElementType(type);
    *element = type;
    return n;
}

unsigned hsc_place_nested(hsc_data *d, hsc_place *p, LLVMValueRef gep) {
    LLVMTypeRef element, type = LLVMGetGEPSourceElementType(gep);
    unsigned n = nest_of(type, &element);
    bool is_text = LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 8;
    if (!n || n > HSC_PLACE_DIMENSIONS || is_text || (unsigned)LLVMGetNumOperands(gep) < n + 2)
        return 0;
    hsc_object *o = &d->objects.p[p->object];
    p->n = n;
    p->element_bytes = hsc_ir_size_bytes(d->p->module, element);
    for (unsigned k = n; k-- > 0; type = LLVMGetElementType(type)) {
        LLVMValueRef index = LLVMGetOperand(gep, n + 1 - k);
        uint64_t step = hsc_ir_size_bytes(d->p->module, LLVMGetElementType(type));
        const hsc_poly *x = hsc_evaluate(d, index);
        p->subscript[k] = (hsc_subscript){.index = x,
                                          .lower = is(index, LLVMSub) ? hsc_evaluate(d, LLVMGetOperand(index, 1)) : NULL,
                                          .stride = hsc_poly_constant(d, (int64_t)(step / (p->element_bytes ? p->element_bytes : 1)))};
        p->offset = hsc_poly_add(d, p->offset, hsc_poly_multiply(d, x, hsc_poly_constant(d, (int64_t)step)), 1);
        o = &d->objects.p[p->object];
        if (!o->extent[k] && LLVMGetArrayLength2(type))
            o->extent[k] = hsc_poly_constant(d, (int64_t)LLVMGetArrayLength2(type));
        if (!o->lower[k])
            o->lower[k] = p->subscript[k].lower;
    }
    if (o->rank < n)
        o->rank = n;
    hsc_ir_type t;
    hsc_ir_get_type(p->type, &t);
    if (t.kind == HSC_IR_TYPE_ARRAY)
        p->type = t.element;
    return n;
}

/* The dimension of an array with a descriptor whose stride, from there, the bytes are a fixed number of. */
static bool dimension_described(hsc_data *d, const hsc_place *p, const hsc_poly *bytes, unsigned *dimension, int64_t *elements) {
    if (!bytes || bytes->n != 1 || bytes->constant || bytes->term[0].n != 1)
        return false;
    LLVMValueRef value = d->atoms.p[bytes->term[0].atom[0]].value;
    if (!value || !LLVMIsALoadInst(value))
        return false;
    const hsc_place *field = hsc_find_place(d, LLVMGetOperand(value, 0));
    *dimension = field->dimension;
    *elements = bytes->term[0].coefficient;
    return field->is_descriptor && field->field == 3 && field->dimension < p->n &&
           hsc_data_behind_descriptor(d, field->object) == p->object;
}

/* The dimension that a step of so many bytes goes along, and how many elements of it: the first that it is one element
 * of, else the last that it is a fixed number of. */
static bool dimension_of_step(hsc_data *d, const hsc_place *p, const hsc_poly *bytes, unsigned *dimension, int64_t *elements) {
    const hsc_object *o = &d->objects.p[p->object];
    const hsc_poly *stride = hsc_poly_constant(d, (int64_t)p->element_bytes);
    bool found = false;
    for (unsigned k = 0; k < p->n && stride; k++) {
        int64_t c;
        if (hsc_poly_is_constant(hsc_poly_divide(d, bytes, stride), &c)) {
            found = true;
            *dimension = k;
            *elements = c;
            if (c == 1)
                return true;
        }
        stride = o->extent[k] ? hsc_poly_multiply(d, stride, o->extent[k]) : NULL;
    }
    return found;
}

void hsc_place_section(hsc_data *d, hsc_place *p, LLVMValueRef index, uint64_t size) {
    pieces s = {.d = d};
    hsc_place moved = *p;
    p->offset = hsc_poly_add(d, p->offset,
                             hsc_poly_multiply(d, hsc_evaluate(d, index), hsc_poly_constant(d, (int64_t)size)), 1);
    moved.offset = p->offset;
    collect(&s, index, 0);
    int64_t element = (int64_t)p->element_bytes, elements, whole;
    bool known = !s.failed && !__builtin_mul_overflow(s.constant, (int64_t)size, &whole) && whole >= 0;
    for (unsigned i = 0; i < s.n && known; i++) {
        const hsc_poly *bytes = hsc_poly_multiply(d, s.list[i].stride, hsc_poly_constant(d, (int64_t)size));
        unsigned k;
        if (hsc_poly_is_constant(bytes, &elements) && elements > 0 && elements < element)
            continue; /* a part of the element, as of a text */
        known = dimension_described(d, p, bytes, &k, &elements) || dimension_of_step(d, p, bytes, &k, &elements);
        if (!known)
            break;
        hsc_subscript *u = &moved.subscript[k];
        const hsc_poly *lower = s.list[i].lower;
        if (lower && lower->n && !u->lower && !d->objects.p[p->object].lower[k])
            u->lower = d->objects.p[p->object].lower[k] = lower; /* a bound; the 1 that sections are counted from is none */
        u->index =
            hsc_poly_add(d, u->index, hsc_poly_multiply(d, s.list[i].index, hsc_poly_constant(d, elements)), 1);
    }
    if (known)
        moved.subscript[0].index = hsc_poly_add(d, moved.subscript[0].index, hsc_poly_constant(d, whole / element), 1);
    else
        for (unsigned k = 0; k < moved.n; k++)
            moved.subscript[k].index = NULL;
    *p = moved;
}

LLVMValueRef hsc_fortran_inserted(LLVMValueRef structure, const unsigned *path, unsigned n) {
    LLVMValueRef value = structure;
    for (; LLVMIsAInsertValueInst(value); value = LLVMGetOperand(value, 0))
        if (LLVMGetNumIndices(value) == n && !memcmp(LLVMGetIndices(value), path, n * sizeof *path))
            return LLVMGetOperand(value, 1);
    for (unsigned k = 0; k < n; k++) {
        if (!value || !LLVMIsAConstant(value))
            return NULL;
        value = LLVMGetAggregateElement(value, path[k]);
    }
    return value && !LLVMIsUndef(value) ? value : NULL;
}

/* The whole of a descriptor on the stack that is written once. */
static LLVMValueRef written_once(LLVMValueRef descriptor) {
    LLVMValueRef value = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(descriptor); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != descriptor)
            continue;
        if (value)
            return NULL;
        value = LLVMGetOperand(user, 0);
    }
    return value;
}

static bool is_call_of(LLVMValueRef v, const char *name) {
    LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
    hsc_ir_text text = callee && LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
    return text.n == strlen(name) && !memcmp(text.p, name, text.n);
}

LLVMValueRef hsc_fortran_meant(LLVMValueRef descriptor) {
    if (!LLVMIsAPHINode(descriptor) || LLVMCountIncoming(descriptor) != 2)
        return NULL;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef array = LLVMGetIncomingValue(descriptor, k);
        if (LLVMIsAConstantPointerNull(LLVMGetIncomingValue(descriptor, 1 - k)))
            return array;
        for (LLVMUseRef u = LLVMGetFirstUse(array); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (is_call_of(user, "_FortranACopyInAssign") && LLVMGetOperand(user, 1) == array &&
                LLVMGetInstructionParent(user) == LLVMGetIncomingBlock(descriptor, 1 - k))
                return array;
        }
    }
    return NULL;
}

/* The descriptor that the code has made for one section, with the field at this address; NULL: not known. */
static LLVMValueRef described(hsc_data *d, LLVMValueRef address, unsigned *path, unsigned *n) {
    LLVMValueRef descriptor = address;
    path[0] = 0;
    *n = 1;
    if (LLVMIsAGetElementPtrInst(address)) {
        unsigned operands = (unsigned)LLVMGetNumOperands(address);
        descriptor = LLVMGetOperand(address, 0);
        if (operands < 3 || operands > 5 || !hsc_is_descriptor(LLVMGetGEPSourceElementType(address)))
            return NULL;
        *n = operands - 2;
        for (unsigned k = 0; k <= *n; k++) {
            LLVMValueRef index = LLVMGetOperand(address, k + 1);
            if (!LLVMIsAConstantInt(index) || (!k && LLVMConstIntGetZExtValue(index)))
                return NULL;
            if (k)
                path[k - 1] = (unsigned)LLVMConstIntGetZExtValue(index);
        }
    }
    for (unsigned round = 0; round < COPIES_MAX; round++) {
        unsigned steps = 0;
        for (LLVMValueRef meant = descriptor; meant && steps++ < COPIES_MAX; meant = hsc_fortran_meant(descriptor))
            descriptor = meant;
        if (!LLVMIsAAllocaInst(descriptor) || !hsc_is_descriptor(LLVMGetAllocatedType(descriptor)) ||
            hsc_place_is_declared(d, descriptor))
            return NULL;
        LLVMValueRef value = written_once(descriptor);
        if (!value || !LLVMIsALoadInst(value))
            return value;
        descriptor = LLVMGetOperand(value, 0);
    }
    return NULL;
}

LLVMValueRef hsc_fortran_described(hsc_data *d, LLVMValueRef address) {
    unsigned path[3], n;
    LLVMValueRef value = described(d, address, path, &n);
    return value ? hsc_fortran_inserted(value, path, n) : NULL;
}

void hsc_fortran_learn_lower(hsc_data *d, LLVMValueRef address, uint32_t object) {
    unsigned path[3], n;
    LLVMValueRef value = described(d, address, path, &n);
    LLVMTypeRef type = value ? LLVMTypeOf(value) : NULL;
    bool has = type && LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMCountStructElementTypes(type) > 7;
    LLVMTypeRef dimensions = has ? LLVMStructGetTypeAtIndex(type, 7) : NULL;
    uint64_t rank = dimensions && LLVMGetTypeKind(dimensions) == LLVMArrayTypeKind ? LLVMGetArrayLength2(dimensions) : 0;
    for (unsigned k = 0; k < rank && k < HSC_PLACE_DIMENSIONS; k++) {
        LLVMValueRef lower = hsc_fortran_inserted(value, (unsigned[]){7, k, 0}, 3);
        if (lower && LLVMIsASelectInst(lower) && is_one(LLVMGetOperand(lower, 1))) /* 1 of an array without elements */
            lower = LLVMGetOperand(lower, 2);
        if (lower && !d->objects.p[object].lower[k]) {
            const hsc_poly *bound = hsc_evaluate(d, lower);
            d->objects.p[object].lower[k] = bound && !bound->n ? bound : NULL;
        }
    }
}

/* From what flang tells its runtime of the type, where the unit has that: "_QMmTgrid" -> "_QMmE.c.grid", an entry a component. */
static bool told_component(const hsc_pass *p, const char *symbol, const char *type, size_t n_type, unsigned k, char *name, size_t size) {
    char global[512];
    size_t length;
    int n = snprintf(global, sizeof global, "%.*sE.c.%.*s", (int)(type - 1 - symbol), symbol, (int)n_type, type);
    LLVMValueRef table = n > 0 && (size_t)n < sizeof global ? LLVMGetNamedGlobal(p->module, global) : NULL;
    LLVMValueRef value = table ? LLVMGetInitializer(table) : NULL;
    const unsigned path[] = {k, 0, 0}; /* the descriptor of its name, the address in that */
    if (value && (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMArrayTypeKind || LLVMGetArrayLength2(LLVMTypeOf(value)) <= k))
        return false;
    for (size_t i = 0; value && i < sizeof path / sizeof *path; i++)
        value = LLVMGetAggregateElement(value, path[i]);
    value = value && LLVMIsAGlobalVariable(value) ? LLVMGetInitializer(value) : NULL;
    const char *text = value && LLVMIsAConstantDataArray(value) && LLVMIsConstantString(value) ? LLVMGetAsString(value, &length) : NULL;
    if (!text || !length || length >= size)
        return false;
    memcpy(name, text, length);
    name[length] = 0;
    return true;
}

void hsc_fortran_component_name(const hsc_pass *p, const char *symbol, unsigned k, char *name, size_t size) {
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
    if (!told_component(p, symbol, type, (size_t)(end - type), k, name, size))
        *name = 0;
}

/* ---- dummies without a variable ---- */

static size_t word_at(const char *p, const char *end) {
    const char *at = p;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        at++;
    return (size_t)(at - p);
}

/* On to the next word or sign of a statement: over blanks, comments, ends of lines and what marks a continuation. */
static const char *skip_to_word(const char *p, const char *end) {
    while (p < end)
        if (*p == '!')
            while (p < end && *p != '\n')
                p++;
        else if (*p == '\n' && end - p > 6 && !memcmp(p + 1, "     ", 5) && p[6] != ' ' && !isalpha((unsigned char)p[6]))
            p += 7; /* fixed form: column 6 */
        else if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' || *p == '&')
            p++;
        else
            break;
    return p;
}

/* Dummy number `k`, from 1, of `n`, as the statement says that begins the procedure; empty: it is another number of dummies. */
static hsc_str dummy_in(const char *text, size_t size, hsc_ir_text procedure, unsigned k, unsigned n) {
    const char *p = text, *end = text + size;
    hsc_str found = {NULL, 0};
    unsigned count = 0;
    for (size_t w; p < end && *p != '\n' && *p != '!'; p += w ? w : 1) { /* subroutine NAME(, function NAME( */
        w = word_at(p, end);
        const char *behind = skip_to_word(p + w, end);
        if (w == procedure.n && !strncasecmp(p, procedure.p, w) && behind < end && *behind == '(') {
            for (p = skip_to_word(behind + 1, end); p < end && (w = word_at(p, end)) > 0; p = skip_to_word(p + 1, end)) {
                found = ++count == k ? (hsc_str){p, w} : found;
                p = skip_to_word(p + w, end);
                if (p == end || *p != ',')
                    break;
            }
            return p < end && *p == ')' && count == n ? found : (hsc_str){NULL, 0};
        }
    }
    return (hsc_str){NULL, 0};
}

void hsc_fortran_name_dummy(hsc_data *d, LLVMValueRef argument) {
    hsc_ir_subprogram s;
    const char *text;
    size_t size;
    if (hsc_map_get(&d->variable_of, (uint64_t)(uintptr_t)argument) || !hsc_ir_get_function_subprogram(d->function))
        return;
    hsc_ir_get_subprogram(hsc_ir_get_function_subprogram(d->function), &s);
    if (!s.file || !s.name.n || !hsc_source_text(d->p, hsc_pass_file(d->p, s.file), s.line, 1, &text, &size))
        return;
    unsigned number = hsc_data_argument_number(d, argument);
    hsc_str name = dummy_in(text, size, s.name, number, LLVMCountParams(d->function));
    if (!name.n)
        return;
    name = hsc_data_format(d, "%.*s", (int)name.n, name.p);
    hsc_variable *v = hsc_arena_take(&d->arena, sizeof *v);
    v->address = argument;
    v->debug.name = (hsc_ir_text){name.p, name.n};
    v->debug.file = s.file;
    v->debug.line = s.line;
    v->debug.argument = number;
    *HSC_VECTOR_ADD(d->variables) = v;
    hsc_map_set(&d->variable_of, (uint64_t)(uintptr_t)argument, (uint32_t)d->variables.n);
}
