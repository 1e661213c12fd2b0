/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call paths as text: by the time at their end, or of those that lead to some code. */
#include <stdlib.h>
#include <string.h>

#include "report_text.h"

typedef struct paths {
    const report *r;
    uint8_t *through; /* report_paths_through() */
} paths;

/* Of all contexts; with --where those where a path comes to such code. */
static bool accept_context(void *ctx, uint64_t row) {
    const paths *p = ctx;
    hsc_db_context c;
    return !hsc_db_get_context(p->r->db, (uint32_t)row, &c, NULL) && c.kind != HSC_CONTEXT_ROOT && (!p->through || (p->through[row] && !p->through[c.parent]));
}

/* What the C library begins a thread with. */
static bool is_thread_start(const char *name) {
    return !strcmp(name, "start_thread") || !strncmp(name, "clone", 5) || !strncmp(name, "__clone", 7);
}

/* Of a path, innermost first: without what leads from a thread's start to the first code of the user's; *depth as it was where there is none. */
static void fold_thread_start(const report *r, const uint32_t *path, uint32_t *depth) {
    hsc_db_context c;
    hsc_db_scope s;
    for (uint32_t k = *depth; k-- > 0;) {
        if (hsc_db_get_context(r->db, path[k], &c, NULL) || hsc_db_get_scope(r->db, c.scope, &s, NULL))
            return;
        bool procedure = c.kind == HSC_CONTEXT_PROCEDURE || c.kind == HSC_CONTEXT_INLINED;
        if (procedure && k + 2 == *depth && !is_thread_start(s.name))
            return; /* path[depth - 1] is the root */
        if (procedure && report_is_users(r, &s)) {
            *depth = k + 1;
            return;
        }
    }
}

/* Is it code of a header of the system? */
static bool is_of_header(const report *r, uint32_t context) {
    hsc_db_context c;
    hsc_db_scope s;
    hsc_db_file f;
    return !hsc_db_get_context(r->db, context, &c, NULL) && !hsc_db_get_scope(r->db, c.scope, &s, NULL) && s.file != HSC_NONE &&
           !hsc_db_get_file(r->db, s.file, &f, NULL) && report_system_header(f.path, NULL, 0);
}

/* " > step", on a line of its own where there is no room; *at: the column reached. */
static void put_step(const report *r, const char *step, bool first, int indent, int *at) {
    if (!first && *at + report_columns_of(step) + 3 > r->width) {
        fprintf(r->out, "\n%*s", indent, "");
        *at = indent;
    }
    *at += fprintf(r->out, "%s", first ? "" : " > ") + report_columns_of(step);
    fputs(step, r->out);
}

enum { STEPS = 200, PERIOD = 12, OFTEN = 3, FILE_WIDTH = 24 };
typedef struct steps { /* of a path, from the outside */
    char *text[2 * STEPS]; /* what is hidden stands between them */
    uint32_t n;
} steps;

static hsc_status add_step(steps *s, const char *text, hsc_err *err) {
    if (s->n == 2 * STEPS)
        return HSC_OK;
    if (!(s->text[s->n] = strdup(text)))
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    s->n++;
    return HSC_OK;
}

/* How often the steps from `at` on come again right after each other, in pieces of *period: what a recursion makes; 1: no such piece. */
static uint32_t times_of(const steps *s, uint32_t at, uint32_t *period) {
    uint32_t best = 1;
    *period = 1;
    for (uint32_t size = 1; size <= PERIOD && at + OFTEN * size <= s->n; size++) {
        uint32_t i = at + size;
        while (i < s->n && !strcmp(s->text[i], s->text[i - size]))
            i++;
        uint32_t times = (i - at) / size;
        if (times >= OFTEN && times * size > best * *period) {
            best = times;
            *period = size;
        }
    }
    return best;
}

static void put_steps(const report *r, const steps *s, int indent) {
    int at = indent;
    for (uint32_t i = 0, period; i < s->n; i += period) {
        uint32_t times = times_of(s, i, &period);
        for (uint32_t k = i; k < i + period; k++)
            put_step(r, s->text[k], !k, indent, &at);
        if (times == 1)
            continue;
        char text[80], of[24] = "";
        if (period > 1)
            snprintf(of, sizeof of, "these %u, ", period);
        int n = snprintf(text, sizeof text, "(%s%u times)", of, times);
        if (at + 1 + n > r->width)
            at = fprintf(r->out, "\n%*s", indent, "") - 1;
        else
            at += fprintf(r->out, " ");
        at += fprintf(r->out, "%s", text);
        i += (times - 1) * period;
    }
    fputc('\n', r->out);
}

void report_text_line_in(const report *r, uint32_t procedure, uint32_t file, uint32_t line, int width, char *out, size_t size) {
    hsc_db_scope p;
    hsc_db_file f;
    char name[300];
    if (procedure == HSC_NONE || file == HSC_NONE || hsc_db_get_scope(r->db, procedure, &p, NULL) || p.file == HSC_NONE || p.file == file || hsc_db_get_file(r->db, file, &f, NULL)) {
        snprintf(out, size, "%u", line);
        return;
    }
    const char *slash = strrchr(f.path, '/');
    snprintf(out, size, "%s:%u", report_fit_path(slash ? slash + 1 : f.path, width, name, sizeof name), line);
}

/* The procedure that a context is code of, HSC_NONE: of none. */
static uint32_t procedure_of(const report *r, uint32_t context) {
    hsc_db_context c;
    hsc_db_scope s;
    return context == HSC_NONE || hsc_db_get_context(r->db, context, &c, NULL) || hsc_db_get_scope(r->db, c.scope, &s, NULL) ? HSC_NONE : s.procedure;
}

hsc_status report_text_contexts(report *r, hsc_err *err) {
    uint32_t capacity = report_text_rows(r, 3), n = 0;
    capacity = capacity ? capacity : r->info.contexts;
    uint64_t *rows = calloc((uint64_t)capacity + 1, sizeof *rows);
    double *sums = calloc((uint64_t)capacity + 1, sizeof *sums);
    paths wanted = {.r = r};
    const hsc_db_view view = {r->metric, r->where ? HSC_TABLE_CONTEXT_INCL : HSC_TABLE_CONTEXT_EXCL, HSC_AXIS_THREAD};
    hsc_status status = rows && sums ? report_paths_through(r, &wanted.through, err) : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    if (!status)
        status = hsc_db_read_top(r->db, view, accept_context, &wanted, capacity, rows, sums, &n, err);
    free(wanted.through);
    if (!status && n && sums[0] > 0) {
        char heading[400];
        if (r->where)
            snprintf(heading, sizeof heading, "Call paths to '%.200s', by the %s from there on", r->where, report_text_measure(r));
        else
            snprintf(heading, sizeof heading, "Call paths, by the %s at their end", report_text_measure(r));
        report_text_title(r, heading);
        report_text_amount_heads(r);
        fprintf(r->out, "  path, with the line of each call before its procedure\n");
    }
    for (uint32_t i = 0; i < n && !status && sums[i] > 0 && (!i || sums[i] >= report_text_least(r)); i++) {
        uint32_t path[STEPS], depth = 0, hidden = 0;
        hsc_db_context c;
        status = hsc_db_get_context(r->db, (uint32_t)rows[i], &c, err);
        path[0] = (uint32_t)rows[i];
        for (depth = 1; !status && depth < STEPS && path[depth - 1] != 0; depth++) {
            path[depth] = c.parent;
            status = hsc_db_get_context(r->db, c.parent, &c, err);
        }
        for (uint32_t k = 0; k < depth && !status; k++) { /* what leads to main is the same for all */
            hsc_db_scope s;
            status = hsc_db_get_context(r->db, path[k], &c, err);
            if (!status)
                status = hsc_db_get_scope(r->db, c.scope, &s, err);
            if (!status && (c.kind == HSC_CONTEXT_PROCEDURE || c.kind == HSC_CONTEXT_INLINED) && report_is_start(s.name))
                depth = k + 1;
        }
        if (!status)
            fold_thread_start(r, path, &depth);
        hsc_weighted v = {.sum = sums[i]};
        if (!status)
            status = hsc_db_read_excess(r->db, view, rows[i], 1, &v.excess, err);
        fprintf(r->out, "%4u", i + 1);
        report_text_amount(r, v);
        fprintf(r->out, "  ");
        steps told = {.n = 0};
        for (uint32_t k = depth; k-- > 0 && !status;) {
            hsc_db_scope s;
            hsc_db_line l;
            char step[1000], name[300], apart[1000], at[300], call[320] = "";
            status = hsc_db_get_context(r->db, path[k], &c, err);
            if (status || c.kind == HSC_CONTEXT_ROOT)
                continue;
            if (!status)
                status = hsc_db_get_scope(r->db, c.scope, &s, err);
            if (status)
                break;
            hsc_db_context up;
            if (!hsc_db_get_context(r->db, c.parent, &up, NULL) && hsc_db_continues(r->db, &s, up.scope))
                continue;
            bool last = !k || !is_of_header(r, path[k - 1]);
            if (r->brief && c.kind == HSC_CONTEXT_INLINED && told.n && !last && is_of_header(r, path[k]) && is_of_header(r, path[k + 1])) {
                hidden++; /* what a header's procedure inlines of headers */
                continue;
            }
            if (hidden) {
                snprintf(step, sizeof step, "(%u inlined)", hidden);
                status = add_step(&told, step, err);
                hidden = 0;
            }
            if (c.kind == HSC_CONTEXT_LOOP && !s.line_begin)
                snprintf(step, sizeof step, "%.300s", s.name);
            else if (c.kind == HSC_CONTEXT_LOOP) {
                report_text_line_in(r, s.procedure, s.file, s.line_begin, FILE_WIDTH, at, sizeof at);
                snprintf(step, sizeof step, "%.300s %s", s.name, at);
            } else {
                if (told.n && c.call_line != HSC_NONE && !hsc_db_get_line(r->db, c.call_line, &l, NULL) && l.line) {
                    report_text_line_in(r, procedure_of(r, c.parent), l.file, l.line, FILE_WIDTH, at, sizeof at);
                    snprintf(call, sizeof call, "%s: ", at);
                }
                snprintf(step, sizeof step, "%s%s%s", call, c.kind == HSC_CONTEXT_PARTIAL ? "(start not known)" : report_fit(report_procedure_name(r, &s, apart, sizeof apart), r->width - (c.kind == HSC_CONTEXT_INLINED ? 45 : 35), name, sizeof name),
                         c.kind == HSC_CONTEXT_INLINED ? " [inlined]" : "");
            }
            if (!status)
                status = add_step(&told, step, err);
        }
        put_steps(r, &told, 22 + report_text_interval_width(r));
        for (uint32_t k = 0; k < told.n; k++)
            free(told.text[k]);
    }
    if (!status && r->brief && n == capacity && n)
        fprintf(r->out, "     more: --by=context\n");
    free(rows);
    free(sums);
    return status;
}
