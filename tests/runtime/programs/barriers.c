/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Three threads meet at a barrier of pthreads from procedures of their own. In each round one of them, in turn, comes once the two others sleep there, and
 * after it has slept itself. Prints for each pair how long the one waited, by its own clock around the call, while the other was late. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

enum { THREADS = 3, ROUNDS = 12 };
static const struct timespec late = {0, 10000000};

static pthread_barrier_t barrier;
static atomic_int here[THREADS], tid[THREADS]; /* rounds that it is about to wait in */
static double waited[THREADS][THREADS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void comes_late(int me, int round) {
    for (int k = 0; k < THREADS; k++)
        while (k != me && !(atomic_load(&here[k]) == round + 1 && asleep(atomic_load(&tid[k]))))
            sched_yield();
    nanosleep(&late, NULL);
}

static void meet(int me, int (*wait)(pthread_barrier_t *)) {
    atomic_store(&tid[me], (int)syscall(SYS_gettid));
    for (int round = 0; round < ROUNDS; round++) {
        if (round % THREADS == me)
            comes_late(me, round);
        atomic_store(&here[me], round + 1);
        double begin = now();
        wait(&barrier);
        if (round % THREADS != me)
            waited[me][round % THREADS] += now() - begin;
    }
}

#define COMES(k) \
    __attribute__((noinline)) static int waits_##k(pthread_barrier_t *b) { \
        int result = pthread_barrier_wait(b); \
        __asm__ volatile("" ::: "memory"); /* no tail call */ \
        return result; \
    } \
    static void *comes_##k(void *p) { \
        meet(k, waits_##k); \
        return p; \
    }
COMES(0)
COMES(1)
COMES(2)

int main(void) {
    pthread_t t[THREADS];
    pthread_barrier_t other; /* of this one nobody is told anything */
    if (pthread_barrier_init(&other, NULL, 1) || pthread_barrier_wait(&other) != PTHREAD_BARRIER_SERIAL_THREAD || pthread_barrier_destroy(&other) ||
        pthread_barrier_init(&barrier, NULL, THREADS))
        return 1;
    pthread_create(&t[1], NULL, comes_1, NULL);
    pthread_create(&t[2], NULL, comes_2, NULL);
    comes_0(NULL);
    for (int k = 1; k < THREADS; k++)
        pthread_join(t[k], NULL);
    for (int k = 0; k < THREADS; k++)
        for (int m = 0; m < THREADS; m++)
            if (k != m)
                printf("%d for %d: %.9f\n", k, m, waited[k][m]);
    return pthread_barrier_destroy(&barrier);
}
