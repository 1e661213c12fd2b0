/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which modules the processes ran, which distinct addresses were met, and what is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "join_internal.h"

static int by_path(const void *pa, const void *pb) {
    const jmodule *a = pa, *b = pb;
    if (a->is_main != b->is_main)
        return a->is_main ? -1 : 1;
    int c = strcmp(a->path, b->path);
    if (c)
        return c;
    size_t n = a->build_id_size < b->build_id_size ? a->build_id_size : b->build_id_size;
    c = n ? memcmp(a->build_id, b->build_id, n) : 0;
    if (c)
        return c;
    if (a->build_id_size != b->build_id_size)
        return a->build_id_size < b->build_id_size ? -1 : 1;
    if (a->file_size != b->file_size)
        return a->file_size < b->file_size ? -1 : 1;
    return a->file_mtime_ns < b->file_mtime_ns ? -1 : a->file_mtime_ns > b->file_mtime_ns;
}

static bool is_same_file(const jmodule *a, const jmodule *b) {
    if (strcmp(a->path, b->path) || a->build_id_size != b->build_id_size)
        return false;
    if (a->build_id_size)
        return !memcmp(a->build_id, b->build_id, a->build_id_size);
    return a->file_size == b->file_size && a->file_mtime_ns == b->file_mtime_ns;
}

static jmodule module_of(const jprocess *p, const jmapping *m) {
    return (jmodule){.path = m->path,
                     .build_id = m->build_id,
                     .build_id_size = m->build_id_size,
                     .file_size = m->file_size,
                     .file_mtime_ns = m->file_mtime_ns,
                     .is_main = !strcmp(p->executable, m->path)};
}

/* The modules with samples, the program first, each once. */
/* Other events, or what wrappers counted, without a call path. */
static bool has_unplaced(const jthread *t) {
    for (size_t i = 0; i < t->other_counts.capacity; i++)
        if (t->other_counts.slots[i].used && t->other_counts.slots[i].a == HSC_NO_INDEX)
            return true;
    return false;
}

static hsc_status find_modules(join *j, hsc_err *err) {
    bool unknown = false;
    for (size_t i = 0; i < j->run.n; i++) {
        jprocess *p = j->run.p[i];
        for (size_t k = 0; k < p->threads.n; k++)
            for (size_t n = 0; n < p->threads.p[k].nodes.n; n++) {
                uint32_t m = p->threads.p[k].nodes.p[n].mapping;
                unknown = unknown || m == HSC_NO_INDEX;
                if (m != HSC_NO_INDEX)
                    p->mappings.p[m].module = 0; /* used */
            }
        for (size_t k = 0; k < p->mappings.n; k++) {
            if (p->mappings.p[k].module)
                continue;
            jmodule module = module_of(p, &p->mappings.p[k]);
            size_t at = 0;
            while (at < j->modules.n && !is_same_file(&j->modules.p[at], &module))
                at++;
            if (at < j->modules.n)
                j->modules.p[at].is_main |= module.is_main;
            else if (!HSC_PUSH(j->modules, module))
                return hsc_join_no_memory(err);
        }
    }
    if (j->modules.n > 1)
        qsort(j->modules.p, j->modules.n, sizeof *j->modules.p, by_path);
    for (size_t i = 0; i < j->run.n; i++)
        for (size_t k = 0; k < j->run.p[i]->mappings.n; k++) {
            jmapping *m = &j->run.p[i]->mappings.p[k];
            jmodule module = module_of(j->run.p[i], m);
            for (uint32_t at = 0; m->module == 0 && at < j->modules.n; at++)
                if (is_same_file(&j->modules.p[at], &module)) {
                    m->module = at;
                    break;
                }
        }
    j->unknown_module = HSC_NO_INDEX;
    for (size_t i = 0; i < j->run.n; i++)
        for (size_t k = 0; k < j->run.p[i]->threads.n; k++)
            unknown = unknown || j->run.p[i]->threads.p[k].no_path || has_unplaced(&j->run.p[i]->threads.p[k]);
    if (unknown) {
        j->unknown_module = (uint32_t)j->modules.n;
        if (!HSC_PUSH(j->modules, (jmodule){.path = "[unknown]", .build_id = (const uint8_t *)""}))
            return hsc_join_no_memory(err);
    }
    return HSC_OK;
}

static hsc_status find_places(join *j, hsc_err *err) {
    for (size_t i = 0; i < j->threads.n; i++) {
        jthread *t = j->threads.p[i];
        jprocess *p = t->process;
        for (size_t n = 0; n < t->nodes.n; n++) {
            jnode *node = &t->nodes.p[n];
            uint32_t module = node->mapping == HSC_NO_INDEX ? j->unknown_module : p->mappings.p[node->mapping].module;
            bool exact = node->flags & HSC_node_flag_EXACT;
            uint32_t *at = hsc_table_at(&j->place_rows, (uint64_t)module << 1 | exact, node->address);
            if (!at)
                return hsc_join_no_memory(err);
            if (*at == HSC_NO_INDEX) {
                *at = (uint32_t)j->places.n;
                jplace place = {.address = node->address, .module = module, .exact = exact, .level = HSC_LEVEL_NOTHING,
                                .file = HSC_NO_INDEX, .instance = HSC_NO_INDEX, .line_row = HSC_NO_INDEX,
                                .instruction = HSC_NO_INDEX};
                if (!HSC_PUSH(j->places, place) || !HSC_PUSH(j->modules.p[module].address_rows, *at))
                    return hsc_join_no_memory(err);
            }
            node->place = *at;
        }
    }
    return HSC_OK;
}

/* ---- one module ---- */

typedef struct line_visit {
    jmodule *m;
} line_visit;

/* Keeps the innermost scope of each line: the deepest loop, then the first procedure. */
static hsc_status visit_line(void *ctx, uint32_t file, uint32_t line, uint32_t procedure, uint32_t loop, hsc_err *err) {
    line_visit *v = ctx;
    jmodule *m = v->m;
    if (file == HSC_NO_INDEX)
        return HSC_OK;
    uint64_t key = (uint64_t)file << 32 | line, scope = (uint64_t)procedure << 32 | loop;
    uint32_t *at = hsc_table_at(&m->line_keys, key, 0);
    if (!at)
        return hsc_join_no_memory(err);
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)m->line_list.n;
        if (!HSC_PUSH(m->line_list, key) || !HSC_PUSH(m->line_scopes, scope))
            return hsc_join_no_memory(err);
        return HSC_OK;
    }
    uint32_t old_procedure = (uint32_t)(m->line_scopes.p[*at] >> 32), old_loop = (uint32_t)m->line_scopes.p[*at];
    uint32_t old_depth = hsc_code_get_loop_depth(m->code, old_loop), depth = hsc_code_get_loop_depth(m->code, loop);
    if (depth > old_depth || (depth == old_depth && procedure < old_procedure))
        m->line_scopes.p[*at] = scope;
    return HSC_OK;
}

static hsc_status resolve_place(jmodule *m, jplace *place, hsc_err *err) {
    hsc_code_answer a;
    hsc_status status = hsc_code_find(m->code, place->address, place->exact, &a, err);
    if (status != HSC_OK)
        return status;
    place->element_begin = (uint32_t)m->elements.n;
    place->element_count = (uint32_t)a.element_count;
    place->file = a.file;
    place->line = a.line;
    place->instance = a.instance;
    bool in_loop = false;
    for (size_t i = 0; i < a.element_count; i++) {
        in_loop = in_loop || a.elements[i].kind == HSC_ELEMENT_LOOP;
        if (!HSC_PUSH(m->elements, a.elements[i]))
            return hsc_join_no_memory(err);
    }
    place->level = !a.element_count                      ? HSC_LEVEL_MODULE
                   : !a.line || a.file == HSC_NO_INDEX   ? HSC_LEVEL_PROCEDURE
                   : a.knowledge != HSC_KNOWN_MAP        ? HSC_LEVEL_LINE
                   : in_loop                             ? HSC_LEVEL_LOOP
                                                         : HSC_LEVEL_MAP;
    return HSC_OK;
}

static hsc_status resolve_module(void *ctx, size_t i, hsc_err *err) {
    join *j = ctx;
    jmodule *m = &j->modules.p[i];
    if (i == j->unknown_module)
        return HSC_OK;
    HSC_VEC(const char *) dirs = {0};
    hsc_status status = HSC_OK;
    hsc_pool pool = {0};
    for (size_t k = 0; k < j->options->input_count && status == HSC_OK; k++) {
        char path[4200];
        snprintf(path, sizeof path, "%s/maps", j->options->inputs[k]);
        const char *kept = hsc_pool_intern(&pool, path, strlen(path));
        if (!kept || !HSC_PUSH(dirs, kept))
            status = hsc_join_no_memory(err);
    }
    for (size_t k = 0; k < j->options->map_dir_count && status == HSC_OK; k++)
        if (!HSC_PUSH(dirs, j->options->map_dirs[k]))
            status = hsc_join_no_memory(err);
    hsc_code_spec spec = {m->path, m->build_id, m->build_id_size, m->file_size, m->file_mtime_ns, dirs.p, dirs.n, true};
    if (status == HSC_OK)
        status = hsc_code_open(&spec, &m->code, err);
    free(dirs.p);
    hsc_pool_fini(&pool);
    for (size_t k = 0; k < m->address_rows.n && status == HSC_OK; k++) {
        status = resolve_place(m, &j->places.p[m->address_rows.p[k]], err);
        if (status == HSC_OK && !(k & 0xFFFF))
            status = hsc_join_check(j, err);
    }
    if (status != HSC_OK)
        return status;
    line_visit v = {.m = m};
    hsc_code_get_tables(m->code, &m->tables);
    m->is_whole = m->is_main || m->tables.groups || m->tables.own_debug;
    if (m->is_whole)
        status = hsc_code_each_line(m->code, visit_line, &v, err);
    hsc_code_get_tables(m->code, &m->tables);
    m->data = hsc_code_get_data(m->code);
    return status;
}

hsc_status hsc_join_resolve(join *j, hsc_err *err) {
    hsc_status status = find_modules(j, err);
    if (status == HSC_OK)
        status = find_places(j, err);
    if (status == HSC_OK)
        status = hsc_join_each(j, j->modules.n, resolve_module, j, "reading symbols", err);
    j->summary->addresses = j->places.n;
    j->summary->modules = j->modules.n;
    return status;
}
