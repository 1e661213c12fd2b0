/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread's events get into its stream many at a time: what that needs (writer, tables of the format, a page of the
 * file) is in no cache after the time that a call of the library took. And how long a call has to take, so that events
 * keep to their share of the budget. */
#include "mpi.h"

#define EVENT_BYTES_FREE (1u << 20)
#define EVENT_BYTES_A_SECOND 65536u
#define OF_AN_EVENT 24u /* bytes, about */

#define LOOK_NS 50000000u   /* of CPU time, between two looks at what events cost */
#define SHARE 0.5           /* of the budget, for events */
#define CALM_NS 2000000000ull       /* CPU time within half of it before the threshold is lowered */
#define CALM_MOST_NS 64000000000ull /* the same where lower ones were tried in vain */
#define ADAPTED_NS                                                                                                     \
    800000u /* the highest threshold for the budget's sake: waits of a millisecond are told whatever they cost */
#define NOTING_CYCLES 150u /* of a call with an event, beside the writing of it */
#define CYCLES_MAX 4000u   /* for an event: more were not ours, the thread was interrupted */

static void tell_threshold(hsc_mpi_block *b, uint64_t now) {
    hsc_rec_message_threshold r = {now, b->threshold_ns, b->not_recorded};
    b->threshold_told = heatscope_rt_services.thread_put(b->thread, HSC_REC_message_threshold, &r, now);
}

void hsc_mpi_events_write(hsc_mpi_block *b) {
    uint64_t now = b->last_ns, begin = hsc_cycles();
    uint32_t n = b->waiting < HSC_MPI_EVENTS ? b->waiting : HSC_MPI_EVENTS;
    if (!n)
        return;
    if (!b->threshold_told)
        tell_threshold(b, now);
    for (uint32_t i = 0; i < n; i++)
        b->not_recorded += !heatscope_rt_services.thread_put(b->thread, HSC_REC_message_event, &b->event[i], now);
    b->waiting = 0;
    b->events += n;
    b->event_bytes += (uint64_t)n * OF_AN_EVENT;
    uint64_t allowed = EVENT_BYTES_FREE + (now - b->start_ns) / 1000000u * EVENT_BYTES_A_SECOND / 1000u;
    if (b->threshold_ns && b->event_bytes > allowed) { /* so many: from now on only longer ones */
        b->threshold_ns = b->threshold_least_ns = b->threshold_ns * 2;
        b->event_bytes = allowed - EVENT_BYTES_FREE / 4;
        tell_threshold(b, now);
    }
    uint64_t took = hsc_cycles() - begin, most = (uint64_t)n * CYCLES_MAX;
    b->event_cycles += (took < most ? took : most) + (uint64_t)n * NOTING_CYCLES;
}

void hsc_mpi_events_govern(hsc_mpi_block *b, uint64_t now) {
    const hsc_rt_state *rt = heatscope_rt_services.state;
    if (!b->threshold_ns || !rt->options.budget || !b->threshold_told)
        return; /* all are wanted, at any cost, or there were none */
    uint64_t cpu = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK), passed = cpu - b->looked_cpu_ns,
             cycles = b->event_cycles - b->looked_cycles;
    if (b->looked_cpu_ns && passed < LOOK_NS)
        return;
    bool first = !b->looked_cpu_ns;
    b->looked_cpu_ns = cpu;
    b->looked_cycles = b->event_cycles;
    if (first)
        return;
    double cost = (double)hsc_rt_cycles_ns(cycles, atomic_load_explicit(&rt->ns_per_cycle_q32, memory_order_relaxed));
    double allowed = SHARE * (double)passed * (double)rt->options.budget / 1000;
    uint64_t before = b->threshold_ns, calm = b->calm_needed_ns ? b->calm_needed_ns : CALM_NS;
    b->lowered_ago_ns += passed;
    b->over = cost > allowed ? b->over + 1 : 0;
    if ((cost > 2 * allowed || b->over > 1) && 2 * before <= ADAPTED_NS) { /* a little too much, once, is chance */
        b->threshold_ns *= 2;
        if (b->lowered && b->lowered_ago_ns < CALM_NS)
            b->calm_needed_ns = 2 * calm < CALM_MOST_NS ? 2 * calm : CALM_MOST_NS;
        b->lowered = false;
        b->over = 0;
    }
    b->calm_ns = cost < allowed / 2 ? b->calm_ns + passed : 0;
    if (b->lowered && b->lowered_ago_ns >= CALM_NS)
        b->calm_needed_ns = CALM_NS;
    if (b->threshold_ns == before && b->calm_ns >= calm && before / 2 >= b->threshold_least_ns) {
        b->threshold_ns /= 2;
        b->lowered = true;
        b->calm_ns = b->lowered_ago_ns = 0;
    }
    if (b->threshold_ns != before)
        tell_threshold(b, now);
}
