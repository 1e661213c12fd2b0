/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_versions.h"

#include <stdlib.h>

typedef struct home { /* of an instance: where calls from it stand */
    uint32_t scope, function, instance;
} home;

typedef struct walk {
    report *r;
    report_version *of;  /* by instance */
    uint32_t *parent;
    home *homes;         /* sorted */
    uint32_t *frame, *loop; /* by context: procedure whose machine code runs; innermost loop there, or HSC_NONE */
    uint32_t *end;       /* by instance: of the last call from it, one past its contexts */
    uint32_t *shared;    /* by instance: number of versions of the call at hand that are it or inside it */
    uint32_t *loop_end;  /* by instance: one past the contexts of the last path that it is added to `once` with */
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

static hsc_status walk_contexts(walk *w, hsc_err *err) {
    enum { ROWS = 512 };
    hsc_weighted sums[ROWS];
    hsc_status s = HSC_OK;
    for (uint32_t first = 0; first < w->r->info.contexts && !s; first += ROWS) {
        uint32_t n = w->r->info.contexts - first < ROWS ? w->r->info.contexts - first : ROWS;
        s = hsc_db_read_weighted(w->r->db, (hsc_db_view){w->r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, first, n, sums, err);
        for (uint32_t i = 0; i < n && !s; i++)
            s = visit(w, first + i, sums[i], err);
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
        s = walk_contexts(&w, err);
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
