/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Derived types of MPI from the calls that make them. */
#include "mpi.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE
#define BLOCKS_MAX 4096 /* of one type that are written down one by one */

uint32_t hsc_mpi_find_datatype(hsc_pass *p, hsc_str name) {
    for (size_t i = p->datatypes.n; i > 0; i--) {
        const hsc_str *s = &p->datatypes.p[i - 1].name;
        if (s->n == name.n && name.n && !memcmp(s->p, name.p, name.n))
            return (uint32_t)i;
    }
    return 0;
}

/* Element `index` of a list in memory just before a call: stored to it one by one, or copied from a constant. */
static const hsc_poly *element_of(hsc_data *d, LLVMValueRef list, int64_t index) {
    const hsc_poly *found = NULL;
    if (LLVMIsAGlobalVariable(list)) {
        LLVMValueRef initial = LLVMIsGlobalConstant(list) ? LLVMGetInitializer(list) : NULL;
        LLVMValueRef e = initial ? LLVMGetAggregateElement(initial, (unsigned)index) : NULL;
        return e ? hsc_evaluate(d, e) : NULL;
    }
    if (!LLVMIsAAllocaInst(list))
        return NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(list); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        const hsc_poly *value = NULL;
        if (LLVMIsACallInst(user) && hsc_ir_copies_memory(user) && LLVMGetOperand(user, 0) == list) {
            value =
                LLVMIsAGlobalVariable(LLVMGetOperand(user, 1)) ? element_of(d, LLVMGetOperand(user, 1), index) : NULL;
            if (!found)
                found = value; /* stores to elements come after it */
            continue;
        }
        LLVMValueRef store = NULL;
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == list && index == 0)
            store = user;
        if (LLVMIsAGetElementPtrInst(user)) {
            const hsc_place *place = hsc_find_place(d, user);
            int64_t at;
            if (place->n != 1 || !hsc_poly_is_constant(place->subscript[0].index, &at) || at != index)
                continue;
            for (LLVMUseRef w = LLVMGetFirstUse(user); w; w = LLVMGetNextUse(w))
                if (LLVMIsAStoreInst(LLVMGetUser(w)) && LLVMGetOperand(LLVMGetUser(w), 1) == user)
                    store = LLVMGetUser(w);
        }
        if (store)
            found = hsc_evaluate(d, LLVMGetOperand(store, 0));
    }
    return found;
}

/* The list behind argument k: the array itself, not one of its elements. */
static LLVMValueRef list_of(LLVMValueRef call, unsigned k) {
    LLVMValueRef v = LLVMGetOperand(call, k);
    for (unsigned round = 0; round < 8 && LLVMIsAGetElementPtrInst(v); round++) {
        for (unsigned i = 1, n = LLVMGetNumOperands(v); i < n; i++)
            if (!LLVMIsAConstantInt(LLVMGetOperand(v, i)) || LLVMConstIntGetSExtValue(LLVMGetOperand(v, i)))
                return NULL;
        v = LLVMGetOperand(v, 0);
    }
    return v;
}

/* Names of the handles in a list of types: each stored to its element, or copied with all of them. */
static hsc_str type_in_list(hsc_data *d, LLVMValueRef list, int64_t index) {
    hsc_str name = {"?", 1};
    unsigned bytes;
    if (!list || !LLVMIsAAllocaInst(list))
        return name;
    for (LLVMUseRef u = LLVMGetFirstUse(list); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u), value = NULL;
        if (LLVMIsACallInst(user) && hsc_ir_copies_memory(user) && LLVMGetOperand(user, 0) == list &&
            LLVMIsAGlobalVariable(LLVMGetOperand(user, 1)) && LLVMGetInitializer(LLVMGetOperand(user, 1)))
            value = LLVMGetAggregateElement(LLVMGetInitializer(LLVMGetOperand(user, 1)), (unsigned)index);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == list && index == 0)
            value = LLVMGetOperand(user, 0);
        if (LLVMIsAGetElementPtrInst(user)) {
            const hsc_place *place = hsc_find_place(d, user);
            int64_t at;
            if (place->n != 1 || !hsc_poly_is_constant(place->subscript[0].index, &at) || at != index)
                continue;
            for (LLVMUseRef w = LLVMGetFirstUse(user); w; w = LLVMGetNextUse(w))
                if (LLVMIsAStoreInst(LLVMGetUser(w)) && LLVMGetOperand(LLVMGetUser(w), 1) == user)
                    value = LLVMGetOperand(LLVMGetUser(w), 0);
        }
        if (!value)
            continue;
        const char *known = NULL;
        if (LLVMIsAGlobalVariable(value))
            known = hsc_mpi_handle_of_symbol(hsc_ir_get_name(value), &bytes);
        else if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind) {
            int64_t number;
            if (hsc_poly_is_constant(hsc_evaluate(d, value), &number))
                known = hsc_mpi_handle_of_number(HSC_mpi_role_DATATYPE, number, d->p->is_fortran, &bytes);
        }
        if (known)
            name = (hsc_str){known, strlen(known)};
    }
    return name;
}

/* Bytes of data in, and from one to the next of, a basic or derived type. */
static bool size_of(hsc_pass *p, hsc_str name, uint64_t *size, uint64_t *extent) {
    unsigned bytes = hsc_mpi_bytes_of(name);
    uint32_t id = bytes ? 0 : hsc_mpi_find_datatype(p, name);
    *size = id ? p->datatypes.p[id - 1].size_bytes : bytes;
    *extent = id ? p->datatypes.p[id - 1].extent_bytes : bytes;
    return *size && *extent;
}

static bool ends_with(const char *s, const char *suffix) {
    size_t n = strlen(s), k = strlen(suffix);
    return n >= k && !strcmp(s + n - k, suffix);
}

/* Size and extent where all numbers are constants. The extent of a structure is rounded up to what its widest basic type
 * is aligned to, as MPI does. */
static void measure(hsc_pass *p, hsc_rec_datatype *r, const int64_t *lengths, const int64_t *displacements, int64_t n,
                    bool is_struct) {
    uint64_t size = 0, low = UINT64_MAX, high = 0, alignment = 1;
    for (int64_t i = 0; i < n; i++) {
        uint64_t one, extent;
        size_t which = r->base.n > 1 ? (size_t)i : 0;
        if (which >= r->base.n || !size_of(p, r->base.p[which], &one, &extent) || lengths[i] < 0 || displacements[i] < 0 ||
            lengths[i] > INT32_MAX || displacements[i] > (int64_t)1 << 40)
            return;
        uint64_t basic = hsc_mpi_bytes_of(r->base.p[which]);
        uint64_t at = (uint64_t)displacements[i] * (r->unit == HSC_displacement_unit_BYTES ? 1 : extent);
        uint64_t end = at + (uint64_t)lengths[i] * extent;
        size += (uint64_t)lengths[i] * one;
        low = at < low ? at : low;
        high = end > high ? end : high;
        if (is_struct && basic <= 16 && basic > alignment && !(basic & (basic - 1)))
            alignment = basic;
    }
    if (n <= 0)
        return;
    r->size_bytes = size;
    r->extent_bytes = (high - low + alignment - 1) / alignment * alignment;
}

void hsc_mpi_datatype(hsc_data *d, LLVMValueRef call, const hsc_mpi_operation *o, uint32_t message_id,
                      uint32_t callsite_id) {
    hsc_pass *p = d->p;
    unsigned n = LLVMGetNumArgOperands(call), made = n, base = n, lengths_at = n, displacements_at = n, stride_at = n;
    for (unsigned k = 0; k < n; k++)
        switch (hsc_mpi_role(o, k, n)) {
        case HSC_mpi_role_NEW_DATATYPE:
            made = k;
            break;
        case HSC_mpi_role_DATATYPE:
            base = k;
            break;
        case HSC_mpi_role_BLOCK_LENGTH:
            lengths_at = k;
            break;
        case HSC_mpi_role_RECEIVE_DISPLACEMENTS:
            displacements_at = k;
            break;
        case HSC_mpi_role_STRIDE:
            stride_at = k;
            break;
        default:
            break;
        }
    if (made == n)
        return;
    hsc_rec_datatype r = {.message_id = message_id};
    hsc_str name = hsc_place_text(d, hsc_find_place(d, LLVMGetOperand(call, made)));
    r.name = hsc_pass_dup(p, name.p, name.n);
    unsigned loop = d->g->loop_of[hsc_data_block(d, call)];
    bool is_struct = ends_with(o->name, "_struct"), is_resized = ends_with(o->name, "_resized");
    bool is_subarray = ends_with(o->name, "_subarray"), is_dup = ends_with(o->name, "_dup");
    bool has_lists = displacements_at < n && !is_subarray;
    r.unit = is_struct || ends_with(o->name, "hvector") || ends_with(o->name, "hindexed") ||
                     ends_with(o->name, "hindexed_block")
                 ? HSC_displacement_unit_BYTES
                 : HSC_displacement_unit_ELEMENTS;
    const hsc_poly *count = is_resized || is_dup ? hsc_poly_constant(d, 1) : hsc_mpi_number(d, call, 0);
    int64_t blocks = 0;
    bool counted = hsc_poly_is_constant(count, &blocks) && blocks >= 0 && blocks <= BLOCKS_MAX;
    int64_t known = has_lists && counted ? blocks : 1;
    uint64_t *ids = hsc_pass_alloc(2 * ((size_t)known + 1) * sizeof *ids), *at = ids + known;
    int64_t *numbers = hsc_pass_alloc(2 * ((size_t)(counted ? blocks : 1) + 1) * sizeof *numbers);
    int64_t *places = numbers + (counted ? blocks : 1);
    hsc_str *types = hsc_arena_take(&p->arena, ((size_t)known + 1) * sizeof *types);
    bool constant = counted && !is_subarray && !is_resized;
    size_t n_types = 1;
    if (has_lists) {
        LLVMValueRef lengths = lengths_at < n ? list_of(call, lengths_at) : NULL,
                     where = list_of(call, displacements_at);
        bool one_length = strstr(o->name, "indexed_block") != NULL;
        const hsc_poly *length = one_length ? hsc_mpi_number(d, call, lengths_at) : NULL;
        for (int64_t i = 0; counted && i < blocks; i++) {
            const hsc_poly *x = one_length ? length : lengths ? element_of(d, lengths, i) : NULL;
            const hsc_poly *y = where ? element_of(d, where, i) : NULL;
            ids[i] = hsc_data_value(d, x, loop, callsite_id);
            at[i] = hsc_data_value(d, y, loop, callsite_id);
            constant = hsc_poly_is_constant(x, &numbers[i]) && hsc_poly_is_constant(y, &places[i]) && constant;
        }
        if (!counted)
            known = 0;
        if (is_struct) {
            n_types = (size_t)known;
            for (int64_t i = 0; i < known; i++)
                types[i] = type_in_list(d, list_of(call, base), i);
        }
    } else {
        const hsc_poly *length =
            lengths_at < n && !is_subarray ? hsc_mpi_number(d, call, lengths_at) : hsc_poly_constant(d, 1);
        const hsc_poly *stride = stride_at < n ? hsc_mpi_number(d, call, stride_at) : hsc_poly_constant(d, 1);
        int64_t length_number = 0, stride_number = 0;
        ids[0] = hsc_data_value(d, length, loop, callsite_id);
        at[0] = hsc_data_value(d, stride, loop, callsite_id);
        constant =
            hsc_poly_is_constant(length, &length_number) && hsc_poly_is_constant(stride, &stride_number) && constant;
        for (int64_t i = 0; constant && i < blocks; i++) {
            numbers[i] = length_number;
            places[i] = i * stride_number;
        }
        if (is_subarray || is_resized)
            known = 0;
    }
    if (!is_struct) {
        bool is_basic;
        hsc_str t = base < n ? hsc_mpi_type_name(d, call, base, &is_basic) : (hsc_str){"?", 1};
        types[0] = hsc_pass_dup(p, t.p, t.n);
    }
    r.base = (hsc_strs){types, n_types};
    r.count_id = is_subarray ? 0 : hsc_data_value(d, count, loop, callsite_id);
    r.lengths = hsc_data_ids(p, ids, (size_t)known);
    r.displacements = hsc_data_ids(p, at, (size_t)known);
    if (constant)
        measure(p, &r, numbers, places, blocks, is_struct);
    r.datatype_id = p->datatypes.n + 1;
    *HSC_VECTOR_ADD(p->datatypes) = r;
    free(ids);
    free(numbers);
}
