/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records of numbers and arrays. */
#include "data.h"

#include <stdlib.h>
#include <string.h>

#define NONE HSC_DATA_NONE

static hsc_str dup(hsc_pass *p, hsc_str s) {
    return hsc_pass_dup(p, s.p, s.n);
}

hsc_u64s hsc_data_ids(hsc_pass *p, const uint64_t *ids, size_t n) {
    uint64_t *copy = hsc_arena_take(&p->arena, n * sizeof *ids);
    if (n)
        memcpy(copy, ids, n * sizeof *ids);
    return (hsc_u64s){copy, n};
}

static uint64_t zigzag(int64_t v) {
    return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static hsc_rec_value *new_value(hsc_pass *p, uint64_t kind, hsc_str text) {
    hsc_rec_value *v = HSC_VECTOR_ADD(p->values);
    *v = (hsc_rec_value){.value_id = p->values.n, .kind = kind, .text = dup(p, text)};
    return v;
}

uint32_t hsc_data_named(hsc_pass *p, uint64_t kind, int64_t number, const char *name, size_t n) {
    uint64_t key = hsc_pass_tag(hsc_pass_tag(kind, "named", &number, sizeof number), "name", name, n);
    uint32_t id = hsc_map_get(&p->value_of_number, key);
    if (!id) {
        new_value(p, kind, (hsc_str){name, n})->number = number;
        id = (uint32_t)p->values.n;
        hsc_map_set(&p->value_of_number, key, id);
    }
    return id;
}

uint32_t hsc_data_constant(hsc_pass *p, int64_t number) {
    /* its text is the number: left out */
    return hsc_data_named(p, HSC_value_kind_CONSTANT, number, "", 0);
}

/* Declares where the run is to record a number. */
static void declare(hsc_data *d, hsc_rec_symbolic s) {
    hsc_pass *p = d->p;
    uint64_t place[3] = {s.where, s.argument, 0};
    const hsc_site *site = s.site_id ? &p->sites.p[s.site_id - 1] : NULL;
    if (site)
        place[2] = site->is_loop ? p->loops.p[site->index].tag : p->callsites.p[site->index].tag;
    s.procedure_id = d->procedure_id;
    s.symbolic_id = p->symbolics.n + 1;
    s.tag = hsc_pass_tag(p->procedures.p[d->procedure_id - 1].tag, "symbolic", s.name.p, s.name.n);
    s.tag = hsc_pass_tag(s.tag, "place", place, sizeof place);
    if (site) {
        s.file_id = site->is_loop ? p->loops.p[site->index].file_id : p->callsites.p[site->index].file_id;
        s.line = site->is_loop ? p->loops.p[site->index].line_begin : p->callsites.p[site->index].line;
    } else {
        s.file_id = p->procedures.p[d->procedure_id - 1].file_id;
        s.line = p->procedures.p[d->procedure_id - 1].line_begin;
    }
    p->values.p[s.value_id - 1].symbolic_id = s.symbolic_id;
    *HSC_VECTOR_ADD(p->symbolics) = s;
}

/* The outermost loop round `loop` in which the number stays the same; NONE: it changes in the innermost one. */
static unsigned loop_before_which(hsc_data *d, uint32_t atom, unsigned loop) {
    const hsc_poly *a = hsc_poly_atom(d, atom);
    unsigned found = NONE;
    for (unsigned l = loop; l != NONE && hsc_poly_is_invariant(d, a, l); l = d->g->loops[l].parent)
        found = l;
    return found;
}

static uint32_t value_of_atom(hsc_data *d, uint32_t atom, unsigned loop, uint32_t callsite_id) {
    hsc_pass *p = d->p;
    hsc_atom a = d->atoms.p[atom];
    if (a.value_id)
        return a.value_id;
    if (a.kind == HSC_ATOM_INDUCTION && a.start && a.step && d->loops[a.loop].id) {
        /* start + step * iteration */
        hsc_str of = hsc_data_format(d, "iteration of %.*s", (int)a.text.n, a.text.p);
        new_value(p, HSC_value_kind_ITERATION, of)->loop_id = d->loops[a.loop].id;
        uint64_t iteration = p->values.n, terms[(HSC_POLY_TERMS + 1) * (HSC_POLY_FACTORS + 3) * 2];
        size_t n = 0;
        d->atoms.p[atom].value_id = (uint32_t)iteration; /* should it contain itself */
        for (unsigned part = 0; part < 2; part++) {
            const hsc_poly *sum = part ? a.step : a.start;
            for (uint32_t i = 0; i < sum->n; i++) {
                terms[n++] = zigzag(sum->term[i].coefficient);
                terms[n++] = sum->term[i].n + part;
                for (uint32_t k = 0; k < sum->term[i].n; k++)
                    terms[n++] = value_of_atom(d, sum->term[i].atom[k], loop, callsite_id);
                if (part)
                    terms[n++] = iteration;
            }
        }
        if (a.step->constant) {
            terms[n++] = zigzag(a.step->constant);
            terms[n++] = 1;
            terms[n++] = iteration;
        }
        hsc_rec_value *v = new_value(p, HSC_value_kind_POLYNOMIAL, a.text);
        v->number = a.start->constant;
        v->terms = hsc_data_ids(p, terms, n);
        return d->atoms.p[atom].value_id = (uint32_t)p->values.n;
    }
    bool is_symbol = a.kind == HSC_ATOM_SYMBOL && a.text.n && a.text.p[0] != '?';
    new_value(p, is_symbol ? HSC_value_kind_SYMBOL : HSC_value_kind_OPAQUE, a.text);
    uint32_t id = (uint32_t)p->values.n;
    d->atoms.p[atom].value_id = id;
    unsigned before = loop_before_which(d, atom, loop);
    hsc_rec_symbolic s = {
        .value_id = id, .name = dup(p, a.text), .bits = a.bits, .argument = a.argument, .by_reference = a.by_reference};
    if (!is_symbol)
        return id;
    if (a.argument)
        s.where = HSC_symbolic_where_ENTRY;
    else if (callsite_id) {
        s.where = HSC_symbolic_where_CALL;
        s.site_id = callsite_id;
    } else if (before != NONE && d->loops[before].id) {
        s.where = HSC_symbolic_where_LOOP;
        s.site_id = d->loops[before].id;
    } else
        return id; /* changes inside the innermost loop: nothing records it */
    declare(d, s);
    return id;
}

uint32_t hsc_data_value(hsc_data *d, const hsc_poly *a, unsigned loop, uint32_t callsite_id) {
    hsc_pass *p = d->p;
    if (!a)
        return 0;
    if (!a->n)
        return hsc_data_constant(p, a->constant);
    if (a->n == 1 && !a->constant && a->term[0].n == 1 && a->term[0].coefficient == 1)
        return value_of_atom(d, a->term[0].atom[0], loop, callsite_id);
    uint64_t terms[HSC_POLY_TERMS * (HSC_POLY_FACTORS + 2)];
    size_t n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        terms[n++] = zigzag(a->term[i].coefficient);
        terms[n++] = a->term[i].n;
        for (uint32_t k = 0; k < a->term[i].n; k++)
            terms[n++] = value_of_atom(d, a->term[i].atom[k], loop, callsite_id);
    }
    uint64_t key = hsc_pass_tag((uint64_t)a->constant, "polynomial", terms, n * sizeof *terms);
    uint32_t id = hsc_map_get(&p->value_of_number, key);
    if (!id) {
        hsc_rec_value *v = new_value(p, HSC_value_kind_POLYNOMIAL, hsc_poly_text(d, a));
        v->number = a->constant;
        v->terms = hsc_data_ids(p, terms, n);
        id = (uint32_t)p->values.n;
        hsc_map_set(&p->value_of_number, key, id);
    }
    return id;
}

uint32_t hsc_data_argument(hsc_data *d, LLVMValueRef call, uint32_t callsite_id, unsigned argument, hsc_str text) {
    hsc_pass *p = d->p;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, argument - 1));
    bool is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    new_value(p, HSC_value_kind_SYMBOL, text);
    uint32_t id = (uint32_t)p->values.n;
    hsc_rec_symbolic s = {.value_id = id,
                          .name = p->values.p[id - 1].text,
                          .where = HSC_symbolic_where_CALL,
                          .site_id = callsite_id,
                          .argument = argument,
                          .by_reference = p->is_fortran && is_pointer,
                          .type = is_pointer && !p->is_fortran ? HSC_symbolic_type_ADDRESS : HSC_symbolic_type_INTEGER,
                          .bits = p->is_fortran ? 32
                                  : is_pointer  ? 64
                                                : LLVMGetIntTypeWidth(type)};
    declare(d, s);
    return id;
}

static LLVMMetadataRef element_type(LLVMMetadataRef type, hsc_ir_type *element) {
    hsc_ir_get_type(type, element);
    while (element->kind == HSC_IR_TYPE_ARRAY) {
        type = element->element;
        hsc_ir_get_type(type, element);
    }
    return type;
}

/* `within`: the procedure's; 0: of a global one. */
static uint64_t tag_of_array(uint64_t within, const hsc_rec_array *r) {
    return hsc_pass_tag(hsc_pass_tag(within, "array", r->name.p, r->name.n), "symbol", r->symbol.p, r->symbol.n);
}

static uint64_t key_of_symbol(const char *symbol, size_t n) {
    uint64_t key = hsc_hash64(0, symbol, n);
    return key + !key;
}

void hsc_data_declared(hsc_pass *p) {
    hsc_map used = {0};
    for (size_t i = 0; i < p->arrays.n; i++)
        if (p->arrays.p[i].symbol.n)
            hsc_map_set(&used, key_of_symbol(p->arrays.p[i].symbol.p, p->arrays.p[i].symbol.n), 1);
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->module); g; g = LLVMGetNextGlobal(g)) {
        hsc_ir_text symbol = hsc_ir_get_name(g);
        hsc_ir_variable v;
        hsc_ir_type type, element;
        if (symbol.n < 4 || memcmp(symbol.p, "_QM", 3) || LLVMIsGlobalConstant(g) || !hsc_ir_get_global(g, 0, &v) || v.is_declaration || !v.line)
            continue;
        hsc_ir_get_type(v.type, &type);
        if (hsc_map_get(&used, key_of_symbol(symbol.p, symbol.n)) || type.kind != HSC_IR_TYPE_ARRAY)
            continue;
        char text[512];
        LLVMMetadataRef inner = element_type(v.type, &element);
        hsc_rec_array *r = HSC_VECTOR_ADD(p->arrays);
        *r = (hsc_rec_array){.array_id = p->arrays.n,
                             .name = hsc_pass_dup(p, v.name.p, v.name.n),
                             .symbol = hsc_pass_dup(p, symbol.p, symbol.n),
                             .storage = type.is_allocatable                               ? HSC_storage_ALLOCATABLE
                                        : type.is_descriptor || type.is_fortran_pointer ? HSC_storage_DESCRIPTOR
                                                                                         : HSC_storage_GLOBAL,
                             .file_id = hsc_pass_file(p, v.file),
                             .line = v.line,
                             .element_bytes = element.size_bytes,
                             .flags = HSC_array_flag_COLUMN_MAJOR | HSC_array_flag_DECLARED};
        r->type = hsc_pass_dup(p, text, hsc_ir_type_text(v.type, text, sizeof text));
        r->element = hsc_pass_dup(p, text, hsc_ir_type_text(inner, text, sizeof text));
        r->tag = tag_of_array(0, r);
    }
    hsc_map_fini(&used);
}

uint32_t hsc_data_array(hsc_data *d, uint32_t object, uint32_t callsite_id) {
    hsc_pass *p = d->p;
    if (object == NONE)
        return 0;
    if (d->objects.p[object].array_id)
        return d->objects.p[object].array_id;
    hsc_object o = d->objects.p[object];
    uint64_t global_key = o.is_global && o.member_key ? hsc_pass_tag(o.member_key, "array", o.name.p, o.name.n) : 0;
    uint32_t id = global_key ? hsc_map_get(&p->array_of_global, global_key) : 0;
    if (id)
        return d->objects.p[object].array_id = id;
    (void)HSC_VECTOR_ADD(p->arrays);
    id = (uint32_t)p->arrays.n;
    d->objects.p[object].array_id = id;
    if (global_key)
        hsc_map_set(&p->array_of_global, global_key, id);
    char text[512];
    hsc_ir_type type, element;
    hsc_ir_get_type(o.type, &type);
    LLVMMetadataRef inner = element_type(o.type, &element);
    hsc_rec_array r = {.array_id = id,
                       .name = dup(p, o.name),
                       .storage = o.storage,
                       .procedure_id = o.is_global ? 0 : d->procedure_id,
                       .file_id = hsc_pass_file(p, o.file),
                       .line = o.line,
                       .symbol = dup(p, o.symbol),
                       .offset_bytes = o.offset_bytes,
                       .identity = o.member_key,
                       .argument = o.argument};
    r.type = hsc_pass_dup(p, text, hsc_ir_type_text(o.type, text, sizeof text));
    r.element = hsc_pass_dup(p, text, hsc_ir_type_text(inner, text, sizeof text));
    r.element_bytes = element.size_bytes;
    if (!r.element_bytes && o.element)
        r.element_bytes = hsc_ir_size_bytes(p->module, o.element);
    const hsc_rec_procedure *owner = &p->procedures.p[d->procedure_id - 1];
    r.tag = tag_of_array(o.is_global ? 0 : owner->tag, &r);
    if (p->is_fortran)
        r.flags |= HSC_array_flag_COLUMN_MAJOR;
    if (!o.rank)
        r.flags |= HSC_array_flag_SCALAR;
    if (o.is_temporary)
        r.flags |= HSC_array_flag_TEMPORARY;
    if (o.rank && type.kind != HSC_IR_TYPE_ARRAY)
        r.flags |= HSC_array_flag_SHAPE_FROM_USE;
    uint64_t lower[HSC_PLACE_DIMENSIONS], extent[HSC_PLACE_DIMENSIONS];
    unsigned rank = o.rank < HSC_PLACE_DIMENSIONS ? o.rank : HSC_PLACE_DIMENSIONS;
    for (unsigned k = 0; k < rank; k++) {
        lower[k] = o.lower[k]      ? hsc_data_value(d, o.lower[k], NONE, callsite_id)
                   : p->is_fortran ? 0
                                   : hsc_data_constant(p, 0);
        extent[k] = hsc_data_value(d, o.extent[k], NONE, callsite_id);
    }
    r.lower = hsc_data_ids(p, lower, rank);
    r.extent = hsc_data_ids(p, extent, rank);
    if (o.parent != NONE)
        r.parent_id = hsc_data_array(d, o.parent, callsite_id);
    if (o.allocation && d->site_of)
        r.allocation_id = hsc_map_get(d->site_of, (uint64_t)(uintptr_t)o.allocation);
    p->arrays.p[id - 1] = r;
    return id;
}
