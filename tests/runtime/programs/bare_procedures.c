/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Procedures that are compiled without .eh_frame: with -g .debug_frame describes them, without it nothing does. */
#include <string.h>

#define KEEP __attribute__((noinline))
extern volatile double sink;
extern volatile int one;
void known_leaf(int n);
void known_with_frame(int n);

KEEP void bare_leaf(int n) {
    double x = 1;
    for (int i = 0; i < n; i++)
        x = x * 1.0000001 + i;
    sink = x;
}

KEEP void bare_calls(int n) {
    bare_leaf(n);
    sink += 1;
}

/* No return address is found above this one's stack pointer within reasonable bounds. */
KEEP void bare_large_frame(int n) {
    volatile char room[40000];
    room[one] = 1;
    double x = 1;
    for (int i = 0; i < n; i++)
        x = x * 1.0000001 + room[one];
    sink = x + room[one + 1];
}

KEEP void bare_frame(int n) {
    volatile double v[100];
    for (int i = 0; i < n; i++)
        v[i % 100] = i * 1.000001;
    sink = v[one];
}

KEEP void bare_recursion(int depth, int n) {
    if (depth == 0)
        bare_leaf(n);
    else
        bare_recursion(depth - 1, n);
    sink += 1;
}

KEEP void bare_calls_known(int n) {
    known_leaf(n);
    sink += 1;
}

/* Uses rbp for something else; its caller and a callee keep frame pointers. */
KEEP void bare_takes_rbp(int n) {
    double x = 1;
    long i = n;
    __asm__ volatile("mov %1, %%rbp\n"
                     "1:\tmulsd %2, %0\n\tdec %%rbp\n\tjnz 1b"
                     : "+x"(x)
                     : "r"(i), "x"(1.0000001)
                     : "rbp", "cc");
    sink = x;
    known_with_frame(n / 4);
    sink += x;
}
