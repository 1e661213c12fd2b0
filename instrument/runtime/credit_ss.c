/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPU time that no sample tells of, and where it belongs. docs/sampling.md: "Time in the kernel".
 *
 * perf's cpu-clock does not sample in the kernel, and a tick of the CPU timer stands for more than a period. At each tick
 * the thread's CPU time is compared with the samples taken. What is missing is credited to the place that the tick met, as
 * far as the thread can have spent it there: the kernel's own accounting tells whether its ticks found the thread in user
 * code, where perf sees it and nothing can be missing, or in the kernel. Threads that are switched often can be out of step
 * with the ticks; what these do not explain goes to the calls made meanwhile that a wrapper of ours saw, by what they may have
 * used, and what is beyond that to the system call or page fault that the thread was seen in of late. The rest is lost, and
 * told as such, unless the clock turns out to have run ahead: user code never gets time that it did not use. */
#include <sys/resource.h>
#include <ucontext.h>

#include "rt.h"

#define CLOCK_IN_USER_CODE (-3) /* of this thread, as the kernel's ticks found it, not scaled */
#define CLOCK_BY_TICKS (-4)     /* user and system */
#define RESERVE_TICKS 8         /* what may remain unexplained for a while */
#define BLOCKED_TICKS 8         /* ticks in user code between two signals of the timer: our signal was blocked */
#define RECENT_TICKS 32         /* of CPU time for which a system call or page fault is remembered that no sample meets again */
#define RECENT_SAMPLES 8        /* the same where that is longer */
#define FAULT_NS 250000         /* a page fault takes less, huge pages' zeroing as well */
#define CALL_NS 30000           /* what a call uses that takes longer, for it sleeps: the switch away and the one back */
#define STEPS_OF_PERIOD 2       /* calls drawn for each period that they may have used */

#define MET_SELDOM 750          /* thousandths of the CPU time that ticks charge of a thread that they meet too seldom */

void hsc_rt_credit_judge_anew(hsc_rt_thread *t) {
    t->met = (hsc_rt_met){t->cpu_seen_ns, t->seen.ticks_ns, HSC_RT_MET_UNKNOWN, 0};
}

static void judge(hsc_rt_thread *t) {
    hsc_rt_met *m = &t->met;
    uint64_t used = t->cpu_seen_ns - m->cpu_ns;
    if (used < HSC_RT_MET_NS)
        return;
    m->permille = (int32_t)((t->seen.ticks_ns - m->ticks_ns) * 1000 / used);
    m->seldom = m->permille < MET_SELDOM ? m->seldom + 1 : 0;
    m->cpu_ns = t->cpu_seen_ns;
    m->ticks_ns = t->seen.ticks_ns;
}

/* What happened since the last look. */
typedef struct interval {
    int64_t elapsed, user, kernel; /* CPU time; and by the kernel's ticks */
    int64_t faults;                /* page faults */
    bool switching;                /* slices so short that ticks may miss them */
    bool forced;                   /* for the most part as others took the processor: what it calls is met as often as the rest */
} interval;

static interval look(hsc_rt_thread *t, uint64_t cpu) {
    uint64_t user = hsc_rt_clock_ns(CLOCK_IN_USER_CODE), all = hsc_rt_clock_ns(CLOCK_BY_TICKS), switches = 0, forced = 0, faults = 0;
    struct rusage r;
    if (!hsc_sys3(SYS_getrusage, RUSAGE_THREAD, (long)&r, 0)) {
        forced = (uint64_t)r.ru_nivcsw;
        switches = (uint64_t)r.ru_nvcsw + forced;
        faults = (uint64_t)r.ru_minflt + (uint64_t)r.ru_majflt;
    }
    interval x;
    x.elapsed = (int64_t)(cpu - t->cpu_seen_ns);
    x.user = (int64_t)(user - t->seen.user_ns);
    x.kernel = (int64_t)(all - t->seen.ticks_ns) - x.user;
    x.faults = (int64_t)(faults - t->seen.faults);
    /* ticks alone: who is preempted by others, for the most part at ticks, is met by them all the same; who yields is forced to switch, as the kernel counts it, but far more often */
    uint64_t few = hsc_rt.tick_ns / 4, slice = hsc_rt_is_perf(t->mechanism) ? 2 * hsc_rt.tick_ns : few, all_now = switches - t->seen.switches;
    x.switching = all_now * slice > (uint64_t)x.elapsed;
    x.forced = (all_now - (forced - t->seen.forced)) * slice <= (uint64_t)x.elapsed && all_now * few <= (uint64_t)x.elapsed;
    t->calls.switches += switches - t->seen.switches;
    t->cpu_seen_ns = cpu;
    t->seen = (hsc_rt_seen){user, all, switches, forced, faults};
    judge(t);
    return x;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------------ */

static void forget_calls(hsc_rt_thread *t) {
    t->calls.kept = 0;
    t->calls.steps = 0;
    t->calls.long_ones = 0;
    t->calls.switches = 0;
}

static uint64_t step_ns(void) {
    return hsc_rt.period_ns > STEPS_OF_PERIOD ? hsc_rt.period_ns / STEPS_OF_PERIOD : 1;
}

static uint64_t next_draw(hsc_rt_calls *c) {
    c->draw = c->draw * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
    return c->draw >> 33;
}

/* Each step of the time draws the call that it falls in; of more than can be kept, any is as likely to be kept (Vitter 1985, algorithm R). */
void hsc_rt_credit_call(hsc_rt_thread *t, const hsc_rt_call *call, uint64_t ns) {
    hsc_rt_calls *c = &t->calls;
    uint64_t step = step_ns();
    c->spent_ns += ns < CALL_NS ? ns : CALL_NS;
    c->long_ones += ns >= CALL_NS;
    if (c->spent_ns < step)
        return;
    c->steps += c->spent_ns / step;
    c->spent_ns %= step;
    uint64_t i = c->kept < HSC_RT_CALLS ? c->kept++ : next_draw(c) % c->steps;
    if (i < HSC_RT_CALLS)
        c->call[i] = *call;
}

void hsc_rt_credit_deal(hsc_rt_thread *t, uint64_t n, void (*put)(hsc_rt_thread *t, const hsc_rt_call *call, uint64_t periods)) {
    hsc_rt_calls *c = &t->calls;
    uint64_t shares = n < HSC_RT_CALLS ? n : HSC_RT_CALLS, first = c->kept ? next_draw(c) % c->kept : 0;
    for (uint64_t i = 0; i < shares && c->kept; i++)
        put(t, &c->call[(first + i * (c->kept > shares ? c->kept : shares) / shares) % c->kept], n * (i + 1) / shares - n * i / shares);
    forget_calls(t);
}

static int64_t used_by_calls(const hsc_rt_thread *t) {
    return t->calls.kept ? (int64_t)(t->calls.steps * step_ns()) : 0;
}

/* What they may explain at most of a thread that switches: how long a switch takes is not known well, the less so on a virtual machine. Where most
 * switches can't be theirs there are other calls, which no wrapper sees. */
static int64_t most_of_calls(const hsc_rt_thread *t) {
    return (2 * t->calls.long_ones >= t->calls.switches ? 8 : 2) * used_by_calls(t);
}

/* ---- credits ---------------------------------------------------------------------------------------------------------------- */

void hsc_rt_credit_begin(hsc_rt_thread *t, uint64_t cpu) {
    look(t, cpu);
    hsc_rt_credit_judge_anew(t);
    t->carry_ns = 0;
    t->system_call = 0;
    t->switching = false;
    forget_calls(t);
}

bool hsc_rt_after_system_call(const void *ucontext) {
    uint64_t pc = (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
    if ((pc & (HSC_RT_PAGE - 1)) < 2)
        return false;
    const uint8_t *p = (const uint8_t *)pc; /* NOLINT: the code that is being executed */
    return p[-2] == 0x0f && p[-1] == 0x05;
}

/* Takes whole periods out of the reserve. */
static uint64_t take(hsc_rt_thread *t, int64_t most) {
    int64_t period = (int64_t)hsc_rt.period_ns, ns = t->carry_ns < most ? t->carry_ns : most;
    if (ns < period)
        return 0;
    t->carry_ns -= ns / period * period;
    return (uint64_t)(ns / period);
}

/* The thread's clock may run ahead: what the hypervisor took is told to the kernel late, and the clock stands still for as
 * long then, while samples go on. What seemed lost meanwhile was none of the thread's CPU time. In periods. */
static uint64_t find_again(hsc_rt_thread *t) {
    int64_t period = (int64_t)hsc_rt.period_ns, n = t->carry_ns < 0 ? -t->carry_ns / period : 0;
    int64_t lost = (int64_t)atomic_load_explicit(&t->lost_by_reason[HSC_loss_reason_UNPLACED], memory_order_relaxed);
    n = n < lost ? n : lost;
    t->carry_ns += n * period;
    return (uint64_t)n;
}

static uint64_t covered(const hsc_rt_thread *t) {
    return atomic_load_explicit(&t->samples, memory_order_relaxed) + atomic_load_explicit(&t->lost, memory_order_relaxed);
}

static bool is_in_system_calls(const hsc_rt_thread *t) {
    uint64_t recent = RECENT_TICKS * t->tick_ns / hsc_rt.period_ns, rare = RECENT_SAMPLES * (uint64_t)t->periods;
    uint64_t passed = covered(t) - t->system_call_at + (t->carry_ns > 0 ? (uint64_t)t->carry_ns / hsc_rt.period_ns : 0);
    return t->system_call && passed <= (recent > rare ? recent : rare);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* What the system call or page fault that the thread was seen in of late has of `missing`, in periods. That of one who is preempted all the time is in the kernel,
 * too: a page fault has no more of it than those since may have taken, of which the kernel's clock may tell some ticks later. */
static uint64_t take_for_system_call(hsc_rt_thread *t, bool switching, int64_t faults, int64_t missing) {
    t->fault_room_ns = least(t->fault_room_ns + faults * FAULT_NS, RESERVE_TICKS * (int64_t)t->tick_ns);
    if (!switching || !is_in_system_calls(t))
        return 0;
    uint64_t n = take(t, t->system_call_faulted ? least(missing, t->fault_room_ns) : missing);
    t->fault_room_ns -= t->system_call_faulted ? (int64_t)(n * hsc_rt.period_ns) : 0;
    return n;
}

/* `place`: of a tick's signal, else NULL. */
static hsc_rt_credit settle(hsc_rt_thread *t, const void *place, uint64_t cpu) {
    int64_t tick = (int64_t)t->tick_ns, period = (int64_t)hsc_rt.period_ns, most = 0;
    int64_t sampled = (int64_t)(covered(t) - t->samples_at_tick) * period;
    interval x = look(t, cpu);
    hsc_rt_credit c = {0};
    t->switching = x.switching;
    t->carry_ns += x.elapsed - sampled;
    c.found = find_again(t);
    if (x.user - sampled > BLOCKED_TICKS * tick)
        c.blocked = take(t, x.user - sampled);
    /* by ticks alone: a tick in user code is worth one, so something is kept for it */
    bool perf = hsc_rt_is_perf(t->mechanism);
    int64_t keep = perf || !x.switching ? 0 : 2 * tick;
    int64_t used = used_by_calls(t);
    bool after_call = place && hsc_rt_after_system_call(place);
    /* what the kernel's ticks may not have found yet; the timer's come seldom, and all that was missing since the last one is no call's that this one meets by chance */
    int64_t beyond = after_call ? least(tick, (int64_t)hsc_rt.tick_ns + x.faults * FAULT_NS) : tick;
    if (after_call || (place && x.kernel > x.user && x.faults))
        most = x.switching && !(after_call && x.forced) ? t->carry_ns - keep : 2 * x.kernel + beyond;
    else if (place && !perf)
        most = (x.switching ? x.user : x.elapsed) + (t->carry_ns > 4 * tick ? 2 * period : 0) + t->ahead_ns;
    if (place && !perf && hsc_rt_is_met(t))
        most = t->carry_ns; /* between two ticks that meet it lies now more time, now less, whatever it does */
    if (perf && !after_call) /* at an instruction that faulted, or in user code after all */
        most = least(most, least(t->carry_ns - used, x.faults * FAULT_NS));
    t->ahead_ns = 0;
    c.here = take(t, most);
    int64_t reserve = x.switching ? least(tick, HSC_RT_TICK_NS) : RESERVE_TICKS / 2 * tick;
    if (t->carry_ns - keep < period)
        forget_calls(t);
    else
        c.calls = take(t, least(t->carry_ns - keep - reserve, x.switching ? most_of_calls(t) : used));
    c.system_call = take_for_system_call(t, x.switching && (t->system_call_faulted || !x.forced), x.faults, t->carry_ns - tick - keep);
    if (t->carry_ns > RESERVE_TICKS * tick)
        c.unplaced = take(t, t->carry_ns - RESERVE_TICKS / 2 * tick);
    return c;
}

int64_t hsc_rt_credit_missing(const hsc_rt_thread *t, uint64_t cpu) {
    int64_t missing = t->carry_ns + (int64_t)(cpu - t->cpu_seen_ns);
    if (t->mechanism != HSC_RT_MONOTONIC) /* which takes what it samples at once */
        missing -= (int64_t)((covered(t) - t->samples_at_tick) * hsc_rt.period_ns);
    return missing;
}

hsc_rt_credit hsc_rt_credit_tick(hsc_rt_thread *t, const void *ucontext, uint64_t cpu) {
    return settle(t, ucontext, cpu);
}

hsc_rt_credit hsc_rt_credit_sample(hsc_rt_thread *t, uint64_t cpu) {
    return settle(t, NULL, cpu);
}

uint64_t hsc_rt_credit_timer(hsc_rt_thread *t, uint64_t cpu) {
    uint64_t elapsed = cpu - t->cpu_seen_ns;
    t->cpu_seen_ns = cpu;
    t->carry_ns += (int64_t)elapsed;
    t->idle_expiries = elapsed < hsc_rt.period_ns / 8 ? t->idle_expiries + 1 : 0;
    if (t->idle_expiries >= 3) {
        t->idle_expiries = 0;
        hsc_rt_source_pause(t, HSC_RT_PAUSE_IDLE); /* the helper watches for it to run again */
    }
    return take(t, INT64_MAX);
}

void hsc_rt_credit_noted(hsc_rt_thread *t) {
    t->samples_at_tick = covered(t);
}

uint64_t hsc_rt_credit_all(hsc_rt_thread *t, uint64_t cpu) {
    forget_calls(t);
    if (cpu < t->cpu_seen_ns)
        return 0;
    t->carry_ns = hsc_rt_credit_missing(t, cpu);
    t->cpu_seen_ns = cpu;
    hsc_rt_credit_noted(t);
    return take(t, INT64_MAX);
}

hsc_rt_credit hsc_rt_credit_end(hsc_rt_thread *t, uint64_t cpu) {
    hsc_rt_credit c = {0};
    if (cpu < t->cpu_seen_ns)
        return c;
    t->carry_ns = hsc_rt_credit_missing(t, cpu);
    t->cpu_seen_ns = cpu;
    hsc_rt_credit_noted(t);
    c.found = find_again(t);
    c.calls = take(t, least(t->carry_ns, t->switching || t->drawn ? most_of_calls(t) : used_by_calls(t)));
    c.system_call = take_for_system_call(t, t->switching, 0, t->carry_ns); /* faults since the last look: the caller may be another thread */
    if (t->drawn || t->carry_ns > RESERVE_TICKS * (int64_t)hsc_rt.tick_ns)
        c.unplaced = take(t, t->carry_ns);
    return c;
}
