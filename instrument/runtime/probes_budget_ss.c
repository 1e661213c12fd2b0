/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Automatic probes were chosen by the look of the code; here they are kept to their share of the CPU time while the program runs. Threads tell of each
 * probe how often it was visited, what CPU time they had meanwhile, and what all their visits took: noting them, by what that was measured to take at the
 * start, and making visits and records of the notes, as measured each time, which is several times as dear where other blocks are entered all the time.
 * The helper looks at the sums whenever a thread finds its own too dear, and at each beat. */
#include "probes.h"

#define SAVED_NS 250000000.0     /* of CPU time: what is not used of its share may be used later, that of more is lost */
#define WINDOW_NS 50000000ull    /* of CPU time: who is dear is told by what was since its begin */
#define AT_ONCE_MAX 256u
#define ROOMS_LEAST 8u

static double share_of_all(void) {
    return __atomic_load_n(&hsc_rt_probe_state.share, __ATOMIC_RELAXED) / 10000.0;
}

static double ns_of(double cycles) {
    return cycles * (double)atomic_load_explicit(&hsc_rt.ns_per_cycle_q32, memory_order_relaxed) / 4294967296.0;
}

/* A look each time that half of what the share gives in HSC_RT_PROBES_TELL_NS has been used. */
static uint32_t usual_rooms(double visit_ns) {
    double rooms = share_of_all() * (double)HSC_RT_PROBES_TELL_NS / 2 / (visit_ns * HSC_RT_MARKS / 2 + 1);
    return rooms > ROOMS_LEAST ? (uint32_t)rooms : ROOMS_LEAST;
}

void hsc_rt_probes_tell_budget(const hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t visits_of_all, uint64_t cycles) {
    hsc_rt_probes *all = &hsc_rt_probe_state;
    s->visit_ns = ns_of(visits_of_all ? (double)cycles / (double)visits_of_all : all->pair_cycles);
    uint32_t usual = share_of_all() > 0 ? usual_rooms(s->visit_ns) : UINT32_MAX;
    bool in_vain = s->rooms >= s->rooms_limit; /* unless it turns out to be too dear: other probes are what there is so much of */
    uint64_t visits = s->automatic;
    s->automatic = 0;
    s->rooms_limit = usual;
    if (share_of_all() <= 0)
        return;
    uint64_t cpu = hsc_rt_thread_cpu_ns(t->tid), fresh = cpu > s->cpu_ns ? cpu - s->cpu_ns : 0;
    double took_ns = (double)visits * s->visit_ns;
    s->cpu_ns += fresh;
    atomic_fetch_add_explicit(&all->automatic_cpu_ns, fresh, memory_order_relaxed);
    atomic_fetch_add_explicit(&all->automatic_visits, visits, memory_order_relaxed);
    atomic_fetch_add_explicit(&all->automatic_ns, (uint64_t)took_ns, memory_order_relaxed);
    if (took_ns > share_of_all() * (double)fresh)
        hsc_rt_helper_poke();
    else if (in_vain)
        s->rooms_limit = s->rooms < UINT32_MAX / 2 ? 2 * s->rooms : UINT32_MAX;
}

void hsc_rt_probes_count(uint32_t number, uint64_t visits, hsc_rt_scopes *s) {
    if (number > atomic_load(&hsc_rt_probe_state.count))
        return;
    hsc_rt_probe *p = &hsc_rt_probe_state.all[number - 1];
    if (!p->share)
        return;
    atomic_fetch_add_explicit(&p->visits, visits, memory_order_relaxed);
    s->automatic += visits;
}

/* ---- the helper; both locks are held ---------------------------------------------------------------------------------- */

static bool may_go(const hsc_rt_probe *p) {
    return p->share && p->table && atomic_load(&p->armed) && p->kind != HSC_probe_kind_VALUE;
}

static uint64_t recent(const hsc_rt_probe *p) {
    return atomic_load_explicit(&p->visits, memory_order_relaxed) - p->visits_before;
}

static void begin_window(hsc_rt_probes *s, uint64_t cpu) {
    for (uint32_t i = 0; i < atomic_load(&s->count); i++)
        s->all[i].visits_before = atomic_load_explicit(&s->all[i].visits, memory_order_relaxed);
    s->window_cpu_ns = cpu;
    s->window_visits = atomic_load(&s->automatic_visits);
    s->window_ns = atomic_load(&s->automatic_ns);
}

/* What a visit takes, by the window. */
static double visit_ns(const hsc_rt_probes *s) {
    uint64_t visits = atomic_load(&s->automatic_visits) - s->window_visits, ns = atomic_load(&s->automatic_ns) - s->window_ns;
    return visits && ns ? (double)ns / (double)visits : ns_of(s->pair_cycles);
}

/* The dearest ones, until what is left took half of the share, which pays the rest back. */
static uint32_t disarm_dearest(hsc_rt_probes *s, uint64_t allowed, uint64_t now_ns) {
    uint64_t left = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < atomic_load(&s->count); i++)
        left += may_go(&s->all[i]) ? recent(&s->all[i]) : 0;
    for (; left > allowed && n < AT_ONCE_MAX; n++) {
        hsc_rt_probe *dearest = NULL;
        for (uint32_t i = 0; i < atomic_load(&s->count); i++)
            if (may_go(&s->all[i]) && (!dearest || recent(&s->all[i]) > recent(dearest)))
                dearest = &s->all[i];
        if (!dearest || !recent(dearest))
            break;
        left -= recent(dearest) < left ? recent(dearest) : left; /* they still grow */
        dearest->dropped = true;
        hsc_rt_probe_arm((uint32_t)(dearest - s->all) + 1, false, HSC_probe_arming_BUDGET, now_ns);
    }
    return n;
}

static void keep(hsc_rt_probes *s, uint64_t now_ns) {
    uint64_t ns = atomic_load(&s->automatic_ns), cpu = atomic_load(&s->automatic_cpu_ns), window = cpu - s->window_cpu_ns;
    double share = share_of_all();
    s->owed_ns += (double)(ns - s->seen_ns) - (double)(cpu - s->seen_cpu_ns) * share;
    if (s->owed_ns < -SAVED_NS * share)
        s->owed_ns = -SAVED_NS * share;
    s->seen_ns = ns;
    s->seen_cpu_ns = cpu;
    uint32_t n = s->owed_ns > 0 ? disarm_dearest(s, (uint64_t)((double)window * share / 2 / visit_ns(s)), now_ns) : 0;
    if (n || window >= WINDOW_NS)
        begin_window(s, cpu);
    if (n)
        hsc_rt_probes_arming_changed();
}

void hsc_rt_probes_keep_budget(uint64_t now_ns) {
    hsc_rt_probes *s = &hsc_rt_probe_state;
    uint64_t mask, mask_rt;
    if (share_of_all() <= 0 || s->pair_cycles <= 0 || atomic_load(&s->automatic_cpu_ns) == s->seen_cpu_ns ||
        !hsc_rt_lock_take(&s->lock, &mask, HSC_RT_PATIENCE_MS))
        return;
    if (hsc_rt_lock_take(&hsc_rt.lock, &mask_rt, HSC_RT_PATIENCE_MS)) {
        if (!atomic_load(&hsc_rt.finished))
            keep(s, now_ns);
        hsc_rt_lock_release(&hsc_rt.lock, mask_rt);
    }
    hsc_rt_lock_release(&s->lock, mask);
}

void hsc_rt_probes_budget_begin(void) {
    hsc_rt_probes *s = &hsc_rt_probe_state;
    for (uint32_t i = 0; i < atomic_load(&s->count); i++) {
        atomic_store(&s->all[i].visits, 0);
        s->all[i].visits_before = 0;
    }
    atomic_store(&s->automatic_visits, 0);
    atomic_store(&s->automatic_ns, 0);
    atomic_store(&s->automatic_cpu_ns, 0);
    s->seen_ns = s->seen_cpu_ns = s->window_visits = s->window_ns = s->window_cpu_ns = 0;
    s->owed_ns = 0;
}
