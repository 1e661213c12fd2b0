/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Alone for 0.3 s of CPU time, then outer with brief in it, 20 million times, then ten times 0.03 s in `cut` after another
 * thread has disarmed it; with an argument brief is called as often as that says, and `cut` never. Prints CPU nanoseconds of alone. */
#include <heatscope.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink = 1;

static long cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline __attribute__((always_inline)) long spend(long ns) {
    long begin = cpu_ns();
    while (cpu_ns() - begin < ns)
        for (int i = 0; i < 20000; i++)
            sink = sink * 0.5 + 1;
    return cpu_ns() - begin;
}

__attribute__((noinline)) static long alone(void) {
    return spend(300000000);
}

__attribute__((noinline)) static double brief(double x) { return x * 0.5 + 1; }

__attribute__((noinline)) static double outer(long n) {
    double x = sink;
    for (long i = 0; i < n; i++)
        x = brief(x);
    return x;
}

static void *disarms(void *unused) {
    heatscope_arm("procedures:cut", 0);
    return unused;
}

__attribute__((noinline)) static void cut(void) {
    pthread_t other;
    pthread_create(&other, NULL, disarms, NULL);
    pthread_join(other, NULL);
    spend(30000000);
}

int main(int argc, char **argv) {
    long ns = alone();
    sink = outer(argc > 1 ? atol(argv[1]) : 20000000);
    for (int i = 0; i < 10 && argc == 1; i++) {
        heatscope_arm("procedures:cut", 1);
        cut();
    }
    printf("%ld\n", ns);
    return 0;
}
