/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that compilers make for a construct of the language (what flang makes of SUM) has no lines of its own: the lines that use it tell where it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define MOST_CONTEXTS 5000000u /* beyond, nobody waits for it */

typedef struct call {
    uint32_t line;
    double sum;
} call;

static int by_line(const void *a, const void *b) {
    uint32_t x = ((const call *)a)->line, y = ((const call *)b)->line;
    return x < y ? -1 : x > y;
}

/* Calls of the procedure by line, in *calls; how many. */
static size_t calls_of(const report *r, uint32_t procedure, call **calls) {
    hsc_db_context_columns c;
    size_t n = 0, kept = 0;
    double *sums = malloc(((size_t)r->info.contexts + 1) * sizeof *sums);
    *calls = malloc(((size_t)r->info.contexts + 1) * sizeof **calls);
    if (sums && *calls && !hsc_db_get_context_columns(r->db, &c, NULL) &&
        !hsc_db_read_sums(r->db, (hsc_db_view){r->metric, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, 0, r->info.contexts, sums, NULL))
        for (uint32_t i = 1; i < r->info.contexts; i++)
            if (c.scope[i] == procedure && c.call_line[i] != HSC_NONE && sums[i] > 0)
                (*calls)[n++] = (call){c.call_line[i], sums[i]};
    free(sums);
    if (n > 1)
        qsort(*calls, n, sizeof **calls, by_line);
    for (size_t i = 0; i < n; i++)
        if (kept && (*calls)[kept - 1].line == (*calls)[i].line)
            (*calls)[kept - 1].sum += (*calls)[i].sum;
        else
            (*calls)[kept++] = (*calls)[i];
    return kept;
}

/* The line that calls it most, and how many others do. */
static bool called_at(const report *r, const hsc_db_scope *s, hsc_db_line *l, size_t *others) {
    call *calls = NULL;
    if (s->line_begin || s->knowledge != HSC_KNOWN_MAP || s->procedure == HSC_NONE || r->info.contexts > MOST_CONTEXTS)
        return false;
    size_t n = calls_of(r, s->procedure, &calls), most = 0;
    for (size_t i = 1; i < n; i++)
        most = calls[i].sum > calls[most].sum ? i : most;
    bool known = n && !hsc_db_get_line(r->db, calls[most].line, l, NULL) && l->line;
    *others = n - known;
    free(calls);
    return known;
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
