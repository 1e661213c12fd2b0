/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members of structures and unions: which one an address of the IR is, as the source names it. */
#include "places.h"

#include <string.h>

#define NONE HSC_DATA_NONE

static bool is_unnamed(hsc_str name) { return name.n == 1 && *name.p == '?'; }

/* What the source says before the member that this instruction goes to: "a" of "a->x" and "a.x", where the debug information has no variables. */
static hsc_str name_before(hsc_data *d, LLVMValueRef gep) {
    hsc_ir_loc loc;
    char name[128];
    if (!d->p->unit.has_scopes && !d->p->is_fortran && LLVMIsAInstruction(gep) && hsc_ir_get_loc(gep, &loc) && loc.line &&
        hsc_source_structure(d->p, hsc_pass_file(d->p, loc.file), loc.line, loc.column, name, sizeof name))
        return hsc_data_format(d, "%s", name);
    return (hsc_str){"?", 1};
}

/* Is the member named behind a dot in the source? */
static bool is_member_of_object(hsc_data *d, LLVMValueRef gep) {
    hsc_ir_loc loc;
    return !d->p->is_fortran && LLVMIsAInstruction(gep) && hsc_ir_get_loc(gep, &loc) && loc.line &&
           hsc_source_is_behind_dot(d->p, hsc_pass_file(d->p, loc.file), loc.line, loc.column);
}

/* ---- which member of a union ----------------------------------------------------------------------------------------
 */

/* A pointer that is read from a member: the variable that it is kept in, and what is gone into behind it. */
static void look_at_pointer(hsc_data *d, LLVMValueRef load, hsc_ir_sought *s) {
    for (LLVMUseRef u = LLVMGetFirstUse(load); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == load && !s->behind)
            s->behind = LLVMGetGEPSourceElementType(user);
        hsc_variable *v = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == load ? hsc_data_variable(d, LLVMGetOperand(user, 1)) : NULL;
        if (v && v->debug.name.n && !s->kept)
            s->kept = v->debug.type;
    }
}

/* How the code uses this access of a union's member. */
static void look_at_access(hsc_data *d, LLVMValueRef user, hsc_ir_sought *s) {
    if (LLVMIsALoadInst(user)) {
        s->type = LLVMTypeOf(user);
        look_at_pointer(d, user, s);
    } else if (LLVMIsAStoreInst(user)) {
        LLVMValueRef value = hsc_data_without_casts(LLVMGetOperand(user, 0));
        s->type = LLVMTypeOf(value);
        hsc_variable *v = LLVMIsALoadInst(value) ? hsc_data_variable(d, LLVMGetOperand(value, 0)) : NULL;
        if (v && v->debug.name.n)
            s->kept = v->debug.type;
    } else if (LLVMIsAGetElementPtrInst(user)) {
        s->type = LLVMGetGEPSourceElementType(user);
    }
    if (s->type && LLVMGetTypeKind(s->type) != LLVMPointerTypeKind)
        s->kept = NULL;
}

typedef bool find_name(hsc_pass *p, uint32_t file_id, unsigned line, unsigned column, char *name, size_t size);

/* Name that the source has at the place of an instruction; empty: none. */
static hsc_ir_text name_at(hsc_data *d, LLVMValueRef i, find_name *find, char *name, size_t size) {
    hsc_ir_loc loc;
    if (!LLVMIsAInstruction(i) || !hsc_ir_get_loc(i, &loc) || !loc.line ||
        !find(d->p, hsc_pass_file(d->p, loc.file), loc.line, loc.column, name, size))
        return (hsc_ir_text){NULL, 0};
    return (hsc_ir_text){name, strlen(name)};
}

static bool is_object(LLVMValueRef address) {
    for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u))
        if (hsc_place_is_object(LLVMGetUser(u)) && LLVMGetOperand(LLVMGetUser(u), 0) == address)
            return true;
    return false;
}

/* The part of a structure that this address is of; of several in a union the one that is named there, or whose type fits what is done with it. */
static hsc_ir_part part_at(hsc_data *d, LLVMMetadataRef type, uint64_t offset, LLVMValueRef gep, hsc_ir_member *m) {
    hsc_ir_part part = hsc_ir_find_part(type, offset, NULL, m);
    if (part != HSC_IR_PART_SEVERAL)
        return part;
    char name[128];
    hsc_ir_sought s = {.module = d->p->module, .name = name_at(d, gep, hsc_source_identifier, name, sizeof name)};
    for (LLVMUseRef u = LLVMGetFirstUse(gep); u && !s.type; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) == gep)
            look_at_access(d, user, &s);
    }
    return hsc_ir_find_part(type, offset, &s, m);
}

/* "{wide|narrow}" for several members that it may be. */
static hsc_str name_of_several(hsc_data *d, const hsc_ir_member *m) {
    hsc_str text = hsc_data_format(d, "{");
    for (unsigned k = 0; k < m->n_names; k++)
        text = hsc_data_format(d, "%.*s%s%.*s", (int)text.n, text.p, k ? "|" : "", (int)m->names[k].n, m->names[k].p);
    return hsc_data_format(d, "%.*s%s}", (int)text.n, text.p, m->has_more ? m->n_names ? "|..." : "..." : "");
}

/* ---- steps ----------------------------------------------------------------------------------------------------------
 */

/* From a place on to a member of it, called `component`. */
static void go_to(hsc_data *d, hsc_place *p, uint64_t key, const hsc_ir_member *m, const char *component, size_t n, uint64_t offset,
                  uint64_t member_key, LLVMValueRef user) {
    bool is_new;
    uint32_t parent = p->object, at = hsc_place_object(d, key, &is_new);
    if (is_new) {
        hsc_object *o = &d->objects.p[at], *from = &d->objects.p[parent];
        const char *sign = d->p->is_fortran ? "%"
                           : from->storage == HSC_storage_POINTER || from->storage == HSC_storage_ARGUMENT ||
                                   from->storage == HSC_storage_HEAP
                               ? "->"
                               : ".";
        if (*sign == '-' && is_member_of_object(d, user))
            sign = "."; /* of a reference, or of a structure that is passed by value */
        /* an element's member is named a[].x; of an array of pointers a[]->x; a member of that a[].x.y */
        bool is_element = p->n && !(from->storage == HSC_storage_MEMBER && from->of_element == p->n);
        o->name = hsc_data_format(d, "%.*s%s%s%.*s", (int)from->name.n, from->name.p,
                                  is_element ? (d->p->is_fortran ? "()" : "[]") : "",
                                  !p->n || d->p->is_fortran ? sign : p->n == p->behind ? "->" : ".",
                                  (int)n, component);
        o->storage = HSC_storage_MEMBER;
        o->parent = parent;
        o->offset_bytes = offset;
        o->type = m->type;
        o->file = m->file;
        o->line = m->line;
        o->symbol = from->symbol;
        o->is_global = from->is_global;
        o->member_key = member_key;
        if (p->n) { /* its subscripts so far are the element's */
            o->rank = o->of_element = p->n;
            memcpy(o->lower, from->lower, sizeof o->lower);
            memcpy(o->extent, from->extent, sizeof o->extent);
        }
        hsc_place_learn_bounds(d, o);
    }
    p->object = at;
    p->type = d->objects.p[at].type;
    p->type_level = 0;
    p->element_bytes = 0;
    p->unnamed_bytes = 0;
}

void hsc_place_step_member(hsc_data *d, hsc_place *p, LLVMTypeRef structure, unsigned k, LLVMValueRef gep) {
    uint64_t inside = hsc_ir_offset_bytes(d->p->module, structure, k), offset = p->unnamed_bytes + inside;
    hsc_ir_member m = {0};
    hsc_ir_type t;
    hsc_ir_part part = p->type ? part_at(d, p->type, inside, gep, &m) : HSC_IR_PART_NONE;
    if (part == HSC_IR_PART_UNNAMED && !d->p->is_fortran) {
        p->unnamed_bytes += m.offset_bytes;
        p->type = m.type;
        p->type_level = 0;
        return;
    }
    hsc_ir_get_type(p->type, &t);
    const char *symbol = LLVMGetStructName(structure);
    uint64_t type_key = symbol     ? hsc_hash64(0, symbol, strlen(symbol))
                        : t.name.n ? hsc_hash64(0, t.name.p, t.name.n)
                                   : 0;
    if (is_unnamed(d->objects.p[p->object].name))
        d->objects.p[p->object].name = name_before(d, gep);
    hsc_str several = part == HSC_IR_PART_SEVERAL ? name_of_several(d, &m) : (hsc_str){NULL, 0};
    hsc_ir_text name = several.n ? (hsc_ir_text){several.p, several.n} : m.name;
    uint64_t key = hsc_place_hash("member", d->objects.p[p->object].key, k, offset);
    uint64_t member_key = type_key ? hsc_place_hash("member", type_key, offset, k) : 0;
    if (m.is_of_union) {
        uint64_t which = hsc_hash64(0, name.p, name.n);
        key = hsc_place_hash("of union", key, which, 0);
        member_key = member_key ? hsc_place_hash("of union", member_key, which, 0) : 0;
    }
    char component[128] = "";
    if (!name.n && !hsc_map_get(&d->object_of, key)) {
        if (d->p->is_fortran && symbol)
            hsc_fortran_component_name(d->p, symbol, k, component, sizeof component);
        else /* clang says where the member is named */
            (void)name_at(d, gep, is_object(gep) ? hsc_source_object : hsc_source_identifier, component, sizeof component);
        if (!*component)
            memcpy(component, "?", 2);
        name = (hsc_ir_text){component, strlen(component)};
    }
    go_to(d, p, key, &m, name.p, name.n, offset, member_key, gep);
}

hsc_place hsc_place_in_union(hsc_data *d, hsc_place p, LLVMTypeRef type, LLVMValueRef user) {
    hsc_ir_type t;
    hsc_ir_member m;
    char name[128];
    hsc_ir_get_type(p.type, &t);
    if (p.object == NONE || p.is_descriptor || !t.is_union)
        return p;
    hsc_ir_sought s = {.module = d->p->module, .type = type};
    bool is_gep = LLVMIsAGetElementPtrInst(user) != NULL;
    if (!is_gep)
        look_at_access(d, user, &s);
    bool goes_into = is_gep && LLVMGetTypeKind(type) == LLVMStructTypeKind; /* its own place is that of a member of the member */
    s.name = name_at(d, user, goes_into ? hsc_source_member_before : hsc_source_identifier, name, sizeof name);
    hsc_ir_part part = hsc_ir_find_part(p.type, 0, &s, &m);
    if (part == HSC_IR_PART_UNNAMED) {
        p.type = m.type;
        p.unnamed_bytes += m.offset_bytes;
        p.type_level = 0;
    } else if (part == HSC_IR_PART_MEMBER) {
        uint64_t which = hsc_hash64(0, m.name.p, m.name.n), member_key = d->objects.p[p.object].member_key;
        go_to(d, &p, hsc_place_hash("of union", d->objects.p[p.object].key, which, p.unnamed_bytes), &m, m.name.p, m.name.n,
              p.unnamed_bytes + m.offset_bytes, member_key ? hsc_place_hash("of union", member_key, which, 0) : 0, user);
    } else {
        p.type = NULL;
    }
    return p;
}

const hsc_place *hsc_place_accessed(hsc_data *d, const hsc_place *place, LLVMTypeRef type, LLVMValueRef access) {
    hsc_ir_type t;
    hsc_ir_get_type(place->type, &t);
    if (!type || !t.is_union || d->p->is_fortran)
        return place;
    hsc_place *member = hsc_arena_take(&d->arena, sizeof *member);
    *member = hsc_place_in_union(d, *place, type, access);
    return member;
}

hsc_place hsc_place_kept(hsc_data *d, hsc_place p, const hsc_variable *v) {
    bool is_new;
    hsc_ir_type t;
    hsc_ir_get_type(v->debug.type, &t);
    if (d->p->is_fortran || p.is_descriptor || !v->debug.name.n || v->debug.is_behind_pointer || t.kind != HSC_IR_TYPE_POINTER)
        return p;
    LLVMMetadataRef kept = t.element;
    if (!hsc_ir_is_other_structure(v->debug.type, p.type)) {
        hsc_ir_get_type(p.type, &t);
        bool is_bytes = t.kind == HSC_IR_TYPE_OTHER || (t.kind == HSC_IR_TYPE_SCALAR && t.size_bytes == 1);
        hsc_ir_get_type(kept, &t);
        if (is_bytes && t.has_members) /* of a buffer */
            p.type = kept;
        return p;
    }
    uint32_t at = hsc_place_object(d, hsc_place_hash("kept", d->objects.p[p.object].key, (uint64_t)(uintptr_t)v->address, 0), &is_new);
    if (is_new) {
        hsc_object *o = &d->objects.p[at];
        uint64_t key = o->key;
        *o = d->objects.p[p.object];
        o->key = key;
        o->name = hsc_data_variable_name(d, v, NULL);
        o->type = kept;
        o->file = v->debug.file;
        o->line = v->debug.line;
        o->storage = HSC_storage_POINTER;
        o->argument = 0;
        o->element = NULL;
        o->array_id = 0;
        if (o->member_key)
            o->member_key = hsc_place_hash("kept", o->member_key, hsc_hash64(0, t.name.p, t.name.n), 0);
    }
    p.object = at;
    p.type = kept;
    p.type_level = 0;
    return p;
}
