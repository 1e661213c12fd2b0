/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where samples come from: perf's cpu-clock with a signal to the thread, or POSIX timers; and the other events
 * that the user asked for, by perf. Each event is an `hsc_rt_counter` of the thread. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <time.h>

#include "rt.h"

const char *hsc_rt_mechanism_name(enum hsc_rt_mechanism m) {
    static const char *const names[] = {"", "perf-cpu-clock-trap", "perf-cpu-clock", "timer-monotonic", "timer-cpu"};
    return names[m];
}

static bool failed(long r) {
    return r < 0 && r > -4096;
}

static int make_timer(int clock, int tid, int *error) {
    struct sigevent e;
    __builtin_memset(&e, 0, sizeof e);
    e.sigev_notify = SIGEV_THREAD_ID;
    e.sigev_signo = hsc_rt.signal;
    e.sigev_value.sival_ptr = &hsc_rt;
    e._sigev_un._tid = tid;
    int id = -1;
    long r = hsc_sys3(SYS_timer_create, clock, (long)&e, (long)&id);
    *error = (int)-r;
    return r ? -1 : id;
}

static struct timespec time_of(uint64_t ns) {
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

static void set_timer_from(int id, uint64_t first_ns, uint64_t interval_ns) {
    struct itimerspec s = {time_of(interval_ns), time_of(first_ns)};
    hsc_sys4(SYS_timer_settime, id, 0, (long)&s, 0);
}

static void set_timer(int id, uint64_t interval_ns) {
    set_timer_from(id, interval_ns, interval_ns);
}

/* Of near ticks half of the kernel's: else one would run out at every second of the kernel's, for the CPU time between these is a little less than
 * a tick; and of two nobody could tell which one met the thread in the kernel. */
static uint64_t tick_interval(const hsc_rt_thread *t) {
    if (t->pace == HSC_RT_PACE_SLOW)
        return HSC_RT_SLOW_TICKS * t->tick_ns;
    return t->pace == HSC_RT_PACE_NEAR || t->tick_ns <= HSC_RT_TICK_NS ? HSC_RT_TICK_NS / 2 : t->tick_ns;
}

#define PUT_OFF_RUNS 8u  /* expiries without a sample before the timer's next one is twice as far */
#define PUT_OFF_MOST 10u /* doublings */
#define FIRST_LEAST_NS 50000u  /* more than from a sample to our handler: else a first one could not be told from one a distance later */
#define FIRST_TRIES 3u /* at a first sample: a thread that is mostly in the kernel is late each time */
#define DRAWN_FROM_NS 100000u  /* between samples that are nearer a thread loses less than 50 us */
#define DRY_PERIODS 64u /* between two signals where samples find no room */
#define SAMPLE_BYTES 16u /* header, process and thread */
#define SWITCH_TRIALS 7
#define SWITCH_MOST_NS 50000u

static long open_perf(const hsc_rt_event *e, uint64_t period, bool trap, int32_t tid) {
    struct perf_event_attr a;
    __builtin_memset(&a, 0, sizeof a);
    a.type = e->type;
    a.size = sizeof a;
    a.config = e->config;
    a.config1 = e->config1;
    a.config2 = e->config2;
    a.sample_period = period;
    a.wakeup_events = 1;
    a.sample_type = PERF_SAMPLE_TID; /* with PERIOD the kernel samples every single software event */
    a.disabled = 1;
    a.exclude_user = !e->user;
    a.exclude_kernel = !e->kernel; /* user code alone: allowed to everybody at paranoid level 2, never interrupts a system call */
    a.exclude_hv = 1;
    if (trap) { /* Linux 5.13: the thread gets SIGTRAP by itself, without an interrupt more to send it */
        a.sigtrap = 1;
        a.remove_on_exec = 1;
        a.sig_data = (uint64_t)&hsc_rt;
    }
    return hsc_sys6(SYS_perf_event_open, (long)&a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

/* At a context switch the kernel does what these two calls do: it stops the event's timer, and starts it again. That costs
 * little when another timer of the processor is due before, which is so now and then: the median tells what is usual. */
static uint64_t measure_switch(uint64_t period_ns) {
    uint64_t took[SWITCH_TRIALS];
    long fd = open_perf(&hsc_rt.events[0], period_ns, false, 0);
    if (failed(fd))
        return 0;
    for (int i = 0; i < SWITCH_TRIALS; i++) {
        uint64_t begin = hsc_rt_now_ns();
        hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
        hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_DISABLE, 0);
        took[i] = hsc_rt_now_ns() - begin;
    }
    hsc_sys3(SYS_close, fd, 0, 0);
    hsc_rt_sort(took, SWITCH_TRIALS);
    return took[SWITCH_TRIALS / 2] < SWITCH_MOST_NS ? took[SWITCH_TRIALS / 2] : SWITCH_MOST_NS;
}

#define TRIAL_NS 20000u
#define TRIAL_LAST_NS 20000000u /* of CPU time; and of any time, 50 times that */

/* Takes the thread's pending SIGTRAP. False: there was none. */
static bool take_trap(siginfo_t *info) {
    uint64_t trap = 1ull << (SIGTRAP - 1);
    struct timespec none = {0, 0};
    return hsc_sys4(SYS_rt_sigtimedwait, (long)&trap, (long)info, (long)&none, 8) == SIGTRAP;
}

bool hsc_rt_is_our_trap(const siginfo_t *info) {
    uint64_t data; /* si_perf_data, which not every libc's headers know: behind si_addr */
    __builtin_memcpy(&data, (const char *)info + offsetof(siginfo_t, si_addr) + sizeof info->si_addr, sizeof data);
    /* a kernel that was out of memory says no more than that somebody sent it: none of the program's, which would end by it */
    bool untold = info->si_code == SI_USER && !info->si_pid && !info->si_uid;
    return untold || (info->si_code == HSC_RT_TRAP_PERF && data == (uint64_t)&hsc_rt);
}

void hsc_rt_source_drain(void) {
    siginfo_t info;
    if (hsc_rt.mechanism == HSC_RT_PERF_TRAP && take_trap(&info) && !hsc_rt_is_our_trap(&info))
        hsc_sys4(SYS_rt_tgsigqueueinfo, hsc_rt.pid, hsc_sys3(SYS_gettid, 0, 0, 0), SIGTRAP, (long)&info);
}

/* Does SIGTRAP come, and does it wait where it is blocked? Linux before 5.19 ends the process then: see hsc_rt_source_is_deadly. */
static bool try_trap(int *error) {
    uint64_t all = ~0ull, saved, pending = 0, trap = 1ull << (SIGTRAP - 1);
    siginfo_t info;
    hsc_sys4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&saved, 8);
    long fd = open_perf(&hsc_rt.events[0], TRIAL_NS, true, 0);
    *error = failed(fd) ? (int)-fd : ENOSYS;
    bool works = false;
    if (!failed(fd)) {
        uint64_t cpu_end = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK) + TRIAL_LAST_NS, end = hsc_rt_now_ns() + 50ull * TRIAL_LAST_NS;
        hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
        while (!(pending & trap) && hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK) < cpu_end && hsc_rt_now_ns() < end) {
            for (int i = 0; i < 200; i++)
                hsc_relax();
            hsc_sys3(SYS_rt_sigpending, (long)&pending, 8, 0);
        }
        hsc_sys3(SYS_close, fd, 0, 0);
        works = take_trap(&info) && hsc_rt_is_our_trap(&info);
    }
    hsc_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&saved, 0, 8);
    return works;
}

bool hsc_rt_source_probe(enum hsc_rt_mechanism m, int *error) {
    *error = 0;
    if (hsc_rt_is_perf(m)) {
        if (m == HSC_RT_PERF_TRAP && !try_trap(error))
            return false;
        long fd = open_perf(&hsc_rt.events[0], hsc_rt.period_ns, m == HSC_RT_PERF_TRAP, 0);
        if (failed(fd)) {
            *error = (int)-fd;
            return false;
        }
        hsc_sys3(SYS_close, fd, 0, 0);
        hsc_rt.switch_cost_ns = measure_switch(50000);
        hsc_rt.switch_far_ns = measure_switch(1000000000);
        return true;
    }
    int clock = m == HSC_RT_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    int id = make_timer(clock, (int)hsc_sys3(SYS_gettid, 0, 0, 0), error);
    if (id >= 0)
        hsc_sys3(SYS_timer_delete, id, 0, 0);
    return id >= 0;
}

/* ---- counters ---------------------------------------------------------------------------------------------------------- */

/* Signals do not queue: where there are several events, one signal may stand for more than one of them. Each event then has a
 * page into which the kernel writes a word for each of its samples (over what is old), so that they can be counted. */
static bool start_counter(hsc_rt_thread *t, uint32_t i, int32_t tid) {
    hsc_rt_counter *c = &t->counter[i];
    bool trap = t->mechanism == HSC_RT_PERF_TRAP;
    long size = (hsc_rt.n_events > 1 ? 2 : 1) * HSC_RT_PAGE;
    uint64_t period = (i ? hsc_rt.events[i].period : hsc_rt.period_ns) * t->periods;
    long fd = open_perf(&hsc_rt.events[i], !i && t->first_ns ? t->first_ns : period, trap, tid);
    if (failed(fd))
        return false;
    struct {
        int type, pid;
    } owner = {0 /* F_OWNER_TID */, t->tid};
    if (!trap &&
        (hsc_sys3(SYS_fcntl, fd, F_SETOWN_EX, (long)&owner) || hsc_sys3(SYS_fcntl, fd, F_SETSIG, hsc_rt.signal) ||
         hsc_sys3(SYS_fcntl, fd, F_SETFL, O_ASYNC | O_NONBLOCK))) {
        hsc_sys3(SYS_close, fd, 0, 0);
        return false;
    }
    /* the mapping keeps the event alive, so that the program's descriptors stay as they would be without us */
    long page = hsc_sys6(SYS_mmap, hsc_rt_place(size), size, PROT_READ, MAP_SHARED, fd, 0);
    if (!failed(page)) {
        c->page = (void *)page;
        c->size = (uint32_t)size;
        c->head = 0;
        hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
        hsc_sys3(SYS_close, fd, 0, 0);
        return true;
    }
    if (i) { /* its samples could not be told from others */
        hsc_sys3(SYS_close, fd, 0, 0);
        return false;
    }
    for (long least = 512; least >= 16; least /= 2) { /* out of the way of low numbers */
        long high = hsc_sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);
        if (failed(high))
            continue;
        hsc_sys3(SYS_close, fd, 0, 0);
        fd = high;
        break;
    }
    c->fd = (int)fd;
    hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
    return true;
}

static bool is_perf(int fd) {
    uint64_t id;
    return hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, (long)&id) == 0;
}

static void times_of(const hsc_rt_counter *c, uint64_t *enabled_ns, uint64_t *running_ns) {
    const volatile struct perf_event_mmap_page *page = c->page;
    if (!page)
        return;
    *enabled_ns += page->time_enabled;
    *running_ns += page->time_running;
}

void hsc_rt_counter_times(const hsc_rt_counter *c, uint64_t *enabled_ns, uint64_t *running_ns) {
    *enabled_ns = c->enabled_ns;
    *running_ns = c->running_ns;
    times_of(c, enabled_ns, running_ns);
}

static void stop_counter(hsc_rt_counter *c) {
    times_of(c, &c->enabled_ns, &c->running_ns);
    void *page = c->page;
    c->page = NULL;
    hsc_rt_unmap(page, c->size);
    if (c->fd >= 0 && is_perf(c->fd)) /* unless the program closed it and has another there now */
        hsc_sys3(SYS_close, c->fd, 0, 0);
    c->fd = -1;
}

/* tid 0: the calling thread's. */
static void start_others(hsc_rt_thread *t, int32_t tid) {
    for (uint32_t i = 1; i < hsc_rt.n_events; i++)
        if (hsc_rt.events[i].kind == HSC_RT_EVENT_PERF && !start_counter(t, i, tid))
            atomic_fetch_add_explicit(&hsc_rt.counters_failed, 1, memory_order_relaxed);
}

/* By perf, or by timer where descriptors or locked memory have run out. */
static void start_first(hsc_rt_thread *t, int32_t tid) {
    if (!hsc_rt_is_perf(t->mechanism))
        return;
    if (start_counter(t, 0, tid)) {
        if (t->first_ns && t->first_from_ns) /* of one that has just begun its beginning is told at the end of that */
            t->first_from_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
        return;
    }
    t->mechanism = HSC_RT_CPU;
    t->main_timer = t->tick_timer;
    t->tick_timer = -1;
}

uint64_t hsc_rt_counter_taken(hsc_rt_counter *c) {
    const struct perf_event_mmap_page *page = c->page;
    if (!page || c->size == HSC_RT_PAGE)
        return 0;
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), n = (head - c->head) / SAMPLE_BYTES;
    c->head = head;
    return n;
}

/* ---- threads ----------------------------------------------------------------------------------------------------------- */

static void arm(hsc_rt_thread *t) {
    if (t->tick_timer >= 0)
        set_timer(t->tick_timer, tick_interval(t));
    if (t->main_timer >= 0)
        set_timer_from(t->main_timer, t->first_ns ? t->first_ns : hsc_rt.period_ns * t->periods, hsc_rt.period_ns * t->periods);
    if (!hsc_rt_is_perf(t->mechanism))
        t->first_ns = 0; /* the kernel goes on by whole ones */
}

/* Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014: the finalizer of SplitMix64. */
static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static void draw_first(hsc_rt_thread *t) {
    uint64_t whole = hsc_rt.period_ns * t->periods;
    if (whole < DRAWN_FROM_NS)
        return;
    t->first_ns = 1 + mixed(mixed(hsc_rt_now_ns()) + ((uint64_t)t->tid << 32) + t->thread_id) % whole;
    if (t->first_ns < FIRST_LEAST_NS)
        t->first_ns = FIRST_LEAST_NS;
    t->carry_ns = t->ahead_ns = (int64_t)(whole - t->first_ns);
    t->drawn = true;
    t->first_tries = 0;
}

bool hsc_rt_source_first(hsc_rt_thread *t) {
    uint64_t whole = hsc_rt.period_ns * t->periods, now = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK), passed = now - t->first_from_ns;
    bool due = passed < 2 * t->first_ns;
    if (due || ++t->first_tries == FIRST_TRIES) /* by whole ones from now on */
        t->first_ns = 0;
    else {
        t->first_ns = whole - (passed - t->first_ns) % whole;
        t->first_ns = t->first_ns < FIRST_LEAST_NS ? FIRST_LEAST_NS : t->first_ns;
    }
    stop_counter(&t->counter[0]);
    start_first(t, 0);
    if (!hsc_rt_is_perf(t->mechanism))
        arm(t);
    return due;
}

/* The process's mechanism, for a thread that begins with it now. */
static enum hsc_rt_mechanism preferred(void) {
    return hsc_rt.mechanism == HSC_RT_PERF_TRAP && atomic_load(&hsc_rt.trap_off) ? HSC_RT_PERF : hsc_rt.mechanism;
}

bool hsc_rt_source_start(hsc_rt_thread *t) {
    int error;
    for (uint32_t i = 0; i < HSC_RT_EVENTS; i++)
        t->counter[i].fd = -1;
    t->tick_timer = t->main_timer = -1;
    t->mechanism = preferred();
    t->periods = 1;
    t->put_off = 0;
    t->turn_cycles = 0;
    t->tick_ns = hsc_rt.tick_ns;
    t->pace = HSC_RT_PACE_EVEN;
    atomic_store(&t->main_timer_off, 0);
    bool sleeps = !hsc_rt_wanted();
    if (hsc_rt_is_perf(t->mechanism)) {
        t->tick_timer = make_timer(CLOCK_THREAD_CPUTIME_ID, t->tid, &error);
        if (t->tick_timer < 0)
            hsc_rt.tick_failed = true;
        sleeps = sleeps && t->tick_timer >= 0; /* by which it is woken */
    }
    if (!sleeps && t->thread_id > 1)
        draw_first(t);
    if (!sleeps && hsc_rt_is_perf(t->mechanism))
        start_first(t, 0);
    if (!hsc_rt_is_perf(t->mechanism) && t->main_timer < 0) {
        bool monotonic = t->mechanism == HSC_RT_MONOTONIC;
        t->main_timer = make_timer(monotonic ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, t->tid, &error);
        if (t->main_timer < 0)
            return false;
    }
    hsc_rt_govern_begin(t);
    t->asleep = sleeps;
    if (sleeps)
        return true;
    start_others(t, 0);
    arm(t);
    return true;
}

bool hsc_rt_source_to_timer(hsc_rt_thread *t) {
    if (!hsc_rt_is_perf(t->mechanism) || t->tick_timer < 0)
        return false;
    hsc_rt_switches_note(t, hsc_rt_switches_now());
    stop_counter(&t->counter[0]);
    t->mechanism = HSC_RT_CPU;
    t->main_timer = t->tick_timer;
    t->tick_timer = -1;
    t->pace = HSC_RT_PACE_EVEN;
    return true;
}

bool hsc_rt_source_to_perf(hsc_rt_thread *t) {
    if (t->mechanism != HSC_RT_CPU || !hsc_rt_is_perf(hsc_rt.mechanism) || t->main_timer < 0)
        return false;
    hsc_rt_switches_note(t, hsc_rt_switches_now());
    t->mechanism = preferred();
    t->tick_timer = t->main_timer;
    t->main_timer = -1;
    return true;
}

void hsc_rt_source_rate(hsc_rt_thread *t, uint32_t periods) {
    hsc_rt_switches_note(t, hsc_rt_switches_now());
    t->periods = periods;
    t->first_ns = 0;
    uint64_t tick_ns = (hsc_rt_is_perf(t->mechanism) ? 4 : 1) * periods * hsc_rt.period_ns; /* without perf, ticks are the samples */
    t->tick_ns = periods > 1 && tick_ns > hsc_rt.tick_ns ? tick_ns : hsc_rt.tick_ns;
    for (uint32_t i = 0; i < hsc_rt.n_events; i++)
        stop_counter(&t->counter[i]);
    start_others(t, 0);
    start_first(t, 0);
    if (!atomic_load(&t->main_timer_off))
        arm(t);
}

void hsc_rt_source_dry(hsc_rt_thread *t) {
    hsc_rt_switches_note(t, hsc_rt_switches_now());
    for (uint32_t i = 0; i < hsc_rt.n_events; i++)
        stop_counter(&t->counter[i]);
    t->dry = true;
    t->first_ns = 0;
    t->periods *= t->periods < UINT32_MAX / DRY_PERIODS ? DRY_PERIODS : 1;
    t->tick_ns = t->periods * hsc_rt.period_ns > hsc_rt.tick_ns ? t->periods * hsc_rt.period_ns : hsc_rt.tick_ns;
    t->pace = HSC_RT_PACE_EVEN;
    start_others(t, 0);
    if (!atomic_load(&t->main_timer_off))
        arm(t);
}

void hsc_rt_source_untrap(hsc_rt_thread *t, int32_t tid) {
    if (t->mechanism != HSC_RT_PERF_TRAP)
        return;
    for (uint32_t i = 0; i < hsc_rt.n_events; i++)
        stop_counter(&t->counter[i]);
    t->mechanism = HSC_RT_PERF;
    if (t->asleep)
        return;
    start_others(t, tid);
    if (t->dry)
        return;
    start_first(t, tid);
    if (!hsc_rt_is_perf(t->mechanism))
        arm(t);
}

void hsc_rt_source_put_off(hsc_rt_thread *t) {
    if (t->mechanism != HSC_RT_MONOTONIC || ++t->put_off % PUT_OFF_RUNS || atomic_load(&t->main_timer_off))
        return;
    uint32_t doublings = t->put_off / PUT_OFF_RUNS;
    set_timer(t->main_timer, hsc_rt.period_ns * t->periods << (doublings < PUT_OFF_MOST ? doublings : PUT_OFF_MOST));
}

void hsc_rt_source_on_time(hsc_rt_thread *t) {
    bool was = t->put_off >= PUT_OFF_RUNS;
    t->put_off = 0;
    if (was && !atomic_load(&t->main_timer_off))
        set_timer(t->main_timer, hsc_rt.period_ns * t->periods);
}

void hsc_rt_source_pace(hsc_rt_thread *t, uint8_t pace) {
    if (t->tick_timer < 0 || t->pace == pace)
        return;
    uint64_t before = tick_interval(t);
    t->pace = pace;
    if (tick_interval(t) != before)
        set_timer(t->tick_timer, tick_interval(t));
}

void hsc_rt_source_stop(hsc_rt_thread *t) {
    for (uint32_t i = 0; i < hsc_rt.n_events; i++)
        stop_counter(&t->counter[i]);
    if (t->tick_timer >= 0)
        hsc_sys3(SYS_timer_delete, t->tick_timer, 0, 0);
    if (t->main_timer >= 0)
        hsc_sys3(SYS_timer_delete, t->main_timer, 0, 0);
    t->tick_timer = t->main_timer = -1;
}

bool hsc_rt_source_sleep(hsc_rt_thread *t) {
    if (t->asleep || (t->tick_timer < 0 && t->main_timer < 0))
        return false;
    for (uint32_t i = 0; i < hsc_rt.n_events; i++)
        stop_counter(&t->counter[i]);
    if (t->tick_timer >= 0)
        set_timer(t->tick_timer, 0);
    if (t->main_timer >= 0)
        set_timer(t->main_timer, 0);
    t->asleep = true;
    return true;
}

void hsc_rt_source_rouse(const hsc_rt_thread *t) {
    int timer = t->tick_timer >= 0 ? t->tick_timer : t->main_timer;
    if (t->asleep && timer >= 0)
        set_timer(timer, t->tick_timer >= 0 ? 1 : hsc_rt.period_ns);
}

void hsc_rt_source_wake(hsc_rt_thread *t) {
    t->asleep = false;
    if (!t->dry) {
        draw_first(t);
        start_first(t, 0);
    }
    start_others(t, 0);
    arm(t);
}

void hsc_rt_source_pause(hsc_rt_thread *t, uint32_t reason) {
    if (t->mechanism == HSC_RT_MONOTONIC && t->main_timer >= 0 && !t->asleep && !atomic_fetch_or(&t->main_timer_off, reason))
        set_timer(t->main_timer, 0);
}

void hsc_rt_source_resume(hsc_rt_thread *t, uint32_t reason) {
    if (t->mechanism == HSC_RT_MONOTONIC && t->main_timer >= 0 &&
        atomic_fetch_and(&t->main_timer_off, ~reason) == reason && !t->asleep)
        set_timer(t->main_timer, hsc_rt.period_ns * t->periods);
}
