/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who calls the procedure that a call of message passing stands in: programs wrap these calls, and all of them stand in a few lines then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_measures.h"

typedef struct caller {
    uint32_t line, scope; /* row of the line of its call, HSC_NONE: not known; the procedure that it is in */
    double seconds;
} caller;

/* The call of the procedure that the context is in. */
static bool caller_of(const report *r, uint32_t context, caller *out) {
    hsc_db_context c, up;
    hsc_db_scope s;
    while (context && !hsc_db_get_context(r->db, context, &c, NULL)) {
        if (!hsc_db_get_scope(r->db, c.scope, &s, NULL) && s.kind == HSC_SCOPE_PROCEDURE)
            break;
        context = c.parent;
    }
    if (!context || !c.parent || hsc_db_get_context(r->db, c.parent, &up, NULL) || hsc_db_get_scope(r->db, up.scope, &s, NULL) || s.procedure == HSC_NONE)
        return false;
    *out = (caller){.line = c.call_line, .scope = s.procedure};
    return true;
}

static int by_place(const void *a, const void *b) {
    const caller *x = a, *y = b;
    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int longest(const void *a, const void *b) {
    const caller *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return by_place(a, b);
}

static size_t merged(caller *list, size_t n) {
    size_t kept = 0;
    if (n > 1)
        qsort(list, n, sizeof *list, by_place);
    for (size_t i = 0; i < n; i++)
        if (kept && !by_place(&list[kept - 1], &list[i]))
            list[kept - 1].seconds += list[i].seconds;
        else
            list[kept++] = list[i];
    if (kept > 1)
        qsort(list, kept, sizeof *list, longest);
    return kept;
}

char *report_callers(const report *r, uint32_t line, const char *operation, unsigned most, char *out, size_t size) {
    caller *list = malloc(((size_t)r->info.messages + 1) * sizeof *list);
    size_t n = 0, at = 0;
    double all = 0;
    out[0] = 0;
    for (uint32_t i = 0; list && i < r->info.messages; i++) {
        hsc_db_message m;
        if (hsc_db_get_message(r->db, i, &m, NULL) || m.line != line || strcmp(m.operation, operation) != 0 || !caller_of(r, m.context, &list[n]))
            continue;
        list[n++].seconds = m.duration_s;
        all += m.duration_s;
    }
    n = merged(list, n);
    for (size_t i = 0; n > 1 && all > 0 && i < n && i < most && list[i].seconds >= 0.01 * all; i++) {
        hsc_db_scope s = {.name = "?"};
        char name[200], place[300];
        (void)hsc_db_get_scope(r->db, list[i].scope, &s, NULL);
        report_line_text(r, list[i].line, place, sizeof place);
        int k = snprintf(out + at, size - at, "%s%s%s%s (%.0f %%)", i ? ", " : "", report_fit(s.name, 60, name, sizeof name), place[0] ? " " : "", place, 100 * list[i].seconds / all);
        at += k > 0 && (size_t)k < size - at ? (size_t)k : 0;
    }
    free(list);
    return out;
}
