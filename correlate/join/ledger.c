/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ledger: every period of CPU time is in one row of each group that adds up to it, and every second by the clock. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/cost.h>

#include "details.h"
#include "told.h"

/* Rows of group 0 are totals; each other group adds up to the total that its rows' meanings name in brackets. */
enum { TOTALS, OF_TAKEN, BY_LEVEL, BY_PATH, BY_CATEGORY, OF_CPU_TIME, OF_MEASURING };

static bool add(join *j, uint32_t group, const char *name, const char *meaning, uint64_t samples) {
    return HSC_PUSH(j->ledger, (jledger){name, meaning, samples, (double)samples * (double)j->period_ns * 1e-9, group});
}

static bool add_seconds(join *j, uint32_t group, const char *name, const char *meaning, uint64_t samples, double seconds) {
    return HSC_PUSH(j->ledger, (jledger){name, meaning, samples, seconds, group});
}

static const char *const level_names[LEVELS][2] = {
    {"attributed: map, loop", "[recorded] compiled with the pass, to a line and a loop around it"},
    {"attributed: map", "[recorded] compiled with the pass, to a line outside loops"},
    {"attributed: debug information", "[recorded] to a line of code that the pass did not compile"},
    {"attributed: symbol", "[recorded] to a procedure without a line"},
    {"attributed: module", "[recorded] to a program or library file only"},
    {"not attributed", "[recorded] the address is in no known file, or there is no call path"},
};

static const char *const loss_names[LOSS_REASONS][2] = {
    {"lost: re-entry", "[due] the handler was already active in the thread"},
    {"lost: no space", "[due] no room in the measurement file"},
    {"lost: no memory", "[due] no memory for the calling-context tree"},
    {"lost: kernel", "[due] the kernel reported them as lost"},
    {"lost: throttled", "[due] the kernel throttled sampling"},
    {"lost: unknown thread", "[due] the thread was not known to the runtime"},
    {"lost: blocked", "[due] the program had blocked the sampling signal"},
    {"lost: not placed", "[due] CPU time of which nothing tells where it went: in the kernel unseen, or the virtual processor was away; less what "
     "other threads of the process have more samples for than their clocks count"},
};

/* What the tool did to the run, added up; the table of notes has each with its time. */
typedef struct deeds {
    uint64_t lowered, elsewhere, off;
    double off_s;
    HSC_VEC(jledger) said;
} deeds;

static bool take_deeds(join *j, const jprocess *p, deeds *d) {
    static const char name[] = "said: ";
    const jtold *t = p->told;
    uint64_t since = 0;
    bool is_off = false, ok = true;
    for (size_t k = 0; t && k < t->threads.n; k++)
        d->lowered += t->threads.p[k].periods_max > 1;
    for (size_t k = 0; ok && t && k < t->notes.n; k++) {
        const jnote *n = &t->notes.p[k];
        d->elsewhere += n->kind == JNOTE_SOURCE;
        if (n->kind == JNOTE_MEASURING && !n->value && !is_off) {
            is_off = true;
            since = n->time;
            d->off++;
        } else if (n->kind == JNOTE_MEASURING && n->value && is_off) {
            is_off = false;
            d->off_s += (double)(n->time - since) * 1e-9;
        } else if (n->kind == JNOTE_SAID) {
            size_t room = sizeof name + strlen(n->text), row = 0;
            while (row < d->said.n && strcmp(d->said.p[row].name + sizeof name - 1, n->text))
                row++;
            if (row < d->said.n) {
                d->said.p[row].samples++;
                continue;
            }
            char *said = hsc_pool_take(&j->pool, room);
            ok = said && HSC_PUSH(d->said, (jledger){said, "processes (not samples) say so", 1, 0, TOTALS});
            if (ok)
                snprintf(said, room, "%s%s", name, n->text);
        }
    }
    uint64_t end = p->has_end ? p->end_ns : p->last_ns;
    d->off_s += is_off && end > since ? (double)(end - since) * 1e-9 : 0;
    return ok;
}

static bool add_deeds(join *j, const deeds *d) {
    bool ok = true;
    for (size_t row = 0; ok && row < d->said.n; row++)
        ok = HSC_PUSH(j->ledger, d->said.p[row]);
    if (ok && d->lowered)
        ok = HSC_PUSH(j->ledger, (jledger){"rate lowered", "threads (not samples) sampled more seldom, to keep to the budget", d->lowered, 0, TOTALS});
    if (ok && d->elsewhere)
        ok = HSC_PUSH(j->ledger, (jledger){"other source", "changes (not samples) of where a thread's samples come from", d->elsewhere, 0, TOTALS});
    if (ok && d->off)
        ok = HSC_PUSH(j->ledger, (jledger){"measuring off", "times (not samples) that measuring was off in a process; the seconds are elapsed time", d->off, d->off_s, TOTALS});
    return ok;
}

/* Of the losses of a process "not placed" (found by a thread's clock, which counts what the hypervisor took, too), those that other
 * threads have more samples for than their clocks say: the clocks of a process are right together, if not one by one. */
static uint64_t not_lost(const jprocess *p) {
    uint64_t due = 0, have = 0, unplaced = 0;
    for (size_t k = 0; k < p->threads.n; k++) {
        const jthread *t = &p->threads.p[k];
        due += p->period_ns ? t->cpu_ns / p->period_ns : 0;
        have += t->samples + t->refused + t->lost_other;
        for (unsigned r = 0; r < LOSS_REASONS; r++)
            have += t->lost[r];
        unplaced += t->lost[HSC_loss_reason_UNPLACED];
    }
    return !due || have <= due ? 0 : have - due < unplaced ? have - due : unplaced;
}

/* Of measuring all processes, in seconds: start and end of those in no table too (launchers, too short), as the runtime's list tells. The
 * list has whole microseconds, and the end a little later than a file can tell it. */
static void add_unlisted(const join *j, hsc_join_cost *cost, uint64_t start_us, uint64_t end_us) {
    cost->start_s += j->opening_us > start_us ? (double)(j->opening_us - start_us) * 1e-6 : 0;
    cost->end_s += j->finish_us > end_us ? (double)(j->finish_us - end_us) * 1e-6 : 0;
}

static double own_of(const hsc_join_cost *c) { return c->handler_s + c->signals_s + c->probes_s + c->wrappers_s + c->switches_s; }

/* Launchers that are in no table. */
typedef struct launchers {
    uint64_t n, samples;
    double cpu_s;
} launchers;

static launchers launchers_of(const join *j) {
    launchers l = {0};
    for (size_t i = 0; i < j->processes.n; i++) {
        const jprocess *p = &j->processes.p[i];
        if (!p->left_out || p->is_foreign)
            continue;
        l.samples += p->samples;
        l.n += p->is_launcher && p->threads.n;
        for (size_t k = 0; k < p->threads.n && p->is_launcher; k++)
            l.cpu_s += (double)p->threads.p[k].cpu_ns * 1e-9;
    }
    return l;
}

/* Measuring them is what the list has more than the tables. */
static void add_launchers(const join *j, hsc_join_cost *cost) {
    double *const of[] = {&cost->handler_s, &cost->signals_s, &cost->wrappers_s, &cost->switches_s, &cost->helper_s};
    double own_s = own_of(cost);
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        *of[k] = fmax(*of[k], (double)j->took_us[k] * 1e-6);
    cost->least_s += own_of(cost) - own_s;
    cost->most_s += own_of(cost) - own_s;
}

/* What the last line of a run tells measuring of, in percent: the CPU time of threads, launchers and brief processes without what measuring had of it. */
static bool add_itself(join *j, const hsc_join_cost *cost, double cpu_s) {
    double itself_s = cpu_s + (double)j->brief_us * 1e-6 - own_of(cost);
    return add_seconds(j, TOTALS, HSC_LEDGER_ITSELF, "CPU time of threads, of launchers and of processes too short for a sample, less handler, signals, probes, wrappers and switches; what "
                       "measuring added is told in percent of it", 0, itself_s > 0 ? itself_s : 0);
}

/* Signals, switches and wrappers are estimates, and start and end may be told too little. */
static bool add_doubt(join *j, const hsc_join_cost *cost) {
    double rest_s = cost->start_s + cost->helper_s + cost->end_s;
    if (!(cost->most_s > cost->least_s))
        return true;
    return add_seconds(j, TOTALS, HSC_LEDGER_LEAST, "the same as it is likely to be at least: signals and switches are estimates, by what a trial found before the start, wrappers by some of the calls", 0, rest_s + cost->least_s) &&
           add_seconds(j, TOTALS, HSC_LEDGER_MOST, "the same as it is likely to be at most", 0, rest_s + HSC_COST_UNSEEN_MOST * (cost->start_s + cost->end_s) + cost->most_s);
}

hsc_status hsc_join_make_ledger(join *j, hsc_err *err) {
    uint64_t recorded = 0, records = 0, lost[LOSS_REASONS] = {0}, lost_other = 0, damaged = 0, refused = 0;
    uint64_t truncated = 0, no_path = 0, start_us = 0, end_us = 0, brief = 0;
    double cpu_s = 0, brief_s = 0;
    hsc_join_cost cost = {0};
    deeds done = {0};
    hsc_status status = HSC_OK;
    for (size_t i = 0; i < j->run.n; i++) {
        jprocess *p = j->run.p[i];
        uint64_t w = p->weight;
        status = hsc_join_open_details(j, p, err);
        if (status == HSC_OK && !take_deeds(j, p, &done))
            status = hsc_join_no_memory(err);
        if (status != HSC_OK) {
            free(done.said.p);
            return status;
        }
        for (size_t k = 0; k < p->threads.n; k++) {
            const jthread *t = &p->threads.p[k];
            uint64_t reasons = t->lost_other;
            for (unsigned r = 0; r < LOSS_REASONS; r++) {
                lost[r] += t->lost[r] * w;
                reasons += t->lost[r];
            }
            lost_other += (t->lost_other + (t->said_lost > reasons ? t->said_lost - reasons : 0)) * w;
            refused += t->refused * w;
            uint64_t read = t->samples + t->refused;
            damaged += t->said_samples > read && t->said_samples - read < 1ull << 48 ? (t->said_samples - read) * w : 0;
            cpu_s += (double)t->cpu_ns * 1e-9;
            if (hsc_join_is_brief(p, t)) {
                brief++;
                brief_s += (double)t->cpu_ns * 1e-9;
            }
            hsc_join_cost c = hsc_join_cost_of(p, t);
            cost.handler_s += c.handler_s;
            cost.signals_s += c.signals_s;
            cost.probes_s += c.probes_s;
            cost.wrappers_s += c.wrappers_s;
            cost.switches_s += c.switches_s;
            cost.helper_s += c.helper_s;
            cost.start_s += c.start_s;
            cost.end_s += c.end_s;
            bool is_known = c.most_s > 0; /* else it is as told */
            cost.least_s += is_known ? c.least_s : own_of(&c);
            cost.most_s += is_known ? c.most_s : own_of(&c);
            recorded += t->samples * w;
            records += t->records;
            truncated += t->truncated * w;
            no_path += t->no_path * w;
        }
        start_us += p->told && p->threads.n ? p->told->start_ns / 1000 : 0;
        end_us += p->told && p->threads.n ? p->told->end_ns / 1000 : 0;
        lost[HSC_loss_reason_UNPLACED] -= not_lost(p) * w;
        hsc_join_close_details(p);
    }
    launchers left_out = launchers_of(j);
    if (left_out.n)
        add_launchers(j, &cost);
    add_unlisted(j, &cost, start_us, end_us);
    uint64_t lost_all = lost_other + damaged + refused;
    for (unsigned r = 0; r < LOSS_REASONS; r++)
        lost_all += lost[r];
    double samples_s = (double)recorded * (double)j->period_ns * 1e-9;
    bool ok = add(j, TOTALS, "due", "periods of CPU time that a sample was due for: recorded, left out and lost ones", recorded + left_out.samples + lost_all) &&
              add(j, TOTALS, "recorded", "periods that samples in the tables stand for", recorded) &&
              add_seconds(j, TOTALS, "CPU time", "CPU time of the threads by the kernel's clock", 0, cpu_s) &&
              add_seconds(j, TOTALS, "measuring", "CPU time of measuring itself; handler, signals, probes, wrappers and switches are in the CPU time of threads and launchers", 0,
                          cost.start_s + own_of(&cost) + cost.helper_s + cost.end_s) &&
              add_itself(j, &cost, cpu_s + left_out.cpu_s) && add_doubt(j, &cost) &&
              add(j, OF_TAKEN, "recorded", "[due] periods that samples in the tables stand for", recorded) &&
              add(j, OF_TAKEN, "left out: launchers",
                  "[due] of processes that only start the program: mpirun, shells (--launchers keeps them)", left_out.samples);
    for (unsigned r = 0; r < LOSS_REASONS; r++)
        ok = ok && add(j, OF_TAKEN, loss_names[r][0], loss_names[r][1], lost[r]);
    ok = ok && add(j, OF_TAKEN, "lost: reason not told", "[due] lost by the runtime, without a reason", lost_other) &&
         add(j, OF_TAKEN, "lost: damaged file", "[due] recorded, but their chunk is damaged or missing", damaged) &&
         add(j, OF_TAKEN, "lost: implausible", "[due] more than 2^32 in one thread", refused);
    for (unsigned n = 0; n < LEVELS; n++)
        ok = ok && add(j, BY_LEVEL, level_names[n][0], level_names[n][1], j->attributed[n]);
    ok = ok && add(j, BY_PATH, "call path complete", "[recorded] up to the thread's start", recorded - truncated - no_path) &&
         add(j, BY_PATH, "call path truncated", "[recorded] its outer part is not known", truncated) &&
         add(j, BY_PATH, "no call path", "[recorded]", no_path);
    for (unsigned n = 0; n < j->categories.n; n++)
        ok = ok && add(j, BY_CATEGORY, j->categories.p[n], "[recorded] by category", j->total[n]);
    double lost_s = (double)lost_all * (double)j->period_ns * 1e-9;
    ok = ok && add_seconds(j, OF_CPU_TIME, "periods recorded", "[CPU time] what samples in the tables stand for", recorded, samples_s) &&
         add_seconds(j, OF_CPU_TIME, "periods lost", "[CPU time] what lost samples would have stood for", lost_all, lost_s) &&
         add_seconds(j, OF_CPU_TIME, "not explained",
                     "[CPU time] clock minus these periods: rounding to whole periods, up to 8 ticks of each thread in the kernel, threads that "
                     "ended unseen; negative when samples came that the clock did not count (its last reading was before them, or the "
                     "hypervisor had the processor when they fell due)",
                     0, cpu_s - samples_s - lost_s);
    ok = ok && add_seconds(j, OF_MEASURING, "start", "[measuring] `heatscope run` before it became the program, beginning to measure, other threads' beginnings and ends; "
                           "of processes in no table too; in no sample", 0, cost.start_s) &&
         add_seconds(j, OF_MEASURING, "handler", "[measuring] our signal handler, measured; in the samples, spread as they are", 0, cost.handler_s) &&
         add_seconds(j, OF_MEASURING, "signals", "[measuring] interrupts, signals and returns: times of the handler by what one costs here, estimated; "
                     "in the samples, spread as they are", 0, cost.signals_s) &&
         add_seconds(j, OF_MEASURING, "probes", "[measuring] visits of probes by what one costs here; in samples of runtime overhead where it was met", 0, cost.probes_s) &&
         add_seconds(j, OF_MEASURING, "wrappers", "[measuring] of waits and messages; in the samples of these calls", 0, cost.wrappers_s) &&
         add_seconds(j, OF_MEASURING, "switches", "[measuring] what the kernel takes at context switches to stop and start perf's clock: their number by what one costs here, "
                     "estimated; in the system calls and places where threads were switched", 0, cost.switches_s) &&
         add_seconds(j, OF_MEASURING, "helper", "[measuring] our helper threads: in no thread's CPU time and in no sample", 0, cost.helper_s) &&
         add_seconds(j, OF_MEASURING, "end", "[measuring] ending to measure; in no sample", 0, cost.end_s);
    if (j->brief)
        ok = ok && add_seconds(j, TOTALS, HSC_LEDGER_BRIEF, "processes (not samples) that ended before a sample was due: in no table; the seconds are their CPU time",
                               j->brief, (double)j->brief_us * 1e-6);
    if (left_out.n)
        ok = ok && add_seconds(j, TOTALS, HSC_LEDGER_LAUNCHERS, "processes (not samples) that only start the program: in no table; the seconds are their CPU time", left_out.n, left_out.cpu_s);
    if (brief)
        ok = ok && add_seconds(j, TOTALS, HSC_LEDGER_SHORT, "threads (not samples) that ended before a sample was due: in no table; the seconds are in the CPU time above, and others' "
                               "samples stand for them", brief, brief_s);
    ok = ok && add_deeds(j, &done);
    free(done.said.p);
    j->summary->samples = recorded;
    j->summary->records = records;
    j->summary->lost = lost_all;
    j->summary->cpu_s = cpu_s;
    for (unsigned n = 0; n < LEVELS; n++)
        j->summary->attributed[n] = j->attributed[n];
    return ok ? HSC_OK : hsc_join_no_memory(err);
}
