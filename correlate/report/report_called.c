/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that compilers make for a construct of the language (what flang makes of SUM) has no lines of its own: the lines that use it tell where it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/sorted.h>

#include "report.h"

#define MOST_CONTEXTS 5000000u /* beyond, nobody waits for it */

typedef struct call { /* of a procedure, on a line; sorted by both */
    uint32_t procedure, line;
    double sum;
} call;

struct report_calls {
    bool is_made;
    call *list;
    size_t n;
    double *below; /* by scope of a loop: samples in calls that it makes; NULL: not asked for yet */
};

report_calls *report_calls_new(void) { return calloc(1, sizeof(report_calls)); }

void report_calls_free(report_calls *c) {
    if (c) {
        free(c->list);
        free(c->below);
    }
    free(c);
}

static int by_place(const void *a, const void *b) {
    const call *x = a, *y = b;
    if (x->procedure != y->procedure)
        return x->procedure < y->procedure ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* All calls of the run, once. Where there is no memory, or no values of contexts, there are none. */
static void make(const report *r, report_calls *all) {
    hsc_db_context_columns c;
    size_t n = 0;
    all->is_made = true;
    double *sums = malloc(((size_t)r->info.contexts + 1) * sizeof *sums);
    all->list = malloc(((size_t)r->info.contexts + 1) * sizeof *all->list);
    if (sums && all->list && !hsc_db_get_context_columns(r->db, &c, NULL) &&
        !hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, 0, r->info.contexts, sums, NULL))
        for (uint32_t i = 1; i < r->info.contexts; i++)
            if (c.call_line[i] != HSC_NONE && sums[i] > 0)
                all->list[n++] = (call){c.scope[i], c.call_line[i], sums[i]};
    free(sums);
    if (n > 1)
        qsort(all->list, n, sizeof *all->list, by_place);
    for (size_t i = 0; i < n; i++)
        if (all->n && !by_place(&all->list[all->n - 1], &all->list[i]))
            all->list[all->n - 1].sum += all->list[i].sum;
        else
            all->list[all->n++] = all->list[i];
}

/* Calls, not code that was put in line, of loops and of all loops round them up to their procedure. */
static void add_below(const report *r, report_calls *all) {
    enum { ROWS = 512 };
    double sums[ROWS];
    hsc_db_context c, up;
    if (!(all->below = calloc((size_t)r->info.scopes + 1, sizeof *all->below)))
        return;
    for (uint32_t i = 0; i < r->info.contexts; i += ROWS) {
        uint32_t n = r->info.contexts - i < ROWS ? r->info.contexts - i : ROWS;
        if (hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, i, n, sums, NULL))
            return;
        for (uint32_t k = 0; k < n; k++) {
            if (!(sums[k] > 0) || hsc_db_get_context(r->db, i + k, &c, NULL) || c.kind != HSC_CONTEXT_PROCEDURE)
                continue;
            for (uint32_t at = c.parent; at && !hsc_db_get_context(r->db, at, &up, NULL) && (up.kind == HSC_CONTEXT_LOOP || up.kind == HSC_CONTEXT_INLINED); at = up.parent)
                if (up.kind == HSC_CONTEXT_LOOP)
                    all->below[up.scope] += sums[k];
        }
    }
}

double report_in_calls(const report *r, uint32_t loop) {
    report_calls *all = r->calls;
    if (!all || r->info.contexts > MOST_CONTEXTS)
        return 0;
    if (!all->below)
        add_below(r, all);
    return all->below ? all->below[loop] : 0;
}

static int most_first(const void *a, const void *b) {
    const call *x = a, *y = b;
    return x->sum > y->sum ? -1 : x->sum < y->sum ? 1 : by_place(a, b);
}

unsigned report_called_on(const report *r, uint32_t file, uint32_t line, report_called *out, unsigned most, double *all) {
    report_calls *calls = r->calls;
    uint32_t row = hsc_db_find_line(r->db, file, line);
    call *found = NULL;
    unsigned n = 0, told = 0;
    *all = 0;
    if (!calls || row == HSC_NONE || r->info.contexts > MOST_CONTEXTS)
        return 0;
    if (!calls->is_made)
        make(r, calls);
    found = malloc((calls->n + 1) * sizeof *found);
    for (size_t i = 0; found && i < calls->n; i++)
        if (calls->list[i].line == row) {
            found[n++] = calls->list[i];
            *all += calls->list[i].sum;
        }
    if (n > 1)
        qsort(found, n, sizeof *found, most_first);
    for (; told < n && told < most; told++)
        out[told] = (report_called){found[told].procedure, found[told].sum};
    free(found);
    return told;
}

/* The line that calls it most, and how many others do. */
static bool called_at(const report *r, const hsc_db_scope *s, hsc_db_line *l, size_t *others) {
    report_calls *all = r->calls;
    const call *most = NULL;
    size_t at, n = 0;
    if (!all || s->line_begin || s->knowledge != HSC_KNOWN_MAP || s->procedure == HSC_NONE || r->info.contexts > MOST_CONTEXTS)
        return false;
    if (!all->is_made)
        make(r, all);
    HSC_SEARCH(at, all->n, all->list[at].procedure < s->procedure);
    for (; at < all->n && all->list[at].procedure == s->procedure; at++, n++)
        most = !most || all->list[at].sum > most->sum ? &all->list[at] : most;
    *others = n - (n > 0);
    return most && !hsc_db_get_line(r->db, most->line, l, NULL) && l->line;
}

bool report_called_at(const report *r, const hsc_db_scope *s, char *out, size_t size) {
    hsc_db_line l;
    hsc_db_file f;
    char path[300];
    size_t others;
    out[0] = 0;
    if (!called_at(r, s, &l, &others) || hsc_db_get_file(r->db, l.file, &f, NULL))
        return false;
    report_fit_place(f.path, 40, path, sizeof path);
    if (!others)
        snprintf(out, size, "%s:%u, which calls it", path, l.line);
    else if (others == 1)
        snprintf(out, size, "%s:%u and another line that call it", path, l.line);
    else
        snprintf(out, size, "%s:%u and %zu other lines that call it", path, l.line, others);
    return true;
}

char *report_scope_at(const report *r, const hsc_db_scope *s, char *out, size_t size) {
    hsc_db_line l;
    size_t others;
    if (!called_at(r, s, &l, &others))
        return report_at(r, s->file, s->line_begin, out, size);
    report_at(r, l.file, l.line, out, size);
    size_t n = strlen(out);
    if (others)
        snprintf(out + n, size - n, " and %zu more", others);
    return out;
}
