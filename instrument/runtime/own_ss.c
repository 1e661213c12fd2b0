/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a long part of our own code really took. A short one is told by its cycles. A long one was interrupted, or is slow by itself (a library's tables
 * are read, memory is got): the thread's CPU clock knows, but that is a system call. So it is read after long parts only, and compared with what it was the
 * last time: since then the thread had no processor for so long, all of which may lie in the part, or before it. Where that leaves too much open, the next
 * parts begin with a look at the clock. */
#include "rt.h"

#define WATCHED 16u /* parts that begin with a look, after the last one that needed it */
#define SURE 8u     /* of a part so much is known well enough: all but one of so many */
#define LOOK_MAX 20000u /* cycles: it was interrupted */
#define NEAR 2000u  /* cycles from a look to the part that it is for */

/* What samples took, with their interrupts. */
static uint64_t handler_ns(const hsc_rt_thread *t, const hsc_rt_state *rt) {
    return hsc_rt_cycles_ns(t->handler_cycles, atomic_load_explicit(&rt->ns_per_cycle_q32, memory_order_relaxed)) +
           atomic_load_explicit(&t->beats, memory_order_relaxed) * rt->interrupt_ns;
}

static struct hsc_rt_look look(const hsc_rt_thread *t, const hsc_rt_state *rt) {
    uint64_t handler = handler_ns(t, rt), cpu_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    return (struct hsc_rt_look){hsc_cycles(), cpu_ns, handler};
}

uint64_t hsc_rt_own_look(hsc_rt_thread *t, const hsc_rt_state *rt) {
    t->looked[1] = look(t, rt);
    return t->looked[1].cpu_ns;
}

/* It is a part of our own code itself: once for all that is charged next. */
static struct hsc_rt_look look_by_code(hsc_rt_thread *t, const hsc_rt_state *rt) {
    uint64_t begin = hsc_cycles();
    struct hsc_rt_look l = look(t, rt);
    t->looks_cycles += l.cycles - begin < LOOK_MAX ? l.cycles - begin : LOOK_MAX;
    return l;
}

void hsc_rt_own_watch(hsc_rt_thread *t, const hsc_rt_state *rt) {
    t->watched--;
    t->looked[0] = look_by_code(t, rt);
}

/* The last look before the part began. */
static struct hsc_rt_look last_look(const hsc_rt_thread *t, uint64_t begin) {
    struct hsc_rt_look a = t->looked[0], b = t->looked[1];
    if (a.cycles > begin)
        a.cycles = 0;
    return b.cycles > a.cycles && b.cycles <= begin ? b : a;
}

uint64_t hsc_rt_own_long(hsc_rt_thread *t, const hsc_rt_state *rt, uint64_t begin, uint64_t end, bool *known) {
    uint64_t rate = atomic_load_explicit(&rt->ns_per_cycle_q32, memory_order_relaxed), took = end - begin;
    *known = false;
    if (!rate || rt->sandboxed)
        return 0;
    struct hsc_rt_look last = last_look(t, begin), now = look_by_code(t, rt);
    t->looked[0] = now;
    uint64_t passed_ns = hsc_rt_cycles_ns(now.cycles - last.cycles, rate), used_ns = now.cpu_ns - last.cpu_ns;
    uint64_t away_ns = passed_ns > used_ns ? passed_ns - used_ns : 0;
    if (!now.cpu_ns || !last.cycles || last.cpu_ns >= now.cpu_ns || away_ns >= 1ull << 32) {
        t->watched = WATCHED;
        return 0;
    }
    uint64_t away = (away_ns << 32) / rate, own = away < took ? took - away : 0, handled_ns = now.handler_ns - last.handler_ns;
    bool at_once = begin - last.cycles < NEAR;
    *known = at_once || away <= took / SURE;
    t->watched = *known && !at_once ? t->watched : WATCHED;
    double samples = handled_ns < used_ns ? (double)handled_ns / (double)used_ns : 1; /* they are charged by themselves */
    return own - (uint64_t)((double)own * samples);
}
