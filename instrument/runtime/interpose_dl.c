/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* dlopen and dlclose: the helper is told to look at the mappings. These wrappers must end in a jump, not a call: the
 * dynamic linker searches along the run path of the caller, which it finds by the return address. */
#include "interpose.h"

static void look(void) {
    if (hsc_rt_active()) {
        atomic_store(&hsc_rt.want_scan, 1);
        hsc_rt_helper_poke();
    }
}

HSC_RT_EXPORT void *dlopen(const char *file, int mode) {
    static void *(*real)(const char *, int);
    if (!real)
        real = HSC_RT_REAL("dlopen");
    look();
    return real(file, mode);
}

HSC_RT_EXPORT void *dlmopen(Lmid_t space, const char *file, int mode) {
    static void *(*real)(Lmid_t, const char *, int);
    if (!real)
        real = HSC_RT_REAL("dlmopen");
    look();
    return real(space, file, mode);
}

HSC_RT_EXPORT int dlclose(void *handle) {
    static int (*real)(void *);
    if (!real)
        real = HSC_RT_REAL("dlclose");
    look();
    return real(handle);
}
