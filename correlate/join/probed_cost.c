/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What notes of probes took of each block's time: by what one takes alone, and by the samples that met them in this run. */
#include <float.h>
#include <heatscope/formats/probes.h>
#include <math.h>
#include <stdlib.h>

#include "probed.h"
#include "told.h"

#define OF_95_PERCENT 1.96 /* standard deviations */
#define OVERLAP 0.125      /* of what the two notes of a visit take alone: what the program's own code takes more at most, since notes keep a visit from overlapping the next */

#define REACH_NS 250.0     /* of a visit at most that the clock lays to the code round it: what a processor holds of instructions that are not done, before it has to wait */

typedef struct shared { /* of all blocks of a probe in a thread, nanoseconds */
    double visits, alone, outside, exclusive, cost, least, most; /* alone, and of its own notes outside of it; cost, and its 95 % interval */
    const jprobe_samples *samples;
} shared;

static double exclusive_of(const jblock *b) {
    double all = 0;
    for (unsigned s = 0; s < STATES; s++)
        all += (double)b->exclusive[s];
    return all;
}

static double within(double least, double v, double most) { return v < least ? least : v > most ? most : v; }

/* Of a scope's time by the clock, the notes' share among its samples; the rest is the program's, and so is what samples in the program stand for. A processor reads the
 * clock before or after what stands round it, so that the two differ by up to the notes' cost where visits are short: both are the program with what notes slow it
 * down. Where the clock says more beyond chance the samples are believed, and the clock is an end of the interval; else the clock is, and what chance may hide of such a
 * difference is in the interval. A clock that says still more has waits in it, in which there are no notes. Shares are with two samples more of either kind, since none need
 * not mean nothing (Agresti and Coull 1998), and of few samples all may be of one kind. A clock that says less has been read before the visit's last instructions were done: where the samples
 * are beyond chance more, what they say is believed, up to REACH_NS a visit, and the cost may be less than nothing; else that is in the interval alone.
 * While a note waits for its clock the processor goes on with what stands behind it: work of up to all the time that notes have may be done in it, and no
 * sample meets that, so the interval goes up to there.
 * cpu_ns: of CPU time; period_ns: the same with its part of the time in line for a processor; each_ns: what a sample of the thread stands for, 0 where there are none. */
static void weigh(shared *s, double pair_ns, double cpu_ns, double period_ns, double each_ns) {
    double notes = 0, met_notes = 0, squares = 0, more = 0, less = 0, slower = OVERLAP * pair_ns * s->visits, clock = s->exclusive, reach = REACH_NS * s->visits, beyond = 0;
    double periods = s->samples ? (double)s->samples->program + (double)s->samples->notes : 0;
    if (periods > 0) {
        double all_squares = (double)s->samples->program_squares + (double)s->samples->notes_squares, n = periods * periods / all_squares;
        double part = ((double)s->samples->notes + 2 * periods / n) / (periods + 4 * periods / n), met = periods * period_ns, chance = OF_95_PERCENT * sqrt(all_squares) * period_ns;
        double met_cpu = periods * cpu_ns, chance_cpu = chance * cpu_ns / period_ns;
        if (met_cpu - chance_cpu > clock) /* time in line falls to few visits: whether these are this scope's isn't known */
            clock = fmin(met_cpu, clock + reach);
        beyond = (1 - part) * within(0, met + chance - clock, s->exclusive + reach - clock);
        bool waits = clock > met * (1 + 2 / sqrt(n)) + pair_ns * s->visits;
        double over = clock - met, late = !waits && over > chance ? over : 0, of = fmin(waits ? met : met + chance, clock);
        notes = waits ? met * part : clock * part + (1 - part) * late;
        more = (1 - part) * late;
        met_notes = met * part;
        less = waits ? 0 : (1 - part) * (within(late, s->exclusive - met + chance, fmax(late, fmin(pair_ns * s->visits, clock))) - late);
        squares = of * of * part * (1 - part) / (n + 4);
    }
    hsc_probe_cost_in_run c = hsc_probe_weigh(s->alone, notes, squares, periods > 0 ? DBL_MIN : each_ns);
    double doubt = OF_95_PERCENT * sqrt(c.variance), left_out = clock - s->exclusive;
    double inside = periods > 0 ? fmin(c.cost, met_notes + doubt) : c.cost, hidden = inside + s->outside * (s->alone > 0 ? fmin((inside + doubt) / s->alone, 1) : 1);
    s->cost = fmin(c.cost - left_out, s->exclusive);
    s->least = within(periods > 0 ? -reach : 0, s->cost - hypot(doubt, beyond) - more, s->exclusive);
    s->least = fmin(s->least, s->cost - hidden);
    s->most = within(fmin(s->cost, 0), s->cost + hypot(doubt, less) + slower + left_out, s->exclusive);
}

/* NULL: no memory. */
static shared *shared_of(hsc_table *rows, shared *all, size_t *n, const jblock *b) {
    uint32_t *row = hsc_table_at(rows, b->number, 0);
    if (row && *row == HSC_NO_INDEX)
        *row = (uint32_t)(*n)++;
    return row ? &all[*row] : NULL;
}

static void add(jcost *to, const jcost *c) {
    to->ns += c->ns;
    to->least_ns += c->least_ns;
    to->most_ns += c->most_ns;
}

bool hsc_join_weigh_probes(const jtold *told, double period_ns, double elapsed, jtold_thread *t) {
    hsc_table rows = {0};
    size_t n = 0;
    shared *all = calloc(t->blocks.n + 1, sizeof *all), *of;
    double *alone = calloc(t->blocks.n + 1, sizeof *alone), periods = 0, squares = 0;
    bool ok = all && alone;
    double cpu_ns = period_ns;
    period_ns *= elapsed;
    for (size_t i = 0; i < t->sampled.n; i++) {
        const jprobe_samples *s = &t->sampled.p[i];
        periods += (double)s->program + (double)s->notes;
        squares += (double)s->program_squares + (double)s->notes_squares;
    }
    for (size_t i = t->blocks.n; ok && i-- > 0;) { /* parents stand before */
        jblock *b = &t->blocks.p[i];
        b->cost = (jcost){0, 0, 0};
        if (b->user)
            continue;
        alone[i] += (double)b->visits * told->inside_ns;
        if (b->parent != HSC_NO_INDEX)
            alone[b->parent] += (double)b->visits * (told->pair_ns - told->inside_ns);
        ok = (of = shared_of(&rows, all, &n, b)) != NULL;
        if (!ok)
            break;
        of->visits += (double)b->visits;
        of->alone += alone[i]; /* its children stand behind it: complete */
        of->outside += (double)b->visits * (told->pair_ns - told->inside_ns);
        of->exclusive += exclusive_of(b);
    }
    for (size_t i = 0; ok && i < t->sampled.n; i++) {
        uint32_t row = hsc_table_get(&rows, t->sampled.p[i].number, 0);
        if (row != HSC_NO_INDEX)
            all[row].samples = &t->sampled.p[i];
    }
    for (size_t i = 0; ok && i < n; i++)
        weigh(&all[i], told->pair_ns, cpu_ns, period_ns, periods > 0 ? squares / periods * period_ns : 0);
    for (size_t i = t->blocks.n; ok && i-- > 0;) {
        jblock *b = &t->blocks.p[i];
        if (b->user)
            continue;
        of = shared_of(&rows, all, &n, b);
        double part = of->alone > 0 ? alone[i] / of->alone : 0, own = exclusive_of(b);
        b->exclusive_cost = (jcost){fmin(of->cost * part, own), fmin(of->least * part, own), fmin(of->most * part, own)};
        add(&b->cost, &b->exclusive_cost);
        if (b->parent != HSC_NO_INDEX)
            add(&t->blocks.p[b->parent].cost, &b->cost);
    }
    hsc_table_fini(&rows);
    free(all);
    free(alone);
    return ok;
}
