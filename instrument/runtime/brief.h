/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Brief waits: reads, writes and opens that return at once, of which a server makes a million in a second of CPU time. They are timed by the cycle counter, added up by
 * the site that they come from, and go to the thread's sums when these are told, or when they come to what has a record of its own (brief_ss.c). */
#ifndef HSC_RT_BRIEF_H
#define HSC_RT_BRIEF_H

#include "site.h"

#define HSC_RT_LONG_NS 1000000u /* a wait that has a record of its own without a trace too: others may have waited for this thread meanwhile */
#define HSC_RT_BRIEF_EVERY 61u  /* calls, of which the cost of one is measured; a prime: calls come in turns */
#define HSC_RT_BRIEF_COST_MAX 30000u /* cycles: the thread was interrupted */

/* That goes to sums that have neither a holder nor a region. */
static inline bool hsc_rt_brief_may(const hsc_rt_thread *t, uint32_t kind) {
    return ((kind >= HSC_wait_kind_READ && kind <= HSC_wait_kind_OPEN) || kind == HSC_wait_kind_PIPE || kind == HSC_wait_kind_NAME) && !hsc_rt.options.trace && !t->region && !t->tasks.origin;
}

/* Cycles now, where the next call is one whose cost is measured, else 0. */
static inline uint64_t hsc_rt_brief_enter(const hsc_rt_thread *t) {
    return t && t->briefs.turn >= HSC_RT_BRIEF_EVERY - 1 ? hsc_cycles_then() : 0;
}

/* The open wait, which took so long; the thread's writer is owned. False: that is for the sums. */
bool hsc_rt_brief_add(hsc_rt_thread *t, uint64_t ns, uint64_t bytes);
void hsc_rt_brief_charge(hsc_rt_thread *t); /* the cost of all of them so far; by the thread itself, or at its end */

#endif
