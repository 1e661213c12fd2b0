/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many threads computed at the same time: what a run's size is by threads. A main thread that waits for the others, and pools made one after the
 * other, add no processor to it. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/records.h>
#include <report_elapsed.h>

enum { BINS = 1024, WORDS = BINS / 64, THREADS = 4096, ROWS = 64, FEW = 8 }; /* FEW samples don't tell when a thread computed */

static const double LITTLE = 0.02;   /* of the CPU time of its process' busiest thread: with less it only waits */
static const double HANDS_ON = 0.05; /* the same of its first one: it reads, writes and gives the others work */
static const double AT_ONCE = 0.25;  /* of the time of the one that was active less: with less two took turns */
static const double NO_LINE_S = 0.05; /* where time in line is not known: so long a gap may be one */

typedef struct active { /* when a thread was running or ready to */
    uint64_t bits[WORDS];
    uint32_t n, first;
} active;

static bool has(const active *a, uint32_t bin) { return a->bits[bin / 64] >> bin % 64 & 1; }

static void set(active *a, uint32_t from, uint32_t to) {
    for (uint32_t b = from; b < to; b++) {
        a->n += !has(a, b);
        a->bits[b / 64] |= (uint64_t)1 << b % 64;
    }
}

typedef struct gap {
    uint32_t begin, n;
} gap;

static int shorter(const void *p, const void *q) {
    const gap *x = p, *y = q;
    return x->n != y->n ? (x->n > y->n) - (x->n < y->n) : (x->begin > y->begin) - (x->begin < y->begin);
}

/* Between samples a thread runs on, or stands in line: the shortest gaps are that, until its CPU time and its time in line are used up. */
static void close_gaps(active *a, const hsc_db_thread *t, double width_s) {
    gap gaps[BINS];
    uint32_t n = 0, begin = BINS;
    double left = ceil((t->cpu_s + (t->runnable_s >= 0 ? t->runnable_s : 0)) / width_s) - a->n;
    for (uint32_t b = 0; b < BINS; b++) {
        if (!has(a, b))
            continue;
        if (begin != BINS && b > begin)
            gaps[n++] = (gap){begin, b - begin};
        begin = b + 1;
    }
    qsort(gaps, n, sizeof *gaps, shorter);
    for (uint32_t i = 0; i < n && (gaps[i].n <= left || (t->runnable_s < 0 && gaps[i].n * width_s <= NO_LINE_S)); i++) {
        set(a, gaps[i].begin, gaps[i].begin + gaps[i].n);
        left -= gaps[i].n;
    }
}

/* By its samples, where the database has their times. */
static hsc_status read_active(const report *r, active *of, hsc_err *err) {
    hsc_db_times times;
    hsc_status s = hsc_db_get_times(r->db, &times, err);
    uint32_t n = r->info.threads, *row_of = malloc(((size_t)n + 1) * sizeof *row_of);
    hsc_db_slot *slots = malloc((size_t)ROWS * BINS * sizeof *slots);
    if (!s && (!row_of || !slots))
        s = hsc_err_set(err, HSC_E_MEMORY, "no memory for the times of %u threads", n);
    for (uint32_t t = 0; !s && t < n; t++)
        row_of[t] = t;
    for (uint32_t first = 0; first < n && !s && times.present; first += ROWS) {
        uint32_t some = n - first < ROWS ? n - first : ROWS;
        s = hsc_db_read_timeline_rows(r->db, HSC_TIMELINE_CATEGORY, n, row_of, first, some, 0, r->info.wall_s, BINS, slots, err);
        for (size_t i = 0; !s && i < (size_t)some * BINS; i++)
            if (slots[i].key != HSC_NONE)
                set(&of[first + i / BINS], i % BINS, i % BINS + 1);
    }
    for (uint32_t t = 0; t < n && !s; t++) {
        hsc_db_thread thread;
        if ((s = hsc_db_get_thread(r->db, t, &thread, err)))
            break;
        double width_s = r->info.wall_s / BINS;
        bool blocked = thread.runnable_s >= 0 && thread.cpu_s + thread.runnable_s < AT_ONCE * (thread.end_s - thread.begin_s);
        if (of[t].n && (thread.records >= FEW || blocked))
            close_gaps(&of[t], &thread, width_s);
        else { /* maybe all its life */
            double from = fmin(BINS - 1, fmax(0, thread.begin_s / width_s)), to = fmin(BINS, fmax(from + 1, floor(thread.end_s / width_s)));
            set(&of[t], (uint32_t)from, (uint32_t)to);
        }
        while (!has(&of[t], of[t].first))
            of[t].first++;
    }
    free(row_of);
    free(slots);
    return s;
}

static bool at_once(const active *a, const active *b) {
    uint32_t both = 0;
    for (int i = 0; i < WORDS; i++)
        both += (uint32_t)__builtin_popcountll(a->bits[i] & b->bits[i]);
    return both > AT_ONCE * (a->n < b->n ? a->n : b->n);
}

/* Threads of OpenMP's teams: each is there at the same time as the others, whatever it was given. */
static hsc_status mark_teams(const report *r, bool *team, hsc_err *err) {
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; i < r->info.waits && !s; i++) {
        hsc_db_wait w;
        s = hsc_db_get_wait(r->db, i, &w, err);
        if (!s && w.thread < r->info.threads && w.kind >= HSC_wait_kind_OMP_BARRIER && w.kind <= HSC_wait_kind_OMP_IDLE)
            team[w.thread] = true;
    }
    return s;
}

typedef struct ordered {
    uint32_t process, first, thread;
} ordered;

static int rising(const void *p, const void *q) {
    const ordered *x = p, *y = q;
    return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
           : x->first != y->first   ? (x->first > y->first) - (x->first < y->first)
                                    : (x->thread > y->thread) - (x->thread < y->thread);
}

/* Did two live at the same time? */
static bool lived_at_once(const report *r, uint32_t a, uint32_t b) {
    hsc_db_thread x, y;
    return !hsc_db_get_thread(r->db, a, &x, NULL) && !hsc_db_get_thread(r->db, b, &y, NULL) && x.begin_s < y.end_s && y.begin_s < x.end_s;
}

/* threads[n] of one process, by when they began: to[thread]. taken_by[thread]: scratch, HSC_NONE. */
static hsc_status put_process(const report *r, const ordered *threads, uint32_t n, const active *of, const bool *team, uint32_t *to, uint32_t *taken_by,
                              hsc_err *err) {
    double most_s = 0;
    uint32_t busiest = threads[0].thread;
    hsc_db_thread t;
    hsc_status s = HSC_OK;
    for (uint32_t i = 0; i < n && !s; i++)
        if (!(s = hsc_db_get_thread(r->db, threads[i].thread, &t, err)) && t.cpu_s > most_s) {
            most_s = t.cpu_s;
            busiest = threads[i].thread;
        }
    for (uint32_t i = 0; i < n && !s && most_s > 0; i++) {
        uint32_t me = threads[i].thread;
        if ((s = hsc_db_get_thread(r->db, me, &t, err)))
            break;
        if (!team[me] && t.cpu_s < (t.index ? LITTLE : HANDS_ON) * most_s) {
            to[me] = HSC_NONE;
            continue;
        }
        for (uint32_t k = 0; k < i; k++) {
            uint32_t other = threads[k].thread;
            if (to[other] != HSC_NONE && (at_once(&of[other], &of[me]) || (team[other] && team[me] && lived_at_once(r, other, me))))
                taken_by[to[other]] = me;
        }
        for (uint32_t k = 0; k < i && to[me] == me; k++) { /* the first that has been alone so far when this one is active */
            uint32_t seat = threads[k].thread;
            if (to[seat] == seat && taken_by[seat] != me)
                to[me] = seat;
        }
    }
    for (uint32_t i = 0; i < n && !s; i++)
        if (to[threads[i].thread] == HSC_NONE)
            to[threads[i].thread] = to[busiest];
    return s;
}

static hsc_status put_together(report *r, hsc_err *err) {
    uint32_t n = r->info.threads, count = 0, seats = 0;
    const bool *helpers = report_helpers(r);
    r->counted = r->working;
    if (r->axis != HSC_AXIS_THREAD || r->info.simulated || !diff_is_whole(r) || !(r->info.wall_s > 0) || n < 2 || n > THREADS || r->stands_for)
        return HSC_OK;
    active *of = calloc(n, sizeof *of);
    bool *team = calloc(n, sizeof *team);
    ordered *order = malloc(n * sizeof *order);
    uint32_t *to = malloc(n * sizeof *to), *taken_by = malloc(n * sizeof *taken_by);
    hsc_status s = of && team && order && to && taken_by ? read_active(r, of, err) : hsc_err_set(err, HSC_E_MEMORY, "no memory for %u threads", n);
    if (!s)
        s = mark_teams(r, team, err);
    for (uint32_t t = 0; t < n && !s; t++) {
        hsc_db_thread thread;
        to[t] = t;
        taken_by[t] = HSC_NONE;
        if (!(s = hsc_db_get_thread(r->db, t, &thread, err)) && !(helpers && helpers[t]) && !report_was_replaced(r->db, thread.process))
            order[count++] = (ordered){thread.process, of[t].first, t};
    }
    if (!s && count)
        qsort(order, count, sizeof *order, rising);
    for (uint32_t i = 0, k = 0; i < count && !s; i = k) {
        while (k < count && order[k].process == order[i].process)
            k++;
        s = put_process(r, order + i, k - i, of, team, to, taken_by, err);
    }
    for (uint32_t i = 0; i < count && !s; i++)
        seats += to[order[i].thread] == order[i].thread;
    free(of);
    free(team);
    free(order);
    free(taken_by);
    if (!s && seats && seats < count) {
        r->stands_for = to;
        r->working = seats;
    } else {
        free(to);
    }
    return s;
}

void diff_agree(report **runs, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            if (runs[k]->counted == runs[i]->counted && runs[k]->working > runs[i]->working && !runs[i]->size_given)
                runs[i]->working = runs[k]->working;
}

hsc_status diff_put_together(diff *d, hsc_err *err) {
    report *both[] = {&d->a, &d->b};
    hsc_status s = HSC_OK;
    for (int i = 0; i < 2 && !s; i++) {
        report_leave_helpers(both[i]);
        s = put_together(both[i], err);
    }
    diff_agree(both, 2);
    for (int i = 0; i < 2; i++)
        both[i]->working = both[i]->size_given ? both[i]->size_given : both[i]->working;
    d->scaling = d->a.working != d->b.working;
    return s;
}
