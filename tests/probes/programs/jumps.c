// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes left by longjmp: by the procedure that set it, and across several; what is called next from there has its return address where theirs was.
// Handlers that jump, on the stack, on another one and on one within the stack.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static sigjmp_buf before;
volatile int sink;
__attribute__((noinline)) void jumps(int i) {
    sink = i;
    longjmp(back, 1);
}
__attribute__((noinline)) void between(int i) {
    jumps(i);
    sink = 0;
}
__attribute__((noinline)) void beside(int i) {
    sink = i;
}
__attribute__((noinline)) void sets(int i) {
    if (!setjmp(back))
        between(i);
    beside(i);
    sink = i;
}
__attribute__((noinline)) void normal(int i) {
    sink = i;
}
static void handler(int s) {
    normal(s);
    siglongjmp(before, 1);
}
__attribute__((noinline)) void raises(int i) {
    sink = i;
    raise(SIGUSR1);
}
__attribute__((noinline)) void after_handler(int i) {
    sink = i;
}
__attribute__((noinline)) void interrupted(int flags) {
    struct sigaction a = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGUSR1, &a, NULL);
    if (!sigsetjmp(before, 1))
        raises(1);
    after_handler(1);
}
__attribute__((noinline)) void stays(int s) {
    normal(s);
}
__attribute__((noinline)) void returned(void) {
    struct sigaction a = {.sa_handler = stays, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &a, NULL);
    raises(1);
    after_handler(1);
}
int main(int argc, char **argv) {
    char within[1 << 15];
    stack_t stacks[] = {{.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}, {.ss_sp = within, .ss_size = sizeof within}};
    sigaltstack(&stacks[argc > 1 && argv[1][0] == 'w'], NULL);
    for (int i = 0; i < 100; i++) {
        sets(i);
        normal(i);
        interrupted(0);
        interrupted(SA_ONSTACK);
        returned();
    }
    puts("done");
    return 0;
}
