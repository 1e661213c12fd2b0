/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops whose order walks memory by large steps, where another order would not. */
#include <math.h>
#include <string.h>

#include <heatscope/formats/records.h>

#include "findings.h"

enum { FEW_ITERATIONS = 16 }; /* a loop of so few may be made part of the one round it, which then is what goes through memory */

bool findings_is_short(const report *r, uint32_t scope) {
    hsc_db_loop loop;
    uint32_t first, n;
    if (hsc_db_find(r->db, HSC_LIST_LOOPS, scope, &first, &n, NULL) || !n || hsc_db_get_loop(r->db, first, &loop, NULL))
        return false;
    uint64_t most = loop.trips ? loop.trips : loop.trips_max;
    return most && most <= FEW_ITERATIONS;
}

/* Nor may the loop that comes inside have few: that it is exchanged with, on its line. */
static bool is_short_outside(const report *r, const hsc_db_scope *s, const char *message) {
    hsc_db_scope up = *s;
    unsigned line = 0;
    const char *at = strstr(message, " (line ");
    if (!at || sscanf(at, " (line %u)", &line) != 1)
        return false;
    for (uint32_t k = s->parent; !hsc_db_get_scope(r->db, k, &up, NULL) && up.kind >= HSC_SCOPE_PROCEDURE; k = up.parent) {
        if (up.kind == HSC_SCOPE_LOOP && up.line_begin == line)
            return findings_is_short(r, k);
        if (!k)
            break;
    }
    return false;
}

hsc_status findings_loop_order(findings *f, hsc_err *err) {
    report *r = f->r;
    const report_refusal *rows = f->refused.order.rows, *best = NULL;
    uint32_t n = 0;
    hsc_weighted all = {0};
    hsc_db_scope s;
    char text[2400], share[140], where[600], of[300], loops[80] = "the loop at";
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < f->refused.order.n && !status; i++) {
        status = hsc_db_get_scope(r->db, rows[i].scope, &s, err);
        if (status || findings_is_short(r, rows[i].scope) || is_short_outside(r, &s, rows[i].remark.message))
            continue;
        all.sum += rows[i].scalar.sum;
        all.excess += rows[i].scalar.excess;
        best = best ? best : &rows[i];
        n++;
    }
    if (status || !best || all.sum < 0.01 * r->total || !findings_vectors_help(r) || (status = hsc_db_get_scope(r->db, best->scope, &s, err)))
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_procedure(r, &s, of, sizeof of);
    findings_amount(r, all, share, sizeof share);
    if (n > 1)
        snprintf(loops, sizeof loops, "%u loops; the hottest, %.1f %%, is at", n, 100 * best->scalar.sum / r->total);
    snprintf(text, sizeof text, "Loop order: %s in %s %s in %s: %s.", share, loops, where, of, best->remark.message);
    findings_say(f, all.sum, "Loop order", all, spot_of_scope(best->scope, &s), text);
    return HSC_OK;
}
