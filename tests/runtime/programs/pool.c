/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pool of two threads, of which one is never given work and the other hardly any, while the first thread computes; with an argument it sleeps instead. Tells the seconds of that. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, ROUND_MS = 150 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static int given, done;

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *unused(void *none) {
    pthread_mutex_lock(&lock);
    while (given >= 0)
        pthread_cond_wait(&never, &lock);
    return none;
}

static void *takes_work(void *none) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (done == given)
            pthread_cond_wait(&some, &lock);
        done++;
    }
    return none;
}

static void compute(void) {
    for (double end = seconds(CLOCK_THREAD_CPUTIME_ID) + 1e-3 * ROUND_MS; seconds(CLOCK_THREAD_CPUTIME_ID) < end;)
        ;
}

int main(int count, char **arguments) {
    (void)arguments;
    pthread_t thread;
    double begin = seconds(CLOCK_MONOTONIC);
    usleep(2000); /* they wait for what it takes to end, too, after the clock is read */
    if (pthread_create(&thread, NULL, unused, NULL) || pthread_create(&thread, NULL, takes_work, NULL))
        return 1;
    for (int round = 0; round < ROUNDS; round++) {
        if (count > 1)
            usleep(1000 * ROUND_MS);
        else
            compute();
        pthread_mutex_lock(&lock);
        given++;
        pthread_cond_signal(&some);
        pthread_mutex_unlock(&lock);
    }
    printf("%f\n", seconds(CLOCK_MONOTONIC) - begin);
    return 0;
}
