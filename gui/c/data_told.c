/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::data: what probes counted, what the program told of itself, what measuring cost. */
#include "handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PUT(d, key, obj) hsc_tcl_put(d, key, obj)
#define WIDE(v) Tcl_NewWideIntObj((Tcl_WideInt)(v))
#define REAL(v) Tcl_NewDoubleObj(v)
#define TEXT(s) hsc_tcl_text(s, strlen(s))
#define VALUES_AT_ONCE 65536u

/* Visits of a block, or of all blocks of a probe, added up over threads. */
typedef struct visited {
    uint32_t row, probe, parent, depth, threads, last_thread, most_thread;
    uint64_t visits, left;
    hsc_db_quantile median;
    double duration_s, exclusive_s, exclusive_low_s, exclusive_high_s, min_s, max_s, squares, clock_s, cost_s, most_s, of_thread; /* min, max, squares, clock: by the clock; else without what probes cost; low, high: the 95 % interval */
} visited;

/* Exclusive time without what probes cost, as `heatscope report` has it. */
static double net_of(const hsc_db_visit *x) { return fmax(0, x->exclusive_s - x->exclusive_cost_s); }

static void add(visited *v, const hsc_db_visit *x) {
    if (x->visits && (!v->visits || x->duration_min_s < v->min_s))
        v->min_s = x->duration_min_s;
    v->max_s = x->duration_max_s > v->max_s ? x->duration_max_s : v->max_s;
    v->visits += x->visits;
    v->left += x->left;
    v->duration_s += fmax(0, x->duration_s - x->cost_s);
    v->exclusive_s += net_of(x);
    v->exclusive_low_s += fmax(0, x->exclusive_s - x->exclusive_cost_most_s);
    v->exclusive_high_s += x->exclusive_s - x->exclusive_cost_least_s;
    v->squares += x->duration_squares;
    v->clock_s += x->duration_s;
    v->cost_s += x->cost_s;
    if (!v->threads || v->last_thread != x->thread) {
        v->threads++;
        v->last_thread = x->thread;
        v->of_thread = 0;
    }
    v->of_thread += net_of(x);
    if (v->of_thread > v->most_s) {
        v->most_s = v->of_thread;
        v->most_thread = x->thread;
    }
}

static int longest(const void *a, const void *b) {
    const visited *x = a, *y = b;
    if (x->exclusive_s != y->exclusive_s)
        return x->exclusive_s > y->exclusive_s ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static hsc_status no_memory(hsc_err *err, uint32_t n, const char *what) {
    return hsc_err_set(err, HSC_E_MEMORY, "no memory for %u %s", n, what);
}

/* All blocks, or all probes: rows of `out` are those of the table, medians are by the clock. */
static hsc_status load(hsc_handle *h, bool probes, visited **out, uint32_t *count, hsc_err *err) {
    uint32_t n = hsc_db_count_told(h->db, probes ? HSC_TOLD_PROBES : HSC_TOLD_BLOCKS), visits = hsc_db_count_told(h->db, HSC_TOLD_VISITS);
    uint32_t blocks = hsc_db_count_told(h->db, HSC_TOLD_BLOCKS);
    visited *list = calloc((size_t)n + 1, sizeof *list);
    uint64_t (*histograms)[HSC_BUCKETS] = calloc((size_t)n + 1, sizeof *histograms), one[HSC_BUCKETS];
    hsc_status s = list && histograms ? HSC_OK : no_memory(err, n, "scopes of probes");
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_block b = {HSC_NONE, i, 0};
        if (probes || (s = hsc_db_get_block(h->db, i, &b, err)) == HSC_OK)
            list[i] = (visited){.row = i, .probe = b.probe, .parent = b.parent, .depth = b.depth};
    }
    for (uint32_t i = 0; s == HSC_OK && i < visits; i++) {
        hsc_db_visit x;
        hsc_db_block b = {0};
        if ((s = hsc_db_get_visit(h->db, i, &x, err)) != HSC_OK || (probes && (s = hsc_db_get_block(h->db, x.block, &b, err)) != HSC_OK))
            break;
        uint32_t at = probes ? b.probe : x.block;
        if (at >= n || x.block >= blocks)
            continue;
        add(&list[at], &x);
        s = hsc_db_read_visit_histogram(h->db, i, one, err);
        for (unsigned k = 0; s == HSC_OK && k < HSC_BUCKETS; k++)
            histograms[at][k] += one[k];
    }
    for (uint32_t i = 0; s == HSC_OK && i < n; i++)
        hsc_db_histogram_quantile(histograms[i], list[i].min_s, list[i].max_s, 0.5, &list[i].median);
    free(histograms);
    if (s != HSC_OK) {
        free(list);
        return s;
    }
    *out = list;
    *count = n;
    return HSC_OK;
}

static void put_probe(hsc_handle *h, Tcl_Obj *d, uint32_t probe) {
    hsc_db_probe p = {.kind_text = "", .scope = HSC_NONE, .name = "", .file = ""};
    hsc_db_scope s = {.file = HSC_NONE};
    (void)hsc_db_get_probe(h->db, probe, &p, NULL);
    if (p.scope != HSC_NONE)
        (void)hsc_db_get_scope(h->db, p.scope, &s, NULL);
    PUT(d, "kind", TEXT(p.kind_text));
    PUT(d, "name", TEXT(p.name));
    PUT(d, "filename", TEXT(p.file));
    PUT(d, "line", WIDE(p.line));
    PUT(d, "disarmed", WIDE(p.disarmed));
    PUT(d, "disarmed_s", REAL(p.disarmed_s));
    PUT(d, "scope", hsc_tcl_index(p.scope));
    PUT(d, "file", hsc_tcl_index(s.file));
}

static int scopes(hsc_handle *h, Tcl_Interp *interp, bool probes, uint32_t limit) {
    hsc_err err = {0};
    visited *list = NULL;
    uint32_t n = 0;
    double total = 0, begin_s, end_s;
    bool within = hsc_db_get_interval(h->db, &begin_s, &end_s);
    if (load(h, probes, &list, &n, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    for (uint32_t i = 0; i < n; i++)
        total += list[i].exclusive_s;
    qsort(list, n, sizeof *list, longest);
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < n && i < limit; i++) {
        const visited *v = &list[i];
        if (within && !v->visits && !(v->exclusive_s > 0))
            continue;
        double count = (double)v->visits, mean = count > 0 ? v->duration_s / count : 0;
        const double medians[] = {v->median.value_s, v->median.low_s, v->median.high_s};
        static const char *const names[] = {"duration_median_s", "duration_median_low_s", "duration_median_high_s"};
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "row", WIDE(v->row));
        PUT(d, "probe", hsc_tcl_index(v->probe));
        PUT(d, "parent", hsc_tcl_index(v->parent));
        PUT(d, "depth", WIDE(v->depth));
        put_probe(h, d, v->probe);
        PUT(d, "visits", WIDE(v->visits));
        PUT(d, "left", WIDE(v->left));
        PUT(d, "duration_s", REAL(v->duration_s));
        PUT(d, "exclusive_s", REAL(v->exclusive_s));
        PUT(d, "exclusive_low_s", REAL(v->exclusive_low_s));
        PUT(d, "exclusive_high_s", REAL(v->exclusive_high_s));
        PUT(d, "share", REAL(total > 0 ? v->exclusive_s / total : 0));
        PUT(d, "duration_min_s", REAL(hsc_db_visit_without_cost(v->min_s, v->clock_s, v->duration_s, count)));
        PUT(d, "duration_mean_s", REAL(mean));
        for (int k = 0; k < 3; k++)
            PUT(d, names[k], REAL(isnan(medians[k]) ? 0 : hsc_db_visit_without_cost(medians[k], v->clock_s, v->duration_s, count)));
        PUT(d, "duration_stddev_s", REAL(v->visits ? hsc_db_stddev(v->squares, v->clock_s, (double)v->visits) : 0));
        PUT(d, "duration_max_s", REAL(fmin(v->duration_s, hsc_db_visit_without_cost(v->max_s, v->clock_s, v->duration_s, count))));
        PUT(d, "cost_s", REAL(v->cost_s));
        PUT(d, "threads", WIDE(v->threads));
        PUT(d, "most_thread", hsc_tcl_index(v->threads ? v->most_thread : HSC_NONE));
        PUT(d, "most_s", REAL(v->most_s));
        Tcl_ListObjAppendElement(NULL, out, d);
    }
    free(list);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

static Tcl_Obj *buckets(const uint64_t *sum) {
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
    return list;
}

/* One block or probe: {processes categories histogram}, exclusive seconds by process and by category. */
static int visits(hsc_handle *h, Tcl_Interp *interp, bool probes, uint32_t of) {
    hsc_err err = {0};
    uint32_t n = hsc_db_count_told(h->db, HSC_TOLD_VISITS), k = h->info.categories;
    uint64_t sum[HSC_BUCKETS] = {0}, one[HSC_BUCKETS];
    double *process = calloc((size_t)h->info.processes + 1, sizeof *process);
    double *category = calloc(2 * ((size_t)k + 1), sizeof *category), *of_visit = category ? category + k + 1 : NULL;
    hsc_status s = process && category ? HSC_OK : no_memory(&err, h->info.processes, "processes");
    for (uint32_t i = 0; s == HSC_OK && i < n; i++) {
        hsc_db_visit x;
        hsc_db_block b = {0};
        hsc_db_thread t;
        if ((s = hsc_db_get_visit(h->db, i, &x, &err)) != HSC_OK || (probes && (s = hsc_db_get_block(h->db, x.block, &b, &err)) != HSC_OK))
            break;
        if ((probes ? b.probe : x.block) != of)
            continue;
        if ((s = hsc_db_get_thread(h->db, x.thread, &t, &err)) != HSC_OK ||
            (s = hsc_db_read_visit_categories(h->db, i, of_visit, &err)) != HSC_OK ||
            (s = hsc_db_read_visit_histogram(h->db, i, one, &err)) != HSC_OK)
            break;
        if (t.process < h->info.processes)
            process[t.process] += net_of(&x);
        for (uint32_t c = 0; c < k; c++)
            category[c] += x.exclusive_s > 0 ? of_visit[c] * net_of(&x) / x.exclusive_s : 0;
        for (int c = 0; c < HSC_BUCKETS; c++)
            sum[c] += one[c];
    }
    Tcl_Obj *d = NULL;
    if (s == HSC_OK) {
        Tcl_Obj *ps = Tcl_NewListObj(0, NULL), *cs = Tcl_NewListObj(0, NULL);
        for (uint32_t p = 0; p < h->info.processes && p < 65536; p++)
            Tcl_ListObjAppendElement(NULL, ps, REAL(process[p]));
        for (uint32_t c = 0; c < k; c++)
            Tcl_ListObjAppendElement(NULL, cs, REAL(category[c]));
        d = Tcl_NewDictObj();
        PUT(d, "processes", ps);
        PUT(d, "categories", cs);
        PUT(d, "histogram", buckets(sum));
    }
    free(process);
    free(category);
    if (!d)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

static hsc_status phase_dict(hsc_handle *h, uint32_t i, Tcl_Obj *d, hsc_err *err) {
    hsc_db_phase p;
    hsc_db_when inside;
    uint32_t next = 0;
    double seconds = 0, begin = 0, end = 0;
    hsc_status s = hsc_db_get_phase(h->db, i, &p, err);
    if (s != HSC_OK)
        return s;
    for (; hsc_db_next_inside(h->db, p.process, p.begin_s, p.end_s, &next, &inside); seconds += inside.end_s - inside.begin_s) {
        begin = seconds > 0 ? begin : inside.begin_s;
        end = inside.end_s;
    }
    PUT(d, "inside_begin_s", REAL(begin));
    PUT(d, "inside_end_s", REAL(end));
    PUT(d, "inside_s", REAL(seconds));
    PUT(d, "process", hsc_tcl_index(p.process));
    PUT(d, "name", TEXT(p.name));
    PUT(d, "begin_s", REAL(p.begin_s));
    PUT(d, "end_s", REAL(p.end_s));
    return HSC_OK;
}

static hsc_status counter_dict(hsc_handle *h, uint32_t i, Tcl_Obj *d, hsc_err *err) {
    hsc_db_counter c;
    hsc_status s = hsc_db_get_counter(h->db, i, &c, err);
    if (s != HSC_OK)
        return s;
    double n = (double)c.values, mean = n > 0 ? c.sum / n : 0;
    PUT(d, "thread", hsc_tcl_index(c.thread));
    PUT(d, "name", TEXT(c.name));
    PUT(d, "values", WIDE(c.values));
    PUT(d, "first", REAL(c.first));
    PUT(d, "last", REAL(c.last));
    PUT(d, "min", REAL(c.min));
    PUT(d, "max", REAL(c.max));
    PUT(d, "mean", REAL(mean));
    PUT(d, "stddev", REAL(n > 0 ? hsc_db_stddev(c.squares, c.sum, n) : 0));
    return HSC_OK;
}

static hsc_status cost_dict(hsc_handle *h, uint32_t i, Tcl_Obj *d, hsc_err *err) {
    hsc_db_cost c;
    hsc_db_thread t;
    hsc_status s = hsc_db_get_cost(h->db, i, &c, err);
    if (s != HSC_OK || (s = hsc_db_get_thread(h->db, c.thread, &t, err)) != HSC_OK)
        return s;
    PUT(d, "thread", hsc_tcl_index(c.thread));
    PUT(d, "process", hsc_tcl_index(t.process));
    PUT(d, "cpu_s", REAL(t.cpu_s));
    PUT(d, "own_s", REAL(t.own_s));
    PUT(d, "handler_s", REAL(c.handler_s));
    PUT(d, "handler_median_s", REAL(c.handler_median_s));
    PUT(d, "handler_p99_s", REAL(c.handler_p99_s));
    PUT(d, "signals_s", REAL(c.signals_s));
    PUT(d, "probes_s", REAL(c.probes_s));
    PUT(d, "wrappers_s", REAL(c.wrappers_s));
    PUT(d, "helper_s", REAL(c.helper_s));
    PUT(d, "start_s", REAL(c.start_s));
    PUT(d, "end_s", REAL(c.end_s));
    PUT(d, "switches_s", REAL(c.switches_s));
    PUT(d, "own_least_s", REAL(c.own_least_s));
    PUT(d, "own_most_s", REAL(c.own_most_s));
    PUT(d, "handler_runs", WIDE(c.handler_runs));
    PUT(d, "probes_missed", WIDE(c.probes_missed));
    PUT(d, "rate_changes", WIDE(c.rate_changes));
    return HSC_OK;
}

static hsc_status note_dict(hsc_handle *h, uint32_t i, Tcl_Obj *d, hsc_err *err) {
    static const char *const kinds[] = {[HSC_NOTE_SAID] = "said", [HSC_NOTE_RATE] = "rate", [HSC_NOTE_SOURCE] = "source",
                                        [HSC_NOTE_MEASURING] = "measuring", [HSC_NOTE_EVENTS] = "events"};
    hsc_db_note n;
    hsc_status s = hsc_db_get_note(h->db, i, &n, err);
    if (s != HSC_OK)
        return s;
    PUT(d, "process", hsc_tcl_index(n.process));
    PUT(d, "thread", hsc_tcl_index(n.thread));
    PUT(d, "time_s", REAL(n.time_s));
    PUT(d, "kind", TEXT(n.kind < sizeof kinds / sizeof *kinds ? kinds[n.kind] : ""));
    PUT(d, "value", WIDE(n.value));
    PUT(d, "text", TEXT(n.text));
    return HSC_OK;
}

hsc_status hsc_handle_taken(hsc_handle *h, uint64_t *samples, uint32_t *periods_max, hsc_err *err) {
    hsc_status s = HSC_OK;
    uint64_t runs = 0;
    *samples = 0;
    *periods_max = 0;
    for (uint32_t i = 0; s == HSC_OK && i < h->info.threads; i++) {
        hsc_db_thread t;
        if ((s = hsc_db_get_thread(h->db, i, &t, err)) == HSC_OK)
            *samples += t.records;
    }
    for (uint32_t i = 0; s == HSC_OK && i < hsc_db_count_told(h->db, HSC_TOLD_COSTS); i++) {
        hsc_db_cost c;
        if ((s = hsc_db_get_cost(h->db, i, &c, err)) != HSC_OK)
            break;
        runs += c.handler_runs;
        *periods_max = c.periods_max > *periods_max ? c.periods_max : *periods_max;
    }
    if (!*samples) /* an older database: runs of the handler, which are more by those of helpers */
        *samples = runs;
    else if (*samples == h->info.samples)
        *periods_max = 1;
    else if (*periods_max < 2)
        *periods_max = 2;
    return s;
}

static int taken(hsc_handle *h, Tcl_Interp *interp) {
    hsc_err err = {0};
    uint64_t samples;
    uint32_t periods_max;
    if (hsc_handle_taken(h, &samples, &periods_max, &err) != HSC_OK)
        return hsc_tcl_error(interp, &err);
    Tcl_Obj *d = Tcl_NewDictObj();
    PUT(d, "samples", WIDE(samples));
    PUT(d, "periods_max", WIDE(periods_max));
    Tcl_SetObjResult(interp, d);
    return TCL_OK;
}

typedef hsc_status (*row_dict)(hsc_handle *, uint32_t, Tcl_Obj *, hsc_err *);

/* Rows of a table in its order, `row` in each. */
static int rows(hsc_handle *h, Tcl_Interp *interp, hsc_db_told what, row_dict make, uint32_t limit) {
    hsc_err err = {0};
    Tcl_Obj *out = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < hsc_db_count_told(h->db, what) && i < limit; i++) {
        Tcl_Obj *d = Tcl_NewDictObj();
        PUT(d, "row", WIDE(i));
        if (make(h, i, d, &err) != HSC_OK) {
            Tcl_DecrRefCount(d);
            Tcl_DecrRefCount(out);
            return hsc_tcl_error(interp, &err);
        }
        Tcl_ListObjAppendElement(NULL, out, d);
    }
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

/* A counter's values in n bins of the run's time, or of the interval: list of {BIN MIN MAX}, bins without values left out. */
static int series(hsc_handle *h, Tcl_Interp *interp, uint32_t counter, uint32_t n) {
    hsc_err err = {0};
    double *time = malloc(VALUES_AT_ONCE * sizeof *time), *value = malloc(VALUES_AT_ONCE * sizeof *value);
    double *low = malloc(((size_t)n + 1) * sizeof *low), *high = malloc(((size_t)n + 1) * sizeof *high);
    hsc_status s = time && value && low && high ? HSC_OK : no_memory(&err, n, "bins of a counter");
    double begin = 0, end = h->info.wall_s;
    bool has_interval = hsc_db_get_interval(h->db, &begin, &end) && end > begin && begin < h->info.wall_s; /* of one category in the whole run it is longer than that */
    begin = has_interval ? fmax(begin, 0) : 0;
    end = has_interval ? fmin(end, h->info.wall_s) : h->info.wall_s;
    double wall = end > begin ? end - begin : 1;
    for (uint32_t b = 0; s == HSC_OK && b < n; b++)
        low[b] = high[b] = NAN;
    uint64_t from = 0, got = 1;
    while (s == HSC_OK && got) {
        got = 0;
        if ((s = hsc_db_read_counter(h->db, counter, from, VALUES_AT_ONCE, time, value, &got, &err)) != HSC_OK)
            break;
        for (uint64_t i = 0; i < got; i++) {
            double at = floor((time[i] - begin) / wall * n);
            if (has_interval && (time[i] < begin || time[i] >= end))
                continue;
            uint32_t b = !(at > 0) ? 0 : at >= n ? n - 1 : (uint32_t)at;
            low[b] = !(low[b] <= value[i]) ? value[i] : low[b];
            high[b] = !(high[b] >= value[i]) ? value[i] : high[b];
        }
        from += got;
    }
    Tcl_Obj *out = NULL;
    if (s == HSC_OK) {
        out = Tcl_NewListObj(0, NULL);
        for (uint32_t b = 0; b < n; b++)
            if (low[b] == low[b]) {
                Tcl_Obj *bin[3] = {WIDE(b), REAL(low[b]), REAL(high[b])};
                Tcl_ListObjAppendElement(NULL, out, Tcl_NewListObj(3, bin));
            }
    }
    free(time);
    free(value);
    free(low);
    free(high);
    if (!out)
        return hsc_tcl_error(interp, &err);
    Tcl_SetObjResult(interp, out);
    return TCL_OK;
}

int hsc_data_told(hsc_handle *h, Tcl_Interp *interp, const char *name, int objc, Tcl_Obj *const objv[]) {
    enum { WHAT_BLOCK, WHAT_PROBE, WHAT_PHASE, WHAT_COUNTER, WHAT_NOTE, WHAT_COST };
    static const char *const whats[] = {"block", "probe", "phase", "counter", "note", "cost", NULL};
    hsc_data_args a;
    int what = 0;
    uint32_t row;
    if (!strcmp(name, "taken") && !objc)
        return taken(h, interp);
    if (strcmp(name, "told") && strcmp(name, "visits") && strcmp(name, "series"))
        return TCL_CONTINUE;
    if (!strcmp(name, "series")) {
        if (objc < 1)
            return hsc_tcl_usage(interp, "series COUNTER ?-n N?");
        if (hsc_tcl_get_index(interp, objv[0], "counter", hsc_db_count_told(h->db, HSC_TOLD_COUNTERS), &row) != TCL_OK ||
            hsc_data_parse(h, interp, objc - 1, objv + 1, HSC_ARG_N, 0, 500, 4096, &a) != TCL_OK)
            return TCL_ERROR;
        return series(h, interp, row, a.limit ? a.limit : 1);
    }
    if (objc < 1 || (!strcmp(name, "visits") && objc != 2))
        return hsc_tcl_usage(interp, "%s", strcmp(name, "told") ? "visits block|probe ROW" : "told block|probe|phase|counter|note|cost ?-n N?");
    if (Tcl_GetIndexFromObj(interp, objv[0], whats, "kind", TCL_EXACT, &what) != TCL_OK) {
        Tcl_SetErrorCode(interp, "HEATSCOPE", "USAGE", NULL);
        return TCL_ERROR;
    }
    if (!strcmp(name, "visits")) {
        if (what > WHAT_PROBE)
            return hsc_tcl_usage(interp, "visits block|probe ROW");
        if (hsc_tcl_get_index(interp, objv[1], whats[what], hsc_db_count_told(h->db, what == WHAT_PROBE ? HSC_TOLD_PROBES : HSC_TOLD_BLOCKS),
                              &row) != TCL_OK)
            return TCL_ERROR;
        return visits(h, interp, what == WHAT_PROBE, row);
    }
    if (hsc_data_parse(h, interp, objc - 1, objv + 1, HSC_ARG_N, 0, 1000, 4096, &a) != TCL_OK)
        return TCL_ERROR;
    switch (what) {
    case WHAT_PHASE: return rows(h, interp, HSC_TOLD_PHASES, phase_dict, a.limit);
    case WHAT_COUNTER: return rows(h, interp, HSC_TOLD_COUNTERS, counter_dict, a.limit);
    case WHAT_NOTE: return rows(h, interp, HSC_TOLD_NOTES, note_dict, a.limit);
    case WHAT_COST: return rows(h, interp, HSC_TOLD_COSTS, cost_dict, a.limit);
    default: return scopes(h, interp, what == WHAT_PROBE, a.limit);
    }
}
