// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a visit of a probed procedure costs: batches of calls in turn with batches of a procedure that reads the clock twice; of the batches in
// which both together took least, the median. Prints nanoseconds a visit of either. Built several ways by probe_bench.py.
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define CALLS 2048
#define BATCHES 2000
#define BEST 9

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
#ifdef SUMMED
/* What has to be kept of a visit: the least that can be done with it, by one thread that nobody interrupts. */
struct {
    uint64_t children, exclusive[8], total, least, most, count[48];
    unsigned __int128 squares;
    uint64_t start, last, limits[64];
    uint32_t first[64];
} kept = {.least = UINT64_MAX};

static inline void summed(uint64_t start, uint64_t end) {
    uint64_t d = end - start;
    unsigned octave = 63 ^ (unsigned)__builtin_clzll(d | 1);
    kept.children += start - kept.last;
    kept.last = end;
    kept.exclusive[1] += d;
    kept.total += d;
    kept.least = d < kept.least ? d : kept.least;
    kept.most = d > kept.most ? d : kept.most;
    kept.squares += (unsigned __int128)d * d;
    kept.count[kept.first[octave] + (d >= kept.limits[octave])]++;
}
#endif

__attribute__((noinline)) void visited(int i) {
#ifdef NOTED
    __asm__ volatile("callq note_enter" : : : "memory", "cc");
#endif
#ifdef SUMMED
    uint64_t a = __rdtsc();
#endif
    sink = i;
#ifdef SUMMED
    __asm__ volatile("" : : : "memory");
    summed(a, __rdtsc());
#endif
#ifdef NOTED
    __asm__ volatile("callq note_leave" : : : "memory", "cc");
#endif
}

#ifdef __clang__
__attribute__((xray_never_instrument))
#endif
__attribute__((noinline, no_instrument_function)) void clocks(int i) {
    uint64_t a = __rdtsc();
    sink = i;
    sink = (int)(__rdtsc() - a);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void) {
    static uint64_t visits[BATCHES], reads[BATCHES];
    static int taken[BATCHES];
    uint64_t c0 = __rdtsc();
    double n0 = now();
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = __rdtsc();
        for (int i = 0; i < CALLS; i++)
            visited(i);
        uint64_t between = __rdtsc();
        for (int i = 0; i < CALLS; i++)
            clocks(i);
        visits[b] = between - start;
        reads[b] = __rdtsc() - between;
    }
    double rate = (now() - n0) / (double)(__rdtsc() - c0) / CALLS;
    int best[BEST];
    for (int k = 0; k < BEST; k++) {
        best[k] = -1;
        for (int b = 0; b < BATCHES; b++)
            if (!taken[b] && (best[k] < 0 || visits[b] + reads[b] < visits[best[k]] + reads[best[k]]))
                best[k] = b;
        taken[best[k]] = 1;
    }
    for (int i = 0; i < BEST; i++) /* by their difference */
        for (int k = i + 1; k < BEST; k++)
            if ((int64_t)(visits[best[k]] - reads[best[k]]) < (int64_t)(visits[best[i]] - reads[best[i]])) {
                int b = best[i];
                best[i] = best[k];
                best[k] = b;
            }
    printf("%.3f %.3f\n", (double)visits[best[BEST / 2]] * rate, (double)reads[best[BEST / 2]] * rate);
    return 0;
}
