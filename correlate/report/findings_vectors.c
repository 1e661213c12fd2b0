/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the options of a compilation cost: vector code for less than the processors of the run can, and code without optimisation. */
#include <heatscope/formats/records.h>
#include <heatscope/formats/remarks.h>

#include "findings.h"
#include "report_paid.h"

#include <stdlib.h>
#include <string.h>

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

typedef struct summed { /* loops that a finding is of */
    hsc_weighted all;
    double most;
    uint32_t hottest, loops;
} summed;

static void add_loop(summed *to, uint32_t scope, hsc_weighted here) {
    to->loops++;
    to->all.sum += here.sum;
    to->all.excess += here.excess;
    to->hottest = here.sum > to->most ? scope : to->hottest;
    to->most = here.sum > to->most ? here.sum : to->most;
}

/* Is time in sums that stay scalar? Processors with longer vectors fuse a product with the sum, which then waits for the product as well. */
static bool has_scalar_sums(const findings *f) {
    double sum = 0;
    for (uint32_t i = 0; i < f->refused.refused.n; i++)
        if (f->refused.refused.rows[i].reason == HSC_reason_FLOATING_POINT_ORDER)
            sum += f->refused.refused.rows[i].apart.sum;
    return sum >= 0.03 * f->r->total;
}

hsc_status findings_short_vectors(findings *f, hsc_err *err) {
    report *r = f->r;
    summed x = {.hottest = HSC_NONE};
    uint32_t machine, limit, bytes = 0;
    char text[1600], share[140], where[600];
    hsc_db_scope s;
    hsc_status status = report_vector_bytes(r, &machine, err);
    limit = machine < REPORT_ORDINARY_BYTES ? machine : REPORT_ORDINARY_BYTES;
    for (uint32_t scope = 0; scope < r->info.scopes && limit && !status; scope++) {
        hsc_weighted here = {0};
        if (!report_wanted(r, scope) || (status = add_short(r, scope, limit, &here, &bytes, err)) || !(here.sum > 0))
            continue;
        add_loop(&x, scope, here);
    }
    if (status || x.hottest == HSC_NONE || x.all.sum < 0.03 * r->total || !findings_vectors_help(r) || (status = hsc_db_get_scope(r->db, x.hottest, &s, err)))
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_amount(r, x.all, share, sizeof share);
    snprintf(text, sizeof text,
             "Short vectors: %s in vector code of %s%u bytes, as the options of its compilation allow no longer; %s has vectors of %u: -march=native lets the compiler make longer "
             "ones, in a program that then needs a processor like this. Loops that wait for memory gain less.%s The hottest, %.1f %%, is at %s.",
             share, x.loops > 1 ? "at most " : "", bytes, r->info.processes > 1 ? "every processor of the run" : "the one that it ran on", machine,
             bytes <= 16 && has_scalar_sums(f) ? " Sums that stay scalar may take longer then, as products are fused with them: -ffp-contract=off leaves them apart." : "", 100 * x.most / r->total, where);
    findings_say(f, x.all.sum, "Short vectors", x.all, spot_of_scope(x.hottest, &s), text);
    return HSC_OK;
}

static hsc_status is_written_in_vectors(report *r, uint32_t scope, bool *out, hsc_err *err) {
    hsc_db_remark *list = NULL;
    uint32_t n = 0;
    hsc_status s = report_remarks(r, scope, &list, &n, err);
    *out = false;
    for (uint32_t i = 0; !s && i < n; i++)
        *out = *out || list[i].reason == HSC_reason_VECTORS || !strcmp(list[i].name, "WrittenInVectors");
    free(list);
    return s;
}

/* Loops that the programmer wrote in vectors, with what was put into them, where the options allow no longer ones than the processors of the run have. */
hsc_status findings_written_vectors(findings *f, hsc_err *err) {
    static const double least = 0.002; /* of all: below, nobody looks at a loop, and it is not looked at here */
    report *r = f->r;
    summed x = {.hottest = HSC_NONE};
    uint32_t machine, limit, bytes = 0;
    char text[1400], share[140], where[600];
    hsc_db_scope s;
    hsc_status status = report_vector_bytes(r, &machine, err);
    limit = machine < REPORT_ORDINARY_BYTES ? machine : REPORT_ORDINARY_BYTES;
    if (!status)
        status = report_pay_all(r, err);
    for (uint32_t scope = 0; scope < r->info.scopes && limit && !status; scope++) {
        uint32_t let = 0;
        bool is_written = false;
        if (!(r->paid->loop[scope].sum >= least * r->total) || !report_wanted(r, scope) || (status = is_written_in_vectors(r, scope, &is_written, err)) || !is_written)
            continue;
        for (uint32_t k = r->instance_begin[scope]; k < r->instance_begin[scope + 1] && !status; k++) {
            hsc_db_instance v;
            status = hsc_db_get_instance(r->db, r->instances[k], &v, err);
            let = !status && v.vector_bytes > let ? v.vector_bytes : let;
        }
        hsc_weighted here = r->paid->loop[scope];
        if (!let || let >= limit || !(here.sum > 0))
            continue;
        bytes = let > bytes ? let : bytes;
        add_loop(&x, scope, here);
    }
    if (status || x.hottest == HSC_NONE || x.all.sum < 0.03 * r->total || (status = hsc_db_get_scope(r->db, x.hottest, &s, err)))
        return status;
    findings_place(r, &s, where, sizeof where);
    findings_amount(r, x.all, share, sizeof share);
    snprintf(text, sizeof text,
             "Written in short vectors: %s in %u loop%s whose source is written in vectors (types or intrinsics), compiled for %u bytes; %s has vectors of %u. The compiler makes no longer ones of these: where "
             "the source has a version for them (often a switch of its build), that does more in each operation. The hottest, %.1f %%, is at %s.",
             share, x.loops, x.loops == 1 ? "" : "s", bytes, r->info.processes > 1 ? "every processor of the run" : "the one that it ran on", machine, 100 * x.most / r->total, where);
    findings_say(f, 0.5 * x.all.sum, "Written in short vectors", x.all, spot_of_scope(x.hottest, &s), text);
    return HSC_OK;
}

/* What was compiled without optimisation, loops that wait left out: nothing makes those end sooner. */
hsc_status findings_unoptimised(findings *f, hsc_err *err) {
    report *r = f->r;
    hsc_weighted all = {0};
    uint32_t hottest = HSC_NONE, procedures = 0;
    char text[1200], share[140], where[600], of[300];
    hsc_db_scope s;
    uint32_t *by = malloc(((size_t)r->info.scopes + 1) * sizeof *by); /* by scope: the procedure that it is in if that is so; HSC_NONE */
    double *sums = calloc((size_t)r->info.scopes + 1, sizeof *sums);
    hsc_status status = by && sums ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < r->info.scopes && !status; i++) {
        if ((status = hsc_db_get_scope(r->db, i, &s, err)))
            break;
        bool within = s.kind > HSC_SCOPE_PROCEDURE && s.parent < i;
        by[i] = s.unoptimised ? i : within ? by[s.parent] : HSC_NONE;
    }
    for (uint32_t k = 0; k < f->refused.waits.n && !status; k++)
        by[f->refused.waits.rows[k].scope] = HSC_NONE;
    for (uint32_t i = 0; i < r->info.scopes && !status; i++) {
        if (by[i] == HSC_NONE || !(r->excl[i] > 0) || !report_wanted(r, i))
            continue;
        procedures += !(sums[by[i]] > 0);
        sums[by[i]] += r->excl[i];
        all.sum += r->excl[i];
        all.excess += r->excl_excess[i];
        hottest = hottest == HSC_NONE || sums[by[i]] > sums[hottest] ? by[i] : hottest;
    }
    if (!status && hottest != HSC_NONE && all.sum >= 0.01 * r->total && !(status = hsc_db_get_scope(r->db, hottest, &s, err))) {
        findings_place(r, &s, where, sizeof where);
        findings_procedure(r, &s, of, sizeof of);
        findings_amount(r, all, share, sizeof share);
        snprintf(text, sizeof text, "Not optimised: %s in %u procedure%s compiled without optimisation (-O0, as without any -O); the hottest, %.1f %%, is %s at %s. -O2 makes most code several times as fast.",
                 share, procedures, procedures == 1 ? "" : "s", 100 * sums[hottest] / r->total, of, where);
        findings_say(f, 0.75 * all.sum, "Not optimised", all, spot_of_scope(hottest, &s), text);
    }
    free(by);
    free(sums);
    return status;
}
