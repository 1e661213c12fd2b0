/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who ended others' waits: signals, and the ends of tasks and threads. What can't be told without waiting for another thread is not told. */
#include "rt.h"
#include "waits.h"

/* ---- signals ------------------------------------------------------------------------------------------------------------- */

#define SIGNALS 32u /* of the things of a slot that are remembered */
/* What telling of a signal takes beside the walk, and looking for one: measured once, not each time (docs/sampling.md, What measuring takes). */
#define SIGNALLED_CYCLES 200u
#define AWAITED_CYCLES 80u

_Atomic uint32_t hsc_rt_awaited[HSC_RT_AWAITED];

/* Written and read by all threads, also in handlers, so without a lock that one of them might hold: none is dropped as another is being noted. */
typedef struct sent {
    _Atomic uint64_t word; /* times that it was begun and ended to be written << 32 | waiters that may still be woken by it */
    _Atomic(const void *) on;
    _Atomic uint64_t time_ns, by; /* by: thread_id << 32 | node */
} sent;

static sent slots[HSC_RT_AWAITED][SIGNALS];
static _Atomic uint64_t last_ns[HSC_RT_AWAITED]; /* when the last of a slot was noted: most waits that are none have had none since they began */

void hsc_rt_await_begin(const hsc_rt_thread *t, const void *on) {
    if (t)
        atomic_fetch_add_explicit(&hsc_rt_awaited[hsc_rt_await_slot(on)], 1, memory_order_seq_cst);
}

static bool is_being_written(uint64_t word) {
    return word >> 32 & 1;
}

/* The first signal for `on` since then that somebody may still be woken by, as it was when it had *word. */
static sent *first_of(uint32_t slot, const void *on, uint64_t since_ns, uint64_t *word, hsc_rt_holder *by, uint64_t *when_ns) {
    sent *first = NULL;
    uint64_t first_ns = 0;
    for (sent *s = slots[slot]; s < slots[slot] + SIGNALS; s++) {
        uint64_t w = atomic_load_explicit(&s->word, memory_order_acquire), time_ns = atomic_load_explicit(&s->time_ns, memory_order_relaxed);
        if (is_being_written(w) || !(uint32_t)w || time_ns < since_ns || (first && time_ns >= first_ns) ||
            atomic_load_explicit(&s->on, memory_order_relaxed) != on)
            continue;
        uint64_t of = atomic_load_explicit(&s->by, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&s->word, memory_order_relaxed) != w) /* written meanwhile: by a later one */
            continue;
        first = s;
        first_ns = *when_ns = time_ns;
        *word = w;
        *by = (hsc_rt_holder){(uint32_t)(of >> 32), (uint32_t)of};
    }
    return first;
}

static hsc_rt_holder taken(hsc_rt_thread *t, uint32_t slot, const void *on) {
    hsc_rt_holder by = {0};
    for (;;) {
        uint64_t word, when_ns = 0;
        sent *s = first_of(slot, on, t->open.begin_ns, &word, &by, &when_ns);
        if (!s)
            return (hsc_rt_holder){0};
        t->open.ended_ns = when_ns;
        /* another waiter may have had it meanwhile, or it is another signal's now */
        if (atomic_compare_exchange_strong_explicit(&s->word, &word, (uint32_t)word == UINT32_MAX ? word : word - 1, memory_order_relaxed,
                                                    memory_order_relaxed))
            return by;
    }
}

static bool may_be_signalled(hsc_rt_thread *t, const void *on, bool signalled) {
    if (!t)
        return false;
    uint32_t slot = hsc_rt_await_slot(on);
    hsc_rt_charge_wrapper(t, AWAITED_CYCLES);
    atomic_fetch_sub_explicit(&hsc_rt_awaited[slot], 1, memory_order_relaxed);
    return signalled && atomic_load_explicit(&last_ns[slot], memory_order_acquire) >= t->open.begin_ns;
}

hsc_rt_holder hsc_rt_await_end(hsc_rt_thread *t, const void *on, bool signalled) {
    return may_be_signalled(t, on, signalled) ? taken(t, hsc_rt_await_slot(on), on) : (hsc_rt_holder){0};
}

hsc_rt_holder hsc_rt_await_end_last(hsc_rt_thread *t, const void *on) {
    hsc_rt_holder last = {0};
    if (may_be_signalled(t, on, true))
        for (hsc_rt_holder by; (by = taken(t, hsc_rt_await_slot(on), on)).thread_id;)
            last = by;
    return last;
}

/* Whose place a new signal takes: one that nobody can be woken by any more, or else the oldest. NULL: all are being written. */
static sent *replaced(uint32_t slot, uint64_t *word) {
    sent *oldest = NULL;
    uint64_t oldest_ns = 0;
    for (sent *s = slots[slot]; s < slots[slot] + SIGNALS; s++) {
        uint64_t w = atomic_load_explicit(&s->word, memory_order_relaxed);
        uint64_t time_ns = (uint32_t)w ? atomic_load_explicit(&s->time_ns, memory_order_relaxed) : 0;
        if (is_being_written(w) || (oldest && time_ns >= oldest_ns))
            continue;
        oldest = s;
        oldest_ns = time_ns;
        *word = w;
        if (!(uint32_t)w)
            break;
    }
    return oldest;
}

static void note_last(uint32_t slot, uint64_t now) {
    uint64_t before = atomic_load_explicit(&last_ns[slot], memory_order_relaxed);
    while (before < now && !atomic_compare_exchange_weak_explicit(&last_ns[slot], &before, now, memory_order_release, memory_order_relaxed))
        ;
}

void hsc_rt_signalled(const void *on, uint32_t waiters, const hsc_rt_here *at) {
    hsc_rt_thread *t = hsc_rt_measured();
    uint32_t slot = hsc_rt_await_slot(on);
    if (!t || !waiters)
        return;
    uint32_t node = hsc_rt_wait_node_again(t, at);
    uint64_t now = hsc_rt_now_ns(), word;
    hsc_rt_charge_wrapper(t, SIGNALLED_CYCLES);
    for (;;) {
        sent *s = replaced(slot, &word);
        if (!s)
            return; /* more signals at one time than are remembered */
        uint64_t begun = ((word >> 32) + 1) << 32;
        if (!atomic_compare_exchange_strong_explicit(&s->word, &word, begun, memory_order_acquire, memory_order_relaxed))
            continue;
        atomic_thread_fence(memory_order_release); /* readers who see what follows see that it is being written */
        atomic_store_explicit(&s->on, on, memory_order_relaxed);
        atomic_store_explicit(&s->time_ns, now, memory_order_relaxed);
        atomic_store_explicit(&s->by, (uint64_t)t->thread_id << 32 | node, memory_order_relaxed);
        atomic_store_explicit(&s->word, (begun + (1ull << 32)) | waiters, memory_order_release);
        note_last(slot, now);
        return;
    }
}

static bool take(_Atomic uint32_t *busy) {
    return !atomic_exchange_explicit(busy, 1, memory_order_acquire);
}

static void release(_Atomic uint32_t *busy) {
    atomic_store_explicit(busy, 0, memory_order_release);
}

/* ---- barriers ------------------------------------------------------------------------------------------------------------ */

enum { BARRIER_SLOTS = 64, BARRIERS = 8 /* that are remembered of those that have the same slot */ };

static struct {
    _Atomic(const void *) of;
    _Atomic uint32_t threads;
    _Atomic uint64_t come; /* so far, in all rounds */
    _Atomic uint64_t let_go_ns; /* the last one of a round came; 0: none yet */
} barriers[BARRIER_SLOTS][BARRIERS];

static uint32_t barrier_slot(const void *of) {
    return (uint32_t)((uint64_t)(uintptr_t)of * 0x9e3779b97f4a7c15u >> 58);
}

void hsc_rt_barrier_begin(const void *of, uint32_t threads) {
    hsc_rt_barrier_end(of);
    for (uint32_t slot = barrier_slot(of), i = 0; i < BARRIERS; i++) {
        const void *none = NULL;
        if (!atomic_compare_exchange_strong(&barriers[slot][i].of, &none, of))
            continue;
        atomic_store(&barriers[slot][i].come, 0);
        atomic_store(&barriers[slot][i].let_go_ns, 0);
        atomic_store(&barriers[slot][i].threads, threads);
        return;
    }
}

void hsc_rt_barrier_end(const void *of) {
    for (uint32_t slot = barrier_slot(of), i = 0; i < BARRIERS; i++)
        if (atomic_load_explicit(&barriers[slot][i].of, memory_order_relaxed) == of)
            atomic_store(&barriers[slot][i].of, NULL);
}

bool hsc_rt_barrier_come(const void *of, uint64_t *in_step_ns) {
    *in_step_ns = 0;
    for (uint32_t slot = barrier_slot(of), i = 0; i < BARRIERS; i++) {
        if (atomic_load_explicit(&barriers[slot][i].of, memory_order_relaxed) != of)
            continue;
        uint32_t threads = atomic_load(&barriers[slot][i].threads);
        *in_step_ns = atomic_load_explicit(&barriers[slot][i].let_go_ns, memory_order_relaxed);
        if (!threads || (atomic_fetch_add(&barriers[slot][i].come, 1) + 1) % threads != 0)
            return false;
        atomic_store_explicit(&barriers[slot][i].let_go_ns, hsc_rt_now_ns(), memory_order_relaxed); /* the others are let go after that */
        return true;
    }
    return false;
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

hsc_rt_holder hsc_rt_ended_by(hsc_rt_thread *t, uint64_t of, uint64_t since_ns) {
    uint32_t i = slot_of(of);
    hsc_rt_holder by = {0};
    if (!t || !of || !take(&ends[i].busy))
        return by;
    if (ends[i].of == of && ends[i].time_ns >= since_ns && ends[i].by.thread_id != t->thread_id) {
        by = ends[i].by;
        t->open.ended_ns = ends[i].time_ns;
    }
    release(&ends[i].busy);
    return by;
}
