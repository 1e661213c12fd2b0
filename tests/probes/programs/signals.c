// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Probed procedures in signal handlers, on the stack and on an alternate one.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
volatile int sink;
__attribute__((noinline)) void in_handler(int i) {
    sink = i;
}
static void handler(int s) {
    in_handler(s);
}
__attribute__((noinline)) void outside(int i) {
    raise(i & 1 ? SIGUSR1 : SIGUSR2);
}
int main(void) {
    stack_t alternate = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    struct sigaction a = {.sa_handler = handler}, b = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    sigaction(SIGUSR1, &a, NULL);
    sigaction(SIGUSR2, &b, NULL);
    for (int i = 0; i < 200; i++)
        outside(i);
    puts("done");
    return 0;
}
