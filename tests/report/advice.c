/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a programmer is told: a nest whose order walks memory by rows, memory that is got and given back again and again, a list that is walked. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 400, NODES = 1 << 16 };
static double a[N][N], b[N][N], c[N][N];
struct node {
    struct node *next;
    double value;
};
static struct node nodes[NODES];

__attribute__((noinline)) void product(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) /* ORDER */
                c[i][j] += a[i][k] * b[k][j];
}

__attribute__((noinline)) long build(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) {
        void *volatile p = malloc((size_t)(i % 4000) + 1); /* GET */
        sum += p != NULL;
        free(p);
    }
    return sum;
}

__attribute__((noinline)) long count(const struct node *p) {
    long n = 0;
    while (p) { /* LIST */
        n += p->value > 0;
        p = p->next;
    }
    return n;
}

int main(void) {
    long n = 0;
    for (int i = 0; i < N * N; i++)
        a[i / N][i % N] = i % 7, b[i / N][i % N] = i % 5;
    for (int i = 0; i < NODES; i++)
        nodes[i].value = i % 7;
    for (int i = 0; i < NODES - 1; i++) /* all in a row, some way apart */
        nodes[(long)i * 977 % NODES].next = &nodes[((long)i + 1) * 977 % NODES];
    nodes[(long)(NODES - 1) * 977 % NODES].next = NULL;
    for (int t = 0; t < 6; t++) {
        product(N);
        n += build(2000000);
        for (int k = 0; k < 100; k++)
            n += count(nodes);
    }
    printf("%ld %g\n", n, c[3][4]);
    return 0;
}
