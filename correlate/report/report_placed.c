/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_placed.h"

#include <math.h>
#include <stdlib.h>

#include <heatscope/sorted.h>

#include "report_instances.h"

static int in_order(const void *a, const void *b) {
    const report_place *x = a, *y = b;
    const uint32_t p[] = {x->line, x->procedure}, q[] = {y->line, y->procedure};
    return hsc_compare_keys(p, q, 2);
}

uint32_t report_placed_find(const report_placed *p, uint32_t line, uint32_t procedure) {
    const report_place wanted = {line, procedure};
    uint32_t at;
    HSC_SEARCH(at, p->n, in_order(&p->places[at], &wanted) < 0);
    return at < p->n && !in_order(&p->places[at], &wanted) ? at : p->n;
}

/* Whether it is decided whose an instruction on that line, in that procedure, is: then *place is it, or p->n. */
static bool find_place(const report_placed *p, uint32_t line, uint32_t procedure, uint32_t *place) {
    uint32_t first;
    HSC_SEARCH(first, p->n, p->places[first].line < line);
    if (first == p->n || p->places[first].line != line)
        return false;
    bool alone = first + 1 == p->n || p->places[first + 1].line != line;
    *place = alone ? first : report_placed_find(p, line, procedure);
    return true;
}

static uint32_t place_of(const report *r, const report_placed *p, uint32_t row, const hsc_db_instruction *x) {
    uint32_t place = p->n, line = x->line, procedure = report_procedure(r, x->scope);
    hsc_db_scope scope;
    if (line != HSC_NONE && find_place(p, line, procedure, &place))
        return place;
    if (x->scope == HSC_NONE || hsc_db_get_scope(r->db, x->scope, &scope, NULL) || scope.kind == HSC_SCOPE_LOOP)
        return p->n;
    for (uint32_t up = x->inlined; up != HSC_NONE;) {
        hsc_db_inlining call, round;
        hsc_db_code_part part;
        if (hsc_db_get_inlining(r->db, up, &call, NULL))
            break;
        up = call.parent;
        if (up != HSC_NONE)
            procedure = hsc_db_get_inlining(r->db, up, &round, NULL) ? HSC_NONE : report_procedure(r, round.scope);
        else
            procedure = hsc_db_get_code_part(r->db, hsc_db_find_part_of(r->db, row), &part, NULL) ? HSC_NONE : part.procedure;
        if (call.line != HSC_NONE && find_place(p, call.line, procedure, &place))
            return place;
    }
    return p->n;
}

/* Instructions tell all that the lines have: not of what is known by call path and line alone. */
static hsc_status compare_with_lines(const report *r, report_placed *p, const double *of_lines, hsc_err *err) {
    double *lines = malloc(((size_t)r->info.lines + 1) * sizeof *lines);
    hsc_status s = !lines            ? hsc_err_set(err, HSC_E_MEMORY, "out of memory")
                   : r->info.lines ? hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_LINE, HSC_AXIS_THREAD}, 0, r->info.lines, lines, err)
                                   : HSC_OK;
    p->known = !s;
    for (uint32_t i = 0; i < p->n && p->known; i++) {
        double all = lines[p->places[i].line];
        p->known = fabs(of_lines[p->places[i].line] - all) <= 1e-4 * all;
    }
    free(lines);
    return s;
}

static hsc_status place_all(const report *r, report_placed *p, hsc_err *err) {
    uint32_t n = r->info.instructions, *of = malloc(((size_t)n + 1) * sizeof *of);
    double *of_lines = calloc((size_t)r->info.lines + 1, sizeof *of_lines);
    p->first = calloc((size_t)p->n + 2, sizeof *p->first);
    p->rows = malloc(((size_t)n + 1) * sizeof *p->rows);
    hsc_status s = of && of_lines && p->first && p->rows ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n && !s; i++) {
        hsc_db_instruction x;
        of[i] = p->n;
        if (!(p->values[i].sum > 0) || (s = hsc_db_get_instruction(r->db, i, &x, err)))
            continue;
        if (x.line != HSC_NONE)
            of_lines[x.line] += p->values[i].sum;
        of[i] = place_of(r, p, i, &x);
        p->first[of[i] + 1]++;
    }
    if (!s)
        s = compare_with_lines(r, p, of_lines, err);
    for (uint32_t i = 0; i < p->n && !s; i++)
        p->first[i + 1] += p->first[i];
    for (uint32_t i = 0; i < n && !s; i++)
        if (of[i] < p->n)
            p->rows[p->first[of[i]]++] = i;
    for (uint32_t i = p->n; i > 0 && !s; i--)
        p->first[i] = p->first[i - 1];
    if (!s)
        p->first[0] = 0;
    free(of);
    free(of_lines);
    return s;
}

hsc_status report_placed_load(const report *r, report_place *places, uint32_t n, report_placed *out, hsc_err *err) {
    *out = (report_placed){.places = places};
    if (n > 1)
        qsort(places, n, sizeof *places, in_order);
    for (uint32_t i = 0; i < n; i++)
        if (!i || in_order(&places[i - 1], &places[i]))
            places[out->n++] = places[i];
    if (!n || !r->info.instructions)
        return HSC_OK;
    if (!(out->values = malloc(((size_t)r->info.instructions + 1) * sizeof *out->values)))
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    hsc_status s = hsc_db_read_weighted(r->db, (hsc_db_view){r->metric, HSC_TABLE_INSTRUCTION, HSC_AXIS_THREAD}, 0, r->info.instructions, out->values, err);
    if (!s)
        return place_all(r, out, err);
    if (s != HSC_E_MISSING) /* an older database, or a metric that is not known by instruction */
        return s;
    hsc_err_clear(err);
    return HSC_OK;
}

void report_placed_clear(report_placed *p) {
    free(p->places);
    free(p->first);
    free(p->rows);
    free(p->values);
    *p = (report_placed){0};
}
