/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rankings as `heatscope report` has them: loops with inner ones that were unrolled fully, Heatscope's own code apart. */
#include "handle.h"

#include <stdlib.h>

/* Without samples of versions (in an interval) all versions count. */
static hsc_status place_loops(hsc_handle *h, uint32_t metric, uint32_t *loop_of, hsc_err *err) {
    hsc_db_view view = {metric, HSC_TABLE_INSTANCE, HSC_AXIS_PROCESS};
    uint32_t n = h->info.instances;
    double *sums = malloc(((size_t)n + 1) * sizeof *sums);
    hsc_status s = sums ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u loops", h->info.path, n);
    bool known = n > 0;
    if (s == HSC_OK && known && (s = hsc_db_read_sums(h->db, view, 0, n, sums, err)) == HSC_E_MISSING) {
        known = false;
        s = HSC_OK;
    }
    if (s == HSC_OK)
        s = hsc_db_place_unrolled(h->db, known ? sums : NULL, loop_of, err);
    free(sums);
    return s;
}

hsc_status hsc_handle_loops(hsc_handle *h, uint32_t metric, const double **sums, const uint32_t **loop_of, hsc_err *err) {
    uint32_t n = h->info.scopes;
    hsc_db_view view = {metric, HSC_TABLE_SCOPE_EXCL, HSC_AXIS_PROCESS};
    hsc_status s = HSC_OK;
    if (!h->loops || h->loops_metric != metric) {
        double *excl = malloc(((size_t)n + 1) * sizeof *excl), *loops = calloc((size_t)n + 1, sizeof *loops);
        uint32_t *of = malloc(((size_t)n + 1) * sizeof *of);
        if (!excl || !loops || !of)
            s = hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for sums of %u scopes", h->info.path, n);
        if (s == HSC_OK && n)
            s = hsc_db_read_sums(h->db, view, 0, n, excl, err);
        if (s == HSC_OK)
            s = place_loops(h, metric, of, err);
        for (uint32_t i = 0; s == HSC_OK && i < n; i++)
            loops[of[i]] += excl[i];
        free(excl);
        if (s != HSC_OK) {
            free(loops);
            free(of);
            return s;
        }
        free(h->loops);
        free(h->loop_of);
        h->loops = loops;
        h->loop_of = of;
        h->loops_metric = metric;
    }
    *sums = h->loops;
    *loop_of = h->loop_of;
    return s;
}

static hsc_status add_columns(hsc_handle *h, hsc_db_view view, uint32_t scope, bool own, float *part, float *out, hsc_err *err) {
    uint32_t columns = hsc_db_get_columns(h->db, view.axis);
    hsc_status s = own ? hsc_handle_own_columns(h, view, scope, part, err) : hsc_handle_columns(h, view, scope, 1, part, err);
    for (uint32_t c = 0; s == HSC_OK && c < columns; c++)
        out[c] += part[c];
    return s;
}

static float *new_columns(hsc_handle *h, hsc_db_view view, float *out, hsc_err *err) {
    uint32_t columns = hsc_db_get_columns(h->db, view.axis);
    float *part = malloc(((size_t)columns + 1) * sizeof *part);
    if (!part)
        hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u columns", h->info.path, columns);
    for (uint32_t c = 0; c < columns; c++)
        out[c] = 0;
    return part;
}

hsc_status hsc_handle_loop_columns(hsc_handle *h, hsc_db_view view, uint32_t loop, float *out, hsc_err *err) {
    const double *sums;
    const uint32_t *loop_of;
    hsc_db_scope sc;
    float *part = new_columns(h, view, out, err);
    hsc_status s = part ? hsc_db_get_scope(h->db, loop, &sc, err) : HSC_E_MEMORY;
    if (s == HSC_OK)
        s = hsc_handle_loops(h, view.metric, &sums, &loop_of, err);
    view.table = HSC_TABLE_SCOPE_EXCL;
    for (uint32_t i = loop; s == HSC_OK && i < h->info.scopes && (i == loop || i < sc.subtree_end); i++)
        if (loop_of[i] == loop)
            s = add_columns(h, view, i, false, part, out, err);
    free(part);
    return s;
}

hsc_status hsc_handle_heatscope_columns(hsc_handle *h, hsc_db_view view, float *out, hsc_err *err) {
    hsc_db_scope_columns sc = {0};
    float *part = new_columns(h, view, out, err);
    hsc_status s = part ? hsc_db_get_scope_columns(h->db, &sc, err) : HSC_E_MEMORY;
    for (uint32_t i = 0; s == HSC_OK && i < h->info.scopes; i++)
        if (sc.kind[i] == HSC_SCOPE_MODULE && hsc_db_is_heatscope(h->db, i))
            s = add_columns(h, view, i, true, part, out, err);
    free(part);
    return s;
}
