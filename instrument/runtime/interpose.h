/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the wrappers of libc's functions are written, and what the files of normal code share. */
#ifndef HSC_RT_INTERPOSE_H
#define HSC_RT_INTERPOSE_H

#include <dlfcn.h>

#include "rt.h"

#define HSC_RT_EXPORT __attribute__((visibility("default")))
/* The function that the program would have got without us. */
#define HSC_RT_REAL(name) ((__typeof__(real))dlsym(RTLD_NEXT, name))

void hsc_rt_threads_init(void);
/* sandbox.c */
void hsc_rt_sandbox(void); /* the program is about to enter one: the measurement ends */
bool hsc_rt_source_is_deadly(enum hsc_rt_mechanism m); /* the process would be ended for trying it */
const char *hsc_rt_library(void); /* path of this library, "" if it is not known */
bool hsc_rt_is_filtered(void); /* by seccomp: an unusual system call may end the process */

void hsc_rt_waits_init(void); /* the same */
void hsc_rt_locks_init(void); /* once, before anything is measured */
void hsc_rt_threads_forget(void); /* child of fork */
/* Last records of a thread; rt.lock is held, the thread does not write. */
/* `own`: the thread is not in the midst of writing (else its last records go to stream 0). */
void hsc_rt_thread_close(hsc_rt_thread *t, uint64_t cpu_ns, bool ended, bool own);

/* Only timers of wall-clock time send signals to a waiting thread: off while a call waits that a signal may end early. */
static inline bool hsc_rt_quiet_begin(void) {
    if (hsc_rt.mechanism != HSC_RT_MONOTONIC || !hsc_rt_self || !hsc_rt_active())
        return false;
    hsc_rt_source_pause(hsc_rt_self, HSC_RT_PAUSE_WAIT);
    return true;
}

static inline void hsc_rt_quiet_end(bool begun) {
    if (begun && hsc_rt_self)
        hsc_rt_source_resume(hsc_rt_self, HSC_RT_PAUSE_WAIT);
}

#endif
