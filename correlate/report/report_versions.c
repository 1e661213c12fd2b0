/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_versions.h"

#include <stdlib.h>

typedef struct home { /* of an instance: where calls from it stand */
    uint32_t scope, function, instance;
} home;

typedef struct own_leaf { /* samples of a version in a context */
    uint32_t instance;
    double sum;
} own_leaf;

typedef struct walk {
    report *r;
    report_version *of;  /* by instance */
    uint32_t *parent;
    home *homes;         /* sorted */
    uint32_t *frame, *loop; /* by context: procedure whose machine code runs; innermost loop there, or HSC_NONE */
    uint32_t *end;       /* by instance: of the last call from it, one past its contexts */
    uint32_t *shared;    /* by instance: number of versions of the call at hand that are it or inside it */
    uint32_t *loop_end;  /* by instance: one past the contexts of the last path that it is added to `once` with; then of the last call that may be from it */
    uint64_t *leaf_begin; /* by context: which of `leaves` are there; made for the second look */
    own_leaf *leaves;
} walk;

static int by_home(const void *a, const void *b) {
    const home *x = a, *y = b;
    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->instance < y->instance ? -1 : x->instance > y->instance;
}

static void add(hsc_weighted *to, hsc_weighted v) {
    to->sum += v.sum;
    to->excess += v.excess;
}

/* Values of all versions, each added to those round it: children first. What stands in a circle is never reached. */
static hsc_status add_up(walk *w, uint32_t *waiting, uint32_t *queue, hsc_err *err) {
    enum { ROWS = 512 };
    hsc_weighted sums[ROWS];
    uint32_t n = w->r->info.instances, done = 0, queued = 0;
    bool inner = false, linked = false;
    hsc_status s = HSC_OK;
    for (uint32_t first = 0; first < n && !s; first += ROWS) {
        uint32_t some = n - first < ROWS ? n - first : ROWS;
        s = hsc_db_read_weighted(w->r->db, (hsc_db_view){w->r->metric, HSC_TABLE_INSTANCE, HSC_AXIS_THREAD}, first, some, sums, err);
        for (uint32_t i = 0; i < some && !s; i++) {
            hsc_db_instance v;
            if ((s = hsc_db_get_instance(w->r->db, first + i, &v, err)))
                break;
            w->of[first + i] = (report_version){.value = sums[i], .damaged = true};
            hsc_db_scope scope;
            if ((s = hsc_db_get_scope(w->r->db, v.scope, &scope, err)))
                break;
            inner = inner || scope.depth > 1;
            linked = linked || v.parent != HSC_NONE;
            w->parent[first + i] = v.parent;
            w->homes[first + i] = (home){v.scope, v.function, first + i};
            if (v.parent != HSC_NONE)
                waiting[v.parent]++;
        }
    }
    if (!s && inner && !linked)
        return hsc_err_set(err, HSC_E_MISSING, "%s: does not tell which versions of loops are inside which", w->r->info.path);
    for (uint32_t i = 0; i < n && !s; i++)
        if (!waiting[i])
            queue[queued++] = i;
    while (done < queued && !s) {
        uint32_t i = queue[done++], up = w->parent[i];
        w->of[i].damaged = false;
        if (up != HSC_NONE) {
            add(&w->of[up].value, w->of[i].value);
            if (!--waiting[up])
                queue[queued++] = up;
        }
    }
    return s;
}

/* The versions of a loop in a machine function: homes[*first, *last). */
static void find_homes(const walk *w, uint32_t scope, uint32_t function, uint32_t *first, uint32_t *last) {
    uint32_t low = 0, high = w->r->info.instances;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_home(&w->homes[middle], &(home){scope, function, 0}) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = *last = low;
    while (*last < w->r->info.instances && w->homes[*last].scope == scope && w->homes[*last].function == function)
        ++*last;
}

/* A call from a loop: of the version that made it and those round it. Where several versions may have, of those round all of them. */
static void add_call(walk *w, uint32_t context, uint32_t end, uint32_t first, uint32_t last, hsc_weighted v) {
    for (uint32_t k = first; k < last; k++)
        for (uint32_t i = w->homes[k].instance; i != HSC_NONE && !w->of[i].damaged; i = w->parent[i])
            w->shared[i]++;
    for (uint32_t k = first; k < last; k++)
        for (uint32_t i = w->homes[k].instance; i != HSC_NONE && !w->of[i].damaged && w->shared[i]; i = w->parent[i]) {
            add(w->shared[i] == last - first ? &w->of[i].calls : &w->of[i].open, v);
            w->of[i].recursive |= context < w->end[i];
            w->end[i] = end > w->end[i] ? end : w->end[i];
            w->shared[i] = 0;
        }
}

/* Paths come in pre-order: one inside another is counted with that one. */
static void add_path(walk *w, uint32_t context, uint32_t end, uint32_t instance, hsc_weighted v) {
    w->of[instance].only = true;
    if (context < w->loop_end[instance])
        return;
    add(&w->of[instance].once, v);
    w->loop_end[instance] = end;
}

static hsc_status visit(walk *w, uint32_t c, hsc_weighted v, hsc_err *err) {
    hsc_db_context x;
    uint32_t first, last;
    hsc_status s = hsc_db_get_context(w->r->db, c, &x, err);
    if (s)
        return s;
    bool inside = c && (x.kind == HSC_CONTEXT_LOOP || x.kind == HSC_CONTEXT_INLINED);
    w->frame[c] = inside ? w->frame[x.parent] : x.scope;
    w->loop[c] = x.kind == HSC_CONTEXT_LOOP ? x.scope : inside ? w->loop[x.parent] : HSC_NONE;
    if (x.kind == HSC_CONTEXT_LOOP) {
        find_homes(w, x.scope, w->frame[c], &first, &last);
        for (uint32_t k = first; k < last; k++)
            w->of[w->homes[k].instance].recursive |= c < w->end[w->homes[k].instance];
        if (last - first == 1)
            add_path(w, c, x.subtree_end, w->homes[first].instance, v);
    } else if (c && x.kind == HSC_CONTEXT_PROCEDURE && w->loop[x.parent] != HSC_NONE) {
        find_homes(w, w->loop[x.parent], w->frame[x.parent], &first, &last);
        add_call(w, c, x.subtree_end, first, last, v);
    }
    return HSC_OK;
}

/* ---- the second look, where one of several versions runs again below its own call: each sample once ---- */

static void add_times(hsc_weighted *to, hsc_weighted v, double factor) {
    to->sum += factor * v.sum;
    to->excess += factor * v.excess;
}

/* A call with its subtree. What may be a version's is not counted where it is surely: calls and contexts are inside each other or apart. */
static void add_call_once(walk *w, uint32_t context, uint32_t end, uint32_t first, uint32_t last, hsc_weighted v) {
    for (uint32_t k = first; k < last; k++)
        for (uint32_t i = w->homes[k].instance; i != HSC_NONE && !w->of[i].damaged; i = w->parent[i])
            w->shared[i]++;
    for (uint32_t k = first; k < last; k++)
        for (uint32_t i = w->homes[k].instance; i != HSC_NONE && !w->of[i].damaged && w->shared[i]; i = w->parent[i]) {
            report_version *of = &w->of[i];
            bool sure = w->shared[i] == last - first, open = context < w->loop_end[i];
            w->shared[i] = 0;
            if (of->only || context < w->end[i])
                continue;
            if (sure) {
                add(&of->once, v);
                add_times(&of->once_open, v, open ? -1 : 0);
                w->end[i] = end;
            } else if (!open) {
                add(&of->once_open, v);
                w->loop_end[i] = end;
            }
        }
}

static void add_own_once(walk *w, uint32_t context, own_leaf leaf, double excess) {
    hsc_weighted v = {leaf.sum, excess * leaf.sum};
    for (uint32_t i = leaf.instance; i != HSC_NONE && !w->of[i].damaged; i = w->parent[i]) {
        if (w->of[i].only || context < w->end[i])
            continue;
        add(&w->of[i].once, v);
        add_times(&w->of[i].once_open, v, context < w->loop_end[i] ? -1 : 0);
    }
}

static hsc_status visit_once(walk *w, uint32_t c, hsc_weighted v, hsc_err *err) {
    hsc_db_context x;
    hsc_db_metric m;
    uint32_t first, last;
    hsc_status s = hsc_db_get_context(w->r->db, c, &x, err);
    if (!s)
        s = hsc_db_get_metric(w->r->db, w->r->metric, &m, err);
    if (s)
        return s;
    if (c && x.kind == HSC_CONTEXT_PROCEDURE && w->loop[x.parent] != HSC_NONE) {
        find_homes(w, w->loop[x.parent], w->frame[x.parent], &first, &last);
        add_call_once(w, c, x.subtree_end, first, last, v);
    }
    for (uint64_t k = w->leaf_begin[c]; k < w->leaf_begin[c + 1]; k++)
        add_own_once(w, c, w->leaves[k], m.weights == HSC_NONE ? 0 : m.weights_scale); /* of the run: an interval is set */
    return HSC_OK;
}

/* Samples of versions by context: how many each has, then which. */
static hsc_status list_leaves(walk *w, hsc_err *err) {
    uint64_t n = 0, *begin = w->leaf_begin = calloc((size_t)w->r->info.contexts + 2, sizeof *w->leaf_begin);
    hsc_status s = begin ? hsc_db_get_leaves(w->r->db, &n, err) : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", w->r->info.path);
    for (int pass = 0; pass < 2 && !s; pass++) {
        for (uint64_t k = 0; k < n && !s; k++) {
            hsc_db_leaf leaf;
            s = hsc_db_get_leaf(w->r->db, k, &leaf, err);
            if (s || leaf.metric != w->r->metric || !(leaf.sum > 0) || leaf.instance == HSC_NONE)
                continue;
            if (pass)
                w->leaves[begin[leaf.context + 1]++] = (own_leaf){leaf.instance, leaf.sum};
            else
                begin[leaf.context + 2]++;
        }
        for (uint32_t c = 0; c < w->r->info.contexts && !pass; c++)
            begin[c + 2] += begin[c + 1];
        if (!pass && !s && !(w->leaves = malloc((begin[w->r->info.contexts + 1] + 1) * sizeof *w->leaves)))
            s = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", w->r->info.path);
    }
    return s;
}

static bool needs_leaves(const walk *w) {
    bool needed = false;
    for (uint32_t i = 0; i < w->r->info.instances && !needed; i++)
        needed = w->of[i].recursive && !w->of[i].only && !w->of[i].damaged;
    return needed;
}

static hsc_status walk_contexts(walk *w, hsc_status (*look)(walk *w, uint32_t c, hsc_weighted v, hsc_err *err), hsc_err *err) {
    enum { ROWS = 512 };
    hsc_weighted sums[ROWS];
    hsc_status s = HSC_OK;
    for (uint32_t first = 0; first < w->r->info.contexts && !s; first += ROWS) {
        uint32_t n = w->r->info.contexts - first < ROWS ? w->r->info.contexts - first : ROWS;
        s = hsc_db_read_weighted(w->r->db, (hsc_db_view){w->r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, first, n, sums, err);
        for (uint32_t i = 0; i < n && !s; i++)
            s = look(w, first + i, sums[i], err);
    }
    return s;
}

/* What the first look could not tell; nothing where the database does not know versions by calling context. */
static hsc_status look_again(walk *w, hsc_err *err) {
    double begin_s, end_s;
    uint32_t n = w->r->info.instances;
    bool whole = !hsc_db_get_interval(w->r->db, &begin_s, &end_s);
    hsc_status s = whole ? hsc_db_set_whole(w->r->db, err) : HSC_OK;
    for (uint32_t i = 0; i < n; i++) {
        w->end[i] = w->loop_end[i] = 0;
        w->of[i].once = w->of[i].only ? w->of[i].once : (hsc_weighted){0, 0};
    }
    if (!s)
        s = list_leaves(w, err);
    if (!s)
        s = walk_contexts(w, visit_once, err);
    for (uint32_t i = 0; i < n && !s; i++)
        w->of[i].is_once = !w->of[i].only;
    if (whole && hsc_db_get_interval(w->r->db, &begin_s, &end_s)) {
        hsc_status back = hsc_db_set_intervals(w->r->db, NULL, 0, s ? NULL : err);
        s = s ? s : back;
    }
    free(w->leaf_begin);
    free(w->leaves);
    if (s == HSC_E_MISSING) {
        hsc_err_clear(err);
        s = HSC_OK;
    }
    return s;
}

hsc_status report_all_versions(report *r, report_version **out, hsc_err *err) {
    size_t n = (size_t)r->info.instances + 1, contexts = (size_t)r->info.contexts + 1;
    walk w = {.r = r, .of = calloc(n, sizeof *w.of), .parent = malloc(n * sizeof *w.parent), .homes = malloc(n * sizeof *w.homes),
              .frame = malloc(contexts * sizeof *w.frame), .loop = malloc(contexts * sizeof *w.loop),
              .end = calloc(n, sizeof *w.end), .shared = calloc(n, sizeof *w.shared), .loop_end = calloc(n, sizeof *w.loop_end)};
    bool room = w.of && w.parent && w.homes && w.frame && w.loop && w.end && w.shared && w.loop_end;
    hsc_status s = room ? add_up(&w, w.shared, w.end, err) : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    if (!s) { /* both were scratch: used up again but for circles */
        for (size_t i = 0; i < n; i++)
            w.end[i] = w.shared[i] = 0;
        qsort(w.homes, r->info.instances, sizeof *w.homes, by_home);
        s = walk_contexts(&w, visit, err);
        if (!s && needs_leaves(&w))
            s = look_again(&w, err);
    }
    free(w.parent);
    free(w.homes);
    free(w.frame);
    free(w.loop);
    free(w.end);
    free(w.shared);
    free(w.loop_end);
    if (s)
        free(w.of);
    else
        *out = w.of;
    return s;
}
