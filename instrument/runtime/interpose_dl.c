/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* dlopen and dlclose: the helper is told to look at the mappings. These wrappers must end in a jump, not a call: the
 * dynamic linker searches along the run path of the caller, which it finds by the return address. */
#include "gomp.h"
#include "interpose.h"

static void look(uint32_t what) {
    if (hsc_rt_active()) {
        atomic_fetch_or(&hsc_rt.want_scan, what);
        hsc_rt_watch_poke();
    }
}

HSC_RT_EXPORT void *dlopen(const char *file, int mode) {
    static void *(*real)(const char *, int);
    if (!real)
        real = HSC_RT_REAL("dlopen");
    look(HSC_RT_SCAN_LINKER);
    return real(file, mode);
}

HSC_RT_EXPORT void *dlmopen(Lmid_t space, const char *file, int mode) {
    static void *(*real)(Lmid_t, const char *, int);
    if (!real)
        real = HSC_RT_REAL("dlmopen");
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
