/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Visits and blocks of a thread's marks, where nothing is unusual: what an armed probe costs beside its mark. Compiled with general
 * registers only, so that the others need not be saved for it.
 *
 * A handler of the program may leave any of this by a jump: what is given to blocks and how far the marks are folded go together, visit by visit
 * (at most the one at that moment is given in part), and for a run of visits by a copy that is finished afterwards. */
#include "probes.h"

#define BRIEF (1ull << 28) /* cycles: sums of squares of a run fit in a word */
_Static_assert(HSC_RT_MARKS / 2 <= 256, "BRIEF");

#define IN_LINE static inline __attribute__((always_inline))

/* One instruction, of which there are two: AMD's processors take 8 steps for the older one (bsr), 1 for the newer (lzcnt). So what folds is
 * compiled twice. */
IN_LINE uint64_t octave(uint64_t n) { /* n > 0 */
    return 63 ^ (uint64_t)__builtin_clzll(n);
}

/* Whether there is the newer one: processors that lack it take it for the older one, which counts from the other end. */
static inline bool has_lzcnt(void) {
    uint64_t zeros;
    __asm__("rep bsrq %1, %0" : "=r"(zeros) : "r"(1ull) : "cc");
    return zeros == 63;
}

IN_LINE uint32_t bucket_of(const hsc_rt_scopes *s, uint64_t d) {
    uint64_t i = 1 + octave(d | 1);
    return s->first[i] + (d >= s->limits[i]);
}

IN_LINE void add_visit(const hsc_rt_scopes *s, hsc_rt_block *b, uint64_t d) {
    b->total += d;
    if (d < b->least)
        b->least = d;
    if (d > b->most)
        b->most = d;
    b->squares += (unsigned __int128)d * d;
    b->bucket[bucket_of(s, d)]++;
}

void hsc_rt_probes_add_visit(const hsc_rt_scopes *s, hsc_rt_block *b, uint64_t d) {
    add_visit(s, b, d);
}

/* What s->run says, into the blocks; may be done again. */
static void apply(hsc_rt_scopes *s) {
    const hsc_rt_run *r = &s->run;
    hsc_rt_block *b = r->block;
    r->outer->exclusive[r->state] = r->outside;
    b->exclusive[r->state] = r->inside;
    b->total = r->total;
    b->least = r->least;
    b->most = r->most;
    b->squares = r->squares;
    for (uint32_t i = r->low; i <= r->high; i++)
        b->bucket[i] = r->bucket[i];
    s->visits = r->visits;
    s->last = r->last;
    s->folded = r->folded;
}

void hsc_rt_probes_redo(hsc_rt_scopes *s) {
    if (atomic_exchange_explicit(&s->run.ready, 0, memory_order_relaxed))
        apply(s);
    for (uint32_t i = 0; i < sizeof s->run.part / sizeof *s->run.part; i++)
        s->run.part[i] = 0;
}

/* Visits of `b` from s->folded on, entered in `outer` by marks `what`, with nothing inside: sums are kept in registers, and given at the end. */
IN_LINE bool fold_run(hsc_rt_scopes *s, hsc_rt_block *outer, hsc_rt_block *b, uint64_t what, hsc_rt_mark *end) {
    hsc_rt_run *r = &s->run;
    hsc_rt_mark *m = s->folded;
    uint64_t last = s->last, leave = what + HSC_RT_MARK_LEAVE, inside = 0, least = UINT64_MAX, most = 0, now;
    uint64_t squares = 0; /* of HSC_RT_MARKS / 2 durations below BRIEF at most */
    const hsc_rt_mark *last_pair = end - 1;
    for (; m < last_pair; m += 2) {
        now = atomic_load_explicit(m, memory_order_acquire);
        uint64_t d = atomic_load_explicit(m + 1, memory_order_acquire) - now; /* not there yet: a huge one */
        if (now < last || d >= BRIEF || *hsc_rt_mark_what(m) != what || *hsc_rt_mark_what(m + 1) != leave)
            break;
        last = now + d;
        inside += d;
        least = d < least ? d : least;
        most = d > most ? d : most;
        squares += d * d;
        uint64_t part = octave(2 * d + 1); /* that of d is one less, and 0 too if d is */
        __asm__("cmpq %2, %1\n\tadcq %0, %0" : "+r"(part) : "r"(d), "m"(s->limits[part]) : "cc");
        r->part[part]++;
    }
    if (m == s->folded)
        return false;
    r->state = s->state;
    r->outer = outer;
    r->block = b;
    r->outside = outer->exclusive[s->state] + (last - s->last) - inside;
    r->inside = b->exclusive[s->state] + inside;
    r->total = b->total + inside;
    r->least = least < b->least ? least : b->least;
    r->most = most > b->most ? most : b->most;
    r->squares = b->squares + squares;
    r->low = bucket_of(s, least);
    r->high = bucket_of(s, most);
    for (uint32_t i = r->low; i <= r->high; i++)
        r->bucket[i] = b->bucket[i];
    for (uint64_t i = octave(2 * least + 1), high = octave(2 * most + 1); i <= high; i++) {
        r->bucket[s->first[i]] += r->part[2 * i + 1];
        if (r->part[2 * i])
            r->bucket[s->first[i] + 1] += r->part[2 * i];
        r->part[2 * i] = r->part[2 * i + 1] = 0;
    }
    r->visits = s->visits + (uint64_t)(m - s->folded) / 2;
    r->last = last;
    r->folded = m;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&r->ready, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    apply(s);
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&r->ready, 0, memory_order_relaxed);
    return true;
}

/* Two pairs on end are worth it. */
static inline bool is_run(hsc_rt_mark *m, const hsc_rt_mark *end, uint64_t what) {
    return m + 3 < end && atomic_load_explicit(m + 3, memory_order_acquire) && *hsc_rt_mark_what(m + 2) == what &&
           *hsc_rt_mark_what(m + 3) == what + HSC_RT_MARK_LEAVE;
}

IN_LINE enum hsc_rt_folded fold(hsc_rt_scopes *s, hsc_rt_mark *end) {
    if (s->generation != atomic_load_explicit(&hsc_rt_probe_state.generation, memory_order_relaxed))
        return s->folded < end ? HSC_RT_FOLD_UNUSUAL : HSC_RT_FOLD_DONE;
    hsc_rt_mark *m;
    while ((m = s->folded) < end) {
        hsc_rt_scope *top = s->top;
        uint64_t now = atomic_load_explicit(m, memory_order_acquire), what = *hsc_rt_mark_what(m), sp = what >> HSC_RT_MARK_SHIFT << 3, then;
        uint32_t number = what & (HSC_RT_MARK_LEAVE - 1);
        hsc_rt_block *b = top->block, *child = b->last;
        if (now < s->last)
            return now ? HSC_RT_FOLD_UNUSUAL : HSC_RT_FOLD_UNFINISHED;
        if (child->number == number && !(what & HSC_RT_MARK_LEAVE) && top->sp > sp && top + 1 < s->end) {
            if (m + 1 < end && (then = atomic_load_explicit(m + 1, memory_order_acquire)) >= now &&
                *hsc_rt_mark_what(m + 1) == what + HSC_RT_MARK_LEAVE) { /* nothing inside, mostly */
                if (child != b && is_run(m, end, what) && fold_run(s, b, child, what, end))
                    continue;
                b->exclusive[s->state] += now - s->last;
                child->exclusive[s->state] += then - now;
                add_visit(s, child, then - now);
                s->last = then;
                s->visits++;
                s->folded = m + 2;
                continue;
            }
            b->exclusive[s->state] += now - s->last;
            *++top = (hsc_rt_scope){sp, now, child, number, s->taken};
            s->top = top;
            s->visits++;
        } else if (what & HSC_RT_MARK_LEAVE && top->sp == sp && top->number == number) {
            b->exclusive[s->state] += now - s->last;
            add_visit(s, b, now - top->start - (s->taken - top->taken)); /* s->last, which is not later, is moved with s->taken */
            s->top = top - 1;
        } else {
            return HSC_RT_FOLD_UNUSUAL;
        }
        s->last = now;
        s->folded = m + 1;
    }
    return HSC_RT_FOLD_DONE;
}

/* The same; what is to be taken out of the time is taken out in its place. */
IN_LINE enum hsc_rt_folded fold_all(hsc_rt_scopes *s, hsc_rt_mark *end) {
    for (;;) {
        if (s->skip && s->folded >= s->skip_from) {
            s->last += s->skip;
            s->taken += s->skip;
            s->skip = 0;
        }
        enum hsc_rt_folded folded = fold(s, s->skip && s->skip_from < end ? s->skip_from : end);
        if (folded != HSC_RT_FOLD_DONE || !s->skip || s->folded < s->skip_from)
            return folded;
    }
}

static HSC_RT_HOT __attribute__((target("lzcnt"))) enum hsc_rt_folded fold_newer(hsc_rt_scopes *s, hsc_rt_mark *end) {
    return fold_all(s, end);
}

static enum hsc_rt_folded fold_older(hsc_rt_scopes *s, hsc_rt_mark *end) {
    return fold_all(s, end);
}

HSC_RT_HOT enum hsc_rt_folded hsc_rt_probes_fold_usual(hsc_rt_scopes *s, hsc_rt_mark *end) {
    return has_lzcnt() ? fold_newer(s, end) : fold_older(s, end);
}

/* All marks up to `end` are folded: they are emptied, and it goes on from the beginning, unless a handler has taken one meanwhile: by one
 * instruction, as probes do. Left by a jump between, it is done again, or all marks are empty, as if unfinished. */
bool hsc_rt_probes_wrap(hsc_rt_scopes *s, hsc_rt_mark *next, hsc_rt_mark *end) {
    hsc_rt_mark *found = next, *to = s->marks;
    uint64_t n = (uint64_t)(end - to);
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(0ull) : "memory");
    s->folded = s->marks;
    __asm__ volatile("cmpxchgq %2, %1" : "+a"(found), "+m"(s->noting->next) : "r"(s->marks) : "memory", "cc");
    if (found != next)
        s->folded = end;
    return found == next;
}

void hsc_rt_probes_take_out(hsc_rt_scopes *s, uint64_t cycles, bool leaves) {
    if (cycles > HSC_RT_OWN_CYCLES_MAX)
        cycles = HSC_RT_OWN_CYCLES_MAX;
    s->own += cycles;
    s->skip_later += cycles;
    if (s->folded != atomic_load_explicit(&s->noting->next, memory_order_relaxed))
        return;
    s->skip += s->skip_later;
    s->skip_later = 0;
    s->skip_from = s->folded + leaves;
}

/* Makes room where nothing else is to be done. */
HSC_RT_PROBE_CODE bool hsc_rt_probe_room_usual(const hsc_rt_mark *refused, uint64_t what) {
    uint64_t begin = hsc_cycles();
    hsc_rt_scopes *s = hsc_rt_scopes_self;
    if (!s || !atomic_load_explicit(&hsc_rt.on, memory_order_relaxed) || !hsc_rt.same_process ||
        !atomic_load_explicit(hsc_rt.same_process, memory_order_relaxed) || refused < s->marks + HSC_RT_MARKS ||
        atomic_load_explicit(&s->inside, memory_order_relaxed) || s->last >= s->due || s->rooms >= s->rooms_limit)
        return false;
    atomic_store_explicit(&s->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    hsc_rt_mark *end = s->marks + HSC_RT_MARKS, *next;
    bool room = false;
    while (!room && hsc_rt_probes_fold_usual(s, end) == HSC_RT_FOLD_DONE) {
        next = atomic_load_explicit(&s->noting->next, memory_order_acquire);
        room = next >= end && hsc_rt_probes_wrap(s, next, end);
    }
    if (room)
        s->refused = 0;
    s->rooms++;
    hsc_rt_probes_take_out(s, hsc_cycles() - begin, hsc_rt_probe_leaves(what));
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&s->inside, 0, memory_order_relaxed);
    return room;
}
