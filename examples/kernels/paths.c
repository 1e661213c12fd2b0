/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A known split of the cost over call paths: only `leaf` works, and who called it says for how long.
 *
 *     ./paths [UNITS]
 *
 *     main > seldom > leaf                               1/10
 *     main > often > leaf                                3/10
 *     main > deep > deep > ... (DEPTH calls) > leaf      2/10
 *     main > even > odd > even > ... > leaf              2/10   (mutual recursion, 8 calls)
 *     main > indirect > leaf                             2/10   (through a function pointer)
 *
 * A unit is as in split.c. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH 50

typedef uint64_t procedure(uint64_t x, long steps);

/* Not to be inlined, and called in a way that cannot become a jump: the value is still used after the call. */
#define PROCEDURE __attribute__((noinline)) static uint64_t
#define AFTER(call) ((call) ^ 1)

PROCEDURE leaf(uint64_t x, long steps) {
    for (long i = 0; i < steps; i++)
        x = (x ^ x >> 29) * 6364136223846793005u;
    return x;
}

PROCEDURE seldom(uint64_t x, long unit) { return AFTER(leaf(x, unit)); }

PROCEDURE often(uint64_t x, long unit) { return AFTER(leaf(x, 3 * unit)); }

PROCEDURE deep(uint64_t x, long unit, int depth) {
    return AFTER(depth > 1 ? deep(x, unit, depth - 1) : leaf(x, 2 * unit));
}

PROCEDURE odd(uint64_t x, long unit, int depth);

PROCEDURE even(uint64_t x, long unit, int depth) {
    return AFTER(depth > 1 ? odd(x, unit, depth - 1) : leaf(x, 2 * unit));
}

PROCEDURE odd(uint64_t x, long unit, int depth) {
    return AFTER(depth > 1 ? even(x, unit, depth - 1) : leaf(x, 2 * unit));
}

PROCEDURE indirect(uint64_t x, long unit, procedure *volatile target) { return AFTER(target(x, 2 * unit)); }

int main(int argc, char **argv) {
    const long unit = argc > 1 ? atol(argv[1]) : 1000000, rounds = 150;
    uint64_t x = 1;
    if (unit < 1) {
        fprintf(stderr, "usage: paths [UNITS]   steps of a unit, above 0\n");
        return 2;
    }
    for (long round = 0; round < rounds; round++) {
        x = seldom(x, unit);
        x = often(x, unit);
        x = deep(x, unit, DEPTH);
        x = even(x, unit, 8);
        x = indirect(x, unit, leaf);
    }
    printf("%016llx\n", (unsigned long long)x);
    return 0;
}
