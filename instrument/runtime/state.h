/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a thread is doing, for its samples: wrappers set it, the handler reads it. UNKNOWN leaves it to the correlator, which
 * tells it from the call path. */
#ifndef HSC_RT_STATE_H
#define HSC_RT_STATE_H

#include "probes.h"

static inline void hsc_rt_state_set(hsc_rt_thread *t, uint32_t state) {
    if (t->scopes)
        t->scopes->set_state(t->scopes, state);
    atomic_store_explicit(&t->state, state, memory_order_relaxed);
}

/* The wrapper whose return address stands there is the outermost that sets the state; HSC_RT_NO_FRAME - 8: none that can be left by a jump. */
static inline void hsc_rt_state_of_frame(hsc_rt_thread *t, uint64_t at) {
    t->state_frame = at;
    t->state_return = at >= t->stack_low && at < t->stack_high ? *(const volatile uint64_t *)at : 0; /* NOLINT */
}

/* Whether it was left by a jump, or an exception, as it looks from a frame that begins at `sp`: what a stack has below its pointer is written anew sooner or later. */
static inline bool hsc_rt_state_is_left(const hsc_rt_thread *t, uint64_t sp) {
    uint64_t at = t->state_frame;
    if (sp >= t->stack_high || at < t->stack_low)
        return false;
    return sp > at || (t->state_return && at < t->stack_high && *(const volatile uint64_t *)at != t->state_return); /* NOLINT */
}

/* In a team of one thread nobody is waited for, but for tasks that somebody else completes. */
static inline bool hsc_rt_omp_alone(const hsc_rt_thread *t, uint32_t kind) {
    return t && t->team.threads == 1 && hsc_rt_wait_is_team(kind);
}

#endif
