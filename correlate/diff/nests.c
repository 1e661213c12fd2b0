/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nests of loops: outermost loops with all inside them, and loops that can only be compared with what is inside them. */
#include "diff.h"

#include <stdlib.h>

#include <report_paid.h>

uint32_t diff_told_with(const diff *d, int side, uint32_t loop) {
    const report *r = side ? &d->b : &d->a;
    const uint32_t *other = side ? d->match.a_of_b : d->match.b_of_a;
    hsc_db_scope s;
    uint32_t at = loop;
    while (!hsc_db_get_scope(r->db, at, &s, NULL) && (s.kind == HSC_SCOPE_LOOP || s.kind == HSC_SCOPE_REGION)) {
        if (s.kind == HSC_SCOPE_LOOP && other[at] != HSC_NONE)
            return at != loop && d->match.how_a[side ? other[at] : at] == HSC_COMPARE_NEST ? at : HSC_NONE;
        if (s.parent >= at)
            break;
        at = s.parent;
    }
    return HSC_NONE;
}

hsc_weighted diff_nest_sum(const diff *d, int side, uint32_t loop) {
    const report *r = side ? &d->b : &d->a;
    hsc_weighted sum = r->paid->loop[loop];
    hsc_db_scope s, inner;
    if (hsc_db_get_scope(r->db, loop, &s, NULL))
        return sum;
    for (uint32_t i = loop + 1; i < s.subtree_end; i++)
        if (!hsc_db_get_scope(r->db, i, &inner, NULL) && inner.kind == HSC_SCOPE_LOOP && diff_told_with(d, side, i) == loop) {
            sum.sum += r->paid->loop[i].sum;
            sum.excess += r->paid->loop[i].excess;
        }
    return sum;
}

uint32_t diff_longest_of(const diff *d, int side, uint32_t loop) {
    const report *r = side ? &d->b : &d->a;
    uint32_t longest = loop;
    hsc_db_scope s, inner;
    if (loop == HSC_NONE || hsc_db_get_scope(r->db, loop, &s, NULL))
        return loop;
    for (uint32_t i = loop + 1; i < s.subtree_end; i++)
        if (!hsc_db_get_scope(r->db, i, &inner, NULL) && inner.kind == HSC_SCOPE_LOOP && r->paid->loop[i].sum > r->paid->loop[longest].sum &&
            diff_told_with(d, side, i) == loop)
            longest = i;
    return longest;
}

/* The outermost loop round a loop in its procedure. */
static uint32_t outermost(const report *r, uint32_t loop) {
    hsc_db_scope s;
    uint32_t root = loop;
    for (uint32_t at = loop; !hsc_db_get_scope(r->db, at, &s, NULL) && (s.kind == HSC_SCOPE_LOOP || s.kind == HSC_SCOPE_REGION) && s.parent < at; at = s.parent)
        root = s.kind == HSC_SCOPE_LOOP ? at : root;
    return root;
}

/* The nest that the first matched loop of a nest is in on the other side; HSC_NONE: none is. */
static uint32_t other_nest(const diff *d, int side, uint32_t root) {
    const report *r = side ? &d->b : &d->a;
    const uint32_t *other = side ? d->match.a_of_b : d->match.b_of_a;
    hsc_db_scope s, inner;
    if (hsc_db_get_scope(r->db, root, &s, NULL))
        return HSC_NONE;
    for (uint32_t i = root; i < s.subtree_end; i++)
        if (other[i] != HSC_NONE && !hsc_db_get_scope(r->db, i, &inner, NULL) && inner.kind == HSC_SCOPE_LOOP && inner.procedure == s.procedure)
            return outermost(side ? &d->a : &d->b, other[i]);
    return HSC_NONE;
}

/* Its own code and that of all loops inside, without procedures called. */
static hsc_weighted value_of(const report *r, uint32_t root, uint32_t *loops) {
    hsc_db_scope s, inner;
    hsc_weighted sum = {0};
    *loops = 0;
    if (root == HSC_NONE || hsc_db_get_scope(r->db, root, &s, NULL))
        return sum;
    for (uint32_t i = root; i < s.subtree_end; i++)
        if (!hsc_db_get_scope(r->db, i, &inner, NULL) && inner.procedure == s.procedure) {
            *loops += inner.kind == HSC_SCOPE_LOOP;
            sum.sum += r->excl[i];
            sum.excess += r->excl_excess[i];
        }
    return sum;
}

/* *loops: of the side that has more. */
static diff_row row_of(const diff *d, uint32_t a, uint32_t b, uint32_t *loops) {
    uint32_t in_a, in_b;
    diff_row row = {.a = a, .b = b, .in_both = a != HSC_NONE && b != HSC_NONE, .how = HSC_COMPARE_NONE};
    if (row.in_both)
        row.how = d->match.b_of_a[a] == b ? (hsc_compare_how)d->match.how_a[a] : HSC_COMPARE_MOVED;
    hsc_weighted value_a = value_of(&d->a, a, &in_a), value_b = value_of(&d->b, b, &in_b);
    diff_set_counts(d, &row, value_a, value_b);
    *loops = in_a > in_b ? in_a : in_b;
    return row;
}

hsc_status diff_nest_rows(diff *d, diff_row *rows, uint32_t *n, hsc_err *err) {
    bool *taken = calloc((size_t)d->b.info.scopes + 1, sizeof *taken);
    hsc_status s = taken ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u scopes", d->b.info.scopes);
    *n = 0;
    for (int side = 0; side < 2; side++) {
        const report *r = side ? &d->b : &d->a;
        for (uint32_t k = 0; !s && k < r->info.scopes; k++) {
            hsc_db_scope scope;
            uint32_t loops, other = HSC_NONE;
            if ((s = hsc_db_get_scope(r->db, k, &scope, err)) || scope.kind != HSC_SCOPE_LOOP || outermost(r, k) != k || (side && taken[k]))
                continue;
            if (!side && (other = other_nest(d, 0, k)) != HSC_NONE && other_nest(d, 1, other) != k)
                other = HSC_NONE;
            if (other != HSC_NONE)
                taken[other] = true;
            if (!report_wanted(r, k) && (other == HSC_NONE || !report_wanted(&d->b, other)))
                continue;
            diff_row row = row_of(d, side ? HSC_NONE : k, side ? k : other, &loops);
            if (row.count_a > 0 || row.count_b > 0)
                rows[(*n)++] = row;
        }
    }
    free(taken);
    return s;
}

bool diff_nest_of(const diff *d, const diff_row *row, diff_row *nest) {
    uint32_t a = row->a != HSC_NONE ? outermost(&d->a, row->a) : HSC_NONE, b = row->b != HSC_NONE ? outermost(&d->b, row->b) : HSC_NONE, loops;
    if (a == HSC_NONE && b != HSC_NONE)
        a = other_nest(d, 1, b);
    else if (b == HSC_NONE && a != HSC_NONE)
        b = other_nest(d, 0, a);
    if (a == HSC_NONE || b == HSC_NONE)
        return false;
    *nest = row_of(d, a, b, &loops);
    return loops > 1;
}
