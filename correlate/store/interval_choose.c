/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all threads have in an interval, from the series of all of them: at once, or a little at a time before it is set. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interval.h"
#include "interval_marks.h"

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

typedef struct hsc_choosing {
    hsc_interval *v;
    hsc_adding *adding;
    uint32_t only;      /* category whose sums are made; HSC_NONE: all */
    bool is_done;       /* those, too */
} hsc_choosing;

/* What is to be added, from the series of all threads: one look instead of one at each. v->total, which has anything yet, is begun. */
static hsc_status note_parts(hsc_db *db, hsc_interval *v, hsc_adding *a, hsc_times *t, hsc_err *err) {
    hsc_status status = a ? HSC_OK : out_of_memory(db, err);
    bool fresh = true;
    hsc_marks_way way = {0};
    for (uint32_t i = 0; i < v->n_parts && !status; i++) {
        uint64_t first[HSC_LAYERS_MAX] = {0}, last[HSC_LAYERS_MAX] = {0};
        bool any = false;
        unsigned n = 0;
        way = (hsc_marks_way){0};
        for (hsc_times *l = t; l && !status; l = l->next, n++) {
            status = hsc_times_find(db, l, 0, hsc_times_tick(l, v->parts[i].begin_s), &first[n], err);
            if (!status)
                status = hsc_times_find(db, l, 0, hsc_times_tick(l, v->parts[i].end_s), &last[n], err);
            last[n] = last[n] > first[n] ? last[n] : first[n];
            any = any || last[n] > first[n];
        }
        if (!status && any && !hsc_marks_note(db, a, t, first, last, &way))
            status = out_of_memory(db, err);
        if (!status && i + 1 == v->n_parts) /* it is asked for nothing else from here on */
            status = hsc_adding_ask(db, a, err);
        if (!status && way.to) {
            hsc_marks_take(db, &way, fresh, v->total);
            fresh = false;
        }
    }
    if (fresh)
        memset(v->total, 0, v->leaves.n * sizeof *v->total);
    v->total[v->leaves.n] = 0;
    return status;
}

/* For so many seconds (< 0: to the end). */
static hsc_status go_on(hsc_db *db, hsc_interval *v, hsc_adding *a, double seconds, hsc_err *err) {
    hsc_status status = hsc_adding_go_on(db, a, v->total, seconds, err);
    if (status || !hsc_adding_is_done(a))
        return status;
    v->all = (hsc_leaf_sum){.leaves = v->leaves.n};
    for (uint64_t k = 0; k < v->leaves.n; k++)
        hsc_leaf_sum_add(&v->all, v->total[k]);
    for (uint64_t k = 0; k < v->leaves.n && v->all.any > INT64_MAX; k++)
        if (v->total[k] > INT64_MAX) /* more was taken away than there was */
            return hsc_err_set(err, HSC_E_FORMAT, "%s: samples of all threads: expected slices that add up, got less than 0 of leaf %" PRIu64, db->path, k);
    return HSC_OK;
}

void hsc_choosing_end(hsc_db *db) {
    if (db->choosing) {
        hsc_interval_drop(db, db->choosing->v);
        hsc_adding_free(db, db->choosing->adding);
        free(db->choosing);
        db->choosing = NULL;
    }
}

bool hsc_choosing_is(const hsc_db *db, const hsc_db_when *list, uint32_t n) {
    return db->choosing && n == 1 && list[0].process == HSC_NONE && list[0].begin_s == db->choosing->v->begin_s &&
           list[0].end_s == db->choosing->v->end_s;
}

hsc_status hsc_choosing_take(hsc_db *db, hsc_interval **out, hsc_err *err) {
    hsc_choosing *c = db->choosing;
    hsc_status status = hsc_adding_is_done(c->adding) ? HSC_OK : go_on(db, c->v, c->adding, -1, err);
    if (status)
        return status;
    *out = c->v;
    c->v = NULL;
    return HSC_OK;
}

hsc_status hsc_choosing_all(hsc_db *db, hsc_interval *v, struct hsc_times *program, hsc_err *err) {
    hsc_adding *a = hsc_adding_new();
    hsc_status status = note_parts(db, v, a, program, err);
    if (!status)
        status = go_on(db, v, a, -1, err);
    hsc_adding_free(db, a);
    hsc_times_give_back_program(db->times);
    return status;
}

hsc_status hsc_db_choose_interval(hsc_db *db, double begin_s, double end_s, uint32_t only, double seconds, double *part, hsc_err *err) {
    const hsc_db_when one = {HSC_NONE, begin_s, end_s};
    hsc_times *t = NULL, *program = NULL;
    double until = hsc_interval_now_s() + seconds;
    *part = 1;
    if (!hsc_choosing_is(db, &one, 1) || db->choosing->only != only)
        hsc_choosing_end(db);
    bool is_ready = true;
    hsc_status status = begin_s < end_s && seconds >= 0 ? hsc_times_load_some_leaves(db, &is_ready, err) : HSC_OK;
    if (status || !is_ready) {
        *part = 0;
        return status;
    }
    if (begin_s < end_s)
        status = hsc_times_begin(db, &t, err);
    if (t && !status)
        status = hsc_times_load_leaves(db, err);
    if (t && !status)
        status = hsc_times_program(db, &program, err);
    if (status || !program)
        return status;
    if (!db->choosing) {
        hsc_interval_thin(db); /* there are two for a while */
        status = db->interval ? HSC_OK : hsc_excess_of_run(db, err);
        if (!status && !(db->choosing = calloc(1, sizeof *db->choosing)))
            status = out_of_memory(db, err);
        if (!status)
            status = hsc_interval_new(db, &one, 1, &db->choosing->v, err);
        if (!status)
            status = note_parts(db, db->choosing->v, db->choosing->adding = hsc_adding_new(), program, err);
        if (!status)
            db->choosing->only = only;
    }
    hsc_choosing *c = db->choosing;
    bool was_added = !status && hsc_adding_is_done(c->adding);
    if (!status && !was_added)
        status = go_on(db, c->v, c->adding, seconds, err);
    bool is_added = !status && hsc_adding_is_done(c->adding);
    if (is_added && !was_added)
        hsc_times_give_back_program(db->times); /* all of it is added */
    /* then sums of tables, which are some milliseconds each, or another thread's */
    for (bool again = is_added && (seconds < 0 || was_added || hsc_interval_now_s() < until); again && !status && !c->is_done;
         again = seconds < 0 || hsc_interval_now_s() < until) {
        c->v->only = only;
        status = hsc_interval_make_next(db, c->v, &c->is_done, err);
        c->v->only = HSC_NONE; /* until hsc_db_set_only */
    }
    if (status)
        hsc_choosing_end(db);
    else if (!hsc_adding_is_done(c->adding) || !c->is_done)
        *part = hsc_adding_part(c->adding) * (1 - 1e-6);
    return status;
}

hsc_status hsc_db_prepare_intervals(hsc_db *db, bool *ready, hsc_err *err) {
    hsc_times *t = NULL, *program = NULL;
    bool is_loaded = db->loaded[HSC_TAB_leaf] && db->loaded[HSC_TAB_context];
    hsc_status status = hsc_times_load_some_leaves(db, ready, err);
    if (status || !*ready || !hsc_db_has(db, "/time/samples"))
        return status;
    *ready = false;
    if (!is_loaded) /* marks are the next part */
        return HSC_OK;
    status = hsc_times_begin(db, &t, err);
    bool is_open = !status && t->program_looked;
    if (!status)
        status = hsc_times_program(db, &program, err);
    if (!status && program && !is_open) /* that took some twenty data sets */
        return HSC_OK;
    if (!status && program)
        status = hsc_marks_make_some(db, program, ready, err);
    else
        *ready = !status;
    if (*ready && program && !db->interval && !db->choosing)
        hsc_interval_foresee(db);
    if (*ready && !(db->interval && hsc_db_is_pending(db)) && !db->choosing)
        *ready = hsc_spare_again(&db->spares);
    return status;
}
