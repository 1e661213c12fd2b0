/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* probe_times_bench VISITS: calls of a short procedure whose time is known from the same loop without probes (probe_times_bench.py). KIND: 0: multiplications one after
 * the other, COUNT of them; 1: COUNT words of a small array, four sums; 2: branches that go one way as often as the other; 3: words of 16 MB in no order. Prints ns of CPU time and of elapsed time a visit. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t near_words[1u << 10], far_words[1u << 21];

static uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) uint64_t visited(uint64_t x);
uint64_t visited(uint64_t x) {
#if KIND == 0
    for (int i = 0; i < COUNT; i++) {
        x *= 6364136223846793005u;
        __asm__ volatile("" : "+r"(x));
    }
#elif KIND == 1
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < COUNT; i += 4) {
        a += near_words[i] ^ x;
        b += near_words[i + 1];
        c += near_words[i + 2] ^ x;
        d += near_words[i + 3];
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    }
    x += (a + b + c + d) & 1;
#elif KIND == 2
    x = x * 6364136223846793005u + 1442695040888963407u;
    if (x >> 63)
        near_words[x >> 55 & 511] += x;
    else
        near_words[(x >> 55 & 511) + 512] ^= x + 1;
#else
    x = x * 6364136223846793005u + 1442695040888963407u;
    far_words[x >> 43] += x;
#endif
    return x;
}

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 0;
    uint64_t x = (uint64_t)argc, from = clock_ns(CLOCK_THREAD_CPUTIME_ID), since = clock_ns(CLOCK_MONOTONIC);
    for (long i = 0; i < n; i++)
        x = visited(x);
    double cpu = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - from), elapsed = (double)(clock_ns(CLOCK_MONOTONIC) - since);
    printf("%.3f %.3f %d\n", n ? cpu / (double)n : 0, n ? elapsed / (double)n : 0, (int)(x & 1));
    return n < 1;
}
