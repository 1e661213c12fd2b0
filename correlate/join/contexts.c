/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tree of machine frames becomes one calling-context tree of procedures, inlined copies and loops.
 *
 * A frame is expanded once, however many threads have it. Siblings are then put in the order of what they are, so that the
 * rows do not depend on who was met first.
 *
 * OpenMP: the frames of the runtime between a procedure and the body of its parallel region are left out, and a worker
 * thread's region is hung where the master thread's was, when that is one place. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/linkage.h>

#include "contexts.h"
#include "details.h"
#include "ranks.h"


static uint32_t child(jtree *t, uint32_t parent, unsigned kind, uint32_t scope, uint32_t call_line) {
    uint32_t *at = hsc_table_at(&t->rows, (uint64_t)parent << 32 | scope, (uint64_t)kind << 32 | call_line);
    if (!at)
        return HSC_NO_INDEX;
    if (*at == HSC_NO_INDEX) {
        if (t->n >= HSC_NO_INDEX || !hsc_vec_reserve((void **)&t->nodes, &t->cap, t->n + 1, sizeof *t->nodes))
            return HSC_NO_INDEX;
        *at = (uint32_t)t->n;
        t->nodes[t->n++] = (jcontext){parent, scope, call_line, (uint8_t)kind};
    }
    return *at;
}

uint32_t hsc_join_grow(join *j, uint32_t parent, unsigned kind, uint32_t scope, uint32_t call_line) {
    return child(&j->growing, parent, kind, scope, call_line);
}

/* ---- frames ---- */

typedef struct expansion {
    join *j;
    jtree *t;
    const jfork *home; /* of the region's body that is being entered; NULL: the path shows it, or nobody knows */
} expansion;

static bool is_stub(const char *linkage) {
    return !strcmp(linkage, "[plt]") || hsc_linkage_of_stub(linkage) != 0;
}

/* The procedure that a scope, be it a loop of machine code, belongs to. */
static uint32_t procedure_of(const join *j, uint32_t scope) {
    uint32_t p = j->scopes.p[scope].procedure;
    return j->scopes.p[scope].kind == HSC_SCOPE_LOOP && p < j->scopes.n ? p : scope;
}

static bool is_omp_runtime(const join *j, uint32_t scope) {
    scope = procedure_of(j, scope);
    if (j->scopes.p[scope].kind != HSC_SCOPE_PROCEDURE)
        return false;
    const char *linkage = j->scopes.p[scope].linkage;
    return hsc_library_is_openmp(hsc_library_role_of(j->modules.p[j->scopes.p[scope].module].path)) ||
           !strncmp(linkage, "__kmp", 5) || !strncmp(linkage, "GOMP_", 5) || is_stub(linkage);
}

/* The body of a region, by its kind or, where there is no map, by its name. *length: of that of the procedure
 * that it is written in. */
static bool is_region(const jscope *s, size_t *length) {
    size_t n = strlen(s->linkage);
    *length = hsc_linkage_before_region(s->linkage, n);
    *length = *length < n ? *length : 0;
    return s->kind == HSC_SCOPE_REGION || (*length && s->kind == HSC_SCOPE_PROCEDURE);
}

static uint32_t enter(expansion *x, uint32_t caller, const jplace *place, uint32_t call_line);

static bool is_written_in(const join *j, const jscope *region, const jscope *above) {
    size_t length;
    if (above->procedure == region->procedure || above->procedure >= j->scopes.n)
        return above->procedure == region->procedure;
    const char *name = j->scopes.p[above->procedure].linkage;
    return is_region(region, &length) && region->kind == HSC_SCOPE_PROCEDURE && hsc_linkage_before_region(name, strlen(name)) == length &&
           !strncmp(name, region->linkage, length);
}

/* The region's body below what forked it. Where the procedure that it is written in ended in the call that forked it (a jump, so it has no frame) and only
 * the body tells that or which of several calls it was, that comes between. */
static uint32_t enter_forked(expansion *x, uint32_t above, uint32_t scope, uint32_t line, const jplace *body) {
    join *j = x->j;
    const jcontext *at = &x->t->nodes[above];
    const jplace *jump = body->forked == HSC_NO_INDEX ? NULL : &j->places.p[body->forked];
    if (jump && is_written_in(j, &j->scopes.p[scope], &j->scopes.p[at->scope])) {
        const jscope *s = &j->scopes.p[at->scope];
        bool begins = at->kind == HSC_CONTEXT_PROCEDURE && line != HSC_NO_INDEX && line == hsc_join_line_row(j, s->file, s->line_begin);
        above = begins ? at->parent : above;
        line = begins ? at->call_line : line;
        jump = begins ? jump : NULL;
    }
    if (jump) {
        above = enter(x, above, jump, line);
        line = jump->line_row;
    }
    if (body->forked != HSC_NO_INDEX && j->scopes.p[scope].kind == HSC_SCOPE_REGION) { /* one jump may be of several regions */
        uint32_t own = hsc_join_line_row(j, j->scopes.p[scope].file, j->scopes.p[scope].line_begin);
        line = own == HSC_NO_INDEX ? line : own;
    }
    return above == HSC_NO_INDEX ? above : child(x->t, above, HSC_CONTEXT_PROCEDURE, scope, line);
}

/* Context of a region's body that is called by `caller`, from line `call_line`. */
static uint32_t enter_region(expansion *x, uint32_t caller, uint32_t scope, uint32_t call_line, const jplace *body) {
    const join *j = x->j;
    const jcontext *nodes = x->t->nodes;
    uint32_t at = caller, line = call_line;
    bool forked = false;
    while (at && is_omp_runtime(j, nodes[at].scope)) {
        forked = forked || hsc_linkage_starts_region(j->scopes.p[procedure_of(j, nodes[at].scope)].linkage);
        line = nodes[at].call_line;
        at = nodes[at].parent;
    }
    const jscope *above = &j->scopes.p[nodes[at].scope], *region = &j->scopes.p[scope];
    if (at && hsc_linkage_is_region_pair(above->linkage, region->linkage))
        return child(x->t, nodes[at].parent, HSC_CONTEXT_PROCEDURE, scope, nodes[at].call_line);
    if (at && (is_written_in(j, region, above) || (forked && body->forked != HSC_NO_INDEX)))
        return enter_forked(x, at, scope, line, body);
    if (x->home)
        return enter_forked(x, x->home->context, scope, x->home->line, body);
    if (region->kind != HSC_SCOPE_REGION) /* where it is no orphan: at the outermost, or called by others than the runtime */
        return child(x->t, caller, caller && caller != at ? KIND_ORPHAN : HSC_CONTEXT_PROCEDURE, scope, call_line);
    return child(x->t, 0, KIND_ORPHAN, scope, HSC_NO_INDEX);
}

/* What libgomp, which has no name for its code that calls bodies, calls of the module in which the region was forked, below `above`: a body, or what it
 * has become. Copies of tasks' data it makes in GOMP_task. */
static bool is_gomp_body(const join *j, uint32_t caller, uint32_t above, uint32_t scope) {
    const jscope *c = &j->scopes.p[caller];
    return hsc_library_role_of(j->modules.p[c->module].path) == HSC_LIBRARY_GNU_OPENMP && (strncmp(c->linkage, "GOMP_", 5) || hsc_linkage_starts_region(c->linkage)) &&
           j->scopes.p[above].module == j->scopes.p[scope].module;
}

/* A region's body that ends in a call of one procedure may be that procedure (a tail call): as enter_region, where the runtime's frames tell that a region was
 * forked there or the thread's record does. */
static uint32_t enter_called(expansion *x, uint32_t caller, uint32_t scope, uint32_t call_line) {
    const join *j = x->j;
    const jcontext *nodes = x->t->nodes;
    uint32_t at = caller, line = call_line, runtime = procedure_of(j, nodes[caller].scope);
    bool forked = false, gomp = caller && strcmp(j->scopes.p[runtime].linkage, "__kmp_invoke_microtask");
    if (!caller || !is_omp_runtime(j, runtime) || is_omp_runtime(j, scope))
        return child(x->t, caller, HSC_CONTEXT_PROCEDURE, scope, call_line);
    while (at && is_omp_runtime(j, nodes[at].scope)) {
        const char *linkage = j->scopes.p[nodes[at].scope].linkage;
        forked = forked || hsc_linkage_starts_region(linkage);
        line = nodes[at].call_line;
        at = nodes[at].parent;
    }
    uint32_t above = at && forked ? at : x->home ? x->home->context : 0;
    if (gomp && !is_gomp_body(j, runtime, nodes[above].scope, scope))
        return child(x->t, caller, HSC_CONTEXT_PROCEDURE, scope, call_line);
    if (at && forked)
        return child(x->t, at, HSC_CONTEXT_PROCEDURE, scope, line);
    return x->home ? child(x->t, x->home->context, HSC_CONTEXT_PROCEDURE, scope, x->home->line)
                   : child(x->t, caller, HSC_CONTEXT_PROCEDURE, scope, call_line);
}

static uint32_t enter(expansion *x, uint32_t caller, const jplace *place, uint32_t call_line) {
    join *j = x->j;
    const jmodule *m = &j->modules.p[place->module];
    const hsc_code_element *e = m->elements.p + place->element_begin;
    uint32_t c = caller;
    if (!place->element_count && x->t->nodes[c].scope == m->unknown_procedure)
        return c; /* nameless code that calls nameless code of the same file is one context */
    if (!place->element_count)
        return child(x->t, c, HSC_CONTEXT_PROCEDURE, m->unknown_procedure, call_line);
    for (size_t i = 0; i < place->element_count && c != HSC_NO_INDEX; i++) {
        if (e[i].kind == HSC_ELEMENT_LOOP) {
            c = child(x->t, c, HSC_CONTEXT_LOOP, m->loop_scopes.p[e[i].index], HSC_NO_INDEX);
        } else if (e[i].kind == HSC_ELEMENT_INLINED) {
            uint32_t file = e[i].call_file == HSC_NO_INDEX ? HSC_NO_INDEX : m->file_rows.p[e[i].call_file];
            uint32_t line = file == HSC_NO_INDEX
                                ? HSC_NO_INDEX
                                : hsc_table_get(&j->line_rows, (uint64_t)file << 32 | e[i].call_line, 0);
            c = child(x->t, c, HSC_CONTEXT_INLINED, m->procedure_scopes.p[e[i].index], line);
        } else {
            /* by the scopes: ranks other than the first have no tables of the code */
            if (i + 1 < place->element_count && e[i + 1].kind == HSC_ELEMENT_INLINED &&
                hsc_join_is_task_body(j->scopes.p[m->procedure_scopes.p[e[i].index]].linkage,
                                      j->scopes.p[m->procedure_scopes.p[e[i + 1].index]].linkage))
                i++; /* a task's two procedures are one context */
            uint32_t scope = m->procedure_scopes.p[e[i].index];
            size_t length;
            c = is_region(&j->scopes.p[scope], &length) ? enter_region(x, c, scope, call_line, place)
                                                            : enter_called(x, c, scope, call_line);
        }
    }
    return c;
}

uint32_t hsc_join_enter(join *j, const jfork *home, uint32_t caller, const jplace *place, uint32_t call_line) {
    expansion x = {j, &j->growing, home};
    return enter(&x, caller, place, call_line);
}

const jplace *hsc_join_place_of(const join *j, uint32_t frame) { return &j->places.p[j->frames.p[frame].place]; }

/* A wrapper of our runtime is no caller of what it wraps: the program is. */
static bool is_wrapper(const join *j, uint32_t frame) {
    return hsc_library_role_of(j->modules.p[hsc_join_place_of(j, frame)->module].path) == HSC_LIBRARY_HEATSCOPE;
}

uint32_t hsc_join_caller(const join *j, uint32_t frame) {
    uint32_t parent = j->frames.p[frame].parent;
    while (parent != HSC_NO_INDEX && j->frames.p[parent].parent != HSC_NO_INDEX && is_wrapper(j, parent))
        parent = j->frames.p[parent].parent;
    return parent;
}

uint32_t hsc_join_enter_below(join *j, const jfork *home, uint32_t frame, uint32_t caller, uint32_t context) {
    uint32_t line = HSC_NO_INDEX, inner = frame;
    if (caller != HSC_NO_INDEX) {
        while (j->frames.p[inner].parent != caller) /* wrappers */
            inner = j->frames.p[inner].parent;
        const jway *way = j->frames.p[inner].way ? &j->ways.p[j->frames.p[inner].way - 1] : NULL;
        line = hsc_join_place_of(j, caller)->line_row;
        for (uint32_t i = 0; way && i < way->n && context != HSC_NO_INDEX; i++) {
            context = hsc_join_enter(j, home, context, &j->places.p[way->first + i], line);
            line = j->places.p[way->first + i].line_row;
        }
    }
    return context == HSC_NO_INDEX ? context : hsc_join_enter(j, home, context, hsc_join_place_of(j, frame), line);
}

hsc_status hsc_join_enter_frames(join *j, hsc_err *err) {
    bool ok = child(&j->growing, 0, HSC_CONTEXT_ROOT, 0, HSC_NO_INDEX) == 0;
    uint32_t partial = ok ? child(&j->growing, 0, HSC_CONTEXT_PARTIAL, 0, HSC_NO_INDEX) : HSC_NO_INDEX;
    j->no_path_context = HSC_NO_INDEX;
    ok = partial != HSC_NO_INDEX;
    if (ok && j->no_path_scope != HSC_NO_INDEX) {
        j->no_path_context = child(&j->growing, partial, HSC_CONTEXT_PROCEDURE, j->no_path_scope, HSC_NO_INDEX);
        ok = j->no_path_context != HSC_NO_INDEX;
    }
    for (uint32_t i = 0; ok && i < j->frames.n; i++) { /* a parent stands before its children */
        jframe *f = &j->frames.p[i];
        if (f->place == HSC_NO_INDEX)
            continue;
        uint32_t caller = hsc_join_caller(j, i);
        f->context = hsc_join_enter_below(j, NULL, i, caller, caller != HSC_NO_INDEX ? j->frames.p[caller].context : f->truncated ? partial : 0);
        ok = f->context != HSC_NO_INDEX;
    }
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

/* ---- in their order ---- */

/* Where an orphaned region belongs: the one context in which a forking thread ran it. 0: none or several. */
static bool find_homes(const jtree *t, uint32_t *home, size_t scopes) {
    for (size_t s = 0; s < scopes; s++)
        home[s] = 0;
    uint8_t *orphaned = calloc(t->n, 1);
    if (!orphaned)
        return false;
    for (size_t c = 1; c < t->n; c++) {
        const jcontext *n = &t->nodes[c];
        orphaned[c] = n->kind == KIND_ORPHAN || orphaned[n->parent];
        if (!orphaned[c] && n->kind == HSC_CONTEXT_PROCEDURE)
            home[n->scope] = home[n->scope] ? HSC_NO_INDEX : (uint32_t)c;
    }
    for (size_t s = 0; s < scopes; s++)
        if (home[s] == HSC_NO_INDEX)
            home[s] = 0;
    free(orphaned);
    return true;
}

/* ---- probed scopes ---- */

typedef struct sampled { /* contexts of `out` by scope: first[scope], next[context] */
    uint32_t *first, *next;
} sampled;

static bool list_sampled(const join *j, const jtree *out, sampled *x) {
    x->first = malloc((j->scopes.n + 1) * sizeof *x->first);
    x->next = malloc((out->n + 1) * sizeof *x->next);
    for (size_t s = 0; x->first && s < j->scopes.n; s++)
        x->first[s] = HSC_NO_INDEX;
    for (uint32_t c = (uint32_t)out->n; x->first && x->next && c-- > 1;) {
        x->next[c] = x->first[out->nodes[c].scope];
        x->first[out->nodes[c].scope] = c;
    }
    return x->first && x->next;
}

/* The one outermost context of the scope below `above`; HSC_NO_INDEX: none, or several. */
static uint32_t only_below(const jtree *out, const sampled *x, uint32_t above, uint32_t scope) {
    uint32_t found = HSC_NO_INDEX;
    for (uint32_t c = x->first[scope]; c != HSC_NO_INDEX; c = x->next[c]) {
        uint32_t at = out->nodes[c].parent;
        while (at && at != above && out->nodes[at].scope != scope)
            at = out->nodes[at].parent;
        if (at != above)
            continue;
        if (found != HSC_NO_INDEX)
            return HSC_NO_INDEX;
        found = c;
    }
    return found;
}

/* Context of a probed scope below that of the one round it. Where samples do not show the one way to it: right below, at the root as a path of which
 * no more is known. */
static uint32_t probed_context(const join *j, jtree *out, const sampled *x, uint32_t above, uint32_t scope) {
    uint32_t found = only_below(out, x, above, scope), procedure = j->scopes.p[scope].procedure;
    if (found != HSC_NO_INDEX)
        return found;
    above = above ? above : child(out, 0, HSC_CONTEXT_PARTIAL, 0, HSC_NO_INDEX);
    if (above != HSC_NO_INDEX && procedure != scope && procedure < j->scopes.n && j->scopes.p[out->nodes[above].scope].procedure != procedure)
        above = child(out, above, HSC_CONTEXT_PROCEDURE, procedure, HSC_NO_INDEX);
    return above == HSC_NO_INDEX
               ? HSC_NO_INDEX
               : child(out, above, j->scopes.p[scope].kind == HSC_SCOPE_LOOP ? HSC_CONTEXT_LOOP : HSC_CONTEXT_PROCEDURE, scope, HSC_NO_INDEX);
}

static bool adopt_probed(const join *j, const jtree *t, jtree *out, uint32_t *map) {
    sampled x = {0};
    size_t first = 1;
    while (first < t->n && t->nodes[first].kind != KIND_PROBED)
        first++;
    if (first == t->n)
        return true;
    bool ok = list_sampled(j, out, &x);
    for (size_t c = first; ok && c < t->n; c++) { /* parents stand before */
        const jcontext *n = &t->nodes[c];
        if (n->kind == KIND_PROBED)
            ok = (map[c] = probed_context(j, out, &x, map[n->parent], n->scope)) != HSC_NO_INDEX;
    }
    free(x.first);
    free(x.next);
    return ok;
}

/* t without orphans and probed ones: *map gives the row in `out` of each row of t. */
static bool adopt(const join *j, const jtree *t, jtree *out, uint32_t *map) {
    uint32_t *home = malloc((j->scopes.n + 1) * sizeof *home);
    bool ok = home && find_homes(t, home, j->scopes.n) && child(out, 0, HSC_CONTEXT_ROOT, 0, HSC_NO_INDEX) == 0;
    for (size_t c = 0; ok && c < t->n; c++)
        map[c] = c ? HSC_NO_INDEX : 0;
    for (int pass = 0; pass < 2; pass++) /* first what has its place, then the orphans and what is below them */
        for (size_t c = 1; ok && c < t->n; c++) {
            const jcontext *n = &t->nodes[c];
            if (map[c] != HSC_NO_INDEX || n->kind == KIND_PROBED || map[n->parent] == HSC_NO_INDEX || (n->kind == KIND_ORPHAN && !pass))
                continue;
            if (n->kind != KIND_ORPHAN) {
                map[c] = child(out, map[n->parent], n->kind, n->scope, n->call_line);
            } else if (home[n->scope] && map[home[n->scope]] != HSC_NO_INDEX) {
                map[c] = map[home[n->scope]];
            } else if (j->scopes.p[n->scope].kind != HSC_SCOPE_REGION) { /* without a map */
                map[c] = child(out, map[n->parent], HSC_CONTEXT_PROCEDURE, n->scope, n->call_line);
            } else {
                uint32_t procedure = j->scopes.p[n->scope].procedure;
                uint32_t above = child(out, 0, HSC_CONTEXT_PROCEDURE, procedure, HSC_NO_INDEX);
                map[c] = above == HSC_NO_INDEX ? HSC_NO_INDEX
                                               : child(out, above, HSC_CONTEXT_PROCEDURE, n->scope, HSC_NO_INDEX);
            }
            ok = map[c] != HSC_NO_INDEX;
        }
    free(home);
    return ok && adopt_probed(j, t, out, map);
}

static int by_what(const void *pa, const void *pb, void *ctx) {
    uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
    const jcontext *a = &((const jcontext *)ctx)[ia], *b = &((const jcontext *)ctx)[ib];
    if (!ia || !ib)
        return ia == ib ? 0 : !ia ? -1 : 1;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return a->call_line < b->call_line ? -1 : a->call_line > b->call_line;
}

typedef struct site_marks {
    const uint32_t *map;
    uint8_t *used;
} site_marks;

static void mark_site(void *ctx, void *site) {
    const site_marks *m = ctx;
    m->used[m->map[((const jsite *)site)->context]] = 1;
}

static void map_site(void *ctx, void *site) {
    const join *j = ctx;
    jsite *s = site;
    s->context = j->context_map.p[s->context];
}

/* Marks the contexts that samples count in (a parent stands before its children). */
static hsc_status mark_used(join *j, const jtree *t, const uint32_t *map, uint8_t *used, hsc_err *err) {
    for (size_t i = 0; i < j->kinds.n; i++)
        used[map[j->kinds.p[i].context]] = 1;
    site_marks marks = {map, used};
    hsc_status status = HSC_OK;
    for (size_t i = 0; status == HSC_OK && i < j->run.n; i++)
        status = hsc_join_each_site(j, j->run.p[i], false, mark_site, &marks, err);
    if (status == HSC_OK)
        status = hsc_ranks_merge_used(j, used, t->n, err);
    for (size_t c = t->n; c-- > 1;)
        used[t->nodes[c].parent] |= used[c];
    used[0] = 1;
    return status;
}

/* Rows in pre-order, siblings by (kind, scope, line of the call). *final gives the row of each used row of t. */
static bool put_in_order(join *j, const jtree *t, const uint8_t *used, uint32_t *final) {
    size_t n = 0, rows = 0, open = 0;
    for (size_t c = 0; c < t->n; c++)
        n += used[c];
    uint32_t *sorted = malloc(n * 4), *first = malloc((t->n + 1) * 4), *stack = malloc(n * 4);
    bool ok = sorted && first && stack && HSC_RESERVE(j->contexts, n) && HSC_RESERVE(j->subtree_ends, n) &&
              HSC_RESERVE(j->depths, n);
    if (ok) {
        for (uint32_t i = 0, k = 0; i < t->n; i++)
            if (used[i])
                sorted[k++] = i;
        qsort_r(sorted, n, 4, by_what, t->nodes);
        memset(first, 0xff, (t->n + 1) * 4);
        memset(final, 0xff, t->n * 4);
        for (uint32_t i = (uint32_t)n; i-- > 1;)
            first[t->nodes[sorted[i]].parent] = i;
        stack[open++] = 0;
        while (open) {
            uint32_t i = stack[--open], end = first[i];
            final[i] = (uint32_t)rows;
            j->contexts.p[rows] = t->nodes[i];
            j->contexts.p[rows].parent = i ? final[t->nodes[i].parent] : 0;
            j->depths.p[rows] = i ? j->depths.p[j->contexts.p[rows].parent] + 1 : 0;
            j->subtree_ends.p[rows] = (uint32_t)rows + 1;
            rows++;
            while (end != HSC_NO_INDEX && end < n && t->nodes[sorted[end]].parent == i)
                end++;
            for (uint32_t k = end; first[i] != HSC_NO_INDEX && k-- > first[i];)
                stack[open++] = sorted[k];
        }
        for (size_t i = rows; i-- > 1;)
            if (j->subtree_ends.p[i] > j->subtree_ends.p[j->contexts.p[i].parent])
                j->subtree_ends.p[j->contexts.p[i].parent] = j->subtree_ends.p[i];
        j->contexts.n = j->subtree_ends.n = j->depths.n = rows;
    }
    free(sorted);
    free(first);
    free(stack);
    return ok;
}

hsc_status hsc_join_make_contexts(join *j, hsc_err *err) {
    jtree *all = &j->growing, settled = {0};
    hsc_status status = hsc_ranks_merge_kinds(j, err);
    if (status != HSC_OK)
        return status;
    uint32_t *map = malloc((all->n + 1) * sizeof *map), *final = NULL;
    uint8_t *used = NULL;
    bool ok = map && adopt(j, all, &settled, map) && (used = calloc(settled.n, 1)) && (final = malloc(settled.n * sizeof *final)) &&
              HSC_RESERVE(j->context_map, all->n);
    if (ok)
        status = mark_used(j, &settled, map, used, err);
    ok = ok && status == HSC_OK && put_in_order(j, &settled, used, final);
    if (ok) {
        for (size_t c = 0; c < all->n; c++)
            j->context_map.p[j->context_map.n++] = final[map[c]];
        for (size_t i = 0; i < j->frames.n; i++)
            if (j->frames.p[i].context != HSC_NO_INDEX)
                j->frames.p[i].context = j->context_map.p[j->frames.p[i].context];
        for (size_t i = 0; status == HSC_OK && i < j->run.n; i++)
            status = hsc_join_each_site(j, j->run.p[i], true, map_site, j, err);
        ok = status == HSC_OK;
    }
    free(map);
    free(used);
    free(final);
    free(settled.nodes);
    hsc_table_fini(&settled.rows);
    free(all->nodes);
    hsc_table_fini(&all->rows);
    *all = (jtree){0};
    j->summary->contexts = j->contexts.n;
    ok = ok && hsc_join_place_loops(j);
    return ok ? hsc_join_classify(j, err) : status != HSC_OK ? status : hsc_join_no_memory(err);
}
