/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probes are armed and disarmed: at the start, by the program, or by the helper, which somebody outside has told to. */
#include "probes.h"

void hsc_rt_probe_tell_armed(uint32_t number, bool armed, uint64_t now) {
    hsc_rec_probe_armed r = {now, number, armed};
    hsc_rt_file_put(HSC_REC_probe_armed, &r, now);
}

bool hsc_rt_probe_arm(uint32_t number, bool on, uint64_t now) {
    hsc_rt_probe *p = &hsc_rt_probe_state.all[number - 1];
    if (!p->table || atomic_load(&p->armed) == on)
        return false;
    atomic_store(&p->changed, hsc_cycles());
    atomic_store(&p->armed, on);
    __atomic_store_n(&p->table->word[p->index], on ? number : 0, __ATOMIC_RELEASE);
    if (p->kind != HSC_probe_kind_VALUE)
        hsc_rt_probe_tell_armed(number, on, now);
    return true;
}

bool hsc_rt_probe_is_listed(const hsc_rt_probe *p, const char *list, size_t n) {
    for (size_t at = 0; at < n;) {
        size_t k = 0;
        while (at + k < n && list[at + k] != ',')
            k++;
        if (hsc_rt_probe_selected(p, list + at, k))
            return true;
        at += k + 1;
    }
    return false;
}

uint32_t hsc_rt_probes_arm(const char *list, size_t n, bool on) {
    hsc_rt_probes *s = &hsc_rt_probe_state;
    uint64_t mask, mask_rt, now = hsc_rt_now_ns();
    uint32_t changed = 0;
    if (!hsc_rt_lock_take(&s->lock, &mask, HSC_RT_PATIENCE_MS))
        return 0;
    if (hsc_rt_lock_take(&hsc_rt.lock, &mask_rt, HSC_RT_PATIENCE_MS)) {
        for (uint32_t i = 0; i < atomic_load(&s->count); i++)
            if (s->all[i].table && hsc_rt_probe_is_listed(&s->all[i], list, n))
                changed += hsc_rt_probe_arm(i + 1, on, now);
        if (changed) {
            atomic_fetch_add(&s->generation, 1);
            for (hsc_rt_thread *t = hsc_rt.threads; t; t = t->next)
                if (t->live && t->scopes)
                    hsc_rt_probes_remind(t->scopes, UINT64_MAX);
        }
        hsc_rt_lock_release(&hsc_rt.lock, mask_rt);
    }
    hsc_rt_lock_release(&s->lock, mask);
    return changed;
}
