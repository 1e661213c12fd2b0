/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops, arrays, references, messages and directives of the map, in the order of the database's tables. Of procedures that
 * are shown; the rows themselves stay in the modules. */
#include <stdlib.h>
#include <string.h>

#include "join_internal.h"

static int by_place(const void *pa, const void *pb) {
    const jplaced *a = pa, *b = pb;
    const uint32_t x[] = {a->scope, a->file, a->line, a->column, a->module, a->row};
    const uint32_t y[] = {b->scope, b->file, b->line, b->column, b->module, b->row};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static uint32_t scope_of(const jmodule *m, uint32_t loop, uint32_t procedure) {
    uint32_t scope = loop == HSC_NO_INDEX ? HSC_NO_INDEX : m->loop_scopes.p[loop];
    return scope != HSC_NO_INDEX || procedure == HSC_NO_INDEX ? scope : m->procedure_scopes.p[procedure];
}

static uint32_t file_of(const jmodule *m, uint32_t file) {
    return file == HSC_NO_INDEX ? HSC_NO_INDEX : m->file_rows.p[file];
}

/* The region's own scope; of the two procedures that compilers make of one region the other may be the one shown. */
uint32_t hsc_join_region_scope(const jmodule *m, uint32_t region) {
    const hsc_code_tables *t = &m->tables;
    uint32_t scope = scope_of(m, HSC_NO_INDEX, region);
    for (uint32_t p = 0; scope == HSC_NO_INDEX && region != HSC_NO_INDEX && p < t->procedure_count; p++)
        if (t->procedures[p].parent == t->procedures[region].parent && t->procedures[p].file == t->procedures[region].file &&
            t->procedures[p].line_begin == t->procedures[region].line_begin &&
            t->procedures[p].flags & HSC_procedure_flag_OUTLINED)
            scope = m->procedure_scopes.p[p];
    return scope;
}

/* The loop that a directive is for, else its region, else what it stands in. */
static uint32_t scope_of_directive(const jmodule *m, const hsc_code_directive *d) {
    const hsc_code_tables *t = &m->tables;
    uint32_t loop = HSC_NO_INDEX, scope = scope_of(m, d->loop, HSC_NO_INDEX);
    if (scope == HSC_NO_INDEX)
        scope = hsc_join_region_scope(m, d->region);
    if (scope != HSC_NO_INDEX)
        return scope;
    for (uint32_t l = 0; l < t->loop_count; l++)
        if (t->loops[l].procedure == d->procedure && t->loops[l].file == d->file && t->loops[l].line_begin <= d->line &&
            d->line <= t->loops[l].line_end && m->loop_scopes.p[l] != HSC_NO_INDEX &&
            (loop == HSC_NO_INDEX || t->loops[l].depth > t->loops[loop].depth))
            loop = l;
    return scope_of(m, loop, d->procedure);
}

static bool take_module(join *j, uint32_t i) {
    jdata *out = &j->data;
    const jmodule *m = &j->modules.p[i];
    const hsc_code_tables *t = &m->tables;
    const hsc_code_data *d = m->data;
    bool ok = true;
    for (uint32_t k = 0; ok && k < t->loop_count; k++)
        if (m->loop_scopes.p[k] != HSC_NO_INDEX && t->loops[k].knowledge == HSC_KNOWN_MAP)
            ok = HSC_PUSH(out->loops, (jplaced){.scope = m->loop_scopes.p[k], .module = i, .row = k});
    if (!d)
        return ok;
    for (uint32_t k = 0; ok && k < d->checks.n; k++) {
        const hsc_code_check *q = &d->checks.p[k];
        uint32_t scope = scope_of(m, q->loop, q->procedure);
        if (scope != HSC_NO_INDEX)
            ok = HSC_PUSH(out->checks, (jplaced){scope, file_of(m, q->file), 0, 0, i, k}); /* checks stay together */
    }
    for (uint32_t k = 0; ok && k < d->arrays.n; k++) {
        const hsc_code_array *q = &d->arrays.p[k];
        uint32_t scope = scope_of(m, HSC_NO_INDEX, q->procedure);
        if (!(q->flags & HSC_array_flag_DECLARED) && (scope != HSC_NO_INDEX || q->procedure == HSC_NO_INDEX))
            ok = HSC_PUSH(out->arrays, (jplaced){scope, file_of(m, q->file), q->line, 0, i, k});
    }
    for (uint32_t k = 0; ok && k < d->references.n; k++) {
        const hsc_code_reference *q = &d->references.p[k];
        uint32_t scope = scope_of(m, q->loop, q->procedure);
        if (scope != HSC_NO_INDEX)
            ok = HSC_PUSH(out->references, (jplaced){scope, file_of(m, q->file), q->line, q->column, i, k});
    }
    for (uint32_t k = 0; ok && k < d->messages.n; k++) {
        const hsc_code_message *q = &d->messages.p[k];
        uint32_t file = file_of(m, q->file);
        if (scope_of(m, q->loop, q->procedure) != HSC_NO_INDEX) /* sorted by the line's row */
            ok = HSC_PUSH(out->sites, (jplaced){hsc_join_line_row(j, file, q->line), file, q->line, q->column, i, k});
    }
    for (uint32_t k = 0; ok && k < d->directives.n; k++) {
        const hsc_code_directive *q = &d->directives.p[k];
        uint32_t scope = scope_of_directive(m, q);
        if (scope != HSC_NO_INDEX)
            ok = HSC_PUSH(out->directives, (jplaced){scope, file_of(m, q->file), q->line, 0, i, k});
    }
    for (uint32_t k = 0; ok && k < d->runtime_calls.n; k++) {
        const hsc_code_runtime_call *q = &d->runtime_calls.p[k];
        uint32_t file = file_of(m, q->file);
        if (scope_of(m, q->loop, q->procedure) != HSC_NO_INDEX)
            ok = HSC_PUSH(out->runtime_calls, (jplaced){hsc_join_line_row(j, file, q->line), file, q->line, q->column, i, k});
    }
    return ok;
}

static uint64_t hash_of(const char *name) {
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

/* What calls hand on, to procedures that are shown. */
static bool take_handed(join *j, uint32_t i) {
    const jmodule *m = &j->modules.p[i];
    const hsc_code_tables *t = &m->tables;
    const hsc_code_data *d = m->data;
    hsc_table by_name = {0};
    bool ok = true;
    for (uint32_t p = 0; ok && d && d->handed.n && p < t->procedure_count; p++)
        if (m->procedure_scopes.p[p] != HSC_NO_INDEX && t->procedures[p].linkage) {
            uint32_t *at = hsc_table_at(&by_name, hash_of(t->procedures[p].linkage), 0);
            if ((ok = at) && *at == HSC_NO_INDEX)
                *at = p;
        }
    for (uint32_t k = 0; ok && d && k < d->handed.n; k++) {
        const hsc_code_handed *q = &d->handed.p[k];
        uint32_t file = file_of(m, q->file), callee = hsc_table_get(&by_name, hash_of(q->callee), 0);
        if (callee == HSC_NO_INDEX || strcmp(t->procedures[callee].linkage, q->callee) || (q->array != HSC_NO_INDEX && m->array_rows.p[q->array] == HSC_NO_INDEX) ||
            scope_of(m, q->loop, q->procedure) == HSC_NO_INDEX)
            continue;
        ok = HSC_PUSH(j->data.handed, (jplaced){hsc_join_line_row(j, file, q->line), m->procedure_scopes.p[callee], q->argument, q->column, i, k});
    }
    hsc_table_fini(&by_name);
    return ok;
}

/* Arguments and links, by the row of their call; the column of a link counts up, to keep the map's order. */
static bool take_parts(join *j, uint32_t i) {
    const jmodule *m = &j->modules.p[i];
    const hsc_code_data *d = m->data;
    bool ok = true;
    for (uint32_t k = 0; ok && d && k < d->arguments.n; k++) {
        uint32_t site = m->site_rows.p[d->arguments.p[k].message];
        if (site != HSC_NO_INDEX)
            ok = HSC_PUSH(j->data.arguments, (jplaced){.scope = site, .line = d->arguments.p[k].number, .module = i, .row = k});
    }
    for (uint32_t k = 0; ok && d && k < d->links.n; k++) {
        uint32_t site = m->site_rows.p[d->links.p[k].message];
        if (site != HSC_NO_INDEX)
            ok = HSC_PUSH(j->data.links, (jplaced){.scope = site, .module = i, .row = k});
    }
    return ok;
}

#define SORT(v)       \
    if ((v).n > 1)    \
    qsort((v).p, (v).n, sizeof *(v).p, by_place)

/* rows[of the module's table] = row of the database. */
#define NUMBER(v, rows)                                                             \
    for (uint32_t k_ = 0; k_ < (v).n; k_++)                                         \
    j->modules.p[(v).p[k_].module].rows.p[(v).p[k_].row] = k_

static bool size_rows(jmodule *m) {
    const hsc_code_data *d = m->data;
    size_t arrays = d ? d->arrays.n : 0, sites = d ? d->messages.n : 0, directives = d ? d->directives.n : 0;
    if (!HSC_RESERVE(m->array_rows, arrays + 1) || !HSC_RESERVE(m->site_rows, sites + 1) ||
        !HSC_RESERVE(m->directive_rows, directives + 1))
        return false;
    for (size_t k = 0; k <= arrays; k++)
        m->array_rows.p[k] = HSC_NO_INDEX;
    for (size_t k = 0; k <= sites; k++)
        m->site_rows.p[k] = HSC_NO_INDEX;
    for (size_t k = 0; k <= directives; k++)
        m->directive_rows.p[k] = HSC_NO_INDEX;
    return true;
}

/* Arrays of Fortran modules, whose places flang knows in the module alone: from whatever part of the program has it. */
static bool place_arrays(join *j) {
    HSC_VEC(jplaced) known = {0};
    hsc_table by_tag = {0};
    bool ok = true;
    for (uint32_t i = 0; i < j->modules.n; i++) {
        const jmodule *m = &j->modules.p[i];
        for (uint32_t k = 0; ok && m->data && k < m->data->arrays.n; k++) {
            const hsc_code_array *q = &m->data->arrays.p[k];
            uint32_t *at = q->line && q->tag && q->procedure == HSC_NO_INDEX ? hsc_table_at(&by_tag, q->tag, 0) : NULL;
            if (at && *at == HSC_NO_INDEX) {
                *at = (uint32_t)known.n;
                ok = HSC_PUSH(known, (jplaced){.file = file_of(m, q->file), .line = q->line});
            }
        }
    }
    for (uint32_t i = 0; ok && i < j->data.arrays.n; i++) {
        jplaced *p = &j->data.arrays.p[i];
        uint32_t row = p->line || p->scope != HSC_NO_INDEX ? HSC_NO_INDEX : hsc_table_get(&by_tag, j->modules.p[p->module].data->arrays.p[p->row].tag, 0);
        if (row != HSC_NO_INDEX) {
            p->file = known.p[row].file;
            p->line = known.p[row].line;
        }
    }
    free(known.p);
    hsc_table_fini(&by_tag);
    return ok;
}

hsc_status hsc_join_make_data(join *j, hsc_err *err) {
    jdata *d = &j->data;
    bool ok = true;
    for (uint32_t i = 0; ok && i < j->modules.n; i++)
        ok = size_rows(&j->modules.p[i]) && take_module(j, i);
    ok = ok && place_arrays(j);
    if (!ok)
        return hsc_join_no_memory(err);
    SORT(d->loops);
    SORT(d->checks);
    SORT(d->arrays);
    SORT(d->references);
    SORT(d->sites);
    SORT(d->directives);
    SORT(d->runtime_calls);
    size_t n = 0; /* modules that have the same scope: a row each would be one too many */
    for (size_t i = 0; i < d->loops.n; i++)
        if (!n || d->loops.p[n - 1].scope != d->loops.p[i].scope)
            d->loops.p[n++] = d->loops.p[i];
    d->loops.n = n;
    NUMBER(d->arrays, array_rows);
    NUMBER(d->sites, site_rows);
    NUMBER(d->directives, directive_rows);
    for (uint32_t i = 0; ok && i < j->modules.n; i++)
        ok = take_parts(j, i) && (!d->sites.n || take_handed(j, i));
    if (!ok)
        return hsc_join_no_memory(err);
    SORT(d->handed);
    SORT(d->arguments);
    SORT(d->links);
    return HSC_OK;
}

void hsc_join_free_data(join *j) {
    jdata *d = &j->data;
    void *lists[] = {d->loops.p, d->checks.p, d->arrays.p,     d->references.p,   d->sites.p,
                     d->arguments.p, d->links.p,  d->directives.p, d->runtime_calls.p, d->handed.p};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
}
