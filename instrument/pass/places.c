/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an address of the IR is in the source: variable, member, element, and by which subscripts. */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE
#define DEPTH_MAX 100u

uint32_t hsc_place_object(hsc_data *d, uint64_t key, bool *is_new) {
    key += !key;
    uint32_t at = hsc_map_get(&d->object_of, key);
    *is_new = !at;
    if (!at) {
        hsc_object *o = HSC_VECTOR_ADD(d->objects);
        *o = (hsc_object){.key = key, .parent = NONE};
        at = (uint32_t)d->objects.n;
        hsc_map_set(&d->object_of, key, at);
    }
    return at - 1;
}

uint64_t hsc_place_hash(const char *kind, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t v[3] = {a, b, c};
    return hsc_pass_tag(0, kind, v, sizeof v);
}

hsc_place hsc_place_at(hsc_data *d, uint32_t object, LLVMMetadataRef type) {
    return (hsc_place){.object = object, .offset = hsc_poly_constant(d, 0), .type = type, .field = -1};
}

hsc_place hsc_place_unknown(void) {
    return (hsc_place){.object = NONE, .field = -1};
}

/* ---- bounds ---------------------------------------------------------------------------------------------------------
 */

/* What the declared type says of the dimensions. Lower bounds of Fortran are not taken from it: flang 19 gives 1 for
 * every array. */
void hsc_place_learn_bounds(hsc_data *d, hsc_object *o) {
    hsc_ir_type t;
    LLVMMetadataRef type = o->type;
    for (hsc_ir_get_type(type, &t); t.kind == HSC_IR_TYPE_ARRAY; hsc_ir_get_type(t.element, &t)) {
        for (unsigned k = 0; k < t.rank && o->rank < HSC_PLACE_DIMENSIONS; k++, o->rank++) {
            hsc_ir_dimension x;
            hsc_ir_get_dimension(t.node, k, &x);
            if (x.has_count)
                o->extent[o->rank] = hsc_poly_constant(d, x.count);
            if (!d->p->is_fortran)
                o->lower[o->rank] = hsc_poly_constant(d, 0);
        }
        if (d->p->is_fortran)
            break;
    }
}

/* ---- roots ----------------------------------------------------------------------------------------------------------
 */

static uint64_t storage_of_global(LLVMValueRef g) {
    if (LLVMIsThreadLocal(g))
        return HSC_storage_THREAD_LOCAL;
    LLVMLinkage linkage = LLVMGetLinkage(g);
    if (linkage == LLVMCommonLinkage)
        return HSC_storage_COMMON;
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage ? HSC_storage_STATIC : HSC_storage_GLOBAL;
}

/* flang: a common block is a symbol with a trailing underscore and bytes in it. */
static bool is_common(const hsc_data *d, LLVMValueRef g) {
    if (!d->p->is_fortran || !LLVMIsAGlobalVariable(g))
        return false;
    hsc_ir_text name = hsc_ir_get_name(g);
    if (!name.n || name.p[name.n - 1] != '_' || (name.n > 2 && !memcmp(name.p, "_Q", 2)))
        return false;
    LLVMTypeRef type = LLVMGlobalGetValueType(g);
    return LLVMGetTypeKind(type) == LLVMArrayTypeKind || LLVMGetTypeKind(type) == LLVMStructTypeKind;
}

static hsc_place place_of_variable(hsc_data *d, LLVMValueRef address, LLVMValueRef global, uint64_t offset) {
    hsc_variable *v = hsc_data_variable(d, address);
    LLVMTypeRef held = LLVMIsAAllocaInst(address)       ? LLVMGetAllocatedType(address)
                       : LLVMIsAGlobalVariable(address) ? LLVMGlobalGetValueType(address)
                                                        : NULL;
    bool is_new;
    uint32_t at = hsc_place_object(d, hsc_place_hash("variable", (uint64_t)(uintptr_t)address, 0, 0), &is_new);
    hsc_object *o = &d->objects.p[at];
    if (is_new) {
        o->base = address;
        if (v && (!global || v->debug.name.n)) {
            o->name = hsc_data_variable_name(d, v, NULL);
            /* flang 19 calls every derived type an integer */
            o->type = d->p->is_fortran && held && LLVMGetTypeKind(held) == LLVMStructTypeKind && !hsc_is_descriptor(held) ? NULL : v->debug.type;
            o->file = v->debug.file;
            o->line = v->debug.line;
            o->argument = v->debug.argument;
        }
        if (global) {
            hsc_ir_text symbol = hsc_ir_get_name(global);
            o->symbol = (hsc_str){symbol.p, symbol.n};
            o->storage = storage_of_global(global);
            o->is_global = true;
            if (is_common(d, global)) {
                o->storage = HSC_storage_COMMON;
                o->offset_bytes = offset;
            }
            if (!v || !v->debug.name.n)
                o->name = hsc_pass_source_name(d->p, symbol.p, symbol);
            if (o->storage == HSC_storage_COMMON && (!v || !v->debug.name.n))
                o->name = hsc_data_format(d, "/%.*s/+%llu", (int)symbol.n - 1, symbol.p, (unsigned long long)offset);
            o->member_key = hsc_place_hash("global", hsc_hash64(0, symbol.p, symbol.n), offset, 0);
        } else {
            o->storage = LLVMIsAAllocaInst(address) ? HSC_storage_LOCAL : HSC_storage_ARGUMENT;
            o->is_temporary = !v || !v->debug.name.n;
        }
        hsc_place_learn_bounds(d, &d->objects.p[at]);
        hsc_ir_type t;
        hsc_ir_get_type(o->type, &t);
        if (t.is_allocatable)
            o->storage = HSC_storage_ALLOCATABLE;
        else if (t.is_descriptor || t.is_fortran_pointer)
            o->storage = HSC_storage_DESCRIPTOR;
    }
    hsc_place place = hsc_place_at(d, at, d->objects.p[at].type);
    hsc_ir_type t;
    hsc_ir_get_type(d->objects.p[at].type, &t);
    place.is_descriptor = d->p->is_fortran && (held ? hsc_is_descriptor(held)
                                                    : t.is_descriptor || t.is_allocatable || t.is_fortran_pointer);
    return place;
}

/* A copy of a descriptor on the stack: the place that it was copied from. */
static LLVMValueRef copied_from(LLVMValueRef copy) {
    LLVMValueRef from = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(copy); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == copy) {
            LLVMValueRef value = LLVMGetOperand(user, 0);
            if (from || !LLVMIsALoadInst(value))
                return NULL;
            from = LLVMGetOperand(value, 0);
        } else if (LLVMIsACallInst(user)) {
            LLVMValueRef callee = LLVMGetCalledValue(user);
            hsc_ir_text name = LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
            if (name.n > 12 && !memcmp(name.p, "llvm.memcpy.", 12) && LLVMGetOperand(user, 0) == copy) {
                if (from)
                    return NULL;
                from = LLVMGetOperand(user, 1);
            }
        }
    }
    return from;
}

bool hsc_place_is_declared(hsc_data *d, LLVMValueRef address) {
    uint32_t at = hsc_map_get(&d->variable_of, (uint64_t)(uintptr_t)address);
    return at && d->variables.p[at - 1]->debug.name.n;
}

static bool is_unnamed(hsc_str name) { return name.n == 1 && *name.p == '?'; }

/* What a pointer points to that is known by no more than where it was read or made. */
hsc_place hsc_place_behind(hsc_data *d, uint64_t key, hsc_str name, LLVMMetadataRef pointer_type, uint64_t storage,
                           uint32_t parent) {
    bool is_new;
    hsc_ir_type t;
    uint32_t at = hsc_place_object(d, key, &is_new);
    hsc_ir_get_type(pointer_type, &t);
    if (is_new) {
        hsc_object *o = &d->objects.p[at];
        o->name = name;
        o->storage = storage;
        o->type = t.kind == HSC_IR_TYPE_POINTER ? t.element : NULL;
        /* the pointer itself is no data: what it is a member of is the parent */
        o->parent = parent != NONE ? d->objects.p[parent].parent : NONE;
        if (parent != NONE) {
            o->file = d->objects.p[parent].file;
            o->line = d->objects.p[parent].line;
            if (d->objects.p[parent].member_key)
                o->member_key = hsc_place_hash("behind", d->objects.p[parent].member_key, 0, 0);
        }
        hsc_place_learn_bounds(d, &d->objects.p[at]);
        /* the pointer's own step comes before the dimensions of what it points to */
        if (o->rank && !d->p->is_fortran && o->rank < HSC_PLACE_DIMENSIONS) {
            memmove(o->extent + 1, o->extent, o->rank * sizeof *o->extent);
            o->extent[0] = NULL;
        }
        o->rank++;
        o->lower[o->rank - 1] = d->p->is_fortran ? NULL : hsc_poly_constant(d, 0);
    } else if (is_unnamed(d->objects.p[at].name)) {
        d->objects.p[at].name = name; /* where it was met first the source does not tell */
    }
    return hsc_place_at(d, at, d->objects.p[at].type);
}

static bool is_allocator(hsc_ir_text n) {
    static const char *const names[] = {"malloc",
                                        "calloc",
                                        "realloc",
                                        "aligned_alloc",
                                        "valloc",
                                        "memalign",
                                        "reallocarray",
                                        "_Znwm",
                                        "_Znam",
                                        "_ZnwmSt11align_val_t",
                                        "_ZnamSt11align_val_t",
                                        "_ZnwmRKSt9nothrow_t",
                                        "_ZnamRKSt9nothrow_t"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n.n && !memcmp(names[i], n.p, n.n))
            return true;
    return false;
}

/* An address of which no more is known than that it is another one from `block` on: the offset of what is there. */
static const hsc_poly *anywhere(hsc_data *d, uint64_t key, LLVMValueRef value, unsigned block) {
    uint32_t at = hsc_map_get(&d->reaching_of, key);
    if (!at) {
        *HSC_VECTOR_ADD(d->polys) = hsc_poly_atom(d, hsc_data_new_atom(d, HSC_ATOM_OPAQUE, (hsc_str){"?", 1}, value, block));
        at = (uint32_t)d->polys.n;
        hsc_map_set(&d->reaching_of, key, at);
    }
    return d->polys.p[at - 1];
}

/* What a call in a loop returns, or one of several addresses, may be another one in each iteration. */
static void set_anywhere(hsc_data *d, hsc_place *p, LLVMValueRef value, unsigned block) {
    if (!d->p->is_fortran && d->g->loop_of[block] != NONE)
        p->offset = anywhere(d, hsc_place_hash("anywhere", (uint64_t)(uintptr_t)value, 0, 0), value, block);
}

/* Which element? */
static bool is_known(const hsc_place *p) {
    bool known = p->offset != NULL;
    for (unsigned k = 0; k < p->n && known; k++)
        known = p->subscript[k].index != NULL;
    return known;
}

static hsc_place place_of_call(hsc_data *d, LLVMValueRef call, const hsc_variable *holder) {
    hsc_place accessed = hsc_place_of_accessor(d, call), whose;
    if (accessed.object != NONE)
        return is_known(&accessed) || (whose = hsc_place_of_method(d, call)).object == NONE ? accessed : whose;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    hsc_ir_text name = LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
    hsc_str text = holder ? hsc_data_variable_name(d, holder, NULL) : (hsc_str){NULL, 0};
    if (!text.n && (accessed = hsc_place_of_method(d, call)).object != NONE)
        return accessed;
    bool temporary = !text.n && d->p->is_fortran && is_allocator(name); /* flang gets room for values of array expressions */
    if (temporary) {
        text = hsc_data_format(d, "temporary");
    } else if (!text.n) {
        hsc_str source = name.n ? hsc_pass_source_name(d->p, name.p, name) : (hsc_str){"?", 1};
        text = hsc_data_format(d, "%.*s()", (int)source.n, source.p);
    }
    hsc_place p = hsc_place_behind(d, hsc_place_hash("made", (uint64_t)(uintptr_t)call, 0, 0), text,
                                   holder ? holder->debug.type : NULL,
                                   is_allocator(name) ? HSC_storage_HEAP : HSC_storage_POINTER, NONE);
    hsc_object *o = &d->objects.p[p.object];
    o->allocation = call;
    if (holder && holder->debug.name.n) {
        o->file = holder->debug.file;
        o->line = holder->debug.line;
    } else if (temporary) {
        hsc_ir_loc loc;
        hsc_ir_get_loc(call, &loc);
        o->file = loc.file;
        o->line = loc.line;
    }
    set_anywhere(d, &p, call, hsc_data_block(d, call));
    return p;
}

static void push_subscript(hsc_place *p, const hsc_poly *index, int64_t stride_bytes) {
    if (p->n < HSC_PLACE_DIMENSIONS)
        p->subscript[p->n++] = (hsc_subscript){.index = index, .stride_bytes = stride_bytes};
    else
        p->offset = NULL;
}

void hsc_place_step_pointer(hsc_data *d, hsc_place *p, const hsc_poly *x, uint64_t size) {
    p->offset = hsc_poly_add(d, p->offset, hsc_poly_multiply(d, x, hsc_poly_constant(d, (int64_t)size)), 1);
    for (unsigned k = p->n; k > p->behind; k--) {
        hsc_subscript *s = &p->subscript[k - 1];
        if (s->stride_bytes == (int64_t)size && !s->stride) {
            s->index = hsc_poly_add(d, s->index, x, 1);
            return;
        }
    }
    push_subscript(p, x, (int64_t)size);
}

/* ---- pointers that are read -----------------------------------------------------------------------------------------
 */

static hsc_place behind_variable(hsc_data *d, const hsc_variable *v, uint64_t block, LLVMValueRef access) {
    hsc_place p = hsc_place_behind(d, hsc_place_hash("pointer", (uint64_t)(uintptr_t)v->address, block, 0),
                                   hsc_data_variable_name(d, v, access), v->debug.type, HSC_storage_POINTER, NONE);
    hsc_object *o = &d->objects.p[p.object];
    o->file = v->debug.file;
    o->line = v->debug.line;
    return p;
}

/* Size of what a pointer variable is moved over where it gets this value, itself and a step: p + x; 0: another value. */
static uint64_t step_size(hsc_data *d, const hsc_variable *v, LLVMValueRef value) {
    uint64_t size = 0;
    value = hsc_data_without_casts(value);
    while (LLVMIsAGetElementPtrInst(value) && LLVMGetNumOperands(value) == 2) {
        uint64_t step = hsc_ir_size_bytes(d->p->module, LLVMGetGEPSourceElementType(value));
        if (!step || (size && step != size))
            return 0;
        size = step;
        value = hsc_data_without_casts(LLVMGetOperand(value, 0));
    }
    return LLVMIsALoadInst(value) && LLVMGetOperand(value, 0) == v->address ? size : 0;
}

/* The store of the only value that a pointer variable gets besides its steps, which are all over elements of `size` bytes; NULL: there
 * are several. *by_stores: nothing else, as a call that is given its address, may change it. */
static LLVMValueRef only_start(hsc_data *d, const hsc_variable *v, uint64_t *size, bool *by_stores) {
    LLVMValueRef start = NULL;
    unsigned starts = 0;
    *size = 0;
    *by_stores = LLVMIsAAllocaInst(v->address) && !d->p->is_fortran;
    for (uint32_t s = v->first_store; s; s = d->stores.p[s - 1].next) {
        LLVMValueRef store = d->stores.p[s - 1].instruction;
        if (!LLVMIsAStoreInst(store)) {
            *by_stores = false;
            return NULL;
        }
        uint64_t step = step_size(d, v, LLVMGetOperand(store, 0));
        if (!step || (*size && step != *size)) {
            start = store;
            starts++;
        } else {
            *size = step;
        }
    }
    return starts == 1 && *size ? start : NULL;
}

/* A pointer that is moved now and then or by steps of any length (if (x) *p++ = x), or that has one of several values: nobody knows where
 * it is from this block on. Where it began in one array and was only moved since, it is still in that. */
static hsc_place place_of_moved(hsc_data *d, hsc_variable *v, unsigned block, LLVMValueRef load) {
    hsc_place self = behind_variable(d, v, (uint64_t)block + 1, load);
    uint64_t size, key = hsc_place_hash("moved", (uint64_t)(uintptr_t)v->address, block, 0);
    bool by_stores;
    uint32_t at = hsc_map_get(&d->reaching_of, key);
    if (at)
        return *d->places.p[at - 1];
    LLVMValueRef store = only_start(d, v, &size, &by_stores);
    if (!by_stores)
        return self;
    hsc_place *moved = hsc_arena_take(&d->arena, sizeof *moved);
    const hsc_poly *unknown = anywhere(d, hsc_place_hash("anywhere", (uint64_t)(uintptr_t)v->address, block, 1), load, block);
    *moved = self;
    moved->offset = unknown;
    *HSC_VECTOR_ADD(d->places) = moved;
    hsc_map_set(&d->reaching_of, key, (uint32_t)d->places.n);
    if (!store || !hsc_data_dominates(d, hsc_data_block(d, store), block))
        return *moved;
    LLVMValueRef value = hsc_data_without_casts(LLVMGetOperand(store, 0));
    bool is_made = LLVMIsACallInst(value) || LLVMIsAInvokeInst(value);
    hsc_place start = is_made ? place_of_call(d, value, v) : *hsc_find_place(d, value);
    if (start.object == NONE || !start.offset)
        return *moved;
    hsc_place_step_pointer(d, &start, unknown, size);
    *moved = start;
    return *moved;
}

/* A pointer that goes by the same step each time round: p++. */
static hsc_place place_in_loop(hsc_data *d, hsc_variable *v, hsc_definition def, LLVMValueRef load) {
    hsc_place self = behind_variable(d, v, def.block + 1, load);
    LLVMValueRef next = def.value && LLVMIsAStoreInst(def.value) ? LLVMGetOperand(def.value, 0) : NULL;
    uint64_t key = hsc_place_hash("walk", (uint64_t)(uintptr_t)v->address, def.block, 0);
    uint32_t at = hsc_map_get(&d->reaching_of, key);
    if (!at) {
        uint64_t size = 0;
        if (next && LLVMIsAGetElementPtrInst(next) && LLVMGetNumOperands(next) == 2)
            size = hsc_ir_size_bytes(d->p->module, LLVMGetGEPSourceElementType(next));
        if (!size || !hsc_data_is_once_a_round(d, def.value, def.loop))
            return place_of_moved(d, v, def.block, load);
        uint32_t a = hsc_data_new_atom(d, HSC_ATOM_SYMBOL, hsc_data_variable_name(d, v, load), load, def.block);
        hsc_place *walking = hsc_arena_take(&d->arena, sizeof *walking);
        *walking = self;
        walking->n = 1;
        walking->subscript[0] = (hsc_subscript){.index = hsc_poly_atom(d, a), .stride_bytes = (int64_t)size};
        walking->offset = hsc_poly_multiply(d, walking->subscript[0].index, hsc_poly_constant(d, (int64_t)size));
        *HSC_VECTOR_ADD(d->places) = walking;
        size_t number = d->places.n;
        hsc_map_set(&d->reaching_of, key, (uint32_t)number);
        const hsc_place *after = hsc_find_place(d, next);
        const hsc_poly *step = after->object == self.object && after->n == 1
                                   ? hsc_poly_add(d, after->subscript[0].index, walking->subscript[0].index, -1)
                                   : NULL;
        unsigned outside = d->loops[def.loop].outside;
        hsc_definition before =
            outside == NONE ? (hsc_definition){.origin = HSC_ORIGIN_MERGE} : hsc_find_definition_at_end(d, v, outside);
        if (step && hsc_poly_is_invariant(d, step, def.loop)) {
            const hsc_place *start = before.origin == HSC_ORIGIN_VALUE ? hsc_find_place(d, before.value) : NULL;
            hsc_atom *atom = &d->atoms.p[a];
            atom->kind = HSC_ATOM_INDUCTION;
            atom->loop = def.loop;
            atom->step = step;
            atom->start = hsc_poly_constant(d, 0);
            if (start && start->object != NONE && start->n <= start->behind + 1 && start->offset) {
                hsc_subscript own = walking->subscript[0];
                const hsc_poly *offset = walking->offset;
                if (start->n > start->behind)
                    atom->start = start->subscript[start->behind].index;
                *walking = *start;
                walking->offset = offset;
                walking->subscript[start->behind] = own;
                walking->n = start->behind + 1;
            }
        } else {
            *walking = place_of_moved(d, v, def.block, load);
        }
        hsc_map_set(&d->place_of, (uint64_t)(uintptr_t)next, 0); /* it was found by what was known of it before */
        return *walking;
    }
    return *d->places.p[at - 1];
}

uint32_t hsc_data_behind_descriptor(hsc_data *d, uint32_t object) {
    bool is_new;
    uint32_t at = hsc_place_object(d, hsc_place_hash("data", d->objects.p[object].key, 0, 0), &is_new);
    if (is_new) {
        const hsc_object *from = &d->objects.p[object];
        hsc_object *o = &d->objects.p[at];
        uint64_t key = o->key;
        *o = *from;
        o->key = key;
        o->array_id = 0;
        o->from_descriptor = true;
        if (o->of_element) { /* what is behind it has bounds of its own */
            o->rank = o->of_element = 0;
            memset(o->lower, 0, sizeof o->lower);
            memset(o->extent, 0, sizeof o->extent);
            hsc_place_learn_bounds(d, o);
        }
        if (o->storage != HSC_storage_ALLOCATABLE && o->storage != HSC_storage_MEMBER)
            o->storage = HSC_storage_DESCRIPTOR;
        if (o->member_key)
            o->member_key = hsc_place_hash("data", o->member_key, 0, 0);
    }
    return at;
}

static hsc_place place_of_load(hsc_data *d, LLVMValueRef load) {
    LLVMValueRef address = LLVMGetOperand(load, 0);
    hsc_variable *v = hsc_data_variable(d, address);
    if (v && v->is_scalar) {
        hsc_definition def = hsc_find_definition(d, v, load);
        if (def.origin == HSC_ORIGIN_LOOP)
            return place_in_loop(d, v, def, load);
        if (def.origin == HSC_ORIGIN_VALUE) {
            LLVMValueRef value = hsc_data_without_casts(def.value);
            if (LLVMIsACallInst(value) || LLVMIsAInvokeInst(value))
                return place_of_call(d, value, v);
            if (LLVMIsAArgument(value)) {
                hsc_place p = behind_variable(d, v, 0, load);
                hsc_object *o = &d->objects.p[p.object];
                o->storage = HSC_storage_ARGUMENT;
                o->argument = v->debug.argument;
                return p;
            }
            const hsc_place *p = hsc_find_place(d, value);
            if (p->object != NONE)
                return hsc_place_kept(d, *p, v);
        }
        hsc_place p = def.origin == HSC_ORIGIN_MERGE
                          ? place_of_moved(d, v, def.block, load)
                          : behind_variable(d, v, def.origin == HSC_ORIGIN_ENTRY ? 0 : (uint64_t)def.block + 1, load);
        if (def.origin == HSC_ORIGIN_VALUE)
            set_anywhere(d, &p, def.value, def.block);
        if (LLVMIsAGlobalVariable(address)) {
            hsc_object *o = &d->objects.p[p.object];
            hsc_ir_text symbol = hsc_ir_get_name(address);
            o->symbol = (hsc_str){symbol.p, symbol.n};
            o->is_global = true;
            o->member_key = hsc_place_hash("behind global", hsc_hash64(0, symbol.p, symbol.n), 0, 0);
        }
        return p;
    }
    LLVMValueRef section = d->p->is_fortran ? hsc_fortran_described(d, address) : NULL;
    if (section && hsc_find_place(d, section)->object != NONE) {
        const hsc_place *p = hsc_find_place(d, section);
        if (!p->n && !p->element_bytes)
            hsc_fortran_learn_lower(d, address, p->object);
        return *p;
    }
    const hsc_place *q = hsc_find_place(d, address);
    if (q->object == NONE)
        return hsc_place_of_captured(d, load);
    if (q->is_descriptor && q->field <= 0) {
        uint32_t at = hsc_data_behind_descriptor(d, q->object);
        return hsc_place_at(d, at, d->objects.p[at].type);
    }
    hsc_place member = d->p->is_fortran ? *q : hsc_place_in_union(d, *q, LLVMTypeOf(load), load);
    q = &member;
    uint64_t at = q->offset && !q->offset->n ? (uint64_t)q->offset->constant : 0;
    uint64_t key = hsc_place_hash("loaded", d->objects.p[q->object].key, at, q->n);
    hsc_str name = d->objects.p[q->object].name;
    if (is_unnamed(name) && !q->n)
        name = hsc_data_name_at(d, load);
    hsc_place p = hsc_place_behind(d, key, name, q->type, HSC_storage_POINTER, q->object);
    if (q->n) { /* an array of pointers: its subscripts come first */
        p.n = p.behind = q->n;
        p.pointers = q->object;
        memcpy(p.subscript, q->subscript, q->n * sizeof *q->subscript);
        hsc_object *o = &d->objects.p[p.object];
        if (o->rank <= q->n) {
            for (; o->rank <= q->n && o->rank < HSC_PLACE_DIMENSIONS; o->rank++)
                o->lower[o->rank] = hsc_poly_constant(d, 0);
        }
    }
    return p;
}

/* ---- addresses that are computed ------------------------------------------------------------------------------------
 */

/* Into an element of an array type of the IR. */
static void step_element(hsc_data *d, hsc_place *p, LLVMTypeRef array, LLVMValueRef index) {
    uint64_t size = hsc_ir_size_bytes(d->p->module, LLVMGetElementType(array));
    const hsc_poly *x = hsc_evaluate(d, index);
    if (p->is_spread) {
        hsc_place_step_pointer(d, p, x, size);
        return;
    }
    unsigned k = p->n;
    push_subscript(p, x, (int64_t)size);
    p->offset = hsc_poly_add(d, p->offset, hsc_poly_multiply(d, x, hsc_poly_constant(d, (int64_t)size)), 1);
    hsc_object *o = &d->objects.p[p->object];
    if (k < HSC_PLACE_DIMENSIONS) {
        if (!o->extent[k] && LLVMGetArrayLength2(array))
            o->extent[k] = hsc_poly_constant(d, (int64_t)LLVMGetArrayLength2(array));
        if (!o->lower[k])
            o->lower[k] = hsc_poly_constant(d, 0);
        if (o->rank <= k)
            o->rank = k + 1;
    }
    hsc_ir_type t;
    hsc_ir_get_type(p->type, &t);
    if (t.kind == HSC_IR_TYPE_ARRAY && ++p->type_level >= t.rank) {
        p->type = t.element;
        p->type_level = 0;
    }
}

/* Fields of a Fortran descriptor: { address, element bytes, version, rank, type, attribute, extra, [ {lower, extent,
 * stride} ] }. */
static void step_descriptor(hsc_place *p, LLVMValueRef gep, unsigned operand) {
    unsigned n = LLVMGetNumOperands(gep);
    LLVMValueRef field = LLVMGetOperand(gep, operand);
    p->is_descriptor = true;
    p->field = 4;
    if (!LLVMIsAConstantInt(field))
        return;
    uint64_t f = LLVMConstIntGetZExtValue(field);
    if (f == 0)
        p->field = 0;
    if (f == 7 && operand + 2 < n && LLVMIsAConstantInt(LLVMGetOperand(gep, operand + 1)) &&
        LLVMIsAConstantInt(LLVMGetOperand(gep, operand + 2))) {
        p->dimension = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(gep, operand + 1));
        p->field = 1 + (int)LLVMConstIntGetZExtValue(LLVMGetOperand(gep, operand + 2));
    }
}

/* A constant offset into an array of several dimensions, of which the compiler has left out leading zeros. */
static void spread_constant(hsc_data *d, hsc_place *p) {
    const hsc_object *o = &d->objects.p[p->object];
    hsc_ir_type t;
    int64_t left, extent, stride[HSC_PLACE_DIMENSIONS];
    unsigned rank = o->rank;
    for (hsc_ir_get_type(o->type, &t); t.kind == HSC_IR_TYPE_ARRAY; hsc_ir_get_type(t.element, &t))
        ;
    if (rank < 2 || rank > HSC_PLACE_DIMENSIONS || !hsc_poly_is_constant(p->offset, &left) || left < 0 || !t.size_bytes ||
        t.size_bytes > INT32_MAX || left % (int64_t)t.size_bytes)
        return;
    stride[rank - 1] = (int64_t)t.size_bytes;
    for (unsigned k = rank - 1; k > 0; k--)
        if (!hsc_poly_is_constant(o->extent[k], &extent) || extent <= 0 ||
            __builtin_mul_overflow(stride[k], extent, &stride[k - 1]))
            return;
    for (unsigned k = 0; k < rank; k++) {
        p->subscript[k] = (hsc_subscript){.index = hsc_poly_constant(d, left / stride[k]), .stride_bytes = stride[k]};
        left %= stride[k];
    }
    p->n = rank;
    p->type = t.node;
    p->type_level = 0;
    p->is_spread = true;
}

static hsc_place place_of_gep(hsc_data *d, LLVMValueRef gep) {
    hsc_place p = *hsc_find_place(d, LLVMGetOperand(gep, 0));
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned n = LLVMGetNumOperands(gep);
    uint32_t base = p.object;
    bool is_whole = !p.n && LLVMIsAConstant(gep);
    if (p.object == NONE)
        return p;
    hsc_object *o = &d->objects.p[p.object];
    LLVMValueRef first = LLVMGetOperand(gep, 1);
    bool is_zero = LLVMIsAConstantInt(first) && !LLVMConstIntGetSExtValue(first);
    uint64_t size = hsc_ir_size_bytes(d->p->module, type);
    if (hsc_is_descriptor(type) && d->p->is_fortran && n > 2) {
        step_descriptor(&p, gep, 2);
        return p;
    }
    hsc_ir_type t;
    hsc_ir_get_type(o->type, &t);
    bool is_array = t.kind == HSC_IR_TYPE_ARRAY || o->rank || o->from_descriptor;
    if (d->p->is_fortran && !p.is_descriptor && !p.n && is_array && n == 2)
        hsc_place_linear(d, &p, first, size);
    else if (d->p->is_fortran && !p.is_descriptor && !p.n && is_array && !is_zero)
        hsc_place_linear(d, &p, first, size);
    else if (p.element_bytes && !is_zero)
        hsc_place_section(d, &p, first, size);
    else if (!is_zero)
        hsc_place_step_pointer(d, &p, hsc_evaluate(d, first), size);
    unsigned nested = d->p->is_fortran && !p.is_descriptor && !p.n && is_zero ? hsc_place_nested(d, &p, gep) : 0;
    for (unsigned k = 0; k < nested; k++)
        type = LLVMGetElementType(type);
    if (2 + nested < n && !d->p->is_fortran)
        p = hsc_place_in_union(d, p, type, gep);
    for (unsigned k = 2 + nested; k < n; k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        if (hsc_is_descriptor(type) && d->p->is_fortran) {
            step_descriptor(&p, gep, k);
            return p;
        }
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned m = (unsigned)LLVMConstIntGetZExtValue(index);
            hsc_place_step_member(d, &p, type, m, gep);
            type = LLVMStructGetTypeAtIndex(type, m);
        } else if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
            step_element(d, &p, type, index);
            type = LLVMGetElementType(type);
        } else {
            return hsc_place_unknown();
        }
    }
    if (is_whole && p.object == base && !d->p->is_fortran)
        spread_constant(d, &p);
    if (d->p->is_fortran && hsc_is_descriptor(type))
        p.is_descriptor = true; /* a component that is one */
    return p;
}

/* Is this byte of a common block one of the variable that the block begins with? */
static bool is_in_first(const hsc_data *d, LLVMValueRef block, uint64_t offset) {
    uint32_t at = hsc_map_get(&d->variable_of, (uint64_t)(uintptr_t)block);
    uint64_t elements = 1;
    hsc_ir_type t;
    if (!at || !d->variables.p[at - 1]->debug.name.n)
        return false;
    for (hsc_ir_get_type(d->variables.p[at - 1]->debug.type, &t); t.kind == HSC_IR_TYPE_ARRAY; hsc_ir_get_type(t.element, &t))
        for (unsigned k = 0; k < t.rank; k++) {
            hsc_ir_dimension x;
            hsc_ir_get_dimension(t.node, k, &x);
            if (!x.has_count || x.count <= 0 || __builtin_mul_overflow(elements, (uint64_t)x.count, &elements))
                return false;
        }
    return t.size_bytes && offset / t.size_bytes < elements;
}

static hsc_place compute(hsc_data *d, LLVMValueRef pointer) {
    if (LLVMIsAArgument(pointer)) {
        if (d->p->is_fortran)
            hsc_fortran_name_dummy(d, pointer);
        if (hsc_data_variable(d, pointer))
            return place_of_variable(d, pointer, NULL, 0);
        for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            hsc_variable *v = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == pointer
                                  ? hsc_data_variable(d, LLVMGetOperand(user, 1))
                                  : NULL;
            if (v) {
                hsc_place p = behind_variable(d, v, 0, NULL);
                d->objects.p[p.object].storage = HSC_storage_ARGUMENT;
                d->objects.p[p.object].argument = v->debug.argument;
                return p;
            }
        }
        return hsc_place_unknown();
    }
    if (LLVMIsAGlobalVariable(pointer))
        return place_of_variable(d, pointer, pointer, 0);
    if (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr) {
        LLVMValueRef base = LLVMGetOperand(pointer, 0);
        if (LLVMIsAGlobalVariable(base) &&
            (hsc_map_get(&d->variable_of, (uint64_t)(uintptr_t)pointer) || is_common(d, base)) &&
            LLVMGetNumOperands(pointer) == 2 && LLVMIsAConstantInt(LLVMGetOperand(pointer, 1))) {
            uint64_t size = hsc_ir_size_bytes(d->p->module, LLVMGetGEPSourceElementType(pointer));
            uint64_t offset = size * LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, 1));
            bool is_own = hsc_map_get(&d->variable_of, (uint64_t)(uintptr_t)pointer);
            return !is_own && is_in_first(d, base, offset) ? place_of_gep(d, pointer) : place_of_variable(d, pointer, base, offset);
        }
        return place_of_gep(d, pointer);
    }
    if (!LLVMIsAInstruction(pointer))
        return hsc_place_unknown();
    switch (LLVMGetInstructionOpcode(pointer)) {
    case LLVMAlloca: {
        LLVMValueRef from = d->p->is_fortran && hsc_is_descriptor(LLVMGetAllocatedType(pointer)) &&
                                    !hsc_place_is_declared(d, pointer)
                                ? copied_from(pointer)
                                : NULL;
        if (from) {
            hsc_place p = *hsc_find_place(d, from);
            p.is_descriptor = true;
            return p;
        }
        return place_of_variable(d, pointer, NULL, 0);
    }
    case LLVMGetElementPtr:
        return place_of_gep(d, pointer);
    case LLVMLoad:
        return place_of_load(d, pointer);
    case LLVMCall:
    case LLVMInvoke:
        return place_of_call(d, pointer, NULL);
    case LLVMPHI: {
        LLVMValueRef array = d->p->is_fortran ? hsc_fortran_meant(pointer) : NULL;
        return array ? *hsc_find_place(d, array) : hsc_place_unknown();
    }
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        return *hsc_find_place(d, LLVMGetOperand(pointer, 0));
    case LLVMExtractValue: /* the address in a descriptor that was read as a whole */
        if (d->p->is_fortran && LLVMGetNumIndices(pointer) == 1 && LLVMGetIndices(pointer)[0] == 0 &&
            LLVMIsALoadInst(LLVMGetOperand(pointer, 0)))
            return place_of_load(d, LLVMGetOperand(pointer, 0));
        return hsc_place_unknown();
    default:
        return hsc_place_unknown();
    }
}

/* A variable that each thread has its own of is asked for by a call: llvm.threadlocal.address(variable), or a wrapper that C++ makes of one that another unit may set up ("_ZTW3abc" of
 * _Z3abc). */
static LLVMValueRef without_thread(hsc_data *d, LLVMValueRef pointer) {
    static const char intrinsic[] = "llvm.threadlocal.address", wrapper[] = "_ZTW";
    LLVMValueRef callee = LLVMIsACallInst(pointer) ? LLVMGetCalledValue(pointer) : NULL;
    hsc_ir_text name = callee && LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
    if (name.n >= sizeof intrinsic - 1 && !memcmp(name.p, intrinsic, sizeof intrinsic - 1))
        return LLVMGetOperand(pointer, 0);
    if (name.n < sizeof wrapper || memcmp(name.p, wrapper, sizeof wrapper - 1))
        return pointer;
    hsc_str of = hsc_data_format(d, "_Z%.*s", (int)(name.n - (sizeof wrapper - 1)), name.p + sizeof wrapper - 1);
    LLVMValueRef variable = LLVMGetNamedGlobal(d->p->module, of.p);
    return variable ? variable : pointer;
}

const hsc_place *hsc_find_place(hsc_data *d, LLVMValueRef pointer) {
    pointer = without_thread(d, pointer);
    uint64_t key = (uint64_t)(uintptr_t)pointer;
    uint32_t at = hsc_map_get(&d->place_of, key);
    if (at)
        return d->places.p[at - 1];
    hsc_place *p = hsc_arena_take(&d->arena, sizeof *p);
    *p = hsc_place_unknown();
    if (d->depth < DEPTH_MAX && LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind) {
        d->depth++;
        *p = compute(d, pointer);
        d->depth--;
    } else if (d->depth >= DEPTH_MAX) {
        return p; /* not kept: it may be found from elsewhere */
    }
    *HSC_VECTOR_ADD(d->places) = p;
    hsc_map_set(&d->place_of, key, (uint32_t)d->places.n);
    return p;
}

const hsc_place *hsc_place_first(hsc_data *d, const hsc_place *place) {
    if (!place->behind || place->n != place->behind || place->n >= HSC_PLACE_DIMENSIONS || d->objects.p[place->object].rank <= place->n)
        return place;
    hsc_place *first = hsc_arena_take(&d->arena, sizeof *first);
    *first = *place;
    first->subscript[first->n++] = (hsc_subscript){.index = hsc_poly_constant(d, 0)};
    return first;
}

hsc_str hsc_place_text(hsc_data *d, const hsc_place *place) {
    if (place->object == NONE)
        return (hsc_str){"?", 1};
    hsc_str text = d->objects.p[place->object].name;
    if (place->is_descriptor && place->field > 0) {
        static const char *const fields[] = {"", "lbound", "size", "stride"};
        if (place->field <= 3)
            return hsc_data_format(d, "%s(%.*s, %u)", fields[place->field], (int)text.n, text.p, place->dimension + 1);
        return text;
    }
    unsigned round = d->p->is_fortran ? place->n : 0, rank = d->objects.p[place->object].rank; /* subscripts in round brackets */
    if (place->n && text.n > 5 && !memcmp(text.p + text.n - 5, "(...)", 5)) { /* of hsc_place_of_method */
        text.n -= 5;
        round = rank < place->n ? rank : place->n;
    }
    for (unsigned k = 0; k < place->n; k++) {
        const hsc_subscript *s = &place->subscript[k];
        const hsc_poly *x = s->index;
        const hsc_poly *lower = s->lower ? s->lower : d->objects.p[place->object].lower[k];
        if (d->p->is_fortran)
            x = hsc_poly_add(d, x, lower ? lower : hsc_poly_constant(d, 1), 1);
        hsc_str index = hsc_poly_text(d, x);
        if (k < round)
            text = hsc_data_format(d, "%.*s%s%.*s%s", (int)text.n, text.p, k ? ", " : "(", (int)index.n, index.p,
                                   k + 1 == round ? ")" : "");
        else
            text = hsc_data_format(d, "%.*s[%.*s]", (int)text.n, text.p, (int)index.n, index.p);
    }
    return text;
}
