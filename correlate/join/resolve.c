/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which modules the processes ran, which distinct addresses were met, and what is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/linkage.h>

#include "cache.h"
#include "generated.h"

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
                          .release = HSC_NO_INDEX, .forked = HSC_NO_INDEX};
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
    for (size_t k = 0; k < 2 * j->options->input_count && status == HSC_OK; k++) { /* the second: what the runtime keeps (keep_ss.c) */
        char *path = NULL;
        int size = asprintf(&path, "%s/%s", j->options->inputs[k / 2], k % 2 ? ".programs" : "maps");
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
    hsc_status status = hsc_generated_is(m) ? hsc_generated_open(j, m, err) : hsc_code_open(&spec, &m->code, err);
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
                        .instance = HSC_NO_INDEX, .line_row = HSC_NO_INDEX, .instruction = HSC_NO_INDEX, .release = HSC_NO_INDEX, .forked = HSC_NO_INDEX};
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

/* ---- procedures that have no frame ---- */

#define SEVERAL (HSC_NO_INDEX - 1)

/* Bodies of regions: the jump that forked them. Of several the one that names the body or stands at the line of the region, else where the procedure begins. */
static hsc_status add_forked(join *j, size_t met, hsc_err *err) {
    hsc_table known = {0}; /* (module, procedure): row of places */
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; status == HSC_OK && i < met; i++) {
        jmodule *m = &j->modules.p[j->places.p[i].module];
        uint64_t jumps[HSC_CODE_FORKS_MAX + 1], address = j->places.p[i].address;
        if (!m->code || !j->places.p[i].element_count)
            continue;
        uint32_t procedure = m->elements.p[j->places.p[i].element_begin].index, *at = hsc_table_at(&known, j->places.p[i].module, procedure);
        bool is_new = at && *at == HSC_NO_INDEX;
        if (is_new) {
            size_t forked, n = hsc_code_find_forks_of(m->code, j->places.p[i].exact ? address : address - 1, jumps, &forked), first = j->places.n;
            uint32_t line = m->tables.procedures[procedure].line_begin;
            *at = n ? (uint32_t)(first + forked) : SEVERAL;
            status = add_jumps(j, j->places.p[i].module, jumps, n ? n + 1 : 0, err);
            for (size_t k = n; status == HSC_OK && n > 1 && k-- > 0;)
                if (j->places.p[first + k].line == line)
                    *at = (uint32_t)(first + k);
        }
        if (!at)
            status = hsc_join_no_memory(err);
        else if (*at != SEVERAL)
            j->places.p[i].forked = *at;
    }
    hsc_table_fini(&known);
    return status;
}

typedef struct finding { /* by place */
    join *j;
    size_t met;       /* so many: places behind them were added since */
    uint64_t *called; /* 0: the function that is called there is not known */
    uint64_t *begin;  /* of the function that it is in */
    const char **name;
    uint32_t *forked; /* of a call that is none to a known function: row of the jump that forked all regions whose bodies were met below it; HSC_NO_INDEX: none, SEVERAL */
    hsc_table known;  /* (place << 32 | module, begin or name of what stands there): row of ways, from 1; 0 */
} finding;

static bool is_runtime(const join *j, uint32_t place) {
    hsc_library_role role = hsc_library_role_of(j->modules.p[j->places.p[place].module].path);
    return hsc_library_is_openmp(role) || role == HSC_LIBRARY_HEATSCOPE;
}

static uint64_t procedure_at(const join *j, uint32_t place) {
    const jplace *p = &j->places.p[place];
    return (uint64_t)p->module << 32 | (p->element_count ? j->modules.p[p->module].elements.p[p->element_begin].index : HSC_NO_INDEX);
}

/* What is called indirectly and forks regions by a jump is known by their bodies. */
static void ask_bodies(finding *x) {
    const join *j = x->j;
    for (size_t i = 0; i < j->frames.n; i++) {
        uint32_t place = j->frames.p[i].place, body = place == HSC_NO_INDEX ? HSC_NO_INDEX : j->places.p[place].forked, at = (uint32_t)i, below = place;
        if (body == HSC_NO_INDEX)
            continue;
        do {
            below = j->frames.p[at].place;
            at = j->frames.p[at].parent;
        } while (at != HSC_NO_INDEX && j->frames.p[at].place != HSC_NO_INDEX && is_runtime(j, j->frames.p[at].place));
        uint32_t caller = at == HSC_NO_INDEX ? HSC_NO_INDEX : j->frames.p[at].place;
        if (caller == HSC_NO_INDEX || x->called[caller] || !x->name[below] || !hsc_linkage_starts_region(x->name[below]) || procedure_at(j, caller) == procedure_at(j, body) ||
            hsc_code_forks(j->modules.p[j->places.p[caller].module].code, j->places.p[caller].address))
            continue;
        uint32_t *forked = &x->forked[caller];
        *forked = *forked == HSC_NO_INDEX || *forked == body ? body : SEVERAL;
    }
}

static hsc_status begin_finding(finding *x, join *j, size_t met, hsc_err *err) {
    *x = (finding){.j = j, .met = met, .called = calloc(met + 1, sizeof *x->called), .begin = calloc(met + 1, sizeof *x->begin), .name = calloc(met + 1, sizeof *x->name),
                   .forked = malloc((met + 1) * sizeof *x->forked)};
    if (!x->called || !x->begin || !x->name || !x->forked)
        return hsc_join_no_memory(err);
    for (size_t i = 0; i < met; i++) {
        const jplace *p = &j->places.p[i];
        const jmodule *m = &j->modules.p[p->module];
        x->forked[i] = HSC_NO_INDEX;
        if (!m->code)
            continue;
        x->called[i] = m->is_whole && !p->exact ? hsc_code_called_function(m->code, p->address) : 0;
        x->name[i] = hsc_code_function_at(m->code, p->address, p->exact, &x->begin[i]);
    }
    ask_bodies(x);
    return HSC_OK;
}

static void end_finding(finding *x) {
    hsc_table_fini(&x->known);
    free(x->called);
    free(x->begin);
    free(x->name);
    free(x->forked);
}

static hsc_status add_tail(join *j, uint32_t place, const hsc_code_tail *tail, hsc_err *err) {
    if (!HSC_PUSH(j->tails, (jtail){tail->operation, place, (uint32_t)j->places.n, (uint32_t)tail->n}))
        return hsc_join_no_memory(err);
    return add_jumps(j, j->places.p[place].module, tail->jumps, tail->n, err);
}

/* The same of jumps to calls of MPI and to those that fork regions. */
static hsc_status add_tails(join *j, const finding *x, size_t met, hsc_err *err) {
    uint32_t module = HSC_NO_INDEX;
    bool has_mpi = false, has_forks = false;
    for (uint32_t i = 0; i < met; i++) {
        const jmodule *m = &j->modules.p[j->places.p[i].module];
        hsc_code_tail tails[HSC_CODE_TAILS_MAX], fork;
        if (module != j->places.p[i].module) {
            has_mpi = m->code && hsc_code_has_mpi(m->code);
            has_forks = m->code && hsc_code_has_forks(m->code);
        }
        module = j->places.p[i].module;
        if (j->places.p[i].exact || (!has_mpi && !has_forks))
            continue;
        uint64_t address = j->places.p[i].address;
        size_t n = has_mpi ? hsc_code_find_mpi(m->code, address, tails) : 0;
        bool forks = has_forks && hsc_code_find_fork(m->code, address, &fork);
        hsc_status status = HSC_OK;
        for (size_t k = 0; status == HSC_OK && k < n; k++)
            status = add_tail(j, i, &tails[k], err);
        if (status == HSC_OK && forks)
            status = add_tail(j, i, &fork, err);
        else if (status == HSC_OK && x->forked[i] < j->places.n && !HSC_PUSH(j->tails, (jtail){HSC_CODE_FORK, i, x->forked[i], 1}))
            status = hsc_join_no_memory(err);
        if (status != HSC_OK)
            return status;
    }
    return HSC_OK;
}

/* The way from what the caller's place calls to the frame's function. */
static hsc_status find_way(finding *x, uint32_t caller, uint32_t place, uint32_t *way, hsc_err *err) {
    join *j = x->j;
    bool inside = j->places.p[caller].module == j->places.p[place].module;
    const char *name = x->name[place];
    hsc_code_tail tail;
    bool forked = x->forked[caller] < j->places.n && name && hsc_linkage_starts_region(name);
    *way = 0;
    /* of calls of MPI is known which one a procedure ended in (tails.c); what has no name may be what was called */
    if ((!x->called[caller] && !forked) || (inside && (!x->begin[place] || x->begin[place] == x->called[caller])) || (name && hsc_code_operation_key(name, strlen(name))))
        return HSC_OK;
    uint32_t *at = hsc_table_at(&x->known, (uint64_t)caller << 32 | j->places.p[place].module, inside ? x->begin[place] : (uintptr_t)name);
    if (!at)
        return hsc_join_no_memory(err);
    if (*at != HSC_NO_INDEX) {
        *way = *at;
        return HSC_OK;
    }
    *at = 0;
    if (forked) {
        if (!HSC_PUSH(j->ways, (jway){x->forked[caller], 1}))
            return hsc_join_no_memory(err);
        *way = *at = (uint32_t)j->ways.n;
        return HSC_OK;
    }
    if (!hsc_code_find_way(j->modules.p[j->places.p[caller].module].code, j->places.p[caller].address, name, inside ? x->begin[place] : 0, &tail))
        return HSC_OK;
    if (!HSC_PUSH(j->ways, (jway){(uint32_t)j->places.n, (uint32_t)tail.n}))
        return hsc_join_no_memory(err);
    *way = *at = (uint32_t)j->ways.n;
    return add_jumps(j, j->places.p[caller].module, tail.jumps, tail.n, err);
}

static hsc_status add_ways(join *j, finding *x, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (size_t i = 0; status == HSC_OK && i < j->frames.n; i++) {
        jframe *f = &j->frames.p[i];
        uint32_t caller = f->parent == HSC_NO_INDEX ? HSC_NO_INDEX : j->frames.p[f->parent].place;
        if (f->place != HSC_NO_INDEX && caller != HSC_NO_INDEX)
            status = find_way(x, caller, f->place, &f->way, err);
    }
    return status;
}

/* ---- locks that are free ---- */

/* "pthread_mutex_lock" of "__pthread_mutex_trylock", "omp_set_lock" of "omp_test_lock": what a try of that name takes the place of, in a wrapper of ours. */
static bool takes_place_of(const char *try, const char *wrapper) {
    static const char *const words[][2] = {{"try", ""}, {"test", "set"}}, *const timed[] = {"timed", "clock"};
    char lock[80];
    while (*try == '_')
        try++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(try, words[i][0]);
        if (!at || snprintf(lock, sizeof lock, "%.*s%s%s", (int)(at - try), try, words[i][1], at + strlen(words[i][0])) >= (int)sizeof lock)
            continue;
        size_t begin = (size_t)(at - try);
        if (!strcmp(lock, wrapper))
            return true;
        for (size_t k = 0; k < sizeof timed / sizeof *timed; k++) { /* pthread_mutex_timedlock */
            size_t n = strlen(timed[k]);
            if (!strncmp(wrapper, lock, begin) && !strncmp(wrapper + begin, timed[k], n) && !strcmp(wrapper + begin + n, lock + begin))
                return true;
        }
    }
    return false;
}

/* Wrappers take a lock that is free by a try: on the program's paths stands what the program calls. */
static hsc_status name_tries(finding *x, hsc_err *err) {
    join *j = x->j;
    hsc_table known = {0}; /* (place, wrapper's name): row of places */
    hsc_status status = HSC_OK;
    for (size_t i = 0; status == HSC_OK && i < j->frames.n; i++) {
        jframe *f = &j->frames.p[i];
        uint32_t wrapper = f->parent == HSC_NO_INDEX ? HSC_NO_INDEX : j->frames.p[f->parent].place, row;
        if (f->place == HSC_NO_INDEX || wrapper >= x->met /* none, or a try that has its name by now */ || !x->name[f->place] || !x->name[wrapper] || !j->places.p[f->place].element_count ||
            hsc_library_role_of(j->modules.p[j->places.p[wrapper].module].path) != HSC_LIBRARY_HEATSCOPE || !takes_place_of(x->name[f->place], x->name[wrapper]))
            continue;
        uint32_t *at = hsc_table_at(&known, f->place, (uintptr_t)x->name[wrapper]);
        jplace place = j->places.p[f->place];
        jmodule *m = &j->modules.p[place.module];
        if (at && *at == HSC_NO_INDEX) {
            uint32_t first = (uint32_t)m->elements.n;
            bool ok = hsc_code_add_symbol(m->code, x->name[wrapper], &row);
            for (uint32_t k = 0; ok && k < place.element_count; k++)
                ok = HSC_PUSH(m->elements, m->elements.p[place.element_begin + k]);
            *at = (uint32_t)j->places.n;
            if (ok)
                m->elements.p[first].index = row;
            place.element_begin = first;
            at = ok && HSC_PUSH(j->places, place) && HSC_PUSH(m->address_rows, *at) ? at : NULL;
            hsc_code_get_tables(m->code, &m->tables);
        }
        if (!at)
            status = hsc_join_no_memory(err);
        else
            f->place = *at;
    }
    hsc_table_fini(&known);
    return status;
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
    size_t met = j->places.n; /* nothing is asked of what is added */
    finding x = {0};
    if (status == HSC_OK)
        status = add_forked(j, met, err);
    if (status == HSC_OK)
        status = begin_finding(&x, j, met, err);
    if (status == HSC_OK)
        status = add_tails(j, &x, met, err);
    if (status == HSC_OK)
        status = add_ways(j, &x, err);
    if (status == HSC_OK)
        status = name_tries(&x, err); /* last: names are by the places that were met */
    end_finding(&x);
    return status == HSC_OK ? add_releases(j, err) : status;
}
