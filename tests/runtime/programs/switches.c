/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* switches HOPS SECONDS: the first two threads pass a byte to and fro HOPS times, so that each waits for the other each
 * time, then compute for SECONDS of CPU time; a third one only computes. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile double sink[3];
static int there[2], back[2];
static long hops;
static double seconds;

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) void computes(int k) {
    for (double end = cpu() + seconds; cpu() < end;) {
        double x = 1;
        for (int i = 0; i < 20000; i++)
            x = x * 1.0000001 + i;
        sink[k] = x;
    }
}

__attribute__((noinline)) void passes(int from, int to, int first) {
    char c = 0;
    for (long i = 0; i < hops; i++) {
        if (first && write(to, &c, 1) != 1)
            exit(1);
        if (read(from, &c, 1) != 1)
            exit(1);
        if (!first && write(to, &c, 1) != 1)
            exit(1);
    }
}

static void *second(void *p) {
    passes(there[0], back[1], 0);
    computes(1);
    return p;
}

static void *third(void *p) {
    computes(2);
    return p;
}

int main(int argc, char **argv) {
    hops = argc > 1 ? atol(argv[1]) : 20000;
    seconds = argc > 2 ? atof(argv[2]) : 0.1;
    pthread_t a, b;
    if (pipe(there) || pipe(back) || pthread_create(&a, NULL, second, NULL))
        return 1;
    passes(back[0], there[1], 1);
    computes(0);
    if (pthread_join(a, NULL) || pthread_create(&b, NULL, third, NULL) || pthread_join(b, NULL))
        return 1;
    return 0;
}
