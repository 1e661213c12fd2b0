/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What two threads do in GCC's OpenMP runtime, by their own clocks. argv[1]: barrier, end (of a region) or critical (section), at which one thread
 * waits while the other works; memory: both take and return memory; alone: a team of one, at barriers all the time, while another thread spins for a lock. Prints CPU time in seconds: worked, in the memory's management, and of
 * the process. The rest of the last is waiting. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile double sink;

__attribute__((noinline)) static void work(double seconds) {
    for (double end = cpu(CLOCK_THREAD_CPUTIME_ID) + seconds; cpu(CLOCK_THREAD_CPUTIME_ID) < end;)
        for (int i = 0; i < 10000; i++)
            sink += i;
}

static double timed_work(double seconds) {
    double begin = cpu(CLOCK_THREAD_CPUTIME_ID);
    work(seconds);
    return cpu(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static double memory(double seconds) { /* of a size that is not kept by the thread: the loop itself is a small part */
    double begin = cpu(CLOCK_THREAD_CPUTIME_ID), now = begin;
    for (; now < begin + seconds; now = cpu(CLOCK_THREAD_CPUTIME_ID))
        for (int i = 0; i < 1000; i++) {
            void *volatile p = malloc(5000), *volatile q = malloc(3000);
            free(p);
            free(q);
        }
    return now - begin;
}

static pthread_spinlock_t held;

static void *spin(void *spun) {
    pthread_spin_lock(&held);
    *(double *)spun = cpu(CLOCK_THREAD_CPUTIME_ID);
    return spun;
}

/* CPU time of the thread that spins is what is worked. */
static double alone(double seconds) {
    double spun = 0;
    pthread_t other;
    pthread_spin_init(&held, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&held);
    if (pthread_create(&other, NULL, spin, &spun))
        return 0;
    for (double end = cpu(CLOCK_THREAD_CPUTIME_ID) + seconds; cpu(CLOCK_THREAD_CPUTIME_ID) < end;)
        for (int i = 0; i < 1000; i++) {
#pragma omp parallel num_threads(1)
            {
#pragma omp barrier
                sink += i;
            }
        }
    pthread_spin_unlock(&held);
    pthread_join(other, NULL);
    return spun;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    double worked = 0, managed = 0;
    if (!strcmp(what, "alone"))
        worked = alone(1.5);
    for (int round = 0; round < 10; round++) {
        if (!strcmp(what, "barrier")) {
#pragma omp parallel num_threads(2) reduction(+ : worked)
            {
                if (omp_get_thread_num() == round % 2)
                    worked += timed_work(0.03);
#pragma omp barrier
                if (omp_get_thread_num() != round % 2)
                    worked += timed_work(0.02);
            }
        } else if (!strcmp(what, "end")) {
#pragma omp parallel num_threads(2) reduction(+ : worked)
            if (omp_get_thread_num() == round % 2)
                worked += timed_work(0.05);
        } else if (!strcmp(what, "critical")) {
#pragma omp parallel num_threads(2) reduction(+ : worked)
#pragma omp critical
            worked += timed_work(0.025);
        } else if (!strcmp(what, "memory")) {
#pragma omp parallel num_threads(2) reduction(+ : managed)
            managed += memory(0.02);
        }
    }
    printf("%.6f %.6f %.6f\n", worked, managed, cpu(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
