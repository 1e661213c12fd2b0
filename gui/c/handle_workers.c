/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that libraries made for themselves (MPI's, the kernel's drivers'): no processors that the program's work is shared by, so means and
 * minima are not over them where they have nothing. As heatscope report compares (docs/measurement.md, section 5). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>

#include "handle.h"

enum { COLUMNS_MAX = 4096 }; /* with more the rows would take long to read: means are over all then */

/* Modules whose threads work for the program: the user's, and runtimes of OpenMP. own: borrowed; team: malloc'ed. */
static hsc_status find_modules(hsc_handle *h, const bool **own, bool **team, hsc_err *err) {
    hsc_status s = hsc_handle_own_modules(h, own, err);
    bool *list = s ? NULL : calloc((size_t)h->info.modules + 1, sizeof *list);
    if (!s && !list)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u modules", h->info.modules);
    for (uint32_t i = 0; !s && i < h->info.modules; i++) {
        hsc_db_module m;
        if (!(s = hsc_db_get_module(h->db, i, &m, err)))
            list[i] = (*own)[i] || hsc_library_is_openmp(hsc_library_role_of(m.path));
    }
    if (s) {
        free(list);
        return s;
    }
    *team = list;
    return HSC_OK;
}

/* Is a calling context, or one round it, code of these modules? */
static bool is_below(const hsc_handle *h, uint32_t context, const bool *modules) {
    for (int depth = 0; context < h->info.contexts && depth < 4096; depth++) {
        hsc_db_context c;
        hsc_db_scope s;
        if (hsc_db_get_context(h->db, context, &c, NULL) || hsc_db_get_scope(h->db, c.scope, &s, NULL))
            return false;
        if (s.module < h->info.modules && modules[s.module])
            return true;
        if (c.parent >= context)
            return false;
        context = c.parent;
    }
    return false;
}

/* Threads with samples below these modules, or with waits there: a worker that nothing was given to has no sample. */
static hsc_status mark_workers(hsc_handle *h, const bool *modules, bool *works, hsc_err *err) {
    uint32_t n = h->info.threads;
    float *v = calloc((size_t)n + 1, sizeof *v);
    hsc_status s = v ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u threads", n);
    for (uint32_t i = 0; !s && i < h->info.scopes;) { /* modules stand in the program's scope, side by side */
        hsc_db_scope scope;
        if ((s = hsc_db_get_scope(h->db, i, &scope, err)))
            break;
        if (scope.kind != HSC_SCOPE_MODULE) {
            i++;
            continue;
        }
        if (scope.module < h->info.modules && modules[scope.module] &&
            !(s = hsc_db_read_block(h->db, (hsc_db_view){0, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, i, 1, 0, n, v, err)))
            for (uint32_t t = 0; t < n; t++)
                works[t] = works[t] || v[t] > 0;
        i = scope.subtree_end > i ? scope.subtree_end : i + 1;
    }
    free(v);
    for (uint32_t i = 0; !s && i < h->info.waits; i++) {
        hsc_db_wait w;
        if (!(s = hsc_db_get_wait(h->db, i, &w, err)) && w.thread < n && !works[w.thread])
            works[w.thread] = (w.kind >= HSC_wait_kind_OMP_BARRIER && w.kind <= HSC_wait_kind_OMP_IDLE) || is_below(h, w.context, modules);
    }
    for (uint32_t t = 0; !s && t < n; t++) {
        hsc_db_thread thread;
        if (!(s = hsc_db_get_thread(h->db, t, &thread, err)) && !thread.index)
            works[t] = true;
    }
    return s;
}

/* By thread; NULL: there are none, or nobody knows. Of an interval it is not found out: who has nothing there may work elsewhere. */
static const bool *helpers_of(hsc_handle *h) {
    if (h->helpers_known || h->from_s < h->to_s || h->only != HSC_NONE)
        return h->helpers;
    h->helpers_known = true;
    if (h->info.threads < 2 || h->info.threads > COLUMNS_MAX || h->info.simulated)
        return NULL;
    const bool *own;
    bool *team = NULL, *helper = calloc((size_t)h->info.threads + 1, sizeof *helper), any = false;
    if (helper && !find_modules(h, &own, &team, NULL) && !mark_workers(h, team, helper, NULL)) {
        for (uint32_t t = 0; t < h->info.threads; t++)
            any = (helper[t] = !helper[t]) || any;
    }
    free(team);
    if (any)
        h->helpers = helper;
    else
        free(helper);
    return h->helpers;
}

bool hsc_handle_is_helper(hsc_handle *h, hsc_db_axis axis, uint32_t column) {
    const bool *helpers = axis == HSC_AXIS_THREAD ? helpers_of(h) : NULL;
    return helpers && column < h->info.threads && helpers[column];
}

uint32_t hsc_handle_working(hsc_handle *h, hsc_db_axis axis) {
    uint32_t n = hsc_db_get_columns(h->db, axis), idle = 0;
    const bool *helpers = axis == HSC_AXIS_THREAD ? helpers_of(h) : NULL;
    for (uint32_t c = 0; helpers && c < n; c++)
        idle += helpers[c];
    return idle < n ? n - idle : n;
}

uint32_t hsc_handle_compared(hsc_handle *h, hsc_db_axis axis, const float *v, hsc_db_stats *out) {
    uint32_t columns = hsc_db_get_columns(h->db, axis), idle = 0;
    const bool *helpers = axis == HSC_AXIS_THREAD ? helpers_of(h) : NULL;
    for (uint32_t c = 0; helpers && c < columns; c++)
        idle += helpers[c] && !(v[c] > 0 || v[c] < 0);
    if (!idle || idle == columns || !out)
        return columns - (idle < columns ? idle : 0);
    double squares = columns * (out->stddev * out->stddev + out->mean * out->mean);
    bool any = false;
    out->mean = out->sum / (columns - idle);
    out->stddev = sqrt(fmax(0, squares / (columns - idle) - out->mean * out->mean));
    for (uint32_t c = 0; c < columns; c++) {
        if (helpers[c] && !(v[c] > 0 || v[c] < 0))
            continue;
        if (!any || (double)v[c] < out->min) {
            out->min = (double)v[c];
            out->min_column = c;
        }
        any = true;
    }
    return columns - idle;
}

hsc_status hsc_handle_stats(hsc_handle *h, hsc_db_view view, uint64_t first, uint64_t n, hsc_db_stats *out, uint32_t *compared, hsc_err *err) {
    uint32_t columns = hsc_db_get_columns(h->db, view.axis);
    hsc_status s = hsc_db_read_stats(h->db, view, first, n, out, err);
    bool some = !s && view.axis == HSC_AXIS_THREAD && helpers_of(h);
    float *v = some ? calloc((size_t)columns + 1, sizeof *v) : NULL;
    if (some && !v)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u columns", columns);
    for (uint64_t i = 0; !s && i < n; i++) {
        bool less = some && out[i].nonzero && out[i].nonzero < columns;
        if (less && (s = hsc_db_read_block(h->db, view, first + i, 1, 0, columns, v, err)))
            break;
        uint32_t of = less ? hsc_handle_compared(h, view.axis, v, &out[i]) : columns;
        if (compared)
            compared[i] = of;
    }
    free(v);
    return s;
}
