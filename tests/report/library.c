/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of tests/report/library.py: with -DLIBRARY the library, which was compiled by others. */
#ifdef LIBRARY
double library_plan(long n);
double library_run(long n);

static double work(long n) {
    double x = 2;
    for (long i = 0; i < n; i++)
        x = x * 0.999999 + 1e-6; /* each step waits for the one before */
    return x;
}

double library_plan(long n) { return work(3 * n) + 1; }
double library_run(long n) { return work(n) + 2; }
#else
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

double library_plan(long n);
double library_run(long n);

static long n;

static double transform(long rounds) {
    double sum = 0;
    for (long i = 0; i < rounds; i++) {
        sum += library_plan(n);
        sum += library_run(n);
    }
    return sum;
}

static void *work(void *sum) {
    *(double *)sum = transform(100);
    return NULL;
}

/* Nearly all is done by one thread, which the first waits for. */
int main(int argc, char **argv) {
    pthread_t thread;
    double sum = 0;
    n = argc > 1 ? atol(argv[1]) : 1000000;
    sum = transform(2);
    if (pthread_create(&thread, NULL, work, &sum) || pthread_join(thread, NULL))
        return 1;
    printf("%g\n", sum);
    return 0;
}
#endif
