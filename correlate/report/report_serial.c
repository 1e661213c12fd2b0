/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that one thread alone runs, because it stands outside parallel regions: no imbalance, but what Amdahl's law is about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/linkage.h>

#include "report.h"

#define EVEN 1.1 /* largest / mean of threads that have as much to do as the others */
#define BEGINNER_MAX 0.05 /* of the mean of all: what a thread may have that only gives work to others */
#define SHARED_MAX 0.001 /* of code that one thread alone runs: what others may have of it */

static report_library library_of(const report *r, uint32_t module) {
    hsc_db_module m;
    if (module == HSC_NONE || hsc_db_get_module(r->db, module, &m, NULL))
        return REPORT_OTHER;
    hsc_library_role role = hsc_library_role_of(m.path);
    return hsc_library_is_openmp(role) ? REPORT_OPENMP : role == HSC_LIBRARY_SYSTEM ? REPORT_SYSTEM : REPORT_OTHER;
}

hsc_status report_walk_contexts(const report *r, uint32_t first, uint32_t last, report_visit *visit, void *ctx, hsc_err *err) {
    uint32_t module = HSC_NONE; /* of the context before: most are of one */
    report_library library = REPORT_OTHER;
    for (uint32_t c = first; c < last; c++) {
        hsc_db_context context;
        hsc_db_scope scope;
        hsc_status status = hsc_db_get_context(r->db, c, &context, err);
        if (!status)
            status = hsc_db_get_scope(r->db, context.scope, &scope, err);
        if (status)
            return status;
        if (scope.module != module)
            library = library_of(r, module = scope.module);
        visit(ctx, c, &context, &scope, c ? library : REPORT_OTHER);
    }
    return HSC_OK;
}

bool report_is_region_body(const hsc_db_scope *scope) {
    size_t n = strlen(scope->name);
    return scope->kind == HSC_SCOPE_PROCEDURE && (hsc_linkage_before_region(scope->name, n) < n || strstr(scope->name, HSC_GCC_REGION));
}

typedef struct regions {
    report *r;
    uint8_t *inside, *system, *task; /* by context: in a region; a system library's code; in a task */
} regions;

/* A body that ends in a call (jumped to) may stand on no path: what begins regions does, and the routine of a team's worker, which libc calls. */
static bool tells_regions(const hsc_db_scope *scope, bool from_system) {
    return from_system || hsc_linkage_starts_region(scope->name);
}

static void visit_region(void *ctx, uint32_t c, const hsc_db_context *context, const hsc_db_scope *scope, report_library library) {
    regions *g = ctx;
    g->system[c] = library == REPORT_SYSTEM;
    g->r->has_regions = g->r->has_regions || (c && library == REPORT_OPENMP && tells_regions(scope, g->system[context->parent]));
    g->task[c] = (c && g->task[context->parent]) || (scope->kind == HSC_SCOPE_REGION && strstr(scope->name, "task"));
    g->inside[c] = (c && g->inside[context->parent]) || scope->kind == HSC_SCOPE_REGION || report_is_region_body(scope) || library == REPORT_OPENMP;
    if (!g->inside[c])
        return;
    g->r->in_region[context->scope] = 1;
    if (g->task[c])
        g->r->in_task[context->scope] = 1;
    g->r->has_regions = g->r->has_regions || scope->kind == HSC_SCOPE_REGION || report_is_own(g->r, scope);
    if (scope->procedure != HSC_NONE)
        g->r->in_region[scope->procedure] = 1;
}

/* By scope: whether some calling context of it is inside a parallel region: below one, or below a procedure of OpenMP's runtime. */
static hsc_status load_regions(report *r, hsc_err *err) {
    regions g = {r, calloc((uint64_t)r->info.contexts + 1, 1), calloc((uint64_t)r->info.contexts + 1, 1), calloc((uint64_t)r->info.contexts + 1, 1)};
    r->in_region = calloc((uint64_t)r->info.scopes + 1, 1);
    r->in_task = calloc((uint64_t)r->info.scopes + 1, 1);
    hsc_status status = g.inside && g.system && g.task && r->in_region && r->in_task ? report_walk_contexts(r, 0, r->info.contexts, visit_region, &g, err) : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    free(g.inside);
    free(g.system);
    free(g.task);
    return status;
}

/* By procedure: of its own, at least what is not on the thread that has most; from the statistics of its rows, which are stored. */
static hsc_status load_shared(report *r, hsc_err *err) {
    enum { ROWS = 4096 };
    hsc_db_stats *stats = malloc(ROWS * sizeof *stats);
    double *shared = calloc((uint64_t)r->info.scopes + 1, sizeof *shared);
    hsc_status status = stats && shared ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t first = 0; first < r->info.scopes && !status; first += ROWS) {
        uint32_t n = r->info.scopes - first < ROWS ? r->info.scopes - first : ROWS;
        hsc_db_scope s;
        status = hsc_db_read_stats(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_EXCL, r->axis}, first, n, stats, err);
        for (uint32_t i = 0; i < n && !status; i++)
            if (stats[i].sum > 0 && !(status = hsc_db_get_scope(r->db, first + i, &s, err)) && s.procedure != HSC_NONE)
                shared[s.procedure] += stats[i].sum - stats[i].max;
    }
    free(stats);
    if (status)
        free(shared);
    else
        r->shared = shared;
    return status;
}

bool report_is_of_few(report *r, uint32_t scope, const report_spread *p) {
    if (r->axis != HSC_AXIS_THREAD || !p->running || p->running == p->columns || (!r->in_region && load_regions(r, NULL)))
        return false;
    return !r->in_region[scope];
}

/* What threads computed: not what they waited for actively, which is longest where there is least to do. */
static hsc_status computed(report *r, report_spread *out) {
    const char *name;
    for (uint32_t c = 0; (name = hsc_db_get_category(r->db, c)); c++)
        if (!strcmp(name, "computation")) /* of the first row: the whole program */
            return report_spread_of_ranges(r, HSC_TABLE_SCOPE_CATEGORY, &(report_range){c, 1}, 1, out, NULL);
    return HSC_E_MISSING;
}

double report_task_gain(report *r, uint32_t scope, uint32_t thread) {
    report_spread p;
    if (r->axis != HSC_AXIS_THREAD || (!r->in_region && load_regions(r, NULL)) || !r->in_task[scope] || computed(r, &p))
        return HUGE_VAL;
    p = report_compared(r, 0, &p);
    return p.max_at == thread && p.max >= EVEN * p.mean ? p.max - p.mean : 0;
}

bool report_may_be_serial(report *r, uint32_t scope) {
    if (r->axis != HSC_AXIS_THREAD || r->columns < 2 || (!r->in_region && load_regions(r, NULL)))
        return false;
    if (!r->has_regions || r->in_region[scope])
        return false;
    if (!r->shared && load_shared(r, NULL))
        return true;
    return r->shared[scope] <= SHARED_MAX * r->own[scope] * (1 + 1e-9);
}

bool report_is_serial(report *r, uint32_t scope, const report_spread *p) {
    if (r->axis != HSC_AXIS_THREAD || r->columns < 2 || p->max < (1 - SHARED_MAX) * p->mean * p->columns)
        return false;
    if (!r->in_region && load_regions(r, NULL))
        return false;
    return !r->in_region[scope];
}

/* The spread over so many columns of those that have any, or more: others have none. */
static report_spread among(const report_spread *all, uint32_t columns) {
    report_spread p = *all;
    double sum = all->mean * all->columns, squares = all->dispersion * (all->mean + (all->columns ? all->excess / all->columns : 0));
    squares -= (double)(all->columns - columns) * all->mean * all->mean; /* the zeros' */
    p.columns = columns;
    p.mean = sum / columns;
    squares -= (double)columns * (p.mean - all->mean) * (p.mean - all->mean); /* round their own mean */
    p.dispersion = p.mean > 0 ? fmax(0, squares) / (p.mean + all->excess / columns) : 0;
    return p;
}

/* The least of so many columns, of which `gap` has none of it. */
static report_spread among_with(const report_spread *all, uint32_t columns, uint32_t gap) {
    report_spread p = among(all, columns);
    p.min_at = gap;
    if (columns == p.running)
        p.min = p.least, p.min_at = p.least_at, p.min_excess = p.least_excess;
    return p;
}

/* Is the least that of the thread that began the process, next to nothing, of code outside parallel regions? It gives the work to others and waits for them. */
static bool begins_others_only(report *r, uint32_t scope, const report_spread *p) {
    hsc_db_thread t;
    if (r->axis != HSC_AXIS_THREAD || scope == HSC_NONE || p->columns < 3 || p->least > BEGINNER_MAX * p->mean || (!r->in_region && load_regions(r, NULL)) ||
        (r->has_regions && r->in_region[scope]))
        return false;
    return !hsc_db_get_thread(r->db, p->least_at, &t, NULL) && !t.index;
}

report_spread report_compared(report *r, uint32_t scope, const report_spread *p) {
    uint32_t threads, without;
    if (p->running && p->running == p->columns && begins_others_only(r, scope, p))
        return among(p, p->columns - 1);
    if (!p->running || p->running == p->columns)
        return *p;
    if (scope == HSC_NONE)
        return p->idle_helpers ? among_with(p, p->columns - p->idle_helpers, p->worker_gap) : *p;
    if (report_is_of_few(r, scope, p)) /* the least is still that of all */
        return among(p, p->running);
    if (report_take_part(r, scope, &threads, &without) && threads >= p->running && threads <= p->columns)
        return threads == p->columns ? *p : among_with(p, threads, without);
    return p->idle_helpers ? among_with(p, p->columns - p->idle_helpers, p->worker_gap) : *p;
}
