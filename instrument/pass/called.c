/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What small procedures of C and C++ read and write that are called in loops: m.get(i, j), set(x, i, v). The compiler puts them in line, so that these are reads and
 * writes of the loop. Each procedure is looked at once, and what it does is carried over to its callers. */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE

enum { BLOCKS_MAX = 16, ACCESSES_MAX = 16, DEPTH_MAX = 16, DEPTH_OF_STORES_MAX = 8, STORES_MAX = 512, KEPT_MAX = 512 };

typedef struct called {
    hsc_data data; /* first, so that one leads to the other */
    hsc_graph graph;
    bool is_open, has_accesses;
    bool is_cut; /* it reads or writes what is not among the accesses */
    bool is_asked, is_quiet; /* writes nothing, where that was asked */
    hsc_called_accesses accesses;
} called;

/* Members that a procedure and those that it calls write. */
typedef struct stores {
    HSC_VECTOR(uint64_t) fields; /* key_of */
    hsc_map seen;
} stores;

struct hsc_called_all {
    HSC_VECTOR(called *) list;
    hsc_map of_function; /* index + 1 in list */
    HSC_VECTOR(stores *) stores;
    hsc_map stores_of;
    unsigned depth; /* procedures that are looked into */
};

static struct hsc_called_all *all_of(hsc_pass *p) {
    if (!p->called)
        p->called = hsc_pass_alloc(sizeof *p->called);
    return p->called;
}

/* The procedure that a call goes to, where its code is in this unit; NULL. */
static LLVMValueRef defined(LLVMValueRef call) {
    LLVMValueRef callee = LLVMIsACallInst(call) || LLVMIsAInvokeInst(call) ? LLVMGetCalledValue(call) : NULL;
    return callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) ? callee : NULL;
}

static void forget(struct hsc_called_all *all) {
    for (size_t i = 0; i < all->list.n; i++) {
        called *c = all->list.p[i];
        hsc_data_fini(&c->data);
        hsc_graph_fini(&c->graph);
        free(c->accesses.p);
        free(c);
    }
    all->list.n = 0;
    hsc_map_clear(&all->of_function);
}

void hsc_called_trim(hsc_pass *p) {
    if (p->called && p->called->list.n >= KEPT_MAX)
        forget(p->called);
}

void hsc_called_fini(hsc_pass *p) {
    struct hsc_called_all *all = p->called;
    if (!all)
        return;
    forget(all);
    for (size_t i = 0; i < all->stores.n; i++) {
        free(all->stores.p[i]->fields.p);
        hsc_map_fini(&all->stores.p[i]->seen);
        free(all->stores.p[i]);
    }
    free(all->list.p);
    free(all->stores.p);
    hsc_map_fini(&all->of_function);
    hsc_map_fini(&all->stores_of);
    free(all);
    p->called = NULL;
}

hsc_data *hsc_called_open(hsc_data *d, LLVMValueRef call) {
    LLVMValueRef callee = d->p->is_fortran ? NULL : defined(call);
    if (!callee || callee == d->function || LLVMCountBasicBlocks(callee) > BLOCKS_MAX)
        return NULL;
    struct hsc_called_all *all = all_of(d->p);
    if (all->depth >= DEPTH_MAX)
        return NULL;
    uint32_t at = hsc_map_get(&all->of_function, (uint64_t)(uintptr_t)callee);
    if (!at) {
        called *made = hsc_pass_alloc(sizeof *made);
        hsc_graph_init(&made->graph, callee);
        hsc_data_init(&made->data, d->p, callee, 0, &made->graph, NULL);
        *HSC_VECTOR_ADD(all->list) = made;
        at = (uint32_t)all->list.n;
        hsc_map_set(&all->of_function, (uint64_t)(uintptr_t)callee, at);
    }
    called *c = all->list.p[at - 1];
    if (c->is_open) /* it calls itself */
        return NULL;
    c->is_open = true;
    all->depth++;
    return &c->data;
}

void hsc_called_close(hsc_data *d) {
    ((called *)d)->is_open = false;
    d->p->called->depth--;
}

bool hsc_called_is_open(const hsc_pass *p) { return p->called && p->called->depth; }

LLVMValueRef hsc_called_result(LLVMValueRef function) {
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

/* ---- members that are written ---- */

/* The same for the same member of structures of one type; `any`: for an element whose number is not known. */
static uint64_t key_of(LLVMValueRef field, bool any) {
    unsigned n = (unsigned)LLVMGetNumOperands(field);
    LLVMValueRef last = LLVMGetOperand(field, n - 1);
    uint64_t index = any || !LLVMIsAConstantInt(last) ? UINT64_MAX : LLVMConstIntGetZExtValue(last);
    return hsc_pass_key("field", (uint64_t)(uintptr_t)LLVMGetGEPSourceElementType(field), n, index);
}

static void add_field(stores *s, uint64_t key) {
    if (s->fields.n >= STORES_MAX || hsc_map_get(&s->seen, key))
        return;
    *HSC_VECTOR_ADD(s->fields) = key;
    hsc_map_set(&s->seen, key, 1);
}

static const stores *stores_of(struct hsc_called_all *all, LLVMValueRef function, unsigned depth) {
    uint32_t at = hsc_map_get(&all->stores_of, (uint64_t)(uintptr_t)function);
    if (at || depth > DEPTH_OF_STORES_MAX)
        return at ? all->stores.p[at - 1] : NULL;
    stores *s = hsc_pass_alloc(sizeof *s);
    *HSC_VECTOR_ADD(all->stores) = s;
    hsc_map_set(&all->stores_of, (uint64_t)(uintptr_t)function, (uint32_t)all->stores.n);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAStoreInst(i) && LLVMIsAGetElementPtrInst(LLVMGetOperand(i, 1)))
                add_field(s, key_of(LLVMGetOperand(i, 1), false));
            LLVMValueRef callee = defined(i);
            const stores *inner = callee ? stores_of(all, callee, depth + 1) : NULL;
            for (size_t k = 0; inner && inner != s && k < inner->fields.n; k++)
                add_field(s, inner->fields.p[k]);
        }
    return s;
}

static void find_writes(hsc_data *d) {
    d->has_called_writes = true;
    for (unsigned b = 0; b < d->g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = defined(i);
            const stores *s = callee ? stores_of(all_of(d->p), callee, 0) : NULL;
            for (size_t k = 0; s && k < s->fields.n; k++)
                if (d->g->loop_of[b] != NONE || !hsc_map_get(&d->called_writes, s->fields.p[k]))
                    hsc_map_set(&d->called_writes, s->fields.p[k], d->g->loop_of[b] != NONE ? NONE : b + 1);
        }
}

bool hsc_called_writes(hsc_data *d, LLVMValueRef field, unsigned *block) {
    if (!LLVMIsAGetElementPtrInst(field))
        return false;
    if (!d->has_called_writes)
        find_writes(d);
    uint32_t one = hsc_map_get(&d->called_writes, key_of(field, false)), any = hsc_map_get(&d->called_writes, key_of(field, true));
    *block = one == NONE || any == NONE ? NONE : (one ? one : any) - 1;
    return one || any;
}

/* ---- accesses ---- */

static void add_fields(hsc_called_access *a, hsc_data *d, LLVMValueRef address) {
    enum { STEPS = 32 };
    for (unsigned step = 0; step < STEPS; step++) {
        address = hsc_data_without_casts(address);
        if (LLVMIsAGetElementPtrInst(address) || LLVMIsACallInst(address) || LLVMIsAInvokeInst(address)) {
            if (!LLVMGetNumOperands(address) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(address, 0))) != LLVMPointerTypeKind)
                return;
            address = LLVMGetOperand(address, 0);
            continue;
        }
        if (!LLVMIsALoadInst(address))
            return;
        LLVMValueRef from = LLVMGetOperand(address, 0);
        const hsc_variable *v = hsc_data_variable(d, from);
        if (v && v->n_stores == 1 && LLVMIsAStoreInst(d->stores.p[v->first_store - 1].instruction)) {
            address = LLVMGetOperand(d->stores.p[v->first_store - 1].instruction, 0);
            continue;
        }
        if (LLVMIsAGetElementPtrInst(from) && a->fields < sizeof a->field / sizeof *a->field)
            a->field[a->fields++] = from;
        address = from;
    }
}

static bool is_known(const hsc_called_accesses *list, const hsc_called_access *a) {
    for (size_t i = 0; i < list->n; i++) {
        const hsc_called_access *b = &list->p[i];
        bool same = b->place.object == a->place.object && b->place.n == a->place.n && b->touch.kind[b->of] == a->touch.kind[a->of] &&
                    b->touch.type == a->touch.type && hsc_poly_equal(b->place.offset, a->place.offset);
        for (unsigned k = 0; same && k < a->place.n; k++)
            same = hsc_poly_equal(b->place.subscript[k].index, a->place.subscript[k].index);
        if (same)
            return true;
    }
    return false;
}

static void add_own(called *c, LLVMValueRef i) {
    hsc_data *d = &c->data;
    hsc_called_accesses *out = &c->accesses;
    hsc_called_access a = {.touch = hsc_data_touched(i)};
    if (a.touch.type && LLVMGetTypeKind(a.touch.type) == LLVMPointerTypeKind)
        return; /* on the way to an element */
    for (a.of = 0; a.of < 2 && a.touch.address[a.of]; a.of++) {
        LLVMValueRef address = a.touch.address[a.of];
        if (LLVMIsAAllocaInst(address))
            continue;
        a.place = *hsc_place_accessed(d, hsc_place_first(d, hsc_find_place(d, address)), a.touch.type, i);
        if (a.place.object == NONE || out->n >= ACCESSES_MAX) {
            c->is_cut = true;
            continue;
        }
        a.fields = 0;
        add_fields(&a, d, address);
        if (!is_known(out, &a))
            *HSC_VECTOR_ADD(*out) = a;
    }
}

static bool is_kept_apart(LLVMValueRef function) {
    static const char noinline[] = "noinline";
    unsigned kind = LLVMGetEnumAttributeKindForName(noinline, sizeof noinline - 1);
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) != NULL;
}

/* Is an address on the way found in a member that is another in each iteration, as of an iterator that ++ is called of? */
static bool is_moved(hsc_data *d, const hsc_called_access *a) {
    unsigned block = 0;
    for (unsigned k = 0; k < a->fields; k++)
        if (hsc_called_writes(d, a->field[k], &block) && block == NONE)
            return true;
    return false;
}

/* A lambda of the procedure's own ("_ZZ4mainENK3$_0clEv" in "main"): what it has captured are variables, by names that it has not. */
static bool is_own_lambda(const hsc_data *d, LLVMValueRef call) {
    static const char local[] = "_ZZ";
    LLVMValueRef callee = defined(call);
    hsc_ir_text own = hsc_ir_get_name(d->function), name = callee ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
    size_t skip = own.n > 2 && !memcmp(own.p, "_Z", 2) ? 2 : 0;
    return name.n > sizeof local - 1 + own.n - skip && !memcmp(name.p, local, sizeof local - 1) && (!skip || !memcmp(name.p + sizeof local - 1, own.p + skip, own.n - skip));
}

/* The procedure that a call goes to, with its accesses at its own places. */
static called *look_into(hsc_data *d, LLVMValueRef call) {
    hsc_data *inner = is_own_lambda(d, call) ? NULL : hsc_called_open(d, call);
    if (!inner)
        return NULL;
    called *c = (called *)inner;
    bool is_looked_at = c->has_accesses;
    c->has_accesses = true;
    c->is_cut = c->is_cut || c->graph.n_loops || (!is_looked_at && is_kept_apart(inner->function));
    for (unsigned b = 0; !is_looked_at && !c->is_cut && b < c->graph.blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->graph.block[b]); i; i = LLVMGetNextInstruction(i)) {
            add_own(c, i);
            hsc_called_add_accesses(inner, i, &c->accesses);
        }
    hsc_called_close(inner);
    return c;
}

/* An access of a called procedure as the caller has it; false: its place is not known there. */
static bool carry_access(hsc_data *d, LLVMValueRef call, called *c, size_t k, hsc_called_access *out) {
    LLVMValueRef begin = NULL;
    *out = c->accesses.p[k];
    out->place = hsc_place_carried(d, &c->data, &c->accesses.p[k].place, call, &begin);
    if (out->place.object == NONE || is_moved(d, out))
        return false;
    add_fields(out, d, begin);
    return true;
}

void hsc_called_add_accesses(hsc_data *d, LLVMValueRef call, hsc_called_accesses *out) {
    called *c = look_into(d, call);
    hsc_called_access a;
    for (size_t k = 0; c && k < c->accesses.n && out->n < ACCESSES_MAX; k++)
        if (carry_access(d, call, c, k, &a) && !is_known(out, &a))
            *HSC_VECTOR_ADD(*out) = a;
}

/* Does nothing that it calls, nor it itself, write but to variables of its own? */
static bool writes_nothing(called *c) {
    for (unsigned b = 0; b < c->graph.blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->graph.block[b]); i; i = LLVMGetNextInstruction(i)) {
            hsc_touch t = hsc_data_touched(i);
            LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
            bool is_llvms = callee && LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) && !t.address[0];
            if (t.address[0] ? t.kind[0] != HSC_access_READ && !(t.type && LLVMIsAAllocaInst(t.address[0]))
                             : LLVMIsAFenceInst(i) || ((callee || LLVMIsAInvokeInst(i)) && !is_llvms && !hsc_called_only_reads(&c->data, i)))
                return false;
        }
    return true;
}

bool hsc_called_only_reads(hsc_data *d, LLVMValueRef call) {
    called *c = look_into(d, call);
    hsc_called_access a;
    if (!c || c->is_cut)
        return false;
    for (size_t k = 0; k < c->accesses.n; k++)
        if (c->accesses.p[k].touch.kind[c->accesses.p[k].of] != HSC_access_READ || !carry_access(d, call, c, k, &a))
            return false;
    if (!c->is_asked) {
        c->is_asked = true; /* until it is known; it may call itself */
        c->is_quiet = writes_nothing(c);
    }
    return c->is_quiet;
}
