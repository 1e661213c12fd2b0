/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gives_way SECONDS: two threads on one processor, each of which computes for a moment and gives it up to the other, until it has used SECONDS of
 * CPU time. Where it may, before all others: else they are given the processor, too, and the kernel's ticks seldom meet the two. Prints the switches that the kernel counted. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

volatile double sink[2];
static double seconds;

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) void computes(int k) {
    double x = 1;
    for (int i = 0; i < 500; i++)
        x = x * 1.0000001 + i;
    sink[k] = x;
}

static void *gives_way(void *p) {
    for (int i = 0, k = *(int *)p; i % 64 || cpu() < seconds; i++) {
        computes(k);
        sched_yield();
    }
    return p;
}

int main(int argc, char **argv) {
    cpu_set_t all, one;
    pthread_t t[2];
    int which[2] = {0, 1}, k = 0;
    seconds = argc > 1 ? atof(argv[1]) : 0.3;
    if (sched_getaffinity(0, sizeof all, &all))
        return 1;
    while (!CPU_ISSET(k, &all))
        k++;
    CPU_ZERO(&one);
    CPU_SET(k, &one);
    sched_setscheduler(0, SCHED_RR, &(struct sched_param){.sched_priority = 1});
    if (sched_setaffinity(0, sizeof one, &one) || pthread_create(&t[0], NULL, gives_way, &which[0]) || pthread_create(&t[1], NULL, gives_way, &which[1]) ||
        pthread_join(t[0], NULL) || pthread_join(t[1], NULL))
        return 1;
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("%ld\n", u.ru_nvcsw + u.ru_nivcsw);
    return 0;
}
