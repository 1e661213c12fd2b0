/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits and calls while measuring is on, and more of them while it is off; a thread waits from before it is switched off until after it is on again. Tells the seconds that it was on while that waited. */
#include <heatscope.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ON = 20, OFF = 300 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static int is_over;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *waits_for_the_end(void *none) {
    pthread_mutex_lock(&lock);
    while (!is_over)
        pthread_cond_wait(&over, &lock);
    pthread_mutex_unlock(&lock);
    return none;
}

static __attribute__((noinline)) void naps_and_writes(int n) {
    int ends[2];
    char byte = 0;
    if (pipe(ends))
        return;
    for (int i = 0; i < n; i++) {
        usleep(1000);
        if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
            return;
    }
}

int main(void) {
    pthread_t thread;
    double begin = seconds();
    if (pthread_create(&thread, NULL, waits_for_the_end, NULL))
        return 1;
    naps_and_writes(ON);
    heatscope_stop();
    double on = seconds() - begin;
    naps_and_writes(OFF);
    heatscope_start();
    naps_and_writes(ON);
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_cond_signal(&over);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%f\n", on);
    return 0;
}
