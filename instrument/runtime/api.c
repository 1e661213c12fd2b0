/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What heatscope.h reaches: start and stop, scopes, phases and counters that the program names. */
#include <errno.h>
#include <string.h>

#include "here.h"
#include "interpose.h"
#include "probes.h"

#define BUCKETS 1024u
#define ARENA_BYTES 65536u
#define NAME_MAX_BYTES 1000u /* longer names are cut */

typedef struct user_name {
    struct user_name *next;
    uint64_t hash, id;
    size_t size;
    char text[];
} user_name;

static struct {
    _Atomic(user_name *) bucket[BUCKETS]; /* entries are only ever added, in front */
    uint64_t count;
    uint8_t *arena;
    size_t left;
} names; /* rt.lock to add */

void heatscope_rt_measure(int on);
int heatscope_rt_measuring(void);
void heatscope_rt_begin(const char *name);
void heatscope_rt_end(const char *name);
void heatscope_rt_phase(const char *name);
void heatscope_rt_counter(const char *name, double value);

static const user_name *find(const char *text, size_t size, uint64_t hash) {
    const user_name *n = atomic_load_explicit(&names.bucket[hash % BUCKETS], memory_order_acquire);
    while (n && (n->hash != hash || n->size != size || memcmp(n->text, text, size) != 0))
        n = n->next;
    return n;
}

static bool tell(const user_name *n, uint64_t now) {
    hsc_rec_user_name r = {n->id, {n->text, n->size}};
    return hsc_rt_file_put(HSC_REC_user_name, &r, now);
}

/* The id of a name, which is told to the file when it is new; 0: none, or no memory. */
static uint64_t intern(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u, mask;
    size_t size = 0;
    for (; text && text[size] && size < NAME_MAX_BYTES; size++)
        hash = (hash ^ (uint8_t)text[size]) * 0x100000001b3u;
    if (!size)
        return 0;
    const user_name *n = find(text, size, hash);
    if (n || !hsc_rt_lock_take(&hsc_rt.lock, &mask, HSC_RT_PATIENCE_MS))
        return n ? n->id : 0;
    n = find(text, size, hash);
    size_t bytes = (sizeof *n + size + 15) & ~(size_t)15;
    if (!n && names.left < bytes) {
        names.arena = hsc_rt_map(ARENA_BYTES);
        names.left = names.arena ? ARENA_BYTES : 0;
    }
    if (!n && names.left >= bytes) {
        user_name *fresh = (user_name *)names.arena;
        names.arena += bytes;
        names.left -= bytes;
        fresh->next = atomic_load(&names.bucket[hash % BUCKETS]);
        fresh->hash = hash;
        fresh->id = ++names.count;
        fresh->size = size;
        memcpy(fresh->text, text, size);
        tell(fresh, hsc_rt_now_ns());
        atomic_store_explicit(&names.bucket[hash % BUCKETS], fresh, memory_order_release);
        n = fresh;
    }
    hsc_rt_lock_release(&hsc_rt.lock, mask);
    return n ? n->id : 0;
}

void hsc_rt_names_tell(uint64_t now) {
    for (uint32_t i = 0; names.count && i < BUCKETS; i++)
        for (const user_name *n = atomic_load(&names.bucket[i]); n; n = n->next)
            tell(n, now);
}

static void put(hsc_rt_thread *t, uint32_t record_id, void *record, uint64_t *time) {
    if (!hsc_rt_own(t))
        return; /* a signal handler of the program in the middle of our code */
    *time = hsc_rt_thread_now(t);
    hsc_rt_thread_put(t, record_id, record, *time);
    atomic_store_explicit(&hsc_rt_probe_state.used, 1, memory_order_relaxed);
    hsc_rt_disown(t, 0);
}

HSC_RT_EXPORT void heatscope_rt_measure(int on) {
    int saved_errno = errno;
    if (hsc_rt_measured())
        hsc_rt_measure(on != 0, HSC_measuring_reason_PROGRAM, NULL);
    errno = saved_errno;
}

HSC_RT_EXPORT int heatscope_rt_measuring(void) {
    return hsc_rt_measured() && hsc_rt_wanted();
}

HSC_RT_EXPORT void heatscope_rt_begin(const char *name) {
    hsc_rt_thread *t = hsc_rt_measured();
    uint64_t id = t ? intern(name) : 0;
    hsc_rec_user_begin r = {0, id};
    if (id)
        put(t, HSC_REC_user_begin, &r, &r.time);
}

HSC_RT_EXPORT void heatscope_rt_end(const char *name) {
    hsc_rt_thread *t = hsc_rt_measured();
    hsc_rec_user_end r = {0, 0};
    if (!t)
        return;
    r.name_id = intern(name);
    put(t, HSC_REC_user_end, &r, &r.time);
}

/* Sums of this thread end where a phase does, so that each is of one phase: messages, waits, probes. Not for phases that follow each other
 * within a millisecond, nor while sums are written more seldom because they are so many. */
#define PHASE_NS 1000000u
#define SUMS_NS 100000000u

static void end_sums(hsc_rt_thread *t, uint64_t now) {
    hsc_rt_waits_tell(t, now);
    if (t->scopes)
        hsc_rt_probes_tell(t, now);
    if (t->messages && now + SUMS_NS >= t->messages_due + PHASE_NS)
        hsc_rt.messages_flush(t, now, HSC_RT_FLUSH_DUE);
}

HSC_RT_EXPORT void heatscope_rt_phase(const char *name) {
    hsc_rt_thread *t = hsc_rt_measured();
    hsc_rec_user_phase r = {0, 0};
    if (!t)
        return;
    r.name_id = intern(name);
    if (!hsc_rt_own(t))
        return; /* a signal handler of the program in the middle of our code */
    r.time = hsc_rt_thread_now(t);
    end_sums(t, r.time);
    hsc_rt_thread_put(t, HSC_REC_user_phase, &r, r.time);
    atomic_store_explicit(&hsc_rt_probe_state.used, 1, memory_order_relaxed);
    hsc_rt_disown(t, 0);
}

HSC_RT_EXPORT void heatscope_rt_counter(const char *name, double value) {
    hsc_rt_thread *t = hsc_rt_measured();
    uint64_t id = t ? intern(name) : 0;
    hsc_rec_user_counter r = {0, id, value};
    if (id)
        put(t, HSC_REC_user_counter, &r, &r.time);
}
