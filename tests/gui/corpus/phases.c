/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two threads in two phases that the program tells: smooth() has most of the first, chain() all but all of the second; their loops run as long as told.
 * The first thread sleeps at the end of each. */
#include <heatscope.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 4096 };
static long rounds;
static double a[2][N], b[2][N];

__attribute__((noinline)) static void smooth(double *to, const double *from) {
    for (int i = 1; i < N - 1; i++)
        to[i] = (from[i - 1] + 2 * from[i] + from[i + 1]) * 0.25; /* SMOOTH */
}

__attribute__((noinline)) static void chain(double *x) {
    for (int i = 1; i < N; i++)
        x[i] = x[i - 1] * 0.5 + x[i]; /* CHAIN: each needs the one before */
}

static void *first(void *me) {
    int t = (int)(long)me;
    for (long r = 0; r < 6 * rounds; r++) {
        smooth(a[t], b[t]);
        b[t][r % N] += 1;
    }
    return NULL;
}

static void *second(void *me) {
    int t = (int)(long)me;
    for (long r = 0; r < rounds; r++) {
        chain(a[t]);
        a[t][0] = (double)(r & 1);
    }
    return NULL;
}

static void together(void *(*work)(void *)) {
    pthread_t other;
    if (pthread_create(&other, NULL, work, (void *)1))
        exit(1);
    work((void *)0);
    pthread_join(other, NULL);
    usleep(20000);
}

int main(int argc, char **argv) {
    rounds = argc > 1 ? atol(argv[1]) : 10000;
    for (int i = 0; i < N; i++)
        b[0][i] = b[1][i] = i;
    heatscope_phase("smoothing");
    together(first);
    heatscope_phase("chaining");
    together(second);
    heatscope_phase(NULL);
    return a[0][N - 1] < 0;
}
