/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP loop whose iterations grow in cost: known imbalance between the threads of one process.
 *
 *     OMP_NUM_THREADS=2 ./triangle [-d] [UNIT]
 *
 * Iteration i of N costs i + 1 units. With schedule(static) on T threads, thread t has very nearly the share
 * (2t + 1) / T^2 of the work: on two threads 25 and 75 %. The program prints the exact shares. With -d the schedule is
 * dynamic, one iteration at a time, and the shares come out even. */
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400, ROUNDS = 10 };

__attribute__((noinline)) static uint64_t work(uint64_t x, long steps) {
    for (long i = 0; i < steps; i++)
        x = (x ^ x >> 29) * 6364136223846793005u;
    return x;
}

static uint64_t triangle(uint64_t seed, long unit) {
    uint64_t check = 0;
#pragma omp parallel for schedule(static) reduction(^ : check)
    for (int i = 0; i < N; i++)
        check ^= work(seed + (uint64_t)i, (i + 1) * unit);
    return check;
}

static uint64_t balanced(uint64_t seed, long unit) {
    uint64_t check = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(^ : check)
    for (int i = 0; i < N; i++)
        check ^= work(seed + (uint64_t)i, (i + 1) * unit);
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
    for (int round = 0; round < ROUNDS; round++)
        check = dynamic ? balanced(check + 1, unit) : triangle(check + 1, unit);
    for (int t = 0, begin = 0; t < threads && !dynamic; t++) { /* static: the first N % threads have one more */
        const int end = begin + N / threads + (t < N % threads);
        const double cost = 0.5 * ((double)end * (end + 1) - (double)begin * (begin + 1));
        printf("thread %d: expected %.2f %%\n", t, 100 * cost / (0.5 * N * (N + 1)));
        begin = end;
    }
    printf("%016llx\n", (unsigned long long)check);
    return 0;
}
