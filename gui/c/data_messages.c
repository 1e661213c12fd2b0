/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: calls of a message-passing library, added up in groups; waits outside of it. */
#include "handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))
#define REAL(v) Tcl_NewDoubleObj(v)
#define TEXT(s) hsc_tcl_text(s, strlen(s))

/* What a group has in common. */
enum { BY_CALL, BY_OPERATION, BY_PARTNER, BY_SIZE, BY_PROCESS, BY_ALL, BY_COUNT };
static const char *const by_names[] = {"call", "operation", "partner", "size", "process", "all", NULL};

_Static_assert(BY_COUNT == sizeof((hsc_handle *)0)->message_order / sizeof(uint32_t *), "groupings of the handle");

typedef struct message {
    hsc_db_message m;
    uint32_t row, process;
} message;

typedef struct group {
    message first;
    hsc_db_message sum;
    uint64_t sized;    /* of the calls: those that sum.size_... are of. One to MPI_PROC_NULL moves nothing */
    double size_bytes; /* of these, added up: what each sent, or else received */
    uint32_t threads, last_thread, longest_thread;
    double of_thread, longest_s;
} group;

static int compare_u32(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int by_call(const void *a, const void *b) {
    const message *x = a, *y = b;
    int c = compare_u32(x->m.line, y->m.line);
    if (!c && x->m.line == HSC_NONE)
        c = compare_u32(x->m.context, y->m.context);
    return c ? c : strcmp(x->m.operation, y->m.operation);
}
static int by_operation(const void *a, const void *b) {
    return strcmp(((const message *)a)->m.operation, ((const message *)b)->m.operation);
}
static int by_partner(const void *a, const void *b) {
    return strcmp(((const message *)a)->m.peer, ((const message *)b)->m.peer);
}
static int by_size(const void *a, const void *b) {
    return compare_u32(((const message *)a)->m.size_class, ((const message *)b)->m.size_class);
}
static int by_process(const void *a, const void *b) {
    return compare_u32(((const message *)a)->process, ((const message *)b)->process);
}
static int by_all(const void *a, const void *b) {
    (void)a;
    (void)b;
    return 0;
}
typedef int (*order)(const void *, const void *);
static const order orders[BY_COUNT] = {by_call, by_operation, by_partner, by_size, by_process, by_all};

static _Thread_local order sorting; /* of the sort that runs */
static int by_group(const void *a, const void *b) {
    const message *x = a, *y = b;
    int c = sorting(a, b);
    if (!c)
        c = compare_u32(x->m.thread, y->m.thread);
    return c ? c : compare_u32(x->row, y->row);
}

static int longest_first(const void *a, const void *b) {
    const group *x = a, *y = b;
    if (x->sum.duration_s != y->sum.duration_s)
        return x->sum.duration_s > y->sum.duration_s ? -1 : 1;
    return compare_u32(x->first.row, y->first.row);
}

/* Calls of a row that have a size: where the destination is MPI_PROC_NULL those that received something. */
static uint64_t sized_calls(const hsc_db_message *m) {
    const char *nobody = hsc_enum_text("peer_class", HSC_peer_class_NOBODY);
    return nobody && !strcmp(m->peer, nobody) ? m->received : m->calls;
}

static void add(group *g, const message *x) {
    hsc_db_message *s = &g->sum;
    const hsc_db_message *m = &x->m;
    if (!m->calls && !m->completions) /* nothing in the interval */
        return;
    uint64_t sized = sized_calls(m);
    if (sized)
        s->size_min = !g->sized || m->size_min < s->size_min ? m->size_min : s->size_min;
    g->sized += sized;
    g->size_bytes += (double)(m->sent_bytes ? m->sent_bytes : m->received_bytes);
    if (m->calls)
        s->duration_min_s = !s->calls || m->duration_min_s < s->duration_min_s ? m->duration_min_s : s->duration_min_s;
    s->calls += m->calls;
    s->sent += m->sent;
    s->sent_bytes += m->sent_bytes;
    s->received += m->received;
    s->received_bytes += m->received_bytes;
    s->size_max = m->size_max > s->size_max ? m->size_max : s->size_max;
    s->size_squares += m->size_squares;
    s->duration_s += m->duration_s;
    s->duration_max_s = m->duration_max_s > s->duration_max_s ? m->duration_max_s : s->duration_max_s;
    s->duration_squares += m->duration_squares;
    s->completions += m->completions;
    s->in_flight_s += m->in_flight_s;
    s->completion_s += m->completion_s;
    if (!g->threads || g->last_thread != m->thread) {
        g->threads++;
        g->last_thread = m->thread;
        g->of_thread = 0;
    }
    g->of_thread += m->duration_s;
    if (g->of_thread > g->longest_s) {
        g->longest_s = g->of_thread;
        g->longest_thread = m->thread;
    }
}

/* All rows of the table, and the processes they are of. */
static hsc_status load(hsc_handle *h, message **out, hsc_err *err) {
    uint32_t n = h->info.messages;
    message *list = malloc(((size_t)n + 1) * sizeof *list);
    hsc_status s = list ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u rows of messages", n);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_thread t;
        if ((s = hsc_db_get_message(h->db, i, &list[i].m, err)) == HSC_OK &&
            (s = hsc_db_get_thread(h->db, list[i].m.thread, &t, err)) == HSC_OK) {
            list[i].row = i;
            list[i].process = t.process;
        }
    }
    if (s != HSC_OK)
        free(list);
    else
        *out = list;
    return s;
}

Tcl_Obj *hsc_data_merged(hsc_handle *h, uint32_t line) {
    uint32_t first, sites, link, links, before = 0;
    Tcl_Obj *out = Tcl_NewObj();
    if (line == HSC_NONE || hsc_db_find(h->db, HSC_LIST_MPI_SITES, line, &first, &sites, NULL))
        return out;
    for (uint32_t i = first; i < first + sites && !hsc_db_find(h->db, HSC_LIST_MPI_LINKS, i, &link, &links, NULL); i++)
        for (uint32_t end = link + links; link < end; link++) {
            hsc_db_mpi_link l;
            if (hsc_db_get_mpi_link(h->db, link, &l, NULL) || l.kind != HSC_link_kind_MERGED || l.line == before)
                continue;
            before = l.line;
            Tcl_AppendPrintfToObj(out, "%sor %u", Tcl_GetString(out)[0] ? " " : "", l.line);
        }
    return out;
}

static void put_place(hsc_handle *h, Tcl_Obj *d, uint32_t line, uint32_t context) {
    hsc_db_line l = {.file = HSC_NONE, .scope = HSC_NONE};
    hsc_db_context c = {.scope = HSC_NONE};
    hsc_db_scope s = {.name = "", .procedure = HSC_NONE};
    if (line != HSC_NONE)
        (void)hsc_db_get_line(h->db, line, &l, NULL);
    if (context != HSC_NONE)
        (void)hsc_db_get_context(h->db, context, &c, NULL);
    if (c.scope != HSC_NONE && hsc_db_get_scope(h->db, c.scope, &s, NULL) == HSC_OK && s.procedure != HSC_NONE)
        (void)hsc_db_get_scope(h->db, s.procedure, &s, NULL);
    PUT(d, "context", hsc_tcl_index(context));
    PUT(d, "scope", hsc_tcl_index(c.scope));
    PUT(d, "procedure", TEXT(s.name));
    PUT(d, "file", hsc_tcl_index(l.file));
    PUT(d, "line", WIDE(l.line));
    PUT(d, "filename", hsc_data_filename(h, l.file));
    PUT(d, "also", hsc_data_merged(h, line));
}

static double mean(double sum, double n) {
    return n > 0 ? sum / n : 0;
}
static double deviation(double squares, double sum, double n) {
    return n > 0 ? hsc_db_stddev(squares, sum, n) : 0;
}

static Tcl_Obj *group_dict(hsc_handle *h, const group *g, int by, double total) {
    const hsc_db_message *s = &g->sum, *m = &g->first.m;
    double calls = (double)s->calls, sized = (double)g->sized;
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "group", WIDE(g->first.row));
    PUT(d, "operation", by == BY_CALL || by == BY_OPERATION ? TEXT(m->operation) : Tcl_NewObj());
    PUT(d, "partner", by == BY_PARTNER ? TEXT(m->peer) : Tcl_NewObj());
    PUT(d, "size_class", by == BY_SIZE ? WIDE(m->size_class) : WIDE(-1));
    PUT(d, "process", by == BY_PROCESS ? WIDE(g->first.process) : WIDE(-1));
    put_place(h, d, by == BY_CALL ? m->line : HSC_NONE, by == BY_CALL ? m->context : HSC_NONE);
    PUT(d, "calls", WIDE(s->calls));
    PUT(d, "sent", WIDE(s->sent));
    PUT(d, "sent_bytes", WIDE(s->sent_bytes));
    PUT(d, "received", WIDE(s->received));
    PUT(d, "received_bytes", WIDE(s->received_bytes));
    PUT(d, "size_min", WIDE(s->size_min));
    PUT(d, "size_mean", REAL(mean(g->size_bytes, sized)));
    PUT(d, "size_stddev", REAL(deviation(s->size_squares, g->size_bytes, sized)));
    PUT(d, "size_max", WIDE(s->size_max));
    PUT(d, "duration_s", REAL(s->duration_s));
    PUT(d, "share", REAL(total > 0 ? s->duration_s / total : 0));
    PUT(d, "duration_min_s", REAL(s->duration_min_s));
    PUT(d, "duration_mean_s", REAL(mean(s->duration_s, calls)));
    PUT(d, "duration_stddev_s", REAL(deviation(s->duration_squares, s->duration_s, calls)));
    PUT(d, "duration_max_s", REAL(s->duration_max_s));
    PUT(d, "completions", WIDE(s->completions));
    PUT(d, "in_flight_s", REAL(s->in_flight_s));
    PUT(d, "completion_s", REAL(s->completion_s));
    PUT(d, "threads", WIDE(g->threads));
    PUT(d, "longest_thread", hsc_tcl_index(g->threads ? g->longest_thread : HSC_NONE));
    PUT(d, "longest_s", REAL(g->longest_s));
    return d;
}

/* Remembers the rows group by group, so that later questions read one group alone. Without memory: nothing is remembered. */
static void keep_order(hsc_handle *h, int by, const message *rows, uint32_t n) {
    uint32_t *in_order = malloc(((size_t)n + 1) * sizeof *in_order), *group_of = malloc(((size_t)n + 2) * sizeof *group_of), groups = 0;
    if (h->message_order[by] || !in_order || !group_of) {
        free(in_order);
        free(group_of);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        in_order[i] = rows[i].row;
        if (!i || orders[by](&rows[i - 1], &rows[i]))
            group_of[groups++] = i;
    }
    group_of[groups] = n;
    h->message_order[by] = in_order;
    h->message_group[by] = group_of;
    h->message_groups[by] = groups;
}

static int messages(hsc_handle *h, Tcl_Interp *interp, int by, uint32_t limit) {
    hsc_err err = {0};
    message *rows = NULL;
    uint32_t n = h->info.messages, count = 0;
    if (load(h, &rows, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    group *groups = calloc((size_t)n + 1, sizeof *groups);
    if (!groups) {
        free(rows);
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u groups of messages", n);
        return hsc_tcl_error(interp, &err);
    }
    double total = 0;
    sorting = orders[by];
    qsort(rows, n, sizeof *rows, by_group);
    keep_order(h, by, rows, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!i || sorting(&rows[i - 1], &rows[i]))
            groups[count++].first = rows[i];
        add(&groups[count - 1], &rows[i]);
        total += rows[i].m.duration_s;
    }
    qsort(groups, count, sizeof *groups, longest_first);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0, put = 0; i < count && put < limit; i++) {
        if (!groups[i].sum.calls && !groups[i].sum.completions) /* nothing in the interval */
            continue;
        Tcl_ListObjAppendElement(NULL, list, group_dict(h, &groups[i], by, total));
        put++;
    }
    free(groups);
    free(rows);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* Sum of the histograms of the rows that are in one group with row `of`: list of {FROM TO COUNT}. Costs the rows of the group. */
static int histogram(hsc_handle *h, Tcl_Interp *interp, hsc_db_histogram which, int by, uint32_t of) {
    hsc_err err = {0};
    uint64_t sum[HSC_BUCKETS] = {0}, one[HSC_BUCKETS];
    hsc_status s = HSC_OK;
    if (!h->message_order[by]) {
        message *rows = NULL;
        if ((s = load(h, &rows, &err)) == HSC_OK) {
            sorting = orders[by];
            qsort(rows, h->info.messages, sizeof *rows, by_group);
            keep_order(h, by, rows, h->info.messages);
            free(rows);
            if (!h->message_order[by])
                s = hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u rows of messages", h->info.messages);
        }
    }
    uint32_t at = 0, end = 0; /* the group that begins with the row: `messages` names groups so; else the one that has it */
    for (uint32_t g = 0; s == HSC_OK && g < h->message_groups[by] && end == 0; g++)
        if (h->message_order[by][h->message_group[by][g]] == of) {
            at = h->message_group[by][g];
            end = h->message_group[by][g + 1];
        }
    for (uint32_t g = 0; s == HSC_OK && g < h->message_groups[by] && end == 0; g++)
        for (uint32_t i = h->message_group[by][g]; i < h->message_group[by][g + 1] && end == 0; i++)
            if (h->message_order[by][i] == of) {
                at = h->message_group[by][g];
                end = h->message_group[by][g + 1];
            }
    for (; s == HSC_OK && at < end; at++) {
        s = hsc_db_read_histogram(h->db, which, h->message_order[by][at], one, &err);
        for (int b = 0; s == HSC_OK && b < HSC_BUCKETS; b++)
            sum[b] += one[b];
    }
    if (s != HSC_OK)
        return hsc_tcl_error(interp, &err);
    int first = HSC_BUCKETS, last = -1;
    for (int b = 0; b < HSC_BUCKETS; b++)
        if (sum[b]) {
            first = first < b ? first : b;
            last = b;
        }
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (int b = first; b <= last; b++) {
        Tcl_Obj *bucket[3] = {REAL(b ? ldexp(1, b - 1) : 0), REAL(b ? ldexp(1, b) : 0), WIDE(sum[b])};
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewListObj(3, bucket));
    }
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

/* Processes by classes of partners: what each sent. {classes LIST rows {PROCESS {BYTES ...}}} */
static int matrix(hsc_handle *h, Tcl_Interp *interp) {
    hsc_err err = {0};
    message *rows = NULL;
    uint32_t n = h->info.messages, classes = 0, processes = h->info.processes;
    const char *names[64];
    if (load(h, &rows, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    double *bytes = calloc((size_t)processes * 64 + 1, sizeof *bytes);
    if (!bytes) {
        free(rows);
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u processes", processes);
        return hsc_tcl_error(interp, &err);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < classes && strcmp(names[k], rows[i].m.peer))
            k++;
        if (k == 64)
            continue;
        if (k == classes)
            names[classes++] = rows[i].m.peer;
        bytes[(size_t)rows[i].process * 64 + k] += (double)rows[i].m.sent_bytes;
    }
    Tcl_Obj *d = Tcl_NewDictObj(), *list = Tcl_NewListObj(0, NULL), *lines = Tcl_NewListObj(0, NULL);
    for (uint32_t k = 0; k < classes; k++)
        Tcl_ListObjAppendElement(NULL, list, TEXT(names[k]));
    for (uint32_t p = 0; p < processes && p < 4096; p++) {
        Tcl_Obj *line = Tcl_NewListObj(0, NULL);
        for (uint32_t k = 0; k < classes; k++)
            Tcl_ListObjAppendElement(NULL, line, REAL(bytes[(size_t)p * 64 + k]));
        Tcl_ListObjAppendElement(NULL, lines, line);
    }
    PUT(d, "classes", list);
    PUT(d, "rows", lines);
    free(bytes);
    free(rows);
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

static bool is_longer(const hsc_db_wait *a, uint32_t a_row, const hsc_db_wait *b, uint32_t b_row) {
    return a->total_s != b->total_s ? a->total_s > b->total_s : a_row < b_row;
}

typedef struct kept_wait {
    hsc_db_wait w;
    uint32_t row;
} kept_wait;

/* A heap with the shortest at its top: moves list[at] down to its place. */
static void sift_wait(kept_wait *list, uint32_t n, uint32_t at) {
    for (uint32_t k; (k = 2 * at + 1) < n; at = k) {
        if (k + 1 < n && is_longer(&list[k].w, list[k].row, &list[k + 1].w, list[k + 1].row))
            k++;
        if (!is_longer(&list[at].w, list[at].row, &list[k].w, list[k].row))
            return;
        kept_wait swap = list[at];
        list[at] = list[k];
        list[k] = swap;
    }
}

static int longer_wait(const void *a, const void *b) {
    const kept_wait *x = a, *y = b;
    return is_longer(&x->w, x->row, &y->w, y->row) ? -1 : 1;
}

/* The `limit` longest, in order. */
static hsc_status longest_waits(hsc_handle *h, uint32_t limit, kept_wait **out, uint32_t *n, hsc_err *err) {
    limit = limit < h->info.waits ? limit : h->info.waits;
    kept_wait *list = malloc(((size_t)limit + 1) * sizeof *list), x;
    uint32_t kept = 0;
    hsc_status s = list ? HSC_OK : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u waits", limit);
    for (x.row = 0; !s && limit && x.row < h->info.waits; x.row++) {
        if ((s = hsc_db_get_wait(h->db, x.row, &x.w, err)) || (!x.w.waits && !(x.w.total_s > 0) && !x.w.bytes))
            continue;
        if (kept < limit) {
            list[kept++] = x;
            for (uint32_t i = kept == limit ? kept / 2 : 0; i > 0; i--)
                sift_wait(list, kept, i - 1);
        } else if (is_longer(&x.w, x.row, &list[0].w, list[0].row)) {
            list[0] = x;
            sift_wait(list, kept, 0);
        }
    }
    if (s) {
        free(list);
        return s;
    }
    qsort(list, kept, sizeof *list, longer_wait);
    *out = list;
    *n = kept;
    return HSC_OK;
}

static int waits(hsc_handle *h, Tcl_Interp *interp, uint32_t limit) {
    hsc_err err = {0};
    kept_wait *rows;
    uint32_t n;
    if (longest_waits(h, limit, &rows, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n; i++) {
        hsc_db_wait w = rows[i].w;
        uint32_t held_line = HSC_NONE;
        hsc_db_find_wait_place(h->db, w.kind, &w.context, &w.line);
        hsc_db_find_wait_place(h->db, HSC_NONE, &w.holder_context, &held_line);
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "kind", TEXT(w.kind_text));
        put_place(h, d, w.line, w.context);
        PUT(d, "thread", hsc_tcl_index(w.thread));
        PUT(d, "waits", WIDE(w.waits));
        PUT(d, "bytes", WIDE(w.bytes));
        PUT(d, "total_s", REAL(w.total_s));
        PUT(d, "max_s", REAL(w.max_s));
        PUT(d, "holder_thread", hsc_tcl_index(w.holder_thread));
        PUT(d, "holder_context", hsc_tcl_index(w.holder_context));
        Tcl_ListObjAppendElement(NULL, list, d);
    }
    free(rows);
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int get_by(Tcl_Interp *interp, Tcl_Obj *obj, int *by) {
    if (Tcl_GetIndexFromObj(interp, obj, by_names, "grouping", TCL_EXACT, by) == TCL_OK)
        return TCL_OK;
    Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
    return TCL_ERROR;
}

int hsc_data_messages(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    static const char *const histograms[] = {"size", "duration", NULL};
    hsc_data_args a;
    int by, which;
    uint32_t row;
    if (!strcmp(name, "messages")) {
        if (objc < 1)
            return hsc_tcl_usage(interp, "messages call|operation|partner|size|process|all ?-n N?");
        if (get_by(interp, objv[0], &by) != TCL_OK ||
            hsc_data_parse(h, interp, objc - 1, objv + 1, HSC_ARG_N, 0, 1000, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return messages(h, interp, by, a.limit);
    }
    if (!strcmp(name, "histogram")) {
        if (objc != 3)
            return hsc_tcl_usage(interp, "histogram size|duration GROUPING ROW");
        if (Tcl_GetIndexFromObj(interp, objv[0], histograms, "histogram", TCL_EXACT, &which) != TCL_OK ||
            get_by(interp, objv[1], &by) != TCL_OK ||
            hsc_tcl_get_index(interp, objv[2], "row", h->info.messages, &row) != TCL_OK)
            return TCL_ERROR;
        return histogram(h, interp, (hsc_db_histogram)which, by, row);
    }
    if (!strcmp(name, "partners"))
        return objc ? hsc_tcl_usage(interp, "partners") : matrix(h, interp);
    if (!strcmp(name, "waits"))
        return hsc_data_parse(h, interp, objc, objv, HSC_ARG_N, 0, 1000, 4096, &a) == TCL_OK ? waits(h, interp, a.limit)
                                                                                             : TCL_ERROR;
    return TCL_CONTINUE;
}
