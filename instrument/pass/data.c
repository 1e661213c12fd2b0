/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data of one procedure: what its loops touch and what its messages move. Nothing of the code is changed. */
#include "data.h"

#include <string.h>

static bool calls_mpi(const hsc_graph *g) {
    for (unsigned b = 0; b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i))
                continue;
            LLVMValueRef callee = LLVMGetCalledValue(i);
            hsc_ir_text name = LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
            if (name.n && hsc_names_call_kind(name.p, name.n) == HSC_call_kind_MPI)
                return true;
        }
    return false;
}

/* Numbers in rows; pointers to structures, texts and the like are handed on by nearly every call and are no arrays. What a dummy argument or a member points to
 * may be rows, or a buffer of bytes, though the procedure itself does no more than hand it on. */
static bool holds_numbers(const hsc_object *o, bool texts) {
    hsc_ir_type t;
    bool behind = (o->argument || o->member_key) && !o->base;
    hsc_ir_get_type(o->type, &t);
    if (t.kind == HSC_IR_TYPE_ARRAY || o->from_descriptor)
        return o->rank || (o->base && !o->is_global && !texts);
    return (o->rank && t.kind == HSC_IR_TYPE_SCALAR && t.size_bytes > 1) || (behind && !texts && (t.kind == HSC_IR_TYPE_SCALAR || t.kind == HSC_IR_TYPE_OTHER));
}

/* A procedure of the C library that takes texts, or of as many arguments as one likes (printf): what they are handed leads nowhere. */
static bool takes_texts(LLVMValueRef call) {
    static const char *const begins[] = {"str", "mem", "free", "realloc", "fopen", "fputs", "puts", "ato", "getenv", "llvm."};
    LLVMValueRef callee = LLVMGetCalledValue(call);
    hsc_ir_text name = LLVMIsAFunction(callee) ? hsc_ir_get_name(callee) : (hsc_ir_text){NULL, 0};
    if (name.n && LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee)))
        return true;
    for (size_t i = 0; name.n && i < sizeof begins / sizeof *begins; i++)
        if (LLVMIsDeclaration(callee) && name.n >= strlen(begins[i]) && !memcmp(name.p, begins[i], strlen(begins[i])))
            return true;
    return false;
}

/* Arrays that calls hand on, so that an array can be followed through procedures. Calls of MPI say it in their
 * sections. */
void hsc_data_arguments(hsc_data *d, const hsc_map *site_of) {
    for (unsigned b = 0; b < d->g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(d->g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            uint32_t site =
                LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? hsc_map_get(site_of, (uint64_t)(uintptr_t)i) : 0;
            if (!site || d->p->callsites.p[d->p->sites.p[site - 1].index].kind != HSC_call_kind_DIRECT)
                continue;
            bool texts = takes_texts(i);
            for (unsigned k = 0, n = LLVMGetNumArgOperands(i); k < n; k++) {
                LLVMValueRef v = LLVMGetOperand(i, k);
                if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
                    continue;
                const hsc_place *place = hsc_find_place(d, v);
                if (place->object == HSC_DATA_NONE || d->objects.p[place->object].is_temporary)
                    continue;
                uint32_t object = place->is_descriptor ? hsc_data_behind_descriptor(d, place->object) : place->object;
                if (d->objects.p[object].array_id || holds_numbers(&d->objects.p[object], texts))
                    *HSC_VECTOR_ADD(d->p->array_arguments) =
                        (hsc_rec_array_argument){site, k + 1, hsc_data_array(d, object, site)};
            }
        }
}

static bool has_attribute(LLVMValueRef function, unsigned parameter, const char *name, size_t n) {
    return LLVMGetEnumAttributeAtIndex(function, parameter + 1, LLVMGetEnumAttributeKindForName(name, n)) != NULL;
}

/* Does a procedure without loops call others, and may it hand on what was handed to it? References, objects' own pointers and structures by value are no arrays. */
static bool may_hand_on(const hsc_pass *p, LLVMValueRef function, const hsc_graph *g, const hsc_map *site_of) {
    bool any = false;
    for (unsigned k = 0, n = LLVMCountParams(function); k < n && !any; k++)
        any = LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, k))) == LLVMPointerTypeKind && !has_attribute(function, k, "dereferenceable", 15) &&
              !has_attribute(function, k, "sret", 4) && !has_attribute(function, k, "byval", 5);
    for (unsigned b = 0; any && b < g->blocks; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->block[b]); i; i = LLVMGetNextInstruction(i)) {
            uint32_t site = LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? hsc_map_get(site_of, (uint64_t)(uintptr_t)i) : 0;
            if (!site || p->callsites.p[p->sites.p[site - 1].index].kind != HSC_call_kind_DIRECT)
                continue;
            for (unsigned k = 0, n = LLVMGetNumArgOperands(i); k < n; k++)
                if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, k))) == LLVMPointerTypeKind)
                    return true;
        }
    return false;
}

/* An inline procedure of MPI's own C++ bindings, which every unit that includes mpi.h has for its virtual tables: its calls are
 * none that the program makes. */
static bool is_mpi_binding(LLVMValueRef function) {
    LLVMLinkage linkage = LLVMGetLinkage(function);
    hsc_ir_text name = hsc_ir_get_name(function);
    bool inside = name.n > 8 && (!memcmp(name.p, "_ZN3MPI", 7) || !memcmp(name.p, "_ZNK3MPI", 8));
    return inside && (linkage == LLVMLinkOnceODRLinkage || linkage == LLVMLinkOnceAnyLinkage || linkage == LLVMWeakODRLinkage);
}

void hsc_data_function(hsc_pass *p, LLVMValueRef function, uint32_t procedure_id, const hsc_graph *g,
                       const uint32_t *loop_ids, const hsc_map *site_of) {
    hsc_data d;
    bool has_messages = calls_mpi(g);
    if ((!g->n_loops && !has_messages && !may_hand_on(p, function, g, site_of)) || is_mpi_binding(function))
        return;
    hsc_data_init(&d, p, function, procedure_id, g, loop_ids);
    d.site_of = site_of;
    hsc_data_references(&d);
    if (has_messages)
        hsc_data_messages(&d, site_of);
    else
        hsc_data_arguments(&d, site_of);
    hsc_data_fini(&d);
    hsc_called_trim(p);
}
