/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "causes_called.h"

#include <stdlib.h>
#include <string.h>

#define NEARLY_ALL 0.9

typedef struct row {
    hsc_db_cause *cause;
    uint32_t callee; /* scope of what it was in, of a library's; HSC_NONE: in none, but in the user's own code */
} row;

/* What the runtime of OpenMP does for a construct is no call that anybody wrote. */
static bool is_written(const hsc_db_scope *s) {
    return s->kind == HSC_SCOPE_PROCEDURE && strncmp(s->name, "__kmp", 5) && strncmp(s->name, "GOMP_", 5);
}

/* The procedure that is called from where the user's own code ends. */
static uint32_t callee_of(const report *r, const hsc_db_cause *c) {
    hsc_db_context at;
    hsc_db_scope s;
    uint32_t context = c->place.context;
    if (c->waited_kind != HSC_NONE || c->place.not_known || c->place.not_running || c->line == HSC_NONE)
        return HSC_NONE;
    while (context && context != HSC_NONE && context != c->context && !hsc_db_get_context(r->db, context, &at, NULL)) {
        if (at.parent == c->context)
            return at.kind == HSC_CONTEXT_PROCEDURE && !hsc_db_get_scope(r->db, at.scope, &s, NULL) && !report_is_own(r, &s) && is_written(&s) ? at.scope : HSC_NONE;
        context = at.parent;
    }
    return HSC_NONE;
}

static int by_call(const void *a, const void *b) {
    const row *x = a, *y = b;
    int c = hsc_db_compare_causes(x->cause, y->cause);
    if (c)
        return c;
    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    if (x->cause->line != y->cause->line)
        return x->cause->line < y->cause->line ? -1 : 1;
    return (x->cause->row > y->cause->row) - (x->cause->row < y->cause->row);
}

static bool is_same_call(const row *a, const row *b) {
    return a->callee == b->callee && a->cause->line == b->cause->line;
}

/* Rows of one cause, by call. */
static void name_call(const report *r, row *rows, uint32_t n) {
    double all = 0;
    for (uint32_t i = 0; i < n; i++)
        all += rows[i].cause->counted_s;
    for (uint32_t i = 0, next; i < n; i = next) {
        double of_call = 0;
        hsc_db_scope s;
        for (next = i; next < n && is_same_call(&rows[i], &rows[next]); next++)
            of_call += rows[next].cause->counted_s;
        if (rows[i].callee == HSC_NONE || !(all > 0) || of_call < NEARLY_ALL * all || hsc_db_get_scope(r->db, rows[i].callee, &s, NULL))
            continue;
        for (uint32_t k = i; k < next; k++) {
            rows[k].cause->waited_kind = HSC_wait_kind_NONE;
            rows[k].cause->waited = s.name;
        }
        return;
    }
}

hsc_status causes_name_calls(const report *r, hsc_db_cause *list, uint32_t n, hsc_err *err) {
    row *rows = malloc(((size_t)n + 1) * sizeof *rows);
    if (!rows)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; i < n; i++)
        rows[i] = (row){&list[i], callee_of(r, &list[i])};
    if (n > 1)
        qsort(rows, n, sizeof *rows, by_call);
    uint32_t next;
    for (uint32_t i = 0; i < n; i = next) {
        for (next = i + 1; next < n && !hsc_db_compare_causes(rows[i].cause, rows[next].cause);)
            next++;
        name_call(r, rows + i, next - i);
    }
    free(rows);
    return HSC_OK;
}
