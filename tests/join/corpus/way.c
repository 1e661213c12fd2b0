/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Procedures that end in a call, of which the compiler makes a jump: of what forks a region of OpenMP, of another procedure, of one of a library. Each has
 * some tenths of a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 400000
#define TIMES 240
#define OWN __attribute__((noinline))

static double *a, *b;
static volatile unsigned long n = 12;

OWN static void direct(void) {
#pragma omp parallel for /* direct */
    for (int i = 0; i < N; i++)
        a[i] = a[i] / b[i] + 1; /* direct body */
}

OWN void pointed(void) {
#pragma omp parallel for /* pointed */
    for (int i = 0; i < N; i++)
        a[i] = a[i] / b[i] + 2; /* pointed body */
}

OWN static void either(int odd) {
    if (odd) {
#pragma omp parallel for /* odd */
        for (int i = 0; i < N; i++)
            a[i] = a[i] / b[i] + 3; /* odd body */
    } else {
#pragma omp parallel for /* even */
        for (int i = 0; i < N; i++)
            b[i] = b[i] / a[i] + 4; /* even body */
    }
}

OWN static void inner(void) {
    for (int i = 0; i < N; i++)
        b[i] = b[i] / a[i] + 5; /* inner body */
}

OWN static void middle(void) {
    n++;
    inner(); /* to inner */
}

OWN static void outer(void) {
    n += 2;
    middle(); /* to middle */
}

OWN static void clears(void) {
    n++;
    memset(b, (int)n, N * sizeof *b); /* to memset */
}

static void (*volatile by_pointer)(void) = pointed;

OWN static void all(void) {
    for (int k = 0; k < TIMES; k++) {
        direct();       /* direct call */
        by_pointer();   /* pointed call */
        either(k & 1);  /* either call */
        outer();        /* outer call */
        for (int i = 0; i < 4; i++)
            clears(); /* clears call */
    }
    printf("%lu %g\n", n, a[N / 2] + b[N / 2]);
}

int main(void) {
    a = malloc(N * sizeof *a);
    b = malloc(N * sizeof *b);
    for (int i = 0; i < N; i++)
        a[i] = b[i] = i + 1;
    all();
    return 0;
}
