/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Vector code that was compiled for less than the processors of the run can. */
#include <heatscope/formats/records.h>
#include <heatscope/formats/remarks.h>

#include "findings.h"

/* Samples in vector code of the scope, the loop vectoriser's, whose compiler was let to make vectors of less than `limit` bytes; *bytes: of the longest of them. */
static hsc_status add_short(report *r, uint32_t scope, uint32_t limit, hsc_weighted *sum, uint32_t *bytes, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t k = r->instance_begin[scope]; k < r->instance_begin[scope + 1] && !status; k++) {
        uint32_t row = r->instances[k];
        hsc_db_instance x;
        if (!(r->instance_sums[row] > 0) || (status = hsc_db_get_instance(r->db, row, &x, err)))
            continue;
        if (!x.vector_bytes || x.vector_bytes >= limit || !hsc_version_is_vector(x.version))
            continue;
        sum->sum += r->instance_sums[row];
        sum->excess += r->instance_excess[row];
        *bytes = x.vector_bytes > *bytes ? x.vector_bytes : *bytes;
    }
    return status;
}

/* Is time in sums that stay scalar? Processors with longer vectors fuse a product with the sum, which then waits for the product as well. */
static bool has_scalar_sums(const findings *f) {
    double sum = 0;
    for (uint32_t i = 0; i < f->refused.refused.n; i++)
        if (f->refused.refused.rows[i].reason == HSC_reason_FLOATING_POINT_ORDER)
            sum += f->refused.refused.rows[i].scalar.sum;
    return sum >= 0.03 * f->r->total;
}

hsc_status findings_short_vectors(findings *f, hsc_err *err) {
    report *r = f->r;
    hsc_weighted all = {0};
    double most = 0;
    uint32_t hottest = HSC_NONE, machine, limit, bytes = 0, loops = 0;
    char text[1600], share[140], where[600];
    hsc_db_scope s;
    hsc_status status = report_vector_bytes(r, &machine, err);
    limit = machine < REPORT_ORDINARY_BYTES ? machine : REPORT_ORDINARY_BYTES;
    for (uint32_t scope = 0; scope < r->info.scopes && limit && !status; scope++) {
        hsc_weighted here = {0};
        if (!report_wanted(r, scope) || (status = add_short(r, scope, limit, &here, &bytes, err)) || !(here.sum > 0))
            continue;
        loops++;
        all.sum += here.sum;
        all.excess += here.excess;
        hottest = here.sum > most ? scope : hottest;
        most = here.sum > most ? here.sum : most;
    }
    if (status || hottest == HSC_NONE || all.sum < 0.03 * r->total || !findings_vectors_help(r) || (status = hsc_db_get_scope(r->db, hottest, &s, err)))
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_amount(r, all, share, sizeof share);
    snprintf(text, sizeof text,
             "Short vectors: %s in vector code of %s%u bytes, as the options of its compilation allow no longer; %s has vectors of %u: -march=native lets the compiler make longer "
             "ones, in a program that then needs a processor like this. Loops that wait for memory gain less.%s The hottest, %.1f %%, is at %s.",
             share, loops > 1 ? "at most " : "", bytes, r->info.processes > 1 ? "every processor of the run" : "the one that it ran on", machine,
             bytes <= 16 && has_scalar_sums(f) ? " Sums that stay scalar may take longer then, as products are fused with them: -ffp-contract=off leaves them apart." : "", 100 * most / r->total, where);
    findings_say(f, all.sum, "Short vectors", all, spot_of_scope(hottest, &s), text);
    return HSC_OK;
}
