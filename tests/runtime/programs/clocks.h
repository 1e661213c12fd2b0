/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Clocks of programs that tell how long their own calls waited. */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <time.h>

static inline double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double now(void) { return read_clock(CLOCK_MONOTONIC); }

static inline void work(double us) {
    double end = now() + 1e-6 * us;
    while (now() < end)
        ;
}

#endif
