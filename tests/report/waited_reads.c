/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A walk through memory that no cache holds, and beside it sums of eight numbers: all of the time is the walk's. */
#include <stdio.h>
#include <stdlib.h>

#define PLACES (1u << 20)
#define APART 16 /* one in each line of a cache */

static unsigned chain[PLACES * APART];
static unsigned few[8] = {3, 1, 4, 1, 5, 9, 2, 6};

static unsigned walk(unsigned at, long steps) {
    unsigned sum = 0;
    for (long i = 0; i < steps; i++) {
        at = chain[at];
        sum += few[i & 7];
    }
    return at + sum;
}

int main(int argc, char **argv) {
    /* a full period: a step of the generator is one of the walk (Hull and Dobell) */
    for (unsigned i = 0; i < PLACES; i++)
        chain[i * APART] = (i * 1664525u + 1013904223u) % PLACES * APART;
    printf("%u\n", walk(0, argc > 1 ? atol(argv[1]) : 1000000));
    return 0;
}
