/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which modules the processes ran, which distinct addresses were met, and what is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

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

/* The modules with samples, the program first. row_of: by row of j->met. */
static hsc_status find_modules(join *j, uint32_t *row_of, hsc_err *err) {
    bool unknown = false;
    for (uint32_t i = 0; i < j->met.n; i++) {
        jmodule m = j->met.p[i];
        row_of[i] = HSC_NO_INDEX;
        if (!(m.marks & j->marks))
            continue;
        m.is_main = m.main_marks & j->marks;
        m.pseudo_file = i; /* until they are sorted */
        if (!HSC_PUSH(j->modules, m))
            return hsc_join_no_memory(err);
    }
    if (j->modules.n > 1)
        qsort(j->modules.p, j->modules.n, sizeof *j->modules.p, by_path);
    for (uint32_t i = 0; i < j->modules.n; i++)
        row_of[j->modules.p[i].pseudo_file] = i;
    j->unknown_module = HSC_NO_INDEX;
    for (size_t i = 0; i < j->run.n; i++)
        unknown = unknown || j->run.p[i]->has_unknown;
    if (unknown) {
        j->unknown_module = (uint32_t)j->modules.n;
        if (!HSC_PUSH(j->modules, (jmodule){.path = "[unknown]", .build_id = (const uint8_t *)""}))
            return hsc_join_no_memory(err);
    }
    return HSC_OK;
}

static int by_address(const void *pa, const void *pb, void *ctx) {
    const jplace *places = ctx, *a = &places[*(const uint32_t *)pa], *b = &places[*(const uint32_t *)pb];
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (int)a->exact - (int)b->exact;
}

/* Places by (module, address), and the frames' places. */
static hsc_status find_places(join *j, const uint32_t *row_of, hsc_err *err) {
    size_t n = j->addresses.n;
    uint32_t *order = malloc((n + 1) * sizeof *order), *place_of = malloc((n + 1) * sizeof *place_of);
    jplace *met = malloc((n + 1) * sizeof *met);
    size_t used = 0;
    bool ok = order && place_of && met && HSC_RESERVE(j->places, n + 1);
    for (uint32_t i = 0; ok && i < n; i++) {
        const jaddress *a = &j->addresses.p[i];
        uint32_t module = a->module == HSC_NO_INDEX ? j->unknown_module : row_of[a->module];
        met[i] = (jplace){.address = a->address, .module = module, .exact = a->exact, .level = HSC_LEVEL_NOTHING,
                          .file = HSC_NO_INDEX, .instance = HSC_NO_INDEX, .line_row = HSC_NO_INDEX, .instruction = HSC_NO_INDEX,
                          .release = HSC_NO_INDEX};
        place_of[i] = HSC_NO_INDEX;
        if (a->marks & j->marks && module != HSC_NO_INDEX)
            order[used++] = i;
    }
    if (ok && used > 1)
        qsort_r(order, used, sizeof *order, by_address, met);
    for (uint32_t i = 0; ok && i < used; i++) {
        j->places.p[i] = met[order[i]];
        place_of[order[i]] = i;
        ok = HSC_PUSH(j->modules.p[j->places.p[i].module].address_rows, i);
    }
    j->places.n = ok ? used : 0;
    for (size_t i = 0; ok && i < j->frames.n; i++)
        j->frames.p[i].place = j->frames.p[i].marks & j->marks ? place_of[j->frames.p[i].place] : HSC_NO_INDEX;
    free(order);
    free(place_of);
    free(met);
    return ok ? HSC_OK : hsc_join_no_memory(err);
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
    place->column = a.repaired ? 0 : hsc_code_get_column(m->code, place->address, place->exact);
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

static hsc_status list_map_dirs(join *j, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t k = 0; k < j->options->input_count && status == HSC_OK; k++) {
        char *path = NULL;
        int size = asprintf(&path, "%s/maps", j->options->inputs[k]);
        const char *kept = size >= 0 ? hsc_pool_intern(&j->pool, path, (size_t)size) : NULL;
        if (size >= 0)
            free(path);
        if (!kept || !HSC_PUSH(j->map_dirs, kept))
            status = hsc_join_no_memory(err);
    }
    for (size_t k = 0; k < j->options->map_dir_count && status == HSC_OK; k++)
        if (!HSC_PUSH(j->map_dirs, j->options->map_dirs[k]))
            status = hsc_join_no_memory(err);
    return status;
}

static hsc_status resolve_module(void *ctx, size_t i, hsc_err *err) {
    join *j = ctx;
    jmodule *m = &j->modules.p[i];
    if (i == j->unknown_module)
        return HSC_OK;
    const hsc_code_spec spec = {m->path, m->build_id, m->build_id_size, m->file_size, m->file_mtime_ns, j->map_dirs.p, j->map_dirs.n, true,
                                hsc_kept_code_get_keeper(j), HSC_KEPT_CODE};
    hsc_status status = hsc_code_open(&spec, &m->code, err);
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

/* Rows of jumps that are on no path, behind all others: n of them from j->places.n on. */
static hsc_status add_jumps(join *j, uint32_t module, const uint64_t *jumps, size_t n, hsc_err *err) {
    jmodule *m = &j->modules.p[module];
    for (size_t k = 0; k < n; k++) {
        jplace place = {.address = jumps[k], .module = module, .exact = true, .level = HSC_LEVEL_NOTHING, .file = HSC_NO_INDEX,
                        .instance = HSC_NO_INDEX, .line_row = HSC_NO_INDEX, .instruction = HSC_NO_INDEX, .release = HSC_NO_INDEX};
        hsc_status status = resolve_place(m, &place, err);
        if (status != HSC_OK)
            return status;
        if (!HSC_PUSH(j->places, place) || !HSC_PUSH(m->address_rows, (uint32_t)(j->places.n - 1)))
            return hsc_join_no_memory(err);
    }
    if (n)
        hsc_code_get_tables(m->code, &m->tables);
    return HSC_OK;
}

/* Places of jumps that give locks back, of calls that lead to them. */
static hsc_status add_releases(join *j, hsc_err *err) {
    size_t met = j->places.n;
    for (size_t i = 0; i < met; i++) {
        const jmodule *m = &j->modules.p[j->places.p[i].module];
        uint64_t jumps[HSC_CODE_JUMPS_MAX];
        size_t n = m->code && !j->places.p[i].exact ? hsc_code_find_release(m->code, j->places.p[i].address, jumps) : 0, first = j->places.n;
        hsc_status status = add_jumps(j, j->places.p[i].module, jumps, n, err);
        if (status != HSC_OK)
            return status;
        for (size_t k = 0; k < n; k++)
            j->places.p[k ? first + k - 1 : i].release = (uint32_t)(first + k);
    }
    return HSC_OK;
}

/* The same of jumps to calls of MPI. */
static hsc_status add_tails(join *j, hsc_err *err) {
    size_t met = j->places.n;
    uint32_t module = HSC_NO_INDEX;
    bool has_mpi = false;
    for (size_t i = 0; i < met; i++) {
        const jmodule *m = &j->modules.p[j->places.p[i].module];
        hsc_code_tail tails[HSC_CODE_TAILS_MAX];
        if (module != j->places.p[i].module)
            has_mpi = m->code && hsc_code_has_mpi(m->code);
        module = j->places.p[i].module;
        size_t n = has_mpi && !j->places.p[i].exact ? hsc_code_find_mpi(m->code, j->places.p[i].address, tails) : 0;
        for (size_t k = 0; k < n; k++) {
            if (!HSC_PUSH(j->tails, (jtail){tails[k].operation, (uint32_t)i, (uint32_t)j->places.n, (uint32_t)tails[k].n}))
                return hsc_join_no_memory(err);
            hsc_status status = add_jumps(j, module, tails[k].jumps, tails[k].n, err);
            if (status != HSC_OK)
                return status;
        }
    }
    return HSC_OK;
}

hsc_status hsc_join_resolve(join *j, hsc_err *err) {
    uint32_t *row_of = malloc((j->met.n + 1) * sizeof *row_of);
    hsc_status status = row_of ? find_modules(j, row_of, err) : hsc_join_no_memory(err);
    if (status == HSC_OK)
        status = find_places(j, row_of, err);
    free(row_of);
    hsc_kept_code_open(j);
    if (status == HSC_OK)
        status = list_map_dirs(j, err);
    if (status == HSC_OK)
        status = hsc_join_each(j, j->modules.n, resolve_module, j, "reading symbols", err);
    hsc_kept_code_trim(j);
    j->summary->addresses = j->places.n;
    j->summary->modules = j->modules.n;
    if (status == HSC_OK)
        status = add_tails(j, err); /* of what was met alone */
    return status == HSC_OK ? add_releases(j, err) : status;
}
