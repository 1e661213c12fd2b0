// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With line tables alone variables have the names that they have with -g: from the places where the source uses them.
// RUN: %cc -gline-tables-only -O2 -fopenmp -c %s -o %t.lines.o; %map --arrays %t.lines.o > %t.lines.txt; %check < %t.lines.txt
// RUN: %cc -g -O2 -fopenmp -c %s -o %t.g.o; %map --arrays %t.g.o | grep -E '(reads|writes) ' > %t.1
// RUN: grep -E '(reads|writes) ' %t.lines.txt > %t.2; diff %t.1 %t.2
// RUN: test "$(grep -c '(1 module without types of arrays and lines of arguments, ? above: compile with -g)' %t.lines.txt)" = 1
// RUN: test -z "$(%map --arrays %t.g.o | grep 'compile with')"
#include <stdlib.h>
typedef struct point {
    double x, y;
} point;
typedef struct grid {
    double *u;
    int n, size[6];
} grid;
// CHECK-DAG: {{^ *}}[[#@LINE+4]] array a[?]: ?, 8 bytes, heap, in heap
// CHECK-DAG: {{^ *}}[[#@LINE+5]] array more[?]: ?, 4 bytes, heap, in heap
double heap(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 2000;
    double *a = malloc(n * n * sizeof *a), s = 0;
    // CHECK-DAG: [[#@LINE+5]]:{{[0-9]+}} writes a[i*n + j]
    int *more = malloc(n * sizeof *more);
    // CHECK-DAG: [[#@LINE+4]]:{{[0-9]+}} reads more[i]
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            a[i * n + j] = i * j;
            s += more[i] * a[j];
        }
    return s;
}
// by value, on the stack, of variable length, and returned through memory
// CHECK-DAG: [[#@LINE+3]]:{{[0-9]+}} reads g.u[i]
double by_value(grid g, double *out) {
    for (int i = 0; i < g.n; i++)
        out[i] = g.u[i];
    return out[0];
}
// CHECK-DAG: [[#@LINE+5]]:{{[0-9]+}} writes points[].x[i]
double on_stack(int n) {
    point points[n], first = {n, n};
    int counts[12] = {0};
    for (int i = 0; i < n; i++) {
        points[i].x = counts[i % 12]++;
        points[i].y = first.x;
    }
    return points[n / 2].x + points[n / 3].y;
}
grid returned(double *u, int n) {
    grid made;
    made.u = u;
    made.n = n;
    for (int i = 0; i < n; i++)
        made.u[i] = 0;
    return made;
}
// what an OpenMP region is given; `total` and `last` are only assigned there
double shared(double *u, int n) {
    double scale = u[0], total = 0, last = 0;
#pragma omp parallel for reduction(+ : total) lastprivate(last)
    for (int i = 0; i < n; i++) {
        u[i] *= scale;
        total += u[i];
        last = u[i];
    }
#pragma omp parallel
    {
#pragma omp critical
        total++;
    }
    return total + last;
}
