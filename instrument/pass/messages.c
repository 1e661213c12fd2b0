/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of MPI: what each argument is, which array is behind a buffer, and which part of it is moved. */
#include "mpi.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE

static LLVMValueRef operand(LLVMValueRef call, unsigned k) {
    return LLVMGetOperand(call, k);
}

static bool is_pointer(LLVMValueRef v) {
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

/* What is stored in the copy of a constant that is made for one call, once: a number, or the variable it is read from. */
static LLVMValueRef copied_handle(LLVMValueRef slot) {
    LLVMValueRef found = NULL;
    unsigned calls = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(slot); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u), value = NULL;
        if (LLVMIsACallInst(user)) {
            if (calls++)
                return NULL;
            continue;
        }
        if (LLVMIsAGetElementPtrInst(user)) {
            LLVMUseRef inner = LLVMGetFirstUse(user);
            if (!inner || LLVMGetNextUse(inner))
                return NULL;
            user = LLVMGetUser(inner);
        }
        if (LLVMIsAStoreInst(user))
            value = LLVMGetOperand(user, 0);
        if (value && LLVMIsALoadInst(value) && LLVMIsAGlobalVariable(LLVMGetOperand(value, 0)))
            value = LLVMGetOperand(value, 0);
        if (!value || found || (!LLVMIsAConstantInt(value) && !LLVMIsAGlobalVariable(value)))
            return NULL;
        found = value;
    }
    return found;
}

/* What a handle of mpi_f08, a structure with one integer, is a copy of; v itself: of nothing. */
static LLVMValueRef handle_behind(LLVMValueRef v) {
    LLVMTypeRef type = LLVMIsAAllocaInst(v) ? LLVMGetAllocatedType(v) : NULL;
    bool is_handle = type && LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMCountStructElementTypes(type) == 1;
    LLVMValueRef from = is_handle ? copied_handle(v) : NULL;
    return from ? from : v;
}

/* The number in a constant handle. */
static LLVMValueRef constant_handle(LLVMValueRef v) {
    v = handle_behind(v);
    if (LLVMIsAConstantInt(v))
        return v;
    LLVMValueRef c = LLVMIsAGlobalVariable(v) && LLVMIsGlobalConstant(v) ? LLVMGetInitializer(v) : NULL;
    if (!c || LLVMGetTypeKind(LLVMTypeOf(c)) != LLVMStructTypeKind || LLVMCountStructElementTypes(LLVMTypeOf(c)) != 1)
        return NULL;
    LLVMValueRef member = LLVMGetAggregateElement(c, 0);
    return member && LLVMIsAConstantInt(member) ? member : NULL;
}

const hsc_poly *hsc_mpi_number(hsc_data *d, LLVMValueRef call, unsigned k) {
    LLVMValueRef v = operand(call, k);
    if (!is_pointer(v))
        return hsc_evaluate(d, v);
    LLVMValueRef handle = d->p->is_fortran ? constant_handle(v) : NULL;
    if (handle)
        return hsc_poly_constant(d, LLVMConstIntGetSExtValue(handle));
    return d->p->is_fortran ? hsc_evaluate_content(d, v, call) : NULL;
}

/* The value of a pointer variable, as far as stores show it. */
static LLVMValueRef followed(hsc_data *d, LLVMValueRef v) {
    for (unsigned round = 0; round < 16; round++) {
        v = hsc_data_without_casts(v);
        if (!LLVMIsALoadInst(v))
            return v;
        hsc_variable *variable = hsc_data_variable(d, LLVMGetOperand(v, 0));
        if (!variable || !variable->is_scalar)
            return v;
        hsc_definition def = hsc_find_definition(d, variable, v);
        if (def.origin != HSC_ORIGIN_VALUE)
            return v;
        v = def.value;
    }
    return v;
}

/* A constant address, as in (void *)1. */
static bool address_number(LLVMValueRef v, int64_t *number) {
    if (LLVMIsNull(v)) {
        *number = 0;
        return true;
    }
    if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMIntToPtr && LLVMIsAConstantInt(LLVMGetOperand(v, 0))) {
        *number = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 0));
        return true;
    }
    return false;
}

/* Text of an argument where it is no constant. */
static hsc_str text_of(hsc_data *d, LLVMValueRef call, unsigned k) {
    LLVMValueRef v = operand(call, k);
    if (!is_pointer(v))
        return hsc_data_text(d, v);
    if (d->p->is_fortran) {
        const hsc_place *place = hsc_find_place(d, v);
        if (place->object != NONE && !d->objects.p[place->object].is_temporary) {
            hsc_place first = *place;
            for (; !place->is_descriptor && first.n < d->objects.p[place->object].rank && first.n < HSC_PLACE_DIMENSIONS;
                 first.n++)
                first.subscript[first.n] = (hsc_subscript){.index = hsc_poly_constant(d, 0)};
            return hsc_place_text(d, &first);
        }
        return hsc_poly_text(d, hsc_evaluate_content(d, v, call));
    }
    LLVMValueRef bare = hsc_data_without_casts(v);
    if (LLVMIsALoadInst(bare)) {
        hsc_variable *variable = hsc_data_variable(d, LLVMGetOperand(bare, 0));
        if (variable)
            return hsc_data_variable_name(d, variable, bare);
        return hsc_place_text(d, hsc_find_place(d, LLVMGetOperand(bare, 0)));
    }
    const hsc_place *place = hsc_find_place(d, v);
    hsc_str text = hsc_place_text(d, place);
    return place->object != NONE ? hsc_data_format(d, "&%.*s", (int)text.n, text.p) : text;
}

/* MPICH's special values are members of common blocks (mpif.h): MPI_IN_PLACE is the second of mpipriv1. NULL: it is no such member. */
static const char *special_member(LLVMValueRef v) {
    bool is_offset = (LLVMIsAGetElementPtrInst(v) || (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr)) && LLVMGetNumOperands(v) == 2 &&
                     LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && LLVMGetTypeKind(LLVMGetGEPSourceElementType(v)) == LLVMIntegerTypeKind &&
                     LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(v)) == 8;
    LLVMValueRef block = is_offset ? LLVMGetOperand(v, 0) : v;
    return LLVMIsAGlobalVariable(block) ? hsc_mpi_special_member(hsc_ir_get_name(block), is_offset ? LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) : 0) : NULL;
}

/* The name of a handle or special value that the argument is; NULL: none. */
static const char *constant_name(hsc_data *d, LLVMValueRef call, unsigned k, uint64_t role, bool is_mpich,
                                 int64_t *number, unsigned *bytes) {
    LLVMValueRef v = operand(call, k);
    *number = 0;
    *bytes = 0;
    if (is_pointer(v)) {
        LLVMValueRef to = d->p->is_fortran ? handle_behind(v) : followed(d, v);
        const char *member = d->p->is_fortran ? special_member(v) : NULL;
        if (member)
            return member;
        if (LLVMIsAGlobalVariable(to) && !(d->p->is_fortran && constant_handle(to))) {
            hsc_ir_text symbol = hsc_ir_get_name(to);
            const char *name = hsc_mpi_special_symbol(symbol);
            name = name ? name : hsc_mpi_handle_of_symbol(symbol, bytes);
            if (name) /* else a variable of the program, which may hold a known handle */
                return name;
        }
        if (!d->p->is_fortran)
            return address_number(to, number) ? hsc_mpi_special(role, *number, is_mpich) : NULL;
    }
    const hsc_poly *n = hsc_mpi_number(d, call, k);
    if (hsc_mpi_is_buffer(role) || !hsc_poly_is_constant(n, number))
        return NULL;
    const char *name = hsc_mpi_special(role, *number, is_mpich);
    return name ? name : hsc_mpi_handle_of_number(role, *number, d->p->is_fortran, bytes);
}

hsc_str hsc_mpi_type_name(hsc_data *d, LLVMValueRef call, unsigned k, bool *is_basic) {
    int64_t number;
    unsigned bytes;
    const char *name = constant_name(d, call, k, HSC_mpi_role_DATATYPE, false, &number, &bytes);
    *is_basic = name != NULL;
    return name ? (hsc_str){name, strlen(name)} : text_of(d, call, k);
}

/* True when some handle among the arguments is one of MPICH's numbers. */
static bool uses_mpich(hsc_data *d, LLVMValueRef call, const hsc_mpi_operation *o) {
    for (unsigned k = 0, n = LLVMGetNumArgOperands(call); k < n; k++) {
        uint64_t role = hsc_mpi_role(o, k, n);
        int64_t number;
        if ((role == HSC_mpi_role_DATATYPE || role == HSC_mpi_role_COMMUNICATOR || role == HSC_mpi_role_OPERATION) &&
            hsc_poly_is_constant(hsc_mpi_number(d, call, k), &number) && hsc_mpi_is_mpich_number(number))
            return true;
    }
    return false;
}

/* ---- sections -------------------------------------------------------------------------------------------------------
 */

/* The argument with the role that goes with this buffer; n: none. */
static unsigned find_role(const hsc_mpi_operation *o, unsigned n, uint64_t role) {
    unsigned k = 0;
    while (k < n && hsc_mpi_role(o, k, n) != role)
        k++;
    return k;
}

static uint64_t element_bytes(hsc_data *d, const hsc_object *o, const hsc_place *place) {
    hsc_ir_type t;
    LLVMMetadataRef type = o->type;
    for (hsc_ir_get_type(type, &t); t.kind == HSC_IR_TYPE_ARRAY; hsc_ir_get_type(t.element, &t))
        ;
    if (t.size_bytes)
        return t.size_bytes;
    if (o->element)
        return hsc_ir_size_bytes(d->p->module, o->element);
    return place->n ? (uint64_t)place->subscript[place->n - 1].stride_bytes : 0;
}

/* count elements from `lower` on, as far as they fill whole dimensions: the upper bounds; false where they do not. */
static bool fill_upper(hsc_data *d, const hsc_object *o, const hsc_poly **lower, const hsc_poly **upper, unsigned n,
                       const hsc_poly *count) {
    const hsc_poly *left = count, *one = hsc_poly_constant(d, 1);
    for (unsigned i = 0; i < n; i++) {
        unsigned k = d->p->is_fortran ? i : n - 1 - i;
        const hsc_poly *extent = o->extent[k], *low = o->lower[k], *rest;
        if (!low && d->p->is_fortran)
            low = one;
        if (hsc_poly_equal(left, one)) {
            upper[k] = lower[k];
            continue;
        }
        bool is_last = i + 1 == n;
        if (!is_last && extent && hsc_poly_equal(lower[k], low) && (rest = hsc_poly_divide(d, left, extent))) {
            upper[k] = hsc_poly_add(d, hsc_poly_add(d, lower[k], extent, 1), one, -1);
            left = rest;
            continue;
        }
        int64_t have, room, from;
        bool fits = is_last || (hsc_poly_is_constant(left, &have) && hsc_poly_is_constant(extent, &room) &&
                                hsc_poly_is_constant(hsc_poly_add(d, lower[k], low, -1), &from) && from + have <= room);
        if (!fits || !lower[k])
            return false;
        upper[k] = hsc_poly_add(d, hsc_poly_add(d, lower[k], left, 1), one, -1);
        left = one;
        if (!upper[k])
            return false;
    }
    return true;
}

/* ---- descriptors of mpi_f08 ------------------------------------------------------------------------------------------
 */

/* The only structure that is stored in the stack slot; NULL: none, or several. */
static LLVMValueRef stored_whole(LLVMValueRef slot) {
    LLVMValueRef found = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(slot); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != slot ||
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(user, 0))) != LLVMStructTypeKind)
            continue;
        if (found)
            return NULL;
        found = LLVMGetOperand(user, 0);
    }
    return found;
}

/* The stack slot whose field a load reads, with the path of the field; NULL: none. */
static LLVMValueRef loaded_from(LLVMValueRef load, unsigned *path, unsigned *n) {
    *n = 0;
    LLVMValueRef at = LLVMIsALoadInst(load) ? LLVMGetOperand(load, 0) : NULL;
    if (!at || !LLVMIsAGetElementPtrInst(at) || !LLVMIsAAllocaInst(LLVMGetOperand(at, 0)))
        return NULL;
    int k = LLVMGetNumOperands(at);
    for (int i = 2; i < k && *n < 4; i++) {
        LLVMValueRef index = LLVMGetOperand(at, (unsigned)i);
        if (!LLVMIsAConstantInt(index))
            return NULL;
        path[(*n)++] = (unsigned)LLVMConstIntGetZExtValue(index);
    }
    return LLVMGetOperand(at, 0);
}

/* A field of the descriptor that flang builds in a stack slot, followed through copies of descriptors. */
static LLVMValueRef field_of(LLVMValueRef slot, const unsigned *path, unsigned n) {
    unsigned at[4];
    memcpy(at, path, n * sizeof *path);
    LLVMValueRef v = NULL;
    for (unsigned round = 0; round < 8 && slot; round++) {
        LLVMValueRef whole = stored_whole(slot);
        LLVMValueRef next = whole ? hsc_fortran_inserted(whole, at, n) : NULL;
        if (!next)
            break;
        v = next;
        slot = loaded_from(v, at, &n);
    }
    return v;
}

/* A number, or sizeof as front ends write it: the address of element 1 of an array at 0. */
static bool is_bytes(hsc_data *d, LLVMValueRef v, uint64_t bytes) {
    if (LLVMIsAConstantInt(v))
        return LLVMConstIntGetZExtValue(v) == bytes;
    if (!LLVMIsAConstantExpr(v) || LLVMGetConstOpcode(v) != LLVMPtrToInt)
        return false;
    LLVMValueRef at = LLVMGetOperand(v, 0);
    return LLVMIsAConstantExpr(at) && LLVMGetConstOpcode(at) == LLVMGetElementPtr && LLVMGetNumOperands(at) == 2 &&
           LLVMIsNull(LLVMGetOperand(at, 0)) && LLVMIsAConstantInt(LLVMGetOperand(at, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1)) *
                   hsc_ir_size_bytes(d->p->module, LLVMGetGEPSourceElementType(at)) == bytes;
}

/* An argument of assumed rank arrives as the address of a descriptor made for the call: the address of the data, and
 * whether they are known to lie in a row. */
static LLVMValueRef behind_descriptor(hsc_data *d, LLVMValueRef v, uint64_t element, bool *is_descriptor,
                                      bool *in_a_row) {
    static const unsigned base[] = {0}, step[] = {7, 0, 2};
    *is_descriptor = false;
    if (!LLVMIsAAllocaInst(v))
        return v;
    LLVMValueRef data = field_of(v, base, 1), stride = field_of(v, step, 3);
    if (!data || !is_pointer(data))
        return v;
    *is_descriptor = true;
    *in_a_row = stride && element && is_bytes(d, stride, element);
    return data;
}

/* A variable that line tables do not name, and that is read nowhere but in the call: by the text of the call. */
static void name_by_call(hsc_data *d, LLVMValueRef call, const hsc_mpi_operation *o, unsigned k, uint32_t object) {
    hsc_ir_loc loc;
    char name[128];
    hsc_object *of = &d->objects.p[object];
    if ((of->name.n && of->name.p[0] != '?') || of->array_id || !of->base || !LLVMIsAAllocaInst(of->base) || !hsc_ir_get_loc(call, &loc) ||
        !hsc_source_argument(d->p, hsc_pass_file(d->p, loc.file), loc.line, loc.column, o->name, k, name, sizeof name))
        return;
    of->name = hsc_data_format(d, "%s", name);
}

static uint32_t make_section(hsc_data *d, LLVMValueRef call, const hsc_mpi_operation *o, unsigned k,
                             uint32_t message_id, uint32_t callsite_id) {
    hsc_pass *p = d->p;
    unsigned n = LLVMGetNumArgOperands(call), loop = d->g->loop_of[hsc_data_block(d, call)];
    uint64_t role = hsc_mpi_role(o, k, n);
    bool boxed = false, in_a_row = true;
    LLVMValueRef address = operand(call, k);
    if (p->is_fortran && o->binding == HSC_mpi_binding_F08)
        address = behind_descriptor(d, address, 0, &boxed, &in_a_row);
    const hsc_place *place = hsc_find_place(d, address);
    if (place->object == NONE)
        return 0;
    uint32_t object = place->object;
    if (place->is_descriptor)
        object = hsc_data_behind_descriptor(d, object);
    bool receives = role == HSC_mpi_role_RECEIVE_BUFFER;
    unsigned count_at = find_role(o, n, receives ? HSC_mpi_role_RECEIVE_COUNT : HSC_mpi_role_COUNT);
    unsigned type_at = find_role(o, n, receives ? HSC_mpi_role_RECEIVE_DATATYPE : HSC_mpi_role_DATATYPE);
    if (count_at == n && receives && find_role(o, n, HSC_mpi_role_RECEIVE_COUNTS) == n)
        count_at = find_role(o, n, HSC_mpi_role_COUNT);
    if (type_at == n)
        type_at = find_role(o, n, HSC_mpi_role_DATATYPE);
    if (type_at == n)
        type_at = find_role(o, n, HSC_mpi_role_RECEIVE_DATATYPE);
    const hsc_poly *count = count_at < n ? hsc_mpi_number(d, call, count_at) : NULL;
    hsc_rec_section r = {.message_id = message_id, .argument = k + 1};
    /* subscripts of the first element; what is not said is the lower bound */
    const hsc_poly *lower[HSC_PLACE_DIMENSIONS], *upper[HSC_PLACE_DIMENSIONS] = {NULL};
    unsigned rank = d->objects.p[object].rank > place->n ? d->objects.p[object].rank : place->n;
    if (rank > HSC_PLACE_DIMENSIONS)
        rank = HSC_PLACE_DIMENSIONS;
    for (unsigned i = 0; i < rank; i++) {
        const hsc_poly *low = d->objects.p[object].lower[i];
        if (!low)
            low = hsc_poly_constant(d, p->is_fortran ? 1 : 0);
        const hsc_subscript *s = i < place->n ? &place->subscript[i] : NULL;
        if (!s)
            lower[i] = low;
        else
            lower[i] = p->is_fortran ? hsc_poly_add(d, s->index, s->lower ? s->lower : low, 1) : s->index;
    }
    bool is_basic = false;
    hsc_str type = type_at < n ? hsc_mpi_type_name(d, call, type_at, &is_basic) : (hsc_str){NULL, 0};
    uint64_t size = element_bytes(d, &d->objects.p[object], place);
    if (boxed)
        (void)behind_descriptor(d, operand(call, k), size, &boxed, &in_a_row);
    uint64_t type_bytes = is_basic ? hsc_mpi_bytes_of(type) : 0;
    const hsc_poly *elements = count;
    if (is_basic && type_bytes && size && type_bytes != size)
        elements = hsc_poly_divide(d, hsc_poly_multiply(d, count, hsc_poly_constant(d, (int64_t)type_bytes)),
                                   hsc_poly_constant(d, (int64_t)size));
    r.datatype_id = !is_basic && type.n ? hsc_mpi_find_datatype(p, type) : 0;
    if (r.datatype_id) {
        r.shape = HSC_section_shape_DERIVED;
    } else if (!rank) {
        r.shape = HSC_section_shape_EXACT; /* a scalar */
    } else if (elements) {
        bool known = true;
        for (unsigned i = 0; i < rank; i++)
            known = known && lower[i];
        bool filled = known && fill_upper(d, &d->objects.p[object], lower, upper, rank, elements);
        r.shape = !known || !in_a_row   ? HSC_section_shape_UNKNOWN
                  : !filled             ? boxed ? HSC_section_shape_UNKNOWN : HSC_section_shape_LINEAR
                  : is_basic || !type.n ? HSC_section_shape_EXACT
                                        : HSC_section_shape_ASSUMED;
    }
    uint64_t ids[3][HSC_PLACE_DIMENSIONS];
    for (unsigned i = 0; i < rank; i++) {
        bool exact = r.shape == HSC_section_shape_EXACT || r.shape == HSC_section_shape_ASSUMED;
        ids[0][i] = hsc_data_value(d, lower[i], loop, callsite_id);
        ids[1][i] = exact ? hsc_data_value(d, upper[i], loop, callsite_id) : 0;
        ids[2][i] = exact || r.shape == HSC_section_shape_LINEAR ? hsc_data_constant(p, 1) : 0;
    }
    r.lower = hsc_data_ids(p, ids[0], rank);
    r.upper = hsc_data_ids(p, ids[1], rank);
    r.step = hsc_data_ids(p, ids[2], rank);
    r.elements_id = hsc_data_value(d, count, loop, callsite_id);
    name_by_call(d, call, o, k, object);
    r.array_id = hsc_data_array(d, object, callsite_id);
    r.section_id = p->sections.n + 1;
    *HSC_VECTOR_ADD(p->sections) = r;
    return (uint32_t)r.section_id;
}

/* ---- messages -------------------------------------------------------------------------------------------------------
 */

static void make_message(hsc_data *d, LLVMValueRef call, const hsc_mpi_operation *o, uint32_t callsite_id) {
    hsc_pass *p = d->p;
    unsigned n = LLVMGetNumArgOperands(call);
    uint64_t *roles = hsc_pass_alloc(3 * (n + 1) * sizeof *roles), *values = roles + n, *sections = values + n;
    uint32_t message_id = (uint32_t)p->messages.n + 1;
    bool is_mpich = uses_mpich(d, call, o);
    hsc_message_seen seen = {.procedure_id = d->procedure_id};
    (void)HSC_VECTOR_ADD(p->messages);
    for (unsigned k = 0; k < n; k++) {
        uint64_t role = roles[k] = hsc_mpi_role(o, k, n);
        int64_t number;
        unsigned bytes;
        const char *name = constant_name(d, call, k, role, is_mpich, &number, &bytes);
        if (name) {
            values[k] = hsc_data_named(p, HSC_value_kind_HANDLE, number, name, strlen(name));
            continue;
        }
        if (hsc_mpi_is_buffer(role)) {
            sections[k] = make_section(d, call, o, k, message_id, callsite_id);
            continue;
        }
        if (role == HSC_mpi_role_ERROR || role == HSC_mpi_role_RESULT || role == HSC_mpi_role_FLAG ||
            role == HSC_mpi_role_STATUS || (role == HSC_mpi_role_OTHER && is_pointer(operand(call, k))))
            continue;
        if (role == HSC_mpi_role_REQUEST) {
            const hsc_place *place = hsc_find_place(d, operand(call, k));
            hsc_str text = hsc_place_text(d, place);
            seen.request_id = hsc_data_array(d, place->object, callsite_id);
            seen.request = hsc_pass_dup(p, text.p, text.n);
            values[k] = hsc_data_named(p, HSC_value_kind_OPAQUE, 0, text.p, text.n);
            continue;
        }
        const hsc_poly *x = hsc_mpi_number(d, call, k);
        if (hsc_poly_is_constant(x, &number)) {
            values[k] = hsc_data_constant(p, number);
            continue;
        }
        hsc_str text = text_of(d, call, k);
        bool is_list =
            role == HSC_mpi_role_COUNTS || role == HSC_mpi_role_RECEIVE_COUNTS || role == HSC_mpi_role_DISPLACEMENTS ||
            role == HSC_mpi_role_RECEIVE_DISPLACEMENTS || role == HSC_mpi_role_NEW_DATATYPE ||
            role == HSC_mpi_role_NEW_COMMUNICATOR ||
            (is_pointer(operand(call, k)) && (role == HSC_mpi_role_BLOCK_LENGTH || role == HSC_mpi_role_POSITION));
        values[k] = is_list ? hsc_data_named(p, HSC_value_kind_OPAQUE, 0, text.p, text.n)
                            : hsc_data_argument(d, call, callsite_id, k + 1, text);
    }
    seen.waits_for_all = o->kind == HSC_message_kind_WAIT && find_role(o, n, HSC_mpi_role_REQUEST_COUNT) < n;
    hsc_rec_message *m = &p->messages.p[message_id - 1];
    *m = (hsc_rec_message){.message_id = message_id,
                           .callsite_id = callsite_id,
                           .operation = {o->name, strlen(o->name)},
                           .kind = o->kind,
                           .binding = o->binding,
                           .roles = hsc_data_ids(p, roles, n),
                           .values = hsc_data_ids(p, values, n),
                           .sections = hsc_data_ids(p, sections, n)};
    *HSC_VECTOR_ADD(p->messages_seen) = seen;
    if (o->kind == HSC_message_kind_DATATYPE)
        hsc_mpi_datatype(d, call, o, message_id, callsite_id);
    free(roles);
}

void hsc_data_messages(hsc_data *d, const hsc_map *site_of) {
    size_t first_reference = d->p->references.n;
    HSC_VECTOR(hsc_mpi_call) calls = {0};
    while (first_reference && d->p->references.p[first_reference - 1].procedure_id == d->procedure_id)
        first_reference--;
    for (unsigned b = 0; b < d->g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i))
                continue;
            uint32_t site = hsc_map_get(site_of, (uint64_t)(uintptr_t)i);
            LLVMValueRef callee = LLVMGetCalledValue(i);
            hsc_mpi_operation o;
            if (!site || !LLVMIsAFunction(callee) ||
                !hsc_mpi_get_operation(hsc_ir_get_name(callee), d->p->is_fortran, &o))
                continue;
            make_message(d, i, &o, site);
            *HSC_VECTOR_ADD(calls) = (hsc_mpi_call){i, (uint32_t)d->p->messages.n, site, b, o.kind};
        }
    hsc_data_arguments(d, site_of);
    hsc_mpi_link_loops(d, calls.p, calls.n, first_reference);
    free(calls.p);
}
