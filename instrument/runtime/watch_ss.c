/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the helper looks at what is mapped. Reading that from the kernel takes half a millisecond in a program with a
 * hundred libraries, and a call of dlopen is known when it begins, not when it ends. So the dynamic linker's own list,
 * which tells in a tenth of that whether anything has changed, is looked at soon after, then more and more seldom; the
 * kernel is asked where it has, or where a library was closed of late. It is asked too where a sample meets code of
 * which nothing is known; where that stays so (code made at run time), more and more seldom. */
#include <link.h>
#include <sys/uio.h>

#include "rt.h"

#define FIRST_NS 200000ull
#define LAST_NS 1000000000ull
#define PAUSE 100u /* times what asking took: a hundredth of a processor, while libraries are loaded one after the other */
#define LONGEST_PAUSE_NS 100000000ull
#define PAUSE_CLOSED 50u /* the same where what is known may be wrong */
#define LONGEST_PAUSE_CLOSED_NS 20000000ull
#define LINKED_MAX 65536u /* of a list that changes under our eyes */

static const struct r_debug *linker; /* NULL: not known */
static struct {
    uint64_t next_ns, every_ns;                   /* 0: no call of the dynamic linker is supposed to be under way */
    uint64_t stranger_next_ns, stranger_every_ns; /* code of which nothing is known; not before that time */
    bool stranger;
    bool closed; /* a library, of late: the next one may have its place in memory and in the list */
    uint64_t asked_ns, cost_ns; /* when the kernel was asked, and what that took */
    uint64_t linked; /* what the list was when the kernel was last asked */
} watch;

void hsc_rt_watch_begin(const void *linkers_state) {
    linker = linkers_state;
}

/* The list as it was when it was last walked: the kernel then copies many entries by one call. */
#define AT_ONCE 64u
static const struct link_map *known[1024];
static uint32_t known_n;

static uint64_t mix(uint64_t h, const struct link_map *at, const struct link_map *m) {
    h = (h ^ (uint64_t)at) * 0xc2b2ae3d27d4eb4fu;
    return (h ^ h >> 31 ^ m->l_addr ^ (uint64_t)m->l_ld << 1) * 0x9e3779b97f4a7c15u;
}

static bool linked_as_known(uint64_t *out) {
    struct link_map copy[AT_ONCE];
    struct iovec to = {copy, 0}, from[AT_ONCE];
    uint64_t h = 0;
    if (!known_n || known[0] != __atomic_load_n(&linker->r_map, __ATOMIC_ACQUIRE))
        return false;
    for (uint32_t i = 0, n; i < known_n; i += n) {
        n = known_n - i < AT_ONCE ? known_n - i : AT_ONCE;
        for (uint32_t k = 0; k < n; k++)
            from[k] = (struct iovec){(void *)known[i + k], sizeof *copy}; /* NOLINT: only read */
        to.iov_len = n * sizeof *copy;
        if (hsc_sys6(SYS_process_vm_readv, hsc_rt.pid, (long)&to, 1, (long)from, n, 0) != (long)to.iov_len)
            return false;
        for (uint32_t k = 0; k < n; k++) {
            if (copy[k].l_next != (i + k + 1 < known_n ? known[i + k + 1] : NULL))
                return false;
            h = mix(h, known[i + k], &copy[k]);
        }
    }
    *out = h;
    return true;
}

/* A number that changes with the list of libraries; 0 while the dynamic linker changes it, or where it is not known. */
static uint64_t linked_now(void) {
    uint64_t h = 0;
    struct link_map m;
    uint32_t n = 0;
    if (!linker || __atomic_load_n(&linker->r_state, __ATOMIC_ACQUIRE) != RT_CONSISTENT)
        return 0;
    if (linked_as_known(&h))
        return h | 1;
    h = 0;
    for (const struct link_map *at = __atomic_load_n(&linker->r_map, __ATOMIC_ACQUIRE); at && n < LINKED_MAX;
         at = m.l_next, n++) {
        if (!hsc_rt_read(&m, (uint64_t)at, sizeof m))
            return 0;
        if (n < sizeof known / sizeof *known)
            known[n] = at;
        h = mix(h, at, &m);
    }
    known_n = n <= sizeof known / sizeof *known ? n : 0;
    return h | 1;
}

/* How long the kernel is left alone after it was asked, unless something unknown is met. */
static uint64_t pause_ns(void) {
    uint64_t most = watch.closed ? LONGEST_PAUSE_CLOSED_NS : LONGEST_PAUSE_NS;
    uint64_t pause = (watch.closed ? PAUSE_CLOSED : PAUSE) * watch.cost_ns;
    return pause < FIRST_NS ? FIRST_NS : pause < most ? pause : most;
}

uint64_t hsc_rt_watch_tend(uint64_t now) {
    uint32_t want = atomic_exchange(&hsc_rt.want_scan, 0);
    bool ask = false;
    uint64_t linked = 0;
    watch.closed = watch.closed || want & HSC_RT_SCAN_CLOSED;
    if (want & HSC_RT_SCAN_LINKER) {
        watch.every_ns = pause_ns();
        watch.next_ns = watch.asked_ns && watch.asked_ns + watch.every_ns > now ? watch.asked_ns + watch.every_ns : now;
    }
    watch.stranger = watch.stranger || want & HSC_RT_SCAN_STRANGER;
    if (watch.stranger && now >= watch.stranger_next_ns)
        ask = true;
    if (watch.next_ns && now >= watch.next_ns) {
        linked = linked_now();
        bool busy = linker && !linked;
        ask = ask || (!busy && (!linked || linked != watch.linked || watch.closed));
        watch.every_ns *= busy ? 1 : watch.closed ? 16 : 4; /* it may still have to begin */
        watch.next_ns = watch.every_ns < LAST_NS ? now + watch.every_ns : 0;
        watch.closed = watch.next_ns && watch.closed;
    } else if (ask) {
        linked = linked_now();
    }
    if (ask) {
        uint64_t cost_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
        bool changed = hsc_rt_modules_scan();
        watch.cost_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK) - cost_ns;
        watch.linked = linked;
        watch.asked_ns = now;
        if (watch.stranger) {
            watch.stranger = false;
            watch.stranger_every_ns = changed || !watch.stranger_every_ns ? FIRST_NS
                                      : watch.stranger_every_ns < LAST_NS ? 2 * watch.stranger_every_ns
                                                                          : LAST_NS;
            watch.stranger_next_ns = now + watch.stranger_every_ns;
        }
        if (changed) { /* there may be more to come */
            watch.every_ns = pause_ns();
            watch.next_ns = now + watch.every_ns;
        }
    }
    uint64_t next = watch.next_ns;
    if (watch.stranger && (!next || watch.stranger_next_ns < next))
        next = watch.stranger_next_ns;
    return next;
}
