/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Delays into seconds of others' waiting that each place is the cause of: rows of the database, metrics, the ledger. */
#include "added.h"
#include "blame.h"

#include <math.h>
#include <stdlib.h>

#include <heatscope/sorted.h>

#include "../store/store.h"
#include "columns.h"
#include "details.h"

#define ROUNDS 1000

/* kept[delay]: ns of its waits that are a library's own matter, of threads with no code of the program's on their path, which wait for each other, or for work; and
 * waits of threads of the program for work. */
static bool find_kept(const join *j, const jdelays *d, double *kept) {
    bool *own = hsc_blame_own_paths(j);
    if (!own)
        return false;
    for (size_t i = 0; i < d->victims.n; i++) {
        const jvictim *v = &d->victims.p[i];
        uint32_t kind = d->sums.p[v->delay].key.kind;
        bool theirs = hsc_cause_is_of_threads(kind) && kind != HSC_wait_cause_OMP_BARRIER && !(v->context < j->contexts.n && own[v->context]);
        if (theirs || d->sums.p[v->delay].key.idle)
            kept[v->delay] += v->wait_ns;
    }
    free(own);
    return true;
}

/* What a late one had itself waited for is handed on, until nothing is left: all that was waited is then someone's own doing. But what threads of libraries,
 * or that had nothing to do, waited stays with those they waited for: it would be among the causes of the program's waiting else, which had no part in it. */
static bool hand_on(const join *j, jdelays *d) {
    size_t n = d->sums.n;
    double *given = calloc(n + 1, sizeof *given), *next = calloc(n + 1, sizeof *next), *out = calloc(n + 1, sizeof *out), *kept = calloc(n + 1, sizeof *kept);
    double total = 0, left = 0;
    if (!given || !next || !out || !kept || !find_kept(j, d, kept)) {
        free(given);
        free(next);
        free(out);
        free(kept);
        return false;
    }
    /* Flows of waits that lie in each other are more than was waited: nobody hands on more than all, else a circle of them would grow round by round. */
    for (size_t k = 0; k < d->flows.n; k++)
        out[d->flows.p[k].from] += d->flows.p[k].ns;
    for (size_t i = 0; i < n; i++)
        out[i] = fmax(out[i], d->sums.p[i].wait_ns);
    for (size_t i = 0; i < n; i++)
        total += given[i] = fmax(d->sums.p[i].wait_ns - kept[i], 0);
    left = total;
    for (int round = 0; round < ROUNDS && left > 1e-9 * total; round++) {
        for (size_t i = 0; i < n; i++)
            next[i] = 0;
        for (size_t k = 0; k < d->flows.n; k++) {
            const jflow *f = &d->flows.p[k];
            double handed = out[f->from] > 0 ? given[f->from] * f->ns / out[f->from] : 0;
            next[f->to] += handed;
            d->sums.p[f->from].caused_ns -= handed;
        }
        left = 0;
        for (size_t i = 0; i < n; i++) {
            d->sums.p[i].caused_ns += given[i];
            given[i] = next[i];
            left += given[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        d->sums.p[i].caused_ns += given[i];
        if (d->sums.p[i].caused_ns < 0)
            d->sums.p[i].caused_ns = 0;
        d->sums.p[i].caused_ns += fmin(kept[i], d->sums.p[i].wait_ns);
    }
    free(given);
    free(next);
    free(out);
    free(kept);
    return true;
}

/* ---- what the late threads did ---- */

static int by_key(const void *pa, const void *pb, void *ctx) {
    const jdelay_sum *sums = ctx;
    const jdelay_key *a = &sums[*(const uint32_t *)pa].key, *b = &sums[*(const uint32_t *)pb].key;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->idle != b->idle ? a->idle - b->idle : a->brief - b->brief;
}

/* But for how the cause of its waits was found. */
static bool is_same_call(const jdelay_key *a, const jdelay_key *b) {
    return a->thread == b->thread && a->kind == b->kind && a->context == b->context && a->line == b->line && a->idle == b->idle;
}

static int by_cell(const void *pa, const void *pb) {
    const jcell *a = pa, *b = pb;
    if (a->delay != b->delay)
        return a->delay < b->delay ? -1 : 1;
    const jdoing *x = &a->doing, *y = &b->doing;
    if (x->spot.context != y->spot.context)
        return x->spot.context < y->spot.context ? -1 : 1;
    if (hsc_doing_kind(x) != hsc_doing_kind(y))
        return hsc_doing_kind(x) < hsc_doing_kind(y) ? -1 : 1;
    if (x->spot.line != y->spot.line)
        return x->spot.line < y->spot.line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return x->spot.instance < y->spot.instance ? -1 : x->spot.instance > y->spot.instance;
}

static int by_delayed(const void *pa, const void *pb) {
    const jdelayed *a = pa, *b = pb;
    if (a->delay != b->delay)
        return a->delay < b->delay ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->begun < b->begun ? -1 : a->begun > b->begun;
}

static bool is_nowhere(const jcell *c) { return c->doing.spot.context == HSC_NO_INDEX; }

/* How much longer the late one was in the context and kind of call of cells[0..n) than those who waited. drawn: of both, by samples. */
static double difference(const jdelays *d, const jdelay_sum *s, uint32_t delay, const jcell *cells, size_t n, double *drawn) {
    uint32_t at = hsc_table_get(&d->other_rows, (uint64_t)delay << 32 | cells->doing.spot.context, (uint64_t)HSC_NO_INDEX << 32 | hsc_doing_kind(&cells->doing));
    double own = 0, others = at == HSC_NO_INDEX || s->victims <= 0 ? 0 : d->others.p[at].ns * s->windows / s->victims;
    for (size_t i = 0; i < n; i++)
        own += cells[i].ns;
    *drawn = own + others;
    if (is_nowhere(cells)) /* all but what samples tell */
        *drawn = s->told_ns + (s->victims > 0 ? s->told_of_others_ns * s->windows / s->victims : 0);
    return own > 0 ? own - others : 0; /* less than none, samples being drawn: nothing that it could be late by */
}

/* The same; 0: not more than chance explains. */
static double excess(const jdelays *d, const jdelay_sum *s, uint32_t delay, const jcell *cells, size_t n, bool surely) {
    double drawn, more = difference(d, s, delay, cells, n, &drawn), each = d->period_ns;
    if (s->told_of_others_ns > 0 && d->drawn_ns > 0) /* two draws are compared: samples may stand for more than a period */
        each = fmax(each, d->drawn_ns2 / d->drawn_ns);
    if (is_nowhere(cells) && s->noise_ns2 > 0)
        return more > 2 * sqrt(s->noise_ns2) ? more : 0;
    return more > (surely ? sqrt(drawn * each) : 0) ? more : 0;
}

typedef struct share { /* a part of a delay */
    jdoing doing;
    double part;
    uint8_t how; /* as delay_place's not_running */
    uint32_t cell; /* row of cells; HSC_NO_INDEX: none has its times */
} share;

enum { RUNNING = 0, NOT_RUNNING = 1, NOT_KNOWN = 2 };

typedef HSC_VEC(share) shares;

/* And in the same kind of call, if in one: what others computed there is no part of what this one slept. */
static size_t same_context(const jcell *cells, size_t i, size_t n) {
    size_t end = i + 1;
    while (end < n && cells[end].doing.spot.context == cells[i].doing.spot.context && hsc_doing_kind(&cells[end].doing) == hsc_doing_kind(&cells[i].doing))
        end++;
    return end;
}

/* Where a delay's windows were looked into and what nothing tells of is no more than chance: what waits and calls took in them is known, so what samples
 * told takes the rest of them, be it less or more than it says (a sample in a system call stands for time that may lie before the window). Where the late one
 * is compared with those who waited, nothing of that kind is known of these. */
static void fit(const jdelays *d, const jdelay_sum *s, uint32_t delay, jcell *cells, size_t n) {
    double waited = 0, drawn = 0, nowhere_ns = 0;
    jcell *nowhere = NULL;
    for (size_t i = 0; i < n; i++) {
        if (is_nowhere(&cells[i])) {
            nowhere = &cells[i];
            nowhere_ns = nowhere->ns;
            continue;
        }
        waited += cells[i].waited_ns;
        drawn += cells[i].ns - cells[i].waited_ns;
    }
    if (!nowhere || s->noise_ns2 <= 0 || s->stepped_ns > 0 || excess(d, s, delay, nowhere, 1, true) > 0 || waited <= 0 || drawn <= 0)
        return;
    double left = drawn + nowhere_ns, scale = left > 0 ? left / drawn : 0;
    for (size_t i = 0; i < n; i++)
        if (&cells[i] != nowhere)
            cells[i].ns = cells[i].waited_ns + scale * (cells[i].ns - cells[i].waited_ns);
    nowhere->ns = 0;
}

typedef struct in_line { /* how long a thread stood in line for a processor in all */
    double surely_ns, told_ns; /* no more than this; by what the kernel told, 0: nothing */
} in_line;

/* Of a delay whose late one was compared with those who waited from when they had been in step: the part of its lateness that is for want of a processor.
 * All that it was late by is what it did more and what it stood in line more: so chance makes this too much as often as too little, and the kernel says how
 * much it is at most. Windows that do not begin there are compared too (the first ones of a barrier of pthreads): it is a part of them all. */
static double part_in_line(const jdelays *d, const jdelay_sum *s, uint32_t delay, const jcell *cells, size_t n, const in_line *line) {
    double drawn, late = s->wait_ns > 0 && s->stepped_ns > 0 ? s->windows * fmax(1 - s->indirect_ns / s->wait_ns, 0) : 0;
    for (size_t i = 0; late > 0 && i < n; i++)
        if (is_nowhere(&cells[i]))
            return fmin(fmax(fmin(difference(d, s, delay, &cells[i], 1, &drawn), line->surely_ns), 0) / late, 1);
    return 0;
}

/* Parts of one delay by place; they add up to 1. What the thread was nowhere beyond its time in line it may have been in waits too short for
 * a record. */
static bool spread(const jdelays *d, uint32_t delay, const jcell *cells, size_t n, const in_line *line, shares *out) {
    const jdelay_sum *s = &d->sums.p[delay];
    const jdoing call = {.spot = {s->key.context, s->key.line, HSC_NO_INDEX}};
    double found = 0, expected = s->victims > 0 ? s->windows * s->late_ns / s->victims : 0, known = 0;
    double stood_in_line = part_in_line(d, s, delay, cells, n, line);
    bool surely = true, apart = s->stepped_ns > 0; /* what it was nowhere is told apart */
    out->n = 0;
    for (int pass = 0; pass < 2 && found <= 0; pass++) {
        surely = pass == 0;
        for (size_t i = 0, end; i < n; i = end) {
            end = same_context(cells, i, n);
            found += apart && is_nowhere(&cells[i]) ? 0 : excess(d, s, delay, cells + i, end - i, surely);
        }
    }
    /* less than it was late: it may have stood in line for a processor, or done what is not known. Where chance may have made
     * the difference, the rest is told as not known */
    if (found > 0)
        known = surely || expected <= found ? 1 - stood_in_line : found / expected;
    double unknown = 1 - known - stood_in_line;
    for (size_t i = 0, end; known > 0 && i < n; i = end) {
        end = same_context(cells, i, n);
        double more = apart && is_nowhere(&cells[i]) ? 0 : excess(d, s, delay, cells + i, end - i, surely), shared = 0;
        for (size_t k = i; k < end; k++) /* a call's idle time may be less than none, samples being drawn: it has no part, and the others all of it */
            shared += fmax(cells[k].ns, 0);
        for (; more > 0 && i < end; i++) {
            if (cells[i].ns <= 0)
                continue;
            bool nowhere = is_nowhere(&cells[i]);
            share part = {nowhere ? call : cells[i].doing, known * more / found * cells[i].ns / shared, nowhere ? NOT_RUNNING : RUNNING,
                          nowhere || cells[i].timed_ns <= 0 ? HSC_NO_INDEX : (uint32_t)(cells + i - d->cells.p)};
            if (nowhere && more > line->surely_ns) {
                unknown += part.part * (1 - line->surely_ns / more);
                part.part *= line->surely_ns / more;
            }
            if (cells[i].doing.idle) { /* in a call: what it did not stand in line it may have slept there */
                share stood = part;
                double stood_part = line->told_ns < more ? line->told_ns / more : 1;
                stood.part *= stood_part;
                part.part *= 1 - stood_part;
                stood.how = NOT_RUNNING;
                if (stood.part > 0 && !HSC_PUSH(*out, stood))
                    return false;
            }
            if (part.part > 0 && !HSC_PUSH(*out, part))
                return false;
        }
    }
    if (stood_in_line > 0 && !HSC_PUSH(*out, (share){call, stood_in_line, NOT_RUNNING, HSC_NO_INDEX}))
        return false;
    return unknown <= 0 || HSC_PUSH(*out, (share){call, unknown, NOT_KNOWN, HSC_NO_INDEX});
}

/* ---- the ledger ---- */

enum { LEDGER_TOTALS = 0, LEDGER_WAITS = 6, LEDGER_CALLS = 7 }; /* groups */

static bool add_row(join *j, uint32_t group, const char *name, const char *meaning, double ns) {
    return HSC_PUSH(j->ledger, (jledger){name, meaning, 0, ns * 1e-9, group});
}

static hsc_status add_ledger(join *j, const jdelays *d, hsc_err *err) {
    static const struct {
        unsigned kind;
        const char *name, *meaning;
    } rows[] = {
        {HSC_wait_cause_LATE_SENDER, "late sender", "[message waits] until the message was sent"},
        {HSC_wait_cause_LATE_RECEIVER, "late receiver", "[message waits] until its receive began"},
        {HSC_wait_cause_BARRIER, "late at a barrier", "[message waits] until the last one came"},
        {HSC_wait_cause_COLLECTIVE, "late at a collective operation", "[message waits] until the last one came"},
        {HSC_wait_cause_LATE_ROOT, "late root", "[message waits] until the root came"},
        {HSC_wait_cause_LATE_MEMBER, "late for the root", "[message waits] of the root, until the last one came"},
        {HSC_wait_cause_FENCE, "late at a fence", "[message waits] until the last one of the window came"},
        {HSC_wait_cause_LATE_POST, "late post", "[message waits] until the target let its part be accessed"},
        {HSC_wait_cause_LATE_COMPLETE, "late complete", "[message waits] until the last origin came to the end of its accesses"},
        {HSC_wait_cause_WINDOW_LOCK, "held a lock of a window", "[message waits] until the lock was given back"},
        {HSC_wait_cause_LATE_TARGET, "late target", "[message waits] of locks, accesses and flushes, until the target let the library go on"},
        {HSC_wait_cause_LATE_NEIGHBOUR, "late neighbour", "[message waits] in operations of neighbours, until the last one came"},
    };
    double calls = 0, setup = 0;
    hsc_status status = HSC_OK;
    for (size_t i = 0; status == HSC_OK && i < j->run.n; i++) {
        jprocess *p = j->run.p[i];
        status = hsc_join_open_details(j, p, err);
        for (size_t k = 0; status == HSC_OK && k < p->messages.n; k++) {
            const jmessage *m = &p->messages.p[k];
            bool sets_up = m->operation != HSC_NO_INDEX && p->operations.p[m->operation].kind == HSC_operation_class_SETUP;
            *(sets_up ? &setup : &calls) += (double)m->duration_ns;
        }
        hsc_join_close_details(p);
    }
    if (status != HSC_OK)
        return status;
    bool ok = add_row(j, LEDGER_TOTALS, "calls of MPI", "elapsed time of all calls of message passing, and between such as only look, one right after another",
                      calls + setup + d->between_ns) &&
              add_row(j, LEDGER_TOTALS, "message waits",
                      "elapsed time of those calls that may have waited and have an event", d->calls_ns) &&
              add_row(j, LEDGER_CALLS, "message waits", "[calls of MPI] that may have waited and have an event", d->calls_ns) &&
              add_row(j, LEDGER_CALLS, "no event", "[calls of MPI] too short for one (0.1 ms), or of a kind that waits for nobody",
                      calls + d->between_ns - (d->calls_ns - d->setup_ns)) &&
              add_row(j, LEDGER_CALLS, "start, end and set-up", "[calls of MPI] MPI_Init, communicators, types, windows, ..., but those that may have waited and have an event", setup - d->setup_ns);
    for (unsigned k = 0; ok && k < sizeof rows / sizeof *rows; k++)
        ok = add_row(j, LEDGER_WAITS, rows[k].name, rows[k].meaning, d->kind_ns[rows[k].kind]);
    ok = ok && add_row(j, LEDGER_WAITS, "no one came later", "[message waits] and the time of calls after the late one came: transfer, others' load",
                       d->waited_ns) &&
         add_row(j, LEDGER_WAITS, "not told: other clock", "[message waits] the late one's clock is not this one's", d->elsewhere_ns) &&
         add_row(j, LEDGER_WAITS, "not told: partner",
                 "[message waits] between two groups, with neighbours that are not known, or of an order that is not sure",
                 d->unclear_ns);
    if (ok && d->not_recorded)
        ok = HSC_PUSH(j->ledger, (jledger){"message events not recorded", "for want of room (not samples): their waits are in no row",
                                           d->not_recorded, 0, 0});
    return ok ? HSC_OK : hsc_join_no_memory(err);
}

/* ---- rows ---- */

typedef HSC_VEC(uint32_t) row_list;

/* caused_rows: of each of `caused`, the row of j->delay_places. */
static bool make_rows(join *j, jdelays *d, jamounts *caused, row_list *caused_rows, jamounts *waiting, uint32_t *victim_row) {
    size_t n = d->sums.n;
    uint32_t *order = malloc((n + 1) * sizeof *order), *rank = malloc((n + 1) * sizeof *rank);
    shares parts = {0};
    bool ok = order && rank;
    for (uint32_t i = 0; ok && i < n; i++)
        order[i] = i;
    if (ok && n > 1)
        qsort_r(order, n, sizeof *order, by_key, d->sums.p);
    if (ok && d->cells.n > 1)
        qsort(d->cells.p, d->cells.n, sizeof *d->cells.p, by_cell); /* their table is not used any more */
    for (uint32_t i = 0; ok && i < n; i++) {
        uint32_t delay = order[i];
        const jdelay_sum *s = &d->sums.p[delay];
        size_t first = 0, high = d->cells.n, end;
        bool same = i && is_same_call(&d->sums.p[order[i - 1]].key, &s->key);
        uint32_t row = rank[delay] = (uint32_t)j->delays.n - same;
        HSC_SEARCH(first, high, d->cells.p[first].delay < delay);
        for (end = first; end < d->cells.n && d->cells.p[end].delay == delay;)
            end++;
        fit(d, s, delay, d->cells.p + first, end - first);
        double own = s->wait_ns > s->indirect_ns ? s->wait_ns - s->indirect_ns : 0;
        const hsc_rec_thread_usage *usage = &j->threads.p[s->key.thread]->usage;
        double at_once = s->spanned_ns > 0 ? fmax(s->looked_ns / s->spanned_ns, 1) : 1; /* what the thread was in line for once is in the windows of all who waited */
        in_line line = {s->noise_ns2 > 0 && (usage->run_ns || usage->runnable_ns) ? at_once * (double)usage->runnable_ns : INFINITY, (double)usage->runnable_ns};
        ok = spread(d, delay, d->cells.p + first, end - first, &line, &parts) &&
             (same || HSC_PUSH(j->delays, (jdelay){.kind = s->key.kind, .thread = s->key.thread, .context = s->key.context, .line = s->key.line, .idle = s->key.idle}));
        if (ok) {
            jdelay *sum = &j->delays.p[row];
            sum->waits += s->waits;
            sum->wait_s += s->wait_ns * 1e-9;
            sum->indirect_s += s->indirect_ns * 1e-9;
            sum->caused_s += s->caused_ns * 1e-9;
        }
        for (size_t k = 0; ok && k < parts.n; k++) {
            const share *p = &parts.p[k];
            double for_work_s = s->key.idle ? p->part * fmin(s->wait_ns, s->caused_ns) * 1e-9 : 0;
            jdelay_place *last = j->delay_places.n ? &j->delay_places.p[j->delay_places.n - 1] : NULL;
            if (last && last->delay == row && last->context == p->doing.spot.context && last->line == p->doing.spot.line &&
                last->wait_kind == p->doing.kind && last->column == p->doing.column && last->not_running == p->how) {
                last->direct_s += p->part * own * 1e-9;
                last->caused_s += p->part * s->caused_ns * 1e-9;
                last->for_work_s += for_work_s;
            } else {
                ok = HSC_PUSH(j->delay_places, (jdelay_place){.delay = row, .context = p->doing.spot.context, .line = p->doing.spot.line, .direct_s = p->part * own * 1e-9,
                                                              .caused_s = p->part * s->caused_ns * 1e-9, .for_work_s = for_work_s, .not_running = p->how,
                                                              .wait_kind = (uint8_t)p->doing.kind, .column = p->doing.column});
            }
            jpart timed = {delay, (uint32_t)(j->delay_places.n - 1), HSC_NO_INDEX, p->part * own, p->part * s->caused_ns, 0};
            if (p->cell != HSC_NO_INDEX) {
                timed.cell = d->cells.p[p->cell].id;
                timed.cell_ns = d->cells.p[p->cell].timed_ns;
            }
            ok = ok && (!d->spill || HSC_PUSH(d->parts, timed)) && HSC_PUSH(*caused, (jamount){s->key.thread, HSC_state_UNKNOWN, p->doing.spot, p->part * s->caused_ns}) &&
                 HSC_PUSH(*caused_rows, (uint32_t)(j->delay_places.n - 1));
        }
    }
    for (size_t i = 0; ok && i < d->victims.n; i++) {
        const jvictim *v = &d->victims.p[i];
        uint32_t kind = d->sums.p[v->delay].key.kind;
        ok = HSC_PUSH(j->delayed, (jdelayed){rank[v->delay], v->thread, v->context, v->line, v->begun, v->waits, v->wait_ns * 1e-9, v->max_ns * 1e-9, (uint32_t)i});
        if (ok && !hsc_cause_is_of_threads(kind))
            ok = HSC_PUSH(*waiting, (jamount){v->thread, HSC_state_WAITING, {v->context, v->line, HSC_NO_INDEX}, v->wait_ns});
    }
    if (ok && j->delayed.n > 1)
        qsort(j->delayed.p, j->delayed.n, sizeof *j->delayed.p, by_delayed);
    for (uint32_t i = 0; ok && i < j->delayed.n; i++)
        victim_row[j->delayed.p[i].victim] = i;
    free(order);
    free(rank);
    free(parts.p);
    return ok;
}

/* The metric has what counts: causes as the program's people should read them. */
static void leave_counted(const join *j, jamounts *caused, const row_list *rows) {
    size_t kept = 0;
    for (size_t i = 0; i < caused->n; i++) {
        const jdelay_place *p = &j->delay_places.p[rows->p[i]];
        caused->p[i].value *= p->caused_s > 0 ? p->counted_s / p->caused_s : 0;
        if (caused->p[i].value > 0)
            caused->p[kept++] = caused->p[i];
    }
    caused->n = kept;
}

hsc_status hsc_join_match(join *j, hsc_err *err) {
    jdelays *d = j->matched = calloc(1, sizeof *d);
    if (!d)
        return hsc_join_no_memory(err);
    *d = (jdelays){.spill = j->options->no_times ? NULL : j->spill, .slice_ticks = 100000000u / (j->tick_ns ? j->tick_ns : 1)};
    hsc_blame_find_idle(j);
    hsc_status status = hsc_blame_threads(j, d, err);
    return status == HSC_OK ? hsc_blame_match(j, d, err) : status;
}

void hsc_join_free_match(join *j) {
    if (j->matched)
        hsc_delays_free(j->matched);
    free(j->matched);
    j->matched = NULL;
}

hsc_status hsc_join_blame(join *j, hsc_err *err) {
    jdelays *d = j->matched;
    uint32_t *victim_row = NULL;
    jamounts caused = {0}, waiting = {0};
    row_list caused_rows = {0};
    hsc_status status = HSC_OK;
    bool ok = (victim_row = calloc(d->victims.n + 1, sizeof *victim_row)) && hand_on(j, d) && make_rows(j, d, &caused, &caused_rows, &waiting, victim_row) && hsc_blame_count(j);
    if (ok)
        leave_counted(j, &caused, &caused_rows);
    if (!(ok && hsc_join_add_metric(j, &(jadded){"MPI waiting", "s", 1e-9, 1000, 10}, &waiting) && hsc_join_add_metric(j, &(jadded){"waiting caused", "s", 1e-9, 1000, 10}, &caused)))
        status = hsc_join_no_memory(err);
    if (status == HSC_OK && d->spill)
        status = hsc_delays_put_slices(j, d, victim_row, err);
    if (status == HSC_OK && d->calls)
        status = add_ledger(j, d, err);
    free(caused.p);
    free(caused_rows.p);
    free(waiting.p);
    free(victim_row);
    hsc_join_free_match(j);
    return status;
}

/* ---- into the store ---- */

static void *column(const void *rows, size_t n, size_t row_size, size_t offset, size_t size) {
    uint8_t *v = malloc(n * size + 1);
    for (size_t i = 0; v && i < n; i++)
        for (size_t b = 0; b < size; b++)
            v[i * size + b] = ((const uint8_t *)rows)[i * row_size + offset + b];
    return v;
}

hsc_status hsc_join_emit_blame(join *j, hsc_store *store, hsc_err *err) {
    hsc_status status = HSC_OK;
#define PUT(id, list, type, member)                                                                                     \
    do {                                                                                                                \
        void *v_ = column((list).p, (list).n, sizeof *(list).p, offsetof(type, member), sizeof (list).p->member);      \
        if (status == HSC_OK)                                                                                           \
            status = v_ ? hsc_store_put_column(store, HSC_COL_##id, v_, (list).n, err) : hsc_join_no_memory(err);       \
        free(v_);                                                                                                       \
    } while (0)
    uint8_t *kinds = malloc(j->delays.n + 1);
    for (size_t i = 0; kinds && i < j->delays.n; i++)
        kinds[i] = (uint8_t)j->delays.p[i].kind;
    status = kinds ? hsc_store_put_column(store, HSC_COL_delay_kind, kinds, j->delays.n, err) : hsc_join_no_memory(err);
    free(kinds);
    PUT(delay_thread, j->delays, jdelay, thread);
    PUT(delay_context, j->delays, jdelay, context);
    PUT(delay_line, j->delays, jdelay, line);
    PUT(delay_waits, j->delays, jdelay, waits);
    PUT(delay_wait_s, j->delays, jdelay, wait_s);
    PUT(delay_indirect_s, j->delays, jdelay, indirect_s);
    PUT(delay_caused_s, j->delays, jdelay, caused_s);
    PUT(delay_for_work, j->delays, jdelay, for_work);
    PUT(delayed_delay, j->delayed, jdelayed, delay);
    PUT(delayed_thread, j->delayed, jdelayed, thread);
    PUT(delayed_context, j->delayed, jdelayed, context);
    PUT(delayed_line, j->delayed, jdelayed, line);
    PUT(delayed_begun, j->delayed, jdelayed, begun);
    PUT(delayed_waits, j->delayed, jdelayed, waits);
    PUT(delayed_wait_s, j->delayed, jdelayed, wait_s);
    PUT(delayed_max_s, j->delayed, jdelayed, max_s);
    PUT(delay_place_delay, j->delay_places, jdelay_place, delay);
    PUT(delay_place_context, j->delay_places, jdelay_place, context);
    PUT(delay_place_line, j->delay_places, jdelay_place, line);
    PUT(delay_place_direct_s, j->delay_places, jdelay_place, direct_s);
    PUT(delay_place_caused_s, j->delay_places, jdelay_place, caused_s);
    PUT(delay_place_counted_s, j->delay_places, jdelay_place, counted_s);
    PUT(delay_place_of_libraries, j->delay_places, jdelay_place, of_libraries);
    PUT(delay_place_not_running, j->delay_places, jdelay_place, not_running);
    PUT(delay_place_wait_kind, j->delay_places, jdelay_place, wait_kind);
    PUT(delay_place_column, j->delay_places, jdelay_place, column);
    uint8_t *categories = malloc(j->delay_places.n + 1);
    for (size_t i = 0; categories && i < j->delay_places.n; i++)
        categories[i] = j->delay_places.p[i].context < j->context_categories.n ? j->context_categories.p[j->delay_places.p[i].context] : 0;
    if (status == HSC_OK)
        status = categories ? hsc_store_put_column(store, HSC_COL_delay_place_category, categories, j->delay_places.n, err) : hsc_join_no_memory(err);
    free(categories);
#undef PUT
    if (status == HSC_OK && j->delay_slices)
        status = columns_put(j->delay_slices, store, HSC_TAB_delayed_slice, err);
    if (status == HSC_OK && j->delay_slices)
        status = columns_put(j->delay_slices, store, HSC_TAB_delay_place_slice, err);
    return status;
}
