/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks all signals, past the C library, for 0.3 s of CPU time, and computes from then on until it is killed. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

static double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work_until(double end) {
    while (cpu_s() < end)
        for (int i = 0; i < 10000; i++)
            sink += i;
}

int main(void) {
    uint64_t all = UINT64_MAX, before;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    work_until(cpu_s() + 0.3);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof all);
    work_until(1e9);
}
