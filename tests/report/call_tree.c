/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* main > run > step, which calls `heavy` from two lines, `light`, itself, and by way of the C library's sort `order`. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 2000 };
static double field[N];
static int keys[N];

__attribute__((noinline)) static double heavy(int times) {
    double sum = 1;
    for (int i = 0; i < times * N; i++)
        sum = sum / (1.0 + field[i % N]) + 1;
    return sum;
}

__attribute__((noinline)) static double light(int times) {
    double sum = 1;
    for (int i = 0; i < times * N; i++)
        sum = sum / (2.0 + field[i % N]) + 1;
    return sum;
}

__attribute__((noinline)) static int order(const void *a, const void *b) {
    double x = *(const int *)a, y = *(const int *)b;
    for (int i = 0; i < 6; i++) {
        x = x / 3 + 1;
        y = y / 3 + 1;
    }
    return x < y ? -1 : x > y;
}

__attribute__((noinline)) static double step(int depth) {
    double sum = heavy(60);
    for (int i = 0; i < N; i++)
        keys[i] = (i * 7919) % N;
    qsort(keys, N, sizeof *keys, order);
    for (int i = 0; i < 4; i++)
        sum += light(15) + heavy(15);
    return sum + (depth ? step(depth - 1) : 0);
}

__attribute__((noinline)) static double run(int steps) {
    double sum = 0;
    for (int i = 0; i < steps; i++)
        sum += step(3);
    return sum;
}

int main(int argc, char **argv) {
    for (int i = 0; i < N; i++)
        field[i] = 1.0 / (i + 1);
    printf("%g\n", run(argc > 1 ? atoi(argv[1]) : 50));
    return 0;
}
