/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Alone for 0.3 s of CPU time, then outer with brief in it, 20 million times or as often as it is asked for. Prints CPU nanoseconds of alone. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink = 1;

static long cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static long alone(void) {
    long begin = cpu_ns();
    while (cpu_ns() - begin < 300000000)
        for (int i = 0; i < 20000; i++)
            sink = sink * 0.5 + 1;
    return cpu_ns() - begin;
}

__attribute__((noinline)) static double brief(double x) { return x * 0.5 + 1; }

__attribute__((noinline)) static double outer(long n) {
    double x = sink;
    for (long i = 0; i < n; i++)
        x = brief(x);
    return x;
}

int main(int argc, char **argv) {
    long ns = alone();
    sink = outer(argc > 1 ? atol(argv[1]) : 20000000);
    printf("%ld\n", ns);
    return 0;
}
