/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a thread is doing, for its samples: wrappers set it, the handler reads it. UNKNOWN leaves it to the correlator, which
 * tells it from the call path. */
#ifndef HSC_RT_STATE_H
#define HSC_RT_STATE_H

#include "probes.h"

#define HSC_RT_STATE_NONE UINT32_MAX /* nothing to give back */

static inline void hsc_rt_state_set(hsc_rt_thread *t, uint32_t state) {
    if (t->scopes)
        t->scopes->set_state(t->scopes, state);
    atomic_store_explicit(&t->state, state, memory_order_relaxed);
}

/* A wrapper begins. Returns what hsc_rt_state_leave gives back. `strong`: also inside another wrapper (MPI, OpenMP); the others
 * (memory, input and output) keep what a strong one has set: what a message library does to send is communication. */
static inline __attribute__((always_inline)) uint32_t hsc_rt_state_enter(uint32_t state, bool strong) {
    hsc_rt_thread *t = hsc_rt_self;
    if (!t)
        return HSC_RT_STATE_NONE;
    uint32_t old = atomic_load_explicit(&t->state, memory_order_relaxed);
    if (!strong && old > HSC_state_COMPUTATION)
        return HSC_RT_STATE_NONE;
    if (old == HSC_state_UNKNOWN)
        t->state_frame = (uint64_t)__builtin_frame_address(0);
    hsc_rt_state_set(t, state);
    return old;
}

static inline void hsc_rt_state_leave(uint32_t old) {
    hsc_rt_thread *t = hsc_rt_self;
    if (old != HSC_RT_STATE_NONE && t)
        hsc_rt_state_set(t, old);
}

/* In a team of one thread nobody is waited for, but for tasks that somebody else completes. */
static inline bool hsc_rt_omp_alone(const hsc_rt_thread *t, uint32_t kind) {
    return t && t->team.threads == 1 && hsc_rt_wait_is_team(kind);
}

#endif
