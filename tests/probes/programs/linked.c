// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A procedure of another unit (-DOTHER) that the linker inlines: its probe then stands in the frame of the one that called it.
#include <stdio.h>
int other(int i);
#ifdef OTHER
volatile int sink;
int other(int i) {
    sink = i;
    return i + 1;
}
#else
__attribute__((noinline)) int calls(int i) {
    return other(i) + other(i + 1);
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += calls(i);
    printf("%d\n", sum);
    return 0;
}
#endif
