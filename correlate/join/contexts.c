/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The threads' trees of machine frames become one calling-context tree of procedures, inlined copies and loops.
 *
 * Each process is expanded by itself; the trees are merged; siblings are then put in the order of what they are, so
 * that the rows do not depend on who was merged first.
 *
 * OpenMP: the frames of the runtime between a procedure and the body of its parallel region are left out, and a worker
 * thread's region is hung where the master thread's was, when that is one place. */
#include <stdlib.h>
#include <string.h>

#include "join_internal.h"

#define KIND_ORPHAN 100u /* the body of a region in a thread whose path does not show who forked it */

typedef struct tree {
    jcontext *nodes;
    size_t n, cap;
    hsc_table rows; /* (parent << 32 | scope, kind << 32 | call_line) */
} tree;

static uint32_t child(tree *t, uint32_t parent, unsigned kind, uint32_t scope, uint32_t call_line) {
    uint32_t *at = hsc_table_at(&t->rows, (uint64_t)parent << 32 | scope, (uint64_t)kind << 32 | call_line);
    if (!at)
        return HSC_NO_INDEX;
    if (*at == HSC_NO_INDEX) {
        if (!hsc_vec_reserve((void **)&t->nodes, &t->cap, t->n + 1, sizeof *t->nodes))
            return HSC_NO_INDEX;
        *at = (uint32_t)t->n;
        t->nodes[t->n++] = (jcontext){parent, scope, call_line, (uint8_t)kind};
    }
    return *at;
}

/* ---- one process ---- */

typedef struct expansion {
    join *j;
    jprocess *p;
    tree t;
    const jfork *home; /* of the region's body that is being entered; NULL: the path shows it, or nobody knows */
} expansion;

static bool is_stub(const char *linkage) {
    size_t n = strlen(linkage);
    return !strcmp(linkage, "[plt]") || (n > 4 && !strcmp(linkage + n - 4, "@plt"));
}

static bool is_omp_runtime(const join *j, uint32_t scope) {
    if (j->scopes.p[scope].kind != HSC_SCOPE_PROCEDURE)
        return false;
    const char *path = j->modules.p[j->scopes.p[scope].module].path, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *linkage = j->scopes.p[scope].linkage;
    return !strncmp(name, "libomp", 6) || !strncmp(name, "libgomp", 7) || !strncmp(name, "libiomp", 7) ||
           !strncmp(linkage, "__kmp", 5) || !strncmp(linkage, "GOMP_", 5) || is_stub(linkage);
}

/* clang -O0 calls the region's body in a procedure of its own, f.omp_outlined_debug__, from f.omp_outlined. */
static bool is_omp_pair(const char *outer, const char *inner) {
    const char *a = strstr(outer, ".omp_outlined"), *b = strstr(inner, ".omp_outlined");
    return a && b && strstr(b, "_debug__") && !strstr(a, "_debug__") && a - outer == b - inner &&
           !strncmp(outer, inner, (size_t)(a - outer));
}

/* The body of a region, by its kind or, where there is no map, by the name that compilers give it: the name of the procedure
 * that it is written in, and one of these. *length: of that name. */
static bool is_region(const jscope *s, size_t *length) {
    static const char *const marks[] = {".omp_outlined", "..omp_par", "._omp_fn."};
    *length = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !*length; i++) {
        const char *at = strstr(s->linkage, marks[i]);
        *length = at ? (size_t)(at - s->linkage) : 0;
    }
    return s->kind == HSC_SCOPE_REGION || (*length && s->kind == HSC_SCOPE_PROCEDURE);
}

static bool is_written_in(const join *j, const jscope *region, const jscope *above) {
    size_t length;
    if (above->procedure == region->procedure || above->procedure >= j->scopes.n)
        return above->procedure == region->procedure;
    const char *name = j->scopes.p[above->procedure].linkage;
    return is_region(region, &length) && region->kind == HSC_SCOPE_PROCEDURE && strlen(name) == length &&
           !strncmp(name, region->linkage, length);
}

/* Context of a region's body that is called by `caller`, from line `call_line`. */
static uint32_t enter_region(expansion *x, uint32_t caller, uint32_t scope, uint32_t call_line) {
    const join *j = x->j;
    const jcontext *nodes = x->t.nodes;
    uint32_t at = caller, line = call_line;
    while (at && is_omp_runtime(j, nodes[at].scope)) {
        line = nodes[at].call_line;
        at = nodes[at].parent;
    }
    const jscope *above = &j->scopes.p[nodes[at].scope], *region = &j->scopes.p[scope];
    if (at && is_omp_pair(above->linkage, region->linkage))
        return child(&x->t, nodes[at].parent, HSC_CONTEXT_PROCEDURE, scope, nodes[at].call_line);
    if (at && is_written_in(j, region, above))
        return child(&x->t, at, HSC_CONTEXT_PROCEDURE, scope, line);
    if (x->home)
        return child(&x->t, x->home->context, HSC_CONTEXT_PROCEDURE, scope, x->home->line);
    if (region->kind != HSC_SCOPE_REGION)
        return child(&x->t, caller, HSC_CONTEXT_PROCEDURE, scope, call_line);
    return child(&x->t, 0, KIND_ORPHAN, scope, HSC_NO_INDEX);
}

static uint32_t enter(expansion *x, uint32_t caller, const jplace *place, uint32_t call_line) {
    join *j = x->j;
    const jmodule *m = &j->modules.p[place->module];
    const hsc_code_element *e = m->elements.p + place->element_begin;
    uint32_t c = caller;
    if (!place->element_count && x->t.nodes[c].scope == m->unknown_procedure)
        return c; /* nameless code that calls nameless code of the same file is one context */
    if (!place->element_count)
        return child(&x->t, c, HSC_CONTEXT_PROCEDURE, m->unknown_procedure, call_line);
    for (size_t i = 0; i < place->element_count && c != HSC_NO_INDEX; i++) {
        if (e[i].kind == HSC_ELEMENT_LOOP) {
            c = child(&x->t, c, HSC_CONTEXT_LOOP, m->loop_scopes.p[e[i].index], HSC_NO_INDEX);
        } else if (e[i].kind == HSC_ELEMENT_INLINED) {
            uint32_t file = e[i].call_file == HSC_NO_INDEX ? HSC_NO_INDEX : m->file_rows.p[e[i].call_file];
            uint32_t line = file == HSC_NO_INDEX
                                ? HSC_NO_INDEX
                                : hsc_table_get(&j->line_rows, (uint64_t)file << 32 | e[i].call_line, 0);
            c = child(&x->t, c, HSC_CONTEXT_INLINED, m->procedure_scopes.p[e[i].index], line);
        } else {
            uint32_t scope = m->procedure_scopes.p[e[i].index];
            size_t length;
            c = is_region(&j->scopes.p[scope], &length) ? enter_region(x, c, scope, call_line)
                                                            : child(&x->t, c, HSC_CONTEXT_PROCEDURE, scope, call_line);
        }
    }
    return c;
}

/* Samples at a place, or with none at the code that nobody knows. */
static bool add_leaf(const expansion *x, jthread *t, uint32_t context, const jplace *place, unsigned state, uint32_t metric,
                     uint64_t value) {
    uint32_t instance = HSC_NO_INDEX, line;
    if (!value)
        return true;
    if (place) {
        line = place->line_row;
        if (place->instance != HSC_NO_INDEX)
            instance = x->j->modules.p[place->module].instance_rows.p[place->instance];
    } else {
        uint32_t file = x->j->modules.p[x->j->unknown_module].pseudo_file;
        line = hsc_table_get(&x->j->line_rows, (uint64_t)file << 32, 0);
    }
    jleaf leaf = {.context = context,
                  .line = line,
                  .instance = instance,
                  .state = (uint8_t)state,
                  .level = place ? place->level : HSC_LEVEL_NOTHING,
                  .metric = (uint8_t)metric,
                  .count = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX,
                  .order = (uint32_t)t->leaves.n};
    return HSC_PUSH(t->leaves, leaf) &&
           (!place || hsc_join_note_address(t, (uint32_t)(place - x->j->places.p), metric, value));
}

/* The same of what weights other than 1 do: `excess` and `sum` of values that are multiplied with `factor`. */
static bool add_excess(const expansion *x, jthread *t, uint32_t context, const jplace *place, unsigned state, uint32_t metric,
                       double excess, double sum, double factor) {
    uint32_t value = hsc_join_excess_cell(x->j, metric, excess, sum, factor);
    return add_leaf(x, t, context, place, state, x->j->metrics.p[metric].weights, value);
}

static bool add_leaves(const expansion *x, jthread *t, uint32_t context, const jplace *place, const uint32_t *counts) {
    bool ok = true;
    for (unsigned s = 0; ok && s < STATES; s++)
        ok = add_leaf(x, t, context, place, s, 0, (uint64_t)counts[s] * x->p->weight) &&
             add_excess(x, t, context, place, s, 0, 0, counts[s], x->p->weight);
    return ok;
}

/* What the event would have counted, had it had a counter all the time. */
static uint64_t scaled(uint64_t value, double factor) {
    double v = (double)value * factor + 0.5;
    return factor <= 1 ? value : v < (double)THREAD_SAMPLES_MAX ? (uint64_t)v : THREAD_SAMPLES_MAX;
}

/* Metric and divisor of an event; false: nobody announced it. */
static bool find_event(const expansion *x, uint64_t event, uint32_t *metric, uint64_t *divisor) {
    *metric = 0;
    *divisor = 1;
    for (size_t k = 0; k < x->p->events.n; k++)
        if (x->p->events.p[k].id == event) {
            *metric = x->p->events.p[k].metric;
            *divisor = x->p->events.p[k].divisor > 1 ? x->p->events.p[k].divisor : 1;
        }
    return !event || (*metric && *metric < x->j->metrics.n);
}

/* A wrapper of our runtime is no caller of what it wraps: the program is. */
static bool is_wrapper(const join *j, const jthread *t, uint32_t node) {
    const char *path = j->modules.p[j->places.p[t->nodes.p[node].place].module].path, *slash = strrchr(path, '/');
    return !strncmp(slash ? slash + 1 : path, "libheatscope-", 13);
}

/* Row of the caller's frame; HSC_NO_INDEX: none. Our own wrappers are no callers. */
static uint32_t caller_row(const join *j, const jthread *t, size_t row) {
    uint32_t parent = t->nodes.p[row].parent;
    while (parent != HSC_NO_INDEX && t->nodes.p[parent].parent != HSC_NO_INDEX && is_wrapper(j, t, parent))
        parent = t->nodes.p[parent].parent;
    return parent;
}

/* ---- workers of OpenMP regions whose forking thread has told where it was ---- */

/* Takes the samples that can be hung there out of the thread's counts. */
static void take_worked(const expansion *x, jthread *t) {
    uint32_t row;
    for (size_t i = 0; i < t->worked.capacity; i++) {
        const hsc_table_slot *slot = &t->worked.slots[i];
        if (slot->used && hsc_join_fork_of(x->p, slot->b, &row))
            t->counts.p[slot->a] -= t->worked_counts.p[slot->value];
    }
}

/* Context of a row whose path goes on, at its region's body, from x->home. `known`: (row, region): context */
static uint32_t homed_context(expansion *x, const jthread *t, uint32_t row, uint64_t region, hsc_table *known) {
    const join *j = x->j;
    HSC_VEC(uint32_t) chain = {0};
    uint32_t context = 0, line = HSC_NO_INDEX, at = row;
    bool ok = true;
    while (ok && at != HSC_NO_INDEX && (context = hsc_table_get(known, at, region)) == HSC_NO_INDEX) {
        ok = HSC_PUSH(chain, at);
        at = caller_row(j, t, at);
    }
    if (at == HSC_NO_INDEX)
        context = chain.n && t->nodes.p[chain.p[chain.n - 1]].flags & HSC_node_flag_TRUNCATED
                      ? child(&x->t, 0, HSC_CONTEXT_PARTIAL, 0, HSC_NO_INDEX)
                      : 0;
    else
        line = j->places.p[t->nodes.p[at].place].line_row;
    for (size_t i = chain.n; ok && context != HSC_NO_INDEX && i-- > 0;) {
        const jplace *place = &j->places.p[t->nodes.p[chain.p[i]].place];
        context = enter(x, context, place, line);
        line = place->line_row;
        uint32_t *slot = hsc_table_at(known, chain.p[i], region);
        ok = slot != NULL;
        if (ok)
            *slot = context;
    }
    free(chain.p);
    return ok ? context : HSC_NO_INDEX;
}

static bool add_worked(expansion *x, jthread *t, const uint8_t *truncated, hsc_table *known) {
    bool ok = true;
    for (size_t i = 0; ok && i < t->worked.capacity; i++) {
        const hsc_table_slot *slot = &t->worked.slots[i];
        uint32_t region, counts[STATES] = {0}, row = (uint32_t)(slot->a / STATES);
        if (!slot->used || !(x->home = hsc_join_fork_of(x->p, slot->b, &region)))
            continue;
        uint32_t context = homed_context(x, t, row, hsc_join_same_fork(x->p, region), known);
        counts[slot->a % STATES] = t->worked_counts.p[slot->value];
        t->truncated += truncated[row] ? counts[slot->a % STATES] : 0;
        size_t before = t->leaves.n;
        ok = context != HSC_NO_INDEX && add_leaves(x, t, context, &x->j->places.p[t->nodes.p[row].place], counts) &&
             hsc_join_note_timed(t, before, row, slot->b, 0);
    }
    x->home = NULL;
    return ok;
}

/* Values of everything but the samples of metric 0, whose weights are here too. */
static bool add_other_leaves(expansion *x, jthread *t, const uint32_t *context_of, uint32_t no_path, hsc_table *known) {
    bool ok = true;
    for (size_t i = 0; ok && i < t->other_counts.capacity; i++) {
        const hsc_table_slot *slot = &t->other_counts.slots[i];
        uint64_t event = slot->b >> 8, divisor, region = slot->a >> 32;
        uint32_t metric, row = (uint32_t)slot->a, context;
        if (!slot->used)
            continue;
        bool is_excess = event >= JOIN_EXCESS, has_row = row != HSC_NO_INDEX;
        event -= is_excess ? JOIN_EXCESS : 0;
        if (!find_event(x, event, &metric, &divisor) || (!has_row && no_path == HSC_NO_INDEX))
            continue;
        if (region && (x->home = hsc_join_fork_of(x->p, region, &context))) {
            context = homed_context(x, t, row, hsc_join_same_fork(x->p, context), known);
            ok = context != HSC_NO_INDEX;
        } else {
            context = has_row ? context_of[row] : no_path;
        }
        x->home = NULL;
        const jplace *place = has_row ? &x->j->places.p[t->nodes.p[row].place] : NULL;
        double factor = !event ? x->p->weight : event < JOIN_EVENTS_MAX ? hsc_join_multiplex(t, event) : 1;
        uint64_t value = t->other_values.p[slot->value];
        unsigned state = slot->b & 7;
        if (is_excess) {
            ok = ok && add_excess(x, t, context, place, state, metric, (double)value, 0, factor);
            continue;
        }
        size_t before = t->leaves.n;
        uint64_t v = scaled(value, factor);
        v = v / divisor + (v % divisor >= divisor - divisor / 2);
        ok = ok && add_leaf(x, t, context, place, state, metric, v < THREAD_SAMPLES_MAX ? v : THREAD_SAMPLES_MAX) &&
             (event >= JOIN_EVENTS_MAX || hsc_join_note_timed(t, before, row, region, event)) &&
             (factor <= 1 || add_excess(x, t, context, place, state, metric, 0, (double)value, factor));
    }
    return ok;
}

static bool expand_thread(expansion *x, jthread *t) {
    join *j = x->j;
    uint32_t *context_of = malloc((t->nodes.n + 1) * sizeof *context_of), no_path = HSC_NO_INDEX;
    uint8_t *truncated = calloc(t->nodes.n + 1, 1);
    bool ok = context_of && truncated;
    take_worked(x, t);
    for (size_t i = 0; ok && i < t->nodes.n; i++) {
        const jnode *n = &t->nodes.p[i];
        const jplace *place = &j->places.p[n->place];
        uint32_t caller = 0, line = HSC_NO_INDEX, parent = caller_row(j, t, i);
        if (parent != HSC_NO_INDEX) {
            caller = context_of[parent];
            line = j->places.p[t->nodes.p[parent].place].line_row;
            truncated[i] = truncated[parent];
        } else if (n->flags & HSC_node_flag_TRUNCATED) {
            caller = child(&x->t, 0, HSC_CONTEXT_PARTIAL, 0, HSC_NO_INDEX);
            truncated[i] = 1;
        }
        context_of[i] = caller == HSC_NO_INDEX ? HSC_NO_INDEX : enter(x, caller, place, line);
        const uint32_t *counts = t->counts.p + i * STATES;
        size_t before = t->leaves.n;
        ok = context_of[i] != HSC_NO_INDEX && add_leaves(x, t, context_of[i], place, counts) &&
             hsc_join_note_timed(t, before, i, 0, 0);
        for (unsigned s = 0; truncated[i] && s < STATES; s++)
            t->truncated += counts[s];
    }
    if (ok && (t->no_path || t->other_counts.count) && j->no_path_scope != HSC_NO_INDEX) {
        uint32_t partial = child(&x->t, 0, HSC_CONTEXT_PARTIAL, 0, HSC_NO_INDEX);
        no_path = partial == HSC_NO_INDEX
                      ? HSC_NO_INDEX
                      : child(&x->t, partial, HSC_CONTEXT_PROCEDURE, j->no_path_scope, HSC_NO_INDEX);
        size_t before = t->leaves.n;
        ok = no_path != HSC_NO_INDEX && add_leaves(x, t, no_path, NULL, t->no_path_counts.p) &&
             hsc_join_note_timed(t, before, HSC_NO_INDEX, 0, 0);
    }
    hsc_table known = {0};
    ok = ok && add_worked(x, t, truncated, &known) && add_other_leaves(x, t, context_of, no_path, &known);
    hsc_table_fini(&known);
    hsc_join_settle_addresses(t);
    for (size_t i = 0; ok && i < t->forks.n; i++) {
        uint32_t row = hsc_join_node_row(t, t->forks.p[i].node);
        if (row != HSC_NO_INDEX) {
            t->forks.p[i].context = context_of[row];
            t->forks.p[i].line = j->places.p[t->nodes.p[row].place].line_row;
        }
    }
    if (ok)
        hsc_join_place_sites(j, x->p, t, context_of, no_path);
    ok = ok && hsc_join_blame_place(j, x->p, t, context_of);
    free(context_of);
    free(truncated);
    return ok;
}

static hsc_status expand(void *ctx, size_t i, hsc_err *err) {
    join *j = ctx;
    expansion x = {.j = j, .p = j->run.p[i]};
    bool ok = child(&x.t, 0, HSC_CONTEXT_ROOT, 0, HSC_NO_INDEX) == 0;
    size_t threads = x.p->threads.n;
    for (size_t k = 0; ok && k < 2 * threads; k++) { /* workers after those that forked their regions */
        jthread *t = &x.p->threads.p[k < threads ? k : k - threads];
        if ((t->worked.count != 0) != (k >= threads))
            continue;
        if (t->row != HSC_NO_INDEX)
            ok = expand_thread(&x, t);
        free(t->nodes.p); /* not needed any more, and most of the memory */
        free(t->counts.p);
        free(t->other_values.p);
        free(t->event_times.p);
        hsc_table_fini(&t->node_rows);
        hsc_table_fini(&t->other_counts);
        memset(&t->nodes, 0, sizeof t->nodes);
        memset(&t->counts, 0, sizeof t->counts);
        memset(&t->other_values, 0, sizeof t->other_values);
        memset(&t->event_times, 0, sizeof t->event_times);
    }
    hsc_table_fini(&x.t.rows);
    x.p->contexts.p = x.t.nodes;
    x.p->contexts.n = x.t.n;
    x.p->contexts.cap = x.t.cap;
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

/* ---- all processes ---- */

/* Where an orphaned region belongs: the one context in which a forking thread ran it. 0: none or several. */
static bool find_homes(const tree *t, uint32_t *home, size_t scopes) {
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

/* t without orphans: *map gives the row in `out` of each row of t. */
static bool adopt(const join *j, const tree *t, tree *out, uint32_t *map) {
    uint32_t *home = malloc((j->scopes.n + 1) * sizeof *home);
    bool ok = home && find_homes(t, home, j->scopes.n) && child(out, 0, HSC_CONTEXT_ROOT, 0, HSC_NO_INDEX) == 0;
    for (size_t c = 0; ok && c < t->n; c++)
        map[c] = c ? HSC_NO_INDEX : 0;
    for (int pass = 0; pass < 2; pass++) /* first what has its place, then the orphans and what is below them */
        for (size_t c = 1; ok && c < t->n; c++) {
            const jcontext *n = &t->nodes[c];
            if (map[c] != HSC_NO_INDEX || map[n->parent] == HSC_NO_INDEX || (n->kind == KIND_ORPHAN && !pass))
                continue;
            if (n->kind != KIND_ORPHAN) {
                map[c] = child(out, map[n->parent], n->kind, n->scope, n->call_line);
            } else if (home[n->scope] && map[home[n->scope]] != HSC_NO_INDEX) {
                map[c] = map[home[n->scope]];
            } else {
                uint32_t procedure = j->scopes.p[n->scope].procedure;
                uint32_t above = child(out, 0, HSC_CONTEXT_PROCEDURE, procedure, HSC_NO_INDEX);
                map[c] = above == HSC_NO_INDEX ? HSC_NO_INDEX
                                               : child(out, above, HSC_CONTEXT_PROCEDURE, n->scope, HSC_NO_INDEX);
            }
            ok = map[c] != HSC_NO_INDEX;
        }
    free(home);
    return ok;
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

/* Marks the contexts that samples count in (a parent stands before its children). */
static void mark_used(const join *j, const tree *t, const uint32_t *map, uint8_t *used) {
    for (size_t i = 0; i < j->threads.n; i++) {
        const jthread *at = j->threads.p[i];
        for (size_t k = 0; k < at->leaves.n; k++)
            used[map[at->process->context_map.p[at->leaves.p[k].context]]] = 1;
    }
    for (size_t i = 0; i < j->run.n; i++)
        for (size_t k = 0; k < j->run.p[i]->sites.n; k++)
            used[map[j->run.p[i]->context_map.p[j->run.p[i]->sites.p[k].context]]] = 1;
    for (size_t c = t->n; c-- > 1;)
        used[t->nodes[c].parent] |= used[c];
    used[0] = 1;
}

/* Rows in pre-order, siblings by (kind, scope, line of the call). *final gives the row of each used row of t. */
static bool put_in_order(join *j, const tree *t, const uint8_t *used, uint32_t *final) {
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

static int by_leaf(const void *pa, const void *pb) {
    const jleaf *a = pa, *b = pb;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->instance != b->instance)
        return a->instance < b->instance ? -1 : 1;
    unsigned x = (unsigned)a->metric << 16 | (unsigned)a->state << 8 | a->level;
    unsigned y = (unsigned)b->metric << 16 | (unsigned)b->state << 8 | b->level;
    return x < y ? -1 : x > y;
}

/* Leaves of a thread: final rows, sorted, equal ones added up; the thread's totals. */
static hsc_status settle_thread(void *ctx, size_t i, hsc_err *err) {
    join *j = ctx;
    jthread *t = j->threads.p[i];
    for (size_t k = 0; k < t->leaves.n; k++) {
        jleaf *leaf = &t->leaves.p[k];
        leaf->context = t->process->context_map.p[leaf->context];
        if (leaf->metric)
            continue;
        uint8_t state = leaf->state ? (uint8_t)(leaf->state - 1) : j->context_categories.p[leaf->context];
        t->total[state] += leaf->count;
        t->attributed[leaf->level] += leaf->count;
    }
    if (t->leaves.n > 1)
        qsort(t->leaves.p, t->leaves.n, sizeof *t->leaves.p, by_leaf);
    uint32_t *leaf_of = malloc((t->leaves.n + 1) * sizeof *leaf_of);
    if (!leaf_of)
        return hsc_join_no_memory(err);
    size_t n = 0;
    for (size_t k = 0; k < t->leaves.n; k++) {
        uint32_t order = t->leaves.p[k].order;
        if (n && !by_leaf(&t->leaves.p[n - 1], &t->leaves.p[k]) &&
            t->leaves.p[n - 1].count <= UINT32_MAX - t->leaves.p[k].count)
            t->leaves.p[n - 1].count += t->leaves.p[k].count;
        else
            t->leaves.p[n++] = t->leaves.p[k];
        leaf_of[order] = (uint32_t)n - 1;
    }
    t->leaves.n = n;
    hsc_join_settle_timed(t, leaf_of);
    free(leaf_of);
    return HSC_OK;
}

static bool merge(join *j, tree *t) {
    if (child(t, 0, HSC_CONTEXT_ROOT, 0, HSC_NO_INDEX) != 0)
        return false;
    for (size_t i = 0; i < j->run.n; i++) {
        jprocess *p = j->run.p[i];
        if (!HSC_RESERVE(p->context_map, p->contexts.n))
            return false;
        for (size_t c = 0; c < p->contexts.n; c++) {
            const jcontext *n = &p->contexts.p[c];
            p->context_map.p[c] = c ? child(t, p->context_map.p[n->parent], n->kind, n->scope, n->call_line) : 0;
            if (p->context_map.p[c] == HSC_NO_INDEX)
                return false;
        }
        p->context_map.n = p->contexts.n;
        free(p->contexts.p);
        memset(&p->contexts, 0, sizeof p->contexts);
    }
    return true;
}

hsc_status hsc_join_make_contexts(join *j, hsc_err *err) {
    hsc_status status = hsc_join_each(j, j->run.n, expand, j, "call paths", err);
    tree all = {0}, settled = {0};
    uint32_t *map = NULL, *final = NULL;
    uint8_t *used = NULL;
    if (status == HSC_OK && !merge(j, &all))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK && (!(map = malloc(all.n * sizeof *map)) || !adopt(j, &all, &settled, map)))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK && !(used = calloc(settled.n, 1)))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK)
        mark_used(j, &settled, map, used);
    if (status == HSC_OK && (!(final = malloc(settled.n * sizeof *final)) || !put_in_order(j, &settled, used, final)))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK) {
        for (size_t i = 0; i < j->run.n; i++)
            for (size_t c = 0; c < j->run.p[i]->context_map.n; c++)
                j->run.p[i]->context_map.p[c] = final[map[j->run.p[i]->context_map.p[c]]];
        for (size_t i = 0; i < j->run.n; i++)
            for (size_t k = 0; k < j->run.p[i]->sites.n; k++)
                j->run.p[i]->sites.p[k].context = j->run.p[i]->context_map.p[j->run.p[i]->sites.p[k].context];
        status = hsc_join_classify(j, err);
    }
    if (status == HSC_OK)
        status = hsc_join_each(j, j->threads.n, settle_thread, j, "call paths", err);
    free(map);
    free(used);
    free(final);
    free(all.nodes);
    free(settled.nodes);
    hsc_table_fini(&all.rows);
    hsc_table_fini(&settled.rows);
    j->summary->contexts = j->contexts.n;
    return status;
}
