/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An interpreter, as one without debug information is met: a loop that only calls; and threads that wait for a lock until the end. */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

enum { WORKERS = 6 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile uint64_t result;

static uint64_t mix(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    return x ^ x >> 29;
}
#define EIGHT(x) mix(mix(mix(mix(mix(mix(mix(mix(x))))))))
__attribute__((noinline)) uint64_t interpreter_add(uint64_t x) { return EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(EIGHT(x)))))))))) + 1; }
__attribute__((noinline)) uint64_t interpreter_take(uint64_t x) { return EIGHT(EIGHT(EIGHT(EIGHT(x)))) - 1; }

__attribute__((noinline)) uint64_t interpreter_runs(double seconds) {
    uint64_t (*volatile operations[2])(uint64_t) = {interpreter_add, interpreter_take}, x = 1;
    struct timespec t;
    do {
        for (unsigned i = 0; i < 20000; i++)
            x = operations[i & 1](x);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < seconds);
    return x;
}

static void *worker(void *nothing) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return nothing;
}

int main(void) {
    pthread_t threads[WORKERS];
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    result = interpreter_runs(0.5);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
