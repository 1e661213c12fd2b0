/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* lock_bench LOCKS THREADS: nanoseconds of CPU time that setting and unsetting an OpenMP lock take, over so many locks in turn, by as many threads;
 * of no locks: a critical section. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static volatile double in_section;

int main(int argc, char **argv) {
    enum { ROUNDS = 10000000 };
    long locks = argc > 1 ? atol(argv[1]) : 1, threads = argc > 2 ? atol(argv[2]) : 1;
    omp_lock_t *lock = malloc((size_t)locks * sizeof *lock);
    double *value = calloc((size_t)locks, sizeof *value), sum = 0;
    if (locks < 0 || threads < 1 || (locks && (!lock || !value)))
        return 1;
    for (long i = 0; i < locks; i++)
        omp_init_lock(&lock[i]);
#pragma omp parallel num_threads((int)threads) reduction(+ : sum)
    {
        double begin = cpu_ns();
        for (unsigned r = (unsigned)omp_get_thread_num(), n = r + ROUNDS; r < n; r++) {
            if (!locks) {
#pragma omp critical
                in_section += r;
                continue;
            }
            long i = (long)((r * 2654435761u >> 4) % (unsigned long)locks);
            omp_set_lock(&lock[i]);
            value[i] += r;
            omp_unset_lock(&lock[i]);
        }
        sum += cpu_ns() - begin;
    }
    printf("%.1f\n", sum / ROUNDS / (double)threads);
    free(value);
    free(lock);
    return 0;
}
