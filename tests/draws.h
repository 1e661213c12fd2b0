/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws of tests that simulate: the same on every machine, from a seed that the test sets (SplitMix64). */
#ifndef HSC_TEST_DRAWS_H
#define HSC_TEST_DRAWS_H

#include <stdint.h>

static uint64_t state_of_random;

static double uniform(void) { /* 0 <= x < 1 */
    uint64_t z = state_of_random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#endif
