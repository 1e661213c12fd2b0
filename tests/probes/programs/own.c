// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree of calls drawn anew each time, so that hardly ever the block that was visited last is visited again. Prints how many nanoseconds passed in `outer`, and how
// often another had the processor meanwhile.
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

int main(void) {
    struct timespec a, b, rest = {0, 20000000};
    struct rusage before, after;
    nanosleep(&rest, NULL); /* who has slept is rather not interrupted */
    getrusage(RUSAGE_SELF, &before);
    clock_gettime(CLOCK_MONOTONIC, &a);
    outer();
    clock_gettime(CLOCK_MONOTONIC, &b);
    getrusage(RUSAGE_SELF, &after);
    printf("%lld %ld\n", (b.tv_sec - a.tv_sec) * 1000000000ll + b.tv_nsec - a.tv_nsec, after.ru_nivcsw - before.ru_nivcsw);
    return 0;
}
