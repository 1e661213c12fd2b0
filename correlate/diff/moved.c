/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Time that only moved: what a place has more, the code next to it has less, as when a compiler puts a procedure in line or leaves it out. */
#include <math.h>
#include <stdlib.h>

#include "diff.h"

#include <report_paid.h>

typedef struct both { /* sums of one thing in A and B */
    hsc_weighted a, b;
} both;

static hsc_weighted without(hsc_weighted all, hsc_weighted part) {
    return (hsc_weighted){fmax(0, all.sum - part.sum), fmax(0, all.excess - part.excess)};
}

static hsc_weighted with(hsc_weighted x, hsc_weighted y) { return (hsc_weighted){x.sum + y.sum, x.excess + y.excess}; }

static diff_row change_of(const diff *d, both x) {
    diff_row row = {.a = HSC_NONE, .b = HSC_NONE, .count_a = x.a.sum, .count_b = x.b.sum, .excess_a = x.a.excess, .excess_b = x.b.excess};
    diff_set_change(d, &row);
    return row;
}

#define MOST_IN_LINE 0.1 /* more of it than this in one run: they are not alike */
#define LITTLE 0.1 /* of what moved: as much may both together have changed, where little is left to sampling */

/* Did the rest change as surely the other way, so that together they did not? */
static bool balances(const diff *d, const diff_row *row, both rest, diff_row *together) {
    both part = {{row->count_a, row->excess_a}, {row->count_b, row->excess_b}};
    diff_row other = change_of(d, rest);
    *together = change_of(d, (both){with(part.a, rest.a), with(part.b, rest.b)});
    return row->beyond && other.beyond && other.change * row->change < 0 &&
           (!together->beyond || fabs(together->change) < LITTLE * fmin(fabs(row->change), fabs(other.change)));
}

/* ---- who calls whom ---- */

/* To of[procedure]: the procedure of the call with most of its time; HSC_NONE: none is known. */
static hsc_status find_callers(const report *r, uint32_t *of, hsc_err *err) {
    double *sums = calloc((size_t)r->info.contexts + 1, sizeof *sums), *best = calloc((size_t)r->info.scopes + 1, sizeof *best);
    hsc_status s = sums && best ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    if (!s)
        s = hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, 0, r->info.contexts, sums, err);
    for (uint32_t i = 1; i < r->info.contexts && !s; i++) {
        hsc_db_context c, up;
        hsc_db_scope callee, caller;
        if (!(sums[i] > 0) || (s = hsc_db_get_context(r->db, i, &c, err)) || (s = hsc_db_get_scope(r->db, c.scope, &callee, err)) ||
            callee.kind != HSC_SCOPE_PROCEDURE || sums[i] <= best[c.scope] || (s = hsc_db_get_context(r->db, c.parent, &up, err)) ||
            (s = hsc_db_get_scope(r->db, up.scope, &caller, err)))
            continue;
        best[c.scope] = sums[i];
        of[c.scope] = caller.procedure != c.scope ? caller.procedure : HSC_NONE;
    }
    free(sums);
    free(best);
    if (s == HSC_E_MISSING) { /* a database may have no contexts' values */
        hsc_err_clear(err);
        s = HSC_OK;
    }
    return s;
}

static hsc_status load_callers(diff *d, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (int side = 0; side < 2 && !s; side++) {
        const report *r = side ? &d->b : &d->a;
        if (d->callers[side])
            continue;
        if (!(d->callers[side] = malloc(((size_t)r->info.scopes + 1) * sizeof *d->callers[side])))
            return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
        for (uint32_t k = 0; k < r->info.scopes; k++)
            d->callers[side][k] = HSC_NONE;
        s = find_callers(r, d->callers[side], err);
    }
    return s;
}

/* ---- what the time moved to, or came from ---- */

static hsc_status scope_of_row(const report *r, diff_by by, uint32_t row, uint32_t *scope, hsc_err *err) {
    hsc_db_line l;
    *scope = row;
    if (row == HSC_NONE || by != DIFF_LINE)
        return HSC_OK;
    hsc_status s = hsc_db_get_line(r->db, row, &l, err);
    *scope = s ? HSC_NONE : l.scope;
    return s;
}

static uint32_t procedure_of(const report *r, uint32_t scope) {
    hsc_db_scope s;
    return scope == HSC_NONE || hsc_db_get_scope(r->db, scope, &s, NULL) ? HSC_NONE : s.procedure;
}

static uint32_t parent_of(const report *r, uint32_t scope) {
    hsc_db_scope s;
    return !scope || hsc_db_get_scope(r->db, scope, &s, NULL) ? HSC_NONE : s.parent;
}

/* The scope, or the innermost loop of its procedure round it; HSC_NONE: it is in none. */
static uint32_t loop_at(const report *r, uint32_t scope) {
    hsc_db_scope s;
    while (scope != HSC_NONE && !hsc_db_get_scope(r->db, scope, &s, NULL) && s.kind > HSC_SCOPE_PROCEDURE) {
        if (s.kind == HSC_SCOPE_LOOP)
            return scope;
        scope = s.parent;
    }
    return HSC_NONE;
}

/* The scope on the other side, or this one's own row where it is that side's. */
static uint32_t on_side(const diff *d, int from, uint32_t scope, int side) {
    return scope == HSC_NONE || from == side ? scope : from ? d->match.a_of_b[scope] : d->match.b_of_a[scope];
}

/* ---- procedures as what rows of a kind have of them ---- */

static void add(hsc_weighted *to, hsc_weighted v) { *to = with(*to, v); }

/* By the procedure that a line is in, also where the code that ran is of one inlined there (flang's SUM has the lines of its calls); and by each loop of the procedure round it. */
static hsc_status add_lines(report *r, hsc_weighted *of, hsc_err *err) {
    hsc_weighted *sums = NULL;
    hsc_status s = diff_line_sums(r, &sums, err);
    for (uint32_t row = 0; !s && row < r->info.lines; row++) {
        uint32_t scope, procedure;
        s = scope_of_row(r, DIFF_LINE, row, &scope, err);
        if (s || (procedure = procedure_of(r, scope)) == HSC_NONE)
            continue;
        add(&of[procedure], sums[row]);
        for (; (scope = loop_at(r, scope)) != HSC_NONE; scope = parent_of(r, scope))
            add(&of[scope], sums[row]);
    }
    free(sums);
    return s;
}

/* Loops with what they call, and what the procedure pays for that no loop does: a procedure that a loop calls is not paid for by the loop's. */
static hsc_status add_loops(report *r, hsc_weighted *of, hsc_err *err) {
    hsc_weighted *sums = malloc(((size_t)r->info.contexts + 1) * sizeof *sums);
    hsc_status s = sums ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t k = 0; k < r->info.scopes && !s; k++) {
        hsc_db_scope scope;
        if ((s = hsc_db_get_scope(r->db, k, &scope, err)) || scope.procedure == HSC_NONE)
            continue;
        if (r->paid->missing && scope.kind == HSC_SCOPE_PROCEDURE)
            of[k] = r->paid->procedure[k]; /* its own code, and its loops have only theirs */
        else if (!r->paid->missing && scope.kind == HSC_SCOPE_LOOP)
            add(&of[scope.procedure], r->paid->loop[k]);
    }
    if (!s && !r->paid->missing)
        s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD}, 0, r->info.contexts, sums, err);
    for (uint32_t c = 0; c < r->info.contexts && !s && !r->paid->missing; c++)
        if (r->paid->loop_of[c] == HSC_NONE && r->paid->procedure_of[c] != HSC_NONE)
            add(&of[r->paid->procedure_of[c]], sums[c]);
    free(sums);
    return s;
}

static hsc_status load_wholes(diff *d, diff_by by, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (int side = 0; side < 2 && !s && (by == DIFF_LINE || by == DIFF_LOOP); side++) {
        report *r = side ? &d->b : &d->a;
        hsc_weighted **of = by == DIFF_LINE ? &d->of_lines[side] : &d->of_loops[side];
        if (*of)
            continue;
        if (!(*of = calloc((size_t)r->info.scopes + 1, sizeof **of)))
            return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
        s = by == DIFF_LINE ? add_lines(r, *of, err) : add_loops(r, *of, err);
    }
    return s;
}

/* Of a procedure, of lines also of a loop: a sum that each row of the kind that is in it is a part of, of lines and loops what all of them have. */
static hsc_weighted whole_of(const diff *d, int side, diff_by by, uint32_t procedure) {
    return procedure == HSC_NONE ? (hsc_weighted){0}
           : by == DIFF_LINE     ? d->of_lines[side][procedure]
           : by == DIFF_LOOP     ? d->of_loops[side][procedure]
                                 : report_own(side ? &d->b : &d->a, procedure);
}

static void keep(diff_moved *out, diff_moved_how how, uint32_t a, uint32_t b, diff_row together) {
    *out = (diff_moved){how, together};
    out->together.a = a;
    out->together.b = b;
}

/* The procedure that the row is in, without the row. */
static void look_round(const diff *d, diff_by by, const diff_row *row, uint32_t a, uint32_t b, diff_moved *out) {
    both rest = {without(whole_of(d, 0, by, a), (hsc_weighted){row->count_a, row->excess_a}),
                 without(whole_of(d, 1, by, b), (hsc_weighted){row->count_b, row->excess_b})};
    diff_row together;
    if (balances(d, row, rest, &together))
        keep(out, DIFF_MOVED_WITHIN, a, b, together);
}

/* Loops round a line, the innermost first. */
static void look_in_loops(const diff *d, const diff_row *row, uint32_t scope, diff_moved *out) {
    for (uint32_t a = scope; out->how == DIFF_NOT_MOVED && (a = loop_at(&d->a, a)) != HSC_NONE; a = parent_of(&d->a, a)) {
        if (d->match.b_of_a[a] == HSC_NONE)
            continue;
        look_round(d, DIFF_LINE, row, a, d->match.b_of_a[a], out);
        if (out->how != DIFF_NOT_MOVED)
            out->how = DIFF_MOVED_IN_LOOP;
    }
}

/* Of a line's procedure: all lines, and what is called or inlined. false: lines have some of that, which would be there twice. */
static bool lines_and_below(const diff *d, int side, uint32_t procedure, hsc_weighted *out) {
    const report *r = side ? &d->b : &d->a;
    hsc_weighted own = report_own(r, procedure), lines = d->of_lines[side][procedure];
    *out = with(lines, without(report_incl(r, procedure), own));
    return lines.sum <= own.sum * (1 + 1e-9);
}

/* What the scope has below it: calls, and what is inlined. Of a line the scope is its procedure. */
static void look_below(const diff *d, diff_by by, const diff_row *row, uint32_t a, uint32_t b, diff_moved *out) {
    if (a == HSC_NONE || b == HSC_NONE || d->match.b_of_a[a] != b)
        return;
    both all = {report_incl(&d->a, a), report_incl(&d->b, b)};
    if (by == DIFF_LINE && (!lines_and_below(d, 0, a, &all.a) || !lines_and_below(d, 1, b, &all.b)))
        return;
    both rest = {without(all.a, (hsc_weighted){row->count_a, row->excess_a}), without(all.b, (hsc_weighted){row->count_b, row->excess_b})};
    diff_row together;
    if (balances(d, row, rest, &together))
        keep(out, by == DIFF_LINE ? DIFF_MOVED_AROUND : DIFF_MOVED_BELOW, a, b, together);
}

/* The procedure's caller and the procedure, each with its loops. */
static hsc_status look_above(diff *d, diff_by by, const diff_row *row, uint32_t a, uint32_t b, diff_moved *out, hsc_err *err) {
    hsc_status s = load_callers(d, err);
    int side = row->change > 0; /* where it has more, its call is known best */
    uint32_t callee = side ? b : a;
    if (s || callee == HSC_NONE)
        return s;
    uint32_t caller = d->callers[side][callee], caller_a = on_side(d, side, caller, 0), caller_b = on_side(d, side, caller, 1);
    if (caller_a == HSC_NONE || caller_b == HSC_NONE)
        return HSC_OK;
    hsc_weighted own_a = whole_of(d, 0, by, a), own_b = whole_of(d, 1, by, b); /* of the whole procedure, where the row is a part of it */
    both rest = {with(whole_of(d, 0, by, caller_a), without(own_a, (hsc_weighted){row->count_a, row->excess_a})),
                 with(whole_of(d, 1, by, caller_b), without(own_b, (hsc_weighted){row->count_b, row->excess_b}))};
    diff_row together;
    if (balances(d, row, rest, &together))
        keep(out, DIFF_MOVED_CALLER, caller_a, caller_b, together);
    return s;
}

/* Part of the time that threads could have run, for which they had no processor; NAN: not known. */
static double in_line(const report *r) {
    report_usage u = {0};
    report_usage_of(r, 0, r->info.threads, &u);
    return u.line_known && u.line_s + r->info.cpu_s > 0 ? u.line_s / (u.line_s + r->info.cpu_s) : NAN;
}

/* Where one run was among others and the other was not, all code of one is slower, which balances anything. */
static bool are_alike(diff *d) {
    if (!d->alike)
        d->alike = fabs(in_line(&d->a) - in_line(&d->b)) > MOST_IN_LINE ? -1 : 1; /* alike where it is not known */
    return d->alike > 0;
}

/* Did the compiler do something else with it? That is why, then. */
static hsc_status is_treated_differently(diff *d, diff_by by, const diff_row *row, bool *changed, hsc_err *err) {
    diff_decisions x;
    *changed = false;
    if (by != DIFF_LOOP || row->a == HSC_NONE || row->b == HSC_NONE)
        return HSC_OK;
    hsc_status s = diff_decisions_of(d, row, &x, err);
    *changed = !s && x.changed;
    return s;
}

hsc_status diff_moved_of(diff *d, diff_by by, const diff_row *row, diff_moved *out, hsc_err *err) {
    uint32_t scope_a, scope_b;
    bool changed;
    *out = (diff_moved){.how = DIFF_NOT_MOVED};
    if (by == DIFF_MODULE || !row->beyond || !are_alike(d))
        return HSC_OK;
    hsc_status s = is_treated_differently(d, by, row, &changed, err);
    if (s || changed)
        return s;
    s = scope_of_row(&d->a, by, row->a, &scope_a, err);
    if (!s)
        s = scope_of_row(&d->b, by, row->b, &scope_b, err);
    if (!s)
        s = load_wholes(d, by, err);
    if (s)
        return s;
    uint32_t a = procedure_of(&d->a, scope_a), b = procedure_of(&d->b, scope_b);
    if (by == DIFF_LINE && row->a != HSC_NONE && row->b != HSC_NONE)
        look_in_loops(d, row, scope_a, out);
    if (out->how == DIFF_NOT_MOVED && by != DIFF_PROCEDURE && a != HSC_NONE && b != HSC_NONE && d->match.b_of_a[a] == b)
        look_round(d, by, row, a, b, out);
    if (out->how == DIFF_NOT_MOVED)
        look_below(d, by, row, by == DIFF_LINE ? a : row->a, by == DIFF_LINE ? b : row->b, out);
    if (out->how == DIFF_NOT_MOVED)
        s = look_above(d, by, row, a, b, out, err);
    return s;
}
