/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread that another one joins sleeps in two calls on one line, and in three copies of one call on another, as of an unrolled loop: ROUNDS times each. */
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include "asleep.h"

enum { ROUNDS = 10 };
#define COPIES(call) call; call; call

static void *works(void *first) {
    while (!asleep(*(int *)first))
        sched_yield();
    for (int round = 0; round < ROUNDS; round++) {
        usleep(3000), usleep(6000);
        COPIES(usleep(2000));
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    int me = (int)syscall(SYS_gettid);
    if (pthread_create(&thread, NULL, works, &me))
        return 1;
    return pthread_join(thread, NULL);
}
