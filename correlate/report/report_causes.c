/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Delays of the database, added up for people. */
#include "report_causes.h"
#include "report_measures.h"
#include "report_elapsed.h"
#include "wait_calls.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/causes.h>

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

bool report_wanted_cause(const report *r, const hsc_db_cause *c) {
    return report_wanted_place(r, c->place.line, c->place.context) || report_wanted_place(r, c->delay.line, c->delay.context);
}

static int by_group(const void *a, const void *b) {
    const hsc_db_cause *x = a, *y = b;
    int c = hsc_db_compare_causes(x, y);
    if (!c)
        c = (x->delay.thread > y->delay.thread) - (x->delay.thread < y->delay.thread);
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

static int heavier(const void *a, const void *b) {
    const report_cause *x = a, *y = b;
    if (x->of.place.not_running != y->of.place.not_running)
        return x->of.place.not_running ? 1 : -1;
    if (x->caused_s != y->caused_s)
        return x->caused_s > y->caused_s ? -1 : 1;
    return (x->of.row > y->of.row) - (x->of.row < y->of.row);
}

hsc_status report_causes(report *r, report_cause **rows, uint32_t *n, hsc_err *err) {
    hsc_db_cause *list;
    uint32_t count, kept = 0;
    hsc_status s = hsc_db_read_causes(r->db, &list, &count, err);
    report_cause *groups = s ? NULL : malloc(((size_t)count + 1) * sizeof *groups);
    if (!s && !groups) {
        free(list);
        return no_memory(r, err);
    }
    if (s)
        return s;
    if (count > 1)
        qsort(list, count, sizeof *list, by_group);
    double of_thread = 0, heaviest = 0;
    uint32_t thread = HSC_NONE;
    for (uint32_t i = 0; i < count; i++) { /* a thread's rows of one group stand together */
        const hsc_db_cause *c = &list[i];
        double caused = c->counted_s;
        if (!report_wanted_cause(r, c) || (c->for_work && caused <= 1e-9))
            continue;
        bool same = kept && !hsc_db_compare_causes(&groups[kept - 1].of, c), same_thread = same && thread == c->delay.thread;
        if (!same) {
            groups[kept++] = (report_cause){.of = *c, .delay = HSC_NONE, .rows = c};
            heaviest = caused;
        }
        report_cause *to = &groups[kept - 1];
        to->n = (uint32_t)(c - to->rows) + 1;
        if (caused > heaviest) { /* whose place is shown */
            to->of = *c;
            heaviest = caused;
        }
        of_thread = (same_thread ? of_thread : 0) + caused;
        thread = c->delay.thread;
        to->threads += !same_thread;
        to->waits += to->delay != c->place.delay ? c->delay.waits : 0; /* places of one delay stand together */
        to->delay = c->place.delay;
        to->caused_s += caused;
        to->direct_s += c->for_work ? 0 : c->place.direct_s;
        if (to->threads == 1 || of_thread > to->most_s) {
            to->most_s = of_thread;
            to->most_thread = c->delay.thread;
        }
    }
    free(r->causes);
    r->causes = list;
    qsort(groups, kept, sizeof *groups, heavier);
    *rows = groups;
    *n = kept;
    return HSC_OK;
}

static int by_group_of_row(const void *a, const void *b) {
    return by_group(&((const report_cause_row *)a)->of, &((const report_cause_row *)b)->of);
}

static int by_caused(const void *a, const void *b) {
    const hsc_db_cause *x = &((const report_cause_row *)a)->of, *y = &((const report_cause_row *)b)->of;
    if (x->place.caused_s != y->place.caused_s)
        return x->place.caused_s > y->place.caused_s ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Rows of one group, by threads. */
static void set_spread(report *r, report_cause_row *rows, uint32_t n) {
    report_cause_row all = {.all_s = 0};
    for (uint32_t i = 0, next; i < n; i = next) {
        double of_thread = 0;
        for (next = i; next < n && rows[next].of.delay.thread == rows[i].of.delay.thread; next++)
            of_thread += rows[next].of.place.caused_s;
        report_over_add(r->db, &r->pool, &all.over, rows[i].of.delay.thread, of_thread);
        all.all_s += of_thread;
    }
    for (uint32_t i = 0; i < n; i++) {
        all.of = rows[i].of;
        rows[i] = all;
    }
}

hsc_status report_cause_list(report *r, report_cause_row **rows, uint32_t *n, hsc_err *err) {
    hsc_db_cause *causes;
    uint32_t count = 0, all;
    hsc_status s = hsc_db_read_causes(r->db, &causes, &all, err);
    if (s)
        return s;
    report_cause_row *list = calloc((size_t)all + 1, sizeof *list);
    for (uint32_t i = 0; list && i < all; i++)
        if (report_wanted_cause(r, &causes[i]))
            list[count++].of = causes[i];
    free(causes);
    if (!list)
        return no_memory(r, err);
    qsort(list, count, sizeof *list, by_group_of_row);
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && !hsc_db_compare_causes(&list[i].of, &list[next].of);)
            next++;
        set_spread(r, list + i, next - i);
    }
    qsort(list, count, sizeof *list, by_caused);
    *rows = list;
    *n = count;
    return HSC_OK;
}

void report_cause_place(const report *r, const report_cause *c, int width, char *out, size_t size) {
    char call[100];
    const char *what = report_wait_call_text(c->of.waited, c->of.column, call, sizeof call);
    int room = width - (*what ? report_columns_of(what) + 4 : 0);
    if (c->of.place.not_running && *what) {
        int n = snprintf(out, size, "not running, %s in ", what);
        if (n > 0 && (size_t)n < size)
            report_procedure_text(r, c->of.scope, c->of.line, room - 13 > 8 ? room - 13 : 8, out + n, size - (size_t)n);
        return;
    }
    if (c->of.place.not_running || c->of.place.not_known) { /* of barriers and locks: which */
        char at[300] = "";
        if (hsc_cause_is_of_threads(c->of.delay.kind))
            report_line_text(r, c->of.line, at, sizeof at);
        snprintf(out, size, "%s%s%s", c->of.place.not_running ? "not running" : "not known what", at[0] ? ", " : "", at);
        return;
    }
    if (!c->of.scope && !*what) { /* the run itself: no call path */
        snprintf(out, size, "call path not known");
        return;
    }
    if (*what) { /* "sleep in main imb.c:35" */
        char fitted[200];
        if (room < 16) { /* "end of an OpenMP region.. in barr omp.c:15" */
            what = report_fit_prose(what, width - 20 > 12 ? width - 20 : 12, fitted, sizeof fitted);
            room = width - report_columns_of(what) - 4;
        }
        int n = snprintf(out, size, "%s in ", what);
        if (n > 0 && (size_t)n < size)
            report_procedure_text(r, c->of.scope, c->of.line, room > 8 ? room : 8, out + n, size - (size_t)n);
        return;
    }
    report_scope_text(r, c->of.scope, c->of.line, width, out, size);
}

static char *ways_of(const report *r, const report_cause *c, bool late, unsigned most, char *out, size_t size) {
    report_way *ways = malloc(((size_t)c->n + 1) * sizeof *ways);
    out[0] = 0;
    for (uint32_t i = 0; ways && i < c->n; i++)
        ways[i] = (report_way){late ? c->rows[i].delay.context : c->rows[i].context, report_wanted_cause(r, &c->rows[i]) ? c->rows[i].counted_s : 0};
    if (ways)
        report_ways_text(r, ways, c->n, most, out, size);
    free(ways);
    return out;
}

char *report_cause_ways(const report *r, const report_cause *c, unsigned most, char *out, size_t size) {
    out[0] = 0;
    return c->of.waited[0] && !c->of.place.not_running ? ways_of(r, c, false, most, out, size) : out;
}

char *report_cause_late_ways(const report *r, const report_cause *c, unsigned most, char *out, size_t size) {
    out[0] = 0;
    return hsc_cause_is_of_threads(c->of.delay.kind) ? out : ways_of(r, c, true, most, out, size);
}

uint32_t report_cause_loop(const report *r, const hsc_db_cause *c) {
    hsc_db_scope s;
    bool is = !c->place.not_known && !c->place.not_running && c->waited_kind == HSC_NONE && c->scope != HSC_NONE && !hsc_db_get_scope(r->db, c->scope, &s, NULL) &&
              s.kind == HSC_SCOPE_LOOP;
    return is ? c->scope : HSC_NONE;
}

hsc_status report_cause_compiled(report *r, const hsc_db_cause *c, char *out, size_t size, hsc_err *err) {
    uint32_t loop = report_cause_loop(r, c);
    out[0] = 0;
    return loop == HSC_NONE ? HSC_OK : report_compiled_text(r, loop, out, size, err);
}

/* ---- names ---- */

void report_merged_text(const report *r, uint32_t line, char *out, size_t size) {
    enum { NAMED = 8 };
    uint32_t first, n, link, links, told[NAMED], count = 0;
    size_t at = 0;
    out[0] = 0;
    if (line == HSC_NONE || hsc_db_find(r->db, HSC_LIST_MPI_SITES, line, &first, &n, NULL))
        return;
    for (uint32_t i = first; i < first + n; i++) {
        if (hsc_db_find(r->db, HSC_LIST_MPI_LINKS, i, &link, &links, NULL))
            return;
        for (uint32_t end = link + links; link < end; link++) {
            hsc_db_mpi_link l;
            if (hsc_db_get_mpi_link(r->db, link, &l, NULL) || l.kind != HSC_link_kind_MERGED)
                continue;
            uint32_t k = 0;
            while (k < count && told[k] != l.line)
                k++;
            if (k < count)
                continue;
            if (count == NAMED) {
                snprintf(out + at, size - at, " or others");
                return;
            }
            told[count++] = l.line;
            int put = snprintf(out + at, size - at, " or %u", l.line);
            if (put < 0 || (size_t)put >= size - at) {
                out[at] = 0;
                return;
            }
            at += (size_t)put;
        }
    }
}

const char *report_call_text(const report *r, uint32_t line, char *out, size_t size) {
    size_t n = strlen(report_line_text(r, line, out, size));
    if (n)
        report_merged_text(r, line, out + n, size - n);
    return out;
}

/* "solve adi.c:110" */
void report_procedure_text(const report *r, uint32_t scope, uint32_t line, int width, char *out, size_t size) {
    hsc_db_scope p = {.name = "?", .procedure = HSC_NONE};
    char where[300], name[300];
    if (scope != HSC_NONE)
        (void)hsc_db_get_scope(r->db, scope, &p, NULL);
    if (p.procedure != HSC_NONE)
        (void)hsc_db_get_scope(r->db, p.procedure, &p, NULL);
    report_line_text(r, line, where, sizeof where);
    int room = width - report_columns_of(where) - 1;
    report_fit(p.name, room > 8 ? room : 8, name, sizeof name);
    snprintf(out, size, "%s%s%s", name, where[0] ? " " : "", where);
}

/* "loop adi.c:120 in solve", "solve adi.c:110" */
void report_scope_text(const report *r, uint32_t scope, uint32_t line, int width, char *out, size_t size) {
    hsc_db_scope s = {.name = "?", .procedure = HSC_NONE, .file = HSC_NONE}, p;
    char where[300], name[300];
    if (scope != HSC_NONE)
        (void)hsc_db_get_scope(r->db, scope, &s, NULL);
    if (s.kind != HSC_SCOPE_LOOP || !s.line_begin || s.file == HSC_NONE) {
        report_procedure_text(r, scope, line, width, out, size);
        return;
    }
    p = s;
    if (s.procedure != HSC_NONE)
        (void)hsc_db_get_scope(r->db, s.procedure, &p, NULL);
    report_at(r, s.file, s.line_begin, where, sizeof where);
    int room = width - report_columns_of(where) - 9; /* "loop ", " in " */
    snprintf(out, size, "loop %s in %s", where, report_fit(p.name, room > 8 ? room : 8, name, sizeof name));
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

static int by_call(const void *a, const void *b) {
    const report_delayed *x = a, *y = b;
    if (x->v.delay != y->v.delay)
        return x->v.delay < y->v.delay ? -1 : 1;
    if (x->v.thread != y->v.thread)
        return x->v.thread < y->v.thread ? -1 : 1;
    if (x->v.context != y->v.context)
        return x->v.context < y->v.context ? -1 : 1;
    return x->v.line < y->v.line ? -1 : x->v.line > y->v.line;
}

static int longer(const void *a, const void *b) {
    const report_delayed *x = a, *y = b;
    if (x->own != y->own)
        return x->own ? -1 : 1;
    if (x->v.wait_s != y->v.wait_s)
        return x->v.wait_s > y->v.wait_s ? -1 : 1;
    return by_call(a, b);
}

bool report_is_own_delayed(const report *r, const hsc_db_delayed *v, const hsc_db_delay *d) {
    return !hsc_cause_is_of_threads(d->kind) || d->kind == HSC_wait_cause_OMP_BARRIER || report_is_own_path(r, v->context);
}

hsc_status report_delayed_list(report *r, report_delayed **rows, uint32_t *n, hsc_err *err) {
    report_delayed *list = malloc(((size_t)r->info.delayed + 1) * sizeof *list);
    hsc_status s = list ? HSC_OK : no_memory(r, err);
    uint32_t count = 0;
    for (uint32_t i = 0; !s && i < r->info.delayed; i++) {
        report_delayed p;
        if ((s = hsc_db_get_delayed(r->db, i, &p.v, err)) || (s = hsc_db_get_delay(r->db, p.v.delay, &p.d, err)))
            break;
        p.own = report_is_own_delayed(r, &p.v, &p.d);
        p.call = HSC_NONE;
        hsc_db_find_wait_place(r->db, HSC_NONE, &p.v.context, &p.v.line);
        hsc_db_find_wait_place(r->db, HSC_NONE, &p.d.context, &p.d.line);
        if ((p.v.waits || p.v.wait_s > 0) && (report_wanted_place(r, p.v.line, p.v.context) || report_wanted_place(r, p.d.line, p.d.context)))
            list[count++] = p;
    }
    if (s) {
        free(list);
        return s;
    }
    qsort(list, count, sizeof *list, by_call);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) { /* what a call waited for may have been begun in several places */
        report_delayed *of = kept ? &list[kept - 1] : NULL;
        if (!of || by_call(of, &list[i])) {
            list[kept++] = list[i];
            continue;
        }
        of->v.waits += list[i].v.waits;
        of->v.wait_s += list[i].v.wait_s;
        of->v.max_s = fmax(of->v.max_s, list[i].v.max_s);
    }
    count = kept;
    qsort(list, count, sizeof *list, longer);
    *rows = list;
    *n = count;
    return HSC_OK;
}

/* Kind, who waits for whom, and where: what a table shows. */
static int by_place_of_wait(const report *r, const report_delayed *x, const report_delayed *y) {
    const uint64_t p[] = {x->own, x->d.kind, x->d.thread, x->v.thread, report_scope_of(r, x->v.context), x->v.line};
    const uint64_t q[] = {y->own, y->d.kind, y->d.thread, y->v.thread, report_scope_of(r, y->v.context), y->v.line};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static int by_path_of_wait(const void *a, const void *b, void *ctx) {
    const report_delayed *x = a, *y = b;
    int by_place = by_place_of_wait(ctx, x, y);
    return by_place ? by_place : (x->v.context > y->v.context) - (x->v.context < y->v.context);
}

/* The line of a's path, from its end up, of the first call that b's does not have there too. */
static uint32_t told_apart(const report *r, uint32_t a, uint32_t b) {
    hsc_db_context_columns c;
    if (hsc_db_get_context_columns(r->db, &c, NULL))
        return HSC_NONE;
    while (a < r->info.contexts && b < r->info.contexts && a != b) {
        for (; a && c.call_line[a] == HSC_NONE; a = c.parent[a])
            ;
        for (; b && c.call_line[b] == HSC_NONE; b = c.parent[b])
            ;
        if (c.call_line[a] != c.call_line[b])
            return c.call_line[a];
        if (!a || !b)
            break;
        a = c.parent[a];
        b = c.parent[b];
    }
    return HSC_NONE;
}

void report_delayed_by_place(report *r, report_delayed *rows, uint32_t *n) {
    uint32_t kept = 0;
    qsort_r(rows, *n, sizeof *rows, by_path_of_wait, r);
    for (uint32_t i = 0; i < *n; i++) {
        if (!kept || by_path_of_wait(&rows[kept - 1], &rows[i], r)) {
            rows[kept++] = rows[i];
            continue;
        }
        rows[kept - 1].v.waits += rows[i].v.waits;
        rows[kept - 1].v.wait_s += rows[i].v.wait_s;
        rows[kept - 1].v.max_s = fmax(rows[kept - 1].v.max_s, rows[i].v.max_s);
    }
    *n = kept;
    for (uint32_t i = 0; i < kept; i++) { /* those of one place follow each other */
        const report_delayed *other = i && !by_place_of_wait(r, &rows[i - 1], &rows[i])              ? &rows[i - 1]
                                      : i + 1 < kept && !by_place_of_wait(r, &rows[i + 1], &rows[i]) ? &rows[i + 1]
                                                                                                     : NULL;
        rows[i].call = other ? told_apart(r, rows[i].v.context, other->v.context) : HSC_NONE;
    }
    qsort(rows, kept, sizeof *rows, longer);
}

static bool is_same_doing(const hsc_db_cause *a, const hsc_db_cause *b) {
    return a->own && !a->place.not_known && !a->place.not_running && a->scope == b->scope && a->line == b->line && a->waited_kind == b->waited_kind && a->column == b->column;
}

/* The late one waited itself for descriptors that nobody of the program is known to have written to: else the writer would be the cause. */
static bool is_from_outside(const hsc_db_cause *c) { return !c->place.not_running && !c->place.not_known && c->waited_kind == HSC_wait_kind_POLL; }

/* " Then 3.66 s: rank 2 (late at collective halo.c:58), by loop halo.c:23 in hot": what comes in order from row `first` on, down to a tenth of all. */
static void further_causes(const report *r, const report_cause *rows, uint32_t n, uint32_t first, double total, const char *word, char *out, size_t size) {
    size_t at = 0;
    out[0] = 0;
    for (uint32_t i = first; i < n && rows[i].caused_s >= 0.1 * total; i++) {
        const report_cause *c = &rows[i];
        const hsc_db_cause *x = &c->of;
        char who[128], where[800], late[300] = "", ways[400] = "";
        if (!x->own || x->place.not_running || is_from_outside(x))
            continue;
        bool told = x->delay.kind != HSC_wait_cause_OMP_BARRIER && *report_call_text(r, x->delay.line, late, sizeof late);
        report_who(r, c->most_thread, who, sizeof who);
        report_cause_place(r, c, 70, where, sizeof where);
        if (told)
            report_cause_late_ways(r, c, 1, ways, sizeof ways);
        int k = snprintf(out + at, size - at, "%s %s: %s%s (%s%s%s%s%s), %s%s", at ? ";" : word, REPORT_SECONDS(c->caused_s), who, c->threads > 1 ? " most" : "",
                         report_cause_kind(x->delay.kind), told ? " " : "", told ? late : "", ways[0] ? ", most by way of " : "", ways, x->place.not_known ? "by what is not known" : "by ",
                         x->place.not_known ? "" : where);
        if (k < 0 || (size_t)k >= size - at - 1) {
            out[at] = 0;
            break;
        }
        at += (size_t)k;
    }
    if (at)
        memcpy(out + at, ".", 2);
}

/* Of the waiting: what is the machine's, as those who were late had no processor; or what came from outside, as they waited themselves for descriptors that nobody of
 * the program is known to have written to. */
typedef struct crowd {
    double seconds, most_s;
    uint32_t thread; /* of the row with most */
} crowd;

static void add_to_crowd(crowd *to, const report_cause *c) {
    to->seconds += c->caused_s;
    if (c->caused_s > to->most_s) {
        to->most_s = c->caused_s;
        to->thread = c->most_thread;
    }
}

#define FROM_OUTSIDE "waited themselves for descriptors, for what comes from outside the program or until a time was up"
#define OF_MACHINE "is the machine's: those who were late had no processor"
#define OF_NOBODY "nobody of the program caused: those who were late " FROM_OUTSIDE

/* " 0.134 s of it is the machine's: those who were late had no processor (thread 1 most)." */
static void crowd_text(const report *r, const crowd *of, const char *whose, double total, char *out, size_t size) {
    char who[128];
    out[0] = 0;
    if (of->seconds < 0.01 * total || !(of->seconds > 0))
        return;
    report_who(r, of->thread, who, sizeof who);
    snprintf(out, size, " %s of it %s (%s most).", REPORT_SECONDS(of->seconds), whose, who);
}

/* "; 0.5 s with the other kinds of waiting for it": what the same doing caused. */
static void together_text(const report_cause *rows, uint32_t n, uint32_t first, char *out, size_t size) {
    const hsc_db_cause *x = &rows[first].of;
    double same = 0;
    out[0] = 0;
    for (uint32_t i = first; i < n && !x->place.not_known; i++)
        same += is_same_doing(&rows[i].of, x) ? rows[i].caused_s : 0;
    if (same > 1.02 * rows[first].caused_s)
        snprintf(out, size, "; %s with the other kinds of waiting for it", REPORT_SECONDS(same));
}

typedef struct kind_sum { /* of the waits of one kind */
    uint32_t kind;
    uint64_t waits;
    double seconds;
} kind_sum;

static int most_waited(const void *pa, const void *pb) {
    const kind_sum *a = pa, *b = pb;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

#define KINDS 18u
static_assert(HSC_wait_cause_LATE_NEIGHBOUR < KINDS, "all causes have room");

/* "thread barrier 0.703 s in 40 waits, held a lock 0.61 s in 222": what was waited in each kind, but for ends of threads; where it is one kind: what it may be. */
static hsc_status kinds_text(report *r, double total, char *out, size_t size, hsc_err *err) {
    kind_sum sums[KINDS] = {{0}};
    hsc_db_cause *list;
    uint32_t n, last = HSC_NONE;
    size_t at = 0;
    hsc_status s = hsc_db_read_causes(r->db, &list, &n, err);
    if (s)
        return s;
    for (uint32_t i = 0; i < n; i++) { /* places of one delay stand together */
        const hsc_db_delay *d = &list[i].delay;
        if (!list[i].own || list[i].place.delay == last || d->kind >= KINDS || list[i].for_work || !report_wanted_cause(r, &list[i]))
            continue;
        last = list[i].place.delay;
        sums[d->kind].kind = d->kind;
        sums[d->kind].waits += d->waits;
        sums[d->kind].seconds += d->wait_s;
    }
    free(list);
    double rest = total; /* what is laid to these causes was waited there, or handed on to them from waits that are not counted with the program's */
    for (uint32_t i = 0; i < KINDS; i++)
        rest -= sums[i].seconds;
    qsort(sums, KINDS, sizeof *sums, most_waited);
    snprintf(out, size, "for late partners, locks and slower threads");
    for (uint32_t i = 0; i < KINDS && sums[1].seconds >= 0.01 * total && sums[i].seconds >= 0.01 * total && sums[i].seconds > 0; i++) {
        int k = snprintf(out + at, size - at, "%s%s %s in %llu%s", i ? ", " : "", report_cause_kind(sums[i].kind), REPORT_SECONDS(sums[i].seconds),
                         (unsigned long long)sums[i].waits, i ? "" : sums[i].waits == 1 ? " wait" : " waits");
        if (k < 0 || (size_t)k >= size - at)
            break;
        at += (size_t)k;
    }
    at = strlen(out);
    if (rest >= 0.01 * total)
        snprintf(out + at, size - at, ", and %s handed on by threads of libraries, or who waits for others' work, that were waited for", REPORT_SECONDS(rest));
    return HSC_OK;
}

hsc_status report_main_cause(report *r, char *out, size_t size, uint32_t *scope, uint32_t *line, double *seconds, hsc_err *err) {
    report_cause *rows;
    report_elapsed of = {0};
    crowd idle = {.thread = HSC_NONE}, outside = {.thread = HSC_NONE};
    uint32_t n, first = HSC_NONE;
    double total = 0;
    char who[128], most[160] = "", where[800], late[300], together[96], further[2000], crowded[300], external[400], share[900], kinds[700], ways[400] = "";
    out[0] = 0;
    hsc_status s = report_elapsed_of(r, &of, err);
    if (!s)
        s = report_causes(r, &rows, &n, err);
    if (s)
        return s;
    for (uint32_t i = 0; i < n; i++) { /* locks of libraries among their own threads are no matter of the program's */
        if (!rows[i].of.own)
            continue;
        total += rows[i].caused_s;
        if (rows[i].of.place.not_running)
            add_to_crowd(&idle, &rows[i]);
        else if (is_from_outside(&rows[i].of))
            add_to_crowd(&outside, &rows[i]);
        else
            first = first == HSC_NONE ? i : first;
    }
    double least = 0.01 * of.seconds; /* a sentence is worth */
    bool told = total >= least && of.seconds > 0;
    if (told && (s = kinds_text(r, total, kinds, sizeof kinds, err))) {
        free(rows);
        return s;
    }
    if (told)
        snprintf(share, sizeof share, "of %s in all (%s), %.1f %% of the elapsed time of the %u thread%s the program's code", REPORT_SECONDS(total), kinds,
                 100 * total / of.seconds, of.threads, of.threads == 1 ? " that runs" : "s that run");
    *scope = *line = HSC_NONE;
    double own = *seconds = total - idle.seconds - outside.seconds;
    crowd_text(r, &outside, OF_NOBODY, total, external, sizeof external);
    if (told && (first == HSC_NONE || own < least || own < 0.1 * total)) { /* a cause in the program would mislead */
        further[0] = 0;
        if (first != HSC_NONE && own >= least)
            further_causes(r, rows, n, first, own, " Of the program itself", further, sizeof further);
        bool by_machine = idle.seconds >= outside.seconds;
        const crowd *most_of = by_machine ? &idle : &outside;
        report_who(r, most_of->thread, who, sizeof who);
        if (!by_machine)
            crowd_text(r, &idle, OF_MACHINE, total, external, sizeof external);
        snprintf(out, size, "threads wait %s for others that %s, %s most%s; %s.%s%s", REPORT_SECONDS(most_of->seconds), by_machine ? "had no processor meanwhile" : FROM_OUTSIDE, who,
                 by_machine ? ": that is the machine's, with more threads to run than processors" : "", share, external, further);
    } else if (told) {
        const report_cause *c = &rows[first];
        const hsc_db_cause *x = &c->of;
        bool has_call = x->delay.kind != HSC_wait_cause_OMP_BARRIER && *report_call_text(r, x->delay.line, late, sizeof late);
        char compiled[900], runs[1000] = "";
        if ((s = report_cause_compiled(r, x, compiled, sizeof compiled, err))) {
            free(rows);
            return s;
        }
        if (compiled[0])
            snprintf(runs, sizeof runs, " (compiler: %s)", compiled);
        together_text(rows, n, first, together, sizeof together);
        report_who(r, c->most_thread, who, sizeof who);
        report_cause_place(r, c, 90, where, sizeof where);
        if (has_call)
            report_cause_late_ways(r, c, 1, ways, sizeof ways);
        if (c->threads > 1) { /* "3 threads make others wait 1.1 s, thread 1 most (held a lock ..." */
            snprintf(most, sizeof most, ", %s most", who);
            snprintf(who, sizeof who, "%u threads", c->threads);
        }
        further_causes(r, rows, n, first + 1, total, " Then", further, sizeof further);
        crowd_text(r, &idle, OF_MACHINE, total, crowded, sizeof crowded);
        snprintf(out, size, "%s make%s others wait %s%s (%s%s%s%s%s)%s%s%s%s; %s.%s%s%s", who, c->threads > 1 ? "" : "s", REPORT_SECONDS(c->caused_s), most,
                 x->delay.kind == HSC_wait_cause_OMP_BARRIER ? "late at a barrier of threads" : report_cause_kind(x->delay.kind),
                 has_call ? " " : "", has_call ? late : "", ways[0] ? ", most by way of " : "", ways, x->place.not_known ? ", by what is not known" : " by ", x->place.not_known ? "" : where,
                 together, runs, share, further, crowded, external);
        *scope = report_cause_loop(r, x);
        *line = *scope != HSC_NONE ? HSC_NONE : x->place.not_known ? x->delay.line : x->line;
    }
    free(rows);
    return HSC_OK;
}
