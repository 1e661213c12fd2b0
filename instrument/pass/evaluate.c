/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Integers of a procedure as written, as polynomials of its variables and of what its loops count. */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE
#define DEPTH_MAX 150u

static uint32_t keep(hsc_data *d, const hsc_poly *p) {
    *HSC_VECTOR_ADD(d->polys) = p;
    return (uint32_t)d->polys.n;
}

uint32_t hsc_data_new_atom(hsc_data *d, hsc_atom_kind kind, hsc_str text, LLVMValueRef value, unsigned block) {
    hsc_atom *a = HSC_VECTOR_ADD(d->atoms);
    *a = (hsc_atom){.kind = kind, .text = text, .block = block, .value = value, .loop = NONE, .object = NONE};
    LLVMTypeRef type = value ? LLVMTypeOf(value) : NULL;
    a->bits = type && LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 64;
    return (uint32_t)d->atoms.n - 1;
}

/* The atom with this key, made when it is not there: `is_new` tells. */
static uint32_t atom_for(hsc_data *d, uint64_t key, hsc_atom_kind kind, hsc_str text, LLVMValueRef value,
                         unsigned block, bool *is_new) {
    key += !key;
    uint32_t at = hsc_map_get(&d->atom_of, key);
    if (is_new)
        *is_new = !at;
    if (!at) {
        at = hsc_data_new_atom(d, kind, text, value, block) + 1;
        hsc_map_set(&d->atom_of, key, at);
    } else if (d->atoms.p[at - 1].text.p[0] == '?') {
        d->atoms.p[at - 1].text = text; /* where it was met first the source does not tell */
    }
    return at - 1;
}

static uint64_t hash3(const char *kind, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t v[3] = {a, b, c};
    return hsc_pass_tag(0, kind, v, sizeof v);
}

/* ---- what goes into an opaque number --------------------------------------------------------------------------------
 */

static uint64_t hash_poly(uint64_t seed, const hsc_poly *p) {
    if (!p)
        return hsc_pass_tag(seed, "none", "", 0);
    seed = hsc_pass_tag(seed, "constant", &p->constant, sizeof p->constant);
    for (uint32_t i = 0; i < p->n; i++) {
        seed = hsc_pass_tag(seed, "coefficient", &p->term[i].coefficient, sizeof p->term[i].coefficient);
        seed = hsc_pass_tag(seed, "atoms", p->term[i].atom, p->term[i].n * sizeof *p->term[i].atom);
    }
    return seed;
}

static bool is_from_before(const hsc_data *d, const hsc_poly *p) {
    for (uint32_t i = 0; p && i < p->n; i++)
        for (uint32_t k = 0; k < p->term[i].n; k++) {
            const hsc_atom *a = &d->atoms.p[p->term[i].atom[k]];
            if (a->block != NONE || a->kind == HSC_ATOM_INDUCTION || a->is_stored)
                return false;
        }
    return p != NULL;
}

static hsc_str bracketed(hsc_data *d, hsc_str s) {
    return memchr(s.p, ' ', s.n) ? hsc_data_format(d, "(%.*s)", (int)s.n, s.p) : s;
}

/* f(a, b) or a op b as an atom that is equal for equal operands. */
static const hsc_poly *opaque(hsc_data *d, LLVMValueRef value, const char *function, const char *sign,
                              const hsc_poly *a, const hsc_poly *b) {
    hsc_str x = hsc_poly_text(d, a), y = hsc_poly_text(d, b), text;
    if (function && b)
        text = hsc_data_format(d, "%s(%.*s, %.*s)", function, (int)x.n, x.p, (int)y.n, y.p);
    else if (function)
        text = hsc_data_format(d, "%s(%.*s)", function, (int)x.n, x.p);
    else {
        x = bracketed(d, x);
        y = bracketed(d, y);
        text = hsc_data_format(d, "%.*s%s%.*s", (int)x.n, x.p, sign, (int)y.n, y.p);
    }
    bool before = is_from_before(d, a) && (!b || is_from_before(d, b));
    uint64_t key = hash_poly(hash_poly(hash3(function ? function : sign, 0, 0, 0), a), b);
    if (!a || (!before && !b && function))
        key = hash3("opaque", (uint64_t)(uintptr_t)value, 0, 0);
    return hsc_poly_atom(
        d, atom_for(d, key, HSC_ATOM_OPAQUE, text, value, before ? NONE : hsc_data_block(d, value), NULL));
}

static const hsc_poly *unknown(hsc_data *d, LLVMValueRef value) {
    hsc_str text = {"?", 1};
    if (LLVMIsACallInst(value)) {
        LLVMValueRef callee = LLVMGetCalledValue(value);
        if (LLVMIsAFunction(callee)) {
            hsc_ir_text name = hsc_ir_get_name(callee);
            hsc_str source = hsc_pass_source_name(d->p, name.p, name);
            text = hsc_data_format(d, "%.*s()", (int)source.n, source.p);
        }
    }
    unsigned block = LLVMIsAInstruction(value) ? hsc_data_block(d, value) : NONE;
    uint64_t key = hash3("unknown", (uint64_t)(uintptr_t)value, 0, 0);
    return hsc_poly_atom(d, atom_for(d, key, HSC_ATOM_OPAQUE, text, value, block, NULL));
}

/* ---- variables ------------------------------------------------------------------------------------------------------
 */

/* An argument passed by value: named after the variable that it is stored to. */
static const hsc_poly *evaluate_argument(hsc_data *d, LLVMValueRef value) {
    hsc_str name = {"?", 1};
    for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) != value)
            continue;
        const hsc_variable *v = hsc_data_variable(d, LLVMGetOperand(user, 1));
        if (v)
            name = hsc_data_variable_name(d, v, NULL);
        break;
    }
    uint32_t a =
        atom_for(d, hash3("argument", (uint64_t)(uintptr_t)value, 0, 0), HSC_ATOM_SYMBOL, name, value, NONE, NULL);
    d->atoms.p[a].argument = hsc_data_argument_number(d, value);
    return hsc_poly_atom(d, a);
}

static const hsc_poly *evaluate_definition(hsc_data *d, hsc_variable *v, hsc_definition def, LLVMValueRef load);

/* A variable at the header of a loop that changes it. It goes by steps when what the only store writes is its value at
 * the header plus something that is the same in every round. */
static const hsc_poly *evaluate_in_loop(hsc_data *d, hsc_variable *v, hsc_definition def, LLVMValueRef load) {
    bool is_new;
    uint32_t a = atom_for(d, hash3("loop", (uint64_t)(uintptr_t)v->address, def.block, 0), HSC_ATOM_SYMBOL,
                          hsc_data_variable_name(d, v, load), load, def.block, &is_new);
    const hsc_poly *self = hsc_poly_atom(d, a);
    if (!is_new || !def.value || !LLVMIsAStoreInst(def.value) || !hsc_data_is_once_a_round(d, def.value, def.loop))
        return self;
    const hsc_poly *step = hsc_poly_add(d, hsc_evaluate(d, LLVMGetOperand(def.value, 0)), self, -1);
    if (!hsc_poly_is_invariant(d, step, def.loop))
        return self;
    unsigned outside = d->loops[def.loop].outside;
    const hsc_poly *start = NULL;
    if (outside != NONE)
        start = evaluate_definition(d, v, hsc_find_definition_at_end(d, v, outside), load);
    hsc_atom *atom = &d->atoms.p[a];
    atom->kind = HSC_ATOM_INDUCTION;
    atom->loop = def.loop;
    atom->step = step;
    atom->start = start;
    return self;
}

/* A variable that is worked out anew each time round from a counter of the compiler's (OpenMP) goes by steps as well. */
static const hsc_poly *renamed(hsc_data *d, const hsc_variable *v, const hsc_poly *value, LLVMValueRef stored, LLVMValueRef load) {
    uint32_t at = NONE;
    hsc_str name = hsc_data_variable_name(d, v, load);
    if (!value || name.p[0] == '.' || name.p[0] == '?')
        return value;
    for (uint32_t i = 0; i < value->n; i++)
        for (uint32_t k = 0; k < value->term[i].n; k++) {
            const hsc_atom *a = &d->atoms.p[value->term[i].atom[k]];
            if (a->kind != HSC_ATOM_INDUCTION || (a->text.p[0] != '.' && a->text.p[0] != '?'))
                continue;
            if (at != NONE || value->term[i].n > 1)
                return value;
            at = i;
        }
    if (at == NONE)
        return value;
    const hsc_atom counter = d->atoms.p[value->term[at].atom[0]];
    int64_t factor = value->term[at].coefficient;
    bool is_new;
    uint32_t a = atom_for(d, hash3("renamed", (uint64_t)(uintptr_t)v->address, (uint64_t)(uintptr_t)stored, 0),
                          HSC_ATOM_INDUCTION, name, NULL, counter.block, &is_new);
    if (is_new) {
        const hsc_poly *self = hsc_poly_atom(d, value->term[at].atom[0]), *zero = hsc_poly_constant(d, 0);
        hsc_atom *made = &d->atoms.p[a];
        made->loop = counter.loop;
        made->step = hsc_poly_add(d, zero, counter.step, factor);
        made->start = hsc_poly_add(d, hsc_poly_add(d, value, self, -factor), counter.start, factor);
    }
    return hsc_poly_atom(d, a);
}

/* Is it made of what calls return, and of nothing else? */
static bool is_of_calls(const hsc_data *d, const hsc_poly *value) {
    for (uint32_t i = 0; i < value->n; i++)
        for (uint32_t k = 0; k < value->term[i].n; k++) {
            const hsc_atom *a = &d->atoms.p[value->term[i].atom[k]];
            if (a->kind != HSC_ATOM_OPAQUE || !memmem(a->text.p, a->text.n, "()", 2))
                return false;
        }
    return value->n > 0;
}

/* n = f(): the variable's name says more than that of the procedure that gave it its value. */
static const hsc_poly *called(hsc_data *d, const hsc_variable *v, const hsc_poly *value, hsc_definition def, LLVMValueRef load) {
    hsc_str name = hsc_data_variable_name(d, v, load);
    if (!value || name.p[0] == '.' || name.p[0] == '?' || !is_of_calls(d, value))
        return value;
    uint32_t a = atom_for(d, hash3("called", (uint64_t)(uintptr_t)v->address, (uint64_t)(uintptr_t)def.value, 0), HSC_ATOM_SYMBOL, name, load, def.block, NULL);
    return hsc_poly_atom(d, a);
}

static const hsc_poly *evaluate_definition(hsc_data *d, hsc_variable *v, hsc_definition def, LLVMValueRef load) {
    uint32_t a;
    switch (def.origin) {
    case HSC_ORIGIN_VALUE: {
        const hsc_poly *value = called(d, v, hsc_evaluate(d, def.value), def, load);
        if (LLVMIsAArgument(def.value) && value && value->n == 1 && d->atoms.p[value->term[0].atom[0]].text.p[0] == '?')
            d->atoms.p[value->term[0].atom[0]].text = hsc_data_variable_name(d, v, load);
        return renamed(d, v, value, def.value, load);
    }
    case HSC_ORIGIN_LOOP:
        return evaluate_in_loop(d, v, def, load);
    case HSC_ORIGIN_ENTRY:
        a = atom_for(d, hash3("entry", (uint64_t)(uintptr_t)v->address, 0, 0), HSC_ATOM_SYMBOL,
                     hsc_data_variable_name(d, v, load), load, NONE, NULL);
        d->atoms.p[a].argument = hsc_data_argument_number(d, v->address);
        d->atoms.p[a].by_reference = true;
        return hsc_poly_atom(d, a);
    default:
        a = atom_for(d, hash3("merge", (uint64_t)(uintptr_t)v->address, def.block, (uint64_t)(uintptr_t)def.value),
                     HSC_ATOM_SYMBOL, hsc_data_variable_name(d, v, load), load, def.block, NULL);
        return hsc_poly_atom(d, a);
    }
}

/* ---- instructions ---------------------------------------------------------------------------------------------------
 */

/* Where the procedure writes a member of this kind of structure. */
static void find_field_stores(hsc_data *d) {
    d->has_field_stores = true;
    for (unsigned b = 0; b < d->g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->g->block[b]); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetInstructionOpcode(i) == LLVMStore && LLVMIsAGetElementPtrInst(LLVMGetOperand(i, 1)))
                *HSC_VECTOR_ADD(d->field_stores) = i;
}

static bool is_same_field(LLVMValueRef a, LLVMValueRef b) {
    unsigned n = (unsigned)LLVMGetNumOperands(a);
    if (LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b) || (unsigned)LLVMGetNumOperands(b) != n)
        return false;
    LLVMValueRef x = LLVMGetOperand(a, n - 1), y = LLVMGetOperand(b, n - 1);
    return !LLVMIsAConstantInt(x) || !LLVMIsAConstantInt(y) ||
           LLVMConstIntGetSExtValue(x) == LLVMConstIntGetSExtValue(y);
}

/* A member of a structure of the procedure's own: where that is copied from elsewhere, as by `const atom p = protein[i]`, the member is what was read there. */
static void look_at_copies(hsc_data *d, hsc_atom *a, LLVMValueRef pointer, uint32_t object) {
    LLVMValueRef base = LLVMGetOperand(pointer, 0);
    for (LLVMUseRef u = LLVMIsAAllocaInst(base) ? LLVMGetFirstUse(base) : NULL; u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAMemCpyInst(user) || LLVMGetOperand(user, 0) != base)
            continue;
        unsigned block = hsc_data_block(d, user);
        a->block = a->is_stored ? NONE : block;
        a->is_stored = true;
        a->kind = HSC_ATOM_ELEMENT;
        a->object = object;
    }
}

/* `load`: the load, or the call that the address is passed to. */
static const hsc_poly *evaluate_memory(hsc_data *d, LLVMValueRef pointer, LLVMValueRef load) {
    const hsc_place *place = hsc_find_place(d, pointer);
    if (place->object == NONE) {
        uint64_t unknown_key = hash3("content", (uint64_t)(uintptr_t)load, (uint64_t)(uintptr_t)pointer, 0);
        return hsc_poly_atom(
            d, atom_for(d, unknown_key, HSC_ATOM_OPAQUE, (hsc_str){"?", 1}, load, hsc_data_block(d, load), NULL));
    }
    return hsc_evaluate_place(d, place, pointer, load);
}

static bool is_of(const hsc_data *d, LLVMValueRef instruction) {
    return LLVMIsAInstruction(instruction) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)) == d->function;
}

/* Members that called procedures write: between two calls of one in a loop they may be others. */
static void look_at_called(hsc_data *d, hsc_atom *a, LLVMValueRef pointer) {
    unsigned block;
    if (!hsc_called_writes(d, pointer, &block))
        return;
    a->block = a->is_stored ? NONE : block;
    a->is_stored = true;
}

const hsc_poly *hsc_evaluate_place(hsc_data *d, const hsc_place *place, LLVMValueRef pointer, LLVMValueRef load) {
    const hsc_object *o = &d->objects.p[place->object];
    hsc_str text = hsc_place_text(d, place);
    if (o->is_temporary && LLVMIsALoadInst(pointer)) {
        /* a number that the procedure round an OpenMP region has worked out */
        hsc_str number = hsc_captured_number(d, pointer);
        if (number.n)
            text = number;
    }
    bool fixed = place->offset && is_from_before(d, place->offset);
    for (unsigned k = 0; k < place->n; k++)
        fixed = fixed && is_from_before(d, place->subscript[k].index);
    if (!fixed && !place->is_descriptor) {
        uint32_t a = atom_for(d, hash3("element", (uint64_t)(uintptr_t)load, (uint64_t)(uintptr_t)pointer, 0),
                              HSC_ATOM_ELEMENT, text, load, hsc_data_block(d, load), NULL);
        d->atoms.p[a].object = place->object;
        d->atoms.p[a].place = place;
        d->atoms.p[a].address = pointer;
        return hsc_poly_atom(d, a);
    }
    uint64_t key = hash_poly(hash3("path", o->key, (uint64_t)(place->field + 1), place->dimension), place->offset);
    for (unsigned k = 0; k < place->n; k++)
        key = hash_poly(key, place->subscript[k].index);
    bool is_new;
    uint32_t a = atom_for(d, key, HSC_ATOM_SYMBOL, text, load, NONE, &is_new);
    if (is_new && LLVMIsAGetElementPtrInst(pointer) && !place->is_descriptor) {
        if (!d->has_field_stores)
            find_field_stores(d);
        for (size_t i = 0; i < d->field_stores.n; i++)
            if (is_same_field(pointer, LLVMGetOperand(d->field_stores.p[i], 1))) {
                unsigned block = hsc_data_block(d, d->field_stores.p[i]);
                d->atoms.p[a].block = d->atoms.p[a].is_stored ? NONE : block;
                d->atoms.p[a].is_stored = true;
            }
        look_at_copies(d, &d->atoms.p[a], pointer, place->object);
        if (!is_of(d, pointer))
            look_at_called(d, &d->atoms.p[a], pointer);
    }
    if (is_new) {
        d->atoms.p[a].place = place;
        d->atoms.p[a].address = pointer;
    }
    return hsc_poly_atom(d, a);
}

static const hsc_poly *evaluate_load(hsc_data *d, LLVMValueRef load) {
    if (LLVMGetTypeKind(LLVMTypeOf(load)) != LLVMIntegerTypeKind)
        return unknown(d, load);
    hsc_variable *v = hsc_data_variable(d, LLVMGetOperand(load, 0));
    if (!v || !v->is_scalar) {
        LLVMValueRef described = d->p->is_fortran ? hsc_fortran_described(d, LLVMGetOperand(load, 0)) : NULL;
        const hsc_poly *field = described ? hsc_evaluate(d, described) : NULL;
        return field ? field : evaluate_memory(d, LLVMGetOperand(load, 0), load);
    }
    return evaluate_definition(d, v, hsc_find_definition(d, v, load), load);
}

const hsc_poly *hsc_evaluate_content(hsc_data *d, LLVMValueRef pointer, LLVMValueRef before) {
    if (LLVMIsAGlobalVariable(pointer) && LLVMIsGlobalConstant(pointer) && LLVMGetInitializer(pointer))
        return hsc_evaluate(d, LLVMGetInitializer(pointer));
    hsc_variable *v = hsc_data_variable(d, pointer);
    if (v && v->is_scalar)
        return evaluate_definition(d, v, hsc_find_definition(d, v, before), NULL);
    return evaluate_memory(d, pointer, before);
}

static hsc_str phi_name(hsc_data *d, LLVMValueRef phi) {
    for (LLVMUseRef u = LLVMGetFirstUse(phi); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        const hsc_variable *v = LLVMIsAStoreInst(user) ? hsc_data_variable(d, LLVMGetOperand(user, 1)) : NULL;
        if (v && v->debug.name.n)
            return (hsc_str){v->debug.name.p, v->debug.name.n};
    }
    return (hsc_str){"?", 1};
}

/* a ? b : c that became a branch. */
static const hsc_poly *either(hsc_data *d, LLVMValueRef phi, const hsc_poly *self) {
    hsc_str a = hsc_poly_text(d, hsc_evaluate(d, LLVMGetIncomingValue(phi, 0)));
    hsc_str b = hsc_poly_text(d, hsc_evaluate(d, LLVMGetIncomingValue(phi, 1)));
    hsc_atom *atom = &d->atoms.p[self->term[0].atom[0]];
    atom->kind = HSC_ATOM_OPAQUE;
    atom->text = hsc_data_format(d, "either(%.*s, %.*s)", (int)a.n, a.p, (int)b.n, b.p);
    return self;
}

static const hsc_poly *evaluate_phi(hsc_data *d, LLVMValueRef phi) {
    unsigned block = hsc_data_block(d, phi), l = d->g->loop_of[block], n = LLVMCountIncoming(phi);
    bool is_new, is_header = l != NONE && d->g->loops[l].header == block;
    uint32_t a = atom_for(d, hash3("phi", (uint64_t)(uintptr_t)phi, 0, 0), HSC_ATOM_SYMBOL, phi_name(d, phi), phi,
                          block, &is_new);
    const hsc_poly *self = hsc_poly_atom(d, a), *start = NULL, *step = NULL;
    if (!is_new)
        return self;
    for (unsigned k = 0; k < n; k++) {
        unsigned from = hsc_map_get(&d->block_number, (uint64_t)(uintptr_t)LLVMGetIncomingBlock(phi, k)) - 1;
        const hsc_poly *value = hsc_evaluate(d, LLVMGetIncomingValue(phi, k));
        bool inside = is_header && hsc_graph_is_in(d->g, from, l);
        const hsc_poly **known = inside ? &step : &start;
        if (inside)
            value = hsc_poly_add(d, value, self, -1);
        if (!value || (*known && !hsc_poly_equal(*known, value)))
            return !is_header && n == 2 && d->atoms.p[a].text.p[0] == '?' ? either(d, phi, self) : self;
        *known = value;
    }
    if (!is_header)
        return start ? start : self;
    if (!start || !hsc_poly_is_invariant(d, step, l))
        return self;
    hsc_atom *atom = &d->atoms.p[a];
    atom->kind = HSC_ATOM_INDUCTION;
    atom->loop = l;
    atom->start = start;
    atom->step = step;
    return self;
}

/* max(x, 0) of an extent is x; other minima and maxima by name. */
static const hsc_poly *evaluate_select(hsc_data *d, LLVMValueRef select) {
    LLVMValueRef test = LLVMGetOperand(select, 0), x = LLVMGetOperand(select, 1), y = LLVMGetOperand(select, 2);
    const hsc_poly *a = hsc_evaluate(d, x), *b = hsc_evaluate(d, y);
    if (hsc_poly_equal(a, b))
        return a;
    if (!LLVMIsAICmpInst(test))
        return unknown(d, select);
    bool straight = LLVMGetOperand(test, 0) == x && LLVMGetOperand(test, 1) == y;
    bool crossed = LLVMGetOperand(test, 0) == y && LLVMGetOperand(test, 1) == x;
    if (!straight && !crossed) {
        straight = hsc_poly_equal(hsc_evaluate(d, LLVMGetOperand(test, 0)), a) &&
                   hsc_poly_equal(hsc_evaluate(d, LLVMGetOperand(test, 1)), b);
        crossed = !straight && hsc_poly_equal(hsc_evaluate(d, LLVMGetOperand(test, 0)), b) &&
                  hsc_poly_equal(hsc_evaluate(d, LLVMGetOperand(test, 1)), a);
    }
    if (!straight && !crossed)
        return unknown(d, select);
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    bool less = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
    bool greater = p == LLVMIntSGT || p == LLVMIntSGE || p == LLVMIntUGT || p == LLVMIntUGE;
    if (!less && !greater)
        return unknown(d, select);
    bool is_min = less == straight;
    int64_t zero;
    if (!is_min && straight && d->p->is_fortran && hsc_poly_is_constant(b, &zero) && !zero)
        return a;
    return opaque(d, select, is_min ? "min" : "max", NULL, a, b);
}

static const hsc_poly *evaluate_call(hsc_data *d, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    hsc_ir_text name = LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
    if (name.n > 10 && (!memcmp(name.p, "llvm.smin.", 10) || !memcmp(name.p, "llvm.smax.", 10) ||
                        !memcmp(name.p, "llvm.umin.", 10) || !memcmp(name.p, "llvm.umax.", 10)))
        return opaque(d, call, name.p[7] == 'i' ? "min" : "max", NULL, hsc_evaluate(d, LLVMGetOperand(call, 0)),
                      hsc_evaluate(d, LLVMGetOperand(call, 1)));
    const hsc_poly *returned = hsc_place_called_number(d, call);
    return returned ? returned : unknown(d, call);
}

/* The size of a type, as code that does not know it yet has it: the address of element 1 of an array at 0; times a number. */
static const hsc_poly *evaluate_size(hsc_data *d, LLVMValueRef value) {
    if (LLVMGetConstOpcode(value) == LLVMMul)
        return hsc_poly_multiply(d, hsc_evaluate(d, LLVMGetOperand(value, 0)), hsc_evaluate(d, LLVMGetOperand(value, 1)));
    LLVMValueRef gep = LLVMGetConstOpcode(value) == LLVMPtrToInt ? LLVMGetOperand(value, 0) : NULL;
    if (!gep || !LLVMIsAConstantExpr(gep) || LLVMGetConstOpcode(gep) != LLVMGetElementPtr || LLVMGetNumOperands(gep) != 2 ||
        !LLVMIsNull(LLVMGetOperand(gep, 0)) || !LLVMIsAConstantInt(LLVMGetOperand(gep, 1)))
        return NULL;
    return hsc_poly_multiply(d, hsc_evaluate(d, LLVMGetOperand(gep, 1)),
                             hsc_poly_constant(d, (int64_t)hsc_ir_size_bytes(d->p->module, LLVMGetGEPSourceElementType(gep))));
}

static const hsc_poly *compute(hsc_data *d, LLVMValueRef value) {
    if (LLVMIsAConstantInt(value))
        return LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 ? hsc_poly_constant(d, LLVMConstIntGetSExtValue(value))
                                                            : NULL;
    if (LLVMIsAArgument(value))
        return evaluate_argument(d, value);
    if (LLVMIsAConstantExpr(value))
        return evaluate_size(d, value);
    if (!LLVMIsAInstruction(value))
        return NULL;
    LLVMOpcode o = LLVMGetInstructionOpcode(value);
    const hsc_poly *a = NULL, *b = NULL, *r = NULL;
    switch (o) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
    case LLVMAShr:
    case LLVMLShr:
        a = hsc_evaluate(d, LLVMGetOperand(value, 0));
        b = hsc_evaluate(d, LLVMGetOperand(value, 1));
        break;
    default:
        break;
    }
    int64_t c = 0;
    switch (o) {
    case LLVMAdd:
        r = hsc_poly_add(d, a, b, 1);
        break;
    case LLVMSub:
        r = hsc_poly_add(d, a, b, -1);
        break;
    case LLVMMul:
        r = hsc_poly_multiply(d, a, b);
        break;
    case LLVMShl:
        if (hsc_poly_is_constant(b, &c) && c >= 0 && c < 62)
            r = hsc_poly_multiply(d, a, hsc_poly_constant(d, (int64_t)1 << c));
        break;
    case LLVMSDiv:
    case LLVMUDiv:
        r = hsc_poly_divide(d, a, b);
        if (!r)
            return opaque(d, value, NULL, "/", a, b);
        break;
    case LLVMSRem:
    case LLVMURem:
        return opaque(d, value, NULL, "%", a, b);
    case LLVMAShr:
    case LLVMLShr:
        return opaque(d, value, NULL, ">>", a, b);
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze: {
        LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(value, 0));
        if (LLVMGetTypeKind(from) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(from) == 1 ||
            LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1)
            return unknown(d, value);
        return hsc_evaluate(d, LLVMGetOperand(value, 0));
    }
    case LLVMLoad:
        return evaluate_load(d, value);
    case LLVMPHI:
        return evaluate_phi(d, value);
    case LLVMSelect:
        return evaluate_select(d, value);
    case LLVMCall:
    case LLVMInvoke:
        return evaluate_call(d, value);
    case LLVMFPToSI:
    case LLVMFPToUI:
        return opaque(d, value, "int", NULL, unknown(d, value), NULL);
    default:
        break;
    }
    return r ? r : unknown(d, value);
}

const hsc_poly *hsc_evaluate(hsc_data *d, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return NULL;
    uint64_t key = (uint64_t)(uintptr_t)value;
    uint32_t at = hsc_map_get(&d->poly_of, key);
    if (at)
        return d->polys.p[at - 1];
    if (d->depth >= DEPTH_MAX)
        return NULL;
    d->depth++;
    const hsc_poly *p = compute(d, value);
    d->depth--;
    hsc_map_set(&d->poly_of, key, keep(d, p));
    return p;
}

hsc_str hsc_data_text(hsc_data *d, LLVMValueRef value) {
    LLVMValueRef bare = hsc_data_without_casts(value);
    if (LLVMIsALoadInst(bare)) {
        const hsc_variable *v = hsc_data_variable(d, LLVMGetOperand(bare, 0));
        if (v && (v->debug.name.n || !d->p->unit.has_scopes))
            return hsc_data_variable_name(d, v, bare);
    }
    return hsc_poly_text(d, hsc_evaluate(d, value));
}
