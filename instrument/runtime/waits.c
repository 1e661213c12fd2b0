/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits as wrappers see them: they begin and end; and who held the lock. */
#include "brief.h"
#include "state.h"
#include "waits.h"

#define BRIEF_NS 2000u /* where callers are not known; a longer wait than HSC_RT_BRIEF_NS is worth a walk of the stack though they were seen to be as before */
#define BRIEF_LOCK_NS 20000u /* shorter waits for locks are not worth a walk of the stack each */
#define LOCK_WALKS 32u       /* times as long as a walk took there is none for a lock that is free */
#define BRIEF_LOCK_CYCLES 60u /* what a lock costs that was free */
#define GIVEN_EARLY_NS 20000u /* who waits says so before its wait begins: what is told then is for it */
#define BRIEF_OWN_CYCLES 250u /* what a call costs of which only the time is taken: measured once, not each time */
/* What of the begin and the end of other waits is outside of the two readings of the counter, readings included: measured once, likewise (docs/waiting.md). */
#define BEGIN_REST_CYCLES 150u
#define END_REST_CYCLES 130u
#define BRIEF_REST_CYCLES 30u /* the same of one that is brief: the call of the wrapper, and its way to the procedure */

_Atomic uint32_t hsc_rt_locks_wanted[HSC_RT_LOCKS];

static struct {
    _Atomic(const void *) lock;
    _Atomic uint64_t holder; /* thread_id << 32 | node */
    _Atomic uint64_t ns;     /* when it gave the lock back */
} given[HSC_RT_LOCKS];

#define TAKEN 4096u
#define TAKEN_WANTED 8u /* takers that are asked where they are, after one that waited */

static struct {
    _Atomic uint32_t busy; /* nobody waits until it is not: what was to be told then is not */
    _Atomic uint32_t wanted;
    _Atomic(const void *) lock;
    _Atomic uint64_t holder; /* thread_id << 32 | node */
} taken[TAKEN]; /* written by who has set `busy` */

typedef struct taker {
    hsc_rt_holder holder; /* the one before; none: not known, or the same thread */
    bool wanted;          /* somebody has waited for the lock of late: where it is taken is of interest */
} taker;

static uint32_t state_of(uint32_t kind) {
    return (kind >= HSC_wait_kind_READ && kind <= HSC_wait_kind_SYNC) || kind == HSC_wait_kind_NAME ? HSC_state_IO : HSC_state_WAITING;
}

void hsc_rt_wait_break(hsc_rt_thread *t) {
    hsc_rt_state_set(t, HSC_state_UNKNOWN);
    if (t->open.kind && hsc_rt_own(t)) {
        hsc_rt_wait_over(t, hsc_rt_thread_now(t), 0, 0, 0);
        hsc_rt_disown(t, 0);
    }
}

/* What a jump out of a wrapper left behind, seen from a caller's frame. */
static void forget_left(hsc_rt_thread *t, uint64_t frame) {
    if ((atomic_load_explicit(&t->state, memory_order_relaxed) != HSC_state_UNKNOWN || t->open.kind) && hsc_rt_state_is_left(t, frame))
        hsc_rt_wait_break(t);
}

/* The calling thread if this wait is to be recorded; its state is set then. */
static hsc_rt_thread *enter(uint32_t kind, uint64_t frame) {
    hsc_rt_thread *t = hsc_rt_measured();
    if (!t || !hsc_rt.options.waits)
        return NULL;
    forget_left(t, frame);
    uint32_t old = atomic_load_explicit(&t->state, memory_order_relaxed);
    if (old > HSC_state_COMPUTATION || t->open.kind)
        return NULL;
    t->open.old_state = old;
    hsc_rt_state_of_frame(t, frame - 8);
    hsc_rt_state_set(t, state_of(kind));
    return t;
}

static void leave(hsc_rt_thread *t) {
    hsc_rt_state_set(t, t->open.old_state);
}

static void open_wait(hsc_rt_thread *t, uint32_t kind, uint32_t node, uint64_t now) {
    t->open.node = node;
    t->open.begin_ns = now;
    t->open.told_ns = 0;
    t->open.begin_cycles = 0;
    t->open.ended_ns = 0;
    t->open.in_step_ns = 0;
    t->open.called = 0;
    atomic_signal_fence(memory_order_release);
    t->open.kind = kind;
}

/* Calls that mostly return at once (reads and writes of a few bytes) are not worth a walk of the stack each: one from the same
 * place is supposed to have the same path as the last, and walked for when it has turned out to take long. */
static hsc_rt_site *site(hsc_rt_thread *t, const hsc_rt_here *at) {
    return &t->sites[hsc_rt_site_index(at)];
}

static bool is_often_brief(uint32_t kind) {
    return (kind >= HSC_wait_kind_READ && kind <= HSC_wait_kind_OPEN) || kind == HSC_wait_kind_PIPE || kind == HSC_wait_kind_NAME ||
           (kind >= HSC_wait_kind_OMP_BARRIER && kind <= HSC_wait_kind_OMP_IDLE);
}

static uint32_t supposed_node(hsc_rt_thread *t, uint32_t kind, const hsc_rt_here *at) {
    const hsc_rt_site *p = site(t, at);
    return is_often_brief(kind) && hsc_rt_site_is(t, p, at) ? p->node : 0;
}

static void open_supposed(hsc_rt_thread *t, uint32_t kind, uint32_t node, uint64_t entered) {
    if (!hsc_rt_brief_may(t, kind)) {
        open_wait(t, kind, node, hsc_rt_now_ns());
        return;
    }
    uint64_t cycles = hsc_cycles(), near_ns = hsc_rt_time_near(t, cycles);
    open_wait(t, kind, node, near_ns > t->last_time ? near_ns : t->last_time);
    t->briefs.entered = entered;
    t->open.begin_cycles = entered ? hsc_cycles_then() : cycles;
}

hsc_rt_thread *hsc_rt_wait_begin(uint32_t kind, const hsc_rt_here *at, uint64_t frame) {
    uint64_t entered = hsc_rt_brief_enter(hsc_rt_self);
    hsc_rt_thread *t = enter(kind, frame);
    if (!t)
        return NULL;
    uint32_t node = supposed_node(t, kind, at);
    t->open.supposed = node != 0;
    t->open.seen = site(t, at)->caller_at[0] != 0;
    t->open.at = *at;
    if (node) {
        open_supposed(t, kind, node, entered);
        return t;
    }
    const hsc_rt_made *again = t->tasks.origin && !at->caller ? hsc_rt_made_again(t, at) : NULL;
    if (again) {
        open_wait(t, kind, again->node, hsc_rt_now_ns());
        hsc_rt_charge_wrapper(t, HSC_RT_AGAIN_CYCLES);
        return t;
    }
    if (!hsc_rt_own(t)) {
        leave(t);
        return NULL;
    }
    bool truncated;
    uint64_t begin = hsc_rt_own_begin(t), now = hsc_rt_thread_now(t);
    node = hsc_rt_walk_here(t, at, now, &truncated);
    if (t->tasks.origin && !at->caller)
        hsc_rt_made_keep(t, at, node, 0);
    hsc_rt_site_keep(t, at, node);
    open_wait(t, kind, node, now);
    hsc_rt_charge_wrapper_since(t, begin);
    hsc_rt_charge_wrapper(t, BEGIN_REST_CYCLES);
    hsc_rt_disown(t, node);
    return t;
}

hsc_rt_thread *hsc_rt_wait_begin_at(uint32_t kind, uint32_t node) {
    hsc_rt_thread *t = enter(kind, HSC_RT_NO_FRAME);
    if (t) {
        t->open.supposed = false;
        open_wait(t, kind, node, hsc_rt_now_ns());
    }
    return t;
}

/* *node: of `pc`; 0: none. False: the thread is in the midst of writing. */
static bool find_alone(hsc_rt_thread *t, uint64_t pc, uint32_t *node) {
    hsc_rt_here at = {pc, 0, 0, 0};
    *node = supposed_node(t, HSC_wait_kind_OMP_IDLE, &at);
    if (*node)
        return true;
    if (!hsc_rt_own(t))
        return false;
    *node = pc ? hsc_rt_walk_alone(t, 0, pc, hsc_rt_thread_now(t)) : 0;
    hsc_rt_site_keep_frame(t, &at, *node);
    hsc_rt_disown(t, *node);
    return true;
}

uint32_t hsc_rt_wait_alone(hsc_rt_thread *t, uint64_t pc) {
    uint32_t node;
    return find_alone(t, pc, &node) ? node : 0;
}

hsc_rt_thread *hsc_rt_wait_begin_alone(uint32_t kind, uint64_t pc) {
    uint32_t node;
    hsc_rt_thread *t = enter(kind, HSC_RT_NO_FRAME);
    if (!t)
        return NULL;
    t->open.supposed = false; /* it is right */
    if (!find_alone(t, pc, &node)) {
        leave(t);
        return NULL;
    }
    open_wait(t, kind, node, hsc_rt_now_ns());
    return t;
}

void hsc_rt_wait_end_region(hsc_rt_thread *t) {
    if (!hsc_rt_own(t))
        return;
    hsc_rt_waits_end_region(t, hsc_rt_thread_now(t));
    hsc_rt_disown(t, 0);
}

uint32_t hsc_rt_wait_state(hsc_rt_thread *t, uint32_t kind) {
    uint32_t old = atomic_load_explicit(&t->state, memory_order_relaxed);
    if (old == HSC_state_UNKNOWN)
        hsc_rt_state_of_frame(t, HSC_RT_NO_FRAME - 8);
    if (old <= HSC_state_COMPUTATION)
        hsc_rt_state_set(t, state_of(kind));
    return old;
}

void hsc_rt_wait_state_back(hsc_rt_thread *t, uint32_t old) {
    hsc_rt_state_set(t, old);
}

static uint64_t brief_ns(const hsc_rt_thread *t) {
    return t->open.seen ? HSC_RT_BRIEF_NS : BRIEF_NS;
}

/* What its begin and its end took stands for the calls since the last one that was measured. */
static void measure_brief(hsc_rt_thread *t, uint64_t begin, uint64_t end) {
    uint64_t took = begin - t->briefs.entered + hsc_cycles_then() - end + BRIEF_REST_CYCLES;
    if (took < HSC_RT_BRIEF_COST_MAX)
        t->briefs.cost_cycles = (uint32_t)took;
    hsc_rt_brief_charge(t);
    t->briefs.turn = 0;
}

/* False: it was not brief, or can't be told so. */
static bool end_brief(hsc_rt_thread *t, uint64_t bytes) {
    uint64_t rate = atomic_load_explicit(&hsc_rt.ns_per_cycle_q32, memory_order_relaxed), begin = t->open.begin_cycles, end = hsc_cycles();
    uint64_t ns = hsc_rt_cycles_ns(end - begin, rate);
    if (!rate || ns >= brief_ns(t) || t != hsc_rt_measured() || !hsc_rt_own(t))
        return false;
    uint32_t node = t->open.node;
    bool added = t->open.kind && hsc_rt_brief_add(t, ns, bytes);
    if (added) {
        hsc_rt_credit_call(t, &(hsc_rt_call){t->open.called, 0, node, state_of(t->open.kind)}, ns);
        t->open.kind = 0;
    }
    hsc_rt_disown(t, node);
    if (!added)
        return false;
    leave(t);
    t->briefs.calls++;
    t->briefs.turn++;
    if (t->briefs.entered)
        measure_brief(t, begin, end);
    return true;
}

void hsc_rt_wait_end(hsc_rt_thread *t, uint64_t bytes, hsc_rt_holder holder) {
    if (!t || (t->open.begin_cycles && t->open.supposed && !holder.thread_id && end_brief(t, bytes)))
        return;
    if (t == hsc_rt_measured() && t->open.kind && hsc_rt_own(t)) {
        uint64_t now = hsc_rt_thread_now(t);
        bool truncated, brief = t->open.supposed && now < t->open.begin_ns + brief_ns(t);
        uint64_t begin = brief ? 0 : hsc_rt_own_begin(t);
        if (t->open.supposed && !brief && !t->open.told_ns) {
            t->open.node = hsc_rt_walk_here(t, &t->open.at, now, &truncated);
            hsc_rt_site_keep(t, &t->open.at, t->open.node);
        }
        uint32_t node = t->open.node;
        if (t->open.called)
            hsc_rt_credit_call(t, &(hsc_rt_call){t->open.called, hsc_rt_region_in(t, t->tasks.origin), node, state_of(t->open.kind)}, now - t->open.begin_ns);
        hsc_rt_wait_over(t, now, bytes, holder.thread_id, holder.node);
        if (!brief)
            hsc_rt_charge_wrapper_since(t, begin);
        hsc_rt_charge_wrapper(t, brief ? BRIEF_OWN_CYCLES : END_REST_CYCLES);
        hsc_rt_disown(t, node);
    }
    t->open.kind = 0;
    leave(t);
}

/* Where a lock is taken: as in the last call from the same frame (exact: by the same path, as far as that is seen). Else by a walk of the stack, of which
 * there are as many as cost a small part of the time: most locks are free, others wait while this one is had, and programs take millions a
 * second. 0: not known. */
static uint32_t lock_node(hsc_rt_thread *t, const hsc_rt_here *at, bool exact) {
    const hsc_rt_site *p = site(t, at);
    bool known = hsc_rt_site_frame_is(t, p, at);
    if (known && (!exact || hsc_rt_site_is(t, p, at)))
        return p->node;
    uint64_t begin = hsc_cycles();
    if (begin < t->walk_after)
        return known ? p->node : 0;
    uint32_t node = hsc_rt_wait_node(t, at);
    uint64_t end = hsc_cycles();
    t->walk_after = end + LOCK_WALKS * (end - begin);
    return node;
}

uint32_t hsc_rt_wait_add(hsc_rt_thread *t, uint32_t kind, const hsc_rt_here *at, uint64_t begin_ns, hsc_rt_holder holder) {
    uint32_t node = hsc_rt_now_ns() < begin_ns + BRIEF_LOCK_NS ? lock_node(t, at, false) : 0;
    if (!hsc_rt_own(t))
        return 0;
    bool truncated;
    uint64_t begin = hsc_rt_own_begin(t), now = hsc_rt_thread_now(t);
    if (!node)
        node = hsc_rt_walk_here(t, at, now, &truncated);
    if (!t->open.kind) {
        t->open.supposed = false;
        open_wait(t, kind, node, begin_ns);
        hsc_rt_wait_over(t, now, 0, holder.thread_id, holder.node);
    }
    hsc_rt_charge_wrapper_since(t, begin);
    hsc_rt_disown(t, node);
    return node;
}

uint32_t hsc_rt_wait_node(hsc_rt_thread *t, const hsc_rt_here *at) {
    if (!hsc_rt_own(t))
        return 0;
    bool truncated;
    uint64_t begin = hsc_rt_own_begin(t);
    uint32_t node = hsc_rt_walk_here(t, at, hsc_rt_thread_now(t), &truncated);
    if (node)
        hsc_rt_site_keep(t, at, node);
    hsc_rt_charge_wrapper_since(t, begin);
    hsc_rt_disown(t, node);
    return node;
}

/* ---- OpenMP regions: where they were forked ------------------------------------------------------------------------------ */

#define BRIEF_REGION_NS 20000u /* others are worth a walk each time */

uint32_t hsc_rt_fork_begin(hsc_rt_thread *t, const hsc_rt_here *at, bool *supposed) {
    uint32_t node = site(t, at)->brief_region ? supposed_node(t, HSC_wait_kind_OMP_REGION_END, at) : 0;
    *supposed = node != 0;
    return node ? node : hsc_rt_wait_node(t, at);
}

uint32_t hsc_rt_fork_end(hsc_rt_thread *t, const hsc_rt_here *at, uint32_t node, uint64_t duration_ns, bool supposed) {
    bool brief = duration_ns < BRIEF_REGION_NS;
    if (supposed && !brief)
        return hsc_rt_wait_node(t, at);
    if (brief && supposed_node(t, HSC_wait_kind_OMP_REGION_END, at) == node)
        site(t, at)->brief_region = true;
    return node;
}

/* ---- holders of locks ---------------------------------------------------------------------------------------------------- */

void hsc_rt_lock_wanted(const void *lock) {
    atomic_store_explicit(&hsc_rt_locks_wanted[hsc_rt_lock_slot(lock)], 1, memory_order_relaxed);
}

static uint32_t taken_slot(const void *lock) {
    return (uint32_t)(((uint64_t)lock * 0x9e3779b97f4a7c15u) >> 52) & (TAKEN - 1);
}

/* The caller has the lock: only those of other locks come to its slot meanwhile. */
static taker lock_before(const void *lock, uint32_t thread_id) {
    uint32_t i = taken_slot(lock);
    taker before = {0};
    if (atomic_exchange_explicit(&taken[i].busy, 1, memory_order_acquire))
        return before;
    if (atomic_load_explicit(&taken[i].lock, memory_order_relaxed) == lock) {
        uint32_t wanted = atomic_load_explicit(&taken[i].wanted, memory_order_relaxed);
        uint64_t holder = atomic_load_explicit(&taken[i].holder, memory_order_relaxed);
        before.holder = holder >> 32 == thread_id ? (hsc_rt_holder){0, 0} : (hsc_rt_holder){(uint32_t)(holder >> 32), (uint32_t)holder};
        before.wanted = wanted != 0;
        atomic_store_explicit(&taken[i].wanted, wanted - before.wanted, memory_order_relaxed);
    }
    atomic_store_explicit(&taken[i].busy, 0, memory_order_release);
    return before;
}

static void lock_taken(const void *lock, hsc_rt_holder by, bool waited) {
    uint32_t i = taken_slot(lock);
    if (atomic_exchange_explicit(&taken[i].busy, 1, memory_order_acquire))
        return;
    uint32_t wanted = atomic_load_explicit(&taken[i].lock, memory_order_relaxed) == lock ? atomic_load_explicit(&taken[i].wanted, memory_order_relaxed) : 0;
    atomic_store_explicit(&taken[i].wanted, waited ? TAKEN_WANTED : wanted, memory_order_relaxed);
    atomic_store_explicit(&taken[i].lock, lock, memory_order_relaxed);
    atomic_store_explicit(&taken[i].holder, (uint64_t)by.thread_id << 32 | by.node, memory_order_relaxed);
    atomic_store_explicit(&taken[i].busy, 0, memory_order_release);
}

/* Somebody has waited for it of late: where it is taken is of interest. */
static bool is_asked_for(const void *lock) {
    uint32_t i = taken_slot(lock);
    return atomic_load_explicit(&taken[i].lock, memory_order_relaxed) == lock && atomic_load_explicit(&taken[i].wanted, memory_order_relaxed);
}

static void tell_had(hsc_rt_thread *t, const void *lock, bool asked_for, uint32_t node) {
    uint32_t i = taken_slot(lock);
    if (asked_for || atomic_load_explicit(&taken[i].lock, memory_order_relaxed) != lock ||
        atomic_load_explicit(&taken[i].holder, memory_order_relaxed) != ((uint64_t)t->thread_id << 32 | node))
        lock_taken(lock, (hsc_rt_holder){t->thread_id, node}, false);
    hsc_rt_charge_wrapper(t, BRIEF_LOCK_CYCLES);
}

void hsc_rt_lock_had(hsc_rt_thread *t, const void *lock, const hsc_rt_here *at, const hsc_rt_here *key) {
    bool asked_for = is_asked_for(lock);
    if (asked_for)
        lock_before(lock, t->thread_id);
    uint32_t node = lock_node(t, at, asked_for);
    if (key && node && site(t, key) != site(t, at)) /* else both would be forgotten in turn */
        hsc_rt_site_keep_frame(t, key, node);
    tell_had(t, lock, asked_for, node);
}

bool hsc_rt_lock_had_again(hsc_rt_thread *t, const void *lock, const hsc_rt_here *key) {
    const hsc_rt_site *p = site(t, key);
    if (is_asked_for(lock) || !hsc_rt_site_frame_is(t, p, key))
        return false;
    tell_had(t, lock, false, p->node);
    return true;
}

void hsc_rt_lock_awaited(hsc_rt_thread *t, uint32_t kind, const void *lock, uint64_t begin_ns, const hsc_rt_here *at) {
    taker before = lock ? lock_before(lock, t->thread_id) : (taker){0};
    hsc_rt_holder by = {t->thread_id, hsc_rt_wait_add(t, kind, at, begin_ns, before.holder)};
    if (lock)
        lock_taken(lock, by, true);
}

void hsc_rt_lock_had_by_nobody(const void *lock) {
    lock_taken(lock, (hsc_rt_holder){0, 0}, false);
}

/* Who gave it back may want it again before the one it was handed to runs: what was told stays until somebody gives it back again. */
hsc_rt_holder hsc_rt_lock_holder(const hsc_rt_thread *t, const void *lock, uint64_t since_ns) {
    uint32_t i = hsc_rt_lock_slot(lock);
    uint64_t h = atomic_load_explicit(&given[i].holder, memory_order_acquire), ns = atomic_load_explicit(&given[i].ns, memory_order_acquire);
    bool good = t && h >> 32 != t->thread_id && ns + GIVEN_EARLY_NS >= since_ns && atomic_load_explicit(&given[i].lock, memory_order_acquire) == lock;
    return good ? (hsc_rt_holder){(uint32_t)(h >> 32), (uint32_t)h} : (hsc_rt_holder){0, 0};
}

void hsc_rt_lock_given(const void *lock, const hsc_rt_here *at) {
    uint32_t i = hsc_rt_lock_slot(lock);
    hsc_rt_thread *t = hsc_rt_measured();
    if (!t)
        return;
    uint32_t node = lock_node(t, at, true);
    atomic_store_explicit(&hsc_rt_locks_wanted[i], 0, memory_order_relaxed);
    atomic_store_explicit(&given[i].lock, NULL, memory_order_release);
    atomic_store_explicit(&given[i].holder, (uint64_t)t->thread_id << 32 | node, memory_order_release);
    atomic_store_explicit(&given[i].ns, hsc_rt_now_ns(), memory_order_release);
    atomic_store_explicit(&given[i].lock, lock, memory_order_release);
}
