/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Code that a compiler moved from one loop into another keeps its line: written by hand here, as compilers choose. The other loop is not merged with it, nor
 * named after its line. */
static volatile int sink;

int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 10 * argc; i++) /* loop first */
        sink = i; /* in first */
    for (int k = 0; k < 3 * argc; k++) { /* loop second */
        __asm__ volatile(".loc 1 8 0 is_stmt 0\n\tnop");
        sink = 1; /* in second */
        for (int i = 0; i < 20 * argc; i++) /* loop inner */
            sink = k + i; /* in inner second */
    }
    return 0;
}
