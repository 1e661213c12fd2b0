/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops of some 0.2 s each; test_diff.py edits this text between two builds. */
#include <stdio.h>

#define N 1000
static float a[N], b[N];
/* EDIT: procedures */

/* vectorised unless told otherwise */
__attribute__((noinline)) static void scale(long times) {
    for (long k = 0; k < times; k++) {
        /* EDIT: inside scale */
        for (int i = 0; i < N; i++)
            a[i] = a[i] * 0.5f + b[i];
        __asm__ volatile("" ::: "memory");
    }
}

/* a recurrence: never vectorised; the second loop does three times the first one's work. The bodies are long, so that samples fall on
 * them and not on the loop's counter alone */
__attribute__((noinline)) static unsigned long chain(unsigned long x, long times) {
    for (long i = 0; i < times; i++)
        x = x * 6364136223846793005u + 1442695040888963407u, x = (x ^ x >> 29) * 6364136223846793005u;
    /* EDIT: between loops */
    for (long j = 0; j < 3 * times; j++)
        x = x * 2862933555777941757u + 3037000493u, x = (x ^ x >> 29) * 2862933555777941757u;
    return x;
}

int main(void) {
    for (int i = 0; i < N; i++)
        b[i] = (float)i;
    scale(1000000);
    printf("%lu %g\n", chain(1, 60000000), (double)a[N - 1]);
    return 0;
}
