/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elements that C++ reaches by a call: v[i], m(i, j), domain.x(i). Before inlining that is a call that returns an
 * address. Where the called procedure is in the module, what it returns the address of is looked up in it and carried
 * over to the caller. */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE
#define BLOCKS_MAX 8u
#define DEPTH_MAX 6u

static bool is_std(hsc_ir_text n) {
    return (n.n > 5 && !memcmp(n.p, "_ZNSt", 5)) || (n.n > 6 && !memcmp(n.p, "_ZNKSt", 6)) ||
           (n.n > 4 && !memcmp(n.p, "_ZSt", 4)) || (n.n > 12 && !memcmp(n.p, "_ZN9__gnu_cxx", 12));
}

static LLVMValueRef returned(LLVMValueRef function) {
    LLVMValueRef value = NULL;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!end || !LLVMIsAReturnInst(end) || !LLVMGetNumOperands(end))
            continue;
        if (value)
            return NULL;
        value = LLVMGetOperand(end, 0);
    }
    return value;
}

/* A number of the callee with the caller's arguments in it; NULL when it depends on anything else. */
static const hsc_poly *carry(hsc_data *to, const hsc_data *from, const hsc_poly *p, LLVMValueRef call) {
    if (!p)
        return NULL;
    const hsc_poly *sum = hsc_poly_constant(to, p->constant);
    for (uint32_t i = 0; i < p->n && sum; i++) {
        const hsc_poly *product = hsc_poly_constant(to, p->term[i].coefficient);
        for (uint32_t k = 0; k < p->term[i].n; k++) {
            const hsc_atom *a = &from->atoms.p[p->term[i].atom[k]];
            const hsc_poly *factor = NULL;
            if (a->argument && !a->by_reference && a->argument <= (unsigned)LLVMGetNumArgOperands(call)) {
                factor = hsc_evaluate(to, LLVMGetOperand(call, a->argument - 1));
            } else if (a->kind == HSC_ATOM_SYMBOL && a->block == NONE) {
                /* a member of the object: the same number as long as the object is */
                uint64_t key = hsc_place_hash("carried", hsc_hash64(0, a->text.p, a->text.n),
                                              (uint64_t)(uintptr_t)LLVMGetOperand(call, 0), 0);
                uint32_t at = hsc_map_get(&to->atom_of, key);
                if (!at) {
                    at = hsc_data_new_atom(to, HSC_ATOM_SYMBOL, hsc_data_format(to, "%.*s", (int)a->text.n, a->text.p),
                                           NULL, NONE) +
                         1;
                    hsc_map_set(&to->atom_of, key, at);
                }
                factor = hsc_poly_atom(to, at - 1);
            }
            product = hsc_poly_multiply(to, product, factor);
        }
        sum = hsc_poly_add(to, sum, product, 1);
    }
    return sum;
}

/* The part of a callee's name for something that begins at its object, or first argument: "this->m_x" gives "m_x". */
static bool is_from_first(const hsc_data *d, uint32_t object, hsc_str *rest) {
    const hsc_object *o = &d->objects.p[object], *root = o;
    for (unsigned round = 0; root->parent != NONE && round < 32; round++)
        root = &d->objects.p[root->parent];
    if (root->argument != 1 || o->name.n < root->name.n || memcmp(o->name.p, root->name.p, root->name.n))
        return false;
    *rest = (hsc_str){o->name.p + root->name.n, o->name.n - root->name.n};
    if (rest->n > 1 && rest->p[0] == '-' && rest->p[1] == '>')
        *rest = (hsc_str){rest->p + 2, rest->n - 2};
    else if (rest->n > 0 && rest->p[0] == '.')
        *rest = (hsc_str){rest->p + 1, rest->n - 1};
    return true;
}

/* Of what a container holds, by no name of the container's own ("value_type"): operator[] returns a reference to it; the container's
 * members are often not in debug information. */
static LLVMMetadataRef element_type(LLVMValueRef callee, const hsc_object *made) {
    hsc_ir_type t;
    hsc_ir_get_type(hsc_ir_get_result_type(callee), &t);
    LLVMMetadataRef type = t.kind == HSC_IR_TYPE_POINTER ? t.element : made->type;
    hsc_ir_get_type(type, &t);
    return t.node ? t.node : type;
}

hsc_place hsc_place_of_accessor(hsc_data *d, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call), result;
    hsc_place out = hsc_place_unknown();
    if (!d->p->is_cxx || !LLVMIsAFunction(callee) || LLVMIsDeclaration(callee) || callee == d->function ||
        !LLVMGetNumArgOperands(call) || LLVMCountBasicBlocks(callee) > BLOCKS_MAX ||
        d->p->accessor_depth >= DEPTH_MAX ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, 0))) != LLVMPointerTypeKind)
        return out;
    if (!(result = returned(callee)))
        return out;
    const hsc_place *self = hsc_find_place(d, LLVMGetOperand(call, 0));
    if (self->object == NONE)
        return out;
    hsc_place base = *self;
    hsc_graph g;
    hsc_data inner;
    hsc_ir_text name = hsc_ir_get_name(callee);
    d->p->accessor_depth++;
    hsc_graph_init(&g, callee);
    hsc_data_init(&inner, d->p, callee, 0, &g, NULL);
    const hsc_place *place = hsc_find_place(&inner, result);
    hsc_str rest;
    if (place->object != NONE && is_from_first(&inner, place->object, &rest)) {
        const hsc_object *made = &inner.objects.p[place->object];
        const hsc_object *holder = &d->objects.p[base.object];
        bool is_new, hides = is_std(name) || !rest.n;
        uint32_t at;
        uint64_t key = hsc_place_hash("accessor", holder->key, hsc_hash64(0, rest.p, rest.n), hides);
        at = hsc_place_object(d, key, &is_new);
        holder = &d->objects.p[base.object];
        hsc_object *o = &d->objects.p[at];
        if (is_new) {
            const char *sign = base.n ? "[]."
                               : holder->storage == HSC_storage_POINTER || holder->storage == HSC_storage_ARGUMENT
                                   ? "->"
                                   : ".";
            o->name = hides ? holder->name
                            : hsc_data_format(d, "%.*s%s%.*s", (int)holder->name.n, holder->name.p, sign, (int)rest.n,
                                              rest.p);
            o->type = hides ? element_type(callee, made) : made->type;
            o->file = made->file && !hides ? made->file : holder->file;
            o->line = made->file && !hides ? made->line : holder->line;
            o->storage = hides && holder->storage != HSC_storage_MEMBER ? HSC_storage_HEAP : HSC_storage_MEMBER;
            o->parent = base.object;
            o->symbol = holder->symbol;
            o->is_global = holder->is_global;
            hsc_ir_type t;
            hsc_ir_get_type(hides ? holder->type : made->type, &t);
            o->member_key = hides ? holder->member_key ? hsc_place_hash("elements", holder->member_key, 0, 0) : 0
                                  : made->member_key;
            o->rank = base.n + place->n;
            o->element = made->element;
            for (unsigned k = 0; k < o->rank && k < HSC_PLACE_DIMENSIONS; k++)
                o->lower[k] = hsc_poly_constant(d, 0);
        }
        out = hsc_place_at(d, at, place->type);
        out.offset = hsc_poly_add(d, base.n ? base.offset : out.offset, carry(d, &inner, place->offset, call), 1);
        out.n = 0;
        for (unsigned k = 0; k < base.n && out.n < HSC_PLACE_DIMENSIONS; k++)
            out.subscript[out.n++] = base.subscript[k];
        for (unsigned k = 0; k < place->n && out.n < HSC_PLACE_DIMENSIONS; k++)
            out.subscript[out.n++] = (hsc_subscript){.index = carry(d, &inner, place->subscript[k].index, call),
                                                     .stride_bytes = place->subscript[k].stride_bytes};
    }
    hsc_data_fini(&inner);
    hsc_graph_fini(&g);
    d->p->accessor_depth--;
    return out;
}
