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
__attribute__((noinline)) void vanishes(void) {
    heatscope_arm("procedures:vanishes", 0);
    for (int i = 0; i < 20000000; i++) /* long, beside all else in `around`, and no probe in it */
        sink = i;
}
__attribute__((noinline)) void around(void) {
    vanishes();
    sink = 0;
}
__attribute__((noinline)) void stays(void) {
    heatscope_arm("procedures:is_outside", 0);
    for (int i = 0; i < 1500; i++)
        first(i);
}
__attribute__((noinline)) void is_outside(void) {
    stays();
    first(0);
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
    heatscope_arm("procedures:around,procedures:vanishes", 1);
    around();
    heatscope_arm("procedures:is_outside,procedures:stays", 1);
    is_outside();
    puts("done");
    return 0;
}
