/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* governor_ss.c against a simulated thread, of which all is known: what a sample, a wrapper and the helper cost, and
 * how often it is switched off a processor (which is dear where the next sample comes before the kernel's next tick;
 * both are drawn, by a fixed seed).
 *
 * Asserted is what docs/sampling.md promises of a budget: it is kept where some allowed rate keeps it; with the
 * preset one the rate is not lowered where that does not help; it is no lower than it has to be, does not swing under
 * an even load, comes back when a load is over, and one dear look is chance. Who is switched so often that no rate of perf's keeps a
 * budget that was named, or ten times the preset one, is sampled by the kernel's tick meanwhile, and no one else is; with the preset one only where ticks meet him.
 * Records tell each change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "../draws.h"
#include "notes.h"
#include "rt.h"

enum { PERIOD = 1000000, SECOND = 1000000000, MET_NS = 2 * HSC_RT_MET_NS /* two judgements */ };

typedef struct load {
    double sample_ns, interrupt_ns; /* our own code in a sample; the rest of what it costs */
    double wrappers, helper;        /* shares of the CPU time */
    double switches_s;              /* a second of CPU time */
    double near_ns, far_ns;         /* what each costs, by where the next sample is */
    double forced_s;                /* switches that others force on it, or its own yields */
    double unmet;                   /* share of its CPU time at which no tick of the kernel's meets it */
    double waits;                   /* time without a processor, for each unit of CPU time */
    double waiting_s;               /* of forced_s, yields in waits */
} load;

static struct { uint64_t cpu_ns, forced, switches, changes, records, moves, moved_ns, last_record_ns; double dear_ns, told_ns; /* what switches cost, and what of it is told */ uint32_t reason; } simulated;

static uint64_t simulated_clock(int clock) {
    assert_int_equal(clock, HSC_RT_THREAD_CLOCK);
    return simulated.cpu_ns;
}

static long simulated_call(long n, long a, long b, long c) {
    assert_int_equal(n, SYS_getrusage);
    struct rusage *r = (struct rusage *)b; /* NOLINT */
    memset(r, 0, sizeof *r);
    r->ru_nvcsw = (long)simulated.switches;
    r->ru_nivcsw = (long)simulated.forced;
    (void)a;
    (void)c;
    return 0;
}

#define hsc_rt_clock_ns simulated_clock
#define hsc_sys3 simulated_call
#include "../../instrument/runtime/governor_ss.c"

hsc_rt_state hsc_rt;

uint64_t hsc_rt_now_ns(void) {
    return simulated.cpu_ns;
}

size_t hsc_rt_length(const char *s) {
    return strlen(s);
}

const char *hsc_rt_mechanism_name(enum hsc_rt_mechanism mechanism) {
    return mechanism == HSC_RT_PERF ? "perf-cpu-clock" : "none";
}

bool hsc_rt_usage_read(int32_t tid, bool own, hsc_rt_usage *u) {
    (void)tid;
    (void)own;
    (void)u;
    return false;
}

void hsc_rt_credit_judge_anew(hsc_rt_thread *t) {
    t->met = (hsc_rt_met){.cpu_ns = simulated.cpu_ns};
}

void hsc_rt_source_rate(hsc_rt_thread *t, uint32_t periods) {
    assert_true(periods && !(periods & (periods - 1)));
    if (periods == t->periods) { /* the clock is another one since just now */
        assert_int_equal(simulated.moved_ns, simulated.cpu_ns);
        return;
    }
    t->periods = periods;
    simulated.changes++;
}

static bool move_to(hsc_rt_thread *t, enum hsc_rt_mechanism mechanism) {
    assert_int_not_equal(t->mechanism, mechanism);
    hsc_rt_switches_note(t, hsc_rt_switches_now());
    t->mechanism = mechanism;
    simulated.moves++;
    simulated.moved_ns = simulated.cpu_ns;
    return true;
}

bool hsc_rt_source_to_timer(hsc_rt_thread *t) {
    return move_to(t, HSC_RT_CPU);
}

bool hsc_rt_source_to_perf(hsc_rt_thread *t) {
    return move_to(t, HSC_RT_PERF);
}

bool hsc_rt_thread_put(hsc_rt_thread *t, uint32_t type, const void *record, uint64_t time_ns) {
    const hsc_rec_rate *r = record;
    if (type == HSC_REC_source) {
        const hsc_rec_source *source = record;
        if (source->reason != HSC_source_reason_UNMET)
            assert_int_equal(source->reason, t->mechanism == HSC_RT_CPU ? HSC_source_reason_SWITCHES : HSC_source_reason_CALM);
        simulated.reason = source->reason;
        assert_int_equal(simulated.moved_ns, simulated.cpu_ns);
        return true;
    }
    assert_int_equal(type, HSC_REC_rate);
    assert_int_equal(r->periods, t->periods);
    assert_true((r->looked_ns >= (simulated.moved_ns == simulated.cpu_ns ? atomic_load(&t->free_yields) ? PERIOD : EARLY_NS : LOOK_NS) || !hsc_rt.options.budget) &&
                r->cpu_ns == simulated.cpu_ns - t->cpu_start_ns && r->time == time_ns);
    assert_true(time_ns > simulated.last_record_ns);
    simulated.last_record_ns = time_ns;
    simulated.records++;
    return true;
}


/* What share of the CPU time `l` costs with samples so many periods apart, by its own formula. */
static double cost_of(const load *l, uint64_t periods) {
    double period = (double)periods * PERIOD, tick = 4e6;
    /* the next sample is so far away, or less, as likely as any other time; so is the kernel's next tick */
    double near = 0;
    for (int k = 0; k < 1000; k++) {
        double at = (k + 0.5) / 1000 * period;
        near += (at < tick ? 1 - at / tick : 0) / 1000;
    }
    return (l->sample_ns + l->interrupt_ns) / period + l->wrappers + l->helper +
           l->switches_s * (l->far_ns + (l->near_ns - l->far_ns) * near) * 1e-9;
}

/* Lets the thread run for so much CPU time; returns the share that measuring took of it. */
static double run(hsc_rt_thread *t, const load *l, uint64_t ns) {
    uint64_t begin = simulated.cpu_ns;
    double cost = 0, wrapped = 0, dear = 0;
    hsc_rt.interrupt_ns = (uint64_t)l->interrupt_ns;
    atomic_store(&hsc_rt.helper_share_q32, (uint32_t)(l->helper * 4294967296.0));
    hsc_rt.switch_cost_ns = (uint64_t)l->near_ns;
    hsc_rt.switch_far_ns = (uint64_t)l->far_ns;
    double switched = 0, forced = 0;
    while (simulated.cpu_ns - begin < ns) {
        uint64_t step = (uint64_t)t->periods * PERIOD;
        simulated.cpu_ns += step;
        cost += l->sample_ns + l->interrupt_ns + (double)step * (l->wrappers + l->helper);
        t->plain_cycles += (uint64_t)l->sample_ns;
        atomic_fetch_add(&t->beats, 1);
        wrapped += (double)step * l->wrappers;
        t->wrapper_cycles += (uint64_t)wrapped;
        wrapped -= (double)(uint64_t)wrapped;
        for (switched += l->switches_s * (double)step * 1e-9; switched >= 1; switched--) {
            simulated.switches++;
            bool near = uniform() * (double)step < uniform() * 4e6;
            double each = hsc_rt_is_perf(t->mechanism) ? near ? l->near_ns : l->far_ns : SHARE_AFTERWARDS * l->far_ns;
            dear += hsc_rt_is_perf(t->mechanism) ? each : 0; /* what is left afterwards nothing saves any more */
            simulated.told_ns += hsc_rt_is_perf(t->mechanism) ? HSC_RT_SHARE_OF_TRIAL * each : each;
        }
        for (forced += l->forced_s * (double)step * 1e-9; forced >= 1; forced--)
            simulated.forced++;
        atomic_fetch_add(&t->yields, (uint64_t)(l->waiting_s * (double)step * 1e-9));
        t->last_time += step + (uint64_t)((double)step * l->waits);
        t->met.seldom = simulated.cpu_ns - t->met.cpu_ns < MET_NS ? 0 : l->unmet > 0.25 ? 2 : 0;
        hsc_rt_govern(t);
    }
    simulated.dear_ns += dear;
    return (cost + dear) / (double)(simulated.cpu_ns - begin);
}

static hsc_rt_thread thread;

static hsc_rt_thread *begin(uint32_t budget, bool named) {
    memset(&simulated, 0, sizeof simulated);
    memset(&thread, 0, sizeof thread);
    memset(&hsc_rt.governed, 0, sizeof hsc_rt.governed);
    memset(&hsc_rt.moved, 0, sizeof hsc_rt.moved);
    hsc_rt.mechanism = HSC_RT_PERF;
    hsc_rt.options.mechanism = "";
    state_of_random = 1;
    simulated.cpu_ns = 5 * (uint64_t)SECOND;
    hsc_rt.period_ns = PERIOD;
    hsc_rt.options.budget = budget;
    hsc_rt.budget_named = named;
    atomic_store(&hsc_rt.ns_per_cycle_q32, 1ull << 32); /* a cycle is a nanosecond */
    thread.thread_id = 1;
    thread.periods = 1;
    thread.mechanism = HSC_RT_PERF;
    thread.cpu_start_ns = simulated.cpu_ns;
    thread.last_time = simulated.cpu_ns;
    hsc_rt_govern_begin(&thread);
    return &thread;
}

static const load loads[] = {
    {2000, 3000, 0, 0, 0, 0, 0, 0, 0, 0, 0},          /* 0.5 % at the full rate */
    {6000, 6000, 0, 0, 0, 0, 0, 0, 0, 0, 0},          /* 1.2 */
    {20000, 20000, 0, 0, 0, 0, 0, 0, 0, 0, 0},        /* 4 */
    {300000, 20000, 0, 0, 0, 0, 0, 0, 0, 0, 0},       /* 32: paths of a thousand frames */
    {4000, 4000, 0.004, 0.001, 0, 0, 0, 0, 0, 0, 0},  /* 1.3, a part of it fixed */
    {2000, 3000, 0.03, 0.002, 0, 0, 0, 0, 0, 0, 0},   /* 3.7, of which no rate saves 3.2 */
    {2000, 3000, 0, 0, 20000, 1500, 300, 0, 0, 0, 0}, /* switches, dear while samples are near */
    {2000, 3000, 0.002, 0, 40000, 2000, 100, 0, 0, 0, 0},
};

static void budgets(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++)
        for (int named = 0; named < 2; named++) {
            const load *l = &loads[k];
            hsc_rt_thread *t = begin(10, named);
            run(t, l, (named ? 5 : 12) * (uint64_t)SECOND); /* ten with samples 10 ms apart at most */
            uint64_t settled = simulated.changes, periods = t->periods;
            double share = run(t, l, 60 * (uint64_t)SECOND), budget = 0.01,
                   longest = (double)hsc_rt_govern_longest(UINT64_MAX) / PERIOD;
            print_message("%zu %-6s every %3u periods, %.3f %% (full rate %.3f %%), %u changes\n", k,
                          named ? "named" : "preset", t->periods, 100 * share, 100 * cost_of(l, 1),
                          (unsigned)simulated.changes);
            /* both halves of the promise are of means; switches are drawn: 5 standard deviations of some 1e6 draws are
             * below 1 % */
            bool can = 2 * (double)t->periods <= longest,
                 helps = cost_of(l, t->periods) - cost_of(l, 2 * t->periods) >= HELPS * budget;
            if (share > 1.01 * budget && can && (named || helps))
                fail_msg("load %zu: %.3f %% of the CPU time, a lower rate would keep the budget of 1 %%", k,
                         100 * share);
            if (t->periods > 1 && cost_of(l, t->periods / 2) < 0.69 * budget)
                fail_msg("load %zu: lowered to %u periods, half of it would do", k, t->periods);
            if (simulated.changes != settled || t->periods != periods)
                fail_msg("load %zu: the rate swings under an even load, %u changes", k, (unsigned)simulated.changes);
            assert_int_equal(simulated.records, simulated.changes);
            assert_int_equal(atomic_load(&hsc_rt.governed), t->periods > 1 ? t->periods : 0);
        }
}

/* Until it has used ten seconds of CPU time a thread has 100 samples of each, whatever they cost; then the preset budget is kept. */
static void the_first_seconds_have_samples(void **state) {
    (void)state;
    hsc_rt_thread *t = begin(10, false);
    run(t, &loads[3], 9 * (uint64_t)SECOND);
    assert_int_equal(t->periods, 8); /* of 10 that 10 ms are, the power of 2 */
    run(t, &loads[3], 2 * (uint64_t)SECOND);
    assert_int_equal(t->periods, 32); /* 32 % at the full rate */
}

/* Heavy for ten seconds, then light: the rate is the full one again after a second, and the time of two looks, for each
 * doubling. */
static void comes_back(void **state) {
    (void)state;
    hsc_rt_thread *t = begin(10, false);
    run(t, &loads[2], 10 * (uint64_t)SECOND);
    uint32_t lowered = t->periods, halvings = 0;
    assert_true(lowered > 1);
    for (uint32_t p = lowered; p > 1; p /= 2)
        halvings++;
    run(t, &loads[0], halvings * (SECOND + 2 * LOOK_NS));
    /* before = fixed + 2 x samples has to be below 0.85 of the budget: 0.5 % at the full rate is */
    assert_int_equal(t->periods, 1);
    assert_int_equal(atomic_load(&hsc_rt.governed), lowered);
}

/* The helper reads the libraries once, 4 ms of 100: no reason to have half of the samples for the rest of the run. */
static void libraries_are_read_once(void **state) {
    (void)state;
    load l = {5000, 3500, 0, hsc_rt_govern_share(0, 4e6, 1e8, HSC_RT_HELPER_LATELY_NS), 0, 0, 0, 0, 0, 0, 0}; /* 0.85 % and what is left of it */
    hsc_rt_thread *t = begin(10, false);
    run(t, &l, 2 * (uint64_t)SECOND);
    assert_int_equal(t->periods, 1);
    assert_true(hsc_rt_govern_share(0, 4e6, 1e8, HSC_RT_HELPER_LATELY_NS) * 5.1e9 >= 4e6); /* all of it is counted, over five seconds */
}

static void one_look_is_chance(void **state) {
    (void)state;
    hsc_rt_thread *t = begin(10, true);
    load dear = {9000, 9000, 0, 0, 0, 0, 0, 0, 0, 0, 0}; /* 1.8 %: less than twice the budget */
    run(t, &loads[0], SECOND + EARLY_NS); /* looks and loads change together */
    for (int k = 0; k < 20; k++) {
        run(t, &dear, LOOK_NS);
        run(t, &loads[0], 3 * LOOK_NS);
    }
    assert_int_equal(simulated.changes, 0);
    run(t, &dear, SECOND);
    assert_int_equal(simulated.changes, 1);
    assert_int_equal(t->periods, 2);
}

/* A thread keeps its rate for its first 0.3 s of CPU time where the budget is the preset one, unless samples cost more than five times that. */
static void brief_threads_keep_their_rate(void **state) {
    (void)state;
    static const load dear = {20000, 40000, 0, 0, 0, 0, 0, 0, 0, 0, 0}; /* 6 % */
    hsc_rt_thread *t = begin(10, false);
    run(t, &loads[2], 300 * (uint64_t)PERIOD - PERIOD);
    assert_int_equal(t->periods, 1);
    run(t, &loads[2], 2 * LOOK_NS);
    assert_true(t->periods > 1);
    t = begin(10, true);
    run(t, &loads[2], EARLY_NS + 4 * LOOK_NS);
    assert_true(t->periods > 1);
    t = begin(10, false);
    run(t, &dear, EARLY_NS + 4 * LOOK_NS);
    assert_true(t->periods > 1);
}

/* Switched 30,000 times a second at 2.5 us or more: no rate of perf's keeps that below 7 %. */
static const load stormy = {2000, 3000, 0, 0, 30000, 14000, 2500, 0, 0, 0, 0};

static void storms_of_switches(void **state) {
    (void)state;
    hsc_rt_thread *t = begin(10, true);
    run(t, &stormy, EARLY_NS + 2 * PERIOD);
    assert_int_equal(t->mechanism, HSC_RT_CPU); /* at the first look: they cost 40 times the budget */
    assert_int_equal(t->periods, 4);            /* 250 samples a second */
    double share = run(t, &stormy, 20 * (uint64_t)SECOND);
    assert_int_equal(simulated.moves, 1);
    assert_true(share < 0.01);
    assert_int_equal(atomic_load(&hsc_rt.governed), 4);
    run(t, &loads[0], 3 * (uint64_t)SECOND + 6 * LOOK_NS); /* one to move, one for each doubling */
    assert_int_equal(t->mechanism, HSC_RT_PERF);
    assert_int_equal(t->periods, 1);
    assert_int_equal(simulated.moves, 2);
    assert_int_equal(simulated.records, simulated.changes);
    hsc_rt_switches_note(t, hsc_rt_switches_now());
    print_message("switches took %.1f ms, told %.1f\n", 1e-6 * simulated.dear_ns, 1e-6 * (double)t->switches_ns);
    assert_true((double)t->switches_ns > 0.9 * simulated.told_ns && (double)t->switches_ns < 1.1 * simulated.told_ns);
    t = begin(10, true);
    hsc_rt.options.mechanism = "perf-cpu-clock"; /* asked for by name */
    run(t, &stormy, 5 * (uint64_t)SECOND);
    assert_int_equal(simulated.moves, 0);
    t = begin(0, false); /* told all the same; some 440,000 draws: 5 standard deviations are below 1 % */
    run(t, &stormy, 15 * (uint64_t)SECOND);
    assert_int_equal(simulated.moves, 0);
    hsc_rt_switches_note(t, hsc_rt_switches_now());
    assert_true((double)t->switches_ns > 0.98 * simulated.told_ns && (double)t->switches_ns < 1.02 * simulated.told_ns);
}

/* Of a preset budget perf has to take ten, also of what passes on the clock ten thousand switches or so a second; yields count as often as they are more than others' preemptions. */
static void preset_budget_moves_too(void **state) {
    (void)state;
    static const struct {
        load l;
        bool named, moves;
    } cases[] = {{{2000, 3000, 0, 0, 30000, 14000, 2500, 0, 0, 0, 0}, false, true},   /* switches of its own: 7.5 % at least, 15 with samples 8 ms apart */
                 {{2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0, 0, 0}, false, true},  /* yields */
                 {{2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0, 0, 0}, true, true},
                 {{2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0, 5, 0}, false, true},  /* eight of them share two processors, and more */
                 {{2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0, 300, 0}, false, false}, /* 100,000 a second of CPU time, that is 330 a second: nothing to speak of */
                 {{2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0, 300, 0}, true, true},
                 {{2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0, 0, 99000}, false, false}, /* it waits for messages, and nobody knows whether ticks meet it */
                 {{2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0, 0, 99000}, true, false},
                 {{2000, 3000, 0, 0, 5000, 14000, 2500, 0, 0, 0, 0}, false, false},   /* some 2 % at least: the rate alone */
                 {{2000, 3000, 0, 0, 0, 14000, 2500, 1000, 0, 0, 0}, false, false},   /* preempted */
                 {{2000, 3000, 0, 0, 0, 14000, 2500, 1000, 0, 0, 0}, true, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsc_rt_thread *t = begin(10, cases[k].named);
        run(t, &cases[k].l, EARLY_NS + 2 * PERIOD);
        if ((t->mechanism == HSC_RT_CPU) != cases[k].moves)
            fail_msg("case %zu: %s at the first look", k, cases[k].moves ? "not moved" : "moved");
        run(t, &cases[k].l, 20 * (uint64_t)SECOND);
        assert_int_equal(simulated.moves, cases[k].moves);
        assert_int_equal(t->mechanism, cases[k].moves ? HSC_RT_CPU : HSC_RT_PERF);
        assert_int_equal(atomic_load(&hsc_rt.moved), cases[k].moves);
    }
}

/* Who yields so often outside of waits is looked at with its first sample. */
static void yields_are_seen_at_once(void **state) {
    (void)state;
    hsc_rt_thread *t = begin(10, false);
    load l = {2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0, 0, 0};
    atomic_store(&t->free_yields, 100);
    atomic_store(&t->yields, 100);
    run(t, &l, PERIOD);
    assert_int_equal(t->mechanism, HSC_RT_CPU);
}

/* Yields in waits move whom ticks meet, and lower nobody's rate. */
static void waiting_by_yields(void **state) {
    (void)state;
    load l = {2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0, 0, 99000};
    hsc_rt_thread *t = begin(10, false);
    run(t, &l, 5 * (uint64_t)SECOND);
    assert_int_equal(simulated.moves, 0);
    assert_int_equal(t->periods, 1);
    t->met.permille = HSC_RT_MET_LEAST - 1;
    run(t, &l, SECOND);
    assert_int_equal(simulated.moves, 0);
    t->met.permille = HSC_RT_MET_LEAST;
    run(t, &l, SECOND);
    assert_int_equal(t->mechanism, HSC_RT_CPU);
    run(t, &l, 20 * (uint64_t)SECOND);
    assert_int_equal(simulated.moves, 1);
}

/* Who switched often only while it began has perf's clock again soon. */
static void began_busily(void **state) {
    (void)state;
    hsc_rt_thread *t = begin(10, false);
    run(t, &stormy, EARLY_NS + PERIOD);
    assert_int_equal(t->mechanism, HSC_RT_CPU);
    run(t, &loads[0], CALM_EARLY_NS + 2 * LOOK_NS);
    assert_int_equal(t->mechanism, HSC_RT_PERF);
    t = begin(10, false);
    run(t, &stormy, EARLY_NS + 2 * LOOK_NS);
    run(t, &loads[0], CALM_NS - 2 * LOOK_NS);
    assert_int_equal(t->mechanism, HSC_RT_CPU);
}

/* What is left of perf's clock at each switch of a thread that has left it is told, of yields too. */
static void switches_afterwards(void **state) {
    (void)state;
    for (int moved = 0; moved < 2; moved++) {
        hsc_rt_thread *t = begin(10, false);
        hsc_rt.switch_far_ns = 2500;
        t->mechanism = HSC_RT_CPU;
        t->governor.moved = moved;
        hsc_rt_switch_counts c = t->switches_seen;
        atomic_store(&t->yields, 70000);
        atomic_store(&t->free_yields, 50000); /* 20,000 in waits */
        hsc_rt_switches_note(t, (hsc_rt_switch_counts){c.own + 1000, c.forced + 70000, c.cpu_ns + LOOK_NS});
        assert_true(moved ? t->switches_ns >= 1000 * 500 + 50000 * 250 && t->switches_ns <= 1000 * 500 + 50052 * 250 : !t->switches_ns);
        assert_int_equal(t->untold_ns, 0);
    }
}

/* Ticks that meet it less often than it runs tell wrong places: perf's clock again, for ten seconds of CPU time; unless a budget was named. A tenth less is chance. */
static void unmet_by_ticks(void **state) {
    (void)state;
    load l = {2000, 3000, 0, 0, 0, 14000, 2500, 100000, 0.1, 0, 0};
    hsc_rt_thread *t = begin(10, false);
    run(t, &l, 5 * (uint64_t)SECOND);
    assert_int_equal(simulated.moves, 1);
    l.unmet = 0.5;
    run(t, &l, 2 * MET_NS + 2 * LOOK_NS);
    assert_int_equal(simulated.moves, 2);
    assert_int_equal(t->mechanism, HSC_RT_PERF);
    assert_int_equal(simulated.reason, HSC_source_reason_UNMET);
    run(t, &l, UNMET_NS - 2 * MET_NS - 4 * LOOK_NS);
    assert_int_equal(simulated.moves, 2);
    l.unmet = 0;
    run(t, &l, 3 * MET_NS);
    assert_int_equal(simulated.moves, 3);
    assert_int_equal(t->mechanism, HSC_RT_CPU);
    run(t, &l, 20 * (uint64_t)SECOND);
    assert_int_equal(simulated.moves, 3);
    assert_int_equal(atomic_load(&hsc_rt.moved), 1); /* one thread */
    t = begin(10, true);
    l.unmet = 0.5;
    run(t, &l, 20 * (uint64_t)SECOND);
    assert_int_equal(simulated.moves, 1);
}

/* Who yields while he waits is switched 100,000 times a second: that takes nothing of the program's work. Who is preempted is told in full, as often as
 * that may be, whether he yields now and then (1) or never (2: whom he wakes takes his processor). */
static void yields_are_not_told(void **state) {
    (void)state;
    static const struct {
        uint32_t forced, yields;
        double told; /* at each look, beside the 3 that are his own */
    } cases[] = {{5000, 5000, LOOK_NS / 1e6}, {5, 5, 5}, {5000, 0, 5000}, {5000, 2000, 3000 + LOOK_NS / 1e6}, {5000, 90000, LOOK_NS / 1e6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsc_rt_thread *t = begin(0, false);
        hsc_rt_switch_counts c = t->switches_seen;
        hsc_rt.switch_cost_ns = 14000;
        hsc_rt.switch_far_ns = 2500;
        double each = HSC_RT_SHARE_OF_TRIAL * switch_ns(t, t->periods);
        for (int n = 0; n < 100; n++) {
            c = (hsc_rt_switch_counts){c.own + 3, c.forced + cases[k].forced, c.cpu_ns + LOOK_NS};
            atomic_fetch_add(&t->yields, cases[k].yields);
            if (n & 1) /* the others are in waits */
                atomic_fetch_add(&t->free_yields, cases[k].yields);
            hsc_rt_switches_note(t, c);
            hsc_rt_switches_note(t, c); /* nothing new */
        }
        double told = (double)t->switches_ns / each, least = 100 * (3 + cases[k].told); /* a yield beyond a whole millisecond may be told, too */
        assert_true(told > 0.99 * least && told <= least + 200);
        double his = cases[k].yields < cases[k].forced ? cases[k].yields : cases[k].forced, untold = his > LOOK_NS / 1e6 ? 50 * (his - LOOK_NS / 1e6) : 0;
        assert_true((double)t->untold_ns / each <= untold + 1 && (double)t->untold_ns / each >= 0.98 * untold - 50);
    }
}

/* Switches that a lower rate makes cheap are no reason to leave perf's clock, nor is what else samples cost. */
static void few_switches_move_nobody(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
        hsc_rt_thread *t = begin(10, true);
        run(t, &loads[k], 10 * (uint64_t)SECOND);
        assert_int_equal(simulated.moves, 0);
        assert_int_equal(t->mechanism, HSC_RT_PERF);
    }
}

static void without_a_budget(void **state) {
    (void)state;
    hsc_rt_thread *t = begin(0, false);
    run(t, &loads[3], 10 * (uint64_t)SECOND);
    assert_int_equal(simulated.changes, 0);
}

/* A timer by wall clock is due every period, whether the last sample is done or not: while it is taken the signal waits. The
 * interrupt is as dear as `truth`, the runtime takes it for `interrupt_ns`. Returns the program's share of the last samples. */
static double crowd(hsc_rt_thread *t, uint64_t handler_ns, uint64_t interrupt_ns, uint64_t truth, uint64_t system_call_ns) {
    double mine = 0, all = 0;
    uint64_t due = simulated.cpu_ns, before = due;
    for (int k = 0; k < 400; k++) {
        uint64_t at = simulated.cpu_ns > due ? simulated.cpu_ns : due;
        at += system_call_ns; /* signals come at its end */
        if (k >= 200) {
            mine += (double)(at - simulated.cpu_ns);
            all += (double)(at - simulated.cpu_ns + truth + handler_ns);
        }
        simulated.cpu_ns = at;
        due = at + (uint64_t)t->periods * PERIOD; /* when the signal is delivered */
        t->last_time = at;
        uint64_t periods = t->periods;
        hsc_rt_govern_turn(t, interrupt_ns, at - before);
        before = at;
        t->turn_cycles = handler_ns;
        simulated.cpu_ns += handler_ns + truth;
        if (t->periods != periods)
            due = simulated.cpu_ns + (uint64_t)t->periods * PERIOD;
    }
    return mine / all;
}

/* Whatever a sample costs, and though the budget is off, half of the time is the program's. */
static void program_gets_its_turn(void **state) {
    (void)state;
    static const struct {
        double handler, interrupt, truth; /* periods */
        uint32_t least, most;             /* periods that a sample may then stand for */
    } cases[] = {
        {0.1, 0.2, 0.2, 1, 1}, {0.45, 0.1, 0.1, 2, 2}, {0.4, 0.8, 0.8, 4, 4},  {30, 1, 1, 64, 64}, {0.1, 0.3, 1.2, 4, 4},
        {0.2, 0.6, 2.3, 4, 8}, {2000, 1, 1, 4096, 4096},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsc_rt_thread *t = begin(0, false);
        t->mechanism = HSC_RT_MONOTONIC;
        double share = crowd(t, (uint64_t)(cases[k].handler * PERIOD), (uint64_t)(cases[k].interrupt * PERIOD),
                             (uint64_t)(cases[k].truth * PERIOD), 0);
        print_message("handler %.1f, interrupt %.1f taken for %.1f periods: every %u, program %.2f\n", cases[k].handler, cases[k].truth,
                      cases[k].interrupt, t->periods, share);
        assert_true(share >= 0.49);
        assert_in_range(t->periods, cases[k].least, cases[k].most);
        assert_int_equal(simulated.records, simulated.changes);
        assert_int_equal(atomic_load(&hsc_rt.governed), t->periods > 1 ? t->periods : 0);
    }
}

/* Long system calls keep signals waiting too, and are the program's own time. */
static void system_calls_are_no_crowd(void **state) {
    (void)state;
    hsc_rt_thread *t = begin(0, false);
    t->mechanism = HSC_RT_MONOTONIC;
    crowd(t, PERIOD / 100, PERIOD / 30, PERIOD / 30, 2 * PERIOD);
    assert_int_equal(t->periods, 1);
}

/* What the last line advises: a rate that keeps to the budget, and none that there was not even with it lowered. */
static void advice_is_fewer(void **state) {
    (void)state;
    hsc_rt_notes all = {.samples = 1000, .took_us = {[HSC_RT_TOOK_HANDLER] = 50000, [HSC_RT_TOOK_SIGNALS] = 100000}};
    assert_int_equal(hsc_rt_frugal_hz(&all, 10, 1000), 50); /* of 150 us each, 66 a second are 1 % */
    assert_int_equal(hsc_rt_frugal_hz(&all, 10, 50), 0);    /* asked for already */
    all.lowered = 1;
    all.lowest_hz = 125;
    assert_int_equal(hsc_rt_frugal_hz(&all, 10, 1000), 50);
    all.lowest_hz = 15; /* -F 50 would take more than that */
    assert_int_equal(hsc_rt_frugal_hz(&all, 10, 1000), 10);
    all.lowest_hz = 1;
    assert_int_equal(hsc_rt_frugal_hz(&all, 10, 1000), 0);
    assert_int_equal(hsc_rt_frugal_hz(&(hsc_rt_notes){.samples = 1}, 10, 1000), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(budgets), cmocka_unit_test(the_first_seconds_have_samples), cmocka_unit_test(comes_back), cmocka_unit_test(libraries_are_read_once),
                                       cmocka_unit_test(one_look_is_chance), cmocka_unit_test(brief_threads_keep_their_rate), cmocka_unit_test(without_a_budget),
                                       cmocka_unit_test(storms_of_switches), cmocka_unit_test(preset_budget_moves_too), cmocka_unit_test(yields_are_seen_at_once), cmocka_unit_test(switches_afterwards), cmocka_unit_test(waiting_by_yields), cmocka_unit_test(began_busily), cmocka_unit_test(unmet_by_ticks), cmocka_unit_test(yields_are_not_told), cmocka_unit_test(few_switches_move_nobody),
                                       cmocka_unit_test(program_gets_its_turn), cmocka_unit_test(advice_is_fewer), cmocka_unit_test(system_calls_are_no_crowd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
