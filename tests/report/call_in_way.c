/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops that a call keeps scalar where the compiler says only that an instruction can't be vectorized, at the loop's own line: `tally` of compute(), beside a procedure that was put in line;
 * `number` of the loop that a directive shares, at whose line the region is forked. -DAPART: these procedures. */
#ifdef APART
double all;
void tally(int j, double e) { all += j * e; }
int number(void) { return 0; }
#else
#include <stdio.h>
#include <stdlib.h>

extern void tally(int, double);
extern int number(void);
enum { N = 4000 };
static int list[N], kind[N];
static double x[N], special[4] = {1, 1, 1, 1};
static long of[64];

static inline int mask(int j) { return j >> 30 & 3; }

__attribute__((noinline)) static double compute(int n, double cut, int wanted) {
    double sum = 0, e = 0;
    for (int k = 0; k < n; k++) { /* compute */
        int j = list[k];
        double factor = special[mask(j)];
        j &= 0x1FFFFFFF;
        double d = x[j] * x[j];
        if (d < cut) {
            if (wanted)
                e = factor * (1 / d - 1);
            if (wanted > 1)
                tally(j, e);
        }
    }
    return sum + e;
}

__attribute__((noinline)) static void count(int n) {
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < n; i++) /* count */
        for (int k = 0; k < kind[i] % 4; k++)
            of[number()] += k;
}

int main(int argc, char **argv) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        list[i] = (i * 7) % N;
        kind[i] = i;
        x[i] = 1 + i % 3;
    }
    for (int i = argc > 1 ? atoi(argv[1]) : 1000; i > 0; i--) {
        sum += compute(N, 100, 2 * (i % 2));
        count(N);
        count(N);
        count(N);
    }
    printf("%g %ld\n", sum, of[0]);
    return 0;
}
#endif
