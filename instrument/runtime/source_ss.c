/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where samples come from: perf's cpu-clock with a signal to the thread, or POSIX timers. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <time.h>

#include "rt.h"

const char *hsc_rt_mechanism_name(enum hsc_rt_mechanism m) {
    static const char *const names[] = {"", "perf-cpu-clock", "timer-monotonic", "timer-cpu", "perf-cpu-clock-trap"};
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

static void set_timer(int id, uint64_t interval_ns) {
    struct itimerspec s;
    s.it_interval.tv_sec = s.it_value.tv_sec = (time_t)(interval_ns / 1000000000u);
    s.it_interval.tv_nsec = s.it_value.tv_nsec = (long)(interval_ns % 1000000000u);
    hsc_sys4(SYS_timer_settime, id, 0, (long)&s, 0);
}

static long open_perf(uint64_t period_ns, bool trap) {
    struct perf_event_attr a;
    __builtin_memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_CPU_CLOCK;
    a.sample_period = period_ns;
    a.wakeup_events = 1;
    a.disabled = 1;
    a.exclude_kernel = 1; /* allowed to everybody at paranoid level 2, and never interrupts a system call */
    a.exclude_hv = 1;
    if (trap) { /* Linux 5.13: the thread gets SIGTRAP by itself, without an interrupt more to send it */
        a.sigtrap = 1;
        a.remove_on_exec = 1;
    }
    return hsc_sys6(SYS_perf_event_open, (long)&a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

/* At a context switch the kernel does what these two calls do: it stops the event's timer, and starts it again. That costs
 * little when another timer of the processor is due before, so the period is short here. */
static void measure_switch(void) {
    uint64_t least = UINT64_MAX;
    long fd = open_perf(50000, false);
    if (failed(fd))
        return;
    for (int i = 0; i < 5; i++) {
        uint64_t begin = hsc_rt_now_ns();
        hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
        hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_DISABLE, 0);
        uint64_t ns = hsc_rt_now_ns() - begin;
        least = ns < least ? ns : least;
    }
    hsc_sys3(SYS_close, fd, 0, 0);
    hsc_rt.switch_cost_ns = least < 1000 ? 1000 : least < 50000 ? least : 50000;
}

bool hsc_rt_source_probe(enum hsc_rt_mechanism m, int *error) {
    *error = 0;
    if (hsc_rt_is_perf(m)) {
        long fd = open_perf(hsc_rt.period_ns, m == HSC_RT_PERF_TRAP);
        if (failed(fd)) {
            *error = (int)-fd;
            return false;
        }
        hsc_sys3(SYS_close, fd, 0, 0);
        measure_switch();
        return true;
    }
    int clock = m == HSC_RT_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    int id = make_timer(clock, (int)hsc_sys3(SYS_gettid, 0, 0, 0), error);
    if (id >= 0)
        hsc_sys3(SYS_timer_delete, id, 0, 0);
    return id >= 0;
}

static bool start_perf(hsc_rt_thread *t) {
    bool trap = t->mechanism == HSC_RT_PERF_TRAP;
    long fd = open_perf(hsc_rt.period_ns, trap);
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
    long page = hsc_sys6(SYS_mmap, 0, HSC_RT_PAGE, PROT_READ, MAP_SHARED, fd, 0);
    if (!failed(page)) {
        hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
        hsc_sys3(SYS_close, fd, 0, 0);
        atomic_store(&t->perf_page, (void *)page);
        return true;
    }
    for (long least = 512; least >= 16; least /= 2) { /* out of the way of low numbers */
        long high = hsc_sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);
        if (failed(high))
            continue;
        hsc_sys3(SYS_close, fd, 0, 0);
        fd = high;
        break;
    }
    t->perf_fd = (int)fd;
    hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
    return true;
}

bool hsc_rt_source_start(hsc_rt_thread *t) {
    int error;
    t->perf_page = NULL;
    t->perf_fd = t->tick_timer = t->main_timer = -1;
    t->mechanism = hsc_rt.mechanism;
    t->governor.on = false;
    atomic_store(&t->main_timer_off, 0);
    if (hsc_rt_is_perf(t->mechanism)) {
        if (start_perf(t)) {
            t->tick_timer = make_timer(CLOCK_THREAD_CPUTIME_ID, t->tid, &error);
            hsc_rt_govern_begin(t);
            if (t->tick_timer >= 0)
                set_timer(t->tick_timer, hsc_rt.tick_ns);
            else
                hsc_rt.tick_failed = true;
            return true;
        }
        t->mechanism = HSC_RT_CPU; /* out of descriptors or of locked memory: this thread by timer */
    }
    bool monotonic = t->mechanism == HSC_RT_MONOTONIC;
    t->main_timer = make_timer(monotonic ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, t->tid, &error);
    if (t->main_timer < 0)
        return false;
    set_timer(t->main_timer, hsc_rt.period_ns);
    return true;
}

static bool is_perf(int fd) {
    uint64_t id;
    return hsc_sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, (long)&id) == 0;
}

bool hsc_rt_source_drop_perf(hsc_rt_thread *t) {
    void *page = atomic_exchange(&t->perf_page, NULL);
    if (page)
        hsc_rt_unmap(page, HSC_RT_PAGE);
    return page != NULL;
}

static void stop_perf(hsc_rt_thread *t) {
    hsc_rt_source_drop_perf(t);
    if (t->perf_fd >= 0 && is_perf(t->perf_fd)) /* unless the program closed it and has another there now */
        hsc_sys3(SYS_close, t->perf_fd, 0, 0);
    t->perf_fd = -1;
}

void hsc_rt_source_to_tick(hsc_rt_thread *t) {
    stop_perf(t);
    t->mechanism = HSC_RT_CPU;
    set_timer(t->tick_timer, hsc_rt.period_ns);
}

bool hsc_rt_source_to_perf(hsc_rt_thread *t) {
    t->mechanism = hsc_rt.mechanism;
    if (!start_perf(t)) {
        t->mechanism = HSC_RT_CPU;
        return false;
    }
    set_timer(t->tick_timer, hsc_rt.tick_ns);
    return true;
}

void hsc_rt_source_stop(hsc_rt_thread *t) {
    stop_perf(t);
    if (t->tick_timer >= 0)
        hsc_sys3(SYS_timer_delete, t->tick_timer, 0, 0);
    if (t->main_timer >= 0)
        hsc_sys3(SYS_timer_delete, t->main_timer, 0, 0);
    t->tick_timer = t->main_timer = -1;
}

void hsc_rt_source_pause(hsc_rt_thread *t, uint32_t reason) {
    if (t->mechanism == HSC_RT_MONOTONIC && t->main_timer >= 0 && !atomic_fetch_or(&t->main_timer_off, reason))
        set_timer(t->main_timer, 0);
}

void hsc_rt_source_resume(hsc_rt_thread *t, uint32_t reason) {
    if (t->mechanism == HSC_RT_MONOTONIC && t->main_timer >= 0 &&
        atomic_fetch_and(&t->main_timer_off, ~reason) == reason)
        set_timer(t->main_timer, hsc_rt.period_ns);
}
