/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Measuring off and on while the program runs: after a delay, for a duration, by a signal, by the program. */
#include "rt.h"

bool hsc_rt_measure(bool on, uint32_t reason, uint32_t *changed) {
    uint64_t mask, now = hsc_rt_now_ns();
    if (!atomic_load(&hsc_rt.on) || !hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS))
        return false;
    bool alive = !atomic_load(&hsc_rt.finished), changes = alive && atomic_load(&hsc_rt.measuring) != on;
    if (changes && !on)
        atomic_store(&hsc_rt.off_ns, now);
    if (changes)
        atomic_store(&hsc_rt.measuring, on);
    if (changes) {
        bool traced = atomic_load(&hsc_rt.traced); /* it is off by that, and goes on when that is over */
        hsc_rec_measuring r = {now, on, reason};
        if (!traced)
            hsc_rt_file_put(HSC_REC_measuring, &r, now);
        for (const hsc_rt_thread *t = hsc_rt.threads; on && !traced && t; t = t->next)
            if (t->live)
                hsc_rt_source_rouse(t);
        hsc_rt.stop_at_ns = on && hsc_rt.options.duration_ms ? now + hsc_rt.options.duration_ms * 1000000 : 0;
        hsc_rt.start_at_ns = 0;
    } else if (alive && !on && reason == HSC_measuring_reason_COMMAND) {
        hsc_rt.start_at_ns = 0; /* nor after the delay */
    }
    hsc_rt_lock_release(&hsc_rt.lock, mask);
    hsc_rt_helper_poke(); /* it has a time to look at */
    if (changed)
        *changed = changes;
    return alive;
}

void hsc_rt_measure_begin(uint64_t now) {
    bool later = hsc_rt.options.delay_ms || hsc_rt.options.stopped;
    hsc_rt.start_at_ns = hsc_rt.options.delay_ms ? now + hsc_rt.options.delay_ms * 1000000 : 0;
    hsc_rt.stop_at_ns = !later && hsc_rt.options.duration_ms ? now + hsc_rt.options.duration_ms * 1000000 : 0;
    atomic_store(&hsc_rt.measuring, !later);
}

uint64_t hsc_rt_measure_tend(uint64_t now) {
    if (hsc_rt.start_at_ns && now >= hsc_rt.start_at_ns)
        hsc_rt_measure(true, HSC_measuring_reason_DELAY, NULL);
    else if (hsc_rt.stop_at_ns && now >= hsc_rt.stop_at_ns)
        hsc_rt_measure(false, HSC_measuring_reason_DURATION, NULL);
    return hsc_rt.start_at_ns ? hsc_rt.start_at_ns : hsc_rt.stop_at_ns;
}
