/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/remarks.h>
#include <report_elapsed.h>
#include <report_paid.h>

hsc_status diff_load(diff *d, hsc_err *err) {
    hsc_status s = report_load(&d->a, err);
    if (!s)
        s = report_load(&d->b, err);
    if (!s)
        s = hsc_compare_scopes(d->a.db, d->b.db, &d->match, err);
    if (!s && strcmp(d->a.unit.unit, d->b.unit.unit))
        s = hsc_err_set(err, HSC_E_MISMATCH, "%s and %s: expected one unit, got %s and %s", d->a.info.path,
                        d->b.info.path, d->a.unit.unit, d->b.unit.unit);
    if (!s)
        s = diff_put_together(d, err);
    for (int side = 0; side < 2 && !s; side++)
        d->lost[side] = hsc_db_count_lost(side ? d->b.db : d->a.db);
    return s;
}

void diff_clear(diff *d) {
    report_clear(&d->a);
    report_clear(&d->b);
    hsc_compare_clear(&d->match);
    free(d->callers[0]);
    free(d->callers[1]);
    for (int side = 0; side < 2; side++) {
        free(d->of_lines[side]);
        free(d->of_loops[side]);
    }
}

const char *diff_how_text(hsc_compare_how how) {
    static const char *const texts[] = {"same", "moved", "numbered by the compiler", "by position", "other instance", "renamed", "changed", "nest", "unmatched"};
    return texts[how <= HSC_COMPARE_NONE ? how : HSC_COMPARE_NONE];
}

bool diff_is_whole(const report *r) {
    double begin_s, end_s;
    return r->as_interval || !hsc_db_get_interval(r->db, &begin_s, &end_s);
}

/* Is how many periods there are known, by the clocks that samples are taken from, and sampled only where they are? */
static bool is_total_known(const report *r) { return !r->metric && !r->category && diff_is_whole(r); }

hsc_sampled diff_sampled_of(const diff *d, int side, hsc_weighted v) {
    const report *r = side ? &d->b : &d->a;
    return (hsc_sampled){.v = v, .all = r->all, .scale = r->unit.scale, .known = is_total_known(r), .lost = d->lost[side]};
}

void diff_set_change(const diff *d, diff_row *row) {
    row->change = row->count_b * d->b.unit.scale - row->count_a * d->a.unit.scale;
    row->low = row->high = row->change;
    if (!d->a.unit.exact || !d->b.unit.exact)
        hsc_interval_change(diff_sampled_of(d, 0, (hsc_weighted){row->count_a, row->excess_a}),
                            diff_sampled_of(d, 1, (hsc_weighted){row->count_b, row->excess_b}), &row->low, &row->high);
    row->beyond = row->low > 0 || row->high < 0;
}

void diff_set_counts(const diff *d, diff_row *row, hsc_weighted a, hsc_weighted b) {
    row->count_a = a.sum;
    row->excess_a = a.excess;
    row->count_b = b.sum;
    row->excess_b = b.excess;
    diff_set_change(d, row);
}

static int larger(const void *p, const void *q) {
    const diff_row *x = p, *y = q;
    double a = fabs(x->change), b = fabs(y->change);
    if (a != b)
        return a > b ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

diff_row diff_total(const diff *d) {
    diff_row row = {.count_a = d->a.total, .count_b = d->b.total, .excess_a = d->a.all.excess, .excess_b = d->b.all.excess};
    diff_set_change(d, &row);
    return row;
}

static hsc_weighted module_sum(const report *r, uint32_t scope) {
    hsc_db_scope s;
    hsc_weighted sum = {0};
    if (!hsc_db_get_scope(r->db, scope, &s, NULL))
        for (uint32_t i = scope; i < s.subtree_end; i++) {
            sum.sum += r->excl[i];
            sum.excess += r->excl_excess[i];
        }
    return sum;
}

static hsc_weighted count_of(const report *r, uint32_t scope, hsc_scope_kind kind) {
    if (scope == HSC_NONE)
        return (hsc_weighted){0};
    return kind == HSC_SCOPE_PROCEDURE ? report_own(r, scope)
           : kind == HSC_SCOPE_MODULE  ? module_sum(r, scope)
                                       : r->paid->loop[scope];
}

/* What loops pay for. One that was unrolled into the loop round it on one side only is compared with its code there, and the loop round it without. */
static hsc_status pay(diff *d, hsc_err *err) {
    uint8_t *of_a, *of_b;
    hsc_status s = report_find_no_more(&d->a, &of_a, err);
    if (!s)
        s = report_find_no_more(&d->b, &of_b, err);
    for (uint32_t a = 0; !s && of_a && of_b && a < d->a.info.scopes; a++) {
        uint32_t b = d->match.b_of_a[a];
        if (b != HSC_NONE && of_a[a] != of_b[b])
            of_a[a] = of_b[b] = 0;
    }
    if (!s)
        s = report_pay_all(&d->a, err);
    return s ? s : report_pay_all(&d->b, err);
}

static hsc_status scope_rows(diff *d, hsc_scope_kind kind, diff_row *rows, uint32_t *n, hsc_err *err) {
    *n = 0;
    if (kind == HSC_SCOPE_LOOP && pay(d, err))
        return err->status;
    for (int side = 0; side < 2; side++) {
        report *r = side ? &d->b : &d->a;
        for (uint32_t s = 0; s < r->info.scopes; s++) {
            hsc_db_scope scope;
            hsc_status status = hsc_db_get_scope(r->db, s, &scope, err);
            if (status)
                return status;
            uint32_t other = side ? d->match.a_of_b[s] : d->match.b_of_a[s];
            if (scope.kind != kind || (side && other != HSC_NONE) ||
                !(report_wanted(r, s) || (!side && other != HSC_NONE && report_wanted(&d->b, other))) ||
                (kind == HSC_SCOPE_LOOP && diff_told_with(d, side, s) != HSC_NONE))
                continue;
            diff_row row = {.a = side ? HSC_NONE : s, .b = side ? s : other, .how = HSC_COMPARE_NONE};
            if (!side)
                row.how = (hsc_compare_how)d->match.how_a[s];
            row.in_both = other != HSC_NONE;
            if (kind == HSC_SCOPE_LOOP && row.how == HSC_COMPARE_NEST)
                diff_set_counts(d, &row, diff_nest_sum(d, 0, row.a), diff_nest_sum(d, 1, row.b));
            else
                diff_set_counts(d, &row, count_of(&d->a, row.a, kind), count_of(&d->b, row.b, kind));
            if (row.count_a > 0 || row.count_b > 0)
                rows[(*n)++] = row;
        }
    }
    return HSC_OK;
}

hsc_status diff_line_sums(report *r, hsc_weighted **out, hsc_err *err) {
    *out = malloc(((size_t)r->info.lines + 1) * sizeof **out);
    if (!*out)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: no memory for %u lines", r->info.path, r->info.lines);
    hsc_status s =
        hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, r->info.lines, *out, err);
    if (s) {
        free(*out);
        *out = NULL;
    }
    return s;
}

enum { UNKNOWN, IN_BOTH, TAKEN }; /* a line row of B: A's source has the line, and no row for it; it is a row with one of A */

static bool is_same_line(unsigned char how) { return how == HSC_COMPARE_SAME || how == HSC_COMPARE_POSITION; }

/* Line rows of one matched file. */
static hsc_status file_rows(diff *d, uint32_t file, const hsc_weighted *a, const hsc_weighted *b, unsigned char *taken, diff_row *rows,
                            uint32_t *n, hsc_err *err) {
    hsc_db_file f;
    uint32_t *map = NULL, lines = 0, other = d->match.file_b_of_a[file];
    unsigned char *how = NULL;
    hsc_status s = hsc_db_get_file(d->a.db, file, &f, err);
    if (!s && other != HSC_NONE)
        s = hsc_compare_lines(&d->match, file, &map, &how, &lines, err);
    for (uint32_t line = 1; !s && other != HSC_NONE && line <= lines; line++) {
        uint32_t to = map[line] && is_same_line(how[line]) ? hsc_db_find_line(d->b.db, other, map[line]) : HSC_NONE;
        if (to != HSC_NONE)
            taken[to] = IN_BOTH;
    }
    for (uint32_t i = 0; !s && i < f.line_rows; i++) {
        hsc_db_line line;
        uint32_t row = f.first_line_row + i, to = HSC_NONE;
        if ((s = hsc_db_get_line(d->a.db, row, &line, err)))
            break;
        if (other != HSC_NONE)
            to = !line.line                             ? hsc_db_find_line(d->b.db, other, 0)
                 : line.line <= lines && map[line.line] ? hsc_db_find_line(d->b.db, other, map[line.line])
                                                        : HSC_NONE;
        if (to != HSC_NONE)
            taken[to] = TAKEN;
        diff_row r = {.a = row,
                      .b = to,
                      .count_a = a[row].sum,
                      .count_b = to != HSC_NONE ? b[to].sum : 0,
                      .excess_a = a[row].excess,
                      .excess_b = to != HSC_NONE ? b[to].excess : 0,
                      .in_both = to != HSC_NONE || (other != HSC_NONE && line.line && line.line <= lines && map[line.line] && is_same_line(how[line.line])),
                      .how = to == HSC_NONE ? HSC_COMPARE_NONE
                             : !line.line   ? HSC_COMPARE_SAME
                                            : (hsc_compare_how)how[line.line]};
        if (!(r.count_a > 0 || r.count_b > 0) ||
            !(report_wanted_line(&d->a, row) || (to != HSC_NONE && report_wanted_line(&d->b, to))))
            continue;
        diff_set_change(d, &r);
        rows[(*n)++] = r;
    }
    free(map);
    free(how);
    return s;
}

static hsc_status line_rows(diff *d, diff_row *rows, uint32_t *n, hsc_err *err) {
    hsc_weighted *a = NULL, *b = NULL;
    unsigned char *taken = calloc((size_t)d->b.info.lines + 1, 1);
    hsc_status s =
        taken ? diff_line_sums(&d->a, &a, err) : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u lines", d->b.info.lines);
    if (!s)
        s = diff_line_sums(&d->b, &b, err);
    *n = 0;
    for (uint32_t f = 0; !s && f < d->a.info.files; f++)
        s = file_rows(d, f, a, b, taken, rows, n, err);
    for (uint32_t row = 0; !s && row < d->b.info.lines; row++) {
        if (taken[row] == TAKEN || !(b[row].sum > 0) || !report_wanted_line(&d->b, row))
            continue;
        diff_row r = {.a = HSC_NONE, .b = row, .count_b = b[row].sum, .excess_b = b[row].excess, .in_both = taken[row] == IN_BOTH, .how = HSC_COMPARE_NONE};
        diff_set_change(d, &r);
        rows[(*n)++] = r;
    }
    free(taken);
    free(a);
    free(b);
    return s;
}

hsc_status diff_rows_by(diff *d, diff_by by, diff_row **rows, uint32_t *n, hsc_err *err) {
    size_t most =
        by == DIFF_LINE ? (size_t)d->a.info.lines + d->b.info.lines : (size_t)d->a.info.scopes + d->b.info.scopes;
    *rows = malloc((most + 1) * sizeof **rows);
    if (!*rows)
        return hsc_err_set(err, HSC_E_MEMORY, "no memory for %zu differences", most);
    hsc_status s = by == DIFF_LINE   ? line_rows(d, *rows, n, err)
                   : by == DIFF_NEST ? diff_nest_rows(d, *rows, n, err)
                                     : scope_rows(d,
                                                by == DIFF_LOOP     ? HSC_SCOPE_LOOP
                                                : by == DIFF_MODULE ? HSC_SCOPE_MODULE
                                                                    : HSC_SCOPE_PROCEDURE,
                                                *rows, n, err);
    if (s) {
        free(*rows);
        *rows = NULL;
        return s;
    }
    qsort(*rows, *n, sizeof **rows, larger);
    return HSC_OK;
}

hsc_status diff_scaling_of(diff *d, const diff_row *row, double *speedup, double *efficiency, hsc_err *err) {
    report_spread a, b;
    double work_a = row->count_a * d->a.unit.scale, work_b = row->count_b * d->b.unit.scale;
    *speedup = *efficiency = NAN;
    if (row->a == HSC_NONE || row->b == HSC_NONE || row->how == HSC_COMPARE_NEST || !(work_a > 0) || !(work_b > 0) || !d->a.working || !d->b.working)
        return HSC_OK;
    hsc_db_scope scope;
    hsc_status s = hsc_db_get_scope(d->a.db, row->a, &scope, err);
    bool loop = !s && scope.kind == HSC_SCOPE_LOOP;
    if (!s)
        s = loop ? report_paid_spread(&d->a, REPORT_PAID_LOOP, row->a, &a, err) : report_spread_of(&d->a, row->a, &a, err);
    if (!s)
        s = loop ? report_paid_spread(&d->b, REPORT_PAID_LOOP, row->b, &b, err) : report_spread_of(&d->b, row->b, &b, err);
    if (s)
        return s;
    if (b.max > 0)
        *speedup = a.max * d->a.unit.scale / (b.max * d->b.unit.scale);
    *efficiency = d->weak ? work_a / d->a.working / (work_b / d->b.working) : work_a / work_b;
    return HSC_OK;
}

/* Versions are known where samples met them: one that is not met is one that is not there only if, with the share of time that it
 * has in the other run, 5 samples or more would have been expected (none of 5: 0.7 %). */
static bool other_versions(const report_versions *a, double n_a, const report_versions *b, double n_b) {
    double all_a = 0, all_b = 0;
    for (int k = 0; k < REPORT_VERSIONS; k++) {
        all_a += a->met[k];
        all_b += b->met[k];
    }
    for (int k = 0; k < REPORT_VERSIONS; k++)
        if ((!(b->met[k] > 0) && a->met[k] * fmin(n_a, n_b) >= 5 * all_a && a->met[k] > 0) ||
            (!(a->met[k] > 0) && b->met[k] * fmin(n_a, n_b) >= 5 * all_b && b->met[k] > 0))
            return true;
    return false;
}

/* The same code: the compiler decided once. */
static bool same_binary(const diff *d, uint32_t a, uint32_t b) {
    hsc_db_scope in_a, in_b;
    hsc_db_module of_a, of_b;
    return !hsc_db_get_scope(d->a.db, a, &in_a, NULL) && !hsc_db_get_scope(d->b.db, b, &in_b, NULL) && in_a.module != HSC_NONE &&
           in_b.module != HSC_NONE && !hsc_db_get_module(d->a.db, in_a.module, &of_a, NULL) &&
           !hsc_db_get_module(d->b.db, in_b.module, &of_b, NULL) && *of_a.build_id && !strcmp(of_a.build_id, of_b.build_id);
}

/* *message: of the remark that matters, whole; "": there is none. Borrowed from the database. */
static hsc_status decisions(report *r, uint32_t scope, report_versions *v, char *versions, size_t size, char *remark,
                            size_t remark_size, const char **message, hsc_err *err) {
    bool found = false;
    hsc_db_remark m;
    *v = (report_versions){0};
    *message = "";
    versions[0] = remark[0] = 0;
    if (scope == HSC_NONE)
        return HSC_OK;
    hsc_status s = report_versions_of(r, scope, v, versions, size, err);
    if (!s)
        s = report_remark_of(r, scope, &found, &m, err);
    const char *copy = !s && found ? report_remark_of_copy(&m, v) : NULL;
    if (copy) {
        size_t at = (size_t)snprintf(remark, remark_size, "%s", copy);
        *message = m.message;
        char plain[600];
        report_fit_prose(hsc_remark_plain(m.message, plain, sizeof plain), 300, remark + at, remark_size - at);
    }
    return s;
}

/* "12: vector x4": a loop of a nest is told by its line. */
static void put_line(const report *r, uint32_t loop, char *versions, size_t size) {
    hsc_db_scope s;
    char text[200];
    if (loop == HSC_NONE || hsc_db_get_scope(r->db, loop, &s, NULL))
        return;
    snprintf(text, sizeof text, "%s", *versions ? versions : "no samples in its generated loop");
    snprintf(versions, size, "%u: %.150s", s.line_begin, text);
}

hsc_status diff_decisions_of(diff *d, const diff_row *row, diff_decisions *out, hsc_err *err) {
    report_versions a, b;
    const char *message_a, *message_b = "";
    bool nest = row->how == HSC_COMPARE_NEST;
    uint32_t in_a = nest ? diff_longest_of(d, 0, row->a) : row->a, in_b = nest ? diff_longest_of(d, 1, row->b) : row->b;
    hsc_status s = decisions(&d->a, in_a, &a, out->versions_a, sizeof out->versions_a, out->remark_a, sizeof out->remark_a, &message_a, err);
    if (!s)
        s = decisions(&d->b, in_b, &b, out->versions_b, sizeof out->versions_b, out->remark_b, sizeof out->remark_b, &message_b, err);
    double n_a = in_a == HSC_NONE ? 0 : hsc_interval_effective(report_excl(&d->a, in_a)), n_b = in_b == HSC_NONE ? 0 : hsc_interval_effective(report_excl(&d->b, in_b));
    bool known = *out->versions_a && *out->versions_b;
    out->changed = !s && in_a != HSC_NONE && in_b != HSC_NONE && !same_binary(d, in_a, in_b) &&
                   (!hsc_remark_same_but_places(message_a, message_b) ||
                    (known && a.packed != b.packed && (a.other.sum > 0 || a.scalar.sum > 0) && (b.other.sum > 0 || b.scalar.sum > 0)) ||
                    (known && ((a.width != b.width && a.vector.sum > 0 && b.vector.sum > 0) || other_versions(&a, n_a, &b, n_b))));
    if (nest && !s) {
        put_line(&d->a, in_a, out->versions_a, sizeof out->versions_a);
        put_line(&d->b, in_b, out->versions_b, sizeof out->versions_b);
    }
    return s;
}
