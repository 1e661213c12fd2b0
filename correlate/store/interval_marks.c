/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interval_marks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "entries.h"
#include "interval.h"
#include "large.h"

enum {
    MARKS_MAX = 16,
    ALL_BYTES = 20 << 20 /* of all of them, about: of a leaf a mark has a byte for up to 127 samples, two for up to 16383 */
};

typedef struct hsc_mark {
    uint64_t sample[HSC_LAYERS_MAX]; /* by layer: the first that is not in it; no mark has fewer than one before it */
    uint8_t *counts; /* by leaf, in base 128 */
    uint64_t half;   /* where that of leaf leaves / 2 begins */
} mark;

typedef struct hsc_marks {
    mark marks[MARKS_MAX];
    unsigned n, wanted;
    uint64_t step, leaves; /* step: of the first layer */
    uint64_t *total;    /* until the one under way, as far as that has come; NULL: all are made */
    hsc_adding *adding;
} hsc_marks;

static hsc_status out_of_memory(const hsc_db *db, hsc_err *err) { return hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", db->path); }

static void end_making(hsc_db *db, hsc_marks *m) {
    hsc_adding_free(db, m->adding);
    free(m->total);
    m->adding = NULL;
    m->total = NULL;
}

void hsc_marks_free(hsc_db *db) {
    hsc_marks *m = db->marks;
    if (!m)
        return;
    end_making(db, m);
    for (unsigned i = 0; i < m->n; i++)
        free(m->marks[i].counts);
    free(m);
    db->marks = NULL;
}

static uint64_t samples_of(const hsc_times *layer) { return layer->indptr[1]; }

/* How many, and how far apart: at ends of slices of the first layer, so that none of these is read for nothing. The last one is the whole run. */
static void plan(const hsc_db *db, hsc_marks *m, const hsc_times *t) {
    uint64_t samples = 0, room = ALL_BYTES / (m->leaves + m->leaves / 2 + 1), least, first = samples_of(t), size = 1;
    for (const hsc_times *l = t; l; l = l->next)
        samples += samples_of(l);
    room = room < MARKS_MAX ? room : MARKS_MAX;
    if (room < 2 || samples < 2 * db->mark_least)
        return;
    least = first / (room - 1) + 1;
    least = least < db->mark_least ? db->mark_least : least;
    for (unsigned level = 0; level < t->n_slices && hsc_times_slice_size(t, level) <= least; level++)
        size = hsc_times_slice_size(t, level);
    m->step = (least + size - 1) / size * size;
    m->wanted = first ? (unsigned)((first + m->step - 1) / m->step) : 0;
}

/* Where the next mark is: in the first layer a step further, in the others at the same time, at ends of slices, too. */
static hsc_status find_next(hsc_db *db, const hsc_marks *m, hsc_times *t, uint64_t *sample, hsc_err *err) {
    const mark *before = m->n ? &m->marks[m->n - 1] : NULL;
    uint64_t at = (m->n + 1) * m->step, tick = 0, slice;
    bool is_last = m->n + 1 == m->wanted;
    hsc_status status = is_last ? HSC_OK : hsc_pieces_need(db, &t->begin, at / HSC_SLICE_FIRST, 1, err);
    if (!status && !is_last)
        tick = hsc_pieces_u4(&t->begin, at / HSC_SLICE_FIRST);
    for (unsigned i = 0; t && !status; t = t->next, i++) {
        sample[i] = i ? 0 : at;
        if (i && !is_last && !(status = hsc_times_slice(db, t, 0, tick, &slice, err)))
            sample[i] = slice * HSC_SLICE_FIRST / hsc_times_slice_size(t, 0) * hsc_times_slice_size(t, 0);
        sample[i] = is_last || sample[i] > samples_of(t) ? samples_of(t) : sample[i];
        if (before && sample[i] < before->sample[i]) /* of a damaged file */
            sample[i] = before->sample[i];
    }
    return status;
}

static hsc_status begin(hsc_db *db, hsc_times *t, hsc_err *err) {
    hsc_marks *m = db->marks = calloc(1, sizeof *m);
    if (!m)
        return out_of_memory(db, err);
    m->leaves = db->tables.rows[HSC_TAB_leaf];
    plan(db, m, t);
    if (m->wanted && !(m->total = calloc(m->leaves + 1, sizeof *m->total)))
        return out_of_memory(db, err);
    return HSC_OK;
}

/* Keeps what was added so far; where that does not fit 32 bits there are no more marks. */
static hsc_status keep(hsc_db *db, hsc_marks *m, const uint64_t *sample, hsc_err *err) {
    uint64_t bytes = 0;
    for (uint64_t k = 0; k < m->leaves; k++) {
        if (m->total[k] > UINT32_MAX) {
            m->wanted = m->n;
            return HSC_OK;
        }
        bytes += hsc_entry_number_bytes((uint32_t)m->total[k]);
    }
    uint8_t *to = malloc(bytes + 1);
    if (!to)
        return out_of_memory(db, err);
    mark *of = &m->marks[m->n++];
    *of = (mark){.counts = to};
    memcpy(of->sample, sample, sizeof of->sample);
    for (uint64_t k = 0; k < m->leaves; k++) {
        if (k == m->leaves / 2)
            of->half = (uint64_t)(to - of->counts);
        to = hsc_entry_put_number(to, (uint32_t)m->total[k]);
    }
    return HSC_OK;
}

/* What is between two places of all layers. */
static bool note_all(hsc_adding *a, hsc_times *t, const uint64_t *first, const uint64_t *last) {
    bool ok = true;
    for (; t && ok; t = t->next)
        ok = hsc_adding_note(a, t, *first++, *last++, false);
    return ok;
}

hsc_status hsc_marks_make_some(hsc_db *db, hsc_times *program, bool *ready, hsc_err *err) {
    hsc_status status = db->marks ? HSC_OK : begin(db, program, err);
    hsc_marks *m = db->marks;
    *ready = !status && m->n == m->wanted;
    if (*ready)
        return HSC_OK;
    uint64_t next[HSC_LAYERS_MAX] = {0};
    if (!status)
        status = find_next(db, m, program, next, err);
    if (!status && !m->adding) {
        m->adding = hsc_adding_new();
        bool ok = m->adding && note_all(m->adding, program, m->n ? m->marks[m->n - 1].sample : (const uint64_t[HSC_LAYERS_MAX]){0}, next);
        status = ok ? HSC_OK : out_of_memory(db, err);
    }
    if (!status)
        status = hsc_adding_go_on(db, m->adding, m->total, 0, err);
    if (!status && hsc_adding_is_done(m->adding)) {
        hsc_adding_free(db, m->adding);
        m->adding = NULL;
        status = keep(db, m, next, err);
    }
    if (status) {
        hsc_marks_free(db);
    } else if (m->n == m->wanted) {
        end_making(db, m);
        hsc_large_give_back();
    }
    return status;
}

/* ---- their use ---- */

static uint64_t distance(const mark *m, const uint64_t *sample) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < HSC_LAYERS_MAX; i++) {
        uint64_t at = m ? m->sample[i] : 0;
        sum += at < sample[i] ? sample[i] - at : at - sample[i];
    }
    return sum;
}

/* The mark nearest to a place; NULL: the run's begin. Of a place that is behind another it is not before that one's. */
static const mark *nearest(const hsc_marks *m, const uint64_t *sample) {
    const mark *best = NULL;
    for (unsigned i = 0; i < m->n; i++)
        if (distance(&m->marks[i], sample) < distance(best, sample))
            best = &m->marks[i];
    return best;
}

typedef struct part { /* leaves [first, last) of a difference */
    const uint8_t *from, *to; /* where they begin; from NULL: nothing is taken away */
    uint64_t first, last, *total;
    bool fresh;
} part;

static void *take(void *ctx) {
    const part *of = ctx;
    const uint8_t *p = of->to, *q = of->from;
    uint64_t *total = of->total, last = of->last, keep = of->fresh ? 0 : UINT64_MAX;
    uint32_t more, less = 0;
    for (uint64_t k = of->first; k < last; k++) {
        p = hsc_entry_get_number(p, &more);
        if (q)
            q = hsc_entry_get_number(q, &less);
        total[k] = (total[k] & keep) + more - less;
    }
    return NULL;
}

void hsc_marks_take(const hsc_db *db, const hsc_marks_way *way, bool fresh, uint64_t *total) {
    /* leaves: fewer take no longer than a thread to start; samples: the process that unpacks them meanwhile needs a processor for as long */
    enum { LEAST = 1 << 16, READ_MOST = 1 << 19 };
    const mark *from = way->from, *to = way->to;
    uint64_t leaves = db->marks->leaves, half = leaves / 2;
    part first = {from ? from->counts : NULL, to->counts, 0, half, total, fresh},
         second = {from ? from->counts + from->half : NULL, to->counts + to->half, half, leaves, total, fresh};
    pthread_t thread;
    bool both = leaves >= LEAST && sysconf(_SC_NPROCESSORS_ONLN) > (way->samples > READ_MOST ? 2 : 1) && !pthread_create(&thread, NULL, take, &second);
    take(&first);
    if (both)
        pthread_join(thread, NULL);
    else
        take(&second);
}

/* From a mark to an end of the interval, or back. */
static bool note_way(hsc_adding *a, hsc_times *t, const mark *m, const uint64_t *end, bool is_begin) {
    bool ok = true;
    for (unsigned i = 0; t && ok; t = t->next, i++) {
        uint64_t at = m ? m->sample[i] : 0;
        ok = end[i] >= at ? hsc_adding_note(a, t, at, end[i], is_begin) : hsc_adding_note(a, t, end[i], at, !is_begin);
    }
    return ok;
}

bool hsc_marks_note(const hsc_db *db, hsc_adding *a, hsc_times *program, const uint64_t *first, const uint64_t *last, hsc_marks_way *way) {
    const mark *from = db->marks ? nearest(db->marks, first) : NULL, *to = db->marks ? nearest(db->marks, last) : NULL;
    *way = (hsc_marks_way){0};
    if (from == to) /* none, or none between */
        return note_all(a, program, first, last);
    *way = (hsc_marks_way){from, to, distance(from, first) + distance(to, last)}; /* `to` is behind `from`, so it is one */
    return note_way(a, program, from, first, true) && note_way(a, program, to, last, false);
}
