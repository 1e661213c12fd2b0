/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that one thread alone runs, because it stands outside parallel regions: no imbalance, but what Amdahl's law is about. */
#include <stdlib.h>
#include <string.h>

#include "report.h"

bool report_names_library(const char *path, const char *const *parts) {
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    for (; *parts; parts++)
        if (!strncmp(base, *parts, strlen(*parts)))
            return true;
    return false;
}

const char *const report_openmp_libraries[] = {"libomp", "libgomp", "libiomp", NULL};

hsc_status report_walk_contexts(const report *r, report_visit *visit, void *ctx, hsc_err *err) {
    for (uint32_t c = 0; c < r->info.contexts; c++) { /* parents come first */
        hsc_db_context context;
        hsc_db_scope scope;
        hsc_db_module m;
        hsc_status status = hsc_db_get_context(r->db, c, &context, err);
        if (!status)
            status = hsc_db_get_scope(r->db, context.scope, &scope, err);
        if (status)
            return status;
        visit(ctx, c, &context, &scope, c && scope.module != HSC_NONE && !hsc_db_get_module(r->db, scope.module, &m, NULL) ? m.path : "");
    }
    return HSC_OK;
}

typedef struct regions {
    report *r;
    uint8_t *inside; /* by context */
} regions;

static void visit_region(void *ctx, uint32_t c, const hsc_db_context *context, const hsc_db_scope *scope, const char *module) {
    regions *g = ctx;
    g->inside[c] = (c && g->inside[context->parent]) || scope->kind == HSC_SCOPE_REGION || (*module && report_names_library(module, report_openmp_libraries));
    if (!g->inside[c])
        return;
    g->r->in_region[context->scope] = 1;
    g->r->has_regions = g->r->has_regions || scope->kind == HSC_SCOPE_REGION || report_is_own(g->r, scope);
    if (scope->procedure != HSC_NONE)
        g->r->in_region[scope->procedure] = 1;
}

/* By scope: whether some calling context of it is inside a parallel region: below one, or below a procedure of OpenMP's runtime. */
static hsc_status load_regions(report *r, hsc_err *err) {
    regions g = {r, calloc((uint64_t)r->info.contexts + 1, 1)};
    r->in_region = calloc((uint64_t)r->info.scopes + 1, 1);
    hsc_status status = g.inside && r->in_region ? report_walk_contexts(r, visit_region, &g, err) : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    free(g.inside);
    return status;
}

bool report_is_of_few(report *r, uint32_t scope, const report_spread *p) {
    if (r->axis != HSC_AXIS_THREAD || !p->running || p->running == p->columns || (!r->in_region && load_regions(r, NULL)))
        return false;
    return !r->in_region[scope];
}

bool report_may_be_serial(report *r, uint32_t scope) {
    if (r->axis != HSC_AXIS_THREAD || r->columns < 2 || (!r->in_region && load_regions(r, NULL)))
        return false;
    return r->has_regions && !r->in_region[scope];
}

bool report_is_serial(report *r, uint32_t scope, const report_spread *p) {
    if (r->axis != HSC_AXIS_THREAD || r->columns < 2 || p->max < 0.999 * p->mean * r->columns)
        return false;
    if (!r->in_region && load_regions(r, NULL))
        return false;
    return !r->in_region[scope];
}
