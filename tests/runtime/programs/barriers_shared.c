/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A barrier of two processes with two threads each. In each round those of the parent come first, one once the other sleeps there; those of the child come
 * after that, once they have slept themselves: no thread of the parent waits for one of the parent. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

enum { THREADS = 4, ROUNDS = 8 };
static const struct timespec late = {0, 10000000};

static struct shared {
    pthread_barrier_t barrier;
    atomic_int here, sleeping; /* rounds in which the parent's first thread is about to wait, in which both of them sleep */
} *shared;
static atomic_int first;

static void meet(int round) {
    atomic_store(&shared->here, round + 1);
    pthread_barrier_wait(&shared->barrier);
}

static void *comes_first(void *p) {
    atomic_store(&first, (int)syscall(SYS_gettid));
    for (int round = 0; round < ROUNDS; round++)
        meet(round);
    return p;
}

static void comes_second(void) {
    for (int round = 0; round < ROUNDS; round++) {
        while (atomic_load(&shared->here) != round + 1 || !asleep(atomic_load(&first)))
            sched_yield();
        atomic_store(&shared->sleeping, round + 1);
        pthread_barrier_wait(&shared->barrier);
    }
}

static void *comes_late(void *p) {
    for (int round = 0; round < ROUNDS; round++) {
        while (atomic_load(&shared->sleeping) != round + 1)
            sched_yield();
        nanosleep(&late, NULL);
        pthread_barrier_wait(&shared->barrier);
    }
    return p;
}

/* A process without a sample is in no table. */
static void compute(void) {
    struct timespec used;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    while (!used.tv_sec && used.tv_nsec < 100000000);
}

int main(void) {
    pthread_barrierattr_t attributes;
    pthread_t other;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || pthread_barrierattr_init(&attributes) || pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) ||
        pthread_barrier_init(&shared->barrier, &attributes, THREADS))
        return 1;
    pid_t child = fork();
    compute();
    pthread_create(&other, NULL, child ? comes_first : comes_late, NULL);
    if (child)
        comes_second();
    else
        comes_late(NULL);
    pthread_join(other, NULL);
    int status = 0;
    return child && (waitpid(child, &status, 0) != child || status) ? 1 : 0;
}
