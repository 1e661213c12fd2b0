/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_groups.h"

#include <stdlib.h>

#include <heatscope/sorted.h>

uint32_t report_procedure(const report *r, uint32_t scope) {
    hsc_db_scope s;
    return scope == HSC_NONE || hsc_db_get_scope(r->db, scope, &s, NULL) ? HSC_NONE : s.procedure;
}

uint32_t report_context_procedure(const report *r, uint32_t context) {
    hsc_db_context c;
    return context == HSC_NONE || hsc_db_get_context(r->db, context, &c, NULL) ? HSC_NONE : report_procedure(r, c.scope);
}

/* ---- references ---- */

bool report_has_run(const report *r, uint32_t procedure) {
    double sum;
    return procedure == HSC_NONE || hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_SCOPE_INCL, HSC_AXIS_THREAD}, procedure, 1, &sum, NULL) || sum > 0;
}

typedef struct use { /* references of one array on one line in one procedure */
    uint32_t array, line, procedure, row;
} use;

static int by_use(const void *a, const void *b) {
    const use *x = a, *y = b;
    const uint32_t p[] = {x->array, x->line, x->procedure, x->row}, q[] = {y->array, y->line, y->procedure, y->row};
    return hsc_compare_keys(p, q, 4);
}

static bool is_same_place(const use *a, const use *b) { return a->array == b->array && a->line == b->line && (a->line != HSC_NONE || a->procedure == b->procedure); }

/* Of each array on each line those of the procedure that has most, of several the first. */
static void choose(use *list, uint32_t n, uint8_t *counts) {
    if (n > 1)
        qsort(list, n, sizeof *list, by_use);
    for (uint32_t i = 0, end; i < n; i = end) {
        uint32_t most = i, most_n = 0;
        for (end = i; end < n && is_same_place(&list[i], &list[end]);) {
            uint32_t from = end;
            while (end < n && is_same_place(&list[i], &list[end]) && list[end].procedure == list[from].procedure)
                end++;
            if (end - from > most_n) {
                most = from;
                most_n = end - from;
            }
        }
        for (uint32_t k = most; k < most + most_n; k++)
            counts[list[k].row] = 1;
    }
}

/* References stand by scope, so those of a procedure follow each other. */
static hsc_status read_uses(const report *r, report_uses *out, use *list, const uint32_t *first_of, uint8_t *ran, uint32_t *last, hsc_err *err) {
    uint32_t of = HSC_NONE, n = r->info.references;
    bool has = true;
    for (uint32_t i = 0; i < n; i++) {
        hsc_db_reference x;
        hsc_status s = hsc_db_get_reference(r->db, i, &x, err);
        if (s)
            return s;
        uint32_t line = x.file == HSC_NONE ? HSC_NONE : hsc_db_find_line(r->db, x.file, x.line), procedure = report_procedure(r, x.scope);
        has = procedure == of ? has : report_has_run(r, procedure);
        of = procedure;
        out->runs[i] = has;
        list[i] = (use){x.array == HSC_NONE ? HSC_NONE : first_of[x.array], line, procedure, i};
        if (line == HSC_NONE)
            continue;
        ran[line] |= has;
        out->procedures[line] += last[line] != procedure || !out->procedures[line];
        last[line] = procedure;
    }
    return HSC_OK;
}

static void count_on_lines(report_uses *out, const use *list, uint32_t n, uint32_t *last, uint32_t *count) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t line = list[i].line;
        if (line == HSC_NONE || !out->runs[i])
            continue;
        count[line] = last[line] == list[i].procedure ? count[line] + 1 : 1;
        last[line] = list[i].procedure;
        if (count[line] > out->on_line[line])
            out->on_line[line] = count[line];
    }
}

hsc_status report_uses_load(const report *r, report_uses *out, hsc_err *err) {
    uint32_t n = r->info.references, lines = r->info.lines, kept = 0;
    *out = (report_uses){calloc((size_t)n + 1, 1), calloc((size_t)n + 1, 1), calloc((size_t)lines + 1, sizeof *out->on_line),
                         calloc((size_t)lines + 1, sizeof *out->procedures)};
    use *list = malloc(((size_t)n + 1) * sizeof *list);
    uint32_t *first_of = malloc(((size_t)r->info.arrays + 1) * sizeof *first_of), *last = malloc(((size_t)lines + 1) * sizeof *last), *count = calloc((size_t)lines + 1, sizeof *count);
    uint8_t *ran = calloc((size_t)lines + 1, 1);
    bool fits = out->runs && out->counts && out->on_line && out->procedures && list && first_of && last && count && ran;
    hsc_status s = fits ? report_first_arrays(r, first_of, err) : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; fits && i < lines; i++)
        last[i] = HSC_NONE;
    if (!s)
        s = read_uses(r, out, list, first_of, ran, last, err);
    for (uint32_t i = 0; i < n && !s; i++)
        out->runs[i] |= list[i].line == HSC_NONE || !ran[list[i].line];
    if (!s) {
        for (uint32_t i = 0; i < lines; i++)
            last[i] = HSC_NONE;
        count_on_lines(out, list, n, last, count);
        for (uint32_t i = 0; i < n; i++)
            if (out->runs[i])
                list[kept++] = list[i];
        choose(list, kept, out->counts);
    }
    free(list);
    free(first_of);
    free(last);
    free(count);
    free(ran);
    return s;
}

void report_uses_clear(report_uses *u) {
    free(u->runs);
    free(u->counts);
    free(u->on_line);
    free(u->procedures);
    *u = (report_uses){0};
}

/* ---- calls of message passing ---- */

static uint32_t procedure_of_call(const report *r, uint32_t site) {
    hsc_db_mpi_site s;
    return hsc_db_get_mpi_site(r->db, site, &s, NULL) ? HSC_NONE : report_procedure(r, s.scope);
}

bool report_find_calls(const report *r, uint32_t line, uint32_t context, report_calls_at *out) {
    *out = (report_calls_at){.procedure = HSC_NONE};
    if (line == HSC_NONE || hsc_db_find(r->db, HSC_LIST_MPI_SITES, line, &out->first, &out->n, NULL) || !out->n)
        return false;
    uint32_t own = out->n > 1 ? report_context_procedure(r, context) : HSC_NONE;
    for (uint32_t i = out->first; i < out->first + out->n && own != HSC_NONE && out->procedure == HSC_NONE; i++)
        if (procedure_of_call(r, i) == own)
            out->procedure = own;
    return true;
}

bool report_is_call_of(const report *r, const report_calls_at *calls, uint32_t site) {
    return site >= calls->first && site < calls->first + calls->n && (calls->procedure == HSC_NONE || procedure_of_call(r, site) == calls->procedure);
}
