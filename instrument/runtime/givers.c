/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who ended others' waits: signals, and the ends of tasks and threads. What can't be told without waiting for another thread is not told. */
#include "rt.h"
#include "waits.h"

/* ---- signals ------------------------------------------------------------------------------------------------------------- */

#define SIGNALS 32u /* of the things of a slot that are remembered */

_Atomic uint32_t hsc_rt_awaited[HSC_RT_AWAITED];

typedef struct sent {
    const void *on;
    uint64_t time_ns;
    hsc_rt_holder by;
    uint32_t waiters; /* that may still be woken by it */
} sent;

static struct {
    _Atomic uint32_t busy; /* also a handler may signal: nobody waits */
    uint32_t next;
    sent signals[SIGNALS];
} slots[HSC_RT_AWAITED];

static bool take(_Atomic uint32_t *busy) {
    return !atomic_exchange_explicit(busy, 1, memory_order_acquire);
}

static void release(_Atomic uint32_t *busy) {
    atomic_store_explicit(busy, 0, memory_order_release);
}

void hsc_rt_await_begin(const hsc_rt_thread *t, const void *on) {
    if (t)
        atomic_fetch_add_explicit(&hsc_rt_awaited[hsc_rt_await_slot(on)], 1, memory_order_seq_cst);
}

static sent *first_of(uint32_t slot, const void *on, uint64_t since_ns) {
    sent *first = NULL;
    for (sent *s = slots[slot].signals; s < slots[slot].signals + SIGNALS; s++)
        if (s->on == on && s->waiters && s->time_ns >= since_ns && (!first || s->time_ns < first->time_ns))
            first = s;
    return first;
}

hsc_rt_holder hsc_rt_await_end(const hsc_rt_thread *t, const void *on, bool signalled) {
    hsc_rt_holder by = {0};
    if (!t)
        return by;
    uint32_t slot = hsc_rt_await_slot(on);
    atomic_fetch_sub_explicit(&hsc_rt_awaited[slot], 1, memory_order_relaxed);
    if (!signalled || !take(&slots[slot].busy))
        return by;
    sent *s = first_of(slot, on, t->open.begin_ns);
    if (s) {
        by = s->by;
        s->waiters -= s->waiters != UINT32_MAX;
    }
    release(&slots[slot].busy);
    return by;
}

void hsc_rt_signalled(const void *on, uint32_t waiters, const hsc_rt_here *at) {
    hsc_rt_thread *t = hsc_rt_measured();
    uint32_t slot = hsc_rt_await_slot(on);
    if (!t || !waiters)
        return;
    sent s = {on, 0, {t->thread_id, hsc_rt_wait_node(t, at)}, waiters};
    s.time_ns = hsc_rt_now_ns();
    if (!take(&slots[slot].busy))
        return;
    slots[slot].signals[slots[slot].next++ % SIGNALS] = s;
    release(&slots[slot].busy);
}

/* ---- what ends of itself ------------------------------------------------------------------------------------------------- */

#define ENDS 4096u

static struct {
    _Atomic uint32_t busy;
    uint64_t of, time_ns;
    hsc_rt_holder by;
} ends[ENDS];

static uint32_t slot_of(uint64_t of) {
    return (uint32_t)((of * 0x9e3779b97f4a7c15u) >> 52) & (ENDS - 1);
}

void hsc_rt_ended(hsc_rt_thread *t, uint64_t of, uint64_t pc) {
    uint32_t i = slot_of(of);
    if (!of || t != hsc_rt_measured())
        return;
    hsc_rt_holder by = {t->thread_id, hsc_rt_wait_alone(t, pc)};
    uint64_t now = hsc_rt_now_ns();
    if (!take(&ends[i].busy))
        return;
    ends[i].of = of;
    ends[i].time_ns = now;
    ends[i].by = by;
    release(&ends[i].busy);
}

hsc_rt_holder hsc_rt_ended_by(const hsc_rt_thread *t, uint64_t of, uint64_t since_ns) {
    uint32_t i = slot_of(of);
    hsc_rt_holder by = {0};
    if (!t || !of || !take(&ends[i].busy))
        return by;
    if (ends[i].of == of && ends[i].time_ns >= since_ns && ends[i].by.thread_id != t->thread_id)
        by = ends[i].by;
    release(&ends[i].busy);
    return by;
}
