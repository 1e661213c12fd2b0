/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The signal handler: one sample. Nothing here allocates but the tree's own pages, locks, or waits. */
#include <errno.h>

#include <ucontext.h>

#include "here.h"
#include "state.h"
#include "ompt.h"

#define RARE_TICKS 25u
#define FULL_TICKS 16u /* with nothing missing, before ticks become rare */
#define NEAR_TICKS 2u  /* of the kernel's: as much CPU time that no sample tells of brings ticks near */
#define PLAIN_CYCLES_MAX 20000u

hsc_rt_state hsc_rt;
hsc_rt_region hsc_rt_regions[HSC_RT_REGIONS];
__thread hsc_rt_thread *hsc_rt_self;

static inline void add(_Atomic uint64_t *counter, uint64_t n) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static void lose(hsc_rt_thread *t, uint64_t n, int reason) {
    add(&t->lost_by_reason[reason], n);
    add(&t->lost, n);
}

bool hsc_rt_thread_put(hsc_rt_thread *t, uint32_t record_id, const void *record, uint64_t now_ns) {
    if (t->has_chunk) {
        hsc_status s = hsc_rt_put_keeping(&t->chunk, record_id, record);
        if (s != HSC_E_LIMIT)
            return s == HSC_OK;
    }
    uint32_t size;
    bool final = atomic_load_explicit(&hsc_rt.file.out_of_room, memory_order_acquire); /* before: then nobody makes any more */
    uint8_t *p = hsc_rt_slot_take(t->has_chunk || t->sequence, &size);
    if (!p && t->closing)
        p = hsc_rt_slot_make(HSC_RT_SMALL_SLOT, &size);
    if (!p) {
        t->no_space = true;
        t->full = t->full || final;
        return false;
    }
    if (t->has_chunk)
        hsc_rt_slot_full(t->chunk.base);
    t->opening = p;
    t->opening_bytes = size;
    atomic_signal_fence(memory_order_seq_cst);
    hsc_chunk_begin(&t->chunk, p, size, HSC_CHUNK_DYNAMIC, t->thread_id, t->sequence++, now_ns,
                    atomic_load_explicit(&t->lost, memory_order_relaxed));
    atomic_signal_fence(memory_order_seq_cst);
    t->opening = NULL;
    t->has_chunk = true;
    t->region_told = 0;
    return hsc_rt_put_keeping(&t->chunk, record_id, record) == HSC_OK;
}

static bool put_plain(hsc_rt_thread *t, const hsc_rec_sample *r) {
    if (!t->has_chunk)
        return false;
    t->chunk.slot_bytes -= HSC_RT_KEPT;
    bool ok = hsc_chunk_put_sample(&t->chunk, r) == HSC_OK;
    t->chunk.slot_bytes += HSC_RT_KEPT;
    return ok;
}

HSC_RT_HOT static void put_sample_as(hsc_rt_thread *t, uint64_t now, uint32_t node, uint64_t state, bool truncated, uint64_t weight) {
    bool ok;
    if (weight == 1) {
        hsc_rec_sample r = {now, node, state};
        ok = put_plain(t, &r) || hsc_rt_thread_put(t, HSC_REC_sample, &r, now);
    } else {
        hsc_rec_sample_weighted r = {now, node, state, weight, 0};
        ok = hsc_rt_thread_put(t, HSC_REC_sample_weighted, &r, now);
    }
    if (!ok) {
        lose(t, weight, HSC_loss_reason_NO_SPACE);
        return;
    }
    add(&t->samples, weight);
    add(&t->records, 1);
    if (truncated)
        add(&t->truncated, weight);
}

/* What a wrapper has set; else what the OpenMP runtime says of the thread, but for work, of which the call path tells more. */
static uint64_t state_now(const hsc_rt_thread *t) {
    uint64_t state = atomic_load_explicit(&t->state, memory_order_relaxed), wait;
    if (state != HSC_state_UNKNOWN || !t->omp || !hsc_rt.omp_state)
        return state;
    int omp = hsc_rt.omp_state(&wait);
    if (omp >= OMPT_WAITS_FROM && omp <= OMPT_BARRIERS_TO && hsc_rt_omp_alone(t, HSC_wait_kind_OMP_BARRIER))
        return HSC_state_RUNTIME;
    return omp == OMPT_OVERHEAD                                                       ? HSC_state_RUNTIME
           : (omp >= OMPT_WAITS_FROM && omp <= OMPT_WAITS_TO) || omp == OMPT_IDLE ? HSC_state_WAITING
                                                                                      : HSC_state_UNKNOWN;
}

void hsc_rt_tell_region(hsc_rt_thread *t, uint64_t region, uint64_t now) {
    if (!region && !t->region_told)
        return;
    hsc_rt_region *r = &hsc_rt_regions[region & (HSC_RT_REGIONS - 1)];
    if (region && atomic_load_explicit(&r->id, memory_order_relaxed) == region)
        atomic_store_explicit(&r->met, 1, memory_order_relaxed);
    hsc_rec_region_work w = {region};
    if (region != t->region_told && hsc_rt_thread_put(t, HSC_REC_region_work, &w, now))
        t->region_told = region;
}

/* In the code of a probe, or in what it now and then calls. */
static bool in_probe(const hsc_rt_thread *t, const void *context) {
    const char *pc = (const char *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    return t->scopes && ((pc >= hsc_rt_probe_code && pc < hsc_rt_probe_code_end) || atomic_load_explicit(&t->scopes->inside, memory_order_relaxed));
}

/* region: the one that the node was met in, which need not be the one of now. */
HSC_RT_HOT static void put_sample(hsc_rt_thread *t, uint64_t now, uint32_t node, uint64_t region, uint64_t state, bool truncated,
                                  uint64_t weight) {
    if (region || t->region_told)
        hsc_rt_tell_region(t, region, now);
    put_sample_as(t, now, node, state, truncated, weight);
}

/* A jump or an exception may have left the wrapper that set the state. */
static void check_state(hsc_rt_thread *t, const void *context) {
    uint64_t sp = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
    if ((atomic_load_explicit(&t->state, memory_order_relaxed) != HSC_state_UNKNOWN || t->open.kind) && hsc_rt_state_is_left(t, sp)) {
        hsc_rt_state_set(t, HSC_state_UNKNOWN);
        hsc_rt_wait_over(t, t->last_time, 0, 0, 0);
    }
}

/* in_kernel: it is a place where a page fault took the thread's time. */
HSC_RT_HOT static void record(hsc_rt_thread *t, void *context, uint64_t weight, bool in_kernel) {
    bool truncated = false;
    check_state(t, context);
    t->no_space = false;
    uint32_t node = hsc_rt_walk(t, context, t->last_time, &truncated);
    if (!node) {
        lose(t, weight, t->no_space ? HSC_loss_reason_NO_SPACE : HSC_loss_reason_NO_MEMORY);
        return;
    }
    bool probe = in_probe(t, context);
    if (t->scopes)
        hsc_rt_probes_sample(t->scopes, (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP], probe, weight); /* NOLINT */
    uint64_t region = hsc_rt_region_in(t, t->in_task.origin);
    put_sample(t, t->last_time, node, region, probe ? HSC_state_RUNTIME : state_now(t), truncated, weight);
    t->last_node = node;
    t->last_region = region;
    bool after_call = hsc_rt_after_system_call(context);
    if (in_kernel || after_call) {
        t->system_call = node;
        t->system_call_faulted = !after_call;
        t->system_call_region = region;
        t->system_call_truncated = truncated;
        t->system_call_at = atomic_load_explicit(&t->samples, memory_order_relaxed) + atomic_load_explicit(&t->lost, memory_order_relaxed);
    }
}

static void put_call(hsc_rt_thread *t, const hsc_rt_call *call, uint64_t periods) {
    uint32_t node = hsc_rt_walk_called(t, call->node, call->called, t->last_time);
    put_sample(t, t->last_time, node ? node : call->node, call->region, call->state, false, periods);
}

static void record_credit(hsc_rt_thread *t, const hsc_rt_credit *c) {
    if (c->calls)
        hsc_rt_credit_deal(t, c->calls, put_call);
    if (c->system_call)
        put_sample(t, t->last_time, t->system_call, t->system_call_region, state_now(t), t->system_call_truncated, c->system_call);
    if (c->blocked)
        lose(t, c->blocked, HSC_loss_reason_BLOCKED);
    if (c->unplaced || c->found)
        lose(t, c->unplaced - c->found, HSC_loss_reason_UNPLACED); /* modulo 2^64: found are of what was lost before */
    t->settled_time = t->last_time;
    hsc_rt_credit_noted(t);
}

/* Nothing is told of the thread any more but how much. */
static void lose_rest(hsc_rt_thread *t, uint64_t n) {
    if (n)
        lose(t, n, HSC_loss_reason_NO_SPACE);
    hsc_rt_credit_noted(t);
}

void hsc_rt_sample_end(hsc_rt_thread *t, uint64_t cpu) {
    uint64_t deferred = atomic_exchange_explicit(&t->deferred, 0, memory_order_relaxed);
    if (deferred)
        lose(t, deferred, HSC_loss_reason_REENTRY);
    if (t->dry) {
        lose_rest(t, hsc_rt_credit_all(t, cpu));
        return;
    }
    hsc_rt_credit c = hsc_rt_credit_end(t, cpu);
    record_credit(t, &c);
}

/* Of an event other than CPU time. */
static void sample_event(hsc_rt_thread *t, uint32_t event, uint64_t n, void *context) {
    uint64_t now = hsc_rt_now_ns();
    bool truncated;
    t->last_time = now > t->last_time ? now : t->last_time;
    check_state(t, context);
    uint32_t node = hsc_rt_walk(t, context, t->last_time, &truncated);
    hsc_rec_sample_weighted r = {t->last_time, node, atomic_load_explicit(&t->state, memory_order_relaxed), n * t->periods, event};
    hsc_rt_tell_region(t, hsc_rt_region_in(t, t->in_task.origin), t->last_time);
    add(node && hsc_rt_thread_put(t, HSC_REC_sample_weighted, &r, t->last_time) ? &t->counter[event].samples
                                                                                : &t->counter[event].lost, n * t->periods);
}

/* Ticks find CPU time that perf did not see. While there is none they are rare: a tick costs as much as a sample. */
static void set_ticks(hsc_rt_thread *t, bool timer, const hsc_rt_credit *c) {
    if (timer) {
        bool full = !c->here && !c->calls && !c->system_call && !c->blocked && !c->unplaced && t->carry_ns <= (int64_t)t->tick_ns;
        t->full_ticks = full ? t->full_ticks + 1 : 0;
        if (t->carry_ns > (int64_t)(NEAR_TICKS * HSC_RT_TICK_NS))
            hsc_rt_source_pace(t, HSC_RT_PACE_NEAR);
        else if (t->full_ticks >= FULL_TICKS)
            hsc_rt_source_pace(t, HSC_RT_PACE_SLOW);
        else if (t->pace == HSC_RT_PACE_NEAR && t->carry_ns < (int64_t)hsc_rt.period_ns)
            hsc_rt_source_pace(t, HSC_RT_PACE_EVEN);
    } else if (t->pace == HSC_RT_PACE_SLOW && t->last_time - t->checked_time >= t->tick_ns) {
        t->checked_time = t->last_time;
        if (hsc_rt_credit_missing(t, hsc_rt_own_look(t, &hsc_rt)) > (int64_t)t->tick_ns) {
            t->full_ticks = 0;
            hsc_rt_source_pace(t, HSC_RT_PACE_EVEN);
        }
    }
}

/* What others than samples have to tell. */
static void tell_due(hsc_rt_thread *t, const void *context) {
    if (hsc_rt_waits_due(t, t->last_time))
        hsc_rt_waits_tell(t, t->last_time);
    if (hsc_rt_probes_due(t) && !in_probe(t, context)) /* else the helper will remind it */
        hsc_rt_probes_tell(t, t->last_time);
    if (t->messages && t->last_time >= t->messages_due)
        hsc_rt.messages_flush(t, t->last_time, HSC_RT_FLUSH_DUE);
}

/* n: samples of perf that have come at once. */
HSC_RT_HOT static void sample(hsc_rt_thread *t, bool timer, uint64_t n, void *context) {
    uint64_t now = hsc_rt_now_ns(), weight = timer ? 1 : n * t->periods;
    hsc_rt_credit c = {0};
    t->last_time = now > t->last_time ? now : t->last_time;
    /* where ticks are rare, samples of perf have to do for them */
    bool settles = timer || t->last_time - t->settled_time > RARE_TICKS * t->tick_ns;
    if (timer && t->mechanism == HSC_RT_MONOTONIC) {
        uint64_t cpu = hsc_rt_own_look(t, &hsc_rt), passed = cpu - t->cpu_seen_ns;
        hsc_rt_source_on_time(t);
        if ((weight = hsc_rt_credit_timer(t, cpu)) != 0)
            record(t, context, weight, false);
        hsc_rt_govern(t);
        hsc_rt_govern_turn(t, hsc_rt.interrupt_ns, passed);
        return;
    }
    if (timer) {
        c = hsc_rt_credit_tick(t, context, hsc_rt_own_look(t, &hsc_rt));
        weight = c.here;
    }
    weight += atomic_exchange_explicit(&t->deferred, 0, memory_order_relaxed);
    if (weight)
        record(t, context, weight, c.here && hsc_rt_is_perf(t->mechanism));
    if (settles && !timer)
        c = hsc_rt_credit_sample(t, hsc_rt_own_look(t, &hsc_rt));
    if (settles)
        record_credit(t, &c);
    tell_due(t, context);
    if (hsc_rt_is_perf(t->mechanism))
        set_ticks(t, timer, &c);
    if (!timer || !hsc_rt_is_perf(t->mechanism) || !t->governor.looks)
        hsc_rt_govern(t); /* perf's next sample is a whole period away now; who switches all the time has few of these, and is looked at early */
    if (!timer) /* perf takes no samples in the kernel, so the interrupt and the return cannot follow each other without end */
        hsc_rt_govern_turn(t, 0, 0);
}

/* Measuring was switched off, or on again: CPU time between is none of the measurement's. */
static void fall_asleep(hsc_rt_thread *t, uint64_t cpu, bool own) {
    if (!hsc_rt_source_sleep(t))
        return;
    hsc_rt_sample_end(t, cpu);
    t->asleep_cpu_ns = cpu;
    t->whole = false;
    if (hsc_rt_usage_read(t->tid, own, &t->usage_asleep))
        hsc_rt_switches_note(t, (hsc_rt_switch_counts){t->usage_asleep.voluntary, t->usage_asleep.involuntary, cpu});
}

static bool take_as_helper(hsc_rt_thread *t) {
    uint32_t free_word = 0;
    return atomic_compare_exchange_strong_explicit(&t->busy, &free_word, HSC_RT_BUSY_HELPER, memory_order_acquire, memory_order_relaxed);
}

bool hsc_rt_untrap(hsc_rt_thread *t, bool own, uint32_t why) {
    if (!take_as_helper(t))
        return false;
    if (t->mechanism == HSC_RT_PERF_TRAP) {
        hsc_rt_source_untrap(t, own ? 0 : t->tid);
        hsc_rt_source_tell(t, why, hsc_rt_thread_cpu_ns(t->tid), own);
    }
    atomic_store_explicit(&t->busy, 0, memory_order_release);
    return true;
}

bool hsc_rt_lull(hsc_rt_thread *t) {
    if (!take_as_helper(t))
        return false;
    uint64_t cpu = hsc_rt_thread_cpu_ns(t->tid);
    if (cpu)
        fall_asleep(t, cpu, false);
    atomic_store_explicit(&t->busy, 0, memory_order_release);
    return true;
}

static void wake_up(hsc_rt_thread *t) {
    uint64_t cpu = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK), now = hsc_rt_now_ns();
    t->last_time = t->settled_time = t->checked_time = now > t->last_time ? now : t->last_time;
    t->cpu_start_ns += cpu - t->asleep_cpu_ns;
    t->whole = false;
    hsc_rt_usage slept, before = t->usage_asleep;
    if (hsc_rt_usage_read(t->tid, true, &slept)) { /* none of what passed is the measurement's */
        hsc_rt_usage_less(&before, &t->usage_start);
        hsc_rt_usage_less(&slept, &before);
        t->usage_start = slept;
    }
    hsc_rt_credit_begin(t, cpu);
    hsc_rt_credit_noted(t);
    t->switches_seen = hsc_rt_switches_now();
    hsc_rt_source_wake(t);
    hsc_rt_govern_begin(t);
}

static bool take(hsc_rt_thread *t) {
    uint32_t free_word = 0;
    return atomic_compare_exchange_strong_explicit(&t->busy, &free_word, HSC_RT_BUSY, memory_order_acquire,
                                                   memory_order_relaxed);
}

#define SIGNAL_FRAME_BYTES 1000u /* at least between an interrupted stack pointer and the handler's frames */

/* Has the code that took the writer been left by a jump, seen from a stack pointer of the same thread? */
static bool was_left(const hsc_rt_thread *t, uint64_t sp) {
    uint64_t frame = atomic_load_explicit(&t->owner_frame, memory_order_relaxed);
    if (frame < t->stack_low || frame >= t->stack_high - 16 || sp < t->stack_low || sp >= t->stack_high)
        return false;
    return sp > frame + 8 ||
           *(const volatile uint64_t *)(frame + 8) != atomic_load_explicit(&t->owner_return, memory_order_relaxed); /* NOLINT */
}

void hsc_rt_reclaim(hsc_rt_thread *t) {
    if (t->opening) /* its header may be half written */
        hsc_rt_slot_spare(t->opening, t->opening_bytes);
    t->opening = NULL;
    t->has_chunk = false; /* what is committed in it will be read, as after a kill */
    t->frames = 0;
    t->window_address = 0;
    __builtin_memset(t->cache, 0, sizeof t->cache);
    __builtin_memset(t->sites, 0, sizeof t->sites);
    __builtin_memset(t->brief, 0, sizeof t->brief);
    t->briefs.used = 0;
    hsc_rt_tree_forget(&t->tree);
    t->waits = (hsc_rt_waits){.all_ns = t->waits.all_ns}; /* waits of the last 100 ms; its memory may be half given back */
    t->last_node = t->system_call = 0;
    t->calls.kept = 0;
}

static void note_owner(hsc_rt_thread *t, const uint64_t *frame) {
    atomic_store_explicit(&t->owner_return, frame ? frame[1] : 0, memory_order_relaxed);
    atomic_signal_fence(memory_order_release);
    atomic_store_explicit(&t->owner_frame, frame ? (uint64_t)frame : UINT64_MAX, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

bool hsc_rt_own_in(hsc_rt_thread *t, const uint64_t *frame) {
    if (atomic_load_explicit(&t->busy, memory_order_relaxed) != HSC_RT_BUSY)
        note_owner(t, frame); /* before it is so, too: there is no moment in which a jump would be for good */
    while (!take(t)) {
        if (atomic_load_explicit(&t->busy, memory_order_relaxed) == HSC_RT_BUSY) {
            if (!frame || !was_left(t, (uint64_t)frame + SIGNAL_FRAME_BYTES))
                return false;
            note_owner(t, frame); /* before: a jump that leaves the next line leaves it to whoever comes then */
            hsc_rt_reclaim(t);
            break;
        }
        hsc_relax(); /* the helper, for a moment */
    }
    if (atomic_load_explicit(&hsc_rt.on, memory_order_acquire)) {
        note_owner(t, frame);
        return true;
    }
    atomic_store_explicit(&t->busy, 0, memory_order_release); /* the file was closed meanwhile */
    return false;
}

bool hsc_rt_own_untold(hsc_rt_thread *t) {
    return hsc_rt_own_in(t, NULL);
}

void hsc_rt_disown(hsc_rt_thread *t, uint32_t node) {
    do {
        uint64_t n = node && atomic_load_explicit(&t->deferred, memory_order_relaxed) ? atomic_exchange_explicit(&t->deferred, 0, memory_order_relaxed) : 0;
        if (n)
            put_sample_as(t, hsc_rt_thread_now(t), node, HSC_state_RUNTIME, false, n);
        /* the owner stays noted: between two stores a jump would leave a writer that is nobody's */
        atomic_store_explicit(&t->busy, 0, memory_order_release);
    } while (node && atomic_load_explicit(&t->deferred, memory_order_relaxed) && take(t));
}

static void note_own(hsc_rt_thread *t, uint64_t begin) {
    uint64_t c = hsc_rt_own_since(t, &hsc_rt, begin);
    t->own_buckets[hsc_rt_own_bucket(c)]++;
    add(&t->own_cycles, c);
    t->handler_cycles += c;
    t->turn_cycles = c;
    t->plain_cycles += c < PLAIN_CYCLES_MAX ? c : PLAIN_CYCLES_MAX;
}

/* The program has taken it by a system call that no library sees. */
static bool trap_is_theirs(void) {
    uint64_t now[4]; /* the kernel's struct sigaction: handler, flags, return, mask */
    return !hsc_sys4(SYS_rt_sigaction, SIGTRAP, 0, (long)now, 8) && now[0] != (uint64_t)hsc_rt_handler;
}

/* SIGTRAP is the program's own now, or it blocks it by a call that we don't see: then our samples wait, and many are one. */
HSC_RT_HOT static void check_trap(hsc_rt_thread *t, bool timer, const void *context) {
    uint32_t why = atomic_load_explicit(&hsc_rt.trap_off, memory_order_relaxed);
    if (!why && timer && trap_is_theirs())
        atomic_store_explicit(&hsc_rt.trap_off, why = HSC_source_reason_SIGTRAP_TAKEN, memory_order_relaxed);
    if (!why && timer && (((const ucontext_t *)context)->uc_sigmask.__val[0] >> (SIGTRAP - 1) & 1))
        why = HSC_source_reason_SIGTRAP_BLOCKED;
    if (!why)
        return;
    hsc_rt_source_untrap(t, 0);
    hsc_rt_source_tell(t, why, hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK), true);
}

/* The file has no room for the thread's samples: they would cost what they cost, for nothing. */
static void without_room(hsc_rt_thread *t, bool timer, const void *context) {
    uint64_t now = hsc_rt_now_ns(), cpu = hsc_rt_own_look(t, &hsc_rt);
    t->last_time = now > t->last_time ? now : t->last_time;
    for (uint32_t i = 1; i < hsc_rt.n_events; i++)
        add(&t->counter[i].lost, hsc_rt_counter_taken(&t->counter[i]) * t->periods);
    if (!t->dry)
        hsc_rt_source_dry(t);
    else if (timer)
        hsc_rt_source_on_time(t);
    lose_rest(t, timer && t->mechanism == HSC_RT_MONOTONIC ? hsc_rt_credit_timer(t, cpu) : hsc_rt_credit_all(t, cpu));
    tell_due(t, context);
}

HSC_RT_HOT static void in_thread(hsc_rt_thread *t, bool timer, void *context) {
    if (!atomic_load_explicit(&hsc_rt.on, memory_order_acquire))
        return;
    bool wanted = hsc_rt_wanted();
    if (!wanted && !t->asleep) {
        fall_asleep(t, hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK), true);
        return;
    }
    if (wanted && t->asleep) {
        wake_up(t);
        return;
    }
    if (!wanted || t->asleep)
        return;
    if (t->mechanism == HSC_RT_PERF_TRAP)
        check_trap(t, timer, context);
    if (t->full) {
        without_room(t, timer, context);
        return;
    }
    if (hsc_rt.n_events == 1) {
        if (timer || !t->first_ns || hsc_rt_source_first(t))
            sample(t, timer, 1, context);
        return;
    }
    uint64_t first = hsc_rt_counter_taken(&t->counter[0]), others = 0;
    for (uint32_t i = 1; i < hsc_rt.n_events; i++) {
        uint64_t n = hsc_rt_counter_taken(&t->counter[i]);
        others += n;
        if (n)
            sample_event(t, i, n, context);
    }
    if (!first && !timer && !others && t->counter[0].fd >= 0)
        first = 1; /* it has no page, and it was none of the others */
    if (first && t->first_ns)
        first = hsc_rt_source_first(t);
    if (first)
        sample(t, false, first, context);
    if (timer)
        sample(t, true, 0, context);
}

/* The writer is taken: for good, by code that a jump has left? Then it is the handler's now. */
static bool is_left_to_us(hsc_rt_thread *t, const void *context) {
    if (atomic_load_explicit(&t->busy, memory_order_relaxed) != HSC_RT_BUSY ||
        !was_left(t, (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP]))
        return false;
    hsc_rt_reclaim(t);
    return true;
}

HSC_RT_HOT void hsc_rt_handler(int signal, siginfo_t *info, void *context) {
    uint64_t start = hsc_cycles();
    int saved_errno = errno;
    hsc_rt_thread *t = hsc_rt_self;
    bool timer = info->si_code == SI_TIMER && info->si_value.sival_ptr == &hsc_rt;
    bool perf = signal == SIGTRAP && hsc_rt.mechanism == HSC_RT_PERF_TRAP
                    ? hsc_rt_is_our_trap(info)
                    : info->si_code >= POLL_IN && info->si_code <= POLL_HUP && (hsc_rt_is_perf(hsc_rt.mechanism) || hsc_rt.n_events > 1);
    if (!timer && !perf) {
        hsc_rt_signal_chain(signal, info, context); /* somebody else's */
        errno = saved_errno;
        return;
    }
    if (t) { /* all that will be needed, while the first of it is on its way: after a period nothing is in a cache */
        __builtin_prefetch(&t->chunk);
        __builtin_prefetch(&t->tick_timer);
        __builtin_prefetch(&t->last_node);
        __builtin_prefetch(&t->governor);
        __builtin_prefetch(&t->stack_low);
        __builtin_prefetch(&t->tree);
        __builtin_prefetch(&t->fresh[0], 1);
        __builtin_prefetch(&t->fresh[1], 1);
        __builtin_prefetch(t->chunk.base + HSC_CHUNK_HEADER_BYTES + t->chunk.used_bytes, 1);
        for (uint32_t i = t->frames, n = 0; i > 0 && n < 6; i--, n++)
            __builtin_prefetch(&t->stack[i - 1]);
        uint64_t pc = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
        __builtin_prefetch(&t->cache[(pc ^ pc >> 10) & (HSC_RT_RULE_CACHE - 1)]);
    }
    if (!t)
        atomic_fetch_add_explicit(&hsc_rt.unregistered, 1, memory_order_relaxed);
    else if (!take(t) && !is_left_to_us(t, context)) {
        if (timer)
            hsc_rt_source_put_off(t);
        if (perf && hsc_rt.n_events == 1) /* several events: they are counted next time */
            atomic_fetch_add_explicit(&t->deferred, t->periods, memory_order_relaxed);
    } else {
        in_thread(t, timer, context);
        add(&t->beats, 1);
        note_own(t, start);
        atomic_store_explicit(&t->busy, 0, memory_order_release);
    }
    errno = saved_errno;
}
