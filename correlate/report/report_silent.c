/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An OpenMP runtime that told nothing of its waits, and what samples met of them. */
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>

#include "report_measures.h"

typedef struct teams {
    const report *r;
    uint8_t *of_runtime, *from_system; /* by context: libgomp's own code; a system library's */
    uint32_t module;
    bool gomp;   /* of that module */
    bool worker; /* one was met: libc calls libgomp */
} teams;

static void visit(void *ctx, uint32_t c, const hsc_db_context *context, const hsc_db_scope *scope, report_library library) {
    teams *t = ctx;
    hsc_db_module m;
    if (scope->module != t->module) {
        t->module = scope->module;
        t->gomp = t->module != HSC_NONE && !hsc_db_get_module(t->r->db, t->module, &m, NULL) && hsc_library_role_of(m.path) == HSC_LIBRARY_GNU_OPENMP;
    }
    t->from_system[c] = library == REPORT_SYSTEM;
    t->of_runtime[c] = c && t->gomp;
    t->worker = t->worker || (t->of_runtime[c] && t->from_system[context->parent]);
}

static uint32_t waiting_of(const report *r) {
    const char *name;
    for (uint32_t c = 0; (name = hsc_db_get_category(r->db, c)); c++)
        if (!strcmp(name, "waiting"))
            return c;
    return HSC_NONE;
}

/* Samples of that category whose innermost procedure is the runtime's; what MPI asks again and again is not OpenMP's. */
static hsc_weighted spun(const report *r, const teams *t) {
    uint32_t n = r->info.contexts, only = hsc_db_get_only(r->db), waiting = waiting_of(r);
    double begin_s, end_s, *sums = calloc((uint64_t)n + 1, sizeof *sums), *excess = calloc((uint64_t)n + 1, sizeof *excess);
    bool whole = !hsc_db_get_interval(r->db, &begin_s, &end_s);
    hsc_db_view view = {r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD};
    hsc_weighted out = {0};
    bool known = sums && excess && waiting != HSC_NONE && (only == HSC_NONE || only == waiting) && (!whole || !hsc_db_set_whole(r->db, NULL));
    if (known && !hsc_db_set_only(r->db, waiting, NULL) && !hsc_db_read_sums(r->db, view, 0, n, sums, NULL) && !hsc_db_read_excess(r->db, view, 0, n, excess, NULL))
        for (uint32_t c = 0; c < n; c++)
            if (t->of_runtime[c]) {
                out.sum += sums[c];
                out.excess += excess[c];
            }
    if (known)
        hsc_db_set_only(r->db, only, NULL);
    if (whole && hsc_db_get_interval(r->db, &begin_s, &end_s))
        hsc_db_set_intervals(r->db, NULL, 0, NULL);
    free(sums);
    free(excess);
    return out;
}

bool report_is_openmp_silent(const report *r, const report_wait *rows, uint32_t n, hsc_weighted *sampled) {
    teams t = {.r = r, .module = HSC_NONE};
    if (sampled)
        *sampled = (hsc_weighted){0};
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].kind >= HSC_wait_kind_OMP_BARRIER)
            return false;
    if (!r->has_gomp)
        return false;
    t.of_runtime = calloc((uint64_t)r->info.contexts + 1, 1);
    t.from_system = calloc((uint64_t)r->info.contexts + 1, 1);
    bool silent = t.of_runtime && t.from_system && !report_walk_contexts(r, 0, r->info.contexts, visit, &t, NULL) && t.worker;
    if (silent && sampled)
        *sampled = spun(r, &t);
    free(t.of_runtime);
    free(t.from_system);
    return silent;
}
