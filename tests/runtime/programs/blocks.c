/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* blocks MS: the first thread sleeps for MS, computes for MS of CPU time, polls for MS; the second one waits for a lock while the
 * first one sleeps. Prints what each step took by the clock, in ms. Fails when a wait ends early. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

volatile double sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ms, failed;
static double lock_ms;

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + 1e-6 * (double)t.tv_nsec;
}

__attribute__((noinline)) void sleeps(void) {
    struct timespec t = {ms / 1000, (ms % 1000) * 1000000L};
    failed |= nanosleep(&t, NULL);
    sink++;
}

__attribute__((noinline)) void polls(void) {
    failed |= poll(NULL, 0, ms);
    sink++;
}

__attribute__((noinline)) void computes(void) {
    for (double end = now(CLOCK_THREAD_CPUTIME_ID) + ms; now(CLOCK_THREAD_CPUTIME_ID) < end;)
        for (int i = 0; i < 20000; i++)
            sink = sink * 1.0000001 + i;
}

__attribute__((noinline)) void locks(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    sink++;
}

static void *second(void *p) {
    double start = now(CLOCK_MONOTONIC);
    locks();
    lock_ms = now(CLOCK_MONOTONIC) - start;
    return p;
}

int main(int argc, char **argv) {
    pthread_t thread;
    ms = argc > 1 ? atoi(argv[1]) : 500;
    pthread_mutex_lock(&lock);
    if (pthread_create(&thread, NULL, second, NULL))
        return 1;
    double t0 = now(CLOCK_MONOTONIC);
    sleeps();
    pthread_mutex_unlock(&lock);
    double t1 = now(CLOCK_MONOTONIC);
    computes();
    double t2 = now(CLOCK_MONOTONIC);
    polls();
    double t3 = now(CLOCK_MONOTONIC);
    pthread_join(thread, NULL);
    printf("%.3f %.3f %.3f %.3f\n", t1 - t0, t2 - t1, t3 - t2, lock_ms);
    return failed != 0;
}
