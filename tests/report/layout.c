/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops over structures: of which two use few bytes of each, one all, two structures that the nearest cache has room for, one what a procedure uses as well. */
#include <stdio.h>
#include <stdlib.h>

typedef struct particle {
    double x[3], v[3], mass, charge;
} particle;
enum { MANY = 1 << 20, FEW = 100, ROUNDS = 40 };
static particle few[FEW];

__attribute__((noinline)) void scale(particle *p, int n) {
    for (int i = 0; i < n; i++)
        p[i].charge *= 1.0001; /* ONE */
}

__attribute__((noinline)) double energy(const particle *p, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i].mass * p[i].v[1] * p[i].v[1]; /* TWO */
    return sum;
}

__attribute__((noinline)) double all(const particle *p, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i].x[0] + p[i].x[1] + p[i].x[2] + p[i].v[0] + p[i].v[1] + p[i].v[2] + p[i].mass + p[i].charge; /* ALL */
    return sum;
}

__attribute__((noinline)) double near(int n) {
    double sum = 0;
    for (int t = 0; t < n / FEW; t++)
        for (int i = 0; i < FEW; i++)
            sum += few[i].mass; /* NEAR */
    return sum;
}

static int lightest(const particle *p, int n) {
    int least = 0;
    for (int i = 1; i < n; i++)
        if (p[i].mass < p[least].mass)
            least = i; /* HANDED */
    return least;
}

__attribute__((noinline)) double put_in_line(int n, int rounds) {
    particle local[64];
    double sum = 0;
    for (int i = 0; i < 64; i++)
        local[i] = few[i];
    for (int t = 0; t < rounds; t++) {
        local[t & 63].mass += n;
        sum += lightest(local, n);
    }
    return sum;
}

__attribute__((noinline)) double weight(const particle *p) {
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += p->x[k] * p->v[k] + p->charge;
    return sum;
}

__attribute__((noinline)) double weights(const particle *p, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i].mass * weight(p + i); /* CALLS */
    return sum;
}

int main(void) {
    particle *p = calloc(MANY, sizeof *p);
    double sum = 0;
    if (!p)
        return 1;
    for (int i = 0; i < MANY; i++)
        p[i] = (particle){{i % 3, i % 5, i % 7}, {i % 2, i % 11, 1}, 1, i % 13};
    for (int i = 0; i < FEW; i++)
        few[i].mass = i;
    for (int t = 0; t < ROUNDS; t++) {
        scale(p, MANY);
        sum += energy(p, MANY) + all(p, MANY) + weights(p, MANY);
        sum += near(8 * MANY) + put_in_line(64, MANY / 16);
    }
    printf("%g\n", sum);
    free(p);
    return 0;
}
