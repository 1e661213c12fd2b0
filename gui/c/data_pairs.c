/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: what two groups of processes exchange, who of them waits where. */
#include "handle.h"

#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))
#define REAL(v) Tcl_NewDoubleObj(v)
#define TEXT(s) hsc_tcl_text(s, strlen(s))

/* Which processes are in a group: bit 1 those of the first list, bit 2 those of the second. */
static unsigned char *read_groups(hsc_handle *h, Tcl_Interp *interp, Tcl_Obj *const lists[2]) {
    unsigned char *in = calloc((size_t)h->info.processes + 1, 1);
    for (int g = 0; in && g < 2; g++) {
        Tcl_Obj **items;
        Tcl_Size n;
        if (Tcl_ListObjGetElements(interp, lists[g], &n, &items) != TCL_OK) {
            Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
            free(in);
            return NULL;
        }
        for (Tcl_Size i = 0; i < n; i++) {
            uint32_t p;
            if (hsc_tcl_get_index(interp, items[i], "process", h->info.processes, &p) != TCL_OK) {
                free(in);
                return NULL;
            }
            in[p] |= (unsigned char)(1 << g);
        }
    }
    if (!in) {
        hsc_err err = {0};
        hsc_err_set(&err, HSC_E_MEMORY, "no memory for %u processes", h->info.processes);
        hsc_tcl_error(interp, &err);
    }
    return in;
}

typedef struct exchanged {
    uint64_t sent, sent_bytes, received, received_bytes, waits;
    double wait_s, max_s;
} exchanged;

/* Messages from the first group to the second, and how the first waited for the second. */
static hsc_status add_pairs(hsc_handle *h, const unsigned char *in, exchanged *e, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t p = 0; s == HSC_OK && p < h->info.processes; p++) {
        uint32_t first, n;
        if (!in[p])
            continue;
        if ((s = hsc_db_find(h->db, HSC_LIST_PAIRS, p, &first, &n, err)) != HSC_OK)
            break;
        for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
            hsc_db_pair x;
            if ((s = hsc_db_get_pair(h->db, first + i, &x, err)) != HSC_OK || x.peer >= h->info.processes)
                continue;
            if ((in[p] & 1) && (in[x.peer] & 2)) {
                e->sent += x.sent;
                e->sent_bytes += x.sent_bytes;
            }
            if ((in[p] & 2) && (in[x.peer] & 1)) {
                e->received += x.received;
                e->received_bytes += x.received_bytes;
            }
        }
    }
    uint32_t n = 0;
    if (s == HSC_OK)
        s = hsc_db_count_wait_pairs(h->db, &n, err);
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_wait_pair x;
        if ((s = hsc_db_get_wait_pair(h->db, i, &x, err)) != HSC_OK || x.process >= h->info.processes || x.late >= h->info.processes)
            continue;
        if ((in[x.process] & 1) && (in[x.late] & 2)) {
            e->waits += x.waits;
            e->wait_s += x.wait_s;
            e->max_s = x.max_s > e->max_s ? x.max_s : e->max_s;
        }
    }
    return s;
}

static int between(hsc_handle *h, Tcl_Interp *interp, Tcl_Obj *const lists[2]) {
    hsc_err err = {0};
    exchanged e = {0};
    unsigned char *in = read_groups(h, interp, lists);
    if (!in)
        return TCL_ERROR;
    hsc_status s = add_pairs(h, in, &e, &err);
    free(in);
    if (s != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "sent", WIDE(e.sent));
    PUT(d, "sent_bytes", WIDE(e.sent_bytes));
    PUT(d, "received", WIDE(e.received));
    PUT(d, "received_bytes", WIDE(e.received_bytes));
    PUT(d, "waits", WIDE(e.waits));
    PUT(d, "wait_s", REAL(e.wait_s));
    PUT(d, "max_s", REAL(e.max_s));
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

/* ---- where in the source ---- */

typedef struct site {
    int part; /* 0: the first group waited for the second, 1: it sends, 2: the second receives */
    uint32_t line, context, late_line, late_context, row;
    const char *text; /* kind of wait, or operation */
    uint64_t calls, bytes;
    double seconds;
} site;

typedef struct sites {
    site *list;
    uint32_t n, capacity;
} sites;

static hsc_status put_site(sites *to, const site *x, hsc_err *err) {
    if (to->n == to->capacity) {
        uint32_t more = to->capacity ? 2 * to->capacity : 256;
        site *list = realloc(to->list, more * sizeof *list);
        if (!list)
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u calls", more);
        to->list = list;
        to->capacity = more;
    }
    to->list[to->n++] = *x;
    return HSC_OK;
}

static int compare_u32(uint32_t a, uint32_t b) { return (a > b) - (a < b); }
/* Calls of one line and operation are one; calls without a line by their context. */
static int compare_site(const void *a, const void *b) {
    const site *x = a, *y = b;
    int c = x->part - y->part;
    if (c || (c = compare_u32(x->line, y->line)) || (x->line == HSC_NONE && (c = compare_u32(x->context, y->context))))
        return c;
    if ((c = compare_u32(x->late_line, y->late_line)) || (x->late_line == HSC_NONE && (c = compare_u32(x->late_context, y->late_context))))
        return c;
    return strcmp(x->text, y->text);
}
static int heavier_site(const void *a, const void *b) {
    const site *x = a, *y = b;
    if (x->part != y->part)
        return x->part - y->part;
    if (x->part ? x->bytes != y->bytes : x->seconds != y->seconds)
        return (x->part ? x->bytes > y->bytes : x->seconds > y->seconds) ? -1 : 1;
    return compare_site(a, b);
}

/* First row of a table sorted by a key whose key is not below `key`. */
static uint32_t lower(hsc_handle *h, uint32_t n, uint32_t key, uint32_t (*key_of)(hsc_handle *, uint32_t)) {
    uint32_t a = 0, b = n;
    while (a < b) {
        uint32_t m = a + (b - a) / 2;
        if (key_of(h, m) < key)
            a = m + 1;
        else
            b = m;
    }
    return a;
}
static uint32_t delay_of(hsc_handle *h, uint32_t row) {
    hsc_db_delayed v;
    return hsc_db_get_delayed(h->db, row, &v, NULL) == HSC_OK ? v.delay : HSC_NONE;
}

static hsc_status process_of(hsc_handle *h, uint32_t thread, uint32_t *process, hsc_err *err) {
    hsc_db_thread t;
    hsc_status s = hsc_db_get_thread(h->db, thread, &t, err);
    if (s == HSC_OK)
        *process = t.process;
    return s;
}

static hsc_status add_waits(hsc_handle *h, const unsigned char *in, sites *to, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < h->info.delays; i++) {
        hsc_db_delay d;
        uint32_t process;
        if ((s = hsc_db_get_delay(h->db, i, &d, err)) != HSC_OK || (s = process_of(h, d.thread, &process, err)) != HSC_OK || !(in[process] & 2) ||
            !(d.waits || d.wait_s > 0))
            continue;
        for (uint32_t k = lower(h, h->info.delayed, i, delay_of); s == HSC_OK && k < h->info.delayed; k++) {
            hsc_db_delayed v;
            if ((s = hsc_db_get_delayed(h->db, k, &v, err)) != HSC_OK || v.delay != i)
                break;
            if ((s = process_of(h, v.thread, &process, err)) == HSC_OK && (in[process] & 1) && (v.waits || v.wait_s > 0))
                s = put_site(to, &(site){.part = 0, .line = v.line, .context = v.context, .late_line = d.line, .late_context = d.context, .row = k,
                                         .text = d.kind_text, .calls = v.waits, .seconds = v.wait_s}, err);
        }
    }
    return s;
}

/* Which calls the messages of a pair came from is not recorded: those of the sender that send, those of the receiver that receive. */
static hsc_status add_calls(hsc_handle *h, const unsigned char *in, sites *to, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; s == HSC_OK && i < h->info.messages; i++) {
        hsc_db_message m;
        uint32_t process;
        if ((s = hsc_db_get_message(h->db, i, &m, err)) != HSC_OK || (s = process_of(h, m.thread, &process, err)) != HSC_OK || !in[process])
            continue;
        if ((in[process] & 1) && m.sent)
            s = put_site(to, &(site){.part = 1, .line = m.line, .context = m.context, .late_line = HSC_NONE, .row = i, .text = m.operation,
                                     .calls = m.sent, .bytes = m.sent_bytes, .seconds = m.duration_s}, err);
        if (s == HSC_OK && (in[process] & 2) && m.received)
            s = put_site(to, &(site){.part = 2, .line = m.line, .context = m.context, .late_line = HSC_NONE, .row = i, .text = m.operation,
                                     .calls = m.received, .bytes = m.received_bytes, .seconds = m.duration_s}, err);
    }
    return s;
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
    PUT(d, "scope", hsc_tcl_index(c.scope));
    PUT(d, "procedure", TEXT(s.name));
    PUT(d, "file", hsc_tcl_index(l.file));
    PUT(d, "line", WIDE(l.line));
    PUT(d, "filename", hsc_data_filename(h, l.file));
    PUT(d, "also", hsc_data_merged(h, line));
}

static int pair_sites(hsc_handle *h, Tcl_Interp *interp, Tcl_Obj *const lists[2], uint32_t limit) {
    static const char *const parts[] = {"waiting", "sending", "receiving"};
    hsc_err err = {0};
    sites found = {0};
    unsigned char *in = read_groups(h, interp, lists);
    if (!in)
        return TCL_ERROR;
    hsc_status s = add_waits(h, in, &found, &err);
    if (s == HSC_OK)
        s = add_calls(h, in, &found, &err);
    free(in);
    if (s != HSC_OK) {
        free(found.list);
        return hsc_tcl_error(interp, &err);
    }
    uint32_t kept = 0, shown[3] = {0};
    if (found.n)
        qsort(found.list, found.n, sizeof *found.list, compare_site);
    for (uint32_t i = 0; i < found.n; i++)
        if (kept && !compare_site(&found.list[kept - 1], &found.list[i])) {
            found.list[kept - 1].calls += found.list[i].calls;
            found.list[kept - 1].bytes += found.list[i].bytes;
            found.list[kept - 1].seconds += found.list[i].seconds;
        } else {
            found.list[kept++] = found.list[i];
        }
    if (kept)
        qsort(found.list, kept, sizeof *found.list, heavier_site);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < kept; i++) {
        const site *x = &found.list[i];
        if (shown[x->part]++ >= limit)
            continue;
        Tcl_Obj *d = Tcl_NewDictObj();
        hsc_db_line late = {.file = HSC_NONE};
        if (x->late_line != HSC_NONE)
            (void)hsc_db_get_line(h->db, x->late_line, &late, NULL);
        PUT(d, "part", TEXT(parts[x->part]));
        PUT(d, "what", TEXT(x->text));
        put_place(h, d, x->line, x->context);
        PUT(d, "late_file", hsc_tcl_index(late.file));
        PUT(d, "late_line", WIDE(late.line));
        PUT(d, "late_filename", hsc_data_filename(h, late.file));
        PUT(d, "calls", WIDE(x->calls));
        PUT(d, "bytes", WIDE(x->bytes));
        PUT(d, "seconds", REAL(x->seconds));
        Tcl_ListObjAppendElement(NULL, out, d);
    }
    free(found.list);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

int hsc_data_pairs(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    hsc_data_args a;
    if (!strcmp(name, "between"))
        return objc == 2 ? between(h, interp, objv) : hsc_tcl_usage(interp, "between PROCESSES PROCESSES");
    if (!strcmp(name, "pairsites")) {
        if (objc < 2)
            return hsc_tcl_usage(interp, "pairsites PROCESSES PROCESSES ?-n N?");
        if (hsc_data_parse(h, interp, objc - 2, objv + 2, HSC_ARG_N, 0, 30, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return pair_sites(h, interp, objv, a.limit);
    }
    return TCL_CONTINUE;
}
