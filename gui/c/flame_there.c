/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling contexts that have a value in the other run only. Where one has, all below it have: so the outermost are enough. */
#include <stdlib.h>

#include <heatscope/sorted.h>

#include "flame_there.h"

void hsw_flame_there_forget(hsw_flame_there *t) {
    free(t->sums);
    free(t->list);
    free(t->added);
    *t = (hsw_flame_there){0};
}

static int by_parent(const void *a, const void *b) {
    const hsw_flame_new *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

/* Its value belongs to its parent and to all that call that. */
static hsc_status put(hsw_flame_there *t, hsw *w, uint32_t parent, uint32_t context, hsc_err *err) {
    if (t->n == t->capacity) {
        uint32_t more = t->capacity ? 2 * t->capacity : 64;
        hsw_flame_new *list = realloc(t->list, (size_t)more * sizeof *list);
        if (!list)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u contexts of the other run", more);
        t->list = list;
        t->capacity = more;
    }
    t->list[t->n++] = (hsw_flame_new){parent, context, t->sums[context]};
    for (uint32_t at = parent;;) {
        hsc_db_context c;
        hsc_status s = hsc_db_get_context(w->db->db, at, &c, err);
        if (s != HSC_OK)
            return s;
        t->added[at] += t->sums[context];
        if (!at || c.parent >= at) /* parents come first in the table */
            return HSC_OK;
        at = c.parent;
    }
}

/* ours: inclusive sums of our contexts. */
static hsc_status find(hsw_flame_there *t, hsw *w, const double *ours, const uint32_t *of_there, hsc_err *err) {
    uint32_t n = t->other->info.contexts;
    for (uint32_t i = 1; i < n;) {
        hsc_db_context c;
        hsc_status s = hsc_db_get_context(t->other->db, i, &c, err);
        if (s != HSC_OK)
            return s;
        uint32_t here = of_there[i], parent = c.parent < i ? of_there[c.parent] : HSC_NONE;
        bool inside = parent != HSC_NONE && ours[parent] > 0, shown = here != HSC_NONE && ours[here] > 0;
        if (inside && !shown) {
            if (t->sums[i] > 0 && (s = put(t, w, parent, i, err)) != HSC_OK)
                return s;
            i = c.subtree_end > i ? c.subtree_end : i + 1;
        } else {
            i++;
        }
    }
    if (t->n)
        qsort(t->list, t->n, sizeof *t->list, by_parent);
    return HSC_OK;
}

hsc_status hsw_flame_there_read(hsw_flame_there *t, hsw *w, const hsw_against *o, hsc_err *err) {
    hsc_handle *other = NULL;
    uint32_t metric = 0;
    double scale = 1;
    if (!hsw_comparing(o)) {
        hsw_flame_there_forget(t);
        return HSC_OK;
    }
    hsc_status s = hsw_other(w, o, &other, &metric, &scale, err);
    /* rows that are the same are asked for each time: another comparison of the window's may have taken their place */
    const uint32_t *map = NULL;
    if (s == HSC_OK)
        s = hsc_handle_match(w->db, other, HSC_MATCH_CONTEXTS, &map, err);
    if (s == HSC_OK && t->other == other && t->map == map && t->of == w->db->values && t->of_there == other->values && t->of_metric == w->metric)
        return HSC_OK;
    hsw_flame_there_forget(t);
    if (s != HSC_OK)
        return s;
    uint32_t n = other->info.contexts, here = w->db->info.contexts, *of_there = malloc(((size_t)n + 1) * sizeof *of_there);
    double *ours = malloc(((size_t)here + 1) * sizeof *ours);
    *t = (hsw_flame_there){.metric = metric, .scale = scale, .map = map, .of = w->db->values, .of_there = other->values, .of_metric = w->metric,
                           .sums = malloc(((size_t)n + 1) * sizeof *t->sums), .added = calloc((size_t)here + 1, sizeof *t->added)};
    if (!of_there || !ours || !t->sums || !t->added)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u contexts", n);
    if (s == HSC_OK && n)
        s = hsc_db_read_sums(other->db, (hsc_db_view){metric, HSC_TABLE_CONTEXT_INCL, (hsc_db_axis)w->axis}, 0, n, t->sums, err);
    if (s == HSC_OK && here)
        s = hsc_db_read_sums(w->db->db, hsw_view(w, HSC_TABLE_CONTEXT_INCL), 0, here, ours, err);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        of_there[i] = HSC_NONE;
        t->sums[i] *= scale;
    }
    for (uint32_t i = 0; s == HSC_OK && i < here; i++)
        if (map[i] < n)
            of_there[map[i]] = i;
    t->other = other;
    if (s == HSC_OK)
        s = find(t, w, ours, of_there, err);
    free(of_there);
    free(ours);
    if (s != HSC_OK)
        hsw_flame_there_forget(t);
    return s;
}

double hsw_flame_there_added(const hsw_flame_there *t, uint32_t context) {
    return t->other ? t->added[context] : 0;
}

const hsw_flame_new *hsw_flame_there_below(const hsw_flame_there *t, uint32_t context, uint32_t *n) {
    uint32_t first;
    HSC_SEARCH(first, t->n, t->list[first].parent < context);
    for (*n = 0; first + *n < t->n && t->list[first + *n].parent == context;)
        ++*n;
    return t->list ? t->list + first : NULL;
}
