/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Event `wall`: where each thread's time goes, also while it waits. docs/sampling.md: "Wall time".
 *
 * No signal is sent, so that no system call ends early. The helper looks at each thread now and then: what of the time since
 * the last look the thread used a processor, or stood in line for one, is that of its last sample of CPU time; for the rest it
 * waited. The kernel tells in which system call it waits, with its stack pointer and program counter: from there the helper
 * walks the stack of the waiting thread, once for each wait. */
#include "here.h"

/* Where the thread waits; false: it runs, or the kernel does not tell. Where it is in one of our wrappers, that knows its
 * caller, with all that is needed to walk on. */
static bool read_place(const hsc_rt_thread *t, hsc_rt_here *at) {
    char text[256];
    if (hsc_rt_task_read(t->tid, "/syscall", text, sizeof text) <= 0)
        return false;
    const char *p = text;
    bool none = *p == '-'; /* it waits elsewhere in the kernel: no arguments */
    if (none)
        p += 1;
    else if (*p < '0' || *p > '9')
        return false; /* "running" */
    hsc_rt_task_number(&p, 10);
    for (int i = 0; !none && i < 6; i++)
        hsc_rt_task_number(&p, 16);
    at->sp = hsc_rt_task_number(&p, 16);
    at->pc = hsc_rt_task_number(&p, 16);
    at->bp = HSC_RT_BP_UNKNOWN;
    if (t->open.kind)
        *at = t->open.at;
    at->caller = 0;
    return at->pc && at->sp;
}

static void put(hsc_rt_thread *t, uint64_t now, uint32_t event, uint32_t node, uint64_t region, uint64_t state, int64_t *ns) {
    uint64_t period = hsc_rt.events[event].period, n = (uint64_t)*ns / period;
    if (*ns < (int64_t)period)
        return;
    t->last_time = now > t->last_time ? now : t->last_time;
    hsc_rec_sample_weighted r = {t->last_time, node, state, n, event};
    hsc_rt_tell_region(t, region, t->last_time);
    atomic_fetch_add_explicit(
        !t->full && hsc_rt_thread_put(t, HSC_REC_sample_weighted, &r, t->last_time) ? &t->counter[event].samples : &t->counter[event].lost,
        n, memory_order_relaxed);
    *ns -= (int64_t)(n * period);
}

/* Takes the writer of a thread; the thread, should it want it, waits a moment for us. */
static bool own(hsc_rt_thread *t) {
    uint32_t free_word = 0;
    return atomic_compare_exchange_strong(&t->busy, &free_word, HSC_RT_BUSY_HELPER);
}

/* The kernel counts time in line when it ends, so what seems to be waiting may turn out to be that: it is recorded only when
 * the thread is found waiting, and then it is settled. */
static void look(hsc_rt_thread *t, uint32_t event, uint64_t now) {
    hsc_rt_wall *w = &t->wall;
    int64_t period = (int64_t)hsc_rt.events[event].period;
    uint64_t ran, waited = 0, runs = 0, after = 0, cpu = hsc_rt_thread_cpu_ns(t->tid);
    hsc_rt_here at;
    if (!cpu || t->asleep || !hsc_rt_task_times(t->tid, &ran, &waited, &runs)) {
        w->time = 0;
        return;
    }
    if (w->time) {
        int64_t busy = (int64_t)(cpu - w->cpu_ns) + (int64_t)(waited - w->waited_ns);
        w->busy_ns += busy;
        w->blocked_ns += (int64_t)(now - w->time) - busy;
    }
    w->time = now;
    w->cpu_ns = cpu;
    w->waited_ns = waited;
    bool tell_busy = w->busy_ns >= period && t->last_node, tell_blocked = false, same = w->node && w->runs == runs;
    if (w->blocked_ns >= period) /* not run since it was found waiting, or waiting now */
        tell_blocked = same || t->full || read_place(t, &at);
    if ((!tell_busy && !tell_blocked) || !own(t))
        return; /* if it just takes a sample, the next look has both */
    uint64_t state = atomic_load_explicit(&t->state, memory_order_relaxed);
    bool truncated;
    if (tell_busy)
        put(t, now, event, t->last_node, t->last_region, state, &w->busy_ns);
    if (tell_blocked && !same && !t->full) {
        uint32_t node = hsc_rt_walk_blocked(t, &at, t->open.kind == 0, t->last_time, &truncated);
        if (node && hsc_rt_task_times(t->tid, &ran, &waited, &after) && after == runs) { /* it has not moved meanwhile */
            w->node = node;
            w->region = t->region;
            w->runs = runs;
            w->state = state == HSC_state_UNKNOWN ? HSC_state_WAITING : state;
        } else
            tell_blocked = false;
    }
    if (tell_blocked)
        put(t, now, event, w->node, w->region, w->state, &w->blocked_ns);
    atomic_store_explicit(&t->busy, 0, memory_order_release);
}

void hsc_rt_wall_end(hsc_rt_thread *t, uint64_t now) {
    for (uint32_t i = 1; i < hsc_rt.n_events; i++)
        if (hsc_rt.events[i].kind == HSC_RT_EVENT_WALL) {
            if (t->last_node)
                put(t, now, i, t->last_node, t->last_region, HSC_state_UNKNOWN, &t->wall.busy_ns);
            if (t->wall.node)
                put(t, now, i, t->wall.node, t->wall.region, t->wall.state, &t->wall.blocked_ns);
        }
}

uint64_t hsc_rt_wall_tend(uint64_t now) {
    uint64_t mask;
    for (uint32_t i = 1; i < hsc_rt.n_events; i++) {
        if (hsc_rt.events[i].kind != HSC_RT_EVENT_WALL)
            continue;
        if (now >= hsc_rt.wall_next_ns) {
            if (hsc_rt_wanted() && hsc_rt_lock_take(&hsc_rt.lock, &mask, 100)) {
                for (hsc_rt_thread *t = hsc_rt.threads; t && !atomic_load(&hsc_rt.finished); t = t->next)
                    if (t->live)
                        look(t, i, now);
                hsc_rt_lock_release(&hsc_rt.lock, mask);
            }
            hsc_rt.wall_next_ns = now + hsc_rt.events[i].period;
        }
        return hsc_rt.wall_next_ns;
    }
    return 0;
}
