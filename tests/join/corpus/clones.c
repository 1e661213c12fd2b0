/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Procedures that compilers copy for the arguments of some calls: gcc as work.constprop.N, with parameters taken apart
 * .isra.N, clang as apply.specialized.N. */
#include <stdio.h>
#include <stdlib.h>

struct grid {
    double *a;
    int n;
};

double one(double x) { return x * 2; }

double two(double x) { return x + 3; }

static __attribute__((noinline)) double apply(double (*f)(double), const double *a, int n) { /* BEGIN apply */
    double s = 0;
    for (int i = 0; i < n; i++) /* LOOP apply */
        s += f(a[i]);
    return s;
} /* END apply */

static __attribute__((noinline)) double work(int mode, const struct grid *g) { /* BEGIN work */
    double s = 0;
    for (int i = 0; i < g->n; i++) /* LOOP work */
        s += mode == 3 ? g->a[i] * g->a[i] : g->a[i] / (i + mode);
    return s;
} /* END work */

int main(int argc, char **argv) {
    struct grid g = {calloc(1000, sizeof(double)), 1000};
    if (!g.a)
        return 1;
    printf("%g %g %s\n", work(3, &g) + argc, apply(one, g.a, g.n) + apply(two, g.a, g.n) + work(4, &g), argv[0]);
    free(g.a);
    return 0;
}
