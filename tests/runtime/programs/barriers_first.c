/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Three threads, made one after the other, and the first one meet at barriers of pthreads: at one, at another, and at the first one again. Each time
 * another one comes once the others sleep there, and after it has slept itself. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

enum { THREADS = 4, ROUNDS = 3 };
static const struct timespec late = {0, 5000000};

static pthread_barrier_t one, other;
static atomic_int there, here[THREADS], tid[THREADS]; /* rounds that it is about to wait in */

static void *meets(void *number) {
    int me = (int)(long)number;
    atomic_store(&tid[me], (int)syscall(SYS_gettid));
    atomic_fetch_add(&there, 1);
    while (atomic_load(&there) < THREADS)
        sched_yield();
    for (int round = 0; round < ROUNDS; round++) {
        if (round == me) {
            for (int k = 0; k < THREADS; k++)
                while (k != me && !(atomic_load(&here[k]) == round + 1 && asleep(atomic_load(&tid[k]))))
                    sched_yield();
            nanosleep(&late, NULL);
        }
        atomic_store(&here[me], round + 1);
        pthread_barrier_wait(round == 1 ? &other : &one);
    }
    return NULL;
}

int main(void) {
    pthread_t t[THREADS - 1];
    pthread_barrier_init(&one, NULL, THREADS);
    pthread_barrier_init(&other, NULL, THREADS);
    for (long i = 0; i < THREADS - 1; i++) {
        pthread_create(&t[i], NULL, meets, (void *)i); /* NOLINT: a number */
        nanosleep(&late, NULL);
    }
    meets((void *)(THREADS - 1L)); /* NOLINT */
    for (int i = 0; i < THREADS - 1; i++)
        pthread_join(t[i], NULL);
    return 0;
}
