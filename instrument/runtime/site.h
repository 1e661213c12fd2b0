/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a thread's calls came from of late, and how it is seen that one comes from there again, without a walk of the stack: by where its frame is, by the
 * return addresses of the next procedures further out, and by the frame pointer where the path is found by that (elsewhere it is a register like any other,
 * and has another value at each call). Further out the path is supposed to be as it was. */
#ifndef HSC_RT_SITE_H
#define HSC_RT_SITE_H

#include "here.h"

static inline uint32_t hsc_rt_site_index(const hsc_rt_here *at) {
    return (uint32_t)(((at->pc ^ at->sp) * 0x9e3779b97f4a7c15u) >> 58) & (HSC_RT_SITES - 1);
}

static inline uint64_t hsc_rt_site_mix(uint64_t callers, uint64_t return_address) {
    return (callers ^ return_address) * 0x9e3779b97f4a7c15u;
}

/* But for its path. */
static inline bool hsc_rt_site_frame_is(const hsc_rt_thread *t, const hsc_rt_site *p, const hsc_rt_here *at) {
    return p->at.pc == at->pc && p->at.sp == at->sp && p->at.caller == at->caller && p->origin == t->tasks.origin &&
           p->generation == atomic_load_explicit(&hsc_rt.generation, memory_order_relaxed);
}

static inline bool hsc_rt_site_is(const hsc_rt_thread *t, const hsc_rt_site *p, const hsc_rt_here *at) {
    if (!hsc_rt_site_frame_is(t, p, at) || (p->by_bp && p->at.bp != at->bp))
        return false;
    uint64_t callers = 0;
    for (uint32_t i = 0; i < HSC_RT_SITE_CALLERS && p->caller_at[i]; i++)
        callers = hsc_rt_site_mix(callers, ((const volatile uint64_t *)at->sp)[p->caller_at[i] - 1]); /* NOLINT: of the thread's stack, as it was when that was kept */
    return callers == p->callers;
}

/* The thread owns its writer, and its last walk (hsc_rt_walk_here) was from there, to `node`. */
void hsc_rt_site_keep(hsc_rt_thread *t, const hsc_rt_here *at, uint32_t node);
/* The same where nothing is known of a path: the frame pointer stands for it. */
void hsc_rt_site_keep_frame(hsc_rt_thread *t, const hsc_rt_here *at, uint32_t node);

#endif
