/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: who was waited for, what it did meanwhile, and who waited. */
#include "handle.h"

#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/causes.h>
#include <heatscope/formats/records.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))
#define REAL(v) Tcl_NewDoubleObj(v)
#define TEXT(s) hsc_tcl_text(s, strlen(s))

/* What a group of causes has in common. */
enum { BY_PLACE, BY_PROCESSOR, BY_CALL, BY_KIND, BY_COUNT };
static const char *const by_names[] = {"place", "processor", "call", "kind", NULL};

typedef struct cause {
    hsc_db_cause of;
    uint32_t process;
} cause;

typedef struct group {
    cause first, most; /* most: that with most of it, whose place is shown */
    uint32_t rows, threads, last_thread, most_thread, last_delay;
    uint64_t waits;
    double caused_s, direct_s, of_thread, most_s;
} group;

static int compare_u32(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int compare_call(const cause *a, const cause *b) {
    int c = compare_u32(a->of.delay.line, b->of.delay.line);
    return c || a->of.delay.line != HSC_NONE ? c : compare_u32(a->of.delay.context, b->of.delay.context);
}
static int compare_group(int by, const cause *a, const cause *b) {
    int c = 0;
    switch (by) {
    case BY_PROCESSOR: return compare_u32(a->process, b->process);
    case BY_KIND: return compare_u32(a->of.delay.kind, b->of.delay.kind);
    case BY_CALL: return (c = compare_u32(a->of.delay.kind, b->of.delay.kind)) ? c : compare_call(a, b);
    default: return hsc_db_compare_causes(&a->of, &b->of);
    }
}

static _Thread_local int sorting; /* grouping of the sort that runs */
static int by_group(const void *a, const void *b) {
    const cause *x = a, *y = b;
    int c = compare_group(sorting, x, y);
    if (!c)
        c = compare_u32(x->of.delay.thread, y->of.delay.thread);
    return c ? c : compare_u32(x->of.row, y->of.row);
}
static int heaviest(const void *a, const void *b) {
    const group *x = a, *y = b;
    if (x->caused_s != y->caused_s)
        return x->caused_s > y->caused_s ? -1 : 1;
    return compare_u32(x->first.of.row, y->first.of.row);
}

static uint32_t scope_of(hsc_handle *h, uint32_t context) {
    hsc_db_context c;
    return context == HSC_NONE || hsc_db_get_context(h->db, context, &c, NULL) ? HSC_NONE : c.scope;
}

/* All causes, in an interval those in it, in the order of their rows: list[i].of.row is not i then. Where they are not told by place, those of locks that
 * libraries hold among their own threads are left out, as the report's sums leave them out. So are joins, and waits for a signal of threads with hardly any
 * work of their own: who waits so waits for the other's work, of which only what others waited for who waits is caused; *joined: seconds of them; for_work, by
 * delay: it is such, NULL: not asked. */
static hsc_status load(hsc_handle *h, int by, cause **out, uint32_t *count, double *joined, bool *for_work, hsc_err *err) {
    hsc_db_cause *causes = NULL;
    uint32_t n = 0;
    hsc_status s = hsc_db_read_causes(h->db, &causes, &n, err);
    cause *list = s == HSC_OK ? malloc(((size_t)n + 1) * sizeof *list) : NULL;
    if (s == HSC_OK && !list)
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for %u causes of waiting", n);
    uint32_t kept = 0;
    *joined = 0;
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_delay_place *p = &causes[i].place;
        hsc_db_thread t;
        if (by != BY_PLACE && !causes[i].own)
            continue;
        if (causes[i].for_work) {
            if (for_work)
                for_work[p->delay] = true;
            *joined += causes[i].own ? p->caused_s - causes[i].counted_s : 0;
            p->caused_s = causes[i].counted_s;
            p->direct_s = 0;
            if (!(p->caused_s > 1e-9))
                continue;
        }
        list[kept].of = causes[i];
        if ((s = hsc_db_get_thread(h->db, causes[i].delay.thread, &t, err)) == HSC_OK)
            list[kept++].process = t.process;
    }
    free(causes);
    if (s != HSC_OK)
        free(list);
    else
        *out = list, *count = kept;
    return s;
}

/* prefix "" or "late_" */
static void put_line(hsc_handle *h, Tcl_Obj *d, const char *prefix, uint32_t line) {
    hsc_db_line l = {.file = HSC_NONE, .scope = HSC_NONE};
    char key[32];
    if (line != HSC_NONE)
        (void)hsc_db_get_line(h->db, line, &l, NULL);
    snprintf(key, sizeof key, "%sfile", prefix);
    PUT(d, key, hsc_tcl_index(l.file));
    snprintf(key, sizeof key, "%sline", prefix);
    PUT(d, key, WIDE(l.line));
    snprintf(key, sizeof key, "%sfilename", prefix);
    PUT(d, key, hsc_data_filename(h, l.file));
    snprintf(key, sizeof key, "%salso", prefix);
    PUT(d, key, hsc_data_merged(h, line));
}

/* Where the cause is shown, as the report has it. */
static void put_shown(hsc_handle *h, Tcl_Obj *d, const hsc_db_cause *c) {
    PUT(d, "file", hsc_tcl_index(c->file));
    PUT(d, "line", WIDE(c->file_line));
    PUT(d, "filename", hsc_data_filename(h, c->file));
    PUT(d, "also", Tcl_NewObj());
}

static void put_procedure(hsc_handle *h, Tcl_Obj *d, const char *key, uint32_t scope) {
    hsc_db_scope s = {.name = "", .procedure = HSC_NONE};
    if (scope != HSC_NONE && hsc_db_get_scope(h->db, scope, &s, NULL) == HSC_OK && s.procedure != HSC_NONE)
        (void)hsc_db_get_scope(h->db, s.procedure, &s, NULL);
    PUT(d, key, TEXT(s.name));
}

/* "write", "write (column 42)" where there are several on the line, each a cause of its own. */
static Tcl_Obj *waited_in(const hsc_db_cause *c) {
    return c->waited[0] && c->column ? Tcl_ObjPrintf("%s (column %u)", c->waited, c->column) : TEXT(c->waited);
}

static Tcl_Obj *group_dict(hsc_handle *h, const group *g, int by, double total, const double *waited) {
    const hsc_db_cause *c = &g->first.of, *shown = &g->most.of;
    bool place = by == BY_PLACE, call = place || by == BY_CALL;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "group", WIDE(c->row));
    PUT(d, "kind", call || by == BY_KIND ? TEXT(c->delay.kind_text) : Tcl_NewObj());
    PUT(d, "process", hsc_tcl_index(by == BY_PROCESSOR ? g->first.process : HSC_NONE));
    PUT(d, "context", hsc_tcl_index(place ? shown->context : call ? c->delay.context : HSC_NONE));
    PUT(d, "scope", hsc_tcl_index(place ? c->scope : call ? scope_of(h, c->delay.context) : HSC_NONE));
    put_procedure(h, d, "procedure", place ? c->scope : call ? scope_of(h, c->delay.context) : HSC_NONE);
    if (place)
        put_shown(h, d, shown);
    else
        put_line(h, d, "", call ? c->delay.line : HSC_NONE);
    put_line(h, d, "late_", call ? c->delay.line : HSC_NONE);
    put_procedure(h, d, "late_procedure", call ? scope_of(h, c->delay.context) : HSC_NONE);
    PUT(d, "is_call", WIDE(place && c->place.not_known));
    PUT(d, "not_running", WIDE(place && c->place.not_running));
    PUT(d, "waited_in", place ? waited_in(c) : Tcl_NewObj());
    PUT(d, "called", WIDE(place && c->waited_kind == HSC_wait_kind_NONE));
    PUT(d, "own", WIDE(!place || c->own));
    PUT(d, "idle", WIDE(place && !c->own && c->delay.kind == HSC_wait_cause_SIGNAL)); /* as the report has it */
    PUT(d, "waits", WIDE(g->waits));
    PUT(d, "caused_s", REAL(g->caused_s));
    PUT(d, "direct_s", REAL(g->direct_s));
    PUT(d, "share", REAL(total > 0 && (!place || c->own) ? g->caused_s / total : 0)); /* what is in no sum has none */
    PUT(d, "waited_s", by == BY_PROCESSOR && waited ? REAL(waited[g->first.process]) : Tcl_NewObj());
    PUT(d, "threads", WIDE(g->threads));
    PUT(d, "most_thread", hsc_tcl_index(g->most_thread));
    PUT(d, "most_s", REAL(g->most_s));
    return d;
}

static void add(group *g, const cause *c) {
    if (!g->threads || c->of.place.caused_s > g->most.of.place.caused_s)
        g->most = *c;
    if (!g->threads || g->last_thread != c->of.delay.thread) {
        g->threads++;
        g->last_thread = c->of.delay.thread;
        g->of_thread = 0;
    }
    if (!g->rows++ || g->last_delay != c->of.place.delay) /* places of one delay stand together in the table */
        g->waits += c->of.delay.waits;
    g->last_delay = c->of.place.delay;
    g->caused_s += c->of.place.caused_s;
    g->direct_s += c->of.place.direct_s;
    g->of_thread += c->of.place.caused_s;
    if (g->of_thread > g->most_s) {
        g->most_s = g->of_thread;
        g->most_thread = c->of.delay.thread;
    }
}

/* Seconds that each process waited. */
static hsc_status read_waited(hsc_handle *h, double **out, hsc_err *err) {
    double *sum = calloc((size_t)h->info.processes + 1, sizeof *sum);
    hsc_status s = sum ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u processes", h->info.processes);
    for (uint32_t i = 0; s == HSC_OK && i < h->info.delayed; i++) {
        hsc_db_delayed v;
        hsc_db_thread t;
        if ((s = hsc_db_get_delayed(h->db, i, &v, err)) == HSC_OK && (s = hsc_db_get_thread(h->db, v.thread, &t, err)) == HSC_OK)
            sum[t.process] += v.wait_s;
    }
    if (s != HSC_OK)
        free(sum);
    else
        *out = sum;
    return s;
}

static int causes(hsc_handle *h, Tcl_Interp *interp, int by, uint32_t limit) {
    hsc_err err = {0};
    cause *list = NULL;
    double *waited = NULL, total = 0, joined;
    uint32_t n = 0, count = 0;
    if (load(h, by, &list, &n, &joined, NULL, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    group *groups = calloc((size_t)n + 1, sizeof *groups);
    if (!groups)
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u causes of waiting", n);
    if (!groups || read_waited(h, &waited, &err) != HSC_OK) {
        free(groups);
        free(list);
        return hsc_tcl_error(interp, &err);
    }
    sorting = by;
    qsort(list, n, sizeof *list, by_group);
    for (uint32_t i = 0; i < n; i++) {
        if (!i || compare_group(by, &list[i - 1], &list[i]))
            groups[count++].first = list[i];
        add(&groups[count - 1], &list[i]);
        total += list[i].of.own ? list[i].of.place.caused_s : 0;
    }
    qsort(groups, count, sizeof *groups, heaviest);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < count && i < limit; i++)
        Tcl_ListObjAppendElement(NULL, out, group_dict(h, &groups[i], by, total, waited));
    free(waited);
    free(groups);
    free(list);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

/* joined: seconds in which threads waited for others' work, which are in no cause. */
static int joined_command(hsc_handle *h, Tcl_Interp *interp) {
    hsc_err err = {0};
    cause *list = NULL;
    uint32_t n;
    double joined;
    if (load(h, BY_KIND, &list, &n, &joined, NULL, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    free(list);
    Tcl_SetObjResult(interp, REAL(joined));
    return TCL_OK;
}

/* ---- who waited ---- */

typedef struct sufferer {
    hsc_db_delayed v;
    double waited_s; /* for the chosen causes */
    double all_s;    /* of those waits, whatever their causes */
} sufferer;

static int by_call_line(const void *a, const void *b) {
    const sufferer *x = a, *y = b;
    int c = compare_u32(x->v.line, y->v.line);
    return c || x->v.line != HSC_NONE ? c : compare_u32(x->v.context, y->v.context);
}
static int longest(const void *a, const void *b) {
    const sufferer *x = a, *y = b;
    return x->waited_s != y->waited_s ? (x->waited_s > y->waited_s ? -1 : 1) : by_call_line(a, b);
}

static Tcl_Obj *put_amounts(const double *amounts, uint32_t n) {
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n && i < 65536; i++)
        Tcl_ListObjAppendElement(NULL, list, REAL(amounts[i]));
    return list;
}

/* What each process, thread and call waited directly for the causes that are in one group with row `of` (all of them: none). */
static int sufferers(hsc_handle *h, Tcl_Interp *interp, int by, uint32_t of, uint32_t limit) {
    hsc_err err = {0};
    cause *list = NULL;
    uint32_t n = 0, count = 0, kept = 0;
    double from, to, joined;
    bool *for_work = calloc((size_t)h->info.delays + 1, sizeof *for_work);
    hsc_status s = load(h, of == HSC_NONE ? BY_PLACE : by, &list, &n, &joined, for_work, &err);
    bool part_of_run = hsc_db_get_interval(h->db, &from, &to);
    const cause *chosen = NULL; /* none: its row has nothing in the interval */
    for (uint32_t i = 0; i < n; i++)
        if (list[i].of.row == of)
            chosen = &list[i];
    double *part = calloc((size_t)h->info.delays + 1, sizeof *part), *sum = calloc((size_t)h->info.processes + 1, sizeof *sum);
    double *of_thread = calloc((size_t)h->info.threads + 1, sizeof *of_thread);
    sufferer *who = malloc(((size_t)h->info.delayed + 1) * sizeof *who);
    bool *foreign = calloc((size_t)h->info.delays + 1, sizeof *foreign); /* a library's lock among its own threads */
    if (s == HSC_OK && (!part || !sum || !of_thread || !who || !foreign || !for_work))
        s = hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u waits", h->info.delayed);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++)
        foreign[list[i].of.place.delay] = of == HSC_NONE && !list[i].of.own;
    for (uint32_t i = 0; s == HSC_OK && chosen && i < n; i++)
        if (!compare_group(by, chosen, &list[i]))
            part[list[i].of.place.delay] += list[i].of.place.direct_s;
    for (uint32_t i = 0; s == HSC_OK && i < h->info.delayed; i++) {
        hsc_db_delayed v;
        hsc_db_delay d;
        hsc_db_thread t;
        if ((s = hsc_db_get_delayed(h->db, i, &v, &err)) != HSC_OK || (s = hsc_db_get_delay(h->db, v.delay, &d, &err)) != HSC_OK ||
            (s = hsc_db_get_thread(h->db, v.thread, &t, &err)) != HSC_OK)
            break;
        hsc_db_find_wait_place(h->db, d.kind == HSC_wait_cause_OMP_BARRIER ? HSC_wait_kind_OMP_BARRIER : HSC_NONE, &v.context, &v.line);
        double share = of == HSC_NONE ? d.kind != HSC_wait_cause_THREAD_END && !for_work[v.delay] : d.wait_s > 0 ? part[v.delay] / d.wait_s : 0;
        if (!(share > 0) || foreign[v.delay] || (part_of_run && !v.waits && !(v.wait_s > 0)))
            continue;
        who[count++] = (sufferer){v, v.wait_s * (share > 1 ? 1 : share), v.wait_s};
        sum[t.process] += who[count - 1].waited_s;
        of_thread[v.thread] += who[count - 1].waited_s;
    }
    if (s != HSC_OK) {
        free(who);
        free(foreign);
        free(for_work);
        free(of_thread);
        free(sum);
        free(part);
        free(list);
        return hsc_tcl_error(interp, &err);
    }
    qsort(who, count, sizeof *who, by_call_line);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && !by_call_line(&who[kept - 1], &who[i])) {
            who[kept - 1].waited_s += who[i].waited_s;
            who[kept - 1].all_s += who[i].all_s;
            who[kept - 1].v.waits += who[i].v.waits;
            if (who[i].v.max_s > who[kept - 1].v.max_s)
                who[kept - 1].v.max_s = who[i].v.max_s;
        } else {
            who[kept++] = who[i];
        }
    }
    qsort(who, kept, sizeof *who, longest);
    Tcl_Obj *processes = put_amounts(sum, h->info.processes), *threads = put_amounts(of_thread, h->info.threads);
    Tcl_Obj *calls = Tcl_NewListObj(0, NULL), *d = Tcl_NewDictObj();
    for (uint32_t i = 0; i < kept && i < limit; i++) {
        Tcl_Obj *c = Tcl_NewDictObj();
        PUT(c, "context", hsc_tcl_index(who[i].v.context));
        PUT(c, "scope", hsc_tcl_index(scope_of(h, who[i].v.context)));
        put_procedure(h, c, "procedure", scope_of(h, who[i].v.context));
        put_line(h, c, "", who[i].v.line);
        PUT(c, "waited_s", REAL(who[i].waited_s));
        PUT(c, "all_s", REAL(who[i].all_s));
        PUT(c, "waits", WIDE(who[i].v.waits));
        PUT(c, "max_s", REAL(who[i].v.max_s));
        Tcl_ListObjAppendElement(NULL, calls, c);
    }
    PUT(d, "processes", processes);
    PUT(d, "threads", threads);
    PUT(d, "calls", calls);
    free(who);
    free(foreign);
    free(for_work);
    free(of_thread);
    free(sum);
    free(part);
    free(list);
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

static int get_by(Tcl_Interp *interp, Tcl_Obj *obj, int *by) {
    if (Tcl_GetIndexFromObj(interp, obj, by_names, "grouping", TCL_EXACT, by) == TCL_OK)
        return TCL_OK;
    Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
    return TCL_ERROR;
}

int hsc_data_causes(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    int by;
    uint32_t row = HSC_NONE;
    if (!strcmp(name, "causes")) {
        if (objc < 1)
            return hsc_tcl_usage(interp, "causes place|processor|call|kind ?-n N?");
        if (get_by(interp, objv[0], &by) != TCL_OK ||
            hsc_data_parse(h, interp, objc - 1, objv + 1, HSC_ARG_N, 0, 1000, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return causes(h, interp, by, a.limit);
    }
    if (!strcmp(name, "sufferers")) {
        if (objc < 2)
            return hsc_tcl_usage(interp, "sufferers place|processor|call|kind ROW|all ?-n N?");
        if (get_by(interp, objv[0], &by) != TCL_OK ||
            (strcmp(Tcl_GetString(objv[1]), "all") &&
             hsc_tcl_get_index(interp, objv[1], "row", h->info.delay_places, &row) != TCL_OK) ||
            hsc_data_parse(h, interp, objc - 2, objv + 2, HSC_ARG_N, 0, 100, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return sufferers(h, interp, by, row, a.limit);
    }
    if (!strcmp(name, "joined"))
        return objc ? hsc_tcl_usage(interp, "joined") : joined_command(h, interp);
    return TCL_CONTINUE;
}
