/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops whose schedule hands out one iteration at a time, until that has taken so many tenths of a second of CPU time, or all at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1000 };
static double a[N][N], b[N][N];

static void one_by_one(double x) {
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[j][i] = a[i][j] + x;
}

static void at_once(double x) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[j][i] = a[i][j] / (b[j][i] + x) + x;
}

int main(int argc, char **argv) {
    struct timespec t;
    int tenths = argc > 2 ? atoi(argv[2]) : 5, n = 0;
    do {
        if (argc > 1 && !strcmp(argv[1], "static"))
            at_once(n++);
        else
            one_by_one(n++);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    } while (t.tv_sec * 10 + t.tv_nsec / 100000000 < tenths);
    printf("%d %d\n", n, b[1][1] > 0);
    return 0;
}
