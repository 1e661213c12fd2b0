/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all threads have in an interval, from the series of all of them: at once, or a little at a time before it is set. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "interval.h"
#include "large.h"
#include "time_read.h"

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) {
    return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path);
}

typedef struct range { /* samples, or slices, of one series */
    hsc_pieces *leaf, *count;
    uint64_t at, end;
} range;

typedef struct hsc_choosing {
    hsc_interval *v;
    range *ranges;
    size_t n, room, next;
    uint64_t all, done; /* values */
    uint32_t only;      /* category whose sums are made; HSC_NONE: all */
    bool is_done;       /* those, too */
} hsc_choosing;

static bool note(hsc_choosing *c, hsc_pieces *leaf, hsc_pieces *count, uint64_t at, uint64_t end) {
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 16;
        range *more = realloc(c->ranges, room * sizeof *more);
        if (!more)
            return false;
        c->ranges = more;
        c->room = room;
    }
    c->ranges[c->n++] = (range){leaf, count, at, end};
    c->all += end - at;
    return true;
}

/* Samples [first, last) of all threads: slices below `level`, and single ones. */
static bool note_all(hsc_choosing *c, hsc_times *t, unsigned level, uint64_t first, uint64_t last) {
    while (level > 0 && first < last) {
        uint64_t size = hsc_times_slice_size(t, --level), low = (first + size - 1) / size, high = last / size;
        hsc_slice_level *l = &t->slices[level];
        if (low >= high)
            continue;
        if (!note(c, &l->leaf, &l->sum, l->begin[l->rows[0] + low], l->begin[l->rows[0] + high]) || !note_all(c, t, level, first, low * size))
            return false;
        first = high * size;
    }
    return first >= last || note(c, &t->leaf, &t->count, t->indptr[0] + first, t->indptr[0] + last);
}

/* What is to be added, from the series of all threads: one look instead of one at each. */
static hsc_status note_parts(hsc_db *db, hsc_choosing *c, hsc_times *t, hsc_err *err) {
    hsc_status status = HSC_OK;
    for (uint32_t i = 0; i < c->v->n_parts && !status; i++) {
        uint64_t first = 0, last = 0;
        status = hsc_times_find(db, t, 0, hsc_times_tick(t, c->v->parts[i].begin_s), &first, err);
        if (!status)
            status = hsc_times_find(db, t, 0, hsc_times_tick(t, c->v->parts[i].end_s), &last, err);
        if (!status && first < last && !note_all(c, t, t->n_slices, first, last))
            status = out_of_memory(db, err);
    }
    return status;
}

static hsc_status add_values(hsc_db *db, hsc_interval *v, hsc_pieces *leaf, hsc_pieces *count, uint64_t first, uint64_t n, hsc_err *err) {
    hsc_status status = hsc_pieces_need(db, leaf, first, n, err);
    if (!status)
        status = hsc_pieces_need(db, count, first, n, err);
    for (uint64_t i = first; i < first + n && !status; i++) {
        uint32_t k = hsc_pieces_u4(leaf, i);
        if (k < v->leaves.n)
            v->total[k] += hsc_pieces_u4(count, i);
        else
            status = hsc_err_set(err, HSC_E_FORMAT, "%s: %s row %" PRIu64 ": expected a row of /time/leaf", db->path, leaf->a.name, i);
    }
    return status;
}

/* For so many seconds (< 0: to the end). */
static hsc_status go_on(hsc_db *db, hsc_choosing *c, double seconds, hsc_err *err) {
    enum { STEP = 1 << 15 };
    double until = seconds < 0 ? INFINITY : hsc_interval_now_s() + seconds;
    hsc_status status = HSC_OK;
    while (c->next < c->n && !status) {
        range *r = &c->ranges[c->next];
        uint64_t n = r->end - r->at < STEP ? r->end - r->at : STEP;
        status = add_values(db, c->v, r->leaf, r->count, r->at, n, err);
        r->at += n;
        c->done += n;
        c->next += r->at == r->end;
        if (hsc_interval_now_s() >= until)
            break;
    }
    return status;
}

void hsc_choosing_end(hsc_db *db) {
    if (db->choosing) {
        hsc_interval_free(db->choosing->v);
        free(db->choosing->ranges);
        free(db->choosing);
        db->choosing = NULL;
    }
}

bool hsc_choosing_is(const hsc_db *db, const hsc_db_when *list, uint32_t n) {
    return db->choosing && n == 1 && list[0].process == HSC_NONE && list[0].begin_s == db->choosing->v->begin_s &&
           list[0].end_s == db->choosing->v->end_s;
}

hsc_status hsc_choosing_take(hsc_db *db, hsc_interval **out, hsc_err *err) {
    hsc_status status = go_on(db, db->choosing, -1, err);
    if (status)
        return status;
    *out = db->choosing->v;
    db->choosing->v = NULL;
    return HSC_OK;
}

hsc_status hsc_choosing_all(hsc_db *db, hsc_interval *v, struct hsc_times *program, hsc_err *err) {
    hsc_choosing c = {.v = v};
    hsc_status status = note_parts(db, &c, program, err);
    if (!status)
        status = go_on(db, &c, -1, err);
    free(c.ranges);
    hsc_times_give_back_program(db->times);
    return status;
}

hsc_status hsc_db_choose_interval(hsc_db *db, double begin_s, double end_s, uint32_t only, double seconds, double *part, hsc_err *err) {
    const hsc_db_when one = {HSC_NONE, begin_s, end_s};
    hsc_times *t = NULL, *program = NULL;
    *part = 1;
    if (!hsc_choosing_is(db, &one, 1) || db->choosing->only != only)
        hsc_choosing_end(db);
    bool is_ready = true;
    bool is_loaded = db->loaded[HSC_TAB_leaf] && db->loaded[HSC_TAB_context];
    hsc_status status = begin_s < end_s && seconds >= 0 && !is_loaded ? hsc_db_prepare_intervals(db, &is_ready, err) : HSC_OK;
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
        status = db->interval ? HSC_OK : hsc_excess_of_run(db, err);
        if (!status && !(db->choosing = calloc(1, sizeof *db->choosing)))
            status = out_of_memory(db, err);
        if (!status)
            status = hsc_interval_new(db, &one, 1, &db->choosing->v, err);
        if (!status)
            status = note_parts(db, db->choosing, program, err);
        if (!status)
            db->choosing->only = only;
    }
    bool is_added = !status && db->choosing->next == db->choosing->n;
    if (!status && !is_added)
        status = go_on(db, db->choosing, seconds, err);
    if (!status && !is_added && db->choosing->next == db->choosing->n) {
        hsc_times_give_back_program(db->times); /* all of it is added, and sums of tables come next */
        hsc_large_give_back();
    }
    /* then sums of tables: a step at a time, as each takes so long */
    for (bool again = seconds < 0 || is_added; !status && again && !db->choosing->is_done; again = seconds < 0) {
        db->choosing->v->only = only;
        status = hsc_interval_make_next(db, db->choosing->v, &db->choosing->is_done, err);
        db->choosing->v->only = HSC_NONE; /* until hsc_db_set_only */
    }
    if (status)
        hsc_choosing_end(db);
    else if (db->choosing->next < db->choosing->n || !db->choosing->is_done)
        *part = (double)db->choosing->done / (double)(db->choosing->all + 1);
    return status;
}
