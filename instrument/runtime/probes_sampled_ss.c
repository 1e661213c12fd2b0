/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which scopes of probes the samples meet, and whether in the program's code or in that of a note. What a note costs between the program's own
 * instructions can't be known beforehand, since a processor does both at once: 11 ns alone may be 7 behind a call of pow. Samples have it. */
#include "probes.h"

#define SAMPLED_FIRST 64u

static bool is_exit(const char *pc) { return pc >= (const char *)&hsc_rt_probe_leave && pc < hsc_rt_probe_leave_end; }

/* The probe whose scope is the innermost one by what is noted so far, 0: none. A note that is interrupted has no time yet: one of an exit has read the clock, one of
 * an entry has not, so neither is in the scope. */
static uint32_t innermost(const hsc_rt_scopes *s, const char *pc) {
    hsc_rt_mark *first = s->folded, *end = (hsc_rt_mark *)s->marks + HSC_RT_MARKS;
    hsc_rt_mark *m = atomic_load_explicit(&s->noting->next, memory_order_relaxed);
    const hsc_rt_scope *q = s->top;
    uint32_t ended = 0;
    for (m = m < end ? m : end; m > first;) {
        bool noted = atomic_load_explicit(--m, memory_order_relaxed) != 0;
        uint64_t what = noted ? *hsc_rt_mark_what(m) : is_exit(pc) ? HSC_RT_MARK_LEAVE | 1 : 0;
        if (!(what & (HSC_RT_MARK_LEAVE - 1)))
            continue;
        if (!(what & HSC_RT_MARK_LEAVE) && !ended) {
            if (!hsc_rt_probe_is_armed(what & (HSC_RT_MARK_LEAVE - 1)))
                continue; /* is over since then, as of those below */
            return what & (HSC_RT_MARK_LEAVE - 1);
        }
        ended = what & HSC_RT_MARK_LEAVE ? ended + 1 : ended - 1;
    }
    while (ended-- && q > s->base)
        q--;
    while (q > s->base && hsc_rt_scope_is_over(q))
        q--;
    return q > s->base ? (uint32_t)q->number : 0;
}

static bool grow(hsc_rt_scopes *s, uint32_t number) {
    uint32_t n = s->sampled_capacity ? s->sampled_capacity : SAMPLED_FIRST;
    while (n <= number)
        n *= 2;
    hsc_rt_sampled *more = hsc_rt_remap(s->sampled, s->sampled_capacity * sizeof *more, n * sizeof *more);
    if (!more)
        return false;
    s->sampled = more;
    s->sampled_capacity = n;
    return true;
}

void hsc_rt_probes_sample(hsc_rt_scopes *s, const void *at, bool in_probe, uint64_t weight) {
    const char *pc = at;
    bool notes = in_probe && pc >= hsc_rt_probe_code && pc < hsc_rt_probe_code_end && !atomic_load_explicit(&s->inside, memory_order_relaxed);
    s->sampled_all += weight;
    s->sampled_squares += weight * weight;
    if (in_probe && !notes) /* visits are made of notes: that is measured */
        return;
    uint32_t number = innermost(s, pc);
    if (number >= s->sampled_capacity && !grow(s, number))
        return;
    hsc_rt_sampled *of = &s->sampled[number];
    if (!of->is_fresh) {
        of->is_fresh = true;
        of->next_fresh = s->sampled_fresh;
        s->sampled_fresh = number + 1;
    }
    if (!notes) {
        of->program += weight;
        of->program_squares += weight * weight;
        return;
    }
    of->notes += weight;
    of->notes_squares += weight * weight;
    s->notes += weight;
    s->notes_squares += weight * weight;
}

bool hsc_rt_probes_tell_samples(hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t now_ns) {
    while (s->sampled_fresh) {
        uint32_t number = s->sampled_fresh - 1;
        hsc_rt_sampled *of = &s->sampled[number];
        hsc_rec_probe_samples r = {now_ns, number, of->program, of->program_squares, of->notes, of->notes_squares};
        if (!hsc_rt_thread_put(t, HSC_REC_probe_samples, &r, now_ns))
            return false;
        s->sampled_fresh = of->next_fresh;
        of->is_fresh = false;
    }
    return true;
}

uint64_t hsc_rt_probes_notes_cycles(const hsc_rt_scopes *s) {
    double alone = (double)s->visits * hsc_rt_probe_state.note_cycles, rate = (double)s->ns_per_cycle_q32 / 4294967296.0, all = (double)s->sampled_all;
    if (!s->sampled_all || rate <= 0)
        return (uint64_t)alone;
    double unit = (double)hsc_rt.period_ns / rate;
    hsc_probe_cost_in_run c = hsc_probe_weigh(alone, (double)s->notes * unit, (double)s->notes_squares * unit * unit, (double)s->sampled_squares / all * unit);
    return (uint64_t)c.cost;
}
