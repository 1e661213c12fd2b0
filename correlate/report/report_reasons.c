/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_reasons.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>
#include <heatscope/formats/remarks.h>

#include "report_paid.h"

static bool prevents(const hsc_db_dependence *d) {
    return d->verdict == HSC_dependence_verdict_UNSAFE || d->verdict == HSC_dependence_verdict_FORWARDING ||
           d->verdict == HSC_dependence_verdict_UNKNOWN || d->verdict == HSC_dependence_verdict_INDIRECT;
}

/* Do its words give the reason themselves? Else what is known of the loop does. */
static bool is_plain(const hsc_db_remark *m) {
    uint64_t reason;
    hsc_remark_tell(m->pass, strlen(m->pass), m->name, strlen(m->name), &reason);
    return reason == m->reason;
}

/* How often this was said of the loop, in all procedures that have copies of it. */
static uint64_t times_said(const hsc_db_remark *list, uint32_t n, const hsc_db_remark *m) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        if (list[i].reason == m->reason && list[i].kind == m->kind && !strcmp(list[i].name, m->name) && !strcmp(list[i].message, m->message))
            sum += list[i].count;
    return sum;
}

/* Said with `m` of one copy of the loop: that only the run shows how often it goes round. Whatever else is mended, that stays. `m`: nothing of the kind. */
static const hsc_db_remark *beyond(const hsc_db_remark *list, uint32_t n, const hsc_db_remark *m) {
    const hsc_db_remark *best = m;
    for (uint32_t i = 0; i < n; i++) {
        const hsc_db_remark *x = &list[i];
        bool beside = false;
        if (!x->refuses_vectors || (x->reason != HSC_reason_UNKNOWN_TRIP_COUNT && x->reason != HSC_reason_EARLY_EXIT))
            continue;
        for (uint32_t k = 0; k < n && !beside; k++)
            beside = list[k].refuses_vectors && list[k].reason == m->reason && list[k].function == x->function;
        if (beside && (best == m || times_said(list, n, x) > times_said(list, n, best)))
            best = x;
    }
    return best;
}

/* The vectoriser's reason for a loop: a definite one before "another reason"; with several (inlined copies), what most
 * of them say, but before that what nothing can be done about; of one reason the words that give it. Not tried: only where it looked at no copy. */
static const hsc_db_remark *verdict_of(const hsc_db_remark *list, uint32_t n, bool not_tried) {
    const hsc_db_remark *best = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const hsc_db_remark *m = &list[i];
        if (not_tried && m->refuses_vectors) /* another copy was */
            return NULL;
        if (not_tried ? m->reason != HSC_reason_NOT_TRIED : !m->refuses_vectors)
            continue;
        if (!best || (best->reason == HSC_reason_OTHER && m->reason != HSC_reason_OTHER) || (m->reason != HSC_reason_OTHER && times_said(list, n, m) > times_said(list, n, best)))
            best = m;
    }
    best = best && !not_tried ? beyond(list, n, best) : best;
    for (uint32_t i = 0; i < n && best && !is_plain(best); i++)
        if (list[i].reason == best->reason && list[i].function == best->function && list[i].refuses_vectors && is_plain(&list[i]))
            best = &list[i];
    return best;
}

const hsc_db_remark *report_verdict(const hsc_db_remark *list, uint32_t n) { return verdict_of(list, n, false); }

static bool refusal_of(const hsc_db_remark *list, uint32_t n, bool not_tried, report_refusal *out) {
    const hsc_db_remark *verdict = verdict_of(list, n, not_tried);
    if (!verdict)
        return false;
    out->reason = verdict->reason;
    out->remark = *verdict;
    for (uint32_t i = 0; i < n && !not_tried; i++) {
        bool beside = verdict->function != HSC_NONE && list[i].function == verdict->function;
        if (list[i].refuses_vectors && list[i].reason != verdict->reason &&
            (!out->other || (beside && !out->other_beside) || (beside == out->other_beside && times_said(list, n, &list[i]) > out->other_count))) {
            out->other = list[i].message;
            out->other_count = times_said(list, n, &list[i]);
            out->other_beside = beside;
        }
    }
    return true;
}

/* Is a dependence why? Of others it would only stand beside the reason, and contradict it. */
static bool is_dependence(uint32_t reason) {
    return reason == HSC_reason_DEPENDENCE || reason == HSC_reason_INDIRECT || reason == HSC_reason_ALIASING || reason == HSC_reason_OTHER;
}

static hsc_status find_dependence(report *r, report_refusal *out, hsc_err *err) {
    hsc_db_dependence pairs[64];
    uint32_t k = 0;
    hsc_status s = !is_dependence(out->reason) ? HSC_OK : hsc_db_get_dependences(r->db, out->scope, pairs, 64, &k, err);
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
 * are known, which the loop's exclusive samples leave to the procedures that were inlined, and with inner loops that are no more. */
static hsc_weighted not_vector(const report *r, uint32_t scope, const report_versions *v, bool *by_scope) {
    hsc_weighted all = {v->vector.sum + v->scalar.sum + v->other.sum, v->vector.excess + v->scalar.excess + v->other.excess};
    if (r->paid->is_no_more[scope])
        return r->paid->vectors[scope];
    *by_scope = all.sum - report_unrolled(r, scope) < r->excl[scope];
    if (*by_scope)
        all = report_excl(r, scope);
    return (hsc_weighted){fmax(0, all.sum - v->vector.sum), fmax(0, all.excess - v->vector.excess)};
}

/* Where a call keeps the loop scalar, the call is the price: that of procedures that can become vector code. */
static hsc_status add_called(report *r, report_refusal *row, const report_versions *v, hsc_err *err) {
    hsc_status s = report_pay_all(r, err);
    if (s)
        return s;
    hsc_weighted all = r->paid->vectors[row->scope];
    all = (hsc_weighted){fmax(0, all.sum - v->vector.sum), fmax(0, all.excess - v->vector.excess)};
    if (all.sum > row->scalar.sum) {
        row->called = (hsc_weighted){all.sum - row->scalar.sum, fmax(0, all.excess - row->scalar.excess)};
        row->scalar = all;
    }
    return HSC_OK;
}

/* As add_called(): the contexts, where none of the loop is vector code. */
static hsc_status ranges_with_called(report *r, const report_refusal *x, double vector, hsc_db_table *table, report_range **ranges, uint32_t *n, hsc_err *err) {
    free(*ranges);
    *table = HSC_TABLE_CONTEXT_EXCL;
    hsc_status s = report_paid_ranges(r, REPORT_PAID_VECTORS, x->scope, ranges, n, err);
    *n = vector > 0 ? 0 : *n;
    return s;
}

hsc_status report_refusal_ranges(report *r, const report_refusal *x, hsc_db_table *table, report_range **ranges, uint32_t *n, hsc_err *err) {
    uint32_t first = r->instance_begin[x->scope], end = r->instance_begin[x->scope + 1];
    double all = 0, vector = 0;
    hsc_status s = HSC_OK;
    *table = HSC_TABLE_INSTANCE;
    *n = 0;
    if (!(*ranges = malloc(((size_t)(end - first) + r->info.instances + 1) * sizeof **ranges)))
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t k = first; k < end && !s; k++) {
        hsc_db_instance v;
        if ((s = hsc_db_get_instance(r->db, r->instances[k], &v, err)))
            break;
        all += r->instance_sums[r->instances[k]];
        if (hsc_version_is_vector(v.version))
            vector += r->instance_sums[r->instances[k]];
        else
            (*ranges)[(*n)++] = (report_range){r->instances[k], 1};
    }
    for (uint32_t i = s ? HSC_NONE : r->paid->first_unrolled[x->scope]; i != HSC_NONE; i = r->paid->next_unrolled[i])
        (*ranges)[(*n)++] = (report_range){i, 1};
    if (!s && x->called.sum > 0)
        s = ranges_with_called(r, x, vector, table, ranges, n, err);
    else if (!s && all < r->excl[x->scope]) { /* as in not_vector() */
        *table = HSC_TABLE_SCOPE_EXCL;
        *n = vector > 0 ? 0 : 1;
        (*ranges)[0] = (report_range){x->scope, 1};
    }
    if (s) {
        free(*ranges);
        *ranges = NULL;
        *n = 0;
    }
    return s;
}

static bool has_samples(const report *r, uint32_t scope) {
    bool any = r->excl[scope] > 0 || r->paid->vectors[scope].sum > 0;
    for (uint32_t k = r->instance_begin[scope]; !any && k < r->instance_begin[scope + 1]; k++)
        any = r->instance_sums[r->instances[k]] > 0;
    return any;
}

static hsc_status add_row(report *r, report_refused_list *l, const report_refusal *row, hsc_err *err) {
    if (l->n == l->room) {
        uint32_t room = l->room ? 2 * l->room : 64;
        report_refusal *rows = realloc(l->rows, room * sizeof *rows);
        if (!rows)
            return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
        l->rows = rows;
        l->room = room;
    }
    l->rows[l->n++] = *row;
    return HSC_OK;
}

/* A loop that another order of loops would let go through memory by smaller steps (remark Interchange). */
static hsc_status add_order(report *r, report_refused_list *l, uint32_t scope, const hsc_db_remark *remark, hsc_err *err) {
    char text[256];
    report_versions v;
    hsc_status s = report_versions_of(r, scope, &v, text, sizeof text, err);
    hsc_weighted all = {v.vector.sum + v.scalar.sum + v.other.sum, v.vector.excess + v.scalar.excess + v.other.excess};
    if (all.sum < r->excl[scope])
        all = report_excl(r, scope);
    report_refusal row = {.scope = scope, .remark = *remark, .scalar = all};
    return s || !(all.sum > 0) ? s : add_row(r, l, &row, err);
}

/* References of a loop without its inner loops: HSC_LIST_REFERENCES. */
static hsc_status references_of(const report *r, uint32_t scope, uint32_t *first, uint32_t *n) {
    *first = *n = 0;
    return hsc_db_find(r->db, HSC_LIST_REFERENCES, scope, first, n, NULL);
}

static bool is_out_of_reach(report *r, const report_refusal *x) {
    char hint[REPORT_HINT_BYTES];
    switch (x->reason) {
    case HSC_reason_UNKNOWN_TRIP_COUNT:
    case HSC_reason_EARLY_EXIT:
    case HSC_reason_NO_INDUCTION:
    case HSC_reason_VOLATILE:
    case HSC_reason_TOO_SMALL:
    case HSC_reason_NO_DEFINITION:
    case HSC_reason_FORBIDDEN:
    case HSC_reason_VECTORS:
        return true;
    case HSC_reason_RECURRENCE:
    case HSC_reason_CALL:
    case HSC_reason_COST:
    case HSC_reason_UNSUPPORTED:
    case HSC_reason_NOT_INNERMOST:
        return !*report_hint(r, x, hint, sizeof hint);
    case HSC_reason_DEPENDENCE: /* a distance that is known is one that is there */
        return x->has_dependence && x->dependence.has_distance && x->dependence.distance == 1 && x->dependence.kind == HSC_dependence_kind_FLOW;
    default:
        return false;
    }
}

/* What of x->scalar vector code would save at best, 0 to 1: 1 - 1 / elements of the vectors that the loop's largest elements leave room for (8 bytes where they are not
 * known, in vectors of 16, which every x86-64 and AArch64 has). 0: LLVM makes no vectors of the loop as it is written: how often it goes round shows only as it
 * does (lists, searches), each value needs the one before, a call has no vector form that anybody knows of, or it would not pay with the longest vectors that the processors of the run have. */
static double gain_of(report *r, const report_refusal *x) {
    enum { VECTOR_BYTES = 16, ELEMENT_BYTES = 8 };
    uint32_t first, n, bytes = 0;
    hsc_db_reference y;
    if (is_out_of_reach(r, x))
        return 0;
    if (references_of(r, x->scope, &first, &n))
        n = 0;
    for (uint32_t i = first; i < first + n; i++)
        if (!hsc_db_get_reference(r->db, i, &y, NULL) && y.stride != HSC_stride_ZERO && y.size_bytes <= ELEMENT_BYTES && y.size_bytes > bytes)
            bytes = y.size_bytes;
    return 1 - (double)(bytes ? bytes : ELEMENT_BYTES) / VECTOR_BYTES;
}

static hsc_status add_refusal(report *r, report_refused_list *l, report_refusal *row, hsc_err *err) {
    char text[256];
    report_versions v;
    hsc_status s = find_dependence(r, row, err);
    if (!s)
        s = report_versions_of(r, row->scope, &v, text, sizeof text, err);
    if (s)
        return s;
    row->scalar = not_vector(r, row->scope, &v, &row->by_scope);
    if (row->reason == HSC_reason_WAITS && !(row->scalar.sum > 0)) /* one whose code became part of the loop round it waits as well */
        row->scalar = (hsc_weighted){v.vector.sum + v.scalar.sum + v.other.sum, v.vector.excess + v.scalar.excess + v.other.excess};
    if (row->reason == HSC_reason_CALL && strcmp(row->remark.name, "LoopInside") != 0 && (s = add_called(r, row, &v, err)))
        return s;
    if (!(row->scalar.sum > 0))
        return HSC_OK;
    if (row->remark.refuses_vectors) /* here, where scopes are met in the order of their references */
        row->gain = gain_of(r, row);
    return add_row(r, l, row, err);
}

static hsc_status look_at(report *r, report_refused *f, uint32_t scope, hsc_err *err) {
    hsc_db_scope facts;
    hsc_db_remark *list;
    uint32_t n;
    hsc_status s = hsc_db_get_scope(r->db, scope, &facts, err);
    if (s || facts.kind != HSC_SCOPE_LOOP || !report_wanted(r, scope))
        return s;
    s = report_remarks(r, scope, &list, &n, err);
    for (int k = 0; k < 2 && !s; k++) {
        report_refusal row = {.scope = scope};
        if (refusal_of(list, n, k, &row))
            s = add_refusal(r, k ? &f->not_tried : &f->refused, &row, err);
    }
    for (uint32_t i = 0; i < n && !s; i++)
        if (list[i].reason == HSC_reason_WAITS) {
            s = add_refusal(r, &f->waits, &(report_refusal){.scope = scope, .reason = list[i].reason, .remark = list[i]}, err);
            break;
        }
    for (uint32_t i = 0; i < n && !s; i++)
        if (!strcmp(list[i].name, "Interchange") && !strcmp(list[i].pass, "heatscope")) {
            s = add_order(r, &f->order, scope, &list[i], err);
            break;
        }
    free(list);
    return s;
}

hsc_status report_look_for_refused(report *r, report_refused *f, uint32_t n, hsc_err *err) {
    hsc_status s = report_pay_all(r, err);
    uint32_t end = n < r->info.scopes - f->next ? f->next + n : r->info.scopes;
    for (; f->next < end && !s; f->next++)
        if (has_samples(r, f->next))
            s = look_at(r, f, f->next, err);
    if (s || f->next < r->info.scopes)
        return s;
    if ((s = report_take_apart(r, (report_refused_list *const[]){&f->refused, &f->not_tried, &f->waits}, 3, err)))
        return s;
    if (f->refused.n)
        qsort(f->refused.rows, f->refused.n, sizeof *f->refused.rows, larger);
    if (f->not_tried.n)
        qsort(f->not_tried.rows, f->not_tried.n, sizeof *f->not_tried.rows, larger);
    if (f->waits.n)
        qsort(f->waits.rows, f->waits.n, sizeof *f->waits.rows, larger);
    if (f->order.n)
        qsort(f->order.rows, f->order.n, sizeof *f->order.rows, larger);
    return HSC_OK;
}

hsc_status report_refusals(report *r, bool with_not_tried, report_refusal **rows, uint32_t *n, hsc_err *err) {
    report_refused f = {.next = 0};
    hsc_status s = report_look_for_refused(r, &f, UINT32_MAX, err);
    free(f.waits.rows);
    free(f.order.rows);
    for (uint32_t i = 0; !s && with_not_tried && i < f.not_tried.n; i++)
        s = add_row(r, &f.refused, &f.not_tried.rows[i], err);
    free(f.not_tried.rows);
    if (s) {
        free(f.refused.rows);
        return s;
    }
    if (with_not_tried && f.refused.n)
        qsort(f.refused.rows, f.refused.n, sizeof *f.refused.rows, larger);
    *rows = f.refused.rows;
    *n = f.refused.n;
    return HSC_OK;
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
        x->scalar.sum += rows[i].apart.sum;
        x->scalar.excess += rows[i].apart.excess;
        x->called.sum += rows[i].called.sum;
        x->called.excess += rows[i].called.excess;
    }
    for (uint32_t k = 0; k < REPORT_REASONS; k++)
        if (out[k].loops)
            out[kept++] = out[k];
    qsort(out, kept, sizeof *out, larger_reason);
    return kept;
}

/* Of an array that is in the generated code: values in registers are no references there. */
static bool is_generated(const report *r, const hsc_db_reference *x) {
    hsc_db_array array;
    return x->array == HSC_NONE || hsc_db_get_array(r->db, x->array, &array, NULL) || !(array.flags & HSC_array_flag_NOT_GENERATED);
}

#define SHAPE "stride(" /* of a dimension that only the run knows: of assumed shape, or behind a pointer */

static report_step step_of(const report *r, const hsc_db_reference *x) {
    enum { LINE_BYTES = 64 };
    if (!is_generated(r, x))
        return REPORT_STEP_SMALL;
    if (x->stride == HSC_stride_SYMBOLIC)
        return strstr(x->stride_bytes, SHAPE) ? REPORT_STEP_OF_SHAPE : REPORT_STEP_LARGE;
    return x->stride == HSC_stride_CONSTANT && labs(strtol(x->stride_bytes, NULL, 10)) >= LINE_BYTES ? REPORT_STEP_LARGE : REPORT_STEP_SMALL;
}

/* "stride(x, 1)": one element where the actual argument is contiguous, which mostly it is. */
static bool is_mostly_unit(const hsc_db_reference *x) {
    size_t n = strlen(x->stride_bytes);
    return n > 11 && !strncmp(x->stride_bytes, SHAPE, sizeof SHAPE - 1) && !strcmp(x->stride_bytes + n - 4, ", 1)") && !strstr(x->stride_bytes + 1, SHAPE);
}

report_step report_steps(const report *r, uint32_t scope) {
    uint32_t first, n;
    hsc_db_reference x;
    report_step most = REPORT_STEP_SMALL;
    if (references_of(r, scope, &first, &n))
        return most;
    for (uint32_t i = first; i < first + n; i++) {
        report_step step = hsc_db_get_reference(r->db, i, &x, NULL) || !*x.text || is_mostly_unit(&x) ? REPORT_STEP_SMALL : step_of(r, &x);
        most = step > most ? step : most;
    }
    return most;
}

/* "by 8*n bytes", and of "stride(c, 2)" and "2*stride(c, 2)", which is no text of the source: "along dimension 2 of c, by bytes that only the run knows". */
static void put_step(const char *bytes, char *out, size_t size) {
    const char *of = strstr(bytes, SHAPE), *comma = of ? strrchr(of, ',') : NULL;
    if (!of || !comma)
        snprintf(out, size, "on by %s bytes from one iteration to the next", bytes);
    else if (strstr(of + 1, SHAPE))
        snprintf(out, size, "along more than one dimension from one iteration to the next, by bytes that only the run knows");
    else
        snprintf(out, size, "along dimension %lu of %.*s from one iteration to the next, by bytes that only the run knows", strtoul(comma + 1, NULL, 10), (int)(comma - of - (ptrdiff_t)sizeof SHAPE + 1),
                 of + sizeof SHAPE - 1);
}

enum { REFERENCE_COLUMNS = 36, REFERENCE_ROOM = 400 }; /* of one that is named in a sentence */

/* unit: also what goes on by one element, mostly. */
static const char *put_strides(const report *r, uint32_t scope, bool unit, char *out, size_t size) {
    enum { NAMED = 3 };
    const char *bytes = NULL;
    char named[NAMED][REFERENCE_ROOM], text[REFERENCE_ROOM], step[REFERENCE_ROOM];
    uint32_t first, n, k = 0;
    size_t at = 0;
    hsc_db_reference x;
    out[0] = 0;
    if (references_of(r, scope, &first, &n))
        return out;
    for (uint32_t i = first; i < first + n && k < NAMED; i++) {
        bool met = hsc_db_get_reference(r->db, i, &x, NULL) || step_of(r, &x) == REPORT_STEP_SMALL || (!unit && is_mostly_unit(&x)) || !*x.stride_bytes || !*x.text ||
                   (bytes && strcmp(bytes, x.stride_bytes) != 0);
        if (!met)
            report_fit_reference(x.text, REFERENCE_COLUMNS, text, sizeof text);
        for (uint32_t m = 0; m < k && !met; m++)
            met = !strcmp(named[m], text);
        if (met)
            continue;
        bytes = x.stride_bytes;
        memcpy(named[k++], text, sizeof text);
    }
    for (uint32_t m = 0; m < k && at < size; m++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", m ? ", " : "", named[m]);
    if (!k || at >= size)
        return out;
    put_step(bytes, step, sizeof step);
    snprintf(out + at, size - at, " go%s %s", k == 1 ? "es" : "", step);
    return out;
}

const char *report_strides(const report *r, uint32_t scope, char *out, size_t size) { return put_strides(r, scope, false, out, size); }

const char *report_gathered(const report *r, uint32_t scope, char *out, size_t size) {
    enum { NAMED = 2 };
    char named[NAMED][REFERENCE_ROOM], text[REFERENCE_ROOM];
    uint32_t first, n, k = 0;
    size_t at = 0;
    hsc_db_reference x;
    out[0] = 0;
    if (references_of(r, scope, &first, &n))
        return out;
    for (uint32_t i = first; i < first + n && k < NAMED; i++) {
        bool met = hsc_db_get_reference(r->db, i, &x, NULL) || (x.stride != HSC_stride_INDIRECT && x.stride != HSC_stride_POINTERS) || !*x.text || x.text[0] == '?' || !is_generated(r, &x);
        if (!met)
            report_fit_reference(x.text, REFERENCE_COLUMNS, text, sizeof text);
        for (uint32_t m = 0; m < k && !met; m++)
            met = !strcmp(named[m], text);
        if (!met)
            memcpy(named[k++], text, sizeof text);
    }
    for (uint32_t m = 0; m < k && at < size; m++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", m ? " and " : "", named[m]);
    return out;
}

/* Does the map say that vector code of the loop is for a step of one element? */
static bool asks_for_unit_step(const report *r, uint32_t scope) {
    hsc_db_remark *list = NULL;
    uint32_t n = 0;
    bool asks = false;
    if (!report_remarks(r, scope, &list, &n, NULL))
        for (uint32_t i = 0; i < n; i++)
            asks = asks || (!strcmp(list[i].pass, "heatscope") && !strcmp(list[i].name, "StrideCheck"));
    free(list);
    return asks;
}

/* Iterations of a loop, the same each time or at most so many, where the compiler knew; 0: not. */
static uint64_t iterations_of(const report *r, uint32_t scope, bool *always) {
    uint32_t first, n;
    hsc_db_loop l;
    *always = false;
    if (hsc_db_find(r->db, HSC_LIST_LOOPS, scope, &first, &n, NULL) || !n || hsc_db_get_loop(r->db, first, &l, NULL))
        return 0;
    *always = l.trips > 0;
    return l.trips ? l.trips : l.trips_max;
}

/* The subscript that neighbours in memory differ in, the first of Fortran's a(i, j), the last of C's a[i][j]: the constant at its end, 0: none;
 * `rest` takes the text without it and without blanks. No subscript, or longer than `size`: no. */
static bool split_subscript(const char *text, char *rest, size_t size, long long *constant) {
    const char *end = strrchr(text, ']'), *begin = end ? NULL : strchr(text, '(');
    int depth = 0;
    if (end) {
        for (begin = end; begin > text && !(*begin == '[' && depth == 1); begin--)
            depth += (*begin == ']') - (*begin == '[');
    } else if (begin) {
        for (end = begin + 1; *end && !(depth == 0 && (*end == ',' || *end == ')')); end++)
            depth += (*end == '(') - (*end == ')');
    }
    if (!begin || !*end || end - begin < 2 || strlen(text) >= size)
        return false;
    const char *at = end;
    while (at > begin + 1 && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')))
        at--;
    bool found = at < end && at > begin + 2 && (at[-1] == '+' || at[-1] == '-');
    *constant = found ? strtoll(at, NULL, 10) * (at[-1] == '-' ? -1 : 1) : 0;
    size_t k = 0;
    for (const char *c = text; *c; c++)
        if (*c != ' ' && !(found && c >= at - 1 && c < end))
            rest[k++] = *c;
    rest[k] = 0;
    return true;
}

/* How far the address of a reference moves from one iteration to the next, bytes; 0: not at all, or not known. */
static long long step_bytes(const hsc_db_reference *x) {
    if (x->stride == HSC_stride_UNIT || x->stride == HSC_stride_REVERSE)
        return x->stride == HSC_stride_UNIT ? (long long)x->size_bytes : -(long long)x->size_bytes;
    return x->stride == HSC_stride_CONSTANT ? strtoll(x->stride_bytes, NULL, 10) : 0;
}

/* How many iterations before the one that reads `from` the same place was written as `to`; 0: not, or not known. */
static unsigned long long iterations_since(const hsc_db_reference *to, const hsc_db_reference *from) {
    char written[300], read[300];
    long long at, other, step = step_bytes(to);
    if (to->access != HSC_access_WRITE || from->access != HSC_access_READ || to->array == HSC_NONE || to->array != from->array || !step || step != step_bytes(from) ||
        to->size_bytes != from->size_bytes ||
        !split_subscript(to->text, written, sizeof written, &at) || !split_subscript(from->text, read, sizeof read, &other) || strcmp(written, read) != 0)
        return 0;
    long long bytes = (at - other) * (long long)to->size_bytes;
    return bytes % step == 0 && bytes / step > 0 ? (unsigned long long)(bytes / step) : 0;
}

/* "each iteration reads what the one before it wrote, as tx(i + 1, j, k)": no check can succeed then. "": nothing such is known. */
static const char *report_overtaken(const report *r, uint32_t scope, char *out, size_t size) {
    uint32_t first, n;
    hsc_db_reference to, from;
    char before[40] = "the one";
    out[0] = 0;
    if (references_of(r, scope, &first, &n))
        return out;
    for (uint32_t i = first; i < first + n && !out[0]; i++)
        for (uint32_t k = first; k < first + n && !out[0]; k++) {
            unsigned long long since = hsc_db_get_reference(r->db, i, &to, NULL) || hsc_db_get_reference(r->db, k, &from, NULL) ? 0 : iterations_since(&to, &from);
            if (since > 1)
                snprintf(before, sizeof before, "that %llu", since);
            if (since)
                snprintf(out, size, "each iteration reads what %s before it wrote, as %s", before, from.text);
        }
    return out;
}

const char *report_why_scalar(const report *r, uint32_t scope, const report_versions *v, char *out, size_t size) {
    uint32_t first, n = 0;
    char strides[400], recurs[400];
    bool few = v->met[HSC_loop_version_REMAINDER] > 0.5 * v->scalar.sum, fails = v->met[HSC_loop_version_FALLBACK] > 0.5 * v->scalar.sum;
    bool step = asks_for_unit_step(r, scope), overlap = !hsc_db_find(r->db, HSC_LIST_MEMORY_CHECKS, scope, &first, &n, NULL) && n;
    const char *steps = put_strides(r, scope, true, strides, sizeof strides);
    bool always;
    uint64_t iterations = iterations_of(r, scope, &always);
    if (iterations && v->width && (iterations < v->width || (few && iterations < 4ull * v->width))) {
        snprintf(out, size, " It has %s%llu iteration%s, of which a vector takes %u.", always ? "" : "at most ", (unsigned long long)iterations, iterations == 1 ? "" : "s", v->width);
        return out;
    }
    bool many = always && v->width && iterations >= 16ull * v->width; /* what is left over is less than a tenth of them */
    if (few) {
        snprintf(out, size, " It is run with few iterations, or with some left over each time.");
        return out;
    }
    if (overlap && *report_overtaken(r, scope, recurs, sizeof recurs)) {
        snprintf(out, size, " The compiler's check before the loop fails, and always will: %s.", recurs);
        return out;
    }
    const char *step_said = step ? "the vector code is for a step of one element" : overlap ? "" : "a stride is not 1";
    snprintf(out, size, "%s compiler's check before the loop fails: %s%s%s%s%s.", fails || many ? " The" : " Either it is run with few iterations, or the",
             overlap || !step ? "what it reads and writes overlaps, or may" : "", overlap == step ? ", or " : "", step_said, step && *steps ? ", and " : "",
             step ? steps : "");
    return out;
}

const char *report_recurrence(const report *r, const report_refusal *x, char *out, size_t size) {
    uint32_t first, n;
    hsc_db_reference to, from;
    out[0] = 0;
    if (x->reason != HSC_reason_RECURRENCE || references_of(r, x->scope, &first, &n))
        return out;
    for (uint32_t i = first; i < first + n; i++)
        for (uint32_t k = first; k < first + n && !out[0]; k++) {
            if (hsc_db_get_reference(r->db, i, &to, NULL) || hsc_db_get_reference(r->db, k, &from, NULL) || to.array == HSC_NONE)
                return out;
            if (to.access == HSC_access_WRITE && from.access == HSC_access_READ && to.array == from.array && strcmp(to.text, from.text) != 0)
                snprintf(out, size, "%s is written, and %s read", to.text, from.text);
        }
    return out;
}

bool report_may_throw(const report_refusal *x) {
    return x->reason == HSC_reason_CALL && (!strcmp(x->remark.name, "LoopContainsSwitch") || !strcmp(x->remark.name, "CantComputeNumberOfIterations"));
}

/* Is what the reference is indexed by, ix[k] of a[ix[k] + i], the same in all iterations? first, n: references of the loop. */
static bool index_stays(const report *r, uint32_t first, uint32_t n, const hsc_db_reference *of) {
    hsc_db_reference x;
    bool stays = false;
    if (of->stride != HSC_stride_INDIRECT || of->index == HSC_NONE)
        return false;
    for (uint32_t i = first; i < first + n; i++)
        if (!hsc_db_get_reference(r->db, i, &x, NULL) && x.array == of->index && *x.text && strstr(of->text, x.text)) {
            if (x.stride != HSC_stride_ZERO)
                return false;
            stays = true;
        }
    return stays;
}

/* Is the line the one that the remark is of, or one of the dependence? */
static bool is_of_refusal(const report_refusal *x, uint32_t file, uint32_t line) {
    const hsc_db_dependence *d = &x->dependence;
    if (!line)
        return false;
    if (x->has_dependence)
        return (file == d->source_file && line == d->source_line) || (file == d->sink_file && line == d->sink_line);
    return file == x->remark.file && line == x->remark.line;
}

/* "the address of y[i][s] is read from memory in the loop: ", of what is on the line that is told, if there is one, and what is written
 * first. Returns its length. */
static size_t put_indirect(const report *r, const report_refusal *x, char *out, size_t size) {
    uint32_t first = 0, n;
    int best = -1;
    hsc_db_reference found = {.text = ""}, y;
    if (references_of(r, x->scope, &first, &n))
        n = 0;
    for (uint32_t i = first; i < first + n; i++) {
        bool by_address = !hsc_db_get_reference(r->db, i, &y, NULL) && *y.text && (y.stride == HSC_stride_INDIRECT || y.stride == HSC_stride_POINTERS);
        int fits = by_address ? 2 * is_of_refusal(x, y.file, y.line) + (y.access != HSC_access_READ) : -1;
        if (fits > best && !index_stays(r, first, n, &y)) {
            best = fits;
            found = y;
        }
    }
    out[0] = 0;
    if (!*found.text && !x->has_dependence) /* the reason says as much */
        return 0;
    snprintf(out, size, "%s%s is read from memory in the loop: ", *found.text ? "the address of " : "an address", found.text);
    return strlen(out);
}

/* The first sentence of the remark; what it is said of, where that is not where the loop begins: "..., at solver.c:1459", "..., line 256". */
static void put_remark(const report *r, const report_refusal *x, char *out, size_t size) {
    char where[300];
    hsc_db_scope s;
    report_first_sentence(x->remark.message, out, size);
    size_t at = strlen(out);
    if (hsc_db_get_scope(r->db, x->scope, &s, NULL) || !x->remark.line || x->remark.file == HSC_NONE || (x->remark.file == s.file && x->remark.line == s.line_begin))
        return;
    if (x->remark.file == s.file && x->remark.line > s.line_begin && x->remark.line <= s.line_end)
        snprintf(out + at, size - at, ", line %u", x->remark.line);
    else
        snprintf(out + at, size - at, ", at %s", report_at(r, x->remark.file, x->remark.line, where, sizeof where));
}

/* ", which went to dense::get (97 %) and sparse::get": where calls through a pointer are in the way, what samples were met in there. Returns its length. */
static size_t put_targets(const report *r, const report_refusal *x, char *out, size_t size) {
    enum { TOLD = 2 };
    report_called to[TOLD + 1];
    double all;
    unsigned n = report_through_pointer(r, x, to, TOLD + 1, &all);
    size_t at = 0;
    for (unsigned i = 0; i < n && i < TOLD && at < size; i++) {
        char name[80];
        hsc_db_scope s;
        if (hsc_db_get_scope(r->db, to[i].scope, &s, NULL))
            break;
        const char *before = !i ? ", which went to " : n > TOLD ? ", " : " and ";
        if (n == 1)
            at += (size_t)snprintf(out + at, size - at, "%s%s", before, report_fit(s.name, 60, name, sizeof name));
        else
            at += (size_t)snprintf(out + at, size - at, "%s%s (%.0f %%)", before, report_fit(s.name, 60, name, sizeof name), 100 * to[i].sum / all);
    }
    if (n > TOLD && at && at < size)
        at += (size_t)snprintf(out + at, size - at, " and others");
    return at < size ? at : size - 1;
}

void report_refusal_text(report *r, const report_refusal *x, char *out, size_t size) {
    char other[260], pair[300];
    size_t at = x->reason == HSC_reason_INDIRECT ? put_indirect(r, x, out, size) : 0;
    if (x->has_dependence && (x->dependence.source_line || x->dependence.sink_line)) /* of code put in line the place may be a file alone, which would be told as if it were what is read */
        report_dependence(r, &x->dependence, out + at, size - at);
    else
        put_remark(r, x, out + at, size - at);
    at = strlen(out);
    at += put_targets(r, x, out + at, size - at);
    if (report_may_throw(x))
        at += (size_t)snprintf(out + at, size - at, ", a call may throw");
    if (*report_recurrence(r, x, pair, sizeof pair))
        at += (size_t)snprintf(out + at, size - at, ", %s", pair);
    if (x->other && at < size)
        snprintf(out + at, size - at, "; %s: %s", x->other_beside ? "also" : "of another copy of the loop", report_first_sentence(x->other, other, sizeof other));
}

void report_dependence(const report *r, const hsc_db_dependence *d, char *out, size_t size) {
    enum { FLOW = HSC_dependence_kind_FLOW, ANTI = HSC_dependence_kind_ANTI };
    char first[200], then[200], far[40];
    bool one_line = d->source_file == d->sink_file && d->source_line == d->sink_line;
    report_at(r, d->source_file, d->source_line, first, sizeof first);
    report_at(r, d->sink_file, d->sink_line, then, sizeof then);
    snprintf(far, sizeof far, "%llu iteration%s", (unsigned long long)d->distance, d->distance == 1 ? "" : "s");
    if (!d->has_distance || !d->distance)
        snprintf(out, size, "%s%s%s what %s %s in %s iteration", first, d->has_distance ? " may " : " may ", d->kind == ANTI ? "read" : "write",
                 one_line ? "it" : then, d->kind == FLOW ? "reads" : "writes", d->has_distance ? "the same" : "another");
    else if (d->kind == ANTI)
        snprintf(out, size, "%s reads what %s writes %s later", first, one_line ? "it" : then, far);
    else
        snprintf(out, size, "%s %s what %s wrote %s before", then, d->kind == FLOW ? "reads" : "writes again", one_line ? "it" : first, far);
}
