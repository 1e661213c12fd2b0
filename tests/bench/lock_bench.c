/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* lock_bench LOCKS THREADS: nanoseconds of CPU time that setting and unsetting an OpenMP lock take, over so many locks in turn, by as many threads;
 * of no locks: a critical section; of -1: creating a task and running it, waited for by the thousand, and of -N one created N calls deep. */
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

static __attribute__((noinline)) double tasks(long depth, int rounds) {
    if (depth > 1)
        return tasks(depth - 1, rounds) + in_section;
    for (int r = 0; r < rounds; r++) {
#pragma omp task
        in_section = r;
        if (r % 1000 == 999) {
#pragma omp taskwait
        }
    }
#pragma omp taskwait
    return 0;
}

static int run_tasks(long depth, int threads) {
    enum { TASKS = 1000000 };
    double ns = 0;
#pragma omp parallel num_threads(threads)
    {
        double begin = cpu_ns(); /* what the others do at the region's end is not in it */
#pragma omp single
        {
            tasks(depth, TASKS);
            ns = cpu_ns() - begin;
        }
    }
    printf("%.1f\n", ns / TASKS);
    return 0;
}

int main(int argc, char **argv) {
    enum { ROUNDS = 10000000 };
    long locks = argc > 1 ? atol(argv[1]) : 1, threads = argc > 2 ? atol(argv[2]) : 1;
    if (locks < 0)
        return run_tasks(-locks, (int)threads);
    omp_lock_t *lock = malloc((size_t)locks * sizeof *lock);
    double *value = calloc((size_t)locks, sizeof *value), sum = 0;
    if (threads < 1 || (locks && (!lock || !value)))
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
