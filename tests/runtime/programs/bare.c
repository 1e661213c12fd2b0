/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls procedures without unwind information in the ways that callers may; see bare_procedures.c. */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline))
volatile double sink;
volatile int one = 1;
void bare_leaf(int n);
void bare_calls(int n);
void bare_large_frame(int n);
void bare_frame(int n);
void bare_recursion(int depth, int n);
void bare_calls_known(int n);
void bare_takes_rbp(int n);

KEEP void known_leaf(int n) {
    double x = 1;
    for (int i = 0; i < n; i++)
        x = x * 1.0000001 + i;
    sink = x;
}

/* Has a frame pointer in any case. */
KEEP void known_with_frame(int n) {
    char *p = alloca((size_t)(n % 100 + 100 * one));
    memset(p, n, 100);
    known_leaf(n);
    sink += p[n % 100];
}

KEEP void known_calls_rbp(int n) {
    char *p = alloca((size_t)(n % 100 + 100 * one));
    memset(p, n, 100);
    bare_takes_rbp(n);
    sink += p[n % 100];
}

KEEP void known_by_pointer(void (*f)(int), int n) {
    f(n);
    sink += 1;
}

KEEP void all_known(int n) {
    for (int i = 0; i < n; i++) {
        bare_leaf(200000);
        bare_calls(200000);
        bare_large_frame(100000);
        bare_frame(100000);
        bare_recursion(20, 200000);
        bare_calls_known(200000);
        known_calls_rbp(200000);
        known_by_pointer(bare_calls, 200000);
    }
    sink += 1;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    all_known(n);
    printf("done\n");
    return 0;
}
