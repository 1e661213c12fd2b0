/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables of the procedure round an OpenMP region of flang: the region is a function that gets their addresses in a
 * structure. They are looked up in the procedure that forks it. */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE

struct hsc_outer {
    hsc_graph graph;
    hsc_data data;
    LLVMValueRef fork, structure; /* the call, and what it passes */
};

void hsc_captured_fini(hsc_data *d) {
    if (!d->outer)
        return;
    hsc_data_fini(&d->outer->data);
    hsc_graph_fini(&d->outer->graph);
    free(d->outer);
}

/* The procedure that forks this region, looked at when first asked for; NULL: none. */
static struct hsc_outer *outer_of(hsc_data *d) {
    hsc_pass *p = d->p;
    if (d->outer || d->outer_tried)
        return d->outer;
    d->outer_tried = true;
    if (!(p->procedures.p[d->procedure_id - 1].flags & HSC_procedure_flag_OUTLINED))
        return NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(d->function); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsACallInst(user))
            continue;
        LLVMValueRef structure = LLVMGetOperand(user, LLVMGetNumArgOperands(user) - 1);
        LLVMValueRef parent = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
        uint32_t id = hsc_pass_procedure_of_function(p, parent);
        if (!LLVMIsAAllocaInst(structure) || parent == d->function)
            continue;
        struct hsc_outer *o = d->outer = hsc_pass_alloc(sizeof *o);
        o->fork = user;
        o->structure = structure;
        hsc_graph_init(&o->graph, parent);
        hsc_data_init(&o->data, p, parent, id, &o->graph, NULL);
        break;
    }
    return d->outer;
}

/* What the forking procedure puts into field k. */
static LLVMValueRef stored_in_field(const struct hsc_outer *o, uint64_t k) {
    for (LLVMUseRef u = LLVMGetFirstUse(o->structure); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u), at = NULL;
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetNumOperands(user) == 3 && LLVMIsAConstantInt(LLVMGetOperand(user, 2)) &&
            LLVMConstIntGetZExtValue(LLVMGetOperand(user, 2)) == k)
            at = user;
        else if (k == 0 && LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == o->structure)
            return LLVMGetOperand(user, 0);
        for (LLVMUseRef w = at ? LLVMGetFirstUse(at) : NULL; w; w = LLVMGetNextUse(w))
            if (LLVMIsAStoreInst(LLVMGetUser(w)) && LLVMGetOperand(LLVMGetUser(w), 1) == at)
                return LLVMGetOperand(LLVMGetUser(w), 0);
    }
    return NULL;
}

/* The value in the forking procedure that this pointer, read from the structure, is; NULL: it is none. */
static LLVMValueRef captured(hsc_data *d, LLVMValueRef load) {
    if (!d->p->is_fortran || !LLVMIsALoadInst(load))
        return NULL;
    LLVMValueRef address = LLVMGetOperand(load, 0), base = address;
    uint64_t k = 0;
    if (LLVMIsAGetElementPtrInst(address) && LLVMGetNumOperands(address) == 3 &&
        LLVMIsAConstantInt(LLVMGetOperand(address, 2))) {
        base = LLVMGetOperand(address, 0);
        k = LLVMConstIntGetZExtValue(LLVMGetOperand(address, 2));
    }
    if (!LLVMIsAArgument(base) || LLVMGetParam(d->function, LLVMCountParams(d->function) - 1) != base)
        return NULL;
    struct hsc_outer *o = outer_of(d);
    return o ? stored_in_field(o, k) : NULL;
}

hsc_place hsc_place_of_captured(hsc_data *d, LLVMValueRef load) {
    LLVMValueRef value = captured(d, load);
    const hsc_place *there = value ? hsc_find_place(&d->outer->data, value) : NULL;
    if (!there || there->object == NONE || there->n)
        return hsc_place_unknown();
    bool is_new;
    const hsc_object *from = &d->outer->data.objects.p[there->object];
    uint32_t at = hsc_place_object(d, from->key, &is_new);
    hsc_object *o = &d->objects.p[at];
    if (is_new) {
        *o = *from;
        o->name = hsc_data_format(d, "%.*s", (int)from->name.n, from->name.p);
        o->parent = NONE;
        o->argument = 0;
        o->array_id = 0;
        o->base = o->allocation = NULL;
        for (unsigned k = 0; k < HSC_PLACE_DIMENSIONS; k++) {
            int64_t c;
            o->lower[k] = hsc_poly_is_constant(from->lower[k], &c) ? hsc_poly_constant(d, c) : NULL;
            o->extent[k] = hsc_poly_is_constant(from->extent[k], &c) ? hsc_poly_constant(d, c) : NULL;
        }
    }
    hsc_place out = hsc_place_at(d, at, there->type);
    out.is_descriptor = there->is_descriptor;
    out.field = there->field;
    out.dimension = there->dimension;
    return out;
}

hsc_str hsc_captured_number(hsc_data *d, LLVMValueRef pointer) {
    LLVMValueRef value = captured(d, pointer);
    hsc_str text = value ? hsc_poly_text(&d->outer->data, hsc_evaluate_content(&d->outer->data, value, d->outer->fork))
                         : (hsc_str){NULL, 0};
    return text.n && text.p[0] != '?' ? hsc_data_format(d, "%.*s", (int)text.n, text.p) : (hsc_str){NULL, 0};
}
