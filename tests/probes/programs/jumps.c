// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes left by longjmp: by the procedure that set it, and across several.
#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
volatile int sink;
__attribute__((noinline)) void jumps(int i) {
    sink = i;
    longjmp(back, 1);
}
__attribute__((noinline)) void between(int i) {
    jumps(i);
    sink = 0;
}
__attribute__((noinline)) void sets(int i) {
    if (!setjmp(back))
        between(i);
    sink = i;
}
__attribute__((noinline)) void normal(int i) {
    sink = i;
}
int main(void) {
    for (int i = 0; i < 100; i++) {
        sets(i);
        normal(i);
    }
    puts("done");
    return 0;
}
