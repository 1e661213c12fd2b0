// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By the look of their code, `tiny` and `dear` work equally long; loops of `tiny` end at once. Half a second of CPU time, then says how often each was called.
// With a word: `tiny` alone.
#include <stdio.h>
#include <time.h>
static volatile double table[16];

static double __attribute__((always_inline)) inline work(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                table[i % 16] = table[j % 16] * 0.5 + table[k % 16] / 3 + i + j + k;
    return table[0];
}
__attribute__((noinline)) double tiny(int n) {
    return work(n);
}
__attribute__((noinline)) double dear(int n) {
    return work(n);
}
__attribute__((noinline)) double asked(int n) {
    return table[n];
}
int main(int argc, char **argv) {
    (void)argv;
    struct timespec t = {0, 0};
    int tinies = 0, dears = 0;
    for (; !t.tv_sec && t.tv_nsec < 500000000; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)) {
        for (int i = 0; i < 2000; i++, tinies++) {
            tiny(1);
            if (argc == 1)
                asked(1);
        }
        if (argc == 1)
            dear(30);
        dears += argc == 1;
    }
    printf("%d %d\n", tinies, dears);
    return 0;
}
