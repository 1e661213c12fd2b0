/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* dlopen and dlclose: the helper is told to look at the mappings. These wrappers must end in a jump, not a call: the
 * dynamic linker searches along the run path of the caller, which it finds by the return address. */
#include "gomp.h"
#include "here.h"
#include "interpose.h"

static void look(uint32_t what) {
    if (hsc_rt_active()) {
        atomic_fetch_or(&hsc_rt.want_scan, what);
        hsc_rt_watch_poke();
    }
}

/* The call may go on for long: constructors. When it ends is not known, but its frame is gone then. */
static void note_load(const hsc_rt_here *at) {
    hsc_rt_thread *t = hsc_rt_measured();
    if (!t)
        return;
    uint32_t n = atomic_load_explicit(&t->loads_n, memory_order_relaxed);
    while (n && t->loads[n - 1].at.sp <= at->sp)
        n--;
    n = n < HSC_RT_LOADS ? n : HSC_RT_LOADS - 1;
    atomic_store_explicit(&t->loads_n, n, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the handler sees what is whole */
    t->loads[n].at = *at;
    t->loads[n].since_ns = hsc_rt_now_ns();
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&t->loads_n, n + 1, memory_order_relaxed);
}

HSC_RT_EXPORT void *dlopen(const char *file, int mode) {
    static void *(*real)(const char *, int);
    if (!real)
        real = HSC_RT_REAL("dlopen");
    hsc_rt_here at = HSC_RT_HERE();
    note_load(&at);
    look(HSC_RT_SCAN_LINKER);
    return real(file, mode);
}

HSC_RT_EXPORT void *dlmopen(Lmid_t space, const char *file, int mode) {
    static void *(*real)(Lmid_t, const char *, int);
    if (!real)
        real = HSC_RT_REAL("dlmopen");
    hsc_rt_here at = HSC_RT_HERE();
    note_load(&at);
    look(HSC_RT_SCAN_LINKER | HSC_RT_SCAN_STRANGER); /* another list than the one that is watched */
    return real(space, file, mode);
}

HSC_RT_EXPORT int dlclose(void *handle) {
    static int (*real)(void *);
    if (!real)
        real = HSC_RT_REAL("dlclose");
    look(HSC_RT_SCAN_LINKER | HSC_RT_SCAN_CLOSED);
    hsc_rt_gomp_forget();
    return real(handle);
}
