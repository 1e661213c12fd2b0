/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates in and out of deep and changing call paths; with "trap": calls malloc in a handler of the sampling signal. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *kept[512];

static void on_signal(int n) {
    kept[0] = malloc((size_t)n);
}

__attribute__((noinline)) void grow(int depth, unsigned seed) {
    unsigned k = (seed * 2654435761u) >> 23;
    free(kept[k]);
    kept[k] = malloc(16 + seed % 4000);
    memset(kept[k], 1, 16);
    if (depth > 0)
        grow(depth - 1, seed * 1664525u + 1013904223u);
    kept[k] = realloc(kept[k], 8 + seed % 9000);
}

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[2], "trap")) {
        signal(SIGSTKFLT, on_signal);
        raise(SIGSTKFLT);
        return 0;
    }
    int n = argc > 1 ? atoi(argv[1]) : 20000;
    for (int i = 0; i < n; i++)
        grow(i % 40, (unsigned)i);
    printf("done\n");
    return 0;
}
