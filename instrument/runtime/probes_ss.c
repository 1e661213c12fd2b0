/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread's open scopes and blocks: what is not usual, and the records made of them. Normal code of the thread, also in its
 * signal handlers; where `inside` is set, our handler keeps off. */
#include "here.h"
#include "probes.h"

static hsc_rt_block none = {.number = UINT32_MAX}; /* the child of a block that has none: no probe has that number */
uint32_t hsc_rt_probe_has_xsave __attribute__((visibility("hidden")));
hsc_rt_probes hsc_rt_probe_state;
__thread hsc_rt_scopes *hsc_rt_scopes_self;
__thread hsc_rt_noting hsc_rt_noting_self;

/* hsc_rt_measured of here.h for code that a handler of the program may run. */
static hsc_rt_thread *measured(void) {
    hsc_rt_thread *t = hsc_rt_self;
    if (!t || !atomic_load_explicit(&hsc_rt.on, memory_order_relaxed))
        return NULL;
    bool same = hsc_rt.same_process ? atomic_load_explicit(hsc_rt.same_process, memory_order_relaxed) != 0
                                    : (int)hsc_sys3(SYS_getpid, 0, 0, 0) == hsc_rt.pid;
    return same ? t : NULL;
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static inline uint32_t part_of(uint32_t i, uint32_t *offset) {
    uint32_t j = i + 64, k = 31 - (uint32_t)__builtin_clz(j);
    *offset = j - (1u << k);
    return k - 6;
}

static inline hsc_rt_block *block_at(const hsc_rt_scopes *s, uint32_t i) {
    uint32_t j, k = part_of(i, &j);
    return s->part[k] + j;
}

/* What happens seldom is done while no handler of the program can come and leave it by a jump. */
static uint64_t block_signals(void) {
    uint64_t all = ~0ull, saved;
    hsc_sys4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&saved, 8);
    return saved;
}

static void unblock_signals(uint64_t saved) {
    hsc_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&saved, 0, 8);
}

static hsc_rt_block *new_block(hsc_rt_scopes *s, hsc_rt_block *parent, uint32_t number) {
    uint32_t j, k = part_of(s->blocks, &j);
    if (k >= HSC_RT_BLOCK_PARTS || (!s->part[k] && !(s->part[k] = hsc_rt_map(((size_t)64 << k) * sizeof(hsc_rt_block)))))
        return NULL;
    hsc_rt_block *b = s->part[k] + j;
    b->parent = parent;
    b->number = number;
    b->index = s->blocks++;
    b->last = &none;
    b->depth = parent ? parent->depth + 1 : 0;
    b->least = UINT64_MAX;
    return b;
}

static uint32_t hash(const hsc_rt_block *parent, uint32_t number) {
    uint64_t h = ((uint64_t)parent->index << 32 | number) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

static void link_block(hsc_rt_scopes *s, const hsc_rt_block *b) {
    uint32_t mask = s->slots_n - 1, at = hash(b->parent, b->number) & mask;
    while (s->slots[at])
        at = (at + 1) & mask;
    s->slots[at] = b->index;
}

static bool grow_slots(hsc_rt_scopes *s) {
    uint32_t n = s->slots_n ? 2 * s->slots_n : 256, *slots = hsc_rt_map(n * sizeof *slots);
    if (!slots)
        return false;
    hsc_rt_unmap(s->slots, s->slots_n * sizeof *slots);
    s->slots = slots;
    s->slots_n = n;
    for (uint32_t i = 1; i < s->blocks; i++)
        link_block(s, block_at(s, i));
    return true;
}

/* NULL: no memory. Signals are blocked. */
static hsc_rt_block *new_child(hsc_rt_scopes *s, hsc_rt_block *parent, uint32_t number) {
    hsc_rt_block *b = (uint64_t)s->blocks * 2 >= s->slots_n && !grow_slots(s) ? NULL : new_block(s, parent, number);
    if (b)
        link_block(s, b);
    return b;
}

/* The block of a scope entered in `parent`; NULL: there is none yet. */
static hsc_rt_block *child_of(const hsc_rt_scopes *s, hsc_rt_block *parent, uint32_t number) {
    if (s->slots_n)
        for (uint32_t mask = s->slots_n - 1, at = hash(parent, number) & mask; s->slots[at]; at = (at + 1) & mask) {
            hsc_rt_block *b = block_at(s, s->slots[at]);
            if (b->parent == parent && b->number == number)
                return b;
        }
    if (parent->depth >= HSC_RT_BLOCK_DEPTH_MAX) /* a recursion: no new block for each level */
        for (hsc_rt_block *b = parent; b; b = b->parent)
            if (b->number == number)
                return b;
    return NULL;
}

static uint32_t bucket_of(uint64_t ns) {
    uint32_t k = ns ? 64 - (uint32_t)__builtin_clzll(ns) : 0;
    return k < HSC_RT_BLOCK_BUCKETS ? k : HSC_RT_BLOCK_BUCKETS - 1;
}

/* The least number of cycles that is 2^k ns, by long division (128-bit division would be a call of the compiler's library). */
static uint64_t cycles_of(uint32_t k, uint64_t ns_per_cycle_q32) {
    uint32_t bits = k + 32 < 63 ? k + 32 : 63;
    uint64_t q = (1ull << bits) / ns_per_cycle_q32, rest = (1ull << bits) % ns_per_cycle_q32;
    for (; bits < k + 32; bits++) {
        if (q >> 62)
            return UINT64_MAX;
        q *= 2;
        rest *= 2;
        if (rest >= ns_per_cycle_q32) {
            q++;
            rest -= ns_per_cycle_q32;
        }
    }
    return q + (rest != 0);
}

/* Where the buckets, which are of nanoseconds, begin in cycles: twice as many cycles are twice as many nanoseconds, so each
 * octave has at most one limit in it. */
static void set_rate(hsc_rt_scopes *s, uint64_t ns_per_cycle_q32) {
    if (s->ns_per_cycle_q32 == ns_per_cycle_q32)
        return;
    s->ns_per_cycle_q32 = ns_per_cycle_q32;
    for (uint32_t i = 0; i <= 64; i++) {
        uint32_t k = bucket_of(i > 1 ? hsc_rt_cycles_ns(1ull << (i - 1), ns_per_cycle_q32) : 0);
        s->first[i] = k;
        s->limits[i] = k == HSC_RT_BLOCK_BUCKETS - 1 ? UINT64_MAX : cycles_of(k, ns_per_cycle_q32 ? ns_per_cycle_q32 : 1);
    }
}

static void set_due(hsc_rt_scopes *s, uint64_t now) {
    uint64_t rate = atomic_load_explicit(&hsc_rt.ns_per_cycle_q32, memory_order_relaxed);
    if (rate)
        set_rate(s, rate);
    s->rooms = 0;
    s->due = now + (uint64_t)((double)HSC_RT_PROBES_TELL_NS * 4294967296.0 / (double)(s->ns_per_cycle_q32 | 1));
}

static hsc_rt_scopes *new_scopes(hsc_rt_thread *t) {
    hsc_rt_scopes *s = hsc_rt_map(sizeof *s);
    hsc_rt_scope *base = s ? hsc_rt_map(HSC_RT_SCOPES_FIRST * sizeof *base) : NULL;
    hsc_rt_block *root = NULL;
    if (base)
        root = new_block(s, NULL, 0);
    if (!root) {
        hsc_rt_unmap(base, HSC_RT_SCOPES_FIRST * sizeof *base);
        hsc_rt_unmap(s, sizeof *s);
        return NULL;
    }
    s->base = s->top = base;
    s->end = base + HSC_RT_SCOPES_FIRST;
    *base = (hsc_rt_scope){.sp = UINT64_MAX, .block = root};
    s->state = atomic_load_explicit(&t->state, memory_order_relaxed);
    s->set_state = hsc_rt_probes_state;
    s->folded = s->marks;
    s->noting = &hsc_rt_noting_self;
    atomic_store_explicit(&s->noting->limit, s->marks + HSC_RT_MARKS, memory_order_relaxed);
    atomic_store_explicit(&s->noting->next, s->marks, memory_order_relaxed);
    s->last = hsc_cycles();
    s->generation = atomic_load(&hsc_rt_probe_state.generation);
    s->cpu_ns = t->cpu_start_ns;
    s->rooms_limit = UINT32_MAX;
    if (hsc_rt_probe_state.share)
        s->rooms_limit = 1; /* the beginning may be the dearest */
    set_due(s, s->last);
    atomic_signal_fence(memory_order_seq_cst);
    t->scopes = hsc_rt_scopes_self = s;
    return s;
}

void hsc_rt_probes_clear(hsc_rt_thread *t) {
    hsc_rt_scopes *s = t->scopes;
    if (!s)
        return;
    t->scopes = NULL;
    if (hsc_rt_scopes_self == s) {
        hsc_rt_scopes_self = NULL;
        atomic_store_explicit(&hsc_rt_noting_self.limit, NULL, memory_order_relaxed);
    }
    atomic_signal_fence(memory_order_seq_cst);
    for (uint32_t k = 0; k < HSC_RT_BLOCK_PARTS; k++)
        hsc_rt_unmap(s->part[k], ((size_t)64 << k) * sizeof(hsc_rt_block));
    hsc_rt_unmap(s->slots, s->slots_n * sizeof *s->slots);
    hsc_rt_unmap(s->values, s->values_capacity * sizeof *s->values);
    hsc_rt_unmap(s->sampled, s->sampled_capacity * sizeof *s->sampled);
    hsc_rt_unmap(s->base, (size_t)(s->end - s->base) * sizeof *s->base);
    hsc_rt_unmap(s, sizeof *s);
}

/* Signals are blocked. */
static bool grow_stack(hsc_rt_scopes *s) {
    size_t n = (size_t)(s->end - s->base), top = (size_t)(s->top - s->base);
    hsc_rt_scope *base = hsc_rt_remap(s->base, n * sizeof *base, 2 * n * sizeof *base);
    if (base) {
        s->base = base;
        s->top = base + top;
        s->end = base + 2 * n;
    }
    return base != NULL;
}

/* ---- visits --------------------------------------------------------------------------------------------------------- */

static inline void charge(hsc_rt_scopes *s, uint64_t now) {
    if (now <= s->last)
        return;
    s->top->block->exclusive[s->state] += now - s->last;
    s->last = now;
}

static void mark(hsc_rt_scopes *s, hsc_rt_block *b) {
    if (b->dirty)
        return;
    b->dirty = true;
    b->next_dirty = s->dirty;
    s->dirty = b;
}

static uint64_t number_of(const hsc_rt_scope *q) {
    return q->number & (HSC_RT_SCOPE_INSIDE - 1);
}

static void end_visit(hsc_rt_scopes *s, uint64_t now, bool left) {
    hsc_rt_block *b = s->top->block;
    s->generation -= (s->top->number & HSC_RT_SCOPE_INSIDE) != 0; /* is not settled any more */
    charge(s, now);
    uint64_t elapsed = now > s->top->start ? now - s->top->start : 0, taken = s->taken - s->top->taken;
    hsc_rt_probes_add_visit(s, b, elapsed > taken ? elapsed - taken : 0);
    b->left += left;
    mark(s, b);
    s->left += left;
    s->top--;
}

static const hsc_rt_probe *probe_of(uint64_t number) { /* NULL: the one that measures the cost */
    return number <= atomic_load(&hsc_rt_probe_state.count) ? &hsc_rt_probe_state.all[number - 1] : NULL;
}

bool hsc_rt_probe_is_armed(uint64_t number) {
    const hsc_rt_probe *p = probe_of(number);
    return !p || atomic_load(&p->armed);
}

/* Whether a visit that began at `start`, and whose end has not been noted up to `now`, was cut off by a disarming, also by one that began after it; *since: when
 * that was. What was read of the probe may be older than the last change: then there is one more to settle. */
static bool is_cut(uint64_t number, uint64_t start, uint64_t now, uint64_t *since) {
    const hsc_rt_probe *p = probe_of(number);
    if (!p)
        return false;
    bool armed = atomic_load(&p->armed);
    uint64_t armed_at = atomic_load(&p->armed_at);
    *since = atomic_load(&p->disarmed_at);
    return *since && *since <= now && (!armed || start < armed_at);
}

static bool is_open_cut(const hsc_rt_scope *q, uint64_t now, uint64_t *since) {
    return is_cut(number_of(q), q->start, now, since);
}

bool hsc_rt_scope_is_over(const hsc_rt_scope *q) {
    uint64_t since;
    return is_open_cut(q, UINT64_MAX, &since);
}

/* Scopes of probes that were disarmed meanwhile end when that was; one with others inside waits for them. `last`: all marks are folded. */
static void settle_disarmed(hsc_rt_scopes *s, uint64_t now, bool last) {
    uint32_t generation = atomic_load(&hsc_rt_probe_state.generation);
    uint64_t since = 0;
    while (s->top > s->base && is_open_cut(s->top, now, &since))
        end_visit(s, since > s->last ? since : s->last, true); /* what comes after is the next scope's further out */
    if (!last || (s->top > s->base && is_open_cut(s->top, UINT64_MAX, &since)))
        return;
    for (hsc_rt_scope *q = s->top; q > s->base + 1; q--)
        if (is_open_cut(q - 1, UINT64_MAX, &since))
            q->number |= HSC_RT_SCOPE_INSIDE;
    s->generation = generation;
}

static bool on_own_stack(const hsc_rt_thread *t, uint64_t sp) {
    return sp > t->stack_low && sp <= t->stack_high;
}

/* The stack that the thread has for its handlers, as the kernel knows it now: mostly another one, but it may be a piece of the thread's own. A thread that
 * changes it often may have had another one when the marks were made: then scopes are found out later. */
static void find_signal_stack(hsc_rt_scopes *s) {
    stack_t stack;
    s->stack_of = s->top->sp;
    bool known = !hsc_sys3(SYS_sigaltstack, 0, (long)&stack, 0) && !(stack.ss_flags & SS_DISABLE);
    s->signal_low = known ? (uint64_t)stack.ss_sp : 0;
    s->signal_high = known ? s->signal_low + stack.ss_size : 0;
}

static bool on_signal_stack(const hsc_rt_scopes *s, uint64_t sp) {
    return sp > s->signal_low && sp <= s->signal_high;
}

static bool on_usual_stack(const hsc_rt_thread *t, const hsc_rt_scopes *s, uint64_t sp) {
    return on_own_stack(t, sp) && !on_signal_stack(s, sp);
}

/* Whether it is of the kind, and of a frame that is no other procedure's: another return address can't stand where its own does. */
static bool is_alone(uint64_t number, uint8_t kind) {
    const hsc_rt_probe *p = &hsc_rt_probe_state.all[number - 1];
    return number <= atomic_load(&hsc_rt_probe_state.count) && p->kind == kind && !(p->flags & HSC_probe_flag_FOR_LINK);
}

static void end_visits(hsc_rt_scopes *s, const hsc_rt_scope *first, uint64_t now) {
    while (s->top >= first)
        end_visit(s, now, true);
}

/* Scopes of frames that are gone, for here a frame is entered whose return address stands at `sp`: left by a jump or an exception, or their exit was
 * missed. */
static void repair(hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t number, uint64_t sp, uint64_t now) {
    const hsc_rt_scope *q = s->top;
    bool begins = is_alone(number, HSC_probe_kind_PROCEDURE);
    /* A loop in the frame of the last scope, as most loops within loops, is on the same stack, whichever that is; of a coroutine it is asked once. */
    if (q > s->base && (on_own_stack(t, q->sp) ? q->sp < sp || (q->sp == sp && begins) : q->sp != s->stack_of))
        find_signal_stack(s);
    while (s->top > s->base && on_signal_stack(s, s->top->sp) && !on_signal_stack(s, sp)) /* handlers come to an end before what they interrupted goes on */
        end_visit(s, now, true);
    bool usual = on_usual_stack(t, s, sp);
    for (q = s->top; usual && q > s->base; q--) {
        if (!on_usual_stack(t, s, q->sp))
            continue;
        bool other = begins && q->sp == sp && (is_alone(number_of(q), HSC_probe_kind_PROCEDURE) || is_alone(number_of(q), HSC_probe_kind_LOOP));
        if (q->sp >= sp && !other)
            break;
        end_visits(s, q, now);
    }
    q = s->top;
    while (q > s->base && q->sp == sp && number_of(q) != number)
        q--;
    if (q > s->base && q->sp == sp) /* a frame does not open a scope within itself */
        end_visits(s, q, now);
}

/* True: `inside` is ours now. */
static bool take(hsc_rt_scopes *s) {
    if (atomic_load_explicit(&s->inside, memory_order_relaxed))
        return false;
    atomic_store_explicit(&s->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static void give(hsc_rt_scopes *s) {
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&s->inside, 0, memory_order_relaxed);
}

static void push(hsc_rt_scopes *s, hsc_rt_block *b, uint64_t number, uint64_t sp, uint64_t now) {
    s->top->block->last = b;
    mark(s, b);
    charge(s, now);
    *++s->top = (hsc_rt_scope){sp, now, b, number, s->taken};
    s->visits++;
}

static __attribute__((noinline)) void unusual_enter(hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t number, uint64_t sp, uint64_t now) {
    uint64_t since;
    if (is_cut(number, now, now, &since)) /* its probe found out too late that it is disarmed */
        return;
    repair(t, s, number, sp, now);
    hsc_rt_block *b = child_of(s, s->top->block, (uint32_t)number);
    if (b && s->top + 1 < s->end) {
        push(s, b, number, sp, now);
        return;
    }
    /* What comes meanwhile is handled after the scope is open: its mark is used up, and a jump would leave neither. */
    uint64_t saved = block_signals();
    if (s->top + 1 < s->end || grow_stack(s))
        b = b ? b : new_child(s, s->top->block, (uint32_t)number);
    else
        b = NULL;
    if (b)
        push(s, b, number, sp, now);
    else
        s->missed++;
    unblock_signals(saved);
}

static __attribute__((noinline)) void unusual_leave(hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t number, uint64_t sp, uint64_t now) {
    const hsc_rt_probe *p = probe_of(number);
    const hsc_rt_scope *q = s->top;
    bool usual = on_usual_stack(t, s, sp);
    for (; q > s->base; q--) {
        if (number_of(q) == number && q->sp == sp)
            break;
        if (usual && q->sp > sp && on_usual_stack(t, s, q->sp)) {
            q = s->base;
            break;
        }
    }
    if (q > s->base) {
        while (s->top > q)
            end_visit(s, now, true);
        end_visit(s, now, false);
    } else if (p && p->kind == HSC_probe_kind_PROCEDURE) { /* others share exits with ways that did not enter them */
        s->unmatched++;
    }
}

static bool is_settled(const hsc_rt_scopes *s) {
    return s->generation == atomic_load_explicit(&hsc_rt_probe_state.generation, memory_order_relaxed);
}

/* One mark, whatever it is. */
static __attribute__((noinline)) void fold_unusual(hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t what, uint64_t now) {
    uint64_t number = what & (HSC_RT_MARK_LEAVE - 1), above = what >> HSC_RT_MARK_SHIFT;
    bool ends = what & HSC_RT_MARK_LEAVE && s->top > s->base && number_of(s->top) == number && s->top->sp == above * 8;
    if (!number && above > HSC_RT_BLOCK_STATES) /* a probe whose number was taken away between two instructions of the program */
        return;
    if (!what)
        return;
    if (!is_settled(s) && !ends)
        settle_disarmed(s, now, false);
    if (!number) {
        charge(s, now);
        s->state = (uint32_t)(above - 1) & (HSC_RT_BLOCK_STATES - 1);
    } else if (what & HSC_RT_MARK_LEAVE) {
        unusual_leave(t, s, number, above * 8, now);
    } else {
        unusual_enter(t, s, number, above * 8, now);
    }
}

/* Up to `end`, or to the first mark that is not there yet, because its probe is what we or a handler round us have interrupted; `inside` is ours. */
static void fold_marks(hsc_rt_thread *t, hsc_rt_scopes *s, hsc_rt_mark *end) {
    uint64_t now;
    while (hsc_rt_probes_fold_usual(s, end) == HSC_RT_FOLD_UNUSUAL) {
        if (!(now = atomic_load_explicit(s->folded, memory_order_acquire)))
            return;
        s->folded++; /* left by a jump, it is not begun again */
        fold_unusual(t, s, *hsc_rt_mark_what(s->folded - 1), now);
    }
}

static void fold(hsc_rt_thread *t, hsc_rt_scopes *s) {
    hsc_rt_mark *start = s->marks, *next, *end;
    do {
        next = atomic_load_explicit(&s->noting->next, memory_order_acquire);
        end = next < start + HSC_RT_MARKS ? next : start + HSC_RT_MARKS;
        fold_marks(t, s, end);
        if (s->folded != end || hsc_rt_self != t) /* another thread's, at the end of the process */
            return;
    } while (!hsc_rt_probes_wrap(s, next, end));
}

static bool is_folded(const hsc_rt_scopes *s) {
    return s->folded == atomic_load_explicit(&s->noting->next, memory_order_relaxed);
}

void hsc_rt_probes_fold(hsc_rt_thread *t) {
    if (t->scopes)
        fold(t, t->scopes);
}

/* ---- records -------------------------------------------------------------------------------------------------------- */

static bool introduce(hsc_rt_thread *t, hsc_rt_scopes *s, hsc_rt_block *b, uint64_t now) {
    /* from outside in; a loop, for they may be deep */
    while (!b->id) {
        hsc_rt_block *outer = b;
        while (outer->parent->index && !outer->parent->id)
            outer = outer->parent;
        hsc_rec_block r = {s->ids + 1, outer->parent->id, outer->number};
        if (!hsc_rt_thread_put(t, HSC_REC_block, &r, now))
            return false;
        outer->id = ++s->ids;
    }
    return true;
}

static bool put_block(hsc_rt_thread *t, hsc_rt_scopes *s, hsc_rt_block *b, uint64_t now) {
    uint64_t rate = s->ns_per_cycle_q32, histogram[HSC_RT_BLOCK_BUCKETS + 1];
    if (!introduce(t, s, b, now))
        return false;
    for (uint32_t i = 0; i < HSC_RT_BLOCK_STATES; i++) {
        hsc_rec_block_time r = {now, b->id, i, hsc_rt_cycles_ns(b->exclusive[i], rate)};
        if (!b->exclusive[i])
            continue;
        if (!hsc_rt_thread_put(t, HSC_REC_block_time, &r, now))
            return false;
        b->exclusive[i] = 0;
    }
    uint64_t count = 0;
    for (uint32_t i = 0; i < HSC_RT_BLOCK_BUCKETS; i++)
        count += b->bucket[i];
    if (!count)
        return true;
    uint32_t n = 0;
    for (uint32_t i = 0; i < HSC_RT_BLOCK_BUCKETS; i++) {
        if (!b->bucket[i])
            continue;
        if (!n)
            histogram[n++] = i;
        while (n < i - histogram[0] + 1)
            histogram[n++] = 0;
        histogram[n++] = b->bucket[i];
    }
    double ns = (double)rate / 4294967296.0;
    hsc_rec_block_summary r = {now, b->id, count, b->left, hsc_rt_cycles_ns(b->total, rate), hsc_rt_cycles_ns(b->least, rate),
                               hsc_rt_cycles_ns(b->most, rate), 0, {histogram, n}};
    r.duration_squares = ((double)(uint64_t)(b->squares >> 64) * 18446744073709551616.0 + (double)(uint64_t)b->squares) * ns * ns;
    if (!hsc_rt_thread_put(t, HSC_REC_block_summary, &r, now))
        return false;
    hsc_rt_probes_count(b->number, count, s);
    b->left = b->total = b->most = 0;
    b->least = UINT64_MAX;
    b->squares = 0;
    for (uint32_t i = 0; i < HSC_RT_BLOCK_BUCKETS; i++)
        b->bucket[i] = 0;
    return true;
}

bool hsc_rt_probes_due(const hsc_rt_thread *t) {
    const hsc_rt_scopes *s = t->scopes;
    return s && !atomic_load_explicit(&s->inside, memory_order_relaxed) && hsc_cycles() >= s->due &&
           (s->visits != s->told_visits || s->top > s->base || s->dirty || !is_folded(s));
}

/* Of what has been charged. The caller charges the time up to now where no probe has read the clock already: its mark, yet to come, says
 * where the time since then goes. */
static void tell(hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t now_ns) {
    s->base->block->exclusive[0] = 0;
    if (s->dirty)
        atomic_store_explicit(&hsc_rt_probe_state.used, 1, memory_order_relaxed);
    while (s->dirty) {
        hsc_rt_block *b = s->dirty;
        if (b->index && !put_block(t, s, b, now_ns))
            break; /* no room now: it stays what it is */
        s->dirty = b->next_dirty;
        b->dirty = false;
        if (b->parent && b->parent->last == b) /* the next visit goes the slow way, which marks it again */
            b->parent->last = &none;
    }
    for (const hsc_rt_scope *q = s->top; q > s->base; q--) {
        uint64_t since;
        mark(s, q->block);
        if (is_open_cut(q, UINT64_MAX, &since) && (q == s->top || !(q[1].number & HSC_RT_SCOPE_INSIDE)) && is_settled(s))
            s->generation--; /* noted by a probe that a handler had interrupted when it was disarmed */
    }
    hsc_rt_probes_tell_samples(t, s, now_ns);
    uint64_t fresh = s->visits - s->told_visits;
    if (fresh || s->top > s->base) {
        uint64_t rate = s->ns_per_cycle_q32, cost = hsc_rt_probes_notes_cycles(s) + s->own;
        hsc_rec_probe_progress r = {now_ns, s->visits, (uint64_t)(s->top - s->base), s->left, s->unmatched, s->missed, hsc_rt_cycles_ns(cost, rate)};
        hsc_rt_thread_put(t, HSC_REC_probe_progress, &r, now_ns);
        uint64_t cycles = (uint64_t)((double)fresh * hsc_rt_probe_state.note_cycles) + s->own - s->told_own;
        uint64_t own_cycles = atomic_load_explicit(&t->own_cycles, memory_order_relaxed) + cost - s->told_cost; /* samples may have shown that it was less */
        atomic_store_explicit(&t->own_cycles, own_cycles, memory_order_relaxed);
        s->told_cost = cost;
        s->told_visits = s->visits;
        s->told_own = s->own;
        hsc_rt_probes_tell_budget(t, s, fresh, cycles);
    } else {
        hsc_rt_probes_tell_budget(t, s, 0, 0);
    }
    set_due(s, hsc_cycles());
}

/* ---- jumps out of probes -------------------------------------------------------------------------------------------- */

/* Whether a probe that was interrupted stands on the thread's call path, which is `from` and its callers; true also where that can't be told. Afterwards
 * t->stack has the frames, if t->frames > 0. All signals are blocked. */
static bool may_go_on(hsc_rt_thread *t, const hsc_rt_here *from) {
    if (!hsc_rt_own(t))
        return true;
    bool truncated = true, own = true, found = false;
    uint32_t node = hsc_rt_walk_here(t, from, hsc_rt_thread_now(t), &truncated);
    for (uint32_t i = node; i && !found; i = hsc_rt_tree_node(&t->tree, i)->parent) {
        uint64_t pc = hsc_rt_tree_node(&t->tree, i)->pc;
        bool in_code = pc >= (uint64_t)hsc_rt_probe_code && pc < (uint64_t)hsc_rt_probe_code_end;
        own = own && in_code; /* the probe that asks */
        found = in_code && !own;
    }
    hsc_rt_disown(t, 0);
    return !node || truncated || found;
}

/* Whether a scope of `inner` may have been entered in one of `outer` (child_of). */
static bool goes_in(const hsc_rt_block *inner, const hsc_rt_block *outer) {
    if (inner->parent == outer)
        return true;
    const hsc_rt_block *b = outer->depth >= HSC_RT_BLOCK_DEPTH_MAX ? outer : NULL;
    while (b && b != inner)
        b = b->parent;
    return b != NULL;
}

/* Who changed the blocks is gone: what may be half done is put in order. Blocks were given at most one visit less or more. */
static void put_in_order(hsc_rt_scopes *s) {
    hsc_rt_probes_redo(s);
    hsc_rt_scope *q = s->base, *top = s->top;
    while (q < top && goes_in(q[1].block, q->block) && number_of(q + 1) == q[1].block->number && q[1].sp <= q->sp)
        q++;
    s->top = q;
    s->generation--; /* it may be what was inside one that is disarmed */
    s->dirty = NULL;
    for (uint32_t i = 0; i < s->blocks; i++)
        block_at(s, i)->dirty = false;
    for (uint32_t i = 0; i < s->blocks; i++)
        mark(s, block_at(s, i));
    s->missed++;
}

/* Marks that nobody will finish. */
static void skip_unfinished(hsc_rt_thread *t, hsc_rt_scopes *s) {
    const hsc_rt_mark *end = s->marks + HSC_RT_MARKS;
    for (fold(t, s); s->folded < end && !is_folded(s); fold(t, s)) {
        atomic_store_explicit(s->folded++, 0, memory_order_relaxed);
        s->missed++;
    }
}

/* Exits may be among what was missed: scopes whose return address is none of those on the thread's path (t->stack) are gone, as far as anything was noted
 * of them. */
static void end_gone(const hsc_rt_thread *t, hsc_rt_scopes *s) {
    uint32_t i = 1;
    for (const hsc_rt_scope *q = s->base + 1; t->frames && q <= s->top; q++) {
        if (!on_usual_stack(t, s, q->sp))
            continue;
        while (i < t->frames && t->stack[i].ra_slot > q->sp)
            i++;
        if (i == t->frames || t->stack[i].ra_slot != q->sp)
            end_visits(s, q, s->last);
    }
}

/* What keeps this thread's probes from being noted may have been left by a jump of a handler. True: it was, and `inside` is ours now. Since
 * handlers that go on may meet many probes, it is looked at less and less often. */
static bool was_left(hsc_rt_thread *t, hsc_rt_scopes *s, const hsc_rt_here *from, bool ours) {
    uint32_t before = s->refused++;
    if (before & s->refused)
        return false;
    uint64_t saved = block_signals();
    bool left = !may_go_on(t, from);
    if (left) {
        atomic_store_explicit(&s->inside, 1, memory_order_relaxed);
        if (!ours)
            put_in_order(s);
        skip_unfinished(t, s);
        end_gone(t, s);
        s->refused = 0;
    }
    unblock_signals(saved);
    return left;
}

static bool has_room(const hsc_rt_scopes *s) {
    return atomic_load_explicit(&s->noting->next, memory_order_relaxed) < s->marks + HSC_RT_MARKS;
}

/* With signals blocked, but for the hot loop: what is seldom is not left half done. */
static void tell_if_due(hsc_rt_thread *t, hsc_rt_scopes *s) {
    if (hsc_cycles() < s->due && s->rooms < s->rooms_limit)
        return;
    uint64_t saved = block_signals();
    if (hsc_rt_own(t)) {
        tell(t, s, hsc_rt_thread_now(t));
        hsc_rt_disown(t, 0);
    }
    unblock_signals(saved);
}

/* Makes room where there is some to be had; false: none. */
static bool make_room(hsc_rt_thread *t, hsc_rt_scopes *s, const hsc_rt_here *from, bool tells, bool leaves) {
    uint64_t begin = hsc_cycles();
    bool ours = take(s);
    if (!ours && !was_left(t, s, from, false)) { /* in a handler */
        s->missed++;
        return false;
    }
    atomic_store_explicit(&s->noting->limit, s->marks + HSC_RT_MARKS, memory_order_relaxed);
    fold(t, s);
    bool room = has_room(s) || (was_left(t, s, from, true) && has_room(s));
    if (room)
        s->refused = 0;
    else
        s->missed++;
    s->rooms++;
    if (!is_settled(s))
        settle_disarmed(s, hsc_cycles(), is_folded(s));
    if (tells)
        tell_if_due(t, s);
    hsc_rt_probes_take_out(s, hsc_cycles() - begin, leaves);
    give(s);
    return room;
}

/* In the section of the probes: the handler sees by it that an exit has read the clock. */
HSC_RT_PROBE_CODE bool hsc_rt_probe_room(uint64_t what, uint64_t sp, hsc_rt_mark *refused) {
    const hsc_rt_here from = HSC_RT_HERE();
    hsc_rt_thread *t = measured();
    hsc_rt_scopes *s = t ? t->scopes : NULL;
    uint64_t number = what & (HSC_RT_MARK_LEAVE - 1);
    (void)sp;
    if (!t || (!s && !(s = new_scopes(t))))
        return false;
    if (refused >= s->marks && refused < s->marks + HSC_RT_MARKS) {
        *hsc_rt_mark_what(refused) = 0;
        atomic_store_explicit(refused, 1, memory_order_release);
    }
    if (!make_room(t, s, &from, true, hsc_rt_probe_leaves(what)))
        return false;
    if (!number || hsc_rt_probe_is_armed(number))
        return true;
    s->skip_from = s->marks; /* disarmed since the program looked: is settled, and no mark is to follow */
    return false;
}

HSC_RT_PROBE_CODE void hsc_rt_probes_state(hsc_rt_scopes *s, uint32_t state) {
    const hsc_rt_here from = HSC_RT_HERE();
    hsc_rt_thread *t = hsc_rt_self;
    for (int i = 0; i < 2; i++) {
        hsc_rt_mark *m = (hsc_rt_mark *)sizeof *m; /* NOLINT: what is added */
        __asm__ volatile("xaddq %0, %1" : "+r"(m), "+m"(s->noting->next) : : "memory", "cc");
        if (m < s->marks + HSC_RT_MARKS) {
            *hsc_rt_mark_what(m) = (uint64_t)(state + 1) << HSC_RT_MARK_SHIFT;
            atomic_store_explicit(m, hsc_cycles(), memory_order_release);
            return;
        }
        if (!t || !make_room(t, s, &from, false, false))
            return;
    }
    s->missed++;
}

void hsc_rt_probes_tell(hsc_rt_thread *t, uint64_t now_ns) {
    hsc_rt_scopes *s = t->scopes;
    uint64_t begin = hsc_cycles();
    if (!s || !take(s))
        return;
    fold(t, s);
    if (!is_settled(s))
        settle_disarmed(s, hsc_cycles(), is_folded(s));
    if (is_folded(s))
        charge(s, begin);
    tell(t, s, now_ns);
    hsc_rt_probes_take_out(s, hsc_cycles() - begin, false);
    give(s);
}

void hsc_rt_probes_close(hsc_rt_thread *t, uint64_t now_ns, bool ended) {
    hsc_rt_scopes *s = t->scopes;
    bool self = hsc_rt_self == t, ours = s && take(s);
    if (!s || (!ours && !self))
        return;
    uint64_t saved = block_signals();
    if (!ours) /* where we have come from never goes on */
        put_in_order(s);
    if (self)
        skip_unfinished(t, s);
    else
        fold(t, s);
    uint64_t now = hsc_cycles();
    if (!is_settled(s)) /* before the last disarming was met: no probe came any more */
        settle_disarmed(s, now, is_folded(s));
    while (ended && s->top > s->base)
        end_visit(s, now, true);
    charge(s, now);
    tell(t, s, now_ns);
    give(s);
    unblock_signals(saved);
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

static bool note_value(hsc_rt_thread *t, hsc_rt_scopes *s, uint64_t number, uint64_t value) {
    if (!take(s))
        return false;
    if (number >= s->values_capacity) {
        uint32_t n = s->values_capacity ? s->values_capacity : 64;
        while (n <= number)
            n *= 2;
        struct hsc_rt_value *v = hsc_rt_remap(s->values, s->values_capacity * sizeof *v, n * sizeof *v);
        if (!v) {
            s->missed++;
            give(s);
            return false;
        }
        s->values = v;
        s->values_capacity = n;
    }
    if (hsc_rt_own(t)) {
        uint64_t now = hsc_rt_thread_now(t);
        hsc_rec_symbolic_value r = {now, number, 0, (int64_t)value};
        if (hsc_rt_thread_put(t, HSC_REC_symbolic_value, &r, now)) {
            s->values[number].value = value;
            s->values[number].known = true;
        }
        hsc_rt_disown(t, 0);
    } else {
        s->missed++;
    }
    give(s);
    return true;
}

bool hsc_rt_probe_value_slow(uint64_t number, uint64_t value) {
    hsc_rt_thread *t = measured();
    hsc_rt_scopes *s = t ? t->scopes : NULL;
    if (!number || !t || (!s && !(s = new_scopes(t)))) /* no number: disarmed between two instructions of the program */
        return false;
    uint64_t saved = block_signals();
    bool noted = note_value(t, s, number, value);
    unblock_signals(saved);
    return noted;
}
