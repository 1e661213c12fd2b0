// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a visit of a probed procedure costs: cycles for a call, the least of many batches. Built several ways by probe_bench.py.
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define CALLS 2000
#define BATCHES 3000

volatile int sink;
#ifdef NOTED
/* The least that two calls can do which read the clock and keep all registers. */
uint64_t noted[2];
#define NOTE(name, where) \
    __asm__(".text\n" #name ":\n\tpushq %rax\n\tpushq %rdx\n\trdtsc\n\tshlq $32, %rdx\n\torq %rdx, %rax\n\tmovq %rax, " where "\n\t" \
            "popq %rdx\n\tpopq %rax\n\tretq")
NOTE(note_enter, "noted(%rip)");
NOTE(note_leave, "8+noted(%rip)");
#endif
__attribute__((noinline)) void visited(int i) {
#ifdef NOTED
    __asm__ volatile("callq note_enter" : : : "memory", "cc");
#endif
#ifdef CLOCKS
    uint64_t a = __rdtsc();
#endif
    sink = i;
#ifdef CLOCKS
    sink = (int)(__rdtsc() - a);
#endif
#ifdef NOTED
    __asm__ volatile("callq note_leave" : : : "memory", "cc");
#endif
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void) {
    uint64_t best = UINT64_MAX, c0 = __rdtsc();
    double n0 = now();
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = __rdtsc();
        for (int i = 0; i < CALLS; i++)
            visited(i);
        uint64_t d = __rdtsc() - start;
        best = d < best ? d : best;
    }
    double rate = (now() - n0) / (double)(__rdtsc() - c0);
    printf("%.3f\n", (double)best * rate / CALLS);
    return 0;
}
