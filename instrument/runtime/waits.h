/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting that costs no CPU time: how long, for what and where, added up for each thread; on request (HEATSCOPE_TRACE) each
 * wait by itself. docs/waiting.md tells what is counted. */
#ifndef HSC_RT_WAITS_H
#define HSC_RT_WAITS_H

#include "here.h"

typedef struct hsc_rt_holder {
    uint32_t thread_id, node; /* 0: not known */
} hsc_rt_holder;

/* A wait of the calling thread begins: its call path is taken, its state set. `frame`: once the stack pointer is there or above,
 * the wrapper was left by a jump (at->sp in a wrapper); HSC_RT_NO_FRAME: it can't be. NULL: nothing to record (not measured,
 * switched off, inside an MPI call or another wait). What it returns goes to the end of the same call. */
#define HSC_RT_NO_FRAME UINT64_MAX
hsc_rt_thread *hsc_rt_wait_begin(uint32_t kind, const hsc_rt_here *at, uint64_t frame);
hsc_rt_thread *hsc_rt_wait_begin_at(uint32_t kind, uint32_t node);      /* where the node is known */
hsc_rt_thread *hsc_rt_wait_begin_alone(uint32_t kind, uint64_t pc); /* where only an address in the program is known */
/* The open wait was one for the end of the region only up to there. */
void hsc_rt_wait_end_region(hsc_rt_thread *t);
void hsc_rt_wait_end(hsc_rt_thread *t, uint64_t bytes, hsc_rt_holder holder);

/* It waits in there: CPU time in the kernel that no sample met may be told of it. NULL: nothing is recorded. */
#define hsc_rt_wait_in(t, procedure) \
    do { \
        if (t) \
            (t)->open.called = (uint64_t)(procedure); \
    } while (0)
/* A wait that is over, of which nothing was said when it began; returns the node, 0: none. */
uint32_t hsc_rt_wait_add(hsc_rt_thread *t, uint32_t kind, const hsc_rt_here *at, uint64_t begin_ns, hsc_rt_holder holder);
/* Only the state of one; what the first returns goes to the second. */
uint32_t hsc_rt_wait_state(hsc_rt_thread *t, uint32_t kind);
void hsc_rt_wait_state_back(hsc_rt_thread *t, uint32_t old);
void hsc_rt_wait_break(hsc_rt_thread *t); /* its wait was left by cancellation, and so was the state it set */

/* Who holds a lock is asked of the thread that gives it back: one that finds it taken wants it, and once it has got it is told who
 * gave it back meanwhile, while it was wanted. `asked`: what the first returned. */
uint32_t hsc_rt_lock_want(const void *lock);
hsc_rt_holder hsc_rt_lock_got(const hsc_rt_thread *t, const void *lock, uint32_t asked);
void hsc_rt_lock_given(const void *lock, const hsc_rt_here *at); /* the caller has seen hsc_rt_lock_is_wanted */

/* For locks that tell only after they were given back, which may be after the next one has them: who has the lock says that it took it, and who had
 * taken it before is told as the holder of who waited. The slot of a lock is also of others: the one of them that was taken last is known. Where it was
 * taken is known from the last time from the same frame, and asked exactly where somebody has waited for the lock of late, as far as that costs little. */
void hsc_rt_lock_had(hsc_rt_thread *t, const void *lock, const hsc_rt_here *at, const hsc_rt_here *key); /* it was free */
/* The same where nobody has waited for the lock of late and the place is known by `key`: pc and sp that stand for those of the
 * frame (hsc_rt_lock_had notes them, NULL: there are none), before the frame is looked for. False: nothing is told yet. */
bool hsc_rt_lock_had_again(hsc_rt_thread *t, const void *lock, const hsc_rt_here *key);
void hsc_rt_lock_awaited(hsc_rt_thread *t, uint32_t kind, const void *lock, uint64_t begin_ns, const hsc_rt_here *at); /* NULL: of no lock */
void hsc_rt_lock_had_by_nobody(const void *lock); /* by a thread that is not measured */
uint32_t hsc_rt_wait_node(hsc_rt_thread *t, const hsc_rt_here *at);     /* of a place; 0: none */
uint32_t hsc_rt_wait_node_again(hsc_rt_thread *t, const hsc_rt_here *at); /* the same, as in the last call from there where its callers are seen to be the same */

/* Where the calling thread forks an OpenMP region; `supposed`: it is that of the last region from the same frame, which was brief. */
uint32_t hsc_rt_fork_begin(hsc_rt_thread *t, const hsc_rt_here *at, bool *supposed);
uint32_t hsc_rt_fork_end(hsc_rt_thread *t, const hsc_rt_here *at, uint32_t node, uint64_t duration_ns, bool supposed);

/* Barriers of pthreads: for how many threads one is made (0: threads of other processes too), and whether the caller, who is about to enter it, is the last one of a round (false too where
 * that is not known: made by another process, or more of them than are remembered). in_step_ns: when the last one of the round before came; 0: not known, or none. */
void hsc_rt_barrier_begin(const void *barrier, uint32_t threads);
void hsc_rt_barrier_end(const void *barrier);
bool hsc_rt_barrier_come(const void *barrier, uint64_t *in_step_ns);
/* Who ended a wait, where that thread says so itself while others wait: signals of conditions, posts of semaphores, wakes of futexes. A wait for `on`
 * begins once hsc_rt_wait_begin has returned t (NULL: nothing to record); at its end the thread that signalled first of those whose signal nobody
 * else was woken by. `waiters`: how many threads the signal wakes, UINT32_MAX: all. The caller of hsc_rt_signalled has seen hsc_rt_is_awaited.
 * The open wait of t learns when that was. */
void hsc_rt_await_begin(const hsc_rt_thread *t, const void *on);
hsc_rt_holder hsc_rt_await_end(hsc_rt_thread *t, const void *on, bool signalled);
hsc_rt_holder hsc_rt_await_end_last(hsc_rt_thread *t, const void *on); /* of signals to one waiter: the last, and all are had */
void hsc_rt_signalled(const void *on, uint32_t waiters, const hsc_rt_here *at);

/* Who ended what is waited for last, by what it is known by (a task's parent, a task group, a thread): told where it ends; `pc`: an address
 * in the program that stands for it. None: not known, not since `since_ns`, or `t` itself.
 * The open wait of t learns when that was. */
void hsc_rt_ended(hsc_rt_thread *t, uint64_t of, uint64_t pc);
hsc_rt_holder hsc_rt_ended_by(hsc_rt_thread *t, uint64_t of, uint64_t since_ns);
uint32_t hsc_rt_wait_alone(hsc_rt_thread *t, uint64_t pc); /* node of an address in the program without a path; 0: none */

#define HSC_RT_AWAITED 64u
extern _Atomic uint32_t hsc_rt_awaited[HSC_RT_AWAITED] __attribute__((visibility("hidden"))); /* waiting threads */

static inline uint32_t hsc_rt_await_slot(const void *on) {
    return (uint32_t)(((uint64_t)on * 0x9e3779b97f4a7c15u) >> 58) & (HSC_RT_AWAITED - 1);
}

static inline bool hsc_rt_is_awaited(const void *on) {
    return __builtin_expect(atomic_load_explicit(&hsc_rt_awaited[hsc_rt_await_slot(on)], memory_order_relaxed) != 0, 0);
}

/* What who gives a lock back reads and writes while others wait for it, on one line of the processor's caches. */
#define HSC_RT_LOCKS 256u
typedef struct hsc_rt_lock_slot {
    _Alignas(64) _Atomic uint32_t wanted; /* since one was given back last */
    _Atomic uint32_t told;                /* times that one was given back which was wanted */
    _Atomic(const void *) lock;           /* the last of them */
    _Atomic uint64_t holder;              /* of that: thread_id << 32 | node */
} hsc_rt_lock_slot;
extern hsc_rt_lock_slot hsc_rt_lock_slots[HSC_RT_LOCKS] __attribute__((visibility("hidden")));

static inline hsc_rt_lock_slot *hsc_rt_lock_slot_of(const void *lock) {
    return &hsc_rt_lock_slots[(((uint64_t)lock * 0x9e3779b97f4a7c15u) >> 56) & (HSC_RT_LOCKS - 1)];
}

static inline bool hsc_rt_lock_is_wanted(const void *lock) {
    return __builtin_expect(atomic_load_explicit(&hsc_rt_lock_slot_of(lock)->wanted, memory_order_relaxed) != 0, 0);
}

#endif
