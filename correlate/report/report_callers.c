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

/* The call of the procedure that the context is in, which becomes the caller's. */
static bool caller_of(const report *r, uint32_t *of, caller *out) {
    uint32_t context = *of;
    hsc_db_context c, up;
    hsc_db_scope s;
    while (context && context != HSC_NONE && !hsc_db_get_context(r->db, context, &c, NULL)) {
        if (!hsc_db_get_scope(r->db, c.scope, &s, NULL) && s.kind == HSC_SCOPE_PROCEDURE)
            break;
        context = c.parent;
    }
    *of = HSC_NONE;
    if (!context || context == HSC_NONE || !c.parent || hsc_db_get_context(r->db, c.parent, &up, NULL) || hsc_db_get_scope(r->db, up.scope, &s, NULL) || s.procedure == HSC_NONE)
        return false;
    *of = c.parent;
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

/* One procedure further out, where the program's own code calls; of what a library calls (`any`) too. */
static size_t step_out(const report *r, report_way *ways, size_t n, bool any, caller *list) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        hsc_db_scope s;
        if (!caller_of(r, &ways[i].context, &list[count]))
            continue;
        if (any || (!hsc_db_get_scope(r->db, list[count].scope, &s, NULL) && report_is_own(r, &s)))
            list[count++].seconds = ways[i].seconds;
        else
            ways[i].context = HSC_NONE;
    }
    return merged(list, count);
}

char *report_ways_text(const report *r, report_way *ways, size_t n, unsigned most, char *out, size_t size) {
    enum { LEVELS = 64 };
    caller *list = malloc((n + 1) * sizeof *list);
    size_t count = 0, at = 0;
    double all = 0;
    out[0] = 0;
    for (size_t i = 0; i < n; i++)
        all += ways[i].seconds;
    for (unsigned level = 0; list && all > 0 && level < LEVELS; level++) {
        count = step_out(r, ways, n, !level, list);
        if (!count || list[0].seconds < 0.995 * all) /* one with all of it is another wrapper */
            break;
        count = 0;
    }
    for (size_t i = 0; count > 1 && i < count && i < most && list[i].seconds >= 0.01 * all; i++) {
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

char *report_callers(const report *r, uint32_t line, const char *operation, unsigned most, char *out, size_t size) {
    report_way *ways = malloc(((size_t)r->info.messages + 1) * sizeof *ways);
    size_t n = 0;
    out[0] = 0;
    for (uint32_t i = 0; ways && i < r->info.messages; i++) {
        hsc_db_message m;
        if (!hsc_db_get_message(r->db, i, &m, NULL) && m.line == line && !strcmp(m.operation, operation))
            ways[n++] = (report_way){m.context, m.duration_s};
    }
    if (ways)
        report_ways_text(r, ways, n, most, out, size);
    free(ways);
    return out;
}
