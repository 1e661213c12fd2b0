/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that perf's clock would slow down. The kernel stops and starts its timer at each context switch of the thread,
 * some microseconds each time. A thread whose switches would cost more than the budget gives its event up and is sampled by
 * the CPU timer that ticks anyway; when it has become calm it gets the event back. That happens in the thread's own handler.
 * Only a thread that runs so briefly each time that no signal meets it is found by the helper, which takes the event away. */
#include <fcntl.h>
#include <sys/resource.h>

#include "rt.h"

#define CALM_FIRST_NS 1000000000ull /* CPU time */
#define CALM_LAST_NS 64000000000ull

static uint64_t switches(void) {
    struct rusage u;
    if (hsc_sys3(SYS_getrusage, RUSAGE_THREAD, (long)&u, 0))
        return 0;
    return (uint64_t)u.ru_nvcsw + (uint64_t)u.ru_nivcsw;
}

static int64_t budget(uint64_t cpu_ns) {
    return (int64_t)(cpu_ns * hsc_rt.options.switch_budget / 1000);
}

void hsc_rt_govern_begin(hsc_rt_thread *t) {
    hsc_rt_governor *g = &t->governor;
    g->on = t->mechanism == HSC_RT_PERF && t->tick_timer >= 0 && !*hsc_rt.options.mechanism &&
            hsc_rt.options.switch_budget && hsc_rt.switch_cost_ns;
    g->debt_ns = (int64_t)HSC_RT_SWITCH_BURST_NS / 2; /* none is trusted at first */
    g->unseen_ns = 0;
    g->calm_ns = CALM_FIRST_NS;
    if (g->on) {
        g->cpu_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
        g->switches = switches();
    }
}

void hsc_rt_source_tell(hsc_rt_thread *t, uint32_t reason, uint64_t cpu_ns) {
    const char *name = hsc_rt_mechanism_name(t->mechanism);
    uint64_t now = hsc_rt_now_ns();
    now = now > t->last_time ? now : t->last_time;
    t->last_time = now;
    hsc_rec_source r = {t->thread_id, now, {name, hsc_rt_length(name)}, reason,
                        cpu_ns > t->cpu_start_ns ? cpu_ns - t->cpu_start_ns : 0, switches()};
    hsc_rt_thread_put(t, HSC_REC_source, &r, now);
}

void hsc_rt_govern(hsc_rt_thread *t, uint64_t cpu) {
    hsc_rt_governor *g = &t->governor;
    if (!g->on)
        return;
    g->unseen_ns = 0;
    uint64_t elapsed = cpu > g->cpu_ns ? cpu - g->cpu_ns : 0;
    if (t->mechanism == HSC_RT_PERF) {
        /* what the switches cost beyond the budget, forgotten as the budget grows */
        uint64_t n = switches();
        g->debt_ns += (int64_t)((n - g->switches) * hsc_rt.switch_cost_ns) - budget(elapsed);
        g->debt_ns = g->debt_ns > 0 ? g->debt_ns : 0;
        g->switches = n;
        g->cpu_ns = cpu;
        if (g->debt_ns > (int64_t)HSC_RT_SWITCH_BURST_NS || (!atomic_load(&t->perf_page) && t->perf_fd < 0)) {
            hsc_rt_source_to_tick(t);
            hsc_rt_source_tell(t, HSC_source_reason_SWITCHES, cpu);
        }
    } else if (elapsed >= g->calm_ns) {
        uint64_t n = switches();
        bool calm = (int64_t)((n - g->switches) * hsc_rt.switch_cost_ns) < budget(elapsed) / 2;
        g->switches = n;
        g->cpu_ns = cpu;
        g->debt_ns = 0;
        if (calm && hsc_rt_source_to_perf(t)) {
            hsc_rt_source_tell(t, HSC_source_reason_CALM, cpu);
            g->calm_ns = g->calm_ns < CALM_LAST_NS ? 2 * g->calm_ns : g->calm_ns; /* seldom again, if it was too early */
        }
    }
}

void hsc_rt_govern_sample(hsc_rt_thread *t) {
    hsc_rt_governor *g = &t->governor;
    g->unseen_ns += hsc_rt.period_ns;
    if (g->on && t->mechanism == HSC_RT_PERF && (g->debt_ns || g->unseen_ns >= HSC_RT_TICK_NS))
        hsc_rt_govern(t, hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK));
}

/* "CPU time, time waited for a processor, times run", where the kernel counts them. */
static bool times_run(int32_t tid, uint64_t *n) {
    char path[64], text[96];
    size_t at = 0;
    hsc_rt_append(path, sizeof path, &at, "/proc/self/task/");
    hsc_rt_append_u64(path, sizeof path, &at, (uint64_t)tid);
    hsc_rt_append(path, sizeof path, &at, "/schedstat");
    long fd = hsc_sys4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    long size = hsc_sys3(SYS_read, fd, (long)text, sizeof text);
    hsc_sys3(SYS_close, fd, 0, 0);
    uint64_t field = 0, v = 0;
    for (long i = 0; i < size; i++) {
        if (text[i] >= '0' && text[i] <= '9')
            v = v * 10 + (uint64_t)(text[i] - '0');
        else if (field++ < 2)
            v = 0;
        else
            break;
    }
    *n = v;
    return field >= 2 && v;
}

void hsc_rt_govern_watch(hsc_rt_thread *t) {
    hsc_rt_governor *g = &t->governor;
    uint64_t cpu = hsc_rt_thread_cpu_ns(t->tid), n;
    if (cpu < g->watch_cpu_ns + HSC_RT_SWITCH_BURST_NS || !times_run(t->tid, &n))
        return;
    int64_t excess = (int64_t)((n - g->watch_switches) * hsc_rt.switch_cost_ns) - budget(cpu - g->watch_cpu_ns);
    g->watch_cpu_ns = cpu;
    g->watch_switches = n;
    if (excess > (int64_t)HSC_RT_SWITCH_BURST_NS)
        hsc_rt_source_drop_perf(t);
}
