/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_causes.h"
#include "report_measures.h"
#include "wait_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/causes.h>

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
    to->size_min = m->sized && (!to->sized || m->size_min < to->size_min) ? m->size_min : to->size_min;
    to->sized += m->sized;
    to->size_bytes += m->size_bytes;
    to->calls += m->calls;
    to->sent += m->sent;
    to->sent_bytes += m->sent_bytes;
    to->received += m->received;
    to->received_bytes += m->received_bytes;
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

/* Calls of a row that have a size: where the destination is MPI_PROC_NULL those that received something. */
static uint64_t sized_calls(const hsc_db_message *m) {
    const char *nobody = hsc_enum_text("peer_class", HSC_peer_class_NOBODY);
    return !strcmp(m->peer, nobody ? nobody : "") ? m->received : m->calls;
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
                                        sized_calls(&m),
                                        (double)(m.sent_bytes ? m.sent_bytes : m.received_bytes),
                                        m.size_squares,
                                        m.duration_s,
                                        m.duration_min_s,
                                        m.duration_max_s,
                                        m.duration_squares,
                                        m.in_flight_s,
                                        m.completion_s,
                                        m.duration_s,
                                        .row = i};
    }
    return HSC_OK;
}

/* Adds the histogram of a row. */
static hsc_status add_histogram(const report *r, hsc_db_histogram which, uint32_t row, uint64_t *to, hsc_err *err) {
    uint64_t one[HSC_BUCKETS];
    hsc_status s = hsc_db_read_histogram(r->db, which, row, one, err);
    for (unsigned b = 0; b < HSC_BUCKETS && !s; b++)
        to[b] += one[b];
    return s;
}

/* Of rows that are sorted by key: to the first of each. */
static hsc_status set_message_quantiles(const report *r, report_message *list, uint32_t n, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0, next; i < n && !s; i = next) {
        uint64_t histogram[HSC_BUCKETS] = {0};
        double min_s = INFINITY, max_s = 0;
        for (next = i; next < n && !s && !message_key(&list[i], &list[next]); next++) {
            s = add_histogram(r, HSC_HISTOGRAM_DURATION, list[next].row, histogram, err);
            min_s = list[next].calls ? fmin(min_s, list[next].duration_min_s) : min_s;
            max_s = list[next].calls ? fmax(max_s, list[next].duration_max_s) : max_s;
        }
        hsc_db_histogram_quantile(histogram, min_s, max_s, 0.5, &list[i].median);
        hsc_db_histogram_quantile(histogram, min_s, max_s, 0.95, &list[i].p95);
    }
    return s;
}

hsc_status report_messages(report *r, bool by_class, report_message **rows, uint32_t *n, hsc_err *err) {
    report_message *list = malloc(((size_t)r->info.messages + 1) * sizeof *list);
    uint32_t count = 0, kept = 0;
    hsc_status s = list ? load_messages(r, by_class, list, &count, err) : no_memory(r, err);
    if (!s && count > 1)
        qsort(list, count, sizeof *list, by_message);
    if (!s && by_class)
        s = set_message_quantiles(r, list, count, err);
    if (s) {
        free(list);
        return s;
    }
    double of_thread = 0;
    uint32_t thread = HSC_NONE;
    for (uint32_t i = 0; i < count; i++) { /* a thread's rows of one place stand together */
        bool same = kept && !message_key(&list[kept - 1], &list[i]);
        bool same_thread = same && list[i].longest_thread == thread;
        report_message m = list[i];
        if (i && !same_thread)
            report_over_add(r->db, &r->pool, &list[kept - 1].over, thread, of_thread);
        of_thread = same_thread ? of_thread + m.duration_s : m.duration_s;
        thread = m.longest_thread;
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
    if (kept)
        report_over_add(r->db, &r->pool, &list[kept - 1].over, thread, of_thread);
    qsort(list, kept, sizeof *list, longest_message);
    *rows = list;
    *n = kept;
    return HSC_OK;
}

double report_message_size(const report_message *m) {
    return m->sized ? m->size_bytes / (double)m->sized : 0;
}

double report_message_size_stddev(const report_message *m) {
    return m->sized ? hsc_db_stddev(m->size_squares, m->size_bytes, (double)m->sized) : 0;
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
    if (!c)
        c = (x->column > y->column) - (x->column < y->column);
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

bool report_is_same_wait(const report_wait *a, const report_wait *b) {
    return a->kind == b->kind && a->column == b->column && !by_place(a->line, a->context, b->line, b->context);
}

static int by_wait_place(const void *a, const void *b) {
    const report_wait *x = a, *y = b;
    int c = by_place(x->line, x->context, y->line, y->context);
    if (!c)
        c = (x->kind > y->kind) - (x->kind < y->kind);
    if (!c)
        c = (x->column > y->column) - (x->column < y->column);
    return c ? c : longest_wait(x, y);
}

void report_sort_waits_by_place(report_wait *rows, uint32_t n) {
    if (n > 1)
        qsort(rows, n, sizeof *rows, by_wait_place);
}

const char *report_ended_by(uint32_t wait_kind) {
    switch (hsc_cause_of_wait(wait_kind)) {
    case HSC_wait_cause_SIGNAL:
        return "signalled in";
    case HSC_wait_cause_TASK:
        return "for a task of";
    case HSC_wait_cause_THREAD_END:
        return "for the end of";
    case HSC_wait_cause_OMP_BARRIER:
        return "until the last one came, in";
    default:
        return "held by";
    }
}

static bool wants_wait(const report *r, uint32_t line, uint32_t context) {
    hsc_db_context c;
    return !r->where || (line != HSC_NONE && report_wanted_line(r, line)) ||
           (!hsc_db_get_context(r->db, context, &c, NULL) && report_wanted(r, c.scope));
}

/* Of rows that are sorted: to the first of each place, kind and holder. */
static hsc_status set_wait_quantiles(const report *r, report_wait *list, uint32_t n, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0, next; i < n && !s; i = next) {
        uint64_t histogram[HSC_BUCKETS] = {0};
        double max_s = 0;
        for (next = i; next < n && !s && !wait_key(&list[i], &list[next]); next++) {
            s = add_histogram(r, HSC_HISTOGRAM_WAIT, list[next].row, histogram, err);
            max_s = fmax(max_s, list[next].max_s);
        }
        hsc_db_histogram_quantile(histogram, 0, max_s, 0.5, &list[i].median);
        hsc_db_histogram_quantile(histogram, 0, max_s, 0.95, &list[i].p95);
    }
    return s;
}

static void add_wait(report_wait *to, const report_wait *w) {
    to->waits += w->waits;
    to->bytes += w->bytes;
    to->total_s += w->total_s;
    to->idle_s += w->idle_s;
    to->idle_waits += w->idle_waits;
    to->max_s = fmax(to->max_s, w->max_s);
}

/* Of rows that are sorted: one for each place, kind and holder. */
static void merge_waits(report *r, report_wait *list, uint32_t *n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *n; i++) { /* of each thread, whatever its calling contexts */
        if (kept && !by_wait(&list[kept - 1], &list[i])) {
            report_wait *to = &list[kept - 1];
            add_wait(to, &list[i]);
            continue;
        }
        list[kept++] = list[i];
    }
    *n = kept;
    kept = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (!kept || wait_key(&list[kept - 1], &list[i])) {
            list[kept] = list[i];
            report_over_add(r->db, &r->pool, &list[kept++].over, list[i].thread, list[i].total_s);
            continue;
        }
        report_wait *to = &list[kept - 1];
        to->processors++;
        report_over_add(r->db, &r->pool, &to->over, list[i].thread, list[i].total_s);
        add_wait(to, &list[i]);
    }
    *n = kept;
}

static bool ran(const report *r, uint32_t context, uint32_t thread) {
    uint64_t indptr[2];
    uint32_t *indices = NULL;
    float *values = NULL;
    bool found = false;
    if (!hsc_db_read_sparse(r->db, (hsc_db_view){0, HSC_TABLE_CONTEXT_INCL, HSC_AXIS_THREAD}, context, 1, indptr, &indices, &values, NULL))
        for (uint64_t i = 0; i < indptr[1]; i++)
            found = found || (indices[i] == thread && values[i] > 0);
    free(indices);
    free(values);
    return found;
}

uint32_t report_thread_routine(const report *r, uint32_t context, uint32_t thread) {
    hsc_db_context c;
    hsc_db_scope s;
    if (context == HSC_NONE || thread == HSC_NONE || hsc_db_get_context(r->db, context, &c, NULL) || hsc_db_get_scope(r->db, c.scope, &s, NULL) ||
        report_is_users(r, &s))
        return context;
    for (uint32_t i = 0; i < r->info.contexts; i++) {
        if (hsc_db_get_context(r->db, i, &c, NULL) || hsc_db_get_scope(r->db, c.scope, &s, NULL))
            break;
        if ((c.kind != HSC_CONTEXT_PROCEDURE && c.kind != HSC_CONTEXT_INLINED) || !report_is_users(r, &s))
            continue;
        if (ran(r, i, thread))
            return i;
        i = c.subtree_end - 1; /* another thread's */
    }
    return context;
}

const char *report_thread_name(const report *r, uint32_t thread, char *out, size_t size) {
    hsc_db_thread t;
    hsc_db_process p;
    hsc_db_context c;
    hsc_db_scope s;
    out[0] = 0;
    if (hsc_db_get_thread(r->db, thread, &t, NULL) || hsc_db_get_process(r->db, t.process, &p, NULL))
        return out;
    const char *slash = strrchr(p.executable, '/'), *program = slash ? slash + 1 : p.executable;
    enum { KEPT = 15 }; /* of a name, by Linux */
    if (*t.name && strncmp(t.name, program, KEPT)) {
        snprintf(out, size, "%s", t.name);
        return out;
    }
    for (uint32_t i = 1; t.index && i < r->info.contexts; i++) {
        if (hsc_db_get_context(r->db, i, &c, NULL) || hsc_db_get_scope(r->db, c.scope, &s, NULL))
            break;
        if ((c.kind != HSC_CONTEXT_PROCEDURE && c.kind != HSC_CONTEXT_INLINED) || !report_is_users(r, &s))
            continue;
        if (ran(r, i, thread)) {
            bool begins = report_is_start(s.name) || !strcmp(s.name, "_start");
            snprintf(out, size, "%s", begins ? "" : s.name);
            break;
        }
        i = c.subtree_end - 1; /* another thread's */
    }
    return out;
}

/* Of those who ended waits, whatever the path that led to where they did, the first context of each scope. */
static uint32_t one_of_scope(const report *r, uint32_t context, uint32_t *first) {
    uint32_t scope = context == HSC_NONE ? HSC_NONE : report_scope_of(r, context);
    if (scope == HSC_NONE || scope >= r->info.scopes)
        return context;
    return first[scope] = first[scope] == HSC_NONE ? context : first[scope];
}

static hsc_status load_waits(report *r, bool quantiles, report_wait **rows, uint32_t *n, hsc_err *err) {
    uint32_t *first = malloc(((size_t)r->info.scopes + 1) * sizeof *first);
    if (!first)
        return no_memory(r, err);
    memset(first, 0xFF, ((size_t)r->info.scopes + 1) * sizeof *first);
    report_wait *list = malloc(((size_t)r->info.waits + 1) * sizeof *list);
    report_wait_calls calls = {0};
    uint32_t count = 0, column = 0;
    hsc_status s = list ? report_load_wait_calls(r, &calls, err) : no_memory(r, err);
    for (uint32_t i = 0; !s && i < r->info.waits; i++) {
        hsc_db_wait w;
        hsc_db_thread thread;
        if (!(s = hsc_db_get_wait(r->db, i, &w, err))) {
            uint32_t held_line = HSC_NONE;
            column = report_wait_call_column(&calls, &(report_wait_call){w.context, w.line, w.kind, w.column});
            hsc_db_find_wait_place(r->db, w.kind, &w.context, &w.line);
            if (hsc_cause_of_wait(w.kind) == HSC_wait_cause_THREAD_END) /* that began in a library's code: by what it was given to do */
                w.holder_context = report_thread_routine(r, w.holder_context, w.holder_thread);
            hsc_db_find_wait_place(r->db, HSC_NONE, &w.holder_context, &held_line);
            w.holder_context = one_of_scope(r, w.holder_context, first);
        }
        if (s || !(w.waits || w.total_s > 0 || w.bytes) || !wants_wait(r, w.line, w.context))
            continue;
        bool idle = hsc_wait_may_be_for_work(w.kind) && !hsc_db_get_thread(r->db, w.thread, &thread, NULL) && thread.idle;
        list[count++] = (report_wait){.line = w.line, .context = w.context, .kind = w.kind, .holder_thread = w.holder_thread, .holder_context = w.holder_context, .processors = 1,
                                      .kind_text = w.kind_text, .waits = w.waits, .bytes = w.bytes, .total_s = w.total_s, .max_s = w.max_s,
                                      .idle_s = idle ? w.total_s : 0, .idle_waits = idle ? w.waits : 0,
                                      .own = report_is_own_path(r, w.context), .thread = w.thread, .row = i, .column = column};
    }
    free(calls.list);
    free(first);
    if (!s && count > 1)
        qsort(list, count, sizeof *list, by_wait);
    if (!s && quantiles)
        s = set_wait_quantiles(r, list, count, err);
    if (s) {
        free(list);
        return s;
    }
    merge_waits(r, list, &count);
    *rows = list;
    *n = count;
    return HSC_OK;
}

hsc_status report_waits(report *r, bool quantiles, report_wait **rows, uint32_t *n, hsc_err *err) {
    hsc_status s = load_waits(r, quantiles, rows, n, err);
    if (!s && *n > 1)
        qsort(*rows, *n, sizeof **rows, longest_wait);
    return s;
}

double report_idle_waits(const report *r, const report_wait *rows, uint32_t n, uint32_t *threads) {
    hsc_db_thread t;
    double sum = 0;
    *threads = 0;
    for (uint32_t i = 0; i < r->info.threads; i++)
        *threads += !hsc_db_get_thread(r->db, i, &t, NULL) && t.idle;
    for (uint32_t i = 0; i < n; i++)
        sum += rows[i].own ? rows[i].idle_s : 0;
    return sum;
}

hsc_status report_take_libraries(const report *r, uint32_t *rows, uint32_t *n, hsc_weighted *sum, hsc_err *err) {
    *sum = (hsc_weighted){0};
    if (strcmp(r->unit.name, "waiting") != 0)
        return HSC_OK;
    double *theirs = calloc((size_t)r->info.scopes + 1, sizeof *theirs); /* by procedure, s */
    hsc_status status = theirs ? HSC_OK : no_memory(r, err);
    for (uint32_t i = 0; !status && i < r->info.waits; i++) {
        hsc_db_wait w;
        hsc_db_scope s;
        if (!(status = hsc_db_get_wait(r->db, i, &w, err)) && !report_is_own_path(r, w.context) && !hsc_db_get_scope(r->db, report_scope_of(r, w.context), &s, NULL) &&
            s.procedure != HSC_NONE)
            theirs[s.procedure] += w.total_s;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; !status && i < *n; i++) {
        hsc_weighted own = report_own(r, rows[i]);
        if (own.sum > 0 && theirs[rows[i]] >= 0.99 * own.sum * r->unit.scale)
            sum->sum += own.sum;
        else
            rows[kept++] = rows[i];
    }
    *n = status ? *n : kept;
    free(theirs);
    return status;
}
