/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The helper: a bare kernel thread that libc does not know of (so that a program with one thread stays one for libc's
 * locks and for C++'s reference counts). It has no thread-local storage of its own and calls nothing that needs any.
 * All signals are blocked in it, and it has a table of descriptors of its own, empty but for what it has just opened: so the program's
 * files get the numbers that they would get without us, whoever closes the last one of a pipe has closed it, and no lock goes with a file that we close. */
#include <errno.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <time.h>

#include "probes.h"

#define STACK_BYTES (256u << 10)
#define USAGE_FIRST_NS 1000000000ull /* between two records of a thread's usage; each is twice as far as the one before */
#define USAGE_LAST_NS 32000000000ull
#define TRACER_LOOK_NS 500000000ull /* where no thread seems to compute */
#define LOSSES_EVERY_NS 1000000000ull
#define USAGES_MAX 32u /* in one beat */

static uint8_t *stack; /* one helper at a time: used again */

/* Seldom: each time costs three small files of /proc. */
static uint32_t tell_usage(hsc_rt_thread *t, uint64_t now) {
    hsc_rec_thread_usage u;
    bool first = !t->usage_due_ns;
    t->usage_every_ns = !t->usage_every_ns ? USAGE_FIRST_NS : t->usage_every_ns < USAGE_LAST_NS ? 2 * t->usage_every_ns : t->usage_every_ns;
    t->usage_due_ns = now + t->usage_every_ns;
    if (!first && hsc_rt_usage_record(t, now, 0, false, &u))
        hsc_rt_file_put(HSC_REC_thread_usage, &u, now);
    return !first;
}

/* Of who is killed it is known, too, why samples were lost. */
static void tell_losses(hsc_rt_thread *t, uint64_t now) {
    t->losses_due_ns = now + LOSSES_EVERY_NS;
    for (uint64_t i = 0; i < sizeof t->lost_by_reason / sizeof t->lost_by_reason[0]; i++) {
        hsc_rec_loss r = {t->thread_id, now, atomic_load_explicit(&t->lost_by_reason[i], memory_order_relaxed), i};
        if (r.count != t->lost_told[i] && hsc_rt_file_put(HSC_REC_loss, &r, now))
            t->lost_told[i] = r.count;
    }
}

/* A progress record for each thread that did something since its last one; true: there was one. rt.lock is held. */
static bool tell_progress(uint64_t now) {
    uint64_t rate = atomic_load_explicit(&hsc_rt.ns_per_cycle_q32, memory_order_relaxed);
    uint32_t usages = 0;
    bool any = false;
    for (hsc_rt_thread *t = hsc_rt.threads; t; t = t->next) {
        uint64_t beats = atomic_load_explicit(&t->beats, memory_order_acquire);
        if (t->live)
            hsc_rt_waits_help(t, now);
        if (t->live && t->scopes)
            hsc_rt_probes_remind(t->scopes, hsc_cycles());
        if (!t->live || beats == t->reported_beats)
            continue;
        t->reported_beats = beats;
        any = true;
        hsc_rec_progress r = {t->thread_id, now, 0, 0, 0, 0, 0, 0};
        r.samples = atomic_load_explicit(&t->samples, memory_order_relaxed);
        r.lost = atomic_load_explicit(&t->lost, memory_order_relaxed);
        r.truncated = atomic_load_explicit(&t->truncated, memory_order_relaxed);
        r.own_ns = hsc_rt_cycles_ns(atomic_load_explicit(&t->own_cycles, memory_order_relaxed), rate);
        uint64_t cpu = t->asleep ? t->asleep_cpu_ns : hsc_rt_thread_cpu_ns(t->tid);
        r.cpu_ns = cpu > t->cpu_start_ns ? cpu - t->cpu_start_ns : 0;
        hsc_rt_file_put(HSC_REC_progress, &r, now);
        if (now >= t->losses_due_ns)
            tell_losses(t, now);
        if (now >= t->usage_due_ns && usages < USAGES_MAX)
            usages += tell_usage(t, now);
    }
    return any;
}

/* timer-monotonic: threads that were found waiting and run again get their timer back. Returns whether any is paused. */
static bool watch_idle(void) {
    bool any = false;
    for (hsc_rt_thread *t = hsc_rt.threads; t; t = t->next) {
        if (!t->live || !(atomic_load(&t->main_timer_off) & HSC_RT_PAUSE_IDLE))
            continue;
        uint64_t cpu = hsc_rt_thread_cpu_ns(t->tid);
        if (cpu > t->helper_cpu_ns + hsc_rt.period_ns)
            hsc_rt_source_resume(t, HSC_RT_PAUSE_IDLE);
        else
            any = true;
        t->helper_cpu_ns = cpu;
    }
    return any;
}

static void calibrate(uint64_t cycles_start, uint64_t ns_start) {
    uint64_t cycles, ns = hsc_rt_now_both(&cycles) - ns_start;
    cycles -= cycles_start;
    if (cycles && ns > 10000000u)
        atomic_store_explicit(&hsc_rt.ns_per_cycle_q32, hsc_rt_cycle_rate(ns, cycles), memory_order_relaxed);
}

/* For the governor: what the helper took since the last beat, for what the process's own threads did. */
static void tell_share(uint64_t helper_ns) {
    static uint64_t last_helper_ns, last_cpu_ns;
    static double share;
    static int pid;
    uint64_t all = hsc_rt_clock_ns(CLOCK_PROCESS_CPUTIME_ID), cpu = all > helper_ns ? all - helper_ns : 0;
    if (pid != hsc_rt.pid) { /* of a child of fork, all begins anew */
        pid = hsc_rt.pid;
        share = 0;
    } else if (cpu > last_cpu_ns) {
        share = hsc_rt_govern_share(share, (double)(helper_ns - last_helper_ns), (double)(cpu - last_cpu_ns), HSC_RT_HELPER_LATELY_NS);
        atomic_store_explicit(&hsc_rt.helper_share_q32, (uint32_t)((share < 1 ? share : 1) * 4294967295.0), memory_order_relaxed);
    } else
        return;
    last_helper_ns = helper_ns;
    last_cpu_ns = cpu;
}

void hsc_rt_helper_set_ahead(int32_t tid) {
    int priority;
    long policy = hsc_sys3(SYS_sched_getscheduler, tid, 0, 0);
    if ((policy == SCHED_FIFO || policy == SCHED_RR) && !hsc_sys3(SYS_sched_getparam, tid, (long)&priority, 0)) {
        priority++;
        hsc_sys3(SYS_sched_setparam, tid, (long)&priority, 0);
    }
}

static _Atomic bool parted;

/* Where the kernel (Linux 5.9) or a filter does not let it: it takes a number of the program's for some 50 us now and then. */
static void part(void) {
    atomic_store(&parted, hsc_rt.may_part && !hsc_sys3(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE));
}

/* The helper has not even that one of the program's open: it would keep the reader of a pipe waiting for its end. */
void hsc_rt_say(const char *text) {
    if (!atomic_load(&parted) || (uint32_t)hsc_sys3(SYS_gettid, 0, 0, 0) != atomic_load(&hsc_rt.helper_tid)) {
        int kept = atomic_load(&hsc_rt.stderr_kept);
        hsc_rt_say_to(kept ? kept : 2, text);
        return;
    }
    long process = hsc_sys3(SYS_pidfd_open, hsc_rt.pid, 0, 0), fd = hsc_sys3(SYS_pidfd_getfd, process, 2, 0);
    if (fd >= 0)
        hsc_rt_say_to(fd, text);
    hsc_sys3(SYS_close, fd, 0, 0);
    hsc_sys3(SYS_close, process, 0, 0);
}

static void helper(void) {
    part();
    hsc_rt.helper_gone_ns = hsc_rt.helper_ns;
    uint64_t cycles_start, ns_start = hsc_rt_now_both(&cycles_start);
    uint64_t next_progress = ns_start + HSC_RT_PROGRESS_NS, next_look = ns_start, mask; /* not at once: the program opens files now, and counts on their numbers */
    bool tables = false, idle = false;
    while (!atomic_load(&hsc_rt.helper_quit)) {
        uint32_t seen = atomic_load(&hsc_rt.helper_word);
        uint64_t now = hsc_rt_now_ns();
        uint64_t next_scan = hsc_rt_watch_tend(now);
        if (atomic_exchange(&hsc_rt.want_table, 0))
            tables = true;
        if (tables)
            tables = hsc_rt_modules_build_one();
        if (now >= next_progress) {
            calibrate(cycles_start, ns_start);
            hsc_rt.helper_ns = hsc_rt.helper_gone_ns + hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
            tell_share(hsc_rt.helper_ns);
            bool computes = false;
            if (hsc_rt_lock_take(&hsc_rt.lock, &mask, 100)) {
                computes = tell_progress(now);
                hsc_rt_lock_release(&hsc_rt.lock, mask);
            }
            /* a tracer that does not hand signals on keeps samples away: who seems not to compute may be held, too */
            if (computes || now >= next_look || atomic_load(&hsc_rt.traced)) {
                hsc_rt_tracer_tend(now);
                next_look = now + TRACER_LOOK_NS;
            }
            next_progress = now + HSC_RT_PROGRESS_NS;
        }
        if (hsc_rt.mechanism == HSC_RT_MONOTONIC && hsc_rt_lock_take(&hsc_rt.lock, &mask, 100)) {
            idle = watch_idle();
            hsc_rt_lock_release(&hsc_rt.lock, mask);
        }
        hsc_rt_file_tend(hsc_rt.live_threads);
        hsc_rt_commands_tend(now);
        hsc_rt_probes_keep_budget(now);
        uint64_t change = hsc_rt_measure_tend(now), wall = hsc_rt_wall_tend(now);
        now = hsc_rt_now_ns();
        uint64_t until = change && change < next_progress ? change : next_progress;
        until = wall && wall < until ? wall : until;
        if (next_scan && next_scan < until)
            until = next_scan;
        if (idle && until > now + 10000000u)
            until = now + 10000000u;
        if (!tables && until > now)
            hsc_rt_wait(&hsc_rt.helper_word, seen, until - now);
    }
}

void hsc_rt_helper_poke(void) {
    atomic_fetch_add_explicit(&hsc_rt.helper_word, 1, memory_order_relaxed);
    hsc_rt_wake(&hsc_rt.helper_word);
}

uint64_t hsc_rt_helper_cpu_ns(void) {
    int32_t tid = (int32_t)atomic_load(&hsc_rt.helper_tid);
    uint64_t now = tid ? hsc_rt.helper_gone_ns + hsc_rt_thread_cpu_ns(tid) : 0;
    return now > hsc_rt.helper_ns ? now : hsc_rt.helper_ns;
}

static __attribute__((noinline)) long start_bare_thread(void *top, _Atomic uint32_t *tid, void (*run)(void)) {
    /* not CLONE_SYSVSEM: the process would have a list of semaphores to undo, which kcmp tells from its children's */
    long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    long r;
    register void *child_tid __asm__("r10") = tid;
    register long tls __asm__("r8") = 0;
    register void (*entry)(void) __asm__("r12") = run;
    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "callq *%%r12\n\t"
                     "xorl %%edi, %%edi\n\t"
                     "movl %[exit], %%eax\n\t"
                     "syscall\n\t"
                     "hlt\n"
                     "1:"
                     : "=a"(r)
                     : "a"((long)SYS_clone), "D"(flags), "S"(top), "d"(tid), "r"(child_tid), "r"(tls), "r"(entry),
                       [exit] "i"(SYS_exit)
                     : "rcx", "r11", "memory");
    return r;
}

bool hsc_rt_helper_start(void) {
    if (!stack && !(stack = hsc_rt_map(STACK_BYTES)))
        return false;
    uint64_t all = ~0ull, saved;
    atomic_store(&hsc_rt.helper_quit, 0);
    if (atomic_load(&hsc_rt.helper_tid)) /* it would not end: its stack is in use */
        return true;
    hsc_sys4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&saved, 8);
    long r = start_bare_thread(stack + STACK_BYTES - 64, /* in it, as tools that know threads by their stack expect */ &hsc_rt.helper_tid, helper);
    hsc_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&saved, 0, 8);
    if (r > 0 && hsc_rt.may_part)
        hsc_rt_helper_set_ahead((int32_t)r);
    return r > 0;
}

/* Several threads may want to be without the helper at the same time. */
static hsc_rt_lock pauses_lock;
static uint32_t pauses;

void hsc_rt_helper_pause(void) {
    uint64_t mask;
    hsc_rt_lock_take(&pauses_lock, &mask, -1);
    if (!pauses++)
        hsc_rt_helper_stop();
    hsc_rt_lock_release(&pauses_lock, mask);
}

void hsc_rt_helper_resume(void) {
    uint64_t mask;
    hsc_rt_lock_take(&pauses_lock, &mask, -1);
    if (!--pauses && atomic_load(&hsc_rt.on))
        hsc_rt_helper_start();
    hsc_rt_lock_release(&pauses_lock, mask);
}

void hsc_rt_helper_forget(void) {
    atomic_store(&hsc_rt.helper_tid, 0);
    atomic_store(&pauses_lock.word, 0);
    pauses = 0;
}

void hsc_rt_helper_stop(void) {
    atomic_store(&hsc_rt.helper_quit, 1);
    hsc_rt_helper_poke();
    struct timespec t = {0, 200000};
    for (int i = 0; i < 10000 && atomic_load(&hsc_rt.helper_tid); i++)
        hsc_sys4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&t, 0);
}
