/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Elapsed time that shares of waiting are told of: that of the threads that run the program's code. */
#include "report_elapsed.h"
#include "report_measures.h"

#include <math.h>
#include <stdlib.h>

#include <heatscope/formats/libraries.h>
#include <heatscope/formats/records.h>

/* Marks threads with samples of code of this module, or of what it called, with the metric's values by thread. */
static hsc_status mark_threads(const report *r, uint32_t scope, bool *runs, hsc_err *err) {
    uint64_t indptr[2];
    uint32_t *indices = NULL;
    float *values = NULL;
    hsc_status s = hsc_db_read_sparse(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, scope, 1, indptr, &indices,
                                      &values, err);
    for (uint64_t i = 0; !s && i < indptr[1]; i++)
        runs[indices[i]] = runs[indices[i]] || values[i] > 0;
    free(indices);
    free(values);
    return s;
}

/* Marks threads with waits below code of the program: a worker that nothing was given to has no sample. `teams`: also those that wait in OpenMP's. */
static hsc_status mark_waiting(const report *r, bool teams, bool *runs, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; i < r->info.waits && !s; i++) {
        hsc_db_wait w;
        s = hsc_db_get_wait(r->db, i, &w, err);
        if (!s && w.thread < r->info.threads && !runs[w.thread])
            runs[w.thread] = (teams && w.kind >= HSC_wait_kind_OMP_BARRIER && w.kind <= HSC_wait_kind_OMP_IDLE) || report_is_own_path(r, w.context);
    }
    return s;
}

/* Threads of the program: the first of each process, those with samples or waits below code of the user's, with `teams` or below OpenMP's runtime. */
static hsc_status mark_own(const report *r, bool teams, bool *runs, hsc_err *err) {
    bool *own = calloc((size_t)r->info.modules + 1, sizeof *own);
    hsc_status s = own ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    hsc_db_scope scope;
    hsc_db_module m;
    for (uint32_t i = 0; !s && teams && i < r->info.modules; i++)
        own[i] = !(s = hsc_db_get_module(r->db, i, &m, err)) && hsc_library_is_openmp(hsc_library_role_of(m.path));
    for (uint32_t i = 0; !s && i < r->info.scopes; i++) /* modules with code of the user's: their rows hold all that it called */
        if (r->incl[i] > 0 && !(s = hsc_db_get_scope(r->db, i, &scope, err)) && scope.module < r->info.modules && !own[scope.module])
            own[scope.module] = scope.kind >= HSC_SCOPE_PROCEDURE && report_is_own(r, &scope);
    for (uint32_t i = 0; !s && i < r->info.scopes; i++)
        if (r->incl[i] > 0 && !(s = hsc_db_get_scope(r->db, i, &scope, err)) && scope.kind == HSC_SCOPE_MODULE &&
            scope.module < r->info.modules && own[scope.module])
            s = mark_threads(r, i, runs, err);
    if (s == HSC_E_MISSING) { /* no such values: by the number alone */
        hsc_err_clear(err);
        s = HSC_OK;
    }
    if (!s)
        s = mark_waiting(r, teams, runs, err);
    for (uint32_t t = 0; !s && t < r->info.threads; t++) {
        hsc_db_thread thread;
        if (!(s = hsc_db_get_thread(r->db, t, &thread, err)) && !thread.index)
            runs[t] = runs[t] || !report_was_replaced(r->db, thread.process); /* the first may have spent its time in waits alone */
    }
    free(own);
    return s;
}

const bool *report_helpers(report *r) {
    if (r->helpers_known || !r->incl || r->axis != HSC_AXIS_THREAD)
        return r->helpers;
    bool *runs = calloc((size_t)r->info.threads + 1, sizeof *runs), any = false;
    bool good = runs && !mark_own(r, true, runs, NULL);
    for (uint32_t t = 0; good && t < r->info.threads; t++)
        any = (runs[t] = !runs[t]) || any;
    r->helpers_known = true;
    if (any)
        r->helpers = runs;
    else
        free(runs);
    return r->helpers;
}

void report_leave_helpers(report *r) {
    double begin_s, end_s;
    bool whole = r->as_interval || !hsc_db_get_interval(r->db, &begin_s, &end_s); /* in an interval a thread that has nothing there is none for that */
    const bool *helpers = whole ? report_helpers(r) : NULL;
    uint32_t n = 0;
    for (uint32_t t = 0; helpers && t < r->info.threads; t++) {
        hsc_db_thread thread;
        n += helpers[t] && !hsc_db_get_thread(r->db, t, &thread, NULL) && !report_was_replaced(r->db, thread.process);
    }
    if (n < r->working)
        r->working -= n;
}

bool report_exact_known(const report *r) {
    double begin_s, end_s;
    hsc_db_times times;
    return !hsc_db_get_interval(r->db, &begin_s, &end_s) || (!hsc_db_get_times(r->db, &times, NULL) && times.slices);
}

double report_time_within(const report *r, uint32_t process, double begin_s, double end_s) {
    const hsc_db_when *when;
    uint32_t n = hsc_db_get_intervals(r->db, &when);
    double sum = n ? 0 : end_s - begin_s;
    for (uint32_t i = 0; i < n; i++)
        if (when[i].process == HSC_NONE || when[i].process == process)
            sum += fmax(0, fmin(end_s, when[i].end_s) - fmax(begin_s, when[i].begin_s));
    return sum;
}

hsc_status report_elapsed_of(const report *r, report_elapsed *out, hsc_err *err) {
    bool *runs = calloc((size_t)r->info.threads + 1, sizeof *runs);
    report_elapsed e = {0};
    hsc_status s = runs ? mark_own(r, false, runs, err) : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t t = 0; !s && t < r->info.threads; t++) {
        hsc_db_thread thread;
        if ((s = hsc_db_get_thread(r->db, t, &thread, err)))
            break;
        *(runs[t] ? &e.threads : &e.helpers) += 1;
        e.seconds += runs[t] ? report_time_within(r, thread.process, thread.begin_s, thread.end_s) : 0;
    }
    free(runs);
    if (!s)
        *out = e;
    return s;
}
