/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* told_bench registers | memory TURNS SLICE_MS: the same work again and again, with samples off and on in turns (heatscope_stop, heatscope_start), so that neither
 * another process nor another hour is between what is compared. registers: a multiplication at a time; memory: words of 16 MB in no order. Used by told_bench.py.
 * Prints for each turn the CPU time in ns of a slice with samples, and what it took more than the mean of the slices without before and after it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heatscope.h"

#define SETTLE_MS 8 /* a stop is noticed with the next sample, a start at the kernel's next tick */
#define WORDS_LOG2 21

static uint64_t words[1u << WORDS_LOG2];
static volatile uint64_t sink;
static int in_memory;

static uint64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t next(uint64_t x) {
    return x * 6364136223846793005u + 1442695040888963407u;
}

static uint64_t work(uint64_t steps) {
    uint64_t x = sink | 1, from = cpu_ns();
    if (in_memory)
        for (uint64_t i = 0; i < steps; i++) {
            x = next(x);
            x += words[x >> (64 - WORDS_LOG2)]++;
        }
    else
        for (uint64_t i = 0; i < steps; i++)
            x = next(x);
    sink = x;
    return cpu_ns() - from;
}

static uint64_t slice(uint64_t steps_of_ms, uint64_t ms) {
    work(SETTLE_MS * steps_of_ms);
    return work(ms * steps_of_ms);
}

int main(int argc, char **argv) {
    long turns = argc == 4 ? atol(argv[2]) : 0, ms = argc == 4 ? atol(argv[3]) : 0;
    if (turns < 1 || ms < 1 || (strcmp(argv[1], "registers") && strcmp(argv[1], "memory"))) {
        fputs("usage: told_bench registers|memory TURNS SLICE_MS\n", stderr);
        return 2;
    }
    in_memory = !strcmp(argv[1], "memory");
    uint64_t steps = 100000, best = UINT64_MAX;
    heatscope_stop();
    for (int i = 0; i < 200; i++) {
        uint64_t t = work(steps);
        best = t && t < best ? t : best;
    }
    uint64_t steps_of_ms = steps * 1000000 / best + 1, before = slice(steps_of_ms, (uint64_t)ms);
    for (long i = 0; i < turns; i++) {
        heatscope_start();
        uint64_t with = slice(steps_of_ms, (uint64_t)ms);
        heatscope_stop();
        uint64_t after = slice(steps_of_ms, (uint64_t)ms);
        printf("%llu %lld\n", (unsigned long long)with, (long long)with - (long long)(before + after) / 2);
        before = after;
    }
    return 0;
}
