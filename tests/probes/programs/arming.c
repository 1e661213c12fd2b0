// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arms and disarms by heatscope.h, also while a scope is open.
#include <heatscope.h>
#include <stdio.h>
volatile int sink;
__attribute__((noinline)) void first(int i) {
    sink = i;
}
__attribute__((noinline)) void second(int i) {
    sink = i;
}
__attribute__((noinline)) void disarms_itself(void) {
    heatscope_arm("procedures:disarms*", 0);
    first(1);
}
int main(void) {
    for (int i = 0; i < 10; i++)
        first(i), second(i);
    heatscope_arm("procedures:sec*", 1);
    for (int i = 0; i < 10; i++)
        first(i), second(i);
    heatscope_arm("all", 0);
    for (int i = 0; i < 10; i++)
        first(i), second(i);
    heatscope_arm("procedures:disarms*,procedures:first", 1);
    disarms_itself();
    puts("done");
    return 0;
}
