/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Brief waits by site: brief.h. */
#include "brief.h"

_Static_assert(sizeof(hsc_rt_site) == 64 && sizeof(hsc_rt_brief) == 64, "a line each");
_Static_assert(HSC_RT_BRIEF_NS == 1u << (HSC_RT_WAIT_BUCKET_LOW + HSC_RT_BRIEF_BUCKETS), "each has a bucket");

#define BRIEF_COST_CYCLES 250u /* as long as none was measured */

bool hsc_rt_brief_add(hsc_rt_thread *t, uint64_t ns, uint64_t bytes, uint32_t holder_thread, uint32_t holder_node) {
    uint32_t i = hsc_rt_site_index(&t->open.at);
    hsc_rt_brief *b = &t->brief[i];
    bool held = holder_thread != 0;
    if (held && bytes)
        return false;
    if (b->node != t->open.node || b->kind != t->open.kind || b->held != held || (held && (b->holder.thread != holder_thread || b->holder.node != holder_node))) {
        hsc_rt_brief_sum(t, b);
        *b = (hsc_rt_brief){.node = t->open.node, .kind = (uint16_t)t->open.kind, .held = held};
        if (held) {
            b->holder.thread = holder_thread;
            b->holder.node = holder_node;
        }
    }
    if (b->total_ns + ns >= b->room_ns) {
        hsc_rt_brief_sum(t, b);
        if (ns >= b->room_ns)
            return false;
    }
    t->briefs.used |= 1ull << i;
    b->count++;
    b->total_ns += (uint32_t)ns;
    if (!held)
        b->bytes += bytes;
    b->max_ns = ns > b->max_ns ? (uint32_t)ns : b->max_ns;
    b->bucket[hsc_rt_wait_bucket(ns)]++;
    return true;
}

void hsc_rt_brief_charge(hsc_rt_thread *t) {
    hsc_rt_charge_wrapper(t, (uint64_t)t->briefs.calls * (t->briefs.cost_cycles ? t->briefs.cost_cycles : BRIEF_COST_CYCLES));
    t->briefs.calls = 0;
}

void hsc_rt_briefs_sum(hsc_rt_thread *t) {
    for (uint64_t left = t->briefs.used; left; left &= left - 1)
        hsc_rt_brief_sum(t, &t->brief[__builtin_ctzll(left)]);
    t->briefs.used = 0;
}
