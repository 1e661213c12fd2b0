/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sums of a thread's waits, by (calling context, kind, holder of the lock), and the records made of them. The thread
 * itself adds; records are written by it, by its handler, or by the helper while it sleeps: whoever has the writer. */
#include "brief.h"

#define FIRST_CAPACITY 16u
#define TELL_NS 100000000ull
#define TELL_OPEN_MAX_NS 10000000000ull

static size_t bytes_of(uint32_t capacity) {
    return capacity * (sizeof(hsc_rt_wait_sum) + 2 * sizeof(uint32_t));
}

static uint32_t *slots_of(hsc_rt_wait_sum *entry, uint32_t capacity) {
    return (uint32_t *)(entry + capacity);
}

/* Only what makes the sum: node, kind, holder_*, fork. */
static uint32_t hash(const hsc_rt_wait_sum *e) {
    uint64_t h = ((uint64_t)e->node << 32 | e->holder_node) * 0x9e3779b97f4a7c15u ^ ((uint64_t)e->kind << 32 | e->holder_thread) * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 29 ^ e->fork;
    h *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32);
}

static void link_entry(hsc_rt_waits *w, uint32_t i) {
    const hsc_rt_wait_sum *e = &w->entry[i];
    uint32_t *slot = slots_of(w->entry, w->capacity), mask = 2 * w->capacity - 1;
    uint32_t at = hash(e) & mask;
    while (slot[at])
        at = (at + 1) & mask;
    slot[at] = i + 1;
}

static bool grow(hsc_rt_waits *w) {
    uint32_t capacity = w->capacity ? 2 * w->capacity : FIRST_CAPACITY;
    hsc_rt_wait_sum *entry = hsc_rt_map(bytes_of(capacity));
    if (!entry)
        return false;
    if (w->entry)
        __builtin_memcpy(entry, w->entry, w->count * sizeof *entry);
    hsc_rt_unmap(w->entry, bytes_of(w->capacity));
    w->entry = entry;
    w->capacity = capacity;
    for (uint32_t i = 0; i < w->count; i++)
        link_entry(w, i);
    return true;
}

/* Nothing is counted in it yet. */
static hsc_rt_wait_sum empty(const hsc_rt_wait_sum *like) {
    return (hsc_rt_wait_sum){
        .node = like->node, .kind = like->kind, .holder_thread = like->holder_thread, .holder_node = like->holder_node, .fork = like->fork};
}

static hsc_rt_wait_sum *find(hsc_rt_waits *w, const hsc_rt_wait_sum *like) {
    if (w->capacity) {
        const uint32_t *slot = slots_of(w->entry, w->capacity);
        uint32_t mask = 2 * w->capacity - 1, at = hash(like) & mask;
        for (; slot[at]; at = (at + 1) & mask) {
            hsc_rt_wait_sum *e = &w->entry[slot[at] - 1];
            if (e->node == like->node && e->kind == like->kind && e->holder_thread == like->holder_thread &&
                e->holder_node == like->holder_node && e->fork == like->fork)
                return e;
        }
    }
    if (w->count == w->capacity && !grow(w))
        return NULL;
    hsc_rt_wait_sum *e = &w->entry[w->count];
    *e = empty(like);
    link_entry(w, w->count++);
    return e;
}

static void mark(hsc_rt_waits *w, hsc_rt_wait_sum *e) {
    if (e->dirty)
        return;
    e->dirty = true;
    e->next_dirty = w->dirty;
    w->dirty = (uint32_t)(e - w->entry) + 1;
}

/* Where the region was forked that the thread works in. */
static uint64_t fork_of(const hsc_rt_thread *t) {
    const hsc_rt_region *r = hsc_rt_region_of(hsc_rt_region_in(t, t->tasks.origin));
    return r ? atomic_load_explicit(&r->fork, memory_order_acquire) : 0;
}

hsc_rt_wait_sum *hsc_rt_waits_add(hsc_rt_thread *t, uint32_t node, uint32_t kind, uint64_t duration_ns, uint64_t told_ns, uint64_t bytes,
                                  uint32_t holder_thread, uint32_t holder_node) {
    hsc_rt_waits *w = &t->waits;
    hsc_rt_wait_sum *e = find(w, &(hsc_rt_wait_sum){
                                     .node = node, .kind = kind, .holder_thread = holder_thread, .holder_node = holder_node, .fork = fork_of(t)});
    if (!e)
        return NULL;
    e->bucket[hsc_rt_wait_bucket(duration_ns)]++;
    e->count++;
    e->total_ns += duration_ns - told_ns;
    e->max_ns = duration_ns > e->max_ns ? duration_ns : e->max_ns;
    e->bytes += bytes;
    e->told_ns += told_ns;
    w->all_ns += duration_ns - told_ns;
    e->unrecorded_ns += duration_ns;
    mark(w, e);
    return e;
}

void hsc_rt_brief_sum(hsc_rt_thread *t, hsc_rt_brief *b) {
    hsc_rt_waits *w = &t->waits;
    hsc_rt_wait_sum of = {.node = b->node, .kind = b->kind, .holder_thread = b->held ? b->holder.thread : 0, .holder_node = b->held ? b->holder.node : 0};
    hsc_rt_wait_sum *e = b->node ? find(w, &of) : NULL;
    uint64_t *unrecorded_ns = b->held ? &w->unrecorded_ns : e ? &e->unrecorded_ns : NULL;
    if (e && b->count) {
        for (uint32_t i = 0; i < HSC_RT_BRIEF_BUCKETS; i++)
            e->bucket[i] += b->bucket[i];
        e->count += b->count;
        e->total_ns += b->total_ns;
        e->max_ns = b->max_ns > e->max_ns ? b->max_ns : e->max_ns;
        e->bytes += b->held ? 0 : b->bytes;
        w->all_ns += b->total_ns;
        *unrecorded_ns += b->total_ns;
        mark(w, e);
    }
    b->room_ns = e && *unrecorded_ns < HSC_RT_LONG_NS ? HSC_RT_LONG_NS - (uint32_t)*unrecorded_ns : 0;
    b->count = b->max_ns = b->total_ns = 0;
    b->bytes = b->held ? b->bytes : 0;
    __builtin_memset(b->bucket, 0, sizeof b->bucket);
}

static bool put(hsc_rt_thread *t, hsc_rt_wait_sum *e, uint64_t now) {
    uint64_t buckets[HSC_RT_WAIT_BUCKETS];
    uint32_t low = 0, n = 0;
    for (uint32_t i = 0; i < HSC_RT_WAIT_BUCKETS; i++) {
        if (!e->bucket[i])
            continue;
        low = n ? low : i;
        while (n && low + n < i)
            buckets[n++] = 0;
        buckets[n++] = e->bucket[i];
    }
    hsc_rec_wait r = {now, e->node, e->kind, e->count, e->total_ns, e->max_ns, e->bytes, n ? low + HSC_RT_WAIT_BUCKET_LOW : 0,
                      {buckets, n}, e->holder_thread, e->holder_node, e->open, e->told_ns, e->fork >> 32, (uint32_t)e->fork};
    if (!hsc_rt_thread_put(t, HSC_REC_wait, &r, now))
        return false;
    uint32_t next = e->next_dirty;
    uint64_t unrecorded_ns = e->unrecorded_ns;
    *e = empty(e);
    e->unrecorded_ns = unrecorded_ns;
    t->waits.dirty = next;
    return true;
}

/* The open wait is counted until then: not in the time in which measuring is off. */
static uint64_t counted_until(const hsc_rt_open *o, uint64_t now) {
    uint64_t off = atomic_load_explicit(&hsc_rt.off_ns, memory_order_relaxed);
    return off > o->begin_ns && off < now ? off : now;
}

/* How far the open wait has come: that for the end of a parallel region not further than the region, though its thread, which has no processor, does not
 * know yet. */
static uint64_t lasts_until(const hsc_rt_thread *t, uint64_t now) {
    const hsc_rt_region *r = t->open.kind == HSC_wait_kind_OMP_REGION_END ? hsc_rt_region_of(t->region) : NULL;
    uint64_t end = r ? atomic_load_explicit(&r->end_ns, memory_order_acquire) : 0;
    return counted_until(&t->open, end && end < now ? end : now);
}

void hsc_rt_waits_end_region(hsc_rt_thread *t, uint64_t now) {
    hsc_rt_open *o = &t->open;
    uint64_t end = lasts_until(t, now);
    if (o->kind != HSC_wait_kind_OMP_REGION_END || end >= now || end <= o->begin_ns || end < o->begin_ns + o->told_ns)
        return;
    uint32_t node = o->node;
    hsc_rt_wait_over(t, end, 0, 0, 0);
    o->node = node;
    o->begin_ns = end;
    o->told_ns = 0;
    atomic_signal_fence(memory_order_release);
    o->kind = HSC_wait_kind_OMP_IDLE;
}

/* What is told of a wait while it goes on stays where it was told: not where it is supposed to be. */
static void settle_place(hsc_rt_thread *t, uint64_t now) {
    hsc_rt_open *o = &t->open;
    bool truncated;
    uint32_t node = o->supposed ? hsc_rt_walk_blocked(t, &o->at, false, now, &truncated) : 0;
    o->node = node ? node : o->node;
    o->supposed = false;
}

void hsc_rt_waits_tell(hsc_rt_thread *t, uint64_t now) {
    hsc_rt_waits *w = &t->waits;
    hsc_rt_open *o = &t->open;
    hsc_rt_waits_end_region(t, now);
    hsc_rt_briefs_sum(t);
    uint64_t until = lasts_until(t, now);
    if (o->kind && until > o->begin_ns + o->told_ns) {
        settle_place(t, now);
        hsc_rt_wait_sum *e = find(w, &(hsc_rt_wait_sum){.node = o->node, .kind = o->kind, .fork = fork_of(t)});
        if (e) {
            e->open = true;
            e->total_ns += until - o->begin_ns - o->told_ns;
            w->all_ns += until - o->begin_ns - o->told_ns;
            o->told_ns = until - o->begin_ns;
            mark(w, e);
        }
    }
    while (w->dirty && put(t, &w->entry[w->dirty - 1], now))
        ;
    w->told_ns = now;
}

bool hsc_rt_waits_due(const hsc_rt_thread *t, uint64_t now) {
    const hsc_rt_open *o = &t->open;
    if ((t->waits.dirty || t->briefs.used) && now > t->waits.told_ns + TELL_NS)
        return true;
    if (!o->kind || now < o->begin_ns + o->told_ns)
        return false;
    uint64_t next = o->told_ns < TELL_NS ? TELL_NS : o->told_ns < TELL_OPEN_MAX_NS ? o->told_ns : TELL_OPEN_MAX_NS;
    return now > o->begin_ns + o->told_ns + next;
}

void hsc_rt_waits_help(hsc_rt_thread *t, uint64_t now) {
    uint32_t free_word = 0;
    if (!hsc_rt_waits_due(t, now) ||
        !atomic_compare_exchange_strong_explicit(&t->busy, &free_word, HSC_RT_BUSY_HELPER, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    now = hsc_rt_thread_now(t);
    hsc_rt_waits_tell(t, now);
    atomic_store_explicit(&t->busy, 0, memory_order_release);
}

void hsc_rt_wait_over(hsc_rt_thread *t, uint64_t now, uint64_t bytes, uint32_t holder_thread, uint32_t holder_node) {
    hsc_rt_open *o = &t->open;
    if (!o->kind)
        return;
    uint64_t let_go = now;
    now = counted_until(o, now);
    uint64_t duration = now > o->begin_ns ? now - o->begin_ns : 0, told = o->told_ns < duration ? o->told_ns : duration;
    bool omp = o->kind >= HSC_wait_kind_OMP_BARRIER && o->kind <= HSC_wait_kind_OMP_IDLE;
    bool alone = !holder_thread && !omp && o->kind != HSC_wait_kind_BARRIER; /* nobody asks for each: who came last to a barrier */
    hsc_rt_wait_sum *sum = hsc_rt_waits_add(t, o->node, o->kind, duration, told, bytes, holder_thread, holder_node);
    t->waits.unrecorded_ns += holder_thread ? duration : 0;
    uint64_t *unrecorded = holder_thread ? &t->waits.unrecorded_ns : alone && sum ? &sum->unrecorded_ns : NULL, stands_for = unrecorded ? *unrecorded : 0;
    if (hsc_rt.options.trace || duration >= HSC_RT_LONG_NS || stands_for >= HSC_RT_LONG_NS) {
        uint64_t fork = fork_of(t);
        const hsc_rt_team team = omp ? t->team : (hsc_rt_team){0};
        uint64_t in_step_ns = hsc_rt_wait_is_team(o->kind) ? team.in_step_ns : o->in_step_ns;
        bool in_step = in_step_ns && in_step_ns <= o->begin_ns;
        uint64_t ended_before_ns = holder_thread && o->ended_ns > o->begin_ns && o->ended_ns < now ? now - o->ended_ns : 0;
        hsc_rec_wait_interval r = {now, duration, o->node, o->kind, bytes, holder_thread, holder_node, stands_for, fork >> 32, (uint32_t)fork,
                                   team.region, team.master, team.threads, ended_before_ns, in_step ? now - in_step_ns : 0};
        if (hsc_rt_thread_put(t, HSC_REC_wait_interval, &r, now) && unrecorded)
            *unrecorded -= stands_for;
    }
    if (hsc_rt_wait_is_team(o->kind))
        t->team.in_step_ns = let_go;
    o->kind = 0;
    if (hsc_rt_waits_due(t, let_go))
        hsc_rt_waits_tell(t, let_go);
}

void hsc_rt_waits_clear(hsc_rt_thread *t) {
    hsc_rt_waits *w = &t->waits;
    hsc_rt_unmap(w->entry, bytes_of(w->capacity));
    *w = (hsc_rt_waits){0};
    if (t->briefs.used)
        __builtin_memset(t->brief, 0, sizeof t->brief);
    t->briefs = (hsc_rt_briefs){0};
    t->open.kind = 0;
}
