/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps the cost of measuring within the user's budget: now and then each thread looks at what its samples, its context switches and our wrappers
 * have cost it, adds its share of the helper's CPU time, and takes its samples every 1, 2, 4, ... periods, so that they cost less. Samples carry the
 * weight. What wrappers and the helper take is saved by no rate: it leaves less for samples.
 *
 * A context switch costs because the kernel stops and starts perf's timer. That is dear only where the timer is the next
 * one of its processor, before the kernel's tick; with samples far apart that is seldom so. But it always costs something,
 * which no rate saves: with the preset budget the rate is lowered as long as that helps, and for a thread's first ten seconds never so far that the profile
 * is of no use. Who names a budget himself wants it kept, and gets fewer samples.
 *
 * Threads that switch so often that perf takes more than the budget at the lowest rate too (ten times that, where the budget is the preset one) are sampled by the
 * kernel's tick meanwhile: a timer of their CPU time costs nothing at a switch. It meets them at ticks only: on a crowded processor, which is given to who runs
 * next at a tick, one that soon gives it up may hardly ever be met: what it spent is right, where is less so. The kernel charges a thread at the same ticks, so that
 * is known. Who has not named a budget gets perf's clock back then: places are right rather than cheap. */
#include <sys/resource.h>

#include "rt.h"

#define CROWDED 8u                  /* samples that left the program too little, before they are taken more seldom */
#define DEARER 8u                   /* an interrupt may be so many times as dear as it was at the start */
#define LOOK_NS 50000000ull         /* between two looks, by either clock, at least */
#define EARLY_NS 5000000ull         /* before the first one, which sees only to switches */
#define LONGEST_NAMED_NS 100000000ull /* between two samples, where the user has named the budget */
#define LONGEST_PRESET_NS 10000000ull /* else: 100 a second, as gprof has them; a place with 10 % of a minute gets 600 */
#define PLENTY_NS 10000000000ull /* CPU time of a thread, which has a thousand samples then, or many more: from then on the preset budget is kept as one that was named */
#define BRIEF_NS 300000000ull       /* CPU time of a thread in which it keeps its rate, where the budget is the preset one: a short run has few samples, and some milliseconds more are no burden */
#define BRIEF_BUDGETS 5.0           /* unless samples cost so many budgets */
#define HELPS 0.2                   /* of the budget: what half the rate has to save, where the budget is the preset one */
#define YIELDS_EARLY 64u            /* outside of waits, that make it the next sample: with perf's clock they may take a millisecond */
#define MOVES_EARLY 10.0            /* budgets that switches cost, for the tick to be taken at the first look */
#define MOVES_PRESET 10.0           /* the same with samples far apart, for it to be taken where the budget is the preset one */
#define UNMET 2u                    /* judgements on end that found the kernel's ticks to meet a thread too seldom: one is chance in 25 cases */
#define UNMET_NS 10000000000ull     /* CPU time for which it is not tried again */
#define CALM_NS 1000000000ull       /* CPU time within the budget before the rate is raised, or perf's clock is taken again */
#define CALM_EARLY_NS 100000000ull  /* the same for the clock of a thread that switched often only until the first look: as it began */
#define LATELY_NS 500000000.0       /* CPU time: the share of wrappers comes in lumps */
#define CALM_SHARE 0.85             /* of the budget, that twice as many samples and all else may take for the rate to be raised */
#define PREEMPTED_NS 1000000ull     /* of CPU time: who works and yields now and then is preempted at most so often; more are his own yields */
/* Of what a switch costs with samples far apart, that one costs of a thread which has left perf's clock, for the kernel keeps what it has of it: one by which it waits, and one that is forced. */
#define SHARE_AFTERWARDS 0.2
#define FORCED_AFTERWARDS 0.1
#define KERNEL_TICK_NS 4000000.0    /* of CONFIG_HZ=250, the usual one */

/* Those that the thread makes itself, and those that others force on it. */
static void count_switches(uint64_t *voluntary, uint64_t *involuntary) {
    struct rusage u;
    bool known = !hsc_sys3(SYS_getrusage, RUSAGE_THREAD, (long)&u, 0);
    *voluntary = known ? (uint64_t)u.ru_nvcsw : 0;
    *involuntary = known ? (uint64_t)u.ru_nivcsw : 0;
}

uint64_t hsc_rt_switches(void) {
    uint64_t voluntary, involuntary;
    count_switches(&voluntary, &involuntary);
    return voluntary + involuntary;
}

/* The mean cost of a switch with perf's samples `periods` apart: the time to the next one, and to the kernel's next tick, are
 * taken as evenly distributed. */
static double perf_switch_ns(uint64_t periods) {
    double near_ns = (double)hsc_rt.switch_cost_ns, far_ns = (double)hsc_rt.switch_far_ns, period = (double)(hsc_rt.period_ns * periods);
    double near = period < KERNEL_TICK_NS ? 1 - period / (2 * KERNEL_TICK_NS) : KERNEL_TICK_NS / (2 * period);
    return near_ns > far_ns ? far_ns + (near_ns - far_ns) * near : far_ns;
}

static double switch_ns(const hsc_rt_thread *t, uint64_t periods) {
    return hsc_rt_is_perf(t->mechanism) ? perf_switch_ns(periods) : 0;
}

hsc_rt_switch_counts hsc_rt_switches_now(void) {
    hsc_rt_switch_counts c;
    count_switches(&c.own, &c.forced);
    c.cpu_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    return c;
}

static uint64_t since(uint64_t now, uint64_t *seen) {
    uint64_t before = *seen;
    *seen = now > before ? now : before;
    return *seen - before;
}

/* In waits and calls of message passing: their switches take nothing of the program's work. */
static uint64_t waiting_yields(const hsc_rt_thread *t) {
    return atomic_load_explicit(&t->yields, memory_order_relaxed) - atomic_load_explicit(&t->free_yields, memory_order_relaxed);
}

void hsc_rt_switches_note(hsc_rt_thread *t, hsc_rt_switch_counts now) {
    hsc_rt_switch_counts *seen = &t->switches_seen;
    uint64_t own = since(now.own, &seen->own), forced = since(now.forced, &seen->forced), most = since(now.cpu_ns, &seen->cpu_ns) / PREEMPTED_NS + 1;
    uint64_t yields = since(atomic_load_explicit(&t->yields, memory_order_relaxed), &t->yields_seen), may_be_his = yields < forced ? yields : forced;
    uint64_t untold = may_be_his > most ? may_be_his - most : 0, told = own + forced - untold;
    uint64_t outside = since(atomic_load_explicit(&t->free_yields, memory_order_relaxed), &t->free_yields_seen);
    if (t->governor.moved) { /* little, so nobody yields less often for it */
        told += untold < outside ? untold : outside;
        t->switches_ns += (uint64_t)((double)hsc_rt.switch_far_ns * ((double)own * SHARE_AFTERWARDS + (double)(told - own) * FORCED_AFTERWARDS));
        return;
    }
    double each_ns = switch_ns(t, t->periods) * HSC_RT_SHARE_OF_TRIAL;
    t->switches_ns += (uint64_t)((double)told * each_ns);
    t->untold_ns += (uint64_t)((double)(untold < outside ? untold : outside) * each_ns);
}

uint64_t hsc_rt_govern_longest(uint64_t cpu_ns) {
    uint64_t longest = hsc_rt.budget_named || cpu_ns >= PLENTY_NS ? LONGEST_NAMED_NS : LONGEST_PRESET_NS;
    return hsc_rt.options.budget == 0 ? hsc_rt.period_ns : longest > hsc_rt.period_ns ? longest : hsc_rt.period_ns;
}

void hsc_rt_govern_begin(hsc_rt_thread *t) {
    hsc_rt_governor *g = &t->governor;
    bool moved = g->moved && t->mechanism == HSC_RT_CPU; /* measuring was off for a while */
    __builtin_memset(g, 0, sizeof *g);
    g->moved = g->was_moved = moved;
    g->time = hsc_rt_now_ns();
    g->on = hsc_rt.options.budget != 0;
    if (!g->on)
        return;
    hsc_rt_switch_counts now = t->whole ? t->switches_seen : hsc_rt_switches_now(); /* of a thread that has just begun */
    g->cpu_ns = now.cpu_ns;
    g->switches = now.own;
    g->forced = now.forced;
    g->waiting_yields = waiting_yields(t);
    g->wrapper_cycles = t->wrapper_cycles;
}

double hsc_rt_govern_share(double share, double cost_ns, double cpu_ns, double lately_ns) {
    return cpu_ns > 0 ? share + (cost_ns / cpu_ns - share) * cpu_ns / (cpu_ns + lately_ns) : share;
}

/* The thread's lowest rate so far is the process's, if it is lower than what others had. */
static void note_lowered(uint32_t periods) {
    uint32_t most = atomic_load_explicit(&hsc_rt.governed, memory_order_relaxed);
    while (periods > most && !atomic_compare_exchange_weak_explicit(&hsc_rt.governed, &most, periods, memory_order_relaxed,
                                                                    memory_order_relaxed))
        ;
}

void hsc_rt_source_tell(hsc_rt_thread *t, uint32_t reason, uint64_t cpu_ns, bool own) {
    const char *name = hsc_rt_mechanism_name(t->mechanism);
    uint64_t now = hsc_rt_now_ns();
    now = now > t->last_time ? now : t->last_time;
    t->last_time = now;
    hsc_rec_source r = {t->thread_id, now, {name, hsc_rt_length(name)}, reason,
                        cpu_ns > t->cpu_start_ns ? cpu_ns - t->cpu_start_ns : 0, 0};
    hsc_rt_usage u;
    if (own)
        r.switches = hsc_rt_switches();
    else if (hsc_rt_usage_read(t->tid, false, &u))
        r.switches = u.voluntary + u.involuntary;
    hsc_rt_thread_put(t, HSC_REC_source, &r, now);
}

/* What a look finds of the time since the last one, in nanoseconds. */
typedef struct look {
    double passed, budget;
    double fixed;   /* that no rate saves */
    double samples; /* at the present rate */
    double each;    /* number of switches that are the thread's own doing, but for */
    double waiting; /* yields in waits */
    double wall;    /* the time that passed on the clock */
} look;

static double cost_at(const hsc_rt_thread *t, const look *l, uint64_t periods) {
    return l->fixed + l->samples * (double)t->periods / (double)periods + l->each * switch_ns(t, periods);
}

static look take_look(hsc_rt_thread *t, uint64_t cpu, hsc_rec_rate *told) {
    hsc_rt_governor *g = &t->governor;
    uint64_t n, forced, runs = atomic_load_explicit(&t->beats, memory_order_relaxed) - g->runs;
    uint64_t rate = atomic_load_explicit(&hsc_rt.ns_per_cycle_q32, memory_order_relaxed), wrapped = t->wrapper_cycles - t->wrapper_rare_cycles;
    count_switches(&n, &forced);
    hsc_rt_switches_note(t, (hsc_rt_switch_counts){n, forced, cpu});
    uint64_t preempted = (cpu - g->cpu_ns) / PREEMPTED_NS + 1, more = forced - g->forced, waiting = since(waiting_yields(t), &g->waiting_yields);
    more -= more < preempted ? more : preempted;
    waiting = waiting < more ? waiting : more;
    look l = {.passed = (double)(cpu - g->cpu_ns), .each = (double)(n - g->switches + more - waiting), .waiting = (double)waiting};
    l.budget = l.passed * (double)hsc_rt.options.budget / 1000;
    l.samples = (double)hsc_rt_cycles_ns(t->plain_cycles - g->plain_cycles, rate) + (double)runs * (double)hsc_rt.interrupt_ns;
    g->wrappers = hsc_rt_govern_share(g->wrappers, (double)hsc_rt_cycles_ns(wrapped - g->wrapper_cycles, rate), l.passed, LATELY_NS);
    double helper = (double)atomic_load_explicit(&hsc_rt.helper_share_q32, memory_order_relaxed) / 4294967296.0;
    l.fixed = l.passed * (g->wrappers + helper);
    *told = (hsc_rec_rate){.thread_id = t->thread_id, .time = t->last_time, .cost_ns = (uint64_t)cost_at(t, &l, t->periods),
                           .looked_ns = cpu - g->cpu_ns, .switches = (uint64_t)l.each};
    told->cpu_ns = cpu > t->cpu_start_ns ? cpu - t->cpu_start_ns : 0;
    g->wrapper_cycles = wrapped;
    l.wall = (double)g->wall_ns;
    g->wall_ns = 0;
    g->cpu_ns = cpu;
    g->switches = n;
    g->forced = forced;
    g->runs += runs;
    g->plain_cycles = t->plain_cycles;
    return l;
}

static void set_rate(hsc_rt_thread *t, uint64_t periods, hsc_rec_rate *told) {
    if (periods == t->periods)
        return;
    t->governor.calm_ns = t->governor.over = 0;
    hsc_rt_source_rate(t, (uint32_t)periods);
    told->periods = periods;
    told->time = t->last_time; /* another record may have gone before */
    hsc_rt_thread_put(t, HSC_REC_rate, told, t->last_time);
    note_lowered((uint32_t)periods);
}

/* The longest distance of samples in periods, a power of 2, that is not above `ns`. */
static uint64_t periods_in(double ns) {
    uint64_t periods = 1;
    while ((double)(2 * periods * hsc_rt.period_ns) <= ns)
        periods *= 2;
    return periods;
}

/* From perf to the tick, or back. The rate is at most the tick's then, and is looked at anew. */
static void move(hsc_rt_thread *t, uint32_t reason, hsc_rec_rate *told, bool early) {
    hsc_rt_governor *g = &t->governor;
    uint64_t tick = periods_in(KERNEL_TICK_NS);
    if (!(reason == HSC_source_reason_SWITCHES ? hsc_rt_source_to_timer(t) : hsc_rt_source_to_perf(t)))
        return;
    g->moved = reason == HSC_source_reason_SWITCHES;
    g->calm_ns = g->over = g->few_ns = 0;
    g->moved_early = early;
    g->stays_until_ns = reason == HSC_source_reason_UNMET ? g->cpu_ns + UNMET_NS : 0;
    hsc_rt_credit_judge_anew(t);
    if (g->moved && !g->was_moved)
        atomic_fetch_add_explicit(&hsc_rt.moved, 1, memory_order_relaxed);
    g->was_moved |= g->moved;
    hsc_rt_source_tell(t, reason, t->cpu_start_ns + told->cpu_ns, true);
    if (t->periods < tick)
        set_rate(t, tick, told);
    else
        hsc_rt_source_rate(t, t->periods); /* starts what now is the clock */
}

/* Do switches cost more than the budget with perf, however seldom it samples? Who has named the mechanism keeps it. Where the budget is the preset one they have to cost much, also of
 * the time that passes: one who runs for a moment now and then costs next to nothing, and ticks may never meet him. Yields in waits take nothing of the program's work, but perf's clock
 * would have them where otherwise there is more of other waiting; they count where ticks are known to meet the thread. */
static bool has_to_move(const hsc_rt_thread *t, const look *l, bool early) {
    double n = l->each + (hsc_rt_is_met(t) ? l->waiting : 0), now = n * perf_switch_ns(t->periods);
    double least = n * perf_switch_ns(periods_in((double)hsc_rt_govern_longest(0)));
    if (!hsc_rt_is_perf(t->mechanism) || *hsc_rt.options.mechanism || (early && now <= MOVES_EARLY * l->budget))
        return false;
    if (hsc_rt.budget_named)
        return least > l->budget;
    return least > MOVES_PRESET * l->budget && now > l->wall * (double)hsc_rt.options.budget / 1000 && t->governor.cpu_ns >= t->governor.stays_until_ns;
}

/* Back to perf after a second of CPU time in which it would have been cheap at the tick's rate. */
static bool may_move_back(hsc_rt_thread *t, const look *l) {
    hsc_rt_governor *g = &t->governor;
    if (!g->moved)
        return false;
    bool cheap = (l->each + l->waiting) * perf_switch_ns(periods_in(KERNEL_TICK_NS)) < l->budget / 2;
    g->few_ns = cheap ? g->few_ns + (uint64_t)l->passed : 0;
    g->moved_early = g->moved_early && cheap;
    return g->few_ns >= (g->moved_early ? CALM_EARLY_NS : CALM_NS);
}

/* Is it moved, and the kernel's ticks meet it less often than it runs? Who has named a budget wants it kept all the same. */
static bool is_unmet(const hsc_rt_thread *t) {
    return t->governor.moved && !hsc_rt.budget_named && t->met.seldom >= UNMET;
}

/* It has used so little so far that its samples are wanted rather than what they cost. */
static bool is_brief(const look *l, const hsc_rec_rate *told) {
    return !hsc_rt.budget_named && told->cpu_ns < BRIEF_NS && l->samples <= BRIEF_BUDGETS * l->budget;
}

static uint64_t better_rate(hsc_rt_thread *t, const look *l, uint64_t cpu_ns) {
    hsc_rt_governor *g = &t->governor;
    double cost = cost_at(t, l, t->periods);
    uint64_t periods = t->periods, longest = hsc_rt_govern_longest(cpu_ns), least = g->moved ? periods_in(KERNEL_TICK_NS) : 1;
    g->over = cost > l->budget ? g->over + 1 : 0;
    bool lowers = cost > 2 * l->budget || g->over > 1; /* a little too much, once, is chance */
    while (lowers && cost > l->budget && 2 * periods * hsc_rt.period_ns <= longest) {
        double then = cost_at(t, l, 2 * periods);
        if (!hsc_rt.budget_named && cost - then < HELPS * l->budget)
            break;
        periods *= 2;
        cost = then;
    }
    if (periods == t->periods && periods > least) {
        g->calm_ns = cost_at(t, l, periods / 2) < CALM_SHARE * l->budget ? g->calm_ns + (uint64_t)l->passed : 0;
        if (g->calm_ns >= CALM_NS)
            periods /= 2;
    }
    return periods;
}

void hsc_rt_govern(hsc_rt_thread *t) {
    hsc_rt_governor *g = &t->governor;
    bool yields = !g->looks && atomic_load_explicit(&t->free_yields, memory_order_relaxed) - t->free_yields_seen >= YIELDS_EARLY;
    uint64_t wait = g->looks ? LOOK_NS : yields ? 0 : EARLY_NS;
    if (!g->on || t->last_time - g->time < wait)
        return;
    uint64_t passed = t->last_time - g->time, cpu = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    g->time = t->last_time;
    g->wall_ns += passed;
    if (cpu < g->cpu_ns + wait)
        return;
    hsc_rec_rate told;
    look l = take_look(t, cpu, &told);
    bool early = !g->looks, judges = g->looks > 1; /* with tables to be made and caches to be filled: nothing to judge samples by */
    g->looks += g->looks < 2;
    if (has_to_move(t, &l, early))
        move(t, HSC_source_reason_SWITCHES, &told, early);
    else if (may_move_back(t, &l))
        move(t, HSC_source_reason_CALM, &told, false);
    else if (is_unmet(t))
        move(t, HSC_source_reason_UNMET, &told, false);
    else if (judges && !is_brief(&l, &told))
        set_rate(t, better_rate(t, &l, told.cpu_ns), &told);
}

/* A clock that goes on while a sample is taken may be due again before the program has run at all. A sample therefore takes at most half
 * of the time to the next one, whatever the budget: else it comes every 2, 4, ... periods from then on. `passed_ns`: CPU time since
 * the last sample where that is known, else 0. When it is more than the distance asked for, the clock was due while the last
 * sample still kept the thread, unless it is too much for that, and was spent in a system call. */
void hsc_rt_govern_turn(hsc_rt_thread *t, uint64_t interrupt_ns, uint64_t passed_ns) {
    hsc_rt_governor *g = &t->governor;
    uint64_t apart = hsc_rt.period_ns * t->periods;
    uint64_t turn = interrupt_ns + hsc_rt_cycles_ns(t->turn_cycles, atomic_load_explicit(&hsc_rt.ns_per_cycle_q32, memory_order_relaxed));
    if (passed_ns > apart + apart / 16 && passed_ns > turn && passed_ns <= DEARER * turn)
        turn = passed_ns;
    if (2 * turn <= apart) {
        g->crowded -= g->crowded < 2 ? g->crowded : 2; /* a processor taken away for a moment is no reason */
        return;
    }
    g->turn_ns = g->crowded && g->turn_ns < turn ? g->turn_ns : turn;
    if (++g->crowded < CROWDED)
        return;
    uint64_t cpu = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK), since = g->on ? g->cpu_ns : t->cpu_start_ns;
    uint64_t runs = atomic_load_explicit(&t->beats, memory_order_relaxed) - g->runs, periods = t->periods;
    while (2 * g->turn_ns > periods * hsc_rt.period_ns && periods < UINT32_MAX / 2)
        periods *= 2;
    hsc_rec_rate r = {.thread_id = t->thread_id, .time = t->last_time, .cost_ns = runs * g->turn_ns,
                      .looked_ns = cpu > since ? cpu - since : 0};
    r.cpu_ns = cpu > t->cpu_start_ns ? cpu - t->cpu_start_ns : 0;
    g->crowded = 0;
    set_rate(t, periods, &r);
}
