/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_put_in.h"

#include <math.h>
#include <stdlib.h>

enum { WAY_MAX = 64, FEW_LINES = 3 };

typedef struct step { /* of the way out */
    uint32_t context, line, lines;
} step;

uint8_t *report_without_loops(const report *r, hsc_err *err) {
    hsc_db_scope s;
    uint8_t *out = calloc((size_t)r->info.scopes + 1, 1);
    if (!out)
        hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; out && i < r->info.scopes; i++)
        if (!hsc_db_get_scope(r->db, i, &s, NULL) && (s.kind == HSC_SCOPE_PROCEDURE || s.kind == HSC_SCOPE_LOOP)) {
            uint32_t of = s.kind == HSC_SCOPE_PROCEDURE ? i : s.procedure;
            if (of != HSC_NONE) /* parents come first */
                out[of] = s.kind == HSC_SCOPE_PROCEDURE;
        }
    return out;
}

void report_put_in_fini(report_put_in *p) {
    free(p->small);
    free(p->sums);
}

static hsc_status prepare(const report *r, report_put_in *p, hsc_err *err) {
    if (p->sums)
        return HSC_OK;
    if (!p->small && !(p->small = report_without_loops(r, err)))
        return HSC_E_MEMORY;
    p->sums = malloc(((size_t)r->info.contexts + 1) * sizeof *p->sums);
    if (!p->sums)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; i < r->info.contexts; i++)
        p->sums[i] = NAN;
    return HSC_OK;
}

static double sum_of(const report *r, report_put_in *p, uint32_t context) {
    double *sum = &p->sums[context];
    if (isnan(*sum) && hsc_db_read_sums(r->db, (hsc_db_view){0, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, context, 1, sum, NULL))
        *sum = 0; /* a database without values of contexts */
    return *sum;
}

static bool look(const report *r, uint32_t at, hsc_db_context *c, hsc_db_scope *s) {
    return at && at < r->info.contexts && !hsc_db_get_context(r->db, at, c, NULL) && !hsc_db_get_scope(r->db, c->scope, s, NULL);
}

hsc_status report_climb_put_in(const report *r, report_put_in *p, uint32_t *context, uint32_t *line, hsc_err *err) {
    step way[WAY_MAX];
    uint32_t n = 0, at = *context, of = *line, best;
    hsc_db_context c;
    hsc_db_scope s;
    if (!look(r, at, &c, &s) || c.kind != HSC_CONTEXT_INLINED)
        return HSC_OK;
    hsc_status status = prepare(r, p, err);
    if (status)
        return status;
    for (; n < WAY_MAX && look(r, at, &c, &s) && c.kind == HSC_CONTEXT_INLINED && p->small[c.scope] && report_is_users(r, &s); n++) {
        way[n] = (step){at, of, s.line_end - s.line_begin + 1};
        of = c.call_line;
        at = c.parent;
    }
    if (!n || !look(r, at, &c, &s) || !report_is_users(r, &s))
        return HSC_OK;
    double most = 0.75 * sum_of(r, p, at);
    best = n;
    for (uint32_t i = n; i-- && most > 0 && sum_of(r, p, way[i].context) >= most;)
        best = way[i].lines > FEW_LINES ? i : best;
    *context = best < n ? way[best].context : at;
    *line = best < n ? way[best].line : of;
    return HSC_OK;
}
