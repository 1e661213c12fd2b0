/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* credit_ss.c against a simulated kernel, of which all is known: threads that compute and call the system by turns, perf's event
 * (no samples in the kernel), ticks of the CPU timer (delivered when the thread is back in its code), the kernel's accounting by
 * ticks of its own, switches, and a hypervisor that takes the processor away and tells of it late: the thread's clock runs on
 * meanwhile, and stands still for as long afterwards. The seeds are fixed, so a run is what it was.
 *
 * Asserted of each thread is what docs/sampling.md promises: its CPU time less 8 ticks is in samples and losses, and no more
 * than it but for what comes late and one sample each time that the processor was away; user code's share of the time is between its share of samples
 * and losses, and that with the losses, by the bound of a draw (5 standard deviations).
 *
 * And of a thread that writes a while, then sleeps and computes by turns, and then reads in brief calls (all by wrapped calls, and calls of 30 us are never met by
 * ticks): that no kind of call is told with more or less than its CPU time, but for what of a thread may be unexplained.
 *
 * And of a thread that others preempt all the time, which takes it kernel time: that this is none of the page fault's that it was once seen in, unless it faults. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <cmocka.h>

#include "../draws.h"
#include "rt.h"

static struct machine {
    uint64_t cpu, perf;          /* the thread's clock, and that of perf's event */
    uint64_t user_ticks, kernel_ticks, switches, forced, faults; /* forced: others had the processor */
    uint64_t told_late;          /* what the hypervisor took and the clock has not stood still for yet */
    uint64_t user, kernel, times_away; /* the truth */
} now;

static uint64_t simulated_clock(int clock) {
    return clock == -3 ? now.user_ticks : now.user_ticks + now.kernel_ticks;
}

static long simulated_call(long n, long a, long b, long c) {
    assert_int_equal(n, SYS_getrusage);
    struct rusage *r = (struct rusage *)b; /* NOLINT */
    memset(r, 0, sizeof *r);
    r->ru_nvcsw = (long)now.switches;
    r->ru_nivcsw = (long)now.forced;
    r->ru_minflt = (long)now.faults;
    (void)a;
    (void)c;
    return 0;
}

#define hsc_rt_clock_ns simulated_clock
#define hsc_sys3 simulated_call
#include "../../instrument/runtime/credit_ss.c"

hsc_rt_state hsc_rt;

void hsc_rt_source_pause(hsc_rt_thread *t, uint32_t reason) {
    (void)t;
    (void)reason;
}

enum { PERIOD = 1000000, TICK = 4000000, STEP = 50000 };

typedef struct program {
    const char *name;
    double user_ms, kernel_ms; /* means of a turn; 0: none */
    double away_ms, every_ms;  /* the hypervisor takes so long a time, once in so much CPU time; 0: never */
    double switch_ms;          /* CPU time between switches; 0: none */
    bool forced;               /* others take the processor */
    bool seldom;               /* the timer's ticks come 16 times as seldom, and each switch takes STEP in the kernel, at no call */
} program;

/* What sample() of sample_ss.c does with a credit. */
static void book(hsc_rt_thread *t, const hsc_rt_credit *c, uint64_t weight, bool in_user, uint64_t *of_user) {
    t->samples += weight + c->calls + c->system_call;
    *of_user += in_user ? weight : 0;
    t->lost_by_reason[HSC_loss_reason_BLOCKED] += c->blocked;
    t->lost_by_reason[HSC_loss_reason_UNPLACED] += c->unplaced - c->found;
    t->lost += c->blocked + c->unplaced - c->found;
    hsc_rt_credit_noted(t);
}

static uint64_t turn(double mean_ms) {
    double ns = -mean_ms * 1e6 * log(1 - uniform());
    return ns < STEP ? STEP : (uint64_t)(ns / STEP + 0.5) * STEP;
}

/* One thread of `ms` CPU time. Returns the samples that user code got. */
static uint64_t simulate(const program *p, uint64_t ms, uint64_t seed, hsc_rt_thread *t) {
    static const uint8_t code[2][8] = {{0x90, 0x90, 0x90, 0x90}, {0x90, 0x90, 0x0f, 0x05}};
    uint64_t of_user = 0, wall = 0, next_sample = PERIOD, next_tick = TICK, next_kernel_tick = 0, next_switch = UINT64_MAX, next_away = UINT64_MAX;
    bool in_user = true, tick_due = false, comes_back = false;
    ucontext_t place;
    memset(&place, 0, sizeof place);
    memset(t, 0, sizeof *t);
    now = (struct machine){0};
    state_of_random = seed;
    t->mechanism = HSC_RT_PERF;
    t->tick_ns = p->seldom ? 16 * TICK : TICK;
    hsc_rt_credit_begin(t, 0);
    hsc_rt_credit_noted(t);
    next_kernel_tick = (uint64_t)(uniform() * TICK);
    next_switch = p->switch_ms > 0 ? turn(p->switch_ms) : UINT64_MAX;
    next_away = p->every_ms > 0 ? turn(p->every_ms) : UINT64_MAX;
    uint64_t left = turn(p->user_ms);
    while (now.cpu < ms * 1000000) {
        uint64_t away = 0;
        if (!left) {
            in_user = !in_user || p->kernel_ms <= 0;
            left = turn(in_user ? p->user_ms : p->kernel_ms);
            if (!in_user && p->switch_ms > 0)
                t->system_call = 1; /* some sample has met it */
        }
        bool switched = p->seldom && comes_back, in_code = in_user && !switched;
        comes_back = false;
        left -= switched ? 0 : STEP;
        *(in_code ? &now.user : &now.kernel) += STEP;
        if (now.perf >= next_away) {
            away = (uint64_t)(p->away_ms * 1e6 * (0.5 + uniform()));
            next_away = now.perf + away + turn(p->every_ms);
            now.times_away++;
        }
        now.perf += STEP + away; /* a clock that goes on */
        wall += STEP + away;
        uint64_t still = now.told_late && !away ? STEP < now.told_late ? STEP : now.told_late : 0;
        now.told_late += away - still;
        now.cpu += STEP + away - still;
        if (wall >= next_kernel_tick) {
            *(in_code ? &now.user_ticks : &now.kernel_ticks) += TICK;
            tick_due = tick_due || now.cpu >= next_tick;
            next_kernel_tick += (wall - next_kernel_tick) / TICK * TICK + TICK;
        }
        if (now.perf >= next_switch) {
            *(p->forced ? &now.forced : &now.switches) += 1;
            next_switch = now.perf + turn(p->switch_ms);
            comes_back = true;
        }
        if (now.perf >= next_sample) {
            next_sample += (now.perf - next_sample) / PERIOD * PERIOD + PERIOD;
            if (in_code) {
                t->samples++;
                of_user++;
            }
        }
        if (tick_due && (in_user || !left)) { /* on the way back */
            bool from_kernel = !in_user;
            place.uc_mcontext.gregs[REG_RIP] = (greg_t)&code[from_kernel][4];
            hsc_rt_credit c = hsc_rt_credit_tick(t, &place, now.cpu);
            book(t, &c, c.here, in_user, &of_user);
            next_tick = now.cpu + t->tick_ns;
            tick_due = false;
        }
    }
    hsc_rt_credit c = hsc_rt_credit_end(t, now.cpu);
    book(t, &c, 0, false, &of_user);
    return of_user;
}

static const program programs[] = {
    {"computes", 1e9, 0, 0, 0, 0, false, false},
    {"computes and faults", 5, 5, 0, 0, 0, false, false},
    {"mostly in the kernel", 2, 18, 0, 0, 0, false, false},
    {"yields", 1, 9, 0, 0, 0.5, false, false},
    {"computes, the hypervisor takes 200 ms now and then", 1e9, 0, 200, 1500, 0, false, false},
    {"computes, the hypervisor takes 5 ms often", 1e9, 0, 5, 50, 0, false, false},
    {"faults, the hypervisor takes 60 ms now and then", 5, 5, 60, 600, 0, false, false},
    {"computes, preempted, a short call now and then", 20, 0.05, 0, 0, 3, true, false},
    {"the same, the hypervisor takes 200 ms now and then", 20, 0.05, 200, 1500, 3, true, false},
    {"yields, forced as the kernel counts it", 1, 9, 0, 0, 0.5, true, false},
    {"computes, preempted, a short call now and then, each switch in the kernel", 400, 0.05, 0, 0, 1.5, true, true},
};

static void credits(void **state) {
    (void)state;
    hsc_rt.period_ns = PERIOD;
    hsc_rt.tick_ns = TICK;
    static hsc_rt_thread t;
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        const program *p = &programs[k];
        double of_user = 0, user = 0, all = 0, samples = 0, low = 1e9, high = -1e9;
        uint64_t lost = 0;
        for (uint64_t seed = 1; seed <= 40; seed++) {
            of_user += (double)simulate(p, 4000, seed, &t);
            user += (double)now.user;
            all += (double)(now.user + now.kernel);
            samples += (double)t.samples;
            lost += t.lost;
            double more = (double)(t.samples + t.lost) * PERIOD - (double)now.cpu;
            low = fmin(low, more);
            high = fmax(high, more);
            /* a period is under way, one may come late; one falls due each time that the processor is away, by perf's clock */
            if (more < -8.0 * TICK || more > 2.0 * PERIOD + TICK + (double)now.times_away * PERIOD)
                fail_msg("%s, seed %u: samples and losses are %.1f ms more than the CPU time", p->name, (unsigned)seed, more * 1e-6);
        }
        double told = samples + (double)lost, truth = user / all, share = of_user / told, part_lost = (double)lost / told;
        double bound = 5 * sqrt(truth * (1 - truth) / told) + 0.005;
        print_message("%-52s %.1f to %.1f ms; user code %.4f, true %.4f +- %.4f; lost %.4f\n", p->name, low * 1e-6, high * 1e-6, share,
                      truth, bound, part_lost);
        if (truth < share - bound || truth > share + part_lost + bound)
            fail_msg("%s: user code has %.4f of the samples, and perhaps what is lost, true %.4f +- %.4f", p->name, share, truth, bound);
    }
}

/* What the kernel took for forced switches, here and there for long, is no system call's that the thread is in at last. */
static void no_call_has_the_time_of(uint64_t forced) {
    static const uint8_t code[2][8] = {{0x90, 0x90, 0x90, 0x90}, {0x90, 0x90, 0x0f, 0x05}};
    static hsc_rt_thread t;
    ucontext_t place;
    uint64_t unused = 0;
    hsc_rt.period_ns = PERIOD;
    hsc_rt.tick_ns = TICK;
    memset(&place, 0, sizeof place);
    memset(&t, 0, sizeof t);
    now = (struct machine){0};
    t.mechanism = HSC_RT_PERF;
    t.tick_ns = 16 * TICK;
    hsc_rt_credit_begin(&t, 0);
    hsc_rt_credit_noted(&t);
    for (int i = 0; i < 10; i++) {
        now.cpu += t.tick_ns;
        now.user_ticks += t.tick_ns - TICK;
        now.kernel_ticks += TICK;
        now.forced += 40 * forced;
        t.samples += t.tick_ns / PERIOD - 6;
        place.uc_mcontext.gregs[REG_RIP] = (greg_t)&code[0][4];
        hsc_rt_credit c = hsc_rt_credit_tick(&t, &place, now.cpu);
        book(&t, &c, c.here, true, &unused);
    }
    now.cpu += 2 * PERIOD;
    now.forced += forced;
    t.samples += 2;
    place.uc_mcontext.gregs[REG_RIP] = (greg_t)&code[1][4];
    hsc_rt_credit c = hsc_rt_credit_tick(&t, &place, now.cpu);
    assert_true(t.carry_ns > 50 * PERIOD || c.here > 50); /* it was there to be had */
    assert_true(c.here * PERIOD <= TICK);
}

static void of_forced_switches_no_call_has_the_time(void **state) {
    (void)state;
    no_call_has_the_time_of(1);
}

/* Nor what it took for interrupts and samples, where the timer's ticks come seldom. */
static void of_interrupts_no_call_has_the_time(void **state) {
    (void)state;
    no_call_has_the_time_of(0);
}

/* ---- calls ------------------------------------------------------------------------------------------------------------------ */

enum { USER, WRITE, SLEEP, READ, KINDS };
static const char *const kinds[KINDS] = {"user code", "write", "sleep", "read"};

/* A thread that makes calls: what it used, and what it is told to have used. */
static struct caller {
    hsc_rt_thread t;
    uint64_t used_ns[KINDS], told[KINDS], next_sample, next_tick, next_kernel_tick;
} caller;

static void tell(hsc_rt_thread *t, const hsc_rt_call *call, uint64_t periods) {
    (void)t;
    caller.told[call->node] += periods;
}

/* What record_credit() of sample_ss.c does. The system call that was last seen has the number of its kind in `system_call`. */
static void tell_credit(const hsc_rt_credit *c, uint32_t kind) {
    hsc_rt_thread *t = &caller.t;
    caller.told[kind] += c->here;
    caller.told[t->system_call] += c->system_call;
    if (c->calls)
        hsc_rt_credit_deal(t, c->calls, tell);
    uint64_t unused;
    book(t, c, c->here, false, &unused);
}

/* Some CPU time of one kind; `met`: ticks may find it (the thread runs when they come), and what they find is a place after a system call. */
static void use(uint32_t kind, uint64_t ns, bool met) {
    static const uint8_t code[2][8] = {{0x90, 0x90, 0x90, 0x90}, {0x90, 0x90, 0x0f, 0x05}};
    hsc_rt_thread *t = &caller.t;
    ucontext_t place;
    memset(&place, 0, sizeof place);
    caller.used_ns[kind] += ns;
    now.cpu += ns;
    if (now.cpu >= caller.next_sample) {
        caller.next_sample += PERIOD;
        t->samples += kind == USER;
        caller.told[USER] += kind == USER;
    }
    if (!met || now.cpu < caller.next_kernel_tick)
        return;
    caller.next_kernel_tick = now.cpu + TICK;
    *(kind == USER ? &now.user_ticks : &now.kernel_ticks) += TICK;
    if (now.cpu < caller.next_tick)
        return;
    caller.next_tick = now.cpu + TICK;
    place.uc_mcontext.gregs[REG_RIP] = (greg_t)&code[kind != USER][4];
    hsc_rt_credit c = hsc_rt_credit_tick(t, &place, now.cpu);
    tell_credit(&c, kind);
    if (kind != USER && c.here) {
        t->system_call = kind;
        t->system_call_at = t->samples + t->lost;
    }
}

static void call(uint32_t kind, uint64_t ns, uint64_t lasts_ns, bool met) {
    use(kind, ns, met);
    now.switches += lasts_ns > ns;
    hsc_rt_credit_call(&caller.t, &(hsc_rt_call){1, 0, kind, 0}, lasts_ns);
}

static hsc_rt_thread *begin_thread(void) {
    hsc_rt_thread *t = &caller.t;
    memset(&caller, 0, sizeof caller);
    now = (struct machine){0};
    t->mechanism = HSC_RT_PERF;
    t->tick_ns = TICK;
    caller.next_sample = PERIOD;
    hsc_rt_credit_begin(t, 0);
    hsc_rt_credit_noted(t);
    return t;
}

static void calls(void **state) {
    (void)state;
    hsc_rt.period_ns = PERIOD;
    hsc_rt.tick_ns = TICK;
    hsc_rt_thread *t = begin_thread();
    call(WRITE, 20 * PERIOD, 20 * PERIOD, true);
    for (uint32_t round = 0; round < 400; round++) {
        for (uint32_t i = 0; i < 80; i++)
            use(USER, STEP, true);
        for (uint32_t i = 0; i < 6; i++)
            call(SLEEP, 2 * STEP, 2 * PERIOD, false);
    }
    for (uint32_t i = 0; i < 20000; i++)
        call(READ, 2500, 2500, false);
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < 80; i++)
            use(USER, STEP, true);
        call(SLEEP, STEP, 2 * PERIOD, false);
    }
    hsc_rt_credit c = hsc_rt_credit_end(t, now.cpu);
    tell_credit(&c, USER);
    for (uint32_t k = 0; k < KINDS; k++) {
        double told = (double)caller.told[k], used = (double)caller.used_ns[k] / PERIOD;
        print_message("%-10s %.0f periods, %.1f used\n", kinds[k], told, used);
        /* what may stay unexplained of a thread, and is dealt to the calls of another while */
        if (fabs(told - used) > 8.0 * TICK / PERIOD)
            fail_msg("%s has %.0f periods, used %.1f", kinds[k], told, used);
    }
}

/* ---- ticks alone ------------------------------------------------------------------------------------------------------------ */

/* A thread by timer-cpu that shares its processor, and is switched away every few microseconds: the kernel's ticks find it in its code for 70 % of the time that they
 * meet it, else on the way back from giving up the processor. Returns the share of samples and losses that its code gets; *lost: share that is lost. `met`: of its CPU time. */
static double by_ticks(double met, double *lost) {
    static const uint8_t code[2][8] = {{0x90, 0x90, 0x90, 0x90}, {0x90, 0x90, 0x0f, 0x05}};
    hsc_rt_thread *t = begin_thread();
    ucontext_t place;
    memset(&place, 0, sizeof place);
    uint64_t due = TICK;
    t->mechanism = HSC_RT_CPU;
    t->system_call = SLEEP;
    state_of_random = 7;
    while (now.cpu < 200000 * (uint64_t)PERIOD) {
        now.cpu += (uint64_t)(-TICK / met * log(1 - uniform())) + 1;
        now.switches += 1000;
        bool in_user = uniform() < 0.7;
        *(in_user ? &now.user_ticks : &now.kernel_ticks) += TICK;
        if (now.cpu < due) /* the timer is not due at every tick that meets the thread */
            continue;
        due += (now.cpu - due) / TICK * TICK + TICK;
        t->system_call_at = t->samples + t->lost;
        place.uc_mcontext.gregs[REG_RIP] = (greg_t)&code[!in_user][4];
        hsc_rt_credit c = hsc_rt_credit_tick(t, &place, now.cpu);
        tell_credit(&c, in_user ? USER : SLEEP);
    }
    *lost = (double)t->lost / (double)(t->samples + t->lost);
    return (double)caller.told[USER] / (double)(t->samples + t->lost);
}

/* Where ticks meet it as often as it runs its code gets what it has; where they meet it half as often, never more than that: what they don't explain is its calls'. */
static void ticks_alone(void **state) {
    (void)state;
    hsc_rt.period_ns = PERIOD;
    hsc_rt.tick_ns = TICK;
    double lost, all = by_ticks(1, &lost), bound = 5 * sqrt(0.7 * 0.3 / 35000) * sqrt(2); /* more than 35,000 ticks, each with a time that is drawn, too */
    print_message("ticks alone: %.3f of 0.700 +- %.3f, lost %.3f\n", all, bound, lost);
    assert_true(fabs(all - 0.7) < bound && lost < 0.01);
    double half = by_ticks(0.5, &lost);
    print_message("that meet half: %.3f, lost %.3f\n", half, lost);
    assert_true(half < 0.45);
}

/* ---- page faults ------------------------------------------------------------------------------------------------------------ */

/* Periods that the page fault gets which a tick met at the beginning; of 500 ms, in which the thread faults so often a millisecond. */
static double of_fault(uint32_t faults, double *used) {
    hsc_rt_thread *t = begin_thread();
    t->system_call = WRITE;
    t->system_call_faulted = true;
    for (uint32_t ms = 0; ms < 500; ms++) {
        now.faults += faults;
        t->system_call_at = t->samples + t->lost; /* still recent: as a lowered rate makes it */
        for (uint32_t i = 0; i < 10; i++) {
            use(ms % 2 ? USER : SLEEP, STEP, ms % 2); /* SLEEP: the kernel, on the way to another thread and back */
            use(ms % 2 ? SLEEP : USER, STEP, !(ms % 2));
            now.switches++;
        }
    }
    hsc_rt_credit c = hsc_rt_credit_end(t, now.cpu);
    tell_credit(&c, USER);
    double missing = (double)now.cpu - (double)(t->samples + t->lost) * PERIOD;
    assert_true(missing >= -2.0 * PERIOD - TICK && missing <= 8.0 * TICK);
    *used = (double)caller.used_ns[SLEEP] / PERIOD;
    return (double)caller.told[WRITE];
}

static void preempted(void **state) {
    (void)state;
    hsc_rt.period_ns = PERIOD;
    hsc_rt.tick_ns = TICK;
    double used, none = of_fault(0, &used), many = of_fault(20, &used);
    print_message("a page fault seen once has %.0f periods, of a thread that faults %.0f; in the kernel %.0f\n", none, many, used);
    assert_true(none == 0);
    assert_true(many > 0.8 * used && many < used + 8.0 * TICK / PERIOD);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(credits), cmocka_unit_test(of_forced_switches_no_call_has_the_time), cmocka_unit_test(of_interrupts_no_call_has_the_time), cmocka_unit_test(calls), cmocka_unit_test(ticks_alone), cmocka_unit_test(preempted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
