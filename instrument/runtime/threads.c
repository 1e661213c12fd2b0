/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads come and go: registration, the wrappers of pthread_create and thrd_create. */
#include <limits.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <threads.h>

#include "interpose.h"
#include "probes.h"
#include "rt.h"
#include "brief.h"
#include "waits.h"

#define MADE_IN_NS 200000u /* the kernel makes a thread in 20 to 100 us */
#define TAKE_TRIES 100u
#define USAGES_MAX 256u /* at the end of a process, of threads that go on: the others have told a while ago */

static pthread_key_t key;
static bool have_key;

/* What a thread begins with. Its creator and the thread itself have it; the last one gives it back. */
typedef struct hsc_rt_start {
    union {
        void *(*posix)(void *);
        int (*c11)(void *);
    } run;
    void *argument;
    uint32_t creator_id;
    bool trap_blocked;
    uint64_t stack_size;
    uint64_t called_ns;       /* when its creator asked for it */
    _Atomic uint64_t made_ns; /* when its creator went on; 0: it has not yet */
    _Atomic uint32_t users;
    struct hsc_rt_start *next;
} hsc_rt_start;

static _Atomic(hsc_rt_start *) free_starts;
static _Atomic uint32_t starts_taken_from; /* by one at a time: what it sees first stays so until it has it */

static void give_back(hsc_rt_start *s) {
    hsc_rt_start *first = atomic_load_explicit(&free_starts, memory_order_relaxed);
    do
        s->next = first;
    while (!atomic_compare_exchange_weak_explicit(&free_starts, &first, s, memory_order_release, memory_order_relaxed));
}

static void drop(hsc_rt_start *s) {
    if (s && atomic_fetch_sub_explicit(&s->users, 1, memory_order_acq_rel) == 1)
        give_back(s);
}

/* No lock, and so no call of the system, unless another thread is in it just then. */
static hsc_rt_start *new_start(void) {
    hsc_rt_start *s = NULL;
    bool busy;
    for (unsigned tries = 0; (busy = atomic_exchange_explicit(&starts_taken_from, 1, memory_order_acquire)) && tries < TAKE_TRIES; tries++)
        hsc_sys3(SYS_sched_yield, 0, 0, 0); /* it has no processor; or this is a signal's handler in it */
    if (!busy) {
        s = atomic_load_explicit(&free_starts, memory_order_acquire);
        while (s && !atomic_compare_exchange_weak_explicit(&free_starts, &s, s->next, memory_order_acquire, memory_order_acquire))
            ;
        atomic_store_explicit(&starts_taken_from, 0, memory_order_release);
    }
    if (!s && (s = hsc_rt_map(HSC_RT_PAGE)))
        for (size_t i = 1; i < HSC_RT_PAGE / sizeof *s; i++)
            give_back(&s[i]);
    if (!s)
        return NULL;
    s->called_ns = hsc_rt_now_ns();
    atomic_store_explicit(&s->made_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&s->users, 2, memory_order_relaxed);
    return s;
}

/* ---- begin and end ------------------------------------------------------------------------------------------------------ */

static hsc_rt_thread *new_thread(void) {
    if (!hsc_rt_lock_take_blocked(&hsc_rt.lock, HSC_RT_PATIENCE_MS))
        return NULL;
    hsc_rt_thread *t = hsc_rt.free_threads;
    if (t)
        hsc_rt.free_threads = t->next;
    hsc_rt_lock_release_blocked(&hsc_rt.lock);
    if (!t && !(t = hsc_rt_map(sizeof *t)))
        return NULL;
    hsc_rt_tree tree = t->tree; /* its first part is used again */
    __builtin_memset(t, 0, offsetof(hsc_rt_thread, cache));
    __builtin_memset(t->cache, 0, sizeof t->cache);
    __builtin_memset(t->sites, 0, sizeof t->sites);
    t->tree = tree;
    return t;
}

static void free_thread(hsc_rt_thread *t) {
    if (!hsc_rt_lock_take_blocked(&hsc_rt.lock, HSC_RT_PATIENCE_MS))
        return;
    t->next = hsc_rt.free_threads;
    hsc_rt.free_threads = t;
    hsc_rt_lock_release_blocked(&hsc_rt.lock);
}

/* But for ours the program's mask, which had been `before`. */
static void unblock_signals(uint64_t before) {
    uint64_t trap = 1ull << (SIGTRAP - 1);
    uint64_t ours = 1ull << (hsc_rt.signal - 1) | (hsc_rt.mechanism == HSC_RT_PERF_TRAP ? trap : 0);
    hsc_rt_signals_restore(before & ~ours);
    if (ours & before & trap)
        hsc_rt_trap_blocked = true;
}

/* Since then, by the thread's clock: its beginning, or its end. */
static uint64_t took(uint64_t since_ns) {
    uint64_t now = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    atomic_fetch_add_explicit(&hsc_rt.threads_ns, now > since_ns ? now - since_ns : 0, memory_order_relaxed);
    return now;
}

/* All signals are blocked. s: NULL where the thread was there before. */
static hsc_rt_thread *enlist(hsc_rt_start *s, uint64_t stack_low, uint64_t stack_high) {
    uint64_t cpu_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK), now = hsc_rt_now_ns(); /* in this order at the end, too */
    hsc_rt_thread *t = new_thread();
    if (!t)
        return NULL;
    if (!hsc_rt_tree_init(&t->tree)) {
        free_thread(t);
        return NULL;
    }
    atomic_store(&t->owner_frame, UINT64_MAX);
    atomic_store(&t->busy, 1);
    t->tid = (int32_t)hsc_sys3(SYS_gettid, 0, 0, 0);
    t->stack_low = stack_low;
    t->stack_high = stack_high;
    t->tick_timer = t->main_timer = -1;
    for (uint32_t i = 0; i < HSC_RT_EVENTS; i++)
        t->counter[i].fd = -1;
    t->tick_ns = hsc_rt.tick_ns;
    t->periods = 1;
    t->state = HSC_state_UNKNOWN;
    t->generation = UINT32_MAX;
    t->cpu_start_ns = t->asleep_cpu_ns = cpu_ns;
    t->start = s;
    t->begun_ns = now;
    if (s) { /* one that begins with us has nothing yet */
        t->whole = true;
        t->cpu_seen_ns = t->switches_seen.cpu_ns = cpu_ns;
    } else {
        hsc_rt_credit_begin(t, cpu_ns);
        t->switches_seen = hsc_rt_switches_now();
        hsc_rt.in_line_known = hsc_rt_usage_read(t->tid, true, &t->usage_start) && t->usage_start.run_ns;
    }
    t->last_time = t->settled_time = t->checked_time = now;
    if (!hsc_rt_lock_take_blocked(&hsc_rt.lock, HSC_RT_PATIENCE_MS)) {
        free_thread(t);
        return NULL;
    }
    t->thread_id = ++hsc_rt.next_thread_id;
    hsc_rt_lock_release_blocked(&hsc_rt.lock);
    uint32_t size, creator_id = s ? s->creator_id : 0;
    uint8_t *slot = hsc_rt_slot_make_blocked(HSC_RT_SMALL_SLOT, &size);
    if (slot) {
        hsc_chunk_begin(&t->chunk, slot, size, HSC_CHUNK_DYNAMIC, t->thread_id, t->sequence++, now, 0);
        t->has_chunk = true;
    }
    char name[32] = "";
    prctl(PR_GET_NAME, name, 0, 0, 0);
    hsc_rec_thread r = {t->thread_id, (uint64_t)t->tid, now, {name, hsc_rt_length(name)}, creator_id};
    hsc_rt_thread_put(t, HSC_REC_thread, &r, now);
    if (hsc_rt_lock_take_blocked(&hsc_rt.lock, HSC_RT_PATIENCE_MS)) {
        t->live = true;
        t->next = hsc_rt.threads;
        hsc_rt.threads = t;
        hsc_rt.live_threads++;
        hsc_rt_lock_release_blocked(&hsc_rt.lock);
    }
    return t;
}

static void thread_begin(hsc_rt_start *s, uint64_t stack_low, uint64_t stack_high) {
    uint64_t mask = hsc_rt_signals_block();
    hsc_rt_thread *t = enlist(s, stack_low, stack_high);
    if (!t) {
        hsc_rt_signals_restore(mask);
        drop(s);
        return;
    }
    hsc_rt_self = t;
    if (have_key)
        pthread_setspecific(key, t);
    unblock_signals(mask);
    if (hsc_rt_source_start(t) && t->mechanism != hsc_rt.mechanism) {
        uint32_t why = atomic_load(&hsc_rt.trap_off);
        hsc_rt_source_tell(t, why && t->mechanism == HSC_RT_PERF ? why : HSC_source_reason_NOT_TO_BE_HAD, t->cpu_start_ns, true);
    }
    if (s)
        t->first_from_ns = took(t->cpu_start_ns);
    atomic_store(&t->busy, 0);
}

void hsc_rt_thread_begin(uint64_t stack_low, uint64_t stack_high) {
    thread_begin(NULL, stack_low, stack_high);
}

/* In the thread's own slot, which has room kept for it, or else in stream 0. */
static bool put_end(hsc_rt_thread *t, bool own, uint32_t record_id, const void *record, uint64_t now) {
    return (own && t->has_chunk && hsc_chunk_put(&t->chunk, record_id, record) == HSC_OK) ||
           hsc_rt_file_put_end(record_id, record, now, false);
}

static void put_last(hsc_rt_thread *t, uint32_t id, const void *record, uint64_t now) {
    if (!(t->has_chunk && hsc_chunk_put(&t->chunk, id, record) == HSC_OK))
        hsc_rt_file_put(id, record, now);
}

/* The upper bound of the bucket that holds the n-th run of the handler, in nanoseconds. */
static uint64_t own_bound(const hsc_rt_thread *t, uint64_t n, uint64_t rate) {
    uint64_t seen = 0;
    for (uint32_t i = 0; i < HSC_RT_OWN_BUCKETS; i++)
        if ((seen += t->own_buckets[i]) > n)
            return hsc_rt_cycles_ns((uint64_t)(i % 4 + 5) << (i / 4 + 4), rate);
    return 0;
}

static void put_totals(hsc_rt_thread *t, uint64_t now, uint64_t rate) {
    for (uint32_t i = 1; i < hsc_rt.n_events; i++) {
        hsc_rec_event_total r = {.thread_id = t->thread_id, .time = now, .event_id = i, .samples = t->counter[i].samples,
                                 .lost = t->counter[i].lost};
        hsc_rt_counter_times(&t->counter[i], &r.enabled_ns, &r.running_ns);
        if (r.samples || r.lost || r.enabled_ns)
            put_last(t, HSC_REC_event_total, &r, now);
    }
    hsc_rec_handler_time h = {.thread_id = t->thread_id, .time = now, .runs = t->beats};
    h.own_ns = hsc_rt_cycles_ns(t->handler_cycles, rate);
    h.wrappers_ns = hsc_rt_cycles_ns(t->wrapper_cycles, rate);
    h.switches_ns = t->switches_ns;
    if (!h.runs && !h.wrappers_ns && !h.switches_ns)
        return;
    if (h.runs) {
        h.median_ns = own_bound(t, h.runs / 2, rate);
        h.p90_ns = own_bound(t, h.runs * 9 / 10, rate);
        h.p99_ns = own_bound(t, h.runs * 99 / 100, rate);
    }
    put_last(t, HSC_REC_handler_time, &h, now);
}

void hsc_rt_cost_add(hsc_rt_cost *to, const hsc_rt_thread *t) {
    uint64_t rate = atomic_load(&hsc_rt.ns_per_cycle_q32);
    to->cpu_ns += t->closed_cpu_ns;
    to->handler_ns += hsc_rt_cycles_ns(t->handler_cycles, rate);
    to->signals_ns += atomic_load(&t->beats) * hsc_rt.interrupt_ns;
    to->wrappers_ns += hsc_rt_cycles_ns(t->wrapper_cycles, rate);
    to->switches_ns += t->switches_ns;
    to->untold_ns += t->untold_ns;
    to->looks_ns += hsc_rt_cycles_ns(t->vain_cycles, rate);
    uint64_t own = atomic_load(&t->own_cycles), others = t->handler_cycles + t->wrapper_cycles;
    to->probes_ns += hsc_rt_cycles_ns(own > others ? own - others : 0, rate);
}

static uint32_t others; /* under rt.lock */

/* u: since it was first measured; NULL: not known but for the sum at the last look. */
static hsc_rt_switch_counts switches_at_end(const hsc_rt_thread *t, const hsc_rec_thread_usage *u, uint64_t cpu_ns) {
    const hsc_rt_usage *start = &t->usage_start;
    if (u)
        return (hsc_rt_switch_counts){u->voluntary_switches + start->voluntary, u->involuntary_switches + start->involuntary, cpu_ns};
    uint64_t own = t->switches_seen.own, all = t->seen.switches;
    return (hsc_rt_switch_counts){own, all > own ? all - own : 0, cpu_ns};
}

/* How long it stood in line before its first instruction, less what it used on its way there; false: its creator lost the processor meanwhile, and nobody here can tell. */
static bool first_in_line(const hsc_rt_thread *t, uint64_t *ns) {
    uint64_t made = atomic_load_explicit(&t->start->made_ns, memory_order_relaxed), from = made && made < t->begun_ns ? made : t->begun_ns;
    *ns = t->begun_ns - from > t->cpu_start_ns ? t->begun_ns - from - t->cpu_start_ns : 0;
    return from - t->start->called_ns < MADE_IN_NS;
}

void hsc_rt_thread_close(hsc_rt_thread *t, uint64_t cpu_ns, bool ended, bool own) {
    uint64_t now = hsc_rt_now_ns();
    uint64_t rate = atomic_load(&hsc_rt.ns_per_cycle_q32);
    hsc_rec_thread_usage u;
    t->whole = t->whole && ended && first_in_line(t, &t->first_in_line_ns);
    bool knows = (t == hsc_rt_self || others++ < USAGES_MAX) && hsc_rt_usage_record(t, now, cpu_ns, t == hsc_rt_self, &u);
    if (t->asleep)
        cpu_ns = t->asleep_cpu_ns;
    else /* since it was first measured, or at the last look */
        hsc_rt_switches_note(t, switches_at_end(t, knows ? &u : NULL, cpu_ns));
    t->closing = own;
    hsc_rt_brief_charge(t);
    if (own) {
        t->last_time = now > t->last_time ? now : t->last_time;
        hsc_rt_sample_end(t, cpu_ns);
        hsc_rt_waits_tell(t, t->last_time);
        hsc_rt_probes_close(t, t->last_time, ended);
        if (t->messages)
            hsc_rt.messages_flush(t, t->last_time, ended ? HSC_RT_FLUSH_END : HSC_RT_FLUSH_CLOSE);
        hsc_rt_wall_end(t, now);
    }
    for (uint64_t i = 0; i < sizeof t->lost_by_reason / sizeof t->lost_by_reason[0]; i++) {
        hsc_rec_loss r = {t->thread_id, now, atomic_exchange(&t->lost_by_reason[i], 0), i};
        if (r.count != t->lost_told[i] && !put_end(t, own, HSC_REC_loss, &r, now) && r.count > t->lost_told[i])
            hsc_rt.untold[i] += r.count - t->lost_told[i];
        t->lost_told[i] = 0;
    }
    if (own)
        put_totals(t, now, rate);
    hsc_rec_progress p = {.thread_id = t->thread_id, .time = now, .samples = t->samples, .lost = t->lost,
                          .truncated = t->truncated, .ended = ended};
    p.cpu_ns = cpu_ns > t->cpu_start_ns ? cpu_ns - t->cpu_start_ns : 0;
    p.own_ns = hsc_rt_cycles_ns(t->own_cycles, rate);
    t->closed_cpu_ns = p.cpu_ns;
    put_end(t, own, HSC_REC_progress, &p, now);
    if (knows && !(own && t->has_chunk && hsc_chunk_put(&t->chunk, HSC_REC_thread_usage, &u) == HSC_OK))
        hsc_rt_file_put(HSC_REC_thread_usage, &u, now);
    if (!own)
        return;
    if (t->has_chunk)
        hsc_rt_slot_end(t->chunk.base, t->chunk.slot_bytes, t->chunk.used_bytes);
    t->has_chunk = false;
}

void hsc_rt_thread_end(void) {
    hsc_rt_thread *t = hsc_rt_self;
    if (!t || hsc_rt.sandboxed)
        return;
    if (!hsc_rt_active()) { /* a child that shares our memory, or the end of the process */
        if (hsc_rt.pid == (int)hsc_sys3(SYS_getpid, 0, 0, 0))
            hsc_rt_source_stop(t);
        return;
    }
    uint64_t mask, since_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
    if (hsc_rt.options.waits && t->start_pc)
        hsc_rt_ended(t, (uint64_t)pthread_self(), t->start_pc);
    atomic_store(&t->owner_frame, UINT64_MAX); /* before: to the handler it would seem left by the last one's frame, which is gone */
    if (atomic_exchange(&t->busy, 1) == HSC_RT_BUSY)
        hsc_rt_reclaim(t); /* pthread_exit in a handler that had interrupted our code, or cancellation there */
    hsc_rt_source_stop(t);
    mask = hsc_rt_signals_block();
    if (!hsc_rt_lock_take_blocked(&hsc_rt.lock, HSC_RT_PATIENCE_MS)) {
        hsc_rt_signals_restore(mask);
        return;
    }
    if (t->live) {
        hsc_rt_thread **p = &hsc_rt.threads;
        while (*p && *p != t)
            p = &(*p)->next;
        if (*p)
            *p = t->next;
        t->live = false;
        hsc_rt.live_threads--;
        hsc_rt_thread_close(t, hsc_rt_clock_ns(CLOCK_THREAD_CPUTIME_ID), true, true);
        hsc_rt.ended_lost += t->lost;
        hsc_rt.ended_records += t->records;
        hsc_rt.ended_waited_ns += t->waits.all_ns;
        hsc_rt.ended_messages |= t->messages != NULL;
        hsc_rt_cost_add(&hsc_rt.ended_cost, t);
    }
    hsc_rt_lock_release_blocked(&hsc_rt.lock);
    hsc_rt_self = NULL;
    hsc_rt_tree_clear(&t->tree);
    hsc_rt_waits_clear(t);
    hsc_rt_probes_clear(t);
    drop(t->start);
    free_thread(t);
    hsc_rt_signals_restore(mask);
    took(since_ns);
}

/* Destructors of thread-local data run in rounds; ours sees the last one, so that the others' work is measured. */
static void at_thread_exit(void *value) {
    static __thread int round __attribute__((tls_model("initial-exec")));
    if (hsc_rt_self) /* what a cancelled wait left; the destructors that follow are no wait */
        hsc_rt_wait_break(hsc_rt_self);
    if (++round < PTHREAD_DESTRUCTOR_ITERATIONS && hsc_rt_self)
        pthread_setspecific(key, value);
    else
        hsc_rt_thread_end();
}

void hsc_rt_threads_init(void) {
    have_key = !pthread_key_create(&key, at_thread_exit);
}

void hsc_rt_threads_forget(void) {
    hsc_rt_thread *self = hsc_rt_self;
    if (self) {
        for (uint32_t i = 0; i < HSC_RT_EVENTS; i++) { /* not inherited by a child, like timers */
            self->counter[i].page = NULL;
            self->counter[i].fd = -1;
        }
        self->tick_timer = self->main_timer = -1;
    }
    for (hsc_rt_thread *t = hsc_rt.threads, *next; t; t = next) {
        next = t->next;
        hsc_rt_tree_clear(&t->tree);
        hsc_rt_waits_clear(t);
        hsc_rt_probes_clear(t);
        t->next = hsc_rt.free_threads;
        hsc_rt.free_threads = t;
    }
    hsc_rt.threads = NULL;
    atomic_store(&starts_taken_from, 0);
    others = 0;
    hsc_rt.live_threads = hsc_rt.next_thread_id = 0;
    hsc_rt_self = NULL;
}

/* ---- wrappers ------------------------------------------------------------------------------------------------------------- */

/* libc keeps its descriptor of the thread at the top of the thread's stack */
static __attribute__((noinline)) void begin(hsc_rt_start *s, uint64_t run) {
    uint64_t top = (uint64_t)pthread_self(), here = (uint64_t)__builtin_frame_address(0);
    uint64_t size = s->stack_size;
    if (top <= here || top - here > size) { /* not as expected: only what lies above us on this page is sure */
        top = (here | (HSC_RT_PAGE - 1)) + 1;
        size = top - here + 256;
    }
    hsc_rt_trap_blocked = s->trap_blocked;
    thread_begin(s, top > size ? top - size : 0, top);
    if (hsc_rt_self)
        hsc_rt_self->start_pc = run + 1; /* addresses are what calls return to */
}

/* Both end in a jump: no frame of ours stands in the thread's call paths. */
static void *posix_start(void *p) {
    hsc_rt_start *s = p;
    void *(*run)(void *) = s->run.posix;
    void *argument = s->argument;
    begin(s, (uint64_t)run);
    return run(argument);
}

static int c11_start(void *p) {
    hsc_rt_start *s = p;
    int (*run)(void *) = s->run.c11;
    void *argument = s->argument;
    begin(s, (uint64_t)run);
    return run(argument);
}

static uint64_t stack_size(const pthread_attr_t *attr) {
    pthread_attr_t preset;
    size_t size = 8u << 20;
    if (attr)
        pthread_attr_getstacksize(attr, &size);
    else if (!pthread_attr_init(&preset)) {
        pthread_attr_getstacksize(&preset, &size);
        pthread_attr_destroy(&preset);
    }
    return size;
}

static void made(hsc_rt_start *s, bool is) {
    if (is)
        atomic_store_explicit(&s->made_ns, hsc_rt_now_ns(), memory_order_relaxed);
    else
        drop(s); /* for the thread that there is not */
    drop(s);
}

HSC_RT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        real = HSC_RT_REAL("pthread_create");
    hsc_rt_start_early();
    hsc_rt_start *s = hsc_rt_active() ? new_start() : NULL;
    if (!s)
        return real(thread, attr, run, argument);
    s->run.posix = run;
    s->argument = argument;
    s->creator_id = hsc_rt_self ? hsc_rt_self->thread_id : 0;
    s->trap_blocked = hsc_rt_trap_blocked;
    s->stack_size = stack_size(attr);
    int r = real(thread, attr, posix_start, s);
    made(s, !r);
    return r;
}

HSC_RT_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument) {
    static int (*real)(thrd_t *, thrd_start_t, void *);
    if (!real)
        real = HSC_RT_REAL("thrd_create");
    hsc_rt_start_early();
    hsc_rt_start *s = hsc_rt_active() ? new_start() : NULL;
    if (!s)
        return real(thread, run, argument);
    s->run.c11 = run;
    s->argument = argument;
    s->creator_id = hsc_rt_self ? hsc_rt_self->thread_id : 0;
    s->trap_blocked = hsc_rt_trap_blocked;
    s->stack_size = stack_size(NULL);
    int r = real(thread, c11_start, s);
    made(s, r == thrd_success);
    return r;
}
