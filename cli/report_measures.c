/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static hsc_status no_memory(const report *r, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
}

/* Places are lines; calls without a line are kept apart by context. */
static int by_place(uint32_t line_a, uint32_t context_a, uint32_t line_b, uint32_t context_b) {
    if (line_a != line_b)
        return line_a < line_b ? -1 : 1;
    if (line_a != HSC_NONE || context_a == context_b)
        return 0;
    return context_a < context_b ? -1 : 1;
}

static int message_key(const report_message *x, const report_message *y) {
    int c = by_place(x->line, x->context, y->line, y->context);
    if (!c)
        c = strcmp(x->operation, y->operation);
    if (!c)
        c = strcmp(x->peer, y->peer);
    return c ? c : (x->size_class > y->size_class) - (x->size_class < y->size_class);
}

static int by_message(const void *a, const void *b) {
    const report_message *x = a, *y = b;
    int c = message_key(x, y);
    return c ? c : (x->longest_thread > y->longest_thread) - (x->longest_thread < y->longest_thread);
}

static int longest_message(const void *a, const void *b) {
    const report_message *x = a, *y = b;
    if (x->duration_s != y->duration_s)
        return x->duration_s > y->duration_s ? -1 : 1;
    return by_message(a, b);
}

static void add_message(report_message *to, const report_message *m) {
    to->calls += m->calls;
    to->sent += m->sent;
    to->sent_bytes += m->sent_bytes;
    to->received += m->received;
    to->received_bytes += m->received_bytes;
    to->size_min = m->calls && (!to->calls || m->size_min < to->size_min) ? m->size_min : to->size_min;
    to->size_max = m->size_max > to->size_max ? m->size_max : to->size_max;
    to->completions += m->completions;
    to->size_squares += m->size_squares;
    to->duration_s += m->duration_s;
    to->duration_min_s = m->duration_min_s < to->duration_min_s ? m->duration_min_s : to->duration_min_s;
    to->duration_max_s = m->duration_max_s > to->duration_max_s ? m->duration_max_s : to->duration_max_s;
    to->duration_squares += m->duration_squares;
    to->in_flight_s += m->in_flight_s;
    to->completion_s += m->completion_s;
}

static hsc_status load_messages(report *r, bool by_class, report_message *list, uint32_t *n, hsc_err *err) {
    for (uint32_t i = 0; i < r->info.messages; i++) {
        hsc_db_message m;
        hsc_status s = hsc_db_get_message(r->db, i, &m, err);
        if (s)
            return s;
        hsc_db_context c;
        if (r->where && !(m.line != HSC_NONE && report_wanted_line(r, m.line)) &&
            (hsc_db_get_context(r->db, m.context, &c, NULL) || !report_wanted(r, c.scope)))
            continue;
        list[(*n)++] = (report_message){m.line,
                                        m.context,
                                        m.operation,
                                        by_class ? m.peer : "",
                                        m.kind,
                                        by_class ? m.size_class : 0,
                                        1,
                                        m.thread,
                                        m.calls,
                                        m.sent,
                                        m.sent_bytes,
                                        m.received,
                                        m.received_bytes,
                                        m.size_min,
                                        m.size_max,
                                        m.completions,
                                        m.size_squares,
                                        m.duration_s,
                                        m.duration_min_s,
                                        m.duration_max_s,
                                        m.duration_squares,
                                        m.in_flight_s,
                                        m.completion_s,
                                        m.duration_s};
    }
    return HSC_OK;
}

hsc_status report_messages(report *r, bool by_class, report_message **rows, uint32_t *n, hsc_err *err) {
    report_message *list = malloc(((size_t)r->info.messages + 1) * sizeof *list);
    uint32_t count = 0, kept = 0;
    hsc_status s = list ? load_messages(r, by_class, list, &count, err) : no_memory(r, err);
    if (s) {
        free(list);
        return s;
    }
    qsort(list, count, sizeof *list, by_message);
    double of_thread = 0;
    for (uint32_t i = 0; i < count; i++) { /* a thread's rows of one place stand together */
        bool same = kept && !message_key(&list[kept - 1], &list[i]);
        bool same_thread = same && i && list[i].longest_thread == list[i - 1].longest_thread;
        report_message m = list[i];
        of_thread = same_thread ? of_thread + m.duration_s : m.duration_s;
        if (!same) {
            list[kept++] = m;
            continue;
        }
        report_message *to = &list[kept - 1];
        add_message(to, &m);
        to->processors += !same_thread;
        if (of_thread > to->longest_s) {
            to->longest_s = of_thread;
            to->longest_thread = m.longest_thread;
        }
    }
    qsort(list, kept, sizeof *list, longest_message);
    *rows = list;
    *n = kept;
    return HSC_OK;
}

double report_message_size(const report_message *m) {
    return m->calls ? (double)(m->sent_bytes ? m->sent_bytes : m->received_bytes) / (double)m->calls : 0;
}

double report_message_size_stddev(const report_message *m) {
    double mean = report_message_size(m);
    return m->calls ? sqrt(fmax(0, m->size_squares / (double)m->calls - mean * mean)) : 0;
}

/* Is code of the user's anywhere on the path? Threads that libraries made for themselves have none. */
static bool is_own_path(const report *r, uint32_t context) {
    hsc_db_context c;
    hsc_db_scope s;
    while (context && !hsc_db_get_context(r->db, context, &c, NULL)) {
        if (!hsc_db_get_scope(r->db, c.scope, &s, NULL) && s.kind >= HSC_SCOPE_PROCEDURE && report_is_own(r, &s))
            return true;
        context = c.parent;
    }
    return false;
}

static int wait_key(const report_wait *x, const report_wait *y) {
    int c = by_place(x->line, x->context, y->line, y->context);
    if (!c)
        c = (x->kind > y->kind) - (x->kind < y->kind);
    return c ? c : (x->holder_context > y->holder_context) - (x->holder_context < y->holder_context);
}

static int by_wait(const void *a, const void *b) {
    return wait_key(a, b);
}

static int longest_wait(const void *a, const void *b) {
    const report_wait *x = a, *y = b;
    if (x->total_s != y->total_s)
        return x->total_s > y->total_s ? -1 : 1;
    return wait_key(x, y);
}

hsc_status report_waits(report *r, report_wait **rows, uint32_t *n, hsc_err *err) {
    report_wait *list = malloc(((size_t)r->info.waits + 1) * sizeof *list);
    uint32_t count = 0, kept = 0;
    hsc_status s = list ? HSC_OK : no_memory(r, err);
    for (uint32_t i = 0; !s && i < r->info.waits; i++) {
        hsc_db_wait w;
        hsc_db_context c;
        s = hsc_db_get_wait(r->db, i, &w, err);
        if (s || (r->where && !(w.line != HSC_NONE && report_wanted_line(r, w.line)) &&
                  (hsc_db_get_context(r->db, w.context, &c, NULL) || !report_wanted(r, c.scope))))
            continue;
        list[count++] =
            (report_wait){w.line,  w.context, w.kind,    w.holder_thread, w.holder_context,         1, w.kind_text,
                          w.waits, w.bytes,   w.total_s, w.max_s,         is_own_path(r, w.context)};
    }
    if (s) {
        free(list);
        return s;
    }
    qsort(list, count, sizeof *list, by_wait);
    for (uint32_t i = 0; i < count; i++) {
        if (!kept || wait_key(&list[kept - 1], &list[i])) {
            list[kept++] = list[i];
            continue;
        }
        report_wait *to = &list[kept - 1];
        to->processors++;
        to->waits += list[i].waits;
        to->bytes += list[i].bytes;
        to->total_s += list[i].total_s;
        to->max_s = list[i].max_s > to->max_s ? list[i].max_s : to->max_s;
    }
    qsort(list, kept, sizeof *list, longest_wait);
    *rows = list;
    *n = kept;
    return HSC_OK;
}

/* ---- text ---- */

/* "12.3M": at most five columns */
static const char *bytes(double n, char *out, size_t size) {
    static const char units[] = " kMGTP";
    int k = 0;
    for (; n >= 999.5 && k < 5; k++)
        n /= 1000;
    snprintf(out, size, n >= 99.95 || !k ? "%.0f%c" : "%.1f%c", n, units[k]);
    if (!k)
        out[strlen(out) - 1] = 0;
    return out;
}

/* "solve_z adi.c:120" */
static void place(const report *r, uint32_t line, uint32_t context, int width, char *out, size_t size) {
    hsc_db_context c;
    hsc_db_scope s, p = {.name = "?"};
    hsc_db_line l;
    hsc_db_file f;
    char where[300] = "", name[500];
    if (!hsc_db_get_context(r->db, context, &c, NULL) && !hsc_db_get_scope(r->db, c.scope, &s, NULL))
        p = s;
    if (p.procedure != HSC_NONE && p.kind != HSC_SCOPE_PROGRAM)
        (void)hsc_db_get_scope(r->db, p.procedure, &p, NULL);
    if (line != HSC_NONE && !hsc_db_get_line(r->db, line, &l, NULL) && !hsc_db_get_file(r->db, l.file, &f, NULL) &&
        f.has_lines && l.line) {
        const char *slash = strrchr(f.path, '/');
        snprintf(where, sizeof where, " %.200s:%u", slash ? slash + 1 : f.path, l.line);
    }
    int room = width - report_columns_of(where);
    if (room < 8)
        snprintf(out, size, "%s", report_fit_place(where + 1, width, name, sizeof name));
    else
        snprintf(out, size, "%s%s", report_fit(p.name, room, name, sizeof name), where);
}

hsc_status report_text_messages(report *r, hsc_err *err) {
    report_message *rows;
    uint32_t n, shown = 0;
    double total = 0, rest = 0;
    char sent[16], received[16], mean[16], where[700];
    hsc_status s = report_messages(r, false, &rows, &n, err);
    if (s)
        return s;
    for (uint32_t i = 0; i < n; i++)
        total += rows[i].duration_s;
    fprintf(r->out, "\nMessages: time in calls, by place and operation, all processors\n"
                    "  time s    %%   calls  sent  recv  size  max ms  operation      place\n");
    for (uint32_t i = 0; i < n; i++) {
        const report_message *m = &rows[i];
        if ((r->top && shown >= r->top) || (r->brief && m->duration_s < 0.001 * total)) {
            rest += m->duration_s;
            continue;
        }
        shown++;
        const char *op = !strncmp(m->operation, "MPI_", 4) ? m->operation + 4 : m->operation;
        place(r, m->line, m->context, r->width - 65, where, sizeof where);
        fprintf(r->out, "%8.3f %4.0f %7llu %5s %5s %5s %7.*f  %-14.14s %s\n", m->duration_s,
                total > 0 ? 100 * m->duration_s / total : 0, (unsigned long long)m->calls,
                bytes((double)m->sent_bytes, sent, sizeof sent),
                bytes((double)m->received_bytes, received, sizeof received),
                bytes(report_message_size(m), mean, sizeof mean), m->duration_max_s < 9.9995 ? 2 : 0,
                1e3 * m->duration_max_s, op, where);
    }
    if (shown < n)
        fprintf(r->out, "%8.3f %4.0f  %u more\n", rest, total > 0 ? 100 * rest / total : 0, n - shown);
    if (!n)
        fputs("  none\n", r->out);
    free(rows);
    return HSC_OK;
}

hsc_status report_text_waits(report *r, hsc_err *err) {
    report_wait *rows;
    uint32_t n, shown = 0, hidden = 0;
    double total = 0, rest = 0, libraries = 0;
    char amount[16], where[700];
    hsc_status s = report_waits(r, &rows, &n, err);
    if (s)
        return s;
    for (uint32_t i = 0; i < n; i++)
        *(rows[i].own ? &total : &libraries) += rows[i].total_s;
    fprintf(r->out, "\nWaiting: elapsed time blocked outside message passing, all processors\n"
                    "  time s    %%   waits mean ms  max ms bytes  for                place\n");
    for (uint32_t i = 0; i < n; i++) {
        const report_wait *w = &rows[i];
        if (!w->own) {
            hidden++;
            continue;
        }
        if ((r->top && shown >= r->top) || (r->brief && w->total_s < 0.001 * total)) {
            rest += w->total_s;
            continue;
        }
        shown++;
        place(r, w->line, w->context, r->width - 66, where, sizeof where);
        fprintf(r->out, "%8.3f %4.0f %7llu %7.*f %7.*f %5s  %-18.18s %s\n", w->total_s,
                total > 0 ? 100 * w->total_s / total : 0, (unsigned long long)w->waits,
                w->waits && w->total_s / (double)w->waits >= 9.9995 ? 0 : 2,
                w->waits ? 1e3 * w->total_s / (double)w->waits : 0, w->max_s < 9.9995 ? 2 : 0, 1e3 * w->max_s,
                w->bytes ? bytes((double)w->bytes, amount, sizeof amount) : "", w->kind_text, where);
        if (w->holder_context != HSC_NONE && w->total_s >= 0.01 * total) {
            place(r, HSC_NONE, w->holder_context, r->width - 30, where, sizeof where);
            fprintf(r->out, "%*s held by %s\n", 20, "", where);
        }
    }
    if (shown + hidden < n)
        fprintf(r->out, "%8.3f %4.0f  %u more\n", rest, total > 0 ? 100 * rest / total : 0, n - hidden - shown);
    if (hidden)
        fprintf(r->out, "%8.3f       %u more, in threads that libraries made for themselves\n", libraries, hidden);
    if (!n)
        fputs("  none\n", r->out);
    free(rows);
    return HSC_OK;
}
