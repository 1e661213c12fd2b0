/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread has a lock while it computes in a loop that can be no vector code; the other one waits for it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { N = 4096 };
static double x[N];
static pthread_mutex_t grid = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held;

static void smooth(void) {
    for (int i = 1; i < N; i++) /* carried */
        x[i] = x[i] * 0.5 + x[i - 1] * 0.25;
}

static void *hold(void *unused) {
    struct timespec now;
    pthread_mutex_lock(&grid);
    held = 1;
    do {
        for (int k = 0; k < 100; k++)
            smooth();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec + now.tv_nsec / 1e9 < 0.4);
    pthread_mutex_unlock(&grid);
    return unused;
}

int main(void) {
    pthread_t t;
    x[0] = 1;
    pthread_create(&t, NULL, hold, NULL);
    while (!held)
        ;
    pthread_mutex_lock(&grid);
    pthread_mutex_unlock(&grid);
    pthread_join(t, NULL);
    printf("%g\n", x[N - 1]);
    return 0;
}
