/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What threads did with the CPU time that changed: computation, waiting, communication, ... of two whole runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

static hsc_status read_sums(const report *r, hsc_weighted **out, hsc_err *err) {
    *out = calloc((size_t)r->info.categories + 1, sizeof **out);
    if (!*out)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u categories", r->info.path, r->info.categories);
    return hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_CATEGORY, HSC_AXIS_THREAD}, 0, r->info.categories, *out, err);
}

/* Changes beyond noise first, the largest first. */
static int larger(const void *p, const void *q) {
    const diff_category *x = p, *y = q;
    double a = fabs(x->row.change), b = fabs(y->row.change);
    if (x->row.beyond != y->row.beyond)
        return x->row.beyond ? -1 : 1;
    return a != b ? (a > b ? -1 : 1) : strcmp(x->name, y->name);
}

/* The run's category of that name; HSC_NONE: it has none. */
static uint32_t find(const report *r, const char *name) {
    for (uint32_t c = 0; c < r->info.categories; c++)
        if (!strcmp(hsc_db_get_category(r->db, c), name))
            return c;
    return HSC_NONE;
}

static void add(const diff *d, diff_category *list, uint32_t *n, const char *name, hsc_weighted a, hsc_weighted b) {
    if (!(a.sum > 0) && !(b.sum > 0))
        return;
    list[*n] = (diff_category){.name = name, .row = {.a = HSC_NONE, .b = HSC_NONE, .how = HSC_COMPARE_SAME, .in_both = true}};
    diff_set_counts(d, &list[(*n)++].row, a, b);
}

hsc_status diff_categories(diff *d, diff_category **list, uint32_t *n, hsc_err *err) {
    hsc_weighted *a = NULL, *b = NULL;
    *n = 0;
    *list = calloc((size_t)d->a.info.categories + d->b.info.categories + 1, sizeof **list);
    if (!*list)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for categories");
    if (d->a.metric || d->b.metric || d->a.category || d->b.category || strcmp(d->a.unit.unit, "s") || !diff_is_whole(&d->a) || !diff_is_whole(&d->b))
        return HSC_OK;
    hsc_status s = read_sums(&d->a, &a, err);
    if (!s)
        s = read_sums(&d->b, &b, err);
    for (uint32_t c = 0; !s && c < d->a.info.categories; c++) {
        const char *name = hsc_db_get_category(d->a.db, c);
        uint32_t other = find(&d->b, name);
        add(d, *list, n, name, a[c], other != HSC_NONE ? b[other] : (hsc_weighted){0});
    }
    for (uint32_t c = 0; !s && c < d->b.info.categories; c++)
        if (find(&d->a, hsc_db_get_category(d->b.db, c)) == HSC_NONE)
            add(d, *list, n, hsc_db_get_category(d->b.db, c), (hsc_weighted){0}, b[c]);
    free(a);
    free(b);
    if (s == HSC_E_MISSING) { /* a database without these values */
        hsc_err_clear(err);
        *n = 0;
        return HSC_OK;
    }
    if (s) {
        free(*list);
        *list = NULL;
        return s;
    }
    qsort(*list, *n, sizeof **list, larger);
    return HSC_OK;
}
