/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is kept of a module, with one number changed after the other: kept_image MODULE EVERY. Each number of 4 bytes, or one of so many, gets a
 * value that no row has, one that some have, and one that is none; then cut ones. Nothing may crash or hang, rows out of range are refused, and what was
 * truly kept is taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/code_fuzz.h"

static bool change(uint32_t at, uint32_t value) {
    uint8_t data[9] = {1};
    memcpy(data + 1, &at, sizeof at);
    memcpy(data + 5, &value, sizeof value);
    return code_fuzz_take(data, sizeof data);
}

int main(int argc, char **argv) {
    static const uint32_t values[] = {0x7FFFFFF0, 1, 0xFFFFFFFF, 0xFFFFFFFE, 0, 3};
    if (argc != 3 || setenv("HSC_FUZZ_MODULE", argv[1], 1))
        return 2;
    size_t size = code_fuzz_size(), every = strtoul(argv[2], NULL, 10), refused = 0, taken = 0;
    uint8_t same = 1;
    if (!code_fuzz_take(&same, 1)) {
        fprintf(stderr, "%s: what was kept is refused\n", argv[1]);
        return 1;
    }
    for (size_t at = 0, n = 0; at + 4 <= size; at += 4, n++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            if ((n * 5 + v) % every == 0)
                *(change((uint32_t)at, values[v]) ? &taken : &refused) += 1;
    uint8_t *cut = calloc(size + 1, 1);
    for (size_t n = 0; cut && n < size; n += 1 + size / 50)
        refused += !code_fuzz_take(cut, n + 1); /* zeros */
    free(cut);
    printf("%zu bytes: %zu changes refused, %zu taken\n", size, refused, taken);
    return !refused || !taken;
}
