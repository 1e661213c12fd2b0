/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For wrappers that record: am I measured, who called me, and the right to write into the thread's stream. */
#ifndef HSC_RT_HERE_H
#define HSC_RT_HERE_H

#include "rt.h"

/* The calling thread while it is measured, else NULL; some 2 ns. Children of fork, also of a bare clone, get NULL until
 * they are set up. (A child of vfork writes as its parent, which waits for it.) */
static inline hsc_rt_thread *hsc_rt_measured(void) {
    hsc_rt_thread *t = hsc_rt_self;
    if (!t || !atomic_load_explicit(&hsc_rt.on, memory_order_relaxed))
        return NULL;
    if (__builtin_expect(hsc_rt.same_process != NULL, 1))
        return atomic_load_explicit(hsc_rt.same_process, memory_order_relaxed) ? t : NULL;
    return hsc_rt_active() ? t : NULL;
}

/* Who called the exported function in which this is written; forces a frame pointer there. */
#define HSC_RT_HERE() \
    ((hsc_rt_here){(uint64_t)__builtin_return_address(0), (uint64_t)__builtin_frame_address(0) + 16, \
                   *(const uint64_t *)__builtin_frame_address(0), 0})

/* Takes the thread's writer, tree and tables for normal code of the thread itself. False: it has them already (our code
 * was interrupted by a signal handler of the program, which called a wrapper): record nothing. Keep it short: samples that
 * fall due meanwhile are recorded by hsc_rt_disown, as overhead at `node` (0: at the next sample's place). */
#define hsc_rt_own(t) hsc_rt_own_in(t, (const uint64_t *)__builtin_frame_address(0))
bool hsc_rt_own_in(hsc_rt_thread *t, const uint64_t *frame); /* frame: the caller's, which gives it back before it returns; NULL: not told */
bool hsc_rt_own_untold(hsc_rt_thread *t); /* the same for who may not be left by a jump (calls of MPI) */
void hsc_rt_reclaim(hsc_rt_thread *t);    /* after a jump out of its owner: what that left half done is begun anew. The writer is owned then */
void hsc_rt_disown(hsc_rt_thread *t, uint32_t node);

/* CLOCK_MONOTONIC, never before what the thread's stream has already. */
static inline uint64_t hsc_rt_thread_now(hsc_rt_thread *t) {
    uint64_t now = hsc_rt_now_ns();
    t->last_time = now > t->last_time ? now : t->last_time;
    return t->last_time;
}

#define HSC_RT_NEAR_CYCLES (1u << 20) /* less than a millisecond: a rate that is wrong by a thousandth makes that less than a microsecond */

/* CLOCK_MONOTONIC now, which is when the cycle counter has `cycles`: by those since the clock was read, which takes longer, and most locks are free, most reads brief. */
static inline uint64_t hsc_rt_time_near(hsc_rt_thread *t, uint64_t cycles) {
    uint64_t rate = atomic_load_explicit(&hsc_rt.ns_per_cycle_q32, memory_order_relaxed), passed = cycles - t->clock_cycles;
    if (rate && passed < HSC_RT_NEAR_CYCLES)
        return t->clock_ns + hsc_rt_cycles_ns(passed, rate);
    return t->clock_ns = hsc_rt_now_both(&t->clock_cycles);
}

#endif
