// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree of calls drawn anew each time, so that hardly ever the block that was visited last is visited again. Prints how many nanoseconds passed in `outer`, how
// often another had the processor meanwhile, and the CPU time there in nanoseconds.
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
static volatile int sink;
static uint32_t seed = 1;

static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % n;
}

void p0(int depth), p1(int depth), p2(int depth);
static void (*const all[])(int depth) = {p0, p1, p2};

#define PROCEDURE(name) \
    __attribute__((noinline)) void name(int depth) { \
        if (depth > 0) { \
            all[draw(3)](depth - 1); \
            all[draw(3)](depth - 1); \
        } \
        sink = depth; \
    }
PROCEDURE(p0)
PROCEDURE(p1)
PROCEDURE(p2)

__attribute__((noinline)) void outer(void) {
    for (int i = 0; i < 100; i++)
        p0(6);
    sink = 1;
}

static long long read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(void) {
    struct timespec rest = {0, 20000000};
    struct rusage before, after;
    nanosleep(&rest, NULL); /* who has slept is rather not interrupted */
    getrusage(RUSAGE_SELF, &before);
    long long begin = read_clock(CLOCK_MONOTONIC), cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
    outer();
    cpu = read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
    long long elapsed = read_clock(CLOCK_MONOTONIC) - begin;
    getrusage(RUSAGE_SELF, &after);
    printf("%lld %ld %lld\n", elapsed, after.ru_nivcsw - before.ru_nivcsw, cpu);
    return 0;
}
