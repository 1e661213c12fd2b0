/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nests whose innermost loop goes through memory by large steps, where another loop round it would go by small ones: a remark of ours, with what is known of whether the two
 * may be exchanged. Iterations p of the outer and q of the inner loop that touch the same element, (p, q) and (p + dp, q + dq), must stay in their order: exchanging
 * breaks it where dp and dq have unlike signs (M. Wolfe, Optimizing Supercompilers for Supercomputers, 1989, chapter on loop interchanging). */
#include "interchange.h"

#include <stdlib.h>
#include <string.h>

#include "why.h"

enum { NONE = HSC_CFG_NONE, FAR_BYTES = 64, NEST = 6, VARIABLES = 64, ACCESSES = 200 };

/* How an access goes on in a loop. */
typedef enum pace { STAYS, NEAR, FAR, UNCLEAR } pace;

typedef struct nest {
    hsc_data *d;
    const hsc_access *all;
    size_t n_all;
    const hsc_access *in[ACCESSES]; /* of the inner loop */
    unsigned n;
    unsigned inner, outer;          /* loops that may be exchanged */
    bool between;                   /* the outer one does more than the loop inside it */
    bool overlap;                   /* what is written may be what another name reads */
    bool order;                     /* sums are added up in another order */
    int64_t skew;                   /* iterations of the inner loop by which it begins later in the next one of the outer loop, the next round it */
    bool triangle;                  /* where the inner loop begins, or where it ends, goes on with the outer one, the next round it */
    hsc_str sum;                    /* a variable that would have to become an array; n 0: none */
} nest;

static bool is_zero(const hsc_poly *a) {
    int64_t c;
    return hsc_poly_is_constant(a, &c) && !c;
}

/* As hsc_poly_step; of the outer loop at the same value of the inner loop's variable, wherever that begins. */
static const hsc_poly *step_of(const nest *t, const hsc_poly *a, unsigned loop, uint32_t *element) {
    const hsc_poly *step = hsc_poly_step(t->d, a, loop, element);
    return step && t->skew && loop == t->outer ? hsc_poly_add(t->d, step, hsc_poly_step(t->d, a, t->inner, element), -t->skew) : step;
}

/* "stride(x, 1)": what goes on by that goes on by one element wherever the actual argument is contiguous, which mostly it is. */
static bool is_first_stride(const hsc_data *d, const hsc_poly *step) {
    if (!d->p->is_fortran || step->constant || step->n != 1 || step->term[0].n != 1 || llabs(step->term[0].coefficient) != 1)
        return false;
    hsc_str text = d->atoms.p[step->term[0].atom[0]].text;
    return text.n > 11 && !memcmp(text.p, "stride(", 7) && !memcmp(text.p + text.n - 4, ", 1)", 4);
}

/* *step: bytes; NULL: they are not known, or another row is gone to. */
static pace pace_of(const nest *t, const hsc_access *a, unsigned loop, const hsc_poly **step) {
    uint32_t element = HSC_DATA_NONE;
    int64_t bytes;
    bool moves = false;
    *step = NULL;
    for (unsigned k = 0; k < a->place->behind; k++) {
        const hsc_poly *row = step_of(t, a->place->subscript[k].index, loop, &element);
        if (!row)
            return UNCLEAR;
        moves = moves || !is_zero(row);
    }
    if (moves)
        return FAR;
    *step = step_of(t, a->place->offset, loop, &element);
    if (!*step)
        return UNCLEAR;
    if (!hsc_poly_is_constant(*step, &bytes))
        return is_first_stride(t->d, *step) ? NEAR : FAR;
    return !bytes ? STAYS : bytes >= FAR_BYTES || bytes <= -FAR_BYTES ? FAR : NEAR;
}

/* ---- may they be exchanged? ---- */

static bool is_extreme(const nest *t, LLVMValueRef store, LLVMValueRef variable);

typedef struct distance {
    bool known;
    int64_t by;
} distance;

/* a = c * b with an integer c. */
static bool is_multiple(hsc_data *d, const hsc_poly *a, const hsc_poly *b, int64_t *c) {
    return a && b && (b->n || b->constant) && hsc_poly_is_constant(hsc_poly_divide(d, a, b), c);
}

static bool meet(distance *at, int64_t by) {
    if (at->known && at->by != by)
        return false;
    *at = (distance){true, by};
    return true;
}

typedef enum verdict { APART, TOLD, UNTOLD } verdict; /* never the same element; see the distances; not known */

/* change = dp * p + dq * q, the steps of one subscript in the two loops. */
static verdict solve(hsc_data *d, const hsc_poly *change, const hsc_poly *p, const hsc_poly *q, distance *dp, distance *dq) {
    int64_t c, k;
    if (!change || !p || !q)
        return UNTOLD;
    if (is_zero(p) && is_zero(q))
        return is_zero(change) ? TOLD : hsc_poly_is_constant(change, &c) ? APART : UNTOLD;
    if (is_zero(p) || is_zero(q)) {
        const hsc_poly *step = is_zero(p) ? q : p;
        if (is_multiple(d, change, step, &c))
            return meet(is_zero(p) ? dq : dp, c) ? TOLD : APART;
        return hsc_poly_is_constant(change, &c) && hsc_poly_is_constant(step, &k) ? APART : UNTOLD;
    }
    /* one index made of both, as i * n + j: the larger step goes over all that the smaller ones reach */
    int64_t a, b;
    bool p_known = hsc_poly_is_constant(p, &a), q_known = hsc_poly_is_constant(q, &b);
    if (p_known == q_known && (!p_known || llabs(a) == llabs(b)))
        return UNTOLD;
    bool p_larger = p_known ? llabs(a) > llabs(b) : true;
    const hsc_poly *large = p_larger ? p : q, *small = p_larger ? q : p;
    for (int64_t by = -3; by <= 3; by++) {
        const hsc_poly *rest = hsc_poly_add(d, change, large, -by);
        if (!is_multiple(d, rest, small, &c))
            continue;
        int64_t size;
        if (hsc_poly_is_constant(large, &size) && hsc_poly_is_constant(small, &k) && 2 * llabs(c) * llabs(k) > llabs(size))
            continue;
        return meet(p_larger ? dp : dq, by) && meet(p_larger ? dq : dp, c) ? TOLD : APART;
    }
    return UNTOLD;
}

/* Steps of a subscript, or of the whole place (k == its n), in the two loops. */
static const hsc_poly *index_of(const hsc_place *p, unsigned k) { return k < p->n ? p->subscript[k].index : p->offset; }

/* Does it go on in a loop between the two? */
static bool moves_between(const nest *t, const hsc_poly *a) {
    const hsc_graph *g = t->d->g;
    uint32_t element = HSC_DATA_NONE;
    for (unsigned l = g->loops[t->inner].parent; l != t->outer; l = g->loops[l].parent)
        if (!is_zero(hsc_poly_step(t->d, a, l, &element)))
            return true;
    return false;
}

static verdict compare(const nest *t, const hsc_place *w, const hsc_place *x, distance *dp, distance *dq) {
    hsc_data *d = t->d;
    bool by_index = w->n == x->n && w->n;
    verdict all = TOLD;
    for (unsigned k = 0; k < w->n && by_index; k++)
        by_index = w->subscript[k].index && x->subscript[k].index;
    for (unsigned k = by_index ? 0 : w->n, end = by_index ? w->n : w->n + 1; k < end; k++) {
        uint32_t element = HSC_DATA_NONE;
        const hsc_poly *a = index_of(w, by_index ? k : w->n), *b = index_of(x, by_index ? k : x->n);
        const hsc_poly *p = step_of(t, a, t->outer, &element), *q = step_of(t, a, t->inner, &element);
        if (!hsc_poly_equal(p, step_of(t, b, t->outer, &element)) || !hsc_poly_equal(q, step_of(t, b, t->inner, &element)))
            return UNTOLD;
        const hsc_poly *change = hsc_poly_add(d, b, a, -1);
        verdict v = is_zero(change) || !moves_between(t, a) ? solve(d, change, p, q, dp, dq) : UNTOLD;
        if (v == APART)
            return APART;
        all = v == UNTOLD ? UNTOLD : all;
    }
    return all;
}

/* Is one the other, or may it be, under another name? */
static bool may_overlap(const nest *t, uint32_t a, uint32_t b) {
    const hsc_object *x = &t->d->objects.p[a], *y = &t->d->objects.p[b];
    if (t->d->p->is_fortran)
        return false; /* but for pointers and targets, which the programmer knows of */
    return !(x->base && y->base && !x->argument && !y->argument && x->base != y->base);
}

/* false: what is known is against exchanging them. */
static bool look_at_dependences(nest *t) {
    const hsc_access *in[ACCESSES]; /* of the inner loop, then what stands between the two */
    unsigned n = t->n;
    memcpy(in, t->in, n * sizeof *in);
    for (size_t i = 0; i < t->n_all; i++) {
        unsigned of = t->d->g->loop_of[t->all[i].block];
        if (of == t->inner || !hsc_graph_is_in(t->d->g, t->all[i].block, t->outer))
            continue;
        if (n == ACCESSES)
            return false;
        in[n++] = &t->all[i];
    }
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n; k++) {
            const hsc_access *w = in[i], *x = in[k];
            distance dp = {0}, dq = {0};
            if (w->kind == HSC_access_READ || (k < i && x->kind != HSC_access_READ) || (i >= t->n && k >= t->n && x->kind == HSC_access_READ))
                continue;
            if (w->place->object != x->place->object || w->place->behind != x->place->behind) { /* rows, and pointers to them */
                t->overlap = t->overlap || w->place->object == x->place->object || may_overlap(t, w->place->object, x->place->object);
                continue;
            }
            verdict v = compare(t, w->place, x->place, &dp, &dq);
            if (v == APART)
                continue;
            if (v == UNTOLD)
                return false;
            bool goes_p = dp.known && dp.by, goes_q = dq.known && dq.by, next = t->d->g->loops[t->inner].parent == t->outer;
            bool alike = goes_p && goes_q && (dp.by > 0) == (dq.by > 0), lone = goes_p ? dq.known && !dq.by : dp.known && !dp.by;
            if ((goes_p || goes_q) && !(next && (alike || lone)))
                return false;
            bool one = !dp.known && !dq.known; /* one element in all iterations */
            t->order = t->order || (one && !(LLVMIsAStoreInst(w->instruction) && is_extreme(t, w->instruction, LLVMGetOperand(w->instruction, 1))));
        }
    return true;
}

/* ---- the shape of the nest ---- */

/* Is the number that of a loop's variable, which counts the same each time the loop is begun? */
static bool is_counter(nest *t, const hsc_poly *x, unsigned loop) {
    hsc_data *d = t->d;
    uint32_t element = HSC_DATA_NONE;
    const hsc_atom *a = x && x->n == 1 && x->term[0].n == 1 ? &d->atoms.p[x->term[0].atom[0]] : NULL;
    if (!a || a->kind != HSC_ATOM_INDUCTION || a->loop != loop)
        return false;
    if (t->triangle && loop == t->inner)
        return hsc_poly_step(d, a->start, t->outer, &element) != NULL;
    for (unsigned l = loop; l != t->outer; l = d->g->loops[l].parent)
        if (!is_zero(hsc_poly_step(d, a->start, d->g->loops[l].parent, &element)))
            return false;
    return true;
}

/* The variable of a loop, or what flang keeps of its counter in it. */
static bool is_of_a_loop(nest *t, LLVMValueRef store) {
    hsc_data *d = t->d;
    const hsc_poly *stored = hsc_evaluate(d, LLVMGetOperand(store, 0));
    for (unsigned l = t->inner;; l = d->g->loops[l].parent) {
        LLVMValueRef header_end = LLVMGetBasicBlockTerminator(d->g->block[d->g->loops[l].header]);
        if (is_counter(t, stored, l) || is_counter(t, hsc_evaluate_content(d, LLVMGetOperand(store, 1), header_end), l))
            return true;
        if (l == t->outer)
            return false;
    }
}

/* A call that does nothing else than computing. */
static bool computes(LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee))
        return false;
    hsc_ir_text name = hsc_ir_get_name(callee);
    return name.n > 5 && !memcmp(name.p, "llvm.", 5) && !hsc_ir_copies_memory(call);
}

/* Does a value come from what the variable held, which nothing else is done with? */
static bool comes_from(LLVMValueRef value, LLVMValueRef variable, unsigned depth) {
    LLVMUseRef use = LLVMGetFirstUse(value);
    if (!depth || !LLVMIsAInstruction(value) || !use || LLVMGetNextUse(use))
        return false;
    if (LLVMIsALoadInst(value))
        return LLVMGetOperand(value, 0) == variable;
    LLVMOpcode op = LLVMGetInstructionOpcode(value);
    if (op == LLVMCall && !computes(value))
        return false;
    bool adds = op == LLVMFAdd || op == LLVMFSub || op == LLVMAdd || op == LLVMSub || op == LLVMFMul || op == LLVMMul || op == LLVMCall || op == LLVMFPExt || op == LLVMFPTrunc;
    for (int k = 0, n = LLVMGetNumOperands(value); adds && k < n; k++)
        if (comes_from(LLVMGetOperand(value, (unsigned)k), variable, depth - 1))
            return true;
    return false;
}

/* Written only: what front ends keep of how a scope was left. */
static bool is_never_read(LLVMValueRef variable) {
    for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) == variable)
            return false;
    }
    return LLVMIsAAllocaInst(variable);
}

/* Is it written in each iteration of the inner loop before it is read, and read nowhere else in the outer one? */
static bool is_private(const nest *t, LLVMValueRef store, LLVMValueRef variable) {
    hsc_data *d = t->d;
    LLVMBasicBlockRef of = LLVMGetInstructionParent(store);
    unsigned block = hsc_data_block(d, store);
    if (!hsc_graph_is_in(d->g, block, t->inner))
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsALoadInst(user))
            continue;
        unsigned at = hsc_data_block(d, user);
        if (!hsc_graph_is_in(d->g, at, t->outer))
            continue;
        if (!hsc_graph_is_in(d->g, at, t->inner) || !hsc_data_dominates(d, block, at))
            return false;
        for (LLVMValueRef i = LLVMGetFirstInstruction(of); at == block && i != store; i = LLVMGetNextInstruction(i))
            if (i == user)
                return false;
    }
    return true;
}

static const hsc_access *access_of(const nest *t, LLVMValueRef i) {
    for (size_t k = 0; k < t->n_all; k++)
        if (t->all[k].instruction == i)
            return &t->all[k];
    return NULL;
}

/* Are two values of one iteration the same, made in the same way of the same elements and variables? Nothing is stored between them. */
static bool are_alike(const nest *t, LLVMValueRef a, LLVMValueRef b, unsigned depth) {
    if (a == b)
        return true;
    if (!depth || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) || LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    if (LLVMIsALoadInst(a)) {
        const hsc_access *x = access_of(t, a), *y = access_of(t, b);
        if (!x || !y)
            return !x && !y && LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0);
        return x->place->object == y->place->object && !x->place->behind && !y->place->behind && x->place->offset && hsc_poly_equal(x->place->offset, y->place->offset);
    }
    if (LLVMIsACallInst(a) ? !computes(a) : !LLVMIsABinaryOperator(a) && !LLVMIsAUnaryInstruction(a))
        return false;
    for (int k = 0, n = LLVMGetNumOperands(a); k < n; k++)
        if (!are_alike(t, LLVMGetOperand(a, (unsigned)k), LLVMGetOperand(b, (unsigned)k), depth - 1))
            return false;
    return true;
}

/* The one value that a test compares a variable's content with, by < or >, where nothing else hangs on the test; NULL. */
static LLVMValueRef compared_with(LLVMValueRef test, LLVMValueRef variable) {
    LLVMUseRef use = LLVMGetFirstUse(test);
    if (!LLVMIsACmpInst(test) || !use || LLVMGetNextUse(use))
        return NULL;
    bool equal = LLVMIsAFCmpInst(test) ? LLVMGetFCmpPredicate(test) == LLVMRealOEQ || LLVMGetFCmpPredicate(test) == LLVMRealUEQ || LLVMGetFCmpPredicate(test) == LLVMRealONE || LLVMGetFCmpPredicate(test) == LLVMRealUNE
                                       : LLVMGetICmpPredicate(test) == LLVMIntEQ || LLVMGetICmpPredicate(test) == LLVMIntNE;
    for (unsigned k = 0; k < 2 && !equal; k++) {
        LLVMValueRef x = LLVMGetOperand(test, k);
        if (LLVMIsALoadInst(x) && LLVMGetOperand(x, 0) == variable)
            return LLVMGetOperand(test, 1 - k);
    }
    return NULL;
}

static LLVMValueRef only_store_of(LLVMBasicBlockRef block) {
    LLVMValueRef store = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAStoreInst(i)) {
            if (store)
                return NULL;
            store = i;
        }
    return store;
}

/* The test that alone leads to a block; NULL: others do, too, or none. */
static LLVMValueRef test_before(const nest *t, unsigned block) {
    const hsc_graph *g = t->d->g;
    LLVMValueRef test = NULL;
    unsigned before = 0;
    for (unsigned b = 0; b < g->blocks; b++)
        for (unsigned s = g->first[b]; s < g->first[b + 1]; s++)
            if (g->successor[s] == block) {
                LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
                test = LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
                before++;
            }
    return before == 1 ? test : NULL;
}

/* Of two values one is what the test compares with the variable's content, and one that content. */
static bool are_both(const nest *t, LLVMValueRef test, const LLVMValueRef *values, LLVMValueRef variable) {
    LLVMValueRef other = test ? compared_with(test, variable) : NULL;
    for (unsigned k = 0; k < 2 && other; k++)
        if (are_alike(t, values[k], other, 6) && LLVMIsALoadInst(values[1 - k]) && LLVMGetOperand(values[1 - k], 0) == variable)
            return true;
    return false;
}

/* Is the largest or the smallest value kept, as `if (x > m) m = x` and `m = x > m ? x : m` do, and nothing about where it was? */
static bool keeps_extreme(const nest *t, LLVMValueRef store, LLVMValueRef variable) {
    hsc_data *d = t->d;
    LLVMValueRef value = LLVMGetOperand(store, 0);
    unsigned block = hsc_data_block(d, store);
    if (LLVMIsASelectInst(value))
        return are_both(t, LLVMGetOperand(value, 0), (LLVMValueRef[]){LLVMGetOperand(value, 1), LLVMGetOperand(value, 2)}, variable);
    if (LLVMIsAPHINode(value)) {
        if (LLVMCountIncoming(value) != 2)
            return false;
        LLVMValueRef from[2] = {LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(value, 0)), LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(value, 1))};
        LLVMValueRef test = test_before(t, hsc_data_block(d, from[0]));
        bool plain = !only_store_of(LLVMGetIncomingBlock(value, 0)) && !only_store_of(LLVMGetIncomingBlock(value, 1));
        return plain && test == test_before(t, hsc_data_block(d, from[1])) && are_both(t, test, (LLVMValueRef[]){LLVMGetIncomingValue(value, 0), LLVMGetIncomingValue(value, 1)}, variable);
    }
    LLVMValueRef test = test_before(t, block), other = test ? compared_with(test, variable) : NULL;
    return other && only_store_of(d->g->block[block]) == store && are_alike(t, value, other, 6);
}

/* Is it the only thing that is done with the variable in the outer loop? */
static bool is_extreme(const nest *t, LLVMValueRef store, LLVMValueRef variable) {
    hsc_data *d = t->d;
    if (!keeps_extreme(t, store, variable))
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user) || user == store || !hsc_graph_is_in(d->g, hsc_data_block(d, user), t->outer))
            continue;
        if (!LLVMIsALoadInst(user) || !hsc_graph_is_in(d->g, hsc_data_block(d, user), t->inner))
            return false;
        for (LLVMUseRef of = LLVMGetFirstUse(user); of; of = LLVMGetNextUse(of)) {
            LLVMValueRef by = LLVMGetUser(of);
            if (by != LLVMGetOperand(store, 0) && !compared_with(by, variable))
                return false;
        }
    }
    return true;
}

/* flang's own copy of a descriptor, which it makes before each use. */
static bool is_copied_descriptor(LLVMValueRef store) {
    LLVMValueRef variable = LLVMGetOperand(store, 1);
    return LLVMIsAAllocaInst(variable) && hsc_is_descriptor(LLVMGetAllocatedType(variable)) && LLVMIsALoadInst(LLVMGetOperand(store, 0));
}

static bool look_at_store(nest *t, LLVMValueRef store, LLVMValueRef *variables, unsigned *n) {
    hsc_data *d = t->d;
    LLVMValueRef variable = LLVMGetOperand(store, 1);
    const hsc_variable *v = hsc_data_variable(d, variable);
    bool inside = hsc_graph_is_in(d->g, hsc_data_block(d, store), t->inner);
    if (t->d->p->is_fortran && is_copied_descriptor(store))
        return true;
    if (!v || !v->is_scalar) {
        t->between = t->between || !inside;
        return access_of(t, store) != NULL;
    }
    if (is_never_read(variable) || is_of_a_loop(t, store) || is_private(t, store, variable))
        return true;
    if (inside && is_extreme(t, store, variable))
        return true;
    if (inside && !comes_from(LLVMGetOperand(store, 0), variable, 6))
        return false;
    if (*n == VARIABLES)
        return false;
    variables[(*n)++] = store;
    return true;
}

/* What is stored to variables: the counters of the loops, what one iteration has for itself, and sums. */
static bool look_at_variables(nest *t, LLVMValueRef *stores, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef variable = LLVMGetOperand(stores[i], 1);
        bool inside = false, outside = false;
        for (unsigned k = 0; k < n; k++)
            if (LLVMGetOperand(stores[k], 1) == variable)
                *(hsc_graph_is_in(t->d->g, hsc_data_block(t->d, stores[k]), t->inner) ? &inside : &outside) = true;
        t->between = t->between || outside;
        t->order = t->order || (inside && !outside);
        if (inside && outside && !t->sum.n) {
            t->sum = hsc_data_variable_name(t->d, hsc_data_variable(t->d, variable), stores[i]);
            if (!t->sum.n)
                return false;
        }
    }
    return true;
}

static bool has_loop_beside(const nest *t) {
    const hsc_graph *g = t->d->g;
    for (unsigned l = 0; l < g->n_loops; l++) {
        unsigned up = l;
        while (up != NONE && up != t->outer)
            up = g->loops[up].parent;
        if (up == NONE || l == t->outer)
            continue;
        for (up = t->inner; up != NONE && up != l;)
            up = g->loops[up].parent;
        if (up == NONE)
            return true;
    }
    return false;
}

/* Of a test that ends the inner loop: begin or end goes on by a constant with the loop next round it, as in a triangle. Where both do, as in a band, the iterations may be few in the
 * other order. */
static bool is_triangle(nest *t, const hsc_poly *const *ends) {
    hsc_data *d = t->d;
    unsigned go = 0;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t element = HSC_DATA_NONE;
        int64_t by;
        const hsc_poly *step = hsc_poly_step(d, ends[k], t->outer, &element);
        if (!step || !hsc_poly_is_constant(step, &by))
            return false;
        go += by != 0;
    }
    return go == 1;
}

/* What ends each loop inside must be the same in all iterations of those round it, but of the inner one where that is next inside the outer one. */
static bool is_regular(nest *t) {
    hsc_data *d = t->d;
    const hsc_graph *g = d->g;
    for (unsigned b = 0; b < g->blocks; b++) {
        unsigned l = g->loop_of[b];
        if (l == NONE || l == t->outer || !hsc_graph_is_in(g, b, t->outer))
            continue;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
        bool leaves = false, same = true;
        for (unsigned s = g->first[b]; s < g->first[b + 1]; s++)
            leaves = leaves || !hsc_graph_is_in(g, g->successor[s], l);
        if (!leaves)
            continue;
        LLVMValueRef test = LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
        if (!test || !LLVMIsAICmpInst(test))
            return false;
        const hsc_poly *const ends[2] = {hsc_evaluate(d, LLVMGetOperand(test, 0)), hsc_evaluate(d, LLVMGetOperand(test, 1))};
        for (unsigned k = 0; k < 2; k++)
            for (unsigned up = l; up != t->outer;) {
                uint32_t element = HSC_DATA_NONE;
                up = g->loops[up].parent;
                same = same && is_zero(hsc_poly_step(d, ends[k], up, &element));
            }
        if (!same && !(l == t->inner && g->loops[l].parent == t->outer && is_triangle(t, ends)))
            return false;
        t->triangle = t->triangle || !same;
    }
    return true;
}

static bool is_kept(const nest *t, LLVMValueRef value) {
    LLVMUseRef use = LLVMGetFirstUse(value);
    LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    return user && LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value && is_extreme(t, user, LLVMGetOperand(user, 1));
}

/* false: it can't be said what exchanging them would do. */
static bool look_at_shape(nest *t) {
    const hsc_graph *g = t->d->g;
    LLVMValueRef variables[VARIABLES];
    unsigned n = 0;
    if (has_loop_beside(t) || !is_regular(t) || (t->skew && !t->triangle))
        return false;
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = hsc_graph_is_in(g, b, t->outer) ? LLVMGetFirstInstruction(g->block[b]) : NULL; i; i = LLVMGetNextInstruction(i))
            switch (LLVMGetInstructionOpcode(i)) {
            case LLVMStore:
                if (!look_at_store(t, i, variables, &n))
                    return false;
                break;
            case LLVMCall:
                if (!computes(i) && !LLVMIsADbgInfoIntrinsic(i) && !hsc_called_only_reads(t->d, i))
                    return false;
                break;
            case LLVMPHI: /* flang's counters, and what is kept of two; of others what they carry is not looked for */
                if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind && !is_kept(t, i))
                    return false;
                break;
            case LLVMInvoke:
                if (!hsc_called_only_reads(t->d, i))
                    return false;
                break;
            case LLVMAtomicRMW:
            case LLVMAtomicCmpXchg:
            case LLVMFence:
                return false;
            default:
                break;
            }
    return look_at_variables(t, variables, n);
}

/* ---- what is said ---- */

static const hsc_rec_loop *record_of(const nest *t, unsigned loop) {
    hsc_pass *p = t->d->p;
    uint32_t id = t->d->loops[loop].id;
    return id ? &p->loops.p[p->sites.p[id - 1].index] : NULL;
}

static hsc_str say(nest *t) {
    hsc_data *d = t->d;
    const hsc_rec_loop *inner = record_of(t, t->inner), *outer = record_of(t, t->outer);
    const hsc_poly *before, *then;
    int64_t bytes;
    hsc_str first = {"", 0}, step = {"", 0}, after = {"", 0}, text, told = {" goes on", 8};
    for (unsigned k = 0; k < 2 * t->n; k++) { /* first those that go on then: pointers to rows would stay */
        unsigned i = k % t->n;
        if (pace_of(t, t->in[i], t->inner, &before) != FAR || pace_of(t, t->in[i], t->outer, &then) != (k < t->n ? NEAR : STAYS))
            continue;
        hsc_str name = hsc_place_text(d, t->in[i]->place);
        if (first.n) {
            if (name.n != first.n || memcmp(name.p, first.p, name.n))
                told = (hsc_str){" and others go on", 17};
            continue;
        }
        first = name;
        step = before ? hsc_data_format(d, "by %.*s bytes", (int)hsc_poly_text(d, before).n, hsc_poly_text(d, before).p) : hsc_data_format(d, "to another row");
        after = is_zero(then) ? hsc_data_format(d, "it stays where it is") : hsc_data_format(d, "by %.*s byte%s", (int)hsc_poly_text(d, then).n, hsc_poly_text(d, then).p, hsc_poly_is_constant(then, &bytes) && bytes == 1 ? "" : "s");
        if (is_first_stride(d, then))
            after = hsc_data_format(d, "%.*s, one element where it is contiguous", (int)after.n, after.p);
    }
    text = hsc_data_format(d, "%.*s%.*s %.*s from one iteration to the next; with the loops over %.*s (line %u) and %.*s (line %u) exchanged%s, %.*s", (int)first.n, first.p,
                           (int)told.n, told.p, (int)step.n, step.p, (int)outer->induction.n, outer->induction.p, (unsigned)outer->line_begin, (int)inner->induction.n, inner->induction.p,
                           (unsigned)inner->line_begin, t->triangle ? ", and bounds for the same iterations" : "", (int)after.n, after.p);
    if (t->between && t->sum.n)
        text = hsc_data_format(d, "%.*s; what stands between them would have to be a loop of its own, and %.*s an array", (int)text.n, text.p, (int)t->sum.n, t->sum.p);
    else if (t->between)
        text = hsc_data_format(d, "%.*s; what stands between them would have to be a loop of its own", (int)text.n, text.p);
    if (t->order)
        text = hsc_data_format(d, "%.*s; sums are then added in another order", (int)text.n, text.p);
    if (t->overlap)
        text = hsc_data_format(d, "%.*s; whether what is written overlaps what is read is not known", (int)text.n, text.p);
    else if (!t->between && !t->order)
        text = hsc_data_format(d, "%.*s; no dependence is against it", (int)text.n, text.p);
    return text;
}

static void tell(nest *t) {
    hsc_pass *p = t->d->p;
    const hsc_rec_loop *inner = record_of(t, t->inner);
    uint32_t id = t->d->loops[t->inner].id;
    bool is_new;
    hsc_str text = say(t);
    hsc_ir_loc nowhere = {0};
    uint32_t at = hsc_why_find(p, HSC_WHY_REMARK, hsc_pass_tag(id, "Interchange", "", 0), t->d->procedure_id, &nowhere, p->why.remarks.n, &is_new);
    if (is_new)
        *HSC_VECTOR_ADD(p->why.remarks) = (hsc_rec_remark){
            .pass = {"heatscope", 9},
            .name = {"Interchange", 11},
            .kind = HSC_remark_kind_ANALYSIS,
            .procedure_id = t->d->procedure_id,
            .file_id = inner->file_id,
            .line = inner->line_begin,
            .column = inner->column_begin,
            .site_id = id,
            .message = hsc_pass_dup(p, text.p, text.n),
            .attachment = HSC_remark_attachment_LOOP,
        };
    p->why.remarks.p[at].count++;
}

/* How many accesses go far in a loop; false: of one that is not known, or one goes far that does not in the inner one. */
static bool count_far(nest *t, unsigned loop, unsigned *far) {
    const hsc_poly *step;
    *far = 0;
    for (unsigned i = 0; i < t->n; i++) {
        pace here = pace_of(t, t->in[i], loop, &step), inside = pace_of(t, t->in[i], t->inner, &step);
        if (here == UNCLEAR || inside == UNCLEAR || (here == FAR && inside != FAR))
            return false;
        *far += here == FAR;
    }
    return true;
}

static bool is_plain(const nest *t, unsigned loop) {
    const hsc_rec_loop *r = record_of(t, loop);
    return r && r->line_begin && r->induction.n && !(r->flags & HSC_loop_flag_COMPILER) && !t->d->g->loops[loop].irreducible;
}

/* Looks for the skew in what subscripts have of the inner loop's variables. false: they don't agree, or it is none. */
static bool find_skew(nest *t, const hsc_poly *a, bool *known) {
    hsc_data *d = t->d;
    for (uint32_t i = 0; a && i < a->n; i++)
        for (uint32_t k = 0; k < a->term[i].n; k++) {
            const hsc_atom *x = &d->atoms.p[a->term[i].atom[k]];
            uint32_t element = HSC_DATA_NONE;
            int64_t later, step;
            if (x->kind != HSC_ATOM_INDUCTION || x->loop != t->inner)
                continue;
            const hsc_poly *start = hsc_poly_step(d, x->start, t->outer, &element);
            if (!start || !hsc_poly_is_constant(start, &later) || !hsc_poly_is_constant(x->step, &step) || !step || later % step || (*known && later / step != t->skew))
                return false;
            t->skew = later / step;
            *known = true;
        }
    return true;
}

static bool find_skews(nest *t) {
    bool known = false, good = true;
    t->skew = 0;
    for (unsigned i = 0; i < t->n && good && t->d->g->loops[t->inner].parent == t->outer; i++) {
        const hsc_place *p = t->in[i]->place;
        for (unsigned k = 0; k < p->n && good; k++)
            good = find_skew(t, p->subscript[k].index, &known);
        good = good && find_skew(t, p->offset, &known);
    }
    return good;
}

static void look_at_nest(hsc_data *d, unsigned inner, const hsc_access *all, size_t n_all) {
    nest best = {.outer = NONE};
    unsigned least, far, up = d->g->loops[inner].parent;
    nest t = {.d = d, .all = all, .n_all = n_all, .inner = inner, .outer = NONE};
    if (up == NONE || !is_plain(&t, inner))
        return;
    for (size_t i = 0; i < n_all; i++)
        if (d->g->loop_of[all[i].block] == inner) {
            if (t.n == ACCESSES)
                return;
            t.in[t.n++] = &all[i];
        }
    if (!count_far(&t, inner, &least) || !least)
        return;
    for (unsigned k = 0; up != NONE && k < NEST; k++, up = d->g->loops[up].parent) {
        t.outer = up;
        if (is_plain(&t, up) && find_skews(&t) && count_far(&t, up, &far) && far < least) {
            least = far;
            best = t;
        }
    }
    if (best.outer != NONE && look_at_shape(&best) && look_at_dependences(&best))
        tell(&best);
}

void hsc_data_interchange(hsc_data *d, const hsc_access *all, size_t n) {
    const hsc_graph *g = d->g;
    for (unsigned l = 0; l < g->n_loops; l++) {
        bool has_inner = false;
        for (unsigned k = l + 1; k < g->n_loops && !has_inner; k++)
            has_inner = g->loops[k].parent == l;
        if (!has_inner)
            look_at_nest(d, l, all, n);
    }
}
