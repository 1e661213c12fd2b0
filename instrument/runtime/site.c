/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is kept of a place that a thread's call came from: site.h. */
#include "site.h"

void hsc_rt_site_keep_frame(hsc_rt_thread *t, const hsc_rt_here *at, uint32_t node) {
    t->sites[hsc_rt_site_index(at)] = (hsc_rt_site){
        .at = *at, .node = node, .generation = atomic_load_explicit(&hsc_rt.generation, memory_order_relaxed), .origin = t->tasks.origin, .by_bp = true};
}

/* t->stack is that of the walk, the outermost frame first. */
void hsc_rt_site_keep(hsc_rt_thread *t, const hsc_rt_here *at, uint32_t node) {
    hsc_rt_site p = {.at = *at, .node = node, .generation = t->generation, .origin = t->tasks.origin, .by_bp = true};
    uint32_t n = t->frames, kept = 0;
    if (n && t->stack[n - 1].pc == at->pc && t->stack[n - 1].sp == at->sp && at->sp >= t->stack_low && at->sp < t->stack_high) {
        bool restored = false;
        p.by_bp = false;
        for (uint32_t i = n; i-- > 1;) {
            const hsc_rt_frame *f = &t->stack[i];
            uint64_t word = (f->ra_slot - at->sp) / sizeof(uint64_t);
            p.by_bp |= !restored && f->uses_bp;
            restored |= f->bp_slot != 0;
            if (kept < HSC_RT_SITE_CALLERS && f->ra_slot >= at->sp && f->ra_slot < t->stack_high && word < UINT16_MAX) {
                p.callers = hsc_rt_site_mix(p.callers, f[-1].pc);
                p.caller_at[kept++] = (uint16_t)(word + 1);
            }
        }
    }
    t->sites[hsc_rt_site_index(at)] = p;
}
