/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables of a procedure as written, and which store a read of one sees. Front ends keep every variable in memory; so
 * this asks the control flow, and builds no other form of the program. */
#include "places.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE
#define USES_MAX 20000u /* of one address; variables with more are not followed */

static uint64_t key_of(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

static void take_variable(void *ctx, LLVMValueRef address, const hsc_ir_variable *v) {
    hsc_data *d = ctx;
    if (hsc_map_get(&d->variable_of, key_of(address)))
        return;
    hsc_variable *made = hsc_arena_take(&d->arena, sizeof *made);
    *made = (hsc_variable){.address = address, .debug = *v};
    *HSC_VECTOR_ADD(d->variables) = made;
    hsc_map_set(&d->variable_of, key_of(address), (uint32_t)d->variables.n);
}

/* Preorder of the dominator tree. */
static void number_blocks(hsc_data *d) {
    unsigned n = d->g->blocks, next = 0;
    d->number = hsc_pass_alloc((size_t)(n + 1) * 4 * sizeof *d->number);
    d->last = d->number + n + 1;
    unsigned *child = d->last + n + 1, *sibling = child + n + 1; /* + 1; 0: none */
    for (unsigned b = n; b-- > 0;)
        if (d->idom[b] != NONE) {
            sibling[b] = child[d->idom[b]];
            child[d->idom[b]] = b + 1;
        }
    for (unsigned root = 0; root < n; root++) {
        if (d->idom[root] != NONE)
            continue;
        unsigned b = root;
        for (bool down = true;;) {
            if (down)
                d->number[b] = next++;
            if (down && child[b]) {
                b = child[b] - 1;
                continue;
            }
            d->last[b] = next - 1;
            if (b == root)
                break;
            down = sibling[b] != 0;
            b = down ? sibling[b] - 1 : d->idom[b];
        }
    }
}

void hsc_data_init(hsc_data *d, hsc_pass *p, LLVMValueRef function, uint32_t procedure_id, const hsc_graph *g,
                   const uint32_t *loop_ids) {
    *d = (hsc_data){.p = p, .function = function, .procedure_id = procedure_id, .g = g};
    unsigned *work = hsc_pass_alloc(HSC_CFG_WORK(g->blocks) * sizeof *work);
    hsc_cfg cfg = {g->blocks, g->first, g->successor};
    d->idom = hsc_pass_alloc((g->blocks + 1) * sizeof *d->idom);
    hsc_cfg_find_dominators(&cfg, d->idom, work);
    free(work);
    number_blocks(d);
    d->loops = hsc_pass_alloc((g->n_loops + 1) * sizeof *d->loops);
    bool *several = hsc_pass_alloc(g->n_loops + 1);
    for (unsigned l = 0; l < g->n_loops; l++)
        d->loops[l] = (hsc_loop_data){NONE, loop_ids ? loop_ids[l] : 0};
    for (unsigned b = 0; b < g->blocks; b++) {
        hsc_map_set(&d->block_number, key_of(g->block[b]), b + 1);
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++) {
            unsigned target = g->successor[k], l = g->loop_of[target];
            if (l == NONE || g->loops[l].header != target || hsc_graph_is_in(g, b, l))
                continue;
            several[l] = several[l] || (d->loops[l].outside != NONE && d->loops[l].outside != b);
            d->loops[l].outside = b;
        }
    }
    for (unsigned l = 0; l < g->n_loops; l++)
        if (several[l])
            d->loops[l].outside = NONE;
    free(several);
    unsigned edges = g->first[g->blocks];
    d->first_predecessor = hsc_pass_alloc((4 * (size_t)g->blocks + 2 + edges) * sizeof(unsigned));
    d->predecessor = d->first_predecessor + g->blocks + 2;
    d->seen = d->predecessor + edges;
    d->stack = d->seen + g->blocks;
    for (unsigned i = 0; i < edges; i++)
        d->first_predecessor[g->successor[i] + 2]++;
    for (unsigned b = 0; b < g->blocks; b++)
        d->first_predecessor[b + 2] += d->first_predecessor[b + 1];
    for (unsigned b = 0; b < g->blocks; b++)
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++)
            d->predecessor[d->first_predecessor[g->successor[k] + 1]++] = b;
    hsc_ir_each_variable(function, take_variable, d);
}

void hsc_data_fini(hsc_data *d) {
    hsc_captured_fini(d);
    free(d->idom);
    free(d->number);
    free(d->first_predecessor);
    free(d->loops);
    free(d->atoms.p);
    free(d->polys.p);
    free(d->places.p);
    free(d->objects.p);
    free(d->variables.p);
    free(d->stores.p);
    free(d->field_stores.p);
    hsc_map_fini(&d->called_writes);
    hsc_map_fini(&d->block_number);
    hsc_map_fini(&d->poly_of);
    hsc_map_fini(&d->place_of);
    hsc_map_fini(&d->object_of);
    hsc_map_fini(&d->variable_of);
    hsc_map_fini(&d->atom_of);
    hsc_map_fini(&d->reaching_of);
    hsc_arena_fini(&d->arena);
}

unsigned hsc_data_block(const hsc_data *d, LLVMValueRef instruction) {
    return hsc_map_get(&d->block_number, key_of(LLVMGetInstructionParent(instruction))) - 1;
}

bool hsc_data_dominates(const hsc_data *d, unsigned a, unsigned b) {
    return d->number[a] <= d->number[b] && d->number[b] <= d->last[a];
}

hsc_str hsc_data_format(hsc_data *d, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    char *copy = hsc_arena_take(&d->arena, length + 1);
    memcpy(copy, text, length);
    return (hsc_str){copy, length};
}

LLVMValueRef hsc_data_without_casts(LLVMValueRef value) {
    for (;;) {
        if (!LLVMIsAInstruction(value))
            return value;
        switch (LLVMGetInstructionOpcode(value)) {
        case LLVMSExt:
        case LLVMZExt:
        case LLVMTrunc:
        case LLVMBitCast:
        case LLVMAddrSpaceCast:
        case LLVMFreeze:
            value = LLVMGetOperand(value, 0);
            break;
        default:
            return value;
        }
    }
}

/* ---- variables ------------------------------------------------------------------------------------------------------
 */

static bool is_in_function(const hsc_data *d, LLVMValueRef instruction) {
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)) == d->function;
}

static void add_store(hsc_data *d, hsc_variable *v, LLVMValueRef instruction) {
    *HSC_VECTOR_ADD(d->stores) = (hsc_store){instruction, hsc_data_block(d, instruction), v->first_store};
    v->first_store = (uint32_t)d->stores.n;
    v->n_stores++;
}

static bool is_do_and_call(const hsc_variable *v, LLVMValueRef instruction) {
    return v->is_do && LLVMGetInstructionOpcode(instruction) != LLVMStore;
}

static int by_number(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void number_stores(hsc_data *d, hsc_variable *v) {
    v->written = hsc_arena_take(&d->arena, (v->n_stores + 1) * sizeof *v->written);
    unsigned n = 0;
    for (uint32_t s = v->first_store; s; s = d->stores.p[s - 1].next)
        if (!is_do_and_call(v, d->stores.p[s - 1].instruction))
            v->written[n++] = d->number[d->stores.p[s - 1].block];
    if (n > 1)
        qsort(v->written, n, sizeof *v->written, by_number);
    v->n_written = n;
}

/* True when one of the blocks with these numbers has a store. */
static bool is_written(const hsc_variable *v, unsigned first, unsigned last) {
    unsigned low = 0, high = v->n_written;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (v->written[middle] < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->n_written && v->written[low] <= last;
}

/* What a DO puts into its variable: its counter; in a loop that OpenMP shares out, start + counter * step. */
static bool is_counter(const hsc_data *d, LLVMValueRef value, unsigned depth) {
    value = hsc_data_without_casts(value);
    if (LLVMIsAPHINode(value))
        return true;
    if (!depth || !LLVMIsAInstruction(value) || !d->procedure_id ||
        !(d->p->procedures.p[d->procedure_id - 1].flags & HSC_procedure_flag_OUTLINED))
        return false;
    LLVMOpcode o = LLVMGetInstructionOpcode(value);
    return (o == LLVMAdd || o == LLVMMul) && (is_counter(d, LLVMGetOperand(value, 0), depth - 1) ||
                                              is_counter(d, LLVMGetOperand(value, 1), depth - 1));
}

/* A call of llvm.lifetime.start, or with "" of .end too. */
static bool is_lifetime(LLVMValueRef call, const char *of) {
    LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    hsc_ir_text name = callee && LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
    size_t n = strlen(of);
    return name.n > 14 + n && !memcmp(name.p, "llvm.lifetime.", 14) && !memcmp(name.p + 14, of, n);
}

/* All that is done with the address. */
static void look_at_uses(hsc_data *d, hsc_variable *v) {
    unsigned uses = 0;
    v->is_looked_at = true;
    v->is_scalar = true;
    for (LLVMUseRef u = LLVMGetFirstUse(v->address); u && v->is_scalar; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (++uses > USES_MAX) {
            v->is_scalar = false;
            break;
        }
        if (!LLVMIsAInstruction(user)) {
            v->is_scalar = v->is_scalar && LLVMIsAGlobalVariable(v->address);
            continue; /* constant expressions: members of a global */
        }
        if (!is_in_function(d, user))
            continue;
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMLoad:
            break;
        case LLVMStore:
            if (LLVMGetOperand(user, 0) == v->address) {
                v->is_scalar = false; /* its address is kept somewhere */
                break;
            }
            add_store(d, v, user);
            if (d->p->is_fortran && is_counter(d, LLVMGetOperand(user, 0), 3))
                v->is_do = true;
            break;
        case LLVMCall:
        case LLVMInvoke: {
            LLVMValueRef callee = LLVMGetCalledValue(user);
            hsc_ir_text name = LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
            bool harmless = is_lifetime(user, "") ||
                            (name.n > 9 && !memcmp(name.p, "llvm.dbg.", 9)) || hsc_mpi_only_reads(user, v->address) ||
                            hsc_ir_is_for_constants(user, v->address);
            if (!harmless)
                add_store(d, v, user);
            break;
        }
        default:
            v->is_scalar = false;
            break;
        }
    }
    LLVMTypeRef type = LLVMIsAAllocaInst(v->address)       ? LLVMGetAllocatedType(v->address)
                       : LLVMIsAGlobalVariable(v->address) ? LLVMGlobalGetValueType(v->address)
                                                           : NULL;
    if (type && (LLVMGetTypeKind(type) == LLVMArrayTypeKind || LLVMGetTypeKind(type) == LLVMStructTypeKind))
        v->is_scalar = false;
    number_stores(d, v);
}

enum { NAMES_MAX = 64 }; /* uses of a variable that are asked for its name */

/* Does the source name something where this instruction stands that goes to a variable? Line tables alone say where. */
static bool name_of_use(hsc_data *d, LLVMValueRef user, LLVMValueRef address, char *name, size_t size) {
    hsc_ir_loc loc;
    LLVMOpcode o = LLVMGetInstructionOpcode(user);
    bool is_call = o == LLVMCall || o == LLVMInvoke;
    if ((o != LLVMLoad && o != LLVMStore && o != LLVMGetElementPtr && !is_call) || LLVMGetOperand(user, o == LLVMStore) != address ||
        !hsc_ir_get_loc(user, &loc) || !loc.line || loc.inlined_at)
        return false;
    uint32_t file = hsc_pass_file(d->p, loc.file);
    if (is_call) { /* v[i] and v.size() of C++ */
        LLVMValueRef callee = LLVMGetCalledValue(user);
        hsc_ir_text called = LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
        if (called.n && memmem(called.p, called.n, "ixE", 3))
            return hsc_source_identifier(d->p, file, loc.line, loc.column, name, size);
        if (hsc_place_is_object(user) && hsc_source_object(d->p, file, loc.line, loc.column, name, size))
            return true;
    }
    bool is_member = is_call || (o == LLVMGetElementPtr && LLVMGetNumOperands(user) > 2 &&
                                 LLVMGetTypeKind(LLVMGetGEPSourceElementType(user)) == LLVMStructTypeKind);
    if (is_member)
        return hsc_source_structure(d->p, file, loc.line, loc.column, name, size);
    return hsc_source_identifier(d->p, file, loc.line, loc.column, name, size) ||
           (o != LLVMGetElementPtr && hsc_source_assigned(d->p, file, loc.line, loc.column, name, size));
}

/* A member of C++ without its object: the object is *this. */
static bool is_member_alone(hsc_data *d, LLVMValueRef user) {
    hsc_ir_loc loc;
    return d->p->is_cxx && LLVMIsAGetElementPtrInst(user) && LLVMGetNumOperands(user) > 2 && hsc_ir_get_loc(user, &loc) &&
           loc.line && !loc.inlined_at && hsc_source_is_alone(d->p, hsc_pass_file(d->p, loc.file), loc.line, loc.column);
}

typedef struct hsc_names {
    char name[128]; /* "": none yet */
    bool differ;    /* the compiler's own, or behind macros */
    unsigned uses;
} hsc_names;

/* Names at all uses of an address; where none stands at the reading of a pointer that an OpenMP region was given, at
 * those of what it points to. */
static void add_names(hsc_data *d, LLVMValueRef address, unsigned depth, hsc_names *n) {
    char other[sizeof n->name];
    for (LLVMUseRef u = LLVMGetFirstUse(address); u && !n->differ && n->uses < NAMES_MAX; u = LLVMGetNextUse(u), n->uses++) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user) || !is_in_function(d, user))
            continue;
        if (!name_of_use(d, user, address, other, sizeof other)) {
            if (depth && LLVMIsALoadInst(user) && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind)
                add_names(d, user, depth - 1, n);
            if (LLVMIsAArgument(address) || LLVMIsAAllocaInst(address) || !is_member_alone(d, user))
                continue;
            memcpy(other, "this", sizeof "this");
        }
        n->differ = *n->name && strcmp(n->name, other) != 0;
        memcpy(n->name, other, strlen(other) + 1);
    }
}

unsigned hsc_data_argument_number(const hsc_data *d, LLVMValueRef value) {
    for (unsigned k = 0, n = LLVMCountParams(d->function); k < n; k++)
        if (LLVMGetParam(d->function, k) == value)
            return k + 1;
    return 0;
}

/* The argument that a variable is made for: all that is stored in it. */
static unsigned argument_in(const hsc_data *d, LLVMValueRef address) {
    unsigned argument = LLVMIsAArgument(address) ? hsc_data_argument_number(d, address) : 0;
    for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != address)
            continue;
        if (argument || !LLVMIsAArgument(LLVMGetOperand(user, 0)))
            return 0;
        argument = hsc_data_argument_number(d, LLVMGetOperand(user, 0));
    }
    return argument;
}

/* `this` of C++ is read once, at the beginning, which no line has. */
static bool is_this(const hsc_data *d, LLVMValueRef address, unsigned argument) {
    if (!d->p->is_cxx || argument != 1)
        return false;
    LLVMValueRef read = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsALoadInst(user))
            continue;
        if (read)
            return false;
        read = user;
    }
    hsc_ir_loc loc;
    return read && LLVMGetTypeKind(LLVMTypeOf(read)) == LLVMPointerTypeKind && !hsc_ir_get_loc(read, &loc);
}

/* Without debug information of variables: the name that all places of the source have where one of C or C++ is used, and
 * the line of its declaration, where its lifetime begins. */
static void name_by_source(hsc_data *d, hsc_variable *v) {
    hsc_names names = {.uses = 0};
    unsigned argument = argument_in(d, v->address);
    bool is_outlined = d->procedure_id && (d->p->procedures.p[d->procedure_id - 1].flags & HSC_procedure_flag_OUTLINED);
    if (is_this(d, v->address, argument))
        memcpy(names.name, "this", sizeof "this");
    else
        add_names(d, v->address, is_outlined, &names);
    if (!*names.name || names.differ)
        return;
    hsc_str name = hsc_data_format(d, "%s", names.name);
    v->debug.name = (hsc_ir_text){name.p, name.n};
    v->debug.argument = argument;
    for (LLVMUseRef u = LLVMGetFirstUse(v->address); u && !v->debug.line; u = LLVMGetNextUse(u)) {
        hsc_ir_loc loc;
        if (is_lifetime(LLVMGetUser(u), "start") && is_in_function(d, LLVMGetUser(u)) && hsc_ir_get_loc(LLVMGetUser(u), &loc) &&
            !loc.inlined_at) {
            v->debug.line = loc.line;
            v->debug.file = loc.file;
        }
    }
}

hsc_variable *hsc_data_variable(hsc_data *d, LLVMValueRef address) {
    uint32_t at = hsc_map_get(&d->variable_of, key_of(address));
    if (!at) {
        bool by_source = !d->p->unit.has_scopes && !d->p->is_fortran && !LLVMIsAGlobalVariable(address);
        bool own = LLVMIsAAllocaInst(address) || LLVMIsAGlobalVariable(address);
        if (!own && !(by_source && LLVMIsAArgument(address))) /* a structure that is passed by value */
            return NULL;
        hsc_variable *v = hsc_arena_take(&d->arena, sizeof *v);
        v->address = address;
        if (by_source)
            name_by_source(d, v);
        else
            hsc_ir_get_global(address, 0, &v->debug);
        if (d->p->is_fortran && v->debug.is_declaration) { /* flang's line is that in the file of the used module, of which it tells the name of this one */
            v->debug.file = NULL;
            v->debug.line = 0;
        }
        *HSC_VECTOR_ADD(d->variables) = v;
        at = (uint32_t)d->variables.n;
        hsc_map_set(&d->variable_of, key_of(address), at);
    }
    hsc_variable *v = d->variables.p[at - 1];
    if (LLVMIsAArgument(address) && !v->debug.name.n)
        return NULL;
    if (!v->is_looked_at)
        look_at_uses(d, v);
    return v;
}

hsc_str hsc_data_name_at(hsc_data *d, LLVMValueRef access) {
    hsc_ir_loc loc;
    char name[128];
    if (!d->p->unit.has_scopes && LLVMIsAInstruction(access) && hsc_ir_get_loc(access, &loc) && loc.line &&
        hsc_source_identifier(d->p, hsc_pass_file(d->p, loc.file), loc.line, loc.column, name, sizeof name))
        return hsc_data_format(d, "%s", name);
    return (hsc_str){"?", 1};
}

hsc_str hsc_data_variable_name(hsc_data *d, const hsc_variable *v, LLVMValueRef access) {
    if (v->debug.name.n)
        return (hsc_str){v->debug.name.p, v->debug.name.n};
    if (LLVMIsAGlobalVariable(v->address)) {
        hsc_ir_text name = hsc_ir_get_name(v->address);
        return hsc_pass_source_name(d->p, name.p, name);
    }
    return access ? hsc_data_name_at(d, access) : (hsc_str){"?", 1};
}

/* ---- reaching definitions -------------------------------------------------------------------------------------------
 */

static bool has_store_in_block(const hsc_data *d, const hsc_variable *v, unsigned block) {
    return is_written(v, d->number[block], d->number[block]);
}

static bool is_store_to(const hsc_data *d, const hsc_variable *v, LLVMValueRef instruction) {
    if (LLVMGetInstructionOpcode(instruction) == LLVMStore)
        return LLVMGetOperand(instruction, 1) == v->address;
    if (is_do_and_call(v, instruction))
        return false;
    for (uint32_t s = v->first_store; s; s = d->stores.p[s - 1].next)
        if (d->stores.p[s - 1].instruction == instruction)
            return true;
    return false;
}

static hsc_definition definition_of(const hsc_data *d, LLVMValueRef store) {
    unsigned block = hsc_data_block(d, store);
    if (LLVMGetInstructionOpcode(store) == LLVMStore)
        return (hsc_definition){HSC_ORIGIN_VALUE, LLVMGetOperand(store, 0), block, NONE};
    return (hsc_definition){HSC_ORIGIN_CALL, store, block, NONE};
}

/* True when a way from the end of `up`, which dominates it, to the begin of `block` has a store. */
static bool is_stored_between(hsc_data *d, const hsc_variable *v, unsigned up, unsigned block) {
    unsigned n = 0;
    /* `up` dominates all blocks on such ways */
    if (d->first_predecessor[block + 1] - d->first_predecessor[block] == 1 ||
        d->number[up] == d->last[up] || !is_written(v, d->number[up] + 1, d->last[up]))
        return false;
    d->round++;
    d->seen[up] = d->round;
    for (unsigned i = d->first_predecessor[block]; i < d->first_predecessor[block + 1]; i++)
        if (d->seen[d->predecessor[i]] != d->round) {
            d->seen[d->predecessor[i]] = d->round;
            d->stack[n++] = d->predecessor[i];
        }
    while (n) {
        unsigned b = d->stack[--n];
        if (has_store_in_block(d, v, b))
            return true;
        for (unsigned i = d->first_predecessor[b]; i < d->first_predecessor[b + 1]; i++)
            if (d->seen[d->predecessor[i]] != d->round) {
                d->seen[d->predecessor[i]] = d->round;
                d->stack[n++] = d->predecessor[i];
            }
    }
    return false;
}

static hsc_definition find_at_head(hsc_data *d, hsc_variable *v, unsigned block) {
    const hsc_graph *g = d->g;
    for (unsigned round = 0; round <= g->blocks; round++) {
        unsigned l = g->loop_of[block];
        if (l != NONE && g->loops[l].header == block &&
            (g->loops[l].irreducible || is_written(v, d->number[block], d->last[block]))) {
            LLVMValueRef only = NULL;
            unsigned inside = 0;
            for (uint32_t s = v->first_store; s; s = d->stores.p[s - 1].next)
                if (hsc_graph_is_in(g, d->stores.p[s - 1].block, l) &&
                    !is_do_and_call(v, d->stores.p[s - 1].instruction)) {
                    only = d->stores.p[s - 1].instruction;
                    inside++;
                }
            if (inside)
                return (hsc_definition){HSC_ORIGIN_LOOP, inside == 1 ? only : NULL, block, l};
        }
        unsigned up = d->idom[block];
        if (up == NONE)
            return (hsc_definition){HSC_ORIGIN_ENTRY, NULL, NONE, NONE};
        if (is_stored_between(d, v, up, block))
            return (hsc_definition){HSC_ORIGIN_MERGE, NULL, block, NONE};
        block = up;
        if (has_store_in_block(d, v, block))
            return hsc_find_definition_at_end(d, v, block);
    }
    return (hsc_definition){HSC_ORIGIN_ENTRY, NULL, NONE, NONE};
}

hsc_definition hsc_find_definition(hsc_data *d, hsc_variable *v, LLVMValueRef before) {
    unsigned block = hsc_data_block(d, before);
    if (has_store_in_block(d, v, block))
        for (LLVMValueRef i = LLVMGetPreviousInstruction(before); i; i = LLVMGetPreviousInstruction(i))
            if (is_store_to(d, v, i))
                return definition_of(d, i);
    return find_at_head(d, v, block);
}

hsc_definition hsc_find_definition_at_end(hsc_data *d, hsc_variable *v, unsigned block) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(d->g->block[block]);
    if (has_store_in_block(d, v, block) && end && is_store_to(d, v, end)) /* an invoke */
        return definition_of(d, end);
    return end ? hsc_find_definition(d, v, end) : find_at_head(d, v, block);
}

bool hsc_data_is_once_a_round(const hsc_data *d, LLVMValueRef store, unsigned loop) {
    const hsc_graph *g = d->g;
    unsigned block = hsc_data_block(d, store), header = g->loops[loop].header;
    if (g->loop_of[block] != loop)
        return false;
    for (unsigned b = 0; b < g->blocks; b++)
        for (unsigned k = g->first[b]; k < g->first[b + 1]; k++)
            if (g->successor[k] == header && hsc_graph_is_in(g, b, loop) && !hsc_data_dominates(d, block, b))
                return false;
    return true;
}
