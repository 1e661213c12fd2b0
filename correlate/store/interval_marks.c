/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interval_marks.h"

#include <stdlib.h>

#include "entries.h"
#include "interval.h"
#include "large.h"

enum {
    MARKS_MAX = 16,
    ALL_BYTES = 20 << 20 /* of all of them, about: of a leaf a mark has a byte for up to 127 samples, two for up to 16383 */
};

typedef struct mark {
    uint64_t sample; /* the first that is not in it */
    uint8_t *counts; /* by leaf, in base 128 */
} mark;

typedef struct hsc_marks {
    mark marks[MARKS_MAX];
    unsigned n, wanted;
    uint64_t step, leaves;
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

/* How many, and how far apart: at ends of slices, so that none of these is read for nothing. The last one is the whole run. */
static void plan(const hsc_db *db, hsc_marks *m, hsc_times *t) {
    uint64_t samples = t->indptr[1], room = ALL_BYTES / (m->leaves + m->leaves / 2 + 1), least, size = 1;
    room = room < MARKS_MAX ? room : MARKS_MAX;
    if (room < 2 || samples < 2 * db->mark_least)
        return;
    least = samples / (room - 1) + 1;
    least = least < db->mark_least ? db->mark_least : least;
    for (unsigned level = 0; level < t->n_slices && hsc_times_slice_size(t, level) <= least; level++)
        size = hsc_times_slice_size(t, level);
    m->step = (least + size - 1) / size * size;
    m->wanted = (unsigned)((samples + m->step - 1) / m->step);
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
static hsc_status keep(hsc_db *db, hsc_marks *m, uint64_t sample, hsc_err *err) {
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
    m->marks[m->n++] = (mark){sample, to};
    for (uint64_t k = 0; k < m->leaves; k++)
        to = hsc_entry_put_number(to, (uint32_t)m->total[k]);
    return HSC_OK;
}

hsc_status hsc_marks_make_some(hsc_db *db, hsc_times *program, bool *ready, hsc_err *err) {
    hsc_status status = db->marks ? HSC_OK : begin(db, program, err);
    hsc_marks *m = db->marks;
    *ready = !status && m->n == m->wanted;
    if (*ready)
        return HSC_OK;
    uint64_t first = status ? 0 : m->n * m->step, last = status ? 0 : first + m->step, samples = program->indptr[1];
    last = last < samples ? last : samples;
    if (!status && !m->adding) {
        m->adding = hsc_adding_new();
        if (!m->adding || !hsc_adding_note(m->adding, program, first, last, false))
            status = out_of_memory(db, err);
    }
    if (!status)
        status = hsc_adding_go_on(db, m->adding, m->total, 0, err);
    if (!status && hsc_adding_is_done(m->adding)) {
        hsc_adding_free(db, m->adding);
        m->adding = NULL;
        status = keep(db, m, last, err);
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

static uint64_t distance(uint64_t a, uint64_t b) { return a < b ? b - a : a - b; }

/* The mark nearest to a sample; NULL: the run's begin. */
static const mark *nearest(const hsc_marks *m, uint64_t sample) {
    const mark *best = NULL;
    for (unsigned i = 0; i < m->n; i++)
        if (distance(m->marks[i].sample, sample) < distance(best ? best->sample : 0, sample))
            best = &m->marks[i];
    return best;
}

static void take(const mark *from, const mark *to, uint64_t leaves, uint64_t *total) {
    const uint8_t *p = to->counts, *q = from ? from->counts : NULL;
    uint32_t more, less = 0;
    for (uint64_t k = 0; k < leaves; k++) {
        p = hsc_entry_get_number(p, &more);
        if (q)
            q = hsc_entry_get_number(q, &less);
        total[k] += (uint64_t)more - less;
    }
}

/* From a mark to an end of the interval, or back. */
static bool note_way(hsc_adding *a, hsc_times *t, const mark *m, uint64_t end, bool is_begin) {
    uint64_t at = m ? m->sample : 0;
    return end >= at ? hsc_adding_note(a, t, at, end, is_begin) : hsc_adding_note(a, t, end, at, !is_begin);
}

bool hsc_marks_note(const hsc_db *db, hsc_adding *a, hsc_times *program, uint64_t first, uint64_t last, uint64_t *total) {
    const mark *from = db->marks ? nearest(db->marks, first) : NULL, *to = db->marks ? nearest(db->marks, last) : NULL;
    if (from == to) /* none, or none between */
        return hsc_adding_note(a, program, first, last, false);
    /* `to` is behind `from`, so it is one */
    take(from, to, db->marks->leaves, total);
    return note_way(a, program, from, first, true) && note_way(a, program, to, last, false);
}
