/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the helper looks at what is mapped. Reading that from the kernel takes half a millisecond in a program with a
 * hundred libraries, and a call of dlopen is known when it begins, not when it ends. So the dynamic linker's own list,
 * which tells in a tenth of that whether anything has changed, is looked at soon after, then more and more seldom; the
 * kernel is asked where it has, or where a library was closed of late. It is asked too where a sample meets code of
 * which nothing is known; where that stays so (code made at run time), more and more seldom. */
#include <link.h>
#include <sys/uio.h>
#include <time.h>

#include "rt.h"

#define FIRST_NS 200000ull
#define LAST_NS 1000000000ull
#define PAUSE 100u /* of the process's CPU time, times what the last look took: a hundredth of it, while libraries are loaded one after the other */
#define LONGEST_PAUSE_NS 100000000ull
#define PAUSE_CLOSED 50u /* the same where what is known may be wrong */
#define LONGEST_PAUSE_CLOSED_NS 20000000ull
#define PAUSE_STRANGER 30u /* the same where samples meet code that is not known */
#define REST_NS 2000000ull /* between two looks at the CPU time, at least */
#define LONGEST_REST_NS 10000000ull
#define IDLE_NS 500000000ull /* of a process that uses no CPU time */
#define SOON_NS 20000000ull /* who looks by then need not be woken */
#define LINKED_MAX 65536u /* of a list that changes under our eyes */

static const struct r_debug *linker; /* NULL: not known */
static struct {
    uint64_t next_ns, every_ns;                   /* 0: no call of the dynamic linker is supposed to be under way */
    uint64_t stranger_next_ns, stranger_every_ns; /* code of which nothing is known; not before that time */
    bool stranger;
    bool closed; /* a library, of late: the next one may have its place in memory and in the list */
    uint64_t asked_ns, asked_cpu_ns, cost_ns; /* of the last look: when, the process's CPU time then, its own */
    uint64_t linked; /* what the list was when the kernel was last asked */
} watch;

void hsc_rt_watch_begin(const void *linkers_state) {
    linker = linkers_state;
}

/* The list as it was when it was last walked: the kernel then copies many entries by one call. */
#define AT_ONCE 64u
#define KNOWN_MAX 1024u
static const struct link_map *known[KNOWN_MAX];
static uint32_t known_n;

static uint64_t mix(uint64_t h, const struct link_map *at, const struct link_map *m) {
    h = (h ^ (uint64_t)at) * 0xc2b2ae3d27d4eb4fu;
    return (h ^ h >> 31 ^ m->l_addr ^ (uint64_t)m->l_ld << 1) * 0x9e3779b97f4a7c15u;
}

/* How many entries are those that were there, from the first one on; *next: the one behind them. */
static uint32_t linked_as_known(uint64_t *h, const struct link_map **next) {
    struct link_map copy[AT_ONCE];
    struct iovec to = {copy, 0}, from[AT_ONCE];
    for (uint32_t i = 0, n; i < known_n; i += n) {
        n = known_n - i < AT_ONCE ? known_n - i : AT_ONCE;
        for (uint32_t k = 0; k < n; k++)
            from[k] = (struct iovec){(void *)known[i + k], sizeof *copy}; /* NOLINT: only read */
        to.iov_len = n * sizeof *copy;
        if (*next != known[i] || hsc_sys6(SYS_process_vm_readv, hsc_rt.pid, (long)&to, 1, (long)from, n, 0) != (long)to.iov_len)
            return i;
        for (uint32_t k = 0; k < n; k++) {
            *h = mix(*h, known[i + k], &copy[k]);
            *next = copy[k].l_next;
            if (k + 1 < n && *next != known[i + k + 1])
                return i + k + 1;
        }
    }
    return known_n;
}

/* A number that changes with the list of libraries; 0 while the dynamic linker changes it, or where it is not known. */
static uint64_t linked_now(void) {
    uint64_t h = 0;
    struct link_map m;
    if (!linker || __atomic_load_n(&linker->r_state, __ATOMIC_ACQUIRE) != RT_CONSISTENT)
        return 0;
    const struct link_map *at = __atomic_load_n(&linker->r_map, __ATOMIC_ACQUIRE);
    uint32_t n = linked_as_known(&h, &at);
    for (; at && n < LINKED_MAX; at = m.l_next, n++) {
        if (!hsc_rt_read(&m, (uint64_t)at, sizeof m))
            return 0;
        if (n < KNOWN_MAX)
            known[n] = at;
        h = mix(h, at, &m);
    }
    known_n = n < KNOWN_MAX ? n : KNOWN_MAX;
    return h | 1;
}

/* What looking cost is earned by the process's own CPU time, of which looks take their share: not by time, of which ranks that share processors have
 * more. Returns how long to wait before it is seen again whether that is so; 0: look. */
static uint64_t rest_ns(uint64_t now) {
    uint64_t pause = (watch.stranger ? PAUSE_STRANGER : watch.closed ? PAUSE_CLOSED : PAUSE) * watch.cost_ns;
    uint64_t most = watch.closed ? LONGEST_PAUSE_CLOSED_NS : LONGEST_PAUSE_NS;
    pause = pause < FIRST_NS ? FIRST_NS : pause < most ? pause : most;
    if (!watch.asked_ns || now >= watch.asked_ns + IDLE_NS)
        return 0;
    uint64_t used = hsc_rt_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - watch.asked_cpu_ns;
    if (used >= pause)
        return 0;
    uint64_t left = pause - used, half = left / 2 * (now - watch.asked_ns) / (used + 1); /* of the time for it at the pace so far, which may change */
    half = half < LONGEST_REST_NS ? half : LONGEST_REST_NS;
    left = left > half ? left : half;
    return left > REST_NS ? left : REST_NS;
}

static _Atomic uint64_t looks_ns; /* when the helper looks next; 0: when it is woken */

void hsc_rt_watch_poke(void) {
    uint64_t next = atomic_load(&looks_ns);
    if (!next || next > hsc_rt_now_ns() + SOON_NS)
        hsc_rt_helper_poke();
}

static void ask(uint64_t now, uint64_t linked) {
    bool changed = hsc_rt_modules_scan();
    watch.linked = linked;
    if (watch.stranger) {
        watch.stranger = false;
        watch.stranger_every_ns = changed || !watch.stranger_every_ns ? FIRST_NS
                                  : watch.stranger_every_ns < LAST_NS ? 2 * watch.stranger_every_ns
                                                                      : LAST_NS;
        watch.stranger_next_ns = now + watch.stranger_every_ns;
    }
    if (changed) { /* there may be more to come */
        watch.every_ns = FIRST_NS;
        watch.next_ns = now + watch.every_ns;
    }
}

static uint64_t look(uint64_t now) {
    uint32_t want = atomic_exchange(&hsc_rt.want_scan, 0);
    watch.closed = watch.closed || want & HSC_RT_SCAN_CLOSED;
    watch.stranger = watch.stranger || want & HSC_RT_SCAN_STRANGER;
    if (want & HSC_RT_SCAN_LINKER) {
        watch.every_ns = FIRST_NS;
        watch.next_ns = now;
    }
    bool met = watch.stranger && now >= watch.stranger_next_ns, due = watch.next_ns && now >= watch.next_ns;
    if (met || due) {
        uint64_t rest = rest_ns(now), cost_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK);
        if (rest)
            return now + rest;
        uint64_t linked = linked_now();
        bool busy = linker && !linked, changed = !linked || linked != watch.linked;
        if (due) {
            watch.every_ns *= busy ? 1 : watch.closed ? 16 : 4; /* it may still have to begin */
            watch.next_ns = watch.every_ns < LAST_NS ? now + watch.every_ns : 0;
        }
        if (met || (due && !busy && (changed || watch.closed)))
            ask(now, linked);
        if (due)
            watch.closed = watch.next_ns && watch.closed;
        watch.asked_ns = now;
        watch.asked_cpu_ns = hsc_rt_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        watch.cost_ns = hsc_rt_clock_ns(HSC_RT_THREAD_CLOCK) - cost_ns;
    }
    uint64_t next = watch.next_ns;
    if (watch.stranger && (!next || watch.stranger_next_ns < next))
        next = watch.stranger_next_ns;
    return next;
}

uint64_t hsc_rt_watch_tend(uint64_t now) {
    uint64_t next = look(now);
    atomic_store(&looks_ns, next);
    return atomic_load(&hsc_rt.want_scan) ? now : next; /* by one who saw that we look soon, and did not wake us */
}
