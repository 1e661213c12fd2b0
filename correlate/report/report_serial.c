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

/* By scope: whether some calling context of it is inside a parallel region: below one, or below a procedure of OpenMP's runtime. */
static hsc_status load_regions(report *r, hsc_err *err) {
    uint32_t n = r->info.contexts;
    uint8_t *inside = calloc((uint64_t)n + 1, 1);
    hsc_status status = HSC_OK;
    r->in_region = calloc((uint64_t)r->info.scopes + 1, 1);
    if (!inside || !r->in_region)
        status = hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t c = 0; c < n && !status; c++) { /* parents come first */
        hsc_db_context context;
        hsc_db_scope scope;
        hsc_db_module m;
        status = hsc_db_get_context(r->db, c, &context, err);
        if (!status)
            status = hsc_db_get_scope(r->db, context.scope, &scope, err);
        if (status)
            break;
        inside[c] = (c && inside[context.parent]) || scope.kind == HSC_SCOPE_REGION ||
                    (scope.module != HSC_NONE && !hsc_db_get_module(r->db, scope.module, &m, NULL) && report_names_library(m.path, report_openmp_libraries));
        if (inside[c]) {
            r->in_region[context.scope] = 1;
            r->has_regions = r->has_regions || scope.kind == HSC_SCOPE_REGION || report_is_own(r, &scope);
            if (scope.procedure != HSC_NONE)
                r->in_region[scope.procedure] = 1;
        }
    }
    free(inside);
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
