// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits two procedures for each line of input, and answers with how often.
#include <stdio.h>
volatile int sink;
__attribute__((noinline)) void first(int i) {
    sink = i;
}
__attribute__((noinline)) void second(int i) {
    sink = i;
}
int main(void) {
    char line[64];
    for (int i = 1; fgets(line, sizeof line, stdin); i++) {
        first(i);
        second(i);
        printf("%d\n", i);
        fflush(stdout);
    }
    return 0;
}
