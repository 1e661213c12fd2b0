/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tails: holds a lock for 0.2 s in each of the procedures holds_*, while a thread waits for it; they are called at the lines that it prints.
 * Built with -O2 all but holds_last give it back by a jump. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begin;
static volatile int sink;

static APART void holds(void) {
    pthread_mutex_lock(&lock);
    pthread_barrier_wait(&begin);
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    sink++;
}

static APART void holds_last(void) {
    holds();
    pthread_mutex_unlock(&lock);
    sink++;
}

static APART void holds_once(void) {
    holds();
    pthread_mutex_unlock(&lock); /* once */
}

static APART void holds_inner(int by) {
    sink += by;
    pthread_mutex_unlock(&lock); /* inner */
}

static APART void holds_outer(int by) {
    holds();
    holds_inner(by + 1);
}

static APART void holds_either(int by) {
    holds();
    if (by)
        pthread_mutex_unlock(&lock);
    else
        pthread_mutex_unlock(&other);
}

static void *waits(void *p) {
    for (int i = 0; i < 4; i++) {
        pthread_barrier_wait(&begin);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        sink++;
        pthread_barrier_wait(&begin);
    }
    return p;
}

int main(int argc, char **argv) {
    pthread_t thread;
    (void)argv;
    if (pthread_barrier_init(&begin, NULL, 2) || pthread_create(&thread, NULL, waits, NULL))
        return 1;
    holds_last();
    pthread_barrier_wait(&begin);
    holds_once();
    pthread_barrier_wait(&begin);
    holds_outer(argc);
    pthread_barrier_wait(&begin);
    holds_either(argc);
    pthread_barrier_wait(&begin);
    return pthread_join(thread, NULL);
}
