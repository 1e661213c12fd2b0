/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP loop whose iterations grow in cost: known imbalance between the threads of one process.
 *
 *     OMP_NUM_THREADS=2 ./triangle [-d] [UNIT]
 *
 * Iteration i of N costs i + 1 units. With schedule(static) on T threads, thread t has very nearly the share
 * (2t + 1) / T^2 of the work: on two threads 25 and 75 %. The program prints the exact shares. With -d the schedule is
 * dynamic, one iteration at a time, and the shares come out even where nothing else runs. Last it prints the threads' shares
 * of the CPU time in work, by their own clocks. */
#define _POSIX_C_SOURCE 200809L
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 400, ROUNDS = 10 };

__attribute__((noinline)) static uint64_t work(uint64_t x, long steps) {
    for (long i = 0; i < steps; i++)
        x = (x ^ x >> 29) * 6364136223846793005u;
    return x;
}

typedef struct thread_clock {
    double cpu_s;
    char apart[64 - sizeof(double)]; /* one cache line each */
} thread_clock;

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t timed_work(uint64_t x, long steps, thread_clock *clocks) {
    const double begin = cpu_s();
    x = work(x, steps);
    clocks[omp_get_thread_num()].cpu_s += cpu_s() - begin;
    return x;
}

static uint64_t triangle(uint64_t seed, long unit, thread_clock *clocks) {
    uint64_t check = 0;
#pragma omp parallel for schedule(static) reduction(^ : check)
    for (int i = 0; i < N; i++)
        check ^= timed_work(seed + (uint64_t)i, (i + 1) * unit, clocks);
    return check;
}

static uint64_t balanced(uint64_t seed, long unit, thread_clock *clocks) {
    uint64_t check = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(^ : check)
    for (int i = 0; i < N; i++)
        check ^= timed_work(seed + (uint64_t)i, (i + 1) * unit, clocks);
    return check;
}

int main(int argc, char **argv) {
    const bool dynamic = argc > 1 && strcmp(argv[1], "-d") == 0;
    const int at = dynamic ? 2 : 1, threads = omp_get_max_threads();
    const long unit = argc > at ? atol(argv[at]) : 2000;
    uint64_t check = 0;
    if (unit < 1) {
        fprintf(stderr, "usage: triangle [-d] [UNIT]   steps of a unit, above 0\n");
        return 2;
    }
    thread_clock *clocks = calloc((size_t)threads, sizeof *clocks);
    if (!clocks)
        return 1;
    for (int round = 0; round < ROUNDS; round++)
        check = dynamic ? balanced(check + 1, unit, clocks) : triangle(check + 1, unit, clocks);
    for (int t = 0, begin = 0; t < threads && !dynamic; t++) { /* static: the first N % threads have one more */
        const int end = begin + N / threads + (t < N % threads);
        const double cost = 0.5 * ((double)end * (end + 1) - (double)begin * (begin + 1));
        printf("thread %d: expected %.2f %%\n", t, 100 * cost / (0.5 * N * (N + 1)));
        begin = end;
    }
    double all = 0;
    for (int t = 0; t < threads; t++)
        all += clocks[t].cpu_s;
    for (int t = 0; t < threads; t++)
        printf("clock %d: %.2f %%\n", t, 100 * clocks[t].cpu_s / all);
    free(clocks);
    printf("%016llx\n", (unsigned long long)check);
    return 0;
}
