/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interval_marks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interval.h"
#include "large.h"
#include "mark_counts.h"

enum {
    MARKS_MAX = 64,
    FULL_MAX = 8,
    ALL_BYTES = 19 << 20, /* of all of them, about; some 14 where leaves are in several slices */
    SOME_BYTES = 13 << 20 /* of it what comes between marks */
};

typedef struct mark {
    uint64_t sample[HSC_LAYERS_MAX]; /* by layer: the first that is not in it; no mark has fewer than one before it */
    hsc_some_counts since; /* the mark before */
    hsc_all_counts all;    /* of every few marks, else none */
    bool is_full;          /* `all` is there */
} mark;

typedef struct hsc_marks {
    mark marks[MARKS_MAX + 1]; /* the first one is the run's begin, which has nothing */
    uint64_t at[MARKS_MAX + 1]; /* where they are to be in the first layer */
    unsigned n, wanted, full;  /* beside that; full: so many of those wanted */
    bool is_due;               /* all counts of the last one are to be made */
    uint64_t leaves;
    uint64_t *total;           /* since the last one, as far as the one under way has come; NULL: all are made */
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
    for (unsigned i = 1; i <= m->n; i++) {
        hsc_some_counts_free(&m->marks[i].since);
        hsc_all_counts_free(&m->marks[i].all);
    }
    free(m);
    db->marks = NULL;
}

static uint64_t samples_of(const hsc_times *layer) { return layer->indptr[1]; }

static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Leaves in the finest slices of the first layer before a slice: what it costs to read them. Where there are none all samples cost alike. */
static uint64_t cost_until(const hsc_times *t, uint64_t slice) {
    const hsc_slice_level *l = &t->slices[0];
    return t->n_slices ? l->begin[l->rows[0] + slice] - l->begin[l->rows[0]] : slice;
}

/* So many or fewer: as much is to be read between any two, at ends of the finest slices of the first layer, so that none of these is read for nothing.
 * The last one is the whole run. */
static void place(hsc_marks *m, const hsc_times *t, unsigned marks) {
    uint64_t size = t->n_slices ? hsc_times_slice_size(t, 0) : HSC_SLICE_FIRST, slices = samples_of(t) / size, all = cost_until(t, slices), slice = 0;
    for (unsigned i = 1; i < marks; i++) {
        uint64_t before = slice;
        while (slice < slices && cost_until(t, slice) < all * i / marks)
            slice++;
        if (slice > before && slice < slices)
            m->at[++m->wanted] = slice * size;
    }
    m->at[++m->wanted] = samples_of(t);
}

/* Bytes of what comes between so many marks, about; more than they will have, as leaves are in several slices. */
static uint64_t bytes_between(const hsc_marks *m, const hsc_times *t, uint64_t marks) {
    uint64_t sum = 0;
    for (; t; t = t->next)
        sum += t->n_slices ? t->slices[0].leaf.a.n : samples_of(t);
    return least_of(sum, marks * m->leaves) / 4 * 5;
}

static void plan(const hsc_db *db, hsc_marks *m, const hsc_times *t) {
    uint64_t samples = 0, marks, between;
    for (const hsc_times *l = t; l; l = l->next)
        samples += samples_of(l);
    marks = least_of(samples / db->mark_least, MARKS_MAX);
    while ((between = bytes_between(m, t, marks)) > SOME_BYTES)
        marks /= 2;
    m->full = (unsigned)least_of((ALL_BYTES - between) / (m->leaves + 1), FULL_MAX);
    if (marks < 2 || !m->full)
        return;
    place(m, t, (unsigned)marks);
    m->full = m->full < m->wanted ? m->full : m->wanted;
}

static bool is_full(const hsc_marks *m, unsigned i) { return i * m->full / m->wanted > (i - 1) * m->full / m->wanted; }

/* Where the next mark is: in the first layer as planned, in the others at the same time, at ends of slices, too. */
static hsc_status find_next(hsc_db *db, const hsc_marks *m, hsc_times *t, uint64_t *sample, hsc_err *err) {
    const mark *before = &m->marks[m->n];
    uint64_t at = m->at[m->n + 1], tick = 0, slice;
    bool is_last = m->n + 1 == m->wanted;
    hsc_status status = is_last ? HSC_OK : hsc_pieces_need(db, &t->begin, at / HSC_SLICE_FIRST, 1, err);
    if (!status && !is_last)
        tick = hsc_pieces_u4(&t->begin, at / HSC_SLICE_FIRST);
    for (unsigned i = 0; t && !status; t = t->next, i++) {
        sample[i] = i ? 0 : at;
        if (i && !is_last && !(status = hsc_times_slice(db, t, 0, tick, &slice, err)))
            sample[i] = slice * HSC_SLICE_FIRST / hsc_times_slice_size(t, 0) * hsc_times_slice_size(t, 0);
        sample[i] = is_last || sample[i] > samples_of(t) ? samples_of(t) : sample[i];
        if (sample[i] < before->sample[i]) /* of a damaged file */
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

static void take(const hsc_marks *m, unsigned from, unsigned to, hsc_leaf_half half, bool fresh);

/* Keeps what was added since the mark before; where counts do not fit 32 bits there are no more marks. */
static hsc_status keep(hsc_db *db, hsc_marks *m, const uint64_t *sample, hsc_err *err) {
    mark *of = &m->marks[m->n + 1];
    uint64_t any = 0;
    *of = (mark){0};
    memcpy(of->sample, sample, sizeof of->sample);
    for (uint64_t k = 0; k < m->leaves; k++)
        any |= m->total[k];
    if (any > UINT32_MAX) {
        m->wanted = m->n;
        return HSC_OK;
    }
    if (!hsc_some_counts_take(m->total, m->leaves, &of->since))
        return out_of_memory(db, err);
    m->n++;
    m->is_due = is_full(m, m->n);
    return HSC_OK;
}

/* All counts of the last one, which takes as long as a batch. */
static hsc_status keep_all(hsc_db *db, hsc_marks *m, hsc_err *err) {
    mark *of = &m->marks[m->n];
    uint64_t any = 0;
    m->is_due = false;
    for (int second = 0; second < 2; second++)
        take(m, 0, m->n, hsc_leaf_half_of(m->leaves, second, m->total), true);
    for (uint64_t k = 0; k < m->leaves; k++)
        any |= m->total[k];
    of->is_full = any <= UINT32_MAX;
    if (of->is_full && !hsc_all_counts_make(m->total, m->leaves, &of->all)) {
        of->is_full = false;
        return out_of_memory(db, err);
    }
    memset(m->total, 0, m->leaves * sizeof *m->total);
    return HSC_OK;
}

/* What is between two places of all layers. */
static bool note_all(hsc_adding *a, hsc_times *t, const uint64_t *first, const uint64_t *last) {
    bool ok = true;
    for (; t && ok; t = t->next)
        ok = hsc_adding_note(a, t, *first++, *last++, false);
    return ok;
}

/* A batch of chunks, and the mark where that was the last of it. */
static hsc_status make_step(hsc_db *db, hsc_marks *m, hsc_times *program, hsc_err *err) {
    uint64_t next[HSC_LAYERS_MAX] = {0};
    if (m->is_due)
        return keep_all(db, m, err);
    hsc_status status = find_next(db, m, program, next, err);
    if (!status && !m->adding) {
        m->adding = hsc_adding_new();
        bool ok = m->adding && note_all(m->adding, program, m->marks[m->n].sample, next);
        status = ok ? HSC_OK : out_of_memory(db, err);
    }
    if (!status)
        status = hsc_adding_go_on(db, m->adding, m->total, 0, err);
    if (!status && hsc_adding_is_done(m->adding)) {
        hsc_adding_free(db, m->adding);
        m->adding = NULL;
        status = keep(db, m, next, err);
    }
    return status;
}

hsc_status hsc_marks_make_some(hsc_db *db, hsc_times *program, bool *ready, hsc_err *err) {
    double until = hsc_interval_now_s() + db->marks_s;
    hsc_status status = db->marks ? HSC_OK : begin(db, program, err);
    hsc_marks *m = db->marks;
    *ready = !status && m->n == m->wanted && !m->is_due;
    if (*ready)
        return HSC_OK;
    while (!status) {
        status = make_step(db, m, program, err);
        if ((m->n == m->wanted && !m->is_due) || hsc_interval_now_s() >= until)
            break;
    }
    if (status) {
        hsc_marks_free(db);
    } else if (m->n == m->wanted && !m->is_due) {
        end_making(db, m);
        hsc_large_give_back();
    }
    return status;
}

/* ---- their use ---- */

/* What it costs to read from a mark to a place. */
static uint64_t cost_to(const mark *m, hsc_times *t, const uint64_t *sample) {
    uint64_t sum = 0;
    for (unsigned i = 0; t; t = t->next, i++)
        sum += hsc_adding_cost(t, least_of(m->sample[i], sample[i]), m->sample[i] < sample[i] ? sample[i] : m->sample[i]);
    return sum;
}

/* The mark from which least is to be read to a place, of those before and behind it; 0: the run's begin. */
static unsigned nearest(const hsc_marks *m, hsc_times *t, const uint64_t *sample, uint64_t *cost) {
    unsigned before = 0;
    while (before < m->n && m->marks[before + 1].sample[0] <= sample[0])
        before++;
    uint64_t behind = before < m->n ? cost_to(&m->marks[before + 1], t, sample) : UINT64_MAX;
    *cost = cost_to(&m->marks[before], t, sample);
    if (behind >= *cost)
        return before;
    *cost = behind;
    return before + 1;
}

/* The nearest one that has all counts, or the run's begin. */
static unsigned nearest_full(const hsc_marks *m, unsigned at) {
    for (unsigned way = 0;; way++) {
        if (at + way <= m->n && m->marks[at + way].is_full)
            return at + way;
        if (way >= at || m->marks[at - way].is_full)
            return way >= at ? 0 : at - way;
    }
}

/* What came from one mark to another, so many times. */
static void add_since(const hsc_marks *m, unsigned from, unsigned to, hsc_leaf_half half, uint64_t times) {
    for (unsigned i = from + 1; i <= to; i++)
        hsc_some_counts_add(&m->marks[i].since, half, times);
    for (unsigned i = to + 1; i <= from; i++)
        hsc_some_counts_add(&m->marks[i].since, half, -times);
}

/* What came from one mark to another that is behind it: mark by mark, or over those that have all. */
static void take(const hsc_marks *m, unsigned from, unsigned to, hsc_leaf_half half, bool fresh) {
    unsigned low = nearest_full(m, from), high = nearest_full(m, to);
    unsigned way = (low < from ? from - low : low - from) + (high < to ? to - high : high - to);
    if (to - from <= way)
        low = high = from;
    hsc_all_counts_take(&m->marks[low].all, &m->marks[high].all, half, fresh);
    add_since(m, from, low, half, 1);
    add_since(m, high, to, half, 1);
}

typedef struct part { /* a half of a difference */
    const hsc_marks *of;
    const hsc_marks_way *way;
    hsc_leaf_half half;
    bool fresh;
} part;

static void *take_part(void *ctx) {
    const part *p = ctx;
    take(p->of, p->way->from, p->way->to, p->half, p->fresh);
    return NULL;
}

void hsc_marks_take(const hsc_db *db, const hsc_marks_way *way, bool fresh, uint64_t *total) {
    /* leaves: fewer take no longer than a thread to start; cost: the process that unpacks meanwhile needs a processor for as long */
    enum { LEAST = 1 << 16, READ_MOST = 1 << 20 };
    const hsc_marks *m = db->marks;
    part first = {m, way, hsc_leaf_half_of(m->leaves, false, total), fresh}, second = {m, way, hsc_leaf_half_of(m->leaves, true, total), fresh};
    pthread_t thread;
    bool both = m->leaves >= LEAST && sysconf(_SC_NPROCESSORS_ONLN) > (way->cost > READ_MOST ? 2 : 1) && !pthread_create(&thread, NULL, take_part, &second);
    take_part(&first);
    if (both)
        pthread_join(thread, NULL);
    else
        take_part(&second);
}

/* From a mark to an end of the interval, or back. */
static bool note_way(hsc_adding *a, hsc_times *t, const mark *m, const uint64_t *end, bool is_begin) {
    bool ok = true;
    for (unsigned i = 0; t && ok; t = t->next, i++)
        ok = end[i] >= m->sample[i] ? hsc_adding_note(a, t, m->sample[i], end[i], is_begin) : hsc_adding_note(a, t, end[i], m->sample[i], !is_begin);
    return ok;
}

bool hsc_marks_note(const hsc_db *db, hsc_adding *a, hsc_times *program, const uint64_t *first, const uint64_t *last, hsc_marks_way *way) {
    const hsc_marks *m = db->marks;
    uint64_t costs[2] = {0};
    unsigned from = m ? nearest(m, program, first, &costs[0]) : 0, to = m ? nearest(m, program, last, &costs[1]) : 0;
    *way = (hsc_marks_way){0};
    if (from >= to) /* none, or none between */
        return note_all(a, program, first, last);
    *way = (hsc_marks_way){from, to, costs[0] + costs[1]};
    return note_way(a, program, &m->marks[from], first, true) && note_way(a, program, &m->marks[to], last, false);
}
