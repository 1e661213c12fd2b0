/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The static side of the database: files, lines, the tree of scopes, loop instances, remarks. Rows are ordered by what
 * they are (module, path, line, name), so that equal input gives equal rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "join_internal.h"

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* ---- which procedures are shown ---- */

static bool size_vectors(jmodule *m) {
    size_t n = m->tables.procedure_count, l = m->tables.loop_count, f = m->tables.file_count, i = m->tables.instance_count;
    if (!HSC_RESERVE(m->procedure_used, n + 1) || !HSC_RESERVE(m->procedure_scopes, n + 1) ||
        !HSC_RESERVE(m->loop_scopes, l + 1) || !HSC_RESERVE(m->file_rows, f + 1) || !HSC_RESERVE(m->instance_rows, i + 1))
        return false;
    memset(m->procedure_used.p, 0, n + 1);
    memset(m->procedure_scopes.p, 0xff, (n + 1) * 4);
    memset(m->loop_scopes.p, 0xff, (l + 1) * 4);
    memset(m->file_rows.p, 0xff, (f + 1) * 4);
    memset(m->instance_rows.p, 0xff, (i + 1) * 4);
    return true;
}

#define USED_AS_TASK 2 /* in procedure_used: the body of an OpenMP task */

static bool is_region(const hsc_code_tables *t, uint32_t p) {
    return t->procedures[p].flags & HSC_procedure_flag_OUTLINED && t->procedures[p].parent != HSC_NO_INDEX;
}

bool hsc_join_is_task_body(const char *outer, const char *inner) {
    return outer && inner && strstr(outer, ".omp_task_entry") && !strncmp(inner, ".omp_outlined", 13);
}

static void mark_used(jmodule *m) {
    const hsc_code_tables *t = &m->tables;
    for (size_t i = 0; i < m->elements.n; i++)
        if (m->elements.p[i].kind != HSC_ELEMENT_LOOP)
            m->procedure_used.p[m->elements.p[i].index] = 1;
    for (size_t i = 0; i < m->line_scopes.n; i++)
        if (m->line_scopes.p[i] >> 32 != HSC_NO_INDEX)
            m->procedure_used.p[m->line_scopes.p[i] >> 32] = 1;
    for (size_t i = 0; i < t->procedure_count; i++)
        if (m->is_whole && t->procedures[i].has_code && t->procedures[i].knowledge <= HSC_KNOWN_DWARF)
            m->procedure_used.p[i] = 1;
    for (size_t i = 0; i < t->procedure_count; i++)
        if (m->procedure_used.p[i])
            for (uint32_t p = (uint32_t)i; is_region(t, p); p = t->procedures[p].parent)
                m->procedure_used.p[t->procedures[p].parent] = 1;
    for (size_t i = 1; i < m->elements.n; i++) {
        const hsc_code_element *e = &m->elements.p[i];
        if (e->kind == HSC_ELEMENT_INLINED && e[-1].kind != HSC_ELEMENT_LOOP &&
            hsc_join_is_task_body(t->procedures[e[-1].index].linkage, t->procedures[e->index].linkage))
            m->procedure_used.p[e->index] = USED_AS_TASK;
    }
}

/* ---- files ---- */

typedef struct file_order {
    const jfile *files;
} file_order;

static int by_file(const void *pa, const void *pb, void *ctx) {
    const jfile *files = ((file_order *)ctx)->files;
    const jfile *a = &files[*(const uint32_t *)pa], *b = &files[*(const uint32_t *)pb];
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->has_lines != b->has_lines)
        return a->has_lines ? -1 : 1;
    return strcmp(a->path, b->path);
}

static uint32_t add_file(join *j, hsc_table *by_path, const char *path, const char *checksum, uint32_t module,
                         bool has_lines) {
    const char *kept = hsc_pool_intern(&j->pool, path, strlen(path));
    const char *sum = hsc_pool_intern(&j->pool, checksum, strlen(checksum));
    uint32_t *at = kept && sum ? hsc_table_at(by_path, (uintptr_t)kept, has_lines) : NULL;
    if (!at)
        return HSC_NO_INDEX;
    if (*at == HSC_NO_INDEX) {
        *at = (uint32_t)j->files.n;
        if (!HSC_PUSH(j->files, (jfile){kept, sum, module, has_lines}))
            return HSC_NO_INDEX;
    }
    return *at;
}

static void use_file(jmodule *m, uint32_t file) {
    if (file != HSC_NO_INDEX)
        m->file_rows.p[file] = 0; /* wanted */
}

/* Files of what the map says of procedures that are shown. */
static void use_data_files(jmodule *m) {
    const hsc_code_data *d = m->data;
    for (size_t k = 0; d && k < d->references.n; k++)
        if (m->procedure_used.p[d->references.p[k].procedure])
            use_file(m, d->references.p[k].file);
    for (size_t k = 0; d && k < d->messages.n; k++)
        if (m->procedure_used.p[d->messages.p[k].procedure])
            use_file(m, d->messages.p[k].file);
    for (size_t k = 0; d && k < d->directives.n; k++)
        if (m->procedure_used.p[d->directives.p[k].procedure])
            use_file(m, d->directives.p[k].file);
    for (size_t k = 0; d && k < d->arrays.n; k++)
        if (d->arrays.p[k].procedure == HSC_NO_INDEX || m->procedure_used.p[d->arrays.p[k].procedure])
            use_file(m, d->arrays.p[k].file);
}

static const char *name_in(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The source of a file that a build system's preprocessor wrote: CMake's x.f90-pp.f90, with the lines of x.f90, which flang has for the file of what it makes itself. The
 * file itself where it is none, or the module has no x.f90 or several. */
static uint32_t source_of(const hsc_code_tables *t, uint32_t file) {
    static const char mark[] = "-pp.f";
    const char *name = name_in(t->files[file].path), *end = NULL;
    uint32_t found = file;
    for (const char *at = name; (at = strstr(at, mark)); at++)
        end = at;
    if (!end || end == name || strchr(end + sizeof mark - 1, '.'))
        return file;
    for (uint32_t k = 0; k < t->file_count; k++) {
        const char *other = name_in(t->files[k].path);
        if (strncmp(other, name, (size_t)(end - name)) || other[end - name])
            continue;
        if (found != file && strcmp(t->files[found].path, t->files[k].path))
            return file;
        found = k;
    }
    return found;
}

static hsc_status make_files(join *j, hsc_err *err) {
    hsc_table by_path = {0};
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < j->modules.n && status == HSC_OK; i++) {
        jmodule *m = &j->modules.p[i];
        const hsc_code_tables *t = &m->tables;
        bool pseudo = i == j->unknown_module;
        for (size_t k = 0; k < t->procedure_count; k++) {
            use_file(m, m->procedure_used.p[k] ? t->procedures[k].file : HSC_NO_INDEX);
            pseudo = pseudo || (m->procedure_used.p[k] && t->procedures[k].file == HSC_NO_INDEX);
        }
        for (size_t k = 0; k < m->line_list.n; k++)
            use_file(m, (uint32_t)(m->line_list.p[k] >> 32));
        for (size_t k = 0; k < m->elements.n; k++)
            use_file(m, m->elements.p[k].call_file);
        for (size_t k = 0; k < m->address_rows.n; k++) {
            use_file(m, j->places.p[m->address_rows.p[k]].file);
            pseudo = pseudo || j->places.p[m->address_rows.p[k]].file == HSC_NO_INDEX;
        }
        for (size_t k = 0; k < t->remark_count; k++)
            use_file(m, t->remarks[k].file);
        for (size_t k = 0; k < t->dependence_count; k++) {
            use_file(m, t->dependences[k].source_file);
            use_file(m, t->dependences[k].sink_file);
        }
        use_data_files(m);
        for (size_t k = 0; k < t->file_count && status == HSC_OK; k++) {
            if (m->file_rows.p[k] == HSC_NO_INDEX)
                continue;
            const hsc_code_file *f = &t->files[source_of(t, (uint32_t)k)];
            m->file_rows.p[k] = add_file(j, &by_path, f->path, f->checksum, i, true);
            if (m->file_rows.p[k] == HSC_NO_INDEX)
                status = hsc_join_no_memory(err);
        }
        m->pseudo_file = HSC_NO_INDEX;
        if (pseudo && status == HSC_OK) {
            m->pseudo_file = add_file(j, &by_path, m->path, "", i, false);
            if (m->pseudo_file == HSC_NO_INDEX)
                status = hsc_join_no_memory(err);
        }
    }
    hsc_table_fini(&by_path);
    size_t n = j->files.n;
    HSC_VEC(uint32_t) order = {0}, row_of = {0};
    HSC_VEC(jfile) sorted = {0};
    if (status == HSC_OK && (!HSC_RESERVE(order, n + 1) || !HSC_RESERVE(row_of, n + 1) || !HSC_RESERVE(sorted, n + 1)))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK) {
        for (uint32_t i = 0; i < n; i++)
            order.p[i] = i;
        qsort_r(order.p, n, sizeof *order.p, by_file, &(file_order){j->files.p});
        for (uint32_t i = 0; i < n; i++) {
            row_of.p[order.p[i]] = i;
            sorted.p[i] = j->files.p[order.p[i]];
        }
        memcpy(j->files.p, sorted.p, n * sizeof *sorted.p);
        for (size_t i = 0; i < j->modules.n; i++) {
            jmodule *m = &j->modules.p[i];
            for (size_t k = 0; k < m->tables.file_count; k++)
                if (m->file_rows.p[k] != HSC_NO_INDEX)
                    m->file_rows.p[k] = row_of.p[m->file_rows.p[k]];
            if (m->pseudo_file != HSC_NO_INDEX)
                m->pseudo_file = row_of.p[m->pseudo_file];
        }
    }
    free(order.p);
    free(row_of.p);
    free(sorted.p);
    return status;
}

static uint32_t file_row(const jmodule *m, uint32_t file) {
    return file == HSC_NO_INDEX ? m->pseudo_file : m->file_rows.p[file];
}

/* ---- scopes, first in any order ---- */

typedef struct builder {
    join *j;
    hsc_table file_scopes; /* (module, file row) */
} builder;

static uint32_t add_scope(join *j, jscope s) {
    s.linkage = s.linkage ? s.linkage : "";
    return HSC_PUSH(j->scopes, s) ? (uint32_t)(j->scopes.n - 1) : HSC_NO_INDEX;
}

static uint32_t file_scope(builder *b, uint32_t module, uint32_t module_scope, uint32_t file) {
    uint32_t *at = hsc_table_at(&b->file_scopes, module, file);
    if (!at || *at != HSC_NO_INDEX)
        return at ? *at : HSC_NO_INDEX;
    const jmodule *m = &b->j->modules.p[module];
    const jfile *f = &b->j->files.p[file];
    hsc_knowledge k = m->tables.knowledge;
    if (!f->has_lines && k < HSC_KNOWN_SYMBOL)
        k = HSC_KNOWN_SYMBOL;
    jscope s = {.parent = module_scope, .kind = HSC_SCOPE_FILE, .knowledge = (uint8_t)k, .name = base_name(f->path),
                .procedure = HSC_NO_INDEX, .module = module, .file = file};
    return *at = add_scope(b->j, s);
}

static const char *region_name(const char *linkage, bool is_task) {
    if (is_task || strstr(linkage, "omp_task"))
        return "omp task";
    return strstr(linkage, "omp") ? "omp parallel" : "region";
}

/* Innermost loop of procedure p that holds the line: where a region stands in its parent. */
static uint32_t loop_around(const hsc_code_tables *t, uint32_t p, uint32_t file, uint32_t line) {
    uint32_t best = HSC_NO_INDEX;
    for (uint32_t l = 0; l < t->loop_count && line; l++)
        if (t->loops[l].procedure == p && t->loops[l].file == file && t->loops[l].line_begin <= line &&
            line <= t->loops[l].line_end && (best == HSC_NO_INDEX || t->loops[l].depth > t->loops[best].depth))
            best = l;
    return best;
}

static bool add_procedures(builder *b, uint32_t module, uint32_t module_scope) {
    join *j = b->j;
    jmodule *m = &j->modules.p[module];
    const hsc_code_tables *t = &m->tables;
    for (uint32_t p = 0; p < t->procedure_count; p++) {
        if (!m->procedure_used.p[p])
            continue;
        const hsc_code_procedure *q = &t->procedures[p];
        bool region = is_region(t, p);
        uint32_t file = q->file, parent = HSC_NO_INDEX;
        if (region && file == HSC_NO_INDEX)
            file = t->procedures[q->parent].file;
        uint32_t row = file_row(m, file);
        if (!region && (parent = file_scope(b, module, module_scope, row)) == HSC_NO_INDEX)
            return false;
        jscope s = {.tag = q->tag, .parent = parent, .kind = region ? HSC_SCOPE_REGION : HSC_SCOPE_PROCEDURE,
                    .knowledge = (uint8_t)q->knowledge, .name = region ? region_name(q->linkage, m->procedure_used.p[p] == USED_AS_TASK) : q->name,
                    .linkage = q->linkage, .module = module, .file = row, .line_begin = q->line_begin,
                    .line_end = q->line_end, .is_unoptimised = q->flags & HSC_procedure_flag_UNOPTIMISED};
        m->procedure_scopes.p[p] = add_scope(j, s);
        if (m->procedure_scopes.p[p] == HSC_NO_INDEX)
            return false;
    }
    for (uint32_t l = 0; l < t->loop_count; l++) {
        const hsc_code_loop *q = &t->loops[l];
        if (!m->procedure_used.p[q->procedure])
            continue;
        const char *name = q->name ? q->name : hsc_enum_text("loop_kind", q->kind);
        jscope s = {.tag = q->tag, .kind = HSC_SCOPE_LOOP, .knowledge = (uint8_t)q->knowledge, .name = name ? name : "loop",
                    .module = module, .file = file_row(m, q->file), .line_begin = q->line_begin,
                    .line_end = q->line_end, .column = q->column_begin, .depth = q->depth};
        if (s.file == HSC_NO_INDEX)
            s.file = file_row(m, t->procedures[q->procedure].file);
        m->loop_scopes.p[l] = add_scope(j, s);
        if (m->loop_scopes.p[l] == HSC_NO_INDEX)
            return false;
    }
    for (uint32_t l = 0; l < t->loop_count; l++)
        if (m->loop_scopes.p[l] != HSC_NO_INDEX)
            j->scopes.p[m->loop_scopes.p[l]].parent =
                t->loops[l].parent == HSC_NO_INDEX ? m->procedure_scopes.p[t->loops[l].procedure]
                                                   : m->loop_scopes.p[t->loops[l].parent];
    for (uint32_t p = 0; p < t->procedure_count; p++) {
        if (!m->procedure_used.p[p] || !is_region(t, p))
            continue;
        uint32_t up = t->procedures[p].parent, loop = loop_around(t, up, t->procedures[p].file, t->procedures[p].line_begin);
        j->scopes.p[m->procedure_scopes.p[p]].parent = loop == HSC_NO_INDEX || m->loop_scopes.p[loop] == HSC_NO_INDEX
                                                           ? m->procedure_scopes.p[up]
                                                           : m->loop_scopes.p[loop];
    }
    return true;
}

static bool add_named(builder *b, uint32_t module, uint32_t parent, const char *name, uint32_t *out) {
    const char *kept = hsc_pool_intern(&b->j->pool, name, strlen(name));
    hsc_knowledge k = module == b->j->unknown_module ? HSC_KNOWN_NOTHING : HSC_KNOWN_MODULE;
    jscope s = {.parent = parent, .kind = HSC_SCOPE_PROCEDURE, .knowledge = (uint8_t)k, .name = kept, .linkage = kept,
                .module = module, .file = b->j->modules.p[module].pseudo_file};
    *out = kept ? add_scope(b->j, s) : HSC_NO_INDEX;
    return *out != HSC_NO_INDEX;
}

static bool add_module(builder *b, uint32_t i) {
    join *j = b->j;
    jmodule *m = &j->modules.p[i];
    hsc_knowledge k = i == j->unknown_module ? HSC_KNOWN_NOTHING : m->tables.knowledge;
    uint32_t scope = add_scope(j, (jscope){.kind = HSC_SCOPE_MODULE, .knowledge = (uint8_t)k, .name = base_name(m->path),
                                           .procedure = HSC_NO_INDEX, .module = i, .file = HSC_NO_INDEX});
    if (scope == HSC_NO_INDEX || !add_procedures(b, i, scope))
        return false;
    for (size_t n = 0; n < m->line_scopes.n; n++)
        if (m->line_scopes.p[n] >> 32 == HSC_NO_INDEX &&
            file_scope(b, i, scope, file_row(m, (uint32_t)(m->line_list.p[n] >> 32))) == HSC_NO_INDEX)
            return false;
    uint32_t pseudo = HSC_NO_INDEX;
    if (m->pseudo_file != HSC_NO_INDEX && (pseudo = file_scope(b, i, scope, m->pseudo_file)) == HSC_NO_INDEX)
        return false;
    m->unknown_procedure = HSC_NO_INDEX;
    if (i == j->unknown_module)
        return add_named(b, i, pseudo, HSC_DB_NO_FILE, &m->unknown_procedure) &&
               add_named(b, i, pseudo, "[no call path]", &j->no_path_scope);
    for (size_t n = 0; n < m->address_rows.n; n++)
        if (!j->places.p[m->address_rows.p[n]].element_count) {
            char name[300];
            snprintf(name, sizeof name, m->path[0] == '[' ? "%.250s" : "[%.250s]", base_name(m->path));
            return add_named(b, i, pseudo, name, &m->unknown_procedure);
        }
    return true;
}

/* ---- then in pre-order ---- */

static int by_order(const void *pa, const void *pb, void *ctx) {
    uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
    const jscope *a = &((const jscope *)ctx)[ia], *b = &((const jscope *)ctx)[ib];
#define COMPARE(x)      \
    if (a->x != b->x)   \
    return a->x < b->x ? -1 : 1
    if (ia == 0 || ib == 0)
        return ia == ib ? 0 : ia == 0 ? -1 : 1;
    COMPARE(parent);
    COMPARE(module);
    if (a->kind == HSC_SCOPE_FILE)
        COMPARE(file);
    COMPARE(line_begin);
    COMPARE(column);
    COMPARE(kind);
    int c = strcmp(a->name, b->name);
    if (!c)
        c = strcmp(a->linkage, b->linkage);
    if (c)
        return c;
    COMPARE(tag);
    return ia < ib ? -1 : ia > ib;
#undef COMPARE
}

static hsc_status order_scopes(join *j, hsc_err *err) {
    size_t n = j->scopes.n;
    uint32_t *sorted = malloc(n * 4), *first = malloc((n + 1) * 4), *row_of = malloc(n * 4), *stack = malloc(n * 4);
    jscope *out = malloc(n * sizeof *out);
    hsc_status status = sorted && first && row_of && stack && out ? HSC_OK : hsc_join_no_memory(err);
    if (status == HSC_OK) {
        for (uint32_t i = 0; i < n; i++)
            sorted[i] = i;
        qsort_r(sorted, n, 4, by_order, j->scopes.p);
        memset(first, 0xff, (n + 1) * 4); /* children of p: from sorted[first[p]] while the parent is p */
        for (uint32_t i = (uint32_t)n; i-- > 1;)
            first[j->scopes.p[sorted[i]].parent] = i;
        size_t depth = 0, rows = 0;
        stack[depth++] = 0;
        while (depth) {
            uint32_t i = stack[--depth];
            row_of[i] = (uint32_t)rows;
            out[rows] = j->scopes.p[i];
            out[rows].parent = i ? row_of[j->scopes.p[i].parent] : 0;
            rows++;
            uint32_t end = first[i];
            while (end != HSC_NO_INDEX && end < n && j->scopes.p[sorted[end]].parent == i)
                end++;
            for (uint32_t k = end; first[i] != HSC_NO_INDEX && k-- > first[i];)
                stack[depth++] = sorted[k]; /* last child first, so that the first is taken next */
        }
        if (rows != n)
            status = hsc_err_set(err, HSC_E_FORMAT, "scope tree: %zu of %zu scopes hang on no parent", n - rows, n);
        for (uint32_t i = 0; i < rows; i++) {
            out[i].subtree_end = i + 1;
            if (out[i].kind == HSC_SCOPE_PROCEDURE)
                out[i].procedure = i;
            else if (out[i].kind > HSC_SCOPE_PROCEDURE)
                out[i].procedure = out[out[i].parent].procedure;
            else
                out[i].procedure = HSC_NO_INDEX;
        }
        for (size_t i = rows; i-- > 1;)
            if (out[i].subtree_end > out[out[i].parent].subtree_end)
                out[out[i].parent].subtree_end = out[i].subtree_end;
        memcpy(j->scopes.p, out, rows * sizeof *out);
        for (size_t i = 0; i < j->modules.n; i++) {
            jmodule *m = &j->modules.p[i];
            for (size_t k = 0; k < m->tables.procedure_count; k++)
                if (m->procedure_scopes.p[k] != HSC_NO_INDEX)
                    m->procedure_scopes.p[k] = row_of[m->procedure_scopes.p[k]];
            for (size_t k = 0; k < m->tables.loop_count; k++)
                if (m->loop_scopes.p[k] != HSC_NO_INDEX)
                    m->loop_scopes.p[k] = row_of[m->loop_scopes.p[k]];
            if (m->unknown_procedure != HSC_NO_INDEX)
                m->unknown_procedure = row_of[m->unknown_procedure];
        }
        if (j->no_path_scope != HSC_NO_INDEX)
            j->no_path_scope = row_of[j->no_path_scope];
    }
    free(sorted);
    free(first);
    free(row_of);
    free(stack);
    free(out);
    return status;
}

/* ---- lines ---- */

static int by_line(const void *pa, const void *pb) {
    const jline *a = pa, *b = pb;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* The row's number is only good until the lines are sorted. */
static bool add_line(join *j, uint32_t file, uint32_t line, uint32_t scope) {
    if (file == HSC_NO_INDEX)
        return true;
    uint32_t *at = hsc_table_at(&j->line_rows, (uint64_t)file << 32 | line, 0);
    if (!at)
        return false;
    if (*at != HSC_NO_INDEX)
        return true;
    *at = (uint32_t)j->lines.n;
    return HSC_PUSH(j->lines, (jline){file, line, scope});
}

static uint32_t element_scope(const jmodule *m, const hsc_code_element *e) {
    return e->kind == HSC_ELEMENT_LOOP ? m->loop_scopes.p[e->index] : m->procedure_scopes.p[e->index];
}

uint32_t hsc_join_line_row(const join *j, uint32_t file, uint32_t line) {
    return file == HSC_NO_INDEX ? HSC_NO_INDEX : hsc_table_get(&j->line_rows, (uint64_t)file << 32 | line, 0);
}

static uint32_t place_scope(const join *j, const jplace *p) {
    const jmodule *m = &j->modules.p[p->module];
    return p->element_count ? element_scope(m, &m->elements.p[p->element_begin + p->element_count - 1]) : HSC_NO_INDEX;
}

/* Are both in instances of one procedure of the source? */
static bool are_instances(const join *j, uint32_t a, uint32_t b) {
    uint32_t p = j->scopes.p[a].procedure, q = j->scopes.p[b].procedure;
    return p != q && p != HSC_NO_INDEX && q != HSC_NO_INDEX && j->scopes.p[p].line_begin && j->scopes.p[p].file == j->scopes.p[q].file &&
           j->scopes.p[p].line_begin == j->scopes.p[q].line_begin;
}

/* A line of a template is in each of its instances: it is told with one that has samples there, where any has, of several the first. */
static hsc_status prefer_instances_that_ran(join *j, hsc_err *err) {
    uint32_t *best = malloc((j->lines.n + 1) * sizeof *best);
    if (!best)
        return hsc_join_no_memory(err);
    memset(best, 0xff, (j->lines.n + 1) * sizeof *best);
    for (size_t i = 0; i < j->places.n; i++) {
        const jplace *p = &j->places.p[i];
        uint32_t scope = p->line_row == HSC_NO_INDEX ? HSC_NO_INDEX : place_scope(j, p), of = scope == HSC_NO_INDEX ? scope : j->lines.p[p->line_row].scope;
        if (of == HSC_NO_INDEX || (j->scopes.p[of].procedure != j->scopes.p[scope].procedure && !are_instances(j, of, scope)))
            continue;
        scope = j->scopes.p[of].procedure == j->scopes.p[scope].procedure ? of : scope; /* it is one that ran */
        if (best[p->line_row] == HSC_NO_INDEX || scope == of || (best[p->line_row] != of && scope < best[p->line_row]))
            best[p->line_row] = scope;
    }
    for (size_t i = 0; i < j->lines.n; i++)
        if (best[i] != HSC_NO_INDEX)
            j->lines.p[i].scope = best[i];
    free(best);
    return HSC_OK;
}

static hsc_status make_lines(join *j, const uint32_t *file_scope_rows, hsc_err *err) {
    for (uint32_t i = 0; i < j->modules.n; i++) {
        jmodule *m = &j->modules.p[i];
        for (size_t k = 0; k < m->line_list.n; k++) {
            uint32_t procedure = (uint32_t)(m->line_scopes.p[k] >> 32), loop = (uint32_t)m->line_scopes.p[k];
            uint32_t file = file_row(m, (uint32_t)(m->line_list.p[k] >> 32)), scope = file_scope_rows[file];
            if (loop != HSC_NO_INDEX && m->loop_scopes.p[loop] != HSC_NO_INDEX)
                scope = m->loop_scopes.p[loop];
            else if (procedure != HSC_NO_INDEX)
                scope = m->procedure_scopes.p[procedure];
            if (!add_line(j, file, (uint32_t)m->line_list.p[k], scope))
                return hsc_join_no_memory(err);
        }
    }
    for (uint32_t i = 0; i < j->modules.n; i++) {
        jmodule *m = &j->modules.p[i];
        for (size_t k = 0; k < m->address_rows.n; k++) {
            jplace *p = &j->places.p[m->address_rows.p[k]];
            const hsc_code_element *e = m->elements.p + p->element_begin;
            for (size_t n = 1; n < p->element_count; n++)
                if (e[n].kind == HSC_ELEMENT_INLINED && e[n].call_file != HSC_NO_INDEX &&
                    !add_line(j, file_row(m, e[n].call_file), e[n].call_line, element_scope(m, &e[n - 1])))
                    return hsc_join_no_memory(err);
            uint32_t scope = p->element_count ? element_scope(m, &e[p->element_count - 1]) : m->unknown_procedure;
            if (p->file == HSC_NO_INDEX)
                scope = file_scope_rows[m->pseudo_file];
            else if (!p->line && file_scope_rows[file_row(m, p->file)] != HSC_NO_INDEX)
                scope = file_scope_rows[file_row(m, p->file)];
            if (!add_line(j, file_row(m, p->file), p->file == HSC_NO_INDEX ? 0 : p->line, scope))
                return hsc_join_no_memory(err);
        }
        if (m->pseudo_file != HSC_NO_INDEX && !add_line(j, m->pseudo_file, 0, file_scope_rows[m->pseudo_file]))
            return hsc_join_no_memory(err);
    }
    if (j->lines.n > 1)
        qsort(j->lines.p, j->lines.n, sizeof *j->lines.p, by_line);
    for (uint32_t i = 0; i < j->lines.n; i++)
        *hsc_table_at(&j->line_rows, (uint64_t)j->lines.p[i].file << 32 | j->lines.p[i].line, 0) = i;
    for (size_t i = 0; i < j->places.n; i++) {
        jplace *p = &j->places.p[i];
        p->line_row = hsc_join_line_row(j, file_row(&j->modules.p[p->module], p->file), p->file == HSC_NO_INDEX ? 0 : p->line);
    }
    return prefer_instances_that_ran(j, err);
}

/* ---- instances and remarks ---- */

static int by_remark(const void *pa, const void *pb) {
    const jremark *a = pa, *b = pb;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int c = strcmp(a->pass, b->pass);
    if (!c)
        c = strcmp(a->name, b->name);
    if (!c)
        c = strcmp(a->message, b->message);
    return c ? c : (a->function > b->function) - (a->function < b->function);
}

static int by_dependence(const void *pa, const void *pb) {
    const jdependence *a = pa, *b = pb;
    const uint64_t x[] = {a->scope, a->source_line, a->source_column, a->sink_line, a->sink_column, a->kind, a->verdict, a->has_distance,
                          a->distance, a->source_file, a->sink_file};
    const uint64_t y[] = {b->scope, b->source_line, b->source_column, b->sink_line, b->sink_column, b->kind, b->verdict, b->has_distance,
                          b->distance, b->source_file, b->sink_file};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Rows of the versions round them; those without a row are passed over. */
static void link_instances(join *j, const jmodule *m) {
    const hsc_code_tables *t = &m->tables;
    for (size_t k = 0; k < t->instance_count; k++) {
        size_t steps = 0; /* a damaged map may go round */
        uint32_t up = t->instances[k].parent;
        if (m->instance_rows.p[k] == HSC_NO_INDEX)
            continue;
        while (up < t->instance_count && m->instance_rows.p[up] == HSC_NO_INDEX && steps++ < t->instance_count)
            up = t->instances[up].parent;
        j->instances.p[m->instance_rows.p[k]].parent = up < t->instance_count ? m->instance_rows.p[up] : HSC_NO_INDEX;
    }
}

static hsc_status make_instances(join *j, hsc_err *err) {
    for (size_t i = 0; i < j->modules.n; i++) {
        jmodule *m = &j->modules.p[i];
        const hsc_code_tables *t = &m->tables;
        for (size_t k = 0; k < t->instance_count; k++) {
            const hsc_code_instance *q = &t->instances[k];
            uint32_t function = q->function == HSC_NO_INDEX ? HSC_NO_INDEX : m->procedure_scopes.p[q->function];
            uint32_t loop = q->loop == HSC_NO_INDEX ? HSC_NO_INDEX : m->loop_scopes.p[q->loop];
            if (loop == HSC_NO_INDEX && function == HSC_NO_INDEX)
                continue;
            m->instance_rows.p[k] = (uint32_t)j->instances.n;
            jinstance row = {loop == HSC_NO_INDEX ? function : loop, function == HSC_NO_INDEX ? loop : function,
                             q->version, q->vector_width, q->interleave, q->unroll, q->vector_bytes, HSC_NO_INDEX};
            if (!HSC_PUSH(j->instances, row))
                return hsc_join_no_memory(err);
        }
        link_instances(j, m);
        for (size_t k = 0; k < t->remark_count; k++) {
            const hsc_code_remark *q = &t->remarks[k];
            uint32_t scope = q->loop == HSC_NO_INDEX ? HSC_NO_INDEX : m->loop_scopes.p[q->loop];
            uint32_t function = q->procedure == HSC_NO_INDEX ? HSC_NO_INDEX : m->procedure_scopes.p[q->procedure];
            if (scope == HSC_NO_INDEX)
                scope = function;
            uint32_t file = q->file == HSC_NO_INDEX ? HSC_NO_INDEX : m->file_rows.p[q->file];
            if (!HSC_PUSH(j->remarks, (jremark){scope, file, q->line, q->kind, q->pass, q->name, q->message, q->reason, q->count, function}))
                return hsc_join_no_memory(err);
        }
        for (size_t k = 0; k < t->dependence_count; k++) {
            const hsc_code_dependence *q = &t->dependences[k];
            uint32_t scope = q->loop == HSC_NO_INDEX ? HSC_NO_INDEX : m->loop_scopes.p[q->loop];
            if (scope == HSC_NO_INDEX && q->procedure != HSC_NO_INDEX)
                scope = m->procedure_scopes.p[q->procedure];
            jdependence row = {.scope = scope, .kind = q->kind, .verdict = q->verdict, .has_distance = q->has_distance,
                               .source_file = q->source_file == HSC_NO_INDEX ? HSC_NO_INDEX : m->file_rows.p[q->source_file],
                               .source_line = q->source_line, .source_column = q->source_column,
                               .sink_file = q->sink_file == HSC_NO_INDEX ? HSC_NO_INDEX : m->file_rows.p[q->sink_file],
                               .sink_line = q->sink_line, .sink_column = q->sink_column, .distance = q->distance};
            if (!HSC_PUSH(j->dependences, row))
                return hsc_join_no_memory(err);
        }
    }
    if (j->remarks.n > 1)
        qsort(j->remarks.p, j->remarks.n, sizeof *j->remarks.p, by_remark);
    if (j->dependences.n > 1)
        qsort(j->dependences.p, j->dependences.n, sizeof *j->dependences.p, by_dependence);
    size_t unique = 0;
    for (size_t i = 0; i < j->dependences.n; i++)
        if (!unique || by_dependence(&j->dependences.p[unique - 1], &j->dependences.p[i]))
            j->dependences.p[unique++] = j->dependences.p[i];
    j->dependences.n = unique;
    size_t n = 0; /* the same remark from several units that hold the same inline procedure */
    for (size_t i = 0; i < j->remarks.n; i++)
        if (!n || by_remark(&j->remarks.p[n - 1], &j->remarks.p[i]))
            j->remarks.p[n++] = j->remarks.p[i];
    j->remarks.n = n;
    return HSC_OK;
}

hsc_status hsc_join_make_scopes(join *j, hsc_err *err) {
    builder b = {.j = j};
    uint32_t *file_scope_rows = NULL;
    j->no_path_scope = HSC_NO_INDEX;
    for (size_t i = 0; i < j->modules.n; i++) {
        if (!size_vectors(&j->modules.p[i]))
            return hsc_join_no_memory(err);
        mark_used(&j->modules.p[i]);
    }
    hsc_status status = make_files(j, err);
    if (status == HSC_OK && add_scope(j, (jscope){.kind = HSC_SCOPE_PROGRAM, .name = hsc_join_program_name(j), .procedure = HSC_NO_INDEX,
                                                  .module = HSC_NO_INDEX, .file = HSC_NO_INDEX}) == HSC_NO_INDEX)
        status = hsc_join_no_memory(err);
    for (uint32_t i = 0; i < j->modules.n && status == HSC_OK; i++)
        if (!add_module(&b, i))
            status = hsc_join_no_memory(err);
    if (status == HSC_OK)
        status = order_scopes(j, err);
    if (status == HSC_OK && !(file_scope_rows = malloc((j->files.n + 1) * 4)))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK) {
        memset(file_scope_rows, 0xff, (j->files.n + 1) * 4);
        for (uint32_t i = (uint32_t)j->scopes.n; i-- > 0;)
            if (j->scopes.p[i].kind == HSC_SCOPE_FILE)
                file_scope_rows[j->scopes.p[i].file] = i; /* of the first module */
        status = make_lines(j, file_scope_rows, err);
    }
    if (status == HSC_OK)
        hsc_join_mark_users(j);
    if (status == HSC_OK)
        status = make_instances(j, err);
    if (status == HSC_OK)
        status = hsc_join_make_data(j, err);
    free(file_scope_rows);
    hsc_table_fini(&b.file_scopes);
    j->summary->scopes = j->scopes.n;
    j->summary->lines = j->lines.n;
    return status;
}
