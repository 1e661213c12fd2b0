// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arms and disarms by the runtime's function, as heatscope.h does, and while a scope is open.
#include <stdio.h>
volatile int sink;
static int (*arm_function(void))(const char *, int) {
    int (*f)(const char *, int);
    __asm__(".weak heatscope_rt_probes_arm\n\tmovq heatscope_rt_probes_arm@GOTPCREL(%%rip), %0" : "=r"(f));
    return f;
}
static void arm(const char *list, int on) {
    if (arm_function())
        arm_function()(list, on);
}
__attribute__((noinline)) void first(int i) {
    sink = i;
}
__attribute__((noinline)) void second(int i) {
    sink = i;
}
__attribute__((noinline)) void disarms_itself(void) {
    arm("procedures:disarms*", 0);
    first(1);
}
int main(void) {
    for (int i = 0; i < 10; i++)
        first(i), second(i);
    arm("procedures:sec*", 1);
    for (int i = 0; i < 10; i++)
        first(i), second(i);
    arm("all", 0);
    for (int i = 0; i < 10; i++)
        first(i), second(i);
    arm("procedures:disarms*,procedures:first", 1);
    disarms_itself();
    puts("done");
    return 0;
}
