// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that only the run knows, at the entry of a procedure: recorded when they change.
#include <stdio.h>
#include <stdlib.h>
double a[1000];
__attribute__((noinline)) void strided(int n, long step) {
    for (int i = 0; i < n; i++)
        a[i * step] += a[i * step + 1];
}
static inline __attribute__((always_inline)) void inlined(int n, long by) {
    for (int i = 0; i < n; i++)
        a[i * by] += 1;
}
int main(int argc, char **argv) {
    int k = argc + atoi(argv[1]);
    for (int i = 0; i < 100; i++)
        strided(k, i / 40 + 1);
    strided(k - 1, 2);
    inlined(k, k);
    printf("%d\n", k);
    return 0;
}
