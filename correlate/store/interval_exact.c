/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Metrics of what was counted and timed exactly, in an interval: what rows of messages, waits, visits and causes have in it (within.c), each
 * as one more leaf, which one thread has. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/causes.h>

#include "interval.h"
#include "within.h"

typedef struct amount { /* of a row: what a leaf says, and how much */
    uint32_t thread, context, line, category;
    double value; /* in the metric's unit */
} amount;

/* Amounts of a row; returns how many through *n: as many as there are categories, or one, at most. */
typedef hsc_status row_amounts(hsc_db *db, uint32_t row, int what, amount *out, unsigned *n, hsc_err *err);

enum { TIME, CALLS, SENT, RECEIVED };

static hsc_status of_message(hsc_db *db, uint32_t row, int what, amount *out, unsigned *n, hsc_err *err) {
    hsc_db_message m;
    hsc_status status = hsc_db_get_message(db, row, &m, err);
    if (status)
        return status;
    *out = (amount){m.thread, m.context, m.line, HSC_COL(db, message_category, uint8_t)[row],
                    what == TIME ? m.duration_s : (double)(what == CALLS ? m.calls : what == SENT ? m.sent_bytes : m.received_bytes)};
    *n = 1;
    return HSC_OK;
}

static hsc_status of_wait(hsc_db *db, uint32_t row, int what, amount *out, unsigned *n, hsc_err *err) {
    hsc_db_wait w;
    hsc_status status = hsc_db_get_wait(db, row, &w, err);
    if (status)
        return status;
    *out = (amount){w.thread, w.context, w.line, HSC_COL(db, wait_category, uint8_t)[row], what == TIME ? w.total_s : (double)w.bytes};
    *n = 1;
    return HSC_OK;
}

static hsc_status of_delayed(hsc_db *db, uint32_t row, int what, amount *out, unsigned *n, hsc_err *err) {
    hsc_db_delayed d;
    hsc_db_delay delay = {0};
    (void)what;
    hsc_status status = hsc_db_get_delayed(db, row, &d, err);
    if (!status)
        status = hsc_db_get_delay(db, d.delay, &delay, err);
    if (status)
        return status;
    *out = (amount){d.thread, d.context, d.line, HSC_state_WAITING - 1, d.wait_s};
    *n = !hsc_cause_is_of_threads(delay.kind);
    return HSC_OK;
}

static hsc_status of_place(hsc_db *db, uint32_t row, int what, amount *out, unsigned *n, hsc_err *err) {
    hsc_db_delay_place p;
    hsc_db_delay delay = {0};
    (void)what;
    hsc_status status = hsc_db_get_delay_place(db, row, &p, err);
    if (!status)
        status = hsc_db_get_delay(db, p.delay, &delay, err);
    if (status)
        return status;
    *out = (amount){delay.thread, p.context, p.line, HSC_COL(db, delay_place_category, uint8_t)[row], isnan(p.counted_s) ? p.caused_s : p.counted_s};
    *n = 1;
    return HSC_OK;
}

/* Time by category, without what the probes cost; visits in the category with most of it. */
static hsc_status of_visit(hsc_db *db, uint32_t row, int what, amount *out, unsigned *n, hsc_err *err) {
    hsc_db_visit v;
    uint64_t categories = db->tables.rows[HSC_TAB_category];
    double *by = calloc(categories + 1, sizeof *by);
    unsigned most = 0;
    *n = 0;
    hsc_status status = by ? hsc_db_get_visit(db, row, &v, err) : hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    if (!status && v.context != HSC_NONE)
        status = hsc_db_read_visit_categories(db, row, by, err);
    /* the row's share in the run: so the parts of a run add up to it */
    double all = status ? 0 : HSC_COL(db, visit_exclusive_s, double)[row], cost = status ? 0 : HSC_COL(db, visit_exclusive_cost_s, double)[row];
    double rest = all > 0 && cost < all ? 1 - cost / all : 0;
    for (unsigned k = 0; !status && v.context != HSC_NONE && k < categories; k++) {
        most = by[k] > by[most] ? k : most;
        if (what == TIME && by[k] > 0)
            out[(*n)++] = (amount){v.thread, v.context, v.line, k, by[k] * rest};
    }
    if (!status && v.context != HSC_NONE && what == CALLS) {
        *out = (amount){v.thread, v.context, v.line, most, (double)v.visits};
        *n = 1;
    }
    free(by);
    return status;
}

static const struct kind {
    const char *metric;
    enum hsc_table_id table;
    row_amounts *amounts;
    int what;
} kinds[] = {{"MPI time", HSC_TAB_message, of_message, TIME},      {"MPI calls", HSC_TAB_message, of_message, CALLS},
             {"bytes sent", HSC_TAB_message, of_message, SENT},    {"bytes received", HSC_TAB_message, of_message, RECEIVED},
             {"waiting", HSC_TAB_wait, of_wait, TIME},             {"I/O bytes", HSC_TAB_wait, of_wait, SENT},
             {"MPI waiting", HSC_TAB_delayed, of_delayed, TIME},   {"waiting caused", HSC_TAB_delay_place, of_place, TIME},
             {"probe time", HSC_TAB_visit, of_visit, TIME},        {"probe visits", HSC_TAB_visit, of_visit, CALLS}};

static const struct kind *kind_of(const hsc_db *db, uint32_t metric) {
    const char *name = hsc_db_text(db, HSC_COL_metric_name, metric);
    if (!db->minor) /* its rows of messages, waits and causes have no category */
        return NULL;
    for (size_t i = 0; HSC_COL(db, metric_exact, uint8_t)[metric] && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].metric, name))
            return &kinds[i];
    return NULL;
}

bool hsc_interval_is_exact(const hsc_db *db, uint32_t metric) {
    return (hsc_within_known(db) || (db->interval && db->interval->is_counted)) && kind_of(db, metric);
}

/* ---- leaves of their own ---- */

/* Room for n leaves; the first time the database's columns are copied. */
static bool reserve(hsc_interval *v, uint64_t n) {
    hsc_leaves *l = &v->leaves;
    uint64_t room = n + n / 2 + 64;
    if (n <= v->room)
        return true;
    uint64_t *total = realloc(v->total, room * sizeof *total);
    v->total = total ? total : v->total;
    uint32_t *thread = realloc(v->thread, room * sizeof *thread);
    v->thread = thread ? thread : v->thread;
    hsc_leaves copy = {malloc(room * 4), malloc(room * 4), malloc(room * 4), malloc(room * 4), malloc(room), l->n, l->sampled, true};
    bool good = total && thread && copy.context && copy.line && copy.instance && copy.metric && copy.category;
    if (good) {
        memcpy(copy.context, l->context, l->n * 4);
        memcpy(copy.line, l->line, l->n * 4);
        memcpy(copy.instance, l->instance, l->n * 4);
        memcpy(copy.metric, l->metric, l->n * 4);
        memcpy(copy.category, l->category, l->n);
        hsc_leaves_free(l);
        *l = copy;
        v->room = room;
    } else {
        hsc_leaves_free(&copy);
    }
    return good;
}

void hsc_leaves_free(hsc_leaves *l) {
    if (!l->own)
        return;
    free(l->context);
    free(l->line);
    free(l->instance);
    free(l->metric);
    free(l->category);
    *l = (hsc_leaves){0};
}

static bool add(hsc_db *db, uint32_t metric, double scale, const amount *a) {
    hsc_interval *v = db->interval;
    hsc_leaves *l = &v->leaves;
    double counts = scale > 0 ? a->value / scale + 0.5 : 0;
    if (!(counts >= 1) || a->context >= db->tables.rows[HSC_TAB_context] || a->thread >= db->tables.rows[HSC_TAB_thread])
        return true;
    if (!reserve(v, l->n + 1))
        return false;
    l->context[l->n] = a->context;
    l->line[l->n] = a->line;
    l->instance[l->n] = HSC_NONE;
    l->metric[l->n] = metric;
    l->category[l->n] = (uint8_t)(a->category < db->tables.rows[HSC_TAB_category] ? a->category : 0);
    v->total[l->n] = counts < UINT32_MAX ? (uint64_t)counts : UINT32_MAX;
    v->thread[l->n++] = a->thread;
    return true;
}

hsc_status hsc_interval_want_exact(hsc_db *db, uint32_t metric, hsc_err *err) {
    hsc_interval *v = db->interval;
    const struct kind *k = kind_of(db, metric);
    uint64_t metrics = db->tables.rows[HSC_TAB_metric], first = v->leaves.n;
    if (!hsc_interval_is_exact(db, metric) || (v->exact && v->exact[metric])) /* rows of the whole run are no interval's */
        return HSC_OK;
    hsc_interval_end_ahead(v); /* which reads what is written to now */
    if (!v->exact && !(v->exact = calloc(metrics + 1, sizeof *v->exact)))
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    amount *parts = malloc((db->tables.rows[HSC_TAB_category] + 1) * sizeof *parts);
    if (!parts)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    double scale = HSC_COL(db, metric_scale, double)[metric];
    uint32_t n = (uint32_t)db->tables.rows[k->table];
    hsc_status status = HSC_OK;
    for (uint32_t row = 0; row < n && !status; row++) {
        unsigned some = 0;
        if (!(row % 4096))
            status = hsc_db_go_on(db, err);
        if (!status)
            status = k->amounts(db, row, k->what, parts, &some, err);
        for (unsigned i = 0; i < some && !status; i++)
            if (!add(db, metric, scale, &parts[i]))
                status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
    }
    free(parts);
    if (status)
        v->leaves.n = first;
    else
        v->exact[metric] = true;
    return status;
}
