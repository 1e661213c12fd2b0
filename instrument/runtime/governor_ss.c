/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keeps the cost of measuring within the user's budget: now and then each thread looks at what its samples, its context switches and our wrappers
 * have cost it, adds its share of the helper's CPU time, and takes its samples every 1, 2, 4, ... periods, so that they cost less. Samples carry the
 * weight. What wrappers and the helper take is saved by no rate: it leaves less for samples.
 *
 * A context switch costs because the kernel stops and starts perf's timer. That is dear only where the timer is the next
 * one of its processor, before the kernel's tick; with samples far apart that is seldom so. But it always costs something,
 * which no rate saves: with the preset budget the rate is lowered as long as that helps, and never so far that the profile
 * is of no use. Who names a budget himself wants it kept, and gets fewer samples. */
#include <sys/resource.h>

#include "rt.h"

#define CROWDED 8u                  /* samples that left the program too little, before they are taken more seldom */
#define DEARER 8u                   /* an interrupt may be so many times as dear as it was at the start */
#define LOOK_NS 50000000ull         /* between two looks, by either clock, at least */
#define LONGEST_NAMED_NS 100000000ull /* between two samples, where the user has named the budget */
#define LONGEST_PRESET_NS 10000000ull /* else: 100 a second, as gprof has them; a place with 10 % of a minute gets 600 */
#define HELPS 0.2                   /* of the budget: what half the rate has to save, where the budget is the preset one */
#define CALM_NS 1000000000ull       /* CPU time within the budget before the rate is raised */
#define LATELY_NS 500000000.0       /* CPU time: shares of wrappers and helper come in lumps */
#define KERNEL_TICK_NS 4000000.0    /* of CONFIG_HZ=250, the usual one */

/* Those that the thread makes itself, and all. Being preempted costs too, but that is the machine's doing, and small beside
 * what the others take. */
static uint64_t switches(bool all) {
    struct rusage u;
    if (hsc_sys3(SYS_getrusage, RUSAGE_THREAD, (long)&u, 0))
        return 0;
    return (uint64_t)u.ru_nvcsw + (all ? (uint64_t)u.ru_nivcsw : 0);
}

uint64_t hsc_rt_govern_longest(void) {
    uint64_t longest = hsc_rt.budget_named ? LONGEST_NAMED_NS : LONGEST_PRESET_NS;
    return hsc_rt.options.budget == 0 ? hsc_rt.period_ns : longest > hsc_rt.period_ns ? longest : hsc_rt.period_ns;
}

void hsc_rt_govern_begin(hsc_rt_thread *t) {
    hsc_rt_governor *g = &t->governor;
    __builtin_memset(g, 0, sizeof *g);
    g->time = hsc_rt_now_ns();
    g->on = hsc_rt.options.budget != 0;
    if (!g->on)
        return;
    g->cpu_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    g->switches = switches(false);
    g->wrapper_cycles = t->wrapper_cycles;
    g->first = true;
}

double hsc_rt_govern_share(double share, double cost_ns, double cpu_ns) {
    return cpu_ns > 0 ? share + (cost_ns / cpu_ns - share) * cpu_ns / (cpu_ns + LATELY_NS) : share;
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
        r.switches = switches(true);
    else if (hsc_rt_usage_read(t->tid, false, &u))
        r.switches = u.voluntary + u.involuntary;
    hsc_rt_thread_put(t, HSC_REC_source, &r, now);
}

/* The mean cost of a switch when samples are `periods` apart: the time to the next one, and to the kernel's next tick, are
 * taken as evenly distributed. */
static double switch_ns(const hsc_rt_thread *t, uint64_t periods) {
    if (!hsc_rt_is_perf(t->mechanism) || hsc_rt.switch_cost_ns <= hsc_rt.switch_far_ns)
        return 0;
    double period = (double)(hsc_rt.period_ns * periods);
    double near = period < KERNEL_TICK_NS ? 1 - period / (2 * KERNEL_TICK_NS) : KERNEL_TICK_NS / (2 * period);
    return (double)hsc_rt.switch_far_ns + (double)(hsc_rt.switch_cost_ns - hsc_rt.switch_far_ns) * near;
}

void hsc_rt_govern(hsc_rt_thread *t) {
    hsc_rt_governor *g = &t->governor;
    if (!g->on || t->last_time - g->time < LOOK_NS)
        return;
    g->time = t->last_time;
    uint64_t cpu = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    if (cpu < g->cpu_ns + LOOK_NS)
        return;
    uint64_t n = switches(false), runs = atomic_load_explicit(&t->beats, memory_order_relaxed) - g->runs;
    uint64_t rate = atomic_load_explicit(&hsc_rt.ns_per_cycle_q32, memory_order_relaxed);
    double passed = (double)(cpu - g->cpu_ns), budget = passed * (double)hsc_rt.options.budget / 1000;
    double own = (double)hsc_rt_cycles_ns(t->plain_cycles - g->plain_cycles, rate);
    double samples = own + (double)runs * (double)hsc_rt.interrupt_ns;
    uint64_t wrapped = t->wrapper_cycles;
    g->wrappers = hsc_rt_govern_share(g->wrappers, (double)hsc_rt_cycles_ns(wrapped - g->wrapper_cycles, rate), passed);
    g->wrapper_cycles = wrapped;
    double helper = (double)atomic_load_explicit(&hsc_rt.helper_share_q32, memory_order_relaxed) / 4294967296.0;
    double fixed = passed * (g->wrappers + helper);
    double each = (double)(n - g->switches), cost = fixed + samples + each * switch_ns(t, t->periods);
    hsc_rec_rate r = {.thread_id = t->thread_id, .time = t->last_time, .cost_ns = (uint64_t)cost, .looked_ns = cpu - g->cpu_ns,
                      .switches = n - g->switches};
    r.cpu_ns = cpu > t->cpu_start_ns ? cpu - t->cpu_start_ns : 0;
    bool first = g->first; /* with tables to be made and caches to be filled: nothing to judge by */
    g->first = false;
    g->cpu_ns = cpu;
    g->switches = n;
    g->runs += runs;
    g->plain_cycles = t->plain_cycles;
    if (first)
        return;
    uint64_t periods = t->periods, longest = hsc_rt_govern_longest();
    g->over = cost > budget ? g->over + 1 : 0;
    bool lowers = cost > 2 * budget || g->over > 1; /* a little too much, once, is chance */
    while (lowers && cost > budget && 2 * periods * hsc_rt.period_ns <= longest) {
        double then = fixed + samples * (double)t->periods / (double)(2 * periods) + each * switch_ns(t, 2 * periods);
        if (!hsc_rt.budget_named && cost - then < HELPS * budget)
            break;
        periods *= 2;
        cost = then;
    }
    if (periods == t->periods && periods > 1) {
        double before = fixed + samples * 2 + each * switch_ns(t, periods / 2);
        g->calm_ns = before < 0.7 * budget ? g->calm_ns + (uint64_t)passed : 0;
        if (g->calm_ns >= CALM_NS)
            periods /= 2;
    }
    if (periods == t->periods)
        return;
    g->calm_ns = g->over = 0;
    hsc_rt_source_rate(t, (uint32_t)periods);
    r.periods = periods;
    hsc_rt_thread_put(t, HSC_REC_rate, &r, t->last_time);
    note_lowered((uint32_t)periods);
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
    hsc_rec_rate r = {.thread_id = t->thread_id, .time = t->last_time, .periods = periods, .cost_ns = runs * g->turn_ns,
                      .looked_ns = cpu > since ? cpu - since : 0};
    r.cpu_ns = cpu > t->cpu_start_ns ? cpu - t->cpu_start_ns : 0;
    g->crowded = 0;
    if (periods == t->periods)
        return;
    hsc_rt_source_rate(t, (uint32_t)periods);
    hsc_rt_thread_put(t, HSC_REC_rate, &r, t->last_time);
    note_lowered((uint32_t)periods);
}
