/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Delays of the database, added up for people. */
#include "report_causes.h"
#include "report_elapsed.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

static hsc_status no_memory(const report *r, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
}

uint32_t report_scope_of(const report *r, uint32_t context) {
    hsc_db_context c;
    return hsc_db_get_context(r->db, context, &c, NULL) ? HSC_NONE : c.scope;
}

bool report_wanted_place(const report *r, uint32_t line, uint32_t context) {
    uint32_t scope = report_scope_of(r, context);
    return !r->where || (line != HSC_NONE && report_wanted_line(r, line)) || (scope != HSC_NONE && report_wanted(r, scope));
}

static int key(const report_cause *x, const report_cause *y) {
    const uint32_t a[] = {x->kind, x->scope, x->late_line, x->late_line == HSC_NONE ? x->late_context : 0, x->is_call, x->not_running};
    const uint32_t b[] = {y->kind, y->scope, y->late_line, y->late_line == HSC_NONE ? y->late_context : 0, y->is_call, y->not_running};
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int by_key(const void *a, const void *b) {
    const report_cause *x = a, *y = b;
    int c = key(x, y);
    if (!c)
        c = (x->most_thread > y->most_thread) - (x->most_thread < y->most_thread);
    return c ? c : (x->delay > y->delay) - (x->delay < y->delay);
}

/* Where the user's code calls what is not. */
static void climb(const report *r, uint32_t *context, uint32_t *line) {
    uint32_t at = *context, of = *line;
    hsc_db_context c;
    hsc_db_scope s;
    while (at && !hsc_db_get_context(r->db, at, &c, NULL) && !hsc_db_get_scope(r->db, c.scope, &s, NULL)) {
        if (report_is_own(r, &s) && s.kind >= HSC_SCOPE_PROCEDURE) {
            *context = at;
            *line = of;
            return;
        }
        of = c.call_line;
        at = c.parent;
    }
}

static int heavier(const void *a, const void *b) {
    const report_cause *x = a, *y = b;
    if (x->caused_s != y->caused_s)
        return x->caused_s > y->caused_s ? -1 : 1;
    return by_key(a, b);
}

/* The heaviest first. free() *rows. */
hsc_status report_causes(report *r, report_cause **rows, uint32_t *n, hsc_err *err) {
    report_cause *list = malloc(((size_t)r->info.delay_places + 1) * sizeof *list);
    uint32_t count = 0, kept = 0;
    hsc_status s = list ? HSC_OK : no_memory(r, err);
    for (uint32_t i = 0; !s && i < r->info.delay_places; i++) {
        hsc_db_delay_place p;
        hsc_db_delay d;
        if ((s = hsc_db_get_delay_place(r->db, i, &p, err)) || (s = hsc_db_get_delay(r->db, p.delay, &d, err)))
            break;
        if (!report_wanted_place(r, p.line, p.context))
            continue;
        bool is_call = !p.not_running && p.context == d.context && p.line == d.line;
        climb(r, &p.context, &p.line);
        list[count++] = (report_cause){.kind = d.kind, .scope = report_scope_of(r, p.context), .late_line = d.line, .late_context = d.context,
                                .line = p.line, .context = p.context, .kind_text = d.kind_text, .threads = 1,
                                .most_thread = d.thread, .delay = p.delay, .waits = d.waits, .caused_s = p.caused_s,
                                .direct_s = p.direct_s, .most_s = p.caused_s,
                                .is_call = is_call, .not_running = p.not_running};
    }
    if (s) {
        free(list);
        return s;
    }
    qsort(list, count, sizeof *list, by_key);
    double of_thread = 0;
    for (uint32_t i = 0; i < count; i++) { /* a thread's rows of one key stand together */
        report_cause c = list[i];
        bool same = kept && !key(&list[kept - 1], &c), same_thread = same && list[i - 1].most_thread == c.most_thread;
        of_thread = same_thread ? of_thread + c.caused_s : c.caused_s;
        if (!same) {
            list[kept++] = c;
        } else {
            report_cause *to = &list[kept - 1];
            to->waits += to->delay != c.delay ? c.waits : 0;
            to->delay = c.delay;
            to->caused_s += c.caused_s;
            to->direct_s += c.direct_s;
            to->threads += !same_thread;
            if (of_thread > to->most_s) {
                to->most_s = of_thread;
                to->most_thread = c.most_thread;
            }
        }
    }
    qsort(list, kept, sizeof *list, heavier);
    *rows = list;
    *n = kept;
    return HSC_OK;
}

/* ---- names ---- */

void report_merged_text(const report *r, uint32_t line, char *out, size_t size) {
    uint32_t first, n, link, links, before = 0;
    size_t at = 0;
    out[0] = 0;
    if (line == HSC_NONE || hsc_db_find(r->db, HSC_LIST_MPI_SITES, line, &first, &n, NULL))
        return;
    for (uint32_t i = first; i < first + n; i++) {
        if (hsc_db_find(r->db, HSC_LIST_MPI_LINKS, i, &link, &links, NULL))
            return;
        for (uint32_t end = link + links; link < end; link++) {
            hsc_db_mpi_link l;
            if (hsc_db_get_mpi_link(r->db, link, &l, NULL) || l.kind != HSC_link_kind_MERGED || l.line == before)
                continue;
            before = l.line;
            int k = snprintf(out + at, size - at, " or %u", l.line);
            if (k < 0 || (size_t)k >= size - at) {
                out[at] = 0;
                return;
            }
            at += (size_t)k;
        }
    }
}

const char *report_call_text(const report *r, uint32_t line, char *out, size_t size) {
    size_t n = strlen(report_line_text(r, line, out, size));
    if (n)
        report_merged_text(r, line, out + n, size - n);
    return out;
}

/* "loop adi.c:120 in solve", "solve adi.c:110" */
void report_scope_text(const report *r, uint32_t scope, uint32_t line, int width, char *out, size_t size) {
    hsc_db_scope s = {.name = "?", .procedure = HSC_NONE, .file = HSC_NONE}, p;
    char where[300], name[300];
    if (scope != HSC_NONE)
        (void)hsc_db_get_scope(r->db, scope, &s, NULL);
    p = s;
    if (s.procedure != HSC_NONE)
        (void)hsc_db_get_scope(r->db, s.procedure, &p, NULL);
    report_line_text(r, line, where, sizeof where);
    if (s.kind == HSC_SCOPE_LOOP && s.line_begin && s.file != HSC_NONE)
        report_at(r, s.file, s.line_begin, where, sizeof where);
    const char *kind = s.kind == HSC_SCOPE_LOOP ? "loop " : "", *in = s.kind == HSC_SCOPE_LOOP ? " in " : "";
    int room = width - report_columns_of(where) - report_columns_of(kind) - (in[0] ? 4 : 1);
    report_fit(p.name, room > 8 ? room : 8, name, sizeof name);
    if (in[0])
        snprintf(out, size, "%s%s%s%s", kind, where, in, name);
    else
        snprintf(out, size, "%s%s%s", name, where[0] ? " " : "", where);
}

/* "late at a barrier" is what others waited for; short for columns */
const char *report_cause_kind(uint32_t kind) {
    switch (kind) {
    case HSC_wait_cause_COLLECTIVE:
        return "late at collective";
    case HSC_wait_cause_OMP_BARRIER:
        return "thread barrier";
    case HSC_wait_cause_WINDOW_LOCK:
        return "lock of a window";
    default:
        return hsc_enum_text("wait_cause", kind) ? hsc_enum_text("wait_cause", kind) : "unknown";
    }
}

/* "rank 3", "rank 3 thread 1", "thread 1" */
void report_who(const report *r, uint32_t thread, char *out, size_t size) {
    hsc_db_thread t;
    out[0] = 0;
    if (r->axis != HSC_AXIS_PROCESS || hsc_db_get_thread(r->db, thread, &t, NULL) || t.index)
        report_processor(r, HSC_AXIS_THREAD, thread, out, size);
    else
        report_processor(r, HSC_AXIS_PROCESS, t.process, out, size);
}

static int longer(const void *a, const void *b) {
    const report_delayed *x = a, *y = b;
    if (x->v.wait_s != y->v.wait_s)
        return x->v.wait_s > y->v.wait_s ? -1 : 1;
    if (x->v.delay != y->v.delay)
        return x->v.delay < y->v.delay ? -1 : 1;
    if (x->v.thread != y->v.thread)
        return x->v.thread < y->v.thread ? -1 : 1;
    if (x->v.context != y->v.context)
        return x->v.context < y->v.context ? -1 : 1;
    return x->v.line < y->v.line ? -1 : x->v.line > y->v.line;
}

hsc_status report_delayed_list(report *r, report_delayed **rows, uint32_t *n, hsc_err *err) {
    report_delayed *list = malloc(((size_t)r->info.delayed + 1) * sizeof *list);
    hsc_status s = list ? HSC_OK : no_memory(r, err);
    uint32_t count = 0;
    for (uint32_t i = 0; !s && i < r->info.delayed; i++) {
        report_delayed p;
        if ((s = hsc_db_get_delayed(r->db, i, &p.v, err)) || (s = hsc_db_get_delay(r->db, p.v.delay, &p.d, err)))
            break;
        if (report_wanted_place(r, p.v.line, p.v.context))
            list[count++] = p;
    }
    if (s) {
        free(list);
        return s;
    }
    qsort(list, count, sizeof *list, longer);
    *rows = list;
    *n = count;
    return HSC_OK;
}

hsc_status report_main_cause(report *r, char *out, size_t size, uint32_t *scope, uint32_t *line, double *seconds, hsc_err *err) {
    report_cause *rows;
    report_elapsed of = {0};
    uint32_t n;
    double total = 0;
    char who[128], where[800], late[300];
    out[0] = 0;
    hsc_status s = report_elapsed_of(r, &of, err);
    if (!s)
        s = report_causes(r, &rows, &n, err);
    if (s)
        return s;
    for (uint32_t i = 0; i < n; i++)
        total += rows[i].caused_s;
    if (n && total >= 0.01 * of.seconds && of.seconds > 0) {
        const report_cause *c = &rows[0];
        bool unknown = c->is_call && c->kind != HSC_wait_cause_LOCK; /* of a lock, where it was held is where it was given back */
        bool late_call = unknown || c->not_running;                   /* nothing else is named */
        hsc_db_scope loop;
        report_who(r, c->most_thread, who, sizeof who);
        report_scope_text(r, c->scope, c->line, 90, where, sizeof where);
        report_call_text(r, c->late_line, late, sizeof late);
        snprintf(out, size, "%s%s make%s others wait %.3g s (%s%s%s)%s%s; of %.3g s in all (for late partners, locks and slower threads), %.1f %% of the elapsed "
                 "time of the %u threads that run the program's code.",
                 who, c->threads > 1 ? " and others" : "", c->threads > 1 ? "" : "s", c->caused_s, report_cause_kind(c->kind),
                 late[0] && c->kind != HSC_wait_cause_OMP_BARRIER ? " " : "", c->kind != HSC_wait_cause_OMP_BARRIER ? late : "",
                 c->not_running ? ": it had no processor meanwhile" : unknown ? ", by what is not known" : " by ", late_call ? "" : where,
                 total, 100 * total / of.seconds, of.threads);
        bool is_loop = !late_call && c->scope != HSC_NONE && !hsc_db_get_scope(r->db, c->scope, &loop, NULL) && loop.kind == HSC_SCOPE_LOOP;
        *scope = is_loop ? c->scope : HSC_NONE;
        *line = is_loop ? HSC_NONE : late_call ? c->late_line : c->line;
        *seconds = total;
    }
    free(rows);
    return HSC_OK;
}

