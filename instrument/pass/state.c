/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of one module: memory, tables, files, procedures, control flow. */
#include "pass.h"
#include "at_link.h"
#include "probe.h"

#include <heatscope/formats/linkage.h>
#include <heatscope/formats/tags.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory -------------------------------------------------------------------------------------------------------- */

void *hsc_pass_alloc(size_t bytes) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) /* a compiler without memory has no way on: LLVM's own allocators end it as well */
        abort();
    return p;
}

struct hsc_arena_block {
    struct hsc_arena_block *next;
    size_t unused; /* keeps the contents aligned to 16 */
};

void *hsc_arena_take(hsc_arena *a, size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if (!a->blocks || a->size - a->used < bytes) {
        size_t size = a->size < 2048 ? 4096 : a->size < 32768 ? 2 * a->size : 65536;
        if (size < bytes)
            size = bytes;
        struct hsc_arena_block *b = hsc_pass_alloc(sizeof *b + size);
        b->next = a->blocks;
        a->blocks = b;
        a->used = 0;
        a->size = size;
    }
    void *p = (char *)(a->blocks + 1) + a->used;
    a->used += bytes;
    return p;
}

void hsc_arena_fini(hsc_arena *a) {
    while (a->blocks) {
        struct hsc_arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
}

void *hsc_vector_grow(void *p, size_t *capacity, size_t n, size_t item) {
    if (n == *capacity) {
        *capacity = n ? 2 * n : 16;
        p = realloc(p, *capacity * item);
        if (!p)
            abort();
    }
    memset((char *)p + n * item, 0, item);
    return p;
}

static size_t slot_of(const hsc_map *m, uint64_t key) {
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(h >> 32) & (m->capacity - 1);
    while (m->keys[i] && m->keys[i] != key)
        i = (i + 1) & (m->capacity - 1);
    return i;
}

uint32_t hsc_map_get(const hsc_map *m, uint64_t key) {
    if (!m->capacity)
        return 0;
    size_t i = slot_of(m, key);
    return m->keys[i] ? m->values[i] : 0;
}

void hsc_map_set(hsc_map *m, uint64_t key, uint32_t value) {
    if (2 * (m->used + 1) > m->capacity) {
        hsc_map old = *m;
        m->capacity = old.capacity ? 2 * old.capacity : 64;
        m->keys = hsc_pass_alloc(m->capacity * sizeof *m->keys);
        m->values = hsc_pass_alloc(m->capacity * sizeof *m->values);
        for (size_t i = 0; i < old.capacity; i++)
            if (old.keys[i]) {
                size_t k = slot_of(m, old.keys[i]);
                m->keys[k] = old.keys[i];
                m->values[k] = old.values[i];
            }
        free(old.keys);
        free(old.values);
    }
    size_t i = slot_of(m, key);
    m->used += !m->keys[i];
    m->keys[i] = key;
    m->values[i] = value;
}

void hsc_map_clear(hsc_map *m) {
    if (m->used)
        memset(m->keys, 0, m->capacity * sizeof *m->keys);
    m->used = 0;
}

void hsc_map_fini(hsc_map *m) {
    free(m->keys);
    free(m->values);
}

hsc_str hsc_pass_dup(hsc_pass *p, const char *text, size_t n) {
    if (n >= HSC_STRING_MAX_BYTES)
        n = HSC_STRING_MAX_BYTES - 1;
    char *copy = hsc_arena_take(&p->arena, n + 1);
    if (n)
        memcpy(copy, text, n);
    return (hsc_str){copy, n};
}

uint64_t hsc_pass_tag(uint64_t seed, const char *kind, const void *bytes, size_t n) {
    return hsc_tag(seed, kind, bytes, n);
}

/* An address, or a descriptor that has one: read on the way to an element, and mostly before the loop once it is optimised. */
static bool leads_on(LLVMValueRef load) {
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind)
        kind = LLVMGetTypeKind(LLVMGetElementType(type));
    return kind == LLVMPointerTypeKind || kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
}

uint64_t hsc_pass_access_key(LLVMValueRef instruction, const hsc_ir_loc *loc, uint32_t loop_id, unsigned *kind) {
    LLVMOpcode o = LLVMGetInstructionOpcode(instruction);
    *kind = o == LLVMStore ? 0 : o == LLVMLoad ? leads_on(instruction) ? 3 : 1 : 2;
    if (o == LLVMStore || o == LLVMLoad) {
        LLVMValueRef address = LLVMGetOperand(instruction, o == LLVMStore ? 1 : 0);
        if (LLVMIsAAllocaInst(address) || (o == LLVMLoad && LLVMIsAGlobalVariable(address)))
            return 0; /* a variable: will live in a register, or may */
    }
    if (!loop_id || !loc->line ||
        (*kind == 2 && o != LLVMCall && o != LLVMFAdd && o != LLVMFSub && o != LLVMFMul && o != LLVMFDiv))
        return 0;
    unsigned line = 0, column = 0; /* of the block; of no account where the scope is the procedure, which the loop tells */
    hsc_ir_get_block_start(loc->scope, &line, &column);
    uint64_t v[4] = {(uint64_t)o | (uint64_t)*kind << 32, loop_id, (uint64_t)loc->line << 32 | loc->column, (uint64_t)line << 32 | column};
    return hsc_pass_tag(0, "access", v, sizeof v);
}

uint32_t hsc_pass_early_id(hsc_pass *p, const hsc_ir_loc *loc) {
    if (!p->keyed || !loc->node || !loc->early)
        return 0;
    if (p->link)
        return hsc_link_early_id(p, loc);
    return loc->early <= p->sites.n ? loc->early : 0;
}

uint32_t hsc_pass_loop_of_key(hsc_pass *p, uint64_t module_tag, uint32_t key_id) {
    uint32_t id = p->link ? hsc_link_site(p, module_tag, key_id)
                          : key_id && module_tag == p->module_tag && key_id <= p->sites.n ? key_id : 0;
    return id && p->sites.p[id - 1].is_loop ? id : 0;
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

uint32_t hsc_pass_file(hsc_pass *p, LLVMMetadataRef file) {
    if (!file)
        return 0;
    uint32_t id = hsc_map_get(&p->file_by_node, (uint64_t)(uintptr_t)file);
    if (id)
        return id;
    hsc_ir_file f;
    hsc_ir_get_file(file, &f);
    id = hsc_pass_file_of_path(p, &f);
    hsc_map_set(&p->file_by_node, (uint64_t)(uintptr_t)file, id);
    return id;
}

uint32_t hsc_pass_file_of_path(hsc_pass *p, const hsc_ir_file *file) {
    hsc_ir_file f = *file;
    /* flang names one file in several ways: the whole path counts */
    bool absolute = f.path.n && f.path.p[0] == '/';
    uint64_t key = absolute ? 0 : hsc_hash64(hsc_hash64(0, f.directory.p, f.directory.n), "/", 1);
    key = hsc_hash64(key, f.path.p, f.path.n);
    key += !key;
    uint32_t id = hsc_map_get(&p->file_by_path, key);
    if (!id) {
        hsc_rec_file *r = HSC_VECTOR_ADD(p->files);
        (void)HSC_VECTOR_ADD(p->sources);
        id = (uint32_t)p->files.n;
        r->file_id = id;
        r->path = hsc_pass_dup(p, f.path.p, f.path.n);
        r->directory = hsc_pass_dup(p, f.directory.p, f.directory.n);
        if (f.has_md5) {
            hsc_str sum = hsc_pass_dup(p, (const char *)f.md5, sizeof f.md5);
            r->checksum = (hsc_bytes){(const uint8_t *)sum.p, sum.n};
        }
        hsc_map_set(&p->file_by_path, key, id);
    }
    return id;
}

/* ---- procedures ---------------------------------------------------------------------------------------------------- */

/* Where the name is in the table, or would be put. */
static uint64_t name_key(const hsc_pass *p, const char *name, size_t n, uint32_t *id) {
    uint64_t key = hsc_pass_tag(0, "name", name, n);
    for (;; key += key == UINT64_MAX ? 2 : 1) {
        *id = hsc_map_get(&p->procedure_by_name, key);
        if (!*id)
            return key;
        const hsc_str *s = &p->procedures.p[*id - 1].linkage_name;
        if (s->n == n && !memcmp(s->p, name, n))
            return key;
    }
}

uint32_t hsc_pass_find_procedure(const hsc_pass *p, const char *linkage_name, size_t n) {
    uint32_t id;
    name_key(p, linkage_name, n, &id);
    return id;
}

void hsc_pass_enter_procedure(hsc_pass *p, uint32_t id) {
    uint32_t known;
    const hsc_str *name = &p->procedures.p[id - 1].linkage_name;
    uint64_t key = name_key(p, name->p, name->n, &known);
    hsc_map_set(&p->procedure_by_name, key, id);
}

uint32_t hsc_pass_add_procedure(hsc_pass *p, const char *symbol, size_t n, LLVMMetadataRef subprogram, uint64_t flags) {
    uint32_t id = 0;
    uint64_t key = name_key(p, symbol, n, &id);
    (void)HSC_VECTOR_ADD(p->procedures);
    id = (uint32_t)p->procedures.n;
    hsc_rec_procedure r = {.procedure_id = id, .flags = flags};
    hsc_ir_text source_name = {NULL, 0};
    r.linkage_name = hsc_pass_dup(p, symbol, n);
    if (subprogram) {
        hsc_ir_subprogram s;
        hsc_ir_get_subprogram(subprogram, &s);
        source_name = s.name;
        r.file_id = hsc_pass_file(p, s.file);
        r.line_begin = r.line_end = s.line;
        if (s.is_artificial)
            r.flags |= HSC_procedure_flag_ARTIFICIAL;
        if (s.is_main)
            r.flags |= HSC_procedure_flag_MAIN;
    }
    if (hsc_names_is_outlined(symbol, n))
        r.flags |= HSC_procedure_flag_OUTLINED;
    if (memmem(symbol, n, ".omp.reduction.", 15))
        r.flags |= HSC_procedure_flag_ARTIFICIAL;
    if (p->is_fortran && n == 4 && !memcmp(symbol, "main", 4)) /* flang's own, calls the program */
        r.flags |= HSC_procedure_flag_ARTIFICIAL;
    if ((n == 7 && !memcmp(symbol, "_QQmain", 7)) || (n == 4 && !memcmp(symbol, "main", 4) && !p->is_fortran))
        r.flags |= HSC_procedure_flag_MAIN;
    char program[128];
    if ((r.flags & HSC_procedure_flag_MAIN) && p->is_fortran)
        r.name = hsc_source_fortran_program(p, (uint32_t)r.file_id, (unsigned)r.line_begin, program, sizeof program)
                     ? hsc_pass_dup(p, program, strlen(program))
                     : hsc_pass_dup(p, "main program", 12);
    else
        r.name = hsc_pass_source_name(p, r.linkage_name.p, source_name);
    uint64_t seed = 0;
    if (r.flags & HSC_procedure_flag_LOCAL) { /* local names may recur in other files */
        const hsc_str *path = r.file_id ? &p->files.p[r.file_id - 1].path : NULL;
        seed = path ? hsc_pass_tag(0, "file", path->p, path->n) : hsc_pass_tag(0, "file", p->unit.name.p, p->unit.name.n);
    }
    r.tag = hsc_pass_tag(seed, "procedure", symbol, n);
    p->procedures.p[id - 1] = r;
    hsc_map_set(&p->procedure_by_name, key, id);
    if (subprogram)
        hsc_map_set(&p->procedure_by_subprogram, (uint64_t)(uintptr_t)subprogram, id);
    return id;
}

uint64_t hsc_pass_flags_of_linkage(LLVMValueRef function) {
    switch (LLVMGetLinkage(function)) {
    case LLVMInternalLinkage:
    case LLVMPrivateLinkage:
        return HSC_procedure_flag_LOCAL;
    case LLVMLinkOnceAnyLinkage:
    case LLVMLinkOnceODRLinkage:
    case LLVMWeakAnyLinkage:
    case LLVMWeakODRLinkage:
        return HSC_procedure_flag_COMDAT;
    case LLVMAvailableExternallyLinkage:
        return HSC_procedure_flag_DECLARED;
    default:
        return 0;
    }
}

uint32_t hsc_pass_procedure_of_function(hsc_pass *p, LLVMValueRef function) {
    if (p->link)
        return hsc_link_procedure_of_function(p, function);
    hsc_ir_text name = hsc_ir_get_name(function);
    uint32_t id = hsc_pass_find_procedure(p, name.p, name.n);
    if (id)
        return id;
    return hsc_pass_add_procedure(p, name.p, name.n, hsc_ir_get_function_subprogram(function),
                                  hsc_pass_flags_of_linkage(function));
}

uint32_t hsc_pass_procedure_of_subprogram(hsc_pass *p, LLVMMetadataRef subprogram) {
    if (!subprogram)
        return 0;
    if (p->link)
        return hsc_link_procedure_of_subprogram(p, subprogram);
    uint32_t id = hsc_map_get(&p->procedure_by_subprogram, (uint64_t)(uintptr_t)subprogram);
    if (id)
        return id;
    hsc_ir_subprogram s;
    hsc_ir_get_subprogram(subprogram, &s);
    hsc_ir_text symbol = s.linkage_name.n ? s.linkage_name : s.name;
    id = hsc_pass_find_procedure(p, symbol.p, symbol.n);
    if (id)
        hsc_map_set(&p->procedure_by_subprogram, (uint64_t)(uintptr_t)subprogram, id);
    else
        id = hsc_pass_add_procedure(p, symbol.p, symbol.n, subprogram,
                                    HSC_procedure_flag_DECLARED | (s.is_local ? HSC_procedure_flag_LOCAL : 0));
    return id;
}

/* The first function of the module that mentions `function` in its code; NULL: none. */
static LLVMValueRef user_of(LLVMValueRef function) {
    for (LLVMUseRef u = LLVMGetFirstUse(function); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user))
            return LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    }
    return NULL;
}

static bool is_debug_twin(const hsc_rec_procedure *r) {
    return memmem(r->linkage_name.p, r->linkage_name.n, "omp_outlined_debug__", 20) != NULL;
}

/* Finds who contains outlined OpenMP regions and Fortran internal procedures, names the regions after them, and makes
 * their tags depend on their place in the parent, not on a number that the compiler counts through the module. */
void hsc_pass_link_outlined(hsc_pass *p) {
    size_t n = p->procedures.n;
    unsigned *ordinal = hsc_pass_alloc((n + 1) * sizeof *ordinal);
    char host[1024];
    for (size_t i = 0; i < n; i++) {
        hsc_rec_procedure *r = &p->procedures.p[i];
        if (r->flags & HSC_procedure_flag_OUTLINED) {
            LLVMValueRef function = LLVMGetNamedFunction(p->module, r->linkage_name.p);
            LLVMValueRef user = function ? user_of(function) : NULL;
            if (user)
                r->parent_id = hsc_pass_procedure_of_function(p, user);
            if (r->parent_id == r->procedure_id)
                r->parent_id = 0;
        } else if (p->is_fortran && hsc_names_fortran_host(r->linkage_name.p, host, sizeof host)) {
            r->parent_id = hsc_pass_find_procedure(p, host, strlen(host));
        }
    }
    /* clang writes a region twice with -g, one a wrapper of the other: the inner one is a sibling at the same line. */
    for (size_t i = 0; i < n; i++) {
        hsc_rec_procedure *r = &p->procedures.p[i];
        if (!(r->flags & HSC_procedure_flag_OUTLINED) || !is_debug_twin(r) || !r->parent_id)
            continue;
        const hsc_rec_procedure *wrapper = &p->procedures.p[r->parent_id - 1];
        if (!(wrapper->flags & HSC_procedure_flag_OUTLINED) || is_debug_twin(wrapper))
            continue;
        r->parent_id = wrapper->parent_id;
        r->line_begin = wrapper->line_begin;
        r->file_id = wrapper->file_id;
    }
    /* Regions in regions: parents first, by rounds; each round names those whose parent is named. */
    bool *named = hsc_pass_alloc(n + 1);
    for (size_t i = 0; i < n; i++)
        named[i] = !(p->procedures.p[i].flags & HSC_procedure_flag_OUTLINED);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < n; i++) {
            hsc_rec_procedure *r = &p->procedures.p[i];
            if (named[i] || !r->parent_id || !named[r->parent_id - 1])
                continue;
            const hsc_rec_procedure *parent = &p->procedures.p[r->parent_id - 1];
            unsigned place[2] = {ordinal[r->parent_id - 1]++, is_debug_twin(r)};
            r->tag = hsc_pass_tag(parent->tag, "region", place, sizeof place);
            named[i] = again = true;
        }
    }
    free(named);
    free(ordinal);
}

/* "solve [omp@42]": the procedure of the source and the line of the directive. After the lines are known. */
void hsc_pass_name_outlined(hsc_pass *p) {
    for (size_t i = 0; i < p->procedures.n; i++) {
        hsc_rec_procedure *r = &p->procedures.p[i];
        const hsc_rec_procedure *root = r;
        if (!(r->flags & HSC_procedure_flag_OUTLINED) || !r->parent_id)
            continue;
        for (size_t steps = 0; (root->flags & HSC_procedure_flag_OUTLINED) && root->parent_id && steps < 64; steps++)
            root = &p->procedures.p[root->parent_id - 1];
        if (root->flags & HSC_procedure_flag_OUTLINED)
            continue;
        size_t size = root->name.n + 40;
        char *name = hsc_arena_take(&p->arena, size);
        int n = r->line_begin ? snprintf(name, size, "%s [omp@%u]", root->name.p, (unsigned)r->line_begin)
                              : snprintf(name, size, "%s [omp]", root->name.p);
        r->name = (hsc_str){name, (size_t)n};
    }
}

/* ---- module -------------------------------------------------------------------------------------------------------- */

void hsc_pass_make_module_tag(hsc_pass *p) {
    uint64_t tag = hsc_pass_tag(0, "module", p->unit.directory.p, p->unit.directory.n);
    tag = hsc_pass_tag(tag, "name", p->unit.name.p, p->unit.name.n);
    tag = hsc_pass_tag(tag, "producer", p->unit.producer.p, p->unit.producer.n);
    tag = hsc_pass_tag(tag, "level", p->level, strlen(p->level));
    /* two compilations of one file with other options (-D...) nearly always differ in these */
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
        hsc_ir_text name = hsc_ir_get_name(f);
        uint32_t blocks = LLVMCountBasicBlocks(f);
        tag = hsc_pass_tag(tag, "function", name.p, name.n);
        tag = hsc_pass_tag(tag, "blocks", &blocks, sizeof blocks);
    }
    if (p->unit.for_link)
        tag = hsc_pass_tag(tag, "for the linker", "", 0);
    p->module_tag = tag;
}

/* DW_LANG codes */
static bool is_fortran_language(unsigned l) {
    return l == 0x07 || l == 0x08 || l == 0x0e || l == 0x22 || l == 0x23 || l == 0x2d;
}

static bool is_cxx_language(unsigned l) {
    return l == 0x04 || l == 0x1a || l == 0x21 || l == 0x2b || l == 0x3a;
}

hsc_pass *hsc_pass_new(LLVMModuleRef module, const char *level, bool profile_discriminators) {
    hsc_pass *p = hsc_pass_alloc(sizeof *p);
    p->module = module;
    p->context = LLVMGetModuleContext(module);
    p->level = level;
    hsc_ir_get_unit(module, &p->unit);
    p->is_fortran = is_fortran_language(p->unit.language);
    p->is_cxx = is_cxx_language(p->unit.language);
    p->skip = p->unit.has_map || !p->unit.is_elf;
    if (!getcwd(p->work_directory, sizeof p->work_directory))
        p->work_directory[0] = 0;
    bool samples = profile_discriminators || p->unit.profile_discriminators;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !samples; f = LLVMGetNextFunction(f))
        samples = hsc_ir_uses_sample_profile(f);
    if (!p->unit.has_lines) {
        p->module_flags |= HSC_module_flag_NO_DEBUG_INFO;
        if (!p->unit.units) {
            size_t n = 0;
            p->unit.name.p = LLVMGetSourceFileName(module, &n);
            p->unit.name.n = n;
            p->unit.directory = (hsc_ir_text){p->work_directory, strlen(p->work_directory)};
        }
    }
    if (samples)
        p->module_flags |= HSC_module_flag_PROFILE_DISCRIMINATORS;
    /* older line tables have no discriminators */
    p->keyed = p->unit.has_lines && !samples && (!p->unit.dwarf_version || p->unit.dwarf_version >= 4);
    p->for_link = p->unit.for_link && p->keyed;
    if (p->unit.for_link)
        p->module_flags |= HSC_module_flag_FOR_LINK;
    if (!p->skip)
        hsc_probe_begin(p);
    return p;
}

bool hsc_pass_has_probes(const hsc_pass *p) {
    return p->probes != NULL;
}

LLVMModuleRef hsc_pass_get_module(const hsc_pass *p) {
    return p->module;
}

bool hsc_pass_is_unoptimised(const hsc_pass *p) { return !strcmp(p->level, "O0"); }

void hsc_pass_take_unoptimised(hsc_pass *p, LLVMValueRef function) {
    hsc_ir_text name = hsc_ir_get_name(function);
    uint32_t id = p->skip || p->link ? 0 : hsc_pass_find_procedure(p, name.p, name.n);
    if (id)
        p->procedures.p[id - 1].flags |= HSC_procedure_flag_UNOPTIMISED;
}

void hsc_pass_early(hsc_pass *p) {
    if (p->skip)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            hsc_pass_procedure_of_function(p, f);
    hsc_pass_link_outlined(p);
    hsc_pass_make_module_tag(p);
    /* who contains comes before what is contained: lines of regions are seen from outside */
    size_t n = p->procedures.n;
    bool *done = hsc_pass_alloc(n + 1);
    for (unsigned round = 0; round < 8; round++)
        for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
            if (LLVMIsDeclaration(f))
                continue;
            uint32_t id = hsc_pass_procedure_of_function(p, f);
            const hsc_rec_procedure *r = &p->procedures.p[id - 1];
            bool waits = round < 7 && (r->flags & HSC_procedure_flag_OUTLINED) && r->parent_id && !done[r->parent_id - 1];
            if (id > n || done[id - 1] || waits)
                continue;
            hsc_early_function(p, f);
            done[id - 1] = true;
        }
    free(done);
    hsc_called_fini(p);
    hsc_data_module(p);
    hsc_openmp_place_regions(p);
    hsc_pass_name_outlined(p);
    hsc_openmp_finish(p);
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            hsc_probe_early(p, f);
}

hsc_pass *hsc_pass_new_at_link(LLVMModuleRef module, const char *level, bool whole) {
    hsc_pass *p = hsc_pass_alloc(sizeof *p);
    p->module = module;
    p->context = LLVMGetModuleContext(module);
    p->level = level;
    p->keyed = true;
    hsc_ir_get_unit(module, &p->unit);
    if (p->unit.is_elf && hsc_link_open(p, whole))
        return p;
    hsc_pass_free(p);
    return NULL;
}

void hsc_pass_late(hsc_pass *p, const void *analyses) {
    if (p->skip)
        return;
    p->analyses = analyses;
    if (p->link) {
        hsc_link_late(p);
        return;
    }
    p->place_base = p->for_link ? (uint32_t)p->sites.n : 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage)
            hsc_late_function(p, f);
    hsc_probe_end(p);
    hsc_kept_finish(p);
    hsc_emit_map(p);
    hsc_emit_mark(p);
}

void hsc_pass_free(hsc_pass *p) {
    if (!p)
        return;
    hsc_probe_fini(p);
    hsc_link_close(p);
    for (size_t i = 0; i < p->sources.n; i++)
        hsc_source_fini(&p->sources.p[i]);
    free(p->files.p);
    free(p->sources.p);
    free(p->procedures.p);
    free(p->loops.p);
    free(p->link_units.p);
    free(p->callsites.p);
    free(p->sites.p);
    free(p->instances.p);
    free(p->places.p);
    free(p->inlines.p);
    free(p->values.p);
    free(p->symbolics.p);
    free(p->arrays.p);
    free(p->references.p);
    free(p->messages.p);
    free(p->sections.p);
    free(p->datatypes.p);
    free(p->message_links.p);
    free(p->array_arguments.p);
    free(p->messages_seen.p);
    hsc_map_fini(&p->value_of_number);
    hsc_map_fini(&p->array_of_global);
    hsc_map_fini(&p->kept);
    hsc_map_fini(&p->accesses);
    hsc_why_fini(p);
    free(p->directives.p);
    free(p->runtime_calls.p);
    hsc_map_fini(&p->directive_at);
    hsc_map_fini(&p->trips_seen);
    hsc_map_fini(&p->tail_call_of);
    hsc_map_fini(&p->loop_of_call);
    hsc_map_fini(&p->file_by_node);
    hsc_map_fini(&p->file_by_path);
    hsc_map_fini(&p->procedure_by_name);
    hsc_map_fini(&p->procedure_by_subprogram);
    hsc_arena_fini(&p->arena);
    free(p);
}

/* ---- control flow -------------------------------------------------------------------------------------------------- */

void hsc_graph_init(hsc_graph *g, LLVMValueRef function) {
    unsigned n = LLVMCountBasicBlocks(function), edges = 0;
    hsc_map number = {0};
    g->blocks = n;
    g->block = hsc_pass_alloc(n * sizeof *g->block);
    LLVMGetBasicBlocks(function, g->block);
    for (unsigned b = 0; b < n; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
        edges += end ? LLVMGetNumSuccessors(end) : 0;
        hsc_map_set(&number, (uint64_t)(uintptr_t)g->block[b], b + 1);
    }
    unsigned *u = hsc_pass_alloc((n + 1 + edges + n + HSC_CFG_WORK(n)) * sizeof *u);
    g->memory = u;
    g->first = u;
    g->successor = u + n + 1;
    g->loop_of = g->successor + edges;
    unsigned *work = g->loop_of + n;
    edges = 0;
    for (unsigned b = 0; b < n; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[b]);
        g->first[b] = edges;
        for (unsigned s = 0, k = end ? LLVMGetNumSuccessors(end) : 0; s < k; s++)
            g->successor[edges++] = hsc_map_get(&number, (uint64_t)(uintptr_t)LLVMGetSuccessor(end, s)) - 1;
    }
    g->first[n] = edges;
    g->loops = hsc_pass_alloc(n * sizeof *g->loops);
    hsc_cfg cfg = {n, g->first, g->successor};
    g->n_loops = hsc_cfg_find_loops(&cfg, g->loop_of, g->loops, work);
    hsc_map_fini(&number);
}

void hsc_graph_fini(hsc_graph *g) {
    free(g->block);
    free(g->memory);
    free(g->loops);
}

bool hsc_graph_is_in(const hsc_graph *g, unsigned block, unsigned loop) {
    for (unsigned l = g->loop_of[block]; l != HSC_CFG_NONE; l = g->loops[l].parent)
        if (l == loop)
            return true;
    return false;
}

static uint64_t mix(uint64_t h) { /* the last step of SplitMix64 */
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

uint64_t hsc_pass_key(const char *kind, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t h = 0;
    for (const char *k = kind; *k; k++)
        h = h * 31 + (unsigned char)*k;
    h = mix((mix((mix(h ^ a) + 0x9e3779b97f4a7c15u) ^ b) + 0x9e3779b97f4a7c15u) ^ c);
    return h + !h;
}

uint32_t hsc_pass_late_procedure(hsc_pass *p, LLVMValueRef function, LLVMMetadataRef subprogram) {
    size_t before = p->procedures.n;
    uint32_t id = hsc_pass_procedure_of_function(p, function);
    if (id <= before || !subprogram || p->link)
        return id;
    hsc_ir_subprogram s;
    hsc_ir_get_subprogram(subprogram, &s);
    hsc_ir_text symbol = s.linkage_name.n ? s.linkage_name : s.name;
    uint32_t origin = hsc_pass_find_procedure(p, symbol.p, symbol.n);
    if (!origin || origin == id) /* what was split off has a subprogram of its own, named as the piece is */
        origin = hsc_pass_find_procedure(p, symbol.p, hsc_linkage_whole(symbol.p, symbol.n));
    if (origin && origin != id) {
        p->procedures.p[id - 1].origin_id = origin;
        p->procedures.p[id - 1].flags |= HSC_procedure_flag_CLONE;
    }
    return id;
}
