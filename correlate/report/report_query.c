/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of query.h that looks at a database as a whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <heatscope/formats/records.h>

#include "report_arrays.h"
#include "report_groups.h"
#include "report_measures.h"
#include "report_paid.h"
#include "report_reasons.h"

static void begin(report *r, hsc_db *db, uint32_t metric) {
    *r = (report){.db = db, .metric = metric, .width = 120};
    r->axis = report_axis_of(db);
}

static hsc_status load(report *r, hsc_db *db, uint32_t metric, hsc_err *err) {
    begin(r, db, metric);
    return report_load(r, err);
}

struct hsc_db_looking {
    report r;
    unsigned loaded;
    report_looking *looking;
};

hsc_status hsc_db_begin_findings(hsc_db *db, uint32_t metric, hsc_db_looking **out, hsc_err *err) {
    hsc_db_looking *l = calloc(1, sizeof *l);
    if (!l || !(l->looking = report_looking_new(&l->r))) {
        free(l);
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    }
    begin(&l->r, db, metric);
    *out = l;
    return HSC_OK;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

hsc_status hsc_db_look_on(hsc_db_looking *l, double seconds, double *part, hsc_err *err) {
    double until = now_s() + seconds;
    bool done = false;
    hsc_status s = HSC_OK;
    do {
        if (l->loaded < report_load_steps)
            s = report_load_step(&l->r, l->loaded++, err);
        else
            s = report_looking_step(l->looking, &done, err);
    } while (!s && !done && now_s() < until);
    *part = done ? 1 : 0.3 * l->loaded / report_load_steps + 0.69 * report_looking_part(l->looking);
    return s;
}

void hsc_db_take_findings(hsc_db_looking *l, hsc_db_finding **out, uint32_t *n) { report_looking_take(l->looking, out, n); }

void hsc_db_end_findings(hsc_db_looking *l) {
    if (!l)
        return;
    report_looking_free(l->looking);
    report_clear(&l->r);
    free(l);
}

hsc_status hsc_db_read_findings(hsc_db *db, uint32_t metric, hsc_db_finding **out, uint32_t *n, hsc_err *err) {
    hsc_db_looking *l = NULL;
    double part = 0;
    hsc_status s = hsc_db_begin_findings(db, metric, &l, err);
    while (!s && part < 1)
        s = hsc_db_look_on(l, 1, &part, err);
    if (!s)
        hsc_db_take_findings(l, out, n);
    hsc_db_end_findings(l);
    return s;
}

hsc_status hsc_db_find_hottest_code(hsc_db *db, uint32_t metric, uint32_t *scope, hsc_err *err) {
    enum { STEPS = 3 }; /* programs, exclusive samples and those of loops' versions: that is all it needs */
    report r;
    hsc_status s = HSC_OK;
    begin(&r, db, metric);
    for (unsigned i = 0; i < STEPS && !s; i++)
        s = report_load_step(&r, i, err);
    double all = 0;
    uint32_t hot = HSC_NONE, apart = HSC_NONE;
    for (uint32_t i = 0; i < r.info.scopes && !s; i++)
        all += r.excl[i];
    if (!s && !(s = report_hottest_loop(&r, &hot, err)) && !(s = report_hottest_apart(&r, hot, &apart, err))) {
        double sum = apart != HSC_NONE ? r.paid->procedure[apart].sum : hot != HSC_NONE ? r.paid->hot[hot].sum : 0;
        *scope = sum > 0 && sum >= 0.01 * all ? (apart != HSC_NONE ? apart : hot) : HSC_NONE;
    }
    report_clear(&r);
    return s;
}

hsc_status hsc_db_find_silent_openmp(hsc_db *db, const char **name, hsc_err *err) {
    report r;
    report_wait *rows = NULL;
    uint32_t n = 0;
    begin(&r, db, 0);
    hsc_status s = report_load_step(&r, 0, err); /* programs and libraries */
    *name = NULL;
    if (!s && r.has_gomp && !(s = report_waits(&r, false, &rows, &n, err)) && report_is_openmp_silent(&r, rows, n, NULL))
        *name = "libgomp";
    free(rows);
    report_clear(&r);
    return s;
}

void hsc_db_free_findings(hsc_db_finding *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        free(list[i].text);
    free(list);
}

static hsc_status take_refusals(const report *r, const report_refusal *rows, uint32_t n, hsc_db_refusal **out, hsc_err *err) {
    hsc_db_refusal *list = malloc(((size_t)n + 1) * sizeof *list);
    if (!list)
        return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r->info.path);
    for (uint32_t i = 0; i < n; i++) {
        const char *text = hsc_enum_text("reason", rows[i].reason);
        list[i] = (hsc_db_refusal){rows[i].scope, rows[i].reason, text ? text : "unknown reason", rows[i].remark.message,
                                   rows[i].scalar.sum, 0, 0};
        report_interval(r, rows[i].scalar, &list[i].low, &list[i].high);
    }
    *out = list;
    return HSC_OK;
}

hsc_status hsc_db_take_refusals(hsc_db_looking *l, hsc_db_refusal **out, uint32_t *n, hsc_err *err) {
    const report_refusal *rows = report_looking_refusals(l->looking, n);
    return take_refusals(&l->r, rows, *n, out, err);
}

hsc_status hsc_db_read_refusals(hsc_db *db, uint32_t metric, hsc_db_refusal **out, uint32_t *n, hsc_err *err) {
    report r;
    report_refusal *rows = NULL;
    uint32_t count = 0;
    hsc_status s = load(&r, db, metric, err);
    if (!s)
        s = report_refusals(&r, false, &rows, &count, err);
    if (!s && !(s = take_refusals(&r, rows, count, out, err)))
        *n = count;
    free(rows);
    report_clear(&r);
    return s;
}

hsc_status hsc_db_read_arrays(hsc_db *db, uint32_t metric, hsc_db_array_use **out, uint32_t *n, hsc_err *err) {
    report r = {.db = NULL};
    report_array *rows = NULL;
    uint32_t count = 0, made = 0;
    hsc_db_array_use *list = NULL;
    char text[400];
    hsc_db_info info;
    hsc_db_get_info(db, &info);
    bool any = info.arrays || info.messages; /* else there is nothing to load for */
    hsc_status s = any ? load(&r, db, metric, err) : HSC_OK;
    if (!s && any)
        s = report_arrays(&r, &rows, &count, err);
    if (!s && !(list = calloc((size_t)count + 1, sizeof *list)))
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r.info.path);
    for (; !s && made < count; made++) {
        const report_array *a = &rows[made];
        report_array_text(&r, a->named, text, sizeof text);
        list[made] = (hsc_db_array_use){.array = a->array,
                                        .text = strdup(text),
                                        .places = a->places,
                                        .procedure = report_array_procedure(&r, a),
                                        .calls = a->calls,
                                        .sent_bytes = a->sent_bytes,
                                        .received_bytes = a->received_bytes,
                                        .mpi_s = a->mpi_s,
                                        .waiting_s = a->waiting_s,
                                        .packing = a->packs ? a->packing * r.unit.scale : NAN,
                                        .unpacking = a->unpacks ? a->unpacking * r.unit.scale : NAN};
        if (!list[made].text)
            s = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r.info.path);
    }
    if (!s) {
        *out = list;
        *n = count;
    } else
        hsc_db_free_arrays(list, made);
    free(rows);
    report_clear(&r);
    return s;
}

void hsc_db_get_array_text(hsc_db *db, uint32_t array, char *out, size_t size) {
    report_array_text(&(report){.db = db}, array, out, size);
}

void hsc_db_free_arrays(hsc_db_array_use *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        free(list[i].text);
    free(list);
}

hsc_status hsc_db_read_array_times(hsc_db *db, uint32_t metric, hsc_db_array_time **out, uint32_t *n, hsc_err *err) {
    report r;
    report_groups g = {0};
    hsc_db_array_time *list = NULL;
    begin(&r, db, metric);
    hsc_status s = report_load_step(&r, 0, err); /* what there is */
    if (!s)
        s = report_groups_by(&r, REPORT_BY_DATA, &g, err);
    if (!s && !(list = malloc(((size_t)g.n + 1) * sizeof *list)))
        s = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", r.info.path);
    for (uint32_t i = 0; i < g.n && !s; i++) {
        hsc_db_array a;
        if (!(s = hsc_db_get_array(db, g.list[i].row, &a, err)))
            list[i] = (hsc_db_array_time){g.list[i].row, g.list[i].members, a.identity ? g.busiest[g.list[i].row] : HSC_NONE, g.list[i].value.sum};
    }
    if (s)
        free(list);
    else {
        *out = list;
        *n = g.n;
    }
    report_groups_clear(&g);
    report_clear(&r);
    return s;
}

hsc_status hsc_db_choose_references(hsc_db *db, uint32_t metric, uint8_t **out, hsc_err *err) {
    report r;
    report_uses uses = {0};
    begin(&r, db, metric);
    hsc_status s = report_load_step(&r, 0, err); /* what there is */
    if (!s)
        s = report_uses_load(&r, &uses, err);
    if (!s) {
        *out = uses.counts;
        uses.counts = NULL;
    }
    report_uses_clear(&uses);
    report_clear(&r);
    return s;
}

bool hsc_db_guesses_waiting(hsc_db *db) {
    hsc_db_info info;
    hsc_db_times times;
    hsc_db_get_info(db, &info);
    return info.messages && !hsc_db_get_times(db, &times, NULL) && !times.present;
}

double hsc_db_count_lost(const hsc_db *db) {
    hsc_db_info info;
    hsc_db_ledger l;
    double lost = 0;
    hsc_db_get_info(db, &info);
    for (uint32_t i = 0; i < info.ledger_rows && !hsc_db_get_ledger(db, i, &l, NULL); i++)
        if (!strncmp(l.name, "lost: ", 6) && !strncmp(l.meaning, "[due]", 5))
            lost += (double)l.samples;
    return lost;
}
