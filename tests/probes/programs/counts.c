// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known counts: calls, a recursion, loops entered.
#include <stdio.h>
#include <stdlib.h>
double table[64];
__attribute__((noinline)) void leaf(int i) {
    table[i & 63] += i;
}
__attribute__((noinline)) long down(int n) {
    long s = n ? down(n - 1) : 0;
    leaf(n);
    return s + n;
}
__attribute__((noinline)) void loops(int n) {
    for (int i = 0; i < n; i++)
        leaf(i);
    for (int i = 0; i < 21 * n; i++)
        table[i] *= 1.5;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10;
    for (int i = 0; i < n; i++)
        loops(3);
    printf("%ld\n", down(n));
    return 0;
}
