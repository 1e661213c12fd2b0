/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Causes of waiting as people should read them: what the report and the viewer both show. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/causes.h>

#include "causes_called.h"
#include "report_causes.h"
#include "report_measures.h"
#include "report_put_in.h"
#include "wait_calls.h"

typedef struct waited { /* what a thread waited at a place, in one kind of wait */
    uint32_t thread, context, line, kind;
    double total_s;
} waited;

static int by_place(const void *pa, const void *pb) {
    const waited *a = pa, *b = pb;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* The waits outside of message passing, one row for each thread, place and kind. */
static hsc_status load_waits(const report *r, waited **out, uint32_t *n, hsc_err *err) {
    waited *list = malloc(((size_t)r->info.waits + 1) * sizeof *list);
    hsc_status s = list ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    uint32_t kept = 0;
    for (uint32_t i = 0; !s && i < r->info.waits; i++) {
        hsc_db_wait w;
        if (!(s = hsc_db_get_wait(r->db, i, &w, err)))
            list[i] = (waited){w.thread, w.context, w.line, w.kind, w.total_s};
    }
    if (!s)
        qsort(list, r->info.waits, sizeof *list, by_place);
    for (uint32_t i = 0; !s && i < r->info.waits; i++)
        if (kept && !by_place(&list[kept - 1], &list[i]))
            list[kept - 1].total_s += list[i].total_s;
        else
            list[kept++] = list[i];
    if (s)
        free(list);
    *out = s ? NULL : list;
    *n = kept;
    return s;
}

static uint32_t first_from(const waited *list, uint32_t n, const waited *key) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_place(&list[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct called { /* an operation of message passing of a thread at a place */
    uint32_t context, line, thread;
    const char *operation; /* borrowed */
    double total_s;
} called;

static int by_call(const void *pa, const void *pb) {
    const called *a = pa, *b = pb;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

static int by_operation(const void *pa, const void *pb) {
    const called *a = pa, *b = pb;
    int c = by_call(a, b);
    return c ? c : strcmp(a->operation, b->operation);
}

/* Of each place and thread the operation that took the longest: ranks may call different ones on one line. */
static hsc_status load_called(const report *r, called **out, uint32_t *n, hsc_err *err) {
    called *list = malloc(((size_t)r->info.messages + 1) * sizeof *list);
    hsc_status s = list ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    uint32_t kept = 0;
    for (uint32_t i = 0; !s && i < r->info.messages; i++) {
        hsc_db_message m;
        if (!(s = hsc_db_get_message(r->db, i, &m, err)))
            list[i] = (called){m.context, m.line, m.thread, m.operation, m.duration_s};
    }
    if (s) {
        free(list);
        return s;
    }
    qsort(list, r->info.messages, sizeof *list, by_operation);
    for (uint32_t i = 0, next; i < r->info.messages; i = next) {
        called all = list[i];
        for (next = i + 1; next < r->info.messages && !by_operation(&list[i], &list[next]); next++)
            all.total_s += list[next].total_s;
        if (!kept || by_call(&list[kept - 1], &all))
            list[kept++] = all;
        else if (all.total_s > list[kept - 1].total_s)
            list[kept - 1] = all;
    }
    *out = list;
    *n = kept;
    return HSC_OK;
}

/* "MPI_Wait"; where no call is known there: what all are. */
static const char *call_at(const called *list, uint32_t n, const hsc_db_cause *of) {
    const called *c = n ? bsearch(&(called){.context = of->place.context, .line = of->place.line, .thread = of->delay.thread}, list, n, sizeof *list, by_call) : NULL;
    return c ? c->operation : hsc_enum_text("wait_kind", HSC_wait_kind_MESSAGE);
}

/* Where a worker of OpenMP waited between regions, it has no path of its own: its waits stand where the region was forked. */
static void find_fork(const waited *list, uint32_t n, hsc_db_cause *c) {
    const hsc_db_delay_place *p = &c->place;
    const waited *best = NULL;
    for (uint32_t i = first_from(list, n, &(waited){.thread = c->delay.thread}); !p->context && i < n && list[i].thread == c->delay.thread; i++)
        if (list[i].line == p->line && list[i].kind == p->wait_kind && (!best || list[i].total_s > best->total_s))
            best = &list[i];
    c->context = best ? best->context : c->context;
}

/* The innermost place on the path that `is` takes; false: there is none, and nothing is changed. */
static bool climb_to(const report *r, bool is(const report *, const hsc_db_scope *), uint32_t *to_context, uint32_t *to_line) {
    uint32_t at = *to_context, of = *to_line;
    hsc_db_context context;
    hsc_db_scope s;
    while (at && !hsc_db_get_context(r->db, at, &context, NULL) && !hsc_db_get_scope(r->db, context.scope, &s, NULL)) {
        if (s.kind >= HSC_SCOPE_PROCEDURE && is(r, &s)) {
            *to_context = at;
            *to_line = of;
            return true;
        }
        of = context.call_line;
        at = context.parent;
    }
    return false;
}

/* Where the user's code does it, or calls what does; headers of the system (std::mutex) are not the user's, if there is other code. */
static void climb(const report *r, uint32_t *context, uint32_t *line) {
    if (!climb_to(r, report_is_users, context, line))
        climb_to(r, report_is_own, context, line);
}

/* In code of the program that is of a header of the system. */
static bool in_header(const report *r, uint32_t context) {
    hsc_db_context c;
    hsc_db_scope s;
    return context && context != HSC_NONE && !hsc_db_get_context(r->db, context, &c, NULL) && !hsc_db_get_scope(r->db, c.scope, &s, NULL) &&
           report_is_own(r, &s) && !report_is_users(r, &s);
}

void hsc_db_find_wait_place(hsc_db *db, uint32_t kind, uint32_t *context, uint32_t *line) {
    report r = {.db = db};
    hsc_db_get_info(db, &r.info);
    if ((kind >= HSC_wait_kind_OMP_BARRIER && kind <= HSC_wait_kind_OMP_IDLE) || in_header(&r, *context))
        climb(&r, context, line);
}

/* Where to show it: a loop where it begins, anything else at its line. */
static void find_place(const report *r, hsc_db_cause *c) {
    hsc_db_scope s;
    hsc_db_line l;
    c->file = HSC_NONE;
    c->file_line = 0;
    if (c->waited_kind == HSC_NONE && !c->place.not_running && !c->place.not_known && c->scope != HSC_NONE &&
        !hsc_db_get_scope(r->db, c->scope, &s, NULL) && s.kind == HSC_SCOPE_LOOP && s.line_begin && s.file != HSC_NONE) {
        c->file = s.file;
        c->file_line = s.line_begin;
    } else if (c->line != HSC_NONE && !hsc_db_get_line(r->db, c->line, &l, NULL) && l.line) {
        c->file = l.file;
        c->file_line = l.line;
    }
}

/* By delay, seconds that threads wait for it which run the user's code. */
static hsc_status load_own(const report *r, double **out, hsc_err *err) {
    double *own = calloc((size_t)r->info.delays + 1, sizeof *own);
    hsc_status s = own ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; !s && i < r->info.delayed; i++) {
        hsc_db_delayed v;
        if (!(s = hsc_db_get_delayed(r->db, i, &v, err)) && v.delay < r->info.delays)
            own[v.delay] += report_is_own_path(r, v.context) ? v.wait_s : 0;
    }
    if (s)
        free(own);
    *out = s ? NULL : own;
    return s;
}

/* What counts; own_s: by delay, for older databases, which do not tell. */
static void count_cause(const report *r, const double *own_s, hsc_db_cause *c) {
    const hsc_db_delay_place *p = &c->place;
    bool told = !isnan(p->counted_s), threads = hsc_cause_is_of_threads(c->delay.kind) && c->delay.kind != HSC_wait_cause_OMP_BARRIER;
    c->own = told ? !p->of_libraries : !threads || (own_s[p->delay] >= 0.5 * c->delay.wait_s && report_is_own_path(r, p->context));
    c->for_work = c->delay.for_work && (c->own || c->delay.kind == HSC_wait_cause_THREAD_END); /* libraries' threads are told by themselves */
    c->counted_s = told && c->own ? p->counted_s : c->for_work ? fmax(p->caused_s - p->direct_s, 0) : p->caused_s;
}

hsc_status hsc_db_read_causes(hsc_db *db, hsc_db_cause **out, uint32_t *n, hsc_err *err) {
    report r = {.db = db};
    waited *waits = NULL;
    report_wait_calls calls = {0};
    called *messages = NULL;
    uint32_t message_count = 0;
    uint32_t wait_count = 0;
    double *own_s = NULL;
    report_put_in put_in = {0};
    hsc_db_get_info(db, &r.info);
    hsc_db_cause *list = malloc(((size_t)r.info.delay_places + 1) * sizeof *list);
    hsc_status s = list ? report_load_programs(&r, err) : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r.info.path);
    if (!s)
        s = load_own(&r, &own_s, err);
    if (!s)
        s = load_waits(&r, &waits, &wait_count, err);
    if (!s)
        s = report_load_wait_calls(&r, &calls, err);
    if (!s)
        s = load_called(&r, &messages, &message_count, err);
    double begin_s, end_s;
    bool whole = !hsc_db_get_interval(db, &begin_s, &end_s);
    uint32_t count = 0;
    for (uint32_t i = 0; !s && i < r.info.delay_places; i++) {
        hsc_db_cause *c = &list[count];
        *c = (hsc_db_cause){.row = i, .waited_kind = HSC_NONE};
        if ((s = hsc_db_get_delay_place(db, i, &c->place, err)) || (s = hsc_db_get_delay(db, c->place.delay, &c->delay, err)))
            break;
        if (!whole && c->place.caused_s <= 0 && c->place.direct_s <= 0)
            continue;
        count++;
        c->context = c->place.context;
        c->line = c->place.line;
        if (c->place.wait_kind) {
            c->waited_kind = c->place.wait_kind;
            c->column = report_wait_call_column(&calls, &(report_wait_call){c->context, c->line, c->waited_kind, c->place.column});
            find_fork(waits, wait_count, c);
        }
        c->waited = c->waited_kind == HSC_NONE              ? ""
                    : c->waited_kind == HSC_wait_kind_MESSAGE ? call_at(messages, message_count, c)
                                                            : hsc_enum_text("wait_kind", c->waited_kind);
        c->waited = c->waited ? c->waited : "";
        climb(&r, &c->context, &c->line);
        if (c->waited_kind == HSC_NONE && !c->place.not_known && !c->place.not_running && (s = report_climb_put_in(&r, &put_in, &c->context, &c->line, err)))
            break;
        hsc_db_find_wait_place(db, HSC_NONE, &c->delay.context, &c->delay.line);
        c->scope = report_scope_of(&r, c->context);
        count_cause(&r, own_s, c);
    }
    if (!s)
        s = causes_name_calls(&r, list, count, err);
    for (uint32_t i = 0; !s && i < count; i++)
        find_place(&r, &list[i]);
    free(waits);
    free(calls.list);
    free(messages);
    free(own_s);
    report_put_in_fini(&put_in);
    report_clear(&r);
    if (s) {
        free(list);
        return s;
    }
    *out = list;
    *n = count;
    return HSC_OK;
}

int hsc_db_compare_causes(const hsc_db_cause *x, const hsc_db_cause *y) {
    bool calls = x->waited_kind != HSC_NONE && y->waited_kind != HSC_NONE; /* each call is a cause of its own */
    const uint32_t a[] = {x->delay.kind, x->scope, x->place.not_known, x->place.not_running, x->waited_kind, calls ? x->line : 0, calls ? x->column : 0, !x->own, x->delay.line,
                          x->delay.line == HSC_NONE ? x->delay.context : 0};
    const uint32_t b[] = {y->delay.kind, y->scope, y->place.not_known, y->place.not_running, y->waited_kind, calls ? y->line : 0, calls ? y->column : 0, !y->own, y->delay.line,
                          y->delay.line == HSC_NONE ? y->delay.context : 0};
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return calls ? strcmp(x->waited, y->waited) : 0; /* two calls on one line */
}
