/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Procedures that compilers copy for the arguments of some calls: gcc as work.constprop.N, with parameters taken apart
 * .isra.N, clang as apply.specialized.N. And a procedure from which they split off what is seldom run: seldom.cold, by LLVM
 * seldom.cold.N. */
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

__attribute__((cold)) void bad(int k);

int seldom(const int *a, int n) { /* BEGIN seldom */
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (__builtin_expect(a[i] < 0, 0)) {
            bad(i);
            for (int k = 0; k < n; k++) { /* LOOP seldom */
                fprintf(stderr, "bad %d\n", a[k]);
                bad(k);
            }
            abort();
        }
        s += a[i];
    }
    return s;
} /* END seldom */

__attribute__((noinline)) void bad(int k) { fprintf(stderr, "%d\n", k); }

int main(int argc, char **argv) {
    const int few[] = {1, 2, argc};
    int (*volatile call)(const int *, int) = seldom; /* not inlined; LLVM splits nothing off what must not be inlined */
    struct grid g = {calloc(1000, sizeof(double)), 1000};
    if (!g.a)
        return 1;
    printf("%d %g %g %s\n", call(few, 3), work(3, &g) + argc, apply(one, g.a, g.n) + apply(two, g.a, g.n) + work(4, &g), argv[0]);
    free(g.a);
    return 0;
}
