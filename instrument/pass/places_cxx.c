/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elements that C++ reaches by a call: v[i], m(i, j), domain.x(i). Before inlining that is a call that returns an
 * address. Where the called procedure is in the module, what it returns the address of is looked up in it and carried
 * over to the caller. */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE

static bool is_std(hsc_ir_text n) {
    return (n.n > 5 && !memcmp(n.p, "_ZNSt", 5)) || (n.n > 6 && !memcmp(n.p, "_ZNKSt", 6)) ||
           (n.n > 4 && !memcmp(n.p, "_ZSt", 4)) || (n.n > 13 && !memcmp(n.p, "_ZN9__gnu_cxx", 13)) ||
           (n.n > 14 && !memcmp(n.p, "_ZNK9__gnu_cxx", 14));
}

/* A number of the callee with the caller's arguments and members in it; NULL when it depends on anything else. */
static const hsc_poly *carry(hsc_data *to, hsc_data *from, const hsc_poly *p, LLVMValueRef call);

/* What stands between a holder's name and that of what is in it. */
static const char *sign_behind(const hsc_object *holder, const hsc_place *base) {
    bool is_element = base->n && !(holder->storage == HSC_storage_MEMBER && holder->of_element == base->n);
    return is_element ? "[]." : base->n ? "." : holder->storage == HSC_storage_POINTER || holder->storage == HSC_storage_ARGUMENT ? "->" : ".";
}

/* The part of a callee's name for something that begins at an argument: "this->m_x" gives "m_x". */
static bool is_behind(const hsc_object *o, const hsc_object *root, hsc_str *rest) {
    if (o->name.n < root->name.n || memcmp(o->name.p, root->name.p, root->name.n))
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
    LLVMMetadataRef type = t.kind == HSC_IR_TYPE_POINTER ? t.element : made ? made->type : NULL;
    hsc_ir_get_type(type, &t);
    return t.node ? t.node : type;
}

/* What a container holds, by its holder's name, or a member of a class that an accessor is of: `rest` of the accessor's object. */
static uint32_t object_of(hsc_data *d, const hsc_place *base, LLVMValueRef callee, const hsc_object *made, hsc_str rest, unsigned rank) {
    const hsc_object *holder = &d->objects.p[base->object];
    bool is_new, std = is_std(hsc_ir_get_name(callee)), hides = std || !rest.n;
    /* containers of the library hold one kind of elements, by whatever member they know them */
    uint64_t key = hsc_place_hash("accessor", holder->key, std ? 0 : hsc_hash64(0, rest.p, rest.n), hides);
    uint32_t at = hsc_place_object(d, key, &is_new);
    if (!is_new)
        return at;
    holder = &d->objects.p[base->object];
    hsc_object *o = &d->objects.p[at];
    o->name = hides ? holder->name : hsc_data_format(d, "%.*s%s%.*s", (int)holder->name.n, holder->name.p, sign_behind(holder, base), (int)rest.n, rest.p);
    o->type = hides ? element_type(callee, made) : made->type;
    o->file = made && made->file && !hides ? made->file : holder->file;
    o->line = made && made->file && !hides ? made->line : holder->line;
    o->storage = hides && holder->storage != HSC_storage_MEMBER ? HSC_storage_HEAP : HSC_storage_MEMBER;
    o->parent = base->object;
    o->symbol = holder->symbol;
    o->is_global = holder->is_global;
    o->member_key = hides ? holder->member_key ? hsc_place_hash("elements", holder->member_key, 0, 0) : 0 : made->member_key;
    o->rank = rank;
    o->element = made ? made->element : NULL;
    for (unsigned k = 0; k < o->rank && k < HSC_PLACE_DIMENSIONS; k++)
        o->lower[k] = hsc_poly_constant(d, 0);
    return at;
}

/* ---- iterators of containers whose elements stand in a row ---- */

static bool ends_with(hsc_ir_text name, const char *end) {
    size_t n = strlen(end);
    return name.n > n && !memcmp(name.p + name.n - n, end, n);
}

static hsc_ir_text name_of_call(LLVMValueRef call) {
    LLVMValueRef callee = LLVMIsACallInst(call) || LLVMIsAInvokeInst(call) ? LLVMGetCalledValue(call) : NULL;
    return callee && LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
}

bool hsc_place_is_object(LLVMValueRef call) {
    hsc_ir_text name = name_of_call(call);
    return name.n > 7 && !memcmp(name.p, "_ZN", 3) && (memmem(name.p, name.n, "clE", 3) || memmem(name.p, name.n, "clI", 3));
}

static bool is_of_iterator(hsc_ir_text name, const char *end) {
    static const char mark[] = "9__gnu_cxx17__normal_iterator";
    size_t at = name.n > 4 && name.p[3] == 'K' ? 4 : 3; /* behind "_ZN" or "_ZNK" */
    return is_std(name) && name.n > at + sizeof mark && !memcmp(name.p + at, mark, sizeof mark - 1) && ends_with(name, end);
}

/* An iterator that begins at a container's first element and goes on by one each time round one loop. */
typedef struct walk {
    LLVMValueRef begin, next; /* calls */
    unsigned loop;
} walk;

/* What is done with the variable; false: anything else than is known of. */
static bool look_at_uses(hsc_data *d, LLVMValueRef iterator, walk *w) {
    for (LLVMUseRef u = LLVMGetFirstUse(iterator); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        hsc_ir_text name = name_of_call(user);
        if (LLVMIsAGetElementPtrInst(user)) { /* its only member */
            for (LLVMUseRef v = LLVMGetFirstUse(user); v; v = LLVMGetNextUse(v)) {
                LLVMValueRef store = LLVMGetUser(v);
                if (LLVMIsALoadInst(store))
                    continue;
                if (!LLVMIsAStoreInst(store) || LLVMGetOperand(store, 1) != user || w->begin)
                    return false;
                w->begin = LLVMGetOperand(store, 0);
            }
            continue;
        }
        if (!name.n)
            return false;
        if (name.n > 14 && !memcmp(name.p, "llvm.lifetime.", 14))
            continue;
        if (is_of_iterator(name, "ppEv") || is_of_iterator(name, "ppEi")) {
            if (w->next)
                return false;
            w->next = user;
            continue;
        }
        bool reads = is_of_iterator(name, "deEv") || is_of_iterator(name, "ptEv") || (is_std(name) && name.n > 14 && !memcmp(name.p, "_ZN9__gnu_cxx", 13) &&
                     (name.p[13] == 'n' || name.p[13] == 'e' || name.p[13] == 'l') && (name.p[14] == 'e' || name.p[14] == 'q' || name.p[14] == 't')); /* != == < */
        if (!reads)
            return false;
    }
    hsc_ir_text begin = w->begin ? name_of_call(w->begin) : (hsc_ir_text){NULL, 0};
    if (!w->next || !begin.n || !is_std(begin) || (!ends_with(begin, "5beginEv") && !ends_with(begin, "6cbeginEv")) || !LLVMGetNumArgOperands(w->begin))
        return false;
    w->loop = d->g->loop_of[hsc_data_block(d, w->next)];
    return w->loop != NONE && hsc_data_is_once_a_round(d, w->next, w->loop) && !hsc_graph_is_in(d->g, hsc_data_block(d, w->begin), w->loop);
}

/* Bytes that ++ goes on by, as its code says; 0: it is not there. */
static uint64_t bytes_of_step(const hsc_data *d, LLVMValueRef next) {
    LLVMValueRef callee = LLVMGetCalledValue(next);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(callee); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAGetElementPtrInst(i) && LLVMGetNumOperands(i) == 2)
                return hsc_ir_size_bytes(d->p->module, LLVMGetGEPSourceElementType(i));
    return 0;
}

/* The name of the variable that each element goes by, `q` of `for (auto &q : v)`, or the iterator's own. */
static hsc_str name_of_element(hsc_data *d, LLVMValueRef call, LLVMValueRef iterator) {
    hsc_variable *v = hsc_data_variable(d, iterator);
    hsc_str own = v ? hsc_data_variable_name(d, v, NULL) : (hsc_str){"?", 1};
    if (own.n && own.p[0] != '_' && own.p[0] != '.' && own.p[0] != '?')
        return own;
    for (LLVMUseRef u = LLVMGetFirstUse(call); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        for (LLVMUseRef w = LLVMIsALoadInst(user) ? LLVMGetFirstUse(user) : u; w; w = user == LLVMGetUser(w) ? NULL : LLVMGetNextUse(w)) {
            LLVMValueRef store = LLVMGetUser(w);
            v = LLVMIsAStoreInst(store) ? hsc_data_variable(d, LLVMGetOperand(store, 1)) : NULL;
            if (v && v->debug.name.n)
                return hsc_data_variable_name(d, v, store);
        }
    }
    return own;
}

/* What * and -> of an iterator are the address of: the element of the container whose number is that of the iteration. */
static hsc_place place_of_iterator(hsc_data *d, LLVMValueRef call) {
    hsc_ir_text name = name_of_call(call);
    hsc_place out = hsc_place_unknown();
    walk w = {.loop = NONE};
    if (!is_of_iterator(name, "deEv") && !is_of_iterator(name, "ptEv"))
        return out;
    LLVMValueRef iterator = LLVMGetOperand(call, 0);
    if (!LLVMIsAAllocaInst(iterator) || !look_at_uses(d, iterator, &w) || !hsc_graph_is_in(d->g, hsc_data_block(d, call), w.loop))
        return out;
    const hsc_place *held = hsc_find_place(d, LLVMGetOperand(w.begin, 0));
    uint64_t size = bytes_of_step(d, w.next), key = hsc_place_hash("iterator", (uint64_t)(uintptr_t)iterator, 0, 0);
    if (held->object == NONE || !size || held->n >= HSC_PLACE_DIMENSIONS)
        return out;
    hsc_place base = *held;
    uint32_t atom = hsc_map_get(&d->atom_of, key);
    if (!atom) {
        atom = hsc_data_new_atom(d, HSC_ATOM_INDUCTION, name_of_element(d, call, iterator), NULL, d->g->loops[w.loop].header) + 1;
        hsc_map_set(&d->atom_of, key, atom);
        const hsc_poly *zero = hsc_poly_constant(d, 0), *one = hsc_poly_constant(d, 1);
        hsc_atom *a = &d->atoms.p[atom - 1];
        a->loop = w.loop;
        a->start = zero;
        a->step = one;
    }
    uint32_t at = object_of(d, &base, LLVMGetCalledValue(call), NULL, (hsc_str){"", 0}, base.n + 1);
    const hsc_poly *index = hsc_poly_atom(d, atom - 1), *bytes = hsc_poly_multiply(d, index, hsc_poly_constant(d, (int64_t)size));
    out = hsc_place_at(d, at, d->objects.p[at].type);
    out.offset = hsc_poly_add(d, base.n ? base.offset : out.offset, bytes, 1);
    out.n = 0;
    for (unsigned k = 0; k < base.n; k++)
        out.subscript[out.n++] = base.subscript[k];
    out.subscript[out.n++] = (hsc_subscript){.index = index, .stride_bytes = (int64_t)size};
    return out;
}

/* The address that the object is, or begins at, as the caller has it; NULL: it begins at no address that is handed over, nor at a global variable. */
static LLVMValueRef begin_of(hsc_data *from, const hsc_object *root, LLVMValueRef call) {
    if (root->base)
        return LLVMIsAGlobalVariable(root->base) ? root->base : NULL;
    for (unsigned k = 0, n = LLVMCountParams(from->function); k < n && k < (unsigned)LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef argument = LLVMGetParam(from->function, k);
        if (LLVMGetTypeKind(LLVMTypeOf(argument)) != LLVMPointerTypeKind)
            continue;
        const hsc_place *place = hsc_find_place(from, argument);
        if (place->object != NONE && from->objects.p[place->object].key == root->key)
            return LLVMGetOperand(call, k);
    }
    return NULL;
}

hsc_place hsc_place_carried(hsc_data *to, hsc_data *from, const hsc_place *place, LLVMValueRef call, LLVMValueRef *begin) {
    hsc_place out = hsc_place_unknown();
    hsc_str rest;
    if (place->object == NONE || place->is_descriptor)
        return out;
    const hsc_object made = from->objects.p[place->object];
    hsc_object root = made;
    for (unsigned round = 0; root.parent != NONE && round < 32; round++)
        root = from->objects.p[root.parent];
    *begin = begin_of(from, &root, call);
    const hsc_place *self = *begin ? hsc_find_place(to, *begin) : NULL;
    if (!self || self->object == NONE || self->is_descriptor || !is_behind(&made, &root, &rest))
        return out;
    hsc_place base = *self;
    const hsc_poly *offset = carry(to, from, place->offset, call);
    if (made.key == root.key) { /* what the address is of, and no member of that */
        out = base;
        out.type = place->type ? place->type : base.type;
        for (unsigned k = 0; k < place->n; k++)
            hsc_place_step_pointer(to, &out, carry(to, from, place->subscript[k].index, call), (uint64_t)place->subscript[k].stride_bytes);
        out.offset = hsc_poly_add(to, base.offset, offset, 1);
        hsc_object *o = &to->objects.p[out.object];
        for (; o->rank < out.n && o->rank < HSC_PLACE_DIMENSIONS; o->rank++)
            o->lower[o->rank] = hsc_poly_constant(to, 0);
        return out;
    }
    uint32_t at = object_of(to, &base, LLVMGetCalledValue(call), &made, rest, base.n + place->n);
    hsc_ir_type t;
    hsc_ir_get_type(to->objects.p[at].type, &t);
    out = hsc_place_at(to, at, place->type || t.kind != HSC_IR_TYPE_STRUCTURE ? place->type : to->objects.p[at].type);
    out.offset = hsc_poly_add(to, base.n && !place->behind ? base.offset : out.offset, offset, 1);
    out.n = 0;
    for (unsigned k = 0; k < base.n && out.n < HSC_PLACE_DIMENSIONS; k++)
        out.subscript[out.n++] = base.subscript[k];
    for (unsigned k = 0; k < place->n && out.n < HSC_PLACE_DIMENSIONS; k++)
        out.subscript[out.n++] = (hsc_subscript){.index = carry(to, from, place->subscript[k].index, call), .stride_bytes = place->subscript[k].stride_bytes};
    if (place->behind) {
        out.behind = base.n + place->behind < out.n ? base.n + place->behind : out.n;
        out.pointers = at;
    }
    return out;
}

static const hsc_poly *carry_atom(hsc_data *to, hsc_data *from, uint32_t atom, LLVMValueRef call) {
    const hsc_atom a = from->atoms.p[atom];
    if (a.argument)
        return !a.by_reference && a.argument <= (unsigned)LLVMGetNumArgOperands(call) ? hsc_evaluate(to, LLVMGetOperand(call, a.argument - 1)) : NULL;
    if (a.place && a.address) {
        LLVMValueRef begin;
        hsc_place place = hsc_place_carried(to, from, a.place, call, &begin);
        if (place.object != NONE && !a.place->n && hsc_data_variable(to, begin) && hsc_data_variable(to, begin)->is_scalar)
            return hsc_evaluate_content(to, begin, call); /* const T & */
        if (place.object != NONE) {
            hsc_place *kept = hsc_arena_take(&to->arena, sizeof *kept);
            *kept = place;
            return hsc_evaluate_place(to, kept, a.address, call);
        }
    }
    if (a.kind != HSC_ATOM_SYMBOL || a.block != NONE || a.is_stored)
        return NULL;
    /* a member of the object: the same number as long as the object is */
    uint64_t key = hsc_place_hash("carried", hsc_hash64(0, a.text.p, a.text.n), (uint64_t)(uintptr_t)LLVMGetOperand(call, 0), 0);
    uint32_t at = hsc_map_get(&to->atom_of, key);
    if (!at) {
        at = hsc_data_new_atom(to, HSC_ATOM_SYMBOL, hsc_data_format(to, "%.*s", (int)a.text.n, a.text.p), NULL, NONE) + 1;
        hsc_map_set(&to->atom_of, key, at);
    }
    return hsc_poly_atom(to, at - 1);
}

static const hsc_poly *carry(hsc_data *to, hsc_data *from, const hsc_poly *p, LLVMValueRef call) {
    if (!p)
        return NULL;
    const hsc_poly *sum = hsc_poly_constant(to, p->constant);
    for (uint32_t i = 0; i < p->n && sum; i++) {
        const hsc_poly *product = hsc_poly_constant(to, p->term[i].coefficient);
        for (uint32_t k = 0; k < p->term[i].n; k++)
            product = hsc_poly_multiply(to, product, carry_atom(to, from, p->term[i].atom[k], call));
        sum = hsc_poly_add(to, sum, product, 1);
    }
    return sum;
}

const hsc_poly *hsc_place_called_number(hsc_data *d, LLVMValueRef call) {
    hsc_data *inner = hsc_called_open(d, call);
    if (!inner)
        return NULL;
    LLVMValueRef result = hsc_called_result(inner->function);
    const hsc_poly *number = result ? hsc_evaluate(inner, result) : NULL;
    hsc_called_close(inner);
    return carry(d, inner, number, call);
}

hsc_place hsc_place_of_accessor(hsc_data *d, LLVMValueRef call) {
    hsc_place out = d->p->is_cxx ? place_of_iterator(d, call) : hsc_place_unknown();
    if (out.object != NONE || !d->p->is_cxx)
        return out;
    hsc_data *inner = hsc_called_open(d, call);
    if (!inner)
        return out;
    LLVMValueRef result = hsc_called_result(inner->function), begin;
    const hsc_place *place = result ? hsc_find_place(inner, result) : NULL;
    hsc_called_close(inner);
    return place ? hsc_place_carried(d, inner, place, call, &begin) : out;
}

/* ---- accessors that cannot be looked through: whose they are, and their arguments ---- */

/* The called procedure's name in its class: "operator()", "row"; empty: it is not known to be called on an object. */
static hsc_str method_of(hsc_data *d, LLVMValueRef callee) {
    hsc_ir_text symbol = hsc_ir_get_name(callee);
    if (symbol.n < 5 || memcmp(symbol.p, "_ZN", 3))
        return (hsc_str){NULL, 0};
    hsc_str whole = hsc_pass_source_name(d->p, symbol.p, symbol), name = whole;
    for (size_t i = 0, depth = 0; i < whole.n; i++) { /* the last part, without arguments of templates */
        if (!depth && i + 10 <= whole.n && !memcmp(whole.p + i, "operator()", 10)) {
            name = (hsc_str){whole.p + i, 10};
            i += 9;
        } else if (whole.p[i] == '<' || whole.p[i] == '(' || whole.p[i] == '{') {
            name.n = depth++ ? name.n : (size_t)(whole.p + i - name.p);
        } else if (depth && (whole.p[i] == '>' || whole.p[i] == ')' || whole.p[i] == '}')) {
            depth--;
        } else if (!depth && i + 2 < whole.n && !memcmp(whole.p + i, "::", 2)) {
            name = (hsc_str){whole.p + i + 2, whole.n - i - 2};
        }
    }
    bool is_operator = name.n == 10 && (!memcmp(name.p, "operator()", 10) || !memcmp(name.p, "operator[]", 10));
    bool is_method = is_operator || symbol.p[3] == 'K' || hsc_ir_is_method(callee);
    if (!is_method || !name.n || (!is_operator && name.n > 8 && !memcmp(name.p, "operator", 8) && strchr(" *-+<>=&!", name.p[8])))
        return (hsc_str){NULL, 0};
    return name;
}

/* An integer that is handed by value or by reference; NULL: another argument. */
static const hsc_poly *argument_of(hsc_data *d, LLVMValueRef call, unsigned k) {
    LLVMValueRef value = LLVMGetOperand(call, k);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind)
        return hsc_evaluate(d, value);
    hsc_ir_type t;
    LLVMTypeRef held = LLVMIsAAllocaInst(value) ? LLVMGetAllocatedType(value) : NULL;
    hsc_ir_get_type(held ? NULL : hsc_find_place(d, value)->type, &t);
    bool is_integer = held ? LLVMGetTypeKind(held) == LLVMIntegerTypeKind : t.kind == HSC_IR_TYPE_SCALAR && !t.is_real;
    return is_integer ? hsc_evaluate_content(d, value, call) : NULL;
}

hsc_place hsc_place_of_method(hsc_data *d, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    unsigned arguments = (unsigned)LLVMGetNumArgOperands(call);
    if (!d->p->is_cxx || hsc_called_is_open(d->p) || !LLVMIsAFunction(callee) || !arguments || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, 0))) != LLVMPointerTypeKind)
        return hsc_place_unknown();
    hsc_str method = method_of(d, callee);
    const hsc_place *self = method.n ? hsc_find_place(d, LLVMGetOperand(call, 0)) : NULL;
    if (!self || self->object == NONE)
        return hsc_place_unknown();
    hsc_place base = *self;
    const hsc_object *holder = &d->objects.p[base.object];
    if (!holder->name.n || holder->name.p[0] == '?' || holder->name.p[0] == '.')
        return hsc_place_unknown();
    bool is_new, is_call = method.p[method.n - 1] == ')', is_index = method.p[method.n - 1] == ']';
    uint64_t tag = hsc_hash64(0, method.p, method.n);
    uint32_t at = hsc_place_object(d, hsc_place_hash("method", holder->key, tag, base.n), &is_new);
    holder = &d->objects.p[base.object];
    hsc_object *o = &d->objects.p[at];
    if (is_new) {
        const char *sign = sign_behind(holder, &base), *list = arguments > 1 ? "(...)" : "()";
        if (is_call || is_index)
            o->name = hsc_data_format(d, "%.*s%s%s", (int)holder->name.n, holder->name.p, sign[0] == '[' ? "[]" : "", is_call ? list : "");
        else
            o->name = hsc_data_format(d, "%.*s%s%.*s%s", (int)holder->name.n, holder->name.p, sign, (int)method.n, method.p, list);
        o->type = element_type(callee, NULL);
        o->file = holder->file;
        o->line = holder->line;
        o->storage = HSC_storage_POINTER;
        o->parent = base.object;
        o->symbol = holder->symbol;
        o->is_global = holder->is_global;
        o->member_key = holder->member_key ? hsc_place_hash("method", holder->member_key, tag, 0) : 0;
    }
    unsigned rank = base.n + arguments - 1;
    for (; o->rank < rank && o->rank < HSC_PLACE_DIMENSIONS; o->rank++)
        o->lower[o->rank] = hsc_poly_constant(d, 0);
    hsc_place out = hsc_place_at(d, at, o->type);
    out.offset = NULL;
    out.n = 0;
    for (unsigned k = 0; k < base.n; k++)
        out.subscript[out.n++] = base.subscript[k];
    for (unsigned k = 1; k < arguments && out.n < HSC_PLACE_DIMENSIONS; k++)
        out.subscript[out.n++] = (hsc_subscript){.index = argument_of(d, call, k)};
    return out;
}
