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
        if (!m.calls && !m.completions) /* nothing in the interval */
            continue;
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

bool report_is_own_path(const report *r, uint32_t context) {
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
    const report_wait *x = a, *y = b;
    int c = wait_key(x, y);
    return c ? c : (x->thread > y->thread) - (x->thread < y->thread);
}

static int longest_wait(const void *a, const void *b) {
    const report_wait *x = a, *y = b;
    if (x->total_s != y->total_s)
        return x->total_s > y->total_s ? -1 : 1;
    return wait_key(x, y);
}

static bool wants_wait(const report *r, uint32_t line, uint32_t context) {
    hsc_db_context c;
    return !r->where || (line != HSC_NONE && report_wanted_line(r, line)) ||
           (!hsc_db_get_context(r->db, context, &c, NULL) && report_wanted(r, c.scope));
}

/* Sorted, one for each place, kind and holder. */
static void merge_waits(report_wait *list, uint32_t *n) {
    uint32_t kept = 0;
    if (*n > 1)
        qsort(list, *n, sizeof *list, by_wait);
    for (uint32_t i = 0; i < *n; i++) { /* of each thread, whatever its calling contexts */
        if (kept && list[i].processors == 1 && list[kept - 1].processors == 1 && !by_wait(&list[kept - 1], &list[i])) {
            report_wait *to = &list[kept - 1];
            to->waits += list[i].waits;
            to->bytes += list[i].bytes;
            to->total_s += list[i].total_s;
            to->max_s = fmax(to->max_s, list[i].max_s);
            continue;
        }
        list[kept++] = list[i];
    }
    *n = kept;
    for (uint32_t i = 0; i < *n; i++)
        if (list[i].processors == 1) {
            list[i].thread_squares = list[i].total_s * list[i].total_s;
            list[i].most_s = list[i].total_s;
            list[i].most_thread = list[i].thread;
        }
    kept = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (!kept || wait_key(&list[kept - 1], &list[i])) {
            list[kept++] = list[i];
            continue;
        }
        report_wait *to = &list[kept - 1];
        to->processors += list[i].thread == list[i - 1].thread ? 0 : list[i].processors;
        to->waits += list[i].waits;
        to->bytes += list[i].bytes;
        to->total_s += list[i].total_s;
        to->max_s = list[i].max_s > to->max_s ? list[i].max_s : to->max_s;
        to->thread_squares += list[i].thread_squares;
        if (list[i].most_s > to->most_s) {
            to->most_s = list[i].most_s;
            to->most_thread = list[i].most_thread;
        }
    }
    *n = kept;
}

static hsc_status load_waits(report *r, report_wait **rows, uint32_t *n, hsc_err *err) {
    report_wait *list = malloc(((size_t)r->info.waits + 1) * sizeof *list);
    uint32_t count = 0;
    hsc_status s = list ? HSC_OK : no_memory(r, err);
    for (uint32_t i = 0; !s && i < r->info.waits; i++) {
        hsc_db_wait w;
        if (!(s = hsc_db_get_wait(r->db, i, &w, err)))
            hsc_db_find_wait_place(r->db, w.kind, &w.context, &w.line);
        if (s || !(w.waits || w.total_s > 0 || w.bytes) || !wants_wait(r, w.line, w.context))
            continue;
        list[count++] =
            (report_wait){w.line,  w.context, w.kind,    w.holder_thread, w.holder_context,         1, w.kind_text,
                          w.waits, w.bytes,   w.total_s, w.max_s,         report_is_own_path(r, w.context), w.thread, 0, 0, HSC_NONE};
    }
    if (s) {
        free(list);
        return s;
    }
    merge_waits(list, &count);
    *rows = list;
    *n = count;
    return HSC_OK;
}

hsc_status report_waits(report *r, report_wait **rows, uint32_t *n, hsc_err *err) {
    hsc_status s = load_waits(r, rows, n, err);
    if (!s && *n > 1)
        qsort(*rows, *n, sizeof **rows, longest_wait);
    return s;
}
