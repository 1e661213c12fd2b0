/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* yields yields|faults ROUNDS N SECONDS: rounds of arithmetic, and of what mostly runs in the kernel: N yields, or N faults on
 * fresh pages. Where each yield lets a crowd of other programs pass it ends after SECONDS, with the round it is in. Prints the
 * CPU seconds of both by the thread's clock. */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define KEEP __attribute__((noinline))
volatile uint64_t sink;

static double last; /* CLOCK_MONOTONIC */

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void) {
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static int is_late(void) {
    return seconds_of(CLOCK_MONOTONIC) > last;
}

KEEP void works(int n) {
    uint64_t x = 1;
    for (int i = 0; i < n; i++)
        x = (x ^ x >> 29) * 6364136223846793005u;
    sink = x;
}

KEEP void yields(int n) {
    for (int i = 0; i < n && (i % 64 || !is_late()); i++)
        sched_yield();
    sink += 1;
}

KEEP void faults(int n) {
    char *p = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < n; i++)
        p[(size_t)i * 4096] = 1;
    munmap(p, (size_t)n * 4096);
    sink += 1;
}

int main(int argc, char **argv) {
    double seconds[2] = {0, 0};
    int faulting = argc > 1 && !strcmp(argv[1], "faults");
    int rounds = argc > 2 ? atoi(argv[2]) : 100, n = argc > 3 ? atoi(argv[3]) : 4000;
    last = seconds_of(CLOCK_MONOTONIC) + (argc > 4 ? atof(argv[4]) : 1e9);
    for (int i = 0; i < rounds && (seconds[0] + seconds[1] < 0.2 || !is_late()); i++) {
        double a = cpu();
        works(1000000);
        double b = cpu();
        if (faulting)
            faults(n);
        else
            yields(n);
        seconds[0] += b - a;
        seconds[1] += cpu() - b;
    }
    printf("%.6f %.6f\n", seconds[0], seconds[1]);
    return 0;
}
