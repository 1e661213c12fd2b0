/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A known split of the cost over four procedures and one inlined helper.
 *
 *     ./split [UNITS]
 *
 * Procedures p0 to p3 do 1, 2, 4 and 8 units of work of their own; p1 and p3 also call `helper`, which the compiler
 * must inline, for 1 and 3 units. Of the 19 units of a round:
 *
 *     p0 1/19 = 5.26 %   p1 2/19 = 10.53 %   p2 4/19 = 21.05 %   p3 8/19 = 42.11 %   helper 4/19 = 21.05 %
 *
 * and with the helper added to where it is inlined: p1 3/19, p3 11/19. A unit is a number of steps of arithmetic of
 * which each waits for the one before: the same cost everywhere, not to be vectorised, shortened or moved. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP(x) (((x) ^ (x) >> 29) * 6364136223846793005u)

static inline __attribute__((always_inline)) uint64_t helper(uint64_t x, long steps) {
    for (long i = 0; i < steps; i++) /* helper: loop */
        x = STEP(x);
    return x;
}

__attribute__((noinline)) static uint64_t p0(uint64_t x, long unit) {
    for (long i = 0; i < unit; i++) /* p0: loop */
        x = STEP(x);
    return x;
}

__attribute__((noinline)) static uint64_t p1(uint64_t x, long unit) {
    for (long i = 0; i < 2 * unit; i++) /* p1: loop */
        x = STEP(x);
    return helper(x, unit);
}

__attribute__((noinline)) static uint64_t p2(uint64_t x, long unit) {
    for (long j = 0; j < 4; j++) /* p2: outer loop */
        for (long i = 0; i < unit; i++) /* p2: inner loop */
            x = STEP(x);
    return x;
}

__attribute__((noinline)) static uint64_t p3(uint64_t x, long unit) {
    for (long i = 0; i < 8 * unit; i++) /* p3: loop */
        x = STEP(x);
    return helper(x, 3 * unit);
}

int main(int argc, char **argv) {
    const long unit = argc > 1 ? atol(argv[1]) : 1000000, rounds = 100;
    uint64_t x = 1;
    if (unit < 1) {
        fprintf(stderr, "usage: split [UNITS]   steps of a unit, above 0\n");
        return 2;
    }
    for (long round = 0; round < rounds; round++)
        x = p3(p2(p1(p0(x, unit), unit), unit), unit);
    printf("%016llx\n", (unsigned long long)x);
    return 0;
}
