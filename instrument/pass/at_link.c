/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The look at link time: units, their early records, and which procedure a renamed function is. */
#include "at_link.h"

#include <heatscope/formats/linkage.h>
#include <heatscope/formats/tags.h>

#include <stdlib.h>
#include <string.h>

typedef struct link_unit {
    LLVMMetadataRef node; /* the compile unit */
    uint64_t tag, language;
    hsc_ir_text records;
    bool loaded;
    bool is_here;                 /* its code is in this module, as far as any is left */
    uint32_t first;               /* early id + first: id here */
    uint32_t sites;               /* of them */
    uint32_t early;               /* early ids up to this may stand in locations */
    hsc_map accesses, procedures; /* how often, by key; procedure by hash of its symbol */
} link_unit;

typedef struct hsc_link {
    HSC_VECTOR(link_unit) units;
    hsc_map unit_of_node, unit_of_tag; /* number of the unit, from 1 */
    hsc_map unit_of_subprogram;        /* number + 1 */
    hsc_map procedure_of_function;
} hsc_link;

bool hsc_link_open(hsc_pass *p, bool whole) {
    hsc_link *k = hsc_pass_alloc(sizeof *k);
    hsc_ir_mark_text mark;
    p->link = k;
    for (unsigned i = 0; hsc_ir_get_mark(p->module, i, &mark); i++) {
        if (!mark.unit || !mark.records.n || hsc_map_get(&k->unit_of_node, (uint64_t)(uintptr_t)mark.unit))
            continue;
        *HSC_VECTOR_ADD(k->units) =
            (link_unit){.node = mark.unit, .tag = mark.tag, .records = mark.records, .is_here = whole || !i};
        hsc_map_set(&k->unit_of_node, (uint64_t)(uintptr_t)mark.unit, (uint32_t)k->units.n);
        if (!hsc_map_get(&k->unit_of_tag, mark.tag))
            hsc_map_set(&k->unit_of_tag, mark.tag, (uint32_t)k->units.n);
    }
    return k->units.n > 0;
}

void hsc_link_close(hsc_pass *p) {
    hsc_link *k = p->link;
    if (!k)
        return;
    for (size_t i = 0; i < k->units.n; i++) {
        hsc_map_fini(&k->units.p[i].accesses);
        hsc_map_fini(&k->units.p[i].procedures);
    }
    free(k->units.p);
    hsc_map_fini(&k->unit_of_node);
    hsc_map_fini(&k->unit_of_tag);
    hsc_map_fini(&k->unit_of_subprogram);
    hsc_map_fini(&k->procedure_of_function);
    free(k);
    p->link = NULL;
}

static uint64_t name_key(const char *name, size_t n) {
    return hsc_pass_tag(0, "name", name, n);
}

/* ---- records of a unit ---------------------------------------------------------------------------------------------
 */

/* From the unit's ids to ours. */
typedef struct loading {
    hsc_pass *p;
    uint32_t number; /* of the unit */
    hsc_tags *tags;
    HSC_VECTOR(uint32_t) files, procedures;
    HSC_VECTOR(hsc_rec_procedure) procedure_records;
    HSC_VECTOR(hsc_rec_loop) loops;
    HSC_VECTOR(hsc_rec_callsite) calls;
} loading;

static link_unit *unit_of(const loading *l) {
    return &l->p->link->units.p[l->number - 1];
}

static uint32_t moved(const uint32_t *rows, size_t n, uint64_t id) {
    return id && id <= n ? rows[id - 1] : 0;
}

static uint32_t moved_site(const loading *l, uint64_t id) {
    const link_unit *u = unit_of(l);
    return id && id <= u->sites ? (uint32_t)(u->first + id) : 0;
}

static hsc_str dup_str(hsc_pass *p, hsc_str s) {
    return hsc_pass_dup(p, s.p, s.n);
}

static void fill_tag(loading *l, const hsc_record *r, void *copy) {
    hsc_err err;
    if (hsc_tags_fill(l->tags, r->record_id, copy, &err) != HSC_OK)
        hsc_ir_warn(l->p->module, err.text);
}

static void take(loading *l, const hsc_record *r) {
    hsc_pass *p = l->p;
    switch (r->record_id) {
    case HSC_REC_module: {
        hsc_rec_module m = *(const hsc_rec_module *)r->value;
        fill_tag(l, r, &m);
        unit_of(l)->early = (uint32_t)m.place_base;
        unit_of(l)->language = m.language;
        break;
    }
    case HSC_REC_file: {
        hsc_rec_file f = *(const hsc_rec_file *)r->value;
        fill_tag(l, r, &f);
        hsc_ir_file file = {.path = {f.path.p, f.path.n}, .directory = {f.directory.p, f.directory.n}};
        file.has_md5 = f.checksum.n == sizeof file.md5;
        if (file.has_md5)
            memcpy(file.md5, f.checksum.p, sizeof file.md5);
        uint32_t id = hsc_pass_file_of_path(p, &file);
        *HSC_VECTOR_ADD(l->files) = id;
        break;
    }
    case HSC_REC_procedure: {
        hsc_rec_procedure v = *(const hsc_rec_procedure *)r->value;
        fill_tag(l, r, &v);
        v.name = dup_str(p, v.name);
        v.linkage_name = dup_str(p, v.linkage_name);
        *HSC_VECTOR_ADD(l->procedure_records) = v;
        break;
    }
    case HSC_REC_loop: {
        hsc_rec_loop v = *(const hsc_rec_loop *)r->value;
        fill_tag(l, r, &v);
        v.induction = dup_str(p, v.induction);
        v.start = dup_str(p, v.start);
        v.bound = dup_str(p, v.bound);
        *HSC_VECTOR_ADD(l->loops) = v;
        break;
    }
    case HSC_REC_callsite: {
        hsc_rec_callsite v = *(const hsc_rec_callsite *)r->value;
        fill_tag(l, r, &v);
        v.callee = dup_str(p, v.callee);
        *HSC_VECTOR_ADD(l->calls) = v;
        break;
    }
    default:
        break;
    }
}

/* Procedures that other units have as well are one: one with code counts. */
static void add_procedures(loading *l) {
    hsc_pass *p = l->p;
    link_unit *u = unit_of(l);
    for (size_t i = 0; i < l->procedure_records.n; i++) {
        hsc_rec_procedure r = l->procedure_records.p[i];
        bool local = r.flags & HSC_procedure_flag_LOCAL;
        r.file_id = moved(l->files.p, l->files.n, r.file_id);
        uint32_t id = local ? 0 : hsc_pass_find_procedure(p, r.linkage_name.p, r.linkage_name.n);
        if (id && p->procedures.p[id - 1].flags & HSC_procedure_flag_LOCAL)
            id = 0;
        bool is_new = !id;
        if (is_new) {
            (void)HSC_VECTOR_ADD(p->procedures);
            id = (uint32_t)p->procedures.n;
        }
        hsc_rec_procedure *at = &p->procedures.p[id - 1];
        if (is_new || (at->flags & HSC_procedure_flag_DECLARED && !(r.flags & HSC_procedure_flag_DECLARED))) {
            r.parent_id = r.origin_id = 0;
            r.procedure_id = id;
            *at = r;
        }
        if (is_new && !local)
            hsc_pass_enter_procedure(p, id);
        *HSC_VECTOR_ADD(l->procedures) = id;
        hsc_map_set(&u->procedures, name_key(r.linkage_name.p, r.linkage_name.n), id);
    }
    for (size_t i = 0; i < l->procedures.n; i++) {
        hsc_rec_procedure *at = &p->procedures.p[l->procedures.p[i] - 1];
        uint32_t parent = moved(l->procedures.p, l->procedures.n, l->procedure_records.p[i].parent_id);
        uint32_t origin = moved(l->procedures.p, l->procedures.n, l->procedure_records.p[i].origin_id);
        at->parent_id = at->parent_id || parent == at->procedure_id ? at->parent_id : parent;
        at->origin_id = at->origin_id || origin == at->procedure_id ? at->origin_id : origin;
    }
}

static void add_sites(loading *l) {
    hsc_pass *p = l->p;
    link_unit *u = unit_of(l);
    uint64_t n = l->loops.n + l->calls.n;
    u->first = (uint32_t)p->sites.n;
    u->sites = (uint32_t)n;
    u->early = u->early < u->sites ? u->early : u->sites;
    for (uint64_t i = 0; i < n; i++)
        HSC_VECTOR_ADD(p->sites)->unit = l->number;
    for (size_t i = 0; i < l->loops.n; i++) {
        hsc_rec_loop r = l->loops.p[i];
        uint32_t id = moved_site(l, r.loop_id);
        if (!id)
            continue;
        r.loop_id = id;
        r.procedure_id = moved(l->procedures.p, l->procedures.n, r.procedure_id);
        r.parent_id = moved_site(l, r.parent_id);
        r.file_id = moved(l->files.p, l->files.n, r.file_id);
        p->sites.p[id - 1].is_loop = true;
        p->sites.p[id - 1].index = (uint32_t)p->loops.n;
        *HSC_VECTOR_ADD(p->loops) = r;
        if (!(r.flags & HSC_loop_flag_COMPILER))
            hsc_why_loop_begins(p, (uint32_t)r.file_id, (unsigned)r.line_begin, (unsigned)r.column_begin, id);
    }
    for (size_t i = 0; i < l->calls.n; i++) {
        hsc_rec_callsite r = l->calls.p[i];
        uint32_t id = moved_site(l, r.callsite_id);
        if (!id)
            continue;
        r.callsite_id = id;
        r.procedure_id = moved(l->procedures.p, l->procedures.n, r.procedure_id);
        r.loop_id = moved_site(l, r.loop_id);
        r.file_id = moved(l->files.p, l->files.n, r.file_id);
        p->sites.p[id - 1].index = (uint32_t)p->callsites.n;
        *HSC_VECTOR_ADD(p->callsites) = r;
    }
}

/* Each id is one loop or one call, and a loop's parent is a loop; anything else is no work of ours. */
static bool is_sound(const loading *l) {
    size_t n = l->loops.n + l->calls.n;
    uint8_t *kind = hsc_pass_alloc(n + 1);
    bool sound = l->p->sites.n + n <= UINT32_MAX - 2;
    for (size_t i = 0; i < l->loops.n && sound; i++) {
        uint64_t id = l->loops.p[i].loop_id;
        sound = id && id <= n && !kind[id];
        if (sound)
            kind[id] = 1;
    }
    for (size_t i = 0; i < l->calls.n && sound; i++) {
        uint64_t id = l->calls.p[i].callsite_id;
        sound = id && id <= n && !kind[id];
        if (sound)
            kind[id] = 2;
    }
    for (size_t i = 0; i < l->loops.n && sound; i++)
        sound = !l->loops.p[i].parent_id || (l->loops.p[i].parent_id <= n && kind[l->loops.p[i].parent_id] == 1);
    for (size_t i = 0; i < l->calls.n && sound; i++)
        sound = !l->calls.p[i].loop_id || (l->calls.p[i].loop_id <= n && kind[l->calls.p[i].loop_id] == 1);
    free(kind);
    return sound;
}

/* Twice through the records: accesses name sites by ids that are known after the first. */
static void load(hsc_pass *p, uint32_t number) {
    loading l = {.p = p, .number = number};
    link_unit *u = unit_of(&l);
    u->loaded = true;
    hsc_err no_tags;
    if (!(l.tags = hsc_tags_new(&no_tags))) {
        hsc_ir_warn(p->module, no_tags.text);
        return;
    }
    for (int round = 0; round < 2; round++) {
        hsc_reader *reader = NULL;
        hsc_record r;
        hsc_err err = {0};
        if (hsc_reader_open_memory(u->records.p, u->records.n, "heatscope.module", &reader, &err) != HSC_OK) {
            hsc_ir_warn(p->module, err.text);
            break;
        }
        while (hsc_reader_next(reader, &r)) {
            if (!r.value)
                continue;
            if (!round) {
                take(&l, &r);
            } else if (r.record_id == HSC_REC_early_access) {
                const hsc_rec_early_access *a = r.value;
                uint32_t site = moved_site(&l, a->loop_id);
                if (a->access)
                    hsc_map_set(&u->accesses, a->access, (uint32_t)a->count);
                else if (site)
                    p->sites.p[site - 1].copies_memory = true;
            }
        }
        hsc_reader_close(reader);
        if (!round && !is_sound(&l))
            break;
        if (!round) {
            add_procedures(&l);
            add_sites(&l);
        }
    }
    hsc_tags_free(l.tags);
    free(l.files.p);
    free(l.procedures.p);
    free(l.procedure_records.p);
    free(l.loops.p);
    free(l.calls.p);
}

static uint32_t number_of(hsc_pass *p, LLVMMetadataRef subprogram) {
    hsc_link *k = p->link;
    if (!subprogram)
        return 0;
    uint32_t known = hsc_map_get(&k->unit_of_subprogram, (uint64_t)(uintptr_t)subprogram);
    if (known)
        return known - 1;
    hsc_ir_subprogram s;
    hsc_ir_get_subprogram(subprogram, &s);
    uint32_t number = s.unit ? hsc_map_get(&k->unit_of_node, (uint64_t)(uintptr_t)s.unit) : 0;
    hsc_map_set(&k->unit_of_subprogram, (uint64_t)(uintptr_t)subprogram, number + 1);
    if (number && !k->units.p[number - 1].loaded)
        load(p, number);
    return number;
}

/* ---- sites ---------------------------------------------------------------------------------------------------------
 */

uint32_t hsc_link_early_id(hsc_pass *p, const hsc_ir_loc *loc) {
    uint32_t number = number_of(p, loc->subprogram);
    if (!number)
        return 0;
    const link_unit *u = &p->link->units.p[number - 1];
    return loc->early && loc->early <= u->early ? u->first + loc->early : 0;
}

uint32_t hsc_link_site(hsc_pass *p, uint64_t unit_tag, uint32_t id) {
    hsc_link *k = p->link;
    uint32_t number = unit_tag ? hsc_map_get(&k->unit_of_tag, unit_tag) : 0;
    if (!number)
        return 0;
    if (!k->units.p[number - 1].loaded)
        load(p, number);
    const link_unit *u = &k->units.p[number - 1];
    return id && id <= u->early ? u->first + id : 0;
}

uint64_t hsc_link_access(hsc_pass *p, LLVMValueRef instruction, const hsc_ir_loc *loc, uint32_t loop_id, unsigned *kind,
                         uint32_t *early) {
    uint32_t number = loop_id ? p->sites.p[loop_id - 1].unit : 0;
    *early = 0;
    if (!number)
        return 0;
    const link_unit *u = &p->link->units.p[number - 1];
    uint64_t key = hsc_pass_access_key(instruction, loc, loop_id - u->first, kind);
    if (!key)
        return 0;
    uint32_t count = hsc_map_get(&u->accesses, key);
    *early = count ? count : 1;
    return hsc_pass_tag(key, "unit", &number, sizeof number);
}

/* ---- procedures ----------------------------------------------------------------------------------------------------
 */

uint32_t hsc_link_procedure_of_subprogram(hsc_pass *p, LLVMMetadataRef subprogram) {
    uint32_t id = hsc_map_get(&p->procedure_by_subprogram, (uint64_t)(uintptr_t)subprogram);
    if (id)
        return id;
    hsc_ir_subprogram s;
    hsc_ir_get_subprogram(subprogram, &s);
    hsc_ir_text symbol = s.linkage_name.n ? s.linkage_name : s.name;
    uint32_t number = number_of(p, subprogram);
    if (number)
        id = hsc_map_get(&p->link->units.p[number - 1].procedures, name_key(symbol.p, symbol.n));
    else if (!s.is_local)
        id = hsc_pass_find_procedure(p, symbol.p, symbol.n);
    if (!id)
        id = hsc_pass_add_procedure(p, symbol.p, symbol.n, subprogram,
                                    HSC_procedure_flag_DECLARED | (s.is_local ? HSC_procedure_flag_LOCAL : 0));
    hsc_map_set(&p->procedure_by_subprogram, (uint64_t)(uintptr_t)subprogram, id);
    return id;
}

uint32_t hsc_link_procedure_of_function(hsc_pass *p, LLVMValueRef function) {
    hsc_link *k = p->link;
    uint64_t key = (uint64_t)(uintptr_t)function;
    uint32_t id = hsc_map_get(&k->procedure_of_function, key);
    if (id)
        return id;
    LLVMMetadataRef subprogram = hsc_ir_get_function_subprogram(function);
    hsc_ir_text name = hsc_ir_get_name(function);
    uint32_t number = number_of(p, subprogram);
    if (number) {
        const hsc_map *names = &k->units.p[number - 1].procedures;
        id = hsc_map_get(names, name_key(name.p, name.n));
        for (size_t n = name.n, shorter; !id && (shorter = hsc_linkage_without_number(name.p, n)) < n; n = shorter)
            id = hsc_map_get(names, name_key(name.p, shorter));
    } else {
        id = hsc_pass_find_procedure(p, name.p, name.n);
    }
    if (!id) {
        uint32_t origin = subprogram ? hsc_link_procedure_of_subprogram(p, subprogram) : 0;
        id = hsc_pass_add_procedure(p, name.p, name.n, subprogram, hsc_pass_flags_of_linkage(function));
        if (origin && origin != id) { /* specialised, or split off */
            p->procedures.p[id - 1].origin_id = origin;
            p->procedures.p[id - 1].flags |= HSC_procedure_flag_CLONE;
            hsc_map_set(&p->procedure_by_subprogram, (uint64_t)(uintptr_t)subprogram, origin);
        }
    }
    hsc_map_set(&k->procedure_of_function, key, id);
    return id;
}

/* ---- the look ------------------------------------------------------------------------------------------------------
 */

/* That of all units with code here; 0: they have several. */
static unsigned language_of(const hsc_link *k) {
    const link_unit *first = NULL;
    for (size_t i = 0; i < k->units.n; i++) {
        const link_unit *u = &k->units.p[i];
        if (u->is_here && first && u->language != first->language)
            return 0;
        first = u->is_here && !first ? u : first;
    }
    return first ? (unsigned)first->language : 0;
}

void hsc_link_late(hsc_pass *p) {
    hsc_link *k = p->link;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage)
            continue;
        uint32_t number = number_of(p, hsc_ir_get_function_subprogram(f));
        if (!number || !k->units.p[number - 1].sites)
            continue;
        k->units.p[number - 1].is_here = true;
        hsc_late_function(p, f);
    }
    size_t n = 0;
    const char *name = LLVMGetModuleIdentifier(p->module, &n);
    p->unit.name = (hsc_ir_text){name, n};
    p->unit.directory = (hsc_ir_text){"", 0};
    p->unit.language = language_of(k);
    p->module_flags = HSC_module_flag_LINK_TIME;
    p->module_tag = hsc_pass_tag(0, "linked", name, n);
    for (size_t i = 0; i < k->units.n; i++)
        if (k->units.p[i].is_here) {
            HSC_VECTOR_ADD(p->link_units)->unit_tag = k->units.p[i].tag;
            p->module_tag = hsc_pass_tag(p->module_tag, "unit", &k->units.p[i].tag, sizeof k->units.p[i].tag);
        }
    if (!p->link_units.n)
        return;
    hsc_link_prune(p);
    hsc_emit_map(p);
}
