/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A lock for normal code that never meets a signal handler, and waiting on a word. */
#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "rt.h"

void hsc_rt_wake(_Atomic uint32_t *word) {
    hsc_sys3(SYS_futex, (long)word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1 << 30);
}

void hsc_rt_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns) {
    struct timespec t = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    hsc_sys4(SYS_futex, (long)word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen, (long)&t);
}

#define WAIT_NS 10000000u

uint64_t hsc_rt_signals_block(void) {
    uint64_t all = ~0ull, before = 0;
    hsc_sys4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&before, 8);
    return before;
}

void hsc_rt_signals_restore(uint64_t mask) {
    hsc_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8);
}

bool hsc_rt_lock_take_blocked(hsc_rt_lock *l, int timeout_ms) {
    uint32_t free_word = 0;
    if (atomic_compare_exchange_strong_explicit(&l->word, &free_word, 1, memory_order_acquire, memory_order_relaxed))
        return true;
    uint64_t waited = 0, before = timeout_ms >= 0 ? hsc_rt_now_ns() : 0;
    while (atomic_exchange_explicit(&l->word, 2, memory_order_acquire) != 0) {
        hsc_rt_wait(&l->word, 2, WAIT_NS);
        if (timeout_ms < 0)
            continue;
        uint64_t now = hsc_rt_now_ns();
        waited += now - before < 2 * WAIT_NS ? now - before : 2 * WAIT_NS; /* a machine that stood still kept the owner from it, too */
        before = now;
        if (waited > (uint64_t)timeout_ms * 1000000u)
            return false;
    }
    return true;
}

void hsc_rt_lock_release_blocked(hsc_rt_lock *l) {
    if (atomic_exchange_explicit(&l->word, 0, memory_order_release) == 2)
        hsc_rt_wake(&l->word);
}

bool hsc_rt_lock_take(hsc_rt_lock *l, uint64_t *saved, int timeout_ms) {
    *saved = hsc_rt_signals_block();
    bool taken = hsc_rt_lock_take_blocked(l, timeout_ms);
    if (!taken)
        hsc_rt_signals_restore(*saved);
    return taken;
}

void hsc_rt_lock_release(hsc_rt_lock *l, uint64_t saved) {
    hsc_rt_lock_release_blocked(l);
    hsc_rt_signals_restore(saved);
}
