/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_reasons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

static bool prevents(const hsc_db_dependence *d) {
    return d->verdict == HSC_dependence_verdict_UNSAFE || d->verdict == HSC_dependence_verdict_FORWARDING ||
           d->verdict == HSC_dependence_verdict_UNKNOWN || d->verdict == HSC_dependence_verdict_INDIRECT;
}

/* Not tried: only of a loop of which nothing else is said. */
static bool is_of(const hsc_db_remark *m, bool not_tried) {
    return not_tried ? m->reason == HSC_reason_NOT_TRIED : m->refuses_vectors;
}

/* The vectoriser's reason for a loop: a definite one before "another reason"; with several (inlined copies), what most
 * of them say. */
static hsc_status refusal_of(report *r, uint32_t scope, bool not_tried, report_refusal *out, bool *found, hsc_err *err) {
    hsc_db_remark *list;
    hsc_db_dependence pairs[64];
    uint32_t n, k;
    hsc_status s = report_remarks(r, scope, &list, &n, err);
    *found = false;
    for (uint32_t i = 0; !s && i < n; i++) {
        const hsc_db_remark *m = &list[i];
        if (not_tried && m->refuses_vectors) { /* another copy was */
            *found = false;
            break;
        }
        if (!is_of(m, not_tried))
            continue;
        bool better = !*found || (out->reason == HSC_reason_OTHER && m->reason != HSC_reason_OTHER) ||
                      (m->reason != HSC_reason_OTHER && m->count > out->remark.count);
        if (better) {
            out->reason = m->reason;
            out->remark = *m;
            *found = true;
        }
    }
    free(list);
    if (s || !*found)
        return s;
    s = hsc_db_get_dependences(r->db, scope, pairs, 64, &k, err);
    for (uint32_t i = 0; !s && i < k && i < 64 && !out->has_dependence; i++)
        if (prevents(&pairs[i])) {
            out->dependence = pairs[i];
            out->has_dependence = true;
        }
    return s;
}

static int larger(const void *a, const void *b) {
    const report_refusal *x = a, *y = b;
    if (x->scalar.sum != y->scalar.sum)
        return x->scalar.sum > y->scalar.sum ? -1 : 1;
    return x->scope < y->scope ? -1 : x->scope > y->scope;
}

/* All code of a loop without its inner loops but vector bodies: with what is inlined into it where the loops of the generated code
 * are known, which the loop's exclusive samples leave to the procedures that were inlined. */
static hsc_weighted not_vector(const report *r, uint32_t scope, const report_versions *v) {
    hsc_weighted all = {v->vector.sum + v->scalar.sum + v->other.sum, v->vector.excess + v->scalar.excess + v->other.excess};
    if (all.sum < r->excl[scope])
        all = report_excl(r, scope);
    return (hsc_weighted){fmax(0, all.sum - v->vector.sum), fmax(0, all.excess - v->vector.excess)};
}

static bool has_samples(const report *r, uint32_t scope) {
    bool any = r->excl[scope] > 0;
    for (uint32_t k = r->instance_begin[scope]; !any && k < r->instance_begin[scope + 1]; k++)
        any = r->instance_sums[r->instances[k]] > 0;
    return any;
}

static hsc_status list_of(report *r, bool not_tried, report_refusal **rows, uint32_t *n, hsc_err *err) {
    char text[256];
    report_refusal *list = malloc(((size_t)r->info.scopes + 1) * sizeof *list);
    hsc_status s = list ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    *n = 0;
    for (uint32_t i = 0; !s && i < r->info.scopes; i++) {
        hsc_db_scope scope;
        report_versions v = {0};
        report_refusal row = {.scope = i};
        bool found = false;
        if (!has_samples(r, i) || (s = hsc_db_get_scope(r->db, i, &scope, err)) || scope.kind != HSC_SCOPE_LOOP ||
            !report_wanted(r, i))
            continue;
        s = refusal_of(r, i, not_tried, &row, &found, err);
        if (!s && found)
            s = report_versions_of(r, i, &v, text, sizeof text, err);
        row.scalar = not_vector(r, i, &v);
        if (!s && found && row.scalar.sum > 0)
            list[(*n)++] = row;
    }
    if (s) {
        free(list);
        return s;
    }
    qsort(list, *n, sizeof *list, larger);
    *rows = list;
    return HSC_OK;
}

hsc_status report_refusals(report *r, report_refusal **rows, uint32_t *n, hsc_err *err) {
    return list_of(r, false, rows, n, err);
}

hsc_status report_not_tried(report *r, report_refusal **rows, uint32_t *n, hsc_err *err) {
    return list_of(r, true, rows, n, err);
}

static int larger_reason(const void *a, const void *b) {
    const report_reason *x = a, *y = b;
    if (x->scalar.sum != y->scalar.sum)
        return x->scalar.sum > y->scalar.sum ? -1 : 1;
    return (x->reason > y->reason) - (x->reason < y->reason);
}

uint32_t report_sum_reasons(const report_refusal *rows, uint32_t n, report_reason out[REPORT_REASONS]) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < REPORT_REASONS; k++)
        out[k] = (report_reason){.reason = k};
    for (uint32_t i = 0; i < n; i++) {
        report_reason *x = &out[rows[i].reason % REPORT_REASONS];
        x->loops++;
        x->scalar.sum += rows[i].scalar.sum;
        x->scalar.excess += rows[i].scalar.excess;
    }
    for (uint32_t k = 0; k < REPORT_REASONS; k++)
        if (out[k].loops)
            out[kept++] = out[k];
    qsort(out, kept, sizeof *out, larger_reason);
    return kept;
}

void report_dependence(const report *r, const hsc_db_dependence *d, char *out, size_t size) {
    char from[200], to[200], far[64] = "";
    const char *kind = hsc_enum_text("dependence_kind", d->kind);
    if (d->has_distance)
        snprintf(far, sizeof far, ", distance %llu", (unsigned long long)d->distance);
    snprintf(out, size, "%.*s: %s -> %s%s", kind ? (int)strcspn(kind, ":") : 10, kind ? kind : "dependence",
             report_at(r, d->source_file, d->source_line, from, sizeof from), report_at(r, d->sink_file, d->sink_line, to, sizeof to), far);
}
