/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that only look and find nothing: whether one goes on with those before it, where there was a pause between. */
#include "hot.h"

#define PAUSE_NS 200000u  /* more is no sample */
#define BEGUN 2u          /* so many looks, each of which went on with the one before: a sample between two more is a pause in that */
#define PAUSES_NS 1000000u
#define PAUSES_OF 4u      /* of the time since it began to look: what may be in pauses of which it is not known what they were */
#define REST_NS 50000u    /* where the thread may have rested */
#define REST_CPU_NS 180000u /* CPU time that it may have used there, to go to sleep and come back (20 to 140 us were seen), with a sample: who does more has worked, however long it had no processor besides */
#define RESTS_AHEAD_MAX 64u
#define RESTS (sizeof((hsc_mpi_block *)0)->rests / sizeof *((hsc_mpi_block *)0)->rests)

/* Whether the thread took next to no CPU time in the pause: it slept, or another one had the processor. Asking for that takes some 0.3 us: where it was
 * in vain, it is asked for more and more seldom. */
static bool has_rested(hsc_mpi_block *b, uint64_t enter, uint32_t node, uint64_t pause) {
    uint8_t *ahead = &b->rests[node % RESTS].ahead, *passed = &b->rests[node % RESTS].passed;
    if (b->looks < LOOKS_MANY && *passed < *ahead) {
        (*passed)++;
        b->rested_ns = 0;
        return false;
    }
    uint64_t cpu_before = b->rested_cpu_ns, used = (b->rested_cpu_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK)) - cpu_before;
    /* of the CPU time since it was asked last, what was not in looks, had these never been interrupted */
    uint64_t in_looks = enter - b->rested_ns - pause, in_pause = used > in_looks ? used - in_looks : 0;
    bool asked = b->rested_ns && b->rested_ns >= b->looks_since, rested = asked && in_pause <= REST_CPU_NS && 4 * in_pause < 3 * pause;
    if (asked) { /* else it is asked again before the next look: this time is where that begins */
        *passed = 0;
        *ahead = rested ? 0 : !*ahead ? 1 : *ahead < RESTS_AHEAD_MAX ? (uint8_t)(2 * *ahead) : RESTS_AHEAD_MAX;
    }
    b->rested_ns = enter;
    return rested;
}

bool hsc_mpi_looks_on(hsc_mpi_block *b, uint64_t enter, uint32_t node) {
    uint64_t pause = enter - b->looked_ns;
    if (pause < PAUSE_NS && b->looks >= BEGUN && b->looked_beats != (uint32_t)atomic_load_explicit(&b->thread->beats, memory_order_relaxed))
        return true;
    /* an interrupt; of one look, the longest, it is not known whether it was interrupted, too, and so seemed long */
    uint64_t time = enter - b->looks_since - b->rests_ns - (b->looks < BEGUN ? 0 : b->longest_look_ns);
    if (pause < PAUSES_NS && (b->pauses_ns + pause) * PAUSES_OF <= time) {
        b->pauses_ns += pause;
        return true;
    }
    if (pause < REST_NS || !has_rested(b, enter, node, pause))
        return false;
    b->rests_ns += pause;
    return true;
}

void hsc_mpi_looks_many(hsc_mpi_block *b) {
    uint64_t cycles, looked = b->looked_ns;
    b->rested_cpu_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    b->rested_ns = b->looked_ns = hsc_mpi_clock(b, &cycles); /* the clock may have taken more than the looks: that is no pause between them */
    b->looks_between += b->looked_ns - looked;
}
